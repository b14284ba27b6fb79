//! Progress on a terminal: a bar if the end is known, else a spinner.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::ranks;

/// Interval between frames of the spinner.
const SPIN: Duration = Duration::from_millis(200);

/// Where progress is shown: of several ranks only the first shows it.
fn target() -> ProgressDrawTarget {
    if ranks::is_root() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() }
}

/// A bar on stderr that counts in `unit`s and shows the time left; nothing if stderr is not a
/// terminal.
pub fn progress(length: u64, unit: &str) -> ProgressBar {
    let template = format!("{{wide_bar}} {{pos}}/{{len}} {unit}, {{eta}} left");
    styled(ProgressBar::with_draw_target(Some(length), target()), &template)
}

/// Templates are constant. With one that did not parse, the bar would have indicatif's default style.
fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A spinner on stderr that shows the current work and its duration. It turns by itself.
pub fn waiting(what: &str) -> ProgressBar {
    let spinner = ProgressBar::with_draw_target(None, target()).with_message(what.to_string());
    let spinner = styled(spinner, "{spinner} {msg}, {elapsed}");
    // Without a thread to turn it indicatif panics.
    if std::thread::Builder::new().spawn(|| ()).is_ok() {
        spinner.enable_steady_tick(SPIN);
    }
    spinner
}
