// Number of the tick under way: a uniform with a dynamic offset, since each of the ticks submitted at
// once has its own.

@group(0) @binding(2) var<uniform> clock: u32;
