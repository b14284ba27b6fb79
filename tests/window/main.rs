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

use std::fs;

use desktop::files::start;
use desktop::{Display, Program};
use tempfile::TempDir;

/// A display of this size, if there is an adapter for a window on it.
#[track_caller]
fn open_display(size: &str) -> Option<Display> {
    adapter::gpu()?;
    Display::open(size)
}

/// A display for a window in its corner, and an empty folder.
#[track_caller]
fn display_and_folder() -> Option<(Display, TempDir)> {
    Some((open_display("1000x700")?, tempfile::tempdir().unwrap()))
}

/// A display with a window that shows a scene and has this title, and the window's current folder.
#[track_caller]
fn window(scene: &str, title: &str) -> Option<(Display, TempDir, Program)> {
    let (display, folder) = display_and_folder()?;
    let program = start(&display, folder.path(), &format!("--scene {scene}"));
    display.until_title(&program, title);
    Some((display, folder, program))
}

/// The same of a scene file with this text.
#[track_caller]
fn window_of(file: &str, text: &str, title: &str) -> Option<(Display, TempDir, Program)> {
    let (display, folder) = display_and_folder()?;
    fs::write(folder.path().join(file), text).unwrap();
    let program = start(&display, folder.path(), &format!("--scene {file}"));
    display.until_title(&program, title);
    Some((display, folder, program))
}

/// A window that shows the scene `walls`.
#[track_caller]
fn walls() -> Option<(Display, TempDir, Program)> {
    window("walls", "20 agents")
}
