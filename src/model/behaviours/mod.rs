//! Steering behaviours on the CPU: the force of each, over any [`Real`].
//!
//! One behaviour is one file here, one file of the same name in `shaders/behaviours/` and one line
//! in the list below. Its scene key, its sliders, its part of the steer pass on both engines and
//! its parity test come from that line.
//!
//! The vehicle model is Reynolds's (*Steering Behaviors for Autonomous Characters*, GDC 1999), in
//! the form of *The Nature of Code*, chapter 5. Every behaviour returns a steering force; the
//! engine computes their weighted sum and integrates. All agents read the state at the start of the
//! tick. (The book's sketches update their lists in place, one agent after the other; agents that
//! move in parallel cannot.)

mod body;
pub mod bounds;
mod course;
mod needs;
mod neighbour;
#[macro_use]
mod registry;
mod target;
mod uses;

pub use body::Body;
use bounds::MAX_FORCE;
pub use needs::{Needs, ObstacleReach, Ranges};
pub use neighbour::Neighbour;
pub use target::Target;
pub use uses::Uses;

use super::formula::Formula;
use super::parameter::{NEAREST_TARGET, Parameter, Parameters};
use super::real::{Real, apart};
use super::scenery::Scenery;
use super::vector::{Axes, Remembered, Space, Vector};
use super::world::World;

behaviours! {
    neighbour {
        separation: Separation,
        alignment: Alignment,
        cohesion: Cohesion,
        view: View,
        pursue: Pursue,
        evade: Evade,
    }
    solitary {
        seek: Seek,
        flee: Flee,
        arrive: Arrive,
        wander: Wander,
        contain: Contain,
        follow_path: FollowPath,
        avoid: Avoid,
        follow_flow: FollowFlow,
        swim: Swim,
    }
}

/// The agent that is being steered. Behaviours run one after the other; a change made here applies
/// to later behaviours and to the integration.
#[derive(Clone, Copy)]
pub struct Agent<R, const D: usize> {
    /// World units.
    pub position: Vector<R, D>,
    /// World units per tick.
    pub velocity: Vector<R, D>,
    /// The vehicle.
    pub body: Body<R>,
    /// The angle or the direction that the agent remembers.
    pub remembered: Remembered<R, D>,
    /// Random numbers from 0 to 1, new each tick; 0 in scenes without memory, and in a plane all but
    /// the first.
    pub noise: Vector<R, D>,
    /// Factor on the velocity before forces act.
    pub brake: R,
    /// Acceleration that max_force does not limit; world units per tick².
    pub kick: Vector<R, D>,
}

impl<R: Real, const D: usize> Agent<R, D> {
    /// An agent that remembers nothing, before its behaviours.
    #[inline(always)]
    pub fn new(mut body: Body<R>, position: Vector<R, D>, velocity: Vector<R, D>) -> Self {
        let zero = Vector::zero(body.mass);
        body.max_force = body.force_limit();
        Self {
            position,
            velocity,
            body,
            remembered: Remembered { angle: body.mass.constant(0.0), direction: zero },
            noise: zero,
            brake: body.mass.constant(1.0),
            kick: zero,
        }
    }

    /// Takes over what [`SolitaryBehaviour::force`] may change.
    #[inline(always)]
    fn adopt(&mut self, changed: &Self) {
        self.body.max_speed = changed.body.max_speed;
        self.body.max_force = changed.body.max_force;
        self.remembered = changed.remembered;
        self.brake = changed.brake;
        self.kick = changed.kick;
    }

    /// True if each behaviour's force is limited to max_force, false if their sum is, or nothing.
    #[inline(always)]
    pub fn limits_each(&self) -> R::Mask {
        self.body.limit.less_than(self.body.limit.constant(1.0))
    }

    /// The velocity that forces change: zero if they are directions.
    #[inline(always)]
    pub fn carried(&self) -> Vector<R, D> {
        Vector::zero(self.body.mass).where_or(self.body.turns(), self.velocity)
    }

    /// The steering force towards a desired velocity: `limit(desired − v, max_force)`.
    #[inline(always)]
    pub fn steer(&self, desired: Vector<R, D>) -> Vector<R, D> {
        self.limited(desired - self.carried())
    }

    /// The velocity after `force` has acted for a tick of `step`, before noise and the limit of turns.
    #[inline(always)]
    pub fn next_velocity(&self, uses: Uses, force: Vector<R, D>, step: R) -> Vector<R, D> {
        let acceleration = force / self.body.mass;
        let pushed = self.carried() * self.brake + (acceleration + self.kick) * step;
        let mut next = pushed.limit(self.body.max_speed);
        if uses.has(Uses::MIN_SPEED) {
            next = self.at_least(next);
        }
        next
    }

    /// The velocity, at least at min_speed, of turners at max_speed. An agent that the tick has brought to rest
    /// keeps its heading.
    #[inline(always)]
    fn at_least(&self, next: Vector<R, D>) -> Vector<R, D> {
        let Body { min_speed, max_speed, .. } = self.body;
        let speed = max_speed.where_or(self.body.turns(), min_speed.min(max_speed));
        let slow = next.dot(next).less_than(speed * speed);
        let before = self.velocity.heading() * speed;
        let least = next.with_length(speed).where_or(next.has_direction(), before);
        least.where_or(slow, next)
    }

    /// The velocity that moves the agent in this tick; `next` is the one after the forces.
    #[inline(always)]
    pub fn step_velocity(&self, uses: Uses, next: Vector<R, D>) -> Vector<R, D> {
        if !uses.has(Uses::OLD_STEP) {
            return next;
        }
        let new = self.body.position_step.less_than(self.body.position_step.constant(1.0));
        next.where_or(new, self.velocity)
    }

    /// The largest sum of forces, where it is limited: max_force, or [`MAX_FORCE`] if nothing is.
    #[inline(always)]
    pub fn budget(&self) -> R {
        let Body { limit, max_force, .. } = self.body;
        max_force.where_or(limit.less_than(limit.constant(2.0)), limit.constant(MAX_FORCE))
    }

    /// The force limited to `max_force`, or to [`MAX_FORCE`] if each alone is not limited.
    #[inline(always)]
    pub fn limited(&self, force: Vector<R, D>) -> Vector<R, D> {
        let longest = self.body.max_force.constant(MAX_FORCE);
        force.limit(self.body.max_force.where_or(self.limits_each(), longest))
    }
}

/// The way to a target.
#[derive(Clone, Copy)]
pub struct Way<R: Real, const D: usize> {
    /// From the agent to the target, across the seam if that is shorter; world units.
    pub offset: Vector<R, D>,
    /// The target's velocity; world units per tick.
    pub velocity: Vector<R, D>,
    /// False if there is no such target.
    pub found: R::Mask,
}

/// The perception of an agent besides its neighbours.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Size and boundary.
    pub world: &'a World,
    /// The scene's targets, the pointer first.
    pub targets: &'a [Target],
    /// Obstacles, paths and the flow field.
    pub scenery: &'a Scenery,
}

impl Surroundings<'_> {
    /// The way from `position` to target number `choice`, or to the nearest target
    /// ([`NEAREST_TARGET`]).
    #[inline(always)]
    pub fn to_target<R: Real, const D: usize>(
        &self,
        choice: R,
        position: Vector<R, D>,
    ) -> Way<R, D> {
        let zero = Vector::zero(choice);
        let mut found = Way { offset: zero, velocity: zero, found: choice.less_than(choice) };
        let (surroundings, like) = (self, choice);
        let (choice, position, way) = (&choice, &position, &mut found);
        apart!(
            <'w; R: Real; D: usize>
            like,
            |surroundings: &'w Surroundings<'w>, choice: &'w R, position: &'w Vector<R, D>, way: &'w mut Way<R, D>| -> () {
                *way = surroundings.way_to_target(*choice, *position);
            }
        );
        found
    }

    #[inline(always)]
    fn way_to_target<R: Real, const D: usize>(
        &self,
        choice: R,
        position: Vector<R, D>,
    ) -> Way<R, D> {
        let far = choice.constant(f32::MAX);
        let mut nearest = far;
        let mut way = Vector::zero(choice);
        let mut velocity = way;
        for (index, target) in self.targets.iter().enumerate().filter(|(_, t)| t.active) {
            let chosen = choice.equals(choice.constant(index as f32))
                | choice.equals(choice.constant(NEAREST_TARGET));
            let offset = self.world.shortest(Vector::constant(choice, target.position) - position);
            let distance = offset.dot(offset);
            let better = chosen & distance.less_than(nearest);
            nearest = distance.where_or(better, nearest);
            way = offset.where_or(better, way);
            velocity = Vector::constant(choice, target.velocity).where_or(better, velocity);
        }
        Way { offset: way, velocity, found: nearest.less_than(far) }
    }
}

/// A behaviour that depends only on the agent itself and the scene.
pub trait SolitaryBehaviour<R: Real, const D: usize>: Parameters<R> {
    /// Its needs besides the agent.
    const NEEDS: Needs = Needs::NOTHING;
    /// True for a long formula. It is compiled once, in a function of its own, not in the middle of every kernel.
    const IS_LARGE: bool = false;

    /// The steering force; mass · world units per tick². It may change the agent (limits, angle,
    /// brake and kick), but not in lanes with weight zero: they may belong to a species without the
    /// behaviour.
    fn force(&self, agent: &mut Agent<R, D>, surroundings: &Surroundings) -> Vector<R, D>;
}

/// The force of a behaviour without neighbours.
#[inline(always)]
fn lone_force<B: SolitaryBehaviour<R, D>, R: Real, const D: usize>(
    rule: &B,
    agent: &mut Agent<R, D>,
    surroundings: &Surroundings,
) -> Vector<R, D> {
    if !B::IS_LARGE {
        return rule.force(agent, surroundings);
    }
    // The compiler keeps in registers only what no other function gets.
    let mut copy = *agent;
    let changed = &mut copy;
    let force = apart!(
        <'w; R: Real, B: SolitaryBehaviour<R, D>; D: usize>
        agent.brake,
        |rule: &'w B, changed: &'w mut Agent<R, D>, surroundings: &'w Surroundings<'w>| -> Vector<R, D> {
            rule.force(changed, surroundings)
        }
    );
    agent.adopt(&copy);
    force
}

/// A behaviour that looks at the agents nearby.
pub trait NeighbourBehaviour<R: Real, const D: usize>: Parameters<R> {
    /// Its needs besides the agent and its neighbours.
    const NEEDS: Needs = Needs::NOTHING;

    /// The sums over the neighbours.
    type Sums: Copy;

    /// The empty sums, in the shape of `like`.
    fn nothing(like: R) -> Self::Sums;

    /// Adds one neighbour, weighted by `neighbour.share`. `uses` are the extras of the scene.
    fn observe(&self, uses: Uses, neighbour: &Neighbour<R, D>, sums: &mut Self::Sums);

    /// The steering force; mass · world units per tick². `spread` is the direction in which this
    /// agent moves away from another at the same spot; it is zero unless [`Self::crowded`] is
    /// positive.
    fn force(
        &self,
        agent: &Agent<R, D>,
        surroundings: &Surroundings,
        spread: Vector<R, D>,
        sums: &Self::Sums,
    ) -> Vector<R, D>;

    /// The number of neighbours at the same spot as the agent; 0 if the behaviour does not use it.
    #[inline(always)]
    fn crowded(sums: &Self::Sums, like: R) -> R {
        let _ = sums;
        like.constant(0.0)
    }
}

/// Takes the forces of an agent. (No closure: not every one is compiled for wide lanes.)
pub trait TakeForce<R: Real, const D: usize> {
    /// Takes the weighted force of a behaviour.
    fn take(&mut self, kind: Kind, force: Vector<R, D>);
}

/// The sum of an agent's forces.
struct ForceSum<R, F, T, const D: usize> {
    sum: Vector<R, D>,
    /// With their turns, if they act in turn.
    forces: Vec<(Vector<R, D>, R)>,
    has_turns: bool,
    turn: T,
    observe: F,
}

impl<R: Real, F, T, const D: usize> TakeForce<R, D> for ForceSum<R, F, T, D>
where
    F: FnMut(Kind, Vector<R, D>),
    T: Fn(Kind) -> R,
{
    #[inline(always)]
    fn take(&mut self, kind: Kind, force: Vector<R, D>) {
        (self.observe)(kind, force);
        self.sum = self.sum + force;
        if self.has_turns {
            self.forces.push((force, (self.turn)(kind)));
        }
    }
}

/// The rules in text of a scene, behind their sums over an agent's neighbours.
pub trait TextForces<R: Real, const D: usize> {
    /// Passes on the weighted force of each rule: of those that look at neighbours, or of the others. `spread`
    /// is the direction in which the agent leaves another one at the same spot.
    fn each_force(
        &mut self,
        agent: &Agent<R, D>,
        spread: Vector<R, D>,
        sees_neighbours: bool,
        forces: &mut impl TakeForce<R, D>,
    );
}

/// A shorter force is silent: it leaves the decision to the next one. Its square is a normal number, so that
/// all devices agree about it. Mass · world units per tick².
const SILENT: f32 = 1e-12;

/// Combines forces in the order of their turns, from 0; `forces` are both. If `combine` is 1 they are added
/// until `max_force` is spent, and the last one is shortened; if it is 2 the first that is not silent
/// acts alone.
///
/// Sources: Buckland, *Programming Game AI by Example*, prioritised truncated sum; Reynolds, *Steering
/// Behaviors for Autonomous Characters*, 1999, which names both ways.
#[inline(always)]
fn in_turn<R: Real, const D: usize>(
    forces: &[(Vector<R, D>, R)],
    agent: &Agent<R, D>,
    combine: R,
) -> Vector<R, D> {
    let budget = agent.budget();
    let zero = budget.constant(0.0);
    let (mut sum, mut first) = (Vector::zero(budget), Vector::zero(budget));
    for now in 0..forces.len() {
        let mut next = Vector::zero(budget);
        for (force, turn) in forces {
            next = force.where_or(turn.equals(zero.constant(now as f32)), next);
        }
        let left = (budget - sum.length()).max(zero);
        sum = sum + next.limit(left);
        let undecided = first.dot(first).less_than(zero.constant(SILENT * SILENT));
        first = next.where_or(undecided, first);
    }
    let first = first.where_or(agent.limits_each(), first.limit(budget));
    sum.where_or(combine.less_than(zero.constant(1.5)), first)
}

/// The registry's entry for a behaviour.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BehaviourInfo {
    /// Scene key, WGSL module and Rust module.
    pub key: &'static str,
    /// The doc comment of its struct, line by line.
    pub about: &'static [&'static str],
    /// True if it looks at neighbours.
    pub sees_neighbours: bool,
    /// Its other needs.
    #[doc(hidden)]
    pub needs: Needs,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

impl Kind {
    /// Index of a parameter in the row of values.
    #[must_use]
    pub fn parameter(self, key: &str) -> Option<usize> {
        self.info().parameters.iter().position(|p| p.key == key)
    }

    /// The rule in text, if it is one.
    #[must_use]
    pub fn formula(self) -> Option<&'static Formula> {
        match self {
            Self::Formula(formula) => Some(formula),
            _ => None,
        }
    }

    /// The built-in behaviour that scene files call `key`.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.info().key == key)
    }
}
