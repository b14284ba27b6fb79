//! Scenes at the limits of what is allowed: nothing becomes NaN.

use flockwork::engine::EngineKind;
use flockwork::model::scene::{Request, Scene};

use super::on_engines;
use crate::adapter;

/// Everything that can go wrong with scenery at once: obstacles that overlap and cover the spawn
/// place and the whole world, a path with equal points, targets faster than the world is wide.
const SCENERY: &str = r#"
[world]
size = [100, 60]
[[targets]]
velocity = [170, -90]
hit_radius = 500
[[targets]]
position = [50, 30]
[[obstacles]]
position = [50, 30]
radius = 40
[[obstacles]]
position = [50, 30]
radius = 40
[[obstacles]]
position = [0, 0]
radius = 1000
[[obstacles]]
position = [20, 20]
radius = 0
[[paths]]
points = [[50, 30], [50, 30], [50, 30], [90, 30], [90, 30]]
closed = true
[[paths]]
points = [[-190, -110], [290, 170]]
[flow]
kind = "vortex"
cell = 1000
"#;

/// Species at their limits.
const SPECIES: [&str; 9] = [
    // All behaviours (but only one of the two that turn an angle), all agents at one point.
    "spawn = { place = \"point\", speed = 0 }\nseparation = {}\nalignment = {}\ncohesion = { inner = 5 }\n\
     view = {}\npursue = { lead = \"distance\" }\nevade = { target = \"target1\" }\nseek = {}\nflee = {}\n\
     arrive = {}\nwander = {}\ncontain = {}\nfollow_path = {}\navoid = {}\nfollow_flow = {}",
    "max_speed = 0\nspawn = { speed = 0 }\nseek = { proximity = 50 }\npursue = { lead = \"distance\" }\n\
     avoid = { method = \"box\" }\nswim = {}",
    "max_force = 0\nspawn = { speed = 3 }\nwander = { kind = \"kick\" }\navoid = {}\nseparation = {}",
    "mass = 0.001\nmax_force = 10000\nmax_speed = 50\nseek = { weight = 1e6, gain = 1e6 }\n\
     avoid = { method = \"ahead\", reach = 1e6, strength = 1e4 }",
    "separation = { fov = 0 }\nalignment = { fov = 360 }\nview = { fov = 0 }\ncohesion = { radius = 1e6 }",
    "limit = \"sum\"\ncombine = \"priority\"\nflee = { gain = 1e6, weight = 1e6 }\nfollow_path = { radius = 0 }\n\
     seek = { proximity = 100 }",
    "max_speed = { base = 3, amplitude = 1e6, period = 2 }\nseparation = { radius = { base = 5, amplitude = 1e6 } }",
    "size = 10000\navoid = { method = \"box\", reach = 0.001 }\nwander = { turn = 180, distance = 0, radius = 0 }",
    "follow_path = { lookahead = 0, advance = 1e6 }\nfollow_flow = {}\nswim = { radius = 0 }\narrive = { slowing_radius = 0.001 }",
];

#[test]
fn at_the_limits_nothing_becomes_nan() {
    let gpu = adapter::gpu();
    let is_software = gpu.as_ref().is_some_and(|gpu| gpu.is_software());
    on_engines("flock", gpu, |run| {
        // A software driver has the bits of the CPU engine, and takes seconds to compile some of these.
        let in_turn = is_software && run.engine.kind() == EngineKind::Gpu;
        for (edge, boundary) in ["wrap", "walls", "open"].into_iter().enumerate() {
            for (number, species) in SPECIES.iter().enumerate() {
                // The one that a wrapped world refuses gets walls.
                if in_turn && (number + edge) % 3 != 1 {
                    continue;
                }
                let text = format!("{SCENERY}[species.a]\ncount = 40\n{species}\n");
                let set = [format!("world.boundary={boundary}")];
                let scene = Scene::parse_with("edge", &text, &set).unwrap();
                let Ok((scene, state)) = scene.populate(&Request::default()) else {
                    // A scene is refused when an agent could go round the wrapped world in one
                    // tick.
                    assert_eq!((boundary, number), ("wrap", 6), "species {number} in {boundary}");
                    continue;
                };
                run.engine.load(&scene, &state).unwrap();
                for _ in 0..10 {
                    let state = run.step(3);
                    for (p, v) in state.position.iter().zip(&state.velocity) {
                        let finite = p.is_finite() && v.is_finite();
                        assert!(finite, "species {number} in {boundary}: {p} with {v}");
                    }
                }
            }
        }
    });
}
