//! How far two engines agree. Rounding makes flocks diverge slowly; a mistake shows at once.
//! `docs/bench.schema.json` describes the fields.

use std::fmt;

use serde::Serialize;

use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{DIMENSIONS, Point, Vector, components};

/// Largest distance by which rounding moves an agent in one tick; world units. (The engine tests
/// use the same bound.)
const MAX_ROUNDING: f64 = 1e-3;
/// The same in worlds so wide that positions are less exact, as a share of the longer side: four
/// times the spacing of floating-point numbers there.
const STEPS: f64 = 4.0 / (1 << 23) as f64;

/// After one tick, one agent in this many may be farther apart than rounding explains: rounding can
/// add or remove a neighbour at the edge of the radius. A mistake in an engine affects far more
/// agents.
const AGENTS_TO_A_STRAY: usize = 1_000;
/// In smaller flocks no agent may: a neighbour so close to the edge is too unlikely.
const MIN_AGENTS: usize = 100;

/// The meaning of the distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The distances are within rounding.
    Same,
    /// Equal after one tick; rounding has grown since.
    Drifted,
    /// Different already after one tick.
    Different,
}

/// How far the states of two engines are apart: the median and the largest distance.
#[derive(Clone, Debug, Serialize)]
pub struct Agreement {
    pub engines: [&'static str; 2],
    pub after_one_tick: [f64; 2],
    pub astray_after_one_tick: f64,
    pub after_the_run: [f64; 2],
    pub verdict: Verdict,
}

impl Agreement {
    /// Compares the states of two engines after one tick and at the end.
    pub fn of(scene: &Scene, engines: [&'static str; 2], states: [&[FlockState; 2]; 2]) -> Self {
        let [a, b] = states;
        let [one_tick, run] = [0, 1].map(|slot| distances(scene, [&a[slot], &b[slot]]));
        let longer = f64::from(scene.world.size.max_element());
        let rounding = MAX_ROUNDING.max(STEPS * longer);
        Self {
            engines,
            after_one_tick: median_and_largest(&one_tick),
            astray_after_one_tick: strays(&one_tick, rounding) as f64 / one_tick.len() as f64,
            after_the_run: median_and_largest(&run),
            verdict: verdict(&one_tick, &run, rounding),
        }
    }

    /// Writes the line of the table; the run ended after `ticks` ticks.
    pub fn write(&self, f: &mut fmt::Formatter<'_>, ticks: u32) -> fmt::Result {
        let [a, b] = self.engines;
        let (first, last) = (distance(self.after_one_tick), distance(self.after_the_run));
        match first == last {
            true => writeln!(f, "\n{a} and {b} are {first} after 1 tick and after {ticks}")?,
            false => writeln!(f, "\n{a} and {b} are {first} after 1 tick, {last} after {ticks}")?,
        }
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

/// Median and largest distance as text.
fn distance([median, largest]: [f64; 2]) -> String {
    if [median, largest] == [0.0; 2] {
        return "identical".into();
    }
    format!("apart by {median:.1e} (median) and {largest:.1e} (largest) world units")
}

/// Judges the distances after one tick and after the run, both in ascending order. `rounding` is
/// the largest distance that rounding explains.
fn verdict(one_tick: &[f64], run: &[f64], rounding: f64) -> Verdict {
    let agents = one_tick.len();
    let explained = if agents < MIN_AGENTS { 0 } else { agents.div_ceil(AGENTS_TO_A_STRAY) };
    if strays(one_tick, rounding) > explained {
        Verdict::Different
    } else if strays(one_tick, rounding) + strays(run, rounding) == 0 {
        Verdict::Same
    } else {
        Verdict::Drifted
    }
}

/// How many agents are farther apart than rounding explains.
fn strays(distances: &[f64], rounding: f64) -> usize {
    // NaN never agrees.
    distances.iter().filter(|distance| distance.is_nan() || **distance > rounding).count()
}

/// Distances between the same agents of two states, in ascending order; world units.
fn distances(scene: &Scene, states: [&FlockState; 2]) -> Vec<f64> {
    let between = |(p, q): (&Point, &Point)| {
        let difference = Vector::<f32, DIMENSIONS>(components(*p - *q));
        f64::from(scene.world.shortest(difference).length())
    };
    let [a, b] = states.map(|state| state.position.iter());
    let mut distances: Vec<f64> = a.zip(b).map(between).collect();
    distances.sort_by(f64::total_cmp);
    distances
}

fn median_and_largest(distances: &[f64]) -> [f64; 2] {
    [distances[distances.len() / 2], distances[distances.len() - 1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of the table.
    fn text(after_one_tick: [f64; 2], after_the_run: [f64; 2], verdict: Verdict) -> String {
        let (engines, astray_after_one_tick) = (["gpu", "cpu"], 0.0);
        let agreement =
            Agreement { engines, after_one_tick, astray_after_one_tick, after_the_run, verdict };
        fmt::from_fn(|f| agreement.write(f, 111)).to_string()
    }

    #[test]
    fn rounding_grows_slowly_and_a_mistake_shows_at_once() {
        // `astray` of 5,000 agents are `by` apart after one tick; all are `last` apart after the
        // run.
        let of = |astray: usize, by, last| {
            let mut one_tick = vec![1e-5; 5_000 - astray];
            one_tick.resize(5_000, by);
            verdict(&one_tick, &[last; 5_000], MAX_ROUNDING)
        };
        assert_eq!(of(0, 0.0, 0.0), Verdict::Same);
        assert_eq!(of(0, 0.0, 30.0), Verdict::Drifted);
        assert_eq!(of(1, 0.2, 1e-5), Verdict::Drifted);
        // Four fifths agree; one fifth has lost its neighbours.
        assert_eq!(of(1_004, 0.2, 0.4), Verdict::Different);
        assert_eq!(of(3_000, 2.0, 4_000.0), Verdict::Different);
        assert_eq!(of(3_000, f64::NAN, 0.0), Verdict::Different);
        // Two of four.
        assert_eq!(verdict(&[0.0, 0.0, 0.1, 0.2], &[0.0; 4], MAX_ROUNDING), Verdict::Different);
        let text = text([0.5, 2.0], [30.0, 4000.0], Verdict::Different);
        assert!(text.contains("4.0e3 (largest) world units after 111"), "{text}");
        assert!(text.contains("WARNING"), "{text}");
    }

    #[test]
    fn a_distance_of_zero_reads_identical() {
        let same = text([0.0; 2], [0.0; 2], Verdict::Same);
        assert_eq!(same, "\ngpu and cpu are identical after 1 tick and after 111\n");
        let grown = text([0.0; 2], [0.0, 1e-4], Verdict::Same);
        assert!(grown.contains("identical after 1 tick, apart by 0.0e0 (median)"), "{grown}");
    }
}
