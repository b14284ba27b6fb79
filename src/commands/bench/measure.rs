//! The measurement: engines take turns on one flock, batch by batch.
//!
//! Ctrl-C is checked after every slow tick, and during work outside the engines.
//!
//! Several ranks do all of this in step. A sample begins when all ranks are ready, and its time is the time of
//! the slowest.

use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use super::agreement::Agreement;
use super::report::{Crowding, Report, ReportRow};
use super::shares::Shares;
use crate::commands::host::drive::host_time;
use crate::commands::host::interrupt::Interrupt;
use crate::commands::host::messages::note;
use crate::commands::host::progress::{progress, waiting};
use crate::commands::host::ranks;
use flockwork_engine::distributed::DistributedEngine;
use flockwork_engine::{Engine, EngineError, EngineKind, Profile};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_session::{Clock, Stops};

/// Ticks before the clock starts: caches settle, and agents leave their initial order.
const WARM_UP: u32 = 10;
/// An idle GPU of a server takes so long to raise its clock, from 345 to 1,980 MHz.
const CLOCK_RISES: Duration = Duration::from_millis(300);
/// Ticks after the run in which the passes are timed.
const PROFILED: u32 = 10;
/// A sample is at least this long if the run is, so that submitting and waiting do not count.
const MIN_SAMPLE: Duration = Duration::from_millis(5);
/// A short run is repeated from the start until every engine has been timed for this long, …
const LONG_ENOUGH: Duration = Duration::from_millis(300);
/// … but at most this many times.
const MAX_RUNS: u32 = 50;
/// Ticks that decide which engine is the fastest.
const TRIED: u32 = 3;
/// Slower ticks run one by one, so that Ctrl-C is noticed.
const SLOW: Duration = Duration::from_millis(50);

/// An engine and its name in the table.
pub type Named = (&'static str, Box<dyn Engine>);

/// An engine under test and its measurements.
struct Contestant<'a> {
    label: &'static str,
    engine: &'a mut dyn Engine,
    /// Milliseconds per tick, one value per sample.
    samples: Vec<f64>,
    /// The time of all samples.
    timed: Duration,
    after_one_tick: FlockState,
    /// The work of each rank in the samples.
    shares: Shares,
}

/// Moves the flock by `ticks` ticks on the fastest engine, untimed, with a progress bar. `None` if
/// interrupted.
pub fn settle(
    engines: &mut [Named],
    scene: &Scene,
    state: FlockState,
    ticks: u64,
    interrupt: &Interrupt,
) -> Result<Option<FlockState>, EngineError> {
    let mut fastest = (0, Duration::MAX);
    let tried = if engines.len() > 1 { engines.len() } else { 0 };
    for (index, (label, engine)) in engines.iter_mut().take(tried).enumerate() {
        let spinner = waiting(&format!("{label}: trying how fast it is"));
        engine.load(scene, &state)?;
        // Do not count the first tick: a device compiles its shaders then.
        let took = untimed(engine.as_mut(), 1 + TRIED, interrupt)?;
        spinner.finish_and_clear();
        let Some(took) = took else { return Ok(None) };
        if took < fastest.1 {
            fastest = (index, took);
        }
    }
    let Some((label, engine)) = engines.get_mut(fastest.0) else { return Ok(Some(state)) };
    engine.load(scene, &state)?;
    let bar = progress(ticks, &format!("ticks before the measurement, on {label}"));
    bar.tick();
    drop(state);
    let (time, mut clock, mut done) = (host_time(), Stops::default(), 0);
    clock.stop_at(ticks);
    while done < ticks && !ranks::any(interrupt.is_raised()) {
        // The clocks of ranks differ, so their portions have a fixed length.
        let due = match ranks::ranks() {
            Some(_) => (ticks - done).min(ranks::ASKED_EVERY) as u32,
            None => clock.due(time(), done, 0.0),
        };
        engine.step(due)?;
        engine.finish()?;
        done += u64::from(due);
        bar.inc(due.into());
    }
    bar.finish_and_clear();
    if done < ticks {
        return Ok(None);
    }
    match engine.distributed_mut() {
        Some(engine) => engine.own_state().map(Some),
        None => engine.read_back().map(Some),
    }
}

/// Runs `ticks` ticks. Returns the time per tick of the last ones; `None` if interrupted.
fn untimed(
    engine: &mut dyn Engine,
    ticks: u32,
    interrupt: &Interrupt,
) -> Result<Option<Duration>, EngineError> {
    let mut each = Duration::ZERO;
    let (mut left, mut portion) = (ticks, 1);
    while left > 0 {
        if ranks::any(interrupt.is_raised()) {
            return Ok(None);
        }
        let begin = Instant::now();
        engine.step(portion)?;
        engine.finish()?;
        each = ranks::longest(begin.elapsed()) / portion;
        left -= portion;
        portion = if each < SLOW { left } else { 1 };
    }
    Ok(Some(each))
}

/// Completes a report that says what is asked: times its ticks on every engine from `start`, repeated until the
/// figures are steady. After Ctrl-C it reports the ticks that all engines have done; `None` if there are none.
pub fn measure(
    engines: &mut [Named],
    scene: &Scene,
    start: FlockState,
    asked: Report,
    interrupt: &Interrupt,
) -> Result<Option<Report>, EngineError> {
    let mut contestants = Vec::new();
    for (label, engine) in engines {
        let spinner = waiting(&format!("{label}: first tick"));
        let engine = engine.as_mut();
        let after_one_tick = first_tick(engine, scene, &start, interrupt)?;
        spinner.finish_and_clear();
        let Some(after_one_tick) = after_one_tick else { return Ok(None) };
        contestants.push(Contestant {
            label,
            engine,
            samples: Vec::new(),
            timed: Duration::ZERO,
            after_one_tick,
            shares: Shares::default(),
        });
    }
    let run = run_in_turn(&mut contestants, (scene, &start), asked.ticks_asked, interrupt)?;
    if run.ticks == 0 {
        return Ok(None);
    }
    let [agents] = ranks::sum([start.len() as u64]);
    let agents = agents as usize;
    let start = Arc::new(start);
    let (crowding, agreements) =
        compare(scene, Arc::clone(&start), &mut contestants, &run, interrupt)?;
    let runs = repeat(&mut contestants, scene, &start, &run, interrupt)?;
    drop(start);
    let mut rows = Vec::new();
    for contestant in contestants {
        // Every engine is asked, because all ranks ask together.
        if let Some(broken) = contestant.engine.broken_forces().sentence(scene) {
            static TOLD: Once = Once::new();
            TOLD.call_once(|| {
                note(&format!("{}, last run: {broken}", contestant.label));
            });
        }
        let profile = profile(contestant.label, contestant.engine, scene, interrupt)?;
        let describe = contestant.engine.describe();
        let row = ReportRow::new(contestant.label, describe, &contestant.samples, &profile, agents);
        let borders_moved = contestant.engine.distributed().map(|own| own.load_balance().moves);
        rows.push(ReportRow { ranks: contestant.shares.of_all_ranks(), borders_moved, ..row });
    }
    Ok(Some(Report {
        agents,
        ticks: run.ticks,
        ticks_before_the_end: run.ticks.saturating_add(1 + WARM_UP),
        runs,
        ticks_a_sample: run.batch,
        uniform_neighbours: scene.uniform_neighbours(agents),
        crowding,
        rows,
        agreements,
        ..asked
    }))
}

/// Loads the flock and runs one tick. Returns the state after it; `None` if interrupted.
fn first_tick(
    engine: &mut dyn Engine,
    scene: &Scene,
    start: &FlockState,
    interrupt: &Interrupt,
) -> Result<Option<FlockState>, EngineError> {
    if ranks::any(interrupt.is_raised()) {
        return Ok(None);
    }
    engine.load(scene, start)?;
    let done = untimed(engine, 1, interrupt)?;
    if done.is_none() || ranks::any(interrupt.is_raised()) {
        return Ok(None);
    }
    match ranks::ranks() {
        // Engines on several processes are not compared here.
        Some(_) => Ok(Some(FlockState::default())),
        None => engine.read_back().map(Some),
    }
}

/// Runs ticks until a GPU has raised its clock: an idle one runs at a fifth of it.
fn raise_clock(engine: &mut dyn Engine, interrupt: &Interrupt) -> Result<(), EngineError> {
    let (begin, mut ticks) = (Instant::now(), 1);
    while ranks::longest(begin.elapsed()) < CLOCK_RISES {
        if untimed(engine, ticks, interrupt)?.is_none() {
            break;
        }
        ticks *= 2;
    }
    Ok(())
}

/// The result of a run.
struct FirstRun {
    /// Timed ticks that all engines have done.
    ticks: u32,
    /// Ticks per sample.
    batch: u32,
    /// False if some engines have done more.
    same_tick: bool,
}

/// Runs the warm-up, then the first run of `ticks` ticks.
fn run_in_turn(
    contestants: &mut [Contestant<'_>],
    (scene, start): (&Scene, &FlockState),
    ticks: u32,
    interrupt: &Interrupt,
) -> Result<FirstRun, EngineError> {
    let mut fastest = Duration::MAX;
    for contestant in contestants.iter_mut() {
        let spinner = waiting(&format!("{}: warming up", contestant.label));
        let mut ticks = WARM_UP;
        if contestant.engine.kind() == EngineKind::Gpu {
            raise_clock(contestant.engine, interrupt)?;
            contestant.engine.load(scene, start)?;
            ticks += 1;
        }
        let took = untimed(contestant.engine, ticks, interrupt)?;
        spinner.finish_and_clear();
        let Some(took) = took else { return Ok(FirstRun { ticks: 0, batch: 0, same_tick: false }) };
        fastest = fastest.min(took);
    }
    // All engines use the same batch length, so that each starts its turn at the same tick.
    let wanted = MIN_SAMPLE.as_nanos().div_ceil(fastest.as_nanos().max(1)) as u32;
    let batch = wanted.clamp(1, ticks);
    let bar = progress(u64::from(ticks), "ticks");
    bar.tick();
    let run = time_batches(contestants, ticks, batch, interrupt, &|done| bar.set_position(done));
    bar.finish_and_clear();
    run
}

/// Runs `ticks` ticks of every engine in turn, one batch each.
fn time_batches(
    contestants: &mut [Contestant<'_>],
    ticks: u32,
    batch: u32,
    interrupt: &Interrupt,
    tell: &dyn Fn(u64),
) -> Result<FirstRun, EngineError> {
    let mut done = 0;
    while done < ticks {
        let now = batch.min(ticks - done);
        for (turn, contestant) in contestants.iter_mut().enumerate() {
            // Ranks meet here.
            if ranks::any(interrupt.is_raised()) {
                return Ok(FirstRun { ticks: done, batch, same_tick: turn == 0 });
            }
            let stats =
                |engine: &dyn Engine| engine.distributed().map(DistributedEngine::rank_stats);
            let before = stats(&*contestant.engine);
            let begin = Instant::now();
            contestant.engine.step(now)?;
            contestant.engine.finish()?;
            let took = ranks::longest(begin.elapsed());
            contestant.shares.add(before, stats(&*contestant.engine));
            contestant.samples.push(took.as_secs_f64() * 1e3 / f64::from(now));
            contestant.timed += took;
        }
        done += now;
        tell(done.into());
    }
    Ok(FirstRun { ticks: done, batch, same_tick: true })
}

/// Repeats a run that was too short for steady figures. Returns the number of runs; a run that
/// Ctrl-C ended does not count.
fn repeat(
    contestants: &mut [Contestant<'_>],
    scene: &Scene,
    start: &FlockState,
    first: &FirstRun,
    interrupt: &Interrupt,
) -> Result<u32, EngineError> {
    let spinner = waiting("repeating a short run");
    let mut runs = 1;
    let is_short = |contestants: &[Contestant<'_>]| {
        contestants.iter().any(|contestant| contestant.timed < LONG_ENOUGH)
    };
    while runs < MAX_RUNS && is_short(contestants) && !ranks::any(interrupt.is_raised()) {
        let samples = contestants.first().map_or(0, |contestant| contestant.samples.len());
        let shares: Vec<Shares> = contestants.iter().map(|contestant| contestant.shares).collect();
        let mut ticks = first.ticks;
        for Contestant { engine, .. } in contestants.iter_mut() {
            engine.load(scene, start)?;
            if untimed(*engine, 1 + WARM_UP, interrupt)?.is_none() {
                ticks = 0;
            }
        }
        let again = time_batches(contestants, ticks, first.batch, interrupt, &|_| ())?;
        if again.ticks < first.ticks {
            for (contestant, shares) in contestants.iter_mut().zip(shares) {
                contestant.samples.truncate(samples);
                contestant.shares = shares;
            }
            break;
        }
        runs += 1;
    }
    spinner.finish_and_clear();
    Ok(runs)
}

/// Measures how crowded the flock was and how far the engines agree, if Ctrl-C leaves time for it.
fn compare(
    scene: &Scene,
    start: Arc<FlockState>,
    contestants: &mut [Contestant<'_>],
    run: &FirstRun,
    interrupt: &Interrupt,
) -> Result<(Option<Crowding>, Vec<Agreement>), EngineError> {
    // No rank has the whole flock.
    if ranks::ranks().is_some() {
        return Ok((None, Vec::new()));
    }
    // If the engines are at different ticks, only the first is examined.
    let compared = if run.same_tick { contestants.len() } else { 1 };
    let mut named = Vec::new();
    for Contestant { label, engine, after_one_tick, .. } in contestants.iter_mut().take(compared) {
        let spinner = waiting(&format!("{label}: reading the flock back"));
        named.push((*label, [std::mem::take(after_one_tick), engine.read_back()?]));
        spinner.finish_and_clear();
    }
    let (named, scene) = (Arc::new(named), Arc::new(scene.clone()));
    let (engines, world) = (Arc::clone(&named), Arc::clone(&scene));
    let crowding = interrupt.unless_raised("counting neighbours", move || {
        let [_, end] = &engines.first()?.1;
        Some(Crowding::of(&world, [&start, end]))
    });
    let agreements = interrupt.unless_raised("comparing the engines", move || {
        let mut others = named.iter();
        let Some((first, its)) = others.next() else { return Vec::new() };
        others.map(|(label, own)| Agreement::of(&scene, [first, label], [its, own])).collect()
    });
    Ok((crowding.flatten(), agreements.unwrap_or_default()))
}

/// The mean over several single ticks, because in a batch an engine may time only a part. Fewer
/// ticks if interrupted; empty if there are none.
fn profile(
    label: &str,
    engine: &mut dyn Engine,
    scene: &Scene,
    interrupt: &Interrupt,
) -> Result<Profile, EngineError> {
    let mut sum = Profile::default();
    // The table of the ranks says more.
    if ranks::ranks().is_some() {
        return Ok(sum);
    }
    let mut ticks = 0;
    let bar = progress(PROFILED.into(), &format!("ticks of {label}, pass by pass"));
    bar.tick();
    if engine.kind() == EngineKind::Gpu {
        // It was idle while the engines were compared.
        let state = engine.read_back()?;
        raise_clock(engine, interrupt)?;
        engine.load(scene, &state)?;
    }
    engine.set_profiling(true);
    while ticks < PROFILED && !interrupt.is_raised() {
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
        bar.inc(1);
    }
    engine.set_profiling(false);
    bar.finish_and_clear();
    sum.passes.iter_mut().for_each(|pass| pass.time /= ticks);
    Ok(sum)
}
