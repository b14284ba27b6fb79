//! Parses values of the command line, and reports invalid ones.

use std::collections::HashSet;
use std::hash::Hash;
use std::ops::RangeInclusive;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Command};

use flockwork_model::quote::quoted;
use flockwork_model::scene::{MAX_AGENTS, pieces};
use flockwork_model::statistics::{Selection, UnknownMetric};

/// The arguments of a command in the words of a command line. The first word is a name.
pub fn arguments<'a, T: Args>(words: impl IntoIterator<Item = &'a str>) -> Result<T, clap::Error> {
    T::from_arg_matches(&T::augment_args(Command::new("flockwork")).try_get_matches_from(words)?)
}

/// The first thing that is the same as one before it.
pub fn repeated<T: Copy + Eq + Hash>(things: impl IntoIterator<Item = T>) -> Option<T> {
    let mut seen = HashSet::new();
    things.into_iter().find(|thing| !seen.insert(*thing))
}

/// A clap parser for the name or the file of a scene, which state files and sessions record as text.
pub fn scene_name() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().try_map(|name| {
        name.into_string().map_err(|name| {
            let shown = name.to_string_lossy().into_owned();
            format!("the file name {} is not UTF-8; rename the file", quoted(&shown))
        })
    })
}

/// A clap parser for whole numbers within a range; `_` may group the digits.
pub fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.replace('_', "").parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            format!("expected a whole number from {} to {}", range.start(), range.end())
        })
    }
}

/// A clap parser for a number of agents.
pub fn count(text: &str) -> Result<u64, String> {
    let plain = text.replace(['_', ','], "");
    let count = plain.parse().ok().filter(|count| (1..=MAX_AGENTS).contains(count));
    count.ok_or_else(|| format!("expected a whole number of agents from 1 to {MAX_AGENTS}"))
}

/// A clap parser for a mean number of neighbours.
pub fn density(text: &str) -> Result<f32, String> {
    let density = text.parse().ok().filter(|density| (1e-3..=1e4).contains(density));
    density.ok_or_else(|| "expected a number of neighbours between 0.001 and 10000".into())
}

/// A clap parser for metrics, with commas between their names, which may be in quotes.
pub fn selection(text: &str) -> Result<Selection, UnknownMetric> {
    Selection::parse(&pieces(text, ',').collect::<Vec<_>>())
}

/// A clap parser for an amount of memory: `256MB`, `1.5GB`, `0`.
pub fn memory(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => Some(1.0),
        "KB" => Some(1e3),
        "MB" => Some(1e6),
        "GB" => Some(1e9),
        _ => None,
    };
    let bytes = digits.trim().parse::<f64>().ok().zip(unit).map(|(number, unit)| number * unit);
    let bytes = bytes.filter(|bytes| (0.0..=1e15).contains(bytes));
    bytes
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "expected an amount of memory, for example 256MB, 2GB or 0".into())
}

/// Width and height of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X']);
        let sides = sides.and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        match sides {
            Some((width, height))
                if (1..=16384).contains(&width) && (1..=16384).contains(&height) =>
            {
                Ok(Self { width, height })
            }
            _ => Err("expected WIDTHxHEIGHT in pixels, each from 1 to 16384, for example 1280x720"
                .into()),
        }
    }
}

/// A clap parser for a frame rate.
pub fn frame_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.1..=1000.0).contains(rate));
    rate.ok_or_else(|| "expected a number of frames per second from 0.1 to 1000".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_scene_whose_file_name_is_no_text_is_refused_with_the_remedy() {
        use std::os::unix::ffi::OsStringExt;
        let parse = |name: &[u8]| {
            let name = std::ffi::OsString::from_vec(name.to_vec());
            scene_name().parse_ref(&Command::new("test"), None, &name)
        };
        assert_eq!(parse("grün.toml".as_bytes()).unwrap(), "grün.toml");
        let error = parse(b"gr\xfcn.toml").unwrap_err().to_string();
        assert!(error.contains("is not UTF-8; rename the file"), "{error}");
    }

    #[test]
    fn an_amount_of_memory_has_a_unit() {
        let amounts = ["256MB", "1.5 gb", "0", "7kb", "9B"].map(|text| memory(text).unwrap());
        assert_eq!(amounts, [256_000_000, 1_500_000_000, 0, 7000, 9]);
        for wrong in ["", "MB", "-1MB", "nan", "inf", "3 apples", "1e300GB", "٣MB"] {
            assert!(memory(wrong).unwrap_err().contains("256MB"), "{wrong}");
        }
    }

    #[test]
    fn an_error_about_a_number_names_its_range() {
        let seed = whole::<u32>(0..=u32::MAX.into());
        assert_eq!(seed("4_294_967_295"), Ok(u32::MAX));
        for wrong in ["x", "-1", "1.5", "4294967296", ""] {
            let problem = seed(wrong).unwrap_err();
            assert_eq!(problem, "expected a whole number from 0 to 4294967295", "{wrong}");
        }
        for wrong in ["0", "-1", "nan", "inf", "x", "10001"] {
            assert!(density(wrong).unwrap_err().contains("0.001 and 10000"), "{wrong}");
        }
        assert_eq!((density("0.001"), density("1e4")), (Ok(0.001), Ok(10_000.0)));
    }
}
