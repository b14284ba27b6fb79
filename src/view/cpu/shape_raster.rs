//! Draws shapes on pictures in host memory with tiny-skia.

use std::f32::consts::{PI, TAU};

use glam::Vec2;
use rayon::prelude::*;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, PixmapMut, Stroke, Transform,
};

use super::clip;
use super::cover::{Cover, cover};
use crate::camera::Camera;
use crate::frame::Frame;
use crate::shapes::{LINE, Shape, StyledShape};
use flockwork_model::vector::Point;

/// Half the length of a cross's strokes; points.
const CROSS: f32 = 6.0;

/// Longest arc that is drawn as one curve; radians. A parabola through its ends differs from the
/// arc by less than a thousandth of the radius.
const MAX_ARC: f32 = PI / 8.0;

/// Number of pixel rows that one thread draws at a time. It is fixed, so that a picture does not
/// depend on the number of threads.
const BAND: usize = 32;

/// Runs `paint` on bands of pixel rows in parallel, with the first row of each band.
pub fn in_bands(frame: &mut Frame, paint: impl Fn(&mut PixmapMut, usize) + Sync) {
    let row_bytes = frame.width as usize * 4;
    let width = frame.width;
    let bands = frame.pixels.par_chunks_mut((row_bytes * BAND).max(1)).enumerate();
    bands.for_each(|(index, pixels)| {
        let rows = (pixels.len() / row_bytes) as u32;
        if let Some(mut band) = PixmapMut::from_bytes(pixels, width, rows) {
            paint(&mut band, index * BAND);
        }
    });
}

/// A shape as an area in pixels.
struct PixelArea {
    path: Path,
    rule: FillRule,
    colour: Color,
}

/// True if two translucent bands are one area, so that they are no brighter where they overlap: a path and
/// its images in a wrapped world.
fn joined(one: &StyledShape, other: &StyledShape) -> bool {
    let width = |shape: &StyledShape| match shape.shape {
        Shape::Line { width, .. } if width > 0.0 && shape.opacity < 1.0 => Some(width),
        _ => None,
    };
    width(one).is_some()
        && width(one) == width(other)
        && (one.colour, one.opacity) == (other.colour, other.opacity)
}

/// Draws `shapes` in order over the content of `frame`, as seen by `camera`, on a screen with
/// `scale` pixels per point. Lines are at least as wide as at one pixel per point, because thinner
/// ones would be invisible.
pub fn draw(shapes: &[StyledShape], camera: &Camera, scale: f32, frame: &mut Frame) {
    if shapes.is_empty() {
        return;
    }
    if let Some(eye) = &camera.eye {
        return super::space_raster::draw_above(shapes, camera, eye, scale, frame);
    }
    let scale = scale.max(1.0);
    let size = Vec2::new(frame.width as f32, frame.height as f32);
    let cover = |shape: &StyledShape| cover(&shape.shape, camera, size, scale);
    // An opaque disc hides everything before it.
    let hides = |shape: &StyledShape| shape.opacity >= 1.0 && cover(shape) == Cover::All;
    let first = shapes.iter().rposition(hides).unwrap_or(0);
    let groups: Vec<&[StyledShape]> = shapes[first..].chunk_by(joined).collect();
    let areas: Vec<PixelArea> = groups
        .into_par_iter()
        .filter(|group| group.iter().any(|shape| cover(shape) != Cover::Nothing))
        .filter_map(|group| {
            let shape = group.first()?;
            let [r, g, b] = shape.colour.map(|channel| f32::from(channel) / 255.0);
            let colour = Color::from_rgba(r, g, b, shape.opacity.clamp(0.0, 1.0))?;
            let mut outlines = group.iter().flat_map(|StyledShape { shape, .. }| {
                let offsets = shape.offsets(camera).into_iter();
                offsets.filter_map(|by| outline(shape, by, camera, scale))
            });
            let mut path = outlines.next()?;
            for other in outlines {
                let mut both = PathBuilder::new();
                both.push_path(&path);
                both.push_path(&other);
                path = both.finish()?;
            }
            let path = clip::to_window(path, size)?;
            let bounds = path.bounds();
            let seen = bounds.right() > 0.0
                && bounds.bottom() > 0.0
                && bounds.left() < size.x
                && bounds.top() < size.y;
            let ring = matches!(shape.shape, Shape::Ring { .. });
            let rule = if ring { FillRule::EvenOdd } else { FillRule::Winding };
            seen.then_some(PixelArea { path, rule, colour })
        })
        .collect();
    in_bands(frame, |band, top| {
        let (low, high) = (top as f32, top as f32 + band.height() as f32);
        let mut paint = Paint { anti_alias: !camera.sharp, ..Paint::default() };
        for PixelArea { path, rule, colour } in &areas {
            if path.bounds().bottom() < low || path.bounds().top() > high {
                continue;
            }
            paint.set_color(*colour);
            let down = Transform::from_translate(0.0, -low);
            band.fill_path(path, &paint, *rule, down, None);
        }
    });
}

/// The outline of the area that a moved shape covers, in pixels; `None` if it covers nothing.
fn outline(shape: &Shape, by: Point, camera: &Camera, scale: f32) -> Option<Path> {
    let pixel = |place: &Point| camera.pixel_from_world(*place + by);
    let turned = -camera.turn.y.atan2(camera.turn.x);
    let pixels = |length: f32| length * camera.pixels_per_unit;
    match shape {
        Shape::Disc { centre, radius } => {
            let centre = pixel(centre);
            PathBuilder::from_circle(centre.x, centre.y, pixels(*radius))
        }
        Shape::Ring { centre, radius } => {
            // The area between two circles: several times faster than stroking a circle.
            let (centre, radius, half) = (pixel(centre), pixels(*radius), LINE * scale / 2.0);
            let mut builder = PathBuilder::new();
            builder.push_circle(centre.x, centre.y, radius + half);
            if radius > half {
                builder.push_circle(centre.x, centre.y, radius - half);
            }
            builder.finish()
        }
        Shape::Line { points, closed, width } => {
            let mut builder = PathBuilder::new();
            let (first, rest) = points.split_first()?;
            let first = pixel(first);
            builder.move_to(first.x, first.y);
            for place in rest.iter().map(pixel) {
                builder.line_to(place.x, place.y);
            }
            if *closed {
                builder.close();
            }
            stroked(&builder.finish()?, pixels(*width).max(LINE * scale))
        }
        Shape::Cross { centre } => {
            let (centre, arm) = (pixel(centre), CROSS * scale);
            let mut builder = PathBuilder::new();
            for arm in [Vec2::new(arm, 0.0), Vec2::new(0.0, arm)] {
                let (from, to) = (centre - arm, centre + arm);
                builder.move_to(from.x, from.y);
                builder.line_to(to.x, to.y);
            }
            stroked(&builder.finish()?, LINE * scale)
        }
        Shape::Sector { centre, radius, heading, angle } => {
            let (centre, radius) = (pixel(centre), pixels(*radius));
            if *angle >= TAU {
                return PathBuilder::from_circle(centre.x, centre.y, radius);
            }
            sector(centre, radius, *heading + turned, *angle)
        }
        // They belong to a space.
        Shape::Cone { .. } | Shape::Pane { .. } => None,
        Shape::Dashes(dashes) => {
            let (centre, radius) = (pixel(&dashes.centre), pixels(dashes.radius));
            let mut builder = PathBuilder::new();
            for (start, end) in dashes.dashes(radius / scale) {
                let from = on_circle(centre, radius, start + turned);
                builder.move_to(from.x, from.y);
                push_arc(&mut builder, centre, radius, start + turned, end - start);
            }
            stroked(&builder.finish()?, LINE * scale)
        }
    }
}

/// Pixel rows count downwards; the world's y axis points up.
fn on_circle(centre: Vec2, radius: f32, angle: f32) -> Vec2 {
    centre + Vec2::new(angle.cos(), -angle.sin()) * radius
}

/// Continues along a circle by `angle`, from `start`.
fn push_arc(builder: &mut PathBuilder, centre: Vec2, radius: f32, start: f32, angle: f32) {
    let chunks = (angle / MAX_ARC).ceil().max(1.0);
    let chunk = angle / chunks;
    for number in 0..chunks as u32 {
        let from = start + number as f32 * chunk;
        // The point where the tangents at both ends meet.
        let control = on_circle(centre, radius / (chunk / 2.0).cos(), from + chunk / 2.0);
        let to = on_circle(centre, radius, from + chunk);
        builder.quad_to(control.x, control.y, to.x, to.y);
    }
}

fn stroked(path: &Path, width: f32) -> Option<Path> {
    let stroke =
        Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    path.stroke(&stroke, 1.0)
}

fn sector(centre: Vec2, radius: f32, heading: f32, angle: f32) -> Option<Path> {
    let mut builder = PathBuilder::new();
    builder.move_to(centre.x, centre.y);
    let start = heading - angle / 2.0;
    let from = on_circle(centre, radius, start);
    builder.line_to(from.x, from.y);
    push_arc(&mut builder, centre, radius, start, angle);
    builder.close();
    builder.finish()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::shapes::Dashes;
    use crate::style::BACKGROUND;
    use flockwork_model::vector::flat;
    use flockwork_model::world::{Boundary, World};

    pub const WHITE: [u8; 3] = [255; 3];

    pub fn camera() -> Camera {
        let world = World { size: flat(100.0, 50.0), boundary: Boundary::Open };
        Camera { centre: Point::ZERO, ..Camera::fit(&world, 200, 100) }
    }

    /// A picture of these shapes.
    pub fn drawn(shapes: &[StyledShape], camera: &Camera) -> Frame {
        let mut frame = Frame::filled(200, 100, BACKGROUND);
        draw(shapes, camera, 1.0, &mut frame);
        frame
    }

    fn drawn_white(shape: Shape, camera: &Camera) -> Frame {
        drawn(&[StyledShape { shape, colour: WHITE, opacity: 1.0 }], camera)
    }

    /// The painted share of the picture.
    fn painted(frame: &Frame) -> f32 {
        let own =
            |pixel: &[u8]| f32::from(pixel[0] - BACKGROUND[0]) / f32::from(255 - BACKGROUND[0]);
        frame.pixels.chunks_exact(4).map(own).sum()
    }

    #[test]
    fn every_shape_covers_its_area_at_its_place() {
        let centre = flat(10.0, -5.0);
        let points = vec![flat(-30.0, 10.0), flat(30.0, 10.0)];
        let line = |width| Shape::Line { points: points.clone(), closed: false, width };
        let sector = |radius, heading, angle| Shape::Sector { centre, radius, heading, angle };
        let dash = TAU * 1.3 / 18.0 - PI;
        // Expected areas in pixels (two pixels per unit); a place inside and one outside, in world
        // units.
        let shapes = [
            (Shape::Disc { centre, radius: 10.0 }, PI * 400.0, (19.0, -5.0), (21.0, -5.0)),
            (Shape::Ring { centre, radius: 10.0 }, TAU * 20.0 * LINE, (20.0, -5.0), (10.0, -5.0)),
            (line(10.0), 120.0 * 20.0 + PI * 100.0, (-34.0, 10.0), (0.0, 16.0)),
            (line(0.0), 120.0 * LINE, (0.0, 10.0), (0.0, 12.0)),
            (Shape::Cross { centre }, 4.0 * CROSS * LINE, (12.0, -5.0), (12.0, -3.0)),
            (sector(20.0, PI / 2.0, PI / 3.0), PI / 6.0 * 1600.0, (10.0, 10.0), (10.0, -10.0)),
            // Three fifths of every second of eighteen parts of the circle.
            (
                Shape::Dashes(Dashes { turn: 1, of: 2, ..Dashes::round(centre, 14.0) }),
                9.0 * (0.6 * TAU * 28.0 / 18.0 * LINE + PI / 4.0 * LINE * LINE),
                // In the middle of the first dash.
                (10.0 + 14.0 * dash.cos(), -5.0 + 14.0 * dash.sin()),
                (-4.0, -5.0),
            ),
            (sector(10.0, 1.0, 7.0), PI * 400.0, (10.0, -14.0), (21.0, -5.0)),
        ];
        for (shape, area, inside, outside) in shapes {
            let frame = drawn_white(shape.clone(), &camera());
            let found = painted(&frame);
            assert!((found / area - 1.0).abs() < 0.08, "{shape:?}: {found} for {area}");
            let at = |(x, y)| {
                let pixel = camera().pixel_from_world(flat(x, y));
                frame.rgb(pixel.x as u32, pixel.y as u32).unwrap()
            };
            assert_ne!(at(inside), BACKGROUND, "{shape:?}");
            assert_eq!(at(outside), BACKGROUND, "{shape:?}");
        }
    }

    #[test]
    fn a_shape_is_drawn_at_any_zoom_and_place() {
        let far = Point::splat(1e7);
        for pixels_per_unit in [1e-6, 1e-3, 1.0, 1e4] {
            for centre in [Point::ZERO, far, -far, Point::splat(f32::NAN)] {
                let camera = Camera { centre, pixels_per_unit, ..camera() };
                for (place, length) in [(Point::ZERO, 1e6), (far, 1e-3), (far, 0.0)] {
                    let points = vec![Point::ZERO, place, Point::ONE];
                    for shape in [
                        Shape::Disc { centre: place, radius: length },
                        Shape::Ring { centre: place, radius: length },
                        Shape::Line { points, closed: true, width: length },
                        Shape::Line { points: Vec::new(), closed: true, width: length },
                        Shape::Cross { centre: place },
                        Shape::Dashes(Dashes::round(place, length)),
                        Shape::Sector { centre: place, radius: length, heading: 1.0, angle: 1.0 },
                    ] {
                        drawn_white(shape, &camera);
                    }
                }
            }
        }
        // From inside, the circle covers everything.
        let near = Camera { pixels_per_unit: 1e4, ..camera() };
        let disc = drawn_white(Shape::Disc { centre: flat(50.0, 0.0), radius: 100.0 }, &near);
        assert!(disc == Frame::filled(200, 100, WHITE));
    }

    #[test]
    fn the_images_of_a_band_are_no_brighter_where_they_overlap() {
        let band = |x: f32, width: f32| StyledShape {
            shape: Shape::Line {
                points: vec![flat(x, -10.0), flat(x + 40.0, 10.0)],
                closed: false,
                width,
            },
            colour: WHITE,
            opacity: 0.5,
        };
        let values = |shapes: &[StyledShape]| {
            let frame = drawn(shapes, &camera());
            let mut seen: Vec<u8> = frame.pixels.chunks_exact(4).map(|pixel| pixel[0]).collect();
            seen.sort_unstable();
            seen[seen.len() - 100]
        };
        let one = values(&[band(-40.0, 12.0)]);
        assert_eq!(values(&[band(-40.0, 12.0), band(-30.0, 12.0)]), one);
        // Control: bands of two paths are two areas.
        assert!(values(&[band(-40.0, 12.0), band(-30.0, 18.0)]) > one + 40);
    }

    #[test]
    fn bands_and_threads_leave_no_trace() {
        let disc = |i: i32| StyledShape {
            shape: Shape::Disc { centre: flat(i as f32 * 3.0, 4.0), radius: 17.3 },
            colour: [200, 30 * i as u8, 90],
            opacity: 0.4,
        };
        let shapes: Vec<StyledShape> = (0..8).map(disc).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| drawn(&shapes, &camera()))
        };
        assert!(with(1) == with(5));
    }
}
