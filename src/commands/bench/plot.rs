//! The plot of a bench: time per agent against the count, or engine beside engine, and the passes of each.

mod bars;

use plotters::coord::Shift;
use plotters::coord::combinators::{BindKeyPoints, IntoLogRange};
use plotters::prelude::{Circle, DrawingArea, DrawingBackend, PathElement};
use plotters::style::{Color, RGBColor, WHITE};

use super::report::{Report, ReportRow, starts};
use crate::commands::charts::{
    self, Drawn, LINE, SERIES, builder, font, head, head_height, legend, short_number,
};
use flockwork_view::words::counted;

/// Heights of the panels; units.
const PANEL: u32 = 340;
const PASSES: u32 = 250;
/// Most densities in a plot: one looks like another with more.
pub const MAX_DENSITIES: usize = 8;

/// Colours of passes, in order of first appearance: the passes of a GPU tick, and the CPU's sort.
const COLOURS: [u32; 11] = [
    0x4e79a7, 0xf28e2b, 0xe15759, 0x76b7b2, 0xedc948, 0xb07aa1, 0x59a14f, 0xff9da7, 0x9c755f,
    0x969696, 0x3c3c5a,
];

fn colour_of_engine(index: usize) -> RGBColor {
    SERIES[index % SERIES.len()]
}

fn colour_of_pass(index: usize) -> RGBColor {
    let [_, red, green, blue] = COLOURS[index % COLOURS.len()].to_be_bytes();
    RGBColor(red, green, blue)
}

/// Reports by engine, density and count.
pub struct Page<'a> {
    reports: &'a [Report],
    /// Densities as asked for, in the order of the tables.
    densities: Vec<Option<f32>>,
    /// Ascending.
    counts: Vec<usize>,
    /// The conditions of the measurement, line by line.
    head: Vec<String>,
}

/// The name of a density; empty for the scene's own.
fn density_name(density: Option<f32>) -> String {
    density.map_or_else(String::new, |density| format!("k = {density}"))
}

impl<'a> Page<'a> {
    /// The page of the reports of one run, at least one.
    pub fn new(reports: &'a [Report]) -> Self {
        let mut counts: Vec<usize> = reports.iter().map(|report| report.agents).collect();
        counts.sort_unstable();
        counts.dedup();
        let mut densities: Vec<Option<f32>> = Vec::new();
        for Report { density, .. } in reports {
            if !densities.contains(density) {
                densities.push(*density);
            }
        }
        let samples = reports.iter().map(Report::fewest_samples).min().unwrap_or(0);
        let mut head = Vec::new();
        if let Some(first) = reports.first() {
            head.push(format!(
                "scene {}, seed {}; start: {}; medians of {} or more; k: neighbours if spread evenly",
                first.scene,
                first.seed,
                starts(reports),
                counted(samples as u64, "sample")
            ));
            head.extend(first.rows.iter().map(|row| format!("{}: {}", row.engine, row.runs_on)));
            head.push(format!("processor: {}", first.processor));
        }
        Self { reports, densities, counts, head }
    }

    fn report(&self, density: Option<f32>, count: usize) -> Option<&'a Report> {
        self.reports.iter().find(|r| r.density == density && r.agents == count)
    }

    /// The engines' names, in the order of the table.
    fn engines(&self) -> Vec<&'static str> {
        let rows = self.reports.first().map(|report| report.rows.iter());
        rows.into_iter().flatten().map(|row| row.engine).collect()
    }

    /// Engines with passes, by number.
    fn profiled(&self) -> Vec<usize> {
        let has = |engine: &usize| {
            let rows = self.reports.iter().filter_map(|report| report.rows.get(*engine));
            rows.flat_map(|row| &row.passes).any(|(_, ms)| *ms > 0.0)
        };
        (0..self.engines().len()).filter(has).collect()
    }

    /// Height of the first panel: room for the names of all series.
    fn panel(&self) -> u32 {
        PANEL.max((self.engines().len() * self.densities.len() + 3) as u32 * LINE)
    }

    /// Time per agent against the count: a line for each engine and density.
    fn lines<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: u32) -> Drawn<B> {
        let all: Vec<[f64; 3]> =
            self.reports.iter().flat_map(|report| &report.rows).filter_map(times).collect();
        let least = all.iter().map(|times| times[0]).fold(f64::MAX, f64::min);
        let most = all.iter().map(|times| times[2]).fold(0.0, f64::max);
        if least > most {
            return Ok(());
        }
        let (few, many) = (self.counts[0] as f64, self.counts[self.counts.len() - 1] as f64);
        let room = (many / few).powf(0.05);
        // Counts too near to the one before have no name.
        let mut named: Vec<f64> = Vec::new();
        for count in self.counts.iter().map(|count| *count as f64) {
            if named.last().is_none_or(|last| (count / last).ln() > 0.06 * (many / few).ln()) {
                named.push(count);
            }
        }
        let mut chart = builder(area, scale, "By number of agents, ns").build_cartesian_2d(
            (few / room..many * room).log_scale().with_key_points(named),
            (least / 1.15..most * 1.15).log_scale(),
        )?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .y_labels(6)
            .label_style(font(13 * scale))
            .x_desc("agents")
            .x_label_formatter(&|count| short_count(*count as usize))
            .y_label_formatter(&|ns| short_number(*ns))
            .draw()?;
        let mut series = Vec::new();
        for (index, engine) in self.engines().into_iter().enumerate() {
            for (number, density) in self.densities.iter().enumerate() {
                let points = self.counts.iter().filter_map(|count| {
                    let times = times(self.report(*density, *count)?.rows.get(index)?)?;
                    Some((*count as f64, times))
                });
                let points: Vec<(f64, [f64; 3])> = points.collect();
                // Densities are told apart by how pale they are, and by the size of their rings.
                let pale = 1.0 - 0.6 * number as f64 / self.densities.len() as f64;
                let style = colour_of_engine(index).mix(pale).stroke_width(2 * scale);
                let ring = (3 + number as u32) * scale;
                let whiskers =
                    points.iter().map(|(x, [low, _, high])| vec![(*x, *low), (*x, *high)]);
                chart.draw_series(whiskers.map(|ends| PathElement::new(ends, style)))?;
                let places: Vec<(f64, f64)> = points.iter().map(|(x, y)| (*x, y[1])).collect();
                chart.draw_series(places.iter().map(|place| Circle::new(*place, ring, style)))?;
                chart.draw_series([PathElement::new(places, style)])?;
                let name = format!("{engine}, {}", density_name(*density));
                series.push((name.trim_end_matches(", ").into(), style));
            }
        }
        legend(area, scale, series)
    }
}

impl charts::Page for Page<'_> {
    fn height(&self) -> u32 {
        head_height(self.head.len()) + self.panel() + self.profiled().len() as u32 * PASSES
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: u32) -> Drawn<B> {
        let rest = head(area, scale, "Time for one agent and tick", &self.head)?;
        let (panel, mut rest) = rest.split_vertically(self.panel() * scale);
        if self.counts.len() > 1 {
            self.lines(&panel, scale)?;
        } else {
            self.beside(&panel, scale)?;
        }
        for engine in self.profiled() {
            let (panel, below) = rest.split_vertically(PASSES * scale);
            self.passes(&panel, scale, engine)?;
            rest = below;
        }
        area.present()
    }
}

/// Nanoseconds per agent and tick: minimum, median, 95th percentile.
fn times(row: &ReportRow) -> Option<[f64; 3]> {
    let per_agent = row.ns_per_agent / row.ms_p50;
    let times = [row.ms_min * per_agent, row.ns_per_agent, row.ms_p95 * per_agent];
    times.iter().all(|time| time.is_finite() && *time > 0.0).then_some(times)
}

/// A number of agents for display: `200 k`, `1.5 M`.
fn short_count(count: usize) -> String {
    let (value, unit) = match count {
        0..1_000 => return count.to_string(),
        1_000..1_000_000 => (count as f64 / 1e3, "k"),
        _ => (count as f64 / 1e6, "M"),
    };
    format!("{} {unit}", (value * 10.0).round() / 10.0)
}

#[cfg(test)]
pub mod tests;
