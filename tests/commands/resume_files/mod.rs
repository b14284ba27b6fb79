//! A run that goes on from an `.npz` file gives the bytes of a run that never stopped: in every scene, on
//! both engines, with no option but `--init`.

mod space;

use crate::adapter;
use std::path::{Path, PathBuf};

use crate::archives::{self, Entries, entries};
use crate::common::gpu::{share, shipped};
use crate::shell::{Folder, done};
use crate::state_files::Line;
use clap::Parser;
use flockwork::commands::files::state_files::StateWriter;
use flockwork::commands::host::errors::UsageError;
use flockwork::commands::host::options::Prepared;
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::model::scene::built_in;
use flockwork::model::state::FlockState;
use flockwork::model::vector::flat;
use zip::CompressionMethod;

/// Ticks before the stop and after it.
const BEFORE: u32 = 30;
const AFTER: u32 = 30;

/// Bytes of the header of each of our arrays.
const HEADER: usize = 128;

fn try_prepare(options: &str) -> anyhow::Result<Prepared> {
    let words = ["flockwork"].into_iter().chain(options.split_whitespace());
    Line::try_parse_from(words)?.flock.prepare(None)
}

fn prepare(options: &str) -> Prepared {
    try_prepare(options).unwrap_or_else(|error| panic!("{options}: {error:#}"))
}

/// Does as `simulate` does with these options: the first state and the last go to NAME.npz.
fn simulate(engine: &mut dyn Engine, options: &str, ticks: u32, folder: &Path, name: &str) {
    let prepared = prepare(options);
    engine.load(&prepared.scene, &prepared.state).unwrap();
    let mut writer = StateWriter::create(&folder.join(format!("{name}.npz"))).unwrap();
    writer.describe(prepared.record()).unwrap();
    for ticks in [0, ticks] {
        engine.step(ticks).unwrap();
        let snapshot = engine.snapshot().unwrap();
        writer.write(&snapshot.state, &snapshot.targets).unwrap();
    }
    writer.finish().unwrap();
}

/// The entries of a file of two ticks; of those with values for each tick only the second half.
fn end_of(path: &Path) -> Entries {
    let mut entries = entries(path);
    for (name, bytes) in &mut entries {
        if name.ends_with(".npy") && name != "flow.npy" {
            bytes.drain(..HEADER);
            bytes.drain(..bytes.len() / 2);
        }
        assert!(!bytes.is_empty(), "{name}");
    }
    entries
}

/// Fails where the ends of two runs differ in a byte.
fn assert_same_end(folder: &Path, one: &str, other: &str, what: &str) {
    let end = |name: &str| end_of(&folder.join(format!("{name}.npz")));
    let (first, second) = (end(one), end(other));
    assert!(first.keys().eq(second.keys()) && first.len() >= 6, "{what}: {:?}", second.keys());
    for (name, bytes) in &first {
        assert!(second[name] == *bytes, "{what}: {name} differs");
    }
}

/// Every built-in scene, some with more options, and two scenes that are files, which are removed
/// before a run goes on.
fn starts(folder: &Path) -> Vec<String> {
    let every = |name: &str| format!("--scene {name} --count 150 --seed 5");
    let mut starts: Vec<String> = built_in().map(|scene| every(scene.name)).collect();
    starts.push("--count 200 --density 7.3 --set starling.separation.weight=2".into());
    starts.push("--scene woods --set seed=8 --count 90".into());
    // Each at the count that it is written for, with targets, obstacles, paths and memory.
    starts.push("--scene seek".into());
    starts.push("--scene fish --seed 4294967295".into());
    let mixed = std::fs::read_to_string("tests/common/mixed.toml").unwrap();
    std::fs::write(folder.join("mixed.toml"), mixed).unwrap();
    for boundary in ["wrap", "walls", "open"] {
        let mixed = folder.join("mixed.toml");
        let set = format!("--set world.boundary={boundary}");
        starts.push(format!("--scene {} --count 300 {set}", mixed.display()));
    }
    let cells: String = (0..6).map(|cell| format!("{},{}\n", cell as f32 * 0.1, 1e-3)).collect();
    std::fs::write(folder.join("wind.csv"), format!("x,y\n{cells}")).unwrap();
    let wind = "flow = { kind = \"file\", file = \"wind.csv\", grid = [3, 2] }\n[species.a]\n\
                [species.a.follow_flow]\n[species.a.wander]\n";
    std::fs::write(folder.join("wind.toml"), wind).unwrap();
    starts.push(format!("--scene {}", folder.join("wind.toml").display()));
    starts
}

/// Runs a flock for all ticks, and for half of them.
fn whole_and_half(engine: &mut dyn Engine, start: &str, folder: &Path) {
    simulate(engine, start, BEFORE + AFTER, folder, "whole");
    simulate(engine, start, BEFORE, folder, "half");
}

fn init(folder: &Path, file: &str) -> String {
    format!("--init {}", folder.join(file).display())
}

/// A folder of scenes, and one for results.
fn folders() -> (Folder, Folder) {
    (Folder::empty(), Folder::empty())
}

/// A scene with its files out of the way.
fn away(scenes: &Path) -> PathBuf {
    let away = scenes.with_extension("away");
    std::fs::rename(scenes, &away).unwrap();
    away
}

#[test]
fn a_file_from_the_cpu_goes_on_with_any_number_of_threads() {
    let (scenes, folder) = &folders();
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let all = [starts(scenes), space::starts(scenes)].concat();
    for (turn, start) in all.iter().enumerate() {
        whole_and_half(&mut engine, start, folder);
        let moved = away(scenes);
        let mut other = CpuEngine::new(Some(1 + turn % 2 * 2)).unwrap();
        simulate(&mut other, &init(folder, "half.npz"), AFTER, folder, "resumed");
        assert_same_end(folder, "whole", "resumed", start);
        std::fs::rename(moved, scenes).unwrap();
    }
}

#[test]
fn a_file_from_the_gpu_goes_on_there_and_on_the_cpu() {
    let Some(gpu) = adapter::gpu() else { return };
    let (scenes, folder) = &folders();
    let mut engine = shipped(&gpu);
    let mut on_cpu = CpuEngine::new(None).unwrap();
    let all = [space::starts(scenes), starts(scenes)].concat();
    let options = init(folder, "half.npz");
    // Files of the CPU engine have all scenes, and a software driver, which compiles each for a second, has its
    // bits: every third will do.
    let every = if gpu.is_software() { 3 } else { 1 };
    for start in all.iter().step_by(every * share()) {
        whole_and_half(&mut engine, start, folder);
        simulate(&mut engine, &options, AFTER, folder, "resumed");
        assert_same_end(folder, "whole", "resumed", start);
        // A GPU may round otherwise than the CPU does.
        if gpu.is_software() {
            simulate(&mut on_cpu, &options, AFTER, folder, "resumed");
            assert_same_end(folder, "whole", "resumed", &format!("{start}, from gpu to cpu"));
            simulate(&mut on_cpu, start, BEFORE, folder, "half");
            simulate(&mut engine, &options, AFTER, folder, "resumed");
            assert_same_end(folder, "whole", "resumed", &format!("{start}, from cpu to gpu"));
        }
    }
}

/// How many of these scenes end otherwise when `change` has changed the file at the stop. It says
/// whether there was something to change.
fn changed_by(starts: &[String], change: impl Fn(&mut Entries) -> bool) -> usize {
    let folder = &Folder::empty();
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let mut changed = |start: &&String| {
        whole_and_half(&mut engine, start, folder);
        let mut half = entries(&folder.join("half.npz"));
        if !change(&mut half) {
            return false;
        }
        archives::write(&folder.join("changed.npz"), &half, CompressionMethod::default());
        simulate(&mut engine, &init(folder, "changed.npz"), AFTER, folder, "resumed");
        let motion = |name: &str| {
            let mut end = end_of(&folder.join(format!("{name}.npz")));
            ["position.npy", "velocity.npy"].map(|array| end.remove(array))
        };
        motion("whole") != motion("resumed")
    };
    starts.iter().filter(&mut changed).count()
}

/// The numbers of an array at the second of two ticks; none if the file lacks the array.
fn last<'a>(entries: &'a mut Entries, array: &str) -> &'a mut [u8] {
    let Some(bytes) = entries.get_mut(array) else { return &mut [] };
    let bytes = &mut bytes[HEADER..];
    let half = bytes.len() / 2;
    &mut bytes[half..]
}

/// Removes what agents remember.
fn forget(entries: &mut Entries) -> bool {
    let memory = ["angle.npy", "neighbours.npy", "shown.npy"];
    memory.iter().filter(|name| entries.remove(**name).is_some()).count() > 0
}

/// A control: the tests above test each part of a file, for without it some scene goes on otherwise.
#[test]
fn every_part_of_a_file_is_needed_by_some_scene() {
    let scenes = &Folder::empty();
    let starts = starts(scenes);
    let is_wanderer = |start: &&String| start.contains("wander");
    let wanderers: Vec<String> = starts.iter().filter(is_wanderer).cloned().collect();
    assert_eq!(changed_by(&wanderers, forget), wanderers.len());
    let forgetful = changed_by(&starts, forget);
    assert!(forgetful >= 5, "{forgetful}");
    // Targets: back where they began.
    let led_back = changed_by(&starts, |entries| {
        for array in ["target_position.npy", "target_velocity.npy", "target_hits.npy"] {
            let Some(bytes) = entries.get_mut(array) else { return false };
            let half = HEADER + (bytes.len() - HEADER) / 2;
            bytes.copy_within(HEADER..half, half);
        }
        true
    });
    assert!(led_back >= 3, "{led_back}");
    // The tick: one later.
    let late = changed_by(&starts, |entries| {
        let ticks = last(entries, "tick.npy");
        ticks.chunks_exact_mut(8).for_each(|tick| tick[0] += 1);
        true
    });
    assert!(late >= 3, "{late}");
    // The scene: another seed.
    let seeded = changed_by(&starts, |entries| {
        let text = String::from_utf8(entries.remove("run.toml").unwrap()).unwrap();
        let other = text.replace("\nseed = 5\n", "\nseed = 6\n");
        let there = other != text;
        entries.insert("run.toml".into(), other.into_bytes());
        there
    });
    assert!(seeded >= 5, "{seeded}");
    // The flow field's file: other signs.
    let calm = changed_by(&starts, |entries| {
        let Some(bytes) = entries.get_mut("flow.npy") else { return false };
        bytes[HEADER..].chunks_exact_mut(4).for_each(|number| number[3] ^= 0x80);
        true
    });
    assert_eq!(calm, 1);
}

#[test]
fn options_beside_a_file_change_what_they_name_and_nothing_else() {
    let folder = &Folder::empty();
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let mixed = "--scene tests/common/mixed.toml --seed 5 --set world.density=20 --count 700";
    simulate(&mut engine, mixed, BEFORE, folder, "half");
    let first = prepare(mixed);
    let options = init(folder, "half.npz");
    let with = |more: &str| prepare(&format!("{options} {more}"));
    let plain = with("");
    assert_eq!((plain.scene.seed, plain.state.tick, plain.state.len()), (5, 30, 700));
    assert_eq!((&plain.scene.name, plain.record()), (&first.scene.name, first.record()));
    assert_eq!(plain.scene.world, first.scene.world);
    assert!((plain.scene.world.size.x - 400.0).abs() > 50.0, "{:?}", plain.scene.world);
    let moved = |prepared: &Prepared| prepared.scene.targets[2].position;
    assert_ne!(moved(&plain), moved(&first));

    // A key: the rest stays, in this run and in what it writes.
    let other = with("--set sparrow.mass=3");
    assert_eq!((other.scene.species[1].body.mass, other.scene.seed), (3.0, 5));
    assert_eq!((&other.scene.targets, &other.state), (&plain.scene.targets, &plain.state));
    let written = plain.record().scene.replacen("mass = 2.0", "mass = 2", 1);
    assert_eq!(other.record().scene.replacen("mass = 3", "mass = 2", 1), written);
    // A target that is set anew begins there. The others are where they were.
    let other = with("--set targets.1.velocity=[0.5,0]");
    assert_eq!(other.scene.targets[2].velocity, flat(0.5, 0.0));
    assert_eq!(moved(&other), moved(&first));
    assert_eq!(other.scene.targets[1], plain.scene.targets[1]);
    // Other random numbers from here on.
    let other = with("--seed 6");
    assert_eq!((other.scene.seed, other.record().count), (6, 700));
    assert_eq!((&other.scene.targets, &other.state), (&plain.scene.targets, &plain.state));
    assert!(other.record().scene.contains("\nseed = 6\n"));
    // A larger world round the same flock.
    let other = with("--density 5");
    assert!(other.scene.world.size.x > plain.scene.world.size.x);
    assert_eq!((other.record().density, &other.state), (Some(5.0), &plain.state));
    // Another scene is all of it: nothing but the agents is from the file.
    let other = with("--scene tests/common/mixed.toml --density 1");
    let anew = prepare("--scene tests/common/mixed.toml --density 1 --count 700");
    assert_eq!((other.scene.seed, other.record()), (1, anew.record()));
    assert_eq!(other.scene.targets, anew.scene.targets);
    assert_eq!(other.state, plain.state);
    with("--count 700");
    for (more, wrong, usage) in [
        ("--count 699", "has 700 agents", true),
        ("--set sparrow.count=9", "has 700 agents; leave it out", true),
        ("--set sparrow.mas=3", "mass", true),
        ("--density 2000", "leave out --density and --set", false),
    ] {
        let result = try_prepare(&format!("{options} {more}"));
        let Err(error) = result else { panic!("{more} is taken") };
        let message = format!("{error:#}");
        assert!(message.contains(wrong), "{message}");
        assert_eq!(error.is::<UsageError>(), usage, "{message}");
    }
}

#[test]
fn a_file_that_does_not_fit_its_own_record_is_to_be_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.npz");
    let told = |edit: fn(&mut FlockState)| {
        let mut prepared = prepare("--count 20");
        edit(&mut prepared.state);
        let mut writer = StateWriter::create(&path).unwrap();
        writer.describe(prepared.record()).unwrap();
        writer.write(&prepared.state, &prepared.scene.targets).unwrap();
        writer.finish().unwrap();
        format!("{:#}", try_prepare(&init(folder.path(), "broken.npz")).unwrap_err())
    };
    let outside = told(|state| state.position[3] = flat(1e6, 0.0));
    assert!(outside.contains("; write the file again, or set the size with"), "{outside}");
    let unknown = told(|state| state.species[3] = 7);
    assert!(unknown.ends_with("numbered from 0; write the file again"), "{unknown}");
}

/// Three species of which the last has no agent.
const THREE: &str = "[species.a]\ncount = 10\nmax_speed = 1\n[species.b]\ncount = 5\nmax_speed = 2\n\
                     [species.c]\ncount = 0\nmax_speed = 3\n";

#[test]
fn agents_stay_in_their_species_when_its_number_changes() {
    let folder = &Folder::empty();
    let mut engine = CpuEngine::new(Some(1)).unwrap();
    let scene = |name: &str, text: &str| {
        folder.write(name, text);
        format!("--scene {}", folder.join(name).display())
    };
    let three = scene("three.toml", THREE);
    simulate(&mut engine, &three, 1, folder, "three");
    // The a's are gone: the b's have the number 0.
    simulate(&mut engine, &format!("{three} --set a.count=0"), 1, folder, "two");
    let options = init(folder, "two.npz");
    assert_eq!(prepare(&options).state.species, [1; 5]);
    let two = prepare(&format!("{options} --set a=none"));
    assert_eq!((two.state.species, two.scene.species[0].name.as_str()), (vec![0; 5], "b"));

    let options = init(folder, "three.npz");
    let all = prepare(&options).state.species;
    assert_eq!(all, [vec![0; 10], vec![1; 5]].concat());
    assert_eq!(prepare(&format!("{options} --set c=none")).state.species, all);
    let error = format!("{:#}", try_prepare(&format!("{options} --set a=none")).unwrap_err());
    let told = "is of species `a`, which scene `";
    assert!(error.contains(told) && error.contains("leave out --set"), "{error}");

    // Another scene has the same species in another order, or others.
    let rest = THREE.split_once("[species.b]").unwrap();
    let turned = scene("turned.toml", &format!("[species.b]{}{}", rest.1, rest.0));
    let swapped = prepare(&format!("{options} {turned}")).state.species;
    assert_eq!(swapped, [vec![2; 10], vec![0; 5]].concat());
    let others = scene("others.toml", "[species.b]\n[species.x]\n");
    assert_eq!(prepare(&format!("{options} {others}")).state.species, all);
}

#[test]
fn numbers_for_colours_stay_what_they_are() {
    let folder = &Folder::empty();
    let mut engine = CpuEngine::new(Some(1)).unwrap();
    let text = "[species.a]\ncount = 0\n[species.b]\ncount = 5\ncolour = \"age\"\n\
                [species.c]\ncount = 5\ncolour = \"acceleration\"\n[species.c.wander]\n";
    folder.write("three.toml", text);
    let three = format!("--scene {}", folder.join("three.toml").display());
    simulate(&mut engine, &three, BEFORE, folder, "three");
    let options = init(folder, "three.npz");
    let shown = |more: &str| -> Vec<u32> {
        let Prepared { scene, state, .. } = prepare(&format!("{options} {more}"));
        scene.memory_of(&state).iter().map(|memory| memory.shown()).collect()
    };
    let all = shown("");
    assert!(all[..5].iter().all(|age| *age > 0) && all[5..].iter().all(|share| *share > 0));
    assert_eq!(shown("--set a=none"), all, "another species goes");
    // Another colour shows other numbers, in the scene of the file and in one with its name.
    let expected = [&all[..5], &[0; 5]].concat();
    assert_eq!(shown("--set c.colour=age"), expected);
    assert_eq!(shown(&format!("{three} --set c.colour=age")), expected);
}

#[test]
fn a_number_that_an_option_brings_to_a_species_begins_with_its_first_value() {
    let folder = &Folder::empty();
    let text = "[species.a]\ncount = 2\nrules.r = { force = \"zero\", state.f = \"8\" }\n[species.b]\ncount = 1\n";
    folder.write("kept.toml", text);
    let mut engine = CpuEngine::new(Some(1)).unwrap();
    let scene = format!("--scene {}", folder.join("kept.toml").display());
    simulate(&mut engine, &scene, 1, folder, "kept");
    let rule =
        "--set b.rules.r.force=zero --set b.rules.r.state.f.next=f --set b.rules.r.state.f.start=5";
    for (more, last) in [("", 0.0), (rule, 5.0)] {
        let Prepared { scene, state, .. } =
            prepare(&format!("{} {more}", init(folder, "kept.npz")));
        let kept: Vec<f32> = scene.kept_of(&state).iter().map(|row| row[0]).collect();
        assert_eq!(kept, [8.0, 8.0, last], "{more}");
    }
}

#[test]
fn a_species_that_is_added_to_a_file_leaves_its_world() {
    let folder = &Folder::empty();
    let mut engine = CpuEngine::new(Some(1)).unwrap();
    simulate(&mut engine, "--scene flock", 1, folder, "flock");
    let with = |more: &str| prepare(&format!("{} {more}", init(folder, "flock.npz")));
    let plain = with("");
    for more in ["--set species.gnat={}", "--set starling.count=120"] {
        let other = with(more);
        assert_eq!((other.scene.world, other.state), (plain.scene.world, plain.state.clone()));
    }
    assert_eq!(with("--set species.gnat={}").scene.species[1].count, 0);
    assert_eq!(with("--set world.size=[900,800]").scene.world.size, flat(900.0, 800.0));
}

/// All commands go on from a file alike, and need nothing else.
#[test]
fn every_command_goes_on_from_a_file() {
    let folder = Folder::empty();
    // Without a display `run` draws a picture.
    let program = |line: &str| done(&folder, &format!("{line} --engine cpu"));
    let picture = |name: &str| crate::png_file::open(&folder.join(name));
    let flock = "--scene wander --count 60 --seed 9 --set vehicle.max_speed=1.5";
    program(&format!("simulate {flock} --ticks 20 --every 5 --out half.npz"));
    program(&format!("simulate {flock} --ticks 40 --every 20 --out whole.csv"));
    program("simulate --init half.npz --ticks 20 --out end.csv");
    let (whole, end) = (folder.text("whole.csv"), folder.text("end.csv"));
    // The ticks 0, 20 and 40 of one, and 20 and 40 of the other.
    let later = |line: &&str| !line.starts_with("0,");
    let whole: Vec<&str> = whole.lines().filter(later).collect();
    assert!(whole.len() > 120 && whole == end.lines().collect::<Vec<_>>());
    // Only the second one began with a file.
    let record = folder.text("end.run.toml").replace("from = \"half.npz\"\n", "");
    assert!(record != folder.text("end.run.toml") && record == folder.text("whole.run.toml"));
    let size = "--size 320x180";
    program(&format!("capture {flock} --ticks 40 --out whole.png {size}"));
    program(&format!("capture --init half.npz --ticks 20 --out end.png {size}"));
    assert!(picture("whole.png") == picture("end.png"), "other pictures");
    program(&format!("run {flock} --frames 40 {size}"));
    let whole = picture("flockwork.png");
    program(&format!("run --init half.npz --frames 20 {size}"));
    assert!(picture("flockwork.png") == whole, "another picture");
    program(&format!("run --init half.npz --frames 19 {size}"));
    assert!(picture("flockwork.png") != whole, "all pictures are the same");
}
