// Measures a picture of light: counts its points by their brightness, and chooses the factor that brings the
// brightest hundredth of them to one tone. Whatever the resolution, a picture has the same points.

struct Exposure {
    // Factor on all light: the result.
    factor: f32,
    // The share of the light that spreads.
    bloom: f32,
    // Points count if they are brighter than this.
    ground: f32,
    // Pixels per point.
    scale: f32,
}

// Linear light, premultiplied.
@group(0) @binding(0) var light: texture_2d<f32>;
// The same, spread.
@group(0) @binding(1) var spread: texture_2d<f32>;
@group(0) @binding(2) var between: sampler;
@group(0) @binding(3) var<storage, read_write> exposure: Exposure;
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>, 512>;

const BINS: u32 = 512u;
// The factor is exact to one bin.
const BINS_A_STOP: f32 = 16.0;
// The stop of the first bin.
const DARKEST: f32 = -16.0;
// The tone: as bright as light can be that the curve of the exposure leaves as it is.
const TONE: f32 = 0.8;

fn bright(pixel: vec2<u32>) -> f32 {
    var found = textureLoad(light, pixel, 0).xyz;
    if exposure.bloom > 0.0 {
        let at = (vec2<f32>(pixel) + 0.5) / vec2<f32>(textureDimensions(light));
        found = mix(found, textureSampleLevel(spread, between, at, 0.0).xyz, exposure.bloom);
    }
    return max(found.x, max(found.y, found.z));
}

@compute @workgroup_size(8, 8)
fn count_points(@builtin(global_invocation_id) point: vec3<u32>) {
    let scale = max(exposure.scale, 1.0);
    let size = textureDimensions(light);
    let start = vec2<u32>(vec2<f32>(point.xy) * scale);
    let end = min(max(vec2<u32>(vec2<f32>(point.xy + 1u) * scale), start + 1u), size);
    var sum = 0.0;
    for (var y = start.y; y < end.y; y++) {
        for (var x = start.x; x < end.x; x++) {
            sum += bright(vec2(x, y));
        }
    }
    if start.x < end.x && start.y < end.y {
        let mean = sum / f32((end.x - start.x) * (end.y - start.y));
        if mean > exposure.ground {
            let bin = (log2(max(mean, 1e-6)) - DARKEST) * BINS_A_STOP;
            atomicAdd(&counts[u32(clamp(bin, 0.0, f32(BINS - 1u)))], 1u);
        }
    }
}

@compute @workgroup_size(1)
fn choose_factor() {
    var all = 0u;
    for (var bin = 0u; bin < BINS; bin++) {
        all += atomicLoad(&counts[bin]);
    }
    var brighter = 0u;
    var chosen = 0u;
    for (var left = BINS; left > 0u && brighter <= all / 100u; left--) {
        chosen = left - 1u;
        brighter += atomicLoad(&counts[chosen]);
    }
    let found = exp2((f32(chosen) + 0.5) / BINS_A_STOP + DARKEST);
    exposure.factor = select(1.0, clamp(TONE / found, 0.01, 100.0), all > 0u);
}
