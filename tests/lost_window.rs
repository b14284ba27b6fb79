//! A window that loses its device continues: on the CPU engine, drawn by another device. The
//! program under test is this test binary, with an engine that destroys its device. Window systems
//! need the main thread, so this test has no harness.

mod adapter;
mod desktop;
mod loses_device;
mod png_file;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use clap::Parser;
use desktop::{Display, Shot};
use flockwork::commands::run::{RunArgs, run_with};
use flockwork::engine::cpu::CpuEngine;
use flockwork::engine::gpu::{Gpu, GpuEngine};
use flockwork::engine::{Engine, EngineKind};
use loses_device::LosesDevice;

/// This argument makes this binary the program under test. Two more follow: the ticks until the
/// loss, and a file to remove.
const UNDER_TEST: &str = "--under-test";

/// Ticks until the loss: fifteen seconds, so that there is a snapshot, and the notice that names a software
/// GPU at the start is gone.
const LIVES: u64 = 900;

type Test = fn();

const TESTS: [(&str, Test); 3] = [
    ("a_flock_on_a_lost_device_goes_on_with_the_cpu_engine", goes_on_with_the_cpu_engine),
    ("a_flock_on_the_cpu_is_drawn_by_another_device", is_drawn_by_another_device),
    ("without_another_device_the_program_ends_with_a_sentence", ends_with_a_sentence),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    if words.get(1).is_some_and(|word| word == UNDER_TEST) {
        return under_test(&words[2..]);
    }
    let filter = words.iter().skip(1).find(|word| !word.starts_with('-'));
    let wanted = TESTS.iter().filter(|(name, _)| filter.is_none_or(|part| name.contains(part)));
    for (name, test) in wanted {
        if words.iter().any(|word| word == "--list") {
            println!("{name}: test");
        } else if adapter::gpu().is_some() {
            println!("test {name} …");
            test();
        }
    }
    ExitCode::SUCCESS
}

#[derive(Parser)]
struct Run {
    #[command(flatten)]
    args: RunArgs,
}

/// The program under test.
fn under_test(words: &[String]) -> ExitCode {
    let (mut lives, remove) = (Some(words[0].parse().unwrap()), PathBuf::from(&words[1]));
    let args = Run::parse_from(&words[2..]).args;
    let mut engines = |kind, gpu: Option<&Arc<Gpu>>| {
        // Only the first engine loses its device.
        let lives = lives.take().unwrap_or(u64::MAX);
        let remove = remove.clone();
        let before = move || {
            let _ = std::fs::remove_file(&remove);
        };
        Ok(match (kind, gpu) {
            (EngineKind::Gpu, gpu) => {
                let gpu = gpu.expect("the window has opened a device");
                Box::new(LosesDevice::new(GpuEngine::new(Arc::clone(gpu)), gpu, lives, before))
            }
            (EngineKind::Cpu, Some(gpu)) => {
                Box::new(LosesDevice::new(CpuEngine::new(None)?, gpu, lives, before))
            }
            (EngineKind::Cpu, None) => Box::new(CpuEngine::new(None)?) as Box<dyn Engine>,
        })
    };
    match run_with(&args, &mut engines) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("flockwork: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn program(engine: &str, remove: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([UNDER_TEST, &LIVES.to_string()]).arg(remove);
    command.args("run --count 300 --seed 1 --size 900x600 --engine".split_whitespace()).arg(engine);
    if let Ok(adapter) = std::env::var("FLOCKWORK_TEST_ADAPTER") {
        command.args(["--adapter", &adapter]);
    }
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(variable);
    }
    command
}

/// The rows at the bottom of the window.
const BOTTOM: Range<u32> = 500..600;

fn flock(shot: &Shot) -> bool {
    shot.darts(300..900, 0..600).len() > 300
}

/// Waits for the loss, its notice, and a flock that still moves. Returns what was printed on
/// stderr.
fn survives(display: &Display, program: &mut desktop::Program) -> String {
    display.focus(program);
    // A software GPU is named at the start.
    display.until("a flock without a notice", |shot| flock(shot) && shot.notices(BOTTOM) == 0);
    let said = program.until_it_says("the device was lost");
    display.until("a notice at the bottom", |shot| shot.notices(BOTTOM) > 20);
    moves(display);
    said
}

fn moves(display: &Display) {
    let shot = display.until("a flock", flock);
    display.until("a flock that moves", |s| *s != shot && flock(s));
    let shot = display.look();
    display.until("a flock that moves on", |s| *s != shot && flock(s));
}

fn goes_on_with_the_cpu_engine() {
    let Some(display) = Display::open("1000x700") else { return };
    let mut program = display.start(program("gpu", Path::new("/nonexistent")));
    let said = survives(&display, &mut program);
    let tick = said.split("going on with the CPU engine from tick ").nth(1).unwrap();
    let tick: u64 = tick.split(',').next().unwrap().parse().unwrap();
    assert!((1..=LIVES).contains(&tick), "there was time for a copy: {said}");
    // The new device can run a flock too.
    display.xdotool("key e");
    moves(&display);
    display.xdotool("key ctrl+q");
    let (code, out, err) = program.end();
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("300 agents, ") && out.contains("engine gpu ("), "{out}");
    assert_eq!(err.matches("lost").count(), 1, "{err}");
}

fn is_drawn_by_another_device() {
    let Some(display) = Display::open("1000x700") else { return };
    let mut program = display.start(program("cpu", Path::new("/nonexistent")));
    let said = survives(&display, &mut program);
    assert!(said.contains("the flock on the CPU engine goes on, drawn by "), "{said}");
    display.xdotool("key ctrl+q");
    let (code, out, err) = program.end();
    assert_eq!(code, Some(0), "{err}");
    let ticks: u64 = out.split(' ').nth(2).unwrap().parse().unwrap();
    assert!(out.contains("engine cpu (") && ticks > LIVES, "{out}");
}

/// The manifest of the only Vulkan driver, which the test may remove; `None` if there are several.
fn manifest() -> Option<PathBuf> {
    let files = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().find_map(std::env::var_os);
    if let Some(files) = files {
        return std::env::split_paths(&files).next();
    }
    let folder = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?;
    let mut found = folder.map(|entry| entry.unwrap().path());
    found.find(|path| path.to_string_lossy().contains("lvp"))
}

fn ends_with_a_sentence() {
    let Some(manifest) = manifest() else {
        return eprintln!("SKIPPED: there is no driver here that could be taken away");
    };
    let Some(display) = Display::open("1000x700") else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("driver.json");
    std::fs::copy(manifest, &copy).unwrap();
    let mut command = program("gpu", &copy);
    command.env("VK_DRIVER_FILES", &copy).env("VK_ICD_FILENAMES", &copy);
    let (code, out, err) = display.start(command).end();
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    let line = err.lines().find(|line| line.starts_with("flockwork: ")).unwrap();
    assert!(line.contains("the device was lost (it was shut down), and no other can"), "{err}");
    assert!(line.contains("in the window: no GPU adapter found; run the command again"), "{err}");
    assert_eq!(err.matches("flockwork: ").count(), 1, "{err}");
    assert!(!err.contains("panicked"), "{err}");
}
