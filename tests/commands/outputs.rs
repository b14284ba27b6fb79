//! Results that cannot be written, and flocks without enough memory: one sentence, exit code 1, and
//! nothing left behind.
#![cfg(target_os = "linux")]

use crate::shell::{Folder, exits, names, refused, says, shell};

#[test]
fn a_link_to_a_file_that_is_not_there_yet_is_followed() {
    let folder = Folder::empty();
    let run = "flockwork simulate --engine cpu --count 20 --ticks 1 --out a.csv";
    let lines = "mkdir there; ln -s there/first.csv b.csv; ln -s b.csv a.csv";
    exits(&folder, 0, &format!("{lines}; {run}"));
    assert_eq!(names(&folder), ["a.csv", "a.run.toml", "b.csv", "there"]);
    assert_eq!(names(&folder.join("there")), ["first.csv"]);
    assert!(folder.join("a.csv").is_symlink(), "the link was replaced");
    let text = folder.text("there/first.csv");
    assert_eq!(text.lines().count(), 1 + 2 * 20);
    // The file exists now and is replaced.
    exits(&folder, 0, run);
    assert!(folder.join("a.csv").is_symlink());

    let folder = Folder::empty();
    let message = refused(&folder, 1, &format!("ln -s gone/b.csv a.csv; {run}"));
    assert!(message.contains("gone/b.csv, in a folder that does not exist"), "{message}");
    let message = refused(&folder, 1, &format!("ln -sf a.csv a.csv; {run}"));
    assert!(message.contains("form a circle"), "{message}");
    assert_eq!(names(&folder), ["a.csv"]);
}

#[test]
fn a_deleted_current_folder_is_named() {
    let folder = Folder::empty();
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
        let message = exits(&folder, 1, &format!("unset DISPLAY WAYLAND_DISPLAY; {line}"));
        assert!(message.contains("the current folder has been deleted"), "{command}: {message}");
    }
    // An absolute path still works.
    let out = folder.join("b.csv");
    let line =
        "mkdir gone; cd gone; rmdir ../gone; flockwork simulate --engine cpu --ticks 1 --out";
    exits(&folder, 0, &format!("{line} {}", out.display()));
    assert_eq!(names(&folder), ["b.csv", "b.run.toml"]);
}

/// A limit on file sizes simulates a full disk. One of the files is too long, and the other has all ticks.
#[test]
fn a_file_that_cannot_be_written_does_not_end_or_hide_the_other() {
    let folder = Folder::empty();
    // A row of metrics is about 100 bytes, a row of a state about 60.
    for (limit, count, ticks, every, whole, cut, rows) in [
        // So short that nothing is written before the end.
        (20, 1, 300, 1, "a.csv", "metrics.csv", 2),
        (20, 300, 2, 1, "metrics.csv", "a.csv", 3),
        // It grows too long while the run goes on.
        (80, 1, 3000, 1, "a.csv", "metrics.csv", 2),
        (80, 600, 3000, 1500, "metrics.csv", "a.csv", 3),
    ] {
        let line = format!(
            "ulimit -f {limit}; flockwork simulate --engine cpu --count {count} --ticks {ticks} \
             --out a.csv --metrics metrics.csv --metrics-every {every}"
        );
        let message = refused(&folder, 1, &line);
        says(&line, &message, &[&format!("cannot write {cut}: "), &format!("{whole} (")]);
        let record = whole.replace(".csv", ".run.toml");
        assert_eq!(names(&folder), [whole, &record], "{message}");
        let text = folder.text(whole);
        assert_eq!(text.lines().count(), 1 + rows, "{message}");
        let last = text.lines().last().unwrap();
        assert!(last.starts_with(&format!("{ticks},")), "the run ended early");
        for name in [whole, &record] {
            std::fs::remove_file(folder.join(name)).unwrap();
        }
    }
}

#[test]
fn a_message_that_nobody_can_read_does_not_end_the_run() {
    let run = "flockwork simulate --engine auto --count 20 --ticks 1 --every 1 --out";
    // A message comes before the end: the notice about a film, or the state file's.
    let film = "flockwork capture --engine cpu --count 20 --ticks 3 --every 2 --size 64x48 --out";
    for to in ["2>/dev/full", "2>&-", "2>&1 >/dev/null | true"] {
        let folder = Folder::empty();
        for line in [format!("{run} a.csv {to}"), format!("{film} frames {to}")] {
            exits(&folder, 0, &line);
        }
        // The shell may end before the left side of its pipe.
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        let frames = folder.join("frames/frame_000001.png");
        while !frames.exists() && std::time::Instant::now() < end {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert!(frames.exists() && folder.join("a.csv").exists(), "{to}");
    }
    let folder = Folder::empty();
    exits(&folder, 2, "flockwork simulate --scene nowhere 2>/dev/full");
    exits(&folder, 1, "flockwork scenes nowhere 2>/dev/full");
}

#[test]
fn results_that_cannot_be_printed_are_an_error() {
    let folder = Folder::empty();
    let bench = "bench --engines cpu --count 20 --ticks 1";
    for command in ["--help", "--version", "help run", "scenes", "scenes flock", "adapters", bench]
    {
        let message = refused(&folder, 1, &format!("flockwork {command} >/dev/full"));
        assert!(message.contains("cannot write the results to stdout"), "{command}: {message}");
        let piped = format!("flockwork {command} 2>&1 | true");
        let output = shell(&folder, &piped);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{output:?}");
    }
}

#[test]
fn control_characters_of_the_user_do_not_reach_the_terminal() {
    let folder = Folder::empty();
    let raw = "a\u{1b}]0;b\u{7}\u{9b}c";
    let (scene, flock) = (format!("{raw}.toml"), "--engine cpu --count 20");
    folder.write(&scene, "[species.a]\ncount = 9\n");
    for (line, code) in [
        (format!("simulate --ticks 1 --out '{raw}.csv' {flock}"), 0),
        (format!("simulate --ticks 1 --out '{raw}.csv' --scene '{scene}' --set 'x{raw}=1'"), 2),
        (format!("simulate --ticks '{raw}' --out a.csv"), 2),
        (format!("simulate --ticks 1 --out '{raw}/a.csv'"), 1),
        (format!("simulate '--{raw}' 1 --out a.csv"), 2),
        (format!("scenes '{raw}'"), 1),
        (format!("capture --ticks 1 --size 64x48 --out '{raw}' {flock}"), 0),
    ] {
        let output = shell(&folder, &format!("flockwork {line}"));
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{text:?}");
        let hidden = |c: char| c.is_control() && c != '\n';
        // clap takes whole sequences out, and leaves the beginning of one in a single character.
        assert!(text.contains("\\u{9b}c") && !text.contains(hidden), "{text:?}");
    }
    for line in ["simulate --out 'a\nb.csv'", "capture --size 64x48 --out 'a\nb'"] {
        let output = shell(&folder, &format!("flockwork {line} --ticks 1 {flock}"));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("a\\nb") && text.trim_end().lines().count() == 1, "{text:?}");
    }
}

#[test]
fn an_ffmpeg_that_writes_nothing_is_an_error_with_its_words() {
    let folder = Folder::empty();
    let fake = "#!/bin/sh\ncase \"$*\" in *-encoders*) echo libx264; exit;; esac\ncat >/dev/null\n\
                printf 'no \\033[1mwish\\n' >&2\n";
    folder.write("ffmpeg", fake);
    let run = "flockwork capture --engine cpu --count 20 --ticks 3 --size 64x48 --out a.mp4";
    let line = format!("chmod +x ffmpeg; PATH=$PWD:$PATH {run}");
    let message = refused(&folder, 1, &line);
    says(&line, &message, &["cannot write a.mp4: ffmpeg wrote no film", "no \\u{1b}[1mwish"]);
    assert_eq!(names(&folder), ["ffmpeg"]);
}

#[test]
fn pictures_too_large_for_memory_are_refused_with_their_size() {
    let folder = Folder::empty();
    for (command, option) in [
        ("capture --ticks 1 --out a.png", ""),
        ("capture --ticks 1 --out frames", "--set style.trail=9"),
        ("run --frames 1", ""),
    ] {
        let line = format!(
            "unset DISPLAY WAYLAND_DISPLAY; ulimit -v 1500000; flockwork {command} --engine cpu \
             --count 20 --size 16384x16384 {option} 2>message; code=$?; tail -n 1 message >&2; rm \
             message; exit $code"
        );
        let message = refused(&folder, 1, &line);
        let parts = ["pictures of 16384x16384 pixels need about ", " GB of memory", "lower --size"];
        says(command, &message, &parts);
        assert_eq!(names(&folder), [""; 0], "{command}");
    }
}

#[test]
fn a_film_of_more_frames_than_its_file_can_hold_is_refused() {
    let folder = Folder::empty();
    for name in ["a.apng", "a.gif"] {
        let run = "flockwork capture --engine cpu --count 20 --ticks 18446744073709551615 --out";
        let message = exits(&folder, 2, &format!("{run} {name}"));
        says(name, &message, &["18446744073709551615", "at most 2147483647", "raise --every"]);
        assert_eq!(names(&folder), [""; 0]);
    }
}

#[test]
fn agents_that_a_replay_adds_are_counted() {
    let session = "session = 2\nticks = 3\nscene = '''\n[species.a]\ncount = 63\n'''\n[[event]]\ntick = 2\n\
                   [[event.add]]\nspecies = \"a\"\nplaces = [[9, 9], [20, 9]]\n";
    let folder = Folder::with("a.toml", session);
    let run = "flockwork capture --engine cpu --replay a.toml --size 32x32 --out a.png";
    let shown =
        "env -u DISPLAY -u WAYLAND_DISPLAY flockwork run --engine cpu --replay a.toml --size 32x32";
    for line in [run, shown] {
        let said = String::from_utf8(shell(&folder, line).stdout).unwrap();
        assert!(said.starts_with("65 agents, 3 ticks"), "{said}");
    }
    exits(&folder, 0, &format!("{run} --geometry --ticks 1"));
    let message = exits(&folder, 2, &format!("{run} --geometry"));
    assert!(message.contains("--geometry: 65 agents are too many"), "{message}");
}

#[test]
fn what_is_no_folder_is_named_with_the_remedy_of_its_option() {
    let folder = Folder::with("a", "");
    for (command, part) in [
        ("simulate --checkpoint a", "that is a file; name a folder\n"),
        ("capture --out a", "name a folder, or a file ending in .png, .gif, .apng or .mp4\n"),
        ("simulate --out -", "-: files do not go to stdout; for a file or a folder of this name"),
        ("capture --out -", "-: files do not go to stdout"),
        ("sweep --out -", "-: files do not go to stdout"),
        ("bench --json -", "-: files do not go to stdout"),
        ("simulate --out /dev/null", "that is a device or a pipe; name"),
    ] {
        let engine = if command.starts_with("bench") { "--engines" } else { "--engine" };
        let line = format!("flockwork {command} {engine} cpu --count 20 --ticks 1");
        let message = refused(&folder, 1, &line);
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(names(&folder), ["a"]);
}

#[test]
fn no_output_replaces_what_its_run_reads() {
    let folder = Folder::empty();
    let scene = "[species.a]\ncount = 9\nseparation = {}\n";
    folder.write("a.toml", scene);
    let run = "flockwork simulate --engine cpu --ticks 2";
    let lines = format!(
        "mkdir own; cp a.toml own/run.toml; cp a.toml m.run.toml; echo count > own/results.csv; \
         echo 9 >> own/results.csv; {run} --scene a.toml --out a.csv --checkpoint kept"
    );
    let (kept, table) = ("kept/checkpoint-0000000002.npz", "own/results.csv");
    let sweep = "sweep --engine cpu --ticks 9 --plot p.svg --out own";
    let restart = format!("simulate --ticks 1 --init kept --out {kept}");
    let points = format!("{sweep} --values ./{table}");
    let curves = format!("{sweep} --reference {table}");
    assert!(shell(&folder, &lines).status.success());
    let flow = "flow = { kind = \"file\", file = \"wind.csv\", grid = [1, 1] }\n";
    folder.write("own/wind.toml", format!("{flow}{scene}"));
    folder.write("own/wind.csv", "x,y\n1,2\n");
    for (line, file, input) in [
        ("bench --engines cpu --ticks 1 --scene a.toml --json ./a.toml", "./a.toml", "--scene"),
        ("simulate --ticks 1 --scene own/run.toml --out own", "own/run.toml", "--scene"),
        ("simulate --ticks 1 --scene m.run.toml --metrics m.csv", "m.run.toml", "--scene"),
        ("simulate --ticks 1 --scene a.toml --init a.csv --metrics a.csv", "a.csv", "--init"),
        (
            "simulate --ticks 0 --scene own/wind.toml --out own/wind.csv",
            "own/wind.csv",
            "flow.file",
        ),
        (
            "simulate --ticks 0 --scene own/wind.toml --metrics own/wind.csv",
            "own/wind.csv",
            "flow.file",
        ),
        (restart.as_str(), kept, "--init"),
        (points.as_str(), table, "--values"),
        (curves.as_str(), table, "--reference"),
    ] {
        let before = folder.bytes(file);
        let output = shell(&folder, &format!("flockwork {line}"));
        let message = String::from_utf8(output.stderr).unwrap();
        let wanted = format!("it would replace {file}, which {input} reads");
        assert_eq!(output.status.code(), Some(2), "{line}: {message}");
        assert!(message.contains(&wanted), "{line}: {message}");
        assert!(folder.bytes(file) == before, "{line}");
    }
    // A run may be done again from its record.
    let first = folder.bytes("a.csv");
    assert!(shell(&folder, &format!("{run} --scene a.run.toml --out a.csv")).status.success());
    assert!(folder.bytes("a.csv") == first);
}

#[test]
fn a_simulation_without_outputs_names_them_all() {
    let folder = Folder::empty();
    let message = exits(&folder, 2, "flockwork simulate --ticks 1");
    let error = message.split("Usage").next().unwrap();
    says("simulate", error, &["--out", "--metrics", "--checkpoint"]);
}

#[test]
fn a_crowd_that_samples_its_neighbours_is_said_once() {
    let folder = Folder::empty();
    let crowd = "--engine cpu --scene crowd.toml --ticks 2";
    for (count, told) in [(9000, 1), (90, 0)] {
        let scene = "[species.a.separation]\nradius = 9\n";
        let scene = format!("world.size = [30, 30]\n[species.a]\ncount = {count}\n{scene}");
        folder.write("crowd.toml", scene);
        for command in ["simulate --every 1 --out a.csv", "capture --size 64x48 --out frames"] {
            let message = exits(&folder, 0, &format!("flockwork {command} {crowd}"));
            let found = message.matches("only a sample of their neighbours").count();
            assert_eq!(found, told, "{message}");
        }
    }
}

#[test]
fn a_crowd_that_has_dispersed_at_the_end_is_said() {
    let folder = Folder::empty();
    let scene = "world.size = [4000, 4000]\n[species.a]\ncount = 3000\nmax_speed = 4\n\
                 spawn = { place = \"point\" }\n[species.a.separation]\nradius = 20\n";
    folder.write("burst.toml", scene);
    let run = "flockwork simulate --engine cpu --scene burst.toml --ticks 320 --out a.csv";
    let message = exits(&folder, 0, run);
    assert!(message.contains("% of the agents are so crowded at tick 20 that"), "{message}");
    let last = run.replace("--ticks 320 --out a.csv", "--init a.csv --ticks 1 --out b.csv");
    let message = exits(&folder, 0, &last);
    assert!(!message.contains("crowded"), "{message}");
    let dear = "flockwork simulate --engine cpu --scene burst.toml --ticks 0 --out c.csv --set \
                world.sampling=none";
    let message = exits(&folder, 0, dear);
    let wanted =
        "3000 agents begin in crowds of more than 181, where world.sampling=\"none\" reads every";
    assert!(message.contains(wanted) && message.lines().count() == 1, "{message}");
    let near = dear.replace("world.sampling=none", "a.separation.nearest=3").replace("s 0", "s 1");
    let message = exits(&folder, 0, &near);
    assert_eq!(message.matches(" `nearest` reads every neighbour").count(), 2, "{message}");
    let slow = dear.replace("world.sampling=none", "a.min_speed=5");
    let message = exits(&folder, 0, &slow);
    assert!(message.contains("a.min_speed, 5, is above a.max_speed, 4, which holds"), "{message}");
}

#[test]
fn a_flock_too_large_for_memory_is_refused_with_its_size() {
    let folder = Folder::empty();
    for command in [
        "simulate --engine cpu --ticks 1 --out a.npz --metrics b.csv",
        "capture --engine cpu --ticks 1 --out a.png",
        "bench --engines cpu,cpu1 --ticks 1 --json a.json",
    ] {
        let line = format!("ulimit -v 1000000; flockwork {command} --count 20000000");
        let message = refused(&folder, 1, &line);
        let parts = ["20000000 agents need about ", " GB of memory", "lower --count", "ulimit -v"];
        says(command, &message, &parts);
        assert_eq!(names(&folder), [""; 0], "{command}");
    }
}

#[test]
fn threads_that_do_not_fit_are_refused_before_anything_else() {
    let folder = Folder::empty();
    let line = "ulimit -v 1000000; flockwork simulate --engine cpu --threads 1 --ticks 1 --count 9 --out a.csv";
    let run = |threads: u32| format!("export RAYON_NUM_THREADS={threads}; {line}");
    let message = refused(&folder, 1, &run(5000));
    let parts = ["cannot start the program's threads", "lower RAYON_NUM_THREADS", "ulimit -v"];
    says("5000 threads", &message, &parts);
    // The control.
    exits(&folder, 0, &run(2));
}

#[test]
fn a_flock_fits_or_is_refused_whatever_the_limit() {
    let folder = Folder::empty();
    let (mut fitted, mut refusals) = (0, 0);
    // Threads of both pools: each would reserve memory for itself.
    let run = "flockwork simulate --engine cpu --threads 2 --ticks 2 --count 1500000 --out a.npz";
    // Sparse flocks have more cells than others; wanderers have memory.
    for scene in ["flock", "flock --density 0.01", "wander"] {
        for limit in (100_000..=450_000).step_by(50_000) {
            let line =
                format!("export RAYON_NUM_THREADS=4; ulimit -v {limit}; {run} --scene {scene}");
            let output = shell(&folder, &line);
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            match output.status.code() {
                Some(0) => fitted += 1,
                Some(1) => {
                    refusals += 1;
                    assert!(message.contains("lower --count"), "{scene}, {limit}: {message}");
                }
                other => panic!("{scene}, {limit}: {other:?}, {message}"),
            }
            let left = names(&folder);
            assert!(left.iter().all(|name| name == "a.npz"), "{left:?}");
            let _ = std::fs::remove_file(folder.join("a.npz"));
        }
    }
    assert!(fitted > 3 && refusals > 3, "{fitted} fitted, {refusals} were refused");
}

#[test]
fn forces_that_are_no_numbers_are_said_once() {
    let folder = Folder::empty();
    let scene = "[species.fish]\ncount = 50\nrules.still.force = \"velocity / (speed - speed)\"\n";
    folder.write("still.toml", scene);
    for (command, forces) in [
        ("simulate --ticks 3 --out a.csv", 150),
        ("capture --ticks 3 --size 64x64 --out a.png", 150),
        ("sweep --ticks 3 --vary fish.max_speed=1,2 --out a", 150),
    ] {
        let run = format!("flockwork {command} --engine cpu --scene still.toml");
        let message = exits(&folder, 0, &run);
        let said =
            format!("{forces} forces of `fish.rules.still` had a component that is no number");
        assert_eq!(message.matches(&said).count(), 1, "{message}");
    }
}

#[test]
fn a_lens_that_no_picture_shows_has_a_hint() {
    let folder = Folder::empty();
    let told = |more: &str| {
        let run =
            "flockwork capture --engine cpu --scene flock-3d --count 9 --ticks 1 --size 96x54";
        exits(&folder, 0, &format!("{run} --out a.png {more}"))
    };
    assert!(told("--set camera.lens=3").contains("--samples 64"));
    assert_eq!(told("--set camera.lens=3 --samples 2"), "");
    assert_eq!(told("--set camera.lens=0"), "");
}
