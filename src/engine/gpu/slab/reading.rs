//! The host's requests to a slab between ticks.

use super::{INDEX_BYTES, SlabFlock, rows};
use crate::EngineError;
use crate::gpu::buffers;
use crate::gpu::flock::Maker;
use crate::gpu::readback::{Part, Readback};
use crate::gpu::row::{MEMORY_BYTES, TAG_BYTES};
use flockwork_model::behaviours::{Target, Uses};
use flockwork_model::state::FlockState;

impl SlabFlock {
    /// Where the targets are.
    pub fn targets(&mut self, maker: &Maker<'_>) -> Result<Vec<Target>, EngineError> {
        let mut targets = self.scene.targets.clone();
        if let Some(buffer) = self.memory.whole("targets").filter(|_| self.moves_targets()) {
            let bytes = maker.gpu.read_first(buffer, self.memory.used("targets"))?;
            self.tables.read_targets(&bytes, &mut targets);
        }
        Ok(targets)
    }

    /// Number of agents in each own slice.
    pub fn slice_counts(&self, maker: &Maker<'_>) -> Result<Vec<u64>, EngineError> {
        let (slices, cells) = (self.window.slab.count, self.window.slice_cells() as u32);
        if self.count == 0 {
            return Ok(vec![0; slices as usize]);
        }
        let start = |slice: u32| self.part("cell_start", slice * cells, 1, INDEX_BYTES);
        let parts: Vec<Part> = (0..=slices).filter_map(start).collect();
        let encoder = maker.gpu.device.create_command_encoder(&Default::default());
        let words = Readback::default().read(maker.gpu, encoder, &parts)?;
        let starts: Vec<u32> =
            words.iter().map(|word| bytemuck::pod_read_unaligned::<u32>(word)).collect();
        Ok(starts.windows(2).map(|pair| u64::from(pair[1].saturating_sub(pair[0]))).collect())
    }

    /// Nanoseconds that steering takes for each own slice: the time of all, shared out by agents.
    pub fn costs(&mut self, maker: &Maker<'_>) -> Result<Vec<u64>, EngineError> {
        let each = self.stamps.take();
        let counts = self.slice_counts(maker)?;
        Ok(counts.into_iter().map(|agents| (agents as f64 * each) as u64).collect())
    }

    /// Number of agents in the fullest own cell.
    pub fn largest_cell(&self, maker: &Maker<'_>) -> Result<u32, EngineError> {
        let Some(stats) = self.memory.whole(buffers::GRID_STATS).filter(|_| self.count > 0) else {
            return Ok(0);
        };
        let word = maker.gpu.read_first(stats, INDEX_BYTES)?;
        Ok(bytemuck::pod_read_unaligned(&word))
    }

    /// The sum of the ids of the own agents.
    pub fn id_sum(&mut self, maker: &Maker<'_>) -> Result<u64, EngineError> {
        let part: Vec<Part> = self.part("tag", 0, self.count, TAG_BYTES).into_iter().collect();
        let encoder = maker.gpu.device.create_command_encoder(&Default::default());
        let tags = Readback::default().read(maker.gpu, encoder, &part)?;
        Ok(tags.iter().flat_map(|tags| rows::tags_of(tags)).map(|tag| u64::from(tag.id())).sum())
    }

    /// Agents by ascending id, in the order that the sort gives them.
    pub fn arranged(&self, agents: &FlockState) -> FlockState {
        let keys = self.keys(&agents.position);
        let mut rows: Vec<usize> = (0..keys.len()).collect();
        rows.sort_by_key(|row| keys[*row]);
        FlockState {
            tick: agents.tick,
            id: rows.iter().map(|row| agents.id[*row]).collect(),
            species: rows.iter().map(|row| agents.species[*row]).collect(),
            position: rows.iter().map(|row| agents.position[*row]).collect(),
            velocity: rows.iter().map(|row| agents.velocity[*row]).collect(),
            memory: rows.iter().filter_map(|row| agents.memory.get(*row).copied()).collect(),
            shown: agents.shown,
        }
    }

    /// The own agents, by ascending id.
    pub fn state(&mut self, maker: &Maker<'_>) -> Result<FlockState, EngineError> {
        let remembers = self.variant.uses.has(Uses::MEMORY);
        let parts = [
            self.part("state", 0, self.count, self.layout().bytes()),
            self.part("tag", 0, self.count, TAG_BYTES),
            self.part("memory", 0, self.count * u32::from(remembers), MEMORY_BYTES),
        ];
        // One by one: together they may be too large for one copy.
        let mut copies = Vec::new();
        for part in parts.into_iter().flatten() {
            let encoder = maker.gpu.device.create_command_encoder(&Default::default());
            copies.extend(Readback::default().read(maker.gpu, encoder, &[part])?);
        }
        let [motions, tags, memory] = &copies[..] else { return Err(maker.gpu.error("no agents")) };
        let mut state = rows::state_of(self.layout(), motions, tags, memory);
        (state.tick, state.shown) = (self.tick, self.scene.shown());
        Ok(state)
    }
}
