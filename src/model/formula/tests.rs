use super::*;

fn rule(sums: &[(&str, &str)], force: &str, parameters: &[&str]) -> RuleText {
    RuleText {
        name: "test".into(),
        sums: sums.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect(),
        force: force.into(),
        parameters: parameters
            .iter()
            .map(|name| OwnParameter { name: (*name).into(), range: (0.0, 1.0), by_species: None })
            .collect(),
        ..RuleText::default()
    }
}

/// The key, the column and the problem of a rule.
fn wrong(text: RuleText, axes: usize) -> (String, usize, String) {
    let shown = format!("{text:?}");
    match Formula::compiled(text, axes) {
        Ok(_) => panic!("{shown} is a rule"),
        Err((key, error)) => (key, error.column, error.problem),
    }
}

/// Wrong forces with the number of axes of their world, the column of each problem, and its words.
const WRONG: [(usize, &str, usize, &str); 48] = [
    (2, "velocty * 2", 1, "nothing is called `velocty`; did you mean `velocity`?"),
    (2, "qq * velocity", 1, "size, tick, zero; of states a rule reads only its own"),
    (2, "2 * velocity + 1", 14, "`+` cannot take a vector and a number"),
    (2, "velocity * position", 10, "dot(a, b)"),
    (2, "dot(velocity, position)", 1, "expected a vector, found a number"),
    (2, "unit(3)", 6, "expected a vector, found a number; `zero`"),
    (2, "unit(velocity", 14, "a `)` is missing for what begins at column 1"),
    (2, "velocity)", 9, "closes nothing"),
    (2, "(velocity", 10, "a `)` is missing for what begins at column 1"),
    (2, "", 1, "a value is missing"),
    (2, "velocity *", 11, "a value is missing"),
    (2, "velocity velocity", 10, "expected an operator"),
    (2, "velocity * 3x", 12, "`3` is followed by a letter"),
    (2, "velocity * 1e999", 12, "`1e999` is no number"),
    (2, "velocity * .", 12, "is no number"),
    (2, "velocity ^ 2", 10, "pow(x, y)"),
    (2, "velocity ** 2", 10, "pow(x, y)"),
    (2, "velocity × 2", 10, "write `*`"),
    (2, "velocity ÷ 2", 10, "write `/`"),
    (2, "velocity − velocity", 10, "write `-`"),
    (2, "velocity * velocity.x", 20, "write a component as in x(velocity)"),
    (2, "velocity * SIN(1)", 12, "did you mean `sin`?"),
    (2, "velocity = 2", 10, "compare with `==`"),
    (2, "velocity && 2", 10, "write `and`"),
    (2, "velocity / 0", 10, "divides by 0"),
    (2, "velocity * (1 / (2 - 2))", 15, "divides by 0"),
    (2, "velocity * (1e30 * 1e30)", 18, "this is no number"),
    (2, "velocity * sqrt(0 - 1)", 12, "this is no number"),
    (2, "if(speed, velocity, zero)", 4, "expected a comparison such as speed > 1, found a number"),
    (2, "if(1 < speed < 3, velocity, zero)", 14, "join them with `and`"),
    (2, "if(speed < 1, velocity, 0)", 25, "expected a vector, found a number"),
    (2, "if(speed < 1, velocity)", 1, "`if` takes 3 inputs, here are 2"),
    (2, "-(speed < 1)", 1, "write `not`"),
    (2, "cross(velocity, velocity)", 1, "write dot(perp(v), w)"),
    (3, "perp(velocity)", 1, "write cross(a, b)"),
    (2, "vector(1, 2, 3)", 1, "`vector` takes 2 inputs, here are 3"),
    (3, "vector(1, 2)", 1, "`vector` takes 3 inputs, here are 2"),
    (3, "rotate(velocity, 0.5)", 1, "`rotate` takes 3 inputs, here are 2"),
    (2, "velocity * z(velocity)", 12, "a plane has no z"),
    (2, "velocity * offset", 12, "add it up in a `sum`"),
    (2, "velocity * neighbours", 12, "known in a rule with a `sum` alone"),
    (2, "velocity * sin", 12, "is a function"),
    (2, "velocity * sine(2)", 12, "there is no function `sine`; did you mean `sin`?"),
    (2, "velocity * random(300)", 19, "a whole number from 0 to 255"),
    (2, "velocity * random(speed)", 19, "a whole number from 0 to 255"),
    (2, "velocity * \0", 12, "`\\u{0}` belongs to no formula"),
    (2, "velocity * \u{202e}2", 12, "`\\u{202e}` belongs to no formula"),
    (2, "velocity * 'a'", 12, "belongs to no formula"),
];

#[test]
fn a_wrong_formula_is_told_with_its_column_and_a_remedy() {
    for (axes, force, column, part) in WRONG {
        let (key, found, problem) = wrong(rule(&[], force, &[]), axes);
        assert_eq!((key.as_str(), found), ("force", column), "{force}: {problem}");
        assert!(problem.contains(part), "{force}: {problem}");
        assert!(!problem.contains(['\0', '\u{202e}']), "{problem:?}");
    }
    for (force, place) in [
        ("heading\n * 0.1\n + spee", "line 3 of the formula, column 4: nothing is called `spee`"),
        ("\nvelocity *\n", "line 3 of the formula, column 1: a value is missing"),
        ("unit(\n\n unit(velocity", "begins at line 3 of the formula, column 2"),
        ("velocity + 1", "column 10: `+` cannot take"),
    ] {
        let (_, error) = Formula::compiled(rule(&[], force, &[]), 2).unwrap_err();
        assert!(error.to_string().contains(place), "{force}: {error}");
    }
    for (sum, part) in [
        ("distance < 3", "a sum adds up numbers or vectors"),
        ("random(1)", "random numbers belong to the agent"),
        ("neighbours", "known in forces and states alone"),
        ("b", "`b` is a sum, which no sum takes"),
        ("other_sped", "did you mean `other_speed`?"),
        ("other_energy", "a rule hears only the states that it keeps itself"),
    ] {
        let (key, _, problem) = wrong(rule(&[("a", sum), ("b", "a")], "zero", &[]), 2);
        assert_eq!(key, "sum.a");
        assert!(problem.contains(part), "{sum}: {problem}");
    }
}

#[test]
fn limits_have_their_sentences() {
    let long = format!("velocity{}", " ".repeat(5000));
    let deep = format!("{}velocity{}", "(".repeat(65), ")".repeat(65));
    let many = format!("velocity{}", " * 2".repeat(300));
    let dear = format!("velocity * {}1", "sin(1) * ".repeat(17));
    for (force, part) in [
        (long, "a formula has at most 4096 bytes, this one 5008"),
        (deep, "more than 64 levels of nesting"),
        ("-".repeat(4000), "more than 64 levels of nesting"),
        (format!("{}velocity", "unit(".repeat(800)), "more than 64 levels of nesting"),
        (many, "at most 256 operations"),
        (dear, "at most 256 operations"),
    ] {
        let (_, _, problem) = wrong(rule(&[], &force, &[]), 2);
        assert!(problem.contains(part), "{problem}");
    }
    let names: Vec<String> = (0..25).map(|n| format!("s{n}")).collect();
    let nine: Vec<(&str, &str)> = names[..9].iter().map(|name| (name.as_str(), "1")).collect();
    assert!(wrong(rule(&nine, "zero", &[]), 2).2.contains("at most 8 of them, this one 9"));
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    assert!(wrong(rule(&[], "zero", &all), 2).2.contains("at most 24 of them, this one 25"));
    for (name, part) in [
        ("speed", "means something else"),
        ("sin", "means something else"),
        ("1a", "a name has letters"),
        ("a b", "a name has letters"),
        ("", "a name has letters"),
    ] {
        assert!(wrong(rule(&[(name, "1")], "zero", &[]), 2).2.contains(part), "{name}");
        assert!(wrong(rule(&[], "zero", &[name]), 2).2.contains(part), "{name}");
    }
    assert!(wrong(rule(&[("a", "1")], "zero", &["a"]), 2).2.contains("there twice"));
    // The largest of all that is allowed.
    let most = format!("velocity{}", " * 2".repeat(255));
    assert!(Formula::compiled(rule(&[], &most, &[]), 2).is_ok());
}

#[test]
fn the_same_texts_are_the_same_rule() {
    let text = || rule(&[("n", "1")], "n * velocity", &["a"]);
    let one = Formula::compiled(text(), 2).unwrap();
    assert_eq!(one, Formula::compiled(text(), 2).unwrap());
    assert_ne!(one, Formula::compiled(text(), 3).unwrap());
    assert_ne!(one, Formula::compiled(rule(&[("n", "2")], "n * velocity", &["a"]), 2).unwrap());
    let keys: Vec<&str> = one.parameters.iter().map(|parameter| parameter.key).collect();
    assert_eq!(keys, ["weight", "radius", "fov", "nearest", "with", "parameters.a"]);
    // The same operation is written once.
    let twice = rule(&[("v", "offset * distance + offset * distance")], "v", &[]);
    let roots = &Formula::compiled(twice, 2).unwrap().sums.operations;
    let roots = roots.iter().filter(|own| matches!(own, Operation::Root(_))).count();
    assert_eq!(roots, 1);
}

/// The sums over one neighbour, with the parameter 3 for all inputs that it does not have.
fn summed(program: &Program) -> Vec<f32> {
    struct Three;
    impl Inputs<f32> for Three {
        fn given(&self, _: Given) -> f32 {
            3.0
        }
    }
    let mut tile = Tile::<f32, 1>::new(0.0, 0);
    for (given, number) in [
        (Given::Offset(0), 0.1),
        (Given::Offset(1), 0.7),
        (Given::OtherVelocity(0), -2.3),
        (Given::OtherVelocity(1), 0.4),
        (Given::DistanceSquared, 0.5),
    ] {
        tile.row_mut(given)[0] = number;
    }
    let (mut heard, mut tape) = (Heard::nobody(0.0), Tape::new(program, 0.0));
    heard.push(0, true);
    tape.prepare(&Three);
    let mut sums = vec![0.0; program.results.len()];
    tape.add(&tile, 1, &mut sums, &heard);
    sums
}

#[test]
fn joined_programs_give_the_results_of_each_and_run_once_what_they_share() {
    let texts = ["offset * distance", "a * other_velocity * distance", "offset * distance", "1"];
    let sums =
        |text: &&str| &Formula::compiled(rule(&[("s", text)], "zero", &["a"]), 2).unwrap().sums;
    let parts: Vec<&Program> = texts.iter().map(sums).collect();
    let all = || parts.iter().map(|part| (*part, &part.results[..]));
    let (joined, places) = Program::joined(all(), |_, given| given);
    let got = summed(&joined);
    for (part, places) in parts.iter().zip(&places) {
        let own: Vec<f32> = places.iter().map(|place| got[*place]).collect();
        assert_eq!(own, summed(part));
        assert!(own.iter().all(|sum| *sum != 0.0));
    }
    assert_eq!((places[0] == places[2], joined.results.len()), (true, 5));
    let roots = joined.operations.iter().filter(|own| matches!(own, Operation::Root(_))).count();
    assert_eq!(roots, 1);
    // Inputs that get another name are others.
    let (apart, _) = Program::joined(all(), |part, given| match given {
        Given::Offset(axis) if part == 2 => Given::OtherVelocity(axis),
        own => own,
    });
    assert_eq!(apart.results.len(), 7);
}

/// Pieces of formulas, and letters that belong to none, with a `|` between two of them.
const PIECES: &str = "velocity|offset|distance|speed|max_speed|zero|tick|neighbours|a|n|1|0|2.5|1e9|(|)|,|+|-|*|/|<|\
    ==|and|not|if(|min(|unit(|sin(|pow(|random(|vector(|perp(|with_length(| |\n|ä|\0|\u{202e}|'";

#[test]
fn no_text_panics_or_hangs() {
    let mut state = 1_u32;
    let mut next = move |below: usize| {
        state = crate::random::pcg(state);
        state as usize % below
    };
    let pieces: Vec<&str> = PIECES.split('|').collect();
    let (mut rules, mut errors) = (0, 0);
    for number in 0..1_000_000 {
        let length = 1 + next(if number % 100 == 0 { 60 } else { 9 });
        let text: String = (0..length).map(|_| pieces[next(pieces.len())]).collect();
        // Not `compiled`, which keeps what it makes.
        let made = if number % 2 == 0 {
            programs::<2>(&rule(&[("n", &text)], "n * velocity", &["a"]))
        } else {
            programs::<3>(&rule(&[], &text, &["a"]))
        };
        match made {
            Ok(_) => rules += 1,
            Err((_, error)) => {
                let letters = text.chars().count();
                assert!((1..=letters + 1).contains(&error.column), "{text:?}: {error}");
                assert!(error.problem.len() > 5 && error.problem.len() < 2000, "{text:?}: {error}");
                assert!(!error.problem.contains(['\0', '\u{202e}']), "{text:?}: {error}");
                errors += 1;
            }
        }
    }
    assert!(rules > 5_000 && errors > 500_000, "{rules} rules, {errors} errors");
}
