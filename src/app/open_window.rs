//! An open window: the flock that it plays and the frames that it shows.

mod loss;

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::event::{KeyEvent, WindowEvent};
use winit::keyboard::ModifiersState;
use winit::window::{Fullscreen, Window};

use super::controls::Controls;
use super::inspector::{self, Inspector};
use super::interface::{Interface, Painting};
use super::keys::{self, Action};
use super::overlay::{self, Detail, Facts};
use super::pointer::{DropKey, Pointer};
use super::rates::Meter;
use super::screen::{Acquired, Screen, SurfaceFrame};
use super::{Next, Summary, WindowError, WindowOptions};
use crate::engine::{AgentsAt, EngineKind};
use crate::model::behaviours::Target;
use crate::model::scene::{Click, Species};
use crate::model::vector::Point;
use crate::session::{Clock, RealTime, Session, Thing, pointer_help};
use crate::view::gpu::renderer::Renderer;
use crate::view::gpu::upload::UploadedAgents;
use crate::view::style::scale_of;

pub use loss::Loss;

/// How near the mouse must be to an agent to select it; points.
const NEAR: f32 = 24.0;

/// How long to wait before asking again for a surface that is not visible.
const IDLE_POLL: Duration = Duration::from_millis(100);

/// Pixels per point in a window of `width` × `height` pixels: that of its screen, but in a large
/// window that of a picture of its size.
fn scale(window: &Window, (width, height): (u32, u32)) -> f32 {
    (window.scale_factor() as f32).max(scale_of(width, height))
}

/// Everything with the lifetime of the window.
pub struct OpenWindow {
    window: Arc<Window>,
    screen: Screen,
    interface: Interface,
    renderer: Renderer,
    uploaded: UploadedAgents,
    uploaded_revision: Option<u64>,
    session: Session<RealTime>,
    controls: Controls,
    pointer: Pointer,
    inspector: Inspector,
    /// The species that a click drops.
    dropping: usize,
    /// What the pointer drags.
    held: Option<Thing>,
    /// True when a button was released: the edits of the last frames are one.
    gesture_ended: bool,
    modifiers: ModifiersState,
    meter: Meter,
    overlay: Detail,
    controls_shown: bool,
    notice: Option<(String, Instant)>,
    occluded: bool,
    last: Instant,
    frames: u64,
    /// Frames shown when the device was last lost.
    frames_at_loss: u64,
    ticks: u64,
    played: Duration,
}

impl OpenWindow {
    /// Opens the device, the engine and the interface for `window`.
    pub fn new(
        window: Arc<Window>,
        instance: wgpu::Instance,
        options: &mut WindowOptions<'_>,
    ) -> Result<Self, WindowError> {
        let screen = Screen::new(instance, Arc::clone(&window), &options.adapter)?;
        let gpu = screen.gpu();
        let kind = (options.engine)(gpu)?;
        let engine = (options.engines)(kind, Some(gpu))?;
        let begin = Instant::now();
        let session = Session::new(
            engine,
            options.scene,
            Arc::clone(&options.state),
            RealTime::default(),
            Rc::new(move || begin.elapsed()),
        )?;
        let mut renderer = Renderer::new(Arc::clone(gpu), screen.format());
        renderer.set_scale(scale(&window, screen.size()));
        Ok(Self {
            interface: Interface::new(&window, gpu, screen.format()),
            uploaded: UploadedAgents::new(Arc::clone(gpu)),
            uploaded_revision: None,
            renderer,
            session,
            controls: Controls::new(options.scene),
            pointer: Pointer::new(
                &options.scene.world,
                screen.size(),
                options.scene.click,
                options.scene.follows,
            ),
            inspector: Inspector::new(),
            dropping: 0,
            held: None,
            gesture_ended: false,
            modifiers: ModifiersState::empty(),
            meter: Meter::default(),
            overlay: Detail::Quiet,
            controls_shown: false,
            notice: None,
            occluded: false,
            last: Instant::now(),
            frames: 0,
            frames_at_loss: 0,
            ticks: 0,
            played: Duration::ZERO,
            window,
            screen,
        })
    }

    /// The summary for the end of the run.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary {
            agents: self.session.agents() as u64,
            frames: self.frames,
            ticks: self.ticks,
            time: self.played,
            engine: self.session.engine().kind(),
            machine: self.session.engine().describe(),
            adapter: self.screen.gpu().name(),
        }
    }

    /// Asks for a frame.
    pub fn request_frame(&self) {
        self.window.request_redraw();
    }

    /// True while the window is not visible.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.occluded || self.screen.size().0 == 0 || self.screen.size().1 == 0
    }

    /// Handles an event; false when the window shall close.
    pub fn event(
        &mut self,
        event: &WindowEvent,
        options: &mut WindowOptions<'_>,
    ) -> Result<bool, WindowError> {
        if let WindowEvent::KeyboardInput { event: key, is_synthetic: false, .. } = event
            && !self.interface.is_typing()
        {
            if keys::drops(&key.logical_key) {
                self.pointer.hold(DropKey::Letter, key.state.is_pressed());
            }
            return self.key(key, event, options);
        }
        let on_interface = self.interface.takes(&self.window, event);
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => return Ok(false),
            WindowEvent::Resized(_) => self.resized(),
            WindowEvent::ScaleFactorChanged { .. } => self.resized(),
            WindowEvent::Occluded(occluded) => {
                self.occluded = *occluded;
                self.request_redraw();
            }
            WindowEvent::Focused(false) => self.pointer.let_go(),
            WindowEvent::CursorMoved { position, .. } => {
                let pixel = Point::new(position.x as f32, position.y as f32);
                self.pointer.move_to(pixel);
                if !on_interface {
                    self.inspector.point_at(pixel);
                    self.pointer.lead();
                }
            }
            WindowEvent::ModifiersChanged(keys) => {
                self.modifiers = keys.state();
                self.pointer.hold(DropKey::Shift, self.modifiers.shift_key());
            }
            WindowEvent::MouseInput { state, button, .. } => {
                self.gesture_ended |= !state.is_pressed();
                self.pointer.press(*button, *state, on_interface);
            }
            WindowEvent::MouseWheel { delta, .. } if !on_interface => self.pointer.scroll(*delta),
            _ => {}
        }
        Ok(true)
    }

    fn key(
        &mut self,
        key: &KeyEvent,
        event: &WindowEvent,
        options: &mut WindowOptions<'_>,
    ) -> Result<bool, WindowError> {
        if key.state.is_pressed() && !key.repeat {
            // What follows is an edit of its own. A drag may begin in the same frame.
            self.session.seal_edit();
        }
        match Action::of(key, self.modifiers) {
            Some(action) => return self.act(action, options),
            // Without this, holding Tab would move the focus from slider to slider.
            None if key.repeat => {}
            None => {
                self.interface.takes(&self.window, event);
            }
        }
        Ok(true)
    }

    fn act(
        &mut self,
        action: Action,
        options: &mut WindowOptions<'_>,
    ) -> Result<bool, WindowError> {
        match action {
            Action::Quit => return Ok(false),
            Action::Pause => self.session.clock.toggle(),
            Action::Step => self.session.clock.step_once(),
            Action::Reset => self.session.reset()?,
            Action::Undo => {
                let notice = self.session.undo()?;
                self.notify(Some(notice));
            }
            Action::Redo => {
                let notice = self.session.redo()?;
                self.notify(Some(notice));
            }
            Action::SwitchEngine => self.switch_engine(options),
            Action::Sliders => self.controls_shown = !self.controls_shown,
            Action::Overlay => self.overlay = self.overlay.next(),
            Action::Geometry => {
                let notice = self.inspector.switch(self.session.agents());
                self.notify(notice);
            }
            Action::Species(index) => {
                let species = &self.session.scene().species;
                if species.len() > 1 && index < species.len() {
                    self.dropping = index;
                }
            }
            Action::WholeWorld => self.pointer.fit(&self.session.scene().world),
            Action::FullScreen => {
                let full = self.window.fullscreen().is_none();
                self.window.set_fullscreen(full.then_some(Fullscreen::Borderless(None)));
            }
        }
        Ok(true)
    }

    fn switch_engine(&mut self, options: &mut WindowOptions<'_>) {
        let other = match self.session.engine().kind() {
            EngineKind::Gpu => EngineKind::Cpu,
            EngineKind::Cpu => EngineKind::Gpu,
        };
        let engine = (options.engines)(other, Some(self.screen.gpu()));
        if let Err(error) = engine.and_then(|engine| self.session.switch(engine)) {
            self.notify(Some(format!("still on the same engine: {error}")));
        }
    }

    /// Shows a notice, if there is one.
    fn notify(&mut self, notice: Option<String>) {
        if let Some(text) = notice {
            self.notice = Some((text, Instant::now()));
        }
    }

    /// Applies what the pointer has asked for since the last frame. Each kind of edit is applied
    /// once, because each reloads the flock.
    fn apply_edits(&mut self) -> Result<(), WindowError> {
        self.session.set_pointer(self.pointer.call())?;
        if let Some(place) = self.pointer.take_lead() {
            self.session.lead(place)?;
        }
        let drops = self.pointer.take_drops();
        if !drops.is_empty() {
            let refused = self.session.add(self.dropping, &drops)?;
            self.notify(refused);
        }
        let clicks = self.pointer.take_clicks();
        match self.session.scene().click {
            Click::Path if clicks > 0 => {
                let refused = self.session.new_path()?;
                self.notify(refused);
            }
            // Two turns cancel out.
            Click::Flee if clicks % 2 == 1 => {
                let refused = self.session.turn_round()?;
                self.notify(refused);
            }
            _ => {}
        }
        if let Some(place) = self.pointer.take_drag() {
            if self.held.is_none() {
                self.held = self.session.nearest_thing(place)?;
            }
            if let Some(thing) = self.held {
                let refused = self.session.put(thing, place)?;
                self.notify(refused);
            }
        }
        if !self.pointer.is_dragging() {
            self.held = None;
        }
        Ok(())
    }

    fn resized(&mut self) {
        let hidden = self.is_hidden();
        self.screen.measure();
        self.renderer.set_scale(scale(&self.window, self.screen.size()));
        self.pointer.resize(&self.session.scene().world, self.screen.size());
        if hidden {
            self.request_redraw();
        }
    }

    /// Restarts the clock: time without visible frames does not count.
    fn request_redraw(&mut self) {
        self.session.clock.restart();
        self.last = Instant::now();
    }

    /// Runs the ticks that are due and shows the flock. The last frame is number `until`.
    pub fn frame(&mut self, until: Option<u64>) -> Result<Next, WindowError> {
        let canvas = match self.screen.acquire()? {
            Acquired::Ready(canvas) => canvas,
            Acquired::Later => return Ok(Next::Frame),
            Acquired::Hidden => {
                self.request_redraw();
                return Ok(Next::After(IDLE_POLL));
            }
        };
        let now = Instant::now();
        let elapsed = now - std::mem::replace(&mut self.last, now);
        self.apply_edits()?;
        let ticks = self.session.advance()?.ticks;
        if self.session.clock.is_paused() {
            self.meter.restart();
        } else {
            self.meter.note(elapsed.as_secs_f64(), ticks);
        }
        self.ticks += u64::from(ticks);
        self.played += elapsed;

        let again_in = self.show(canvas)?;
        if std::mem::take(&mut self.gesture_ended) {
            self.session.seal_edit();
        }
        self.screen.gpu().check()?;
        self.frames += 1;
        Ok(match until {
            Some(until) if self.frames >= until => Next::End,
            None if self.session.clock.is_paused() && self.session.awaits_snapshot() => Next::Frame,
            None if self.session.clock.is_paused() => Next::After(again_in),
            _ => Next::Frame,
        })
    }

    /// Draws the flock and the interface. Returns when the interface wants to be drawn again.
    fn show(&mut self, canvas: SurfaceFrame) -> Result<Duration, WindowError> {
        let (painting, changed) = self.lay_out()?;
        let gpu = Arc::clone(self.screen.gpu());
        let target = self.screen.view(&canvas)?;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        if let AgentsAt::Host(agents) = self.session.engine().agents() {
            let revision = self.session.revision();
            if self.uploaded_revision.replace(revision) != Some(revision) {
                self.uploaded.upload(agents)?;
            }
        }
        // Reading from a GPU means waiting: do it only for targets that move by themselves.
        let moving = self.session.scene().targets.iter().any(Target::moves);
        let targets = if moving { Some(self.session.targets()?) } else { None };
        let agents = match self.session.engine().agents() {
            AgentsAt::Device(agents) => agents.get(),
            AgentsAt::Host(_) => Some(self.uploaded.agents()),
        };
        let elsewhere = || gpu.error("cannot draw agents of another kind of device");
        let agents = agents.ok_or_else(elsewhere)?;
        let (scene, camera) = (self.session.scene(), &self.pointer.camera);
        let targets = targets.as_ref().unwrap_or(&scene.targets);
        self.renderer.draw(&mut encoder, &target, agents, scene, targets, camera)?;
        let size = self.screen.size();
        let before = self.interface.paint(&gpu, &mut encoder, &target, size, &painting)?;
        gpu.queue.submit(before.into_iter().chain([encoder.finish()]));
        self.screen.present(canvas)?;
        self.interface.clean_up(&painting);
        let Some(species) = changed else { return Ok(painting.again_in) };
        let refused = self.session.change(species)?;
        self.notify(refused);
        // The flock on the screen is the one before the change.
        Ok(Duration::ZERO)
    }

    /// Lays out the interface. Returns the species if the user has changed them.
    fn lay_out(&mut self) -> Result<(Painting, Option<Vec<Species>>), WindowError> {
        self.notice.take_if(|(_, since)| since.elapsed() > overlay::NOTICE_STAYS);
        let camera = self.pointer.camera;
        let near = NEAR * self.window.scale_factor() as f32;
        let (shapes, legend) = self.inspector.shapes(&mut self.session, &camera, near)?;
        self.session.watch(self.overlay == Detail::Full);
        let largest_cell = self.session.largest_cell();
        let engine = self.session.engine();
        let scene = self.session.scene();
        let facts = Facts {
            agents: self.session.agents(),
            tick: self.session.tick(),
            rates: self.meter.rates(),
            paused: self.session.clock.is_paused(),
            kind: engine.kind(),
            machine: engine.describe(),
            largest_cell,
            series: self.session.series(),
            profile: self.session.profile(),
            notice: self.notice.as_ref().map(|(text, _)| text.as_str()),
            pointer_help: pointer_help(scene, self.dropping),
            legend,
        };
        // Copied only while the sliders are shown.
        let mut species = self.controls_shown.then(|| scene.species.clone());
        let mut changed = false;
        let painting = self.interface.run(&self.window, |context| {
            inspector::paint(context, &camera, &shapes);
            facts.show(context, self.overlay);
            if let Some((_, since)) = &self.notice {
                context
                    .request_repaint_after(overlay::NOTICE_STAYS.saturating_sub(since.elapsed()));
            }
            if let Some(species) = &mut species {
                changed |= self.controls.show(context, scene, species);
            }
        });
        Ok((painting, species.filter(|_| changed)))
    }
}
