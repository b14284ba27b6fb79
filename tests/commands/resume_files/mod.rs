//! A run that goes on from a state file gives the bytes of a run that never stopped: in every scene, on
//! both engines, from CSV and from NPZ, with no option but `--init`.

mod space;

use crate::adapter;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::gpu::{share, shipped};
use crate::older_files::as_comments;
use clap::Parser;
use flockwork::commands::options::{FlockArgs, Prepared};
use flockwork::commands::state_file::StateWriter;
use flockwork::commands::usage::UsageError;
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::model::behaviours::Uses;
use flockwork::model::scene::built_in;
use flockwork::model::vector::flat;
use tempfile::TempDir;

/// Ticks before the stop and after it.
const BEFORE: u32 = 30;
const AFTER: u32 = 30;

/// The ends of the names of files.
const FORMATS: [&str; 2] = ["csv", "npz"];

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    flock: FlockArgs,
}

fn try_prepare(options: &str) -> anyhow::Result<Prepared> {
    let words = ["flockwork"].into_iter().chain(options.split_whitespace());
    Line::try_parse_from(words)?.flock.prepare(None)
}

fn prepare(options: &str) -> Prepared {
    try_prepare(options).unwrap_or_else(|error| panic!("{options}: {error:#}"))
}

/// Runs `simulate` with these options: the first state and the last go to NAME.csv and NAME.npz.
fn simulate(engine: &mut dyn Engine, options: &str, ticks: u32, folder: &Path, name: &str) {
    let prepared = prepare(options);
    engine.load(&prepared.scene, &prepared.state).unwrap();
    let mut writers = FORMATS.map(|format| {
        let mut writer = StateWriter::create(&folder.join(format!("{name}.{format}"))).unwrap();
        writer.describe(prepared.record()).unwrap();
        writer
    });
    for ticks in [0, ticks] {
        engine.step(ticks).unwrap();
        let snapshot = engine.snapshot().unwrap();
        for writer in &mut writers {
            writer.write(&snapshot.state, &snapshot.targets).unwrap();
        }
    }
    for writer in writers {
        writer.finish().unwrap();
    }
}

/// The lines of a CSV file, in the form of older files, without the lines of the first of its two ticks.
fn end_of_csv(text: &str, tick: u32) -> Vec<&str> {
    let (row, target) = (format!("{tick},"), format!("#target,{tick},"));
    let wanted = |line: &&str| {
        let of_a_tick =
            line.starts_with(|c: char| c.is_ascii_digit()) || line.starts_with("#target,");
        !of_a_tick || line.starts_with(&row) || line.starts_with(&target)
    };
    text.lines().filter(wanted).collect()
}

/// The entries of an NPZ file; of those with values for each tick only what belongs to the second of
/// two.
fn end_of_npz(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut entries = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let (name, mut bytes) = (file.name().unwrap().into_owned(), Vec::new());
        file.read_to_end(&mut bytes).unwrap();
        if name.ends_with(".npy") && name != "flow.npy" {
            // The headers of all our arrays are as long.
            bytes.drain(..128);
            bytes.drain(..bytes.len() / 2);
        }
        assert!(!bytes.is_empty(), "{name}");
        entries.insert(name, bytes);
    }
    entries
}

/// Fails where the ends of two runs differ in a byte.
fn assert_same_end(folder: &Path, one: &str, other: &str, what: &str) {
    let text = |name: &str| {
        as_comments(&std::fs::read_to_string(folder.join(format!("{name}.csv"))).unwrap())
    };
    let (first, second) = (text(one), text(other));
    let tick = BEFORE + AFTER;
    let (first, second) = (end_of_csv(&first, tick), end_of_csv(&second, tick));
    assert!(first.iter().any(|line| line.starts_with("60,")), "{what}: no rows");
    let differ = first.iter().zip(&second).find(|(first, second)| first != second);
    assert_eq!(differ, None, "{what}");
    assert_eq!(first.len(), second.len(), "{what}");
    let entries = |name: &str| end_of_npz(&folder.join(format!("{name}.npz")));
    let (first, second) = (entries(one), entries(other));
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
fn folders() -> (TempDir, TempDir) {
    (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap())
}

/// A scene with its files out of the way.
fn away(scenes: &Path) -> PathBuf {
    let away = scenes.with_extension("away");
    std::fs::rename(scenes, &away).unwrap();
    away
}

#[test]
fn a_file_from_the_cpu_goes_on_with_any_number_of_threads() {
    let (scenes, results) = folders();
    let folder = results.path();
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let all = [starts(scenes.path()), space::starts(scenes.path())].concat();
    for (turn, start) in all.iter().enumerate() {
        whole_and_half(&mut engine, start, folder);
        let in_plane = prepare(start).scene.world.is_flat();
        let moved = away(scenes.path());
        let half = std::fs::read_to_string(folder.join("half.csv")).unwrap();
        std::fs::write(folder.join("older.csv"), as_comments(&half)).unwrap();
        // Older files have no spaces.
        let files =
            ["half.csv", "half.npz", "older.csv"].into_iter().take(2 + usize::from(in_plane));
        for (file, threads) in files.zip([1 + turn % 2 * 2, 2, 2]) {
            let mut other = CpuEngine::new(Some(threads)).unwrap();
            simulate(&mut other, &init(folder, file), AFTER, folder, "resumed");
            assert_same_end(folder, "whole", "resumed", &format!("{start}, {file}"));
        }
        std::fs::rename(moved, scenes.path()).unwrap();
    }
}

#[test]
fn a_file_from_the_gpu_goes_on_there_and_on_the_cpu() {
    let Some(gpu) = adapter::gpu("a_file_from_the_gpu_goes_on") else { return };
    let (scenes, results) = folders();
    let folder = results.path();
    let mut engine = shipped(&gpu);
    let mut on_cpu = CpuEngine::new(None).unwrap();
    let all = [space::starts(scenes.path()), starts(scenes.path())].concat();
    for (turn, start) in all.iter().enumerate().step_by(share()) {
        whole_and_half(&mut engine, start, folder);
        for format in FORMATS {
            let options = init(folder, &format!("half.{format}"));
            simulate(&mut engine, &options, AFTER, folder, "resumed");
            assert_same_end(folder, "whole", "resumed", &format!("{start}, {format}"));
        }
        // A GPU may round otherwise than the CPU does.
        if gpu.is_software() {
            let options = init(folder, &format!("half.{}", FORMATS[turn % 2]));
            simulate(&mut on_cpu, &options, AFTER, folder, "resumed");
            assert_same_end(folder, "whole", "resumed", &format!("{start}, from gpu to cpu"));
            simulate(&mut on_cpu, start, BEFORE, folder, "half");
            simulate(&mut engine, &options, AFTER, folder, "resumed");
            assert_same_end(folder, "whole", "resumed", &format!("{start}, from cpu to gpu"));
        }
    }
}

/// The scenes whose runs end otherwise when something is changed in the file at the stop. The file
/// that is changed has the form of older files.
fn changed_by(change: impl Fn(&str, &str) -> Option<String>) -> Vec<String> {
    let (scenes, results) = folders();
    let folder = results.path();
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let mut changed = Vec::new();
    // Older files have no spaces; `space` has a test for them.
    let in_plane = |start: &String| prepare(start).scene.world.is_flat();
    for start in starts(scenes.path()).into_iter().filter(in_plane) {
        whole_and_half(&mut engine, &start, folder);
        let half = as_comments(&std::fs::read_to_string(folder.join("half.csv")).unwrap());
        let Some(half) = change(&half, &start) else { continue };
        std::fs::write(folder.join("changed.csv"), half).unwrap();
        simulate(&mut engine, &init(folder, "changed.csv"), AFTER, folder, "resumed");
        let end = |name: &str| {
            let text = std::fs::read_to_string(folder.join(format!("{name}.csv"))).unwrap();
            let text = as_comments(&text);
            let last = text.lines().last().unwrap().split_once(',').unwrap().0.parse().unwrap();
            // Without the tick, and without what agents remember.
            let lines = end_of_csv(&text, last).into_iter().filter(|line| !line.starts_with('#'));
            let rows =
                lines.map(|line| line.split(',').skip(1).take(6).collect::<Vec<_>>().join(","));
            rows.collect::<Vec<_>>()
        };
        if end("whole") != end("resumed") {
            changed.push(start);
        }
    }
    changed
}

/// A control: the tests above test each part of a file, for without it some scene goes on otherwise.
#[test]
fn every_part_of_a_file_is_needed_by_some_scene() {
    let lines = |text: &str, change: &dyn Fn(&str) -> String| -> String {
        text.lines().map(|line| change(line) + "\n").collect()
    };
    let is_row = |line: &str| !line.starts_with('#');
    // The agents' memory.
    let forgetful = changed_by(|text, start| {
        let seven = |line: &str| line.split(',').take(7).collect::<Vec<_>>().join(",");
        let angle = prepare(start).scene.uses().has(Uses::MEMORY);
        let remembered = [",angle,neighbours\n", ",angle,shown\n"];
        assert_eq!(angle, remembered.iter().any(|columns| text.contains(columns)), "{start}");
        angle.then(|| lines(text, &|line| if is_row(line) { seven(line) } else { line.into() }))
    });
    assert!(forgetful.iter().any(|start| start.contains("wander")), "{forgetful:?}");
    assert!(forgetful.len() >= 5, "{forgetful:?}");
    // Targets: back where they began.
    let led_back = changed_by(|text, _| {
        let first = text.lines().filter(|line| line.starts_with("#target,0,"));
        let mut first = first.map(|line| line.replacen(",0,", &format!(",{BEFORE},"), 1));
        let last = format!("#target,{BEFORE},");
        let mut back = String::new();
        for line in text.lines() {
            let line = if line.starts_with(&last) { first.next().unwrap() } else { line.into() };
            back += &(line + "\n");
        }
        (back != text).then_some(back)
    });
    assert!(led_back.len() >= 3, "{led_back:?}");
    // The tick: one later.
    let late = changed_by(|text, _| {
        let (now, then) = (BEFORE, BEFORE + 1);
        Some(lines(text, &|line| {
            let row = line.strip_prefix(&format!("{now},")).map(|rest| format!("{then},{rest}"));
            let of_target = format!("#target,{now},");
            let target = line.strip_prefix(&of_target).map(|rest| format!("#target,{then},{rest}"));
            row.or(target).unwrap_or(line.into())
        }))
    });
    assert!(late.len() >= 3, "{late:?}");
    // The scene, without --seed.
    let seeded = changed_by(|text, _| {
        let other = text.replace("\n# seed = 5\n", "\n# seed = 6\n");
        (other != text).then_some(other)
    });
    assert!(seeded.len() >= 5, "{seeded:?}");
    // The flow field's file.
    let calm = changed_by(|text, _| {
        let other = text.replace("#flow,0.1,", "#flow,-0.1,");
        (other != text).then_some(other)
    });
    assert_eq!(calm.len(), 1, "{calm:?}");
}

#[test]
fn options_beside_a_file_change_what_they_name_and_nothing_else() {
    let results = tempfile::tempdir().unwrap();
    let folder = results.path();
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let mixed = "--scene tests/common/mixed.toml --seed 5 --set world.density=20 --count 700";
    simulate(&mut engine, mixed, BEFORE, folder, "half");
    let first = prepare(mixed);
    for format in FORMATS {
        let options = init(folder, &format!("half.{format}"));
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
}

/// All commands go on from a file alike, and need nothing else.
#[test]
fn every_command_goes_on_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let program = |line: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_flockwork"));
        // Without a display `run` draws a picture.
        program.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        let words = line.split_whitespace().chain(["--engine", "cpu"]);
        let output = program.current_dir(folder.path()).args(words).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{line}: {message}");
    };
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let picture = |name: &str| crate::png_file::open(&folder.path().join(name));
    let flock = "--scene wander --count 60 --seed 9 --set vehicle.max_speed=1.5";
    for format in ["csv", "npz"] {
        program(&format!("simulate {flock} --ticks 20 --every 5 --out half.{format}"));
        program(&format!("simulate {flock} --ticks 40 --every 20 --out whole.csv"));
        program(&format!("simulate --init half.{format} --ticks 20 --out end.csv"));
        let lines = |name: &str| as_comments(&String::from_utf8(read(name)).unwrap());
        let (whole, end) = (lines("whole.csv"), lines("end.csv"));
        // The ticks 0, 20 and 40 of one, and 20 and 40 of the other.
        let later = |line: &&str| !line.starts_with("0,") && !line.starts_with("#target,0,");
        let whole: Vec<&str> = whole.lines().filter(later).collect();
        // Only the second one began with a file.
        let from = format!("# from = \"half.{format}\"");
        let (from, end): (Vec<&str>, Vec<&str>) = end.lines().partition(|line| *line == from);
        assert!(from.len() == 1 && whole.len() > 120 && whole == end);
        let size = "--size 320x180";
        program(&format!("capture {flock} --ticks 40 --out whole.png {size}"));
        program(&format!("capture --init half.{format} --ticks 20 --out end.png {size}"));
        assert!(picture("whole.png") == picture("end.png"), "other pictures from {format}");
        program(&format!("run {flock} --frames 40 {size}"));
        let whole = picture("flockwork.png");
        program(&format!("run --init half.{format} --frames 20 {size}"));
        assert!(picture("flockwork.png") == whole, "another picture from {format}");
        program(&format!("run --init half.{format} --frames 19 {size}"));
        assert!(picture("flockwork.png") != whole, "all pictures are the same");
    }
}
