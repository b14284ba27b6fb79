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
//! let start = scene.populate(&Request::default())?;
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
//! A flock is saved with the record of its run, and goes on exactly (feature `io`). The file is one that
//! `simulate --out` writes and `--init` reads; other hosts write into memory.
//!
//! ```
//! # #[cfg(feature = "io")] {
//! use std::io::Cursor;
//!
//! use flockwork::{BuiltIn, CpuEngine, Engine, Request, RunRecord, Scene, load_flock, save_flock};
//!
//! let text = BuiltIn::named("seek").expect("it is built in").text;
//! let plain = Scene::parse("seek", text, &[])?;
//! let (mut scene, request) = (plain.clone(), Request::default());
//! let start = scene.populate(&request)?;
//! let record = RunRecord::new(&plain, &request, scene.world.size, &[]);
//!
//! let mut engine = CpuEngine::new(None)?;
//! engine.load(&scene, &start)?;
//! engine.step(100)?;
//! let half = engine.snapshot()?;
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
//! Each layer uses only those before it: [`model`] (the flock), [`engine`] (its motion), `view`
//! (its looks), [`session`] (one flock in time), `app` (the window), `commands` (the program's
//! commands). The features `io`, `gpu`, `view`, `app` and `cli`, all on by default, add state
//! files, the GPU engine, the view, the window and the commands. An embedding program may need less:
//! `default-features = false` leaves the model, the CPU engine and the session, and compiles no wgpu.
//! [`engine::distributed`] moves one flock over several processes; with the feature `mpi` they talk
//! through MPI. `examples/` has complete programs.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

#[cfg(feature = "cli")]
pub mod commands;
mod error;

#[cfg(feature = "app")]
pub use flockwork_app as app;
pub use flockwork_engine as engine;
pub use flockwork_model as model;
pub use flockwork_session as session;
#[cfg(feature = "view")]
pub use flockwork_view as view;

pub use engine::cpu::CpuEngine;
#[cfg(feature = "gpu")]
pub use engine::gpu::{AdapterChoice, Gpu, GpuEngine};
pub use engine::{Change, Engine, EngineError, EngineKind, Snapshot};
pub use error::Error;
#[cfg(feature = "io")]
pub use model::io::{FileError, RunRecord, load_flock, save_flock};
pub use model::scene::{
    BuiltIn, PopulateError, Request, Scene, SceneError, Species, built_in, edit_toml,
};
pub use model::state::FlockState;
pub use model::statistics::Metrics;
pub use model::vector::Point;
pub use model::world::{Boundary, World};
#[cfg(feature = "view")]
pub use view::{Painter, RasterPainter, camera::Camera, frame::Frame, gpu::renderer::Renderer};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
