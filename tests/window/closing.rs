//! Level 5: Esc closes panels and never the window, and edits outlive a window that was not saved.

use std::fs;
use std::path::{Path, PathBuf};

use crate::desktop::files::{ends, new_file, settle, steps};
use crate::desktop::{Display, Program, Shot, flockwork};
use crate::shell::{Folder, done};
use crate::{display_and_folder, walls};

/// The panel of parameters.
fn panel(shot: &Shot) -> bool {
    shot.greys(600..900, 0..400) > 800
}

#[test]
fn escape_closes_what_is_open_and_never_the_window() {
    let Some(window) = walls() else { return };
    let first = window.saved();
    window.steps(&["key space", "key h", "key h", "key Tab", "mousemove 640 300 click 1"]);
    // Esc closes a list and leaves the panel; then it closes the panel.
    let list = |shot: &Shot| shot.darts(620..680, 338..356).len() > 200;
    window.xdotool("mousemove 660 320 click 1");
    window.until("a list", list);
    window.xdotool("key Escape");
    window.until("the panel without its list", |shot| panel(shot) && !list(shot));
    settle();
    assert!(panel(&window.look()));
    window.xdotool("key Escape");
    window.until("no panel", |shot| !panel(shot));
    window.xdotool("key F9");
    // A tick is typed; the field, the timeline and then nothing closes.
    window.steps(&["key j", "type 12", "key Return", "key Escape", "key Escape"]);
    for opened in ["key o", "key F1", "key m", "key t", "key Tab", "key w"] {
        window.steps(&[opened, "key Escape", "key Escape"]);
    }
    window.until("no panel", |shot| !panel(shot));
    assert_eq!(window.saved(), first, "the window goes on");
    window.ends();
}

/// A window whose edits are kept in the folder `state`.
fn start(display: &Display, folder: &Path, state: &Path, line: &str) -> Program {
    let mut command = flockwork(&format!("run --engine cpu --size 900x600 {line}"));
    command.current_dir(folder).env("XDG_STATE_HOME", state);
    display.open_window(command)
}

fn kept(state: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(state.join("flockwork")).into_iter().flatten().flatten();
    files.map(|file| file.path()).filter(|path| path.extension().is_some()).collect()
}

#[test]
fn edits_that_were_not_saved_are_offered_to_the_next_window() {
    let Some((display, folder)) = display_and_folder() else { return };
    let state = Folder::empty();
    let start = |line: &str| start(&display, &folder, &state, line);
    // Without an edit nothing is kept; nor after one that was undone or saved.
    let program = start("--scene walls");
    display.until_title(&program, "20 agents");
    let drop = ["mousemove 200 300", "keydown d", "click 1", "keyup d"];
    steps(&display, &drop);
    display.until_title(&program, "21 agents");
    steps(&display, &["key ctrl+z"]);
    display.until_title(&program, "20 agents");
    steps(&display, &drop);
    new_file(&display, &folder, "ctrl+shift+s");
    settle();
    ends(&display, program);
    assert_eq!(kept(&state), [""; 0].map(PathBuf::from));
    // The key and a signal close it. Both keep the edits.
    for signal in [false, true] {
        let before = kept(&state).len();
        let program = start("--scene walls");
        display.until_title(&program, "20 agents");
        steps(&display, &drop);
        display.until_title(&program, "21 agents");
        if signal {
            program.signal("TERM");
        } else {
            display.xdotool("key ctrl+q");
        }
        let (_, _, err) = program.end();
        assert!(err.contains("the edits were not saved; they are kept in "), "{err}");
        assert_eq!(kept(&state).len(), before + 1);

        let mut program = start("--scene wander");
        let said = program.until_it_says("Ctrl+Shift+O opens them");
        assert!(said.contains(state.to_str().unwrap()), "{said}");
        steps(&display, &["key ctrl+shift+o"]);
        display.until_title(&program, "walls · 21 agents");
        ends(&display, program);
        assert_eq!(kept(&state).len(), before + 1, "they are kept already");
    }
    // It was offered once. The file is a session that can be replayed.
    let program = start("--scene walls");
    display.until_title(&program, "20 agents");
    display.xdotool("key ctrl+q");
    let (_, _, err) = program.end();
    assert!(!err.contains("not saved"), "{err}");
    let session = kept(&state).swap_remove(0);
    let line = format!("capture --engine cpu --out a.png --replay {}", session.display());
    done(&folder, &line);
}

#[test]
fn a_flock_of_a_state_file_keeps_its_scene_and_says_what_is_lost() {
    let Some((display, folder)) = display_and_folder() else { return };
    let state = Folder::empty();
    done(&folder, "simulate --engine cpu --scene walls --ticks 3 --out a.csv");
    let program = start(&display, &folder, &state, "--scene walls --init a.csv");
    display.until_title(&program, "20 agents");
    steps(&display, &["mousemove 200 300", "keydown d", "click 1", "keyup d"]);
    display.until_title(&program, "21 agents");
    display.xdotool("key ctrl+q");
    let (_, _, err) = program.end();
    assert!(err.contains("the scene with them is kept in "), "{err}");
    assert!(err.contains("the state and agents that were added are lost"), "{err}");
    let scene = kept(&state).swap_remove(0);
    let line = format!("simulate --engine cpu --ticks 1 --out b.csv --scene {}", scene.display());
    done(&folder, &line);
}
