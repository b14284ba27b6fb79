//! The scenery behind the flock on the GPU. When it changes, the CPU rasteriser draws it into a
//! texture, which `shaders/draw_background.wgsl` copies under the flock.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::drawing::{Drawing, LIGHT, cover, module};
use super::resources::{bind, texture, texture_entry};
use super::subject::Subject;
use crate::camera::Camera;
use crate::cpu::shape_raster;
use crate::shapes::StyledShape;
use crate::shapes::scenery::{SceneryShapes, target_shapes};
use crate::shapes::walls::seam_shapes;
use crate::style::Backdrop;
use flockwork_engine::gpu::{Gpu, shaders};
use flockwork_model::scene::Scene;
use flockwork_model::vector::Point;
use flockwork_model::world::{Boundary, World};

/// Draws the scenery of a world, if it has any.
#[derive(Debug)]
pub struct Background {
    gpu: Arc<Gpu>,
    format: wgpu::TextureFormat,
    /// One per number of samples per pixel; compiled on first use.
    pipelines: BTreeMap<u32, wgpu::RenderPipeline>,
    scenery: SceneryShapes,
    drawn: Option<Drawn>,
}

/// The drawn scenery on the device.
#[derive(Debug)]
struct Drawn {
    ground: Backdrop,
    targets: Vec<StyledShape>,
    camera: Camera,
    scale: f32,
    texture: wgpu::Texture,
}

/// A picture that is ready to draw.
#[derive(Debug)]
pub struct Ready<'a> {
    pipeline: &'a wgpu::RenderPipeline,
    group: wgpu::BindGroup,
}

impl Ready<'_> {
    /// Draws over the whole target.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        cover(pass, self.pipeline, &self.group);
    }
}

impl Background {
    /// A background for targets of `format`.
    pub fn new(gpu: Arc<Gpu>, format: wgpu::TextureFormat) -> Self {
        let (pipelines, scenery) = (BTreeMap::new(), SceneryShapes::default());
        Self { gpu, format, pipelines, scenery, drawn: None }
    }

    /// The picture of the scenery of `scene` with its `targets`, of this `size`, before a gradient if
    /// it has one; `None` if there is neither scenery nor gradient. It is drawn again only if it has changed. The render target has `samples`
    /// samples per pixel.
    pub fn prepare(
        &mut self,
        Subject { scene, targets, camera, .. }: Subject<'_>,
        scale: f32,
        size: wgpu::Extent3d,
        samples: u32,
    ) -> Option<Ready<'_>> {
        let changed = self.scenery.update(scene, camera);
        let targets = target_shapes(scene, targets, camera);
        let seam = seam_shapes(scene, camera);
        self.of_shapes(scene, (changed, targets, seam), camera, scale, size, samples)
    }

    /// The gradient behind a space, if the scene has one: things in a space have a depth, and are drawn
    /// elsewhere.
    pub fn prepare_in_space(
        &mut self,
        scene: &Scene,
        size: wgpu::Extent3d,
        samples: u32,
    ) -> Option<Ready<'_>> {
        self.scenery = SceneryShapes::default();
        let flat = World { size: Point::ONE.with_z(0.0), boundary: Boundary::Open };
        let camera = Camera::fit(&flat, 1, 1);
        self.of_shapes(scene, (false, Vec::new(), Vec::new()), &camera, 1.0, size, samples)
    }

    fn of_shapes(
        &mut self,
        scene: &Scene,
        (changed, targets, seam): (bool, Vec<StyledShape>, Vec<StyledShape>),
        camera: &Camera,
        scale: f32,
        size: wgpu::Extent3d,
        samples: u32,
    ) -> Option<Ready<'_>> {
        let ground = Backdrop::of(&scene.style.background);
        let shapes = !(self.scenery.shapes().is_empty() && targets.is_empty() && seam.is_empty());
        if !shapes && ground.plain().is_some() {
            self.drawn = None;
            return None;
        }
        let same = |drawn: &Drawn| {
            !changed
                && drawn.ground == ground
                && drawn.texture.size() == size
                && (drawn.camera, drawn.scale) == (*camera, scale)
                && drawn.targets == targets
        };
        if !self.drawn.as_ref().is_some_and(same) {
            let mut frame = ground.frame(size.width, size.height);
            for shapes in [self.scenery.shapes(), &targets, &seam] {
                shape_raster::draw(&ground.suited(shapes), camera, scale, &mut frame);
            }
            let kept = self.drawn.take().filter(|drawn| drawn.texture.size() == size);
            let texture = kept.map_or_else(|| self.allocate(size), |drawn| drawn.texture);
            self.gpu.queue.write_texture(
                texture.as_image_copy(),
                &frame.pixels,
                wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(4 * size.width),
                    rows_per_image: None,
                },
                size,
            );
            self.drawn = Some(Drawn { ground, targets, camera: *camera, scale, texture });
        }
        let pipeline = self.pipelines.entry(samples).or_insert_with(|| {
            let module = module(&self.gpu.device, "draw_background", shaders::DRAW_BACKGROUND);
            let drawn =
                Drawing::on(self.format, "draw_background", &module, ["cover", "copy"], None);
            let mut drawing = Drawing { samples, ..drawn };
            drawing.target.blend = None;
            drawing.compile(&self.gpu.device)
        });
        let view = self.drawn.as_ref()?.texture.create_view(&Default::default());
        let layout = pipeline.get_bind_group_layout(0);
        let group = bind(&self.gpu, "draw_background", &layout, &[texture_entry(0, &view)]);
        Some(Ready { pipeline, group })
    }

    fn allocate(&self, size: wgpu::Extent3d) -> wgpu::Texture {
        let format = match self.format {
            LIGHT => wgpu::TextureFormat::Rgba8UnormSrgb,
            _ => wgpu::TextureFormat::Rgba8Unorm,
        };
        let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
        texture(&self.gpu, "draw_background", (size, 1), format, usage)
    }
}
