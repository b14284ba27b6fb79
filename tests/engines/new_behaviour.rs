//! Follows `docs/new-behaviour.md` to the letter in a copy of this package: the new behaviour must
//! compile, appear as a key of scenes, and move agents as the page says, on both engines.

use crate::adapter;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that runs the page's scene for forty ticks on each engine and prints the speeds.
const PROGRAM: &str = r##"
use flockwork_engine::gpu::{AdapterChoice, Gpu, GpuEngine};
use flockwork_engine::{Engine, cpu::CpuEngine};
use flockwork_model::scene::{Request, Scene};

fn run(engine: &mut dyn Engine) -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::parse("pucks", include_str!("pucks.toml"))?;
    let (scene, state) = scene.populate(&Request { count: Some(50), ..Request::default() })?;
    engine.load(&scene, &state)?;
    engine.step(40)?;
    let speeds = engine.read_back()?.velocity.into_iter().map(|v| v.length().to_string());
    println!("{} {}", engine.kind(), speeds.collect::<Vec<_>>().join(" "));
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut CpuEngine::new(None)?)?;
    match Gpu::open(&AdapterChoice::Best) {
        Ok(gpu) => run(&mut GpuEngine::new(gpu)),
        Err(_) => Ok(()),
    }
}
"##;

/// The parts of a scene that the page's example leaves out.
const WORLD: &str = "about = \"Pucks\"\n[world]\nsize = [640, 360]\nboundary = \"wrap\"\n";

/// The page's blocks of code: the line of prose before each, and its text.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = page.split("```").collect();
    let mut found = Vec::new();
    for pair in parts.chunks_exact(2) {
        let prose = pair[0].trim_end().lines().last().unwrap_or_default();
        // The first line names the language.
        found.push((prose, pair[1].split_once('\n').unwrap().1));
    }
    found
}

/// The path in a line of prose: "`src/x.rs`:".
fn named(prose: &str) -> Option<&str> {
    prose.split('`').nth(1).filter(|name| name.contains('/'))
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            // The page comes and goes with its build.
            if name != "dist" {
                copy(&from.join(&name), &to.join(&name));
            }
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

#[test]
fn the_page_leads_to_a_behaviour_that_works_on_both_engines() {
    let has_gpu = adapter::gpu().is_some();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/new-behaviour.md")).unwrap();
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("new-behaviour");
    let _ = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch).unwrap();
    for name in [
        "Cargo.toml",
        "Cargo.lock",
        "src",
        "shaders",
        "scenes",
        "tests",
        "benches",
        "examples",
        "packaging",
        "python",
        "web",
    ] {
        copy(&root.join(name), &scratch.join(name));
    }

    let examples = scratch.join("src/engine/examples");
    fs::create_dir_all(&examples).unwrap();
    let (mut files, mut lines, mut scenes) = (0, 0, 0);
    for (prose, text) in blocks(&page) {
        match named(prose) {
            // A whole file.
            Some(name) if !scratch.join(name).exists() => {
                fs::write(scratch.join(name), text).unwrap();
                files += 1;
            }
            // A line under a heading.
            Some(name) => {
                let heading = prose.split('`').nth(3).expect("the page says where the line goes");
                let file = scratch.join(name);
                let old = fs::read_to_string(&file).unwrap();
                let begin = format!("{heading} {{\n");
                assert!(old.contains(&begin), "{name} has no {heading}");
                fs::write(&file, old.replacen(&begin, &format!("{begin}{text}"), 1)).unwrap();
                lines += 1;
            }
            None if text.starts_with("[species.") => {
                fs::write(examples.join("pucks.toml"), format!("{WORLD}{text}")).unwrap();
                scenes += 1;
            }
            None => {}
        }
    }
    assert_eq!((files, lines, scenes), (2, 1, 1), "the page has two files, a line and a scene");
    fs::write(examples.join("pucks.rs"), PROGRAM).unwrap();

    // Uses the existing build, and does not optimise a program that runs for a moment. Nothing above
    // the engines is compiled.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&scratch).env("CARGO_TARGET_DIR", target);
    cargo.args(["run", "--release", "--locked", "--quiet", "--example", "pucks"]);
    // Every member that the program is made of: one with the same profile would be written over the
    // build of this package, and what is compiled after this test would not find its crates.
    for package in ["scenes", "shaders", "model", "engine"] {
        cargo.arg(format!("--config=profile.release.package.flockwork-{package}.opt-level=0"));
    }
    let output = cargo.output().unwrap();
    let (said, complaint) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{complaint}");

    let runs: Vec<Vec<&str>> = said.lines().map(|line| line.split(' ').collect()).collect();
    assert_eq!(runs.len(), 1 + usize::from(has_gpu), "{said}");
    for run in &runs {
        assert_eq!(run.len(), 51, "{run:?}");
        for speed in &run[1..] {
            let speed: f64 = speed.parse().unwrap();
            // The page's formula, with the rounding of forty ticks.
            assert!((speed - 8.0 * 0.95_f64.powi(40)).abs() < 1e-5, "{}: {speed}", run[0]);
        }
        assert_eq!(run[1..], runs[0][1..], "to the same bit");
    }
    assert!(page.contains("8 · 0.95⁴⁰ = 1.03"), "the page's figure is the one tested here");
    fs::remove_dir_all(&scratch).unwrap();
}
