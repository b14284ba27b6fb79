// Shade in a flock that is matter: how much of the sun's light an agent gets through the others.

import package::picture::picture;

// The optical depth from the middle of each cell of a coarse grid towards the sun; see shade_cells.wgsl.
@group(0) @binding(7) var<storage, read> depths: array<f32>;

fn shade_cell_number(cell: vec3<u32>, along: vec3<u32>) -> u32 {
    return (cell.z * along.y + cell.y) * along.x + cell.x;
}

// The share of the sun's light that is left at a place; 1 where nothing casts shade.
fn sunlit(place: vec3<f32>) -> f32 {
    @if(!shade)
    return 1.0;
    @if(shade)
    return sunlit_between(place);
}

// The same, between the middles of eight cells.
@if(shade)
fn sunlit_between(place: vec3<f32>) -> f32 {
    let along = picture.eye.shade_cells;
    let last = along - 1u;
    let at = clamp(place * picture.eye.shade_cells_per_unit - 0.5, vec3(0.0), vec3<f32>(last));
    let corner = vec3<u32>(at);
    let share = at - vec3<f32>(corner);
    var depth = 0.0;
    for (var i = 0u; i < 8u; i++) {
        let step = (vec3(i) >> vec3(0u, 1u, 2u)) & vec3(1u);
        let weights = select(1.0 - share, share, step == vec3(1u));
        let cell = min(corner + step, last);
        depth += weights.x * weights.y * weights.z * depths[shade_cell_number(cell, along)];
    }
    return mix(exp(-depth), 1.0, picture.eye.shade.y);
}
