//! A flock over many processes, each on a GPU engine: the same bytes as in one. The processes are threads,
//! each with a device of its own.

use crate::adapter;
use std::sync::Arc;

use crate::common::gpu::{engine, share, shipped, without_subgroups};
use crate::common::ranks::{
    self, alone, assert_same, few_and_crowded, on_ranks, part, with_moving_borders,
};
use crate::common::{bits, built_in, flock};
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{EngineOptions, Gpu, GpuEngine};
use flockwork::engine::{Engine, EngineError, Snapshot};
use flockwork::model::scene::{self, BuiltIn, Scene};
use flockwork::model::state::FlockState;

const BOUNDARIES: [&str; 3] = ["wrap", "walls", "open"];

/// A flock, and the number of ticks that it moves.
struct Case {
    what: String,
    scene: Scene,
    state: FlockState,
    ticks: u32,
}

/// A rank's device.
fn device() -> Arc<Gpu> {
    adapter::gpu().expect("the adapter of the test")
}

/// The results of the cases on `size` ranks.
fn all_on(size: usize, cases: &[Case], local: impl Fn(usize) -> GpuEngine + Sync) -> Vec<Snapshot> {
    on_ranks(size, local, |many, rank| {
        let of = |case: &Case| alone(many, &case.scene, &part(&case.state, rank, size), case.ticks);
        cases.iter().map(of).collect()
    })
}

/// Compares the cases on a number of ranks with one engine. Where the CPU engine gives the same bytes it is
/// that one, which has no shaders to compile.
fn check(gpu: &Arc<Gpu>, cases: &[Case], size: usize, local: fn(&Arc<Gpu>) -> GpuEngine) {
    let mut one: Box<dyn Engine> = match gpu.is_software() {
        true => Box::new(CpuEngine::new(None).unwrap()),
        false => Box::new(local(gpu)),
    };
    let found = all_on(size, cases, |_| local(&device()));
    for (case, found) in cases.iter().zip(&found) {
        let wanted = alone(&mut *one, &case.scene, &case.state, case.ticks);
        assert_same(found, &wanted, &format!("{} on {size} ranks", case.what));
    }
}

/// The scene with all features.
fn of_all(space: bool, boundary: &str, overrides: &[&str]) -> Case {
    let (scene, state) = ranks::of_all(space, boundary, overrides);
    Case { what: format!("{boundary}, space {space}"), scene, state, ticks: 20 }
}

#[test]
fn two_ranks_give_the_bytes_of_one() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scene, state) = flock(300, &["world.boundary=\"wrap\""]);
    let case = Case { what: "flock".into(), scene, state, ticks: 20 };
    check(&gpu, &[case], 2, engine);
}

#[test]
fn any_number_of_ranks_gives_the_same_bytes_of_a_plane() {
    let Some(gpu) = adapter::gpu() else { return };
    any_number_of_ranks(&gpu, false);
}

#[test]
fn any_number_of_ranks_gives_the_same_bytes_of_a_space() {
    let Some(gpu) = adapter::gpu() else { return };
    any_number_of_ranks(&gpu, true);
}

fn any_number_of_ranks(gpu: &Arc<Gpu>, space: bool) {
    let cases: Vec<Case> = BOUNDARIES.iter().map(|boundary| of_all(space, boundary, &[])).collect();
    // Every rank compiles its own shaders, which takes a second driver long.
    check(gpu, &cases[..if share() == 1 { 3 } else { 1 }], 3, engine);
    if share() == 1 {
        check(gpu, &cases[..1], 1, shipped);
        check(gpu, &cases[..1], 5, without_subgroups);
    }
    // Agents did hit the target. Control: another weight.
    let mut one = shipped(gpu);
    let wanted = alone(&mut one, &cases[0].scene, &cases[0].state, cases[0].ticks);
    assert!(wanted.targets[2].hits > 0, "no target was hit");
    let other = of_all(space, "wrap", &["starling.separation.weight=1.55"]);
    let found = alone(&mut one, &other.scene, &other.state, other.ticks);
    assert!(bits(&found.state) != bits(&wanted.state));
}

#[test]
fn every_scene_is_the_same_on_ranks() {
    let Some(gpu) = adapter::gpu() else { return };
    let case = |own: BuiltIn| {
        let (scene, state) = built_in(own.name, 400, &[]);
        Case { what: own.name.into(), scene, state, ticks: 10 }
    };
    let cases: Vec<Case> = scene::built_in().step_by(share()).map(case).collect();
    // Each rank compiles the shaders of all of them.
    check(&gpu, &cases, 2, shipped);
}

/// Crowds from two members on, so that some of them are too scattered for bitmaps.
fn crowded(gpu: &Arc<Gpu>) -> GpuEngine {
    let options =
        EngineOptions { crowded_above: 2, small_grid: Some(0), ..EngineOptions::default() };
    GpuEngine::with_options(Arc::clone(gpu), options)
}

#[test]
fn crowds_few_agents_and_narrow_worlds_are_the_same_on_ranks() {
    let Some(gpu) = adapter::gpu() else { return };
    for boundary in BOUNDARIES {
        let cases = few_and_crowded(boundary).into_iter();
        let cases = cases.map(|(what, (scene, state))| Case { what, scene, state, ticks: 12 });
        let cases: Vec<Case> = cases.collect();
        check(&gpu, &cases, 3, shipped);
        check(&gpu, &cases[2..4], 2, crowded);
    }
}

#[test]
fn agents_may_go_to_any_rank_in_one_tick() {
    let Some(gpu) = adapter::gpu() else { return };
    let fast = ["world.boundary=\"wrap\"", "starling.max_speed=180", "starling.max_force=90"];
    let (scene, state) = flock(500, &fast);
    let mut one = CpuEngine::new(None).unwrap();
    // One tick takes some of them across a whole slab.
    let [before, after] = [7, 8].map(|ticks| alone(&mut one, &scene, &state, ticks).state.position);
    let slab = scene.world.size.y / 5.0;
    let across = before.iter().zip(&after).filter(|(p, q)| {
        let way = (p.y - q.y).abs();
        way.min(scene.world.size.y - way) > slab
    });
    assert!(across.count() > 10);
    // And so many ticks that the agents are counted.
    let case = Case { what: "fast".into(), scene, state, ticks: 70 };
    check(&gpu, &[case], 5, engine);
}

#[test]
fn borders_may_move_between_any_two_ticks() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut one = shipped(&gpu);
    for space in [false, true] {
        let flock = ranks::of_all(space, "wrap", &[]);
        let wanted = alone(&mut one, &flock.0, &flock.1, 12);
        let found = with_moving_borders(|_| engine(&device()), &flock);
        assert_same(&found, &wanted, &format!("space {space}"));
    }
}

#[test]
fn the_fullest_cell_of_all_ranks_is_that_of_one() {
    let Some(gpu) = adapter::gpu() else { return };
    let case = of_all(false, "walls", &[]);
    let mut one = shipped(&gpu);
    let mut fullest = [0; 2];
    for (ticks, fullest) in (0..).zip(&mut fullest) {
        alone(&mut one, &case.scene, &case.state, ticks);
        *fullest = one.largest_cell();
    }
    on_ranks(
        3,
        |_| shipped(&device()),
        |many, rank| {
            many.load(&case.scene, &part(&case.state, rank, 3)).unwrap();
            let before = many.largest_cell();
            many.step(1).unwrap();
            assert_eq!([before, many.largest_cell()], fullest);
            // Hundreds of agents that leave a slab at once are not in one of its cells.
            let quarter = many.slices() / 4;
            many.divide(&vec![1; quarter]).unwrap();
            assert_eq!(many.largest_cell(), fullest[1]);
        },
    );
}

#[test]
fn an_id_that_no_tag_holds_is_refused_by_all() {
    let Some(gpu) = adapter::gpu() else { return };
    let case = of_all(false, "wrap", &[]);
    drop(gpu);
    on_ranks(
        2,
        |_| shipped(&device()),
        |many, rank| {
            let mut own = part(&case.state, rank, 2);
            if let Some(last) = own.id.last_mut().filter(|_| rank == 1) {
                *last = 1 << 27;
            }
            let error = many.load(&case.scene, &own).unwrap_err();
            let large = EngineError::LargeId { id: 1 << 27, largest: (1 << 27) - 1 };
            assert_eq!(error, if rank == 1 { large } else { EngineError::OtherRank });
        },
    );
}
