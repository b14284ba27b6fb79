//! The messages of the TOML library in the words of this program.

/// The beginning of the library's message about the text of a whole value, and the same with its remedy.
const WHOLE: [(&str, &str); 8] = [
    ("duplicate key", "this key is written twice; keep one of the two"),
    ("key with no value, expected `=`", "this key has no value; write KEY = VALUE"),
    ("string values must be quoted, expected literal string", VALUE),
    // Of texts such as `fl/w.csv` and `0.3*x`.
    ("invalid boolean", VALUE),
    ("invalid float", VALUE),
    ("invalid basic string, expected `\"`", "this text has no end; close it with a quote"),
    ("invalid unquoted key, expected letters, numbers, `-`, `_`", KEY),
    ("unquoted keys cannot be empty, expected letters, numbers, `-`, `_`", KEY),
];

/// The remedy for a value that is none.
const VALUE: &str =
    "expected one value: a number, true, false, a text in quotes, a list or a table";

/// The remedy for a key that is none.
const KEY: &str = "expected a key of letters, digits, `-` and `_`; put other keys in quotes";

/// The kinds of values that the library names, and how a user would.
const KINDS: [(&str, &str); 8] = [
    ("u32", "a whole number from 0 to 4294967295"),
    ("u64", "a whole number, 0 or more"),
    ("f64", "a number"),
    ("a string", "a text in quotes"),
    ("a sequence", "a list"),
    ("a boolean", "true or false"),
    ("a map", "a table"),
    ("struct ", "a table"),
];

/// A message of the library in plain words.
#[must_use]
pub fn problem(message: &str) -> String {
    let message = message.trim();
    if let Some((_, words)) = WHOLE.iter().find(|(known, _)| message.starts_with(known)) {
        return (*words).into();
    }
    let after = |start: &str| message.strip_prefix(start);
    if let Some(key) = after("missing field ") {
        return format!("the key {key} is missing; add it");
    }
    if let Some((key, known)) = after("unknown field ").and_then(|rest| rest.split_once(", ")) {
        let known = known.trim_start_matches("expected one of ").trim_start_matches("expected ");
        return format!("unknown key {key}; known keys are {known}");
    }
    let wrong = after("invalid type: ").or_else(|| after("invalid value: "));
    // A text that is found may have the same words; the last ones are the library's.
    if let Some((found, wanted)) = wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        let kind = KINDS.iter().find(|(known, _)| match known.strip_suffix(' ') {
            Some(_) => wanted.starts_with(known),
            None => wanted == *known,
        });
        return format!(
            "expected {}, found {}",
            kind.map_or(wanted, |(_, kind)| kind),
            said(found)
        );
    }
    message.trim_end_matches(", expected nothing").into()
}

/// A found value: `integer `3`` is `3`, and `map` is a table.
fn said(found: &str) -> &str {
    let after = |start: &str| found.strip_prefix(start);
    match found {
        "map" => "a table",
        "sequence" => "a list",
        _ => {
            let number = after("integer ").or_else(|| after("floating point "));
            let bare = number.or_else(|| after("boolean ")).map(|value| value.trim_matches('`'));
            bare.or_else(|| after("string ")).unwrap_or(found)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its errors are read")]
    struct Keys {
        small: u32,
        #[serde(default)]
        large: u64,
        #[serde(default)]
        number: f64,
        #[serde(default)]
        text: String,
        #[serde(default)]
        truth: bool,
        #[serde(default)]
        list: Vec<u32>,
        below: Option<Box<Keys>>,
    }

    #[test]
    fn no_word_of_the_library_reaches_a_user() {
        for (text, wanted) in [
            ("small = \"a, expected u64\"", "0 to 4294967295, found \"a, expected u64\""),
            ("small = -1", "expected a whole number from 0 to 4294967295, found -1"),
            ("small = 1.5", "found 1.5"),
            ("small = true", "found true"),
            ("small = {}", "found a table"),
            ("small = []", "found a list"),
            ("small = 1\nlarge = -1", "expected a whole number, 0 or more, found -1"),
            ("small = 1\nnumber = 'x'", "expected a number, found \"x\""),
            ("small = 1\ntext = 1", "expected a text in quotes, found 1"),
            ("small = 1\ntruth = 1", "expected true or false, found 1"),
            ("small = 1\nlist = 1", "expected a list, found 1"),
            ("small = 1\nbelow = 1", "expected a table, found 1"),
            ("large = 1", "the key `small` is missing; add it"),
            ("smal = 1", "unknown key `smal`; known keys are `small`, `large`"),
            ("small = 1\nsmall = 1", "this key is written twice"),
            ("small", "this key has no value"),
            ("small = ", "expected one value: a number"),
            ("small = 1 2", "expected"),
            ("small = fl/w.csv", "a text in quotes"),
            ("small = 0.3*heading", "a text in quotes"),
            ("text = \"x", "this text has no end"),
            ("= 1", "expected a key of letters"),
            ("small = 1_", "`_` may only go between digits"),
        ] {
            let error = toml::from_str::<Keys>(text).unwrap_err();
            let said = problem(error.message());
            assert!(said.contains(wanted), "{text}: {said}, from {}", error.message());
            let words = ["invalid", "field", "u32,", "sequence", "struct", "nothing", "literal"];
            assert!(words.iter().all(|word| !said.contains(word)), "{text}: {said}");
        }
    }
}
