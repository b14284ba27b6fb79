//! The window as a page in a browser: the same flock, panels and keys as the program's.
//!
//! [`link`] reads the part of an address behind `#`, which names the flock. All else needs a page.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

pub mod link;

#[cfg(target_family = "wasm")]
mod device;
#[cfg(target_family = "wasm")]
mod headless;
#[cfg(target_family = "wasm")]
mod page;
#[cfg(target_family = "wasm")]
mod page_files;
#[cfg(target_family = "wasm")]
mod page_film;
#[cfg(target_family = "wasm")]
mod script;
#[cfg(target_family = "wasm")]
mod without_gpu;
