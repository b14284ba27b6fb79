//! Carries out the commands of keys, panels and the pointer.

use web_time::Instant;
use winit::window::Fullscreen;

use super::OpenWindow;
use super::frames::NEAR;
use super::scenes::{NEW, NEW_NAME};
use super::time::SECOND;
use crate::WindowError;
use crate::command::Command;
use crate::keys::Action;
use flockwork_engine::{EngineError, EngineKind};
use flockwork_model::scene::{Click, Scene};
use flockwork_model::vector::Point;
use flockwork_session::{Edit, EditError, SceneObject, SpawnBatch};
use flockwork_view::camera::Camera;

/// How near the mouse must be to a target to take hold of it; points.
const REACH: f32 = 10.0;

/// In a space, the target of the file or the obstacle that is seen at the pixel of a place, or
/// within `reach` of it. If there are several, it is the one whose middle is nearest to the pixel.
fn object_seen_at(camera: &Camera, scene: &Scene, at: Point, reach: f32) -> Option<SceneObject> {
    let pixel = camera.pixel_from_world(at);
    let reach = reach * camera.pixels_per_unit;
    let near = SceneObject::all(scene).filter_map(|(object, place, radius)| {
        let seen = camera.seen(camera.image(place))?;
        let distance = seen.pixel.distance(pixel);
        (distance <= reach.max(radius * seen.pixels_per_unit)).then_some((object, distance))
    });
    near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(object, _)| object)
}

/// The hold of the pointer on an object, which moves at its own depth.
#[derive(Clone, Copy)]
pub(super) struct Grasp {
    /// The place of the pointer when it took hold.
    pointer: Point,
    /// The place of the object then.
    place: Point,
    /// How far the object goes for each unit that the pointer goes.
    scale: f32,
}

impl Grasp {
    fn new(camera: &Camera, pointer: Point, place: Point) -> Self {
        let seen = camera.seen(camera.image(place));
        let scale = seen.map_or(1.0, |seen| camera.pixels_per_unit / seen.pixels_per_unit);
        Self { pointer, place, scale }
    }

    /// The place of the object when the pointer is at `pointer`.
    fn moved(&self, pointer: Point) -> Point {
        self.place + (pointer - self.pointer) * self.scale
    }
}

impl OpenWindow<'_> {
    pub(super) fn act(&mut self, action: Action) -> Result<bool, WindowError> {
        match action {
            // A page ends when it is left.
            Action::Quit => return Ok(cfg!(target_family = "wasm")),
            Action::Close => self.close_topmost(),
            Action::Pause => self.pause(),
            Action::Step => self.step(),
            Action::StepBack => self.step_back(),
            Action::Back => self.leap(-SECOND),
            Action::Forward => self.leap(SECOND),
            Action::ToEnd => self.go_to(self.session.span().1),
            Action::Slower => self.change_speed(-1),
            Action::Faster => self.change_speed(1),
            Action::Timeline => self.panels.timeline.toggle(),
            Action::Jump => self.panels.timeline.ask(),
            Action::Reset => {
                let done = self.session.reset();
                self.refuse(done)?;
            }
            Action::Undo => {
                let undone = self.session.undo();
                self.tell_done(undone)?;
            }
            Action::Redo => {
                let redone = self.session.redo();
                self.tell_done(redone)?;
            }
            Action::SwitchEngine => self.switch_engine()?,
            Action::Metrics => self.panels.metrics.shown = !self.panels.metrics.shown,
            Action::SaveMetrics => self.save_metrics(),
            Action::Sliders => self.panels.controls_shown = !self.panels.controls_shown,
            Action::Scenes => {
                let name = self.session.scene().name.clone();
                self.panels.scenes.toggle(&name);
            }
            Action::PreviousScene => self.step_scene(-1)?,
            Action::NextScene => self.step_scene(1)?,
            Action::New => self.start_text(NEW_NAME, NEW.into())?,
            Action::Save => self.save_scene(),
            Action::SaveSession => self.save_session(),
            Action::OpenKept => self.open_kept()?,
            Action::CopyText => self.copy_text(),
            Action::CopyLine => self.copy_line(),
            Action::Paste => self.paste_scene()?,
            Action::Picture => self.begin_picture()?,
            Action::Film => self.film(false)?,
            Action::FilmExact => self.film(true)?,
            Action::Keys => self.panels.keys_shown = !self.panels.keys_shown,
            Action::Overlay => self.panels.overlay = self.panels.overlay.next(),
            Action::Geometry => {
                if let Some(notice) = self.panels.inspector.switch(self.session.agents()) {
                    self.notify(notice);
                }
            }
            Action::Follow => {
                if !self.panels.inspector.toggle_following() {
                    self.notify("Ctrl and a click choose the agent to follow");
                }
            }
            Action::Ride if self.hand.pointer.camera.eye.is_none() => {
                self.notify("in a plane there is no riding; F follows the agent");
            }
            Action::Ride => {
                if !self.panels.inspector.toggle_riding() {
                    self.notify("Ctrl and a click choose the agent to ride with");
                }
            }
            Action::DrawPath => self.draw_path()?,
            Action::PaintWalls => self.paint_walls(),
            Action::LetGo => self.panels.inspector.let_go(),
            Action::Species(index) => {
                let species = &self.session.scene().species;
                if species.len() > 1 && index < species.len() {
                    self.hand.dropping = index;
                }
            }
            Action::WholeWorld => {
                self.panels.inspector.stop_following();
                self.hand.pointer.fit(&self.session.scene().world);
            }
            Action::WriteView => self.write_view()?,
            Action::WriteKey => self.write_key()?,
            Action::FullScreen => {
                let full = self.window.fullscreen().is_none();
                self.window.set_fullscreen(full.then_some(Fullscreen::Borderless(None)));
            }
        }
        Ok(true)
    }

    /// Closes the topmost thing that is open over the flock, if there is one.
    fn close_topmost(&mut self) {
        if std::mem::take(&mut self.panels.keys_shown) {
        } else if self.panels.scenes.shown {
            self.panels.scenes.shown = false;
        } else if self.panels.inspector.holds() {
            self.panels.inspector.let_go();
        } else if !self.panels.metrics.close() && !self.panels.timeline.close() {
            self.panels.controls_shown = false;
        }
    }

    /// Does what the user or the host has asked for; false when the window shall close.
    pub(super) fn carry_out(&mut self, command: Command) -> Result<bool, WindowError> {
        match command {
            Command::Act(action) => return self.act(action),
            Command::Open(name) => self.open(&name)?,
            Command::OpenText { name, text } => self.start_text(&name, text)?,
            Command::Restart(request) => self.restart(request)?,
            Command::Edit(edit) => self.edit(edit)?,
            Command::GoTo(tick) => self.go_to(tick),
            Command::Speed(speed) => self.session.clock.set_speed(speed),
            Command::Tell(text) => self.notify(text),
            Command::PictureSize(size) => self.films.size = size,
        }
        Ok(true)
    }

    /// The place in the middle of the view.
    pub(super) fn middle(&self) -> Point {
        let camera = self.hand.pointer.camera;
        camera.world_from_pixel(camera.size * 0.5)
    }

    /// Inspects the agent nearest to the mouse with Ctrl, or the one under the mouse while the mouse
    /// chooses one and a click has nothing to do in this scene but to call the flock.
    pub(super) fn take_agent(&mut self) -> Result<bool, WindowError> {
        let asked = self.hand.modifiers.control_key() || self.hand.modifiers.super_key();
        let chooses = self.panels.inspector.chooses() && self.session.scene().click == Click::Call;
        if !(asked || chooses) || self.hand.pointer.adds() {
            return Ok(false);
        }
        let scale = self.window.scale_factor() as f32;
        let near = NEAR * scale / self.hand.pointer.camera.pixels_per_unit;
        let reach = if asked { f32::INFINITY } else { near };
        let (camera, place) = (self.hand.pointer.camera, self.hand.pointer.place());
        Ok(self.panels.inspector.take(&mut self.session, &camera, place, reach)?)
    }

    /// Takes hold of the target or the obstacle under the mouse, while the panel shows them.
    pub(super) fn take_object(&mut self) -> Result<bool, WindowError> {
        if !self.panels.controls_shown {
            return Ok(false);
        }
        let camera = &self.hand.pointer.camera;
        let reach = REACH * self.window.scale_factor() as f32 / camera.pixels_per_unit;
        let at = self.hand.pointer.place();
        let scene = self.session.present_scene()?;
        self.hand.held = match camera.eye {
            // The one that is seen under the mouse, at any depth.
            Some(_) => object_seen_at(camera, scene, at, reach),
            None => SceneObject::at(scene, at, reach),
        };
        if let Some(place) = self.hand.held.and_then(|object| object.place(scene)) {
            self.hand.grasp = Some(Grasp::new(camera, at, place));
            self.hand.pointer.drag();
        }
        Ok(self.hand.held.is_some())
    }

    fn switch_engine(&mut self) -> Result<(), WindowError> {
        let other = match self.session.engine().kind() {
            EngineKind::Gpu => EngineKind::Cpu,
            EngineKind::Cpu => EngineKind::Gpu,
        };
        let engine = (self.options.engines)(other, Some(self.display.screen.gpu()));
        match engine.and_then(|engine| self.session.switch(engine)) {
            Ok(()) => self.warn_of_software(),
            Err(error @ EngineError::NotYet) => return Err(error.into()),
            Err(error) => self.notify(format!("still on the same engine: {error}")),
        }
        Ok(())
    }

    /// Says once that the CPU engine is faster than a GPU that is software.
    pub(super) fn warn_of_software(&mut self) {
        let slow = self.session.engine().kind() == EngineKind::Gpu
            && self.display.screen.gpu().is_software();
        if slow && !std::mem::replace(&mut self.notices.warned, true) {
            self.notify("this GPU is software: the CPU engine is faster here, E switches to it");
        }
    }

    /// Edits the flock, or says why not; false if not.
    pub(super) fn try_edit(&mut self, edit: Edit) -> Result<bool, WindowError> {
        if matches!(edit, Edit::Targets(_) | Edit::Obstacles(_) | Edit::Paths(_)) {
            self.hand.held = None;
        }
        let refused = self.session.edit(edit);
        self.refuse(refused)
    }

    /// The same for an edit after which nothing else happens.
    pub(super) fn edit(&mut self, edit: Edit) -> Result<(), WindowError> {
        self.try_edit(edit).map(|_| ())
    }

    /// Says why something was not done; false if it was not. A lost device is an error, and so is a flock
    /// that is not here yet.
    pub(super) fn refuse(&mut self, done: Result<(), EditError>) -> Result<bool, WindowError> {
        match done {
            Err(EditError::Engine(error)) => Err(error.into()),
            Err(why) => {
                self.notify(why.to_string());
                Ok(false)
            }
            Ok(()) => Ok(true),
        }
    }

    /// Says what was done, or why it was not.
    fn tell_done(&mut self, done: Result<String, EditError>) -> Result<(), WindowError> {
        let done = done.map(|text| self.notify(text));
        self.refuse(done).map(|_| ())
    }

    pub fn notify(&mut self, notice: impl Into<String>) {
        self.notices.shown = Some((notice.into(), Instant::now()));
    }

    /// Says the name of a new file, or why there is none.
    pub(super) fn tell_saved(&mut self, saved: Result<String, String>) {
        self.notify(saved.map_or_else(|problem| problem, |name| format!("saved: {name}")));
    }

    /// Applies what the pointer has asked for since the last frame. Each kind of edit is applied
    /// once a frame.
    pub(super) fn apply_edits(&mut self) -> Result<(), WindowError> {
        self.follow_stroke()?;
        self.edit(Edit::Pointer(self.hand.pointer.call()))?;
        if let Some(place) = self.hand.pointer.take_lead() {
            self.edit(Edit::Lead(place))?;
        }
        let places = self.hand.pointer.take_drops();
        let species = self.session.scene().species.get(self.hand.dropping);
        if let Some(species) = species.filter(|_| !places.is_empty()) {
            let species = species.name.clone();
            self.edit(Edit::Spawn(vec![SpawnBatch { species, places, newcomers: 0 }]))?;
        }
        let clicks = self.hand.pointer.take_clicks();
        match self.session.scene().click {
            Click::Path if clicks > 0 => self.edit(Edit::NewPath)?,
            // Two swaps cancel out.
            Click::Flee if clicks % 2 == 1 => self.edit(Edit::SwapSeekFlee)?,
            _ => {}
        }
        if let Some(place) = self.hand.pointer.take_drag() {
            if self.hand.held.is_none() {
                self.hand.held = self.session.nearest_object(place)?;
            }
            if let Some(object) = self.hand.held {
                let place = self.hand.grasp.map_or(place, |grasp| grasp.moved(place));
                self.edit(Edit::moving(self.session.scene(), object, place))?;
            }
        }
        if !self.hand.pointer.is_dragging() {
            (self.hand.held, self.hand.grasp) = (None, None);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dragged_object_stays_under_the_mouse_at_any_depth() {
        for size in ["[400, 300]", "[400, 300, 200]"] {
            let text = format!("[world]\nsize = {size}\n[species.a]\n");
            let scene = Scene::parse("test", &text).unwrap();
            let camera = Camera::fit(&scene.world, 1280, 720);
            let height = scene.world.size.z;
            for place in [Point::new(290.0, 10.0, 0.1 * height), Point::new(50.0, 280.0, height)] {
                let seen = |place: Point| camera.seen(camera.image(place)).unwrap().pixel;
                let (before, after) = (seen(place), seen(place) + 25.0);
                let grasp = Grasp::new(&camera, camera.world_from_pixel(before), place);
                let moved = grasp.moved(camera.world_from_pixel(after));
                assert!(seen(moved).distance(after) < 0.1, "{place} to {moved}");
                // The control: at the depth of the focus it would go another way, but in a plane.
                let on_focus = Grasp { scale: 1.0, ..grasp }.moved(camera.world_from_pixel(after));
                assert_eq!(seen(on_focus).distance(after) < 0.1, scene.world.is_flat());
            }
        }
    }
}
