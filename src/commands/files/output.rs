//! The output of commands: files that appear only when complete.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use time::OffsetDateTime;

use super::temp_files;
use crate::commands::host::messages::shown;

/// An output that cannot be written: the path, the problem and the remedy.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {problem}", shown(path))]
pub struct OutputError {
    /// The path as the user wrote it.
    pub path: PathBuf,
    /// The problem and its remedy.
    pub problem: String,
}

impl OutputError {
    /// An error about `path`.
    pub fn new(path: &Path, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }

    /// A system error about `path`, with the remedy if one is known.
    pub fn of_system(path: &Path, error: &io::Error) -> Self {
        let problem = match error.kind() {
            io::ErrorKind::StorageFull => "the disk is full; free some space or write to another \
                                           disk (no partial file is left)"
                .into(),
            io::ErrorKind::QuotaExceeded => "the disk quota is used up; delete something or write \
                                             to another disk"
                .into(),
            io::ErrorKind::FileTooLarge => "it would become larger than this disk or `ulimit -f` \
                                            allows; raise the limit or write to another disk \
                                            (no partial file is left)"
                .into(),
            io::ErrorKind::PermissionDenied => {
                format!("no permission to write to {}; choose another folder", folder(path))
            }
            io::ErrorKind::ReadOnlyFilesystem => {
                format!("{} is on a read-only disk; choose another folder", folder(path))
            }
            io::ErrorKind::NotFound => {
                format!("{} has been deleted; create it again", folder(path))
            }
            // The process, or the system.
            _ if cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24)) => {
                "too many files are open; raise `ulimit -n`".into()
            }
            _ => error.to_string(),
        };
        Self::new(path, problem)
    }
}

/// The folder of a path, for messages.
fn folder(path: &Path) -> String {
    format!("the folder {}", shown(parent(path)))
}

/// The folder that holds `path`; `.` for a bare name.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Fails for stdout, and for a relative path if the current folder has been deleted.
pub(in crate::commands) fn check_place(path: &Path) -> Result<(), OutputError> {
    if path == Path::new("-") {
        let problem = "files do not go to stdout; for a file or a folder of this name write ./-";
        return Err(OutputError::new(path, problem));
    }
    if path.is_relative() && std::env::current_dir().is_err() {
        let problem = "the current folder has been deleted; change to another one (cd), or give \
                       an absolute path";
        return Err(OutputError::new(path, problem));
    }
    Ok(())
}

/// Fails if the folder that shall hold `path` is missing: the path may be misspelt.
pub(super) fn check_parent(path: &Path) -> Result<(), OutputError> {
    if parent(path).is_dir() {
        return Ok(());
    }
    let folder = folder(path);
    let problem = format!("{folder} does not exist; create it first, or check the spelling");
    Err(OutputError::new(path, problem))
}

/// The file that `path` refers to, with links followed. Fails if no file can be written there.
pub(in crate::commands) fn target(path: &Path) -> Result<PathBuf, OutputError> {
    check_place(path)?;
    if path.file_name().is_none() || path.is_dir() {
        return Err(OutputError::new(path, "that is a folder; name a file in it"));
    }
    check_parent(path)?;
    match path.canonicalize() {
        // Replacing a device or a pipe by a regular file would surprise the user.
        Ok(found) if !found.is_file() => {
            Err(OutputError::new(path, "that is a device or a pipe; name a regular file"))
        }
        Ok(found) => Ok(found),
        Err(_) => end_of_links(path),
    }
}

/// The longest chain of links, as in operating systems.
const MAX_LINKS: u32 = 40;

/// The end of a path's links if the file does not exist: a link stays a link, and its target is
/// written.
fn end_of_links(path: &Path) -> Result<PathBuf, OutputError> {
    let mut end = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(next) = std::fs::read_link(&end) else {
            if end != path && !parent(&end).is_dir() {
                let problem = format!(
                    "it is a link to {}, in a folder that does not exist; create the folder, or \
                     remove the link",
                    end.display()
                );
                return Err(OutputError::new(path, problem));
            }
            return Ok(end);
        };
        end = parent(&end).join(next);
    }
    Err(OutputError::new(path, "its links form a circle; remove one of them"))
}

/// A path from the root on, with links followed as far as its folder or its file is there: two spellings of a file
/// are one.
pub(in crate::commands) fn whole(path: &Path) -> PathBuf {
    let beside = || Some(parent(path).canonicalize().ok()?.join(path.file_name()?));
    let there = path.canonicalize().ok().or_else(beside);
    there.unwrap_or_else(|| std::path::absolute(path).unwrap_or_else(|_| path.into()))
}

/// A file being written; it will replace `target`, the file that `path` refers to. Its errors name
/// the path.
#[derive(Debug)]
pub struct Output<F: Write> {
    path: PathBuf,
    target: PathBuf,
    file: BufWriter<F>,
}

/// A file that appears under its name only when complete, with [`OutputFile::publish`]. If it is
/// dropped before, it leaves nothing behind, and an older file of that name stays unchanged.
pub type OutputFile = Output<NamedTempFile>;

/// A part of an [`OutputFile`] that is assembled at the end; it is deleted automatically.
pub type Scratch = Output<File>;

impl OutputFile {
    /// Checks that `path` can be written, and begins a temporary file. Removes temporary files of
    /// killed runs from the folder.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        temp_files::clear(parent(&target(path)?));
        Self::create_in_cleared(path)
    }

    /// The same, in a folder that has been cleared already. The temporary file is in the folder of the target:
    /// on the same disk, so that renaming is atomic.
    pub(in crate::commands) fn create_in_cleared(path: &Path) -> Result<Self, OutputError> {
        let target = target(path)?;
        let file = temp_files::begin(parent(&target), &target);
        let file = file.map_err(|error| OutputError::of_system(path, &error))?;
        Ok(Self { path: path.into(), target, file: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Renames the file into place. Returns its size in bytes. Where a file is that may not be replaced, as another
    /// user's in a folder for all, the new one stays beside it.
    pub fn publish(self) -> Result<u64, OutputError> {
        let fail = |error: &io::Error| OutputError::of_system(&self.path, error);
        let file = self.file.into_inner().map_err(|error| fail(error.error()))?;
        let size = std::fs::metadata(file.path()).map_err(|error| fail(&error))?.len();
        let Err(error) = file.persist(&self.target) else { return Ok(size) };
        let [stem, ending] = [self.target.file_stem(), self.target.extension()]
            .map(|part| part.unwrap_or_default().to_string_lossy().into_owned());
        let folder = parent(&self.target);
        let beside = folder.join(new_name(folder, &stem, &ending));
        if error.error.kind() == io::ErrorKind::PermissionDenied
            && error.file.persist(&beside).is_ok()
        {
            let problem = format!(
                "the file that is there may not be replaced; the new one is {}",
                shown(&beside)
            );
            return Err(OutputError::new(&self.path, problem));
        }
        Err(fail(&error.error))
    }

    /// Writes all of the file and renames it into place. Returns its size in bytes.
    pub fn publish_whole(mut self, bytes: &[u8]) -> Result<u64, OutputError> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| OutputError::of_system(&self.path, &error))?;
        self.publish()
    }

    /// A nameless temporary file in the same folder.
    pub fn scratch(&self) -> Result<Scratch, OutputError> {
        let file = tempfile::tempfile_in(parent(&self.target));
        let file = file.map_err(|error| OutputError::of_system(&self.path, &error))?;
        let file = BufWriter::with_capacity(1 << 16, file);
        Ok(Output { path: self.path.clone(), target: self.target.clone(), file })
    }

    /// True if `path` refers to this file, in any spelling.
    pub fn has_name(&self, path: &Path) -> bool {
        target(path).is_ok_and(|other| whole(&other) == whole(&self.target))
    }

    /// The path where another program writes the file, instead of this one.
    pub fn lend(&self) -> &Path {
        // On Windows locks are mandatory, so another program could not write the file.
        #[cfg(windows)]
        let _ = self.file.get_ref().as_file().unlock();
        self.temporary()
    }

    /// The path of the file before it is renamed.
    pub fn temporary(&self) -> &Path {
        self.file.get_ref().path()
    }
}

/// Adds the path to a system error.
fn named<T>(path: &Path, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::new(error.kind(), OutputError::of_system(path, &error)))
}

impl<F: Write> Write for Output<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.file.write(bytes);
        named(&self.path, result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.file.flush();
        named(&self.path, result)
    }
}

impl<F: Write + Seek> Seek for Output<F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let result = self.file.seek(to);
        named(&self.path, result)
    }
}

/// Reads behind what was written last, so seek first.
impl Read for Scratch {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let result = self.file.get_mut().read(bytes);
        named(&self.path, result)
    }
}

/// A moment in the format of RFC 3339.
pub fn moment(utc: OffsetDateTime) -> String {
    let (hour, minute, second) = utc.to_hms();
    let (year, month, day) = (utc.year(), u8::from(utc.month()), utc.day());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The name of a file in `folder` that is not there yet.
pub fn new_name(folder: &Path, stem: &str, ending: &str) -> String {
    let moment = moment(OffsetDateTime::now_utc()).replace(['-', ':', 'Z'], "").replace('T', "-");
    let first = format!("{stem}-{moment}.{ending}");
    let more = (2..).map(|number| format!("{stem}-{moment}-{number}.{ending}"));
    let is_new = |name: &String| !folder.join(name).exists();
    std::iter::once(first).chain(more).find(is_new).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_when_it_is_kept_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "old").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"new and longer").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(file.publish().unwrap(), 14);
        assert_eq!(std::fs::read(&path).unwrap(), b"new and longer");

        drop(OutputFile::create(&path).unwrap());
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 1, "temporary files stayed behind");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_gets_the_usual_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("a"), folder.path().join("b"));
        OutputFile::create(&ours).unwrap().publish().unwrap();
        std::fs::write(&plain, "").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn a_wrong_place_is_named_with_its_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing/a.csv");
        for (path, problem) in [
            (missing.as_path(), "missing does not exist; create it first"),
            (folder.path(), "that is a folder"),
            #[cfg(unix)]
            (Path::new("/dev/null"), "regular file"),
        ] {
            let message = OutputFile::create(path).unwrap_err().to_string();
            let named = format!("cannot write {}: ", path.display());
            assert!(message.starts_with(&named) && message.contains(problem), "{message}");
        }
    }

    #[test]
    fn a_moment_is_written_as_rfc_3339() {
        let leap_day = OffsetDateTime::from_unix_timestamp(951_827_696).unwrap();
        assert_eq!(moment(leap_day), "2000-02-29T12:34:56Z");
    }
}
