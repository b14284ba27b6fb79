//! Level 5: the window with a flock in space, with real keys and a real mouse.

use crate::desktop::Shot;
use crate::desktop::files::{SIZE, ends, start_on, steps};
use crate::display_and_folder;

/// Two agents that stand, one behind the other as seen by the scene's camera, and a target.
const PAIR: &str = "[world]\nsize = [300, 300, 200]\nboundary = \"walls\"\n\
                    [camera]\nazimuth = 0\nelevation = 0\norbit = \"none\"\n\
                    [species.near]\ncount = 1\nsize = 9\nlook = \"disc\"\ncolour = \"#FF2020\"\n\
                    spawn = { place = \"point\", at = [150, 60, 100], speed = 0 }\n\
                    [species.far]\ncount = 1\nsize = 9\nlook = \"disc\"\ncolour = \"#20FF20\"\n\
                    spawn = { place = \"point\", at = [150, 240, 100], speed = 0 }\n";

/// Number and mean column of the pixels in which one channel is more than twice as light as the others.
fn blob(shot: &Shot, channel: usize) -> (usize, f64) {
    let places = (0..SIZE.0 as u32).flat_map(|x| (60..560).map(move |y| (x, y)));
    let own = |rgb: [u8; 3]| {
        let others = (0..3).filter(|i| *i != channel).map(|i| rgb[i]).max().unwrap_or(0);
        rgb[channel] > 60 && rgb[channel] / 2 > others
    };
    let columns: Vec<f64> = places
        .filter(|(x, y)| shot.0.rgb(*x, *y).is_some_and(own))
        .map(|(x, _)| f64::from(x))
        .collect();
    (columns.len(), columns.iter().sum::<f64>() / columns.len().max(1) as f64)
}

const RED: usize = 0;
const GREEN: usize = 1;

#[test]
fn the_mouse_goes_round_a_space() {
    let Some((display, folder)) = display_and_folder() else { return };
    folder.write("pair.toml", PAIR);
    for engine in ["cpu", "gpu"] {
        let program = start_on(engine, &display, &folder, "--scene pair.toml");
        display.xdotool("mousemove 450 120 key space key h key h");
        // The near one hides the far one.
        let only_red = |s: &Shot| blob(s, RED).0 > 60 && blob(s, GREEN).0 == 0;
        let first = display.until("the near agent before the far one", only_red);
        let (size, column) = blob(&first, RED);

        // A right drag goes round: the near one moves with the mouse, the far one against it.
        display
            .xdotool("mousemove 450 300 mousedown 3 mousemove 470 300 mousemove 530 300 mouseup 3");
        let apart = |s: &Shot| {
            let (red, green) = (blob(s, RED), blob(s, GREEN));
            green.0 > 20 && red.1 > column + 10.0 && green.1 < column - 10.0
        };
        let turned = display.until("both agents from the side", apart);
        assert!(blob(&turned, RED).0 > blob(&turned, GREEN).0, "{engine}: what is near is larger");

        // The middle button moves all of it.
        display
            .xdotool("mousemove 450 300 mousedown 2 mousemove 470 300 mousemove 510 300 mouseup 2");
        let moved = |s: &Shot| {
            let by = [RED, GREEN].map(|c| blob(s, c).1 - blob(&turned, c).1);
            by.iter().all(|by| (20.0..110.0).contains(by))
        };
        display.until("both agents to the right", moved);

        // The wheel goes nearer; Home is the whole world again.
        display.xdotool("click --repeat 2 4");
        display.until("larger agents", |s| blob(s, RED).0 as f64 > 1.3 * size as f64);
        steps(&display, &["key Home"]);
        display.until("the whole world", |s| {
            let red = blob(s, RED).0 as f64;
            red > 0.5 * size as f64 && red < 1.5 * size as f64
        });

        // Ctrl and a click take the agent under the mouse, at any depth; B rides behind it, and it is
        // in the middle.
        let red = blob(&display.until_still(), RED);
        let shot = display.look();
        let row = (60..560_u32).find(|y| {
            let own = shot.0.rgb(red.1 as u32, *y + 4);
            own.is_some_and(|[r, g, _]| r > 90 && r / 2 > g)
        });
        let row = row.unwrap() + 6;
        let column = red.1 as u32;
        let choose = "keydown ctrl click 1 keyup ctrl mousemove 450 120";
        steps(&display, &[&format!("mousemove {column} {row} {choose}")]);
        display.xdotool("key b");
        display.until("the agent in the middle, and near", |s| {
            let (count, column) = blob(s, RED);
            count > 400 && (column - 450.0).abs() < 12.0
        });
        ends(&display, program);
    }
}
