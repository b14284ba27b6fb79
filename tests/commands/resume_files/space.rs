//! Files of flocks in space: the scenes, and what makes their tests tests of each part.

use std::path::Path;

use super::{changed_by, forget, last};
use crate::archives::Entries;
use crate::common::mixed_in_space_text;
use crate::shell::Folder;

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

/// Changes the third coordinate of each point at the last tick.
fn third(entries: &mut Entries, array: &str, change: impl Fn(f32) -> f32) -> bool {
    let points = last(entries, array);
    for point in points.chunks_exact_mut(12) {
        let number = f32::from_le_bytes([point[8], point[9], point[10], point[11]]);
        point[8..].copy_from_slice(&change(number).to_le_bytes());
    }
    !points.is_empty()
}

/// A control: the tests of files from spaces test each part, for with another third coordinate, another
/// memory, other targets or another flow field some scene goes on otherwise.
#[test]
fn every_part_of_the_file_of_a_space_is_needed_by_some_scene() {
    let scenes = &Folder::empty();
    let starts = starts(scenes);
    for array in ["position.npy", "velocity.npy"] {
        let changed = changed_by(&starts, |entries| third(entries, array, |z| z * 0.999));
        assert_eq!(changed, starts.len(), "{array}");
    }
    let forgetful = changed_by(&starts, forget);
    assert!(forgetful >= 4, "{forgetful}");
    let lowered = changed_by(&starts, |entries| third(entries, "target_position.npy", |_| 0.5));
    assert!(lowered >= 3, "{lowered}");
    let calm = changed_by(&starts, |entries| third(entries, "flow.npy", |z| -z));
    assert_eq!(calm, 1);
}
