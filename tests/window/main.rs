//! Level 5: the program in a window, with real keys and a real mouse.

#[path = "../adapter/mod.rs"]
mod adapter;
#[path = "../desktop/mod.rs"]
mod desktop;
#[path = "../png_file/mod.rs"]
mod png_file;

mod closing;
mod drawing;
mod figures;
mod film;
mod input;
mod inspector;
mod looks;
mod panel;
mod scenes;
mod space;
mod time;

use desktop::{Display, Program};
use tempfile::TempDir;

/// A display of this size, if there is an adapter for a window on it.
#[track_caller]
fn open_display(size: &str) -> Option<Display> {
    adapter::gpu()?;
    Display::open(size)
}

/// [`desktop::files::walls`], if there is an adapter.
#[track_caller]
fn walls() -> Option<(Display, TempDir, Program)> {
    adapter::gpu()?;
    desktop::files::walls()
}
