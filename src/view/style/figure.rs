//! The size and strength of agents on the screen.

use crate::model::scene::{BoidShape, Scene, Species};
use crate::model::state::FlockState;
use crate::view::splats::MOST_STRENGTH;

/// Smallest half length of a triangle, and radius of a disc; points. So a flock seen from far away
/// still consists of darts, not of dust.
pub const SMALLEST_HALF_LENGTH: f32 = 1.75;

/// Opacity of a triangle or disc at its natural size. A smaller one keeps its light per area, down
/// to [`FAINTEST`].
pub const OPACITY: f32 = 0.9;

/// Lowest opacity of an agent, however far away.
pub const FAINTEST: f32 = 0.35;

/// The same in a space.
pub const FAINTEST_IN_SPACE: f32 = 0.04;

/// Half the width of a triangle over half its length (*The Nature of Code* draws 1 to 2).
pub const SLENDERNESS: f32 = 0.5;

/// Radius of a glow's halo, as a multiple of the radius of its core.
pub const GLOW_REACH: f32 = 4.0;

/// Smallest radius of the core of a glow; points. Its halo makes it visible where a dart would not
/// be, and its cost grows with its area.
pub const SMALLEST_GLOW: f32 = 1.0;

/// Brightness of a glow at its natural size. Smaller ones pale down to [`FAINTEST_GLOW`].
pub const GLOW: f32 = 0.8;

/// Lowest brightness of a glow, however far away.
pub const FAINTEST_GLOW: f32 = 0.06;

/// The share of the background that a glow hides, relative to its brightness.
///
/// Without cover (0) the light of enough glows adds up to white, which happens in every dense flock
/// at some zoom. With a little cover the sum of any number of glows has a limit: their colour
/// divided by this. The embers end between orange and yellow.
pub const GLOW_COVER: f32 = 0.5;

/// The size on the screen of a species' agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Triangle, disc or glow.
    pub look: BoidShape,
    /// Distance from the middle to the nose of a dart, to the edge of a disc, or to where a glow is
    /// about half as bright; pixels.
    pub radius: f32,
    /// Distance from the middle to the end of the figure; pixels.
    pub reach: f32,
    /// Opacity, or the brightness of the middle of a glow; 0 to 1.
    pub strength: f32,
}

/// How a figure's size on the screen depends on the agent's size. Plain numbers, because if
/// each agent draws its own size, the shaders compute [`Measure::extent`] too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Pixels per world unit.
    pub pixels_per_unit: f32,
    /// Pixels per point.
    pub scale: f32,
    /// Smallest radius; points.
    pub smallest: f32,
    /// Strength at the natural size.
    pub full: f32,
    /// Lowest strength.
    pub faintest: f32,
    /// Natural strengths above this show the shape; see [`MOST_STRENGTH`].
    pub shows_above: f32,
    /// The reach is `reach_factor · radius + reach_beyond`; pixels.
    pub reach_factor: f32,
    /// Pixels.
    pub reach_beyond: f32,
}

/// The size and strength of a figure on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// See [`Figure::radius`].
    pub radius: f32,
    /// See [`Figure::reach`].
    pub reach: f32,
    /// See [`Figure::strength`].
    pub strength: f32,
}

impl Measure {
    /// The measure of figures with this look on a screen with `scale` pixels per point. `smallest` is
    /// their least length in points, if it is not that of the look.
    #[must_use]
    pub fn of(look: BoidShape, smallest: Option<f32>, pixels_per_unit: f32, scale: f32) -> Self {
        let half = smallest.map(|length| length / 2.0);
        let darts = Self {
            pixels_per_unit,
            scale,
            smallest: half.unwrap_or(SMALLEST_HALF_LENGTH),
            full: OPACITY,
            faintest: FAINTEST,
            shows_above: MOST_STRENGTH,
            // The corners of the tail are farther away than the nose.
            reach_factor: SLENDERNESS.hypot(1.0),
            reach_beyond: 1.0,
        };
        match look {
            BoidShape::Triangle => darts,
            // Half a pixel for the soft edge.
            BoidShape::Disc => Self { reach_factor: 1.0, reach_beyond: 0.5, ..darts },
            BoidShape::Glow => Self {
                smallest: half.unwrap_or(SMALLEST_GLOW),
                full: GLOW,
                faintest: FAINTEST_GLOW,
                shows_above: f32::MAX,
                reach_factor: GLOW_REACH,
                reach_beyond: 0.0,
                ..darts
            },
        }
    }

    /// The measure of figures elsewhere in a space: with so many pixels per world unit.
    #[must_use]
    pub fn at(self, pixels_per_unit: f32) -> Self {
        Self { pixels_per_unit, ..self }
    }

    /// The measure of figures in a space, where the small ones are those far away: they pale further
    /// than in a plane.
    #[must_use]
    pub fn in_space(self) -> Self {
        Self { faintest: FAINTEST_IN_SPACE, ..self }
    }

    /// True if an agent of `size` world units shows its shape.
    #[must_use]
    pub fn shows(&self, size: f32) -> bool {
        self.full * (size * self.pixels_per_unit) / self.smallest > self.shows_above
    }

    /// The extent of an agent of `size` world units (half the length, or the radius).
    ///
    /// Below a smallest number of points a figure keeps its size and pales in proportion to its
    /// natural length, so that crowds are brighter than loners. With less than one pixel per point,
    /// it keeps its size in pixels and pales in proportion to its area. With more than one pixel
    /// per point, and enough pixels to show its shape, it shrinks and grows stronger again, so that
    /// large pictures are sharp. The last two do not change its light.
    ///
    /// `sized` in `shaders/picture.wgsl` computes the same.
    #[must_use]
    pub fn extent(&self, size: f32) -> Extent {
        let natural = size * self.pixels_per_unit;
        let wanted = natural.max(self.smallest * self.scale);
        let light = wanted * wanted * (self.full * natural / wanted).max(self.faintest);
        let shows = self.shows(size);
        let drawn = if shows { natural.max((light / self.full).sqrt()) } else { wanted };
        let radius = drawn.max(self.smallest);
        let reach = radius * self.reach_factor + self.reach_beyond;
        Extent { radius, reach, strength: light / (radius * radius) }
    }
}

/// The extents of a species' agents: equal for all, or from each agent's own size.
#[derive(Clone, Copy, Debug)]
pub struct Extents<'a> {
    species: &'a Species,
    measure: Measure,
    /// The seed of the scene; `None` if agents do not draw their sizes.
    seed: Option<u32>,
    /// The extent of the largest agents.
    pub largest: Extent,
}

impl<'a> Extents<'a> {
    /// The extents for a species of `scene` on a screen with `scale` pixels per point.
    #[must_use]
    pub fn of(scene: &Scene, species: &'a Species, pixels_per_unit: f32, scale: f32) -> Self {
        let measure = Measure::of(species.look, scene.smallest_of(species), pixels_per_unit, scale);
        let (least, most) = species.sizes();
        let seed = (least < most).then_some(scene.seed);
        Self { species, measure, seed, largest: measure.extent(most) }
    }

    /// The extent of the agent in a row of `state`.
    #[must_use]
    pub fn of_agent(&self, state: &FlockState, row: usize) -> Extent {
        if self.seed.is_none() {
            return self.largest;
        }
        self.measure.extent(self.size_of(state, row))
    }

    /// The size of the agent in a row of `state`; world units.
    #[must_use]
    pub fn size_of(&self, state: &FlockState, row: usize) -> f32 {
        match (self.seed, state.id.get(row)) {
            (Some(seed), Some(id)) => self.species.size_of(seed, *id),
            _ => self.species.sizes().1,
        }
    }
}

impl Figure {
    /// The figure of agents of `size` world units (half the length, or the radius) on a screen with
    /// `scale` pixels per point; see [`Measure::of`].
    #[must_use]
    pub fn of(
        look: BoidShape,
        smallest: Option<f32>,
        size: f32,
        pixels_per_unit: f32,
        scale: f32,
    ) -> Self {
        let Extent { radius, reach, strength } =
            Measure::of(look, smallest, pixels_per_unit, scale).extent(size);
        Self { look, radius, reach, strength }
    }

    /// The figure with an agent's own extent.
    #[must_use]
    pub fn with(self, extent: Extent) -> Self {
        let Extent { radius, reach, strength } = extent;
        Self { radius, reach, strength, ..self }
    }

    /// Brightness of a glow at a distance from its middle (squared; pixels): 1 in the middle, 0 at
    /// its reach. The brightness of its core's heat is the third power of this.
    ///
    /// The light of a lamp as wide as the core falls with the square of the distance. A window
    /// function makes it zero at the end of the halo.
    #[inline]
    #[must_use]
    pub fn glow(&self, distance_squared: f32) -> f32 {
        let window = (1.0 - distance_squared / (self.reach * self.reach)).max(0.0);
        window * window / (1.0 + distance_squared / (self.radius * self.radius))
    }
}
