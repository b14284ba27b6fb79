//! What the shader `draw_boids.wgsl` is told besides the agents: its uniform.

use bytemuck::{Pod, Zeroable};

use super::camera::Camera;
use super::look;
use crate::engine::gpu::SPECIES_SHIFT;
use crate::model::parameter::MAX_SPECIES;
use crate::model::scene::{Scene, Species};

/// The looks of a species.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct SpeciesLook {
    /// Pixels from the middle to the nose.
    pub half_length: f32,
    /// 0 to 1.
    pub opacity: f32,
    /// World units per tick.
    pub max_speed: f32,
    /// See [`look::Hue`].
    pub hue_base: f32,
    /// See [`look::Hue`].
    pub hue_per_turn: f32,
    /// See [`look::Hue`].
    pub hue_per_speed: f32,
    /// See [`look::HUE_LEVEL`].
    pub hue_level: f32,
    /// See [`look::HUE_SWING`].
    pub hue_swing: f32,
}

/// The uniform of `draw_boids.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Picture {
    /// World position in the middle.
    pub centre: [f32; 2],
    /// Width and height in pixels.
    pub size: [f32; 2],
    /// Magnification.
    pub pixels_per_unit: f32,
    /// See [`look::SLENDERNESS`].
    pub slenderness: f32,
    /// Where the species begins in a tag.
    pub species_shift: u32,
    /// Fills the row of 16 bytes.
    pub unused: u32,
    /// By index.
    pub species: [SpeciesLook; MAX_SPECIES],
}

impl SpeciesLook {
    fn new(index: usize, species: &Species, pixels_per_unit: f32, scale: f32) -> Self {
        let (half_length, opacity) = look::dart_on(species.body.size, pixels_per_unit, scale);
        let hue = look::Hue::of(species.colour, index as u8);
        Self {
            half_length,
            opacity,
            max_speed: species.body.max_speed,
            hue_base: hue.base,
            hue_per_turn: hue.per_turn,
            hue_per_speed: hue.per_speed,
            hue_level: look::HUE_LEVEL,
            hue_swing: look::HUE_SWING,
        }
    }
}

impl Picture {
    /// What `camera` sees of `scene` on a screen with `scale` pixels to the point.
    #[must_use]
    pub fn new(scene: &Scene, camera: &Camera, scale: f32) -> Self {
        let mut species = [SpeciesLook::default(); MAX_SPECIES];
        for (index, (slot, own)) in species.iter_mut().zip(&scene.species).enumerate() {
            *slot = SpeciesLook::new(index, own, camera.pixels_per_unit, scale);
        }
        Self {
            centre: camera.centre.to_array(),
            size: camera.size.to_array(),
            pixels_per_unit: camera.pixels_per_unit,
            slenderness: look::SLENDERNESS,
            species_shift: SPECIES_SHIFT,
            unused: 0,
            species,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use wgpu::naga::{TypeInner, front::wgsl};

    use super::*;
    use crate::view::renderer::SHADER;

    /// Name and offset of every member of the WGSL struct `name`, and its size in bytes.
    fn reflected(name: &str) -> (Vec<(String, usize)>, usize) {
        let module = wgsl::parse_str(SHADER).unwrap();
        let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
        let TypeInner::Struct { members, span } = &found.unwrap().1.inner else {
            panic!("{name} is no struct")
        };
        let member = |m: &wgpu::naga::StructMember| (m.name.clone().unwrap(), m.offset as usize);
        (members.iter().map(member).collect(), *span as usize)
    }

    macro_rules! layout {
        ($struct:ident: $($field:ident)*) => {(
            vec![$((stringify!($field).to_string(), offset_of!($struct, $field))),*],
            size_of::<$struct>(),
        )};
    }

    #[test]
    fn the_layout_is_that_of_the_shader() {
        let species = layout!(SpeciesLook:
            half_length opacity max_speed hue_base hue_per_turn hue_per_speed hue_level hue_swing);
        assert_eq!(reflected("SpeciesLook"), species);
        // The size of the whole covers the number of species.
        let picture = layout!(Picture:
            centre size pixels_per_unit slenderness species_shift unused species);
        assert_eq!(reflected("Picture"), picture);
    }
}
