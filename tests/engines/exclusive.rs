//! `combine = "exclusive"`: the first behaviour whose force is not zero acts alone.

use flockwork::Engine;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, flat};

use crate::adapter;
use crate::common::gpu::on_both;
use crate::common::{self, run};

/// Two agents close together, and one alone.
fn agents() -> FlockState {
    let places = [flat(20.0, 50.0), flat(24.0, 50.0), flat(80.0, 20.0)];
    common::agents(&places.map(|place| (place, flat(0.5, 0.25))))
}

const APART: &str = "separation = { radius = 10, weight = 3 }\n";
const SEEK: &str = "seek = { target = \"food\", weight = 5 }\n";

/// The velocities after one tick.
fn velocities(engine: &mut dyn Engine, (size, depth): (&str, &str), species: &str) -> Vec<Point> {
    let text = format!(
        "world = {{ size = {size} }}\n[[targets]]\nname = \"food\"\nposition = [50, 90{depth}]\n\
         [species.a]\ncount = 3\nmax_force = 0.25\n{species}"
    );
    run(engine, &Scene::parse("test", &text).unwrap(), &agents(), 1).velocity
}

fn assert_exclusive(engine: &mut dyn Engine, world: (&str, &str)) -> Vec<Vec<Point>> {
    let mut all = Vec::new();
    for limit in ["each", "sum", "none"].map(|limit| format!("limit = \"{limit}\"\n")) {
        let mut run = |species: &str| velocities(engine, world, &format!("{limit}{species}"));
        let (apart, seek) = (run(APART), run(SEEK));
        let exclusive = "combine = \"exclusive\"\n";
        let found = run(&format!("{exclusive}{APART}{SEEK}"));
        // Agents that keep apart do that alone; the other one seeks.
        assert_eq!(found, [apart[0], apart[1], seek[2]], "{limit}");
        // In the other order all seek, and a force without weight decides nothing.
        assert_eq!(run(&format!("{exclusive}{SEEK}{APART}")), seek, "{limit}");
        let weightless = SEEK.replace("= 5", "= 0");
        assert_eq!(run(&format!("{exclusive}{weightless}{APART}")), apart, "{limit}");
        // The controls: the sum, and the order of priority.
        for combine in ["", "combine = \"priority\"\n"] {
            let other = run(&format!("{combine}{APART}{SEEK}"));
            assert!(other != found || !(limit.contains("each") && combine.is_empty()), "{other:?}");
            assert_ne!(run(&format!("{combine}{weightless}{APART}")), seek);
        }
        all.push(found);
    }
    // A weight above 1 goes beyond max_force unless the sum is limited.
    let change = |velocity: Point| (velocity - flat(0.5, 0.25)).length();
    assert!((change(all[1][2]) - 0.25).abs() < 1e-6 && change(all[0][2]) > 1.0, "{all:?}");
    all
}

#[test]
fn the_first_behaviour_that_is_not_silent_acts_alone() {
    on_both(adapter::gpu(), assert_exclusive);
}
