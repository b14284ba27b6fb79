//! The agents of an engine, for code that draws or counts them.

use std::any::Any;

use flockwork_model::kept::{KeptNames, KeptRow, MAX_KEPT};
use flockwork_model::memory::Memory;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{DIMENSIONS, Point};

/// Gives a renderer access to the agents as they are after all submitted ticks.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(target_family = "wasm"),
    expect(clippy::large_enum_variant, reason = "one is made a frame")
)]
pub enum AgentsAt<'a> {
    /// In the memory of a device.
    Device(DeviceAgents<'a>),
    /// In the memory of the host.
    Host(HostAgents<'a>),
}

/// Agents in the memory of a device. Only a renderer for the same kind of device can read them.
#[derive(Clone, Copy, Debug)]
pub struct DeviceAgents<'a>(&'a (dyn Any + Send + Sync));

impl<'a> DeviceAgents<'a> {
    /// Wraps what an engine on a device shares with its renderer.
    #[must_use]
    pub fn new(agents: &'a (impl Any + Send + Sync)) -> Self {
        Self(agents)
    }

    /// The agents, if they are of the kind `T`.
    #[must_use]
    pub fn get<T: Any>(self) -> Option<&'a T> {
        self.0.downcast_ref()
    }
}

/// One component of a vector of every agent: every `stride`-th number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Component<'a> {
    numbers: &'a [f32],
    stride: usize,
}

impl<'a> Component<'a> {
    /// A component whose numbers are contiguous.
    #[must_use]
    pub fn of(numbers: &'a [f32]) -> Self {
        Self { numbers, stride: 1 }
    }

    /// A component that is 0 for every agent.
    #[must_use]
    pub fn zero() -> Self {
        Self { numbers: &[0.0], stride: 0 }
    }

    /// Component `axis` of each point.
    #[must_use]
    pub fn of_points(points: &'a [Point], axis: usize) -> Self {
        let numbers: &[f32] = bytemuck::cast_slice(points);
        let stride = size_of::<Point>() / size_of::<f32>();
        Self { numbers: numbers.get(axis..).unwrap_or_default(), stride }
    }

    /// The number at this place of each row.
    #[must_use]
    pub fn of_kept(rows: &'a [KeptRow], place: usize) -> Self {
        match rows.is_empty() {
            true => Self::zero(),
            false => Self { numbers: &rows.as_flattened()[place..], stride: MAX_KEPT },
        }
    }

    /// The numbers from the first one on, and how many numbers one agent's is after the other's.
    #[must_use]
    pub fn strided(self) -> (&'a [f32], usize) {
        (self.numbers, self.stride)
    }

    /// The component of agent number `agent`.
    #[inline]
    #[must_use]
    pub fn get(self, agent: usize) -> f32 {
        self.numbers[agent * self.stride]
    }
}

/// Agents in the memory of the host, in any order.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostAgents<'a> {
    /// Ticks that the flock has run.
    pub tick: u64,
    /// World units; in a plane the third component is 0.
    pub position: [Component<'a>; DIMENSIONS],
    /// World units per tick.
    pub velocity: [Component<'a>; DIMENSIONS],
    /// Ids.
    pub id: &'a [u32],
    /// Index into the scene's species.
    pub species: &'a [u8],
    /// Empty if the agents have no memory.
    pub memory: &'a [Memory],
    /// The numbers that the agents keep; 0 if they keep none.
    pub kept: [Component<'a>; MAX_KEPT],
    /// Their names.
    pub kept_names: KeptNames,
}

impl<'a> From<&'a FlockState> for HostAgents<'a> {
    fn from(state: &'a FlockState) -> Self {
        let of = |points: &'a [Point]| [0, 1, 2].map(|axis| Component::of_points(points, axis));
        Self {
            tick: state.tick,
            position: of(&state.position),
            velocity: of(&state.velocity),
            id: &state.id,
            species: &state.species,
            memory: &state.memory,
            kept: std::array::from_fn(|place| Component::of_kept(&state.kept, place)),
            kept_names: state.kept_names,
        }
    }
}

impl HostAgents<'_> {
    /// Number of agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.species.len()
    }

    /// True if there are no agents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.species.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::vector::flat;

    #[test]
    fn agents_of_a_state_are_where_they_are() {
        let state = FlockState {
            position: vec![flat(1.0, 2.0), flat(3.0, 4.0)],
            velocity: vec![flat(5.0, 6.0), flat(7.0, 8.0)],
            species: vec![0, 1],
            ..FlockState::default()
        };
        let agents = HostAgents::from(&state);
        assert_eq!((agents.len(), agents.is_empty()), (2, false));
        assert_eq!(agents.position.map(|component| component.get(1)), [3.0, 4.0, 0.0]);
        assert_eq!(agents.velocity.map(|component| component.get(0)), [5.0, 6.0, 0.0]);
        let none = FlockState::default();
        assert!(HostAgents::from(&none).is_empty());
    }
}
