//! Chooses which agents show their geometry and paints it over the flock.

use std::f32::consts::TAU;
use std::time::{Duration, Instant};

use egui::epaint::{Mesh, PathShape, PathStroke};
use egui::{Color32, LayerId, Order, Painter, Pos2, Shape as Painted, Stroke, vec2};

use crate::engine::EngineError;
use crate::model::behaviours::Target;
use crate::model::scenery::Scenery;
use crate::model::state::FlockState;
use crate::model::vector::Point;
use crate::model::world::World;
use crate::session::{RealTime, Session};
use crate::view::camera::Camera;
use crate::view::shapes::geometry::{self, MOST_AGENTS};
use crate::view::shapes::{Dashes, Shape, StyledShape};

/// A flock larger than this is read back only once per `INTERVAL`, not every frame.
const LARGE: usize = 100_000;
const INTERVAL: Duration = Duration::from_millis(200);

/// Width of lines, and least radius of points; points of the screen.
const THIN: f32 = 1.25;
const DOT: f32 = 2.6;

/// Least radius of a circle; points of the screen.
const SMALLEST: f32 = 5.0;

/// With more agents than this, areas are more transparent: what is under all of them stays visible.
const PALING: f32 = 6.0;

/// Half the length of a cross's arms; points of the screen.
const CROSS: f32 = 5.0;

/// Line segments of a full circle.
const CORNERS: f32 = 64.0;

/// Which agents show their geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Focus {
    None,
    /// One agent: first the one nearest to the mouse, then each agent that the moving mouse passes
    /// over. While the mouse is elsewhere, the last one keeps its geometry, so that the mouse is
    /// free for the sliders.
    One,
    All,
}

/// The flock as it was last read.
struct Sample {
    revision: u64,
    since: Instant,
    state: FlockState,
    targets: Vec<Target>,
}

/// Shows the geometry of agents.
pub struct Inspector {
    focus: Focus,
    sample: Option<Sample>,
    /// With the revision of the scene that it was made from.
    scenery: Option<(u64, Scenery)>,
    /// The row of the chosen agent.
    chosen: Option<usize>,
    /// The mouse's last place over the flock; pixels.
    pixel: Option<Point>,
    /// True when the mouse has moved since.
    pointed: bool,
}

/// A behaviour's name and colour.
pub type Legend = Vec<(&'static str, [u8; 3])>;

impl Inspector {
    /// An inspector that shows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            focus: Focus::None,
            sample: None,
            scenery: None,
            chosen: None,
            pixel: None,
            pointed: false,
        }
    }

    /// Forgets the flock that it has read, because another one is shown.
    pub fn forget(&mut self) {
        (self.sample, self.scenery, self.chosen) = (None, None, None);
    }

    /// The mouse is over the flock at `pixel`.
    pub fn point_at(&mut self, pixel: Point) {
        self.pixel = Some(pixel);
        self.pointed = true;
    }

    /// Cycles through no agent, one agent and all agents; skips the last when `agents` are too
    /// many. Returns a notice for the user.
    pub fn switch(&mut self, agents: usize) -> Option<String> {
        (self.sample, self.chosen) = (None, None);
        let (focus, notice) = match self.focus {
            Focus::None => (Focus::One, None),
            Focus::One if agents <= MOST_AGENTS => (Focus::All, None),
            Focus::One => {
                let most = format!("geometry of all agents: in flocks of {MOST_AGENTS} at most");
                (Focus::None, Some(most))
            }
            Focus::All => (Focus::None, None),
        };
        self.focus = focus;
        notice
    }

    /// The shapes to show now. `near` is how far from an agent the mouse still selects it; pixels.
    pub fn shapes(
        &mut self,
        session: &mut Session<RealTime>,
        camera: &Camera,
        near: f32,
    ) -> Result<(Vec<StyledShape>, Legend), EngineError> {
        let pointed = std::mem::take(&mut self.pointed);
        if self.focus == Focus::None {
            return Ok(Default::default());
        }
        self.look_at(session)?;
        let edition = session.edition();
        if self.scenery.as_ref().is_none_or(|(of, _)| *of != edition) {
            self.scenery = Some((edition, session.scene().scenery()));
        }
        let (Some(sample), Some((_, scenery))) = (&self.sample, &self.scenery) else {
            return Ok(Default::default());
        };
        let all = self.focus == Focus::All && sample.state.len() <= MOST_AGENTS;
        let agents: Vec<usize> = if all {
            (0..sample.state.len()).collect()
        } else {
            let kept = self.chosen.filter(|row| *row < sample.state.len());
            if pointed || kept.is_none() {
                let place = camera.world_from_pixel(self.pixel.unwrap_or(camera.size * 0.5));
                let found = nearest(&sample.state, &session.scene().world, place);
                let meant = |(_, distance): &(usize, f32)| {
                    kept.is_none() || distance * camera.pixels_per_unit < near
                };
                self.chosen = found.filter(meant).map(|(row, _)| row).or(kept);
            }
            self.chosen.into_iter().collect()
        };
        let scene = session.scene().at(sample.state.tick);
        let mut legend = Legend::new();
        for (index, species) in scene.species.iter().enumerate() {
            if agents.iter().any(|row| usize::from(sample.state.species[*row]) == index) {
                for (kind, colour) in geometry::legend(species) {
                    let entry = (kind.info().key, colour);
                    // Species with the same behaviour share a line.
                    if !legend.contains(&entry) {
                        legend.push(entry);
                    }
                }
            }
        }
        let (state, targets) = (&sample.state, &sample.targets);
        let mut shapes = geometry::shapes_of_all(&scene, scenery, targets, state, &agents);
        let paleness = (PALING / agents.len() as f32).min(1.0);
        for shape in &mut shapes {
            if matches!(shape.shape, Shape::Sector { .. }) {
                shape.opacity *= paleness;
            }
        }
        Ok((shapes, legend))
    }

    fn look_at(&mut self, session: &mut Session<RealTime>) -> Result<(), EngineError> {
        let revision = session.revision();
        let interval = if session.agents() > LARGE { INTERVAL } else { Duration::ZERO };
        let good =
            |sample: &Sample| sample.revision == revision || sample.since.elapsed() < interval;
        if !self.sample.as_ref().is_some_and(good) {
            let (state, targets) = (session.state()?, session.targets()?);
            self.sample = Some(Sample { revision, since: Instant::now(), state, targets });
        }
        Ok(())
    }
}

/// The row of the agent nearest to a place, and its distance in world units.
fn nearest(state: &FlockState, world: &World, place: Point) -> Option<(usize, f32)> {
    let distance = |p: &Point| world.shortest_between(place, *p).length();
    let rows = state.position.iter().map(distance).enumerate();
    rows.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Paints shapes over the flock and behind the interface.
pub fn paint(context: &egui::Context, camera: &Camera, shapes: &[StyledShape]) {
    let layer = LayerId::new(Order::Background, egui::Id::unique("geometry"));
    let painter = WorldPainter {
        painter: context.layer_painter(layer),
        camera,
        pixels_per_point: context.pixels_per_point(),
    };
    shapes.iter().for_each(|shape| painter.draw(shape));
}

struct WorldPainter<'a> {
    painter: Painter,
    camera: &'a Camera,
    pixels_per_point: f32,
}

impl WorldPainter<'_> {
    fn place(&self, place: Point) -> Pos2 {
        let pixel = self.camera.pixel_from_world(place) / self.pixels_per_point;
        Pos2::new(pixel.x, pixel.y)
    }

    fn length(&self, length: f32) -> f32 {
        length * self.camera.pixels_per_unit / self.pixels_per_point
    }

    fn draw(&self, shape: &StyledShape) {
        let [r, g, b] = shape.colour;
        let opacity = (shape.opacity.clamp(0.0, 1.0) * 255.0) as u8;
        let colour = Color32::from_rgba_unmultiplied(r, g, b, opacity);
        let stroke = |width: f32| Stroke::new(self.length(width).max(THIN), colour);
        match &shape.shape {
            Shape::Disc { centre, radius } => {
                let radius = self.length(*radius).max(DOT);
                self.painter.circle_filled(self.place(*centre), radius, colour);
            }
            Shape::Ring { centre, radius } => {
                let radius = self.length(*radius).max(SMALLEST);
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
        }
    }

    fn dashes(&self, dashes: &Dashes, stroke: Stroke) {
        let shown = self.length(dashes.radius).max(SMALLEST);
        let centre = self.place(dashes.centre);
        // The screen's y axis points down.
        let at = |angle: f32| centre + shown * vec2(angle.cos(), -angle.sin());
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
            mesh.colored_vertex(self.place(centre + Point::from_angle(turn) * radius), colour);
            if step > 0 {
                mesh.add_triangle(0, step, step + 1);
            }
        }
        self.painter.add(Painted::mesh(mesh));
    }
}
