//! The pass `steer`: neighbours, behaviours, integration, and the cell of the new position.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::add_up::Totals;
use super::around::Around;
use super::bands::Part;
use super::draws::{Draws, deviates, jitters, spread_directions};
use super::flock::{Motion, MotionMut, take};
use super::formulas::FormulaLanes;
use super::group::{Group, SortedFlock};
use super::group_forces::GroupForces;
use super::joined_rules::JoinedRules;
use super::lane_parameters::{LaneParameters, SpeciesTable};
use super::lanes::InstructionSet;
use super::nearest::Nearest;
use super::neighbours::NeighbourLoop;
use super::shown::{leans_of_change, shown_of_change, structures};
use crate::BrokenForces;
use crate::stopwatch::Stopwatch;
use flockwork_model::behaviours::{Agent, Kind, Sums, Surroundings, Uses};
use flockwork_model::grid::{MAX_ROWS_AROUND, NearRow};
use flockwork_model::memory::{Memory, Shown, growth_of_age, leant};
use flockwork_model::random::{self, Purpose};
use flockwork_model::real::MAX_LANES;
use flockwork_model::real::{Lanes, Mask, Real, apart};
use flockwork_model::vector::{Axes, Remembered, Space, Vector, each_axis, per_axis};

/// The three behaviours of a flock. A scene with these three runs a kernel that is compiled for them.
const FLOCKING: Uses = Uses::of(&[Kind::Separation, Kind::Alignment, Kind::Cohesion]);
const FLOCK: u64 = FLOCKING.0;

/// The features of a plain flock: the user's pointer may lead it.
const PLAIN: Uses = FLOCKING.with(Uses::of(&[Kind::Seek]));

/// The input of one steer pass.
pub struct Steer<'a, const D: usize> {
    /// The sorted flock and where to find neighbours in it.
    pub flock: SortedFlock<'a, D>,
    pub table: &'a SpeciesTable,
    pub totals: Totals,
    pub surroundings: Surroundings<'a>,
    /// Ticks.
    pub time_step: f32,
    /// Forces that were no numbers.
    pub broken: &'a Mutex<BrokenForces>,
}

/// The part of the pass that one task does.
struct Task<'a, const D: usize> {
    pass: &'a Steer<'a, D>,
    part: &'a Part,
    out: MotionMut<'a, D>,
    key: &'a mut [u32],
}

/// A task for a kernel that is compiled for the behaviours in `USES`, and for one species or `MANY`.
struct Kernel<'a, const D: usize, const USES: u64, const MANY: bool>(Task<'a, D>);

impl<const D: usize> Steer<'_, D>
where
    Axes<D>: Space<D>,
{
    /// Steers the agents of `parts`, which ascend: `after` is the state at the end of the tick, in the
    /// same order, and `key` the cell of each, by its number in the grid. `spent` gets the time that
    /// each part takes, if it has room.
    pub fn run(
        &self,
        parts: &[Part],
        instructions: InstructionSet,
        after: &mut Motion<D>,
        key: &mut [u32],
        spent: &mut [Duration],
    ) {
        let mut out = after.as_mut();
        let mut key = &mut key[..];
        let mut next = 0;
        let mut tasks = Vec::with_capacity(parts.len());
        let spent = spent.iter_mut().map(Some).chain(std::iter::repeat_with(|| None));
        for (part, spent) in parts.iter().zip(spent) {
            let (left_out, count) = (part.agents.start - next, part.agents.len());
            out.take(left_out);
            take(&mut key, left_out);
            tasks.push((part, out.take(count), take(&mut key, count), spent));
            next = part.agents.end;
        }
        tasks.into_par_iter().for_each(|(part, out, key, spent)| {
            let stopwatch = Stopwatch::start(spent.is_some());
            self.run_part(instructions, part, out, key);
            if let Some(spent) = spent {
                *spent = stopwatch.elapsed();
            }
        });
    }

    /// Picks the kernel for the scene. There are few, because each takes the compiler seconds for each
    /// instruction set.
    fn run_part(&self, set: InstructionSet, part: &Part, out: MotionMut<D>, key: &mut [u32]) {
        const ANY: u64 = Uses::ALL.0;
        let flocking = self.flock.uses.and(Uses::PER_NEIGHBOUR) == FLOCKING;
        let task = Task { pass: self, part, out, key };
        let rules = self.table.rules();
        if flocking && rules.columns.is_empty() && !rules.tells_species {
            set.run(Kernel::<D, FLOCK, false>(task));
        } else {
            set.run(Kernel::<D, ANY, true>(task));
        }
    }
}

impl<const D: usize, const USES: u64, const MANY: bool> WithSimd for Kernel<'_, D, USES, MANY>
where
    Axes<D>: Space<D>,
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self(mut task) = self;
        let Steer { flock, table, .. } = task.pass;
        // For groups of one species, and the last one for a mixed group.
        let species = (0..table.len()).chain(MANY.then_some(0));
        let mut parameters: Vec<LaneParameters<S>> =
            species.map(|species| LaneParameters::uniform(simd, table, species)).collect();
        let window = &flock.window;
        let columns = flock.grid.columns() as usize;
        // The same variable for all groups: clearing it costs less than making another.
        let mut sums = Sums::nothing(parameters[0].body.mass);
        let no_rules = JoinedRules::default();
        let texts = if USES == Uses::ALL.0 { table.rules() } else { &no_rules };
        let mut nearest = Nearest::new(simd, &table.choices);
        let origin = (*table, flock.seed, flock.id);
        let mut texts = FormulaLanes::new(simd, texts, origin, &task.pass.totals);
        let Part { rows: own_rows, agents: own } = task.part;
        if flock.uses.and(Uses::AROUND) == Uses::default() {
            // No agent looks at rows: a group may span several, which fills its lanes.
            for start in own.clone().step_by(S::F32_LANES) {
                let agents = start..(start + S::F32_LANES).min(own.end);
                let sums = (&mut nearest, &mut sums, &mut texts);
                task.group::<S, USES, MANY>(simd, &mut parameters, agents, (0, &[]), sums);
            }
            task.note(texts.broken);
            return;
        }
        for row in own_rows.clone() {
            let first_cell = row as usize * columns;
            let first = (flock.start[first_cell] as usize).max(own.start);
            let end = (flock.start[first_cell + columns] as usize).min(own.end);
            if first >= end {
                continue;
            }
            let row = window.row_of_grid(row);
            let mut rows = [NearRow::default(); MAX_ROWS_AROUND];
            let mut near = 0;
            for (slot, other) in rows.iter_mut().zip(flock.grid.rows_around(row)) {
                *slot = NearRow { first_cell: window.number(other.first_cell), ..other };
                near += 1;
            }
            for start in (first..end).step_by(S::F32_LANES) {
                let agents = start..(start + S::F32_LANES).min(end);
                task.group::<S, USES, MANY>(
                    simd,
                    &mut parameters,
                    agents,
                    (row, &rows[..near]),
                    (&mut nearest, &mut sums, &mut texts),
                );
            }
        }
        task.note(texts.broken);
    }
}

impl<const D: usize> Task<'_, D>
where
    Axes<D>: Space<D>,
{
    /// Adds to the forces that were no numbers.
    fn note(&self, broken: BrokenForces) {
        if broken.count > 0 {
            self.pass.broken.lock().unwrap_or_else(PoisonError::into_inner).extend(broken);
        }
    }

    /// Steers one group of agents. `row` is the row of the grid that they are in, and `rows` are those
    /// that may have neighbours, with their cells in the window. The choices of the nearest neighbours and the
    /// sums are overwritten.
    #[inline(always)]
    fn group<S: Simd, const USES: u64, const MANY: bool>(
        &mut self,
        simd: S,
        of_species: &mut [LaneParameters<S>],
        agents: Range<usize>,
        (row, rows): (u32, &[NearRow<D>]),
        (nearest, sums, texts): (
            &mut Nearest<'_, S>,
            &mut Sums<Lanes<S>, D>,
            &mut FormulaLanes<'_, S, D>,
        ),
    ) {
        let Steer { flock, table, .. } = self.pass;
        let motion = flock.motion;
        let load = |values: &[f32]| Lanes::load(simd, &values[agents.clone()]);
        let position = Vector(per_axis!(axis => load(&motion.position[axis])));
        let velocity = Vector(per_axis!(axis => load(&motion.velocity[axis])));
        let column = |index: usize| flock.grid.cell_of(motion.position(index))[0];
        let columns = (column(agents.start), column(agents.end - 1));
        let mut heading = Vector::zero(position.0[0]);
        if flock.uses.has(Uses::SIGHT) {
            heading = velocity.heading();
        }
        let group = Group { agents: agents.clone(), row, columns, position, velocity, heading };

        let species = &flock.species[agents.clone()];
        let parameters = if MANY {
            if species.iter().all(|s| *s == species[0]) {
                &mut of_species[species[0] as usize]
            } else {
                let mixed = &mut of_species[table.len()];
                mixed.mix(simd, table, species);
                mixed
            }
        } else {
            &mut of_species[0]
        };
        if table.has_traits() {
            parameters.draw(simd, table, flock.seed, species, &flock.id[agents]);
        }
        let parameters = &*parameters;
        let around = Around { simd, flock, group: &group };
        if flock.uses.has(Uses::NEAREST) {
            nearest.choose(around, parameters, table.rules().tells_species, rows);
        }
        texts.recall(flock, &group.agents);
        let of_group = (&*nearest, &mut *sums, &mut *texts);
        NeighbourLoop::<S, D, USES, MANY>::sum_up(around, (parameters, table), rows, of_group);
        // A plain flock would be a twentieth slower in two parts; processors without AVX2 run it so.
        let is_old = cfg!(target_arch = "x86_64") && S::F32_LANES < 8;
        let is_plain = !is_old && USES == FLOCK && flock.uses.without(PLAIN) == Uses::default();
        if is_plain {
            self.integrate::<S, true>(simd, &group, parameters, (sums, texts));
        } else {
            self.integrate_apart(simd, &group, parameters, (sums, texts));
        }
    }

    /// [`Self::integrate`] out of line, compiled once for all kernels.
    #[inline(always)]
    fn integrate_apart<S: Simd>(
        &mut self,
        simd: S,
        group: &Group<S, D>,
        parameters: &LaneParameters<S>,
        results: (&Sums<Lanes<S>, D>, &mut FormulaLanes<'_, S, D>),
    ) {
        let (like, task, (sums, texts)) = (parameters.body.mass, self, results);
        apart!(
            <'w, 'a, 't; S: Simd; D: usize>
            where Axes<D>: Space<D>,
            like,
            |simd: S, task: &'w mut Task<'a, D>, group: &'w Group<S, D>,
             parameters: &'w LaneParameters<S>, sums: &'w Sums<Lanes<S>, D>,
             texts: &'w mut FormulaLanes<'t, S, D>| -> () {
                task.integrate::<S, false>(simd, group, parameters, (sums, texts));
            }
        );
    }

    /// From the sums to the new position, velocity and cell. `PLAIN_FLOCK` says that the scene uses no more than
    /// [`PLAIN`].
    #[inline(always)]
    fn integrate<S: Simd, const PLAIN_FLOCK: bool>(
        &mut self,
        simd: S,
        group: &Group<S, D>,
        parameters: &LaneParameters<S>,
        (sums, texts): (&Sums<Lanes<S>, D>, &mut FormulaLanes<'_, S, D>),
    ) {
        let Steer { flock, surroundings, table, time_step, .. } = self.pass;
        let like = parameters.body.mass;
        let Group { position, velocity, .. } = *group;
        let uses = if PLAIN_FLOCK { flock.uses.and(PLAIN) } else { flock.uses };
        let mut spread = Vector::zero(like);
        let ids = &flock.id[group.agents.clone()];
        if sums.crowded(uses, like).any() || (!PLAIN_FLOCK && texts.spread()) {
            spread = spread_directions(simd, ids);
        }
        let remembers = uses.has(Uses::MEMORY);
        let nothing = Remembered { angle: like.constant(0.0), direction: Vector::zero(like) };
        let (mut remembered, mut noise) = (nothing, Vector::zero(like));
        if remembers {
            (remembered, noise) = self.recalled(simd, group.agents.clone());
        }
        let mut agent =
            Agent { remembered, noise, ..Agent::new(parameters.body, position, velocity) };
        let LaneParameters { body, rules, .. } = parameters;
        let turns = (body.combine, |kind| parameters.turn(kind, table));
        let draws = Draws { seed: flock.seed, tick: flock.tick, ids };
        let mut texts = GroupForces { lanes: texts, parameters, draws, is_for_texts: !PLAIN_FLOCK };
        let scene = (uses, surroundings);
        let near = (spread, sums);
        let force = rules.force(scene, &mut agent, near, &mut texts, turns, |_, _| {});
        let step = like.constant(*time_step);
        let before = velocity;
        let mut velocity = agent.next_velocity(uses, force, step);
        if uses.has(Uses::NOISE) {
            velocity = agent.disturbed(velocity, deviates(simd, draws), step);
        }
        if uses.has(Uses::MAX_TURN) {
            velocity = agent.turned(velocity, step);
        }
        let mut place = position + agent.step_velocity(uses, velocity) * step;
        if uses.has(Uses::JITTER) {
            place = place + jitters(simd, draws) * (body.jitter * step.sqrt());
        }
        let (position, velocity) = flock.world.confine(place, velocity);

        let first = group.agents.start - self.part.agents.start;
        let own = first..first + group.agents.len();
        if remembers {
            let memories = &mut self.out.memory[own.clone()];
            let species = &flock.species[group.agents.clone()];
            let mut shown = [0.0; MAX_LANES];
            sums.neighbours.store(&mut shown[..S::F32_LANES]);
            if uses.has(Uses::ACCELERATIONS) {
                let change = (velocity - before).length();
                let accelerations = shown_of_change(change, parameters, step);
                table.show(species, Shown::Acceleration, accelerations, &mut shown);
            }
            if uses.has(Uses::AGES) {
                let growth = growth_of_age(flock.tick, table.longest_age);
                let mut ages = [0.0; MAX_LANES];
                for (age, memory) in ages.iter_mut().zip(&flock.motion.memory[group.agents.clone()])
                {
                    *age = (memory.shown() + growth) as f32;
                }
                table.show(species, Shown::Age, ages, &mut shown);
            }
            if uses.has(Uses::BANKS) {
                let mut banks = leans_of_change([before, velocity], parameters, step);
                for (bank, memory) in
                    banks.iter_mut().zip(&flock.motion.memory[group.agents.clone()])
                {
                    *bank = leant(memory.shown(), *bank) as f32;
                }
                table.show(species, Shown::Bank, banks, &mut shown);
            }
            if uses.has(Uses::STRUCTURE) {
                let structures = structures(sums.order(parameters.body.max_speed), &shown);
                table.show(species, Shown::Structure, structures, &mut shown);
            }
            remember(table, species, &agent.remembered, &shown, memories);
        }
        for (numbers, next) in self.out.kept.iter_mut().zip(&texts.lanes.next_kept) {
            next.store(&mut numbers[own.clone()]);
        }
        each_axis!(axis => {
            position.0[axis].store(&mut self.out.position[axis][own.clone()]);
            velocity.0[axis].store(&mut self.out.velocity[axis][own.clone()]);
        });
        flock.grid.keys_of(position, &mut self.key[own]);
    }
}

impl<const D: usize> Task<'_, D>
where
    Axes<D>: Space<D>,
{
    /// The memory of the agents of a group, and random numbers for each.
    #[inline(always)]
    fn recalled<S: Simd>(
        &self,
        simd: S,
        agents: Range<usize>,
    ) -> (Remembered<Lanes<S>, D>, Vector<Lanes<S>, D>) {
        let Steer { flock, .. } = self.pass;
        let mut angles = [0.0; MAX_LANES];
        let (mut directions, mut noises) = ([[0.0; MAX_LANES]; D], [[0.0; MAX_LANES]; D]);
        for (lane, agent) in agents.enumerate() {
            let memory = flock.motion.memory[agent];
            angles[lane] = memory.angle();
            let draw = |purpose| random::unit(flock.seed, flock.id[agent], flock.tick, purpose);
            noises[0][lane] = draw(Purpose::Wander);
            if Axes::<D>::REMEMBERS_DIRECTIONS {
                let others = [Purpose::WanderAround, Purpose::WanderHeight];
                for (axis, purpose) in others.into_iter().enumerate() {
                    noises[axis + 1][lane] = draw(purpose);
                }
                for (numbers, component) in directions.iter_mut().zip(memory.direction()) {
                    numbers[lane] = component;
                }
            }
        }
        let vector = |numbers: &[[f32; MAX_LANES]; D]| {
            Vector(per_axis!(axis => Lanes::load(simd, &numbers[axis])))
        };
        let direction = vector(&directions);
        (Remembered { angle: Lanes::load(simd, &angles), direction }, vector(&noises))
    }
}

/// Packs what the agents of a group remember.
#[inline(always)]
fn remember<S: Simd, const D: usize>(
    table: &SpeciesTable,
    species: &[u8],
    remembered: &Remembered<Lanes<S>, D>,
    shown: &[f32; MAX_LANES],
    memories: &mut [Memory],
) where
    Axes<D>: Space<D>,
{
    let mut angles = [0.0; MAX_LANES];
    remembered.angle.store(&mut angles[..S::F32_LANES]);
    for ((memory, angle), shown) in memories.iter_mut().zip(angles).zip(shown) {
        *memory = Memory::new(angle, *shown);
    }
    if !Axes::<D>::REMEMBERS_DIRECTIONS {
        return;
    }
    let mut directions = [[0.0; MAX_LANES]; 3];
    each_axis!(axis => {
        remembered.direction.0[axis].store(&mut directions[axis][..S::F32_LANES]);
    });
    for (lane, (memory, species)) in memories.iter_mut().zip(species).enumerate() {
        if table.remembers_directions(*species) {
            let direction = [0, 1, 2].map(|axis| directions[axis][lane]);
            *memory = Memory::of_direction(direction, shown[lane]);
        }
    }
}
