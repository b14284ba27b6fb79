//! Errors in a scene, with the origin of the wrong value.

use std::sync::Arc;
use std::{fmt, iter};

use super::Scene;
use crate::quote::cut;

/// The place where a value was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// In a scene file.
    Line {
        /// The file's name.
        file: Arc<str>,
        /// Counted from 1.
        line: usize,
    },
    /// On the command line: the text after `--set`.
    Set(Arc<str>),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { file, line } => write!(f, "{}:{line}", cut(file)),
            Self::Set(assignment) => write!(f, "--set {}", cut(assignment)),
        }
    }
}

/// A scene that cannot be used: the origin, the key, and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub struct SceneError {
    /// Where the value was written.
    pub origin: Origin,
    /// The full key; empty if the file is not TOML.
    pub key: String,
    /// The problem and its remedy.
    pub problem: String,
}

impl SceneError {
    /// The problem of a key.
    pub(super) fn new(origin: &Origin, key: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { origin: origin.clone(), key: key.into(), problem: problem.into() }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.key.is_empty() {
            write!(f, "{}: {}", self.origin, self.problem)
        } else {
            write!(f, "{}: {}: {}", self.origin, cut(&self.key), self.problem)
        }
    }
}

/// A scene that cannot be scaled or populated: too few or too many agents, or a world that they, its
/// paths or its obstacles do not fit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub struct PopulateError {
    /// Where the key was written that causes the error, if one does and a file or `--set` has it.
    pub origin: Option<Origin>,
    /// That key; empty if there is none.
    pub key: String,
    /// The problem and its remedy.
    pub problem: String,
}

impl fmt::Display for PopulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        f.write_str(&self.problem)
    }
}

impl PopulateError {
    /// The problem of an option of the command line.
    pub(super) fn option(problem: String) -> Self {
        Self::new(String::new(), problem)
    }

    /// The problem of a key.
    pub(super) fn new(key: String, problem: String) -> Self {
        Self { origin: None, key, problem }
    }

    /// Adds the origin of the key in `scene`. If the key was not written, this is the origin of the
    /// nearest enclosing table.
    #[must_use]
    pub(super) fn written(self, scene: &Scene) -> Self {
        let key = Some(self.key.as_str());
        let mut tables = iter::successors(key, |key| Some(key.rsplit_once('.')?.0));
        let origin = tables.find_map(|key| scene.origin(key)).cloned();
        Self { origin, ..self }
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::{Request, Scene};

    #[test]
    fn a_control_character_in_a_name_reaches_no_message() {
        let name = "a\\u0000\\u001b[31m\\u009b";
        let tried = |text: &str, overrides: &[String]| {
            let scene = match Scene::parse_with("m\u{1b}c.toml", text, overrides) {
                Ok(scene) => scene,
                Err(error) => return error.to_string(),
            };
            scene.populate(&Request::default()).unwrap_err().to_string()
        };
        let check = |message: String, part: &str| {
            assert!(!message.contains(char::is_control), "{message:?}");
            assert!(message.contains(part) && message.contains("u{1b}"), "{message:?}");
        };
        let target = format!("[[targets]]\nname = \"{name}\"\n");
        for (text, part) in [
            (format!("\"{name}\" = 1"), "unknown key"),
            (format!("[species.\"{name}\"]\nx = 1"), "unknown key"),
            (format!("[species.\"{name}\"]\nmax_speed = 1000"), "cross the wrapped world"),
            (format!("[species.a]\nseek.target = \"{name}\""), "no target is called"),
            (format!("{target}{target}"), "is taken"),
            (format!("{target}[species.a]\nseek.target = \"a\\u0000[31m\""), "did you mean"),
            ("[species.\u{1b}]".into(), "expected a key"),
        ] {
            check(tried(&text, &[]), part);
        }
        for set in ["\u{1b}[31m.b=1", "a.\u{1b}=none", "seed=\"\u{1b}\"", "\u{1b}", "a=[\u{1b}"] {
            check(tried("[species.a]", &[set.into()]), "--set");
        }
    }
}
