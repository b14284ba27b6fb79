//! Massive flocks on the GPU, with a CPU engine of equal rank beside it.
//!
//! The layers, each using only those before it: [`model`] (what a flock is), [`engine`] (how it
//! moves), [`view`] (how it is seen), [`commands`] (what the program does).

pub mod commands;
pub mod engine;
pub mod model;
pub mod view;
