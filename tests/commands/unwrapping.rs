//! How far agents come in wrapped worlds: images in state files, and the mean square displacement. Agents
//! without forces have ways in closed form. Needs no GPU.

use std::collections::BTreeMap;
use std::path::Path;

use glam::DVec2;

use crate::archives::entries;
use crate::shell::{self, Folder, exits, shell};

const SIZE: DVec2 = DVec2::new(10.0, 6.0);

/// Agents that fly straight on, in all directions.
const STRAIGHT: &str = r#"about = "Straight on"
[world]
size = [10, 6]
boundary = "wrap"
[species.flyer]
count = 50
size = 0.1
max_speed = 0.5
spawn = { place = "uniform", speed = 0.5 }
"#;

/// World units: 200 sums of `f32` below 16 round by at most 2⁻²¹ each.
const ROUNDING: f64 = 200.0 / 2_097_152.0;

/// The rows of a CSV file by tick.
fn rows(path: &Path) -> BTreeMap<u64, Vec<BTreeMap<String, f64>>> {
    let mut all: BTreeMap<u64, Vec<BTreeMap<String, f64>>> = BTreeMap::new();
    for row in shell::rows(path) {
        let number = |(name, text): (String, String)| (name, text.parse().unwrap());
        let row: BTreeMap<String, f64> = row.into_iter().map(number).collect();
        all.entry(row["tick"] as u64).or_default().push(row);
    }
    all
}

fn two(row: &BTreeMap<String, f64>, x: &str, y: &str) -> DVec2 {
    DVec2::new(row[x], row[y])
}

/// Runs a command line in a folder with the scene `flock.toml`, successfully.
fn done(folder: &Path, scene: &str, line: &str) {
    std::fs::write(folder.join("flock.toml"), scene).unwrap();
    exits(folder, 0, &format!("flockwork simulate --engine cpu {line}"));
}

#[test]
fn straight_ways_go_on_beyond_the_edges() {
    let folder = Folder::empty();
    // Between two rows an agent comes farther than the world is wide.
    let line = "--scene flock.toml --ticks 200 --unwrap --every 80 --out a.csv";
    let metrics = "--metrics m.csv --metrics-every 50 --metric mean_square_displacement,agents";
    done(&folder, STRAIGHT, &format!("{line} {metrics}"));
    let states = rows(&folder.join("a.csv"));
    assert!(states.keys().eq(&[0, 80, 160, 200]), "{:?}", states.keys());
    let mut far = 0;
    for (tick, state) in &states {
        for (first, row) in states[&0].iter().zip(state) {
            let image = two(row, "image_x", "image_y");
            let come = two(row, "x", "y") + image * SIZE - two(first, "x", "y");
            let expected = two(first, "vx", "vy") * *tick as f64;
            assert!(come.distance(expected) < ROUNDING, "{tick}: {come}, expected {expected}");
            far += u32::from(image.length() > 2.0);
        }
    }
    assert!(far > 100, "the ways cross many edges: {far}");
    let metrics = rows(&folder.join("m.csv"));
    assert!(metrics.keys().eq(&[0, 50, 100, 150, 200]));
    for (tick, row) in &metrics {
        let expected = (0.5 * *tick as f64).powi(2);
        let found = row[0]["mean_square_displacement"];
        assert!((found - expected).abs() <= 1e-5 * expected, "{tick}: {found}, {expected}");
    }
    // The file has no other columns that a reader would not know, and its images are not read.
    let header = folder.text("a.csv");
    assert!(header.starts_with("tick,id,species,x,y,vx,vy,image_x,image_y\n"));
    done(&folder, STRAIGHT, "--scene flock.toml --init a.csv --ticks 0 --unwrap --out again.csv");
    let again = rows(&folder.join("again.csv"));
    let images = again[&200].iter().map(|row| two(row, "image_x", "image_y"));
    assert!(images.eq([DVec2::ZERO; 50]), "images count from the begin of a file");
    for (old, new) in states[&200].iter().zip(&again[&200]) {
        assert_eq!(two(old, "x", "y"), two(new, "x", "y"));
    }
}

#[test]
fn ways_do_not_depend_on_the_rows_that_are_written() {
    let folder = Folder::empty();
    // A hit sends the agent over almost half of the world.
    let sent = r#"world = { size = [100, 100], boundary = "wrap" }
targets = [{ name = "gate", position = [20, 50], hit_radius = 0.6, sends_to = [65, 50] }]
[species.a]
max_speed = 1
seek = { target = "gate", weight = 0 }
"#;
    folder.write("sent.csv", "id,x,y,vx,vy\n0,10,50,1,0\n");
    // The first step is faster than the limit.
    let fast = r#"world = { size = [100, 100], boundary = "wrap" }
species.a = { position_step = "old", max_speed = 1, max_force = 10 }
"#;
    folder.write("fast.csv", "id,x,y,vx,vy\n0,10,50,30,0\n");
    for (scene, init, ticks, expected) in
        [(sent, "sent.csv", 60, 105.0_f64.powi(2)), (fast, "fast.csv", 90, 119.0_f64.powi(2))]
    {
        for every in [1, ticks] {
            let metrics = format!(
                "--metrics m.csv --metrics-every {every} --metric mean_square_displacement"
            );
            let line = format!("--scene flock.toml --init {init} --ticks {ticks} --every {every}");
            done(&folder, scene, &format!("{line} --unwrap --out a.csv {metrics}"));
            let states = rows(&folder.join("a.csv"));
            assert_eq!(states[&ticks][0]["image_x"], 1.0, "{init}, every {every}");
            let found = rows(&folder.join("m.csv"))[&ticks][0]["mean_square_displacement"];
            assert!((found - expected).abs() < 1e-3, "{init}, every {every}: {found}, {expected}");
        }
    }
}

#[test]
fn an_archive_has_the_same_images_and_is_read_again() {
    let folder = Folder::empty();
    for name in ["a.csv", "a.npz"] {
        let line = format!("--scene flock.toml --ticks 90 --unwrap --every 30 --out {name}");
        done(&folder, STRAIGHT, &line);
    }
    let array = &entries(&folder.join("a.npz"))["image.npy"];
    let header = String::from_utf8_lossy(&array[..100]);
    assert!(header.contains("'<i4'") && header.contains("(200, 2)"), "{header}");
    let numbers = array[array.len() - 200 * 2 * 4..].as_chunks::<4>().0;
    let numbers = numbers.iter().map(|bytes| f64::from(i32::from_le_bytes(*bytes)));
    let states = rows(&folder.join("a.csv"));
    let expected = states.values().flatten().flat_map(|row| [row["image_x"], row["image_y"]]);
    assert!(numbers.eq(expected));
    // Ticks with and without a row of the metric that follows the agents too.
    let metrics = "--metrics m.csv --metrics-every 3 --metric mean_square_displacement";
    let line = format!("--init a.npz --ticks 5 --every 2 --out b.npz {metrics}");
    done(&folder, STRAIGHT, &line);
    let plain = entries(&folder.join("b.npz"));
    assert!(!plain.contains_key("image.npy"), "only where it is asked for");
}

#[test]
fn wanderers_diffuse_as_einstein_says() {
    let folder = Folder::empty();
    let scene =
        STRAIGHT.replace("count = 50", "count = 4000").replace("speed = 0.5 }", "speed = 0 }");
    let scene = scene.replace("max_speed = 0.5", "max_speed = 0.5\njitter = 0.3");
    let line = "--scene flock.toml --ticks 300 --metrics m.csv --metrics-every 100";
    done(&folder, &scene, &format!("{line} --metric mean_square_displacement"));
    for (tick, row) in rows(&folder.join("m.csv")) {
        let found = row[0]["mean_square_displacement"];
        // Two axes, each with the variance of a sum of independent pushes.
        let expected = 2.0 * 0.3 * 0.3 * tick as f64;
        // The mean of 4,000 squares of a normal vector in a plane is off by 1/√4000 of itself.
        let standard_error = expected / 4000_f64.sqrt();
        assert!((found - expected).abs() <= 4.0 * standard_error, "{tick}: {found}, {expected}");
    }
}

#[test]
fn what_cannot_be_followed_is_said() {
    let folder = Folder::empty();
    let failed = |line: &str| {
        folder.write("flock.toml", STRAIGHT);
        let line = format!("flockwork simulate --engine cpu --scene flock.toml --ticks 3 {line}");
        let output = shell(&folder, &line);
        assert!(!output.status.success(), "{line}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let fast = "--set species.flyer.max_speed=3";
    let said = failed(&format!("{fast} --unwrap --out a.csv"));
    assert!(said.contains("--unwrap: agents may move 3 world units in one tick"), "{said}");
    let said = failed(&format!("{fast} --metrics a.csv --metric mean_square_displacement"));
    assert!(said.contains("--metric mean_square_displacement: agents may move"), "{said}");
    folder.write("fast.csv", "id,x,y,vx,vy\n0,1,1,3,0\n");
    let old = "--init fast.csv --set species.flyer.position_step=old --unwrap --out a.csv";
    let said = failed(old);
    assert!(said.contains("agents may move 3 world units in one tick"), "{said}");
    let said = failed("--unwrap --out points");
    assert!(said.contains("a folder of PLY files has no images"), "{said}");
    assert!(failed("--unwrap --metrics a.csv").contains("--out"));
    let open = "--set world.boundary=\\\"open\\\"";
    done(
        &folder,
        STRAIGHT,
        &format!("--scene flock.toml {fast} {open} --ticks 3 --unwrap --out a.csv"),
    );
    let images = rows(&folder.join("a.csv"));
    assert!(images.values().flatten().all(|row| two(row, "image_x", "image_y") == DVec2::ZERO));
}
