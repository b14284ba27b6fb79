//! Scenes: worlds, species, targets. Parsed from TOML, checked, scaled and populated.

mod error;
mod format;
mod library;
mod populate;
mod species;
mod start;
mod surroundings;
mod variation;

pub use error::{Origin, PopulateError, SceneError, hint, nearest, suggest};
pub use format::{edit_toml, keys};
pub use library::{BuiltIn, built_in};
pub use populate::Request;
pub use species::{Body, BoidShape, ColourBy, Rule, Spawn, SpawnPlace, Species, Start};
pub use start::StartLayout;
pub use variation::{Law, Slot, Traits, Variation, drawn};

use super::behaviours::Target;
use super::grid::Grid;
use super::scenery::{FlowPlan, Obstacle, Path};
use super::vector::Point;
use super::world::World;

/// Most agents in a scene: an agent's id and species share 32 bits.
pub const MAX_AGENTS: u64 = 1 << 27;

/// Shortest and longest side of a world; world units. In a smaller world positions lose meaning; in
/// a larger one `f32` cannot distinguish nearby positions.
pub const SIDES: (f32, f32) = (1.0, 1e7);

/// Most targets of a scene, the pointer included: the size of the shader's uniform.
pub const MAX_TARGETS: usize = 64;

/// The pointer's name among the targets; it is always the first.
pub const POINTER: &str = "pointer";

/// Everything about a flock except its state.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the built-in scene or path of the file.
    pub name: String,
    /// One sentence.
    pub about: String,
    /// Size and boundary. The size is the one in the file until [`Scene::populate`] scales it.
    pub world: World,
    /// Mean number of neighbours within the largest radius in a uniform flock, if the world grows
    /// with the count; none if the scene fixes the world's size.
    pub density: Option<f32>,
    /// How far one tick advances the motion; 1 in every source.
    pub time_step: f32,
    /// Seed of the random numbers.
    pub seed: u32,
    /// Kinds of agents.
    pub species: Vec<Species>,
    /// The pointer, then the targets of the file.
    pub targets: Vec<Target>,
    /// Circles to steer round, as the file describes them.
    pub obstacle_plans: Vec<ObstaclePlan>,
    /// Circles to steer round, placed in the world; made by [`Scene::populate`].
    pub obstacles: Vec<Obstacle>,
    /// Lines to follow.
    pub paths: Vec<Path>,
    /// The flow field, if any.
    pub flow: Option<FlowPlan>,
    /// What a click in the window does.
    pub click: Click,
    /// True if a target follows the mouse without a button.
    pub follows: bool,
    /// The world's size in the file.
    pub written_size: Point,
    /// True if the world's area grows with the count without a density.
    pub grows: bool,
    /// Where each key was written, for errors that show only once the world has its size.
    pub origins: Vec<(String, Origin)>,
}

/// Obstacles of a scene file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObstaclePlan {
    /// The centre; none: a random place. World units.
    pub position: Option<Point>,
    /// World units.
    pub radius: f32,
    /// Number of obstacles at random places, in a world of the written size.
    pub count: u32,
}

/// What a click in the window does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// The target `pointer` is active while the button is down.
    Call,
    /// Makes a new random path.
    Path,
    /// Species that seek flee, and species that flee seek.
    Flee,
    /// The nearest target follows the pointer.
    Target,
    /// The nearest obstacle follows the pointer.
    Obstacle,
    /// Adds an agent under the pointer, with its species' first velocity; a drag adds more.
    Add,
    /// Nothing: the first target at rest follows the mouse without a click.
    Follow,
}

impl Click {
    /// Every variant, with its name in scene files.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("call", Self::Call),
        ("path", Self::Path),
        ("flee", Self::Flee),
        ("target", Self::Target),
        ("obstacle", Self::Obstacle),
        ("add", Self::Add),
        ("follow", Self::Follow),
    ];
}

impl Scene {
    /// Number of agents as written in the file.
    #[must_use]
    pub fn own_count(&self) -> u64 {
        self.species.iter().map(|s| s.count).sum()
    }

    /// The largest radius within which any species perceives neighbours; world units.
    #[must_use]
    pub fn perception_radius(&self) -> f32 {
        self.species.iter().map(Species::perception_radius).fold(0.0, f32::max)
    }

    /// The target that follows the mouse, if any: the first one of the file that does not move by
    /// itself.
    #[must_use]
    pub fn led_target(&self) -> Option<usize> {
        let led = |target: &Target| target.name != POINTER && target.velocity == Point::ZERO;
        self.targets.iter().position(led).filter(|_| self.follows)
    }

    /// The grid of the scene for `count` agents.
    #[must_use]
    pub fn grid(&self, count: usize) -> Grid {
        Grid::new(&self.world, self.perception_radius(), count)
    }

    /// Mean number of neighbours within the largest radius for `count` agents spread evenly over
    /// the world.
    #[must_use]
    pub fn uniform_neighbours(&self, count: usize) -> f64 {
        let area = f64::from(self.world.size.x) * f64::from(self.world.size.y);
        let radius = f64::from(self.perception_radius());
        count as f64 * std::f64::consts::PI * radius * radius / area
    }
}
