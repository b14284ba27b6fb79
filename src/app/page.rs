//! The window in a page: a canvas instead of a window of the system, and no end.

use winit::event_loop::EventLoop;
use winit::platform::web::{EventLoopExtWebSys, WindowAttributesExtWebSys};
use winit::window::{Window, WindowAttributes};

use super::event_loop::no_display;
use super::{App, WindowError, WindowOptions};
use flockwork_engine::gpu::device;

/// Shows the flock in a canvas until the page is left. Returns at once. `options` must have a device.
pub fn show_in(
    canvas: web_sys::HtmlCanvasElement,
    mut options: WindowOptions<'static>,
) -> Result<(), WindowError> {
    options.canvas = Some(canvas);
    let event_loop = EventLoop::new().map_err(no_display)?;
    let instance = options.gpu.as_ref().map_or_else(device::instance, |gpu| gpu.instance.clone());
    event_loop.spawn_app(App::new(options, instance));
    Ok(())
}

/// The canvas, in its own size.
pub fn attributes(options: &WindowOptions<'_>) -> WindowAttributes {
    Window::default_attributes().with_canvas(options.canvas.clone())
}
