//! The agents of a new flock, sorted by cell.

use rayon::prelude::*;

use super::row::{MotionLayout, MotionRow, Tag};
use flockwork_model::grid::Grid;
use flockwork_model::memory::Memory;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::components;

/// The agents in the order of the passes.
pub struct SortedAgents {
    /// Position and velocity, in the layout of the world.
    pub state: Vec<MotionRow>,
    /// Species and id.
    pub tag: Vec<Tag>,
    /// Index of the first agent of each cell; the number of agents at the end.
    pub cell_start: Vec<u32>,
    /// Empty in scenes without memory.
    pub memory: Vec<Memory>,
}

/// Agents per chunk, and about as many per band of cells, that one thread sorts at a time.
const SORTED_AT_ONCE: usize = 1 << 17;

/// The output of a band of cells: a slice of every array.
struct CellBand<'a> {
    first_cell: usize,
    /// Agents before the band.
    before: usize,
    start: &'a mut [u32],
    state: &'a mut [MotionRow],
    tag: &'a mut [Tag],
    memory: &'a mut [Memory],
}

/// Sorts the agents by cell, and within a cell by row.
///
/// Threads first distribute chunks of rows to bands of cells, then sort the bands. The result does
/// not depend on the number of threads.
#[must_use]
pub fn sorted_agents<const D: usize>(
    grid: &Grid<D>,
    scene: &Scene,
    state: &FlockState,
) -> SortedAgents {
    let (cells, agents) = (grid.cells(), state.len());
    let bands = agents.div_ceil(SORTED_AT_ONCE).clamp(1, cells);
    let cells_per_band = cells.div_ceil(bands);
    let bands = cells.div_ceil(cells_per_band);
    // Cell and row of the agents of each chunk, band by band.
    let dealt: Vec<Vec<Vec<(u32, u32)>>> = state
        .position
        .par_chunks(SORTED_AT_ONCE)
        .enumerate()
        .map(|(chunk, positions)| {
            let mut hands = vec![Vec::new(); bands];
            for (row, position) in positions.iter().enumerate() {
                let key = grid.key_of(components(*position));
                let row = (chunk * SORTED_AT_ONCE + row) as u32;
                hands[key as usize / cells_per_band].push((key, row));
            }
            hands
        })
        .collect();

    let layout = MotionLayout::of(&scene.world);
    let memory = scene.memory_of(state);
    let mut sorted = SortedAgents {
        state: vec![MotionRow::default(); agents * layout.rows()],
        tag: vec![Tag::default(); agents],
        cell_start: vec![0; cells + 1],
        memory: vec![Memory::default(); memory.len()],
    };
    sorted.cell_start[cells] = agents as u32;
    let mut places = Vec::with_capacity(bands);
    let mut before = 0;
    let (mut states, mut tags) = (&mut sorted.state[..], &mut sorted.tag[..]);
    let (mut memories, mut starts) = (&mut sorted.memory[..], &mut sorted.cell_start[..cells]);
    for number in 0..bands {
        let members: usize = dealt.iter().map(|hands| hands[number].len()).sum();
        places.push(CellBand {
            first_cell: number * cells_per_band,
            before,
            start: split(&mut starts, cells_per_band),
            state: split(&mut states, members * layout.rows()),
            tag: split(&mut tags, members),
            memory: split(&mut memories, members),
        });
        before += members;
    }
    places.into_par_iter().enumerate().for_each(|(number, band)| {
        let members = || dealt.iter().flat_map(move |hands| &hands[number]);
        sort_band(band, members, layout, state, &memory);
    });
    sorted
}

/// Takes the first `count` items from the slice, or all if there are fewer.
fn split<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let whole = std::mem::take(rest);
    let (first, others) = whole.split_at_mut(count.min(whole.len()));
    *rest = others;
    first
}

/// Writes the `members` of a band, which come in the order of their rows, in the order of the
/// cells.
fn sort_band<'a, I: Iterator<Item = &'a (u32, u32)>>(
    band: CellBand<'_>,
    members: impl Fn() -> I,
    layout: MotionLayout,
    state: &FlockState,
    memory: &[Memory],
) {
    let CellBand { first_cell, before, start, .. } = band;
    for (key, _) in members() {
        start[*key as usize - first_cell] += 1;
    }
    let mut next = 0;
    for count in start.iter_mut() {
        next += std::mem::replace(count, next);
    }
    let mut next = start.to_vec();
    for (key, row) in members() {
        let slot = &mut next[*key as usize - first_cell];
        let (place, row) = (*slot as usize, *row as usize);
        *slot += 1;
        let rows = &mut band.state[place * layout.rows()..];
        layout.write(state.position[row], state.velocity[row], rows);
        band.tag[place] = Tag::of(state.species[row], state.id[row]);
        if let Some(slot) = band.memory.get_mut(place) {
            *slot = memory[row];
        }
    }
    for first in start {
        *first += before as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::scene::{BuiltIn, Request};

    #[test]
    fn agents_are_sorted_by_cell_and_in_a_cell_by_row() {
        for (name, count) in
            [("flock", 1), ("flock", 70), ("foam", 300_001), ("predators", 400_000)]
        {
            let text = BuiltIn::named(name).unwrap().text;
            let mut scene = Scene::parse(name, text, &[]).unwrap();
            let request = Request { count: Some(count), ..Request::default() };
            let mut state = scene.populate(&request).unwrap();
            // A crowd in one cell, so that bands have different lengths.
            let place = state.position[0];
            state.position.iter_mut().step_by(3).for_each(|p| *p = place);
            let grid = scene.grid::<2>(state.len());
            let sorted = sorted_agents(&grid, &scene, &state);

            let mut rows: Vec<usize> = (0..state.len()).collect();
            rows.sort_by_key(|row| grid.key_of(components(state.position[*row])));
            let found: Vec<usize> = sorted.tag.iter().map(|t| t.id() as usize).collect();
            assert!(found == rows, "{name}, {count}");
            let memory = scene.memory_of(&state);
            assert_eq!(sorted.memory.len(), memory.len());
            for (place, row) in rows.iter().enumerate() {
                let (p, v) = (state.position[*row], state.velocity[*row]);
                assert_eq!(MotionLayout::Plane.read(&sorted.state[place..]), [p, v]);
                assert_eq!(sorted.tag[place].species(), state.species[*row]);
                assert!(memory.is_empty() || sorted.memory[place] == memory[*row]);
            }
            assert_eq!(sorted.cell_start.len(), grid.cells() + 1);
            for (cell, pair) in sorted.cell_start.windows(2).enumerate() {
                let members = &rows[pair[0] as usize..pair[1] as usize];
                let here =
                    |row: &usize| grid.key_of(components(state.position[*row])) as usize == cell;
                assert!(members.iter().all(here), "cell {cell} of {name}");
            }
            assert_eq!(sorted.cell_start[grid.cells()] as usize, state.len());
        }
    }
}
