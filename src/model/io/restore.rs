//! Targets and flow fields of a scene as the file of a run left them.

use super::table::{StateTable, TargetRow};
use super::{Result, bail, counted, ensure};
use crate::behaviours::Target;
use crate::quote::{cut, quoted};
use crate::scene::{POINTER, Scene};
use crate::scenery::FlowPlan;
use crate::vector::{Point, components_text};
use crate::world::MAX_COORDINATE;

/// The targets that a file holds: all but the pointer, which follows the mouse.
pub(super) fn targets_in_file(targets: &[Target]) -> impl Iterator<Item = &Target> {
    targets.iter().filter(|target| target.name != POINTER)
}

impl TargetRow {
    /// Refuses numbers that no target has.
    fn check(&self, place: &str) -> Result<()> {
        let Self { position, velocity, .. } = self;
        for value in position.to_array().into_iter().chain(velocity.to_array()) {
            // False for NaN.
            let there = value.abs() <= MAX_COORDINATE;
            ensure!(
                there,
                "{place} has {value}; positions and velocities are numbers from {low:e} to \
                 {MAX_COORDINATE:e}",
                low = -MAX_COORDINATE
            );
        }
        Ok(())
    }
}

impl StateTable {
    /// Puts the targets of `scene` where they were at the last tick. `plain` is `scene` before it was scaled. A
    /// target that `plain` has otherwise than the record was set on the command line: it begins where it is
    /// set.
    pub fn restore_targets(&self, scene: &mut Scene, plain: &Scene) -> Result<()> {
        let Some(run) = &self.run else { return Ok(()) };
        let (written, rows) = (run.scene(&[])?, &self.targets);
        let expected = targets_in_file(&written.targets).count();
        if rows.len() != expected {
            bail!(
                "the last tick has {}, and its scene `{}` has {expected}; write the file again, or name \
                 another scene with --scene",
                counted(rows.len() as u64, "target"),
                cut(&written.name)
            );
        }
        for (target, row) in targets_in_file(&written.targets).zip(rows) {
            row.check(&format!("the target {}", quoted(&target.name)))?;
            let same = plain.targets.iter().position(|own| own == target);
            if let Some(own) = same.and_then(|index| scene.targets.get_mut(index)) {
                (own.position, own.velocity) = (row.position, row.velocity);
                (own.hits, own.active) = (row.hits, row.active);
            }
        }
        Ok(())
    }

    /// Puts back into `plain` the vectors of a flow field that was read from a file; `plain` is the scene of
    /// the record, perhaps changed. Returns true if `plain` has another field, whose file the caller reads.
    pub fn restore_flow(&self, plain: &mut Scene) -> Result<bool> {
        let Some(run) = &self.run else { return Ok(false) };
        let written = run.scene(&[])?;
        let from_file = |plan: &&mut FlowPlan| plan.file.is_some();
        let Some(plan) = plain.flow.as_mut().filter(from_file) else { return Ok(false) };
        if Some(&*plan) != written.flow.as_ref() {
            return Ok(true);
        }
        let (grid, expected) = (plan.grid_text(), plan.file_cells());
        let found = run.flow.len() as u64;
        ensure!(
            found == expected,
            "its flow field has {}, but grid = {grid} needs {expected}; write the file again, or name \
             another field with --set flow.file=FILE",
            counted(found, "vector"),
        );
        let fits = |vector: &Point| vector.to_array().iter().all(|value| value.abs() <= 1e9);
        if let Some(other) = run.flow.iter().position(|vector| !fits(vector)) {
            let vector = components_text(run.flow[other], run.axes());
            bail!(
                "vector {other} of its flow field, {vector}, is outside -1e9 to 1e9; write the file again"
            );
        }
        plan.vectors.clone_from(&run.flow);
        Ok(false)
    }
}
