//! The motion of targets.

use flockwork::model::random::{Purpose, unit};
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::world::Boundary;
use glam::{DVec3, Vec3};

use super::{HAIR, Vehicle, minimum_image};

/// A target after one tick.
#[derive(Debug)]
pub struct Moved {
    /// World units.
    pub position: DVec3,
    /// World units per tick.
    pub velocity: DVec3,
    /// How often it has been hit.
    pub hits: u32,
    /// True if rounding may decide whether the target is hit or thrown back.
    pub doubtful: bool,
}

impl Vehicle<'_> {
    /// The position of an agent whose tick ends at `p`: the last target that it hits decides where
    /// to send it; otherwise `p`.
    pub(super) fn sent_from(&mut self, p: DVec3) -> DVec3 {
        let mut place = p;
        for target in self.scene.targets.iter().filter(|target| target.active) {
            let (Some(home), reach) = (target.sends_to, f64::from(target.hit_radius)) else {
                continue;
            };
            let (way, _) = minimum_image(self.scene, target.position.as_dvec3() - p);
            self.doubtful |= reach > 0.0 && (way.length() - reach).abs() < HAIR;
            if way.length() < reach {
                place = home.as_dvec3();
            }
        }
        place
    }
}

/// The targets of a scene after tick `tick`; `after` is the flock at its end. A target that is hit
/// reappears at random; the others move on, and walls throw them back.
pub fn targets_after(scene: &Scene, tick: u64, after: &FlockState) -> Vec<Moved> {
    let size = scene.world.size.as_dvec3();
    let mut moved = vec![];
    for (index, target) in scene.targets.iter().enumerate() {
        let (mut position, mut velocity) = (target.position.as_dvec3(), target.velocity.as_dvec3());
        let (mut hits, mut doubtful) = (target.hits, false);
        let reach = f64::from(target.hit_radius);
        let mut hit = false;
        for (agent, moving) in after.position.iter().zip(&after.velocity) {
            let (way, _) = minimum_image(scene, agent.as_dvec3() - position);
            // An agent exactly where the target sends agents was sent there just now: no other
            // agent is there to the bit. An agent at rest may have been there before.
            let sent = reach > 0.0 && target.sends_to == Some(*agent);
            hit |= way.length() < reach || (sent && *moving != Vec3::ZERO);
            doubtful |= sent && *moving == Vec3::ZERO;
            doubtful |= reach > 0.0 && (way.length() - reach).abs() < HAIR;
        }
        // If an agent hits two targets at once and one sends it away, the other hit is hidden.
        for other in scene.targets.iter().filter(|other| other.position != target.position) {
            let (way, _) = minimum_image(scene, other.position.as_dvec3() - position);
            let reaches = reach + f64::from(other.hit_radius) + HAIR;
            doubtful |= reach > 0.0 && other.sends_to.is_some() && way.length() < reaches;
        }
        let draw = |purpose| f64::from(unit(scene.seed, index as u32, tick as u32, purpose));
        if !target.active {
            // The pointer stays where the user left it.
        } else if hit {
            position =
                DVec3::from_array([Purpose::TargetX, Purpose::TargetY, Purpose::TargetZ].map(draw))
                    * size;
            hits += 1;
            if target.turns {
                let around = std::f64::consts::TAU * (draw(Purpose::TargetHeading) - 0.5);
                let plane = size.z == 0.0;
                let z = if plane { 0.0 } else { 2.0 * draw(Purpose::TargetClimb) - 1.0 };
                let level = (1.0 - z * z).sqrt();
                let heading = DVec3::new(level * around.cos(), level * around.sin(), z);
                velocity = heading * velocity.length();
            }
        } else {
            position += velocity * f64::from(scene.time_step);
            for axis in 0..scene.world.axes() {
                let there = position[axis];
                match scene.world.boundary {
                    Boundary::Open => position[axis] = there.clamp(-1e12, 1e12),
                    Boundary::Wrap => position[axis] = there.rem_euclid(size[axis]),
                    Boundary::Walls => {
                        position[axis] = there.clamp(0.0, size[axis]);
                        let from_edge = there.abs().min((there - size[axis]).abs());
                        doubtful |= from_edge > 0.0 && from_edge < HAIR;
                        if position[axis] != there {
                            velocity[axis] = -velocity[axis];
                        }
                    }
                }
            }
        }
        moved.push(Moved { position, velocity, hits, doubtful });
    }
    moved
}
