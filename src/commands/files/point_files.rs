//! A folder of points: a PLY file for each written tick, which 3D programs read as a sequence.

use std::io::Seek;
use std::path::Path;

use super::output::{OutputError, OutputFile};
use super::output_folder::OutputFolder;
use crate::input::read_file;
use crate::scene_file::MAX_SCENE;
use flockwork_model::io::{RECORD, RunRecord, write_ply_header, write_ply_rows};
use flockwork_model::kept::KeptNames;
use flockwork_model::state::FlockState;

/// The folder under way.
#[derive(Debug)]
pub struct PointFiles {
    folder: OutputFolder,
    /// The record of the run that has filled it before.
    older: Option<RunRecord>,
    /// The record of the run until the first file is written.
    record: Option<RunRecord>,
    /// The file of the present tick, and its agents so far.
    current: Option<(OutputFile, u64, u64, KeptNames)>,
    /// Bytes of the files that are complete.
    bytes: u64,
}

/// The name of the file of a tick.
fn name_of(tick: u64) -> String {
    format!("tick_{tick:09}.ply")
}

/// The tick of a file, from its name.
fn tick_of(name: &str) -> Option<u64> {
    name.strip_prefix("tick_")?.strip_suffix(".ply")?.parse().ok()
}

/// The digest of a record: without the flow field, which its text lacks, and the name, which has several spellings.
fn digest(run: &RunRecord) -> String {
    RunRecord { name: String::new(), flow: Vec::new(), ..run.clone() }.digest()
}

impl PointFiles {
    /// Creates the folder if it is missing.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let instead = "name a folder, or a file ending in .csv or .npz";
        let folder = OutputFolder::create(path, instead)?;
        let text = read_file(&path.join(RECORD), MAX_SCENE).ok();
        let older = text.and_then(|text| RunRecord::within(&text).ok()?);
        Ok(Self { folder, older, record: None, current: None, bytes: 0 })
    }

    /// Keeps the record of the run for its first file.
    pub fn describe(&mut self, run: RunRecord) {
        self.record = Some(run);
    }

    /// Adds some agents of a tick; `is_first` begins its file. The first of the run removes the files that an
    /// older one has from there on.
    pub fn write(&mut self, state: &FlockState, is_first: bool) -> anyhow::Result<()> {
        if is_first {
            self.complete()?;
            if let Some(run) = self.record.take() {
                self.folder.remove(|name| tick_of(name).is_some_and(|tick| tick >= state.tick))?;
                self.bytes += self.folder.write(RECORD, run.text().as_bytes())?;
            }
            let mut file = self.folder.begin(&name_of(state.tick))?;
            write_ply_header(&mut file, state.tick, 0, state.kept_names)?;
            self.current = Some((file, state.tick, 0, state.kept_names));
        }
        if let Some((file, _, agents, _)) = &mut self.current {
            write_ply_rows(file, state)?;
            *agents += state.len() as u64;
        }
        Ok(())
    }

    /// Refuses files that this run, once described, does not write anew. `is_due` says which ticks it writes.
    /// Ticks before `first` stay if the folder's record is the same: an earlier part of this run has written them.
    pub fn check(&self, first: u64, is_due: impl Fn(u64) -> bool) -> Result<(), OutputError> {
        let is_same = self.older.as_ref().map(digest) == self.record.as_ref().map(digest);
        let is_ours = |tick| if tick < first { is_same } else { is_due(tick) };
        let is_foreign = |name: &str| tick_of(name).is_some_and(|tick| !is_ours(tick));
        self.folder.check(is_foreign, ["another run", "files"])
    }

    /// Gives the file of the present tick its count and its name.
    fn complete(&mut self) -> anyhow::Result<()> {
        if let Some((mut file, tick, agents, kept)) = self.current.take() {
            file.rewind()?;
            write_ply_header(&mut file, tick, agents, kept)?;
            self.bytes += file.publish()?;
        }
        Ok(())
    }

    /// Completes the last file. Returns the bytes of all.
    pub fn finish(mut self) -> anyhow::Result<u64> {
        self.complete()?;
        Ok(self.bytes)
    }
}
