//! The single declaration of a scene file's keys, except the keys of bodies and behaviours, which are
//! [`Parameter`](crate::parameter::Parameter)s.
//!
//! Each section belongs to a struct, and its keys are the names of the struct's fields. A file is
//! read and written by these declarations, and the page on scene files takes its tables from here.

use super::camera::{CAMERA, CAMERA_KEYS};
use super::fields::{Field, Fields, any, name_of, section, unit};
use super::key::names;
pub use super::key::{Key, MAX_EXTENT, MAX_POSITION, Section, Values, short};
use super::law::LAW;
use super::reader::Reader;
use super::scenery;
use super::spawn::SPAWN;
use super::style::{COLOURS, PALETTES, STYLE};
use super::tree::{Table, Value};
use crate::behaviours::Target;
use crate::behaviours::bounds::MAX_SPEED;
use crate::grid::CrowdSampling;
use crate::scene::{
    BoidShape, CameraPlan, Click, MAX_AGENTS, MAX_TARGETS, SIDES, SceneError, Species, Style,
    TIME_STEPS,
};
use crate::scenery::{FlowKind, FlowPlan, Path};
use crate::vector::{Point, flat};
use crate::world::Boundary;

/// World size if the scene gives none: the canvas of *The Nature of Code*.
const CANVAS: Point = flat(640.0, 360.0);

/// The most obstacles of a scene.
pub const MAX_OBSTACLES: u64 = 1 << 18;

/// The most columns, rows or layers of a flow field's file.
const MAX_FLOW_SIDE: u64 = 4096;

section! {
    /// At the top of the file.
    TOP "" struct TopKeys (any) {
        /// One sentence for `flockwork scenes`.
        about: String = String::new(), Values::Text => "empty", "";
        /// Seed of the random numbers.
        seed: u32 = 1, Values::Whole(0, u32::MAX as u64) => "1", "";
        /// How far one tick advances the motion.
        time_step: f32 = 1.0, Values::Number(TIME_STEPS.0, TIME_STEPS.1) => "1", "ticks";
        /// The action of a click in the window. `call` puts the target `pointer` under the mouse while
        /// the button is down; `path` makes a new path; `flee` makes species that seek flee, and
        /// the other way round; `target` and `obstacle` move the nearest one; `add` adds an agent
        /// (a drag adds more). With `follow` the first target at rest follows the mouse without a
        /// click; in a list, as in `["follow", "flee"]`, the other name is what a click does.
        click: Clicks = Clicks(Click::Call, false), Values::Choice(|| names(&Click::NAMES)) => "`\"call\"`", "";
        /// Size and edge.
        world: WorldKeys = WorldKeys::default(), Values::Words("`[world]`") => "", "";
        /// The looks of pictures.
        style: Style = Style::default(), Values::Words("`[style]`") => "", "";
        /// Which part of the world pictures show.
        camera: CameraPlan = CameraPlan::default(), Values::Words("`[camera]`") => "the whole world", "";
        /// Places to seek, reach or flee.
        targets: Vec<Target> = Vec::new(), Values::Words("`[[targets]]`, 63 at most") => "none", "";
        /// Circles to steer round.
        obstacles: Vec<ObstaclePlan> = Vec::new(), Values::Words("`[[obstacles]]`") => "none", "";
        /// Lines to follow.
        paths: Vec<Path> = Vec::new(), Values::Words("`[[paths]]`") => "none", "";
        /// A field of directions.
        flow: Option<FlowPlan> = None, Values::Words("`[flow]`") => "none", "";
        /// Kinds of agents.
        species: SpeciesTables = SpeciesTables(Vec::new()), Values::Words("`[species.NAME]`, 1 to 16") => "must be given", "";
    }
}

section! {
    /// The world: a rectangle with the origin in its lower left corner, or a box with the origin in its
    /// lowest corner.
    WORLD "[world]" struct WorldKeys (any) {
        /// Width and height; y points up. Three numbers make a space: width, depth and height; z points
        /// up. All points of the scene have as many numbers.
        size: Point = CANVAS, Values::Point(SIDES.0, SIDES.1) => "[640, 360]", "world units";
        /// The rule at the edge.
        boundary: Boundary = Boundary::Wrap, Values::Choice(|| names(&Boundary::NAMES)) => "`\"wrap\"`", "";
        /// Mean number of neighbours in an evenly spread flock. At the scene's own count the world has
        /// its `size`; at a count f times larger or smaller the number of neighbours is nearer to this
        /// one by a factor of f at most.
        density: Option<f32> = None, Values::Number(1e-3, 1e4) => "none", "neighbours";
        /// The radius within which `density` counts neighbours.
        within: Option<f32> = None, Values::Number(0.0, MAX_EXTENT) => "the largest radius that the file has", "world units";
        /// Without a density: whether the area or volume grows in proportion to a count above the scene's
        /// own.
        grows: bool = false, Values::Boolean => "`false`", "";
        /// In a crowd agents look at a sample of their neighbours, which bounds the work of a tick; with
        /// `"none"` they look at all. A scene in which a behaviour has `nearest` or `pick` is never sampled.
        sampling: CrowdSampling = CrowdSampling::Auto, Values::Choice(|| names(&CrowdSampling::NAMES)) => "`\"auto\"`", "";
    }
}

section! {
    /// A place that agents seek, reach or flee.
    TARGETS "[[targets]]" Target (scenery::target, scenery::check_target) {
        /// Its name in behaviours. `pointer`, `nearest` and `none` are taken.
        name: Values::Text => "`target1`, `target2`, …", "";
        /// Where it is at the start.
        position: Values::Point(-MAX_POSITION, MAX_POSITION) => "[0, 0]", "world units";
        /// How it moves. Walls reflect it.
        velocity: Values::Point(-MAX_SPEED, MAX_SPEED) => "[0, 0]", "world units/tick";
        /// An agent nearer than this hits it, and it reappears at a random place; 0: it cannot be
        /// hit.
        hit_radius: Values::Number(0.0, MAX_EXTENT) => "0", "world units";
        /// Whether a hit gives it a random direction at the same speed.
        turns: Values::Boolean => "`false`", "";
        /// Where an agent that hits it is put, with its velocity unchanged; without this key the
        /// agent stays where it is.
        sends_to: Values::Point(-MAX_POSITION, MAX_POSITION) => "none", "world units";
    }
}

section! {
    /// A circle to steer round, or many at random places. If the world grows with the count, a
    /// circle with a position repeats with the period of the written size, and the number of the
    /// others grows with the area; in a smaller world the positions keep their place relative to it.
    /// Agents do not spawn inside a circle as long as there is room elsewhere. Circles may overlap and
    /// lie anywhere.
    OBSTACLES "[[obstacles]]" #[derive(Copy)] struct ObstaclePlan (check_obstacle) {
        /// The centre.
        position: Option<Point> = None, Values::Point(-MAX_POSITION, MAX_POSITION) => "at random", "world units";
        /// The circle's radius.
        radius: f32 = 20.0, Values::Number(0.0, MAX_EXTENT) => "20", "world units";
        /// Number of circles, without a position.
        count: u32 = 1, Values::Whole(1, MAX_OBSTACLES) => "1", "";
    }
}

/// One circle at a `position`, or `count` circles at random places.
fn check_obstacle(
    own: &ObstaclePlan,
    _: &[ObstaclePlan],
    table: &Reader,
) -> Result<(), SceneError> {
    if own.position.is_some() && own.count > 1 {
        return Err(table.fail("a `position` is for one obstacle; remove `count`"));
    }
    Ok(())
}

section! {
    /// A line of segments; all paths together have at most 4096 corners. In a wrapped world corners
    /// are within two world sizes of it, and lines may cross the seam.
    PATHS "[[paths]]" Path (scenery::path, scenery::check_path) {
        /// Its name in behaviours. `nearest` is taken.
        name: Values::Text => "`path0`, `path1`, …", "";
        /// Its corners, at least two different ones. Two equal corners in a row are a segment
        /// without direction.
        points: Values::Points(-MAX_POSITION, MAX_POSITION) => "must be given", "world units";
        /// Whether the last corner connects to the first.
        closed: Values::Boolean => "`false`", "";
        /// Whether pictures show it.
        shown: Values::Boolean => "`true`", "";
    }
}

section! {
    /// The flow field: a vector for each cell. Its length does not matter.
    FLOW "[flow]" FlowPlan (|_| Self::default(), scenery::check_flow) {
        /// Perlin noise, currents of curl noise, an anticlockwise vortex round the middle of the world (in
        /// space round its vertical), or a file.
        kind: Values::Choice(|| names(&FlowKind::NAMES)) => "`\"perlin\"`", "";
        /// Side of a cell of noise or vortex.
        cell: Values::Number(1e-2, SIDES.1) => "20", "world units";
        /// How fast the noise changes. Perlin noise is 0 at whole numbers, so at 1 its vectors point one way.
        frequency: Values::Number(0.0, 1.0) => "0.1", "1/cell";
        /// A CSV file with the header `x,y` (`x,y,z` in space) and a row for each cell: row by row from the
        /// lower left corner, in space layer by layer from the bottom, stretched over the world. A relative
        /// path starts at the scene file's folder.
        file: Values::Text => "none", "";
        /// Columns and rows of the file, in space also layers; 16777216 cells at most.
        grid: Values::WholeOnEach(1, MAX_FLOW_SIDE) => "none", "cells";
    }
}

section! {
    /// A kind of agents. The keys of its body and its behaviours have a page of their own.
    SPECIES "[species.NAME]" Species (|_| Self::new(""), any) {
        /// Agents of this species. `--count` keeps the shares.
        count: Values::Whole(0, MAX_AGENTS) => "100", "agents";
        /// The shape of its drawn agents.
        look: Values::Choice(|| names(&BoidShape::NAMES)) => "as in `[style]`", "";
        /// The quantity that the colour shows, or one colour for all agents.
        colour: COLOURS => "as in `[style]`", "";
        /// The colours of what is shown.
        palette: PALETTES => "as in `[style]`", "";
        /// The least length of a drawn agent.
        smallest: Values::Number(1.0, 64.0) => "as in `[style]`", "points";
        /// How its agents start.
        spawn: Values::Words("table, see below") => "all defaults", "";
        /// How they start if `--count` asks for more agents than the scene has.
        spawn_at_scale: Values::Words("table, see below") => "as `spawn`", "";
    }
}

/// All sections, in the order of the documents.
pub const SECTIONS: [Section; 12] =
    [TOP, WORLD, STYLE, CAMERA, CAMERA_KEYS, TARGETS, OBSTACLES, PATHS, FLOW, SPECIES, SPAWN, LAW];

/// The documentation of `targets` says 63, because it does not count the pointer.
const _: () = assert!(MAX_TARGETS == 64);

/// The tables of the species. Their values contain names of targets, paths and other species, so
/// they are read after those.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeciesTables(pub Table<bool>);

impl SpeciesTables {
    /// Their key at the top of the file.
    pub const KEY: &'static str = "species";
}

impl Field for SpeciesTables {
    fn read(_: &Reader, _: &Key) -> Result<Self, SceneError> {
        Ok(Self(Vec::new()))
    }

    fn write(&self, _: &Key, _: usize) -> Option<Value<bool>> {
        Some(Value::Table(self.0.clone()))
    }
}

/// The effect of a click, and whether a target follows the mouse: a name, or a list of `follow` and
/// another name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clicks(pub Click, pub bool);

impl Field for Clicks {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let (mut click, mut follows) = (None, false);
        for item in value.items() {
            match item.choice(&Click::NAMES)? {
                Click::Follow => follows = true,
                other if click.replace(other).is_some() => {
                    let problem = "a click does one thing; only \"follow\" can be added to it";
                    return Err(item.fail(problem));
                }
                _ => {}
            }
        }
        let otherwise = if follows { Click::Follow } else { Click::Call };
        Ok(Self(click.unwrap_or(otherwise), follows))
    }

    fn write(&self, _: &Key, _: usize) -> Option<Value<bool>> {
        let own = name_of(&self.0, &Click::NAMES)?;
        let beside = self.1 && self.0 != Click::Follow;
        let follow = name_of(&Click::Follow, &Click::NAMES).filter(|_| beside);
        Some(follow.map_or(own.clone(), |follow| Value::list([follow, own])))
    }
}
