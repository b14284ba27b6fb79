//! Errors in a scene, with the origin of the wrong value.

use std::fmt;
use std::sync::Arc;

use super::MAX_AGENTS;
use crate::quote::{cut, listed};
use crate::vector::Point;
use crate::world::sides_text;

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

/// A scene that cannot be scaled or populated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PopulateError {
    /// Too few or too many agents.
    #[error("--count {count}: a flock has 1 to {MAX_AGENTS} agents")]
    Count {
        /// The requested count.
        count: u64,
    },
    /// A density for a flock whose agents do not perceive each other.
    #[error(
        "--density {density}: no species of scene `{}` looks at neighbours, so its world has a \
         fixed size; set it with --set world.size=[W,H]",
        cut(scene)
    )]
    DensityWithoutNeighbours {
        /// The requested density.
        density: f32,
        /// The scene's name.
        scene: String,
    },
    /// A world that is too small or too large for positions in `f32`.
    #[error(
        "the world would be {} world units, but each side must be {low} to {high}; change --count, \
         --density or world.size",
        sides_text(*size)
    )]
    World {
        /// World units.
        size: Point,
        /// Shortest side.
        low: f32,
        /// Longest side.
        high: f32,
    },
    /// A speed that crosses a wrapped world in one tick.
    #[error(
        "species.{}.max_speed: {speed} world units per tick (time_step included) cross the wrapped \
         world of {} in one tick; lower max_speed or enlarge world.size",
        cut(species),
        sides_text(*size)
    )]
    TooFast {
        /// The species' name.
        species: String,
        /// World units per tick.
        speed: f32,
        /// World units.
        size: Point,
    },
    /// A prediction that crosses a wrapped world.
    #[error(
        "species.{}.{parameter}: {lookahead} world units cross the whole wrapped world of {}; lower \
         it or enlarge world.size",
        cut(species),
        sides_text(*size)
    )]
    LookaheadTooLong {
        /// The species' name.
        species: String,
        /// Behaviour and key.
        parameter: String,
        /// World units.
        lookahead: f32,
        /// World units.
        size: Point,
    },
    /// A path so far outside a wrapped world that its images would fill the memory.
    #[error(
        "paths.{}: the point {point} is far outside the wrapped world of {}; keep it within two world \
         sizes, or change world.boundary",
        cut(path),
        sides_text(*size)
    )]
    PathTooFar {
        /// The path's name.
        path: String,
        /// Its index among the scene's paths.
        index: usize,
        /// World units, as a scene file has it.
        point: String,
        /// World units.
        size: Point,
    },
    /// More obstacles within reach of one place than an agent may examine.
    #[error(
        "obstacles: {count} are within reach of one place, but at most {most} are allowed; use fewer, or \
         lower avoid.reach"
    )]
    TooCrowded {
        /// Number at the most crowded place.
        count: usize,
        /// The largest number allowed.
        most: usize,
    },
    /// A speed limit that grows with the distance from a target, so far that an agent could cross a
    /// wrapped world in one tick.
    #[error(
        "species.{}.{parameter}: with {proximity} world units the speed half a world away is \
         {speed} per tick, which crosses the wrapped world of {} in one tick; raise it, or change \
         world.boundary",
        cut(species),
        sides_text(*size)
    )]
    Proximity {
        /// The species' name.
        species: String,
        /// Behaviour and key.
        parameter: String,
        /// World units.
        proximity: f32,
        /// World units per tick.
        speed: f32,
        /// World units.
        size: Point,
    },
    /// More obstacles than a table can hold.
    #[error(
        "a world of this size has {count} obstacles, but at most {most} are allowed; lower --count"
    )]
    Obstacles {
        /// Number in the scaled world.
        count: u64,
        /// The largest number allowed.
        most: u64,
    },
    /// An error with the origin of its key.
    #[error("{origin}: {error}")]
    Written {
        /// The line of the file, or the `--set`.
        origin: Origin,
        /// The error itself.
        error: Box<PopulateError>,
    },
    /// A density out of range.
    #[error("--density {density}: a density is between 0.001 and 10000 neighbours")]
    Density {
        /// The requested density.
        density: f32,
    },
}

impl PopulateError {
    /// The key of the scene file that causes the error, if any.
    fn key(&self) -> Option<String> {
        match self {
            Self::TooFast { species, .. } => Some(format!("species.{species}.max_speed")),
            Self::LookaheadTooLong { species, parameter, .. }
            | Self::Proximity { species, parameter, .. } => {
                Some(format!("species.{species}.{parameter}"))
            }
            Self::PathTooFar { index, .. } => Some(format!("paths.{index}.points")),
            Self::TooCrowded { .. } => Some("obstacles".into()),
            _ => None,
        }
    }

    /// Adds the origin of the key that causes the error, if it is among `origins`. If the key was
    /// not written, this is the origin of the nearest enclosing table.
    #[must_use]
    pub fn written(self, origins: &[(String, Origin)]) -> Self {
        let mut key = self.key().unwrap_or_default();
        while !key.is_empty() {
            if let Some((_, origin)) = origins.iter().find(|(known, _)| *known == key) {
                return Self::Written { origin: origin.clone(), error: Box::new(self) };
            }
            key.truncate(key.rfind('.').unwrap_or(0));
        }
        self
    }
}

/// The candidate most similar to `word`, if any is similar enough.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// `did you mean `x`?`, or the list of known names.
#[must_use]
pub fn suggest(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(candidate) => format!("did you mean `{}`?", cut(candidate)),
        None => format!("known names are {}", listed(known)),
    }
}

/// `; did you mean `x`?` for a message that lists the known names itself; empty if no candidate is
/// similar to `word`.
pub fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates)
        .map_or_else(String::new, |near| format!("; did you mean `{}`?", cut(near)))
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
