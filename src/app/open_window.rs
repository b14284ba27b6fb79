//! An open window: the flock that it plays and the frames that it shows.

mod acting;
mod film;
mod frames;
mod keyboard;
mod loss;
mod picture;
mod scenes;
mod time;
mod tools;
mod view;

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec2;
use winit::event::{KeyEvent, MouseButton, WindowEvent};
use winit::keyboard::ModifiersState;
use winit::window::Window;

use super::controls::{Controls, Written};
use super::figures::Figures;
use super::inspector::Inspector;
use super::interface::Interface;
use super::keys::{self, Action};
use super::overlay::Detail;
use super::pointer::{DropKey, Pointer};
use super::rates::Meter;
use super::scene_menu::SceneMenu;
use super::screen::Screen;
use super::timeline::Timeline;
use super::tools::Tool;
use super::{Filming, Summary, WindowError, WindowOptions};
use flockwork_model::vector::Point;
use flockwork_session::{Clock, RealTime, Session, Thing};
use flockwork_view::gpu::renderer::Renderer;
use flockwork_view::gpu::trails::TrailLight;
use flockwork_view::gpu::upload::UploadedAgents;
use flockwork_view::style::scale_of;

pub use loss::Loss;
use view::Followed;

/// Pixels per point in a window of `width` × `height` pixels: its screen's, but in a large
/// window the number of a picture of its size.
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
    /// The trails, if the style has them.
    trails: Option<TrailLight>,
    session: Session<RealTime>,
    controls: Controls,
    pointer: Pointer,
    followed: Followed,
    inspector: Inspector,
    /// The species that a click drops.
    dropping: usize,
    /// The tool of the pointer; `None` while it does what the scene says.
    tool: Option<Tool>,
    /// The object that the pointer drags.
    held: Option<Thing>,
    /// From the pointer to the middle of what it drags; world units.
    grasp: Point,
    /// True when a button was released: the edits of the last frames are one.
    gesture_ended: bool,
    modifiers: ModifiersState,
    meter: Meter,
    overlay: Detail,
    controls_shown: bool,
    /// True while the keyboard is in the panel: it got there by a key, not by a click.
    in_panel: bool,
    scenes: SceneMenu,
    timeline: Timeline,
    figures: Figures,
    /// The size of pictures and films; `None`: the window's. Pixels.
    picture_size: Option<(u32, u32)>,
    /// The film under way, and those that are being completed.
    film: Option<film::FilmUnderWay>,
    films: Vec<Box<dyn Filming>>,
    /// True while the card of all keys is shown.
    keys_shown: bool,
    /// True once the user was warned that this GPU is software.
    warned: bool,
    /// True until the user presses a key or a button.
    hinting: bool,
    /// When another scene was opened.
    introduced: Option<Instant>,
    /// [`Session::opened`] of the scene that the panels are made for.
    opened: u64,
    /// Count and seed in the file of that scene.
    written: Written,
    title: String,
    notice: Option<(String, Instant)>,
    /// The session that an earlier window has kept.
    kept: Option<String>,
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
        let mut session = Session::new(
            engine,
            options.scene,
            Arc::clone(&options.state),
            RealTime::default(),
            Arc::new(move || begin.elapsed()),
        )?
        .made_from(options.source.clone());
        session.set_history(options.history);
        session.set_room(options.room);
        if let Some((events, last)) = options.record.take() {
            session.replay(events, last)?;
        }
        let mut renderer = Renderer::new(Arc::clone(gpu), screen.format());
        renderer.set_scale(scale(&window, screen.size()));
        let mut own = Self {
            interface: Interface::new(&window, gpu, screen.format()),
            uploaded: UploadedAgents::new(Arc::clone(gpu)),
            uploaded_revision: None,
            trails: None,
            renderer,
            session,
            controls: Controls::default(),
            pointer: Pointer::new(
                &options.scene.world,
                screen.size(),
                options.scene.click,
                options.scene.follows,
            ),
            followed: Followed::default(),
            inspector: Inspector::new(),
            dropping: 0,
            tool: None,
            held: None,
            grasp: Point::ZERO,
            gesture_ended: false,
            modifiers: ModifiersState::empty(),
            meter: Meter::default(),
            overlay: Detail::Quiet,
            controls_shown: false,
            in_panel: false,
            scenes: SceneMenu::default(),
            timeline: Timeline::default(),
            figures: Figures::default(),
            picture_size: None,
            film: None,
            films: Vec::new(),
            keys_shown: false,
            warned: false,
            hinting: true,
            introduced: None,
            // None yet.
            opened: u64::MAX,
            written: Written::default(),
            title: String::new(),
            notice: None,
            // A script does not see the offer.
            kept: options.frames.is_none().then(|| options.host.kept()).flatten(),
            occluded: false,
            last: Instant::now(),
            frames: 0,
            frames_at_loss: 0,
            ticks: 0,
            played: Duration::ZERO,
            window,
            screen,
        };
        own.warn_of_software();
        own.offer_kept(options);
        Ok(own)
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
        self.hinting &= !matches!(
            event,
            WindowEvent::KeyboardInput { is_synthetic: false, .. } | WindowEvent::MouseInput { .. }
        );
        if let WindowEvent::KeyboardInput { event: key, is_synthetic: false, .. } = event {
            if self.interface.is_typing() {
                return self.typed(key, event, options);
            }
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
            WindowEvent::DroppedFile(path) => {
                self.open(&path.to_string_lossy(), options)?;
            }
            WindowEvent::Focused(false) => self.pointer.let_go(),
            WindowEvent::CursorMoved { position, .. } => {
                let pixel = Vec2::new(position.x as f32, position.y as f32);
                self.pointer.move_to(pixel);
                if self.pointer.pans() {
                    self.inspector.stop_following();
                }
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
                let above_edge =
                    self.pointer.above_edge() / self.interface.pixels_per_point(&self.window);
                let on_interface = on_interface || self.timeline.covers(above_edge);
                self.in_panel = false;
                self.gesture_ended |= !state.is_pressed();
                let takes = *button == MouseButton::Left && state.is_pressed() && !on_interface;
                if !(takes && (self.press_tool()? || self.take_agent()? || self.take_thing()?)) {
                    self.pointer.press(*button, *state, on_interface);
                }
            }
            WindowEvent::MouseWheel { delta, .. } if !on_interface => self.pointer.scroll(*delta),
            _ => {}
        }
        Ok(true)
    }

    /// A key of a text that the user types. A few keys do then what they always do.
    fn typed(
        &mut self,
        key: &KeyEvent,
        event: &WindowEvent,
        options: &mut WindowOptions<'_>,
    ) -> Result<bool, WindowError> {
        match Action::of(key, self.modifiers) {
            Some(action) if action.works_while_typing() => return self.act(action, options),
            Some(Action::Paste) => {
                let pasted = self.interface.paste_into_field();
                self.notify(pasted.err());
            }
            _ => {
                self.interface.takes(&self.window, event);
            }
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
            // The next edit is one of its own. A drag may begin in the same frame.
            self.session.seal_edit();
        }
        if self.tool_key(key)? || self.panel_key(key, event) {
            return Ok(true);
        }
        match Action::of(key, self.modifiers) {
            Some(Action::Close) if self.interface.close_list() => {}
            Some(action) if !(action.is_arrow() && self.interface.has_focus()) => {
                return self.act(action, options);
            }
            // Without this, holding Tab would move the focus from slider to slider.
            None if key.repeat => {}
            _ => {
                self.interface.takes(&self.window, event);
            }
        }
        Ok(true)
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
}
