//! Temporary files: named after the process that writes them, and removed when it has ended.
//!
//! A writer holds a lock on its file; the system releases the lock when the writer ends, even if it
//! is killed. So a file that can be locked has been left behind. The process number in the name is
//! only for people: it may now belong to another process, or to one in another container.

use std::fs::{OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// The beginning of such a file's name. The process number and random letters follow.
const PREFIX: &str = ".flockwork-unfinished-";

/// The number of attempts to begin a file if other processes keep removing it.
const TRIES: u32 = 8;

/// Begins a file in `folder`. Its name gets the extension of `name`.
pub fn begin(folder: &Path, name: &Path) -> io::Result<NamedTempFile> {
    let prefix = format!("{PREFIX}{}-", std::process::id());
    let suffix = name.extension().map(|e| format!(".{}", e.to_string_lossy()));
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(suffix.as_deref().unwrap_or(""));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Temporary files are private by default; this one becomes an ordinary file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    for _ in 0..TRIES {
        let file = builder.tempfile_in(folder)?;
        if is_ours(&file) {
            return Ok(file);
        }
    }
    Err(io::Error::other("another program removes every temporary file in this folder"))
}

/// Locks a newly created file. False if another process has locked it first, because that process
/// took it for a file left behind.
fn is_ours(file: &NamedTempFile) -> bool {
    match file.as_file().try_lock() {
        Err(TryLockError::WouldBlock) => false,
        // On a disk without locks no file is ever removed.
        Ok(()) | Err(TryLockError::Error(_)) => file.path().exists(),
    }
}

/// Removes files that killed runs have left in `folder`. Files that cannot be removed stay.
pub fn clear(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && name.to_str().is_some_and(is_unfinished) {
            let path = entry.path();
            if let Ok(file) = OpenOptions::new().read(true).write(true).open(&path)
                && file.try_lock().is_ok()
            {
                // Hold the lock until the file is removed, so that a process that has just created it
                // notices.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

/// True for names from [`begin`].
fn is_unfinished(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-'));
    rest.is_some_and(|(process, _)| {
        !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_dead_writers_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let left = format!("{PREFIX}4711-aB3xY9.csv");
        let others = ["a.csv", ".flockwork-1", ".flockwork-unfinished-x-1.csv", "flockwork-2-b"];
        for name in others.iter().chain([&left.as_str()]) {
            std::fs::write(path(name), "1").unwrap();
        }
        let alive = begin(folder.path(), Path::new("b.npz")).unwrap();
        let name = alive.path().file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(&format!("{PREFIX}{}-", std::process::id())), "{name}");
        assert!(name.ends_with(".npz") && is_unfinished(name), "{name}");
        clear(folder.path());
        assert!(!path(&left).exists(), "what was left behind is still there");
        assert!(alive.path().exists(), "a file under way was taken away");
        assert!(others.iter().all(|name| path(name).exists()), "another program's file is gone");
        let kept = alive.path().to_owned();
        // As if the writer had been killed.
        let (file, stays) = alive.keep().unwrap();
        assert_eq!(stays, kept);
        clear(folder.path());
        assert!(kept.exists(), "its writer still has it open");
        drop(file);
        clear(folder.path());
        assert!(!kept.exists());
    }

    #[test]
    fn a_file_that_another_process_removes_is_begun_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = begin(folder.path(), Path::new("a")).unwrap();
        // Another process has locked it to remove it, or has removed it.
        let other = OpenOptions::new().read(true).write(true).open(file.path()).unwrap();
        file.as_file().unlock().unwrap();
        other.try_lock().unwrap();
        assert!(!is_ours(&file));
        std::fs::remove_file(file.path()).unwrap();
        drop(other);
        assert!(!is_ours(&file));
    }
}
