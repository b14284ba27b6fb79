//! Pursuers and evaders that are agents.

use super::avoid::collisions;
use super::{Run, assert_none_lost, on_both};

/// A quarry this near to a hunter counts as caught.
const CATCH: f32 = 6.0;

/// How many agents of species 0 come within [`CATCH`] of one of species 1 within `ticks`.
fn caught(run: &mut Run, ticks: u32) -> usize {
    let state = run.step(0);
    let quarry = state.species.iter().filter(|species| **species == 0).count();
    let mut caught = vec![false; quarry];
    for _ in 0..ticks / 2 {
        let state = run.step(2);
        assert_none_lost(run, &state, state.species.len());
        let (quarry, hunters) = state.position.split_at(quarry);
        for (p, caught) in quarry.iter().zip(&mut caught) {
            *caught |= hunters.iter().any(|q| run.way(*p, *q).length() < CATCH);
        }
    }
    caught.iter().filter(|caught| **caught).count()
}

#[test]
fn evaders_survive_longer_than_fleeing_agents() {
    on_both("evade", |run| {
        run.start(Some(400), &[]);
        let evading = caught(run, 400);
        // Control: flee the pursuer's current place.
        run.start(Some(400), &["evader.evade.lead=ticks", "evader.evade.ticks=0"]);
        let fleeing = caught(run, 400);
        assert!(2 * evading < fleeing, "{evading} caught, and {fleeing} of those that flee");
        assert!(fleeing > 50, "hardly anybody is hunted: {fleeing}");
    });
}

#[test]
fn prey_survive_longer_with_evasion() {
    on_both("predators", |run| {
        let state = run.start(Some(8_008), &[]);
        assert_eq!(state.species.iter().filter(|species| **species == 1).count(), 8);
        let evading = caught(run, 400);
        run.start(Some(8_008), &["prey.evade.weight=0"]);
        let careless = caught(run, 400);
        assert!(2 * evading < careless, "{evading} caught, {careless} without evasion");
    });
}

#[test]
fn hunters_and_prey_steer_round_trees() {
    on_both("woods", |run| {
        // No agent runs through a tree; a box may graze the edge.
        let among = collisions(run, 2000, 4);
        assert!(among.depth < 1.0 && among.time < 1e-3, "{among:?}");
        run.start(Some(440), &[]);
        let evading = caught(run, 1000);
        run.start(Some(440), &["prey.evade.weight=0"]);
        let careless = caught(run, 1000);
        assert!(3 * evading < 2 * careless, "{evading} caught, {careless} without evasion");
        run.start(None, &["prey.avoid.weight=0", "hunter.avoid.weight=0"]);
        let blind = collisions(run, 500, 4);
        assert!(blind.depth > 10.0, "{blind:?} without avoidance");
    });
}
