//! The runs of a plan: a flock and a file name for each.

use anyhow::Context;
use rayon::prelude::*;

use super::plan::{MAX_RUNS, Plan};
use crate::commands::host::arg_parsers::{count, density};
use crate::commands::host::errors::wrong;
use crate::commands::host::options::FlockArgs;
use flockwork_model::io::RunRecord;
use flockwork_model::quote::cut;

/// One run of a sweep.
#[derive(Debug)]
pub struct Run {
    /// From 1 on.
    pub number: usize,
    /// Its point: one value for each key.
    pub values: Vec<String>,
    /// Its seed.
    pub seed: u32,
    /// Hash of all that decides its result: the name of its file.
    pub hash: String,
    /// Its flock; an error if the values make none.
    pub record: Result<RunRecord, String>,
}

/// All runs of a plan.
#[derive(Debug)]
pub struct Sweep {
    /// The plan.
    pub plan: Plan,
    /// The keys that vary.
    pub keys: Vec<String>,
    /// In order: the seeds of the first point, then the second point's.
    pub runs: Vec<Run>,
}

impl Sweep {
    /// The runs of a plan. A value with which no run is possible is an error; a point that only together is
    /// impossible is a run that fails.
    pub fn new(plan: Plan) -> anyhow::Result<Self> {
        plan.check()?;
        let (keys, points) = plan.points()?;
        let mut sweep = Self { plan, keys, runs: Vec::new() };
        let seeds = sweep.plan.seeds.unwrap_or(1) as usize;
        let all = points.len().saturating_mul(seeds);
        if all > MAX_RUNS {
            let points = points.len();
            let problem = format!("{points} points × {seeds} seeds are more than {MAX_RUNS} runs");
            return Err(wrong(format!("{problem}; vary less, or take fewer seeds")));
        }
        let first = sweep.first_seed(&points)?;
        let run = |number: usize| {
            let (values, seed) = (&points[number / seeds], number % seeds);
            let seed = first.wrapping_add(seed as u32);
            let record = sweep.flock(values, Some(seed)).and_then(|flock| flock.record());
            (values, seed, record)
        };
        let all: Vec<_> = (0..all).into_par_iter().map(run).collect();
        // An error of every run with a value is an error of the value.
        for (at, key) in sweep.keys.iter().enumerate() {
            let value = |run: &(&Vec<String>, u32, anyhow::Result<RunRecord>)| run.0[at].clone();
            let good: std::collections::HashSet<String> =
                all.iter().filter(|run| run.2.is_ok()).map(value).collect();
            if let Some((_, _, Err(error))) = all.iter().find(|run| !good.contains(&value(run))) {
                let place = if sweep.plan.values.is_some() { "--values" } else { "--vary" };
                let problem = format!("{error:#}");
                let set = format!("--set {key}=");
                return Err(wrong(match problem.strip_prefix(&set) {
                    Some(rest) => format!("{place} {key}={rest}"),
                    None => problem,
                }));
            }
        }
        if let Some((_, _, Err(_))) = all.first().filter(|_| sweep.keys.is_empty()) {
            return Err(all.into_iter().find_map(|run| run.2.err()).unwrap_or_else(|| wrong("")));
        }
        let named = |(number, (values, seed, record)): (usize, (&Vec<String>, u32, _))| {
            let record: anyhow::Result<RunRecord> = record;
            let hash = sweep.hash(values, seed, record.as_ref().ok());
            let record = record.map_err(|error| format!("{error:#}"));
            Run { number: number + 1, values: values.clone(), seed, hash, record }
        };
        sweep.runs = all.into_iter().enumerate().map(named).collect();
        Ok(sweep)
    }

    /// The seed of a point's first run: the plan's, or the scene's.
    fn first_seed(&self, points: &[Vec<String>]) -> anyhow::Result<u32> {
        if let Some(seed) = self.plan.seed {
            return Ok(seed);
        }
        let mut made = points.iter().map(|point| self.flock(point, None)?.record());
        let found = made.find_map(|record| record.ok()?.made);
        // Without a possible point the error is told by the first run.
        Ok(found.map_or(1, |made| made.seed))
    }

    /// The flock of a run.
    pub fn flock(&self, values: &[String], seed: Option<u32>) -> anyhow::Result<FlockArgs> {
        let Plan { scene, set, .. } = &self.plan;
        let mut flock = FlockArgs {
            scene: scene.clone(),
            count: self.plan.count,
            density: self.plan.density,
            seed,
            overrides: set.clone(),
            init: None,
        };
        for (key, value) in self.keys.iter().zip(values) {
            let place = || wrong(format!("--vary {key}={}", cut(value)));
            let told = |problem: String| wrong(format!("--vary {key}={}: {problem}", cut(value)));
            match key.as_str() {
                "count" => flock.count = Some(count(value).map_err(told)?),
                "density" => {
                    flock.density = Some(density(value).map_err(told).with_context(place)?)
                }
                _ => flock.overrides.push(format!("{key}={value}")),
            }
        }
        Ok(flock)
    }

    /// The hash of a run: of its flock as it is scaled, and of how it is measured. Not of the scene's name, so that
    /// a plan may be called from any folder.
    fn hash(&self, values: &[String], seed: u32, record: Option<&RunRecord>) -> String {
        let flock = record.map_or_else(
            || format!("{values:?} {seed}"),
            |record| RunRecord { name: String::new(), ..record.clone() }.digest(),
        );
        let Plan { settle, until, .. } = &self.plan;
        let (ticks, every, metrics) = (self.plan.ticks(), self.plan.every(), self.plan.metrics());
        let text = format!("{flock}{ticks} {settle:?} {every} {metrics:?} {until:?}");
        // FNV-1a: the same on every machine.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }
}
