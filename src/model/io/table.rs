//! The rows of a state file between reading and use, with the checks that every format shares.

use std::cmp::Ordering;

use super::record::RunRecord;
use super::{Result, bail, ensure};
use crate::kept::{KeptNames, KeptRow, MAX_KEPT, MAX_NUMBER, STATE_PREFIX};
use crate::memory::{Memory, Shown, ShownBy};
use crate::quote::{cut, quoted};
use crate::scene::{MAX_AGENTS, Request, Scene, Species};
use crate::state::FlockState;
use crate::vector::{Point, components_text};
use crate::world::{Boundary, MAX_COORDINATE, sides_text};

/// The largest tick of a file: most readers use `float64`, which has no odd numbers beyond it.
pub const MAX_TICK: u64 = 1 << 53;

/// Adds the name of a number that agents keep, from a column or an array called `full`. False if it has no such name.
pub fn add_kept(names: &mut Vec<String>, full: &str) -> Result<bool> {
    let Some(name) = full.strip_prefix(STATE_PREFIX) else { return Ok(false) };
    if names.iter().any(|own| own == name) {
        bail!("{} is there twice", quoted(full));
    }
    if names.len() == MAX_KEPT {
        bail!("{} is too much: agents keep at most {MAX_KEPT} numbers", quoted(full));
    }
    names.push(name.into());
    Ok(true)
}

/// One agent as a file has it.
#[derive(Clone, Copy, Debug, Default)]
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
    /// Its memory; meaningless in a table that does not remember.
    pub memory: Memory,
    /// The numbers that it keeps, in the order of the table's names.
    pub kept: KeptRow,
}

/// The values of a target that change while it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetRow {
    /// World units.
    pub position: Point,
    /// World units per tick.
    pub velocity: Point,
    /// Number of hits so far.
    pub hits: u32,
    /// False while it is switched off.
    pub active: bool,
}

/// Which agents of a file one of several processes keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the process.
    pub rank: usize,
    /// Number of processes.
    pub size: usize,
}

impl Part {
    /// All agents.
    pub const WHOLE: Self = Self { rank: 0, size: 1 };

    /// True if this process keeps the agent. A repeated id comes to one process, which finds it.
    #[must_use]
    pub fn has(self, id: u32) -> bool {
        // Mixed, so that any series of ids is shared evenly.
        self.size == 1 || (id.wrapping_mul(0x9e37_79b1) >> 8) as usize % self.size == self.rank
    }
}

/// The ticks of a file, as they come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticks {
    /// The highest so far.
    pub last: u64,
    /// Number of its rows, other parts included.
    pub rows: u64,
    /// True when the file holds other ticks too.
    pub several: bool,
    /// The tick before the last one, with its number of rows, if both must have as many.
    pub(super) earlier: Option<(u64, u64)>,
}

impl Ticks {
    /// Notes a row of `tick`. Compares the tick with the highest before it: rows of a lower one are not
    /// needed, and a higher one replaces all before.
    pub fn see(&mut self, tick: u64) -> Result<Ordering> {
        let is_first = self.rows == 0;
        self.several |= !is_first && tick != self.last;
        let order = if is_first { Ordering::Equal } else { tick.cmp(&self.last) };
        match order {
            Ordering::Less => return Ok(order),
            Ordering::Equal => self.rows += 1,
            Ordering::Greater => {
                self.earlier = Some((self.last, self.rows));
                self.rows = 1;
            }
        }
        self.last = tick;
        if self.rows > MAX_AGENTS {
            bail!("tick {tick} has more than {MAX_AGENTS} agents, the most there can be");
        }
        Ok(order)
    }
}

/// The rows of the last tick of a state file, or some of them.
#[derive(Debug)]
pub struct StateTable {
    /// `line` or `row`: what [`StateRow::place`] counts.
    unit: &'static str,
    part: Part,
    /// Of this part.
    rows: Vec<StateRow>,
    /// Of the whole file.
    pub ticks: Ticks,
    /// Number of coordinates of a position.
    axes: usize,
    /// Whether the file says what its agents remember.
    pub remembers: bool,
    /// Whether the file has targets. Its record tells which they are.
    pub has_targets: bool,
    /// The quantities of the numbers for colours, by the species of the rows; `None` if the file does not say
    /// them: then the scene that the file is read for does.
    pub shown: Option<ShownBy>,
    /// The names of the numbers that agents keep.
    pub kept: Vec<String>,
    /// The record of the run; `None` in a file without one.
    pub run: Option<RunRecord>,
    /// The names of the species, if the file says them and is read for another scene than its own.
    pub species: Vec<String>,
    /// The targets at the last tick.
    pub targets: Vec<TargetRow>,
}

impl StateTable {
    /// Nothing read yet.
    #[must_use]
    pub fn new(unit: &'static str, part: Part, axes: usize, remembers: bool) -> Self {
        Self {
            unit,
            part,
            rows: Vec::new(),
            ticks: Ticks::default(),
            axes,
            remembers,
            has_targets: false,
            shown: Some(ShownBy::default()),
            kept: Vec::new(),
            run: None,
            species: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Adds a row of `tick`. Only rows of the highest tick and of this part are kept.
    pub fn push(&mut self, tick: u64, row: StateRow) -> Result<()> {
        match self.ticks.see(tick)? {
            Ordering::Less => return Ok(()),
            Ordering::Equal => {}
            Ordering::Greater => self.rows.clear(),
        }
        self.check_numbers(&row)?;
        if self.part.has(row.id) {
            self.rows.push(row);
        }
        Ok(())
    }

    /// Takes the rows of the highest tick and of this part.
    pub fn take(&mut self, ticks: Ticks, rows: Vec<StateRow>) -> Result<()> {
        rows.iter().try_for_each(|row| self.check_numbers(row))?;
        (self.ticks, self.rows) = (ticks, rows);
        Ok(())
    }

    fn check_numbers(&self, row: &StateRow) -> Result<()> {
        let StateRow { place, id, position, velocity, .. } = row;
        let places = ["x", "y", "z"].into_iter().zip(position.to_array());
        let velocities = ["vx", "vy", "vz"].into_iter().zip(velocity.to_array());
        for (name, value) in self.kept.iter().zip(row.kept) {
            let there = value.abs() <= MAX_NUMBER;
            if !there {
                bail!(
                    "{} {place}: {STATE_PREFIX}{name} of agent {id} is {value}; agents keep numbers from \
                     {low:e} to {MAX_NUMBER:e}",
                    self.unit,
                    low = -MAX_NUMBER
                );
            }
        }
        for (name, value) in places.chain(velocities) {
            // False for NaN.
            let there = value.abs() <= MAX_COORDINATE;
            if !there {
                bail!(
                    "{} {place}: {name} of agent {id} is {value}; positions and velocities are \
                     numbers from {low:e} to {MAX_COORDINATE:e}",
                    self.unit,
                    low = -MAX_COORDINATE
                );
            }
        }
        Ok(())
    }

    /// Sorts by id and checks what all formats share.
    pub fn complete(mut self) -> Result<Self> {
        let Ticks { last, rows: found, earlier, .. } = self.ticks;
        if found == 0 {
            bail!("no rows; the file is empty or was not written to its end");
        }
        if let Some((tick, count)) = earlier
            && count != found
        {
            bail!(
                "tick {last} has {found} rows and tick {tick} has {count}; the file is not whole, \
                 write it again, or keep the rows of tick {last} alone if agents come and go"
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
            ensure!(
                run.count == found,
                "tick {last} has {found} rows and its run {} agents; the file is not whole, write it \
                 again, or name its scene with --scene",
                run.count
            );
        }
        Ok(self)
    }

    /// True if the record makes this scene: no option has changed it.
    fn makes(&self, scene: &Scene) -> bool {
        let made = self.run.as_ref().and_then(|run| {
            let request =
                Request { count: Some(self.ticks.rows), density: run.density, seed: None };
            let mut made = run.scene(&[]).ok()?;
            made.resize(&request).ok().map(|_| made)
        });
        made.is_some_and(|made| {
            made.world == scene.world && made.species.len() == scene.species.len()
        })
    }

    /// Fails if the world of a scene has another number of axes.
    fn check_axes(&self, scene: &Scene) -> Result<()> {
        let name = &scene.name;
        let remedy = match self.run {
            None => "name the scene that the file was written with (--scene)",
            Some(_) if self.makes(scene) => "write the file again",
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

    /// Gives the agents the numbers that their species have in `scene`, by name. `written` is the scene of the
    /// record, if `scene` was made from it: all species that have agents are then needed. Else the numbers stay,
    /// unless `scene` has all names that the file says.
    pub fn number_species(&mut self, written: Option<&Scene>, scene: &Scene) -> Result<()> {
        let place = |name: &str| scene.species.iter().position(|own| own.name == name);
        if self.species.iter().any(|name| place(name).is_none()) {
            return Ok(());
        }
        if let Some(written) = written.filter(|_| self.species.is_empty()) {
            self.species = written.species.iter().map(|own| own.name.clone()).collect();
        }
        for row in &mut self.rows {
            let Some(name) = self.species.get(usize::from(row.species)) else { continue };
            let Some(index) = place(name) else {
                bail!(
                    "{} {}: agent {} is of species `{}`, which scene `{}` lacks; leave out --set, which \
                     changes the scene of the file",
                    self.unit,
                    row.place,
                    row.id,
                    cut(name),
                    cut(&scene.name)
                );
            };
            row.species = index as u8;
        }
        if let Some(shown) = self.shown.filter(|_| !self.species.is_empty()) {
            let before = |own: &Species| self.species.iter().position(|name| *name == own.name);
            let own = |own| before(own).map_or(Shown::default(), |old| shown.species(old as u8));
            self.shown = Some(ShownBy::of(scene.species.iter().map(own)));
        }
        Ok(())
    }

    /// The scene of the record, scaled, with its targets where they were; and the flock.
    pub fn into_flock(self) -> Result<(Scene, FlockState)> {
        let Some(run) = &self.run else {
            bail!("the file does not say its scene; read it with into_state")
        };
        let mut plain = run.scene(&[])?;
        self.restore_flow(&mut plain)?;
        let mut scene = plain.clone();
        let request = Request { count: Some(self.ticks.rows), density: run.density, seed: None };
        scene.resize(&request)?;
        self.restore_targets(&mut scene, &plain)?;
        let state = self.into_state(&scene)?;
        Ok((scene, state))
    }

    /// The flock, checked against a scene whose world has its final size. Speeds above the
    /// species' `max_speed` are allowed: the first tick limits them.
    pub fn into_state(mut self, scene: &Scene) -> Result<FlockState> {
        self.check_axes(scene)?;
        let (size, axes) = (scene.world.size, self.axes);
        if scene.world.boundary == Boundary::Wrap {
            // The far edge, where walls hold agents, is the near one.
            for StateRow { position, .. } in &mut self.rows {
                *position = Point::select(position.cmpeq(size), Point::ZERO, *position);
            }
        }
        let other = || match &self.run {
            None => "give the --scene, --density and --set that the file was written with",
            Some(_) if self.makes(scene) => "write the file again",
            Some(_) => "leave out --density and --set, which change the scene of the file",
        };
        for row in &self.rows {
            let StateRow { place, id, species, position, .. } = row;
            if usize::from(*species) >= scene.species.len() {
                bail!(
                    "{} {place}: agent {id} is of species {species}, but scene `{}` has {}, \
                     numbered from 0; {}",
                    self.unit,
                    scene.name,
                    match scene.species.len() {
                        1 => "one species".into(),
                        count => format!("{count} species"),
                    },
                    other()
                );
            }
            if !scene.world.may_hold(*position) {
                bail!(
                    "{} {place}: agent {id} at ({}) is outside the world of {}; {}, or set the \
                     size with --set world.size=[{}]",
                    self.unit,
                    components_text(*position, axes),
                    components_text(size, axes).replace(", ", " × "),
                    other(),
                    if axes == 2 { "W,H" } else { "W,H,D" }
                );
            }
        }
        let round = |row: &&StateRow| scene.goes_round(row.species, row.velocity);
        if let Some(StateRow { place, id, velocity, .. }) = self.rows.iter().find(round) {
            bail!(
                "{} {place}: agent {id} has the velocity ({}), which with position_step = \"old\" takes it \
                 round the wrapped world of {} in one tick; give it a smaller one, or change \
                 position_step or world.boundary",
                self.unit,
                components_text(*velocity, axes),
                sides_text(size)
            );
        }
        let written = self.run.as_ref().and_then(|run| run.scene(&[]).ok());
        // A number that the species does not keep, or did not keep in the file's run, is left out.
        let place = |name: &str| self.kept.iter().position(|own| own == name);
        let kept_before = |species: &Species, name: &str| {
            written.as_ref().is_none_or(|written| {
                let mut same = written.species.iter().filter(|own| own.name == species.name);
                same.any(|own| own.states().any(|own| own.0 == name))
            })
        };
        let names = scene.species.iter().enumerate().flat_map(|(number, species)| {
            let names = species.states().map(|(name, _)| name);
            let known = names.filter(|name| place(name).is_some() && kept_before(species, name));
            known.map(move |name| (number, name)).collect::<Vec<_>>()
        });
        let names = KeptNames::by_species(names);
        let places: Vec<usize> = names.iter().filter_map(place).collect();
        let kept = |row: &StateRow| {
            let mut own = KeptRow::default();
            own.iter_mut().zip(&places).for_each(|(own, place)| *own = row.kept[*place]);
            own
        };
        Ok(FlockState {
            tick: self.ticks.last,
            id: self.rows.iter().map(|row| row.id).collect(),
            species: self.rows.iter().map(|row| row.species).collect(),
            position: self.rows.iter().map(|row| row.position).collect(),
            velocity: self.rows.iter().map(|row| row.velocity).collect(),
            memory: if self.remembers {
                self.rows.iter().map(|row| row.memory).collect()
            } else {
                Vec::new()
            },
            shown: self.shown.unwrap_or_else(|| scene.shown()),
            kept: if names.is_empty() { Vec::new() } else { self.rows.iter().map(kept).collect() },
            kept_names: names,
        })
    }
}
