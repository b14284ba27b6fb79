//! The behaviours that react to targets, walls or chance.

use flockwork::model::behaviours::Kind;
use flockwork::model::parameter::NEAREST_TARGET;
use flockwork::model::random::{Purpose, unit};
use glam::DVec3;
use std::f64::consts::TAU;

use super::{CANCELLATION, HAIR, Vehicle, minimum_image, on_sphere, with_length};

/// The unit vector at an angle of `turns` against the first axis.
fn on_circle(turns: f64) -> DVec3 {
    DVec3::new((turns * TAU).cos(), (turns * TAU).sin(), 0.0)
}

impl Vehicle<'_> {
    /// The way to the target that a behaviour names, and the target's velocity, if there is one.
    pub(super) fn target(&mut self, kind: Kind) -> Option<(DVec3, DVec3)> {
        let choice = self.value(kind, "target");
        let mut ways = vec![];
        for (index, target) in self.scene.targets.iter().enumerate() {
            let named = choice == f64::from(NEAREST_TARGET) || choice == index as f64;
            if target.active && named {
                let (way, tie) = minimum_image(self.scene, target.position.as_dvec3() - self.p);
                self.doubtful |= tie;
                ways.push((way, target.velocity.as_dvec3()));
            }
        }
        ways.sort_by(|a, b| a.0.length().total_cmp(&b.0.length()));
        let nearest = *ways.first()?;
        let as_near = |way: DVec3| way.length() - nearest.0.length() < HAIR;
        self.doubtful |= ways.into_iter().any(|other| as_near(other.0) && other != nearest);
        Some(nearest)
    }

    pub(super) fn towards(&self, kind: Kind, way: DVec3) -> DVec3 {
        let gain = self.value(kind, "gain");
        if gain > 0.0 { way * gain } else { with_length(way, self.max_speed) }
    }

    /// With a `proximity`, both limits of the agent are scaled by d/proximity for this tick, up to
    /// the largest values that a body may have.
    pub(super) fn approach(&mut self) {
        if self.species.rule(Kind::Seek).is_none() {
            return;
        }
        let proximity = self.value(Kind::Seek, "proximity");
        if proximity > 0.0
            && let Some((way, _)) = self.target(Kind::Seek)
        {
            let scale = way.length() / proximity.max(1e-3);
            self.max_speed = (self.max_speed * scale).min(1e4);
            self.max_force = (self.max_force * scale).min(1e4);
        }
    }

    pub(super) fn seek(&mut self) -> DVec3 {
        let target = self.target(Kind::Seek);
        target.map_or(DVec3::ZERO, |(way, _)| self.steer(self.towards(Kind::Seek, way)))
    }

    pub(super) fn flee(&mut self) -> DVec3 {
        let radius = self.value(Kind::Flee, "radius");
        match self.target(Kind::Flee) {
            Some((way, _)) if self.below(way.length_squared(), radius * radius) => {
                self.steer(-self.towards(Kind::Flee, way))
            }
            _ => DVec3::ZERO,
        }
    }

    pub(super) fn arrive(&mut self) -> DVec3 {
        let slowing = self.value(Kind::Arrive, "slowing_radius");
        let target = self.target(Kind::Arrive);
        target.map_or(DVec3::ZERO, |(way, _)| {
            let factor = self.value(Kind::Arrive, "factor");
            let part = if factor == 0.0 {
                (way.length() / slowing).min(1.0)
            } else if self.shorter(way.length(), slowing) {
                factor
            } else {
                1.0
            };
            self.steer(self.towards(Kind::Arrive, way) * part)
        })
    }

    /// Seeks a point on a circle ahead. Its angle against the heading changes at random. Or (COCOS)
    /// no force, but `v ← v + distance·heading + radius·(cos θ, sin θ)`.
    /// In space the point is on a sphere, and moves on it in a random direction.
    pub(super) fn wander(&mut self) -> DVec3 {
        let (id, tick) = (self.index as u32, self.state.tick as u32);
        let draw = |purpose| unit(self.scene.seed, id, tick, purpose);
        let turn = self.value(Kind::Wander, "turn") / 360.0;
        let part = f64::from(draw(Purpose::Wander));
        let around = if self.scene.world.size.z == 0.0 {
            self.angle += turn * (2.0 * part - 1.0);
            on_circle(self.angle)
        } else {
            let way = on_sphere(draw(Purpose::WanderAround), draw(Purpose::WanderHeight));
            let along = way - self.direction * self.direction.dot(way);
            self.doubtful |= along.length() < CANCELLATION;
            let angle = turn * part * TAU;
            let along = with_length(along, 1.0);
            self.direction = (self.direction * angle.cos() + along * angle.sin()).normalize();
            self.direction
        };
        let around = around * self.value(Kind::Wander, "radius");
        let ahead = self.heading() * self.value(Kind::Wander, "distance");
        let kicks = self.value(Kind::Wander, "kind") == 1.0;
        if kicks {
            self.kick += (ahead + around) * self.value(Kind::Wander, "weight");
            return DVec3::ZERO;
        }
        let desired = {
            let around = self.framed(around);
            self.along(&[ahead, around])
        };
        self.steer(desired)
    }

    /// Seeks a point on a circle around the food. Its angle against the heading grows by a tenth of
    /// a degree per unit of distance.
    pub(super) fn swim(&mut self) -> DVec3 {
        let Some((way, _)) = self.target(Kind::Swim) else { return DVec3::ZERO };
        self.angle += way.length() / 10.0 / 360.0;
        let around = on_circle(self.angle) * self.value(Kind::Swim, "radius");
        let around = self.framed(around);
        let desired = self.along(&[way, around]);
        self.steer(desired)
    }

    pub(super) fn contain(&mut self) -> DVec3 {
        let margin = self.value(Kind::Contain, "margin");
        let size = self.scene.world.size.as_dvec3();
        let mut desired = self.v;
        let mut near = false;
        for axis in 0..self.scene.world.axes() {
            // In a world narrower than two margins, the nearer wall counts.
            let reach = margin.min(size[axis] / 2.0);
            if self.below(self.p[axis], reach) {
                desired[axis] = self.max_speed;
                near = true;
            } else if self.below(size[axis] - reach, self.p[axis]) {
                desired[axis] = -self.max_speed;
                near = true;
            }
        }
        if !near {
            return DVec3::ZERO;
        }
        let turn = with_length(desired, self.max_speed) - self.carried();
        self.doubtful |= turn.length() < CANCELLATION * self.max_speed;
        // An agent that has already turned gets no force.
        if turn.length() <= (1e-6 * self.max_speed).max(1e-5) {
            return DVec3::ZERO;
        }
        with_length(turn, self.max_force)
    }
}
