//! The output of `flockwork bench --json` matches `docs/bench.schema.json` exactly.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::shell::{Folder, done};

/// The file that a bench of all available engines has written.
fn written(engines: &str) -> Value {
    let folder = Folder::empty();
    let line = format!("bench --engines {engines} --ticks 6 --count 300 --density 9 --json a.json");
    done(&folder, &line);
    serde_json::from_slice(&folder.bytes("a.json")).unwrap()
}

fn skips_gpu() -> bool {
    std::env::var("FLOCKWORK_SKIP_GPU").is_ok_and(|value| value == "1")
}

fn document() -> Value {
    written(if skips_gpu() { "cpu,cpu1" } else { "gpu,cpu" })
}

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bench.schema.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Compares values with the part of JSON Schema that the schema uses.
struct Validator<'a> {
    schema: &'a Value,
    /// The places in the schema of all properties found in the file.
    met: BTreeSet<String>,
    problems: Vec<String>,
}

/// Keywords that do not restrict a value.
const WORDS: [&str; 6] = ["$schema", "$defs", "title", "description", "format", "required"];

impl<'a> Validator<'a> {
    fn of(schema: &'a Value, value: &Value) -> Self {
        let mut validator = Self { schema, met: BTreeSet::new(), problems: Vec::new() };
        validator.check(value, schema, "#", "the file");
        validator
    }

    fn refuse(&mut self, problem: String) {
        self.problems.push(problem);
    }

    /// Checks `value`, at `place` in the file, by the part `rules` of the schema, at `at`.
    fn check(&mut self, value: &Value, rules: &'a Value, at: &str, place: &str) {
        for (keyword, rule) in rules.as_object().unwrap() {
            let numbers = || (value.as_f64().unwrap_or(f64::NAN), rule.as_f64().unwrap());
            let items = || value.as_array().map_or(0, Vec::len) as u64;
            let is_right = match keyword.as_str() {
                "type" => match rule {
                    Value::Array(types) => types.iter().any(|name| is_a(value, name)),
                    name => is_a(value, name),
                },
                "const" => value == rule,
                "enum" => rule.as_array().unwrap().contains(value),
                // By the standard, this restricts only numbers.
                "minimum" => !value.is_number() || numbers().0 >= numbers().1,
                "maximum" => !value.is_number() || numbers().0 <= numbers().1,
                "minItems" => items() >= rule.as_u64().unwrap(),
                "maxItems" => items() <= rule.as_u64().unwrap(),
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(
                            item,
                            rule,
                            &format!("{at}/items"),
                            &format!("{place}[{number}]"),
                        );
                    }
                    true
                }
                "prefixItems" => {
                    let values = value.as_array().into_iter().flatten();
                    for (number, (item, rule)) in values.zip(rule.as_array().unwrap()).enumerate() {
                        let at = format!("{at}/prefixItems/{number}");
                        self.check(item, rule, &at, &format!("{place}[{number}]"));
                    }
                    true
                }
                "$ref" => {
                    let pointer = rule.as_str().unwrap();
                    let rules = self.schema.pointer(pointer.trim_start_matches('#')).unwrap();
                    self.check(value, rules, pointer, place);
                    true
                }
                "anyOf" => {
                    let choices = rule.as_array().unwrap();
                    let fits = |choice: &&Value| Validator::fits(self.schema, value, choice);
                    let fitting = choices.iter().find(fits);
                    if let Some(choice) = fitting {
                        self.check(value, choice, at, place);
                    }
                    fitting.is_some()
                }
                "properties" => {
                    self.check_members(value, rules, at, place);
                    true
                }
                word if WORDS.contains(&word) => true,
                other => panic!("{at}: this test does not know the keyword {other}"),
            };
            if !is_right {
                self.refuse(format!("{place} is {value}, against {at}/{keyword}: {rule}"));
            }
        }
    }

    fn check_members(&mut self, value: &Value, rules: &'a Value, at: &str, place: &str) {
        let Some(members) = value.as_object() else { return };
        for name in rules["required"].as_array().into_iter().flatten() {
            if !members.contains_key(name.as_str().unwrap()) {
                self.refuse(format!("{place} has no {name}"));
            }
        }
        for (name, member) in members {
            match rules["properties"].get(name) {
                Some(rules) => {
                    let at = format!("{at}/properties/{name}");
                    self.check(member, rules, &at, &format!("{place}.{name}"));
                    self.met.insert(at);
                }
                // A reader may ignore unknown fields, but the program itself must not write any.
                None => self.refuse(format!("{place}.{name} is not in the schema")),
            }
        }
    }

    fn fits(schema: &Value, value: &Value, rules: &Value) -> bool {
        let mut validator = Validator { schema, met: BTreeSet::new(), problems: Vec::new() };
        validator.check(value, rules, "#", "");
        validator.problems.is_empty()
    }
}

fn is_a(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("no type {other}"),
    }
}

/// Collects the places of all properties below `rules`, and those without a description.
fn declared(rules: &Value, at: &str, all: &mut BTreeSet<String>, bare: &mut Vec<String>) {
    for (name, rules) in rules["properties"].as_object().into_iter().flatten() {
        let at = format!("{at}/properties/{name}");
        if rules["description"].as_str().is_none_or(|text| text.len() < 10) {
            bare.push(at.clone());
        }
        all.insert(at);
    }
    for (name, rules) in rules["$defs"].as_object().into_iter().flatten() {
        declared(rules, &format!("{at}/$defs/{name}"), all, bare);
    }
}

#[test]
fn the_file_is_as_the_schema_says_and_has_every_field_of_it() {
    let (schema, document) = (schema(), document());
    let validator = Validator::of(&schema, &document);
    assert_eq!(validator.problems, [""; 0], "{document:#}");
    let (mut all, mut bare) = (BTreeSet::new(), Vec::new());
    declared(&schema, "#", &mut all, &mut bare);
    assert_eq!(bare, [""; 0], "not described");
    if skips_gpu() {
        all.retain(|at| !at.starts_with("#/$defs/adapter"));
    }
    // Only several processes write these; tests/ranks_mpi.rs looks at them.
    let of_ranks =
        ["#/$defs/rank/", "#/$defs/row/properties/ranks", "#/$defs/row/properties/borders"];
    all.retain(|at| !of_ranks.iter().any(|start| at.starts_with(start)));
    let missing: Vec<_> = all.difference(&validator.met).collect();
    assert!(missing.is_empty(), "in the schema and never written: {missing:?}");
    assert!(all.len() > 40, "{all:?}");
}

#[test]
fn the_file_says_where_it_comes_from() {
    let document = document();
    assert_eq!(document["flockwork"], env!("CARGO_PKG_VERSION"));
    let system = document["operating_system"].as_str().unwrap();
    assert!(system.contains(std::env::consts::OS), "{system}");
    let date = document["date"].as_str().unwrap();
    let shape: String = date.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "0000-00-00T00:00:00Z", "{date}");
    assert_eq!(document["adapter"].is_null(), skips_gpu());
    for (field, text) in document["adapter"].as_object().into_iter().flatten() {
        assert!(!text.as_str().unwrap().is_empty(), "{field}");
    }
}

#[test]
fn a_file_that_differs_from_the_schema_is_found() {
    let (schema, document) = (schema(), written("cpu,cpu1"));
    let problems = |pointer: &str, value: Option<Value>| {
        let mut changed = document.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = changed.pointer_mut(parent).unwrap();
        match (parent, value) {
            (Value::Object(members), Some(value)) => {
                members.insert(name.into(), value);
            }
            (Value::Object(members), None) => drop(members.remove(name).unwrap()),
            (Value::Array(items), Some(value)) => items.push(value),
            _ => panic!("{pointer} is no member"),
        }
        Validator::of(&schema, &changed).problems.len()
    };
    assert_eq!(problems("/date", Some(json!("2026-01-31T12:34:56Z"))), 0);
    for (pointer, value) in [
        ("/date", None),
        ("/version", Some(json!(2))),
        ("/novelty", Some(json!(1))),
        ("/adapter", Some(json!({ "name": "a GPU" }))),
        ("/reports/0/state", Some(json!("molten"))),
        ("/reports/0/ticks", Some(json!(0.5))),
        ("/reports/0/rows", None),
        ("/reports/0/run/scene", None),
        ("/reports/0/rows/1/ms_p50", Some(json!(-1.0))),
        ("/reports/0/rows/1/ms_p50", Some(json!("fast"))),
        ("/reports/0/rows/0/passes/0", Some(json!(["steer"]))),
        ("/reports/0/largest_cell/2", Some(json!(3))),
        ("/reports/0/agreements/0/verdict", None),
        ("/reports/0/agreements/0/astray_after_one_tick", Some(json!(1.5))),
    ] {
        assert!(problems(pointer, value.clone()) > 0, "{pointer}: {value:?}");
    }
}
