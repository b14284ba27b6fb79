//! The commands of the program, one file each. They are clients of the layers below.

pub mod adapters;
pub mod bench;
pub mod capture;
mod charts;
pub mod cli;
pub mod files;
pub mod host;
pub mod program;
pub mod run;
pub mod scenes;
pub mod simulate;
pub mod sweep;
