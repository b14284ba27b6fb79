//! Long lists of numbers and of places, read piece by piece.
//!
//! The parser of TOML takes thirty to sixty times the length of such a list. So a long one is given to it
//! as a string, and [`deserialize`] parses that string in pieces.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{DeserializeOwned, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A longer list is long; bytes of its text.
const MAX_LIST: usize = 4096;

/// A piece is longer than this by one element at most; bytes of its text.
const PIECE: usize = 1 << 14;

/// Lists of lists are the deepest.
const MAX_DEPTH: usize = 2;

/// A text of TOML with its long lists of numbers as strings. Each character stays in its line.
pub fn quoted(text: &str) -> Cow<'_, str> {
    let mut new = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(next) = text[at..].find(['[', '"', '\'', '#']) {
        at += next;
        let here = &text[at..];
        let end = at
            + match here.as_bytes()[0] {
                b'[' => list(here).unwrap_or(1),
                b'#' => here.find('\n').unwrap_or(here.len()),
                _ => string(here),
            };
        if end - at > MAX_LIST && here.starts_with('[') {
            if new.is_empty() {
                new.reserve(text.len() + text.len() / MAX_LIST * 6);
            }
            new.extend([&text[copied..at], "'''", &text[at..end], "'''"]);
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return text.into();
    }
    new += &text[copied..];
    new.into()
}

/// Bytes of the list that begins here, if it has only numbers.
fn list(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' if depth < MAX_DEPTH => depth += 1,
            b']' if depth == 1 => return Some(at + 1),
            b']' => depth -= 1,
            b'0'..=b'9' | b'.' | b',' | b'-' | b'+' | b'e' | b'E' | b'_' => {}
            byte if byte.is_ascii_whitespace() => {}
            _ => return None,
        }
    }
    None
}

/// Bytes of the string that begins here.
fn string(text: &str) -> usize {
    let (quote, mark) = if text.starts_with('"') { ("\"", ['"', '\\']) } else { ("'", ['\''; 2]) };
    let lines = text.starts_with(&quote.repeat(3));
    let end = if lines { &text[..3] } else { quote };
    let mut at = end.len();
    while let Some(next) = text[at..].find(mark) {
        at += next;
        let here = &text[at..];
        if let Some(rest) = here.strip_prefix(end) {
            // Two more quotes may belong to the text.
            let more = rest.bytes().take_while(|byte| [*byte] == quote.as_bytes()).take(2).count();
            return at + end.len() + if lines { more } else { 0 };
        }
        let escaped = here.strip_prefix('\\').and_then(|rest| rest.chars().next());
        at += 1 + escaped.map_or(0, char::len_utf8);
    }
    text.len()
}

/// Reads a list, or the string of one.
pub fn deserialize<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_any(List(PhantomData))
}

struct List<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
        let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let inner =
            inner.ok_or_else(|| E::invalid_type(serde::de::Unexpected::Str(text), &self))?;
        let (mut all, mut begin, mut depth) = (Vec::new(), 0, 0);
        for (at, byte) in inner.bytes().enumerate() {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                b',' if depth == 0 && at - begin > PIECE => {
                    all.extend(piece(&inner[begin..at])?);
                    begin = at + 1;
                }
                _ => {}
            }
        }
        all.extend(piece(&inner[begin..])?);
        Ok(all)
    }
}

fn piece<T: DeserializeOwned, E: Error>(text: &str) -> Result<Vec<T>, E> {
    #[derive(Deserialize)]
    struct Piece<T> {
        all: Vec<T>,
    }
    let read = toml::from_str(&format!("all = [{text}]"));
    read.map(|Piece { all }| all).map_err(|error| E::custom(error.message()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_numbers_are_quoted_and_nothing_else() {
        let long = format!("[{}]", "1, ".repeat(MAX_LIST));
        let pairs = format!("[{}]", "[1.5, -2e3],\n".repeat(MAX_LIST));
        let same = [
            "remove = [1, 2]".into(),
            format!(
                "set = ['{long}', \"\\\"{long}\", \"\"\"{long}\"\"\"\"\"]\n# it's {long}\na = []"
            ),
            format!("a = {}", &long[..long.len() - 1]),
            format!("a = [x, {}", &long[1..]),
        ];
        for text in same {
            assert!(quoted(&text) == text, "{}", &text[..20]);
        }
        let text = format!("a = '''b''''' # \"\nids = {long}\nb = {{ c = {pairs}, d = \"[\" }}\n");
        let wanted = text.replace(&long, &format!("'''{long}'''"));
        assert!(quoted(&text) == wanted.replace(&pairs, &format!("'''{pairs}'''")));
    }

    #[test]
    fn a_long_list_is_the_same_in_pieces() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Lists {
            #[serde(deserialize_with = "deserialize")]
            ids: Vec<u32>,
            #[serde(deserialize_with = "deserialize")]
            pairs: Vec<Vec<f64>>,
        }
        let ids: Vec<u32> = (0..9000).collect();
        let pairs: Vec<Vec<f64>> = (0..9000).map(|n| vec![n.into(), -0.5]).collect();
        let text = format!("ids = {ids:?}\npairs = {pairs:?}");
        let read = |text: &str| toml::from_str::<Lists>(text).map_err(|error| error.to_string());
        assert!(quoted(&text).contains("'''["));
        assert_eq!(read(&quoted(&text)), Ok(Lists { ids, pairs }));
        let wrong = read(&quoted(&text.replace("7777,", "7.5,"))).unwrap_err();
        assert!(wrong.contains("7.5"), "{wrong}");
    }
}
