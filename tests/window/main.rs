//! Level 5: the program in a window, with real keys and a real mouse.

#[path = "../adapter/mod.rs"]
mod adapter;
#[path = "../desktop/mod.rs"]
mod desktop;
#[path = "../png_file/mod.rs"]
mod png_file;
#[path = "../shell/mod.rs"]
mod shell;

mod closing;
mod drawing;
mod film;
mod input;
mod inspector;
mod looks;
mod metrics;
mod panel;
mod scenes;
mod space;
mod time;

use std::ops::Deref;
use std::path::PathBuf;

use desktop::{Display, Program, files};
use flockwork::model::scene::Scene;
use shell::Folder;

/// A display of this size, if there is an adapter for a window on it.
#[track_caller]
fn open_display(size: &str) -> Option<Display> {
    adapter::gpu()?;
    Display::open(size)
}

/// A display for a window in its corner, and an empty folder.
#[track_caller]
fn display_and_folder() -> Option<(Display, Folder)> {
    Some((open_display("1000x700")?, Folder::empty()))
}

/// A window on a display of its own, and its current folder.
struct Window {
    // The program is the first to go.
    program: Program,
    folder: Folder,
    display: Display,
}

impl Window {
    fn start((display, folder): (Display, Folder), arguments: &str) -> Self {
        let program = files::start(&display, &folder, arguments);
        Self { program, folder, display }
    }

    /// Starts it, and waits until it has this title.
    fn on(place: (Display, Folder), arguments: &str, title: &str) -> Self {
        let window = Self::start(place, arguments);
        window.until_title(title);
        window
    }

    fn steps(&self, steps: &[&str]) {
        files::steps(&self.display, steps);
    }

    /// Presses a key that saves something. Returns the new file.
    fn new_file(&self, key: &str) -> PathBuf {
        files::new_file(&self.display, &self.folder, key)
    }

    /// Saves the scene and returns the new file's text.
    fn saved(&self) -> String {
        files::saved(&self.display, &self.folder)
    }

    fn title(&self) -> String {
        self.display.title(&self.program)
    }

    fn until_title(&self, part: &str) {
        self.display.until_title(&self.program, part);
    }

    #[cfg(target_os = "linux")]
    fn drop_file(&self, path: &std::path::Path) {
        self.display.drop_file(&self.program, path);
    }

    /// Closes it with a key; the program ends well.
    fn ends(self) -> (Display, Folder) {
        files::ends(&self.display, self.program);
        (self.display, self.folder)
    }
}

impl Deref for Window {
    type Target = Display;

    fn deref(&self) -> &Display {
        &self.display
    }
}

/// A window that shows a scene and has this title.
#[track_caller]
fn window(scene: &str, title: &str) -> Option<Window> {
    Some(Window::on(display_and_folder()?, &format!("--scene {scene}"), title))
}

/// The same of a scene file with this text.
#[track_caller]
fn window_of(file: &str, text: &str, title: &str) -> Option<Window> {
    let (display, folder) = display_and_folder()?;
    folder.write(file, text);
    Some(Window::on((display, folder), &format!("--scene {file}"), title))
}

/// The scene of a file that was saved.
#[track_caller]
fn scene(text: &str) -> Scene {
    Scene::parse("saved", text).unwrap()
}

/// A window that shows the scene `walls`.
#[track_caller]
fn walls() -> Option<Window> {
    window("walls", "20 agents")
}
