//! Level 0: the rules of the house, read from the sources. Needs no GPU.

use std::fs;
use std::path::{Path, PathBuf};

use flockwork::model::behaviours::Kind;

/// The layers, lowest first: each uses only itself and those before it.
const LAYERS: [&str; 5] = ["model", "engine", "view", "app", "commands"];

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// Code lines, without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.starts_with("//"))
}

/// Lines of `text` that break `layer`'s rule by naming a layer above it.
fn upward_imports<'a>(layer: &str, text: &'a str) -> Vec<&'a str> {
    let rank = LAYERS.iter().position(|l| *l == layer).unwrap();
    let above = &LAYERS[rank + 1..];
    let names = |line: &str| above.iter().any(|l| line.contains(&format!("crate::{l}")));
    code(text).filter(|line| names(line)).collect()
}

#[test]
fn layers_point_downwards() {
    for layer in LAYERS {
        for (path, text) in sources(&root("src").join(layer)) {
            let wrong = upward_imports(layer, &text);
            assert!(wrong.is_empty(), "{} points upwards: {wrong:?}", path.display());
        }
    }
}

#[test]
fn an_upward_import_is_found() {
    assert_eq!(upward_imports("model", "use crate::engine::Engine;").len(), 1);
    assert_eq!(upward_imports("engine", "use crate::model::grid::Grid;").len(), 0);
}

#[test]
fn each_library_stays_in_its_room() {
    // What, and the only folders and files in which it may be named.
    let rooms: [(&str, &[&str]); 3] = [
        ("wgpu::", &["src/engine/gpu", "src/view/gpu", "src/app", "src/commands/adapters.rs"]),
        ("winit::", &["src/app"]),
        ("std::fs", &["src/commands"]),
    ];
    for (path, text) in sources(&root("src")) {
        for (library, allowed) in rooms {
            let at_home = allowed.iter().any(|room| path.starts_with(root(room)));
            let named = code(&text).any(|line| line.contains(library));
            assert!(at_home || !named, "{library} is named in {}", path.display());
        }
    }
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
