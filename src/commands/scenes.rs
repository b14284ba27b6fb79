//! `flockwork scenes`: the built-in scenes.

use super::files::scene_files::scene_error;
use super::host::messages::say;
use flockwork_model::quote::{cut, suggest};
use flockwork_model::scene::{BuiltIn, Scene, built_in, edit_toml};

/// Lists the scenes, or prints one scene's file, changed by `overrides`, the texts after `--set`.
pub fn scenes(name: Option<&str>, overrides: &[String]) -> anyhow::Result<()> {
    let Some(name) = name else {
        for scene in built_in() {
            let parsed = Scene::parse(scene.name, scene.text)?;
            say(&format!("{:16} {:>7}  {}\n", scene.name, parsed.own_count(), parsed.about))?;
        }
        return Ok(());
    };
    let Some(scene) = BuiltIn::named(name) else {
        let names: Vec<&str> = built_in().map(|scene| scene.name).collect();
        anyhow::bail!("no built-in scene is called `{}`; {}", cut(name), suggest(name, &names));
    };
    let changed = Scene::parse_with(name, scene.text, overrides).map_err(scene_error)?;
    say(&edit_toml(scene.text, &changed)?)?;
    Ok(())
}
