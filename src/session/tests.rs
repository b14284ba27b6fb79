//! A running flock and the user's edits, on the CPU engine.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use flockwork_model::behaviours::Kind;
use flockwork_model::scene::Request;
use flockwork_model::statistics::Metrics;
use flockwork_model::vector::{Point, flat};

/// A wanderer, a target that moves by itself, one at rest, a path and an obstacle.
pub(super) const TEXT: &str = "click = \"target\"\n[[targets]]\nname = \"fast\"\nvelocity = [3, 0]\n\
                    [[targets]]\nname = \"food\"\nposition = [300, 100]\n[[paths]]\n\
                    points = [[0, 180], [200, 180], [400, 180], [640, 180]]\n[[obstacles]]\n\
                    position = [50, 50]\n[species.a]\ncount = 5\n[species.a.wander]\n\
                    [species.a.seek]\n[species.a.follow_path]\n[species.a.avoid]\n";

/// The same in space.
pub(super) const IN_SPACE: &str = "click = \"target\"\nworld.size = [640, 360, 200]\n[[targets]]\n\
                    name = \"fast\"\nvelocity = [3, 0, 1]\n[[targets]]\nname = \"food\"\n\
                    position = [300, 100, 80]\n[[paths]]\npoints = [[0, 180, 50], [200, 180, 90], \
                    [400, 180, 150], [640, 180, 50]]\n[[obstacles]]\nposition = [50, 50, 60]\n\
                    [species.a]\ncount = 5\n[species.a.wander]\n[species.a.seek]\n\
                    [species.a.follow_path]\n[species.a.avoid]\n";

/// A session with its own time: every reading of the clock is one 60 Hz frame later.
pub(super) fn session(
    engine: Box<dyn Engine>,
    scene: &Scene,
    state: &FlockState,
) -> Session<RealTime> {
    let frames = AtomicU32::new(0);
    let time = move || Duration::from_secs(1) * frames.fetch_add(1, Ordering::Relaxed) / 60;
    let state = Arc::new(state.clone());
    Session::new(engine, scene, state, RealTime::default(), Arc::new(time)).unwrap()
}

/// A session of the flock that a scene file's text makes.
pub(super) fn opened(engine: Box<dyn Engine>, text: &str, request: Request) -> Session<RealTime> {
    let scene = Scene::parse("test", text).unwrap();
    let (scene, state) = scene.populate(&request).unwrap();
    let source = Source { text: text.into(), request, ..Source::default() };
    session(engine, &scene, &state).made_from(source)
}

/// The same on the CPU, as the file says.
pub(super) fn opened_here(text: &str) -> Session<RealTime> {
    opened(time_tests::cpu(), text, Request::default())
}

/// Fails unless a text has all these parts.
#[track_caller]
pub(super) fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn a_session_can_go_to_another_thread() {
    fn can_go<T: Send>() {}
    can_go::<Session<RealTime>>();
}

pub(super) fn tick(session: &mut Session<RealTime>, ticks: u32) {
    session.runner.engine.step(ticks).unwrap();
}

#[test]
fn a_change_keeps_angles_and_targets() {
    let session = &mut opened_here(TEXT);
    tick(session, 20);
    let (state, targets) = (session.state().unwrap(), session.targets().unwrap());
    assert_eq!(targets[1].position, flat(60.0, 0.0));
    session.change(session.scene().species.clone()).unwrap();
    assert_eq!(session.state(), Ok(state.clone()));
    assert_eq!(session.targets(), Ok(targets.clone()));
    assert_eq!(state.memory.len(), 5);
    session.switch(time_tests::cpu()).unwrap();
    assert_eq!((session.state(), session.targets()), (Ok(state), Ok(targets)));
}

#[test]
fn a_reset_undoes_what_hands_have_done() {
    let session = &mut opened_here(TEXT);
    let first = (session.state().unwrap(), session.targets().unwrap());
    session.add(0, &[Point::ONE, Point::ZERO]).unwrap();
    assert_eq!((session.agents(), session.state().unwrap().len()), (7, 7));
    session.edit(Edit::NewPath).unwrap();
    assert_ne!(session.scene().paths, session.original().paths);
    session.edit(Edit::SwapSeekFlee).unwrap();
    let food = session.nearest_object(flat(310.0, 100.0)).unwrap().unwrap();
    session.put(food, flat(20.0, 30.0)).unwrap();
    assert_eq!(session.targets().unwrap()[2].position, flat(20.0, 30.0));
    session.put(SceneObject::Obstacle(0), flat(20.0, 30.0)).unwrap();
    tick(session, 5);
    session.reset().unwrap();
    assert_eq!((session.state().unwrap(), session.targets().unwrap()), first);
    assert_eq!((session.agents(), session.tick()), (5, 0));
    assert_eq!(session.scene().paths, session.original().paths);
    assert_eq!(session.scene().obstacles, session.original().obstacles);
    assert_eq!(session.scene().species[0].rules, session.original().species[0].rules);
}

#[test]
fn a_target_goes_along_with_the_mouse() {
    let text = TEXT.replace("click = \"target\"", "click = [\"follow\", \"flee\"]");
    let mut session = opened_here(&text);
    tick(&mut session, 10);
    let before = session.state().unwrap();
    let revision = session.revision();
    // Across the seam.
    session.lead(flat(-10.0, 50.0)).unwrap();
    let targets = session.targets().unwrap();
    assert_eq!((targets[1].position, targets[2].position), (flat(30.0, 0.0), flat(630.0, 50.0)));
    assert_eq!(session.state().unwrap(), before, "the flock goes on as it was");
    assert_ne!(session.revision(), revision, "a copy of the targets is then out of date");
    tick(&mut session, 5);
    assert_eq!(session.targets().unwrap()[2].position, flat(630.0, 50.0));
    // It stays there on another engine, and returns to its start at a reset.
    session.switch(time_tests::cpu()).unwrap();
    assert_eq!(session.targets().unwrap()[2].position, flat(630.0, 50.0));
    session.reset().unwrap();
    assert_eq!(session.targets().unwrap()[2].position, flat(300.0, 100.0));
    // In a scene without that mode the targets stay.
    let mut session = opened_here(TEXT);
    session.lead(Point::ONE).unwrap();
    assert_eq!(session.targets().unwrap()[2].position, flat(300.0, 100.0));
}

#[test]
fn who_was_put_back_is_not_turned_by_a_reset() {
    let session = &mut opened_here(TEXT);
    session.edit(Edit::SwapSeekFlee).unwrap();
    assert!(session.scene().species[0].rule(Kind::Flee).is_some());
    session.change(session.original().species.clone()).unwrap();
    session.reset().unwrap();
    assert_eq!(session.scene().species[0].rules, session.original().species[0].rules);
}

#[test]
fn new_paths_are_the_same_after_a_reset() {
    let session = &mut opened_here(TEXT);
    let mut path = || {
        session.edit(Edit::NewPath).unwrap();
        session.scene().paths[0].clone()
    };
    let paths = [path(), path()];
    assert_ne!(paths[0], paths[1]);
    session.reset().unwrap();
    session.edit(Edit::NewPath).unwrap();
    assert_eq!(session.scene().paths[0], paths[0]);
}

#[test]
fn what_cannot_be_leaves_the_flock_as_it_is() {
    let session = &mut opened_here(TEXT);
    let before = session.state().unwrap();
    assert!(hands::refusal(session.set_max_speed(1e6)).contains("world"));
    assert_eq!((session.state(), session.agents()), (Ok(before), 5));
    assert_eq!(session.scene().paths, session.original().paths);
}

#[test]
fn a_flock_loaded_during_a_pause_has_no_times_until_it_has_moved() {
    let session = &mut opened_here(TEXT);
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
}

#[test]
fn metrics_are_recorded_while_time_passes() {
    let session = &mut opened_here(TEXT);
    let play = |session: &mut Session<RealTime>| {
        for _ in 0..120 {
            session.advance().unwrap();
            while let Some(sample) = session.take_sample() {
                assert!(session.awaits_metrics());
                let metrics = Metrics::of(&sample.scene, &sample.state);
                session.measured(sample.number, metrics, Duration::ZERO);
            }
        }
        session.series().rows().iter().map(|row| row.tick).collect::<Vec<u64>>()
    };
    assert!(play(session).is_empty(), "nobody watches");
    session.watch(Watch::Seldom);
    let seldom = play(session);
    session.watch(Watch::Closely);
    let closely = play(session).len() - seldom.len();
    // Time passes here only by reading the clock, so the exact numbers say little.
    assert!(seldom.len() >= 2 && closely > seldom.len(), "{seldom:?}, {closely}");
    assert!(seldom.is_sorted());
    session.reset().unwrap();
    assert!(session.series().latest().is_none() && session.series().rows().is_empty());
}
