//! The commands and their files.

#[path = "../adapter/mod.rs"]
mod adapter;
#[path = "../common/mod.rs"]
mod common;
#[path = "../desktop/mod.rs"]
mod desktop;
#[path = "../png_file/mod.rs"]
mod png_file;
#[cfg(target_os = "linux")]
#[path = "../process/mod.rs"]
mod process;
#[path = "../shell/mod.rs"]
mod shell;

mod archives;
mod bad_input;
mod bench;
mod bench_json;
mod checkpoints;
mod hostile_files;
mod hysteresis;
mod many_machines;
mod metrics;
mod outputs;
mod points;
mod readme;
mod records;
mod resume_files;
mod signals;
mod state_files;
mod sweep;
mod unwrapping;
mod without_display;
mod written;
