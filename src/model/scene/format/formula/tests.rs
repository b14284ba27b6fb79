use crate::scene::{Scene, edit_toml, overrides};

const TEXT: &str = "[species.a]\nseparation = {}\n[species.a.rules.swirl]  # turns\nradius = 30\n\
                    parameters = { strength = { value = 0.4, range = [0, 2] }, k = 3 }\n\
                    sum.drift = \"perp(offset) * (1 - distance / radius)\"\n\
                    force = \"strength * drift - k * velocity\"\n\
                    [species.a.rules.drag]\nforce = \"-0.1 * velocity\"\n[species.a.cohesion]\n\
                    [species.b]\nrules.drag.force = \"-0.1 * velocity\"\n";

fn keys(scene: &Scene, species: usize) -> Vec<&'static str> {
    scene.species[species].rules.iter().map(|rule| rule.kind.info().key).collect()
}

#[test]
fn rules_are_read_and_written_in_their_places() {
    let scene = Scene::parse("test", TEXT).unwrap();
    assert_eq!(keys(&scene, 0), ["separation", "rules.swirl", "rules.drag", "cohesion"]);
    assert_eq!(keys(&scene, 1), ["rules.drag"]);
    assert_eq!(scene.formulas().len(), 2, "the same text is the same rule");
    for text in [scene.to_toml(), scene.to_full_toml()] {
        let again = Scene::parse("test", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.species, scene.species, "{text}");
        assert!(text.contains("[species.a.rules.swirl]\n"), "{text}");
        assert!(text.contains("{ value = 0.4, range = [0, 2] }"), "{text}");
    }
    // An edit keeps the text around it.
    let mut edited = scene.clone();
    let swirl = &mut edited.species[0].rules[1];
    let strength = swirl.kind.parameter("parameters.strength").unwrap();
    swirl.values[strength] = 0.7;
    let text = edit_toml(TEXT, &edited).unwrap();
    assert_eq!(text, TEXT.replace("value = 0.4", "value = 0.7"));
    let set = "a.rules.swirl.parameters.strength.value=0.7";
    assert_eq!(overrides(TEXT, &edited).unwrap(), [set]);
    edited.species[0].rules.remove(2);
    let text = edit_toml(TEXT, &edited).unwrap();
    assert_eq!(Scene::parse("test", &text).unwrap().species, edited.species, "{text}");
}

#[test]
fn everybody_is_read_and_written_and_is_within_no_radius() {
    let text = "[species.a.rules.agree]\nradius = \"all\"\ninner = 2\n\
                sum.v = \"other_velocity\"\nforce = \"v / neighbours\"\n";
    let scene = Scene::parse("test", text).unwrap();
    let formula = scene.species[0].rules[0].kind.formula().unwrap();
    let keys: Vec<&str> = formula.parameters.iter().map(|own| own.key).collect();
    assert_eq!(keys, ["weight", "inner", "fov", "with"]);
    assert!(formula.hears_everybody() && !formula.has_radius());
    assert_eq!(scene.perception_radius(), 0.0, "the grid does not notice");
    for text in [scene.to_toml(), scene.to_full_toml()] {
        let again = Scene::parse("test", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(again.species, scene.species, "{text}");
        assert!(text.contains("radius = \"all\""), "{text}");
    }
    // From one to the other and back.
    let mut other = scene.clone();
    other.set("a.rules.agree.radius=30").unwrap();
    assert_eq!(other.perception_radius(), 30.0);
    assert_ne!(other.species, scene.species);
    other.set("a.rules.agree.radius=\"all\"").unwrap();
    assert_eq!(other.species, scene.species);
    let problem = |set: &str| scene.clone().set(set).unwrap_err().to_string();
    for (wrong, part) in [
        ("a.rules.agree.radius='al'", "expected a number or \"all\", found \"al\""),
        ("a.rules.agree.nearest=3", "agents are chosen within a radius"),
        ("a.rules.agree.pick='one'", "agents are chosen within a radius"),
        ("a.rules.agree.sum.v='radius'", "known in a rule that gives it as a number alone"),
    ] {
        assert!(problem(wrong).contains(part), "{wrong}: {}", problem(wrong));
    }
}

#[test]
fn sums_are_shared_that_take_nothing_of_the_agent_itself() {
    let shares = |keys: &str, sum: &str| {
        let text = format!(
            "[species.a.rules.r]\nradius = \"all\"\n{keys}\nparameters.k = 2\n\
             sum.s = \"{sum}\"\nforce = \"zero\"\nstate.p = \"p + 1\"\n"
        );
        let scene = Scene::parse("test", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        scene.shared().len() == 1
    };
    for sum in [
        "1",
        "k * other_velocity",
        "sin(other_p + 0.1 * tick)",
        "other_size * other_species",
        "if(x(other_position) > 3, other_heading, zero)",
    ] {
        assert!(shares("", sum), "{sum}");
        for keys in ["inner = 1", "fov = 300"] {
            assert!(!shares(keys, sum), "{sum}, {keys}");
        }
    }
    for sum in [
        "offset",
        "if(distance < 3, 1, 0)",
        "other_velocity - velocity",
        "direction",
        "other_p - p",
        "other_size - size",
        "position",
        "max_speed * other_speed",
    ] {
        assert!(!shares("", sum), "{sum}");
    }
    let drawn = "[species.a.rules.r]\nradius = \"all\"\nparameters.k = { from = 1, to = 2 }\n\
                 sum.s = \"SUM\"\nforce = \"k * s * velocity\"\n";
    let count =
        |sum: &str| Scene::parse("test", &drawn.replace("SUM", sum)).unwrap().shared().len();
    assert_eq!((count("1"), count("k")), (1, 0));
}

#[test]
fn states_are_read_and_written_and_colours_of_lost_ones_are_not() {
    let text = "[style]\ncolour = \"state.phase\"\n[species.a.rules.beat]\nforce = \"zero\"\n\
                state.phase = { next = \"phase + 0.1\", start = { from = 0, to = 1 } }\n\
                state.n = \"n + 1\"\nstate.normal = { next = \"1\", start = { mean = 2, deviation = 3 } }\n\
                state.same = { next = \"1\", start = 4 }\n";
    let scene = Scene::parse("test", text).unwrap();
    let names: Vec<&str> = scene.kept_names().iter().collect();
    assert_eq!(names, ["phase", "n", "normal", "same"]);
    for text in [scene.to_toml(), scene.to_full_toml()] {
        let again = Scene::parse("test", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!((&again.species, &again.style), (&scene.species, &scene.style), "{text}");
    }
    let mut without = scene.clone();
    without.species[0].rules.clear();
    let text = without.to_toml();
    assert!(Scene::parse("test", &text).is_ok() && !text.contains("state."), "{text}");
    let wrong = |text: &str| Scene::parse("test", text).unwrap_err().to_string();
    assert_eq!(
        wrong("[style]\ncolour = \"state.phase\"\n[species.a]\n"),
        "test:2: style.colour: no rule keeps `state.phase`; give a rule that state"
    );
    assert_eq!(
        wrong(
            "[species.a]\ncolour = \"state.nn\"\nrules.r = { force = \"zero\", state.n = \"1\" }\n"
        ),
        "test:2: species.a.colour: no rule keeps `state.nn`; did you mean `n`?"
    );
    let rule = |name: &str, state: &str| {
        format!("[species.a.rules.{name}]\nforce = \"zero\"\nstate.{state} = \"1\"\n")
    };
    let twice = wrong(&(rule("r", "n") + &rule("s", "n")));
    assert!(twice.starts_with("test:6: species.a.rules.s.state.n: another rule of sp"), "{twice}");
    let five: String = ["a", "b", "c", "d", "e"].map(|name| rule(name, name)).concat();
    let five = wrong(&five);
    let told = "test:15: species.a.rules.e.state.e: the agents of a scene keep at most 4 numbers";
    assert!(five.starts_with(told) && five.ends_with("a, b, c, d"), "{five}");
}

#[test]
fn every_key_of_a_rule_can_be_set() {
    let set = |assignment: &str| {
        let mut scene = Scene::parse("test", TEXT).unwrap();
        scene.set(assignment).map(|()| scene).map_err(|error| error.to_string())
    };
    let changed = set("a.rules.swirl.force=\"k * drift\"").unwrap();
    assert_eq!(changed.species[0].rules[1].kind.formula().unwrap().text.force, "k * drift");
    for good in [
        "a.rules.swirl.sum.drift='offset'",
        "a.rules.swirl.sum.n='1'",
        "a.rules.swirl.weight=2",
        "a.rules.swirl.inner=3",
        "a.rules.swirl.radius=3",
        "a.rules.swirl.with='b'",
        "a.rules.swirl.parameters.k=4",
        "a.rules.swirl.parameters.k={ base = 3, amplitude = 1 }",
        "a.rules.swirl.parameters.strength.value={ base = 1, amplitude = 0.2 }",
        "a.rules.swirl.parameters.k={ from = 1, to = 2 }",
        "a.rules.new.force='zero'",
        "a.rules.drag=none",
    ] {
        set(good).unwrap_or_else(|error| panic!("{error}"));
    }
    for (wrong, part) in [
        ("a.rules.swirl.force='drft'", "a.rules.swirl.force: column 1: nothing is called `drft`"),
        ("a.rules.swirl.force=3", "force: expected a string, found 3"),
        ("a.rules.swirl.sum.drift='speed <'", "sum.drift: column 8: a value is missing"),
        ("a.rules.swirl.sum.sin='1'", "sum.sin: this name means something else"),
        ("a.rules.swirl.parameters.strength.value=3", "value: 3 is outside 0 to 2"),
        ("a.rules.swirl.parameters.k={ range = [0, 2] }", "give its `value`"),
        (
            "a.rules.swirl.parameters.k={ value = 1, range = [2, 0] }",
            "the smallest and the largest",
        ),
        ("a.rules.swirl.state.n={ next = '1', start = 2e18 }", "2e18 is outside -1e18 to 1e18"),
        ("a.rules.swirl.weight=nan", "weight: NaN is outside -1000000 to 1000000"),
        ("a.rules.swirl.radius='all'", "sum.drift: column 32: `radius` is known in a rule"),
        ("a.rules.swirl.radus=3", "unknown key; did you mean `radius`?"),
        ("a.rules.drag.radius=3", "a rule without a `sum` looks at nobody"),
        ("a.rules.swirl.force=none", "a rule needs a `force`"),
        ("a.rules.x.weight=1", "a rule needs a `force`"),
        ("a.rules.x.forse='zero'", "a.rules.x.forse: unknown key; did you mean `force`?"),
        ("a.alignment.with={ a = 1 }", "is for rules in text: with parameters.k = "),
        ("a.cohesion.radius='all'", "hears everybody (docs/rules.md)"),
        ("a.alignment.count_self=true", "with `v + velocity` in its force"),
        ("a.cohesion.mean='sum'", "`v` is a sum"),
        ("a.rules.drag.qqq=1", "known names are weight, radius, inner, fov, nearest, pick, with, "),
    ] {
        let error = set(wrong).err().unwrap_or_else(|| panic!("{wrong} is taken"));
        assert!(error.contains(part), "{wrong}: {error}");
    }
    let with =
        |sets: &[&str]| Scene::parse_with("test", TEXT, sets).map_err(|error| error.to_string());
    for (set, part) in [
        ("a.rules.swirl.parameters.strengt=1", "takes `strengt`; did you mean `strength`?"),
        ("b.rules.drag.parameters.q=1", "no formula of the rule takes `q`; it has no parameters"),
        (
            "a.rules.swirl.sum.drif='offset'",
            "no formula of the rule takes `drif`; did you mean `drift`?",
        ),
    ] {
        let error = with(&[set]).unwrap_err();
        assert!(error.starts_with("--set ") && error.contains(part), "{error}");
    }
    // The formula may follow.
    with(&["b.rules.drag.parameters.q=1", "b.rules.drag.force='q * velocity'"]).unwrap();
    set("b.rules.drag.parameters.q=1").unwrap();
    let nine: String = (0..9).map(|n| format!("rules.r{n}.force = 'zero'\n")).collect();
    let error = Scene::parse("test", &format!("[species.a]\n{nine}")).unwrap_err();
    assert!(error.to_string().contains("at most 8 rules in text, this one 9"), "{error}");
    let many: String = (0..5)
        .flat_map(|species| (0..8).map(move |nth| (species, nth)))
        .map(|(species, nth)| {
            format!("[species.s{species}.rules.r{nth}]\nforce = '{species} * velocity'\n")
        })
        .collect();
    let error = Scene::parse("test", &many).unwrap_err();
    assert!(error.to_string().contains("at most 32 different rules in text"), "{error}");
    let named = "[species.a.rules.\"a b\"]\nforce = 'zero'\n";
    let error = Scene::parse("test", named).unwrap_err();
    assert!(error.to_string().contains("the name of a rule has letters"), "{error}");
}

/// Two species whose rules have a value for each species of neighbours.
const BY_SPECIES: &str = "[species.a.rules.like]\nparameters.k = { a = 1, b = -0.5 }\n\
                          sum.v = \"k * offset\"\nforce = \"v\"\n\
                          [species.b.rules.like]\n\
                          parameters.k = { value = { b = { from = 0, to = 1 } }, range = [0, 3] }\n\
                          sum.v = \"k * offset\"\nforce = \"v\"\n";

#[test]
fn values_by_species_follow_the_species() {
    let scene = Scene::parse("test", BY_SPECIES).unwrap();
    let said = |scene: &Scene, lines: &[&str]| {
        let text = scene.to_toml();
        lines.iter().for_each(|line| assert!(text.contains(line), "{line} is missing in\n{text}"));
        assert_eq!(Scene::parse("test", &text).unwrap().to_toml(), text);
        let full = scene.to_full_toml();
        let again = Scene::parse("test", &full).unwrap_or_else(|error| panic!("{error}\n{full}"));
        assert_eq!(again.to_toml(), text);
    };
    said(
        &scene,
        &[
            "k = { a = 1, b = -0.5 }",
            "k = { value = { b = { from = 0, to = 1 } }, range = [0, 3] }",
        ],
    );
    let mut set = scene.clone();
    set.set("a.rules.like.parameters.k.b=2").unwrap();
    said(&set, &["k = { a = 1, b = 2 }"]);
    let mut edited = scene.clone();
    edited.copy_species(1).unwrap();
    said(&edited, &["k = { a = 1, b = -0.5, b2 = -0.5 }", "k = { value = { b2 = { from = 0"]);
    edited.rename_species(0, "first").unwrap();
    said(&edited, &["k = { first = 1, b = -0.5, b2 = -0.5 }"]);
    edited.remove_species(1).unwrap();
    said(&edited, &["k = { first = 1, b2 = -0.5 }"]);
    edited.remove_species(1).unwrap();
    said(&edited, &["k = { first = 1 }"]);
    // A name that is a key of these tables, too; the two others are taken.
    let mut others = scene.clone();
    others.rename_species(1, "base").unwrap();
    said(&others, &["k = { a = 1, base = -0.5 }"]);
    others.set("a.rules.like.parameters.k={ base = 1, amplitude = 2 }").unwrap();
    // Names with dots, one of which ends as a key of the other might.
    let dotted =
        BY_SPECIES.replace("a = 1, b", "'b.species' = 1, b").replace("s.a", "s.'b.species'");
    let dotted = Scene::parse("test", &dotted).unwrap();
    said(&dotted, &["k = { \"b.species\" = 1, b = -0.5 }"]);
    // A table without the species that it was for.
    let mut others = Scene::parse("test", &BY_SPECIES.replace("a = 1, ", "")).unwrap();
    others.remove_species(1).unwrap();
    said(&others, &["{ k = 0 }"]);
    for (text, error) in [
        (
            BY_SPECIES.replace("s.b", "s.value"),
            "a species cannot be called `value`; choose another",
        ),
        (
            BY_SPECIES.replace("s.b", "s.range"),
            "a species cannot be called `range`; choose another",
        ),
        (BY_SPECIES.replace("a = 1, b", "whale"), "called \"whale\"; known names are a, b"),
        (
            BY_SPECIES.replace("a = 1, b = -0.5", ""),
            "parameters.k: the table is empty; give a number",
        ),
        (BY_SPECIES.replace("a = 1", "c = 1"), "no species is called \"c\"; known names are a, b"),
        (BY_SPECIES.replace("\"v\"", "\"k * v\""), "has a value for each species of neighbours"),
        (BY_SPECIES.replace("a = 1", "a = 1e9"), "1000000000 is outside"),
        (BY_SPECIES.replace("a = 1", "a = {}"), "parameters.k.a"),
    ] {
        let found = Scene::parse("test", &text).unwrap_err().to_string();
        assert!(found.contains(error), "{found}");
    }
}

#[test]
fn a_turn_stands_in_the_place_of_a_force() {
    let text = "[species.a]\nmotion = \"turn\"\n[species.a.rules.spin]\nturn = \"0.01\"\n";
    let scene = Scene::parse("test", text).unwrap();
    let written = scene.to_toml();
    assert!(written.contains("[species.a.rules.spin]\nturn = \"0.01\""), "{written}");
    assert_eq!(Scene::parse("test", &written).unwrap().species, scene.species);
    for (text, error) in [
        (text.replace("0.01", "velocity"), "rules.spin.turn: column 1: "),
        (text.replace("turn = \"0.01", "force = \"zero\"\nturn = \"0.01"), "not both"),
        (format!("world.size = [9, 9, 9]\n{text}"), "this is for planes; in space write force"),
    ] {
        let found = Scene::parse("test", &text).unwrap_err().to_string();
        assert!(found.contains(error), "{found}");
    }
}
