//! CSV state files are plain rows. A flock starts from their places and velocities.

use clap::Parser;
use flockwork::commands::files::state_files::read_state;
use flockwork::commands::host::errors::UsageError;
use flockwork::model::vector::flat;

use crate::shell::{Folder, exits};

use super::{Line, files_of_a_run, refused, resume, scene, with_entry};

#[test]
fn plain_readers_find_the_header_and_a_number_in_every_field() {
    let folder = Folder::empty();
    let [path, _] = files_of_a_run(&folder);
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    assert_eq!(lines.next().unwrap().join(","), "tick,id,species,x,y,vx,vy");
    let is_number = |field: &&str| field.parse::<f64>().is_ok_and(f64::is_finite);
    let rows: Vec<_> = lines.collect();
    assert!(rows.len() == 8 && text.ends_with('\n') && !text.contains([' ', '#', '"', '\r']));
    assert!(rows.iter().all(|row| row.len() == 7 && row.iter().all(&is_number)), "{text}");
}

#[test]
fn a_flock_starts_from_the_places_and_velocities_of_the_last_tick() {
    let folder = Folder::empty();
    let [csv, npz] = files_of_a_run(&folder);
    let (plain, exact) = (resume(&csv).unwrap(), resume(&npz).unwrap());
    assert_eq!((plain.state.tick, plain.state.id), (7, exact.state.id.clone()));
    assert_eq!(plain.state.position, exact.state.position);
    assert_eq!(plain.state.velocity, exact.state.velocity);
    assert!(plain.state.memory.is_empty() && !exact.state.memory.is_empty());
    // The record beside the file is a scene, with the flow field's file beside it.
    let record = csv.with_extension("run.toml");
    let (csv, record) = (csv.to_str().unwrap(), record.to_str().unwrap());
    let line = ["flockwork", "--init", csv, "--scene", record, "--set", "world.size=[95,60]"];
    let again = Line::parse_from(line).flock.prepare(None).unwrap();
    assert_eq!((again.state.position, again.scene.world.size), {
        (exact.state.position, flat(95.0, 60.0))
    });
    assert_eq!(again.scene.flow.unwrap().vectors, [flat(1.0, 2.0), flat(3.0, 4.0)]);
    let error = Line::parse_from(&line[..3]).flock.prepare(None).unwrap_err();
    let message = format!("{error:#}");
    assert!(error.is::<UsageError>() && message.contains("does not say which scene"), "{message}");
    assert!(message.contains("--scene NAME") && message.contains(".run.toml"), "{message}");
}

#[test]
fn one_line_says_what_begins_anew() {
    let folder = Folder::empty();
    let [_, npz] = files_of_a_run(&folder);
    let told = |file: &str, more: &str| {
        let line = format!("simulate --engine cpu --ticks 0 --out a.npz --init {file} {more}");
        exits(&folder, 0, &format!("flockwork {line}"))
    };
    let message = told("run.csv", "--scene scene.toml");
    assert!(message.contains("run.csv: starting from its last tick, 7"), "{message}");
    assert!(message.contains("what behaviours remember begins anew"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(!told("run.npz", "").contains("anew"));
    let mut changed = with_entry(&npz, "run.toml", None);
    let message = told("changed.npz", "--scene scene.toml");
    let targets = "has no record of its run: targets begin where the scene puts them";
    assert!(message.contains(targets) && message.lines().count() == 2, "{message}");
    for array in ["angle.npy", "neighbours.npy"] {
        changed = with_entry(&changed, array, None);
    }
    let message = told("changed.npz", "--scene scene.toml");
    assert!(message.contains("behaviours remember begins anew, and targets begin"), "{message}");
    folder.write("b.csv", "id,x,y,vx,vy,state.phas\n0,2,3,1,1,0.5\n");
    let message = told("b.csv", "--scene scene.toml");
    let lost = "no rule of the scene keeps state.phas, so the file's is left out";
    assert!(message.contains(lost) && message.lines().count() == 2, "{message}");
}

/// Columns and comments that older versions wrote are passed over.
#[test]
fn older_files_are_read_as_plain_rows() {
    let folder = Folder::empty();
    let path = folder.join("a.csv");
    let long = "version = 1%0A".repeat(5000);
    for text in [
        format!("tick,id,species,x,y,vx,vy,run\n4,9,0,2,3,4,1,{long}\n4,3,0,6,7,8,5,\n"),
        "id,run,x,y,vx,vy,angle,neighbours\n9,,2,3,4,1,0.1,3\n3,,6,7,8,5,0.2,300\n".into(),
        "id,x,y,vx,vy,angle,shown\n9,2,3,4,1,0.1,3\n3,6,7,8,5,0.2,30\n".into(),
        "# flockwork run, in TOML\n# a = 1\n#flow,1,2\nid,x,y,vx,vy\n#target,0,0,1,1,0,0,0\n\
         9,2,3,4,1\n3,6,7,8,5\n"
            .into(),
    ] {
        std::fs::write(&path, &text).unwrap();
        let state = read_state(&path, &scene("wrap")).unwrap();
        assert_eq!((state.id, state.memory.len()), (vec![3, 9], 0), "{text}");
        assert_eq!(state.position, [flat(6.0, 7.0), flat(2.0, 3.0)], "{text}");
    }
}

#[test]
fn a_file_that_is_cut_is_refused() {
    let folder = Folder::empty();
    let [path, _] = files_of_a_run(&folder);
    let whole = std::fs::read_to_string(&path).unwrap();
    // A row of the last tick, the first included, is never half of it.
    let first = whole.find("\n7,").unwrap() + 1;
    for length in first + 1..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        refused(&path);
    }
    std::fs::write(&path, &whole[..first]).unwrap();
    assert_eq!(resume(&path).unwrap().state.tick, 0);
    std::fs::write(&path, &whole[..first - 1]).unwrap();
    assert!(refused(&path).contains("the last line has no end"));
    let endless = format!("{whole}{}", "1".repeat(3 << 20));
    std::fs::write(&path, endless).unwrap();
    assert!(refused(&path).contains("line 10 is longer than 1048576 bytes"));
}
