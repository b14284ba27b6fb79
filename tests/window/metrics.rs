//! Level 5: the metrics of the window, with real keys and a real mouse.

use std::collections::HashSet;
use std::fs;

use crate::desktop::files::{ends, notice};
use crate::desktop::{Shot, flockwork};
use crate::shell::done;
use crate::{Window, display_and_folder};

const FLOCK: &str = "--scene flock --count 300 --seed 5";

/// The columns of the panel's plots; pixels from the left edge.
const PLOTS: (u32, u32) = (48, 300);

/// The number of pixels that have the colour of curves in some columns of the panel.
fn curves(shot: &Shot, columns: std::ops::Range<u32>) -> usize {
    shot.count(columns, 60..600, |[r, g, b]| r < 140 && g > 170 && b > 220)
}

/// The middle row of the plot at the top: the highest cursor line is in it.
fn cursor(shot: &Shot) -> Option<(u32, u32)> {
    let line = |[r, g, b]: [u8; 3]| r > 120 && r > g + 20 && g > b + 20;
    let is_line = |x: u32, y: u32| shot.0.rgb(x, y).is_some_and(line);
    let mut places = (60..540).flat_map(|y| (PLOTS.0..PLOTS.1 + 8).map(move |x| (x, y)));
    // Curves cross it.
    let rows = |x: u32, y: u32| (0..40).filter(move |down| is_line(x, y + down)).count();
    let found = places.find(|(x, y)| rows(*x, *y) >= 32);
    found.map(|(x, y)| (x, y + 24))
}

#[test]
fn metrics_are_plotted_jumped_to_and_saved() {
    let Some(place) = display_and_folder() else { return };
    let window = Window::start(place, FLOCK);
    window.xdotool("mousemove 700 300 key plus key plus");
    let before = window.until("a flock", |s| s.darts(320..900, 0..600).len() > 60);
    assert_eq!(cursor(&before), None);
    window.xdotool("key m");
    window.until("curves and their cursor", |s| curves(s, 60..300) > 300 && cursor(s).is_some());
    window.steps(&["key space"]);
    let paused = window.until("the cursor of a paused flock", |s| cursor(s).is_some());
    let (x, y) = cursor(&paused).unwrap();
    assert!(x > 290, "the present is at the right: {x}");

    // A click in a plot goes to its tick.
    let (left, right) = PLOTS;
    window.xdotool(&format!("mousemove {} {y} click 1", (left + right) / 2));
    let half = window.until("the cursor in the middle", |s| {
        cursor(s).is_some_and(|(x, _)| x.abs_diff((left + right) / 2) < 12)
    });
    assert!(curves(&half, 60..170) > 50);

    // One key saves all metrics. Each row equals the row of the same run without a window.
    let file = window.new_file("ctrl+m");
    window.until("a notice", notice);
    // The record beside it may be found first.
    let file = file.with_extension("").with_extension("csv");
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("flock-tick") && name.ends_with(".csv"), "{name}");
    let text = fs::read_to_string(&file).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    let tick = |row: &str| row.split(',').next().unwrap().parse::<u64>().unwrap();
    let last = tick(rows.last().unwrap());
    let record = format!("--scene {}.run.toml", name.trim_end_matches(".csv"));
    for made in [FLOCK, &record] {
        let line = format!("simulate --engine cpu {made} --ticks {last} --metrics all.csv");
        done(&window.folder, &line);
        let all = window.folder.text("all.csv");
        let all: HashSet<&str> = all.lines().collect();
        assert!(rows.len() > 3 && rows.iter().all(|row| all.contains(row)), "{text}");
    }
    assert!(rows[1..].windows(2).all(|pair| tick(pair[0]) < tick(pair[1])), "{text}");

    // Escape closes the panel. Without a folder there is one sentence, and nothing else is lost.
    window.xdotool("key Escape");
    window.until("no panel", |s| cursor(s).is_none());
    std::thread::sleep(std::time::Duration::from_secs(7));
    window.until("no notice", |s| !notice(s));
    fs::remove_dir_all(&window.folder).unwrap();
    window.xdotool("key ctrl+m");
    window.until("a sentence", notice);
    window.ends();
}

#[test]
fn the_panel_fits_a_small_window_and_folds() {
    let Some((display, folder)) = display_and_folder() else { return };
    let mut command = flockwork(&format!("run --engine cpu --size 640x480 {FLOCK}"));
    command.current_dir(&folder);
    let program = display.open_window(command);
    display.xdotool("mousemove 500 200 key m");
    let shot = display.until("curves", |s| curves(s, 60..300) > 100 && cursor(s).is_some());
    // The panel begins below the overlay and ends above the lower edge.
    let grey = |shot: &Shot, y: u32| {
        let is_grey = |[r, g, b]: [u8; 3]| r == g && g == b && (20..80).contains(&r);
        (20..300).filter(|x| shot.0.rgb(*x, y).is_some_and(is_grey)).count() > 100
    };
    let top = (0..480).find(|y| grey(&shot, *y)).unwrap();
    assert!((40..80).contains(&top) && grey(&shot, 300) && !grey(&shot, 476), "{top}");
    // A click on its title folds it.
    display.xdotool(&format!("mousemove 26 {} click 1", top + 18));
    display.until("only its title", |s| cursor(s).is_none() && !grey(s, 300));
    ends(&display, program);
}
