//! Paths are drawn, changed and removed, on every engine, and walls are painted.

use super::hands::refusal;
use super::time_tests::{
    assert_replayed, assert_seen, cpu, now, place, reach, replayed, start_in, worlds,
};
use super::*;
use flockwork_model::behaviours::Kind;
use flockwork_model::scene::Rule;
use flockwork_model::vector::{Point, flat};

/// A scene without a path.
const BARE: &str = "[world]\nsize = [640, 360]\n[species.a]\ncount = 5\nwander = {}\n\
                    [species.a.avoid]\n";

/// Adds the behaviour that follows a path.
fn follow(session: &mut Session<RealTime>, path: f32) {
    let mut species = session.scene().species.clone();
    let kind = Kind::from_key("follow_path").unwrap();
    let mut rule = Rule::by_default(kind, 0);
    rule.values[kind.parameter("path").unwrap()] = path;
    species[0].rules.push(rule);
    session.change(species).unwrap();
}

#[test]
fn paths_that_were_drawn_are_in_the_past_in_the_file_and_in_the_session() {
    for ((engine, text), (other, _)) in worlds().into_iter().zip(worlds()) {
        let mut session = start_in(engine, text);
        let at = |session: &Session<RealTime>, points: &[[f32; 2]]| -> Vec<Point> {
            points.iter().map(|[x, y]| place(session, *x, *y)).collect()
        };
        let first = session.file();
        reach(&mut session, 10);
        let points = at(&session, &[[10.0, 20.0], [200.0, 90.0], [300.0, 250.0]]);
        session.add_path(&points, true).unwrap();
        assert!(session.file().contains("closed = true"), "{}", session.file());
        let mut species = session.scene().species.clone();
        let path = Kind::from_key("follow_path").unwrap().parameter("path").unwrap();
        species[0].rules[2].values[path] = 1.0;
        session.change(species).unwrap();
        let (mut seen, mut drawn) = (Vec::new(), Vec::new());
        let mut look = |session: &mut Session<RealTime>, tick: u64| {
            // An edit comes after what is seen at its tick.
            let tick = tick - 1;
            reach(session, tick);
            seen.push((tick, now(session)));
            drawn.push(session.scene().paths.clone());
            reach(session, tick + 1);
        };
        look(&mut session, 30);
        let point = place(&session, 400.0, 111.0);
        session.put(SceneObject::PathPoint(1, 1), point).unwrap();
        look(&mut session, 40);
        let mut own = session.scene().paths[1].clone();
        (own.closed, own.shown, own.name) = (false, false, "lane".into());
        session.edit(Edit::Paths(Splice::replacing(1, own))).unwrap();
        assert!(session.file().contains("path = \"lane\""), "{}", session.file());
        look(&mut session, 50);
        session.edit(Edit::Paths(Splice::removing(0))).unwrap();
        let value = |session: &Session<RealTime>| session.scene().species[0].rules[2].values[path];
        assert_eq!(value(&session), 0.0, "it is the first one now");
        look(&mut session, 60);
        session.undo().unwrap();
        assert_eq!(value(&session), 1.0);
        look(&mut session, 70);
        for (one, paths) in seen.iter().zip(&drawn).rev() {
            assert_seen(&mut session, [one]);
            assert_eq!(session.scene().paths, *paths);
        }
        reach(&mut session, 70);
        let text = session.recording().unwrap();
        let mut again = replayed(other, &text);
        assert_seen(&mut again, &seen);
        assert_eq!(again.recording().unwrap(), text);
        for subject in ["paths", "point of a path", "parameters", "paths"] {
            assert_eq!(session.undo().unwrap(), format!("undone: {subject}"));
        }
        assert_eq!(session.file(), first);
    }
}

#[test]
fn a_first_path_can_be_followed_and_stays_while_it_is() {
    let mut session = start_in(cpu(), BARE);
    reach(&mut session, 5);
    // Wrapped: it begins inside the world.
    session.add_path(&[flat(-10.0, 20.0), flat(90.0, 40.0)], false).unwrap();
    assert_eq!(session.scene().paths[0].points, [flat(630.0, 20.0), flat(730.0, 40.0)]);
    follow(&mut session, 0.0);
    reach(&mut session, 20);
    let refused = refusal(session.edit(Edit::Paths(Splice::removing(0))));
    assert!(refused.contains("follow_path needs a path"), "{refused}");
    assert_eq!(refusal(session.remove(SceneObject::PathPoint(0, 1))), refused);
    // The behaviour names a path that the file does not have: the session says so all the same.
    assert_replayed(&mut session);
    session.reset().unwrap();
    assert_eq!(session.scene().paths.len(), 1, "what was added stays");
}

#[test]
fn what_no_file_could_have_is_refused() {
    let mut session = start_in(cpu(), BARE);
    let before = session.file();
    for points in [vec![], vec![Point::ONE], vec![Point::ONE; 3], vec![flat(1.0, 1.0); 5000]] {
        refusal(session.add_path(&points, false));
    }
    let far = [Point::ONE, flat(1e6, 0.0)];
    assert!(refusal(session.add_path(&far, false)).contains("path0"));
    for _ in 0..2 {
        session.add_path(&[Point::ZERO, flat(1.0, 1.0)], false).unwrap();
    }
    let same = refusal(session.put(SceneObject::PathPoint(0, 1), Point::ZERO));
    assert!(same.contains("two different"));
    let taken =
        flockwork_model::scenery::Path { name: "path1".into(), ..session.scene().paths[0].clone() };
    let taken = Edit::Paths(Splice::replacing(0, taken));
    assert!(refusal(session.edit(taken)).contains("taken"));
    session.undo().unwrap();
    session.undo().unwrap();
    assert_eq!(session.file(), before);
    let nothing = Edit::Paths(Splice::removing(3));
    assert!(refusal(session.edit(nothing)).contains("no number 3"));
}

#[test]
fn a_painted_wall_is_one_edit_and_a_short_row() {
    let mut session = start_in(cpu(), BARE);
    let mut seen = Vec::new();
    for step in 0..4_u8 {
        reach(&mut session, u64::from(step) * 10);
        let places = [0.0, 5.0].map(|more| flat(f32::from(step) * 10.0 + more - 20.0, 50.0));
        session.paint(&places, 7.5).unwrap();
        seen.push(now(&mut session));
    }
    assert_eq!(session.scene().obstacles.len(), 8);
    assert_eq!(session.scene().obstacles[0].position, flat(620.0, 50.0));
    reach(&mut session, 60);
    let text = session.recording().unwrap();
    assert_eq!(text.matches("insert = [[").count(), 4, "{text}");
    assert!(!text.contains("\nremove = "), "{text}");
    assert_replayed(&mut session);
    session.seal_edit();
    session.paint(&[Point::ONE], 7.5).unwrap();
    session.undo().unwrap();
    assert_eq!(session.scene().obstacles.len(), 8);
    assert_eq!(session.undo().unwrap(), "undone: painted walls");
    assert_eq!(session.scene().obstacles.len(), 0);
    let many = vec![Point::ONE; 300_000];
    assert!(refusal(session.paint(&many, 1.0)).contains("at most 262144"));
}
