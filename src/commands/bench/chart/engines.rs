//! Time per agent of each engine, side by side: the comparison at one count.

use plotters::style::WHITE;

use super::{
    Area, ENGINES, FAINT, Figures, HEADING, INK, LEFT, LEGEND, LINE, Page, RIGHT, SMALL, TEXT,
    WIDTH, times,
};
use crate::commands::bench::axis::{Axis, short_number};
use crate::commands::bench::drawing::{Shape, Side, fitted, text_width};

/// Height of the panel.
const HEIGHT: i32 = 220;
/// Widest bar.
const WIDEST: i32 = 90;
/// Room above the longest whisker for its number.
const ROOM: f64 = 1.15;

/// Draws one bar per engine and density, and the legend of engines.
pub fn panel(page: &mut Page, figures: &Figures<'_>) {
    let rows = figures.reports.iter().flat_map(|report| &report.rows);
    let Some(most) = rows.filter_map(times).map(|times| times[2]).reduce(f64::max) else { return };
    page.paragraph(
        "By engine, in ns (whiskers: least to 95th percentile of the samples)",
        HEADING,
        INK,
    );
    let top = page.top + 14;
    let area = Area { left: LEFT, top, right: RIGHT, bottom: top + HEIGHT };
    let up = Axis::from_zero(ROOM * most, (area.bottom, area.top));
    page.grid(area, &up);
    let engines: Vec<(usize, &str)> = figures.engines().collect();
    let groups = figures.densities.len();
    // Half a place between groups and at both ends.
    let halves = (groups * (2 * engines.len() + 1) + 1) as f64;
    let half = f64::from(area.right - area.left) / halves;
    let place = (2.0 * half) as i32;
    let wide = (place * 7 / 10).clamp(1, WIDEST);
    let fits = |text: &str, room: i32| text_width(text, SMALL) + 6 <= room;
    for (group, density) in figures.densities.iter().enumerate() {
        let begin = f64::from(area.left) + half * (group * (2 * engines.len() + 1) + 1) as f64;
        let report = figures.counts.first().and_then(|count| figures.report(density, *count));
        for (number, (index, engine)) in engines.iter().enumerate() {
            let x = (begin + half * (2 * number + 1) as f64) as i32;
            let row = report.and_then(|report| report.rows.get(*index));
            let Some([low, middle, high]) = row.and_then(times) else { continue };
            let colour = ENGINES[index % ENGINES.len()];
            let left = x - wide / 2;
            let corners = [(left, up.at(middle)), (left + wide, area.bottom)];
            page.shapes.push(Shape::Box { corners, colour });
            page.line([(x, up.at(low)), (x, up.at(high))], INK);
            let total = short_number(middle);
            if fits(&total, place) {
                let (y, half) = (up.at(high) - 10, text_width(&total, SMALL) / 2 + 2);
                // Cover the grid lines behind it.
                let corners = [(x - half, y - 7), (x + half, y + 7)];
                page.shapes.push(Shape::Box { corners, colour: WHITE });
                page.text((x, y), Side::Center, &total, SMALL, INK);
            }
            if fits(engine, place) {
                page.text((x, area.bottom + 12), Side::Center, engine, SMALL, FAINT);
            }
        }
        let (middle, room) =
            (begin + half * engines.len() as f64, 2.0 * half * engines.len() as f64);
        if fits(&density.name, room as i32) {
            let at = (middle as i32, area.bottom + 12 + LINE);
            page.text(at, Side::Center, &density.name, SMALL, FAINT);
        }
    }
    let mut y = area.top + LINE / 2;
    for (index, engine) in engines {
        let corners = [(LEGEND, y - 6), (LEGEND + 14, y + 7)];
        page.shapes.push(Shape::Box { corners, colour: ENGINES[index % ENGINES.len()] });
        let left = LEGEND + 22;
        let name = fitted(engine, TEXT, WIDTH - left - 4);
        page.text((left, y), Side::Left, &name, TEXT, INK);
        y += LINE;
    }
    page.top = area.bottom + 2 * LINE + 10;
}
