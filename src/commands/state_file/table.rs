//! The rows of a state file between reading and use, with the checks that every format shares.

use std::path::Path;

use anyhow::{bail, ensure};

use super::run_record::{RunRecord, TargetRow};
use crate::commands::ranks::tell;
use crate::model::memory::{Memory, ShownBy};
use crate::model::scene::{MAX_AGENTS, Scene};
use crate::model::state::FlockState;
use crate::model::vector::{Point, components_text};
use crate::model::world::{Boundary, FARTHEST};

/// The largest tick of a file: most readers use `float64`, which has no odd numbers beyond it.
pub const LAST_TICK: u64 = 1 << 53;

/// One agent as a file has it.
#[derive(Clone, Copy, Debug)]
pub struct StateRow {
    /// Line of a CSV file or row of the arrays, for messages.
    pub place: u64,
    /// Unique among the rows of a tick.
    pub id: u32,
    /// Index into the scene's species.
    pub species: u8,
    /// World units.
    pub position: Point,
    /// World units per tick.
    pub velocity: Point,
    /// What it remembers; meaningless in a table that does not remember.
    pub memory: Memory,
}

/// The rows of the last tick of a state file.
#[derive(Debug)]
pub struct StateTable {
    /// `line` or `row`: what [`StateRow::place`] counts.
    unit: &'static str,
    rows: Vec<StateRow>,
    tick: u64,
    /// True when the file holds other ticks too.
    several: bool,
    /// The tick before the last one, with its number of rows.
    earlier: Option<(u64, usize)>,
    /// Number of coordinates of a position.
    axes: usize,
    /// Whether the file says what its agents remember.
    remembers: bool,
    /// Whether the numbers for colours are what the colours of the file's scene show. Else they are
    /// numbers of neighbours.
    pub shows: bool,
    run: Option<RunRecord>,
    /// The targets at the last tick.
    targets: Vec<TargetRow>,
}

impl StateTable {
    /// Nothing read yet.
    #[must_use]
    pub fn new(unit: &'static str, axes: usize, remembers: bool) -> Self {
        Self {
            unit,
            rows: Vec::new(),
            tick: 0,
            several: false,
            earlier: None,
            axes,
            remembers,
            shows: false,
            run: None,
            targets: Vec::new(),
        }
    }

    /// Adds the record of the run and the targets at the last tick.
    pub fn describe(&mut self, run: Option<RunRecord>, targets: Vec<TargetRow>) {
        (self.run, self.targets) = (run, targets);
    }

    /// The highest tick so far.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The record of the run; `None` in a file without one.
    #[must_use]
    pub fn run(&self) -> Option<&RunRecord> {
        self.run.as_ref()
    }

    /// The targets at the last tick.
    #[must_use]
    pub fn targets(&self) -> &[TargetRow] {
        &self.targets
    }

    /// Adds a row of `tick`. Only the rows of the highest tick are kept.
    pub fn push(&mut self, tick: u64, row: StateRow) -> anyhow::Result<()> {
        self.several |= !self.rows.is_empty() && tick != self.tick;
        if self.rows.is_empty() {
            self.tick = tick;
        } else if tick > self.tick {
            self.earlier = Some((self.tick, self.rows.len()));
            self.rows.clear();
            self.tick = tick;
        } else if tick < self.tick {
            return Ok(());
        }
        if self.rows.len() as u64 == MAX_AGENTS {
            bail!("tick {tick} has more than {MAX_AGENTS} agents, the most there can be");
        }
        self.check_numbers(&row)?;
        self.rows.push(row);
        Ok(())
    }

    fn check_numbers(&self, row: &StateRow) -> anyhow::Result<()> {
        let StateRow { place, id, position, velocity, .. } = row;
        if u64::from(*id) >= MAX_AGENTS {
            bail!(
                "{} {place}: id is {id}; ids are whole numbers up to {largest}; number the agents \
                 from 0",
                self.unit,
                largest = MAX_AGENTS - 1
            );
        }
        let places = ["x", "y", "z"].into_iter().zip(position.to_array());
        let velocities = ["vx", "vy", "vz"].into_iter().zip(velocity.to_array());
        for (name, value) in places.chain(velocities) {
            // False for NaN.
            let there = value.abs() <= FARTHEST;
            if !there {
                bail!(
                    "{} {place}: {name} of agent {id} is {value}; positions and velocities are \
                     numbers from {low:e} to {FARTHEST:e}",
                    self.unit,
                    low = -FARTHEST
                );
            }
        }
        Ok(())
    }

    /// Number of agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without agents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Says on stderr which tick is used if there are several.
    pub fn announce(&self, path: &Path) {
        if self.several {
            tell(&format!(
                "flockwork: {} holds several ticks; starting from its last, tick {}",
                path.display(),
                self.tick
            ));
        }
    }

    /// Sorts by id and checks what all formats share.
    pub fn complete(mut self) -> anyhow::Result<Self> {
        if self.rows.is_empty() {
            bail!("no rows; the file is empty or was not written to its end");
        }
        if let Some((tick, count)) = self.earlier
            && count != self.rows.len()
        {
            bail!(
                "tick {} has {} rows and tick {tick} has {count}; the file is not whole, write \
                 it again",
                self.tick,
                self.rows.len()
            );
        }
        // By place too: the message about a repeated id then names the later one.
        self.rows.sort_unstable_by_key(|row| (row.id, row.place));
        let twice = self.rows.windows(2).find(|pair| pair[0].id == pair[1].id);
        if let Some([first, second]) = twice {
            bail!(
                "{unit} {}: agent {} was on {unit} {} already; every id of a tick is unique",
                second.place,
                second.id,
                first.place,
                unit = self.unit
            );
        }
        if let Some(run) = &self.run {
            let found = self.rows.len();
            ensure!(
                run.count == found as u64,
                "tick {} has {found} rows and its run {} agents; the file is not whole, write it again, \
                 or name its scene with --scene",
                self.tick,
                run.count
            );
        }
        Ok(self)
    }

    /// Fails if the world of a scene has another number of axes.
    fn check_axes(&self, scene: &Scene) -> anyhow::Result<()> {
        let name = &scene.name;
        let remedy = match self.run {
            None => "name the scene that the file was written with (--scene)",
            Some(_) => "leave out --set, which changes the scene of the file",
        };
        match (self.axes, scene.world.axes()) {
            (2, 3) => bail!(
                "its agents have no z, but the world of scene `{name}` has three axes; {remedy}, or \
                 give each agent z and vz"
            ),
            (3, 2) => bail!(
                "its agents have a z, but the world of scene `{name}` is a plane; {remedy}, or take z \
                 and vz from each agent"
            ),
            _ => Ok(()),
        }
    }

    /// The flock, checked against a scene whose world has its final size. Speeds above the
    /// species' `max_speed` are allowed: the first tick limits them.
    pub fn into_state(self, scene: &Scene) -> anyhow::Result<FlockState> {
        self.check_axes(scene)?;
        let (size, axes) = (scene.world.size, self.axes);
        let other = match &self.run {
            None => "give the --scene, --density and --set that the file was written with",
            Some(_) => "leave out --density and --set, which change the scene of the file",
        };
        for row in &self.rows {
            let StateRow { place, id, species, position, .. } = row;
            if usize::from(*species) >= scene.species.len() {
                bail!(
                    "{} {place}: agent {id} is of species {species}, but scene `{}` has {}, \
                     numbered from 0; {other}",
                    self.unit,
                    scene.name,
                    match scene.species.len() {
                        1 => "one species".into(),
                        count => format!("{count} species"),
                    }
                );
            }
            let below = scene.world.ends_beyond(*position);
            let inside = position.cmpge(Point::ZERO).all()
                && match scene.world.boundary {
                    Boundary::Wrap => below,
                    Boundary::Walls => position.cmple(size).all(),
                    Boundary::Open => true,
                };
            if !inside && scene.world.boundary != Boundary::Open {
                bail!(
                    "{} {place}: agent {id} at ({}) is outside the world of {}; {other}, or set the \
                     size with --set world.size=[{}]",
                    self.unit,
                    components_text(*position, axes),
                    components_text(size, axes).replace(", ", " × "),
                    if axes == 2 { "W,H" } else { "W,H,D" }
                );
            }
        }
        let shown = match (self.shows, &self.run) {
            (false, _) => ShownBy::default(),
            (true, Some(run)) => run.scene(&[]).map_or(scene.shown(), |written| written.shown()),
            (true, None) => scene.shown(),
        };
        Ok(FlockState {
            tick: self.tick,
            id: self.rows.iter().map(|row| row.id).collect(),
            species: self.rows.iter().map(|row| row.species).collect(),
            position: self.rows.iter().map(|row| row.position).collect(),
            velocity: self.rows.iter().map(|row| row.velocity).collect(),
            memory: if self.remembers {
                self.rows.iter().map(|row| row.memory).collect()
            } else {
                Vec::new()
            },
            shown,
        })
    }
}
