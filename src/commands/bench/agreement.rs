//! How far two engines agree: rounding makes flocks part company, a mistake does so at once.

use std::fmt;

use serde::Serialize;

use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::model::vector::{Point, Vector};

/// Rounding moves an agent by less in one tick; world units. (The tests of the engines ask for as
/// much.)
const ROUNDING: f64 = 1e-3;
/// The same in worlds so wide that positions are kept less exactly: as a share of the longer side,
/// four times the distance of two numbers there.
const STEPS: f64 = 4.0 / (1 << 23) as f64;

/// What the distances mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Apart by rounding at most.
    Same,
    /// Alike after one tick; rounding has grown since.
    Drifted,
    /// Apart after one tick already.
    Different,
}

/// How far two engines' states are apart.
#[derive(Clone, Debug, Serialize)]
pub struct Agreement {
    /// Which two.
    pub engines: [&'static str; 2],
    /// Median and largest distance between the same agents; world units.
    pub after_one_tick: [f64; 2],
    /// The same at the end of the timed ticks.
    pub after_the_run: [f64; 2],
    /// What that means.
    pub verdict: Verdict,
}

impl Agreement {
    /// Compares the states of two engines: those after one tick, and those at the end.
    #[must_use]
    pub fn of(scene: &Scene, engines: [&'static str; 2], states: [&[FlockState; 2]; 2]) -> Self {
        let [a, b] = states;
        let [after_one_tick, after_the_run] =
            [0, 1].map(|slot| deviation(scene, [&a[slot], &b[slot]]));
        let longer = f64::from(scene.world.size.max_element());
        let verdict = verdict(after_one_tick, after_the_run, ROUNDING.max(STEPS * longer));
        Self { engines, after_one_tick, after_the_run, verdict }
    }

    /// The line of the table, `ticks` being those before the end.
    pub fn write(&self, f: &mut fmt::Formatter<'_>, ticks: u32) -> fmt::Result {
        let ([a, b], [median, largest]) = (self.engines, self.after_one_tick);
        let [last_median, last_largest] = self.after_the_run;
        writeln!(
            f,
            "\n{a} and {b} are apart by {median:.1e} (median) and {largest:.1e} (largest) world \
             units after 1 tick, {last_median:.1e} and {last_largest:.1e} after {ticks}"
        )?;
        match self.verdict {
            Verdict::Same => Ok(()),
            Verdict::Drifted => writeln!(
                f,
                "  They agree in the first tick; rounding has grown since, as it does in flocks. \
                 Compare figures of the\n  flock, not single agents."
            ),
            Verdict::Different => writeln!(
                f,
                "  WARNING: they disagree in the first tick already, by more than rounding \
                 explains: one of them is\n  wrong, and these times compare different flocks. \
                 Please report it with this command line."
            ),
        }
    }
}

/// What medians and largest distances mean where rounding explains `rounding`. Single agents may
/// differ in the first tick: those whose neighbour is just within reach.
fn verdict(after_one_tick: [f64; 2], after_the_run: [f64; 2], rounding: f64) -> Verdict {
    // Written so that what is no number is no agreement.
    let close = |distance: f64| distance <= rounding;
    if !close(after_one_tick[0]) {
        Verdict::Different
    } else if close(after_one_tick[1]) && close(after_the_run[1]) {
        Verdict::Same
    } else {
        Verdict::Drifted
    }
}

/// Median and largest distance between the same agents of two states; world units.
fn deviation(scene: &Scene, states: [&FlockState; 2]) -> [f64; 2] {
    let between = |(p, q): (&Point, &Point)| {
        let difference = Vector { x: p.x - q.x, y: p.y - q.y };
        f64::from(scene.world.shortest(difference).length())
    };
    let [a, b] = states.map(|state| state.position.iter());
    let mut distances: Vec<f64> = a.zip(b).map(between).collect();
    distances.sort_by(f64::total_cmp);
    [distances[distances.len() / 2], distances[distances.len() - 1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_grows_and_a_mistake_is_there_at_once() {
        let of = |first, last| verdict(first, last, ROUNDING);
        assert_eq!(of([0.0, 0.0], [0.0, 0.0]), Verdict::Same);
        assert_eq!(of([1e-5, 1e-4], [30.0, 4000.0]), Verdict::Drifted);
        assert_eq!(of([0.0, 0.2], [1e-5, 0.4]), Verdict::Drifted);
        assert_eq!(of([0.5, 2.0], [30.0, 4000.0]), Verdict::Different);
        assert_eq!(of([f64::NAN, f64::NAN], [0.0, 0.0]), Verdict::Different);
        let agreement = Agreement {
            engines: ["gpu", "cpu"],
            after_one_tick: [0.5, 2.0],
            after_the_run: [30.0, 4000.0],
            verdict: Verdict::Different,
        };
        let text = fmt::from_fn(|f| agreement.write(f, 111)).to_string();
        assert!(text.contains("4.0e3 after 111") && text.contains("WARNING"), "{text}");
    }
}
