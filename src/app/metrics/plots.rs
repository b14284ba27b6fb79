//! Curves over time and histograms.

use egui::{Color32, Stroke};
use egui_plot::{Bar, BarChart, GridMark, HoverPosition, Line, Plot, PlotPoints, VLine};

use flockwork_model::statistics::{Axis, Column, Histogram, Metrics};
use flockwork_view::words::grouped;

/// Height of a plot; points.
const HEIGHT: f32 = 52.0;

/// Width of the numbers beside it; points. The same for all, so that their ticks are in line.
const NUMBERS: f32 = 30.0;

/// A curve has at most twice as many points.
const COLUMNS: usize = 300;

const CURVE: Color32 = Color32::from_rgb(120, 200, 255);
const TO_COME: Color32 = Color32::from_rgb(70, 95, 115);
const CURSOR: Color32 = Color32::from_rgb(255, 190, 90);

/// The time that plots show.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    /// Metrics by tick.
    pub rows: &'a [Metrics],
    /// The present tick, which the cursor marks.
    pub tick: u64,
    /// The first tick and the last.
    pub ends: (u64, u64),
}

/// A curve of at most two points per column of the plot: the lowest and the highest value there.
fn curve(rows: &[Metrics], of: fn(&Metrics) -> f64) -> Vec<[f64; 2]> {
    let point = |row: &Metrics| [row.tick as f64, of(row)];
    if rows.len() <= 2 * COLUMNS {
        return rows.iter().map(point).collect();
    }
    let mut points = Vec::with_capacity(2 * COLUMNS);
    for part in rows.chunks(rows.len().div_ceil(COLUMNS)) {
        let by_value = |a: &&Metrics, b: &&Metrics| of(a).total_cmp(&of(b));
        let (low, high) = (part.iter().min_by(by_value), part.iter().max_by(by_value));
        let mut ends: Vec<&Metrics> = low.into_iter().chain(high).collect();
        ends.sort_by_key(|row| row.tick);
        ends.dedup_by_key(|row| row.tick);
        points.extend(ends.into_iter().map(point));
    }
    points
}

fn plot<'a>(name: &'a str) -> Plot<'a> {
    Plot::new(name)
        .height(HEIGHT)
        .y_axis_min_width(NUMBERS)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .show_crosshair(false)
        .show_background(false)
}

/// A round number that is at least `value`: the upper end of an axis.
fn round_up(value: f64) -> f64 {
    round_up_to(value, &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0])
}

/// The least of these multiples of a power of ten that is at least `value`; 1 if `value` is no size.
fn round_up_to(value: f64, steps: &[f64]) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let least = steps.iter().map(|step| step * power).find(|top| *top >= value);
    least.unwrap_or(10.0 * power)
}

/// Marks at round numbers: a few on an axis from `from` to `to`. Whole numbers if it is `whole`.
fn marks(from: f64, to: f64, whole: bool) -> Vec<GridMark> {
    let step = round_up_to((to - from) / 4.0, &[1.0, 2.0, 5.0, 10.0]);
    let step_size = if whole { step.ceil().max(1.0) } else { step };
    let first = (from / step_size).ceil();
    let mark = |number: u32| GridMark { value: (first + f64::from(number)) * step_size, step_size };
    (0..8).map(mark).take_while(|mark| mark.value <= to).collect()
}

/// Plots a metric over time, with numbers at the ticks if `numbered`. Returns the tick that the user
/// clicks on.
pub fn over_time(
    ui: &mut egui::Ui,
    column: &Column,
    span: &Span<'_>,
    numbered: bool,
) -> Option<u64> {
    let Span { rows, tick, ends } = *span;
    let present = rows.partition_point(|row| row.tick <= tick);
    let (done, to_come) =
        (curve(&rows[..present], column.value), curve(&rows[present..], column.value));
    let top = match column.axis {
        Axis::To(top) => top,
        Axis::None | Axis::ToLargest => round_up(rows.iter().map(column.value).fold(0.0, f64::max)),
    };
    let mark = |value| GridMark { value, step_size: top };
    let label = |at: &HoverPosition<'_>| match at {
        HoverPosition::NearDataPoint { position, .. } => {
            let tick = grouped(position.x.max(0.0) as u64);
            Some(format!("tick {tick}\n{:.3}", position.y))
        }
        HoverPosition::Elsewhere { .. } => None,
    };
    let plot = plot(column.metric.name)
        .height(if numbered { HEIGHT + 16.0 } else { HEIGHT })
        .show_axes([numbered, true])
        .y_grid_spacer(move |_| vec![mark(0.0), mark(top)])
        .x_grid_spacer(move |_| marks(ends.0 as f64, ends.1 as f64, true))
        .x_axis_formatter(|mark, _| grouped(mark.value.max(0.0) as u64))
        .label_formatter(label);
    let response = plot.show(ui, |plot| {
        let (first, last) = (ends.0 as f64, ends.1.max(ends.0 + 1) as f64);
        // The cursor at the end is seen whole, too.
        let margin = (last - first) * 0.01;
        plot.set_plot_bounds_x(first - margin..=last + margin);
        // A little more, so that the curve at the top is seen whole.
        plot.set_plot_bounds_y(-0.03 * top..=1.06 * top);
        plot.line(
            Line::new("to come", PlotPoints::from(to_come)).stroke(Stroke::new(1.0, TO_COME)),
        );
        plot.line(
            Line::new(column.metric.name, PlotPoints::from(done)).stroke(Stroke::new(1.4, CURVE)),
        );
        let cursor = VLine::new("now", tick as f64).stroke(Stroke::new(1.0, CURSOR));
        plot.vline(cursor.allow_hover(false));
    });
    let at = response.response.interact_pointer_pos().filter(|_| response.response.clicked())?;
    let wanted = response.transform.value_from_position(at).x.round();
    Some((wanted.max(0.0) as u64).clamp(ends.0, ends.1))
}

/// Draws a histogram of whole agents. `whole`: the quantity is a whole number.
pub fn histogram(ui: &mut egui::Ui, name: &str, histogram: &Histogram, whole: bool) {
    let width = histogram.width;
    // A bar of whole numbers stands over them.
    let shift = if whole { (width - 1.0) / 2.0 } else { width / 2.0 };
    let bar = |(bin, count): (usize, &u32)| {
        Bar::new(bin as f64 * width + shift, f64::from(*count)).width(width)
    };
    let bars: Vec<Bar> = histogram.counts.iter().enumerate().map(bar).collect();
    let text = move |bar: &Bar, _: &BarChart| {
        let agents = grouped(bar.value as u64);
        let (from, to) = (bar.argument - shift, bar.argument - shift + width);
        if !whole {
            format!("{from:.2} to {to:.2}\n{agents} agents")
        } else if width <= 1.0 {
            format!("{from}\n{agents} agents")
        } else {
            format!("{from} to {}\n{agents} agents", to - 1.0)
        }
    };
    let chart = BarChart::new(name, bars).color(CURVE).element_formatter(Box::new(text));
    let end = histogram.counts.len() as f64 * width;
    let (left, right) = if whole { (-0.5, end - 0.5) } else { (0.0, end) };
    // Numbers at both ends are seen whole, too.
    let margin = (right - left) * 0.05;
    let most = histogram.counts.iter().max().copied().unwrap_or(0).max(1);
    let plot = plot(name)
        .show_axes([true, false])
        .show_grid([true, false])
        .x_grid_spacer(move |_| marks(0.0, right, whole))
        .height(HEIGHT + 16.0);
    plot.show(ui, |plot| {
        plot.set_plot_bounds_x(left - margin..=right + margin);
        plot.set_plot_bounds_y(0.0..=f64::from(most) * 1.05);
        plot.bar_chart(chart);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_window::TestWindow;

    #[test]
    fn the_numbers_of_a_histogram_are_whole() {
        for (width, whole) in [(0.1, false), (0.0025, false), (1.0, true), (100.0, true)] {
            let histogram = Histogram { width, counts: vec![3; 20] };
            let mut window = TestWindow::new(1280.0, 720.0);
            let show = |ui: &mut egui::Ui| {
                ui.set_width(290.0);
                super::histogram(ui, "speeds", &histogram, whole);
            };
            let shown = window.frames(3, show);
            assert!(shown.len() > 2 && shown.iter().all(|shown| shown.whole), "{shown:?}");
        }
    }

    #[test]
    fn a_long_curve_keeps_its_peaks() {
        let row = |tick: u64| {
            let mut row = Metrics::default();
            row.tick = tick;
            row.polarisation = if tick == 1234 { 0.9 } else { 0.1 + (tick % 7) as f64 * 0.01 };
            row
        };
        let of = |row: &Metrics| row.polarisation;
        let rows: Vec<Metrics> = (0..4000).map(row).collect();
        let points = curve(&rows, of);
        assert!(points.len() <= 2 * COLUMNS && points.contains(&[1234.0, 0.9]));
        assert!(points.windows(2).all(|pair| pair[0][0] < pair[1][0]));
        assert_eq!(curve(&rows[..9], of).len(), 9);
        assert_eq!(curve(&[], of).len(), 0);
    }

    #[test]
    fn an_axis_has_round_numbers() {
        let ends = [0.0, 0.013, 1.0, 2.294, 9.7, 131.0, f64::NAN].map(round_up);
        let wanted = [1.0, 0.015, 1.0, 3.0, 10.0, 150.0, 1.0];
        let values = |from, to, whole| -> Vec<f64> {
            marks(from, to, whole).iter().map(|mark| mark.value).collect()
        };
        assert_eq!(values(0.0, 761.0, true), [0.0, 200.0, 400.0, 600.0]);
        assert_eq!(values(95.0, 103.0, true), [96.0, 98.0, 100.0, 102.0]);
        assert_eq!(values(0.0, 2.0, true), [0.0, 1.0, 2.0]);
        assert_eq!(values(0.0, 2.0, false), [0.0, 0.5, 1.0, 1.5, 2.0]);
        assert_eq!(values(0.0, 3.0, false), [0.0, 1.0, 2.0, 3.0]);
        let off = |(end, wanted): (&f64, f64)| (end - wanted).abs();
        assert!(ends.iter().zip(wanted).all(|pair| off(pair) < 1e-9), "{ends:?}");
    }
}
