//! How a space is seen: in perspective, from the place of an eye.

use glam::Vec2;

use flockwork_model::scene::View;
use flockwork_model::vector::Point;

/// The nearest thing that is drawn, as a share of the distance from the eye to its focus.
const NEAR: f32 = 0.02;

/// The farthest that a drag goes up or down; radians. The view is defined straight above as well.
const MAX_ELEVATION: f32 = 1.55;

/// How many directions of an orbit are checked: the whole world must fit the picture from each.
const DIRECTIONS: u32 = 72;

/// Room around the whole world, as a share of the picture.
const MARGIN: f32 = 0.06;

/// The axes and the place of an eye. It looks at the middle of the picture, the focus. In one of many pictures
/// whose mean is a frame, `right` and `up` lean a little against the view ([`Camera::sample`](super::Camera::sample)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// The direction in the world that is to the right in the picture; a unit vector.
    pub right: Point,
    /// The direction that is up in the picture; a unit vector.
    pub up: Point,
    /// The direction from the focus to the eye; a unit vector.
    pub back: Point,
    /// From the focus to the eye; world units.
    pub distance: f32,
    /// Nothing nearer to the eye than this is drawn; world units along the view.
    pub near: f32,
}

/// Where a world position is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Pixels.
    pub pixel: Vec2,
    /// How far before the eye it is; world units along the view.
    pub depth: f32,
    /// Pixels per world unit there.
    pub pixels_per_unit: f32,
}

/// The angles of an eye; degrees. See [`CameraPlan`](flockwork_model::scene::CameraPlan).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angles {
    /// From the y axis, anticlockwise seen from above.
    pub azimuth: f32,
    /// Above the horizon.
    pub elevation: f32,
    /// Anticlockwise, of the camera about its view.
    pub rotation: f32,
    /// Of the shorter side of the picture.
    pub fov: f32,
}

impl Angles {
    /// The angles of a view.
    #[must_use]
    pub fn of(view: &View) -> Self {
        let View { azimuth, elevation, rotation, fov, .. } = *view;
        Self { azimuth, elevation, rotation, fov }
    }
}

impl Eye {
    /// An eye at a distance, without roll; radians. The angles give the axes even straight above, where
    /// no direction is the one to the horizon.
    fn at(azimuth: f32, elevation: f32, distance: f32) -> Self {
        let ((sine, cosine), (height, level)) = (azimuth.sin_cos(), elevation.sin_cos());
        let eye = Self {
            right: Point::new(cosine, sine, 0.0),
            up: Point::new(-height * sine, height * cosine, level),
            back: Point::new(level * sine, -level * cosine, height),
            distance,
            near: 0.0,
        };
        eye.at_distance(distance)
    }

    /// True if this is the eye of a mirrored picture; see [`Camera::mirrored`](super::Camera::mirrored).
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        self.right.cross(self.up).dot(self.back) < 0.0
    }

    /// The same direction from another distance.
    #[must_use]
    pub fn at_distance(self, distance: f32) -> Self {
        let distance = distance.clamp(1e-6, 1e15);
        Self { distance, near: NEAR * distance, ..self }
    }

    /// An eye that sees all of a world of this size from a direction, and from all others at the
    /// same height: so an orbit keeps its distance. `picture` is in pixels.
    ///
    /// Also returns how far above the middle of the world it looks; world units. Near things are
    /// larger, so from above it looks below the middle: then there is as much room over the box as
    /// under it.
    #[must_use]
    pub fn whole(world: Point, picture: Vec2, angles: Angles) -> (Self, f32) {
        let tangent = (0.5 * angles.fov.to_radians()).tan();
        let tangents = tangent * picture / picture.min_element().max(1.0) * (1.0 - MARGIN);
        let elevation = angles.elevation.to_radians();
        // The distances at which the sides, the top and the bottom of the picture touch the box.
        let [mut beside, mut above, mut below] = [0.0_f32; 3];
        for step in 0..DIRECTIONS {
            let azimuth = std::f32::consts::TAU * step as f32 / DIRECTIONS as f32;
            let eye = Self::at(azimuth, elevation, 1.0);
            for corner in corners(world).map(|corner| corner - world * 0.5) {
                let nearer = eye.back.dot(corner);
                let upwards = eye.up.dot(corner) / tangents.y;
                beside = beside.max(nearer + eye.right.dot(corner).abs() / tangents.x);
                above = above.max(nearer + upwards);
                below = below.max(nearer - upwards);
            }
        }
        let (height, level) = elevation.sin_cos();
        let upwards = level.abs().max(1e-3) / tangents.y;
        let rise = (0.5 * (above - below) / upwards).clamp(-0.5 * world.z, 0.5 * world.z);
        let [beside, above, below] =
            [beside, above - upwards * rise, below + upwards * rise].map(|one| one - height * rise);
        let distance = beside.max(above).max(below);
        (Self::at(angles.azimuth.to_radians(), elevation, distance), rise)
    }

    /// An eye behind something with this velocity, looking along it and `above` degrees downwards. An agent that
    /// does not move heads along the x axis, as elsewhere. A vertical heading has an x axis to its
    /// right.
    #[must_use]
    pub fn behind(velocity: Point, above: f32, distance: f32) -> Self {
        let ahead = velocity.try_normalize().unwrap_or(Point::X);
        let right = ahead.cross(Point::Z).try_normalize().unwrap_or(Point::X);
        let up = right.cross(ahead);
        let (sine, cosine) = above.to_radians().sin_cos();
        let (back, up) = (up * sine - ahead * cosine, up * cosine + ahead * sine);
        Self { right, up, back, distance, near: 0.0 }.at_distance(distance)
    }

    /// The same eye, turned anticlockwise about its view; radians.
    #[must_use]
    pub fn rolled(self, angle: f32) -> Self {
        if angle == 0.0 {
            return self;
        }
        let (sine, cosine) = angle.sin_cos();
        let (right, up) = (self.right, self.up);
        Self { right: right * cosine + up * sine, up: up * cosine - right * sine, ..self }
    }

    /// An eye whose axes have turned by a share of the way to the axes of another, at the distance of
    /// that.
    #[must_use]
    pub fn towards(&self, other: &Self, share: f32) -> Self {
        let mix = |own: Point, other: Point| own + (other - own) * share;
        let back = mix(self.back, other.back).try_normalize();
        let back = back.filter(|back| back.is_finite()).unwrap_or(other.back);
        let up = mix(self.up, other.up);
        // Opposite directions have nothing between them.
        match (up - back * back.dot(up)).try_normalize() {
            Some(up) if up.is_finite() => Self { right: up.cross(back), up, back, ..*other },
            _ => *other,
        }
    }

    /// How far an offset from the focus is before the eye.
    #[inline]
    #[must_use]
    pub fn depth(&self, offset: Point) -> f32 {
        self.distance - self.back.dot(offset)
    }

    /// The place of the eye relative to its focus.
    #[must_use]
    pub fn place(&self) -> Point {
        self.back * self.distance
    }

    /// The angles that give these axes; without the field of view.
    #[must_use]
    pub fn angles(&self) -> Angles {
        // The level direction to the right. Straight above or below, the picture's right.
        let level = Point::new(-self.back.y, self.back.x, 0.0);
        let right = if level.length_squared() > 1e-9 { level.normalize() } else { self.right };
        let rotation = self.right.dot(self.back.cross(right)).atan2(self.right.dot(right));
        Angles {
            azimuth: right.y.atan2(right.x).to_degrees(),
            elevation: self.back.z.clamp(-1.0, 1.0).asin().to_degrees(),
            rotation: if rotation.abs() < 1e-4 { 0.0 } else { rotation.to_degrees() },
            fov: 0.0,
        }
    }

    /// The eye after it has gone to the left and up round its focus; radians. Its horizon is level
    /// then.
    #[must_use]
    pub fn orbited(&self, left: f32, up: f32) -> Self {
        let Angles { azimuth, elevation, .. } = self.angles();
        let elevation = (elevation.to_radians() + up).clamp(-MAX_ELEVATION, MAX_ELEVATION);
        Self::at(azimuth.to_radians() + left, elevation, self.distance)
    }
}

/// The corners of a box from the origin to `size`.
#[must_use]
pub fn corners(size: Point) -> [Point; 8] {
    std::array::from_fn(|number| {
        let side = |bit: usize| if number >> bit & 1 == 1 { 1.0 } else { 0.0 };
        size * Point::new(side(0), side(1), side(2))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Camera, Followed};
    use flockwork_model::scene::CameraPlan;
    use flockwork_model::world::{Boundary, World};

    fn world() -> World {
        World { size: Point::new(200.0, 100.0, 60.0), boundary: Boundary::Open }
    }

    fn is_frame(eye: &Eye) -> bool {
        let axes = [eye.right, eye.up, eye.back];
        axes.iter().all(|axis| (axis.length() - 1.0).abs() < 1e-5)
            && (eye.right.cross(eye.up) - eye.back).length() < 1e-5
    }

    #[test]
    fn every_direction_has_three_axes_and_the_angles_that_made_them() {
        for azimuth in [-170.0_f32, -90.0, 0.0, 30.0, 90.0, 135.0] {
            for elevation in [-90.0_f32, -45.0, 0.0, 15.0, 89.0, 90.0] {
                let eye = Eye::at(azimuth.to_radians(), elevation.to_radians(), 5.0);
                assert!(is_frame(&eye), "{azimuth} {elevation}: {eye:?}");
                for roll in [0.0_f32, 20.0, -100.0] {
                    let angles = eye.rolled(roll.to_radians()).angles();
                    assert!(is_frame(&eye.rolled(roll.to_radians())));
                    assert!((angles.elevation - elevation).abs() < 0.1, "{angles:?}");
                    // Straight above, a roll is a change of the azimuth.
                    if elevation.abs() < 90.0 {
                        assert!((angles.azimuth - azimuth).abs() < 0.1, "{azimuth}: {angles:?}");
                        assert!((angles.rotation - roll).abs() < 0.1, "{roll}: {angles:?}");
                    }
                }
                assert!(is_frame(&eye.orbited(3.0, 9.0)) && is_frame(&eye.orbited(-1.0, -9.0)));
            }
        }
        let (one, other) = (Eye::at(0.3, 0.2, 1.0), Eye::behind(Point::ONE, 14.0, 2.0));
        for share in [0.0, 0.1, 0.9, 1.0] {
            assert!(is_frame(&one.towards(&other, share)), "{share}");
            let upside_down = other.rolled(std::f32::consts::PI);
            assert!(is_frame(&other.towards(&upside_down, share)), "{share}");
        }
        assert!((one.towards(&other, 1.0).back - other.back).length() < 1e-5);
        let velocities = [Point::ZERO, Point::X, Point::Z, -Point::Z, Point::new(1e-9, 0.0, 3.0)];
        for velocity in velocities {
            assert!(is_frame(&Eye::behind(velocity, 14.0, 3.0)), "{velocity}");
        }
    }

    #[test]
    fn straight_above_a_space_is_a_plane_with_y_up() {
        let eye = Eye::at(0.0, 90.0_f32.to_radians(), 1.0);
        let off = (eye.right - Point::X).length() + (eye.up - Point::Y).length();
        assert!(off + (eye.back - Point::Z).length() < 1e-6, "{eye:?}");
        let level = Eye::at(0.0, 0.0, 1.0);
        assert_eq!((level.right, level.up, level.back), (Point::X, Point::Z, -Point::Y));
    }

    #[test]
    fn the_whole_box_is_in_the_picture_from_every_side_and_fills_it() {
        let text = "world = { size = [200, 100, 60] }\n[species.a]\n[camera]\n";
        for (size, keys) in [
            ((1280, 720), ""),
            ((300, 900), "elevation = 70"),
            ((640, 640), "elevation = -20\nfov = 100"),
            ((640, 360), "elevation = 90\nrotation = 0"),
        ] {
            let scene = flockwork_model::scene::Scene::parse("test", &format!("{text}{keys}\n"));
            let scene = scene.unwrap();
            let (mut least, (width, height)) = (f32::MAX, (size.0 as f32, size.1 as f32));
            let (mut above, mut below) = (f32::MAX, f32::MAX);
            for tick in (0..3600).step_by(100) {
                let camera = Camera::of(&scene, tick, None, size);
                for corner in corners(scene.world.size) {
                    let seen = camera.seen(corner).unwrap();
                    let pixel = seen.pixel;
                    least =
                        least.min(pixel.x.min(width - pixel.x).min(pixel.y).min(height - pixel.y));
                    (above, below) = (above.min(pixel.y), below.min(height - pixel.y));
                    assert_eq!(pixel, camera.pixel_from_world(corner));
                }
            }
            let side = width.min(height);
            assert!(least > 0.0 && least < 0.08 * side, "{size:?} {keys}: {least}");
            // Where the sides of the picture limit the size, there is room over and under the box.
            let even = (above - below).abs() < 0.02 * side;
            assert!(even || least < above.min(below), "{size:?} {keys}: {above}, {below}");
        }
    }

    #[test]
    fn a_pixel_shows_the_place_on_the_plane_through_the_focus() {
        let mut camera = Camera::fit(&world(), 640, 360);
        camera.orbit(Vec2::new(33.0, -21.0));
        for pixel in [Vec2::ZERO, Vec2::new(500.0, 20.0), Vec2::new(320.0, 180.0)] {
            let place = camera.world_from_pixel(pixel);
            let seen = camera.seen(place).unwrap();
            assert!(seen.pixel.distance(pixel) < 1e-2, "{pixel} {seen:?}");
            let distance = camera.eye.unwrap().distance;
            assert!((seen.depth / distance - 1.0).abs() < 1e-4);
            let mut nearer = camera;
            nearer.zoom_at(pixel, 1.7);
            assert!(nearer.pixel_from_world(place).distance(pixel) < 0.05);
            assert!((nearer.eye.unwrap().distance * 1.7 / distance - 1.0).abs() < 1e-4);
            let mut moved = camera;
            moved.pan(Vec2::new(10.0, -20.0));
            let after = moved.pixel_from_world(place);
            assert!(after.distance(pixel + Vec2::new(10.0, -20.0)) < 0.05, "{after}");
        }
        let angles = camera.angles().unwrap();
        let plan = CameraPlan::default();
        assert!((angles.fov - plan.fov).abs() < 1e-3, "{angles:?}");
        // A drag to the right turns the world to the right: the eye goes to the left.
        assert!(angles.azimuth < plan.azimuth && angles.elevation < plan.elevation);
    }

    #[test]
    fn what_is_behind_the_eye_is_not_seen() {
        let camera = Camera::fit(&world(), 640, 360);
        let eye = camera.eye.unwrap();
        let place = camera.centre + eye.place();
        for place in [place, place + eye.back, place - eye.back * eye.near * 0.9, place * f32::NAN]
        {
            assert_eq!(camera.seen(place), None);
        }
        assert!(camera.pixel_from_world(place).is_finite());
        assert!(camera.seen(place - eye.back * eye.near * 1.1).is_some());
    }

    #[test]
    fn a_camera_rides_behind_its_agent() {
        let text = "world = { size = [200, 100, 60] }\n[species.a]\n\
                    [camera]\nfollow = 3\nride = true\n";
        let scene = flockwork_model::scene::Scene::parse("test", text).unwrap();
        let place = Point::new(190.0, 50.0, 10.0);
        for velocity in [Point::X, Point::new(0.0, -2.0, 0.5), Point::Z, Point::ZERO] {
            let followed = Some(Followed { place, velocity, size: 2.0 });
            let camera = Camera::of(&scene, 7, followed, (640, 360));
            let ahead = velocity.try_normalize().unwrap_or(Point::X);
            let eye = camera.eye.unwrap();
            assert_eq!(camera.centre, place);
            assert!(eye.place().dot(ahead) < -20.0, "{velocity}: {eye:?}");
            // A place ahead is higher in the picture, in the middle of it.
            let seen = camera.seen(place + ahead * 100.0).unwrap();
            assert!((seen.pixel.x - 320.0).abs() < 0.5 && seen.pixel.y < 170.0, "{seen:?}");
            assert_eq!(camera.period, scene.world.size);
        }
    }
}
