//! The size and strength of agents on the screen.

use crate::splats::MAX_STRENGTH;
use flockwork_model::scene::{BoidShape, Scene, Species};
use flockwork_model::state::FlockState;

/// Smallest half length of a triangle, and radius of a disc; points. So a flock seen from far away
/// still consists of darts, not of dust.
pub const MIN_HALF_LENGTH: f32 = 1.75;

/// Opacity of a triangle or disc at its natural size. A smaller one keeps its light per area, down
/// to [`MIN_STRENGTH`]. One that is more than its size does ([`Measure::of`]) is drawn larger instead.
pub const OPACITY: f32 = 0.9;

/// Lowest opacity of an agent before [`MAX_GAIN`] is reached.
pub const MIN_STRENGTH: f32 = 0.35;

/// The most that a small triangle or disc shines brighter than its own area would. An agent farther away
/// has less light, but there is more of it: the whole keeps its brightness at any zoom.
pub const MAX_GAIN: f32 = 7.5;

/// Where a picture has several pixels per point, small glyphs shrink until they are as strong as this.
/// So a crowd in a large picture consists of grains, not of fog.
pub const CONDENSED: f32 = 0.85;

/// No glyph is as faint: it never shrinks.
const KEPT: f32 = 1e-6;

/// Effectively no limit.
pub const ANY_GAIN: f32 = 1e30;

/// The same in a space.
pub const MIN_STRENGTH_IN_SPACE: f32 = 0.04;

/// The least radius of a body that is more than its size does; pixels. Smaller ones are summed: a pale body
/// would hide others and show the background in their place.
const MIN_BODY: f32 = 0.8;

/// Half the width of a triangle over half its length (*The Nature of Code* draws 1 to 2).
pub const SLENDERNESS: f32 = 0.5;

/// Radius of a glow's halo, as a multiple of the radius of its core.
pub const GLOW_REACH: f32 = 4.0;

/// Smallest radius of the core of a glow; points. Its halo makes it visible where a dart would not
/// be, and its cost grows with its area.
pub const MIN_GLOW: f32 = 1.0;

/// Brightness of a glow at its natural size. Smaller ones pale down to [`MIN_GLOW_STRENGTH`].
pub const GLOW: f32 = 0.8;

/// Lowest brightness of a glow, however far away.
pub const MIN_GLOW_STRENGTH: f32 = 0.06;

/// The share of the background that a glow hides, relative to its brightness.
///
/// Without cover (0) the light of enough glows adds up to white, which happens in every dense flock
/// at some zoom. With a little cover the sum of any number of glows has a limit: their colour
/// divided by this. The embers end between orange and yellow.
pub const GLOW_COVER: f32 = 0.5;

/// How a glyph's size on the screen depends on the agent's size. Plain numbers, because if
/// each agent draws its own size, the shaders compute [`Measure::extent`] too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Pixels per world unit.
    pub pixels_per_unit: f32,
    /// Pixels per point.
    pub scale: f32,
    /// Smallest radius; points.
    pub smallest: f32,
    /// Strength at the natural size, times what agents hide as matter.
    pub full: f32,
    /// Lowest strength, where the gain allows it, times the same.
    pub faintest: f32,
    /// See [`MAX_GAIN`].
    pub most_gain: f32,
    /// See [`CONDENSED`]; near 0 if small glyphs do not shrink.
    pub condensed: f32,
    /// Strengths at one pixel per point above this show the shape; see [`MAX_STRENGTH`].
    pub shows_above: f32,
    /// The reach is `reach_factor · radius + reach_beyond`; pixels.
    pub reach_factor: f32,
    /// Pixels.
    pub reach_beyond: f32,
}

/// The size and strength of a glyph on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Distance from the middle to the nose of a dart, to the edge of a disc, or to where a glow is
    /// about half as bright; pixels.
    pub radius: f32,
    /// Distance from the middle to the end of the glyph; pixels.
    pub reach: f32,
    /// Opacity, or the brightness of the middle of a glow; 0 to 1.
    pub strength: f32,
}

impl Measure {
    /// The measure of a species of `scene` on a screen with `scale` pixels per point. Triangles and discs
    /// hide `style.matter` times as much as their size does, in sums and as bodies alike: a body is
    /// √matter times as long.
    ///
    /// In a space the small ones are those far away: they pale further than in a plane.
    #[must_use]
    pub fn of(scene: &Scene, species: &Species, pixels_per_unit: f32, scale: f32) -> Self {
        let own = Self::of_look(species.look, scene.smallest_of(species), pixels_per_unit, scale);
        let own = match scene.world.is_flat() {
            true => own,
            false => Self { faintest: MIN_STRENGTH_IN_SPACE, most_gain: ANY_GAIN, ..own },
        };
        match species.look {
            BoidShape::Glow => own,
            _ => own.as_matter(scene.style.matter.unwrap_or(1.0)),
        }
    }

    /// The measure of agents that hide so many times as much as their size does.
    fn as_matter(self, matter: f32) -> Self {
        let [full, faintest] = [self.full, self.faintest].map(|strength| matter * strength);
        let own = Self { full, faintest, ..self };
        // Agents that hide less than their size are pale, not small. Others are bodies of full strength.
        let least = MIN_BODY / self.smallest;
        let shows_above = match own.grows() {
            true => OPACITY * least * (least / self.scale).min(matter.sqrt()),
            false => self.shows_above * matter.min(1.0),
        };
        Self { shows_above, ..own }
    }

    /// True if bodies are more than their size does. Where the scene asks for a least size, that is kept.
    fn grows(&self) -> bool {
        self.full > OPACITY && self.condensed > KEPT
    }

    /// The measure of glyphs with this look in a plane. `smallest` is their least length in points, if it
    /// differs from the look's.
    fn of_look(look: BoidShape, smallest: Option<f32>, pixels_per_unit: f32, scale: f32) -> Self {
        let half = smallest.map(|length| length / 2.0);
        let darts = Self {
            pixels_per_unit,
            scale,
            smallest: half.unwrap_or(MIN_HALF_LENGTH),
            full: OPACITY,
            faintest: MIN_STRENGTH,
            // A least size that the scene asks for is kept, and stays visible.
            most_gain: if half.is_some() { ANY_GAIN } else { MAX_GAIN },
            condensed: if half.is_some() { KEPT } else { CONDENSED },
            shows_above: MAX_STRENGTH,
            // The corners of the tail are farther away than the nose.
            reach_factor: SLENDERNESS.hypot(1.0),
            reach_beyond: 1.0,
        };
        match look {
            // Half a pixel for the soft edge.
            BoidShape::Disc => Self { reach_factor: 1.0, reach_beyond: 0.5, ..darts },
            BoidShape::Glow => Self {
                smallest: half.unwrap_or(MIN_GLOW),
                full: GLOW,
                faintest: MIN_GLOW_STRENGTH,
                most_gain: ANY_GAIN,
                condensed: KEPT,
                shows_above: f32::MAX,
                reach_factor: GLOW_REACH,
                reach_beyond: 0.0,
                ..darts
            },
            _ => darts,
        }
    }

    /// The measure of glyphs at a depth of a space, from the number of pixels that a world unit has there.
    #[must_use]
    pub fn at(self, pixels_per_unit: f32) -> Self {
        Self { pixels_per_unit, ..self }
    }

    /// True if an agent of `size` world units shows its shape.
    #[must_use]
    pub fn shows(&self, size: f32) -> bool {
        self.strength(size * self.pixels_per_unit, self.smallest) > self.shows_above
    }

    /// The strength of an agent of this natural size that is drawn as large as wanted; pixels.
    fn strength(&self, natural: f32, wanted: f32) -> f32 {
        let share = natural / wanted;
        let gained = self.full * share * share * self.most_gain;
        (self.full * natural / wanted).max(self.faintest).min(gained)
    }

    /// The extent of an agent of `size` world units (half the length, or the radius).
    ///
    /// Below a smallest number of points a glyph keeps its size and pales in proportion to its
    /// natural length, so that crowds are brighter than loners; below that, in proportion to its area
    /// ([`MAX_GAIN`]). With less than one pixel per point, it keeps its size in pixels and pales in
    /// proportion to its area. With more than one pixel per point it shrinks and grows stronger again,
    /// so that large pictures are sharp. The last two do not change its light.
    ///
    /// `sized` in `shaders/picture.wgsl` computes the same.
    #[must_use]
    pub fn extent(&self, size: f32) -> Extent {
        let natural = size * self.pixels_per_unit;
        let wanted = natural.max(self.smallest * self.scale);
        let light = wanted * wanted * self.strength(natural, wanted);
        let shows = self.shows(size);
        let drawn = match shows {
            true => natural.max((light / OPACITY).sqrt()),
            false => wanted.min((light / self.condensed).sqrt()),
        };
        let least = if shows && self.grows() { MIN_BODY } else { self.smallest };
        let radius = drawn.max(least);
        let reach = radius * self.reach_factor + self.reach_beyond;
        Extent { radius, reach, strength: light / (radius * radius) }
    }
}

/// The extents of a species' agents: equal for all, or from each agent's own size.
#[derive(Clone, Copy, Debug)]
pub struct Extents<'a> {
    /// The species.
    pub species: &'a Species,
    /// Its measure; in a space at the focus.
    pub measure: Measure,
    /// The seed of the scene; `None` if agents do not draw their sizes.
    seed: Option<u32>,
    /// The extent of the largest agents.
    pub largest: Extent,
}

impl<'a> Extents<'a> {
    /// The extents for a species of `scene` on a screen with `scale` pixels per point.
    #[must_use]
    pub fn of(scene: &Scene, species: &'a Species, pixels_per_unit: f32, scale: f32) -> Self {
        let measure = Measure::of(scene, species, pixels_per_unit, scale);
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

impl Extent {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The light of an agent of one world unit.
    fn light(pixels_per_unit: f32, scale: f32, smallest: Option<f32>) -> (Extent, f32) {
        let darts = Measure::of_look(BoidShape::Triangle, smallest, pixels_per_unit, scale);
        let extent = darts.extent(1.0);
        (extent, extent.radius * extent.radius * extent.strength)
    }

    #[test]
    fn a_flock_is_as_bright_from_any_distance() {
        let per_area = |zoom: f32| light(zoom, 1.0, None).1 / (zoom * zoom);
        for zoom in [0.35, 0.2, 0.03, 0.001] {
            assert!((per_area(zoom) / (OPACITY * MAX_GAIN) - 1.0).abs() < 1e-4, "{zoom}");
        }
        assert!(per_area(1.0) < 0.9 * OPACITY * MAX_GAIN, "shapes gain less");
        assert!((per_area(9.0) - OPACITY).abs() < 1e-4);
        // A least size that the scene asks for is visible from anywhere.
        assert!(light(0.001, 1.0, Some(3.5)).0.strength >= MIN_STRENGTH);
    }

    #[test]
    fn large_pictures_have_the_same_light_in_finer_grains() {
        for zoom in [0.1, 0.3, 0.7, 1.5, 4.0] {
            let (one, light_of_one) = light(zoom, 1.0, None);
            for scale in [1.5, 2.0, 3.0, 6.0] {
                let (other, light) = light(scale * zoom, scale, None);
                let apart = light / (scale * scale * light_of_one) - 1.0;
                assert!(apart.abs() < 1e-4, "{zoom}, {scale}: {apart}");
                assert!(other.strength <= OPACITY + 1e-4);
                // It grows less than the picture, until its natural size is that large.
                let most = (scale * one.radius).max(scale * zoom);
                assert!(other.radius <= most && (zoom > 1.0 || other.radius < 0.8 * most));
            }
        }
        let kept = light(0.1, 3.0, Some(3.5)).0.radius;
        assert_eq!(kept, 3.0 * 1.75, "a least size that the scene asks for is kept");
    }
}
