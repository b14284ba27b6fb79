//! The plot of a bench: time per agent against the count, or engine beside engine, and the passes of each.

use plotters::coord::combinators::{BindKeyPoints, IntoLogRange};
use plotters::coord::ranged1d::IntoSegmentedCoord;
use plotters::coord::ranged1d::SegmentValue::{CenterOf, Exact};
use plotters::prelude::{DrawingBackend, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, RGBColor, WHITE};

use super::report::{Report, ReportRow, starts};
use crate::commands::charts::{self, Canvas, Drawn, LINE, Point, SERIES, curve, short_number};
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
pub struct BenchPage<'a> {
    reports: &'a [Report],
    /// Densities as asked for, in the order of the tables.
    densities: Vec<Option<f32>>,
    /// Ascending.
    counts: Vec<usize>,
    /// The title, and the conditions of the measurement, line by line.
    head: Vec<String>,
}

/// A stack of parts: a name, an engine or a pass and its time.
struct Bar {
    name: String,
    parts: Vec<(&'static str, f64)>,
    /// The least and the largest of the sum.
    whisker: Option<[f64; 2]>,
}

impl Bar {
    fn sum(&self) -> f64 {
        self.parts.iter().map(|(_, ns)| ns).sum()
    }

    fn end(&self) -> f64 {
        self.whisker.map_or(self.sum(), |[_, high]| high)
    }
}

/// The name of a density; empty for the scene's own.
fn density_name(density: Option<f32>) -> String {
    density.map_or_else(String::new, |density| format!("k = {density}"))
}

/// All things that differ, in the order of their first appearance.
fn each_once<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    for thing in all {
        if !once.contains(&thing) {
            once.push(thing);
        }
    }
    once
}

impl<'a> BenchPage<'a> {
    /// The page of the reports of one run, at least one.
    pub fn new(reports: &'a [Report]) -> Self {
        let mut counts: Vec<usize> = reports.iter().map(|report| report.agents).collect();
        counts.sort_unstable();
        counts.dedup();
        let densities = each_once(reports.iter().map(|report| report.density));
        let samples = reports.iter().map(Report::fewest_samples).min().unwrap_or(0);
        let first = &reports[0];
        let mut head = vec![
            "Time for one agent and tick".into(),
            format!(
                "scene {}, seed {}; start: {}; medians of {} or more; k: neighbours if spread evenly",
                first.scene,
                first.seed,
                starts(reports),
                counted(samples as u64, "sample")
            ),
        ];
        head.extend(first.rows.iter().map(|row| format!("{}: {}", row.engine, row.runs_on)));
        head.push(format!("processor: {}", first.processor));
        head.push("bars: from the least to the 95th percentile of the samples".into());
        Self { reports, densities, counts, head }
    }

    /// The figures of an engine, by its number.
    fn row(&self, engine: usize, density: Option<f32>, count: usize) -> Option<&'a ReportRow> {
        let is_own = |report: &&Report| report.density == density && report.agents == count;
        self.reports.iter().find(is_own)?.rows.get(engine)
    }

    /// The engines' names, in the order of the table.
    fn engines(&self) -> Vec<&'static str> {
        self.reports[0].rows.iter().map(|row| row.engine).collect()
    }

    /// Engines with passes, by number.
    fn profiled(&self) -> Vec<usize> {
        let has = |engine: &usize| {
            let rows = self.reports.iter().filter_map(|report| report.rows.get(*engine));
            rows.flat_map(|row| &row.passes).any(|(_, ms)| *ms > 0.0)
        };
        (0..self.engines().len()).filter(has).collect()
    }

    /// Time per agent against the count: a line for each engine and density.
    fn lines<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Drawn<B> {
        let all = || self.reports.iter().flat_map(|report| &report.rows).filter_map(times);
        let least = all().map(|times| times[0]).fold(f64::MAX, f64::min);
        let most = all().map(|times| times[2]).fold(0.0, f64::max);
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
        let mut chart = canvas.builder("By number of agents, ns").build_cartesian_2d(
            (few / room..many * room).log_scale().with_key_points(named),
            (least / 1.15..most * 1.15).log_scale().with_key_points(ticks(least, most)),
        )?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .label_style(canvas.label())
            .x_desc("agents")
            .x_label_formatter(&|count| short_count(*count as usize))
            .y_label_formatter(&|ns| short_number(*ns))
            .draw()?;
        let mut series = Vec::new();
        for (index, engine) in self.engines().into_iter().enumerate() {
            for (number, density) in self.densities.iter().enumerate() {
                let point = |count: &usize| {
                    Some((*count as f64, times(self.row(index, *density, *count)?)?))
                };
                let points: Vec<Point> = self.counts.iter().filter_map(point).collect();
                // Densities are told apart by how pale they are, and by the size of their rings.
                let pale = 1.0 - 0.6 * number as f64 / self.densities.len() as f64;
                let style = colour_of_engine(index).mix(pale).stroke_width(2 * canvas.scale);
                let ring = ((3 + number as u32) * canvas.scale, style);
                curve(&mut chart, &points, style, ring, true)?;
                let name = format!("{engine}, {}", density_name(*density));
                series.push((name.trim_end_matches(", ").into(), style));
            }
        }
        canvas.legend(series)
    }

    /// Time per agent, engine beside engine.
    fn beside<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Drawn<B> {
        let engines = self.engines();
        let bars = |density| {
            let bar = |(index, name): (usize, &&'static str)| {
                let [low, middle, high] = times(self.row(index, density, self.counts[0])?)?;
                let parts = vec![(*name, middle)];
                Some(Bar { name: (*name).into(), parts, whisker: Some([low, high]) })
            };
            engines.iter().enumerate().filter_map(bar).collect()
        };
        self.bars(canvas, "By engine, ns", (&engines, colour_of_engine), &bars)
    }

    /// The passes of an engine, stacked: a bar for each count and density.
    fn passes<B: DrawingBackend>(&self, canvas: &Canvas<B>, engine: usize) -> Drawn<B> {
        let passes = self.reports.iter().flat_map(|r| &r.rows).flat_map(|row| &row.passes);
        let names = each_once(passes.map(|(name, _)| *name));
        let bars = |density| {
            let bar = |count: &usize| {
                let passes = self.row(engine, density, *count)?.passes.iter();
                let parts = passes.map(|(pass, ms)| (*pass, ms * 1e6 / *count as f64));
                Some(Bar { name: short_count(*count), parts: parts.collect(), whisker: None })
            };
            self.counts.iter().filter_map(bar).collect()
        };
        let first = &self.reports[0].rows[engine];
        let title = format!("Passes of {}, ns by {}, after the run", first.engine, first.clock());
        self.bars(canvas, &title, (&names, colour_of_pass), &bars)
    }

    /// Draws stacked bars, those `of` each density side by side, and the names of their parts with these colours.
    fn bars<B: DrawingBackend>(
        &self,
        canvas: &Canvas<B>,
        title: &str,
        (names, colour): (&[&'static str], fn(usize) -> RGBColor),
        of: &dyn Fn(Option<f32>) -> Vec<Bar>,
    ) -> Drawn<B> {
        // With a gap before and after each group.
        let (mut slots, mut middles) = (vec![None], Vec::new());
        for density in &self.densities {
            let bars = of(*density);
            let middle = slots.len() + bars.len() / 2;
            let is_odd = bars.len() % 2 == 1;
            let middle = if is_odd { CenterOf(middle) } else { Exact(middle) };
            middles.push((middle, density_name(*density)));
            slots.extend(bars.into_iter().map(Some).chain([None]));
        }
        let places = slots.iter().enumerate().filter_map(|(at, bar)| Some((at, bar.as_ref()?)));
        let places: Vec<(usize, &Bar)> = places.collect();
        let most = places.iter().map(|(_, bar)| bar.end()).fold(0.0, f64::max);
        if most <= 0.0 {
            return Ok(());
        }
        let mut chart = canvas
            .builder(title)
            .build_cartesian_2d((0..slots.len() - 1).into_segmented(), 0.0..most * 1.25)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(WHITE)
            .x_labels(20)
            .y_labels(6)
            .y_label_formatter(&f64::to_string)
            .label_style(canvas.label())
            .x_label_formatter(&|segment| match segment {
                CenterOf(at) => {
                    slots[*at].as_ref().map_or_else(String::new, |bar| bar.name.clone())
                }
                _ => String::new(),
            })
            .draw()?;
        for (index, name) in names.iter().enumerate() {
            let part = |(at, bar): &(usize, &Bar)| {
                let number = bar.parts.iter().position(|(own, _)| own == name)?;
                let below: f64 = bar.parts[..number].iter().map(|(_, ns)| ns).sum();
                let top = (Exact(*at), below + bar.parts[number].1);
                let corners = [top, (Exact(at + 1), below)];
                let mut part = Rectangle::new(corners, colour(index).filled());
                part.set_margin(0, 0, 3 * canvas.scale, 3 * canvas.scale);
                Some(part)
            };
            chart.draw_series(places.iter().filter_map(part))?;
        }
        let whiskers = places.iter().filter_map(|(at, bar)| Some((CenterOf(*at), bar.whisker?)));
        let lines = whiskers.map(|(at, [low, high])| vec![(at.clone(), low), (at, high)]);
        let line = BLACK.stroke_width(canvas.scale);
        chart.draw_series(lines.map(|ends| PathElement::new(ends, line)))?;
        let totals = places.iter().filter(|_| places.len() <= 16);
        let totals = totals
            .map(|(at, bar)| (short_number(bar.sum()), CenterOf(*at), bar.end(), VPos::Bottom));
        let tops = middles.into_iter().map(|(at, name)| (name, at, most * 1.25, VPos::Top));
        chart.draw_series(totals.chain(tops).map(|(text, at, y, side)| {
            Text::new(text, (at, y), canvas.label().pos(Pos::new(HPos::Center, side)))
        }))?;
        // From top to bottom, as the parts are stacked.
        let parts = names.iter().enumerate().rev();
        canvas.legend(parts.map(|(index, name)| ((*name).into(), colour(index).filled())))
    }
}

impl charts::Page for BenchPage<'_> {
    fn head(&self) -> &[String] {
        &self.head
    }

    /// Times, then the passes of each engine that has some.
    fn panels(&self) -> Vec<u32> {
        // Room for the names of all series.
        let names = (self.engines().len() * self.densities.len() + 3) as u32 * LINE;
        let passes = self.profiled().into_iter().map(|_| PASSES);
        [PANEL.max(names)].into_iter().chain(passes).collect()
    }

    fn draw<B: DrawingBackend>(&self, panel: usize, canvas: &Canvas<B>) -> Drawn<B> {
        match panel.checked_sub(1) {
            None if self.counts.len() > 1 => self.lines(canvas),
            None => self.beside(canvas),
            Some(number) => self.passes(canvas, self.profiled()[number]),
        }
    }
}

/// Nanoseconds per agent and tick: minimum, median, 95th percentile.
fn times(row: &ReportRow) -> Option<[f64; 3]> {
    let per_agent = row.ns_per_agent / row.ms_p50;
    let times = [row.ms_min * per_agent, row.ns_per_agent, row.ms_p95 * per_agent];
    times.iter().all(|time| time.is_finite() && *time > 0.0).then_some(times)
}

/// Round numbers from about `least` to about `most` for a logarithmic axis.
fn ticks(least: f64, most: f64) -> Vec<f64> {
    let tenths: Vec<u32> = (10..100).collect();
    let sets: [&[u32]; 4] = [&[10], &[10, 20, 50], &[10, 15, 20, 30, 40, 50, 70], &tenths];
    let range = least / 1.1..most * 1.1;
    let decades = range.start.log10().floor() as i32..=range.end.log10().floor() as i32;
    let of = |set: &[u32]| -> Vec<f64> {
        let all = decades.clone().flat_map(|ten| {
            // Divided, because 0.1 has no exact number.
            let tenth = |own: &u32| match ten {
                0.. => f64::from(*own) * 10_f64.powi(ten) / 10.0,
                _ => f64::from(*own) / 10_f64.powi(1 - ten),
            };
            set.iter().map(tenth).collect::<Vec<_>>()
        });
        all.filter(|tick| range.contains(tick)).collect()
    };
    let found = sets.map(of);
    let [.., finest] = &found;
    let enough = found.iter().find(|found| found.len() >= 4).unwrap_or(finest);
    enough.iter().copied().step_by(enough.len().div_ceil(10).max(1)).collect()
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
