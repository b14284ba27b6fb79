//! Counts the agents in crowds so dense that the engine samples them.

use std::time::{Duration, Instant};

use super::player::Player;
use crate::engine::gpu::row::{MotionRow, STATE_BYTES};
use crate::engine::gpu::{AgentBuffers, Gpu};
use crate::engine::{AgentsAt, EngineError};
use crate::model::grid::RUN_CAP;
use crate::model::statistics::sampled_agents;
use crate::model::vector::Point;

/// Shortest time between two counts; it is also at least `TIMES_THE_COST` times what the last count
/// took. Counting reads all positions back, and that must not slow the flock down.
const PATIENCE: Duration = Duration::from_millis(500);
const TIMES_THE_COST: u32 = 30;

/// Most cells in a run of neighbours: five columns of half the radius.
const CELLS_IN_A_RUN: u64 = 5;

/// The last count.
#[derive(Debug, Default)]
pub struct Crowds {
    counted: Option<Counted>,
}

#[derive(Debug)]
struct Counted {
    sampled: u64,
    revision: u64,
    at: Instant,
    cost: Duration,
}

impl Crowds {
    /// The number of agents in the fullest cell, and the number of sampled agents a moment ago. The
    /// latter is counted only while it is `shown`.
    pub fn count(
        &mut self,
        player: &mut Player<'_>,
        gpu: &Gpu,
        shown: bool,
    ) -> Result<(u32, u64), EngineError> {
        let largest_cell = player.largest_cell();
        if !shown || u64::from(largest_cell) * CELLS_IN_A_RUN <= u64::from(RUN_CAP) {
            self.counted = None;
            return Ok((largest_cell, 0));
        }
        let revision = player.revision();
        if let Some(counted) = &self.counted {
            let patience = PATIENCE.max(counted.cost * TIMES_THE_COST);
            let early = counted.at.elapsed() < patience && !player.clock.is_paused();
            if counted.revision == revision || early {
                return Ok((largest_cell, counted.sampled));
            }
        }
        let begin = Instant::now();
        let positions = positions(player, gpu)?;
        let sampled = sampled_agents(player.scene(), &positions);
        let at = Instant::now();
        self.counted = Some(Counted { sampled, revision, at, cost: at - begin });
        Ok((largest_cell, sampled))
    }
}

/// All positions, in any order: from a device this reads less than a whole state in row order.
fn positions(player: &mut Player<'_>, gpu: &Gpu) -> Result<Vec<Point>, EngineError> {
    let agents: &AgentBuffers = match player.engine().agents() {
        AgentsAt::Device(agents) => {
            agents.get().ok_or_else(|| gpu.error("the agents are on another kind of device"))?
        }
        AgentsAt::Host(agents) => {
            let place = |agent| agents.position.map(|component| component.get(agent)).into();
            return Ok((0..agents.len()).map(place).collect());
        }
    };
    let bytes = gpu.read_first(&agents.state, u64::from(agents.count) * STATE_BYTES)?;
    let place = |motion: &[u8]| bytemuck::pod_read_unaligned::<MotionRow>(motion).position.into();
    Ok(bytes.chunks_exact(STATE_BYTES as usize).map(place).collect())
}
