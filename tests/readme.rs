//! The README is complete: every key, option, figure and pass is in it. Needs no GPU.
//!
//! The tables of the behaviours and of the body stand between two markers and are compared word
//! for word with the declarations; `UPDATE_README=1 cargo test --release --test readme` writes
//! them.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use flockwork::commands::bench::BenchArgs;
use flockwork::commands::capture::CaptureArgs;
use flockwork::commands::run::RunArgs;
use flockwork::commands::simulate::SimulateArgs;
use flockwork::commands::state_file;
use flockwork::engine::gpu::pass::TICK;
use flockwork::model::behaviours::Kind;
use flockwork::model::parameter::{Meaning, Parameter, Parameters};
use flockwork::model::scene::{Body, ColourBy, Scene, SpawnPlace, built_in};
use flockwork::model::statistics;
use flockwork::model::world::Boundary;

const BEGIN: &str = "<!-- keys: written by tests/readme.rs -->\n";
const END: &str = "<!-- /keys -->\n";

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn readme() -> String {
    fs::read_to_string(root("README.md")).unwrap()
}

/// `0.05`, `1e18`: short, and TOML reads it.
fn number(value: f32) -> String {
    if value.abs() >= 1e5 { format!("{value:e}") } else { value.to_string() }
}

fn row(parameter: &Parameter) -> String {
    let (low, high) = parameter.range;
    let (default, values) = match parameter.meaning {
        Meaning::Number => {
            (number(parameter.default), format!("{} to {}", number(low), number(high)))
        }
        Meaning::Target => ("`\"nearest\"`".into(), "name of a target, `\"nearest\"`".into()),
        Meaning::SpeciesSet { own } => {
            let default = if own { "its own" } else { "`\"all\"`" };
            (default.into(), "names of species, `\"all\"`".into())
        }
    };
    let unit = match (parameter.meaning, parameter.unit) {
        (Meaning::Number, unit) if !unit.is_empty() => unit,
        _ => "–",
    };
    format!("| `{}` | {default} | {unit} | {values} | {} |\n", parameter.key, parameter.doc.trim())
}

fn table(parameters: &[Parameter]) -> String {
    let head = "| key | default | unit | range | |\n|---|---|---|---|---|\n";
    head.to_string() + &parameters.iter().map(row).collect::<String>()
}

/// A doc comment as Markdown: the links of rustdoc mean nothing here.
fn prose(lines: &[&str]) -> String {
    let text: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    text.join("\n")
}

/// What stands between the markers.
fn reference() -> String {
    let mut text = format!("#### The body\n\n{}\n\n", prose(Body::<f32>::ABOUT));
    text += &table(<Body as Parameters<f32>>::TABLE);
    for kind in Kind::ALL {
        let info = kind.info();
        write!(text, "\n#### `{}`\n\n{}\n\n", info.key, prose(info.about)).unwrap();
        text += &table(info.parameters);
    }
    text
}

#[test]
fn the_tables_of_keys_are_those_of_the_declarations() {
    let text = readme();
    let (before, rest) = text.split_once(BEGIN).expect("the marker of the tables is missing");
    let (tables, after) = rest.split_once(END).expect("the end of the tables is missing");
    let expected = reference();
    if std::env::var("UPDATE_README").is_ok_and(|value| value == "1") {
        fs::write(root("README.md"), [before, BEGIN, &expected, END, after].concat()).unwrap();
        return;
    }
    let fresh: Vec<&str> = expected.lines().filter(|line| !tables.contains(line)).collect();
    assert!(
        tables == expected,
        "the tables of README.md are not those of the sources; lines that are missing: \
         {fresh:#?}. UPDATE_README=1 cargo test --release --test readme writes them"
    );
}

/// The words in quotes between `from` and the next `to` of a source file, for every `from`.
fn quoted(source: &str, from: &str, to: &str) -> Vec<String> {
    let lists = source.split(from).skip(1).filter_map(|rest| rest.split_once(to));
    let words = lists.flat_map(|(list, _)| list.split('"').skip(1).step_by(2));
    words.map(str::to_owned).collect()
}

/// The keys that the parser of scenes knows by name.
fn keys_of_the_parser() -> Vec<String> {
    let source = fs::read_to_string(root("src/model/scene/parse.rs")).unwrap();
    let mut keys = quoted(&source, ".known(&[", "]");
    keys.extend(quoted(&source, "const KEYS: [&str; 6] = [", "]"));
    keys.extend(quoted(&source, "let mut known = vec![", "]"));
    keys
}

#[test]
fn the_parser_s_keys_are_found() {
    let keys = keys_of_the_parser();
    for key in ["about", "boundary", "position", "spawn_at_scale", "place"] {
        assert!(keys.iter().any(|found| found == key), "{key} is not among {keys:?}");
    }
}

#[test]
fn every_key_of_a_scene_has_its_row() {
    let text = readme();
    for key in keys_of_the_parser() {
        // Tables and lists of tables are told of under their TOML names.
        let rows = [format!("| `{key}` |"), format!("`[{key}]`"), format!("`[[{key}]]`")];
        let found = rows.iter().any(|row| text.contains(row)) || text.contains(&format!("[{key}."));
        assert!(found, "README.md does not tell of the scene key `{key}`");
    }
}

#[test]
fn every_name_that_a_user_may_write_or_read_is_told() {
    let text = readme();
    let mut names: Vec<&str> = Vec::new();
    names.extend(Boundary::NAMES.map(|(name, _)| name));
    names.extend(ColourBy::NAMES.map(|(name, _)| name));
    names.extend(SpawnPlace::NAMES.map(|(name, _)| name));
    names.extend(statistics::COLUMNS);
    names.extend(state_file::COLUMNS);
    names.extend(state_file::ARRAYS);
    names.extend(TICK.map(|pass| pass.name));
    for name in names {
        let told = text.contains(&format!("`{name}`")) || text.contains(&format!("`\"{name}\"`"));
        assert!(told, "README.md does not tell of `{name}`");
    }
    for scene in built_in() {
        assert!(text.contains(scene.name), "README.md does not tell of the scene {}", scene.name);
    }
}

#[test]
fn every_option_is_told() {
    let text = readme();
    let commands = [
        RunArgs::augment_args(Command::new("run")),
        CaptureArgs::augment_args(Command::new("capture")),
        SimulateArgs::augment_args(Command::new("simulate")),
        BenchArgs::augment_args(Command::new("bench")),
    ];
    for command in commands {
        for option in command.get_arguments().filter_map(|argument| argument.get_long()) {
            let name = command.get_name();
            assert!(text.contains(&format!("`--{option}")), "{name} --{option} is not told");
        }
    }
}

#[test]
fn its_pictures_are_there_and_small() {
    let text = readme();
    let links = text.split("](docs/").skip(1).filter_map(|rest| rest.split_once(')'));
    let mut found = 0;
    for (name, _) in links {
        let size = fs::metadata(root("docs").join(name)).unwrap().len();
        assert!(size < 1_500_000, "docs/{name} has {size} bytes");
        found += 1;
    }
    assert!(found > 0, "README.md shows no picture");
}

#[test]
fn its_scenes_can_be_run() {
    let text = readme();
    let scenes = text.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let mut found = 0;
    for (scene, _) in scenes {
        Scene::parse("README.md", scene, &[]).unwrap_or_else(|error| panic!("{error}"));
        found += 1;
    }
    assert!(found > 0, "README.md shows no scene");
}
