//! Checkpoints: a run that was cut off goes on from the latest one, and gives the same bytes.
#![cfg(unix)]


use std::path::Path;

use crate::shell::{names, shell};

/// The rows of the last tick of a file, without the record of the run.
fn last_tick(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let rows = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let tick = text.lines().last().unwrap().split(',').next().unwrap().to_owned() + ",";
    text.lines().filter(|line| line.starts_with(&tick)).map(rows).collect()
}

#[test]
fn a_run_goes_on_from_its_latest_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // Moving targets, memory, and a world that is scaled to the count.
    let run = "flockwork simulate --engine cpu --scene embers --count 400 --seed 3";
    let whole = shell(folder.path(), &format!("{run} --ticks 47 --out whole.csv"));
    assert!(whole.status.success(), "{whole:?}");
    let part = format!("{run} --ticks 37 --checkpoint kept --every-checkpoint 10 --metrics m.csv");
    let part = shell(folder.path(), &part);
    assert!(part.status.success(), "{part:?}");
    assert_eq!(names(&at("kept")), ["checkpoint-0000000030.npz"], "only the latest is kept");

    let rest = "flockwork simulate --engine cpu --init kept --ticks 17 --out rest.csv";
    let rest = shell(folder.path(), rest);
    assert!(rest.status.success(), "{rest:?}");
    let (one, other) = (last_tick(&at("whole.csv")), last_tick(&at("rest.csv")));
    assert_eq!((one.len(), one.first().map(|row| &row[..3])), (400, Some("47,")));
    assert!(one == other);
    // A run that goes on in the same folder replaces what it began with.
    let on = "flockwork simulate --engine cpu --init kept --ticks 8 --checkpoint kept";
    let on = shell(folder.path(), &format!("cp -r kept old; {on} --every-checkpoint 5"));
    assert!(on.status.success(), "{on:?}");
    assert_eq!(names(&at("kept")), ["checkpoint-0000000035.npz"]);
    assert!(shell(folder.path(), "rm -r kept; mv old kept").status.success());
    // The control: another tick.
    let less = "flockwork simulate --engine cpu --init kept --ticks 16 --out rest.csv";
    assert!(shell(folder.path(), less).status.success());
    assert!(one != last_tick(&at("rest.csv")));
}

#[test]
fn a_checkpoint_that_cannot_be_written_ends_no_run_and_costs_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let run = "simulate --engine cpu --count 2000 --checkpoint kept --every-checkpoint 2";
    let good = shell(folder.path(), &format!("flockwork {run} --ticks 3 --metrics m.csv"));
    assert!(good.status.success(), "{good:?}");
    // A limit on file sizes simulates a full disk.
    let full = "simulate --engine cpu --init kept --checkpoint kept --every-checkpoint 2";
    let line = format!("ulimit -f 20; flockwork {full} --ticks 5 --metrics m.csv");
    let full = shell(folder.path(), &line);
    assert!(full.status.success(), "{full:?}");
    let told = String::from_utf8(full.stderr).unwrap();
    assert_eq!(told.lines().count(), 2, "{told}");
    for (line, tick) in told.lines().zip([4, 6]) {
        assert!(line.starts_with(&format!("flockwork: no checkpoint at tick {tick}: ")), "{line}");
        assert!(line.contains("ulimit -f"), "{line}");
    }
    assert_eq!(names(&folder.path().join("kept")), ["checkpoint-0000000002.npz"]);
    assert_eq!(names(folder.path()), ["kept", "m.csv", "m.run.toml"]);
}

#[test]
fn a_folder_without_checkpoints_and_a_file_in_its_place_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let said = |line: &str| {
        let output = shell(folder.path(), line);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), told.lines().count()), (Some(1), 1), "{told}");
        told
    };
    let told =
        said("mkdir empty; flockwork simulate --engine cpu --init empty --ticks 1 --metrics m.csv");
    assert!(told.contains("--init empty: no checkpoint is in this folder"), "{told}");
    let run = "flockwork simulate --engine cpu --ticks 1 --metrics m.csv --checkpoint";
    let told = said(&format!("touch file; {run} file"));
    assert!(told.contains("cannot write file: that is a file"), "{told}");
    let used = "mkdir used; touch used/checkpoint-7.npz; ";
    let output = shell(folder.path(), &format!("{used}{run} used"));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains("it has checkpoint-7.npz of another run; go on from that"), "{told}");
    let told = said(&format!("{run} no/folder"));
    assert!(told.contains("the folder no does not exist"), "{told}");
    assert_eq!(names(folder.path()), ["empty", "file", "used"]);
}
