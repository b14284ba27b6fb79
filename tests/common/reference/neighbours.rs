//! The behaviours that react to other agents.

use flockwork::model::behaviours::Kind;
use flockwork::model::parameter::NO_TARGET;
use flockwork::model::random::spread_direction;
use glam::DVec2;

use super::{BRINK, HAIR, Vehicle, minimum_image};

/// Longest time that a pursuer predicts; ticks.
const LONGEST_LEAD: f64 = 10_000.0;

/// Another agent.
#[derive(Clone, Copy, PartialEq)]
struct Other {
    /// Shortest way from the steered agent to this one.
    offset: DVec2,
    velocity: DVec2,
}

impl Vehicle<'_> {
    /// All agents nearer than `radius`, of a species in the set `with`.
    fn within(&mut self, radius: f64, with: u32) -> Vec<Other> {
        let mut near = vec![];
        let own = self.index;
        for other in (0..self.state.len()).filter(|other| *other != own) {
            if with & (1 << self.state.species[other]) == 0 {
                continue;
            }
            let plain = self.state.position[other].as_dvec2() - self.p;
            let (offset, tie) = minimum_image(self.scene, plain);
            if self.below(offset.length_squared(), radius * radius) {
                self.doubtful |= tie;
                near.push(Other { offset, velocity: self.state.velocity[other].as_dvec2() });
            }
        }
        near
    }

    /// All agents that a behaviour perceives: within its radius and field of view, of a species in
    /// `with`.
    fn perceived(&mut self, kind: Kind) -> Vec<Other> {
        let with = self.value(kind, "with") as u32;
        let near = self.within(self.value(kind, "radius"), with);
        let fov = self.value(kind, "fov");
        if fov >= 360.0 {
            return near;
        }
        // Compares cosines: the angle is at most half the field when its cosine is at least that of
        // half the field. An agent on the same spot is in no direction, and is seen.
        let cosine = (fov / 2.0).to_radians().cos();
        let mut seen = vec![];
        for other in near {
            let distance = other.offset.length();
            let ahead = self.heading().dot(other.offset);
            let beyond = ahead - cosine * distance;
            self.doubtful |= distance > 0.0 && beyond.abs() < BRINK * distance;
            if beyond >= 0.0 {
                seen.push(other);
            }
        }
        seen
    }

    /// The number of agents of any species within the largest radius of all behaviours; if agents
    /// draw their radii, within the largest possible one.
    pub(super) fn count(&mut self) -> u32 {
        self.species = self.common;
        let mut largest = 0.0_f64;
        for kind in self.species.rules.iter().map(|rule| rule.kind) {
            let by_target = || {
                kind.parameter("target").is_some()
                    && self.value(kind, "target") != f64::from(NO_TARGET)
            };
            if kind.info().sees_neighbours && !by_target() {
                largest = largest.max(self.value(kind, "radius"));
            }
        }
        self.within(largest, u32::MAX).len() as u32
    }

    /// `with_length(Σ (p − q)/d², max_speed)`. An agent on the same spot counts as one at a
    /// thousandth of the radius, in a direction that is fixed for each agent.
    pub(super) fn separation(&mut self) -> DVec2 {
        let perceived = self.perceived(Kind::Separation);
        if perceived.is_empty() {
            return DVec2::ZERO;
        }
        let radius = self.value(Kind::Separation, "radius");
        let spread = spread_direction(self.index as u32).as_dvec2().normalize();
        let push = |other: &Other| {
            if other.offset == DVec2::ZERO {
                spread / (radius / 1000.0).max(1e-10)
            } else {
                -other.offset / other.offset.length_squared()
            }
        };
        let terms: Vec<DVec2> = perceived.iter().map(push).collect();
        let desired = self.along(&terms);
        self.steer(desired)
    }

    /// `with_length(Σ u, max_speed)`
    pub(super) fn alignment(&mut self) -> DVec2 {
        let perceived = self.perceived(Kind::Alignment);
        if perceived.is_empty() {
            return DVec2::ZERO;
        }
        let terms: Vec<DVec2> = perceived.iter().map(|other| other.velocity).collect();
        let desired = self.along(&terms);
        self.steer(desired)
    }

    /// Seeks the mean of `q`. With an inner radius: `with_length(Σ (q − p)/d², max_speed)` over
    /// `inner < d < radius`.
    pub(super) fn cohesion(&mut self) -> DVec2 {
        let inner = self.value(Kind::Cohesion, "inner");
        let mut terms = vec![];
        for other in self.perceived(Kind::Cohesion) {
            let squared = other.offset.length_squared();
            if inner == 0.0 {
                terms.push(other.offset);
            } else if self.below(inner * inner, squared) {
                terms.push(other.offset / squared);
            }
        }
        if terms.is_empty() {
            return DVec2::ZERO;
        }
        // The direction to the mean is that of the sum.
        let desired = self.along(&terms);
        self.steer(desired)
    }

    /// `with_length(Σ rot90((q − p)/d)/d, max_speed)`. With an agent on the same spot: −10·v.
    pub(super) fn view(&mut self) -> DVec2 {
        let perceived = self.perceived(Kind::View);
        if perceived.is_empty() {
            return DVec2::ZERO;
        }
        let mut terms = vec![];
        for other in perceived {
            let distance = other.offset.length();
            terms.push(if distance == 0.0 {
                self.v * -10.0
            } else {
                (other.offset / distance).perp() / distance
            });
        }
        let desired = self.along(&terms);
        self.steer(desired)
    }

    /// The quarry of a behaviour: the target that it names, or else the nearest agent that it
    /// perceives.
    fn quarry(&mut self, kind: Kind) -> Option<Other> {
        if self.value(kind, "target") != f64::from(NO_TARGET) {
            return self.target(kind).map(|(offset, velocity)| Other { offset, velocity });
        }
        let mut perceived = self.perceived(kind);
        perceived.sort_by(|a, b| a.offset.length().total_cmp(&b.offset.length()));
        let nearest = *perceived.first()?;
        // Engines may choose any of several equally near agents.
        let as_near = |other: &Other| other.offset.length() - nearest.offset.length() < HAIR;
        self.doubtful |= perceived.into_iter().any(|other| as_near(&other) && other != nearest);
        Some(nearest)
    }

    /// The way to `q + T·u`.
    fn aim(&mut self, kind: Kind) -> Option<DVec2> {
        let Other { offset, velocity } = self.quarry(kind)?;
        let by_distance = self.value(kind, "lead") == 1.0;
        let ticks = if by_distance {
            (offset.length() / self.max_speed).min(LONGEST_LEAD)
        } else {
            self.value(kind, "ticks")
        };
        Some(self.sum(&[offset, velocity * ticks]))
    }

    /// `with_length(q + T·u − p, max_speed)`
    pub(super) fn pursue(&mut self) -> DVec2 {
        let way = self.aim(Kind::Pursue);
        way.map_or(DVec2::ZERO, |way| self.steer(self.towards(Kind::Pursue, way)))
    }

    /// Minus the desired velocity of pursue.
    pub(super) fn evade(&mut self) -> DVec2 {
        let way = self.aim(Kind::Evade);
        way.map_or(DVec2::ZERO, |way| self.steer(-self.towards(Kind::Evade, way)))
    }
}
