//! The geometry of obstacle avoidance, for each of its methods.

use super::drawing::{DrawnAgent, GeometryDrawing, point};
use super::rule;
use crate::shapes::perpendicular;
use flockwork_model::behaviours::{Avoid, Kind};
use flockwork_model::scenery::Obstacle;
use flockwork_model::vector::Point;
use flockwork_model::world::World;

/// An obstacle in the agent's frame.
#[derive(Clone, Copy)]
struct SeenObstacle {
    centre: Point,
    radius: f32,
    /// Distance of the centre ahead; world units.
    x: f32,
    /// Distance of the centre to the left, in space from the axis; world units.
    y: f32,
}

impl GeometryDrawing<'_> {
    /// Draws the feeler, box or vector ahead, and the obstacles that the agent reacts to.
    pub(super) fn obstacles(&mut self) {
        let DrawnAgent { position, heading, agent, .. } = self.subject;
        let rule: Avoid = rule(self.species, Kind::Avoid);
        let (world, shapes) = (self.surroundings.world, &mut self.shapes);
        let near = self.surroundings.scenery.obstacles.near(position);
        let seen =
            near.iter().map(|obstacle| SeenObstacle::of(obstacle, (position, heading), world));
        let (size, max_speed) = (agent.body.size, agent.body.max_speed);
        // Speed as a share of the maximum speed, at most 1.
        let speed = point(agent.velocity).length();
        let pace = if max_speed > 0.0 { (speed / max_speed).min(1.0) } else { 0.0 };
        let ahead = |length: f32| position + heading * length;
        match rule.method as u32 {
            0 => {
                shapes.line(&[position, ahead(rule.reach)]);
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
                let length = rule.reach * (1.0 + pace);
                let side = perpendicular(heading) * size;
                let (low, high) = (position, ahead(length));
                shapes.outline(&[low - side, high - side, high + side, low + side]);
                if !world.is_flat() {
                    let side = heading.cross(side);
                    shapes.outline(&[low - side, high - side, high + side, low + side]);
                }
                if let Some((circle, crossing)) = first_in_box(seen, size, length) {
                    shapes.ring(circle.centre, circle.radius + size);
                    shapes.line(&[circle.centre, ahead(crossing)]);
                    shapes.point(ahead(crossing));
                }
            }
            _ => {
                let length = rule.reach * pace;
                let vector = heading * length;
                shapes.arrow(position, position + vector);
                let hit = |c: &SeenObstacle| c.x >= 0.0 && c.x <= length && c.y.abs() <= c.radius;
                let first = seen.filter(hit).min_by(|a, b| a.y.abs().total_cmp(&b.y.abs()));
                if let Some(circle) = first {
                    shapes.ring(circle.centre, circle.radius);
                    // The direction of the force.
                    shapes.line(&[circle.centre, position + vector]);
                    shapes.point(position + vector);
                }
            }
        }
    }
}

impl SeenObstacle {
    fn of(obstacle: &Obstacle, (position, heading): (Point, Point), world: &World) -> Self {
        let offset = world.shortest_between(position, obstacle.position);
        let beside = match world.is_flat() {
            true => perpendicular(heading).dot(offset),
            // In space sideways is away from the axis.
            false => (offset - heading * heading.dot(offset)).length(),
        };
        Self {
            centre: position + offset,
            radius: obstacle.radius,
            x: heading.dot(offset),
            y: beside,
        }
    }
}

/// The circle whose edge, expanded by the agent's `size`, crosses the box's axis first, and the distance to
/// the crossing.
fn first_in_box(
    seen: impl Iterator<Item = SeenObstacle>,
    size: f32,
    length: f32,
) -> Option<(SeenObstacle, f32)> {
    let crossing = |circle: SeenObstacle| {
        let expanded = circle.radius + size;
        let half = (expanded * expanded - circle.y * circle.y).sqrt();
        let crossing = if circle.x > half { circle.x - half } else { circle.x + half };
        // `half` is NaN if the axis misses the circle; comparisons with NaN are false.
        (circle.x >= 0.0 && crossing < length).then_some((circle, crossing))
    };
    seen.filter_map(crossing).min_by(|a, b| a.1.total_cmp(&b.1))
}
