//! The part of a flock that one of several processes moves on its device.
//!
//! The buffers hold the own agents, sorted as in one process, then the ghosts. A cell behind the own ones
//! is for agents that leave: the sort puts them last, and the number of agents cuts them off.

mod exchange;
mod reading;
mod rows;

use std::sync::Arc;

use super::buffers::{self, FlockBuffers};
use super::device_grid::DeviceGrid;
use super::flock::{Maker, Plan, dispatch_sizes, sizes};
use super::pass::{ARRIVE_IN_SLAB, BIN, Extent, LEAVE_SLAB, Pass, Pipeline, Sizes};
use super::pipelines::Compiled;
use super::readback::{Part, Readback};
use super::row::MotionLayout;
use super::shaders::Variant;
use super::stamps::Stamps;
use super::tables::{Contents, Tables};
use crate::EngineError;
use crate::many::Region;
use exchange::{Borders, Expected, Moved};
use flockwork_model::behaviours::Uses;
use flockwork_model::grid::{Slab, Window};
use flockwork_model::scene::Scene;
use flockwork_model::vector::{Point, components};
use flockwork_model::world::{Boundary, with_axes};
use rows::Arrivals;

/// Agents that the buffers of a new slab have room for.
const FIRST_ROOM: u32 = 64;

/// Bytes of an index in `cell_start`.
const INDEX_BYTES: u64 = 4;

/// A slab of a flock on the device.
#[derive(Debug)]
pub struct SlabFlock {
    scene: Scene,
    /// Ticks done.
    pub tick: u64,
    /// Number of agents of all processes.
    everyone: usize,
    grid: DeviceGrid,
    window: Window,
    variant: Variant,
    memory: FlockBuffers,
    tables: Arc<Tables>,
    passes: Vec<(Arc<Pipeline>, wgpu::BindGroup)>,
    /// Number of own agents. Agents that have left count until the next sort.
    pub count: u32,
    /// Number of ghosts.
    pub ghosts: u32,
    arrivals: Arrivals,
    moved: Option<Moved>,
    borders: Option<Borders>,
    expected: Expected,
    readback: Readback,
    stamps: Stamps,
}

/// The agents that a dispatch of `steer` moves: all but a gap.
#[derive(Clone, Copy, Debug, Default)]
struct Steered {
    count: u32,
    gap_begin: u32,
    gap: u32,
}

/// Number of slices of the grid for `everyone` agents.
pub fn slices(scene: &Scene, everyone: usize) -> u32 {
    with_axes!(scene.world, AXES => scene.grid::<AXES>(everyone).slices())
}

fn window_of(scene: &Scene, everyone: usize, slab: Slab) -> Window {
    with_axes!(scene.world, AXES => Window::of(&scene.grid::<AXES>(everyone), slab))
}

/// The extent of a slab with room for `room` agents.
fn extent_of(layout: MotionLayout, window: &Window, room: u32, crowded_above: u32) -> Extent {
    // Any id may come from another process. One cell more is for agents that leave.
    let cells = window.own_cells() as u32 + 1;
    let ghost_cells = 2 * window.slice_cells() as u32;
    Extent { ghost_cells, ..Extent::of(layout, room, u32::MAX, cells, crowded_above) }
}

/// All passes of a slab.
fn compile(maker: &mut Maker<'_>, plan: &Plan) -> Result<Compiled, EngineError> {
    let mut compiled = maker.compile(plan)?;
    let variant = plan.variant.between_ticks();
    for pass in [BIN, LEAVE_SLAB, ARRIVE_IN_SLAB] {
        let pipeline = maker.pipelines.one(maker.gpu, maker.options, variant, pass)?;
        compiled.tick.push(pipeline);
    }
    Ok(compiled)
}

fn bind(
    maker: &Maker<'_>,
    pipelines: Vec<Arc<Pipeline>>,
    memory: &FlockBuffers,
) -> Result<Vec<(Arc<Pipeline>, wgpu::BindGroup)>, EngineError> {
    let bound = |pipeline: Arc<Pipeline>| {
        let bindings = pipeline.bind(maker.gpu, memory)?;
        Ok((pipeline, bindings))
    };
    pipelines.into_iter().map(bound).collect()
}

impl SlabFlock {
    /// An empty slab of a flock of `everyone` agents.
    pub fn new(
        maker: &mut Maker<'_>,
        scene: &Scene,
        tick: u64,
        everyone: usize,
        slab: Slab,
    ) -> Result<Self, EngineError> {
        let (grid, window) = (DeviceGrid::of(scene, everyone), window_of(scene, everyone, slab));
        let variant = Variant { slab: true, ..maker.variant(scene, &grid) };
        let crowded_above = maker.options.crowded_above;
        let layout = MotionLayout::of(&scene.world);
        let extent = extent_of(layout, &window, FIRST_ROOM, crowded_above);
        let Compiled { tick: pipelines, tables } = compile(maker, &Plan { grid, variant, extent })?;
        let contents = tables.contents(scene, &grid, 0, crowded_above, tick);
        let contents = contents.map_err(maker.fail())?;
        let memory = FlockBuffers::new(maker.gpu, extent, &sizes(&contents, variant, extent))?;
        let passes = bind(maker, pipelines, &memory)?;
        for (name, bytes) in &contents {
            memory.write(maker.gpu, name, bytes);
        }
        Ok(Self {
            scene: scene.clone(),
            tick,
            everyone,
            grid,
            window,
            variant,
            memory,
            tables,
            passes,
            count: 0,
            ghosts: 0,
            arrivals: Arrivals::default(),
            moved: None,
            borders: None,
            expected: Expected::default(),
            readback: Readback::default(),
            stamps: Stamps::new(maker.gpu),
        })
    }

    fn layout(&self) -> MotionLayout {
        self.memory.extent.layout
    }

    /// The cells of the grid at these places.
    fn keys(&self, places: &[Point]) -> Vec<u32> {
        with_axes!(self.scene.world, AXES => {
            let grid = self.scene.grid::<AXES>(self.everyone);
            places.iter().map(|place| grid.key_of(components(*place))).collect()
        })
    }

    /// The slices at these places.
    pub fn slices_at(&self, places: &[Point]) -> Vec<u32> {
        self.keys(places).into_iter().map(|key| self.window.slice_of(key)).collect()
    }

    /// The slices beside a slab of this flock.
    pub fn beside(&self, slab: Slab) -> Vec<u32> {
        let wraps = self.scene.world.boundary == Boundary::Wrap;
        window_of(&self.scene, self.everyone, slab).beside(wraps)
    }

    /// True if targets move.
    pub fn moves_targets(&self) -> bool {
        self.variant.uses.has(Uses::MOVING_TARGETS)
    }

    /// The first `count` elements of a buffer from element `first` on.
    fn part(&self, name: &str, first: u32, count: u32, bytes: u64) -> Option<Part> {
        let buffer = self.memory.whole(name)?.clone();
        Some((buffer, u64::from(first) * bytes, u64::from(count) * bytes))
    }

    /// Writes the uniform `flock` for passes over `count` agents: the `moved` ones of this tick,
    /// then those that have arrived.
    fn write_flock(
        &self,
        maker: &Maker<'_>,
        count: u32,
        steered: Steered,
        moved: u32,
    ) -> Result<(), EngineError> {
        let slab = self.window.slab;
        let further = [
            ("all", self.count + self.ghosts),
            ("first_slice", slab.first),
            ("own_slices", slab.count),
            ("own_cells", self.window.own_cells() as u32),
            ("steered", steered.count),
            ("gap_begin", steered.gap_begin),
            ("gap", steered.gap),
            ("moved", moved),
        ];
        let crowded_above = maker.options.crowded_above;
        let bytes = self.tables.flock_with(&self.scene, &self.grid, count, crowded_above, &further);
        self.memory.write(maker.gpu, "flock", &bytes.map_err(maker.fail())?);
        Ok(())
    }

    /// Records the passes that are `wanted`, over `agents` agents.
    fn record(
        &self,
        maker: &Maker<'_>,
        encoder: &mut wgpu::CommandEncoder,
        agents: u32,
        stamps: Option<wgpu::ComputePassTimestampWrites<'_>>,
        wanted: impl Fn(Pass) -> bool,
    ) -> Result<(), EngineError> {
        let sizes = dispatch_sizes(&self.memory, maker.gpu, maker.options)?;
        let sizes = Sizes { extent: Extent { agents, ..sizes.extent }, ..sizes };
        let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("slab"),
            timestamp_writes: stamps,
        });
        for (pipeline, bindings) in self.passes.iter().filter(|(own, _)| wanted(own.pass)) {
            pipeline.dispatch(&mut compute, bindings, sizes, 0);
        }
        Ok(())
    }

    /// Makes room for `agents` agents.
    fn make_room(&mut self, maker: &mut Maker<'_>, agents: u32) -> Result<(), EngineError> {
        if agents <= self.memory.extent.agents {
            return Ok(());
        }
        let (most, _) = buffers::largest_count(&maker.gpu.device.limits(), self.layout());
        // An eighth more, so that a growing slab allocates rarely.
        let room = (u64::from(agents) + u64::from(agents / 8)).min(most).max(agents.into());
        self.fit(maker, room as u32)
    }

    /// Fits the buffers and passes to the window, with room for `room` agents.
    fn fit(&mut self, maker: &mut Maker<'_>, room: u32) -> Result<(), EngineError> {
        let extent = extent_of(self.layout(), &self.window, room, maker.options.crowded_above);
        let plan = Plan { grid: self.grid, variant: self.variant, extent };
        let pipelines = compile(maker, &plan)?.tick;
        let sizes = sizes(&Contents::new(), self.variant, extent);
        self.memory.fit(maker.gpu, extent, &sizes)?;
        self.passes = bind(maker, pipelines, &self.memory)?;
        Ok(())
    }

    /// The array indices of the agents that need no ghosts.
    fn inner(&mut self, maker: &Maker<'_>) -> Result<std::ops::Range<u32>, EngineError> {
        if self.window.is_whole() {
            return Ok(0..self.count);
        }
        if self.window.slab.count < 3 {
            return Ok(0..0);
        }
        Ok(self.borders(maker)?.inner.clone())
    }

    /// Submits the steering of some agents.
    pub fn steer(&mut self, maker: &Maker<'_>, region: Region) -> Result<(), EngineError> {
        maker.gpu.check()?;
        let gpu = maker.gpu;
        if region == Region::Inner {
            self.ghosts = 0;
            // Shaders count in 32 bits.
            self.memory.write(gpu, buffers::CLOCK, &(self.tick as u32).to_le_bytes());
            if self.variant.uses.has(Uses::VARYING) {
                let table = self.tables.species(&self.scene, self.tick).map_err(maker.fail())?;
                let offset = self.tables.species_offset(self.tick);
                self.memory.write_at(gpu, "tables", offset, &table);
            }
        }
        let inner = self.inner(maker)?;
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
        self.write_flock(maker, self.count, steered, self.count)?;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let stamps = self.stamps.of(nth);
        self.record(maker, &mut encoder, steered.count, stamps, |pass| pass.name == "steer")?;
        self.stamps.resolve(&mut encoder, nth);
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Sorts the agents that have moved and those that have arrived. Those that have left are out.
    pub fn sort(&mut self, maker: &mut Maker<'_>) -> Result<(), EngineError> {
        let arrivals = std::mem::take(&mut self.arrivals);
        let (moved, arrived) = (self.count, arrivals.count());
        let all = moved + arrived;
        self.make_room(maker, all)?;
        let gone = self.moved.take().map_or(0, |moved| moved.gone);
        self.borders = None;
        if all > 0 {
            let gpu = maker.gpu;
            let bytes = self.layout().bytes();
            for (name, bytes, rows) in
                [("next_state", bytes, arrivals.motion()), ("binned", 16, arrivals.binned())]
            {
                self.memory.write_at(gpu, name, u64::from(moved) * bytes, rows);
            }
            self.write_flock(maker, all, Steered::default(), moved)?;
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            if arrived > 0 {
                self.record(maker, &mut encoder, arrived, None, |pass| pass == ARRIVE_IN_SLAB)?;
            }
            self.record(maker, &mut encoder, all, None, Pass::sorts)?;
            gpu.queue.submit([encoder.finish()]);
        }
        self.count = all - gone;
        maker.gpu.check()
    }

    /// Changes the slab. Every agent takes a slot in its cell of the new one.
    pub fn move_to(&mut self, maker: &mut Maker<'_>, slab: Slab) -> Result<(), EngineError> {
        self.window = window_of(&self.scene, self.everyone, slab);
        (self.moved, self.borders, self.ghosts) = (None, None, 0);
        self.fit(maker, self.memory.extent.agents)?;
        if self.count > 0 {
            self.write_flock(maker, self.count, Steered::default(), self.count)?;
            let gpu = maker.gpu;
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            self.record(maker, &mut encoder, self.count, None, |pass| pass == BIN)?;
            gpu.queue.submit([encoder.finish()]);
        }
        maker.gpu.check()
    }

    /// Moves the targets. `hit` says which of them an agent has hit in any process.
    pub fn move_targets(&self, maker: &Maker<'_>, hit: &[bool]) -> Result<(), EngineError> {
        let gpu = maker.gpu;
        let mut bits = [0_u8; buffers::HITS_BYTES as usize];
        for (target, _) in hit.iter().enumerate().filter(|(_, hit)| **hit) {
            bits[target / 8] |= 1 << (target % 8);
        }
        self.memory.write(gpu, "cell_count", &bits);
        // It reads the size of the world.
        self.write_flock(maker, self.count, Steered::default(), self.count)?;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.record(maker, &mut encoder, 0, None, |pass| pass.name == "move_targets")?;
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }
}
