//! The panels of bars: engine beside engine, and the passes of an engine.

use plotters::coord::Shift;
use plotters::coord::ranged1d::IntoSegmentedCoord;
use plotters::coord::ranged1d::SegmentValue::{CenterOf, Exact};
use plotters::prelude::{DrawingArea, DrawingBackend, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, RGBColor, WHITE};

use super::{Page, colour_of_engine, colour_of_pass, density_name, short_count, times};
use crate::commands::bench::report::Report;
use crate::commands::charts::{Drawn, builder, font, legend, short_number};

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

impl Page<'_> {
    /// Time per agent, engine beside engine.
    pub(super) fn beside<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: u32,
    ) -> Drawn<B> {
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
    pub(super) fn passes<B: DrawingBackend>(
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
