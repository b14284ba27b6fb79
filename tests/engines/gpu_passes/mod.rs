//! Level 1: every pass against its CPU twin, exactly, at the sizes where passes break.

mod cases;

use crate::adapter;
use crate::common::{populated, stepped};
use std::sync::Arc;

use cases::{Case, cases};
use flockwork::engine::Engine;
use flockwork::engine::gpu::buffers::{COUNTS_AT, HITS_BYTES};
use flockwork::engine::gpu::device_grid::DeviceGrid;
use flockwork::engine::gpu::extent::{CELLS_PER_BLOCK, Extent};
use flockwork::engine::gpu::pass::{BITMAP_WORDS, Pass, TICK, TickKind, small_grid};
use flockwork::engine::gpu::row::Tag;
use flockwork::engine::gpu::{EngineOptions, Gpu, GpuEngine, MotionLayout};
use flockwork::model::behaviours::Target;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, components};

/// The bit that marks a crowded cell which `sort_crowds` leaves to `sort_scattered`.
const SCATTERED: u32 = 1 << 31;

struct Loaded<'a> {
    engine: &'a mut GpuEngine,
    scene: Scene,
    layout: MotionLayout,
    grid: DeviceGrid,
    count: usize,
    crowded_above: u32,
    tick_kind: TickKind,
    tick: u32,
    /// Members of the largest crowd so far whose members came from places too far apart for
    /// bitmaps.
    largest_scattered: usize,
}

/// An engine for each set of options: cases that have the same ones share what it compiles.
struct Engines {
    gpu: Arc<Gpu>,
    made: Vec<(EngineOptions, GpuEngine)>,
}

impl Engines {
    fn new(gpu: Arc<Gpu>) -> Self {
        Self { gpu, made: vec![] }
    }

    fn of(&mut self, options: EngineOptions) -> &mut GpuEngine {
        let known = self.made.iter().position(|(own, _)| *own == options);
        let place = known.unwrap_or_else(|| {
            let engine = GpuEngine::with_options(Arc::clone(&self.gpu), options);
            self.made.push((options, engine));
            self.made.len() - 1
        });
        &mut self.made[place].1
    }

    fn load(&mut self, case: &Case) -> Loaded<'_> {
        let scene = Scene::parse_with("test", &case.text(), case.overrides).unwrap();
        let (scene, mut state) = populated(scene, case.count);
        state.id.iter_mut().for_each(|id| *id *= case.stride);
        let EngineOptions { crowded_above, small_grid: blocks, .. } = case.options;
        let blocks = blocks.unwrap_or_else(|| small_grid(self.gpu.is_software()));
        let engine = self.of(case.options);
        engine.load(&scene, &state).unwrap();
        // A tick must not read what it has not written: poison it.
        for name in ["next_state", "binned", "blocks", "crowded", "scattered", "index", "id"] {
            let size = engine.read_buffer(name).unwrap().len();
            engine.write_buffer(name, &vec![0xff; size]).unwrap();
        }
        let grid = DeviceGrid::of(&scene, state.len());
        let layout = MotionLayout::of(&scene.world);
        let count = state.len() as u32;
        let ids = state.id[state.len() - 1] + 1;
        let extent = Extent::of(layout, count, ids, grid.cells(), crowded_above);
        Loaded {
            engine,
            layout,
            grid,
            count: state.len(),
            crowded_above,
            tick_kind: TickKind::of(scene.uses(), extent, crowded_above, blocks),
            scene,
            tick: 0,
            largest_scattered: 0,
        }
    }

    /// The state of a case after `ticks` ticks.
    fn run(&mut self, case: &Case, ticks: u32) -> FlockState {
        let engine = self.load(case).engine;
        stepped(engine, ticks)
    }
}

impl Loaded<'_> {
    fn words(&self, name: &str) -> Vec<u32> {
        bytemuck::pod_collect_to_vec(&self.engine.read_buffer(name).unwrap())
    }

    fn rows<T: bytemuck::Pod>(&self, name: &str) -> Vec<[T; 4]> {
        bytemuck::pod_collect_to_vec(&self.engine.read_buffer(name).unwrap())
    }

    /// Position and velocity of each agent in a buffer.
    fn motions(&self, name: &str) -> Vec<[Point; 2]> {
        let rows = self.rows::<f32>(name);
        rows.chunks_exact(self.layout.rows()).map(|rows| self.layout.read(rows)).collect()
    }

    /// The cell of a position.
    fn key_of(&self, position: Point) -> u32 {
        let count = self.count;
        if self.scene.world.is_flat() {
            self.scene.grid::<2>(count).key_of(components(position))
        } else {
            self.scene.grid::<3>(count).key_of(components(position))
        }
    }

    /// The bits of the targets that were hit, and the number of agents in each cell.
    fn hits_and_members(&self) -> (Vec<u32>, Vec<u32>) {
        let mut hits = self.words("cell_count");
        let members = hits.split_off(COUNTS_AT as usize / 4);
        hits.truncate(HITS_BYTES as usize / 4);
        (hits, members)
    }

    /// The targets on the device.
    fn targets(&mut self) -> Vec<Target> {
        self.engine.targets().unwrap()
    }

    /// The targets that an agent at one of these positions hits.
    fn hits(&self, targets: &[Target], positions: impl Iterator<Item = Point>) -> Vec<bool> {
        let mut hits = vec![false; targets.len()];
        for position in positions {
            for (hit, target) in hits.iter_mut().zip(targets) {
                let way = self.scene.world.shortest_between(position, target.position);
                *hit |= way.length_squared() < target.hit_radius * target.hit_radius;
            }
        }
        hits
    }

    /// Runs a tick pass by pass and compares the output of each with its twin. `skip` leaves out a
    /// pass, for the negative control.
    fn check_tick(&mut self, skip: Option<&str>) -> Result<(), String> {
        let mut targets = self.targets();
        let engine = &self.engine;
        let run = |pass: &str| {
            if skip != Some(pass) {
                engine.run_pass(pass).unwrap();
            }
        };
        let (hits, cell_count) = (|| self.hits_and_members().0, || self.hits_and_members().1);
        let expect = |what: &str, equal: bool| if equal { Ok(()) } else { Err(what.to_string()) };
        let tag_before = self.words("tag");

        run("add_up");
        let total = total_velocity(&self.motions("state"));
        let total = &total.to_array().map(f32::to_bits)[..self.scene.world.axes()];
        let tables = self.words("tables");
        expect("add_up", tables.windows(total.len()).any(|words| words == total))?;

        run("steer");
        let next_state = self.motions("next_state");
        let binned = self.rows::<u32>("binned");
        let position = |motion: &[Point; 2]| motion[0];
        let keys: Vec<u32> = next_state.iter().map(|motion| self.key_of(motion[0])).collect();
        expect("steer: key", keys.iter().zip(&binned).all(|(key, l)| *key == l[0]))?;
        expect("steer: tag", tag_before.iter().zip(&binned).all(|(tag, l)| *tag == l[2]))?;
        let mut members = vec![0_u32; self.grid.cells() as usize];
        keys.iter().for_each(|key| members[*key as usize] += 1);
        expect("steer: cell_count", cell_count() == members)?;
        let mut slots: Vec<(u32, u32)> = binned.iter().map(|l| (l[0], l[1])).collect();
        slots.sort_unstable();
        let dense = slots.iter().enumerate().all(|(i, (key, slot))| {
            *slot
                == i.checked_sub(1)
                    .map_or(0, |j| if slots[j].0 == *key { slots[j].1 + 1 } else { 0 })
        });
        expect("steer: slots of a cell are 0, 1, …", dense)?;
        let hit = self.hits(&targets, next_state.iter().map(position));
        let bits = hit.iter().enumerate().map(|(i, hit)| u32::from(*hit) << i).sum::<u32>();
        expect("steer: hits", hits() == [bits, 0])?;

        run("move_targets");
        let world = self.scene.world;
        for (index, (target, hit)) in targets.iter_mut().zip(&hit).enumerate() {
            target.advance(index as u32, *hit, &world, self.scene.seed, self.tick, 1.0);
        }
        expect("move_targets: hits", hits() == [0, 0])?;

        let largest = members.iter().copied().max().unwrap_or(0);
        let scan = if self.tick_kind.small_grid {
            run("scan_small");
            "scan_small"
        } else {
            run("scan_reduce");
            let blocks: Vec<u32> =
                members.chunks(CELLS_PER_BLOCK as usize).map(|block| block.iter().sum()).collect();
            expect("scan_reduce: blocks", self.words("blocks") == blocks)?;
            expect("scan_reduce: grid_stats", self.words("grid_stats") == [0, 0, 1, 1, 0])?;

            run("scan_downsweep");
            "scan_downsweep"
        };
        let scanned = |what: &str, equal: bool| expect(&format!("{scan}: {what}"), equal);
        let mut start = vec![0_u32];
        members.iter().for_each(|m| start.push(start[start.len() - 1] + m));
        scanned("cell_start", self.words("cell_start") == start)?;
        scanned("cell_count", cell_count().iter().all(|m| *m == 0))?;
        let crowds: Vec<u32> = (0..members.len() as u32)
            .filter(|cell| members[*cell as usize] > self.crowded_above)
            .collect();
        let mut listed = self.words("crowded");
        listed.truncate(crowds.len());
        listed.sort_unstable();
        scanned("crowds", listed == crowds)?;
        // One workgroup for each of the first crowds, then one per 64.
        let workgroups = (0..crowds.len()).filter(|nth| *nth < 1024 || nth % 64 == 0).count();
        let grid_stats = [largest, workgroups as u32, 1, 1, crowds.len() as u32];
        scanned("grid_stats", self.words("grid_stats") == grid_stats)?;

        run("place");
        let ids: Vec<u32> = tag_before.iter().map(|tag| Tag(*tag).id()).collect();
        let ids_of = |index: &[u32]| -> Vec<u32> {
            index.iter().map(|i| ids.get(*i as usize).copied().unwrap_or(u32::MAX)).collect()
        };
        // By cell, and within a cell by id.
        let mut order: Vec<u32> = (0..self.count as u32).collect();
        order.sort_by_key(|i| (keys[*i as usize], ids[*i as usize]));
        let mut index = self.words("index");
        expect("place: id", self.words("id") == ids_of(&index))?;
        for cell in start.windows(2) {
            let id_of = |i: &u32| ids.get(*i as usize).copied();
            index[cell[0] as usize..cell[1] as usize].sort_by_key(id_of);
        }
        expect("place: index", index == order)?;
        // An artificial race: the largest ids of each cell come first, so that the sorting passes
        // have work in any case.
        for cell in start.windows(2) {
            index[cell[0] as usize..cell[1] as usize].reverse();
        }
        self.engine.write_buffer("index", bytemuck::cast_slice(&index)).unwrap();
        self.engine.write_buffer("id", bytemuck::cast_slice(&ids_of(&index))).unwrap();

        run("sort_crowds");
        let index = self.words("index");
        let members =
            |cell: &u32| start[*cell as usize] as usize..start[*cell as usize + 1] as usize;
        let is_sorted = |index: &[u32], cell: &u32| index[members(cell)] == order[members(cell)];
        let is_near = |cell: &u32| {
            let sorted = ids_of(&order[members(cell)]);
            (sorted[sorted.len() - 1] - sorted[0]) / 32 < BITMAP_WORDS * sorted.len() as u32
        };
        let listed = &self.words("crowded")[..crowds.len()];
        let (left, sorted): (Vec<u32>, Vec<u32>) =
            listed.iter().partition(|cell| **cell & SCATTERED > 0);
        let left: Vec<u32> = left.iter().map(|cell| cell & !SCATTERED).collect();
        expect("sort_crowds: sorted", sorted.iter().all(|cell| is_sorted(&index, cell)))?;
        expect("sort_crowds: left over", !left.iter().any(is_near))?;
        let workgroups = if left.is_empty() { 0 } else { workgroups as u32 };
        expect("sort_crowds: scattered", self.words("scattered") == [workgroups, 1, 1])?;

        if self.tick_kind.scatters {
            run("sort_scattered");
        }
        let index = self.words("index");
        expect("sort_scattered", crowds.iter().all(|cell| is_sorted(&index, cell)))?;

        run("reorder");
        let moved: Vec<[Point; 2]> = order.iter().map(|i| next_state[*i as usize]).collect();
        expect("reorder: state", self.motions("state") == moved)?;
        let tags: Vec<u32> = order.iter().map(|i| tag_before[*i as usize]).collect();
        expect("reorder: tag", self.words("tag") == tags)?;
        let memory: Vec<u32> = order.iter().map(|i| binned[*i as usize][3]).collect();
        expect("reorder: memory", self.words("memory") == memory)?;
        let most = left.iter().map(|cell| members(cell).len()).max().unwrap_or(0);
        self.largest_scattered = self.largest_scattered.max(most);
        self.engine.end_tick().unwrap();
        self.tick += 1;
        // Last, because it borrows the engine. Nothing has changed the targets since.
        expect("move_targets: targets", self.targets() == targets)
    }
}

/// The sum of all velocities, as the pass `add_up` adds them: 256 sums side by side, then pairs of those.
fn total_velocity(state: &[[Point; 2]]) -> Point {
    let mut parts = [Point::ZERO; 256];
    for (agent, [_, velocity]) in state.iter().enumerate() {
        parts[agent % 256] += *velocity;
    }
    for half in [128, 64, 32, 16, 8, 4, 2, 1] {
        for lane in 0..half {
            parts[lane] += parts[lane + half];
        }
    }
    parts[0]
}

#[test]
fn every_pass_equals_its_twin() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engines = Engines::new(gpu);
    for case in cases() {
        let mut loaded = engines.load(&case);
        let fullest = loaded.words("cell_start").windows(2).map(|cell| cell[1] - cell[0]).max();
        assert_eq!(Some(loaded.words("grid_stats")[0]), fullest, "{}: first grid_stats", case.name);
        assert_eq!(Some(loaded.engine.largest_cell()), fullest, "{}: largest cell", case.name);
        for tick in 0..2 {
            if let Err(pass) = loaded.check_tick(None) {
                panic!("{}, tick {tick}: {pass}", case.name);
            }
        }
        if case.name == "large scattered crowds" {
            // More members than a workgroup has threads, and more bits than two double rounds sort.
            assert!(loaded.largest_scattered > 128 && loaded.count > 1 << 16);
        }
    }
}

#[test]
fn a_skipped_pass_is_noticed() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engines = Engines::new(gpu);
    let mut unskipped: Vec<Pass> = TICK.to_vec();
    for name in ["scattered crowds", "many crowds, in two passes"] {
        let crowds = cases().into_iter().find(|case| case.name == name).unwrap();
        unskipped.retain(|pass| {
            let mut loaded = engines.load(&crowds);
            if !pass.runs_in.includes(loaded.tick_kind) {
                return true;
            }
            let found = loaded.check_tick(Some(pass.name));
            let message = found.expect_err(&format!("`{}` was skipped without notice", pass.name));
            assert!(message.starts_with(pass.name), "`{}` was skipped, not {message}", pass.name);
            false
        });
    }
    assert!(unskipped.is_empty(), "{unskipped:?} were never skipped");
}

#[test]
fn the_bytes_do_not_depend_on_how_crowds_are_sorted_or_dispatched() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engines = Engines::new(gpu);
    let mut run = |options| {
        let case = Case {
            name: "",
            in_space: false,
            count: 5_000,
            overrides: &["species.a.spawn={place = \"disc\", radius = 60}"],
            options,
            stride: 1,
        };
        engines.run(&case, 30)
    };
    let usual = EngineOptions { checked: true, ..EngineOptions::default() };
    let plain = run(usual);
    for options in [
        EngineOptions { crowded_above: 3, ..usual },
        EngineOptions { dispatch_limit: Some(7), ..usual },
        EngineOptions { small_grid: Some(0), ..usual },
        EngineOptions { without_subgroups: true, ..usual },
        EngineOptions { crowded_above: 3, without_subgroups: true, ..usual },
    ] {
        assert!(run(options) == plain, "{options:?} changes the result");
    }
}
