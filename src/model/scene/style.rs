//! The style of a scene: what its pictures look like. It has no effect on the motion.

use std::fmt;

use crate::named::named;

/// A colour: red, green and blue, sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

impl Rgb {
    /// Reads `#RRGGBB`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then_some(Self([channel(0)?, channel(2)?, channel(4)?]))
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([r, g, b]) = self;
        write!(f, "#{r:02X}{g:02X}{b:02X}")
    }
}

/// The most colours of a background.
pub const MAX_BACKGROUND_COLOURS: usize = 8;

/// The most colours of a palette.
pub const MAX_PALETTE_COLOURS: usize = 16;

/// The background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Background {
    /// One of the named backgrounds.
    Named(BackgroundName),
    /// Colours from top to bottom, evenly spaced; one fills the picture.
    Colours(Vec<Rgb>),
}

named! {
    /// The backgrounds with names.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum BackgroundName {
        /// A very dark blue.
        #[default]
        Dark = "dark",
        /// From a dark blue down to almost black.
        Night = "night",
        /// A warm white, for print and slides.
        Paper = "paper",
        /// An evening sky: from a dark blue down to an orange horizon.
        Dusk = "dusk",
        /// A morning sky: from a pale blue down to a rose horizon.
        Dawn = "dawn",
        /// Nothing: pictures are transparent.
        None = "none",
    }
}

impl Default for Background {
    fn default() -> Self {
        Self::Named(BackgroundName::default())
    }
}

impl Background {
    /// The backgrounds with names, as scene files name them.
    #[must_use]
    pub fn names() -> Vec<(&'static str, Self)> {
        BackgroundName::NAMES.map(|(name, named)| (name, Self::Named(named))).into()
    }

    /// The colours from top to bottom; empty if the background is transparent.
    #[must_use]
    pub fn colours(&self) -> Vec<Rgb> {
        let named: &[[u8; 3]] = match self {
            Self::Colours(colours) => return colours.clone(),
            Self::Named(BackgroundName::Dark) => &[[11, 14, 20]],
            Self::Named(BackgroundName::Night) => &[[14, 20, 32], [7, 8, 11]],
            Self::Named(BackgroundName::Paper) => &[[244, 241, 234]],
            Self::Named(BackgroundName::Dusk) => {
                &[[42, 51, 80], [94, 109, 150], [143, 160, 196], [201, 181, 166], [242, 197, 143]]
            }
            Self::Named(BackgroundName::Dawn) => &[
                [88, 120, 164],
                [136, 160, 190],
                [190, 190, 200],
                [238, 200, 184],
                [252, 222, 176],
            ],
            Self::Named(BackgroundName::None) => &[],
        };
        named.iter().copied().map(Rgb).collect()
    }

    /// True for the sky at dusk or dawn, before which agents are silhouettes.
    #[must_use]
    pub fn is_sky(&self) -> bool {
        [BackgroundName::Dusk, BackgroundName::Dawn].map(Self::Named).contains(self)
    }

    /// True if pictures are transparent where there is no agent.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::Named(BackgroundName::None)
    }
}

/// The colours that a quantity runs through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// The one that suits the quantity and the background.
    #[default]
    Auto,
    /// One of the named palettes.
    Named(PaletteName),
    /// Colours in order, evenly spaced.
    Colours(Vec<Rgb>),
}

named! {
    /// The palettes with names.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PaletteName {
        /// Hues of equal lightness around the colour circle.
        Hues = "hues",
        /// Dark violet, green, yellow.
        Viridis = "viridis",
        /// Black, purple, pale orange.
        Magma = "magma",
        /// Black, red, pale yellow.
        Inferno = "inferno",
        /// Dark blue, grey, yellow; also for colour-blind readers.
        Cividis = "cividis",
        /// Seven colours that colour-blind readers can tell apart.
        OkabeIto = "okabe-ito",
    }
}

impl Palette {
    /// `auto` and the palettes with names, as scene files name them.
    #[must_use]
    pub fn names() -> Vec<(&'static str, Self)> {
        let named = PaletteName::NAMES.map(|(name, named)| (name, Self::Named(named)));
        [("auto", Self::Auto)].into_iter().chain(named).collect()
    }
}

named! {
    /// The lower end of a space.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Ground {
        /// Nothing.
        #[default]
        None = "none",
        /// The floor of the world, with shadows.
        Floor = "floor",
        /// Calm water to the horizon, a mirror.
        Water = "water",
    }
}

named! {
    /// The light on the agents of a space.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Light {
        /// Nothing before an evening sky, the sun elsewhere.
        #[default]
        Auto = "auto",
        /// A sun and the sky.
        Sun = "sun",
        /// Nothing: agents have the same colour on all sides.
        None = "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_and_written_with_six_digits() {
        assert_eq!(Rgb::parse("#0b0E14"), Some(Rgb([11, 14, 20])));
        assert_eq!(Rgb([11, 14, 20]).to_string(), "#0B0E14");
        for wrong in ["", "#", "0B0E14", "#0B0E1", "#0B0E145", "#0B0E1G", "#+B0E14", "#ééé", "red"]
        {
            assert_eq!(Rgb::parse(wrong), None, "{wrong}");
        }
    }
}
