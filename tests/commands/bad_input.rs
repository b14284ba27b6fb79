//! Malicious files and arguments: each is refused quickly, with a readable message.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use flockwork::commands::files::state_files::read_state;
use flockwork::model::scene::{BuiltIn, Scene};
use zip::CompressionMethod;

use crate::archives::{self, array_with, header};
use crate::shell::{Folder, exits, flockwork, says};

/// Longer than reading any of these files takes on any machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// The error of reading a state file. Panics if there is none before the deadline.
fn read(path: PathBuf) -> String {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let scene = Scene::parse("flock", BuiltIn::named("flock").unwrap().text).unwrap();
        let message = read_state(&path, &scene).map(|_| ()).map_err(|error| format!("{error:#}"));
        sender.send(message).unwrap_or_default();
    });
    receiver.recv_timeout(DEADLINE).expect("it ends").expect_err("it is refused")
}

#[test]
fn an_array_with_a_broken_header_is_refused_quickly() {
    let folder = Folder::empty();
    let path = folder.join("bad.npz");
    let plain = &header("<u4", "2,");
    let nested = |depth: usize, open: &str, close: &str| {
        let shape = format!("{}1{}", open.repeat(depth), close.repeat(depth));
        plain.replace("(2,)", &shape)
    };
    let whole =
        |version, header: &str, data: &[u8]| array_with(version, header.len() as u32, header, data);
    let long = format!("{{'descr': '<u4', 'shape': ({}), }}\n", "1,".repeat(20_000));
    let endless = plain.replace("(2,)", "(4000000000,)");
    let overflowing = plain.replace("(2,)", "(9223372036854775807, 9223372036854775807, 4)");
    let cases = [
        ("that of a plain array", whole(1, &nested(40, "[", "]"), &[0; 8])),
        ("that of a plain array", whole(1, &nested(2000, "(", ")"), &[0; 8])),
        ("that of a plain array", whole(2, &nested(400, "{", "}"), &[0; 8])),
        ("that of a plain array", whole(1, &"[{".repeat(4000), &[])),
        ("10000 are the most", whole(2, &long, &[0; 8])),
        ("10000 are the most", array_with(2, u32::MAX, plain, &[0; 8])),
        ("cut short", array_with(1, 9000, plain, &[0; 8])),
        ("do not hold it", whole(1, &endless, &[0; 8])),
        ("do not hold it", whole(1, &overflowing, &[0; 8])),
        ("no NumPy array", vec![0; 100]),
        ("cut short", b"\x93NUM".to_vec()),
    ];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        for (told, bytes) in &cases {
            archives::write(&path, [("id.npy", bytes)], method);
            let message = read(path.clone());
            assert!(message.contains(told), "{message} does not mention {told}");
            assert!(message.contains("`id`") && message.len() < 500, "{message}");
        }
        // Control: with a correct header, the error is that the other arrays are missing.
        let ids = whole(1, plain, &[1, 0, 0, 0, 2, 0, 0, 0]);
        archives::write(&path, [("id.npy", ids)], method);
        let message = read(path.clone());
        assert!(message.contains("`position` is missing"), "{message}");
    }
}

/// A scene whose flow field is in a file.
fn windy(folder: &Path, file: &str) {
    let text = format!(
        "flow = {{ kind = \"file\", file = \"{file}\", grid = [20, 10] }}\n[species.a]\n\
         [species.a.follow_flow]\n"
    );
    std::fs::write(folder.join("wind.toml"), text).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn an_endless_file_is_read_only_up_to_its_limit() {
    let folder = Folder::empty();
    windy(&folder, "/dev/zero");
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero.csv")).unwrap();
    let run = |input: &str| {
        let line = "timeout 120 flockwork simulate --engine cpu --ticks 0 --out a.csv";
        exits(&folder, 1, &format!("ulimit -v 1500000; {line} {input}"))
    };
    let flow = run("--scene wind.toml");
    assert!(flow.contains("flow.file") && flow.contains("no regular file"), "{flow}");
    let scene = run("--scene /dev/zero");
    assert!(scene.contains("/dev/zero") && scene.contains("longer than"), "{scene}");
    let state = run("--init zero.csv");
    assert!(state.contains("zero.csv") && state.contains("no regular file"), "{state}");
    // A pipe that nobody writes to.
    for name in ["pipe.csv", "pipe.npz"] {
        exits(&folder, 0, &format!("mkfifo {name}"));
        let state = run(&format!("--init {name}"));
        assert!(state.contains(name) && state.contains("no regular file"), "{state}");
    }
    windy(&folder, "pipe.csv");
    let flow = run("--scene wind.toml");
    assert!(flow.contains("flow.file") && flow.contains("no regular file"), "{flow}");
    folder.write("long.csv", "id,x,y,vx,vy\n".to_owned() + &"1".repeat(140 << 20));
    let state = run("--init long.csv");
    assert!(state.contains("line 2 is longer than 1048576 bytes"), "{state}");
    // Comments of 100 MB are skipped.
    folder.write("comments.csv", "# a = 1\n".repeat(12 << 20));
    let state = run("--init comments.csv");
    assert!(state.contains("the file is empty"), "{state}");
}

#[test]
fn a_state_that_is_refused_is_not_announced() {
    let folder = Folder::with("a.csv", "id,species,x,y,vx,vy\n0,7,1,2,0,0\n");
    let line = "flockwork simulate --engine cpu --ticks 0 --out b.csv --scene flock --init a.csv";
    let message = exits(&folder, 1, line);
    assert!(message.contains("is of species 7") && message.lines().count() == 1, "{message}");
    folder.write("a.csv", "id,x,y,vx,vy\n0,20,20,-950,130\n");
    let line = format!("{line} --set starling.position_step=old --set world.size=[640,360]");
    let message = exits(&folder, 1, &line);
    let part = "line 2: agent 0 has the velocity (-950, 130), which with position_step = \"old\"";
    assert!(message.contains(part) && message.lines().count() == 1, "{message}");
}

#[test]
fn the_error_about_a_wrong_field_file_is_short() {
    let folder = Folder::empty();
    windy(&folder, "noise.bin");
    folder.write("noise.bin", "secret ".repeat(3000));
    let line = "flockwork simulate --engine cpu --ticks 0 --out a.csv --scene wind.toml";
    let message = exits(&folder, 1, line);
    assert!(message.contains("expected the header `x,y`") && message.len() < 600, "{message}");
}

#[test]
fn the_error_about_a_long_argument_is_readable() {
    let folder = Folder::empty();
    let refused = |code: i32, line: &str, arguments: &[String]| {
        let output = flockwork(&folder, line).args(arguments).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        let given = arguments.join(" ");
        assert_eq!(output.status.code(), Some(code), "{given:.40}: {message:.2000}");
        assert!(!message.is_empty() && message.len() < 2000, "{given:.40}: {message}");
        message
    };
    let line = "simulate --ticks 0 --out a.csv";
    let word = "x".repeat(10_000);
    let words = "x y ".repeat(2500);
    let set = |value: &str| format!("starling.{value}");
    for long in [&word, &words] {
        let header = "id,x,y,vx,vy\n";
        let cases: Vec<(i32, Vec<String>)> = vec![
            (1, vec!["--scene".into(), long.clone()]),
            (2, vec!["--set".into(), long.clone()]),
            (2, vec!["--set".into(), format!("{long}=2")]),
            (2, vec!["--set".into(), set(&format!("look={long:?}"))]),
            (2, vec!["--set".into(), set(&format!("{}=1", long.trim()))]),
            (2, vec!["--set".into(), set(&format!("seek.target={long:?}"))]),
            (2, vec!["--set".into(), set(&format!("separation.with=[{long:?}]"))]),
            (2, vec!["--set".into(), set(&format!("max_speed={long:?}"))]),
            (2, vec!["--set".into(), format!("world.size=[1, {}]", "1".repeat(10_000))]),
            (2, vec!["--set".into(), format!("targets.{}.position=[1, 1]", long.trim())]),
            (2, vec!["--count".into(), long.clone()]),
            (2, vec!["--engine".into(), long.clone()]),
            (2, vec![format!("--{long}")]),
            (2, vec![long.clone()]),
            (1, vec!["--adapter".into(), long.clone(), "--engine".into(), "gpu".into()]),
        ];
        for (code, arguments) in cases {
            refused(code, line, &arguments);
        }
        for text in [long.clone(), format!("{header}1,2,{long},4,5\n")] {
            folder.write("long.csv", text);
            let message = refused(1, &format!("{line} --init long.csv"), &[]);
            assert!(message.contains("long.csv"), "{message}");
        }
        refused(1, "scenes", std::slice::from_ref(long));
    }
}

#[test]
fn an_empty_adapter_name_is_refused() {
    let folder = Folder::empty();
    for name in ["", "  "] {
        for engine in ["gpu", "auto"] {
            let run = "flockwork simulate --ticks 0 --out a.csv";
            let message = exits(&folder, 2, &format!("{run} --adapter '{name}' --engine {engine}"));
            assert!(message.contains("--adapter") && message.contains("part of"), "{message}");
        }
    }
}

/// The size of the scenery's index depends on the scenery, not on the size or shape of the world.
#[cfg(target_os = "linux")]
#[test]
fn many_corners_in_a_long_world_take_little_memory() {
    let folder = Folder::empty();
    for boundary in ["wrap", "walls", "open"] {
        for size in [[100_000.0, 10_000_000.0], [1.0, 10_000_000.0], [10_000_000.0; 2]] {
            // All over the world, and all in one corner.
            for part in [1.0, 1e-4] {
                let corner = |number: u32| {
                    let hash =
                        |salt: u32| f64::from(number.wrapping_mul(salt) >> 8) / 2f64.powi(24);
                    let (x, y) = (hash(2_654_435_761), hash(2_246_822_519));
                    format!("[{}, {}]", x * size[0] * part, y * size[1] * part)
                };
                let corners: Vec<String> = (1..=4096).map(corner).collect();
                let scene = format!(
                    "world = {{ size = [{}, {}], boundary = \"{boundary}\" }}\n[[paths]]\npoints \
                     = [{}]\n[species.a]\ncount = 50\nmax_speed = 0.1\n[species.a.follow_path]\n\
                     lookahead = 0.5\n",
                    size[0],
                    size[1],
                    corners.join(", ")
                );
                folder.write("long.toml", scene);
                let run = "flockwork simulate --engine cpu --ticks 1 --out a.csv --scene long.toml";
                let line = format!("ulimit -v 1000000; timeout 120 {run}");
                let output = crate::shell::shell(&folder, &line);
                assert!(output.status.success(), "{boundary}, {size:?}, {part}: {output:?}");
            }
        }
    }
}

/// Scenes of spaces that lack something, or have too much of it.
#[cfg(target_os = "linux")]
#[test]
fn a_space_that_is_wrong_is_named_with_its_place() {
    let folder = Folder::with("wind.csv", "x,y\n1,2\n");
    folder.write("deep.csv", "x,y,z\n1,2,3\n4,5,6\n");
    let run = |code: i32, scene: &str| {
        folder.write("space.toml", scene);
        let run = "flockwork simulate --engine cpu --ticks 9 --out a.csv --scene space.toml";
        exits(&folder, code, &format!("ulimit -v 1500000; timeout 120 {run}"))
    };
    let species = "[species.a]\ncount = 50\nmax_speed = 0.4\n[species.a.separation]\n";
    let size = "world.size = [100, 80, 60]\n";
    let field = |file: &str, grid: &str| {
        format!("{size}flow = {{ kind = \"file\", file = \"{file}\", grid = {grid} }}\n{species}")
    };
    let cases: [(String, &[&str]); 13] = [
        // A z that is missing in one of several places.
        (
            format!(
                "{size}targets = [{{ position = [1, 2, 3] }}, {{ position = [1, 2] }}]\n{species}"
            ),
            &["space.toml:2: targets.1.position", "add the z"],
        ),
        (
            format!("{size}paths = [{{ points = [[1, 2, 3], [4, 5], [6, 7, 8]] }}]\n{species}"),
            &["paths.0.points.1", "add the z"],
        ),
        (
            format!("{size}obstacles = [{{ position = [1, 2] }}]\n{species}"),
            &["obstacles.0.position", "add the z"],
        ),
        (
            format!("{size}{species}[species.b]\nspawn = {{ at = [1, 2] }}\n"),
            &["species.b.spawn.at", "add the z"],
        ),
        // And one too many.
        (
            format!("targets = [{{ position = [1, 2, 3] }}]\n{species}"),
            &["targets.0.position", "the world is a plane"],
        ),
        // Flat in one axis, or with another number of them.
        (format!("world.size = [100, 80, 0]\n{species}"), &["world.size.2: 0 is outside 1 to"]),
        (format!("world.size = [100, 0, 60]\n{species}"), &["world.size.1: 0 is outside 1 to"]),
        (format!("world.size = [1, 2, 3, 4]\n{species}"), &["world.size", "or three for a space"]),
        (
            format!("{size}paths = [{{ points = [[1, 2, 3], [1, 2, 3]] }}]\n{species}"),
            &["paths.0", "at least two different ones"],
        ),
        // Flow files of another shape.
        (field("wind.csv", "[1, 1, 1]"), &["wind.csv: line 1", "`x,y,z`", "give each vector a z"]),
        (field("deep.csv", "[2, 1]"), &["flow.grid", "columns, rows and layers"]),
        (field("deep.csv", "[2, 2, 1]"), &["2 rows, but grid = [2, 2, 1] needs 4"]),
        (field("deep.csv", "[4096, 4096, 2]"), &["33554432 cells", "16777216 are the most"]),
    ];
    for (scene, hints) in cases {
        let message = run(1, &scene);
        assert!(message.lines().count() == 1 && message.len() < 500, "{message}");
        says(&scene, &message, hints);
    }
    // A radius larger than an axis, and a world as thin as can be, are no error.
    for scene in [
        format!("{size}{species}radius = 300\n"),
        format!("world = {{ size = [100, 80, 1], boundary = \"walls\" }}\n{species}radius = 300\n"),
        format!("world.size = [100, 80, 1]\n{species}radius = 300\n"),
    ] {
        run(0, &scene);
        let states = folder.text("a.csv");
        let rows: Vec<&str> = states.lines().filter(|line| line.starts_with("9,")).collect();
        let numbers = rows.iter().flat_map(|row| row.split(',').skip(3).take(6));
        assert!(numbers.map(|number| number.parse::<f32>().unwrap()).all(f32::is_finite));
        assert_eq!(rows.len(), 50);
    }
}

#[test]
fn a_film_that_cannot_begin_so_late_or_fade_so_long_is_refused() {
    let folder = Folder::empty();
    for (out, option, parts) in [
        ("a.png", "--from=3", ["--from 3", "--ticks"]),
        ("a.gif", "--from=9", ["--from 9", "8 ticks"]),
        ("frames", "--from=-1", ["--from", "from 0 to"]),
        ("a.png", "--loop=1", ["--loop 1", "a single picture"]),
        ("a.png", "--blur", ["--blur 8", "a single picture"]),
        ("frames", "--max-mb=1", ["--max-mb", "a folder"]),
        ("a.gif", "--max-mb=0", ["--max-mb", "megabytes"]),
        ("a.gif", "--samples=0", ["--samples", "from 1 to 256"]),
        ("a.png", "--samples=1000000", ["--samples", "from 1 to 256"]),
        ("a.png", "--set=camera.lens=2", ["lens", "three numbers"]),
        ("a.gif", "--loop=5", ["--loop 5", "at most 4 of them"]),
        ("a.gif", "--quality=draft", ["--quality draft", "only an .mp4 film"]),
        ("a.png", "--quality=good", ["--quality good", "only an .mp4 film"]),
        ("a.gif", "--loop=2000", ["--loop", "from 0 to 1000"]),
    ] {
        let run = "flockwork capture --engine cpu --count 9 --ticks 8 --size 64x48";
        let message = exits(&folder, 2, &format!("{run} {option} --out {out}"));
        says(option, &message, &parts);
        assert!(std::fs::read_dir(&folder).unwrap().next().is_none(), "{out} is left");
    }
}

#[test]
fn a_film_is_no_larger_than_it_may_be() {
    let folder = Folder::empty();
    let film = |code: i32, line: &str| {
        let run = "flockwork capture --engine cpu --count 300 --ticks 60 --size 320x180 --out";
        exits(&folder, code, &format!("{run} {line}"))
    };
    let size = |name: &str| folder.join(name).metadata().map(|file| file.len());
    for name in ["a.gif", "a.apng", "a.png"] {
        let message = film(1, &format!("{name} --max-mb=0.01"));
        assert!(message.contains("--max-mb 0.01") && message.contains("kB after"), "{message}");
        assert!(size(name).is_err(), "{name} is left");
        film(0, &format!("{name} --max-mb=20"));
    }
    if flockwork::view::recorder::mp4::check().is_err() {
        return;
    }
    film(0, "a.mp4");
    film(0, "b.mp4 --max-mb=0.1");
    film(0, "c.mp4 --max-mb=0.018");
    let sizes = [size("a.mp4").unwrap(), size("b.mp4").unwrap()];
    assert!(sizes[0] > 150_000 && (50_000..=100_000).contains(&sizes[1]), "{sizes:?}");
}

#[test]
fn a_picture_that_the_world_does_not_fill_has_a_hint() {
    let folder = Folder::empty();
    let told = |more: &str| {
        let run = "flockwork capture --engine cpu --count 9 --ticks 1 --size 54x96 --out a.png";
        exits(&folder, 0, &format!("{run} {more}"))
    };
    let hint = told("");
    assert!(hint.contains("32 %") && hint.contains("--fit frame"), "{hint}");
    let placed = told("--scene path");
    assert!(!placed.contains("--fit") && placed.contains("--view"), "{placed}");
    let remedies = ["--fit frame", "--set 'world.size=[63.06,112.1]'", "--view 320,180,4"];
    let pictures = remedies.map(|remedy| {
        assert_eq!(told(remedy), "", "{remedy}");
        folder.bytes("a.png")
    });
    // Nine birds have a world of 112.1 × 63.06 at 10 neighbours; the picture is 9 : 16.
    assert!(pictures[0] == pictures[1], "the world has the picture's shape and its own area");
    assert!(pictures[0] != pictures[2]);
    // An option comes before the camera of the scene, and before the growth of its world.
    for (set, asked) in [
        ("'camera.follow=\"centre\"'", "--view 320,180,4"),
        ("'camera.keys=[{tick=0,centre=[9,9],zoom=2}]'", "--view 320,180,4"),
        ("world.grows=true", "--fit frame"),
    ] {
        let few = format!("--set starling.count=3 {asked}");
        let seen = [few.clone(), format!("{few} --set {set}")].map(|more| {
            told(&more);
            crate::png_file::open(&folder.join("a.png"))
        });
        assert!(seen[0] == seen[1], "{set}");
    }
    for (flock, part) in [
        ("--scene path", "--view"),
        ("--scene flock --set starling.spawn.at=[9,9]", "starts"),
        ("--scene flock --set camera.centre=[9,9]", "camera"),
        ("--scene flock-3d", "perspective"),
        ("--init a.npz --set seeker.max_speed=2", "the world of --init stays as it is"),
    ] {
        let run = format!("flockwork capture {flock} --ticks 1 --fit frame --out b.png");
        let message = exits(&folder, 2, &run);
        assert!(message.contains("--fit frame") && message.contains(part), "{message}");
        assert!(!folder.join("b.png").exists());
    }
}

#[test]
fn a_view_is_refused_by_its_own_name_and_a_scene_may_come_from_a_pipe() {
    let folder = Folder::empty();
    let capture = "flockwork capture --engine cpu --count 20 --ticks 1 --size 64x48 --out a.png";
    let message = exits(&folder, 2, &format!("{capture} --view 320,180,0"));
    assert!(message.starts_with("flockwork: --view 320,180,0: camera.zoom: 0 is"), "{message}");
    for view in ["", "--view 320,180,2", "--fit frame"] {
        let piped = "flockwork scenes flock |";
        exits(&folder, 0, &format!("{piped} {capture} --scene /dev/stdin {view}"));
    }
}
