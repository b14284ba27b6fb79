//! Options of the GPU engine.

use super::buffers;

/// Options of the engine itself; they are not part of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Keeps the device's bounds checks and loop counters. They take a third of the speed and
    /// change no result.
    pub checked: bool,
    /// Cells with more members count as crowded.
    pub crowded_above: u32,
    /// The most workgroups in a row of a dispatch; `None` uses the device's limit.
    pub dispatch_limit: Option<u32>,
    /// The largest grid that one workgroup scans; blocks of cells. `None` leaves it to the device.
    pub small_grid: Option<u32>,
    /// Uses the common shaders also on the one driver that has its own: each agent reads its
    /// neighbours by itself, and loops are plain. Slower there. Changes no result while fewer than
    /// a million agents share a cell.
    pub without_subgroups: bool,
    /// Whether the host may wait for the device; a page may not.
    pub waits: bool,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            checked: cfg!(debug_assertions),
            crowded_above: buffers::CROWDED_ABOVE,
            dispatch_limit: None,
            small_grid: None,
            without_subgroups: false,
            waits: cfg!(not(target_family = "wasm")),
        }
    }
}
