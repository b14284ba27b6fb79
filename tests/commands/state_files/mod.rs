//! State files: they read back to the same bits, and errors name what is wrong.

mod mutated;
mod parts;
mod plain;
mod space;

use std::path::{Path, PathBuf};

use clap::Parser;
use flockwork::commands::files::state_files::{StateWriter, read_state};
use flockwork::commands::host::options::{FlockArgs, Prepared};
use flockwork::model::memory::Memory;
use flockwork::model::scene::{BuiltIn, Request, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::vector::flat;
use zip::CompressionMethod;

use crate::archives;
use crate::shell::{Folder, exits, says};

fn scene(boundary: &str) -> Scene {
    let text = BuiltIn::named("flock").map_or("", |scene| scene.text);
    let boundary = format!("world.boundary={boundary}");
    Scene::parse_with("flock", text, &[boundary]).unwrap()
}

/// A state with every kind of number that a state can hold.
fn awkward(tick: u64) -> FlockState {
    let numbers = awkward_numbers();
    let n = numbers.len();
    FlockState {
        tick,
        id: (0..n as u32).map(|i| i * 7 + 3).collect(),
        species: vec![0; n],
        position: (0..n).map(|i| flat(numbers[i], numbers[(i + 1) % n])).collect(),
        velocity: (0..n).map(|i| flat(-numbers[i], numbers[(i + 4) % n])).collect(),
        // The largest numbers, the smallest, and some between.
        memory: (0..n as u32).map(|i| Memory(i.wrapping_mul(0x9e37_79b9) ^ (i >> 3))).collect(),
        ..FlockState::default()
    }
}

fn awkward_numbers() -> [f32; 10] {
    [
        -0.0_f32,
        f32::MIN_POSITIVE / 8.0,
        f32::from_bits(1),
        // The farthest from the origin, and the fastest.
        1e12,
        -1e12,
        0.1,
        1.0 / 3.0,
        16_777_217.0,
        -1e-38,
        639.999_94,
    ]
}

type Bits<'a> = (u64, &'a [u32], &'a [u8], Vec<[[u32; 3]; 2]>, &'a [Memory]);

fn bits(state: &FlockState) -> Bits<'_> {
    let both = state.position.iter().zip(&state.velocity);
    let bits = both.map(|(p, v)| [p, v].map(|point| point.to_array().map(f32::to_bits))).collect();
    (state.tick, &state.id, &state.species, bits, &state.memory)
}

/// A file of these states, with this number of axes.
fn written_in(axes: usize, folder: &Path, name: &str, states: &[FlockState]) -> PathBuf {
    let path = folder.join(name);
    let mut writer = StateWriter::create(&path).unwrap();
    writer.set_axes(axes);
    for state in states {
        writer.write(state, &[]).unwrap();
    }
    writer.finish().unwrap();
    path
}

fn written(folder: &Path, name: &str, states: &[FlockState]) -> PathBuf {
    written_in(2, folder, name, states)
}

#[test]
fn what_is_written_reads_back_to_the_same_bits() {
    let folder = Folder::empty();
    for (axes, scene) in [(2, scene("open")), (3, space::space("open"))] {
        let awkward = |tick| if axes == 2 { awkward(tick) } else { space::awkward_in_space(tick) };
        let last = awkward(u64::from(u32::MAX) + 9);
        let moves = FlockState { memory: Vec::new(), ..last.clone() };
        for (name, expected) in [("a.csv", &moves), ("a.npz", &last), ("A.CSV", &moves)] {
            let states = [awkward(4), awkward(7), last.clone()];
            let path = written_in(axes, &folder, name, &states);
            assert_eq!(bits(&read_state(&path, &scene).unwrap()), bits(expected), "{axes}, {name}");
        }
    }
}

#[test]
fn many_rows_read_back_and_files_repeat_to_the_byte() {
    let folder = Folder::empty();
    let scene = scene("wrap");
    let request = Request { count: Some(70_001), ..Request::default() };
    let (scene, state) = scene.populate(&request).unwrap();
    for name in ["csv", "npz"] {
        let once = written(&folder, &format!("a.{name}"), std::slice::from_ref(&state));
        let twice = written(&folder, &format!("b.{name}"), std::slice::from_ref(&state));
        assert_eq!(bits(&read_state(&once, &scene).unwrap()), bits(&state), "{name}");
        assert!(std::fs::read(once).unwrap() == std::fs::read(twice).unwrap(), "{name}");
    }
}

#[test]
fn what_colours_show_reads_back_as_what_it_is() {
    let folder = Folder::empty();
    let [aged, counted] = ["age", "neighbours"].map(|colour| {
        let keys = [format!("species.a.colour=\"{colour}\""), "world.boundary=\"open\"".into()];
        Scene::parse_with("test", "[species.a]\n", &keys).unwrap()
    });
    let state = FlockState { shown: aged.shown(), ..awkward(3) };
    let path = written(&folder, "a.npz", std::slice::from_ref(&state));
    let back = read_state(&path, &aged).unwrap();
    assert_eq!((bits(&back), back.shown), (bits(&state), aged.shown()));
    assert_eq!(aged.memory_of(&back), state.memory, "ages go on");
    // Numbers of neighbours are no ages.
    let path = written(&folder, "a.npz", &[awkward(3)]);
    let back = read_state(&path, &aged).unwrap();
    assert_eq!((bits(&back), back.shown), (bits(&state), counted.shown()));
    assert!(aged.memory_of(&back).iter().all(|memory| memory.shown() == 0));
    assert_eq!(counted.memory_of(&back), state.memory);
}

#[test]
fn a_file_that_is_not_finished_leaves_nothing() {
    let folder = Folder::empty();
    for name in ["a.csv", "a.npz"] {
        let mut writer = StateWriter::create(&folder.join(name)).unwrap();
        writer.write(&awkward(0), &[]).unwrap();
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn rows_may_come_in_any_order_and_columns_too() {
    let folder = Folder::with("a.csv", "vy,id,x,y,vx\n1,9,2,3,4\n5,3,6,7,8");
    let state = read_state(&folder.join("a.csv"), &scene("wrap")).unwrap();
    assert_eq!((state.tick, state.id, state.species), (0, vec![3, 9], vec![0, 0]));
    assert_eq!(state.position, [flat(6.0, 7.0), flat(2.0, 3.0)]);
    assert_eq!(state.velocity, [flat(8.0, 5.0), flat(4.0, 1.0)]);
}

#[test]
fn agents_come_and_go_in_files_with_another_header() {
    let folder =
        Folder::with("a.csv", "id,tick,x,y,vx,vy\n1,0,2,3,4,5\n2,0,2,3,4,5\n2,9,6,7,8,5\n");
    let state = read_state(&folder.join("a.csv"), &scene("wrap")).unwrap();
    assert_eq!((state.tick, state.id), (9, vec![2]));
}

/// Reads each text as a file, and looks for the hints in its error; H stands for the header.
fn assert_named(path: &Path, scene: &Scene, header: &str, cases: &[(&str, &[&str])]) {
    for (text, hints) in cases {
        let text = text.replace('H', header);
        std::fs::write(path, &text).unwrap();
        let message = format!("{:#}", read_state(path, scene).unwrap_err());
        assert!(message.contains("bad.csv"), "{message}");
        assert!(message.lines().count() == 1 && message.len() < 700, "{message}");
        says(&text, &message, hints);
    }
}

#[test]
fn what_is_wrong_with_a_csv_is_named() {
    let folder = Folder::empty();
    let path = folder.join("bad.csv");
    let header = "tick,id,species,x,y,vx,vy\n";
    let cases: [(&str, &[&str]); 25] = [
        ("", &["empty"]),
        (header, &["no rows"]),
        ("0,1,0,2,3,4,5\n", &["line 1", "unknown column"]),
        ("tick,id,speces,x,y,vx,vy\n", &["line 1", "speces", "did you mean `species`"]),
        ("id,x,y,vx\n", &["\"vy\" is missing"]),
        ("id,x,y,vx,vy,x\n", &["twice"]),
        ("H0,1,0,2,3,4\n", &["line 2", "cut short"]),
        ("H0,1,0,2,3,4,5\n0,2,0,2,3,4,5.1", &["cut short"]),
        ("H0,1,0,2,three,4,5\n", &["line 2", "y is \"three\""]),
        ("H# c\n\n# d\n0,1,0,2,three,4,5\n", &["line 5", "y is \"three\""]),
        ("id,x,y,vx,vy\r\n1,2,3,4,5\r\n\r\n2,2,three,4,5", &["line 4", "y is \"three\""]),
        ("id,x,y,vx,vy\r\n1,2,3,4,5\r\n2,2,3,4\r\n", &["line 3", "cut short"]),
        ("id,x,y,vx,vy\r\n1,2,3,4,5\r\n1,2,3,4,5\r\n", &["line 3", "agent 1", "line 2"]),
        ("# c\r\n\r\nid,x,y,vx\r\n", &["line 3", "\"vy\" is missing"]),
        ("H0,1,0,2,NaN,4,5\n", &["line 2", "agent 1 is NaN"]),
        ("H0,1,0,2,3,inf,5\n", &["line 2", "vx", "inf"]),
        ("H0,1,0,1e39,3,4,5\n", &["line 2", "x", "inf"]),
        ("H0,1,0,2,3,4,-1.1e12\n", &["line 2", "vy of agent 1", "-1e12 to 1e12"]),
        ("H0,1,0,2,3,4,5\n0,2,0,2,3,4,5\n0,1,0,2,3,4,5\n", &["line 4", "agent 1", "line 2"]),
        ("H0,1,1,2,3,4,5\n", &["line 2", "species 1", "--scene"]),
        ("H0,1,300,2,3,4,5\n", &["line 2", "species is 300"]),
        ("H0,-1,0,2,3,4,5\n", &["line 2", "id is \"-1\"", "from 0 to 4294967294"]),
        ("H0,4294967295,0,2,3,4,5\n", &["line 2", "4294967295", "from 0 to 4294967294"]),
        ("H0,1,0,640.1,3,4,5\n", &["line 2", "640.1", "outside the world"]),
        (
            "H0,1,0,2,3,4,5\n0,2,0,2,3,4,5\n9,1,0,2,3,4,5\n",
            &["tick 9 has 1 row", "not whole", "keep the rows of tick 9 alone"],
        ),
    ];
    assert_named(&path, &scene("wrap"), header, &cases);
    std::fs::remove_file(&path).unwrap();
    let message = format!("{:#}", read_state(&path, &scene("wrap")).unwrap_err());
    assert!(message.contains("bad.csv") && message.contains("cannot read"), "{message}");
    let message = format!("{:#}", read_state(Path::new("a.txt"), &scene("wrap")).unwrap_err());
    assert!(message.contains(".csv") && message.contains(".npz"), "{message}");
}

#[test]
fn a_cut_or_damaged_npz_is_refused() {
    let folder = Folder::empty();
    let scene = scene("open");
    let whole = std::fs::read(written(&folder, "a.npz", &[awkward(0)])).unwrap();
    let path = folder.join("bad.npz");
    for length in [0, 10, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let message = format!("{:#}", read_state(&path, &scene).unwrap_err());
        assert!(message.contains("bad.npz") && message.contains("write"), "{message}");
    }
    // One flipped bit in the first velocity.
    let number = awkward(0).velocity[5].x.to_ne_bytes();
    let at = whole.windows(4).rposition(|window| window == number).unwrap();
    let mut flipped = whole.clone();
    flipped[at] ^= 1;
    std::fs::write(&path, &flipped).unwrap();
    let message = format!("{:#}", read_state(&path, &scene).unwrap_err());
    assert!(message.contains("`velocity`") && message.contains("damaged"), "{message}");
}

#[test]
fn positions_on_the_far_wall_are_on_the_near_edge_of_a_wrapped_world() {
    let folder = Folder::with("a.csv", "id,x,y,vx,vy\n0,640,360,0,0\n");
    let path = folder.join("a.csv");
    let far = flat(640.0, 360.0);
    for (boundary, place) in [("walls", far), ("open", far), ("wrap", flat(0.0, 0.0))] {
        assert_eq!(read_state(&path, &scene(boundary)).unwrap().position, [place], "{boundary}");
    }
}

/// An array with its header.
fn array(kind: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    archives::array(&archives::header(kind, shape), numbers)
}

#[test]
fn an_npz_of_other_widths_and_without_options_is_read() {
    let folder = Folder::empty();
    let path = folder.join("a.npz");
    let write = |ids: [i64; 2], rows: u64, name: &str| {
        let numbers: Vec<u8> = (0..rows * 2).flat_map(|i| (i as f64).to_le_bytes()).collect();
        let motion = || array("<f8", &format!("{rows}, 2"), &numbers);
        let id = array(">i8", "2,", &ids.map(i64::to_be_bytes).concat());
        let arrays = [("id", id), ("position", motion()), (name, motion())];
        let entries = arrays.map(|(name, array)| (format!("{name}.npy"), array));
        archives::write(&path, entries, CompressionMethod::default());
    };
    let read = || read_state(&path, &scene("wrap")).map_err(|error| format!("{error:#}"));
    write([8, 5], 2, "velocity");
    let state = read().unwrap();
    assert_eq!((state.tick, state.id), (0, vec![5, 8]));
    assert_eq!(state.position, [flat(2.0, 3.0), flat(0.0, 1.0)]);

    write([8, -5], 2, "velocity");
    assert!(read().unwrap_err().contains("row 1: id is -5"));
    write([8, 5], 3, "velocity");
    assert!(read().unwrap_err().contains("`position` has the shape [3, 2], expected [2, 2]"));
    write([8, 5], 2, "velocities");
    assert!(read().unwrap_err().contains("did you mean `velocity`"));
    write([8, 8], 2, "velocity");
    assert!(read().unwrap_err().contains("row 1: agent 8 was on row 0 already"));
}

/// A limit on file sizes simulates a full disk. The system kills a program that writes beyond the
/// limit, unless the program prevents that.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_ended_is_named_and_leaves_nothing() {
    let folder = Folder::empty();
    // 500 agents at two ticks are more than 10 KiB, but only as the archive of all arrays.
    for (name, count) in [("a.csv", 5000), ("a.npz", 5000), ("a.npz", 500)] {
        let run = format!("simulate --engine cpu --ticks 1 --count {count} --out {name}");
        let message = exits(&folder, 1, &format!("ulimit -f 20; flockwork {run}"));
        assert_eq!(message.matches(&format!("cannot write {name}")).count(), 1, "{message}");
        assert!(message.contains("raise the limit") && message.lines().count() == 1, "{message}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "something stayed");
    }
}

#[derive(Parser)]
pub struct Line {
    #[command(flatten)]
    pub flock: FlockArgs,
}

/// Goes on from a file; a CSV file has its scene beside it.
fn resume(path: &Path) -> anyhow::Result<Prepared> {
    let mut line = vec!["flockwork".into(), "--init".into(), path.to_path_buf()];
    if path.extension().is_some_and(|extension| extension == "csv") {
        line.extend(["--scene".into(), path.with_file_name("scene.toml")]);
    }
    Line::parse_from(line).flock.prepare(None)
}

/// A file of two ticks with everything that a file can have, in each format.
fn files_of_a_run(folder: &Path) -> [PathBuf; 2] {
    let scene = "world.size = [90, 60]\nflow = { kind = \"file\", file = \"wind.csv\", grid = [2, 1] }\n\
                 [[targets]]\nvelocity = [1, 0]\n[[targets]]\n[species.a]\ncount = 4\n\
                 [species.a.wander]\n[species.a.follow_flow]\n";
    files_of(folder, scene, "x,y\n1,2\n3,4\n")
}

/// Files of the ticks 0 and 7 of a scene with this flow field, in each format.
fn files_of(folder: &Path, scene: &str, wind: &str) -> [PathBuf; 2] {
    std::fs::write(folder.join("scene.toml"), scene).unwrap();
    std::fs::write(folder.join("wind.csv"), wind).unwrap();
    let scene = folder.join("scene.toml");
    let line = ["flockwork", "--scene", scene.to_str().unwrap()];
    let prepared = Line::parse_from(line).flock.prepare(None).unwrap();
    ["run.csv", "run.npz"].map(|name| {
        let path = folder.join(name);
        let mut writer = StateWriter::create(&path).unwrap();
        writer.describe(prepared.record()).unwrap();
        for tick in [0, 7] {
            let state = FlockState { tick, ..prepared.state.clone() };
            writer.write(&state, &prepared.scene.targets).unwrap();
        }
        writer.finish().unwrap();
        path
    })
}

/// The message about a file that is not taken.
fn refused(path: &Path) -> String {
    let Err(error) = resume(path) else { panic!("{} is taken", path.display()) };
    let message = format!("{error:#}");
    assert!(message.contains("--init ") && message.len() < 700, "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

/// An archive with one entry replaced, or left out.
fn with_entry(whole: &Path, name: &str, bytes: Option<&[u8]>) -> PathBuf {
    let path = whole.with_file_name("changed.npz");
    let mut entries = archives::entries(whole);
    entries.remove(name);
    entries.extend(bytes.map(|bytes| (name.to_string(), bytes.to_vec())));
    archives::write(&path, entries, CompressionMethod::default());
    path
}

#[test]
fn an_npz_of_a_run_that_is_changed_is_refused() {
    let folder = Folder::empty();
    let [_, whole] = files_of_a_run(&folder);
    let same = with_entry(&whole, "no.npy", None);
    assert_eq!(resume(&same).unwrap().state, resume(&whole).unwrap().state);
    let check = |name: &str, bytes: Option<&[u8]>, hints: &[&str]| {
        says(name, &refused(&with_entry(&whole, name, bytes)), hints);
    };
    let zeros = [0_u8; 256];
    let array = |kind: &str, shape: &str, bytes: usize| array(kind, shape, &zeros[..bytes]);
    check("angle.npy", None, &["`angle` is missing"]);
    check("neighbours.npy", None, &["`neighbours` is missing"]);
    check("angle.npy", Some(&array("<f4", "7,", 28)), &["`angle`", "[7], expected [8]"]);
    check("angle.npy", Some(&array("<u4", "8,", 32)), &["`angle`", "<u4", "float32"]);
    let angle = [[0; 28].as_slice(), &(-0.6_f32).to_le_bytes()].concat();
    let angle = [array("<f4", "8,", 0), angle].concat();
    check("angle.npy", Some(&angle), &["row 7: angle is -0.6", "-0.5 to 0.5"]);
    check("neighbours.npy", Some(&array("|u1", "8, 1", 8)), &["`neighbours`", "[8, 1]"]);
    check("target_hits.npy", None, &["0 targets", "has 2"]);
    check("target_hits.npy", Some(&array("<u4", "2, 1", 8)), &["`target_position`", "[2, 1, 2]"]);
    check("target_hits.npy", Some(&array("<u4", "2,", 8)), &["`target_hits`", "[2]"]);
    check("target_position.npy", Some(&array("<f4", "1, 2, 2", 16)), &["expected [2, 2, 2]"]);
    check("target_velocity.npy", None, &["`target_velocity` is missing"]);
    check("flow.npy", None, &["0 vectors", "grid = [2, 1]"]);
    check("flow.npy", Some(&array("<f4", "4,", 16)), &["`flow`", "expected [4, 2]"]);
    check("run.toml", Some(b"version = 1\ncount = x\n"), &["`run.toml`, line 2", "--scene"]);
    check("run.toml", Some(b"\xff"), &["`run.toml`, line 1", "--scene"]);
    check("run.toml", Some(b"version = 9"), &["`run.toml`, line 1", "version 9"]);
    check("tick.npy", Some(&array("<u8", "8,", 64)), &["expected [1, 2]"]);
    let late = [array("<u8", "8,", 0), [u64::MAX; 8].map(u64::to_le_bytes).concat()].concat();
    check("tick.npy", Some(&late), &["row 0: tick is 18446744073709551615"]);
}
