//! A played flock and what the user does to it, on the CPU engine.

use std::cell::Cell;
use std::rc::Rc;

use super::*;
use crate::engine::cpu::CpuEngine;
use crate::engine::{AgentsAt, Change, EngineKind, Snapshot};
use crate::model::behaviours::Kind;
use crate::model::scene::Request;

/// A wanderer, a target that moves by itself and one that rests, a path.
const TEXT: &str = "click = \"target\"\n[[targets]]\nname = \"fast\"\nvelocity = [3, 0]\n\
                    [[targets]]\nname = \"food\"\nposition = [300, 100]\n[[paths]]\n\
                    points = [[0, 180], [200, 180], [400, 180], [640, 180]]\n[[obstacles]]\n\
                    position = [50, 50]\n[species.a]\ncount = 5\n[species.a.wander]\n\
                    [species.a.seek]\n[species.a.follow_path]\n[species.a.avoid]\n";

fn play(test: impl FnOnce(&mut Player)) {
    let mut scene = Scene::parse("test", TEXT, &[]).unwrap();
    let state = scene.populate(&Request::default()).unwrap();
    let engine = Box::new(CpuEngine::new(Some(1)).unwrap());
    test(&mut Player::new(engine, &scene, &state).unwrap());
}

fn tick(player: &mut Player, ticks: u32) {
    player.engine.step(ticks).unwrap();
}

#[test]
fn a_change_keeps_angles_and_targets() {
    play(|player| {
        tick(player, 20);
        let (state, targets) = (player.state().unwrap(), player.targets().unwrap());
        assert_eq!(targets[1].position, Point::new(60.0, 0.0));
        assert_eq!(player.change(player.scene().species.clone()), Ok(None));
        assert_eq!(player.state(), Ok(state.clone()));
        assert_eq!(player.targets(), Ok(targets.clone()));
        assert_eq!(state.memory.len(), 5);
        player.switch(Box::new(CpuEngine::new(Some(1)).unwrap())).unwrap();
        assert_eq!((player.state(), player.targets()), (Ok(state), Ok(targets)));
    });
}

#[test]
fn a_reset_undoes_what_hands_have_done() {
    play(|player| {
        let first = (player.state().unwrap(), player.targets().unwrap());
        assert_eq!(player.add(0, &[Point::ONE, Point::ZERO]), Ok(None));
        assert_eq!((player.agents(), player.state().unwrap().len()), (7, 7));
        assert_eq!(player.new_path(), Ok(None));
        assert_ne!(player.scene().paths, player.first.paths);
        assert_eq!(player.turn_round(), Ok(None));
        let food = player.nearest_thing(Point::new(310.0, 100.0)).unwrap().unwrap();
        assert_eq!(player.put(food, Point::new(20.0, 30.0)), Ok(None));
        assert_eq!(player.targets().unwrap()[2].position, Point::new(20.0, 30.0));
        assert_eq!(player.put(Thing::Obstacle(0), Point::new(20.0, 30.0)), Ok(None));
        tick(player, 5);
        player.reset().unwrap();
        assert_eq!((player.state().unwrap(), player.targets().unwrap()), first);
        assert_eq!((player.agents(), player.tick()), (5, 0));
        assert_eq!(player.scene().paths, player.first.paths);
        assert_eq!(player.scene().obstacles, player.first.obstacles);
        assert_eq!(player.scene().species[0].rules, player.first.species[0].rules);
    });
}

#[test]
fn a_target_goes_along_with_the_mouse() {
    let text = TEXT.replace("click = \"target\"", "click = [\"follow\", \"flee\"]");
    let mut scene = Scene::parse("test", &text, &[]).unwrap();
    let state = scene.populate(&Request::default()).unwrap();
    let engine = Box::new(CpuEngine::new(Some(1)).unwrap());
    let mut player = Player::new(engine, &scene, &state).unwrap();
    tick(&mut player, 10);
    let before = player.state().unwrap();
    let revision = player.revision();
    // Across the seam.
    player.lead(Point::new(-10.0, 50.0)).unwrap();
    let targets = player.targets().unwrap();
    assert_eq!(
        (targets[1].position, targets[2].position),
        (Point::new(30.0, 0.0), Point::new(630.0, 50.0))
    );
    assert_eq!(player.state().unwrap(), before, "the flock goes on as it was");
    assert_ne!(player.revision(), revision, "who keeps a copy of the targets must hear of it");
    tick(&mut player, 5);
    assert_eq!(player.targets().unwrap()[2].position, Point::new(630.0, 50.0));
    // It stays there when another engine takes over, and goes home at a reset.
    player.switch(Box::new(CpuEngine::new(Some(1)).unwrap())).unwrap();
    assert_eq!(player.targets().unwrap()[2].position, Point::new(630.0, 50.0));
    player.reset().unwrap();
    assert_eq!(player.targets().unwrap()[2].position, Point::new(300.0, 100.0));
    // A scene without the mode leaves its targets alone.
    play(|player| {
        player.lead(Point::ONE).unwrap();
        assert_eq!(player.targets().unwrap()[2].position, Point::new(300.0, 100.0));
    });
}

#[test]
fn who_was_put_back_is_not_turned_by_a_reset() {
    play(|player| {
        assert_eq!(player.turn_round(), Ok(None));
        assert!(player.scene().species[0].rule(Kind::Flee).is_some());
        assert_eq!(player.change(player.first.species.clone()), Ok(None));
        player.reset().unwrap();
        assert_eq!(player.scene().species[0].rules, player.first.species[0].rules);
    });
}

#[test]
fn new_paths_are_the_same_after_a_reset() {
    play(|player| {
        let mut path = || {
            player.new_path().unwrap();
            player.scene().paths[0].clone()
        };
        let paths = [path(), path()];
        assert_ne!(paths[0], paths[1]);
        player.reset().unwrap();
        player.new_path().unwrap();
        assert_eq!(player.scene().paths[0], paths[0]);
    });
}

#[test]
fn what_cannot_be_leaves_the_flock_as_it_is() {
    play(|player| {
        let before = player.state().unwrap();
        let refused = player.change_by(|scene, state| {
            scene.paths.clear();
            state.id.push(9);
            Err("no")
        });
        assert_eq!(refused, Ok(Some("no".into())));
        assert_eq!((player.state(), player.agents()), (Ok(before), 5));
        assert_eq!(player.scene().paths.len(), 1);
    });
}

/// An engine that holds eight agents, and loses what it has when it is asked to load seven.
struct Fussy(CpuEngine);

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
        if state.len() == 7 {
            self.0.load(scene, &FlockState::default())?;
            let (adapter, message) = ("fussy".into(), "not seven".into());
            return Err(EngineError::Device { adapter, message });
        }
        self.0.load(scene, state)
    }
    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError> {
        self.0.update(scene, change)
    }
    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError> {
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
    let mut player = Player::new(engine, &scene, &state).unwrap();
    tick(&mut player, 3);
    let before = player.state().unwrap();
    for (more, why) in [(4, "9 agents do not fit fussy"), (2, "not seven")] {
        let refused = player.add(0, &vec![Point::ONE; more]).unwrap();
        assert!(refused.is_some_and(|text| text.contains(why)), "{why}");
        assert_eq!(player.state(), Ok(before.clone()));
        assert_eq!(player.agents(), 5);
    }
    assert_eq!(player.add(0, &[Point::ONE; 3]), Ok(None));
    assert_eq!(player.state().unwrap().len(), 8);
}

/// An engine on a device that is lost once `dead` is true.
struct Mortal {
    engine: CpuEngine,
    dead: Rc<Cell<bool>>,
}

impl Mortal {
    fn alive(&self) -> Result<(), EngineError> {
        let (adapter, reason) = ("mortal".into(), "it died".into());
        if self.dead.get() { Err(EngineError::Lost { adapter, reason }) } else { Ok(()) }
    }
}

impl Engine for Mortal {
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
        self.alive()
    }
    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
        Ok(None)
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
fn a_flock_that_is_lost_goes_on_from_the_last_state_on_the_host() {
    let dead = Rc::new(Cell::new(false));
    let mut scene = Scene::parse("test", TEXT, &[]).unwrap();
    let state = scene.populate(&Request::default()).unwrap();
    let cpu = || CpuEngine::new(Some(1)).unwrap();
    let mortal = || Box::new(Mortal { engine: cpu(), dead: Rc::clone(&dead) });
    let mut player = Player::new(mortal(), &scene, &state).unwrap();
    let first = (player.state().unwrap(), player.targets().unwrap());
    let mut expected = first.clone();
    let edits: [fn(&mut Player); 4] = [
        |_| (),
        |player| assert_eq!(player.add(0, &[Point::ONE; 2]), Ok(None)),
        |player| {
            let food = player.nearest_thing(Point::new(310.0, 100.0)).unwrap().unwrap();
            assert_eq!(player.put(food, Point::new(20.0, 30.0)), Ok(None));
        },
        |player| player.switch(Box::new(CpuEngine::new(Some(1)).unwrap())).unwrap(),
    ];
    for edit in edits {
        tick(&mut player, 3);
        edit(&mut player);
        if player.engine().kind() == EngineKind::Cpu {
            player.switch(mortal()).unwrap();
        }
        if player.state().unwrap().tick > 3 || player.agents() > 5 {
            expected = (player.state().unwrap(), player.targets().unwrap());
        }
        tick(&mut player, 4);
        dead.set(true);
        // Nothing that is asked of it changes what there is to go on from.
        assert!(player.add(0, &[Point::ZERO]).is_err() && player.new_path().is_err());
        assert!(player.advance(1.0).is_err() && player.targets().is_err());
        assert_eq!(player.rescue(Box::new(cpu())), Ok(expected.0.tick));
        dead.set(false);
        assert_eq!((player.state().unwrap(), player.targets().unwrap()), expected);
        assert_eq!((player.tick(), player.agents()), (expected.0.tick, expected.0.len()));
        player.switch(mortal()).unwrap();
    }
    // What was asked for when it was lost is done after it.
    dead.set(true);
    assert!(player.reset().is_err());
    assert_eq!(player.rescue(Box::new(cpu())), Ok(0));
    assert_eq!((player.state().unwrap(), player.targets().unwrap()), first);
}

#[test]
fn a_flock_loaded_during_a_pause_has_no_times_until_it_has_moved() {
    play(|player| {
        let frame = |player: &mut Player| {
            player.advance(1.0 / 60.0).unwrap();
            !player.profile().passes.is_empty()
        };
        assert!(frame(player));
        player.reset().unwrap();
        assert!(!player.profile().passes.is_empty(), "the last times stand in for a moment");
        player.clock.toggle();
        assert!(!frame(player), "those of the flock before");
        player.clock.step_once();
        assert!(frame(player));
        assert!(frame(player), "they are still those of the last tick");
    });
}
