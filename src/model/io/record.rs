//! The record of a run in every file that it writes: everything but the agents, above all the scene as
//! the command line changed it.

use std::hash::{DefaultHasher, Hasher};

use serde::{Deserialize, Serialize, Serializer};
use toml::Value;

use super::{FileError, Result, counted, ensure};
use crate::quote::cut;
use crate::scene::{Request, Scene, SceneError};
use crate::toml_words::problem;
use crate::vector::Point;
use crate::world::{Boundary, World};

/// It grows when a file changes in a way that older programs would misread.
const VERSION: u32 = 1;

/// Most bytes of the text: a scene with the largest number of obstacles takes a quarter of it.
pub const MAX_RECORD: usize = 1 << 26;

/// Most keys that a warning names.
const MAX_SHOWN: usize = 8;

/// Most vectors of a flow field.
pub const MAX_VECTORS: usize = 1 << 24;

/// Everything to make the scene of a file again, with its world and its scenery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRecord {
    /// Name of the built-in scene or path of the file, for messages.
    pub name: String,
    /// The scene as a scene file with all its keys, before it is scaled to the count. Its seed is the
    /// one used.
    pub scene: String,
    /// Number of agents.
    pub count: u64,
    /// The density of `--density`.
    pub density: Option<f32>,
    /// Sides of the scaled world. Only people read it: the program computes it from the scene.
    pub world: Point,
    /// The vectors of a flow field that was read from a file. They are not part of the text.
    pub flow: Vec<Point>,
    /// The way it was made; older files do not say.
    pub made: Option<Provenance>,
}

/// The provenance of a run. Nothing of it is needed to go on from the run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provenance {
    /// Version of the program.
    pub flockwork: String,
    /// `cpu` or `gpu`. Not the number of threads: the files of a run do not depend on it.
    pub engine: Option<String>,
    /// Name and driver of the GPU.
    pub adapter: Option<String>,
    /// The state file or the session that the run began with, instead of the scene's own first state.
    pub from: Option<String>,
    /// The seed of the scene; files without it have the one in the text of the scene.
    pub seed: Option<u32>,
    /// `--set` as it was given. The scene has these values already.
    pub overrides: Vec<String>,
}

/// The text of a record, as TOML.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    #[serde(rename = "version")]
    _version: u32,
    name: String,
    count: u64,
    density: Option<f64>,
    world: Vec<f64>,
    flockwork: Option<String>,
    engine: Option<String>,
    adapter: Option<String>,
    from: Option<String>,
    seed: Option<u32>,
    #[serde(default)]
    overrides: Vec<String>,
    scene: String,
}

/// The one key that every version has.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl RunRecord {
    /// The record of a scene for `request`. `world` is the size of the scaled world, and `overrides` are
    /// what the command line changed in the scene.
    #[must_use]
    pub fn new(scene: &Scene, request: &Request, world: Point, overrides: &[String]) -> Self {
        let seed = request.seed.unwrap_or(scene.seed);
        // A text that says a radius says the one within which the density of the run counts.
        let density_radius = match (request.density, scene.density) {
            (Some(_), _) => scene.asked_radius(),
            (None, None) => 0.0,
            (None, Some(_)) => scene.density_radius,
        };
        let flow = scene.flow.as_ref().map_or_else(Vec::new, |plan| plan.vectors.clone());
        Self {
            name: scene.name.clone(),
            scene: Scene { seed, density_radius, ..scene.clone() }.to_full_toml(),
            count: request.count.unwrap_or(scene.own_count()),
            density: request.density,
            world,
            flow,
            made: Some(Provenance {
                flockwork: env!("CARGO_PKG_VERSION").into(),
                engine: None,
                adapter: None,
                from: None,
                seed: Some(seed),
                overrides: overrides.to_vec(),
            }),
        }
    }

    /// Adds the engine, the name and driver of the GPU that it runs on, and the file that the run begins with.
    #[must_use]
    pub fn on(mut self, engine: &str, adapter: Option<String>, from: Option<String>) -> Self {
        if let Some(made) = &mut self.made {
            (made.engine, made.adapter, made.from) = (Some(engine.into()), adapter, from);
        }
        self
    }

    /// Number of axes of the world.
    #[must_use]
    pub fn axes(&self) -> usize {
        World { size: self.world, boundary: Boundary::Open }.axes()
    }

    /// The keys of the text with their values.
    fn keys(&self) -> Vec<(&'static str, Value)> {
        let sides = &self.world.to_array()[..self.axes()];
        let mut keys = vec![
            ("version", VERSION.into()),
            ("name", self.name.as_str().into()),
            ("count", (self.count as i64).into()),
        ];
        keys.extend(self.density.map(|density| ("density", decimal(density))));
        keys.push(("world", sides.iter().copied().map(decimal).collect::<Vec<Value>>().into()));
        if let Some(Provenance { flockwork, engine, adapter, from, seed, overrides }) = &self.made {
            keys.push(("flockwork", flockwork.as_str().into()));
            let texts = [("engine", engine), ("adapter", adapter), ("from", from)];
            let there = |(key, text): (_, &Option<String>)| Some((key, text.as_deref()?.into()));
            keys.extend(texts.into_iter().filter_map(there));
            keys.extend(seed.map(|seed| ("seed", seed.into())));
            keys.push(("overrides", overrides.clone().into()));
        }
        // The last key: a state file adds lines behind it.
        keys.push(("scene", self.scene.as_str().into()));
        keys
    }

    /// The record as TOML in ASCII, without the flow field.
    #[must_use]
    pub fn text(&self) -> String {
        let line = |(key, value): &(&str, Value)| format!("{key} = {}\n", toml_text(value));
        self.keys().iter().map(line).collect()
    }

    /// The record in the text of a file; `None` if that is a scene.
    pub fn within(text: &str) -> Result<Option<Self>> {
        // Some editors begin a file with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // No scene has these keys.
        if !text.starts_with("version = ") || !text.contains("\nscene = ") {
            return Ok(None);
        }
        Self::parse(text, |line| format!("line {}", line + 1)).map(Some)
    }

    /// The text without the way the run was made, and with a hash in place of the vectors of the flow field:
    /// equal for runs that move alike.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hasher = DefaultHasher::new();
        let numbers = self.flow.iter().flat_map(Point::to_array);
        numbers.for_each(|number| hasher.write_u32(number.to_bits()));
        let vectors = counted(self.flow.len() as u64, "vector");
        let text = Self { made: None, flow: Vec::new(), ..self.clone() }.text();
        format!("{text}flow field: {vectors} with hash {:x}\n", hasher.finish())
    }

    /// Reads what [`RunRecord::text`] has written. `place` names a line of the text, counted from 0, in
    /// messages.
    pub fn parse(text: &str, place: impl Fn(usize) -> String) -> Result<Self> {
        let wrong = |error: &toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.as_bytes().get(..start).unwrap_or_default();
            let line = before.iter().filter(|byte| **byte == b'\n').count();
            FileError(format!(
                "{}: {}; write the file again, or name another scene with --scene",
                place(line),
                cut(&problem(error.message()))
            ))
        };
        let Version { version } = toml::from_str(text).map_err(|error| wrong(&error))?;
        ensure!(
            version == VERSION,
            "{}: its run is written in version {version}, and this program reads version {VERSION}; \
             use the program that wrote it, or name another scene with --scene",
            place(0)
        );
        let keys: Keys = toml::from_str(text).map_err(|error| wrong(&error))?;
        let Keys { name, scene, count, density, world: sides, seed, overrides, .. } = keys;
        let Keys { flockwork, engine, adapter, from, .. } = keys;
        ensure!(
            [2, 3].contains(&sides.len()),
            "{}: its world has {}, expected two or three; write the file again, or name another scene \
             with --scene",
            place(0),
            counted(sides.len() as u64, "side")
        );
        let mut world = Point::ZERO;
        for (axis, side) in sides.into_iter().enumerate() {
            world[axis] = side as f32;
        }
        Ok(Self {
            name,
            scene,
            count,
            density: density.map(|density| density as f32),
            world,
            flow: Vec::new(),
            made: flockwork.map(|flockwork| Provenance {
                flockwork,
                engine,
                adapter,
                from,
                seed,
                overrides,
            }),
        })
    }

    /// A warning about keys of the scene that an older version left out of the record, and that have the
    /// defaults of this one; `None` if the record has all keys.
    pub fn unsaid(&self) -> Result<Option<String>, SceneError> {
        let whole = self.scene(&[])?.to_full_toml();
        let mut keys = Vec::new();
        // A text that is a scene is a table.
        if let (Ok(own), Ok(whole)) = (self.scene.parse(), whole.parse()) {
            missing(&own, &whole, "", &mut keys);
        }
        if keys.is_empty() {
            return Ok(None);
        }
        let (shown, more) = keys.split_at(keys.len().min(MAX_SHOWN));
        let more =
            if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        let made = self.made.as_ref().map(|made| format!("version {}", made.flockwork));
        let version = made.as_deref().unwrap_or("an older version");
        Ok(Some(format!(
            "{version} of flockwork has written it without {}{more}: they have the defaults of version \
             {}, and the run may have had others; --set KEY=VALUE sets them",
            shown.join(", "),
            env!("CARGO_PKG_VERSION")
        )))
    }

    /// The scene with `overrides` (KEY=VALUE) and the seed of the record, before it is scaled.
    pub fn scene(&self, overrides: &[String]) -> Result<Scene, SceneError> {
        let mut scene = Scene::parse_with(&self.name, &self.scene, overrides)?;
        let seed = self.made.as_ref().and_then(|made| made.seed);
        if let Some(seed) = seed.filter(|_| !scene.is_overridden("seed")) {
            scene.seed = seed;
        }
        Ok(scene)
    }
}

/// Adds the keys of `whole` below `path` that `table` lacks.
fn missing(table: &toml::Table, whole: &toml::Table, path: &str, keys: &mut Vec<String>) {
    for (key, value) in whole {
        match (table.get(key), value) {
            (None, _) => keys.push(format!("{path}{key}")),
            (Some(Value::Table(own)), Value::Table(whole)) => {
                missing(own, whole, &format!("{path}{key}."), keys);
            }
            _ => {}
        }
    }
}

/// The record as JSON has the keys of its text.
impl Serialize for RunRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.keys())
    }
}

/// The shortest decimal that reads back to the same bits.
fn decimal(number: f32) -> Value {
    number.to_string().parse().unwrap_or_else(|_| f64::from(number)).into()
}

/// A value as TOML.
fn toml_text(value: &Value) -> String {
    match value {
        Value::String(text) => toml_string(text),
        Value::Array(all) => {
            format!("[{}]", all.iter().map(toml_text).collect::<Vec<_>>().join(", "))
        }
        // With all digits, and a point where the number is whole.
        Value::Float(number) => format!("{number:?}"),
        other => other.to_string(),
    }
}

/// A string as TOML in ASCII, the only characters in comments of GIF films. Readers of TOML decode the
/// others. Lines stay lines.
fn toml_string(text: &str) -> String {
    let is_long = text.contains('\n');
    let (begin, end) = if is_long { ("\"\"\"\n", "\"\"\"") } else { ("\"", "\"") };
    let mut all = begin.to_owned();
    for character in text.chars() {
        match character {
            // Three in a row would end it.
            '"' if is_long && !all.ends_with('"') => all.push(character),
            '\n' | ' ' | '!' | '#'..='[' | ']'..='~' => all.push(character),
            '"' | '\\' => all.extend(['\\', character]),
            other => all += &format!("\\U{:08X}", u32::from(other)),
        }
    }
    all + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_leaves_keys_out_is_told_by_their_names() {
        for built_in in crate::scene::built_in() {
            let scene = Scene::parse(built_in.name, built_in.text).unwrap();
            let whole = RunRecord::new(&scene, &Request::default(), scene.world.size, &[]);
            assert_eq!(whole.unsaid().unwrap(), None, "{}", built_in.name);
            // A version that does not know a key.
            let known = whole.scene.lines().filter(|line| !line.starts_with("time_step"));
            let scene = known.map(|line| format!("{line}\n")).collect();
            let told = RunRecord { scene, ..whole.clone() }.unsaid().unwrap().unwrap();
            assert!(told.contains("version 0.1.0 of flockwork"), "{told}");
            assert!(told.contains("without time_step:"), "{told}");
            // A version that wrote no defaults.
            let scene = whole.scene(&[]).unwrap().to_toml();
            let older = RunRecord { scene, made: None, ..whole };
            let told = older.unsaid().unwrap().unwrap();
            assert!(told.contains("an older version") && told.contains(" more:"), "{told}");
        }
    }

    #[test]
    fn another_radius_leaves_the_world_of_a_recorded_density() {
        let scene = Scene::parse("a", "[species.a]\ncohesion = {}\n").unwrap();
        let request = Request { density: Some(8.0), ..Request::default() };
        let record = RunRecord::new(&scene, &request, scene.world.size, &[]);
        let sets = ["a.cohesion.radius=3", "seed=1"];
        let worlds = sets
            .map(|set| record.scene(&[set.into()]).unwrap().populate(&request).unwrap().0.world);
        assert_eq!(worlds[0], worlds[1]);
    }

    #[test]
    fn the_seed_of_the_record_comes_before_the_one_in_its_scene() {
        let scene = Scene::parse("a", "seed = 3\n[species.a]\ncount = 1\n").unwrap();
        let record = RunRecord::new(&scene, &Request::default(), scene.world.size, &[]).text();
        let seed = |text: &str, overrides: &[String]| {
            RunRecord::within(text).unwrap().unwrap().scene(overrides).unwrap().seed
        };
        let (head, rest) = record.split_once("\nscene = ").unwrap();
        let edited = format!("{}\nscene = {rest}", head.replace("seed = 3", "seed = 5"));
        assert_eq!((seed(&record, &[]), seed(&edited, &[])), (3, 5));
        assert_eq!(seed(&format!("\u{feff}{record}"), &[]), 3, "a byte order mark");
        assert_eq!(seed(&edited, &["seed=7".into()]), 7);
        let without = format!("{}\nscene = {rest}", head.replace("seed = 3\n", ""));
        assert_eq!(seed(&without, &[]), 3);
    }

    #[test]
    fn any_text_is_written_in_ascii_and_reads_back() {
        for text in ["", "\"", "a\n\"\"\"\"b\"", "\"\"\n\"", "C:\\\r\n\t\u{0}\u{7f}", "Möwe 🐦\n\\"]
        {
            let line = format!("a = {}\n", toml_string(text));
            let table: toml::Table = line.parse().unwrap_or_else(|e| panic!("{e}: {line}"));
            assert!(line.is_ascii() && table["a"].as_str() == Some(text), "{text:?}: {line}");
        }
    }
}
