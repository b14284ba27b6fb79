//! How fast time goes in a window.

/// How many ticks run for one of real time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speed {
    /// One quarter.
    Quarter,
    /// One half.
    Half,
    /// As many as in real time: one a frame on a screen of 60 Hz.
    #[default]
    One,
    /// This many times as many.
    Times(u32),
    /// As many as can be computed.
    Unlimited,
}

/// All speeds, slowest first.
pub const SPEEDS: [Speed; 10] = [
    Speed::Quarter,
    Speed::Half,
    Speed::One,
    Speed::Times(2),
    Speed::Times(4),
    Speed::Times(8),
    Speed::Times(16),
    Speed::Times(32),
    Speed::Times(64),
    Speed::Unlimited,
];

impl Speed {
    /// Times real time; infinite for [`Speed::Unlimited`].
    #[must_use]
    pub fn factor(self) -> f64 {
        match self {
            Self::Quarter => 0.25,
            Self::Half => 0.5,
            Self::One => 1.0,
            Self::Times(times) => times.into(),
            Self::Unlimited => f64::INFINITY,
        }
    }

    /// The speed that is `by` steps faster, or the fastest or slowest one.
    #[must_use]
    pub fn step(self, by: isize) -> Self {
        let at = SPEEDS.iter().position(|speed| *speed == self).unwrap_or(2) as isize;
        let last = SPEEDS.len() as isize - 1;
        SPEEDS[(at + by).clamp(0, last) as usize]
    }
}

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Quarter => f.write_str("×¼"),
            Self::Half => f.write_str("×½"),
            Self::One => f.write_str("×1"),
            Self::Times(times) => write!(f, "×{times}"),
            Self::Unlimited => f.write_str("max"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_go_from_a_quarter_to_as_fast_as_it_goes() {
        assert_eq!(Speed::default().step(-1), Speed::Half);
        assert_eq!(Speed::default().step(-9), Speed::Quarter);
        assert_eq!(Speed::Times(64).step(1), Speed::Unlimited);
        assert_eq!(Speed::Unlimited.step(1), Speed::Unlimited);
        assert!(SPEEDS.windows(2).all(|pair| pair[0].factor() < pair[1].factor()));
        let names: Vec<String> = SPEEDS.iter().map(ToString::to_string).collect();
        assert_eq!([&names[0], &names[4], &names[9]], ["×¼", "×4", "max"]);
    }
}
