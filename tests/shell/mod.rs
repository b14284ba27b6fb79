//! Command lines of a shell, and what they leave in a folder.

use std::path::Path;
use std::process::{Command, Output};

/// Runs lines of a shell in a folder; `flockwork` is the program under test.
pub fn shell(folder: &Path, line: &str) -> Output {
    let line = line.replace("flockwork", env!("CARGO_BIN_EXE_flockwork"));
    Command::new("sh").current_dir(folder).args(["-c", &line]).output().unwrap()
}

/// The names of what is in a folder, in their order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
