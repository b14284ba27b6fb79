//! The geometry of steering: the things that an agent reacts to, computed by the same formulas that
//! move it.
//!
//! *The Nature of Code* draws it next to its vehicles: the wanderer's circle (exercise 5.4), the
//! margin of the walls (example 5.3), the predicted point and its normal on a path (2012, example
//! 6.9).

mod avoidance;
mod builder;
mod drawing;
mod forces;
#[cfg(test)]
mod tests;

use builder::ShapeBuilder;
use drawing::GeometryDrawing;
pub use forces::Steering;

use crate::shapes::StyledShape;
use flockwork_model::behaviours::{Contain, Kind, Surroundings, Target};
use flockwork_model::parameter::{NO_TARGET, Parameters};
use flockwork_model::scene::{Scene, Species};
use flockwork_model::scenery::Scenery;
use flockwork_model::state::FlockState;

/// The most agents whose geometry is drawn at a time: more make a tangle.
pub const MAX_DRAWN: usize = 64;

/// The behaviours of a species whose weight is not 0, in the order of the file, each with the
/// colour of its geometry.
#[must_use]
pub fn legend(species: &Species) -> Vec<(Kind, [u8; 3])> {
    let weighs = |kind: &Kind| value(species, *kind, "weight") != 0.0;
    let kinds = species.rules.iter().map(|rule| rule.kind).filter(weighs);
    kinds.map(|kind| (kind, colour(kind))).collect()
}

/// The colour of a behaviour's circles and lines, and of its line in the window's legend. Most
/// colours are Okabe and Ito's, which colour-blind people can distinguish. Seek and arrive pursue
/// the same goal and share a colour; so do flee and evade.
#[must_use]
pub fn colour(kind: Kind) -> [u8; 3] {
    match kind.info().key {
        "separation" => [0xD5, 0x5E, 0x00],
        "alignment" => [0x56, 0xB4, 0xE9],
        "cohesion" => [0x00, 0x9E, 0x73],
        "seek" | "arrive" => [0xF0, 0xE4, 0x42],
        "flee" | "evade" => [0xCC, 0x79, 0xA7],
        "pursue" => [0xE6, 0x9F, 0x00],
        "wander" => [0x9A, 0xA0, 0xA6],
        "contain" => [0xFF, 0xFF, 0xFF],
        "follow_path" => [0x00, 0x72, 0xB2],
        "avoid" => [0xB3, 0x9D, 0xDB],
        "view" => [0x8F, 0xD1, 0x4F],
        "follow_flow" => [0x50, 0xE0, 0xD0],
        "swim" => [0xFF, 0x9E, 0x9E],
        // A behaviour that is not in this list yet.
        _ => [0xC8, 0xB8, 0x9A],
    }
}

/// The value of a parameter by its key; 0 if the behaviour has no such parameter.
fn value(species: &Species, kind: Kind, key: &str) -> f32 {
    kind.parameter(key).map_or(0.0, |index| species.value(kind, index))
}

/// The radius (world units) and field of view (degrees) of a behaviour, if it perceives agents.
fn perception(species: &Species, kind: Kind) -> Option<(f32, f32)> {
    let by_target = kind.parameter("target").is_some_and(|i| species.value(kind, i) != NO_TARGET);
    let looks = kind.info().sees_neighbours && !by_target;
    looks.then(|| (value(species, kind, "radius"), value(species, kind, "fov")))
}

/// The parameters of a behaviour in the engines' encoding.
fn rule<P: Parameters<f32>>(species: &Species, kind: Kind) -> P {
    P::read(|index| species.encoded(kind, index))
}

/// The geometry of the agents in these rows of `state`; rows that are not there have none. Shapes that a whole
/// species shares are drawn once.
///
/// `scene` is the scene at the state's tick ([`Scene::at`]), `scenery` its scenery, and `targets`
/// its targets at their current positions. In a wrapped world a line across the seam leaves the
/// world, because that is the agent's shortest way.
#[must_use]
pub fn shapes_of_all(
    scene: &Scene,
    scenery: &Scenery,
    targets: &[Target],
    state: &FlockState,
    agents: &[usize],
) -> Vec<StyledShape> {
    let surroundings = Surroundings { world: &scene.world, targets, scenery };
    let mut shapes = Vec::new();
    let rows = || agents.iter().copied().filter(|row| *row < state.len());
    for (index, species) in scene.species.iter().enumerate() {
        let legend = legend(species);
        let mut own = rows().filter(|row| usize::from(state.species[*row]) == index).peekable();
        if own.peek().is_some() {
            shapes.extend(shared(scene, species, &legend));
        }
        for row in own {
            // Each agent with the parameters that it draws.
            let own = species.of_agent(scene.seed, state.id[row]);
            shapes.extend(GeometryDrawing::new(&own, surroundings, state, row).all(&legend));
        }
    }
    shapes
}

/// The shapes that all agents of a species share: the walls' margin.
fn shared(scene: &Scene, species: &Species, legend: &[(Kind, [u8; 3])]) -> Vec<StyledShape> {
    let mut shapes = ShapeBuilder::new(species.body.size);
    for (_, colour) in legend.iter().filter(|(kind, _)| *kind == Kind::Contain) {
        let Contain { margin, .. } = rule::<Contain>(species, Kind::Contain);
        let margin = scene.world.on_axes(margin).min(scene.world.size * 0.5);
        shapes.colour = *colour;
        shapes.rectangle(margin, scene.world.size - margin);
    }
    shapes.into_shapes()
}
