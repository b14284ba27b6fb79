//! Time goes back and forward, and the flock is the same.

use super::hands::refusal;
use super::record::Recording;
use super::tests::{IN_SPACE, TEXT, opened};
use super::*;
use flockwork_engine::cpu::CpuEngine;
use flockwork_engine::gpu::{AdapterChoice, Gpu, GpuEngine};
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Request;
use flockwork_model::vector::{Point, flat};

/// Agents, targets, number of agents.
pub(super) type Seen = (FlockState, Vec<Target>, usize);

type Hand<'a> = &'a dyn Fn(&mut Session<RealTime>);

pub(super) fn cpu() -> Box<dyn Engine> {
    Box::new(CpuEngine::new(Some(1)).unwrap())
}

/// All engines that are there.
pub(super) fn engines() -> Vec<Box<dyn Engine>> {
    let mut engines = vec![cpu()];
    if std::env::var("FLOCKWORK_SKIP_GPU").is_ok_and(|value| value == "1") {
        eprintln!("SKIPPED on the GPU (FLOCKWORK_SKIP_GPU=1): time goes back");
    } else {
        let gpu = Gpu::open(&AdapterChoice::default()).unwrap();
        engines.push(Box::new(GpuEngine::new(gpu)));
    }
    engines
}

/// A plane and a space on each engine.
pub(super) fn worlds() -> Vec<(Box<dyn Engine>, &'static str)> {
    let worlds = [TEXT, IN_SPACE].into_iter();
    worlds.flat_map(|text| engines().into_iter().map(move |engine| (engine, text))).collect()
}

/// A session of a scene with everything that edits can change.
pub(super) fn start(engine: Box<dyn Engine>) -> Session<RealTime> {
    start_in(engine, TEXT)
}

/// The same with a scene of the caller's, which has five agents.
pub(super) fn start_in(engine: Box<dyn Engine>, text: &str) -> Session<RealTime> {
    paused(engine, &text.replace("count = 5", "count = 300"), Request::default())
}

/// A session of a scene file that stands still, but for its seeks.
pub(super) fn paused(engine: Box<dyn Engine>, text: &str, request: Request) -> Session<RealTime> {
    let mut session = opened(engine, text, request);
    session.clock.toggle();
    session
}

/// The state that is compared: agents, targets and their number.
pub(super) fn now(session: &mut Session<RealTime>) -> Seen {
    (session.state().unwrap(), session.targets().unwrap(), session.agents())
}

/// True if all agents of both states are within a distance of each other; world units.
pub(super) fn near(one: &FlockState, other: &FlockState, within: f32) -> bool {
    one.position.iter().zip(&other.position).all(|(a, b)| a.distance(*b) < within)
}

/// Goes to a tick in slices.
pub(super) fn reach(session: &mut Session<RealTime>, tick: u64) {
    session.seek_to(tick);
    for _ in 0..10_000 {
        if session.goal().is_none() {
            assert_eq!(session.tick(), tick);
            return;
        }
        session.advance().unwrap();
    }
    panic!("tick {tick} is never reached");
}

/// A session that replays what a file says.
pub(super) fn replayed(engine: Box<dyn Engine>, text: &str) -> Session<RealTime> {
    let recording = Recording::read(text).unwrap();
    let session = paused(engine, &recording.source.text, recording.source.request);
    let events = recording.events(session.original()).unwrap();
    let mut session = session.made_from(recording.source);
    session.replay(events, recording.ticks).unwrap();
    session
}

/// Fails unless the flock is at each tick what was seen there.
#[track_caller]
pub(super) fn assert_seen<'a>(
    session: &mut Session<RealTime>,
    seen: impl IntoIterator<Item = &'a (u64, Seen)>,
) {
    for (tick, wanted) in seen {
        reach(session, *tick);
        assert!(now(session) == *wanted, "tick {tick} is not what it was");
    }
}

/// Fails unless the saved session is the same flock at the present tick. Returns the replay.
#[track_caller]
pub(super) fn assert_replayed(session: &mut Session<RealTime>) -> Session<RealTime> {
    let mut again = replayed(cpu(), &session.recording().unwrap());
    assert_seen(&mut again, &[(session.tick(), now(session))]);
    again
}

/// A place in the world of a session: in space at a height.
pub(super) fn place(session: &Session<RealTime>, x: f32, y: f32) -> Point {
    let z = if session.scene().world.is_flat() { 0.0 } else { 70.1 };
    Point::new(x, y, z)
}

/// Plays 200 ticks with an edit of every kind. Returns what was at some of them.
pub(super) fn course(session: &mut Session<RealTime>) -> Vec<(u64, Seen)> {
    let edits: [(u64, Hand<'_>); 11] = [
        (10, &|s| s.set_pointer(Some(place(s, 20.0, 30.0))).unwrap()),
        (25, &|s| s.set_pointer(None).unwrap()),
        (40, &|s| s.set_max_speed(1.0).unwrap()),
        (55, &|s| s.add(0, &[Point::ONE, place(s, 9.0, 9.0)]).unwrap()),
        (60, &|s| assert_eq!(s.undo().unwrap(), "undone: new agents")),
        (70, &|s| s.add(0, &[place(s, 77.0, 70.0)]).unwrap()),
        (80, &|s| s.put(SceneObject::Target(1), place(s, 20.0, 30.0)).unwrap()),
        (80, &|s| s.put(SceneObject::Obstacle(0), place(s, 70.0, 60.0)).unwrap()),
        (100, &|s| s.edit(Edit::NewPath).unwrap()),
        (120, &|s| s.edit(Edit::AddTarget(place(s, 60.0, 60.0))).unwrap()),
        (150, &|s| s.edit(Edit::SwapSeekFlee).unwrap()),
    ];
    let mut seen = Vec::new();
    for (tick, edit) in edits {
        reach(session, tick);
        edit(session);
        seen.push((tick, now(session)));
    }
    reach(session, 200);
    seen.push((200, now(session)));
    // Two edits at one tick: what is there afterwards is the tick's state.
    seen.remove(6);
    seen
}

#[test]
fn going_back_is_exact_on_every_engine() {
    for (engine, text) in worlds() {
        let mut session = start_in(engine, text);
        let seen = course(&mut session);
        assert!(session.timeline.history.kept.len() > 1);
        assert_eq!((session.span(), session.events().len()), ((0, 200), 11));
        let order = [5, 0, 9, 3, 10, 1, 8, 2, 7, 4, 6, 10];
        assert_seen(&mut session, order.map(|index| &seen[index]));
        assert_eq!((session.span(), session.events().len()), ((0, 200), 11));
        // Without memory everything is computed again.
        session.set_history(0);
        assert_eq!(session.timeline.history.kept.len(), 1);
        assert_seen(&mut session, [10, 4, 9].map(|index| &seen[index]));
        // The edits can still be undone.
        reach(&mut session, 200);
        assert_eq!(session.undo().unwrap(), "undone: seek and flee");
    }
}

/// The negative control: without its events the past is another.
#[test]
fn a_replay_that_forgets_an_event_is_another_flock() {
    for (forgotten, text) in (0..11).flat_map(|event| [(event, TEXT), (event, IN_SPACE)]) {
        let mut session = start_in(cpu(), text);
        let wanted = course(&mut session).pop().unwrap().1;
        let mut events = session.events().to_vec();
        let mut again = start_in(cpu(), text);
        again.replay(events.clone(), 200).unwrap();
        reach(&mut again, 200);
        assert!(now(&mut again) == wanted, "with all of them it is the same");
        events.remove(forgotten);
        let mut other = start_in(cpu(), text);
        other.replay(events, 200).unwrap();
        reach(&mut other, 200);
        assert!(now(&mut other) != wanted, "event {forgotten} does nothing");
    }
}

#[test]
fn a_refused_edit_of_several_parts_leaves_no_trace_in_the_past() {
    let mut session = start(cpu());
    let seen = course(&mut session);
    reach(&mut session, 65);
    let obstacle = Edit::AddObstacle(flat(20.0, 30.0));
    let unknown = Edit::Rename { species: "nope".into(), to: "x".into() };
    let before = now(&mut session);
    refusal(session.edit(Edit::Together(vec![obstacle.clone(), unknown])));
    assert_eq!((session.take_notice(), session.events().len()), (None, 11));
    assert!(now(&mut session) == before);
    reach(&mut session, 200);
    assert!(now(&mut session) == seen[10].1);
    assert_eq!(session.undo().unwrap(), "undone: seek and flee");
    // The control: without the refused part it is recorded, and repeated as it was.
    session.edit(Edit::Together(vec![obstacle, Edit::NewPath])).unwrap();
    assert_eq!(session.events().len(), 14);
    let path = session.scene().paths[0].clone();
    session.undo().unwrap();
    session.redo().unwrap();
    assert_eq!(session.scene().paths[0], path);
}

/// Wanderers whose rule goes and comes back have fresh memories, and a replay must know.
#[test]
fn a_refused_edit_that_leaves_traces_is_replayed() {
    let mut session = start(cpu());
    reach(&mut session, 40);
    let mut species = session.scene().species.clone();
    species[0].rules.retain(|rule| rule.kind.info().key != "wander");
    let place = vec![flat(20.0, 30.0)];
    let spawn =
        |place| Edit::Spawn(vec![SpawnBatch { species: "a".into(), places: place, newcomers: 0 }]);
    let unknown = Edit::Rename { species: "nope".into(), to: "x".into() };
    let inner = Edit::Together(vec![spawn(place.clone()), unknown]);
    let all = vec![Edit::Set(species.into()), spawn(place), inner];
    refusal(session.edit(Edit::Together(all)));
    assert_eq!((session.agents(), session.scene().species[0].rules.len()), (300, 4));
    session.add(0, &[Point::ONE]).unwrap();
    assert_eq!(session.state().unwrap().id.last(), Some(&302), "two ids are used up");
    reach(&mut session, 90);
    let seen = now(&mut session);
    reach(&mut session, 10);
    reach(&mut session, 90);
    assert!(now(&mut session) == seen);
}

#[test]
fn an_edit_in_the_past_cuts_what_came_after_it() {
    let mut session = start(cpu());
    course(&mut session);
    reach(&mut session, 65);
    let later = session.undo().unwrap_err().to_string();
    assert!(later.contains("end of the timeline"), "{later}");
    assert_eq!((session.take_notice(), session.events().len()), (None, 11));
    session.set_max_speed(3.0).unwrap();
    assert!(session.take_notice().is_some_and(|notice| notice.contains("is cut")));
    assert_eq!((session.span(), session.events().len()), ((0, 65), 6));
    assert_eq!(session.undo().unwrap(), "undone: parameters");
    // Ids go on from the past's.
    session.add(0, &[Point::ONE]).unwrap();
    assert_eq!(session.state().unwrap().id.last(), Some(&302));
    reach(&mut session, 90);
    let wanted = now(&mut session);
    reach(&mut session, 5);
    reach(&mut session, 90);
    assert!(now(&mut session) == wanted);
}

#[test]
fn a_reset_begins_a_new_past_and_another_scene_keeps_its_own() {
    let mut session = start(cpu());
    let seen = course(&mut session);
    let scene = session.original().clone();
    let state = FlockState::clone(session.editor.initial.as_ref().unwrap());
    let opening = Opening { source: Source::default(), scene, state };
    session.open(opening).unwrap();
    assert_eq!((session.span(), session.events().len()), ((0, 0), 0));
    reach(&mut session, 30);
    session.undo().unwrap();
    assert_eq!((session.tick(), session.span()), (200, (0, 200)));
    assert_seen(&mut session, [&seen[4], &seen[10]]);
    session.reset().unwrap();
    assert_eq!((session.span(), session.events().len()), ((0, 0), 0));
}

#[test]
fn a_journey_goes_in_slices_and_stops_when_it_is_told_to() {
    let mut ticks = 0;
    let mut session = start(cpu());
    session.seek_to(1_000_000_000_000);
    for _ in 0..20 {
        let advance = session.advance().unwrap();
        assert!(advance.ticks <= 256 && advance.show);
        ticks += u64::from(advance.ticks);
    }
    assert_eq!(ticks, session.tick());
    session.cancel_seek();
    assert_eq!((session.goal(), session.advance().unwrap().ticks), (None, 0));
    // On the way it takes no edits.
    session.seek_to(0);
    for done in [session.set_pointer(Some(Point::ONE)), session.set_max_speed(1.0)] {
        assert!(refusal(done).contains("on its way to tick 0"));
    }
    assert_eq!((session.goal(), session.events()), (Some(0), &[][..]));
}

#[test]
fn a_release_in_the_past_cuts_nothing() {
    let mut session = start(cpu());
    reach(&mut session, 40);
    session.set_pointer(Some(Point::ONE)).unwrap();
    reach(&mut session, 80);
    let wanted = now(&mut session);
    session.seek_to(20);
    session.set_pointer(None).unwrap();
    reach(&mut session, 20);
    session.set_pointer(None).unwrap();
    reach(&mut session, 80);
    assert!(now(&mut session) == wanted && session.events().len() == 1);
    session.set_pointer(None).unwrap();
    assert!(!session.targets().unwrap()[0].active);
}

#[test]
fn a_journey_has_as_many_ticks_in_a_frame_where_drawing_is_slow() {
    let mut session = start(cpu());
    session.seek_to(1_000_000);
    for _ in 0..20 {
        session.advance().unwrap();
        // Drawing takes a second.
        for _ in 0..60 {
            session.runner.now();
        }
    }
    assert!(session.tick() > 100, "{}", session.tick());
}

#[test]
fn a_mouse_that_crosses_the_past_changes_nothing() {
    let text = TEXT.replace("click = \"target\"", "click = [\"follow\", \"flee\"]");
    let mut session = paused(cpu(), &text, Request::default());
    for tick in [10, 20, 30] {
        reach(&mut session, tick);
        session.lead(Point::splat(tick as f32)).unwrap();
    }
    reach(&mut session, 40);
    let wanted = now(&mut session);
    reach(&mut session, 15);
    session.lead(flat(-10.0, 50.0)).unwrap();
    assert_eq!((session.events().len(), session.span()), (3, (0, 40)));
    reach(&mut session, 40);
    assert!(now(&mut session) == wanted);
}
