//! Reads the file of a recorded session.

use std::sync::Arc;

use super::rows::{File, PathRow, Pointer, Returned, Row, TargetRow, WholePath, point};
use super::written::{EventTexts, Written, starts, unread};
use super::{Recording, VERSION};
use crate::history::{Event, Recorded};
use crate::things::{follows_paths, mend};
use crate::{Dropped, Source};
use flockwork_engine::Change;
use flockwork_model::behaviours::Target;
use flockwork_model::behaviours::bounds::FASTEST;
use flockwork_model::memory::Memory;
use flockwork_model::quote::cut;
use flockwork_model::scene::keys::{FAR, MAX_OBSTACLES, WIDE};
use flockwork_model::scene::{MAX_TARGETS, POINTER, Request, Scene, check_paths};
use flockwork_model::scenery::{Obstacle, Path};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;
use flockwork_model::world::FARTHEST;

/// The longest session: more ticks than any run has.
const MOST_TICKS: u64 = 1 << 52;

impl Recording {
    /// True if a text says that it is a saved session: the key `session` is at its top.
    #[must_use]
    pub fn is_meant_by(text: &str) -> bool {
        let top = text.lines().map(str::trim).take_while(|line| !line.starts_with('['));
        let key =
            |line: &str| line.strip_prefix("session").map(|rest| rest.trim_start().to_string());
        top.filter_map(key).any(|rest| rest.starts_with('='))
    }

    /// Reads the text of a file. The error is one sentence without the file's name.
    pub fn read(text: &str) -> Result<Self, String> {
        let starts = starts(text);
        let head = &text[..starts.first().copied().unwrap_or(text.len())];
        let file: File = toml::from_str(head).map_err(|error| unread(&error, "", head))?;
        let File { session, ticks, from, count, density, seed, scene, events } = file;
        if session != VERSION {
            return Err(format!(
                "this is a session of version {session}, and this program reads version {VERSION}"
            ));
        }
        if !events.is_empty() {
            return Err("each event is a table of its own, [[event]]".into());
        }
        let texts = EventTexts::of(scene.clone(), text, starts);
        let mut last = 0;
        for number in 0..texts.len() {
            let tick = texts.row(number)?.tick;
            if tick < last {
                let event = number + 1;
                return Err(format!("event {event} has an earlier tick than the one before it"));
            }
            last = tick;
        }
        if ticks > MOST_TICKS || last > ticks {
            return Err(format!("its last tick, {ticks}, is before its last event, or too far"));
        }
        let density = density.map(|density| density as f32);
        let source = Source {
            argument: from,
            text: scene,
            overrides: Vec::new(),
            request: Request { count, density, seed },
        };
        Ok(Self { source, ticks, events: Arc::new(texts) })
    }

    /// The events, for the scene that the source has made.
    pub fn events(&self, scene: &Scene) -> Result<Vec<Recorded>, String> {
        let Source { text, .. } = &self.source;
        let plain = Scene::parse(&scene.name, text, &[]).map_err(|error| error.to_string())?;
        let mut reader = Reader { text, plain: Some(plain), scene: scene.clone() };
        let mut events = Vec::new();
        for number in 0..self.events.len() {
            let row = self.events.row(number)?;
            let read = reader.row(&row);
            let mut read = read.map_err(|problem| format!("event {}: {problem}", number + 1))?;
            if read.iter().any(Event::has_parts) {
                read = vec![Event::Written(Written { texts: Arc::clone(&self.events), number })];
            }
            events.extend(read.into_iter().map(|event| Recorded { tick: row.tick, event }));
        }
        Ok(events)
    }
}

/// Reads events one after the other.
pub(super) struct Reader<'a> {
    /// The text of the scene of the file.
    pub text: &'a str,
    /// The scene in it; `None` if the events are known to change nothing that stays.
    pub plain: Option<Scene>,
    /// The scene as the events so far have left it.
    pub scene: Scene,
}

fn size(value: f64) -> Result<f32, String> {
    Some(value as f32)
        .filter(|radius| (0.0..=WIDE).contains(radius))
        .ok_or_else(|| format!("{value} is no radius; one is a number from 0 to {WIDE}"))
}

/// The point, unless one of its numbers is beyond `most`.
fn within(point: Point, most: f32, what: &str) -> Result<Point, String> {
    let far = point.to_array().into_iter().find(|value| value.abs() > most);
    let far =
        far.map(|value| format!("{value} is no {what}; one is a number from -{most} to {most}"));
    far.map_or(Ok(point), Err)
}

/// The key of `plain` that overrides of `read` change although no event can.
fn fixed_key(plain: &Scene, read: &Scene) -> Option<&'static str> {
    let world = plain.world != read.world || plain.grows != read.grows;
    // Without a behaviour that looks at neighbours a scene has no density.
    let dense = read.density.is_some() && plain.density != read.density;
    let keys = [
        ("seed", plain.seed != read.seed),
        ("world", world || dense),
        ("time_step", plain.time_step != read.time_step),
        ("click", plain.click != read.click || plain.follows != read.follows),
        ("style", plain.style != read.style),
        ("camera", plain.camera != read.camera),
        ("obstacles", plain.obstacle_plans != read.obstacle_plans),
        ("flow", plain.flow != read.flow),
    ];
    keys.into_iter().find(|(_, changed)| *changed).map(|(key, _)| key)
}

impl Reader<'_> {
    pub fn row(&mut self, row: &Row) -> Result<Vec<Event>, String> {
        let place = self.places();
        let mut events = Vec::new();
        match &row.pointer {
            Some(Pointer::At(at)) => events.push(Event::Pointer(Some(place(at)?))),
            Some(Pointer::Off(false)) => events.push(Event::Pointer(None)),
            Some(Pointer::Off(true)) => return Err("`pointer` is a place or false".into()),
            None => {}
        }
        if let Some(at) = &row.lead {
            events.push(Event::Lead(place(at)?));
        }
        let change = self.change(row)?;
        if let Some(back) = &row.back {
            let index = self.species(&back.species)?;
            let agents = Arc::new(returned(back, index, &place)?);
            let species = self.scene.species.clone().into();
            events.push(Event::ReturnSpecies { index, species, agents });
        } else if !change.is_nothing() {
            let parts = Arc::new(change.parts_of(&self.scene));
            events.push(Event::Change { change, parts });
        }
        if let Some(added) = &row.add {
            let mut dropped = Vec::new();
            for group in added {
                let species = self.species(&group.species)?;
                let places = group.places.iter().map(&place).collect::<Result<_, _>>()?;
                dropped.push(Dropped { species, places, newcomers: group.newcomers });
            }
            events.push(Event::Add(dropped));
        }
        if let Some(ids) = &row.remove {
            let mut ids = ids.clone();
            ids.sort_unstable();
            ids.dedup();
            events.push(Event::Remove(ids));
        }
        if let Some(name) = &row.without {
            let index = self.species(name)?;
            self.scene.remove_species(index)?;
            events.push(Event::RemoveSpecies(index));
        }
        Ok(events)
    }

    /// The number of a species.
    fn species(&self, name: &str) -> Result<usize, String> {
        let index = self.scene.species.iter().position(|species| species.name == name);
        index.ok_or_else(|| format!("no species `{}`", cut(name)))
    }

    /// Reads places of the world.
    fn places(&self) -> impl Fn(&Vec<f64>) -> Result<Point, String> + use<> {
        let axes = self.scene.world.axes();
        move |place| within(point(place, axes)?, FARTHEST, "coordinate")
    }

    /// Changes the scene as a row says. Returns what has changed.
    fn change(&mut self, row: &Row) -> Result<Change, String> {
        let place = self.places();
        let near = |at: &Vec<f64>| within(place(at)?, FAR, "coordinate");
        let mut change = Change::default();
        if let Some(sets) = &row.set {
            let read = Scene::parse(&self.scene.name, self.text, sets);
            let read = read.map_err(|error| error.to_string())?;
            if let Some(key) = self.plain.as_ref().and_then(|plain| fixed_key(plain, &read)) {
                return Err(format!(
                    "`set` changes `{key}`, and an event changes only species; write `{key}` into the \
                     text `scene`"
                ));
            }
            self.scene.species = read.species;
            self.scene.species.iter_mut().for_each(|species| species.counted = row.counted);
            change |= Change::PARAMETERS;
        }
        let axes = self.scene.world.axes();
        let circles = |circles: &[Vec<f64>]| -> Result<Vec<Obstacle>, String> {
            circles.iter().map(|numbers| circle(numbers, axes)).collect()
        };
        if let Some(all) = &row.obstacles {
            self.scene.obstacles = circles(all)?;
            change |= Change::SCENERY;
        }
        if let Some(more) = &row.more_obstacles {
            self.scene.obstacles.extend(circles(more)?);
            change |= Change::SCENERY;
        }
        let count = self.scene.obstacles.len() as u64;
        if count > MAX_OBSTACLES {
            return Err(format!("a scene has at most {MAX_OBSTACLES} obstacles, not {count}"));
        }
        if let Some(rows) = &row.paths {
            self.scene.paths = paths(rows, &self.scene.paths, near)?;
            change |= Change::SCENERY;
        }
        if let Some(targets) = &row.targets {
            let targets =
                targets.iter().map(|row| target(row, &place)).collect::<Result<Vec<_>, _>>()?;
            if targets.first().is_none_or(|first| first.name != POINTER) {
                return Err(format!("the first target is `{POINTER}`"));
            }
            if targets.len() > MAX_TARGETS {
                return Err(format!("a scene has at most {} targets", MAX_TARGETS - 1));
            }
            self.scene.targets = targets;
            change |= Change::TARGETS;
        }
        for moved in row.moved.iter().flatten() {
            let index = self.scene.targets.iter().position(|target| target.name == moved.target);
            let index = index.ok_or_else(|| format!("no target `{}`", cut(&moved.target)))?;
            self.scene.targets[index].position = near(&moved.to)?;
            change |= Change::target(index);
        }
        if change.has(Change::TARGETS) || change.has(Change::PARAMETERS) {
            mend(&mut self.scene);
        }
        if self.scene.paths.is_empty()
            && let Some(key) = follows_paths(&self.scene)
        {
            return Err(format!("{key} needs a path, and there is none"));
        }
        let checked = self.scene.check_world().and_then(|()| self.scene.check_scenery());
        checked.map_err(|error| error.to_string())?;
        Ok(change)
    }
}

fn circle(numbers: &[f64], axes: usize) -> Result<Obstacle, String> {
    match numbers.split_at_checked(axes) {
        Some((centre, [radius])) => {
            let centre = within(point(centre, axes)?, FAR, "coordinate")?;
            Ok(Obstacle::new(centre, size(*radius)?))
        }
        _ => Err(format!(
            "an obstacle has {axes} coordinates and a radius, not {}",
            cut(&format!("{numbers:?}"))
        )),
    }
}

/// The paths of `rows`, after those `before`.
fn paths(
    rows: &[PathRow],
    before: &[Path],
    place: impl Fn(&Vec<f64>) -> Result<Point, String>,
) -> Result<Vec<Path>, String> {
    let points = |points: &[Vec<f64>]| -> Result<Vec<Point>, String> {
        if points.len() < 2 {
            return Err("a path has at least two points".into());
        }
        points.iter().map(&place).collect()
    };
    let alone = rows.iter().any(|row| matches!(row, PathRow::Points(_)));
    if alone && rows.len() != before.len() {
        let (found, own) = (rows.len(), before.len());
        return Err(format!("the points of {found} paths in the place of {own}"));
    }
    let path = |(index, row): (usize, &PathRow)| match row {
        PathRow::Points(own) => Ok(Path { points: points(own)?, ..before[index].clone() }),
        PathRow::Whole(WholePath { name, points: own, closed, shown }) => {
            let (name, points) = (name.clone(), points(own)?);
            Ok(Path { name, points, closed: *closed, shown: *shown })
        }
    };
    let paths: Vec<Path> = rows.iter().enumerate().map(path).collect::<Result<_, String>>()?;
    check_paths(&paths)?;
    Ok(paths)
}

/// The agents of a species that comes back.
fn returned(
    row: &Returned,
    species: usize,
    place: impl Fn(&Vec<f64>) -> Result<Point, String>,
) -> Result<FlockState, String> {
    let count = row.id.len();
    let remembers = row.memory.len() == count || row.memory.is_empty();
    if row.position.len() != count || row.velocity.len() != count || !remembers {
        return Err("`back` has a place, a velocity and a memory for each id".into());
    }
    if row.id.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err("the ids of `back` ascend".into());
    }
    let places = |all: &[Vec<f64>]| all.iter().map(&place).collect::<Result<Vec<_>, _>>();
    Ok(FlockState {
        tick: 0,
        id: row.id.clone(),
        species: vec![species as u8; count],
        position: places(&row.position)?,
        velocity: places(&row.velocity)?,
        memory: row.memory.iter().copied().map(Memory).collect(),
        ..FlockState::default()
    })
}

fn target(
    row: &TargetRow,
    place: impl Fn(&Vec<f64>) -> Result<Point, String>,
) -> Result<Target, String> {
    let mut target = Target::fixed(&row.name, place(&row.position)?);
    let velocity = row.velocity.as_ref().map_or(Ok(Point::ZERO), &place)?;
    target.velocity = within(velocity, FASTEST, "velocity")?;
    target.hit_radius = row.hit_radius.map_or(Ok(0.0), size)?;
    target.sends_to = row.sends_to.as_ref().map(place).transpose()?;
    (target.turns, target.active) = (row.turns, row.active);
    target.hits = row.hits.unwrap_or_default();
    Ok(target)
}
