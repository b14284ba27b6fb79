//! Published models whose agents keep phases, as rules in text.

use std::f32::consts::TAU;

use flockwork::model::state::FlockState;
use flockwork::model::vector::Point;

use super::laboratory::{angle, going, set};
use super::{mean, on_both};

/// The phases that the agents keep; turns.
fn phases(state: &FlockState) -> Vec<f32> {
    let place = state.kept_names.place("phase").unwrap();
    state.kept.iter().map(|row| row[place]).collect()
}

/// The length of the mean of these directions; radians.
fn coherence(angles: impl Iterator<Item = f32>) -> f32 {
    let all: Vec<Point> = angles.map(|angle| going(1.0, angle)).collect();
    (all.iter().sum::<Point>() / all.len() as f32).length()
}

#[test]
fn swarmalators_take_the_five_states_of_their_paper() {
    const RULE: &str = "swarmalator.rules.swarm";
    on_both("swarmalators", |run| {
        // How far phases are in step, how far they follow the places round the middle, and the mean speed in
        // tenths of what crosses the swarm in a unit of time.
        let mut state = |j: f32, k: f32| {
            run.start(Some(100), &[&set(RULE, "j.value", j), &set(RULE, "k.value", k)]);
            let state = run.step(500);
            let middle = state.position.iter().sum::<Point>() / state.len() as f32;
            let round: Vec<f32> =
                state.position.iter().map(|place| angle(*place - middle)).collect();
            let phases = phases(&state);
            let along = |sign: f32| {
                coherence(round.iter().zip(&phases).map(|(round, own)| round + sign * TAU * own))
            };
            let speed = mean(state.velocity.iter().map(|velocity| velocity.length()));
            (coherence(phases.iter().map(|own| TAU * own)), along(1.0).max(along(-1.0)), speed)
        };
        let sync = state(0.1, 1.0);
        let apart = state(0.1, -1.0);
        let wheel = state(1.0, 0.0);
        let split = state(1.0, -0.1);
        let turning = state(1.0, -0.75);
        assert!(sync.0 > 0.99 && sync.1 < 0.1 && sync.2 < 0.1, "{sync:?}");
        assert!(apart.0 < 0.1 && apart.1 < 0.1 && apart.2 < 0.1, "{apart:?}");
        assert!(wheel.0 < 0.3 && wheel.1 > 0.95 && wheel.2 < 0.1, "{wheel:?}");
        assert!(split.0 < 0.1 && split.1 > 0.95 && split.2 > 0.1, "{split:?}");
        assert!(turning.0 < 0.1 && (0.5..0.9).contains(&turning.1), "{turning:?}");
        assert!(turning.2 > 3.0 * split.2, "{turning:?} {split:?}");
        // The control: places that do not heed the phases.
        let control = state(0.0, 0.0);
        assert!(control.0 < 0.3 && control.1 < 0.3, "{control:?}");
    });
}

#[test]
fn fireflies_near_one_another_blink_together() {
    on_both("fireflies", |run| {
        let mut together = |coupling: f32| {
            run.start(Some(500), &[&set("firefly.rules.blink", "coupling.value", coupling)]);
            let state = run.step(800);
            let phases = phases(&state);
            let agents: Vec<_> = state.position.iter().zip(&phases).collect();
            let pairs = (0..agents.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let near = pairs.filter(|(i, j)| run.way(*agents[*i].0, *agents[*j].0).length() < 25.0);
            mean(near.map(|(i, j)| (TAU * (agents[i].1 - agents[j].1)).cos()))
        };
        let (coupled, alone) = (together(0.02), together(0.0));
        assert!(coupled > 0.8 && alone < 0.2, "{coupled}, without coupling {alone}");
    });
}
