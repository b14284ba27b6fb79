//! The engines: levels 0 to 4.

#[path = "../adapter/mod.rs"]
mod adapter;
#[path = "../common/mod.rs"]
mod common;
#[cfg(target_os = "linux")]
#[path = "../compilers/mod.rs"]
mod compilers;

#[cfg(target_os = "linux")]
mod amd;
mod bodies;
mod broken_forces;
mod courses;
mod cpu_engine;
mod cpu_order;
mod embedding;
mod everybody;
mod formulas;
mod gpu_engine;
mod gpu_passes;
mod gpu_runs;
mod kept;
mod limits;
mod members;
mod nearest;
mod new_behaviour;
mod no_waiting;
mod pick;
mod ranks;
mod ranks_gpu;
mod resume;
mod rule_values;
mod rules_in_text;
mod scenes;
mod shaders;
mod shown;
mod snapshots;
mod traits;
mod updates;
