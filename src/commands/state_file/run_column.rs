//! The column `run` of a CSV state file: what belongs to a tick or to the whole run, and to no agent.
//!
//! A field is TOML in percent-encoding, so a reader that only splits lines at commas sees one field.
//! The first row of a file has the record of the run. The first row of each tick has the targets, if
//! there are any. A flow field that was read from a file is spread over the rows of the first tick: a
//! spreadsheet cuts a cell of more than 32,767 characters, and Python's `csv` refuses a field of more
//! than 131,072.
//!
//! ```text
//! version = 1                             the record, see `RunRecord`
//! …
//! targets = [[100.0, 80.0, 1.5, 0.0, 2]]  position, velocity and hits of each target
//! flow.512 = [[0.5, 0.25], …]             vectors of the flow field, from number 512 on
//! ```
//!
//! Positions, velocities and vectors have as many numbers as the world has axes.

use std::borrow::Cow;
use std::fmt::Write;

use super::run_record::{LONGEST_RECORD, MOST_VECTORS, RunRecord, TargetRow};
use flockwork_model::quote::quoted;
use flockwork_model::scene::MAX_TARGETS;
use flockwork_model::vector::Point;

/// The name of the column.
pub const RUN: &str = "run";

/// Vectors of a flow field in one row, where the tick has enough rows: some 20,000 characters.
const VECTORS_A_ROW: usize = 512;

/// Most vectors in one row, where it has few: some 80 MB.
const MOST_VECTORS_A_ROW: usize = 1 << 21;

/// Most bytes of a line with this column: the longest record, every other byte of it encoded.
pub const LONGEST_LINE: usize = LONGEST_RECORD * 2;

/// How the targets of a tick begin.
const TARGETS: &str = "targets = [";

/// How the vectors of a flow field begin.
const FLOW: &str = "flow.";

/// The remedy for a field that cannot be read.
const REMEDY: &str = "write the file again, or name another scene with --scene";

/// The fields of one tick. Most rows have empty ones.
#[derive(Debug)]
pub struct RunFields<'a> {
    /// Encoded.
    first: String,
    flow: &'a [Point],
    vectors_a_row: usize,
    axes: usize,
}

/// The coordinates of a point, with all digits.
fn coordinates(point: Point, axes: usize) -> String {
    point.to_array()[..axes].iter().map(|one| format!("{one:?}")).collect::<Vec<_>>().join(", ")
}

impl<'a> RunFields<'a> {
    /// The fields of a tick of `rows` agents in a world with `axes` axes. The first tick of a file has
    /// the `record`. Fails if the flow field is too large for so few rows.
    pub fn of_tick(
        record: Option<&'a RunRecord>,
        targets: &[TargetRow],
        rows: usize,
        axes: usize,
    ) -> Result<Self, String> {
        let flow = record.map_or(&[][..], |record| &record.flow);
        let vectors_a_row = flow.len().div_ceil(rows.max(1)).max(VECTORS_A_ROW);
        if vectors_a_row > MOST_VECTORS_A_ROW {
            return Err(format!(
                "a CSV file of {rows} agents cannot hold a flow field of {} vectors; write NAME.npz",
                flow.len()
            ));
        }
        let mut first = record.map(RunRecord::text).unwrap_or_default();
        if !targets.is_empty() {
            let target = |TargetRow { position, velocity, hits }: &TargetRow| {
                let [position, velocity] =
                    [position, velocity].map(|point| coordinates(*point, axes));
                format!("[{position}, {velocity}, {hits}]")
            };
            let targets: Vec<String> = targets.iter().map(target).collect();
            first += &format!("{TARGETS}{}]\n", targets.join(", "));
        }
        Ok(Self { first: encoded(&first), flow, vectors_a_row, axes })
    }

    /// The field of row number `row` of the tick.
    pub fn of_row(&self, row: usize) -> Cow<'_, str> {
        let first = if row == 0 { self.first.as_str() } else { "" };
        let start = row * self.vectors_a_row;
        let end = self.flow.len().min(start + self.vectors_a_row);
        if start >= end {
            return first.into();
        }
        let vector = |vector: &Point| format!("[{}]", coordinates(*vector, self.axes));
        let vectors: Vec<String> = self.flow[start..end].iter().map(vector).collect();
        let flow = format!("{FLOW}{start} = [{}]\n", vectors.join(", "));
        (first.to_owned() + &encoded(&flow)).into()
    }
}

/// Everything but letters, digits and signs that no reader of CSV gives a meaning, as % and two
/// hexadecimal digits.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| match byte {
        b'%' | b',' | b';' | b'"' | b'\'' | b'#' => false,
        byte => byte == b' ' || byte.is_ascii_graphic(),
    };
    let mut all = String::with_capacity(text.len() + text.len() / 4);
    for byte in text.bytes() {
        if plain(byte) {
            all.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(all, "%{byte:02X}");
        }
    }
    all
}

/// The text of a field. `Err` says what is wrong with the field.
fn decoded(field: &[u8]) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digit = |place: usize| char::from(*after.get(place)?).to_digit(16);
        let Some((high, low)) = digit(0).zip(digit(1)) else {
            let found = String::from_utf8_lossy(&after[..after.len().min(2)]).into_owned();
            let place = field.len() - after.len();
            return Err(format!(
                "expected two hexadecimal digits after the % at character {place}, found {}",
                quoted(&found)
            ));
        };
        bytes.push((high * 16 + low) as u8);
        rest = &after[2..];
    }
    String::from_utf8(bytes).map_err(|error| {
        format!(
            "expected text in UTF-8, found another byte after {}",
            error.utf8_error().valid_up_to()
        )
    })
}

/// Lists of `length` numbers as TOML has them, without the outer brackets: `[1, 2], [3, 4]`. No TOML
/// parser reads them, because a number that is parsed as `f64` first may become another `f32`.
fn lists<T>(
    text: &str,
    length: usize,
    value: impl Fn(&[&str]) -> Option<T>,
) -> Result<Vec<T>, String> {
    let wrong =
        |found: &str| format!("expected lists of {length} numbers, found {}", quoted(found));
    let list = |list: &str| {
        // One more, to notice that there are too many.
        let numbers: Vec<&str> = list.split(',').map(str::trim).take(length + 1).collect();
        if numbers.len() == length { value(&numbers) } else { None }
    };
    let mut values = Vec::new();
    let mut rest = text.trim();
    loop {
        let both = rest.strip_prefix('[').and_then(|text| text.split_once(']'));
        let (inner, after) = both.ok_or_else(|| wrong(rest))?;
        values.push(list(inner).ok_or_else(|| wrong(inner))?);
        let after = after.trim_start();
        if after.is_empty() {
            return Ok(values);
        }
        rest = after.strip_prefix(',').ok_or_else(|| wrong(after))?.trim_start();
    }
}

/// Position, velocity and hits.
fn target(numbers: &[&str]) -> Option<TargetRow> {
    let (hits, numbers) = numbers.split_last()?;
    let (position, velocity) = numbers.split_at(numbers.len() / 2);
    Some(TargetRow {
        position: vector(position)?,
        velocity: vector(velocity)?,
        hits: hits.parse().ok()?,
    })
}

/// A point with these coordinates.
fn vector(numbers: &[&str]) -> Option<Point> {
    let mut point = Point::ZERO;
    for (axis, number) in numbers.iter().enumerate() {
        point[axis] = number.parse().ok()?;
    }
    Some(point)
}

/// The content of a file's fields, whatever the order of its rows.
#[derive(Debug)]
pub struct RunColumn {
    /// Number of coordinates of a point.
    axes: usize,
    /// The record, and the line of the file that has it.
    record: Option<(u64, String)>,
    /// The targets of the highest tick that has some, and that tick.
    targets: Option<(u64, Vec<TargetRow>)>,
    /// Vectors of the flow field, each list with the number of its first and its line.
    flow: Vec<(usize, u64, Vec<Point>)>,
    /// Number of vectors so far.
    vectors: usize,
}

impl RunColumn {
    /// Nothing read yet, of a world with `axes` axes.
    pub fn of(axes: usize) -> Self {
        Self { axes, record: None, targets: None, flow: Vec::new(), vectors: 0 }
    }

    /// Reads the field of a row of `tick`, which is on this line.
    pub fn take(&mut self, line: u64, tick: u64, field: &[u8]) -> anyhow::Result<()> {
        let wrong = |problem| anyhow::anyhow!("line {line}: {RUN}: {problem}; {REMEDY}");
        if field.len() > LONGEST_LINE {
            return Err(wrong(format!("expected at most {LONGEST_LINE} bytes, found more")));
        }
        let text = decoded(field).map_err(wrong)?;
        let mut text = text.trim_end();
        // The scene of a record ends with a quote, so these lines are not part of it.
        while let Some(last) = text.lines().next_back().filter(|last| last.ends_with(']')) {
            if let Some(lists) = last.strip_prefix(TARGETS) {
                self.take_targets(tick, lists).map_err(wrong)?;
            } else if let Some(numbered) = last.strip_prefix(FLOW) {
                self.take_flow(line, numbered).map_err(wrong)?;
            } else {
                break;
            }
            text = text[..text.len() - last.len()].trim_end();
        }
        if text.len() > LONGEST_RECORD {
            return Err(wrong(format!(
                "expected at most {LONGEST_RECORD} bytes of text, found more"
            )));
        }
        if !text.is_empty() && self.record.is_none() {
            self.record = Some((line, text.to_owned()));
        }
        Ok(())
    }

    fn take_targets(&mut self, tick: u64, text: &str) -> Result<(), String> {
        let text = text.strip_suffix(']').unwrap_or(text);
        let targets = lists(text, 2 * self.axes + 1, target);
        let targets = targets.map_err(|problem| format!("targets: {problem}"))?;
        if targets.len() > MAX_TARGETS {
            let found = targets.len();
            return Err(format!("targets: expected at most {MAX_TARGETS}, found {found}"));
        }
        match &self.targets {
            Some((last, _)) if *last == tick => {
                return Err(format!("tick {tick} has targets on an earlier line too"));
            }
            Some((last, _)) if *last > tick => {}
            _ => self.targets = Some((tick, targets)),
        }
        Ok(())
    }

    fn take_flow(&mut self, line: u64, text: &str) -> Result<(), String> {
        let parts = text.split_once(" = [").and_then(|(start, lists)| {
            Some((start.parse::<usize>().ok()?, lists.strip_suffix(']')?))
        });
        let Some((start, text)) = parts else {
            return Err(format!(
                "expected vectors as in flow.0 = [[0.5, 0.25]], found {}",
                quoted(text)
            ));
        };
        let vectors = lists(text, self.axes, vector);
        let vectors = vectors.map_err(|problem| format!("flow: {problem}"))?;
        self.vectors += vectors.len();
        if self.vectors > MOST_VECTORS {
            return Err(format!("a flow field has at most {MOST_VECTORS} vectors, found more"));
        }
        self.flow.push((start, line, vectors));
        Ok(())
    }

    /// The record of the run, if there is one.
    pub fn record(&mut self) -> anyhow::Result<Option<RunRecord>> {
        let Some((line, text)) = self.record.take() else { return Ok(None) };
        let place =
            |of_text: usize| format!("line {line}: {RUN}, line {} of its text", of_text + 1);
        let record = RunRecord::parse(&text, place)?;
        self.flow.sort_by_key(|(start, ..)| *start);
        let mut flow = Vec::with_capacity(self.vectors);
        for (start, line, mut vectors) in self.flow.drain(..) {
            anyhow::ensure!(
                start == flow.len(),
                "line {line}: {RUN}: expected vector {} of the flow field, found vector {start}; {REMEDY}",
                flow.len()
            );
            flow.append(&mut vectors);
        }
        Ok(Some(RunRecord { flow, ..record }))
    }

    /// The targets at a tick; empty unless it is the last tick with targets.
    pub fn targets_at(&mut self, tick: u64) -> Vec<TargetRow> {
        match self.targets.take() {
            Some((last, targets)) if last == tick => targets,
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_survives_in_plain_characters() {
        let all: String = (0..0x250).filter_map(char::from_u32).collect();
        let field = encoded(&all);
        assert!(field.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()), "{field}");
        assert!(!field.contains(['"', '\'', ',', ';', '#']), "{field}");
        assert_eq!(decoded(field.as_bytes()).unwrap(), all);
        assert_eq!(encoded("a = 1.5"), "a = 1.5");
        assert_eq!(decoded(b"%2c%2C+").unwrap(), ",,+");
        for wrong in ["%", "a%4", "%4x", "%%41", "% 41", "%+1"] {
            assert!(decoded(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn vectors_keep_all_their_bits() {
        let numbers = [0.1, -0.0, f32::from_bits(1), f32::MAX, 1.0 / 3.0, 16_777_217.0];
        for axes in [2, 3] {
            let point = |x, y, z| Point::new(x, y, if axes == 2 { 0.0 } else { z });
            let flow = numbers.map(|x| point(x, -x, x * 0.7)).to_vec();
            let targets = numbers.map(|x| TargetRow {
                position: point(-x, x, x * 0.3),
                velocity: point(x, 0.0, -x),
                hits: 9,
            });
            let record = RunRecord {
                name: "a \"b\"\n.toml".into(),
                scene: "about = \"\"\"a\n\nflow.0 = [[1, 2]]\"\"\"\n[species.a]\n".into(),
                count: 7,
                density: Some(0.1),
                world: point(640.0, 1e7, 30.1),
                flow,
                made: None,
            };
            assert_eq!(record.axes(), axes);
            let fields = RunFields::of_tick(Some(&record), &targets, 1, axes).unwrap();
            let mut column = RunColumn::of(axes);
            column.take(2, 5, fields.of_row(0).as_bytes()).unwrap();
            let read = column.record().unwrap().unwrap();
            let bits = |points: &[Point]| -> Vec<[u32; 3]> {
                points.iter().map(|point| point.to_array().map(f32::to_bits)).collect()
            };
            assert_eq!(bits(&read.flow), bits(&record.flow));
            assert_eq!(read, record);
            let read = column.targets_at(5);
            for of in [|row: &TargetRow| row.position, |row: &TargetRow| row.velocity] {
                let points = |rows: &[TargetRow]| rows.iter().map(of).collect::<Vec<_>>();
                assert_eq!(bits(&points(&read)), bits(&points(&targets)));
            }
            // Read with the other number of axes, no list is long enough, or short enough.
            let mut other = RunColumn::of(5 - axes);
            assert!(other.take(2, 5, fields.of_row(0).as_bytes()).is_err());
            let many = RunRecord { flow: vec![Point::ZERO; MOST_VECTORS_A_ROW + 1], ..record };
            let of_rows = |rows| RunFields::of_tick(Some(&many), &[], rows, axes);
            assert!(of_rows(1).unwrap_err().contains("NAME.npz") && of_rows(2).is_ok());
        }
    }
}
