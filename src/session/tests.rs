//! A running flock and the user's edits, on the CPU engine.

use std::cell::Cell;

use super::*;
use crate::engine::cpu::CpuEngine;
use crate::engine::{AgentsAt, EngineKind, Snapshot};
use crate::model::behaviours::{Kind, Target};
use crate::model::scene::{Request, Species};

/// A wanderer, a target that moves by itself, one at rest, a path and an obstacle.
pub(super) const TEXT: &str = "click = \"target\"\n[[targets]]\nname = \"fast\"\nvelocity = [3, 0]\n\
                    [[targets]]\nname = \"food\"\nposition = [300, 100]\n[[paths]]\n\
                    points = [[0, 180], [200, 180], [400, 180], [640, 180]]\n[[obstacles]]\n\
                    position = [50, 50]\n[species.a]\ncount = 5\n[species.a.wander]\n\
                    [species.a.seek]\n[species.a.follow_path]\n[species.a.avoid]\n";

/// A session with its own time: every reading of the clock is one 60 Hz frame later.
pub(super) fn session(
    engine: Box<dyn Engine>,
    scene: &Scene,
    state: &FlockState,
) -> Session<RealTime> {
    let frames = Cell::new(0);
    let time = move || Duration::from_secs(1) * frames.replace(frames.get() + 1) / 60;
    let state = Arc::new(state.clone());
    Session::new(engine, scene, state, RealTime::default(), Rc::new(time)).unwrap()
}

pub(super) fn play(test: impl FnOnce(&mut Session<RealTime>)) {
    let mut scene = Scene::parse("test", TEXT, &[]).unwrap();
    let state = scene.populate(&Request::default()).unwrap();
    let engine = Box::new(CpuEngine::new(Some(1)).unwrap());
    test(&mut session(engine, &scene, &state));
}

pub(super) fn tick(session: &mut Session<RealTime>, ticks: u32) {
    session.engine.step(ticks).unwrap();
}

#[test]
fn a_change_keeps_angles_and_targets() {
    play(|session| {
        tick(session, 20);
        let (state, targets) = (session.state().unwrap(), session.targets().unwrap());
        assert_eq!(targets[1].position, Point::new(60.0, 0.0));
        assert_eq!(session.change(session.scene().species.clone()), Ok(None));
        assert_eq!(session.state(), Ok(state.clone()));
        assert_eq!(session.targets(), Ok(targets.clone()));
        assert_eq!(state.memory.len(), 5);
        session.switch(Box::new(CpuEngine::new(Some(1)).unwrap())).unwrap();
        assert_eq!((session.state(), session.targets()), (Ok(state), Ok(targets)));
    });
}

#[test]
fn a_reset_undoes_what_hands_have_done() {
    play(|session| {
        let first = (session.state().unwrap(), session.targets().unwrap());
        assert_eq!(session.add(0, &[Point::ONE, Point::ZERO]), Ok(None));
        assert_eq!((session.agents(), session.state().unwrap().len()), (7, 7));
        assert_eq!(session.new_path(), Ok(None));
        assert_ne!(session.scene().paths, session.first.paths);
        assert_eq!(session.turn_round(), Ok(None));
        let food = session.nearest_thing(Point::new(310.0, 100.0)).unwrap().unwrap();
        assert_eq!(session.put(food, Point::new(20.0, 30.0)), Ok(None));
        assert_eq!(session.targets().unwrap()[2].position, Point::new(20.0, 30.0));
        assert_eq!(session.put(Thing::Obstacle(0), Point::new(20.0, 30.0)), Ok(None));
        tick(session, 5);
        session.reset().unwrap();
        assert_eq!((session.state().unwrap(), session.targets().unwrap()), first);
        assert_eq!((session.agents(), session.tick()), (5, 0));
        assert_eq!(session.scene().paths, session.first.paths);
        assert_eq!(session.scene().obstacles, session.first.obstacles);
        assert_eq!(session.scene().species[0].rules, session.first.species[0].rules);
    });
}

#[test]
fn a_target_goes_along_with_the_mouse() {
    let text = TEXT.replace("click = \"target\"", "click = [\"follow\", \"flee\"]");
    let mut scene = Scene::parse("test", &text, &[]).unwrap();
    let state = scene.populate(&Request::default()).unwrap();
    let engine = Box::new(CpuEngine::new(Some(1)).unwrap());
    let mut session = session(engine, &scene, &state);
    tick(&mut session, 10);
    let before = session.state().unwrap();
    let revision = session.revision();
    // Across the seam.
    session.lead(Point::new(-10.0, 50.0)).unwrap();
    let targets = session.targets().unwrap();
    assert_eq!(
        (targets[1].position, targets[2].position),
        (Point::new(30.0, 0.0), Point::new(630.0, 50.0))
    );
    assert_eq!(session.state().unwrap(), before, "the flock goes on as it was");
    assert_ne!(session.revision(), revision, "a copy of the targets is then out of date");
    tick(&mut session, 5);
    assert_eq!(session.targets().unwrap()[2].position, Point::new(630.0, 50.0));
    // It stays there on another engine, and returns to its start at a reset.
    session.switch(Box::new(CpuEngine::new(Some(1)).unwrap())).unwrap();
    assert_eq!(session.targets().unwrap()[2].position, Point::new(630.0, 50.0));
    session.reset().unwrap();
    assert_eq!(session.targets().unwrap()[2].position, Point::new(300.0, 100.0));
    // In a scene without that mode the targets stay.
    play(|session| {
        session.lead(Point::ONE).unwrap();
        assert_eq!(session.targets().unwrap()[2].position, Point::new(300.0, 100.0));
    });
}

#[test]
fn who_was_put_back_is_not_turned_by_a_reset() {
    play(|session| {
        assert_eq!(session.turn_round(), Ok(None));
        assert!(session.scene().species[0].rule(Kind::Flee).is_some());
        assert_eq!(session.change(session.first.species.clone()), Ok(None));
        session.reset().unwrap();
        assert_eq!(session.scene().species[0].rules, session.first.species[0].rules);
    });
}

#[test]
fn new_paths_are_the_same_after_a_reset() {
    play(|session| {
        let mut path = || {
            session.new_path().unwrap();
            session.scene().paths[0].clone()
        };
        let paths = [path(), path()];
        assert_ne!(paths[0], paths[1]);
        session.reset().unwrap();
        session.new_path().unwrap();
        assert_eq!(session.scene().paths[0], paths[0]);
    });
}

#[test]
fn what_cannot_be_leaves_the_flock_as_it_is() {
    play(|session| {
        let before = session.state().unwrap();
        let refused = session.apply(|scene| scene.world.size = Point::ZERO).unwrap();
        assert!(refused.is_some_and(|why| why.contains("world")));
        assert_eq!((session.state(), session.agents()), (Ok(before), 5));
        assert_eq!(session.scene().paths, session.first.paths);
    });
}

/// An engine that holds eight agents, and refuses to add two at a time.
pub(super) struct Fussy(pub(super) CpuEngine);

impl Engine for Fussy {
    fn kind(&self) -> EngineKind {
        self.0.kind()
    }
    fn describe(&self) -> String {
        self.0.describe()
    }
    fn check_count(&self, count: u64) -> Result<(), EngineError> {
        let (adapter, limit) = ("fussy".into(), "a limit".into());
        let error = EngineError::TooMany { count, adapter, limit, largest: 8 };
        if count > 8 { Err(error) } else { Ok(()) }
    }
    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError> {
        self.0.load(scene, state)
    }
    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError> {
        self.0.update(scene, change)
    }
    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        if agents.len() == 2 {
            let (adapter, message) = ("fussy".into(), "not two".into());
            return Err(EngineError::Device { adapter, message });
        }
        self.0.append(agents)
    }
    fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        self.0.remove(ids)
    }
    fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
        self.0.step(ticks)
    }
    fn request(&mut self) -> Result<(), EngineError> {
        self.0.request()
    }
    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
        self.0.poll()
    }
    fn agents(&self) -> AgentsAt<'_> {
        self.0.agents()
    }
    fn set_profiling(&mut self, on: bool) {
        self.0.set_profiling(on);
    }
    fn profile(&mut self) -> Profile {
        self.0.profile()
    }
    fn largest_cell(&mut self) -> u32 {
        self.0.largest_cell()
    }
    fn finish(&mut self) -> Result<(), EngineError> {
        self.0.finish()
    }
    fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
        self.0.snapshot()
    }
}

#[test]
fn an_engine_that_refuses_keeps_what_it_had() {
    let mut scene = Scene::parse("test", TEXT, &[]).unwrap();
    let state = scene.populate(&Request::default()).unwrap();
    let engine = Box::new(Fussy(CpuEngine::new(Some(1)).unwrap()));
    let mut session = session(engine, &scene, &state);
    tick(&mut session, 3);
    let before = session.state().unwrap();
    for (more, why) in [(4, "9 agents do not fit fussy"), (2, "not two")] {
        let refused = session.add(0, &vec![Point::ONE; more]).unwrap();
        assert!(refused.is_some_and(|text| text.contains(why)), "{why}");
        assert_eq!(session.state(), Ok(before.clone()));
        assert_eq!(session.agents(), 5);
    }
    assert_eq!(session.add(0, &[Point::ONE; 3]), Ok(None));
    assert_eq!(session.state().unwrap().len(), 8);
}

/// An engine whose device is lost once `dead` is true.
struct LosesDevice {
    engine: CpuEngine,
    dead: Rc<Cell<bool>>,
}

impl LosesDevice {
    fn alive(&self) -> Result<(), EngineError> {
        let (adapter, reason) = ("mortal".into(), "it died".into());
        if self.dead.get() { Err(EngineError::Lost { adapter, reason }) } else { Ok(()) }
    }
}

impl Engine for LosesDevice {
    fn kind(&self) -> EngineKind {
        EngineKind::Gpu
    }
    fn describe(&self) -> String {
        "mortal".into()
    }
    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError> {
        self.alive()?;
        self.engine.load(scene, state)
    }
    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError> {
        self.alive()?;
        self.engine.update(scene, change)
    }
    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        self.alive()?;
        self.engine.append(agents)
    }
    fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        self.alive()?;
        self.engine.remove(ids)
    }
    fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
        self.alive()?;
        self.engine.step(ticks)
    }
    fn request(&mut self) -> Result<(), EngineError> {
        self.alive()?;
        self.engine.request()
    }
    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
        self.alive()?;
        self.engine.poll()
    }
    fn agents(&self) -> AgentsAt<'_> {
        self.engine.agents()
    }
    fn set_profiling(&mut self, _: bool) {}
    fn profile(&mut self) -> Profile {
        Profile::default()
    }
    fn largest_cell(&mut self) -> u32 {
        0
    }
    fn finish(&mut self) -> Result<(), EngineError> {
        self.alive()
    }
    fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
        self.alive()?;
        self.engine.snapshot()
    }
}

#[test]
fn a_flock_that_is_lost_goes_on_from_the_last_snapshot() {
    let dead = Rc::new(Cell::new(false));
    let mut scene = Scene::parse("test", TEXT, &[]).unwrap();
    let state = scene.populate(&Request::default()).unwrap();
    let cpu = || CpuEngine::new(Some(1)).unwrap();
    let mortal = || Box::new(LosesDevice { engine: cpu(), dead: Rc::clone(&dead) });
    let mut session = session(mortal(), &scene, &state);
    let first = (session.state().unwrap(), session.targets().unwrap());
    let now =
        |session: &mut Session<RealTime>| (session.state().unwrap(), session.targets().unwrap());
    // Lost before the first snapshot: the first state remains.
    tick(&mut session, 3);
    dead.set(true);
    // Calls of a lost engine do not change the state to resume from.
    assert!(session.add(0, &[Point::ZERO]).is_err() && session.new_path().is_err());
    assert!((0..9).any(|_| session.advance().is_err()) && session.targets().is_err());
    assert_eq!(session.rescue(Box::new(cpu())), Ok(0));
    assert_eq!(now(&mut session), first);
    assert_eq!(session.undo().unwrap(), "nothing to undo");

    // A snapshot soon contains new agents; a moved target is where it was put.
    dead.set(false);
    session.switch(mortal()).unwrap();
    tick(&mut session, 5);
    assert_eq!(session.add(0, &[Point::ONE; 2]), Ok(None));
    let food = session.nearest_thing(Point::new(310.0, 100.0)).unwrap().unwrap();
    let expected = now(&mut session);
    session.advance().unwrap();
    assert!(session.awaits_snapshot());
    session.advance().unwrap();
    assert!(!session.awaits_snapshot());
    assert_eq!(session.put(food, Point::new(20.0, 30.0)), Ok(None));
    tick(&mut session, 4);
    dead.set(true);
    assert_eq!(session.rescue(Box::new(cpu())), Ok(expected.0.tick));
    let (state, targets) = now(&mut session);
    assert_eq!(state, expected.0);
    assert_eq!(targets[1], expected.1[1], "it moves by itself");
    assert_eq!(targets[2].position, Point::new(20.0, 30.0));
    assert_eq!((session.tick(), session.agents()), (expected.0.tick, 7));

    // A reset that failed because the engine was lost is done by the rescue.
    dead.set(false);
    session.switch(mortal()).unwrap();
    dead.set(true);
    assert!(session.reset().is_err());
    assert_eq!(session.rescue(Box::new(cpu())), Ok(0));
    assert_eq!(now(&mut session), first);
}

#[test]
fn a_long_run_has_a_snapshot_every_second() {
    let dead = Rc::new(Cell::new(false));
    let mut scene = Scene::parse("test", TEXT, &[]).unwrap();
    let state = scene.populate(&Request::default()).unwrap();
    let cpu = || CpuEngine::new(Some(1)).unwrap();
    let mortal = Box::new(LosesDevice { engine: cpu(), dead: Rc::clone(&dead) });
    let mut session = session(mortal, &scene, &state);
    for _ in 0..400 {
        session.advance().unwrap();
    }
    dead.set(true);
    let last = session.tick();
    let tick = session.rescue(Box::new(cpu())).unwrap();
    assert!(last - tick < 120 && tick > 0, "{tick} of {last}");
}

#[test]
fn a_flock_loaded_during_a_pause_has_no_times_until_it_has_moved() {
    play(|session| {
        // Time starts with the first call.
        session.advance().unwrap();
        let frame = |session: &mut Session<RealTime>| {
            session.advance().unwrap();
            !session.profile().passes.is_empty()
        };
        assert!(frame(session));
        session.reset().unwrap();
        assert!(!session.profile().passes.is_empty(), "the last times stand in for a moment");
        session.clock.toggle();
        assert!(!frame(session), "those of the flock before");
        session.clock.step_once();
        assert!(frame(session));
        assert!(frame(session), "they are still those of the last tick");
    });
}

/// The state and targets after ten ticks, `edits`, and ten more ticks.
fn after(edits: impl FnOnce(&mut Session<RealTime>)) -> (FlockState, Vec<Target>) {
    let mut result = None;
    play(|session| {
        tick(session, 10);
        edits(session);
        tick(session, 10);
        result = Some((session.state().unwrap(), session.targets().unwrap()));
    });
    result.unwrap()
}

fn slower(session: &Session<RealTime>, max_speed: f32) -> Vec<Species> {
    let mut species = session.scene().species.clone();
    species[0].body.max_speed = max_speed;
    species
}

#[test]
fn an_edit_undone_leaves_no_trace_and_redone_is_that_edit() {
    type Do = fn(&mut Session<RealTime>);
    let edits: [(&str, Do); 6] = [
        ("parameters", |s| assert_eq!(s.change(slower(s, 1.0)), Ok(None))),
        ("new agents", |s| assert_eq!(s.add(0, &[Point::ONE, Point::new(50.0, 60.0)]), Ok(None))),
        ("path", |s| assert_eq!(s.new_path(), Ok(None))),
        ("seek and flee", |s| assert_eq!(s.turn_round(), Ok(None))),
        ("place of a target", |s| {
            assert_eq!(s.put(Thing::Target(2), Point::new(20.0, 30.0)), Ok(None));
        }),
        ("place of an obstacle", |s| {
            assert_eq!(s.put(Thing::Obstacle(0), Point::new(70.0, 60.0)), Ok(None));
        }),
    ];
    let untouched = after(|_| ());
    for (subject, edit) in edits {
        let edited = after(edit);
        assert_ne!(edited, untouched, "{subject}");
        let undone = after(|session| {
            edit(session);
            assert_eq!(session.undo().unwrap(), format!("undone: {subject}"));
        });
        assert_eq!(undone, untouched, "{subject}");
        let redone = after(|session| {
            edit(session);
            session.undo().unwrap();
            assert_eq!(session.redo().unwrap(), format!("redone: {subject}"));
        });
        // Ids are never used twice.
        if subject == "new agents" {
            assert_eq!((&edited.0.id[5..], &redone.0.id[5..]), (&[5, 6][..], &[7, 8][..]));
        } else {
            assert_eq!(redone, edited, "{subject}");
        }
    }
}

#[test]
fn an_undo_leaves_targets_alone_that_move_by_themselves() {
    play(|session| {
        session.put(Thing::Target(2), Point::new(20.0, 30.0)).unwrap();
        tick(session, 20);
        assert_eq!(session.undo().unwrap(), "undone: place of a target");
        let targets = session.targets().unwrap();
        assert_eq!(targets[1].position, Point::new(60.0, 0.0), "20 ticks of 3 units");
        assert_eq!(targets[2].position, Point::new(300.0, 100.0));
    });
}

#[test]
fn a_gesture_is_one_edit() {
    play(|session| {
        let before = session.scene().species.clone();
        for max_speed in [1.0, 2.0, 3.0] {
            session.change(slower(session, max_speed)).unwrap();
        }
        session.seal_edit();
        session.change(slower(session, 4.0)).unwrap();
        session.put(Thing::Obstacle(0), Point::ONE).unwrap();
        session.put(Thing::Obstacle(0), Point::ZERO).unwrap();
        assert_eq!(session.undo().unwrap(), "undone: place of an obstacle");
        assert_eq!(session.scene().obstacles, session.first.obstacles);
        assert_eq!(session.undo().unwrap(), "undone: parameters");
        assert_eq!(session.scene().species[0].body.max_speed, 3.0);
        session.undo().unwrap();
        assert_eq!(session.scene().species, before);
        assert_eq!(session.undo().unwrap(), "nothing to undo");
        session.redo().unwrap();
        assert_eq!(session.scene().species[0].body.max_speed, 3.0);
        // A new edit removes the undone edits; a reset removes all edits.
        session.change(slower(session, 9.0)).unwrap();
        assert_eq!(session.redo().unwrap(), "nothing to redo");
        session.reset().unwrap();
        assert_eq!(session.undo().unwrap(), "nothing to undo");
    });
}

#[test]
fn figures_are_recorded_while_time_passes() {
    play(|session| {
        session.advance().unwrap();
        assert_eq!(session.series().metrics().len(), 0, "figures are recorded too early");
        session.watch(true);
        for _ in 0..120 {
            session.advance().unwrap();
        }
        let ticks: Vec<u64> = session.series().metrics().map(|metrics| metrics.tick).collect();
        // Time passes here only by reading the clock, so the exact number says little.
        assert!((3..60).contains(&ticks.len()) && ticks.is_sorted(), "{ticks:?}");
        session.reset().unwrap();
        assert!(session.series().latest().is_none());
    });
}
