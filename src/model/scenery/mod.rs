//! What stands in a world: obstacles, paths and a flow field, kept so that an agent finds what
//! concerns it without looking at the rest.

mod flow;
mod lists;
mod obstacles;
mod paths;

pub use flow::{FlowField, FlowKind, FlowPlan};
pub use lists::{CellLists, SpatialIndex};
pub use obstacles::{Obstacle, Obstacles};
pub use paths::{Path, Paths, Segment};

/// What agents ask for: made by the scene, as far as its behaviours need it.
#[derive(Clone, Debug)]
pub struct Scenery {
    /// Circles, by the cells from which they matter.
    pub obstacles: Obstacles,
    /// Polylines, by the cells from which they are nearest.
    pub paths: Paths,
    /// A vector for each cell.
    pub flow: FlowField,
}
