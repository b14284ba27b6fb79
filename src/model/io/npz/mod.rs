//! State files as NumPy arrays: an uncompressed ZIP archive of `.npy` files, and of one text.

mod arrays;
mod npy;
mod read;
mod tick_rows;

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::record::RunRecord;
use super::restore::targets_in_file;
use crate::behaviours::Target;
use crate::kept::{KeptNames, MAX_KEPT, STATE_PREFIX};
use crate::memory::ShownBy;
use crate::state::FlockState;
use crate::statistics::Travel;
use crate::vector::Point;
use arrays::EXTENSION;
use npy::{Number, write_header};

pub use read::read_npz;

/// The arrays of an `.npz` file, in order. From `angle` on they are there only if they have values.
pub const ARRAYS: [&str; 14] = [
    "tick",
    "id",
    "species",
    "position",
    "velocity",
    "angle",
    "neighbours",
    "shown",
    "target_position",
    "target_velocity",
    "target_hits",
    "target_active",
    "flow",
    "image",
];

/// The record of a run in its `.npz` file or beside its other files.
pub const RECORD: &str = "run.toml";

/// An `.npz` file under way: each array grows in a file `S` of its own, for a ZIP archive holds one array
/// after the other.
#[derive(Debug)]
pub struct NpzWriter<W, S> {
    file: W,
    axes: usize,
    run: Option<RunRecord>,
    parts: Parts<S>,
}

/// The content of the arrays so far.
#[derive(Debug)]
struct Parts<S> {
    /// In the order of [`ARRAYS`]. `neighbours` and `shown` are one.
    arrays: [S; ARRAYS.len() - 1],
    /// The numbers that agents keep, by their place, and their names.
    kept: [S; MAX_KEPT],
    kept_names: KeptNames,
    /// Whether the numbers for colours are numbers of neighbours.
    counts: bool,
    /// At each tick.
    targets: u64,
    /// Whether a target was switched off.
    inactive: bool,
}

impl<W: Write + Seek, S: Read + Write + Seek> NpzWriter<W, S> {
    /// Begins a file of a world with `axes` axes, 2 or 3. `scratch` makes an empty file beside it.
    pub fn new(file: W, axes: usize, scratch: impl Fn(&W) -> io::Result<S>) -> io::Result<Self> {
        let s = || scratch(&file);
        let arrays = [s()?, s()?, s()?, s()?, s()?, s()?, s()?, s()?, s()?, s()?, s()?, s()?, s()?];
        let (kept, kept_names) = ([s()?, s()?, s()?, s()?], KeptNames::default());
        let parts = Parts { arrays, kept, kept_names, counts: true, targets: 0, inactive: false };
        Ok(Self { file, axes, run: None, parts })
    }

    /// Sets the number of axes, before all ticks.
    pub fn set_axes(&mut self, axes: usize) {
        self.axes = axes;
    }

    /// Adds the record of the run, before all ticks. It sets the number of axes too.
    pub fn describe(&mut self, run: RunRecord) -> io::Result<()> {
        self.axes = run.axes();
        let [.., flow, _] = &mut self.parts.arrays;
        for vector in &run.flow {
            flow.write_all(coordinates(vector, self.axes))?;
        }
        self.run = Some(run);
        Ok(())
    }

    /// Adds rows of a tick, in the order of the state. All ticks have as many targets; memory, the numbers
    /// that agents keep and `travels` are in all or in none. The first rows of a tick bring its targets.
    pub fn write(
        &mut self,
        state: &FlockState,
        travels: &[Travel],
        is_first: bool,
        targets: &[Target],
    ) -> io::Result<()> {
        let (parts, axes) = (&mut self.parts, self.axes);
        let [tick, id, species, position, velocity, rest @ ..] = &mut parts.arrays;
        let [angle, shown, places, motions, hits, active, _, image] = rest;
        let ticks = [state.tick; 4096];
        let mut left = state.len();
        while left > 0 {
            let count = left.min(ticks.len());
            tick.write_all(bytemuck::cast_slice(&ticks[..count]))?;
            left -= count;
        }
        id.write_all(bytemuck::cast_slice(&state.id))?;
        species.write_all(&state.species)?;
        for (array, points) in [(position, &state.position), (velocity, &state.velocity)] {
            for point in points {
                array.write_all(coordinates(point, axes))?;
            }
        }
        for travel in travels {
            image.write_all(bytemuck::cast_slice(&travel.image[..axes]))?;
        }
        for memory in &state.memory {
            angle.write_all(&memory.angle().to_ne_bytes())?;
            shown.write_all(&[memory.shown() as u8])?;
        }
        parts.kept_names = state.kept_names;
        for (place, array) in parts.kept.iter_mut().enumerate().take(state.kept_names.len()) {
            for row in &state.kept {
                array.write_all(&row[place].to_ne_bytes())?;
            }
        }
        parts.counts = state.shown == ShownBy::default();
        if !is_first {
            return Ok(());
        }
        for target in targets_in_file(targets) {
            places.write_all(coordinates(&target.position, axes))?;
            motions.write_all(coordinates(&target.velocity, axes))?;
            hits.write_all(&target.hits.to_ne_bytes())?;
            active.write_all(&[target.active.into()])?;
            parts.inactive |= !target.active;
        }
        parts.targets = targets_in_file(targets).count() as u64;
        Ok(())
    }

    /// Assembles the archive.
    pub fn finish(self) -> io::Result<W> {
        let Self { file, axes, run, parts } = self;
        archive(file, |archive| {
            fill(archive, axes as u64, parts)?;
            let Some(run) = run else { return Ok(()) };
            let text = run.text();
            archive.start_file(RECORD, entry(text.len() as u64))?;
            archive.write_all(text.as_bytes())
        })
    }
}

/// Writes columns of numbers as a NumPy archive (`.npz`): an array for each, by its name.
pub fn write_columns<W: Write + Seek>(
    file: W,
    columns: impl IntoIterator<Item = (String, Vec<f64>)>,
) -> io::Result<W> {
    archive(file, |archive| {
        columns.into_iter().try_for_each(|(name, values)| {
            let mut bytes = Cursor::new(bytemuck::cast_slice::<f64, u8>(&values));
            bytes.seek(SeekFrom::End(0))?;
            append::<f64, _, _>(archive, &name, &[], bytes)
        })
    })
}

/// Writes an archive that `fill` fills.
fn archive<W: Write + Seek>(
    file: W,
    fill: impl FnOnce(&mut ZipWriter<&mut FirstError<W>>) -> io::Result<()>,
) -> io::Result<W> {
    let mut target = FirstError { file, error: None, at: 0, end: 0 };
    let mut archive = ZipWriter::new(&mut target);
    let written =
        fill(&mut archive).and_then(|()| archive.finish().map(|_| ()).map_err(io::Error::other));
    match target.error {
        Some(error) => Err(error),
        None => written.map(|()| target.file),
    }
}

/// The bytes of a point's coordinates on the first `axes` axes.
fn coordinates(point: &Point, axes: usize) -> &[u8] {
    &bytemuck::bytes_of(point)[..axes * size_of::<f32>()]
}

/// A file that keeps its first error and claims from then on that all is well, at the places where it
/// would be. Dropped after an error, a `ZipWriter` would try to write the end of the archive again, and
/// print that it cannot.
struct FirstError<W> {
    file: W,
    error: Option<io::Error>,
    /// The place of the next byte, and the length.
    at: u64,
    end: u64,
}

impl<W> FirstError<W> {
    /// Acts unless the file has failed.
    fn keep<T>(&mut self, act: impl FnOnce(&mut W) -> io::Result<T>) -> Option<T> {
        if self.error.is_some() {
            return None;
        }
        act(&mut self.file).map_err(|error| self.error = Some(error)).ok()
    }
}

impl<W: Write> Write for FirstError<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.keep(|file| file.write(bytes)).unwrap_or(bytes.len());
        self.at += written as u64;
        self.end = self.end.max(self.at);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.keep(W::flush);
        Ok(())
    }
}

impl<W: Seek> Seek for FirstError<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let claimed = match to {
            SeekFrom::Start(place) => place,
            SeekFrom::Current(by) => self.at.saturating_add_signed(by),
            SeekFrom::End(by) => self.end.saturating_add_signed(by),
        };
        self.at = self.keep(|file| file.seek(to)).unwrap_or(claimed);
        Ok(self.at)
    }
}

/// Copies all arrays into the archive.
fn fill<W: Write + Seek, S: Read + Seek>(
    archive: &mut ZipWriter<&mut FirstError<W>>,
    axes: u64,
    parts: Parts<S>,
) -> io::Result<()> {
    let Parts { arrays, kept, kept_names, counts, targets, inactive } = parts;
    let [tick, id, species, position, velocity, rest @ ..] = arrays;
    let [angle, shown, places, motions, hits, active, flow, image] = rest;
    append::<u64, _, _>(archive, "tick", &[], tick)?;
    append::<u32, _, _>(archive, "id", &[], id)?;
    append::<u8, _, _>(archive, "species", &[], species)?;
    append::<f32, _, _>(archive, "position", &[axes], position)?;
    append::<f32, _, _>(archive, "velocity", &[axes], velocity)?;
    append_any::<f32, _, _>(archive, "angle", &[], angle)?;
    append_any::<u8, _, _>(archive, if counts { "neighbours" } else { "shown" }, &[], shown)?;
    for (name, numbers) in kept_names.iter().zip(kept) {
        append::<f32, _, _>(archive, &format!("{STATE_PREFIX}{name}"), &[], numbers)?;
    }
    append_any::<f32, _, _>(archive, "target_position", &[targets, axes], places)?;
    append_any::<f32, _, _>(archive, "target_velocity", &[targets, axes], motions)?;
    append_any::<u32, _, _>(archive, "target_hits", &[targets], hits)?;
    if inactive {
        append_any::<u8, _, _>(archive, "target_active", &[targets], active)?;
    }
    append_any::<f32, _, _>(archive, "flow", &[axes], flow)?;
    append_any::<i32, _, _>(archive, "image", &[axes], image)
}

/// How an entry of this many bytes is stored.
fn entry(length: u64) -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        // The same states give the same bytes at any hour.
        .last_modified_time(DateTime::default())
        // Beyond 4 GiB, header included, a ZIP entry needs wider fields.
        .large_file(length > u64::from(u32::MAX) - 4096)
}

/// Copies one array into the archive, if it has values. Rows of nothing have none: the last state lacked what an
/// earlier one had.
fn append_any<T: Number, W: Write + Seek, S: Read + Seek>(
    archive: &mut ZipWriter<&mut FirstError<W>>,
    name: &str,
    row: &[u64],
    mut values: S,
) -> io::Result<()> {
    if values.stream_position()? == 0 || row.contains(&0) {
        Ok(())
    } else {
        append::<T, _, _>(archive, name, row, values)
    }
}

/// Copies one array into the archive, whose rows have the shape `row`. The bytes are the machine's, and so is
/// the byte order that the header declares.
fn append<T: Number, W: Write + Seek, S: Read + Seek>(
    archive: &mut ZipWriter<&mut FirstError<W>>,
    name: &str,
    row: &[u64],
    mut values: S,
) -> io::Result<()> {
    let length = values.stream_position()?;
    let rows = length / (T::SIZE as u64 * row.iter().product::<u64>());
    values.rewind()?;
    archive.start_file(format!("{name}{EXTENSION}"), entry(length))?;
    write_header::<T>(archive, &[&[rows], row].concat())?;
    io::copy(&mut values, archive)?;
    Ok(())
}
