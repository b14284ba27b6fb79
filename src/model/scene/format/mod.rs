//! The scene file: its keys, its reader and its writer.

mod arrange;
mod camera;
mod edit;
mod fields;
pub mod keys;
mod overrides;
mod parse;
mod reader;
mod scenery;
mod species;
mod style;
mod tables;
mod tree;
mod values;
mod view_keys;
mod write;

pub use edit::edit_toml;
pub use fields::point_text;
pub use overrides::overrides;
pub use parse::is_a_key;
pub use scenery::check_paths;

use super::{Scene, SceneError};

impl Scene {
    /// Parses a scene from TOML. `name` is used in messages; `overrides` are `KEY=VALUE` texts, as
    /// in `--set`.
    pub fn parse(name: &str, text: &str, overrides: &[String]) -> Result<Self, SceneError> {
        let mut root = tree::parse(name, text)?;
        if overrides.is_empty() {
            return parse::scene(name, &root, None);
        }
        // A file may be a scene only with its overrides.
        let written = parse::scene(name, &root, None).ok();
        for assignment in overrides {
            tree::set(&mut root, assignment)?;
        }
        parse::scene(name, &root, written.as_ref())
    }
}
