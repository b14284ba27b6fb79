//! Checkpoints: state files from which a run that was cut off goes on.
//!
//! A checkpoint appears under its name only when it is complete; then the one before it is removed. One
//! that cannot be written does not end the run.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::output::whole;
use super::output_folder::OutputFolder;
use super::state_files::StateWriter;
use crate::commands::host::drive::{DrivenSession, Stop};
use crate::commands::host::errors::wrong;
use crate::commands::host::ranks;
use flockwork_model::io::RunRecord;
use flockwork_model::quote::cut;
use flockwork_model::statistics::Unwrapping;

/// How the name of a checkpoint begins; the tick and `.npz` follow.
const NAME: &str = "checkpoint-";

/// Ticks between two looks at the time.
const LOOKS_EVERY: u64 = 64;

/// Ids whose agents are collected and written at a time: some 40 MB.
const PORTION: usize = 1 << 20;

/// How often a checkpoint is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// After so many ticks.
    Ticks(u64),
    /// After so much time, at one of the next ticks.
    Time(Duration),
}

impl std::str::FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "expected ticks, seconds, minutes or hours, for example 5000, 30s, 10m or 2h".to_owned()
        };
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: u64 = digits.replace('_', "").parse().map_err(|_| wrong())?;
        match (number, &text[digits.len()..]) {
            (1.., "") => Ok(Self::Ticks(number)),
            (1..=86_400, "s") => Ok(Self::Time(Duration::from_secs(number))),
            (1..=1_440, "m") => Ok(Self::Time(Duration::from_secs(60 * number))),
            (1..=24, "h") => Ok(Self::Time(Duration::from_secs(3600 * number))),
            _ => Err(wrong()),
        }
    }
}

impl Every {
    /// The next tick after `done` at which one may be due.
    pub fn next_stop(self, done: u64) -> u64 {
        let ticks = match self {
            Self::Ticks(ticks) => ticks,
            Self::Time(_) => LOOKS_EVERY,
        };
        done.saturating_add(ticks - done % ticks)
    }

    /// Whether a checkpoint is due. All ranks ask together; `last` is the time of the last one.
    pub fn is_due(self, stop: Stop, last: Instant) -> bool {
        match self {
            // No work shall be lost, and a run may go on later.
            _ if stop.last => true,
            _ if stop.done == 0 => false,
            Self::Ticks(ticks) => stop.done.is_multiple_of(ticks),
            // The clock of rank 0 decides.
            Self::Time(time) => ranks::any(ranks::is_root() && last.elapsed() >= time),
        }
    }
}

/// The folder of checkpoints.
#[derive(Debug)]
pub struct Checkpoints {
    /// Removed at the end if it is new and empty.
    _folder: OutputFolder,
    path: PathBuf,
    record: RunRecord,
    /// The last whole one.
    last: Option<PathBuf>,
}

impl Checkpoints {
    /// Creates the folder if it is missing, and checks that files can be written in it. `known` is the
    /// checkpoint in it that the run goes on from. Another one is refused: `--init` could not tell them apart.
    pub fn create(path: &Path, record: RunRecord, known: Option<&Path>) -> anyhow::Result<Self> {
        let folder = OutputFolder::create(path, "name a folder")?;
        let last = newest(path)?;
        if let Some(other) = last.as_deref().filter(|last| Some(*last) != known) {
            return Err(wrong(format!(
                "--checkpoint {0}: it has {1} of another run; go on from that with --init {0}, or name an \
                 empty folder",
                path.display(),
                other.file_name().unwrap_or_default().display()
            )));
        }
        Ok(Self { _folder: folder, path: path.into(), record, last })
    }

    /// Begins the checkpoint of a tick.
    pub fn begin(&self, tick: u64) -> anyhow::Result<StateWriter> {
        let mut writer = StateWriter::create(&self.name(tick))?;
        writer.describe(self.record.clone())?;
        Ok(writer)
    }

    /// Completes the checkpoint of a tick and removes the one before it. Returns its size in bytes.
    pub fn finish(
        &mut self,
        tick: u64,
        written: anyhow::Result<StateWriter>,
    ) -> anyhow::Result<u64> {
        let name = self.name(tick);
        match written.and_then(StateWriter::finish) {
            Ok(size) => {
                let before = self.last.replace(name.clone()).filter(|path| *path != name);
                if let Some(before) = before.filter(|_| self.flush(&name).is_ok()) {
                    // If it stays, the next run still begins with the newer one.
                    let _ = std::fs::remove_file(before);
                }
                Ok(size)
            }
            Err(error) => {
                let last = self.last.as_ref();
                let kept = last.map_or_else(String::new, |last| {
                    format!("; the last checkpoint is {}", last.display())
                });
                Err(anyhow::anyhow!("no checkpoint at tick {tick}: {error:#}{kept}"))
            }
        }
    }

    /// Puts a file and its name on the disk, where they outlast a loss of power.
    fn flush(&self, name: &Path) -> std::io::Result<()> {
        OpenOptions::new().write(true).open(name)?.sync_all()?;
        // Not every file system syncs a folder; on Windows none is opened.
        let _ = File::open(&self.path).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// The file of the checkpoint of a tick.
    pub fn name(&self, tick: u64) -> PathBuf {
        self.path.join(format!("{NAME}{tick:010}.npz"))
    }
}

/// The file that `--init` names: the latest checkpoint, if it names a folder.
pub fn latest(path: &Path) -> anyhow::Result<PathBuf> {
    let place = || format!("--init {}", path.display());
    if path.extension().is_none() {
        path.metadata().context("cannot read it").with_context(place)?;
    }
    if !path.is_dir() {
        return Ok(path.into());
    }
    newest(path).with_context(place)?.with_context(|| {
        format!(
            "--init {}: no checkpoint is in this folder; name a state file, or leave --init out",
            cut(&path.display().to_string())
        )
    })
}

/// The tick of a checkpoint, from its name.
fn tick(name: &str) -> Option<u64> {
    name.strip_prefix(NAME)?.strip_suffix(".npz")?.parse().ok()
}

/// Refuses an output that is the folder of checkpoints, or has the name of one in it: old checkpoints are removed.
pub fn check_apart((option, path): (&str, &Path), folder: &Path) -> anyhow::Result<()> {
    let (end, whole_folder) = (whole(path), whole(folder));
    let name = end.file_name().unwrap_or_default().to_string_lossy();
    let problem = if end == whole_folder {
        format!("{option} is the same path; choose another")
    } else if end.parent() == Some(whole_folder.as_path()) && tick(&name).is_some() {
        format!("{option} {} has the name of a checkpoint; choose another", path.display())
    } else {
        return Ok(());
    };
    Err(wrong(format!("--checkpoint {}: {problem}", folder.display())))
}

/// The checkpoint of the highest tick in a folder.
pub fn newest(folder: &Path) -> std::io::Result<Option<PathBuf>> {
    let names = std::fs::read_dir(folder)?;
    let names = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let states = names.filter(|name| folder.join(name).is_file());
    let newest = states.filter_map(|name| Some((tick(&name)?, name))).max();
    Ok(newest.map(|(_, name)| folder.join(name)))
}

/// Writes the state of all ranks, a portion at a time, and shows it to `unwrapping`, which follows the agents; with
/// `has_images` it also writes how far they have come. The outer error is the engine's, the inner one the file's.
pub fn write_portions(
    run: &mut DrivenSession,
    mut writer: Option<&mut StateWriter>,
    mut unwrapping: Option<&mut Unwrapping>,
    has_images: bool,
) -> anyhow::Result<anyhow::Result<()>> {
    let targets = run.targets()?;
    let (mut row, mut is_first, mut written) = (0, true, Ok(()));
    run.read_in_chunks(PORTION, &mut |state| {
        let travels = unwrapping.as_mut().map(|own| own.look(row, state));
        let travels = travels.filter(|_| has_images).unwrap_or_default();
        if let (Some(writer), Ok(())) = (writer.as_mut(), &written) {
            written = writer.write_portion(state, travels, is_first, &targets);
        }
        (row, is_first) = (row + state.len(), false);
    })?;
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_seconds_minutes_and_hours_are_understood() {
        let time = |seconds| Ok(Every::Time(Duration::from_secs(seconds)));
        assert_eq!("5_000".parse(), Ok(Every::Ticks(5000)));
        assert_eq!("30s".parse(), time(30));
        assert_eq!("10m".parse(), time(600));
        assert_eq!("1h".parse(), time(3600));
        for wrong in
            ["", "0", "0s", "m", "-5", "1.5m", "25h", "1d", "99999m", "5 m", "99999999999999999999"]
        {
            assert!(wrong.parse::<Every>().is_err(), "{wrong}");
        }
        assert_eq!(Every::Ticks(10).next_stop(25), 30);
        assert_eq!(Every::Ticks(10).next_stop(u64::MAX), u64::MAX);
    }

    #[test]
    fn the_end_of_a_run_is_due() {
        let due = |every: Every, done, last| {
            every.is_due(Stop { done, last, interrupted: false }, Instant::now())
        };
        let often = [Every::Ticks(300), Every::Time(Duration::from_secs(600))];
        for every in often {
            assert!(due(every, 1000, true) && due(every, 0, true), "{every:?}");
            assert!(!due(every, 0, false) && !due(every, 64, false), "{every:?}");
        }
        assert!(due(often[0], 600, false) && !due(often[0], 601, false));
    }

    #[test]
    fn the_latest_checkpoint_of_a_folder_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = format!("{:#}", latest(&folder.path().join("nowhere")).unwrap_err());
        assert!(nowhere.contains("nowhere: cannot read it: No such file"), "{nowhere}");
        let missing = latest(folder.path()).unwrap_err().to_string();
        assert!(missing.contains("no checkpoint is in this folder"), "{missing}");
        for name in ["checkpoint-9.npz", "checkpoint-0000000010.npz", "checkpoint-x.npz", "z.npz"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = latest(folder.path()).unwrap();
        assert_eq!(found, folder.path().join("checkpoint-0000000010.npz"));
        assert_eq!(latest(&found).unwrap(), found);
    }
}
