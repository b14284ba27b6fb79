//! Palettes: what colour a place on a scale has.

use super::circle::Circle;
use super::oklab::{self, mix, unit};
use flockwork_model::scene::{PaletteName, Rgb};

/// The colours of a species' scale in the shaders. Between them colours are interpolated in sRGB; they
/// are so near to each other that other ways of interpolating look the same.
pub const STOPS: usize = 32;

/// Evenly spaced colours around a scale; red, green and blue. The last is beside the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stops(pub [[f32; 3]; STOPS]);

/// How much lighter or darker than the background every colour of a ramp is at least, in Oklab.
const CONTRAST: f32 = 0.25;

/// Every 17th of the 256 colours of matplotlib 3.10 (viridis, magma and inferno by Nathaniel Smith and
/// Stéfan van der Walt, CC0; cividis by Nuñez, Anderton and Renslow, 2018). Interpolated in Oklab they
/// differ from those between by at most 3 of 255 (magma), 7 (viridis, inferno) or 11 (cividis).
const VIRIDIS: [u32; 16] = [
    0x440154, 0x481A6C, 0x472F7D, 0x414487, 0x39568C, 0x31688E, 0x2A788E, 0x23888E, 0x1F988B,
    0x22A884, 0x35B779, 0x54C568, 0x7AD151, 0xA5DB36, 0xD2E21B, 0xFDE725,
];
const MAGMA: [u32; 16] = [
    0x000004, 0x0B0924, 0x20114B, 0x3B0F70, 0x57157E, 0x721F81, 0x8C2981, 0xA8327D, 0xC43C75,
    0xDE4968, 0xF1605D, 0xFA7F5E, 0xFE9F6D, 0xFEBF84, 0xFDDEA0, 0xFCFDBF,
];
const INFERNO: [u32; 16] = [
    0x000004, 0x0C0826, 0x240C4F, 0x420A68, 0x5D126E, 0x781C6D, 0x932667, 0xAE305C, 0xC73E4C,
    0xDD513A, 0xED6925, 0xF8850F, 0xFCA50A, 0xFAC62D, 0xF2E661, 0xFCFFA4,
];
const CIVIDIS: [u32; 16] = [
    0x00224E, 0x002E6C, 0x1E3A6F, 0x35456C, 0x47516C, 0x575D6D, 0x666970, 0x757575, 0x848279,
    0x948E77, 0xA59C74, 0xB7A96E, 0xC8B866, 0xDBC75A, 0xEED649, 0xFEE838,
];

/// The colours of Okabe and Ito ("Color Universal Design", 2008) without black, the most different ones
/// first.
const OKABE_ITO: [u32; 7] = [0x56B4E9, 0xE69F00, 0x009E73, 0xCC79A7, 0xF0E442, 0xD55E00, 0x0072B2];

/// A palette as a list of colours, and how it continues between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    colours: Vec<[f32; 3]>,
    /// True if the last colour is followed by the first.
    cyclic: bool,
}

fn listed(colours: &[u32]) -> Vec<[f32; 3]> {
    colours.iter().map(|c| unit([(c >> 16) as u8, (c >> 8) as u8, *c as u8])).collect()
}

impl Scale {
    /// A named palette on a background of this lightness. Of a ramp, the end that is too near to the
    /// background is left out.
    #[must_use]
    pub fn named(name: PaletteName, ground: f32) -> Self {
        let ramp = match name {
            PaletteName::Hues => {
                let circle = if ground > 0.6 { Circle::INKS } else { Circle::BRIGHT };
                let colours = (0..STOPS).map(|i| circle.at(i as f32 / STOPS as f32)).collect();
                return Self { colours, cyclic: true };
            }
            PaletteName::OkabeIto => {
                return Self { colours: listed(&OKABE_ITO), cyclic: true };
            }
            PaletteName::Viridis => VIRIDIS,
            PaletteName::Magma => MAGMA,
            PaletteName::Inferno => INFERNO,
            PaletteName::Cividis => CIVIDIS,
        };
        let whole = Self { colours: listed(&ramp), cyclic: false };
        let clear = |step: &usize| {
            let lightness = oklab::of(whole.at(*step as f32 / 64.0))[0];
            (lightness - ground).abs() >= CONTRAST
        };
        // On a background of middling lightness, that end would be half of it: it stays whole.
        let first = (0..=64).find(clear).filter(|step| *step <= 32).unwrap_or(0);
        let last = (0..=64).rev().find(clear).filter(|step| *step >= 32).unwrap_or(64);
        let (low, high) = (first as f32 / 64.0, last as f32 / 64.0);
        let part = |i: usize| whole.at(low + (high - low) * i as f32 / (STOPS - 1) as f32);
        Self { colours: (0..STOPS).map(part).collect(), cyclic: false }
    }

    /// A list of colours.
    #[must_use]
    pub fn list(colours: &[Rgb]) -> Self {
        Self { colours: colours.iter().map(|Rgb(colour)| unit(*colour)).collect(), cyclic: false }
    }

    /// The same from the end to the beginning.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.colours.reverse();
        self
    }

    /// The colour at a place from 0, the first, to 1, the last. It has no end if it is cyclic: then 1
    /// is the first again.
    #[must_use]
    pub fn at(&self, place: f32) -> [f32; 3] {
        let count = self.colours.len();
        let intervals = if self.cyclic { count } else { count - 1 };
        let place = place.clamp(0.0, 1.0) * intervals as f32;
        let index = (place as usize).min(intervals.saturating_sub(1));
        mix(self.colours[index], self.colours[(index + 1) % count], place - index as f32)
    }

    /// The colour of one of several kinds.
    #[must_use]
    pub fn of_kind(&self, index: usize, kinds: usize) -> [f32; 3] {
        let ramp = self.colours.len() == STOPS;
        match (ramp, self.cyclic) {
            (true, true) => self.at(index as f32 / kinds.max(1) as f32),
            (true, false) => self.at((index as f32 + 0.5) / kinds.max(1) as f32),
            (false, _) => self.colours[index % self.colours.len()],
        }
    }

    /// The stops of a quantity that goes from 0 to 1.
    #[must_use]
    pub fn along(&self) -> Stops {
        // The circle of hues ends before its first colour comes again.
        let end = if self.cyclic { 0.8 } else { 1.0 };
        Stops(std::array::from_fn(|i| self.at(end * i as f32 / (STOPS - 1) as f32)))
    }

    /// The stops of an angle: without a seam. A ramp goes up and down again.
    #[must_use]
    pub fn around(&self) -> Stops {
        let own = self.colours.len() != STOPS;
        let ring = Self { cyclic: true, ..self.clone() };
        Stops(std::array::from_fn(|i| {
            let turn = i as f32 / STOPS as f32;
            let ramp = !self.cyclic && !own;
            if ramp { self.at(1.0 - (2.0 * turn - 1.0).abs()) } else { ring.at(turn) }
        }))
    }
}

impl Stops {
    /// The same colour everywhere.
    #[must_use]
    pub fn one(colour: [f32; 3]) -> Self {
        Self([colour; STOPS])
    }

    /// The colours of a circle.
    #[must_use]
    pub fn circle(circle: &Circle) -> Self {
        Self(std::array::from_fn(|i| circle.at(i as f32 / STOPS as f32)))
    }

    /// The colour at `turn`; 0 and 1 are the same. `colour_at` in `shaders/picture.wgsl` computes the
    /// same.
    #[must_use]
    pub fn at(&self, turn: f32) -> [f32; 3] {
        let place = (turn - turn.floor()) * STOPS as f32;
        let index = place as usize;
        let share = place - index as f32;
        let (from, to) = (self.0[index % STOPS], self.0[(index + 1) % STOPS]);
        [0, 1, 2].map(|i| from[i] + (to[i] - from[i]) * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAMPS: [PaletteName; 4] =
        [PaletteName::Viridis, PaletteName::Magma, PaletteName::Inferno, PaletteName::Cividis];

    #[test]
    fn a_ramp_goes_from_dark_to_light_and_differs_from_its_background() {
        for name in RAMPS {
            for (ground, clear) in [(0.16, true), (0.95, true), (0.5, false)] {
                let stops = Scale::named(name, ground).along().0;
                let lightness = stops.map(|colour| oklab::of(colour)[0]);
                assert!(lightness.windows(2).all(|pair| pair[0] < pair[1]), "{name:?}");
                let least = lightness.iter().map(|l| (l - ground).abs()).fold(1.0, f32::min);
                assert!(least > CONTRAST - 0.01 || !clear, "{name:?} on {ground}: {least}");
                // Most of the ramp is left.
                assert!(lightness[STOPS - 1] - lightness[0] > 0.4, "{name:?} on {ground}");
            }
        }
    }

    #[test]
    fn an_angle_has_no_seam() {
        let own = Scale::list(&[Rgb([255, 0, 0]), Rgb([0, 0, 255]), Rgb([0, 160, 0])]);
        let hues = [PaletteName::Hues, PaletteName::OkabeIto].map(|name| Scale::named(name, 0.1));
        for scale in RAMPS.map(|name| Scale::named(name, 0.1)).iter().chain(&hues).chain([&own]) {
            let stops = scale.around().0;
            let step = |i: usize| {
                let (a, b) = (oklab::of(stops[i]), oklab::of(stops[(i + 1) % STOPS]));
                [0, 1, 2].map(|k| (a[k] - b[k]).powi(2)).iter().sum::<f32>().sqrt()
            };
            let most = (0..STOPS).map(step).fold(0.0, f32::max);
            assert!(most < 0.12, "{scale:?}: {most}");
        }
        assert!((own.around().at(0.0)[0] - 1.0).abs() < 1e-3);
        assert!((own.around().at(1.0 / 3.0)[2] - 1.0).abs() < 0.05);
    }

    #[test]
    fn species_take_the_colours_of_a_list_in_turn() {
        let own = Scale::list(&[Rgb([255, 0, 0]), Rgb([0, 0, 255])]);
        let colours = [0, 1, 2].map(|index| own.of_kind(index, 3));
        assert_eq!(colours, [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
        let one = Scale::list(&[Rgb([0, 255, 0])]);
        assert!(one.along().0.iter().chain(&one.around().0).all(|c| (c[1] - 1.0).abs() < 1e-3));
    }
}
