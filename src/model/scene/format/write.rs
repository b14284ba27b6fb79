//! What a scene's file says: the keys of a [`Scene`] with their values.

use super::fields::{Entry, Fields, Form, Written, number};
use super::tables::{Clicks, SpeciesTables, TopKeys, WorldKeys};
use super::values::SceneNames;
use super::{edit, species};
use crate::model::behaviours::Target;
use crate::model::scene::{POINTER, Scene, Spawn, Species};
use crate::model::scenery::Path;
use crate::model::vector::Point;

impl Scene {
    /// The scene as a scene file, without comments: [`Scene::parse`] makes the same scene of it.
    ///
    /// Keys that have their defaults are left out. Of a scene that [`Scene::populate`] has sized for
    /// a count, this is the scene as it was before; where obstacles have been moved since is not
    /// written.
    #[must_use]
    pub fn to_toml(&self) -> String {
        edit::document(&entries(self))
    }
}

/// Every key of the scene, in the order in which the built-in scenes have them.
pub fn entries(scene: &Scene) -> Vec<Entry> {
    let unscaled = Unscaled { times: scene.world.size / scene.written_size };
    let own = scene.targets.iter().filter(|target| target.name != POINTER);
    let names: Vec<&str> = scene.species.iter().map(|species| species.name.as_str()).collect();
    let names = SceneNames { species: &names, targets: &scene.targets, paths: &scene.paths };
    let table = |(index, own): (usize, &Species)| {
        let written = species::write(index, &unscaled.species(own), &names);
        Entry::wanted(&own.name, Written::Table(Form::Headed, written))
    };
    let top = TopKeys {
        about: scene.about.clone(),
        seed: scene.seed,
        time_step: scene.time_step,
        click: Clicks(scene.click, scene.follows),
        world: WorldKeys {
            size: scene.written_size,
            boundary: scene.world.boundary,
            density: scene.density,
            grows: scene.grows,
        },
        targets: own.map(|target| unscaled.target(target)).collect(),
        obstacles: scene.obstacle_plans.clone(),
        paths: scene.paths.iter().map(|path| unscaled.path(path)).collect(),
        flow: scene.flow.clone(),
        species: SpeciesTables(scene.species.iter().enumerate().map(table).collect()),
    };
    top.entries(&TopKeys::default())
}

/// Takes places back to the world as it is written.
struct Unscaled {
    /// How much larger the world is now, for each axis.
    times: Point,
}

impl Unscaled {
    fn place(&self, place: Point) -> Point {
        Point::new(divided(place.x, self.times.x), divided(place.y, self.times.y))
    }

    fn target(&self, target: &Target) -> Target {
        let mut own = target.clone();
        own.position = self.place(own.position);
        own.sends_to = own.sends_to.map(|place| self.place(place));
        own
    }

    fn path(&self, path: &Path) -> Path {
        let points = path.points.iter().map(|point| self.place(*point)).collect();
        Path { points, ..path.clone() }
    }

    fn species(&self, species: &Species) -> Species {
        let spawn = |spawn: Spawn| Spawn { at: spawn.at.map(|at| self.place(at)), ..spawn };
        Species {
            spawn: spawn(species.spawn),
            spawn_at_scale: spawn(species.spawn_at_scale),
            ..species.clone()
        }
    }
}

/// The number that times `times` is `value`: of those that rounding leaves open the one with the
/// fewest digits, which is likely to be the one that somebody wrote.
fn divided(value: f32, times: f32) -> f32 {
    if times == 1.0 {
        return value;
    }
    let quotient = value / times;
    let (mut above, mut below) = (quotient, quotient);
    let mut near = vec![quotient];
    for _ in 0..3 {
        (above, below) = (above.next_up(), below.next_down());
        near.extend([above, below]);
    }
    let shortest = near.into_iter().min_by_key(|number_near| number(*number_near).len());
    shortest.unwrap_or(quotient)
}
