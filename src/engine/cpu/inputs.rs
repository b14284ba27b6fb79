//! The inputs of rules in text that are the same for all neighbours of an agent, one agent a lane.

use pulp::Simd;

use super::draws::Draws;
use super::lane_parameters::LaneParameters;
use flockwork_model::behaviours::Body;
use flockwork_model::formula::{Given, Inputs};
use flockwork_model::kept::MAX_KEPT;
use flockwork_model::random;
use flockwork_model::real::{Lanes, MAX_LANES};
use flockwork_model::vector::Vector;

/// The inputs of a group of agents.
pub struct GroupInputs<'w, S: Simd, const D: usize> {
    pub simd: S,
    pub parameters: &'w LaneParameters<S>,
    pub position: Vector<Lanes<S>, D>,
    pub velocity: Vector<Lanes<S>, D>,
    pub body: &'w Body<Lanes<S>>,
    pub spread: Vector<Lanes<S>, D>,
    pub sums: &'w [Lanes<S>],
    pub kept: &'w [Lanes<S>; MAX_KEPT],
    pub draws: Draws<'w>,
}

impl<S: Simd, const D: usize> Inputs<Lanes<S>> for GroupInputs<'_, S, D> {
    #[inline(always)]
    fn given(&self, given: Given) -> Lanes<S> {
        let Draws { seed, tick, ids } = self.draws;
        match given {
            Given::Position(axis) => self.position.0[axis],
            Given::Velocity(axis) => self.velocity.0[axis],
            Given::MaxSpeed => self.body.max_speed,
            Given::MaxForce => self.body.force_limit(),
            Given::Size => self.body.size,
            Given::Parameter(column) => self.parameters.column(column),
            Given::Sum(index) => self.sums[index],
            Given::Kept(place) => self.kept[place],
            Given::Spread(axis) => self.spread.0[axis],
            Given::Random(number) => {
                let mut drawn = [0.0; MAX_LANES];
                for (drawn, id) in drawn.iter_mut().zip(ids) {
                    *drawn = random::of_rule(seed, *id, tick, number);
                }
                Lanes::load(self.simd, &drawn)
            }
            _ => Lanes::splat(self.simd, tick as f32),
        }
    }
}
