//! The forces of rules in text on a group of agents.

use pulp::Simd;

use super::draws::Draws;
use super::formulas::FormulaLanes;
use super::inputs::GroupInputs;
use super::lane_parameters::LaneParameters;
use flockwork_model::behaviours::{Agent, Kind, TakeForce, TextForces};
use flockwork_model::formula::is_force;
use flockwork_model::real::{Lanes, Mask, Real, apart};
use flockwork_model::vector::{Axes, Space, Vector, per_axis};

/// The forces on a group of agents.
pub struct GroupForces<'w, 'a, S: Simd, const D: usize> {
    pub lanes: &'w mut FormulaLanes<'a, S, D>,
    pub parameters: &'w LaneParameters<S>,
    pub draws: Draws<'w>,
    /// False in a kernel for scenes without rules in text.
    pub is_for_texts: bool,
}

impl<S: Simd, const D: usize> TextForces<Lanes<S>, D> for GroupForces<'_, '_, S, D>
where
    Axes<D>: Space<D>,
{
    #[inline(always)]
    fn each_force(
        &mut self,
        agent: &Agent<Lanes<S>, D>,
        spread: Vector<Lanes<S>, D>,
        sees_neighbours: bool,
        forces: &mut impl TakeForce<Lanes<S>, D>,
    ) {
        let of_forces = usize::from(sees_neighbours);
        if !self.is_for_texts || self.lanes.rules.forces[of_forces].rules.is_empty() {
            return;
        }
        let Self { lanes, parameters, draws, .. } = self;
        let spread = &spread;
        apart!(
            <'w, 'a; S: Simd; D: usize>
            where Axes<D>: Space<D>,
            spread.0[0],
            |lanes: &'w mut FormulaLanes<'a, S, D>, parameters: &'w LaneParameters<S>, draws: &'w Draws<'w>,
             agent: &'w Agent<Lanes<S>, D>, spread: &'w Vector<Lanes<S>, D>, of_forces: usize| -> () {
                run_rules(lanes, parameters, *draws, (agent, *spread), of_forces);
            }
        );
        for (formula, force) in &lanes.forces {
            forces.take(Kind::Formula(formula), *force);
        }
    }
}

/// Runs the rules in text that do not look at neighbours, or those that do.
#[inline(always)]
fn run_rules<S: Simd, const D: usize>(
    lanes: &mut FormulaLanes<'_, S, D>,
    parameters: &LaneParameters<S>,
    draws: Draws<'_>,
    (agent, spread): (&Agent<Lanes<S>, D>, Vector<Lanes<S>, D>),
    of_forces: usize,
) where
    Axes<D>: Space<D>,
{
    lanes.forces.clear();
    let (rules, tape) = (lanes.rules, &mut lanes.of_forces[of_forces]);
    tape.prepare(&GroupInputs {
        simd: lanes.simd,
        parameters,
        position: agent.position,
        velocity: agent.velocity,
        body: &agent.body,
        spread,
        sums: &lanes.sums,
        kept: &lanes.kept,
        draws,
    });
    for (number, places) in &rules.forces[of_forces].rules {
        let columns = &rules.columns[*number];
        let (force, states) = places.split_at(D);
        for (place, kept) in states.iter().zip(&columns.places) {
            let next = &mut lanes.next_kept[*kept];
            *next = tape.number(*place).where_or(parameters.has_formula(columns), *next);
        }
        let force = Vector(per_axis!(axis => tape.number(force[axis])));
        let weight = parameters.of_formula(columns, 0);
        let (is_sound, zero) = (is_force(force), Vector::zero(weight));
        if (!is_sound).any() {
            let weight_of_broken = weight.constant(0.0).where_or(is_sound, weight);
            lanes.broken.add(*number, count_broken(weight_of_broken, draws.ids.len()));
        }
        let force = agent.limited(force.where_or(is_sound, zero));
        lanes.forces.push((columns.formula, force * weight));
    }
}

/// How many of the first `agents` of a group have a rule whose force is no number. `weights` are its weights there; a
/// rule without weight has no force.
fn count_broken<S: Simd>(weights: Lanes<S>, agents: usize) -> u64 {
    weights.numbers().iter().take(agents).filter(|weight| **weight != 0.0).count() as u64
}
