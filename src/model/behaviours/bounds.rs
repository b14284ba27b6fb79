//! Bounds on the numbers in behaviours: with distances up to
//! [`MAX_COORDINATE`](crate::world::MAX_COORDINATE) and the largest value of every parameter, the square
//! of every length is within the range of `f32`.

/// The largest max_speed, scaled or not; world units per tick.
pub const MAX_SPEED: f32 = 1e4;

/// The largest max_force, scaled or not; mass · world units per tick².
pub const MAX_FORCE_LIMIT: f32 = 1e4;

/// The largest force of one behaviour if only the sum is limited, and of their sum if nothing is; mass · world units per tick².
pub const MAX_FORCE: f32 = 1e9;

/// A max_turn that lets an agent turn as it likes; degrees.
pub const HALF_CIRCLE: f32 = 180.0;

/// A product is rounded alike on all devices, a quotient is not.
pub const TURNS_PER_DEGREE: f32 = 2.777_777_8e-3;

/// A heading whose sideways part is smaller is straight back: rounding would choose the side.
pub const STRAIGHT: f32 = 1e-5;

/// A smaller proximity counts as this one; world units.
pub const MIN_PROXIMITY: f32 = 1e-3;

/// Agents nearer than this are at the same spot: their forces would exceed the range of `f32`.
/// World units.
pub const SAME_SPOT: f32 = 1e-10;

/// Its square.
pub const SAME_SPOT_SQUARED: f32 = 1e-20;
