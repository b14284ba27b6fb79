//! What the shaders read: uniforms and species by the layouts that the shaders themselves state,
//! and the agents sorted by cell.

use rayon::prelude::*;

use super::pass::{BITMAP_WORDS, Pipeline};
use super::reflect::{Member, Record, StructLayout, layout, member};
use super::shaders::members_of_trait;
use crate::model::behaviours::{Kind, Target, Uses};
use crate::model::grid::{Grid, LONG_RUN, RUN_CAP, RUN_SAMPLE};
use crate::model::memory::Memory;
use crate::model::parameter::{MAX_SPECIES, Parameters};
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
    flock: StructLayout,
    species: Member,
    rows: Member,
    targets: Option<StructLayout>,
    indexes: [Option<StructLayout>; INDEXES.len()],
}

/// The indexes that scenery is sorted by, as the shaders know them.
const INDEXES: [&str; 3] = ["path_index", "obstacle_index", "flow_index"];

/// What the host writes into the buffers of these names.
pub type Contents = Vec<(&'static str, Vec<u8>)>;

/// The agents in the order in which the passes keep them.
pub struct SortedAgents {
    /// Position and velocity.
    pub state: Vec<[f32; 4]>,
    /// Species and row.
    pub tag: Vec<u32>,
    /// Index of the first agent of each cell, and the count at the end.
    pub cell_start: Vec<u32>,
    /// What they remember; empty in scenes without memory.
    pub memory: Vec<Memory>,
}

impl Tables {
    /// Reads the layouts from the pass `steer`, which uses every struct.
    pub fn of(pipelines: &[Pipeline]) -> Result<Self, String> {
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

    /// The content of everything that stays the same while the flock moves; species as they are at
    /// `tick`, where they vary.
    pub fn contents(
        &self,
        scene: &Scene,
        grid: &Grid,
        count: u32,
        crowded_above: u32,
        tick: u64,
    ) -> Result<Contents, String> {
        let mut flock = Record::new(&self.flock);
        flock
            .put("count", count.into())
            .put("columns", grid.columns.into())
            .put("reach", grid.reach.into())
            .put("rows", grid.rows.into())
            .put_point("cells_per_unit", grid.cells_per_unit)
            .put_point("size", scene.world.size)
            .put("seed", scene.seed.into())
            .put("time_step", scene.time_step.into())
            .put("run_cap", RUN_CAP.into())
            .put("run_sample_bits", RUN_SAMPLE.ilog2().into())
            .put("long_run_bits", LONG_RUN.ilog2().into())
            .put("crowded_above", crowded_above.into())
            .put("bitmap_words", BITMAP_WORDS.into());
        let mut tables = self.species(scene, tick)?;
        tables.resize(self.rows.offset as usize, 0);
        let mut contents =
            vec![("flock", flock.finish()?), ("targets", self.targets(&scene.targets)?)];
        contents.extend(self.scenery(&scene.scenery(), &mut tables)?);
        contents.push(("tables", tables));
        Ok(contents)
    }

    /// Where in `tables` the species are that are in force at `tick`; bytes.
    #[must_use]
    pub fn species_offset(&self, tick: u64) -> u64 {
        let all = u64::from(self.species.count.unwrap_or(0));
        let most = MAX_SPECIES as u64;
        tick % (all / most).max(1) * most * u64::from(self.species.element.size)
    }

    /// One table of species, as it is at `tick`.
    pub fn species(&self, scene: &Scene, tick: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let uses = scene.uses();
        for species in scene.species_at(tick).iter() {
            let mut record = Record::new(&self.species.element);
            for (parameter, value) in Body::<f32>::TABLE.iter().zip(species.body_values()) {
                record.put(parameter.key, value.into());
            }
            if uses.has(Uses::COUNTS) {
                record.put("hearing", species.perception_radius().into());
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
            for slot in scene.traits().slots() {
                record.put(&members_of_trait(slot).1, species.least(slot).into());
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
                .put(&field("hits"), target.hits.into())
                .put(&field("turns"), f64::from(u8::from(target.turns)))
                .put_point(&field("sends_to"), target.sends_to.unwrap_or(Point::ZERO))
                .put(&field("sends"), f64::from(u8::from(target.sends_to.is_some())));
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

    /// Where in `targets` the place of one stands, and what to write there to move it.
    pub fn place_of_target(&self, index: usize, place: Point) -> Option<(u64, Vec<u8>)> {
        let path = format!("places.{index}.position.0");
        let field = self.targets.as_ref()?.fields.get(&path)?;
        Some((u64::from(field.offset), bytemuck::bytes_of(&place.to_array()).to_vec()))
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

    /// The scenery's indexes, as far as the shader reads them. Appends their lists and what these list to
    /// `tables`, which holds what stands before the rows.
    fn scenery(&self, scenery: &Scenery, tables: &mut Vec<u8>) -> Result<Contents, String> {
        let Scenery { paths, obstacles, flow } = scenery;
        let bytes = |words: &[f32]| bytemuck::cast_slice(words).to_vec();
        let listed = [
            (&paths.index, &paths.cells.start[..], bytes(bytemuck::cast_slice(&paths.cells.items))),
            (
                &obstacles.index,
                &obstacles.cells.start[..],
                bytes(bytemuck::cast_slice(&obstacles.cells.items)),
            ),
            (&flow.index, &[], bytes(bytemuck::cast_slice(&flow.ways))),
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
                .put("columns", index.columns.into())
                .put("rows", index.rows.into())
                .put("lists", lists_at as f64)
                .put("items", items_at as f64);
            contents.push((name, record.finish()?));
        }
        // An array is never empty.
        if tables.len() == self.rows.offset as usize {
            tables.resize(tables.len() + ROW_BYTES, 0);
        }
        Ok(contents)
    }
}

/// Bytes of a row of `tables`.
const ROW_BYTES: usize = 16;

/// Makes the last row whole: the species before them fill whole rows.
fn fill_row(tables: &mut Vec<u8>) {
    tables.resize(tables.len().next_multiple_of(ROW_BYTES), 0);
}

/// Agents of a chunk, and about as many of a band of cells, that one thread sorts at a time.
const SORTED_AT_ONCE: usize = 1 << 17;

/// Where a band of cells is written: consecutive places of every array.
struct CellBand<'a> {
    first_cell: usize,
    /// Agents before the band.
    before: usize,
    start: &'a mut [u32],
    state: &'a mut [[f32; 4]],
    tag: &'a mut [u32],
    memory: &'a mut [Memory],
}

/// Sorts the agents by cell, agents of a cell in the order of their rows.
///
/// Threads first deal chunks of rows out to bands of cells, then sort the bands: whatever their
/// number, the result is the same.
#[must_use]
pub fn sorted_agents(grid: &Grid, scene: &Scene, state: &FlockState) -> SortedAgents {
    let (cells, agents) = (grid.cells(), state.len());
    let bands = agents.div_ceil(SORTED_AT_ONCE).clamp(1, cells);
    let cells_per_band = cells.div_ceil(bands);
    let bands = cells.div_ceil(cells_per_band);
    // Cell and row of the agents of each chunk, band by band.
    let dealt: Vec<Vec<Vec<(u32, u32)>>> = state
        .position
        .par_chunks(SORTED_AT_ONCE)
        .enumerate()
        .map(|(chunk, positions)| {
            let mut hands = vec![Vec::new(); bands];
            for (row, position) in positions.iter().enumerate() {
                let key = grid.key_of(*position);
                let row = (chunk * SORTED_AT_ONCE + row) as u32;
                hands[key as usize / cells_per_band].push((key, row));
            }
            hands
        })
        .collect();

    let memory = scene.memory_of(state);
    let mut sorted = SortedAgents {
        state: vec![[0.0; 4]; agents],
        tag: vec![0; agents],
        cell_start: vec![0; cells + 1],
        memory: vec![Memory::default(); memory.len()],
    };
    sorted.cell_start[cells] = agents as u32;
    let mut places = Vec::with_capacity(bands);
    let mut before = 0;
    let (mut states, mut tags) = (&mut sorted.state[..], &mut sorted.tag[..]);
    let (mut memories, mut starts) = (&mut sorted.memory[..], &mut sorted.cell_start[..cells]);
    for number in 0..bands {
        let members: usize = dealt.iter().map(|hands| hands[number].len()).sum();
        places.push(CellBand {
            first_cell: number * cells_per_band,
            before,
            start: split(&mut starts, cells_per_band),
            state: split(&mut states, members),
            tag: split(&mut tags, members),
            memory: split(&mut memories, members),
        });
        before += members;
    }
    places.into_par_iter().enumerate().for_each(|(number, band)| {
        sort_band(band, || dealt.iter().flat_map(move |hands| &hands[number]), state, &memory);
    });
    sorted
}

/// Takes the first `count` items off, or all there are.
fn split<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let whole = std::mem::take(rest);
    let (first, others) = whole.split_at_mut(count.min(whole.len()));
    *rest = others;
    first
}

/// Writes the `members` of a band, which come in the order of their rows, in the order of its cells.
fn sort_band<'a, I: Iterator<Item = &'a (u32, u32)>>(
    band: CellBand<'_>,
    members: impl Fn() -> I,
    state: &FlockState,
    memory: &[Memory],
) {
    let CellBand { first_cell, before, start, .. } = band;
    for (key, _) in members() {
        start[*key as usize - first_cell] += 1;
    }
    let mut next = 0;
    for count in start.iter_mut() {
        next += std::mem::replace(count, next);
    }
    let mut next = start.to_vec();
    for (key, row) in members() {
        let slot = &mut next[*key as usize - first_cell];
        let (place, row) = (*slot as usize, *row as usize);
        *slot += 1;
        let (p, v): (Point, Point) = (state.position[row], state.velocity[row]);
        band.state[place] = [p.x, p.y, v.x, v.y];
        band.tag[place] = u32::from(state.species[row]) << SPECIES_SHIFT | row as u32;
        if let Some(slot) = band.memory.get_mut(place) {
            *slot = memory[row];
        }
    }
    for first in start {
        *first += before as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scene::{BuiltIn, Request};

    #[test]
    fn agents_are_sorted_by_cell_and_in_a_cell_by_row() {
        for (name, count) in
            [("flock", 1), ("flock", 70), ("foam", 300_001), ("predators", 400_000)]
        {
            let text = BuiltIn::named(name).unwrap().text;
            let mut scene = Scene::parse(name, text, &[]).unwrap();
            let request = Request { count: Some(count), ..Request::default() };
            let mut state = scene.populate(&request).unwrap();
            // A crowd in one cell, so that bands differ in length.
            let place = state.position[0];
            state.position.iter_mut().step_by(3).for_each(|p| *p = place);
            let grid = scene.grid(state.len());
            let sorted = sorted_agents(&grid, &scene, &state);

            let mut rows: Vec<usize> = (0..state.len()).collect();
            rows.sort_by_key(|row| grid.key_of(state.position[*row]));
            let found: Vec<usize> = sorted.tag.iter().map(|t| (t & ID_BITS) as usize).collect();
            assert!(found == rows, "{name}, {count}");
            let memory = scene.memory_of(&state);
            assert_eq!(sorted.memory.len(), memory.len());
            for (place, row) in rows.iter().enumerate() {
                let (p, v) = (state.position[*row], state.velocity[*row]);
                assert_eq!(sorted.state[place], [p.x, p.y, v.x, v.y]);
                assert_eq!(sorted.tag[place] >> SPECIES_SHIFT, u32::from(state.species[*row]));
                assert!(memory.is_empty() || sorted.memory[place] == memory[*row]);
            }
            assert_eq!(sorted.cell_start.len(), grid.cells() + 1);
            for (cell, pair) in sorted.cell_start.windows(2).enumerate() {
                let members = &rows[pair[0] as usize..pair[1] as usize];
                let here = |row: &usize| grid.key_of(state.position[*row]) as usize == cell;
                assert!(members.iter().all(here), "cell {cell} of {name}");
            }
            assert_eq!(sorted.cell_start[grid.cells()] as usize, state.len());
        }
    }
}
