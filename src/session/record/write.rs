//! Writes the file of a recorded session.

use super::rows::{
    Added, File, Moved, PathRow, Place, Pointer, Returned, Row, TargetRow, WholePath, number, place,
};
use super::{HEAD, VERSION};
use crate::history::{Event, Kept, Recorded};
use crate::undo::Content;
use crate::{Clock, Looks, Session, Source};
use flockwork_engine::Change;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::{Scene, edit_toml, overrides};
use flockwork_model::scenery::{Obstacle, Path};
use flockwork_model::vector::Point;

/// A scene file that makes the first state of a session, and the scene that is in it.
struct Base {
    source: Source,
    /// As the file has it.
    plain: Scene,
    /// At the size of its flock.
    scene: Scene,
}

impl<C: Clock> Session<C> {
    /// The session from its start to its last tick as the text of a TOML file; or why no file can
    /// describe it.
    pub fn recording(&self) -> Result<String, String> {
        let start = self.history.start().ok_or("this run keeps no past")?;
        let base = self.base(start).ok_or(
            "this flock began with a state that no scene makes; a session is saved only if it began \
             with its scene",
        )?;
        let looks = Looks::of(&self.scene);
        let mut writer = Writer { base: &base, looks: &looks, scene: base.scene.clone() };
        // Parameters may have been edited before the start.
        let mut rows = Vec::new();
        let first = Content::of(&base.scene);
        let mut content = base.scene.clone();
        start.mark.content.put(&mut content);
        looks.put(&mut content);
        content.targets.clone_from(&start.targets);
        let change = Content::of(&content).difference(&first);
        if !change.is_nothing() {
            rows.push(writer.change(start.state.tick, change, &content)?);
        }
        // The user may press while the flock goes back to its start.
        if let Some(at) = start.mark.pointer {
            let event = Event::Pointer(Some(at));
            rows.extend(writer.rows(&Recorded { tick: start.state.tick, event })?);
        }
        for recorded in self.history.events() {
            rows.extend(writer.rows(recorded)?);
        }
        let Source { argument, text, request, .. } = base.source;
        let file = File {
            session: VERSION,
            ticks: self.span().1,
            from: argument,
            count: request.count,
            density: request.density.map(number),
            seed: request.seed,
            scene: text,
            events: rows,
        };
        let text = toml::to_string(&file).map_err(|error| format!("no session: {error}"))?;
        Ok(format!("{HEAD}{text}"))
    }

    /// The origin of the first state: the source of the flock, or the same with its edits.
    fn base(&self, start: &Kept) -> Option<Base> {
        let own = &self.source;
        let mut edited = self.first.clone();
        start.mark.content.put(&mut edited);
        // The looks are the present ones: they have no tick.
        let looks = Looks::of(&self.scene);
        looks.put(&mut edited);
        let agents = start.state.len() as u64;
        let whole = Source { text: own.edited(&edited, agents), ..Source::default() };
        let plain = Scene::parse(&self.scene.name, &own.text, &own.overrides).ok();
        let text = plain.and_then(|mut plain| {
            looks.put(&mut plain);
            edit_toml(&own.text, &plain).ok()
        });
        let own = text.map(|text| Source { text, overrides: Vec::new(), ..own.clone() });
        let makes = |source: Source| {
            let plain = Scene::parse(&self.scene.name, &source.text, &[]).ok()?;
            let mut scene = plain.clone();
            // A file beside the scene was read when the flock was made.
            scene.flow.clone_from(&self.first.flow);
            let state = scene.populate(&source.request).ok()?;
            let spawns = |scene: &Scene| scene.species.iter().map(|s| s.spawn).collect::<Vec<_>>();
            let same = state == *start.state && spawns(&scene) == spawns(&edited);
            (same && scene.world == self.first.world).then_some(Base { source, plain, scene })
        };
        own.and_then(makes).or_else(|| makes(whole))
    }
}

/// Writes events one after the other.
struct Writer<'a> {
    base: &'a Base,
    looks: &'a Looks,
    /// The scene as the events so far have left it.
    scene: Scene,
}

impl Writer<'_> {
    fn rows(&mut self, Recorded { tick, event }: &Recorded) -> Result<Vec<Row>, String> {
        let mut row = Row { tick: *tick, ..Row::default() };
        let axes = self.scene.world.axes();
        let place = |at: Point| place(at, axes);
        match event {
            Event::Pointer(None) => row.pointer = Some(Pointer::Off(false)),
            Event::Pointer(Some(at)) => row.pointer = Some(Pointer::At(place(*at))),
            Event::Lead(at) => row.lead = Some(place(*at)),
            Event::Change { change, parts } => {
                return Ok(vec![self.change(*tick, *change, parts)?]);
            }
            Event::Written(written) => {
                // The values of `set` depend on the text of the scene, which may be another one now.
                let mut rows = Vec::new();
                for event in written.events(&self.scene)? {
                    rows.extend(self.rows(&Recorded { tick: *tick, event })?);
                }
                return Ok(rows);
            }
            Event::Remove(ids) => row.remove = Some(ids.clone()),
            Event::Add(dropped) => {
                let added = dropped.iter().map(|dropped| Added {
                    species: self.species(dropped.species),
                    places: dropped.places.iter().copied().map(place).collect(),
                    newcomers: dropped.newcomers,
                });
                row.add = Some(added.collect());
            }
            Event::RemoveSpecies(index) => {
                row.without = Some(self.species(*index));
                self.scene.remove_species(*index)?;
            }
            Event::ReturnSpecies { index, species, agents } => {
                let mut parts = Scene { species: species.to_vec(), ..self.scene.clone() };
                self.looks.put(&mut parts);
                row.counted = species.iter().any(|species| species.counted);
                row.set = Some(self.overrides(&parts)?);
                self.scene = parts;
                let places = |all: &[Point]| all.iter().copied().map(place).collect();
                row.back = Some(Returned {
                    species: self.species(*index),
                    id: agents.id.clone(),
                    position: places(&agents.position),
                    velocity: places(&agents.velocity),
                    memory: agents.memory.iter().map(|memory| memory.0).collect(),
                });
            }
        }
        Ok(vec![row])
    }

    fn species(&self, index: usize) -> String {
        self.scene.species.get(index).map_or_else(String::new, |species| species.name.clone())
    }

    fn change(&mut self, tick: u64, change: Change, parts: &Scene) -> Result<Row, String> {
        let mut row = Row { tick, ..Row::default() };
        let axes = self.scene.world.axes();
        let place = |at: Point| place(at, axes);
        let mut parts = parts.clone();
        self.looks.put(&mut parts);
        if change.has(Change::PARAMETERS) {
            let (mut after, mut own) = (self.scene.clone(), parts.clone());
            change.swap(&mut after, &mut own);
            row.counted = after.species.iter().any(|species| species.counted);
            row.set = Some(self.overrides(&after)?);
        }
        if change.has(Change::SCENERY) {
            if parts.obstacles != self.scene.obstacles {
                let circle = |o: &Obstacle| [place(o.position), vec![number(o.radius)]].concat();
                let circles = |all: &[Obstacle]| Some(all.iter().map(circle).collect());
                match parts.obstacles.strip_prefix(&self.scene.obstacles[..]) {
                    Some(more) => row.more_obstacles = circles(more),
                    None => row.obstacles = circles(&parts.obstacles),
                }
            }
            if parts.paths != self.scene.paths {
                row.paths = Some(paths(&parts.paths, &self.scene.paths, place));
            }
        }
        if change.has(Change::TARGETS) {
            row.targets = Some(parts.targets.iter().map(|own| target(own, place)).collect());
        } else {
            let moved = change.single_targets().filter_map(|index| parts.targets.get(index));
            let moved = moved
                .map(|target| Moved { target: target.name.clone(), to: place(target.position) });
            row.moved = Some(moved.collect()).filter(|moved: &Vec<Moved>| !moved.is_empty());
        }
        change.swap(&mut self.scene, &mut parts);
        Ok(row)
    }

    /// The values for `--set` that turn the species of the file into the species of `scene`.
    fn overrides(&self, scene: &Scene) -> Result<Vec<String>, String> {
        let Base { source, plain, .. } = self.base;
        let mut species = scene.species.clone();
        species.iter_mut().for_each(|species| species.counted = false);
        let mut edited = Scene { species: species.clone(), ..plain.clone() };
        // A behaviour may name a target or a path that was added: the file must have one of that name.
        stand_in(&mut edited.targets, &scene.targets, |target| {
            (target.name.clone(), Target::fixed(&target.name, Point::ZERO))
        });
        stand_in(&mut edited.paths, &scene.paths, |path| {
            let points = vec![Point::ZERO, Point::new(1.0, 0.0, 0.0)];
            (path.name.clone(), Path { points, closed: false, ..path.clone() })
        });
        let sets = overrides(&source.text, &edited);
        let sets = sets.map_err(|error| format!("no session can say an edit of {}", error.key))?;
        let read = Scene::parse(&plain.name, &source.text, &sets);
        match read {
            Ok(read) if read.species == species => Ok(sets),
            _ => Err("no session can say an edit of the parameters; save the scene".into()),
        }
    }
}

/// Gives `all` the names of `present`; what has a new name is a stand-in.
fn stand_in<T: Clone>(all: &mut Vec<T>, present: &[T], new: impl Fn(&T) -> (String, T)) {
    let names = |all: &[T]| all.iter().map(|one| new(one).0).collect::<Vec<_>>();
    let own = names(all);
    if own == names(present) {
        return;
    }
    let known = |name: &String| own.iter().position(|own| own == name);
    let one = |one: &T| {
        let (name, new) = new(one);
        known(&name).and_then(|index| all.get(index).cloned()).unwrap_or(new)
    };
    *all = present.iter().map(one).collect();
}

/// The rows of paths that take the place of those `before`.
fn paths(all: &[Path], before: &[Path], place: impl Fn(Point) -> Place) -> Vec<PathRow> {
    let points = |path: &Path| path.points.iter().copied().map(&place).collect();
    let rest = |path: &Path| Path { points: Vec::new(), ..path.clone() };
    if all.iter().map(rest).eq(before.iter().map(rest)) {
        return all.iter().map(|path| PathRow::Points(points(path))).collect();
    }
    let whole = |path: &Path| WholePath {
        name: path.name.clone(),
        points: points(path),
        closed: path.closed,
        shown: path.shown,
    };
    all.iter().map(|path| PathRow::Whole(whole(path))).collect()
}

fn target(target: &Target, place: impl Fn(Point) -> Place) -> TargetRow {
    let moves = target.velocity != Point::ZERO;
    TargetRow {
        name: target.name.clone(),
        position: place(target.position),
        velocity: moves.then(|| place(target.velocity)),
        hit_radius: Some(number(target.hit_radius)).filter(|radius| *radius != 0.0),
        turns: target.turns,
        sends_to: target.sends_to.map(&place),
        hits: Some(target.hits).filter(|hits| *hits != 0),
        active: target.active,
    }
}
