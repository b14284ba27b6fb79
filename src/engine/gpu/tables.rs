//! What the shaders read: uniforms and species by the layouts that the shaders themselves state,
//! and the agents sorted by cell.

use super::pass::Pipeline;
use super::reflect::{Layout, Record, layout};
use crate::model::behaviours::{Kind, Target};
use crate::model::grid::{Grid, RUN_CAP};
use crate::model::scene::Scene;
use crate::model::state::FlockState;
use crate::model::vector::Point;

/// The lower bits of a tag: the agent's row in the initial state.
pub const ID_BITS: u32 = 0x07ff_ffff;
/// Where the species begins in a tag.
pub const SPECIES_SHIFT: u32 = 27;

/// Layouts of the structs that the host writes. A struct that no pass of the variant reads has
/// none.
#[derive(Clone, Debug)]
pub struct Tables {
    flock: Layout,
    species: Layout,
    targets: Option<Layout>,
}

/// The agents in the order in which the passes keep them.
pub struct SortedAgents {
    /// Position and velocity.
    pub state: Vec<[f32; 4]>,
    /// Species and row.
    pub tag: Vec<u32>,
    /// Index of the first agent of each cell, and the count at the end.
    pub start: Vec<u32>,
}

impl Tables {
    /// Reads the layouts from the pass `steer`, which uses every struct.
    pub fn of(pipelines: &[Pipeline]) -> Result<Self, String> {
        let steer = pipelines.iter().find(|p| p.pass.name == "steer").ok_or("no pass `steer`")?;
        let wanted = |name: &str| {
            layout(&steer.module, name).ok_or_else(|| format!("`steer` has no binding `{name}`"))
        };
        Ok(Self {
            flock: wanted("flock")?,
            species: wanted("species")?,
            targets: layout(&steer.module, "targets"),
        })
    }

    /// Bytes of the buffers whose layout the shaders state.
    #[must_use]
    pub fn sizes(&self, species: usize) -> [(&'static str, u64); 3] {
        let targets = self.targets.as_ref().map_or(16, |layout| layout.size.into());
        [
            ("flock", self.flock.size.into()),
            ("species", u64::from(self.species.size) * species as u64),
            ("targets", targets),
        ]
    }

    /// The content of `flock`, `species` and `targets`.
    pub fn records(
        &self,
        scene: &Scene,
        grid: &Grid,
        count: u32,
        crowded_above: u32,
    ) -> Result<[(&'static str, Vec<u8>); 3], String> {
        let mut flock = Record::new(&self.flock);
        flock
            .put("count", count.into())
            .put("columns", grid.columns.into())
            .put("rows", grid.rows.into())
            .put_point("cells_per_unit", grid.cells_per_unit)
            .put_point("size", scene.world.size)
            .put("seed", scene.seed.into())
            .put("time_step", scene.time_step.into())
            .put("run_cap_bits", RUN_CAP.ilog2().into())
            .put("crowded_above", crowded_above.into());
        Ok([
            ("flock", flock.finish()?),
            ("species", self.species(scene)?),
            ("targets", self.targets(&scene.targets)?),
        ])
    }

    fn species(&self, scene: &Scene) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let uses = scene.uses();
        for species in &scene.species {
            let mut record = Record::new(&self.species);
            record
                .put("mass", species.body.mass.into())
                .put("max_speed", species.body.max_speed.into())
                .put("max_force", species.body.max_force.into())
                .put("size", species.body.size.into());
            for kind in Kind::ALL.into_iter().filter(|kind| uses.contains(*kind)) {
                let info = kind.info();
                for (i, parameter) in info.parameters.iter().enumerate() {
                    let path = format!("{}.{}", info.key, parameter.member());
                    record.put(&path, species.value(kind, i).into());
                }
            }
            bytes.extend(record.finish()?);
        }
        Ok(bytes)
    }

    /// The content of `targets`.
    pub fn targets(&self, targets: &[Target]) -> Result<Vec<u8>, String> {
        let Some(layout) = &self.targets else { return Ok(vec![0; 16]) };
        let mut record = Record::new(layout);
        record.put("count", targets.len() as f64);
        for (i, target) in targets.iter().enumerate() {
            record
                .put_point(&format!("places.{i}.position"), target.position)
                .put(&format!("places.{i}.present"), f64::from(u8::from(target.active)));
        }
        record.finish()
    }
}

/// Sorts the agents by cell, agents of a cell in the order of their rows.
#[must_use]
pub fn sorted_agents(grid: &Grid, state: &FlockState) -> SortedAgents {
    let mut start = vec![0_u32; grid.cells() + 1];
    let keys: Vec<u32> = state.position.iter().map(|p| grid.key_of(*p)).collect();
    for key in &keys {
        start[*key as usize + 1] += 1;
    }
    for cell in 1..start.len() {
        start[cell] += start[cell - 1];
    }
    let mut next = start.clone();
    let mut sorted =
        SortedAgents { state: vec![[0.0; 4]; state.len()], tag: vec![0; state.len()], start };
    for (row, key) in keys.into_iter().enumerate() {
        let slot = &mut next[key as usize];
        let (p, v): (Point, Point) = (state.position[row], state.velocity[row]);
        sorted.state[*slot as usize] = [p.x, p.y, v.x, v.y];
        sorted.tag[*slot as usize] = u32::from(state.species[row]) << SPECIES_SHIFT | row as u32;
        *slot += 1;
    }
    sorted
}
