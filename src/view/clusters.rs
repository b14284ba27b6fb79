//! Colours that show connected groups, of agents on the host. `shaders/clusters.wgsl` gives the same numbers to agents
//! on a device, except that in crowds a sample of the pairs decides. They take the place of the numbers that agents
//! remember for other colours, in pictures alone.

use std::borrow::Cow;

use flockwork_engine::HostAgents;
use flockwork_model::memory::{Memory, Shown};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::statistics::Clusters;
use flockwork_model::vector::Point;

/// Multiples of the golden ratio are far apart on a circle, and so are the hues of ids that follow one another.
const NUMBER_STEP: u32 = 2_654_435_769;

/// The number of a group for its colour, by the smallest id in it: its agent keeps the colour when the group splits.
/// 0 stands for agents that are alone.
fn number_of(smallest: Option<u32>) -> u32 {
    smallest.map_or(0, |id| (id.wrapping_mul(NUMBER_STEP) >> 24).max(1))
}

/// The memory of the agents, with the numbers of their groups; `None` if no colour of `scene` shows groups.
pub fn memory_of(scene: &Scene, agents: &HostAgents<'_>) -> Option<Vec<Memory>> {
    if !scene.shows_clusters() {
        return None;
    }
    let place = |row| Point::from_array(agents.position.map(|component| component.get(row)));
    let positions: Vec<Point> = (0..agents.len()).map(place).collect();
    let (shown, smallest) =
        (scene.shown(), Clusters::smallest_ids(scene, &positions, agents.id).into_iter());
    let memory = smallest.enumerate().map(|(row, smallest)| {
        let own = agents.memory.get(row).copied().unwrap_or_default();
        let shows = shown.species(agents.species[row]) == Shown::Cluster;
        if shows { own.showing(number_of(smallest)) } else { own }
    });
    Some(memory.collect())
}

/// The same flock, with the numbers of the groups if a colour of `scene` shows them.
pub fn with_clusters<'a>(scene: &Scene, state: &'a FlockState) -> Cow<'a, FlockState> {
    match memory_of(scene, &HostAgents::from(state)) {
        Some(memory) => Cow::Owned(FlockState { memory, ..state.clone() }),
        None => Cow::Borrowed(state),
    }
}
