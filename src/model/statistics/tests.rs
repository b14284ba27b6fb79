//! Tests of the metrics.

use super::super::grid::RUN_SAMPLE;
use super::cells::CellStarts;
use super::*;
use crate::random::{Purpose, unit};
use crate::scene::{BuiltIn, Request};
use crate::vector::flat;
use crate::world::{Boundary, World};

const SCENE: &str = r#"
    [world]
    size = [400, 300]
    boundary = "wrap"
    [species.a.separation]
    radius = 20
"#;

fn scene(boundary: &str) -> Scene {
    Scene::parse("test", &SCENE.replace("wrap", boundary)).unwrap()
}

/// A built-in scene with overrides, scaled to `count` agents, and its first state.
pub fn populated(name: &str, set: &[&str], count: u64) -> (Scene, FlockState) {
    let scene = Scene::parse_with(name, BuiltIn::named(name).unwrap().text, set).unwrap();
    scene.populate(&Request { count: Some(count), ..Request::default() }).unwrap()
}

fn flock(agents: &[(Point, Point)]) -> FlockState {
    FlockState {
        tick: 4,
        id: (0..agents.len() as u32).collect(),
        species: vec![0; agents.len()],
        position: agents.iter().map(|a| a.0).collect(),
        velocity: agents.iter().map(|a| a.1).collect(),
        ..FlockState::default()
    }
}

/// The unit vector at an angle in degrees.
fn on_circle(degrees: f32) -> Point {
    flat(degrees.to_radians().cos(), degrees.to_radians().sin())
}

/// A quarter turn to the left.
fn turned(arm: Point) -> Point {
    flat(-arm.y, arm.x)
}

fn ring(centre: Point, heading: impl Fn(Point) -> Point) -> FlockState {
    let angles = (0..36).map(|i| on_circle(i as f32 * 10.0));
    let agents: Vec<_> = angles.map(|arm| (centre + arm * 50.0, heading(arm))).collect();
    flock(&agents)
}

#[test]
fn a_mill_turns_and_a_flight_heads_one_way() {
    let scene = scene("open");
    let mill = Metrics::of(&scene, &ring(flat(200.0, 150.0), |arm| turned(arm) * 2.0));
    assert!(mill.angular_momentum > 0.999 && mill.polarisation < 1e-6, "{mill:?}");
    assert!((mill.rotation - 1.0).abs() < 1e-6, "{mill:?}");
    assert!((mill.mean_speed - 2.0).abs() < 1e-6);
    let flight = Metrics::of(&scene, &ring(flat(200.0, 150.0), |_| Point::X));
    assert!(flight.angular_momentum < 1e-6 && flight.polarisation > 0.999, "{flight:?}");
    assert!(flight.rotation < 1e-6, "{flight:?}");
    // Neighbours on a circle of radius 50, 10° apart.
    let apart = 100.0 * 5.0_f64.to_radians().sin();
    assert!((flight.nearest_neighbour_distance - apart).abs() < 1e-4, "{flight:?}");
}

#[test]
fn a_mill_across_the_seam_turns_as_well() {
    let scene = scene("wrap");
    let mut state = ring(Point::ZERO, turned);
    for p in &mut state.position {
        *p = p.truncate().rem_euclid(scene.world.size.truncate()).extend(0.0);
    }
    let mill = Metrics::of(&scene, &state);
    assert!(mill.angular_momentum > 0.999 && mill.rotation > 0.999, "{mill:?}");
}

#[test]
fn agents_at_one_spot_turn_about_nothing() {
    // The circular mean of a wrapped world misses the spot by rounding.
    for boundary in ["wrap", "walls", "open"] {
        for count in [1, 7] {
            let together = vec![(flat(33.3, 0.1), flat(1.0, 0.3)); count];
            let metrics = Metrics::of(&scene(boundary), &flock(&together));
            assert_eq!((metrics.rotation, metrics.angular_momentum), (0.0, 0.0), "{boundary}");
        }
    }
}

#[test]
fn rotation_counts_every_agent_alike() {
    let scene = scene("open");
    let middle = flat(200.0, 150.0);
    // Two rings in opposite directions, with equal numbers: one far out and slow, one near and
    // fast.
    let ring = |radius: f32, speed: f32| {
        let angles = (0..40).map(|i| on_circle(i as f32 * 9.0));
        angles.map(move |arm| (middle + arm * radius, turned(arm) * speed))
    };
    let state = flock(&ring(80.0, -1.0).chain(ring(20.0, 2.0)).collect::<Vec<_>>());
    let metrics = Metrics::of(&scene, &state);
    assert!(metrics.rotation < 1e-6, "{metrics:?}");
    // |20 · 2 − 80 · 1| / (20 · 2 + 80 · 1).
    assert!((metrics.angular_momentum - 1.0 / 3.0).abs() < 1e-6, "{metrics:?}");
    // An agent at rest counts, but does not turn.
    let mut state = flock(&ring(80.0, 1.0).collect::<Vec<_>>());
    state.velocity[5] = Point::ZERO;
    let metrics = Metrics::of(&scene, &state);
    assert!((metrics.rotation - 39.0 / 40.0).abs() < 1e-3, "{metrics:?}");
}

/// Relative error of a distance between two agents, which is computed in `f32`. Coordinates are
/// subtracted, squared and added, with an error of at most 2⁻²⁴ each; the root halves it.
const DISTANCE: f64 = 2.5 / 16_777_216.0;

/// The square of the distance between two places, the shortest of all ways round a wrapped world.
pub fn distance_squared(world: &World, from: Point, to: Point) -> f64 {
    let wraps = world.boundary == Boundary::Wrap;
    let rounds: &[f64] = if wraps { &[-1.0, 0.0, 1.0] } else { &[0.0] };
    let along = |axis: usize| {
        let way = f64::from(to[axis]) - f64::from(from[axis]);
        let ways = rounds.iter().map(|round| (way + round * f64::from(world.size[axis])).abs());
        ways.fold(f64::INFINITY, f64::min)
    };
    (0..world.axes()).map(|axis| along(axis).powi(2)).sum()
}

/// Fails unless the metrics of neighbours equal a loop over all pairs.
fn assert_brute_force(scene: &Scene, state: &FlockState, case: &str) {
    let metrics = Metrics::of(scene, state);
    assert_eq!(metrics.sampled_agents, 0);
    let radius = f64::from(scene.perception_radius());
    // Numbers of neighbours that are certainly near, and that may be near.
    let (mut surely, mut perhaps, mut nearest) = (0, 0, 0.0);
    for (i, p) in state.position.iter().enumerate() {
        let mut best = f64::INFINITY;
        for (_, q) in state.position.iter().enumerate().filter(|(j, _)| *j != i) {
            let d = distance_squared(&scene.world, *p, *q).sqrt();
            surely += u32::from(d < radius * (1.0 - DISTANCE));
            perhaps += u32::from(d < radius * (1.0 + DISTANCE));
            best = if d < best { d } else { best };
        }
        nearest += best;
    }
    let n = state.len() as f64;
    let found = (metrics.mean_neighbours * n).round();
    assert!((found / n - metrics.mean_neighbours).abs() < 1e-9);
    assert!(f64::from(surely) <= found && found <= f64::from(perhaps), "{case}: {found}");
    // The bound leaves no room for a missing pair.
    assert!(perhaps - surely <= 2, "{case}: {surely} to {perhaps}");
    let off = metrics.nearest_neighbour_distance / (nearest / n) - 1.0;
    assert!(off.abs() < DISTANCE, "{case}: {metrics:?}, not {}", nearest / n);
}

#[test]
fn metrics_agree_with_brute_force() {
    for boundary in ["wrap", "walls", "open"] {
        for count in [2_u64, 3, 40, 900] {
            let scene = scene(boundary);
            let request = Request { count: Some(count), density: None, seed: Some(3) };
            let (scene, mut state) = scene.populate(&request).unwrap();
            // Some on the edges, some outside if the world is open.
            for (i, p) in state.position.iter_mut().enumerate().filter(|(i, _)| i % 7 == 0) {
                p.x = if boundary == "open" { -50.0 * i as f32 } else { 0.0 };
            }
            assert_brute_force(&scene, &state, &format!("{boundary}, {count} agents"));
        }
    }
}

#[test]
fn neighbours_across_the_seam_are_found_in_worlds_of_any_width() {
    // From one cell per axis to many; dense worlds have cells of half the width.
    for boundary in ["wrap", "open"] {
        for width in [15, 30, 45, 65, 90, 110, 130, 210, 1500] {
            for height in [15, 45, 65, 90] {
                for per_cell in [1, 9] {
                    let count = (width * height * per_cell / 400).clamp(2, 500);
                    let size = format!("world.size=[{width},{height}]");
                    let text = SCENE.replace("wrap", boundary);
                    let scene =
                        Scene::parse_with("test", &text, std::slice::from_ref(&size)).unwrap();
                    let at = |id| {
                        let place = [0, 1, 2].map(|axis| unit(5, id, axis, Purpose::Trait));
                        Point::from_array(place) * scene.world.size
                    };
                    let agents: Vec<_> = (0..count).map(|id| (at(id), Point::X)).collect();
                    let case = format!("{boundary}, {size}, {count} agents");
                    assert_brute_force(&scene, &flock(&agents), &case);
                }
            }
        }
    }
}

#[test]
fn no_agent_one_agent_and_agents_at_rest_have_metrics() {
    let scene = scene("walls");
    assert_eq!(Metrics::of(&scene, &FlockState::default()), Metrics::default());
    let one = Metrics::of(&scene, &flock(&[(flat(3.0, 3.0), Point::ZERO)]));
    let expected = Metrics {
        tick: 4,
        agents: 1,
        largest_cell: 1,
        clusters: 1,
        largest_cluster: 1.0,
        ..Metrics::default()
    };
    assert_eq!(one, expected);
    assert_eq!(one.row().nth(1).as_deref(), Some("1"));
    assert_eq!(one.row().count(), Metrics::columns().count());
}

#[test]
fn a_crowd_on_one_spot_is_counted_by_sample_in_bounded_time() {
    let on_one_spot = "starling.spawn_at_scale.place=\"point\"";
    let (scene, state) = populated("flock", &[on_one_spot], 200_000);
    let metrics = Metrics::of(&scene, &state);
    assert_eq!(metrics.largest_cell, 200_000);
    assert_eq!(metrics.sampled_agents, 200_000);
    assert_eq!(metrics.nearest_neighbour_distance, 0.0);
    // All agents are neighbours of each other. A sample misses at most one stride, and adds none.
    let stride = f64::from(200_000_u32.div_ceil(RUN_SAMPLE));
    for tick in 0..6 {
        let metrics = Metrics::of(&scene, &FlockState { tick, ..state.clone() });
        let neighbours = metrics.mean_neighbours;
        assert!((199_999.0 - stride..=199_999.0).contains(&neighbours), "{neighbours}");
    }
}

#[test]
fn sampled_agents_are_counted_without_their_neighbours() {
    for boundary in ["wrap", "walls", "open"] {
        let scene = scene(boundary);
        let request = Request { count: Some(900), density: None, seed: Some(3) };
        let (scene, mut state) = scene.populate(&request).unwrap();
        // Crowds of several sizes, one of them on the edge.
        for (number, place) in [1.0, 100.0, 240.0].into_iter().enumerate() {
            let rows = 250 * number..250 * number + 80 * (number + 1);
            state.position[rows].fill(flat(place, 50.0));
        }
        let sampled = Metrics::of(&scene, &state).sampled_agents;
        assert!((1..900).contains(&sampled), "{sampled}");
        let (own, others) = state.position.split_at(600);
        for (own, others) in [(&state.position[..], [].as_slice()), (own, others)] {
            let add = |numbers: &mut [u64]| {
                let others = CellStarts::of(scene.grid::<2>(900), others, |_| ());
                let cells = 0..numbers.len() as u32;
                let more = cells.map(|cell| others.agents(cell, cell).len() as u64);
                numbers.iter_mut().zip(more).for_each(|(number, more)| *number += more);
            };
            assert_eq!(crowded_agents(&scene, 900, own, add), sampled, "{boundary}");
        }
    }
}

#[test]
fn metrics_do_not_depend_on_the_threads() {
    let (scene, state) = populated("flock", &[], 20_000);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Metrics::of(&scene, &state))
    };
    assert_eq!(with(1), with(3));
    assert!((with(1).mean_neighbours - 10.0).abs() < 0.3);
}

#[test]
fn a_metric_alone_computes_no_more_than_it_needs() {
    let (scene, state) = (scene("wrap"), ring(flat(200.0, 150.0), |_| Point::X));
    let sums = Sums::new(&scene, &state, &[]);
    let compute = |name| {
        let column = Metrics::TABLE.iter().find(|column| column.metric.name == name).unwrap();
        (column.metric.of)(&sums)
    };
    compute("polarisation");
    assert!(!sums.has_cells());
    compute("clusters");
    assert!(sums.has_cells());
}

#[test]
fn two_abreast_do_not_see_each_other_in_half_a_circle() {
    for (fov, short) in [(180.0, 2), (181.0, 0), (360.0, 0)] {
        let text = format!("{SCENE}\nnearest = 1\nfov = {fov}");
        let scene = Scene::parse("test", &text).unwrap();
        let abreast = [(flat(50.0, 50.0), Point::X), (flat(50.0, 60.0), Point::X)];
        assert_eq!(Metrics::of(&scene, &flock(&abreast)).found_fewer, short, "{fov}");
    }
}
