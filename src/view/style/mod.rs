//! The looks of an agent, and what is behind the flock. The GPU renderer (as a uniform) and the CPU
//! rasteriser use the same description.

mod backdrop;
mod circle;
mod glyph;
mod oklab;
mod paint;
mod palettes;

pub use backdrop::Backdrop;
pub use circle::Circle;
pub use glyph::{
    ANY_GAIN, CONDENSED, Extent, Extents, GLOW, GLOW_COVER, GLOW_REACH, MAX_GAIN, MIN_GLOW,
    MIN_GLOW_STRENGTH, MIN_HALF_LENGTH, MIN_STRENGTH, MIN_STRENGTH_IN_SPACE, Measure, OPACITY,
    SLENDERNESS,
};
pub use oklab::{light_of, light_of_paint};
pub use paint::{CROWD, Colours, Hue, LIFT, Paint, Tone, heading_angle};
pub use palettes::{STOPS, Stops};

/// The default colour behind the flock, sRGB.
pub const BACKGROUND: [u8; 3] = [11, 14, 20];

/// A picture of this size has one pixel per point. Sizes in points scale with the picture, so that
/// it is equally bright in any resolution.
pub const REFERENCE: [f32; 2] = [1280.0, 720.0];

/// Pixels per point of a picture of `width` × `height` pixels.
#[must_use]
pub fn scale_of(width: u32, height: u32) -> f32 {
    (width as f32 / REFERENCE[0]).min(height as f32 / REFERENCE[1])
}
