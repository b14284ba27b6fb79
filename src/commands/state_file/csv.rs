//! State files as CSV: `tick,id,species,x,y,vx,vy`, and `angle,neighbours` where agents remember them;
//! one row an agent. Comments hold what is not of an agent, see [`super::lines`].

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, bail};
use csv::{ByteRecord, ReaderBuilder, WriterBuilder};
use rayon::prelude::*;

use super::lines::{FLOW, Lines, RECORD, TARGET};
use super::run_record::{RunRecord, kept};
use super::table::{LAST_TICK, StateRow, StateTable};
use super::{COLUMNS, OF_MOTION, missing};
use crate::commands::output::OutputFile;
use crate::model::behaviours::Target;
use crate::model::memory::{MOST_NEIGHBOURS, Memory};
use crate::model::quote::quoted;
use crate::model::scene::hint;
use crate::model::state::FlockState;
use crate::model::vector::Point;

/// Rows that one thread turns into text at a time.
const ROWS: usize = 16_384;
/// Blocks of [`ROWS`] that wait in memory as text: some 70 MB.
const BLOCKS: usize = 64;

/// A CSV file under way.
#[derive(Debug)]
pub struct CsvStates {
    file: OutputFile,
    /// Whether the header is written.
    headed: bool,
}

impl CsvStates {
    /// Begins the file.
    pub fn begin(file: OutputFile) -> Self {
        Self { file, headed: false }
    }

    /// Writes the record of the run; before all ticks.
    pub fn describe(&mut self, run: &RunRecord) -> io::Result<()> {
        writeln!(self.file, "{RECORD}")?;
        for line in run.text().lines() {
            writeln!(self.file, "# {line}")?;
        }
        for Point { x, y } in &run.flow {
            writeln!(self.file, "{FLOW}{x},{y}")?;
        }
        Ok(())
    }

    /// Adds the rows of one tick. Numbers are the shortest text that reads back to the same `f32`.
    pub fn write(&mut self, state: &FlockState, targets: &[Target]) -> io::Result<()> {
        if !std::mem::replace(&mut self.headed, true) {
            let columns = if state.memory.is_empty() { OF_MOTION } else { COLUMNS.len() };
            writeln!(self.file, "{}", COLUMNS[..columns].join(","))?;
        }
        for (number, target) in kept(targets).enumerate() {
            let Target { position: p, velocity: v, hits, .. } = target;
            let tick = state.tick;
            writeln!(self.file, "{TARGET}{tick},{number},{},{},{},{},{hits}", p.x, p.y, v.x, v.y)?;
        }
        let starts: Vec<usize> = (0..state.len()).step_by(ROWS).collect();
        for group in starts.chunks(BLOCKS) {
            let blocks: Vec<Vec<u8>> =
                group.par_iter().map(|start| block(state, *start)).collect::<io::Result<_>>()?;
            for text in blocks {
                self.file.write_all(&text)?;
            }
        }
        Ok(())
    }

    /// The file, whole.
    pub fn finish(self) -> OutputFile {
        self.file
    }
}

/// The rows from `start` on as text.
fn block(state: &FlockState, start: usize) -> io::Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for i in start..state.len().min(start + ROWS) {
        let (p, v) = (state.position[i], state.velocity[i]);
        let motion = (state.tick, state.id[i], state.species[i], p.x, p.y, v.x, v.y);
        let written = match state.memory.get(i) {
            Some(memory) => writer.serialize((motion, memory.angle(), memory.neighbours())),
            None => writer.serialize(motion),
        };
        written.map_err(io::Error::other)?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// Where each column of [`COLUMNS`] stands in the file.
struct Columns {
    places: [Option<usize>; COLUMNS.len()],
}

impl Columns {
    fn of(header: &ByteRecord, line: u64) -> anyhow::Result<Self> {
        let mut places = [None; COLUMNS.len()];
        for (place, name) in header.iter().enumerate() {
            let name = String::from_utf8_lossy(name);
            let name = name.trim();
            let Some(column) = COLUMNS.iter().position(|column| *column == name) else {
                bail!(
                    "line {line}: unknown column {}; {}{}",
                    quoted(name),
                    wanted(),
                    hint(name, COLUMNS)
                );
            };
            if places[column].replace(place).is_some() {
                bail!("line {line}: the column {name:?} appears twice");
            }
        }
        if let Some(name) = missing(&COLUMNS, |column| places[column].is_some()) {
            bail!("line {line}: the column {name:?} is missing; {}", wanted());
        }
        Ok(Self { places })
    }

    /// True if the file says what the agents remember.
    fn remembers(&self) -> bool {
        self.places[OF_MOTION].is_some()
    }

    /// True for a header that `simulate` writes.
    fn is_own(&self) -> bool {
        let own = if self.remembers() { COLUMNS.len() } else { OF_MOTION };
        let mut places = self.places[..own].iter().enumerate();
        places.all(|(column, place)| *place == Some(column))
    }

    /// The value of a column, if the file has the column.
    fn value<T: std::str::FromStr>(
        &self,
        record: &ByteRecord,
        line: u64,
        column: usize,
        wanted: impl FnOnce() -> String,
    ) -> anyhow::Result<Option<T>> {
        let Some(place) = self.places[column] else { return Ok(None) };
        let text = record.get(place).unwrap_or_default();
        let value = std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok());
        let Some(value) = value else {
            bail!(
                "line {line}: {} is {}, where {} is wanted",
                COLUMNS[column],
                quoted(&String::from_utf8_lossy(text)),
                wanted()
            );
        };
        Ok(Some(value))
    }

    fn point(&self, record: &ByteRecord, line: u64, x: usize) -> anyhow::Result<Point> {
        let number = |column| self.value(record, line, column, || "a number".into());
        Ok(Point::new(number(x)?.unwrap_or_default(), number(x + 1)?.unwrap_or_default()))
    }

    /// A whole number up to `most`; 0 if the file does not have the column.
    fn whole(
        &self,
        record: &ByteRecord,
        line: u64,
        column: usize,
        most: u64,
    ) -> anyhow::Result<u64> {
        let wanted = || format!("a whole number from 0 to {most}");
        let value: Option<u64> = self.value(record, line, column, wanted)?;
        match value {
            Some(value) if value > most => {
                bail!("line {line}: {} is {value}, where {} is wanted", COLUMNS[column], wanted())
            }
            _ => Ok(value.unwrap_or_default()),
        }
    }

    /// What the agent of a row remembers.
    fn memory(&self, record: &ByteRecord, line: u64) -> anyhow::Result<Memory> {
        let column = OF_MOTION;
        let angle: f32 =
            self.value(record, line, column, || "a number".into())?.unwrap_or_default();
        if !(-0.5..=0.5).contains(&angle) {
            let name = COLUMNS[column];
            bail!(
                "line {line}: {name} is {angle}, where a number of turns from -0.5 to 0.5 is wanted"
            );
        }
        let neighbours = self.whole(record, line, column + 1, MOST_NEIGHBOURS.into())?;
        Ok(Memory::new(angle, neighbours as f32))
    }
}

/// What a header has, for messages.
fn wanted() -> String {
    format!(
        "the header is {}, tick and species are optional, and so are {} together",
        COLUMNS[..OF_MOTION].join(","),
        COLUMNS[OF_MOTION..].join(" and ")
    )
}

/// Reads the last tick, and what the file says of its run if that is wanted.
pub fn read(path: &Path, with_run: bool) -> anyhow::Result<StateTable> {
    let mut file = File::open(path).context("cannot read it")?;
    let ends_with_a_line = ends_with_a_line(&mut file).context("cannot read it")?;
    let mut reader = ReaderBuilder::new().from_reader(Lines::of(file));
    let header = reader.byte_headers().cloned();
    let header = header.map_err(|error| csv_error(error, reader.get_ref()))?;
    if header.is_empty() {
        bail!("the file is empty; a state file begins with {}", COLUMNS[..OF_MOTION].join(","));
    }
    let layout = Columns::of(&header, reader.get_ref().line(1))?;
    if layout.is_own() && !ends_with_a_line {
        // A number that lost its last digits is still a number: only the missing end of line tells.
        bail!(
            "the last line has no end, so the file may be cut short; write it again, or end it \
             with a new line if it is whole"
        );
    }
    let mut table = StateTable::new("line", layout.remembers());
    let mut record = ByteRecord::new();
    loop {
        let read = reader.read_byte_record(&mut record);
        if !read.map_err(|error| csv_error(error, reader.get_ref()))? {
            break;
        }
        let line = record.position().map_or(0, |place| reader.get_ref().line(place.line()));
        let tick = layout.whole(&record, line, 0, LAST_TICK)?;
        let memory = layout.remembers().then(|| layout.memory(&record, line));
        let row = StateRow {
            place: line,
            id: layout.whole(&record, line, 1, u32::MAX.into())? as u32,
            species: layout.whole(&record, line, 2, u8::MAX.into())? as u8,
            position: layout.point(&record, line, 3)?,
            velocity: layout.point(&record, line, 5)?,
            memory: memory.transpose()?.unwrap_or_default(),
        };
        table.push(tick, row)?;
    }
    if with_run {
        let comments = &mut reader.get_mut().comments;
        let targets = comments.targets_at(table.tick());
        table.describe(comments.record()?, targets);
    }
    table.complete()
}

/// Whether the last byte ends a line; leaves the file at its beginning.
fn ends_with_a_line(file: &mut File) -> io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    file.rewind()?;
    Ok(last == *b"\n")
}

/// What the reader of CSV found, for people.
fn csv_error(error: csv::Error, lines: &Lines<File>) -> anyhow::Error {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, |place| lines.line(place.line()));
            anyhow::anyhow!(
                "line {line}: {len} values where the header has {expected_len} columns; the file \
                 may be cut short, write it again"
            )
        }
        _ => anyhow::Error::new(error),
    }
}
