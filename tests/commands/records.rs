//! The record of a run in each of its files: it tells what ran on what, and it makes the same flock again.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use toml::Table;

use crate::adapter;
use crate::archives::entries;
use crate::shell::{self, Folder};

/// A name that a text format must escape, and a tab.
const SCENE: &str = "Schw\u{e4}rme \"im\"\tWald.toml";

const TEXT: &str = "about = \"Eins \\\"\\\"\\\" zwei\\u0007\\\\\"
[world]
density = 8
[[paths]]
name = \"Stra\u{df}e\"
points = [[10, 10], [600, 300]]
[species.\"M\u{f6}we \\\"x\\\"\"]
count = 60
[species.\"M\u{f6}we \\\"x\\\"\".separation]
[species.\"M\u{f6}we \\\"x\\\"\".follow_path]
";

const SET: &str = "M\u{f6}we \"x\".separation.weight=2.25";

/// The options of a run that changes all that can be changed.
fn options() -> Vec<String> {
    let options = "--engine cpu --seed 9 --count 200 --density 12 --set world.density=6";
    let named = ["--scene", SCENE, "--set", SET];
    options.split(' ').chain(named).map(str::to_owned).collect()
}

/// A folder with the scene.
fn folder() -> Folder {
    Folder::with(SCENE, TEXT)
}

fn run(folder: &Path, command: &str, options: &[String]) {
    let output = shell::flockwork(folder, command).args(options).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The agents at ticks 0 and 3 of a run with these options.
fn flock(folder: &Path, options: &[String]) -> Vec<Vec<u8>> {
    run(folder, "simulate --ticks 3 --out flock.npz", options);
    let mut entries = entries(&folder.join("flock.npz"));
    ["tick", "id", "species", "position", "velocity"]
        .map(|array| entries.remove(&format!("{array}.npy")).unwrap())
        .to_vec()
}

/// The comment of a GIF.
fn gif_comment(bytes: &[u8]) -> Vec<u8> {
    let label = bytes.windows(2).position(|pair| pair == [0x21, 0xfe]).expect("no comment");
    let (mut rest, mut text) = (&bytes[label + 2..], Vec::new());
    while let [length, after @ ..] = rest
        && *length > 0
    {
        let (part, more) = after.split_at(usize::from(*length));
        text.extend(part);
        rest = more;
    }
    text
}

/// The record in a file, by the means of its format.
fn record(path: &Path) -> String {
    let bytes = || fs::read(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    match name.rsplit_once('.').unwrap().1 {
        "png" | "apng" => {
            let mut reader = png::Decoder::new(Cursor::new(bytes())).read_info().unwrap();
            // The comment of a film stands behind its frames.
            reader.finish().unwrap();
            let texts = &reader.info().uncompressed_latin1_text;
            texts.iter().find(|chunk| chunk.keyword == "Comment").unwrap().text.clone()
        }
        "gif" => String::from_utf8(gif_comment(&bytes())).unwrap(),
        "mp4" => {
            let probe = "-v error -show_entries format_tags=comment -of json";
            let output = Command::new("ffprobe").args(probe.split(' ')).arg(path).output().unwrap();
            let told: Value = serde_json::from_slice(&output.stdout).unwrap();
            told["format"]["tags"]["comment"].as_str().unwrap().into()
        }
        "npz" => String::from_utf8(entries(path)["run.toml"].clone()).unwrap(),
        "csv" => fs::read_to_string(path.with_extension("run.toml")).unwrap(),
        _ => fs::read_to_string(path).unwrap(),
    }
}

/// Runs all commands that write files; returns the paths of their records' files.
fn written(folder: &Path, options: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for out in ["states.csv", "states.npz"] {
        run(folder, &format!("simulate --ticks 3 --out {out}"), options);
        all.push(out.to_owned());
    }
    run(folder, "simulate --ticks 2 --metrics m.csv", options);
    all.push("m.run.toml".into());
    run(folder, "simulate --ticks 3 --checkpoint kept --every-checkpoint 2", options);
    all.push("kept/checkpoint-0000000003.npz".into());
    for out in ["a.png", "a.gif", "a.apng", "a.mp4", "pictures/"] {
        if out == "a.mp4" && flockwork::view::recorder::mp4::check().is_err() {
            eprintln!("skipped: ffmpeg is missing");
            continue;
        }
        run(folder, &format!("capture --ticks 1 --size 64x36 --out {out}"), options);
        all.push(out.to_owned());
    }
    all.pop();
    all.extend([0, 1].map(|frame| format!("pictures/frame_{frame:06}.png")));
    all
}

#[test]
fn every_file_of_a_run_has_the_record_that_makes_it_again() {
    let (folder, options) = (&folder(), options());
    let flocks = flock(folder, &options);
    let engine = |file: &str| vec!["--engine".into(), "cpu".into(), "--scene".into(), file.into()];
    for name in written(folder, &options) {
        let text = record(&folder.join(&name));
        assert!(text.is_ascii(), "{name}:\n{text}");
        let run: Table = text.parse().unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        let said = |key: &str| run[key].as_str().unwrap();
        assert_eq!(said("flockwork"), env!("CARGO_PKG_VERSION"), "{name}");
        assert_eq!((said("engine"), said("name")), ("cpu", SCENE), "{name}");
        assert!(!run.contains_key("adapter"), "{name}");
        assert_eq!(run["seed"].as_integer(), Some(9), "{name}");
        assert_eq!(run["overrides"], vec!["world.density=6", SET].into(), "{name}");
        let scene: Table = said("scene").parse().unwrap();
        assert_eq!(scene["about"].as_str().unwrap(), "Eins \"\"\" zwei\u{7}\\");

        // The record itself, and the scene in it with what the record says.
        folder.write("again.toml", &text);
        folder.write("scene.toml", said("scene"));
        assert!(flock(folder, &engine("again.toml")) == flocks, "{name}:\n{text}");
        let more = ["--seed", "9", "--count", "200", "--density", "12"].map(str::to_owned);
        assert!(flock(folder, &[engine("scene.toml"), more.to_vec()].concat()) == flocks, "{name}");
        // Another weight: another record, and another flock.
        let other = text.replace("weight = 2.25", "weight = 2.5");
        assert_ne!(other, text, "{name}");
        folder.write("other.toml", other);
        assert!(flock(folder, &engine("other.toml")) != flocks, "{name}");
    }
    // An override comes later than the record's own density, an option later than both.
    let denser = |number: &str| -> Vec<String> {
        options.iter().map(|one| if one == "12" { number } else { one }.to_owned()).collect()
    };
    let set = ["--set", "world.density=20"].map(str::to_owned).to_vec();
    let found = flock(folder, &[engine("again.toml"), set.clone()].concat());
    assert!(found == flock(folder, &denser("20")));
    let both = ["--density", "30"].map(str::to_owned).to_vec();
    let found = flock(folder, &[engine("again.toml"), set, both].concat());
    assert!(found == flock(folder, &denser("30")) && found != flocks);
    let mut heavier = options.clone();
    let last = heavier.last_mut().unwrap();
    *last = last.replace("2.25", "2.5");
    run(folder, "simulate --ticks 3 --out other.npz", &heavier);
    assert_ne!(record(&folder.join("other.npz")), record(&folder.join("states.npz")));
}

#[test]
fn a_count_that_is_set_comes_before_the_record_and_the_default() {
    let folder = Folder::empty();
    let agents = |options: &str| {
        let line = format!("simulate --engine cpu --ticks 0 --metrics m.csv {options}");
        shell::done(&folder, &line);
        shell::rows(&folder.join("m.csv"))[0]["agents"].clone()
    };
    let set = "--set starling.count=60";
    assert_eq!([agents(""), agents(set)], ["3000", "60"]);
    assert_eq!(agents(&format!("--count 70 {set}")), "70");
    assert_eq!(agents("--scene m.run.toml"), "70");
    assert_eq!(agents(&format!("--scene m.run.toml {set}")), "60");
}

#[test]
fn an_override_that_an_option_replaces_is_told() {
    let folder = Folder::empty();
    let told = |line: &str| {
        let line = format!("flockwork {line} --engine cpu --count 20 --ticks 30");
        shell::exits(&folder, 0, &line).replace("flockwork: ", "")
    };
    let simulate = "simulate --metrics m.csv";
    let seed = "--set seed has no effect beside --seed\n";
    assert_eq!(told(&format!("{simulate} --seed 3 --set seed=4")), seed);
    let density = "--set world.density has no effect beside --density\n";
    assert_eq!(told(&format!("{simulate} --density 3 --set world.density=20")), density);
    assert_eq!(told(&format!("{simulate} --seed 3 --set world.density=20")), "");
    let sweep = "sweep --out all --settle 0 --vary starling.size=1,2 --metric clusters";
    assert!(told(&format!("{sweep} --seed 3 --set seed=4")).contains(seed));
}

#[test]
fn the_json_of_bench_has_the_record_of_each_flock() {
    let folder = &folder();
    let named = ["--scene", SCENE, "--set", SET].map(str::to_owned);
    let line = "bench --engines cpu --ticks 2 --seed 9 --count 200 --density 12 --json a.json";
    run(folder, line, &named);
    let file: Value = serde_json::from_slice(&folder.bytes("a.json")).unwrap();
    let made = &file["reports"][0]["run"];
    assert_eq!(made["flockwork"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&made["seed"], &made["count"]), (&9.into(), &200.into()));
    assert_eq!(made["overrides"], Value::from(vec![SET]));
    folder.write("scene.toml", made["scene"].as_str().unwrap());
    let again = "--engine cpu --scene scene.toml --count 200 --density 12";
    let again: Vec<String> = again.split(' ').map(str::to_owned).collect();
    let first = ["--seed", "9", "--count", "200", "--density", "12", "--engine", "cpu"];
    let first = [&first.map(str::to_owned)[..], &named].concat();
    assert!(flock(folder, &again) == flock(folder, &first));
}

#[test]
fn a_run_that_goes_on_says_from_what_and_a_gpu_is_named() {
    let folder = &folder();
    run(folder, "simulate --ticks 2 --out half.npz", &options());
    let more = ["--init", "half.npz", "--engine", "cpu", "--set", "world.boundary=open"];
    run(folder, "simulate --ticks 1 --out end.csv", &more.map(str::to_owned));
    let picture = "env -u DISPLAY -u WAYLAND_DISPLAY flockwork run --init half.npz --engine cpu \
                   --set world.boundary=open --frames 1 --size 32x32";
    shell::exits(folder, 0, picture);
    for name in ["end.csv", "flockwork.png"] {
        let made: Table = record(&folder.join(name)).parse().unwrap();
        assert_eq!(made["from"].as_str(), Some("half.npz"));
        let sets = ["world.density=6", SET, "world.boundary=open"];
        assert_eq!(made["overrides"], sets.to_vec().into(), "{name}");
    }
    let again = "flockwork simulate --engine cpu --scene end.run.toml --ticks 1 --metrics m.csv";
    let told = shell::exits(folder, 0, again);
    let begins =
        "its run began with half.npz, this one with the scene; --init half.npz begins there";
    assert!(told.contains(begins) && told.lines().count() == 1, "{told}");
    assert_eq!(shell::exits(folder, 0, &again.replace("end", "m")), "");
    let Some(gpu) = adapter::gpu() else { return };
    let named = ["--adapter".to_owned(), gpu.info.name.clone()];
    run(folder, "simulate --engine gpu --count 9 --ticks 1 --metrics gpu.csv", &named);
    let made: Table = record(&folder.join("gpu.run.toml")).parse().unwrap();
    assert_eq!(made["engine"].as_str(), Some("gpu"));
    let adapter = made["adapter"].as_str().unwrap();
    assert!(adapter.contains(&gpu.info.name), "{adapter}");
    assert!(adapter.contains(&gpu.info.driver_info), "{adapter}");
}

#[test]
fn a_record_that_is_damaged_is_refused_with_its_place() {
    let folder = &folder();
    run(folder, "simulate --ticks 0 --metrics m.csv", &options());
    let whole = record(&folder.join("m.run.toml"));
    for (from, to, parts) in [
        ("count = 200", "count = \"many\"", &["a.toml", "line 3"][..]),
        ("version = 1", "version = 7", &["a.toml", "version 7"]),
        ("separation", "separatio", &["did you mean `separation`"]),
    ] {
        folder.write("a.toml", whole.replacen(from, to, 9));
        let line = "flockwork simulate --scene a.toml --engine cpu --ticks 1 --metrics b.csv";
        let told = shell::exits(folder, 1, line);
        assert!(parts.iter().all(|part| told.contains(part)), "{told}");
        assert!(!folder.join("b.run.toml").exists(), "the record of no run");
    }
}
