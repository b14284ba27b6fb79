//! Shared by the picture tests: a flock to draw, a picture of it, and the difference of two
//! pictures.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

#[path = "../common/starting.rs"]
mod starting;

use std::sync::Arc;

use flockwork::engine::gpu::{Gpu, GpuEngine};
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::view::camera::Camera;
use flockwork::view::cpu::raster;
use flockwork::view::frame::Frame;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::gpu::upload::UploadedAgents;
use flockwork::view::style;
use glam::Vec2;

pub use starting::{agents, built_in_scene, populated};

/// The scene `flock`, with keys set.
pub fn scene(overrides: &[&str]) -> Scene {
    built_in_scene("flock", overrides)
}

/// The CPU's picture of a state.
pub fn by_cpu(scene: &Scene, state: &FlockState, camera: &Camera) -> Frame {
    raster::draw(scene, state, &scene.targets, camera, 1.0)
}

/// The GPU's picture of a state.
pub fn by_gpu(gpu: &Arc<Gpu>, scene: &Scene, state: &FlockState, camera: &Camera) -> Frame {
    by_gpu_at(gpu, scene, state, camera, 1.0)
}

/// The same with this number of pixels per point.
pub fn by_gpu_at(
    gpu: &Arc<Gpu>,
    scene: &Scene,
    state: &FlockState,
    camera: &Camera,
    scale: f32,
) -> Frame {
    let size = (camera.size.x as u32, camera.size.y as u32);
    Studio::new(gpu, size, scale).draw(scene, state, camera)
}

/// A picture drawn from an engine's own buffers, where agents are in the order of cells.
pub fn from_buffers(gpu: &Arc<Gpu>, engine: &GpuEngine, scene: &Scene, camera: &Camera) -> Frame {
    let (width, height) = (camera.size.x as u32, camera.size.y as u32);
    let mut offscreen = Offscreen::new(Arc::clone(gpu), width, height).unwrap();
    offscreen.render(engine.buffers().unwrap(), scene, &scene.targets, camera).unwrap()
}

/// Draws pictures of one size on the GPU, of flocks on the host.
pub struct Studio {
    agents: UploadedAgents,
    pub offscreen: Offscreen,
}

impl Studio {
    /// For pictures of this size, with so many pixels per point.
    pub fn new(gpu: &Arc<Gpu>, (width, height): (u32, u32), scale: f32) -> Self {
        let mut offscreen = Offscreen::new(Arc::clone(gpu), width, height).unwrap();
        offscreen.set_scale(scale);
        Self { agents: UploadedAgents::new(Arc::clone(gpu)), offscreen }
    }

    pub fn draw(&mut self, scene: &Scene, state: &FlockState, camera: &Camera) -> Frame {
        self.agents.upload(state, scene.world.is_flat()).unwrap();
        let agents = self.agents.agents();
        let frame = self.offscreen.render(agents, scene, &scene.targets, camera).unwrap();
        assert_eq!(Vec2::new(frame.width as f32, frame.height as f32), camera.size);
        assert_eq!(frame.pixels.len(), 4 * frame.width as usize * frame.height as usize);
        frame
    }
}

/// An empty texture in the format of pictures.
pub fn texture(
    gpu: &Gpu,
    (width, height): (u32, u32),
    usage: wgpu::TextureUsages,
) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// How far a pixel is from the background: the sum over its channels.
pub fn light_at(frame: &Frame, x: u32, y: u32) -> u32 {
    let rgb = frame.rgb(x, y).unwrap();
    rgb.iter().zip(style::BACKGROUND).map(|(c, b)| u32::from(c.abs_diff(b))).sum()
}

/// A connected set of pixels.
pub type Blob = Vec<(u32, u32)>;

/// The connected sets of pixels that are at least so far from the background.
pub fn blobs(frame: &Frame, least: u32) -> Vec<Blob> {
    let mut seen = vec![false; (frame.width * frame.height) as usize];
    let mut visit = |x: u32, y: u32| {
        let seen = &mut seen[(y * frame.width + x) as usize];
        let new = !*seen && light_at(frame, x, y) >= least;
        *seen = true;
        new
    };
    let mut blobs = Vec::new();
    for (x, y) in (0..frame.height).flat_map(|y| (0..frame.width).map(move |x| (x, y))) {
        if !visit(x, y) {
            continue;
        }
        let mut pixels = vec![(x, y)];
        let mut next = 0;
        while let Some(&(x, y)) = pixels.get(next) {
            next += 1;
            for ny in y.saturating_sub(1)..(y + 2).min(frame.height) {
                for nx in x.saturating_sub(1)..(x + 2).min(frame.width) {
                    if visit(nx, ny) {
                        pixels.push((nx, ny));
                    }
                }
            }
        }
        blobs.push(pixels);
    }
    blobs
}

/// The middle of a pixel.
pub fn centre_of((x, y): (u32, u32)) -> Vec2 {
    Vec2::new(x as f32 + 0.5, y as f32 + 0.5)
}

/// The middle of a blob, whose pixels count by their light: those on its edge by the share that is covered.
pub fn middle(frame: &Frame, blob: &Blob) -> Vec2 {
    let light = |(x, y): (u32, u32)| light_at(frame, x, y) as f32;
    let weighed = |at: &(u32, u32)| centre_of(*at) * light(*at);
    blob.iter().map(weighed).sum::<Vec2>() / blob.iter().map(|at| light(*at)).sum::<f32>()
}

/// The sum of the absolute differences of all channels.
pub fn apart(a: &Frame, b: &Frame) -> f64 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let pairs = a.pixels.iter().zip(&b.pixels);
    pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>() as f64
}

/// The mean difference per channel of pictures without transparency.
pub fn difference(a: &Frame, b: &Frame) -> f64 {
    apart(a, b) / f64::from(3 * a.width * a.height)
}

/// The share of pixels with a channel that differs by more than `steps`.
pub fn differing(one: &Frame, other: &Frame, steps: u8) -> f64 {
    let pairs = one.pixels.chunks_exact(4).zip(other.pixels.chunks_exact(4));
    let apart = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > steps);
    pairs.filter(apart).count() as f64 / f64::from(one.width * one.height)
}

/// The means of the first channels of a picture in squares of `side` pixels.
fn regions<const CHANNELS: usize>(frame: &Frame, side: u32) -> Vec<f64> {
    let mut means = Vec::new();
    for top in (0..frame.height / side).map(|row| row * side) {
        for left in (0..frame.width / side).map(|column| column * side) {
            let mut sum = [0.0; CHANNELS];
            for (x, y) in (0..side * side).map(|i| (left + i % side, top + i / side)) {
                let pixel = &frame.pixels[4 * (y * frame.width + x) as usize..];
                sum.iter_mut().zip(pixel).for_each(|(sum, channel)| *sum += f64::from(*channel));
            }
            means.extend(sum.map(|sum| sum / f64::from(side * side)));
        }
    }
    means
}

/// The mean difference per channel between regions.
pub fn seam<const CHANNELS: usize>(a: &Frame, b: &Frame, side: u32) -> f64 {
    let (a, b) = (regions::<CHANNELS>(a, side), regions::<CHANNELS>(b, side));
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum::<f64>() / a.len() as f64
}

/// The sum of all light above the background.
pub fn light(frame: &Frame) -> f64 {
    apart(frame, &Frame::filled(frame.width, frame.height, style::BACKGROUND))
}
