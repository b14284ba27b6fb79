//! How large and how small the numbers of behaviours get: with distances of up to
//! [`FARTHEST`](crate::model::world::FARTHEST) and the largest value of every parameter, every square
//! of a length is a number that `f32` holds.

/// The largest max_speed, also where it is scaled; world units per tick.
pub const FASTEST: f32 = 1e4;

/// The largest max_force, also where it is scaled; mass · world units per tick².
pub const STRONGEST: f32 = 1e4;

/// The longest force that one behaviour gives where only the sum is limited; mass · world units per
/// tick².
pub const LONGEST_FORCE: f32 = 1e9;

/// A smaller proximity counts as this one; world units.
pub const SMALLEST_PROXIMITY: f32 = 1e-3;

/// Distance below which two agents are at the same spot: nearer ones would have forces that `f32`
/// cannot hold. World units.
pub const SAME_SPOT: f32 = 1e-10;

/// Its square.
pub const SAME_SPOT_SQUARED: f32 = 1e-20;
