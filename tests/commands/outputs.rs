//! Results that cannot be written, and flocks without enough memory: one sentence, exit code 1, and
//! nothing left behind.
#![cfg(target_os = "linux")]


use std::process::Output;

use crate::shell::{names, shell};

/// The only line that the program printed before it exited with 1.
fn refused(output: Output) -> String {
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn a_link_to_a_file_that_is_not_there_yet_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let run = "flockwork simulate --engine cpu --count 20 --ticks 1 --out a.csv";
    let lines = "mkdir there; ln -s there/first.csv b.csv; ln -s b.csv a.csv";
    let output = shell(folder.path(), &format!("{lines}; {run}"));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(names(folder.path()), ["a.csv", "b.csv", "there"]);
    assert_eq!(names(&folder.path().join("there")), ["first.csv"]);
    assert!(folder.path().join("a.csv").is_symlink(), "the link was replaced");
    let text = std::fs::read_to_string(folder.path().join("there/first.csv")).unwrap();
    assert_eq!(text.lines().count(), 1 + 2 * 20);
    // The file exists now and is replaced.
    assert!(shell(folder.path(), run).status.success());
    assert!(folder.path().join("a.csv").is_symlink());

    let folder = tempfile::tempdir().unwrap();
    let message = refused(shell(folder.path(), &format!("ln -s gone/b.csv a.csv; {run}")));
    assert!(message.contains("gone/b.csv, in a folder that does not exist"), "{message}");
    let message = refused(shell(folder.path(), &format!("ln -sf a.csv a.csv; {run}")));
    assert!(message.contains("form a circle"), "{message}");
    assert_eq!(names(folder.path()), ["a.csv"]);
}

#[test]
fn a_deleted_current_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for command in [
        "simulate --ticks 1 --out a.csv",
        "simulate --ticks 1 --out a.npz",
        "capture --ticks 1 --out a.png",
        "capture --ticks 1 --out frames",
        "bench --engines cpu --json a.json",
        "run --frames 1",
    ] {
        let engine = if command.starts_with("bench") { "" } else { "--engine cpu" };
        let line = format!("mkdir gone; cd gone; rmdir ../gone; flockwork {command} {engine}");
        let output = shell(folder.path(), &format!("unset DISPLAY WAYLAND_DISPLAY; {line}"));
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}: {message}");
        assert!(message.contains("the current folder has been deleted"), "{command}: {message}");
    }
    // An absolute path still works.
    let out = folder.path().join("b.csv");
    let line =
        "mkdir gone; cd gone; rmdir ../gone; flockwork simulate --engine cpu --ticks 1 --out";
    assert!(shell(folder.path(), &format!("{line} {}", out.display())).status.success());
    assert_eq!(names(folder.path()), ["b.csv"]);
}

/// A limit on file sizes simulates a full disk.
#[test]
fn a_file_that_cannot_be_written_does_not_hide_the_other() {
    let folder = tempfile::tempdir().unwrap();
    // A row of figures is about 100 bytes, a row of a state about 60. One of the files is too long,
    // but so short that nothing is written before the end.
    for (count, ticks, whole, cut) in [
        (1, 300, &["a.csv"][..], "figures.csv"),
        (300, 2, &["figures.csv", "figures.run.toml"], "a.csv"),
    ] {
        let line = format!(
            "ulimit -f 20; flockwork simulate --engine cpu --count {count} --ticks {ticks} \
             --out a.csv --metrics figures.csv"
        );
        let message = refused(shell(folder.path(), &line));
        assert!(message.contains(&format!("cannot write {cut}: ")), "{message}");
        assert!(message.contains(&format!("{} (", whole[0])), "{message}");
        assert_eq!(names(folder.path()), whole, "{message}");
        whole.iter().for_each(|name| std::fs::remove_file(folder.path().join(name)).unwrap());
    }
}

#[test]
fn a_flock_too_large_for_memory_is_refused_with_its_size() {
    let folder = tempfile::tempdir().unwrap();
    for command in [
        "simulate --engine cpu --ticks 1 --out a.npz --metrics b.csv",
        "capture --engine cpu --ticks 1 --out a.png",
        "bench --engines cpu,cpu1 --ticks 1 --json a.json",
    ] {
        let line = format!("ulimit -v 1000000; flockwork {command} --count 20000000");
        let message = refused(shell(folder.path(), &line));
        for part in ["20000000 agents need about ", " GB of memory", "lower --count", "ulimit -v"] {
            assert!(message.contains(part), "{command}: {message}");
        }
        assert_eq!(names(folder.path()), [""; 0], "{command}");
    }
}

#[test]
fn threads_that_do_not_fit_are_refused_before_anything_else() {
    let folder = tempfile::tempdir().unwrap();
    let run = |threads: u32| {
        let line = "ulimit -v 1000000; flockwork simulate --engine cpu --threads 1 --ticks 1";
        let line = format!("export RAYON_NUM_THREADS={threads}; {line} --count 9 --out a.csv");
        shell(folder.path(), &line)
    };
    let message = refused(run(5000));
    for part in ["cannot start the program's threads", "lower RAYON_NUM_THREADS", "ulimit -v"] {
        assert!(message.contains(part), "{message}");
    }
    assert!(run(2).status.success(), "the control");
}

#[test]
fn a_flock_fits_or_is_refused_whatever_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let (mut fitted, mut refusals) = (0, 0);
    // Threads of both pools: each would reserve memory for itself.
    let run = "flockwork simulate --engine cpu --threads 2 --ticks 2 --count 1500000 --out a.npz";
    // Sparse flocks have more cells than others; wanderers have memory.
    for scene in ["flock", "flock --density 0.01", "wander"] {
        for limit in (100_000..=600_000).step_by(50_000) {
            let line =
                format!("export RAYON_NUM_THREADS=4; ulimit -v {limit}; {run} --scene {scene}");
            let output = shell(folder.path(), &line);
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            match output.status.code() {
                Some(0) => fitted += 1,
                Some(1) => {
                    refusals += 1;
                    assert!(message.contains("lower --count"), "{scene}, {limit}: {message}");
                }
                other => panic!("{scene}, {limit}: {other:?}, {message}"),
            }
            let left = names(folder.path());
            assert!(left.iter().all(|name| name == "a.npz"), "{left:?}");
            let _ = std::fs::remove_file(folder.path().join("a.npz"));
        }
    }
    assert!(fitted > 3 && refusals > 3, "{fitted} fitted, {refusals} were refused");
}
