//! Level 5: looks in the window: styles, trails and the scene's camera, changed with real keys and a
//! real mouse.

use crate::png_file;
use std::fs;

use crate::desktop::Shot;
use crate::desktop::files::notice;
use crate::{Window, scene, walls, window_of};

#[test]
fn a_style_is_chosen_undone_and_saved() {
    let Some(window) = walls() else { return };
    let first = window.saved();
    // The section of the style, its list of backgrounds, the third of them.
    window.steps(&["key Tab", "mousemove 640 300 click 1", "mousemove 660 320 click 1"]);
    window.steps(&["mousemove 645 394 click 1"]);
    let paper = |shot: &Shot| shot.0.rgb(300, 590) == Some([244, 241, 234]);
    window.until("a background of paper", paper);
    let styled = window.saved();
    assert!(styled.contains("[style]\nbackground = \"paper\""), "{styled}");
    window.steps(&["key ctrl+z"]);
    window.until("a dark background", |shot| !paper(shot));
    assert_eq!(window.saved(), first);
    window.steps(&["key ctrl+shift+z"]);
    assert_eq!(window.saved(), styled);
    // All agents in one colour: the last row of the list, which opens upwards.
    window.steps(&["mousemove 660 389 click 1", "mousemove 640 362 click 1"]);
    let text = window.saved();
    assert!(text.contains("colour = \"#E69F00\""), "{text}");
    // The buttons in front of both rows take them back.
    window.steps(&["mousemove 596 320 click 1", "mousemove 596 389 click 1"]);
    assert_eq!(window.saved(), first);
    window.ends();
}

#[test]
fn the_view_is_written_into_the_scene_and_follows_the_flock() {
    // One agent, which goes right: 1.40625 pixels are a world unit.
    let plain = "[camera]\nzoom = 2\n[species.a]\nsize = 12\ncount = 1\nmax_speed = 2\n\
                spawn = { place = \"point\", speed = 2, heading = 0 }\n";
    let Some(window) = window_of("one.toml", plain, "1 agent") else { return };
    window.steps(&["key space", "key r"]);
    // Around (600, 300) the view grows. Some X servers count a turn of the wheel twice.
    window.steps(&["mousemove 600 300", "click 4", "click 4", "click 4", "key v"]);
    window.until("a notice", notice);
    let text = window.saved();
    let view = scene(&text).camera;
    let factor = view.zoom / 2.0;
    let notches = factor.ln() / 1.15_f32.ln();
    assert!((notches - notches.round()).abs() < 1e-3 && notches > 2.5, "{text}");
    let shift = (1.0 - 1.0 / factor) * 150.0 / (2.0 * 1.40625);
    let centre = view.centre.unwrap();
    assert!((centre.x - 320.0 - shift).abs() < 0.1 && (centre.y - 180.0).abs() < 0.1, "{text}");
    window.steps(&["key ctrl+z"]);
    assert_eq!(scene(&window.saved()).camera.zoom, 2.0);
    let place = window.ends();
    // Two views at two ticks: the camera then goes from one to the other, and undo takes a key back.
    let window = Window::on(place, "--scene one.toml", "1 agent");
    window.steps(&["key space", "key r", "key k", "mousemove 450 300", "click 4", "key Right"]);
    // A busy machine takes several frames for the ticks of a leap.
    window.until_still();
    window.steps(&["key space", "key k"]);
    let text = window.saved();
    let keys = scene(&text).camera.keys;
    assert_eq!(keys.len(), 2, "{text}");
    assert!(keys[0].zoom == Some(2.0) && keys[1].zoom > Some(2.2) && keys[1].tick >= 60, "{text}");
    window.steps(&["key ctrl+z"]);
    assert_eq!(scene(&window.saved()).camera.keys.len(), 1);
    let (display, folder) = window.ends();
    // Followed, it stays in the middle, though it crosses the world's edge; also when one zooms.
    let followed = plain.replace("[camera]", "[camera]\nfollow = 0");
    folder.write("one.toml", followed);
    let window = Window::on((display, folder), "--scene one.toml", "1 agent");
    let middle = |shot: &Shot| {
        let darts = shot.darts(0..900, 60..600);
        let count = darts.len() as f64;
        let sum = darts.iter().fold((0.0, 0.0), |s, d| (s.0 + d.0 as f64, s.1 + d.1 as f64));
        (count > 50.0).then(|| (sum.0 / count, sum.1 / count))
    };
    let is_in_the_middle = |shot: &Shot| {
        middle(shot).is_some_and(|(x, y)| (x - 450.0).abs() < 25.0 && (y - 300.0).abs() < 6.0)
    };
    for _ in 0..4 {
        assert!(is_in_the_middle(&window.look()));
        std::thread::sleep(std::time::Duration::from_millis(700));
    }
    window.steps(&["mousemove 700 200", "click 5", "click 5"]);
    assert!(is_in_the_middle(&window.look()));
    // Whoever drags the view takes it.
    window.steps(&["key space", "mousemove 600 300 mousedown 3", "mousemove 650 340", "mouseup 3"]);
    assert!(!is_in_the_middle(&window.look()));
    window.ends();
}

#[test]
fn trails_are_shown_stay_in_a_pause_and_are_in_the_picture() {
    // One agent, which goes right along a line.
    let text = "[style]\ntrail = 40\nlook = \"disc\"\ncolour = \"#FFFF00\"\n[world]\nboundary = \"walls\"\n\
                [species.a]\nsize = 8\ncount = 1\nmax_speed = 2\n\
                spawn = { place = \"point\", at = [60, 180], speed = 2, heading = 0 }\n";
    let Some(window) = window_of("one.toml", text, "1 agent") else { return };
    // The row of its middle: what is yellow but darker than the agent itself.
    let trail = |shot: &Shot| {
        let dim = |x: &u32| {
            let [r, g, b] = shot.0.rgb(*x, 300).unwrap();
            r > b + 15 && g > b + 15 && r < 160
        };
        (0..900).filter(dim).count()
    };
    window.until("a trail", |shot| trail(shot) > 60);
    window.steps(&["key space"]);
    let still = window.until_still();
    let file = window.new_file("F12");
    let picture = Shot(png_file::open(&file));
    let (shown, saved) = (trail(&still), trail(&picture));
    assert!(shown > 60 && shown.abs_diff(saved) < 3, "{shown} pixels shown, {saved} saved");
    // Back in time there is no trail of what has not happened yet.
    window.xdotool("key r");
    window.until("no trail", |shot| trail(shot) < 10);
    window.ends();
}

#[test]
fn a_picture_has_the_chosen_size_and_a_session_is_dropped() {
    let Some(window) = walls() else { return };
    let picture = || Shot(png_file::open(&window.new_file("F12")));
    assert_eq!((picture().0.width, picture().0.height), (900, 600));
    // The last row of the panel, at its end; its list opens upwards.
    window.steps(&["key Tab", "mousemove 640 300 click 1", "mousemove 720 480"]);
    window.steps(&["click 5"; 6]);
    window.steps(&["mousemove 660 569 click 1", "mousemove 645 477 click 1"]);
    let large = picture();
    assert_eq!((large.0.width, large.0.height), (1280, 720));
    assert!(large.darts(0..1280, 0..720).len() > 1000);
    #[cfg(target_os = "linux")]
    {
        // An agent more, and the whole session.
        window.steps(&["mousemove 200 300", "keydown d", "click 1", "keyup d"]);
        let session = window.new_file("ctrl+shift+s");
        window.steps(&["key Next"]);
        window.until_title("wander · 100 agents");
        window.drop_file(&session);
        window.until_title("20 agents");
        // Each edit happens again at its tick.
        window.until_title("21 agents");
        let text = fs::read_to_string(&session).unwrap();
        window.folder.write("bad.toml", text.replace("session = 2", "session = 9"));
        window.drop_file(&window.folder.join("bad.toml"));
        window.until("a notice", notice);
        assert!(window.title().contains("21 agents"));
    }
    window.ends();
}
