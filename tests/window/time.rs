//! Level 5: time in the window. It goes back, forward and faster, with real keys and a real mouse.

use crate::desktop;
use crate::png_file;
use std::fs;
use std::path::{Path, PathBuf};

use crate::desktop::files::{ends, new_file, settle, start, steps};
use crate::desktop::{Display, Program, Shot};
use crate::{display_and_folder, open_display};

/// A world that fills the window above the timeline.
const FLOCK: &str = "--scene flock --count 60 --seed 3";

/// The middle of the track, and its ends; pixels from the upper left corner of the window. The world
/// is shown in the middle of the window, above and below it there is nothing.
const TRACK: (i64, i64, i64) = (205, 800, 580);

/// Goes to a tick by typing it.
fn jump(display: &Display, tick: u64) {
    steps(display, &["key j"]);
    display.xdotool(&format!("type {tick}"));
    steps(display, &["key Return"]);
}

/// Saves pictures until one shows this tick. Returns its bytes.
fn picture_at(display: &Display, folder: &Path, tick: u64) -> Vec<u8> {
    let shown = format!("-tick{tick}-");
    for _ in 0..60 {
        let file = new_file(display, folder, "F12");
        if name(&file).contains(&shown) {
            return fs::read(file).unwrap();
        }
        settle();
    }
    panic!("the window never shows tick {tick}");
}

fn name(file: &Path) -> String {
    file.file_name().unwrap().to_str().unwrap().to_string()
}

/// The tick in the name of a picture that is saved now.
fn tick_now(display: &Display, folder: &Path) -> u64 {
    let file: PathBuf = new_file(display, folder, "F12");
    let name = name(&file);
    let tick = name.split("-tick").nth(1).and_then(|rest| rest.split('-').next());
    tick.and_then(|tick| tick.parse().ok()).unwrap()
}

/// True if the bar is shown: its buttons are grey.
fn bar(shot: &Shot) -> bool {
    shot.greys(0..900, 562..600) > 150
}

/// Starts a paused window.
fn paused(display: &Display, folder: &Path, arguments: &str) -> Program {
    let program = start(display, folder, &format!("{FLOCK} {arguments}"));
    display.xdotool("mousemove 450 300 key space key h key h");
    display.until("the word `paused`", |s| s.greys(8..80, 8..40) > 40);
    program
}

#[test]
fn time_goes_back_and_forward_and_every_byte_is_the_same() {
    let Some(display) = open_display("1000x700") else { return };
    for engine in ["cpu", "gpu"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let program = paused(&display, folder, "");
        if engine == "gpu" {
            display.xdotool("key e");
        }
        jump(&display, 80);
        let first = picture_at(&display, folder, 80);
        // Agents are dropped at tick 90, and the flock goes on.
        jump(&display, 90);
        display.xdotool("mousemove 300 200 keydown d mousedown 1 mousemove 340 200");
        steps(&display, &["mousemove 400 200 mouseup 1 keyup d"]);
        jump(&display, 200);
        let last = picture_at(&display, folder, 200);

        // The mouse drags through the whole of time to the start.
        let (left, right, y) = TRACK;
        display.xdotool(&format!("mousemove {right} {y}"));
        settle();
        display.xdotool("mousedown 1");
        for x in [700, 500, 300, left] {
            display.xdotool(&format!("mousemove {x} {y}"));
            settle();
        }
        steps(&display, &["mouseup 1 mousemove 450 300"]);
        let tick = tick_now(&display, folder);
        assert!(tick < 20, "the drag ends at tick {tick}");

        // Keys go forward again.
        display.xdotool("key End");
        assert!(picture_at(&display, folder, 200) == last, "{engine}: tick 200 is another");
        jump(&display, 80);
        assert!(picture_at(&display, folder, 80) == first, "{engine}: tick 80 is another");
        assert!(first != last);
        display.xdotool("key comma key comma key period");
        picture_at(&display, folder, 79);
        display.xdotool("key Right");
        picture_at(&display, folder, 139);
        display.xdotool("key Left key Left");
        picture_at(&display, folder, 19);

        // An edit in the past cuts what came after it.
        jump(&display, 50);
        picture_at(&display, folder, 50);
        steps(&display, &["mousemove 300 200 mousedown 1", "mouseup 1 key End"]);
        assert_eq!(tick_now(&display, folder), 50, "{engine}");
        jump(&display, 200);
        assert!(picture_at(&display, folder, 200) != last, "{engine}: the dropped agents are gone");
        ends(&display, program);
    }
}

#[test]
fn a_saved_session_is_replayed_and_drawn() {
    let Some((display, folder)) = display_and_folder() else { return };
    let folder = folder.path();
    let program = paused(&display, folder, "");
    jump(&display, 60);
    picture_at(&display, folder, 60);
    // It calls the flock, and agents are dropped.
    steps(&display, &["mousemove 200 150 mousedown 1"]);
    jump(&display, 90);
    picture_at(&display, folder, 90);
    steps(&display, &["mouseup 1"]);
    display.xdotool("mousemove 300 200 keydown d mousedown 1 mousemove 340 200");
    steps(&display, &["mousemove 400 200 mouseup 1 keyup d"]);
    jump(&display, 150);
    let last = picture_at(&display, folder, 150);
    let session = new_file(&display, folder, "ctrl+shift+s");
    ends(&display, program);
    let text = fs::read_to_string(&session).unwrap();
    assert!(text.contains("pointer = [") && text.contains("[[event.add]]"), "{text}");

    let line = format!("--replay {}", name(&session));
    let program = start(&display, folder, &line);
    display.xdotool("mousemove 450 300 key space key h key h");
    display.until("the word `paused`", |s| s.greys(8..80, 8..40) > 40);
    display.xdotool("key End");
    assert!(picture_at(&display, folder, 150) == last, "the replay is another flock");
    ends(&display, program);

    // The same picture without a window; without the events it is another.
    let drawn = |text: &str| {
        fs::write(folder.join("drawn.toml"), text).unwrap();
        let line = "capture --replay drawn.toml --engine gpu --size 900x600 --out drawn.png";
        let output = desktop::flockwork(line).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{}", desktop::text(&output.stderr));
        png_file::open(&folder.join("drawn.png"))
    };
    fs::write(folder.join("last.png"), &last).unwrap();
    let last = png_file::open(&folder.join("last.png"));
    assert!(drawn(&text) == last);
    let (scene, _) = text.split_once("[[event]]").unwrap();
    assert!(drawn(scene) != last);
}

#[test]
fn the_timeline_is_folded_until_it_is_wanted() {
    let Some((display, folder)) = display_and_folder() else { return };
    let program = paused(&display, folder.path(), "");
    display.until("no bar", |s| !bar(s));
    display.xdotool("key t");
    display.until("the bar by its key", bar);
    display.xdotool("key t");
    display.until("no bar again", |s| !bar(s));
    display.xdotool("mousemove 450 590");
    display.until("the bar under the mouse", bar);
    display.xdotool("mousemove 450 300");
    display.until("no bar where the mouse has gone", |s| !bar(s));
    // A text that is no tick gives a sentence.
    steps(&display, &["key j"]);
    display.xdotool("type soon");
    display.xdotool("key Return");
    let told = |s: &Shot| s.notices(510..560) > 8;
    display.until("a notice above the bar", |s| told(s) && bar(s));
    // It says how fast time goes.
    display.xdotool("mousemove 450 200");
    std::thread::sleep(std::time::Duration::from_secs(7));
    display.until("no notice", |s| !told(s));
    display.xdotool("key plus");
    display.until("the speed as a notice", told);
    ends(&display, program);
}
