//! The pointer draws paths and walls.

use web_time::Instant;
use winit::event::{ElementState, KeyEvent};
use winit::keyboard::{Key, NamedKey};

use super::OpenWindow;
use crate::WindowError;
use crate::tools::{Drawing, NEAR, PATH_STEP, Press, Tool, WALL_RADIUS, handles};
use flockwork_model::behaviours::Needs;
use flockwork_model::scene::Species;
use flockwork_session::Edit;
use flockwork_view::shapes::StyledShape;

impl OpenWindow<'_> {
    /// Begins to draw a path, or ends the one that is drawn.
    pub(super) fn draw_path(&mut self) -> Result<(), WindowError> {
        if matches!(self.hand.tool, Some(Tool::Path(_))) {
            return self.end_path(false);
        }
        self.hand.tool = Some(Tool::Path(Drawing::default()));
        Ok(())
    }

    /// Begins to paint walls, or no longer.
    pub(super) fn paint_walls(&mut self) {
        if matches!(self.hand.tool.take(), Some(Tool::Walls)) {
            return;
        }
        self.hand.tool = Some(Tool::Walls);
        if !self.some_species(|needs| needs.obstacles_within.is_some()) {
            let text =
                "no species has the behaviour avoid: add it, or nothing keeps clear of walls";
            self.notify(text);
        }
    }

    /// True if a behaviour of some species has a need.
    fn some_species(&self, has: impl Fn(&Needs) -> bool) -> bool {
        let needs =
            |species: &Species| species.rules.iter().any(|rule| has(&rule.kind.info().needs));
        self.session.scene().species.iter().any(needs)
    }

    /// A key while something is drawn; false if it means what it always does.
    pub(super) fn tool_key(&mut self, key: &KeyEvent) -> Result<bool, WindowError> {
        let Some(tool) = &mut self.hand.tool else { return Ok(false) };
        if key.state != ElementState::Pressed {
            return Ok(false);
        }
        match (&key.logical_key, tool) {
            (Key::Named(NamedKey::Escape), _) | (Key::Named(NamedKey::Enter), Tool::Walls) => {
                self.hand.tool = None;
            }
            (Key::Named(NamedKey::Enter), Tool::Path(_)) => self.end_path(false)?,
            (Key::Named(NamedKey::Backspace), Tool::Path(drawing)) => drawing.shorten(),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A press of the left button on the world; false if nothing is drawn.
    pub(super) fn press_tool(&mut self) -> Result<bool, WindowError> {
        let scale = self.window.scale_factor() as f32;
        self.follow_stroke()?;
        let step = self.wall_radius() * self.hand.pointer.camera.pixels_per_unit;
        match &mut self.hand.tool {
            None => return Ok(false),
            Some(Tool::Walls) => self.hand.pointer.draw(step),
            Some(Tool::Path(drawing)) => {
                let (camera, at) = (&self.hand.pointer.camera, self.hand.pointer.at);
                match drawing.press(camera, at, NEAR * scale, Instant::now()) {
                    Press::Adds => self.hand.pointer.draw(PATH_STEP * scale),
                    Press::Ends => self.end_path(false)?,
                    Press::Closes => self.end_path(true)?,
                }
            }
        }
        Ok(true)
    }

    /// Radius of the circles of a wall: the same on the screen at every zoom, and not smaller than an
    /// agent. World units.
    fn wall_radius(&self) -> f32 {
        let scale = self.window.scale_factor() as f32;
        let sizes = self.session.scene().species.iter().map(|own| own.largest("size"));
        sizes.fold(WALL_RADIUS * scale / self.hand.pointer.camera.pixels_per_unit, f32::max)
    }

    /// Takes over what the pointer has drawn since the last call.
    pub(super) fn follow_stroke(&mut self) -> Result<(), WindowError> {
        let places = self.hand.pointer.take_stroke();
        if places.is_empty() {
            return Ok(());
        }
        match &mut self.hand.tool {
            None => {}
            Some(Tool::Path(drawing)) => drawing.extend(&places),
            Some(Tool::Walls) => {
                let radius = self.wall_radius();
                self.edit(Edit::Paint { places, radius })?;
            }
        }
        Ok(())
    }

    /// Adds the path that is drawn to the scene.
    fn end_path(&mut self, closed: bool) -> Result<(), WindowError> {
        self.follow_stroke()?;
        let Some(Tool::Path(drawing)) = self.hand.tool.take() else { return Ok(()) };
        if drawing.points.len() < 2 {
            self.notify("a path has at least two points: none was added");
            return Ok(());
        }
        let added = self.try_edit(Edit::AddPath { points: drawing.points, closed })?;
        if added && !self.some_species(|needs| needs.paths_within.is_some()) {
            let unused =
                "no species has the behaviour follow_path: add it, and agents follow the path";
            self.notify(unused);
        }
        Ok(())
    }

    /// The drawing so far, and marks on objects that can be dragged while the panel is shown.
    pub(super) fn tool_shapes(&self) -> Vec<StyledShape> {
        let scale = self.window.scale_factor() as f32;
        let unit = scale / self.hand.pointer.camera.pixels_per_unit;
        let marks = self.panels.controls_shown && self.hand.tool.is_none();
        let marks = if marks { handles(self.session.scene(), unit) } else { Vec::new() };
        let tool = self.hand.tool.as_ref().map(|tool| tool.shapes(self.hand.pointer.place(), unit));
        marks.into_iter().chain(tool.into_iter().flatten()).collect()
    }
}
