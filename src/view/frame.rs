//! A picture in memory.

/// Pixels of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// RGBA, one byte each, sRGB; rows from top to bottom without gaps. Always opaque.
    pub pixels: Vec<u8>,
}

impl Frame {
    /// A picture of one colour.
    #[must_use]
    pub fn filled(width: u32, height: u32, colour: [u8; 3]) -> Self {
        let [r, g, b] = colour;
        let pixels = [r, g, b, 255].repeat(width as usize * height as usize);
        Self { width, height, pixels }
    }

    /// Red, green and blue at a column and row, counted from the top left corner; `None` outside.
    #[must_use]
    pub fn rgb(&self, column: u32, row: u32) -> Option<[u8; 3]> {
        if column >= self.width {
            return None;
        }
        let at = (row as usize * self.width as usize + column as usize) * 4;
        self.pixels.get(at..at + 3).map(|p| [p[0], p[1], p[2]])
    }

    /// The pixels without their alpha.
    #[must_use]
    pub fn to_rgb(&self) -> Vec<u8> {
        let mut rgb = Vec::with_capacity(self.pixels.len() / 4 * 3);
        for pixel in self.pixels.chunks_exact(4) {
            rgb.extend_from_slice(&pixel[..3]);
        }
        rgb
    }
}
