//! Edits of the flock on the device between two ticks. The host writes tables and rows; what follows
//! from that (a memory, another grid, fewer agents) the device does by passes of its own. Nothing is
//! read back.

use std::sync::Arc;

use super::flock::{DeviceFlock, Maker, Plan, agents_in, bind, same, sizes};
use super::pass::{BIN, Extent, Pass, START_MEMORY, Stage};
use super::pipelines::Compiled;
use super::row::{MEMORY_BYTES, MotionRow, STATE_BYTES, TAG_BYTES, Tag};
use super::shaders::Variant;
use super::tables::Contents;
use crate::engine::{Change, EngineError};
use crate::model::behaviours::Uses;
use crate::model::scene::Scene;
use crate::model::state::FlockState;

impl Maker<'_> {
    /// Takes over the parts of `scene` that change.
    pub fn update(
        &mut self,
        flock: &mut DeviceFlock,
        scene: &Scene,
        change: Change,
    ) -> Result<(), EngineError> {
        let mut before = change.parts_of(scene);
        change.swap(&mut flock.scene, &mut before);
        let remade = change.remakes_scenery(&before, &flock.scene);
        let done = self.follow(flock, change, remade);
        if done.is_err() {
            change.swap(&mut flock.scene, &mut before);
        }
        done
    }

    /// Brings the device up to date with the scene of `flock`, whose parts have changed; `remade` says
    /// whether the scenery has.
    fn follow(
        &mut self,
        flock: &mut DeviceFlock,
        change: Change,
        remade: bool,
    ) -> Result<(), EngineError> {
        let count = flock.memory.extent.agents;
        let plan = self.plan(&flock.scene, count as usize);
        let compiled = self.compile(&plan)?;
        let (scene, tables) = (&flock.scene, &compiled.tables);
        let anew = !Arc::ptr_eq(tables, &flock.tables);
        let mut contents = Vec::new();
        let whole = remade || anew;
        if whole {
            let made = tables.species_and_scenery(scene, flock.tick);
            contents = made.map_err(self.fail())?;
        }
        let all_targets = change.has(Change::TARGETS) || !tables.reads_targets_as(&flock.tables);
        if all_targets {
            contents.push(("targets", tables.targets(&scene.targets).map_err(self.fail())?));
        }
        let species = tables.species(scene, flock.tick).map_err(self.fail())?;
        let is_new = |uses: Uses| plan.variant.uses.has(uses) && !flock.variant.uses.has(uses);
        let starts_memory = is_new(Uses::MEMORY);
        let sorts = plan.grid != flock.grid;
        self.adopt(flock, &plan, compiled, contents)?;
        let write = |name, offset, bytes: &[u8]| {
            flock.memory.write_at(self.gpu, name, offset, bytes);
        };
        if !whole && change.has(Change::PARAMETERS) {
            write("tables", flock.tables.species_offset(flock.tick), &species);
        }
        for index in change.single_targets().filter(|_| !all_targets) {
            let target = flock.scene.targets.get(index);
            let fields = target.map_or_else(Vec::new, |one| flock.tables.target(index, one));
            for (offset, bytes) in fields {
                write("targets", offset, &bytes);
            }
        }
        if starts_memory {
            self.run(flock, Some(START_MEMORY), &[])?;
        }
        if sorts {
            self.run(flock, Some(BIN), &[Stage::Sorts, Stage::Orders])?;
        }
        self.gpu.check()
    }

    /// Adds agents.
    pub fn append(
        &mut self,
        flock: &mut DeviceFlock,
        agents: &FlockState,
    ) -> Result<(), EngineError> {
        let ids = flock.ids.with(&flock.scene, agents)?;
        let plan = self.plan(&flock.scene, ids.len());
        let compiled = self.compile(&plan)?;
        let before = u64::from(flock.memory.extent.agents);
        self.adopt(flock, &plan, compiled, Vec::new())?;
        flock.ids = ids;
        let motions = agents.position.iter().zip(&agents.velocity);
        let motions: Vec<MotionRow> = motions.map(|(p, v)| MotionRow::of(*p, *v)).collect();
        let tags = agents.species.iter().zip(&agents.id);
        let tags: Vec<Tag> = tags.map(|(species, id)| Tag::of(*species, *id)).collect();
        let memory = flock.scene.memory_of(agents);
        for (name, row, bytes) in [
            ("state", STATE_BYTES, bytemuck::cast_slice(&motions)),
            ("tag", TAG_BYTES, bytemuck::cast_slice(&tags)),
            ("memory", MEMORY_BYTES, bytemuck::cast_slice(&memory)),
        ] {
            flock.memory.write_at(self.gpu, name, before * row, bytes);
        }
        self.run(flock, Some(BIN), &[Stage::Sorts, Stage::Orders])?;
        self.gpu.check()
    }

    /// Takes agents away.
    pub fn remove(&mut self, flock: &mut DeviceFlock, ids: &[u32]) -> Result<(), EngineError> {
        let mut left = flock.ids.clone();
        let gone = left.remove(ids)?;
        let Some(last) = gone.last() else { return Ok(()) };
        let mut removed = flock.removed.clone();
        removed.resize(removed.len().max(*last as usize / 32 + 1), 0);
        for id in &gone {
            removed[*id as usize / 32] |= 1 << (id % 32);
        }
        // First all agents take slots in the new grid or none …
        let plan = self.plan(&flock.scene, left.len());
        let all = Extent { agents: flock.memory.extent.agents, ..plan.extent };
        let whole = Plan { extent: all, ..plan };
        let compiled = self.compile(&whole)?;
        let bits = bytemuck::cast_slice(&removed).to_vec();
        self.adopt(flock, &whole, compiled, vec![("removed", bits)])?;
        (flock.ids, flock.removed) = (left, removed);
        self.run(flock, Some(BIN), &[Stage::Sorts])?;
        // … then those that are left get their places. They end where the last cell does.
        let count = plan.extent.agents;
        let crowded_above = self.options.crowded_above;
        let uniform = flock.tables.flock(&flock.scene, &plan.grid, count, crowded_above);
        let uniform = uniform.map_err(self.fail())?;
        flock.memory.write(self.gpu, "flock", &uniform);
        let end = u64::from(plan.extent.cells) * 4;
        flock.memory.write_at(self.gpu, "cell_start", end, &count.to_le_bytes());
        self.run(flock, None, &[Stage::Orders])?;
        let compiled = self.compile(&plan)?;
        self.adopt(flock, &plan, compiled, Vec::new())?;
        self.gpu.check()
    }

    /// Gives the flock the passes and the room of a plan, and writes `contents` and the uniform
    /// `flock`. Stays as it was if this fails.
    fn adopt(
        &mut self,
        flock: &mut DeviceFlock,
        plan: &Plan,
        compiled: Compiled,
        mut contents: Contents,
    ) -> Result<(), EngineError> {
        let Compiled { tick: pipelines, tables } = compiled;
        let crowded_above = self.options.crowded_above;
        let uniform = tables.flock(&flock.scene, &plan.grid, plan.extent.agents, crowded_above);
        contents.push(("flock", uniform.map_err(self.fail())?));
        let sizes = sizes(&contents, plan.variant, plan.extent);
        let moved = flock.memory.fit(self.gpu, plan.extent, &sizes)?;
        if moved || !same(&pipelines, &flock.pipelines) {
            flock.bindings = bind(self.gpu, &pipelines, &flock.memory)?;
            (flock.pipelines, flock.tables) = (pipelines, tables);
        }
        (flock.variant, flock.grid) = (plan.variant, plan.grid);
        if let Some(agents) = agents_in(&flock.memory, flock.variant) {
            flock.agents = agents;
        }
        for (name, bytes) in &contents {
            flock.memory.write(self.gpu, name, bytes);
        }
        Ok(())
    }

    /// Submits a pass between two ticks, if one is wanted, and behind it those of some stages.
    fn run(
        &mut self,
        flock: &DeviceFlock,
        first: Option<Pass>,
        stages: &[Stage],
    ) -> Result<(), EngineError> {
        // Of the scene these passes need to know nothing but whether there is a memory.
        let uses = flock.variant.uses.and(Uses::MEMORY);
        let variant = Variant { uses, ..Variant::of_drawing(false) };
        let first = match first {
            Some(pass) => {
                let pipeline = self.pipelines.one(self.gpu, self.options, variant, pass)?;
                let bindings = pipeline.bind(self.gpu, &flock.memory)?;
                Some((pipeline, bindings))
            }
            None => None,
        };
        let sizes = flock.sizes(self.gpu, self.options)?;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        {
            let mut compute = encoder.begin_compute_pass(&Default::default());
            if let Some((pipeline, bindings)) = &first {
                pipeline.dispatch(&mut compute, bindings, sizes, 0);
            }
            for (pipeline, bindings) in flock.pipelines.iter().zip(&flock.bindings) {
                if stages.contains(&pipeline.pass.stage()) {
                    pipeline.dispatch(&mut compute, bindings, sizes, 0);
                }
            }
        }
        self.gpu.queue.submit([encoder.finish()]);
        Ok(())
    }
}
