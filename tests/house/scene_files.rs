//! Scene files: their meaning, and the messages for wrong ones.

use flockwork::model::scene::{BoidShape, BuiltIn, Click, ColourBy, Request, Rgb, Scene, built_in};
use flockwork::model::vector::{Point, flat};

const GOOD: &str = r#"about = "two kinds"
[world]
size = [100, 50]
boundary = "walls"
[[targets]]
name = "tree"
position = [10, 10]
[species.bird]
count = 30
[species.bird.separation]
radius = 5
[species.bird.seek]
target = "tree"
[species.cat]
count = 10
[species.cat.cohesion]
with = ["bird"]
"#;

fn error(text: &str, overrides: &[&str]) -> String {
    match Scene::parse_with("mine.toml", text, overrides) {
        Ok(_) => panic!("no error in:\n{text}\n{overrides:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_wrong_line_is_named_with_its_remedy() {
    // Text in a valid scene, its replacement, and what the message must contain.
    let cases: [(&str, &str, &[&str]); 16] = [
        ("radius = 5", "raduis = 5", &["mine.toml:11", "bird.separation.raduis", "`radius`"]),
        ("radius = 5", "radius = -5", &["mine.toml:11", "-5", "0 to 1000000 world units"]),
        ("radius = 5", "radius = \"far\"", &["mine.toml:11", "a number", "\"far\""]),
        ("radius = 5", "radius = nan", &["mine.toml:11", "NaN", "0 to 1000000"]),
        ("radius = 5", "radius = inf", &["mine.toml:11", "inf", "0 to 1000000"]),
        ("count = 30", "count = 2.5", &["mine.toml:9", "bird.count", "whole number"]),
        ("count = 30", "count = -1", &["mine.toml:9", "-1", "0 to 4294967295"]),
        (
            "\"walls\"",
            "\"wals\"",
            &["mine.toml:4", "world.boundary", "wrap, walls, open", "`walls`"],
        ),
        ("[100, 50]", "[100]", &["mine.toml:3", "world.size", "two numbers"]),
        ("[100, 50]", "[100, 0]", &["mine.toml:3", "world.size.1", "1 to 10000000"]),
        ("\"tree\"\nposition", "\"pointer\"\nposition", &["targets.0", "\"pointer\" is taken"]),
        ("target = \"tree\"", "target = \"three\"", &["bird.seek.target", "did you mean `tree`?"]),
        ("[\"bird\"]", "[\"brid\"]", &["cat.cohesion.with.0", "did you mean `bird`?"]),
        ("[species.cat]", "[species.cat", &["mine.toml:14"]),
        ("[species.bird.seek]", "[species.bird.sek]", &["bird.sek", "unknown key", "`seek`"]),
        ("[world]", "density = 3\n[world]", &["mine.toml:2", "density", "unknown key"]),
    ];
    assert!(Scene::parse("mine.toml", GOOD).is_ok());
    for (right, wrong, parts) in cases {
        assert!(GOOD.contains(right), "{right}");
        let message = error(&GOOD.replacen(right, wrong, 1), &[]);
        for part in parts {
            assert!(message.contains(part), "{wrong}: {message:?} does not say {part:?}");
        }
        assert!(!message.contains('\n'), "{message:?}");
    }
}

#[test]
fn a_wrong_piece_of_scenery_or_rule_is_named_with_its_remedy() {
    // Text added to a scene with one species `a`, and what the message must contain.
    let cases: &[(&str, &[&str])] = &[
        ("[[paths]]\npoints = [[1, 1]]", &["paths", "two different ones"]),
        ("[[paths]]\npoints = [[1, 1], [1, 1]]", &["paths", "two different ones"]),
        ("[[paths]]\npoints = [[1, 1], [2]]", &["points.1", "two numbers"]),
        ("[[paths]]\nclosed = 1\npoints = [[1, 1], [2, 2]]", &["closed", "true or false"]),
        ("[[obstacles]]\nradius = -1", &["obstacles.0.radius", "-1", "0 to 1000000"]),
        ("[[obstacles]]\nposition = [1, 1]\ncount = 3", &["remove `count`"]),
        ("[[obstacles]]\ncount = 2000000", &["obstacles.0.count", "1 to 262144"]),
        ("[flow]\nkind = \"vortx\"", &["flow.kind", "did you mean `vortex`?"]),
        ("[flow]\nkind = \"file\"", &["flow", "`file` and `grid`"]),
        ("[flow]\ngrid = [2, 2]", &["flow", "belong to kind"]),
        ("[[targets]]\nname = \"none\"", &["targets.0", "\"none\" is taken"]),
        ("click = \"clap\"", &["click", "call, path, flee, target, obstacle, add, follow"]),
        ("[species.a.follow_path]", &["species.a", "add a [[paths]] table"]),
        ("[species.a.follow_flow]", &["species.a", "add a [flow] table"]),
        ("[species.a.wander]\n[species.a.swim]", &["species.a", "keep only one of them"]),
        ("[species.a.pursue]\nwith = \"ghosts\"", &["no species is called \"ghosts\""]),
        ("[species.a.pursue]\ntarget = \"fox\"", &["no target is called \"fox\""]),
        ("[species.a.evade]\nlead = \"far\"", &["\"far\"", "ticks, distance"]),
        ("[species.a.view]\nfov = 720", &["view.fov", "720", "0 to 360 degrees"]),
        ("[species.a.avoid]\nmethod = \"box2\"", &["did you mean `box`?"]),
        ("[species.a]\nmass = -1", &["species.a.mass", "-1"]),
        ("[species.a]\nlimit = \"all\"", &["species.a.limit", "each, sum, none"]),
        ("[species.a]\nmax_turn = 181", &["species.a.max_turn", "181", "0 to 180 degrees"]),
        ("[species.a]\njitter = -1", &["species.a.jitter", "-1", "0 to 10000"]),
        ("[species.a]\nposition_step = \"next\"", &["species.a.position_step", "new, old"]),
        ("[species.a]\nmax_speed = { base = 3 }", &["max_speed", "expected one law"]),
        ("[species.a]\nsize = { base = 3, grows_with_size = 5 }", &["depend on itself"]),
    ];
    for (added, parts) in cases {
        let alone = if added.contains("[species.a") { "" } else { "\n[species.a]" };
        let message = error(&format!("{added}{alone}"), &[]);
        for part in *parts {
            assert!(message.contains(part), "{added}: {message:?} does not say {part:?}");
        }
        assert!(message.starts_with("mine.toml:"), "{message:?}");
    }
}

#[test]
fn errors_that_depend_on_the_worlds_size_are_found() {
    let problem = |text: &str| {
        let scene = Scene::parse("mine.toml", text).unwrap();
        scene.populate(&Request::default()).unwrap_err().to_string()
    };
    let path = "[[paths]]\npoints = [[0, 0], [9, 9]]\n[species.a.follow_path]\n";
    let message = problem(&format!("{path}lookahead = 400"));
    assert!(message.contains("lookahead: 400") && message.contains("640 x 360"), "{message}");
    assert!(message.starts_with("mine.toml:4: species.a.follow_path"), "{message}");
    let message = problem(&format!("{path}lookahead = {{ base = 350, amplitude = 20 }}"));
    assert!(message.contains("lookahead: 370"), "{message}");
    let message = problem("[species.a]\nmax_speed = { base = 350, amplitude = 20 }");
    assert!(message.contains("max_speed: 370"), "{message}");
    let message = problem("time_step = 4\n[species.a]\njitter = 50");
    assert!(message.contains("jitter: pushes of up to 350 "), "{message}");
    assert!(message.contains("360"), "{message}");
    // A target can be at most 367 units away: 3 · 367 / 2.
    let message = problem("[species.a.seek]\nproximity = 2");
    assert!(message.contains("proximity: with 2 ") && message.contains("550"), "{message}");
    // When the key is not in the file, the error names its table.
    let message = problem("[world]\nsize = [2, 2]\n[species.a]\ncount = 1");
    assert!(message.starts_with("mine.toml:3: species.a.max_speed"), "{message}");
    let far = "[[paths]]\npoints = [[1e7, 0], [-1e7, 9]]\n[species.a.follow_path]\n";
    let message = problem(far);
    assert!(message.starts_with("mine.toml:2: paths.path0: the point [10000000, 0]"), "{message}");
    let message = problem("[[obstacles]]\ncount = 70000\nradius = 100\n[species.a.avoid]\n");
    assert!(message.contains("obstacles: 70000 are"), "{message}");
    assert!(message.contains("avoid.reach"), "{message}");
}

#[test]
fn a_scene_without_species_is_refused() {
    assert!(error("about = \"x\"", &[]).contains("[species.NAME]"));
    assert!(error("", &[]).contains("[species.NAME]"));
    assert!(error("[species]", &[]).contains("1 to 16 species"));
    assert!(error("[species.all]", &[]).contains("cannot be called `all`"));
    let deaf = "[world]\ndensity = 3\n[species.a]";
    let told = error(deaf, &[]);
    assert!(told.starts_with("mine.toml:2: world.density: a density needs a species"), "{told}");
    assert!(told.contains("or world.within"), "{told}");
}

#[test]
fn an_error_in_an_override_names_its_origin() {
    for (wrong, part) in [
        ("bird.separation.radius=-1", "--set bird.separation.radius=-1"),
        ("bird.separation", "--set KEY=VALUE"),
        ("bird..radius=1", "an empty part"),
        ("world.boundary=wrp", "`wrap`"),
        ("bird=4", "expected a table"),
        ("targets.0.position=[1]", "two numbers"),
        ("targets.3.position=[1, 2]", "targets: this list has no element `3`, only 0"),
        (
            "targets.position=[1, 2]",
            "targets: this is a list; name an element by its number, as in targets.0.position",
        ),
        ("world.size.2=5", "world.size: this list has no element `2`, only 0 to 1"),
        ("paths.0.closed=true", "paths: the scene has none; give the whole list"),
        ("bird.separation.radius.0=5", "radius: this is 5, not a list"),
        ("style.exposure=mesured", "expected a number or \"measured\""),
        ("style.exposure=0", "0 is outside 0.01 to 100"),
    ] {
        let message = error(GOOD, &[wrong]);
        assert!(message.contains(part), "{wrong}: {message}");
    }
}

#[test]
fn an_override_takes_the_place_of_the_value() {
    let overrides = [
        "bird.separation.radius=7",
        "species.cat.max_speed = 9",
        "world.boundary=wrap",
        "targets.0.position=[1, 2]",
        "cat.flee.target=tree",
    ];
    let scene = Scene::parse_with("mine.toml", GOOD, &overrides).unwrap();
    assert_eq!(scene.perception_radius(), 50.0);
    assert_eq!(scene.species[0].perception_radius(), 7.0);
    assert_eq!(scene.species[1].body.max_speed, 9.0);
    assert_eq!(scene.targets[1].position, flat(1.0, 2.0));
    assert_eq!(scene.species[1].rules.len(), 2);
}

#[test]
fn a_count_keeps_the_shares_and_the_density() {
    let text = GOOD.replace("size = [100, 50]", "size = [100, 50]\ndensity = 12");
    let scene = Scene::parse("mine.toml", &text).unwrap();
    let (scene, state) =
        scene.populate(&Request { count: Some(40_001), ..Request::default() }).unwrap();
    let cats = state.species.iter().filter(|species| **species == 1).count();
    assert_eq!((state.len(), cats), (40_001, 10_000));
    assert!((scene.uniform_neighbours(40_001) - 12.0).abs() < 1e-3);
    assert!((scene.world.size.x / scene.world.size.y - 2.0).abs() < 1e-4);
    let world = scene.world;
    let inside = |p: &Point| p.cmpge(Point::ZERO).all() && world.ends_beyond(*p);
    assert!(state.position.iter().all(inside));

    let denser = Request { count: Some(400), density: Some(30.0), seed: Some(5) };
    let (scene, _) = scene.populate(&denser).unwrap();
    assert!((scene.uniform_neighbours(400) - 30.0).abs() < 1e-3);
    assert_eq!(scene.seed, 5);
}

#[test]
fn at_its_own_count_a_scene_keeps_its_own_world() {
    let scene = Scene::parse("flock", BuiltIn::named("flock").unwrap().text).unwrap();
    let (scene, _) = scene.populate(&Request { count: Some(120), ..Request::default() }).unwrap();
    assert_eq!(scene.world.size, flat(640.0, 360.0));
    let (scene, _) =
        scene.populate(&Request { density: Some(10.0), ..Request::default() }).unwrap();
    assert!((scene.uniform_neighbours(120) - 10.0).abs() < 1e-3);
}

#[test]
fn impossible_populations_are_refused() {
    let scene = Scene::parse("seek", BuiltIn::named("seek").unwrap().text).unwrap();
    let ask = |count, density| Request { count, density, seed: None };
    for (request, part) in [
        (ask(Some(0), None), "1 to 4294967295"),
        (ask(Some(u64::MAX), None), "1 to 4294967295"),
        (ask(None, Some(5.0)), "no species of scene `seek` looks"),
        (ask(None, Some(f32::NAN)), "between 0.001 and 10000"),
        (ask(None, Some(-1.0)), "between 0.001 and 10000"),
    ] {
        let message = scene.populate(&request).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn the_same_seed_gives_the_same_flock() {
    let scene = Scene::parse("flock", BuiltIn::named("flock").unwrap().text).unwrap();
    let request = |seed| Request { count: Some(1000), density: None, seed: Some(seed) };
    let flock = |seed| scene.populate(&request(seed)).unwrap().1;
    assert_eq!(flock(3), flock(3));
    assert_ne!(flock(3), flock(4));
}

#[test]
fn every_built_in_scene_is_documented() {
    for scene in built_in() {
        let parsed = Scene::parse(scene.name, scene.text).unwrap();
        assert!(parsed.about.len() > 10, "{} says nothing about itself", scene.name);
        assert!(scene.text.contains("# Source: "), "{} names no source", scene.name);
    }
}

#[test]
fn what_an_agent_draws_is_refused_with_its_remedy() {
    // Keys of species `a`, and what the message must contain.
    let cases: [(&str, &[&str]); 12] = [
        ("max_speed = { from = 4, to = 2 }", &["a.max_speed", "`from` is 4", "2", "exchange them"]),
        ("max_speed = { from = -1, to = 2 }", &["a.max_speed.from", "-1 is outside 0 to 10000"]),
        ("max_speed = { from = 1, to = 1e9 }", &["a.max_speed.to", "outside 0 to 10000"]),
        ("max_speed = { from = 1, to = nan }", &["a.max_speed.to", "NaN"]),
        ("max_speed = { from = 1 }", &["a.max_speed", "belong together", "{ from = 2, to = 4 }"]),
        ("max_speed = { from = \"slow\", to = 2 }", &["a.max_speed.from", "a number"]),
        (
            "max_speed = { from = 1, to = 2, amplitude = 1 }",
            &["a.max_speed", "drawn for each agent or follows a law, not both"],
        ),
        ("wander = { turn = { from = 1, to = 2, base = 1 } }", &["a.wander.turn", "not both"]),
        ("view = { fov = { from = 1, to = 2 } }", &["a.view.fov", "expected a number"]),
        (
            "spawn = { velocity = { from = [1, 0], to = [0, 1] } }",
            &["a.spawn.velocity", "[1, 0]", "[0, 1]", "exchange them"],
        ),
        ("spawn = { velocity = { from = [1, 0] } }", &["a.spawn.velocity", "both ends"]),
        (
            "spawn = { speed = 1, velocity = { from = [0, 0], to = [0, 1] } }",
            &["a.spawn", "remove `speed` and `heading`"],
        ),
    ];
    for (added, parts) in cases {
        let message = error(&format!("[species.a]\n{added}\n"), &[]);
        for part in parts.iter().chain(&["mine.toml:2"]) {
            assert!(message.contains(part), "{added}: {message:?} does not say {part:?}");
        }
    }
    // No other number can follow a size that is not one number.
    let by_size = "separation.radius = { base = 2, grows_with_size = 3 }\n";
    let message = error(&format!("[species.a]\nsize = {{ from = 1, to = 2 }}\n{by_size}"), &[]);
    for part in ["species.a", "`separation.radius` follows the size", "a number for one of them"] {
        assert!(message.contains(part), "{message:?} does not say {part:?}");
    }
    let message = error("[species.a]\nspawn = { speed = \"max\" }\n", &[]);
    assert!(message.contains("a.spawn.speed") && message.contains("\"max_speed\""), "{message}");
}

#[test]
fn a_draw_can_be_set_and_common_limits_use_its_larger_end() {
    let overrides =
        ["bird.separation.radius={ from = 3, to = 9 }", "cat.max_speed = {from=1,to=7}"];
    let scene = Scene::parse_with("mine.toml", GOOD, &overrides).unwrap();
    assert_eq!(scene.species[0].perception_radius(), 9.0);
    assert_eq!(scene.species[1].largest("max_speed"), 7.0);
    let too_fast = ["cat.max_speed={from=1,to=70}", "world.boundary=wrap"].map(String::from);
    let scene = Scene::parse_with("mine.toml", GOOD, &too_fast).unwrap();
    let message = scene.populate(&Request::default()).unwrap_err().to_string();
    assert!(message.contains("species.cat.max_speed") && message.contains("70"), "{message}");
}

#[test]
fn agents_start_as_their_scene_draws_it() {
    let text = "[species.a]\ncount = 1000\nspawn = { velocity = { from = [-1, 0], to = [1, 3] } }\n\
                [species.b]\ncount = 1000\nmax_speed = { from = 2, to = 4 }\n\
                spawn = { speed = \"max_speed\", heading = 90 }\n";
    let scene = Scene::parse("mine.toml", text).unwrap();
    let (scene, state) = scene.populate(&Request::default()).unwrap();
    let (a, b) = state.velocity.split_at(1000);
    let mean = a.iter().copied().sum::<Point>() / 1000.0;
    // The standard errors are 2/√12/√1000 = 0.018 and 0.027: allow four of each.
    assert!((mean - flat(0.0, 1.5)).abs().cmple(flat(0.073, 0.11)).all(), "{mean}");
    assert!(a.iter().all(|v| (-1.0..=1.0).contains(&v.x) && (0.0..=3.0).contains(&v.y)));
    let spread = a.iter().map(|v| v.x * (v.y - 1.5)).sum::<f32>() / 1000.0;
    assert!(spread.abs() < 0.07, "the components go together: {spread}");
    for (id, v) in (1000..).zip(b) {
        let own = scene.species[1].of_agent(scene.seed, id).body.max_speed;
        assert!(v.x.abs() < 1e-6 && (v.y - own).abs() < 1e-6, "{v}, and its speed is {own}");
    }
    assert!(b.iter().any(|v| v.y < 2.2) && b.iter().any(|v| v.y > 3.8));
}

#[test]
fn a_click_does_one_thing_and_a_target_may_also_follow() {
    let click = |click: &str| {
        let text =
            format!("click = {click}\n[[targets]]\nvelocity = [1, 0]\n[[targets]]\n[species.a]\n");
        let scene = Scene::parse("mine.toml", &text).unwrap();
        (scene.click, scene.led_target())
    };
    // The pointer is the first target; the second moves by itself.
    assert_eq!(click("\"follow\""), (Click::Follow, Some(2)));
    assert_eq!(click("[\"follow\", \"flee\"]"), (Click::Flee, Some(2)));
    assert_eq!(click("[\"add\"]"), (Click::Add, None));
    assert_eq!(click("\"target\""), (Click::Target, None));
    let twice = error("click = [\"add\", \"flee\"]\n[species.a]\n", &[]);
    assert!(twice.contains("click.1") && twice.contains("only \"follow\" can be added"), "{twice}");
    let alone = error("click = \"follow\"\n[species.a]\n", &[]);
    assert!(alone.contains("add a [[targets]] table"), "{alone}");
}

#[test]
fn a_wrong_style_is_refused_with_its_remedy() {
    let cases: [(&str, &[&str]); 9] = [
        (
            "background = \"papr\"",
            &["style.background", "dark, night, paper", "did you mean `paper`?"],
        ),
        ("background = []", &["style.background", "0 colours", "1 to 8"]),
        ("background = [\"#000000\", \"black\"]", &["style.background.1", "\"#E69F00\""]),
        ("background = 3", &["style.background", "expected a string, found 3"]),
        ("colour = \"#12345\"", &["style.colour", "heading, speed", "#E69F00"]),
        ("palette = \"viridi\"", &["style.palette", "did you mean `viridis`?"]),
        ("smallest = 0", &["style.smallest", "0 is outside 1 to 64 points"]),
        ("look = \"square\"", &["style.look", "triangle, disc, glow"]),
        ("backgroud = \"paper\"", &["style.backgroud", "unknown key; did you mean `background`?"]),
    ];
    let camera = "[camera]\nkeys = [{ tick = 9 }, { tick = 9 }]\n[species.a]\n";
    let message = error(camera, &[]);
    assert!(message.contains("camera.keys.1") && message.contains("is not after"), "{message}");
    let message = error("[camera]\nfollow = \"hawk\"\n[species.a]\n", &[]);
    assert!(message.contains("camera.follow") && message.contains("none, centre"), "{message}");
    for (line, parts) in cases {
        let message = error(&format!("[style]\n{line}\n[species.a]\n"), &[]);
        for part in parts.iter().chain(&["mine.toml:2"]) {
            assert!(message.contains(part), "{line}: {message:?} does not say {part:?}");
        }
    }
}

#[test]
fn a_species_without_looks_has_those_of_the_scene() {
    let text = "[style]\nlook = \"disc\"\ncolour = \"speed\"\npalette = \"magma\"\nsmallest = 5\n\
                [species.a]\n[species.b]\nlook = \"triangle\"\nsmallest = 3.5\n";
    let scene = Scene::parse_with("mine.toml", text, &["style.colour='#102030'"]).unwrap();
    let (a, b) = (&scene.species[0], &scene.species[1]);
    assert_eq!((a.look, b.look), (BoidShape::Disc, BoidShape::Triangle));
    assert_eq!([a, b].map(|own| scene.smallest_of(own)), [Some(5.0), Some(3.5)]);
    assert_eq!((a.colour, b.colour), (a.colour, a.colour));
    assert_eq!(a.colour, ColourBy::Fixed(Rgb([0x10, 0x20, 0x30])));
    assert_eq!(a.palette, b.palette);
    assert_eq!(scene.to_toml().matches("magma").count(), 1);
}

/// Scene files beside the documents and the benchmarks make a flock.
#[test]
fn every_scene_file_of_the_house_makes_a_flock() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for folder in ["docs/gallery", "benches/scenes"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                let scene = flockwork::load_scene(&path).unwrap();
                let (_, state) = scene.populate(&Request::default()).unwrap();
                assert!(!state.is_empty(), "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 3, "{seen} files");
}
