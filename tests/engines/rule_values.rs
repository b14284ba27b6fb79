//! Values of behaviours and rules on both engines: parameters by species, turns in place of forces, weights below 0,
//! and sets of species with none in them.

use crate::adapter;
use crate::common::gpu::with_cpu;
use crate::common::{self, bits, run};
use flockwork::model::vector::Point;

#[test]
fn a_value_by_species_is_the_one_of_the_neighbours_species() {
    let mut engines = with_cpu(adapter::gpu());
    let rules = [
        "one = 0.7, two = -0.3 }, sum.v = \"if(other_species == 0, one, if(other_species == 2, two, 0)) * offset\"",
        "k = { a = 0.7, c = -0.3 } }, sum.v = \"k * offset\"",
        "k = { a = 0.7, b = -0.3 } }, sum.v = \"k * offset\"",
        "k = { a = 0.7, c = { from = -1, to = 0.3 } } }, sum.v = \"k * offset\"",
        // As many parameters as a rule may have, the last of them drawn.
        "b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, i = 1, j = 1, l = 1, m = 1, n = 1, o = 1, p = 1, q = 1, \
         r = 1, s = 1, t = 1, u = 1, v1 = 1, w = 1, k = { a = 0.7, 'c' = -0.3, \"b c\" = { from = 0, to = 1 } } }, \
         sum.v = \"k * offset\"",
    ];
    for size in ["[300, 200]", "[200, 120, 90]"] {
        let flocks = rules.map(|rule| {
            let rule = format!(
                "max_force = 0.3\nrules.like = {{ radius = 30, force = \"0.01 * v\", parameters = {{ {rule} }}\n"
            );
            let text = format!(
                "seed = 8\nworld.size = {size}\n[species.a]\ncount = 150\n{rule}[species.b]\n\
                 count = 100\n[species.c]\ncount = 120\n{rule}[species.\"b c\"]\ncount = 60\n"
            );
            common::parsed(&text)
        });
        let mut all = Vec::new();
        for engine in &mut engines {
            let [by_hand, by_table, swapped, drawn, many] =
                flocks.each_ref().map(|(scene, state)| bits(&run(&mut **engine, scene, state, 20)));
            assert_eq!(by_hand, by_table, "{}", engine.describe());
            assert_ne!(by_table, swapped, "another species has the value");
            assert_ne!(by_table, drawn, "each agent draws it");
            all.push((by_table, drawn, many));
        }
        assert!(all.windows(2).all(|two| two[0] == two[1]), "{size}");
    }
}

#[test]
fn rules_that_say_the_same_give_the_same_bytes() {
    const PLANE: &str = "[90, 80]";
    const SPACE: &str = "[50, 60, 40]";
    const FLOCK: &str =
        "separation = { radius = 15 }\ncohesion = { radius = 30 }\nalignment = { radius = 30, @ }";
    const NOBODY: [&str; 3] = ["with = []", "weight = 0", "with = 'all'"];
    // A force without weight is not the first one.
    const EXCLUSIVE: &str = "combine = 'exclusive'\n@separation = { radius = 15 }";
    const FIRST: [&str; 3] =
        ["alignment = { radius = 15, weight = 0 }\n", "", "alignment = { radius = 15 }\n"];
    let mut engines = with_cpu(adapter::gpu());
    // Two that say the same, and the control.
    for (size, rule, texts) in [
        // The square of 1e20 is infinite.
        (
            PLANE,
            "rules.r.force = '0.01 * @'",
            ["limit(velocity, 1e20)", "velocity", "limit(velocity, 1)"],
        ),
        (
            PLANE,
            "motion = 'turn'\nrules.r = { sum.m = '@', force = 'heading + 0.1 * m * perp(heading)' }",
            ["max_force", "max_speed", "0.05"],
        ),
        (PLANE, FLOCK, NOBODY),
        (SPACE, FLOCK, NOBODY),
        (PLANE, EXCLUSIVE, FIRST),
        (SPACE, EXCLUSIVE, FIRST),
    ] {
        let flocks = texts.map(|text| {
            let rule = rule.replace('@', text);
            common::parsed(&format!(
                "world.size = {size}\n[species.a]\ncount = 60\nmax_speed = 2\n{rule}\n"
            ))
        });
        for engine in &mut engines {
            let [one, same, other] =
                flocks.each_ref().map(|(scene, state)| bits(&run(&mut **engine, scene, state, 5)));
            assert!(one == same, "{rule} in {size} on {}", engine.describe());
            assert!(one != other, "the control: {rule} in {size} on {}", engine.describe());
        }
    }
}

#[test]
fn a_turn_turns_the_heading_as_its_force_does() {
    let mut engines = with_cpu(adapter::gpu());
    let flock = |rule: &str| {
        let text = format!(
            "world.boundary = \"open\"\n[species.a]\ncount = 50\nmotion = \"turn\"\n\
             max_speed = 1.5\nspawn.speed = 1.5\nrules.spin.{rule}\n"
        );
        common::parsed(&text)
    };
    let by_turn = flock("turn = \"0.01 * (1 + random(0) * 0)\"");
    let by_force = flock("force = \"rotate(heading, 0.01 * (1 + random(0) * 0))\"");
    for engine in &mut engines {
        let [turned, forced] =
            [&by_turn, &by_force].map(|(scene, state)| run(&mut **engine, scene, state, 25));
        assert_eq!(bits(&turned), bits(&forced));
        // A quarter of a turn to the left.
        for (before, after) in by_turn.1.velocity.iter().zip(&turned.velocity) {
            let left = Point::new(-before.y, before.x, 0.0);
            assert!((*after - left).length() < 1e-3, "{before} became {after}");
        }
    }
}

#[test]
fn a_weight_below_0_is_the_opposite_force() {
    let mut engines = with_cpu(adapter::gpu());
    let flock = |behaviour: &str, weight: &str| {
        let text = format!(
            "seed = 3\nworld = {{ size = [200, 150], boundary = \"open\" }}\n[species.a]\ncount = 80\n\
             spawn.speed = 0\n{}\n",
            behaviour.replace("KEYS", &format!("radius = 30, weight = {weight}"))
        );
        common::parsed(&text)
    };
    for behaviour in [
        "cohesion = { KEYS }",
        "separation = { KEYS }",
        "rules.pull = { KEYS, sum.v = \"offset\", force = \"v\" }",
    ] {
        let [drawn, shunned] = ["1.3", "-1.3"].map(|weight| flock(behaviour, weight));
        for engine in &mut engines {
            // From rest the velocity is the force, over a mass of 1.
            let [to, from] = [&drawn, &shunned]
                .map(|(scene, state)| run(&mut **engine, scene, state, 1).velocity);
            assert!(to.iter().any(|velocity| velocity.length() > 0.01), "{behaviour}");
            let opposite = to.iter().zip(&from).all(|(to, from)| *to == -*from);
            assert!(opposite, "{behaviour} on {}", engine.describe());
        }
    }
}

#[test]
fn a_behaviour_that_perceives_no_species_has_no_force_also_in_a_scene_of_one() {
    let rules = [
        "separation = { radius = 30, @ }",
        "alignment = { radius = 30, @ }",
        "cohesion = { radius = 30, nearest = 3, @ }",
        "pursue = { radius = 30, @ }",
        "rules.all = { radius = \"all\", force = \"0.01 * v\", sum.v = \"offset\", @ }",
    ];
    let mut engines = with_cpu(adapter::gpu());
    for (rule, size) in
        rules.iter().flat_map(|rule| ["[90, 80]", "[50, 60, 40]"].map(|size| (rule, size)))
    {
        let flock = |with: &str| {
            let rule = rule.replace('@', with);
            common::parsed(&format!("world.size = {size}\n[species.a]\ncount = 60\n{rule}\n"))
        };
        for (number, engine) in engines.iter_mut().enumerate() {
            let [none, all] = ["with = []", "with = \"all\""].map(|with| {
                let (scene, state) = flock(with);
                (run(engine.as_mut(), &scene, &state, 1).velocity, state.velocity)
            });
            assert!(none.0 == none.1, "{rule}, engine {number}");
            // The control.
            assert!(all.0 != all.1, "{rule}, engine {number}");
        }
    }
}
