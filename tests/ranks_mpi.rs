//! The program under `mpirun`: one flock over several processes. Needs Open MPI, and the feature `mpi`.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// `mpirun` with more ranks than cores, also for root, and the folder of its session. It is quiet: what
/// remains on stderr is ours.
///
/// Runs at the same time must not share that folder: one that ends may remove it while another starts.
fn mpirun(folder: &Path) -> (Command, TempDir) {
    let session = tempfile::tempdir().unwrap();
    let mut command = Command::new("mpirun");
    command.env("OMPI_MCA_orte_tmpdir_base", session.path());
    command.current_dir(folder).args(["--oversubscribe", "-q"]);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    (command, session)
}

/// Runs the program on so many ranks; on one rank without `mpirun`.
fn run(folder: &Path, ranks: usize, line: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_flockwork");
    let (mut launcher, _session) = mpirun(folder);
    launcher.args(["-n", &ranks.to_string(), program]);
    let mut command = if ranks == 1 { Command::new(program) } else { launcher };
    command.current_dir(folder).args(line.split_whitespace()).output().unwrap()
}

fn done(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The exit code and the lines on stderr, without a warning of `mpirun` about its own pipes, which it gives now
/// and then where a rank has ended.
fn failed(output: Output) -> (Option<i32>, Vec<String>) {
    let told = String::from_utf8(output.stderr).unwrap();
    let told = told.lines().filter(|line| !line.starts_with("[warn] Epoll MOD"));
    (output.status.code(), told.map(str::to_owned).collect())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_are_the_same_on_any_number_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let cases = [
        (
            "simulate --engine cpu --count 3000 --ticks 30 --every 20 --unwrap --metrics M.csv --out O.csv",
            true,
        ),
        (
            "simulate --engine cpu --scene flock-3d --count 2000 --ticks 20 --unwrap --out O.npz",
            false,
        ),
        ("simulate --engine cpu --scene embers --count 500 --ticks 40 --out O.csv", false),
        ("capture --engine cpu --count 2000 --ticks 20 --size 320x180 --out O.png", false),
        ("capture --engine cpu --count 900 --ticks 6 --every 3 --size 160x90 --out O.gif", false),
        ("simulate --engine gpu --count 900 --ticks 20 --metrics M.csv --out O.csv", true),
        ("simulate --engine gpu --scene flock-3d --count 900 --ticks 20 --out O.npz", false),
    ];
    for (line, metrics) in cases {
        let file = line.rsplit_once(" O").unwrap().1;
        let on = |ranks: usize| {
            let line =
                line.replace(" O.", &format!(" o{ranks}.")).replace('M', &format!("m{ranks}"));
            let told = done(run(folder.path(), ranks, &line));
            assert_eq!(told.lines().filter(|line| line.contains("ticks on")).count(), 1, "{told}");
            assert_eq!(told.contains(&format!("{ranks} ranks")), ranks > 1, "{told}");
        };
        on(1);
        for ranks in [2, 3] {
            on(ranks);
            assert!(read(&format!("o{ranks}{file}")) == read(&format!("o1{file}")), "{line}");
            assert!(!metrics || read(&format!("m{ranks}.csv")) == read("m1.csv"), "{line}");
        }
    }
    // The control: another seed.
    done(run(
        folder.path(),
        2,
        "simulate --engine cpu --seed 7 --count 500 --ticks 40 --scene embers --out o.csv",
    ));
    assert!(read("o.csv") != read("o1.csv"));
}

#[test]
fn more_ranks_than_rows_and_agents_are_no_problem() {
    let folder = tempfile::tempdir().unwrap();
    let line = |name: &str| format!("simulate --engine cpu --count 5 --ticks 20 --out {name}");
    done(run(folder.path(), 1, &line("one.csv")));
    done(run(folder.path(), 9, &line("nine.csv")));
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(read("one.csv") == read("nine.csv"));
}

#[test]
fn a_run_goes_on_with_another_number_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let flock = "simulate --engine cpu --scene embers --count 500";
    done(run(folder.path(), 1, &format!("{flock} --ticks 60 --every 60 --out whole.npz")));
    let part = "--ticks 45 --checkpoint kept --every-checkpoint 20";
    done(run(folder.path(), 3, &format!("{flock} {part}")));
    assert_eq!(names(&folder.path().join("kept")), ["checkpoint-0000000045.npz"]);
    done(run(folder.path(), 2, "simulate --engine cpu --init kept --until 60 --out two.csv"));
    // The same command, too.
    done(run(folder.path(), 2, &format!("{flock} --ticks 60 --checkpoint kept --out again.csv")));
    let told = done(run(folder.path(), 3, &format!("{flock} --until 60 --checkpoint kept")));
    assert!(told.starts_with("the run is complete"), "{told}");
    done(run(folder.path(), 1, "simulate --engine cpu --init whole.npz --ticks 0 --out whole.csv"));
    let rows = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        text.lines().filter(|line| line.starts_with("60,")).map(str::to_owned).collect()
    };
    assert_eq!(rows("two.csv").len(), 500);
    assert!(rows("two.csv") == rows("whole.csv") && rows("again.csv") == rows("whole.csv"));
}

#[test]
fn each_rank_reads_its_part_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let flock = "simulate --engine cpu --scene embers --count 500 --ticks 20 --every 10";
    for (name, scene) in [("a.csv", "--scene a.run.toml"), ("a.npz", "")] {
        done(run(folder.path(), 1, &format!("{flock} --out {name}")));
        for ranks in [1, 2, 3] {
            let line = format!("simulate --engine cpu --init {name} {scene} --ticks 10 --out");
            done(run(folder.path(), ranks, &format!("{line} {ranks}{name}")));
            assert!(read(&format!("{ranks}{name}")) == read(&format!("1{name}")), "{ranks} {name}");
        }
        assert!(read(&format!("1{name}")) != read(name), "the control: other ticks");
    }
    // One rank alone sees that an id comes twice.
    std::fs::write(folder.path().join("b.csv"), "id,x,y,vx,vy\n7,1,1,0,0\n3,1,1,0,0\n7,2,2,0,0\n")
        .unwrap();
    let line = "simulate --engine cpu --scene embers --init b.csv --ticks 10 --out c.csv";
    let (code, mut told) = failed(run(folder.path(), 3, line));
    // The first rank, whose part is right, says where it starts.
    told.retain(|line| !line.contains("starting from its last tick"));
    assert_eq!((code, told.len()), (Some(1), 1), "{told:?}");
    assert!(told[0].contains("--init b.csv: line 4: agent 7 was on line 2 already"), "{told:?}");
    assert!(!folder.path().join("c.csv").exists());
}

#[test]
fn a_slice_that_is_heavier_than_a_share_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let row = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/scenes/one-row.toml");
    let line = "simulate --engine cpu --count 2000 --ticks 17 --out a.npz";
    let told = done(run(folder.path(), 3, &format!("{line} --scene {row}")));
    assert!(told.contains("a single slice of the grid takes 3.0 times a rank's share"), "{told}");
    // The control: one process has no shares.
    assert!(!done(run(folder.path(), 1, line)).contains("a single slice"));
}

#[test]
fn what_is_wrong_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    for (line, code, words) in [
        ("simulate --scene nope --ticks 1 --out a.csv", 1, "neither a built-in scene nor a file"),
        ("simulate --ticks 1 --out no/a.csv", 1, "the folder no does not exist"),
        ("simulate --ticks 1 --init no.csv --out a.csv", 1, "--init no.csv"),
        ("simulate --ticks 1 --adapter nope --out a.csv", 1, "--adapter nope: no such adapter"),
        ("simulate --ticks 1 --out a.csv --set no=1", 2, "no"),
        ("scenes", 2, "start the others without mpirun"),
        ("bench --engines cpu,cpu", 2, "cpu is named twice"),
        ("bench --engines gpu --adapter nope", 1, "--adapter nope: no such adapter"),
        ("bench --json no/a.json", 1, "the folder no does not exist"),
        ("bench --scene nope", 1, "neither a built-in scene nor a file"),
        ("capture --ticks 1 --replay s.toml --out a.png", 2, "leave mpirun out"),
        ("capture --ticks 1 --blur --out a.png", 2, "--blur"),
    ] {
        let (found, told) = failed(run(folder.path(), 3, line));
        assert_eq!(found, Some(code), "{line}: {told:?}");
        assert_eq!(told.len(), 1, "{line}: {told:?}");
        assert!(told[0].starts_with("flockwork: ") && told[0].contains(words), "{told:?}");
    }
    // The parser speaks in several lines, but once.
    let (code, told) = failed(run(folder.path(), 3, "simulate --count 0 --ticks 1 --out a.csv"));
    assert_eq!(code, Some(2));
    assert_eq!(told.iter().filter(|line| line.starts_with("error:")).count(), 1, "{told:?}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_bench_tells_the_work_of_each_rank() {
    let folder = tempfile::tempdir().unwrap();
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../docs/bench.schema.json")).unwrap();
    let line = "bench --engines cpu,cpu1 --counts 900,3000 --ticks 20 --state flocked --settle 20 \
                --json b.json --plot b.svg";
    let told = done(run(folder.path(), 3, line));
    assert_eq!(told.matches("ranks of cpu, means a tick").count(), 2, "{told}");
    assert_eq!(told.matches("largest / mean").count(), 4, "{told}");
    assert!(std::fs::read_to_string(folder.path().join("b.svg")).unwrap().contains("</svg>"));
    let text = std::fs::read(folder.path().join("b.json")).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&text).unwrap();
    for (report, count) in document["reports"].as_array().unwrap().iter().zip([900.0, 3000.0]) {
        assert_eq!(
            (report["processes"].as_u64(), report["agents"].as_f64()),
            (Some(3), Some(count))
        );
        for row in report["rows"].as_array().unwrap() {
            let ranks = row["ranks"].as_array().unwrap();
            let of = |name: &str| -> Vec<f64> {
                ranks.iter().map(|rank| rank[name].as_f64().unwrap()).collect()
            };
            assert_eq!(of("rank"), [0.0, 1.0, 2.0]);
            // Every agent is one rank's own in every tick.
            assert!((of("agents").iter().sum::<f64>() - count).abs() < 1e-6, "{ranks:?}");
            for name in ["ghosts", "cpu_ms", "work_ms", "exchange_ms", "sent_bytes"] {
                assert!(of(name).iter().all(|figure| *figure > 0.0), "{name}: {ranks:?}");
            }
            for rank in ranks {
                let known = schema["$defs"]["rank"]["properties"].as_object().unwrap();
                assert!(rank.as_object().unwrap().keys().eq(known.keys()), "{rank}");
            }
            assert!(row["ms_p50"].as_f64().unwrap() > 0.0 && row["borders_moved"].is_u64());
        }
    }
    done(run(folder.path(), 2, "bench --count 900 --ticks 5 --keep-borders"));
    let on_gpus = "bench --engines gpu,cpu --count 900 --ticks 3 --json gpu.json";
    let told = done(run(folder.path(), 2, on_gpus));
    assert!(told.contains("ranks of gpu, means a tick"), "{told}");
    let text = std::fs::read_to_string(folder.path().join("gpu.json")).unwrap();
    assert!(text.contains("\"driver\"") && text.matches("\"ghosts\"").count() == 4, "{text}");
    let (code, told) = failed(run(folder.path(), 1, "bench --keep-borders"));
    assert_eq!((code, told.len()), (Some(2), 1), "{told:?}");
    // Without `mpirun` nothing is shared.
    done(run(folder.path(), 1, &line.replace("b.", "one.")));
    let one = std::fs::read_to_string(folder.path().join("one.json")).unwrap();
    assert!(one.contains("\"processes\": 1") && !one.contains("\"ranks\""), "{one}");
}

/// Runs two ranks with options of their own, each in its folder. Ranks that wait for each other are ended.
fn pair(folders: [&Path; 2], lines: [&str; 2]) -> (Option<i32>, Vec<String>) {
    let (launcher, _session) = mpirun(folders[0]);
    let mut command = Command::new("timeout");
    command.args(["300", "mpirun"]).args(launcher.get_args());
    command.envs(launcher.get_envs().filter_map(|(name, value)| Some((name, value?))));
    for (colon, (folder, line)) in [None, Some(":")].into_iter().zip(folders.iter().zip(lines)) {
        command.args(colon).args(["-n", "1", "-wdir"]).arg(folder);
        command.arg(env!("CARGO_BIN_EXE_flockwork")).args(line.split_whitespace());
    }
    failed(command.current_dir(folders[0]).output().unwrap())
}

#[test]
fn ranks_with_other_options_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = [folder.path(); 2];
    let run = "simulate --engine cpu --count 90 --ticks 20 --out a.csv";
    for (one, other, words) in [
        ("--seed 1", "--seed 2", "(`seed: Some(2)` instead of `seed: Some(1)`)"),
        ("--every 5", "--every 7", "every: Some(7)"),
        ("", "--metrics m.csv", "metrics: Some"),
        ("--metrics m.csv", "--metrics m.csv --metrics-every 3", "metrics_every: 3"),
        ("--checkpoint kept", "", "checkpoint: None"),
        ("--checkpoint k --every-checkpoint 5", "--checkpoint k --every-checkpoint 9m", "Time("),
    ] {
        let lines = [one, other].map(|own| format!("{run} {own}"));
        let (code, told) = pair(here, [&lines[0], &lines[1]]);
        assert_eq!((code, told.len()), (Some(1), 1), "{one} and {other}: {told:?}");
        assert!(
            told[0].contains("rank 1: the command line differs from that of rank 0"),
            "{told:?}"
        );
        assert!(told[0].contains(words), "{told:?}");
        assert!(names(folder.path()).is_empty());
    }
    for other in [
        "simulate --engine cpu --count 90 --ticks 21 --out a.csv",
        "simulate --engine cpu --count 90 --ticks 20 --metrics a.csv",
        "bench --count 90 --ticks 20",
        "scenes",
    ] {
        let (code, told) = pair(here, [run, other]);
        assert_eq!((code, told.len()), (Some(1), 1), "{other}: {told:?}");
        assert!(told[0].contains("the command line differs"), "{told:?}");
    }
    // The control: the same options in another order.
    let same = "simulate --out a.csv --ticks 2_0 --engine cpu --count 90";
    assert_eq!(pair(here, [run, same]), (Some(0), Vec::new()));
}

#[test]
fn ranks_that_read_other_states_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let places = ["one", "two"].map(|name| folder.path().join(name));
    let [one, two] = [places[0].as_path(), &places[1]];
    let state =
        |tick: u32, x: u32| format!("tick,id,x,y,vx,vy\n{tick},0,1,1,0,0\n{tick},1,{x},2,0,0\n");
    let run = "--engine cpu --scene flock --init a.csv --ticks 5 --out";
    for place in [one, two] {
        std::fs::create_dir(place).unwrap();
        std::fs::write(place.join("a.csv"), state(7, 3)).unwrap();
    }
    // The control: copies of a file.
    let line = format!("simulate {run} b.csv");
    let (code, told) = pair([one, two], [&line; 2]);
    assert_eq!((code, told.len()), (Some(0), 1), "{told:?}");
    assert!(told[0].contains("begins anew"), "{told:?}");
    for name in ["b.csv", "b.run.toml"] {
        std::fs::remove_file(one.join(name)).unwrap();
    }
    let other_count = state(7, 3) + "7,2,5,5,0,0\n";
    for (text, words) in [
        (state(8, 3), "(`tick 8` instead of `tick 7`)"),
        (state(7, 4), "`--init a.csv with hash "),
        (other_count, "(`3 agents` instead of `2 agents`)"),
    ] {
        std::fs::write(two.join("a.csv"), text).unwrap();
        for line in [line.clone(), format!("capture {run} b.png --size 64x64")] {
            let (code, told) = pair([one, two], [&line; 2]);
            // The first line says what begins anew.
            assert_eq!((code, told.len()), (Some(1), 2), "{line}: {told:?}");
            assert!(told[1].contains("rank 1: the flock differs from that of rank 0"), "{told:?}");
            assert!(told[1].contains(words), "{told:?}");
            assert_eq!((names(one), names(two)), (vec!["a.csv".into()], vec!["a.csv".into()]));
        }
    }
}

/// The processes of the program below one `mpirun`.
fn ranks_of(launcher: u32) -> Vec<u32> {
    let found = Command::new("pgrep").args(["-P", &launcher.to_string()]).output().unwrap();
    let text = String::from_utf8(found.stdout).unwrap();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

/// A run of three ranks without an end, after its first checkpoint in the folder `kept`.
fn endless(folder: &Path) -> (Child, TempDir) {
    let kept = folder.join("kept");
    let line = "simulate --engine cpu --count 2000 --ticks 100000000 --out a.csv \
                --checkpoint kept --every-checkpoint 5";
    let (mut command, session) = mpirun(folder);
    command.args(["-n", "3", env!("CARGO_BIN_EXE_flockwork")]).args(line.split_whitespace());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !kept.is_dir() || !names(&kept).iter().any(|name| name.starts_with("checkpoint-")) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    (child, session)
}

#[test]
fn an_interrupt_ends_all_ranks_and_keeps_what_was_computed() {
    interrupted(|launcher| launcher, 1);
    // `mpirun` gives on the exit code of the ranks if it has not got the signal itself.
    interrupted(|launcher| ranks_of(launcher)[1], 130);
}

/// Interrupts one process of a run, and expects an exit code of `mpirun`.
fn interrupted(process: impl Fn(u32) -> u32, expected: i32) {
    let folder = tempfile::tempdir().unwrap();
    let (child, _session) = endless(folder.path());
    let process = process(child.id()).to_string();
    assert!(Command::new("kill").args(["-INT", &process]).status().unwrap().success());
    let (code, told) = failed(child.wait_with_output().unwrap());
    assert_eq!((code, told.len()), (Some(expected), 1), "{told:?}");
    assert!(told[0].starts_with("flockwork: interrupted: ticks done and kept: "), "{told:?}");
    // The file, and the checkpoint made at the end, are of one tick.
    let text = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    let last = text.lines().last().unwrap().split(',').next().unwrap().to_owned();
    assert_eq!(names(&folder.path().join("kept")), [format!("checkpoint-{last:0>10}.npz")]);
    assert!(told[0].contains(&format!("kept: {last} of")), "{told:?}");
}

#[test]
fn a_killed_rank_ends_all_and_whole_files_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (child, _session) = endless(folder.path());
    let ranks = ranks_of(child.id());
    assert_eq!(ranks.len(), 3, "{ranks:?}");
    assert!(Command::new("kill").args(["-9", &ranks[1].to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success(), "{output:?}");
    assert!(!folder.path().join("a.csv").exists(), "a file that is not whole");
    // The checkpoint that is there can be gone on from.
    done(run(folder.path(), 2, "simulate --engine cpu --init kept --ticks 1 --out b.csv"));
}
