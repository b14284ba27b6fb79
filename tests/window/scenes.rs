//! Level 5: scenes in the window. They are opened, edited, saved, copied and pasted with real keys
//! and a real mouse.

use crate::png_file;
use std::fs;

use crate::desktop::files::{SIZE, done, ends, new_file, notice, saved, settle, start, steps};
use crate::desktop::{Shot, flockwork};
use crate::{display_and_folder, walls, window, window_of};
use flockwork::model::scene::{BuiltIn, Scene};

#[test]
fn scenes_are_paged_through_chosen_opened_and_undone() {
    let Some((display, folder)) = display_and_folder() else { return };
    fs::write(folder.path().join("mine.toml"), "[species.a]\ncount = 7\n[species.a.wander]\n")
        .unwrap();
    fs::write(folder.path().join("bad.toml"), "[species.a]\nspeed = 7\n").unwrap();
    let program = start(&display, folder.path(), "--scene walls");
    let titled = |part: &str| display.until_title(&program, part);
    let choose = |words: &str| {
        steps(&display, &["key o"]);
        display.xdotool(&format!("type {words}"));
        display.xdotool("key Return");
    };
    titled("Flockwork — walls · 20 agents");
    display.xdotool("key Next");
    titled("Flockwork — wander · 100 agents");
    display.xdotool("key Prior key Prior");
    titled("Flockwork — vicsek · 400 agents");
    // The menu: by words of the sentence, by a path.
    choose("birds");
    titled("Flockwork — flock · 120 agents");
    choose("mine.toml");
    titled("Flockwork — mine.toml · 7 agents");
    // A file that is no scene gives a sentence, and the flock goes on.
    choose("bad.toml");
    display.until("a notice", notice);
    assert!(display.title(&program).contains("mine.toml · 7 agents"));
    // Scenes are edits.
    display.xdotool("key ctrl+z");
    titled("Flockwork — flock · 120 agents");
    display.xdotool("key ctrl+shift+z");
    titled("Flockwork — mine.toml · 7 agents");
    display.xdotool("key ctrl+n");
    titled("Flockwork — new · 300 agents");
    ends(&display, program);
}

#[test]
fn a_count_that_the_engine_refuses_is_a_sentence() {
    let all = "[species.a]\ncount = 20\n[species.a.rules.all]\nradius = \"all\"\nsum.way = \"offset\"\n\
               force = \"1e-5 * way\"\n";
    let Some((display, _folder, program)) = window_of("all.toml", all, "20 agents") else { return };
    let before = display.title(&program);
    steps(&display, &["key Tab"]);
    display.until("no notice", |shot| !notice(shot));
    steps(&display, &["mousemove 604 60 click 1"]);
    // Everybody looks at everybody: at most 65,536 agents can.
    display.xdotool("type 70000");
    display.xdotool("key Return");
    display.until("a sentence", notice);
    settle();
    assert!(notice(&display.look()), "the sentence stays");
    assert_eq!(display.title(&program), before);
    ends(&display, program);
}

#[test]
fn a_slow_start_is_announced() {
    let Some((display, _folder, program)) = window("flock", "120 agents") else { return };
    steps(&display, &["key Tab"]);
    display.until("no notice", |shot| !notice(shot));
    steps(&display, &["mousemove 604 60 click 1"]);
    display.xdotool("type 1000000");
    display.xdotool("key Return");
    display.until("a notice", notice);
    display.until_title(&program, "1,000,000 agents");
    ends(&display, program);
}

#[test]
fn a_count_is_entered_and_the_saved_scene_simulates_the_same() {
    let Some((display, folder, program)) = window("flock --seed 5", "120 agents") else { return };
    steps(&display, &["key Tab"]);
    // The first field of the panel; all of its text is marked when it is clicked.
    steps(&display, &["mousemove 604 60 click 1"]);
    display.xdotool("type 500");
    display.xdotool("key Return");
    display.until_title(&program, "Flockwork — flock · 500 agents");
    let text = saved(&display, folder.path());
    assert!(text.contains("# Source: The Nature of Code"), "{text}");
    assert!(text.contains("count = 500") && text.contains("seed = 5"), "{text}");
    ends(&display, program);
    fs::write(folder.path().join("saved.toml"), text).unwrap();
    // Another count keeps the density that the panel shows.
    let flock = Scene::parse("flock", BuiltIn::named("flock").unwrap().text).unwrap();
    let density = flock.uniform_neighbours(120) as f32;
    let asked = format!("--scene flock --count 500 --seed 5 --density {density}");
    let states = ["--scene saved.toml", &asked].map(|scene| {
        let line = format!("simulate --engine cpu {scene} --ticks 60 --every 30 --out state.csv");
        done(folder.path(), &line);
        let state = fs::read_to_string(folder.path().join("state.csv")).unwrap();
        state.lines().map(String::from).collect::<Vec<_>>()
    });
    assert!(states[0].len() > 1500, "three states of 500 agents");
    assert!(states[0] == states[1], "the saved scene makes another flock");
}

#[test]
fn the_panel_edits_and_undo_restores_every_byte() {
    let Some((display, folder, program)) = walls() else { return };
    let file = || saved(&display, folder.path());
    let first = file();
    assert_eq!(first, flockwork::built_in().find(|s| s.name == "walls").unwrap().text);
    steps(&display, &["key Tab"]);
    // The slider of the only behaviour's weight.
    steps(
        &display,
        &["mousemove 643 178 mousedown 1", "mousemove 660 178", "mousemove 680 178 mouseup 1"],
    );
    let dragged = file();
    assert!(dragged.contains("weight = "), "{dragged}");
    // The button in front of it takes the weight back.
    steps(&display, &["mousemove 596 178 click 1"]);
    assert_eq!(file(), first);
    steps(&display, &["key ctrl+z"]);
    assert_eq!(file(), dragged);
    steps(&display, &["key ctrl+z"]);
    assert_eq!(file(), first, "a whole drag is one edit");
    steps(&display, &["key ctrl+shift+z"]);
    assert_eq!(file(), dragged);
    steps(&display, &["key ctrl+z"]);
    // A behaviour is added, and removed.
    steps(&display, &["mousemove 651 232 click 1", "mousemove 640 260 click 1"]);
    let added = file();
    assert_eq!(added.matches("[species.vehicle.").count(), 2, "{added}");
    steps(&display, &["key ctrl+z"]);
    assert_eq!(file(), first);
    steps(&display, &["mousemove 645 157 click 1"]);
    let removed = file();
    assert!(!removed.contains("contain"), "{removed}");
    ends(&display, program);
}

#[test]
fn targets_and_obstacles_are_added_dragged_and_removed() {
    let Some((display, folder, program)) = walls() else { return };
    let file = || saved(&display, folder.path());
    let steps = |words: &[&str]| steps(&display, words);
    let first = file();
    // The last section of the panel, and its first button: a target in the middle of the world.
    steps(&["key Tab", "mousemove 640 277 click 1", "mousemove 632 297 click 1"]);
    let added = file();
    assert!(added.contains("[[targets]]\nposition = [320, 180]"), "{added}");
    // 1.40625 pixels are a world unit. It is taken a little beside its middle.
    let drag = ["mousemove 452 303", "mousedown 1", "mousemove 380 350", "mousemove 302 403"];
    steps(&drag);
    steps(&["mouseup 1"]);
    let place = |text: &str| -> Vec<f32> {
        let (_, rest) = text.split_once("position = [").unwrap();
        rest.split_once(']').unwrap().0.split(", ").map(|n| n.parse().unwrap()).collect()
    };
    let near = |text: &str, wanted: [f32; 2]| {
        place(text).iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1.0)
    };
    let dragged = file();
    assert!(near(&dragged, [213.33, 108.89]), "{dragged}");
    steps(&["key ctrl+z"]);
    assert_eq!(file(), added, "a whole drag is one edit");
    steps(&["key ctrl+z"]);
    assert_eq!(file(), first);
    steps(&["key ctrl+shift+z", "mousemove 700 361", "click 1"]);
    assert_eq!(file(), first, "it was removed");
    // The second button: an obstacle.
    steps(&["mousemove 722 297", "click 1"]);
    let added = file();
    assert!(added.contains("[[obstacles]]\nposition = [320, 180]"), "{added}");
    steps(&drag);
    steps(&["mouseup 1"]);
    let dragged = file();
    assert!(near(&dragged, [213.33, 108.89]), "{dragged}");
    steps(&["mousemove 715 361", "click 1"]);
    assert_eq!(file(), first, "it was removed");
    ends(&display, program);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_is_dropped_on_the_window() {
    let Some((display, folder)) = display_and_folder() else { return };
    let good = folder.path().join("dropped.toml");
    fs::write(&good, "[species.a]\ncount = 9\n[species.a.wander]\n").unwrap();
    let bad = folder.path().join("picture.png");
    fs::write(&bad, [0x89, b'P', b'N', b'G', 0xff, 0]).unwrap();
    let program = start(&display, folder.path(), "--scene walls");
    display.until_title(&program, "20 agents");
    display.drop_file(&program, &bad);
    display.until("a notice", notice);
    assert!(display.title(&program).contains("walls · 20 agents"));
    display.drop_file(&program, &good);
    display.until_title(&program, "Flockwork — dropped.toml · 9 agents");
    ends(&display, program);
}

#[test]
fn a_picture_shows_the_flock_without_the_panels() {
    let Some((display, folder, program)) = window("walls --count 200", "200 agents") else {
        return;
    };
    steps(&display, &["key space", "key h", "key h"]);
    let still = display.until_still();
    steps(&display, &["key Tab"]);
    let file = new_file(&display, folder.path(), "F12");
    let name = file.file_name().unwrap().to_str().unwrap().to_string();
    assert!(name.starts_with("walls-tick") && name.ends_with(".png"), "{name}");
    let picture = Shot(png_file::open(&file));
    assert_eq!((i64::from(picture.0.width), i64::from(picture.0.height)), SIZE);
    let lit = |shot: &Shot| shot.darts(0..SIZE.0, 0..SIZE.1);
    assert!(lit(&still).len() > 1000 && lit(&picture) == lit(&still), "it shows something else");
    ends(&display, program);
}

#[test]
fn a_scene_is_copied_into_another_window() {
    let Some((display, _folder, one)) = window("walls --count 33", "33 agents") else { return };
    display.xdotool("key ctrl+c");
    display.until("a notice", notice);
    let mut other = display.start(flockwork("run --engine cpu --size 900x600 --scene flock"));
    display.focus_beside(&mut other, Some(&one));
    display.until_title(&other, "120 agents");
    display.xdotool("key ctrl+v");
    display.until_title(&other, "Flockwork — pasted · 33 agents");
    // The first window copies a command line now. That is no scene.
    display.xdotool(&format!("windowfocus --sync {} key ctrl+shift+c", one.window));
    settle();
    display.xdotool(&format!("windowfocus --sync {} key ctrl+v", other.window));
    display.until("a notice", notice);
    assert!(display.title(&other).contains("pasted · 33 agents"));
    ends(&display, other);
    display.xdotool(&format!("windowfocus --sync {}", one.window));
    ends(&display, one);
}

#[test]
fn a_folder_that_is_gone_is_one_sentence() {
    let Some((display, folder, program)) = walls() else { return };
    fs::remove_dir_all(folder.path()).unwrap();
    display.xdotool("key ctrl+s");
    display.until("a notice", notice);
    display.xdotool("key Next");
    display.until_title(&program, "wander");
    ends(&display, program);
}

#[test]
fn another_scene_is_introduced_and_old_notices_go() {
    let Some((display, _folder, program)) = walls() else { return };
    display.xdotool("key space");
    let words = |shot: &Shot| shot.greys(100..800, 540..598);
    display.until("no words below the world", |shot| words(shot) == 0);
    display.xdotool("key ctrl+s");
    display.until("a notice", notice);
    display.xdotool("key Next");
    display.until_title(&program, "wander");
    let shot = display.until("name, sentence and press", |shot| words(shot) > 300);
    assert!(!notice(&shot), "the notice is about the scene before");
    display.until("no words any more", |shot| words(shot) == 0);
    ends(&display, program);
}
