//! The extent of a flock on the device.

use super::row::MotionLayout;

/// Cells per workgroup of a pass over cells.
pub const CELLS_PER_BLOCK: u32 = 2048;

/// Numbers of agents, ids and cells to process, and the layout of the agents' motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The layout of an agent's motion.
    pub layout: MotionLayout,
    /// Agents.
    pub agents: u32,
    /// The smallest id that was never used.
    pub ids: u32,
    /// Grid cells.
    pub cells: u32,
    /// The most cells that can be crowded.
    pub crowds: u32,
    /// Cells of agents that belong to other processes.
    pub ghost_cells: u32,
}

impl Extent {
    /// The extent of `count` agents with ids below `ids` on `cells` cells. Cells with more than
    /// `crowded_above` members are crowded.
    #[must_use]
    pub fn of(layout: MotionLayout, count: u32, ids: u32, cells: u32, crowded_above: u32) -> Self {
        let crowds = (count / crowded_above.max(1)).max(1);
        Self { layout, agents: count, ids, cells, crowds, ghost_cells: 0 }
    }

    /// True if it is the extent of a slab: one of several processes has it.
    #[must_use]
    pub const fn is_slab(&self) -> bool {
        self.ghost_cells > 0
    }
}
