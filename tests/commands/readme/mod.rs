//! The README and the pages of `docs/` are complete and true: they describe every key, option,
//! metric and pass, and every link leads somewhere. Needs no GPU.
//!
//! The tables of keys in `docs/scenes.md` and `docs/behaviours.md` are between two markers and must
//! equal the declarations word for word. The commands after a marker must print the page's text.
//! `UPDATE_README=1 cargo test --release --test commands readme` writes both.

mod links;
mod recipes;
mod tables;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use flockwork::commands::cli::Cli;
use flockwork::engine::gpu::pass::TICK;
use flockwork::model::io;
use flockwork::model::scene::{ColourBy, Scene, SpawnPlace, built_in};
use flockwork::model::world::Boundary;
use links::targets;

/// Starts a block with one command and its output.
const CHECKED: &str = "<!-- output: written by tests/commands/readme -->\n```text\n$ flockwork ";

/// Few people read a longer page to its end.
const MAX_LINES_OF_README: usize = 250;

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn page(path: &str) -> String {
    fs::read_to_string(root(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every page: its path from the top level, and its text.
fn pages() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for folder in ["", "docs/"] {
        let names = fs::read_dir(root(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        let pages = names.filter_map(|name| name.into_string().ok().filter(|n| n.ends_with(".md")));
        paths.extend(pages.map(|name| format!("{folder}{name}")));
    }
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), page(&path))).collect()
}

/// A page with the current output of the commands after a [`CHECKED`] marker, and the number of
/// these commands.
fn with_output(text: &str) -> (String, usize) {
    let mut parts = text.split(CHECKED);
    let mut fresh = parts.next().unwrap_or_default().to_string();
    let mut found = 0;
    for part in parts {
        let (block, after) = part.split_once("```\n").expect("a block without an end");
        let command = block.lines().next().unwrap();
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_flockwork"));
        let output = program.args(command.split(' ')).output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        write!(fresh, "{CHECKED}{command}\n{printed}```\n{after}").unwrap();
        found += 1;
    }
    (fresh, found)
}

#[test]
fn the_pages_show_the_tables_and_the_output_of_the_program() {
    let mut found = [0; 2];
    for (path, text) in pages() {
        let (fresh, commands) = with_output(&text);
        let (fresh, tables) = tables::with_tables(&path, &fresh);
        found = [found[0] + commands, found[1] + tables];
        if std::env::var("UPDATE_README").is_ok_and(|value| value == "1") {
            fs::write(root(&path), fresh).unwrap();
            continue;
        }
        let other = fresh.lines().zip(text.lines()).find(|(fresh, text)| fresh != text);
        assert!(
            fresh == text,
            "{path} does not show what the program has, from {other:#?} on. UPDATE_README=1 cargo test \
             --release --test commands readme:: writes it"
        );
    }
    assert!(found[0] >= 2 && found[1] == 3, "{found:?} commands and tables are checked");
}

#[test]
fn every_name_that_a_user_may_write_or_read_is_documented() {
    let mut names: Vec<(&str, &str)> = Vec::new();
    let mut add = |path, some: &[&'static str]| names.extend(some.iter().map(|name| (path, *name)));
    add("docs/scenes.md", &Boundary::NAMES.map(|(name, _)| name));
    add("docs/scenes.md", &ColourBy::NAMES.map(|(name, _)| name));
    add("docs/scenes.md", &SpawnPlace::NAMES.map(|(name, _)| name));
    add("docs/formats.md", &io::COLUMNS);
    add("docs/formats.md", &io::ARRAYS);
    add("docs/how-it-works.md", &TICK.map(|pass| pass.name));
    add("ARCHITECTURE.md", &TICK.map(|pass| pass.name));
    for (path, name) in names {
        let text = page(path);
        let there = text.contains(&format!("`{name}`")) || text.contains(&format!("`\"{name}\"`"));
        assert!(there, "{path} has no `{name}`");
    }
}

#[test]
fn every_command_and_option_is_documented() {
    let text = page("docs/commands.md");
    for command in Cli::command().get_subcommands() {
        let name = command.get_name();
        assert!(text.contains(&format!("\n## {name}\n")), "docs/commands.md has no {name}");
        for option in command.get_arguments().filter_map(|argument| argument.get_long()) {
            // Without a value, or with one.
            let there = ["`", " "].iter().any(|end| text.contains(&format!("`--{option}{end}")));
            assert!(there, "docs/commands.md has no --{option} of {name}");
        }
    }
}

/// The table of the window's keys and the list in `flockwork help run`, which F1 shows, name the same keys.
#[test]
fn the_help_lists_the_keys_of_the_window() {
    let text = page("README.md");
    let (_, table) = text.split_once("| key or mouse | does |\n|---|---|\n").unwrap();
    let rows = table.lines().map_while(|line| line.strip_prefix("| "));
    let split = |names: &str| names.split(", ").map(str::to_owned).collect::<Vec<_>>();
    let explained = rows.filter_map(|row| Some(split(row.split_once(" | ")?.0)));
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_flockwork"));
    let help = { program }.args(["help", "run"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, list) = help.split_once("In the window (README.md explains each key):\n").unwrap();
    let listed = list.lines().map_while(|line| line.strip_prefix("  "));
    // The second column begins behind two spaces.
    let listed = listed.map(|line| split(line.split("  ").next().unwrap_or(line)));
    let sorted = |names: Vec<String>| BTreeSet::from_iter(names);
    let (explained, listed) = (explained.flatten().collect(), listed.flatten().collect());
    assert_eq!(sorted(explained), sorted(listed));
}

#[test]
fn no_page_has_a_line_to_be_filled_in() {
    let is_left =
        |line: &&str| line.len() > 2 && line.bytes().all(|byte| byte.is_ascii_uppercase());
    for (path, text) in pages() {
        let left: Vec<&str> = text.lines().filter(is_left).collect();
        assert!(left.is_empty(), "{path} still has {left:?}");
    }
}

#[test]
fn the_readme_is_short_and_its_pictures_are_small() {
    let text = page("README.md");
    let lines = text.lines().count();
    assert!(lines <= MAX_LINES_OF_README, "README.md has {lines} lines");
    let pictures: Vec<&str> = targets(&text).into_iter().filter(|link| is_picture(link)).collect();
    for name in &pictures {
        let size = fs::metadata(root(name)).unwrap().len();
        let most = if name.ends_with(".gif") { 3_000_000 } else { 1_500_000 };
        assert!(size <= most, "{name} has {size} bytes");
    }
    assert!(pictures.len() >= 2, "README.md shows {pictures:?} alone");
}

fn is_picture(path: &str) -> bool {
    [".png", ".jpg", ".gif", ".svg"].iter().any(|ending| path.ends_with(ending))
}

#[test]
fn the_gallery_shows_every_scene() {
    let text = page("docs/gallery.md");
    let script = page("docs/pictures.sh");
    for scene in built_in() {
        let name = scene.name;
        let section = format!("### {name}\n\n![{name}](gallery/{name}.png)\n\n");
        assert!(text.contains(&section), "docs/gallery.md does not show the scene {name}");
        assert!(script.contains(&format!("\n{name} ")), "docs/pictures.sh does not draw {name}");
        let size = fs::metadata(root(&format!("docs/gallery/{name}.png"))).unwrap().len();
        assert!((500..400_000).contains(&size), "docs/gallery/{name}.png has {size} bytes");
    }
}

/// The films in the gallery's folder that `text` does not link, or that `script` does not make.
fn unlinked_films(text: &str, script: &str) -> Vec<String> {
    let files = fs::read_dir(root("docs/gallery")).unwrap().map(|entry| entry.unwrap().path());
    let films = files.filter(|path| path.extension().is_some_and(|ending| ending == "mp4"));
    let names = films.map(|path| path.file_stem().unwrap().to_str().unwrap().to_string());
    let known = |name: &String| {
        text.contains(&format!("(gallery/{name}.mp4)")) && script.contains(&format!("reel {name} "))
    };
    names.filter(|name| !known(name)).collect()
}

#[test]
fn the_films_of_the_gallery_are_small_and_linked() {
    let (text, script) = (page("docs/gallery.md"), page("docs/pictures.sh"));
    assert_eq!(unlinked_films(&text, &script), [""; 0]);
    assert_eq!(text.matches(".mp4)").count(), 5);
    for name in ["starlings", "shoal", "million", "ink", "motes"] {
        let size = fs::metadata(root(&format!("docs/gallery/{name}.mp4"))).unwrap().len();
        assert!((200_000..2_100_000).contains(&size), "docs/gallery/{name}.mp4 has {size} bytes");
    }
    // The control.
    let without = text.replace("(gallery/ink.mp4)", "");
    assert_eq!(unlinked_films(&without, &script), ["ink"]);
}

#[test]
fn the_scenes_of_the_pages_can_be_run() {
    let mut found = 0;
    for (path, text) in pages() {
        let scenes = text.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
        for (scene, _) in scenes.filter(|(text, _)| text.contains("[species.")) {
            Scene::parse(&path, scene).unwrap_or_else(|error| panic!("{error}"));
            found += 1;
        }
    }
    assert!(found >= 3, "the pages show {found} scenes");
}
