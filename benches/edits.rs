//! The cost of an edit per frame, without the tick: a slider is dragged, so a parameter changes
//! before every tick.
//!
//! `cargo bench -p benches --bench edits` takes some minutes on a machine without a GPU; `-- 100000 50` sets
//! the number of agents and of frames. `update` is the edit of a flock that stands still; `reload` makes
//! it by reading the flock back and loading it, in a fifteenth of the frames. `tick` is a frame without an
//! edit, measured in turn with the others; the edits are the time beyond it.

mod common;

use std::sync::Arc;
use std::time::Instant;

use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::GpuEngine;
use flockwork::engine::{Change, Engine};
use flockwork::model::behaviours::Kind;
use flockwork::model::scene::Scene;
use flockwork::session::{self, HostTime, RealTime, Session};

use common::{Flock, flock, gpu};

/// Defaults of the agents and frames on the command line.
const AGENTS: u64 = 1_000_000;
const FRAMES: u64 = 300;
/// Number of updates per reload.
const RELOADED: u64 = 15;
/// Mean neighbours.
const DENSITY: f32 = 10.0;

/// The work of a frame before its tick.
#[derive(Clone, Copy, PartialEq)]
enum Edit {
    Nothing,
    Update,
    Reload,
}

/// Milliseconds of a frame, and of its edit until the call returns.
fn frame(engine: &mut dyn Engine, scene: &Scene, edit: Edit) -> [f64; 2] {
    let begin = Instant::now();
    match edit {
        Edit::Nothing => {}
        Edit::Update => engine.update(scene, Change::PARAMETERS).expect("the engine takes it"),
        Edit::Reload => {
            let state = engine.read_back().expect("the engine runs");
            engine.load(scene, &state).expect("the flock fits");
        }
    }
    let edited = begin.elapsed();
    engine.step(1).expect("the engine runs");
    engine.finish().expect("the engine runs");
    [begin.elapsed(), edited].map(|time| time.as_secs_f64() * 1e3)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Drags a slider of the parameter `key` of `kind` over a tenth of its value.
fn drag(
    name: &str,
    engine: &mut dyn Engine,
    flock: &Flock,
    (kind, key): (Kind, &str),
    frames: u64,
) {
    let Flock { scene, state } = flock;
    engine.load(scene, state).expect("the flock fits");
    frame(engine, scene, Edit::Nothing);
    let mut scene = scene.clone();
    let slot = kind.parameter(key).expect("the behaviour has it");
    let value = scene.species[0].value(kind, slot);
    let mut times = [const { Vec::new() }; 3];
    let mut calls = [const { Vec::new() }; 3];
    let order = [Edit::Nothing, Edit::Update, Edit::Reload];
    for number in 0..frames {
        for (edit, part) in order.into_iter().zip(0_u8..) {
            if edit != Edit::Reload || number % RELOADED == 0 {
                let share = (number as f32 + f32::from(part) / 3.0) / frames as f32;
                let rule = scene.species[0].rules.iter_mut().find(|rule| rule.kind == kind);
                if edit != Edit::Nothing {
                    rule.expect("it is there").values[slot] = value * (1.0 + 0.1 * share);
                }
                let [whole, call] = frame(engine, &scene, edit);
                times[edit as usize].push(whole);
                calls[edit as usize].push(call);
            }
        }
    }
    let [tick, update, reload] = times.map(median);
    let [_, update_call, reload_call] = calls.map(median);
    println!(
        "{name:>4}  {:<18} tick {tick:8.2} ms   beyond it: update {:8.3} ms (call {update_call:.3})   \
         reload {:8.2} ms (call {reload_call:.2})",
        format!("{}.{key}", kind.info().key),
        update - tick,
        reload - tick,
    );
}

/// Drags a slider of the window: the session's edit, with undo and the record of the past. Nothing
/// ticks; the call is all that a frame waits for.
fn drag_in_session(flock: &Flock, frames: u64) {
    let Flock { scene, state } = flock;
    let begin = Instant::now();
    let time: HostTime = Arc::new(move || begin.elapsed());
    let engine = Box::new(CpuEngine::new(None).expect("threads start"));
    let state = Arc::new(state.clone());
    let mut session = Session::new(engine, scene, state, RealTime::default(), time)
        .expect("the engine takes the flock");
    let calls = (1..=frames).map(|number| {
        let mut species = session.scene().species.clone();
        species[0].body.max_speed += 1e-3 * number as f32;
        let begin = Instant::now();
        session.edit(session::Edit::Set(species.into())).expect("the engine runs");
        begin.elapsed().as_secs_f64() * 1e3
    });
    let mut calls: Vec<f64> = calls.collect();
    calls.sort_by(f64::total_cmp);
    let [half, most] = [calls.len() / 2, calls.len() - 1].map(|index| calls[index]);
    println!(" cpu  session: {half:.3} ms an edit, {most:.3} ms at most");
}

fn main() {
    // Cargo itself passes `--bench`.
    let numbers: Vec<u64> = std::env::args().filter_map(|text| text.parse().ok()).collect();
    let agents = numbers.first().copied().unwrap_or(AGENTS);
    let frames = numbers.get(1).copied().unwrap_or(FRAMES);
    let flock = flock(agents, DENSITY);
    println!("{agents} agents, {frames} frames; medians");
    drag_in_session(&flock, frames);
    let mut engines: Vec<(&str, Box<dyn Engine>)> = Vec::new();
    engines.push(("cpu", Box::new(CpuEngine::new(None).expect("threads start"))));
    engines.extend(gpu().map(|gpu| ("gpu", Box::new(GpuEngine::new(gpu)) as _)));
    for (name, engine) in &mut engines {
        // The first edit keeps the grid; the second changes its cells in every frame.
        drag(name, &mut **engine, &flock, (Kind::Separation, "weight"), frames);
        drag(name, &mut **engine, &flock, (Kind::Cohesion, "radius"), frames / 10);
    }
}
