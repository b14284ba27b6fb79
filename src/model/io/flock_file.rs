//! A flock in a file of its own: all that it goes on from.

use std::io::{self, Cursor, Read, Seek, Write};

use super::npz::{NpzWriter, read_npz};
use super::record::RunRecord;
use super::restore::targets_in_file;
use super::table::Part;
use super::{Result, bail, counted, ensure};
use crate::behaviours::Target;
use crate::kept::MAX_NUMBER;
use crate::scene::{MAX_AGENTS, Request, Scene};
use crate::state::FlockState;
use crate::world::{MAX_COORDINATE, sides_text};

/// Writes a flock at one tick as a NumPy archive (`.npz`), with the record of its run: all that it goes on
/// from. The record of a flock that was edited is `RunRecord::new(&scene.fixed(state.len() as u64),
/// &Request::default(), scene.world.size, &[])`. Fails if [`load_flock`] would not give back this flock.
pub fn save_flock(
    out: impl Write + Seek,
    run: RunRecord,
    state: &FlockState,
    targets: &[Target],
) -> io::Result<()> {
    check(&run, state, targets).map_err(|problem| {
        let remedy = "make the record with RunRecord::new(&scene.fixed(agents), &Request::default(), \
                      scene.world.size, &[]), and leave the state as an engine gives it";
        let why = format!("the flock is not saved: {problem}; {remedy}");
        io::Error::new(io::ErrorKind::InvalidInput, why)
    })?;
    let mut writer = NpzWriter::new(out, run.axes(), |_| Ok(Cursor::new(Vec::new())))?;
    writer.describe(run)?;
    writer.write(state, &[], true, targets)?;
    writer.finish().map(drop)
}

/// Reads the last tick of a NumPy archive that [`save_flock`] or `flockwork simulate` has written: the scaled
/// scene, with its targets where they were, and the state. The target `pointer` is in no file: nothing calls
/// the flock until it is set again.
pub fn load_flock(file: impl Read + Seek) -> Result<(Scene, FlockState)> {
    read_npz(file, true, Part::WHOLE)?.into_flock()
}

/// Fails if a file with this record, state and targets would be refused, or read as another flock.
fn check(run: &RunRecord, state: &FlockState, targets: &[Target]) -> Result<()> {
    let FlockState { id, species, position, velocity, memory, kept: numbers, .. } = state;
    let count = state.len();
    let some = [memory.len(), numbers.len()];
    ensure!(
        [id.len(), species.len(), velocity.len()] == [count; 3]
            && some.iter().all(|own| [0, count].contains(own)),
        "its arrays have different lengths"
    );
    ensure!(run.count == count as u64, "it has {count} agents, its record {}", run.count);
    let mut scene = run.scene(&[])?;
    scene.resize(&Request { count: Some(run.count), density: run.density, seed: None })?;
    let [made, own] = [scene.world.size, run.world].map(sides_text);
    ensure!(made == own, "its world is {own}, and its record makes one of {made}");
    let [found, expected] = [targets, &scene.targets].map(|all| targets_in_file(all).count());
    ensure!(found == expected, "it has {found} targets, and its record {expected}");
    if let Some(plan) = scene.flow.as_ref().filter(|plan| plan.file.is_some()) {
        let (grid, expected) = (plan.grid_text(), plan.file_cells());
        let found = counted(run.flow.len() as u64, "vector");
        let fits = run.flow.len() as u64 == expected;
        ensure!(
            fits,
            "its flow field has {found}, but grid = {grid} needs {expected}: read its file"
        );
    }
    let mut ids = id.clone();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        bail!("it has agent {} twice", twice[0]);
    }
    let is_sound = |row: usize| {
        let (own, way) = (species[row], velocity[row]);
        u64::from(id[row]) < MAX_AGENTS
            && usize::from(own) < scene.species.len()
            && scene.world.may_hold(position[row])
            && way.to_array().into_iter().all(|value| value.abs() <= MAX_COORDINATE)
            && !scene.goes_round(own, way)
            && numbers.get(row).into_iter().flatten().all(|value| value.abs() <= MAX_NUMBER)
    };
    match (0..count).find(|row| !is_sound(*row)) {
        Some(row) => bail!("its record has no room for agent {} as it is", id[row]),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flock_that_its_record_does_not_make_is_not_saved() {
        let text = "[[targets]]\n[species.a]\ncount = 30\n[species.a.wander]\n";
        let scene = Scene::parse("test", text).unwrap();
        let (scene, state) = scene.populate(&Request::default()).unwrap();
        let save = |scene: &Scene, state: &FlockState| {
            let run = RunRecord::new(scene, &Request::default(), scene.world.size, &[]);
            let mut file = Cursor::new(Vec::new());
            let saved = save_flock(&mut file, run, state, &scene.targets);
            saved.map(|()| load_flock(file).unwrap()).map_err(|error| error.to_string())
        };
        let mut wide = scene.clone();
        wide.world.size *= 2.0;
        let mut unread = scene.clone();
        unread.set("flow={ kind = \"file\", file = \"f.csv\", grid = [2, 2] }").unwrap();
        let few = state.rows(0..20);
        let with = |edit: fn(&mut FlockState)| {
            let mut state = state.clone();
            edit(&mut state);
            state
        };
        for (scene, state, why) in [
            (&scene, few.clone(), "it has 20 agents, its record 30;"),
            (&wide, state.clone(), "its record makes one of 640 x 360;"),
            (&unread, state.clone(), "has 0 vectors, but grid = [2, 2] needs 4: read its file;"),
            (&scene, with(|own| own.id[3] = 5), "it has agent 5 twice;"),
            (&scene, with(|own| own.velocity[3].x = f32::NAN), "room for agent 3 "),
            (&scene, with(|own| own.position[3].x = 650.0), "room for agent 3 "),
            (&scene, with(|own| own.species[3] = 1), "room for agent 3 "),
            (&scene, with(|own| own.memory.truncate(3)), "different lengths;"),
        ] {
            let refused = save(scene, &state).unwrap_err();
            assert!(refused.contains(why) && refused.contains("scene.fixed("), "{refused}");
        }
        let (read, state) = save(&wide.fixed(20), &few).unwrap();
        assert_eq!((read.world, state.position), (wide.world, few.position));
        save(&scene, &with(|_| {})).unwrap();
    }

    #[test]
    fn a_target_that_is_switched_off_stays_off() {
        let text = "[[targets]]\nname = \"b\"\n[[targets]]\nname = \"c\"\n[species.a]\ncount = 2\n";
        let (mut scene, state) =
            Scene::parse("test", text).unwrap().populate(&Request::default()).unwrap();
        for off in [&[][..], &[1], &[1, 2]] {
            off.iter().for_each(|number: &usize| scene.targets[*number].active = false);
            let record = RunRecord::new(&scene, &Request::default(), scene.world.size, &[]);
            let mut file = Cursor::new(Vec::new());
            save_flock(&mut file, record, &state, &scene.targets).unwrap();
            // Files without such a target are as they always were.
            let there = file.get_ref().windows(13).any(|bytes| bytes == b"target_active");
            assert_eq!(there, !off.is_empty());
            assert_eq!(load_flock(file).unwrap().0.targets, scene.targets);
        }
    }
}
