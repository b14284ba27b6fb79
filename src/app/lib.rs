//! The window: a flock that plays in real time, and what the user does to it.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod clipboard;
mod command;
mod controls;
mod event_loop;
mod host;
mod inspector;
mod interface;
mod key_card;
mod keys;
mod metrics;
mod open_window;
mod overlay;
mod pace;
#[cfg(target_family = "wasm")]
mod page;
mod pointer;
mod scene_menu;
mod scene_pictures;
mod screen;
#[cfg(test)]
mod test_window;
mod timeline;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;
use winit::application::ApplicationHandler;
#[cfg(not(target_family = "wasm"))]
use winit::dpi::LogicalSize;
use winit::event::{StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::WindowId;
#[cfg(not(target_family = "wasm"))]
use winit::window::{Window, WindowAttributes};

pub use command::Command;
use flockwork_engine::gpu::{AdapterChoice, Gpu, device};
use flockwork_engine::{Engine, EngineError, EngineKind};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_session::{DEFAULT_BUDGET, Recorded, Room, Source};
use flockwork_view::words::counted;
pub use host::{Filming, WindowHost};
pub use keys::{Action, list_of_keys};
use open_window::{Loss, OpenWindow};
#[cfg(target_family = "wasm")]
use page::attributes;
#[cfg(target_family = "wasm")]
pub use page::show_in;

/// Makes an engine of a kind. A GPU engine shares the device that the window draws with.
pub type EngineFactory<'a> =
    dyn FnMut(EngineKind, Option<&Arc<Gpu>>) -> Result<Box<dyn Engine>, EngineError> + 'a;

/// The flock that the window shows.
#[non_exhaustive]
pub struct WindowOptions<'a> {
    /// The source of the flock.
    pub source: Source,
    /// Reads and writes files.
    pub host: &'a dyn WindowHost,
    /// Parameters and world.
    pub scene: &'a Scene,
    /// The state at the start, and after a reset.
    pub state: Arc<FlockState>,
    /// Width and height in points (pixels of a screen of ordinary density).
    pub size: (u32, u32),
    /// Close after this many frames.
    pub frames: Option<u64>,
    /// Memory for snapshots of the past; bytes.
    pub history: u64,
    /// A replay: events, and the last tick.
    pub record: Option<(Vec<Recorded>, u64)>,
    /// True once the window shall close as if its close button had been clicked: Ctrl-C in the
    /// terminal.
    pub stopped: &'a dyn Fn() -> bool,
    /// The adapter to draw with.
    pub adapter: AdapterChoice,
    /// The page's canvas, in place of a window.
    #[cfg(target_family = "wasm")]
    pub canvas: Option<web_sys::HtmlCanvasElement>,
    /// Takes the error that ends the window of a page: `run` would return it.
    #[cfg(target_family = "wasm")]
    pub failed: &'a dyn Fn(&WindowError),
    /// A device that is open already, in place of `adapter`'s: browsers open them only in time.
    pub gpu: Option<Arc<Gpu>>,
    /// Whether the window draws the light of a style. `None`: unless the adapter is software.
    pub light: Option<bool>,
    /// Chooses the first engine, given the device that draws.
    pub engine: &'a dyn Fn(&Gpu) -> Result<EngineKind, EngineError>,
    /// Makes engines.
    pub engines: &'a mut EngineFactory<'a>,
    /// Checks the memory before the flock grows.
    pub room: Room,
    /// Called when something goes wrong but the window goes on. The overlay shows it too.
    pub tell: &'a dyn Fn(&str),
}

impl<'a> WindowOptions<'a> {
    /// A window of 1280 × 720 points that shows a flock until the user closes it. It has no source file and
    /// no memory check, and it drops messages.
    pub fn new(
        host: &'a dyn WindowHost,
        (scene, state): (&'a Scene, Arc<FlockState>),
        engine: &'a dyn Fn(&Gpu) -> Result<EngineKind, EngineError>,
        engines: &'a mut EngineFactory<'a>,
    ) -> Self {
        Self {
            source: Source::default(),
            host,
            scene,
            state,
            size: (1280, 720),
            frames: None,
            history: DEFAULT_BUDGET,
            record: None,
            stopped: &|| false,
            adapter: AdapterChoice::default(),
            #[cfg(target_family = "wasm")]
            canvas: None,
            #[cfg(target_family = "wasm")]
            failed: &|_| (),
            gpu: None,
            light: None,
            engine,
            engines,
            room: |_, _, _, _| Ok(()),
            tell: &|_| (),
        }
    }
}

/// A summary of the run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// Number of agents.
    pub agents: u64,
    /// Frames shown.
    pub frames: u64,
    /// Ticks run.
    pub ticks: u64,
    /// Real time that the run took.
    pub time: Duration,
    /// The last engine used.
    pub engine: EngineKind,
    /// The hardware that it ran on.
    pub machine: String,
    /// The adapter that drew.
    pub adapter: String,
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { frames, ticks, engine, machine, adapter, .. } = self;
        let (agents, did) = (counted(self.agents, "agent"), counted(*ticks, "tick"));
        let shown = counted(*frames, "frame");
        let seconds = self.time.as_secs_f64();
        let rate = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        write!(
            f,
            "{agents}, {did} ({:.1}/s), {shown} ({:.1}/s) in {seconds:.2} s; \
             engine {engine} ({machine}), drawn by {adapter}",
            rate(*ticks),
            rate(*frames),
        )
    }
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WindowError {
    /// There is no display, or it accepts no windows.
    #[error("no display: {0}")]
    NoDisplay(String),
    /// There is a display, but no adapter can draw on it.
    #[error("nothing can draw in a window here: {0}")]
    NoSurface(String),
    /// The device was lost, and there is no other to draw with.
    #[error(
        "{adapter}: the device was lost ({reason}), and no other can draw in the window: {problem}; \
         run the command again"
    )]
    Lost {
        /// Name of the lost device's adapter.
        adapter: String,
        /// The driver's message.
        reason: String,
        /// Why there is no other device.
        problem: String,
    },
    /// The engine or the device has failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Shows the flock until the user closes the window or `options.frames` frames are shown.
///
/// Blocks. On macOS it must be called from the main thread; on any system it can be called once per
/// process. Both are requirements of window systems.
pub fn run(options: WindowOptions<'_>) -> Result<Summary, WindowError> {
    let event_loop = event_loop::connect()?;
    let display = Box::new(event_loop.owned_display_handle());
    let instance = device::instance_on(display);
    // Better no window than one that flashes up and cannot be drawn in.
    if device::adapters(&instance).is_empty() {
        return Err(WindowError::NoSurface("no GPU adapter found".into()));
    }
    let mut app = App::new(options, instance);
    event_loop.run_app(&mut app).map_err(event_loop::no_display)?;
    match app.outcome {
        Ok(Some(summary)) => Ok(summary),
        Ok(None) => Err(WindowError::NoDisplay("the display closed the window at once".into())),
        Err(error) => Err(error),
    }
}

#[cfg(not(target_family = "wasm"))]
fn attributes(options: &WindowOptions<'_>) -> WindowAttributes {
    let ((width, height), least) = (options.size, controls::MIN_WINDOW);
    Window::default_attributes()
        .with_title("Flockwork")
        .with_inner_size(LogicalSize::new(width, height))
        // A smaller one must be asked for.
        .with_min_inner_size(LogicalSize::new(width.min(least.0), height.min(least.1)))
}

/// The next step of the event loop after [`OpenWindow::frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Draw the next frame as soon as possible.
    Frame,
    /// Draw a frame after this time, or when something happens.
    After(Duration),
    /// The last frame has been shown.
    End,
}

/// How often to check [`WindowOptions::stopped`] when nothing else happens.
const POLL: Duration = Duration::from_millis(100);

struct App<'a> {
    /// Until the window is open.
    opening: Option<(WindowOptions<'a>, wgpu::Instance)>,
    host: &'a dyn WindowHost,
    stopped: &'a dyn Fn() -> bool,
    #[cfg(target_family = "wasm")]
    failed: &'a dyn Fn(&WindowError),
    window: Option<OpenWindow<'a>>,
    /// A window whose device was lost, until there is another one.
    lost: Option<(OpenWindow<'a>, Loss)>,
    outcome: Result<Option<Summary>, WindowError>,
    /// When to draw again even if nothing happens.
    wake_at: Option<Instant>,
    frame_wanted: bool,
}

impl<'a> App<'a> {
    fn new(options: WindowOptions<'a>, instance: wgpu::Instance) -> Self {
        Self {
            host: options.host,
            stopped: options.stopped,
            #[cfg(target_family = "wasm")]
            failed: options.failed,
            opening: Some((options, instance)),
            window: None,
            lost: None,
            outcome: Ok(None),
            wake_at: None,
            frame_wanted: true,
        }
    }

    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<(), WindowError> {
        let Some((options, instance)) = self.opening.take() else { return Ok(()) };
        let window = event_loop
            .create_window(attributes(&options))
            .map_err(|error| WindowError::NoDisplay(error.to_string()))?;
        self.window = Some(OpenWindow::new(Arc::new(window), instance, options)?);
        Ok(())
    }

    /// Closes the window. The caller gets the first error.
    fn close(&mut self, event_loop: &ActiveEventLoop, error: Option<WindowError>) {
        if let Some(mut window) = self.window.take() {
            window.finish_films();
            window.keep_unsaved();
            self.outcome = Ok(Some(window.summary()));
        }
        if let Some(error) = error {
            #[cfg(target_family = "wasm")]
            (self.failed)(&error);
            self.outcome = Err(error);
        }
        event_loop.exit();
    }

    /// Gives another device to a window that has lost its own, as soon as there is one.
    fn revive(&mut self, event_loop: &ActiveEventLoop) -> Result<(), WindowError> {
        let Some((window, loss)) = self.lost.take() else { return Ok(()) };
        // The driver may have restarted, so the adapters are listed anew.
        #[cfg(not(target_family = "wasm"))]
        let (instance, gpu) =
            (device::instance_on(Box::new(event_loop.owned_display_handle())), None);
        #[cfg(target_family = "wasm")]
        let (instance, gpu) = match (self.host.another_device(), event_loop) {
            (None, _) => {
                self.lost = Some((window, loss));
                return Ok(());
            }
            (Some(Ok(gpu)), _) => (gpu.instance.clone(), Some(gpu)),
            (Some(Err(problem)), _) => return Err(loss.without_another(problem)),
        };
        self.window = Some(window.revive(instance, gpu, loss)?);
        self.frame_wanted = true;
        Ok(())
    }

    fn handle(&mut self, event: &WindowEvent) -> Result<bool, WindowError> {
        let Some(window) = &mut self.window else { return Ok(true) };
        if *event != WindowEvent::RedrawRequested {
            self.frame_wanted = true;
            return window.event(event);
        }
        self.frame_wanted = false;
        self.wake_at = None;
        match window.frame()? {
            Next::Frame => self.frame_wanted = true,
            Next::After(wait) => self.wake_at = Instant::now().checked_add(wait),
            Next::End => return Ok(false),
        }
        Ok(true)
    }
}

impl ApplicationHandler for App<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if let Err(error) = self.open(event_loop) {
            self.close(event_loop, Some(error));
        }
    }

    fn new_events(&mut self, _: &ActiveEventLoop, _: StartCause) {
        if self.wake_at.is_some_and(|at| at <= Instant::now()) {
            self.frame_wanted = true;
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let handled = match self.handle(&event) {
            Err(WindowError::Engine(EngineError::Lost { adapter, reason })) => {
                self.lost = self.window.take().map(|window| (window, Loss { adapter, reason }));
                self.revive(event_loop).map(|()| true)
            }
            // Nothing was done, and nothing is broken.
            Err(WindowError::Engine(error @ EngineError::NotYet)) => {
                if let Some(window) = &mut self.window {
                    window.notify(error.to_string());
                }
                Ok(true)
            }
            handled => handled,
        };
        match handled {
            Ok(true) => {}
            Ok(false) => self.close(event_loop, None),
            Err(error) => self.close(event_loop, Some(error)),
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if (self.stopped)() {
            return self.close(event_loop, None);
        }
        if let Err(error) = self.revive(event_loop) {
            return self.close(event_loop, Some(error));
        }
        let Some(window) = &mut self.window else {
            return event_loop.set_control_flow(ControlFlow::WaitUntil(Instant::now() + POLL));
        };
        for wish in self.host.wishes() {
            window.put_off(wish);
            self.frame_wanted = true;
        }
        if self.frame_wanted && !window.is_hidden() {
            window.request_frame();
        }
        let look = Instant::now() + POLL;
        let frame = self.wake_at.filter(|_| !window.is_hidden());
        event_loop.set_control_flow(ControlFlow::WaitUntil(frame.map_or(look, |at| at.min(look))));
    }
}
