//! A host that cannot wait for its device, as a page cannot: what needs the whole flock is asked for again until the
//! flock has arrived, and does then the same as where the host waits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::adapter;
use crate::common::{agents, bits, mixed};
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{EngineOptions, Gpu, GpuEngine};
use flockwork::engine::{Engine, EngineError, EngineKind};
use flockwork::model::scene::{BuiltIn, Request, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;
use flockwork::session::{Clock, Edit, EditError, Opening, Session, Source};

/// No timing is asserted, but what has not arrived by now will never arrive.
const DEADLINE: Duration = Duration::from_secs(60);

fn engine(gpu: &Arc<Gpu>, waits: bool) -> Box<dyn Engine> {
    let options = EngineOptions { waits, ..EngineOptions::default() };
    Box::new(GpuEngine::with_options(Arc::clone(gpu), options))
}

/// Runs three ticks at each call.
struct Three;

impl Clock for Three {
    fn due(&mut self, _: Duration, _: u64, _: f64) -> u32 {
        3
    }
    fn shows(&self, _: u64) -> bool {
        true
    }
    fn restart(&mut self) {}
}

type Flock = Session<Three>;

fn session(engine: Box<dyn Engine>, (scene, state): &(Scene, FlockState)) -> Flock {
    let begin = Instant::now();
    let time = Arc::new(move || begin.elapsed());
    let mut session = Session::new(engine, scene, Arc::new(state.clone()), Three, time).unwrap();
    session.set_history(1 << 30);
    session
}

/// Does something again until the flock is here. Returns the result, and how often it was not.
fn patiently<T>(mut work: impl FnMut() -> Result<T, EngineError>) -> (T, u32) {
    let begin = Instant::now();
    for refusals in 0.. {
        match work() {
            Err(EngineError::NotYet) => {
                assert!(begin.elapsed() < DEADLINE, "it does not arrive");
                std::thread::yield_now();
            }
            done => return (done.unwrap(), refusals),
        }
    }
    unreachable!()
}

fn not_refused(error: EditError) -> EngineError {
    match error {
        EditError::Engine(error) => error,
        refused => panic!("{refused}"),
    }
}

fn edit(session: &mut Flock, edit: Edit) -> Result<(), EngineError> {
    session.edit(edit).map_err(not_refused)
}

/// The built-in scene with two hundred agents.
fn opening(name: &str) -> Opening {
    let text = BuiltIn::named(name).unwrap().text;
    let request = Request { count: Some(200), ..Request::default() };
    let (scene, state) = Scene::parse(name, text).unwrap().populate(&request).unwrap();
    Opening { source: Source { text: text.into(), request, ..Source::default() }, scene, state }
}

/// A thing that a user does; an engine on the same device takes the place of another.
type Act = fn(&mut Flock, Box<dyn Engine>) -> Result<(), EngineError>;

fn named(session: &Flock, index: usize) -> String {
    session.scene().species[index].name.clone()
}

const ACTS: [(&str, Act); 12] = [
    ("a count", |flock, _| {
        let species = named(flock, 0);
        edit(flock, Edit::Count { species, count: 31 })
    }),
    ("a species more", |flock, _| {
        let like = named(flock, 1);
        edit(flock, Edit::AddSpecies(like))
    }),
    ("a species less", |flock, _| {
        let name = named(flock, 0);
        edit(flock, Edit::RemoveSpecies(name))
    }),
    ("undo", |flock, _| flock.undo().map(drop).map_err(not_refused)),
    ("undo again", |flock, _| flock.undo().map(drop).map_err(not_refused)),
    ("redo", |flock, _| flock.redo().map(drop).map_err(not_refused)),
    ("another scene", |flock, _| flock.open(opening("pursuit")).map_err(not_refused)),
    ("back", |flock, _| flock.undo().map(drop).map_err(not_refused)),
    ("forward", |flock, _| flock.redo().map(drop).map_err(not_refused)),
    ("reset", |flock, _| flock.reset().map_err(not_refused)),
    ("undo the reset", |flock, _| flock.undo().map(drop).map_err(not_refused)),
    ("another engine", |flock, engine| flock.switch(engine)),
];

#[test]
fn what_needs_the_whole_flock_is_done_as_soon_as_it_is_here() {
    let Some(gpu) = adapter::gpu() else { return };
    let flock = mixed("wrap", &[]);
    let mut sessions = [true, false].map(|waits| session(engine(&gpu, waits), &flock));
    for (name, act) in ACTS {
        let [at_once, later] = &mut sessions;
        let (_, refusals) = patiently(|| act(later, engine(&gpu, false)));
        assert!(refusals > 0, "{name} did not need the flock");
        act(at_once, engine(&gpu, true)).unwrap();
        let expected = at_once.state().unwrap();
        let (found, _) = patiently(|| later.state());
        assert_eq!(
            (found.tick, &found.id, &found.species),
            (expected.tick, &expected.id, &expected.species),
            "{name}"
        );
        assert!(bits(&found) == bits(&expected), "{name}");
        assert_eq!(at_once.scene().to_full_toml(), later.scene().to_full_toml(), "{name}");
        for session in &mut sessions {
            session.advance().unwrap();
        }
    }
}

#[test]
fn a_scene_that_is_not_left_yet_goes_on_calling_its_flock() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut session = session(engine(&gpu, false), &mixed("wrap", &[]));
    session.advance().unwrap();
    edit(&mut session, Edit::Pointer(Some(Point::ONE))).unwrap();
    let events = session.events().to_vec();
    assert_eq!(session.open(opening("pursuit")), Err(EngineError::NotYet.into()));
    assert_eq!(session.events(), events);
}

#[test]
fn recorded_edits_wait_for_the_flock() {
    let Some(gpu) = adapter::gpu() else { return };
    let flock = mixed("walls", &[]);
    let ends = [true, false].map(|waits| {
        let mut session = session(engine(&gpu, waits), &flock);
        for index in [1, 0] {
            session.advance().unwrap();
            let name = named(&session, index);
            patiently(|| edit(&mut session, Edit::RemoveSpecies(name.clone())));
        }
        session.advance().unwrap();
        let end = session.tick();
        let (first, _) = patiently(|| session.state());
        for goal in [1, end] {
            session.seek_to(goal);
            let begin = Instant::now();
            while session.goal().is_some() {
                session.advance().unwrap();
                assert!(begin.elapsed() < DEADLINE, "it does not get to tick {goal}");
            }
            assert_eq!(session.tick(), goal);
        }
        let (again, _) = patiently(|| session.state());
        assert!(bits(&again) == bits(&first) && again.id == first.id, "waits: {waits}");
        again
    });
    assert!(bits(&ends[0]) == bits(&ends[1]));
}

#[test]
fn a_copy_is_of_the_flock_as_it_is_now() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state) = mixed("wrap", &[]);
    let mut cpu = CpuEngine::new(Some(1)).unwrap();
    assert!(cpu.waits() && cpu.kind() == EngineKind::Cpu);
    cpu.load(&scene, &state).unwrap();
    let mut gpu = engine(&gpu, false);
    assert!(!gpu.waits());
    gpu.load(&scene, &state).unwrap();
    // One that is asked for before a tick is not taken for one after it.
    assert_eq!(gpu.snapshot(), Err(EngineError::NotYet));
    for engine in [&mut *gpu, &mut cpu] {
        engine.step(2).unwrap();
    }
    let (found, _) = patiently(|| gpu.snapshot());
    assert_eq!(found.state.tick, 2);
    assert_eq!(found.targets.len(), scene.targets.len());
    // Agents that go are left out at once; those that come make it old.
    let gone: Vec<u32> = state.id.iter().copied().step_by(3).collect();
    gpu.remove(&gone).unwrap();
    let left = gpu.read_back().unwrap();
    assert_eq!(left.len(), state.len() - gone.len());
    let one = agents(&[(state.position[0], state.velocity[0])]);
    let more = FlockState { id: vec![9_000_000], ..one };
    gpu.append(&more).unwrap();
    assert_eq!(gpu.read_back(), Err(EngineError::NotYet));
    let (all, _) = patiently(|| gpu.read_back());
    assert_eq!(all.rows(0..left.len()).id, left.id);
    assert!(bits(&all.rows(0..left.len())) == bits(&left));
}
