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
