//! Folders of tests, command lines of the program and of a shell, and what they leave in a folder.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

use std::collections::BTreeMap;
use std::fs;
use std::ops::Deref;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// An empty folder of a test, removed when this value is dropped. It is a path, too.
pub struct Folder(TempDir);

impl Folder {
    pub fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with one file.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let folder = Self::empty();
        folder.write(name, content);
        folder
    }

    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        fs::write(self.join(name), content).unwrap();
    }

    pub fn text(&self, name: impl AsRef<Path>) -> String {
        fs::read_to_string(self.join(name)).unwrap()
    }

    pub fn bytes(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.join(name)).unwrap()
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self
    }
}

/// Runs lines of a shell in a folder; `flockwork` is the program under test.
pub fn shell(folder: &Path, line: &str) -> Output {
    let line = line.replace("flockwork", env!("CARGO_BIN_EXE_flockwork"));
    Command::new("sh").current_dir(folder).args(["-c", &line]).output().unwrap()
}

/// Runs lines of a shell that end with this exit code. Returns what they print on stderr.
pub fn exits(folder: &Path, code: i32, line: &str) -> String {
    let output = shell(folder, line);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{line}: {told}");
    told
}

/// The only line that lines of a shell print before they end with this exit code.
pub fn refused(folder: &Path, code: i32, line: &str) -> String {
    let output = shell(folder, line);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{line}: {told}");
    assert_eq!(told.lines().count(), 1, "{line}: {told}");
    told
}

/// Fails with the name of the case unless its message has all these parts.
#[track_caller]
pub fn says(case: &str, message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{case}: {part:?} is missing in {message}");
    }
}

/// The program under test with these arguments.
pub fn flockwork(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flockwork"));
    command.current_dir(folder).args(line.split_whitespace());
    command
}

/// The exit code of the program, and what it prints on stdout and on stderr.
pub fn run(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = flockwork(folder, line).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// The output of the program, which succeeds.
pub fn done(folder: &Path, line: &str) -> String {
    let (code, stdout, stderr) = run(folder, line);
    assert_eq!(code, Some(0), "{line}: {stderr}");
    stdout
}

/// The rows of a table by the names of its columns.
pub fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let head = reader.headers().unwrap().clone();
    let row = |row: csv::StringRecord| {
        head.iter().zip(row.iter()).map(|(name, text)| (name.into(), text.into())).collect()
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

pub fn number(row: &BTreeMap<String, String>, name: &str) -> f64 {
    row[name].parse().unwrap_or_else(|_| panic!("{name}: {row:?}"))
}

/// The names of what is in a folder, in their order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
