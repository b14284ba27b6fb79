//! The record of a run in a state file: everything but the agents, above all the scene as the command
//! line changed it.

use std::fmt::Write;

use anyhow::{bail, ensure};
use serde::Deserialize;

use crate::commands::output::counted;
use flockwork_model::behaviours::Target;
use flockwork_model::quote::{cut, quoted};
use flockwork_model::scene::{POINTER, Request, Scene, SceneError};
use flockwork_model::scenery::FlowPlan;
use flockwork_model::toml_words::problem;
use flockwork_model::vector::{Point, components_text};
use flockwork_model::world::{Boundary, FARTHEST, World};

/// It grows when a file changes in a way that older programs would misread.
const VERSION: u32 = 1;

/// Most bytes of the text: a scene with the largest number of obstacles takes a quarter of it.
pub const LONGEST_RECORD: usize = 1 << 26;

/// Most vectors of a flow field.
pub const MOST_VECTORS: usize = 1 << 24;

/// Everything to make the scene of a state file again, with its world and its scenery.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// Name of the built-in scene or path of the file, for messages.
    pub name: String,
    /// The scene as a scene file, before it is scaled to the count. Its seed is the one used.
    pub scene: String,
    /// Number of agents.
    pub count: u64,
    /// What `--density` asked for.
    pub density: Option<f32>,
    /// Sides of the scaled world. Only people read it: the program computes it from the scene.
    pub world: Point,
    /// The vectors of a flow field that was read from a file.
    pub flow: Vec<Point>,
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
    scene: String,
}

/// The one key that every version has.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl RunRecord {
    /// The record of a scene before [`Scene::populate`] scales it for `request`. `world` is the size of
    /// the scaled world.
    #[must_use]
    pub fn of(scene: &Scene, request: &Request, world: Point) -> Self {
        let seed = request.seed.unwrap_or(scene.seed);
        let flow = scene.flow.as_ref().map_or_else(Vec::new, |plan| plan.vectors.clone());
        Self {
            name: scene.name.clone(),
            scene: Scene { seed, ..scene.clone() }.to_toml(),
            count: request.count.unwrap_or(scene.own_count()),
            density: request.density,
            world,
            flow,
        }
    }

    /// Number of axes of the world.
    #[must_use]
    pub fn axes(&self) -> usize {
        World { size: self.world, boundary: Boundary::Open }.axes()
    }

    /// The record as TOML, without the flow field.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("version = {VERSION}\n");
        let mut key = |name: &str, value: &dyn std::fmt::Display| {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "{name} = {value}");
        };
        key("name", &toml_edit::Value::from(self.name.as_str()));
        key("count", &self.count);
        if let Some(density) = self.density {
            key("density", &format!("{density:?}"));
        }
        key("world", &format!("{:?}", &self.world.to_array()[..self.axes()]));
        key("scene", &toml_edit::Value::from(self.scene.as_str()));
        text
    }

    /// Reads what [`RunRecord::text`] has written. `place` names a line of the text, counted from 0, in
    /// messages.
    pub fn parse(text: &str, place: impl Fn(usize) -> String) -> anyhow::Result<Self> {
        let wrong = |error: &toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.as_bytes().get(..start).unwrap_or_default();
            let line = before.iter().filter(|byte| **byte == b'\n').count();
            anyhow::anyhow!(
                "{}: {}; write the file again, or name another scene with --scene",
                place(line),
                cut(&problem(error.message()))
            )
        };
        let Version { version } = toml::from_str(text).map_err(|error| wrong(&error))?;
        ensure!(
            version == VERSION,
            "{}: its run is written in version {version}, and this program reads version {VERSION}; \
             use the program that wrote it, or name another scene with --scene",
            place(0)
        );
        let keys: Keys = toml::from_str(text).map_err(|error| wrong(&error))?;
        let Keys { name, scene, count, density, world: sides, .. } = keys;
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
        })
    }

    /// The scene with `overrides` (KEY=VALUE), before it is scaled.
    pub fn scene(&self, overrides: &[String]) -> Result<Scene, SceneError> {
        Scene::parse(&self.name, &self.scene, overrides)
    }
}

/// What changes in a target while it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TargetRow {
    /// World units.
    pub position: Point,
    /// World units per tick.
    pub velocity: Point,
    /// Number of hits so far.
    pub hits: u32,
}

impl From<&Target> for TargetRow {
    fn from(target: &Target) -> Self {
        let Target { position, velocity, hits, .. } = *target;
        Self { position, velocity, hits }
    }
}

impl TargetRow {
    /// Refuses numbers that no target has.
    pub fn check(&self, place: &str) -> anyhow::Result<()> {
        let Self { position, velocity, .. } = self;
        for value in position.to_array().into_iter().chain(velocity.to_array()) {
            // False for NaN.
            let there = value.abs() <= FARTHEST;
            ensure!(
                there,
                "{place} has {value}; positions and velocities are numbers from {low:e} to \
                 {FARTHEST:e}",
                low = -FARTHEST
            );
        }
        Ok(())
    }
}

/// The targets that a file holds: all but the pointer, which follows the mouse.
pub fn kept(targets: &[Target]) -> impl Iterator<Item = &Target> {
    targets.iter().filter(|target| target.name != POINTER)
}

/// Gives the targets of `scene` the places, velocities and hits in `rows`. `written` is the scene that
/// the file was written with, and `plain` is `scene` before it was scaled. A target that differs between
/// the two was set on the command line: it begins where it is set.
pub fn restore_targets(
    scene: &mut Scene,
    plain: &Scene,
    written: &Scene,
    rows: &[TargetRow],
) -> anyhow::Result<()> {
    let expected = kept(&written.targets).count();
    if rows.len() != expected {
        bail!(
            "the last tick has {}, and its scene `{}` has {expected}; write the file again, or name \
             another scene with --scene",
            counted(rows.len() as u64, "target"),
            cut(&written.name)
        );
    }
    for (target, row) in kept(&written.targets).zip(rows) {
        row.check(&format!("the target {}", quoted(&target.name)))?;
        let same = plain.targets.iter().position(|own| own == target);
        if let Some(own) = same.and_then(|index| scene.targets.get_mut(index)) {
            (own.position, own.velocity, own.hits) = (row.position, row.velocity, row.hits);
        }
    }
    Ok(())
}

/// Gives the flow field of `scene` the vectors of the file. Returns true if `scene` has another field
/// than `written`: then the caller reads that field's own file.
pub fn restore_flow(scene: &mut Scene, written: &Scene, run: &RunRecord) -> anyhow::Result<bool> {
    let from_file = |plan: &&mut FlowPlan| plan.file.is_some();
    let Some(plan) = scene.flow.as_mut().filter(from_file) else { return Ok(false) };
    if Some(&*plan) != written.flow.as_ref() {
        return Ok(true);
    }
    let (grid, expected) = (plan.grid_text(), plan.file_cells());
    let found = run.flow.len();
    ensure!(
        found == expected,
        "its flow field has {}, but grid = {grid} needs {expected}; write the file again, or name \
         another field with --set flow.file=FILE",
        counted(found as u64, "vector"),
    );
    let fits = |vector: &Point| vector.to_array().iter().all(|value| value.abs() <= 1e9);
    if let Some(other) = run.flow.iter().position(|vector| !fits(vector)) {
        let vector = components_text(run.flow[other], run.axes());
        bail!(
            "vector {other} of its flow field, {vector}, is outside -1e9 to 1e9; write the file again"
        );
    }
    plan.vectors.clone_from(&run.flow);
    Ok(false)
}
