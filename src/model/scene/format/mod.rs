//! The scene file: its keys, its reader and its writer.

mod camera;
mod document;
mod edit;
mod fields;
mod key;
pub mod keys;
mod law;
mod parse;
mod reader;
mod scenery;
mod set;
mod spawn;
mod species;
mod style;
mod tree;
mod values;
mod write;

pub use camera::{CameraKey, CameraPlan, Follow, Orbit};
pub use edit::{edit_toml, overrides};
pub use fields::point_text;
pub use parse::is_a_key;
pub use scenery::check_paths;
pub use style::Style;

use super::{Scene, SceneError};

impl Scene {
    /// Parses a scene from TOML. `name` is used in messages; `overrides` are `KEY=VALUE` texts, as
    /// in `--set`. Fails with the first wrong key, its place and the remedy.
    pub fn parse(name: &str, text: &str, overrides: &[String]) -> Result<Self, SceneError> {
        let mut root = tree::parse(name, text)?;
        if overrides.is_empty() {
            return parse::scene(name, &root, None);
        }
        // A file may be a scene only with its overrides.
        let written = parse::scene(name, &root, None).ok();
        for assignment in overrides {
            set::set(&mut root, assignment)?;
        }
        parse::scene(name, &root, written.as_ref())
    }
}
