//! Level 5: species are added, renamed and removed in the panel with real keys and a real mouse.

use crate::adapter;
use std::fs;

use crate::desktop::files::{ends, notice, steps};
use crate::desktop::{Display, Shot, flockwork};
use crate::shell::done;
use crate::{walls, window_of};

#[test]
fn a_species_is_added_renamed_removed_and_undone() {
    let Some(window) = walls() else { return };
    let first = window.saved();
    // The button beside the name of the only species.
    window.steps(&["key Tab", "mousemove 648 129", "click 1"]);
    window.until_title("40 agents");
    let added = window.saved();
    assert!(added.contains("[species.vehicle2]") && added.contains("[species.vehicle]"), "{added}");
    window.steps(&["key ctrl+z"]);
    window.until_title("20 agents");
    assert_eq!(window.saved(), first);
    window.steps(&["key ctrl+shift+z"]);
    window.until_title("40 agents");
    assert_eq!(window.saved(), added);
    // Its name is the first row of its body.
    window.steps(&["mousemove 650 253 click 1", "mousemove 685 275 click 1", "key ctrl+a"]);
    window.steps(&["type birds", "key Escape"]);
    assert_eq!(window.saved(), added, "Esc lets the name be");
    window.steps(&["mousemove 685 275 click 1", "key ctrl+a", "type birds", "key Return"]);
    let renamed = window.saved();
    assert!(renamed.contains("[species.birds]") && !renamed.contains("[species.vehicle]"));
    // The button behind its name takes it away, with its agents.
    let session = window.new_file("ctrl+shift+s");
    assert!(fs::read_to_string(session).unwrap().contains("newcomers = 20"));
    window.steps(&["mousemove 652 129", "click 1"]);
    window.until_title("20 agents");
    let removed = window.saved();
    assert!(removed.contains("[species.vehicle2]") && !removed.contains("[species.birds]"));
    window.steps(&["key ctrl+z", "key ctrl+z", "key ctrl+z"]);
    window.until_title("20 agents");
    assert_eq!(window.saved(), first);
    window.ends();
}

#[test]
fn the_keyboard_alone_goes_through_the_panel() {
    let Some(window) = walls() else { return };
    let first = window.saved();
    // Down enters the panel; the fourth is the button that adds a species.
    window.steps(&["key Tab", "key Down", "key Tab", "key Tab", "key Tab", "key space"]);
    window.until_title("40 agents");
    window.steps(&["key Escape", "key ctrl+z"]);
    window.until_title("20 agents");
    // Outside the panel Tab hides it; without it Down does nothing.
    window.steps(&["key Tab", "key Down", "key Tab"]);
    assert_eq!(window.saved(), first);
    // The slider of the weight: arrows change it.
    window.steps(&["key Down", "key Tab", "key Tab", "key Tab", "key Tab", "key Tab"]);
    window.steps(&["key Tab", "key Right", "key Right", "key Right"]);
    let changed = window.saved();
    assert!(changed.contains("weight = 1."), "{changed}");
    window.steps(&["key Left", "key Left", "key Left", "key Left", "key Left"]);
    let less = window.saved();
    assert!(less.contains("weight = 0."), "{less}");
    window.steps(&["key shift+Tab", "key space"]);
    assert_eq!(window.saved(), first, "the button before it takes the weight back");
    window.ends();
}

#[test]
fn a_gpu_that_is_software_is_named_at_the_start_and_once() {
    let Some(gpu) = adapter::gpu() else { return };
    let Some(display) = Display::open("1000x700") else { return };
    let program = display.open_window(flockwork("run --engine gpu --size 900x600 --scene walls"));
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
    let Some(window) = walls() else { return };
    window.steps(&["key space", "key Tab", "mousemove 200 300"]);
    let usual = window.until_still();
    let panel = |shot: &Shot| shot.count(0..900, 0..600, |rgb| rgb == [27; 3]);
    let area = panel(&usual);
    assert!(area > 30_000, "{area}");
    window.steps(&["key ctrl+minus", "key ctrl+minus"]);
    window.until("a smaller panel", |shot| panel(shot) < area * 8 / 10);
    window.xdotool("key ctrl+0");
    window.until("the usual panel", |shot| *shot == usual);
    window.steps(&["key ctrl+plus", "key ctrl+plus"]);
    window.until("a larger panel", |shot| panel(shot) > area * 12 / 10);
    window.ends();
}

/// One species with a rule in text alone.
const RULE: &str = "[world]\nboundary = \"walls\"\n[species.bird]\ncount = 20\nsize = 12\n\
                    [species.bird.rules.swirl]\nparameters = { k = { value = 1, range = [0, 2] } }\n\
                    sum.n = \"1\"\nforce = \"k * n * velocity\"\n";

#[test]
fn a_formula_is_typed_undone_and_saved_with_the_session() {
    let Some(window) = window_of("rule.toml", RULE, "20 agents") else { return };
    let first = window.saved();
    // The field of the force is below the field of the only sum.
    window.steps(&["key Tab", "mousemove 700 269", "click 1", "key End", "type *zn"]);
    let wrong = window.saved();
    assert_eq!(wrong, first, "a name that is not there is no formula");
    window.steps(&["key BackSpace BackSpace", "type n", "key Escape"]);
    let typed = window.saved();
    assert!(typed.contains("force = \"k * n * velocity*n\""), "{typed}");
    window.steps(&["mousemove 300 400", "key ctrl+z"]);
    assert_eq!(window.saved(), first);
    window.steps(&["key ctrl+shift+z"]);
    assert_eq!(window.saved(), typed);
    let session = window.new_file("ctrl+shift+s");
    let (_, folder) = window.ends();
    let text = fs::read_to_string(&session).unwrap();
    assert!(text.contains("bird.rules.swirl.force="), "{text}");
    done(&folder, &format!("capture --engine cpu --replay {} --out a.png", session.display()));
}
