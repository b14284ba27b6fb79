//! Species come and go, on every engine, and the past replays it.

use super::hands::{Done, refusal};
use super::record::Recording;
use super::tests::assert_has;
use super::time_tests::{
    Seen, assert_replayed, assert_seen, cpu, engines, near, now, paused, reach, replayed,
};
use super::*;
use flockwork_engine::Engine;
use flockwork_engine::Snapshot;
use flockwork_model::scene::Request;
use flockwork_model::vector::flat;

/// Three species that name each other; two of them remember an angle.
const TEXT: &str = "[[targets]]\nvelocity = [3, 1]\n[species.a]\ncount = 30\nwander = {}\nseparation = {}\n\
                    [species.b]\ncount = 20\nalignment = { radius = 60, with = [\"b\", \"c\"] }\n\
                    cohesion = { radius = 80, with = \"all\" }\n\
                    [species.c]\ncount = 10\nsize = 9\nspawn = { place = \"disc\", radius = 90 }\n\
                    wander = {}\npursue = { radius = 90, with = \"a\" }\nseek = {}\n";

fn start(engine: Box<dyn Engine>) -> Session<RealTime> {
    paused(engine, TEXT, Request::default())
}

fn count_of(session: &mut Session<RealTime>, species: u8) -> usize {
    session.state().unwrap().species.iter().filter(|own| **own == species).count()
}

fn names(session: &Session<RealTime>) -> Vec<&str> {
    session.scene().species.iter().map(|species| species.name.as_str()).collect()
}

/// The flock of a file, at its start.
fn made(text: &str) -> FlockState {
    Scene::parse("made", text).unwrap().populate(&Request::default()).unwrap().1
}

#[test]
fn a_species_is_added_with_agents_and_undone() {
    for engine in engines() {
        let mut session = start(engine);
        reach(&mut session, 30);
        let before = now(&mut session);
        session.add_species(2).unwrap();
        assert_eq!(names(&session), ["a", "b", "c", "c2"]);
        assert_eq!((session.agents(), session.start_count()), (70, 70));
        assert_eq!(count_of(&mut session, 3), 10);
        let state = session.state().unwrap();
        assert_eq!(state.id[60..], (60..70).collect::<Vec<_>>());
        assert!(state.position[60..].iter().all(|p| p.distance(flat(320.0, 180.0)) < 91.0));
        assert_eq!(state.position[..60], before.0.position[..], "the others stay where they are");
        reach(&mut session, 40);
        // At its start the file has them where they have come to.
        let file = made(&session.file());
        assert_eq!(file.position[60..], state.position[60..]);
        assert_eq!(file.velocity[60..], state.velocity[60..]);
        assert_eq!(session.undo().unwrap(), "undone: species");
        assert_eq!((names(&session).len(), session.agents()), (3, 60));
        assert_eq!(session.redo().unwrap(), "redone: species");
        assert_eq!(count_of(&mut session, 3), 10);
        assert_eq!(session.state().unwrap().id[60], 70, "ids are never used twice");
        assert_eq!(session.undo().unwrap(), "undone: species");
        assert_eq!(session.undo().unwrap_err().to_string(), "nothing to undo");
    }
}

#[test]
fn an_added_species_undone_at_once_leaves_no_trace() {
    for engine in engines() {
        let mut session = start(engine);
        reach(&mut session, 30);
        let (before, file) = (now(&mut session), session.file());
        session.add_species(1).unwrap();
        assert_ne!(session.file(), file);
        session.undo().unwrap();
        assert!(now(&mut session) == before && session.file() == file);
    }
}

#[test]
fn a_removed_species_takes_its_agents_and_comes_back_with_them() {
    for engine in engines() {
        let mut session = start(engine);
        reach(&mut session, 30);
        let before = now(&mut session);
        session.take_species(0).unwrap();
        assert_eq!((names(&session), session.agents()), (vec!["b", "c"], 30));
        let state = session.state().unwrap();
        // The ids stay, and the numbers of the species follow.
        assert_eq!(state.id, (30..60).collect::<Vec<_>>());
        assert_eq!(state.species, [vec![0; 20], vec![1; 10]].concat());
        assert_eq!(state.position, before.0.position[30..]);
        assert_eq!(session.undo().unwrap(), "undone: species");
        assert!(now(&mut session) == before, "they are back as they were");
        assert_eq!(session.redo().unwrap(), "redone: species");
        assert_eq!(session.state().unwrap(), state);
        reach(&mut session, 50);
        let later = session.state().unwrap();
        session.undo().unwrap();
        let back = session.state().unwrap();
        assert_eq!((&back.position[..30], back.len()), (&before.0.position[..30], 60));
        assert_eq!(back.position[30..], later.position[..], "the others stay where they are now");
        session.take_species(2).unwrap();
        session.take_species(1).unwrap();
        let alone = refusal(session.take_species(0));
        assert!(alone.contains("`a` alone has agents at the start"));
        assert_eq!(refusal(session.take_species(7)), "no species ``");
    }
}

#[test]
fn without_a_species_the_others_go_on_as_if_it_had_not_been_in_the_file() {
    for engine in engines() {
        let mut session = start(engine);
        reach(&mut session, 30);
        let Snapshot { mut state, targets } = session.snapshot().unwrap();
        session.take_species(0).unwrap();
        // The first thirty agents belong to `a`.
        state.id.drain(..30);
        state.species.drain(..30);
        state.species.iter_mut().for_each(|species| *species -= 1);
        state.position.drain(..30);
        state.velocity.drain(..30);
        state.memory.drain(..30);
        reach(&mut session, 60);
        let mut scene = Scene::parse("test", &session.file()).unwrap();
        scene.targets = targets;
        let mut other = cpu();
        other.load(&scene, &state).unwrap();
        other.step(30).unwrap();
        let (mine, other) = (session.state().unwrap(), other.read_back().unwrap());
        assert_eq!(mine.species, other.species);
        assert!(near(&mine, &other, 0.05));
        if session.engine().kind() == flockwork_engine::EngineKind::Cpu {
            assert_eq!(mine, other);
        }
    }
}

/// Species come, get names and go. Returns what was seen, by tick.
fn course(session: &mut Session<RealTime>) -> Vec<(u64, Seen)> {
    type Hand = fn(&mut Session<RealTime>) -> Done;
    let hands: [(u64, Hand); 9] = [
        (10, |s| s.add_species(0)),
        (20, |s| s.rename_species(3, "new-ones")),
        (30, |s| s.add(3, &[flat(50.0, 60.0)])),
        (40, |s| s.take_species(1)),
        (50, |s| s.undo().map(|_| ())),
        (60, |s| s.redo().map(|_| ())),
        (70, |s| s.take_species(0)),
        (80, |s| {
            let mut species = s.scene().species.clone();
            species[1].body.max_speed = 1.5;
            s.change(species)
        }),
        (90, |s| s.undo().and_then(|_| s.undo()).map(|_| ())),
    ];
    let mut seen = Vec::new();
    for (tick, hand) in hands {
        reach(session, tick);
        assert_eq!(hand(session), Ok(()), "at tick {tick}");
        reach(session, tick + 3);
        seen.push((tick + 3, now(session)));
    }
    assert_eq!(names(session), ["a", "c", "new-ones"]);
    reach(session, 120);
    seen.push((120, now(session)));
    seen
}

#[test]
fn the_past_and_a_saved_session_have_the_species_that_came_and_went() {
    for (engine, other) in engines().into_iter().zip(engines()) {
        let mut session = start(engine);
        let seen = course(&mut session);
        let text = session.recording().unwrap();
        assert_has(
            &text,
            &["without = \"b\"", "newcomers = 30", "[event.back]", "species={ a = {"],
        );
        let mut again = replayed(other, &text);
        assert_seen(&mut again, &seen);
        assert_eq!(again.recording().unwrap(), text);
        assert_seen(&mut session, seen.iter().rev().chain(&seen));
        reach(&mut session, 45);
        assert_eq!(names(&session), ["a", "c", "new-ones"]);
        reach(&mut session, 15);
        assert_eq!(names(&session), ["a", "b", "c", "a2"]);
    }
}

#[test]
fn a_session_whose_species_cannot_be_is_one_sentence() {
    let mut session = start(cpu());
    course(&mut session);
    let text = session.recording().unwrap();
    for (good, bad, why) in [
        ("without = \"b\"", "without = \"x\"", "no species `x`"),
        ("newcomers = 30", "newcomers = -1", "a saved session?"),
        ("id = [30, 31, ", "id = [31, 31, ", "ascend"),
        ("id = [30, 31, ", "id = [", "for each id"),
    ] {
        assert_has(&text, &[good]);
        let read = Recording::read(&text.replacen(good, bad, 1));
        let scene = session.original().clone();
        let problem = read.and_then(|recording| recording.events(&scene).map(|_| ()));
        let problem = problem.unwrap_err().to_string();
        assert!(problem.contains(why) && !problem.contains('\n'), "{problem}");
    }
}

#[test]
fn a_reset_starts_with_the_species_of_now() {
    for request in [Request::default(), Request { count: Some(200), ..Request::default() }] {
        let mut session = paused(cpu(), TEXT, request);
        let first = session.state().unwrap();
        reach(&mut session, 20);
        session.add_species(1).unwrap();
        session.take_species(0).unwrap();
        session.reset().unwrap();
        let state = session.state().unwrap();
        assert_eq!(state, made(&session.file()));
        assert_eq!((state.len() as u64, session.tick()), (session.start_count(), 0));
        // It is the start of a session that can be saved.
        reach(&mut session, 10);
        assert_replayed(&mut session);
        // A copy taken away again has no part in the start.
        let mut session = paused(cpu(), TEXT, request);
        session.add_species(0).unwrap();
        session.take_species(3).unwrap();
        session.reset().unwrap();
        assert_eq!(session.state().unwrap(), first);
    }
}

#[test]
fn a_reset_without_room_changes_nothing() {
    let mut session = start(cpu());
    reach(&mut session, 20);
    session.add_species(1).unwrap();
    let before = (session.state().unwrap(), session.span());
    session.set_room(|_, _, _, _| Err("no room".to_owned()));
    assert_eq!(session.reset(), Err(EditError::Refused("no room".to_owned())));
    assert_eq!((session.state().unwrap(), session.span()), before);
    // The control: with the species of the first state no room is asked for.
    session.take_species(3).unwrap();
    session.reset().unwrap();
}
