//! Checkpoints: a run that was cut off goes on from the latest one, and gives the same bytes.
#![cfg(unix)]

use crate::shell::{Folder, exits, names, refused, run, shell};

/// The rows of the last tick of a file, without the record of the run.
fn last_tick(folder: &Folder, name: &str) -> Vec<String> {
    let text = folder.text(name);
    let rows = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let tick = text.lines().last().unwrap().split(',').next().unwrap().to_owned() + ",";
    text.lines().filter(|line| line.starts_with(&tick)).map(rows).collect()
}

#[test]
fn a_run_goes_on_from_its_latest_checkpoint() {
    let folder = Folder::empty();
    // Moving targets, memory, and a world that is scaled to the count.
    let run = "flockwork simulate --engine cpu --scene embers --count 400 --seed 3";
    exits(&folder, 0, &format!("{run} --ticks 47 --out whole.csv"));
    let part = format!("{run} --ticks 37 --checkpoint kept --every-checkpoint 10 --metrics m.csv");
    exits(&folder, 0, &part);
    assert_eq!(names(&folder.join("kept")), ["checkpoint-0000000037.npz"], "only the end is kept");

    let rest = "flockwork simulate --engine cpu --init kept --ticks 10 --out rest.csv";
    exits(&folder, 0, rest);
    let (one, other) = (last_tick(&folder, "whole.csv"), last_tick(&folder, "rest.csv"));
    assert_eq!((one.len(), one.first().map(|row| &row[..3])), (400, Some("47,")));
    assert!(one == other);
    // A run that goes on in the same folder replaces what it began with.
    let on = "flockwork simulate --engine cpu --init kept --ticks 8 --checkpoint kept";
    exits(&folder, 0, &format!("cp -r kept old; {on} --every-checkpoint 5"));
    assert_eq!(names(&folder.join("kept")), ["checkpoint-0000000045.npz"]);
    exits(&folder, 0, "rm -r kept; mv old kept");
    // The control: another tick.
    let less = "flockwork simulate --engine cpu --init kept --ticks 9 --out rest.csv";
    exits(&folder, 0, less);
    assert!(one != last_tick(&folder, "rest.csv"));
}

/// The ticks of a file, each once.
fn ticks(folder: &Folder, name: &str) -> Vec<u64> {
    let text = folder.text(name);
    let rows = text.lines().skip(1).map(|line| line.split(',').next().unwrap());
    let mut ticks: Vec<u64> = rows.map(|tick| tick.parse().unwrap()).collect();
    ticks.dedup();
    ticks
}

/// A simulation that succeeds. Returns stdout and stderr.
fn simulated(folder: &Folder, line: &str) -> [String; 2] {
    let (code, out, told) = run(folder, &format!("simulate --engine cpu {line}"));
    assert_eq!(code, Some(0), "{line}: {told}");
    [out, told]
}

#[test]
fn the_same_command_goes_on_from_its_checkpoint() {
    for scene in ["embers", "flock-3d", "flock --density 7 --set starling.separation.weight=2.3"] {
        let folder = Folder::empty();
        let flock = format!("--scene {scene} --count 300 --seed 3");
        let run = format!("{flock} --every 20 --out s.csv --metrics m.csv --checkpoint kept");
        let [_, told] = simulated(&folder, &format!("{run} --ticks 25"));
        assert_eq!(told, "");
        let before = folder.bytes("s.csv");
        // Cut off at tick 25, and once more at 30.
        for (until, states) in [("--until 30", &[25, 30][..]), ("--ticks 60", &[30, 40, 60])] {
            let [said, told] = simulated(&folder, &format!("{run} {until}"));
            let (first, last) = (states[0], *states.last().unwrap());
            let says = format!("going on from kept/checkpoint-00000000{first}.npz at tick {first}");
            assert!(told.lines().count() == 1 && told.contains(&says), "{told}");
            assert!(said.contains(&format!("{} ticks", last - first)), "{said}");
            assert_eq!(ticks(&folder, "s.csv"), states);
            assert_eq!(ticks(&folder, "m.csv"), (first..=last).collect::<Vec<_>>());
            assert_eq!(names(&folder.join("kept")), [format!("checkpoint-{last:0>10}.npz")]);
        }
        assert!(folder.bytes("s.before-25.csv") == before);
        assert_eq!(ticks(&folder, "m.before-30.csv"), [25, 26, 27, 28, 29, 30]);
        simulated(&folder, &format!("{flock} --ticks 60 --out whole.csv"));
        assert!(last_tick(&folder, "s.csv") == last_tick(&folder, "whole.csv"));
        // The control: one tick less.
        simulated(&folder, &format!("{flock} --ticks 59 --out less.csv"));
        assert!(last_tick(&folder, "s.csv") != last_tick(&folder, "less.csv"));

        let all = names(&folder);
        let [said, told] = simulated(&folder, &format!("{run} --ticks 60"));
        assert_eq!(told, "");
        assert!(said.starts_with("the run is complete, and no file is written"), "{said}");
        assert_eq!((names(&folder), ticks(&folder, "s.csv")), (all, vec![30, 40, 60]));
    }
}

#[test]
fn a_run_from_a_file_goes_on_too_however_its_paths_are_written() {
    let folder = Folder::empty();
    let run = |line: &str| simulated(&folder, line);
    folder.write("my.toml", "[species.a]\ncount = 40\nwander = {}\n");
    run("--scene my.toml --ticks 5 --out i.npz");
    let flock = "--set a.wander.weight=2 --every 4 --out s.csv --checkpoint kept";
    run(&format!("--init i.npz {flock} --ticks 7"));
    assert_eq!(ticks(&folder, "s.csv"), [5, 9, 12]);
    exits(&folder, 0, "mkdir sub; ln -s i.npz link.npz");
    for (init, end, first, states) in [
        ("sub/../i.npz", "--ticks 11", 12, &[12, 13, 16][..]),
        ("link.npz", "--until 18", 16, &[16, 17, 18]),
    ] {
        let [_, told] = run(&format!("--init {init} {flock} {end}"));
        let says = format!("going on from kept/checkpoint-00000000{first}.npz at tick {first}");
        assert!(told.lines().count() == 1 && told.contains(&says), "{told}");
        assert_eq!(ticks(&folder, "s.csv"), states);
    }
    for same in ["--init i.npz --ticks 13", "--init i.npz --until 18", "--init kept --until 18"] {
        let [told, _] = run(&format!("{same} {flock}"));
        assert!(told.starts_with("the run is complete, and no file is written"), "{same}: {told}");
        assert!(told.contains("its end is tick 18"), "{same}: {told}");
    }
    run("--init i.npz --set a.wander.weight=2 --until 18 --out whole.csv");
    assert!(last_tick(&folder, "s.csv") == last_tick(&folder, "whole.csv"));
    let line = "simulate --engine cpu --scene my.toml --set a.wander.weight=2 --ticks 30";
    let told = exits(&folder, 2, &format!("flockwork {line} --checkpoint kept"));
    assert!(told.contains("of another run (`from = "), "{told}");

    run("--scene ./my.toml --ticks 3 --checkpoint other --metrics m.csv");
    run("--scene my.toml --ticks 6 --checkpoint other --metrics m.csv");
    assert_eq!(ticks(&folder, "m.csv"), [3, 4, 5, 6]);
}

#[test]
fn the_rows_of_every_part_are_kept() {
    let folder = Folder::empty();
    let run = |line: &str| simulated(&folder, &format!("{line} --checkpoint kept"));
    // The same ticks of two runs, whose checkpoints are in one folder, one after the other.
    for seed in [1, 2] {
        for end in [10, 20] {
            run(&format!("--count 20 --seed {seed} --every 5 --out c.csv --ticks {end}"));
        }
        assert!(shell(&folder, "rm -r kept").status.success());
    }
    for (name, seed, first) in [("c.before-10", 1, 0), ("c.before-10-2", 2, 0), ("c", 2, 10)] {
        let record = folder.text(format!("{name}.run.toml"));
        assert!(record.contains(&format!("\nseed = {seed}\n")), "{name}: {record}");
        let ticks = ticks(&folder, &format!("{name}.csv"));
        assert_eq!(ticks, [first, first + 5, first + 10], "{name}");
    }
    // A run from a checkpoint, again from the checkpoint that it has left there.
    run("--count 20 --ticks 5");
    for end in [8, 12] {
        run(&format!("--init kept --until {end} --out late.npz --metrics late.csv"));
    }
    assert_eq!(ticks(&folder, "late.before-8.csv"), [5, 6, 7, 8]);
    assert_eq!(ticks(&folder, "late.csv"), [8, 9, 10, 11, 12]);
    assert!(folder.join("late.before-8.npz").is_file());
    assert!(folder.join("late.before-8.run.toml").is_file());
}

#[test]
fn a_run_that_goes_on_says_what_no_file_has() {
    let folder = Folder::empty();
    let run = |options: &str| {
        let run = "flockwork simulate --engine cpu --count 20 --checkpoint kept --metrics m.csv";
        exits(&folder, 0, &format!("{run} {options}"))
    };
    // As if the run had been killed, whose metrics are lost.
    let lose = || std::fs::remove_file(folder.join("m.csv")).unwrap();
    run("--ticks 10");
    lose();
    let told = run("--ticks 20");
    assert!(told.ends_with("m.csv begins there, and the ticks 0 to 9 are in no file\n"), "{told}");
    let told = run("--ticks 30");
    assert!(told.ends_with("m.csv begins there, what it had is m.before-20.csv\n"), "{told}");
    lose();
    let told = run("--ticks 40 --metric mean_square_displacement");
    assert!(told.contains("m.csv begins there, and the ticks 21 to 29 are in no file; "), "{told}");
    assert!(told.contains("how far agents have come counts from there"), "{told}");
}

#[test]
fn what_a_run_reads_stays_and_a_link_keeps_its_target() {
    let folder = Folder::empty();
    let at = |name: &str| folder.join(name);
    exits(&folder, 0, "mkdir big; ln -s big/l.csv l.csv");
    exits(&folder, 0, "flockwork simulate --engine cpu --count 20 --ticks 1 --metrics m.csv");
    let run = "flockwork simulate --engine cpu --scene m.run.toml --metrics m.csv --out l.csv \
               --checkpoint kept --ticks";
    for end in [3, 5, 9] {
        exits(&folder, 0, &format!("{run} {end}"));
    }
    assert_eq!(ticks(&folder, "m.before-5.csv"), [3, 4, 5]);
    assert!(at("m.before-3.run.toml").is_file() && at("m.before-5.run.toml").is_file());
    assert!(at("l.csv").is_symlink());
    let parts = ["l.before-3.csv", "l.before-3.run.toml", "l.before-5.csv", "l.before-5.run.toml"];
    assert_eq!(names(&at("big")), [&parts[..], &["l.csv"]].concat());
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let folder = Folder::empty();
    let run = "flockwork simulate --engine cpu --checkpoint kept --out c.npz";
    let start = "flockwork simulate --engine cpu --count 200 --ticks 0 --out b.npz";
    exits(&folder, 0, &format!("{start}; {run} --count 200 --ticks 9"));
    for (other, words) in [
        ("--count 200 --ticks 20 --seed 9", "instead of `seed = 9`)"),
        ("--count 200 --ticks 20 --density 5", "(no `density` instead of `density = 5.0`)"),
        ("--count 201 --ticks 20", "(`count = 200` instead of `count = 201`)"),
        ("--count 200 --ticks 20 --scene predators", "predators"),
        ("--count 200 --ticks 20 --set starling.separation.weight=9", "weight = 9"),
        ("--count 200 --ticks 20 --init b.npz", "it has checkpoint-0000000009.npz of another run"),
        ("--count 200 --ticks 8", "--ticks 8: the flock is at tick 9 already"),
        ("--count 200 --until 8", "--until 8: the flock is at tick 9 already"),
    ] {
        let told = refused(&folder, 2, &format!("{run} {other}"));
        assert!(told.contains(words), "{other}: {told}");
    }
    assert_eq!(names(&folder.join("kept")), ["checkpoint-0000000009.npz"]);
    assert_eq!(names(&folder), ["b.npz", "c.npz", "kept"]);
}

#[test]
fn a_checkpoint_that_cannot_be_written_ends_no_run_and_costs_no_other_file() {
    let folder = Folder::empty();
    let run = "simulate --engine cpu --count 2000 --checkpoint kept --every-checkpoint 2";
    let good = shell(&folder, &format!("flockwork {run} --ticks 3 --metrics m.csv"));
    assert!(good.status.success(), "{good:?}");
    // A limit on file sizes simulates a full disk. The first rows of m.csv stay.
    let full = "simulate --engine cpu --init kept --checkpoint kept --every-checkpoint 2";
    let line = format!("ulimit -f 20; flockwork {full} --ticks 5 --metrics m.csv");
    // The end of the run is lost, and the metrics are not.
    let told = exits(&folder, 1, &line);
    assert!(told.contains("m.csv (") && told.trim_end().ends_with(") is complete"), "{told}");
    assert_eq!(told.lines().count(), 4, "{told}");
    for (line, tick) in told.lines().skip(1).zip([5, 7, 8]) {
        assert!(line.starts_with(&format!("flockwork: no checkpoint at tick {tick}: ")), "{line}");
        assert!(line.contains("ulimit -f"), "{line}");
    }
    assert_eq!(names(&folder.join("kept")), ["checkpoint-0000000003.npz"]);
    let both = ["m.before-3.csv", "m.before-3.run.toml", "m.csv", "m.run.toml"];
    assert_eq!(names(&folder), [&["kept"][..], &both].concat());
}

#[test]
fn a_run_whose_files_are_lost_is_not_complete() {
    let folder = Folder::empty();
    let run = "flockwork simulate --engine cpu --count 300 --ticks 2 --every 1 --out a.csv \
               --metrics m.csv --checkpoint kept";
    // The states are too long for the limit, and a checkpoint is not.
    let told = refused(&folder, 1, &format!("ulimit -f 64; {run}"));
    assert!(told.contains("cannot write a.csv: ") && told.contains("m.csv ("), "{told}");
    assert_eq!(names(&folder), ["m.csv", "m.run.toml"], "{told}");
    let alone = run.replace("--out a.csv", "").replace("--every 1 ", "").replace("kept", "alone");
    exits(&folder, 0, &format!("ulimit -f 64; {alone}; rm -r alone"));
    exits(&folder, 0, run);
    assert_eq!(ticks(&folder, "a.csv"), [0, 1, 2]);
    assert_eq!(names(&folder.join("kept")), ["checkpoint-0000000002.npz"]);
    // The files of a complete run are not written again.
    let told = refused(&folder, 2, &format!("rm a.csv; {run}"));
    assert!(
        told.contains("--out a.csv: the run is complete, its end is tick 2, in kept/"),
        "{told}"
    );
    assert!(told.ends_with("begin anew with another folder of --checkpoint\n"), "{told}");
}

#[test]
fn a_folder_without_checkpoints_and_a_file_in_its_place_are_refused() {
    let folder = Folder::empty();
    let said = |line: &str| refused(&folder, 1, line);
    let told =
        said("mkdir empty; flockwork simulate --engine cpu --init empty --ticks 1 --metrics m.csv");
    assert!(told.contains("--init empty: no checkpoint is in this folder"), "{told}");
    let run = "flockwork simulate --engine cpu --ticks 1 --metrics m.csv --checkpoint";
    let told = said(&format!("touch file; {run} file"));
    assert!(told.contains("cannot write file: that is a file"), "{told}");
    let told = said(&format!("mkdir used; touch used/checkpoint-7.npz; {run} used"));
    let whole = told.starts_with("flockwork: --checkpoint used: used/checkpoint-7.npz: ");
    assert!(whole && told.ends_with("; remove it to begin anew\n"), "{told}");
    assert_eq!(told.matches("; ").count(), 1, "{told}");
    let both = "flockwork simulate --ticks 1 --count 9 --out same --checkpoint ./same/";
    let told = exits(&folder, 2, both);
    assert!(told.contains("--checkpoint ./same/: --out is the same path"), "{told}");
    exits(&folder, 0, "mkdir kept; ln -s kept link");
    for (output, words) in [
        ("--out link", "--out is the same path"),
        ("--metrics ./kept", "--metrics is the same path"),
        ("--out kept/checkpoint-10.npz", "--out kept/checkpoint-10.npz has the name of a"),
        ("--out link/checkpoint-7.npz", "--out link/checkpoint-7.npz has the name of a"),
    ] {
        let line = "flockwork simulate --ticks 1 --count 9 --checkpoint kept";
        let told = refused(&folder, 2, &format!("{line} {output}"));
        assert!(told.contains(&format!("--checkpoint kept: {words}")), "{told}");
    }
    exits(&folder, 0, "rmdir kept; rm link");
    let told = said(&format!("{run} no/folder"));
    assert!(told.contains("the folder no does not exist"), "{told}");
    assert_eq!(names(&folder), ["empty", "file", "used"]);
}
