//! State files: every agent at one or several ticks, as CSV or as NumPy arrays.
//!
//! [`read_state`] reads back the same bits that [`StateWriter`] has written. An `.npz` file has everything that
//! its run goes on from; a CSV file has ticks, ids, species, places and velocities.

mod csv;
mod npz;
mod run_record;
mod table;

use std::io::{BufReader, Write};
use std::path::Path;

use anyhow::Context;

use super::input::open_file;
use super::messages::tell;
use super::output::{OutputError, OutputFile};
use super::usage::wrong;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;

pub use csv::COLUMNS;
pub use run_record::{RunRecord, restore_flow, restore_targets};
pub use table::{Part, StateTable};

/// The arrays of an `.npz` file, in order. From `angle` on they are there only if they have values.
pub const ARRAYS: [&str; 12] = [
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
    "flow",
];

/// The record of a run in its `.npz` file, and the end of its name beside a CSV file.
pub const RECORD: &str = "run.toml";

/// The first of `names` that a file must have and lacks. Tick and species may be missing, `z` and `vz`
/// together, and angle together with neighbours or shown.
fn missing<'a>(names: &[&'a str], has: impl Fn(usize) -> bool) -> Option<&'a str> {
    let there = |name: &str| names.iter().position(|known| *known == name).is_some_and(&has);
    let optional = |name: &str| match name {
        "z" => !there("vz"),
        "vz" => !there("z"),
        "angle" => !there("neighbours") && !there("shown"),
        "neighbours" => !there("angle") || there("shown"),
        name => ["tick", "species", "shown"].contains(&name),
    };
    names.iter().copied().find(|name| !there(name) && !optional(name))
}

/// How a state file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateFormat {
    /// Text, one row an agent.
    Csv,
    /// A ZIP archive of NumPy arrays, uncompressed.
    Npz,
}

impl StateFormat {
    /// By the extension of the name; `option` is named in the message.
    pub fn of(path: &Path, option: &str) -> anyhow::Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("npz") => Ok(Self::Npz),
            _ => Err(wrong(format!(
                "{option} {}: a state file is called NAME.csv (text) or NAME.npz (NumPy)",
                path.display()
            ))),
        }
    }
}

/// Writes states as they come, one tick after the other; memory does not grow with their number.
#[derive(Debug)]
pub struct StateWriter(FileFormat);

#[derive(Debug)]
enum FileFormat {
    Csv(CsvStates),
    Npz(Box<npz::NpzStates>),
}

/// A CSV file under way.
#[derive(Debug)]
struct CsvStates {
    rows: OutputFile,
    /// The file beside it with the record of the run.
    record: OutputFile,
    described: bool,
    axes: usize,
    /// Whether the header is written.
    begun: bool,
}

impl StateWriter {
    /// Begins the file, in the format of its extension. It gets its name in
    /// [`StateWriter::finish`].
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let format = StateFormat::of(path, "--out")?;
        let file = OutputFile::create(path)?;
        Ok(Self(match format {
            StateFormat::Csv => FileFormat::Csv(CsvStates {
                rows: file,
                record: record_beside(path)?,
                described: false,
                axes: 2,
                begun: false,
            }),
            StateFormat::Npz => FileFormat::Npz(Box::new(npz::NpzStates::begin(file)?)),
        }))
    }

    /// Sets the number of axes of the world, before all ticks: 2 or 3. It is 2 at first, and a record of
    /// the run sets it too.
    pub fn set_axes(&mut self, axes: usize) {
        match &mut self.0 {
            FileFormat::Csv(states) => states.axes = axes,
            FileFormat::Npz(states) => states.axes = axes,
        }
    }

    /// Adds the record of the run, before all ticks. A CSV file has it in a file beside it, NAME.run.toml.
    pub fn describe(&mut self, run: RunRecord) -> anyhow::Result<()> {
        self.set_axes(run.axes());
        match &mut self.0 {
            FileFormat::Csv(states) => {
                states.record.write_all(run.text().as_bytes())?;
                states.described = true;
            }
            FileFormat::Npz(states) => states.describe(run),
        }
        Ok(())
    }

    /// Adds the rows of one tick, in the order of the state, with the targets at that tick. Memory must be
    /// there in all ticks of a file or in none, and all ticks must have as many targets.
    pub fn write(&mut self, state: &FlockState, targets: &[Target]) -> anyhow::Result<()> {
        self.write_portion(state, true, targets)
    }

    /// Adds some rows of a tick. Portions come in order, and each with the same targets.
    pub fn write_portion(
        &mut self,
        state: &FlockState,
        is_first: bool,
        targets: &[Target],
    ) -> anyhow::Result<()> {
        match &mut self.0 {
            FileFormat::Csv(CsvStates { rows, axes, begun, .. }) => {
                if !std::mem::replace(begun, true) {
                    csv::write_header(rows, *axes)?;
                }
                Ok(csv::write_rows(rows, state, *axes)?)
            }
            FileFormat::Npz(states) => Ok(states.write(state, is_first, targets)?),
        }
    }

    /// Completes the file and gives it its name. Returns its size in bytes.
    pub fn finish(self) -> anyhow::Result<u64> {
        let (file, record) = match self.0 {
            FileFormat::Csv(CsvStates { rows, record, described, .. }) => {
                (rows, described.then_some(record))
            }
            FileFormat::Npz(states) => (states.finish()?, None),
        };
        let size = file.publish()?;
        record.map(OutputFile::publish).transpose()?;
        Ok(size)
    }
}

/// Begins the file with the record of the run that the CSV file `path` belongs to: not every reader of
/// CSV skips comments.
pub fn record_beside(path: &Path) -> Result<OutputFile, OutputError> {
    OutputFile::create(&path.with_extension(RECORD))
}

/// Reads a part of the last tick of a state file without a check against a scene, and with `with_run` the
/// record of the run. The rest of the file takes no memory.
pub fn read_table(path: &Path, with_run: bool, part: Part) -> anyhow::Result<StateTable> {
    let table = match StateFormat::of(path, "--init")? {
        StateFormat::Csv => open_file(path)
            .context("cannot read it")
            .and_then(|file| csv::read(BufReader::with_capacity(1 << 16, file), part)),
        StateFormat::Npz => npz::read(path, with_run, part),
    };
    table.with_context(|| format!("--init {}", path.display()))
}

/// Reads the last tick of a state file as a flock of `scene`, and ignores the record of the run. The
/// world of `scene` has its final size.
pub fn read_state(path: &Path, scene: &Scene) -> anyhow::Result<FlockState> {
    let table = read_table(path, false, Part::WHOLE)?;
    announce(path, &table);
    table.into_state(scene).with_context(|| format!("--init {}", path.display()))
}

/// Says on stderr where a run begins, if the file does not make that clear.
pub fn announce(path: &Path, table: &StateTable) {
    let (name, tick) = (path.display(), table.tick());
    if StateFormat::of(path, "--init").is_ok_and(|format| format == StateFormat::Csv) {
        tell(&format!(
            "flockwork: {name}: starting from its last tick, {tick}; a CSV file has places and velocities \
             alone, so what agents remember begins anew, and targets do (NAME.npz goes on exactly)"
        ));
    } else if table.has_several_ticks() {
        tell(&format!(
            "flockwork: {name} holds several ticks; starting from its last, tick {tick}"
        ));
    }
}
