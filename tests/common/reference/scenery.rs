//! The behaviours that react to paths, obstacles and the flow field.

use flockwork::model::behaviours::Kind;
use flockwork::model::parameter::NEAREST_PATH;
use flockwork::model::scene::Scene;
use flockwork::model::world::Boundary;
use glam::DVec3;

use super::{BRINK, HAIR, Vehicle, minimum_image, with_length};

/// How many images of a wrapped world away a prediction may be, on each side.
const IMAGES: i32 = 3;

/// In space, a centre nearer to the axis of the heading has no side that `f32` could hold; world units.
const BESIDE: f64 = 0.2;

/// And one nearer than this share of its distance lies straight ahead.
const STRAIGHT: f64 = 1e-6;

/// A circle in the frame of the agent.
struct Circle {
    /// From the agent to the centre.
    offset: DVec3,
    /// Distance of the centre along the heading.
    x: f64,
    /// Distance of the centre from the axis of the heading, along `side`.
    y: f64,
    /// A unit vector: in a plane to the left, in space away from the centre.
    side: DVec3,
    radius: f64,
}

/// The image inside a wrapped world of a place that is farther than half a size outside: from there the shortest way
/// is more than one size shorter.
fn image_within_reach(scene: &Scene, mut place: DVec3) -> DVec3 {
    let size = scene.world.size.as_dvec3();
    for axis in 0..scene.world.axes() {
        let far = place[axis] < -size[axis] / 2.0 || place[axis] > size[axis] * 1.5;
        if far && scene.world.boundary == Boundary::Wrap {
            place[axis] = place[axis].rem_euclid(size[axis]);
        }
    }
    place
}

impl Vehicle<'_> {
    /// Source: NOC-6.9. Uses the nearest point of every segment, ends included.
    pub(super) fn follow_path(&mut self) -> DVec3 {
        // A slower agent counts as at rest: it predicts its own place.
        let slow = self.below(self.v.length(), 1e-5);
        let lookahead = if slow { 0.0 } else { self.value(Kind::FollowPath, "lookahead") };
        let predicted = self.p + self.heading() * lookahead;
        let mut nearest: Option<(DVec3, DVec3)> = None;
        let mut rivals = vec![];
        for [from, to] in self.segments() {
            let way = to - from;
            let squared = way.length_squared();
            let part = if squared > 0.0 { (predicted - from).dot(way) / squared } else { 0.0 };
            let point = from + way * part.clamp(0.0, 1.0);
            let along = with_length(way, 1.0);
            let at_an_end = part <= 0.0 || part >= 1.0;
            let best = nearest.map_or(f64::MAX, |(best, _)| best.distance(predicted));
            // If segments meet in the nearest point, the first one counts.
            if point.distance(predicted) < best {
                nearest = Some((point, along));
            }
            rivals.push((point, along, at_an_end));
        }
        let Some((point, along)) = nearest else { return DVec3::ZERO };
        let distance = point.distance(predicted);
        if !self.shorter(self.value(Kind::FollowPath, "radius"), distance) {
            return DVec3::ZERO;
        }
        let advance = self.value(Kind::FollowPath, "advance");
        for (other, direction, at_an_end) in rivals {
            let as_near = other.distance(predicted) - distance < HAIR;
            let elsewhere = (other + direction * advance).distance(point + along * advance) > HAIR;
            // At a corner both distances are equal to the bit. Elsewhere rounding decides.
            let equal = other == point && at_an_end;
            self.doubtful |= as_near && elsewhere && !equal;
        }
        let desired = self.along(&[point - self.p, along * advance]);
        self.steer(desired)
    }

    /// The segments of the path to follow, or of all paths; in a wrapped world with their images.
    fn segments(&self) -> Vec<[DVec3; 2]> {
        let choice = self.value(Kind::FollowPath, "path");
        let mut segments = vec![];
        for (index, path) in self.scene.paths.iter().enumerate() {
            if choice == f64::from(NEAREST_PATH) || choice == index as f64 {
                let points: Vec<DVec3> = path.points.iter().map(|p| p.as_dvec3()).collect();
                segments.extend(points.windows(2).map(|pair| [pair[0], pair[1]]));
                if path.closed {
                    segments.push([points[points.len() - 1], points[0]]);
                }
            }
        }
        if self.scene.world.boundary != Boundary::Wrap {
            return segments;
        }
        let size = self.scene.world.size.as_dvec3();
        let mut images = vec![];
        for [from, to] in segments {
            let layers = if size.z == 0.0 { 0..=0 } else { -IMAGES..=IMAGES };
            for layer in layers {
                for row in -IMAGES..=IMAGES {
                    for column in -IMAGES..=IMAGES {
                        let by = DVec3::new(column.into(), row.into(), layer.into()) * size;
                        images.push([from + by, to + by]);
                    }
                }
            }
        }
        images
    }

    /// Every obstacle, seen along the shortest way.
    fn circles(&mut self) -> Vec<Circle> {
        let mut circles = vec![];
        for obstacle in &self.scene.obstacles {
            let place = image_within_reach(self.scene, obstacle.position.as_dvec3());
            let (offset, tie) = minimum_image(self.scene, place - self.p);
            self.doubtful |= tie;
            let (ahead, left) = (self.heading(), self.left());
            let x = ahead.dot(offset);
            let (y, side) = if self.scene.world.size.z == 0.0 {
                (left.dot(offset), left)
            } else {
                let away = ahead * x - offset;
                // Straight ahead it counts as lying to the right.
                let straight = away.length() < STRAIGHT * offset.length();
                self.doubtful |= !straight && away.length() < BESIDE;
                (-away.length(), if straight { left } else { away.normalize() })
            };
            circles.push(Circle { offset, x, y, side, radius: obstacle.radius.into() });
        }
        circles
    }

    pub(super) fn avoid(&mut self) -> DVec3 {
        let circles = self.circles();
        match self.value(Kind::Avoid, "method") {
            0.0 => self.feel(&circles),
            1.0 => self.look_through_box(&circles),
            _ => self.look_ahead(&circles),
        }
    }

    /// The side that leads away: −1 for a centre to the left, +1 for one to the right or straight
    /// ahead.
    fn away(&mut self, circle: &Circle) -> f64 {
        if self.shorter(0.0, circle.y) { -1.0 } else { 1.0 }
    }

    /// `a < b`, if one of them is a coordinate in the agent's frame. The heading comes from a
    /// square root, so only zero is exact.
    fn shorter_in_frame(&mut self, a: f64, b: f64) -> bool {
        self.doubtful |= a == b && a != 0.0;
        self.shorter(a, b)
    }

    /// AVOID, ActionScript: for every circle that the feeler meets, a force across the heading, and
    /// a brake.
    fn feel(&mut self, circles: &[Circle]) -> DVec3 {
        let (reach, buffer) = (self.value(Kind::Avoid, "reach"), self.value(Kind::Avoid, "buffer"));
        let mut force = DVec3::ZERO;
        for circle in circles {
            let feeler = reach + circle.radius + buffer;
            if self.shorter_in_frame(circle.y.abs(), circle.radius + buffer)
                && self.shorter_in_frame(circle.x, feeler)
                && self.shorter(0.0, circle.x)
            {
                let strength = self.max_speed * (1.0 - circle.x / feeler);
                force += circle.side * (strength * self.away(circle));
                self.brake *= circle.x / feeler;
            }
        }
        self.limited(force)
    }

    /// AVOID, Buckland: the circle whose expanded edge crosses the axis of the box first.
    fn look_through_box(&mut self, circles: &[Circle]) -> DVec3 {
        // The box grows with the speed, up to the maximum speed. An agent whose maximum speed is 0
        // has the box of one at rest.
        let pace = if self.max_speed > 0.0 { self.v.length() / self.max_speed } else { 0.0 };
        let length = self.value(Kind::Avoid, "reach") * (1.0 + pace.min(1.0));
        let size = f64::from(self.species.body.size);
        let mut nearest = length;
        let mut found = None;
        for circle in circles {
            let expanded = circle.radius + size;
            if self.shorter(circle.x, 0.0) || !self.shorter_in_frame(circle.y.abs(), expanded) {
                continue;
            }
            let half = (expanded * expanded - circle.y * circle.y).sqrt();
            // From inside the circle, the crossing is on the far side.
            let outside = half < circle.x;
            let crossing = if outside { circle.x - half } else { circle.x + half };
            // An agent on the edge is doubtful even when these numbers are equal: they come from
            // square roots.
            self.doubtful |= (half - circle.x).abs() < HAIR;
            // If the axis grazes the edge, rounding y moves the crossing far.
            let grazing = HAIR * expanded / half;
            self.doubtful |= crossing != nearest && (crossing - nearest).abs() < grazing;
            if crossing < nearest {
                nearest = crossing;
                found = Some(circle);
            }
        }
        let Some(circle) = found else { return DVec3::ZERO };
        let Circle { x, y, side, radius, .. } = *circle;
        let depth = radius + size - y.abs();
        let across = depth * (1.0 + (length - x) / length) * self.away(circle);
        let along = (radius - x) * 0.2;
        self.limited(self.heading() * along + side * across)
    }

    /// COCOS: steers away from the circle that the vector ahead passes most closely.
    fn look_ahead(&mut self, circles: &[Circle]) -> DVec3 {
        let reach = self.value(Kind::Avoid, "reach");
        let pace = if self.max_speed > 0.0 { self.v.length() / self.max_speed } else { 0.0 };
        // At most the reach, as above. An agent at rest has no vector ahead.
        let length = reach * pace.min(1.0);
        let ahead = self.heading() * length;
        let mut nearest = f64::MAX;
        let mut found = None;
        for circle in circles {
            let aside = circle.y.abs();
            let beside = !self.shorter(circle.x, 0.0) && !self.shorter_in_frame(length, circle.x);
            if beside
                && !self.shorter_in_frame(circle.radius, aside)
                && self.shorter(aside, nearest)
            {
                nearest = aside;
                found = Some(circle);
            }
        }
        let Some(circle) = found else { return DVec3::ZERO };
        let way = self.sum(&[ahead, -circle.offset]);
        self.limited(with_length(way, self.value(Kind::Avoid, "strength")))
    }

    /// `with_length(field(p), max_speed)`; no force if the field is zero.
    pub(super) fn follow_flow(&mut self) -> DVec3 {
        let Some(field) = self.flow else { return DVec3::ZERO };
        let size = self.scene.world.size.as_dvec3();
        let sides = field.index.cells_along;
        let mut cell = [0; 3];
        for axis in 0..self.scene.world.axes() {
            let place = self.p[axis] / size[axis] * f64::from(sides[axis]);
            let border = place.round();
            // The edge of the world is no border between cells: positions outside belong to the
            // edge cell.
            let inner = border > 0.0 && border < f64::from(sides[axis]);
            self.doubtful |= inner && (place - border).abs() < BRINK * f64::from(sides[axis]);
            cell[axis] = place.floor().clamp(0.0, f64::from(sides[axis] - 1)) as usize;
        }
        let way = field.vectors
            [(cell[2] * sides[1] as usize + cell[1]) * sides[0] as usize + cell[0]]
            .as_dvec3();
        if way == DVec3::ZERO {
            return DVec3::ZERO;
        }
        self.steer(with_length(way, self.max_speed))
    }
}
