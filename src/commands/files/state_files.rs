//! State files: every agent at one or several ticks, as CSV, as NumPy arrays, or as a folder of points.
//!
//! [`read_state`] reads back the same bits that [`StateWriter`] has written. An `.npz` file has everything that
//! its run goes on from; a CSV file has ticks, ids, species, places, velocities and
//! the states of rules.

use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::output::{OutputError, OutputFile, Scratch};
use super::output_folder::names_folder;
use super::point_files::PointFiles;
use crate::commands::host::errors::wrong;
use crate::commands::host::messages::note;
use crate::input::{open_file, read_file};
use crate::scene_file::MAX_SCENE;
use flockwork_engine::EngineKind;
use flockwork_engine::gpu::Gpu;
use flockwork_model::behaviours::Target;
use flockwork_model::io::{
    NpzWriter, Part, RECORD, RunRecord, StateTable, read_csv, read_npz, write_csv_header,
    write_csv_rows,
};
use flockwork_model::kept::full_name;
use flockwork_model::quote::listed;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::statistics::Travel;

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
                "{option} {}: a state file is called NAME.csv (text) or NAME.npz (NumPy){}",
                path.display(),
                if option == "--out" {
                    "; a name without an ending is a folder of PLY files"
                } else {
                    ""
                }
            ))),
        }
    }
}

/// Writes states as they come, one tick after the other; memory does not grow with their number.
#[derive(Debug)]
pub enum StateWriter {
    Csv(Box<CsvStates>),
    Npz(Box<NpzWriter<OutputFile, Scratch>>),
    Points(Box<PointFiles>),
}

/// A CSV file under way.
#[derive(Debug)]
pub struct CsvStates {
    rows: OutputFile,
    /// The file beside it with the record of the run.
    record: OutputFile,
    described: bool,
    axes: usize,
    /// Whether the header is written.
    begun: bool,
}

impl StateWriter {
    /// Begins the file, in the format of its extension, or the folder. A file gets its name in
    /// [`StateWriter::finish`].
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        if names_folder(path) {
            return Ok(Self::Points(Box::new(PointFiles::create(path)?)));
        }
        let format = StateFormat::of(path, "--out")?;
        let file = OutputFile::create(path)?;
        Ok(match format {
            StateFormat::Csv => Self::Csv(Box::new(CsvStates {
                rows: file,
                record: record_beside(path)?,
                described: false,
                axes: 2,
                begun: false,
            })),
            StateFormat::Npz => {
                let scratch = |file: &OutputFile| file.scratch().map_err(io::Error::other);
                Self::Npz(Box::new(NpzWriter::new(file, 2, scratch)?))
            }
        })
    }

    /// Sets the number of axes of the world, before all ticks: 2 or 3. It is 2 at first, and a record of
    /// the run sets it too.
    pub fn set_axes(&mut self, axes: usize) {
        match self {
            Self::Csv(states) => states.axes = axes,
            Self::Npz(states) => states.set_axes(axes),
            Self::Points(_) => {}
        }
    }

    /// Adds the record of the run, before all ticks. A CSV file has it in a file beside it, NAME.run.toml.
    pub fn describe(&mut self, run: RunRecord) -> anyhow::Result<()> {
        self.set_axes(run.axes());
        match self {
            Self::Csv(states) => {
                states.record.write_all(run.text().as_bytes())?;
                states.described = true;
            }
            Self::Npz(states) => states.describe(run)?,
            Self::Points(points) => points.describe(run),
        }
        Ok(())
    }

    /// Refuses a folder with files of another run; see [`PointFiles::check`].
    pub fn check(&self, first: u64, is_due: impl Fn(u64) -> bool) -> Result<(), OutputError> {
        match self {
            Self::Points(points) => points.check(first, is_due),
            _ => Ok(()),
        }
    }

    /// Adds the rows of one tick, in the order of the state, with the targets at that tick. Memory must be
    /// there in all ticks of a file or in none, and all ticks must have as many targets.
    pub fn write(&mut self, state: &FlockState, targets: &[Target]) -> anyhow::Result<()> {
        self.write_portion(state, &[], true, targets)
    }

    /// Adds some rows of a tick. Portions come in order, each with the same targets, and all or none of them
    /// with how far their agents have come.
    pub fn write_portion(
        &mut self,
        state: &FlockState,
        travels: &[Travel],
        is_first: bool,
        targets: &[Target],
    ) -> anyhow::Result<()> {
        match self {
            Self::Csv(states) => {
                let CsvStates { rows, axes, begun, .. } = &mut **states;
                if !std::mem::replace(begun, true) {
                    write_csv_header(rows, *axes, !travels.is_empty(), state.kept_names)?;
                }
                Ok(write_csv_rows(rows, state, travels, *axes)?)
            }
            Self::Npz(states) => Ok(states.write(state, travels, is_first, targets)?),
            Self::Points(points) => points.write(state, is_first),
        }
    }

    /// Completes the file and gives it its name. Returns its size in bytes.
    pub fn finish(self) -> anyhow::Result<u64> {
        let (file, record) = match self {
            Self::Csv(states) => {
                let CsvStates { rows, record, described, .. } = *states;
                (rows, described.then_some(record))
            }
            Self::Npz(states) => (states.finish()?, None),
            Self::Points(points) => return points.finish(),
        };
        let size = file.publish()?;
        record.map(OutputFile::publish).transpose()?;
        Ok(size)
    }
}

/// The files that a run with the output `path` replaces, but for the record of an older run: it may be run again.
pub fn replaced(path: &Path) -> impl Iterator<Item = PathBuf> {
    let record = match StateFormat::of(path, "") {
        _ if names_folder(path) => Some(path.join(RECORD)),
        Ok(StateFormat::Npz) => None,
        _ => Some(path.with_extension(RECORD)),
    };
    let is_record = |path: &PathBuf| {
        let text = read_file(path, MAX_SCENE);
        text.is_ok_and(|text| RunRecord::within(&text).is_ok_and(|run| run.is_some()))
    };
    std::iter::once(path.to_path_buf()).chain(record.filter(|path| !is_record(path)))
}

/// Begins the file with the record of the run that the CSV file `path` belongs to: not every reader of
/// CSV skips comments.
pub fn record_beside(path: &Path) -> Result<OutputFile, OutputError> {
    OutputFile::create(&path.with_extension(RECORD))
}

/// Reads a part of the last tick of a state file without a check against a scene, and with `with_run` the
/// record of the run. The rest of the file takes no memory.
pub fn read_table(path: &Path, with_run: bool, part: Part) -> anyhow::Result<StateTable> {
    let place = || format!("--init {}", path.display());
    let format = StateFormat::of(path, "--init")?;
    let file = open_file(path).context("cannot read it").with_context(place)?;
    let table = match format {
        StateFormat::Csv => read_csv(BufReader::with_capacity(1 << 16, file), part),
        StateFormat::Npz => read_npz(file, with_run, part),
    };
    table.with_context(place)
}

/// Reads the last tick of a state file as a flock of `scene`, and ignores the record of the run. The
/// world of `scene` has its final size.
pub fn read_state(path: &Path, scene: &Scene) -> anyhow::Result<FlockState> {
    let table = read_table(path, false, Part::WHOLE)?;
    let notices = start_notices(path, &table, scene);
    let state = table.into_state(scene).with_context(|| format!("--init {}", path.display()))?;
    notices.iter().for_each(|sentence| note(sentence));
    Ok(state)
}

/// Sentences that say where a run of `scene` begins, if the file does not make that clear, and what it leaves out.
pub fn start_notices(path: &Path, table: &StateTable, scene: &Scene) -> Vec<String> {
    let (name, tick) = (path.display(), table.ticks.last);
    let mut sentences = Vec::new();
    let is_csv = StateFormat::of(path, "--init").is_ok_and(|format| format == StateFormat::Csv);
    if is_csv {
        sentences.push(format!(
            "{name}: starting from its last tick, {tick}; a CSV file has places, \
             velocities and states of rules alone, so what behaviours remember begins anew, and targets do \
             (NAME.npz goes on exactly)"
        ));
    } else if table.ticks.several {
        sentences.push(format!("{name} holds several ticks; starting from its last, tick {tick}"));
    }
    if !is_csv && table.run.is_none() && table.species.is_empty() {
        let mut rules = scene.species.iter().flat_map(|species| &species.rules);
        let forgets = !table.remembers && rules.any(|rule| rule.kind.info().needs.angle);
        let moves = table.has_targets || scene.targets.iter().any(Target::moves);
        let anew = [
            forgets.then_some("what behaviours remember begins anew"),
            moves.then_some("targets begin where the scene puts them"),
        ];
        let anew: Vec<&str> = anew.into_iter().flatten().collect();
        if !anew.is_empty() {
            sentences.push(format!("{name} has no record of its run: {}", anew.join(", and ")));
        }
    }
    let known = scene.kept_names();
    let lost = table.kept.iter().filter(|own| known.place(own).is_none());
    let lost: Vec<&str> = lost.map(|own| full_name(own)).collect();
    if !lost.is_empty() {
        let lost = listed(&lost);
        sentences
            .push(format!("{name}: no rule of the scene keeps {lost}, so the file's is left out"));
    }
    sentences
}

/// Adds to the record of a run the engine, with the GPU that it runs on, and the file that it begins with.
pub fn ran_on(
    run: RunRecord,
    engine: EngineKind,
    gpu: Option<&Gpu>,
    from: Option<&Path>,
) -> RunRecord {
    let named = |gpu: &Gpu| {
        let text = format!("{}, {} {}", gpu.name(), gpu.info.driver, gpu.info.driver_info);
        text.trim_end().to_owned()
    };
    let adapter = gpu.filter(|_| engine == EngineKind::Gpu).map(named);
    run.on(&engine.to_string(), adapter, from.map(|path| path.display().to_string()))
}
