//! Reads scenes from files, with what they need, and makes flocks of them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::commands::host::errors::wrong;
use crate::commands::host::memory_check;
use crate::commands::host::messages::note;
use crate::commands::host::ranks;
use crate::input::read_text;
use crate::scene_file::{MAX_SCENE, flow_file, load_flow};
use flockwork_engine::Engine;
use flockwork_model::io::RunRecord;
use flockwork_model::quote::{cut, hint};
use flockwork_model::scene::{
    BuiltIn, Origin, Request, Scene, SceneError, built_in, key_and_value,
};
use flockwork_model::state::FlockState;

/// The text of a built-in scene, or of the file at this path. Files of more than `most` bytes are refused. Errors
/// begin with the name.
pub fn text_of(name: &str, most: u64) -> anyhow::Result<String> {
    if let Some(scene) = BuiltIn::named(name) {
        return Ok(scene.text.into());
    }
    match read_text(Path::new(name), most) {
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

/// The same for the value of `--scene`.
pub fn asked_text(name: &str) -> anyhow::Result<String> {
    text_of(name, MAX_SCENE).map_err(|error| anyhow::anyhow!("--scene {error:#}"))
}

/// The scene in the text of a file: a scene file, or the record of a run, which is returned too.
pub fn run_in(
    name: &str,
    text: &str,
    overrides: &[String],
) -> anyhow::Result<(Scene, Option<RunRecord>)> {
    let run = RunRecord::within(text).with_context(|| format!("--scene {}", cut(name)))?;
    let scene = match &run {
        Some(run) => run.scene(overrides),
        None => Scene::parse_with(name, text, overrides),
    };
    Ok((with_flow(scene.map_err(scene_error)?, Some(name))?, run))
}

/// Fails if a file that an option writes would replace what its run reads: `scene` or `init`.
pub fn check_inputs(
    written: impl IntoIterator<Item = (&'static str, PathBuf)>,
    scene: &str,
    init: Option<&Path>,
) -> anyhow::Result<()> {
    let scene = Some(Path::new(scene)).filter(|_| BuiltIn::named(scene).is_none());
    keep_apart(written, &[("--scene", scene), ("--init", init)])
}

/// The same for the file of the flow field of `scene`, which stands in the file `name`.
pub fn check_flow(
    written: impl IntoIterator<Item = (&'static str, PathBuf)>,
    scene: &Scene,
    name: &str,
) -> anyhow::Result<()> {
    let flow = flow_file(scene, on_disk(Some(name)));
    keep_apart(written, &[("flow.file", flow.as_deref())])
}

/// Fails if an option would replace one of `inputs`, each with the option or key that reads it.
fn keep_apart(
    written: impl IntoIterator<Item = (&'static str, PathBuf)>,
    inputs: &[(&str, Option<&Path>)],
) -> anyhow::Result<()> {
    for (option, path) in written {
        let target = path.canonicalize().ok().filter(|path| path.is_file());
        let is_target = |path: &Path| target.is_some() && path.canonicalize().ok() == target;
        if let Some((input, _)) = inputs.iter().find(|(_, own)| own.is_some_and(is_target)) {
            let path = path.display();
            let problem = format!("{option}: it would replace {path}, which {input} reads");
            return Err(wrong(format!("{problem}; choose another name")));
        }
    }
    Ok(())
}

/// The request for a scene: `asked`, and where that says nothing, the overrides or the record of a run.
pub fn requested(asked: Request, scene: &Scene, run: Option<&RunRecord>) -> Request {
    // An override of the size, the density or a count comes later than the record.
    let recorded = run.filter(|_| !scene.is_overridden("world.size"));
    let recorded = recorded.and_then(|run| run.density);
    Request {
        count: asked.count.or(scene.asked_count()).or(run.map(|run| run.count)),
        density: asked.density.or(scene.asked_density()).or(recorded),
        seed: asked.seed,
    }
}

/// Says which overrides have no effect beside the options `--density` and `--seed`, where those are given.
pub fn tell_idle(overrides: &[String], density: bool, seed: bool) {
    let options = [("world.density", "--density", density), ("seed", "--seed", seed)];
    for (key, option, _) in options.into_iter().filter(|(.., is_given)| *is_given) {
        let sets = |own: &String| key_and_value(own).is_some_and(|(own, _)| own.trim() == key);
        if overrides.iter().any(sets) {
            note(&format!("--set {key} has no effect beside {option}"));
        }
    }
}

/// Reads the built-in scene of this name, or the scene in this file.
pub fn read_scene(name: &str, overrides: &[String]) -> anyhow::Result<Scene> {
    run_in(name, &asked_text(name)?, overrides).map(|(scene, _)| scene)
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
    load_flow(&mut scene, on_disk(file))?;
    Ok(scene)
}

/// The scene's file; an empty path for a built-in scene.
fn on_disk(file: Option<&str>) -> &Path {
    Path::new(file.filter(|name| BuiltIn::named(name).is_none()).unwrap_or(""))
}

/// The scaled scene and its first state, or this rank's part of it. Fails if `engine` cannot hold
/// it, or if there is no memory for it, before any of it is allocated.
pub fn populate(
    scene: &Scene,
    request: &Request,
    engine: Option<&dyn Engine>,
) -> anyhow::Result<(Scene, FlockState)> {
    let count = request.count.unwrap_or(scene.own_count());
    engine.map_or(Ok(()), |engine| engine.check_count(scene, count))?;
    memory_check::check(scene, request, engine)?;
    Ok(scene.populate_rows(request, ranks::own_rows)?)
}
