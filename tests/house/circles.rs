//! No circles of imports inside a crate: files that use one another are one file, or lack a third.

use std::collections::BTreeMap;
use std::path::Path;

use super::rules::{imports, module, root, sources};

/// A module and the modules that its file names.
type Imports = BTreeMap<Vec<String>, Vec<Vec<String>>>;

/// The files that each file names. A folder's `mod.rs` and the files below it may name each other.
fn named(files: &[(Vec<String>, String)]) -> Imports {
    let below = |one: &[String], other: &[String]| one.starts_with(other) || other.starts_with(one);
    let file = |path: &[String]| {
        let owners = files.iter().map(|(module, _)| module).filter(|own| path.starts_with(own));
        owners.max_by_key(|own| own.len()).cloned()
    };
    let targets = |own: &Vec<String>, text: &str| {
        let found = imports(own, text).into_iter().filter_map(|path| file(&path));
        found.filter(|other| !below(own, other)).collect()
    };
    files.iter().map(|(own, text)| (own.clone(), targets(own, text))).collect()
}

/// The files that can be reached from each other: the strongly connected components with several of them.
fn circles(all: &Imports) -> Vec<Vec<String>> {
    let reached = |from: &Vec<String>| {
        let (mut found, mut next) = (Vec::new(), vec![from]);
        while let Some(one) = next.pop() {
            let new = all[one].iter().filter(|other| !found.contains(other));
            let new: Vec<_> = new.collect();
            found.extend(&new);
            next.extend(new);
        }
        found
    };
    let from: BTreeMap<_, _> = all.keys().map(|file| (file, reached(file))).collect();
    let circle = |file: &Vec<String>| {
        let back = from[file].iter().filter(|other| from[*other].contains(&file));
        let mut names: Vec<String> = back.map(|other| other.join("::")).collect();
        names.sort();
        names.dedup();
        names
    };
    let mut circles: Vec<_> = all.keys().map(circle).filter(|names| !names.is_empty()).collect();
    circles.sort();
    circles.dedup();
    circles
}

fn files(folder: &Path) -> Vec<(Vec<String>, String)> {
    let tests = |path: &Path| path.to_str().unwrap().ends_with("tests.rs");
    let files = sources(folder).into_iter().filter(|(path, _)| !tests(path));
    files.map(|(path, text)| (module(&path), text)).collect()
}

#[test]
fn no_imports_run_in_a_circle() {
    for room in ["model", "engine", "view", "session", "app", "commands"] {
        let circles = circles(&named(&files(&root("src").join(room))));
        assert!(circles.is_empty(), "src/{room}: {circles:#?}");
    }
}

#[test]
fn a_circle_is_found() {
    let file =
        |name: &str, text: &str| (name.split("::").map(str::to_owned).collect(), text.to_owned());
    let mut files = vec![
        file("commands", "mod a;\npub use a::A;"),
        file("commands::a", "use super::b::B;\nuse super::Common;"),
        file("commands::b", "use super::{a::A, c::C};"),
        file("commands::c", "use crate::commands::d::D;"),
        file("commands::d", "#[cfg(test)]\nmod tests {\n    use super::super::c::C;\n}"),
    ];
    assert_eq!(circles(&named(&files)), [["commands::a", "commands::b"]]);
    files[2].1.clear();
    assert_eq!(circles(&named(&files)), [[""; 0]; 0]);
    files[4].1 = "fn of(a: &super::c::C) {}".into();
    assert_eq!(circles(&named(&files)), [["commands::c", "commands::d"]]);
}
