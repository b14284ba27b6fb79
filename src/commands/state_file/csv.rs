//! State files as CSV: `tick,id,species,x,y,vx,vy`, in space `tick,id,species,x,y,z,vx,vy,vz`, then
//! `angle,neighbours` or `angle,shown` if agents remember them, then `run` if the file describes its run,
//! see [`super::run_column`]; one row an agent.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, bail};
use csv::{ByteRecord, ReaderBuilder, WriterBuilder};
use rayon::prelude::*;

use super::lines::Lines;
use super::run_column::{LONGEST_LINE, RUN, RunColumn, RunFields};
use super::run_record::{RunRecord, TargetRow, kept};
use super::table::{LAST_TICK, Part, StateRow, StateTable};
use super::{COLUMNS, Portion, missing};
use crate::commands::input::open_file;
use crate::commands::output::OutputFile;
use flockwork_model::behaviours::Target;
use flockwork_model::memory::{MOST_SHOWN, Memory, ShownBy};
use flockwork_model::quote::quoted;
use flockwork_model::scene::hint;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{Point, components};

/// Rows that one thread turns into text at a time.
const ROWS: usize = 16_384;
/// Blocks of [`ROWS`] that wait in memory as text: some 70 MB.
const BLOCKS: usize = 64;

/// Where some columns stand in [`COLUMNS`].
const X: usize = 3;
const VX: usize = 6;
const VZ: usize = 8;
const ANGLE: usize = 9;
const NEIGHBOURS: usize = 10;
const SHOWN: usize = 11;
const LAST: usize = COLUMNS.len() - 1;

/// The columns of a file that this program writes, by their number in [`COLUMNS`]. `memory` is the column
/// after the angle, if agents remember something.
fn own_columns(axes: usize, memory: Option<usize>, described: bool) -> impl Iterator<Item = usize> {
    (0..COLUMNS.len()).filter(move |column| match COLUMNS[*column] {
        "z" | "vz" => axes == 3,
        "angle" => memory.is_some(),
        "neighbours" | "shown" => memory == Some(*column),
        RUN => described,
        _ => true,
    })
}

/// The header that every file with this number of axes has at least.
fn header_of_motion(axes: usize) -> String {
    own_columns(axes, None, false).map(|column| COLUMNS[column]).collect::<Vec<_>>().join(",")
}

/// A CSV file under way.
#[derive(Debug)]
pub struct CsvStates {
    file: OutputFile,
    /// Number of axes of the world.
    pub axes: usize,
    run: Option<RunRecord>,
    /// The first tick, once the header is written.
    headed: Option<u64>,
}

impl CsvStates {
    /// Begins the file.
    pub fn begin(file: OutputFile) -> Self {
        Self { file, axes: 2, run: None, headed: None }
    }

    /// Adds the record of the run; before all ticks.
    pub fn describe(&mut self, run: RunRecord) {
        self.run = Some(run);
    }

    /// Adds some rows of a tick. Numbers are the shortest text that reads back to the same `f32`.
    pub fn write(&mut self, portion: Portion, targets: &[Target]) -> io::Result<()> {
        let Portion { state, first: first_row, rows } = portion;
        let headed = self.headed.replace(self.headed.unwrap_or(state.tick));
        if headed.is_none() {
            let counts = state.shown == ShownBy::default();
            let column = if counts { NEIGHBOURS } else { SHOWN };
            let memory = (!state.memory.is_empty()).then_some(column);
            let columns = own_columns(self.axes, memory, self.run.is_some());
            let columns: Vec<&str> = columns.map(|column| COLUMNS[column]).collect();
            writeln!(self.file, "{}", columns.join(","))?;
        }
        let targets: Vec<TargetRow> = kept(targets).map(TargetRow::from).collect();
        let fields = self.run.as_ref().map(|run| {
            let record = (self.headed == Some(state.tick)).then_some(run);
            RunFields::of_tick(record, &targets, rows, self.axes).map_err(io::Error::other)
        });
        let fields = fields.transpose()?;
        let starts: Vec<usize> = (0..state.len()).step_by(ROWS).collect();
        for group in starts.chunks(BLOCKS) {
            let block = match self.axes {
                2 => block::<2>,
                _ => block::<3>,
            };
            let block = |start: &usize| block(state, *start, first_row, fields.as_ref());
            let blocks: Vec<Vec<u8>> = group.par_iter().map(block).collect::<io::Result<_>>()?;
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

/// The rows from `start` on as text. The first row of `state` is number `first` of its tick.
fn block<const D: usize>(
    state: &FlockState,
    start: usize,
    first: usize,
    run: Option<&RunFields>,
) -> io::Result<Vec<u8>>
where
    [f32; D]: serde::Serialize,
{
    let mut writer = WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for i in start..state.len().min(start + ROWS) {
        let (p, v) = (components::<D>(state.position[i]), components::<D>(state.velocity[i]));
        let motion = (state.tick, state.id[i], state.species[i], p, v);
        let memory = state.memory.get(i).map(|memory| (memory.angle(), memory.shown()));
        let written = match (memory, run.map(|run| run.of_row(first + i))) {
            (Some(memory), Some(run)) => writer.serialize((motion, memory, run)),
            (Some(memory), None) => writer.serialize((motion, memory)),
            (None, Some(run)) => writer.serialize((motion, run)),
            (None, None) => writer.serialize(motion),
        };
        written.map_err(io::Error::other)?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// The place in the file of each column of [`COLUMNS`].
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
                    expected(),
                    hint(name, COLUMNS)
                );
            };
            if places[column].replace(place).is_some() {
                bail!("line {line}: the column {name:?} appears twice");
            }
        }
        if places[NEIGHBOURS].and(places[SHOWN]).is_some() {
            bail!(
                "line {line}: a file has the column `neighbours` or `shown`, not both; remove one"
            );
        }
        if let Some(name) = missing(&COLUMNS, |column| places[column].is_some()) {
            bail!("line {line}: the column {name:?} is missing; {}", expected());
        }
        Ok(Self { places })
    }

    /// Number of axes of the file's world.
    fn axes(&self) -> usize {
        if self.places[VZ].is_some() { 3 } else { 2 }
    }

    /// The column after the angle, if the file has the columns of what agents remember.
    fn memory_column(&self) -> Option<usize> {
        let column = if self.places[SHOWN].is_some() { SHOWN } else { NEIGHBOURS };
        self.places[ANGLE].map(|_| column)
    }

    /// True for a header that `simulate` writes.
    fn is_own(&self) -> bool {
        let described = self.places[LAST].is_some();
        let mut own = own_columns(self.axes(), self.memory_column(), described).enumerate();
        own.all(|(place, column)| self.places[column] == Some(place))
    }

    /// The value of a column, if the file has the column.
    fn value<T: std::str::FromStr>(
        &self,
        record: &ByteRecord,
        line: u64,
        column: usize,
        expected: impl FnOnce() -> String,
    ) -> anyhow::Result<Option<T>> {
        let Some(place) = self.places[column] else { return Ok(None) };
        let text = record.get(place).unwrap_or_default();
        let value = std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok());
        let Some(value) = value else {
            bail!(
                "line {line}: {} is {}, expected {}",
                COLUMNS[column],
                quoted(&String::from_utf8_lossy(text)),
                expected()
            );
        };
        Ok(Some(value))
    }

    /// The point whose first component is in column `x`.
    fn point(&self, record: &ByteRecord, line: u64, x: usize) -> anyhow::Result<Point> {
        let mut point = Point::ZERO;
        for axis in 0..self.axes() {
            let number = self.value(record, line, x + axis, || "a number".into())?;
            point[axis] = number.unwrap_or_default();
        }
        Ok(point)
    }

    /// A whole number up to `most`; 0 if the file does not have the column.
    fn whole(
        &self,
        record: &ByteRecord,
        line: u64,
        column: usize,
        most: u64,
    ) -> anyhow::Result<u64> {
        let expected = || format!("a whole number from 0 to {most}");
        let value: Option<u64> = self.value(record, line, column, expected)?;
        match value {
            Some(value) if value > most => {
                bail!("line {line}: {} is {value}, expected {}", COLUMNS[column], expected())
            }
            _ => Ok(value.unwrap_or_default()),
        }
    }

    /// The memory of the agent of a row.
    fn memory(&self, record: &ByteRecord, line: u64) -> anyhow::Result<Memory> {
        let angle: f32 = self.value(record, line, ANGLE, || "a number".into())?.unwrap_or_default();
        if !(-0.5..=0.5).contains(&angle) {
            let name = COLUMNS[ANGLE];
            bail!("line {line}: {name} is {angle}, expected a number of turns from -0.5 to 0.5");
        }
        let column = self.memory_column().unwrap_or(NEIGHBOURS);
        let shown = self.whole(record, line, column, MOST_SHOWN.into())?;
        Ok(Memory::new(angle, shown as f32))
    }
}

/// The columns of a header, for messages.
fn expected() -> String {
    format!(
        "the header is {}, in space {}; tick and species are optional, and so are {} together (or \
         {} for {}), and {RUN}",
        header_of_motion(2),
        header_of_motion(3),
        COLUMNS[ANGLE..SHOWN].join(" and "),
        COLUMNS[SHOWN],
        COLUMNS[NEIGHBOURS]
    )
}

/// Reads a part of the last tick, and with `with_run` the record of the run.
pub fn read(path: &Path, with_run: bool, part: Part) -> anyhow::Result<StateTable> {
    let mut file = open_file(path).context("cannot read it")?;
    let ends_with_a_line = ends_with_a_line(&mut file).context("cannot read it")?;
    let mut reader = ReaderBuilder::new().from_reader(Lines::of(file));
    let header = reader.byte_headers().cloned();
    let header = header.map_err(|error| csv_error(error, reader.get_ref()))?;
    if header.is_empty() {
        bail!("the file is empty; a state file begins with {}", header_of_motion(2));
    }
    let layout = Columns::of(&header, reader.get_ref().line(1))?;
    if layout.is_own() && !ends_with_a_line {
        // A number that lost its last digits is still a number: only the missing end of line tells.
        bail!(
            "the last line has no end, so the file may be cut short; write it again, or end it \
             with a new line if it is whole"
        );
    }
    // Only rows with this column may be long, so a file without line ends fails at its header.
    let run_place = layout.places[LAST];
    if run_place.is_some() {
        reader.get_mut().allow(LONGEST_LINE);
    }
    let mut run = RunColumn::of(layout.axes());
    let remembers = layout.memory_column().is_some();
    let mut table = StateTable::new("line", part, layout.axes(), remembers);
    table.shows = layout.memory_column() == Some(SHOWN);
    let mut record = ByteRecord::new();
    loop {
        let read = reader.read_byte_record(&mut record);
        if !read.map_err(|error| csv_error(error, reader.get_ref()))? {
            break;
        }
        let line = record.position().map_or(0, |place| reader.get_ref().line(place.line()));
        let tick = layout.whole(&record, line, 0, LAST_TICK)?;
        if let Some(place) = run_place.filter(|_| with_run)
            && let Some(field) = record.get(place).filter(|field| !field.is_empty())
        {
            run.take(line, tick, field)?;
        }
        let memory = remembers.then(|| layout.memory(&record, line));
        let row = StateRow {
            place: line,
            id: layout.whole(&record, line, 1, u32::MAX.into())? as u32,
            species: layout.whole(&record, line, 2, u8::MAX.into())? as u8,
            position: layout.point(&record, line, X)?,
            velocity: layout.point(&record, line, VX)?,
            memory: memory.transpose()?.unwrap_or_default(),
        };
        table.push(tick, row)?;
    }
    if with_run {
        let tick = table.tick();
        let record = run.record()?;
        if record.is_some() {
            table.describe(record, run.targets_at(tick));
        } else {
            let comments = &mut reader.get_mut().comments;
            let targets = comments.targets_at(tick);
            table.describe(comments.record()?, targets);
        }
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

/// An error of the reader of CSV, with its line and a remedy.
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
