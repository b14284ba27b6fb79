//! The values that a sweep gives to a key.

use std::str::FromStr;

use crate::commands::host::arg_parsers::repeated;
use flockwork_model::quote::quoted;
use flockwork_model::scene::{key_and_value, pieces};

/// Most values of one key.
const MAX_VALUES: usize = 100_000;

/// A key and its values, as texts: `KEY=A..B:N` or `KEY=V,V,…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// A key of `--set`, or `count` or `density`.
    pub key: String,
    /// At least one, all different.
    pub values: Vec<String>,
}

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, values) = key_and_value(text)
            .ok_or("expected KEY=A..B:N for N even steps, or KEY=V,V,… for values")?;
        Self::new(key, values_of(values)?)
    }
}

/// The one spelling of a key of `--set`, or of `count` or `density`. A name has quotes if it has a point.
pub fn resolved(key: &str) -> String {
    let parts = pieces(key.trim(), '.').map(|part| {
        let name = part.trim_matches('"');
        if name.contains('.') { part } else { name }
    });
    let key = parts.collect::<Vec<_>>().join(".");
    match key.strip_prefix("species.").unwrap_or(&key) {
        "world.density" => "density".into(),
        key => key.into(),
    }
}

impl Axis {
    /// Refuses no values, and a value that is there twice.
    pub fn new(key: &str, values: Vec<String>) -> Result<Self, String> {
        let key = key.trim();
        if resolved(key) == "seed" {
            return Err("seeds are counted: --seeds K takes K of them, from --seed on".into());
        }
        match repeated(&values) {
            _ if key.is_empty() => Err("the key is missing; expected KEY=V,V,…".into()),
            _ if values.is_empty() => Err(format!("{key} has no value; name at least one")),
            Some(value) => {
                Err(format!("{key} has the value {} twice; leave one out", quoted(value)))
            }
            None => Ok(Self { key: key.into(), values }),
        }
    }
}

/// The values in the text of `A..B:N` or `V,V,…`.
pub fn values_of(text: &str) -> Result<Vec<String>, String> {
    match text.split_once("..") {
        Some((from, rest)) if !text.contains([',', '"']) => even(from, rest).ok_or_else(|| {
            let expected = format!(
                "two different numbers and from 2 to {MAX_VALUES} values, for example 0..1:11"
            );
            format!("{} is no range: expected A..B:N, {expected}", quoted(text))
        }),
        _ => Ok(split(text).map(|value| value.trim().to_owned()).collect()),
    }
}

/// N even steps from A to B, both included.
fn even(from: &str, rest: &str) -> Option<Vec<String>> {
    let (to, count) = rest.split_once(':')?;
    let [from, to] = [from, to].map(|end| end.trim().parse::<f64>().ok());
    let (from, to) = (from?, to?);
    let count: usize = count.trim().parse().ok()?;
    let fits = (2..=MAX_VALUES).contains(&count) && from != to;
    // Not the third point of `...`; and their difference is a number too.
    let fits = fits && !rest.starts_with('.') && (to - from).is_finite();
    let step = |at: usize| from + (to - from) * (at as f64 / (count - 1) as f64);
    // Twelve digits, so that a tenth is 0.1 and not 0.1000…01.
    let short = |value: f64| format!("{value:.11e}").parse::<f64>().map(|value| value.to_string());
    fits.then(|| (0..count).map(|at| short(step(at)).ok()).collect())?
}

/// The parts between the commas that stand outside brackets and quotes.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut is_quoted) = (0_i32, false);
    text.split(move |letter| {
        match letter {
            '"' => is_quoted = !is_quoted,
            '[' | '{' if !is_quoted => depth += 1,
            ']' | '}' if !is_quoted => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0 && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_both_ends_and_short_numbers() {
        let values = |text: &str| values_of(text).unwrap().join(" ");
        assert_eq!(values("0..1:11"), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
        assert_eq!(values("2..-1:4"), "2 1 0 -1");
        assert_eq!(values("1e-3..0.003:3"), "0.001 0.002 0.003");
        for wrong in [
            "0..1",
            "0..1:1",
            "1..1:3",
            "a..1:3",
            "0..nan:3",
            "0..1:x",
            "0..1:200000",
            "..:",
            "0...5:3",
            "-1e308..1e308:3",
        ] {
            let problem = values_of(wrong).unwrap_err();
            assert!(problem.contains("0..1:11") && problem.contains(wrong), "{problem}");
        }
    }

    #[test]
    fn a_key_has_one_spelling() {
        for (key, wanted) in [
            (" a.max_speed ", "a.max_speed"),
            ("species.a.max_speed", "a.max_speed"),
            ("world.density", "density"),
            ("world.size", "world.size"),
            ("species.\"a\".\"max_speed\"", "a.max_speed"),
            ("\"a.b\".max_speed", "\"a.b\".max_speed"),
        ] {
            assert_eq!(resolved(key), wanted);
        }
        assert!(" seed =1,2".parse::<Axis>().unwrap_err().contains("--seeds"));
    }

    #[test]
    fn commas_within_a_value_do_not_end_it() {
        let axis: Axis = r#"world.size=[400,400], [800,800],"a,b",wrap"#.parse().unwrap();
        assert_eq!(axis.key, "world.size");
        assert_eq!(axis.values, ["[400,400]", "[800,800]", "\"a,b\"", "wrap"]);
        for (wrong, problem) in [
            ("a", "expected KEY="),
            ("=1,2", "the key is missing"),
            ("a=1,2,1", "\"1\" twice"),
            ("seed=1,2", "--seeds"),
            ("\"seed\"=1,2", "--seeds"),
        ] {
            let told = wrong.parse::<Axis>().unwrap_err();
            assert!(told.contains(problem), "{wrong}: {told}");
        }
    }
}
