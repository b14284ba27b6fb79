//! A flock over many processes: the same bytes as in one. The processes are threads here;
//! `tests/ranks_mpi.rs` runs the program under `mpirun`.

use crate::common::ranks::{
    self, Case, assert_same, check_controls, check_moving_borders, few_and_crowded, part,
};
use crate::common::{BOUNDARIES, bits, built_in, built_in_scene, mixed};
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::distributed::DistributedEngine;
use flockwork::engine::{AgentsAt, Change, Engine, EngineError};
use flockwork::model::scene::{self, BuiltIn, Request};
use flockwork::model::state::FlockState;

/// A rank's engine. Some ranks share their work among threads, others do not.
fn engine(rank: usize) -> CpuEngine {
    CpuEngine::new(Some(1 + rank % 2)).unwrap()
}

/// Runs `act` on every rank with the CPU engine, and returns what rank 0 returns.
fn on_ranks<T: Send>(size: usize, act: impl Fn(&mut DistributedEngine, usize) -> T + Sync) -> T {
    ranks::on_ranks(size, engine, act)
}

/// The engine of a process alone.
fn alone() -> CpuEngine {
    CpuEngine::new(None).unwrap()
}

#[test]
fn any_number_of_ranks_gives_the_same_bytes() {
    for boundary in BOUNDARIES {
        let cases = [false, true].map(|space| Case::of_all(space, boundary, 25));
        for size in if boundary == "wrap" { vec![1, 2, 3, 4, 7] } else { vec![2, 5] } {
            for load in ranks::check(&mut alone(), &cases, size, engine) {
                assert_eq!(load.ghosts > 0, size > 1);
            }
        }
        for space in [false, true] {
            check_controls(&mut alone(), space, boundary, 25);
        }
    }
}

#[test]
fn every_scene_is_the_same_on_ranks() {
    let case = |own: BuiltIn| Case::new(own.name, built_in(own.name, 700, &[]), 20);
    let cases: Vec<Case> = scene::built_in().map(case).collect();
    ranks::check(&mut alone(), &cases, 3, engine);
}

#[test]
fn crowds_few_agents_and_narrow_worlds_are_the_same_on_ranks() {
    for cases in BOUNDARIES.map(|boundary| few_and_crowded(boundary, 20)) {
        for size in [2, 3, 5] {
            ranks::check(&mut alone(), &cases, size, engine);
        }
    }
}

#[test]
fn ids_may_be_as_large_as_32_bits_allow() {
    let (scene, mut state) = mixed("wrap", &["starling.alignment.pick=\"one\""]);
    // Three groups, the last up to the largest id.
    let (count, third) = (state.len() as u32, state.len() as u32 / 3);
    for (row, id) in state.id.iter_mut().enumerate() {
        let row = row as u32;
        *id = match row / third {
            0 => row,
            1 => (1 << 27) + row,
            _ => u32::MAX - (count - row),
        };
    }
    assert_eq!(state.id.last(), Some(&(u32::MAX - 1)));
    let small = FlockState { id: (0..count).collect(), ..state.clone() };
    let [large, small] = [state, small].map(|s| Case::new("ids", (scene.clone(), s), 10));
    let wanted = large.alone(&mut alone()).state;
    assert_eq!(wanted.id, large.state.id);
    // Random numbers depend on the id.
    assert!(bits(&small.alone(&mut alone()).state) != bits(&wanted));
    ranks::check(&mut alone(), &[large], 3, engine);
}

#[test]
fn borders_may_move_between_any_two_ticks() {
    check_moving_borders(&mut alone(), engine);
}

#[test]
fn edits_are_refused_and_change_nothing() {
    let case = Case::new("after edits", mixed("wrap", &[]), 2);
    let found = on_ranks(2, |engine, rank| {
        engine.load(&case.scene, &part(&case.state, rank, 2)).unwrap();
        assert_eq!(engine.rank_stats().sent, 0, "no tick has sent them");
        let refused = engine.update(&case.scene, Change::PARAMETERS).unwrap_err();
        assert!(refused.to_string().contains("cannot be edited"), "{refused}");
        assert!(engine.remove(&[0]).is_err() && engine.append(&case.state).is_err());
        engine.step(2).unwrap();
        engine.snapshot().unwrap()
    });
    assert_same(&found, &case.alone(&mut alone()), &case.what);
}

#[test]
fn agents_that_one_rank_cannot_take_are_refused_by_all() {
    let (scene, state) = mixed("wrap", &[]);
    on_ranks(3, |engine, rank| {
        let mut own = part(&state, rank, 3);
        if rank == 1 {
            own.species[0] = 200;
        }
        let error = engine.load(&scene, &own).unwrap_err();
        let own = matches!(error, EngineError::UnknownSpecies { .. });
        assert!(if rank == 1 { own } else { error == EngineError::OtherRank }, "{error}");
    });
}

#[test]
fn an_agent_on_several_ranks_is_refused_by_all() {
    let (scene, state) = mixed("wrap", &[]);
    on_ranks(3, |engine, rank| {
        assert_eq!(engine.snapshot().unwrap_err(), EngineError::NoFlock);
        assert_eq!(engine.targets().unwrap_err(), EngineError::NoFlock);
        let error = engine.load(&scene, &state).unwrap_err().to_string();
        assert!(error.contains(&format!("agent {rank} again")), "{error}");
        engine.load(&scene, &part(&state, rank, 3)).unwrap();
    });
}

#[test]
fn the_shares_of_all_ranks_are_the_flock() {
    for scene in ["flock", "embers", "flock-3d"] {
        let scene = built_in_scene(scene, &[]);
        let request = Request { count: Some(101), ..Request::default() };
        let (_, whole) = scene.populate(&request).unwrap();
        let mut all = FlockState::default();
        for rows in [0..40, 40..40, 40..99, 99..101] {
            all.extend(&scene.populate_rows(&request, |_| rows.clone()).unwrap().1);
        }
        assert_eq!(all, whole);
    }
}

#[test]
fn rank_0_has_the_flock_for_a_renderer_and_the_fullest_cell() {
    let (scene, state) = mixed("walls", &[]);
    let mut one = CpuEngine::new(Some(1)).unwrap();
    one.load(&scene, &state).unwrap();
    let fullest = one.largest_cell();
    let ids = |engine: &dyn Engine| match engine.agents() {
        AgentsAt::Host(agents) => agents.id.to_vec(),
        AgentsAt::Device(_) => Vec::new(),
    };
    let found = on_ranks(3, |engine, rank| {
        engine.load(&scene, &part(&state, rank, 3)).unwrap();
        assert_eq!(engine.largest_cell(), fullest);
        engine.gather().unwrap();
        ids(engine)
    });
    // In the order of a process alone.
    assert_eq!(found, ids(&one));
}
