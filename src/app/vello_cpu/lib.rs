//! Fills the outlines of letters for egui, in the place of the crate `vello_cpu`.
//!
//! The original renders all vector graphics; epaint asks it to fill white letters. It adds 14 MB of
//! machine code to a program of 44 MB, and 38 s of processor time to the first build. This crate has
//! the same names, as far as epaint calls them, and fills with `ab_glyph_rasterizer`, which computes the
//! exact area of each pixel that an outline covers.
//!
//! Programs that embed Flockwork build with the original: `[patch.crates-io]` holds for this
//! workspace alone.

use ab_glyph_rasterizer::{Point, Rasterizer, point};
pub use kurbo;
use kurbo::{Affine, BezPath, PathEl};

/// The one colour of a letter; egui tints it.
pub mod color {
    use std::marker::PhantomData;

    /// A colour space.
    pub struct Srgb;

    /// An opaque colour.
    pub struct OpaqueColor<Space>(PhantomData<Space>);

    impl<Space> OpaqueColor<Space> {
        /// White, the only one.
        pub const WHITE: Self = Self(PhantomData);
    }
}

/// Fills paths within a rectangle of pixels.
pub struct RenderContext {
    coverage: Rasterizer,
    transform: Affine,
}

impl RenderContext {
    /// An empty rectangle, `width` × `height` pixels.
    pub fn new(width: u16, height: u16) -> Self {
        Self { coverage: Rasterizer::new(width.into(), height.into()), transform: Affine::IDENTITY }
    }

    /// Moves the paths that are filled from now on.
    pub fn set_transform(&mut self, transform: Affine) {
        self.transform = transform;
    }

    /// Fills with white, as always.
    pub fn set_paint(&mut self, _white: color::OpaqueColor<color::Srgb>) {}

    /// Fills the inside of `path`. Contours that are left open are closed.
    pub fn fill_path(&mut self, path: &BezPath) {
        let transform = self.transform;
        let at = |p: kurbo::Point| {
            let p = transform * p;
            point(p.x as f32, p.y as f32)
        };
        let coverage = &mut self.coverage;
        let (mut start, mut last) = (Point::default(), Point::default());
        let closed = path.iter().chain([PathEl::ClosePath]);
        for element in closed {
            last = match element {
                PathEl::MoveTo(to) => {
                    coverage.draw_line(last, start);
                    start = at(to);
                    start
                }
                PathEl::LineTo(to) => {
                    coverage.draw_line(last, at(to));
                    at(to)
                }
                PathEl::QuadTo(bend, to) => {
                    coverage.draw_quad(last, at(bend), at(to));
                    at(to)
                }
                PathEl::CurveTo(first, second, to) => {
                    coverage.draw_cubic(last, at(first), at(second), at(to));
                    at(to)
                }
                PathEl::ClosePath => {
                    coverage.draw_line(last, start);
                    start
                }
            };
        }
    }

    /// Writes the picture: white, as opaque as a pixel is covered.
    pub fn render(&mut self, picture: &mut Pixmap, _resources: &mut Resources) {
        self.coverage.for_each_pixel(|index, covered| {
            let opacity = (covered.min(1.0) * 255.0).round() as u8;
            picture.data[4 * index..][..4].fill(opacity);
        });
    }
}

/// The original keeps caches here; this crate needs none.
#[derive(Default)]
pub struct Resources;

impl Resources {
    /// No caches.
    pub fn new() -> Self {
        Self
    }
}

/// A picture: rows from the top, 4 bytes a pixel: red, green, blue, opacity. The opacity multiplies the
/// colours.
pub struct Pixmap {
    data: Vec<u8>,
}

impl Pixmap {
    /// A transparent picture, `width` × `height` pixels.
    pub fn new(width: u16, height: u16) -> Self {
        Self { data: vec![0; 4 * usize::from(width) * usize::from(height)] }
    }

    /// The bytes.
    pub fn data_as_u8_slice(&self) -> &[u8] {
        &self.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The opacities of a picture of `width` × `height` pixels with `path` in it, moved by `by`.
    fn opacities(width: u16, height: u16, by: (f64, f64), path: &str) -> Vec<u8> {
        let mut context = RenderContext::new(width, height);
        context.set_transform(Affine::translate(by));
        context.set_paint(color::OpaqueColor::WHITE);
        context.fill_path(&BezPath::from_svg(path).unwrap());
        let mut picture = Pixmap::new(width, height);
        context.render(&mut picture, &mut Resources::new());
        let pixels = picture.data_as_u8_slice().chunks_exact(4);
        pixels.map(|pixel| if pixel == [pixel[0]; 4] { pixel[0] } else { panic!() }).collect()
    }

    #[test]
    fn a_pixel_is_as_opaque_as_it_is_covered() {
        // A square of two pixels, half a pixel from the edges of both; closed and left open.
        for path in ["M-1,-1 L1,-1 L1,1 L-1,1 Z", "M-1,-1 L1,-1 L1,1 L-1,1"] {
            let corner = [64, 128, 64, 128, 255, 128, 64, 128, 64];
            assert_eq!(opacities(3, 3, (1.5, 1.5), path), corner, "{path}");
        }
        // A hole, whose outline goes round the other way.
        let frame = "M0,0 L3,0 L3,3 L0,3 Z M1,1 L1,2 L2,2 L2,1 Z";
        let around = [255, 255, 255, 255, 0, 255, 255, 255, 255];
        assert_eq!(opacities(3, 3, (0.0, 0.0), frame), around);
        // Round shapes of quadratic and of cubic curves. A parabola cuts a third of the triangle at a
        // corner; the cubic ones are a circle's to 0.03 %.
        let quadratic = "M0,20 Q0,0 20,0 Q40,0 40,20 Q40,40 20,40 Q0,40 0,20 Z";
        let cubic = "M0,20 C0,8.954 8.954,0 20,0 C31.046,0 40,8.954 40,20 C40,31.046 31.046,40 20,40 \
                     C8.954,40 0,31.046 0,20 Z";
        let areas = [1600.0 - 4.0 * 200.0 / 3.0, 400.0 * std::f64::consts::PI];
        for (path, area) in [quadratic, cubic].into_iter().zip(areas) {
            let covered: u32 = opacities(40, 40, (0.0, 0.0), path).into_iter().map(u32::from).sum();
            let covered = f64::from(covered) / 255.0;
            // Curves are drawn as chords.
            assert!((covered / area - 1.0).abs() < 0.01, "{covered}, not {area}: {path}");
        }
    }
}
