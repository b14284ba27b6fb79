//! Figures of a flock: how ordered it is, how it turns, how close its agents are.
//!
//! The order parameters are those of the literature on collective motion (Vicsek and others, 1995,
//! for the polarisation; Couzin and others, 2002, for the rotation, which they call the group's
//! angular momentum). Sums are taken in `f64`, over parts of fixed size in a fixed order: the same
//! state gives the same figures, whatever the number of threads.

mod cells;
mod circle;

use std::ops::Range;

use rayon::prelude::*;

use super::grid::Grid;
use super::scene::Scene;
use super::state::FlockState;
use super::vector::Point;
use super::world::{Boundary, World};
use cells::{Cells, Census, PartSight, way};
use circle::sine_and_cosine;

/// Agents that one task sums up. Fixed: sums must not depend on the number of threads.
const PART: usize = 4096;

/// Agents that look around in one task; theirs is more work.
const LOOKING_PART: usize = 512;

/// Flocks of no more agents are summed up by the thread that asks, before others would have begun.
const SMALL: usize = 8192;

/// Names of the figures, in the order of [`Metrics::row`].
pub const COLUMNS: [&str; 10] = [
    "tick",
    "agents",
    "polarisation",
    "rotation",
    "angular_momentum",
    "mean_speed",
    "mean_neighbours",
    "nearest_neighbour_distance",
    "largest_cell",
    "sampled_agents",
];

/// Figures of a flock at one tick. No figure is ever NaN: what is undefined (a flock of none, the
/// nearest neighbour of a single agent, the heading of one at rest) counts as 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Ticks since the start of the run.
    pub tick: u64,
    /// Number of agents, N.
    pub agents: u64,
    /// `|Σ v/|v|| / N`: 1 when all head the same way, near 0 when headings cancel.
    pub polarisation: f64,
    /// `|Σ r × v/|v|| / N`, with r the unit vector from the centre of mass c to the agent: 1 when all
    /// circle round it the same way (milling), 0 when nobody does. In a wrapped world c is the
    /// circular mean of each coordinate, and the way to it is the shortest.
    pub rotation: f64,
    /// `|Σ (p − c) × v| / Σ |p − c||v|`: the same weighted by distance and speed, those far out and
    /// fast counting most.
    pub angular_momentum: f64,
    /// `Σ |v| / N`; world units per tick.
    pub mean_speed: f64,
    /// Mean number of other agents nearer than the scene's largest radius of hearing. Runs of grid
    /// cells longer than [`RUN_CAP`](super::grid::RUN_CAP) are counted by the sample that the engines take
    /// ([`Sampling`](super::grid::Sampling)): not exact, and bounded in cost; unbiased, but never more
    /// than the N − 1 others that there are.
    pub mean_neighbours: f64,
    /// Mean distance to the nearest other agent; world units. In a cell of more than [`RUN_CAP`](super::grid::RUN_CAP)
    /// agents only a sample is looked at: an upper bound, bounded in cost.
    pub nearest_neighbour_distance: f64,
    /// Agents in the fullest grid cell.
    pub largest_cell: u64,
    /// Agents with at least one run of cells so long that the engines sample it.
    pub sampled_agents: u64,
}

impl Metrics {
    /// Takes the figures of a state of `scene`.
    #[must_use]
    pub fn of(scene: &Scene, state: &FlockState) -> Self {
        let count = state.len();
        if count == 0 {
            return Self { tick: state.tick, ..Self::default() };
        }
        let per_agent = 1.0 / count as f64;
        let [x, y, speed] = sum_parts(count, |agent| {
            let v = state.velocity[agent].as_dvec2();
            let heading = v.normalize_or_zero();
            [heading.x, heading.y, v.length()]
        });
        let (rotation, angular_momentum) = turning(&scene.world, state);
        let cells = Cells::of(scene.grid(count), &scene.world, &state.position);
        let sight = look_around(&cells, scene, state);
        Self {
            tick: state.tick,
            agents: count as u64,
            polarisation: x.hypot(y) * per_agent,
            rotation: rotation * per_agent,
            angular_momentum,
            mean_speed: speed * per_agent,
            mean_neighbours: (sight.near * per_agent).min((count - 1) as f64),
            nearest_neighbour_distance: sight.nearest * per_agent,
            largest_cell: cells.census.largest(),
            sampled_agents: sight.sampled.len() as u64,
        }
    }

    /// The figures as text, in the order of [`COLUMNS`]; numbers read back to the same bits.
    #[must_use]
    pub fn row(&self) -> [String; 10] {
        [
            self.tick.to_string(),
            self.agents.to_string(),
            self.polarisation.to_string(),
            self.rotation.to_string(),
            self.angular_momentum.to_string(),
            self.mean_speed.to_string(),
            self.mean_neighbours.to_string(),
            self.nearest_neighbour_distance.to_string(),
            self.largest_cell.to_string(),
            self.sampled_agents.to_string(),
        ]
    }
}

/// [`Metrics::sampled_agents`] alone, which takes no look at any neighbour: of agents at these
/// positions, in any order.
#[must_use]
pub fn sampled_agents(scene: &Scene, positions: &[Point]) -> u64 {
    if scene.perception_radius() > 0.0 && !positions.is_empty() {
        Census::of(scene.grid(positions.len()), positions).sampled()
    } else {
        0
    }
}

/// What `of` makes of all agents, `size` at a time, in their order; by several threads in flocks that
/// are not small.
fn parts<T: Send>(count: usize, size: usize, of: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let part = |number: usize| of(number * size..((number + 1) * size).min(count));
    let all = 0..count.div_ceil(size);
    if count <= SMALL { all.map(part).collect() } else { all.into_par_iter().map(part).collect() }
}

/// Sums `term(agent)` over all agents, part by part.
fn sum_parts<const N: usize>(count: usize, term: impl Fn(usize) -> [f64; N] + Sync) -> [f64; N] {
    let add = |sum: [f64; N], x: [f64; N]| std::array::from_fn(|i| sum[i] + x[i]);
    let sums = parts(count, PART, |part| part.map(&term).fold([0.0; N], add));
    sums.into_iter().fold([0.0; N], add)
}

/// What all agents see around them.
fn look_around(cells: &Cells, scene: &Scene, state: &FlockState) -> PartSight {
    let count = state.len();
    let mut all = PartSight::default();
    if count < 2 {
        return all;
    }
    for part in parts(count, LOOKING_PART, |part| cells.look(part, scene, state.tick as u32)) {
        all.near += part.near;
        all.nearest += part.nearest;
        all.sampled.extend(part.sampled);
    }
    if !all.sampled.is_empty() {
        // A radius of 0: cells as small as the number of agents allows, whatever the flock's radius.
        let grid = Grid::new(&scene.world, 0.0, count);
        let small = Cells::of(grid, &scene.world, &state.position);
        let mut sampled = vec![false; count];
        all.sampled.iter().for_each(|row| sampled[*row as usize] = true);
        let nearest = |agent| if sampled[small.row(agent)] { small.nearest(agent) } else { 0.0 };
        let [sum] = sum_parts(count, |agent| [nearest(agent)]);
        all.nearest += sum;
    }
    all
}

/// The centre of mass; in a wrapped world the circular mean of each coordinate.
fn centre(world: &World, state: &FlockState) -> glam::DVec2 {
    let count = state.len();
    let per_agent = 1.0 / count as f64;
    if world.boundary != Boundary::Wrap {
        let [x, y] = sum_parts(count, |agent| state.position[agent].as_dvec2().to_array());
        return glam::DVec2::new(x, y) * per_agent;
    }
    let size = world.size.as_dvec2();
    let [sin_x, cos_x, sin_y, cos_y] = sum_parts(count, |agent| {
        let turns = state.position[agent].as_dvec2() / size;
        let ([sin_x, cos_x], [sin_y, cos_y]) = (sine_and_cosine(turns.x), sine_and_cosine(turns.y));
        [sin_x, cos_x, sin_y, cos_y]
    });
    glam::DVec2::new(sin_x.atan2(cos_x), sin_y.atan2(cos_y)) * size / std::f64::consts::TAU
}

/// How the flock turns round its centre of mass: the sum of the turning of unit vectors, and the
/// angular momentum over the largest there could be.
fn turning(world: &World, state: &FlockState) -> (f64, f64) {
    let centre = centre(world, state);
    let [units, turning, most] = sum_parts(state.len(), |agent| {
        let arm = way(world, centre, state.position[agent].as_dvec2());
        let v = state.velocity[agent].as_dvec2();
        let (moment, largest) = (arm.perp_dot(v), arm.length() * v.length());
        // At rest, or in the middle, nobody turns.
        [if largest > 0.0 { moment / largest } else { 0.0 }, moment, largest]
    });
    (units.abs(), if most > 0.0 { turning.abs() / most } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::super::grid::RUN_SAMPLE;
    use super::*;
    use crate::model::scene::{BuiltIn, Request};

    const SCENE: &str = r#"
        [world]
        size = [400, 300]
        boundary = "wrap"
        [species.a.separation]
        radius = 20
    "#;

    fn scene(boundary: &str) -> Scene {
        Scene::parse("test", &SCENE.replace("wrap", boundary), &[]).unwrap()
    }

    fn flock(agents: &[(Point, Point)]) -> FlockState {
        FlockState {
            tick: 4,
            id: (0..agents.len() as u32).collect(),
            species: vec![0; agents.len()],
            position: agents.iter().map(|a| a.0).collect(),
            velocity: agents.iter().map(|a| a.1).collect(),
            memory: Vec::new(),
        }
    }

    fn ring(centre: Point, heading: impl Fn(Point) -> Point) -> FlockState {
        let angles = (0..36).map(|i| Point::from_angle(i as f32 * 10.0_f32.to_radians()));
        let agents: Vec<_> = angles.map(|arm| (centre + arm * 50.0, heading(arm))).collect();
        flock(&agents)
    }

    #[test]
    fn a_mill_turns_and_a_flight_heads_one_way() {
        let scene = scene("open");
        let mill = Metrics::of(&scene, &ring(Point::new(200.0, 150.0), |arm| arm.perp() * 2.0));
        assert!(mill.angular_momentum > 0.999 && mill.polarisation < 1e-6, "{mill:?}");
        assert!((mill.rotation - 1.0).abs() < 1e-6, "{mill:?}");
        assert!((mill.mean_speed - 2.0).abs() < 1e-6);
        let flight = Metrics::of(&scene, &ring(Point::new(200.0, 150.0), |_| Point::X));
        assert!(flight.angular_momentum < 1e-6 && flight.polarisation > 0.999, "{flight:?}");
        assert!(flight.rotation < 1e-6, "{flight:?}");
        // Neighbours on a circle of radius 50, 10° apart.
        let apart = 100.0 * 5.0_f64.to_radians().sin();
        assert!((flight.nearest_neighbour_distance - apart).abs() < 1e-4, "{flight:?}");
    }

    #[test]
    fn a_mill_across_the_seam_turns_as_well() {
        let scene = scene("wrap");
        let mut state = ring(Point::ZERO, Point::perp);
        for p in &mut state.position {
            *p = p.rem_euclid(scene.world.size);
        }
        let mill = Metrics::of(&scene, &state);
        assert!(mill.angular_momentum > 0.999 && mill.rotation > 0.999, "{mill:?}");
    }

    #[test]
    fn rotation_counts_every_agent_alike() {
        let scene = scene("open");
        let middle = Point::new(200.0, 150.0);
        // As many circle far out and slowly as near and fast, the other way round.
        let ring = |radius: f32, speed: f32| {
            let angles = (0..40).map(|i| Point::from_angle(i as f32 * 9.0_f32.to_radians()));
            angles.map(move |arm| (middle + arm * radius, arm.perp() * speed))
        };
        let state = flock(&ring(80.0, -1.0).chain(ring(20.0, 2.0)).collect::<Vec<_>>());
        let metrics = Metrics::of(&scene, &state);
        assert!(metrics.rotation < 1e-6, "{metrics:?}");
        // |20 · 2 − 80 · 1| of 20 · 2 + 80 · 1.
        assert!((metrics.angular_momentum - 1.0 / 3.0).abs() < 1e-6, "{metrics:?}");
        // One at rest counts, but does not turn.
        let mut state = flock(&ring(80.0, 1.0).collect::<Vec<_>>());
        state.velocity[5] = Point::ZERO;
        let metrics = Metrics::of(&scene, &state);
        assert!((metrics.rotation - 39.0 / 40.0).abs() < 1e-3, "{metrics:?}");
    }

    #[test]
    fn figures_agree_with_brute_force() {
        for boundary in ["wrap", "walls", "open"] {
            for count in [2_u64, 3, 40, 900] {
                let mut scene = scene(boundary);
                let request = Request { count: Some(count), density: None, seed: Some(3) };
                let mut state = scene.populate(&request).unwrap();
                // Some on the edges, some outside where the world is open.
                for (i, p) in state.position.iter_mut().enumerate().filter(|(i, _)| i % 7 == 0) {
                    p.x = if boundary == "open" { -50.0 * i as f32 } else { 0.0 };
                }
                let metrics = Metrics::of(&scene, &state);
                assert_eq!(metrics.sampled_agents, 0);
                let (mut near, mut nearest) = (0, 0.0);
                for (i, p) in state.position.iter().enumerate() {
                    let mut best = f64::INFINITY;
                    for (j, q) in state.position.iter().enumerate().filter(|(j, _)| *j != i) {
                        let d = way(&scene.world, p.as_dvec2(), q.as_dvec2()).length();
                        near += u32::from(d < 20.0);
                        best = if d < best { d } else { best };
                        assert!(j < count as usize);
                    }
                    nearest += best;
                }
                let n = count as f64;
                assert!((metrics.mean_neighbours - f64::from(near) / n).abs() < 1e-9);
                let off = metrics.nearest_neighbour_distance - nearest / n;
                assert!(off.abs() < 1e-9, "{boundary} {count}: {metrics:?}, not {}", nearest / n);
            }
        }
    }

    #[test]
    fn nobody_one_and_agents_at_rest_have_figures() {
        let scene = scene("walls");
        assert_eq!(Metrics::of(&scene, &FlockState::default()), Metrics::default());
        let one = Metrics::of(&scene, &flock(&[(Point::new(3.0, 3.0), Point::ZERO)]));
        let expected = Metrics { tick: 4, agents: 1, largest_cell: 1, ..Metrics::default() };
        assert_eq!(one, expected);
        assert_eq!(one.row()[1], "1");
        assert_eq!(one.row().len(), COLUMNS.len());
    }

    #[test]
    fn a_crowd_on_one_spot_is_counted_by_sample_in_bounded_time() {
        let text = BuiltIn::named("flock").unwrap().text;
        let overrides = ["starling.spawn_at_scale.place=\"point\"".to_string()];
        let mut scene = Scene::parse("flock", text, &overrides).unwrap();
        let request = Request { count: Some(200_000), ..Request::default() };
        let state = scene.populate(&request).unwrap();
        let metrics = Metrics::of(&scene, &state);
        assert_eq!(metrics.largest_cell, 200_000);
        assert_eq!(metrics.sampled_agents, 200_000);
        assert_eq!(metrics.nearest_neighbour_distance, 0.0);
        // Everybody sees everybody; a sample leaves at most one stride out, and adds nobody.
        let stride = f64::from(200_000_u32.div_ceil(RUN_SAMPLE));
        for tick in 0..6 {
            let metrics = Metrics::of(&scene, &FlockState { tick, ..state.clone() });
            let neighbours = metrics.mean_neighbours;
            assert!((199_999.0 - stride..=199_999.0).contains(&neighbours), "{neighbours}");
        }
    }

    #[test]
    fn those_who_are_sampled_are_counted_without_their_neighbours() {
        for boundary in ["wrap", "walls", "open"] {
            let mut scene = scene(boundary);
            let request = Request { count: Some(900), density: None, seed: Some(3) };
            let mut state = scene.populate(&request).unwrap();
            // Crowds of several sizes, one of them on the edge.
            for (number, place) in [1.0, 100.0, 240.0].into_iter().enumerate() {
                let rows = 250 * number..250 * number + 80 * (number + 1);
                state.position[rows].fill(Point::new(place, 50.0));
            }
            let sampled = Metrics::of(&scene, &state).sampled_agents;
            assert!((1..900).contains(&sampled), "{sampled}");
            assert_eq!(sampled_agents(&scene, &state.position), sampled, "{boundary}");
        }
    }

    #[test]
    fn figures_do_not_depend_on_the_threads() {
        let text = BuiltIn::named("flock").unwrap().text;
        let mut scene = Scene::parse("flock", text, &[]).unwrap();
        let request = Request { count: Some(20_000), ..Request::default() };
        let state = scene.populate(&request).unwrap();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Metrics::of(&scene, &state))
        };
        assert_eq!(with(1), with(3));
        assert!((with(1).mean_neighbours - 10.0).abs() < 0.3);
    }
}
