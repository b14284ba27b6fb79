//! Scenes from files, with the flow fields that they name.

use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::input::{check_length, open_file, read_text};
use flockwork_model::io::{MAX_ROW, read_flow};
use flockwork_model::quote::cut;
use flockwork_model::scene::Scene;
use flockwork_model::scenery::FlowKind;

/// The most bytes of a scene file: twice what the largest number of obstacles takes, listed one by one.
pub const MAX_SCENE: u64 = 1 << 26;

/// Reads the scene in the file at `path`, with its flow field, whose file is relative to the folder of
/// that file. Fails if a file cannot be read, or with the first wrong key, its place and the remedy.
///
/// ```
/// let scene = flockwork::load_scene("scenes/flock.toml")?;
/// assert_eq!(scene.species[0].name, "starling");
/// # Ok::<(), flockwork::Error>(())
/// ```
pub fn load_scene(path: impl AsRef<Path>) -> Result<Scene, Error> {
    let path = path.as_ref();
    let name = path.to_string_lossy();
    let text = read_text(path, MAX_SCENE).map_err(|error| {
        let is_state = error.kind() == ErrorKind::InvalidData && name.ends_with(".npz");
        let way = if is_state { ": a state is no scene; --init goes on from it" } else { "" };
        Error::Read(format!("{}: cannot read it: {error}{way}", cut(&name)))
    })?;
    let mut scene = Scene::parse(&name, &text)?;
    load_flow(&mut scene, path)?;
    Ok(scene)
}

/// The flow field's file if `scene` needs one. The path is relative to the folder of `scene_file`.
pub fn flow_file(scene: &Scene, scene_file: &Path) -> Option<PathBuf> {
    let plan = scene.flow.as_ref().filter(|plan| plan.kind == FlowKind::File)?;
    let file = plan.file.as_deref().unwrap_or_default();
    Some(scene_file.parent().unwrap_or(Path::new("")).join(file))
}

/// Reads [`flow_file`].
pub fn load_flow(scene: &mut Scene, scene_file: &Path) -> Result<(), Error> {
    let (name, axes) = (scene.name.clone(), scene.world.axes());
    let path = flow_file(scene, scene_file);
    let Some((path, plan)) = path.zip(scene.flow.as_mut()) else { return Ok(()) };
    let place = format!("{}: flow.file: {}", cut(&name), cut(&path.to_string_lossy()));
    // The header is a row too.
    let most = plan.file_cells().saturating_add(1).saturating_mul(MAX_ROW);
    let file = open_file(&path).and_then(|file| check_length(&file, most).map(|()| file));
    let file = file.map_err(|error| {
        let grid = plan.grid_text();
        Error::Read(format!("{place}: cannot read it as the field of grid = {grid}: {error}"))
    })?;
    read_flow(plan, axes, BufReader::new(file))
        .map_err(|error| Error::Read(format!("{place}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        let read = || load_scene(&path).map_err(|error| error.to_string());
        let name = path.to_string_lossy();
        let missing = read().unwrap_err();
        assert!(missing.starts_with(&*name) && missing.contains("cannot read it"), "{missing}");
        let state = folder.path().join("run.npz");
        std::fs::write(&state, [0x50, 0x4b, 0xff, 0xfe]).unwrap();
        let state = load_scene(&state).unwrap_err().to_string();
        assert!(state.ends_with("it is not text: a state is no scene; --init goes on from it"));
        std::fs::write(&path, "[species.bird]\nseparation = {}").unwrap();
        assert_eq!(read().unwrap().name, name);
        let flow = "\nfollow_flow = {}\n[flow]\nkind = \"file\"\nfile = \"f.csv\"\ngrid = [2, 2]";
        std::fs::write(&path, format!("[species.bird]{flow}")).unwrap();
        let missing = read().unwrap_err();
        let told = "f.csv: cannot read it as the field of grid = [2, 2]";
        assert!(missing.contains(told), "{missing}");
        std::fs::write(folder.path().join("f.csv"), "x,y\n1,0\n0,1\n1,1\n0,0\n").unwrap();
        let field = read().unwrap();
        assert!(field.flow.is_some_and(|plan| plan.kind == FlowKind::File));
    }
}
