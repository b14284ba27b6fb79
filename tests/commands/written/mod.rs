//! Scenes written back as TOML: they read back as the same scene, and a file keeps its comments.

mod draw;
mod legal;

use std::path::Path;

use crate::shell::run;
use draw::Draw;
use flockwork::model::behaviours::Kind;
use flockwork::model::scene::{BuiltIn, Request, Scene, Slot, built_in, edit_toml};
use toml_edit::{DocumentMut, Item, Table};

/// The content of a scene, except for the lines where it was written. `Debug` shows every field,
/// and distinct numbers have distinct digits.
fn meaning(scene: &Scene) -> String {
    let mut scene = scene.clone();
    scene.origins.clear();
    format!("{scene:#?}")
}

fn parse(text: &str, overrides: &[&str]) -> Scene {
    Scene::parse_with("drawn.toml", text, overrides)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Fails with the first line that differs between two scenes.
fn assert_same(one: &Scene, other: &Scene, text: &str) {
    let (one, other) = (meaning(one), meaning(other));
    if let Some((a, b)) = one.lines().zip(other.lines()).find(|(a, b)| a != b) {
        panic!("{a} is not {b}\n{text}");
    }
    assert_eq!(one.len(), other.len(), "\n{text}");
}

#[test]
fn every_built_in_scene_reads_back_the_same() {
    for BuiltIn { text, name } in built_in() {
        let scene = parse(text, &[]);
        let written = scene.to_toml();
        assert_same(&parse(&written, &[]), &scene, &written);
        assert_eq!(parse(&written, &[]).to_toml(), written, "{name}");
        assert_eq!(edit_toml(text, &scene).unwrap(), text, "{name}");
        assert_same(&parse(&edit_toml(&written, &scene).unwrap(), &[]), &scene, name);
    }
}

#[test]
fn scenes_at_random_read_back_the_same() {
    for seed in 0..1000 {
        let scene = Draw::of(seed).scene();
        let written = scene.to_toml();
        assert_same(&parse(&written, &[]), &scene, &written);
        assert_eq!(edit_toml(&written, &scene).unwrap(), written);
    }
}

/// One number only: its shortest digits, read with double precision and then rounded, give its
/// neighbour.
#[test]
fn a_number_that_two_roundings_would_change_reads_back_the_same() {
    let number = 7.038531e-26_f32;
    let twice = "7.038531e-26".parse::<f64>().unwrap() as f32;
    assert_ne!(twice, number);
    let mut scene = parse("[species.a]", &[]);
    scene.species[0].body.max_force = number;
    let written = scene.to_toml();
    assert_eq!(parse(&written, &[]).species[0].body.max_force, number, "{written}");
}

/// Each line with a value has a meaning: without it the file means something else, or is refused.
#[test]
fn nothing_is_written_that_is_so_by_default() {
    let mixed = std::fs::read_to_string("tests/common/mixed.toml").unwrap();
    let scenes = built_in().map(|scene| parse(scene.text, &[])).chain([parse(&mixed, &[])]);
    for scene in scenes.chain((0..50).map(|seed| Draw::of(seed).scene())) {
        let written = scene.to_toml();
        let lines: Vec<&str> = written.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            // A single line of a longer value is not a key.
            if !line.contains(" = ") || line.ends_with('[') || line.ends_with("\"\"\"") {
                continue;
            }
            let rest = [&lines[..number], &lines[number + 1..]].concat().join("\n");
            if let Ok(without) = Scene::parse("drawn.toml", &rest) {
                assert_ne!(meaning(&without), meaning(&scene), "{line} in\n{written}");
            }
        }
    }
}

#[test]
fn the_keys_stand_in_the_order_of_the_built_in_scenes() {
    let keys = |text: &str| -> Vec<String> {
        let code = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        // A file has each sum and each state of a rule on a line of its own.
        let key = |line: &str| {
            let key = line.trim_end_matches(" }").split(" =").next().unwrap().trim().to_string();
            let of_rule =
                ["sum", "state"].into_iter().find(|own| key.starts_with(&format!("{own}.")));
            of_rule.map_or(key.clone(), String::from)
        };
        let keys = code.map(key);
        // Two scenes name the others after the radius.
        keys.filter(|key| key != "with").collect()
    };
    for BuiltIn { text, name } in built_in() {
        let mut read = keys(text).into_iter();
        for key in keys(&parse(text, &[]).to_toml()) {
            assert!(read.any(|other| other == key), "{name}: {key:?} is missing or too late");
        }
    }
}

#[test]
fn a_scene_scaled_to_a_count_is_written_as_it_was() {
    for BuiltIn { text, name } in built_in() {
        let scene = parse(text, &[]);
        for times in [3, 7, 100] {
            let scaled = scene.clone();
            let count = Some(scene.own_count() * times);
            let (scaled, _) = scaled.populate(&Request { count, ..Request::default() }).unwrap();
            assert_eq!(scaled.to_toml(), scene.to_toml(), "{name}");
            assert_eq!(edit_toml(text, &scaled).unwrap(), text, "{name}");
        }
    }
}

/// Writes some of the tables on one line or in dotted keys, and adds comments.
fn another_layout(text: &str, draw: &mut Draw) -> String {
    fn visit(table: &mut Table, draw: &mut Draw) {
        for (_, item) in table.iter_mut() {
            if let Item::Table(below) = item {
                visit(below, draw);
                below.decor_mut().set_suffix("   # a heading");
            }
            if let Item::Value(value) = item
                && draw.one_in(3)
            {
                value.decor_mut().set_suffix("   # a value");
            }
            match item {
                Item::ArrayOfTables(_) if draw.one_in(4) => item.make_value(),
                Item::Table(_) if draw.one_in(4) => item.make_value(),
                Item::Table(below) if draw.one_in(8) => {
                    below.set_dotted(true);
                    // A dotted key has no heading, so an empty one would vanish.
                    if below.get_values().is_empty() {
                        below.set_dotted(false);
                    }
                }
                _ => {}
            }
        }
    }
    let mut document: DocumentMut = text.parse().unwrap();
    visit(document.as_table_mut(), draw);
    document.to_string()
}

#[test]
fn a_changed_scene_is_written_into_any_file() {
    let (mut changed, mut kept) = (0, 0);
    for seed in 0..1000 {
        let mut draw = Draw::of(seed);
        let first = draw.scene().to_toml();
        let text = another_layout(&first, &mut draw);
        let Ok(before) = Scene::parse("drawn.toml", &text) else { continue };
        assert_eq!(edit_toml(&text, &before).unwrap(), text);
        let mut scene = before;
        for _ in 0..1 + draw.below(4) {
            draw.change(&mut scene);
        }
        let edited = edit_toml(&text, &scene).unwrap_or_else(|error| {
            panic!("seed {seed}: {error}\n{text}\n---\n{}", scene.to_toml())
        });
        assert_same(&parse(&edited, &[]), &scene, &format!("{text}\n---\n{edited}"));
        changed += 1;
        kept += usize::from(edited.contains("# a"));
    }
    assert!(changed > 900 && kept > 700, "{changed} files, {kept} with comments");
}

/// The lines that only one of the two texts has.
fn changed_lines<'a>(one: &'a str, other: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
    let only = |one: &'a str, other: &str| -> Vec<&'a str> {
        let known: Vec<&str> = other.lines().collect();
        one.lines().filter(|line| !known.contains(line)).collect()
    };
    (only(one, other), only(other, one))
}

#[test]
fn one_changed_number_changes_one_line() {
    for BuiltIn { text, name } in built_in() {
        let scene = parse(text, &[]);
        for own in &scene.species {
            let rules = own.rules.iter().map(|rule| (rule.kind, "weight"));
            let slots = rules.map(|(kind, key)| Slot::Rule(kind, kind.parameter(key).unwrap()));
            for slot in slots.chain([Slot::Body(0), Slot::Body(5)]) {
                let overridden = format!("{}.{}=0.123", own.name, slot.key());
                let changed = parse(text, &[&overridden]);
                let edited = edit_toml(text, &changed).unwrap();
                assert_same(&parse(&edited, &[]), &changed, &edited);
                let (old, new) = changed_lines(text, &edited);
                assert!(new.len() == 1 && old.len() <= 1, "{name}, {overridden}: {old:?} {new:?}");
                assert!(new[0].starts_with(&format!("{} = 0.123", slot.parameter().key)));
                let comment = |line: &str| line.split_once('#').map(|(_, text)| text.to_string());
                assert_eq!(old.first().and_then(|line| comment(line)), comment(new[0]), "{name}");
            }
        }
    }
}

const FILE: &str = r#"# a file of my own
about = "two kinds"   # in a few words

# how large
world = { size = [100, 50], boundary = "walls" }

[[targets]]   # the first
position = [10, 10]

# the second
[[targets]]
position = [20, 10]

[species.bird]     # they fly
count = 30         # few of them
max_speed = { base = 3, amplitude = 1 }
spawn.speed = 2
separation = { radius = 5, weight = 2 }   # keep off

[species.bird.seek]
target = "target2"

[species.bird.cohesion]
radius = 2.50

[species.cat]
"#;

/// The text that replaces `FILE` with these overrides.
fn edited(overrides: &[&str]) -> String {
    let scene = parse(FILE, overrides);
    let text = edit_toml(FILE, &scene).unwrap();
    assert_same(&parse(&text, &[]), &scene, &text);
    text
}

#[test]
fn a_file_keeps_its_comments_and_its_layout() {
    let cases: [(&str, &str, &str); 14] = [
        ("bird.count=1000", "count = 30         # few", "count = 1000       # few"),
        ("world.size=[9, 5]", "size = [100, 50]", "size = [9, 5]"),
        ("world.density=3", "\"walls\" }", "\"walls\", density = 3 }"),
        ("bird.max_speed.amplitude=0.5", "amplitude = 1", "amplitude = 0.5"),
        ("bird.max_speed=2", "{ base = 3, amplitude = 1 }", "2"),
        ("bird.spawn.speed=max_speed", "spawn.speed = 2", "spawn.speed = \"max_speed\""),
        ("bird.spawn.heading=90", "spawn.speed = 2\n", "spawn.speed = 2\nspawn.heading = 90\n"),
        ("bird.separation.with=[\"cat\"]", "weight = 2 }", "weight = 2, with = [\"cat\"] }"),
        // A key that is back at its default stays written.
        ("bird.separation.weight=1.5", "weight = 2 }", "weight = 1.5 }"),
        ("bird.cohesion.radius=4", "2.50", "4"),
        ("seed=7", "\"walls\" }\n", "\"walls\" }\nseed = 7\n"),
        ("targets.0.velocity=[1, 0]", "[10, 10]\n", "[10, 10]\nvelocity = [1, 0]\n"),
        (
            "cat.wander.weight=2",
            "[species.cat]\n",
            "[species.cat]\n\n[species.cat.wander]\nweight = 2\n",
        ),
        ("flow.cell=7", "[species.bird]     #", "[flow]\ncell = 7\n\n[species.bird]     #"),
    ];
    for (assignment, before, after) in cases {
        assert!(FILE.contains(before), "{before}");
        assert_eq!(edited(&[assignment]), FILE.replacen(before, after, 1), "{assignment}");
    }
    // The same value in another spelling stays as written.
    let same = ["bird.cohesion.radius=2.5", "cat.count=100", "bird.max_speed.period=100"];
    assert_eq!(edited(&same), FILE);
}

#[test]
fn what_depends_on_another_key_is_written_when_that_changes() {
    // Without `spawn_at_scale` agents always start as in `spawn`.
    let mut scene = parse(FILE, &[]);
    scene.species[0].spawn.radius = 7.0;
    let text = edit_toml(FILE, &scene).unwrap();
    assert!(text.contains("spawn.radius = 7\n"), "{text}");
    assert!(text.contains("spawn_at_scale = { speed = 2 }\n"), "{text}");
    // A target without a name is named after its position in the list.
    let mut scene = parse(FILE, &[]);
    scene.targets.remove(1);
    scene.species[0].rules[1].values[1] = 1.0;
    let text = edit_toml(FILE, &scene).unwrap();
    assert!(!text.contains("the first"), "{text}");
    let second = "# the second\n[[targets]]\nposition = [20, 10]\nname = \"target2\"\n";
    assert!(text.contains(second), "{text}");
    assert_same(&parse(&text, &[]), &scene, &text);
}

#[test]
fn behaviours_in_another_order_become_tables_in_that_order() {
    let mut scene = parse(FILE, &[]);
    scene.species[0].rules.rotate_left(1);
    let kinds: Vec<Kind> = scene.species[0].rules.iter().map(|rule| rule.kind).collect();
    assert_eq!(kinds, [Kind::Seek, Kind::Cohesion, Kind::Separation]);
    let text = edit_toml(FILE, &scene).unwrap();
    let last = "[species.bird.separation]   # keep off\nradius = 5\nweight = 2\n";
    assert!(text.contains(&format!("radius = 2.50\n\n{last}")), "{text}");
    assert_same(&parse(&text, &[]), &scene, &text);
    scene.species.swap(0, 1);
    for (index, own) in scene.species.iter_mut().enumerate() {
        for rule in own.rules.iter_mut().filter(|rule| rule.kind == Kind::Cohesion) {
            rule.values[4] = (1 << index) as f32;
        }
    }
    let text = edit_toml(FILE, &scene).unwrap();
    assert!(text.find("[species.cat]") < text.find("[species.bird]"), "{text}");
    assert_same(&parse(&text, &[]), &scene, &text);
}

#[test]
fn a_file_keeps_its_line_ends() {
    let text = FILE.replace('\n', "\r\n");
    let scene = parse(&text, &["bird.count=31"]);
    let expected = text.replace("count = 30", "count = 31");
    assert_eq!(edit_toml(&text, &scene).unwrap(), expected);
    let no_end = FILE.trim_end();
    assert_eq!(edit_toml(no_end, &parse(no_end, &[])).unwrap(), no_end);
}

#[test]
fn what_no_file_can_say_is_refused() {
    let fails = |change: &dyn Fn(&mut Scene), part: &str| {
        let mut scene = parse(FILE, &[]);
        change(&mut scene);
        let error = edit_toml(FILE, &scene).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert!(error.starts_with("drawn.toml:"), "{error}");
        // Without a file to compare with, the reader refuses it.
        let read = Scene::parse("drawn.toml", &scene.to_toml());
        assert!(read.is_err(), "{}", scene.to_toml());
    };
    fails(&|scene| scene.species[0].body.mass = f32::NAN, "species.bird.mass: NaN");
    fails(&|scene| scene.species[0].body.mass = f32::INFINITY, "species.bird.mass: inf");
    fails(&|scene| scene.written_size.x = -1.0, "world.size.0");
    fails(&|scene| scene.species[0].rules[1].values[1] = 9.0, "species.bird.seek.target");
    fails(&|scene| scene.targets[1].name = "none".into(), "the name \"none\" is taken");
    fails(&|scene| scene.species.clear(), "no [species.NAME] table");
    let error = edit_toml("[species.a", &parse(FILE, &[])).unwrap_err().to_string();
    assert!(error.starts_with("drawn.toml:1"), "{error}");
    // Laws are in the order of their keys, even if the file has another order.
    let mut scene = parse(FILE, &["cat.max_force={from=0, to=1}", "cat.mass={from=1, to=2}"]);
    scene.species[1].variations.reverse();
    let edited = edit_toml(FILE, &scene).unwrap();
    assert_eq!(parse(&edited, &[]).species[1].variations[0].slot, Slot::Body(0));
}

#[test]
fn the_command_prints_a_scene_with_its_overrides() {
    let text = BuiltIn::named("flock").unwrap().text;
    let scenes = |line: &str| run(Path::new("."), &format!("scenes {line}"));
    assert_eq!(scenes("flock"), (Some(0), text.into(), String::new()));
    let (code, printed, _) = scenes("flock --set starling.separation.weight=2 --set seed=5");
    let wanted = text.replacen("weight = 1.5", "weight = 2", 1);
    let (about, rest) = wanted.split_once('\n').unwrap();
    assert_eq!((code, printed), (Some(0), format!("{about}\nseed = 5\n{rest}")));
    // A value that is already set changes nothing.
    assert_eq!(scenes("flock --set starling.mass=1").1, text);

    let (code, printed, error) = scenes("flock --set starling.seperation.weight=2");
    assert_eq!((code, printed), (Some(2), String::new()));
    assert!(error.contains("did you mean `separation`?"), "{error}");
    let (code, _, error) = scenes("--set seed=5");
    assert!(code == Some(2) && error.contains("NAME"), "{error}");
}
