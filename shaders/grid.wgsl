// The uniform grid: the cell of a position, and the runs of cells round it. The geometry and the order are
// the ones of src/model/grid/mod.rs.

import package::flock::Flock;
import package::random::{PURPOSE_SAMPLE_PHASE, random_bits, unit_from};
@if(slab) import package::space::{rows_in_slices, slice_cells, slice_of};
import package::space::{Cell, Vector, cell_number, on_first_axis, row_of, rows_in};

// The rows with an agent's neighbours, its own included: three along each axis but the first.
@if(flat) const ROWS_AROUND = 3u;
@if(!flat) const ROWS_AROUND = 9u;
const NO_ROW = 0xffffffffu;

// The cell that holds `position`; the nearest cell if it is outside.
fn cell_of(flock: Flock, position: Vector) -> Cell {
    let last = flock.cells_along - 1u;
    // Clamped before the conversion: WGSL does not define it for floats beyond u32.
    let cell = Cell(clamp(position * flock.cells_per_unit, Vector(), Vector(last)));
    // Clamped again as integers: a clamped NaN is undefined.
    return min(cell, last);
}

// The number of the cell that agents at `position` are sorted into.
fn key_of(flock: Flock, position: Vector) -> u32 {
    let along = flock.cells_along;
    let cell = cell_of(flock, position);
    @if(!slab) {
        return cell_number(cell, along);
    }
    @if(slab) {
        let number = cell_number(cell, along) - flock.first_slice * slice_cells(along);
        let is_own = slice_of(cell) - flock.first_slice < flock.own_slices;
        return select(flock.own_cells, number, is_own);
    }
}

// The place of a slice of the grid in the window of a process: its own slices, then the one above them, then
// the one below. src/model/grid/slab.rs numbers them alike.
@if(slab)
fn in_window(flock: Flock, slice: u32, slices: u32) -> u32 {
    // Across the seam of a wrapped world, the slice above the last one is the first.
    let around = slice + slices - flock.first_slice;
    let up = select(around, around - slices, around >= slices);
    return min(up, flock.own_slices + 1u);
}

// On an axis of so many `cells`: 0 stands for the cell before `index`, 1 for `index` itself, 2 for the cell
// after it. NO_ROW if there is no such cell.
fn index_around(index: u32, nth: u32, cells: u32) -> u32 {
    @if(wrap) {
        if cells < 3u {
            return select(NO_ROW, nth, nth < cells);
        }
        // No remainder: integer division is slow on devices whose lanes share a scalar divider.
        let around = index + cells - 1u + nth;
        let once = select(around, around - cells, around >= cells);
        return select(once, once - cells, once >= cells);
    }
    @if(!wrap) {
        let around = index + nth;
        return select(around - 1u, NO_ROW, around == 0u || around > cells);
    }
}

// The shift of the agents in the cells with that index: the world's `size` along this axis if they are
// across the seam, else 0.
@if(wrap)
fn shift_around(index: u32, nth: u32, cells: u32, size: f32) -> f32 {
    let around = index + cells - 1u + nth;
    let below = select(0.0, -size, around < cells);
    return select(below, size, around >= 2u * cells);
}

// The `nth` row round the row of `cell`, or NO_ROW. A process numbers the rows of its window.
fn row_around(flock: Flock, cell: Cell, nth: u32) -> u32 {
    @if(flat && !slab) {
        return index_around(cell.y, nth, flock.cells_along.y);
    }
    @if(flat && slab) {
        let y = index_around(cell.y, nth, flock.cells_along.y);
        return select(in_window(flock, y, flock.cells_along.y), NO_ROW, y == NO_ROW);
    }
    @if(!flat) {
        let layer = nth / 3u;
        let z = index_around(cell.z, layer, flock.cells_along.z);
        let y = index_around(cell.y, nth - 3u * layer, flock.cells_along.y);
        @if(!slab)
        let row = z * flock.cells_along.y + y;
        @if(slab)
        let row = in_window(flock, z, flock.cells_along.z) * flock.cells_along.y + y;
        return select(row, NO_ROW, y == NO_ROW || z == NO_ROW);
    }
}

// The shift of the agents in that row: the world's size along each axis on which the row is across the
// seam, else 0.
fn row_shift(flock: Flock, cell: Cell, nth: u32) -> Vector {
    @if(wrap && flat) {
        return Vector(0.0, shift_around(cell.y, nth, flock.cells_along.y, flock.size.y));
    }
    @if(wrap && !flat) {
        let layer = nth / 3u;
        return Vector(
            0.0,
            shift_around(cell.y, nth - 3u * layer, flock.cells_along.y, flock.size.y),
            shift_around(cell.z, layer, flock.cells_along.z, flock.size.z),
        );
    }
    @if(!wrap) {
        return Vector();
    }
}

// Number of the first cell of a row; of the last row, if there is no such row.
fn first_cell(flock: Flock, row: u32) -> u32 {
    @if(!slab)
    let rows = rows_in(flock.cells_along);
    @if(slab)
    let rows = rows_in_slices(flock.own_slices + 2u, flock.cells_along);
    return min(row, rows - 1u) * flock.cells_along.x;
}

// The columns of cells round an agent, from `first` to `last`. If `last` is before `first` they cross the seam. (Few
// members: a neighbour loop keeps them in registers.)
struct Columns {
    first: u32,
    last: u32,
    // The shift of the agents across the seam: above 0 if they are in the world's first columns, below 0 if they
    // are in its last ones.
    shift: f32,
}

fn columns_around(flock: Flock, cell: Cell) -> Columns {
    let column = cell.x;
    let columns = flock.cells_along.x;
    let last = columns - 1u;
    @if(wrap) {
        if columns <= 2u * flock.reach {
            return Columns(0u, last, 0.0);
        }
        if column < flock.reach {
            return Columns(column + columns - flock.reach, column + flock.reach, -flock.size.x);
        }
        if column + flock.reach > last {
            return Columns(column - flock.reach, column + flock.reach - columns, flock.size.x);
        }
    }
    return Columns(max(column, flock.reach) - flock.reach, min(column + flock.reach, last), 0.0);
}

// The columns round the cells from `first` to `last` of one row that are on one side of the seam.
fn columns_between(flock: Flock, first: Cell, last: Cell) -> Columns {
    let end = min(max(last.x, first.x) + flock.reach, flock.cells_along.x - 1u);
    return Columns(max(first.x, flock.reach) - flock.reach, end, 0.0);
}

fn cross_the_seam(columns: Columns) -> bool {
    @if(wrap)
    return columns.last < columns.first;
    @if(!wrap)
    return false;
}

// True if the cells from `first` to `last` are in one row, and no column round them is across the seam.
fn can_join(flock: Flock, first: Cell, last: Cell) -> bool {
    let one_row = row_of(last, flock.cells_along) == row_of(first, flock.cells_along);
    @if(wrap) {
        return one_row && first.x >= flock.reach && last.x + flock.reach <= flock.cells_along.x - 1u;
    }
    @if(!wrap) {
        return one_row;
    }
}

// The runs of cells with an agent's neighbours: two in each row. The first holds all columns or, where they cross the
// seam, those from the world's first column on. The second holds those up to the world's last column, and exists only
// there. In a world without a seam a loop leaves the second runs out.
const RUNS_AROUND = 2u * ROWS_AROUND;
@if(wrap) const NEXT_RUN = 1u;
@if(!wrap) const NEXT_RUN = 2u;

struct Run {
    // Cells of the grid even if the run does not exist.
    first: u32,
    last: u32,
    exists: bool,
}

// The `nth` run round `cell`.
fn run_around(flock: Flock, cell: Cell, columns: Columns, nth: u32) -> Run {
    let row = row_around(flock, cell, nth >> 1u);
    let begin = first_cell(flock, row);
    let crosses = cross_the_seam(columns);
    if (nth & 1u) == 1u {
        return Run(begin + columns.first, begin + flock.cells_along.x - 1u, crosses && row != NO_ROW);
    }
    return Run(begin + select(columns.first, 0u, crosses), begin + columns.last, row != NO_ROW);
}

// The shift of the agents in the `nth` run round `cell`: the world's size along each axis on which it is across the
// seam, else 0.
fn run_shift(flock: Flock, cell: Cell, columns: Columns, nth: u32) -> Vector {
    let across = select(max(columns.shift, 0.0), min(columns.shift, 0.0), (nth & 1u) == 1u);
    return row_shift(flock, cell, nth >> 1u) + on_first_axis(across);
}

// The members of a run that an agent reads: phase, phase + stride, …
struct Sampling {
    phase: u32,
    stride: u32,
}

const WHOLE = Sampling(0u, 1u);

// The random bits for the phases of the agents in `cell`, in a tick.
fn sampling_noise(flock: Flock, cell: u32, tick: u32) -> u32 {
    return random_bits(flock.seed, cell, tick, PURPOSE_SAMPLE_PHASE);
}

// For runs of any length.
fn sampling_of_run(flock: Flock, length: u32, noise: u32) -> Sampling {
    // Divisions by powers of two, rounded up. The square of a long run's length may overflow; it is
    // not used.
    let long = length >= (1u << flock.long_run_bits);
    let members = select(length * length, length, long);
    let bits = flock.run_sample_bits + select(flock.long_run_bits, 0u, long);
    let skipping = (members + (1u << bits) - 1u) >> bits;
    let stride = select(1u, skipping, length > flock.run_cap);
    // Less than `stride` up to rounding; zero for a stride of 1.
    let phase = u32(unit_from(noise) * f32(stride));
    return Sampling(min(phase, stride - 1u), stride);
}
