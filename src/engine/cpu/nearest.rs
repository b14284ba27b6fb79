//! The chosen neighbours of a group of agents, for behaviours with `nearest` or `pick`.
//!
//! A choice finds how far away the last of the nearest ones is, in each lane. Then the neighbour loop finds
//! them by that smaller radius. Where one neighbour is drawn, the loop finds it by its id.

use std::ops::Range;

use pulp::Simd;

use super::around::Around;
use super::group::share_of;
use super::lane_parameters::{Choice, LaneParameters, OfChoice};
use flockwork_model::behaviours::{Kind, Uses};
use flockwork_model::formula::Formula;
use flockwork_model::grid::NearRow;
use flockwork_model::parameter::PICK_ONE;
use flockwork_model::random::{self, Purpose, place_in_order};
use flockwork_model::real::{Lanes, MAX_LANES, Mask, Real, apart};
use flockwork_model::vector::{Axes, Space, Vector, per_axis};

/// Places for the smallest distances: one more than there are to choose, to notice that another agent is as far
/// away as the last one.
const FEW: usize = Uses::MAX_FEW as usize + 1;
const MANY: usize = flockwork_model::parameter::MAX_NEAREST as usize + 1;

/// In place of the id of a single neighbour.
const EVERYBODY: u32 = u32::MAX;

/// How far a choice reaches, in each lane.
#[derive(Clone, Copy)]
pub struct Reach<S: Simd> {
    /// Nearer agents are chosen; squared.
    pub squared: Lanes<S>,
    /// The squared distance of the last one.
    last: Lanes<S>,
    /// Of those as far away as the last one, agents with larger ids are not chosen.
    last_id: [u32; MAX_LANES],
    /// The id of the only one, or [`EVERYBODY`].
    only: [u32; MAX_LANES],
    /// True if ids decide in a lane.
    pub by_ids: bool,
}

impl<S: Simd> Reach<S> {
    pub fn everywhere(simd: S) -> Self {
        let far = Lanes::splat(simd, f32::INFINITY);
        let all = [EVERYBODY; MAX_LANES];
        Self { squared: far, last: far, last_id: all, only: all, by_ids: false }
    }

    /// 1 in the lanes that choose agent `id` at this distance, if it is in reach; else 0.
    pub fn takes(&self, simd: S, squared: Lanes<S>, id: u32) -> Lanes<S> {
        let is_meant = |only: u32| only == EVERYBODY || only == id;
        let meant = self.only.map(|only| f32::from(u8::from(is_meant(only))));
        let takes = self.last_id.map(|last| f32::from(u8::from(id <= last)));
        let (meant, takes) = (Lanes::load(simd, &meant), Lanes::load(simd, &takes));
        meant * takes.where_or(squared.equals(self.last), Lanes::splat(simd, 1.0))
    }
}

/// The choices of a group.
pub struct Nearest<'a, S: Simd> {
    choices: &'a [Choice],
    /// The reach of each.
    reaches: Vec<Reach<S>>,
    /// True if ids decide for a built-in behaviour.
    pub by_ids: bool,
}

impl<'a, S: Simd> Nearest<'a, S> {
    /// For a scene with these choices, before any group.
    pub fn new(simd: S, choices: &'a [Choice]) -> Self {
        let reaches = choices.iter().map(|_| Reach::everywhere(simd)).collect();
        Self { choices, reaches, by_ids: false }
    }

    /// The built-in behaviours that choose, each with its reach.
    #[inline(always)]
    pub fn built_in(&self) -> impl Iterator<Item = (usize, &Reach<S>)> {
        let each = self.choices.iter().zip(&self.reaches);
        let each =
            each.flat_map(|(choice, reach)| choice.kinds.iter().map(move |kind| (kind, reach)));
        each.filter(|(kind, _)| kind.formula().is_none())
            .map(|(kind, reach)| (kind.number(), reach))
    }

    /// The reach of a rule in text, if it chooses.
    pub fn of_rule(&self, formula: &'static Formula) -> Option<&Reach<S>> {
        let chooses = |choice: &Choice| choice.kinds.contains(&Kind::Formula(formula));
        self.choices.iter().zip(&self.reaches).find(|(own, _)| chooses(own)).map(|(_, reach)| reach)
    }

    /// Chooses for the agents of a group. `rows` are those that may have neighbours.
    pub fn choose<const D: usize>(
        &mut self,
        around: Around<S, D>,
        parameters: &LaneParameters<S>,
        several_species: bool,
        rows: &[NearRow<D>],
    ) where
        Axes<D>: Space<D>,
    {
        let many = around.flock.uses.has(Uses::MANY_NEAREST);
        for (choice, reach) in self.choices.iter().zip(&mut self.reaches) {
            let candidates = Candidates {
                around,
                parameters,
                rows,
                choice,
                round: around.reaches_round_the_world(),
                several_species,
            };
            *reach = match many {
                true => candidates.reach::<MANY>(),
                false => candidates.reach::<FEW>(),
            };
        }
        let by_ids = self.built_in().any(|(_, reach)| reach.by_ids);
        self.by_ids = by_ids;
    }
}

/// The agents among which a group chooses.
struct Candidates<'a, S: Simd, const D: usize> {
    around: Around<'a, S, D>,
    parameters: &'a LaneParameters<S>,
    rows: &'a [NearRow<D>],
    choice: &'a Choice,
    /// True if the side of the seam must be found for each candidate.
    round: bool,
    several_species: bool,
}

/// The use of each candidate. (A trait, because closures are compiled without the instructions of `S`.)
trait Take<S: Simd> {
    /// `squared` is its squared distance; infinity in lanes that do not perceive it.
    fn take(&mut self, squared: Lanes<S>, member: usize);
}

/// The smallest squared distances, in ascending order.
struct Ranking<S: Simd, const PLACES: usize> {
    simd: S,
    places: [Lanes<S>; PLACES],
}

impl<S: Simd, const PLACES: usize> Take<S> for Ranking<S, PLACES> {
    #[inline(always)]
    fn take(&mut self, squared: Lanes<S>, _: usize) {
        // No distance is NaN here: then these are one instruction each. No place waits for another one.
        let Self { simd, places } = self;
        for place in (0..PLACES).rev() {
            let mut value = squared.value;
            if place > 0 {
                value = simd.max_f32s(value, places[place - 1].value);
            }
            places[place] = Lanes::new(*simd, simd.min_f32s(value, places[place].value));
        }
    }
}

/// The ids at a distance, for each lane.
struct Tied<'a, S: Simd> {
    squared: Lanes<S>,
    id: &'a [u32],
    ids: [Vec<u32>; MAX_LANES],
}

impl<S: Simd> Take<S> for Tied<'_, S> {
    #[inline(always)]
    fn take(&mut self, squared: Lanes<S>, member: usize) {
        let own = squared.numbers().iter().zip(self.squared.numbers());
        for (ids, (squared, wanted)) in self.ids.iter_mut().zip(own) {
            if squared == wanted {
                ids.push(self.id[member]);
            }
        }
    }
}

/// The first in the order that each lane has drawn.
struct Picking<'a> {
    id: &'a [u32],
    order: [u32; MAX_LANES],
    place: [u32; MAX_LANES],
    first: [u32; MAX_LANES],
}

impl<S: Simd> Take<S> for Picking<'_> {
    #[inline(always)]
    fn take(&mut self, squared: Lanes<S>, member: usize) {
        let id = self.id[member];
        for (lane, squared) in squared.numbers().iter().enumerate() {
            let place = place_in_order(self.order[lane], id);
            let is_first = *squared < f32::INFINITY && place < self.place[lane];
            self.place[lane] = if is_first { place } else { self.place[lane] };
            self.first[lane] = if is_first { id } else { self.first[lane] };
        }
    }
}

impl<S: Simd, const D: usize> Candidates<'_, S, D>
where
    Axes<D>: Space<D>,
{
    /// The reach of the choice in each lane.
    fn reach<const PLACES: usize>(&self) -> Reach<S> {
        // Once for all kernels.
        let (like, candidates) = (self.parameters.body.mass, self);
        apart!(
            <'w, 'a; S: Simd; D: usize, PLACES: usize>
            where Axes<D>: Space<D>,
            like,
            |candidates: &'w Candidates<'a, S, D>| -> Reach<S> { candidates.reach_here::<PLACES>() }
        )
    }

    #[inline(always)]
    fn reach_here<const PLACES: usize>(&self) -> Reach<S> {
        let simd = self.around.simd;
        let number = |number: f32| Lanes::splat(simd, number);
        let (far, nobody) = (number(f32::INFINITY), number(-1.0));
        let wanted = self.parameters.of_choice(self.choice).count;
        let picks = wanted.equals(number(PICK_ONE));
        let count = number(0.0).where_or(picks, wanted);
        let mut ranking = Ranking { simd, places: [far; PLACES] };
        if number(0.0).less_than(count).any() {
            self.show_all(&mut ranking);
        }
        // The last one that is chosen, and the one after it; infinity if there are fewer.
        let (mut last, mut next) = (far, far);
        for (index, place) in ranking.places.into_iter().enumerate() {
            last = place.where_or(count.equals(number(index as f32 + 1.0)), last);
            next = place.where_or(count.equals(number(index as f32)), next);
        }
        // The next larger number, so that the last one is nearer.
        let mut above = [0.0; MAX_LANES];
        for (above, last) in above.iter_mut().zip(last.numbers()) {
            *above = last.next_up();
        }
        let mut reach = Reach { squared: Lanes::load(simd, &above), ..Reach::everywhere(simd) };
        let tied = nobody.where_or(last.equals(far), last).equals(next);
        if tied.any() {
            reach.last = last.where_or(tied, nobody);
            reach.by_ids = true;
            let mut left = count;
            for place in ranking.places {
                left = (left - number(1.0)).where_or(place.less_than(last), left);
            }
            self.break_ties(&mut reach, left.numbers());
        }
        if picks.any() {
            reach.by_ids = true;
            self.pick(&mut reach, wanted.numbers());
        }
        reach
    }

    /// Draws one neighbour in the lanes that want it.
    #[inline(always)]
    fn pick(&self, reach: &mut Reach<S>, wanted: &[f32]) {
        let Around { flock, group, .. } = self.around;
        let mut order = [0; MAX_LANES];
        for (order, id) in order.iter_mut().zip(&flock.id[group.agents.clone()]) {
            *order = random::bits(flock.seed, *id, flock.tick, Purpose::Pick);
        }
        let nobody = [EVERYBODY; MAX_LANES];
        let mut picking =
            Picking { id: flock.id, order, place: [u32::MAX; MAX_LANES], first: nobody };
        self.show_all(&mut picking);
        for ((only, first), wanted) in reach.only.iter_mut().zip(picking.first).zip(wanted) {
            if *wanted == PICK_ONE {
                *only = first;
            }
        }
    }

    /// Finds the last id of those that are as far away as the last agent: `left` of them are chosen.
    #[cold]
    #[inline(never)]
    fn break_ties(&self, reach: &mut Reach<S>, left: &[f32]) {
        let id = self.around.flock.id;
        let mut tied = Tied { squared: reach.last, id, ids: Default::default() };
        self.show_all(&mut tied);
        for ((ids, left), last) in tied.ids.iter_mut().zip(left).zip(&mut reach.last_id) {
            ids.sort_unstable();
            *last = ids.get((*left as usize).wrapping_sub(1)).copied().unwrap_or(u32::MAX);
        }
    }

    /// Shows every candidate to `taker`.
    #[inline(always)]
    fn show_all(&self, taker: &mut impl Take<S>) {
        for near in self.rows {
            for (run, side) in self.around.runs(near) {
                let from = self.around.seen_from(near, side);
                if self.round {
                    self.show::<true>(run, from, taker);
                } else {
                    self.show::<false>(run, from, taker);
                }
            }
        }
    }

    #[inline(always)]
    fn show<const ROUND: bool>(
        &self,
        run: Range<usize>,
        from: Vector<Lanes<S>, D>,
        taker: &mut impl Take<S>,
    ) {
        let Around { simd, flock, group } = self.around;
        let (zero, far) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, f32::INFINITY));
        let OfChoice { edge, squared_radius, .. } = self.parameters.of_choice(self.choice);
        let has_own = run.start < group.agents.end && group.agents.start < run.end;
        let places = per_axis!(axis => &flock.motion.position[axis][run.clone()]);
        for (index, member) in run.enumerate() {
            let place = Vector(per_axis!(axis => Lanes::splat(simd, places[axis][index])));
            let offset = self.around.offset(place, from, ROUND);
            let squared = offset.dot(offset);
            let mut seen = squared.less_than(squared_radius);
            if has_own {
                seen = seen & zero.less_than(share_of(simd, member, &group.agents));
            }
            if self.several_species {
                let chosen = self.parameters.chooses(self.choice, flock.species[member]);
                seen = seen & zero.less_than(chosen);
            }
            let mut within = squared.where_or(seen, far);
            if flock.uses.has(Uses::SIGHT) {
                let outside = group.heading.dot(offset).less_than(edge * squared.sqrt());
                within = far.where_or(outside, within);
            }
            taker.take(within, member);
        }
    }
}
