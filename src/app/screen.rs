//! The surface of a window: configured, resized, lost and recovered.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use winit::window::Window;

use super::WindowError;
use flockwork_engine::EngineError;
use flockwork_engine::gpu::{AdapterChoice, Gpu};

/// A window's surface and the device that draws on it.
pub struct Screen {
    gpu: Arc<Gpu>,
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    stale: bool,
}

/// The result of [`Screen::acquire`].
pub enum Acquired {
    /// Draw on this, then pass it to [`Screen::present`].
    Ready(SurfaceFrame),
    /// No texture this time; try again.
    Later,
    /// The window is not visible.
    Hidden,
}

/// A texture of the surface, to draw a frame on.
pub struct SurfaceFrame {
    gpu: Arc<Gpu>,
    texture: Option<wgpu::SurfaceTexture>,
}

impl Drop for SurfaceFrame {
    fn drop(&mut self) {
        let texture = self.texture.take();
        if texture.is_none() || self.gpu.check().is_ok() {
            return;
        }
        // wgpu takes a texture back from a lost device only while the thread panics; otherwise
        // dropping it panics.
        let _ = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let _texture = texture;
            // Silent, because it is caught here.
            std::panic::resume_unwind(Box::new(()));
        }));
    }
}

impl Screen {
    /// Opens a device that can draw in `window`, or takes the one that is `open`.
    pub fn new(
        instance: wgpu::Instance,
        window: Arc<Window>,
        choice: &AdapterChoice,
        open: Option<Arc<Gpu>>,
    ) -> Result<Self, WindowError> {
        let surface = instance
            .create_surface(Arc::clone(&window))
            .map_err(|error| WindowError::NoSurface(error.to_string()))?;
        let gpu = match open {
            Some(gpu) => gpu,
            None => {
                Gpu::open_for(instance, choice, Some(&surface)).map_err(|error| match error {
                    // No other one can be chosen.
                    EngineError::NoAdapter(problem) if *choice == AdapterChoice::Best => {
                        WindowError::NoSurface(problem)
                    }
                    error => error.into(),
                })?
            }
        };
        let capabilities = surface.get_capabilities(&gpu.adapter);
        // Colours are sRGB numbers already and are blended as such.
        let plain = |format: &&wgpu::TextureFormat| !format.is_srgb();
        let preferred = [wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureFormat::Rgba8Unorm];
        // A page names its own preference first.
        let mut preferred = preferred.iter().filter(|_| cfg!(not(target_family = "wasm")));
        let format = preferred
            .find(|format| capabilities.formats.contains(format))
            .or_else(|| capabilities.formats.iter().find(plain))
            .or_else(|| capabilities.formats.first());
        let Some(format) = format.copied() else {
            return Err(WindowError::NoSurface(format!("{} offers no format", gpu.name())));
        };
        let view = format.remove_srgb_suffix();
        let config = wgpu::SurfaceConfiguration {
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            format,
            color_space: wgpu::SurfaceColorSpace::Auto,
            width: 0,
            height: 0,
            desired_maximum_frame_latency: 2,
            present_mode: wgpu::PresentMode::AutoVsync,
            alpha_mode: wgpu::CompositeAlphaMode::Auto,
            view_formats: if view == format { Vec::new() } else { vec![view] },
        };
        let mut screen = Self { gpu, window, surface, config, stale: true };
        screen.measure();
        Ok(screen)
    }

    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Format of the views to draw on.
    pub fn format(&self) -> wgpu::TextureFormat {
        self.config.format.remove_srgb_suffix()
    }

    /// In pixels; zero while the window is minimised.
    pub fn size(&self) -> (u32, u32) {
        (self.config.width, self.config.height)
    }

    /// Takes over the size of the window.
    pub fn measure(&mut self) {
        let most = self.gpu.device.limits().max_texture_dimension_2d;
        let size = self.window.inner_size();
        let size = (size.width.min(most), size.height.min(most));
        if size != self.size() {
            (self.config.width, self.config.height) = size;
            self.stale = true;
        }
    }

    /// The next texture to draw on.
    pub fn acquire(&mut self) -> Result<Acquired, EngineError> {
        use wgpu::CurrentSurfaceTexture as Current;
        if self.config.width == 0 || self.config.height == 0 {
            return Ok(Acquired::Hidden);
        }
        // wgpu panics over a surface that was never configured; that happens when the device was
        // lost.
        self.gpu.check()?;
        if std::mem::take(&mut self.stale) {
            self.surface.configure(&self.gpu.device, &self.config);
        }
        match self.surface.get_current_texture() {
            Current::Success(texture) => Ok(Acquired::Ready(self.sheet(texture))),
            Current::Suboptimal(texture) => {
                // It can be shown once more. The surface must not be configured while the texture
                // lives.
                self.stale = true;
                Ok(Acquired::Ready(self.sheet(texture)))
            }
            Current::Timeout => Ok(Acquired::Later),
            Current::Occluded => Ok(Acquired::Hidden),
            Current::Outdated => {
                self.measure();
                self.stale = true;
                Ok(Acquired::Later)
            }
            Current::Lost => {
                self.surface = self
                    .gpu
                    .instance
                    .create_surface(Arc::clone(&self.window))
                    .map_err(|error| self.gpu.error(error.to_string()))?;
                self.stale = true;
                Ok(Acquired::Later)
            }
            Current::Validation => {
                self.gpu.check()?;
                Err(self.gpu.error("the window's surface is not valid"))
            }
        }
    }

    fn sheet(&self, texture: wgpu::SurfaceTexture) -> SurfaceFrame {
        SurfaceFrame { gpu: Arc::clone(&self.gpu), texture: Some(texture) }
    }

    /// A view of a texture of the surface, in [`Screen::format`].
    pub fn view(&self, sheet: &SurfaceFrame) -> Result<wgpu::TextureView, EngineError> {
        let texture =
            sheet.texture.as_ref().ok_or_else(|| self.gpu.error("no sheet to draw on"))?;
        Ok(texture.texture.create_view(&wgpu::TextureViewDescriptor {
            format: Some(self.format()),
            ..Default::default()
        }))
    }

    /// Shows a texture that was drawn on.
    pub fn present(&self, mut sheet: SurfaceFrame) -> Result<(), EngineError> {
        self.gpu.check()?;
        if let Some(texture) = sheet.texture.take() {
            self.window.pre_present_notify();
            self.gpu.queue.present(texture);
        }
        Ok(())
    }
}
