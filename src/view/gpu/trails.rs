//! Trails on the device, for the window: it does not wait for its pictures. [`crate::trails`] keeps
//! the trails of a capture.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

use super::drawing::{Drawing, LIGHT, attach, cover, module};
use super::resources::{bind, buffer, buffer_entry, canvas, texture_entry};
use crate::camera::Camera;
use flockwork_engine::gpu::{Gpu, shaders};

/// A camera in the uniform of `trails.wgsl`; see [`Camera`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct ViewUniform {
    centre: [f32; 2],
    size: [f32; 2],
    turn: [f32; 2],
    period: [f32; 2],
}

impl From<&Camera> for ViewUniform {
    fn from(camera: &Camera) -> Self {
        Self {
            centre: [camera.centre.x, camera.centre.y],
            size: [camera.size.x, camera.size.y],
            turn: [camera.turn.x, camera.turn.y],
            period: [camera.period.x, camera.period.y],
        }
    }
}

/// The uniform of `trails.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct TrailsUniform {
    /// The camera of the picture to draw.
    now: ViewUniform,
    /// The camera of the light.
    before: ViewUniform,
    /// Of both.
    pixels_per_unit: [f32; 2],
    /// The share of the light that is left.
    fading: f32,
    /// 1 if the two cameras differ, 2 if they do in a space.
    moved: u32,
    /// In a space: the rows of the projection from a pixel of the picture to one of the light, by the
    /// plane through the focus that faces the eye; column, row, 1.
    projection: [[f32; 4]; 3],
}

impl TrailsUniform {
    fn new(now: &Camera, before: &Camera, fading: f32) -> Self {
        Self {
            now: now.into(),
            before: before.into(),
            pixels_per_unit: [now.pixels_per_unit, before.pixels_per_unit],
            fading,
            moved: u32::from(now != before) * if now.eye.is_some() { 2 } else { 1 },
            projection: projection(now, before),
        }
    }
}

/// See [`TrailsUniform::projection`]. Zeros in a plane.
fn projection(now: &Camera, before: &Camera) -> [[f32; 4]; 3] {
    let Some(eye) = &before.eye else { return [[0.0; 4]; 3] };
    // Right, up and depth of a place on the plane are linear in the pixel.
    let jump = before.image(now.centre) - now.centre;
    let at = |x: f32, y: f32| {
        let offset = now.world_from_pixel(Vec2::new(x, y)) + jump - before.centre;
        let scale = before.pixels_per_unit * eye.distance;
        let (middle, depth) = (before.size * 0.5, eye.depth(offset));
        let right = scale * eye.right.dot(offset) + middle.x * depth;
        let down = -scale * eye.up.dot(offset) + middle.y * depth;
        Vec3::new(right, down, depth)
    };
    // From pixels far apart, because the difference of near ones is inexact.
    let (origin, span) = (at(0.0, 0.0), now.size.max_element().max(1.0));
    let (x, y) = ((at(span, 0.0) - origin) / span, (at(0.0, span) - origin) / span);
    [0, 1, 2].map(|row| [x[row], y[row], origin[row], 0.0])
}

/// The light of trails as a camera saw it.
#[derive(Clone, Debug)]
pub struct TrailView {
    light: wgpu::TextureView,
    camera: Camera,
}

/// A pass over all pixels of a target.
#[derive(Debug)]
struct FullPass {
    gpu: Arc<Gpu>,
    label: &'static str,
    pipeline: wgpu::RenderPipeline,
    uniform: wgpu::Buffer,
}

impl FullPass {
    fn new(
        gpu: &Arc<Gpu>,
        (label, entry): (&'static str, &str),
        format: wgpu::TextureFormat,
        blend: Option<wgpu::BlendState>,
    ) -> Self {
        let device = &gpu.device;
        let module = module(device, label, shaders::TRAILS);
        let mut drawing = Drawing::on(format, label, &module, ["cover", entry], None);
        drawing.target.blend = blend;
        let pipeline = drawing.compile(device);
        let uniform =
            buffer(gpu, label, size_of::<TrailsUniform>() as u64, wgpu::BufferUsages::UNIFORM);
        Self { gpu: Arc::clone(gpu), label, pipeline, uniform }
    }

    /// Records the pass. The uniform is written through the queue: once per submission.
    fn run(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        trails: &TrailsUniform,
        [light, agents]: [&wgpu::TextureView; 2],
        (target, load): (&wgpu::TextureView, wgpu::LoadOp<wgpu::Color>),
    ) {
        self.gpu.queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(trails));
        let layout = self.pipeline.get_bind_group_layout(0);
        let entries =
            [buffer_entry(0, &self.uniform), texture_entry(1, light), texture_entry(2, agents)];
        let group = bind(&self.gpu, self.label, &layout, &entries);
        let mut pass = attach(encoder, self.label, target, load);
        cover(&mut pass, &self.pipeline, &group);
    }
}

/// The light that agents have left behind until a tick. It has more than 255 steps, because it fades a
/// little in every tick.
#[derive(Debug)]
pub struct TrailLight {
    gpu: Arc<Gpu>,
    fade: FullPass,
    /// The light, and a texture of the same size to draw the next one on.
    light: Option<[wgpu::TextureView; 2]>,
    seen: Option<(Camera, u64)>,
}

impl TrailLight {
    /// No trails yet.
    #[must_use]
    pub fn new(gpu: Arc<Gpu>) -> Self {
        let fade = FullPass::new(&gpu, ("trails: fade", "fade"), LIGHT, None);
        Self { gpu, fade, light: None, seen: None }
    }

    /// Forgets all trails.
    pub fn clear(&mut self) {
        self.seen = None;
    }

    /// The agents at `tick` add their trails: `agents` is a picture of them alone, as seen by `camera`.
    /// The older ones fade by half in `half_life` ticks, and stay where they are in the world. Before
    /// the last tick there are none: time went back.
    pub fn add(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        agents: &wgpu::TextureView,
        camera: &Camera,
        tick: u64,
        half_life: f32,
    ) {
        if self.seen == Some((*camera, tick)) {
            return;
        }
        let passed = self.seen.and_then(|(_, last)| tick.checked_sub(last));
        let fading = passed.map_or(0.0, |ticks| (-(ticks as f32) / half_life).exp2());
        let (before, _) = self.seen.replace((*camera, tick)).unwrap_or((*camera, tick));
        let trails = TrailsUniform::new(camera, &before, fading);
        let size = agents.texture().size();
        let new = || canvas(&self.gpu, "trails", size, LIGHT);
        let [light, spare] = self.light.take().unwrap_or_else(|| [new(), new()]);
        let fits = spare.texture().size() == size;
        let next = if fits { spare } else { new() };
        let load = wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT);
        self.fade.run(encoder, &trails, [&light, agents], (&next, load));
        let spare = if fits { light } else { new() };
        self.light = Some([next, spare]);
    }

    /// The trails as they are now; `None` before the first tick.
    #[must_use]
    pub fn view(&self) -> Option<TrailView> {
        let (camera, _) = self.seen?;
        let [light, _] = self.light.as_ref()?;
        Some(TrailView { light: light.clone(), camera })
    }
}

/// Draws trails and agents over a picture of what is behind them.
#[derive(Debug)]
pub struct TrailLayer {
    lay: FullPass,
}

impl TrailLayer {
    /// A layer for targets of `format`.
    #[must_use]
    pub fn new(gpu: &Arc<Gpu>, format: wgpu::TextureFormat) -> Self {
        let blend = Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING);
        Self { lay: FullPass::new(gpu, ("trails: lay", "lay"), format, blend) }
    }

    /// Records the drawing of trails as seen by `camera`, with a picture of the `agents` over them.
    pub fn draw(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        agents: &wgpu::TextureView,
        trails: &TrailView,
        camera: &Camera,
    ) {
        let uniform = TrailsUniform::new(camera, &trails.camera, 1.0);
        let from = [&trails.light, agents];
        self.lay.run(encoder, &uniform, from, (target, wgpu::LoadOp::Load));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::picture::tests::{layout, reflected};

    #[test]
    fn the_layout_is_that_of_the_shader() {
        let module = wgpu::naga::front::wgsl::parse_str(shaders::TRAILS).unwrap();
        let view = layout!(ViewUniform: centre size turn period);
        assert_eq!(reflected(&module, "View"), view);
        let trails = layout!(TrailsUniform: now before pixels_per_unit fading moved projection);
        assert_eq!(reflected(&module, "Trails"), trails);
    }

    #[test]
    fn the_projection_is_that_of_the_two_cameras() {
        let text = "world = { size = [90, 60, 30] }\n[species.a]\n";
        let scene = flockwork_model::scene::Scene::parse("test", text).unwrap();
        let now = Camera::of(&scene, 100, None, (640, 360));
        let mut before = Camera::of(&scene, 70, None, (640, 360));
        before.zoom_at(Vec2::new(100.0, 50.0), 1.2);
        for pixel in [Vec2::ZERO, Vec2::new(320.0, 180.0), Vec2::new(600.0, 30.0)] {
            let here = Vec3::new(pixel.x, pixel.y, 1.0);
            let rows = projection(&now, &before).map(|[x, y, z, _]| Vec3::new(x, y, z).dot(here));
            let found = Vec2::new(rows[0], rows[1]) / rows[2];
            let wanted = before.pixel_from_world(now.world_from_pixel(pixel));
            assert!(found.distance(wanted) < 0.01, "{pixel}: {found} for {wanted}");
        }
    }
}
