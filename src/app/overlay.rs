//! The overlay: what the flock, the engine and the clock are doing.

use std::time::Duration;

use egui::{Align2, Color32, Order, Pos2, RichText, Sense, Stroke, pos2, vec2};

use super::inspector::GeometryLegend;
use super::pace::Rates;
use super::scene_pictures;
use flockwork_engine::{EngineKind, Profile};
use flockwork_model::kept::full_name;
use flockwork_model::scene::ColourBy;
use flockwork_model::statistics::Metrics;
use flockwork_session::series::Series;
use flockwork_view::legend::Legend;
use flockwork_view::words::{counted, grouped};

/// How long a notice stays.
pub const NOTICE_STAYS: Duration = Duration::from_secs(6);

/// How much of the overlay is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// One line.
    #[default]
    Quiet,
    /// Also times and crowds.
    Full,
    /// Only notices, and "paused".
    Hidden,
}

impl Detail {
    /// The next level when the user presses its key.
    pub fn next(self) -> Self {
        match self {
            Self::Quiet => Self::Full,
            Self::Full => Self::Hidden,
            Self::Hidden => Self::Quiet,
        }
    }
}

/// The content of the overlay.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// Number of agents.
    pub agents: usize,
    /// Ticks since the start.
    pub tick: u64,
    /// Of the last half second; `None` in the first.
    pub rates: Option<Rates>,
    /// True while the clock is stopped.
    pub paused: bool,
    /// The tick that the flock is on its way to.
    pub goal: Option<u64>,
    /// Which engine.
    pub kind: EngineKind,
    /// The hardware that it runs on.
    pub machine: String,
    /// The engine's timings.
    pub profile: &'a Profile,
    /// Agents in the fullest grid cell.
    pub largest_cell: u32,
    /// The metrics of the flock; empty unless the overlay is full.
    pub series: &'a Series,
    /// An error, or what the last key did.
    pub notice: Option<&'a str>,
    /// The behaviours whose geometry is shown, in their colours.
    pub legend: GeometryLegend,
    /// The legend of the colours, if it is shown.
    pub colours: Option<Legend>,
    /// Height of what lies along the lower edge, below notices; points.
    pub lift: f32,
}

/// The overlay shows the pace only when it is below this share of real time.
const AS_GOOD_AS_REAL_TIME: f64 = 0.97;

/// `real time` or `real time × 0.40`.
pub fn pace(rates: Rates) -> String {
    if rates.pace() >= AS_GOOD_AS_REAL_TIME {
        "real time".into()
    } else {
        format!("real time × {:.2}", rates.pace())
    }
}

/// The time of a pass in milliseconds. Browsers round times to a tenth of one.
fn milliseconds(time: Duration) -> String {
    let time = time.as_secs_f64() * 1e3;
    if cfg!(target_family = "wasm") && time < 0.1 { "≤ 0.1".into() } else { format!("{time:.3}") }
}

/// `1 agent` or `200,000 agents`.
pub fn agents_in_words(agents: u64) -> String {
    match agents {
        1 => counted(1, "agent"),
        agents => format!("{} agents", grouped(agents)),
    }
}

impl Facts<'_> {
    /// The line of the quiet overlay.
    pub fn line(&self) -> String {
        let motion = match (self.goal, self.rates) {
            (Some(goal), _) => format!("at tick {} of {}", grouped(self.tick), grouped(goal)),
            _ if self.paused => format!("paused at tick {}", grouped(self.tick)),
            (_, None) => "…".into(),
            (_, Some(rates)) => {
                let is_slow = rates.pace() < AS_GOOD_AS_REAL_TIME;
                let slow = if is_slow { format!(" ({})", pace(rates)) } else { String::new() };
                format!("{:.0} ticks/s{slow}   {:.0} frames/s", rates.ticks, rates.frames)
            }
        };
        format!("{}   {motion}   {}", agents_in_words(self.agents as u64), self.kind)
    }

    /// The lines of the full overlay.
    pub fn lines(&self) -> Vec<String> {
        let [tick, rates] = self.motion();
        let engine = format!("{} · {}", self.kind, self.machine);
        let mut lines = vec![agents_in_words(self.agents as u64), tick, rates, engine];
        for pass in &self.profile.passes {
            lines.push(format!("  {:<14} {:>8} ms", pass.pass, milliseconds(pass.time)));
        }
        if !self.profile.passes.is_empty() {
            let sum: f64 = self.profile.passes.iter().map(|pass| pass.time.as_secs_f64()).sum();
            let clock = if self.profile.by_timestamps { "" } else { " (wall)" };
            lines.push(format!("  {:<14} {:8.3} ms{clock}", "a tick", sum * 1e3));
        }
        lines.push(format!("fullest cell {}", grouped(self.largest_cell.into())));
        if let Some(metrics) = self.series.latest() {
            lines.push(format!("agents sampled {}", grouped(metrics.sampled_agents)));
            if metrics.found_fewer > 0 {
                lines.push(format!("found too few neighbours {}", grouped(metrics.found_fewer)));
            }
            lines.push(format!(
                "neighbours {:.1}   rotation {:.2}",
                metrics.mean_neighbours, metrics.rotation
            ));
            lines.push(format!("polarisation {:.2}", metrics.polarisation));
        }
        lines
    }

    /// The tick and the rates: always two lines, so that nothing below moves when the flock is
    /// paused.
    fn motion(&self) -> [String; 2] {
        let tick = format!("tick {}", grouped(self.tick));
        match (self.goal, self.rates) {
            (Some(goal), _) => [tick, format!("on the way to {}", grouped(goal))],
            _ if self.paused => [tick, "paused".into()],
            (_, None) => [tick, "…".into()],
            (_, Some(rates)) => [
                format!("{tick}   {}", pace(rates)),
                format!("{:.0} ticks/s   {:.0} frames/s", rates.ticks, rates.frames),
            ],
        }
    }

    /// Draws the overlay in the top left corner, as far as `edge` points. When hidden, it still shows notices and that the
    /// flock is paused. Returns how far down it goes; points.
    pub fn show(&self, context: &egui::Context, detail: Detail, edge: f32) -> f32 {
        let lines = match detail {
            Detail::Quiet => vec![self.line()],
            Detail::Full => self.lines(),
            Detail::Hidden if self.paused => vec!["paused".into()],
            Detail::Hidden => Vec::new(),
        };
        if let Some(notice) = self.notice {
            toast(context, notice, self.lift, edge);
        }
        if lines.is_empty() && self.legend.is_empty() && self.colours.is_none() {
            return 0.0;
        }
        board(context, edge, |ui| {
            for line in lines {
                ui.label(text(&line).color(WORDS));
            }
            if detail == Detail::Full {
                self.plot_polarisation(ui);
            }
            if detail != Detail::Hidden {
                self.show_legend(ui);
                self.show_colours(ui);
            }
        })
    }

    /// Plots the polarisation over time, from 0 (bottom) to 1 (top).
    fn plot_polarisation(&self, ui: &mut egui::Ui) {
        let (place, _) = ui.allocate_exact_size(PLOT, Sense::hover());
        ui.painter().rect_filled(place, 2.0, Color32::from_black_alpha(96));
        let rows = self.series.rows_until(self.tick);
        let rows = &rows[rows.len().saturating_sub(PLOTTED)..];
        let step = place.width() / (PLOTTED - 1) as f32;
        // The newest value is at the right edge.
        let begin = place.right() - step * (rows.len().max(1) - 1) as f32;
        let point = |(index, metrics): (usize, &Metrics)| {
            let height = metrics.polarisation.clamp(0.0, 1.0) as f32 * place.height();
            pos2(begin + step * index as f32, place.bottom() - height)
        };
        let line: Vec<Pos2> = rows.iter().enumerate().map(point).collect();
        ui.painter().line(line, Stroke::new(1.2, CURVE));
    }

    /// Shows the legend of the colours, drawn anew when it changes.
    fn show_colours(&self, ui: &mut egui::Ui) {
        let Some(legend) = self.colours else { return };
        let id = egui::Id::unique("legend of colours");
        let scale = ui.ctx().pixels_per_point();
        let kept: Option<(Legend, f32, egui::TextureHandle)> = ui.data(|data| data.get_temp(id));
        let kept = kept.filter(|(own, at, _)| (own, at) == (&legend, &scale));
        let (.., texture) = kept.unwrap_or_else(|| {
            let texture = scene_pictures::load(ui.ctx(), "legend", &legend.picture(scale));
            ui.data_mut(|data| data.insert_temp(id, (legend, scale, texture.clone())));
            (legend, scale, texture)
        });
        ui.add_space(4.0);
        let size = legend.size();
        ui.image((texture.id(), vec2(size.x, size.y)));
        let words = match legend.by() {
            ColourBy::Heading => "heading",
            ColourBy::Structure => "heading; grey: no order; dark: few neighbours",
            ColourBy::Speed => "speed",
            ColourBy::Neighbours => "neighbours",
            ColourBy::Acceleration => "acceleration",
            ColourBy::Age => "age",
            ColourBy::State(name) => full_name(name),
            ColourBy::Depth => "distance",
            ColourBy::Species | ColourBy::Cluster | ColourBy::Fixed(_) => "",
        };
        ui.label(text(words).size(10.5).color(Color32::from_gray(190)));
    }

    fn show_legend(&self, ui: &mut egui::Ui) {
        for (name, [r, g, b]) in &self.legend {
            // As tall as a line of text, not as tall as a button.
            ui.spacing_mut().interact_size.y = 0.0;
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 6.0;
                let (place, _) = ui.allocate_exact_size(vec2(9.0, 9.0), Sense::hover());
                ui.painter().rect_filled(place, 2.0, Color32::from_rgb(*r, *g, *b));
                ui.label(text(name).size(10.5).color(Color32::from_gray(190)));
            });
        }
    }
}

/// Colour of text: white at three quarters.
const WORDS: Color32 = Color32::from_rgba_premultiplied(191, 191, 191, 191);

/// The overlay is not made narrower than this; points.
const MIN_WIDTH: f32 = 160.0;

/// The number of rows in the plot.
const PLOTTED: usize = 240;

/// Size of the plot; points.
const PLOT: egui::Vec2 = vec2(240.0, 36.0);

/// Colour of its curve.
const CURVE: Color32 = Color32::from_rgb(120, 200, 255);

/// Colour of notices.
const NOTICE: Color32 = Color32::from_rgb(255, 190, 90);

fn text(line: &str) -> RichText {
    RichText::new(line).monospace().size(12.0)
}

/// A notice needs so much room beside the panel; points. In a smaller window it is over the panel.
const NOTICE_WIDTH: f32 = 400.0;

/// A notice at the bottom of the window, as wide as it needs to be, as far as `edge` points.
fn toast(context: &egui::Context, notice: &str, lift: f32, edge: f32) {
    let area = egui::Area::new(egui::Id::unique("notice")).order(Order::Tooltip);
    at_the_bottom(context, area, lift, edge, |ui| {
        ui.label(RichText::new(notice).size(13.0).color(NOTICE));
    });
}

/// A black frame, so opaque.
fn frame(alpha: u8) -> egui::Frame {
    let fill = Color32::from_black_alpha(alpha);
    egui::Frame::new().fill(fill).corner_radius(6).inner_margin(8)
}

/// Shows lines at the bottom of the window, `lift` points above its edge, as far as `edge` points.
pub fn at_the_bottom(
    context: &egui::Context,
    area: egui::Area,
    lift: f32,
    edge: f32,
    content: impl FnOnce(&mut egui::Ui),
) {
    let width = context.content_rect().width();
    let room = if edge < NOTICE_WIDTH { width } else { edge.min(width) };
    let area = area
        .anchor(Align2::CENTER_BOTTOM, [(room - width) / 2.0, -12.0 - lift])
        .interactable(false);
    area.show(context, |ui| {
        frame(200).show(ui, |ui| {
            ui.set_max_width((room - 48.0).clamp(80.0, 720.0));
            content(ui);
        });
    });
}

/// The dark panel in the top left corner. Returns its lower edge; points.
fn board(context: &egui::Context, edge: f32, content: impl FnOnce(&mut egui::Ui)) -> f32 {
    let area = egui::Area::new(egui::Id::unique("overlay"))
        .anchor(Align2::LEFT_TOP, [8.0, 8.0])
        .interactable(false);
    let shown = area.show(context, |ui| {
        frame(128).show(ui, |ui| {
            let most = edge.min(context.content_rect().right()) - 32.0;
            ui.set_max_width(most.max(MIN_WIDTH));
            ui.spacing_mut().item_spacing.y = 2.0;
            content(ui);
        });
    });
    shown.response.rect.bottom()
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::test_window::TestWindow;
    use flockwork_engine::PassTime;

    #[test]
    fn it_says_so_when_it_cannot_keep_up() {
        let rates = |ticks| Rates { ticks, frames: 30.0 };
        assert_eq!(pace(rates(24.0)), "real time × 0.40");
        assert_eq!(pace(rates(59.5)), "real time");
    }

    fn facts() -> Facts<'static> {
        static PROFILE: LazyLock<Profile> = LazyLock::new(Profile::default);
        static SERIES: LazyLock<Series> = LazyLock::new(Series::default);
        Facts {
            agents: 200_000,
            tick: 1234,
            rates: None,
            paused: false,
            goal: None,
            kind: EngineKind::Cpu,
            machine: "2 threads".into(),
            profile: &PROFILE,
            largest_cell: 1017,
            series: &SERIES,
            notice: None,
            legend: Vec::new(),
            colours: None,
            lift: 0.0,
        }
    }

    #[test]
    fn the_quiet_overlay_is_one_line() {
        let rates = Some(Rates { ticks: 24.0, frames: 30.4 });
        let facts = Facts { rates, ..facts() };
        let line = "200,000 agents   24 ticks/s (real time × 0.40)   30 frames/s   cpu";
        assert_eq!(facts.line(), line);
        let alone = Facts { agents: 1, paused: true, ..facts };
        assert_eq!(alone.line(), "1 agent   paused at tick 1,234   cpu");
        assert_eq!(alone.lines()[0], "1 agent");
        assert!(
            Facts { goal: Some(5000), ..alone }.line().contains("   at tick 1,234 of 5,000   ")
        );
    }

    /// Where a long notice is, from left to right, in a window of 1280 points.
    fn notice_is(edge: f32) -> (f32, f32) {
        let text = "saved: flock-session.toml; ".repeat(9);
        let facts = Facts { notice: Some(&text), ..facts() };
        let mut window = TestWindow::new(1280.0, 720.0);
        let show = |ui: &mut egui::Ui| {
            facts.show(ui.ctx(), Detail::Hidden, edge);
        };
        // An area has no size in its first frame.
        window.frames(2, show);
        let shapes = window.frame(show);
        let all = shapes.iter().map(|clipped| clipped.shape.visual_bounding_rect());
        let place = all.fold(egui::Rect::NOTHING, egui::Rect::union);
        (place.left(), place.right())
    }

    #[test]
    fn a_notice_keeps_clear_of_the_panel() {
        let middle = |(left, right): (f32, f32)| (left + right) / 2.0;
        let beside = notice_is(930.0);
        assert!(beside.1 <= 930.0 && (middle(beside) - 465.0).abs() < 2.0, "{beside:?}");
        // Without a panel, and beside one that leaves no room, it is in the middle of the window.
        for edge in [f32::MAX, 200.0] {
            assert!((middle(notice_is(edge)) - 640.0).abs() < 2.0, "{:?}", notice_is(edge));
        }
    }

    #[test]
    fn the_colours_have_their_legend() {
        let text = "world.size = [90, 60]\n[species.a]\n[style]\ncolour = \"structure\"";
        let scene = flockwork_model::scene::Scene::parse("test", text).unwrap();
        let camera = flockwork_view::camera::Camera::fit(&scene.world, 640, 360);
        let legend = Legend::of(&scene, &camera);
        let shown = |colours, detail| {
            let facts = Facts { colours, ..facts() };
            let mut window = TestWindow::new(640.0, 360.0);
            let texts = window.frames(3, |ui| {
                facts.show(ui.ctx(), detail, f32::MAX);
            });
            texts.iter().any(|text| text.text.contains("few neighbours") && text.whole)
        };
        assert!(legend.is_some() && shown(legend, Detail::Quiet));
        assert!(!shown(legend, Detail::Hidden) && !shown(None, Detail::Quiet));
    }

    #[test]
    fn its_key_cycles_through_the_levels() {
        let steps = [Detail::Quiet.next(), Detail::Full.next(), Detail::Hidden.next()];
        assert_eq!(steps, [Detail::Full, Detail::Hidden, Detail::Quiet]);
    }

    #[test]
    fn a_pause_has_no_rates_and_moves_no_line() {
        let rates = Some(Rates { ticks: 24.0, frames: 30.0 });
        let running = Facts { rates, ..facts() }.lines();
        assert_eq!(running[1..3], ["tick 1,234   real time × 0.40", "24 ticks/s   30 frames/s"]);
        let paused = Facts { rates, paused: true, ..facts() }.lines();
        assert_eq!(paused[1..3], ["tick 1,234", "paused"]);
        assert_eq!(running[3..], paused[3..]);
        assert_eq!(facts().lines().len(), running.len());
    }

    #[test]
    fn every_pass_has_its_line_and_the_tick_their_sum() {
        let pass = |pass, ms| PassTime { pass, time: Duration::from_millis(ms) };
        let profile =
            Profile { passes: vec![pass("steer", 20), pass("scan", 5)], ..Profile::default() };
        let text = Facts { profile: &profile, ..facts() }.lines().join("\n");
        for part in ["200,000 agents", "20.000 ms", "25.000 ms (wall)", "fullest cell 1,017"] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }
}
