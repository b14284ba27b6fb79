//! Paints shapes of the world with egui.

use std::f32::consts::TAU;

use egui::epaint::{Mesh, PathShape, PathStroke};
use egui::{Color32, LayerId, Order, Painter, Pos2, Shape as Painted, Stroke, vec2};

use flockwork_model::vector::{Point, flat};
use flockwork_view::camera::{Camera, Eye};
use flockwork_view::shapes::{Dashes, LINE, Shape, StyledShape};
use flockwork_view::space::Sight;
use flockwork_view::space::lighting::Lighting;
use flockwork_view::space::solids::{self, Corner, Solids};

/// Least radius of points; points of the screen.
const MIN_DOT_RADIUS: f32 = 2.6;

/// Least radius of a circle; points of the screen.
const MIN_RADIUS: f32 = 5.0;

/// Half the length of a cross's arms; points of the screen.
const CROSS: f32 = 5.0;

/// Line segments of a full circle.
const CORNERS: f32 = 64.0;

/// Paints shapes over the flock and behind the interface.
pub fn paint(context: &egui::Context, camera: &Camera, shapes: &[StyledShape]) {
    let layer = LayerId::new(Order::Background, egui::Id::unique("geometry"));
    if let Some(eye) = &camera.eye {
        return paint_in_space(context, layer, (camera, eye), shapes);
    }
    for shape in shapes {
        for moved in shape.shape.offsets(camera) {
            let painter = context.layer_painter(layer);
            let pixels_per_point = context.pixels_per_point();
            WorldPainter { painter, camera, moved, pixels_per_point }.draw(shape);
        }
    }
}

/// The triangles of shapes in space, from far to near.
fn paint_in_space(
    context: &egui::Context,
    layer: LayerId,
    (camera, eye): (&Camera, &Eye),
    shapes: &[StyledShape],
) {
    let scale = context.pixels_per_point();
    let sight = Sight { camera, eye, lighting: &Lighting::clear(eye), scale };
    let Solids { opaque, translucent } = solids::of(shapes, sight);
    let mut triangles: Vec<&[Corner]> =
        opaque.chunks_exact(3).chain(translucent.chunks_exact(3)).collect();
    let nearness = |corners: &[Corner]| corners.iter().map(|c| c.position[2]).sum::<f32>();
    triangles.sort_by(|a, b| nearness(a).total_cmp(&nearness(b)));
    let mut mesh = Mesh::default();
    for (number, corners) in triangles.into_iter().enumerate() {
        for Corner { position: [x, y, _], colour } in corners {
            let [r, g, b, a] = colour.map(|channel| (255.0 * channel + 0.5) as u8);
            let colour = Color32::from_rgba_premultiplied(r, g, b, a);
            mesh.colored_vertex(Pos2::new(x / scale, y / scale), colour);
        }
        let first = 3 * number as u32;
        mesh.add_triangle(first, first + 1, first + 2);
    }
    context.layer_painter(layer).add(Painted::mesh(mesh));
}

struct WorldPainter<'a> {
    painter: Painter,
    camera: &'a Camera,
    /// From a shape's own place to where the camera shows it, perhaps beyond a seam.
    moved: Point,
    pixels_per_point: f32,
}

impl WorldPainter<'_> {
    fn place(&self, place: Point) -> Pos2 {
        let pixel = self.camera.pixel_from_world(place + self.moved) / self.pixels_per_point;
        Pos2::new(pixel.x, pixel.y)
    }

    fn length(&self, length: f32) -> f32 {
        length * self.camera.pixels_per_unit / self.pixels_per_point
    }

    fn draw(&self, shape: &StyledShape) {
        let [r, g, b] = shape.colour;
        let opacity = (shape.opacity.clamp(0.0, 1.0) * 255.0) as u8;
        let colour = Color32::from_rgba_unmultiplied(r, g, b, opacity);
        let stroke = |width: f32| Stroke::new(self.length(width).max(LINE), colour);
        match &shape.shape {
            Shape::Disc { centre, radius } => {
                let radius = self.length(*radius).max(MIN_DOT_RADIUS);
                self.painter.circle_filled(self.place(*centre), radius, colour);
            }
            Shape::Ring { centre, radius } => {
                let radius = self.length(*radius).max(MIN_RADIUS);
                self.painter.circle_stroke(self.place(*centre), radius, stroke(0.0));
            }
            Shape::Line { points, closed, width } => {
                let points = points.iter().map(|point| self.place(*point)).collect();
                let stroke = PathStroke::from(stroke(*width));
                self.painter.add(if *closed {
                    PathShape::closed_line(points, stroke)
                } else {
                    PathShape::line(points, stroke)
                });
            }
            Shape::Cross { centre } => {
                let Pos2 { x, y } = self.place(*centre);
                self.painter.hline(x - CROSS..=x + CROSS, y, stroke(0.0));
                self.painter.vline(x, y - CROSS..=y + CROSS, stroke(0.0));
            }
            Shape::Sector { centre, radius, heading, angle } => {
                self.fan(*centre, *radius, *heading, *angle, colour);
            }
            Shape::Dashes(dashes) => self.dashes(dashes, stroke(0.0)),
            // They belong to a space.
            Shape::Cone { .. } | Shape::Pane { .. } => {}
        }
    }

    fn dashes(&self, dashes: &Dashes, stroke: Stroke) {
        let shown = self.length(dashes.radius).max(MIN_RADIUS);
        let centre = self.place(dashes.centre);
        let turned = self.camera.turn.y.atan2(self.camera.turn.x);
        // The screen's y axis points down.
        let at = |angle: f32| centre + shown * vec2((angle - turned).cos(), (turned - angle).sin());
        for (start, end) in dashes.dashes(shown) {
            let steps = ((end - start) / TAU * CORNERS).ceil().max(1.0);
            let along = |step: u32| at(start + (end - start) * step as f32 / steps);
            let points = (0..=steps as u32).map(along).collect();
            self.painter.add(PathShape::line(points, stroke));
        }
    }

    /// A fan of triangles round a corner: a sector of more than half a circle is not convex.
    fn fan(&self, centre: Point, radius: f32, heading: f32, angle: f32, colour: Color32) {
        let mut mesh = Mesh::default();
        mesh.colored_vertex(self.place(centre), colour);
        let steps = (angle / TAU * CORNERS).ceil().max(1.0) as u32;
        for step in 0..=steps {
            let turn = heading + angle * (step as f32 / steps as f32 - 0.5);
            mesh.colored_vertex(self.place(centre + flat(turn.cos(), turn.sin()) * radius), colour);
            if step > 0 {
                mesh.add_triangle(0, step, step + 1);
            }
        }
        self.painter.add(Painted::mesh(mesh));
    }
}
