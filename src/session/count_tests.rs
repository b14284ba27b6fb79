//! The number of agents of each species, edited.

use super::hands::refusal;
use super::time_tests::{assert_replayed, cpu, engines, paused, reach};
use super::{RealTime, Session};
use flockwork_engine::Engine;
use flockwork_model::scene::{Request, Scene};

const TEXT: &str = "[species.a]\ncount = 30\nwander = {}\n[species.b]\ncount = 10\nwander = {}\n\
                    pursue = { with = \"a\" }\n";

fn start(engine: Box<dyn Engine>, count: Option<u64>) -> Session<RealTime> {
    paused(engine, TEXT, Request { count, ..Request::default() })
}

/// Agents of both species in the flock.
fn living(session: &mut Session<RealTime>) -> [usize; 2] {
    let state = session.state().unwrap();
    [0, 1].map(|own| state.species.iter().filter(|species| **species == own).count())
}

#[test]
fn a_species_gets_more_agents_or_fewer_and_the_others_stay() {
    for (engine, scaled) in engines().into_iter().zip([None, Some(60), None]) {
        let mut session = start(engine, scaled);
        let [a, b] = living(&mut session);
        reach(&mut session, 20);
        session.set_count(1, 25).unwrap();
        assert_eq!(living(&mut session), [a, 25]);
        assert_eq!(session.start_counts(), [a as u64, 25]);
        let before = session.state().unwrap();
        session.set_count(1, 3).unwrap();
        assert_eq!((living(&mut session), session.agents()), ([a, 3], a + 3));
        // The scene's file has the new number.
        let made = Scene::parse("made", &session.file()).unwrap();
        let counts: Vec<u64> = made.species.iter().map(|species| species.count).collect();
        assert_eq!(counts, [a as u64, 3]);
        assert_eq!(session.undo().unwrap(), "undone: number of agents");
        let back = session.state().unwrap();
        assert_eq!(living(&mut session), [a, 25]);
        assert_eq!(back.position, before.position, "they come back to their places");
        assert_eq!(session.undo().unwrap(), "undone: number of agents");
        assert_eq!(living(&mut session), [a, b]);
        assert_eq!(session.start_count(), (a + b) as u64);
        session.redo().unwrap();
        session.redo().unwrap();
        assert_eq!((living(&mut session), session.start_count()), ([a, 3], a as u64 + 3));
        session.reset().unwrap();
        assert_eq!(living(&mut session), [a, 3]);
    }
}

#[test]
fn a_count_that_is_that_of_the_file_is_set_too() {
    let mut session = start(cpu(), Some(400));
    assert_eq!(living(&mut session), [300, 100]);
    session.set_count(0, 30).unwrap();
    session.set_count(1, 10).unwrap();
    assert_eq!((living(&mut session), session.start_count()), ([30, 10], 40));
    session.set_count(0, 0).unwrap();
    let none = refusal(session.set_count(1, 0));
    assert!(none.contains("one agent at least"), "{none}");
    assert_eq!(living(&mut session), [0, 10]);
}

#[test]
fn a_saved_session_has_the_numbers() {
    for count in [None, Some(400)] {
        let mut session = start(cpu(), count);
        for (tick, species, number) in [(10, 0, 44), (20, 1, 4), (30, 0, 7)] {
            reach(&mut session, tick);
            session.set_count(species, number).unwrap();
        }
        reach(&mut session, 40);
        let again = assert_replayed(&mut session);
        assert_eq!((again.start_counts(), again.file()), (vec![7, 4], session.file()));
    }
}
