//! Drawing on the CPU, through tiny-skia: for machines without a GPU, and to check the renderer.

use rayon::prelude::*;
use tiny_skia::{Color, FillRule, Paint, PathBuilder, PixmapMut, Transform};

use super::camera::Camera;
use super::frame::Frame;
use super::look::{self, SLENDERNESS};
use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::model::vector::Point;

/// Rows of pixels that are drawn by one thread at a time. The number is fixed, so that the picture
/// does not depend on the number of threads.
const BAND: usize = 32;

/// Agents whose darts wait in memory, placed but not drawn: 44 MB.
const PLACED: usize = 1 << 20;

/// A triangle in pixels and its colour.
struct Dart {
    nose: Point,
    left: Point,
    right: Point,
    colour: Color,
}

/// The flock from above: every agent is a triangle that points where it heads, blended over those
/// before it in the order of the rows. In a wrapped world an agent on the seam is drawn once.
///
/// The picture has the size of the camera's, at least 1 × 1.
#[must_use]
pub fn draw(scene: &Scene, state: &FlockState, camera: &Camera) -> Frame {
    let (width, height) = (camera.size.x.max(1.0) as u32, camera.size.y.max(1.0) as u32);
    let mut frame = Frame::filled(width, height, look::BACKGROUND);
    let looks: Vec<Look> = scene
        .species
        .iter()
        .map(|species| {
            let (half_length, opacity) = look::dart(species.body.size, camera.pixels_per_unit);
            Look { half_length, opacity, by: species.colour, max_speed: species.body.max_speed }
        })
        .collect();
    for start in (0..state.len()).step_by(PLACED) {
        let rows = start..state.len().min(start + PLACED);
        let darts: Vec<Dart> = rows
            .into_par_iter()
            .filter_map(|row| {
                place(looks.get(usize::from(state.species[row]))?, state, row, camera)
            })
            .collect();
        let bands = frame.pixels.par_chunks_mut(width as usize * 4 * BAND).enumerate();
        bands.for_each(|(index, pixels)| draw_band(&darts, pixels, width, index * BAND));
    }
    frame
}

/// How the agents of a species look in this picture.
struct Look {
    /// Pixels.
    half_length: f32,
    opacity: f32,
    by: crate::model::scene::ColourBy,
    /// World units per tick.
    max_speed: f32,
}

/// The dart of one agent; none when it lies outside the picture or nowhere at all.
fn place(look: &Look, state: &FlockState, row: usize, camera: &Camera) -> Option<Dart> {
    let velocity = state.velocity[row];
    let centre = camera.pixel_from_world(state.position[row]);
    let reach = Point::splat(look.half_length * 1.2 + 1.0);
    // False for NaN as well.
    let seen =
        (centre + reach).cmpgt(Point::ZERO).all() && (centre - reach).cmplt(camera.size).all();
    if !seen {
        return None;
    }
    let heading = velocity.try_normalize().unwrap_or(Point::X);
    // Rows of pixels count downwards, the world's y upwards.
    let along = Point::new(heading.x, -heading.y) * look.half_length;
    let across = along.perp() * SLENDERNESS;
    let species = state.species[row];
    let [r, g, b] = look::colour(look.by, velocity, look.max_speed, species);
    let colour = Color::from_rgba(r, g, b, look.opacity)?;
    Some(Dart {
        nose: centre + along,
        left: centre - along + across,
        right: centre - along - across,
        colour,
    })
}

/// Draws what falls on the rows of pixels from `top` on.
fn draw_band(darts: &[Dart], pixels: &mut [u8], width: u32, top: usize) {
    let rows = pixels.len() / (width as usize * 4);
    let Some(mut band) = PixmapMut::from_bytes(pixels, width, rows as u32) else { return };
    let (low, high) = (top as f32, (top + rows) as f32);
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    let mut builder = PathBuilder::new();
    for dart in darts {
        let ys = [dart.nose.y, dart.left.y, dart.right.y];
        if ys.iter().all(|y| *y < low) || ys.iter().all(|y| *y > high) {
            continue;
        }
        builder.move_to(dart.nose.x, dart.nose.y - low);
        builder.line_to(dart.left.x, dart.left.y - low);
        builder.line_to(dart.right.x, dart.right.y - low);
        builder.close();
        // None for a dart without area: nothing to draw.
        let Some(path) = builder.finish() else {
            builder = PathBuilder::new();
            continue;
        };
        paint.set_color(dart.colour);
        band.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
        // The path's memory serves the next one.
        builder = path.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scene::{BuiltIn, Request};

    fn scene(colour: &str) -> Scene {
        let text = BuiltIn::named("flock").unwrap().text;
        let overrides = [
            format!("starling.colour={colour}"),
            "world.size=[400,200]".into(),
            "world.density=10".into(),
        ];
        Scene::parse("flock", text, &overrides).unwrap()
    }

    fn camera(width: f32, height: f32) -> Camera {
        Camera {
            centre: Point::new(200.0, 100.0),
            pixels_per_unit: 2.0,
            size: Point::new(width, height),
        }
    }

    fn flock(agents: &[(Point, Point)]) -> FlockState {
        FlockState {
            tick: 0,
            id: (0..agents.len() as u32).collect(),
            species: vec![0; agents.len()],
            position: agents.iter().map(|a| a.0).collect(),
            velocity: agents.iter().map(|a| a.1).collect(),
            memory: Vec::new(),
        }
    }

    /// Connected areas that differ from the background: their pixels' columns and rows.
    fn blobs(frame: &Frame) -> Vec<Vec<(u32, u32)>> {
        let lit = |x: u32, y: u32| frame.rgb(x, y).is_some_and(|c| c != look::BACKGROUND);
        let mut seen = vec![false; (frame.width * frame.height) as usize];
        let mut blobs = Vec::new();
        for start in 0..frame.width * frame.height {
            let mut open = vec![(start % frame.width, start / frame.width)];
            let mut blob = Vec::new();
            while let Some((x, y)) = open.pop() {
                if x >= frame.width || y >= frame.height || !lit(x, y) {
                    continue;
                }
                let known = &mut seen[(y * frame.width + x) as usize];
                if std::mem::replace(known, true) {
                    continue;
                }
                blob.push((x, y));
                // Corners connect too: the tip of a slanted nose is a row of corners.
                for (dx, dy) in (0..9).map(|i| (i % 3, i / 3)) {
                    open.push(((x + dx).wrapping_sub(1), (y + dy).wrapping_sub(1)));
                }
            }
            if !blob.is_empty() {
                blobs.push(blob);
            }
        }
        blobs
    }

    #[test]
    fn every_agent_is_one_dart_at_its_place_that_points_where_it_heads() {
        let agents: Vec<(Point, Point)> = (0..28)
            .map(|i| {
                let position =
                    Point::new(25.0 + 50.0 * (i % 7) as f32, 25.0 + 50.0 * (i / 7) as f32);
                (position, Point::from_angle(i as f32 * 0.7) * 2.0)
            })
            .collect();
        let (scene, camera) = (scene("heading"), camera(800.0, 400.0));
        let frame = draw(&scene, &flock(&agents), &camera);
        let blobs = blobs(&frame);
        assert_eq!(blobs.len(), agents.len());
        for (position, velocity) in agents {
            let pixel = camera.pixel_from_world(position);
            let at = (pixel.x as u32, pixel.y as u32);
            let blob = blobs.iter().find(|blob| blob.contains(&at)).unwrap();
            // The triangle's area is half_length² · 2 · slenderness = 144 pixels.
            assert!((120..190).contains(&blob.len()), "{} pixels", blob.len());
            // Its centre of mass, pixels on its edge counting by what it covers of them, lies a
            // third of the half length behind the agent.
            let (mut mass, mut weights) = (Point::ZERO, 0.0);
            for (x, y) in blob {
                let colour = frame.rgb(*x, *y).unwrap();
                let parts = colour.iter().zip(look::BACKGROUND);
                let weight: f32 = parts.map(|(c, b)| f32::from(*c) - f32::from(b)).sum();
                mass += Point::new(*x as f32 + 0.5, *y as f32 + 0.5) * weight;
                weights += weight;
            }
            mass /= weights;
            let heading = velocity.normalize() * Point::new(1.0, -1.0);
            let expected = pixel - heading * (12.0 / 3.0);
            assert!(mass.distance(expected) < 0.25, "{mass} instead of {expected}");
            // And its farthest pixel is the nose.
            let reach = |x: u32, y: u32| Point::new(x as f32 + 0.5, y as f32 + 0.5) - pixel;
            let ahead = blob.iter().map(|(x, y)| reach(*x, *y).dot(heading)).fold(0.0, f32::max);
            let behind = blob.iter().map(|(x, y)| -reach(*x, *y).dot(heading)).fold(0.0, f32::max);
            assert!((10.5..13.0).contains(&ahead) && (10.5..13.5).contains(&behind));
            // Its colour: blended over the background.
            let colour = look::colour(scene.species[0].colour, velocity, 3.0, 0);
            let colour = [0, 1, 2].map(|i| {
                let ground = f32::from(look::BACKGROUND[i]) / 255.0;
                255.0 * (colour[i] * look::OPACITY + ground * (1.0 - look::OPACITY))
            });
            let found = frame.rgb(at.0, at.1).unwrap();
            for (found, expected) in found.iter().zip(colour) {
                assert!((f32::from(*found) - expected).abs() < 2.5, "{found} and {expected}");
            }
        }
        assert!(frame.pixels.chunks_exact(4).all(|pixel| pixel[3] == 255));
    }

    #[test]
    fn what_lies_outside_or_nowhere_is_not_drawn() {
        let far = [
            (Point::new(-1e9, 0.0), Point::X),
            (Point::new(f32::NAN, 0.0), Point::X),
            (Point::new(1000.0, 1000.0), Point::Y),
        ];
        let frame = draw(&scene("speed"), &flock(&far), &camera(80.0, 40.0));
        assert_eq!(frame, Frame::filled(80, 40, look::BACKGROUND));
    }

    #[test]
    fn the_picture_does_not_depend_on_the_number_of_threads() {
        let mut scene = scene("species");
        let request = Request { count: Some(3000), ..Request::default() };
        let state = scene.populate(&request).unwrap();
        let camera = Camera::fit(&scene.world, 321, 203);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draw(&scene, &state, &camera))
        };
        assert_eq!(with(1), with(7));
    }

    #[test]
    fn bands_leave_no_seams() {
        // One dart across many bands has the shape of its mirror image.
        let up = draw(
            &scene("species"),
            &flock(&[(Point::new(200.0, 100.0), Point::X)]),
            &Camera { pixels_per_unit: 20.0, ..camera(400.0, 256.0) },
        );
        for row in 0..128 {
            for column in 0..400 {
                let (a, b) = (up.rgb(column, row).unwrap(), up.rgb(column, 255 - row).unwrap());
                let apart = a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap();
                assert!(apart <= 40, "{column},{row}: {a:?} and {b:?}");
            }
        }
    }
}
