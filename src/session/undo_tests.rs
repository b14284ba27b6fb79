//! Edits are undone and redone.

use super::tests::{IN_SPACE, TEXT, opened_here, tick};
use super::time_tests::{now, place, reach};
use super::*;
use flockwork_model::behaviours::Target;
use flockwork_model::vector::{Point, flat};

/// The state and targets after ten ticks, `edits`, and ten more ticks.
fn after(text: &str, edits: impl FnOnce(&mut Session<RealTime>)) -> (FlockState, Vec<Target>) {
    let mut session = opened_here(text);
    tick(&mut session, 10);
    edits(&mut session);
    tick(&mut session, 10);
    (session.state().unwrap(), session.targets().unwrap())
}

#[test]
fn an_undo_leaves_the_pointer_where_it_is() {
    let session = &mut opened_here(TEXT);
    // Two slides of one slider, and a press between them.
    session.set_max_speed(1.0).unwrap();
    session.set_pointer(Some(flat(110.0, 55.0))).unwrap();
    session.set_max_speed(2.0).unwrap();
    let pressed = session.scene().targets[0].clone();
    assert!(pressed.active && pressed.position == flat(110.0, 55.0));
    assert_eq!(session.undo().unwrap(), "undone: parameters");
    assert_eq!(session.scene().targets[0], pressed);
    session.set_pointer(None).unwrap();
    session.edit(Edit::AddTarget(flat(9.0, 9.0))).unwrap();
    session.set_pointer(Some(flat(110.0, 55.0))).unwrap();
    assert_eq!(session.undo().unwrap(), "undone: targets and obstacles");
    assert_eq!(session.scene().targets[0], pressed);
    assert_eq!(session.targets().unwrap()[0], pressed);
}

#[test]
fn an_edit_undone_leaves_no_trace_and_redone_is_that_edit() {
    type Do = fn(&mut Session<RealTime>);
    let edits: [(&str, Do); 6] = [
        ("parameters", |s| s.set_max_speed(1.0).unwrap()),
        ("new agents", |s| s.add(0, &[Point::ONE, place(s, 50.0, 60.0)]).unwrap()),
        ("path", |s| s.edit(Edit::NewPath).unwrap()),
        ("seek and flee", |s| s.edit(Edit::SwapSeekFlee).unwrap()),
        ("place of a target", |s| {
            s.put(SceneObject::Target(2), place(s, 20.0, 30.0)).unwrap();
        }),
        ("place of an obstacle", |s| {
            // In the way of an agent.
            let FlockState { position, velocity, .. } = s.state().unwrap();
            s.put(SceneObject::Obstacle(0), position[0] + velocity[0] * 9.0).unwrap();
        }),
    ];
    for ((subject, edit), text) in
        edits.into_iter().flat_map(|edit| [(edit, TEXT), (edit, IN_SPACE)])
    {
        let untouched = after(text, |_| ());
        let edited = after(text, edit);
        assert_ne!(edited, untouched, "{subject}");
        let undone = after(text, |session| {
            edit(session);
            assert_eq!(session.undo().unwrap(), format!("undone: {subject}"));
        });
        assert_eq!(undone, untouched, "{subject}");
        let redone = after(text, |session| {
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
    let session = &mut opened_here(TEXT);
    session.put(SceneObject::Target(2), flat(20.0, 30.0)).unwrap();
    tick(session, 20);
    assert_eq!(session.undo().unwrap(), "undone: place of a target");
    let targets = session.targets().unwrap();
    assert_eq!(targets[1].position, flat(60.0, 0.0), "20 ticks of 3 units");
    assert_eq!(targets[2].position, flat(300.0, 100.0));
}

#[test]
fn a_gesture_is_one_edit() {
    let session = &mut opened_here(TEXT);
    let before = session.scene().species.clone();
    for max_speed in [1.0, 2.0, 3.0] {
        session.set_max_speed(max_speed).unwrap();
    }
    session.seal_edit();
    session.set_max_speed(4.0).unwrap();
    session.put(SceneObject::Obstacle(0), Point::ONE).unwrap();
    session.put(SceneObject::Obstacle(0), Point::ZERO).unwrap();
    assert_eq!(session.undo().unwrap(), "undone: place of an obstacle");
    assert_eq!(session.scene().obstacles, session.original().obstacles);
    assert_eq!(session.undo().unwrap(), "undone: parameters");
    assert_eq!(session.scene().species[0].body.max_speed, 3.0);
    session.undo().unwrap();
    assert_eq!(session.scene().species, before);
    assert_eq!(session.undo().unwrap_err().to_string(), "nothing to undo");
    session.redo().unwrap();
    assert_eq!(session.scene().species[0].body.max_speed, 3.0);
    // A new edit removes the undone edits.
    session.set_max_speed(9.0).unwrap();
    assert_eq!(session.redo().unwrap_err().to_string(), "nothing to redo");
}

#[test]
fn a_reset_is_undone_with_all_edits_and_the_past() {
    let session = &mut opened_here(TEXT);
    session.clock.toggle();
    reach(session, 20);
    session.set_max_speed(1.0).unwrap();
    session.add(0, &[Point::ONE]).unwrap();
    reach(session, 30);
    let (before, opened) = (now(session), session.opened());
    for _ in 0..2 {
        session.reset().unwrap();
        assert_eq!((session.tick(), session.agents(), session.span()), (0, 5, (0, 0)));
    }
    reach(session, 7);
    assert_eq!(session.undo().unwrap(), "undone: reset");
    assert_eq!(session.undo().unwrap(), "undone: reset");
    assert!(now(session) == before && session.span() == (0, 30));
    reach(session, 25);
    reach(session, 30);
    assert!(now(session) == before, "its past is there too");
    assert_eq!(session.redo().unwrap(), "redone: reset");
    assert_eq!(session.tick(), 0);
    assert_eq!(session.undo().unwrap(), "undone: reset");
    assert_eq!(session.undo().unwrap(), "undone: new agents");
    assert_eq!(session.undo().unwrap(), "undone: parameters");
    assert_eq!(session.undo().unwrap_err().to_string(), "nothing to undo");
    assert_eq!(session.opened(), opened, "it is the same scene all the time");
}

#[test]
fn a_reset_makes_undone_edits_a_thing_of_the_past() {
    let session = &mut opened_here(TEXT);
    session.set_max_speed(1.0).unwrap();
    session.undo().unwrap();
    session.reset().unwrap();
    session.undo().unwrap();
    assert_eq!(session.redo().unwrap(), "redone: reset");
    assert_eq!(session.redo().unwrap_err().to_string(), "nothing to redo");
}

#[test]
fn a_flock_is_called_after_a_reset_and_not_when_it_comes_back() {
    let session = &mut opened_here(TEXT);
    session.clock.toggle();
    reach(session, 10);
    session.set_pointer(Some(Point::ONE)).unwrap();
    session.reset().unwrap();
    assert!(session.targets().unwrap()[0].active);
    session.undo().unwrap();
    assert!(!session.targets().unwrap()[0].active);
    session.set_pointer(Some(Point::ONE)).unwrap();
    assert!(session.targets().unwrap()[0].active, "a new press");
}

#[test]
fn edits_are_saved_until_the_next_one() {
    let session = &mut opened_here(TEXT);
    assert!(session.is_saved());
    session.set_pointer(Some(Point::ONE)).unwrap();
    assert!(session.is_saved(), "a call is no edit");
    session.set_max_speed(1.0).unwrap();
    assert!(!session.is_saved());
    session.undo().unwrap();
    assert!(session.is_saved(), "nothing is left of it");
    session.redo().unwrap();
    session.set_saved(true);
    // The rest of the same gesture is not saved.
    session.seal_edit();
    session.set_max_speed(2.0).unwrap();
    session.set_saved(true);
    session.set_max_speed(3.0).unwrap();
    assert!(!session.is_saved());
    session.set_saved(true);
    session.undo().unwrap();
    assert!(!session.is_saved());
    session.set_max_speed(4.0).unwrap();
    assert!(!session.is_saved(), "what was saved is gone");
    session.reset().unwrap();
    assert!(!session.is_saved(), "a reset leaves parameters as they are");
    session.set_saved(true);
    session.reset().unwrap();
    assert!(session.is_saved());
}

#[test]
fn an_agent_that_is_named_twice_goes_once() {
    let session = &mut opened_here(TEXT);
    let gone = Despawn { ids: vec![3, 1, 1, 99], ..Despawn::default() };
    session.edit(Edit::Despawn(gone)).unwrap();
    assert_eq!((session.agents(), session.state().unwrap().len()), (3, 3));
    session.undo().unwrap();
    assert_eq!((session.agents(), session.state().unwrap().len()), (5, 5));
}
