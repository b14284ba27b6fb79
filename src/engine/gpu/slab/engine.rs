//! The steps of a slab's tick, and the answers to the host.

use super::slab_rows::{agents_in, words_in};
use super::{GpuSlab, INDEX_BYTES, Steered};
use crate::distributed::{Region, SlabEngine};
use crate::gpu::buffers;
use crate::gpu::pass::{BIN, IMPORT_AGENTS, Pass};
use crate::gpu::readback::Part;
use crate::gpu::row::{MEMORY_BYTES, TAG_BYTES, Tag, tags_of};
use crate::{BrokenForces, EngineError};
use flockwork_model::behaviours::{Target, Uses};
use flockwork_model::grid::Slab;
use flockwork_model::state::FlockState;

impl SlabEngine for GpuSlab {
    fn import_agents(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        let slab = self.window.slab;
        if self.slices.at(&agents.position).into_iter().any(|slice| !slab.has(slice)) {
            return Err(EngineError::Message { problem: "an agent of another slab".into() });
        }
        self.imported.extend(agents);
        Ok(())
    }

    fn sort(&mut self) -> Result<(), EngineError> {
        let imported = std::mem::take(&mut self.imported);
        let (moved, arrived) = (self.count, imported.len() as u32);
        let all = moved + arrived;
        self.make_room(all)?;
        let gone = self.moved.take().map_or(0, |moved| moved.gone);
        self.borders = None;
        if all > 0 {
            let layout = self.layout();
            let motion = layout.rows_of(&imported, &imported.kept);
            // As `steer` writes them, but key and slot are missing. An agent without memory has 0.
            let memory = |row: usize| imported.memory.get(row).map_or(0, |memory| memory.0);
            let tags = tags_of(&imported).into_iter().enumerate();
            let binned: Vec<[u32; 4]> = tags.map(|(row, tag)| [0, 0, tag.0, memory(row)]).collect();
            for (name, bytes, rows) in [
                ("next_state", layout.bytes(), bytemuck::cast_slice(&motion)),
                ("binned", 16, bytemuck::cast_slice(&binned)),
            ] {
                self.buffers.write_at(&self.builder.gpu, name, u64::from(moved) * bytes, rows);
            }
            self.write_flock(all, Steered::default(), moved)?;
            let mut encoder = self.encoder();
            if arrived > 0 {
                self.record(&mut encoder, arrived, None, |pass| pass == IMPORT_AGENTS);
            }
            self.record(&mut encoder, all, None, Pass::sorts);
            self.builder.gpu.queue.submit([encoder.finish()]);
        }
        self.count = all - gone;
        self.builder.gpu.check()
    }

    fn slice(&mut self, slice: u32) -> Result<FlockState, EngineError> {
        let slab = self.window.slab;
        let outer = [slab.first, slab.end().wrapping_sub(1)];
        let Some(which) = outer.iter().position(|outer| *outer == slice) else {
            return Err(self.builder.gpu.error(format!("no process needs slice {slice}")));
        };
        Ok(self.borders()?.slices[which].clone())
    }

    fn take_ghosts(&mut self, slice: u32, ghosts: &FlockState) -> Result<(), EngineError> {
        let first = self.count + self.ghosts;
        let end = first + ghosts.len() as u32;
        self.make_room(end)?;
        // The sender has sorted them: where each cell begins follows from the positions.
        let cells = self.window.cells_of(slice);
        let mut start = Vec::with_capacity(cells.len() + 1);
        for (agent, key) in (first..).zip(self.slices.cells_at(&ghosts.position)) {
            let cell = self.window.number(key) as usize;
            if self.window.slice_of(key) != slice || cell + 1 < cells.start + start.len() {
                return Err(EngineError::Message { problem: "ghosts in disorder".into() });
            }
            start.resize(cell + 1 - cells.start, agent);
        }
        start.resize(cells.len() + 1, end);
        let layout = self.layout();
        let motions = layout.rows_of(ghosts, &ghosts.kept);
        for (name, at, bytes) in [
            ("state", u64::from(first) * layout.bytes(), bytemuck::cast_slice(&motions)),
            ("tag", u64::from(first) * TAG_BYTES, bytemuck::cast_slice(&tags_of(ghosts))),
            ("cell_start", cells.start as u64 * INDEX_BYTES, bytemuck::cast_slice(&start)),
        ] {
            self.buffers.write_at(&self.builder.gpu, name, at, bytes);
        }
        self.ghosts += ghosts.len() as u32;
        Ok(())
    }

    fn steer(&mut self, region: Region) -> Result<(), EngineError> {
        let gpu = &self.builder.gpu;
        gpu.check()?;
        if region == Region::Inner {
            self.ghosts = 0;
            // Shaders count in 32 bits.
            self.buffers.write(gpu, buffers::CLOCK, &(self.tick as u32).to_le_bytes());
            if self.variant.uses.has(Uses::VARYING) {
                let table = self.tables.species(&self.scene, self.tick);
                let table = table.map_err(self.builder.fail())?;
                self.buffers.write_at(gpu, "tables", self.tables.species_offset(self.tick), &table);
            }
        }
        let inner = self.inner()?;
        let of_inner = inner.end - inner.start;
        let (nth, steered) = match region {
            Region::Inner => (0, Steered { count: of_inner, gap_begin: 0, gap: inner.start }),
            Region::Edge => {
                let count = self.count - of_inner;
                (1, Steered { count, gap_begin: inner.start, gap: of_inner })
            }
        };
        if steered.count == 0 {
            return Ok(());
        }
        self.write_flock(self.count, steered, self.count)?;
        let mut encoder = self.encoder();
        let stamps = self.cost.stamps(nth);
        let steers = |pass: Pass| ["add_up", "steer"].contains(&pass.name);
        self.record(&mut encoder, steered.count, stamps, steers);
        self.cost.measured(nth);
        self.builder.gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn hits(&mut self) -> Result<Vec<bool>, EngineError> {
        let targets = self.scene.targets.len();
        let hits = &self.moved()?.hits;
        let hit =
            |target: usize| hits.get(target / 8).is_some_and(|byte| byte >> (target % 8) & 1 == 1);
        Ok((0..targets).map(hit).collect())
    }

    fn move_targets(&mut self, hit: &[bool]) -> Result<(), EngineError> {
        let mut bits = [0_u8; buffers::HITS_BYTES as usize];
        for (target, _) in hit.iter().enumerate().filter(|(_, hit)| **hit) {
            bits[target / 8] |= 1 << (target % 8);
        }
        self.buffers.write(&self.builder.gpu, "cell_count", &bits);
        // It reads the size of the world.
        self.write_flock(self.count, Steered::default(), self.count)?;
        let mut encoder = self.encoder();
        self.record(&mut encoder, 0, None, |pass| pass.name == "move_targets");
        self.builder.gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn export_agents(&mut self) -> Result<FlockState, EngineError> {
        Ok(self.moved()?.exported.clone())
    }

    fn end_tick(&mut self) {
        self.tick += 1;
    }

    fn move_to(&mut self, slab: Slab) -> Result<(), EngineError> {
        self.window = self.slices.window(slab);
        (self.moved, self.borders, self.ghosts) = (None, None, 0);
        self.fit(self.buffers.extent.agents)?;
        if self.count > 0 {
            // Every agent takes a slot in its cell of the new slab.
            self.write_flock(self.count, Steered::default(), self.count)?;
            let mut encoder = self.encoder();
            self.record(&mut encoder, self.count, None, |pass| pass == BIN);
            self.builder.gpu.queue.submit([encoder.finish()]);
        }
        self.builder.gpu.check()
    }

    fn costs(&mut self) -> Result<Vec<u64>, EngineError> {
        // The time of all agents, shared out by their number.
        let each = self.cost.take();
        let counts = self.slice_counts()?;
        Ok(counts.into_iter().map(|agents| (agents as f64 * each) as u64).collect())
    }

    fn slice_counts(&mut self) -> Result<Vec<u64>, EngineError> {
        let (slices, cells) = (self.window.slab.count, self.window.slice_cells() as u32);
        if self.count == 0 {
            return Ok(vec![0; slices as usize]);
        }
        let start = |slice: u32| {
            let cell = slice * cells;
            self.part("cell_start", cell..cell + 1, INDEX_BYTES)
        };
        let parts: Vec<Part> = (0..=slices).map(start).collect();
        let starts = self.builder.gpu.read_parts(&parts)?.concat();
        let starts: Vec<u32> = words_in(&starts).collect();
        Ok(starts.windows(2).map(|pair| u64::from(pair[1].saturating_sub(pair[0]))).collect())
    }

    fn count(&self) -> usize {
        self.count as usize
    }

    fn largest_cell(&mut self) -> Result<u32, EngineError> {
        if self.count == 0 {
            return Ok(0);
        }
        let stats = self.buffers.buffer(buffers::GRID_STATS);
        let word = self.builder.gpu.read(stats, INDEX_BYTES)?;
        Ok(words_in(&word).next().unwrap_or(0))
    }

    fn broken_forces(&self) -> BrokenForces {
        self.broken.so_far
    }

    fn state(&mut self) -> Result<FlockState, EngineError> {
        let remembers = self.variant.uses.has(Uses::MEMORY);
        let parts = [
            self.part("state", 0..self.count, self.layout().bytes()),
            self.part("tag", 0..self.count, TAG_BYTES),
            self.part("memory", 0..self.count * u32::from(remembers), MEMORY_BYTES),
        ];
        let mut copies = self.builder.gpu.read_parts(&parts)?.into_iter();
        let [motions, tags, memory] = [(); 3].map(|()| copies.next().unwrap_or_default());
        let mut state = agents_in(self.layout(), &motions, &tags, &memory).by_id();
        (state.tick, state.shown) = (self.tick, self.scene.shown());
        state.kept_names = self.scene.kept_names();
        Ok(state)
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        let mut targets = self.scene.targets.clone();
        if self.variant.uses.has(Uses::MOVING_TARGETS) {
            let (buffer, bytes) = (self.buffers.buffer("targets"), self.buffers.len("targets"));
            let bytes = self.builder.gpu.read(buffer, bytes)?;
            self.tables.read_targets(&bytes, &mut targets);
        }
        Ok(targets)
    }

    fn id_sum(&mut self) -> Result<u64, EngineError> {
        let part = self.part("tag", 0..self.count, TAG_BYTES);
        let tags = self.builder.gpu.read_parts(&[part])?.concat();
        Ok(words_in(&tags).map(|word| u64::from(Tag(word).id())).sum())
    }
}
