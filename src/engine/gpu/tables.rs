//! The tables that shaders read, written in the layouts of the shaders themselves.

use std::sync::Arc;

use super::device_grid::DeviceGrid;
use super::pass::{BITMAP_WORDS, Pipeline};
use super::reflect::{Member, Record, StructLayout, layout, member};
use super::shaders::{KEEPS, ZERO_OF_RULES, members_of_trait, name_of};
use flockwork_model::behaviours::{Kind, Target, Uses};
use flockwork_model::grid::{LONG_RUN, RUN_SAMPLE};
use flockwork_model::parameter::{MAX_SPECIES, Parameters};
use flockwork_model::scene::{Body, Scene};
use flockwork_model::scenery::Scenery;
use flockwork_model::vector::Point;

/// Layouts of the structs that the host writes; `None` if no pass of the variant reads the struct.
#[derive(Clone, Debug)]
pub struct Tables {
    flock: StructLayout,
    species: Member,
    rows: Member,
    targets: Option<StructLayout>,
    indexes: [Option<StructLayout>; INDEXES.len()],
}

/// The indexes of the scenery; their names in the shaders.
const INDEXES: [&str; 3] = ["path_index", "obstacle_index", "flow_index"];

/// Content for buffers, by name.
pub type Contents = Vec<(&'static str, Vec<u8>)>;

impl Tables {
    /// Reads the layouts from the pass `steer`, which uses all structs.
    pub fn of(pipelines: &[Arc<Pipeline>]) -> Result<Self, String> {
        let steer = pipelines.iter().find(|p| p.pass.name == "steer").ok_or("no pass `steer`")?;
        let wanted = |name: &str| {
            member(&steer.module, "tables", name).ok_or_else(|| format!("`tables` has no `{name}`"))
        };
        Ok(Self {
            flock: layout(&steer.module, "flock").ok_or("`steer` has no binding `flock`")?,
            species: wanted("species")?,
            rows: wanted("rows")?,
            targets: layout(&steer.module, "targets"),
            indexes: INDEXES.map(|name| layout(&steer.module, name)),
        })
    }

    /// The uniform `flock`. A slab has `further` numbers in it, by the names of their fields.
    pub fn flock(
        &self,
        scene: &Scene,
        grid: &DeviceGrid,
        count: u32,
        crowded_above: u32,
        further: &[(&str, u32)],
    ) -> Result<Vec<u8>, String> {
        let species = 0..scene.species.len();
        let directed: u32 =
            species.map(|species| u32::from(scene.remembers_directions(species)) << species).sum();
        let [shown, shown_of_others] = scene.shown().words();
        let mut flock = Record::new(&self.flock);
        flock
            .put("count", count.into())
            .put_each("cells_along", grid.cells_along)
            .put("reach", grid.reach.into())
            .put_each("cells_per_unit", grid.cells_per_unit)
            .put_point("size", scene.world.size)
            .put("seed", scene.seed.into())
            .put("time_step", scene.time_step.into())
            .put("run_cap", scene.run_cap().into())
            .put("run_sample_bits", RUN_SAMPLE.ilog2().into())
            .put("long_run_bits", LONG_RUN.ilog2().into())
            .put("crowded_above", crowded_above.into())
            .put("directed", directed.into())
            .put("bitmap_words", BITMAP_WORDS.into())
            .put("shown.0", shown.into())
            .put("shown.1", shown_of_others.into())
            .put("longest_age", scene.style.age.into());
        if scene.uses().has(Uses::SHARED) {
            flock.put("species_count", scene.species.len() as f64);
        }
        for (name, number) in further {
            flock.put(name, (*number).into());
        }
        flock.finish()
    }

    /// The content of `tables` and of the scenery's indexes, with the species at `tick`.
    pub fn species_and_scenery(&self, scene: &Scene, tick: u64) -> Result<Contents, String> {
        let mut tables = vec![0; self.rows.offset as usize];
        let species = self.species(scene, tick)?;
        let first = self.species_offset(tick) as usize;
        tables[first..first + species.len()].copy_from_slice(&species);
        let mut contents = self.scenery(scene, &mut tables)?;
        contents.push(("tables", tables));
        Ok(contents)
    }

    /// Offset in `tables` of the species that are used at `tick`; bytes.
    #[must_use]
    pub fn species_offset(&self, tick: u64) -> u64 {
        let all = u64::from(self.species.count.unwrap_or(0));
        let most = MAX_SPECIES as u64;
        tick % (all / most).max(1) * most * u64::from(self.species.element.size)
    }

    /// One table of species, with their values at `tick`.
    pub fn species(&self, scene: &Scene, tick: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let (uses, leaders, formulas) = (scene.uses(), scene.leaders(), scene.formulas());
        let built_in = Kind::ALL.into_iter().filter(|kind| uses.contains(*kind));
        let kinds: Vec<Kind> =
            built_in.chain(formulas.iter().copied().map(Kind::Formula)).collect();
        for species in scene.species_at(tick).iter() {
            let mut record = Record::new(&self.species.element);
            for (parameter, value) in Body::<f32>::TABLE.iter().zip(species.body.values()) {
                record.put(parameter.key, value.into());
            }
            if uses.has(Uses::COUNTS) {
                let radius = species.perception_radius();
                record.put("squared_perception", (radius * radius).into());
            }
            for kind in kinds.iter().copied() {
                let name = name_of(kind, &formulas);
                if uses.has(Uses::PRIORITY) {
                    record.put(&format!("turn_{name}"), species.turn(kind).into());
                }
                for (i, parameter) in kind.info().parameters.iter().enumerate() {
                    let path = format!("{name}.{}", parameter.member());
                    record.put(&path, species.encoded(kind, i).into());
                }
                if kind.formula().is_some() {
                    record.put(&format!("{name}.{ZERO_OF_RULES}"), 0.0);
                    if kind.formula().is_some_and(|own| !own.states.is_empty()) {
                        let has = if species.rule(kind).is_some() { 1.0 } else { 0.0 };
                        record.put(&format!("{name}.{KEEPS}"), has);
                    }
                }
                let squared = kind.parameter("radius").filter(|_| leaders.contains(&(kind, kind)));
                if let Some(slot) = squared {
                    let radius = species.value(kind, slot);
                    record.put(&format!("squared_{name}"), (radius * radius).into());
                    if uses.has(Uses::NEAREST) {
                        record.put(&format!("below_{name}"), 0.0);
                    }
                    if uses.has(Uses::PICK) {
                        record.put(&format!("only_{name}"), u32::MAX.into());
                    }
                }
            }
            for slot in scene.traits() {
                record.put(&members_of_trait(slot, &formulas).1, species.least(slot).into());
            }
            bytes.extend(record.finish()?);
        }
        Ok(bytes)
    }

    /// The content of `targets`.
    pub fn targets(&self, targets: &[Target]) -> Result<Vec<u8>, String> {
        let Some(layout) = &self.targets else {
            return Ok(Vec::new());
        };
        let mut record = Record::new(layout);
        record.put("count", targets.len() as f64);
        for (i, target) in targets.iter().enumerate() {
            let field = |name: &str| format!("places.{i}.{name}");
            record
                .put_point(&field("position"), target.position)
                .put_point(&field("velocity"), target.velocity)
                .put(&field("present"), f64::from(u8::from(target.active)))
                .put(&field("hit_radius"), target.hit_radius.into())
                .put(&field("hits"), target.hits.into())
                .put(&field("turns"), f64::from(u8::from(target.turns)))
                .put_point(&field("sends_to"), target.sends_to.unwrap_or(Point::ZERO))
                .put(&field("sends"), f64::from(u8::from(target.sends_to.is_some())));
        }
        record.finish()
    }

    /// Offsets and bytes of the position and presence of one target in `targets`; empty if the
    /// shader has no targets.
    pub fn target(&self, index: usize, target: &Target) -> Vec<(u64, Vec<u8>)> {
        let Some(layout) = &self.targets else {
            return Vec::new();
        };
        let field = |name: &str, bytes: &[u8]| {
            let offset = layout.fields.get(&format!("places.{index}.{name}"))?.offset;
            Some((u64::from(offset), bytes.to_vec()))
        };
        let axes = layout.axes(&format!("places.{index}.position"));
        let place = &target.position.to_array()[..axes];
        let present = u32::from(target.active).to_le_bytes();
        let fields = [field("position.0", bytemuck::cast_slice(place)), field("present", &present)];
        fields.into_iter().flatten().collect()
    }

    /// True if both shaders have the same layout of targets.
    #[must_use]
    pub fn reads_targets_as(&self, other: &Self) -> bool {
        self.targets == other.targets
    }

    /// Updates `targets` from the content of the device's buffer; without content they stay as they are.
    pub fn read_targets(&self, bytes: &[u8], targets: &mut [Target]) {
        let Some(layout) = &self.targets else { return };
        let word = |path: String| {
            let at = layout.fields.get(&path).map(|field| field.offset as usize)?;
            Some(bytemuck::pod_read_unaligned::<u32>(bytes.get(at..at + 4)?))
        };
        for (i, target) in targets.iter_mut().enumerate() {
            let read = |name: &str, point: &mut Point| {
                for (axis, component) in point.as_mut().iter_mut().enumerate() {
                    let word = word(format!("places.{i}.{name}.{axis}"));
                    *component = word.map_or(*component, f32::from_bits);
                }
            };
            read("position", &mut target.position);
            read("velocity", &mut target.velocity);
            target.hits = word(format!("places.{i}.hits")).unwrap_or(target.hits);
        }
    }

    /// The scenery's indexes that the shader reads. Appends their lists and the listed items to
    /// `tables`, which holds everything before the rows.
    fn scenery(&self, scene: &Scene, tables: &mut Vec<u8>) -> Result<Contents, String> {
        let scenery = scene.scenery();
        let Scenery { paths, obstacles, flow } = &scenery;
        let is_flat = scene.world.is_flat();
        let ends = paths.cells.items.iter().flat_map(|segment| [segment.from, segment.to]);
        let listed = [
            (&paths.index, &paths.cells.start[..], vector_rows(is_flat, ends)),
            (
                &obstacles.index,
                &obstacles.cells.start[..],
                bytemuck::cast_slice(&obstacles.cells.items).to_vec(),
            ),
            (&flow.index, &[], vector_rows(is_flat, flow.vectors.iter().copied())),
        ];
        let mut contents = Vec::new();
        for ((name, layout), (index, start, items)) in
            INDEXES.into_iter().zip(&self.indexes).zip(listed)
        {
            let Some(layout) = layout else { continue };
            let rows = |tables: &[u8]| (tables.len() - self.rows.offset as usize) / ROW_BYTES;
            let lists_at = rows(tables);
            for ends in start.windows(2) {
                tables.extend_from_slice(bytemuck::cast_slice(ends));
            }
            fill_row(tables);
            let items_at = rows(tables);
            tables.extend_from_slice(&items);
            fill_row(tables);
            let mut record = Record::new(layout);
            record
                .put_point("origin", index.origin)
                .put_point("cells_per_unit", index.cells_per_unit)
                .put_each("cells_along", index.cells_along)
                .put("lists", lists_at as f64)
                .put("items", items_at as f64);
            contents.push((name, record.finish()?));
        }
        // A binding cannot be empty.
        if tables.len() == self.rows.offset as usize {
            tables.resize(tables.len() + ROW_BYTES, 0);
        }
        Ok(contents)
    }
}

/// Bytes of a row of `tables`.
const ROW_BYTES: usize = 16;

/// Vectors as the shaders read them: two of a plane in a row of `tables`, or one of a space.
fn vector_rows(is_flat: bool, points: impl Iterator<Item = Point>) -> Vec<u8> {
    let kept = if is_flat { 2 } else { 4 };
    let components = |point: Point| point.extend(0.0).to_array().into_iter().take(kept);
    let words: Vec<f32> = points.flat_map(components).collect();
    bytemuck::cast_slice(&words).to_vec()
}

/// Fills up the last row with zeros. The species before the rows fill whole rows.
fn fill_row(tables: &mut Vec<u8>) {
    tables.resize(tables.len().next_multiple_of(ROW_BYTES), 0);
}
