//! Scenes: worlds, species, targets. Parsed from TOML, checked, scaled and populated.

mod error;
mod library;
mod parse;
mod populate;
mod reader;
mod species;
mod tree;

pub use error::{Origin, SceneError, nearest, suggest};
pub use library::{BuiltIn, built_in};
pub use populate::{PopulateError, Request};
pub use species::{Body, ColourBy, Rule, Spawn, SpawnPlace, Species};

use super::behaviours::{Kind, Target, Uses};
use super::grid::Grid;
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
    pub fn hearing_radius(&self) -> f32 {
        self.species.iter().map(Species::hearing_radius).fold(0.0, f32::max)
    }

    /// The behaviours that some species has.
    #[must_use]
    pub fn uses(&self) -> Uses {
        let kinds: Vec<Kind> =
            self.species.iter().flat_map(|s| s.rules.iter().map(|rule| rule.kind)).collect();
        Uses::of(&kinds)
    }

    /// The grid of the scene for `count` agents.
    #[must_use]
    pub fn grid(&self, count: usize) -> Grid {
        Grid::new(&self.world, self.hearing_radius(), count)
    }

    /// Mean neighbours within the largest radius, if `count` agents stood evenly in the world.
    #[must_use]
    pub fn uniform_neighbours(&self, count: usize) -> f64 {
        let area = f64::from(self.world.size.x) * f64::from(self.world.size.y);
        let radius = f64::from(self.hearing_radius());
        count as f64 * std::f64::consts::PI * radius * radius / area
    }
}
