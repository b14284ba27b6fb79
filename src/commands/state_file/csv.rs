//! State files as CSV: `tick,id,species,x,y,vx,vy`, one row an agent.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, bail};
use csv::{ByteRecord, ReaderBuilder, WriterBuilder};
use rayon::prelude::*;

use super::COLUMNS;
use super::table::{StateRow, StateTable};
use crate::commands::input::Lines;
use crate::commands::output::OutputFile;
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
}

impl CsvStates {
    /// Writes the header.
    pub fn begin(mut file: OutputFile) -> io::Result<Self> {
        writeln!(file, "{}", COLUMNS.join(","))?;
        Ok(Self { file })
    }

    /// Adds the rows of one tick. Numbers are the shortest text that reads back to the same `f32`.
    pub fn write(&mut self, state: &FlockState) -> io::Result<()> {
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
        let row = (state.tick, state.id[i], state.species[i], p.x, p.y, v.x, v.y);
        writer.serialize(row).map_err(io::Error::other)?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// Where each column of [`COLUMNS`] stands in the file.
struct Columns {
    places: [Option<usize>; COLUMNS.len()],
}

impl Columns {
    fn of(header: &ByteRecord) -> anyhow::Result<Self> {
        let mut places = [None; COLUMNS.len()];
        for (place, name) in header.iter().enumerate() {
            let name = String::from_utf8_lossy(name);
            let name = name.trim();
            let Some(column) = COLUMNS.iter().position(|column| *column == name) else {
                bail!(
                    "line 1: unknown column {}; the header is {}, tick and species are optional{}",
                    quoted(name),
                    COLUMNS.join(","),
                    hint(name, COLUMNS)
                );
            };
            if places[column].replace(place).is_some() {
                bail!("line 1: the column {name:?} appears twice");
            }
        }
        for (name, place) in COLUMNS.iter().zip(&places) {
            if place.is_none() && *name != "tick" && *name != "species" {
                bail!(
                    "line 1: the column {name:?} is missing; the header is {}, tick and species \
                     are optional",
                    COLUMNS.join(",")
                );
            }
        }
        Ok(Self { places })
    }

    /// True for the header that `simulate` writes.
    fn is_own(&self) -> bool {
        self.places.iter().enumerate().all(|(column, place)| *place == Some(column))
    }

    /// The value of a column, if the file has the column.
    fn value<T: std::str::FromStr>(
        &self,
        record: &ByteRecord,
        line: u64,
        column: usize,
        wanted: &str,
    ) -> anyhow::Result<Option<T>> {
        let Some(place) = self.places[column] else { return Ok(None) };
        let text = record.get(place).unwrap_or_default();
        let value = std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok());
        let Some(value) = value else {
            bail!(
                "line {line}: {} is {}, where {wanted} is wanted",
                COLUMNS[column],
                quoted(&String::from_utf8_lossy(text))
            );
        };
        Ok(Some(value))
    }

    fn point(&self, record: &ByteRecord, line: u64, x: usize) -> anyhow::Result<Point> {
        let number = |column| self.value(record, line, column, "a number");
        Ok(Point::new(number(x)?.unwrap_or_default(), number(x + 1)?.unwrap_or_default()))
    }
}

/// Reads the last tick.
pub fn read(path: &Path) -> anyhow::Result<StateTable> {
    let mut file = File::open(path).context("cannot read it")?;
    let ends_with_a_line = ends_with_a_line(&mut file).context("cannot read it")?;
    let file = BufReader::with_capacity(1 << 16, Lines::of(file));
    let mut reader = ReaderBuilder::new().from_reader(file);
    let header = reader.byte_headers().map_err(csv_error)?;
    if header.is_empty() {
        bail!("the file is empty; a state file begins with {}", COLUMNS.join(","));
    }
    let layout = Columns::of(header)?;
    if layout.is_own() && !ends_with_a_line {
        // A number that lost its last digits is still a number: only the missing end of line tells.
        bail!(
            "the last line has no end, so the file may be cut short; write it again, or end it \
             with a new line if it is whole"
        );
    }
    let mut table = StateTable::new("line");
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(csv_error)? {
        let line = record.position().map_or(0, csv::Position::line);
        let whole = |column, most: u64| -> anyhow::Result<Option<u64>> {
            let wanted = format!("a whole number from 0 to {most}");
            let value: Option<u64> = layout.value(&record, line, column, &wanted)?;
            match value {
                Some(value) if value > most => {
                    bail!("line {line}: {} is {value}, where {wanted} is wanted", COLUMNS[column])
                }
                _ => Ok(value),
            }
        };
        let tick = whole(0, u64::MAX)?.unwrap_or_default();
        let row = StateRow {
            place: line,
            id: whole(1, u32::MAX.into())?.unwrap_or_default() as u32,
            species: whole(2, u8::MAX.into())?.unwrap_or_default() as u8,
            position: layout.point(&record, line, 3)?,
            velocity: layout.point(&record, line, 5)?,
        };
        table.push(tick, row)?;
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
fn csv_error(error: csv::Error) -> anyhow::Error {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            anyhow::anyhow!(
                "line {line}: {len} values where the header has {expected_len} columns; the file \
                 may be cut short, write it again"
            )
        }
        _ => anyhow::Error::new(error),
    }
}
