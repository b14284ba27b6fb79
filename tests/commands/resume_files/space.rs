//! Files of flocks in space: the scenes, and what makes their tests tests of each part.

use std::path::Path;

use flockwork::engine::cpu::CpuEngine;

use super::{AFTER, BEFORE, folders, init, simulate, whole_and_half};
use crate::common::mixed_in_space_text;

/// Flocks in space: a built-in scene, everything at once, and a flow field from a file.
pub fn starts(folder: &Path) -> Vec<String> {
    let size = "--set world.size=[200,150,100]";
    let velocity = "velocity={from=[-1,-1,-1],to=[1,1,1]}";
    let flock = format!(
        "--set starling.spawn.{velocity} --set starling.spawn_at_scale.{velocity} --density 7.3"
    );
    let mut starts: Vec<String> = [("flock", flock.as_str()), ("wander", ""), ("predators", "")]
        .map(|(name, more)| format!("--scene {name} --count 150 --seed 5 {size} {more}"))
        .to_vec();
    std::fs::write(folder.join("space.toml"), mixed_in_space_text()).unwrap();
    for boundary in ["wrap", "walls", "open"] {
        let space = folder.join("space.toml");
        let set = format!("--set world.boundary={boundary}");
        starts.push(format!("--scene {} --count 300 --seed 5 {set}", space.display()));
    }
    let cells: String =
        (0..12).map(|cell| format!("{},1e-3,-{cell}\n", 0.1 + cell as f32)).collect();
    std::fs::write(folder.join("updraught.csv"), format!("x,y,z\n{cells}")).unwrap();
    let wind = "world.size = [90, 60, 40]\nflow = { kind = \"file\", file = \"updraught.csv\", grid = \
                [3, 2, 2] }\n[species.a]\n[species.a.follow_flow]\n[species.a.swim]\n\
                [species.b.wander]\n";
    std::fs::write(folder.join("updraught.toml"), wind).unwrap();
    starts.push(format!("--scene {}", folder.join("updraught.toml").display()));
    starts
}

/// A control: the tests of files from spaces test each part, for with another third coordinate, another
/// memory, other targets or another flow field some scene goes on otherwise.
#[test]
fn every_part_of_the_file_of_a_space_is_needed_by_some_scene() {
    let (scenes, results) = folders();
    let folder = results.path();
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let starts = starts(scenes.path());
    let mut noticed = [0; 5];
    for start in &starts {
        whole_and_half(&mut engine, start, folder);
        let half = std::fs::read_to_string(folder.join("half.csv")).unwrap();
        let header: Vec<&str> = half.lines().next().unwrap().split(',').collect();
        let place = |name: &str| header.iter().position(|column| *column == name);
        assert_eq!(header[3..9].join(","), "x,y,z,vx,vy,vz", "{start}");
        let row = format!("{BEFORE},");
        // A number of each row of the last tick, made another one.
        let with = |column: Option<usize>, change: &dyn Fn(&str) -> String| -> String {
            let other = |line: &str| {
                let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
                if let Some(column) = column.filter(|_| line.starts_with(&row)) {
                    fields[column] = change(&fields[column]);
                }
                fields.join(",") + "\n"
            };
            half.lines().map(other).collect()
        };
        let number = |text: &str| text.parse::<f32>().unwrap();
        let nudged = |text: &str| (number(text) * 0.999).to_string();
        let turned = |text: &str| (number(text) * 0.5).to_string();
        // The height of the first target.
        let lowered = |text: &str| {
            let Some((before, targets)) = text.split_once("targets = [[") else {
                return text.into();
            };
            let mut numbers: Vec<&str> = targets.splitn(4, "%2C ").collect();
            numbers[2] = "0.5";
            format!("{before}targets = [[{}", numbers.join("%2C "))
        };
        let flow = half.replace("%2C -11.0]", "%2C 11.0]");
        let changes = [
            with(place("z"), &nudged),
            with(place("vz"), &nudged),
            with(place("angle"), &turned),
            with(place("run"), &lowered),
            flow,
        ];
        for (noticed, text) in noticed.iter_mut().zip(changes) {
            if text == half {
                continue;
            }
            std::fs::write(folder.join("changed.csv"), text).unwrap();
            simulate(&mut engine, &init(folder, "changed.csv"), AFTER, folder, "resumed");
            let end = |name: &str| {
                let text = std::fs::read_to_string(folder.join(format!("{name}.csv"))).unwrap();
                let rows =
                    text.lines().filter(|line| line.starts_with(&format!("{},", BEFORE + AFTER)));
                let motion = rows.map(|row| row.split(',').take(9).collect::<Vec<_>>().join(","));
                motion.collect::<Vec<_>>()
            };
            *noticed += u32::from(end("whole") != end("resumed"));
        }
    }
    let all = starts.len() as u32;
    assert!(noticed[0] == all && noticed[1] == all, "z, vz: {noticed:?} of {all}");
    assert!(noticed[2] >= 4 && noticed[3] >= 3 && noticed[4] == 1, "{noticed:?} of {all}");
}
