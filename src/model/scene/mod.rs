//! Scenes: worlds, species, targets. Parsed from TOML, checked, scaled and populated.

mod camera;
#[cfg(test)]
mod count_tests;
mod error;
mod fixed;
mod format;
mod idle;
mod kept;
mod library;
mod members;
mod populate;
mod rules;
mod slot;
mod species;
mod start;
mod steps;
mod style;
mod surroundings;
mod texts;
mod variation;

pub use crate::behaviours::Body;
pub use camera::View;
pub use error::{Origin, PopulateError, SceneError};
pub use format::{
    CameraKey, CameraPlan, Follow, NO_TARGETS, ObstaclePlan, OrWord, Style, check_paths, edit_toml,
    key_and_value, key_parts, keys, overrides, pieces,
};
pub use library::{BuiltIn, built_in};
pub use populate::Request;
pub use slot::{Law, Slot, Variation, drawn};
pub use species::{
    BoidShape, ColourBy, NO_TURN, OriginalIndex, Rule, Spawn, SpawnPlace, Species, Start,
};
pub use start::StartLayout;
pub use style::{
    Background, BackgroundName, Ground, Light, MAX_BACKGROUND_COLOURS, MAX_PALETTE_COLOURS,
    Palette, PaletteName, Rgb,
};
pub use texts::{Other, SingleRules};

use super::behaviours::Target;
use super::formula::Formula;
use super::grid::{CrowdSampling, Grid};
use super::named::named;
use super::scenery::{FlowPlan, Obstacle, Path};
use super::vector::Point;
use super::world::{World, with_axes};

/// The most agents in a scene: ids and the numbers of rows have 32 bits. A GPU takes fewer.
pub const MAX_AGENTS: u64 = u32::MAX as u64;

/// Shortest and longest side of a world; world units. In a smaller world positions lose precision;
/// in a larger one `f32` cannot distinguish nearby positions.
pub const SIDES: (f32, f32) = (1.0, 1e7);

/// The shortest and the longest time step; ticks.
pub const TIME_STEPS: (f32, f32) = (1e-3, 10.0);

/// The most targets of a scene, the pointer included: the size of the shader's uniform.
pub const MAX_TARGETS: usize = 64;

/// The pointer's name among the targets. It is always the first target.
pub const POINTER: &str = "pointer";

/// A flock without its state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scene {
    /// Name of the built-in scene or path of the file.
    pub name: String,
    /// One sentence for `flockwork scenes`.
    pub about: String,
    /// Size and boundary. The size is the written one until [`Scene::populate`] scales it.
    pub world: World,
    /// Mean number of neighbours within `density_radius` in a uniform flock, if the world grows with
    /// the count; `None` if the scene fixes the world's size.
    pub density: Option<f32>,
    /// The radius within which `density` counts neighbours: the written one, or the largest one that the
    /// scene had when it was read; 0 without either and without a density; world units.
    pub density_radius: f32,
    /// Whether agents in a crowd look at every neighbour.
    pub sampling: CrowdSampling,
    /// The motion of one tick, in ticks; 1 in every source.
    pub time_step: f32,
    /// Seed of the random numbers.
    pub seed: u32,
    /// The looks of its pictures.
    pub style: Style,
    /// Which part of the world pictures show.
    pub camera: CameraPlan,
    /// The species of the agents.
    pub species: Vec<Species>,
    /// The pointer, then the targets of the file.
    pub targets: Vec<Target>,
    /// Circles to steer around, as the file describes them.
    pub obstacle_plans: Vec<ObstaclePlan>,
    /// Circles to steer around, placed in the world by [`Scene::populate`].
    pub obstacles: Vec<Obstacle>,
    /// Lines to follow.
    pub paths: Vec<Path>,
    /// The flow field, if any.
    pub flow: Option<FlowPlan>,
    /// The effect of a click in the window.
    pub click: Click,
    /// True if a target follows the mouse without a button.
    pub follows: bool,
    /// The world's size in the file.
    pub written_size: Point,
    /// True if the world's area or volume grows with the count and there is no density.
    pub grows: bool,
    /// The origin of each key, for errors that appear only once the world has its size.
    pub origins: Vec<(String, Origin)>,
}

named! {
    /// The effect of a click in the window.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Click {
        /// The target `pointer` is active while the button is down.
        Call = "call",
        /// Makes a new random path.
        Path = "path",
        /// Exchanges seek and flee in all species.
        Flee = "flee",
        /// The nearest target follows the pointer.
        Target = "target",
        /// The nearest obstacle follows the pointer.
        Obstacle = "obstacle",
        /// Adds an agent under the pointer, with its species' first velocity; a drag adds more.
        Add = "add",
        /// No effect: the first target at rest follows the mouse without a click.
        Follow = "follow",
    }
}

impl Scene {
    /// A scene without species, and with nothing in its world but the pointer. [`Scene::set`] adds the
    /// rest, or its fields are set; [`Scene::check`] then tells whether it can be used.
    ///
    /// ```
    /// use flockwork_model::scene::{Request, Scene, SceneError, Species};
    /// use flockwork_model::vector::flat;
    /// use flockwork_model::world::{Boundary, World};
    ///
    /// let world = World { size: flat(600.0, 400.0), boundary: Boundary::Wrap };
    /// let mut scene = Scene::new("small", world);
    /// scene.species.push(Species::new("bird"));
    /// scene.set("bird.alignment={ radius = 50 }")?;
    /// assert_eq!(scene.populate(&Request::default()).map(|(_, state)| state.len()), Ok(100));
    /// # Ok::<(), SceneError>(())
    /// ```
    #[must_use]
    pub fn new(name: &str, world: World) -> Self {
        let pointer = Target { active: false, ..Target::fixed(POINTER, Point::ZERO) };
        Self {
            name: name.into(),
            about: String::new(),
            world,
            density: None,
            density_radius: 0.0,
            sampling: CrowdSampling::Auto,
            time_step: 1.0,
            seed: 1,
            style: Style::default(),
            camera: CameraPlan::default(),
            species: Vec::new(),
            targets: vec![pointer],
            obstacle_plans: Vec::new(),
            obstacles: Vec::new(),
            paths: Vec::new(),
            flow: None,
            click: Click::Call,
            follows: false,
            written_size: world.size,
            grows: false,
            origins: Vec::new(),
        }
    }

    /// A copy with other targets.
    #[must_use]
    pub fn with_targets(&self, targets: Vec<Target>) -> Self {
        Self { targets, ..self.clone() }
    }

    /// Number of agents as written in the file.
    #[must_use]
    pub fn own_count(&self) -> u64 {
        self.species.iter().map(|s| s.count).sum()
    }

    /// True if an override gives the value of a key, which is written with all tables that it is in.
    #[must_use]
    pub fn is_overridden(&self, key: &str) -> bool {
        matches!(self.origin(key), Some(Origin::Set(_)))
    }

    /// The place where a key was written.
    fn origin(&self, key: &str) -> Option<&Origin> {
        self.origins.iter().find(|(known, _)| known == key).map(|(_, origin)| origin)
    }

    /// Its rules in text, each with the name of its species.
    fn rules_in_text(&self) -> impl Iterator<Item = (&str, &'static Formula)> {
        self.species.iter().flat_map(|species| {
            let formulas = species.rules.iter().filter_map(|rule| rule.kind.formula());
            formulas.map(|formula| (species.name.as_str(), formula))
        })
    }

    /// The density that an override asks for. It sizes the world at any count, as the density of a
    /// [`Request`] does.
    #[must_use]
    pub fn asked_density(&self) -> Option<f32> {
        self.density.filter(|_| self.is_overridden("world.density"))
    }

    /// The radius within which a density that is asked for counts neighbours; world units.
    #[must_use]
    pub fn asked_radius(&self) -> f32 {
        let is_written = self.origin("world.within").is_some();
        if is_written { self.density_radius } else { self.perception_radius() }
    }

    /// The number of agents, if an override asks for the count of a species.
    #[must_use]
    pub fn asked_count(&self) -> Option<u64> {
        self.species.iter().any(|species| self.asks_count(species)).then(|| self.own_count())
    }

    /// True if an override asks for the count of a species.
    fn asks_count(&self, species: &Species) -> bool {
        self.is_overridden(&format!("species.{}.count", species.name))
    }

    /// The largest radius within which any species perceives neighbours; world units.
    #[must_use]
    pub fn perception_radius(&self) -> f32 {
        self.species.iter().map(Species::perception_radius).fold(0.0, f32::max)
    }

    /// The smallest length of a species' drawn agents; points. `None` for the shape's.
    #[must_use]
    pub fn smallest_of(&self, species: &Species) -> Option<f32> {
        species.smallest.or(self.style.smallest)
    }

    /// The target that follows the mouse, if any: the first target of the file that is at rest.
    #[must_use]
    pub fn led_target(&self) -> Option<usize> {
        let led = |target: &Target| target.name != POINTER && target.velocity == Point::ZERO;
        self.targets.iter().position(led).filter(|_| self.follows)
    }

    /// The grid of the scene for `count` agents, with as many axes as the scene's world.
    #[must_use]
    #[doc(hidden)]
    pub fn grid<const D: usize>(&self, count: usize) -> Grid<D> {
        Grid::new(&self.world, self.perception_radius(), count)
    }

    /// The number of cells of that grid.
    #[must_use]
    #[doc(hidden)]
    pub fn cells(&self, count: usize) -> usize {
        with_axes!(self.world, AXES => self.grid::<AXES>(count).cells())
    }

    /// Mean number of neighbours within the largest radius, if `count` agents are spread evenly
    /// over the world.
    #[must_use]
    pub fn uniform_neighbours(&self, count: usize) -> f64 {
        self.uniform_neighbours_within(self.perception_radius(), count, self.world.volume())
    }

    /// The same within another radius, in a world of this area or volume.
    fn uniform_neighbours_within(&self, radius: f32, count: usize, volume: f64) -> f64 {
        let radius = f64::from(radius);
        let around = std::f64::consts::PI * radius * radius;
        let ball = if self.world.is_flat() { around } else { around * radius * 4.0 / 3.0 };
        count as f64 * ball / volume
    }
}
