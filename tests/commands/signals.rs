//! How the program reacts to signals, and the files that killed runs leave behind.
#![cfg(target_os = "linux")]

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use crate::process::{Watched, flockwork, start};
use crate::shell::{Folder, names, says};

const INT: u32 = 2;
const TERM: u32 = 15;

/// A run that would take days.
const LONG: &str = "simulate --engine cpu --count 200 --ticks 1000000000 --every 50 --out a.csv";

/// Waits for the end of a run, which has this exit code. Returns its message.
fn ended(run: Watched, code: i32) -> String {
    let output = run.end();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{message}");
    message
}

/// The run is interrupted, and its files are complete and alone in their folder.
fn ends_with_what_it_had(folder: &Path, run: Watched) {
    let message = ended(run, 130);
    assert!(message.contains("ticks done and kept"), "{message}");
    assert_eq!(names(folder), ["a.csv", "a.run.toml"]);
    let text = std::fs::read_to_string(folder.join("a.csv")).unwrap();
    let rows = text.lines().count() - 1;
    assert!(rows > 0 && rows.is_multiple_of(200), "a tick is not whole");
    // They end with the tick that the run has reached, as if it had been asked for no more.
    let last = text.lines().last().and_then(|row| row.split(',').next()).unwrap();
    assert!(message.contains(&format!("ticks done and kept: {last} of ")), "{last}: {message}");
}

#[test]
fn every_signal_that_is_not_ignored_ends_the_run() {
    for (ignored, signals, last) in [
        ("", "INT", INT),
        ("", "TERM", TERM),
        ("", "HUP", 1),
        ("INT", "INT TERM", TERM),
        ("HUP", "HUP INT", INT),
        ("TERM,HUP", "TERM HUP INT", INT),
        // Twice at once counts once.
        ("", "TERM TERM", TERM),
    ] {
        let folder = Folder::empty();
        let mut run = start(&folder, ignored, LONG);
        run.until_it_hears(last);
        assert_eq!(run.hears(INT), ignored != "INT", "an ignored signal stays ignored");
        signals.split(' ').for_each(|signal| run.send(signal));
        ends_with_what_it_had(&folder, run);
    }
}

#[test]
fn the_first_signal_ends_a_program_that_waits_for_its_scene() {
    let folder = Folder::empty();
    let pipe = folder.join("scene.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for line in [
        "simulate --engine cpu --ticks 1 --out a.csv",
        "capture --engine cpu --ticks 1 --out a.png",
        "sweep --engine cpu --ticks 1 --out all",
        "bench --engines cpu --ticks 1 --json a.json",
    ] {
        let run = start(&folder, "", &format!("{line} --scene scene.toml"));
        // A pipe opens for writing once the program reads it; nothing is ever written.
        let _held = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        run.send("INT");
        assert_eq!(run.end().status.signal(), Some(INT as i32), "{line}");
        assert_eq!(names(&folder), ["scene.toml"], "{line}");
    }
}

#[test]
fn a_second_ctrl_c_ends_the_program_whatever_it_waits_for() {
    let folder = Folder::empty();
    // It prints more lines than a pipe holds, and the test stops reading.
    let line = "sweep --engine cpu --count 5 --ticks 1 --vary starling.size=1..2:1500 --list";
    let mut run = start(&folder, "", line);
    run.child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    run.send("INT");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(run.child.try_wait().unwrap().is_none(), "the first asks it to end with what it has");
    run.send("INT");
    ended(run, 130);
}

#[test]
fn the_next_run_removes_what_a_killed_run_left() {
    let folder = Folder::empty();
    let mut killed = start(&folder, "", LONG);
    killed.until_it_hears(INT);
    // The states, and the record of the run.
    while names(&folder).len() < 2 {
        assert!(killed.child.try_wait().unwrap().is_none(), "it ended by itself");
    }
    let process = killed.child.id();
    killed.send("KILL");
    killed.end();
    let left = names(&folder);
    assert_eq!(left.len(), 2);
    let begins = format!(".flockwork-unfinished-{process}-");
    assert!(left.iter().all(|name| name.starts_with(&begins)), "{left:?}");
    assert!(left.iter().any(|name| name.ends_with(".csv")), "{left:?}");

    let mut other = start(&folder, "", &LONG.replace("a.csv", "b.csv"));
    other.until_it_hears(INT);
    while names(&folder) == left {
        assert!(other.child.try_wait().unwrap().is_none(), "it ended by itself");
    }
    let run = "simulate --engine cpu --count 20 --ticks 1 --out c.npz";
    let capture = "capture --engine cpu --count 20 --ticks 1 --size 64x48 --out .";
    for line in [run, capture] {
        assert!(start(&folder, "", line).end().status.success());
        let found = names(&folder);
        assert!(!left.iter().any(|name| found.contains(name)), "it is still there: {found:?}");
        let alive = format!(".flockwork-unfinished-{}-", other.child.id());
        assert!(found.iter().any(|name| name.starts_with(&alive)), "taken away alive: {found:?}");
    }
    other.send("INT");
    ended(other, 130);
    let all = ["b.csv", "b.run.toml", "c.npz", "frame_000000.png", "frame_000001.png"];
    assert_eq!(names(&folder), all);
}

#[test]
fn an_interrupted_run_leaves_no_file_of_an_older_one_in_its_folder() {
    let run = "--engine cpu --count 20 --ticks 1000000000 --out old";
    for (line, first, old) in [
        ("simulate --every 10", "tick_000000000.ply", "tick_999999990.ply"),
        ("capture --size 64x48", "frame_000000.png", "frame_999999.png"),
    ] {
        let folder = Folder::empty();
        let there = folder.join("old");
        std::fs::create_dir(&there).unwrap();
        std::fs::write(there.join(old), "").unwrap();
        let mut run = start(&folder, "", &format!("{line} {run}"));
        run.until_it_hears(INT);
        while !there.join(first).exists() {
            assert!(run.child.try_wait().unwrap().is_none(), "it ended by itself");
        }
        run.send("INT");
        assert_eq!(run.end().status.code(), Some(130), "{line}");
        assert!(there.join(first).exists() && !there.join(old).exists(), "{line}");
    }
}

#[test]
fn a_film_that_has_not_begun_leaves_the_old_one() {
    let folder = Folder::with("a.apng", "old");
    let line = "capture --engine cpu --count 20 --ticks 1000000000 --from 999999999 --out a.apng";
    let mut run = start(&folder, "", line);
    run.until_it_hears(INT);
    run.send("INT");
    let message = ended(run, 130);
    let told = "interrupted: the film begins at tick 999999999, and this was tick ";
    assert!(message.contains(told), "{message}");
    assert_eq!(folder.bytes("a.apng"), b"old");
    assert_eq!(names(&folder), ["a.apng"]);
}

#[test]
fn a_picture_of_fewer_samples_is_said() {
    let folder = Folder::empty();
    let line =
        "capture --engine cpu --count 20 --ticks 0 --size 3840x2160 --samples 256 --out a.png";
    let mut run = start(&folder, "", line);
    run.until_it_hears(INT);
    std::thread::sleep(std::time::Duration::from_secs(1));
    run.send("INT");
    let message = ended(run, 130);
    says(line, &message, &["the picture shows tick 0 of 0 by ", " of 256 samples; a.png ("]);
}

/// A capture with an ffmpeg that takes nothing, or does not even answer. Returns the run and the
/// process of ffmpeg.
fn stuck(folder: &Path, answers: bool) -> (Watched, String) {
    let answer = if answers { "echo libx264; exit" } else { "true" };
    let fake = format!(
        "#!/bin/sh\ncase \"$*\" in *-encoders*) {answer};; esac\necho stuck >&2\necho $$ >number\n\
         mv number process\nexec sleep 1000\n"
    );
    std::fs::write(folder.join("ffmpeg"), fake).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(folder.join("ffmpeg")).status().unwrap().success());
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let line = "capture --engine cpu --count 20 --ticks 1000 --size 640x480 --out a.mp4";
    let mut run = Watched::start(flockwork(folder, "", line).env("PATH", path));
    run.until_it_hears(INT);
    while !folder.join("process").exists() {
        assert!(run.child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let process = std::fs::read_to_string(folder.join("process")).unwrap();
    (run, process.trim().to_owned())
}

/// Waits until a process is gone or dead.
fn gone(process: &str) {
    let alive = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status"));
        status.is_ok_and(|status| !status.contains("State:\tZ"))
    };
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while alive() {
        assert!(std::time::Instant::now() < end, "ffmpeg outlives the program");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn an_ffmpeg_that_hangs_ends_after_the_first_signal() {
    let folder = Folder::empty();
    let (run, process) = stuck(&folder, true);
    run.send("INT");
    let message = ended(run, 1);
    says("ffmpeg", &message, &["cannot write a.mp4: ffmpeg did nothing for", "stuck", "instead"]);
    gone(&process);
    assert_eq!(names(&folder), ["ffmpeg", "process"]);
}

#[test]
fn an_ffmpeg_that_does_not_answer_ends_after_the_first_signal() {
    let folder = Folder::empty();
    let (run, process) = stuck(&folder, false);
    run.send("INT");
    let message = ended(run, 130);
    assert!(message.contains("ffmpeg does not answer"), "{message}");
    gone(&process);
}

#[test]
fn an_ffmpeg_that_hangs_ends_with_a_program_that_is_killed() {
    let folder = Folder::empty();
    let (run, process) = stuck(&folder, true);
    run.send("KILL");
    run.end();
    gone(&process);
}
