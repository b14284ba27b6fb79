//! The colours of a species' agents.

use std::f32::consts::TAU;

use super::backdrop::Backdrop;
use super::circle::Circle;
use super::glyph::GLOW_COVER;
use super::oklab::unit;
use super::palettes::{STOPS, Scale, Stops};
use flockwork_model::memory::{MAX_COLOUR_VALUE, STRUCTURE_STEPS};
use flockwork_model::scene::{
    BoidShape, ColourBy, Light, Palette, PaletteName, Rgb, Scene, Species,
};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;
use glam::Vec2;

/// Number of neighbours at the end of their colour scale. The other quantities end at [`MAX_COLOUR_VALUE`].
pub const CROWD: f32 = 40.0;

/// Extra light of an ember's hot core.
const EMBER_HEAT: [f32; 3] = [0.5, 0.4, 0.22];

/// Extra light of the core of a glow in another colour.
const HEAT: [f32; 3] = [0.25; 3];

/// The share of the background that such a glow hides, relative to its brightness.
const COVER: f32 = 0.75;

/// The colours of silhouettes before a dark and before a light background.
const SILHOUETTES: [[u8; 3]; 2] = [[226, 229, 236], [20, 22, 31]];

/// The same in the sun, if agents cast shade on one another.
const SUNLIT: [[u8; 3]; 2] = [[255, 255, 255], [70, 70, 86]];

/// The place of the last stop on a scale that does not return to its beginning.
const END: f32 = (STOPS - 1) as f32 / STOPS as f32;

/// How a colour depends on what it shows. Plain numbers, so that the
/// shader does not need their meaning. The place on the scale, in turns, is
/// `base + per_turn · heading + per_speed · speed / max_speed + per_amount · amount`, where `amount` is
/// the number that the agent remembers for its colour, divided by `most`, at most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hue {
    /// Turns.
    pub base: f32,
    /// Turns per turn of the heading.
    pub per_turn: f32,
    /// Turns from standstill to full speed.
    pub per_speed: f32,
    /// Turns from an amount of 0 to one of 1.
    pub per_amount: f32,
    /// The remembered number that is an amount of 1.
    pub most: f32,
    /// In space: turns from the near to the far end of the world.
    pub per_depth: f32,
    /// How much darker an agent with an amount of 0 is than one with 1; 0 to 1.
    pub dimming: f32,
    /// True if the remembered number is a structure: its density is the amount, and its order is how full
    /// the colour is.
    pub structured: bool,
    /// True if the remembered number is the one of a connected group: 0 is grey, the others are hues.
    pub clustered: bool,
    /// The name of a number that agents keep, if that is shown in place of the remembered one.
    pub kept: Option<&'static str>,
}

/// In space: how much lighter a colour is that shows a heading straight up, and darker straight down. So
/// directions that are apart on the sphere differ in colour.
pub const LIFT: f32 = 0.22;

impl Hue {
    const CONSTANT: Self = Self {
        base: 0.0,
        per_turn: 0.0,
        per_speed: 0.0,
        per_amount: 0.0,
        most: CROWD,
        per_depth: 0.0,
        dimming: 0.0,
        structured: false,
        clustered: false,
        kept: None,
    };

    /// For what ends at the largest number that an agent remembers.
    const REMEMBERED: Self = Self { most: MAX_COLOUR_VALUE as f32, ..Self::CONSTANT };

    /// The place of the quantity `by` on a scale from its beginning to its end.
    fn along(by: ColourBy) -> Self {
        match by {
            ColourBy::Heading => Self { per_turn: 1.0, ..Self::CONSTANT },
            ColourBy::Speed => Self { per_speed: END, ..Self::CONSTANT },
            ColourBy::Neighbours => Self { per_amount: END, ..Self::CONSTANT },
            ColourBy::Acceleration | ColourBy::Age => Self { per_amount: END, ..Self::REMEMBERED },
            ColourBy::Structure => {
                Self { per_turn: 1.0, dimming: 0.6, structured: true, ..Self::CONSTANT }
            }
            // The whole circle, as for headings.
            ColourBy::Cluster => Self { per_amount: 1.0, clustered: true, ..Self::REMEMBERED },
            ColourBy::State(name) => {
                Self { per_amount: END, most: 1.0, kept: Some(name), ..Self::CONSTANT }
            }
            // Near agents stand out more.
            ColourBy::Depth => Self { base: END, per_depth: -END, ..Self::CONSTANT },
            ColourBy::Species | ColourBy::Fixed(_) => Self::CONSTANT,
        }
    }

    /// The place of an ember's colour on its circle.
    fn of_ember(by: ColourBy, species: usize) -> Self {
        match by {
            ColourBy::Speed => Self { base: 0.6, per_speed: -0.6, ..Self::CONSTANT },
            // Steps of the golden ratio keep the hues of any number of species apart.
            ColourBy::Species => {
                Self { base: (0.55 + species as f32 * 0.618_034).fract(), ..Self::CONSTANT }
            }
            // From a dark to a bright amber.
            ColourBy::Neighbours => {
                Self { base: 0.64, per_amount: 0.48, dimming: 0.55, ..Self::CONSTANT }
            }
            // The harder it steers, the hotter.
            ColourBy::Acceleration => Self { base: 0.6, per_amount: -0.6, ..Self::REMEMBERED },
            // It cools down.
            ColourBy::Age => Self { per_amount: 0.6, ..Self::REMEMBERED },
            ColourBy::Depth => Self { per_depth: 0.6, ..Self::CONSTANT },
            ColourBy::State(_) => Self { per_amount: 1.0, ..Self::along(by) },
            ColourBy::Heading | ColourBy::Structure | ColourBy::Cluster | ColourBy::Fixed(_) => {
                Self::along(by)
            }
        }
    }
}

/// The colours of a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a picture has at most 16 of them")]
pub enum Colours {
    /// An ellipse.
    Circle(Circle),
    /// A list.
    Stops(Stops),
}

/// The paint of a species' agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// The place of an agent on the scale.
    pub hue: Hue,
    /// The scale.
    pub colours: Colours,
    /// The share of the background that it hides, relative to the strength; 0 to 1.
    pub cover: f32,
    /// Extra light of a glow's core; red, green and blue.
    pub heat: [f32; 3],
}

/// An agent's place on its scale, and its brightness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone {
    /// Turns.
    pub turn: f32,
    /// 0 to 1.
    pub light: f32,
    /// How full the colour is: 0 for grey, 1 for all of it.
    pub chroma: f32,
}

impl Paint {
    /// The paints of all species: all are circles, or all are stops, because the shaders know only one
    /// of the two. Scenes with circles alone are drawn faster.
    #[must_use]
    pub fn all(scene: &Scene) -> Vec<Self> {
        let ground = Backdrop::of(&scene.style.background);
        let of = |(index, own): (usize, &Species)| Self::of(scene, &ground, index, own);
        let mut all: Vec<Self> = scene.species.iter().enumerate().map(of).collect();
        if !all.iter().all(|paint| matches!(paint.colours, Colours::Circle(_))) {
            for paint in &mut all {
                if let Colours::Circle(circle) = paint.colours {
                    paint.colours = Colours::Stops(Stops::circle(&circle));
                }
            }
        }
        all
    }

    /// True if the colours of the species are lists.
    #[must_use]
    pub fn has_stops(all: &[Self]) -> bool {
        all.iter().any(|paint| matches!(paint.colours, Colours::Stops(_)))
    }

    fn of(scene: &Scene, ground: &Backdrop, index: usize, species: &Species) -> Self {
        let by = species.colour;
        let hue = Hue::along(by);
        let glows = species.look == BoidShape::Glow;
        let light = ground.is_light();
        let plain = species.palette == Palette::Auto && !matches!(by, ColourBy::Fixed(_));
        if plain && glows && !light {
            return Self {
                hue: Hue::of_ember(by, index),
                colours: Colours::Circle(Circle::EMBERS),
                cover: GLOW_COVER,
                heat: EMBER_HEAT,
            };
        }
        // On a light background a glow is a soft spot of ink.
        let (cover, heat) = if glows && !light { (COVER, HEAT) } else { (1.0, [0.0; 3]) };
        if plain && by != ColourBy::Species && are_silhouettes(scene) {
            let shaded = scene.style.matter.is_some() && !scene.world.is_flat();
            let colours = if shaded { SUNLIT } else { SILHOUETTES };
            let stops = Stops::one(unit(colours[usize::from(light)]));
            return Self { hue: Hue::CONSTANT, colours: Colours::Stops(stops), cover, heat };
        }
        let circles = matches!(
            by,
            ColourBy::Heading | ColourBy::Structure | ColourBy::Cluster | ColourBy::State(_)
        );
        let mut hue = hue;
        let colours = if plain && circles {
            // A circle has no end.
            hue.per_amount = f32::from(u8::from(hue.clustered || hue.kept.is_some()));
            Colours::Circle(if light { Circle::INKS } else { Circle::BRIGHT })
        } else {
            Colours::Stops(stops(scene, ground, index, species))
        };
        Self { hue, colours, cover, heat }
    }

    /// The number that the colour of an agent shows.
    #[must_use]
    pub fn shown(&self, state: &FlockState, row: usize) -> f32 {
        let Some(name) = self.hue.kept else {
            return state.memory.get(row).map_or(0, |memory| memory.shown()) as f32;
        };
        let place = state.kept_names.place(name);
        let number = place.and_then(|place| Some(state.kept.get(row)?[place])).unwrap_or(0.0);
        if (0.0..=1.0).contains(&number) { number } else { number - number.floor() }
    }

    /// The place of an agent's colour, and its brightness, if it shows a number.
    #[must_use]
    pub fn tone(&self, velocity: Point, max_speed: f32, shown: f32) -> Tone {
        let Hue { base, per_turn, per_speed, per_amount, most, dimming, .. } = self.hue;
        let share = if max_speed > 0.0 { velocity.length() / max_speed } else { 0.0 };
        let heading = heading_angle(velocity) / TAU;
        let part = |steps: u32| steps as f32 / STRUCTURE_STEPS as f32;
        let (amount, chroma) = match self.hue.structured {
            true => (part(shown as u32 & STRUCTURE_STEPS), part(shown as u32 >> 4)),
            false if self.hue.clustered => (shown / most, shown.min(1.0)),
            false => ((shown / most).min(1.0), 1.0),
        };
        let turn =
            base + per_turn * heading + per_speed * share.clamp(0.0, 1.0) + per_amount * amount;
        Tone { turn, light: 1.0 - dimming * (1.0 - amount), chroma }
    }

    /// The same in space, for an agent at `far` of the way from the near to the far end of the world.
    #[must_use]
    pub fn tone_in_space(&self, velocity: Point, max_speed: f32, shown: f32, far: f32) -> Tone {
        let Tone { turn, light, chroma } = self.tone(velocity, max_speed, shown);
        let speed = velocity.length();
        let up = if speed > 0.0 { velocity.z / speed } else { 0.0 };
        let lift = if self.hue.per_turn == 0.0 { 0.0 } else { LIFT * up };
        Tone { turn: turn + self.hue.per_depth * far, light: light * (1.0 + lift), chroma }
    }

    /// The colour of an agent; red, green and blue from 0 to 1.
    #[must_use]
    pub fn colour(&self, tone: Tone) -> [f32; 3] {
        let (grey, colour) = match &self.colours {
            Colours::Circle(circle) => (circle.level, circle.at(tone.turn)),
            Colours::Stops(stops) => {
                let colour = stops.at(tone.turn);
                ([colour.iter().sum::<f32>() / 3.0; 3], colour)
            }
        };
        [0, 1, 2].map(|i| tone.light * (grey[i] + tone.chroma * (colour[i] - grey[i])))
    }

    /// The same as factors on the vectors of [`Paint::basis`].
    #[must_use]
    pub fn factors(&self, tone: Tone) -> [f32; 3] {
        match &self.colours {
            Colours::Circle(_) => {
                let wave = Vec2::from_angle(TAU * tone.turn) * tone.light;
                [tone.light, tone.chroma * wave.x, tone.chroma * wave.y]
            }
            Colours::Stops(_) => self.colour(tone),
        }
    }

    /// The vectors that colours are sums of.
    #[must_use]
    pub fn basis(&self) -> Circle {
        match self.colours {
            Colours::Circle(circle) => circle,
            Colours::Stops(_) => Circle::CHANNELS,
        }
    }
}

/// True if agents without a palette have one colour: before the sky at dusk or dawn, and in a space without light.
fn are_silhouettes(scene: &Scene) -> bool {
    scene.style.background.is_sky() || scene.style.light == Light::None
}

/// The stops of a species whose colours are no circle.
fn stops(scene: &Scene, ground: &Backdrop, index: usize, species: &Species) -> Stops {
    let by = species.colour;
    if let ColourBy::Fixed(Rgb(colour)) = by {
        return Stops::one(unit(colour));
    }
    let named = |name| Scale::named(name, ground.lightness());
    let scale = match (&species.palette, by) {
        (Palette::Named(name), _) => named(*name),
        (Palette::Colours(colours), _) => Scale::list(colours),
        (Palette::Auto, ColourBy::Species) => named(PaletteName::OkabeIto),
        (Palette::Auto, ColourBy::Speed | ColourBy::Depth) => {
            towards_ground(named(PaletteName::Viridis), ground)
        }
        // Young agents stand out.
        (Palette::Auto, ColourBy::Age) => {
            towards_ground(named(PaletteName::Magma), ground).reversed()
        }
        (Palette::Auto, _) => towards_ground(named(PaletteName::Inferno), ground),
    };
    match by {
        ColourBy::Species => Stops::one(scale.of_kind(index, scene.species.len())),
        ColourBy::Heading | ColourBy::Structure | ColourBy::Cluster => scale.around(),
        _ => scale.along(),
    }
}

/// A ramp whose beginning is the end that is nearer to the background: more stands out more.
fn towards_ground(scale: Scale, ground: &Backdrop) -> Scale {
    if ground.is_light() { scale.reversed() } else { scale }
}

/// Angle of the heading; a stationary agent heads along +x (*The Nature of Code*).
#[must_use]
pub fn heading_angle(velocity: Point) -> f32 {
    if velocity == Point::ZERO { 0.0 } else { velocity.y.atan2(velocity.x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paint(keys: &str) -> Paint {
        let scene = Scene::parse("test", &format!("[species.a]\n[style]\n{keys}")).unwrap();
        Paint::all(&scene)[0]
    }

    fn colour(paint: &Paint, speed: f32, neighbours: u32) -> [u8; 3] {
        let shade = paint.tone(Point::X * speed, 3.0, neighbours as f32);
        paint.colour(shade).map(|channel| (channel * 255.0).round() as u8)
    }

    #[test]
    fn a_quantity_runs_through_its_palette() {
        let ramp = paint("colour = \"speed\"\npalette = [\"#102030\", \"#F0E0D0\"]\n");
        assert_eq!(colour(&ramp, 0.0, 0), [0x10, 0x20, 0x30]);
        assert_eq!(colour(&ramp, 3.0, 0), [0xF0, 0xE0, 0xD0]);
        let [low, high] = [0.0, 30.0].map(|number| colour(&ramp, number, 0));
        assert_eq!([colour(&ramp, -0.0, 0), colour(&ramp, 30.0, 9)], [low, high], "it has ends");
        let crowd = paint("colour = \"neighbours\"\npalette = [\"#000000\", \"#FFFFFF\"]\n");
        let lightness = [0, 10, 20, 40, 80].map(|number| colour(&crowd, 1.0, number)[0]);
        assert!(lightness.windows(2).all(|pair| pair[0] <= pair[1]), "{lightness:?}");
        assert_eq!((lightness[0], lightness[3], lightness[4]), (0, 255, 255));
        let fixed = paint("colour = \"#E69F00\"\npalette = \"viridis\"\n");
        assert_eq!(colour(&fixed, 2.0, 7), [0xE6, 0x9F, 0x00]);
    }

    #[test]
    fn factors_on_the_basis_are_the_colour() {
        for keys in ["", "palette = \"magma\"\n", "background = \"paper\"\n", "look = \"glow\"\n"] {
            let paint = paint(keys);
            for angle in 0..50 {
                let shade = paint.tone(Vec2::from_angle(angle as f32 * 0.3).extend(0.0), 3.0, 0.0);
                let (Circle { level, cosine, sine }, [l, x, y]) =
                    (paint.basis(), paint.factors(shade));
                for i in 0..3 {
                    let sum = l * level[i] + x * cosine[i] + y * sine[i];
                    assert!((sum - paint.colour(shade)[i]).abs() < 1e-5, "{keys}");
                }
            }
        }
    }

    #[test]
    fn silhouettes_have_one_colour_that_stands_out() {
        for background in ["dark", "night", "paper", "dusk", "none"] {
            for colour in ["heading", "speed", "depth", "neighbours", "acceleration", "age"] {
                let text = format!(
                    "world = {{ size = [9, 9, 9] }}\n[species.a]\n[style]\nlight = \"none\"\n\
                     background = \"{background}\"\ncolour = \"{colour}\""
                );
                let scene = Scene::parse("test", &text).unwrap();
                let paint = Paint::all(&scene)[0];
                let of = |velocity: Point, shown: u32, far: f32| {
                    paint.colour(paint.tone_in_space(velocity, 3.0, shown as f32, far))
                };
                let one = of(Point::X, 0, 0.0);
                for velocity in [Point::ZERO, Point::Y, Point::Z * 3.0, -Point::Z, -Point::X] {
                    assert_eq!(of(velocity, 90, 0.7), one, "{background}, {colour}");
                }
                let lightness = super::super::oklab::of(one)[0];
                let ground = Backdrop::of(&scene.style.background).lightness();
                assert!((lightness - ground).abs() > 0.4, "{background}: {lightness}");
            }
        }
        let own = |keys: &str| {
            let text = format!(
                "world = {{ size = [9, 9, 9] }}\n[species.a]\n[style]\nlight = \"none\"\n{keys}"
            );
            let paint = Paint::all(&Scene::parse("test", &text).unwrap())[0];
            colour(&paint, 1.0, 0)
        };
        assert_eq!(own("colour = \"#E69F00\""), [0xE6, 0x9F, 0x00], "a colour of its own stays");
        assert_ne!(own("palette = \"viridis\""), own(""), "and so does a palette");
    }

    #[test]
    fn agents_stand_out_from_the_light_backgrounds() {
        for background in ["paper", "dusk"] {
            let paint = paint(&format!("background = \"{background}\"\n"));
            let shades =
                (0..64).map(|i| paint.tone(Vec2::from_angle(i as f32 * 0.1).extend(0.0), 3.0, 0.0));
            let lightness = shades.map(|shade| super::super::oklab::of(paint.colour(shade))[0]);
            assert!(lightness.fold(0.0, f32::max) < 0.55, "{background}");
        }
    }
}
