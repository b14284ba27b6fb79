//! The device that draws the window, and all that lives on it.

use std::sync::Arc;

use winit::window::Window;

use crate::WindowError;
use crate::interface::Interface;
use crate::screen::Screen;
use flockwork_engine::gpu::{AdapterChoice, Gpu};
use flockwork_view::gpu::renderer::Renderer;
use flockwork_view::gpu::trails::TrailLight;
use flockwork_view::gpu::upload::UploadedAgents;
use flockwork_view::style::scale_of;

/// Pixels per point in a window of `width` × `height` pixels: its screen's, but in a large
/// window the number of a picture of its size.
pub fn scale(window: &Window, (width, height): (u32, u32)) -> f32 {
    (window.scale_factor() as f32).max(scale_of(width, height))
}

/// Draws flock and panels in a window. The surface is dropped last.
pub struct Display {
    pub renderer: Renderer,
    /// True if it draws the light of styles.
    pub light: bool,
    pub uploaded: UploadedAgents,
    pub uploaded_revision: Option<u64>,
    /// The trails, if the style has them.
    pub trails: Option<TrailLight>,
    pub interface: Interface,
    pub screen: Screen,
}

impl Display {
    /// Opens a device that can draw in `window`, or takes the one that is `open`; see
    /// [`WindowOptions::light`](crate::WindowOptions).
    pub fn new(
        window: &Arc<Window>,
        instance: wgpu::Instance,
        (choice, open): (&AdapterChoice, Option<Arc<Gpu>>),
        light: Option<bool>,
    ) -> Result<Self, WindowError> {
        let screen = Screen::new(instance, Arc::clone(window), choice, open)?;
        let gpu = screen.gpu();
        let mut renderer = Renderer::new(Arc::clone(gpu), screen.format());
        renderer.set_scale(scale(window, screen.size()));
        Ok(Self {
            renderer,
            light: light.unwrap_or(!gpu.is_software()),
            uploaded: UploadedAgents::new(Arc::clone(gpu)),
            uploaded_revision: None,
            trails: None,
            interface: Interface::new(window, gpu, screen.format()),
            screen,
        })
    }
}
