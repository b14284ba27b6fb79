//! The built-in scenes: the TOML files of this folder, embedded.
//!
//! A published crate holds only files of its own folder, so the folder is a crate.

use include_dir::{Dir, include_dir};

static FOLDER: Dir = include_dir!("$CARGO_MANIFEST_DIR");

/// The name and the TOML text of every scene, in no particular order.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FOLDER.files().filter_map(|file| {
        let name = file.path().to_str()?.strip_suffix(".toml")?;
        (name != "Cargo").then_some((name, file.contents_utf8()?))
    })
}
