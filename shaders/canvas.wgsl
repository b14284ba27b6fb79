// What the sums of a splatted picture are kept in: cells a pixel wide on a screen with a pixel to
// the point. One band of rows, if the picture is too large for one buffer.

struct Canvas {
    // Cells of the picture in a row, and rows of this band.
    columns: u32,
    rows: u32,
    // Number of the band's first row.
    top: u32,
    cells_per_pixel: f32,
    // Counts of the sums to one bit of depth, where they are not packed.
    counts_per_bit: f32,
    // Most that one agent hides of a cell with either half.
    most_hidden: f32,
    // 1 where there are several species.
    several: u32,
    // 1 where crowds are brighter than loners.
    dimmed: u32,
    // Cells round the band on every side, for agents across its edges.
    margin: u32,
    // Most depth that one agent adds to a cell with either part.
    deepest: f32,
    // The two parts of a dart: where their middles lie along the heading, and their area; cells. The
    // second has no area where the first stands for both.
    nose: vec2<f32>,
    tail: vec2<f32>,
    // For each agent of the flock's fullest grid cell so many parts of agents may lie on one cell here.
    crowding: f32,
    padding: u32,
}

@group(0) @binding(4) var<uniform> canvas: Canvas;
// Of the agents bound. Its first word is how many there are in the fullest grid cell.
@if(packs)
@group(0) @binding(6) var<storage, read> grid_stats: array<u32>;

// Where no cell can become crowded its sums are packed into one integer of 64 bits: the sum of depths
// above, the two of the colour below; atomic additions are what splatting costs.
const PACKED_BITS: u32 = 21;
// Coarser than this sums are not packed.
const FEWEST_COUNTS: f32 = 128.0;

struct Scale {
    // Counts of the sums to one bit of depth.
    counts_per_bit: f32,
    packed: bool,
}

// The same for every agent and every cell of a picture.
fn scale() -> Scale {
    @if(packs) {
        // Sums of the colour are at most twice that of the depth. Each addition is rounded up; a
        // thousandth is more than the sums of the rounded numbers are off.
        let parts = max(f32(grid_stats[0]) * canvas.crowding, 1.0);
        let counts = (0.999 * f32(1u << (PACKED_BITS - 1u)) / parts - 1.0) / canvas.deepest;
        if canvas.dimmed == 0u && counts >= FEWEST_COUNTS {
            return Scale(counts, true);
        }
    }
    return Scale(canvas.counts_per_bit, false);
}
