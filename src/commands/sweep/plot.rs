//! The plot of a sweep: a panel for each metric, with its averages against the first key.

use std::path::Path;

use anyhow::Context;
use plotters::coord::Shift;
use plotters::prelude::{Circle, DrawingArea, DrawingBackend, PathElement};
use plotters::style::{BLACK, Color, ShapeStyle, WHITE};

use super::plan;
use super::results::RunResult;
use super::runs::{Run, Sweep};
use crate::commands::charts::{
    Drawn, LINE, Page, SERIES, builder, font, head, head_height, legend, short_number,
};
use crate::commands::host::errors::wrong;
use flockwork_model::quote::cut;

/// Height of a panel; units.
const PANEL: u32 = 280;

/// Most series: more look like one another.
const MAX_SERIES: usize = 12;

/// The point of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f64,
    mean: f64,
    error: f64,
}

/// The averages of a metric.
struct Panel {
    metric: String,
    /// The points of each series, from left to right.
    series: Vec<Vec<Point>>,
    /// The reference: places and values.
    reference: Vec<(f64, f64)>,
}

/// The plot of the runs that have results.
pub struct Curves {
    head: Vec<String>,
    key: String,
    /// The values of the first key, if they are no numbers: they stand side by side.
    words: Vec<String>,
    names: Vec<String>,
    panels: Vec<Panel>,
}

/// The texts of `all`, each once, in order.
fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in all {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// The name of the series of a run: its other values.
fn series_of(sweep: &Sweep, run: &Run) -> String {
    let others = sweep.keys.iter().zip(&run.values).skip(1);
    let named = |(key, value): (&String, &String)| {
        // The last words of a key say enough.
        let short: Vec<&str> = key.rsplit('.').take(2).collect();
        format!("{} = {}", short.into_iter().rev().collect::<Vec<_>>().join("."), cut(value))
    };
    others.map(named).collect::<Vec<_>>().join(", ")
}

/// Fails if a plot of the sweep would have too many series.
pub fn check(sweep: &Sweep) -> anyhow::Result<()> {
    let names = distinct(sweep.runs.iter().map(|run| series_of(sweep, run)));
    if names.len() > MAX_SERIES {
        return Err(wrong(format!(
            "--plot: the keys after the first make {} series, and a plot shows {MAX_SERIES}; put the key with \
             most values first, or plot fewer",
            names.len()
        )));
    }
    Ok(())
}

/// Curves to compare with: published values, or a closed form.
#[derive(Debug, Default)]
pub struct Reference {
    metrics: Vec<String>,
    /// A place, and the value of each metric; empty fields are left out.
    rows: Vec<(f64, Vec<Option<f64>>)>,
}

impl Reference {
    /// Reads a table: places in the first column, and a column for each metric.
    pub fn read(path: &Path, sweep: &Sweep) -> anyhow::Result<Self> {
        let place = || format!("--reference {}", path.display());
        let (head, rows) = plan::table(path).with_context(place)?;
        let number = |value: &String| value.parse::<f64>().ok();
        let rows = rows.iter().map(|row| {
            let x = number(&row[0])?;
            Some((x, row[1..].iter().map(number).collect()))
        });
        let rows: Option<Vec<_>> = rows.collect();
        let rows =
            rows.ok_or_else(|| anyhow::anyhow!("its first column has a value that is no number"));
        let metrics = head[1..].to_vec();
        let known = metrics.iter().any(|name| sweep.plan.metrics().contains(&name.as_str()));
        anyhow::ensure!(known, "{}: no column is called like a metric of the sweep", place());
        Ok(Self { metrics, rows: rows.with_context(place)? })
    }

    fn curve(&self, metric: &str) -> Vec<(f64, f64)> {
        let at = self.metrics.iter().position(|name| name == metric);
        let value = |(x, values): &(f64, Vec<Option<f64>>)| Some((*x, values[at?]?));
        self.rows.iter().filter_map(value).collect()
    }
}

impl Curves {
    /// The averages of the runs with results, and curves to compare them with; an error if there is no result.
    pub fn new(
        sweep: &Sweep,
        results: &[Option<RunResult>],
        reference: &Reference,
    ) -> anyhow::Result<Self> {
        let there = sweep.runs.iter().zip(results).filter_map(|(run, result)| {
            result.as_ref().filter(|result| result.failure.is_none()).map(|result| (run, result))
        });
        let there: Vec<(&Run, &RunResult)> = there.collect();
        anyhow::ensure!(!there.is_empty(), "--plot: no run has a result; compute some first");
        let first = |run: &Run| run.values.first().cloned().unwrap_or_default();
        let values = distinct(sweep.runs.iter().map(first));
        let numbers: Vec<f64> = values.iter().filter_map(|value| value.parse().ok()).collect();
        let words = if numbers.len() == values.len() { Vec::new() } else { values };
        let place = |run: &Run| match words.iter().position(|word| *word == first(run)) {
            Some(at) => at as f64,
            None => first(run).parse().unwrap_or(0.0),
        };
        let names = distinct(sweep.runs.iter().map(|run| series_of(sweep, run)));
        let panel = |metric: &str| {
            let series = names.iter().map(|name| {
                let own = there.iter().filter(|(run, _)| series_of(sweep, run) == *name);
                let own = own.filter_map(|(run, result)| {
                    let average = result.metrics.get(metric)?;
                    Some((place(run), [average.mean, average.standard_error]))
                });
                points(own.collect())
            });
            let reference = reference.curve(metric);
            Panel { metric: metric.into(), series: series.collect(), reference }
        };
        let (scene, seeds) = (sweep.plan.scene.as_deref(), sweep.plan.seeds.unwrap_or(1));
        let agents = there.iter().filter_map(|(run, _)| Some(run.record.as_ref().ok()?.count));
        let agents = distinct(agents.map(|count| count.to_string())).join(", ");
        let head = vec![
            format!(
                "scene {}, {} agents, at most {} ticks, {seeds} a point",
                cut(scene.unwrap_or("flock")),
                cut(&agents),
                sweep.plan.ticks(),
                seeds = super::counted_runs(seeds as usize)
            ),
            "bars: standard error, the larger of that by blocking and that between the seeds"
                .into(),
        ];
        let panels = sweep.plan.metrics().into_iter().map(panel).collect();
        let key = sweep.keys.first().cloned().unwrap_or_default();
        Ok(Self { head, key, words, names, panels })
    }

    fn style(index: usize, scale: u32) -> ShapeStyle {
        let pale = 1.0 - 0.35 * (index / SERIES.len()) as f64;
        SERIES[index % SERIES.len()].mix(pale).stroke_width(2 * scale)
    }

    fn panel<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: u32,
        panel: &Panel,
    ) -> Drawn<B> {
        let curve = panel.reference.iter().map(|&(x, mean)| Point { x, mean, error: 0.0 });
        let curve: Vec<Point> = curve.collect();
        let all = || panel.series.iter().flatten().chain(&curve);
        let least = |of: fn(&Point) -> f64| all().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&Point) -> f64| all().map(of).fold(f64::NEG_INFINITY, f64::max);
        let (left, right) = (least(|p| p.x), most(|p| p.x));
        let (low, high) = (least(|p| p.mean - p.error), most(|p| p.mean + p.error));
        if left > right {
            return Ok(());
        }
        // A single point, or a constant, has room too.
        let room = |from: f64, to: f64| {
            if to > from { (to - from) * 0.06 } else { to.abs().max(1.0) * 0.1 }
        };
        let (x, y) = (room(left, right), room(low, high));
        let mut chart = builder(area, scale, &panel.metric)
            .build_cartesian_2d(left - x..right + x, low - y..high + y)?;
        let name = |x: &f64| match self.words.get(x.round() as usize) {
            Some(word) if (x - x.round()).abs() < 1e-6 => cut(word).into_owned(),
            Some(_) => String::new(),
            None => short(*x),
        };
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_labels(self.words.len().clamp(8, 20))
            .y_labels(6)
            .label_style(font(13 * scale))
            .x_desc(cut(&self.key))
            .x_label_formatter(&name)
            .y_label_formatter(&|y| short(*y))
            .draw()?;
        // Thin, below the points.
        chart.draw_series([PathElement::new(panel.reference.clone(), BLACK.stroke_width(scale))])?;
        for (index, points) in panel.series.iter().enumerate() {
            let style = Self::style(index, scale);
            let ends = |p: &Point| vec![(p.x, p.mean - p.error), (p.x, p.mean + p.error)];
            chart.draw_series(points.iter().map(|point| PathElement::new(ends(point), style)))?;
            let places: Vec<(f64, f64)> =
                points.iter().map(|point| (point.x, point.mean)).collect();
            let dot = style.filled();
            chart.draw_series(places.iter().map(|place| Circle::new(*place, 3 * scale, dot)))?;
            // A reference is the line.
            if panel.reference.is_empty() {
                chart.draw_series([PathElement::new(places, style)])?;
            }
        }
        let named = self.names.iter().enumerate().filter(|_| self.names.len() > 1);
        let named = named.map(|(index, name)| (name.clone(), Self::style(index, scale)));
        let compared = (!panel.reference.is_empty()).then(|| ("reference".into(), BLACK.into()));
        legend(area, scale, named.chain(compared))
    }
}

/// A number on an axis.
fn short(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        value if value.abs() >= 1e6 || value.abs() < 1e-3 => format!("{value:.2e}"),
        value if value < 0.0 => format!("−{}", short(-value)),
        value => match short_number(value) {
            text if text.contains('.') => text.trim_end_matches('0').trim_end_matches('.').into(),
            text => text,
        },
    }
}

/// Joins the runs of a point: the mean of their means, and its error.
fn points(mut runs: Vec<(f64, [f64; 2])>) -> Vec<Point> {
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let joined = runs.chunk_by(|a, b| a.0 == b.0).map(|runs| {
        let count = runs.len() as f64;
        let mean = runs.iter().map(|(_, [mean, _])| mean).sum::<f64>() / count;
        let own = runs.iter().map(|(_, [_, error])| error * error).sum::<f64>().sqrt() / count;
        let spread = runs.iter().map(|(_, [own, _])| (own - mean).powi(2)).sum::<f64>();
        let between = (spread / (count * (count - 1.0).max(1.0))).sqrt();
        Point { x: runs[0].0, mean, error: own.max(between) }
    });
    joined.collect()
}

impl Page for Curves {
    fn height(&self) -> u32 {
        let panel = PANEL.max((self.names.len() as u32 + 3) * LINE);
        head_height(self.head.len()) + self.panels.len() as u32 * panel
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: u32) -> Drawn<B> {
        let panel = PANEL.max((self.names.len() as u32 + 3) * LINE);
        let mut rest = head(area, scale, "Averages over runs", &self.head)?;
        for own in &self.panels {
            let (area, below) = rest.split_vertically(panel * scale);
            self.panel(&area, scale, own)?;
            rest = below;
        }
        area.present()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_of_a_point_are_joined() {
        let runs = vec![(2.0, [5.0, 0.5]), (1.0, [1.0, 0.1]), (1.0, [2.0, 0.1]), (1.0, [3.0, 0.1])];
        let found = points(runs);
        // Three means of deviation 1.
        let between = 1.0 / 3.0_f64.sqrt();
        assert_eq!((found[0].x, found[0].mean), (1.0, 2.0));
        assert!((found[0].error - between).abs() < 1e-12, "{found:?}");
        assert_eq!(found[1], Point { x: 2.0, mean: 5.0, error: 0.5 });
        // Where seeds agree by chance, the error by blocking is left.
        let alike = points(vec![(0.0, [1.0, 0.3]), (0.0, [1.0, 0.4])]);
        assert!((alike[0].error - 0.25).abs() < 1e-12, "{alike:?}");
    }
}
