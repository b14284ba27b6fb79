// What the sums of a splatted picture are kept in: cells a pixel wide on a screen with a pixel to
// the point. One band of rows, if the picture is too large for one buffer.

struct Canvas {
    // Cells of the picture in a row, and rows of this band.
    columns: u32,
    rows: u32,
    // Number of the band's first row.
    top: u32,
    cells_per_pixel: f32,
    // Counts of the sums to one bit of depth.
    counts_per_bit: f32,
    // Most that one agent hides of a cell with either half.
    most_hidden: f32,
    // 1 where there are several species.
    several: u32,
    // 1 where crowds are brighter than loners.
    dimmed: u32,
    // Cells round the band on every side, for agents across its edges.
    margin: u32,
    padding: u32,
    // The two parts of a dart: where their middles lie along the heading, and their area; cells. The
    // second has no area where the first stands for both.
    nose: vec2<f32>,
    tail: vec2<f32>,
}

@group(0) @binding(4) var<uniform> canvas: Canvas;
