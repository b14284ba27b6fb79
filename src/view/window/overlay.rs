//! The overlay: what the flock, the engine and the clock are doing.

use std::time::Duration;

use egui::{Align2, Color32, RichText, Sense, vec2};

use super::clock::Rates;
use super::lens::Legend;
use crate::engine::Profile;

/// How long a notice stays.
pub const NOTICE_STAYS: Duration = Duration::from_secs(6);

/// What the overlay tells.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// Number of agents.
    pub agents: usize,
    /// Ticks since the start.
    pub tick: u64,
    /// Of the last half second, once it is over.
    pub rates: Option<Rates>,
    /// True while the clock stands.
    pub paused: bool,
    /// `gpu · llvmpipe…`.
    pub engine: String,
    /// Of the engine.
    pub profile: &'a Profile,
    /// Agents in the fullest grid cell.
    pub largest_cell: u32,
    /// Agents whose neighbours are too many to look at all of them.
    pub sampled: u64,
    /// Something that went wrong, or what a key has just done.
    pub notice: Option<&'a str>,
    /// What the hand does in this scene.
    pub hands: Vec<String>,
    /// The behaviours whose geometry is shown, in their colours.
    pub legend: Legend,
}

/// Slower than this share of real time is worth a word.
const AS_GOOD_AS_REAL_TIME: f64 = 0.97;

/// `1,234,567`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `real time` or `real time × 0.40`.
#[must_use]
pub fn pace(rates: Rates) -> String {
    if rates.pace() >= AS_GOOD_AS_REAL_TIME {
        "real time".into()
    } else {
        format!("real time × {:.2}", rates.pace())
    }
}

impl Facts<'_> {
    /// The text, line by line.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let [tick, rates] = self.motion();
        let agents = format!("{} agents", grouped(self.agents as u64));
        let mut lines = vec![agents, tick, rates, self.engine.clone()];
        for pass in &self.profile.passes {
            lines.push(format!("  {:<14} {:8.3} ms", pass.pass, pass.time.as_secs_f64() * 1e3));
        }
        if !self.profile.passes.is_empty() {
            let sum: f64 = self.profile.passes.iter().map(|pass| pass.time.as_secs_f64()).sum();
            let clock = if self.profile.by_timestamps { "" } else { " (wall)" };
            lines.push(format!("  {:<14} {:8.3} ms{clock}", "a tick", sum * 1e3));
        }
        let (fullest, sampled) = (grouped(self.largest_cell.into()), grouped(self.sampled));
        lines.push(format!("fullest cell {fullest}   agents sampled {sampled}"));
        lines
    }

    /// How far the flock has come, and how fast it goes: two lines, so that nothing below moves up
    /// or down at a pause.
    fn motion(&self) -> [String; 2] {
        let tick = format!("tick {}", grouped(self.tick));
        match self.rates {
            _ if self.paused => [tick, "paused".into()],
            None => [tick, "…".into()],
            Some(rates) => [
                format!("{tick}   {}", pace(rates)),
                format!("{:.0} ticks/s   {:.0} frames/s", rates.ticks, rates.frames),
            ],
        }
    }

    /// Draws the overlay in the top left corner.
    pub fn show(&self, context: &egui::Context) {
        board(context, |ui| {
            for (i, line) in self.lines().into_iter().enumerate() {
                let grey = if i == 0 { 245 } else { 200 };
                ui.label(text(&line).color(Color32::from_gray(grey)));
            }
            if let Some(notice) = self.notice {
                ui.label(text(notice).color(NOTICE));
            }
            self.show_legend(ui);
            let help = |line: &str| text(line).size(10.0);
            for line in &self.hands {
                ui.label(help(line).color(Color32::from_gray(165)));
            }
            for keys in KEYS {
                ui.label(help(keys).color(Color32::from_gray(130)));
            }
        });
    }

    fn show_legend(&self, ui: &mut egui::Ui) {
        for (name, [r, g, b]) in &self.legend {
            // As high as a line of text, not as a button.
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

/// A notice where the overlay is hidden.
pub fn show_notice(context: &egui::Context, notice: &str) {
    board(context, |ui| {
        ui.label(text(notice).color(NOTICE));
    });
}

/// Colour of notices.
const NOTICE: Color32 = Color32::from_rgb(255, 190, 90);

/// The keys.
const KEYS: [&str; 2] =
    ["Space pause · . step · R reset · E engine", "Tab sliders · G geometry · H hide · Esc quit"];

fn text(line: &str) -> RichText {
    RichText::new(line).monospace().size(11.5)
}

/// The dark board in the top left corner.
fn board(context: &egui::Context, content: impl FnOnce(&mut egui::Ui)) {
    let area = egui::Area::new(egui::Id::unique("overlay"))
        .anchor(Align2::LEFT_TOP, [8.0, 8.0])
        .interactable(false);
    area.show(context, |ui| {
        let frame = egui::Frame::new()
            .fill(Color32::from_black_alpha(170))
            .corner_radius(4)
            .inner_margin(8);
        frame.show(ui, |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            ui.spacing_mut().item_spacing.y = 2.0;
            content(ui);
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::PassTime;

    #[test]
    fn numbers_are_grouped() {
        let texts = [0, 999, 1000, 200_000, 134_217_728].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "200,000", "134,217,728"]);
    }

    #[test]
    fn it_says_so_when_it_cannot_keep_up() {
        let rates = |ticks| Rates { ticks, frames: 30.0 };
        assert_eq!(pace(rates(24.0)), "real time × 0.40");
        assert_eq!(pace(rates(59.5)), "real time");
    }

    fn facts(profile: &Profile) -> Facts<'_> {
        Facts {
            agents: 200_000,
            tick: 1234,
            rates: None,
            paused: false,
            engine: "cpu".into(),
            profile,
            largest_cell: 1017,
            sampled: 23_456,
            notice: None,
            hands: Vec::new(),
            legend: Vec::new(),
        }
    }

    #[test]
    fn a_pause_has_no_rates_and_moves_no_line() {
        let profile = Profile::default();
        let rates = Some(Rates { ticks: 24.0, frames: 30.0 });
        let running = Facts { rates, ..facts(&profile) }.lines();
        assert_eq!(running[1..3], ["tick 1,234   real time × 0.40", "24 ticks/s   30 frames/s"]);
        let paused = Facts { rates, paused: true, ..facts(&profile) }.lines();
        assert_eq!(paused[1..3], ["tick 1,234", "paused"]);
        assert_eq!(running[3..], paused[3..]);
        assert_eq!(facts(&profile).lines().len(), running.len());
    }

    #[test]
    fn every_pass_has_its_line_and_the_tick_their_sum() {
        let pass = |pass, ms| PassTime { pass, time: Duration::from_millis(ms) };
        let profile =
            Profile { passes: vec![pass("steer", 20), pass("scan", 5)], ..Profile::default() };
        let text = facts(&profile).lines().join("\n");
        let crowds = "fullest cell 1,017   agents sampled 23,456";
        for part in
            ["200,000 agents", "tick 1,234", "steer", "20.000 ms", "25.000 ms (wall)", crowds]
        {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }
}
