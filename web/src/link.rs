//! Links to a flock: `#name=murmuration&count=200000&seed=7&set=starling.cohesion.weight=2`, or with the text of a
//! scene of one's own, compressed: `#scene=…`.

use std::fmt::Write as _;
use std::io::Read;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};

use flockwork_model::quote::{cut, hint};
use flockwork_model::scene::{BuiltIn, Request, built_in};
use flockwork_session::Source;

/// The flock of a page without a link.
const DEFAULT: &str = "flock";

/// The most bytes of a link's part behind `#`.
const MAX_LINK: usize = 32 << 10;

/// The most bytes of a scene in a link; a link that holds more does harm.
const MAX_TEXT: u64 = 1 << 20;

/// The flock of a link.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its scene, count and seed.
    pub source: Source,
    /// True if the CPU engine moves it.
    pub on_cpu: bool,
}

/// The parts of a link.
const KEYS: [&str; 7] = ["name", "scene", "count", "seed", "density", "set", "engine"];

/// The flock that the part of an address behind `#` names.
///
/// # Errors
/// If a key is not known, a scene is not there or a number is none. One sentence.
pub fn read(fragment: &str) -> Result<Link, String> {
    let fragment = fragment.trim_start_matches('#');
    if fragment.len() > MAX_LINK {
        return Err(format!("the link has {} bytes; {MAX_LINK} are the most", fragment.len()));
    }
    let (mut name, mut text, mut on_cpu) = (DEFAULT.to_owned(), None, false);
    let (mut request, mut overrides) = (Request::default(), Vec::new());
    for part in fragment.split('&').filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let value = decoded(value)?;
        match key {
            "name" => name = value,
            "scene" => text = Some(unpacked(&value)?),
            "count" => request.count = Some(number(key, &value, COUNT)?),
            "seed" => request.seed = Some(number(key, &value, SEED)?),
            "density" => request.density = Some(number(key, &value, "a number")?),
            "set" => overrides.push(value),
            "engine" => {
                on_cpu = match value.as_str() {
                    "cpu" => true,
                    "gpu" => false,
                    _ => {
                        let value = cut(&value);
                        return Err(format!("the link's engine is `{value}`, expected cpu or gpu"));
                    }
                }
            }
            _ => {
                let hint = hint(key, KEYS);
                return Err(format!("the link has an unknown part `{}`{hint}", cut(key)));
            }
        }
    }
    if let Some(text) = text {
        let source = Source { argument: None, text, overrides, request };
        return Ok(Link { source, on_cpu });
    }
    let scene = BuiltIn::named(&name).ok_or_else(|| {
        let hint = hint(&name, built_in().map(|scene| scene.name));
        format!("no scene is called `{}`{hint}", cut(&name))
    })?;
    let source = Source { argument: Some(name), text: scene.text.into(), overrides, request };
    Ok(Link { source, on_cpu })
}

/// The part of an address that names a flock, and the CPU engine if that moves it, from `#` on; `None` if it would be
/// too long.
#[must_use]
pub fn write(source: &Source, on_cpu: bool) -> Option<String> {
    let name = source.argument.as_deref().filter(|name| BuiltIn::named(name).is_some());
    let mut link = match name {
        Some(name) => format!("#name={name}"),
        None => format!("#scene={}", packed(&source.text)),
    };
    let Request { count, seed, density, .. } = &source.request;
    let parts = [
        ("count", count.map(|count| count.to_string())),
        ("seed", seed.map(|seed| seed.to_string())),
        ("density", density.map(|density| density.to_string())),
        ("engine", on_cpu.then(|| "cpu".into())),
    ];
    for (key, value) in parts {
        if let Some(value) = value {
            link += &format!("&{key}={value}");
        }
    }
    source.overrides.iter().for_each(|set| link += &format!("&set={}", encoded(set)));
    (link.len() <= MAX_LINK).then_some(link)
}

/// A text, compressed and in letters.
fn packed(text: &str) -> String {
    let mut bytes = Vec::new();
    // Reading from memory never fails.
    let _ = DeflateEncoder::new(text.as_bytes(), Compression::best()).read_to_end(&mut bytes);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// The text of [`packed`].
fn unpacked(letters: &str) -> Result<String, String> {
    let broken = || "the link's scene is cut short or damaged".to_owned();
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(letters).map_err(|_| broken())?;
    let mut text = Vec::new();
    let read = DeflateDecoder::new(bytes.as_slice()).take(MAX_TEXT + 1).read_to_end(&mut text);
    read.map_err(|_| broken())?;
    if text.len() as u64 > MAX_TEXT {
        return Err(format!("the link's scene has more than {MAX_TEXT} bytes, the limit"));
    }
    String::from_utf8(text).map_err(|_| broken())
}

/// Values of `count`.
const COUNT: &str = "a whole number from 0 to 18446744073709551615, without a point";

/// Values of `seed`.
const SEED: &str = "a whole number from 0 to 4294967295, without a point";

fn number<T: std::str::FromStr>(key: &str, value: &str, expected: &str) -> Result<T, String> {
    let plain = value.replace('_', "");
    plain.parse().map_err(|_| format!("the link's {key} is `{}`, expected {expected}", cut(value)))
}

/// Replaces each `%2F` by its byte.
fn decoded(text: &str) -> Result<String, String> {
    let bad = || format!("the link has a part that is no text: `{}`", cut(text));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next(), rest.next()].map(|digit| char::from(digit.unwrap_or(b' ')));
        let [high, low] = digits.map(|digit| digit.to_digit(16));
        let (Some(high), Some(low)) = (high, low) else { return Err(bad()) };
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).map_err(|_| bad())
}

/// Writes bytes that separate parts of a link as `%2F`.
fn encoded(text: &str) -> String {
    let mut link = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~=,[]:*".contains(&byte) {
            link.push(byte.into());
        } else {
            // Writing into a text never fails.
            let _ = write!(link, "%{byte:02X}");
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_a_flock() {
        let link = read("#name=murmuration&count=200_000&seed=7&density=2e-3&engine=cpu").unwrap();
        let (source, on_cpu) = (link.source, link.on_cpu);
        assert!(on_cpu && !read("#engine=gpu").unwrap().on_cpu);
        assert_eq!(source.argument.as_deref(), Some("murmuration"));
        let Request { count, seed, density, .. } = source.request;
        assert_eq!((count, seed), (Some(200_000), Some(7)));
        assert!(density.is_some());
        for empty in ["", "#", "#&"] {
            assert_eq!(read(empty).unwrap().source.argument.as_deref(), Some(DEFAULT));
        }
    }

    #[test]
    fn a_link_reads_back() {
        let set = "starling.rules.swirl.force=\"50 % & more = ½\"".to_owned();
        let request = Request { count: Some(300), seed: Some(1), ..Request::default() };
        let source = Source {
            argument: Some("flock".into()),
            text: BuiltIn::named("flock").unwrap().text.into(),
            overrides: vec![set, "world.size=[640,360]".into()],
            request,
        };
        let link = write(&source, true).unwrap();
        assert!(read(&link).unwrap().on_cpu);
        assert!(link.is_ascii() && !link.contains(' '), "{link}");
        let again = read(&link).unwrap().source;
        assert_eq!(again.overrides, source.overrides);
        assert_eq!((again.request.count, again.request.seed), (Some(300), Some(1)));
    }

    #[test]
    fn a_scene_of_ones_own_is_in_its_link() {
        let text = BuiltIn::named("predators").unwrap().text.replace("prey", "herring");
        let own = Source { text, ..Source::default() };
        let link = write(&own, false).unwrap();
        assert!(!read(&link).unwrap().on_cpu);
        assert!(link.starts_with("#scene=") && link.is_ascii(), "{link}");
        assert!(link.len() < own.text.len(), "{} of {}", link.len(), own.text.len());
        let again = read(&format!("{link}&seed=4")).unwrap().source;
        assert_eq!((again.text, again.argument), (own.text, None));
        assert_eq!(again.request.seed, Some(4));
        // Noise is not made shorter.
        let mut dice = 1_u64;
        let mut letter = |_| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'a' + (dice >> 60) as u8)
        };
        let noise: String = (0..60_000).map(&mut letter).collect();
        assert_eq!(write(&Source { text: noise, ..Source::default() }, false), None);
        let bomb = format!("#scene={}", packed(&" ".repeat(4 << 20)));
        assert!(bomb.len() < MAX_LINK);
        assert!(read(&bomb).unwrap_err().contains("the limit"));
        for link in ["#scene=", "#scene=%%", "#scene=AAAA", "#scene=!", &link[..link.len() / 2]] {
            let text = read(link).map_or(String::new(), |link| link.source.text);
            assert_eq!(text, "", "{link}");
        }
    }

    #[test]
    fn what_is_wrong_is_one_sentence() {
        for (link, part) in [
            ("#name=murmurations", "did you mean `murmuration`?"),
            ("#nme=flock", "did you mean `name`?"),
            ("#count=many", "count is `many`, expected a whole number"),
            ("#density=many", "density is `many`, expected a number"),
            ("#count=-1", "count is `-1`"),
            (
                "#seed=4294967296",
                "seed is `4294967296`, expected a whole number from 0 to 4294967295,",
            ),
            ("#engine=tpu", "expected cpu or gpu"),
            ("#name=%", "no text"),
            ("#name=%ff", "no text"),
            ("#name=%zz", "no text"),
            (&format!("#name={}", "a".repeat(40_000)), "32768 are the most"),
            (&format!("#{}=1", "a".repeat(4000)), "unknown part"),
            ("#name=\u{202e}flock", "no scene is called"),
        ] {
            let error = read(link).unwrap_err();
            assert!(error.contains(part) && !error.contains('\n'), "{link}: {error}");
            assert!(error.len() < 300, "{error}");
        }
    }
}
