//! What the shaders read: uniforms and species by the layouts that the shaders themselves state,
//! and the agents sorted by cell.

use super::pass::Pipeline;
use super::profiler::MEASURED_TICKS;
use super::reflect::{Layout, Record, layout};
use crate::model::behaviours::{Kind, Target, Uses};
use crate::model::grid::{Grid, RUN_CAP, RUN_SAMPLE};
use crate::model::memory::Memory;
use crate::model::parameter::Parameters;
use crate::model::scene::{Body, Scene};
use crate::model::scenery::Scenery;
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
    rasters: [Option<Layout>; RASTERS.len()],
}

/// The rasters that scenery is sorted by, as the shaders know them.
const RASTERS: [&str; 3] = ["path_raster", "obstacle_raster", "flow_raster"];

/// What the host writes into the buffers of these names.
pub type Contents = Vec<(&'static str, Vec<u8>)>;

/// The agents in the order in which the passes keep them.
pub struct SortedAgents {
    /// Position and velocity.
    pub state: Vec<[f32; 4]>,
    /// Species and row.
    pub tag: Vec<u32>,
    /// Index of the first agent of each cell, and the count at the end.
    pub start: Vec<u32>,
    /// What they remember; empty in scenes without memory.
    pub memory: Vec<Memory>,
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
            rasters: RASTERS.map(|name| layout(&steer.module, name)),
        })
    }

    /// The content of everything that stays the same while the flock moves; `species` for ticks
    /// from `tick` on, where they vary.
    pub fn contents(
        &self,
        scene: &Scene,
        grid: &Grid,
        count: u32,
        crowded_above: u32,
        tick: u64,
    ) -> Result<Contents, String> {
        let tables = species_tables(scene);
        let mut flock = Record::new(&self.flock);
        flock
            .put("count", count.into())
            .put("columns", grid.columns.into())
            .put("rows", grid.rows.into())
            .put_point("cells_per_unit", grid.cells_per_unit)
            .put_point("size", scene.world.size)
            .put("seed", scene.seed.into())
            .put("time_step", scene.time_step.into())
            .put("run_cap", RUN_CAP.into())
            .put("run_sample_bits", RUN_SAMPLE.ilog2().into())
            .put("crowded_above", crowded_above.into())
            .put("species_tables", tables.into());
        let one = self.species(scene, tick)?;
        let mut contents = vec![
            ("flock", flock.finish()?),
            ("species", one.repeat(tables as usize)),
            ("targets", self.targets(&scene.targets)?),
        ];
        contents.extend(self.scenery(&Scenery::of(scene))?);
        Ok(contents)
    }

    /// One table of species, as it is at `tick`.
    pub fn species(&self, scene: &Scene, tick: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let uses = scene.uses();
        for species in scene.species_at(tick).iter() {
            let mut record = Record::new(&self.species);
            for (parameter, value) in Body::<f32>::TABLE.iter().zip(species.body_values()) {
                record.put(parameter.key, value.into());
            }
            if uses.has(Uses::COUNTS) {
                record.put("hearing", species.hearing_radius().into());
            }
            for kind in Kind::ALL.into_iter().filter(|kind| uses.contains(*kind)) {
                let info = kind.info();
                if uses.has(Uses::PRIORITY) {
                    record.put(&format!("turn_{}", info.key), species.turn(kind).into());
                }
                for (i, parameter) in info.parameters.iter().enumerate() {
                    let path = format!("{}.{}", info.key, parameter.member());
                    record.put(&path, species.encoded(kind, i).into());
                }
            }
            bytes.extend(record.finish()?);
        }
        Ok(bytes)
    }

    /// The content of `targets`.
    pub fn targets(&self, targets: &[Target]) -> Result<Vec<u8>, String> {
        let Some(layout) = &self.targets else { return Ok(Vec::new()) };
        let mut record = Record::new(layout);
        record.put("count", targets.len() as f64);
        for (i, target) in targets.iter().enumerate() {
            let field = |name: &str| format!("places.{i}.{name}");
            record
                .put_point(&field("position"), target.position)
                .put_point(&field("velocity"), target.velocity)
                .put(&field("present"), f64::from(u8::from(target.active)))
                .put(&field("hit_radius"), target.hit_radius.into())
                .put(&field("hits"), target.hits.into());
        }
        record.finish()
    }

    /// The part of `targets` that the pointer takes.
    pub fn pointer(&self, targets: &[Target]) -> Result<Vec<u8>, String> {
        let mut bytes = self.targets(targets)?;
        let second =
            self.targets.as_ref().and_then(|layout| layout.fields.get("places.1.position.0"));
        bytes.truncate(second.map_or(0, |field| field.offset as usize));
        Ok(bytes)
    }

    /// Takes over what the device has made of the targets.
    pub fn read_targets(&self, bytes: &[u8], targets: &mut [Target]) {
        let Some(layout) = &self.targets else { return };
        let word = |path: String| {
            let at = layout.fields.get(&path).map(|field| field.offset as usize)?;
            Some(bytemuck::pod_read_unaligned::<u32>(bytes.get(at..at + 4)?))
        };
        for (i, target) in targets.iter_mut().enumerate() {
            let point = |name: &str| {
                let [x, y] = [0, 1].map(|axis| word(format!("places.{i}.{name}.{axis}")));
                Some(Point::new(f32::from_bits(x?), f32::from_bits(y?)))
            };
            target.position = point("position").unwrap_or(target.position);
            target.velocity = point("velocity").unwrap_or(target.velocity);
            target.hits = word(format!("places.{i}.hits")).unwrap_or(target.hits);
        }
    }

    /// The scenery's tables, as far as the shader reads them.
    fn scenery(&self, scenery: &Scenery) -> Result<Contents, String> {
        let Scenery { paths, obstacles, flow } = scenery;
        let mut contents = Vec::new();
        let rasters = [&paths.raster, &obstacles.raster, &flow.raster];
        for ((name, layout), raster) in RASTERS.into_iter().zip(&self.rasters).zip(rasters) {
            let Some(layout) = layout else { continue };
            let mut record = Record::new(layout);
            record
                .put_point("origin", raster.origin)
                .put_point("cells_per_unit", raster.cells_per_unit)
                .put("columns", raster.columns.into())
                .put("rows", raster.rows.into());
            contents.push((name, record.finish()?));
        }
        let bytes = |words: &[u32]| bytemuck::cast_slice(words).to_vec();
        contents.push(("path_start", bytes(&paths.cells.start)));
        contents.push(("segments", bytemuck::cast_slice(&paths.cells.items).to_vec()));
        contents.push(("obstacle_start", bytes(&obstacles.cells.start)));
        contents.push(("obstacles", bytemuck::cast_slice(&obstacles.cells.items).to_vec()));
        contents.push(("flow_ways", bytemuck::cast_slice(&flow.ways).to_vec()));
        Ok(contents)
    }
}

/// How many tables of species the device holds: one, or one for each tick of a submission where
/// parameters vary.
#[must_use]
pub fn species_tables(scene: &Scene) -> u32 {
    if scene.varies() { MEASURED_TICKS } else { 1 }
}

/// Sorts the agents by cell, agents of a cell in the order of their rows.
#[must_use]
pub fn sorted_agents(grid: &Grid, scene: &Scene, state: &FlockState) -> SortedAgents {
    let mut start = vec![0_u32; grid.cells() + 1];
    let keys: Vec<u32> = state.position.iter().map(|p| grid.key_of(*p)).collect();
    for key in &keys {
        start[*key as usize + 1] += 1;
    }
    for cell in 1..start.len() {
        start[cell] += start[cell - 1];
    }
    let mut next = start.clone();
    let memory = state.memory_for(scene);
    let mut sorted = SortedAgents {
        state: vec![[0.0; 4]; state.len()],
        tag: vec![0; state.len()],
        start,
        memory: memory.clone(),
    };
    for (row, key) in keys.into_iter().enumerate() {
        let slot = &mut next[key as usize];
        let (p, v): (Point, Point) = (state.position[row], state.velocity[row]);
        sorted.state[*slot as usize] = [p.x, p.y, v.x, v.y];
        sorted.tag[*slot as usize] = u32::from(state.species[row]) << SPECIES_SHIFT | row as u32;
        if let Some(memory) = memory.get(row) {
            sorted.memory[*slot as usize] = *memory;
        }
        *slot += 1;
    }
    sorted
}
