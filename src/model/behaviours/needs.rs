//! The needs of a behaviour besides its agent. Each behaviour declares it in its own file.

use super::Kind;

/// The smallest and largest value of a behaviour's parameter, by its key.
pub type Ranges<'a> = dyn Fn(&str) -> (f32, f32) + 'a;

/// The largest distance of an obstacle's centre that affects the agent, from the ranges of the
/// behaviour's parameters, the obstacle's radius and the agent's size; world units.
pub type ObstacleReach = fn(&Ranges<'_>, f32, f32) -> f32;

/// Facts that scenes and engines must know about a behaviour without naming it. (The list of behaviours
/// says whether it looks at neighbours; the meaning of a parameter shows targets and fields of
/// view.)
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// It turns the angle that an agent remembers. A species has at most one such behaviour.
    pub angle: bool,
    /// In space it remembers a direction in place of that angle.
    pub direction_in_space: bool,
    /// It follows the flow field.
    pub flow: bool,
    /// It looks for paths within the distance of this parameter (a key; world units).
    pub paths_within: Option<&'static str>,
    /// It looks for obstacles.
    pub obstacles_within: Option<ObstacleReach>,
    /// It multiplies the agent's limits by the target's distance divided by this parameter (a key;
    /// world units; 0 leaves them unchanged).
    pub limits_grow_by: Option<&'static str>,
    /// It ignores neighbours that are no farther away than this parameter (a key; world units; 0 ignores none).
    pub ignores_within: Option<&'static str>,
    /// The opposite behaviour. Parameters with the same key mean the same in both.
    pub opposite: Option<Kind>,
    /// It is about other species than its own, if there are others.
    pub others: bool,
    /// Where this parameter (a key) is above 0, it adds an acceleration, whatever the mass.
    pub kicks: Option<&'static str>,
    /// It leads away from its target.
    pub leads_away: bool,
}

impl Needs {
    /// Only the agent.
    pub const NOTHING: Self = Self {
        angle: false,
        direction_in_space: false,
        flow: false,
        paths_within: None,
        obstacles_within: None,
        limits_grow_by: None,
        ignores_within: None,
        opposite: None,
        others: false,
        kicks: None,
        leads_away: false,
    };
}
