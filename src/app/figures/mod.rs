//! Figures of the flock: measured on a thread, plotted, and saved.

mod measuring;

pub use measuring::{Measured, Measuring};
