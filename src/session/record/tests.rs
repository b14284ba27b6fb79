//! A session is saved, read and replayed.

use super::*;
use crate::Edit;
use crate::tests::{IN_SPACE, assert_has, opened};
use crate::time_tests::{
    assert_replayed, assert_seen, course, cpu, now, place, reach, replayed, start, start_in, worlds,
};
use crate::{Clock, Opening, RealTime, Room, SceneObject, Session, Source};
use flockwork_model::scene::{Request, Scene, built_in, edit_toml};
use flockwork_model::vector::{Point, flat};

/// Why a text is no session of `scene`: one sentence.
fn problem_in(scene: &Scene, text: &str) -> String {
    let read = Recording::read(text);
    let error = read.and_then(|recording| recording.events(scene).map(|_| ())).unwrap_err();
    assert!(!error.0.contains('\n') && error.0.len() < 500, "{error}");
    error.into()
}

/// Fails unless a session whose one event has a row is refused, and the reason has these words.
fn assert_refused(text: &str, rows: &[(&str, &str)]) {
    let scene = Scene::parse("test", &Recording::read(text).unwrap().source.text).unwrap();
    let (head, _) = text.split_once("[[event]]").unwrap();
    for (row, words) in rows {
        let error = problem_in(&scene, &format!("{head}[[event]]\ntick = 3\n{row}\n"));
        assert!(error.contains(words), "{words}: {error}");
    }
}

#[test]
fn a_saved_session_is_the_same_flock_on_every_engine() {
    for ((engine, text), (other, _)) in worlds().into_iter().zip(worlds()) {
        let mut session = start_in(engine, text);
        let seen = course(&mut session);
        let text = session.recording().unwrap();
        let mut again = replayed(other, &text);
        assert_eq!(again.span(), (0, 200));
        assert_seen(&mut again, &seen);
        assert_eq!(again.events().len(), session.events().len());
        assert_eq!(again.recording().unwrap(), text);
    }
}

#[test]
fn a_session_is_readable() {
    let mut session = start(cpu());
    reach(&mut session, 10);
    session.set_pointer(Some(flat(20.1, 30.0))).unwrap();
    session.set_max_speed(1.25).unwrap();
    session.add(0, &[Point::ONE]).unwrap();
    reach(&mut session, 20);
    session.set_pointer(None).unwrap();
    session.put(SceneObject::Target(2), flat(5.0, 6.0)).unwrap();
    let text = session.recording().unwrap();
    assert_has(&text, &["ticks = 20", "count = 300", "[[event]]", "places = [[1.0, 1.0]]"]);
    assert_has(&text, &["pointer = [20.1, 30.0]", "set = [\"a.max_speed=1.25\"]"]);
    assert_has(&text, &["pointer = false", "target = \"food\"", "to = [5.0, 6.0]"]);
    assert_eq!(Recording::read(&text).unwrap().source.argument.unwrap(), "test");
}

#[test]
fn a_place_in_space_has_three_numbers() {
    let mut session = start_in(cpu(), IN_SPACE);
    reach(&mut session, 10);
    let at = place(&session, 20.1, 30.0);
    session.set_pointer(Some(at)).unwrap();
    session.add(0, &[at]).unwrap();
    reach(&mut session, 20);
    session.put(SceneObject::Target(2), at).unwrap();
    session.put(SceneObject::Obstacle(0), at).unwrap();
    session.edit(Edit::AddTarget(at)).unwrap();
    session.edit(Edit::NewPath).unwrap();
    let text = session.recording().unwrap();
    for key in ["pointer = ", "places = [", "to = ", "obstacle = 0\nto = ", "position = "] {
        assert_has(&text, &[&format!("{key}[20.1, 30.0, 70.1]")]);
    }
    assert_has(&text, &["[640.0, 180.0, 50.0]]"]);
}

/// A session of five agents, with events at tick 3, replayed to its end.
fn replayed_rows(rows: &[&str], room: Room) -> Session<RealTime> {
    let mut session = start(cpu());
    reach(&mut session, 10);
    let text = session.recording().unwrap();
    let rows: String = rows.iter().map(|row| format!("\n[[event]]\ntick = 3\n{row}\n")).collect();
    let recording = Recording::read(&format!("{text}{rows}")).unwrap();
    let mut session = opened(cpu(), &recording.source.text, recording.source.request);
    let events = recording.events(session.original()).unwrap();
    session.set_room(room);
    session.replay(events, recording.ticks).unwrap();
    reach(&mut session, 10);
    session
}

#[test]
fn an_id_that_is_removed_twice_counts_once() {
    let mut session = replayed_rows(&["remove = [3, 3, 3, 3]"], |_, _, _, _| Ok(()));
    assert_eq!(session.agents(), session.state().unwrap().len());
    assert!(!session.state().unwrap().id.contains(&3));
}

#[test]
fn agents_of_an_event_come_only_where_there_is_room() {
    let add = "add = [{ species = \"a\", newcomers = 4000000000 }]";
    let mut session = replayed_rows(&[add], |_, agents, more, _| match more {
        ..1000 => Ok(()),
        _ => Err(format!("no room for {more} beside {agents}")),
    });
    let agents = session.state().unwrap().len();
    let told = session.take_notice().unwrap();
    assert!(told.contains(&format!("no room for 4000000000 beside {agents}")), "{told}");
    // An id that is in the flock does not come back a second time.
    let back = "back = { species = \"a\", id = [2], position = [[1, 2]], velocity = [[0, 0]] }";
    let mut session = replayed_rows(&[back], |_, _, _, _| Ok(()));
    assert!(session.take_notice().unwrap().contains("agent 2 is in the flock already"));
}

#[test]
fn edits_before_a_reset_belong_to_the_start() {
    let mut session = start(cpu());
    session.set_max_speed(1.25).unwrap();
    session.edit(Edit::AddObstacle(flat(200.0, 200.0))).unwrap();
    // A target in the place of another one.
    session.remove(SceneObject::Target(2)).unwrap();
    session.edit(Edit::AddTarget(flat(200.0, 200.0))).unwrap();
    session.reset().unwrap();
    reach(&mut session, 60);
    assert_replayed(&mut session);
}

#[test]
fn a_press_that_lasts_over_a_reset_belongs_to_the_start() {
    let mut session = start(cpu());
    reach(&mut session, 10);
    session.set_pointer(Some(flat(600.0, 30.0))).unwrap();
    session.reset().unwrap();
    reach(&mut session, 30);
    session.set_pointer(None).unwrap();
    reach(&mut session, 60);
    let (wanted, text) = (now(&mut session), session.recording().unwrap());
    assert_replayed(&mut session);
    // The control: a replay without the press.
    let mut other = replayed(cpu(), &text.replace("pointer = [600.0, 30.0]", "pointer = false"));
    reach(&mut other, 60);
    assert!(now(&mut other).0 != wanted.0);
}

#[test]
fn a_flock_that_no_scene_makes_is_not_saved() {
    let mut session = start(cpu());
    let (scene, mut state) = (session.original().clone(), session.state().unwrap());
    state.position[0] = flat(1.5, 1.5);
    session = crate::tests::session(cpu(), &scene, &state);
    assert!(session.recording().unwrap_err().to_string().contains("no scene makes"));
    assert!(session.clock.is_paused() || session.tick() == 0);
}

#[test]
fn a_damaged_file_is_one_sentence() {
    let mut session = start(cpu());
    course(&mut session);
    let text = session.recording().unwrap();
    let scene = Scene::parse("test", &Recording::read(&text).unwrap().source.text).unwrap();
    for (damaged, words) in [
        (String::new(), "saved session"),
        ("[species.a]\ncount = 3\n".into(), "saved session"),
        (text[..text.len() / 2].into(), "line"),
        (text.replace("session = 2", "session = 9"), "version 9"),
        (text.replace("session = 2", "session = 1"), "version 1, and this program reads"),
        (text.replace("ticks = 200", "ticks = 20"), "before its last event"),
        (text.replacen("tick = 10\n", "tick = 190\n", 1), "earlier tick"),
    ] {
        let error = problem_in(&scene, &damaged);
        assert!(error.contains(words), "{words}: {error}");
    }
    let many = format!("obstacles = {{ insert = [{}] }}", "[9, 9, 0],".repeat(1 + (1 << 18)));
    let nearest = "{ name = \"nearest\", points = [[1, 2], [3, 4]], shown = true }";
    let nearest = format!("paths = {{ insert = [{nearest}] }}");
    let rows = [
        ("pointer = true", "a place or false"),
        ("pointer = 3", "expected a place, such as [320, 180], or false; is this"),
        ("paths = [3]", "no number 3"),
        ("paths = { insert = [3] }", "expected a table"),
        ("paths = { at = 9, remove = 1 }", "no number 9"),
        ("obstacles = { remove = 7 }", "no number"),
        ("pointer = [1, 2]\nremove = [3]", "one edit, not pointer, remove"),
        ("add_target = [1, 2]", "a flock that is there"),
        ("counts = { each = [1, 2, 3], counted = true }", "3 counts for 1 species"),
        ("set = [\"targets.0.name='x'\"]", "`set` changes `targets`"),
        ("remove = [-1]", "expected a whole number from 0 to 4294967295, found -1"),
        ("add = [{}]", "the key `species` is missing"),
        ("pointer = [nan, 1]", "no place"),
        ("pointer = [1e300, 1]", "no place"),
        ("speed = 3", "speed"),
        ("set = [\"a.max_speed=fast\"]", "max_speed"),
        ("set = [\"a.max_sped=1\"]", "max_sped"),
        ("add = [{ species = \"b\", places = [] }]", "no species `b`"),
        ("move = { target = \"x\", to = [1, 2] }", "no target `x`"),
        ("move = { to = [1, 2] }", "`move` has a `target`"),
        ("pointer = [1]", "[1.0] is no place: the world has 2 axes"),
        ("pointer = [1, 2, 3]", "no place: the world has 2 axes"),
        ("lead = [1, 2, 3]", "no place"),
        ("obstacles = { insert = [[1, 2, -3]] }", "no radius"),
        ("obstacles = { insert = [[1, 2, 3, 4]] }", "[1.0, 2.0, 3.0] is no place: the world has 2"),
        ("paths = { at = 0, remove = 1 }", "follow_path needs a path, and there is none"),
        ("paths = { insert = [{ name = \"p\", points = [[1, 2]], shown = true }] }", "two points"),
        (nearest.as_str(), "taken"),
        (
            "obstacles = { insert = [[1, 2]] }",
            "coordinates of a place and a radius, not [1.0, 2.0]",
        ),
        ("targets = { at = 0, remove = 1 }", "first target"),
        ("set = [\"seed=7\"]", "`set` changes `seed`"),
        ("set = [\"world.size=[900, 900]\"]", "`set` changes `world`"),
        ("obstacles = { insert = [[1, 2, 2e6]] }", "2000000 is no radius"),
        ("obstacles = { insert = [[2e7, 2, 3]] }", "20000000 is no coordinate"),
        ("move = { target = \"food\", to = [1, -2e7] }", "no coordinate"),
        ("pointer = [1e13, 1]", "no coordinate"),
        (many.as_str(), "262144 obstacles"),
        ("\"\\u001b[2J\" = 1", "unknown key `\\u{1b}[2J`"),
    ];
    assert_refused(&text, &rows);
}

#[test]
fn a_damaged_file_of_a_space_is_one_sentence() {
    let mut session = start_in(cpu(), IN_SPACE);
    course(&mut session);
    let text = session.recording().unwrap();
    let endless = format!("pointer = [{}]", "1, ".repeat(9999));
    let path = "{ name = \"p\", points = [[1, 2, 3], [4, 5]], shown = true }";
    let path = format!("paths = {{ insert = [{path}] }}");
    let rows = [
        ("pointer = [1, 2]", "[1.0, 2.0] is no place: the world has 3 axes"),
        ("pointer = []", "[] is no place"),
        (endless.as_str(), "is no place"),
        ("pointer = [1, 2, nan]", "no place"),
        ("lead = [1, 2]", "no place: the world has 3 axes"),
        ("add = [{ species = \"a\", places = [[1, 2, 3], [1, 2]] }]", "[1.0, 2.0] is no place"),
        ("move = { target = \"food\", to = [1, 2] }", "[1.0, 2.0] is no place"),
        ("obstacles = { insert = [[1, 2, 3]] }", "[1.0, 2.0] is no place: the world has 3"),
        ("obstacles = { insert = [[1, 2, 3, nan]] }", "NaN is no radius"),
        ("obstacles = { insert = [[1, 2, inf, 4]] }", "no place"),
        (path.as_str(), "[4.0, 5.0] is no place"),
        ("targets = { insert = [{ name = \"x\", position = [1, 2], active = true }] }", "no place"),
    ];
    assert_refused(&text, &rows);
}

/// Starts the flock of a session again with its edits, as the window does where a count or a seed is entered.
fn start_again(session: &mut Session<RealTime>, request: Request) {
    let own = session.source().clone();
    let text = edit_toml(&own.text, session.scene()).unwrap();
    let scene = Scene::parse(&session.scene().name, &text).unwrap();
    let (scene, state) = scene.populate(&request).unwrap();
    session.open(Opening { source: Source { request, ..own }, scene, state }).unwrap();
}

#[test]
fn a_flock_of_another_size_that_starts_again_is_saved_with_its_own_numbers() {
    let edits = [
        ("flock", Edit::AddSpecies("starling".into()), None),
        ("predators", Edit::RemoveSpecies("prey".into()), Some(8.0)),
    ];
    for (name, edit, density) in edits {
        let text = built_in().find(|scene| scene.name == name).unwrap().text;
        let mut session = opened(cpu(), text, Request { count: Some(600), ..Request::default() });
        session.edit(edit).unwrap();
        let request = Request { count: Some(session.start_count()), seed: Some(5), density };
        start_again(&mut session, request);
        let counts = session.start_counts();
        reach(&mut session, 20);
        let again = assert_replayed(&mut session);
        assert_eq!(again.start_counts(), counts, "{name}");
        assert!(!session.recording().unwrap().contains("[[event]]"), "{name}");
    }
}
