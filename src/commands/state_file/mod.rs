//! State files: every agent at one or several ticks, as CSV or as NumPy arrays.
//!
//! [`read_state`] reads back to the bit the file that [`StateWriter`] writes. A file that describes its
//! run ([`RunRecord`]) has everything that the run goes on from.

mod csv;
mod lines;
mod npz;
mod run_column;
mod run_record;
mod table;

use std::path::Path;

use anyhow::Context;

use super::output::{OutputError, OutputFile};
use super::usage::wrong;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;

pub use run_record::{RunRecord, restore_flow, restore_targets};
pub use table::{Part, StateTable};

/// The columns of a CSV file, in order. `z` and `vz` are there if the world is a space, angle and
/// one of neighbours and shown if agents remember something, and the last if the file describes its run.
pub const COLUMNS: [&str; 13] = [
    "tick",
    "id",
    "species",
    "x",
    "y",
    "z",
    "vx",
    "vy",
    "vz",
    "angle",
    "neighbours",
    "shown",
    run_column::RUN,
];

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

/// The text of an `.npz` file: the record of its run.
pub const RECORD: &str = "run.toml";

/// The first of `names` that a file must have and lacks. Tick, species and run may be missing, `z` and
/// `vz` together, and angle together with neighbours or shown.
fn missing<'a>(names: &[&'a str], has: impl Fn(usize) -> bool) -> Option<&'a str> {
    let there = |name: &str| names.iter().position(|known| *known == name).is_some_and(&has);
    let optional = |name: &str| match name {
        "z" => !there("vz"),
        "vz" => !there("z"),
        "angle" => !there("neighbours") && !there("shown"),
        "neighbours" => !there("angle") || there("shown"),
        "shown" => true,
        name => ["tick", "species", run_column::RUN].contains(&name),
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

/// Some rows of a tick.
#[derive(Clone, Copy, Debug)]
pub struct Portion<'a> {
    /// These rows.
    pub state: &'a FlockState,
    /// The number of the first.
    pub first: usize,
    /// Number of rows of the tick.
    pub rows: usize,
}

/// Writes states as they come, one tick after the other; memory does not grow with their number.
#[derive(Debug)]
pub struct StateWriter(FileFormat);

#[derive(Debug)]
enum FileFormat {
    Csv(Box<csv::CsvStates>),
    Npz(Box<npz::NpzStates>),
}

impl StateWriter {
    /// Begins the file, in the format of its extension. It gets its name in
    /// [`StateWriter::finish`].
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let format = StateFormat::of(path, "--out")?;
        let file = OutputFile::create(path)?;
        Ok(Self(match format {
            StateFormat::Csv => FileFormat::Csv(Box::new(csv::CsvStates::begin(file))),
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

    /// Adds the record of the run, before all ticks. Without it `--init` needs the options that the
    /// file was written with.
    pub fn describe(&mut self, run: RunRecord) -> anyhow::Result<()> {
        self.set_axes(run.axes());
        match &mut self.0 {
            FileFormat::Csv(states) => states.describe(run),
            FileFormat::Npz(states) => states.describe(run),
        }
        Ok(())
    }

    /// Adds the rows of one tick, in the order of the state, with the targets at that tick. Memory must be
    /// there in all ticks of a file or in none, and all ticks must have as many targets.
    pub fn write(&mut self, state: &FlockState, targets: &[Target]) -> anyhow::Result<()> {
        self.write_portion(Portion { state, first: 0, rows: state.len() }, targets)
    }

    /// Adds some rows of a tick. Portions come in order, and each with the same targets.
    pub fn write_portion(&mut self, portion: Portion, targets: &[Target]) -> anyhow::Result<()> {
        match &mut self.0 {
            FileFormat::Csv(states) => Ok(states.write(portion, targets)?),
            FileFormat::Npz(states) => Ok(states.write(portion, targets)?),
        }
    }

    /// Completes the file and gives it its name. Returns its size in bytes.
    pub fn finish(self) -> anyhow::Result<u64> {
        let file = match self.0 {
            FileFormat::Csv(states) => states.finish(),
            FileFormat::Npz(states) => states.finish()?,
        };
        Ok(file.publish().map_err(|error: OutputError| error)?)
    }
}

/// Reads a part of the last tick of a state file without a check against a scene, and with `with_run` the
/// record of the run. The rest of the file takes no memory.
pub fn read_table(path: &Path, with_run: bool, part: Part) -> anyhow::Result<StateTable> {
    let table = match StateFormat::of(path, "--init")? {
        StateFormat::Csv => csv::read(path, with_run, part),
        StateFormat::Npz => npz::read(path, with_run, part),
    };
    table.with_context(|| format!("--init {}", path.display()))
}

/// Reads the last tick of a state file as a flock of `scene`, and ignores the record of the run. The
/// world of `scene` has its final size. If the file holds several ticks, a line on stderr says so.
pub fn read_state(path: &Path, scene: &Scene) -> anyhow::Result<FlockState> {
    let table = read_table(path, false, Part::WHOLE)?;
    table.announce(path);
    table.into_state(scene).with_context(|| format!("--init {}", path.display()))
}
