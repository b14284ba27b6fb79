//! Where the agents of an engine are, for those who draw or count them.

use std::any::Any;

use crate::model::memory::Memory;
use crate::model::state::FlockState;
use crate::model::vector::Point;

/// Where a renderer finds the agents of an engine, as they are after all submitted ticks.
#[derive(Clone, Copy, Debug)]
pub enum AgentsAt<'a> {
    /// In the memory of a device.
    Device(DeviceAgents<'a>),
    /// In the memory of the host.
    Host(HostAgents<'a>),
}

/// Agents in the memory of a device. Only a renderer for that kind of device knows what it holds.
#[derive(Clone, Copy, Debug)]
pub struct DeviceAgents<'a>(&'a (dyn Any + Send + Sync));

impl<'a> DeviceAgents<'a> {
    /// What an engine on a device hands out.
    #[must_use]
    pub fn new(agents: &'a (impl Any + Send + Sync)) -> Self {
        Self(agents)
    }

    /// The agents of a kind of device; none where they are of another.
    #[must_use]
    pub fn get<T: Any>(self) -> Option<&'a T> {
        self.0.downcast_ref()
    }
}

/// One component of a vector of each agent: every `stride`th of the numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Component<'a> {
    numbers: &'a [f32],
    stride: usize,
}

impl<'a> Component<'a> {
    /// All numbers.
    #[must_use]
    pub fn of(numbers: &'a [f32]) -> Self {
        Self { numbers, stride: 1 }
    }

    /// Number `axis` of each point.
    #[must_use]
    pub fn of_points(points: &'a [Point], axis: usize) -> Self {
        let numbers: &[f32] = bytemuck::cast_slice(points);
        let stride = size_of::<Point>() / size_of::<f32>();
        Self { numbers: numbers.get(axis..).unwrap_or_default(), stride }
    }

    /// That of agent number `agent`.
    #[inline]
    #[must_use]
    pub fn get(self, agent: usize) -> f32 {
        self.numbers[agent * self.stride]
    }
}

/// Agents in the memory of the host, in any order.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostAgents<'a> {
    /// World units.
    pub position: [Component<'a>; 2],
    /// World units per tick.
    pub velocity: [Component<'a>; 2],
    /// Which agents they are.
    pub id: &'a [u32],
    /// Index into the scene's species.
    pub species: &'a [u8],
    /// What the agents remember; empty where they remember nothing.
    pub memory: &'a [Memory],
}

impl<'a> From<&'a FlockState> for HostAgents<'a> {
    fn from(state: &'a FlockState) -> Self {
        let of = |points: &'a [Point]| [0, 1].map(|axis| Component::of_points(points, axis));
        Self {
            position: of(&state.position),
            velocity: of(&state.velocity),
            id: &state.id,
            species: &state.species,
            memory: &state.memory,
        }
    }
}

impl HostAgents<'_> {
    /// Number of agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.species.len()
    }

    /// True without agents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.species.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_of_a_state_are_where_they_are() {
        let state = FlockState {
            position: vec![Point::new(1.0, 2.0), Point::new(3.0, 4.0)],
            velocity: vec![Point::new(5.0, 6.0), Point::new(7.0, 8.0)],
            species: vec![0, 1],
            ..FlockState::default()
        };
        let agents = HostAgents::from(&state);
        assert_eq!((agents.len(), agents.is_empty()), (2, false));
        assert_eq!(agents.position.map(|component| component.get(1)), [3.0, 4.0]);
        assert_eq!(agents.velocity.map(|component| component.get(0)), [5.0, 6.0]);
        let none = FlockState::default();
        assert!(HostAgents::from(&none).is_empty());
    }

    #[test]
    fn agents_on_a_device_are_known_to_those_who_know_the_device() {
        let token = 7_u32;
        let agents = DeviceAgents::new(&token);
        assert_eq!((agents.get::<u32>(), agents.get::<i32>()), (Some(&7), None));
    }
}
