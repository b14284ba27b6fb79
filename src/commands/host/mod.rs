//! Commands as hosts of a session: options, the loop, messages, signals and ranks.

pub mod arg_parsers;
pub(crate) mod beginning;
pub mod drive;
pub mod errors;
pub(crate) mod filming;
pub mod interrupt;
pub mod memory_check;
pub mod messages;
pub mod options;
pub(crate) mod progress;
pub mod ranks;
pub(crate) mod replay;
mod window_film;
pub(crate) mod window_host;
pub mod windowless;
