//! Every link of every page leads somewhere, and every path that a page names exists.

use std::fs;
use std::path::Path;

use super::{pages, root};

/// The lines of a page that are not code.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The targets of a page's links.
pub fn targets(text: &str) -> Vec<&str> {
    let links = words(text).flat_map(|line| line.split("](").skip(1));
    links.filter_map(|rest| Some(rest.split_once(')')?.0)).collect()
}

/// The anchors of the headings of a page, as on GitHub.
fn anchors(text: &str) -> Vec<String> {
    let titles = words(text).filter(|line| line.starts_with('#'));
    let letter = |c: char| c.is_alphanumeric() || "-_ ".contains(c);
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        title.chars().filter(|c| letter(*c)).collect::<String>().replace(' ', "-")
    };
    titles.map(anchor).collect()
}

/// The broken links of a page: those to a missing file, or to a missing heading.
fn dead_links(path: &str, text: &str) -> Vec<String> {
    let folder = Path::new(path).parent().unwrap();
    let is_dead = |link: &&&str| {
        if link.contains("://") {
            return false;
        }
        let (file, anchor) = link.split_once('#').map_or((**link, None), |(f, a)| (f, Some(a)));
        let file = if file.is_empty() { root(path) } else { root("").join(folder).join(file) };
        let Ok(text) = fs::read(&file) else { return !file.is_dir() };
        anchor.is_some_and(|a| !anchors(&String::from_utf8_lossy(&text)).iter().any(|b| a == b))
    };
    targets(text).iter().filter(is_dead).map(|link| format!("{path}: {link}")).collect()
}

/// The files that readers of the page on a new behaviour create.
const YET_TO_BE_WRITTEN: [&str; 2] =
    ["src/model/behaviours/drag.rs", "shaders/behaviours/drag.wgsl"];

/// The folders whose files pages and comments name.
const TOPS: [&str; 8] =
    ["src/", "shaders/", "scenes/", "tests/", "benches/", "examples/", "docs/", ".ci/"];

/// True for the path of a folder or file that does not exist.
fn is_missing(name: &&str) -> bool {
    // A name with a placeholder means several.
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-".contains(c);
    TOPS.iter().any(|top| name.starts_with(top))
        && name.chars().all(plain)
        && !YET_TO_BE_WRITTEN.contains(name)
        && !root(name).exists()
}

/// The folders and files that a page names in backticks but that do not exist.
fn missing_paths(path: &str, text: &str) -> Vec<String> {
    let code = words(text).flat_map(|line| line.split('`').skip(1).step_by(2));
    code.filter(is_missing).map(|name| format!("{path}: {name}")).collect()
}

/// The files that the comments of a source file name but that do not exist.
fn missing_in_comments(path: &str, text: &str) -> Vec<String> {
    let comments = text.lines().filter_map(|line| Some(line.split_once("//")?.1));
    let ends = |c: char| c.is_whitespace() || "`()[],;:\"".contains(c);
    let words = comments.flat_map(|comment| comment.split(ends));
    let files = words.map(|word| word.trim_end_matches('.'));
    let files = files.filter(|word| word.ends_with(".rs") || word.ends_with(".wgsl"));
    files.filter(is_missing).map(|name| format!("{path}: {name}")).collect()
}

/// The path and text of every file below a folder of the source.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| {
        if path.is_dir() {
            return sources(&path);
        }
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        vec![(path.display().to_string(), text)]
    });
    files.collect()
}

#[test]
fn every_file_that_a_comment_names_is_there() {
    let mut files = 0;
    for folder in ["src", "shaders", "benches", "examples"] {
        for (path, text) in sources(&root(folder)) {
            assert_eq!(missing_in_comments(&path, &text), [""; 0]);
            files += 1;
        }
    }
    assert!(files > 200, "only {files} files");
    // The control.
    let found = missing_in_comments("x", "let a = 1; // See src/view/style.rs.\n// As src/lib.rs.");
    assert_eq!(found, ["x: src/view/style.rs"]);
}

#[test]
fn every_link_leads_somewhere_and_every_path_is_there() {
    let mut links = 0;
    for (path, text) in pages() {
        assert_eq!(dead_links(&path, &text), [""; 0]);
        assert_eq!(missing_paths(&path, &text), [""; 0]);
        links += targets(&text).len();
    }
    assert!(links > 60, "only {links} links");
}

/// Whether a folder holds one module and its unit tests: then its parent folder finds it.
fn is_one_module(folder: &Path) -> bool {
    let mut names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.all(|name| name == "mod.rs" || name == "tests.rs")
}

/// The folders below `folder` that a page does not name, and names no file of.
fn unnamed_folders(folder: &Path, text: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let folders = entries.filter(|path| path.is_dir());
    let unnamed = folders.flat_map(|path| {
        let name = path.strip_prefix(root("")).unwrap().to_str().unwrap().replace('\\', "/");
        let mut below = unnamed_folders(&path, text);
        if !is_one_module(&path) && !text.contains(&format!("`{name}/")) {
            below.push(name);
        }
        below
    });
    unnamed.collect()
}

#[test]
fn every_folder_of_the_source_is_found_from_the_architecture() {
    let text = super::page("ARCHITECTURE.md");
    assert_eq!(unnamed_folders(&root("src"), &text), [""; 0]);
    // The control: a folder whose name is missing is found.
    let without = text.replace("`src/model/scenery/", "");
    assert_eq!(unnamed_folders(&root("src"), &without), ["src/model/scenery"]);
}

#[test]
fn a_dead_link_is_found() {
    let dead = |text: &str| dead_links("docs/scenes.md", text).len();
    let good =
        "[a](gallery.md) [b](../README.md#start) ![c](gallery/flock.png) [d](https://x.org/a)";
    assert_eq!(dead(good), 0);
    assert_eq!(dead("[a](README.md) [b](../README.md#begin) [c](#nothing) [d](all-keys)"), 4);
    assert_eq!(dead("```text\n[a](README.md)\n```\n"), 0, "code is no link");
    let missing = |text: &str| missing_paths("docs/scenes.md", text).len();
    assert_eq!(missing("`src/main.rs`, `src/NAME.rs`, `shaders/` and `tests/commands/main.rs`"), 0);
    assert_eq!(missing("`src/minor.rs`, `shaders/nothing.wgsl`, `docs/nowhere/`"), 3);
}
