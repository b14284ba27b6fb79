//! Steering behaviours: what each wants, on the CPU, over any [`Real`].
//!
//! One behaviour is one file here, one file of the same name in `shaders/behaviours/` and one line
//! in the list below. From that line come its scene key, its sliders, its
//! part of the steer pass on both engines and its parity test.
//!
//! The vehicle model is that of Reynolds (*Steering Behaviors for Autonomous Characters*, GDC
//! 1999) as *The Nature of Code*, chapter 5, states it. Every behaviour returns a steering force;
//! the engine weighs and sums them and integrates. All agents read the state as it was at the
//! start of the tick (the book's sketches update their lists in place, one agent after the other,
//! which has no meaning for a flock that moves at once).

#[macro_use]
mod registry;

use super::parameter::{NEAREST_TARGET, Parameter, Parameters};
use super::real::Real;
use super::vector::{Point, Vector};
use super::world::World;

behaviours! {
    neighbour {
        separation: Separation,
        alignment: Alignment,
        cohesion: Cohesion,
    }
    solitary {
        seek: Seek,
        flee: Flee,
        arrive: Arrive,
        contain: Contain,
    }
}

/// A set of behaviours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Uses(u64);

impl Uses {
    /// All behaviours there are.
    pub const ALL: Self = Self(u64::MAX);

    /// The behaviours that listen to neighbours.
    pub const LISTENING: Self = Self((1 << Kind::LISTENERS) - 1);

    /// The set of `kinds`.
    #[must_use]
    pub const fn of(kinds: &[Kind]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < kinds.len() {
            bits |= 1 << kinds[i] as u64;
            i += 1;
        }
        Self(bits)
    }

    /// True when `kind` is in the set.
    #[inline(always)]
    #[must_use]
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u64) != 0
    }

    /// The behaviours that are in both sets.
    #[inline(always)]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The bits of the set, for a const generic argument.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set with these bits.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

/// The agent that is being steered.
#[derive(Clone, Copy)]
pub struct Agent<R> {
    /// World units.
    pub position: Vector<R>,
    /// World units per tick.
    pub velocity: Vector<R>,
    /// World units per tick.
    pub max_speed: R,
    /// Mass · world units per tick².
    pub max_force: R,
}

impl<R: Real> Agent<R> {
    /// The steering force towards a desired velocity: `limit(desired − v, max_force)`.
    #[inline(always)]
    pub fn steer(&self, desired: Vector<R>) -> Vector<R> {
        (desired - self.velocity).limit(self.max_force)
    }
}

/// An agent that the steered one may listen to; never the steered one itself.
#[derive(Clone, Copy)]
pub struct Neighbour<R> {
    /// From the steered agent to this one, by the shortest way; world units.
    pub offset: Vector<R>,
    /// The square of the offset's length.
    pub distance_squared: R,
    /// World units per tick.
    pub velocity: Vector<R>,
    /// For how many agents this one stands: 1, or the stride of a sampled run; 0 when it is
    /// outside the behaviour's radius or of a species that the behaviour does not listen to.
    pub share: R,
}

/// A place that agents seek or shun.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Name in the scene file; `pointer` is the mouse.
    pub name: String,
    /// World units.
    pub position: Point,
    /// False while there is nothing to go by: the pointer when no button is pressed.
    pub active: bool,
}

/// What an agent knows besides its neighbours.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Size and boundary.
    pub world: &'a World,
    /// The scene's targets, the pointer first.
    pub targets: &'a [Target],
}

impl Surroundings<'_> {
    /// The way from `position` to the target of index `choice`, or to the nearest one
    /// ([`NEAREST_TARGET`]), and whether there is one.
    #[inline(always)]
    pub fn to_target<R: Real>(&self, choice: R, position: Vector<R>) -> (Vector<R>, R::Mask) {
        let far = choice.constant(f32::MAX);
        let mut nearest = far;
        let mut way = Vector::zero(choice);
        for (index, target) in self.targets.iter().enumerate().filter(|(_, t)| t.active) {
            let chosen = choice.equals(choice.constant(index as f32))
                | choice.equals(choice.constant(NEAREST_TARGET));
            let offset = self.world.shortest(Vector::constant(choice, target.position) - position);
            let distance = offset.dot(offset);
            let better = chosen & distance.less_than(nearest);
            nearest = distance.where_or(better, nearest);
            way = offset.where_or(better, way);
        }
        (way, nearest.less_than(far))
    }
}

/// A behaviour that asks nobody but the agent itself and the scene.
pub trait SolitaryBehaviour<R: Real>: Parameters<R> {
    /// The steering force; mass · world units per tick².
    fn force(&self, agent: &Agent<R>, surroundings: &Surroundings) -> Vector<R>;
}

/// A behaviour that listens to the agents nearby.
pub trait NeighbourBehaviour<R: Real>: Parameters<R> {
    /// What is summed over the neighbours.
    type Sums: Copy;

    /// The sums before the first neighbour, in the shape of `like`.
    fn nothing(like: R) -> Self::Sums;

    /// Adds one neighbour, `neighbour.share` times.
    fn observe(&self, neighbour: &Neighbour<R>, sums: &mut Self::Sums);

    /// The steering force; mass · world units per tick². `spread` is the direction in which this
    /// agent leaves another at the same spot; it is zero unless [`Self::crowded`] is positive.
    fn force(&self, agent: &Agent<R>, spread: Vector<R>, sums: &Self::Sums) -> Vector<R>;

    /// How many neighbours are at the very spot of the agent, where that matters.
    #[inline(always)]
    fn crowded(sums: &Self::Sums, like: R) -> R {
        let _ = sums;
        like.constant(0.0)
    }
}

/// What the registry knows of a behaviour.
#[derive(Clone, Copy, Debug)]
pub struct BehaviourInfo {
    /// Scene key, WGSL module and Rust module.
    pub key: &'static str,
    /// The doc comment of its parameters, line by line.
    pub about: &'static [&'static str],
    /// True when it listens to neighbours.
    pub listens: bool,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

impl Kind {
    /// Position of a parameter in the row of values.
    #[must_use]
    pub fn parameter(self, key: &str) -> Option<usize> {
        self.info().parameters.iter().position(|p| p.key == key)
    }

    /// The behaviour that scene files call `key`.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.info().key == key)
    }
}
