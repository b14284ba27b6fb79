//! The order in which the engine keeps its agents.

use super::*;
use crate::Engine;
use flockwork_model::scene::{BuiltIn, Request};

/// The fault in the order of a flock, if there is one.
fn disorder<const D: usize>(flock: &Flock<D>) -> Option<String> {
    for (cell, range) in flock.start.windows(2).enumerate() {
        let members = range[0] as usize..range[1] as usize;
        let here = |agent: usize| flock.grid.key_of(flock.motion.position(agent)) == cell as u32;
        if !members.clone().all(here) {
            return Some(format!("cell {cell} has a member of another cell"));
        }
        let ids = &flock.identity.id[members];
        if !ids.is_sorted_by(|a, b| a < b) {
            return Some(format!("cell {cell} has the ids {ids:?}"));
        }
    }
    let mut ids = flock.identity.id.clone();
    ids.sort_unstable();
    (ids != flock.ids.all()).then(|| "an agent is missing or there twice".into())
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
            let text = BuiltIn::named("flock").unwrap().text;
            let spawn = format!("{{ place = \"{place}\", speed = 1 }}");
            let overrides = [
                format!("starling.spawn={spawn}"),
                format!("starling.spawn_at_scale={spawn}"),
                format!("world.size={size}"),
                // So that several agents share a cell.
                "world.density=10".into(),
            ];
            let mut scene = Scene::parse("flock", text, &overrides).unwrap();
            let request = Request { count: Some(count.max(1)), ..Request::default() };
            let mut state = scene.populate(&request).unwrap();
            if count == 0 {
                state = FlockState::default();
            }
            for threads in [1, 2, 3] {
                let mut engine = CpuEngine::new(Some(threads)).unwrap();
                engine.load(&scene, &state).unwrap();
                for tick in 0..if count > 10_000 { 5 } else { 30 } {
                    let wrong = of_any!(engine.flock.as_ref().unwrap(), flock => disorder(flock));
                    assert_eq!(wrong, None, "{count}, {place}, {size}, tick {tick}, {threads}");
                    engine.step(1).unwrap();
                }
                // The control: two neighbours in the order exchanged.
                if count > 1 {
                    of_any!(engine.flock.as_mut().unwrap(), flock => {
                        flock.identity.id.swap(0, 1);
                        assert!(disorder(flock).is_some());
                    });
                }
            }
        }
    }
}
