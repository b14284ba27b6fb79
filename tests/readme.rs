//! The README and the page on scenes are complete: they describe every key, option, figure and
//! pass. Needs no GPU.
//!
//! The tables of keys are between two markers in `docs/scenes.md` and must equal the declarations
//! word for word. `UPDATE_README=1 cargo test --release --test readme` writes them.

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
use flockwork::model::parameter::{Meaning, NO_TARGET, Parameter, Parameters};
use flockwork::model::scene::keys::{Key, SECTIONS, short};
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

fn scenes_page() -> String {
    fs::read_to_string(root("docs/scenes.md")).unwrap()
}

fn row(parameter: &Parameter) -> String {
    let (low, high) = parameter.range;
    let quoted = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| format!("`\"{name}\"`")).collect()
    };
    let (default, values) = match parameter.meaning {
        Meaning::Number | Meaning::Angle | Meaning::FieldOfView => {
            (short(parameter.default), format!("{} to {}", short(low), short(high)))
        }
        Meaning::Choice(names) => {
            let names = quoted(names);
            (names[parameter.default as usize].clone(), names.join(", "))
        }
        Meaning::Target if parameter.default == NO_TARGET => {
            ("`\"none\"`".into(), "name of a target, `\"nearest\"`, `\"none\"`".into())
        }
        Meaning::Target => ("`\"nearest\"`".into(), "name of a target, `\"nearest\"`".into()),
        Meaning::Path => ("`\"nearest\"`".into(), "name of a path, `\"nearest\"`".into()),
        Meaning::SpeciesSet { own } => {
            let default = if own { "its own" } else { "`\"all\"`" };
            (default.into(), "names of species, `\"all\"`".into())
        }
    };
    let unit = match (parameter.meaning, parameter.unit) {
        (Meaning::Number | Meaning::Angle | Meaning::FieldOfView, unit) if !unit.is_empty() => unit,
        _ => "–",
    };
    format!("| `{}` | {default} | {unit} | {values} | {} |\n", parameter.key, parameter.doc.trim())
}

fn row_of_key(key: &Key) -> String {
    let or_dash = |text: &'static str| if text.is_empty() { "–" } else { text };
    let (default, unit) = (or_dash(key.default), or_dash(key.unit));
    format!("| `{}` | {default} | {unit} | {} | {} |\n", key.name, key.range(), key.doc.trim())
}

const HEAD: &str = "| key | default | unit | range | |\n|---|---|---|---|---|\n";

fn table(parameters: &[Parameter]) -> String {
    HEAD.to_string() + &parameters.iter().map(row).collect::<String>()
}

/// A doc comment as Markdown.
fn prose(lines: &[&str]) -> String {
    let text: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    text.join("\n")
}

/// The text between the markers.
fn reference() -> String {
    let mut text = String::new();
    for section in &SECTIONS {
        let table = if section.table.is_empty() { "The top" } else { section.table };
        let title = if table.starts_with('[') || table == "spawn" {
            format!("`{table}`")
        } else {
            table[..1].to_uppercase() + &table[1..]
        };
        write!(text, "### {title}\n\n{}\n\n{HEAD}", prose(section.about)).unwrap();
        text += &section.keys.iter().map(row_of_key).collect::<String>();
        text += "\n";
    }
    write!(text, "### The body\n\n{}\n\n", prose(Body::<f32>::ABOUT)).unwrap();
    text += &table(<Body as Parameters<f32>>::TABLE);
    for kind in Kind::ALL {
        let info = kind.info();
        write!(text, "\n### `{}`\n\n{}\n\n", info.key, prose(info.about)).unwrap();
        text += &table(info.parameters);
    }
    text
}

#[test]
fn the_tables_of_keys_equal_the_declarations() {
    let text = scenes_page();
    let (before, rest) = text.split_once(BEGIN).expect("the marker of the tables is missing");
    let (tables, after) = rest.split_once(END).expect("the end of the tables is missing");
    let expected = reference();
    if std::env::var("UPDATE_README").is_ok_and(|value| value == "1") {
        fs::write(root("docs/scenes.md"), [before, BEGIN, &expected, END, after].concat()).unwrap();
        return;
    }
    let fresh: Vec<&str> = expected.lines().filter(|line| !tables.contains(line)).collect();
    assert!(
        tables == expected,
        "the tables of docs/scenes.md are not those of the sources; lines that are missing: \
         {fresh:#?}. UPDATE_README=1 cargo test --release --test readme writes them"
    );
}

/// A value of the wrong kind must be refused with the name of the key: this shows that the parser
/// reads what is declared.
#[test]
fn the_parser_knows_every_declared_key() {
    for section in &SECTIONS {
        for key in section.keys {
            let text = match section.table {
                "" => format!("{} = [[[]]]\n[species.a]\n", key.name),
                "[species.NAME]" => format!("[species.a]\n{} = [[[]]]\n", key.name),
                "spawn" => format!("[species.a.spawn]\n{} = [[[]]]\n", key.name),
                "a number that varies" => format!("[species.a]\nmass.{} = [[[]]]\n", key.name),
                table => format!("{table}\n{} = [[[]]]\n[species.a]\n", key.name),
            };
            let text = text.replace("species = [[[]]]\n[species.a]\n", "species = [[[]]]\n");
            let error = Scene::parse("test", &text, &[]).err().map(|error| error.to_string());
            let error = error.unwrap_or_else(|| panic!("no error in\n{text}"));
            assert!(error.contains(key.name) && !error.contains("unknown key"), "{error}\n{text}");
        }
    }
}

#[test]
fn every_name_that_a_user_may_write_or_read_is_documented() {
    let text = readme() + &scenes_page();
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
fn every_option_is_documented() {
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

/// The table of the window's keys and the list in `flockwork help run` name the same keys.
#[test]
fn the_help_lists_the_keys_of_the_window() {
    let text = readme();
    let (_, table) = text.split_once("| key or mouse | does |\n|---|---|\n").unwrap();
    let rows = table.lines().map_while(|line| line.strip_prefix("| "));
    let keys: Vec<&str> = rows.filter_map(|row| Some(row.split_once(" | ")?.0)).collect();
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_flockwork"));
    let help = { program }.args(["help", "run"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, list) = help.split_once("In the window:\n").unwrap();
    let listed = list.lines().map_while(|line| line.strip_prefix("  "));
    // The key's name ends where the second column begins. Continuation lines have no name.
    let names = listed.filter(|line| !line.starts_with(' '));
    let names = names.map(|line| line.split("  ").next().unwrap_or(line));
    assert_eq!(names.collect::<Vec<_>>(), keys);
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
fn the_gallery_shows_every_scene() {
    let text = fs::read_to_string(root("docs/gallery.md")).unwrap();
    let script = fs::read_to_string(root("docs/pictures.sh")).unwrap();
    for scene in built_in() {
        let name = scene.name;
        let section = format!("### {name}\n\n![{name}](gallery/{name}.png)\n\n");
        assert!(text.contains(&section), "docs/gallery.md does not show the scene {name}");
        assert!(script.contains(&format!("\n{name} ")), "docs/pictures.sh does not draw {name}");
        let size = fs::metadata(root(&format!("docs/gallery/{name}.png"))).unwrap().len();
        assert!((500..400_000).contains(&size), "docs/gallery/{name}.png has {size} bytes");
    }
}

#[test]
fn its_scenes_can_be_run() {
    let text = readme() + &scenes_page();
    let scenes = text.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let mut found = 0;
    for (scene, _) in scenes {
        Scene::parse("README.md", scene, &[]).unwrap_or_else(|error| panic!("{error}"));
        found += 1;
    }
    assert!(found > 0, "README.md shows no scene");
}
