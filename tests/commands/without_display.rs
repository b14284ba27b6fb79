//! Level 5: the program without a display, without a driver, without a library.

use std::process::Command;

use crate::adapter;
use crate::png_file;
use crate::shell::{Folder, shell};

use crate::desktop::{Display, Shot, flockwork, text, without_driver};

/// Few enough for a software rasteriser, many enough for a flock.
const FLOCK: &str = "--count 600 --seed 1";

/// The lines of stderr that contain `part`.
fn lines_with<'a>(err: &'a str, part: &str) -> Vec<&'a str> {
    err.lines().filter(|line| line.contains(part)).collect()
}

/// Runs a command in a folder, successfully. Returns stdout and stderr.
fn done(folder: &Folder, mut command: Command) -> (String, String) {
    let output = command.current_dir(folder).output().unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{command:?}: {err}");
    (out, err)
}

/// Width and height of a picture, and the number of pixels that are not background.
fn picture(path: &std::path::Path) -> ((u32, u32), usize) {
    let shot = Shot(png_file::open(path));
    let (width, height) = (shot.0.width, shot.0.height);
    ((width, height), shot.darts(0..i64::from(width), 0..i64::from(height)).len())
}

#[test]
fn without_a_display_the_run_ends_in_a_picture() {
    let Some(_) = adapter::gpu() else { return };
    let folder = Folder::empty();
    let line = format!("run {FLOCK} --frames 5 --size 320x200 --engine gpu");
    let (out, err) = done(&folder, flockwork(&line));
    assert!(out.contains("engine gpu"), "{out}");
    assert_eq!(lines_with(&err, "no display").len(), 1, "{err}");
    assert!(err.contains("flockwork.png"), "{err}");
    assert!(out.contains("600 agents, 5 ticks"), "{out}");
    let (size, lit) = picture(&folder.join("flockwork.png"));
    assert_eq!(size, (320, 200));
    assert!(lit > 200, "{lit} pixels are lit");
}

/// Libwayland, which Mesa's Vulkan drivers call, complains about this.
#[test]
fn a_run_without_a_runtime_folder_is_quiet() {
    let Some(_) = adapter::gpu() else { return };
    let folder = Folder::empty();
    for runtime in [None, Some("")] {
        let mut command =
            flockwork(&format!("simulate {FLOCK} --engine gpu --ticks 2 --out flock.csv"));
        command
            .env_remove("XDG_RUNTIME_DIR")
            .envs(runtime.map(|folder| ("XDG_RUNTIME_DIR", folder)));
        assert_eq!(done(&folder, command).1, "");
    }
}

/// If the only adapter is software, the CPU engine is several times faster.
#[test]
fn a_software_adapter_is_passed_over_unless_it_is_asked_for() {
    let Some(gpu) = adapter::gpu() else { return };
    let folder = Folder::empty();
    let run = |arguments: &str| done(&folder, flockwork(arguments));
    let lines = [
        format!("simulate {FLOCK} --ticks 2 --out flock.csv"),
        format!("capture {FLOCK} --ticks 2 --size 320x200 --out flock.png"),
        format!("run {FLOCK} --frames 2 --size 320x200"),
    ];
    for line in lines {
        let name = gpu.name();
        let (out, err) = run(&line);
        let told = lines_with(&err, "is software: using the CPU engine");
        assert_eq!(told.len(), usize::from(gpu.is_software()), "{err}");
        assert!(told.iter().all(|line| line.contains(&name) && line.contains("--engine gpu")));
        assert_eq!(out.contains(&name), !gpu.is_software(), "{out}");
        for choice in ["--engine gpu", "--adapter 0", "--engine auto --adapter 0"] {
            let (out, err) = run(&format!("{line} {choice}"));
            assert!(
                out.contains(&name) && !err.contains("using the CPU engine"),
                "{line} {choice}: {out}{err}"
            );
        }
    }
    // All commands use the same flock as the window.
    let (out, told) = run("simulate --engine cpu --adapter none --ticks 0 --out many.csv");
    assert!(out.starts_with("3000 agents"), "{out}");
    assert!(told.contains("--adapter has no effect on the CPU engine"), "{told}");
    let (_, told) = run("simulate --engine gpu --threads 2 --ticks 0 --out many.csv");
    assert!(told.contains("--threads has no effect on the GPU engine"), "{told}");
    let (out, _) = run("simulate --engine cpu --scene flock --ticks 0 --out few.npz");
    assert!(out.starts_with("120 agents"), "{out}");
    let (out, _) = run("simulate --engine cpu --ticks 0 --init few.npz --out again.csv");
    assert!(out.starts_with("120 agents"), "{out}");
}

#[test]
fn without_a_driver_everything_but_the_window_works() {
    let folder = Folder::empty();
    let run = |arguments: &str| done(&folder, without_driver(arguments));
    let says_once = |err: &str| {
        let lines = lines_with(err, "no GPU adapter found");
        assert_eq!(lines.len(), 1, "{err}");
        assert!(lines[0].contains("CPU engine"), "{err}");
    };

    let (_, err) = run(&format!("simulate {FLOCK} --ticks 3 --out flock.csv"));
    says_once(&err);
    let text = folder.text("flock.csv");
    let rows = text.lines().count();
    assert_eq!(rows, 1 + 2 * 600, "a header, tick 0 and tick 3");

    let (_, err) = run(&format!("capture {FLOCK} --ticks 3 --size 320x200 --out flock.png"));
    says_once(&err);
    assert!(picture(&folder.join("flock.png")).1 > 200);

    let (out, err) = run("bench --engines cpu --count 600 --ticks 5");
    assert!(out.contains("cpu"), "{out}");
    assert!(!err.contains("adapter"), "no GPU was requested: {err}");

    let (out, err) = run(&format!("run {FLOCK} --frames 5 --size 320x200"));
    says_once(&err);
    assert!(out.contains("engine cpu") && out.contains("CPU rasteriser"), "{out}");
    assert!(picture(&folder.join("flockwork.png")).1 > 200);

    let (_, err) = run(&format!("simulate {FLOCK} --ticks 1 --engine cpu --out quiet.csv"));
    assert!(!err.contains("adapter"), "the CPU engine was asked for: {err}");
}

#[test]
fn a_display_without_a_driver_is_as_good_as_none() {
    let Some(display) = Display::open("640x480") else { return };
    let folder = Folder::empty();
    let mut command = without_driver(&format!("run {FLOCK} --frames 5 --size 320x200"));
    command.current_dir(&folder);
    let (code, out, err) = display.start(command).end();
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("engine cpu") && err.contains("nothing can draw"), "{out}{err}");
    assert!(picture(&folder.join("flockwork.png")).1 > 200);
}

#[cfg(target_os = "linux")]
#[test]
fn a_missing_keyboard_library_is_named_with_its_package() {
    let Some(_) = adapter::gpu() else { return };
    let Some(display) = Display::open("640x480") else { return };
    let folder = Folder::empty();
    // The file that the loader finds first is no library.
    for name in ["libxkbcommon-x11.so.0", "libxkbcommon-x11.so"] {
        folder.write(name, "not a library");
    }
    let mut command = flockwork(&format!("run {FLOCK} --frames 5 --size 320x200"));
    command.env("LD_LIBRARY_PATH", &*folder).current_dir(&folder);
    let (code, out, err) = display.start(command).end();
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("apt-get install libxkbcommon-x11-0"), "{err}");
    assert!(out.contains("600 agents, 5 ticks"), "{out}");
    assert!(picture(&folder.join("flockwork.png")).1 > 200);
}

#[cfg(unix)]
#[test]
fn a_scene_from_a_pipe_is_read_once() {
    let folder = Folder::with("few.toml", "[species.a]\ncount = 7\n");
    let line = "mkfifo pipe; cat few.toml > pipe & env -u DISPLAY -u WAYLAND_DISPLAY timeout 60 \
                flockwork run --engine cpu --scene pipe --frames 1 --size 32x32";
    let output = shell(&folder, line);
    assert!(text(&output.stdout).starts_with("7 agents, 1 tick"), "{}", text(&output.stderr));
}
