//! A flock over many processes, each on a GPU engine: the same bytes as in one. The processes are threads,
//! each with a device of its own.

use crate::adapter;
use std::sync::Arc;

use crate::common::gpu::{engine, share, shipped, without_subgroups};
use crate::common::ranks::{
    self, Case, check_controls, check_moving_borders, few_and_crowded, on_ranks, part,
};
use crate::common::{BOUNDARIES, built_in, flock, run};
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::distributed::DistributedEngine;
use flockwork::engine::gpu::{EngineOptions, Gpu, GpuEngine};
use flockwork::engine::{Engine, EngineError};
use flockwork::model::scene::{self, BuiltIn};

/// A rank's device.
fn device() -> Arc<Gpu> {
    adapter::gpu().expect("the adapter of the test")
}

/// Compares the cases on a number of ranks with one engine. Where the CPU engine gives the same bytes it is
/// that one, which has no shaders to compile.
fn check(gpu: &Arc<Gpu>, cases: &[Case], size: usize, local: fn(&Arc<Gpu>) -> GpuEngine) {
    let mut one: Box<dyn Engine> = match gpu.is_software() {
        true => Box::new(CpuEngine::new(None).unwrap()),
        false => Box::new(local(gpu)),
    };
    if size > 1 && share() == 1 {
        // Mesa keeps on the disk what one rank has compiled; all at once would compile the same.
        let compile = |many: &mut DistributedEngine, _| {
            cases.iter().for_each(|case| {
                many.load(&case.scene, &case.state).unwrap();
                many.step(1).unwrap();
            });
        };
        on_ranks(1, |_| local(&device()), compile);
    }
    ranks::check(&mut *one, cases, size, |_| local(&device()));
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
    let cases = BOUNDARIES.map(|boundary| Case::of_all(space, boundary, 20));
    // Every rank compiles its own shaders, which takes a second driver long.
    check(gpu, &cases[..if share() == 1 { 3 } else { 1 }], 3, engine);
    if share() == 1 {
        check(gpu, &cases[..1], 1, shipped);
        check(gpu, &cases[..1], 5, without_subgroups);
    }
    check_controls(&mut shipped(gpu), space, "wrap", 20);
}

#[test]
fn every_scene_is_the_same_on_ranks() {
    let Some(gpu) = adapter::gpu() else { return };
    let case = |own: BuiltIn| Case::new(own.name, built_in(own.name, 400, &[]), 10);
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
    for boundary in BOUNDARIES.into_iter().step_by(share().min(3)) {
        let cases = few_and_crowded(boundary, 12);
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
    let [before, after] = [7, 8].map(|ticks| run(&mut one, &scene, &state, ticks).position);
    let slab = scene.world.size.y / 5.0;
    let across = before.iter().zip(&after).filter(|(p, q)| {
        let way = (p.y - q.y).abs();
        way.min(scene.world.size.y - way) > slab
    });
    assert!(across.count() > 10);
    // And so many ticks that the agents are counted.
    check(&gpu, &[Case::new("fast", (scene, state), 70)], 5, engine);
}

#[test]
fn borders_may_move_between_any_two_ticks() {
    let Some(gpu) = adapter::gpu() else { return };
    check_moving_borders(&mut shipped(&gpu), |_| engine(&device()));
}

#[test]
fn the_fullest_cell_of_all_ranks_is_that_of_one() {
    let Some(gpu) = adapter::gpu() else { return };
    let case = Case::of_all(false, "walls", 0);
    let mut one = shipped(&gpu);
    let mut fullest = [0; 2];
    for (ticks, fullest) in (0..).zip(&mut fullest) {
        run(&mut one, &case.scene, &case.state, ticks);
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
    let case = Case::of_all(false, "wrap", 0);
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
