//! The forces of rules in text on a group of agents.

use pulp::Simd;

use super::draws::Draws;
use super::formulas::{FormulaLanes, RuleLanes};
use super::inputs::GroupInputs;
use super::lane_parameters::LaneParameters;
use flockwork_model::behaviours::{Agent, Kind, TextForces};
use flockwork_model::real::{Lanes, Real};
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
        take: &mut impl FnMut(Kind, Vector<Lanes<S>, D>),
    ) {
        if !self.is_for_texts {
            return;
        }
        let Self { lanes, parameters, draws, .. } = self;
        let simd = lanes.simd;
        for RuleLanes { columns, of_force, of_next, sums, .. } in &mut lanes.rules {
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
                draws: *draws,
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
            take(Kind::Formula(formula), force * parameters.of_formula(columns, 0));
        }
    }
}
