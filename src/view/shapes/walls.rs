//! The edges of a world as shapes: its walls, or its seam.

use crate::camera::Camera;
use crate::shapes::{Shape, StyledShape, edges};
use flockwork_model::scene::Scene;
use flockwork_model::vector::{Point, flat};
use flockwork_model::world::{Boundary, World};

/// An edge of the world nearer than this to the edge of the picture is not marked; pixels.
const AT_THE_EDGE: f32 = 1.5;

const SEAM: ([u8; 3], f32) = ([255; 3], 0.15);
const SEAM_IN_SPACE: ([u8; 3], f32) = ([255; 3], 0.22);
const WALL: ([u8; 3], f32) = ([112, 126, 150], 0.45);
/// The walls of a space; the opacity of what mirrors everything.
const GLASS: ([u8; 3], f32) = ([196, 220, 230], 0.4);
const GLASS_EDGE: ([u8; 3], f32) = ([196, 220, 230], 0.3);

/// The walls of a world that has some: in space panes of glass.
pub fn wall_shapes(world: &World) -> Vec<StyledShape> {
    if world.boundary != Boundary::Walls {
        return Vec::new();
    }
    if !world.is_flat() {
        return [pane_shapes(world.size), box_shapes(world.size, GLASS_EDGE)].concat();
    }
    let Point { x, y, .. } = world.size;
    let points = vec![Point::ZERO, flat(x, 0.0), world.size, flat(0.0, y)];
    vec![StyledShape::new(Shape::Line { points, closed: true, width: 0.0 }, WALL)]
}

/// The walls and the lid of a space of this size. It stands on its ground.
fn pane_shapes(size: Point) -> Vec<StyledShape> {
    let along = |axis: usize| Point::AXES[axis] * size[axis];
    let pane = |axis: usize, corner: Point| {
        let sides = [along((axis + 1) % 3), along((axis + 2) % 3)];
        StyledShape::new(Shape::Pane { corner, sides }, GLASS)
    };
    let near = [0, 1].map(|axis| pane(axis, Point::ZERO));
    near.into_iter().chain((0..3).map(|axis| pane(axis, along(axis)))).collect()
}

/// The edges of a space of this size.
fn box_shapes(size: Point, paint: ([u8; 3], f32)) -> Vec<StyledShape> {
    let line = |ends: [Point; 2]| Shape::Line { points: ends.into(), closed: false, width: 0.0 };
    edges(size).map(|ends| StyledShape::new(line(ends), paint)).collect()
}

/// The edges of a wrapped world on the sides where the picture extends beyond it, if the style has them.
pub fn seam_shapes(scene: &Scene, camera: &Camera) -> Vec<StyledShape> {
    let world = &scene.world;
    let wraps = world.boundary == Boundary::Wrap && camera.period == Point::ZERO;
    if !wraps || !scene.style.shows_frame(world.is_flat()) {
        return Vec::new();
    }
    if !world.is_flat() {
        return box_shapes(world.size, SEAM_IN_SPACE);
    }
    let Point { x, y, .. } = world.size;
    let corners = [Point::ZERO, flat(x, 0.0), world.size, flat(0.0, y)];
    let side = |(number, from): (usize, Point)| {
        let to = corners[(number + 1) % 4];
        let pixel = camera.pixel_from_world(from);
        // Sides go along x and y in turn.
        let (place, size) =
            if number % 2 == 0 { (pixel.y, camera.size.y) } else { (pixel.x, camera.size.x) };
        // A turned picture shows parts of every side.
        let inside = camera.turn.y != 0.0 || place > AT_THE_EDGE && place < size - AT_THE_EDGE;
        let line = Shape::Line { points: vec![from, to], closed: false, width: 0.0 };
        inside.then(|| StyledShape::new(line, SEAM))
    };
    corners.into_iter().enumerate().filter_map(side).collect()
}
