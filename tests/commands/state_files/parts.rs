//! A file that several processes read: each keeps a part of the agents.

use std::path::Path;

use flockwork::commands::files::state_files::{read_state, read_table};
use flockwork::model::io::Part;
use flockwork::model::state::FlockState;
use flockwork::model::vector::flat;
use zip::CompressionMethod;

use super::{awkward, bits, scene, written};
use crate::archives::{self, Entries};
use crate::shell::Folder;

/// The part of each process, as rows of the whole.
fn parts(path: &Path, size: usize) -> Vec<FlockState> {
    let part = |rank| {
        let table = read_table(path, false, Part { rank, size }).unwrap();
        assert_eq!(table.ticks.rows, read_state(path, &scene("open")).unwrap().len() as u64);
        table.into_state(&scene("open")).unwrap()
    };
    (0..size).map(part).collect()
}

/// All agents of all parts, by ascending id.
fn merged(parts: &[FlockState]) -> FlockState {
    let mut all = FlockState { tick: parts[0].tick, ..FlockState::default() };
    parts.iter().for_each(|part| all.extend(part));
    all.by_id()
}

/// Many agents whose ids have gaps.
fn many(tick: u64) -> FlockState {
    let state = awkward(tick);
    let row = |row: usize| state.rows(row % state.len()..row % state.len() + 1);
    let mut all = FlockState { tick, ..FlockState::default() };
    (0..900).for_each(|number| all.extend(&row(number)));
    all.id = (0..900).map(|number| number * 3 + 1).collect();
    all
}

#[test]
fn the_parts_of_all_processes_are_the_flock() {
    let folder = Folder::empty();
    for name in ["a.csv", "a.npz"] {
        let path = written(&folder, name, &[many(2), many(5)]);
        let whole = read_state(&path, &scene("open")).unwrap();
        for size in [1, 2, 3, 7] {
            let parts = parts(&path, size);
            assert_eq!(bits(&merged(&parts)), bits(&whole), "{name}, {size} processes");
            // Nobody has much more than a share.
            let largest = parts.iter().map(FlockState::len).max().unwrap();
            assert!(largest * size < 900 * 3 / 2, "{name}: {largest} of 900 on one of {size}");
            assert!(size == 1 || bits(&merged(&parts[1..])) != bits(&whole), "{name}");
        }
    }
}

#[test]
fn a_repeated_id_is_found_by_one_process() {
    let rows = "id,x,y,vx,vy\n8,0,0,0,0\n9,0,0,0,0\n3,0,0,0,0\n8,0,0,0,0\n";
    let folder = Folder::with("a.csv", rows);
    let path = folder.join("a.csv");
    for size in [1, 2, 5] {
        let read = |rank| read_table(&path, false, Part { rank, size }).err();
        let errors: Vec<_> = (0..size).filter_map(read).map(|error| format!("{error:#}")).collect();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].contains("line 5: agent 8 was on line 2 already"), "{errors:?}");
    }
}

/// Five agents in an archive whose arrays have their columns first. Some have another tick.
fn columns_first(path: &Path, ticks: Option<[u8; 5]>) {
    let mut entries = Entries::new();
    let mut put = |name: &str, kind: &str, shape: &str, numbers: &[u8]| {
        let header = archives::header(kind, shape).replace("False", "True");
        entries.insert(format!("{name}.npy"), archives::array(&header, numbers));
    };
    if let Some(ticks) = ticks {
        put("tick", "|u1", "5,", &ticks);
    }
    put("id", "|u1", "5,", &IDS.map(|id| id as u8));
    let floats = |from: u8| -> Vec<u8> {
        (from..from + 10).flat_map(|number| f32::from(number).to_le_bytes()).collect()
    };
    put("position", "<f4", "5, 2", &floats(0));
    put("velocity", "<f4", "5, 2", &floats(100));
    archives::write(path, entries, CompressionMethod::default());
}

const IDS: [u32; 5] = [0, 4, 2, 9, 6];

#[test]
fn columns_may_come_first_and_ticks_in_any_order() {
    let folder = Folder::empty();
    let path = folder.join("a.npz");
    let found = |size: usize| -> Vec<u32> {
        let parts = parts(&path, size);
        for part in &parts {
            for (row, id) in part.id.iter().enumerate() {
                let place = IDS.iter().position(|own| own == id).unwrap() as f32;
                let (at, moves) = (flat(place, place + 5.0), flat(place + 100.0, place + 105.0));
                assert_eq!([part.position[row], part.velocity[row]], [at, moves], "agent {id}");
            }
        }
        let mut all: Vec<u32> = parts.into_iter().flat_map(|part| part.id).collect();
        all.sort_unstable();
        all
    };
    columns_first(&path, None);
    for size in [1, 2, 3] {
        assert_eq!(found(size), [0, 2, 4, 6, 9]);
    }
    columns_first(&path, Some([7, 3, 7, 7, 3]));
    for size in [1, 2, 3] {
        assert_eq!(found(size), [0, 2, 9]);
    }
    columns_first(&path, Some([3, 7, 7, 3, 3]));
    let cut = format!("{:#}", read_state(&path, &scene("open")).unwrap_err());
    assert!(cut.contains("tick 7 has 2 rows and tick 3 has 1"), "{cut}");
}
