// The current tick. A uniform with a dynamic offset, because several ticks are submitted at once.

@group(0) @binding(2) var<uniform> clock: u32;
