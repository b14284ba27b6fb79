//! Agents as bytes, in messages between processes.

use crate::EngineError;
use flockwork_model::behaviours::Uses;
use flockwork_model::kept::MAX_KEPT;
use flockwork_model::memory::Memory;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// The row of an agent in a message: the components of its position and velocity, its species, and its id
/// and memory if the receiver needs them, and the numbers that it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowFormat {
    axes: usize,
    has_id: bool,
    has_memory: bool,
    has_kept: bool,
}

impl RowFormat {
    /// Agents that change the process.
    pub fn of_agents(scene: &Scene) -> Self {
        let has_memory = scene.uses().has(Uses::MEMORY);
        let has_kept = scene.uses().has(Uses::KEPT);
        Self { axes: scene.world.axes(), has_id: true, has_memory, has_kept }
    }

    /// Ghosts: neighbours read no memory, and ids only where these decide who is chosen, or where sizes are drawn.
    pub fn of_ghosts(scene: &Scene) -> Self {
        let uses = scene.uses();
        let has_id = uses.has(Uses::NEAREST) || uses.has(Uses::OTHER_SIZES);
        let has_kept = uses.has(Uses::OTHER_KEPT);
        Self { axes: scene.world.axes(), has_id, has_memory: false, has_kept }
    }

    /// Bytes of a row.
    fn bytes(self) -> usize {
        let words = 2 * self.axes + usize::from(self.has_id) + usize::from(self.has_memory);
        4 * (words + if self.has_kept { MAX_KEPT } else { 0 }) + 1
    }

    /// Appends some agents to a message.
    pub fn put(
        self,
        agents: &FlockState,
        rows: impl IntoIterator<Item = usize>,
        message: &mut Vec<u8>,
    ) {
        for row in rows {
            for point in [agents.position[row], agents.velocity[row]] {
                message.extend_from_slice(bytemuck::cast_slice(&point.to_array()[..self.axes]));
            }
            message.push(agents.species[row]);
            if self.has_id {
                message.extend_from_slice(&agents.id[row].to_ne_bytes());
            }
            if self.has_memory {
                let memory = agents.memory.get(row).copied().unwrap_or_default();
                message.extend_from_slice(&memory.0.to_ne_bytes());
            }
            if self.has_kept {
                let kept = agents.kept.get(row).copied().unwrap_or_default();
                message.extend_from_slice(bytemuck::cast_slice(&kept));
            }
        }
    }

    /// Appends the agents of a message to others. Ids that are not in it are 0.
    pub fn read(self, message: &[u8], agents: &mut FlockState) -> Result<(), EngineError> {
        let rest = message.len() % self.bytes();
        if rest > 0 {
            return Err(EngineError::Message { problem: format!("{rest} bytes too many") });
        }
        for row in message.chunks_exact(self.bytes()) {
            let (motion, row) = row.split_at(8 * self.axes);
            let (species, row) = row.split_at(1);
            let (id, row) = row.split_at(if self.has_id { 4 } else { 0 });
            let (memory, kept) = row.split_at(if self.has_memory { 4 } else { 0 });
            let [position, velocity] = [0, 4 * self.axes].map(|first| {
                let mut point = Point::ZERO;
                let components = motion[first..].chunks_exact(4).take(self.axes);
                for (own, bytes) in point.as_mut().iter_mut().zip(components) {
                    *own = bytemuck::pod_read_unaligned(bytes);
                }
                point
            });
            agents.position.push(position);
            agents.velocity.push(velocity);
            agents.species.extend_from_slice(species);
            agents.id.push(if self.has_id { bytemuck::pod_read_unaligned(id) } else { 0 });
            if self.has_memory {
                agents.memory.push(Memory(bytemuck::pod_read_unaligned(memory)));
            }
            if self.has_kept {
                agents.kept.push(bytemuck::pod_read_unaligned(kept));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_come_out_of_a_message_as_they_went_in() {
        let agents = FlockState {
            id: vec![7, u32::MAX],
            species: vec![3, 31],
            position: vec![Point::new(1.0, 2.0, 3.0), Point::new(-4.0, 5.0, 6.0)],
            velocity: vec![Point::new(0.5, 0.25, -0.0), Point::NAN],
            memory: vec![Memory(9), Memory(u32::MAX)],
            kept: vec![[1.0, 2.0, 3.0, 4.0], [-1.0, 0.5, 1e18, 0.0]],
            ..FlockState::default()
        };
        for axes in [2, 3] {
            for (has_id, has_memory) in [(false, false), (true, false), (true, true)] {
                let has_kept = has_id == has_memory;
                let format = RowFormat { axes, has_id, has_memory, has_kept };
                let mut message = Vec::new();
                format.put(&agents, [1, 0], &mut message);
                assert_eq!(message.len(), 2 * format.bytes());
                let mut found = FlockState::default();
                format.read(&message, &mut found).unwrap();
                let kept = |point: Point| match axes {
                    2 => [point.x, point.y, 0.0].map(f32::to_bits),
                    _ => point.to_array().map(f32::to_bits),
                };
                for (row, from) in [1, 0].into_iter().enumerate() {
                    let bits = [found.position[row], found.velocity[row]]
                        .map(|point| point.to_array().map(f32::to_bits));
                    assert_eq!(bits, [agents.position[from], agents.velocity[from]].map(kept));
                    assert_eq!(found.species[row], agents.species[from]);
                    assert_eq!(found.id[row], if has_id { agents.id[from] } else { 0 });
                    assert!(!has_memory || found.memory[row] == agents.memory[from]);
                    assert!(!has_kept || found.kept[row] == agents.kept[from]);
                }
                message.pop();
                let error = format.read(&message, &mut found).unwrap_err();
                assert!(matches!(error, EngineError::Message { .. }));
            }
        }
    }
}
