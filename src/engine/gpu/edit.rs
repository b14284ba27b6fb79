//! Edits of the flock on the device between two ticks. The host writes tables and rows; passes on
//! the device do the rest (fresh memory, a new grid, fewer agents). Nothing is read back.

use std::sync::Arc;

use super::extent::Extent;
use super::flock::{DeviceFlock, FlockBuilder, Plan, agents_in, bind, sizes};
use super::pass::{BIN, BoundPass, Pass, START_MEMORY, Sizes};
use super::pipelines::Compiled;
use super::tables::Contents;
use crate::{Change, EngineError};
use flockwork_model::behaviours::Uses;
use flockwork_model::memory::ShownBy;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;

impl FlockBuilder {
    /// Applies the parts of `scene` that `change` names.
    pub fn update(
        &mut self,
        flock: &mut DeviceFlock,
        scene: &Scene,
        change: Change,
    ) -> Result<(), EngineError> {
        let mut before = change.parts_of(scene);
        let shown = flock.scene.shown();
        change.swap(&mut flock.scene, &mut before);
        match self.upload_changes(flock, &before, change, shown) {
            Ok(Some(confines)) => self.bin(flock, confines)?,
            Ok(None) => {}
            Err(error) => {
                change.swap(&mut flock.scene, &mut before);
                return Err(error);
            }
        }
        self.gpu.check()
    }

    /// Takes over a scene whose agents keep other numbers. `state` is the flock now.
    pub fn lay_out(
        &mut self,
        flock: &mut DeviceFlock,
        scene: &Scene,
        state: &FlockState,
        confines: bool,
    ) -> Result<(), EngineError> {
        let next = self.load(scene, state, flock.ids.clone())?;
        next.buffers.keep_count(&self.gpu, &flock.buffers);
        let removed = std::mem::take(&mut flock.removed);
        *flock = DeviceFlock { removed, ..next };
        if confines {
            self.bin(flock, true)?;
        }
        self.gpu.check()
    }

    /// Updates the device to the scene of `flock`. `before` holds the old values of the changed
    /// parts, and `shown` says which quantities colour values were. Returns `None` if the agents may
    /// stay in their order. Else they must be sorted again, and the result says whether they first
    /// move into the world.
    fn upload_changes(
        &mut self,
        flock: &mut DeviceFlock,
        before: &Scene,
        change: Change,
        shown: ShownBy,
    ) -> Result<Option<bool>, EngineError> {
        let plan = self.plan(&flock.scene, &flock.ids);
        let compiled = self.compile(&plan)?;
        let (scene, tables) = (&flock.scene, &compiled.tables);
        let anew = !Arc::ptr_eq(tables, &flock.tables);
        let mut contents = Vec::new();
        let whole = anew || change.remakes_scenery(before, scene);
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
        let remembers = plan.variant.uses.has(Uses::MEMORY);
        let starts_memory = is_new(Uses::MEMORY);
        let cleared = if remembers { flock.scene.shown().other_species(shown) } else { 0 };
        let confines = change.has(Change::WORLD) && scene.world != before.world;
        let sorts = confines || plan.grid != flock.grid;
        self.apply_plan(flock, &plan, compiled, contents)?;
        let write = |name, offset, bytes: &[u8]| {
            flock.buffers.write_at(&self.gpu, name, offset, bytes);
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
        if starts_memory || cleared != 0 {
            let words = [u32::from(starts_memory), cleared];
            flock.buffers.write(&self.gpu, "edit", bytemuck::bytes_of(&words));
            let start = self.bound(flock, START_MEMORY)?;
            self.run(flock, &start, flock.buffers.extent, false);
        }
        Ok(sorts.then_some(confines))
    }

    pub fn append(
        &mut self,
        flock: &mut DeviceFlock,
        agents: &FlockState,
    ) -> Result<(), EngineError> {
        let ids = flock.ids.with(&flock.scene, agents)?;
        let plan = self.plan(&flock.scene, &ids);
        let compiled = self.compile(&plan)?;
        let before = u64::from(flock.buffers.extent.agents);
        self.apply_plan(flock, &plan, compiled, Vec::new())?;
        flock.ids = ids;
        self.upload(flock, agents, before);
        self.bin(flock, false)?;
        self.gpu.check()
    }

    pub fn remove(&mut self, flock: &mut DeviceFlock, ids: &[u32]) -> Result<(), EngineError> {
        let mut left = flock.ids.clone();
        let gone = left.remove(ids)?;
        let Some(last) = gone.last() else { return Ok(()) };
        let mut removed = flock.removed.clone();
        removed.resize(removed.len().max(*last as usize / 32 + 1), 0);
        for id in &gone {
            removed[*id as usize / 32] |= 1 << (id % 32);
        }
        let plan = self.plan(&flock.scene, &left);
        let compiled = self.compile(&plan)?;
        // All agents are binned, into the cells of those that remain.
        let all = Extent { agents: flock.buffers.extent.agents, ..plan.extent };
        let words = [&[0, 1, 0], &removed[..]].concat();
        let bits = bytemuck::cast_slice(&words).to_vec();
        let whole = Plan { extent: all, ..plan.clone() };
        self.apply_plan(flock, &whole, compiled.clone(), vec![("edit", bits)])?;
        let bin = self.bound(flock, BIN)?;
        self.apply_plan(flock, &plan, compiled, Vec::new())?;
        (flock.ids, flock.removed) = (left, removed);
        self.run(flock, &bin, all, true);
        self.gpu.check()
    }

    /// Gives the flock the passes and the buffer sizes of a plan, and writes `contents` and the
    /// uniform `flock`. If this fails, the flock is unchanged.
    fn apply_plan(
        &mut self,
        flock: &mut DeviceFlock,
        plan: &Plan,
        compiled: Compiled,
        mut contents: Contents,
    ) -> Result<(), EngineError> {
        let Compiled { tick: pipelines, tables } = compiled;
        let crowded_above = self.options.crowded_above;
        let uniform =
            tables.flock(&flock.scene, &plan.grid, plan.extent.agents, crowded_above, &[]);
        contents.push(("flock", uniform.map_err(self.fail())?));
        let sizes = sizes(&contents, plan.variant.uses, plan.extent);
        let moved = flock.buffers.fit(&self.gpu, plan.extent, &sizes)?;
        if moved || !flock.has(&pipelines) {
            flock.passes = bind(&self.gpu, pipelines, &flock.buffers)?;
            flock.tables = tables;
        }
        (flock.variant, flock.grid) = (plan.variant.clone(), plan.grid);
        flock.agents = agents_in(&self.gpu, &flock.buffers, flock.variant.uses, flock.tick);
        for (name, bytes) in &contents {
            flock.buffers.write(&self.gpu, name, bytes);
        }
        Ok(())
    }

    /// Binds a pass that runs between two ticks to the current flock.
    fn bound(&mut self, flock: &DeviceFlock, pass: Pass) -> Result<BoundPass, EngineError> {
        let variant = flock.variant.between_ticks();
        let pipeline = self.pipelines.one(&self.gpu, &self.options, &variant, pass)?;
        pipeline.bind(&self.gpu, &flock.buffers)
    }

    /// Bins and sorts the agents again. If `confines`, it first moves them into the world, which
    /// has changed.
    pub(super) fn bin(&mut self, flock: &DeviceFlock, confines: bool) -> Result<(), EngineError> {
        let words = [u32::from(confines), 0];
        flock.buffers.write(&self.gpu, "edit", bytemuck::bytes_of(&words));
        let bin = self.bound(flock, BIN)?;
        self.run(flock, &bin, flock.buffers.extent, true);
        Ok(())
    }

    /// Submits a pass over the agents of `extent` that runs between two ticks, followed by the sorting passes
    /// if it `sorts`.
    fn run(&self, flock: &DeviceFlock, first: &BoundPass, extent: Extent, sorts: bool) {
        if extent.agents == 0 {
            return;
        }
        let sizes = self.sizes(&flock.buffers);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        {
            let mut compute = encoder.begin_compute_pass(&Default::default());
            first.dispatch(&mut compute, Sizes { extent, ..sizes }, 0);
            flock.record(&mut compute, sizes, 0, |pass| sorts && pass.sorts());
        }
        self.gpu.queue.submit([encoder.finish()]);
    }
}
