//! The plot of a sweep: a panel for each metric, with its averages against the first key.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::Context;
use plotters::prelude::{DrawingBackend, PathElement};
use plotters::style::{BLACK, Color, WHITE};

use super::plan::MAX_PLAN;
use super::results::RunResult;
use super::runs::{Sweep, SweepRun};
use crate::commands::charts::{Canvas, Drawn, LINE, Page, Point, SERIES, curve};
use crate::commands::host::errors::wrong;
use crate::input::read_file;
use flockwork_model::quote::{cut, quoted, shown};

/// Height of a panel; units.
const PANEL: u32 = 280;

/// Most series: more look like one another.
const MAX_SERIES: usize = 12;

/// Most letters of a series' name: more leave the picture.
const MAX_NAME: usize = 24;

/// Most words below a panel that all have their name there, and most letters of all.
const MAX_WORDS: usize = 24;
const MAX_LETTERS: usize = 100;

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

/// The values that the runs of a series share: all but the first key's, or the way there or back.
type Others = Vec<String>;

fn others(sweep: &Sweep, point: usize) -> Others {
    match sweep.way(point) {
        Some(way) => vec![way.into()],
        None => sweep.points[point].get(1..).unwrap_or_default().to_vec(),
    }
}

/// The series of a sweep, in the order of their first points; a point belongs to none beyond the last.
fn series_of(sweep: &Sweep, most: usize) -> Vec<Others> {
    let mut seen = HashSet::new();
    let all = (0..sweep.points.len()).map(|point| others(sweep, point));
    all.filter(|others| seen.insert(others.clone())).take(most).collect()
}

/// The end of a text with more than `most` letters.
fn end_of(text: &str, most: usize) -> String {
    match text.chars().count().saturating_sub(most) {
        0 => text.into(),
        beyond => format!("…{}", text.chars().skip(beyond + 1).collect::<String>()),
    }
}

/// A text, or its beginning if it has more than `most` letters.
fn beginning_of(text: &str, most: usize) -> String {
    let text = cut(text);
    if text.chars().count() <= most {
        return text.into_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The names of all series. In longer ones each key has its share of the room, and keeps its end, the value.
fn names_of(sweep: &Sweep, series: &[Others]) -> Vec<String> {
    if sweep.plan.goes_back() {
        return series.iter().map(|others| others.concat()).collect();
    }
    let named = |(key, value): (&String, &String)| {
        // The last words of a key say enough.
        let short: Vec<&str> = key.rsplit('.').take(2).collect();
        format!("{} = {}", short.into_iter().rev().collect::<Vec<_>>().join("."), shown(value))
    };
    let name = |others: &Others, share: usize| {
        let texts = sweep.keys.iter().skip(1).zip(others).map(named);
        texts.map(|text| end_of(&text, share)).collect::<Vec<_>>().join(", ")
    };
    let whole: Vec<String> = series.iter().map(|others| name(others, usize::MAX)).collect();
    if whole.iter().all(|name| name.chars().count() <= MAX_NAME) {
        return whole;
    }
    let share = (MAX_NAME + 2) / sweep.keys.len().saturating_sub(1).max(1);
    let names: Vec<String> =
        series.iter().map(|others| name(others, share.saturating_sub(2))).collect();
    if names.iter().collect::<HashSet<_>>().len() == names.len() {
        return names;
    }
    // Values that are alike at their end, or too many keys: a number tells the series apart.
    let numbered =
        |(number, name): (usize, &String)| format!("{number}: {}", end_of(name, MAX_NAME - 4));
    (1..).zip(&names).map(numbered).collect()
}

/// Fails if a plot of the sweep would have too many series.
pub fn check(sweep: &Sweep) -> anyhow::Result<()> {
    if series_of(sweep, MAX_SERIES + 1).len() > MAX_SERIES {
        return Err(wrong(format!(
            "--plot: the keys after the first make more than {MAX_SERIES} series, the most of a plot; put the key \
             with most values first, or plot fewer"
        )));
    }
    Ok(())
}

/// Curves to compare with, by the names of metrics: published values, or a closed form.
pub type Reference = HashMap<String, Vec<(f64, f64)>>;

/// Reads a table: places in the first column, and a column for each metric. Empty fields and other columns are left
/// out.
pub fn read_reference(path: &Path, sweep: &Sweep) -> anyhow::Result<Reference> {
    let text = read_file(path, MAX_PLAN)?;
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.trim(csv::Trim::All).flexible(true).from_reader(text.as_bytes());
    let metrics: Vec<String> = reader.headers()?.iter().skip(1).map(str::to_owned).collect();
    let is_metric = |name: &String| sweep.plan.metrics().contains(&name.as_str());
    anyhow::ensure!(
        metrics.iter().any(is_metric),
        "no column is called like a metric of the sweep"
    );
    let is_number = |value: &String| value.parse::<f64>().is_ok();
    let numbers = sweep.points.iter().all(|point| point.first().is_some_and(is_number));
    anyhow::ensure!(numbers, "a reference needs a first key with numbers");
    let mut rows = Vec::new();
    for row in reader.records() {
        let row = row?;
        let line = row.position().map_or(0, csv::Position::line);
        let number = |value: &str| match value.parse::<f64>() {
            _ if value.is_empty() => Ok(None),
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(anyhow::anyhow!("line {line}: {} is no number", quoted(value))),
        };
        let x = row.get(0).map_or(Ok(None), number)?;
        let x = x.with_context(|| format!("line {line}: its place is missing"))?;
        let own = row.iter().skip(1).zip(&metrics);
        let own = own.map(|(value, name)| if is_metric(name) { number(value) } else { Ok(None) });
        rows.push((x, own.collect::<Result<_, _>>()?));
    }
    anyhow::ensure!(!rows.is_empty(), "it has no row; give it one for each place");
    rows.sort_by(|a: &(f64, Vec<_>), b| a.0.total_cmp(&b.0));
    let curve = |at: usize| {
        let value = |(x, values): &(f64, Vec<Option<f64>>)| Some((*x, (*values.get(at)?)?));
        rows.iter().filter_map(value).collect()
    };
    // Of columns with the same name the first counts.
    Ok(metrics.into_iter().enumerate().rev().map(|(at, name)| (name, curve(at))).collect())
}

impl Curves {
    /// The averages of the runs with results, and curves to compare them with; an error if there is no result.
    pub fn new(
        sweep: &Sweep,
        results: &[(SweepRun, RunResult)],
        reference: &Reference,
    ) -> anyhow::Result<Self> {
        let there = results.iter().filter(|(_, result)| result.failure.is_none());
        let there: Vec<&(SweepRun, RunResult)> = there.collect();
        anyhow::ensure!(!there.is_empty(), "--plot: no run has a result; compute some first");
        let first = |point: &Vec<String>| point.first().cloned().unwrap_or_default();
        let mut seen = HashSet::new();
        let values: Vec<String> =
            sweep.points.iter().map(first).filter(|value| seen.insert(value.clone())).collect();
        let is_number = |value: &String| value.parse::<f64>().is_ok();
        let words = if values.iter().all(is_number) { Vec::new() } else { values };
        let places: HashMap<&String, usize> = words.iter().zip(0..).collect();
        let place = |run: SweepRun| {
            let value = first(&sweep.points[run.point]);
            places.get(&value).map_or_else(|| value.parse().unwrap_or(0.0), |at| *at as f64)
        };
        let series = series_of(sweep, MAX_SERIES);
        let panel = |metric: &str| {
            let points = series.iter().map(|own| {
                let is_own = |run: &SweepRun| others(sweep, run.point) == *own;
                let own = there.iter().filter(|(run, _)| is_own(run));
                let own = own.filter_map(|(run, result)| {
                    let average = result.metrics.get(metric)?;
                    Some((place(*run), [average.mean, average.standard_error]))
                });
                points(own.collect())
            });
            Panel {
                metric: metric.into(),
                series: points.collect(),
                reference: reference.get(metric).cloned().unwrap_or_default(),
            }
        };
        let names = names_of(sweep, &series);
        let (scene, seeds) = (sweep.plan.scene.as_deref(), sweep.plan.seeds.unwrap_or(1));
        let mut agents: Vec<u64> = there.iter().map(|(run, _)| sweep.agents(*run)).collect();
        agents.sort_unstable();
        agents.dedup();
        let agents = agents.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let head = vec![
            "Averages over runs".into(),
            format!(
                "scene {}, {} agents, {}{} ticks, {seeds} a point",
                cut(scene.unwrap_or("flock")),
                cut(&agents),
                if sweep.plan.until.is_some() { "at most " } else { "" },
                sweep.plan.ticks(),
                seeds = super::counted_runs(seeds as usize)
            ),
            "bars: standard error, by blocking or between the seeds, whichever is larger".into(),
        ];
        let panels = sweep.plan.metrics().into_iter().map(panel).collect();
        let key = sweep.keys.first().cloned().unwrap_or_default();
        Ok(Self { head, key, words, names, panels })
    }
}

/// A number on an axis of this length: enough digits to tell a tenth of it.
fn short(value: f64, length: f64) -> String {
    let digits = (1.0 - length.max(1e-12).log10().floor()).clamp(0.0, 12.0) as usize;
    // A place beside 0 is a rounding error of the axis.
    let value = if value.abs() < 1e-9 * length { 0.0 } else { value };
    if value.abs() >= 1e6 || (value != 0.0 && value.abs() < 1e-4) {
        return format!("{value:.2e}").replace('-', "−");
    }
    let text = format!("{value:.digits$}").replace('-', "−");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
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
        let error = own.max(between);
        (runs[0].0, [mean - error, mean, mean + error])
    });
    joined.collect()
}

impl Page for Curves {
    fn head(&self) -> &[String] {
        &self.head
    }

    fn panels(&self) -> Vec<u32> {
        vec![PANEL.max((self.names.len() as u32 + 3) * LINE); self.panels.len()]
    }

    fn draw<B: DrawingBackend>(&self, panel: usize, canvas: &Canvas<B>) -> Drawn<B> {
        let panel = &self.panels[panel];
        let compared = panel.reference.iter().map(|&(x, y)| (x, [y; 3]));
        let all: Vec<Point> = panel.series.iter().flatten().copied().chain(compared).collect();
        let least = |of: fn(&Point) -> f64| all.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&Point) -> f64| all.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let (left, right) = (least(|(x, _)| *x), most(|(x, _)| *x));
        let (low, high) = (least(|(_, [low, ..])| *low), most(|(_, [.., high])| *high));
        if left > right {
            return Ok(());
        }
        // A single point, or a constant, has room too.
        let room = |from: f64, to: f64| {
            if to > from { (to - from) * 0.06 } else { to.abs().max(1.0) * 0.1 }
        };
        let (x, y) = (room(left, right), room(low, high));
        let mut chart = canvas
            .builder(&panel.metric)
            .build_cartesian_2d(left - x..right + x, low - y..high + y)?;
        let name = |x: &f64| match self.words.get(x.round() as usize) {
            Some(word) if *x > -0.5 && (x - x.round()).abs() < 1e-6 => {
                beginning_of(word.trim_matches('"'), MAX_LETTERS / self.words.len())
            }
            None if self.words.is_empty() => short(*x, right - left),
            _ => String::new(),
        };
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_labels(if self.words.len() <= MAX_WORDS { self.words.len().max(4) + 4 } else { 20 })
            .y_labels(6)
            .label_style(canvas.label())
            .x_desc(cut(&self.key))
            .x_label_formatter(&name)
            .y_label_formatter(&|y| short(*y, high - low))
            .draw()?;
        // Thin, below the points.
        let is_compared = !panel.reference.is_empty();
        if is_compared {
            let line = BLACK.stroke_width(canvas.scale);
            chart.draw_series([PathElement::new(panel.reference.clone(), line)])?;
        }
        let style = |index: usize| {
            let pale = 1.0 - 0.35 * (index / SERIES.len()) as f64;
            SERIES[index % SERIES.len()].mix(pale).stroke_width(2 * canvas.scale)
        };
        for (index, points) in panel.series.iter().enumerate() {
            let dot = (3 * canvas.scale, style(index).filled());
            // A reference is the line.
            curve(&mut chart, points, style(index), dot, !is_compared)?;
        }
        let named = self.names.iter().enumerate().filter(|_| self.names.len() > 1);
        let named = named.map(|(index, name)| (name.clone(), style(index)));
        canvas.legend(named.chain(is_compared.then(|| ("reference".into(), BLACK.into()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::sweep::plan::SweepPlan;

    /// The names of the series of a plan that varies these keys after the first.
    fn names(vary: &str) -> Vec<String> {
        let quoted = vary.lines().map(|line| format!("\"{}", line.replacen(" =", "\" =", 1)));
        let vary = quoted.collect::<Vec<_>>().join("\n");
        let text = format!("ticks = 9\nscene = \"flock\"\n[vary]\ncount = [5, 6]\n{vary}");
        let sweep = Sweep::new(SweepPlan::parse(&text, "plan", Path::new("")).unwrap()).unwrap();
        names_of(&sweep, &series_of(&sweep, MAX_SERIES))
    }

    #[test]
    fn no_two_series_have_the_same_name() {
        assert_eq!(
            names("starling.max_speed = [1, 2]"),
            ["starling.max_speed = 1", "starling.max_speed = 2"]
        );
        let both = "starling.separation.radius = [10, 20]\nstarling.alignment.weight = [0.25, 0.5]";
        assert_eq!(
            names(both),
            [
                "…adius = 10, …ght = 0.25",
                "…adius = 10, …ight = 0.5",
                "…adius = 20, …ght = 0.25",
                "…adius = 20, …ight = 0.5"
            ]
        );
        // Many keys, and values that are alike at their end.
        let many = "starling.separation.weight = [1, 2]\nstarling.max_force = [1.125, 2.125]\n\
                    starling.size = [1.125, 2.125]";
        let texts = "about = [\"one more of the sentences\", \"two more of the sentences\"]";
        for vary in [both, many, texts] {
            let found = names(vary);
            assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len(), "{found:?}");
            assert!(found.iter().all(|name| name.chars().count() <= MAX_NAME), "{found:?}");
        }
    }

    #[test]
    fn numbers_of_an_axis_are_short() {
        assert_eq!(short(-5.55e-17, 0.6), "0");
        assert_eq!(short(-0.1, 0.6), "−0.1");
        assert_eq!(short(-2e-5, 4e-5), "−2.00e−5");
    }

    #[test]
    fn every_word_of_a_key_stands_below_its_panel() {
        for count in [2, 9, 13, 18, 20, 24] {
            let words: Vec<String> = (0..count).map(|number| format!("\"{number}word\"")).collect();
            let points = |number: usize| (number as f64, [0.0, 1.0, 2.0]);
            let panel = Panel {
                metric: "mean_speed".into(),
                series: vec![(0..count).map(points).collect()],
                reference: Vec::new(),
            };
            let (head, key) = (vec!["head".into()], "starling.colour".into());
            let curves = Curves { head, key, words, names: vec![], panels: vec![panel] };
            let text = crate::commands::charts::svg(&curves).unwrap();
            for number in 0..count {
                let named = |line: &str| {
                    let rest = line.trim().strip_prefix(&number.to_string());
                    rest.is_some_and(|rest| rest.starts_with('w') || rest.starts_with('…'))
                };
                assert_eq!(text.lines().filter(|line| named(line)).count(), 1, "{number}");
            }
            // Some viewers refuse a line without points.
            assert!(!text.contains("points=\"\""));
        }
    }

    #[test]
    fn the_runs_of_a_point_are_joined() {
        let runs = vec![(2.0, [5.0, 0.5]), (1.0, [1.0, 0.1]), (1.0, [2.0, 0.1]), (1.0, [3.0, 0.1])];
        let found = points(runs);
        // Three means of deviation 1.
        let between = 1.0 / 3.0_f64.sqrt();
        let (x, [low, mean, high]) = found[0];
        assert_eq!((x, mean), (1.0, 2.0));
        let errors = [mean - low, high - mean];
        assert!(errors.iter().all(|error| (error - between).abs() < 1e-12), "{found:?}");
        assert_eq!(found[1], (2.0, [4.5, 5.0, 5.5]));
        // Where seeds agree by chance, the error by blocking is left.
        let (_, [_, mean, high]) = points(vec![(0.0, [1.0, 0.3]), (0.0, [1.0, 0.4])])[0];
        assert!((high - mean - 0.25).abs() < 1e-12, "{mean} {high}");
    }
}
