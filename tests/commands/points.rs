//! Folders of points, read as the PLY format says and not as they were written.

use std::collections::BTreeMap;
use std::path::Path;

use flockwork::commands::files::state_files::read_state;

use crate::common::built_in;
use crate::shell::{Folder, exits, names};

/// The agents of a binary PLY file: each a number for each property.
fn points(path: &Path) -> Vec<BTreeMap<String, f64>> {
    let bytes = std::fs::read(path).unwrap();
    let end = b"end_header\n";
    let begin = bytes.windows(end.len()).position(|part| part == end).unwrap() + end.len();
    let header = std::str::from_utf8(&bytes[..begin]).unwrap();
    let mut lines = header.lines().filter(|line| !line.starts_with("comment "));
    assert_eq!(lines.next(), Some("ply"));
    assert_eq!(lines.next(), Some("format binary_little_endian 1.0"));
    let count: usize =
        lines.next().unwrap().strip_prefix("element vertex ").unwrap().parse().unwrap();
    let properties: Vec<(&str, &str)> = lines
        .take_while(|line| *line != "end_header")
        .map(|line| line.strip_prefix("property ").unwrap().split_once(' ').unwrap())
        .collect();
    let mut data = &bytes[begin..];
    let mut take = |size: usize| {
        let (number, rest) = data.split_at(size);
        data = rest;
        number
    };
    let mut agents = Vec::new();
    for _ in 0..count {
        let numbers = properties.iter().map(|(kind, name)| {
            let number = match *kind {
                "float" => f32::from_le_bytes(take(4).try_into().unwrap()).into(),
                "uint" => u32::from_le_bytes(take(4).try_into().unwrap()).into(),
                "uchar" => take(1)[0].into(),
                other => panic!("the type {other}"),
            };
            ((*name).to_string(), number)
        });
        agents.push(numbers.collect());
    }
    assert!(data.is_empty(), "{} bytes too many", data.len());
    agents
}

#[test]
fn a_folder_has_the_agents_of_each_tick() {
    for (name, count) in [("flock", 300), ("school", 200), ("fireflies", 100)] {
        let folder = Folder::empty();
        let run =
            format!("flockwork simulate --engine cpu --scene {name} --count {count} --ticks 30");
        let line = format!("{run} --every 20 --out points; {run} --out end.npz");
        exits(&folder, 0, &line);
        let written = names(&folder.join("points"));
        let files = ["run.toml", "tick_000000000.ply", "tick_000000020.ply", "tick_000000030.ply"];
        assert_eq!(written, files);

        let (scene, first) = built_in(name, count, &[]);
        let last = read_state(&folder.join("end.npz"), &scene).unwrap();
        for (file, state) in [(files[1], first), (files[3], last)] {
            let agents = points(&folder.join("points").join(file));
            assert_eq!(agents.len(), state.len());
            for (agent, found) in agents.iter().enumerate() {
                let (place, velocity) = (state.position[agent], state.velocity[agent]);
                let numbers = [
                    ("x", place.x.into()),
                    ("y", place.y.into()),
                    ("z", place.z.into()),
                    ("vx", velocity.x.into()),
                    ("vy", velocity.y.into()),
                    ("vz", velocity.z.into()),
                    ("id", f64::from(state.id[agent])),
                    ("species", state.species[agent].into()),
                ];
                let mut wanted: BTreeMap<String, f64> =
                    numbers.map(|(name, number)| (name.to_string(), number)).into();
                for (place, name) in state.kept_names.iter().enumerate() {
                    wanted.insert(format!("state_{name}"), state.kept[agent][place].into());
                }
                assert_eq!(*found, wanted);
            }
        }
    }
}

#[test]
fn a_folder_is_written_again_goes_on_and_takes_no_other_run() {
    let folder = Folder::empty();
    let run = "flockwork simulate --engine cpu --count 50 --out points";
    let twice = format!("{run} --ticks 20 --every 10 && {run} --ticks 20 --every 10");
    exits(&folder, 0, &twice);
    let kept = folder.bytes("points/tick_000000010.ply");
    for other in ["--ticks 10 --every 10", "--ticks 20 --every 20", "--ticks 60 --every 30"] {
        let message = exits(&folder, 1, &format!("{run} {other}"));
        assert!(message.contains("of another run, which would mix"), "{other}: {message}");
    }
    exits(&folder, 0, &format!("{run} --ticks 40 --every 10"));
    assert_eq!(folder.bytes("points/tick_000000010.ply"), kept);

    // A run that goes on adds to the folder.
    let part = format!("{run} --checkpoint kept --every 10");
    let lines = format!("rm -r points; {part} --ticks 20; {part} --ticks 40");
    exits(&folder, 0, &lines);
    let ticks = ["000", "010", "020", "030", "040"].map(|tick| format!("tick_000000{tick}.ply"));
    assert_eq!(names(&folder.join("points"))[1..], ticks);

    // Ticks before the first may be another run's too.
    let other = "flockwork simulate --engine cpu --scene seek --ticks 10 --out ten.npz";
    let mixed = "flockwork simulate --engine cpu --init ten.npz --ticks 30 --every 10 --out points";
    let message = exits(&folder, 1, &format!("{other}; {mixed}"));
    assert!(message.contains("tick_000000000.ply of another run, which would mix"), "{message}");

    let message = exits(&folder, 2, "flockwork simulate --ticks 1 --out a.txt");
    assert!(message.contains("a name without an ending is a folder of PLY files"), "{message}");
}
