//! A flock over many processes: the same bytes as in one. The processes are threads here;
//! `tests/ranks_mpi.rs` runs the program under `mpirun`.

use crate::common::ranks::{self, assert_same, few_and_crowded, of_all, part, with_moving_borders};
use crate::common::{bits, built_in, built_in_scene, mixed};
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::distributed::{DistributedEngine, LoadBalance};
use flockwork::engine::{AgentsAt, Change, Engine, EngineError, Snapshot};
use flockwork::model::scene::{Request, Scene};
use flockwork::model::state::FlockState;

const BOUNDARIES: [&str; 3] = ["wrap", "walls", "open"];

/// A rank's engine. Some ranks share their work among threads, others do not.
fn engine(rank: usize) -> CpuEngine {
    CpuEngine::new(Some(1 + rank % 2)).unwrap()
}

/// Runs `act` on every rank with the CPU engine, and returns what rank 0 returns.
fn on_ranks<T: Send>(size: usize, act: impl Fn(&mut DistributedEngine, usize) -> T + Sync) -> T {
    ranks::on_ranks(size, engine, act)
}

/// The flock after so many ticks on `size` ranks, and how they shared the work.
fn run_on(size: usize, scene: &Scene, state: &FlockState, ticks: u32) -> (Snapshot, LoadBalance) {
    on_ranks(size, |engine, rank| {
        let found = ranks::alone(engine, scene, &part(state, rank, size), ticks);
        (found, engine.load_balance())
    })
}

fn alone(scene: &Scene, state: &FlockState, ticks: u32) -> Snapshot {
    ranks::alone(&mut CpuEngine::new(None).unwrap(), scene, state, ticks)
}

#[test]
fn any_number_of_ranks_gives_the_same_bytes() {
    for boundary in BOUNDARIES {
        for space in [false, true] {
            let (scene, state) = of_all(space, boundary, &[]);
            let wanted = alone(&scene, &state, 25);
            assert!(wanted.targets[2].hits > 0, "no target was hit");
            for size in if boundary == "wrap" { vec![1, 2, 3, 4, 7] } else { vec![2, 5] } {
                let (found, load) = run_on(size, &scene, &state, 25);
                assert_same(&found, &wanted, &format!("{boundary}, space {space}, {size} ranks"));
                assert_eq!(load.ghosts > 0, size > 1);
            }
            // Control: another weight.
            let (other, _) = of_all(space, boundary, &["starling.separation.weight=1.55"]);
            let (found, _) = run_on(3, &other, &state, 25);
            assert!(bits(&found.state) != bits(&wanted.state));
        }
    }
}

#[test]
fn every_scene_is_the_same_on_ranks() {
    for scene in flockwork::model::scene::built_in() {
        let (scene, state) = built_in(scene.name, 700, &[]);
        let wanted = alone(&scene, &state, 20);
        let (found, _) = run_on(3, &scene, &state, 20);
        assert_same(&found, &wanted, &scene.name);
    }
}

#[test]
fn crowds_few_agents_and_narrow_worlds_are_the_same_on_ranks() {
    for boundary in BOUNDARIES {
        for (what, (scene, state)) in few_and_crowded(boundary) {
            let wanted = alone(&scene, &state, 20);
            for size in [2, 3, 5] {
                let (found, _) = run_on(size, &scene, &state, 20);
                assert_same(&found, &wanted, &format!("{what} on {size} ranks"));
            }
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
    let wanted = alone(&scene, &state, 10);
    assert_eq!(wanted.state.id, state.id);
    let (found, _) = run_on(3, &scene, &state, 10);
    assert_same(&found, &wanted, "large ids");
    // Random numbers depend on the id.
    let small = FlockState { id: (0..count).collect(), ..state };
    assert!(bits(&alone(&scene, &small, 10).state) != bits(&wanted.state));
}

#[test]
fn borders_may_move_between_any_two_ticks() {
    for space in [false, true] {
        let flock = of_all(space, "wrap", &[]);
        let wanted = alone(&flock.0, &flock.1, 12);
        let found = with_moving_borders(engine, &flock);
        assert_same(&found, &wanted, &format!("space {space}"));
    }
}

#[test]
fn edits_are_refused_and_change_nothing() {
    let (scene, state) = mixed("wrap", &[]);
    let wanted = alone(&scene, &state, 2);
    let found = on_ranks(2, |engine, rank| {
        engine.load(&scene, &part(&state, rank, 2)).unwrap();
        let refused = engine.update(&scene, Change::PARAMETERS).unwrap_err();
        assert!(refused.to_string().contains("cannot be edited"), "{refused}");
        assert!(engine.remove(&[0]).is_err() && engine.append(&state).is_err());
        engine.step(2).unwrap();
        engine.snapshot().unwrap()
    });
    assert_same(&found, &wanted, "after edits");
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
