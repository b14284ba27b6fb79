//! The commands of the program, one file each. They are clients of the layers below.

pub mod adapters;
mod beginning;
pub mod bench;
pub mod capture;
mod capture_output;
mod checkpoint;
mod drive;
mod figures;
mod filming;
mod flow_file;
pub mod headroom;
mod input;
pub mod interrupt;
mod kept;
pub mod messages;
pub mod options;
pub mod output;
mod output_folder;
mod progress;
pub mod ranks;
#[cfg(feature = "app")]
mod replay;
pub mod run;
pub mod scenes;
pub mod simulate;
mod simulate_output;
pub mod state_file;
mod temporary;
pub mod usage;
#[cfg(feature = "app")]
mod window_film;
mod window_host;
