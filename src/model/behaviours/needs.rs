//! What a behaviour needs besides its agent. Each behaviour declares it in its own file.

use super::{Kind, Uses};

/// The least and the largest value of a behaviour's parameter, by its key.
pub type Ranges<'a> = dyn Fn(&str) -> (f32, f32) + 'a;

/// How far from its centre an obstacle matters, given the ranges of the behaviour's parameters, the
/// obstacle's radius and the agent's size; world units.
pub type ObstacleReach = fn(&Ranges<'_>, f32, f32) -> f32;

/// Work that engines do only while a parameter has certain values.
#[derive(Clone, Copy, Debug)]
pub struct Extra {
    /// The parameter's key.
    pub key: &'static str,
    /// Whether a value of it asks for the work.
    pub asks: fn(f32) -> bool,
    /// The work.
    pub uses: Uses,
}

/// What scenes and engines must know of a behaviour without knowing which one it is. (Whether it
/// looks at neighbours is the list in which it stands; targets and fields of view are the meaning of
/// a parameter.)
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// It turns the angle that an agent remembers. A species has one such behaviour.
    pub angle: bool,
    /// It follows the flow field.
    pub flow: bool,
    /// It looks for paths: the key of the parameter that says how far away; world units.
    pub paths_within: Option<&'static str>,
    /// It looks for obstacles.
    pub obstacles_within: Option<ObstacleReach>,
    /// It scales the limits of the agent by the distance from its target over this parameter (a key;
    /// world units; 0 leaves them alone).
    pub limits_grow_by: Option<&'static str>,
    /// Work that engines do for some values of a parameter only.
    pub extras: &'static [Extra],
    /// The behaviour that wants the contrary and has the same parameters, as far as it has them.
    pub opposite: Option<Kind>,
}

impl Needs {
    /// Nothing but the agent.
    pub const NOTHING: Self = Self {
        angle: false,
        flow: false,
        paths_within: None,
        obstacles_within: None,
        limits_grow_by: None,
        extras: &[],
        opposite: None,
    };
}
