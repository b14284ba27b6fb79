//! Blue noise: a pattern without the low frequencies that an eye sees. An exposed picture adds it before it is
//! rounded to 256 steps; without it, dark gradients would be bands.

use super::resources::texture;
use flockwork_engine::gpu::Gpu;

/// The pattern repeats after this many pixels.
const SIDE: usize = 32;
const PIXELS: usize = SIDE * SIDE;

/// The pattern, row by row: each of 256 values four times. The next larger value goes into the largest void between
/// those before it, after Ulichney (The void-and-cluster method for dither array generation, 1993). Its kernel is a
/// quotient, which all processors round alike.
fn blue_noise() -> [u8; PIXELS] {
    let mut pattern = [0; PIXELS];
    // Not quite 0 at first: then the first voids would be a lattice.
    let hash = |pixel: usize| (pixel as u32).wrapping_mul(2_654_435_769) >> 8;
    let mut crowding: [f32; PIXELS] = std::array::from_fn(|pixel| hash(pixel) as f32 * 1e-10);
    for rank in 0..PIXELS {
        let least = (0..PIXELS).min_by(|a, b| crowding[*a].total_cmp(&crowding[*b]));
        let void = least.unwrap_or_default();
        pattern[void] = (rank * 256 / PIXELS) as u8;
        for (pixel, crowding) in crowding.iter_mut().enumerate() {
            let [x, y] = [pixel % SIDE, pixel / SIDE];
            let [across, down] = [x.abs_diff(void % SIDE), y.abs_diff(void / SIDE)];
            // The pattern goes on beyond its edges.
            let [across, down] = [across, down].map(|apart| apart.min(SIDE - apart));
            let near = 1.0 + (across * across + down * down) as f32;
            *crowding += 1.0 / (near * near);
        }
        crowding[void] = f32::INFINITY;
    }
    pattern
}

/// The pattern as a texture.
pub fn blue_noise_texture(gpu: &Gpu) -> wgpu::TextureView {
    let side = SIDE as u32;
    let size = wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 };
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let format = wgpu::TextureFormat::R8Unorm;
    let texture = texture(gpu, "blue noise", (size, 1), format, usage);
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(side), rows_per_image: None };
    gpu.queue.write_texture(texture.as_image_copy(), &blue_noise(), layout, size);
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variance of the means of blocks of 4 × 4 pixels, as a share of white noise's.
    fn coarse(pattern: &[u8; PIXELS]) -> f64 {
        let mut sums = [0.0; PIXELS / 16];
        for (pixel, value) in pattern.iter().enumerate() {
            let block = pixel / SIDE / 4 * (SIDE / 4) + pixel % SIDE / 4;
            sums[block] += (f64::from(*value) - 127.5) / 16.0;
        }
        let variance = sums.iter().map(|mean| mean * mean).sum::<f64>() / sums.len() as f64;
        variance / ((256.0 * 256.0 - 1.0) / 12.0 / 16.0)
    }

    #[test]
    fn the_pattern_has_each_value_as_often_and_nothing_coarse() {
        let pattern = blue_noise();
        let mut counts = [0; 256];
        pattern.iter().for_each(|value| counts[usize::from(*value)] += 1);
        assert_eq!(counts, [4; 256]);
        assert!(coarse(&pattern) < 0.1, "{}", coarse(&pattern));
        // The control: the same values in an order by chance.
        let mut mixed = pattern;
        for pixel in 1..PIXELS {
            mixed.swap(pixel, ((pixel * pixel * 2_654_435_769) >> 7) % pixel);
        }
        assert!(coarse(&mixed) > 0.5, "{}", coarse(&mixed));
    }
}
