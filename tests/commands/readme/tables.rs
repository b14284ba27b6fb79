//! The tables of keys, generated from the declarations; and a test that the parser reads all of
//! them.

use std::fmt::Write;

use flockwork::model::behaviours::Kind;
use flockwork::model::parameter::{Meaning, NO_TARGET, Parameter, Parameters};
use flockwork::model::scene::keys::{Key, SECTIONS, short};
use flockwork::model::scene::{Body, Scene};
use flockwork::model::statistics::{Metric, Metrics};

const BEGIN: &str = "<!-- keys: written by tests/commands/readme -->\n";
const END: &str = "<!-- /keys -->\n";

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
        Meaning::Nearest => ("`\"all\"`".into(), format!("1 to {high}, `\"all\"`")),
        Meaning::SpeciesSet { own } => {
            let default = if own { "its own" } else { "`\"all\"`" };
            (default.into(), "names of species, `\"all\"`".into())
        }
    };
    let unit = match (parameter.meaning, parameter.unit) {
        (Meaning::Number | Meaning::Angle | Meaning::FieldOfView | Meaning::Nearest, unit)
            if !unit.is_empty() =>
        {
            unit
        }
        _ => "–",
    };
    let (key, doc) = (parameter.key, parameter.doc.trim());
    let pick = match parameter.meaning {
        Meaning::Nearest => {
            "| `pick` | `\"all\"` | – | `\"all\"`, `\"one\"` | With `\"one\"` one of its neighbours counts, drawn in each tick. |\n"
        }
        _ => "",
    };
    format!("| `{key}` | {default} | {unit} | {values} | {doc} |\n{pick}")
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

/// The tables of `docs/scenes.md`.
fn keys_of_scenes() -> String {
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
    text
}

/// The tables of `docs/behaviours.md`.
fn keys_of_behaviours() -> String {
    let mut text = format!("## The body\n\n{}\n\n", prose(Body::<f32>::ABOUT));
    text += &table(<Body as Parameters<f32>>::TABLE);
    for kind in Kind::ALL {
        let info = kind.info();
        write!(text, "\n## `{}`\n\n{}\n\n", info.key, prose(info.about)).unwrap();
        text += &table(info.parameters);
    }
    text
}

/// The table of metrics in `docs/formats.md`.
fn metrics() -> String {
    let row = |metric: &Metric| {
        let about = prose(metric.about).replace('\n', " ");
        format!("| `{}` | {} | {} | {about} |\n", metric.name, metric.formula, metric.unit)
    };
    let usual: String = Metrics::TABLE.iter().map(|column| row(&column.metric)).collect();
    let more: String = Metrics::MORE.iter().map(row).collect();
    let head = "| column | formula | unit | |\n|---|---|---|---|\n";
    format!("{head}{usual}\nBy name alone, with `--metric`:\n\n{head}{more}")
}

/// A page with the tables of the declarations between the markers, and their number.
pub fn with_tables(path: &str, text: &str) -> (String, usize) {
    let tables = match path {
        "docs/scenes.md" => keys_of_scenes(),
        "docs/behaviours.md" => keys_of_behaviours(),
        "docs/formats.md" => metrics(),
        _ => return (text.into(), 0),
    };
    let (before, rest) = text.split_once(BEGIN).expect("the marker of the tables is missing");
    let (_, after) = rest.split_once(END).expect("the end of the tables is missing");
    ([before, BEGIN, &tables, END, after].concat(), 1)
}

/// A value of the wrong kind must be refused with the name of the key, which proves that the parser
/// reads the key.
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
            let error = Scene::parse("test", &text).err().map(|error| error.to_string());
            let error = error.unwrap_or_else(|| panic!("no error in\n{text}"));
            assert!(error.contains(key.name) && !error.contains("unknown key"), "{error}\n{text}");
        }
    }
}
