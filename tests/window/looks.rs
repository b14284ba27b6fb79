//! Level 5: looks in the window: styles, trails and the scene's camera, changed with real keys and a
//! real mouse.

use crate::png_file;
use std::fs;

use crate::desktop::Shot;
use crate::desktop::files::{ends, new_file, notice, saved, start, steps};
use crate::{walls, window_of};

/// The number after a key of a scene file.
fn numbers(text: &str, key: &str) -> Vec<f32> {
    let (_, rest) =
        text.split_once(&format!("\n{key} = ")).unwrap_or_else(|| panic!("{key}: {text}"));
    let line = rest.lines().next().unwrap().trim_matches(['[', ']']);
    line.split(", ").map(|number| number.parse().unwrap()).collect()
}

#[test]
fn a_style_is_chosen_undone_and_saved() {
    let Some((display, folder, program)) = walls() else { return };
    let file = || saved(&display, folder.path());
    let first = file();
    // The section of the style, its list of backgrounds, the third of them.
    steps(&display, &["key Tab", "mousemove 640 300 click 1", "mousemove 660 320 click 1"]);
    steps(&display, &["mousemove 645 394 click 1"]);
    let paper = |shot: &Shot| shot.0.rgb(300, 590) == Some([244, 241, 234]);
    display.until("a background of paper", paper);
    let styled = file();
    assert!(styled.contains("[style]\nbackground = \"paper\""), "{styled}");
    steps(&display, &["key ctrl+z"]);
    display.until("a dark background", |shot| !paper(shot));
    assert_eq!(file(), first);
    steps(&display, &["key ctrl+shift+z"]);
    assert_eq!(file(), styled);
    // All agents in one colour: the last row of the list, which opens upwards.
    steps(&display, &["mousemove 660 389 click 1", "mousemove 640 362 click 1"]);
    let text = file();
    assert!(text.contains("colour = \"#E69F00\""), "{text}");
    // The buttons in front of both rows take them back.
    steps(&display, &["mousemove 596 320 click 1", "mousemove 596 389 click 1"]);
    assert_eq!(file(), first);
    ends(&display, program);
}

#[test]
fn the_view_is_written_into_the_scene_and_follows_the_flock() {
    // One agent, which goes right: 1.40625 pixels are a world unit.
    let plain = "[camera]\nzoom = 2\n[species.a]\nsize = 12\ncount = 1\nmax_speed = 2\n\
                spawn = { place = \"point\", speed = 2, heading = 0 }\n";
    let Some((display, folder, program)) = window_of("one.toml", plain, "1 agent") else { return };
    steps(&display, &["key space", "key r"]);
    // Around (600, 300) the view grows. Some X servers count a turn of the wheel twice.
    steps(&display, &["mousemove 600 300", "click 4", "click 4", "click 4", "key v"]);
    display.until("a notice", notice);
    let text = saved(&display, folder.path());
    let factor = numbers(&text, "zoom")[0] / 2.0;
    let notches = factor.ln() / 1.15_f32.ln();
    assert!((notches - notches.round()).abs() < 1e-3 && notches > 2.5, "{text}");
    let shift = (1.0 - 1.0 / factor) * 150.0 / (2.0 * 1.40625);
    let centre = numbers(&text, "centre");
    assert!((centre[0] - 320.0 - shift).abs() < 0.1 && (centre[1] - 180.0).abs() < 0.1, "{text}");
    steps(&display, &["key ctrl+z"]);
    assert_eq!(numbers(&saved(&display, folder.path()), "zoom"), [2.0]);
    ends(&display, program);
    // Two views at two ticks: the camera then goes from one to the other, and undo takes a key back.
    let program = start(&display, folder.path(), "--scene one.toml");
    display.until_title(&program, "1 agent");
    steps(&display, &["key space", "key r", "key k", "mousemove 450 300", "click 4", "key Right"]);
    // A busy machine takes several frames for the ticks of a leap.
    display.until_still();
    steps(&display, &["key space", "key k"]);
    let text = saved(&display, folder.path());
    assert_eq!(text.matches("[[camera.keys]]").count(), 2, "{text}");
    let keys: Vec<&str> = text.split("[[camera.keys]]").collect();
    let zooms = [keys[1], keys[2]].map(|key| numbers(key, "zoom")[0]);
    assert!(zooms[0] == 2.0 && zooms[1] > 2.2 && numbers(keys[2], "tick")[0] >= 60.0, "{text}");
    steps(&display, &["key ctrl+z"]);
    assert_eq!(saved(&display, folder.path()).matches("[[camera.keys]]").count(), 1);
    ends(&display, program);
    // Followed, it stays in the middle, though it crosses the world's edge; also when one zooms.
    let followed = plain.replace("[camera]", "[camera]\nfollow = 0");
    fs::write(folder.path().join("one.toml"), followed).unwrap();
    let program = start(&display, folder.path(), "--scene one.toml");
    display.until_title(&program, "1 agent");
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
        assert!(is_in_the_middle(&display.look()));
        std::thread::sleep(std::time::Duration::from_millis(700));
    }
    steps(&display, &["mousemove 700 200", "click 5", "click 5"]);
    assert!(is_in_the_middle(&display.look()));
    // Whoever drags the view takes it.
    steps(&display, &["key space", "mousemove 600 300 mousedown 3", "mousemove 650 340"]);
    steps(&display, &["mouseup 3"]);
    assert!(!is_in_the_middle(&display.look()));
    ends(&display, program);
}

#[test]
fn trails_are_shown_stay_in_a_pause_and_are_in_the_picture() {
    // One agent, which goes right along a line.
    let text = "[style]\ntrail = 40\nlook = \"disc\"\ncolour = \"#FFFF00\"\n[world]\nboundary = \"walls\"\n\
                [species.a]\nsize = 8\ncount = 1\nmax_speed = 2\n\
                spawn = { place = \"point\", at = [60, 180], speed = 2, heading = 0 }\n";
    let Some((display, folder, program)) = window_of("one.toml", text, "1 agent") else { return };
    // The row of its middle: what is yellow but darker than the agent itself.
    let trail = |shot: &Shot| {
        let dim = |x: &u32| {
            let [r, g, b] = shot.0.rgb(*x, 300).unwrap();
            r > b + 15 && g > b + 15 && r < 160
        };
        (0..900).filter(dim).count()
    };
    display.until("a trail", |shot| trail(shot) > 60);
    steps(&display, &["key space"]);
    let still = display.until_still();
    let file = new_file(&display, folder.path(), "F12");
    let picture = Shot(png_file::open(&file));
    let (shown, saved) = (trail(&still), trail(&picture));
    assert!(shown > 60 && shown.abs_diff(saved) < 3, "{shown} pixels shown, {saved} saved");
    // Back in time there is no trail of what has not happened yet.
    display.xdotool("key r");
    display.until("no trail", |shot| trail(shot) < 10);
    ends(&display, program);
}

#[test]
fn a_picture_has_the_chosen_size_and_a_session_is_dropped() {
    let Some((display, folder, program)) = walls() else { return };
    let picture = || Shot(png_file::open(&new_file(&display, folder.path(), "F12")));
    assert_eq!((picture().0.width, picture().0.height), (900, 600));
    // The last row of the panel, at its end; its list opens upwards.
    steps(&display, &["key Tab", "mousemove 640 300 click 1", "mousemove 720 480"]);
    steps(&display, &["click 5"; 6]);
    steps(&display, &["mousemove 660 569 click 1", "mousemove 645 477 click 1"]);
    let large = picture();
    assert_eq!((large.0.width, large.0.height), (1280, 720));
    assert!(large.darts(0..1280, 0..720).len() > 1000);
    #[cfg(target_os = "linux")]
    {
        // An agent more, and the whole session.
        steps(&display, &["mousemove 200 300", "keydown d", "click 1", "keyup d"]);
        let session = new_file(&display, folder.path(), "ctrl+shift+s");
        steps(&display, &["key Next"]);
        display.until_title(&program, "wander · 100 agents");
        display.drop_file(&program, &session);
        display.until_title(&program, "20 agents");
        // Each edit happens again at its tick.
        display.until_title(&program, "21 agents");
        let text = fs::read_to_string(&session).unwrap();
        let bad = folder.path().join("bad.toml");
        fs::write(&bad, text.replace("session = 2", "session = 9")).unwrap();
        display.drop_file(&program, &bad);
        display.until("a notice", notice);
        assert!(display.title(&program).contains("21 agents"));
    }
    ends(&display, program);
}
