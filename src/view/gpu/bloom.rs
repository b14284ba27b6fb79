//! Bloom: the passes of `shaders/bloom.wgsl`, which spread a picture's light.

use std::sync::Arc;

use super::drawing::{Drawing, LIGHT, attach, cover, module};
use super::resources::{bind, canvas, entry, sampler, texture_entry};
use flockwork_engine::gpu::{Gpu, shaders};

/// Pictures of the pyramid in a picture with one pixel per point. Larger ones have more, so that light
/// spreads as far in any resolution.
const LEVELS: f32 = 5.0;

/// The pyramid of pictures, and its passes.
#[derive(Debug)]
pub struct Bloom {
    gpu: Arc<Gpu>,
    between: wgpu::Sampler,
    shrink_calmly: wgpu::RenderPipeline,
    shrink: wgpu::RenderPipeline,
    grow: wgpu::RenderPipeline,
    /// From large to small, for a picture of the size of `of`.
    levels: Vec<wgpu::TextureView>,
    of: Option<wgpu::Extent3d>,
}

/// The weight of each level in a picture with `scale` pixels per point, and the share of all later ones
/// among it and them. Half the width of level 0 is a pixel of the picture.
fn shares(scale: f32) -> Vec<f32> {
    let first = scale.max(1.0).log2();
    let count = (LEVELS + first).ceil() as usize;
    let weight = |level: usize| {
        let octave = level as f32 + 1.0 - first;
        octave.min(LEVELS + 1.0 - octave).clamp(0.0, 1.0)
    };
    let after = |level: usize| (level..count).map(weight).sum::<f32>();
    (0..count).map(|level| after(level + 1) / after(level).max(f32::MIN_POSITIVE)).collect()
}

impl Bloom {
    /// The passes, without pictures yet.
    pub fn new(gpu: &Arc<Gpu>) -> Self {
        let device = &gpu.device;
        let module = module(device, "bloom", shaders::BLOOM);
        let pipeline = |entry, blend| {
            let mut drawing = Drawing::on(LIGHT, "bloom", &module, ["cover", entry], None);
            drawing.target.blend = blend;
            drawing.compile(device)
        };
        let share = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::Constant,
            dst_factor: wgpu::BlendFactor::OneMinusConstant,
            operation: wgpu::BlendOperation::Add,
        };
        let mixed = wgpu::BlendState { color: share, alpha: share };
        Self {
            shrink_calmly: pipeline("shrink_calmly", None),
            shrink: pipeline("shrink", None),
            grow: pipeline("grow", Some(mixed)),
            between: sampler(device),
            levels: Vec::new(),
            of: None,
            gpu: Arc::clone(gpu),
        }
    }

    /// Records the spreading of a picture's light. Returns a picture of half its size.
    pub fn spread(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        light: &wgpu::TextureView,
        scale: f32,
    ) -> wgpu::TextureView {
        let size = light.texture().size();
        let shares = shares(scale);
        if self.of != Some(size) || self.levels.len() != shares.len() {
            let level = |number: usize| {
                let half = |side: u32| (side >> (number + 1)).max(1);
                let (width, height) = (half(size.width), half(size.height));
                let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
                canvas(&self.gpu, "bloom", size, LIGHT)
            };
            self.levels = (0..shares.len()).map(level).collect();
            self.of = Some(size);
        }
        let mut below = light;
        for (number, level) in self.levels.iter().enumerate() {
            let pipeline = if number == 0 { &self.shrink_calmly } else { &self.shrink };
            let load = wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT);
            self.pass(encoder, pipeline, below, (level, load), 0.0);
            below = level;
        }
        for (number, share) in shares.iter().enumerate().rev().skip(1) {
            let [level, above] = [number, number + 1].map(|number| &self.levels[number]);
            self.pass(encoder, &self.grow, above, (level, wgpu::LoadOp::Load), *share);
        }
        self.levels[0].clone()
    }

    fn pass(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::RenderPipeline,
        from: &wgpu::TextureView,
        (to, load): (&wgpu::TextureView, wgpu::LoadOp<wgpu::Color>),
        share: f32,
    ) {
        let between = wgpu::BindingResource::Sampler(&self.between);
        let entries = [texture_entry(0, from), entry(1, between)];
        let group = bind(&self.gpu, "bloom", &pipeline.get_bind_group_layout(0), &entries);
        let mut pass = attach(encoder, "bloom", to, load);
        let share = f64::from(share);
        pass.set_blend_constant(wgpu::Color { r: share, g: share, b: share, a: share });
        cover(&mut pass, pipeline, &group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weight of each level, from the shares of those after it.
    fn weights(scale: f32) -> Vec<f32> {
        let mut left = 1.0;
        let weight = |after: f32| {
            let own = left * (1.0 - after);
            left *= after;
            own
        };
        shares(scale).into_iter().map(weight).collect()
    }

    #[test]
    fn light_spreads_as_far_in_any_resolution() {
        assert!(weights(1.0).iter().all(|weight| (weight - 0.2).abs() < 1e-6));
        let mean = |scale: f32| {
            let octaves = weights(scale).into_iter().enumerate();
            octaves.map(|(level, weight)| weight * (level as f32 + 1.0)).sum::<f32>()
        };
        for scale in [1.0, 1.3, 1.5, 2.0, 3.0, 4.2, 6.0] {
            assert!((weights(scale).iter().sum::<f32>() - 1.0).abs() < 1e-5);
            let octaves = mean(scale) - scale.log2();
            assert!((octaves - 3.0).abs() < 0.05, "{scale}: {octaves}");
        }
    }
}
