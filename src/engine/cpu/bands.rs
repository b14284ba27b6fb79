//! Bands: runs of grid rows that one task works on.
//!
//! A band is the unit of parallel work. No result depends on where one band ends and the next
//! begins, so their number may follow the number of threads.

use std::ops::Range;

use flockwork_model::grid::Window;
use flockwork_model::real::MAX_LANES;

/// Bands for each thread: so many that a thread with a crowd does not keep the others waiting, and so
/// few that the cost of starting a band does not matter.
const PER_THREAD: usize = 8;

/// A band holds at least this much work, in agents: some tens of microseconds.
const MIN_WORK: usize = 1024;

/// An empty cell costs this fraction of an agent (its place in the table is read and written).
const CELLS_PER_WORK: usize = 16;

/// Agents whose cells show where a new grid has many.
const SAMPLED: usize = 1 << 15;

/// A run of rows and the agents in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// Rows of the grid.
    pub rows: Range<u32>,
    /// The cells of those rows.
    pub cells: Range<u32>,
    /// Array indices of the agents in them.
    pub agents: Range<usize>,
}

/// Divides the own rows of a window into bands of about equal work for `threads` threads. `start` is the
/// table of [`super::sort`].
pub fn divide(window: &Window, start: &[u32], threads: usize) -> Vec<Band> {
    let columns = window.columns as usize;
    divide_rows(window, |row| start[row * columns] as usize, threads)
}

/// The same for a flock that is not sorted by this window yet. Agents that were sorted by another grid of
/// the same world are nearly all in the band that their array index belongs to.
pub fn divide_unsorted(window: &Window, key: &[u32], threads: usize) -> Vec<Band> {
    let rows = window.own_rows() as usize;
    let rows_per_cell = 1.0 / window.columns as f32;
    let step = (key.len() / SAMPLED).max(1);
    let mut first = vec![0; rows + 1];
    for key in key.iter().step_by(step) {
        // Rounding may count an agent in the next row.
        let row = (*key as f32 * rows_per_cell) as usize;
        first[(row + 1).min(rows)] += step;
    }
    for row in 0..rows {
        first[row + 1] = (first[row] + first[row + 1]).min(key.len());
    }
    first[rows] = key.len();
    divide_rows(window, |row| first[row], threads)
}

/// `at` is the array index of the first agent of a row.
fn divide_rows(window: &Window, at: impl Fn(usize) -> usize, threads: usize) -> Vec<Band> {
    let columns = window.columns as usize;
    let work = |first: usize, end: usize| {
        at(end) - at(first) + (end - first) * columns.div_ceil(CELLS_PER_WORK)
    };
    let rows = window.own_rows() as usize;
    let wanted = if threads == 1 { 1 } else { threads * PER_THREAD };
    let share = (work(0, rows) / wanted).max(MIN_WORK);

    let mut bands = Vec::with_capacity(wanted + 1);
    let mut first = 0;
    for row in 0..rows {
        if row + 1 == rows || work(first, row + 1) >= share {
            bands.push(Band {
                rows: first as u32..row as u32 + 1,
                cells: (first * columns) as u32..((row + 1) * columns) as u32,
                agents: at(first)..at(row + 1),
            });
            first = row + 1;
        }
    }
    bands
}

/// Part of a band that one thread steers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its agents are in some of these rows of the grid.
    pub rows: Range<u32>,
    /// Array indices.
    pub agents: Range<usize>,
}

/// The bands in parts of about equal work for `threads` threads. A single row may hold the whole flock,
/// and steering, unlike sorting, can split a row.
pub fn parts(bands: &[Band], threads: usize) -> Vec<Part> {
    let all = bands.last().map_or(0, |band| band.agents.end);
    let wanted = if threads == 1 { 1 } else { threads * PER_THREAD };
    // A multiple of the widest group: only the last group of a row is smaller.
    let most = (all / wanted).max(MIN_WORK).next_multiple_of(MAX_LANES);
    let parts_of = |band: &Band| {
        let Band { rows, agents, .. } = band.clone();
        // A band is a little longer than its share: cut there, it would leave a tiny part.
        let step = if agents.len() > 2 * most { most } else { agents.len().max(1) };
        let starts = agents.clone().step_by(step);
        starts.map(move |start| Part {
            rows: rows.clone(),
            agents: start..(start + step).min(agents.end),
        })
    };
    bands.iter().flat_map(parts_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::grid::Grid;
    use flockwork_model::vector::flat;
    use flockwork_model::world::{Boundary, World};

    #[test]
    fn bands_and_their_parts_cover_every_row_and_agent_once() {
        let world = World { size: flat(1000.0, 1000.0), boundary: Boundary::Wrap };
        let grid = Grid::<2>::new(&world, 10.0, 100_000);
        let cells = grid.cells() as u32;
        let cases = [0, 100_000].into_iter().flat_map(|crowd| [1, 2, 7].map(|n| (crowd, n)));
        for (crowd, threads) in cases {
            // The crowd is in the last row.
            let extra = |cell: u32| if cell + 1 >= cells { crowd } else { 0 };
            let start: Vec<u32> = (0..=cells).map(|cell| cell * 10 + extra(cell)).collect();
            let all = *start.last().unwrap() as usize;
            let bands = divide(&Window::whole(&grid), &start, threads);
            assert_eq!((bands[0].rows.start, bands[0].agents.start), (0, 0));
            let last = bands.last().unwrap();
            assert_eq!((last.rows.end, last.agents.end), (grid.rows(), all));
            for pair in bands.windows(2) {
                assert_eq!(pair[0].rows.end, pair[1].rows.start);
                assert_eq!(pair[0].cells.end, pair[1].cells.start);
                assert_eq!(pair[0].agents.end, pair[1].agents.start);
            }
            assert!(threads == 1 || crowd > 0 || bands.len() >= threads * PER_THREAD / 2);

            let parts = parts(&bands, threads);
            assert_eq!(parts[0].agents.start, 0);
            assert_eq!(parts.last().unwrap().agents.end, all);
            assert!(parts.windows(2).all(|pair| pair[0].agents.end == pair[1].agents.start));
            for part in &parts {
                let row = |agent: usize| {
                    let cell = start.partition_point(|first| *first as usize <= agent) - 1;
                    cell as u32 / grid.columns()
                };
                let Range { start, end } = part.agents;
                assert!(part.rows.contains(&row(start)) && part.rows.contains(&row(end - 1)));
                // None is much longer than a thread's share of it.
                let share = all / if threads == 1 { 1 } else { threads * PER_THREAD };
                assert!(part.agents.len() <= 2 * share.max(MIN_WORK) + MAX_LANES);
            }
        }
    }
}
