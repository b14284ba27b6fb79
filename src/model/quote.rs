//! The user's values in messages: cut if they are long, and with control characters escaped, which a
//! terminal would obey.
//!
//! Otherwise a message that repeats ten thousand characters would hide its own words.

use std::borrow::Cow;
use std::fmt;

/// The most characters of a value in a message.
const MAX_LETTERS: usize = 80;

/// The most characters of a message without a space.
const MAX_WORD: usize = 240;

/// The most characters of a message's beginning and of its end; the middle of a longer one is cut.
const MAX_MESSAGE: (usize, usize) = (3000, 1000);

/// The first `count` characters of `text`, if it has more.
fn beginning(text: &str, count: usize) -> Option<&str> {
    text.char_indices().nth(count).map(|(end, _)| &text[..end])
}

/// `text` with its control characters escaped: on a terminal they would write elsewhere, or in colour.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, is_invisible)
}

/// True for control characters, and for those that turn the direction of writing.
fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

fn escaped(text: &str, escapes: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(escapes) {
        return text.into();
    }
    let mut own = String::new();
    for character in text.chars() {
        match escapes(character) {
            true => own.extend(character.escape_debug()),
            false => own.push(character),
        }
    }
    own.into()
}

/// `text` with its control characters escaped, or its beginning and its length if it is long.
#[must_use]
pub fn cut(text: &str) -> Cow<'_, str> {
    match beginning(text, MAX_LETTERS) {
        None => shown(text),
        Some(part) => format!("{}… ({} characters)", shown(part), text.chars().count()).into(),
    }
}

/// `text` in quotes with special characters escaped, or its beginning and its length if it is long.
#[must_use]
pub fn quoted(text: &str) -> String {
    match beginning(text, MAX_LETTERS) {
        None => format!("{text:?}"),
        Some(part) => format!("{part:?}… ({} characters)", text.chars().count()),
    }
}

/// The first forty of `names`, and the number of the others.
#[must_use]
pub fn listed(names: &[&str]) -> String {
    const MAX_NAMES: usize = 40;
    let mut list: Vec<Cow<'_, str>> = names.iter().take(MAX_NAMES).map(|name| cut(name)).collect();
    if names.len() > MAX_NAMES {
        list.push(format!("and {} more", names.len() - MAX_NAMES).into());
    }
    list.join(", ")
}

/// `text` with its control characters escaped, except the ends of lines and tabs: on a terminal they
/// could hide or change what it shows.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c.is_control() && c != '\n' && c != '\t')
}

/// A message for a terminal: [`visible`], and cut to a readable length. Words longer than 240
/// characters are cut, and so is the middle of a message longer than 4,000.
#[must_use]
pub fn readable(message: &impl fmt::Display) -> String {
    let message = message.to_string();
    let message = visible(&message);
    let words = message.split_inclusive(char::is_whitespace).map(|word| {
        match beginning(word.trim_end(), MAX_WORD) {
            None => Cow::Borrowed(word),
            Some(part) => format!("{part}…{}", &word[word.trim_end().len()..]).into(),
        }
    });
    let message: String = words.collect();
    let (first, last) = MAX_MESSAGE;
    let count = message.chars().count();
    match beginning(&message, first) {
        Some(head) if count > first + last => {
            let tail: String = message.chars().skip(count - last).collect();
            format!("{head} … {tail}")
        }
        _ => message,
    }
}

/// The candidate most similar to `word`, with at most half of its letters changed. Capital letters are as good as
/// small ones.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let small = word.to_lowercase();
    let likeness = |candidate: &str| {
        let other = candidate.to_lowercase();
        // Short names share letters by chance.
        let is_near = strsim::normalized_damerau_levenshtein(&small, &other) >= 0.5;
        is_near.then(|| strsim::jaro_winkler(&small, &other))
    };
    candidates
        .into_iter()
        .filter_map(|candidate| Some((likeness(candidate)?, candidate)))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// `did you mean `x`?`, or the list of known names.
#[must_use]
pub fn suggest(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(candidate) => format!("did you mean `{}`?", cut(candidate)),
        None => format!("known names are {}", listed(known)),
    }
}

/// `; did you mean `x`?` for a message that lists the known names itself; empty if no candidate is
/// similar to `word`.
pub fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates)
        .map_or_else(String::new, |near| format!("; did you mean `{}`?", cut(near)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_stays_and_what_is_long_is_cut_between_characters() {
        assert_eq!(cut("müde"), "müde");
        assert_eq!(quoted("a\nb"), "\"a\\nb\"");
        assert_eq!(cut("it's a\n\0\u{1b}[2Jb\r\u{9b}"), "it's a\\n\\0\\u{1b}[2Jb\\r\\u{9b}");
        assert_eq!(readable(&"a\n\u{1b}[31mb\u{7}"), "a\n\\u{1b}[31mb\\u{7}");
        let long = "ü".repeat(10_000);
        assert_eq!(cut(&long), format!("{}… (10000 characters)", "ü".repeat(80)));
        assert_eq!(quoted(&long), format!("\"{}\"… (10000 characters)", "ü".repeat(80)));
        assert_eq!(cut(&"ü".repeat(80)), "ü".repeat(80));
        let names: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(listed(&names).ends_with("38, 39, and 10 more"));
        assert_eq!(listed(&["a", "b"]), "a, b");
    }

    #[test]
    fn a_name_is_suggested_for_a_misspelt_one_alone() {
        let keys: &[&str] = &["weight", "turn", "state"];
        let functions: &[&str] = &["length", "rotate", "dot", "log", "sin"];
        for (word, known, wanted) in [
            ("wieght", keys, Some("weight")),
            ("Turns", keys, Some("turn")),
            ("strength", keys, None),
            ("len", functions, Some("length")),
            ("rot", functions, Some("rotate")),
            ("ln", functions, None),
            ("", functions, None),
        ] {
            assert_eq!(nearest(word, known.iter().copied()), wanted, "{word}");
        }
    }

    #[test]
    fn a_message_has_no_control_characters() {
        let text = "--scene \u{1b}[31mred\u{7}\u{9b}2J\r: no such file\n\tmüde";
        let escaped = "--scene \\u{1b}[31mred\\u{7}\\u{9b}2J\\r: no such file\n\tmüde";
        assert_eq!(visible(text), escaped);
        assert_eq!(readable(&text), escaped);
    }

    #[test]
    fn a_message_keeps_its_beginning_and_its_end() {
        let plain = "--scene x: no such file;  lists\nthem";
        assert_eq!(readable(&plain), plain);
        let word = format!("--scene {}: no such file", "x".repeat(10_000));
        let text = readable(&word);
        assert_eq!(text, format!("--scene {}… no such file", "x".repeat(240)));
        let words = format!("--set {}: no such key", "x ".repeat(10_000));
        let text = readable(&words);
        assert!(text.len() < 4100 && text.starts_with("--set x x"), "{text}");
        assert!(text.ends_with("x : no such key"), "{text}");
    }
}
