//! Light and fog in a space.

use super::sky::{GROUND_STOPS, Sky};
use crate::camera::{Camera, Eye};
use crate::style::Backdrop;
use flockwork_model::scene::{Ground, Light, Scene};
use flockwork_model::vector::Point;

/// Light of the sun on a side that faces it, of the sky on one that faces up, of the ground on one that
/// faces down, and on all sides.
const SUN: f32 = 0.62;
const SKY: f32 = 0.3;
const GROUND: f32 = 0.1;
const BASE: f32 = 0.3;

/// Where the sun stands: to the left of the eye, above it and behind it (right, up, back).
const SUN_BEHIND: Point = Point::new(-0.5, 0.62, 0.6);

/// Where it stands over a floor, on which it casts shadows: in the world.
const SUN_ABOVE: Point = Point::new(-0.36, -0.3, 0.88);

/// The light on a picture's things, and how far they are seen. Plain numbers: `shaders/eye.wgsl` computes
/// the same from them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lighting {
    /// The direction to the sun; a unit vector.
    pub sun: Point,
    /// Light of the sun, the sky, the ground, and on all sides.
    pub light: [f32; 4],
    /// Where the world begins, and its fog; world units before the eye.
    pub depth_from: f32,
    /// Halvings of what is seen per world unit behind it.
    pub fog_per_unit: f32,
    /// The share of the world's length per world unit behind it.
    pub depth_per_unit: f32,
    /// Premultiplied colours from top to bottom; zeros where there is no background.
    pub ground: [[f32; 4]; GROUND_STOPS],
}

impl Lighting {
    /// The lighting of a picture of a scene, as seen by a camera with this eye. If `bare`, agents fade into
    /// nothing.
    #[must_use]
    pub fn of(scene: &Scene, camera: &Camera, eye: &Eye, bare: bool) -> Self {
        let style = &scene.style;
        let (size, middle) = (scene.world.size, scene.world.size * 0.5);
        let around =
            if camera.period == Point::ZERO { middle - camera.centre } else { Point::ZERO };
        let depth_from = (eye.depth(around) - 0.5 * size.max_element()).max(0.0);
        let lit =
            style.light == Light::Sun || style.light == Light::Auto && !style.background.is_sky();
        let sun = match (Sky::of(style), style.ground) {
            (Some(sky), _) => sky.sun,
            (None, Ground::Floor | Ground::Water) => SUN_ABOVE,
            (None, Ground::None) => {
                eye.right * SUN_BEHIND.x + eye.up * SUN_BEHIND.y + eye.back * SUN_BEHIND.z
            }
        };
        // Below the horizon it lights nothing.
        let risen = if Sky::of(style).is_some_and(|sky| sky.sun.z < 0.0) { 0.0 } else { SUN };
        let nothing = [[0.0; 4]; GROUND_STOPS];
        Self {
            sun: sun.normalize(),
            light: if lit { [risen, SKY, GROUND, BASE] } else { [0.0, 0.0, 0.0, 1.0] },
            depth_from,
            fog_per_unit: style.fog / size.max_element(),
            depth_per_unit: size.max_element().recip(),
            ground: if bare { nothing } else { Backdrop::of(&style.background).stops() },
        }
    }

    /// Lighting without fog or background, for what is drawn over a picture. Things are lit from the upper
    /// left.
    #[must_use]
    pub fn clear(eye: &Eye) -> Self {
        let sun = eye.right * SUN_BEHIND.x + eye.up * SUN_BEHIND.y + eye.back * SUN_BEHIND.z;
        Self {
            sun: sun.normalize(),
            light: [0.3, 0.1, 0.0, 0.7],
            depth_from: 0.0,
            fog_per_unit: 0.0,
            depth_per_unit: 0.0,
            ground: [[0.0; 4]; GROUND_STOPS],
        }
    }

    /// The share of a thing at a depth that is seen through the fog.
    #[inline]
    #[must_use]
    pub fn visibility(&self, depth: f32) -> f32 {
        (-(depth - self.depth_from).max(0.0) * self.fog_per_unit).exp2()
    }

    /// How far a depth is on the way from the near end of the world to the far one, 0 to 1.
    #[inline]
    #[must_use]
    pub fn far(&self, depth: f32) -> f32 {
        ((depth - self.depth_from) * self.depth_per_unit).clamp(0.0, 1.0)
    }

    /// The light on a side with this normal.
    #[inline]
    #[must_use]
    pub fn shade(&self, normal: Point) -> f32 {
        let [sun, sky, ground, base] = self.light;
        let up = 0.5 + 0.5 * normal.z;
        base + sun * normal.dot(self.sun).max(0.0) + sky * up + ground * (1.0 - up)
    }

    /// The mean light on the sides of a thing that is too small to show them.
    #[must_use]
    pub fn mean_shade(&self) -> f32 {
        let [sun, sky, ground, base] = self.light;
        base + 0.5 * (sun + sky + ground)
    }

    /// A colour, if its share `visibility` is seen, before the background at `place`: 0 at the top
    /// of the picture, 1 at the bottom. Premultiplied.
    #[inline]
    #[must_use]
    pub fn faded(&self, colour: [f32; 3], visibility: f32, place: f32) -> [f32; 4] {
        let behind = self.behind(place);
        let [r, g, b] = colour.map(|channel| channel.min(1.0));
        let own = [r, g, b, 1.0];
        std::array::from_fn(|i| behind[i] + (own[i] - behind[i]) * visibility)
    }

    /// The background at a place from the top, 0, to the bottom, 1.
    #[inline]
    #[must_use]
    pub fn behind(&self, place: f32) -> [f32; 4] {
        let place = place.clamp(0.0, 1.0) * (GROUND_STOPS - 1) as f32;
        let index = (place as usize).min(GROUND_STOPS - 2);
        let share = place - index as f32;
        let (from, to) = (self.ground[index], self.ground[index + 1]);
        std::array::from_fn(|i| from[i] + (to[i] - from[i]) * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::corners;

    fn lighting(keys: &str) -> (Lighting, Scene, Camera) {
        let text = format!("world = {{ size = [90, 60, 30] }}\n{keys}\n[species.a]\n");
        let scene = Scene::parse("test", &text).unwrap();
        let camera = Camera::of(&scene, 0, None, (640, 360));
        (Lighting::of(&scene, &camera, &camera.eye.unwrap(), false), scene, camera)
    }

    #[test]
    fn fog_hides_half_within_the_worlds_length() {
        let (fog, scene, camera) = lighting("");
        let eye = camera.eye.unwrap();
        let depths = corners(scene.world.size).map(|corner| eye.depth(corner - camera.centre));
        let near = depths.into_iter().fold(f32::MAX, f32::min);
        assert!(fog.visibility(near) > 0.8);
        let half = fog.visibility(fog.depth_from + 90.0);
        assert!((half - 0.5).abs() < 1e-5, "{half}");
        assert_eq!(lighting("style = { fog = 0 }").0.visibility(1e9), 1.0);
        assert!(fog.far(near) < fog.far(near + 30.0) && fog.far(1e9) == 1.0);
    }

    #[test]
    fn a_thing_is_lit_from_the_upper_left_and_silhouettes_are_not() {
        let (day, _, camera) = lighting("");
        let eye = camera.eye.unwrap();
        assert!(day.shade(eye.up) > 1.5 * day.shade(-eye.up));
        assert!(day.shade(-eye.right) > day.shade(eye.right));
        let (dusk, ..) = lighting("style = { background = \"dusk\" }");
        assert!([Point::X, Point::Z, -Point::Z].iter().all(|side| dusk.shade(*side) == 1.0));
        assert!(lighting("style = { background = \"dusk\", light = \"sun\" }").0 != dusk);
        let [top, bottom] = [0.0, 1.0].map(|place| dusk.faded([0.0; 3], 0.0, place));
        assert!(top[2] > top[0] && bottom[0] > bottom[2], "it fades into the sky behind it");
        let (none, ..) = lighting("style = { background = \"none\" }");
        assert_eq!(none.faded([1.0; 3], 0.5, 0.3), [0.5; 4]);
    }
}
