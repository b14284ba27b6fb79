//! Tools that the pointer draws with instead of the scene's click: a path, or walls.

use std::time::Duration;

use glam::Vec2;
use web_time::Instant;

use flockwork_model::scene::Scene;
use flockwork_model::vector::Point;
use flockwork_session::SceneObject;
use flockwork_view::camera::Camera;
use flockwork_view::shapes::{Shape, StyledShape};

/// Two presses within this time at one place are a double click.
const DOUBLE: Duration = Duration::from_millis(400);

/// How near to each other places count as one; points.
pub const NEAR: f32 = 8.0;

/// Distance between two points of a path that is drawn by a drag; points.
pub const PATH_STEP: f32 = 24.0;

/// Radius of the circles of a wall; points.
pub const WALL_RADIUS: f32 = 10.0;

/// Colour of what is drawn and of what can be dragged.
const LINE: [u8; 3] = [120, 200, 255];

/// A tool of the pointer.
#[derive(Clone, Debug)]
pub enum Tool {
    Path(Drawing),
    /// Obstacles side by side.
    Walls,
}

impl Tool {
    /// The user's hints for it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Path(_) => {
                "path: click or drag   ·   Enter: done   ·   Backspace: a point back   ·   Esc: let it be"
            }
            Self::Walls => "walls: drag   ·   Ctrl+Z: undo a stroke   ·   W or Esc: done",
        }
    }

    /// The shapes that it has drawn so far and the world does not show yet. The mouse is at `at`; `unit` is the
    /// number of world units in a point of the screen.
    pub fn shapes(&self, at: Point, unit: f32) -> Vec<StyledShape> {
        match self {
            Self::Path(drawing) => {
                let line = drawing.points.iter().copied().chain([at]).collect();
                let line = Shape::Line { points: line, closed: false, width: 0.0 };
                let rings = drawing.points.iter().map(|point| handle(*point, unit));
                [styled(line)].into_iter().chain(rings).collect()
            }
            Self::Walls => {
                vec![styled(Shape::Ring { centre: at, radius: WALL_RADIUS * unit })]
            }
        }
    }
}

fn styled(shape: Shape) -> StyledShape {
    StyledShape { shape, colour: LINE, opacity: 0.9 }
}

fn handle(centre: Point, unit: f32) -> StyledShape {
    styled(Shape::Ring { centre, radius: 4.5 * unit })
}

/// Marks on the points of paths, which can be dragged.
pub fn handles(scene: &Scene, unit: f32) -> Vec<StyledShape> {
    SceneObject::path_points(scene).map(|(_, point)| handle(point, unit)).collect()
}

/// A path while it is drawn.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    pub points: Vec<Point>,
    /// Time and pixel of the last press.
    pressed: Option<(Instant, Vec2)>,
}

/// The effect of a press on a path that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    Adds,
    Ends,
    /// It ends the path where it has begun.
    Closes,
}

impl Drawing {
    /// Adds points. Those at one place are one.
    pub fn extend(&mut self, places: &[Point]) {
        for place in places {
            if self.points.last() != Some(place) {
                self.points.push(*place);
            }
        }
    }

    /// Takes the last point away.
    pub fn shorten(&mut self) {
        self.points.pop();
    }

    /// A press at a pixel; `near` is how many pixels count as one place.
    pub fn press(&mut self, camera: &Camera, pixel: Vec2, near: f32, now: Instant) -> Press {
        let last = self.pressed.replace((now, pixel));
        let is_double = |(then, there): (Instant, Vec2)| {
            now.saturating_duration_since(then) < DOUBLE && there.distance(pixel) < near
        };
        let begin = self.points.first().map(|point| camera.pixel_from_world(*point));
        if last.is_some_and(is_double) {
            Press::Ends
        } else if self.points.len() > 2 && begin.is_some_and(|begin| begin.distance(pixel) < near) {
            Press::Closes
        } else {
            Press::Adds
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::vector::flat;
    use flockwork_model::world::{Boundary, World};

    #[test]
    fn a_double_click_ends_a_path_and_its_first_point_closes_it() {
        let world = World { size: flat(640.0, 360.0), boundary: Boundary::Walls };
        let camera = Camera::fit(&world, 640, 360);
        let mut drawing = Drawing::default();
        let begin = Instant::now();
        let mut press = |x: f32, y: f32, after: u64| {
            let pixel = Vec2::new(x, y);
            let now = begin + Duration::from_millis(after);
            let press = drawing.press(&camera, pixel, NEAR, now);
            if press == Press::Adds {
                drawing.extend(&[camera.world_from_pixel(pixel)]);
            }
            press
        };
        assert_eq!(press(100.0, 100.0, 0), Press::Adds);
        assert_eq!(press(300.0, 100.0, 100), Press::Adds, "quick, but elsewhere");
        assert_eq!(press(301.0, 100.0, 900), Press::Adds, "there, but late");
        assert_eq!(press(303.0, 101.0, 1200), Press::Ends);
        assert_eq!(press(103.0, 102.0, 2000), Press::Closes);
        assert_eq!(drawing.points, [100.0, 300.0, 301.0].map(|x| flat(x, 260.0)));
        drawing.shorten();
        drawing.extend(&[flat(300.0, 260.0), flat(7.0, 7.0), flat(7.0, 7.0)]);
        assert_eq!(drawing.points.len(), 3, "the same place twice is one point");
        let shapes = Tool::Path(drawing).shapes(Point::ZERO, 1.0);
        assert_eq!(shapes.len(), 4);
    }
}
