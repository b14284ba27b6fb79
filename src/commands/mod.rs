//! What the program does: one file a command, clients of the layers below.

pub mod adapters;
pub mod bench;
pub mod capture;
pub mod options;
pub mod run;
pub mod scenes;
pub mod simulate;
