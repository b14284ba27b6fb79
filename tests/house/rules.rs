//! Level 0: the rules of the house, read from the sources. Needs no GPU.

use std::fs;
use std::path::{Path, PathBuf};

use flockwork::model::behaviours::Kind;

/// The layers that are crates. The compiler sees to it that none uses one above it.
const CRATES: [&str; 6] = ["model", "engine", "mpi", "view", "session", "app"];

/// The parts of the model, lowest first. Each uses only itself and the parts before it.
const MODEL: [&str; 21] = [
    "quote",
    "named",
    "parallel",
    "toml_words",
    "real",
    "random",
    "vector",
    "kept",
    "plane",
    "space",
    "world",
    "grid",
    "parameter",
    "formula",
    "memory",
    "state",
    "scenery",
    "behaviours",
    "scene",
    "statistics",
    "io",
];

pub fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The files with these endings in a folder and below it, or the file itself.
pub fn files(path: &Path, endings: &[&str]) -> Vec<(PathBuf, String)> {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        return entries.flat_map(|path| files(&path, endings)).collect();
    }
    let read = path.extension().is_some_and(|e| endings.iter().any(|own| e == *own));
    let text = || (path.to_path_buf(), fs::read_to_string(path).unwrap());
    read.then(text).into_iter().collect()
}

pub fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    files(folder, &["rs"])
}

/// Code lines, without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.starts_with("//"))
}

/// The code of a file without its module of tests, which may use anything.
fn shipped(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    code(text).collect::<Vec<_>>().join("\n")
}

/// The module of a file below `src`: `["model", "scene", "parse"]`.
pub fn module(path: &Path) -> Vec<String> {
    let path = path.strip_prefix(root("src")).unwrap().with_extension("");
    let names = path.iter().map(|name| name.to_str().unwrap().to_string());
    names.filter(|name| name != "mod" && name != "lib").collect()
}

/// The paths of a `use` tree: `a::{b, c::{d, e}}` is `a::b`, `a::c::d` and `a::c::e`.
fn leaves(tree: &str) -> Vec<String> {
    let Some(open) = tree.find('{') else { return vec![tree.trim().to_string()] };
    let (stem, rest) = (tree[..open].trim(), &tree[open + 1..tree.rfind('}').unwrap()]);
    let (mut depth, mut begin, mut parts) = (0, 0, Vec::new());
    for (at, letter) in rest.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => parts.push(&rest[std::mem::replace(&mut begin, at + 1)..at]),
            _ => {}
        }
    }
    parts.push(&rest[begin..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(leaves).map(|leaf| format!("{stem}{leaf}")).collect()
}

/// The full paths of all modules of this crate that the code of `module` names: in imports, single
/// or grouped, and in expressions.
pub fn imports(module: &[String], text: &str) -> Vec<Vec<String>> {
    let text = shipped(text);
    let mut paths = Vec::new();
    for (at, _) in text.match_indices("use ") {
        // Only at the start of a statement, not within a string.
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        let statement = line.is_empty() || line == "pub " || line.starts_with("pub(");
        if let Some((tree, _)) = text[at + 4..].split_once(';').filter(|_| statement) {
            paths.extend(leaves(tree));
        }
    }
    let letter = |c: char| c.is_alphanumeric() || "_:".contains(c);
    for start in ["crate::", "super::"] {
        for (at, _) in text.match_indices(start) {
            paths.push(text[at..].chars().take_while(|c| letter(*c)).collect());
        }
    }
    let resolved = paths.iter().filter_map(|path| {
        let names: Vec<&str> = path.split("::").collect();
        match names.iter().take_while(|name| **name == "super").count() {
            0 if names[0] != "crate" => None,
            0 => {
                let layer = module.first().filter(|layer| CRATES.contains(&layer.as_str()));
                let inside = names[1..].iter().map(ToString::to_string);
                Some(layer.cloned().into_iter().chain(inside).collect())
            }
            up => {
                let above = module.iter().take(module.len().saturating_sub(up)).cloned();
                Some(above.chain(names[up..].iter().map(ToString::to_string)).collect())
            }
        }
    });
    resolved.collect()
}

/// The modules that `module` names although they come later in `order`. `order` lists the parts of
/// the tree under `room`, lowest first.
fn upward(room: &[&str], order: &[&str], module: &[String], text: &str) -> Vec<String> {
    let rank = |path: &[String]| {
        let inside = path.len() > room.len() && room.iter().zip(path).all(|(a, b)| a == b);
        inside.then(|| order.iter().position(|part| *part == path[room.len()])).flatten()
    };
    let Some(own) = rank(module) else { return Vec::new() };
    let above = imports(module, text).into_iter().filter(|path| rank(path) > Some(own));
    above.map(|path| path.join("::")).collect()
}

#[test]
fn the_parts_of_the_model_point_downwards() {
    for (path, text) in sources(&root("src/model")) {
        let wrong = upward(&["model"], &MODEL, &module(&path), &text);
        assert!(wrong.is_empty(), "{} points upwards: {wrong:?}", path.display());
    }
    let known = |entry: &fs::DirEntry| {
        let name = entry.path().file_stem().unwrap().to_str().unwrap().to_string();
        ["lib", "Cargo"].contains(&name.as_str()) || MODEL.contains(&name.as_str())
    };
    let parts = fs::read_dir(root("src/model")).unwrap().map(Result::unwrap);
    let strangers: Vec<_> = parts.filter(|entry| !known(entry)).collect();
    assert!(strangers.is_empty(), "no place in the order of the model: {strangers:?}");
}

#[test]
fn an_upward_import_is_found_however_it_is_written() {
    let scenery = ["model", "scenery", "paths"].map(String::from);
    for text in [
        "use crate::scene::Scene;",
        "use super::super::scene::Scene;",
        "use crate::{\n    vector::{Point, Vector},\n    scene::Scene,\n};",
        "pub(crate) use crate::{scene};",
        "fn of(scene: &crate::scene::Scene) {}",
        "fn of(scene: &super::super::scene::Scene) {}",
    ] {
        let wrong = upward(&["model"], &MODEL, &scenery, text);
        assert!(!wrong.is_empty() && wrong[0].starts_with("model::scene"), "{text}: {wrong:?}");
    }
    for text in [
        "use crate::{vector::Point, world::World};",
        "use super::lists::CellLists;",
        "// use crate::scene::Scene;",
        "#[cfg(test)]\nmod tests {\n    use crate::scene::Scene;\n}",
    ] {
        assert_eq!(upward(&["model"], &MODEL, &scenery, text), [""; 0], "{text}");
    }
}

/// A behaviour declares its needs itself, so no other code asks which behaviour it is. Exceptions:
/// the code that draws its geometry, and the behaviours with a separate loop in the CPU engine.
#[test]
fn only_a_behaviour_its_picture_and_its_tests_name_it() {
    let at_home = ["src/model/behaviours", "src/view/shapes/geometry", "src/engine/cpu/steer.rs"];
    let names: Vec<String> = Kind::ALL.iter().map(|kind| format!("Kind::{kind:?}")).collect();
    let named = |text: &str| -> Vec<String> {
        let shipped = shipped(text);
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
        let is_there = |name: &&String| {
            shipped.match_indices(name.as_str()).any(|(at, _)| ends(&shipped[at + name.len()..]))
        };
        names.iter().filter(is_there).cloned().collect()
    };
    for (path, text) in sources(&root("src")) {
        let room = |room: &&str| path.starts_with(root(room));
        if at_home.iter().any(room) || path.ends_with("tests.rs") {
            continue;
        }
        let named = named(&text);
        assert!(named.is_empty(), "{} names {named:?}", path.display());
    }
    assert_eq!(named("let has = has(Kind::FollowPath);"), ["Kind::FollowPath"]);
}

#[test]
fn each_library_stays_in_its_room() {
    // A library, and the only folders and files that may name it.
    let rooms: [(&str, &[&str]); 4] = [
        ("wgpu::", &["src/engine/gpu", "src/view/gpu", "src/app", "src/commands/adapters.rs"]),
        ("winit::", &["src/app"]),
        ("std::fs", &["src/commands", "src/input.rs", "src/scene_file.rs"]),
        (" mpi::", &["src/mpi"]),
    ];
    for (path, text) in sources(&root("src")) {
        for (library, allowed) in rooms {
            let at_home = allowed.iter().any(|room| path.starts_with(root(room)));
            let named = code(&text).any(|line| line.contains(library));
            assert!(at_home || !named, "{library} is named in {}", path.display());
        }
    }
}

/// The layers are public for tests and benchmarks alone. Examples show that the interface is enough.
#[test]
fn examples_use_the_interface_alone() {
    let layers = |text: &str| {
        let names = ["model", "engine", "view", "session", "app", "commands"];
        names.iter().any(|name| {
            ["flockwork::", "flockwork_"].iter().any(|root| text.contains(&format!("{root}{name}")))
        })
    };
    let mut texts = sources(&root("examples"));
    texts.push((root("README.md"), fs::read_to_string(root("README.md")).unwrap()));
    assert!(texts.len() > 5);
    for (path, text) in texts {
        assert!(!layers(&text), "{} uses a layer", path.display());
    }
    assert!(layers("use flockwork::model::scene::Scene;") && layers("flockwork_engine::Engine"));
    assert!(!layers("use flockwork::{Scene, scene::Obstacle};"));
}

/// `println!` and its relatives panic if nobody reads: `src/commands/host/messages.rs` prints everything.
#[test]
fn nothing_prints_with_a_macro_that_panics() {
    let prints =
        |text: &str| shipped(text).contains("print!(") || shipped(text).contains("println!(");
    for (path, text) in sources(&root("src")) {
        let tests = path.to_str().unwrap().ends_with("tests.rs");
        assert!(tests || !prints(&text), "{} prints without messages.rs", path.display());
    }
    assert!(prints("fn f() {\n    eprintln!(\"a\");\n}") && prints("print!(\"a\")"));
    assert!(!prints("// println!(\n#[cfg(test)]\nmod tests {\n    println!(\"a\");\n}"));
}

/// `cargo test` with fewer features leaves out the tests that need more.
#[test]
fn a_test_says_which_features_it_needs() {
    let manifest: toml::Table = fs::read_to_string(root("Cargo.toml")).unwrap().parse().unwrap();
    let said = |name: &str| -> Vec<String> {
        let tests = manifest["test"].as_array().unwrap();
        let found = tests.iter().find(|test| test["name"].as_str() == Some(name));
        let features = found.and_then(|test| test.get("required-features")?.as_array());
        features.into_iter().flatten().map(|name| name.as_str().unwrap().to_string()).collect()
    };
    let mut needy = 0;
    for entry in fs::read_dir(root("tests")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let main = if path.is_dir() { path.join("main.rs") } else { path.clone() };
        // Folders without a program are shared by others.
        if !main.exists() {
            continue;
        }
        let mut own = if path.is_dir() { sources(&path) } else { Vec::new() };
        // This file quotes the others.
        own.retain(|(path, _)| !path.ends_with("house/rules.rs"));
        let main = fs::read_to_string(main).unwrap();
        let shared = code(&main).filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        let rooms = shared.map(|room| root("tests").join(room)).filter(|room| room.is_dir());
        let shared = rooms.flat_map(|room| sources(&room));
        let text: String = own.into_iter().chain(shared).map(|(_, text)| text).collect();
        let text = main.clone() + &text;
        let said = said(&name);
        for (part, feature, brought_by) in [
            ("flockwork::load_scene", "io", &["cli"][..]),
            ("flockwork::engine::gpu", "gpu", &["view", "app", "cli"]),
            ("flockwork::view", "view", &["app", "cli"]),
            ("flockwork::app", "app", &[]),
            ("flockwork::commands", "cli", &[]),
            ("CARGO_BIN_EXE", "app", &[]),
            ("CARGO_BIN_EXE", "cli", &[]),
        ] {
            let there = said.iter().any(|s| s == feature || brought_by.contains(&s.as_str()));
            let needed = text.contains(part);
            assert!(!needed || there, "{name} needs the feature {feature}: required-features");
            needy += u32::from(needed);
        }
    }
    assert!(needy >= 15, "{needy}");
}

#[test]
fn every_behaviour_has_both_halves() {
    for kind in Kind::ALL {
        let key = kind.info().key;
        for half in
            [format!("src/model/behaviours/{key}.rs"), format!("shaders/behaviours/{key}.wgsl")]
        {
            assert!(root(&half).exists(), "{half} is missing");
        }
    }
    let shaders = fs::read_dir(root("shaders/behaviours")).unwrap().count();
    assert_eq!(shaders, Kind::ALL.len(), "a shader without a line in the registry");
}

#[test]
fn every_parameter_is_documented_and_within_its_range() {
    for kind in Kind::ALL {
        let info = kind.info();
        assert!(!info.about.is_empty());
        for parameter in info.parameters {
            let name = format!("{}.{}", info.key, parameter.key);
            assert!(parameter.doc.len() > 10, "{name} is not documented");
            let (low, high) = parameter.range;
            assert!((low..=high).contains(&parameter.default), "{name}: default out of range");
        }
    }
}

/// A name that many rooms share says little in a list of open files.
#[test]
fn few_files_share_a_name() {
    let names = sources(&root("src"))
        .into_iter()
        .map(|(path, _)| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let mut count = std::collections::BTreeMap::<String, usize>::new();
    names.for_each(|name| *count.entry(name).or_default() += 1);
    assert!(count["mod"] > 30, "the control: they are counted");
    let usual = ["mod", "lib", "tests", "error"];
    count.retain(|name, files| *files > 2 && !usual.contains(&name.as_str()));
    assert!(count.is_empty(), "say in the name what each has of its own: {count:?}");
}
