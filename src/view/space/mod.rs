//! Parts that only pictures of a space have: light and fog, bodies of agents, and things in perspective. The
//! two renderers take all of it from here.

pub(crate) mod body;
pub mod lighting;
mod lines;
pub(crate) mod shade;
pub(crate) mod shadows;
pub mod sky;
pub mod solids;
mod stage;
mod surfaces;

pub use stage::Sight;

use crate::camera::{Camera, Eye, corners};
use crate::style::Measure;
use flockwork_model::scene::{BoidShape, Scene, Species};
use flockwork_model::vector::Point;
use flockwork_model::world::Boundary;

/// Room around the box for what an agent extends beyond it, in sizes of the agent.
const BEYOND: f32 = 4.0;

/// How a triangle treats the depths of what it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Not at all: it is drawn in order.
    Ignore,
    /// It hides what is behind it: its colour replaces that, also where fog lets a part of it be seen alone.
    Write,
    /// It hides what is behind it, and is not seen itself.
    Only,
    /// It is hidden by what is before it.
    Test,
}

/// The passes that draw the agents of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentPasses {
    /// Some may be so small that they are summed in cells.
    pub splats: bool,
    /// Some may show their shape.
    pub bodies: bool,
}

/// True if small agents of this scene are summed in cells instead of drawn one by one: darts of the usual
/// least size. Sums know no depth, so before obstacles all agents have bodies.
#[must_use]
pub fn sums_small_agents(scene: &Scene) -> bool {
    let usual = scene.species.iter().all(|species| {
        species.look.in_plane() == BoidShape::Triangle && scene.smallest_of(species).is_none()
    });
    usual && scene.obstacles.is_empty()
}

/// The passes that a picture needs, by the depths of the world's near and far ends.
#[must_use]
pub fn agent_passes(scene: &Scene, Sight { camera, eye, scale, .. }: Sight<'_>) -> AgentPasses {
    if !sums_small_agents(scene) {
        return AgentPasses { splats: false, bodies: true };
    }
    if scene.world.boundary == Boundary::Open {
        return AgentPasses { splats: true, bodies: true };
    }
    let (near, far) = depths(scene.world.size, camera, eye);
    let shows = |species: &Species, size: f32, depth: f32| {
        let pixels_per_unit = camera.pixels_per_unit * eye.distance / depth.max(eye.near);
        Measure::of(scene, species, pixels_per_unit, scale).shows(size)
    };
    let each = |shown: &dyn Fn(&Species, f32, f32) -> bool| {
        scene.species.iter().any(|species| shown(species, species.sizes().0, species.sizes().1))
    };
    AgentPasses {
        splats: each(&|species, least, _| !shows(species, least, far)),
        bodies: each(&|species, _, most| shows(species, most, near - BEYOND * most)),
    }
}

/// The depths of the nearest and the farthest corner of the world, or of the period around the focus.
fn depths(world: Point, camera: &Camera, eye: &Eye) -> (f32, f32) {
    let middle =
        if camera.period == Point::ZERO { world * 0.5 - camera.centre } else { Point::ZERO };
    let depths = corners(world).map(|corner| eye.depth(corner - world * 0.5 + middle));
    let near = depths.iter().copied().fold(f32::MAX, f32::min);
    (near.max(0.0), depths.into_iter().fold(eye.near, f32::max))
}
