//! The average of a metric over the samples of a run, with its error. Samples that follow one another
//! are alike, so the error is larger than the deviation divided by the root of their number.

use serde::{Deserialize, Serialize};

/// Samples in a batch of [`settled`], as White and others (2000) advise.
pub const BATCH: usize = 5;

/// Fewer blocks say little about their variance.
const MIN_BLOCKS: usize = 8;

/// The average of a series of samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TimeAverage {
    /// Number of samples.
    pub samples: usize,
    /// Their mean.
    pub mean: f64,
    /// Standard error of the mean, by blocking (Flyvbjerg and Petersen, 1989); NaN of one sample.
    pub standard_error: f64,
    /// Integrated autocorrelation time, in samples: this many times two make one independent sample; NaN of one.
    pub correlation_time: f64,
    /// Binder cumulant 1 − ⟨m⁴⟩ / 3⟨m²⟩²; 0 if all samples are 0.
    pub binder: f64,
    /// False if the series is too short for its correlation: then the error is a lower bound.
    pub is_long_enough: bool,
}

impl TimeAverage {
    /// The average of at least one sample; `None` of none.
    ///
    /// Blocks are the smallest of 1, 2, 4, … samples that are longer than the correlation: b³ > 2 n s⁴,
    /// with s² the variance of the mean by blocks over that by samples (Lee and others, 2011).
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let samples = values.len();
        if samples == 0 {
            return None;
        }
        let moment = |power| values.iter().map(|value| value.powi(power)).sum::<f64>();
        let (squares, fourths) = (moment(2), moment(4));
        let binder = 1.0 - fourths * samples as f64 / (3.0 * squares * squares);
        let naive = variance_of_mean(values);
        let (mut blocks, mut size, mut largest) = (values.to_vec(), 1_usize, naive);
        let is_long_enough = loop {
            let ratio = largest / naive;
            // No variance at all: nothing is correlated.
            let is_beyond = (size as f64).powi(3) > 2.0 * samples as f64 * ratio * ratio;
            if naive == 0.0 || is_beyond {
                break true;
            }
            if blocks.len() < 2 * MIN_BLOCKS {
                break false;
            }
            blocks = blocks.chunks_exact(2).map(|pair| (pair[0] + pair[1]) * 0.5).collect();
            size *= 2;
            largest = largest.max(variance_of_mean(&blocks));
        };
        Some(Self {
            samples,
            mean: mean(values),
            standard_error: largest.sqrt(),
            correlation_time: if naive == 0.0 { 0.5 } else { largest / naive * 0.5 },
            binder: if squares > 0.0 { binder } else { 0.0 },
            is_long_enough,
        })
    }
}

/// The mean. Differences from the first value are summed, so that equal values have exactly their value.
fn mean(values: &[f64]) -> f64 {
    let first = values.first().copied().unwrap_or_default();
    first + values.iter().map(|value| value - first).sum::<f64>() / values.len() as f64
}

/// The variance of the mean of independent values; NaN of a single one, which says nothing of it.
fn variance_of_mean(values: &[f64]) -> f64 {
    let (count, mean) = (values.len() as f64, mean(values));
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count * (count - 1.0))
}

/// The number of samples at the beginning after which a series has settled: what is left has the least
/// error of its mean (MSER-5: White and others, 2000). At most half of the series.
#[must_use]
pub fn settled(values: &[f64]) -> usize {
    // About the mean, so that squares of nearly equal numbers do not cancel.
    let middle = mean(values);
    let batch = |values: &[f64]| mean(values) - middle;
    let batches: Vec<f64> = values.chunks_exact(BATCH).map(batch).collect();
    let (mut sum, mut squares, mut best) = (0.0, 0.0, (f64::INFINITY, 0));
    // From the end: the sums of what is left.
    for (begin, value) in batches.iter().enumerate().rev() {
        sum += value;
        squares += value * value;
        let count = (batches.len() - begin) as f64;
        let spread = (squares - sum * sum / count).max(0.0) / (count * count);
        if 2 * begin <= batches.len() && spread <= best.0 {
            best = (spread, begin);
        }
    }
    best.1 * BATCH
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, unit};

    /// Two numbers of a normal distribution, by Box and Muller.
    fn normal(number: u32) -> [f64; 2] {
        let even = |part| f64::from(unit(7, number, part, Purpose::SpawnX)).max(1e-9);
        let (radius, angle) = ((-2.0 * even(0).ln()).sqrt(), std::f64::consts::TAU * even(1));
        [radius * angle.cos(), radius * angle.sin()]
    }

    /// A series in which each value keeps `memory` of the one before; its deviation is 1.
    fn series(samples: u32, memory: f64) -> Vec<f64> {
        let mut value = 0.0;
        let next = |number| {
            value = memory * value + (1.0 - memory * memory).sqrt() * normal(number)[0];
            value
        };
        (0..samples).map(next).collect()
    }

    /// Relative: blocks of a finite series scatter.
    const SCATTER: f64 = 0.25;

    #[test]
    fn the_error_counts_the_correlation() {
        for memory in [0.0, 0.5, 0.9, 0.98] {
            let average = TimeAverage::of(&series(40_000, memory)).unwrap();
            // Exact for this process.
            let time = 0.5 * (1.0 + memory) / (1.0 - memory);
            let error = (2.0 * time / 40_000.0).sqrt();
            let off = |found: f64, exact: f64| (found / exact - 1.0).abs();
            assert!(average.is_long_enough);
            assert!(off(average.standard_error, error) < SCATTER, "{memory}: {average:?} {error}");
            assert!(off(average.correlation_time, time) < 2.0 * SCATTER, "{memory}: {average:?}");
            assert!(average.mean.abs() < 4.0 * error, "{memory}: {average:?}");
            // The control: samples taken as independent.
            let naive = (1.0_f64 / 40_000.0).sqrt();
            assert!(memory < 0.5 || off(naive, error) > SCATTER, "{memory}");
        }
    }

    #[test]
    fn a_series_shorter_than_its_correlation_says_so() {
        assert!(!TimeAverage::of(&series(60, 0.98)).unwrap().is_long_enough);
        let one = TimeAverage::of(&[3.0]).unwrap();
        assert_eq!((one.mean, one.is_long_enough), (3.0, false));
        assert!(one.standard_error.is_nan() && one.correlation_time.is_nan(), "{one:?}");
        let constant = [1.0 - f64::EPSILON / 2.0; 5001];
        let same = TimeAverage::of(&constant).unwrap();
        assert_eq!((same.standard_error, same.is_long_enough), (0.0, true));
        assert_eq!((same.mean, same.correlation_time), (constant[0], 0.5));
        assert_eq!(settled(&constant), 0);
        assert_eq!(TimeAverage::of(&[]), None);
    }

    #[test]
    fn the_binder_cumulant_tells_order_from_disorder() {
        let of = |values: Vec<f64>| TimeAverage::of(&values).unwrap().binder;
        let lengths = (0..40_000).map(normal).map(|[x, y]| x.hypot(y)).collect();
        // Exact: two thirds where the order is constant, a third of a vector in a plane without order,
        // 0 of one number.
        assert!((of(vec![0.8; 100]) - 2.0 / 3.0).abs() < 1e-12);
        assert!((of(lengths) - 1.0 / 3.0).abs() < 0.02);
        assert!(of(series(40_000, 0.0)).abs() < 0.05);
        assert_eq!(of(vec![0.0; 9]), 0.0);
    }

    #[test]
    fn a_series_settles_where_its_drift_ends() {
        let drift = |n: usize| 8.0 * (-(n as f64) / 100.0).exp();
        let noise = series(4000, 0.5);
        let values: Vec<f64> = noise.iter().enumerate().map(|(n, x)| x + drift(n)).collect();
        let begin = settled(&values);
        assert!((150..900).contains(&begin), "{begin}");
        let rest = TimeAverage::of(&values[begin..]).unwrap();
        let whole = TimeAverage::of(&values).unwrap();
        assert!(rest.mean.abs() < 4.0 * rest.standard_error, "{rest:?}");
        assert!(whole.mean > 4.0 * rest.standard_error, "the control: the drift is no part of it");
        let lifted: Vec<f64> = values.iter().map(|value| 1e9 + value).collect();
        assert_eq!(settled(&lifted), begin, "a large mean changes nothing");
        assert!(settled(&noise) < 2000 && settled(&[]) == 0 && settled(&[1.0; 7]) <= 5);
    }
}
