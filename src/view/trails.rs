//! Trails: what agents leave behind, which fades from tick to tick.
//!
//! Either renderer draws the agents alone, once a tick. Their light is kept here and fades, so trails do
//! not depend on how many frames a film has.

use glam::Vec2;
use rayon::prelude::*;

use super::camera::Camera;
use super::frame::Frame;

/// The light of a fresh trail, as a share of its agent's.
const SHARE: f32 = 1.0 / 3.0;

/// Half-lives after which no trail is left to see: less than one of 255.
const VISIBLE: u64 = 8;

/// Red, green, blue and alpha, multiplied by alpha.
type Light = [f32; 4];

/// The trails in a picture.
#[derive(Clone, Debug)]
pub struct Trails {
    /// The share of the light that is left after a tick.
    fading: f32,
    camera: Camera,
    /// In the order of the picture's pixels; empty before the first tick.
    light: Vec<Light>,
}

/// Number of ticks that leave visible trails of this half-life.
#[must_use]
pub fn visible_ticks(half_life: f32) -> u64 {
    VISIBLE * half_life.ceil() as u64
}

impl Trails {
    /// No trails yet. They fade by half in `half_life` ticks.
    #[must_use]
    pub fn new(half_life: f32, camera: &Camera) -> Self {
        Self { fading: (-half_life.recip()).exp2(), camera: *camera, light: Vec::new() }
    }

    /// A tick: all trails fade, and `agents`, a picture without a background as seen by `camera`, add
    /// theirs. If the camera has moved, the trails stay where they are in the world.
    pub fn add(&mut self, agents: &Frame, camera: &Camera) {
        let pixels = (agents.width as usize) * (agents.height as usize);
        if self.light.len() != pixels {
            self.light = vec![Light::default(); pixels];
        } else if self.camera != *camera {
            self.light = self.seen_by(camera, agents.width as usize);
        }
        self.camera = *camera;
        let fading = self.fading;
        let fresh = agents.pixels.par_chunks_exact(4).with_min_len(1 << 14);
        self.light.par_iter_mut().zip(fresh).for_each(|(light, agent)| {
            for (light, channel) in light.iter_mut().zip(agent) {
                *light = (*light * fading).max(f32::from(*channel) * SHARE);
            }
        });
    }

    /// The light as another camera sees it, interpolated between four pixels.
    fn seen_by(&self, camera: &Camera, width: usize) -> Vec<Light> {
        let at = |column: i64, row: i64| {
            let inside = column >= 0 && row >= 0 && (column as usize) < width;
            let light =
                if inside { self.light.get(row as usize * width + column as usize) } else { None };
            light.copied().unwrap_or_default()
        };
        // A camera that follows an agent of a space jumps where the agent crosses an edge.
        let jump = self.camera.image(camera.centre) - camera.centre;
        let pixel = |index: usize| {
            let middle = Vec2::new((index % width) as f32 + 0.5, (index / width) as f32 + 0.5);
            let seen = camera.world_from_pixel(middle);
            let place = match camera.eye {
                Some(_) => seen + jump,
                // Agents are drawn once, and so are their trails: not in the other images of a wrapped world.
                None if camera.image(seen) != seen => return Light::default(),
                None => self.camera.image(seen),
            };
            let before = self.camera.pixel_from_world(place) - 0.5;
            let corner = before.floor();
            let share = before - corner;
            let (column, row) = (corner.x as i64, corner.y as i64);
            let weights = [(1.0 - share.x) * (1.0 - share.y), share.x * (1.0 - share.y)]
                .into_iter()
                .chain([(1.0 - share.x) * share.y, share.x * share.y]);
            let places = [(0, 0), (1, 0), (0, 1), (1, 1)];
            let mut light = Light::default();
            for ((right, down), weight) in places.into_iter().zip(weights) {
                let one = at(column + right, row + down);
                light.iter_mut().zip(one).for_each(|(sum, channel)| *sum += weight * channel);
            }
            light
        };
        (0..self.light.len()).into_par_iter().map(pixel).collect()
    }

    /// Draws the trails over `behind`, and the `agents` over the trails.
    #[must_use]
    pub fn picture(&self, mut behind: Frame, agents: &Frame) -> Frame {
        let pixels = behind.pixels.par_chunks_exact_mut(4).with_min_len(1 << 14);
        let above = self.light.par_iter().zip(agents.pixels.par_chunks_exact(4));
        pixels.zip(above).for_each(|(pixel, (trail, agent))| {
            let (under, left) = (1.0 - trail[3] / 255.0, 1.0 - f32::from(agent[3]) / 255.0);
            for (channel, (trail, agent)) in pixel.iter_mut().zip(trail.iter().zip(agent)) {
                let behind = f32::from(*channel) * under + trail;
                *channel = (behind * left + f32::from(*agent) + 0.5) as u8;
            }
        });
        behind
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::vector::flat;
    use flockwork_model::world::{Boundary, World};

    fn camera() -> Camera {
        let world = World { size: flat(40.0, 20.0), boundary: Boundary::Open };
        Camera::fit(&world, 40, 20)
    }

    /// A picture of one white pixel.
    fn dot(column: usize) -> Frame {
        let mut frame = Frame::transparent(40, 20);
        frame.pixels[4 * (10 * 40 + column)..][..4].fill(255);
        frame
    }

    #[test]
    fn a_trail_is_a_third_as_light_and_fades_by_half() {
        let mut trails = Trails::new(4.0, &camera());
        for column in 5..25 {
            trails.add(&dot(column), &camera());
        }
        let behind = Frame::filled(40, 20, [0; 3]);
        let frame = trails.picture(behind, &dot(24));
        let light = |column| frame.rgb(column, 10).unwrap()[0];
        assert_eq!([light(24), light(4), light(25)], [255, 0, 0]);
        for (age, wanted) in [(4, 42.5), (8, 21.25), (16, 5.3)] {
            let found = f32::from(light(24 - age));
            assert!((found - wanted).abs() < 1.0, "{age}: {found}");
        }
        assert!(visible_ticks(4.0) >= 32);
    }

    #[test]
    fn trails_stay_in_the_world_when_the_camera_moves() {
        let mut trails = Trails::new(1e6, &camera());
        trails.add(&dot(10), &camera());
        let empty = Frame::transparent(40, 20);
        let mut moved = camera();
        moved.pan(Vec2::new(7.0, 0.0));
        trails.add(&empty, &moved);
        let lit = |trails: &Trails| -> Vec<u32> {
            let frame = trails.picture(Frame::filled(40, 20, [0; 3]), &empty);
            (0..40).filter(|x| frame.rgb(*x, 10).unwrap()[0] > 40).collect()
        };
        assert_eq!(lit(&trails), [17]);

        // A wrapped world that is narrower than the picture is drawn once.
        let period = flat(8.0, 20.0);
        let camera = Camera { period, ..camera() };
        let mut trails = Trails::new(1e6, &camera);
        trails.add(&dot(18), &camera);
        let mut moved = camera;
        moved.pan(Vec2::new(1.0, 0.0));
        trails.add(&empty, &moved);
        assert_eq!(lit(&trails), [19]);
        // A trail that leaves the image comes back at its other side.
        moved.pan(Vec2::new(6.0, 0.0));
        trails.add(&empty, &moved);
        assert_eq!(lit(&trails), [17]);
    }
}
