// The cells that a splatted picture is summed in. A cell is one pixel wide, or a little more. If the picture
// is too large for one buffer, this is one band of its rows.

struct Canvas {
    // Cells of the picture in a row, and rows of this band.
    columns: u32,
    rows: u32,
    // The band's first row.
    top: u32,
    cells_per_pixel: f32,
    // Counts per bit of depth, if the sums are not packed.
    counts_per_bit: f32,
    // The largest share of a cell that either part of an agent hides.
    most_hidden: f32,
    // 1 if there are several species.
    several: u32,
    // 1 if colours have three factors, 0 if the first is always 1.
    three_factors: u32,
    // Extra cells on every side of the band, for agents that cross its edges.
    margin: u32,
    // The largest depth that either part of an agent adds to a cell.
    deepest: f32,
    // The two parts of a dart: the position of their middles along the heading, and their areas;
    // cells. The second has no area if the first stands for both.
    nose: vec2<f32>,
    tail: vec2<f32>,
    // The most parts that can cover one cell here, per agent of the flock's fullest grid cell.
    crowding: f32,
    // Strength per light of an agent, which is its strength times the square of its half length; per pixel².
    per_light: f32,
    // The most that a crowd's colour moves towards grey of the lightness `lift_to`, as a share of the way.
    lift: f32,
    lift_to: f32,
}

@group(0) @binding(4) var<uniform> canvas: Canvas;
// Statistics of the grid. The first word is the number of agents in the fullest cell.
@if(packs)
@group(0) @binding(6) var<storage, read> grid_stats: array<u32>;

// If no cell can become crowded, its sums are packed into one 64-bit integer: the depth in the upper bits,
// the two of the colour below. Atomic additions are the cost of splatting.
const PACKED_BITS: u32 = 21;
// Sums are packed only if a bit of depth has at least this many counts.
const MIN_COUNTS: f32 = 128.0;

struct Scale {
    // Counts per bit of depth.
    counts_per_bit: f32,
    packed: bool,
}

// The scale of the sums; the same for every agent and cell of a picture.
fn scale() -> Scale {
    @if(packs) {
        // A sum of the colour is at most twice the sum of the depth. Each addition is rounded up; a
        // thousandth covers the rounding.
        let parts = max(f32(grid_stats[0]) * canvas.crowding, 1.0);
        let counts = (0.999 * f32(1u << (PACKED_BITS - 1u)) / parts - 1.0) / canvas.deepest;
        if canvas.three_factors == 0u && counts >= MIN_COUNTS {
            return Scale(counts, true);
        }
    }
    return Scale(canvas.counts_per_bit, false);
}
