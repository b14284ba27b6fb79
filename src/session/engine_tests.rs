//! Engines that refuse, and engines that lose their flock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::hands::refusal;
use super::tests::{TEXT, opened, opened_here, tick};
use super::time_tests::cpu;
use super::*;
use flockwork_engine::cpu::CpuEngine;
use flockwork_engine::internals::Sealed;
use flockwork_engine::{AgentsAt, Change, EngineKind};
use flockwork_engine::{Profile, Snapshot};
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Request;
use flockwork_model::vector::{Point, flat};

/// An engine that holds eight agents, refuses to add two at a time, and loses its flock once `dead`
/// is true.
struct Fussy {
    engine: CpuEngine,
    dead: Arc<AtomicBool>,
}

/// The largest radius that it takes in an update.
const MAX_RADIUS: f32 = 200.0;

pub(super) fn fussy(dead: &Arc<AtomicBool>) -> Box<dyn Engine> {
    Box::new(Fussy { engine: CpuEngine::new(Some(1)).unwrap(), dead: Arc::clone(dead) })
}

/// A session on it.
fn fussy_session(text: &str, dead: &Arc<AtomicBool>) -> Session<RealTime> {
    opened(fussy(dead), text, Request::default())
}

impl Fussy {
    fn alive(&mut self) -> Result<&mut CpuEngine, EngineError> {
        if self.dead.load(Ordering::Relaxed) {
            let (adapter, reason) = ("fussy".into(), "it died".into());
            return Err(EngineError::Lost { adapter, reason });
        }
        Ok(&mut self.engine)
    }
}

/// The refusal of something that the device cannot do.
fn unable<T>(message: &str) -> Result<T, EngineError> {
    Err(EngineError::Device { adapter: "fussy".into(), message: message.into() })
}

impl Sealed for Fussy {}

impl Engine for Fussy {
    fn kind(&self) -> EngineKind {
        EngineKind::Gpu
    }
    fn describe(&self) -> String {
        "fussy".into()
    }
    fn check_count(&self, _scene: &Scene, count: u64) -> Result<(), EngineError> {
        let (adapter, limit) = ("fussy".into(), "a limit".into());
        let error = EngineError::TooMany { count, adapter, limit, largest: 8 };
        if count > 8 { Err(error) } else { Ok(()) }
    }
    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError> {
        self.alive()?.load(scene, state)
    }
    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError> {
        if scene.perception_radius() > MAX_RADIUS {
            return unable("not so far");
        }
        self.alive()?.update(scene, change)
    }
    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        if agents.len() == 2 {
            return unable("not two");
        }
        self.alive()?.append(agents)
    }
    fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        self.alive()?.remove(ids)
    }
    fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
        self.alive()?.step(ticks)
    }
    fn request(&mut self) -> Result<(), EngineError> {
        self.alive()?.request()
    }
    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
        self.alive()?.poll()
    }
    fn agents(&self) -> AgentsAt<'_> {
        self.engine.agents()
    }
    fn set_profiling(&mut self, on: bool) {
        self.engine.set_profiling(on);
    }
    fn profile(&mut self) -> Profile {
        self.engine.profile()
    }
    fn largest_cell(&mut self) -> u32 {
        self.engine.largest_cell()
    }
    fn finish(&mut self) -> Result<(), EngineError> {
        self.alive()?.finish()
    }
    fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
        self.alive()?.snapshot()
    }
}

#[test]
fn an_engine_that_refuses_keeps_what_it_had() {
    let mut session = fussy_session(TEXT, &Arc::default());
    tick(&mut session, 3);
    let before = session.state().unwrap();
    for (more, why) in [(4, "9 agents do not fit fussy"), (2, "not two")] {
        assert!(refusal(session.add(0, &vec![Point::ONE; more])).contains(why), "{why}");
        assert_eq!(session.state(), Ok(before.clone()));
        assert_eq!(session.agents(), 5);
    }
    session.add(0, &[Point::ONE; 3]).unwrap();
    assert_eq!(session.state().unwrap().len(), 8);
}

#[test]
fn an_edit_that_the_engine_refuses_is_taken_back() {
    let text = TEXT.replace("[species.a.wander]", "[species.a.cohesion]");
    let mut session = fussy_session(&text, &Arc::default());
    let before = session.scene().species.clone();
    let mut species = before.clone();
    let radius = species[0].rules[0].kind.parameter("radius").unwrap();
    species[0].rules[0].values[radius] = MAX_RADIUS + 1.0;
    assert!(refusal(session.change(species)).contains("not so far"));
    assert_eq!((&session.scene().species, session.events().len()), (&before, 0));
    assert_eq!(session.undo().unwrap_err().to_string(), "nothing to undo");
}

#[test]
fn a_flock_that_is_lost_goes_on_from_the_last_snapshot() {
    let dead = Arc::new(AtomicBool::new(false));
    let mut session = fussy_session(TEXT, &dead);
    let first = (session.state().unwrap(), session.targets().unwrap());
    let now =
        |session: &mut Session<RealTime>| (session.state().unwrap(), session.targets().unwrap());
    // Lost before the first snapshot: the first state remains.
    tick(&mut session, 3);
    dead.store(true, Ordering::Relaxed);
    // Calls of a lost engine do not change the state to resume from.
    for done in [session.add(0, &[Point::ZERO]), session.edit(Edit::NewPath)] {
        assert!(matches!(done, Err(EditError::Engine(_))), "{done:?}");
    }
    assert!((0..9).any(|_| session.advance().is_err()) && session.targets().is_err());
    assert_eq!(session.rescue(cpu()), Ok(0));
    assert_eq!(now(&mut session), first);
    assert_eq!(session.undo().unwrap_err().to_string(), "nothing to undo");

    // A snapshot soon contains new agents; a moved target is where it was put.
    dead.store(false, Ordering::Relaxed);
    session.switch(fussy(&dead)).unwrap();
    tick(&mut session, 5);
    session.add(0, &[Point::ONE; 3]).unwrap();
    let food = session.nearest_object(flat(310.0, 100.0)).unwrap().unwrap();
    let expected = now(&mut session);
    session.advance().unwrap();
    assert!(session.awaits_snapshot());
    session.advance().unwrap();
    assert!(!session.awaits_snapshot());
    session.put(food, flat(20.0, 30.0)).unwrap();
    tick(&mut session, 4);
    dead.store(true, Ordering::Relaxed);
    assert_eq!(session.rescue(cpu()), Ok(expected.0.tick));
    let (state, targets) = now(&mut session);
    assert_eq!(state, expected.0);
    assert_eq!(targets[1], expected.1[1], "it moves by itself");
    assert_eq!(targets[2].position, flat(20.0, 30.0));
    assert_eq!((session.tick(), session.agents()), (expected.0.tick, 8));

    // A reset that failed because the engine was lost is done by the rescue.
    dead.store(false, Ordering::Relaxed);
    session.switch(fussy(&dead)).unwrap();
    dead.store(true, Ordering::Relaxed);
    assert!(session.reset().is_err());
    assert_eq!(session.rescue(cpu()), Ok(0));
    assert_eq!(now(&mut session), first);
}

#[test]
fn the_targets_of_a_rescued_flock_are_those_of_its_scene() {
    let dead = Arc::new(AtomicBool::new(false));
    let text =
        TEXT.replace("[[paths]]", "[[targets]]\nname = \"third\"\nvelocity = [0, 2]\n[[paths]]");
    let mut session = fussy_session(&text, &dead);
    tick(&mut session, 5);
    session.advance().unwrap();
    session.clock.toggle();
    session.remove(SceneObject::Target(1)).unwrap();
    let expected = session.targets().unwrap();
    dead.store(true, Ordering::Relaxed);
    session.rescue(cpu()).unwrap();
    let names = |targets: &[Target]| -> Vec<String> {
        targets.iter().map(|target| target.name.clone()).collect()
    };
    let targets = session.targets().unwrap();
    assert_eq!(names(&targets), names(&expected));
    assert_eq!(names(&targets), ["pointer", "food", "third"]);
}

#[test]
fn a_long_run_has_a_snapshot_every_second() {
    let dead = Arc::new(AtomicBool::new(false));
    let mut session = fussy_session(TEXT, &dead);
    for _ in 0..400 {
        session.advance().unwrap();
    }
    dead.store(true, Ordering::Relaxed);
    let last = session.tick();
    let tick = session.rescue(cpu()).unwrap();
    assert!(last - tick < 120 && tick > 0, "{tick} of {last}");
}

#[test]
fn a_session_around_a_flock_gives_new_ids_and_has_no_copy() {
    let scene = Scene::parse("test", TEXT).unwrap();
    let (scene, state) = scene.populate(&Request::default()).unwrap();
    let mut engine = cpu();
    engine.load(&scene, &state).unwrap();
    engine.remove(&[4]).unwrap();
    let time: HostTime = Arc::new(|| Duration::ZERO);
    let mut session = Session::around(engine, &scene, (0, 4), RealTime::default(), time);
    session.add(0, &[Point::ONE]).unwrap();
    assert_eq!(session.state().unwrap().id, [0, 1, 2, 3, 5]);
    session.edit(Edit::Despawn(vec![1].into())).unwrap();
    session.undo().unwrap();
    assert_eq!(session.state().unwrap().id, [0, 2, 3, 5, 6]);
    assert_eq!(session.rescue(cpu()), Err(EngineError::NoCopy));
    assert_eq!(session.state().unwrap().len(), 5);
}

#[test]
fn agents_of_a_species_that_was_undone_are_not_rescued() {
    let dead = Arc::new(AtomicBool::new(false));
    let mut session = fussy_session(&TEXT.replace("count = 5", "count = 3"), &dead);
    session.add_species(0).unwrap();
    session.advance().unwrap();
    session.advance().unwrap();
    assert_eq!(session.copies.state.len(), 6, "the control: the copy has them");
    session.undo().unwrap();
    dead.store(true, Ordering::Relaxed);
    session.rescue(cpu()).unwrap();
    assert_eq!((session.state().unwrap().id, session.agents()), (vec![0, 1, 2], 3));
}

#[test]
fn edits_that_no_file_could_hold_are_refused() {
    let nowhere = flat(f32::NAN, 5.0);
    let target = |name: &str, change: fn(&mut Target)| {
        let mut target = Target::fixed(name, Point::ONE);
        change(&mut target);
        Edit::Targets(Splice::adding(vec![target]))
    };
    let paint = |radius| Edit::Paint { places: vec![Point::ONE], radius };
    for boundary in ["open", "walls", "wrap"] {
        let session = &mut opened_here(&format!("world.boundary = \"{boundary}\"\n{TEXT}"));
        let moved = Edit::moving(session.scene(), SceneObject::Target(2), nowhere);
        for (edit, why) in [
            (Edit::Pointer(Some(nowhere)), "is no place"),
            (Edit::AddTarget(nowhere), "is no place"),
            (Edit::AddObstacle(nowhere), "is no place"),
            (moved, "is no place"),
            (paint(f32::NAN), "radius is NaN"),
            (paint(-1.0), "radius is -1"),
            (paint(1e30), "radius is 1"),
            (target("t", |own| own.hit_radius = f32::NAN), "hit_radius is NaN"),
            (target("t", |own| own.velocity.x = 1e6), "velocity is 1000000"),
            (target("nearest", |_| {}), "`nearest` is taken"),
            (target("none", |_| {}), "`none` is taken"),
            (Edit::Counts(Counts { each: vec![0], counted: true }), "starts with 1 to"),
            (Edit::Counts(Counts { each: vec![u64::MAX], counted: true }), "starts with 1 to"),
        ] {
            let refused = refusal(session.edit(edit));
            assert!(refused.contains(why), "{boundary}: {refused}");
        }
        assert!(session.is_saved() && session.events().is_empty());
    }
}
