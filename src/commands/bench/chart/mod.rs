//! The charts of a bench: time per agent against the count, and the passes of each engine.

mod bars;
mod engines;
mod lines;

use plotters::style::RGBColor;

use super::axis::{Axis, mark_text, short_count};
use super::drawing::{Drawing, Marker, Place, Shape, Side, fitted};
use super::report::{Report, ReportRow};
use crate::commands::output::counted;

/// Width of the picture; units, like all lengths here.
const WIDTH: i32 = 1000;
/// Margin above the panels, and the smallest margin at either side.
const MARGIN: i32 = 24;
/// Left edge of the panels. The numbers of the axis are to the left of it.
const LEFT: i32 = 76;
/// Right edge of the panels.
const RIGHT: i32 = 790;
/// Where the legends begin.
const LEGEND: i32 = 815;
/// Height of a line of text.
const LINE: i32 = 19;

const TITLE: i32 = 23;
const HEADING: i32 = 16;
const TEXT: i32 = 14;
const SMALL: i32 = 13;

const INK: RGBColor = RGBColor(34, 34, 34);
const FAINT: RGBColor = RGBColor(96, 96, 96);
const GRID: RGBColor = RGBColor(226, 226, 226);

/// Colours of engines, in the order of the table. They are Okabe and Ito's, which colour-blind
/// people can tell apart.
const ENGINES: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// A rectangle of the picture.
#[derive(Clone, Copy, Debug)]
struct Area {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

/// A picture in progress: shapes, from top to bottom.
struct Page {
    shapes: Vec<Shape>,
    /// Where the next thing begins.
    top: i32,
}

impl Page {
    fn text(&mut self, at: Place, side: Side, text: &str, size: i32, colour: RGBColor) {
        self.shapes.push(Shape::Text { at, side, text: text.into(), size, colour });
    }

    fn line(&mut self, ends: [Place; 2], colour: RGBColor) {
        self.shapes.push(Shape::Line { ends, width: 1, colour });
    }

    /// A line of text over the whole width, cut if it is too long.
    fn paragraph(&mut self, text: &str, size: i32, colour: RGBColor) {
        let height = (size * 4 / 3).max(LINE);
        // A viewer of the SVG may have a wider font than ours.
        let text = fitted(text, size, WIDTH * 7 / 8);
        self.text((MARGIN, self.top + height / 2), Side::Left, &text, size, colour);
        self.top += height;
    }

    /// The horizontal lines of a panel, with their numbers to the left.
    fn grid(&mut self, area: Area, axis: &Axis) {
        for mark in axis.marks() {
            let y = axis.at(mark);
            self.line([(area.left, y), (area.right, y)], GRID);
            self.text((area.left - 8, y), Side::Right, &mark_text(mark), SMALL, FAINT);
        }
        self.line([(area.left, area.bottom), (area.right, area.bottom)], FAINT);
    }
}

/// A density of the command line and its name. The name is empty when no behaviour looks at
/// neighbours, or when the world has a fixed size and every count has a density of its own.
struct Density {
    asked: Option<f32>,
    name: String,
    marker: Marker,
}

/// The reports, by engine, density and count.
struct Figures<'a> {
    reports: &'a [Report],
    /// In the order of the tables.
    densities: Vec<Density>,
    /// Ascending.
    counts: Vec<usize>,
}

impl<'a> Figures<'a> {
    fn of(reports: &'a [Report]) -> Self {
        let mut counts: Vec<usize> = reports.iter().map(|report| report.agents).collect();
        counts.sort_unstable();
        counts.dedup();
        let mut densities: Vec<Density> = Vec::new();
        for Report { density: asked, .. } in reports {
            if densities.iter().any(|density| density.asked == *asked) {
                continue;
            }
            let same = reports.iter().filter(|report| report.density == *asked);
            let even: Vec<f64> = same.map(|report| report.uniform_neighbours).collect();
            let alike = even.iter().all(|k| *k > 0.0 && (k / even[0] - 1.0).abs() < 0.02);
            let name =
                if alike { format!("k = {}", short_density(even[0])) } else { String::new() };
            let marker = Marker::ALL[densities.len() % Marker::ALL.len()];
            densities.push(Density { asked: *asked, name, marker });
        }
        Self { reports, densities, counts }
    }

    /// The engines' names, in the order of the table.
    fn engines(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let rows = self.reports.first().map_or(&[] as &[ReportRow], |report| &report.rows);
        rows.iter().enumerate().map(|(index, row)| (index, row.engine))
    }

    fn report(&self, density: &Density, count: usize) -> Option<&'a Report> {
        let wanted = |r: &&Report| r.density == density.asked && r.agents == count;
        self.reports.iter().find(wanted)
    }
}

/// Nanoseconds per agent and tick: minimum, median, 95th percentile.
fn times(row: &ReportRow) -> Option<[f64; 3]> {
    let per_agent = row.ns_per_agent / row.ms_p50;
    let times = [row.ms_min * per_agent, row.ns_per_agent, row.ms_p95 * per_agent];
    times.iter().all(|time| time.is_finite() && *time > 0.0).then_some(times)
}

/// A density without digits that are only rounding.
fn short_density(value: f64) -> String {
    mark_text((value * 10.0).round() / 10.0)
}

/// Draws the reports of one run: at least one, all of the same engines.
#[must_use]
pub fn chart(reports: &[Report]) -> Drawing {
    let figures = Figures::of(reports);
    let mut page = Page { shapes: Vec::new(), top: MARGIN / 2 };
    head(&mut page, &figures);
    if figures.counts.len() > 1 {
        lines::panel(&mut page, &figures);
    } else {
        engines::panel(&mut page, &figures);
    }
    bars::panels(&mut page, &figures);
    Drawing { size: (WIDTH as u32, (page.top + MARGIN / 2) as u32), shapes: page.shapes }
}

/// Draws the title and all conditions of the measurement.
fn head(page: &mut Page, figures: &Figures<'_>) {
    let Some(first) = figures.reports.first() else { return };
    page.paragraph("Time for one agent and tick", TITLE, INK);
    let samples = figures.reports.iter().map(Report::fewest_samples).min().unwrap_or(0);
    let about = format!(
        "scene {}, seed {}; start: {}; {}; medians of {} or more",
        first.scene,
        first.seed,
        first.start(),
        counted(first.ticks_asked.into(), "tick"),
        counted(samples as u64, "sample")
    );
    page.paragraph(&about, TEXT, INK);
    for row in &first.rows {
        page.paragraph(&format!("{}: {}", row.engine, row.runs_on), TEXT, INK);
    }
    page.paragraph(&format!("processor: {}", first.processor), TEXT, INK);
    if figures.densities.iter().any(|density| !density.name.is_empty()) {
        page.paragraph("k: mean neighbours of a flock that is spread evenly", TEXT, INK);
    }
    page.paragraph(&neighbours(figures), TEXT, INK);
    page.top += 8;
}

/// Describes how dense the flocks are at the start and at the end.
fn neighbours(figures: &Figures<'_>) -> String {
    let Some(largest) = figures.counts.last() else { return String::new() };
    if figures.reports.iter().all(|report| report.uniform_neighbours == 0.0) {
        return "no agent has neighbours".into();
    }
    let counted = figures.densities.iter().filter_map(|density| {
        let [start, end] = figures.report(density, *largest)?.crowding?.mean_neighbours;
        let name = if density.name.is_empty() { "" } else { &format!(" ({})", density.name) };
        Some(format!("{start:.1} to {end:.1}{name}"))
    });
    let counted: Vec<String> = counted.collect();
    if counted.is_empty() {
        let processes = figures.reports.iter().map(|report| report.processes).max().unwrap_or(1);
        return match processes {
            1 => "interrupted before neighbours were counted".into(),
            ranks => format!("{ranks} ranks; neighbours are not counted"),
        };
    }
    let agents = short_count(*largest);
    format!(
        "neighbours from start to end, with {agents} agent{}: {}",
        if *largest == 1 { "" } else { "s" },
        counted.join(", ")
    )
}

#[cfg(test)]
pub mod tests {
    use super::super::drawing::tests::text_box;
    use super::super::report::Crowding;
    use super::*;
    use crate::commands::state_file::RunRecord;

    const PASSES: [&str; 4] = ["steer", "scan_reduce", "place", "reorder"];

    fn row(engine: &'static str, ns: f64, agents: usize) -> ReportRow {
        let ms = ns * agents as f64 * 1e-6;
        ReportRow {
            engine,
            runs_on: format!("some machine whose name is long, for {engine}"),
            ms_p50: ms,
            ms_min: ms * 0.9,
            ms_p95: ms * 1.3,
            million_agent_ticks: 1e3 / ns,
            ns_per_agent: ns,
            samples: 20,
            passes: PASSES.iter().map(|pass| (*pass, ms / 4.0)).collect(),
            passes_by_timestamps: engine == "gpu",
            ranks: Vec::new(),
            borders_moved: None,
        }
    }

    /// The reports of a run over these counts and densities. The first engine is `faster` times as
    /// fast.
    pub fn reports(counts: &[usize], densities: &[Option<f32>], faster: f64) -> Vec<Report> {
        let all = counts.iter().flat_map(|count| densities.iter().map(move |k| (*count, *k)));
        let one = |(agents, density): (usize, Option<f32>)| {
            let k = f64::from(density.unwrap_or(10.0));
            let ns = 2.0 * k + 1e5 / agents as f64;
            Report {
                scene: "flock".into(),
                agents,
                processes: 1,
                seed: 1,
                processor: "Some Processor @ 2 GHz".into(),
                state: "uniform",
                settle_ticks: 0,
                density,
                ticks: 100,
                ticks_asked: 100,
                ticks_before_the_end: 111,
                uniform_neighbours: k,
                runs: 1,
                ticks_a_sample: 5,
                crowding: Some(Crowding {
                    mean_neighbours: [k, 2.9 * k],
                    largest_cell: [13, 93],
                    sampled_agents: 0,
                }),
                rows: vec![
                    row("gpu", ns / faster, agents),
                    row("cpu", ns, agents),
                    row("cpu1", 1.8 * ns, agents),
                ],
                agreements: Vec::new(),
                run: RunRecord::default(),
            }
        };
        all.map(one).collect()
    }

    fn texts(drawing: &Drawing) -> Vec<&str> {
        drawing
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Text { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn no_text_covers_another_or_leaves_the_picture() {
        let many = [100, 1000, 5000, 10_000, 20_000, 100_000, 200_000, 1_000_000, 10_000_000];
        let densities = [10.0, 30.0, 100.0, 3.0, 5.0, 50.0, 70.0, 90.0].map(Some);
        for counts in [&many[..], &many[7..8], &many[3..6]] {
            for densities in [&densities[..], &densities[..3], &densities[..1], &[None]] {
                for faster in [2.0, 300.0] {
                    let drawing = chart(&reports(counts, densities, faster));
                    let boxes: Vec<([i32; 4], &Shape)> =
                        drawing.shapes.iter().filter_map(|s| Some((text_box(s)?, s))).collect();
                    for (index, (one, shape)) in boxes.iter().enumerate() {
                        let [left, top, right, bottom] = *one;
                        let (width, height) = (drawing.size.0 as i32, drawing.size.1 as i32);
                        let inside = left >= 0 && top >= 0 && right <= width && bottom <= height;
                        assert!(inside, "{shape:?} leaves the picture");
                        for (other, second) in &boxes[index + 1..] {
                            let apart = right <= other[0]
                                || other[2] <= left
                                || bottom <= other[1]
                                || other[3] <= top;
                            assert!(apart, "{shape:?} covers {second:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_engine_density_and_pass_is_named() {
        let several = reports(&[1000, 100_000], &[Some(10.0), Some(30.0)], 2.0);
        let drawing = chart(&several);
        let found = texts(&drawing).join("\n");
        for name in ["gpu, k = 10", "cpu1, k = 30", "steer", "scan_reduce", "100 k", "1 k"] {
            assert!(found.contains(name), "no {name} in\n{found}");
        }
        for name in
            ["scene flock", "some machine", "Some Processor", "start: uniform", "20 samples"]
        {
            assert!(found.contains(name), "no {name} in\n{found}");
        }
        let lines =
            |d: &Drawing| d.shapes.iter().filter(|s| matches!(s, Shape::Series { .. })).count();
        // Each is in the panel and in the legend.
        assert_eq!(lines(&drawing), 2 * 6);
        assert_eq!(lines(&chart(&reports(&[1000], &[None], 2.0))), 0, "one count makes no line");
    }

    #[test]
    fn one_count_shows_the_engines_side_by_side() {
        let boxes = |drawing: &Drawing, colour: RGBColor| -> Vec<i32> {
            let heights = drawing.shapes.iter().filter_map(|shape| match shape {
                Shape::Box { corners: [a, b], colour: own } if *own == colour => Some(b.1 - a.1),
                _ => None,
            });
            // The boxes of the legend are small.
            heights.map(i32::abs).filter(|height| *height > 20).collect()
        };
        let drawing = chart(&reports(&[1000], &[None], 2.0));
        assert!(texts(&drawing).join("\n").contains("By engine"));
        let [gpu, cpu, cpu1] = [0, 1, 2]
            .map(|engine| <[i32; 1]>::try_from(boxes(&drawing, ENGINES[engine])).unwrap()[0]);
        // The first engine is twice as fast as the second; the third is 1.8 times as slow.
        assert!((f64::from(cpu) / f64::from(gpu) - 2.0).abs() < 0.1, "{gpu} {cpu}");
        assert!((f64::from(cpu1) / f64::from(cpu) - 1.8).abs() < 0.05, "{cpu} {cpu1}");
        let several = chart(&reports(&[1000], &[Some(5.0), Some(10.0)], 2.0));
        assert_eq!(boxes(&several, ENGINES[1]).len(), 2);
        let counts = chart(&reports(&[1000, 2000], &[None], 2.0));
        assert_eq!(boxes(&counts, ENGINES[1]).len(), 0, "lines show them");
    }

    #[test]
    fn every_density_has_a_line_of_its_own() {
        let densities: Vec<Option<f32>> = (1..=Marker::ALL.len()).map(|k| Some(k as f32)).collect();
        let reports = reports(&[1000, 2000], &densities, 2.0);
        let figures = Figures::of(&reports);
        for (at, density) in figures.densities.iter().enumerate() {
            assert!(figures.densities[..at].iter().all(|other| other.marker != density.marker));
        }
    }

    #[test]
    fn an_interrupted_run_is_drawn_too() {
        let mut reports = reports(&[1000, 100_000], &[Some(10.0)], 2.0);
        reports.iter_mut().flat_map(|r| &mut r.rows).for_each(|row| row.passes.clear());
        reports[1].crowding = None;
        assert!(chart(&reports).svg().unwrap().contains("</svg>"));
        assert!(chart(&reports[..1]).svg().unwrap().contains("</svg>"));
    }
}
