//! Figures of a flock.
