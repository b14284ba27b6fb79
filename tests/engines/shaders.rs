//! Level 0: every composed shader parses and validates, the layouts match, and every behaviour has
//! both halves. Needs no GPU.

use flockwork::engine::gpu::buffers::{
    COUNTS_AT, MAX_STORAGE_BUFFERS, MAX_TICKS_PER_SUBMISSION, NAMES,
};
use flockwork::engine::gpu::device::LANES;
use flockwork::engine::gpu::pass::{BETWEEN_TICKS, IN_SLABS, TICK};
use flockwork::engine::gpu::reflect;
use flockwork::engine::gpu::row::{self, MotionLayout};
use flockwork::engine::gpu::shaders::{ShaderError, Variant, compose as compose_as_is, roots};
use flockwork::model::behaviours::{Kind, Uses};
use flockwork::model::kept::KeptNames;
use flockwork::model::parameter::{MAX_SPECIES, Parameter};
use flockwork::model::scene::{MAX_TARGETS, Rule, Scene, Slot};
use flockwork::model::world::Boundary;
use wgpu::naga::valid::{Capabilities, ValidationFlags, Validator};
use wgpu::naga::{AddressSpace, Expression, Literal, Module};

/// Composes a shader. Those that only slabs have are always composed for a slab.
fn compose(name: &str, variant: &Variant) -> Result<(String, Module), ShaderError> {
    let in_slabs = IN_SLABS.iter().any(|pass| pass.name == name);
    compose_as_is(name, &Variant { slab: variant.slab || in_slabs, ..variant.clone() })
}

/// The numbers that agents of a scene with these behaviours can draw.
fn drawn(uses: Uses) -> Vec<Slot> {
    let body = (0..3).map(Slot::Body);
    let kinds = Kind::ALL.into_iter().filter(|kind| uses.contains(*kind));
    let rules = kinds.flat_map(|kind| {
        let quantities = kind.info().parameters.iter().enumerate();
        quantities.filter(|(_, p)| p.is_quantity()).map(move |(i, _)| Slot::Rule(kind, i))
    });
    body.chain(rules).collect()
}

/// The leaders if all behaviours in `uses` perceive alike, or if none do.
fn led(uses: Uses, by_one: bool) -> Vec<(Kind, Kind)> {
    let used: Vec<Kind> = Kind::NEAR.into_iter().filter(|kind| uses.contains(*kind)).collect();
    used.iter().map(|kind| (*kind, if by_one { used[0] } else { *kind })).collect()
}

/// The behaviours in `uses` that can choose the nearest neighbours: two choose alike, if there are more.
fn chosen(uses: Uses) -> Vec<Vec<Kind>> {
    if !uses.has(Uses::NEAREST) {
        return Vec::new();
    }
    let kinds = Kind::NEAR.into_iter().filter(|kind| uses.contains(*kind));
    let rules = kinds.filter_map(|kind| Some((kind, kind.parameter("nearest")?)));
    let mut scene = Scene::parse("test", "[species.a]\n").unwrap();
    for (place, (kind, slot)) in rules.enumerate() {
        let mut rule = Rule::by_default(kind, 0);
        rule.values[slot] = if place < 2 { 7.0 } else { 16.0 };
        scene.species[0].rules.push(rule);
    }
    scene.choices()
}

/// Each behaviour alone, none, and all, with no extra, each extra alone, and all extras; in every
/// kind of world.
fn variants() -> Vec<Variant> {
    let mut sets: Vec<Uses> = Kind::ALL.iter().map(|kind| Uses::of(&[*kind])).collect();
    sets.push(Uses::of(&[]));
    sets.push(Uses::of(&Kind::ALL));
    let mut extras = vec![Uses::default()];
    extras.extend(Uses::EXTRAS.map(|(_, extra)| match extra {
        // Sums take the numbers that agents keep.
        Uses::OTHER_KEPT | Uses::OWN_KEPT => extra.with(Uses::KEPT),
        Uses::PICK => extra.with(Uses::NEAREST),
        Uses::TURNERS => extra.with(Uses::MIN_SPEED),
        _ => extra,
    }));
    extras.push(extras.iter().fold(Uses::default(), |all, extra| all.with(*extra)));
    let mut variants = Vec::new();
    for (number, uses) in
        sets.iter().flat_map(|set| extras.iter().map(|e| set.with(*e))).enumerate()
    {
        let shapes = [(false, false), (false, true), (true, false), (true, true)];
        let worlds = Boundary::NAMES.into_iter().flat_map(|(_, boundary)| {
            shapes.map(|(several_species, narrow)| (boundary, several_species, narrow))
        });
        // All worlds for variants without extras and with all of them. For the others one world
        // each, in turn: three thousand variants would take minutes.
        let all = number % extras.len() == 0 || number % extras.len() == extras.len() - 1;
        for (world, (boundary, several_species, narrow)) in worlds.enumerate() {
            if all || world == number % 12 {
                // Each of the four shapes with and without subgroups, spread over the kinds of
                // world.
                let by_subgroup = (number + world / 4) % 2 == 1;
                let packs = !by_subgroup;
                let stops = (number + world) % 2 == 1;
                let traits = if uses.has(Uses::TRAITS) { drawn(uses) } else { Vec::new() };
                let unrolled = by_subgroup;
                // Differently for worlds of one kind and for planes and spaces.
                let slab = (number / extras.len() / 2 + world / 2 + number) % 2 == 1;
                // Planes and spaces by turns, differently for each kind of world.
                let flat = (number / extras.len() + world) % 2 == 0;
                variants.push(Variant {
                    formulas: Vec::new(),
                    shared: Vec::new(),
                    flat,
                    uses,
                    leaders: led(uses, number % 3 == 0),
                    choices: chosen(uses),
                    traits,
                    boundary,
                    several_species,
                    narrow,
                    by_subgroup,
                    unrolled,
                    packs,
                    stops,
                    as_light: false,
                    shade: false,
                    slab,
                });
            }
        }
    }
    variants
}

#[test]
fn every_composed_shader_validates_and_binds_no_more_buffers_than_every_device_has() {
    let default = wgpu::Limits::default().max_storage_buffers_per_shader_stage;
    assert!(MAX_STORAGE_BUFFERS <= default, "WebGPU promises {default}");
    let (all, mut most) = (variants(), 0);
    let fullest = all.iter().rfind(|v| v.uses.has(Uses::of(&Kind::ALL)) && v.several_species);
    for root in roots() {
        // Most shaders know nothing of behaviours, whose declarations are in `rules.wgsl`. For these every seventh
        // variant will do: among them each extra comes with several worlds.
        let (text, _) = compose(&root, fullest.unwrap()).unwrap_or_else(|error| panic!("{error}"));
        let step = if text.contains("rules_") { 1 } else { 7 };
        for variant in all.iter().step_by(step) {
            let (wgsl, module) = compose(&root, variant).unwrap_or_else(|error| panic!("{error}"));
            // Only the subgroup variant may use subgroups, and only the packing one 64-bit
            // integers.
            let mut capabilities = Capabilities::default();
            capabilities.set(Capabilities::SUBGROUP, variant.by_subgroup);
            let wide = Capabilities::SHADER_INT64 | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS;
            capabilities.set(wide, variant.packs);
            let mut validator = Validator::new(ValidationFlags::all(), capabilities);
            if let Err(error) = validator.validate(&module) {
                panic!("{root} for {variant:?}:\n{}", error.emit_to_string(&wgsl));
            }
            let storage = module.global_variables.iter();
            let storage = storage.filter(|(_, v)| matches!(v.space, AddressSpace::Storage { .. }));
            let count = storage.count() as u32;
            assert!(count <= MAX_STORAGE_BUFFERS, "{root} has {count} for {variant:?}");
            most = most.max(count);
        }
    }
    // Control: one more buffer in the fullest pass would be too many.
    assert_eq!(most, MAX_STORAGE_BUFFERS);
}

#[test]
fn a_pass_has_its_own_file_and_entry_point() {
    let variant = &variants()[0];
    for pass in TICK.into_iter().chain(BETWEEN_TICKS).chain(IN_SLABS) {
        assert!(roots().contains(&pass.name.to_string()), "shaders/{}.wgsl is missing", pass.name);
        let (_, module) = compose(pass.name, variant).unwrap();
        assert_eq!(module.entry_points[0].name, pass.name);
        reflect::bindings(&module).unwrap();
    }
}

#[test]
fn passes_agree_about_the_buffers_that_they_share() {
    let all = variants();
    let fullest = all.iter().rfind(|v| v.uses.has(Uses::of(&Kind::ALL)) && v.several_species);
    let fullest = fullest.unwrap();
    for slab in [false, true] {
        let variant = Variant { slab, ..fullest.clone() };
        let mut known: Vec<(&str, &str, reflect::StructLayout)> = vec![];
        let in_slabs = IN_SLABS.into_iter().filter(|_| slab);
        for pass in TICK.into_iter().chain(BETWEEN_TICKS).chain(in_slabs) {
            let (_, module) = compose(pass.name, &variant).unwrap();
            for binding in reflect::bindings(&module).unwrap() {
                let name = NAMES.into_iter().find(|name| *name == binding.name).unwrap();
                let layout = reflect::layout(&module, name).unwrap();
                match known.iter().find(|(_, other, _)| *other == name) {
                    // A buffer of words may be read as pairs.
                    Some((first, _, other))
                        if other.fields.len() > 1 && layout.fields.len() > 1 =>
                    {
                        assert_eq!(*other, layout, "`{name}` in {first} and {}", pass.name);
                    }
                    _ => known.push((pass.name, name, layout)),
                }
            }
        }
    }
    let (_, module) = compose("steer", fullest).unwrap();
    let members = reflect::member(&module, "cell_count", "members").unwrap();
    assert_eq!(u64::from(members.offset), COUNTS_AT);
}

#[test]
fn the_tables_have_room_for_all_species_at_all_ticks_of_a_submission() {
    for variant in variants().into_iter().filter(|variant| variant.uses.contains(Kind::Seek)) {
        let (_, module) = compose("steer", &variant).unwrap();
        let species = reflect::member(&module, "tables", "species").unwrap();
        let ticks = if variant.uses.has(Uses::VARYING) { MAX_TICKS_PER_SUBMISSION } else { 1 };
        assert_eq!(species.count, Some(MAX_SPECIES as u32 * ticks));
    }
}

#[test]
fn a_subgroup_has_the_width_that_the_device_must_have() {
    let variant = Variant { by_subgroup: true, ..variants().swap_remove(0) };
    let (_, module) = compose("reorder", &variant).unwrap();
    let lanes = module.constants.iter().find_map(|(_, constant)| {
        let named = constant.name.as_ref().is_some_and(|name| name.ends_with("LANES"));
        named.then_some(&module.global_expressions[constant.init])
    });
    let wanted = Expression::Literal(Literal::U32(LANES));
    assert_eq!(lanes, Some(&wanted));
}

/// The value of a constant in a shader.
fn constant(module: &Module, name: &str) -> Option<u32> {
    let (_, constant) = module.constants.iter().find(|(_, constant)| {
        let found = constant.name.as_deref().unwrap_or_default();
        // A name of an imported file has the file's in front.
        found == name || found.ends_with(&format!("_{name}"))
    })?;
    match module.global_expressions[constant.init] {
        Expression::Literal(Literal::U32(number)) => Some(number),
        _ => None,
    }
}

#[test]
fn the_shaders_read_the_row_of_an_agent_as_it_is_declared() {
    let variant = variants().into_iter().find(|v| v.uses.has(Uses::MEMORY) && v.several_species);
    let variant = variant.unwrap();
    let uses = variant.uses.with(Uses::TRAITS);
    let variant = Variant { traits: drawn(variant.uses), uses, ..variant };
    let keeping = |layout: MotionLayout| layout.keeping(KeptNames::of(["phase"]));
    let layouts = [
        (true, MotionLayout::PLANE),
        (false, MotionLayout::SPACE),
        (true, keeping(MotionLayout::PLANE)),
        (false, keeping(MotionLayout::SPACE)),
    ];
    for (shader, (flat, layout)) in
        ["steer", "bin"].map(|shader| layouts.map(|l| (shader, l))).as_flattened().iter().copied()
    {
        let kept = Uses::KEPT.with(Uses::OTHER_KEPT).with(Uses::OWN_KEPT);
        let plain = variant.uses.without(kept);
        let uses = if layout.keeps { plain.with(Uses::KEPT) } else { plain };
        let (_, module) = compose(shader, &Variant { flat, uses, ..variant.clone() }).unwrap();
        let bytes = |name: &str| reflect::layout(&module, name).map(|row| u64::from(row.size));
        assert_eq!(bytes("state"), Some(layout.bytes()), "{shader}");
        assert_eq!(bytes("tag"), Some(row::TAG_BYTES), "{shader}");
        assert_eq!(bytes("memory"), Some(row::MEMORY_BYTES), "{shader}");
        assert_eq!(constant(&module, "ID_BITS"), Some(row::ID_BITS), "{shader}");
    }
}

/// Drivers differ in the order of a product of three terms, so passes use the product of `space.wgsl`.
#[test]
fn no_pass_calls_a_built_in_product_of_vectors() {
    let calls = |wgsl: &str, name: &str| {
        wgsl.match_indices(&format!("{name}(")).any(|(at, _)| {
            let before = wgsl[..at].chars().next_back();
            before.is_some_and(|c| !c.is_alphanumeric() && c != '_')
        })
    };
    let all = variants();
    let fullest = all.iter().rfind(|v| v.uses.has(Uses::of(&Kind::ALL)) && v.several_species);
    let fullest = fullest.unwrap();
    for flat in [true, false] {
        for pass in TICK.into_iter().chain(BETWEEN_TICKS).chain(IN_SLABS) {
            let (wgsl, _) = compose(pass.name, &Variant { flat, ..fullest.clone() }).unwrap();
            for name in ["dot", "length", "distance", "normalize", "cross"] {
                assert!(!calls(&wgsl, name), "{} calls {name}", pass.name);
            }
        }
        // Control: a function that the shaders do call.
        let (wgsl, _) = compose("steer", &Variant { flat, ..fullest.clone() }).unwrap();
        assert!(calls(&wgsl, "sqrt"));
    }
}

#[test]
fn a_shader_contains_only_the_behaviours_of_its_scene() {
    let flock = Uses::of(&[Kind::Separation, Kind::Alignment, Kind::Cohesion]);
    let drawing = Variant::of_drawing(false, false, false);
    let leaders = led(flock, false);
    let variant = Variant { uses: flock, leaders, boundary: Boundary::Wrap, ..drawing };
    let (wgsl, _) = compose("steer", &variant).unwrap();
    assert!(wgsl.contains("alignment"));
    for absent in ["arrive", "contain", "flee"] {
        assert!(!wgsl.contains(absent), "`{absent}` is in a shader that does not use it");
    }
}

#[test]
fn the_shader_reads_every_parameter_that_rust_declares() {
    let drawing = Variant::of_drawing(false, false, false);
    let uses = Uses::of(&Kind::ALL);
    let leaders = led(uses, false);
    let variant = Variant { uses, leaders, several_species: true, ..drawing };
    let (_, module) = compose("steer", &variant).unwrap();
    let layout = reflect::member(&module, "tables", "species").unwrap().element;
    for kind in Kind::ALL {
        let info = kind.info();
        let prefix = format!("{}.", info.key);
        let in_wgsl: Vec<&str> =
            layout.fields.keys().filter_map(|path| path.strip_prefix(&prefix)).collect();
        let mut in_rust: Vec<String> = info.parameters.iter().map(Parameter::member).collect();
        in_rust.sort();
        assert_eq!(in_wgsl, in_rust, "parameters of {}", info.key);
    }
}

#[test]
fn the_shader_holds_as_many_targets_as_a_scene_may_have() {
    let variant = variants().into_iter().find(|v| v.uses.contains(Kind::Seek)).unwrap();
    let (_, module) = compose("steer", &variant).unwrap();
    let layout = reflect::layout(&module, "targets").unwrap();
    let places = layout.fields.keys().filter(|path| path.ends_with(".present")).count();
    assert_eq!(places, MAX_TARGETS);
}

#[test]
fn a_field_that_the_shader_lacks_is_an_error() {
    let (_, module) = compose("steer", &variants()[0]).unwrap();
    let layout = reflect::layout(&module, "flock").unwrap();
    let mut record = reflect::Record::new(&layout);
    record.put("count", 1.0).put("cuont", 1.0);
    assert_eq!(record.finish().unwrap_err(), "the shader has no field `cuont`");
}
