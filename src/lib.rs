//! Massive flocks on the GPU, with a CPU engine of equal rank beside it.
//!
//! The layers, each using only those before it: [`model`] (what a flock is), [`engine`] (how it
//! moves), [`view`] (what it looks like), [`session`] (one flock in time), [`app`] (the window),
//! [`commands`] (what the program does).

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

pub mod app;
pub mod commands;
pub mod engine;
pub mod model;
pub mod session;
pub mod view;
