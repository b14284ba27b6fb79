//! Level 5: the program in a window, with real keys and a real mouse.

use crate::adapter;
use crate::desktop::files::{SIZE, ends, notice, start, start_on};
use crate::desktop::{Display, Shot, flockwork};
use crate::shell::{Folder, says};
use crate::{Window, display_and_folder, open_display};

/// Few enough for a software rasteriser, many enough for a flock.
const FLOCK: &str = "--count 600 --seed 1";

/// Darts within this many pixels of the mouse are near it.
const NEAR: i64 = 100;

/// Share of the darts that are near `(x, y)`.
fn share_near(shot: &Shot, (x, y): (i64, i64)) -> f64 {
    let all = shot.darts(0..SIZE.0, 0..SIZE.1);
    let near = |p: &&(i64, i64)| (p.0 - x).pow(2) + (p.1 - y).pow(2) < NEAR * NEAR;
    all.iter().filter(near).count() as f64 / all.len().max(1) as f64
}

#[test]
fn a_window_does_what_keys_and_mouse_ask_for() {
    let Some(gpu) = adapter::gpu() else { return };
    let Some(display) = Display::open("1280x800") else { return };
    let key = |name: &str| display.xdotool(&format!("key {name}"));
    let folder = Folder::empty();
    let program = start_on("gpu", &display, &folder, FLOCK);

    // A flock with the overlay in its corner: first a line, then everything, then nothing.
    let flock = |shot: &Shot| shot.darts(300..SIZE.0, 0..SIZE.1).len() > 600;
    let overlaid = |shot: &Shot| shot.greys(0..300, 0..110) > 400;
    let detailed = |shot: &Shot| shot.greys(0..300, 150..300) > 500;
    let first = display.until("a coloured flock under the overlay", |s| flock(s) && overlaid(s));
    assert!(!detailed(&first), "the overlay begins with one line");
    assert_eq!(first.darts(SIZE.0..1280, 0..800).len(), 0, "the window is as large as asked for");
    key("h");
    display.until("the passes of the GPU", detailed);
    key("h");
    let shot = display.until("no overlay", |s| !overlaid(s) && !detailed(s));
    assert_eq!(shot.greys(0..300, 0..40), 0, "there is nothing to say");
    display.until("a flock that moves", |s| *s != shot);

    // A GPU that is software is named at the start; that goes away.
    display.until("no notice", |shot| !notice(shot));
    // Space pauses it, another key does nothing, `.` runs one tick.
    key("space");
    let word = |shot: &Shot| shot.greys(8..80, 8..40) > 40;
    display.until("the word `paused` where the overlay is hidden", word);
    let still = display.until_still();
    key("x");
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(display.look() == still, "a key that means nothing changes nothing");
    key("period");
    display.until("one tick", |s| *s != still);
    let stepped = display.until_still();
    // In one tick an agent moves at most three units, less than the length of a dart.
    let agreement = still.agreement(&stepped, |(x, y)| (x as f64, y as f64));
    assert!(agreement > 0.4, "one tick is a small step: {agreement}");

    // Tab opens and closes the sliders.
    let sliders = |shot: &Shot| shot.greys(600..900, 0..400) > 800;
    assert!(!sliders(&stepped));
    key("Tab");
    display.until("the sliders", sliders);
    key("Tab");
    display.until("no sliders", |s| !sliders(s));

    // The right button drags the picture.
    display.xdotool("mousemove 500 300 mousedown 3 mousemove 470 320 mousemove 420 340 mouseup 3");
    let by = |(x, y): (i64, i64)| (x as f64 - 80.0, y as f64 + 40.0);
    display.until("the flock dragged along", |s| stepped.agreement(s, by) > 0.9);
    let dragged = display.until_still();
    let unmoved = stepped.agreement(&dragged, |(x, y)| (x as f64, y as f64));
    assert!(unmoved < 0.5, "the same picture undragged agrees as well: {unmoved}");

    // The wheel zooms about the mouse, by 1.15 per notch. With winit 0.30 a wheel made of buttons,
    // such as xdotool's, counts twice: when pressed and when released.
    let fixed = busiest(&dragged);
    display.xdotool(&format!("mousemove {} {} click --repeat 3 4", fixed.0, fixed.1));
    let magnified = |s: &Shot, notches: i32| {
        dragged.agreement(s, |(x, y)| {
            let (x, y) = (to(x, fixed.0, notches), to(y, fixed.1, notches));
            // A pixel that has left the window is not visible on the screen beside it.
            let inside = x < SIZE.0 as f64 - 0.5 && y < SIZE.1 as f64 - 0.5;
            if inside { (x, y) } else { (-1.0, -1.0) }
        })
    };
    // Measured 0.67: the darts' magnified edges differ. At one notch more or less it is 0.08.
    display.until("a larger flock", |s| magnified(s, 3).max(magnified(s, 6)) > 0.5);
    let zoomed = display.until_still();
    let unmoved = dragged.agreement(&zoomed, |(x, y)| (x as f64, y as f64));
    assert!(unmoved < 0.25, "the same picture unmagnified agrees as well: {unmoved}");
    key("Home");
    let fits = |s: &Shot| stepped.agreement(s, |(x, y)| (x as f64, y as f64)) > 0.99;
    display.until("the whole world again", fits);

    // The left button calls the flock.
    let place = (600, 400);
    let before = share_near(&display.look(), place);
    assert!(before < 0.2, "the flock is there before it is called: {before}");
    key("space");
    display.xdotool("mousemove 600 400 mousedown 1");
    display.until("the flock at the mouse", |s| share_near(s, place) > 0.4);
    display.xdotool("mouseup 1");

    // It continues on the other engine, and in a window of another size.
    key("e");
    let shot = display.look();
    display.until("a flock that moves on the other engine", |s| *s != shot && flock(s));
    display.xdotool(&format!("windowsize {} 1200 700", program.window));
    let grown = |s: &Shot| !s.darts(SIZE.0 + 50..1200, 0..700).is_empty() && flock(s);
    let shot = display.until("a flock in the larger window", grown);
    display.until("a flock that moves in the larger window", |s| *s != shot && grown(s));

    let (out, _) = ends(&display, program);
    assert_eq!(out.lines().count(), 1, "{out}");
    says(FLOCK, &out, &["600 agents, ", " ticks (", " frames (", "engine cpu (", "drawn by "]);

    // It ends by itself after this many frames.
    let (code, out, err) = display.start(flockwork(&format!("run {FLOCK} --frames 20"))).end();
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains(" 20 frames ("), "{out}");
    // The program chooses the engine: a hardware GPU, or the CPU if the adapter is software.
    let kind = if gpu.is_software() { "cpu" } else { "gpu" };
    assert!(out.contains(&format!("engine {kind} (")), "{out}");
    assert_eq!(
        err.lines().filter(|line| line.contains("is software: using the CPU engine")).count(),
        usize::from(gpu.is_software()),
        "{err}"
    );

    // A named adapter is used; and "1 agent" is singular.
    let line = "run --scene seek --frames 3 --adapter 0";
    let (code, out, err) = display.start(flockwork(line)).end();
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("1 agent, ") && out.contains("engine gpu ("), "{out}");
    assert!(!err.contains("using the CPU engine"), "{err}");
}

#[test]
fn a_start_without_options_is_a_flock_of_many_colours() {
    let Some(display) = open_display("1280x720") else { return };
    let shown = |arguments: &str| {
        let program = display.open_window(flockwork(arguments));
        display.until("a flock", |s| s.darts(300..1280, 0..720).len() > 1000);
        std::thread::sleep(std::time::Duration::from_secs(2));
        let shot = display.look();
        let (out, _) = ends(&display, program);
        (out, shot)
    };
    // The number of sixths of the colour circle that have at least a tenth of the darts each.
    let colours = |shot: &Shot| {
        let mut parts = [0_usize; 6];
        for (x, y) in shot.darts(300..1280, 0..720) {
            let [r, g, b] = shot.0.rgb(x as u32, y as u32).unwrap().map(f64::from);
            let hue = (3.0_f64.sqrt() * (g - b)).atan2(2.0 * r - g - b);
            parts[(hue.rem_euclid(std::f64::consts::TAU) / std::f64::consts::TAU * 6.0)
                as usize
                % 6] += 1;
        }
        let all: usize = parts.iter().sum();
        parts.iter().filter(|part| **part * 10 > all).count()
    };
    let (out, shot) = shown("");
    assert!(out.starts_with("3000 agents, "), "{out}");
    assert!(colours(&shot) >= 4, "{}", colours(&shot));
    // If the scene is named, it is unchanged.
    let (out, _) = shown("--scene flock");
    assert!(out.starts_with("120 agents, "), "{out}");
}

#[test]
fn a_signal_closes_the_window_as_its_button_does() {
    let Some((display, folder)) = display_and_folder() else { return };
    // A paused window waits for events and must still react to the signal.
    for (signal, keys) in [("INT", "key x"), ("TERM", "key space")] {
        let program = start(&display, &folder, "--count 50 --seed 1");
        display.until("a flock", |s| coloured(s) > 50);
        display.xdotool(keys);
        program.signal(signal);
        let (code, out, err) = program.end();
        assert_eq!(code, Some(130), "{signal}: {err}");
        assert!(err.contains("interrupted: the window is closed after "), "{signal}: {err}");
        assert!(out.starts_with("50 agents, ") && out.lines().count() == 1, "{signal}: {out}");
    }
}

/// Coloured pixels beside the overlay: darts and geometry.
fn coloured(shot: &Shot) -> usize {
    shot.darts(300..SIZE.0, 0..SIZE.1).len()
}

#[test]
fn agents_dropped_by_a_drag_stay_until_a_reset_or_an_undo() {
    let Some((display, folder)) = display_and_folder() else { return };
    // The drag is 160 pixels long: one agent at its start, and one every eight pixels. It is far
    // from the middle, where the flock starts.
    for (engine, key, back, agents) in [
        ("gpu", "d", "", 71),
        ("cpu", "Shift_L", "", 71),
        ("gpu", "d", "key r", 50),
        // The whole drag is one edit.
        ("gpu", "d", "key ctrl+z", 50),
        ("cpu", "d", "key ctrl+z", 50),
    ] {
        let program = start_on(engine, &display, &folder, "--count 50 --seed 1");
        display.until("a flock", |s| coloured(s) > 50);
        display.xdotool("key space");
        let before = display.until_still();
        display.xdotool(&format!("mousemove 400 500 keydown {key} mousedown 1 mousemove 450 500"));
        display.xdotool("mousemove 500 500 mousemove 560 500 mouseup 1");
        display.xdotool(&format!("keyup {key}"));
        let row = |s: &Shot| s.darts(392..568, 490..511).len();
        display.until("a row of agents", |s| row(s) > row(&before) + 300);
        if !back.is_empty() {
            display.xdotool(back);
            display.until("the row gone", |s| row(s) < row(&before) + 300);
        }
        let (out, _) = ends(&display, program);
        assert!(out.starts_with(&format!("{agents} agents, ")), "{out}");
    }
}

#[test]
fn geometry_is_shown_of_one_agent_then_of_all_then_of_none() {
    let Some((display, folder)) = display_and_folder() else { return };
    let program = start_on("gpu", &display, &folder, "--count 40 --seed 1");
    display.until("a flock", |s| coloured(s) > 50);
    display.xdotool("mousemove 600 300 key space key h key h");
    let none = display.until_still();
    display.xdotool("key g");
    let one = display.until("more than darts", |s| coloured(s) > coloured(&none) + 150);
    display.xdotool("key g");
    display.until("much more than darts", |s| coloured(s) > 2 * coloured(&one));
    display.xdotool("key g");
    display.until("darts alone", |s| *s == none);
    ends(&display, program);
}

/// A vehicle at rest in the middle, and a world that fills the window.
const VEHICLE: &str = "[world]\nsize = [900, 600]\nboundary = \"open\"\n[species.vehicle]\n\
                       count = 1\nspawn = { place = \"point\", speed = 0 }\n";

/// Starts a scene of this text and pauses it with the vehicle's geometry shown. (A few ticks may
/// have run.)
#[track_caller]
fn vehicle(text: &str) -> Option<Window> {
    let (display, folder) = display_and_folder()?;
    folder.write("vehicle.toml", format!("{text}\n{VEHICLE}"));
    let window = Window::start((display, folder), "--scene vehicle.toml");
    window.until("a vehicle", |s| coloured(s) > 10);
    window.xdotool("mousemove 450 300 key space key h key h key g");
    Some(window)
}

#[test]
fn a_click_makes_another_path() {
    let text = "click = \"path\"\n[[paths]]\n\
                points = [[0, 300], [300, 500], [600, 100], [900, 300]]\n\
                [species.vehicle.follow_path]";
    let Some(window) = vehicle(text) else { return };
    // The normal point shows where the path is.
    let first = window.until_still();
    window.xdotool("click 1");
    let second = window.until("another path", |s| *s != first);
    window.xdotool("click 1");
    window.until("a third path", |s| *s != first && *s != second);
    window.ends();
}

#[test]
fn a_target_moves_along_with_the_mouse() {
    let text = "click = \"target\"\n[[targets]]\nposition = [700, 300]\n[species.vehicle.seek]";
    let Some(window) = vehicle(text) else { return };
    // The way from the vehicle to its target is a line with a point at the target.
    let at = |s: &Shot, (x, y): (i64, i64)| s.darts(x - 4..x + 5, y - 4..y + 5).len();
    window.until("the target at its place", |s| at(s, (700, 300)) > 10);
    window.xdotool("mousemove 710 310 mousedown 1 mousemove 600 200 mousemove 500 100");
    let moved = |s: &Shot| at(s, (500, 100)) > 10 && at(s, (700, 300)) == 0;
    window.until("the target at the mouse", moved);
    window.xdotool("mouseup 1 mousemove 300 500");
    window.until_still();
    assert!(moved(&window.look()), "it stays where it was let go");
    window.xdotool("key r");
    window.until("the target back at its place", |s| at(s, (700, 300)) > 10);
    window.ends();
}

#[test]
fn a_target_follows_the_mouse_and_a_press_adds() {
    let text = "click = [\"follow\", \"add\"]\n[[targets]]\nposition = [700, 300]\n\
                [species.vehicle.seek]";
    let Some(window) = vehicle(text) else { return };
    let at = |s: &Shot, (x, y): (i64, i64)| s.darts(x - 4..x + 5, y - 4..y + 5).len();
    // No button is pressed.
    window.xdotool("mousemove 610 210 mousemove 500 100");
    let moved = |s: &Shot| at(s, (500, 100)) > 10 && at(s, (700, 300)) == 0;
    window.until("the target at the mouse", moved);
    window.xdotool("mousemove 250 500");
    window.until("the target at the mouse again", |s| at(s, (500, 100)) == 0);
    window.xdotool("mousemove 600 50");
    window.until("nothing where the mouse was", |s| at(s, (250, 500)) == 0);
    window.xdotool("mousemove 250 500 click 1 mousemove 600 50");
    window.until("another vehicle where the press was", |s| at(s, (250, 500)) > 10);
    window.ends();
}

/// The place with the most darts, in the middle of the window.
fn busiest(shot: &Shot) -> (i64, i64) {
    let places = (1..8).flat_map(|i| (1..5).map(move |j| (i * 100 + 50, j * 100 + 50)));
    places.max_by(|a, b| share_near(shot, *a).total_cmp(&share_near(shot, *b))).unwrap()
}

/// The new position of a pixel when `notches` of the wheel zoom about `fixed`. Positions are at
/// the pixels' corners.
fn to(pixel: i64, fixed: i64, notches: i32) -> f64 {
    let fixed = fixed as f64;
    fixed + (pixel as f64 + 0.5 - fixed) * 1.15_f64.powi(notches) - 0.5
}
