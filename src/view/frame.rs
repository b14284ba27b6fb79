//! A picture in memory.

/// Rows of pixels from top to bottom, each pixel four bytes: red, green, blue, alpha (sRGB).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `4 * width * height` bytes.
    pub pixels: Vec<u8>,
}
