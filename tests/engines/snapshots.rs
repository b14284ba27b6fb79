//! A snapshot is requested and collected later. It shows the flock at the tick of the request, even
//! if the flock has changed since.

use crate::adapter;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::gpu::cpu_and;
use crate::common::{built_in, stepped};
use flockwork::engine::gpu::{Gpu, GpuEngine};
use flockwork::engine::{AgentsAt, Engine, EngineKind, Snapshot};
use flockwork::model::vector::Point;

/// No timing is asserted, but what has not arrived by now will never arrive.
const DEADLINE: Duration = Duration::from_secs(60);

/// Polls until the snapshot has arrived.
fn collect(engine: &mut dyn Engine) -> Snapshot {
    let begin = Instant::now();
    loop {
        if let Some(snapshot) = engine.poll().unwrap() {
            return snapshot;
        }
        assert!(begin.elapsed() < DEADLINE, "it does not arrive");
        std::thread::yield_now();
    }
}

#[track_caller]
fn engines() -> Vec<Box<dyn Engine>> {
    cpu_and(adapter::gpu().map(GpuEngine::new))
}

#[test]
fn a_snapshot_is_the_flock_at_the_tick_at_which_it_was_asked_for() {
    for mut engine in engines() {
        // Pursuit has moving targets, and wander has memory. A device gives many in several portions.
        let many = (engine.kind() == EngineKind::Gpu).then_some(("flock", 300_000));
        let few = [("flock", 3000), ("pursuit", 3000), ("wander", 3000)];
        for (name, count) in few.into_iter().chain(many) {
            let (scene, state) = built_in(name, count, &[]);
            engine.load(&scene, &state).unwrap();
            assert_eq!(engine.poll(), Ok(None), "nothing was asked for");
            engine.step(7).unwrap();
            let then = engine.snapshot().unwrap();
            engine.request().unwrap();
            // The flock moves on, and a second request changes nothing.
            engine.step(5).unwrap();
            engine.request().unwrap();
            assert_eq!(engine.snapshot().unwrap().state.tick, 12, "a copy of its own");
            let snapshot = collect(&mut *engine);
            assert!(snapshot == then, "{name}: {} of tick 7", snapshot.state.tick);
            // The control: the flock has changed since.
            assert!(snapshot.state.position != engine.read_back().unwrap().position);
            assert_eq!(engine.poll(), Ok(None), "one was asked for");
            assert_eq!(engine.targets().unwrap(), engine.snapshot().unwrap().targets);
            // If the flock is replaced, its snapshot never arrives.
            engine.request().unwrap();
            engine.load(&scene, &state).unwrap();
            engine.finish().unwrap();
            assert_eq!(engine.poll(), Ok(None));
        }
    }
}

#[test]
fn polling_brings_a_large_flock_over_in_portions() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state) = built_in("flock", 500_000, &[]);
    let mut engine = GpuEngine::new(gpu);
    engine.load(&scene, &state).unwrap();
    engine.request().unwrap();
    engine.finish().unwrap();
    // All data is on the host, but the first call does not read all of it.
    assert_eq!(engine.poll(), Ok(None));
    assert!(collect(&mut engine).state == state);
}

#[test]
fn a_flock_keeps_the_ids_that_it_comes_with() {
    for mut engine in engines() {
        let (scene, mut state) = built_in("wander", 500, &[]);
        for (row, id) in state.id.iter_mut().enumerate() {
            *id = 3 * row as u32 + 5;
        }
        engine.load(&scene, &state).unwrap();
        assert!(engine.read_back().unwrap() == state);
        let after = stepped(&mut *engine, 9);
        assert_eq!((&after.id, &after.species), (&state.id, &state.species));
        assert_ne!(after.position, state.position);
        // Refused: ids that a tag cannot hold, repeated ids, and ids that do not ascend.
        let (least, text) = match engine.kind() {
            EngineKind::Gpu => {
                (1 << 27, "agent 134217728: ids of agents are numbers up to 134217727")
            }
            EngineKind::Cpu => {
                (u32::MAX, "agent 4294967295: ids of agents are numbers up to 4294967294")
            }
        };
        let mut with = |row: usize, id: u32, text: &str| {
            let mut wrong = state.clone();
            wrong.id[row] = id;
            let error = engine.load(&scene, &wrong).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        };
        with(499, least, text);
        with(7, 5, "agent 5");
        with(7, 9999, "agent 29");
    }
}

#[test]
fn each_engine_says_where_its_agents_are() {
    let mut all = engines();
    let Some((cpu, rest)) = all.split_first_mut() else { return };
    let (scene, state) = built_in("flock", 400, &[]);
    cpu.load(&scene, &state).unwrap();
    let AgentsAt::Host(agents) = cpu.agents() else { panic!("not on the host") };
    let mut places: Vec<_> =
        (0..agents.len()).map(|agent| agents.position.map(|axis| axis.get(agent))).collect();
    let mut expected: Vec<_> = state.position.iter().map(Point::to_array).collect();
    for places in [&mut places, &mut expected] {
        places.sort_by(|a, b| a.partial_cmp(b).unwrap());
    }
    assert_eq!(places, expected);
    for gpu in rest {
        gpu.load(&scene, &state).unwrap();
        let AgentsAt::Device(agents) = gpu.agents() else { panic!("not on a device") };
        let buffers: &flockwork::engine::gpu::AgentBuffers = agents.get().unwrap();
        assert_eq!((buffers.count, buffers.tick), (400, state.tick));
        assert!(agents.get::<Arc<Gpu>>().is_none(), "of another kind");
        gpu.step(3).unwrap();
        let AgentsAt::Device(agents) = gpu.agents() else { panic!("not on a device") };
        let buffers: &flockwork::engine::gpu::AgentBuffers = agents.get().unwrap();
        assert_eq!(buffers.tick, state.tick + 3);
    }
}
