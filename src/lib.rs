//! Massive flocks on the GPU, with a CPU engine of equal rank beside it.
//!
//! A flock has a [`Scene`] (its world, species and behaviours), a [`FlockState`] (every agent at
//! one tick) and an [`Engine`] that moves it: [`CpuEngine`], or `GpuEngine` on a `Gpu`. The
//! same seed, scene and engine give the same bytes.
//!
//! ```
//! use flockwork::{CpuEngine, Engine, Error, Metrics, Request, Scene};
//!
//! // A scene as in a file of `scenes/`, and one value that is set as by `--set`.
//! let text = r#"
//!     about = "A small flock"
//!     [world]
//!     size = [600, 400]
//!     boundary = "wrap"
//!     [species.bird]
//!     count = 200
//!     max_speed = 3
//!     max_force = 0.1
//!     alignment = { radius = 50, weight = 1 }
//!     cohesion = { radius = 50, weight = 1 }
//!     separation = { radius = 25, weight = 1 }
//! "#;
//! let mut scene: Scene = text.parse()?;
//! scene.set("bird.separation.weight=1.5")?;
//! let (scene, start) = scene.populate(&Request::default())?;
//!
//! let mut engine = CpuEngine::new(None)?;
//! engine.load(&scene, &start)?;
//! engine.step(300)?;
//! let end = engine.read_back()?;
//! assert_eq!((end.tick, end.len()), (300, 200));
//!
//! let (before, after) = (Metrics::of(&scene, &start), Metrics::of(&scene, &end));
//! println!("polarisation: {:.2}, then {:.2}", before.polarisation, after.polarisation);
//! assert!(after.polarisation > before.polarisation, "they have turned the same way");
//! # Ok::<(), Error>(())
//! ```
//!
//! A flock is saved with the record of its run, and goes on exactly (feature `io`). Its scene is the
//! present one ([`Scene::fixed`]), so the flock may have been edited. The file is one that
//! `simulate --out` writes and `--init` reads; other hosts write into memory.
//!
//! ```
//! # #[cfg(feature = "io")] {
//! use std::io::Cursor;
//!
//! use flockwork::{BuiltIn, CpuEngine, Engine, Request, RunRecord, Scene, load_flock, save_flock};
//!
//! let text = BuiltIn::named("seek").expect("it is built in").text;
//! let (scene, start) = Scene::parse("seek", text)?.populate(&Request::default())?;
//!
//! let mut engine = CpuEngine::new(None)?;
//! engine.load(&scene, &start)?;
//! engine.step(100)?;
//! let half = engine.snapshot()?;
//! let fixed = scene.fixed(half.state.len() as u64);
//! let record = RunRecord::new(&fixed, &Request::default(), scene.world.size, &[]);
//! let mut file = Cursor::new(Vec::new());
//! save_flock(&mut file, record, &half.state, &half.targets)?;
//! engine.step(100)?;
//! let end = engine.snapshot()?;
//!
//! let (scene, state) = load_flock(file)?;
//! assert_eq!((state.tick, &scene.targets), (100, &half.targets));
//! engine.load(&scene, &state)?;
//! engine.step(100)?;
//! let resumed = engine.snapshot()?;
//! assert_eq!((resumed.state, resumed.targets), (end.state, end.targets));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This page has what most programs need. [`scene`] has the parts of a scene, [`host`] the flock in time and
//! the window, `pictures` cameras, painters and recorders, and [`distributed`] one flock over several
//! processes. `examples/` has complete programs.
//!
//! The features `io` (state and scene files), `gpu` (the GPU engine), `view` (pictures), `app` (the window) and `cli`
//! (the commands) are all on by default. An embedding program may need less: `default-features = false`
//! leaves the model, the CPU engine and the session, and compiles no wgpu. With the feature `mpi` the
//! processes of a distributed flock talk through MPI. A program that brings its own device takes `wgpu`
//! from here, and vectors from [`glam`].

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod commands;
mod error;
#[cfg(feature = "io")]
mod input;
#[cfg(feature = "io")]
mod scene_file;

// The layers, for the project's own tests and benchmarks. They change without notice.
#[cfg(feature = "app")]
#[doc(hidden)]
pub use flockwork_app as app;
#[doc(hidden)]
pub use flockwork_engine as engine;
#[doc(hidden)]
pub use flockwork_model as model;
#[doc(hidden)]
pub use flockwork_session as session;
#[cfg(feature = "view")]
#[doc(hidden)]
pub use flockwork_view as view;

pub use error::Error;
#[cfg(feature = "gpu")]
#[doc(inline)]
pub use flockwork_engine::gpu::{
    AdapterChoice, AgentBuffers, EngineOptions, Gpu, GpuEngine, MotionLayout,
};
#[doc(inline)]
pub use flockwork_engine::{
    AgentsAt, Change, Component, DeviceAgents, Engine, EngineError, EngineKind, HostAgents,
    PassTime, Profile, Snapshot, cpu::CpuEngine,
};
#[cfg(feature = "io")]
#[doc(inline)]
pub use flockwork_model::io::{FileError, Provenance, RunRecord, load_flock, save_flock};
#[doc(inline)]
pub use flockwork_model::scene::{
    BuiltIn, PopulateError, Request, Scene, SceneError, Species, built_in, edit_toml,
};
#[doc(inline)]
pub use flockwork_model::{
    state::FlockState,
    statistics::{Metrics, Selection, TooFast, Travel, UnknownMetric, Unwrapping},
    vector::{Point, flat},
    world::{Boundary, World},
};
#[cfg(feature = "view")]
#[doc(inline)]
pub use flockwork_view::{camera::Camera, gpu::renderer::Renderer, gpu::subject::Subject};
pub use glam;
#[cfg(feature = "io")]
pub use scene_file::load_scene;
#[cfg(feature = "gpu")]
pub use wgpu;

/// The parts of a scene.
pub mod scene {
    #[doc(inline)]
    pub use flockwork_model::behaviours::{BehaviourInfo, Body, Kind, Target};
    #[doc(inline)]
    pub use flockwork_model::kept::{KeptNames, KeptRow};
    pub use flockwork_model::memory::{Memory, Shown, ShownBy};
    #[doc(inline)]
    pub use flockwork_model::parameter::{Meaning, Parameter};
    #[doc(inline)]
    pub use flockwork_model::scene::{
        Background, BackgroundName, BoidShape, CameraKey, CameraPlan, Click, ColourBy, Follow,
        Ground, Law, Light, ObstaclePlan, OrWord, Origin, OriginalIndex, Palette, PaletteName, Rgb,
        Rule, Slot, Spawn, SpawnPlace, Start, Style, Variation, View,
    };
    #[doc(inline)]
    pub use flockwork_model::scenery::{FlowKind, FlowPlan, Obstacle, Path, Segment};
}

/// Hosts: a flock in time, with edits, undo and a past; and the window.
///
/// A host owns the loop, the clock and the files. It calls [`Session::advance`](host::Session::advance)
/// again and again, and shows the flock when the result says so.
pub mod host {
    #[cfg(feature = "app")]
    #[doc(inline)]
    pub use flockwork_app::{
        EngineFactory, Filming, Summary, WindowError, WindowHost, WindowOptions, run,
    };
    #[doc(inline)]
    pub use flockwork_session::series::Sample;
    #[doc(inline)]
    pub use flockwork_session::{
        Advance, Appearance, Clock, Counts, DEFAULT_BUDGET, Despawn, Edit, EditError, HostTime,
        Move, Opening, Parameters, RealTime, Recorded, Recording, RecordingError, Returned, Room,
        SPEEDS, SceneObject, Session, Source, SpawnBatch, SpeciesAppearance, Speed, Splice, Stops,
        TICKS_PER_SECOND, Unsaved, Watch, series::Series,
    };
}

/// Pictures: cameras, painters and recorders of films.
#[cfg(feature = "view")]
pub mod pictures {
    #[doc(inline)]
    pub use flockwork_view::camera::{Angles, Camera, Eye, Followed, Seen};
    #[doc(inline)]
    pub use flockwork_view::frame::Frame;
    #[doc(inline)]
    pub use flockwork_view::gpu::offscreen::Offscreen;
    #[doc(inline)]
    pub use flockwork_view::gpu::{
        renderer::{Method, Renderer},
        subject::Subject,
        trails::{TrailLight, TrailView},
    };
    #[doc(inline)]
    pub use flockwork_view::recorder::{
        ApngRecorder, Film, GifRecorder, Mp4Recorder, PngRecorder, RecordError, Recorder,
        SequenceRecorder, mp4::Quality, sequence::Sink,
    };
    #[doc(inline)]
    pub use flockwork_view::shapes::{Dashes, Shape, StyledShape};
    #[doc(inline)]
    pub use flockwork_view::{Layer, Motif, Painter, RasterPainter};
}

/// One flock over several processes.
pub mod distributed {
    #[doc(inline)]
    pub use flockwork_engine::distributed::{
        CpuClock, DistributedEngine, LoadBalance, RankStats, Ranks, SlabHost, ThreadRanks,
    };
    #[cfg(feature = "mpi")]
    #[doc(inline)]
    pub use flockwork_mpi::MpiRanks;
}

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
