//! The order in which the CPU engine keeps its agents.

use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::device_grid::DeviceGrid;
use flockwork::engine::{AgentsAt, Engine, HostAgents};
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::DIMENSIONS;

use crate::common::built_in;

/// The agents' cells and ids, in the engine's order.
fn cells_and_ids(scene: &Scene, agents: HostAgents<'_>) -> Vec<(u32, u32)> {
    let grid = DeviceGrid::of(scene, agents.len());
    let cell = |agent: usize| {
        let mut key = 0;
        for axis in (0..DIMENSIONS).rev() {
            let along = agents.position[axis].get(agent) * grid.cells_per_unit[axis];
            key = key * grid.cells_along[axis] + (along as u32).min(grid.cells_along[axis] - 1);
        }
        key
    };
    (0..agents.len()).map(|agent| (cell(agent), agents.id[agent])).collect()
}

/// The error in the order of `count` agents, if there is one.
fn disorder(order: &[(u32, u32)], count: u64) -> Option<String> {
    if let Some(pair) = order.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Some(format!("cells and ids {pair:?}"));
    }
    let mut ids: Vec<u32> = order.iter().map(|(_, id)| *id).collect();
    ids.sort_unstable();
    (!ids.into_iter().eq(0..count as u32)).then(|| "an agent is missing or there twice".into())
}

#[test]
fn after_every_tick_agents_are_sorted_by_cell_and_in_a_cell_by_id() {
    for count in [0, 1, 63, 64, 65, 5_000, 65_537] {
        for (place, size) in [
            ("uniform", "[640,360]"),
            ("point", "[640,360]"),
            ("row", "[640,360]"),
            ("uniform", "[320,180,240]"),
            ("point", "[320,180,240]"),
        ] {
            let spawn = format!("{{ place = \"{place}\", speed = 1 }}");
            let overrides = [
                format!("starling.spawn={spawn}"),
                format!("starling.spawn_at_scale={spawn}"),
                format!("world.size={size}"),
                // So that several agents share a cell.
                "world.density=10".into(),
            ];
            let overrides = overrides.each_ref().map(String::as_str);
            let (scene, mut state) = built_in("flock", count.max(1), &overrides);
            if count == 0 {
                state = FlockState::default();
            }
            for threads in [1, 2, 3] {
                let mut engine = CpuEngine::new(Some(threads)).unwrap();
                engine.load(&scene, &state).unwrap();
                for tick in 0..if count > 10_000 { 5 } else { 30 } {
                    let AgentsAt::Host(agents) = engine.agents() else { panic!("on a device") };
                    let mut order = cells_and_ids(&scene, agents);
                    let wrong = disorder(&order, count);
                    assert_eq!(wrong, None, "{count}, {place}, {size}, tick {tick}, {threads}");
                    // The control: two neighbours in the order exchanged.
                    if count > 1 {
                        order.swap(0, 1);
                        assert!(disorder(&order, count).is_some());
                    }
                    engine.step(1).unwrap();
                }
            }
        }
    }
}
