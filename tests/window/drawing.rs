//! Level 5: paths are drawn and walls painted in the window with real keys and a real mouse.

use crate::desktop::files::{ends, notice, saved, steps};
use crate::walls;

/// Every pair of numbers after a word.
fn places(text: &str, word: &str) -> Vec<[f32; 2]> {
    // A long list has a line for each pair.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace("[ [", "[[").replace("], ]", "]]");
    let (_, rest) = text.split_once(word).unwrap_or_else(|| panic!("{word}: {text}"));
    let (list, _) = rest.split_once("]]").unwrap();
    let pair = |pair: &str| -> [f32; 2] {
        let numbers: Vec<f32> = pair.split(", ").map(|n| n.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    };
    list.trim_start_matches('[').split("], [").map(pair).collect()
}

/// True if each place belongs to a pixel: 1.40625 pixels are a world unit.
fn near(found: &[[f32; 2]], pixels: &[[f32; 2]]) -> bool {
    let place = |[x, y]: &[f32; 2]| [x / 1.40625, 180.0 - (y - 300.0) / 1.40625];
    let close = |(found, pixel): (&[f32; 2], &[f32; 2])| {
        place(pixel).iter().zip(found).all(|(wanted, found)| (wanted - found).abs() < 1.0)
    };
    found.len() == pixels.len() && found.iter().zip(pixels).all(close)
}

#[test]
fn a_path_is_drawn_dragged_and_undone() {
    let Some((display, folder, program)) = walls() else { return };
    let file = || saved(&display, folder.path());
    let first = file();
    // Esc lets it be, and so does a path of one point.
    steps(
        &display,
        &["key p", "mousemove 100 200 click 1", "mousemove 200 200 click 1", "key Escape"],
    );
    assert_eq!(file(), first);
    steps(&display, &["key p", "mousemove 100 200 click 1", "key Return"]);
    display.until("a notice", notice);
    assert_eq!(file(), first);
    // Three clicks, of which one is taken back, and Enter.
    steps(&display, &["key p", "mousemove 100 200 click 1", "mousemove 150 400 click 1"]);
    steps(&display, &["key BackSpace", "mousemove 200 100 click 1", "mousemove 300 400 click 1"]);
    steps(&display, &["key Return"]);
    let drawn = file();
    let corners = [[100.0, 200.0], [200.0, 100.0], [300.0, 400.0]];
    assert!(near(&places(&drawn, "points = ["), &corners), "{drawn}");
    // A point is dragged while the panel is shown.
    steps(&display, &["key Tab", "mousemove 201 101", "mousedown 1", "mousemove 240 130"]);
    steps(&display, &["mousemove 261 151", "mouseup 1"]);
    let dragged = file();
    let moved = [corners[0], [260.0, 150.0], corners[2]];
    assert!(near(&places(&dragged, "points = ["), &moved), "{dragged}");
    steps(&display, &["key ctrl+z"]);
    assert_eq!(file(), drawn, "a whole drag is one edit");
    steps(&display, &["key ctrl+z"]);
    assert_eq!(file(), first);
    steps(&display, &["key ctrl+shift+z"]);
    assert_eq!(file(), drawn);
    steps(&display, &["key ctrl+z", "key Tab"]);
    // A double click ends it; a click on the first point closes it.
    steps(&display, &["key p", "mousemove 100 200 click 1", "mousemove 200 100 click 1"]);
    steps(&display, &["mousemove 300 400 click --repeat 2 --delay 80 1"]);
    let ended = file();
    assert_eq!(places(&ended, "points = ["), places(&drawn, "points = ["));
    assert!(!ended.contains("closed"), "{ended}");
    steps(&display, &["key ctrl+z", "key p", "mousemove 100 200 click 1"]);
    steps(&display, &["mousemove 200 100 click 1", "mousemove 300 400 click 1"]);
    steps(&display, &["mousemove 102 199 click 1"]);
    let closed = file();
    assert_eq!(places(&closed, "points = ["), places(&drawn, "points = ["));
    assert!(closed.contains("closed = true"), "{closed}");
    // A drag draws too.
    steps(&display, &["key ctrl+z", "key p", "mousemove 100 450 mousedown 1", "mousemove 200 450"]);
    steps(&display, &["mousemove 300 450 mouseup 1", "key Return"]);
    let points = places(&file(), "points = [");
    assert!(points.len() == 9 && points.iter().all(|[_, y]| (y - 73.3).abs() < 1.0), "{points:?}");
    ends(&display, program);
}

#[test]
fn a_path_has_rows_in_the_panel() {
    let Some((display, folder, program)) = walls() else { return };
    let file = || saved(&display, folder.path());
    let first = file();
    // The section, and its button.
    steps(&display, &["key Tab", "mousemove 640 275 click 1", "mousemove 632 320 click 1"]);
    steps(&display, &["mousemove 100 200", "click 1", "mousemove 300 400 click 1", "key Return"]);
    let drawn = file();
    assert!(drawn.contains("[[paths]]"), "{drawn}");
    steps(&display, &["mousemove 622 383 click 1"]);
    assert!(file().contains("closed = true"));
    steps(&display, &["mousemove 690 383 click 1"]);
    assert!(file().contains("shown = false"));
    steps(&display, &["mousemove 640 360 click 1", "key ctrl+a", "type road", "key Return"]);
    let named = file();
    assert!(named.contains("name = \"road\""), "{named}");
    steps(&display, &["key ctrl+z", "key ctrl+z", "key ctrl+z"]);
    assert_eq!(file(), drawn);
    steps(&display, &["mousemove 710 361 click 1"]);
    assert_eq!(file(), first, "it was removed");
    ends(&display, program);
}

#[test]
fn a_wall_is_painted_without_a_gap_and_undone_at_once() {
    let Some((display, folder, program)) = walls() else { return };
    let file = || saved(&display, folder.path());
    let first = file();
    let stroke = |from: &str, over: &str, to: &str| {
        let words = [format!("mousemove {from} mousedown 1"), format!("mousemove {over}")];
        steps(&display, &words.each_ref().map(String::as_str));
        steps(&display, &[&format!("mousemove {to}"), "mouseup 1"]);
    };
    steps(&display, &["key w"]);
    display.until("a notice: nothing avoids walls", notice);
    stroke("100 200", "100 400", "300 400");
    let one = file();
    stroke("400 200", "420 200", "500 300");
    let two = file();
    // Obstacles act on those that have the behaviour; the drawing is the same without it.
    let circles = |text: &str| -> Vec<[f32; 3]> {
        let tables = text.split("[[obstacles]]").skip(1);
        let one = |table: &str| {
            let [x, y] = places(&table.replacen(']', "]]", 1), "position = [")[0];
            let (_, rest) = table.split_once("radius = ").unwrap();
            [x, y, rest.lines().next().unwrap().parse().unwrap()]
        };
        tables.map(one).collect()
    };
    let (wall, both) = (circles(&one), circles(&two));
    assert!(wall.len() > 20 && both.len() > wall.len() + 5, "{} {}", wall.len(), both.len());
    assert_eq!(both[..wall.len()], wall[..]);
    let gap = |pair: &[[f32; 3]]| {
        let [[x, y, radius], [u, v, _]] = [pair[0], pair[1]];
        (x - u).hypot(y - v) > radius * 1.01
    };
    assert!(!wall.windows(2).any(gap), "{wall:?}");
    steps(&display, &["key ctrl+z"]);
    assert_eq!(file(), one, "a whole stroke is one edit");
    steps(&display, &["key ctrl+z"]);
    assert_eq!(file(), first);
    // A key in the frame of a stroke leaves the stroke as it is.
    for key in ["Escape", "Return", "w", "p"] {
        display.xdotool("mousemove 400 200 mousedown 1");
        display.xdotool(&format!("mousemove 420 200 mousemove 500 300 mouseup 1 key {key}"));
        steps(&display, &["key Escape"]);
        assert!(circles(&file()).len() > 5, "{key}");
        steps(&display, &["key ctrl+z", "key w"]);
        assert_eq!(file(), first, "{key}");
    }
    // After Esc the left button does what it always does.
    steps(&display, &["key Escape"]);
    stroke("100 200", "100 400", "300 400");
    assert_eq!(file(), first);
    ends(&display, program);
}
