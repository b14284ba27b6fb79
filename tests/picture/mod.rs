//! Shared by the picture tests: a flock to draw, a picture of it, and the difference of two
//! pictures.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

use std::sync::Arc;

use flockwork::engine::gpu::Gpu;
use flockwork::model::scene::{BuiltIn, Scene};
use flockwork::model::state::FlockState;
use flockwork::view::camera::Camera;
use flockwork::view::frame::Frame;
use flockwork::view::gpu::offscreen::Offscreen;
use flockwork::view::gpu::upload::UploadedAgents;
use flockwork::view::style;

/// The scene `flock`, with keys set.
pub fn scene(overrides: &[&str]) -> Scene {
    Scene::parse_with("flock", BuiltIn::named("flock").unwrap().text, overrides).unwrap()
}

/// The GPU's picture of a state.
pub fn by_gpu(gpu: &Arc<Gpu>, scene: &Scene, state: &FlockState, camera: &Camera) -> Frame {
    let (width, height) = (camera.size.x as u32, camera.size.y as u32);
    let mut agents = UploadedAgents::new(Arc::clone(gpu));
    agents.upload(state).unwrap();
    let mut offscreen = Offscreen::new(Arc::clone(gpu), width, height).unwrap();
    offscreen.render(agents.agents(), scene, &scene.targets, camera).unwrap()
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

/// The sum of the absolute differences of all channels.
pub fn apart(a: &Frame, b: &Frame) -> f64 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let pairs = a.pixels.iter().zip(&b.pixels);
    pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>() as f64
}

/// The sum of all light above the background.
pub fn light(frame: &Frame) -> f64 {
    apart(frame, &Frame::filled(frame.width, frame.height, style::BACKGROUND))
}
