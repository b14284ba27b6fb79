//! A flock inside a program that owns the window and the device: the flock's compute passes and
//! drawing go to the program's own queue, and agents never leave the GPU.
//!
//!     cargo run --release --example embed --features app -- 300
//!
//! The argument is the number of frames to show; without it the window stays until it is closed.

use std::error::Error;
use std::sync::Arc;

use flockwork::pictures::{Camera, Renderer, Subject};
use flockwork::{BuiltIn, Engine, Gpu, GpuEngine, Request, Scene, wgpu};
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::{Window, WindowId};

type Failure = Box<dyn Error>;

/// The program's own objects, and the flock that uses them.
struct Program {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    device: wgpu::Device,
    queue: wgpu::Queue,
    scene: Scene,
    engine: GpuEngine,
    renderer: Renderer,
}

impl Program {
    fn open(event_loop: &ActiveEventLoop) -> Result<Self, Failure> {
        // The program opens its window and its device as it always does.
        let attributes = Window::default_attributes()
            .with_title("A program with a flock in it")
            .with_inner_size(LogicalSize::new(960, 540));
        let window = Arc::new(event_loop.create_window(attributes)?);
        let display = Box::new(event_loop.owned_display_handle());
        let instance =
            wgpu::Instance::new(wgpu::InstanceDescriptor::new_with_display_handle(display));
        let surface = instance.create_surface(Arc::clone(&window))?;
        let request = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: Some(&surface),
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&request))?;
        let wanted = wgpu::DeviceDescriptor {
            required_features: Gpu::features(&adapter),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted))?;
        let size = window.inner_size();
        let mut config = surface
            .get_default_config(&adapter, size.width.max(1), size.height.max(1))
            .ok_or("the adapter cannot draw in this window")?;
        // Colours of the flock are sRGB numbers already.
        let format = config.format.remove_srgb_suffix();
        config.view_formats.push(format);
        surface.configure(&device, &config);

        // A flock that shares the program's device.
        let gpu = Gpu::from_parts(instance, adapter, device.clone(), queue.clone());
        let text = BuiltIn::named("flock").ok_or("the scene `flock` is built in")?.text;
        let scene = Scene::parse("flock", text)?;
        let (scene, state) =
            scene.populate(&Request { count: Some(3000), ..Request::default() })?;
        let mut engine = GpuEngine::new(Arc::clone(&gpu));
        engine.load(&scene, &state)?;
        let renderer = Renderer::new(gpu, format);
        Ok(Self { window, surface, config, device, queue, scene, engine, renderer })
    }

    fn resize(&mut self, width: u32, height: u32) {
        (self.config.width, self.config.height) = (width.max(1), height.max(1));
        self.surface.configure(&self.device, &self.config);
    }

    /// One tick and one frame.
    fn frame(&mut self) -> Result<(), Failure> {
        use wgpu::CurrentSurfaceTexture::{Suboptimal, Success};
        self.engine.step(1)?;
        let (Success(texture) | Suboptimal(texture)) = self.surface.get_current_texture() else {
            self.surface.configure(&self.device, &self.config);
            return Ok(());
        };
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor {
            format: Some(self.config.format.remove_srgb_suffix()),
            ..Default::default()
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let targets = self.engine.targets()?;
        let agents = self.engine.buffers().ok_or("a flock is loaded")?;
        let camera = Camera::fit(&self.scene.world, self.config.width, self.config.height);
        let (scene, targets, camera) = (&self.scene, &targets[..], &camera);
        let subject = Subject { agents, scene, targets, camera };
        self.renderer.draw(&mut encoder, &view, subject)?;
        self.frame_of_its_own(&mut encoder, &view);
        self.queue.submit([encoder.finish()]);
        self.window.pre_present_notify();
        self.queue.present(texture);
        Ok(())
    }

    /// The program's own drawing over the flock: here nothing.
    fn frame_of_its_own(&self, encoder: &mut wgpu::CommandEncoder, view: &wgpu::TextureView) {
        let _ = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("the program's own"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
    }
}

/// The application that winit calls.
struct App {
    program: Option<Program>,
    /// Frames still to show.
    left: u64,
    outcome: Result<(), Failure>,
}

impl App {
    /// Ends the program if `result` is an error.
    fn note(&mut self, event_loop: &ActiveEventLoop, result: Result<(), Failure>) {
        if result.is_err() {
            self.outcome = result;
            event_loop.exit();
        }
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let opened = Program::open(event_loop).map(|program| {
            program.window.request_redraw();
            self.program = Some(program);
        });
        self.note(event_loop, opened);
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(program) = &mut self.program else { return };
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => program.resize(size.width, size.height),
            WindowEvent::RedrawRequested => {
                let shown = program.frame();
                program.window.request_redraw();
                self.left = self.left.saturating_sub(1);
                if self.left == 0 {
                    event_loop.exit();
                }
                self.note(event_loop, shown);
            }
            _ => {}
        }
    }
}

fn main() -> Result<(), Failure> {
    let left = std::env::args().nth(1).map_or(Ok(u64::MAX), |text| text.parse())?;
    let mut app = App { program: None, left, outcome: Ok(()) };
    EventLoop::new()?.run_app(&mut app)?;
    app.outcome
}
