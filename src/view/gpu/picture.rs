//! The uniform of `picture.wgsl`, which the drawing shaders read.

use bytemuck::{Pod, Zeroable};

use crate::camera::Camera;
use crate::space::body;
use crate::space::shade::ShadeGrid;
use crate::space::sky::{GROUND_STOPS, Sky};
use crate::space::{Sight, sums_small_agents};
use crate::style::{self, Colours, Paint, STOPS, Stops, light_of_paint};
use flockwork_model::memory::Shown;
use flockwork_model::parameter::MAX_SPECIES;
use flockwork_model::scene::{Scene, Slot, Species};

/// The look of a species.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct SpeciesLook {
    /// See [`style::Extent`] for this field and those down to `strength`.
    pub radius: f32,
    pub reach: f32,
    pub strength: f32,
    /// See [`Paint`].
    pub cover: f32,
    /// See [`style::Circle`] for this field, `cosine` and `sine`.
    pub level: [f32; 3],
    /// The index of the [`flockwork_model::scene::BoidShape`].
    pub shape: u32,
    pub cosine: [f32; 3],
    /// World units per tick.
    pub max_speed: f32,
    pub sine: [f32; 3],
    /// See [`style::Hue`] for this field and those down to `hue_per_amount`, without `heat`.
    pub dimming: f32,
    /// See [`Paint`].
    pub heat: [f32; 3],
    pub hue_base: f32,
    pub hue_per_turn: f32,
    pub hue_per_speed: f32,
    pub hue_per_amount: f32,
    /// The largest size of its agents; world units.
    pub size: f32,
    /// The least size of its agents; world units.
    pub least_size: f32,
    /// See [`style::Measure`] for this field and those down to `reach_beyond`.
    pub smallest: f32,
    pub full: f32,
    pub faintest: f32,
    pub most_gain: f32,
    pub condensed: f32,
    /// 0 to 1, or larger than any strength.
    pub shows_above: f32,
    pub reach_factor: f32,
    pub reach_beyond: f32,
    /// See [`style::Hue::per_depth`].
    pub hue_per_depth: f32,
    /// 1 if agents remember a structure for their colour, 2 for a connected group, -1 for how far they lean.
    pub remembered: f32,
    /// The place of the number that colours show, among those that agents keep; −1 for none.
    pub kept: f32,
    /// See [`body::faces`]; and zero.
    pub faces: [f32; 4],
}

/// How a space is seen; see the camera, the eye and the lighting of a [`Sight`]. Zeros in a plane.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct EyeUniform {
    /// See [`Camera::centre`].
    pub focus: [f32; 3],
    pub distance: f32,
    pub right: [f32; 3],
    pub near: f32,
    pub up: [f32; 3],
    /// The same as `depth_from`.
    pub fog_from: f32,
    pub back: [f32; 3],
    pub fog_per_unit: f32,
    pub period: [f32; 3],
    pub depth_from: f32,
    pub sun: [f32; 3],
    pub depth_per_unit: f32,
    /// The size of the world.
    pub world: [f32; 3],
    /// 1 if small agents are summed in cells.
    pub sums: f32,
    pub light: [f32; 4],
    /// See [`ShadeGrid`] for this field and the next two.
    pub shade_cells: [u32; 3],
    pub shade_cells_per_unit: f32,
    /// The depth of an agent, and the light in full shade.
    pub shade: [f32; 2],
    /// See [`body::tick_of`].
    pub tick: f32,
    /// Zero.
    pub padding: u32,
    /// See [`Sky::land`].
    pub land: [f32; 4],
    pub ground: [[f32; 4]; GROUND_STOPS],
    /// See [`Sky::colours`].
    pub sky: [[f32; 4]; GROUND_STOPS],
}

impl EyeUniform {
    fn new(scene: &Scene, Sight { camera, eye, lighting, .. }: Sight<'_>) -> Self {
        let shade = ShadeGrid::of(scene);
        Self {
            focus: camera.centre.to_array(),
            distance: eye.distance,
            right: eye.right.to_array(),
            near: eye.near,
            up: eye.up.to_array(),
            fog_from: lighting.depth_from,
            back: eye.back.to_array(),
            fog_per_unit: lighting.fog_per_unit,
            period: camera.period.to_array(),
            depth_from: lighting.depth_from,
            sun: lighting.sun.to_array(),
            depth_per_unit: lighting.depth_per_unit,
            world: scene.world.size.to_array(),
            sums: f32::from(u8::from(sums_small_agents(scene))),
            light: lighting.light,
            shade_cells: shade.cells_along,
            shade_cells_per_unit: shade.cells_per_unit,
            shade: [shade.depth_of_agent, shade.shaded],
            tick: 0.0,
            padding: 0,
            land: Default::default(),
            ground: lighting.ground,
            sky: Default::default(),
        }
    }
}

/// The uniform of `picture.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Picture {
    /// See [`Camera`] for this field and the next two, `turn` and `period`.
    pub centre: [f32; 2],
    pub size: [f32; 2],
    pub pixels_per_unit: f32,
    /// See [`style::SLENDERNESS`].
    pub slenderness: f32,
    /// 1 if the agents remember a number for their colour.
    pub remembers: u32,
    /// Pixels per point.
    pub scale: f32,
    /// Seed of the scene.
    pub seed: u32,
    /// The key `size` in each agent's draws.
    pub size_key: u32,
    /// See [`style::CROWD`].
    pub crowd: f32,
    /// A bit for each species whose number is one of neighbours.
    pub counts: u32,
    pub turn: [f32; 2],
    pub period: [f32; 2],
    /// By index.
    pub species: [SpeciesLook; MAX_SPECIES],
    /// The colours of each species' scale, if they are lists; the fourth number is unused.
    pub stops: [[[f32; 4]; STOPS]; MAX_SPECIES],
    /// Zeros in a plane.
    pub eye: EyeUniform,
}

impl SpeciesLook {
    fn new(
        scene: &Scene,
        species: &Species,
        paint: &Paint,
        pixels_per_unit: f32,
        scale: f32,
    ) -> Self {
        let measure = style::Measure::of(scene, species, pixels_per_unit, scale);
        let glyph = measure.extent(species.body.size);
        let (least_size, size) = species.sizes();
        let (basis, hue) = (paint.basis(), paint.hue);
        Self {
            radius: glyph.radius,
            reach: glyph.reach,
            strength: glyph.strength,
            cover: paint.cover,
            level: basis.level,
            shape: if scene.world.is_flat() { species.look.in_plane() } else { species.look }
                as u32,
            cosine: basis.cosine,
            sine: basis.sine,
            max_speed: species.body.max_speed,
            heat: paint.heat,
            dimming: hue.dimming,
            hue_base: hue.base,
            hue_per_turn: hue.per_turn,
            hue_per_speed: hue.per_speed,
            hue_per_amount: hue.per_amount,
            size,
            least_size,
            smallest: measure.smallest,
            full: measure.full,
            faintest: measure.faintest,
            most_gain: measure.most_gain,
            condensed: measure.condensed,
            shows_above: measure.shows_above,
            reach_factor: measure.reach_factor,
            reach_beyond: measure.reach_beyond,
            hue_per_depth: hue.per_depth,
            remembered: if hue.clustered { 2.0 } else { f32::from(u8::from(hue.structured)) },
            kept: hue
                .kept
                .and_then(|name| scene.kept_names().place(name))
                .map_or(-1.0, |n| n as f32),
            faces: body::faces(scene, species.look).extend(0.0).to_array(),
        }
    }
}

impl Picture {
    /// The uniform for `scene` as seen by `camera`, on a screen with `scale` pixels per point. If
    /// `remembers`, the agents' memory holds what their colours show.
    pub fn new(
        scene: &Scene,
        paints: &[Paint],
        camera: &Camera,
        scale: f32,
        remembers: bool,
    ) -> Self {
        let mut species = [SpeciesLook::default(); MAX_SPECIES];
        let mut stops = [[[0.0; 4]; STOPS]; MAX_SPECIES];
        let looks = species.iter_mut().zip(&mut stops);
        let (shown, all) = (scene.shown(), (0..).zip(&scene.species).zip(paints));
        for ((look, stops), ((number, own), paint)) in looks.zip(all) {
            *look = SpeciesLook::new(scene, own, paint, camera.pixels_per_unit, scale);
            if shown.species(number) == Shown::Bank {
                look.remembered = -1.0;
            }
            if let Colours::Stops(Stops(colours)) = &paint.colours {
                *stops = colours.map(|[r, g, b]| [r, g, b, 0.0]);
            }
        }
        let counts = (0..MAX_SPECIES as u8)
            .filter(|species| shown.species(*species) == Shown::Neighbours)
            .fold(0, |all, species| all | 1 << species);
        Self {
            centre: camera.centre.truncate().to_array(),
            size: camera.size.to_array(),
            pixels_per_unit: camera.pixels_per_unit,
            slenderness: style::SLENDERNESS,
            remembers: remembers.into(),
            scale,
            seed: scene.seed,
            size_key: Slot::size().noise_key(),
            crowd: style::CROWD,
            counts,
            turn: camera.turn.to_array(),
            period: camera.period.truncate().to_array(),
            species,
            stops,
            eye: EyeUniform::default(),
        }
    }

    /// The same for a space at a tick; for a picture of light, or one of sRGB colours.
    pub fn in_space(mut self, scene: &Scene, sight: Sight<'_>, as_light: bool, tick: u64) -> Self {
        self.eye = EyeUniform::new(scene, sight);
        self.eye.tick = body::tick_of(tick);
        if as_light {
            self.eye.ground = self.eye.ground.map(light_of_paint);
            if let Some(sky) = Sky::of(&scene.style) {
                (self.eye.sky, self.eye.land) = (sky.colours(), sky.land());
                let bare = self.eye.ground[0][3] == 0.0;
                self.eye.ground =
                    if bare { self.eye.ground } else { sky.rows(sight.camera, sight.eye) };
            }
        }
        self
    }
}

#[cfg(test)]
pub(super) mod tests {
    use wgpu::naga::{Module, StructMember, TypeInner};

    use super::*;
    use crate::splats::Canvas;
    use flockwork_engine::gpu::shaders::{Variant, compose};

    /// Name and offset of every member of the WGSL struct `name`, and its size in bytes.
    pub fn reflected(module: &Module, name: &str) -> (Vec<(String, usize)>, usize) {
        // Imported names carry a prefix for their module.
        let is = |found: &str| found == name || found.ends_with(&format!("_{name}"));
        let found = module.types.iter().find(|(_, ty)| ty.name.as_deref().is_some_and(is));
        let TypeInner::Struct { members, span } = &found.unwrap().1.inner else {
            panic!("{name} is no struct")
        };
        let member = |m: &StructMember| (m.name.clone().unwrap(), m.offset as usize);
        (members.iter().map(member).collect(), *span as usize)
    }

    /// The same of a struct in Rust.
    macro_rules! layout {
        ($struct:ident: $($field:ident)*) => {(
            vec![$((stringify!($field).to_string(), std::mem::offset_of!($struct, $field))),*],
            size_of::<$struct>(),
        )};
    }
    pub(in crate::gpu) use layout;

    #[test]
    fn the_layout_is_that_of_the_shader() {
        // This shader reads all structs.
        let (_, module) = compose("splat", &Variant::of_drawing(false, true, true)).unwrap();
        let species = layout!(SpeciesLook:
            radius reach strength cover level shape cosine max_speed sine dimming heat
            hue_base hue_per_turn hue_per_speed hue_per_amount
            size least_size smallest full faintest most_gain condensed shows_above reach_factor reach_beyond
            hue_per_depth remembered kept faces);
        assert_eq!(reflected(&module, "SpeciesLook"), species);
        // The size of `Picture` covers the number of species.
        let picture = layout!(Picture:
            centre size pixels_per_unit slenderness remembers scale seed size_key crowd counts turn period species
            stops eye);
        assert_eq!(reflected(&module, "Picture"), picture);
        let eye = layout!(EyeUniform:
            focus distance right near up fog_from back fog_per_unit period depth_from sun
            depth_per_unit world sums light shade_cells shade_cells_per_unit shade tick padding land ground sky);
        assert_eq!(reflected(&module, "Eye"), eye);
        let canvas = layout!(Canvas:
            columns rows top cells_per_pixel counts_per_bit most_hidden several three_factors margin
            deepest nose tail crowding per_light lift lift_to);
        assert_eq!(reflected(&module, "Canvas"), canvas);
    }
}
