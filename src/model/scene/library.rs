//! The built-in scenes: the files of `scenes/`.

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
    let files = flockwork_scenes::files();
    let mut scenes: Vec<_> = files.map(|(name, text)| BuiltIn { name, text }).collect();
    scenes.sort_by_key(|scene| scene.name);
    scenes.into_iter()
}
