//! How an agent looks: one description for the GPU renderer (as a uniform) and the CPU rasteriser.

use crate::model::scene::ColourBy;
use crate::model::vector::Point;

/// Colour behind the flock, sRGB.
pub const BACKGROUND: [u8; 3] = [11, 14, 20];

/// Half the length of a triangle never falls below this many pixels: a flock seen from far away
/// is still made of darts, not of dust.
pub const SMALLEST_HALF_LENGTH: f32 = 1.75;

/// Opacity of a triangle at its natural size; smaller ones keep their light per area down to
/// [`FAINTEST`].
pub const OPACITY: f32 = 0.9;

/// Opacity that no agent falls below, however far away.
pub const FAINTEST: f32 = 0.35;

/// Half the width of a triangle over half its length (*The Nature of Code* draws 1 to 2).
pub const SLENDERNESS: f32 = 0.5;

/// The dart of an agent: half its length in pixels, and its opacity.
///
/// `size` is half the length in world units. Below [`SMALLEST_HALF_LENGTH`] pixels the dart grows
/// to that length and pales by as much as its length grew, so that crowds stay brighter than
/// loners.
#[must_use]
pub fn dart(size: f32, pixels_per_unit: f32) -> (f32, f32) {
    dart_on(size, pixels_per_unit, 1.0)
}

/// The same on a screen with `scale` pixels to the point: the smallest dart grows with the scale,
/// so that it is as large to the eye on a dense screen as on a coarse one.
#[must_use]
pub fn dart_on(size: f32, pixels_per_unit: f32, scale: f32) -> (f32, f32) {
    let natural = size * pixels_per_unit;
    let smallest = SMALLEST_HALF_LENGTH * scale;
    if natural >= smallest {
        return (natural, OPACITY);
    }
    (smallest, (OPACITY * natural / smallest).max(FAINTEST))
}

/// How a colour follows from heading, speed and species: plain numbers, so that the shader need
/// not know what they mean. The hue in turns round the colour circle is
/// `base + per_turn · heading + per_speed · speed / max_speed`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hue {
    /// Turns.
    pub base: f32,
    /// Turns for each turn of the heading.
    pub per_turn: f32,
    /// Turns from standstill to full speed.
    pub per_speed: f32,
}

impl Hue {
    /// The hue of a species that is coloured `by`.
    #[must_use]
    pub fn of(by: ColourBy, species: u8) -> Self {
        match by {
            ColourBy::Heading => Self { base: 0.0, per_turn: 1.0, per_speed: 0.0 },
            ColourBy::Speed | ColourBy::Neighbours => {
                Self { base: 0.6, per_turn: 0.0, per_speed: -0.6 }
            }
            // Steps of the golden ratio keep any number of hues apart.
            ColourBy::Species => {
                let base = (0.55 + f32::from(species) * 0.618_034).fract();
                Self { base, per_turn: 0.0, per_speed: 0.0 }
            }
        }
    }
}

/// Colour of an agent, linear from 0 to 1 in sRGB space (as stored in a PNG).
#[must_use]
pub fn colour(by: ColourBy, velocity: Point, max_speed: f32, species: u8) -> [f32; 3] {
    let Hue { base, per_turn, per_speed } = Hue::of(by, species);
    let share = if max_speed > 0.0 { velocity.length() / max_speed } else { 0.0 };
    let heading = heading_angle(velocity) / std::f32::consts::TAU;
    hue(base + per_turn * heading + per_speed * share.clamp(0.0, 1.0))
}

/// Angle of the heading; a stationary agent heads along +x (*The Nature of Code*).
#[must_use]
pub fn heading_angle(velocity: Point) -> f32 {
    if velocity == Point::ZERO { 0.0 } else { velocity.y.atan2(velocity.x) }
}

/// Middle of the range of each primary round the colour circle.
pub const HUE_LEVEL: f32 = 0.60;

/// Half the range of each primary round the colour circle.
pub const HUE_SWING: f32 = 0.40;

/// A bright colour; `turn` counts round the colour circle, 0 and 1 are the same red.
#[must_use]
pub fn hue(turn: f32) -> [f32; 3] {
    // Cosines instead of the usual ramps: no corners, hence no bands where the flock turns.
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|phase| {
        let wave = (std::f32::consts::TAU * (turn - phase)).cos();
        HUE_LEVEL + HUE_SWING * wave
    })
}
