// The uniform grid: the cell of a position, and the runs of cells round it. The geometry and the order are
// those of src/model/grid.rs.

import package::flock::Flock;
import package::random::{USE_SAMPLE_PHASE, random_bits, unit_from};
import package::space::Vector;

// The rows with an agent's neighbours, its own included.
const ROWS_AROUND = 3u;
const NO_ROW = 0xffffffffu;

// Column and row of the cell that holds `position`; of the nearest cell if it is outside.
fn cell_of(flock: Flock, position: Vector) -> vec2<u32> {
    let last = vec2<f32>(f32(flock.columns - 1u), f32(flock.rows - 1u));
    // Clamped before the conversion: WGSL does not define it for floats beyond u32.
    let cell = vec2<u32>(clamp(position * flock.cells_per_unit, Vector(), last));
    // Clamped again as integers: a clamped NaN is undefined.
    return min(cell, vec2<u32>(flock.columns, flock.rows) - 1u);
}

fn key_of(flock: Flock, position: Vector) -> u32 {
    let cell = cell_of(flock, position);
    return cell.y * flock.columns + cell.x;
}

// The `nth` row round `row`, or NO_ROW.
fn row_around(flock: Flock, row: u32, nth: u32) -> u32 {
    @if(wrap) {
        if flock.rows < ROWS_AROUND {
            return select(NO_ROW, nth, nth < flock.rows);
        }
        // No remainder: integer division is slow on devices whose lanes share a scalar divider.
        let around = row + flock.rows - 1u + nth;
        let once = select(around, around - flock.rows, around >= flock.rows);
        return select(once, once - flock.rows, once >= flock.rows);
    }
    @if(!wrap) {
        let around = row + nth;
        return select(around - 1u, NO_ROW, around == 0u || around > flock.rows);
    }
}

// The shift of the agents in that row: the world's size if the row is across the seam, else 0.
fn row_shift(flock: Flock, row: u32, nth: u32) -> Vector {
    @if(wrap) {
        let around = row + flock.rows - 1u + nth;
        let below = select(0.0, -flock.size.y, around < flock.rows);
        return Vector(0.0, select(below, flock.size.y, around >= 2u * flock.rows));
    }
    @if(!wrap) {
        return Vector();
    }
}

// The columns round `column` as one or two runs in ascending order, (first, last) each. There are two if
// the neighbourhood crosses the seam.
struct Columns {
    runs: vec4<u32>,
    // The shift of the agents in each run.
    shifts: vec2<f32>,
    count: u32,
}

fn columns_around(flock: Flock, column: u32) -> Columns {
    let last = flock.columns - 1u;
    let run = vec2<u32>(max(column, flock.reach) - flock.reach, min(column + flock.reach, last));
    @if(wrap) {
        if flock.columns <= 2u * flock.reach {
            return Columns(vec4<u32>(0u, last, 0u, last), vec2<f32>(), 1u);
        }
        if column < flock.reach {
            let beyond = column + flock.columns - flock.reach;
            return Columns(vec4<u32>(0u, run.y, beyond, last), vec2<f32>(0.0, -flock.size.x), 2u);
        }
        if column + flock.reach > last {
            let beyond = column + flock.reach - flock.columns;
            return Columns(vec4<u32>(0u, beyond, run.x, last), vec2<f32>(flock.size.x, 0.0), 2u);
        }
    }
    return Columns(vec4<u32>(run, run), vec2<f32>(), 1u);
}

// The members of a run that an agent reads: phase, phase + stride, …
struct Sampling {
    phase: u32,
    stride: u32,
}

// The random bits for the phases of the agents in `cell`, in a tick.
fn sampling_noise(flock: Flock, cell: u32, tick: u32) -> u32 {
    return random_bits(flock.seed, cell, tick, USE_SAMPLE_PHASE);
}

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
