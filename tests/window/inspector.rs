//! Level 5: the inspector of the window, with real keys and a real mouse.

use std::fs;

use crate::desktop::files::{ends, notice, start_on, steps};
use crate::desktop::{Display, Program, Shot};
use crate::display_and_folder;

/// Two agents that fly to the right, one across the seam from the other, in a world that fills the
/// window. The left one can still fly faster, so separation pushes it.
const PAIR: &str = "[world]\nsize = [900, 600]\nboundary = \"wrap\"\n[species.left]\ncount = 1\n\
                    max_speed = 3\n\
                    spawn = { place = \"point\", at = [20, 300], heading = 0, speed = 2 }\n\
                    [species.left.separation]\nradius = 60\n\
                    [species.right]\ncount = 1\nmax_speed = 2\n\
                    spawn = { place = \"point\", at = [880, 300], heading = 0, speed = 2 }\n";

/// Pixels of the colour of separation in some columns.
fn separation(shot: &Shot, columns: std::ops::Range<u32>) -> usize {
    shot.count(columns, 60..560, |[r, g, b]| r > 190 && (70..115).contains(&g) && b < 25)
}

/// The grey of the panel in the lower right corner.
fn panel(shot: &Shot) -> bool {
    shot.count(700..890, 520..521, |rgb| rgb == [27; 3]) > 100
}

fn start(display: &Display, folder: &std::path::Path, engine: &str) -> Program {
    fs::write(folder.join("pair.toml"), PAIR).unwrap();
    let program = start_on(engine, display, folder, "--scene pair.toml");
    display.xdotool("mousemove 450 100 key space key r");
    display.until("two agents", |s| s.darts(0..900, 100..500).len() > 20);
    program
}

#[test]
fn an_agent_is_inspected_and_followed_across_the_seam() {
    let Some((display, folder)) = display_and_folder() else { return };
    for engine in ["cpu", "gpu"] {
        let program = start(&display, &folder, engine);
        let none = display.until_still();
        assert!(!panel(&none) && separation(&none, 0..900) == 0);
        display.xdotool("key f");
        display.until("a sentence", notice);
        // Far from all agents Ctrl and a click choose the nearest: the right one, which feels no force.
        display.xdotool("mousemove 600 450 keydown ctrl click 1 keyup ctrl");
        display.until("a panel", |s| panel(s) && separation(s, 0..120) < 10);

        display.xdotool("mousemove 20 300 keydown ctrl click 1 keyup ctrl mousemove 450 100");
        let held =
            display.until("a panel and an arrow", |s| panel(s) && separation(s, 0..120) > 60);
        // The other is across the seam: the arrow points away from it, to the right.
        assert!(separation(&held, 24..120) > 4 * separation(&held, 0..20), "{engine}");

        // The camera follows it: it is in the middle while time goes on.
        display.xdotool("key f");
        let middle = |s: &Shot| s.darts(440..461, 290..311).len() > 20;
        display.until("the agent in the middle", |s| middle(s) && separation(s, 440..540) > 60);
        steps(&display, &["key Right"]);
        // A second later both are far from the seam, and the neighbour is still marked.
        display.until("the agent in the middle a second later", |s| middle(s) && panel(s));
        steps(&display, &["key space"]);
        display.until("the agent in the middle while it flies", |s| middle(s) && panel(s));
        display.xdotool("key space");

        // A right drag ends that, and Escape lets it go.
        display
            .xdotool("mousemove 450 400 mousedown 3 mousemove 480 400 mousemove 550 400 mouseup 3");
        display.until("the agent elsewhere", |s| !middle(s) && panel(s));
        display.xdotool("key Escape");
        display.until("no panel", |s| !panel(s));
        ends(&display, program);
    }
}
