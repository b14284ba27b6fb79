//! Agents that found fewer neighbours than a behaviour chooses.

use super::cells::Cells;
use super::parts;
use crate::behaviours::Uses;
use crate::parameter::{ALL_NEIGHBOURS, PICK_ONE, SEES_ALL};
use crate::scene::{Rule, Scene, Slot, Species, drawn};
use crate::state::FlockState;
use crate::vector::Point;

/// Number of agents per task.
const PART: usize = 512;

/// How many agents have fewer neighbours than one of their behaviours chooses.
pub fn found_fewer<const D: usize>(cells: &Cells<D>, scene: &Scene, state: &FlockState) -> u64 {
    if !scene.uses().has(Uses::NEAREST) {
        return 0;
    }
    let species = scene.species_at(state.tick);
    let is_short = |agent: &usize| {
        let own = &species[usize::from(state.species[cells.row(*agent)])];
        let mut choosing =
            own.rules.iter().filter(|rule| own.value_of(rule.kind, "nearest") > ALL_NEIGHBOURS);
        choosing.any(|rule| finds_fewer(cells, scene, state, *agent, (own, rule)))
    };
    let count = state.len();
    parts(count, PART, |part| part.filter(is_short).count() as u64).into_iter().sum()
}

/// True if an agent of species `own` has fewer neighbours than `rule` chooses.
fn finds_fewer<const D: usize>(
    cells: &Cells<D>,
    scene: &Scene,
    state: &FlockState,
    agent: usize,
    (own, rule): (&Species, &Rule),
) -> bool {
    let (kind, row) = (rule.kind, cells.row(agent));
    let mut radius = own.value_of(kind, "radius");
    if let Some(index) = kind.parameter("radius") {
        let slot = Slot::Rule(kind, index);
        radius = drawn(own.least(slot), radius, scene.seed, state.id[row], slot.noise_key());
    }
    let with = own.value_of(kind, "with") as u32;
    let edge = |index: usize| kind.info().parameters[index].encoded(own.value(kind, index));
    let edge = kind.parameter("fov").map_or(SEES_ALL, edge);
    let heading = state.velocity[row].normalize_or(Point::X);
    let is_seen = |other: &usize| {
        let other_row = cells.row(*other);
        let is_ahead = || {
            let (from, to) = (state.position[row], state.position[other_row]);
            let way = scene.world.shortest_between(from, to);
            heading.dot(way) >= edge * way.length()
        };
        *other != agent
            && with >> state.species[other_row] & 1 == 1
            && cells.distance_squared(agent, *other) < f64::from(radius) * f64::from(radius)
            && is_ahead()
    };
    let runs = cells.starts.grid.runs_around(cells.cell[agent]);
    let near = runs.flat_map(|run| cells.starts.agents(run.first, run.last));
    let chosen = own.value_of(kind, "nearest");
    let wanted = if chosen == PICK_ONE { 1 } else { chosen as usize };
    near.filter(is_seen).take(wanted).count() < wanted
}
