//! Draws a flock directly from the GPU's buffers over the scenery: with the render pass of
//! `shaders/draw_boids.wgsl`, or with the passes of `splat.rs` if agents are too small to
//! show their shape.

use std::sync::Arc;

use super::background::Background;
use super::cluster_passes::ClusterPasses;
use super::drawing::{LIGHT, PictureFeatures, begin};
use super::exposure::Exposure;
use super::picture::Picture;
use super::resources::{buffer, canvas, made, of_size};
use super::space::{SpaceDrawing, SpaceRenderer};
use super::splat::Splat;
use super::subject::Subject;
use super::trails::{TrailLayer, TrailView};
use super::triangles::Triangles;
use crate::space::Sight;
use crate::space::lighting::Lighting;
use crate::splats;
use crate::style::{Backdrop, Paint, light_of_paint};
use flockwork_engine::EngineError;
use flockwork_engine::gpu::Gpu;
use flockwork_model::scene::{BoidShape, Ground, Scene};

/// How agents are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Into cells if agents are too small to show their shape ([`splats::fits`]), else as
    /// triangles.
    #[default]
    BySize,
    /// As triangles, whatever their size.
    Triangles,
}

/// Draws flocks onto textures of one format.
#[derive(Debug)]
pub struct Renderer {
    gpu: Arc<Gpu>,
    triangles: Triangles,
    /// Compiled when agents are small enough for the first time.
    splat: Option<Splat>,
    /// Of whole pictures, and of the agents alone: one submission may draw both.
    uniforms: [wgpu::Buffer; 2],
    background: Background,
    format: wgpu::TextureFormat,
    scale: f32,
    method: Method,
    /// True if only the agents are drawn.
    pub(super) bare: bool,
    /// True if the agents themselves are not drawn, in a space; they have shadows, and water mirrors them.
    pub(super) hides_agents: bool,
    /// See [`crate::camera::Camera::sharp`].
    sharp: bool,
    /// Compiled when there are trails for the first time.
    layer: Option<TrailLayer>,
    /// Compiled when colours show connected groups for the first time.
    clusters: Option<ClusterPasses>,
    /// Compiled when a flock in space is drawn for the first time.
    space: Option<SpaceRenderer>,
    /// The agents alone, for trails; of a mirror, its picture.
    half_picture: Option<wgpu::TextureView>,
    /// Compiled when a style has an exposure for the first time.
    light: Option<Box<LightRenderer>>,
    /// The measured factor of another renderer's pictures.
    exposed_like: Option<wgpu::Buffer>,
    /// Draws what water mirrors. Compiled when there is water for the first time.
    mirror: Option<Box<Self>>,
}

/// Draws light, and exposes it.
#[derive(Debug)]
struct LightRenderer {
    renderer: Renderer,
    exposure: Exposure,
}

impl Renderer {
    /// A renderer for targets of `format`.
    ///
    /// Colours are sRGB values and are blended as such, as in the CPU rasteriser, unless the style has
    /// an exposure. So the format must not be an `…Srgb` one, which would encode them a second time.
    #[must_use]
    pub fn new(gpu: Arc<Gpu>, format: wgpu::TextureFormat) -> Self {
        let uniform = || {
            buffer(
                &gpu,
                "draw_boids picture",
                size_of::<Picture>() as u64,
                wgpu::BufferUsages::UNIFORM,
            )
        };
        Self {
            triangles: Triangles::new(Arc::clone(&gpu), format, false),
            splat: None,
            uniforms: [uniform(), uniform()],
            background: Background::new(Arc::clone(&gpu), format),
            format,
            scale: 1.0,
            method: Method::default(),
            bare: false,
            hides_agents: false,
            sharp: false,
            layer: None,
            clusters: None,
            space: None,
            half_picture: None,
            light: None,
            exposed_like: None,
            mirror: None,
            gpu,
        }
    }

    /// Sets the picture's pixels per point; 1 by default.
    pub fn set_scale(&mut self, scale: f32) {
        self.scale = scale;
    }

    /// Pixels per point of the picture.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Exposes pictures as `other` does on the same device, if what it draws was measured.
    pub fn expose_like(&mut self, other: &Self) {
        let factor = other.light.as_ref().and_then(|light| light.exposure.factor());
        self.exposed_like = factor.cloned();
    }

    /// Sets how agents are drawn; by their size by default.
    pub fn set_method(&mut self, method: Method) {
        self.method = method;
    }

    /// Records the drawing of a flock over its scenery.
    ///
    /// `target` must be as large as the camera's picture. The uniform is written through the queue, so
    /// draw only once per submission. Fails if a shader does not compile, or if the agents are on another
    /// device.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        subject: Subject<'_>,
    ) -> Result<(), EngineError> {
        self.exposed(encoder, target, subject.scene, |renderer, encoder, target| {
            renderer.draw_colours(encoder, target, subject)
        })
    }

    /// Records a drawing: on `target` itself or, if the style has an exposure, as light that is then exposed
    /// on it.
    fn exposed(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        scene: &Scene,
        draw: impl FnOnce(
            &mut Self,
            &mut wgpu::CommandEncoder,
            &wgpu::TextureView,
        ) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let Some(mut light) = self.light_of(scene) else { return draw(self, encoder, target) };
        let own = light.exposure.light_for(target);
        let drawn = draw(&mut light.renderer, encoder, &own);
        let other = self.exposed_like.as_ref();
        let exposed = light.exposure.expose(encoder, target, scene, self.scale, other);
        self.light = Some(light);
        drawn.and(exposed)
    }

    /// The renderer of light, if the style has an exposure and this is not that renderer.
    fn light_of(&mut self, scene: &Scene) -> Option<Box<LightRenderer>> {
        if scene.style.exposure.is_none() || self.format == LIGHT {
            return None;
        }
        let new = || {
            let renderer = Self::new(Arc::clone(&self.gpu), LIGHT);
            Box::new(LightRenderer { renderer, exposure: Exposure::new(&self.gpu, self.format) })
        };
        let mut light = self.light.take().unwrap_or_else(new);
        (light.renderer.scale, light.renderer.method) = (self.scale, self.method);
        (light.renderer.bare, light.renderer.hides_agents) = (self.bare, self.hides_agents);
        Some(light)
    }

    /// Makes edges smooth or not, for all pictures until the next call.
    fn set_sharp(&mut self, sharp: bool) {
        if sharp != self.sharp {
            self.triangles = Triangles::new(Arc::clone(&self.gpu), self.format, sharp);
            (self.sharp, self.space) = (sharp, None);
        }
    }

    fn draw_colours(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        subject: Subject<'_>,
    ) -> Result<(), EngineError> {
        let Subject { agents, scene, camera, .. } = subject;
        if !Arc::ptr_eq(&agents.gpu, &self.gpu) {
            let problem =
                "cannot draw agents on another device; open one `Gpu` for both, or upload them";
            return Err(self.gpu.error(problem));
        }
        if self.hides_agents && camera.eye.is_none() {
            self.draw_background(encoder, target, subject);
            return Ok(());
        }
        self.set_sharp(camera.sharp);
        let grouped = match self.hides_agents {
            true => None,
            false => ClusterPasses::run(&mut self.clusters, &self.gpu, encoder, agents, scene)?,
        };
        let agents = grouped.as_ref().unwrap_or(agents);
        let subject = Subject { agents, ..subject };
        let paints = Paint::all(scene);
        let remembers = scene.shows_memory() && agents.memory.is_some();
        let picture = Picture::new(scene, &paints, camera, self.scale, remembers);
        let uniform = &self.uniforms[usize::from(self.bare)];
        let looks =
            PictureFeatures { keeps: agents.layout.keeps, ..PictureFeatures::of(scene, &paints) };
        if let Some(eye) = &camera.eye {
            let lighting = Lighting::of(scene, camera, eye, self.bare);
            let sight = Sight { camera, eye, lighting: &lighting, scale: self.scale };
            let picture = picture.in_space(scene, sight, self.format == LIGHT, agents.tick);
            self.gpu.queue.write_buffer(uniform, 0, bytemuck::bytes_of(&picture));
            let mirror = self.mirrored(encoder, target, subject)?;
            let mirror = mirror.as_ref();
            return self.draw_space(encoder, (target, mirror), subject, sight, looks);
        }
        self.gpu.queue.write_buffer(uniform, 0, bytemuck::bytes_of(&picture));
        if self.method == Method::BySize && splats::fits(scene, camera, self.scale) {
            self.draw_splat(encoder, target, subject, looks)
        } else {
            self.draw_triangles(encoder, target, subject, looks)
        }
    }

    /// Records the drawing of what water mirrors, on a texture of half the size; `None` if there is no water
    /// in the picture.
    fn mirrored(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        subject: Subject<'_>,
    ) -> Result<Option<wgpu::TextureView>, EngineError> {
        let Subject { scene, camera, .. } = subject;
        let above = camera.eye.is_some_and(|eye| camera.centre.z + eye.place().z > 0.0);
        if self.bare || scene.style.ground != Ground::Water || !above {
            return Ok(None);
        }
        let mut mirror = self.mirror.take().unwrap_or_else(|| {
            let mirror = Self::new(Arc::clone(&self.gpu), self.format);
            Box::new(Self { bare: true, ..mirror })
        });
        (mirror.scale, mirror.method) = (0.5 * self.scale, self.method);
        let whole = target.texture().size();
        let [width, height] = [whole.width, whole.height].map(|side| side.div_ceil(2));
        let size = wgpu::Extent3d { width, height, ..whole };
        let new = || canvas(&self.gpu, "mirror", size, self.format);
        let view = of_size(&mut mirror.half_picture, size, new);
        let camera = &camera.mirrored();
        let drawn = mirror.draw_colours(encoder, &view, Subject { camera, ..subject });
        self.mirror = Some(mirror);
        drawn.map(|()| Some(view))
    }

    /// Records the drawing of the agents alone on a texture like `target`, which is returned: the
    /// first half of a picture with trails. [`Self::draw_over_trails`] is the second.
    pub fn draw_alone(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        subject: Subject<'_>,
    ) -> Result<wgpu::TextureView, EngineError> {
        if let Some(mut light) = self.light_of(subject.scene) {
            let drawn = light.renderer.draw_alone(encoder, target, subject);
            self.light = Some(light);
            return drawn;
        }
        let size = target.texture().size();
        let new = || canvas(&self.gpu, "agents", size, self.format);
        let alone = of_size(&mut self.half_picture, size, new);
        self.bare = true;
        let drawn = self.draw(encoder, &alone, subject);
        self.bare = false;
        drawn.map(|()| alone)
    }

    /// Records three layers: the scenery, in whose water the agents are mirrored; the trails; and the agents
    /// as [`Self::draw_alone`] has drawn them.
    pub fn draw_over_trails(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        subject: Subject<'_>,
        (alone, trails): (&wgpu::TextureView, &TrailView),
    ) -> Result<(), EngineError> {
        self.exposed(encoder, target, subject.scene, |renderer, encoder, target| {
            renderer.hides_agents = true;
            let drawn = renderer.draw_colours(encoder, target, subject);
            renderer.hides_agents = false;
            drawn?;
            let new = || TrailLayer::new(&renderer.gpu, renderer.format);
            let layer = renderer.layer.get_or_insert_with(new);
            layer.draw(encoder, target, alone, trails, subject.camera);
            Ok(())
        })
    }

    /// Records the drawing of a plane without its agents.
    fn draw_background(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        subject: Subject<'_>,
    ) {
        let size = target.texture().size();
        let clear = self.clear_colour(subject.scene);
        let scenery = self.background.prepare(subject, self.scale, size, 1);
        let mut pass = begin(encoder, "draw_background", target, None, clear);
        if let Some(scenery) = scenery {
            scenery.draw(&mut pass);
        }
    }

    /// Records the drawing of a space, over what water mirrors, if there is some. The uniform is written.
    fn draw_space(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        (target, mirror): (&wgpu::TextureView, Option<&wgpu::TextureView>),
        subject: Subject<'_>,
        sight: Sight<'_>,
        looks: PictureFeatures,
    ) -> Result<(), EngineError> {
        let (samples, clear) = (self.triangles.samples, self.clear_colour(subject.scene));
        let new = || SpaceRenderer::new(&self.gpu, self.format, samples);
        let space = self.space.get_or_insert_with(new);
        let drawing = SpaceDrawing {
            target,
            subject,
            hides_agents: self.hides_agents,
            mirror,
            sight,
            looks,
            bare: self.bare,
            picture: &self.uniforms[usize::from(self.bare)],
            clear,
        };
        space.draw(encoder, &drawing, &mut self.background)
    }

    /// The colour behind everything; of a gradient, which [`Background`] draws, any.
    fn clear_colour(&self, scene: &Scene) -> wgpu::Color {
        if self.bare {
            return wgpu::Color::TRANSPARENT;
        }
        let plain = Backdrop::of(&scene.style.background).plain().unwrap_or_default();
        let colour = plain.map(|channel| f32::from(channel) / 255.0);
        let colour = if self.format == LIGHT { light_of_paint(colour) } else { colour };
        let [r, g, b, a] = colour.map(f64::from);
        wgpu::Color { r, g, b, a }
    }

    fn draw_triangles(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        subject: Subject<'_>,
        looks: PictureFeatures,
    ) -> Result<(), EngineError> {
        let Subject { agents, scene, .. } = subject;
        let uniform = &self.uniforms[usize::from(self.bare)];
        let chunks = self.triangles.bind(encoder, agents, uniform)?;
        let sampled = self.triangles.sampled_like(target);
        let size = target.texture().size();
        let (samples, clear) = (self.triangles.samples, self.clear_colour(scene));
        let scenery = self.background.prepare(subject, self.scale, size, samples);
        let scenery = scenery.filter(|_| !self.bare);
        let darts_alone =
            scene.species.iter().all(|species| species.look.in_plane() == BoidShape::Triangle);
        let pipeline = self.triangles.pipeline(darts_alone, looks)?;
        let mut pass = begin(encoder, "draw_boids", target, sampled.as_ref(), clear);
        if let Some(scenery) = scenery {
            scenery.draw(&mut pass);
        }
        pass.set_pipeline(pipeline);
        for (group, count) in &chunks {
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..3 * count, 0..1);
        }
        Ok(())
    }

    fn draw_splat(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        subject: Subject<'_>,
        looks: PictureFeatures,
    ) -> Result<(), EngineError> {
        let size = target.texture().size();
        let load = wgpu::LoadOp::Clear(self.clear_colour(subject.scene));
        let scenery = self.background.prepare(subject, self.scale, size, 1);
        let scenery = scenery.filter(|_| !self.bare);
        let new = || Splat::new(Arc::clone(&self.gpu), self.format, false, 1);
        let splat = made(&mut self.splat, new)?;
        // A plane has no shade; any buffer will do.
        let buffers = [&self.uniforms[usize::from(self.bare)], &subject.agents.grid_stats];
        splat.draw(encoder, (target, load, scenery), (subject, self.scale), buffers, looks)
    }
}
