//! Reads an `.npz` file.

use std::io::{BufReader, Read, Seek, SeekFrom};

use zip::ZipArchive;
use zip::result::ZipError;

use super::arrays::{
    Archive, EXTENSION, ReadSeek, Shape, check_shape, each_float, each_whole, into, side,
};
use super::tick_rows::TickRows;
use super::{ARRAYS, RECORD};
use crate::io::record::{MAX_RECORD, MAX_VECTORS, RunRecord};
use crate::io::table::{Part, StateTable, TargetRow, add_kept};
use crate::io::{Context, Result, bail, ensure, missing};
use crate::kept::STATE_PREFIX;
use crate::memory::{MAX_COLOUR_VALUE, Memory};
use crate::quote::{hint, quoted};
use crate::scene::{MAX_TARGETS, Scene};
use crate::vector::{DIMENSIONS, Point};

/// Why an array of rows has its shape.
const AS_ID: &str = "as for `id`";

/// Reads a part of the last tick, and with `with_run` the record of the run. Each array is read in one
/// pass, and only the rows of the part are kept.
pub fn read_npz(mut file: impl Read + Seek, with_run: bool, part: Part) -> Result<StateTable> {
    let broken = "no NumPy archive, or one that is cut short; write it again";
    let bytes = file.seek(SeekFrom::End(0)).with_context(|| "cannot read it")?;
    let file: Box<dyn ReadSeek + '_> = Box::new(file);
    let mut archive = ZipArchive::new(BufReader::new(file)).with_context(|| broken)?;
    let (mut found, mut kept) = (Vec::new(), Vec::new());
    for file in archive.file_names() {
        let file = file.with_context(|| broken)?;
        let Some(name) = file.strip_suffix(EXTENSION) else {
            continue;
        };
        if add_kept(&mut kept, name)? {
            continue;
        }
        let known = ARRAYS.iter().find(|known| **known == name);
        found.push(*known.with_context(|| {
            format!(
                "unknown array {}; the arrays are {}, tick and species are optional{}",
                quoted(name),
                ARRAYS[..5].join(", "),
                hint(name, ARRAYS)
            )
        })?);
    }
    let count = side(&mut archive, "id", 0)?;
    let of_rows = &ARRAYS[..8];
    if let Some(name) = missing(of_rows, |array| found.contains(&of_rows[array])) {
        bail!("the array `{name}` is missing");
    }
    let (remembers, shows) = (found.contains(&"angle"), found.contains(&"shown"));
    if shows && found.contains(&"neighbours") {
        bail!("a file has the array `neighbours` or `shown`, not both; remove one");
    }
    let axes = if side(&mut archive, "position", 1)? == 3 { 3 } else { 2 };
    let row_each = Shape { sides: &[count], why: AS_ID };
    let sides = [count, axes as u64];
    let why = "as for `id`, with two coordinates each, or three in space";
    let [places, velocities] = [why, "as for `position`"].map(|why| Shape { sides: &sides, why });
    // All headers are read before the values of any array are.
    for name in found.iter().filter(|name| of_rows.contains(name)) {
        let shape = match *name {
            "position" => places,
            "velocity" => velocities,
            _ => row_each,
        };
        check_shape(&mut archive, name, shape)?;
    }
    let arrays: Vec<String> = kept.iter().map(|name| format!("{STATE_PREFIX}{name}")).collect();
    for name in &arrays {
        check_shape(&mut archive, name, row_each)?;
    }
    let ticks = TickRows::read(&mut archive, bytes, row_each)?;
    let mut own = ticks.agents(&mut archive, part)?;
    own.each(&mut archive, "species", u8::MAX.into(), row_each, &mut |row, species| {
        row.species = species as u8;
    })?;
    if remembers {
        let name = if shows { "shown" } else { "neighbours" };
        own.each(&mut archive, name, MAX_COLOUR_VALUE.into(), row_each, &mut |row, shown| {
            row.memory = Memory::new(0.0, shown as f32);
        })?;
        own.angles(&mut archive, row_each)?;
    }
    own.floats(&mut archive, "position", places, |row, axis, x| row.position[axis] = x)?;
    own.floats(&mut archive, "velocity", velocities, |row, axis, v| row.velocity[axis] = v)?;
    for (nth, name) in arrays.iter().enumerate() {
        own.floats(&mut archive, name, row_each, |row, _, number| row.kept[nth] = number)?;
    }
    let mut table = StateTable::new("row", part, axes, remembers);
    table.kept = kept;
    table.has_targets = found.iter().any(|name| name.starts_with("target_"));
    table.take(ticks.ticks, own.rows)?;
    let run = read_record(&mut archive, with_run && found.contains(&"flow"), axes);
    // A record that cannot be read is no obstacle for another scene.
    let written = run.as_ref().ok().and_then(|run| run.as_ref()?.scene(&[]).ok());
    if shows {
        table.shown = written.as_ref().map(Scene::shown);
    }
    if with_run {
        table.run = run?;
        if table.run.is_some() && found.contains(&"target_hits") {
            table.targets = last_targets(&mut archive, ticks.all.len() as u64, axes)?;
        }
    } else if let Some(written) = written {
        table.species = written.species.into_iter().map(|own| own.name).collect();
    }
    table.complete()
}

/// The record of the run, if the archive has one.
fn read_record(
    archive: &mut Archive<'_>,
    has_flow: bool,
    axes: usize,
) -> Result<Option<RunRecord>> {
    let place = || format!("cannot read `{RECORD}`");
    let file = match archive.by_name(RECORD) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(error) => return Err(error).with_context(place),
    };
    let mut text = Vec::new();
    let limit = MAX_RECORD as u64;
    file.take(limit + 1).read_to_end(&mut text).with_context(place)?;
    if text.len() > MAX_RECORD {
        bail!("`{RECORD}` is longer than {limit} bytes, the limit; write the file again");
    }
    let text = String::from_utf8_lossy(&text);
    let record = RunRecord::parse(&text, |line| format!("`{RECORD}`, line {}", line + 1))?;
    let mut flow = Vec::new();
    if has_flow {
        let vectors = side(archive, "flow", 0)?;
        ensure!(
            vectors <= MAX_VECTORS as u64,
            "`flow` has {vectors} vectors; a flow field has {MAX_VECTORS} at most"
        );
        let shape = Shape { sides: &[vectors, axes as u64], why: "a row for each vector" };
        flow = last_points(archive, "flow", shape, vectors, axes)?;
    }
    Ok(Some(RunRecord { flow, ..record }))
}

/// The targets at the last of `ticks` ticks.
fn last_targets(archive: &mut Archive<'_>, ticks: u64, axes: usize) -> Result<Vec<TargetRow>> {
    let each = side(archive, "target_hits", 1)?;
    ensure!(
        each <= MAX_TARGETS as u64,
        "`target_hits` has {each} targets at each tick; a scene has {MAX_TARGETS} at most"
    );
    let why = "with the targets of every tick";
    let hit_each = Shape { sides: &[ticks, each], why };
    let vector_each = Shape { sides: &[ticks, each, axes as u64], why };
    check_shape(archive, "target_hits", hit_each)?;
    check_shape(archive, "target_position", vector_each)?;
    check_shape(archive, "target_velocity", vector_each)?;
    let mut hits = vec![0; each as usize];
    let most = u32::MAX.into();
    each_whole(archive, "target_hits", most, Some(hit_each), &mut into(&mut hits, hit_each))?;
    // Without the array all are there.
    let mut active = vec![1; each as usize];
    each_whole(archive, "target_active", 1, Some(hit_each), &mut into(&mut active, hit_each))?;
    let position = last_points(archive, "target_position", vector_each, each, axes)?;
    let velocity = last_points(archive, "target_velocity", vector_each, each, axes)?;
    let target = |number: usize| TargetRow {
        position: position[number],
        velocity: velocity[number],
        hits: hits[number] as u32,
        active: active[number] == 1,
    };
    Ok((0..each as usize).map(target).collect())
}

/// The last points of an array, `count` of them with this number of coordinates each.
fn last_points(
    archive: &mut Archive<'_>,
    name: &str,
    shape: Shape<'_>,
    count: u64,
    axes: usize,
) -> Result<Vec<Point>> {
    let mut numbers = vec![0.0; count as usize * axes];
    each_float(archive, name, shape, &mut into(&mut numbers, shape))?;
    let point = |coordinates: &[f32]| {
        let mut point = [0.0; DIMENSIONS];
        point[..axes].copy_from_slice(coordinates);
        Point::from_array(point)
    };
    Ok(numbers.chunks_exact(axes).map(point).collect())
}
