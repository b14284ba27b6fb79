//! The behaviours that react to other agents.

use flockwork::model::behaviours::Kind;
use flockwork::model::parameter::{NO_TARGET, PICK_ONE};
use flockwork::model::random::{Purpose, bits, pcg, spread, spread_bits};
use glam::DVec3;

use super::{BRINK, HAIR, Vehicle, minimum_image, sideways};

/// Longest time that a pursuer predicts; ticks.
const MAX_LEAD: f64 = 10_000.0;

/// Another agent.
#[derive(Clone, Copy)]
struct Other {
    /// Shortest way from the steered agent to this one.
    offset: DVec3,
    velocity: DVec3,
    id: u32,
}

/// Largest rounding of a coordinate that is shifted across the seam of a world 150 wide; world units.
const MAX_SHIFT_ERROR: f64 = 7.7e-6;

/// An angle of this size, in radians, changes no velocity by more than the tolerance.
const SLIGHT: f64 = 2e-5;

/// True if an offset across the seam is so short that the rounding of the shift may turn it.
fn turns_at_the_seam(plain: DVec3, offset: DVec3) -> bool {
    let squared = offset.length_squared();
    (0..3).filter(|axis| offset[*axis] != plain[*axis]).any(|axis| {
        let across = (squared - offset[axis] * offset[axis]).max(0.0).sqrt();
        MAX_SHIFT_ERROR * across > SLIGHT * squared
    })
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
            let plain = self.state.position[other].as_dvec3() - self.p;
            let (offset, tie) = minimum_image(self.scene, plain);
            if self.below(offset.length_squared(), radius * radius) {
                self.doubtful |= tie || turns_at_the_seam(plain, offset);
                let velocity = self.state.velocity[other].as_dvec3();
                near.push(Other { offset, velocity, id: other as u32 });
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
            return self.nearest(kind, near);
        }
        // Compares cosines: the angle is at most half the field when its cosine is at least the cosine of
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
        self.nearest(kind, seen)
    }

    /// The nearest ones of `seen`, which are in the order of their ids, if the behaviour chooses them, or the one that
    /// it draws. Of equally near ones it takes those with the smallest ids.
    fn nearest(&mut self, kind: Kind, mut seen: Vec<Other>) -> Vec<Other> {
        let chosen = kind.parameter("nearest").map_or(0.0, |_| self.value(kind, "nearest"));
        if chosen == f64::from(PICK_ONE) {
            let (own, tick) = (self.index as u32, self.state.tick as u32);
            let order = bits(self.scene.seed, own, tick, Purpose::Pick);
            return seen
                .into_iter()
                .min_by_key(|other| pcg(order ^ other.id))
                .into_iter()
                .collect();
        }
        let count = chosen as usize;
        if count == 0 || seen.len() <= count {
            return seen;
        }
        seen.sort_by(|a, b| a.offset.length_squared().total_cmp(&b.offset.length_squared()));
        let (last, next) = (seen[count - 1].offset, seen[count].offset);
        // Equal distances are equal in `f32` where it holds the offsets and their squares.
        let is_exact = seen.iter().all(|other| (other.offset * 4.0).fract() == DVec3::ZERO);
        let close = |other: &&Other| (other.offset.length() - last.length()).abs() < HAIR;
        let is_equal = |other: &Other| {
            let equally_far = other.offset.length_squared() == last.length_squared();
            other.offset == last || is_exact && equally_far
        };
        let is_clear = next.length() - last.length() >= HAIR;
        self.doubtful |= !is_clear && !seen.iter().filter(close).all(is_equal);
        seen.truncate(count);
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

    /// The direction in which the agent leaves a shared spot.
    fn spread(&self) -> DVec3 {
        let bits = spread_bits(self.index as u32);
        let [[x, y], [z, _]] = [spread(bits), spread(pcg(bits))];
        let plane = self.scene.world.size.z == 0.0;
        DVec3::new(x.into(), y.into(), if plane { 0.0 } else { z.into() })
    }

    /// The agents that a behaviour perceives beyond its inner radius, if that is positive.
    fn beyond(&mut self, kind: Kind) -> Vec<Other> {
        let inner = self.value(kind, "inner");
        let mut perceived = self.perceived(kind);
        if inner > 0.0 {
            perceived.retain(|other| self.below(inner * inner, other.offset.length_squared()));
        }
        perceived
    }

    /// `with_length(Σ (p − q)/d², max_speed)`. An agent on the same spot counts as one at a
    /// thousandth of the radius, in a direction that is fixed for each agent.
    pub(super) fn separation(&mut self) -> DVec3 {
        let perceived = self.beyond(Kind::Separation);
        if perceived.is_empty() {
            return DVec3::ZERO;
        }
        let radius = self.value(Kind::Separation, "radius");
        let spread = self.spread().normalize();
        let push = |other: &Other| {
            if other.offset == DVec3::ZERO {
                spread / (radius / 1000.0).max(1e-10)
            } else {
                -other.offset / other.offset.length_squared()
            }
        };
        let terms: Vec<DVec3> = perceived.iter().map(push).collect();
        let desired = self.along(&terms);
        self.steer(desired)
    }

    /// `with_length(Σ u, max_speed)`
    pub(super) fn alignment(&mut self) -> DVec3 {
        let perceived = self.beyond(Kind::Alignment);
        if perceived.is_empty() {
            return DVec3::ZERO;
        }
        let terms: Vec<DVec3> = perceived.iter().map(|other| other.velocity).collect();
        let desired = self.along(&terms);
        self.steer(desired)
    }

    /// Seeks the mean of `q`. With an inner radius: `with_length(Σ (q − p)/d², max_speed)` over
    /// `inner < d < radius`.
    pub(super) fn cohesion(&mut self) -> DVec3 {
        let gathers = self.value(Kind::Cohesion, "inner") > 0.0;
        let term =
            |other: Other| other.offset / if gathers { other.offset.length_squared() } else { 1.0 };
        let terms: Vec<DVec3> = self.beyond(Kind::Cohesion).into_iter().map(term).collect();
        if terms.is_empty() {
            return DVec3::ZERO;
        }
        // The direction to the mean is the direction of the sum.
        let desired = self.along(&terms);
        self.steer(desired)
    }

    /// `with_length(left of Σ (q − p)/d², max_speed)`. With an agent on the same spot: −10·v.
    pub(super) fn view(&mut self) -> DVec3 {
        let perceived = self.perceived(Kind::View);
        if perceived.is_empty() {
            return DVec3::ZERO;
        }
        let (mut ahead, mut back) = (vec![], vec![]);
        for other in perceived {
            let distance = other.offset.length();
            if distance == 0.0 {
                back.push(self.v * -10.0);
            } else {
                ahead.push(other.offset / (distance * distance));
            }
        }
        let sum = self.sum(&ahead);
        let aside = sideways(sum, &mut self.doubtful);
        let desired = self.along(&[vec![aside], back].concat());
        self.steer(desired)
    }

    /// The quarry of a behaviour: the target that it names, or else the nearest agent that it
    /// perceives.
    fn quarry(&mut self, kind: Kind) -> Option<Other> {
        if self.value(kind, "target") != f64::from(NO_TARGET) {
            return self.target(kind).map(|(offset, velocity)| Other { offset, velocity, id: 0 });
        }
        let mut perceived = self.perceived(kind);
        perceived.sort_by(|a, b| a.offset.length().total_cmp(&b.offset.length()));
        let nearest = *perceived.first()?;
        // Engines may choose any of several equally near agents.
        let as_near = |other: &Other| other.offset.length() - nearest.offset.length() < HAIR;
        let moves = |other: &Other| (other.offset, other.velocity);
        let differs = |other: &Other| moves(other) != moves(&nearest);
        self.doubtful |= perceived.iter().any(|other| as_near(other) && differs(other));
        Some(nearest)
    }

    /// The way to `q + T·u`.
    fn aim(&mut self, kind: Kind) -> Option<DVec3> {
        let Other { offset, velocity, .. } = self.quarry(kind)?;
        let by_distance = self.value(kind, "lead") == 1.0;
        let ticks = if by_distance {
            (offset.length() / self.max_speed).min(MAX_LEAD)
        } else {
            self.value(kind, "ticks")
        };
        Some(self.sum(&[offset, velocity * ticks]))
    }

    /// `with_length(q + T·u − p, max_speed)`
    pub(super) fn pursue(&mut self) -> DVec3 {
        let way = self.aim(Kind::Pursue);
        way.map_or(DVec3::ZERO, |way| self.steer(self.towards(Kind::Pursue, way)))
    }

    /// Minus the desired velocity of pursue.
    pub(super) fn evade(&mut self) -> DVec3 {
        let way = self.aim(Kind::Evade);
        way.map_or(DVec3::ZERO, |way| self.steer(-self.towards(Kind::Evade, way)))
    }
}
