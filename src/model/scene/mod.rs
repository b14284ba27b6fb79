//! Scenes: worlds, species, targets. Parsed from TOML, checked, scaled and populated.

mod error;
pub mod keys;
mod library;
mod parse;
mod populate;
mod reader;
mod scenery;
mod species;
mod start;
mod surroundings;
mod tree;
mod variation;

pub use error::{Origin, PopulateError, SceneError, hint, nearest, suggest};
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

/// Most agents: an agent's id and species share 32 bits.
pub const MAX_AGENTS: u64 = 1 << 27;

/// Sides of a world in world units: below, positions lose meaning; above, `f32` can no longer tell
/// agents apart.
pub const SIDES: (f32, f32) = (1.0, 1e7);

/// Most targets of a scene, the pointer included: what the shader's uniform holds.
pub const MAX_TARGETS: usize = 64;

/// The pointer's name among the targets; it is always the first.
pub const POINTER: &str = "pointer";

/// Everything that stays the same while a flock moves.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the built-in scene or path of the file.
    pub name: String,
    /// One sentence.
    pub about: String,
    /// Size and boundary. The size is that of the file until [`Scene::populate`] scales it.
    pub world: World,
    /// Mean neighbours within the largest radius of a uniform flock, when the world grows with the
    /// count; none when the scene fixes its world.
    pub density: Option<f32>,
    /// Ticks that one step advances the motion by; 1 in every source.
    pub time_step: f32,
    /// Seed of the random numbers.
    pub seed: u32,
    /// Kinds of agents.
    pub species: Vec<Species>,
    /// The pointer, then the targets of the file.
    pub targets: Vec<Target>,
    /// Circles to steer round, as the file describes them.
    pub obstacle_plans: Vec<ObstaclePlan>,
    /// Circles to steer round, as they stand; made by [`Scene::populate`].
    pub obstacles: Vec<Obstacle>,
    /// Lines to follow.
    pub paths: Vec<Path>,
    /// The flow field, if there is one.
    pub flow: Option<FlowPlan>,
    /// What a click in the window does.
    pub click: Click,
    /// True when a target goes along with the mouse, without a button.
    pub follows: bool,
    /// The world's size in the file.
    pub written_size: Point,
    /// True when the world's area grows with the count though no density says so.
    pub grows: bool,
    /// Where each key was written, for what only a world of the right size can tell.
    pub origins: Vec<(String, Origin)>,
}

/// Obstacles of a scene file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObstaclePlan {
    /// Of the centre; none: anywhere, at random. World units.
    pub position: Option<Point>,
    /// World units.
    pub radius: f32,
    /// How many, where the place is random, in the world as it is written.
    pub count: u32,
}

/// What a click in the window does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// The flock is called: the target `pointer` is there while the button is down.
    Call,
    /// A new path at random.
    Path,
    /// Those that seek flee, and those that flee seek.
    Flee,
    /// The nearest target moves along with the pointer.
    Target,
    /// The nearest obstacle moves along with the pointer.
    Obstacle,
    /// A new agent, as the scene's own are born; a drag leaves more of them.
    Add,
    /// Nothing: the first target at rest goes along with the mouse anyway.
    Follow,
}

impl Click {
    /// All of them, with their names in scene files.
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
    /// Parses a scene from TOML. `name` is used in messages; `overrides` are `KEY=VALUE` texts, as
    /// `--set` takes them.
    pub fn parse(name: &str, text: &str, overrides: &[String]) -> Result<Self, SceneError> {
        let mut root = tree::parse(name, text)?;
        for assignment in overrides {
            tree::set(&mut root, assignment)?;
        }
        parse::scene(name, &root)
    }

    /// Number of agents in the scene as it is written.
    #[must_use]
    pub fn own_count(&self) -> u64 {
        self.species.iter().map(|s| s.count).sum()
    }

    /// The largest radius within which any species listens to anybody.
    #[must_use]
    pub fn perception_radius(&self) -> f32 {
        self.species.iter().map(Species::perception_radius).fold(0.0, f32::max)
    }

    /// The target that goes along with the mouse where one does: the first of the file that does not
    /// move by itself.
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

    /// Mean neighbours within the largest radius, if `count` agents stood evenly in the world.
    #[must_use]
    pub fn uniform_neighbours(&self, count: usize) -> f64 {
        let area = f64::from(self.world.size.x) * f64::from(self.world.size.y);
        let radius = f64::from(self.perception_radius());
        count as f64 * std::f64::consts::PI * radius * radius / area
    }
}
