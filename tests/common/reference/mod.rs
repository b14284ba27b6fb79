//! One tick by brute force in `f64`: the behaviours specified in plain code.
//!
//! Every agent is compared with every other agent, obstacle, segment and target. The reference
//! shares only inputs with the engines: the scene's values at the tick, random numbers, the vectors
//! of the flow field, and the fixed direction in which an agent leaves a shared spot. Formulas:
//! Reynolds, *Steering Behaviors for Autonomous Characters* (1999), and *The Nature of Code*,
//! chapter 5. Other sources are named at their behaviours.

mod course;
mod neighbours;
mod scenery;
mod solitary;
mod targets;

use flockwork::model::behaviours::Kind;
use flockwork::model::memory::Memory;
use flockwork::model::parameter::Parameters;
use flockwork::model::random::{Purpose, unit};
use flockwork::model::scene::{Body, Law, Scene, Slot, Species};
use flockwork::model::scenery::FlowField;
use flockwork::model::state::FlockState;
use flockwork::model::world::Boundary;
use glam::DVec3;
use std::f64::consts::TAU;

pub use targets::targets_after;

/// Relative distance to a discontinuity below which `f32` may fall on its other side: a hundred
/// roundings.
const BRINK: f64 = 1e-5;

/// The same for lengths that are differences of coordinates; world units. A coordinate of 150 is
/// rounded by up to 8e-6, and a length may be the difference of several.
const HAIR: f64 = 1e-4;

/// A vector whose horizontal part is a smaller share of it has no left side that `f32` could hold.
const STEEP: f64 = 3e-3;

/// A sum shorter than this share of its terms' lengths has no direction that `f32` could hold.
const CANCELLATION: f64 = 0.05;

/// A velocity that `min_speed` makes longer by more than this factor may point where rounding errors do.
const MAX_STRETCH: f64 = 20.0;

/// An agent after one tick.
pub struct Stepped {
    /// World units.
    pub position: DVec3,
    /// World units per tick.
    pub velocity: DVec3,
    /// The remembered angle; turns.
    pub angle: f64,
    /// The direction that a wanderer in space remembers in its place; else zero.
    pub direction: DVec3,
    /// Number of agents within the largest perception radius of the species.
    pub neighbours: u32,
    /// How many times `min_speed` has lengthened the velocity, and its rounding errors with it.
    pub stretch: f64,
    /// True if rounding may change the result: a neighbour very close to the radius, a sum that
    /// cancels. The agent is not compared.
    pub doubtful: bool,
}

/// One agent while it is steered.
struct Vehicle<'a> {
    scene: &'a Scene,
    state: &'a FlockState,
    flow: Option<&'a FlowField>,
    /// The species' common parameters. Where agents draw numbers, these are the largest possible.
    common: &'a Species,
    /// The parameters of this agent.
    species: &'a Species,
    index: usize,
    p: DVec3,
    v: DVec3,
    max_speed: f64,
    max_force: f64,
    /// Turns.
    angle: f64,
    /// The memory of a wanderer in space: a unit vector.
    direction: DVec3,
    /// A factor on the velocity.
    brake: f64,
    /// A velocity change besides the force.
    kick: DVec3,
    /// How many times `min_speed` has lengthened the velocity.
    stretch: f64,
    /// True if it moves as a behaviour desires, from which rounding takes it away.
    is_where_it_wants: bool,
    doubtful: bool,
}

/// Advances a state by one tick.
pub fn step(scene: &Scene, state: &FlockState) -> Vec<Stepped> {
    let now = scene.at(state.tick);
    let scene: &Scene = &now;
    let plan = scene.flow.as_ref();
    let flow = plan.map(|plan| FlowField::new(plan, &scene.world, scene.seed));
    let stepped = |index: usize| {
        let common = &scene.species[state.species[index] as usize];
        let species = &with_draws(common, scene.seed, index);
        let wanders = wanders_in_space(scene, species);
        // An agent without a memory starts with a random one.
        let memory = state.memory.get(index).copied();
        let memory = memory.unwrap_or_else(|| {
            if wanders {
                Memory::at_start_in_space(scene.seed, index as u32)
            } else {
                Memory::at_start(scene.seed, index as u32)
            }
        });
        let mut vehicle = Vehicle {
            scene,
            state,
            flow: flow.as_ref(),
            common,
            species,
            index,
            p: state.position[index].as_dvec3(),
            v: state.velocity[index].as_dvec3(),
            max_speed: species.body.max_speed.into(),
            max_force: if species.body.motion == 1.0 {
                species.body.max_speed.into()
            } else {
                species.body.max_force.into()
            },
            angle: memory.angle().into(),
            direction: DVec3::from_array(memory.direction().map(f64::from)),
            brake: 1.0,
            kick: DVec3::ZERO,
            stretch: 1.0,
            is_where_it_wants: false,
            doubtful: false,
        };
        vehicle.approach();
        let force = vehicle.force();
        let (p, velocity) = vehicle.integrate(force);
        Stepped {
            position: vehicle.sent_from(p),
            velocity,
            angle: vehicle.angle,
            direction: if wanders { vehicle.direction } else { DVec3::ZERO },
            neighbours: vehicle.count(),
            stretch: vehicle.stretch,
            // Last, because all the others may find doubts.
            doubtful: vehicle.doubtful,
        }
    };
    (0..state.len()).map(stepped).collect()
}

/// A species as agent `index` has it. Each number with two ends becomes a number between them,
/// drawn from a random number for seed, agent and key.
fn with_draws(common: &Species, seed: u32, index: usize) -> Species {
    let mut own = common.clone();
    let mut body = own.body.values();
    for variation in &common.variations {
        let Law::PerAgent { from } = variation.law else { continue };
        let part = f64::from(unit(seed, index as u32, variation.slot.noise_key(), Purpose::Trait));
        let draw = |to: f32| ((1.0 - part) * f64::from(from) + part * f64::from(to)) as f32;
        match variation.slot {
            Slot::Body(slot) => body[slot] = draw(body[slot]),
            Slot::Rule(kind, slot) => {
                let rule = own.rules.iter_mut().find(|rule| rule.kind == kind).unwrap();
                rule.values[slot] = draw(rule.values[slot]);
            }
        }
    }
    own.body = Body::read(|slot| body[slot]);
    own
}

/// True if the agents of a species remember a direction.
fn wanders_in_space(scene: &Scene, species: &Species) -> bool {
    scene.world.size.z > 0.0 && species.rule(Kind::Wander).is_some()
}

/// `up × x`; in space a vertical vector has the x axis on its left, and the rest is doubtful near it.
fn sideways(x: DVec3, doubtful: &mut bool) -> DVec3 {
    let level = x.truncate().length();
    *doubtful |= level > 0.0 && level < x.z.abs() * STEEP;
    if level == 0.0 { DVec3::X * x.z.abs() } else { DVec3::Z.cross(x) }
}

/// The unit vector for two random numbers: uniform on the sphere.
fn on_sphere(around: f32, height: f32) -> DVec3 {
    let (z, angle) = (2.0 * f64::from(height) - 1.0, TAU * (f64::from(around) - 0.5));
    let level = (1.0 - z * z).sqrt();
    DVec3::new(level * angle.cos(), level * angle.sin(), z)
}

fn with_length(x: DVec3, length: f64) -> DVec3 {
    if x == DVec3::ZERO { DVec3::ZERO } else { x * (length / x.length()) }
}

fn limit(x: DVec3, length: f64) -> DVec3 {
    if x.length() > length { with_length(x, length) } else { x }
}

/// The shortest way for `difference`, and whether another way is equally short.
pub fn minimum_image(scene: &Scene, difference: DVec3) -> (DVec3, bool) {
    let size = scene.world.size.as_dvec3();
    if scene.world.boundary != Boundary::Wrap {
        return (difference, false);
    }
    let mut tie = false;
    let shorten = |d: f64, size: f64, tie: &mut bool| {
        *tie |= ((d.abs() - size / 2.0) / size).abs() < BRINK;
        [d - size, d, d + size].into_iter().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap()
    };
    let mut shortest = difference;
    for axis in 0..scene.world.axes() {
        shortest[axis] = shorten(difference[axis], size[axis], &mut tie);
    }
    (shortest, tie)
}

impl Vehicle<'_> {
    /// The value of a parameter in the units of a scene file: angles in degrees.
    fn value(&self, kind: Kind, key: &str) -> f64 {
        f64::from(self.species.value(kind, kind.parameter(key).unwrap()))
    }

    /// The unit velocity. An agent at rest heads along +x.
    fn heading(&self) -> DVec3 {
        if self.v == DVec3::ZERO { DVec3::X } else { self.v.normalize() }
    }

    /// The unit vector to the left of the heading.
    fn left(&mut self) -> DVec3 {
        sideways(self.heading(), &mut self.doubtful).normalize()
    }

    /// A vector of the agent's own frame: ahead, to the left, up.
    fn framed(&mut self, own: DVec3) -> DVec3 {
        let (ahead, left) = (self.heading(), self.left());
        ahead * own.x + left * own.y + ahead.cross(left) * own.z
    }

    /// Limits the force of one behaviour to `max_force`. When the sum is limited instead, or nothing,
    /// it limits it to 1e9, so that `f32` can hold it.
    fn limited(&self, force: DVec3) -> DVec3 {
        let each = self.species.body.limit == 0.0;
        limit(force, if each { self.max_force } else { 1e9 })
    }

    /// `limit(desired − v, max_force)`
    fn steer(&mut self, desired: DVec3) -> DVec3 {
        self.is_where_it_wants |= desired == self.carried() && self.v != DVec3::ZERO;
        self.limited(desired - self.carried())
    }

    /// The velocity that a force changes: a turner's forces are directions.
    fn carried(&self) -> DVec3 {
        if self.species.body.motion == 1.0 { DVec3::ZERO } else { self.v }
    }

    /// `a < b`; notes when that is a close call. Equal numbers are not: where situations make them
    /// equal, `f32` holds both exactly.
    fn below(&mut self, a: f64, b: f64) -> bool {
        self.doubtful |= a != b && (a - b).abs() < BRINK * a.abs().max(b.abs());
        a < b
    }

    /// `a < b` for lengths in the world; notes when that is a close call.
    fn shorter(&mut self, a: f64, b: f64) -> bool {
        self.doubtful |= a != b && (a - b).abs() < HAIR;
        a < b
    }

    /// The sum of the terms; notes when it has no direction.
    fn sum(&mut self, terms: &[DVec3]) -> DVec3 {
        let sum: DVec3 = terms.iter().sum();
        let lengths: f64 = terms.iter().map(|term| term.length()).sum();
        self.doubtful |= sum.length() < CANCELLATION * lengths;
        sum
    }

    /// `with_length(Σ terms, max_speed)`
    fn along(&mut self, terms: &[DVec3]) -> DVec3 {
        with_length(self.sum(terms), self.max_speed)
    }

    /// The force of all behaviours: their weighted sum; in file order until `max_force` is spent
    /// (Buckland's prioritised truncated sum); or the first in file order that is not zero.
    fn force(&mut self) -> DVec3 {
        let rules: Vec<Kind> = self.species.rules.iter().map(|rule| rule.kind).collect();
        let mut forces = vec![];
        for kind in rules {
            forces.push(self.force_of(kind) * self.value(kind, "weight"));
        }
        // Without a limit the forces are added, as long as they are; nothing is ever spent.
        let in_turn = self.species.body.combine == 1.0 && self.species.body.limit != 2.0;
        if self.species.body.combine == 2.0 {
            let decisive = forces.iter().position(|force| *force != DVec3::ZERO);
            forces = decisive.map(|first| forces[first]).into_iter().collect();
            // Rounding may make it silent, or take its turn.
            self.doubtful |= forces.iter().any(|force| force.length() < HAIR);
            self.doubtful |= self.is_where_it_wants;
        }
        let limits_the_sum = self.species.body.limit == 1.0;
        let mut total = DVec3::ZERO;
        for force in forces {
            let left = self.max_force - total.length();
            total += if in_turn { limit(force, left.max(0.0)) } else { force };
        }
        if limits_the_sum { limit(total, self.max_force) } else { total }
    }

    fn force_of(&mut self, kind: Kind) -> DVec3 {
        match kind {
            Kind::Separation => self.separation(),
            Kind::Alignment => self.alignment(),
            Kind::Cohesion => self.cohesion(),
            Kind::View => self.view(),
            Kind::Pursue => self.pursue(),
            Kind::Evade => self.evade(),
            Kind::Seek => self.seek(),
            Kind::Flee => self.flee(),
            Kind::Arrive => self.arrive(),
            Kind::Wander => self.wander(),
            Kind::Contain => self.contain(),
            Kind::FollowPath => self.follow_path(),
            Kind::Avoid => self.avoid(),
            Kind::FollowFlow => self.follow_flow(),
            Kind::Swim => self.swim(),
            Kind::Formula(_) => panic!("rules in text have an oracle of their own"),
        }
    }

    fn integrate(&mut self, force: DVec3) -> (DVec3, DVec3) {
        let step = f64::from(self.scene.time_step);
        let size = self.scene.world.size.as_dvec3();
        let acceleration = force / f64::from(self.species.body.mass) + self.kick;
        let pushes = [self.carried() * self.brake, acceleration * step];
        let v = limit(pushes[0] + pushes[1], self.max_speed);
        let turns = self.species.body.motion == 1.0;
        let min_speed = if turns { 1e4 } else { f64::from(self.species.body.min_speed) };
        let terms = pushes[0].length() + pushes[1].length();
        let v = self.at_least(v, terms, min_speed.min(self.max_speed));
        let v = self.disturbed(v, step);
        // Half a circle is no limit, whatever the time step.
        let max_turn = f64::from(self.species.body.max_turn);
        let mut v = if max_turn < 180.0 { self.turned(v, max_turn * step) } else { v };
        let carries = if self.species.body.position_step == 1.0 { self.v } else { v };
        let mut p = self.p + carries * step + self.jitter() * step.sqrt();
        for axis in 0..self.scene.world.axes() {
            match self.scene.world.boundary {
                Boundary::Open => p[axis] = p[axis].clamp(-1e12, 1e12),
                Boundary::Wrap => p[axis] = p[axis].rem_euclid(size[axis]),
                Boundary::Walls => {
                    let from_edge = p[axis].abs().min((p[axis] - size[axis]).abs());
                    self.doubtful |= from_edge > 0.0 && from_edge < BRINK * size[axis];
                    let inside = p[axis].clamp(0.0, size[axis]);
                    if inside != p[axis] {
                        v[axis] = 0.0;
                    }
                    p[axis] = inside;
                }
            }
        }
        (p, v)
    }
}
