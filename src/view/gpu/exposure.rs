//! Pictures of light: a flock is drawn in linear light, which may be brighter than a screen, and then exposed
//! as film is, by `shaders/expose.wgsl`. The factor is the style's, or measured once.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::bloom::Bloom;
use super::dither::blue_noise_texture;
use super::drawing::{Drawing, LIGHT, begin, cover, module};
use super::meter::Meter;
use super::resources::{
    bind, buffer, buffer_entry, canvas, entry, made, of_size, sampler, texture_entry,
};
use crate::style::{Backdrop, light_of_paint};
use flockwork_engine::EngineError;
use flockwork_engine::gpu::{Gpu, shaders};
use flockwork_model::scene::{OrWord, Scene, Style};
use flockwork_model::vector::Point;

/// The uniform of `expose.wgsl`, and what `measure.wgsl` measures with.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Factors {
    /// Factor on all light.
    factor: f32,
    /// The share of the light that spreads.
    bloom: f32,
    /// Points are measured if they are brighter than this.
    ground: f32,
    /// Pixels per point.
    scale: f32,
    /// Light up to here stays as it is.
    shoulder: f32,
}

/// A point is measured if it is this many times as bright as the background, and this much brighter.
const LIT: (f32, f32) = (1.1, 0.002);

/// The pictures that a factor was measured for; others are measured again.
#[derive(Debug, PartialEq)]
struct Measured {
    style: Style,
    scene: String,
    world: Point,
    size: wgpu::Extent3d,
}

/// Before a darker background, light up to here stays as it is.
const SHOULDER: f32 = 0.8;

/// How bright a point must be to be measured: brighter than the background. Before a sky, which is itself
/// light, all are.
fn ground_of(style: &Style) -> f32 {
    if style.has_sky() {
        return -1.0;
    }
    LIT.0 * brightest(style) + LIT.1
}

/// The brightest light of a background.
fn brightest(style: &Style) -> f32 {
    let stops: [[f32; 4]; 16] = Backdrop::of(&style.background).stops();
    let light = stops.into_iter().flat_map(|stop| light_of_paint(stop).into_iter().take(3));
    light.fold(0.0, f32::max)
}

/// Light up to here stays as it is: all of a background without a sun, so that white paper is white. There is
/// no light then that would need the room above it.
fn shoulder_of(style: &Style) -> f32 {
    if style.has_sky() { SHOULDER } else { brightest(style).clamp(SHOULDER, 1.0) }
}

/// Exposes light on textures of one format.
#[derive(Debug)]
pub struct Exposure {
    gpu: Arc<Gpu>,
    light: Option<wgpu::TextureView>,
    /// Compiled when light spreads for the first time.
    bloom: Option<Bloom>,
    pipeline: wgpu::RenderPipeline,
    between: wgpu::Sampler,
    dither: wgpu::TextureView,
    uniform: wgpu::Buffer,
    /// Compiled when light is measured for the first time.
    meter: Option<Meter>,
    /// If the factor in the uniform is a measured one.
    measured: Option<Measured>,
}

impl Exposure {
    /// The passes for targets of `format`.
    pub fn new(gpu: &Arc<Gpu>, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let module = module(device, "expose", shaders::EXPOSE);
        let entries = ["cover", "expose"];
        let mut drawing = Drawing::on(format, "expose", &module, entries, None);
        drawing.target.blend = None;
        Self {
            pipeline: drawing.compile(device),
            light: None,
            bloom: None,
            between: sampler(device),
            dither: blue_noise_texture(gpu),
            uniform: buffer(
                gpu,
                "exposure",
                size_of::<Factors>() as u64,
                wgpu::BufferUsages::UNIFORM
                    | wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_SRC,
            ),
            meter: None,
            measured: None,
            gpu: Arc::clone(gpu),
        }
    }

    /// The picture of light for a target.
    pub fn light_for(&mut self, target: &wgpu::TextureView) -> wgpu::TextureView {
        let size = target.texture().size();
        of_size(&mut self.light, size, || canvas(&self.gpu, "light", size, LIGHT))
    }

    /// A buffer that begins with the measured factor, if there is one.
    pub fn factor(&self) -> Option<&wgpu::Buffer> {
        self.measured.as_ref().map(|_| &self.uniform)
    }

    /// Records the exposure of [`Self::light_for`] on its target, which has `scale` pixels per point. The
    /// uniform is written through the queue. If the factor must be measured, the one of another picture is
    /// taken if there is one.
    pub fn expose(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        scene: &Scene,
        scale: f32,
        other: Option<&wgpu::Buffer>,
    ) -> Result<(), EngineError> {
        let style = &scene.style;
        let light = self.light_for(target);
        let spread = match style.bloom > 0.0 {
            true => {
                let bloom = self.bloom.get_or_insert_with(|| Bloom::new(&self.gpu));
                bloom.spread(encoder, &light, scale)
            }
            false => light.clone(),
        };
        let between = wgpu::BindingResource::Sampler(&self.between);
        let picture = [texture_entry(0, &light), texture_entry(1, &spread), entry(2, between)];
        let fixed = style.exposure.and_then(|OrWord(factor)| factor);
        let (factor, bloom) = (fixed.unwrap_or(1.0), style.bloom);
        let (ground, shoulder) = (ground_of(style), shoulder_of(style));
        let factors = Factors { factor, bloom, ground, scale, shoulder };
        let kept = if fixed.is_some() { 0 } else { size_of_val(&factor) };
        let bytes = &bytemuck::bytes_of(&factors)[kept..];
        self.gpu.queue.write_buffer(&self.uniform, kept as u64, bytes);
        let size = light.texture().size();
        let measured = fixed.is_none().then(|| Measured {
            style: style.clone(),
            scene: scene.name.clone(),
            world: scene.world.size,
            size,
        });
        if self.measured.take() != measured && measured.is_some() {
            match other {
                Some(other) => encoder.copy_buffer_to_buffer(other, 0, &self.uniform, 0, 4),
                None => {
                    let points = |side: u32| (side as f32 / scale.max(1.0)).ceil() as u32;
                    let meter = made(&mut self.meter, || Meter::new(&self.gpu))?;
                    let points = [size.width, size.height].map(points);
                    meter.measure(encoder, picture.clone(), &self.uniform, points);
                }
            }
        }
        self.measured = measured;
        let own = [buffer_entry(3, &self.uniform), texture_entry(4, &self.dither)];
        let layout = self.pipeline.get_bind_group_layout(0);
        let group = bind(&self.gpu, "expose", &layout, &[&picture[..], &own].concat());
        let clear = wgpu::Color::TRANSPARENT;
        let mut pass = begin(encoder, "expose", target, None, clear);
        cover(&mut pass, &self.pipeline, &group);
        Ok(())
    }
}
