//! Time per agent against the number of agents: one line per engine and density.

use super::{
    Area, ENGINES, FAINT, Figures, GRID, HEADING, INK, LEFT, LEGEND, LINE, Page, RIGHT, SMALL,
    TEXT, WIDTH, times,
};
use crate::commands::bench::axis::{Axis, short_count};
use crate::commands::bench::drawing::{Place, Shape, Side, fitted, text_width};

/// Height of the panel.
const HEIGHT: i32 = 330;
/// Distance from the middle of a legend's line to its text.
const SAMPLE: i32 = 30;

/// Draws the panel and its legend.
pub fn panel(page: &mut Page, figures: &Figures<'_>) {
    let rows = || figures.reports.iter().flat_map(|report| &report.rows);
    let range = |slot: usize, pick: fn(f64, f64) -> f64| {
        rows().filter_map(times).map(|times| times[slot]).reduce(pick)
    };
    let (Some(least), Some(most)) = (range(0, f64::min), range(2, f64::max)) else { return };
    page.paragraph(
        "By number of agents, in ns (whiskers: least to 95th percentile of the samples)",
        HEADING,
        INK,
    );
    let top = page.top + 14;
    let area = Area { left: LEFT, top, right: RIGHT, bottom: top + HEIGHT };
    let up = Axis::logarithmic(least, most, (area.bottom, area.top));
    let (few, many) = (figures.counts[0] as f64, figures.counts[figures.counts.len() - 1] as f64);
    let along = Axis::roomy(few, many, (area.left, area.right));
    page.grid(area, &up);
    counts(page, figures, area, &along);
    let mut legend = area.top + LINE / 2;
    for (index, engine) in figures.engines() {
        let colour = ENGINES[index % ENGINES.len()];
        for density in &figures.densities {
            let marker = density.marker;
            let mut places: Vec<Place> = Vec::new();
            for count in &figures.counts {
                let row = figures.report(density, *count).and_then(|r| r.rows.get(index));
                let Some([low, middle, high]) = row.and_then(times) else { continue };
                let x = along.at(*count as f64);
                page.line([(x, up.at(low)), (x, up.at(high))], colour);
                places.push((x, up.at(middle)));
            }
            page.shapes.push(Shape::Series { places, marker, colour });
            let places = vec![(LEGEND, legend), (LEGEND + SAMPLE, legend)];
            page.shapes.push(Shape::Series { places, marker, colour });
            let comma = if density.name.is_empty() { "" } else { ", " };
            let name = format!("{engine}{comma}{}", density.name);
            let left = LEGEND + SAMPLE + 12;
            let name = fitted(&name, TEXT, WIDTH - left - 4);
            page.text((left, legend), Side::Left, &name, TEXT, INK);
            legend += LINE;
        }
    }
    page.top = (area.bottom + 2 * LINE + 10).max(legend + 10);
}

/// A vertical line at each count, with its name below where there is room.
fn counts(page: &mut Page, figures: &Figures<'_>, area: Area, along: &Axis) {
    let mut free = i32::MIN;
    for count in &figures.counts {
        let x = along.at(*count as f64);
        page.line([(x, area.top), (x, area.bottom)], GRID);
        let name = short_count(*count);
        let half = text_width(&name, SMALL) / 2 + 4;
        if x - half >= free {
            page.text((x, area.bottom + 12), Side::Center, &name, SMALL, FAINT);
            free = x + half;
        }
    }
    page.text((area.right, area.bottom + 12 + LINE), Side::Right, "agents", SMALL, FAINT);
}
