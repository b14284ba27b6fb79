//! Levels 2 and 4: one tick of the GPU engine against the brute-force reference, with controls that
//! must make the comparison fail.

use crate::adapter;
use crate::common;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::common::gpu::{GPU, engine, share, without_subgroups};
use crate::common::scenery::in_the_corner;
use crate::common::situations::{
    FLOCKING, OF_BODIES, OF_LOOKS, OF_NEAREST, OF_RULES, Situation, behaviour_sets,
    choosy_by_distance, embodied, hurried, situation_in, steady_in,
};
use crate::common::variants::{situations_of, variant_of};
use crate::common::{
    Errors, assert_none, assert_ticks, bits, compare, compare_targets, compare_ticks,
    largest_errors, reference, run, stepped,
};
use flockwork::engine::Engine;
use flockwork::engine::gpu::pass::TICK;
use flockwork::engine::gpu::reflect;
use flockwork::engine::gpu::shaders::compose;
use flockwork::engine::gpu::{Gpu, GpuEngine, MotionLayout, buffers};
use flockwork::model::behaviours::{Kind, Uses};
use flockwork::model::world::Boundary;
use wgpu::naga::ScalarKind;

/// Situations for each behaviour alone and for all together.
const ALONE: usize = 160;
const TOGETHER: usize = 600;

/// All behaviours need many situations, so that each extra is met.
fn together() -> usize {
    TOGETHER / share().min(2)
}

fn count_of(kinds: &[Kind]) -> usize {
    if kinds.len() == Kind::ALL.len() { together() } else { ALONE / share() }
}

#[test]
fn ticks_equal_the_reference() {
    let Some(gpu) = adapter::gpu() else { return };
    assert_ticks_equal(&gpu, 2);
}

#[test]
fn ticks_in_space_equal_the_reference() {
    let Some(gpu) = adapter::gpu() else { return };
    assert_ticks_equal(&gpu, 3);
}

/// Compares one tick of many situations in worlds with this number of axes, and later ticks of some.
fn assert_ticks_equal(gpu: &Arc<Gpu>, axes: usize) {
    // The engine that runs on a real GPU: without bounds checks and, where subgroups are the default, with
    // the neighbour loop of all other devices.
    let mut engine = without_subgroups(gpu);
    // Besides, the one with bounds checks and subgroups; a second driver that takes a second to compile a
    // shader leaves it out.
    let mut checked = (share() == 1).then(|| common::gpu::engine(gpu));
    let (mut worst, mut doubtful, mut number) = (Errors::default(), 0.0, 0_u32);
    let mut of_each = [0; Kind::ALL.len()];
    let mut with_extra = [0; Uses::EXTRAS.len()];
    let mut problems = vec![];
    for (nth, kinds) in behaviour_sets().into_iter().enumerate() {
        // All behaviours together are a shader of seconds.
        let is_dear = kinds.len() == Kind::ALL.len();
        // Each set is checked in one kind of world.
        let (_, checked_in) = Boundary::NAMES[(nth + axes) % 3];
        for case in situations_of(axes, &kinds, count_of(&kinds)) {
            let expected = reference::step(&case.scene, &case.state);
            let state = run(&mut engine, &case.scene, &case.state, 1);
            let here = case.scene.world.boundary == checked_in;
            if let Some(checked) = checked.as_mut().filter(|_| here) {
                let checked = run(checked, &case.scene, &case.state, 1);
                assert!(bits(&checked) == bits(&state), "checked, other bits: {}", case.name);
            }
            worst = worst.or_worse(largest_errors(&case.scene, &expected, &state));
            doubtful += common::doubtful_part(&expected);
            number += 1;
            let uses = case.scene.uses();
            for kind in Kind::ALL.into_iter().filter(|kind| uses.contains(*kind)) {
                of_each[kind.number()] += 1;
            }
            for (times, (_, extra)) in with_extra.iter_mut().zip(Uses::EXTRAS) {
                *times += u32::from(uses.has(extra));
            }
            let compared = compare(&case.scene, &expected, &state, GPU)
                .and_then(|()| compare_targets(&case.scene, case.state.tick, &mut engine, GPU));
            if let Err(problem) = compared {
                problems.push(format!("{problem}\n{}", case.name));
            } else if is_dear && number % 6 == 0 {
                // Later ticks, which compile nothing more.
                problems.extend(compare_ticks(&mut engine, &case, 4, GPU).err());
            }
        }
    }
    assert_none(&problems);
    let part = doubtful / f64::from(number);
    println!("{number} situations, {:.2} % too close to call: {worst:?}", 100.0 * part);
    println!("each behaviour in {of_each:?}, each extra in {with_extra:?}");
    let fewest = together() + (ALONE - 40) / share();
    assert!(of_each.iter().all(|times| *times >= fewest), "too few situations");
    // Every set of drawn numbers needs shaders of its own: traits.rs covers some, shown.rs colours, bodies.rs
    // smallest speeds and other bodies, rules_in_text.rs rules.
    let elsewhere = [&OF_LOOKS[..], &[Uses::TRAITS], &OF_BODIES, &OF_NEAREST, &OF_RULES].concat();
    let extras = with_extra.iter().zip(Uses::EXTRAS);
    let mut extras = extras.filter(|(_, (_, extra))| !elsewhere.contains(extra));
    let fewest = 100 / share().min(2) as u32;
    assert!(extras.all(|(times, _)| (fewest..number - fewest).contains(times)));
    common::assert_decided(part, "parity");
}

#[test]
fn an_agent_in_the_corner_sees_obstacles() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engine = engine(&gpu);
    assert_ticks(&mut engine, in_the_corner(), 1, GPU);
}

/// A number that differs clearly from the one in a species' table.
fn poisoned(bytes: [u8; 4], kind: ScalarKind) -> [u8; 4] {
    if kind != ScalarKind::Float {
        // Choices, turns and sets: flip one bit.
        return (u32::from_le_bytes(bytes) ^ 1).to_le_bytes();
    }
    let value = f32::from_le_bytes(bytes);
    // The cosine of a right angle is nearly zero.
    (if value.abs() < 1e-6 { 0.3 } else { value * 0.8 }).to_le_bytes()
}

#[test]
fn every_poisoned_parameter_is_noticed_on_the_device() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engine = engine(&gpu);
    for axes in [2, 3] {
        assert_parameters_count(&mut engine, axes);
    }
}

/// The fields that make no difference alone. Most cases show only a few, so the fields are halved until
/// a half makes no difference or one field is left.
fn unnoticed<T: Copy>(fields: Vec<T>, is_noticed: &mut impl FnMut(&[T]) -> bool) -> Vec<T> {
    if fields.is_empty() || !is_noticed(&fields) {
        return fields;
    }
    if fields.len() == 1 {
        return vec![];
    }
    let (first, second) = fields.split_at(fields.len() / 2);
    let mut left = unnoticed(first.to_vec(), is_noticed);
    left.extend(unnoticed(second.to_vec(), is_noticed));
    left
}

/// Situations whose species have all behaviours of a set, and if `bodily` all extras of bodies and of
/// neighbours. No value varies, because then the table is rewritten for every tick.
fn to_poison(axes: usize, kinds: &[Kind], bodily: bool) -> impl Iterator<Item = Situation> {
    let usual = [Uses::SIGHT, Uses::INNER, Uses::COUNTS, Uses::PRIORITY, Uses::NEAREST];
    let extras = usual.into_iter().chain(OF_BODIES).fold(Uses::default(), Uses::with);
    let extras = if bodily { extras } else { Uses::default() };
    let cases = (0..).map(move |number| {
        let case = steady_in(axes, kinds, number);
        let embodied = |case| embodied(hurried(case, number), number);
        let case = if bodily { embodied(case) } else { case };
        if bodily || number % 2 == 1 { choosy_by_distance(case, number) } else { case }
    });
    cases.filter(move |case| {
        let uses = case.scene.uses();
        let fixed = !uses.has(Uses::VARYING) && !uses.has(Uses::TRAITS);
        kinds.iter().all(|kind| uses.contains(*kind)) && uses.has(extras) && fixed
    })
}

/// The numbers of a species that the shader of a situation reads from the table, by path, and the bytes of
/// a species.
fn numbers_read(case: &Situation) -> (BTreeMap<String, reflect::Field>, usize) {
    let (_, module) = compose("steer", &variant_of(case)).unwrap();
    let layout = reflect::member(&module, "tables", "species").unwrap().element;
    // The shader reads the square of a perception radius, a number of its own; separation needs both.
    let is_read_as_square = |path: &str| {
        let key = path.strip_suffix(".radius").filter(|key| *key != "separation");
        key.is_some_and(|key| layout.fields.contains_key(&format!("squared_{key}")))
    };
    // Members that the shader computes itself are 0 in the table.
    let is_computed = |path: &str| path.starts_with("below_");
    let mut fields = layout.fields.clone();
    fields.retain(|path, _| !is_read_as_square(path) && !is_computed(path));
    (fields, layout.size as usize)
}

fn assert_parameters_count(engine: &mut GpuEngine, axes: usize) {
    // All numbers that a species may have.
    let all = to_poison(axes, &Kind::ALL, true).next().unwrap();
    let (mut left, _) = numbers_read(&all);
    println!("{} numbers in the table of a species", left.len());
    // Small shaders: each behaviour alone, then the bodies of a flock among obstacles, whose sizes count.
    let alone = Kind::ALL.map(|kind| (vec![kind], false));
    let bodies = ([&FLOCKING[..], &[Kind::Avoid]].concat(), true);
    for (kinds, bodily) in alone.into_iter().chain([bodies]) {
        let is_own = |path: &&String| bodily || path.contains(kinds[0].info().key);
        for case in to_poison(axes, &kinds, bodily).take(60) {
            if !left.keys().any(|path| is_own(&path)) {
                break;
            }
            let (fields, bytes) = numbers_read(&case);
            let own = fields.keys().filter(is_own).filter(|path| left.contains_key(*path));
            let own: Vec<&String> = own.collect();
            if own.is_empty() {
                continue;
            }
            let expected = reference::step(&case.scene, &case.state);
            engine.load(&case.scene, &case.state).unwrap();
            let tables = engine.read_buffer("tables").unwrap();
            // True if the comparison notices other numbers of every species, in the bytes that the shader
            // reads.
            let mut is_noticed = |paths: &[&String]| {
                let mut changed = tables.clone();
                for record in changed.chunks_exact_mut(bytes).take(case.scene.species.len()) {
                    for field in paths.iter().map(|path| &fields[*path]) {
                        let word = &mut record[field.offset as usize..][..4];
                        let value = [word[0], word[1], word[2], word[3]];
                        word.copy_from_slice(&poisoned(value, field.kind));
                    }
                }
                engine.load(&case.scene, &case.state).unwrap();
                engine.write_buffer("tables", &changed).unwrap();
                let state = stepped(engine, 1);
                compare(&case.scene, &expected, &state, GPU).is_err()
            };
            let unnoticed = unnoticed(own.clone(), &mut is_noticed);
            left.retain(|path, _| !own.contains(&path) || unnoticed.contains(&path));
        }
    }
    assert!(left.is_empty(), "{axes} axes: {:?} make no difference", left.keys());
}

/// The part of a buffer to poison.
#[derive(Clone, Copy, Debug)]
enum Part {
    Whole,
    FirstWord,
    /// The lists of the spatial index with this name.
    Lists(&'static str),
    /// The items in those lists.
    Items(&'static str),
}

impl Part {
    fn of(self, case: &Situation, engine: &GpuEngine, length: usize) -> Range<usize> {
        let (Self::Lists(index) | Self::Items(index)) = self else {
            return 0..if matches!(self, Self::Whole) { length } else { 4 };
        };
        let (_, module) = compose("steer", &variant_of(case)).unwrap();
        let rows = reflect::member(&module, "tables", "rows").unwrap();
        let fields = reflect::layout(&module, index).unwrap().fields;
        let bytes = engine.read_buffer(index).unwrap();
        let place = |name: &str| {
            let at = fields[name].offset as usize;
            let row = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
            rows.offset as usize + row as usize * rows.element.size as usize
        };
        if matches!(self, Self::Lists(_)) {
            place("lists")..place("items")
        } else {
            place("items")..length
        }
    }
}

#[test]
fn a_poisoned_table_of_the_scenery_is_noticed_on_the_device() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engine = engine(&gpu);
    let (avoid, path, flow) = (Kind::Avoid, Kind::FollowPath, Kind::FollowFlow);
    for (kind, buffer, part) in [
        (avoid, "obstacle_index", Part::Whole),
        (avoid, "tables", Part::Lists("obstacle_index")),
        (avoid, "tables", Part::Items("obstacle_index")),
        (path, "path_index", Part::Whole),
        (path, "tables", Part::Lists("path_index")),
        (path, "tables", Part::Items("path_index")),
        (flow, "flow_index", Part::Whole),
        (flow, "tables", Part::Items("flow_index")),
        (Kind::Seek, "targets", Part::Whole),
        (Kind::Wander, "memory", Part::Whole),
        (Kind::Wander, "clock", Part::FirstWord),
    ] {
        for axes in [2, 3] {
            let cases = situations_of(axes, &[kind], 60);
            let red = cases.iter().any(|case| {
                let expected = reference::step(&case.scene, &case.state);
                engine.load(&case.scene, &case.state).unwrap();
                // Every word moves by one place; a single word is changed.
                let mut words = engine.read_buffer(buffer).unwrap();
                let part = part.of(case, &engine, words.len());
                if part.is_empty() {
                    return false;
                }
                words[part.clone()].rotate_right(4);
                words[part.start] ^= u8::from(part.len() == 4);
                engine.write_buffer(buffer, &words).unwrap();
                // Pass by pass: a step would overwrite the clock.
                TICK.iter().for_each(|pass| engine.run_pass(pass.name).unwrap());
                compare(&case.scene, &expected, &engine.read_back().unwrap(), GPU).is_err()
            });
            assert!(red, "{axes} axes: a poisoned `{buffer}` ({part:?}) makes no difference");
        }
    }
}

#[test]
fn a_count_that_does_not_fit_names_the_limit() {
    let Some(gpu) = adapter::gpu() else { return };
    let limits = gpu.device.limits();
    let engine = GpuEngine::new(gpu);
    let keeps = common::parsed(
        "[species.a]\nrules.clock = { state.s = \"s + 1\", force = \"0.1 * velocity\" }\n",
    )
    .0;
    let scenes = [2, 3].map(|axes| situation_in(axes, &[Kind::Seek], 0).scene);
    for scene in scenes.into_iter().chain([keeps]) {
        let (largest, _) = buffers::largest_count(&limits, MotionLayout::of_scene(&scene));
        engine.check_count(&scene, largest).unwrap();
        let message = engine.check_count(&scene, largest + 1).unwrap_err().to_string();
        let (most, count) = (format!("{largest} at most"), format!("{} agents", largest + 1));
        for part in [most.as_str(), "lower --count", count.as_str()] {
            assert!(message.contains(part), "{message:?} does not say {part:?}");
        }
    }
}
