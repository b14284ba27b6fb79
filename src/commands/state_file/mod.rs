//! State files: every agent at one or several ticks, as CSV or as NumPy arrays.
//!
//! What [`StateWriter`] writes, [`read_state`] reads back to the same bits.

mod csv;
mod npy;
mod npz;
mod table;

use std::path::Path;

use anyhow::Context;

use super::output::{OutputError, OutputFile};
use super::usage::wrong;
use crate::model::scene::Scene;
use crate::model::state::FlockState;

pub use table::StateTable;

/// The columns of a CSV file, in order.
pub const COLUMNS: [&str; 7] = ["tick", "id", "species", "x", "y", "vx", "vy"];

/// The arrays of an `.npz` file, in order.
pub const ARRAYS: [&str; 5] = ["tick", "id", "species", "position", "velocity"];

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
    Csv(csv::CsvStates),
    Npz(Box<npz::NpzStates>),
}

impl StateWriter {
    /// Begins the file, in the format of its extension. It gets its name in
    /// [`StateWriter::finish`].
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let format = StateFormat::of(path, "--out")?;
        let file = OutputFile::create(path)?;
        Ok(Self(match format {
            StateFormat::Csv => FileFormat::Csv(csv::CsvStates::begin(file)?),
            StateFormat::Npz => FileFormat::Npz(Box::new(npz::NpzStates::begin(file)?)),
        }))
    }

    /// Adds the rows of one tick, in the order of the state.
    pub fn write(&mut self, state: &FlockState) -> anyhow::Result<()> {
        match &mut self.0 {
            FileFormat::Csv(states) => Ok(states.write(state)?),
            FileFormat::Npz(states) => Ok(states.write(state)?),
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

/// Reads the last tick of a state file, not yet checked against a scene.
pub fn read_table(path: &Path) -> anyhow::Result<StateTable> {
    let table = match StateFormat::of(path, "--init")? {
        StateFormat::Csv => csv::read(path),
        StateFormat::Npz => npz::read(path),
    };
    table.with_context(|| format!("--init {}", path.display()))
}

/// Reads the last tick of a state file as a flock of `scene`, whose world has its final size.
/// Says so on stderr when the file holds several ticks.
pub fn read_state(path: &Path, scene: &Scene) -> anyhow::Result<FlockState> {
    let table = read_table(path)?;
    table.announce(path);
    table.into_state(scene).with_context(|| format!("--init {}", path.display()))
}
