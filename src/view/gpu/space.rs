//! Draws a flock in space: the floor and what is too small to have a depth first, then everything with a
//! depth.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::background::Background;
use super::bodies::{Bodies, Part};
use super::chunks::Chunk;
use super::drawing::{DEPTH, LIGHT, PictureFeatures, attach_with_depth, begin};
use super::resources::{attachment, made, made_for, of_size};
use super::shade::{ShadePasses, number_buffer};
use super::sky::SkyPipeline;
use super::solids::SolidPipelines;
use super::splat::Splat;
use super::subject::Subject;
use crate::shapes::scenery::{SceneryShapes, target_shapes};
use crate::shapes::walls::seam_shapes;
use crate::space::shade::ShadeGrid;
use crate::space::sky::Sky;
use crate::space::solids::{self, Solids};
use crate::space::{AgentPasses, Depth, Sight, agent_passes};
use crate::style::Backdrop;
use flockwork_engine::EngineError;
use flockwork_engine::gpu::Gpu;
use flockwork_model::scene::BoidShape;

/// Draws flocks in space on textures of one format.
#[derive(Debug)]
pub struct SpaceRenderer {
    gpu: Arc<Gpu>,
    format: wgpu::TextureFormat,
    samples: u32,
    bodies: Bodies,
    solids: SolidPipelines,
    /// Compiled when there is a sky for the first time.
    sky: Option<SkyPipeline>,
    /// Compiled when there is water for the first time.
    water: Option<SkyPipeline>,
    /// With and without rows of the numbers that agents keep; compiled when agents are matter for the first time.
    shade: BTreeMap<bool, ShadePasses>,
    /// For shaders that read no shade.
    no_depths: wgpu::Buffer,
    /// Compiled when agents are small enough for the first time.
    splat: Option<Splat>,
    scenery: SceneryShapes,
    /// The textures of samples and of depths for a picture of one size.
    sampled: Option<wgpu::TextureView>,
    depth: Option<wgpu::TextureView>,
}

/// A picture of a space.
pub struct SpaceDrawing<'a> {
    pub target: &'a wgpu::TextureView,
    pub subject: Subject<'a>,
    /// True for the scenery and the shadows.
    pub hides_agents: bool,
    /// The mirrored picture, if there is water; see [`crate::camera::Camera::mirrored`].
    pub mirror: Option<&'a wgpu::TextureView>,
    pub sight: Sight<'a>,
    /// The features of its shaders.
    pub looks: PictureFeatures,
    /// True if only the agents are drawn.
    pub bare: bool,
    /// The uniform of `picture.wgsl`.
    pub picture: &'a wgpu::Buffer,
    /// Behind everything.
    pub clear: wgpu::Color,
}

impl SpaceRenderer {
    /// A renderer for targets of `format`, with so many samples a pixel.
    pub fn new(gpu: &Arc<Gpu>, format: wgpu::TextureFormat, samples: u32) -> Self {
        Self {
            bodies: Bodies::new(Arc::clone(gpu), format, samples),
            solids: SolidPipelines::new(Arc::clone(gpu), format, samples),
            sky: None,
            water: None,
            shade: BTreeMap::new(),
            no_depths: number_buffer(gpu, 1),
            splat: None,
            scenery: SceneryShapes::default(),
            sampled: None,
            depth: None,
            gpu: Arc::clone(gpu),
            format,
            samples,
        }
    }

    /// Records a drawing. Fails if a shader does not compile.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        drawing: &SpaceDrawing<'_>,
        background: &mut Background,
    ) -> Result<(), EngineError> {
        let SpaceDrawing { subject, sight, bare, .. } = *drawing;
        let Subject { agents, scene, targets, camera } = subject;
        let size = drawing.target.texture().size();
        let (samples, depth) = self.textures(size);
        let canvas = samples.as_ref().unwrap_or(drawing.target);
        let mut passes = agent_passes(scene, sight);
        let chunks: Vec<Chunk<'_>> = Chunk::all(&self.gpu, agents).collect();
        // Agents that are not seen have shadows, which no shade falls on.
        let mut shaded = &chunks[..];
        if drawing.hides_agents {
            (passes, shaded) = (AgentPasses { splats: false, bodies: false }, &[]);
        }
        let depths = self.shade(encoder, drawing, shaded)?;
        let bind = |chunk| self.bodies.bind(chunk, drawing.picture, &depths);
        let bound: Vec<_> = chunks.iter().map(|chunk| (bind(chunk), chunk.length)).collect();
        let looks = drawing.looks;

        let has_sky = Sky::of(&scene.style).is_some() && self.format == LIGHT && !bare;
        let new = |water| SkyPipeline::new(&self.gpu, self.format, self.samples, water);
        let sky = match has_sky {
            true => Some(made(&mut self.sky, || new(false))?),
            false => None,
        };
        let behind = background.prepare_in_space(scene, size, self.samples);
        let behind = behind.filter(|_| !bare && sky.is_none());
        let mut pass = begin(encoder, "draw_bodies", canvas, None, drawing.clear);
        if let Some(behind) = behind {
            behind.draw(&mut pass);
        }
        if let Some(sky) = sky {
            sky.draw(&mut pass, drawing.picture, None);
        }
        if drawing.mirror.is_some() {
            let water = made(&mut self.water, || new(true))?;
            water.draw(&mut pass, drawing.picture, drawing.mirror);
        } else if solids::shows_floor(scene, sight) && !bare {
            let floor = solids::floor(scene, sight);
            self.solids.draw(&mut pass, Depth::Ignore, &floor.translucent, camera);
            self.bodies.draw(&mut pass, Part::SHADOWS, &bound, looks, false)?;
        }
        drop(pass);
        if passes.splats {
            let new = || Splat::new(Arc::clone(&self.gpu), self.format, true, self.samples);
            let splat = made(&mut self.splat, new)?;
            let onto = (canvas, wgpu::LoadOp::Load, None);
            let buffers = [drawing.picture, &depths];
            splat.draw(encoder, onto, (subject, sight.scale), buffers, looks)?;
        }

        self.scenery.update(scene, camera);
        let seam = seam_shapes(scene, camera);
        let shapes =
            [self.scenery.shapes(), &target_shapes(scene, targets, camera), &seam].concat();
        let shapes = Backdrop::of(&scene.style.background).suited(&shapes);
        let Solids { opaque, translucent } = solids::of(&shapes, sight);
        let target = (drawing.target, samples.as_ref());
        let (depth, load) = (Some(&depth), wgpu::LoadOp::Load);
        let mut pass = attach_with_depth(encoder, "draw_bodies", target, depth, load);
        let mirrored = sight.eye.is_mirrored();
        // A mirrored picture has no background either, but all things.
        let bare = bare && !mirrored;
        if drawing.mirror.is_some() {
            let surface = solids::surface(scene, sight);
            self.solids.draw(&mut pass, Depth::Only, &surface.opaque, camera);
        }
        let depth = if bare { Depth::Only } else { Depth::Write };
        self.solids.draw(&mut pass, depth, &opaque, camera);
        if passes.bodies {
            // Glows come last: a body that is drawn behind a glow replaces its light.
            for shape in [
                BoidShape::Triangle,
                BoidShape::Disc,
                BoidShape::Bird,
                BoidShape::Fish,
                BoidShape::Glow,
            ] {
                if scene.species.iter().any(|species| species.look == shape) {
                    self.bodies.draw(&mut pass, Part::of(shape), &bound, looks, mirrored)?;
                }
            }
        }
        if !bare {
            self.solids.draw(&mut pass, Depth::Test, &translucent, camera);
        }
        Ok(())
    }

    /// Records the computation of the shade. Returns its depths, or any buffer if there is no shade.
    fn shade(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        drawing: &SpaceDrawing<'_>,
        chunks: &[Chunk<'_>],
    ) -> Result<wgpu::Buffer, EngineError> {
        let shade = ShadeGrid::of(drawing.subject.scene);
        if shade == ShadeGrid::default() || chunks.is_empty() {
            return Ok(self.no_depths.clone());
        }
        let keeps = drawing.looks.keeps;
        let passes =
            made_for(&mut self.shade, keeps, || ShadePasses::new(Arc::clone(&self.gpu), keeps))?;
        Ok(passes.run(encoder, chunks, drawing.picture, &shade))
    }

    /// The texture of samples, if there are several a pixel, and the texture of depths.
    fn textures(&mut self, size: wgpu::Extent3d) -> (Option<wgpu::TextureView>, wgpu::TextureView) {
        let new = |label, format| attachment(&self.gpu, label, (size, self.samples), format);
        let depth = of_size(&mut self.depth, size, || new("depth", DEPTH));
        let new = || new("samples in space", self.format);
        ((self.samples > 1).then(|| of_size(&mut self.sampled, size, new)), depth)
    }
}
