//! The part of the world that a picture shows, and its scale.

use std::f64::consts::TAU;

use glam::Vec2;
use rayon::prelude::*;

use crate::engine::HostAgents;
use crate::model::scene::{Follow, Scene, View};
use crate::model::state::FlockState;
use crate::model::vector::{Point, flat};
use crate::model::world::{Boundary, World};

/// A view of the plane from above. Pixels count from the top left corner, y downwards; the world's
/// y axis points up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The world position in the middle of the picture.
    pub centre: Point,
    /// Pixels per world unit.
    pub pixels_per_unit: f32,
    /// Width and height of the picture in pixels.
    pub size: Vec2,
    /// Cosine and sine of the angle by which the camera is turned anticlockwise.
    pub turn: Vec2,
    /// The size of a wrapped world that continues beyond its edges: each thing is shown at the place
    /// nearest to the middle. Zero if it does not.
    pub period: Point,
}

/// The turn of a camera that stands upright.
pub const UPRIGHT: Vec2 = Vec2::new(1.0, 0.0);

impl Camera {
    /// Fits the whole world into `width` × `height` pixels.
    #[must_use]
    pub fn fit(world: &World, width: u32, height: u32) -> Self {
        let size = Vec2::new(width as f32, height as f32);
        let pixels_per_unit = (size / world.size.truncate()).min_element();
        Self { centre: world.size * 0.5, pixels_per_unit, size, turn: UPRIGHT, period: Point::ZERO }
    }

    /// The scene's own view at a tick. `followed` is where the camera follows something.
    #[must_use]
    pub fn of(
        scene: &Scene,
        tick: u64,
        followed: Option<Point>,
        (width, height): (u32, u32),
    ) -> Self {
        let whole = Self::fit(&scene.world, width, height);
        let View { centre, zoom, rotation } = scene.camera.at(tick);
        let endless = followed.is_some() && scene.world.boundary == Boundary::Wrap;
        Self {
            centre: followed.or(centre).unwrap_or(whole.centre),
            pixels_per_unit: (whole.pixels_per_unit * zoom).clamp(1e-6, 1e4),
            turn: if rotation == 0.0 { UPRIGHT } else { Vec2::from_angle(rotation.to_radians()) },
            period: if endless { scene.world.size } else { Point::ZERO },
            ..whole
        }
    }

    /// The place of what the scene's camera follows; `None` if it follows nothing, or an agent that is
    /// not there.
    #[must_use]
    pub fn followed(scene: &Scene, state: &FlockState) -> Option<Point> {
        Self::followed_among(scene, &HostAgents::from(state))
    }

    /// The same for agents in the memory of the host.
    #[must_use]
    pub fn followed_among(scene: &Scene, agents: &HostAgents<'_>) -> Option<Point> {
        let [x, y, _] = agents.position;
        let place = |row: usize| flat(x.get(row), y.get(row));
        match scene.camera.follow {
            Follow::None => None,
            Follow::Agent(id) => {
                let row = agents.id.iter().position(|own| *own == id)?;
                Some(place(row)).filter(|place| place.is_finite())
            }
            Follow::Centre => centre_of_mass(&scene.world, agents.len(), place),
        }
    }

    /// A direction in the world as a direction in the picture; y counts downwards.
    #[must_use]
    pub fn turned(&self, direction: Point) -> Vec2 {
        let Point { x, y, .. } = direction;
        let (cosine, sine) = (self.turn.x, self.turn.y);
        Vec2::new(x * cosine + y * sine, -(y * cosine - x * sine))
    }

    /// The image of a world position that is shown.
    #[must_use]
    pub fn image(&self, position: Point) -> Point {
        if self.period == Point::ZERO {
            return position;
        }
        let times = (position - self.centre) / self.period;
        position - self.period * flat(times.x.round_ties_even(), times.y.round_ties_even())
    }

    /// The pixel that shows a world position.
    #[must_use]
    pub fn pixel_from_world(&self, position: Point) -> Vec2 {
        self.size * 0.5 + self.turned((position - self.centre) * self.pixels_per_unit)
    }

    /// The world position that a pixel shows.
    #[must_use]
    pub fn world_from_pixel(&self, pixel: Vec2) -> Point {
        self.centre + self.unturned(pixel - self.size * 0.5) / self.pixels_per_unit
    }

    /// A direction in the picture as a direction in the world.
    fn unturned(&self, direction: Vec2) -> Point {
        let (x, y) = (direction.x, -direction.y);
        let (cosine, sine) = (self.turn.x, self.turn.y);
        flat(x * cosine - y * sine, y * cosine + x * sine)
    }

    /// Moves the picture with a drag of `pixels`.
    pub fn pan(&mut self, pixels: Vec2) {
        self.centre -= self.unturned(pixels) / self.pixels_per_unit;
    }

    /// Magnifies by `factor`; the world position under `pixel` stays in place.
    pub fn zoom_at(&mut self, pixel: Vec2, factor: f32) {
        let fixed = self.world_from_pixel(pixel);
        self.pixels_per_unit = (self.pixels_per_unit * factor).clamp(1e-6, 1e4);
        self.centre += fixed - self.world_from_pixel(pixel);
    }
}

/// Agents that one thread adds up at a time.
const PART: usize = 1 << 12;

/// The centre of mass of `count` places; in a wrapped world a circular mean on each axis, because the
/// mean of two places on both sides of the seam is not in the middle of the world. `None` without
/// agents.
fn centre_of_mass(
    world: &World,
    count: usize,
    place: impl Fn(usize) -> Point + Sync,
) -> Option<Point> {
    let wraps = world.boundary == Boundary::Wrap;
    // The number of places, and on each axis a sum, or the sums of sines and cosines.
    let sums_of = |part: usize| {
        let mut sums = [0.0_f64; 5];
        let rows = part * PART..((part + 1) * PART).min(count);
        for place in rows.map(&place).filter(|place| place.is_finite()) {
            sums[0] += 1.0;
            for (axis, (at, size)) in
                [(place.x, world.size.x), (place.y, world.size.y)].into_iter().enumerate()
            {
                let (sine, cosine) = match wraps {
                    true => (TAU * f64::from(at / size)).sin_cos(),
                    false => (f64::from(at), 0.0),
                };
                sums[1 + 2 * axis] += sine;
                sums[2 + 2 * axis] += cosine;
            }
        }
        sums
    };
    // Parts of one size, added up in order: the same on any number of threads.
    let parts: Vec<_> = (0..count.div_ceil(PART)).into_par_iter().map(sums_of).collect();
    let [known, sums @ ..] = parts.iter().fold([0.0; 5], |mut all, part| {
        all.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        all
    });
    let along = |size: f32, sine: f64, cosine: f64| match wraps {
        true => (sine.atan2(cosine).rem_euclid(TAU) / TAU) as f32 * size,
        false => (sine / known) as f32,
    };
    let centre = flat(along(world.size.x, sums[0], sums[1]), along(world.size.y, sums[2], sums[3]));
    (known > 0.0).then_some(centre)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        let world = World { size: flat(640.0, 360.0), boundary: Boundary::Wrap };
        Camera::fit(&world, 1280, 800)
    }

    #[test]
    fn the_world_fits_the_picture_and_points_up() {
        let camera = camera();
        assert_eq!(camera.pixel_from_world(Point::ZERO), Vec2::new(0.0, 760.0));
        assert_eq!(camera.pixel_from_world(flat(640.0, 360.0)), Vec2::new(1280.0, 40.0));
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        let mut camera = camera();
        let pixel = Vec2::new(100.0, 700.0);
        let before = camera.world_from_pixel(pixel);
        camera.zoom_at(pixel, 7.0);
        assert!(camera.world_from_pixel(pixel).distance(before) < 1e-3);
    }

    #[test]
    fn a_turned_camera_turns_the_picture_the_other_way() {
        let upright = camera();
        let camera = Camera { turn: Vec2::from_angle(0.7), ..upright };
        for pixel in [Vec2::ZERO, Vec2::new(900.0, 20.0)] {
            let place = camera.world_from_pixel(pixel);
            assert!(camera.pixel_from_world(place).distance(pixel) < 1e-2);
        }
        // Turned to the left, it sees what was ahead on the right.
        let ahead = Camera { turn: Vec2::Y, ..upright }.turned(Point::Y);
        assert!(ahead.distance(Vec2::X) < 1e-6, "{ahead}");
        let mut panned = camera;
        let pixel = Vec2::new(33.0, 44.0);
        let before = panned.world_from_pixel(pixel);
        panned.pan(Vec2::new(10.0, -20.0));
        let after = panned.pixel_from_world(before);
        assert!(after.distance(pixel + Vec2::new(10.0, -20.0)) < 1e-2, "{after}");
    }

    #[test]
    fn the_centre_of_mass_crosses_the_seam() {
        let wrapped = World { size: flat(100.0, 50.0), boundary: Boundary::Wrap };
        let places = [flat(98.0, 10.0), flat(4.0, 20.0)];
        let centre = centre_of_mass(&wrapped, 2, |row| places[row]).unwrap();
        assert!(centre.distance(flat(1.0, 15.0)) < 1e-3, "{centre}");
        let walls = World { boundary: Boundary::Walls, ..wrapped };
        let centre = centre_of_mass(&walls, 2, |row| places[row]).unwrap();
        assert!(centre.distance(flat(51.0, 15.0)) < 1e-3, "{centre}");
        assert_eq!(centre_of_mass(&wrapped, 0, |row| places[row]), None);
        let camera = Camera { centre, period: wrapped.size, ..Camera::fit(&wrapped, 10, 10) };
        let camera = Camera { centre: flat(1.0, 15.0), ..camera };
        assert_eq!(camera.image(places[0]), flat(-2.0, 10.0));
    }
}
