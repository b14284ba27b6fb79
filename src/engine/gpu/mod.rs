//! The GPU engine: compute passes through wgpu.

pub mod device;

pub use device::{AdapterChoice, Gpu};
