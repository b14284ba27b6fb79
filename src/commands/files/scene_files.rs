//! Reads scenes from files, with what they need, and makes flocks of them.

use std::io::{BufReader, ErrorKind};
use std::path::Path;

use anyhow::Context;

use super::input::{check_length, open_file, read_text};
use crate::commands::host::errors::wrong;
use crate::commands::host::memory_check;
use crate::commands::host::ranks;
use flockwork_engine::Engine;
use flockwork_model::io::{MAX_ROW, RunRecord, read_flow};
use flockwork_model::quote::cut;
use flockwork_model::scene::{BuiltIn, Origin, Request, Scene, SceneError, built_in, hint};
use flockwork_model::scenery::FlowKind;
use flockwork_model::state::FlockState;

/// Most bytes of a scene file: twice what the largest number of obstacles takes, listed one by one.
pub const MAX_SCENE: u64 = 1 << 26;

/// The text of a built-in scene, or of the scene file at this path. The error begins with the name.
pub fn text_of(name: &str) -> anyhow::Result<String> {
    if let Some(scene) = BuiltIn::named(name) {
        return Ok(scene.text.into());
    }
    match read_text(Path::new(name), MAX_SCENE) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let hint = hint(name, built_in().map(|scene| scene.name));
            anyhow::bail!(
                "{}: neither a built-in scene nor a file{hint} (`flockwork scenes` lists the built-in \
                 ones)",
                cut(name)
            )
        }
        text => text.with_context(|| format!("{}: cannot read it", cut(name))),
    }
}

/// Reads the built-in scene of this name, or the scene in this file: a scene file, or the record of a run,
/// which is returned too.
pub fn read_run(name: &str, overrides: &[String]) -> anyhow::Result<(Scene, Option<RunRecord>)> {
    let text = text_of(name).map_err(|error| anyhow::anyhow!("--scene {error:#}"))?;
    let run = RunRecord::within(&text).with_context(|| format!("--scene {}", cut(name)))?;
    let scene = match &run {
        Some(run) => run.scene(overrides).map_err(scene_error)?,
        None => Scene::parse(name, &text, overrides).map_err(scene_error)?,
    };
    Ok((with_flow(scene, Some(name))?, run))
}

/// The same, without the record.
pub fn read_scene(name: &str, overrides: &[String]) -> anyhow::Result<Scene> {
    read_run(name, overrides).map(|(scene, _)| scene)
}

/// An error in --set is an error in the command line.
pub fn scene_error(error: SceneError) -> anyhow::Error {
    match error.origin {
        Origin::Set(_) => wrong(error.to_string()),
        Origin::Line { .. } => error.into(),
    }
}

/// A scene with its flow field, whose file is relative to the folder of the scene's file. The file of
/// a built-in scene, which --set names, and of a scene without a file is relative to the current folder.
pub fn with_flow(mut scene: Scene, file: Option<&str>) -> anyhow::Result<Scene> {
    let file = file.filter(|name| BuiltIn::named(name).is_none());
    attach_flow(&mut scene, Path::new(file.unwrap_or("")))?;
    Ok(scene)
}

/// Reads the flow field's file if `scene` needs one. The path is relative to the folder of
/// `scene_file`.
pub fn attach_flow(scene: &mut Scene, scene_file: &Path) -> anyhow::Result<()> {
    let (name, axes) = (scene.name.clone(), scene.world.axes());
    let Some(plan) = scene.flow.as_mut().filter(|plan| plan.kind == FlowKind::File) else {
        return Ok(());
    };
    let file = plan.file.clone().unwrap_or_default();
    let path = scene_file.parent().unwrap_or(Path::new("")).join(&file);
    let place = || format!("{}: flow.file: {}", cut(&name), cut(&path.to_string_lossy()));
    // The header is a row too.
    let most = (plan.file_cells() as u64).saturating_add(1).saturating_mul(MAX_ROW);
    let file = open_file(&path).and_then(|file| check_length(&file, most).map(|()| file));
    let grid = plan.grid_text();
    let file =
        file.with_context(|| format!("{}: cannot read it as the field of grid = {grid}", place()))?;
    read_flow(plan, axes, BufReader::new(file)).with_context(place)
}

/// Makes the first state of a scene, which it scales, or this rank's part of it. Fails if `engine` cannot hold
/// it, or if there is no memory for it, before any of it is allocated.
pub fn populate(
    scene: &mut Scene,
    request: &Request,
    engine: Option<&dyn Engine>,
) -> anyhow::Result<FlockState> {
    let count = request.count.unwrap_or(scene.own_count());
    engine.map_or(Ok(()), |engine| engine.check_count(&scene.world, count))?;
    memory_check::check(scene, request, engine)?;
    Ok(scene.populate_rows(request, ranks::own_rows)?)
}
