//! One run of a sweep: a flock, the samples of its metrics, and their averages.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Once};

use indicatif::ProgressBar;

use super::plan::{SweepPlan, Until};
use super::results::RunResult;
use super::runs::{Sweep, SweepRun};
use crate::commands::files::scene_files::populate;
use crate::commands::files::state_files::ran_on;
use crate::commands::host::interrupt::Interrupt;
use crate::commands::host::messages::note;
use flockwork_engine::cpu::CpuEngine;
use flockwork_engine::gpu::{Gpu, GpuEngine};
use flockwork_engine::{Change, Engine, EngineError};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::statistics::{
    BATCH, Selection, TimeAverage, TooFast, Travel, Unwrapping, settled,
};

/// Agent-ticks between looks for Ctrl-C: some hundredths of a second.
const PORTION: u64 = 2_000_000;

/// Samples before the first look whether the error is small enough, and how many more there are at the
/// next look.
const FIRST_LOOK: usize = 100;
const NEXT_LOOK: f64 = 1.2;

/// The engines of a worker: a device that all workers share, or threads of its own.
pub struct Worker {
    gpu: Option<Arc<Gpu>>,
    threads: usize,
    engine: Option<Box<dyn Engine>>,
    /// The run whose flock is at its end in the engine, and its scene before it was scaled.
    ended: Option<(SweepRun, Scene)>,
}

impl Worker {
    /// A worker that has opened no engine yet.
    pub fn new(gpu: Option<Arc<Gpu>>, threads: usize) -> Self {
        Self { gpu, threads, engine: None, ended: None }
    }

    /// The engine; a new one after an error.
    fn engine(&mut self) -> Result<&mut Box<dyn Engine>, EngineError> {
        let engine = match (self.engine.take(), &self.gpu) {
            (Some(engine), _) => engine,
            (None, Some(gpu)) => Box::new(GpuEngine::new(Arc::clone(gpu))),
            (None, None) => Box::new(CpuEngine::new(Some(self.threads))?),
        };
        Ok(self.engine.insert(engine))
    }

    /// Computes a run, after those that it goes on from; `None` if the user has stopped it. A run that fails has its
    /// reason for a result.
    pub fn run(
        &mut self,
        sweep: &Sweep,
        run: SweepRun,
        bar: &ProgressBar,
        interrupt: &Interrupt,
    ) -> Option<RunResult> {
        let way = self.way_to(sweep, run);
        bar.inc_length((way.len() as u64 - 1).saturating_mul(sweep.plan.ticks()));
        let mut result = RunResult::default();
        for own in way {
            match self.averages(sweep, own, bar, interrupt) {
                Ok(averages) => result = averages?,
                Err(error) => {
                    // The next run gets a new engine.
                    (self.engine, self.ended) = (None, None);
                    let place = if own == run { String::new() } else { sweep.place(own) + ": " };
                    result = RunResult::failed(format!("{place}{error:#}"));
                    break;
                }
            }
        }
        Some(result)
    }

    /// The runs from the one whose flock is in the engine to this one, in order.
    fn way_to(&self, sweep: &Sweep, run: SweepRun) -> Vec<SweepRun> {
        let ended = self.ended.as_ref().map(|(ended, _)| *ended);
        let before = |run: &SweepRun| sweep.before(*run).filter(|before| Some(*before) != ended);
        let mut way: Vec<SweepRun> = std::iter::successors(Some(run), before).collect();
        way.reverse();
        way
    }

    fn averages(
        &mut self,
        sweep: &Sweep,
        run: SweepRun,
        bar: &ProgressBar,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Option<RunResult>> {
        let flock = sweep.flock_of(run)?;
        let record = flock.record();
        let gpu = self.gpu.clone();
        let before = sweep.before(run);
        let ended = self.ended.take().filter(|(ended, _)| Some(*ended) == before);
        let engine = self.engine()?;
        let (mut scene, state) = populate(&flock.scene, &flock.request, Some(engine.as_ref()))?;
        let state = if let Some((_, before)) = ended {
            go_on(engine.as_mut(), &before, &flock.scene, &mut scene)?;
            engine.snapshot()?.state
        } else {
            engine.load(&scene, &state)?;
            state
        };
        let mut samples = Samples::new(&sweep.plan, &sweep.metrics, (&scene, &state))?;
        let portion = (PORTION / record.count.max(1)).clamp(1, u64::from(u32::MAX));
        let (ticks, every) = (sweep.plan.ticks(), sweep.plan.every());
        let mut done = 0_u64;
        loop {
            let state = engine.snapshot()?.state;
            samples.look(&state);
            if done.is_multiple_of(every) {
                samples.take(&scene, &state);
                if samples.are_enough() {
                    break;
                }
            }
            if done == ticks {
                break;
            }
            let next = (done / every + 1).saturating_mul(every).min(samples.next_look(done));
            let next = next.min(ticks);
            while done < next {
                if interrupt.is_raised() {
                    return Ok(None);
                }
                let ticks = portion.min(next - done);
                engine.step(ticks as u32)?;
                done += ticks;
                bar.inc(ticks);
            }
        }
        bar.inc(ticks - done);
        engine.finish()?;
        if let Some(broken) = engine.broken_forces().sentence(&scene) {
            static TOLD: Once = Once::new();
            TOLD.call_once(|| {
                bar.suspend(|| note(&format!("{}: {broken}", sweep.place(run))));
            });
        }
        let from = before.map(|before| sweep.file_name(before));
        let from = from.as_deref().map(Path::new);
        let record = ran_on(record, engine.kind(), gpu.as_deref(), from).text();
        let engine = engine.kind().to_string();
        let (settled, metrics) = samples.averages();
        self.ended = Some((run, flock.scene));
        Ok(Some(RunResult {
            ticks: done,
            settled,
            version: env!("CARGO_PKG_VERSION").into(),
            engine,
            record,
            metrics,
            ..RunResult::default()
        }))
    }
}

/// Goes on with the flock in the engine in another scene, `plain` before it was scaled. Targets that are the same in the
/// plain scene `before` stay where they are.
fn go_on(
    engine: &mut dyn Engine,
    before: &Scene,
    plain: &Scene,
    scene: &mut Scene,
) -> anyhow::Result<()> {
    let plain = before.targets.iter().zip(&plain.targets);
    for ((own, now), (before, plain)) in scene.targets.iter_mut().zip(engine.targets()?).zip(plain)
    {
        if before == plain {
            (own.position, own.velocity, own.hits) = (now.position, now.velocity, now.hits);
        }
    }
    let all = Change::PARAMETERS | Change::SCENERY | Change::WORLD | Change::TARGETS;
    Ok(engine.update(scene, all)?)
}

/// The samples of a run.
struct Samples<'a> {
    plan: &'a SweepPlan,
    metrics: &'a Selection,
    /// For each metric, by sample.
    values: Vec<Vec<f64>>,
    /// Number of samples at which the error is computed next.
    next_error: usize,
    /// Follows the agents, if a metric is about how far they come.
    unwrapping: Option<Unwrapping>,
    travels: Vec<Travel>,
}

impl<'a> Samples<'a> {
    fn new(
        plan: &'a SweepPlan,
        metrics: &'a Selection,
        (scene, state): (&Scene, &FlockState),
    ) -> Result<Self, TooFast> {
        let values = metrics.columns().map(|_| Vec::new()).collect();
        let unwrapping =
            metrics.needs_travels().then(|| Unwrapping::new(scene, state)).transpose()?;
        Ok(Self { plan, metrics, values, next_error: FIRST_LOOK, unwrapping, travels: Vec::new() })
    }

    /// Follows the agents.
    fn look(&mut self, state: &FlockState) {
        if let Some(unwrapping) = &mut self.unwrapping {
            self.travels = unwrapping.look(0, state).to_vec();
        }
    }

    /// The next tick after `done` at which it has to look.
    fn next_look(&self, done: u64) -> u64 {
        self.unwrapping.as_ref().map_or(u64::MAX, |own| own.next_look(done))
    }

    fn take(&mut self, scene: &Scene, state: &FlockState) {
        let values = self.metrics.values(scene, state, &self.travels);
        self.values.iter_mut().zip(values).for_each(|(own, value)| own.push(value));
    }

    fn len(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }

    /// The first sample that counts: the metric that settles last decides.
    fn begin(&self) -> usize {
        let given = self.plan.settle.map(|settle| settle.div_ceil(self.plan.every()) as usize);
        let found = || self.values.iter().map(|values| settled(values)).max().unwrap_or(0);
        given.unwrap_or_else(found).min(self.len().saturating_sub(1))
    }

    /// True once the error of the plan's metric is as small as the plan asks for. It looks ever more rarely: each
    /// look costs as much as all samples.
    fn are_enough(&mut self) -> bool {
        let Some(Until { metric, standard_error, .. }) = &self.plan.until else { return false };
        if self.len() < self.next_error {
            return false;
        }
        self.next_error = (self.len() as f64 * NEXT_LOOK) as usize + 1;
        let begin = self.begin();
        let at = self.metrics.columns().position(|name| name == metric);
        let average = at.and_then(|at| TimeAverage::of(&self.values[at][begin..]));
        average.is_some_and(|own| own.is_long_enough && own.standard_error <= *standard_error)
    }

    /// The tick from which samples count, and the averages by the names of the metrics. A series that settles only
    /// in its middle may not have settled at all.
    fn averages(&self) -> (u64, BTreeMap<String, TimeAverage>) {
        let (begin, every) = (self.begin(), self.plan.every());
        let has_settled = self.plan.settle.is_some() || 2 * begin + 2 * BATCH < self.len();
        let average = |(name, values): (&str, &Vec<f64>)| {
            let mut average = TimeAverage::of(&values[begin..])?;
            average.is_long_enough &= has_settled;
            average.correlation_time *= every as f64;
            Some((name.to_owned(), average))
        };
        let all = self.metrics.columns().zip(&self.values).filter_map(average).collect();
        (begin as u64 * every, all)
    }
}
