//! Level 5: time in the window. It goes back, forward and faster, with real keys and a real mouse.

use crate::png_file;
use std::fs;
use std::path::Path;

use crate::desktop::files::settle;
use crate::desktop::{Display, Shot};
use crate::shell::{Folder, done};
use crate::{Window, display_and_folder};

/// A world that fills the window above the timeline.
const FLOCK: &str = "--scene flock --count 60 --seed 3";

/// The middle of the track, and its ends; pixels from the upper left corner of the window. The world
/// is shown in the middle of the window, above and below it there is nothing.
const TRACK: (i64, i64, i64) = (205, 800, 580);

/// Goes to a tick by typing it.
fn jump(window: &Window, tick: u64) {
    window.steps(&["key j"]);
    window.xdotool(&format!("type {tick}"));
    window.steps(&["key Return"]);
}

/// Saves pictures until one shows this tick. Returns its bytes.
fn picture_at(window: &Window, tick: u64) -> Vec<u8> {
    let shown = format!("-tick{tick}-");
    for _ in 0..60 {
        let file = window.new_file("F12");
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
fn tick_now(window: &Window) -> u64 {
    let name = name(&window.new_file("F12"));
    let tick = name.split("-tick").nth(1).and_then(|rest| rest.split('-').next());
    tick.and_then(|tick| tick.parse().ok()).unwrap()
}

/// True if the bar is shown: its buttons are grey.
fn bar(shot: &Shot) -> bool {
    shot.greys(0..900, 562..600) > 150
}

/// Starts a paused window.
fn paused(place: (Display, Folder), arguments: &str) -> Window {
    let window = Window::start(place, arguments);
    window.xdotool("mousemove 450 300 key space key h key h");
    window.until("the word `paused`", |s| s.greys(8..80, 8..40) > 40);
    window
}

#[test]
fn time_goes_back_and_forward_and_every_byte_is_the_same() {
    for engine in ["cpu", "gpu"] {
        let Some(place) = display_and_folder() else { return };
        let window = paused(place, FLOCK);
        if engine == "gpu" {
            window.xdotool("key e");
        }
        jump(&window, 80);
        let first = picture_at(&window, 80);
        // Agents are dropped at tick 90, and the flock goes on.
        jump(&window, 90);
        window.xdotool("mousemove 300 200 keydown d mousedown 1 mousemove 340 200");
        window.steps(&["mousemove 400 200 mouseup 1 keyup d"]);
        jump(&window, 200);
        let last = picture_at(&window, 200);

        // The mouse drags through the whole of time to the start.
        let (left, right, y) = TRACK;
        window.xdotool(&format!("mousemove {right} {y}"));
        settle();
        window.xdotool("mousedown 1");
        for x in [700, 500, 300, left] {
            window.xdotool(&format!("mousemove {x} {y}"));
            settle();
        }
        window.steps(&["mouseup 1 mousemove 450 300"]);
        let tick = tick_now(&window);
        assert!(tick < 20, "the drag ends at tick {tick}");

        // Keys go forward again.
        window.xdotool("key End");
        assert!(picture_at(&window, 200) == last, "{engine}: tick 200 is another");
        jump(&window, 80);
        assert!(picture_at(&window, 80) == first, "{engine}: tick 80 is another");
        assert!(first != last);
        window.xdotool("key comma key comma key period");
        picture_at(&window, 79);
        window.xdotool("key Right");
        picture_at(&window, 139);
        window.xdotool("key Left key Left");
        picture_at(&window, 19);

        // An edit in the past cuts what came after it.
        jump(&window, 50);
        picture_at(&window, 50);
        window.steps(&["mousemove 300 200 mousedown 1", "mouseup 1 key End"]);
        assert_eq!(tick_now(&window), 50, "{engine}");
        jump(&window, 200);
        assert!(picture_at(&window, 200) != last, "{engine}: the dropped agents are gone");
        window.ends();
    }
}

#[test]
fn a_saved_session_is_replayed_and_drawn() {
    let Some(place) = display_and_folder() else { return };
    let window = paused(place, FLOCK);
    jump(&window, 60);
    picture_at(&window, 60);
    // It calls the flock, and agents are dropped.
    window.steps(&["mousemove 200 150 mousedown 1"]);
    jump(&window, 90);
    picture_at(&window, 90);
    window.steps(&["mouseup 1"]);
    window.xdotool("mousemove 300 200 keydown d mousedown 1 mousemove 340 200");
    window.steps(&["mousemove 400 200 mouseup 1 keyup d"]);
    jump(&window, 150);
    let last = picture_at(&window, 150);
    let session = window.new_file("ctrl+shift+s");
    let place = window.ends();
    let text = fs::read_to_string(&session).unwrap();
    assert!(text.contains("pointer = [") && text.contains("[[event.add]]"), "{text}");

    let window = paused(place, &format!("--replay {}", name(&session)));
    window.xdotool("key End");
    assert!(picture_at(&window, 150) == last, "the replay is another flock");
    let (_, folder) = window.ends();

    // The same picture without a window; without the events it is another.
    let drawn = |text: &str| {
        folder.write("drawn.toml", text);
        let line = "capture --replay drawn.toml --engine gpu --size 900x600 --out drawn.png";
        done(&folder, line);
        png_file::open(&folder.join("drawn.png"))
    };
    folder.write("last.png", &last);
    let last = png_file::open(&folder.join("last.png"));
    assert!(drawn(&text) == last);
    let (scene, _) = text.split_once("[[event]]").unwrap();
    assert!(drawn(scene) != last);
}

#[test]
fn the_timeline_is_folded_until_it_is_wanted() {
    let Some(place) = display_and_folder() else { return };
    let window = paused(place, FLOCK);
    window.until("no bar", |s| !bar(s));
    window.xdotool("key t");
    window.until("the bar by its key", bar);
    window.xdotool("key t");
    window.until("no bar again", |s| !bar(s));
    window.xdotool("mousemove 450 590");
    window.until("the bar under the mouse", bar);
    window.xdotool("mousemove 450 300");
    window.until("no bar where the mouse has gone", |s| !bar(s));
    // A text that is no tick gives a sentence.
    window.steps(&["key j"]);
    window.xdotool("type soon");
    window.xdotool("key Return");
    let told = |s: &Shot| s.notices(510..560) > 8;
    window.until("a notice above the bar", |s| told(s) && bar(s));
    // It says how fast time goes.
    window.xdotool("mousemove 450 200");
    std::thread::sleep(std::time::Duration::from_secs(7));
    window.until("no notice", |s| !told(s));
    window.xdotool("key plus");
    window.until("the speed as a notice", told);
    window.ends();
}
