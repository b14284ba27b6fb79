//! The model of a flock: scenes, species, behaviours, state, statistics and random numbers.
//!
//! Nothing here uses a GPU, a window, a file or a clock.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

pub mod behaviours;
pub mod formula;
pub mod grid;
#[cfg(feature = "io")]
pub mod io;
pub mod kept;
pub mod memory;
mod named;
pub mod parallel;
pub mod parameter;
mod plane;
pub mod quote;
pub mod random;
pub mod real;
pub mod scene;
pub mod scenery;
mod space;
pub mod state;
pub mod statistics;
pub mod toml_words;
pub mod vector;
pub mod world;
