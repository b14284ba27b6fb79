//! Metrics of the flock: measured on a thread, plotted, and saved.

mod measuring;
mod panel;
mod plots;

use crate::pace::Pace;
use flockwork_model::statistics::{Histograms, Metrics};
use flockwork_session::{RealTime, Session, Watch};
use measuring::{Measured, Measuring};

/// The metrics that the window shows.
#[derive(Debug)]
pub struct MetricsPanel {
    measuring: Measuring,
    /// True while the panel is open.
    pub shown: bool,
    /// The names of the metrics that it plots.
    chosen: Vec<&'static str>,
    /// Times and rates of frames and ticks.
    pub pace: Pace,
    /// Of the state that was measured last.
    histograms: Option<Histograms>,
}

impl Default for MetricsPanel {
    fn default() -> Self {
        Self {
            measuring: Measuring::default(),
            shown: false,
            chosen: vec!["polarisation", "rotation", "mean_speed"],
            pace: Pace::default(),
            histograms: None,
        }
    }
}

impl MetricsPanel {
    /// Hides the panel; false if it was hidden.
    pub fn close(&mut self) -> bool {
        std::mem::take(&mut self.shown)
    }

    /// Forgets the flock that was measured, because another one is shown.
    pub fn forget(&mut self) {
        self.histograms = None;
        self.pace = Pace::default();
    }

    /// Hands states to the thread that measures them, and its metrics to the session. `closely`:
    /// something else shows them too.
    pub fn measure(&mut self, session: &mut Session<RealTime>, closely: bool) {
        let closely = closely || self.shown;
        session.watch(if closely { Watch::Closely } else { Watch::Seldom });
        while let Some(sample) = session.take_sample() {
            self.measuring.begin(sample, self.shown);
        }
        while let Some(measured) = self.measuring.poll() {
            let Measured { number, metrics, histograms, took } = measured;
            if session.measured(number, metrics, took) {
                self.histograms = histograms.or(self.histograms.take());
            }
        }
    }
}

/// The text of a CSV file with these rows, as `simulate --metrics` writes it.
pub fn csv(rows: &[Metrics]) -> String {
    // No name and no number has a comma or a quote.
    let mut text = Metrics::columns().collect::<Vec<_>>().join(",") + "\n";
    for row in rows {
        text += &row.row().collect::<Vec<_>>().join(",");
        text.push('\n');
    }
    text
}
