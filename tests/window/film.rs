//! Level 5: films of the window, started and ended with real keys.

use crate::desktop::{self, wait};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::desktop::files::{SIZE, ends, files, notice, start, steps};
use crate::shell::Folder;
use crate::{display_and_folder, open_display};
use flockwork::view::recorder::mp4;

const FLOCK: &str = "--scene flock --count 60 --seed 3";

/// Waits until there is a film.
fn film_in(folder: &Path) -> PathBuf {
    wait(|| "no film appears".into(), || files(folder).pop())
}

/// Width, height and number of frames of an APNG.
fn measure(film: &Path) -> (i64, i64, u32) {
    let file = std::io::BufReader::new(fs::File::open(film).unwrap());
    let reader = png::Decoder::new(file).read_info().unwrap();
    let info = reader.info();
    let frames = info.animation_control().unwrap().num_frames;
    (info.width.into(), info.height.into(), frames)
}

/// The program without ffmpeg, in a folder. `before` runs in a shell first.
fn without_ffmpeg(folder: &Path, before: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    let program = env!("CARGO_BIN_EXE_flockwork");
    let (width, height) = SIZE;
    let line = format!("{before} exec {program} run --engine cpu --size {width}x{height} {FLOCK}");
    command.args(["-c", &line]).env("PATH", "/nonexistent").current_dir(folder);
    for variable in ["WAYLAND_DISPLAY", "HOME", "XDG_STATE_HOME"] {
        command.env_remove(variable);
    }
    command
}

#[test]
fn a_key_starts_and_ends_a_film() {
    let Some((display, folder)) = display_and_folder() else { return };
    let program = display.open_window(without_ffmpeg(&folder, ""));
    display.until("a flock", |s| s.darts(300..900, 0..600).len() > 50);
    // The red mark is shown while the film is under way.
    let marked = |s: &desktop::Shot| s.darts(800..900, 5..35).len() > 10;
    display.xdotool("key F9");
    display.until("the mark of a film", marked);
    // The film keeps the size that it began with.
    display.xdotool(&format!("windowsize {} 700 500", program.window));
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(files(&folder), [""; 0].map(PathBuf::from), "a film that is not complete");
    display.xdotool("key F9");
    let film = film_in(&folder);
    let name = film.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("flock-tick") && name.ends_with(".apng"), "{name}");
    let (width, height, frames) = measure(&film);
    assert!((width, height) == SIZE && frames > 2, "{width} × {height}, {frames} frames");
    fs::remove_file(film).unwrap();

    // Every second tick is a frame.
    steps(&display, &["key shift+F9", "key space"]);
    display.xdotool("key shift+F9");
    assert!(measure(&film_in(&folder)).2 > 0);
    ends(&display, program);
}

#[test]
fn a_window_that_closes_completes_its_film() {
    let Some((display, folder)) = display_and_folder() else { return };
    let program = start(&display, &folder, FLOCK);
    display.until("a flock", |s| s.darts(300..900, 0..600).len() > 50);
    display.xdotool("key F9");
    std::thread::sleep(Duration::from_secs(2));
    let (_, err) = ends(&display, program);
    let films = files(&folder);
    let name = films[0].file_name().unwrap().to_str().unwrap();
    assert!(films.len() == 1 && err.contains(&format!("saved: {name}")), "{films:?}: {err}");
    assert_eq!(name.ends_with(".mp4"), mp4::check().is_ok(), "{name}");
    assert!(fs::metadata(&films[0]).unwrap().len() > 1000);
}

/// The notice that a film has begun is narrower than this, and the reason why there is none is wider;
/// pixels.
const FILMING: u32 = 240;

/// Width of the notice in its own colour.
fn width_of_notice(shot: &desktop::Shot) -> u32 {
    let lit = |x: &u32| (556..600).any(|y| shot.0.rgb(*x, y) == Some([255, 190, 90]));
    let columns: Vec<u32> = (0..900).filter(lit).collect();
    columns.last().unwrap_or(&0) - columns.first().unwrap_or(&0)
}

#[test]
fn a_film_that_cannot_be_written_is_one_sentence() {
    let Some(display) = open_display("1000x700") else { return };
    // A disk without room, and a folder that is gone.
    for before in ["ulimit -f 30;", ""] {
        let folder = Folder::empty();
        let program = display.open_window(without_ffmpeg(&folder, before));
        display.until("a flock", |s| s.darts(300..900, 0..600).len() > 50);
        let path = folder.to_path_buf();
        if before.is_empty() {
            drop(folder);
        }
        display.xdotool("key F9");
        // First it says that it films, if it does.
        let marked = |s: &desktop::Shot| s.darts(800..900, 5..35).len() > 10;
        let sentence = |s: &desktop::Shot| notice(s) && width_of_notice(s) > FILMING;
        display.until("why there is no film", |s| sentence(s) && !marked(s));
        let left = fs::read_dir(&path).map_or(0, Iterator::count);
        assert_eq!(left, 0, "nothing is left behind");
        let shot = display.look();
        display.until("a flock that goes on", |s| *s != shot);
        ends(&display, program);
    }
}
