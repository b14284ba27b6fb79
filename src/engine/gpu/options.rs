//! Knobs of the GPU engine.

use super::{buffers, pass};

/// Knobs of the engine itself: nothing a scene has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Keep the device's own bounds checks and loop counters. They cost a third of the speed and
    /// change no result.
    pub checked: bool,
    /// Members above which a cell counts as crowded.
    pub crowded_above: u32,
    /// Workgroups in a row of a dispatch; none: as many as the device allows.
    pub dispatch_limit: Option<u32>,
    /// Blocks of cells of the largest grid that one workgroup scans.
    pub small_grid: u32,
    /// Takes the shaders of all other devices on the one driver that has its own: each agent walks by
    /// itself and loops are plain. Slower there, and it changes no result as long as fewer than a
    /// million agents share a cell.
    pub without_subgroups: bool,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            checked: cfg!(debug_assertions),
            crowded_above: buffers::CROWDED_ABOVE,
            dispatch_limit: None,
            small_grid: pass::SMALL_GRID,
            without_subgroups: false,
        }
    }
}
