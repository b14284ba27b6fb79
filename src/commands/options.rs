//! What several commands take: which flock, on what machine, how large a picture.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::state_file;
use crate::engine::Engine;
use crate::engine::gpu::AdapterChoice;
use crate::model::scene::{BuiltIn, Request, Scene};
use crate::model::state::FlockState;

/// Which flock.
#[derive(Clone, Debug, Args)]
pub struct FlockArgs {
    /// A built-in scene, or the path of a scene file
    #[arg(long, value_name = "NAME|FILE", default_value = "flock")]
    pub scene: String,
    /// Number of agents [default: the scene's]
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Seed of the random numbers [default: the scene's]
    #[arg(long, value_name = "S")]
    pub seed: Option<u32>,
    /// Mean neighbours within the largest radius; the world grows to fit [default: the scene's]
    #[arg(long, value_name = "K")]
    pub density: Option<f32>,
    /// Override a scene key, as in --set starling.separation.weight=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Start from a state that `simulate` wrote (its last tick)
    #[arg(long, value_name = "STATE.csv|.npz")]
    pub init: Option<PathBuf>,
}

/// On what.
#[derive(Clone, Debug, Args)]
pub struct MachineArgs {
    /// Which engine
    #[arg(long, value_enum, default_value_t = EngineArg::Auto)]
    pub engine: EngineArg,
    /// Which GPU: part of its name, or its number in `flockwork adapters`
    #[arg(long, value_name = "NAME|INDEX")]
    pub adapter: Option<AdapterChoice>,
    /// Threads of the CPU engine [default: one a core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// The GPU when there is one, else the CPU
    Auto,
    /// The GPU
    Gpu,
    /// The CPU
    Cpu,
}

/// Width and height of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X']);
        let sides = sides.and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        match sides {
            Some((width, height))
                if (1..=16384).contains(&width) && (1..=16384).contains(&height) =>
            {
                Ok(Self { width, height })
            }
            _ => Err("write WIDTHxHEIGHT in pixels, each from 1 to 16384, such as 1280x720".into()),
        }
    }
}

impl FlockArgs {
    /// Reads the scene, scales it and makes (or reads) the first state.
    ///
    /// With `--init` the world is sized for the count of the file, as it was for the run that
    /// wrote it.
    pub fn prepare(&self) -> anyhow::Result<(Scene, FlockState)> {
        let mut scene = read_scene(&self.scene, &self.overrides)?;
        let mut request = Request { count: self.count, density: self.density, seed: self.seed };
        let Some(path) = &self.init else {
            let state = scene.populate(&request)?;
            return Ok((scene, state));
        };
        let table = state_file::read_table(path)?;
        let found = table.len() as u64;
        if let Some(count) = self.count
            && count != found
        {
            anyhow::bail!(
                "--count {count}: the state of --init {} has {found} agents; leave --count out",
                path.display()
            );
        }
        request.count = Some(found);
        scene.populate(&request)?;
        table.announce(path);
        let state = table.into_state(&scene);
        Ok((scene, state.with_context(|| format!("--init {}", path.display()))?))
    }
}

/// The built-in scene of that name, or the scene in that file.
pub fn read_scene(name: &str, overrides: &[String]) -> anyhow::Result<Scene> {
    if let Some(scene) = BuiltIn::named(name) {
        return Ok(Scene::parse(name, scene.text, overrides)?);
    }
    let text = match std::fs::read_to_string(name) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let hint = BuiltIn::nearest(name)
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            anyhow::bail!(
                "--scene {name}: neither a built-in scene nor a file{hint} \
                 (`flockwork scenes` lists the built-in ones)"
            )
        }
        Err(error) => return Err(error).with_context(|| format!("--scene {name}: cannot read it")),
    };
    Ok(Scene::parse(name, &text, overrides)?)
}

impl MachineArgs {
    /// Opens the engine asked for. With `auto` and no adapter it says on stderr that the CPU takes
    /// over.
    pub fn open(&self) -> anyhow::Result<Box<dyn Engine>> {
        anyhow::bail!("not built")
    }
}
