//! Constants that both Rust and WGSL declare have the same value in both.

use std::collections::{BTreeMap, BTreeSet};

use super::rules::{files, root, sources};

/// Names with one meaning in Rust and another in WGSL.
const HOMONYMS: [&str; 4] = ["GLOW", "ROWS", "SLOTS", "STEPS"];

type Constants = BTreeMap<String, BTreeSet<String>>;

/// The value of a literal of either language; none for other expressions.
fn value(literal: &str) -> Option<String> {
    let plain = literal.trim().replace('_', "");
    let plain = ["u32", "usize", "f32", "u", "f"]
        .iter()
        .find_map(|suffix| plain.strip_suffix(suffix))
        .unwrap_or(&plain);
    plain.parse::<f64>().ok().map(|value| value.to_string())
}

/// Enumerations whose variants are constants in WGSL, and the beginning of their names there.
const ENUMERATIONS: [(&str, &str); 2] =
    [("pub enum Purpose {", "PURPOSE"), ("pub enum Shown {", "SHOWS")];

/// The constants that a text declares with a literal, and the variants of enumerations.
fn constants(text: &str) -> impl Iterator<Item = (String, String)> {
    let declared = text.split("const ").skip(1).filter_map(|rest| {
        let (name, literal) = rest.split_once(';')?.0.split_once(" = ")?;
        Some((name.split(':').next()?.to_owned(), value(literal)?))
    });
    let variants = ENUMERATIONS.iter().flat_map(|(begin, prefix)| {
        let body = text.split_once(begin).and_then(|(_, rest)| rest.split_once('}'));
        body.map_or("", |(body, _)| body).lines().filter_map(|line| {
            let (variant, number) = line.trim().strip_suffix(',')?.split_once(" = ")?;
            let mut name = String::from(*prefix);
            for letter in variant.chars() {
                if letter.is_uppercase() {
                    name.push('_');
                }
                name.extend(letter.to_uppercase());
            }
            Some((name, value(number)?))
        })
    });
    declared.chain(variants).collect::<Vec<_>>().into_iter()
}

fn all(texts: impl IntoIterator<Item = String>) -> Constants {
    let mut found = Constants::new();
    for (name, value) in texts.into_iter().flat_map(|text| constants(&text).collect::<Vec<_>>()) {
        found.entry(name).or_default().insert(value);
    }
    found
}

/// The number of shared names, and a line for each whose WGSL value is not a Rust value too.
fn compare(wgsl: &Constants, rust: &Constants) -> (usize, Vec<String>) {
    let twins = wgsl.iter().filter_map(|(name, own)| Some((name, own, rust.get(name)?)));
    let twins: Vec<_> = twins.filter(|(name, ..)| !HOMONYMS.contains(&name.as_str())).collect();
    let wrong = twins.iter().filter(|(_, own, other)| !own.is_subset(other));
    let wrong = wrong.map(|(name, own, other)| format!("{name}: {own:?} and {other:?}"));
    (twins.len(), wrong.collect())
}

fn shaders() -> Vec<String> {
    files(&root("shaders"), &["wgsl"]).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn twins_in_rust_and_wgsl_are_equal() {
    let folders = ["src/model", "src/engine", "src/view"];
    let rust = all(folders.iter().flat_map(|f| sources(&root(f))).map(|(_, text)| text));
    let (count, wrong) = compare(&all(shaders()), &rust);
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count >= 40, "{count}");
    // Each of them is found when it differs.
    for name in [
        "MAX_COORDINATE",
        "MAX_COLOUR_VALUE",
        "SAME_SPOT_SQUARED",
        "PURPOSE_WANDER_HEIGHT",
        "SHOWS_CLUSTER",
    ] {
        let mut other = rust.clone();
        other.insert(name.into(), BTreeSet::from(["0.5".into()]));
        assert_eq!(compare(&all(shaders()), &other).1.len(), 1, "{name}");
    }
}
