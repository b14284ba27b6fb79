//! The geometry of obstacle avoidance, for each of its methods.

use super::builder::ShapeBuilder;
use crate::shapes::perpendicular;
use flockwork_model::behaviours::{Avoid, Surroundings};
use flockwork_model::scenery::Obstacle;
use flockwork_model::vector::Point;

/// An agent that avoids obstacles.
#[derive(Clone, Copy, Debug)]
pub struct LookoutDrawing {
    /// World units.
    pub position: Point,
    /// World units per tick.
    pub velocity: Point,
    /// Unit vector.
    pub heading: Point,
    /// World units per tick.
    pub max_speed: f32,
    /// The agent's own radius; world units.
    pub size: f32,
}

/// An obstacle in the agent's frame.
#[derive(Clone, Copy)]
struct Seen {
    centre: Point,
    radius: f32,
    /// Distance of the centre ahead; world units.
    x: f32,
    /// Distance of the centre to the left, in space from the axis; world units.
    y: f32,
}

impl LookoutDrawing {
    /// Draws the feeler, box or vector ahead, and the obstacles that the agent reacts to.
    pub fn draw(&self, rule: &Avoid, surroundings: &Surroundings, shapes: &mut ShapeBuilder) {
        let near = surroundings.scenery.obstacles.near(self.position);
        let seen = near.iter().map(|obstacle| self.see(obstacle, surroundings));
        let aside = perpendicular(self.heading);
        let ahead = |length: f32| self.position + self.heading * length;
        match rule.method as u32 {
            0 => {
                shapes.line(&[self.position, ahead(rule.reach)]);
                for circle in seen {
                    let wide = circle.radius + rule.buffer;
                    let feels = circle.x > 0.0 && circle.y.abs() < wide;
                    if feels && circle.x < rule.reach + wide {
                        shapes.ring(circle.centre, wide);
                        shapes.line(&[circle.centre, ahead(circle.x)]);
                        shapes.point(ahead(circle.x));
                    }
                }
            }
            1 => {
                let length = rule.reach * (1.0 + self.pace());
                let side = aside * self.size;
                let (low, high) = (self.position, ahead(length));
                shapes.outline(&[low - side, high - side, high + side, low + side]);
                if !surroundings.world.is_flat() {
                    let side = self.heading.cross(side);
                    shapes.outline(&[low - side, high - side, high + side, low + side]);
                }
                if let Some((circle, crossing)) = self.first_in_box(seen, length) {
                    shapes.ring(circle.centre, circle.radius + self.size);
                    shapes.line(&[circle.centre, ahead(crossing)]);
                    shapes.point(ahead(crossing));
                }
            }
            _ => {
                let length = rule.reach * self.pace();
                let vector = self.heading * length;
                shapes.arrow(self.position, self.position + vector);
                let hit = |c: &Seen| c.x >= 0.0 && c.x <= length && c.y.abs() <= c.radius;
                let first = seen.filter(hit).min_by(|a, b| a.y.abs().total_cmp(&b.y.abs()));
                if let Some(circle) = first {
                    shapes.ring(circle.centre, circle.radius);
                    // The direction of the force.
                    shapes.line(&[circle.centre, self.position + vector]);
                    shapes.point(self.position + vector);
                }
            }
        }
    }

    fn see(&self, obstacle: &Obstacle, surroundings: &Surroundings) -> Seen {
        let offset = surroundings.world.shortest_between(self.position, obstacle.position);
        let beside = match surroundings.world.is_flat() {
            true => perpendicular(self.heading).dot(offset),
            // In space sideways is away from the axis.
            false => (offset - self.heading * self.heading.dot(offset)).length(),
        };
        Seen {
            centre: self.position + offset,
            radius: obstacle.radius,
            x: self.heading.dot(offset),
            y: beside,
        }
    }

    /// Speed as a share of the maximum speed, at most 1.
    fn pace(&self) -> f32 {
        if self.max_speed > 0.0 { (self.velocity.length() / self.max_speed).min(1.0) } else { 0.0 }
    }

    /// The circle whose expanded edge crosses the box's axis first, and the distance to the
    /// crossing.
    fn first_in_box(&self, seen: impl Iterator<Item = Seen>, length: f32) -> Option<(Seen, f32)> {
        let crossing = |circle: Seen| {
            let expanded = circle.radius + self.size;
            let half = (expanded * expanded - circle.y * circle.y).sqrt();
            let crossing = if circle.x > half { circle.x - half } else { circle.x + half };
            // `half` is NaN if the axis misses the circle; comparisons with NaN are false.
            (circle.x >= 0.0 && crossing < length).then_some((circle, crossing))
        };
        seen.filter_map(crossing).min_by(|a, b| a.1.total_cmp(&b.1))
    }
}
