//! An open window: the flock that it plays and the frames that it shows.

mod acting;
mod display;
mod film;
mod frames;
mod keyboard;
mod loss;
mod picture;
mod scenes;
mod time;
mod tools;
mod view;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;
use web_time::Instant;
use winit::event::{KeyEvent, MouseButton, Touch, WindowEvent};
use winit::keyboard::ModifiersState;
use winit::window::Window;

use super::command::Command;
use super::controls::{Begun, Controls};
use super::inspector::Inspector;
use super::keys::{self, Action};
use super::metrics::MetricsPanel;
use super::overlay::Detail;
use super::pointer::fingers::Fingers;
use super::pointer::{DropKey, Pointer};
use super::scene_menu::SceneMenu;
use super::timeline::TimeBar;
use super::tools::Tool;
use super::{Summary, WindowError, WindowOptions};
use flockwork_model::scene::{Click, Scene};
use flockwork_session::{Clock, RealTime, SceneObject, Session};

use acting::Grasp;
use display::{Display, scale};
use film::Films;
pub use loss::Loss;
use view::FollowSearch;
use waiting::Waiting;

/// Everything with the lifetime of the window.
pub struct OpenWindow<'a> {
    options: WindowOptions<'a>,
    window: Arc<Window>,
    display: Display,
    session: Session<RealTime>,
    hand: Hand,
    panels: Panels,
    films: Films,
    notices: Notices,
    progress: Progress,
    waiting: Waiting,
}

/// The hand of the user on the mouse.
struct Hand {
    pointer: Pointer,
    fingers: Fingers,
    followed: FollowSearch,
    /// The species that a click drops.
    dropping: usize,
    /// The tool of the pointer; `None` while it does what the scene says.
    tool: Option<Tool>,
    /// The object that the pointer drags.
    held: Option<SceneObject>,
    /// How it holds the object, if it took hold of it with a press.
    grasp: Option<Grasp>,
    /// True when a button was released: the edits of the last frames are one.
    gesture_ended: bool,
    modifiers: ModifiersState,
}

impl Hand {
    /// A hand that does nothing in a window of `size` pixels.
    fn new(scene: &Scene, size: (u32, u32)) -> Self {
        Self {
            pointer: Pointer::new(&scene.world, size, scene.click, scene.follows),
            fingers: Fingers::default(),
            followed: FollowSearch::default(),
            dropping: 0,
            tool: None,
            held: None,
            grasp: None,
            gesture_ended: false,
            modifiers: ModifiersState::empty(),
        }
    }
}

/// The panels over the flock.
#[derive(Default)]
struct Panels {
    controls: Controls,
    controls_shown: bool,
    /// True while the keyboard is in the panel: it got there by a key, not by a click.
    in_panel: bool,
    scenes: SceneMenu,
    timeline: TimeBar,
    metrics: MetricsPanel,
    inspector: Inspector,
    overlay: Detail,
    /// True while the card of all keys is shown.
    keys_shown: bool,
    /// [`Session::opened`] of the scene that the panels are made for; `None` at first.
    opened: Option<u64>,
    /// With what it was opened.
    begun: Begun,
}

/// Notices to the user, and what the user knows already.
#[derive(Default)]
struct Notices {
    /// The last notice.
    shown: Option<(String, Instant)>,
    /// True once the user was warned that this GPU is software.
    warned: bool,
    /// True if the user was told that forces were no numbers.
    knows_broken: bool,
    /// True once the user has pressed a key or a button.
    knows: bool,
    /// When another scene was opened.
    introduced: Option<Instant>,
    /// When a slow start was announced, and the frames drawn until then.
    starting: Option<(Instant, u64)>,
    title: String,
    /// The session that an earlier window has kept.
    kept: Option<String>,
}

/// How far the window is.
struct Progress {
    occluded: bool,
    last: Instant,
    frames: u64,
    /// Frames shown when the device was last lost.
    frames_at_loss: u64,
    ticks: u64,
    played: Duration,
}

impl<'a> OpenWindow<'a> {
    /// Opens the device, the engine and the interface for `window`.
    pub fn new(
        window: Arc<Window>,
        instance: wgpu::Instance,
        mut options: WindowOptions<'a>,
    ) -> Result<Self, WindowError> {
        let display =
            Display::new(&window, instance, (&options.adapter, options.gpu.take()), options.light)?;
        if options.scene.style.needs_adapter() && !display.light && options.light.is_none() {
            (options.tell)(
                "the adapter is software: the window leaves out exposure, bloom, matter, sky and water; \
                 --quality high draws them",
            );
        }
        let gpu = display.screen.gpu();
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
        // A script does not see the offer.
        let kept = options.frames.is_none().then(|| options.host.kept()).flatten();
        let mut own = Self {
            session,
            hand: Hand::new(options.scene, display.screen.size()),
            panels: Panels::default(),
            films: Films::default(),
            notices: Notices { kept, ..Notices::default() },
            progress: Progress {
                occluded: false,
                last: Instant::now(),
                frames: 0,
                frames_at_loss: 0,
                ticks: 0,
                played: Duration::ZERO,
            },
            waiting: Waiting::default(),
            options,
            window,
            display,
        };
        own.warn_of_software();
        own.offer_kept();
        Ok(own)
    }

    /// The summary for the end of the run.
    pub fn summary(&self) -> Summary {
        Summary {
            agents: self.session.agents() as u64,
            frames: self.progress.frames,
            ticks: self.progress.ticks,
            time: self.progress.played,
            engine: self.session.engine().kind(),
            machine: self.session.engine().describe(),
            adapter: self.display.screen.gpu().name(),
        }
    }

    pub fn request_frame(&self) {
        self.window.request_redraw();
    }

    /// True while the window is not visible.
    pub fn is_hidden(&self) -> bool {
        self.progress.occluded
            || self.display.screen.size().0 == 0
            || self.display.screen.size().1 == 0
    }

    /// Handles an event; false when the window shall close.
    pub fn event(&mut self, event: &WindowEvent) -> Result<bool, WindowError> {
        self.notices.knows |= matches!(
            event,
            WindowEvent::KeyboardInput { is_synthetic: false, .. } | WindowEvent::MouseInput { .. }
        );
        if let WindowEvent::KeyboardInput { event: key, is_synthetic: false, .. } = event {
            let (typing, down) = (self.display.interface.is_typing(), key.state.is_pressed());
            // A letter that is typed drops nothing, but the key may have gone down before.
            if keys::drops(&key.logical_key) && !(typing && down) {
                self.hand.pointer.hold(DropKey::Letter, down);
            }
            if typing {
                return self.typed(key, event);
            }
            return self.key(key, event);
        }
        if let WindowEvent::Touch(touch) = event {
            return self.touched(touch);
        }
        let on_interface = self.display.interface.takes(&self.window, event);
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => return Ok(false),
            WindowEvent::Resized(_) => self.resized(),
            WindowEvent::ScaleFactorChanged { .. } => self.resized(),
            WindowEvent::Occluded(occluded) => {
                self.progress.occluded = *occluded;
                self.request_redraw();
            }
            WindowEvent::DroppedFile(path) => {
                return self.obey(Command::Open(path.to_string_lossy().into()));
            }
            WindowEvent::Focused(false) => self.hand.pointer.let_go(),
            WindowEvent::CursorMoved { position, .. } => {
                let pixel = Vec2::new(position.x as f32, position.y as f32);
                self.hand.pointer.move_to(pixel);
                if self.hand.pointer.pans() {
                    self.panels.inspector.stop_following();
                }
                if !on_interface {
                    self.panels.inspector.point_at(pixel);
                    self.hand.pointer.lead();
                }
            }
            WindowEvent::ModifiersChanged(keys) => {
                self.hand.modifiers = keys.state();
                self.hand.pointer.hold(DropKey::Shift, self.hand.modifiers.shift_key());
            }
            WindowEvent::MouseInput { state, button, .. } => {
                let above_edge = self.hand.pointer.above_edge()
                    / self.display.interface.pixels_per_point(&self.window);
                let on_interface = on_interface || self.panels.timeline.covers(above_edge);
                self.panels.in_panel = false;
                self.hand.gesture_ended |= !state.is_pressed();
                let takes = *button == MouseButton::Left && state.is_pressed() && !on_interface;
                if !(takes && (self.press_tool()? || self.take_agent()? || self.take_object()?)) {
                    self.hand.pointer.press(*button, *state, on_interface);
                }
            }
            WindowEvent::MouseWheel { delta, .. } if !on_interface => {
                self.hand.pointer.scroll(*delta);
            }
            _ => {}
        }
        Ok(true)
    }

    /// Fingers act as the mouse. In a space whose agents are not called, one goes round the focus.
    fn touched(&mut self, touch: &Touch) -> Result<bool, WindowError> {
        let is_space = self.hand.pointer.camera.eye.is_some();
        let calls = self.session.scene().click == Click::Call;
        let on_panel = self.display.interface.has_panel_at(&self.window, touch.location);
        let one = match is_space && !calls && !on_panel {
            true => MouseButton::Right,
            false => MouseButton::Left,
        };
        let two = if is_space { MouseButton::Middle } else { MouseButton::Right };
        for event in self.hand.fingers.touch(touch, (one, two)) {
            if !self.event(&event)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Handles a key while a text field has the keyboard. A few keys do what they always do.
    fn typed(&mut self, key: &KeyEvent, event: &WindowEvent) -> Result<bool, WindowError> {
        match Action::of(key, self.hand.modifiers) {
            Some(action) if action.works_while_typing() => {
                return self.obey(Command::Act(action));
            }
            Some(Action::Paste) => {
                if let Err(problem) = self.display.interface.paste_into_field() {
                    self.notify(problem);
                }
            }
            _ => {
                self.display.interface.takes(&self.window, event);
            }
        }
        Ok(true)
    }

    fn key(&mut self, key: &KeyEvent, event: &WindowEvent) -> Result<bool, WindowError> {
        if key.state.is_pressed() && !key.repeat {
            // A stroke before the key belongs to the tool before the key.
            self.follow_stroke()?;
            // The next edit is one of its own. A drag may begin in the same frame.
            self.session.seal_edit();
        }
        if self.tool_key(key)? || self.panel_key(key, event) {
            return Ok(true);
        }
        match Action::of(key, self.hand.modifiers) {
            Some(Action::Close) if self.display.interface.close_list() => {}
            Some(action) if !(action.is_arrow() && self.display.interface.has_focus()) => {
                return self.obey(Command::Act(action));
            }
            // Without this, holding Tab would move the focus from slider to slider.
            None if key.repeat => {}
            _ => {
                self.display.interface.takes(&self.window, event);
            }
        }
        Ok(true)
    }

    fn resized(&mut self) {
        let hidden = self.is_hidden();
        self.display.screen.measure();
        let size = self.display.screen.size();
        self.display.renderer.set_scale(scale(&self.window, size));
        self.hand.pointer.resize(&self.session.scene().world, size);
        if hidden {
            self.request_redraw();
        }
    }

    /// Restarts the clock: time without visible frames does not count.
    fn request_redraw(&mut self) {
        self.session.clock.restart();
        self.progress.last = Instant::now();
    }
}
