//! The commands of the program, one file each. They are clients of the layers below.

pub mod adapters;
mod beginning;
pub mod bench;
pub mod capture;
mod capture_output;
mod checkpoint;
mod drive;
pub mod errors;
mod figures;
mod filming;
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
mod replay;
pub mod run;
mod scene_files;
pub mod scenes;
pub mod simulate;
mod simulate_output;
pub mod state_file;
mod temporary;
pub mod usage;
#[cfg(feature = "app")]
mod window_film;
mod window_host;
