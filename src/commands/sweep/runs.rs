//! The runs of a plan: a flock and a file name for each.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::plan::{Design, MAX_RUNS, SweepPlan};
use super::vary::resolved;
use crate::commands::files::scene_files::{asked_text, requested, run_in};
use crate::commands::host::arg_parsers::{count, density};
use crate::commands::host::drive::crossed_speeds;
use crate::commands::host::errors::{Interrupted, wrong};
use crate::commands::host::interrupt::Interrupt;
use crate::commands::host::options::DEFAULT_SCENE;
use crate::commands::host::progress::progress;
use flockwork_model::io::RunRecord;
use flockwork_model::quote::cut;
use flockwork_model::scene::{Request, Scene, key_and_value};
use flockwork_model::state::FlockState;
use flockwork_model::statistics::{Selection, Unwrapping};
use flockwork_model::vector::Point;
use flockwork_view::words::counted;

/// One run of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepRun {
    /// From 1 on.
    pub number: usize,
    /// Number of its point, from 0.
    pub point: usize,
    /// Its place among the runs of the point.
    place: usize,
}

/// A flock that can be made.
#[derive(Debug)]
pub struct Flock {
    /// The scene before it is scaled.
    pub scene: Scene,
    /// How it is scaled.
    pub request: Request,
    /// Size of the scaled world.
    world: Point,
    overrides: Vec<String>,
}

impl Flock {
    /// Everything to make it again.
    pub fn record(&self) -> RunRecord {
        RunRecord::new(&self.scene, &self.request, self.world, &self.overrides)
    }
}

/// A point whose flock was made once.
#[derive(Clone, Debug)]
struct Known {
    /// Hash of all that decides its results but the seed.
    hash: u64,
    /// The seed of the scene, and the number of agents.
    seed: u32,
    agents: u64,
    /// Number of agents of each species, before it is scaled.
    counts: Vec<u64>,
    /// A sentence about a smallest speed above the largest.
    crossed: Option<String>,
}

/// All runs of a plan. They are in order: the seeds of the first point, then the second point's.
#[derive(Debug)]
pub struct Sweep {
    /// The plan.
    pub plan: SweepPlan,
    /// The keys that vary.
    pub keys: Vec<String>,
    /// The values of each point.
    pub points: Vec<Vec<String>>,
    /// The scene's name and its text, which is read once: the file may change while the sweep runs.
    scene: (String, String),
    /// The metrics.
    pub metrics: Selection,
    /// By the numbers of points; an error where the values make no flock.
    known: HashMap<usize, Result<Known, String>>,
    /// The seed of the first run of each point, also of one that makes no flock; 0 before a flock is known.
    first_seed: u32,
    /// Where each run goes on from the one before: the hash of each point and all before it.
    hashes_on_the_way: Vec<u64>,
}

/// FNV-1a: the same on every machine.
fn fnv(hash: u64, text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    text.bytes().fold(hash, step)
}

/// Refuses a key whose values would not be used. `text` is the scene's.
fn refuse_vain(plan: &SweepPlan, keys: &[String], text: &str) -> anyhow::Result<()> {
    let options = [("count", plan.count.is_some()), ("density", plan.density.is_some())];
    let options = options.into_iter().filter(|own| own.1).map(|(key, _)| key.to_owned());
    let set = plan.set.iter().filter_map(|own| key_and_value(own)).map(|(key, _)| resolved(key));
    let set: HashSet<String> = set.chain(options).collect();
    for (at, spelt) in keys.iter().enumerate() {
        let key = resolved(spelt);
        if set.contains(&key) {
            let problem = "varies and is set; leave one of the two out";
            return Err(wrong(format!("{} {problem}", cut(spelt))));
        }
        if let Some(other) = keys[..at].iter().find(|own| resolved(own) == key) {
            let [other, spelt] = [other, spelt].map(|own| cut(own));
            let problem = "are the same key; name all its values at once";
            return Err(wrong(format!("{other} and {spelt} {problem}")));
        }
        if key.strip_suffix(".count").is_none_or(|species| species.contains('.')) {
            continue;
        }
        let decides = if plan.count.is_some() || keys.iter().any(|own| own == "count") {
            "count"
        } else if matches!(RunRecord::within(text), Ok(Some(_))) {
            "the record in --scene"
        } else {
            continue;
        };
        let problem = format!("varies, but {decides} gives the number of agents; vary count alone");
        return Err(wrong(format!("{} {problem}", cut(spelt))));
    }
    Ok(())
}

impl Sweep {
    /// The runs of a plan.
    pub fn new(plan: SweepPlan) -> anyhow::Result<Self> {
        plan.check()?;
        let (keys, points) = plan.points()?;
        let seeds = u64::from(plan.seeds.unwrap_or(1));
        if points.len() as u64 * seeds > MAX_RUNS as u64 {
            let [points, seeds] = [(points.len() as u64, "point"), (seeds, "seed")]
                .map(|(number, thing)| counted(number, thing));
            let problem = format!("{points} × {seeds} are more than {MAX_RUNS} runs");
            return Err(wrong(format!("{problem}; vary less, or take fewer seeds")));
        }
        let name = plan.scene.clone().unwrap_or_else(|| DEFAULT_SCENE.into());
        let text = asked_text(&name)?;
        refuse_vain(&plan, &keys, &text)?;
        let metrics = plan.selection()?;
        let (scene, known, first_seed) = ((name, text), HashMap::new(), 0);
        let hashes_on_the_way = Vec::new();
        Ok(Self { plan, keys, points, scene, metrics, known, first_seed, hashes_on_the_way })
    }

    /// Number of seeds of a point.
    fn seeds(&self) -> usize {
        self.plan.seeds.unwrap_or(1) as usize
    }

    /// Number of runs.
    pub fn len(&self) -> usize {
        self.points.len() * self.seeds()
    }

    /// The runs with these numbers, which count from 1.
    pub fn runs(&self, chosen: impl Fn(usize) -> bool) -> Vec<SweepRun> {
        let run = |number| {
            let (point, place) = ((number - 1) / self.seeds(), (number - 1) % self.seeds());
            SweepRun { number, point, place }
        };
        (1..=self.len()).filter(|number| chosen(*number)).map(run).collect()
    }

    /// Makes the flocks of these runs once, for the names of their files. A value with which no run of the whole plan
    /// is possible is an error; a point that only together is impossible is a run that fails.
    pub fn learn(&mut self, runs: &[SweepRun], interrupt: &Interrupt) -> anyhow::Result<()> {
        let points: Vec<usize> = runs.iter().map(|run| run.point).collect();
        if self.plan.goes_back() {
            let end = self.points.len();
            self.make((0..end).collect(), interrupt)?;
            let hash = |before: &mut u64, point| {
                *before = fnv(*before, &self.hash_of_point(point).to_string());
                Some(*before)
            };
            self.hashes_on_the_way = (0..end).scan(0, hash).collect();
            let possible = self.known.values().flatten();
            let counts: HashSet<_> = possible.map(|known| (known.agents, &known.counts)).collect();
            if counts.len() > 1 {
                return Err(wrong(
                    "--design hysteresis: one flock goes through all values, so the number of agents of each \
                     species cannot vary",
                ));
            }
        } else {
            self.make(points, interrupt)?;
        }
        if self.known.values().any(Result::is_err) {
            self.make((0..self.points.len()).collect(), interrupt)?;
            self.refuse_values()?;
        }
        // The seed does not vary.
        if let Some(seed) = self.known.values().flatten().map(|known| known.seed).next() {
            let seeds = self.seeds();
            if seed.checked_add(seeds as u32 - 1).is_none() {
                let begin = match self.plan.seed {
                    Some(_) => format!("--seed {seed}"),
                    None => format!("the scene's seed, {seed}, with"),
                };
                let end = u32::MAX;
                let problem = format!("{begin} --seeds {seeds}: seeds end at {end}; begin lower");
                return Err(wrong(problem));
            }
            self.first_seed = seed;
        }
        // Its column would have a speed that does not hold.
        let crossed = |at: usize| Some((at, self.made(at)?.crossed.as_ref()?));
        let crossed = self.known.keys().filter_map(|at| crossed(*at));
        if let Some((point, crossed)) = crossed.min() {
            let values = self.keys.iter().zip(&self.points[point]);
            let speeds = values.filter(|(key, _)| key.contains("_speed"));
            let speeds = speeds.map(|(key, value)| format!("--vary {key}={}", cut(value)));
            let place = match (&self.plan.values, speeds.collect::<Vec<_>>()) {
                (Some(path), _) => format!("{}: row {}", path.display(), point + 1),
                (None, speeds) if speeds.is_empty() => "the scene".into(),
                (None, speeds) => speeds.join(" "),
            };
            return Err(wrong(format!("{place}: {crossed}")));
        }
        if self.known.len() == self.points.len() {
            self.refuse_twins()?;
        }
        Ok(())
    }

    /// Makes the flocks of points that are not known yet.
    fn make(&mut self, mut points: Vec<usize>, interrupt: &Interrupt) -> anyhow::Result<()> {
        points.retain(|point| !self.known.contains_key(point));
        points.dedup();
        let bar = progress(points.len() as u64, "points read");
        let known = |point: &usize| {
            if interrupt.is_raised() {
                return None;
            }
            bar.inc(1);
            Some((*point, self.known(&self.points[*point])))
        };
        let all: Option<Vec<_>> = points.par_iter().map(known).collect();
        bar.finish_and_clear();
        let stopped = || Interrupted { kept: "nothing has been computed".into() };
        self.known.extend(all.ok_or_else(stopped)?);
        Ok(())
    }

    fn known(&self, values: &[String]) -> Result<Known, String> {
        let flock = self.flock(values).map_err(|error| format!("{error:#}"))?;
        Ok(Known {
            hash: self.hash_of(&flock),
            seed: flock.request.seed.unwrap_or(flock.scene.seed),
            agents: flock.request.count.unwrap_or(flock.scene.own_count()),
            crossed: crossed_speeds(&flock.scene).next(),
            counts: flock.scene.species.iter().map(|species| species.count).collect(),
        })
    }

    /// A point whose flock could be made.
    fn made(&self, point: usize) -> Option<&Known> {
        self.known.get(&point)?.as_ref().ok()
    }

    /// The hash of a point's flock and of how it is measured.
    fn hash_of(&self, flock: &Flock) -> u64 {
        // Not of the scene's name, so that a plan may be called from any folder.
        let flock = RunRecord { name: String::new(), ..flock.record() }.digest();
        let SweepPlan { settle, until, .. } = &self.plan;
        let (ticks, every) = (self.plan.ticks(), self.plan.every());
        let measured = format!("{ticks} {settle:?} {every} {:?} {until:?}", self.plan.metrics());
        fnv(fnv(0xcbf2_9ce4_8422_2325, &flock), &measured)
    }

    /// Refuses a value that no point of a grid can have, and a list or table of which no point is possible.
    fn refuse_values(&self) -> anyhow::Result<()> {
        let is_possible = |point: &usize| self.made(*point).is_some();
        let refuse = |point: usize, keys: &[String]| {
            let known = self.known.get(&point);
            let problem = known.and_then(|known| known.clone().err()).unwrap_or_default();
            let as_set = keys.iter().find_map(|key| {
                problem.strip_prefix(&format!("--set {key}=")).map(|rest| (key, rest))
            });
            Err(wrong(match (&self.plan.values, as_set) {
                (Some(path), _) => format!("{}: row {}: {problem}", path.display(), point + 1),
                (None, Some((key, rest))) => format!("--vary {key}={rest}"),
                (None, None) => problem,
            }))
        };
        let all = 0..self.points.len();
        if !all.clone().any(|point| is_possible(&point)) {
            return refuse(0, &self.keys[..self.keys.len().min(1)]);
        }
        // One flock goes through all points.
        if let Some(point) = all.clone().find(|point| self.plan.goes_back() && !is_possible(point))
        {
            return refuse(point, &self.keys);
        }
        if self.plan.values.is_some() || !matches!(self.plan.design, None | Some(Design::Grid)) {
            return Ok(());
        }
        for (at, key) in self.keys.iter().enumerate() {
            let possible: HashSet<&String> =
                all.clone().filter(is_possible).map(|point| &self.points[point][at]).collect();
            if let Some(point) =
                all.clone().find(|point| !possible.contains(&self.points[*point][at]))
            {
                return refuse(point, std::slice::from_ref(key));
            }
        }
        Ok(())
    }

    /// Refuses two points that are one run: it would count twice. On the way back each point comes again.
    fn refuse_twins(&self) -> anyhow::Result<()> {
        let mut points = HashMap::new();
        let once = self.points.len().div_ceil(if self.plan.goes_back() { 2 } else { 1 });
        for (point, values) in self.points.iter().enumerate().take(once) {
            let Some(known) = self.made(point) else { continue };
            if let Some(other) = points.insert(known.hash, values) {
                let [one, other] =
                    [other, values].map(|values| cut(&values.join(", ")).into_owned());
                return Err(wrong(format!(
                    "{one} and {other} are the same run; leave one of them out"
                )));
            }
        }
        Ok(())
    }

    /// The keys and values of a run as JSON.
    pub fn json(&self, run: SweepRun) -> serde_json::Map<String, serde_json::Value> {
        let values = self.values(run).iter().map(|value| value.as_str().into());
        self.keys.iter().cloned().zip(values).collect()
    }

    /// The values of a run.
    pub fn values(&self, run: SweepRun) -> &[String] {
        &self.points[run.point]
    }

    /// The seed of a run that was learnt.
    pub fn seed(&self, run: SweepRun) -> u32 {
        self.first_seed + run.place as u32
    }

    /// Number of agents of a run that was learnt; 0 if it is impossible.
    pub fn agents(&self, run: SweepRun) -> u64 {
        self.made(run.point).map_or(0, |known| known.agents)
    }

    /// The name of the file of a run that was learnt: a hash of all that decides its result.
    pub fn file_name(&self, run: SweepRun) -> String {
        let on_the_way = self.hashes_on_the_way.get(run.point).copied();
        let point = on_the_way.unwrap_or_else(|| self.hash_of_point(run.point));
        format!("{:016x}.toml", fnv(point, &self.seed(run).to_string()))
    }

    fn hash_of_point(&self, point: usize) -> u64 {
        match self.made(point) {
            Some(known) => known.hash,
            None => fnv(0, &format!("{:?} {:?}", self.keys, self.points[point])),
        }
    }

    /// The run whose flock this one goes on with.
    pub fn before(&self, run: SweepRun) -> Option<SweepRun> {
        let point = run.point.checked_sub(1).filter(|_| self.plan.goes_back())?;
        Some(SweepRun { number: run.number - self.seeds(), point, ..run })
    }

    /// Whether a point is on the way there or back; `None` if runs do not go on from one another.
    pub fn way(&self, point: usize) -> Option<&'static str> {
        let way = if 2 * point < self.points.len() { "there" } else { "back" };
        self.plan.goes_back().then_some(way)
    }

    /// Number of flocks that each go through all points, if runs go on from one another.
    pub fn flocks(&self) -> Option<usize> {
        self.plan.goes_back().then(|| self.seeds())
    }

    /// The runs in groups that can be computed side by side.
    pub fn groups(&self, runs: &[SweepRun]) -> Vec<Vec<SweepRun>> {
        if !self.plan.goes_back() {
            return runs.iter().map(|run| vec![*run]).collect();
        }
        let mut runs = runs.to_vec();
        runs.sort_by_key(|run| (run.place, run.point));
        runs.chunk_by(|one, next| one.place == next.place).map(<[SweepRun]>::to_vec).collect()
    }

    /// The flock of a run that was learnt. Fails if it is another one by now.
    pub fn flock_of(&self, run: SweepRun) -> anyhow::Result<Flock> {
        let mut flock = self.flock(self.values(run))?;
        let is_same = self.made(run.point).is_some_and(|known| known.hash == self.hash_of(&flock));
        anyhow::ensure!(is_same, "the file of its flow field has changed since the sweep began");
        flock.request.seed = Some(self.seed(run));
        Ok(flock)
    }

    /// The flock of a point.
    fn flock(&self, values: &[String]) -> anyhow::Result<Flock> {
        let SweepPlan { count: agents, density: k, seed, .. } = self.plan;
        let mut asked = Request { count: agents, density: k, seed };
        let mut overrides = self.plan.set.clone();
        for (key, value) in self.keys.iter().zip(values) {
            let told = |problem: String| wrong(format!("--vary {key}={}: {problem}", cut(value)));
            match key.as_str() {
                "count" => asked.count = Some(count(&whole(value)).map_err(told)?),
                "density" => asked.density = Some(density(value).map_err(told)?),
                _ => overrides.push(format!("{key}={value}")),
            }
        }
        let (name, text) = &self.scene;
        let (scene, run) = run_in(name, text, &overrides)?;
        self.metrics.check(&scene).map_err(|problem| wrong(format!("--metric: {problem}")))?;
        let request = requested(asked, &scene, run.as_ref());
        let mut scaled = scene.clone();
        scaled.resize(&request)?;
        if self.metrics.needs_travels() {
            Unwrapping::new(&scaled, &FlockState::default())?;
        }
        Ok(Flock { scene, request, world: scaled.world.size, overrides })
    }

    /// The place of a failure, for messages.
    pub fn place(&self, run: SweepRun) -> String {
        match &self.plan.values {
            Some(path) => {
                format!("run {} ({}, row {})", run.number, path.display(), run.point + 1)
            }
            None => format!("run {}", run.number),
        }
    }
}

/// `10` for `10.0`: tables write whole numbers so where a column has gaps.
fn whole(value: &str) -> String {
    let number =
        value.parse::<f64>().ok().filter(|number| number.fract() == 0.0 && number.abs() < 1e15);
    number.map_or_else(|| value.into(), |number| format!("{number:.0}"))
}
