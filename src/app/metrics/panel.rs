//! The panel of metrics.

use egui::{Align2, CollapsingHeader, RichText};

use super::MetricsPanel;
use super::plots::{Span, histogram, over_time};
use crate::command::Command;
use crate::keys::Action;
use crate::overlay::agents_in_words;
use crate::pace::{Pace, SHARES};
use flockwork_model::statistics::{Axis, Column, Metric, Metrics};
use flockwork_session::{MAX_COPIED, RealTime, Session};
use flockwork_view::words::grouped;

/// Width of the panel; points. In a narrow window it is this share of it, which leaves room for the
/// panel of parameters.
const WIDTH: f32 = 290.0;
const SHARE: f32 = 0.39;

/// The height of its title, its margins and the gaps around it; points.
const AROUND: f32 = 62.0;

/// The least height of what it shows, below which it would be of no use; points.
const MIN_HEIGHT: f32 = 120.0;

/// The metrics that can be plotted.
fn plotted() -> impl Iterator<Item = &'static Column> {
    Metrics::TABLE.iter().filter(|column| column.axis != Axis::None)
}

impl MetricsPanel {
    /// Shows the panel if it is wanted, `lift` points above the lower edge and below what ends at `top`. The wishes of
    /// the user go to `commands`.
    pub fn show(
        &mut self,
        context: &egui::Context,
        session: &Session<RealTime>,
        (top, lift): (f32, f32),
        commands: &mut Vec<Command>,
    ) {
        if !self.shown {
            return;
        }
        let room = context.content_rect().size();
        let highest = (room.y - lift - top - AROUND).max(MIN_HEIGHT);
        let window = egui::Window::new("Metrics")
            .anchor(Align2::LEFT_BOTTOM, [8.0, -8.0 - lift])
            .resizable(false)
            .auto_sized();
        window.show(context, |ui| {
            let area = egui::ScrollArea::vertical().max_height(highest);
            // Without a least height it would stay as low as the window has ever been.
            area.min_scrolled_height(highest).show(ui, |ui| {
                ui.set_width(WIDTH.min(room.x * SHARE));
                ui.spacing_mut().item_spacing.y = 3.0;
                self.content(ui, session, commands);
            });
        });
    }

    fn content(
        &mut self,
        ui: &mut egui::Ui,
        session: &Session<RealTime>,
        commands: &mut Vec<Command>,
    ) {
        if session.agents() > MAX_COPIED {
            let most = grouped(MAX_COPIED as u64);
            ui.weak(format!("Only flocks of at most {most} agents are measured."));
        } else {
            self.curves(ui, session, commands);
            CollapsingHeader::new("now").default_open(true).show_unindented(ui, |ui| {
                let Some(histograms) = &self.histograms else { return };
                let all = session.agents() as u64;
                let of = |agents: u64| match agents == all {
                    true => agents_in_words(agents),
                    false => format!("{} of {} agents", grouped(agents), grouped(all)),
                };
                small(ui, &format!("speed (world units/tick): {}", of(histograms.speeds.agents())));
                histogram(ui, "speeds", &histograms.speeds, false);
                small(ui, &format!("neighbours: {}", of(histograms.neighbours.agents())));
                histogram(ui, "neighbours", &histograms.neighbours, true);
            });
        }
        let header = CollapsingHeader::new("times").default_open(true);
        header.show_unindented(ui, |ui| times(ui, &self.pace));
    }

    fn curves(
        &mut self,
        ui: &mut egui::Ui,
        session: &Session<RealTime>,
        commands: &mut Vec<Command>,
    ) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            for Column { metric, .. } in plotted() {
                let chosen = self.chosen.iter().position(|name| *name == metric.name);
                let text = RichText::new(label(metric)).size(11.0);
                let response = ui.selectable_label(chosen.is_some(), text);
                if response.on_hover_text(meaning(metric)).clicked() {
                    match chosen {
                        Some(index) => drop(self.chosen.remove(index)),
                        None => self.chosen.push(metric.name),
                    }
                }
            }
        });
        let rows = session.series().rows();
        let (first, last) = session.span();
        let ends = (rows.first().map_or(first, |row| row.tick), last);
        let span = Span { rows, tick: session.tick(), ends };
        let latest = session.series().latest();
        let chosen = plotted().filter(|column| self.chosen.contains(&column.metric.name));
        let mut chosen = chosen.peekable();
        while let Some(column) = chosen.next() {
            let value =
                latest.map_or(String::new(), |latest| format!("{:.3}", (column.value)(latest)));
            let metric = &column.metric;
            small(ui, &format!("{}  {value}", label(metric))).on_hover_text(meaning(metric));
            let numbered = chosen.peek().is_none();
            commands.extend(over_time(ui, column, &span, numbered).map(Command::GoTo));
        }
        ui.horizontal(|ui| {
            small(ui, &coverage(rows.len() as u64, ends));
            let button = egui::Button::new("save CSV").small();
            let enabled = ui.add_enabled(!rows.is_empty(), button);
            let hint = "Ctrl+M: all rows, with the columns of simulate --metrics";
            if enabled.on_hover_text(hint).clicked() {
                commands.push(Command::Act(Action::SaveMetrics));
            }
        });
    }
}

/// The name of a metric in the panel.
fn label(metric: &Metric) -> String {
    metric.name.replace('_', " ")
}

/// The formula of a metric, its meaning and its unit.
fn meaning(metric: &Metric) -> String {
    // Both are Markdown: bars are escaped for a table, and names are quoted.
    let about = metric.about.concat().replace('`', "");
    let parts = [&metric.formula.replace('\\', ""), about.trim(), metric.unit];
    let parts = parts.into_iter().filter(|part| !part.is_empty() && *part != "–");
    parts.collect::<Vec<_>>().join("\n")
}

/// The range of the rows, in words.
fn coverage(rows: u64, (first, last): (u64, u64)) -> String {
    let ticks = last - first + 1;
    if rows == ticks {
        return "every tick, all agents".into();
    }
    format!("{} of {} ticks, all agents", grouped(rows), grouped(ticks))
}

fn small(ui: &mut egui::Ui, text: &str) -> egui::Response {
    ui.label(RichText::new(text).size(11.5))
}

/// A table of percentiles.
fn times(ui: &mut egui::Ui, pace: &Pace) {
    egui::Grid::new("times").num_columns(1 + SHARES.len()).spacing([14.0, 2.0]).show(ui, |ui| {
        small(ui, "ms");
        for (_, name) in SHARES {
            small(ui, name);
        }
        ui.end_row();
        for (name, times) in [("frame", &pace.frames), ("tick", &pace.ticks)] {
            small(ui, name);
            for time in times.percentiles().map_or([None; SHARES.len()], |all| all.map(Some)) {
                let text = time.map_or("…".into(), |time| format!("{:.2}", time * 1e3));
                ui.label(RichText::new(text).monospace().size(11.5));
            }
            ui.end_row();
        }
    });
}
