//! From scene to scene and back, and the file of an edited flock.

use super::engine_tests::fussy;
use super::hands::refusal;
use super::tests::{IN_SPACE, TEXT, opened, opened_here, tick};
use super::time_tests::cpu;
use super::*;
use flockwork_model::scene::Request;
use flockwork_model::vector::flat;

/// A flock that is ready to start, from the text of a scene.
fn opening(name: &str, text: &str) -> Opening {
    let scene = Scene::parse(name, text).unwrap();
    let (scene, state) = scene.populate(&Request::default()).unwrap();
    Opening { source: Source { text: text.into(), ..Source::default() }, scene, state }
}

const OTHER: &str = "[species.b]\ncount = 3\n[species.b.wander]\n";

#[test]
fn another_scene_is_an_edit_that_can_be_undone() {
    // A plane becomes a space, too, and a space a plane.
    for (one, other, agents, targets, axes) in
        [(TEXT, OTHER, 3, 1, 2), (TEXT, IN_SPACE, 5, 3, 3), (IN_SPACE, TEXT, 5, 3, 2)]
    {
        let session = &mut opened_here(one);
        tick(session, 20);
        session.edit(Edit::NewPath).unwrap();
        let before = (session.state(), session.targets());
        let (paths, opened) = (session.scene().paths.clone(), session.opened());
        assert_eq!(session.open(opening("other", other)), Ok(()));
        let scene = session.scene();
        assert_eq!((scene.targets.len(), scene.world.axes()), (targets, axes));
        assert_eq!((session.agents(), session.tick()), (agents, 0));
        assert_ne!(session.opened(), opened);
        tick(session, 10);
        let there = (session.state(), session.targets());
        assert!(session.undo().unwrap().contains("back to the scene test"));
        // As it was left, with its own edits.
        assert_eq!((session.state(), session.targets()), before);
        assert_eq!((session.tick(), &session.scene().paths), (20, &paths));
        assert_eq!(session.redo().unwrap(), "redone: the scene other");
        assert_eq!((session.state(), session.targets()), there);
        session.undo().unwrap();
        assert_eq!(session.undo().unwrap(), "undone: path");
        assert_ne!(session.scene().paths, paths);
        // Another edit is another way: there is nothing to redo beyond it.
        session.edit(Edit::NewPath).unwrap();
        assert_eq!(session.redo().unwrap_err().to_string(), "nothing to redo");
    }
}

#[test]
fn all_scenes_have_their_unsaved_edits() {
    let session = &mut opened_here(TEXT);
    let names = |session: &Session<RealTime>| -> Vec<_> {
        session.unsaved().into_iter().map(|own| own.name).collect()
    };
    session.edit(Edit::NewPath).unwrap();
    session.open(opening("other", OTHER)).unwrap();
    assert_eq!(names(session), ["test"]);
    assert!(Recording::is_meant_by(&session.unsaved()[0].text));
    session.set_max_speed(1.0).unwrap();
    assert_eq!(names(session), ["test", "other"]);
    // The same scene again has the edits of the one before.
    session.open(opening("again", OTHER)).unwrap();
    session.set_restarted(false);
    assert_eq!(names(session), ["test", "again"]);
    session.reset().unwrap();
    assert_eq!(names(session), ["test", "again"]);
}

#[test]
fn a_scene_that_the_engine_cannot_take_leaves_the_flock_as_it_is() {
    let mut session = opened(fussy(&Arc::default()), TEXT, Request::default());
    tick(&mut session, 7);
    let before = (session.state(), session.targets());
    let many = opening("many", &OTHER.replace("count = 3", "count = 9"));
    assert!(refusal(session.open(many)).contains('9'));
    assert_eq!((session.state(), session.targets()), before);
    assert_eq!(session.undo().unwrap_err().to_string(), "nothing to undo");
    assert_eq!(session.scene().name, "test");
}

#[test]
fn the_file_of_an_edited_flock_makes_what_the_flock_does_from_its_start() {
    for text in [TEXT, IN_SPACE] {
        let mut session = opened(cpu(), text, Request { seed: Some(3), ..Request::default() });
        let start = session.state().unwrap();
        tick(&mut session, 30);
        let mut species = session.scene().species.clone();
        species[0].rules[0].values[0] = 0.5;
        session.change(species).unwrap();
        let file = session.file();
        session.reset().unwrap();
        tick(&mut session, 40);
        let opening = opening("file", &file);
        let mut again = cpu();
        again.load(&opening.scene, &opening.state).unwrap();
        again.step(40).unwrap();
        assert_eq!(session.state().unwrap(), again.read_back().unwrap(), "{file}");
        assert_ne!(session.state().unwrap().position, start.position);
    }
}

#[test]
fn targets_and_obstacles_come_and_go() {
    let session = &mut opened_here(TEXT);
    tick(session, 20);
    let before = (session.state(), session.targets());
    let first = session.scene().clone();
    session.edit(Edit::AddTarget(flat(10.0, 20.0))).unwrap();
    session.edit(Edit::AddObstacle(flat(-10.0, 20.0))).unwrap();
    assert_eq!(session.scene().obstacles.last().unwrap().position, flat(630.0, 20.0));
    let targets = session.targets().unwrap();
    assert_eq!((targets.len(), targets[3].position), (4, flat(10.0, 20.0)));
    assert_eq!(targets[1].position, flat(60.0, 0.0), "what moves goes on from its place");
    // The species seeks the new target.
    let mut species = session.scene().species.clone();
    let seek = species[0].rules.iter().position(|r| r.kind.info().key == "seek").unwrap();
    let slot = species[0].rules[seek].kind.parameter("target").unwrap();
    species[0].rules[seek].values[slot] = 3.0;
    session.change(species).unwrap();
    tick(session, 5);
    session.remove(SceneObject::Target(2)).unwrap();
    let sought = |session: &Session<RealTime>| session.scene().species[0].rules[seek].values[slot];
    assert_eq!((session.scene().targets.len(), sought(session)), (3, 2.0));
    session.remove(SceneObject::Target(2)).unwrap();
    assert_eq!(sought(session), flockwork_model::parameter::NEAREST_TARGET);
    refusal(session.remove(SceneObject::Target(0)));
    assert_eq!(session.scene().targets.len(), 2, "the pointer stays");
    tick(session, 5);
    // A reset keeps the lists, and puts what was there at the start where it was.
    for _ in 0..5 {
        session.undo().unwrap();
    }
    assert_eq!(session.undo().unwrap_err().to_string(), "nothing to undo");
    assert_eq!(session.scene().species, first.species);
    assert_eq!(session.scene().obstacles, first.obstacles);
    assert_eq!(session.targets().unwrap().len(), 3);
    assert_ne!((session.state(), session.targets()), before);
    for _ in 0..3 {
        session.redo().unwrap();
    }
    session.reset().unwrap();
    assert_eq!((session.scene().targets.len(), sought(session)), (4, 3.0));
    assert_eq!(session.scene().targets[1].position, first.targets[1].position);
    tick(session, 5);
}
