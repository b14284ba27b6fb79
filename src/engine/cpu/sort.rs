//! The pass `sort`: a parallel, stable counting sort of the agents by grid cell.
//!
//! Stable, so that the order after a tick is a function of the order before it and of the cells,
//! whatever the number of threads: every float sum of the next tick has one order.
//!
//! Each band of rows gathers the agents that now belong to it. Nearly all of them were in it
//! already, in one contiguous run; those that changed bands are listed beforehand, source band by
//! source band. Going through the source bands in ascending order is going through the agents in
//! ascending order, which is what makes the sort stable. No table is larger than the grid.

use std::ops::Range;

use rayon::prelude::*;

use super::bands::Band;
use super::flock::{Identity, Motion, MotionMut, take};
use crate::model::memory::Memory;

/// What one sort reads.
pub struct Unsorted<'a> {
    /// Position and velocity after the step.
    pub motion: &'a Motion,
    /// Species and rows, in the same order.
    pub identity: &'a Identity,
    /// New cell of each agent.
    pub key: &'a [u32],
}

/// What one sort writes.
pub struct Sorted<'a> {
    /// Position and velocity, sorted by cell.
    pub motion: &'a mut Motion,
    /// Species and rows, in the same order.
    pub identity: &'a mut Identity,
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
struct Destination<'a> {
    band: usize,
    first_cell: u32,
    /// Array index of the band's first agent.
    base: u32,
    /// The end of each cell, first used as a histogram, then as a cursor.
    ends: &'a mut [u32],
    motion: MotionMut<'a>,
    species: &'a mut [u8],
    row: &'a mut [u32],
}

/// Sorts. `sources` are contiguous runs of array indices, one for each of `bands`: agents in
/// `sources[b]` that stay in `bands[b]` are not listed one by one.
pub fn sort(bands: &[Band], sources: &[Range<usize>], from: &Unsorted, to: Sorted) {
    let leavers: Vec<Leavers> = sources
        .par_iter()
        .enumerate()
        .map(|(band, source)| Leavers::of(bands, band, source.clone(), from.key))
        .collect();

    let Sorted { motion, identity, start } = to;
    let mut motion = motion.as_mut();
    let mut species = &mut identity.species[..];
    let mut row = &mut identity.row[..];
    start[0] = 0;
    let mut ends = &mut start[1..];
    let mut base = 0;
    let mut destinations = Vec::with_capacity(bands.len());
    for (band, cells) in bands.iter().map(|band| &band.cells).enumerate() {
        let gone = leavers[band].index.len();
        let come: usize = leavers.iter().map(|l| l.to(band).len()).sum();
        let count = sources[band].len() - gone + come;
        destinations.push(Destination {
            band,
            first_cell: cells.start,
            base,
            ends: take(&mut ends, cells.len()),
            motion: motion.take(count),
            species: take(&mut species, count),
            row: take(&mut row, count),
        });
        base += count as u32;
    }
    destinations.into_par_iter().for_each(|destination| {
        let own = sources[destination.band].clone();
        destination.fill(&own, &leavers, from);
    });
}

impl Leavers {
    fn of(bands: &[Band], own: usize, source: Range<usize>, key: &[u32]) -> Self {
        let own_cells = &bands[own].cells;
        let width = own_cells.end - own_cells.start;
        let mut gone: Vec<(u32, u32)> = Vec::new();
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

impl Destination<'_> {
    fn fill(self, own: &Range<usize>, leavers: &[Leavers], from: &Unsorted) {
        let (before, rest) = leavers.split_at(self.band);
        let after = &rest[1..];
        let arrivals = |from: &[Leavers]| -> Vec<u32> {
            from.iter().flat_map(|l| l.to(self.band).iter().copied()).collect()
        };
        let (before, after) = (arrivals(before), arrivals(after));

        self.ends.fill(0);
        for &agent in before.iter().chain(&after) {
            self.ends[(from.key[agent as usize] - self.first_cell) as usize] += 1;
        }
        for &cell in &from.key[own.clone()] {
            if let Some(count) = self.ends.get_mut(cell.wrapping_sub(self.first_cell) as usize) {
                *count += 1;
            }
        }
        // From counts to first free slots, relative to the band.
        let mut next = 0;
        for slot in self.ends.iter_mut() {
            next += std::mem::replace(slot, next);
        }
        let from = Source::of(from);
        let mut to = self.cut();
        for agent in before {
            to.put(agent as usize, &from);
        }
        for agent in own.clone() {
            to.put(agent, &from);
        }
        for agent in after {
            to.put(agent as usize, &from);
        }
        // Each slot has moved on to the end of its cell.
        for slot in to.ends {
            *slot += to.base;
        }
    }

    /// All slices of the same length, known to the compiler: it then checks one index an agent
    /// instead of six.
    #[inline(always)]
    fn cut(self) -> Self {
        let count = self.row.len();
        let MotionMut { x, y, vx, vy, memory } = self.motion;
        Self {
            motion: MotionMut {
                x: &mut x[..count],
                y: &mut y[..count],
                vx: &mut vx[..count],
                vy: &mut vy[..count],
                memory,
            },
            species: &mut self.species[..count],
            row: &mut self.row[..count],
            ..self
        }
    }

    /// Puts an agent behind those of its cell; agents of other bands are passed over.
    #[inline(always)]
    fn put(&mut self, agent: usize, from: &Source) {
        let cell = from.key[agent].wrapping_sub(self.first_cell) as usize;
        let Some(slot) = self.ends.get_mut(cell) else { return };
        let at = *slot as usize;
        *slot += 1;
        self.motion.x[at] = from.x[agent];
        self.motion.y[at] = from.y[agent];
        self.motion.vx[at] = from.vx[agent];
        self.motion.vy[at] = from.vy[agent];
        self.species[at] = from.species[agent];
        self.row[at] = from.row[agent];
        if let Some(memory) = from.memory.get(agent) {
            self.motion.memory[at] = *memory;
        }
    }
}

/// The arrays of an [`Unsorted`], cut like those of a [`Destination`].
struct Source<'a> {
    key: &'a [u32],
    x: &'a [f32],
    y: &'a [f32],
    vx: &'a [f32],
    vy: &'a [f32],
    memory: &'a [Memory],
    species: &'a [u8],
    row: &'a [u32],
}

impl<'a> Source<'a> {
    #[inline(always)]
    fn of(from: &Unsorted<'a>) -> Self {
        let Unsorted { motion, identity, key } = *from;
        let all = ..key.len();
        Self {
            key,
            x: &motion.x[all],
            y: &motion.y[all],
            vx: &motion.vx[all],
            vy: &motion.vy[all],
            memory: &motion.memory,
            species: &identity.species[all],
            row: &identity.row[all],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::cpu::bands;
    use crate::model::grid::Grid;
    use crate::model::random::{Use, bits};
    use crate::model::vector::Point;
    use crate::model::world::{Boundary, World};

    #[test]
    fn it_is_the_stable_sort_for_any_number_of_bands() {
        let world = World { size: Point::new(300.0, 300.0), boundary: Boundary::Open };
        for count in [0_usize, 1, 63, 64, 65, 5000, 70_000] {
            let grid = Grid::new(&world, 10.0, count.max(1));
            let cells = grid.cells() as u32;
            for crowd in [cells, 3, 1] {
                let key: Vec<u32> =
                    (0..count as u32).map(|i| bits(1, i, 0, Use::SpawnX) % crowd).collect();
                let mut expected: Vec<u32> = (0..count as u32).collect();
                expected.sort_by_key(|i| key[*i as usize]);
                // Bands by an even spread: what the sort is given need not fit the keys.
                let spread: Vec<u32> =
                    (0..=cells).map(|c| (c as usize * count / cells as usize) as u32).collect();
                for threads in [1, 2, 7] {
                    let bands = bands::divide(&grid, &spread, threads);
                    let sources: Vec<_> = bands.iter().map(|band| band.agents.clone()).collect();
                    let nowhere = vec![Point::ZERO; count];
                    let motion = Motion::of(&nowhere, &nowhere, Vec::new());
                    let identity =
                        Identity::of(&vec![0; count], &(0..count as u32).collect::<Vec<_>>());
                    let from = Unsorted { motion: &motion, identity: &identity, key: &key };
                    let (mut sorted, mut who) = (motion.clone(), identity.clone());
                    let mut start = vec![7; cells as usize + 1];
                    let to = Sorted { motion: &mut sorted, identity: &mut who, start: &mut start };
                    sort(&bands, &sources, &from, to);
                    assert_eq!(who.row, expected);
                    for cell in 0..cells {
                        let first = expected.partition_point(|i| key[*i as usize] < cell);
                        assert_eq!(start[cell as usize] as usize, first);
                    }
                    assert_eq!(start[cells as usize] as usize, count);
                }
            }
        }
    }
}
