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
    let natural = size * pixels_per_unit;
    if natural >= SMALLEST_HALF_LENGTH {
        return (natural, OPACITY);
    }
    let opacity = OPACITY * natural / SMALLEST_HALF_LENGTH;
    (SMALLEST_HALF_LENGTH, opacity.max(FAINTEST))
}

/// Colour of an agent, linear from 0 to 1 in sRGB space (as stored in a PNG).
#[must_use]
pub fn colour(by: ColourBy, velocity: Point, max_speed: f32, species: u8) -> [f32; 3] {
    match by {
        ColourBy::Heading => hue(heading_angle(velocity) / std::f32::consts::TAU),
        ColourBy::Speed => {
            let share = if max_speed > 0.0 { velocity.length() / max_speed } else { 0.0 };
            hue(0.6 - 0.6 * share.clamp(0.0, 1.0))
        }
        // Steps of the golden ratio keep any number of hues apart.
        ColourBy::Species => hue(0.55 + f32::from(species) * 0.618_034),
    }
}

/// Angle of the heading; a stationary agent heads along +x (*The Nature of Code*).
#[must_use]
pub fn heading_angle(velocity: Point) -> f32 {
    if velocity == Point::ZERO { 0.0 } else { velocity.y.atan2(velocity.x) }
}

/// A bright colour; `turn` counts round the colour circle, 0 and 1 are the same red.
#[must_use]
pub fn hue(turn: f32) -> [f32; 3] {
    // Cosines instead of the usual ramps: no corners, hence no bands where the flock turns.
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|phase| {
        let wave = (std::f32::consts::TAU * (turn - phase)).cos();
        0.60 + 0.40 * wave
    })
}
