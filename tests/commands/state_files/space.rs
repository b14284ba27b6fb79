//! The files of flocks in space, and files of the wrong number of axes.

use std::path::{Path, PathBuf};

use clap::Parser;
use flockwork::commands::files::state_files::read_state;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;

use super::{
    Line, array, assert_named, awkward, awkward_numbers, files_of, refused, resume, with_entry,
    written_in,
};
use crate::common::agents;
use crate::shell::{Folder, says};

/// A scene in space.
pub fn space(boundary: &str) -> Scene {
    let boundary = format!("world.boundary={boundary}");
    let text = "world.size = [64, 36, 24]\n[species.a]\n[species.a.wander]\n";
    Scene::parse_with("box", text, &[boundary]).unwrap()
}

/// A scene in a plane.
fn plane() -> Scene {
    super::scene("wrap")
}

/// A state with every kind of number, on all three axes.
pub fn awkward_in_space(tick: u64) -> FlockState {
    let (mut state, numbers) = (awkward(tick), awkward_numbers());
    for (row, (p, v)) in state.position.iter_mut().zip(&mut state.velocity).enumerate() {
        (p.z, v.z) = (numbers[(row + 2) % numbers.len()], -numbers[(row + 7) % numbers.len()]);
    }
    state
}

/// The message about a file that is no flock of `scene`.
fn message(path: &Path, scene: &Scene) -> String {
    let message = format!("{:#}", read_state(path, scene).unwrap_err());
    assert!(message.lines().count() == 1 && message.len() < 700, "{message}");
    message
}

#[test]
fn the_columns_of_a_space_may_come_in_any_order() {
    let folder = Folder::with("a.csv", "vz,vy,id,z,x,y,vx\n9,1,9,8,2,3,4\n0,5,3,1,6,7,8");
    let state = read_state(&folder.join("a.csv"), &space("wrap")).unwrap();
    assert_eq!((state.tick, state.id), (0, vec![3, 9]));
    assert_eq!(state.position, [Point::new(6.0, 7.0, 1.0), Point::new(2.0, 3.0, 8.0)]);
    assert_eq!(state.velocity, [Point::new(8.0, 5.0, 0.0), Point::new(4.0, 1.0, 9.0)]);
}

#[test]
fn what_is_wrong_with_the_csv_of_a_space_is_named() {
    let folder = Folder::empty();
    let path = folder.join("bad.csv");
    let header = "tick,id,species,x,y,z,vx,vy,vz\n";
    let cases: [(&str, &[&str]); 12] = [
        ("id,x,y,vx,vy,vz\n", &["line 1", "\"z\" is missing", "in space tick,id,species,x,y,z,"]),
        ("id,x,y,z,vx,vy\n", &["line 1", "\"vz\" is missing", "in space"]),
        ("id,x,y,z,vx,vy,vz,z\n", &["line 1", "\"z\" appears twice"]),
        ("id,x,y,z,vx,vy,w\n", &["line 1", "unknown column \"w\""]),
        // One place without z: nothing there, or one number less.
        ("H0,1,0,2,3,4,5,6,7\n0,2,0,2,3,,5,6,7\n", &["line 3", "z is \"\", expected a number"]),
        ("H0,1,0,2,3,4,5,6,7\n0,2,0,2,3,5,6,7\n", &["line 3: 8 values", "9 columns"]),
        ("H0,1,0,2,3,4,5,6,\n", &["line 2", "vz is \"\""]),
        ("H0,1,0,2,3,NaN,5,6,7\n", &["line 2", "z of agent 1 is NaN"]),
        ("H0,1,0,2,3,4,5,6,-1.1e12\n", &["line 2", "vz of agent 1", "-1e12 to 1e12"]),
        ("H0,1,0,2,3,24.5,5,6,7\n", &["(2, 3, 24.5)", "world of 64 × 36 × 24", "size=[W,H,D]"]),
        ("H0,1,0,2,3,-1,5,6,7\n", &["line 2", "(2, 3, -1) is outside"]),
        ("H0,1,0,2,3,4,5,6,7\n0,2,0,2,3,4,5,6,7", &["cut short"]),
    ];
    assert_named(&path, &space("wrap"), header, &cases);
}

#[test]
fn a_file_of_another_number_of_axes_is_refused() {
    let folder = Folder::empty();
    let inside = agents(&[(Point::ONE, Point::ONE)]);
    for (axes, scene, right, told) in [
        (2, space("wrap"), plane(), ["have no z", "`box` has three axes"]),
        (3, plane(), space("wrap"), ["have a z", "`flock` is a plane"]),
    ] {
        for name in ["axes.csv", "axes.npz"] {
            let path = written_in(axes, &folder, name, std::slice::from_ref(&inside));
            says(
                name,
                &message(&path, &scene),
                &[&[name, "--scene", "z and vz"], &told[..]].concat(),
            );
            let place = Point::new(1.0, 1.0, if axes == 2 { 0.0 } else { 1.0 });
            assert_eq!(read_state(&path, &right).unwrap().position, [place], "{axes}, {name}");
        }
    }
    // A file that describes its run: the command line makes the scene another one.
    let [_, path] = files_of_a_run(&folder);
    for (set, hint) in [
        ("world.size=[90,60]", "give world.size three numbers"),
        ("flow.grid=[2,1]", "columns, rows and layers"),
        ("targets.0.position=[1,2]", "add the z"),
    ] {
        let line = ["flockwork", "--init", path.to_str().unwrap(), "--set", set];
        let error = Line::parse_from(line).flock.prepare(None).unwrap_err();
        let message = format!("{error:#}");
        assert!(message.contains(hint), "{set}: {message}");
    }
}

/// A file of two ticks with everything that the file of a space can have, in each format.
pub fn files_of_a_run(folder: &Path) -> [PathBuf; 2] {
    let scene = "world.size = [90, 60, 40]\n[[targets]]\nvelocity = [1, 0, -1]\n[[targets]]\n\
                 [species.a]\ncount = 4\n[species.a.wander]\n[species.a.follow_flow]\n[flow]\n\
                 kind = \"file\"\nfile = \"wind.csv\"\ngrid = [2, 1, 1]\n";
    files_of(folder, scene, "x,y,z\n1,2,-1\n3,4,0.5\n")
}

#[test]
fn the_file_of_a_run_in_space_goes_on_and_is_refused_when_it_is_changed() {
    let folder = Folder::empty();
    let [csv, npz] = files_of_a_run(&folder);
    let first = resume(&npz).unwrap();
    assert_eq!((first.state.tick, first.state.len(), first.scene.world.axes()), (7, 4, 3));
    assert_eq!(first.scene.flow.as_ref().unwrap().vectors[1], Point::new(3.0, 4.0, 0.5));
    assert_eq!(resume(&csv).unwrap().state.position, first.state.position);
    let text = std::fs::read_to_string(&csv).unwrap();
    assert!(text.starts_with("tick,id,species,x,y,z,vx,vy,vz\n"), "{text}");
    let record = std::fs::read_to_string(csv.with_extension("run.toml")).unwrap();
    assert!(record.contains("\nworld = [90.0, 60.0, 40.0]\n"), "{record}");
    for (from, to, hint) in [
        (", 40.0]\n", ", 40.0, 1]\n", "its world has 4 sides, expected two or three"),
        ("world = [90.0, 60.0, 40.0]", "world = [90.0]", "its world has 1 side,"),
        ("size = [90, 60, 40]", "size = [90, 60]", "the world is a plane"),
        ("size = [90, 60, 40]", "size = [90, 60, 0]", "world.size.2"),
    ] {
        let text = record.replace(from, to);
        assert_ne!(text, record, "{from}");
        let message = refused(&with_entry(&npz, "run.toml", Some(text.as_bytes())));
        assert!(message.contains(hint), "{from} to {to}: {message} without {hint}");
    }
    let infinite = [f32::INFINITY; 12].map(f32::to_le_bytes).concat();
    let infinite = array("<f4", "2, 2, 3", &infinite);
    let message = refused(&with_entry(&npz, "target_position.npy", Some(&infinite)));
    assert!(message.contains("positions and velocities are numbers from"), "{message}");
    let vectors = [3.0, 4.0, 0.5, 3.0, 4.0, f32::NAN].map(f32::to_le_bytes).concat();
    let message = refused(&with_entry(&npz, "flow.npy", Some(&array("<f4", "2, 3", &vectors))));
    assert!(message.contains("vector 1 of its flow field, 3, 4, NaN"), "{message}");
}

#[test]
fn the_arrays_of_a_space_have_three_numbers_each() {
    let folder = Folder::empty();
    let [_, whole] = files_of_a_run(&folder);
    let zeros = [0_u8; 256];
    for (name, shape, numbers, hint) in [
        ("position", "8, 2", 16, "`velocity` has the shape [8, 3], expected [8, 2], as for"),
        ("velocity", "8, 2", 16, "`velocity` has the shape [8, 2], expected [8, 3]"),
        ("position", "8, 4", 32, "two coordinates each, or three in space"),
        ("position", "24,", 24, "`position` has the shape [24], expected [8, 2]"),
        ("position", "7, 3", 21, "`position` has the shape [7, 3], expected [8, 3]"),
        ("target_position", "2, 2, 2", 8, "expected [2, 2, 3]"),
        ("target_velocity", "2, 3, 2", 12, "expected [2, 2, 3]"),
        ("flow", "2, 2", 4, "`flow` has the shape [2, 2], expected [2, 3]"),
    ] {
        let bytes = array("<f4", shape, &zeros[..numbers * 4]);
        let message = refused(&with_entry(&whole, &format!("{name}.npy"), Some(&bytes)));
        assert!(message.contains(hint), "{name} {shape}: {message} without {hint}");
    }
}
