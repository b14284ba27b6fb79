//! The sums and lists from which the metrics of a state come, each computed when a metric first asks for
//! it.

use std::cell::OnceCell;

use super::super::grid::Grid;
use super::super::scene::Scene;
use super::super::state::FlockState;
use super::cells::Cells;
use super::clusters::Clusters;
use super::order::Order;
use super::parts;
use super::sight::{PartSight, look};
use super::unwrapping::Travel;

/// Number of agents per task that finds neighbours, which is more work per agent.
const LOOKING_PART: usize = 512;

/// The cells of a plane or of a space.
pub enum SortedCells {
    Plane(Cells<2>),
    Space(Cells<3>),
}

/// Runs code with the cells of some sums, for either number of axes.
macro_rules! with_cells {
    ($sums:expr, $cells:ident => $code:expr) => {
        match $sums.cells() {
            $crate::statistics::sums::SortedCells::Plane($cells) => $code,
            $crate::statistics::sums::SortedCells::Space($cells) => $code,
        }
    };
}

pub(super) use with_cells;

/// The results from which the metrics of a flock with at least one agent come. Each is computed when
/// a metric first asks for it.
pub struct Sums<'a> {
    pub scene: &'a Scene,
    pub state: &'a FlockState,
    /// Way of each agent; empty unless the agents are followed.
    pub travels: &'a [Travel],
    cells: OnceCell<SortedCells>,
    order: OnceCell<Order>,
    sight: OnceCell<PartSight>,
    clusters: OnceCell<Clusters>,
}

impl<'a> Sums<'a> {
    pub const fn new(scene: &'a Scene, state: &'a FlockState, travels: &'a [Travel]) -> Self {
        Self {
            scene,
            state,
            travels,
            cells: OnceCell::new(),
            order: OnceCell::new(),
            sight: OnceCell::new(),
            clusters: OnceCell::new(),
        }
    }

    pub fn agents(&self) -> u64 {
        self.state.len() as u64
    }

    pub fn cells(&self) -> &SortedCells {
        let Self { scene, state, .. } = self;
        self.cells.get_or_init(|| {
            if scene.world.is_flat() {
                SortedCells::Plane(Cells::of(scene, state))
            } else {
                SortedCells::Space(Cells::of(scene, state))
            }
        })
    }

    #[cfg(test)]
    pub fn has_cells(&self) -> bool {
        self.cells.get().is_some()
    }

    pub fn order(&self) -> &Order {
        self.order.get_or_init(|| Order::of(&self.scene.world, self.state))
    }

    pub fn sight(&self) -> &PartSight {
        let look = || with_cells!(self, cells => look_around(cells, self.scene, self.state));
        self.sight.get_or_init(look)
    }

    pub fn clusters(&self) -> &Clusters {
        let radius = self.scene.perception_radius();
        self.clusters.get_or_init(|| with_cells!(self, cells => Clusters::of(cells, radius)))
    }

    /// The mean of a sum over all agents.
    pub fn mean(&self, sum: f64) -> f64 {
        sum * (1.0 / self.agents() as f64)
    }
}

/// The neighbours of all agents.
fn look_around<const D: usize>(cells: &Cells<D>, scene: &Scene, state: &FlockState) -> PartSight {
    let count = state.len();
    let mut all = PartSight::default();
    if count < 2 {
        return all;
    }
    for part in parts(count, LOOKING_PART, |part| look(cells, part, scene, state.tick as u32)) {
        all.near += part.near;
        all.nearest += part.nearest;
        all.sampled.extend(part.sampled);
    }
    if !all.sampled.is_empty() {
        // A radius of 0 gives the smallest cells that the number of agents allows.
        let grid = Grid::<D>::new(&scene.world, 0.0, count);
        let small = Cells::in_grid(grid, &scene.world, &state.position);
        let mut sampled = vec![false; count];
        all.sampled.iter().for_each(|row| sampled[*row as usize] = true);
        let nearest = |agent| if sampled[small.row(agent)] { small.nearest(agent) } else { 0.0 };
        let sums = parts(count, LOOKING_PART, |part| part.map(nearest).sum::<f64>());
        all.nearest += sums.into_iter().sum::<f64>();
    }
    all
}
