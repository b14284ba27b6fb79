//! State files and flow files: their formats, over any reader and writer.
//!
//! A [`StateTable`] has the rows of a file. [`StateTable::into_state`] makes them the state of a scene, and
//! [`StateTable::into_flock`] the state of the scene in the file's record.

mod csv;
mod flock_file;
mod flow;
mod npz;
mod ply;
mod record;
mod restore;
mod table;

use std::fmt::Display;
use std::io;

use super::scene::{PopulateError, SceneError};

pub use csv::{COLUMNS, read_csv, write_csv_header, write_csv_rows};
pub use flock_file::{load_flock, save_flock};
pub use flow::{MAX_ROW, read_flow};
pub use npz::{ARRAYS, NpzWriter, RECORD, read_npz, write_columns};
pub use ply::{write_ply_header, write_ply_rows};
pub use record::{Provenance, RunRecord};
pub use table::{MAX_TICK, Part, StateTable, TargetRow, Ticks};

/// A file that cannot be read: the problem, its place in the file and the remedy, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FileError(String);

/// Errors that are told in their own words.
macro_rules! told {
    ($($error:ty)+) => {$(
        impl From<$error> for FileError {
            fn from(error: $error) -> Self {
                Self(error.to_string())
            }
        }
    )+};
}

told! { io::Error SceneError PopulateError }

type Result<T, E = FileError> = std::result::Result<T, E>;

/// Puts words before a problem.
trait Context<T> {
    fn with_context<W: Display>(self, words: impl FnOnce() -> W) -> Result<T>;
}

impl<T, E: Display> Context<T> for std::result::Result<T, E> {
    fn with_context<W: Display>(self, words: impl FnOnce() -> W) -> Result<T> {
        self.map_err(|error| FileError(format!("{}: {error}", words())))
    }
}

impl<T> Context<T> for Option<T> {
    fn with_context<W: Display>(self, words: impl FnOnce() -> W) -> Result<T> {
        self.ok_or_else(|| FileError(words().to_string()))
    }
}

/// Returns an error with these words.
macro_rules! bail {
    ($($words:tt)*) => { return Err($crate::io::FileError(format!($($words)*))) };
}

/// The same unless a condition holds.
macro_rules! ensure {
    ($holds:expr, $($words:tt)*) => { if !$holds { $crate::io::bail!($($words)*); } };
}

use {bail, ensure};

/// The first of `names` that a file must have and lacks. Tick and species may be missing, `z` and `vz`
/// together, and angle together with neighbours or shown.
fn missing<'a>(names: &[&'a str], has: impl Fn(usize) -> bool) -> Option<&'a str> {
    let there = |name: &str| names.iter().position(|known| *known == name).is_some_and(&has);
    let optional = |name: &str| match name {
        "z" => !there("vz"),
        "vz" => !there("z"),
        "angle" => !there("neighbours") && !there("shown"),
        "neighbours" => !there("angle") || there("shown"),
        name => ["tick", "species", "shown"].contains(&name),
    };
    names.iter().copied().find(|name| !there(name) && !optional(name))
}

/// `1 agent` or `2 agents`.
fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
