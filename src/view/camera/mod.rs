//! The part of the world that a picture shows, and its scale.

mod centre_of_mass;
mod eye;
mod sampling;

use glam::Vec2;

use centre_of_mass::centre_of_mass;
pub use eye::{Angles, Eye, Seen, corners};
use flockwork_engine::HostAgents;
use flockwork_model::scene::{CameraPlan, Follow, Scene, View};
use flockwork_model::state::FlockState;
use flockwork_model::vector::{Point, flat};
use flockwork_model::world::{Boundary, World};

/// A view of the plane from above, or of a space in perspective. Pixels count from the top left corner, y
/// downwards; the plane's y axis points up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The world position in the middle of the picture: in space the focus, which the eye looks at.
    pub centre: Point,
    /// Pixels per world unit; in space at the focus.
    pub pixels_per_unit: f32,
    /// Width and height of the picture in pixels.
    pub size: Vec2,
    /// Cosine and sine of the angle by which the camera is turned anticlockwise. In space the eye has
    /// it.
    pub turn: Vec2,
    /// The size of a wrapped world that continues beyond its edges: each thing is shown at the place
    /// nearest to the middle. Zero if it does not.
    pub period: Point,
    /// How a space is seen; `None` for a plane.
    pub eye: Option<Eye>,
    /// True if edges stay jagged, as in one of many pictures whose mean is a frame: their mean is smooth.
    pub sharp: bool,
}

/// The agents that a camera follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Followed {
    /// World units.
    pub place: Point,
    /// The velocity of an agent; zero for a centre of mass.
    pub velocity: Point,
    /// The size of an agent; 0 for a centre of mass. World units.
    pub size: f32,
}

/// The turn of a camera that stands upright.
pub const UPRIGHT: Vec2 = Vec2::new(1.0, 0.0);

/// The distance from which a camera rides behind an agent; sizes of the agent.
const BEHIND: f32 = 16.0;

/// How far it looks down on the agent; degrees.
const ABOVE: f32 = 14.0;

/// The range of [`Camera::pixels_per_unit`].
const SCALES: (f32, f32) = (1e-6, 1e4);

impl Camera {
    /// Fits the whole world into `width` × `height` pixels. A space is seen as a scene without a camera
    /// shows it at its start.
    #[must_use]
    pub fn fit(world: &World, width: u32, height: u32) -> Self {
        Self::whole(world, &CameraPlan::default().at(0.0), (width, height))
    }

    /// The whole world from where a view stands.
    fn whole(world: &World, view: &View, (width, height): (u32, u32)) -> Self {
        let size = Vec2::new(width as f32, height as f32);
        let flat = Self {
            centre: world.size * 0.5,
            pixels_per_unit: (size / world.size.truncate()).min_element(),
            size,
            turn: UPRIGHT,
            period: Point::ZERO,
            eye: None,
            sharp: false,
        };
        if world.is_flat() {
            return flat;
        }
        let angles = Angles::of(view);
        let (eye, rise) = Eye::whole(world.size, size, angles);
        let level = Self { centre: flat.centre + Point::Z * rise, ..flat };
        level.seen_from(eye, angles.fov)
    }

    /// The same middle seen by an eye whose picture has this angle on its shorter side; degrees.
    fn seen_from(self, eye: Eye, fov: f32) -> Self {
        let focal = 0.5 * self.size.min_element() / (0.5 * fov.to_radians()).tan();
        Self { pixels_per_unit: focal / eye.distance, eye: Some(eye), ..self }
    }

    /// The camera of what is seen in a mirror at the bottom of a space, where it is seen, in a picture of half
    /// the size.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let flip = |point: Point| point * Point::new(1.0, 1.0, -1.0);
        let eye = |eye: Eye| {
            let Eye { right, up, back, .. } = eye;
            Eye { right: flip(right), up: flip(up), back: flip(back), ..eye }
        };
        Self {
            centre: flip(self.centre),
            size: (self.size * 0.5).ceil(),
            pixels_per_unit: self.pixels_per_unit * 0.5,
            eye: self.eye.map(eye),
            ..*self
        }
    }

    /// The scene's own view at a tick. `followed` is what the camera follows, where it follows something.
    #[must_use]
    pub fn of(scene: &Scene, tick: u64, followed: Option<Followed>, size: (u32, u32)) -> Self {
        Self::at(scene, tick as f64, followed, size)
    }

    /// The same at a tick or between two.
    #[must_use]
    pub fn at(
        scene: &Scene,
        tick: f64,
        followed: Option<Followed>,
        (width, height): (u32, u32),
    ) -> Self {
        let view = scene.camera.at(tick);
        let whole = Self::whole(&scene.world, &view, (width, height));
        let View { centre, zoom, rotation, .. } = view;
        let endless = followed.is_some() && scene.world.boundary == Boundary::Wrap;
        let place = followed.map(|followed| followed.place);
        let level = Self {
            centre: place.or(centre).unwrap_or(whole.centre),
            period: if endless { scene.world.size } else { Point::ZERO },
            ..whole
        };
        let Some(eye) = whole.eye else {
            let pixels_per_unit = (whole.pixels_per_unit * zoom).clamp(SCALES.0, SCALES.1);
            let turn =
                if rotation == 0.0 { UPRIGHT } else { Vec2::from_angle(rotation.to_radians()) };
            return Self { pixels_per_unit, turn, ..level };
        };
        let eye = match followed {
            Some(Followed { velocity, size, .. }) if scene.camera.ride => {
                Eye::behind(velocity, ABOVE, BEHIND * size.max(1e-3))
            }
            _ => eye,
        };
        let mut camera = level.seen_from(eye.rolled(rotation.to_radians()), view.fov);
        camera.magnify(zoom);
        camera
    }

    /// The position that the scene's camera follows; `None` if it follows nothing, or an agent that is not there.
    #[must_use]
    pub fn followed(scene: &Scene, state: &FlockState) -> Option<Followed> {
        Self::followed_among(scene, &HostAgents::from(state))
    }

    /// The same for agents in the memory of the host.
    #[must_use]
    pub fn followed_among(scene: &Scene, agents: &HostAgents<'_>) -> Option<Followed> {
        let ([x, y, z], [vx, vy, vz]) = (agents.position, agents.velocity);
        let is_flat = scene.world.is_flat();
        let height = |row: usize| if is_flat { 0.0 } else { z.get(row) };
        let place = |row: usize| Point::new(x.get(row), y.get(row), height(row));
        match scene.camera.follow {
            Follow::None => None,
            Follow::Agent(id) => {
                let row = agents.id.iter().position(|own| *own == id)?;
                let species = agents.species.get(row).map(|own| usize::from(*own));
                let species = species.and_then(|own| scene.species.get(own));
                let followed = Followed {
                    place: place(row),
                    velocity: Point::new(vx.get(row), vy.get(row), vz.get(row)),
                    size: species.map_or(1.0, |species| species.body.size),
                };
                Some(followed).filter(|followed| followed.place.is_finite())
            }
            Follow::Centre => {
                let place = centre_of_mass(&scene.world, agents.len(), place)?;
                Some(Followed { place, velocity: Point::ZERO, size: 0.0 })
            }
        }
    }

    /// A direction in the world as a direction in the picture; y counts downwards. In space the direction of a
    /// thing at the focus.
    #[must_use]
    pub fn turned(&self, direction: Point) -> Vec2 {
        if let Some(eye) = &self.eye {
            return Vec2::new(eye.right.dot(direction), -eye.up.dot(direction));
        }
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
        let mut image = position;
        for axis in 0..3 {
            if self.period[axis] != 0.0 {
                let times = (position[axis] - self.centre[axis]) / self.period[axis];
                image[axis] = position[axis] - self.period[axis] * times.round_ties_even();
            }
        }
        image
    }

    /// Where a world position is seen: in space in perspective, and `None` behind the eye or too near to
    /// it.
    #[must_use]
    pub fn seen(&self, position: Point) -> Option<Seen> {
        let Some(eye) = &self.eye else {
            let pixel = self.pixel_from_world(position);
            return Some(Seen { pixel, depth: 1.0, pixels_per_unit: self.pixels_per_unit });
        };
        let offset = position - self.centre;
        let depth = eye.depth(offset);
        // Also false for positions that are not finite.
        (depth >= eye.near).then(|| self.at_depth(eye, offset, depth))
    }

    fn at_depth(&self, eye: &Eye, offset: Point, depth: f32) -> Seen {
        let pixels_per_unit = self.pixels_per_unit * (eye.distance / depth);
        let pixel = self.size * 0.5 + self.turned(offset) * pixels_per_unit;
        Seen { pixel, depth, pixels_per_unit }
    }

    /// The pixel that shows a world position. In space, a position behind the eye has the pixel of one
    /// just before it.
    #[must_use]
    pub fn pixel_from_world(&self, position: Point) -> Vec2 {
        if let Some(eye) = &self.eye {
            let offset = position - self.centre;
            return self.at_depth(eye, offset, eye.depth(offset).max(eye.near)).pixel;
        }
        self.size * 0.5 + self.turned((position - self.centre) * self.pixels_per_unit)
    }

    /// The world position that a pixel shows; in space the one on the plane through the focus that faces
    /// the eye.
    #[must_use]
    pub fn world_from_pixel(&self, pixel: Vec2) -> Point {
        self.centre + self.unturned(pixel - self.size * 0.5) / self.pixels_per_unit
    }

    /// A direction in the picture as a direction in the world.
    fn unturned(&self, direction: Vec2) -> Point {
        let (x, y) = (direction.x, -direction.y);
        if let Some(eye) = &self.eye {
            return eye.right * x + eye.up * y;
        }
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
        self.magnify(factor);
        self.centre += fixed - self.world_from_pixel(pixel);
    }

    /// Magnifies by `factor`: in space the eye goes nearer to the focus.
    fn magnify(&mut self, factor: f32) {
        let before = self.pixels_per_unit;
        self.pixels_per_unit = (before * factor).clamp(SCALES.0, SCALES.1);
        if let Some(eye) = &mut self.eye {
            *eye = eye.at_distance(eye.distance * before / self.pixels_per_unit);
        }
    }

    /// The same view in a picture of another size: `ratio` times as many pixels per world unit.
    #[must_use]
    pub fn resized(&self, size: Vec2, ratio: f32) -> Self {
        Self { size, pixels_per_unit: self.pixels_per_unit * ratio, ..*self }
    }

    /// In space: goes round the focus by a drag of `pixels`, as far as the eye is over the focus or under
    /// it. Half a turn is as wide as the shorter side of the picture.
    pub fn orbit(&mut self, pixels: Vec2) {
        let angle = pixels * (std::f32::consts::PI / self.size.min_element().max(1.0));
        if let Some(eye) = &mut self.eye {
            *eye = eye.orbited(-angle.x, angle.y);
        }
    }

    /// In space: goes a share of the way to a place behind an agent, which is in the middle of the
    /// picture. The distance stays, but for one that is far from what the agent's size asks for.
    pub fn ride(&mut self, agent: &Followed, share: f32) {
        let Some(eye) = &mut self.eye else { return };
        let own = BEHIND * agent.size.max(1e-3);
        let focal = self.pixels_per_unit * eye.distance;
        let wanted = eye.distance.clamp(own * 0.2, own * 5.0);
        let distance = eye.distance + (wanted - eye.distance) * share;
        *eye = eye.towards(&Eye::behind(agent.velocity, ABOVE, distance), share);
        self.pixels_per_unit = focal / distance;
    }

    /// In space: what the eye sees as a view of a scene, as far as it is one.
    #[must_use]
    pub fn angles(&self) -> Option<Angles> {
        let eye = self.eye.as_ref()?;
        let half = 0.5 * self.size.min_element() / (self.pixels_per_unit * eye.distance);
        Some(Angles { fov: 2.0 * half.atan().to_degrees(), ..eye.angles() })
    }
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
}
