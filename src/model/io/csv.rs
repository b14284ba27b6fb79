//! State files as CSV: plain rows `tick,id,species,x,y,vx,vy`, in space `tick,id,species,x,y,z,vx,vy,vz`.

use std::io::{self, Read, Write};

use ::csv::{ByteRecord, Reader, ReaderBuilder, WriterBuilder};
use rayon::prelude::*;

use super::table::{MAX_TICK, Part, StateRow, StateTable, add_kept};
use super::{Context, FileError, Result, bail, missing};
use crate::kept::{KeptNames, KeptRow, STATE_PREFIX};
use crate::memory::Memory;
use crate::quote::{hint, quoted};
use crate::scene::MAX_AGENTS;
use crate::state::FlockState;
use crate::statistics::Travel;
use crate::vector::{Point, components};

/// The columns of a file, in order. `z` and `vz` are there if the world is a space.
pub const COLUMNS: [&str; 9] = ["tick", "id", "species", "x", "y", "z", "vx", "vy", "vz"];

/// The images of the world that unwrapped agents are in.
const IMAGES: [&str; 3] = ["image_x", "image_y", "image_z"];

/// Columns that older versions wrote too. They are not read, and neither are images.
const OLDER: [&str; 4] = ["angle", "neighbours", "shown", "run"];

/// Places of some columns in [`COLUMNS`].
const X: usize = 3;
const VX: usize = 6;
const VZ: usize = 8;

/// Rows that one thread turns into text at a time.
const ROWS: usize = 16_384;
/// Blocks of [`ROWS`] that wait in memory as text: some 70 MB.
const BLOCKS: usize = 64;

/// Most bytes of a line. Nine numbers take about 180; older files have text in a column.
const MAX_LINE: usize = 1 << 20;

/// The columns of a file with this number of axes, without numbers that agents keep.
fn header(axes: usize) -> String {
    let there = |name: &&str| axes == 3 || !["z", "vz"].contains(name);
    COLUMNS.into_iter().filter(there).collect::<Vec<_>>().join(",")
}

/// Writes the header, before all rows. Numbers that agents keep have columns of their own, such as
/// `state.phase`, and so have the images of the world that they are in, if rows have travels.
pub fn write_csv_header(
    out: &mut impl Write,
    axes: usize,
    has_images: bool,
    kept: KeptNames,
) -> io::Result<()> {
    write!(out, "{}", header(axes))?;
    if has_images {
        write!(out, ",{}", IMAGES[..axes].join(","))?;
    }
    kept.iter().try_for_each(|name| write!(out, ",{STATE_PREFIX}{name}"))?;
    writeln!(out)
}

/// Adds the rows of a state, in its order, with the travels of all agents or of none. Numbers are the
/// shortest text that reads back to the same `f32`.
pub fn write_csv_rows(
    out: &mut impl Write,
    state: &FlockState,
    travels: &[Travel],
    axes: usize,
) -> io::Result<()> {
    let block = if axes == 2 { block::<2> } else { block::<3> };
    let starts: Vec<usize> = (0..state.len()).step_by(ROWS).collect();
    for group in starts.chunks(BLOCKS) {
        let texts = group.par_iter().map(|start| block(state, travels, *start));
        for text in texts.collect::<io::Result<Vec<_>>>()? {
            out.write_all(&text)?;
        }
    }
    Ok(())
}

/// The rows from `start` on as text.
fn block<const D: usize>(
    state: &FlockState,
    travels: &[Travel],
    start: usize,
) -> io::Result<Vec<u8>>
where
    [f32; D]: serde::Serialize,
{
    let mut writer = WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for i in start..state.len().min(start + ROWS) {
        let (p, v) = (components::<D>(state.position[i]), components::<D>(state.velocity[i]));
        let kept = state.kept.get(i).map(|row| &row[..state.kept_names.len()]);
        let images = travels.get(i).map(|travel| &travel.image[..D]).unwrap_or_default();
        let row =
            (state.tick, state.id[i], state.species[i], p, v, images, kept.unwrap_or_default());
        writer.serialize(row).map_err(io::Error::other)?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// The place in the file of each column of [`COLUMNS`], and of the numbers that agents keep, with their
/// names.
struct Columns([Option<usize>; COLUMNS.len()], Vec<usize>, Vec<String>);

impl Columns {
    fn new(header: &ByteRecord, line: u64) -> Result<Self> {
        let mut places = [None; COLUMNS.len()];
        let (mut kept, mut names) = (Vec::new(), Vec::new());
        for (place, name) in header.iter().enumerate() {
            let name = String::from_utf8_lossy(name);
            let name = name.trim();
            let Some(column) = COLUMNS.iter().position(|column| *column == name) else {
                if OLDER.contains(&name) || IMAGES.contains(&name) {
                    continue;
                }
                if add_kept(&mut names, name).with_context(|| format!("line {line}"))? {
                    kept.push(place);
                    continue;
                }
                let hint = hint(name, COLUMNS);
                bail!("line {line}: unknown column {}; {}{hint}", quoted(name), expected());
            };
            if places[column].replace(place).is_some() {
                bail!("line {line}: the column {name:?} appears twice");
            }
        }
        if let Some(name) = missing(&COLUMNS, |column| places[column].is_some()) {
            bail!("line {line}: the column {name:?} is missing; {}", expected());
        }
        Ok(Self(places, kept, names))
    }

    /// Number of axes of the file's world.
    fn axes(&self) -> usize {
        if self.0[VZ].is_some() { 3 } else { 2 }
    }

    /// The value of a column, if the file has the column.
    fn value<T: std::str::FromStr>(
        &self,
        record: &ByteRecord,
        line: u64,
        column: usize,
        expected: impl FnOnce() -> String,
    ) -> Result<Option<T>> {
        let Some(place) = self.0[column] else { return Ok(None) };
        let text = record.get(place).unwrap_or_default();
        let value = std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok());
        let Some(value) = value else {
            let (name, text) = (COLUMNS[column], String::from_utf8_lossy(text));
            bail!("line {line}: {name} is {}, expected {}", quoted(&text), expected());
        };
        Ok(Some(value))
    }

    /// The numbers that the agent keeps.
    fn kept(&self, record: &ByteRecord, line: u64) -> Result<KeptRow> {
        let mut row = KeptRow::default();
        for ((own, place), name) in row.iter_mut().zip(&self.1).zip(&self.2) {
            let text = record.get(*place).unwrap_or_default();
            let value = std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok());
            let Some(value) = value else {
                let text = String::from_utf8_lossy(text);
                bail!("line {line}: {STATE_PREFIX}{name} is {}, expected a number", quoted(&text));
            };
            *own = value;
        }
        Ok(row)
    }

    /// The point whose first component is in column `x`.
    fn point(&self, record: &ByteRecord, line: u64, x: usize) -> Result<Point> {
        let mut point = Point::ZERO;
        for axis in 0..self.axes() {
            let number = self.value(record, line, x + axis, || "a number".into())?;
            point[axis] = number.unwrap_or_default();
        }
        Ok(point)
    }

    /// A whole number up to `most`; 0 if the file does not have the column.
    fn whole(&self, record: &ByteRecord, line: u64, column: usize, most: u64) -> Result<u64> {
        let expected = || format!("a whole number from 0 to {most}");
        match self.value(record, line, column, expected)? {
            Some(value) if value > most => {
                bail!("line {line}: {} is {value}, expected {}", COLUMNS[column], expected())
            }
            value => Ok(value.unwrap_or_default()),
        }
    }
}

/// The columns of a header, for messages.
fn expected() -> String {
    let [plane, space] = [2, 3].map(header);
    format!("the header is {plane}, in space {space}; tick and species are optional")
}

/// Reads a part of the last tick.
pub fn read_csv(file: impl Read, part: Part) -> Result<StateTable> {
    // Lines that begin with # are comments.
    let mut reader = ReaderBuilder::new().comment(Some(b'#')).from_reader(Lines::of(file));
    let names = reader.byte_headers().cloned().map_err(|error| csv_error(&error, 0))?;
    if names.is_empty() {
        bail!("the file is empty; a state file begins with {}", header(2));
    }
    let layout = Columns::new(&names, line_of_row(&reader))?;
    let mut table = StateTable::new("line", part, layout.axes(), false);
    table.kept.clone_from(&layout.2);
    let mut record = ByteRecord::new();
    loop {
        let is_there = reader.read_byte_record(&mut record);
        let line = line_of_row(&reader);
        if !is_there.map_err(|error| csv_error(&error, line))? {
            break;
        }
        let row = StateRow {
            place: line,
            id: layout.whole(&record, line, 1, MAX_AGENTS - 1)? as u32,
            species: layout.whole(&record, line, 2, u8::MAX.into())? as u8,
            position: layout.point(&record, line, X)?,
            velocity: layout.point(&record, line, VX)?,
            memory: Memory::default(),
            kept: layout.kept(&record, line)?,
        };
        table.push(layout.whole(&record, line, 0, MAX_TICK)?, row)?;
    }
    let is_own = names.iter().take(header(layout.axes()).split(',').count());
    let is_own = is_own.eq(header(layout.axes()).split(',').map(str::as_bytes));
    if !is_own {
        // Animals come and go in data from elsewhere.
        table.ticks.earlier = None;
    } else if reader.get_ref().length > 0 {
        // A number that lost its last digits is still a number: only the missing end of line tells.
        bail!(
            "the last line has no end, so the file may be cut short; write it again, or end it \
             with a new line if it is whole"
        );
    }
    table.complete()
}

/// Passes on the bytes of a file; fails in a line that is too long for a row.
pub(super) struct Lines<R> {
    inner: R,
    /// Lines that have ended.
    lines: u64,
    /// Bytes of the line that has not.
    length: usize,
    /// The bytes passed on last.
    last: Vec<u8>,
    /// Number of bytes so far.
    bytes: u64,
}

impl<R> Lines<R> {
    /// The bytes of this file.
    pub(super) fn of(inner: R) -> Self {
        Self { inner, lines: 0, length: 0, last: Vec::new(), bytes: 0 }
    }
}

/// The line on which the row ends that `reader` has just read. The place that a row itself tells comes before
/// comments and blank lines, and before the second half of the line end before it.
pub(super) fn line_of_row<R: Read>(reader: &Reader<Lines<R>>) -> u64 {
    let (place, lines) = (reader.position(), reader.get_ref());
    let unread = (lines.bytes - place.byte()) as usize;
    let read = lines.last.len().saturating_sub(unread);
    place.line() - u64::from(lines.last[..read].ends_with(b"\n"))
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        if read > 0 {
            self.last.clear();
            self.last.extend(&out[..read]);
            self.bytes += read as u64;
        }
        for part in out[..read].split_inclusive(|byte| *byte == b'\n') {
            self.length += part.len();
            if self.length > MAX_LINE {
                let line = self.lines + 1;
                let problem = format!("line {line} is longer than {MAX_LINE} bytes, the limit");
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            if part.ends_with(b"\n") {
                (self.lines, self.length) = (self.lines + 1, 0);
            }
        }
        Ok(read)
    }
}

/// An error of the reader of CSV in this line, with a remedy.
fn csv_error(error: &::csv::Error, line: u64) -> FileError {
    match error.kind() {
        ::csv::ErrorKind::UnequalLengths { expected_len, len, .. } => FileError(format!(
            "line {line}: {len} values where the header has {expected_len} columns; the file \
             may be cut short, write it again"
        )),
        _ => FileError(error.to_string()),
    }
}
