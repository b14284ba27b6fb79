//! The shaders of the program, as wgpu gives them to a Vulkan driver.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::CString;

use super::CONTROL;
use ash::vk::{DescriptorType, Format};
use flockwork::engine::gpu::pass::{BETWEEN_TICKS, IN_SLABS, TICK};
use flockwork::engine::gpu::shaders::{Variant, compose};
use flockwork::model::scene::{Scene, built_in};
use wgpu::naga::back::{pipeline_constants::process_overrides, spv};
use wgpu::naga::proc::BoundsCheckPolicies;
use wgpu::naga::proc::BoundsCheckPolicy::{Restrict, Unchecked};
use wgpu::naga::valid::{Capabilities, ValidationFlags, Validator};
use wgpu::naga::{self, AddressSpace, Module, ResourceBinding, ShaderStage};

/// A pipeline to compile.
pub struct Stages {
    /// Entry point and SPIR-V of a compute shader, or of a vertex and a fragment shader.
    pub code: Vec<(CString, Vec<u32>)>,
    /// Set 0, in order.
    pub bindings: Vec<DescriptorType>,
    /// The vertices' attributes, by location.
    pub attributes: &'static [Format],
}

/// A shader of the program.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The scene and its variant: `flock:narrow`.
    pub scene: String,
    /// The file.
    pub name: &'static str,
    variant: Variant,
    entries: Vec<(ShaderStage, &'static str)>,
    /// Without the driver's checks.
    trusted: bool,
    /// Workgroup memory begins with zeros.
    zeros: bool,
}

/// The variants of a scene: what follows its name, whether cells overlap, and whether it is a slab.
const KINDS: [(&str, bool, bool); 3] =
    [("", false, false), (":narrow", true, false), (":slab", false, true)];

/// Those that draw: the file, the entry points, and whether it is compiled without checks.
const DRAWINGS: [(&str, &[&str], bool); 29] = [
    ("bloom", &["cover", "shrink_calmly"], false),
    ("bloom", &["cover", "shrink"], false),
    ("bloom", &["cover", "grow"], false),
    ("clusters", &["begin_clusters"], false),
    ("clusters", &["join_clusters"], false),
    ("clusters", &["show_clusters"], false),
    ("draw_background", &["cover", "copy"], false),
    ("draw_boids", &["corner", "paint"], false),
    ("draw_boids", &["glyph_corner", "glyph_paint"], false),
    ("draw_bodies", &["body_corner", "paint_body"], false),
    ("draw_bodies", &["bird_corner", "paint_body"], false),
    ("draw_bodies", &["fish_corner", "paint_body"], false),
    ("draw_bodies", &["ball_corner", "paint_ball"], false),
    ("draw_bodies", &["glow_corner", "paint_glow"], false),
    ("draw_bodies", &["shadow_corner", "paint_shadow"], false),
    ("draw_order", &["mark_ids"], false),
    ("draw_order", &["count_ids"], false),
    ("draw_order", &["draw_order"], false),
    ("draw_sky", &["cover", "paint_sky"], false),
    ("draw_sky", &["cover", "paint_water"], false),
    ("draw_solids", &["solid_corner", "paint_solid"], false),
    ("expose", &["cover", "expose"], false),
    ("shade_cells", &["count_agents"], false),
    ("shade_cells", &["sum_depths"], false),
    ("splat", &["splat"], true),
    ("splat_resolve", &["cover", "resolve"], true),
    ("splat_resolve", &["cover", "resolve_between"], true),
    ("trails", &["cover", "fade"], false),
    ("trails", &["cover", "lay"], false),
];

/// The source of [`CONTROL`].
const CONTROL_WGSL: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @compute @workgroup_size(64) fn control() {
        var kept: array<u32, 2048>;
        for (var i = 0u; i < 2048u; i++) { kept[i] = out[i]; }
        for (var i = 0u; i < 2048u; i++) { out[i] = kept[out[i] % 2048u]; }
    }";

/// All passes of all built-in scenes, in all variants for hardware, all drawings, and the control.
pub fn all() -> Vec<Shader> {
    let control = Shader {
        scene: String::new(),
        name: CONTROL,
        variant: Variant::of_drawing(false, false, false),
        entries: vec![(ShaderStage::Compute, CONTROL)],
        trusted: true,
        zeros: true,
    };
    let mut all = vec![control];
    for scene in built_in() {
        let parsed = Scene::parse(scene.name, scene.text);
        let parsed = parsed.unwrap_or_else(|error| panic!("{error}"));
        for (kind, narrow, slab) in KINDS {
            let variant = Variant { slab, ..Variant::of(&parsed, narrow, false) };
            let between = variant.between_ticks();
            let in_slabs = IN_SLABS.into_iter().filter(|_| slab);
            let others = BETWEEN_TICKS.into_iter().chain(in_slabs).map(|pass| (pass, &between));
            let passes = TICK.into_iter().map(|pass| (pass, &variant)).chain(others);
            all.extend(passes.map(|(pass, variant)| Shader {
                scene: format!("{}{kind}", scene.name),
                name: pass.name,
                variant: variant.clone(),
                entries: vec![(ShaderStage::Compute, pass.name)],
                trusted: true,
                zeros: !pass.per.is_counted_by_the_device(),
            }));
        }
    }
    for (name, entries, trusted) in DRAWINGS {
        let stages = match entries {
            [_] => &[ShaderStage::Compute][..],
            _ => &[ShaderStage::Vertex, ShaderStage::Fragment],
        };
        let entries: Vec<_> = stages.iter().copied().zip(entries.iter().copied()).collect();
        // Light and shade with one of the others each.
        for number in (0..16).chain([16, 33, 54]) {
            let bit = |place: u32| number >> place & 1 == 1;
            let plain = Variant::of_drawing(bit(1), bit(2), bit(3));
            let (as_light, shade) = (bit(4), bit(5));
            let variant = Variant { flat: bit(0), as_light, shade, ..plain };
            let scene = if as_light || shade { ":light" } else { "" };
            let (scene, entries) = (scene.to_string(), entries.clone());
            all.push(Shader { scene, name, variant, entries, trusted, zeros: true });
        }
    }
    all
}

impl Shader {
    /// Composes it and translates it as wgpu does.
    pub fn stages(&self) -> Stages {
        let module = match self.name {
            CONTROL => naga::front::wgsl::parse_str(CONTROL_WGSL).expect("the control parses"),
            name => compose(name, &self.variant).unwrap_or_else(|error| panic!("{error}")).1,
        };
        let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
        let info = info.unwrap_or_else(|error| panic!("{}: {error:?}", self.name));
        let (binding_map, bindings) = bindings(&module);
        let checks = if self.trusted { Unchecked } else { Restrict };
        let options = spv::Options {
            lang_version: (1, 6),
            flags: spv::WriterFlags::LABEL_VARYINGS
                | spv::WriterFlags::FORCE_POINT_SIZE
                | spv::WriterFlags::ADJUST_COORDINATE_SPACE,
            fake_missing_bindings: false,
            binding_map,
            // RADV checks buffers and pictures itself.
            bounds_check_policies: BoundsCheckPolicies {
                index: checks,
                buffer: Unchecked,
                image_load: Unchecked,
                binding_array: Unchecked,
            },
            zero_initialize_workgroup_memory: if self.zeros {
                spv::ZeroInitializeWorkgroupMemoryMode::Native
            } else {
                spv::ZeroInitializeWorkgroupMemoryMode::None
            },
            force_loop_bounding: !self.trusted,
            emit_int_div_checks: !self.trusted,
            ..Default::default()
        };
        let code = self.entries.iter().map(|&(stage, entry)| {
            let chosen = Some((stage, entry));
            let (module, info) = process_overrides(&module, &info, chosen, &Default::default())?;
            let pipeline = spv::PipelineOptions { shader_stage: stage, entry_point: entry.into() };
            let words = spv::write_vec(&module, &info, &options, Some(&pipeline))?;
            Ok((CString::new(entry)?, words))
        });
        let code = code.collect::<Result<_, Box<dyn Error>>>();
        let code = code.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let attributes = match self.name {
            "draw_solids" => &[Format::R32G32B32_SFLOAT, Format::R32G32B32A32_SFLOAT][..],
            _ => &[],
        };
        Stages { code, bindings, attributes }
    }
}

/// The bindings of group 0 in order, and the numbers that wgpu gives them.
fn bindings(module: &Module) -> (spv::BindingMap, Vec<DescriptorType>) {
    let globals = module.global_variables.iter();
    let bound = globals.filter_map(|(_, global)| Some((global.binding?, global)));
    let bound: BTreeMap<ResourceBinding, _> = bound.collect();
    let kinds = bound.values().map(|global| match global.space {
        AddressSpace::Uniform => match global.name.as_deref() {
            Some("clock" | "canvas") => DescriptorType::UNIFORM_BUFFER_DYNAMIC,
            _ => DescriptorType::UNIFORM_BUFFER,
        },
        AddressSpace::Storage { .. } => DescriptorType::STORAGE_BUFFER,
        _ => DescriptorType::SAMPLED_IMAGE,
    });
    let numbered = bound.keys().zip(0..).map(|(key, binding)| {
        (*key, spv::BindingInfo { descriptor_set: 0, binding, binding_array_size: None })
    });
    (numbered.collect(), kinds.collect())
}
