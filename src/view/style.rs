//! The looks of an agent. The GPU renderer (as a uniform) and the CPU rasteriser use the same
//! description.

use std::f32::consts::TAU;

use crate::model::scene::{BoidShape, ColourBy, Scene, Species};
use crate::model::state::FlockState;
use crate::model::vector::Point;
use crate::view::splats::MOST_STRENGTH;

/// Colour behind the flock, sRGB.
pub const BACKGROUND: [u8; 3] = [11, 14, 20];

/// A picture of this size has one pixel per point. Sizes in points scale with the picture, so that
/// it is equally bright in any resolution.
pub const REFERENCE: [f32; 2] = [1280.0, 720.0];

/// Pixels per point of a picture of `width` × `height` pixels.
#[must_use]
pub fn scale_of(width: u32, height: u32) -> f32 {
    (width as f32 / REFERENCE[0]).min(height as f32 / REFERENCE[1])
}

/// Smallest half length of a triangle, and radius of a disc; points. So a flock seen from far away
/// still consists of darts, not of dust.
pub const SMALLEST_HALF_LENGTH: f32 = 1.75;

/// Opacity of a triangle or disc at its natural size. A smaller one keeps its light per area, down
/// to [`FAINTEST`].
pub const OPACITY: f32 = 0.9;

/// Lowest opacity of an agent, however far away.
pub const FAINTEST: f32 = 0.35;

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
/// divided by this. The embers of [`EMBER_LEVEL`] end between orange and yellow.
pub const GLOW_COVER: f32 = 0.5;

/// The middle of a glow's colour circle, as [`HUE_LEVEL`]. It makes every glow look like an ember, also
/// if its colour shows a quantity.
pub const EMBER_LEVEL: [f32; 3] = [0.85, 0.36, 0.1];

/// The cosine of a glow's colour circle, as [`HUE_COSINE`].
pub const EMBER_COSINE: [f32; 3] = [0.15, -0.08, -0.04];

/// The sine of a glow's colour circle, as [`HUE_SINE`].
pub const EMBER_SINE: [f32; 3] = [0.0, 0.139, -0.069];

/// Extra light of a glow's hot core.
pub const EMBER_HEAT: [f32; 3] = [0.5, 0.4, 0.22];

/// Number of neighbours at the end of the colour scale.
pub const CROWD: f32 = 40.0;

/// The size on the screen and the paint of a species' agents.
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
    /// The share of the background that it hides, relative to the strength; 0 to 1.
    pub cover: f32,
    /// The middle of the colour circle; red, green and blue.
    pub level: [f32; 3],
    /// Factors on the cosine of the angle on the colour circle.
    pub cosine: [f32; 3],
    /// Factors on the sine of the angle on the colour circle.
    pub sine: [f32; 3],
    /// Extra light of a glow's core.
    pub heat: [f32; 3],
}

/// How a figure's size on the screen depends on the agent's size. Plain numbers, as in [`Hue`]: if
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
    /// The measure of figures with this look on a screen with `scale` pixels per point.
    #[must_use]
    pub fn of(look: BoidShape, pixels_per_unit: f32, scale: f32) -> Self {
        let darts = Self {
            pixels_per_unit,
            scale,
            smallest: SMALLEST_HALF_LENGTH,
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
                smallest: SMALLEST_GLOW,
                full: GLOW,
                faintest: FAINTEST_GLOW,
                shows_above: f32::MAX,
                reach_factor: GLOW_REACH,
                reach_beyond: 0.0,
                ..darts
            },
        }
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
        let shows = self.full * natural / self.smallest > self.shows_above;
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
        let measure = Measure::of(species.look, pixels_per_unit, scale);
        let (least, most) = species.sizes();
        let seed = (least < most).then_some(scene.seed);
        Self { species, measure, seed, largest: measure.extent(most) }
    }

    /// The extent of the agent in a row of `state`.
    #[must_use]
    pub fn of_agent(&self, state: &FlockState, row: usize) -> Extent {
        let id = state.id.get(row).filter(|_| self.seed.is_some());
        match (self.seed, id) {
            (Some(seed), Some(id)) => self.measure.extent(self.species.size_of(seed, *id)),
            _ => self.largest,
        }
    }
}

impl Figure {
    /// The figure of agents of `size` world units (half the length, or the radius) on a screen with
    /// `scale` pixels per point.
    #[must_use]
    pub fn of(look: BoidShape, size: f32, pixels_per_unit: f32, scale: f32) -> Self {
        let measure = Measure::of(look, pixels_per_unit, scale);
        let Extent { radius, reach, strength } = measure.extent(size);
        let paint = Self {
            look,
            radius,
            reach,
            strength,
            cover: 1.0,
            level: HUE_LEVEL,
            cosine: HUE_COSINE,
            sine: HUE_SINE,
            heat: [0.0; 3],
        };
        match look {
            BoidShape::Triangle | BoidShape::Disc => paint,
            BoidShape::Glow => Self {
                cover: GLOW_COVER,
                level: EMBER_LEVEL,
                cosine: EMBER_COSINE,
                sine: EMBER_SINE,
                heat: EMBER_HEAT,
                ..paint
            },
        }
    }

    /// The colour at `turn` on the colour circle; red, green and blue.
    #[must_use]
    pub fn colour(&self, turn: f32) -> [f32; 3] {
        let (sine, cosine) = (TAU * turn).sin_cos();
        [0, 1, 2].map(|i| self.level[i] + self.cosine[i] * cosine + self.sine[i] * sine)
    }

    /// The figure with an agent's own extent.
    #[must_use]
    pub fn with(self, extent: Extent) -> Self {
        let Extent { radius, reach, strength } = extent;
        Self { radius, reach, strength, ..self }
    }

    /// Brightness of a glow at a distance from its middle (squared; pixels): 1 in the middle, 0 at
    /// its reach. The brightness of its [`Figure::heat`] is the third power of this.
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

/// How a colour depends on heading, speed, species and neighbours. Plain numbers, so that the
/// shader does not need their meaning. The hue in turns around the colour circle is
/// `base + per_turn · heading + per_speed · speed / max_speed + per_crowd · crowd`, where `crowd` is
/// the number of neighbours divided by [`CROWD`], at most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hue {
    /// Turns.
    pub base: f32,
    /// Turns per turn of the heading.
    pub per_turn: f32,
    /// Turns from standstill to full speed.
    pub per_speed: f32,
    /// Turns from no neighbours to a crowd.
    pub per_crowd: f32,
    /// How much darker a loner is than an agent in a crowd; 0 to 1.
    pub dimming: f32,
}

impl Hue {
    const CONSTANT: Self =
        Self { base: 0.0, per_turn: 0.0, per_speed: 0.0, per_crowd: 0.0, dimming: 0.0 };

    /// The hue of a species coloured by `by`.
    #[must_use]
    pub fn of(by: ColourBy, species: u8) -> Self {
        match by {
            ColourBy::Heading => Self { per_turn: 1.0, ..Self::CONSTANT },
            ColourBy::Speed => Self { base: 0.6, per_speed: -0.6, ..Self::CONSTANT },
            // Steps of the golden ratio keep the hues of any number of species apart.
            ColourBy::Species => {
                let base = (0.55 + f32::from(species) * 0.618_034).fract();
                Self { base, ..Self::CONSTANT }
            }
            // From a dark blue through violet and red to a bright amber.
            ColourBy::Neighbours => {
                Self { base: 0.64, per_crowd: 0.48, dimming: 0.55, ..Self::CONSTANT }
            }
        }
    }
}

/// The place of an agent's colour on the colour circle (turns), and its brightness.
#[must_use]
pub fn shade(
    by: ColourBy,
    velocity: Point,
    max_speed: f32,
    species: u8,
    neighbours: u32,
) -> (f32, f32) {
    let Hue { base, per_turn, per_speed, per_crowd, dimming } = Hue::of(by, species);
    let share = if max_speed > 0.0 { velocity.length() / max_speed } else { 0.0 };
    let heading = heading_angle(velocity) / TAU;
    let crowd = (neighbours as f32 / CROWD).min(1.0);
    let turn = base + per_turn * heading + per_speed * share.clamp(0.0, 1.0) + per_crowd * crowd;
    (turn, 1.0 - dimming * (1.0 - crowd))
}

/// Colour of a dart or disc, from 0 to 1 in sRGB space (as stored in a PNG).
#[must_use]
pub fn colour(
    by: ColourBy,
    velocity: Point,
    max_speed: f32,
    species: u8,
    neighbours: u32,
) -> [f32; 3] {
    let (turn, light) = shade(by, velocity, max_speed, species, neighbours);
    hue(turn).map(|channel| channel * light)
}

/// Angle of the heading; a stationary agent heads along +x (*The Nature of Code*).
#[must_use]
pub fn heading_angle(velocity: Point) -> f32 {
    if velocity == Point::ZERO { 0.0 } else { velocity.y.atan2(velocity.x) }
}

/// The middle of the colour circle; red, green and blue, sRGB. The colour at an angle is `HUE_LEVEL +
/// HUE_COSINE · cos + HUE_SINE · sin`.
///
/// The three are the best fit to the circle of lightness 0.73 and chroma 0.13 in Oklab (Björn Ottosson,
/// "A perceptual color space for image processing", 2020), so all hues are about equally light. An ellipse has no corners, so a turning flock shows no bands; and the mean colour of several
/// agents follows from the mean cosine and sine.
pub const HUE_LEVEL: [f32; 3] = [0.58, 0.638, 0.63];

/// See [`HUE_LEVEL`].
pub const HUE_COSINE: [f32; 3] = [0.39, -0.123, -0.013];

/// See [`HUE_LEVEL`].
pub const HUE_SINE: [f32; 3] = [0.154, 0.0, -0.369];

/// A colour of the circle. `turn` counts around it; 0 and 1 are the same rose.
#[must_use]
pub fn hue(turn: f32) -> [f32; 3] {
    let (sine, cosine) = (TAU * turn).sin_cos();
    [0, 1, 2].map(|i| HUE_LEVEL[i] + HUE_COSINE[i] * cosine + HUE_SINE[i] * sine)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lightness and chroma of an sRGB colour in Oklab.
    fn lightness_and_chroma(colour: [f32; 3]) -> (f32, f32) {
        let [r, g, b] =
            colour.map(|c| if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) });
        let l = (0.412_221_47 * r + 0.536_332_54 * g + 0.051_445_99 * b).cbrt();
        let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
        let s = (0.088_302_46 * r + 0.281_718_84 * g + 0.629_978_7 * b).cbrt();
        let lightness = 0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s;
        let a = 1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s;
        let b = 0.025_904_037 * l + 0.782_771_8 * m - 0.808_675_77 * s;
        (lightness, a.hypot(b))
    }

    /// Extremes of lightness and least chroma around a circle.
    fn circle(colour: impl Fn(f32) -> [f32; 3]) -> (f32, f32, f32) {
        let colours = (0..360).map(|degree| lightness_and_chroma(colour(degree as f32 / 360.0)));
        colours.fold((1.0, 0.0, 1.0), |(low, high, chroma), (l, c)| {
            (low.min(l), high.max(l), chroma.min(c))
        })
    }

    #[test]
    fn all_headings_are_equally_light_and_in_colour() {
        let (low, high, chroma) = circle(hue);
        assert!(low > 0.705 && high < 0.755 && chroma > 0.115, "{low}, {high}, {chroma}");
        for degree in 0..360 {
            let colour = hue(degree as f32 / 360.0);
            assert!(colour.iter().all(|c| (0.0..=1.0).contains(c)), "{degree}: {colour:?}");
        }
        // The control: three cosines a third of a turn apart, as green as they are dark blue.
        let (low, high, _) = circle(|turn| {
            [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|phase| 0.6 + 0.4 * (TAU * (turn - phase)).cos())
        });
        assert!(high - low > 0.2, "{low}, {high}");
    }
}
