//! Options that several commands share: which flock, on what machine, how large a picture.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::arg_parsers::{Size, count, density, scene_name, whole};
use super::errors::wrong;
use super::memory_check;
use super::messages::{note, tell};
use super::ranks;
use crate::commands::files::checkpoints;
use crate::commands::files::scene_files::{
    asked_text, populate, requested, run_in, scene_error, tell_idle,
};
use crate::commands::files::state_files;
use crate::input::hash_of;
use crate::scene_file::load_flow;
use flockwork_engine::cpu::CpuEngine;
use flockwork_engine::gpu::{AdapterChoice, Gpu, GpuEngine, adapter_for, device};
use flockwork_engine::{Engine, EngineError, EngineKind};
use flockwork_model::io::{RunRecord, StateTable};
use flockwork_model::scene::{Request, Scene};
use flockwork_model::state::FlockState;
use flockwork_view::words::counted;

/// Which flock.
#[derive(Clone, Debug, Default, Args)]
pub struct FlockArgs {
    /// A built-in scene, or the path of a scene file [default: flock, with 3000 agents]
    #[arg(long, value_name = "NAME|FILE", value_parser = scene_name())]
    pub scene: Option<String>,
    /// Number of agents [default: the scene's; 3000 without --scene]
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub count: Option<u64>,
    /// Seed of the random numbers [default: the scene's]
    #[arg(long, value_name = "S", value_parser = whole::<u32>(0..=u32::MAX.into()), allow_negative_numbers = true)]
    pub seed: Option<u32>,
    /// Mean number of neighbours within the largest radius; sizes the world [default: the scene's]
    #[arg(long, value_name = "K", value_parser = density, allow_negative_numbers = true)]
    pub density: Option<f32>,
    /// Override a scene key, for example --set starling.separation.weight=2; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Go on from the last tick of an .npz file that `simulate` wrote, in its scene, or from the latest
    /// checkpoint in a folder; other options override the scene, and --scene replaces it. A CSV file has
    /// places, velocities and states of rules alone and needs --scene
    #[arg(long, value_name = "STATE.csv|.npz|DIR")]
    pub init: Option<PathBuf>,
    /// The text of the scene once it is read: a pipe gives it only once.
    #[arg(skip)]
    pub text: OnceLock<String>,
}

/// On what.
#[derive(Clone, Debug, Args)]
pub struct MachineArgs {
    /// Engine to run on
    #[arg(long, value_enum, default_value_t = EngineArg::Auto)]
    pub engine: EngineArg,
    /// GPU to use: part of its name, or its number in `flockwork adapters`
    #[arg(long, value_name = "NAME|INDEX")]
    pub adapter: Option<AdapterChoice>,
    /// Threads of the CPU engine [default: one per core]
    #[arg(long, value_name = "T", value_parser = whole::<u32>(1..=4096), allow_negative_numbers = true)]
    pub threads: Option<u32>,
}

/// The scene when the command line names none.
pub const DEFAULT_SCENE: &str = "flock";

/// Number of agents of that scene then. The scene's own 120 start from one point and fly off as one
/// swarm of one colour. 3000 start all over the world and form flocks of all headings.
const DEFAULT_COUNT: u64 = 3000;

/// The values of `--engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// The GPU if it is hardware or --adapter names it, else the CPU
    Auto,
    /// The GPU
    Gpu,
    /// The CPU
    Cpu,
}

impl FlockArgs {
    /// Reads the scene, scales it and makes (or reads) the first state.
    ///
    /// A file of `--init` that describes its run brings the scene with it. Else the world is sized for
    /// the number of agents in the file, as in the run that wrote it. A count that does not fit
    /// `engine` is refused before anything is allocated for it.
    pub fn prepare(&self, engine: Option<&dyn Engine>) -> anyhow::Result<Prepared> {
        tell_idle(&self.overrides, self.density.is_some(), self.seed.is_some());
        match &self.init {
            Some(path) => self.resume(&checkpoints::latest(path)?, engine),
            None => self.begin(engine),
        }
    }

    /// The scene before it is scaled.
    pub fn unscaled(&self) -> anyhow::Result<Scene> {
        let Some(path) = &self.init else { return Ok(self.read()?.0) };
        let path = checkpoints::latest(path)?;
        let table = state_files::read_table(&path, self.scene.is_none(), ranks::own_part())?;
        Ok(self.scene_of(&path, &table)?.0)
    }

    /// The overrides that give a plane's world the shape of a picture and keep its area. Fails where things have
    /// places in the world.
    pub fn world_in_shape(&self, picture: Size) -> anyhow::Result<Vec<String>> {
        if self.init.is_some() {
            let problem = "the world of --init stays as it is; leave one of the two out";
            return Err(wrong(format!("--fit frame: {problem}")));
        }
        let (mut scene, request, _) = self.plan()?;
        let camera = &scene.camera;
        let placed = scene.targets.len() > 1
            || !scene.paths.is_empty()
            || scene.obstacle_plans.iter().any(|plan| plan.position.is_some())
            || scene.species.iter().any(|own| own.spawn.at.or(own.spawn_at_scale.at).is_some())
            || camera.centre.is_some()
            || camera.keys.iter().any(|key| key.centre.is_some());
        let problem = if !scene.world.is_flat() {
            "a space is seen in perspective; move the camera with --set camera.zoom"
        } else if placed {
            "targets, obstacles, paths, starts or the camera have their places in this world; show a part of it \
             with --view"
        } else {
            scene.resize(&request)?;
            let area = scene.world.size.x * scene.world.size.y;
            let wanted = picture.width as f32 / picture.height as f32;
            let side = |square: f32| (100.0 * square.sqrt()).round() / 100.0;
            let (width, height) = (side(area * wanted), side(area / wanted));
            let mut sets = vec![format!("world.size=[{width},{height}]")];
            sets.extend(scene.is_overridden("world.grows").then(|| "world.grows=false".into()));
            return Ok(sets);
        };
        Err(wrong(format!("--fit frame: {problem}")))
    }

    /// The scene without `--init`, before it is scaled to the request; and the record that brought it.
    fn plan(&self) -> anyhow::Result<(Scene, Request, Option<RunRecord>)> {
        let (plain, run) = self.read()?;
        let asked = Request { count: self.count, density: self.density, seed: self.seed };
        let mut request = requested(asked, &plain, run.as_ref());
        if self.scene.is_none() {
            request.count.get_or_insert(DEFAULT_COUNT);
        }
        Ok((plain, request, run))
    }

    /// The record of the run, and the tick at which it begins.
    pub fn record(&self) -> anyhow::Result<(RunRecord, u64)> {
        let ((plain, request, run), tick) = match &self.init {
            Some(path) => {
                let (table, plain, request, run) = self.plan_from(&checkpoints::latest(path)?)?;
                ((plain, request, run), table.ticks.last)
            }
            None => (self.plan()?, 0),
        };
        let mut scene = plain.clone();
        scene.resize(&request)?;
        let overrides = self.all_overrides(run.as_ref());
        Ok((RunRecord::new(&plain, &request, scene.world.size, &overrides), tick))
    }

    /// The scene's own first state.
    fn begin(&self, engine: Option<&dyn Engine>) -> anyhow::Result<Prepared> {
        let (plain, request, run) = self.plan()?;
        if let Some(from) = run.as_ref().and_then(|run| run.made.as_ref()?.from.as_ref()) {
            // A session, or the run before in a sweep, is no state file.
            let is_state = !from.ends_with(".toml");
            let remedy =
                if is_state { format!("; --init {from} begins there") } else { String::new() };
            let place = format!("--scene {}", self.scene_name());
            note(&format!("{place}: its run began with {from}, this one with the scene{remedy}"));
        }
        let count = request.count.unwrap_or(plain.own_count());
        let (scene, state) = populate(&plain, &request, engine)?;
        let overrides = self.all_overrides(run.as_ref());
        let (written, from, file) = (run.map(|run| run.scene), None, String::new());
        Ok(Prepared { scene, state, agents: count, written, from, plain, request, overrides, file })
    }

    /// The state in a file.
    fn resume(&self, path: &Path, engine: Option<&dyn Engine>) -> anyhow::Result<Prepared> {
        let place = || format!("--init {}", path.display());
        let (table, plain, request, run) = self.plan_from(path)?;
        let found = table.ticks.rows;
        memory_check::check(&plain, &request, engine)?;
        let mut scene = plain.clone();
        scene.resize(&request)?;
        table.restore_targets(&mut scene, &plain).with_context(place)?;
        let mut notices = state_files::start_notices(path, &table, &scene);
        if let Some(unsaid) = table.run.as_ref().map(RunRecord::unsaid).transpose()?.flatten() {
            notices.push(format!("{}: {unsaid}", place()));
        }
        let written = run.as_ref().map(|run| run.scene(&[])).transpose().with_context(place)?;
        // As people would write it: without the keys that have their defaults.
        let written = written.map(|scene| scene.to_toml());
        let overrides = self.all_overrides(run.as_ref());
        let state = table.into_state(&scene).with_context(place)?;
        let hash = ranks::ranks().map(|_| hash_of(path)).transpose().with_context(place)?;
        notices.iter().for_each(|sentence| note(sentence));
        let file = hash.map_or_else(String::new, |hash| format!("{} with hash {hash:x}", place()));
        let from = run.and_then(|run| run.made?.from);
        Ok(Prepared { scene, state, agents: found, written, from, plain, request, overrides, file })
    }

    /// A state file whose agents have the species of the scene; the scene before it is scaled to the request; and the
    /// record that brought it.
    fn plan_from(
        &self,
        path: &Path,
    ) -> anyhow::Result<(StateTable, Scene, Request, Option<RunRecord>)> {
        let place = || format!("--init {}", path.display());
        let mut table = state_files::read_table(path, self.scene.is_none(), ranks::own_part())?;
        let found = table.ticks.rows;
        let idle = |option: String, remedy: &str| {
            let (place, agents) = (place(), counted(found, "agent"));
            wrong(format!("{option}: the file of {place} has {agents}; leave {remedy} out"))
        };
        if let Some(count) = self.count.filter(|count| *count != found) {
            return Err(idle(format!("--count {count}"), "--count"));
        }
        let (mut plain, run) = self.scene_of(path, &table)?;
        let asked = Request { count: Some(found), density: self.density, seed: self.seed };
        let request = requested(asked, &plain, run.as_ref());
        if let Some(run) = &run {
            let written = run.scene(&[]).with_context(place)?;
            table.number_species(Some(&written), &plain).with_context(place)?;
            // The counts of the run size its world.
            if let Some((name, count)) = plain.keep_counts(&written) {
                return Err(idle(format!("--set {name}.count={count}"), "it"));
            }
        } else {
            table.number_species(None, &plain).with_context(place)?;
        }
        if table.restore_flow(&mut plain).with_context(place)? {
            load_flow(&mut plain, Path::new(""))?;
        }
        Ok((table, plain, request, run))
    }

    /// The scene of a state file, before it is scaled; and the record that brought it.
    fn scene_of(
        &self,
        path: &Path,
        table: &StateTable,
    ) -> anyhow::Result<(Scene, Option<RunRecord>)> {
        let place = || format!("--init {}", path.display());
        match &table.run {
            None if self.scene.is_none() => Err(wrong(format!(
                "{}: the file does not say which scene it belongs to; name it with --scene NAME, or \
                 with the record beside the file (--scene NAME.run.toml)",
                place()
            ))),
            Some(run) => {
                let scene = run.scene(&self.overrides).map_err(scene_error).with_context(place)?;
                Ok((scene, Some(run.clone())))
            }
            None => self.read(),
        }
    }

    /// The scene as it is written, with its overrides; and the record that brought it.
    pub fn read(&self) -> anyhow::Result<(Scene, Option<RunRecord>)> {
        run_in(self.scene_name(), self.read_text()?, &self.overrides)
    }

    /// Reads the text of `--scene`. Call it before signals are watched: a pipe may never give it, and the first
    /// Ctrl-C must end the program then.
    pub fn read_ahead(&self) -> anyhow::Result<()> {
        self.scene.as_ref().map_or(Ok(()), |_| self.read_text().map(drop))
    }

    /// The text of the scene, which is read once.
    pub fn read_text(&self) -> anyhow::Result<&str> {
        if let Some(text) = self.text.get() {
            return Ok(text);
        }
        let text = asked_text(self.scene_name())?;
        Ok(self.text.get_or_init(|| text))
    }

    /// The overrides of a recorded run and of this one.
    fn all_overrides(&self, run: Option<&RunRecord>) -> Vec<String> {
        let earlier = run.and_then(|run| run.made.as_ref()).map(|made| made.overrides.clone());
        earlier.into_iter().flatten().chain(self.overrides.clone()).collect()
    }

    /// The built-in scene or the file.
    pub fn scene_name(&self) -> &str {
        self.scene.as_deref().unwrap_or(DEFAULT_SCENE)
    }
}

/// A flock that can start.
#[derive(Debug)]
pub struct Prepared {
    /// The scene, scaled to the number of agents, with its targets where they are.
    pub scene: Scene,
    /// The first state; of several ranks, the part of this one.
    pub state: FlockState,
    /// Number of agents of all ranks.
    pub agents: u64,
    /// The scene file that a state file or a record has brought.
    pub written: Option<String>,
    /// The file with which the run of a state file began.
    pub from: Option<String>,
    /// The scene before it was scaled.
    plain: Scene,
    /// The request that it was scaled to.
    pub request: Request,
    overrides: Vec<String>,
    /// The file of the first state and its hash, if several ranks must have read the same.
    file: String,
}

impl Prepared {
    /// The record in the files of the run.
    pub fn record(&self) -> RunRecord {
        RunRecord::new(&self.plain, &self.request, self.scene.world.size, &self.overrides)
    }

    /// Fails on every rank unless all have the same scene and read the same state.
    pub fn compare(&self) -> anyhow::Result<()> {
        let Self { state, agents, file, .. } = self;
        let text =
            format!("tick {}\n{agents} agents\n{file}\n{}", state.tick, self.record().digest());
        ranks::same("the flock", &text)
    }
}

/// An engine, and its device if it runs on one.
pub struct Machine {
    /// The engine that moves the flock.
    pub engine: Box<dyn Engine>,
    /// The device that can draw the flock without copying it to the host.
    pub gpu: Option<Arc<Gpu>>,
}

impl MachineArgs {
    /// Opens the engine that the user asked for. When `auto` falls back to the CPU, it says so on
    /// stderr.
    pub fn open(&self) -> anyhow::Result<Machine> {
        if ranks::ranks().is_some() {
            return self.open_on_ranks();
        }
        if self.engine == EngineArg::Cpu {
            return self.on_cpu();
        }
        let chooses = self.chooses_by_itself();
        if let Some(software) = device::only_software().filter(|_| chooses) {
            let machine = self.on_cpu()?;
            tell(&software_notice(&software, &machine.engine.describe()));
            return Ok(machine);
        }
        match Gpu::open(&self.adapter.clone().unwrap_or_default()) {
            Ok(gpu) => Ok(self.on_gpu(gpu)),
            Err(EngineError::NoAdapter(why)) if chooses => {
                let machine = self.on_cpu()?;
                tell(&format!("{why}. Using the CPU engine ({}).", machine.engine.describe()));
                Ok(machine)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn on_gpu(&self, gpu: Arc<Gpu>) -> Machine {
        if self.threads.is_some() {
            note("--threads has no effect on the GPU engine");
        }
        let engine = ranks::engine(GpuEngine::new(Arc::clone(&gpu)));
        Machine { engine, gpu: Some(gpu) }
    }

    fn on_cpu(&self) -> anyhow::Result<Machine> {
        if self.adapter.is_some() {
            note("--adapter has no effect on the CPU engine");
        }
        Ok(Machine { engine: ranks::engine(self.cpu_engine()?), gpu: None })
    }

    /// [`MachineArgs::open`] for one of several ranks. All of them run one kind of engine.
    fn open_on_ranks(&self) -> anyhow::Result<Machine> {
        let lacks = || device::adapters(&device::instance()).is_empty();
        let by_itself = self.chooses_by_itself();
        let without = by_itself && (device::only_software().is_some() || lacks());
        // One rank without a GPU is enough.
        if self.engine == EngineArg::Cpu || (by_itself && ranks::any(without)) {
            return self.on_cpu();
        }
        let adapter = self.adapter.clone().unwrap_or_else(|| adapter_for(ranks::local_rank()));
        Ok(self.on_gpu(Gpu::open(&adapter)?))
    }

    /// True when the user has named neither engine nor adapter. A named adapter is used even if it
    /// is software.
    fn chooses_by_itself(&self) -> bool {
        self.engine == EngineArg::Auto && self.adapter.is_none()
    }

    /// True when the flock goes to a GPU if there is one, so that it must fit there.
    pub fn wants_gpu(&self) -> bool {
        match self.engine {
            EngineArg::Gpu => true,
            EngineArg::Cpu => false,
            EngineArg::Auto => !self.chooses_by_itself() || device::only_software().is_none(),
        }
    }

    /// Chooses the engine for a window that `gpu` draws in. When `auto` falls back to the CPU, it
    /// says so on stderr.
    pub fn kind_for_window(&self, gpu: &Gpu) -> Result<EngineKind, EngineError> {
        match self.engine {
            EngineArg::Cpu => Ok(EngineKind::Cpu),
            EngineArg::Auto if self.chooses_by_itself() && gpu.is_software() => {
                tell(&software_notice(&gpu.name(), &self.cpu_engine()?.describe()));
                Ok(EngineKind::Cpu)
            }
            EngineArg::Auto | EngineArg::Gpu => Ok(EngineKind::Gpu),
        }
    }

    /// The CPU engine with the number of threads that the user asked for.
    pub fn cpu_engine(&self) -> Result<CpuEngine, EngineError> {
        CpuEngine::new(self.threads.map(|t| t as usize))
    }
}

/// Says why the only adapter is not used, and how to use it anyway.
fn software_notice(adapter: &str, engine: &str) -> String {
    format!(
        "the only GPU adapter, {adapter}, is software: using the CPU engine ({engine}), which is \
         faster; --engine gpu uses the adapter instead"
    )
}
