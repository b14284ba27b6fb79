//! The forces of rules in text on a group of agents.

use pulp::Simd;

use super::draws::Draws;
use super::formulas::{FormulaLanes, RuleLanes};
use super::inputs::GroupInputs;
use super::lane_parameters::LaneParameters;
use flockwork_model::behaviours::{Agent, Kind, TakeForce, TextForces};
use flockwork_model::real::{Lanes, MAX_LANES, Mask, Real, apart};
use flockwork_model::vector::{Axes, Space, Vector};

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
        let hears =
            |rule: &RuleLanes<'_, S>| rule.columns.formula.sees_neighbours() == sees_neighbours;
        if !self.is_for_texts || !self.lanes.rules.iter().any(hears) {
            return;
        }
        let Self { lanes, parameters, draws, .. } = self;
        let spread = &spread;
        apart!(
            <'w, 'a; S: Simd; D: usize>
            where Axes<D>: Space<D>,
            spread.0[0],
            |lanes: &'w mut FormulaLanes<'a, S, D>, parameters: &'w LaneParameters<S>, draws: &'w Draws<'w>,
             agent: &'w Agent<Lanes<S>, D>, spread: &'w Vector<Lanes<S>, D>, sees_neighbours: bool| -> () {
                run_rules(lanes, parameters, *draws, (agent, *spread), sees_neighbours);
            }
        );
        for (formula, force) in &lanes.forces {
            forces.take(Kind::Formula(formula), *force);
        }
    }
}

/// Runs the rules in text that look at neighbours, or the others.
#[inline(always)]
fn run_rules<S: Simd, const D: usize>(
    lanes: &mut FormulaLanes<'_, S, D>,
    parameters: &LaneParameters<S>,
    draws: Draws<'_>,
    (agent, spread): (&Agent<Lanes<S>, D>, Vector<Lanes<S>, D>),
    sees_neighbours: bool,
) where
    Axes<D>: Space<D>,
{
    let simd = lanes.simd;
    lanes.forces.clear();
    for (number, rule) in lanes.rules.iter_mut().enumerate() {
        let RuleLanes { columns, of_force, of_next, sums, .. } = rule;
        let formula = columns.formula;
        if formula.sees_neighbours() != sees_neighbours {
            continue;
        }
        let inputs = GroupInputs {
            simd,
            parameters,
            columns,
            position: agent.position,
            velocity: agent.velocity,
            body: &agent.body,
            spread,
            sums,
            kept: &lanes.kept,
            draws,
        };
        of_force.prepare(&inputs);
        if !formula.states.is_empty() {
            of_next.prepare(&inputs);
            let has = parameters.has_formula(columns);
            for index in 0..formula.states.len() {
                let next = &mut lanes.next_kept[columns.places[index]];
                *next = of_next.number(index).where_or(has, *next);
            }
        }
        let force = agent.limited(of_force.vector(agent.body.mass));
        let weight = parameters.of_formula(columns, 0);
        let is_sound = of_force.number(D);
        if is_sound.less_than(is_sound.constant(1.0)).any() {
            lanes.broken.add(number, count_broken(is_sound, weight, draws.ids.len()));
        }
        lanes.forces.push((formula, force * weight));
    }
}

/// How many of the first `agents` of a group have a force that is no number. A rule without weight has none.
fn count_broken<S: Simd>(is_sound: Lanes<S>, weight: Lanes<S>, agents: usize) -> u64 {
    let [mut sound, mut weights] = [[0.0; MAX_LANES]; 2];
    is_sound.store(&mut sound[..S::F32_LANES]);
    weight.store(&mut weights[..S::F32_LANES]);
    let of_agents = sound.iter().zip(&weights).take(agents);
    of_agents.filter(|(sound, weight)| **sound < 1.0 && **weight != 0.0).count() as u64
}
