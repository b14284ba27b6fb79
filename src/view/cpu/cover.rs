//! Tells which shapes have an edge in a picture of a plane, before outlines are made.

use glam::Vec2;

use crate::camera::Camera;
use crate::shapes::{LINE, Shape};

/// The part of a picture that a shape covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// It is not seen.
    Nothing,
    /// It may have an edge in the picture.
    Part,
    /// It has no edge in the picture, and every pixel is inside.
    All,
}

/// The part of a picture of `size` that a circle covers, without making its outline: of thousands of large
/// obstacles only few have an edge in the picture. All other shapes count as seen.
pub fn cover(shape: &Shape, camera: &Camera, size: Vec2, scale: f32) -> Cover {
    let (centre, radius, half) = match shape {
        Shape::Disc { centre, radius } => (centre, radius * camera.pixels_per_unit, None),
        Shape::Ring { centre, radius } => {
            (centre, radius * camera.pixels_per_unit, Some(LINE * scale / 2.0))
        }
        _ => return Cover::Part,
    };
    let offset = (camera.pixel_from_world(camera.image(*centre)) - size * 0.5).abs();
    let nearest = (offset - size * 0.5).max(Vec2::ZERO).length();
    let farthest = (offset + size * 0.5).length();
    // Curves stand for circles, and pixels on an edge are covered in part.
    let slack = 1.0 + 1e-3 * radius;
    match half {
        _ if nearest > radius + half.unwrap_or(0.0) + slack => Cover::Nothing,
        Some(half) if farthest < radius - half - slack => Cover::Nothing,
        None if farthest < radius - slack => Cover::All,
        _ => Cover::Part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::shape_raster::tests::{WHITE, camera, drawn};
    use crate::frame::Frame;
    use crate::shapes::StyledShape;
    use crate::style::BACKGROUND;
    use flockwork_model::vector::{Point, flat};

    #[test]
    fn circles_that_show_no_edge_are_not_outlined() {
        let size = Vec2::new(200.0, 100.0);
        // The picture is 100 × 50 units around the origin: its corners are 55.9 units away.
        for (x, radius, disc, ring) in [
            (0.0, 20.0, Cover::Part, Cover::Part),
            (0.0, 55.0, Cover::Part, Cover::Part),
            (0.0, 60.0, Cover::All, Cover::Nothing),
            (1e6, 1e6, Cover::Part, Cover::Part),
            (1e6, 9e5, Cover::Nothing, Cover::Nothing),
            (1e6, 1.1e6, Cover::All, Cover::Nothing),
            (75.0, 20.0, Cover::Nothing, Cover::Nothing),
            (75.0, 26.0, Cover::Part, Cover::Part),
            (f32::NAN, 1.0, Cover::Part, Cover::Part),
        ] {
            let centre = flat(x, 0.0);
            let shapes = [Shape::Disc { centre, radius }, Shape::Ring { centre, radius }];
            let found = shapes.each_ref().map(|shape| cover(shape, &camera(), size, 1.0));
            assert_eq!(found, [disc, ring], "{x}, {radius}");
            // The outline agrees.
            for (shape, found) in shapes.into_iter().zip(found) {
                let style = StyledShape { shape: shape.clone(), colour: WHITE, opacity: 1.0 };
                let frame = drawn(&[style], &camera());
                let white = frame == Frame::filled(200, 100, WHITE);
                let empty = frame == Frame::filled(200, 100, BACKGROUND);
                assert!((found != Cover::All) || white, "{shape:?}");
                assert!((found != Cover::Nothing) || empty, "{shape:?}");
            }
        }
    }

    #[test]
    fn an_opaque_disc_hides_what_is_before_it_and_nothing_after_it() {
        let disc = |radius, colour, opacity| StyledShape {
            shape: Shape::Disc { centre: Point::ZERO, radius },
            colour,
            opacity,
        };
        let (cover, above) = (disc(1e4, [9, 99, 200], 1.0), disc(8.0, WHITE, 0.5));
        let drawn = |shapes: &[StyledShape]| drawn(shapes, &camera());
        let seen = drawn(&[cover.clone(), above.clone()]);
        assert_eq!(seen.rgb(0, 0), Some([9, 99, 200]));
        assert_ne!(seen.rgb(100, 50), Some([9, 99, 200]));
        assert!(seen == drawn(&[above.clone(), cover.clone(), above.clone()]));
        let pale = StyledShape { opacity: 0.5, ..cover };
        assert!(drawn(&[above, pale.clone()]) != drawn(&[pale]), "it shows what is before it");
    }
}
