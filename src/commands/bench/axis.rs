//! The axes of a chart: the positions of values, and the values that are marked.

/// An axis from one place of the picture to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Value at the start.
    low: f64,
    /// Value at the end.
    high: f64,
    /// True if equal distances are equal factors.
    logarithmic: bool,
    /// The start and end of the axis; units of the picture.
    ends: (i32, i32),
}

/// 1, 2 or 5 times a power of ten: the largest that is not above `value`.
fn round_below(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    // A tolerance, so that a round value with a rounding error stays.
    let step = [5.0, 2.0].into_iter().find(|step| step * power <= value * (1.0 + 1e-9));
    step.unwrap_or(1.0) * power
}

/// 1, 2 or 5 times a power of ten: the smallest that is not below `value`.
fn round_above(value: f64) -> f64 {
    let below = round_below(value);
    let power = 10_f64.powf(below.log10().floor());
    let next = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    let fits = |step: &f64| *step >= value * (1.0 - 1e-9);
    next.into_iter().find(fits).unwrap_or(below)
}

impl Axis {
    /// An axis from 0 to slightly more than `largest`.
    #[must_use]
    pub fn from_zero(largest: f64, ends: (i32, i32)) -> Self {
        let high = if largest > 0.0 { largest } else { 1.0 };
        Self { low: 0.0, high, logarithmic: false, ends }
    }

    /// A logarithmic axis from a round number to a round number.
    #[must_use]
    pub fn logarithmic(smallest: f64, largest: f64, ends: (i32, i32)) -> Self {
        let (low, high) = (round_below(smallest), round_above(largest));
        let high = if high > low { high } else { low * 10.0 };
        Self { low, high, logarithmic: true, ends }
    }

    /// A logarithmic axis with some room at both ends.
    #[must_use]
    pub fn roomy(smallest: f64, largest: f64, ends: (i32, i32)) -> Self {
        let room = (largest / smallest).powf(0.06).max(1.1);
        Self { low: smallest / room, high: largest * room, logarithmic: true, ends }
    }

    /// The position of `value`.
    #[must_use]
    pub fn at(&self, value: f64) -> i32 {
        let share = if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        let (begin, end) = self.ends;
        begin + (share.clamp(0.0, 1.0) * f64::from(end - begin)).round() as i32
    }

    /// The values to mark, smallest first.
    #[must_use]
    pub fn marks(&self) -> Vec<f64> {
        let Self { low, high, .. } = *self;
        if !self.logarithmic {
            let step = round_above((high - low) / 5.0);
            let steps = ((high - low) / step * (1.0 + 1e-9)) as u32;
            return (0..=steps).map(|number| low + f64::from(number) * step).collect();
        }
        let steps: &[f64] = if high / low < 2e3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let all = powers.flat_map(|power| steps.iter().map(move |s| s * 10_f64.powi(power)));
        all.filter(|mark| (low * 0.999..=high * 1.001).contains(mark)).collect()
    }
}

/// A number of agents for display: `200 k`, `1.5 M`.
#[must_use]
pub fn short_count(count: usize) -> String {
    let rounded = |value: f64, unit: &str| {
        let text = format!("{value:.1}");
        format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
    };
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => rounded(count as f64 / 1e3, "k"),
        _ => rounded(count as f64 / 1e6, "M"),
    }
}

/// A measured number for display, with three significant digits.
#[must_use]
pub fn short_number(value: f64) -> String {
    let digits = match value {
        v if v >= 100.0 || v == 0.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}

/// A round number for display, without trailing zeros.
#[must_use]
pub fn mark_text(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_inside() {
        let axis = Axis::logarithmic(0.23, 87.0, (300, 0));
        assert_eq!(axis.marks().first(), Some(&0.2));
        assert_eq!(axis.marks().len(), 9, "{:?}", axis.marks());
        assert_eq!((axis.at(0.2), axis.at(100.0)), (300, 0));
        let wide = Axis::logarithmic(1.0, 1e5, (0, 100));
        assert_eq!(
            wide.marks().iter().map(|m| mark_text(*m)).collect::<Vec<_>>().join(" "),
            "1 10 100 1000 10000 100000"
        );
        let linear = Axis::from_zero(184.0, (200, 0));
        assert_eq!(linear.marks(), [0.0, 50.0, 100.0, 150.0]);
        assert_eq!((linear.at(0.0), linear.at(92.0), linear.at(184.0)), (200, 100, 0));
    }

    #[test]
    fn a_single_value_still_makes_an_axis() {
        let axis = Axis::logarithmic(10.0, 10.0, (100, 0));
        assert_eq!((axis.at(10.0), axis.at(100.0)), (100, 0));
        assert_eq!(Axis::roomy(500.0, 500.0, (0, 100)).at(500.0), 50);
        assert_eq!(Axis::from_zero(0.0, (100, 0)).at(0.0), 100);
    }

    #[test]
    fn numbers_are_short() {
        let counts = [999, 1000, 12_345, 200_000, 1_000_000, 1_500_000, 100_000_000];
        let texts = counts.map(short_count).join(", ");
        assert_eq!(texts, "999, 1 k, 12.3 k, 200 k, 1 M, 1.5 M, 100 M");
        let texts = [0.0, 0.0412, 2.34567, 44.67, 1234.5].map(short_number).join(", ");
        assert_eq!(texts, "0, 0.041, 2.35, 44.7, 1234");
        assert_eq!([0.02, 1.0, 200.0].map(mark_text).join(", "), "0.02, 1, 200");
    }
}
