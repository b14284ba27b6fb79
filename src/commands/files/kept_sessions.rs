//! Sessions with edits that were not saved when their window closed. They are files in the user's folder
//! for states, and a later window offers the newest of them once.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;

use super::output::{OutputFile, new_name};

/// Most sessions that are kept; the oldest goes.
const MAX_KEPT: usize = 20;

/// Has the name of the session that was offered last.
const OFFERED: &str = "offered";

/// The folder for them; none for a user without a home. Relative paths do not count (XDG Base Directory
/// Specification 0.8).
pub fn folder() -> Option<PathBuf> {
    let absolute = |variable: &str| {
        std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME")
        .or_else(|| absolute("LOCALAPPDATA"))
        .or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("flockwork"))
}

/// Keeps a session in a new file of `folder`.
pub fn keep_in(folder: &Path, stem: &str, text: &str) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    for (_, old) in by_age(folder).into_iter().skip(MAX_KEPT - 1) {
        // One that stays is no reason to lose the new one.
        let _ = fs::remove_file(old);
    }
    let path = folder.join(new_name(folder, &format!("{stem}-unsaved"), "toml"));
    OutputFile::create(&path)?.publish_whole(text.as_bytes())?;
    Ok(path)
}

/// The newest session of `folder`, unless it was offered before.
pub fn offer_from(folder: &Path) -> Option<PathBuf> {
    let (_, newest) = by_age(folder).into_iter().next()?;
    let (offered, name) = (folder.join(OFFERED), newest.file_name()?.to_str()?);
    if fs::read_to_string(&offered).is_ok_and(|before| before == name) {
        return None;
    }
    // A folder that cannot be written is offered again.
    let _ = fs::write(offered, name);
    Some(newest)
}

/// The sessions of `folder`, newest first.
fn by_age(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let kept = entries.filter_map(|entry| {
        let (path, changed) = (entry.path(), entry.metadata().ok()?.modified().ok()?);
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        (!hidden && path.extension()? == "toml").then_some((changed, path))
    });
    let mut kept: Vec<_> = kept.collect();
    kept.sort_by(|one, other| other.cmp(one));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_session_is_offered_once() {
        let state = tempfile::tempdir().unwrap();
        let folder = state.path().join("a/flockwork");
        assert_eq!(offer_from(&folder), None);
        let first = keep_in(&folder, "walls", "one").unwrap();
        assert_eq!(offer_from(&folder), Some(first.clone()));
        assert_eq!(offer_from(&folder), None, "it was offered");
        // Files of one moment have an order too.
        let later = |path: &Path, seconds| {
            let time = SystemTime::now() + std::time::Duration::from_secs(seconds);
            fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
        };
        let second = keep_in(&folder, "flock", "two").unwrap();
        later(&second, 10);
        assert_eq!(offer_from(&folder), Some(second.clone()));
        assert_eq!(fs::read_to_string(&first).unwrap(), "one", "both are there");
        for number in 0..2 * MAX_KEPT as u64 {
            later(&keep_in(&folder, "more", "three").unwrap(), 20 + number);
        }
        assert_eq!(by_age(&folder).len(), MAX_KEPT);
        assert!(!first.exists() && !second.exists(), "the oldest go");
    }

    #[test]
    fn a_folder_that_cannot_be_is_one_sentence() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = keep_in(&file.path().join("flockwork"), "walls", "one").unwrap_err();
        assert!(format!("{error:#}").contains("cannot create the folder"), "{error:#}");
    }
}
