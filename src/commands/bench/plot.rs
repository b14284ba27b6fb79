//! The plot of a bench: time per agent against the count, or engine beside engine, and the passes of each.

use std::io::Write;
use std::path::Path;
use std::sync::Once;

use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::coord::combinators::{BindKeyPoints, IntoLogRange};
use plotters::coord::ranged1d::IntoSegmentedCoord;
use plotters::coord::ranged1d::SegmentValue::{CenterOf, Exact};
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::{
    BitMapBackend, Circle, DrawingArea, DrawingBackend, IntoDrawingArea, PathElement, Rectangle,
    SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    BLACK, Color, FontStyle, IntoTextStyle, RGBColor, ShapeStyle, TextStyle, WHITE, register_font,
};

use super::report::{Report, ReportRow};
use crate::commands::files::output::OutputFile;
use crate::commands::host::errors::wrong;
use flockwork_view::words::counted;

/// Width of the picture, and heights of a line of text and of the panels; units.
const WIDTH: u32 = 1000;
const LINE: u32 = 19;
const PANEL: u32 = 340;
const PASSES: u32 = 250;
/// Right of the panels, for the names of series.
const LEGEND: u32 = 190;
/// Pixels per unit in a bitmap: sharp on all screens.
const PIXELS: u32 = 2;
/// Most densities in a plot: one looks like another with more.
pub const MAX_DENSITIES: usize = 8;

/// Colours of engines, in the order of the table: Okabe and Ito's, which colour-blind people can tell apart.
const ENGINES: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// Colours of passes, in order of first appearance: the passes of a GPU tick, and the CPU's sort.
const COLOURS: [u32; 11] = [
    0x4e79a7, 0xf28e2b, 0xe15759, 0x76b7b2, 0xedc948, 0xb07aa1, 0x59a14f, 0xff9da7, 0x9c755f,
    0x969696, 0x3c3c5a,
];

type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// A plot file. It appears only when complete.
#[derive(Debug)]
pub struct PlotFile {
    is_svg: bool,
    file: OutputFile,
}

impl PlotFile {
    /// Checks the file extension and the folder, and begins the file.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let is_svg = match extension.as_deref() {
            Some("svg") => true,
            Some("png") => false,
            _ => {
                return Err(wrong(format!(
                    "--plot {}: a plot is called NAME.svg (lines and text) or NAME.png (pixels)",
                    path.display()
                )));
            }
        };
        Ok(Self { is_svg, file: OutputFile::create(path)? })
    }

    /// Draws the reports of one run, at least one, and renames the file into place.
    pub fn write(mut self, reports: &[Report]) -> anyhow::Result<()> {
        let page = Page::new(reports);
        if self.is_svg {
            self.file.write_all(page.svg()?.as_bytes())?;
        } else {
            let (width, height) = (WIDTH * PIXELS, page.height() * PIXELS);
            let mut pixels = vec![0; width as usize * height as usize * 3];
            let backend = BitMapBackend::with_buffer(&mut pixels, (width, height));
            page.draw(&backend.into_drawing_area(), PIXELS)?;
            let mut encoder = png::Encoder::new(&mut self.file, width, height);
            encoder.set_color(png::ColorType::Rgb);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&pixels)?;
            writer.finish()?;
        }
        self.file.publish()?;
        Ok(())
    }
}

fn colour_of_engine(index: usize) -> RGBColor {
    ENGINES[index % ENGINES.len()]
}

fn colour_of_pass(index: usize) -> RGBColor {
    let [_, red, green, blue] = COLOURS[index % COLOURS.len()].to_be_bytes();
    RGBColor(red, green, blue)
}

/// A text of this height; pixels. The font is part of the program, for a bare machine has none.
fn font(height: u32) -> TextStyle<'static> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // If the font were broken, the first text would fail.
        let _ = register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    });
    ("sans-serif", height).into_text_style(&(0, 0))
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

/// Reports by engine, density and count.
struct Page<'a> {
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
    fn new(reports: &'a [Report]) -> Self {
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
                first.start(),
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

    fn height(&self) -> u32 {
        (self.head.len() as u32 + 3) * LINE + self.panel() + self.profiled().len() as u32 * PASSES
    }

    fn svg(&self) -> anyhow::Result<String> {
        let mut text = String::new();
        let backend = SVGBackend::with_string(&mut text, (WIDTH, self.height()));
        self.draw(&backend.into_drawing_area(), 1)?;
        Ok(text)
    }

    /// Draws all at `scale` pixels a unit.
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: u32) -> Drawn<B> {
        area.fill(&WHITE)?;
        let title = ("Time for one agent and tick", 1, 23);
        let head = self.head.iter().enumerate();
        let head = head.map(|(number, text)| (text.as_str(), 2 * number as u32 + 4, 14));
        for (text, line, height) in [title].into_iter().chain(head) {
            // A viewer of the SVG may have a wider font.
            let text: String = text.chars().take(140).collect();
            let place = ((LINE * scale) as i32, (line * LINE * scale) as i32 / 2);
            area.draw(&Text::new(text, place, font(height * scale)))?;
        }
        let (_, rest) = area.split_vertically((self.head.len() as u32 + 3) * LINE * scale);
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

    /// Time per agent, engine beside engine.
    fn beside<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: u32) -> Drawn<B> {
        let engines = self.engines();
        let bar = |report: &Report, index: usize| {
            let [low, middle, high] = times(report.rows.get(index)?)?;
            let parts = vec![(engines[index], middle)];
            Some(Bar { name: engines[index].into(), parts, whisker: Some([low, high]) })
        };
        let group = |density| -> Vec<Bar> {
            let report = self.counts.first().and_then(|count| self.report(density, *count));
            report.into_iter().flat_map(|r| (0..engines.len()).filter_map(|i| bar(r, i))).collect()
        };
        let groups: Vec<_> = self.densities.iter().map(|density| group(*density)).collect();
        self.bars(area, scale, "By engine, ns", (&engines, colour_of_engine), &groups)
    }

    /// The passes of an engine, stacked: a bar for each count and density.
    fn passes<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: u32,
        engine: usize,
    ) -> Drawn<B> {
        let mut names = Vec::new();
        for (name, _) in self.reports.iter().flat_map(|r| &r.rows).flat_map(|row| &row.passes) {
            if !names.contains(name) {
                names.push(*name);
            }
        }
        let bar = |density: Option<f32>, count: &usize| {
            let passes = &self.report(density, *count)?.rows.get(engine)?.passes;
            let parts = passes.iter().map(|(pass, ms)| (*pass, ms * 1e6 / *count as f64));
            Some(Bar { name: short_count(*count), parts: parts.collect(), whisker: None })
        };
        let group = |density: &_| self.counts.iter().filter_map(|n| bar(*density, n)).collect();
        let groups: Vec<Vec<Bar>> = self.densities.iter().map(group).collect();
        let rows = self.reports.first().and_then(|report| report.rows.get(engine));
        let by_stamps = rows.is_some_and(|row| row.passes_by_timestamps);
        let clock = if by_stamps { "timestamps" } else { "wall time" };
        let title = format!("Passes of {}, ns by {clock}, after the run", self.engines()[engine]);
        self.bars(area, scale, &title, (&names, colour_of_pass), &groups)
    }

    /// Draws stacked bars, a group for each density, and the names of their parts with these colours.
    fn bars<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: u32,
        title: &str,
        (names, colour): (&[&'static str], fn(usize) -> RGBColor),
        groups: &[Vec<Bar>],
    ) -> Drawn<B> {
        // With a gap before and after each group.
        let (mut places, mut middles, mut at) = (Vec::new(), Vec::new(), 1);
        for (density, bars) in self.densities.iter().zip(groups) {
            middles.push((at + bars.len() / 2, density_name(*density)));
            places.extend(bars.iter().enumerate().map(|(number, bar)| (at + number, bar)));
            at += bars.len() + 1;
        }
        let most = places.iter().map(|(_, bar)| bar.end()).fold(0.0, f64::max);
        if most <= 0.0 {
            return Ok(());
        }
        let mut chart = builder(area, scale, title)
            .build_cartesian_2d((0..at - 1).into_segmented(), 0.0..most * 1.25)?;
        let label = font(13 * scale);
        let name_at =
            |at: usize| places.iter().find(|place| place.0 == at).map(|(_, bar)| &bar.name);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(WHITE)
            .x_labels(20)
            .y_labels(6)
            .y_label_formatter(&f64::to_string)
            .label_style(label.clone())
            .x_label_formatter(&|segment| match segment {
                CenterOf(at) => name_at(*at).cloned().unwrap_or_default(),
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
                part.set_margin(0, 0, 3 * scale, 3 * scale);
                Some(part)
            };
            chart.draw_series(places.iter().filter_map(part))?;
        }
        let whiskers = places.iter().filter_map(|(at, bar)| Some((CenterOf(*at), bar.whisker?)));
        let lines = whiskers.map(|(at, [low, high])| vec![(at.clone(), low), (at, high)]);
        chart.draw_series(lines.map(|ends| PathElement::new(ends, BLACK.stroke_width(scale))))?;
        let totals = places.iter().filter(|_| places.len() <= 16);
        let totals =
            totals.map(|(at, bar)| (short_number(bar.sum()), *at, bar.end(), VPos::Bottom));
        let tops = middles.into_iter().map(|(at, name)| (name, at, most * 1.25, VPos::Top));
        chart.draw_series(totals.chain(tops).map(|(text, at, y, side)| {
            Text::new(text, (CenterOf(at), y), label.pos(Pos::new(HPos::Center, side)))
        }))?;
        // From top to bottom, as the parts are stacked.
        let parts = names.iter().enumerate().rev();
        legend(area, scale, parts.map(|(index, name)| ((*name).into(), colour(index).filled())))
    }
}

/// A panel with its title, and room for the names of series at the right.
fn builder<'a, 'b, B: DrawingBackend>(
    area: &'a DrawingArea<B, Shift>,
    scale: u32,
    title: &str,
) -> ChartBuilder<'a, 'b, B> {
    let mut builder = ChartBuilder::on(area);
    builder
        .margin((LINE / 2 * scale) as i32)
        .margin_right((LEGEND * scale) as i32)
        .caption(title, font(16 * scale))
        .x_label_area_size((2 * LINE * scale) as i32)
        .y_label_area_size((3 * LINE * scale) as i32);
    builder
}

/// Names the series of a panel at its right.
fn legend<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    scale: u32,
    series: impl IntoIterator<Item = (String, ShapeStyle)>,
) -> Drawn<B> {
    let left = (WIDTH - LEGEND + 10) * scale;
    for (number, (name, style)) in series.into_iter().enumerate() {
        let y = (2 * LINE + LINE * number as u32) * scale;
        let corners = [(left, y), (left + 16 * scale, y + LINE * scale / 2)];
        area.draw(&Rectangle::new(corners.map(|(x, y)| (x as i32, y as i32)), style.filled()))?;
        let place = ((left + 24 * scale) as i32, y as i32 - 3 * scale as i32);
        area.draw(&Text::new(name, place, font(14 * scale)))?;
    }
    Ok(())
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

/// A measured number for display, with three significant digits.
fn short_number(value: f64) -> String {
    let digits = (2.0 - value.max(1e-3).log10().floor().clamp(-1.0, 2.0)) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
pub mod tests {
    use super::super::report::Crowding;
    use super::*;
    use flockwork_model::io::RunRecord;

    const NAMES: [&str; 4] = ["steer", "scan_reduce", "place", "reorder"];

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
            passes: NAMES.iter().map(|pass| (*pass, ms / 4.0)).collect(),
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

    fn svg(counts: &[usize], densities: &[Option<f32>], faster: f64) -> String {
        Page::new(&reports(counts, densities, faster)).svg().unwrap()
    }

    /// The attribute of a tag.
    fn attribute<'a>(tag: &'a str, name: &str) -> &'a str {
        tag.split_once(&format!(" {name}=\"")).unwrap().1.split('"').next().unwrap()
    }

    #[test]
    fn no_text_covers_another_or_leaves_the_picture() {
        let many = [100, 1000, 5000, 10_000, 20_000, 100_000, 200_000, 1_000_000, 10_000_000];
        let densities = [10.0, 30.0, 100.0, 3.0, 5.0, 50.0, 70.0, 90.0].map(Some);
        for (counts, densities, faster) in [
            (&many[..], &densities[..], 2.0),
            (&many[..], &densities[..3], 300.0),
            (&many[7..8], &densities[..], 2.0),
            (&many[3..6], &densities[..1], 300.0),
            (&many[..1], &[None], 2.0),
        ] {
            let svg = svg(counts, densities, faster);
            let height: i32 = attribute(&svg, "height").parse().unwrap();
            let mut boxes: Vec<([i32; 4], &str)> = Vec::new();
            for tag in svg.split("<text").skip(1) {
                let number = |name| attribute(tag, name).parse::<f64>().unwrap();
                let text = tag.split('>').nth(1).unwrap().split('<').next().unwrap().trim();
                let wide = font(number("font-size") as u32 * 5 / 4);
                let (wide, high) = area_of(text, &wide);
                let left = match attribute(tag, "text-anchor") {
                    "middle" => number("x") as i32 - wide / 2,
                    "end" => number("x") as i32 - wide,
                    _ => number("x") as i32,
                };
                let own = [left, number("y") as i32 - high / 2, left + wide, number("y") as i32];
                let inside = own[0] >= 0 && own[1] >= 0 && own[2] <= 1000 && own[3] <= height;
                assert!(inside, "{text} leaves the picture: {own:?}");
                for (other, second) in &boxes {
                    let apart = (0..2).any(|a| own[a + 2] <= other[a] || other[a + 2] <= own[a]);
                    assert!(apart, "{text} covers {second}: {own:?}, {other:?}");
                }
                boxes.push((own, text));
            }
            assert!(boxes.len() > 20);
        }
    }

    fn area_of(text: &str, style: &TextStyle<'_>) -> (i32, i32) {
        let (width, height) = style.font.box_size(text).unwrap();
        (width as i32, height as i32)
    }

    #[test]
    fn one_count_shows_the_engines_side_by_side() {
        let heights = |svg: &str, engine: usize| -> Vec<f64> {
            let RGBColor(r, g, b) = ENGINES[engine];
            let colour = format!("#{r:02X}{g:02X}{b:02X}");
            let boxes = svg.split("<rect").filter(|tag| tag.contains(&colour));
            let heights = boxes.map(|tag| attribute(tag, "height").parse::<f64>().unwrap());
            // The boxes of the legend are small.
            heights.filter(|height| *height > 20.0).collect()
        };
        let one = svg(&[1000], &[None], 2.0);
        assert!(one.contains("By engine"));
        let [gpu, cpu, cpu1] = [0, 1, 2].map(|engine| heights(&one, engine)[0]);
        // The first engine is twice as fast as the second; the third is 1.8 times as slow.
        assert!((cpu / gpu - 2.0).abs() < 0.1, "{gpu} {cpu}");
        assert!((cpu1 / cpu - 1.8).abs() < 0.05, "{cpu} {cpu1}");
        assert_eq!(heights(&svg(&[1000], &[Some(5.0), Some(10.0)], 2.0), 1).len(), 2);
    }

    #[test]
    fn numbers_are_short() {
        let counts = [999, 1000, 12_345, 200_000, 1_000_000, 1_500_000, 100_000_000];
        let texts = counts.map(short_count).join(", ");
        assert_eq!(texts, "999, 1 k, 12.3 k, 200 k, 1 M, 1.5 M, 100 M");
        let texts = [0.0412, 2.34567, 44.67, 1234.5].map(short_number).join(", ");
        assert_eq!(texts, "0.041, 2.35, 44.7, 1234");
    }
}
