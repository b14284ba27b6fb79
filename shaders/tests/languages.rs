//! Level 0: what drivers get. Every shader of every scene is the same text each time, and compiles to the
//! languages of Direct3D and Metal. Needs no GPU.

use std::collections::BTreeSet;

use flockwork_model::behaviours::Uses;
use flockwork_model::scene::{Scene, built_in};
use flockwork_shaders::{Variant, compose, roots};
use naga::back::{hlsl, msl};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage};

/// Whether only processes that share a flock run this shader.
fn is_of_slabs(root: &str) -> bool {
    ["export_agents", "import_agents"].contains(&root)
}

/// Whether this shader draws.
fn is_drawing(root: &str) -> bool {
    root.starts_with("draw_") || root.starts_with("splat")
}

/// All built-in scenes, and the examples of rules in text.
fn scenes() -> Vec<Scene> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rules.md");
    let page = std::fs::read_to_string(page).unwrap();
    let examples = page.split("```toml\n").skip(1).filter_map(|part| part.split("```").next());
    let built_in = built_in().map(|scene| scene.text);
    built_in.chain(examples).map(|text| Scene::parse("scene", text).unwrap()).collect()
}

/// The shaders of these scenes, each once: name, text, module.
fn shaders() -> Vec<(String, String, Module)> {
    let mut wanted: Vec<(String, Variant)> = Vec::new();
    for scene in scenes() {
        for (narrow, slab) in [(false, false), (true, false), (false, true)] {
            let variant = Variant { slab, ..Variant::of(&scene, narrow, false) };
            let is_passed = |root: &String| !is_drawing(root) && (slab || !is_of_slabs(root));
            for root in roots().into_iter().filter(is_passed) {
                let pair = (root, variant.clone());
                if !wanted.contains(&pair) {
                    wanted.push(pair);
                }
            }
        }
    }
    let drawings = roots().into_iter().filter(|root| is_drawing(root));
    for (root, number) in
        drawings.flat_map(|root| (0..32).map(move |number| (root.clone(), number)))
    {
        let bit = |place: u32| number >> place & 1 == 1;
        // Sums are packed on Vulkan alone.
        let plain = Variant::of_drawing(false, bit(0), bit(1));
        let mut variant = Variant { flat: bit(2), as_light: bit(3), shade: bit(3), ..plain };
        if bit(4) {
            variant.uses = variant.uses.with(Uses::STRUCTURE).with(Uses::KEPT);
        }
        wanted.push((root, variant));
    }
    let mut texts = BTreeSet::new();
    let composed = wanted.into_iter().map(|(root, variant)| {
        let (text, module) = compose(&root, &variant).unwrap_or_else(|error| panic!("{error}"));
        (root, text, module)
    });
    let found: Vec<_> = composed.filter(|(_, text, _)| texts.insert(text.clone())).collect();
    assert!(found.len() > 100, "{}", found.len());
    found
}

fn validated(module: &Module) -> ModuleInfo {
    Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).unwrap()
}

/// The lines with which functions begin.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| {
        line.starts_with(char::is_alphabetic) && line.contains('(') && !line.ends_with(';')
    })
}

fn defined_twice(text: &str) -> Option<&str> {
    let mut seen = BTreeSet::new();
    functions(text).find(|line| !seen.insert(line.trim_end_matches(['{', ' '])))
}

fn to_hlsl(module: &Module, entry: (ShaderStage, String)) -> String {
    let options = hlsl::Options { shader_model: hlsl::ShaderModel::V6_0, ..Default::default() };
    let (mut text, pipeline) = (String::new(), hlsl::PipelineOptions { entry_point: Some(entry) });
    let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
    writer.write(module, &validated(module), None).unwrap();
    text
}

fn to_msl(module: &Module, entry: (ShaderStage, String)) -> String {
    let options = msl::Options { lang_version: (2, 4), ..Default::default() };
    let pipeline = msl::PipelineOptions { entry_point: Some(entry), ..Default::default() };
    msl::write_string(module, &validated(module), &options, &pipeline).unwrap().0
}

#[test]
fn direct3d_and_metal_get_no_function_twice() {
    for (root, _, module) in shaders() {
        for entry in &module.entry_points {
            let entry = (entry.stage, entry.name.clone());
            for text in [to_hlsl(&module, entry.clone()), to_msl(&module, entry)] {
                assert!(functions(&text).count() > 0, "{root}: no function found in {text}");
                let twice = defined_twice(&text);
                assert!(twice.is_none(), "{root} defines twice: {twice:?}");
            }
        }
    }
}

/// The control: naga writes a helper twice for a type with two names, which Direct3D refuses.
#[test]
fn a_zero_value_of_a_type_with_two_names_is_found() {
    let text = "alias Vector = vec2<f32>;
        @group(0) @binding(0) var<storage, read_write> out: array<vec2<f32>>;
        fn first(a: vec2<f32>) -> vec2<f32> { return max(a, vec2<f32>()); }
        fn second(a: Vector) -> Vector { return min(a, Vector()); }
        @compute @workgroup_size(1) fn main() { out[0] = first(second(out[0])); }";
    let module = naga::front::wgsl::parse_str(text).unwrap();
    let hlsl = to_hlsl(&module, (ShaderStage::Compute, "main".into()));
    let twice = defined_twice(&hlsl);
    assert!(twice.is_some_and(|line| line.contains("ZeroValue")), "{twice:?} in {hlsl}");
}

#[test]
fn a_shader_is_composed_to_the_same_text_each_time() {
    let texts = || shaders().into_iter().map(|(root, text, _)| (root, text)).collect::<Vec<_>>();
    assert_eq!(texts(), texts());
}
