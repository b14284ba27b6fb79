//! The built-in scenes: the files of `scenes/`, embedded.

use include_dir::{Dir, include_dir};

static SCENES: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../scenes");

/// A scene that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// The name that `--scene` takes.
    pub name: &'static str,
    /// The TOML text.
    pub text: &'static str,
}

impl BuiltIn {
    /// The scene called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        built_in().find(|scene| scene.name == name)
    }
}

/// Every built-in scene, by name.
pub fn built_in() -> impl Iterator<Item = BuiltIn> {
    let mut scenes: Vec<BuiltIn> = SCENES
        .files()
        .filter_map(|file| {
            let name = file.path().file_stem()?.to_str()?;
            Some(BuiltIn { name, text: file.contents_utf8()? })
        })
        .collect();
    scenes.sort_by_key(|scene| scene.name);
    scenes.into_iter()
}
