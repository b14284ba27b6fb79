//! The beginning of a run that keeps checkpoints: the same command again goes on from the last one.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::errors::wrong;
use super::messages::{note, say, shown};
use super::options::{FlockArgs, Prepared};
use super::ranks::{self, differing};
use crate::commands::files::checkpoints::{latest, newest};
use crate::commands::files::output::{OutputError, target, whole};
use flockwork_engine::Engine;
use flockwork_model::io::{FileError, MAX_TICK, RECORD};

/// The flock of a run, and the checkpoint from which it goes on.
#[derive(Debug)]
pub struct Beginning {
    /// The flock, at its first tick or at the checkpoint's.
    pub prepared: Prepared,
    /// The checkpoint in the folder of the run, from which it goes on.
    pub checkpoint: Option<PathBuf>,
    /// Ticks that the same command has done, if it has left the checkpoint.
    before: Option<u64>,
}

/// The ticks of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Ticks that the same command has done before.
    pub before: u64,
    /// Ticks to do.
    pub ticks: u64,
}

impl Span {
    /// True if output of every `every` ticks is due after `done` ticks: at the first and the last too.
    pub fn is_due(self, every: u64, done: u64) -> bool {
        done == 0 || done == self.ticks || (self.before + done).is_multiple_of(every)
    }
}

impl Beginning {
    /// Prepares a flock, or goes on with it if the same command has left a checkpoint in `folder`. The
    /// checkpoint of another run is refused, unless `--init` names it.
    pub fn new(
        flock: &FlockArgs,
        folder: Option<&Path>,
        engine: &dyn Engine,
    ) -> anyhow::Result<Self> {
        let anew = |checkpoint| {
            Ok(Self { prepared: flock.prepare(Some(engine))?, checkpoint, before: None })
        };
        let Some(folder) = folder.filter(|folder| folder.is_dir()) else { return anew(None) };
        let place = || format!("--checkpoint {}", folder.display());
        let Some(last) = newest(folder).with_context(place)? else { return anew(None) };
        if let Some(init) = &flock.init
            && latest(init)?.canonicalize().ok() == last.canonicalize().ok()
        {
            return anew(Some(last));
        }
        let (asked, start) = flock.record()?;
        let kept = FlockArgs { init: Some(last.clone()), ..FlockArgs::default() };
        let prepared = kept.prepare(Some(engine)).map_err(|error| {
            let problem = match error.downcast_ref::<FileError>() {
                // Its own remedy is for a file that can be written again.
                Some(fault) => {
                    let (name, fault) = (last.display(), fault.to_string());
                    let problem = fault.split("; ").next().unwrap_or_default();
                    format!("{name}: {problem}; remove it to begin anew")
                }
                None => format!("{error:#}").replace("--init ", ""),
            };
            anyhow::anyhow!("{}: {problem}", place())
        })?;
        let mut found = prepared.record();
        // The path of a scene file may be written in another way.
        if Path::new(&found.name).file_name() == Path::new(&asked.name).file_name() {
            found.name.clone_from(&asked.name);
        }
        // States of one scene are told apart by the file that the run began with.
        let begun = |from: Option<&Path>| {
            let from = from.map(whole).filter(|from| !from.starts_with(whole(folder)));
            from.map_or_else(String::new, |from| format!("from = {from:?}\n"))
        };
        let found = found.digest() + &begun(prepared.from.as_deref().map(Path::new));
        let asked = asked.digest() + &begun(flock.init.as_deref());
        let name = last.file_name().unwrap_or_default().display();
        if let Some([found, asked]) = differing(&found, &asked) {
            return Err(wrong(format!(
                "{0}: it has {name} of another run ({found} instead of {asked}); go on with that \
                 run by --init {1}, or name an empty folder",
                place(),
                folder.display()
            )));
        }
        let before = Some(prepared.state.tick.saturating_sub(start));
        Ok(Self { prepared, checkpoint: Some(last), before })
    }

    /// Computes the ticks to do: a total, or the ticks left until a tick of the flock.
    pub fn span(&self, ticks: Option<u64>, until: Option<u64>) -> anyhow::Result<Span> {
        let first = self.prepared.state.tick;
        let before = self.before.unwrap_or_default();
        let (option, end, from) = match until {
            Some(until) => ("--until", until, first),
            None => ("--ticks", ticks.unwrap_or_default(), before),
        };
        let ticks = end.checked_sub(from).ok_or_else(|| {
            wrong(format!(
                "{option} {end}: the flock is at tick {first} already; name a later tick"
            ))
        })?;
        let last = first.saturating_add(ticks);
        if last > MAX_TICK {
            return Err(wrong(format!(
                "{option} {end}: the run would end at tick {last}, and files have ticks up to \
                 {MAX_TICK}; end it earlier"
            )));
        }
        Ok(Span { before, ticks })
    }

    /// True if earlier parts of the run have done all its ticks. Then says so. `until`: the end is a tick of the flock.
    /// A `missing` output, with its option, is an error then: no part would write it.
    pub fn is_complete(
        &self,
        span: Span,
        until: bool,
        missing: Option<(&str, &Path)>,
    ) -> anyhow::Result<bool> {
        let is_over = span.ticks == 0 && (until || self.before.is_some());
        let Some(checkpoint) = self.checkpoint.as_ref().filter(|_| is_over) else {
            return Ok(false);
        };
        let (tick, name) = (self.prepared.state.tick, shown(checkpoint));
        if let Some((option, path)) = missing.filter(|_| ranks::is_root()) {
            return Err(wrong(format!(
                "{option} {}: the run is complete, its end is tick {tick}, in {name}, and this file is not \
                 there; begin anew with another folder of --checkpoint",
                path.display()
            )));
        }
        say(&format!(
            "the run is complete, and no file is written: its end is tick {tick}, in {name}; \
             `flockwork simulate --init {name} --ticks 0 --out FILE` writes it as a state file\n"
        ))?;
        Ok(true)
    }

    /// Sets the files aside that an earlier part of the run has written, and says where this part
    /// begins, and what is in no file. `follows`: metrics or states say how far agents have come.
    pub fn set_outputs_aside(
        &self,
        outputs: [Option<&Path>; 2],
        follows: bool,
    ) -> anyhow::Result<()> {
        let Some(checkpoint) = self.checkpoint.as_ref().filter(|_| ranks::is_root()) else {
            return Ok(());
        };
        let tick = self.prepared.state.tick;
        let start = tick - self.before.unwrap_or_default();
        let mut text = format!("going on from {} at tick {tick}", checkpoint.display());
        for path in outputs.into_iter().flatten() {
            text += &format!("; {} begins there", path.display());
            if !path.is_file() {
                // A run that was killed has left none; a folder has a file for each tick.
                let first = last_set_aside(path, tick).map_or(start, |part| start.max(part + 1));
                if first < tick && !path.exists() {
                    text += &format!(", and the ticks {first} to {} are in no file", tick - 1);
                }
                continue;
            }
            // Of a link the file is set aside, so that the next part goes where the link says.
            let end = if path.is_symlink() { target(path)? } else { path.into() };
            let earlier = earlier(&end, tick);
            let fail = |error: std::io::Error| OutputError::of_system(&earlier, &error);
            let record = path.with_extension(RECORD);
            if is_csv(path) && record.is_file() {
                // It stays too: the same command may read it as its scene.
                std::fs::copy(&record, earlier.with_extension(RECORD)).map_err(fail)?;
            }
            std::fs::rename(&end, &earlier).map_err(fail)?;
            text += &format!(", what it had is {}", earlier.display());
        }
        if follows && start < tick {
            text += "; how far agents have come counts from there: a whole run at once has it from its start";
        }
        note(&text);
        Ok(())
    }
}

/// The tick, up to `most`, at which the last part ends that was set aside from a file; see [`earlier`].
fn last_set_aside(path: &Path, most: u64) -> Option<u64> {
    let path = whole(&target(path).ok()?);
    let begin = format!("{}.before-", path.file_stem()?.to_str()?);
    let names = std::fs::read_dir(path.parent()?).ok()?;
    let paths = names.filter_map(|entry| Some(entry.ok()?.path()));
    let parts = paths.filter(|own| own.extension() == path.extension());
    let ticks = parts.filter_map(|own| {
        let rest = own.file_stem()?.to_str()?.strip_prefix(&begin)?;
        rest.split('-').next()?.parse().ok()
    });
    ticks.filter(|tick| *tick <= most).max()
}

/// The name that a file of an earlier part gets: `NAME.before-TICK.EXT`. If that is taken, a number follows the tick.
fn earlier(path: &Path, tick: u64) -> PathBuf {
    let extension = path.extension().unwrap_or_default().display();
    let mut name = path.with_extension(format!("before-{tick}.{extension}"));
    let mut number = 2;
    while name.exists() || (is_csv(path) && name.with_extension(RECORD).exists()) {
        name = path.with_extension(format!("before-{tick}-{number}.{extension}"));
        number += 1;
    }
    name
}

/// True for a file whose record stands beside it.
fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::host::drive::tests::Straight;

    #[test]
    fn ticks_count_from_the_start_of_the_run_and_until_from_tick_0() {
        let flock = FlockArgs { count: Some(5), ..FlockArgs::default() };
        let mut begun = Beginning::new(&flock, None, &Straight::default()).unwrap();
        let span = |begun: &Beginning, ticks, until| {
            begun.span(ticks, until).map(|Span { before, ticks }| (before, ticks)).ok()
        };
        assert_eq!(span(&begun, Some(100), None), Some((0, 100)));
        assert_eq!(span(&begun, None, Some(100)), Some((0, 100)));
        // A state from --init.
        begun.prepared.state.tick = 70;
        assert_eq!(span(&begun, Some(100), None), Some((0, 100)));
        assert_eq!(span(&begun, None, Some(100)), Some((0, 30)));
        assert_eq!(span(&begun, None, Some(70)), Some((0, 0)));
        let error = begun.span(None, Some(69)).unwrap_err().to_string();
        assert_eq!(error, "--until 69: the flock is at tick 70 already; name a later tick");
        assert!(span(&begun, Some(MAX_TICK - 70), None).is_some());
        let error = begun.span(Some(MAX_TICK), None).unwrap_err().to_string();
        assert!(error.contains("would end at tick 9007199254741062"), "{error}");
        assert!(span(&begun, None, Some(u64::MAX)).is_none());
        // The same command again.
        begun.before = Some(70);
        assert_eq!(span(&begun, Some(100), None), Some((70, 30)));
        assert_eq!(span(&begun, None, Some(100)), Some((70, 30)));
        assert_eq!(span(&begun, Some(69), None), None);
    }

    #[test]
    fn a_file_of_an_earlier_part_keeps_its_extension_and_takes_no_other_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let wanted = ["m.before-37.csv", "m.before-37-2.csv", "m.before-37-3.csv"].map(at);
        assert_eq!(earlier(&at("m.csv"), 37), wanted[0]);
        std::fs::write(&wanted[0], "").unwrap();
        assert_eq!(earlier(&at("m.csv"), 37), wanted[1]);
        std::fs::write(at("m.before-37-2.run.toml"), "").unwrap();
        assert_eq!(earlier(&at("m.csv"), 37), wanted[2]);
        std::fs::write(at("m.before-120-2.csv"), "").unwrap();
        let last = |name, most| last_set_aside(&at(name), most);
        let found = [("m.csv", 36), ("m.csv", 119), ("m.csv", 120), ("m.npz", 200)];
        assert_eq!(found.map(|(name, most)| last(name, most)), [None, Some(37), Some(120), None]);
    }
}
