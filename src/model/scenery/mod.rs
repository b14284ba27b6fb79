//! Obstacles, paths and a flow field, sorted into cells so that an agent examines only nearby ones.

mod flow;
mod lists;
mod obstacles;
mod paths;

pub use flow::{FlowField, FlowKind, FlowPlan};
pub use lists::{CellLists, SpatialIndex};
pub use obstacles::{Obstacle, Obstacles};
pub use paths::{Path, Paths, Segment};

/// The scenery that behaviours look up. A scene builds only what its behaviours need.
#[derive(Clone, Debug)]
pub struct Scenery {
    /// Circles, listed in each cell within their reach.
    pub obstacles: Obstacles,
    /// Polylines: each cell lists the segments that may be nearest.
    pub paths: Paths,
    /// A vector for each cell.
    pub flow: FlowField,
}
