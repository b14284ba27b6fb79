//! A window whose device was lost: the flock goes on with the CPU engine, and another device draws
//! it.

use std::sync::Arc;

use winit::window::Window;

use super::OpenWindow;
use super::display::Display;
use super::scenes::keep;
use crate::WindowError;
use flockwork_engine::gpu::{AdapterChoice, Gpu, device};
use flockwork_engine::{EngineError, EngineKind};
use flockwork_view::words::grouped;

/// A lost device.
#[derive(Clone, Debug)]
pub struct Loss {
    /// Name of its adapter.
    pub adapter: String,
    /// The driver's message.
    pub reason: String,
}

impl Loss {
    /// The error that ends the window, because there is no other device.
    pub fn without_another(self, problem: String) -> WindowError {
        let Self { adapter, reason } = self;
        WindowError::Lost { adapter, reason, problem }
    }
}

impl OpenWindow<'_> {
    /// The same window after its device was lost, with a new device from `instance` to draw with. A
    /// flock that was on the lost device goes on from the last state on the host, with the CPU engine or on
    /// `gpu`, a device that is open already.
    pub fn revive(
        self,
        instance: wgpu::Instance,
        gpu: Option<Arc<Gpu>>,
        loss: Loss,
    ) -> Result<Self, WindowError> {
        let (unsaved, host, tell) = (self.session.unsaved(), self.options.host, self.options.tell);
        let revived = self.on_another_device(instance, gpu, loss);
        if revived.is_err() {
            // The window is gone, but not the edits.
            keep(&unsaved, host, tell);
        }
        revived
    }

    fn on_another_device(
        mut self,
        instance: wgpu::Instance,
        gpu: Option<Arc<Gpu>>,
        loss: Loss,
    ) -> Result<Self, WindowError> {
        // A device that is lost before it shows a frame would be lost again and again.
        if self.progress.frames == self.progress.frames_at_loss {
            let Loss { adapter, reason } = loss;
            return Err(EngineError::Lost { adapter, reason }.into());
        }
        self.progress.frames_at_loss = self.progress.frames;
        let from = match self.session.engine().kind() {
            EngineKind::Cpu => None,
            EngineKind::Gpu => {
                let kind = gpu.as_ref().map_or(EngineKind::Cpu, |_| EngineKind::Gpu);
                let engine = (self.options.engines)(kind, gpu.as_ref())?;
                Some((self.session.rescue(engine)?, kind))
            }
        };
        // The frame that the lost device was drawing is gone; the film ends with the one before.
        self.end_film();
        let zoom = self.display.interface.zoom();
        // A window allows one surface at a time.
        drop(self.display);
        let choice = (&self.options.adapter, gpu);
        let display = match open(instance, &self.window, choice, self.options.light) {
            Ok(display) => display,
            Err(problem) => return Err(loss.without_another(problem)),
        };
        display.interface.set_zoom(zoom);
        let goes_on = goes_on(from);
        let Loss { adapter, reason } = loss;
        let drawn = display.screen.gpu().name();
        (self.options.tell)(&format!(
            "{adapter}: the device was lost ({reason}); {goes_on}, drawn by {drawn}"
        ));
        let mut window = Self { display, ..self };
        // Short enough for a narrow window.
        window.notify(format!("the GPU was lost; {goes_on}"));
        window.request_redraw();
        Ok(window)
    }
}

/// A device that draws in `window`; the error says why there is none.
fn open(
    instance: wgpu::Instance,
    window: &Arc<Window>,
    choice: (&AdapterChoice, Option<Arc<Gpu>>),
    light: Option<bool>,
) -> Result<Display, String> {
    // A page cannot list them.
    if choice.1.is_none() && device::adapters(&instance).is_empty() {
        return Err("no GPU adapter found".into());
    }
    Display::new(window, instance, choice, light).map_err(|error| match error {
        WindowError::NoSurface(problem) => problem,
        error => error.to_string(),
    })
}

/// Says that the flock goes on, from a tick with an engine or unchanged.
fn goes_on(from: Option<(u64, EngineKind)>) -> String {
    match from {
        Some((tick, EngineKind::Cpu)) => {
            format!("going on with the CPU engine from tick {}", grouped(tick))
        }
        Some((tick, EngineKind::Gpu)) => format!("going on from tick {}", grouped(tick)),
        None => "the flock on the CPU engine goes on".into(),
    }
}
