//! The random numbers of the tests.

use glam::Vec3;

/// An independent random generator (SplitMix64), so that the situations stay the same if the
/// model's generator changes.
#[derive(Clone)]
pub struct Dice {
    state: u64,
    /// True if agents may draw their own numbers.
    pub traits: bool,
    /// True if numbers may vary with time and size.
    pub laws: bool,
}

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self { state: seed, traits: false, laws: true }
    }

    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A uniform number in `[low, high)`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.bits() >> 40) as f32 / 16_777_216.0
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A random place at most `margin` outside a world of `size`.
    pub fn place(&mut self, size: Vec3, margin: f32) -> Vec3 {
        let mut along = |side: f32| self.between(-margin, side + margin);
        let (x, y) = (along(size.x), along(size.y));
        Vec3::new(x, y, if size.z > 0.0 { along(size.z) } else { 0.0 })
    }

    /// A random vector whose components are at most `most`, for a world of `size`.
    pub fn vector(&mut self, size: Vec3, most: f32) -> Vec3 {
        let (x, y) = (self.between(-most, most), self.between(-most, most));
        Vec3::new(x, y, if size.z > 0.0 { self.between(-most, most) } else { 0.0 })
    }

    /// A random unit vector; in some cases a special one.
    pub fn heading(&mut self, size: Vec3) -> Vec3 {
        let angle = self.between(0.0, std::f32::consts::TAU);
        let level = Vec3::new(angle.cos(), angle.sin(), 0.0);
        if size.z == 0.0 {
            return level;
        }
        let z = self.between(-1.0, 1.0);
        let any = level * (1.0 - z * z).sqrt() + Vec3::Z * z;
        self.one_of(&[any, any, any, any, level, Vec3::Z, -Vec3::Z, Vec3::X])
    }
}
