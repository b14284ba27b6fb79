//! Level 5: paths are drawn and walls painted in the window with real keys and a real mouse.

use crate::desktop::files::notice;
use crate::{scene, walls};
use flockwork::model::scene::ObstaclePlan;
use flockwork::model::vector::{Point, flat};

/// The points of the first path of a scene file.
fn points(text: &str) -> Vec<Point> {
    scene(text).paths.remove(0).points
}

/// True if each place belongs to a pixel: 1.40625 pixels are a world unit.
fn near(found: &[Point], pixels: &[[f32; 2]]) -> bool {
    let place = |[x, y]: &[f32; 2]| flat(x / 1.40625, 180.0 - (y - 300.0) / 1.40625);
    let close =
        |(found, pixel): (&Point, &[f32; 2])| (place(pixel) - *found).abs().max_element() < 1.0;
    found.len() == pixels.len() && found.iter().zip(pixels).all(close)
}

#[test]
fn a_path_is_drawn_dragged_and_undone() {
    let Some(window) = walls() else { return };
    let first = window.saved();
    // Esc lets it be, and so does a path of one point.
    window.steps(&[
        "key p",
        "mousemove 100 200 click 1",
        "mousemove 200 200 click 1",
        "key Escape",
    ]);
    assert_eq!(window.saved(), first);
    window.steps(&["key p", "mousemove 100 200 click 1", "key Return"]);
    window.until("a notice", notice);
    assert_eq!(window.saved(), first);
    // Three clicks, of which one is taken back, and Enter.
    window.steps(&["key p", "mousemove 100 200 click 1", "mousemove 150 400 click 1"]);
    window.steps(&["key BackSpace", "mousemove 200 100 click 1", "mousemove 300 400 click 1"]);
    window.steps(&["key Return"]);
    let drawn = window.saved();
    let corners = [[100.0, 200.0], [200.0, 100.0], [300.0, 400.0]];
    assert!(near(&points(&drawn), &corners), "{drawn}");
    // A point is dragged while the panel is shown.
    window.steps(&["key Tab", "mousemove 201 101", "mousedown 1", "mousemove 240 130"]);
    window.steps(&["mousemove 261 151", "mouseup 1"]);
    let dragged = window.saved();
    let moved = [corners[0], [260.0, 150.0], corners[2]];
    assert!(near(&points(&dragged), &moved), "{dragged}");
    window.steps(&["key ctrl+z"]);
    assert_eq!(window.saved(), drawn, "a whole drag is one edit");
    window.steps(&["key ctrl+z"]);
    assert_eq!(window.saved(), first);
    window.steps(&["key ctrl+shift+z"]);
    assert_eq!(window.saved(), drawn);
    window.steps(&["key ctrl+z", "key Tab"]);
    // A double click ends it; a click on the first point closes it.
    window.steps(&["key p", "mousemove 100 200 click 1", "mousemove 200 100 click 1"]);
    window.steps(&["mousemove 300 400 click --repeat 2 --delay 80 1"]);
    let ended = window.saved();
    assert_eq!(points(&ended), points(&drawn));
    assert!(!ended.contains("closed"), "{ended}");
    window.steps(&["key ctrl+z", "key p", "mousemove 100 200 click 1"]);
    window.steps(&["mousemove 200 100 click 1", "mousemove 300 400 click 1"]);
    window.steps(&["mousemove 102 199 click 1"]);
    let closed = window.saved();
    assert_eq!(points(&closed), points(&drawn));
    assert!(closed.contains("closed = true"), "{closed}");
    // A drag draws too.
    window.steps(&["key ctrl+z", "key p", "mousemove 100 450 mousedown 1", "mousemove 200 450"]);
    window.steps(&["mousemove 300 450 mouseup 1", "key Return"]);
    let points = points(&window.saved());
    assert!(points.len() == 9 && points.iter().all(|p| (p.y - 73.3).abs() < 1.0), "{points:?}");
    window.ends();
}

#[test]
fn a_path_has_rows_in_the_panel() {
    let Some(window) = walls() else { return };
    let first = window.saved();
    // The section, and its button.
    window.steps(&["key Tab", "mousemove 640 275 click 1", "mousemove 632 320 click 1"]);
    window.steps(&["mousemove 100 200", "click 1", "mousemove 300 400 click 1", "key Return"]);
    let drawn = window.saved();
    assert!(drawn.contains("[[paths]]"), "{drawn}");
    window.steps(&["mousemove 622 383 click 1"]);
    assert!(window.saved().contains("closed = true"));
    window.steps(&["mousemove 690 383 click 1"]);
    assert!(window.saved().contains("shown = false"));
    window.steps(&["mousemove 640 360 click 1", "key ctrl+a", "type road", "key Return"]);
    let named = window.saved();
    assert!(named.contains("name = \"road\""), "{named}");
    window.steps(&["key ctrl+z", "key ctrl+z", "key ctrl+z"]);
    assert_eq!(window.saved(), drawn);
    window.steps(&["mousemove 710 361 click 1"]);
    assert_eq!(window.saved(), first, "it was removed");
    window.ends();
}

#[test]
fn a_wall_is_painted_without_a_gap_and_undone_at_once() {
    let Some(window) = walls() else { return };
    let first = window.saved();
    let stroke = |from: &str, over: &str, to: &str| {
        let words = [format!("mousemove {from} mousedown 1"), format!("mousemove {over}")];
        window.steps(&words.each_ref().map(String::as_str));
        window.steps(&[&format!("mousemove {to}"), "mouseup 1"]);
    };
    window.steps(&["key w"]);
    window.until("a notice: nothing avoids walls", notice);
    stroke("100 200", "100 400", "300 400");
    let one = window.saved();
    stroke("400 200", "420 200", "500 300");
    let two = window.saved();
    // Obstacles act on those that have the behaviour; the drawing is the same without it.
    let (wall, both) = (scene(&one).obstacle_plans, scene(&two).obstacle_plans);
    assert!(wall.len() > 20 && both.len() > wall.len() + 5, "{} {}", wall.len(), both.len());
    assert_eq!(both[..wall.len()], wall[..]);
    let gap = |pair: &[ObstaclePlan]| {
        let [a, b] = [0, 1].map(|index| pair[index].position.unwrap());
        a.distance(b) > pair[0].radius * 1.01
    };
    assert!(!wall.windows(2).any(gap), "{wall:?}");
    window.steps(&["key ctrl+z"]);
    assert_eq!(window.saved(), one, "a whole stroke is one edit");
    window.steps(&["key ctrl+z"]);
    assert_eq!(window.saved(), first);
    // A key in the frame of a stroke leaves the stroke as it is.
    for key in ["Escape", "Return", "w", "p"] {
        window.xdotool("mousemove 400 200 mousedown 1");
        window.xdotool(&format!("mousemove 420 200 mousemove 500 300 mouseup 1 key {key}"));
        window.steps(&["key Escape"]);
        assert!(scene(&window.saved()).obstacle_plans.len() > 5, "{key}");
        window.steps(&["key ctrl+z", "key w"]);
        assert_eq!(window.saved(), first, "{key}");
    }
    // After Esc the left button does what it always does.
    window.steps(&["key Escape"]);
    stroke("100 200", "100 400", "300 400");
    assert_eq!(window.saved(), first);
    window.ends();
}
