//! The files that commands read and write. Those that they write appear only when complete.

pub(crate) mod capture_output;
pub(crate) mod checkpoints;
pub(crate) mod kept_sessions;
pub(crate) mod metrics_file;
pub mod output;
pub(crate) mod output_folder;
pub(crate) mod point_files;
pub mod scene_files;
pub mod state_files;
mod temp_files;
