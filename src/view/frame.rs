//! A picture in memory.

/// Pixels of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// RGBA, one byte each, sRGB; rows from top to bottom without gaps. Colours are multiplied by
    /// alpha. It is below 255 only in pictures without a background.
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

    /// A picture of nothing.
    #[must_use]
    pub fn transparent(width: u32, height: u32) -> Self {
        Self { width, height, pixels: vec![0; 4 * width as usize * height as usize] }
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

    /// True if some pixels are transparent.
    #[must_use]
    pub fn is_transparent(&self) -> bool {
        self.pixels.chunks_exact(4).any(|pixel| pixel[3] != 255)
    }

    /// The pixels with alpha, and colours that are not multiplied by it, as PNG files have them. Where
    /// a glow adds light without hiding anything, alpha is as large as its brightest channel.
    #[must_use]
    pub fn to_straight(&self) -> Vec<u8> {
        let mut straight = Vec::with_capacity(self.pixels.len());
        for pixel in self.pixels.chunks_exact(4) {
            let alpha = pixel.iter().copied().fold(0, u8::max);
            let whole = u32::from(alpha).max(1);
            let channel = |channel: u8| ((u32::from(channel) * 255 + whole / 2) / whole) as u8;
            straight.extend([channel(pixel[0]), channel(pixel[1]), channel(pixel[2]), alpha]);
        }
        straight
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_divided_by_alpha() {
        let pixels = vec![100, 50, 0, 200, 0, 0, 0, 0, 9, 8, 7, 255, 60, 20, 0, 30];
        let frame = Frame { width: 4, height: 1, pixels };
        assert!(frame.is_transparent());
        let straight = frame.to_straight();
        assert_eq!(straight[..12], [128, 64, 0, 200, 0, 0, 0, 0, 9, 8, 7, 255]);
        assert_eq!(straight[12..], [255, 85, 0, 60], "light alone");
        assert!(!Frame::filled(2, 2, [1, 2, 3]).is_transparent());
    }
}
