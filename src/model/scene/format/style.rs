//! The table `[style]` and the values of colours: names, `#RRGGBB`, and lists of colours.

use super::fields::{Field, Fields, Form, Written, name_of, text};
use super::keys::Key;
use super::reader::Reader;
use crate::quote::quoted;
use crate::scene::{
    Background, BackgroundName, ColourBy, MOST_BACKGROUND_COLOURS, MOST_PALETTE_COLOURS, Palette,
    PaletteName, Rgb, SceneError, Style, hint,
};

impl Field for Style {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let mut style = Self::default();
        style.read_table(value)?;
        let Self { light, fog, ground, .. } = Self::default();
        if value.axes() == 2 && (style.light, style.fog, style.ground) != (light, fog, ground) {
            return Err(value.fail(
                "light, fog and ground are for a space, and this world is a plane; leave them out, or \
                 give world.size three numbers",
            ));
        }
        Ok(style)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        Some(Written::Table(Form::Headed, self.entries(&Self::default(), key.axes)))
    }
}

/// A name, or what `colour` makes of a colour.
fn named_or<T: Copy>(
    value: &Reader,
    choices: &[(&str, T)],
    colour: impl Fn(Rgb) -> T,
) -> Result<T, SceneError> {
    let text = value.text()?;
    if let Some(rgb) = Rgb::parse(text) {
        return Ok(colour(rgb));
    }
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    choices.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
        let hint = hint(text, names.iter().copied());
        let (text, names) = (quoted(text), names.join(", "));
        value.fail(format!("{text} is neither one of {names} nor a colour such as #E69F00{hint}"))
    })
}

/// One colour of a list.
fn colour(value: &Reader) -> Result<Rgb, SceneError> {
    let text = value.text()?;
    Rgb::parse(text).ok_or_else(|| {
        value.fail(format!("{} is not a colour; write one such as \"#E69F00\"", quoted(text)))
    })
}

/// The colours of a list of 1 to `most`.
fn colours(value: &Reader, most: usize) -> Result<Vec<Rgb>, SceneError> {
    let items = value.items();
    if items.is_empty() || items.len() > most {
        let found = items.len();
        return Err(value.fail(format!("{found} colours; a list has 1 to {most} of them")));
    }
    items.iter().map(colour).collect()
}

fn list(colours: &[Rgb]) -> Written {
    let colours: Vec<String> = colours.iter().map(|colour| text(&colour.to_string())).collect();
    Written::Value(match &colours[..] {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    })
}

impl Field for Background {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        if value.is_list() {
            return Ok(Self::Colours(colours(value, MOST_BACKGROUND_COLOURS)?));
        }
        let names = BackgroundName::NAMES.map(|(name, value)| (name, Ok(value)));
        let found = named_or(value, &names, Err)?;
        Ok(found.map_or_else(|colour| Self::Colours(vec![colour]), Self::Named))
    }

    fn write(&self, _: &Key) -> Option<Written> {
        match self {
            Self::Named(name) => name_of(name, &BackgroundName::NAMES).map(Written::Value),
            Self::Colours(colours) => Some(list(colours)),
        }
    }
}

impl Field for ColourBy {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        named_or(value, &Self::NAMES, Self::Fixed)
    }

    fn write(&self, _: &Key) -> Option<Written> {
        match self {
            Self::Fixed(colour) => Some(list(&[*colour])),
            quantity => name_of(quantity, &Self::NAMES).map(Written::Value),
        }
    }
}

impl Field for Palette {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        if value.is_list() {
            return Ok(Self::Colours(colours(value, MOST_PALETTE_COLOURS)?));
        }
        let named = PaletteName::NAMES.map(|(name, value)| (name, Ok(Some(value))));
        let names = [&[(Self::AUTO, Ok(None))], &named[..]].concat();
        Ok(match named_or(value, &names, Err)? {
            Ok(None) => Self::Auto,
            Ok(Some(name)) => Self::Named(name),
            Err(colour) => Self::Colours(vec![colour]),
        })
    }

    fn write(&self, _: &Key) -> Option<Written> {
        match self {
            Self::Auto => Some(Written::Value(text(Self::AUTO))),
            Self::Named(name) => name_of(name, &PaletteName::NAMES).map(Written::Value),
            Self::Colours(colours) => Some(list(colours)),
        }
    }
}
