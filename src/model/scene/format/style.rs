//! The table `[style]` and the values of colours: names, `#RRGGBB`, and lists of colours.

use super::fields::{Field, Fields, OrWord, name_of, section, unit};
use super::key::{Key, Section, Values, names};
use super::reader::Reader;
use super::tree::Value;
use crate::kept::{STATE_PREFIX, full_name, interned};
use crate::quote::quoted;
use crate::scene::{
    Background, BoidShape, ColourBy, Ground, Light, MAX_BACKGROUND_COLOURS, MAX_PALETTE_COLOURS,
    Palette, Rgb, SceneError,
};

/// The values of `colour`.
pub const COLOURS: Values =
    Values::NameOr(|| names(&ColourBy::NAMES), "`\"state.NAME\"`, `\"#RRGGBB\"`");

/// The values of `palette`.
pub const PALETTES: Values =
    Values::NameOr(|| names(&Palette::names()), "a list of 1 to 16 colours");

/// The ground with a name in scene files; the others are `true` and `false`.
const WATER: (&str, Ground) = ("water", Ground::Water);

/// The largest `age`: its product with the steps of an age fits 32 bits.
const MAX_AGE: u64 = 10_000_000;

section! {
    /// The looks of pictures; the motion does not depend on them. Of these keys `look`, `colour`,
    /// `palette` and `smallest` are defaults for the species, which have the same keys. [Looks](looks.md) has pictures.
    STYLE "[style]" struct Style (check) {
        /// The background: a name, a colour, or colours from top to bottom. With `none`,
        /// PNG and APNG files are transparent.
        background: Background = Background::default(), Values::NameOr(
            || names(&Background::names()),
            "`\"#RRGGBB\"`, a list of 1 to 8 colours"
        ) => "`\"dark\"`", "";
        /// The shape of drawn agents.
        look: BoidShape = BoidShape::Triangle, Values::Choice(|| names(&BoidShape::NAMES)) => "`\"triangle\"`", "";
        /// The quantity that the colour shows, or one colour for all agents.
        colour: ColourBy = ColourBy::Heading, COLOURS => "`\"heading\"`", "";
        /// The colours of what is shown. `auto` takes hues for headings, `viridis` for speeds,
        /// `inferno` for neighbours and accelerations, `magma` for ages and `okabe-ito` for species. A list is interpolated; of several
        /// species each takes one of its colours.
        palette: Palette = Palette::Auto, PALETTES => "`\"auto\"`", "";
        /// The age at the end of the palette, if a colour shows ages. Older agents have its last colour.
        age: u32 = 600, Values::Whole(1, MAX_AGE) => "600", "ticks";
        /// The least length of a triangle and the least diameter of a disc or of a glow's core. A
        /// point is a pixel of a picture of 1280 × 720; larger pictures have more pixels per point.
        smallest: Option<f32> = None, Values::Number(1.0, 64.0) => "3.5; 2 for glows", "points";
        /// Agents of all species leave trails, which lose half their light in this many ticks.
        trail: Option<f32> = None, Values::Number(1.0, 1000.0) => "none", "ticks";
        /// Whether pictures show the edges of the world: its walls, in space of glass, or its seam. Where nothing
        /// is said, they do unless there is a ground or a sky: a sun, or in space `dusk` or `dawn`.
        frame: Option<bool> = None, Values::Boolean => "as the scene needs", "";
        /// Whether pictures show the arrows of a flow field.
        arrows: bool = true, Values::Boolean => "`true`", "";
        /// Whether pictures have a legend of their colours in a corner. The window has one if a colour shows a
        /// structure.
        legend: bool = false, Values::Boolean => "`false`", "";
        /// Pictures are exposed as film is: light adds up, and what is too bright keeps its hue. Twice the
        /// exposure makes all twice as bright; `measured` takes what suits the first picture. Without it,
        /// colours are painted over one another. Needs a graphics adapter, which may be software.
        exposure: Option<OrWord> = None, Values::NumberOr(0.01, 100.0, "measured") => "none", "";
        /// With an exposure: the share of the light that spreads over the picture.
        bloom: f32 = 0.0, Values::Number(0.0, 1.0) => "0", "";
        /// In a space with an exposure: how high the sun stands over the horizon. The background becomes a
        /// sky that turns with the camera, agents are lit from the sun, and cast their shade away from it.
        sun: Option<f32> = None, Values::Number(-10.0, 90.0) => "none", "degrees";
        /// With a sun: the azimuth of a camera that looks into it.
        sun_azimuth: f32 = 0.0, Values::Number(-36_000.0, 36_000.0) => "0", "degrees";
        /// Agents are matter: each hides this many times as much as its size does. In space they also keep
        /// the sun from one another, so crowds are dark where they are deep. Without it, each hides what its
        /// size does. Only a graphics adapter draws the shade.
        matter: Option<f32> = None, Values::Number(0.1, 1000.0) => "none", "";
        /// In space: what lights the agents. `auto` is nothing before `dusk` and `dawn`, where agents are
        /// silhouettes, and the sun elsewhere.
        light: Light = Light::Auto, Values::Choice(|| names(&Light::NAMES)) => "`\"auto\"`", "";
        /// In space: how much fades into the background with the distance. At 1 half is left at a
        /// distance of the world's largest side; at 0 all.
        fog: f32 = 1.0, Values::Number(0.0, 10.0) => "1", "";
        /// In space: whether pictures show the floor of the world, and the shadows of agents and obstacles on it;
        /// or water to the horizon, in which they are mirrored. Only a graphics adapter draws water.
        ground: Ground = Ground::None, Values::NameOr(|| vec![WATER.0], "`true`, `false`") => "`false`", "";
    }
}

impl Style {
    /// True if only a graphics adapter draws all of it.
    #[must_use]
    pub fn needs_adapter(&self) -> bool {
        self.exposure.is_some() || self.matter.is_some() || self.ground == Ground::Water
    }

    /// The same as far as the CPU draws it.
    #[must_use]
    pub fn without_adapter(&self) -> Self {
        let frame = self.frame.or(self.has_sky().then_some(false));
        let ground = if self.ground == Ground::None { Ground::None } else { Ground::Floor };
        Self { exposure: None, bloom: 0.0, sun: None, matter: None, frame, ground, ..self.clone() }
    }

    /// True if there is a sky.
    #[must_use]
    pub fn has_sky(&self) -> bool {
        self.sun.is_some() && !self.background.is_none()
    }

    /// Whether pictures show the edges of the world, which is flat or a space.
    #[must_use]
    pub fn shows_frame(&self, flat: bool) -> bool {
        let sky = self.has_sky() || !flat && self.background.is_sky();
        self.frame.unwrap_or(self.ground == Ground::None && !sky)
    }
}

fn check(style: &Style, _: &[Style], table: &Reader) -> Result<(), SceneError> {
    let Style { light, fog, ground, .. } = Style::default();
    if table.axes() == 2 && (style.light, style.fog, style.ground) != (light, fog, ground) {
        return Err(table.fail(
            "light, fog and ground are for a space, and this world is a plane; leave them out, or \
             give world.size three numbers",
        ));
    }
    if style.bloom > 0.0 && style.exposure.is_none() {
        return Err(table.fail(
            "bloom spreads light, which only exposed pictures have; set exposure too, for example \
             exposure = 1, or leave bloom out",
        ));
    }
    if style.sun.is_some() && table.axes() == 2 {
        return Err(table.fail(
            "sun is for a space, and this world is a plane; leave sun out, or give world.size three \
             numbers",
        ));
    }
    if style.sun.is_some() && style.exposure.is_none() {
        return Err(table.fail(
            "sun is for pictures with an exposure; set exposure too, for example exposure = 1, or leave \
             sun out",
        ));
    }
    Ok(())
}

/// A name, or what `made` makes of a colour.
fn named_or<T: Clone>(
    value: &Reader,
    choices: &[(&str, T)],
    made: impl Fn(Rgb) -> T,
) -> Result<T, SceneError> {
    let nor = " nor a colour such as #E69F00";
    value.choice_or(choices, "neither one of", nor, |text| Rgb::parse(text).map(&made))
}

/// A name, or what `made` makes of a colour or of a list of 1 to `most` colours.
fn named_or_colours<T: Clone>(
    value: &Reader,
    choices: &[(&str, T)],
    most: usize,
    made: fn(Vec<Rgb>) -> T,
) -> Result<T, SceneError> {
    let Value::List(list) = value.value() else {
        return named_or(value, choices, |colour| made(vec![colour]));
    };
    let found = list.len();
    if found == 0 || found > most {
        return Err(value.fail(format!("{found} colours; a list has 1 to {most} of them")));
    }
    let colour = |item: &Reader| {
        let text = item.text()?;
        let problem = || format!("{} is not a colour; write one such as \"#E69F00\"", quoted(text));
        Rgb::parse(text).ok_or_else(|| item.fail(problem()))
    };
    value.items().iter().map(colour).collect::<Result<_, _>>().map(made)
}

fn list(colours: &[Rgb]) -> Value<bool> {
    let text = |colour: &Rgb| Value::Text(colour.to_string());
    match colours {
        [one] => text(one),
        several => Value::list(several.iter().map(text)),
    }
}

impl Field for Background {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        named_or_colours(value, &Self::names(), MAX_BACKGROUND_COLOURS, Self::Colours)
    }

    fn write(&self, _: &Key, _: usize) -> Option<Value<bool>> {
        match self {
            Self::Colours(colours) => Some(list(colours)),
            named => name_of(named, &Self::names()),
        }
    }
}

impl Field for Ground {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        Ok(match value.value() {
            Value::Boolean(true) => Self::Floor,
            Value::Boolean(false) => Self::None,
            Value::Text(_) => value.choice(&[WATER])?,
            _ => return Err(value.wrong("true, false or \"water\"")),
        })
    }

    fn write(&self, _: &Key, _: usize) -> Option<Value<bool>> {
        Some(match self {
            Self::None => Value::Boolean(false),
            Self::Floor => Value::Boolean(true),
            Self::Water => WATER.0.into(),
        })
    }
}

impl Field for ColourBy {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        if let Value::Text(text) = value.value()
            && let Some(name) = text.strip_prefix(STATE_PREFIX)
        {
            return Ok(Self::State(interned(name)));
        }
        named_or(value, &Self::NAMES, Self::Fixed)
    }

    fn write(&self, _: &Key, _: usize) -> Option<Value<bool>> {
        match self {
            Self::Fixed(colour) => Some(list(&[*colour])),
            Self::State(name) => Some(full_name(name).into()),
            quantity => name_of(quantity, &Self::NAMES),
        }
    }
}

impl Field for Palette {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        named_or_colours(value, &Self::names(), MAX_PALETTE_COLOURS, Self::Colours)
    }

    fn write(&self, _: &Key, _: usize) -> Option<Value<bool>> {
        match self {
            Self::Colours(colours) => Some(list(colours)),
            named => name_of(named, &Self::names()),
        }
    }
}
