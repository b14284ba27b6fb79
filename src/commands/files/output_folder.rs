//! A folder that a command fills with files.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::output::{OutputError, OutputFile, check_parent, check_place};
use super::temp_files;

/// True if a path names a folder, not a file: it ends with a slash, is one, or has no ending.
pub fn names_folder(path: &Path) -> bool {
    let slash = path.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
    let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
    slash || path.is_dir() || (path.extension().is_none() && !hidden)
}

/// A folder of files, each complete or absent. If the folder was created and is still empty, it is
/// removed again.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    is_new: bool,
    /// Held so that no other program of ours writes into the folder meanwhile; `None` where a folder
    /// cannot be locked.
    _lock: Option<File>,
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if self.is_new {
            // The system refuses to remove a folder that is not empty, so it stays.
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

impl OutputFolder {
    /// Creates the folder if it is missing, and checks that files can be written in it. Missing
    /// parent folders are an error: they mean a misspelt path. If the path is a file, the error ends with
    /// `instead`. A folder into which another command writes is refused: their files would mix.
    pub fn create(path: &Path, instead: &str) -> Result<Self, OutputError> {
        let fail = |error: &io::Error| OutputError::of_system(path, error);
        check_place(path)?;
        let is_new = !path.is_dir();
        if is_new {
            if path.exists() {
                let thing = if path.is_file() { "a file" } else { "a device or a pipe" };
                return Err(OutputError::new(path, format!("that is {thing}; {instead}")));
            }
            check_parent(path)?;
            match std::fs::create_dir(path) {
                // Another command has created it just now; the lock says whether it still runs.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => created.map_err(|error| fail(&error))?,
            }
        }
        let lock = File::open(path).ok();
        if let Some(Err(TryLockError::WouldBlock)) = lock.as_ref().map(File::try_lock) {
            let problem = "another run is writing into this folder; name another one, or wait until \
                           that run has ended";
            return Err(OutputError::new(path, problem));
        }
        let folder = Self { path: path.into(), is_new, _lock: lock };
        temp_files::clear(path);
        tempfile::tempfile_in(path).map_err(|error| {
            let OutputError { problem, .. } = OutputError::of_system(&path.join("file"), &error);
            OutputError::new(path, problem)
        })?;
        Ok(folder)
    }

    /// Fails if it holds a foreign file, which would mix with this run's. `theirs` says whose it is, and `old`
    /// names such files.
    pub fn check(
        &self,
        is_foreign: impl Fn(&str) -> bool,
        [theirs, old]: [&str; 2],
    ) -> Result<(), OutputError> {
        match self.names()?.iter().filter(|name| is_foreign(name)).min() {
            None => Ok(()),
            Some(name) => Err(OutputError::new(
                &self.path,
                format!(
                    "it holds {name} of {theirs}, which would mix with this one; delete the old {old} or \
                     name another folder"
                ),
            )),
        }
    }

    /// Removes the files of an older run, which would mix with the new ones if this run were cut off. One that
    /// cannot be removed cannot be replaced either, which is said then.
    pub fn remove(&self, is_old: impl Fn(&str) -> bool) -> Result<(), OutputError> {
        for name in self.names()?.iter().filter(|name| is_old(name)) {
            let _ = std::fs::remove_file(self.path.join(name));
        }
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, OutputError> {
        let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let entries = std::fs::read_dir(&self.path);
        let names = entries.and_then(|all| all.map(|entry| entry.map(name)).collect());
        names.map_err(|error| OutputError::of_system(&self.path, &error))
    }

    /// Begins a file in it.
    pub fn begin(&self, name: &str) -> Result<OutputFile, OutputError> {
        OutputFile::create_in_cleared(&self.path.join(name))
    }

    /// Writes one file. Returns its size in bytes.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<u64, OutputError> {
        self.begin(name)?.publish_whole(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_folder_stays_when_something_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let create = || OutputFolder::create(&path, "").unwrap();
        let missing = OutputFolder::create(&path.join("frames"), "").unwrap_err().to_string();
        assert!(missing.contains("does not exist"), "{missing}");
        drop(create());
        assert!(!path.exists(), "an empty folder stayed behind");
        create().write("a", b"b").unwrap();
        assert!(path.join("a").is_file());
        std::fs::remove_file(path.join("a")).unwrap();
        drop(create());
        assert!(path.is_dir(), "a folder of the user's was removed");
    }

    #[test]
    fn two_runs_do_not_write_into_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let first = OutputFolder::create(&path, "").unwrap();
        let refused = OutputFolder::create(&path, "").unwrap_err().to_string();
        assert!(refused.contains("frames: another run is writing"), "{refused}");
        assert!(path.is_dir(), "the first run's folder is gone");
        drop(first);
        OutputFolder::create(&path, "").unwrap();
    }
}
