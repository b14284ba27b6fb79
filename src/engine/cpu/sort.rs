//! The pass `sort`: a parallel sort of the agents by grid cell, and within a cell by id.
//!
//! The order is a function of the state alone, whatever the order before it and whatever the number
//! of threads: every float sum of the next tick has one order, also in a run that goes on from a
//! saved state.
//!
//! It is a counting sort by cell. Each band of grid rows gathers the agents that now belong to it.
//! Nearly all of them were in it already, in one contiguous run; those that changed bands are listed
//! beforehand, source band by source band. No table is larger than the grid.
//!
//! First only the ids are brought into order, together with the index that each agent had before.
//! Everything else is gathered afterwards, component by component, by these indices: a loop over all
//! arrays at once would need more pointers than a processor has registers.
//!
//! An agent that comes to its cell with a smaller id than the last one there is moved further up. That
//! is rare: the agents come in the order before, and those that stay in their cell are in order. Large
//! cells are sorted afterwards.

use std::ops::Range;

use rayon::prelude::*;

use super::bands::Band;
use super::cell_order::CellOrder;
use super::flock::{Identity, Motion, MotionMut, take};
use flockwork_model::vector::each_axis;

pub struct Unsorted<'a, const D: usize> {
    /// Position and velocity after the step.
    pub motion: &'a Motion<D>,
    /// Species and ids, in the same order.
    pub identity: &'a Identity,
    /// New cell of each agent, by its number in the window.
    pub key: &'a [u32],
}

pub struct Sorted<'a, const D: usize> {
    /// Position and velocity, sorted by cell and id.
    pub motion: &'a mut Motion<D>,
    /// Species and ids, in the same order.
    pub identity: &'a mut Identity,
    /// The index of each agent in [`Unsorted`].
    pub source: &'a mut [u32],
    /// Index of the first agent of each cell, and the number of agents at the end.
    pub start: &'a mut [u32],
}

/// The agents of one source that leave it for another band.
struct Leavers {
    /// Array indices, by destination band, ascending within each.
    index: Vec<u32>,
    /// Where in `index` each destination begins, and the end.
    first: Vec<u32>,
}

/// The part of the arrays that one destination band writes.
struct Destination<'a, const D: usize> {
    band: usize,
    first_cell: u32,
    /// Array index of the band's first agent.
    base: u32,
    /// First the number of agents of each cell, then the index of its first agent.
    begins: &'a mut [u32],
    motion: MotionMut<'a, D>,
    species: &'a mut [u8],
    id: &'a mut [u32],
    source: &'a mut [u32],
}

/// Sorts. Agents of a band that stay in it are not listed one by one.
pub fn sort<const D: usize>(bands: &[Band], from: &Unsorted<D>, to: Sorted<D>) {
    let own = 0..bands.len();
    let leavers: Vec<Leavers> =
        own.into_par_iter().map(|band| Leavers::of(bands, band, from.key)).collect();

    let Sorted { motion, identity, mut source, start } = to;
    let mut motion = motion.as_mut();
    let mut species = &mut identity.species[..];
    let mut id = &mut identity.id[..];
    let (mut begins, end) = start.split_at_mut(start.len() - 1);
    end[0] = from.key.len() as u32;
    let mut base = 0;
    let mut destinations = Vec::with_capacity(bands.len());
    for (band, Band { cells, agents, .. }) in bands.iter().enumerate() {
        let gone = leavers[band].index.len();
        let come: usize = leavers.iter().map(|l| l.to(band).len()).sum();
        let count = agents.len() - gone + come;
        destinations.push(Destination {
            band,
            first_cell: cells.start,
            base,
            begins: take(&mut begins, cells.len()),
            motion: motion.take(count),
            species: take(&mut species, count),
            id: take(&mut id, count),
            source: take(&mut source, count),
        });
        base += count as u32;
    }
    destinations.into_par_iter().for_each(|destination| {
        let own = &bands[destination.band].agents;
        destination.fill(own, &leavers, from);
    });
}

impl Leavers {
    fn of(bands: &[Band], own: usize, key: &[u32]) -> Self {
        let Band { cells: own_cells, agents, .. } = &bands[own];
        let width = own_cells.end - own_cells.start;
        let mut gone: Vec<(u32, u32)> = Vec::new();
        // No agent can leave a single band.
        let source = if bands.len() == 1 { 0..0 } else { agents.clone() };
        for (index, &cell) in source.clone().zip(&key[source]) {
            // One comparison for both ends: below the first cell the difference wraps round.
            if cell.wrapping_sub(own_cells.start) >= width {
                let band = bands.partition_point(|band| band.cells.end <= cell);
                gone.push((band as u32, index as u32));
            }
        }
        let mut first = vec![0_u32; bands.len() + 1];
        for (band, _) in &gone {
            first[*band as usize + 1] += 1;
        }
        for band in 0..bands.len() {
            first[band + 1] += first[band];
        }
        let mut cursor = first.clone();
        let mut index = vec![0; gone.len()];
        for (band, agent) in gone {
            let slot = &mut cursor[band as usize];
            index[*slot as usize] = agent;
            *slot += 1;
        }
        Self { index, first }
    }

    /// The agents that leave for `band`.
    fn to(&self, band: usize) -> &[u32] {
        &self.index[self.first[band] as usize..self.first[band + 1] as usize]
    }
}

impl<const D: usize> Destination<'_, D> {
    fn fill(mut self, own: &Range<usize>, leavers: &[Leavers], from: &Unsorted<D>) {
        let (before, rest) = leavers.split_at(self.band);
        let after = &rest[1..];
        let arrivals = |from: &[Leavers]| -> Vec<u32> {
            from.iter().flat_map(|l| l.to(self.band).iter().copied()).collect()
        };
        let (before, after) = (arrivals(before), arrivals(after));

        self.begins.fill(0);
        for &agent in before.iter().chain(&after) {
            self.begins[(from.key[agent as usize] - self.first_cell) as usize] += 1;
        }
        for &cell in &from.key[own.clone()] {
            if let Some(count) = self.begins.get_mut(cell.wrapping_sub(self.first_cell) as usize) {
                *count += 1;
            }
        }
        // From counts to begins, relative to the band.
        let mut next = 0;
        for slot in self.begins.iter_mut() {
            next += std::mem::replace(slot, next);
        }
        let mut large = self.order(&before, own.clone(), &after, from);
        large.sort_unstable();
        large.dedup();
        for cell in large {
            let members = self.members(cell);
            self.order_large_cell(members);
        }
        self.gather(from);
        for begin in self.begins {
            *begin += self.base;
        }
    }

    /// Brings `id` and `source` into order. Returns the large cells that are not in order, some more
    /// than once.
    fn order(
        &mut self,
        before: &[u32],
        own: Range<usize>,
        after: &[u32],
        from: &Unsorted<D>,
    ) -> Vec<usize> {
        let mut cursor = self.begins.to_vec();
        let mut cells = CellOrder {
            begins: self.begins,
            cursor: &mut cursor,
            id: self.id,
            source: self.source,
            large: Vec::new(),
        };
        let ids = &from.identity.id;
        let arrive = |cells: &mut CellOrder, agents: &[u32]| {
            for &agent in agents {
                let cell = from.key[agent as usize] - self.first_cell;
                cells.put_all(&[cell], &[ids[agent as usize]], 0, agent);
            }
        };
        arrive(&mut cells, before);
        let (keys, ids) = (&from.key[own.clone()], &ids[own.clone()]);
        cells.put_all(keys, ids, self.first_cell, own.start as u32);
        arrive(&mut cells, after);
        cells.large
    }

    /// Where the members of a cell go.
    fn members(&self, cell: usize) -> Range<usize> {
        let end = self.begins.get(cell + 1).map_or(self.id.len(), |end| *end as usize);
        self.begins[cell] as usize..end
    }

    /// Sorts the members of a cell by their ids.
    fn order_large_cell(&mut self, cell: Range<usize>) {
        // Row above, index before below. The library's stable sort uses ascending runs: the members
        // come in one for each cell that they were in.
        let (ids, sources) = (&mut self.id[cell.clone()], &mut self.source[cell]);
        let pairs = ids.iter().zip(sources.iter());
        let mut keys: Vec<u64> =
            pairs.map(|(id, source)| u64::from(*id) << 32 | u64::from(*source)).collect();
        keys.sort();
        for ((id, source), key) in ids.iter_mut().zip(sources).zip(keys) {
            (*id, *source) = ((key >> 32) as u32, key as u32);
        }
    }

    /// Fills everything but the ids.
    ///
    /// A separate function, so that the compiler keeps the slices in registers.
    #[inline(never)]
    fn gather(&mut self, from: &Unsorted<D>) {
        let Self { motion, species, source, .. } = self;
        // Slices of equal lengths: one check an agent instead of one for each component.
        let (to, all) = (..source.len(), ..from.key.len());
        let position = motion.position.each_mut().map(|component| &mut component[to]);
        let velocity = motion.velocity.each_mut().map(|component| &mut component[to]);
        let from_position = from.motion.position.each_ref().map(|component| &component[all]);
        let from_velocity = from.motion.velocity.each_ref().map(|component| &component[all]);
        let (species, from_species) = (&mut species[to], &from.identity.species[all]);
        for (at, index) in source.iter().enumerate() {
            let index = *index as usize;
            each_axis!(axis => {
                position[axis][at] = from_position[axis][index];
                velocity[axis][at] = from_velocity[axis][index];
            });
            species[at] = from_species[index];
        }
        for (to, index) in motion.memory.iter_mut().zip(source.iter()) {
            *to = from.motion.memory[*index as usize];
        }
        for (to, from) in motion.kept.iter_mut().zip(&from.motion.kept) {
            to.iter_mut().zip(source.iter()).for_each(|(to, index)| *to = from[*index as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::bands;
    use flockwork_model::grid::{Grid, Window};
    use flockwork_model::memory::Memory;
    use flockwork_model::random::{Purpose, bits};
    use flockwork_model::state::FlockState;
    use flockwork_model::vector::Point;
    use flockwork_model::vector::flat;
    use flockwork_model::world::{Boundary, World};

    /// Agents with these ids, in this order; everything else about them follows from the id.
    fn agents(ids: &[u32]) -> (Motion<2>, Identity) {
        let point = |id: &u32, factor: f32| flat(*id as f32, factor * *id as f32);
        let position: Vec<Point> = ids.iter().map(|id| point(id, -1.0)).collect();
        let velocity: Vec<Point> = ids.iter().map(|id| point(id, 0.5)).collect();
        let memory = ids.iter().map(|id| Memory(id + 1)).collect();
        let species = ids.iter().map(|id| *id as u8).collect();
        let agents = FlockState { position, velocity, ..FlockState::default() };
        (Motion::of(&agents, memory, &[], 0), Identity { species, id: ids.to_vec() })
    }

    #[test]
    fn agents_are_sorted_by_cell_and_id_for_any_number_of_bands_and_any_order_before() {
        let world = World { size: flat(300.0, 300.0), boundary: Boundary::Open };
        for count in [0_usize, 1, 63, 64, 65, 5000, 65_537] {
            let grid = Grid::<2>::new(&world, 10.0, count.max(1));
            let cells = grid.cells() as u32;
            let all = 0..count as u32;
            let mut shuffled: Vec<u32> = all.clone().collect();
            shuffled.sort_by_key(|id| bits(2, *id, 0, Purpose::SpawnX));
            // Few agents change places from one tick to the next; in a new flock, none has any.
            let runs: Vec<u32> = all.clone().filter(|id| id % 5 > 0).collect();
            let runs = [runs, all.clone().filter(|id| id % 5 == 0).collect()].concat();
            for before in [all.collect(), runs, shuffled] {
                let (motion, identity) = agents(&before);
                for crowd in [cells, 3, 1] {
                    // The cell of each agent, by its id.
                    let cell = |id: u32| bits(1, id, 0, Purpose::SpawnX) % crowd;
                    let key: Vec<u32> = before.iter().map(|id| cell(*id)).collect();
                    let mut ids: Vec<u32> = (0..count as u32).collect();
                    ids.sort_by_key(|id| (cell(*id), *id));
                    let expected = agents(&ids);
                    // Bands by an even spread: what the sort is given need not fit the keys.
                    let spread: Vec<u32> = (0..=cells)
                        .map(|c| (u64::from(c) * count as u64 / u64::from(cells)) as u32)
                        .collect();
                    for threads in [1, 2, 7] {
                        let bands = bands::divide(&Window::whole(&grid), &spread, threads);
                        let from = Unsorted { motion: &motion, identity: &identity, key: &key };
                        let (mut sorted, mut identities) = agents(&vec![0; count]);
                        let mut start = vec![7; cells as usize + 1];
                        let to = Sorted {
                            motion: &mut sorted,
                            identity: &mut identities,
                            source: &mut vec![0; count],
                            start: &mut start,
                        };
                        sort(&bands, &from, to);
                        assert_eq!(identities.id, expected.1.id);
                        assert!(identities.species == expected.1.species && sorted == expected.0);
                        for cell_index in 0..cells {
                            let first = ids.partition_point(|id| cell(*id) < cell_index);
                            assert_eq!(start[cell_index as usize] as usize, first);
                        }
                        assert_eq!(start[cells as usize] as usize, count);
                    }
                }
            }
        }
    }
}
