//! Level 5: species are added, renamed and removed in the panel with real keys and a real mouse.

use crate::adapter;
use crate::png_file;
use std::fs;

use crate::desktop::files::{done, ends, new_file, notice, saved, steps};
use crate::desktop::{Display, Shot, flockwork};
use crate::{walls, window_of};

/// Two species, each with one row in the panel.
const TWO: &str = "[world]\nboundary = \"walls\"\n[species.bird]\ncount = 20\nsize = 12\nwander = {}\n\
                   [species.hawk]\ncount = 3\nsize = 12\npursue = { with = \"bird\" }\n";

#[test]
fn a_species_is_added_renamed_removed_and_undone() {
    let Some((display, folder, program)) = walls() else { return };
    let file = || saved(&display, folder.path());
    let first = file();
    // The button beside the name of the only species.
    steps(&display, &["key Tab", "mousemove 648 129", "click 1"]);
    display.until_title(&program, "40 agents");
    let added = file();
    assert!(added.contains("[species.vehicle2]") && added.contains("[species.vehicle]"), "{added}");
    steps(&display, &["key ctrl+z"]);
    display.until_title(&program, "20 agents");
    assert_eq!(file(), first);
    steps(&display, &["key ctrl+shift+z"]);
    display.until_title(&program, "40 agents");
    assert_eq!(file(), added);
    // Its name is the first row of its body.
    steps(&display, &["mousemove 650 253 click 1", "mousemove 685 275 click 1", "key ctrl+a"]);
    steps(&display, &["type birds", "key Escape"]);
    assert_eq!(file(), added, "Esc lets the name be");
    steps(&display, &["mousemove 685 275 click 1", "key ctrl+a", "type birds", "key Return"]);
    let renamed = file();
    assert!(renamed.contains("[species.birds]") && !renamed.contains("[species.vehicle]"));
    // The button behind its name takes it away, with its agents.
    let session = new_file(&display, folder.path(), "ctrl+shift+s");
    assert!(fs::read_to_string(session).unwrap().contains("newcomers = 20"));
    steps(&display, &["mousemove 652 129", "click 1"]);
    display.until_title(&program, "20 agents");
    let removed = file();
    assert!(removed.contains("[species.vehicle2]") && !removed.contains("[species.birds]"));
    steps(&display, &["key ctrl+z", "key ctrl+z", "key ctrl+z"]);
    display.until_title(&program, "20 agents");
    assert_eq!(file(), first);
    ends(&display, program);
}

#[test]
fn a_session_with_species_that_came_and_went_is_replayed() {
    let Some((display, folder, program)) = window_of("two.toml", TWO, "23 agents") else { return };
    steps(&display, &["key Tab", "mousemove 631 152", "click 1"]);
    display.until_title(&program, "43 agents");
    // The first one goes: the numbers of all others change.
    steps(&display, &["mousemove 646 152", "click 1"]);
    display.until_title(&program, "23 agents");
    steps(&display, &["key space"]);
    let session = new_file(&display, folder.path(), "ctrl+shift+s");
    let scene = new_file(&display, folder.path(), "ctrl+s");
    let text = fs::read_to_string(&scene).unwrap();
    assert!(text.contains("with = [\"bird2\"]"), "{text}");
    ends(&display, program);
    let text = fs::read_to_string(&session).unwrap();
    assert!(text.contains("without = \"bird\""), "{text}");
    done(
        folder.path(),
        &format!("capture --engine cpu --replay {} --out a.png", session.display()),
    );
    let picture = Shot(png_file::open(&folder.path().join("a.png")));
    assert!(picture.darts(0..1280, 0..720).len() > 1000);
    let line =
        format!("simulate --engine cpu --scene {} --ticks 5 --out state.csv", scene.display());
    done(folder.path(), &line);
}

#[test]
fn the_keyboard_alone_goes_through_the_panel() {
    let Some((display, folder, program)) = walls() else { return };
    let file = || saved(&display, folder.path());
    let first = file();
    // Down enters the panel; the fourth is the button that adds a species.
    steps(&display, &["key Tab", "key Down", "key Tab", "key Tab", "key Tab", "key space"]);
    display.until_title(&program, "40 agents");
    steps(&display, &["key Escape", "key ctrl+z"]);
    display.until_title(&program, "20 agents");
    // Outside the panel Tab hides it; without it Down does nothing.
    steps(&display, &["key Tab", "key Down", "key Tab"]);
    assert_eq!(file(), first);
    // The slider of the weight: arrows change it.
    steps(&display, &["key Down", "key Tab", "key Tab", "key Tab", "key Tab", "key Tab"]);
    steps(&display, &["key Tab", "key Right", "key Right", "key Right"]);
    let changed = file();
    assert!(changed.contains("weight = 1."), "{changed}");
    steps(&display, &["key Left", "key Left", "key Left", "key Left", "key Left"]);
    let less = file();
    assert!(less.contains("weight = 0."), "{less}");
    steps(&display, &["key shift+Tab", "key space"]);
    assert_eq!(file(), first, "the button before it takes the weight back");
    ends(&display, program);
}

#[test]
fn a_gpu_that_is_software_is_named_at_the_start_and_once() {
    let Some(gpu) = adapter::gpu() else { return };
    let Some(display) = Display::open("1000x700") else { return };
    let mut program = display.start(flockwork("run --engine gpu --size 900x600 --scene walls"));
    display.focus(&mut program);
    if gpu.is_software() {
        display.until("a notice", notice);
    }
    display.until("no notice any more", |shot| !notice(shot));
    steps(&display, &["key e", "key e"]);
    assert!(!notice(&display.look()));
    ends(&display, program);
}

#[test]
fn the_interface_grows_and_shrinks_by_keys() {
    let Some((display, _folder, program)) = walls() else { return };
    steps(&display, &["key space", "key Tab", "mousemove 200 300"]);
    let usual = display.until_still();
    let panel = |shot: &Shot| shot.count(0..900, 0..600, |rgb| rgb == [27; 3]);
    let area = panel(&usual);
    assert!(area > 30_000, "{area}");
    steps(&display, &["key ctrl+minus", "key ctrl+minus"]);
    display.until("a smaller panel", |shot| panel(shot) < area * 8 / 10);
    display.xdotool("key ctrl+0");
    display.until("the usual panel", |shot| *shot == usual);
    steps(&display, &["key ctrl+plus", "key ctrl+plus"]);
    display.until("a larger panel", |shot| panel(shot) > area * 12 / 10);
    ends(&display, program);
}

/// One species with a rule in text alone.
const RULE: &str = "[world]\nboundary = \"walls\"\n[species.bird]\ncount = 20\nsize = 12\n\
                    [species.bird.rules.swirl]\nparameters = { k = { value = 1, range = [0, 2] } }\n\
                    sum.n = \"1\"\nforce = \"k * n * velocity\"\n";

#[test]
fn a_formula_is_typed_undone_and_saved_with_the_session() {
    let Some((display, folder, program)) = window_of("rule.toml", RULE, "20 agents") else {
        return;
    };
    let file = || saved(&display, folder.path());
    let first = file();
    // The field of the force is below the field of the only sum.
    steps(&display, &["key Tab", "mousemove 700 269", "click 1", "key End", "type *zn"]);
    let wrong = file();
    assert_eq!(wrong, first, "a name that is not there is no formula");
    steps(&display, &["key BackSpace BackSpace", "type n", "key Escape"]);
    let typed = file();
    assert!(typed.contains("force = \"k * n * velocity*n\""), "{typed}");
    steps(&display, &["mousemove 300 400", "key ctrl+z"]);
    assert_eq!(file(), first);
    steps(&display, &["key ctrl+shift+z"]);
    assert_eq!(file(), typed);
    let session = new_file(&display, folder.path(), "ctrl+shift+s");
    ends(&display, program);
    let text = fs::read_to_string(&session).unwrap();
    assert!(text.contains("bird.rules.swirl.force="), "{text}");
    done(
        folder.path(),
        &format!("capture --engine cpu --replay {} --out a.png", session.display()),
    );
}
