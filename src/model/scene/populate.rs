//! Scales a scene to a count, and creates the first state of its flock.

use std::f64::consts::TAU;
use std::ops::Range;

use rayon::prelude::*;

use super::error::PopulateError;
use super::format::keys::MAX_OBSTACLES;
use super::format::point_text;
use super::species::{Spawn, SpawnPlace, Species};
use super::{MAX_AGENTS, ObstaclePlan, SIDES, Scene};
use crate::quote::cut;
use crate::random::{Purpose, unit};
use crate::scenery::{Obstacle, Obstacles};
use crate::space::on_sphere;
use crate::state::FlockState;
use crate::vector::{Point, direction_at, point};
use crate::world::{Boundary, MAX_COORDINATE, World, ratio, sides_text};

/// The values of a scene that the command line overrides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// Number of agents; `None` for the scene's.
    pub count: Option<u64>,
    /// Mean number of neighbours within the largest radius; `None` for the scene's.
    pub density: Option<f32>,
    /// Seed; `None` for the scene's.
    pub seed: Option<u32>,
}

impl Scene {
    /// The scene scaled to the request, and its first state, tick 0. Both are a pure function of scene,
    /// count, density and seed.
    pub fn populate(&self, request: &Request) -> Result<(Self, FlockState), PopulateError> {
        self.populate_rows(request, |count| 0..count)
    }

    /// The same, but the state has only the agents in some of its rows: those that `part` picks, given
    /// their number.
    pub fn populate_rows(
        &self,
        request: &Request,
        part: impl FnOnce(u64) -> Range<u64>,
    ) -> Result<(Self, FlockState), PopulateError> {
        let mut scene = self.clone();
        let count = scene.resize(request)?;
        let state = scene.first_rows(count, part);
        Ok((scene, state))
    }

    /// Some rows of the first state of a scene that has been scaled to `count` agents.
    fn first_rows(&self, count: u64, part: impl FnOnce(u64) -> Range<u64>) -> FlockState {
        let part = part(count);
        let size = (part.end - part.start) as usize;
        let obstacles = Obstacles::within(&self.world, &self.obstacles, |obstacle| obstacle.radius);

        let grown = count > self.own_count();
        let shares = self.shares(count);
        let mut state = FlockState {
            tick: 0,
            id: (part.start as u32..part.end as u32).into_par_iter().collect(),
            species: Vec::with_capacity(size),
            position: vec![Point::ZERO; size],
            velocity: vec![Point::ZERO; size],
            memory: Vec::new(),
            shown: self.shown(),
            kept: Vec::new(),
            kept_names: self.kept_names(),
        };
        let mut end_id = 0;
        let all = self.species_at(0);
        for (index, (species, share)) in all.iter().zip(shares).enumerate() {
            let spawn = if grown { species.spawn_at_scale } else { species.spawn };
            end_id += share;
            let end = end_id.clamp(part.start, part.end) - part.start;
            let rows = state.species.len()..end as usize;
            let places = state.position[rows.clone()].par_iter_mut();
            let motions = places.zip(&mut state.velocity[rows.clone()]).enumerate();
            motions.for_each(|(row, (position, velocity))| {
                let id = part.start as u32 + (rows.start + row) as u32;
                (*position, *velocity) = self.start_of(species, &spawn, id, &obstacles);
            });
            state.species.resize(rows.end, index as u8);
        }
        state.memory = self.memory_of(&state);
        state.kept = self.kept_of(&state);
        state
    }

    /// Agents of a species that start as its file says at tick 0, with the ids from `first` on, without memory.
    #[must_use]
    pub fn newcomers(&self, species: usize, first: u32, count: u32) -> FlockState {
        let obstacles = Obstacles::within(&self.world, &self.obstacles, |obstacle| obstacle.radius);
        let all = self.species_at(0);
        let Some(own) = all.get(species) else { return FlockState::default() };
        let id: Vec<u32> = (first..first + count).collect();
        let start = |id: &u32| self.start_of(own, &own.spawn, *id, &obstacles);
        let (position, velocity) = id.par_iter().map(start).unzip();
        let species = vec![species as u8; id.len()];
        FlockState { id, species, position, velocity, ..FlockState::default() }
    }

    /// The first place and the first velocity of agent `id`: the first place among its tries that no obstacle
    /// covers, if there is one. `species` has its values at tick 0.
    fn start_of(
        &self,
        species: &Species,
        spawn: &Spawn,
        id: u32,
        obstacles: &Obstacles,
    ) -> (Point, Point) {
        let tried = |number| place(spawn, &self.world, self.seed, id, number);
        let is_free = |place: &Point| !obstacles.cover(&self.world, *place);
        let position = (0..TRIES).map(tried).find(is_free);
        let max_speed = species.of_agent(self.seed, id).body.max_speed;
        let velocity = spawn.start.velocity(&self.world, self.seed, id, max_speed);
        (position.unwrap_or_else(|| tried(0)), velocity)
    }

    /// Scales the scene to the request without creating agents, and returns their number. Fails
    /// like [`Scene::populate`].
    pub fn resize(&mut self, request: &Request) -> Result<u64, PopulateError> {
        let count = request.count.unwrap_or(self.own_count());
        if count == 0 || count > MAX_AGENTS {
            let problem = format!("--count {count}: a flock has 1 to {MAX_AGENTS} agents");
            return Err(PopulateError::option(problem));
        }
        if self.own_count() == 0 {
            return Err(PopulateError::option("no species has an agent; raise a `count`".into()));
        }
        self.seed = request.seed.unwrap_or(self.seed);
        self.scale(count, request.density)?;
        let made = self.check_world().and_then(|()| self.place_obstacles());
        let checked = made.and_then(|()| self.check_scenery());
        checked.map_err(|error| error.written(self))?;
        Ok(count)
    }

    /// Fails if the world is too small or too large, or if the speed or the look-ahead of a species
    /// crosses a wrapped world.
    pub fn check_world(&self) -> Result<(), PopulateError> {
        let (sides, (low, high)) = (sides_text(self.world.size), SIDES);
        if !self.world.sides().iter().all(|side| (low..=high).contains(side)) {
            return Err(PopulateError::option(format!(
                "the world would be {sides} world units, but each side must be {low} to {high}; \
                 change --count, --density or world.size"
            )));
        }
        if self.world.boundary != Boundary::Wrap {
            return Ok(());
        }
        let shorter = self.world.shortest_side();
        for species in &self.species {
            let fail = |key: &str, problem: String| {
                let problem = format!("species.{}.{key}: {problem}", cut(&species.name));
                Err(PopulateError::new(format!("species.{}.{key}", species.name), problem))
            };
            let crosses = |speed: f32, key: &str| {
                format!(
                    "{speed} world units per tick (time_step included) cross the wrapped world of \
                     {sides} in one tick; lower {key} or enlarge world.size"
                )
            };
            for (table, Spawn { start, .. }) in species.first_steps() {
                let speed = start.largest_speed() * self.time_step;
                if speed >= shorter {
                    let key = format!("{table}.{}", start.key());
                    return fail(&key, crosses(speed, &key));
                }
            }
            let speed = self.fastest(species) * self.time_step;
            if speed >= shorter && species.largest("max_speed") * self.time_step < shorter {
                let mut grows = species.parameters_that(|needs| needs.limits_grow_by).into_iter();
                let (key, (proximity, _)) = grows.next().unwrap_or_default();
                return fail(
                    &key,
                    format!(
                        "with {proximity} world units the speed half a world away is {speed} per tick, \
                         which crosses the wrapped world of {sides} in one tick; raise it, or change \
                         world.boundary"
                    ),
                );
            }
            if speed >= shorter {
                return fail("max_speed", crosses(speed, "max_speed"));
            }
            let push = self.largest_push(species);
            if speed + push >= shorter {
                return fail(
                    "jitter",
                    format!(
                        "pushes of up to {push} world units cross the wrapped world of {sides} in one \
                         tick; lower jitter or enlarge world.size"
                    ),
                );
            }
            for (key, (_, lookahead)) in species.parameters_that(|needs| needs.paths_within) {
                if lookahead >= shorter {
                    return fail(
                        &key,
                        format!(
                            "{lookahead} world units cross the whole wrapped world of {sides}; lower it \
                             or enlarge world.size"
                        ),
                    );
                }
            }
        }
        Ok(())
    }

    /// Fails if the scenery would take too much memory, or too much time per agent.
    pub fn check_scenery(&self) -> Result<(), PopulateError> {
        let size = self.world.size;
        let (low, high) = (size * -2.0, size * 3.0);
        let wraps = self.world.boundary == Boundary::Wrap;
        for (index, path) in self.paths.iter().enumerate().filter(|_| wraps) {
            let far = |p: &&Point| p.cmplt(low).any() || p.cmpgt(high).any();
            if let Some(far) = path.points.iter().find(far).copied() {
                let problem = format!(
                    "paths.{}: the point {} is far outside the wrapped world of {}; keep it within two \
                     world sizes, or change world.boundary",
                    cut(&path.name),
                    point_text(far, self.world.axes()),
                    sides_text(size)
                );
                return Err(PopulateError::new(format!("paths.{index}.points"), problem));
            }
        }
        let count = self.obstacles_in_reach().cells.longest();
        if count > MAX_IN_REACH {
            let problem = format!(
                "obstacles: {count} are within reach of one place, but at most {MAX_IN_REACH} are \
                 allowed; use fewer, or lower avoid.reach"
            );
            return Err(PopulateError::new("obstacles".into(), problem));
        }
        Ok(())
    }

    /// Number of obstacles of a plan, which grows with the area or the volume of the world.
    pub(super) fn wanted(&self, plan: &ObstaclePlan) -> u64 {
        let times = ratio(self.world.size, self.written_size).as_dvec3();
        (f64::from(plan.count) * times.element_product()).round().max(1.0) as u64
    }

    /// Creates the obstacles from their plans, or fails if there are too many. In a world that has
    /// grown, those with a position repeat with the period of the written size; others are more. In one that has
    /// shrunk, positions keep their place relative to it.
    pub fn place_obstacles(&mut self) -> Result<(), PopulateError> {
        let times = ratio(self.world.size, self.written_size);
        let grown = times.as_dvec3().element_product();
        let count: u64 = self.obstacle_plans.iter().map(|plan| self.wanted(plan)).sum();
        if count > MAX_OBSTACLES {
            let remedy = if grown > 1.01 { "--count" } else { "the `count` of [[obstacles]]" };
            return Err(PopulateError::option(format!(
                "a world of this size has {count} obstacles, but at most {MAX_OBSTACLES} are allowed; \
                 lower {remedy}"
            )));
        }
        let mut obstacles = Vec::new();
        for plan in &self.obstacle_plans {
            let Some(position) = plan.position else {
                let first = obstacles.len() as u32;
                let place = |id| {
                    let draw = |purpose| unit(self.seed, id, 0, purpose);
                    let place =
                        [Purpose::ObstacleX, Purpose::ObstacleY, Purpose::ObstacleZ].map(draw);
                    Point::from_array(place) * self.world.size
                };
                let ids = first..first + self.wanted(plan) as u32;
                obstacles.extend(ids.map(|id| Obstacle::new(place(id), plan.radius)));
                continue;
            };
            // A world of the written size has one copy, also of obstacles outside it.
            let copies = if grown > 1.01 { times.ceil() } else { Point::ONE };
            let [columns, rows, layers] = copies.to_array().map(|copies| copies as u32);
            for copy in 0..columns * rows * layers {
                let steps = [copy % columns, copy / columns % rows, copy / columns / rows];
                let steps = Point::from_array(steps.map(|steps| steps as f32));
                let place = position * times.min(Point::ONE) + steps * self.written_size;
                if copy == 0 || self.world.ends_beyond(place) {
                    obstacles.push(Obstacle::new(place, plan.radius));
                }
            }
        }
        self.obstacles = obstacles;
        Ok(())
    }

    /// Scales the world so that `count` agents have the requested density; its shape does not
    /// change. With the scene's own count the written size stays. Targets, paths and spawn places
    /// are scaled too, and their radii if the world grows with the count.
    fn scale(&mut self, count: u64, density: Option<f32>) -> Result<(), PopulateError> {
        if density.or(self.asked_density()).is_none() && (self.density.is_some() || self.grows) {
            self.unscale();
        }
        let before = self.world.size;
        let times = self.size_times(count, density)?;
        self.world.size *= times;
        let times = ratio(self.world.size, before);
        self.map_places(|place| place * times);
        let far = Point::splat(MAX_COORDINATE);
        let last = self.world.last_place();
        for target in &mut self.targets {
            target.position = target.position.clamp(-far, far);
            // Agents that hit a target reappear inside the world, unless it is open.
            let inside = |place: Point| match self.world.boundary {
                Boundary::Open => place.clamp(-far, far),
                Boundary::Walls => place.clamp(Point::ZERO, last),
                // Rounding may give the side itself.
                Boundary::Wrap => {
                    let sides = self.world.size.max(Point::splat(f32::MIN_POSITIVE));
                    place.rem_euclid(sides).clamp(Point::ZERO, last)
                }
            };
            target.sends_to = target.sends_to.map(inside);
        }
        Ok(())
    }

    /// The factor on the world's sides for `count` agents.
    fn size_times(&self, count: u64, density: Option<f32>) -> Result<f32, PopulateError> {
        let own = self.own_count();
        let within = |radius, count: u64, volume| {
            self.uniform_neighbours_within(radius, count as usize, volume)
        };
        if let (None, Some(wanted)) = (density.or(self.asked_density()), self.density) {
            if count == own {
                return Ok(1.0);
            }
            // The number of neighbours leaves the own one by no larger a factor than the count, so that
            // no agent more or less gives quite another world.
            let at_own = within(self.density_radius, own, self.world.volume());
            let factor = (count as f64 / own as f64).max(own as f64 / count as f64);
            let wanted = f64::from(wanted).max(at_own / factor).min(at_own * factor);
            let now = within(self.density_radius, count, self.world.volume());
            return Ok(self.side_of(now / wanted) as f32);
        }
        let Some(wanted) = density.or(self.asked_density()) else {
            if !self.grows {
                return Ok(1.0);
            }
            let times = (count as f64 / own as f64).max(1.0);
            let size = self.written_size * self.side_of(times) as f32;
            return Ok(size.x / self.world.size.x);
        };
        if !(1e-3..=1e4).contains(&wanted) {
            let problem = "a density is between 0.001 and 10000 neighbours";
            return Err(PopulateError::option(format!("--density {wanted}: {problem}")));
        }
        let now = within(self.asked_radius(), count, self.world.volume());
        if now == 0.0 {
            return Err(PopulateError::option(format!(
                "--density {wanted}: no species of scene `{}` looks at neighbours within a radius, so its world has a \
                 fixed size; set it with --set world.size=[W,H]",
                cut(&self.name)
            )));
        }
        Ok(self.side_of(now / f64::from(wanted)) as f32)
    }

    /// The factor on the world's sides that multiplies its area or its volume by `times`.
    fn side_of(&self, times: f64) -> f64 {
        if self.world.is_flat() { times.sqrt() } else { times.cbrt() }
    }

    /// The number of agents of each species among `count`, in proportion to the scene's own counts;
    /// rounded by largest remainder. If they suffice, each species that the scene has agents of gets one
    /// at least, from the largest share.
    #[must_use]
    pub fn shares(&self, count: u64) -> Vec<u64> {
        let species = &self.species;
        let own = u128::from(self.own_count());
        if own == 0 {
            return vec![0; species.len()];
        }
        let exact = |s: &Species| u128::from(s.count) * u128::from(count);
        let mut shares: Vec<u64> = species.iter().map(|s| (exact(s) / own) as u64).collect();
        let mut order: Vec<usize> = (0..species.len()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(exact(&species[*i]) % own));
        let missing = count - shares.iter().sum::<u64>();
        for i in order.into_iter().take(missing as usize) {
            shares[i] += 1;
        }
        let present = |i: &usize| species[*i].count > 0;
        if count >= (0..species.len()).filter(present).count() as u64 {
            for i in (0..species.len()).filter(present) {
                if shares[i] == 0
                    && let Some(largest) = shares.iter_mut().max()
                {
                    *largest -= 1;
                    shares[i] = 1;
                }
            }
        }
        shares
    }
}

/// The most obstacles within reach of one place. Lavapipe silently ends a shader's loop after
/// 65,535 iterations.
const MAX_IN_REACH: usize = 1 << 15;

/// Number of places that an agent tries before it starts inside an obstacle.
const TRIES: u32 = 32;

/// The place that agent `id` draws in try number `number`.
fn place(spawn: &Spawn, world: &World, seed: u32, id: u32, number: u32) -> Point {
    let x = unit(seed, id, number, Purpose::SpawnX);
    let y = unit(seed, id, number, Purpose::SpawnY);
    let flat = world.is_flat();
    let z = if flat { 0.5 } else { unit(seed, id, number, Purpose::SpawnZ) };
    let round = || direction_at(f64::from(y) * TAU);
    let direction = || if flat { round() } else { point(on_sphere([y, z]).0) };
    let centre = spawn.at.unwrap_or(world.size * 0.5);
    let position = match spawn.place {
        SpawnPlace::Uniform => Point::new(x, y, z) * world.size,
        SpawnPlace::Point => centre,
        SpawnPlace::Row => Point::new(x * world.size.x, centre.y, centre.z),
        SpawnPlace::Disc => centre + round() * (spawn.radius * x.sqrt()),
        SpawnPlace::Ball if flat => centre + round() * (spawn.radius * x.sqrt()),
        SpawnPlace::Ball => centre + direction() * (spawn.radius * x.cbrt()),
        SpawnPlace::Shell => centre + direction() * spawn.radius,
        SpawnPlace::Box => centre + (Point::new(x, y, z) * 2.0 - 1.0) * spawn.radius,
    };
    let position = match world.boundary {
        Boundary::Wrap => position.rem_euclid(world.size),
        _ => position,
    };
    let far = Point::splat(MAX_COORDINATE);
    let inside = match world.boundary {
        Boundary::Open => position.clamp(-far, far),
        // x < 1, but x · size may round up to size, which is outside a wrapped world. The third axis of a
        // plane has no remainder.
        _ => position.clamp(Point::ZERO, world.last_place()),
    };
    if flat { Point::new(inside.x, inside.y, 0.0) } else { inside }
}
