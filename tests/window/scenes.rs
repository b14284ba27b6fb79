//! Level 5: scenes in the window. They are opened, edited, saved, copied and pasted with real keys
//! and a real mouse.

use crate::png_file;
use std::fs;

use crate::desktop::files::{SIZE, ends, notice, settle};
use crate::desktop::{Shot, flockwork};
use crate::shell::done;
use crate::{Window, display_and_folder, scene, walls, window, window_of};
use flockwork::model::scene::{BuiltIn, Scene};
use flockwork::model::vector::{Point, flat};

#[test]
fn scenes_are_paged_through_chosen_opened_and_undone() {
    let Some((display, folder)) = display_and_folder() else { return };
    folder.write("mine.toml", "[species.a]\ncount = 7\n[species.a.wander]\n");
    folder.write("bad.toml", "[species.a]\nspeed = 7\n");
    let window = Window::on((display, folder), "--scene walls", "Flockwork — walls · 20 agents");
    let titled = |part: &str| window.until_title(part);
    let choose = |words: &str| {
        window.steps(&["key o"]);
        window.xdotool(&format!("type {words}"));
        window.xdotool("key Return");
    };
    window.xdotool("key Next");
    titled("Flockwork — wander · 100 agents");
    window.xdotool("key Prior key Prior");
    titled("Flockwork — vicsek · 400 agents");
    // The menu: by words of the sentence, by a path.
    choose("birds");
    titled("Flockwork — flock · 120 agents");
    choose("mine.toml");
    titled("Flockwork — mine.toml · 7 agents");
    // A file that is no scene gives a sentence, and the flock goes on.
    choose("bad.toml");
    window.until("a notice", notice);
    assert!(window.title().contains("mine.toml · 7 agents"));
    // Scenes are edits.
    window.xdotool("key ctrl+z");
    titled("Flockwork — flock · 120 agents");
    window.xdotool("key ctrl+shift+z");
    titled("Flockwork — mine.toml · 7 agents");
    window.xdotool("key ctrl+n");
    titled("Flockwork — new · 300 agents");
    window.ends();
}

#[test]
fn a_count_that_the_engine_refuses_is_a_sentence() {
    let all = "[species.a]\ncount = 20\n[species.a.rules.all]\nradius = \"all\"\nsum.way = \"offset\"\n\
               force = \"1e-5 * way\"\n";
    let Some(window) = window_of("all.toml", all, "20 agents") else { return };
    let before = window.title();
    window.steps(&["key Tab"]);
    window.until("no notice", |shot| !notice(shot));
    window.steps(&["mousemove 604 60 click 1"]);
    // Everybody looks at everybody: at most 65,536 agents can.
    window.xdotool("type 70000");
    window.xdotool("key Return");
    window.until("a sentence", notice);
    settle();
    assert!(notice(&window.look()), "the sentence stays");
    assert_eq!(window.title(), before);
    window.ends();
}

#[test]
fn a_slow_start_is_announced() {
    let Some(window) = window("flock", "120 agents") else { return };
    window.steps(&["key Tab"]);
    window.until("no notice", |shot| !notice(shot));
    window.steps(&["mousemove 604 60 click 1"]);
    window.xdotool("type 1000000");
    window.xdotool("key Return");
    window.until("a notice", notice);
    window.until_title("1,000,000 agents");
    window.ends();
}

#[test]
fn a_count_is_entered_and_the_saved_scene_simulates_the_same() {
    let Some(window) = window("flock --seed 5", "120 agents") else { return };
    window.steps(&["key Tab"]);
    // The first field of the panel; all of its text is marked when it is clicked.
    window.steps(&["mousemove 604 60 click 1"]);
    window.xdotool("type 500");
    window.xdotool("key Return");
    window.until_title("Flockwork — flock · 500 agents");
    let text = window.saved();
    assert!(text.contains("# Source: The Nature of Code"), "{text}");
    assert!(text.contains("count = 500") && text.contains("seed = 5"), "{text}");
    let (_, folder) = window.ends();
    folder.write("saved.toml", text);
    // Another count keeps the density that the panel shows.
    let flock = Scene::parse("flock", BuiltIn::named("flock").unwrap().text).unwrap();
    let density = flock.uniform_neighbours(120) as f32;
    let asked = format!("--scene flock --count 500 --seed 5 --density {density}");
    let states = ["--scene saved.toml", &asked].map(|scene| {
        let line = format!("simulate --engine cpu {scene} --ticks 60 --every 30 --out state.csv");
        done(&folder, &line);
        let state = folder.text("state.csv");
        state.lines().map(String::from).collect::<Vec<_>>()
    });
    assert!(states[0].len() > 1500, "three states of 500 agents");
    assert!(states[0] == states[1], "the saved scene makes another flock");
}

#[test]
fn the_panel_edits_and_undo_restores_every_byte() {
    let Some(window) = walls() else { return };
    let first = window.saved();
    assert_eq!(first, flockwork::built_in().find(|s| s.name == "walls").unwrap().text);
    window.steps(&["key Tab"]);
    // The slider of the only behaviour's weight.
    window.steps(&[
        "mousemove 643 178 mousedown 1",
        "mousemove 660 178",
        "mousemove 680 178 mouseup 1",
    ]);
    let dragged = window.saved();
    assert!(dragged.contains("weight = "), "{dragged}");
    // The button in front of it takes the weight back.
    window.steps(&["mousemove 596 178 click 1"]);
    assert_eq!(window.saved(), first);
    window.steps(&["key ctrl+z"]);
    assert_eq!(window.saved(), dragged);
    window.steps(&["key ctrl+z"]);
    assert_eq!(window.saved(), first, "a whole drag is one edit");
    window.steps(&["key ctrl+shift+z"]);
    assert_eq!(window.saved(), dragged);
    window.steps(&["key ctrl+z"]);
    // A behaviour is added, and removed.
    window.steps(&["mousemove 651 232 click 1", "mousemove 640 260 click 1"]);
    let added = window.saved();
    assert_eq!(added.matches("[species.vehicle.").count(), 2, "{added}");
    window.steps(&["key ctrl+z"]);
    assert_eq!(window.saved(), first);
    window.steps(&["mousemove 645 157 click 1"]);
    let removed = window.saved();
    assert!(!removed.contains("contain"), "{removed}");
    window.ends();
}

#[test]
fn targets_and_obstacles_are_added_dragged_and_removed() {
    let Some(window) = walls() else { return };
    let first = window.saved();
    // The last section of the panel, and its first button: a target in the middle of the world.
    window.steps(&["key Tab", "mousemove 640 277 click 1", "mousemove 632 297 click 1"]);
    let added = window.saved();
    assert!(added.contains("[[targets]]\nposition = [320, 180]"), "{added}");
    // 1.40625 pixels are a world unit. It is taken a little beside its middle.
    let drag = ["mousemove 452 303", "mousedown 1", "mousemove 380 350", "mousemove 302 403"];
    window.steps(&drag);
    window.steps(&["mouseup 1"]);
    let is_dragged = |place: Point| (place - flat(213.33, 108.89)).abs().max_element() < 1.0;
    let dragged = window.saved();
    assert!(is_dragged(scene(&dragged).targets[1].position), "{dragged}");
    window.steps(&["key ctrl+z"]);
    assert_eq!(window.saved(), added, "a whole drag is one edit");
    window.steps(&["key ctrl+z"]);
    assert_eq!(window.saved(), first);
    window.steps(&["key ctrl+shift+z", "mousemove 700 361", "click 1"]);
    assert_eq!(window.saved(), first, "it was removed");
    // The second button: an obstacle.
    window.steps(&["mousemove 722 297", "click 1"]);
    let added = window.saved();
    assert!(added.contains("[[obstacles]]\nposition = [320, 180]"), "{added}");
    window.steps(&drag);
    window.steps(&["mouseup 1"]);
    let dragged = window.saved();
    assert!(is_dragged(scene(&dragged).obstacle_plans[0].position.unwrap()), "{dragged}");
    window.steps(&["mousemove 715 361", "click 1"]);
    assert_eq!(window.saved(), first, "it was removed");
    window.ends();
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_is_dropped_on_the_window() {
    let Some(window) = walls() else { return };
    let [good, bad] = ["dropped.toml", "picture.png"].map(|name| window.folder.join(name));
    fs::write(&good, "[species.a]\ncount = 9\n[species.a.wander]\n").unwrap();
    fs::write(&bad, [0x89, b'P', b'N', b'G', 0xff, 0]).unwrap();
    window.drop_file(&bad);
    window.until("a notice", notice);
    assert!(window.title().contains("walls · 20 agents"));
    window.drop_file(&good);
    window.until_title("Flockwork — dropped.toml · 9 agents");
    window.ends();
}

#[test]
fn a_picture_shows_the_flock_without_the_panels() {
    let Some(window) = window("walls --count 200", "200 agents") else { return };
    window.steps(&["key space", "key h", "key h"]);
    let still = window.until_still();
    window.steps(&["key Tab"]);
    let file = window.new_file("F12");
    let name = file.file_name().unwrap().to_str().unwrap().to_string();
    assert!(name.starts_with("walls-tick") && name.ends_with(".png"), "{name}");
    let picture = Shot(png_file::open(&file));
    assert_eq!((i64::from(picture.0.width), i64::from(picture.0.height)), SIZE);
    let lit = |shot: &Shot| shot.darts(0..SIZE.0, 0..SIZE.1);
    assert!(lit(&still).len() > 1000 && lit(&picture) == lit(&still), "it shows something else");
    window.ends();
}

#[test]
fn a_scene_is_copied_into_another_window() {
    let Some(window) = window("walls --count 33", "33 agents") else { return };
    window.xdotool("key ctrl+c");
    window.until("a notice", notice);
    let mut other = window.start(flockwork("run --engine cpu --size 900x600 --scene flock"));
    window.focus_beside(&mut other, Some(&window.program));
    window.display.until_title(&other, "120 agents");
    window.xdotool("key ctrl+v");
    window.display.until_title(&other, "Flockwork — pasted · 33 agents");
    // The first window copies a command line now. That is no scene.
    window.xdotool(&format!("windowfocus --sync {} key ctrl+shift+c", window.program.window));
    settle();
    window.xdotool(&format!("windowfocus --sync {} key ctrl+v", other.window));
    window.until("a notice", notice);
    assert!(window.display.title(&other).contains("pasted · 33 agents"));
    ends(&window, other);
    window.xdotool(&format!("windowfocus --sync {}", window.program.window));
    window.ends();
}

#[test]
fn a_folder_that_is_gone_is_one_sentence() {
    let Some(window) = walls() else { return };
    fs::remove_dir_all(&window.folder).unwrap();
    window.xdotool("key ctrl+s");
    window.until("a notice", notice);
    window.xdotool("key Next");
    window.until_title("wander");
    window.ends();
}

#[test]
fn another_scene_is_introduced_and_old_notices_go() {
    let Some(window) = walls() else { return };
    window.xdotool("key space");
    let words = |shot: &Shot| shot.greys(100..800, 540..598);
    window.until("no words below the world", |shot| words(shot) == 0);
    window.xdotool("key ctrl+s");
    window.until("a notice", notice);
    window.xdotool("key Next");
    window.until_title("wander");
    let shot = window.until("name, sentence and press", |shot| words(shot) > 300);
    assert!(!notice(&shot), "the notice is about the scene before");
    window.until("no words any more", |shot| words(shot) == 0);
    window.ends();
}
