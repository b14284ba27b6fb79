//! `flockwork sweep`: its averages are the means of what `simulate` writes, and nothing that is there is lost or
//! computed twice. Needs no GPU.

use std::fs;

use crate::shell::{Folder, done, exits, flockwork, names, number, rows, run, says};

/// A sweep of six short runs: two weights, three seeds. Their last sample is at tick 60.
const SMALL: &str = "sweep --engine cpu --scene flock --count 60 --vary starling.separation.weight=1,3 --seeds 3 \
                     --ticks 62 --settle 20 --metrics-every 4";

#[test]
fn an_average_is_the_mean_of_what_simulate_writes() {
    let folder = Folder::empty();
    let all = done(&folder, &format!("{SMALL} --out all"));
    assert_eq!(all, "6 runs: 6 computed; all/results.csv (6 rows)\n");
    let table = rows(&folder.join("all/results.csv"));
    let points: Vec<String> = table
        .iter()
        .map(|row| format!("{}/{}", row["starling.separation.weight"], row["seed"]))
        .collect();
    assert_eq!(points, ["1/1", "1/2", "1/3", "3/1", "3/2", "3/3"]);
    for row in &table {
        let (weight, seed) = (&row["starling.separation.weight"], &row["seed"]);
        done(
            &folder,
            &format!(
                "simulate --engine cpu --scene flock --count 60 --set starling.separation.weight={weight} \
                 --seed {seed} --ticks 60 --metrics m.csv --metrics-every 4"
            ),
        );
        let samples = rows(&folder.join("m.csv"));
        let samples: Vec<_> = samples.iter().filter(|row| number(row, "tick") >= 20.0).collect();
        assert_eq!((samples.len(), row["settled"].as_str()), (11, "20"));
        for name in ["polarisation", "mean_neighbours", "clusters"] {
            let mean = samples.iter().map(|row| number(row, name)).sum::<f64>() / 11.0;
            // Both are sums of eleven numbers.
            assert!((number(row, name) - mean).abs() <= 1e-12 * mean.abs(), "{name}: {row:?}");
        }
    }
    // The control: another point has another mean.
    assert_ne!(table[0]["polarisation"], table[3]["polarisation"]);
}

#[test]
fn what_is_there_is_not_computed_again() {
    let folder = Folder::empty();
    done(&folder, &format!("{SMALL} --out all"));
    let out = folder.join("all");
    let table = folder.bytes("all/results.csv");
    let all = rows(&out.join("results.csv"));
    let (row, other) = (&all[4], &all[1]);
    fs::remove_file(out.join(&row["file"])).unwrap();
    fs::write(out.join(&other["file"]), "half a fi").unwrap();
    fs::remove_file(out.join("results.csv")).unwrap();
    // Without a run to compute, there is still a table of the others.
    let said = done(&folder, &format!("{SMALL} --out all --collect"));
    assert_eq!(said, "6 runs: 0 computed, 4 there before; all/results.csv (4 rows)\n");
    let said = done(&folder, &format!("{SMALL} --out all --plot plot.svg"));
    assert_eq!(said, "6 runs: 2 computed, 4 there before; all/results.csv (6 rows)\n");
    assert_eq!(folder.bytes("all/results.csv"), table);
    let plot = folder.text("plot.svg");
    assert!(plot.contains("polarisation") && plot.contains("starling.separation.weight"));
    assert!(!plot.contains("reference"));
    folder.write("r.csv", "weight,polarisation\n1,0.5\n3,0.1\n");
    done(&folder, &format!("{SMALL} --out all --plot plot.svg --reference r.csv"));
    let plot = folder.text("plot.svg");
    assert!(plot.matches(">\nreference").count() == 1, "{plot}");
    // Another plan leaves them where they are.
    let (_, said, told) = run(&folder, &format!("{SMALL} --out all --set starling.max_speed=2"));
    assert!(said.starts_with("6 runs: 6 computed;"), "{said}");
    assert!(told.contains("6 results of other plans; they stay"), "{told}");
    let said = done(&folder, &format!("{SMALL} --out all"));
    assert!(said.starts_with("6 runs: 0 computed, 6 there before"), "{said}");
    assert_eq!(folder.bytes("all/results.csv"), table);
}

#[test]
fn shards_and_jobs_give_the_same_bytes() {
    let folder = Folder::empty();
    done(&folder, &format!("{SMALL} --out whole --jobs 1 --threads 2"));
    let mut shards: Vec<_> = (1..=3)
        .map(|shard| {
            let line = format!("{SMALL} --out parts --jobs 2 --shard {shard}/3");
            flockwork(&folder, &line).spawn().unwrap()
        })
        .collect();
    assert!(shards.iter_mut().all(|shard| shard.wait().unwrap().success()));
    // Two of them at once do no harm either.
    done(&folder, &format!("{SMALL} --out parts --run 2..3"));
    let [whole, parts] = ["whole", "parts"].map(|out| folder.join(out));
    assert_eq!(names(&whole), names(&parts));
    assert_eq!(names(&whole).len(), 8);
    for name in names(&whole) {
        let [one, other] = [&whole, &parts].map(|out| fs::read(out.join(&name)).unwrap());
        assert_eq!(one, other, "{name}");
    }
}

#[test]
fn a_plan_says_the_same_as_the_command_line() {
    let folder = Folder::empty();
    let plan = r##"
scene = "mine.toml"
seeds = 2
ticks = 40
metric = [" polarisation"]

[set]
about = "12"
"bird.alignment.weight" = 2
bird.wander = {}
"bird.cohesion" = "none"
"bird.rules.drag.force" = "-0.2*velocity"
"style.background" = "#FF0000"
"world.boundary" = "wrap"

[vary]
count = [20, 30]
"bird.max_speed" = "1..3:3"
"##;
    let scene = done(&folder, "scenes flock").replace("starling", "bird");
    fs::create_dir(folder.join("plans")).unwrap();
    folder.write("plans/mine.toml", scene);
    folder.write("plans/plan.toml", plan);
    let list = |line: &str| done(&folder, line);
    let from_plan = list("sweep plans/plan.toml --list");
    let from_line = |length: &str| {
        list(&format!(
            "sweep --scene plans/mine.toml --seeds 2 {length} --metric polarisation --set about=\"12\" --set \
             bird.alignment.weight=2 --set bird.wander={{}} --set bird.cohesion=none --set bird.rules.drag.force=\"-0.2*velocity\" --set \
             style.background=\"#FF0000\" --set world.boundary=wrap --vary count=20,30 --vary \
             bird.max_speed=1,2,3 --list"
        ))
    };
    assert_eq!(from_plan, from_line("--ticks 40"));
    // The most ticks can stand with the error that ends a run.
    let until = "until = { metric = \"polarisation\", standard_error = 0.1, most = 40 }";
    folder.write("plans/until.toml", plan.replace("ticks = 40", until));
    let from_until = list("sweep plans/until.toml --list");
    assert_eq!(from_until, from_line("--ticks 40 --until polarisation=0.1"));
    assert_ne!(from_until, from_plan);
    let lines: Vec<serde_json::Value> =
        from_plan.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 12);
    assert_eq!(
        (&lines[2]["run"], &lines[2]["seed"], &lines[2]["done"]),
        (&3.into(), &1.into(), &false.into())
    );
    assert_eq!(lines[2]["values"]["bird.max_speed"], "2");
    // The command line overrides the plan, and a list pairs the values.
    let listed =
        list("sweep plans/plan.toml --list --vary bird.max_speed=1,3 --design list --seeds 1");
    assert_eq!(listed.lines().count(), 2);
    assert!(listed.contains(r#"{"bird.max_speed":"3","count":"30"}"#), "{listed}");
    // So does a table.
    folder.write("plans/v.csv", "bird.max_speed, count\n1, 20\n3, 30\n");
    let rest =
        plan.split("[vary]").next().unwrap().replace("seeds = 2", "seeds = 1\nvalues = \"v.csv\"");
    folder.write("plans/table.toml", rest);
    let files = |text: &str| -> Vec<String> {
        let file =
            |line| serde_json::from_str::<serde_json::Value>(line).unwrap()["file"].to_string();
        text.lines().map(file).collect()
    };
    assert_eq!(files(&list("sweep plans/table.toml --list")), files(&listed));
}

/// A scene whose agents draw their largest speeds.
fn write_drawn_speeds(folder: &Folder) {
    let scene = done(folder, "scenes flock");
    folder.write("mine.toml", scene.replace("max_speed = 3", "max_speed = { from = 1, to = 2 }"));
}

#[test]
fn a_run_that_fails_is_a_row_with_its_reason() {
    let folder = Folder::empty();
    // From 1 to 2, from 1 to 4, from 3 to 2, from 3 to 4.
    write_drawn_speeds(&folder);
    let line = "sweep --engine cpu --scene mine.toml --count 40 --vary starling.max_speed.from=1,3 --vary \
                starling.max_speed.to=2,4 --set seed=7 --ticks 20 --metric mean_speed --out all";
    for _ in 0..2 {
        let (code, said, told) = run(&folder, line);
        assert_eq!(code, Some(1), "{told}");
        assert!(said.contains("results.csv (4 rows)"), "{said}");
        assert!(told.contains("1 of 4 runs failed; run 3: "), "{told}");
        assert!(told.contains("max_speed"), "{told}");
        let table = rows(&folder.join("all/results.csv"));
        let failed: Vec<bool> = table.iter().map(|row| !row["failure"].is_empty()).collect();
        assert_eq!(failed, [false, false, true, false]);
        assert!(table.iter().all(|row| row["seed"] == "7"));
        assert!(table[2]["mean_speed"].is_empty() && number(&table[3], "mean_speed") > 0.0);
    }
    // Without any result to draw, the reason is told all the same.
    let (code, said, told) =
        run(&folder, "sweep --engine cpu --count 4294967295 --ticks 5 --out none --plot p.svg");
    assert_eq!((code, said.contains("(1 row)")), (Some(1), true), "{said} {told}");
    assert!(told.contains("1 of 1 run failed; run 1: ") && !folder.join("p.svg").exists());
}

#[test]
fn a_row_of_a_table_that_is_impossible_fails_alone() {
    let folder = Folder::empty();
    write_drawn_speeds(&folder);
    let table = "starling.max_speed.from,starling.max_speed.to\n1,2\n\n3,2\n1.5,2.5\n";
    folder.write("t.csv", table);
    let line = "sweep --engine cpu --scene mine.toml --count 40 --values t.csv --ticks 20 --metric mean_speed --out all";
    let (code, said, told) = run(&folder, &format!("{line} --run 2"));
    assert_eq!(
        (code, said.contains("3 runs: 1 computed; results.csv comes with the last")),
        (Some(1), true),
        "{said}"
    );
    assert!(told.contains("1 of 1 run failed; run 2 (t.csv, row 2): "), "{told}");
    // Another part is not to blame, until it is the last.
    done(&folder, &format!("{line} --run 1"));
    let (code, said, told) = run(&folder, line);
    assert!(code == Some(1) && said.contains("2 computed, 1 there before"), "{said} {told}");
    let failed = rows(&folder.join("all/results.csv"));
    assert_eq!(failed.iter().filter(|row| !row["failure"].is_empty()).count(), 1);
}

#[cfg(unix)]
#[test]
fn the_scene_is_read_once() {
    let folder = Folder::empty();
    let line = "sweep --engine cpu --count 40 --vary starling.max_speed=1,2 --ticks 20 --metric mean_speed";
    // A pipe has its text once.
    let piped = format!("flockwork scenes flock | flockwork {line} --scene /dev/stdin --out pipe");
    exits(&folder, 0, &piped);
    done(&folder, &format!("{line} --scene flock --out file"));
    let [pipe, file] = ["pipe", "file"].map(|out| rows(&folder.join(out).join("results.csv")));
    assert_eq!(pipe, file);
}

#[test]
fn a_run_ends_once_its_error_is_small() {
    let folder = Folder::empty();
    let line = "sweep --engine cpu --scene vicsek --count 60 --set agent.rules.align.parameters.noise.value=4 \
                --ticks 20000 --metric polarisation";
    done(&folder, &format!("{line} --until polarisation=0.01 --out until"));
    let row = &rows(&folder.join("until/results.csv"))[0];
    assert!(number(row, "ticks") < 20_000.0 && number(row, "polarisation_se") <= 0.01, "{row:?}");
    done(&folder, &format!("{line} --until polarisation=1e-9 --out most"));
    let longest = &rows(&folder.join("most/results.csv"))[0];
    assert_eq!(longest["ticks"], "20000");
    // Both estimate the same mean: five standard errors of the difference.
    let error = number(row, "polarisation_se").hypot(number(longest, "polarisation_se"));
    let apart = number(row, "polarisation") - number(longest, "polarisation");
    assert!(apart.abs() < 5.0 * error, "{row:?} {longest:?}");
}

#[test]
fn bad_input_is_one_sentence() {
    // As many agents in all, but not of each species.
    const MIXED: &str = "sweep --scene big-and-small --ticks 5 --out all --design hysteresis --vary small.count=100,99 \
                         --vary large.count=9,10";
    let folder = Folder::empty();
    for (name, content) in [
        ("gap.csv", "count,density\n10,5\n20\n"),
        ("nan.csv", "count,density\n10,5\n20,nan\n"),
        ("twice.csv", "count,count\n10,5\n"),
        ("empty.csv", "count\n"),
        ("rowless.csv", "count,polarisation\n"),
        ("words.csv", "count,polarisation\n1,abc\n"),
        ("other.csv", "noise,order\n1,0.5\n"),
        ("typo.toml", "scene = \"flock\"\n\ntikcs = 5\n"),
        ("zero.toml", "scene = \"flock\"\nticks = 5\ncount = 0\n"),
        ("range.toml", "scene = \"flock\"\nticks = 5\n[vary]\ncount = \"5..\"\n"),
        ("broken.toml", "scene = \n"),
        ("keys.toml", "[vary]\n\"starling.size\" = [2]\nstarling.size = [4]\n"),
        ("set.toml", "[set]\n\"starling.size\" = 2\nspecies.starling.size = 4\n"),
        ("back.csv", "starling.size\n2\n3\n2\n"),
        ("names.csv", "species.starling.size,starling.size\n2,3\n4,5\n"),
        ("speeds.csv", "starling.min_speed\n2\n4\n"),
        ("half.toml", "until = { metric = \"clusters\", standard_error = 1, most = 1.5 }\n"),
        ("never.toml", "until = { metric = \"clusters\", standard_error = 1, most = 0 }\n"),
        (
            "most.toml",
            "ticks = 5\nuntil = { metric = \"clusters\", standard_error = 1, most = 9 }\n",
        ),
    ] {
        folder.write(name, content);
    }
    let base = "sweep --engine cpu --scene flock --out all --ticks 10";
    for (rest, code, parts) in [
        (
            "--vary starling.separation.weigth=1,2",
            2,
            &["--vary starling.separation.weigth=1", "`weight`"][..],
        ),
        ("--vary starling.separation.weight=1,x", 2, &["weight=x", "expected a number"]),
        ("--vary starling.separation.weight=", 2, &["weight="]),
        ("--vary starling.separation.weight=2..2:3", 2, &["2..2:3", "0..1:11"]),
        ("--vary count=10,10", 2, &["\"10\" twice"]),
        ("--vary count=10,-4", 2, &["--vary count=-4", "agents"]),
        ("--vary count=1..1000:1000 --seeds 1001", 2, &["1000 points × 1001 seeds", "1000000"]),
        ("--vary count=10,10.0", 2, &["10 and 10.0 are the same run"]),
        ("--vary count=10,20 --vary count=5", 2, &["--vary count", "twice"]),
        ("keys.toml", 1, &["keys.toml:1: starling.size is there twice; name all values at once"]),
        ("set.toml", 1, &["set.toml:1: starling.size is there twice; name all values at once"]),
        ("--values back.csv --design hysteresis", 2, &["2 and 2 are the same run"]),
        ("--values speeds.csv", 2, &["speeds.csv: row 2: starling.min_speed, 4, is above"]),
        (
            "--vary starling.min_speed=1,5 --vary starling.max_speed=2,6",
            2,
            &[
                "--vary starling.min_speed=5 --vary starling.max_speed=2: starling.min_speed, 5, is above",
            ],
        ),
        ("--count 5 --vary count=10,30", 2, &["count varies and is set"]),
        ("--density 5 --vary world.density=2,3", 2, &["world.density varies and is set"]),
        ("--set species.\"starling\".size=2 --vary starling.size=3,4", 2, &["varies and is set"]),
        (
            "--design list --vary species.starling.size=2,3 --vary starling.size=4,5",
            2,
            &["species.starling.size and starling.size are the same key"],
        ),
        ("--values names.csv", 2, &["species.starling.size and starling.size are the same key"]),
        (
            "--count 7 --vary starling.count=5,10",
            2,
            &["starling.count varies, but count gives the number of agents; vary count alone"],
        ),
        ("--seed 4294967295 --seeds 2", 2, &["--seed 4294967295", "begin lower"]),
        ("--set seed=4294967294 --seeds 4", 2, &["the scene's seed, 4294967294", "begin lower"]),
        ("--seeds 0", 2, &["--seeds", "0"]),
        ("--shard 0/0", 2, &["0/0", "1/4"]),
        ("--shard 5/4", 2, &["5/4", "1/4"]),
        ("--run 3", 2, &["--run 3: the plan has 1 run"]),
        ("--metric polarization", 2, &["polarization", "polarisation"]),
        ("--metric clusters,clusters", 2, &["`clusters` is named twice"]),
        ("--metric crow.clusters", 2, &["crow.clusters", "known names are starling"]),
        ("--until polarisation=0", 2, &["polarisation=0", "above 0"]),
        ("--until mean_sped=0.1", 2, &["\"mean_sped\"", "`mean_speed`"]),
        ("--settle 10", 2, &["--settle 10", "10 ticks"]),
        ("--settle 9 --metrics-every 4", 2, &["--settle 9", "10 ticks, one every 4; settle less"]),
        ("--values gap.csv", 1, &["gap.csv", "line 3", "1 value for 2 columns"]),
        ("--values nan.csv", 1, &["nan.csv", "line 3", "density", "finite"]),
        ("--values twice.csv", 1, &["twice.csv", "two columns", "\"count\""]),
        ("--values empty.csv", 1, &["empty.csv", "no row"]),
        ("--values none.csv", 1, &["none.csv", "No such file"]),
        (
            "--vary count=5,10 --reference rowless.csv --plot p.svg",
            1,
            &["--reference rowless.csv: it has no row"],
        ),
        ("--plot p.jpg", 2, &["p.jpg", "NAME.svg"]),
        ("--design list --vary count=1,2 --vary density=1,2,3", 2, &["density has 3", "has 2"]),
        ("--design hysteresis", 2, &["one point", "vary a key"]),
        ("--design hysteresis --vary count=10,20", 2, &["agents of each species cannot vary"]),
        (
            "--design hysteresis --vary starling.separation.radius=1,2,-3",
            2,
            &["--vary starling.separation.radius=-3"],
        ),
        (
            "--design hysteresis --vary starling.count=10,20 --vary starling.max_speed=1,2",
            2,
            &["--design hysteresis", "agents of each species cannot vary"],
        ),
        (
            "--design hysteresis --vary starling.count=10,20 --vary starling.max_speed=1,2,3",
            2,
            &["--design hysteresis", "has 3 values"],
        ),
        ("none.toml", 1, &["none.toml"]),
        ("typo.toml", 1, &["typo.toml:3", "tikcs"]),
        ("range.toml", 1, &["range.toml", "5..", "A..B:N"]),
        ("broken.toml", 1, &["broken.toml:1"]),
        ("most.toml", 1, &["most.toml", "`until.most` and `ticks`"]),
        ("half.toml", 1, &["half.toml:1", "whole number", "found 1.5"]),
        ("never.toml", 1, &["never.toml", "`until.most` is 0"]),
    ] {
        let (found, said, told) = run(&folder, &format!("{base} {rest}"));
        assert_eq!((found, said.as_str()), (Some(code), ""), "{rest}: {told}");
        says(rest, &told, parts);
        assert!(!told.contains("panicked"), "{rest}: {told}");
        assert!(told.trim_end().lines().count() < 6, "{rest}: {told}");
    }
    done(&folder, "simulate --engine cpu --count 20 --ticks 0 --out m.csv");
    for (line, part) in [
        ("sweep zero.toml --out all", "--count 0"),
        ("sweep --scene flock --out all", "--ticks"),
        ("sweep --ticks 5", "--out DIR"),
        (
            "sweep --scene m.run.toml --ticks 5 --out all --vary starling.count=5,10",
            "starling.count varies, but the record in --scene gives the number of agents",
        ),
        (MIXED, "each species"),
    ] {
        let told = exits(&folder, 2, &format!("flockwork {line}"));
        assert!(told.contains(part), "{line}: {told}");
    }
}

#[test]
fn the_error_of_one_sample_is_unknown() {
    let folder = Folder::empty();
    let line = "sweep --engine cpu --count 30 --vary starling.max_speed=1,2 --ticks 9 --settle 5 --metrics-every 9";
    done(&folder, &format!("{line} --metric polarisation --out all --plot plot.svg"));
    for row in rows(&folder.join("all/results.csv")) {
        assert!(number(&row, "polarisation") > 0.0, "{row:?}");
        assert_eq!([&row["polarisation_se"], &row["polarisation_tau"]], ["", ""]);
    }
    assert!(!folder.text("plot.svg").contains("NaN"));
}

#[cfg(unix)]
#[test]
fn a_result_that_cannot_be_written_ends_the_sweep_and_leaves_no_part() {
    let folder = Folder::empty();
    // Blocks of 512 bytes: less than a result takes.
    let told = exits(&folder, 1, &format!("ulimit -f 2; flockwork {SMALL} --out all"));
    assert!(told.contains("all/") && told.contains("ulimit -f"), "{told}");
    assert_eq!(names(&folder.join("all")), Vec::<String>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn after_ctrl_c_the_same_command_goes_on() {
    let folder = Folder::empty();
    let line = "sweep --engine cpu --scene flock --count 300 --vary starling.separation.weight=1..2:40 --ticks 400 \
                --metric polarisation --out";
    let mut watched = crate::process::start(&folder, "", &format!("{line} part"));
    watched.until_it_hears(2);
    let out = folder.join("part");
    while !out.exists() || names(&out).len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    watched.send("INT");
    let output = watched.end();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("of 40 runs are there; the same command goes on"), "{told}");
    let there = names(&folder.join("part"));
    assert!(there.len() < 40 && there.iter().all(|name| name.ends_with(".toml")), "{there:?}");
    done(&folder, &format!("{line} part"));
    done(&folder, &format!("{line} whole"));
    let [part, whole] = ["part", "whole"].map(|out| folder.bytes(format!("{out}/results.csv")));
    assert_eq!(part, whole);
}
