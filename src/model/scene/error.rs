//! What can be wrong with a scene, and where.

use std::fmt;

/// Where a value was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// In a scene file.
    Line {
        /// The file's name.
        file: String,
        /// Counted from 1.
        line: usize,
    },
    /// On the command line: the text after `--set`.
    Set(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { file, line } => write!(f, "{file}:{line}"),
            Self::Set(assignment) => write!(f, "--set {assignment}"),
        }
    }
}

/// A scene that cannot be used: the place, the key, and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct SceneError {
    /// Where.
    pub origin: Origin,
    /// The full key; empty when the file is no TOML at all.
    pub key: String,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.key.is_empty() {
            write!(f, "{}: {}", self.origin, self.problem)
        } else {
            write!(f, "{}: {}: {}", self.origin, self.key, self.problem)
        }
    }
}

/// The candidate most like `word`, when one is like it at all.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// ` Did you mean `x`?` or the list of what is known.
#[must_use]
pub fn suggest(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("known are {}", known.join(", ")),
    }
}
