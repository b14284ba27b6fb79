//! Draws pictures without a window: renders to a texture and copies it to the host.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::renderer::{Method, Renderer};
use super::resources::{buffer, texture};
use super::subject::Subject;
use super::trails::TrailView;
use super::upload::UploadedAgents;
use crate::camera::Camera;
use crate::cpu::{raster, shape_raster};
use crate::frame::Frame;
use crate::legend::Legend;
use crate::shapes::StyledShape;
use crate::style::Backdrop;
use crate::{Layer, Motif, Painter};
use flockwork_engine::gpu::{AgentBuffers, Gpu};
use flockwork_engine::{AgentsAt, Engine, EngineError, HostAgents};
use flockwork_model::behaviours::Target;
use flockwork_model::scene::{Ground, Scene};
use flockwork_model::state::FlockState;

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const PIXEL_BYTES: u32 = 4;

/// The most pictures in flight: one being drawn, one being copied, one being read. More would only
/// delay their arrival.
const MAX_UNDER_WAY: usize = 3;

/// A picture of fixed size to draw flocks on.
#[derive(Debug)]
pub struct Offscreen {
    gpu: Arc<Gpu>,
    renderer: Renderer,
    texture: wgpu::Texture,
    /// A copy of the engine's agents if they are not on this device.
    uploaded: Option<UploadedAgents>,
    /// Free staging buffers.
    staging: Vec<wgpu::Buffer>,
    /// Oldest first.
    under_way: VecDeque<UnderWay>,
    row_bytes: u32,
    trails: Option<TrailView>,
}

/// A picture that the device is drawing.
#[derive(Debug)]
struct UnderWay {
    staging: wgpu::Buffer,
    submission: wgpu::SubmissionIndex,
    /// True once the host can read it.
    arrived: Arc<AtomicBool>,
    /// Shapes to draw over the picture.
    above: Vec<StyledShape>,
    camera: Camera,
    legend: Option<Legend>,
}

impl Offscreen {
    /// A picture of `width` × `height` pixels. Fails if the device cannot draw such a large one.
    pub fn new(gpu: Arc<Gpu>, width: u32, height: u32) -> Result<Self, EngineError> {
        let limits = gpu.device.limits();
        let side = limits.max_texture_dimension_2d;
        if width == 0 || height == 0 || width > side || height > side {
            return Err(gpu.error(format!(
                "cannot draw a picture of {width}x{height} pixels: each side is from 1 to {side} \
                 here; choose a smaller --size"
            )));
        }
        // Rows of a copied texture start at multiples of 256 bytes.
        let row_bytes = (width * PIXEL_BYTES).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let bytes = u64::from(row_bytes) * u64::from(height);
        if bytes > limits.max_buffer_size {
            return Err(gpu.error(format!(
                "cannot read back a picture of {width}x{height} pixels: its {bytes} bytes exceed \
                 the longest buffer, {} bytes; choose a smaller --size",
                limits.max_buffer_size
            )));
        }
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let texture = texture(&gpu, "offscreen", (size, 1), FORMAT, usage);
        let renderer = Renderer::new(Arc::clone(&gpu), FORMAT);
        let (staging, under_way) = (Vec::new(), VecDeque::new());
        let (uploaded, trails) = (None, None);
        Ok(Self { gpu, renderer, texture, uploaded, staging, under_way, row_bytes, trails })
    }

    /// Draws `agents` as seen by `camera`, over the scenery of `scene` with `targets` at their
    /// current positions, and copies the picture to the host.
    pub fn render(
        &mut self,
        agents: &AgentBuffers,
        scene: &Scene,
        targets: &[Target],
        camera: &Camera,
    ) -> Result<Frame, EngineError> {
        self.submit(agents, targets, Motif::of(scene, camera))?;
        self.last()
    }

    /// Submits the drawing of a picture. Call [`Self::make_room`] first.
    fn submit(
        &mut self,
        agents: &AgentBuffers,
        targets: &[Target],
        Motif { scene, camera, above, layer }: Motif<'_>,
    ) -> Result<(), EngineError> {
        let staging = self.staging.pop().unwrap_or_else(|| {
            buffer(
                &self.gpu,
                "offscreen",
                u64::from(self.row_bytes) * u64::from(self.texture.height()),
                wgpu::BufferUsages::MAP_READ,
            )
        });
        let view = self.texture.create_view(&Default::default());
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let subject = Subject { agents, scene, targets, camera };
        let is_whole = layer == Layer::Whole;
        let renderer = &mut self.renderer;
        renderer.bare = layer == Layer::Agents;
        renderer.hides_agents = layer == Layer::Behind;
        match self.trails.as_ref().filter(|_| is_whole) {
            Some(trails) => {
                let alone = renderer.draw_alone(&mut encoder, &view, subject)?;
                renderer.draw_over_trails(&mut encoder, &view, subject, (&alone, trails))?;
            }
            None => renderer.draw(&mut encoder, &view, subject)?,
        }
        encoder.copy_texture_to_buffer(
            self.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &staging,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(self.row_bytes),
                    rows_per_image: None,
                },
            },
            self.texture.size(),
        );
        let submission = self.gpu.queue.submit([encoder.finish()]);
        let arrived = Arc::new(AtomicBool::new(false));
        let set_arrived = Arc::clone(&arrived);
        staging.slice(..).map_async(wgpu::MapMode::Read, move |mapped| {
            set_arrived.store(mapped.is_ok(), Ordering::Release);
        });
        let above = if is_whole { above } else { &[] };
        let (above, camera) = (Backdrop::of(&scene.style.background).suited(above), *camera);
        let legend = Legend::asked_for(scene, &camera).filter(|_| is_whole);
        self.under_way.push_back(UnderWay { staging, submission, arrived, above, camera, legend });
        self.gpu.check()
    }

    /// Returns the oldest picture in flight if it has arrived, or if no more fit.
    fn make_room(&mut self) -> Result<Option<Frame>, EngineError> {
        match self.under_way.len() {
            MAX_UNDER_WAY.. => self.oldest(),
            _ => self.arrived(),
        }
    }

    /// Returns the oldest picture that [`Painter::begin`] has submitted, if it has arrived. Never waits.
    pub fn arrived(&mut self) -> Result<Option<Frame>, EngineError> {
        self.gpu.poll(wgpu::PollType::Poll)?;
        let arrived = |first: &UnderWay| first.arrived.load(Ordering::Acquire);
        if self.under_way.front().is_some_and(arrived) { self.oldest() } else { Ok(None) }
    }

    /// Waits for the oldest picture in flight, not for the others.
    fn oldest(&mut self) -> Result<Option<Frame>, EngineError> {
        self.under_way.pop_front().map(|first| self.received(first)).transpose()
    }

    /// Waits for a picture.
    fn received(&mut self, picture: UnderWay) -> Result<Frame, EngineError> {
        let UnderWay { staging, submission, arrived, above, camera, legend } = picture;
        if !arrived.load(Ordering::Acquire) {
            if cfg!(target_family = "wasm") {
                return Err(EngineError::NotYet);
            }
            let wait = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
            self.gpu.poll(wait)?;
        }
        let mut frame = self.frame(&staging)?;
        staging.unmap();
        self.staging.push(staging);
        shape_raster::draw(&above, &camera, self.renderer.scale(), &mut frame);
        if let Some(legend) = legend {
            legend.draw(self.renderer.scale(), &mut frame);
        }
        Ok(frame)
    }

    /// Waits for the newest picture in flight; the others stay.
    fn last(&mut self) -> Result<Frame, EngineError> {
        let last = self.under_way.pop_back();
        let last = last.ok_or_else(|| self.gpu.error("no picture is under way"))?;
        self.received(last)
    }

    /// Sets how agents are drawn.
    pub fn set_method(&mut self, method: Method) {
        self.renderer.set_method(method);
    }

    /// Exposes the next pictures as another renderer on this device does, where light is measured.
    pub fn expose_like(&mut self, other: &Renderer) {
        self.renderer.expose_like(other);
    }

    /// Sets the trails that the next pictures show under their agents.
    pub fn set_trails(&mut self, trails: Option<TrailView>) {
        self.trails = trails;
    }

    /// Sets the pixels per point; 1 by default.
    pub fn set_scale(&mut self, scale: f32) {
        self.renderer.set_scale(scale);
    }

    /// Submits the flock of an engine. It is drawn in place if it is on this device, and uploaded
    /// if not; from another device it is read back first.
    fn submit_flock(
        &mut self,
        engine: &mut dyn Engine,
        motif: Motif<'_>,
    ) -> Result<(), EngineError> {
        // Waits for a GPU only if targets move by themselves.
        let targets = engine.targets()?;
        let state;
        let host = match engine.agents() {
            AgentsAt::Device(agents) => match agents.get::<AgentBuffers>() {
                Some(agents) if Arc::ptr_eq(&agents.gpu, &self.gpu) => {
                    return self.submit(agents, &targets, motif);
                }
                _ => {
                    state = engine.read_back()?;
                    HostAgents::from(&state)
                }
            },
            AgentsAt::Host(host) => host,
        };
        let new = || UploadedAgents::new(Arc::clone(&self.gpu));
        let mut uploaded = self.uploaded.take().unwrap_or_else(new);
        let submitted = uploaded
            .upload_for(motif.scene, host)
            .and_then(|()| self.submit(uploaded.agents(), &targets, motif));
        self.uploaded = Some(uploaded);
        submitted
    }

    fn frame(&self, staging: &wgpu::Buffer) -> Result<Frame, EngineError> {
        let mapped = staging.slice(..).get_mapped_range();
        let mapped = mapped.map_err(|error| self.gpu.error(error.to_string()))?;
        let (width, height) = (self.texture.width(), self.texture.height());
        let row = (width * PIXEL_BYTES) as usize;
        let mut pixels = Vec::with_capacity(row * height as usize);
        for line in mapped.chunks(self.row_bytes as usize) {
            pixels.extend_from_slice(&line[..row]);
        }
        Ok(Frame { width, height, pixels })
    }
}

impl Painter for Offscreen {
    fn describe(&self) -> String {
        self.gpu.name()
    }

    fn paint(&mut self, engine: &mut dyn Engine, motif: Motif<'_>) -> Result<Frame, EngineError> {
        let Motif { scene, camera, layer, .. } = motif;
        // Sky, water and exposed light are drawn here alone, and shadows need no copy of the flock. The CPU is
        // enough for the rest.
        let is_plain = !scene.style.needs_adapter() && scene.style.ground == Ground::None;
        if layer == Layer::Behind && is_plain {
            let (nobody, targets) = (FlockState::default(), engine.targets()?);
            let scale = self.renderer.scale();
            return Ok(raster::draw_layer(scene, &nobody, &targets, camera, scale, layer));
        }
        self.submit_flock(engine, motif)?;
        self.last()
    }

    fn begin(
        &mut self,
        engine: &mut dyn Engine,
        motif: Motif<'_>,
    ) -> Result<Option<Frame>, EngineError> {
        let before = self.make_room()?;
        self.submit_flock(engine, motif)?;
        Ok(before)
    }

    fn finish(&mut self) -> Result<Option<Frame>, EngineError> {
        self.oldest()
    }
}
