//! Scaling a scene to a count, and the first state of its flock.

use rayon::prelude::*;

use super::species::{Spawn, SpawnPlace, Species};
use super::{MAX_AGENTS, SIDES, Scene};
use crate::model::random::{Use, unit};
use crate::model::state::FlockState;
use crate::model::vector::Point;
use crate::model::world::{Boundary, World};

/// What the command line asks of a scene.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// Number of agents; none: as many as the scene has.
    pub count: Option<u64>,
    /// Mean neighbours within the largest radius; none: the scene's.
    pub density: Option<f32>,
    /// Seed; none: the scene's.
    pub seed: Option<u32>,
}

/// A population that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PopulateError {
    /// Too few or too many agents.
    #[error("--count {count}: a flock has 1 to {MAX_AGENTS} agents")]
    Count {
        /// As asked for.
        count: u64,
    },
    /// A density for a flock whose agents do not see one another.
    #[error(
        "--density {density}: no species of scene `{scene}` listens to neighbours, so its world \
         has a fixed size; set it with --set world.size=[W,H]"
    )]
    DeafFlock {
        /// As asked for.
        density: f32,
        /// The scene's name.
        scene: String,
    },
    /// A world that is too small or too large for the numbers that positions are kept in.
    #[error(
        "the world would be {width} x {height} world units; each side is from {low} to {high}: \
         change --count, --density or world.size"
    )]
    World {
        /// World units.
        width: f32,
        /// World units.
        height: f32,
        /// Shortest side.
        low: f32,
        /// Longest side.
        high: f32,
    },
    /// An agent that goes round a wrapped world in one tick.
    #[error(
        "species.{species}.max_speed: {speed} world units a tick (time_step included) lead round \
         the wrapped world of {width} x {height} at once; lower max_speed or enlarge world.size"
    )]
    TooFast {
        /// Its name.
        species: String,
        /// World units per tick.
        speed: f32,
        /// World units.
        width: f32,
        /// World units.
        height: f32,
    },
    /// A density out of range.
    #[error("--density {density}: a density is between 0.001 and 10000 neighbours")]
    Density {
        /// As asked for.
        density: f32,
    },
}

impl Scene {
    /// Scales the scene to the request and makes its first state, tick 0. The state is a pure
    /// function of scene, count, density and seed.
    pub fn populate(&mut self, request: &Request) -> Result<FlockState, PopulateError> {
        let count = request.count.unwrap_or(self.own_count());
        if count == 0 || count > MAX_AGENTS {
            return Err(PopulateError::Count { count });
        }
        self.seed = request.seed.unwrap_or(self.seed);
        self.scale(count, request.density)?;
        self.check_world()?;

        let grown = count > self.own_count();
        let shares = shares(&self.species, count);
        let mut state = FlockState {
            tick: 0,
            id: (0..count as u32).collect(),
            species: Vec::with_capacity(count as usize),
            position: Vec::with_capacity(count as usize),
            velocity: Vec::with_capacity(count as usize),
        };
        for (index, (species, share)) in self.species.iter().zip(shares).enumerate() {
            let spawn = if grown { species.spawn_at_scale } else { species.spawn };
            let first = state.len() as u32;
            let one = |id: u32| born(&spawn, &self.world, self.seed, id);
            let (positions, velocities): (Vec<Point>, Vec<Point>) =
                (first..first + share as u32).into_par_iter().map(one).unzip();
            state.position.extend(positions);
            state.velocity.extend(velocities);
            state.species.extend(std::iter::repeat_n(index as u8, share as usize));
        }
        Ok(state)
    }

    /// Refuses a world in which positions or the wrap lose their meaning.
    fn check_world(&self) -> Result<(), PopulateError> {
        let Point { x: width, y: height } = self.world.size;
        let (low, high) = SIDES;
        if ![width, height].iter().all(|side| (low..=high).contains(side)) {
            return Err(PopulateError::World { width, height, low, high });
        }
        let shorter = width.min(height);
        let speed = |s: &Species| s.body.max_speed * self.time_step;
        let too_fast = self.species.iter().find(|s| speed(s) >= shorter);
        match too_fast.filter(|_| self.world.boundary == Boundary::Wrap) {
            Some(s) => {
                let (species, speed) = (s.name.clone(), speed(s));
                Err(PopulateError::TooFast { species, speed, width, height })
            }
            None => Ok(()),
        }
    }

    /// Sizes the world so that `count` agents have the asked-for density, its shape unchanged. At
    /// the scene's own count the world keeps the size that the file gives it.
    fn scale(&mut self, count: u64, density: Option<f32>) -> Result<(), PopulateError> {
        let scaled = self.density.filter(|_| count != self.own_count());
        let Some(wanted) = density.or(scaled) else { return Ok(()) };
        if !(1e-3..=1e4).contains(&wanted) {
            return Err(PopulateError::Density { density: wanted });
        }
        let now = self.uniform_neighbours(count as usize);
        if now == 0.0 {
            return Err(PopulateError::DeafFlock { density: wanted, scene: self.name.clone() });
        }
        self.world.size *= (now / f64::from(wanted)).sqrt() as f32;
        Ok(())
    }
}

/// How many of `count` agents each species gets: in proportion to the scene's own counts, by
/// largest remainder.
fn shares(species: &[Species], count: u64) -> Vec<u64> {
    let own: u64 = species.iter().map(|s| s.count).sum();
    let exact = |s: &Species| u128::from(s.count) * u128::from(count);
    let mut shares: Vec<u64> =
        species.iter().map(|s| (exact(s) / u128::from(own)) as u64).collect();
    let mut order: Vec<usize> = (0..species.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(exact(&species[*i]) % u128::from(own)));
    let missing = count - shares.iter().sum::<u64>();
    for i in order.into_iter().take(missing as usize) {
        shares[i] += 1;
    }
    shares
}

/// Position and velocity of agent `id` at tick 0.
fn born(spawn: &Spawn, world: &World, seed: u32, id: u32) -> (Point, Point) {
    let x = unit(seed, id, 0, Use::SpawnX);
    let y = unit(seed, id, 0, Use::SpawnY);
    let turn = |fraction: f32| Point::from_angle(fraction * std::f32::consts::TAU);
    let centre = spawn.at.unwrap_or(world.size * 0.5);
    let position = match spawn.place {
        SpawnPlace::Uniform => Point::new(x, y) * world.size,
        SpawnPlace::Point => centre,
        SpawnPlace::Disc => centre + turn(y) * (spawn.radius * x.sqrt()),
    };
    let position = match world.boundary {
        Boundary::Wrap => position.rem_euclid(world.size),
        _ => position,
    };
    // x < 1, but x · size may round up to size itself, which is outside a wrapped world.
    let inside = position.clamp(Point::ZERO, world.size.map(f32::next_down));
    (inside, turn(unit(seed, id, 0, Use::SpawnHeading)) * spawn.speed)
}
