//! The passes of each engine, stacked: one panel per engine, one bar per count and density.

use plotters::style::{RGBColor, WHITE};

use super::{
    Area, FAINT, Figures, HEADING, INK, LEFT, LEGEND, LINE, Page, RIGHT, SMALL, TEXT, WIDTH,
};
use crate::commands::bench::axis::{Axis, short_count, short_number};
use crate::commands::bench::drawing::{Shape, Side, fitted, text_width};
use crate::commands::bench::report::Report;

/// Height of the bar area of a panel.
const HEIGHT: i32 = 170;
/// With at most this many bars, panels stand side by side.
const FEW_BARS: usize = 4;
/// Distance between panels side by side: room for the numbers of an axis.
const BETWEEN: i32 = 60;
/// Widest bar.
const WIDEST: i32 = 64;
/// Engines whose times differ by more than this factor get axes of their own.
const ALIKE: f64 = 4.0;

/// Colours of passes, in order of first appearance: the passes of a GPU tick, and the CPU's sort.
const PASSES: [RGBColor; 11] = [
    RGBColor(78, 121, 167),
    RGBColor(242, 142, 43),
    RGBColor(225, 87, 89),
    RGBColor(118, 183, 178),
    RGBColor(237, 201, 72),
    RGBColor(176, 122, 161),
    RGBColor(89, 161, 79),
    RGBColor(255, 157, 167),
    RGBColor(156, 117, 95),
    RGBColor(150, 150, 150),
    RGBColor(60, 60, 90),
];

/// Nanoseconds per agent and tick of each pass of an engine.
fn passes(report: &Report, engine: usize) -> Vec<(&'static str, f64)> {
    let per_agent = 1e6 / report.agents as f64;
    let row = report.rows.get(engine);
    let passes = row.into_iter().flat_map(|row| &row.passes);
    passes.map(|(pass, ms)| (*pass, ms * per_agent)).collect()
}

fn sum(passes: &[(&str, f64)]) -> f64 {
    passes.iter().map(|(_, ns)| ns).sum()
}

/// Draws one panel per engine, and the legend of passes.
pub fn panels(page: &mut Page, figures: &Figures<'_>) {
    let tallest = |engine: usize| {
        let sums = figures.reports.iter().map(|report| sum(&passes(report, engine)));
        sums.fold(0.0, f64::max)
    };
    // Engines without a profile have no panel.
    let engines: Vec<(usize, &str, f64)> = figures
        .engines()
        .map(|(index, name)| (index, name, tallest(index)))
        .filter(|(_, _, tallest)| *tallest > 0.0)
        .collect();
    let heights = || engines.iter().map(|(_, _, tallest)| *tallest);
    let (Some(low), Some(high)) = (heights().reduce(f64::min), heights().reduce(f64::max)) else {
        return;
    };
    let shared = (high / low <= ALIKE).then_some(high);
    let differ = if shared.is_none() { "; mind the scales, which differ" } else { "" };
    let heading = format!("Passes, ns for one agent and tick, measured after the run{differ}");
    page.paragraph(&heading, HEADING, INK);
    page.top += 8;
    let bars = figures.densities.len() * figures.counts.len();
    let columns = if bars <= FEW_BARS { engines.len() as i32 } else { 1 };
    let width = (RIGHT - LEFT - (columns - 1) * BETWEEN) / columns;
    let names = names(figures);
    let mut bottom = legend(page, &names);
    for (number, (engine, name, tallest)) in engines.into_iter().enumerate() {
        let column = number as i32 % columns;
        let left = LEFT + column * (width + BETWEEN);
        let top = page.top + 2 * LINE;
        let area = Area { left, top, right: left + width, bottom: top + HEIGHT };
        let clock = figures.reports.first().and_then(|report| report.rows.get(engine));
        let clock = if clock.is_some_and(|row| row.passes_by_timestamps) {
            "timestamps"
        } else {
            "wall time"
        };
        let title = fitted(&format!("{name}, by {clock}"), TEXT, width);
        page.text((left, page.top + LINE / 2), Side::Left, &title, TEXT, INK);
        panel(page, figures, area, engine, shared.unwrap_or(tallest), &names);
        let below = area.bottom + 3 * LINE;
        bottom = bottom.max(below);
        if column == columns - 1 {
            page.top = below;
        }
    }
    page.top = page.top.max(bottom);
}

/// All passes, in order of first appearance.
fn names(figures: &Figures<'_>) -> Vec<&'static str> {
    let mut names = Vec::new();
    let all = figures.reports.iter().flat_map(|report| &report.rows).flat_map(|row| &row.passes);
    for (name, _) in all {
        if !names.contains(name) {
            names.push(*name);
        }
    }
    names
}

/// Draws the legend from top to bottom, as the passes are stacked. Returns where it ends.
fn legend(page: &mut Page, names: &[&str]) -> i32 {
    let mut y = page.top + 2 * LINE;
    for (index, name) in names.iter().enumerate().rev() {
        let colour = PASSES[index % PASSES.len()];
        let corners = [(LEGEND, y - 6), (LEGEND + 14, y + 7)];
        page.shapes.push(Shape::Box { corners, colour });
        let left = LEGEND + 22;
        let name = fitted(name, TEXT, WIDTH - left - 4);
        page.text((left, y), Side::Left, &name, TEXT, INK);
        y += LINE;
    }
    y
}

fn panel(
    page: &mut Page,
    figures: &Figures<'_>,
    area: Area,
    engine: usize,
    tallest: f64,
    names: &[&str],
) {
    let up = Axis::from_zero(tallest, (area.bottom, area.top));
    page.grid(area, &up);
    let (groups, counts) = (figures.densities.len(), figures.counts.len());
    // Half a place between groups and at both ends.
    let halves = (groups * (2 * counts + 1) + 1) as f64;
    let half = f64::from(area.right - area.left) / halves;
    let place = (2.0 * half) as i32;
    let wide = (place * 7 / 10).clamp(1, WIDEST);
    let below = |text: &str| text_width(text, SMALL) + 6;
    let widest_name = figures.counts.iter().map(|count| below(&short_count(*count))).max();
    // Where names would overlap, only every second, third, … has one.
    let every = (widest_name.unwrap_or(0) / place.max(1) + 1) as usize;
    let mut free = i32::MIN;
    for (group, density) in figures.densities.iter().enumerate() {
        let begin = f64::from(area.left) + half * (group * (2 * counts + 1) + 1) as f64;
        for (number, count) in figures.counts.iter().enumerate() {
            let x = (begin + half * (2 * number + 1) as f64) as i32;
            let Some(report) = figures.report(density, *count) else { continue };
            let passes = passes(report, engine);
            let mut height = 0.0;
            for (pass, ns) in &passes {
                let index = names.iter().position(|name| name == pass).unwrap_or(0);
                let corners =
                    [(x - wide / 2, up.at(height + ns)), (x - wide / 2 + wide, up.at(height))];
                let colour = PASSES[index % PASSES.len()];
                page.shapes.push(Shape::Box { corners, colour });
                height += ns;
            }
            let total = short_number(height);
            if height > 0.0 && below(&total) <= place {
                let y = up.at(height) - 10;
                let half = text_width(&total, SMALL) / 2 + 2;
                // Cover the grid lines behind it.
                let corners = [(x - half, y - 7), (x + half, y + 7)];
                page.shapes.push(Shape::Box { corners, colour: WHITE });
                page.text((x, y), Side::Center, &total, SMALL, INK);
            }
            let name = short_count(*count);
            let half = below(&name) / 2;
            // And it must not overlap the last name of the group before.
            if number % every == 0 && x - half >= free {
                page.text((x, area.bottom + 12), Side::Center, &name, SMALL, FAINT);
                free = x + half;
            }
        }
        let middle = (begin + half * counts as f64) as i32;
        let room = (half * (2 * counts) as f64) as i32;
        if below(&density.name) <= room {
            let at = (middle, area.bottom + 12 + LINE);
            page.text(at, Side::Center, &density.name, SMALL, FAINT);
        }
    }
}
