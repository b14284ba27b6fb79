//! The single declaration of a scene file's keys, except those of bodies and behaviours, which are
//! [`Parameter`](crate::parameter::Parameter)s.
//!
//! Each section belongs to a struct, and its keys are the names of the struct's fields. A file is
//! read and written by these declarations, and the page on scene files takes its tables from here.

use super::fields::{Field, Fields, Written};
use super::reader::Reader;
use super::tables::{LawKeys, SpawnKeys, SpeciesKeys, TopKeys, WorldKeys};
use super::view_keys::{CAMERA, CAMERA_KEYS, COLOURS, PALETTES, STYLE};
use crate::behaviours::Target;
use crate::behaviours::bounds::FASTEST;
use crate::parameter::Parameter;
use crate::scene::{
    BoidShape, Click, MAX_AGENTS, MAX_TARGETS, ObstaclePlan, SIDES, SceneError, SpawnPlace,
};
use crate::scenery::{FlowKind, FlowPlan, Path};
use crate::world::Boundary;

/// The keys of [`Values::Between`].
pub const ENDS: [&str; 2] = ["from", "to"];

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// A string.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A number between two bounds, both inclusive.
    Number(f32, f32),
    /// A whole number between two bounds, both inclusive.
    Whole(u64, u64),
    /// A number for each axis of the world, between two bounds, both inclusive.
    Point(f32, f32),
    /// A whole number for each axis of the world, between two bounds, both inclusive.
    WholeOnEach(u64, u64),
    /// A list of points.
    Points(f32, f32),
    /// A number between two bounds, both inclusive, or this word.
    NumberOr(f32, f32, &'static str),
    /// A table of two points, `from` and `to`.
    Between(f32, f32),
    /// One of these names.
    Choice(fn() -> Vec<&'static str>),
    /// A name or another kind of value, described in words.
    Words(&'static str),
    /// A value of the key that the table replaces.
    OfTheKey,
    /// A table, or a list of tables, with a section of its own; its name in documents.
    Tables(&'static str),
}

/// A key of a scene file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The written name.
    pub name: &'static str,
    /// The effect of the key, in one sentence.
    pub doc: &'static str,
    /// The default value, in words.
    pub default: &'static str,
    /// The unit, for documents.
    pub unit: &'static str,
    /// The values that it takes.
    pub values: Values,
    /// Number of axes of the world, and so of the numbers of a written point.
    pub axes: usize,
}

/// A table of a scene file.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// The table's name in the file; empty for the top of the file.
    pub table: &'static str,
    /// Its description, from the doc comment.
    pub about: &'static [&'static str],
    /// Its keys, in the order of the documents.
    pub keys: &'static [Key],
}

/// Declares a section, and that its keys are the fields of a struct.
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        $name:ident $table:literal $fields:ident {
            $( $(#[doc = $doc:literal])+ $key:ident: $values:expr => $default:literal, $unit:literal; )*
        }
    ) => {
        $(#[doc = $about])+
        pub const $name: Section = Section {
            table: $table,
            about: &[$($about),+],
            keys: &[ $( Key {
                name: stringify!($key),
                doc: concat!($($doc),+),
                default: $default,
                unit: $unit,
                values: $values,
                axes: 2,
            }, )* ],
        };

        impl Fields for $fields {
            const SECTION: &'static Section = &$name;

            fn read_key(&mut self, key: &Key, value: &Reader) -> Result<(), SceneError> {
                match key.name {
                    $( stringify!($key) => self.$key = Field::read(value, key)?, )*
                    _ => {}
                }
                Ok(())
            }

            fn write_keys(&self, axes: usize) -> Vec<(&'static str, Option<Written>)> {
                let write = |key: &'static Key| match key.name {
                    $( stringify!($key) => (key.name, self.$key.write(&Key { axes, ..*key })), )*
                    name => (name, None),
                };
                Self::SECTION.keys.iter().map(write).collect()
            }
        }
    };
}

pub(super) use section;

/// Largest coordinate of anything; world units.
pub const FAR: f32 = 1e7;

/// Largest radius of anything; world units.
pub const WIDE: f32 = 1e6;

/// The most obstacles of a scene.
pub const MOST_OBSTACLES: u64 = 1 << 18;

/// The most columns, rows or layers of a flow field's file.
const MOST_FLOW_CELLS: u64 = 4096;

pub(super) fn names<T: Copy>(choices: &[(&'static str, T)]) -> Vec<&'static str> {
    choices.iter().map(|(name, _)| *name).collect()
}

section! {
    /// At the top of the file.
    TOP "" TopKeys {
        /// One sentence for `flockwork scenes`.
        about: Values::Text => "empty", "";
        /// Seed of the random numbers.
        seed: Values::Whole(0, u32::MAX as u64) => "1", "";
        /// How far one tick advances the motion.
        time_step: Values::Number(1e-3, 10.0) => "1", "ticks";
        /// What a click in the window does. `call` puts the target `pointer` under the mouse while
        /// the button is down; `path` makes a new path; `flee` makes species that seek flee, and
        /// the other way round; `target` and `obstacle` move the nearest one; `add` adds an agent
        /// (a drag adds more). With `follow` the first target at rest follows the mouse without a
        /// click; in a list, as in `["follow", "flee"]`, the other name is what a click does.
        click: Values::Choice(|| names(&Click::NAMES)) => "`\"call\"`", "";
        /// Size and edge.
        world: Values::Tables("`[world]`") => "", "";
        /// What pictures look like.
        style: Values::Tables("`[style]`") => "", "";
        /// Which part of the world pictures show.
        camera: Values::Tables("`[camera]`") => "the whole world", "";
        /// Places to seek, reach or flee.
        targets: Values::Tables("`[[targets]]`, 63 at most") => "none", "";
        /// Circles to steer round.
        obstacles: Values::Tables("`[[obstacles]]`") => "none", "";
        /// Lines to follow.
        paths: Values::Tables("`[[paths]]`") => "none", "";
        /// A field of directions.
        flow: Values::Tables("`[flow]`") => "none", "";
        /// Kinds of agents.
        species: Values::Tables("`[species.NAME]`, 1 to 16") => "must be given", "";
    }
}

section! {
    /// The world: a rectangle with the origin in its lower left corner, or a box with the origin in its
    /// lowest corner.
    WORLD "[world]" WorldKeys {
        /// Width and height; y points up. Three numbers make a space: width, depth and height; z points
        /// up. All points of the scene have as many numbers.
        size: Values::Point(SIDES.0, SIDES.1) => "[640, 360]", "world units";
        /// What happens at the edge.
        boundary: Values::Choice(|| names(&Boundary::NAMES)) => "`\"wrap\"`", "";
        /// Mean number of neighbours in an evenly spread flock. At the scene's own count the world has
        /// its `size`; at a count f times larger or smaller the number of neighbours is nearer to this
        /// one by a factor of f at most.
        density: Values::Number(1e-3, 1e4) => "none", "neighbours";
        /// The radius within which `density` counts neighbours.
        within: Values::Number(0.0, WIDE) => "the largest radius that the file has", "world units";
        /// Without a density: whether the area or volume grows in proportion to a count above the scene's
        /// own.
        grows: Values::Boolean => "`false`", "";
    }
}

section! {
    /// A place that agents seek, reach or flee.
    TARGETS "[[targets]]" Target {
        /// Its name in behaviours. `pointer`, `nearest` and `none` are taken.
        name: Values::Text => "`target1`, `target2`, …", "";
        /// Where it is at the start.
        position: Values::Point(-FAR, FAR) => "[0, 0]", "world units";
        /// How it moves. Walls reflect it.
        velocity: Values::Point(-FASTEST, FASTEST) => "[0, 0]", "world units/tick";
        /// An agent nearer than this hits it, and it reappears at a random place; 0: it cannot be
        /// hit.
        hit_radius: Values::Number(0.0, WIDE) => "0", "world units";
        /// Whether a hit gives it a random direction at the same speed.
        turns: Values::Boolean => "`false`", "";
        /// Where an agent that hits it is put, with its velocity unchanged; without this key the
        /// agent stays where it is.
        sends_to: Values::Point(-FAR, FAR) => "none", "world units";
    }
}

section! {
    /// A circle to steer round, or many at random places. If the world grows with the count, a
    /// circle with a position repeats with the period of the written size, and the number of the
    /// others grows with the area. Agents do not spawn inside a circle as long as there is room
    /// elsewhere. Circles may overlap and lie anywhere.
    OBSTACLES "[[obstacles]]" ObstaclePlan {
        /// The centre.
        position: Values::Point(-FAR, FAR) => "at random", "world units";
        /// The circle's radius.
        radius: Values::Number(0.0, WIDE) => "20", "world units";
        /// Number of circles, without a position.
        count: Values::Whole(1, MOST_OBSTACLES) => "1", "";
    }
}

section! {
    /// A line of segments; all paths together have at most 4096 corners. In a wrapped world corners
    /// are within two world sizes of it, and lines may cross the seam.
    PATHS "[[paths]]" Path {
        /// Its name in behaviours. `nearest` is taken.
        name: Values::Text => "`path0`, `path1`, …", "";
        /// Its corners, at least two different ones. Two equal corners in a row are a segment
        /// without direction.
        points: Values::Points(-FAR, FAR) => "must be given", "world units";
        /// Whether the last corner connects to the first.
        closed: Values::Boolean => "`false`", "";
        /// Whether pictures show it.
        shown: Values::Boolean => "`true`", "";
    }
}

section! {
    /// The flow field: a vector for each cell. Its length does not matter.
    FLOW "[flow]" FlowPlan {
        /// Perlin noise, currents of curl noise, an anticlockwise vortex round the middle of the world (in
        /// space round its vertical), or a file.
        kind: Values::Choice(|| names(&FlowKind::NAMES)) => "`\"perlin\"`", "";
        /// Side of a cell of noise or vortex.
        cell: Values::Number(1e-2, SIDES.1) => "20", "world units";
        /// How fast the noise changes.
        frequency: Values::Number(0.0, 1.0) => "0.1", "1/cell";
        /// A CSV file with the header `x,y` (`x,y,z` in space) and a row for each cell: row by row from the
        /// lower left corner, in space layer by layer from the bottom, stretched over the world. A relative
        /// path starts at the scene file's folder.
        file: Values::Text => "none", "";
        /// Columns and rows of the file, in space also layers; 16777216 cells at most.
        grid: Values::WholeOnEach(1, MOST_FLOW_CELLS) => "none", "cells";
    }
}

section! {
    /// A kind of agents. The keys of its body and its behaviours have a page of their own.
    SPECIES "[species.NAME]" SpeciesKeys {
        /// Agents of this species. `--count` keeps the shares.
        count: Values::Whole(0, MAX_AGENTS) => "100", "agents";
        /// The shape of its drawn agents.
        look: Values::Choice(|| names(&BoidShape::NAMES)) => "as in `[style]`", "";
        /// What the colour shows, or one colour for all agents.
        colour: Values::Words(COLOURS) => "as in `[style]`", "";
        /// The colours of what is shown.
        palette: Values::Words(PALETTES) => "as in `[style]`", "";
        /// The least length of a drawn agent.
        smallest: Values::Number(1.0, 64.0) => "as in `[style]`", "points";
        /// How its agents start.
        spawn: Values::Tables("table, see below") => "all defaults", "";
        /// How they start if `--count` asks for more agents than the scene has.
        spawn_at_scale: Values::Tables("table, see below") => "as `spawn`", "";
    }
}

section! {
    /// How the agents of a species start.
    SPAWN "spawn" SpawnKeys {
        /// Anywhere in the world; all at one point; evenly in a disc (in space a horizontal one), in a
        /// ball or in a box; on a shell; on a line from left to right.
        place: Values::Choice(|| names(&SpawnPlace::NAMES)) => "`\"uniform\"`", "";
        /// Centre of the place.
        at: Values::Point(-FAR, FAR) => "the world's middle", "world units";
        /// Radius of the disc, ball or shell; half the side of the box.
        radius: Values::Number(0.0, FAR) => "100", "world units";
        /// The first speed; `"max_speed"` is the agent's own.
        speed: Values::NumberOr(0.0, FASTEST, "max_speed") => "1", "world units/tick";
        /// The first heading, anticlockwise from the x axis.
        heading: Values::Number(-360.0, 360.0) => "at random", "degrees";
        /// The first velocity, instead of `speed` and `heading`: each agent draws each component
        /// separately, as in `{ from = [-1, -1], to = [1, 1] }`.
        velocity: Values::Between(-FASTEST, FASTEST) => "none", "world units/tick";
    }
}

section! {
    /// A number of a body or a behaviour (except a field of view) may be a table, and then it
    /// varies. `{ base, amplitude, period }` is `base + amplitude · noise(tick/period)` with Perlin
    /// noise from −1 to 1, the same for all agents of the species. `{ base, grows_with_size }` is
    /// `base · (1 − e^(−size/s))` and `{ base, shrinks_with_size }` is `base · e^(−size/s)`. The
    /// base must be within the range of the key, and the result is clamped to it. With
    /// `{ from, to }` each agent draws its own number once, evenly between the two; it depends on the
    /// seed, the agent's id and the key. What applies to a whole species uses `to`: the cells of the
    /// grid, the neighbours that a colour counts, the colour by speed. Each number follows one law;
    /// other numbers of the same species may follow other laws, but none may follow a `size` that
    /// is drawn.
    LAW "a number that varies" LawKeys {
        /// The number that the law varies.
        base: Values::OfTheKey => "the key's", "the key's";
        /// How far the noise moves it up or down.
        amplitude: Values::Number(0.0, WIDE) => "none", "the key's";
        /// Ticks in which the noise changes much.
        period: Values::Number(1.0, 1e9) => "100", "ticks";
        /// The size s.
        grows_with_size: Values::Number(1e-3, WIDE) => "none", "world units";
        /// The size s.
        shrinks_with_size: Values::Number(1e-3, WIDE) => "none", "world units";
        /// The smallest number that an agent may draw.
        from: Values::OfTheKey => "none", "the key's";
        /// The largest; not below `from`.
        to: Values::OfTheKey => "none", "the key's";
    }
}

/// All sections, in the order of the documents.
pub const SECTIONS: [Section; 12] =
    [TOP, WORLD, STYLE, CAMERA, CAMERA_KEYS, TARGETS, OBSTACLES, PATHS, FLOW, SPECIES, SPAWN, LAW];

/// The documentation of `targets` says 63, because it does not count the pointer.
const _: () = assert!(MAX_TARGETS == 64);

impl Section {
    /// The key of this name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

impl Key {
    /// The key of a table that replaces a number, with the number's range and unit.
    #[must_use]
    pub fn of(&self, parameter: &Parameter) -> Self {
        match self.values {
            Values::OfTheKey => {
                let (low, high) = parameter.range;
                Self { values: Values::Number(low, high), unit: parameter.unit, ..*self }
            }
            _ => *self,
        }
    }

    /// The values that it takes, in words.
    #[must_use]
    pub fn range(&self) -> String {
        match self.values {
            Values::Text => "text".into(),
            Values::Boolean => "`true`, `false`".into(),
            Values::Number(low, high) => format!("{} to {}", short(low), short(high)),
            Values::Whole(low, high) => format!("{low} to {high}"),
            Values::Point(low, high) => format!("one per axis, {} to {}", short(low), short(high)),
            Values::WholeOnEach(low, high) => format!("one per axis, {low} to {high}"),
            Values::Points(low, high) => {
                format!("points, {} to {}", short(low), short(high))
            }
            Values::NumberOr(low, high, word) => {
                format!("{} to {}, `\"{word}\"`", short(low), short(high))
            }
            Values::Between(low, high) => {
                format!("`{{ from, to }}`, points, {} to {}", short(low), short(high))
            }
            Values::Choice(names) => {
                let names: Vec<String> =
                    names().into_iter().map(|name| format!("`\"{name}\"`")).collect();
                names.join(", ")
            }
            Values::OfTheKey => "the key's".into(),
            Values::Words(what) | Values::Tables(what) => what.into(),
        }
    }
}

/// A number such as `0.05` or `1e18`: short, and valid TOML.
#[must_use]
pub fn short(value: f32) -> String {
    if value.abs() >= 1e5 { format!("{value:e}") } else { value.to_string() }
}
