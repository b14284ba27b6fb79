//! The rules in text of one agent, neighbour by neighbour.

use super::{Scene, Species};
use crate::behaviours::{Agent, Kind, Neighbour, TakeForce, TextForces, Uses};
use crate::formula::{Formula, Given, Heard, Inputs, Tape, Tile};
use crate::kept::{KeptNames, KeptRow};
use crate::random;
use crate::vector::{Axes, Point, Space, Vector, per_axis};

/// The rules in text of a scene, at work on one agent of a species.
pub struct SingleRules<'a> {
    species: &'a Species,
    several_species: bool,
    /// Seed, id and tick.
    draws: [u32; 3],
    /// The numbers that the agent keeps.
    kept: KeptRow,
    kept_names: KeptNames,
    rules: Vec<(&'static Formula, Tape<'static, f32, 1>, Vec<f32>)>,
}

/// The facts about a neighbour that its motion does not say.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// Its place.
    pub place: Point,
    /// Its species.
    pub species: u8,
    /// Half its length; world units.
    pub size: f32,
    /// The numbers that it keeps, in the order of the scene's names.
    pub kept: KeptRow,
}

impl<'a> SingleRules<'a> {
    /// The rules before the agent `id` has seen a neighbour. `species` has its own values, and `kept` are the
    /// numbers that it keeps.
    #[must_use]
    pub fn new<const D: usize>(
        scene: &Scene,
        species: &'a Species,
        agent: &Agent<f32, D>,
        (id, tick): (u32, u32),
        kept: KeptRow,
    ) -> Self
    where
        Axes<D>: Space<D>,
    {
        let mut own = Self {
            species,
            several_species: scene.tells_species(),
            draws: [scene.seed, id, tick],
            kept,
            kept_names: scene.kept_names(),
            rules: Vec::new(),
        };
        for formula in scene.formulas() {
            let mut of_sums = Tape::new(&formula.sums, 0.0);
            of_sums.prepare(&SingleInputs {
                own: &own,
                formula,
                agent,
                spread: agent.position,
                sums: &[],
            });
            own.rules.push((formula, of_sums, vec![0.0; formula.sums.results.len()]));
        }
        own
    }

    fn place(&self, formula: &'static Formula, index: usize) -> usize {
        self.kept_names.place(formula.states[index]).unwrap_or_default()
    }

    /// Adds a neighbour to the sums of the rules that perceive it and have `chosen` it.
    pub fn observe<const D: usize>(
        &mut self,
        uses: Uses,
        neighbour: &Neighbour<f32, D>,
        other: Other,
        chosen: impl Fn(Kind) -> bool,
    ) {
        let squared = neighbour.distance_squared;
        let sets = self.rules.iter().map(|(formula, ..)| formula.sets.len());
        let mut tile = Tile::<f32, 1>::new(0.0, sets.max().unwrap_or(0));
        let mut put = |given, number| tile.row_mut(given)[0] = number;
        put(Given::DistanceSquared, squared);
        put(Given::OtherSpecies, f32::from(other.species));
        put(Given::OtherSize, other.size);
        for axis in 0..D {
            put(Given::Offset(axis), neighbour.offset.0[axis]);
            put(Given::OtherVelocity(axis), neighbour.velocity.0[axis]);
            put(Given::OtherPosition(axis), other.place[axis]);
        }
        let mut heard = Heard::nobody(squared);
        heard.push(0, neighbour.share > 0.0);
        heard.weigh(0, Some(neighbour.share));
        let mut rules = std::mem::take(&mut self.rules);
        for (formula, of_sums, sums) in &mut rules {
            let kind = Kind::Formula(formula);
            let value = |key: &str| {
                kind.parameter(key).map_or(0.0, |index| self.species.encoded(kind, index))
            };
            let (radius, inner) = (value("radius"), value("inner"));
            let within = formula.hears_everybody() || squared < radius * radius;
            let unseen = uses.has(Uses::SIGHT) && neighbour.ahead < value("fov") * squared.sqrt();
            let ignored = self.several_species && (value("with") as u32 >> other.species) & 1 == 0;
            let near = within && squared >= inner * inner;
            if near && !unseen && !ignored && chosen(kind) {
                for index in 0..formula.states.len() {
                    let place = self.place(formula, index);
                    tile.row_mut(Given::OtherKept(index))[0] = other.kept[place];
                }
                for (place, index) in formula.sets.iter().enumerate() {
                    let set = self.species.value(kind, *index) as u32;
                    tile.row_mut(Given::InSet(place))[0] = ((set >> other.species) & 1) as f32;
                }
                of_sums.add(&tile, 1, sums, &heard);
            }
        }
        self.rules = rules;
    }
}

struct SingleInputs<'w, 'a, const D: usize> {
    own: &'w SingleRules<'a>,
    formula: &'static Formula,
    agent: &'w Agent<f32, D>,
    spread: Vector<f32, D>,
    sums: &'w [f32],
}

impl<const D: usize> Inputs<f32> for SingleInputs<'_, '_, D> {
    fn given(&self, given: Given) -> f32 {
        let [seed, id, tick] = self.own.draws;
        let Self { own, formula, agent, spread, sums } = self;
        match given {
            Given::Position(axis) => agent.position.0[axis],
            Given::Velocity(axis) => agent.velocity.0[axis],
            Given::MaxSpeed => agent.body.max_speed,
            Given::MaxForce => agent.body.max_force,
            Given::Size => agent.body.size,
            Given::Parameter(index) => own.species.encoded(Kind::Formula(formula), index),
            Given::Random(number) => random::of_rule(seed, id, tick, number),
            Given::Sum(index) => sums[index],
            Given::Spread(axis) => spread.0[axis],
            Given::Kept(index) => own.kept[own.place(formula, index)],
            _ => tick as f32,
        }
    }
}

impl<const D: usize> TextForces<f32, D> for SingleRules<'_>
where
    Axes<D>: Space<D>,
{
    fn each_force(
        &mut self,
        agent: &Agent<f32, D>,
        spread: Vector<f32, D>,
        sees_neighbours: bool,
        forces: &mut impl TakeForce<f32, D>,
    ) {
        for (formula, _, sums) in &self.rules {
            if formula.sees_neighbours() == sees_neighbours {
                let mut tape = Tape::<f32, 1>::new(&formula.force, 0.0);
                tape.prepare(&SingleInputs { own: self, formula, agent, spread, sums });
                let force = agent.limited(Vector(per_axis!(axis => tape.number(axis))));
                let weight = self.species.encoded(Kind::Formula(formula), 0);
                forces.take(Kind::Formula(formula), force * weight);
            }
        }
    }
}
