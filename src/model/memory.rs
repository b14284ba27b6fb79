//! An agent's memory besides its motion, in one word.
//!
//! The upper 24 bits are an angle, or in space the direction of a wanderer. The lower 8 are a number that
//! the looks of the agent's species show: neighbours, an acceleration, an age, or how far a bird leans. No tick
//! depends on it.
//! `shaders/memory.wgsl` reads the same bits.

use super::parameter::MAX_SPECIES;
use super::random::{Purpose, unit};
use super::space::on_sphere;

/// Steps of the angle in a turn.
const STEPS: f32 = 16_777_216.0;

/// Steps of each of the two numbers of a direction, from −1 to 1.
const DIRECTION_STEPS: f32 = 4095.0;

/// The length of a step. A factor, because some drivers multiply by the reciprocal of a constant divisor,
/// and that has other bits.
const DIRECTION_STEP: f32 = 2.0 / DIRECTION_STEPS;

/// The largest number for a colour; larger ones are stored as this one.
pub const MAX_COLOUR_VALUE: u32 = 255;

/// The quantity that the looks of an agent show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Shown {
    /// Agents within the species' largest radius at the last tick.
    #[default]
    Neighbours = 0,
    /// How far the last tick changed the velocity, as a share `s` of what max_force does to the agent's
    /// mass: `s / (s + 1)` of [`MAX_COLOUR_VALUE`].
    Acceleration = 1,
    /// Ticks since the agent was born or sent elsewhere by a target. [`MAX_COLOUR_VALUE`] stands for the age
    /// that the style names, and for all larger ones.
    Age = 2,
    /// How nearly the neighbours head one way, and how many they are; see [`structure_of`].
    Structure = 3,
    /// How far the agent leans into its turns; see [`leant`].
    Bank = 4,
    /// A connected group, while pictures are drawn: 0 for an agent that is alone. No tick computes it.
    Cluster = 5,
}

/// The quantity that the looks of each species show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownBy([Shown; MAX_SPECIES]);

impl ShownBy {
    /// One entry for each species.
    #[must_use]
    pub fn of(species: impl Iterator<Item = Shown>) -> Self {
        let mut all = Self::default();
        all.0.iter_mut().zip(species).for_each(|(own, shown)| *own = shown);
        all
    }

    /// The quantity that the looks of agents of this species show.
    #[inline]
    #[must_use]
    pub fn species(&self, species: u8) -> Shown {
        self.0.get(usize::from(species)).copied().unwrap_or_default()
    }

    /// The same without a species; those after it have taken its place.
    #[must_use]
    pub fn without(self, species: usize) -> Self {
        let before = self.0.into_iter().take(species);
        Self::of(before.chain(self.0.into_iter().skip(species + 1)))
    }

    /// The same with another species, of neighbours, in this place; those from there on come after it.
    #[must_use]
    pub fn with_another(self, species: usize) -> Self {
        let before = self.0.into_iter().take(species);
        Self::of(before.chain([Shown::Neighbours]).chain(self.0.into_iter().skip(species)))
    }

    /// Four bits for each species, as the shaders read them: the first word is for eight species, the second for
    /// all others.
    #[must_use]
    #[inline]
    pub fn words(self) -> [u32; 2] {
        let word = |species: &[Shown]| species.iter().rfold(0, |word, own| word << 4 | *own as u32);
        [word(&self.0[..8]), word(&self.0[8..])]
    }

    /// A bit for each species whose numbers are something else in `other`.
    #[must_use]
    #[inline]
    pub fn other_species(self, other: Self) -> u32 {
        let pairs = self.0.into_iter().zip(other.0).enumerate();
        pairs.filter(|(_, (own, other))| own != other).fold(0, |all, (place, _)| all | 1 << place)
    }
}

/// How much an age grows in the tick that begins at `tick`, if it goes from 0 to [`MAX_COLOUR_VALUE`] within
/// `longest` ticks. A function of the tick alone, so that a run that goes on from a file counts on.
#[inline]
#[must_use]
pub fn growth_of_age(tick: u32, longest: u32) -> u32 {
    let longest = longest.max(1);
    let phase = tick % longest;
    (phase + 1) * MAX_COLOUR_VALUE / longest - phase * MAX_COLOUR_VALUE / longest
}

/// Steps of each of the two parts of [`Shown::Structure`].
pub const STRUCTURE_STEPS: u32 = 15;

/// The number for [`Shown::Structure`]: `order`, how nearly the neighbours head one way, in the upper four
/// bits, and in the lower four their density, the root of the number of `neighbours`, up to 100 of them.
#[inline]
#[must_use]
pub fn structure_of(order: f32, neighbours: f32) -> u32 {
    let order = ((order * 16.0) as u32).min(STRUCTURE_STEPS);
    let density = ((neighbours.sqrt() * 1.5) as u32).min(STRUCTURE_STEPS);
    order << 4 | density
}

/// The number for [`Shown::Bank`] of an agent that leans to its left as far as it can. To the right the numbers
/// are negative, in 8 bits; 0 is level.
pub const MAX_BANK: f32 = 127.0;

/// The weight of an agent, as a share of its max_force: gravity, for which it leans. Starlings that turn with all the
/// force of the scene `murmuration` do so with twice their weight; a third looks more alive than a half.
pub const BANK_WEIGHT: f32 = 0.33;

/// An agent leans in a tick by this part of the way to where its last turn leads: forces are restless.
const BANK_LAG: i32 = 8;

/// The number for [`Shown::Bank`] after `before`. `turn` is how far the last tick turned the agent to its left,
/// as `s / (|s| + 1)` of [`MAX_BANK`], where `s` is its force as a share of the agent's weight.
#[inline]
#[must_use]
pub fn leant(before: u32, turn: f32) -> u32 {
    let before = i32::from(before as u8 as i8);
    let way = turn as i32 - before;
    ((before + (way + way.signum() * (BANK_LAG - 1)) / BANK_LAG) as u32) & MAX_COLOUR_VALUE
}

/// An angle or a direction, and a number for the agent's colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Memory(pub u32);

impl Memory {
    /// `angle` is in turns, from −0.5 to 0.5; `shown` is limited to [`MAX_COLOUR_VALUE`].
    #[inline]
    #[must_use]
    pub fn new(angle: f32, shown: f32) -> Self {
        let angle = (angle * STEPS) as i32;
        Self((angle << 8) as u32).showing(shown as u32)
    }

    /// The same with another number for the colour, limited to [`MAX_COLOUR_VALUE`].
    #[inline]
    #[must_use]
    pub fn showing(self, shown: u32) -> Self {
        Self(self.0 & !MAX_COLOUR_VALUE | shown.min(MAX_COLOUR_VALUE))
    }

    /// The memory of agent `id` at the start: a random angle and nothing to show.
    ///
    /// (The sources start all angles at 0, but then the whole flock drifts in one direction.)
    #[must_use]
    #[inline]
    pub fn at_start(seed: u32, id: u32) -> Self {
        Self::new(unit(seed, id, 0, Purpose::StartAngle) - 0.5, 0.0)
    }

    /// `direction` is a unit vector; it comes back within 0.06 degrees. `shown` is limited to
    /// [`MAX_COLOUR_VALUE`].
    ///
    /// The direction leads to a point on an octahedron, whose upper half is projected on a square;
    /// the lower half fills its corners.
    #[inline]
    #[must_use]
    pub fn of_direction(direction: [f32; 3], shown: f32) -> Self {
        let [x, y, z] = direction;
        // The zero vector has no direction; its quotients must be numbers all the same.
        let size = (x.abs() + y.abs() + z.abs()).max(f32::MIN_POSITIVE);
        let (x, y) = (x / size, y / size);
        let (x, y) = if z < 0.0 { folded(x, y) } else { (x, y) };
        let steps = |number: f32| ((number * 0.5 + 0.5) * DIRECTION_STEPS + 0.5) as u32;
        Self(steps(x) << 20 | steps(y) << 8).showing(shown as u32)
    }

    /// The memory of agent `id` of a space at the start, if it remembers a direction: a random one
    /// and nothing to show.
    #[must_use]
    #[inline]
    pub fn at_start_in_space(seed: u32, id: u32) -> Self {
        let draw = |purpose| unit(seed, id, 0, purpose);
        let direction = on_sphere([draw(Purpose::StartAngle), draw(Purpose::StartHeight)]);
        Self::of_direction(direction.0, 0.0)
    }

    /// The direction of a wanderer in space: a unit vector.
    #[inline]
    #[must_use]
    pub fn direction(self) -> [f32; 3] {
        let number = |steps: u32| (steps & 0xfff) as f32 * DIRECTION_STEP - 1.0;
        let (x, y) = (number(self.0 >> 20), number(self.0 >> 8));
        let z = 1.0 - x.abs() - y.abs();
        let (x, y) = if z < 0.0 { folded(x, y) } else { (x, y) };
        let length = (x * x + y * y + z * z).sqrt();
        [x, y, z].map(|component| component / length)
    }

    /// The angle of a wanderer or swimmer: turns, from −0.5 to 0.5.
    #[inline]
    #[must_use]
    pub fn angle(self) -> f32 {
        (self.0 as i32 >> 8) as f32 / STEPS
    }

    /// The number for the colour: see [`Shown`].
    #[inline]
    #[must_use]
    pub fn shown(self) -> u32 {
        self.0 & MAX_COLOUR_VALUE
    }

    /// The number of an agent that shows a [`Shown::Bank`], from -[`MAX_BANK`] to it.
    #[inline]
    #[must_use]
    pub fn bank(self) -> f32 {
        f32::from(self.0 as u8 as i8)
    }
}

/// Exchanges the square of the upper half of the octahedron with its corners.
#[inline]
fn folded(x: f32, y: f32) -> (f32, f32) {
    let side = |number: f32| if number < 0.0 { -1.0 } else { 1.0 };
    ((1.0 - y.abs()) * side(x), (1.0 - x.abs()) * side(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remembered_direction_comes_back() {
        for id in 0..5000 {
            let [x, y] = [Purpose::SpawnX, Purpose::SpawnY].map(|purpose| unit(3, id, 0, purpose));
            let direction = on_sphere([x, y]);
            let memory = Memory::of_direction(direction.0, 7.0);
            let back = super::super::vector::Vector(memory.direction());
            assert_eq!(memory.shown(), 7);
            assert!((back.length() - 1.0).abs() < 1e-6, "{back:?}");
            // Half a step on each of two axes is 3.5e-4. The face of the octahedron is nearer than the
            // sphere, and slanted: together a factor of up to 3.
            assert!((back - direction).length() < 1.04e-3, "{direction:?} came back as {back:?}");
            assert_eq!(Memory::of_direction(back.0, 7.0), memory, "no drift");
        }
        for axis in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]] {
            let back = Memory::of_direction(axis, 0.0).direction();
            let near = back.iter().zip(axis).all(|(back, axis)| (back - axis).abs() < 3e-4);
            assert!(near, "{axis:?}: {back:?}");
        }
    }

    #[test]
    fn what_is_remembered_comes_back() {
        for angle in [-0.5, -0.25, -1e-6, 0.0, 1e-6, 0.3, 0.499_999] {
            for neighbours in [0.0, 1.0, 254.9, 255.0, 1e6] {
                let memory = Memory::new(angle, neighbours);
                assert!((memory.angle() - angle).abs() < 1e-7, "{angle}: {}", memory.angle());
                assert_eq!(memory.shown(), (neighbours as u32).min(255));
            }
        }
        assert_eq!(Memory::new(0.5, 3.0).angle(), -0.5);
    }

    #[test]
    fn an_age_grows_evenly_to_its_longest() {
        for longest in [1, 2, 100, 255, 256, 600, 1_000_000] {
            for start in [0, 1, 77, u32::MAX - 5] {
                let mut age = 0;
                for tick in 0..longest.min(2000) {
                    age += growth_of_age(start.wrapping_add(tick), longest);
                    let exact = f64::from(tick + 1) * 255.0 / f64::from(longest);
                    // The period has a seam where the tick begins again at 0.
                    let seam = start > u32::MAX - 10;
                    let off = (f64::from(age) - exact).abs();
                    assert!(off < 1.0 || seam, "{longest}, {start}, {tick}: {age}");
                }
                assert!(longest > 2000 || age == 255 || start > 77, "{longest}, {start}: {age}");
            }
        }
    }

    #[test]
    fn an_agent_leans_into_its_turn_and_comes_back() {
        let mut bank = 0;
        let mut lean = |turn: f32, ticks: u32| {
            (0..ticks).for_each(|_| bank = leant(bank, turn));
            Memory(bank).bank()
        };
        assert_eq!(lean(80.0, 1), 10.0, "an eighth of the way");
        assert_eq!(lean(80.9, 60), 80.0);
        assert_eq!(lean(-127.0, 100), -127.0);
        assert_eq!(lean(0.0, 100), 0.0, "level");
    }

    #[test]
    fn each_species_shows_its_own() {
        let all = [Shown::Age, Shown::Neighbours, Shown::Acceleration, Shown::Bank];
        let shown = ShownBy::of(all.into_iter().cycle().take(16));
        for species in 0..16 {
            assert_eq!(shown.species(species), all[species as usize % 4]);
        }
        assert_eq!(shown.species(200), Shown::Neighbours, "no species has this number");
        let other = ShownBy::of([Shown::Age, Shown::Age].into_iter());
        assert_eq!(other.other_species(ShownBy::of([Shown::Age].into_iter())), 0b10);
        let two = ShownBy::of([Shown::Age, Shown::Acceleration].into_iter());
        assert_eq!(two.without(0), ShownBy::of([Shown::Acceleration].into_iter()));
        assert_eq!(two.with_another(1).without(1), two);
        assert_eq!(two.with_another(1).species(2), Shown::Acceleration);
        assert_eq!(Memory::new(0.25, 7.0).showing(300), Memory::new(0.25, 255.0));
    }
}
