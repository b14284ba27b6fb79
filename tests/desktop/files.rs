//! A window whose files go to a folder of the test.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Display, Program, Shot, flockwork, wait};

/// Size of the window; it is in the corner of the screen.
pub const SIZE: (i64, i64) = (900, 600);

/// A window on `display` with its current folder in `folder`, and the flock on the CPU engine.
pub fn start(display: &Display, folder: &Path, arguments: &str) -> Program {
    start_on("cpu", display, folder, arguments)
}

/// The same on an engine.
pub fn start_on(engine: &str, display: &Display, folder: &Path, arguments: &str) -> Program {
    let (width, height) = SIZE;
    let line = format!("run --engine {engine} --size {width}x{height} {arguments}");
    let mut command = flockwork(&line);
    command.current_dir(folder);
    display.open_window(command)
}

/// Closes the window with a key; the program ends well. Returns stdout and stderr.
pub fn ends(display: &Display, program: Program) -> (String, String) {
    display.xdotool("key ctrl+q");
    let (code, out, err) = program.end();
    assert_eq!(code, Some(0), "{err}");
    (out, err)
}

/// Gives the window the time to lay out a few frames, also beside other programs: what a key opens takes the next keys.
pub fn settle() {
    std::thread::sleep(Duration::from_millis(300));
}

/// True when a notice is shown: its words have a colour of their own. Below the world there are no
/// agents that could have it too.
pub fn notice(shot: &Shot) -> bool {
    shot.notices(556..600) > 20
}

/// The files in a folder. One that is not complete, with a dot in front of its name, is left out.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let complete = |path: &PathBuf| !path.file_name().unwrap().to_str().unwrap().starts_with('.');
    all.filter(complete).collect()
}

/// Presses a key that saves something. Returns the new file.
pub fn new_file(display: &Display, folder: &Path, key: &str) -> PathBuf {
    let before = files(folder);
    display.xdotool(&format!("key {key}"));
    let is_new = |path: &PathBuf| !before.contains(path);
    wait(|| "nothing was saved".into(), || files(folder).into_iter().find(is_new))
}

/// Saves the scene and returns the new file's text.
pub fn saved(display: &Display, folder: &Path) -> String {
    fs::read_to_string(new_file(display, folder, "ctrl+s")).unwrap()
}

/// Each step has its own frames: egui knows what is under the mouse from the frame before.
pub fn steps(display: &Display, steps: &[&str]) {
    for step in steps {
        display.xdotool(step);
        settle();
    }
}
