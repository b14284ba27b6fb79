//! The CPU engine in space, beside what it does in a plane.

use crate::common::situations::{Situation, parity_in, situation_in};
use crate::common::{CORRECTLY_ROUNDED, assert_a_thousand_ticks, decided, reference, run};
use flockwork::engine::cpu::CpuEngine;
use flockwork::model::behaviours::Kind;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::world::Boundary;
use glam::{Vec2, Vec3};

fn engine() -> CpuEngine {
    CpuEngine::new(Some(2)).unwrap()
}

/// Half the depth of a space round a plane: farther than any behaviour of the situations reaches.
const HALF_DEPTH: f32 = 500.0;

/// The situation in the middle of a space.
fn in_a_space(case: &Situation) -> (Scene, FlockState) {
    let (mut scene, mut state) = (case.scene.clone(), case.state.clone());
    scene.world.size.z = 2.0 * HALF_DEPTH;
    let lift = |place: &mut Vec3| place.z = HALF_DEPTH;
    scene.targets.iter_mut().for_each(|target| {
        lift(&mut target.position);
        target.sends_to.iter_mut().for_each(lift);
    });
    scene.obstacles.iter_mut().for_each(|obstacle| lift(&mut obstacle.position));
    scene.paths.iter_mut().flat_map(|path| &mut path.points).for_each(lift);
    state.position.iter_mut().for_each(lift);
    (scene, state)
}

/// How many agents a space moves otherwise than its plane does, and how many were compared. Agents that
/// share a spot leave it in other directions, so there must be none.
fn strays(case: &Situation, change: impl Fn(&mut FlockState)) -> (u32, u32) {
    let (scene, mut state) = in_a_space(case);
    change(&mut state);
    let expected = reference::step(&case.scene, &case.state);
    let flat = run(&mut engine(), &case.scene, &case.state, 1);
    let deep = run(&mut engine(), &scene, &state, 1);
    let (mut wrong, mut compared) = (0, 0);
    for (agent, _) in decided(&expected) {
        let off = deep.position[agent] - flat.position[agent] - Vec3::Z * HALF_DEPTH;
        let off = reference::minimum_image(&scene, off.as_dvec3()).0.length();
        let turned = (deep.velocity[agent] - flat.velocity[agent]).as_dvec3().length();
        let near = off < CORRECTLY_ROUNDED.position && turned < CORRECTLY_ROUNDED.velocity;
        wrong += u32::from(!near);
        compared += 1;
    }
    (wrong, compared)
}

#[test]
fn a_plane_in_space_moves_as_a_plane() {
    // A wanderer's place moves on a sphere, and noise has other directions in space.
    let planar = |kind: &Kind| ![Kind::Wander, Kind::FollowFlow].contains(kind);
    for kind in Kind::ALL.into_iter().filter(planar) {
        let (mut agents, mut controls) = (0, 0);
        for number in 0..120 {
            let case = situation_in(2, &[kind], number);
            let all = &case.state.position;
            if (0..all.len()).any(|i| (0..i).any(|j| all[i] == all[j])) {
                continue;
            }
            let (wrong, compared) = strays(&case, |_| {});
            assert_eq!(wrong, 0, "{}", case.name);
            agents += compared;
            controls += strays(&case, |state| state.velocity.iter_mut().for_each(|v| v.z = 0.5)).0;
        }
        assert!(agents > 300 && controls > 100, "{kind:?}: {agents} compared, {controls} stray");
    }
}

#[test]
fn a_situation_in_space_is_degenerate_often_enough() {
    let cases: Vec<Situation> = parity_in(3, 200, 200).collect();
    let some = |what: &dyn Fn(&FlockState, &Scene) -> bool| {
        cases.iter().filter(|case| what(&case.state, &case.scene)).count()
    };
    let upright = |v: &Vec3| v.z != 0.0 && v.truncate() == Vec2::ZERO;
    assert!(some(&|state, _| state.velocity.iter().any(upright)) > 500);
    assert!(some(&|state, _| state.velocity.contains(&Vec3::ZERO)) > 500);
    let above = |p: &Vec3, q: Vec3| p.truncate() == q.truncate() && p.z != q.z;
    assert!(
        some(&|state, scene| state.position.iter().any(|p| above(p, scene.targets[1].position)))
            > 5
    );
    let covered = |state: &FlockState, scene: &Scene| {
        let covers = |p: &Vec3| scene.obstacles.iter().any(|o| o.position.distance(*p) < o.radius);
        state.position.iter().any(covers)
    };
    assert!(some(&covered) > 50);
    let shared = |state: &FlockState| {
        let all = &state.position;
        (0..all.len()).any(|i| (0..i).any(|j| all[i] == all[j]))
    };
    assert!(some(&|state, _| shared(state)) > 50);
}

#[test]
fn a_thousand_ticks_in_space_lose_no_agent() {
    let mut seen = Vec::new();
    for number in 0..12 {
        let case = situation_in(3, &Kind::ALL, number);
        seen.push(case.scene.world.boundary);
        assert_a_thousand_ticks(&mut engine(), &case.scene, &case.state);
    }
    assert!(Boundary::NAMES.iter().all(|(_, boundary)| seen.contains(boundary)));
}
