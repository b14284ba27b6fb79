//! The sky of a space: the background by height above the horizon, and the sun. Only `shaders/draw_sky.wgsl`
//! draws it; fog and light take its colours from here.

use crate::camera::{Camera, Eye};
use crate::style::{Backdrop, light_of_paint};
use flockwork_model::scene::{Ground, Style};
use flockwork_model::vector::Point;

/// The colours of a background from top to bottom, for what fades into it.
pub const GROUND_STOPS: usize = 16;

/// The sine of the height at which the sky has its topmost colour.
const SKY_TOP: f32 = 0.6;

/// The shares of the light of the upper half of the sky that land reflects, red, green and blue; and the sine of
/// the depth at which haze hides half of it.
const LAND: [f32; 3] = [0.32, 0.38, 0.3];
const HAZE: f32 = 0.02;

/// A sky.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Light from the top to the horizon; the fourth number is 1.
    colours: [[f32; 4]; GROUND_STOPS],
    /// The direction to the sun; a unit vector.
    pub sun: Point,
    /// There is water below the horizon, in place of land.
    over_water: bool,
}

impl Sky {
    /// The sky of a style; `None` if it has none, as over a transparent background.
    #[must_use]
    pub fn of(style: &Style) -> Option<Self> {
        let sun = style.sun.filter(|_| style.has_sky())?;
        let (height, level) = sun.to_radians().sin_cos();
        let (sine, cosine) = style.sun_azimuth.to_radians().sin_cos();
        let colours: [[f32; 4]; GROUND_STOPS] = Backdrop::of(&style.background).stops();
        Some(Self {
            colours: colours.map(light_of_paint),
            sun: Point::new(-level * sine, level * cosine, height),
            over_water: style.ground == Ground::Water,
        })
    }

    /// Its light from the top to the horizon.
    #[must_use]
    pub fn colours(&self) -> [[f32; 4]; GROUND_STOPS] {
        self.colours
    }

    /// The light of land below it, without haze, and how far away haze hides half of that (`HAZE`).
    #[must_use]
    pub fn land(&self) -> [f32; 4] {
        let upper = &self.colours[..GROUND_STOPS / 2];
        let mean = |i: usize| upper.iter().map(|stop| stop[i]).sum::<f32>() / upper.len() as f32;
        [LAND[0] * mean(0), LAND[1] * mean(1), LAND[2] * mean(2), HAZE]
    }

    /// Its light in a direction with this vertical part, without the sun.
    fn at(&self, height: f32) -> [f32; 4] {
        let place = 1.0 - (height / SKY_TOP).clamp(0.0, 1.0).sqrt();
        let step = place * (GROUND_STOPS - 1) as f32;
        let index = (step as usize).min(GROUND_STOPS - 2);
        let (one, next) = (self.colours[index], self.colours[index + 1]);
        let haze = if height < 0.0 { 1.0 - (HAZE / height).exp2() } else { 1.0 };
        let land = self.land();
        let colour = |i: usize| one[i] + (next[i] - one[i]) * (step - index as f32);
        let mixed = |i: usize| land[i] + (colour(i) - land[i]) * haze;
        [mixed(0), mixed(1), mixed(2), 1.0]
    }

    /// Its light down the middle of a picture, from the top to the bottom, for what fades into it.
    #[must_use]
    pub fn rows(&self, camera: &Camera, eye: &Eye) -> [[f32; 4]; GROUND_STOPS] {
        let depth = camera.pixels_per_unit * eye.distance;
        std::array::from_fn(|row| {
            let up = camera.size.y * (0.5 - row as f32 / (GROUND_STOPS - 1) as f32);
            let sight = (eye.up * up - eye.back * depth).normalize();
            self.at(if self.over_water { sight.z.abs() } else { sight.z })
        })
    }
}
