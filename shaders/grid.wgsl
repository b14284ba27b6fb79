// The uniform grid: which cell holds a position, and which runs of cells surround it. The same
// geometry as src/model/grid.rs, in the same order.

import package::flock::Flock;
import package::random::{USE_SAMPLE_PHASE, random_bits};
import package::space::Vector;

// Rows that surround an agent's own, itself included.
const ROWS_AROUND = 3u;
const NO_ROW = 0xffffffffu;

// Column and row of the cell that holds `position`; outside positions belong to the nearest cell.
fn cell_of(flock: Flock, position: Vector) -> vec2<u32> {
    let last = vec2<f32>(f32(flock.columns - 1u), f32(flock.rows - 1u));
    // Clamped before the conversion: a float beyond u32 has no defined integer.
    return vec2<u32>(clamp(position * flock.cells_per_unit, Vector(), last));
}

fn key_of(flock: Flock, position: Vector) -> u32 {
    let cell = cell_of(flock, position);
    return min(cell.y, flock.rows - 1u) * flock.columns + min(cell.x, flock.columns - 1u);
}

// The `nth` row round `row`, or NO_ROW.
fn row_around(flock: Flock, row: u32, nth: u32) -> u32 {
    @if(wrap) {
        if flock.rows < ROWS_AROUND {
            return select(NO_ROW, nth, nth < flock.rows);
        }
        return (row + flock.rows - 1u + nth) % flock.rows;
    }
    @if(!wrap) {
        let around = row + nth;
        return select(around - 1u, NO_ROW, around == 0u || around > flock.rows);
    }
}

// The columns round `column` as two runs in ascending order, (first, last) each. The second is
// empty (first after last) unless the neighbourhood crosses the seam.
fn columns_around(flock: Flock, column: u32) -> vec4<u32> {
    let last = flock.columns - 1u;
    @if(wrap) {
        if flock.columns < 3u {
            return vec4<u32>(0u, last, 1u, 0u);
        }
        if column == 0u {
            return vec4<u32>(0u, 1u, last, last);
        }
        if column == last {
            return vec4<u32>(0u, 0u, last - 1u, last);
        }
    }
    return vec4<u32>(max(column, 1u) - 1u, min(column + 1u, last), 1u, 0u);
}

// Which members of a run an agent looks at: phase, phase + stride, …
struct Sampling {
    phase: u32,
    stride: u32,
}

fn sampling_of_run(flock: Flock, length: u32, first_cell: u32, tick: u32) -> Sampling {
    if length <= flock.run_cap {
        return Sampling(0u, 1u);
    }
    let stride = (length + flock.run_cap - 1u) / flock.run_cap;
    return Sampling(random_bits(flock.seed, first_cell, tick, USE_SAMPLE_PHASE) % stride, stride);
}
