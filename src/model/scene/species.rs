//! A species: body, looks, start and behaviours of its agents.

use std::f64::consts::TAU;

use super::slot::{Law, Slot, Variation, drawn};
use super::style::{Palette, Rgb};
use crate::behaviours::{Body, Kind, Needs};
use crate::formula::MAX_FORMULAS;
use crate::named::named;
use crate::parameter::{NO_TARGET, Parameters};
use crate::random::{Purpose, unit};
use crate::space::on_sphere;
use crate::vector::{Point, direction_at, point};
use crate::world::World;

/// The quantity that an agent's colour shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourBy {
    /// Its heading, as a hue.
    Heading,
    /// Its speed, from 0 to max_speed.
    Speed,
    /// Its species.
    Species,
    /// Number of agents within the species' largest radius.
    Neighbours,
    /// How far the last tick changed its velocity, from 0 to what max_force does to its mass.
    Acceleration,
    /// Ticks since it was born or sent elsewhere by a target, from 0 to the `age` of the style.
    Age,
    /// The structure round it: its heading as a hue, the fuller the more nearly its neighbours head one way,
    /// and the lighter the more they are.
    Structure,
    /// The connected group that it is in: see the metric `clusters`.
    Cluster,
    /// In space: how far it is from the eye, from the near to the far end of the world.
    Depth,
    /// The number that it keeps under this name: 0 at the beginning of the palette, 1 at its end, and beyond
    /// it begins again.
    State(&'static str),
    /// None: all agents have this colour.
    Fixed(Rgb),
}

impl ColourBy {
    /// Every quantity, with its name in scene files.
    pub const NAMES: [(&'static str, Self); 9] = [
        ("heading", Self::Heading),
        ("speed", Self::Speed),
        ("species", Self::Species),
        ("neighbours", Self::Neighbours),
        ("acceleration", Self::Acceleration),
        ("age", Self::Age),
        ("structure", Self::Structure),
        ("cluster", Self::Cluster),
        ("depth", Self::Depth),
    ];
}

named! {
    /// The shape of a drawn agent.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u32)]
    pub enum BoidShape {
        /// A dart that points along the heading.
        Triangle = "triangle",
        /// A filled circle.
        Disc = "disc",
        /// A soft spot of light, added to the colours behind it.
        Glow = "glow",
        /// In space a body whose wings beat; in a plane a triangle.
        Bird = "bird",
        /// In space a body that bends as it swims; in a plane a triangle.
        Fish = "fish",
    }
}

impl BoidShape {
    /// The shape that a plane shows.
    #[must_use]
    pub fn in_plane(self) -> Self {
        match self {
            Self::Bird | Self::Fish => Self::Triangle,
            shape => shape,
        }
    }
}

named! {
    /// Where the agents of a species start.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum SpawnPlace {
        /// Anywhere in the world, evenly.
        Uniform = "uniform",
        /// All at one point.
        Point = "point",
        /// Evenly in a disc; in space a horizontal one.
        Disc = "disc",
        /// Evenly in a ball; in a plane a disc.
        Ball = "ball",
        /// Evenly on the surface of a ball; in a plane on a circle.
        Shell = "shell",
        /// Evenly in a cube; in a plane a square.
        Box = "box",
        /// Anywhere on a line through the point, across the world along the x axis.
        Row = "row",
    }
}

/// Speed and direction of an agent at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// A speed, or the agent's own max_speed; a heading, or a random direction.
    Heading {
        /// World units per tick; `None` for the agent's own max_speed.
        speed: Option<f32>,
        /// Degrees from the x axis towards the y axis; `None` for a random direction.
        heading: Option<f32>,
    },
    /// Each component is drawn evenly between two numbers; world units per tick.
    Components {
        /// The smaller numbers.
        from: Point,
        /// The larger numbers.
        to: Point,
    },
}

/// How the agents of a species start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spawn {
    /// The place.
    pub place: SpawnPlace,
    /// Centre of the place; `None` for the middle of the world.
    pub at: Option<Point>,
    /// Radius of the disc, ball or shell, and half the side of the box; world units.
    pub radius: f32,
    /// The first velocity.
    pub start: Start,
}

impl Default for Spawn {
    fn default() -> Self {
        let start = Start::Heading { speed: Some(1.0), heading: None };
        Self { place: SpawnPlace::Uniform, at: None, radius: 100.0, start }
    }
}

impl Start {
    /// The largest first speed, if a species says one; world units per tick.
    #[must_use]
    pub fn largest_speed(&self) -> f32 {
        match *self {
            Self::Heading { speed, .. } => speed.unwrap_or(0.0),
            Self::Components { from, to } => from.abs().max(to.abs()).length(),
        }
    }

    /// The key of the speed.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::Heading { .. } => "speed",
            Self::Components { .. } => "velocity",
        }
    }

    /// The first velocity of agent `id`, whose own largest speed is `max_speed`; world units per
    /// tick.
    #[must_use]
    pub fn velocity(&self, world: &World, seed: u32, id: u32, max_speed: f32) -> Point {
        let draw = |purpose| unit(seed, id, 0, purpose);
        match *self {
            Self::Heading { speed, heading } => {
                let direction = match heading {
                    Some(degrees) => direction_at(f64::from(degrees).to_radians()),
                    None if world.is_flat() => {
                        direction_at(f64::from(draw(Purpose::SpawnHeading)) * TAU)
                    }
                    None => {
                        point(on_sphere([Purpose::SpawnHeading, Purpose::SpawnClimb].map(draw)).0)
                    }
                };
                direction * speed.unwrap_or(max_speed)
            }
            Self::Components { from, to } => {
                let uses =
                    [Purpose::SpawnVelocityX, Purpose::SpawnVelocityY, Purpose::SpawnVelocityZ];
                let drawn = Point::from_array(uses.map(draw));
                from + (to - from) * drawn
            }
        }
    }
}

/// One behaviour of a species and the values of its parameters, in the order of its table.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rule {
    /// The behaviour.
    pub kind: Kind,
    /// Value of each parameter of `kind.info().parameters`; always as many.
    pub values: Vec<f32>,
}

/// A kind of agent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Species {
    /// Name in the scene file.
    pub name: String,
    /// Number of agents as written in the file.
    pub count: u64,
    /// The vehicle.
    pub body: Body,
    /// The shape of its drawn agents.
    pub look: BoidShape,
    /// The quantity that the colour shows.
    pub colour: ColourBy,
    /// The colours of that quantity.
    pub palette: Palette,
    /// The smallest length of a drawn agent; points. `None` for the length in the scene's style.
    pub smallest: Option<f32>,
    /// How its agents start.
    pub spawn: Spawn,
    /// How they start if `--count` asks for more agents than the scene has.
    pub spawn_at_scale: Spawn,
    /// The behaviours of its agents, in the order of the file.
    pub rules: Vec<Rule>,
    /// Values that depend on time, on the size or on the agent: the body's, then the values of
    /// the rules, each in the order of its table.
    pub variations: Vec<Variation>,
    /// Where it was in the list before all edits.
    pub original: OriginalIndex,
    /// True if `count` belongs to an edited flock, which was scaled already. A file has no such counts.
    pub counted: bool,
}

/// The number that a species had before all edits; `None` if it was added since, or if the scene is
/// not edited. Any two compare as equal: it says where a species comes from, not what it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct OriginalIndex(pub Option<usize>);

impl PartialEq for OriginalIndex {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The turn of a behaviour that a species lacks: it is never reached.
pub const NO_TURN: f32 = (Kind::ALL.len() + MAX_FORMULAS) as f32;

impl Species {
    /// A species of 100 agents that start anywhere, with the body of a file without its keys and no
    /// behaviour.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            count: 100,
            body: Body::default(),
            look: BoidShape::Triangle,
            colour: ColourBy::Heading,
            palette: Palette::Auto,
            smallest: None,
            spawn: Spawn::default(),
            spawn_at_scale: Spawn::default(),
            rules: Vec::new(),
            variations: Vec::new(),
            original: OriginalIndex::default(),
            counted: false,
        }
    }

    /// The rule for `kind`, if the species has it.
    #[must_use]
    pub fn rule(&self, kind: Kind) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.kind == kind)
    }

    /// The value of a behaviour's parameter. If the species lacks the behaviour, weight, radius and
    /// `with` are 0 and the other parameters have their defaults: engines compute the force also in
    /// the lanes of other species, and it must be finite.
    #[must_use]
    pub fn value(&self, kind: Kind, index: usize) -> f32 {
        if let Some(rule) = self.rule(kind) {
            return rule.values.get(index).copied().unwrap_or(0.0);
        }
        let silent = |key: &str| matches!(key, "weight" | "radius" | "with");
        let parameter = kind.info().parameters.get(index);
        parameter.filter(|p| !silent(p.key)).map_or(0.0, |p| p.default)
    }

    /// The value of the parameter with this key; see [`Species::value`]. 0 if there is none.
    #[must_use]
    pub fn value_of(&self, kind: Kind, key: &str) -> f32 {
        kind.parameter(key).map_or(0.0, |index| self.value(kind, index))
    }

    /// The law that a value follows, if any.
    #[must_use]
    pub fn law(&self, slot: Slot) -> Option<Law> {
        let own = self.variations.iter().find(|variation| variation.slot == slot);
        own.map(|variation| variation.law)
    }

    /// The smallest and largest value of a slot at any time, given its base.
    fn span(&self, slot: Slot, base: f32) -> (f32, f32) {
        let (low, high) = slot.parameter().range;
        match self.law(slot) {
            None => (base, base),
            Some(Law::Noise { amplitude, .. }) => {
                ((base - amplitude).max(low), (base + amplitude).min(high))
            }
            Some(Law::GrowsWithSize { .. } | Law::ShrinksWithSize { .. }) => (low, base),
            Some(Law::PerAgent { from }) => (from, base),
        }
    }

    /// The smallest and largest value of a behaviour's parameter at any time; zeros if the species
    /// lacks the behaviour.
    #[must_use]
    pub fn range(&self, kind: Kind, key: &str) -> (f32, f32) {
        let slot = kind.parameter(key);
        let value = slot.and_then(|slot| Some((slot, *self.rule(kind)?.values.get(slot)?)));
        value.map_or((0.0, 0.0), |(slot, base)| self.span(Slot::Rule(kind, slot), base))
    }

    /// The parameters that its behaviours' needs name, such as `seek.proximity`, each with its
    /// smallest and largest value at any time.
    #[must_use]
    #[doc(hidden)]
    pub fn parameters_that(
        &self,
        name: impl Fn(Needs) -> Option<&'static str>,
    ) -> Vec<(String, (f32, f32))> {
        let named = |rule: &Rule| {
            let info = rule.kind.info();
            let key = name(info.needs)?;
            Some((format!("{}.{key}", info.key), self.range(rule.kind, key)))
        };
        self.rules.iter().filter_map(named).collect()
    }

    /// The spawns with their keys, if a velocity that no force has changed yet moves the agents.
    pub(super) fn first_steps(&self) -> impl Iterator<Item = (&'static str, Spawn)> {
        let all = [("spawn", self.spawn), ("spawn_at_scale", self.spawn_at_scale)];
        let moves = self.body.position_step > 0.0;
        all.into_iter().filter(move |_| moves)
    }

    /// The smallest and largest size that its agents draw; world units. Both are equal if they draw
    /// none.
    #[must_use]
    pub fn sizes(&self) -> (f32, f32) {
        (self.least(Slot::size()), self.body.size)
    }

    /// The size of agent `id`; world units.
    #[must_use]
    pub fn size_of(&self, seed: u32, id: u32) -> f32 {
        let (least, most) = self.sizes();
        drawn(least, most, seed, id, Slot::size().noise_key())
    }

    /// The largest value of a key of the body at any time, such as `max_speed`; 0 if the body has no such key.
    #[must_use]
    pub fn largest(&self, key: &str) -> f32 {
        let row = Body::<f32>::TABLE.iter().position(|parameter| parameter.key == key);
        row.map_or(0.0, |row| self.span(Slot::Body(row), self.body.values()[row]).1)
    }

    /// The value of a behaviour's parameter in the engines' encoding; see [`Species::value`].
    #[must_use]
    pub fn encoded(&self, kind: Kind, index: usize) -> f32 {
        let parameter = kind.info().parameters.get(index);
        parameter.map_or(0.0, |parameter| parameter.encoded(self.value(kind, index)))
    }

    /// The behaviour's position in the order of a species with priorities, from 0. If the species
    /// lacks it, a number that is never reached.
    #[must_use]
    pub fn turn(&self, kind: Kind) -> f32 {
        let turn = self.rules.iter().position(|rule| rule.kind == kind);
        turn.map_or(NO_TURN, |turn| turn as f32)
    }

    /// The largest radius within which it perceives neighbours; 0 if it perceives none. World
    /// units.
    #[must_use]
    pub fn perception_radius(&self) -> f32 {
        // A behaviour with a target needs no neighbours.
        let perceives = |rule: &&Rule| {
            let target = rule.kind.parameter("target");
            target.is_none_or(|slot| rule.values[slot] == NO_TARGET)
        };
        let near =
            self.rules.iter().filter(|rule| rule.kind.info().sees_neighbours).filter(perceives);
        near.map(|rule| self.range(rule.kind, "radius").1).fold(0.0, f32::max)
    }
}
