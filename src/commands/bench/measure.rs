//! The measurement itself: engines that take turns, batch by batch, on one flock.

use std::time::{Duration, Instant};

use super::report::{Agreement, Report, Row};
use crate::commands::advance::Pace;
use crate::commands::interrupt::Interrupt;
use crate::commands::progress::progress;
use crate::engine::{Engine, EngineError, Profile};
use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::model::statistics::Metrics;
use crate::model::vector::{Point, Vector};

/// Ticks before the clock starts: caches and clocks settle, agents leave their first order.
const WARM_UP: u32 = 10;
/// Ticks whose passes are timed after the run.
const PROFILED: u32 = 10;
/// A sample is at least this long, so that submitting and waiting do not count.
const SHORTEST_SAMPLE: Duration = Duration::from_millis(5);
/// Samples wanted at least, for a 95th percentile.
const SAMPLES: u32 = 20;
/// Ticks by which the fastest engine is found.
const TRIED: u32 = 3;

/// An engine and its name in the table.
pub type Named = (&'static str, Box<dyn Engine>);

/// An engine under test and what has been measured of it.
struct Contestant<'a> {
    label: &'static str,
    engine: &'a mut dyn Engine,
    /// Milliseconds a tick, one for each sample.
    samples: Vec<f64>,
    after_one_tick: FlockState,
}

/// Lets the flock move for `ticks` ticks on the fastest of the engines, untimed; with a bar. None
/// when interrupted.
pub fn settle(
    engines: &mut [Named],
    scene: &Scene,
    state: FlockState,
    ticks: u64,
    interrupt: &Interrupt,
) -> Result<Option<FlockState>, EngineError> {
    let mut fastest = (0, Duration::MAX);
    let tried = if engines.len() > 1 { engines.len() } else { 0 };
    for (index, (_, engine)) in engines.iter_mut().take(tried).enumerate() {
        if interrupt.is_raised() {
            return Ok(None);
        }
        engine.load(scene, &state)?;
        let mut took = Duration::ZERO;
        // The first time counts for nothing: a device compiles its shaders then.
        for _ in 0..2 {
            let begin = Instant::now();
            engine.step(TRIED)?;
            engine.finish()?;
            took = begin.elapsed();
        }
        if took < fastest.1 {
            fastest = (index, took);
        }
    }
    let Some((label, engine)) = engines.get_mut(fastest.0) else { return Ok(Some(state)) };
    let bar = progress(ticks, &format!("ticks before the measurement, on {label}"));
    engine.load(scene, &state)?;
    drop(state);
    let done = Pace::new(interrupt.clone()).advance(engine.as_mut(), ticks, |now| bar.inc(now))?;
    bar.finish_and_clear();
    if done < ticks { Ok(None) } else { engine.read_back().map(Some) }
}

/// What there is to say about a flock besides its times.
pub struct Labels {
    /// Name of the processor.
    pub processor: String,
    /// Name of the first state.
    pub state: &'static str,
    /// Ticks that made it.
    pub settle_ticks: u64,
    /// As asked for.
    pub density: Option<f32>,
}

/// Times `ticks` ticks of every engine from `state` on. On Ctrl-C it reports the ticks that all
/// engines have done; none when there are no such.
pub fn measure(
    engines: &mut [Named],
    scene: &Scene,
    state: &FlockState,
    ticks: u32,
    labels: Labels,
    interrupt: &Interrupt,
) -> Result<Option<Report>, EngineError> {
    let mut contestants = Vec::new();
    for (label, engine) in engines {
        if interrupt.is_raised() {
            return Ok(None);
        }
        engine.load(scene, state)?;
        engine.step(1)?;
        engine.finish()?;
        let after_one_tick = engine.read_back()?;
        let engine = engine.as_mut();
        contestants.push(Contestant { label, engine, samples: Vec::new(), after_one_tick });
    }
    let run = run_in_turn(&mut contestants, ticks, interrupt)?;
    if run.ticks == 0 {
        return Ok(None);
    }
    let mut report = report(scene, state, &mut contestants, labels, interrupt)?;
    report.ticks = run.ticks;
    report.ticks_asked = ticks;
    report.ticks_before_the_end = run.ticks.saturating_add(1 + WARM_UP);
    if !run.in_step {
        report.agreements.clear();
    }
    Ok(Some(report))
}

/// What a run came to.
struct Run {
    /// Timed ticks that all engines have done.
    ticks: u32,
    /// False when some have done more.
    in_step: bool,
}

/// The warm-up, then `ticks` ticks of every engine in turn, a batch each.
fn run_in_turn(
    contestants: &mut [Contestant<'_>],
    ticks: u32,
    interrupt: &Interrupt,
) -> Result<Run, EngineError> {
    let mut fastest = Duration::MAX;
    for contestant in contestants.iter_mut() {
        if interrupt.is_raised() {
            return Ok(Run { ticks: 0, in_step: false });
        }
        let begin = Instant::now();
        contestant.engine.step(WARM_UP)?;
        contestant.engine.finish()?;
        fastest = fastest.min(begin.elapsed() / WARM_UP);
    }
    // One length of batch for all, so that all are at the same tick when it is each one's turn.
    let wanted = SHORTEST_SAMPLE.as_nanos().div_ceil(fastest.as_nanos().max(1)) as u32;
    let batch = wanted.clamp(1, (ticks / SAMPLES).max(1));
    let bar = progress(u64::from(ticks), "ticks");
    let mut done = 0;
    while done < ticks {
        let now = batch.min(ticks - done);
        for (turn, contestant) in contestants.iter_mut().enumerate() {
            if interrupt.is_raised() {
                bar.finish_and_clear();
                return Ok(Run { ticks: done, in_step: turn == 0 });
            }
            let begin = Instant::now();
            contestant.engine.step(now)?;
            contestant.engine.finish()?;
            contestant.samples.push(begin.elapsed().as_secs_f64() * 1e3 / f64::from(now));
        }
        done += now;
        bar.set_position(done.into());
    }
    bar.finish_and_clear();
    Ok(Run { ticks: done, in_step: true })
}

fn report(
    scene: &Scene,
    start: &FlockState,
    contestants: &mut [Contestant<'_>],
    labels: Labels,
    interrupt: &Interrupt,
) -> Result<Report, EngineError> {
    let mut after_the_run = Vec::new();
    for contestant in contestants.iter_mut() {
        after_the_run.push(contestant.engine.read_back()?);
    }
    let first = Metrics::of(scene, start);
    let last = after_the_run.first().map_or(first, |state| Metrics::of(scene, state));
    let mut agreements = Vec::new();
    for (contestant, state) in contestants.iter().zip(&after_the_run).skip(1) {
        let after_one_tick = [&contestants[0].after_one_tick, &contestant.after_one_tick];
        agreements.push(Agreement {
            engines: [contestants[0].label, contestant.label],
            after_one_tick: deviation(scene, after_one_tick),
            after_the_run: deviation(scene, [&after_the_run[0], state]),
        });
    }
    let mut rows = Vec::new();
    for contestant in contestants {
        let profile = profile(contestant.engine, interrupt)?;
        let describe = contestant.engine.describe();
        rows.push(Row::new(contestant.label, describe, &contestant.samples, &profile, start.len()));
    }
    Ok(Report {
        scene: scene.name.clone(),
        agents: start.len(),
        seed: scene.seed,
        processor: labels.processor,
        state: labels.state,
        settle_ticks: labels.settle_ticks,
        density: labels.density,
        ticks: 0,
        ticks_asked: 0,
        ticks_before_the_end: 0,
        uniform_neighbours: scene.uniform_neighbours(start.len()),
        mean_neighbours: [first.mean_neighbours, last.mean_neighbours],
        largest_cell: [first.largest_cell, last.largest_cell],
        sampled_agents: last.sampled_agents,
        rows,
        agreements,
    })
}

/// The mean over some ticks, one at a time: an engine may measure only a part of many at once. Over
/// one tick when interrupted.
fn profile(engine: &mut dyn Engine, interrupt: &Interrupt) -> Result<Profile, EngineError> {
    let mut sum = Profile::default();
    let mut ticks = 0;
    engine.set_profiling(true);
    while ticks == 0 || ticks < PROFILED && !interrupt.is_raised() {
        engine.step(1)?;
        engine.finish()?;
        let tick = engine.profile();
        if sum.passes.is_empty() {
            sum = tick;
        } else {
            for (total, pass) in sum.passes.iter_mut().zip(tick.passes) {
                total.time += pass.time;
            }
        }
        ticks += 1;
    }
    engine.set_profiling(false);
    sum.passes.iter_mut().for_each(|pass| pass.time /= ticks);
    Ok(sum)
}

/// Median and largest distance between the same agents of two states; world units.
fn deviation(scene: &Scene, states: [&FlockState; 2]) -> [f64; 2] {
    let between = |(p, q): (&Point, &Point)| {
        let difference = Vector { x: p.x - q.x, y: p.y - q.y };
        f64::from(scene.world.shortest(difference).length())
    };
    let [a, b] = states.map(|state| state.position.iter());
    let mut distances: Vec<f64> = a.zip(b).map(between).collect();
    distances.sort_by(f64::total_cmp);
    [distances[distances.len() / 2], distances[distances.len() - 1]]
}
