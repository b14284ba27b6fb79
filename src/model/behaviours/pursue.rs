//! Pursue: go to where another will be.

use super::seek::desired_velocity;
use super::{Agent, Needs, Neighbour, NeighbourBehaviour, Surroundings, Uses};
use crate::parameter::{ALL_SPECIES, Meaning, NO_TARGET};
use crate::real::Real;
use crate::vector::Vector;

/// Declares pursuit or evasion: they differ in the docs of three parameters and in the sign of the desired
/// velocity. A file that uses this macro imports what stands in it.
macro_rules! chase {
    (
        $(#[doc = $about:literal])+
        $name:ident {
            radius: $radius:literal, with: $with:literal, target: $target:literal,
            sign: [$($minus:tt)?]
        }
    ) => {
        $crate::parameters! {
            $(#[doc = $about])+
            $name {
                /// Factor on the force.
                weight: Meaning::Number => 1.0, "", 0.0, 1e6;
                #[doc = $radius]
                radius: Meaning::Number => 50.0, "world units", 0.0, 1e6;
                /// Full angle round the heading within which an agent is seen.
                fov: Meaning::FieldOfView => 360.0, "degrees", 0.0, 360.0;
                #[doc = $with]
                with: Meaning::SpeciesSet { own: true } => ALL_SPECIES, "species", 0.0, ALL_SPECIES;
                #[doc = $target]
                target: Meaning::Target => NO_TARGET, "target", NO_TARGET, 1e6;
                /// How the lead is found.
                lead: Meaning::Choice(&LEADS) => 0.0, "", 0.0, 1.0;
                /// How far ahead it looks.
                ticks: Meaning::Number => 10.0, "ticks", 0.0, 1e4;
                /// Desired speed per unit of distance; 0 desires max_speed at any distance.
                gain: Meaning::Number => 0.0, "1/tick", 0.0, 1e6;
            }
        }

        impl<R: Real, const D: usize> NeighbourBehaviour<R, D> for $name<R> {
            const NEEDS: Needs = Needs { others: true, ..Needs::NOTHING };

            type Sums = Nearest<R, D>;

            #[inline(always)]
            fn nothing(like: R) -> Nearest<R, D> {
                Nearest::none(like)
            }

            #[inline(always)]
            fn observe(&self, _uses: Uses, neighbour: &Neighbour<R, D>, nearest: &mut Nearest<R, D>) {
                nearest.observe(neighbour);
            }

            #[inline(always)]
            fn force(
                &self,
                agent: &Agent<R, D>,
                surroundings: &Surroundings,
                _spread: Vector<R, D>,
                nearest: &Nearest<R, D>,
            ) -> Vector<R, D> {
                let aim = Aim { target: self.target, lead: self.lead, ticks: self.ticks };
                let (way, found) = aim.way(agent, surroundings, nearest);
                let desired = desired_velocity(way, self.gain, agent.body.max_speed);
                let force = agent.steer($($minus)? desired);
                force.where_or(found, Vector::zero(self.weight))
            }
        }
    };
}
pub(super) use chase;

chase! {
    /// Seeks the place where its quarry will be.
    ///
    /// Desired velocity: `with_length(q + T·u − p, max_speed)` with T = `ticks`, or with `lead =
    /// "distance"` T = d/max_speed (at most 10,000); or `(q + T·u − p)·gain` if `gain` is positive.
    /// The quarry is the nearest visible agent of the species `with` within `radius`; if a `target`
    /// is named, it is that target instead. Without a quarry the force is zero. Sources: *The
    /// Nature of Code*, chapter 5, exercise 5.3 (T = 10); COCOS (T = 1, gain 1/60); Reynolds 1999
    /// (T by distance).
    Pursue {
        radius: "How near an agent must be to be hunted.",
        with: "The species it hunts.",
        target: "Name of a target to pursue instead of agents; \"none\" pursues agents.",
        sign: []
    }
}

/// How the lead is found: a number of ticks, or the time that the distance takes at max_speed.
pub const LEADS: [&str; 2] = ["ticks", "distance"];

/// Longest lead by distance; ticks.
const MAX_LEAD: f32 = 1e4;

/// The nearest agent so far.
#[derive(Clone, Copy)]
pub struct Nearest<R, const D: usize> {
    /// Square of its distance; `f32::MAX` when there is none.
    pub distance_squared: R,
    /// From the agent to it; world units.
    pub offset: Vector<R, D>,
    /// World units per tick.
    pub velocity: Vector<R, D>,
}

impl<R: Real, const D: usize> Nearest<R, D> {
    /// No agent yet.
    #[inline(always)]
    pub fn none(like: R) -> Self {
        let zero = Vector::zero(like);
        Self { distance_squared: like.constant(f32::MAX), offset: zero, velocity: zero }
    }

    /// Keeps the neighbour if it is nearer; of two at the same distance the first one.
    #[inline(always)]
    pub fn observe(&mut self, neighbour: &Neighbour<R, D>) {
        let distance = neighbour.distance_squared;
        let nearer = neighbour.perceived() & distance.less_than(self.distance_squared);
        self.distance_squared = distance.where_or(nearer, self.distance_squared);
        self.offset = neighbour.offset.where_or(nearer, self.offset);
        self.velocity = neighbour.velocity.where_or(nearer, self.velocity);
    }
}

/// How pursuit and evasion aim.
pub struct Aim<R> {
    /// See [`Pursue::target`].
    pub target: R,
    /// See [`Pursue::lead`].
    pub lead: R,
    /// See [`Pursue::ticks`].
    pub ticks: R,
}

impl<R: Real> Aim<R> {
    /// The way to where the other will be, and a mask that is false where there is no other.
    #[inline(always)]
    pub fn way<const D: usize>(
        &self,
        agent: &Agent<R, D>,
        surroundings: &Surroundings,
        nearest: &Nearest<R, D>,
    ) -> (Vector<R, D>, R::Mask) {
        let far = self.target.constant(f32::MAX);
        let zero = self.target.constant(0.0);
        let aimed = surroundings.to_target(self.target, agent.position);
        let named = zero.constant(NO_TARGET).less_than(self.target);
        let offset = aimed.offset.where_or(named, nearest.offset);
        let velocity = aimed.velocity.where_or(named, nearest.velocity);
        let met = far.where_or(named, nearest.distance_squared).less_than(far);
        // Without this, the quotient would be undefined at speed 0, and out of the range of `f32`
        // at a tiny one.
        let longest = zero.constant(MAX_LEAD);
        let distance = offset.length();
        let in_time = distance.less_than(agent.body.max_speed * longest);
        let by_distance = (distance / agent.body.max_speed).where_or(in_time, longest);
        let time = by_distance.where_or(zero.less_than(self.lead), self.ticks);
        (offset + velocity * time, aimed.found | met)
    }
}
