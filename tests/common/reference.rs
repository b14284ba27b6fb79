//! One tick by brute force in `f64`: the specification of the behaviours in plain code.
//!
//! Every agent looks at every other. Nothing here is shared with the engines but the scene's
//! values and the fixed direction in which an agent leaves a shared spot. Formulas: Reynolds,
//! *Steering Behaviors for Autonomous Characters* (1999), and *The Nature of Code*, chapter 5.

use flockwork::model::behaviours::Kind;
use flockwork::model::parameter::NEAREST_TARGET;
use flockwork::model::random::spread_direction;
use flockwork::model::scene::{Scene, Species};
use flockwork::model::state::FlockState;
use flockwork::model::world::Boundary;
use glam::DVec2;

/// Distance from a discontinuity, relative to the quantity at hand, under which `f32` may fall on
/// the other side of it: a hundred roundings.
const BRINK: f64 = 1e-5;

/// A sum shorter than this part of its terms' lengths has no direction that `f32` could hold.
const CANCELLATION: f64 = 0.05;

/// A state after one tick.
pub struct Stepped {
    /// World units.
    pub position: Vec<DVec2>,
    /// World units per tick.
    pub velocity: Vec<DVec2>,
    /// True for agents that a rounding may throw onto the other side of a decision: a neighbour
    /// within a hair of the radius, a sum that cancels. Their results are not compared.
    pub doubtful: Vec<bool>,
}

/// One agent while it is steered.
struct Vehicle<'a> {
    scene: &'a Scene,
    species: &'a Species,
    index: usize,
    p: DVec2,
    v: DVec2,
    doubtful: bool,
}

/// Advances a state by one tick.
pub fn step(scene: &Scene, state: &FlockState) -> Stepped {
    let mut stepped = Stepped { position: vec![], velocity: vec![], doubtful: vec![] };
    for index in 0..state.len() {
        let mut vehicle = Vehicle {
            scene,
            species: &scene.species[state.species[index] as usize],
            index,
            p: state.position[index].as_dvec2(),
            v: state.velocity[index].as_dvec2(),
            doubtful: false,
        };
        let force = vehicle.force(state);
        let (p, v) = vehicle.integrate(force);
        stepped.position.push(p);
        stepped.velocity.push(v);
        stepped.doubtful.push(vehicle.doubtful);
    }
    stepped
}

fn with_length(x: DVec2, length: f64) -> DVec2 {
    if x == DVec2::ZERO { DVec2::ZERO } else { x * (length / x.length()) }
}

fn limit(x: DVec2, length: f64) -> DVec2 {
    if x.length() > length { with_length(x, length) } else { x }
}

/// The shortest way that `difference` stands for, and whether two ways are as short.
pub fn minimum_image(scene: &Scene, difference: DVec2) -> (DVec2, bool) {
    let size = scene.world.size.as_dvec2();
    if scene.world.boundary != Boundary::Wrap {
        return (difference, false);
    }
    let mut tie = false;
    let shorten = |d: f64, size: f64, tie: &mut bool| {
        *tie |= ((d.abs() - size / 2.0) / size).abs() < BRINK;
        [d - size, d, d + size].into_iter().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap()
    };
    let x = shorten(difference.x, size.x, &mut tie);
    let y = shorten(difference.y, size.y, &mut tie);
    (DVec2::new(x, y), tie)
}

impl Vehicle<'_> {
    fn value(&self, kind: Kind, key: &str) -> f64 {
        f64::from(self.species.value(kind, kind.parameter(key).unwrap()))
    }

    fn max_speed(&self) -> f64 {
        f64::from(self.species.body.max_speed)
    }

    fn max_force(&self) -> f64 {
        f64::from(self.species.body.max_force)
    }

    /// `limit(desired − v, max_force)`
    fn steer(&self, desired: DVec2) -> DVec2 {
        limit(desired - self.v, self.max_force())
    }

    /// `a < b`, remembering when that is a close call. Equal numbers are none: the cases that
    /// make them equal do so with numbers that `f32` holds exactly.
    fn below(&mut self, a: f64, b: f64) -> bool {
        self.doubtful |= a != b && (a - b).abs() < BRINK * a.abs().max(b.abs());
        a < b
    }

    fn force(&mut self, state: &FlockState) -> DVec2 {
        let rules: Vec<Kind> = self.species.rules.iter().map(|rule| rule.kind).collect();
        let mut total = DVec2::ZERO;
        for kind in rules {
            let force = match kind {
                Kind::Separation => self.separation(state),
                Kind::Alignment => self.alignment(state),
                Kind::Cohesion => self.cohesion(state),
                Kind::Seek => self.seek(),
                Kind::Flee => self.flee(),
                Kind::Arrive => self.arrive(),
                Kind::Contain => self.contain(),
            };
            total += force * self.value(kind, "weight");
        }
        total
    }

    /// Offset and velocity of everybody within the radius whom the species listens to.
    fn heard(&mut self, kind: Kind, state: &FlockState) -> Vec<(DVec2, DVec2)> {
        let radius = self.value(kind, "radius");
        let with = self.value(kind, "with") as u32;
        let mut heard = vec![];
        let own = self.index;
        for other in (0..state.len()).filter(|other| *other != own) {
            if with & (1 << state.species[other]) == 0 {
                continue;
            }
            let plain = state.position[other].as_dvec2() - self.p;
            let (offset, tie) = minimum_image(self.scene, plain);
            if self.below(offset.length_squared(), radius * radius) {
                self.doubtful |= tie;
                heard.push((offset, state.velocity[other].as_dvec2()));
            }
        }
        heard
    }

    /// `with_length(Σ terms, max_speed)`
    fn along(&mut self, terms: &[DVec2]) -> DVec2 {
        let sum: DVec2 = terms.iter().sum();
        let lengths: f64 = terms.iter().map(|term| term.length()).sum();
        self.doubtful |= sum.length() < CANCELLATION * lengths;
        with_length(sum, self.max_speed())
    }

    fn separation(&mut self, state: &FlockState) -> DVec2 {
        let heard = self.heard(Kind::Separation, state);
        if heard.is_empty() {
            return DVec2::ZERO;
        }
        let radius = self.value(Kind::Separation, "radius");
        let spread = spread_direction(self.index as u32).as_dvec2().normalize();
        let push = |offset: &DVec2| {
            if *offset == DVec2::ZERO {
                spread / (radius / 1000.0)
            } else {
                -*offset / offset.length_squared()
            }
        };
        let terms: Vec<DVec2> = heard.iter().map(|(offset, _)| push(offset)).collect();
        let desired = self.along(&terms);
        self.steer(desired)
    }

    fn alignment(&mut self, state: &FlockState) -> DVec2 {
        let heard = self.heard(Kind::Alignment, state);
        if heard.is_empty() {
            return DVec2::ZERO;
        }
        let terms: Vec<DVec2> = heard.iter().map(|(_, velocity)| *velocity).collect();
        let desired = self.along(&terms);
        self.steer(desired)
    }

    fn cohesion(&mut self, state: &FlockState) -> DVec2 {
        let heard = self.heard(Kind::Cohesion, state);
        if heard.is_empty() {
            return DVec2::ZERO;
        }
        let terms: Vec<DVec2> = heard.iter().map(|(offset, _)| *offset).collect();
        let desired = self.along(&terms);
        self.steer(desired)
    }

    /// The way to the target that a behaviour names, if there is one.
    fn target(&mut self, kind: Kind) -> Option<DVec2> {
        let choice = self.value(kind, "target");
        let mut ways = vec![];
        for (index, target) in self.scene.targets.iter().enumerate() {
            let named = choice == f64::from(NEAREST_TARGET) || choice == index as f64;
            if target.active && named {
                let (way, tie) = minimum_image(self.scene, target.position.as_dvec2() - self.p);
                self.doubtful |= tie;
                ways.push(way);
            }
        }
        ways.sort_by(|a, b| a.length().total_cmp(&b.length()));
        if let [first, second, ..] = ways[..] {
            self.below(first.length(), second.length());
        }
        ways.first().copied()
    }

    fn towards(&self, kind: Kind, way: DVec2) -> DVec2 {
        let gain = self.value(kind, "gain");
        if gain > 0.0 { way * gain } else { with_length(way, self.max_speed()) }
    }

    fn seek(&mut self) -> DVec2 {
        let way = self.target(Kind::Seek);
        way.map_or(DVec2::ZERO, |way| self.steer(self.towards(Kind::Seek, way)))
    }

    fn flee(&mut self) -> DVec2 {
        let radius = self.value(Kind::Flee, "radius");
        match self.target(Kind::Flee) {
            Some(way) if self.below(way.length_squared(), radius * radius) => {
                self.steer(-self.towards(Kind::Flee, way))
            }
            _ => DVec2::ZERO,
        }
    }

    fn arrive(&mut self) -> DVec2 {
        let slowing = self.value(Kind::Arrive, "slowing_radius");
        let way = self.target(Kind::Arrive);
        way.map_or(DVec2::ZERO, |way| {
            let part = (way.length() / slowing).min(1.0);
            self.steer(self.towards(Kind::Arrive, way) * part)
        })
    }

    fn contain(&mut self) -> DVec2 {
        let margin = self.value(Kind::Contain, "margin");
        let size = self.scene.world.size.as_dvec2();
        let mut desired = self.v;
        let mut near = false;
        for axis in 0..2 {
            // In a world narrower than two margins the nearer wall counts.
            let reach = margin.min(size[axis] / 2.0);
            if self.below(self.p[axis], reach) {
                desired[axis] = self.max_speed();
                near = true;
            } else if self.below(size[axis] - reach, self.p[axis]) {
                desired[axis] = -self.max_speed();
                near = true;
            }
        }
        if !near {
            return DVec2::ZERO;
        }
        let turn = with_length(desired, self.max_speed()) - self.v;
        self.doubtful |= turn.length() < CANCELLATION * self.max_speed();
        with_length(turn, self.max_force())
    }

    fn integrate(&mut self, force: DVec2) -> (DVec2, DVec2) {
        let step = f64::from(self.scene.time_step);
        let size = self.scene.world.size.as_dvec2();
        let acceleration = force / f64::from(self.species.body.mass);
        let mut v = limit(self.v + acceleration * step, self.max_speed());
        let mut p = self.p + v * step;
        for axis in 0..2 {
            match self.scene.world.boundary {
                Boundary::Open => {}
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
