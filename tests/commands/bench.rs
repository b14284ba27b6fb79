//! `flockwork bench`: its output and files are complete. No timing is asserted. Needs no GPU: the
//! CPU engine is used for both.

#[cfg(target_os = "linux")]
use crate::process::start;
use std::fs;
#[cfg(target_os = "linux")]
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flockwork::model::scene::{Request, Scene};
use serde_json::Value;

use crate::shell::{self, Folder, run};

fn done(folder: &Path, line: &str) -> String {
    shell::done(folder, &format!("bench {line}"))
}

fn document(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn json(path: &Path) -> Vec<Value> {
    document(path)["reports"].as_array().unwrap().clone()
}

const QUICK: &str = "--engines cpu,cpu1 --ticks 6";

#[test]
fn every_count_meets_every_density() {
    let folder = Folder::empty();
    let files = "--json all.json --plot all.svg";
    let line = format!("{QUICK} --counts 300,2000 --densities 5,20 {files}");
    let text = done(&folder, &line);
    assert_eq!(text.matches("speed-up").count(), 4, "{text}");
    // The summary comes last, with one line per table.
    let summary: Vec<&str> = text.trim_end().lines().rev().take(5).collect();
    assert!(summary[4].contains("neighbours") && summary[4].ends_with("cpu1"), "{text}");
    assert!(summary[0].trim_start().starts_with("2000 "), "{text}");

    let reports = json(&folder.join("all.json"));
    let asked: Vec<(u64, f64)> = reports
        .iter()
        .map(|r| (r["agents"].as_u64().unwrap(), r["density"].as_f64().unwrap()))
        .collect();
    assert_eq!(asked, [(300, 5.0), (300, 20.0), (2000, 5.0), (2000, 20.0)]);
    for report in &reports {
        assert_eq!(report["state"], "uniform");
        assert_eq!((&report["settle_ticks"], &report["ticks"]), (&0.into(), &6.into()));
        assert!(!report["processor"].as_str().unwrap().is_empty());
        let even = report["uniform_neighbours"].as_f64().unwrap();
        assert!((even / report["density"].as_f64().unwrap() - 1.0).abs() < 1e-3);
        let rows = report["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 2);
        // A run this short is repeated.
        let [runs, batch] = ["runs", "ticks_a_sample"].map(|key| report[key].as_u64().unwrap());
        let samples = runs * 6_u64.div_ceil(batch);
        let told = format!("p95 of {samples} samples in {runs} runs, each");
        assert!(runs > 1 && text.contains(&told), "{text}");
        for row in rows {
            let number = |key: &str| row[key].as_f64().unwrap();
            assert!(number("ms_min") <= number("ms_p50") && number("ms_p50") <= number("ms_p95"));
            let agents = report["agents"].as_f64().unwrap();
            let per_agent = number("ms_p50") * 1e6 / agents;
            assert!((number("ns_per_agent") / per_agent - 1.0).abs() < 1e-9);
            assert_eq!(row["samples"].as_u64().unwrap(), samples);
            assert_eq!(row["passes"][0][0], "steer");
        }
    }
}

#[test]
fn forces_that_are_no_numbers_are_told_once() {
    let folder = Folder::empty();
    let rule = "[species.a]\nrules.bad.force = \"velocity / (speed - speed)\"\n";
    folder.write("bad.toml", rule);
    let line = format!("bench --scene bad.toml --count 20,30 {QUICK}");
    let (_, _, told) = run(&folder, &line);
    // 20 agents in 11 ticks before the clock starts, and 6 after that.
    assert_eq!(told.matches("cpu, last run: 340 forces of `a.rules.bad`").count(), 1, "{told}");
    assert_eq!(told.matches("no number").count(), 1, "{told}");
}

#[test]
fn options_that_change_nothing_are_told() {
    let folder = Folder::empty();
    for (line, idle) in [
        ("--engines cpu --adapter foo", "--adapter has no effect on the CPU engine"),
        ("--engines cpu1 --threads 2", "--threads has no effect on cpu1"),
        ("--engines cpu --threads 2", ""),
        ("--engines cpu --density 3 --set world.density=20", "--set world.density has no effect"),
    ] {
        let (_, text, told) = run(&folder, &format!("bench --count 20 --ticks 6 {line}"));
        assert!(text.contains(", GPU engine not timed\n"), "{text}");
        assert!(told.contains(idle) && told.lines().count() == idle.len().min(1), "{told}");
    }
}

#[test]
fn a_start_state_is_what_its_name_says() {
    let folder = Folder::empty();
    let mut neighbours = Vec::new();
    for (state, settled) in [("uniform", 0), ("clumped", 0), ("flocked", 60), ("", 0)] {
        let option = if state.is_empty() { String::new() } else { format!("--state {state}") };
        let settle = if settled > 0 { format!("--settle {settled}") } else { String::new() };
        let text =
            done(&folder, &format!("{QUICK} --count 3000 {option} {settle} --json one.json"));
        let report = &json(&folder.join("one.json"))[0];
        let name = if state.is_empty() { "uniform" } else { state };
        assert_eq!((&report["state"], &report["settle_ticks"]), (&name.into(), &settled.into()));
        assert_eq!(report["agents"], 3000);
        assert!(text.contains(&format!("start: {name}")), "{text}");
        neighbours.push(report["mean_neighbours"][0].as_f64().unwrap());
    }
    let [uniform, clumped, flocked, scene] = neighbours[..] else { panic!("four starts") };
    assert_eq!(uniform, scene, "the scene `flock` starts evenly at scale");
    assert!((9.0..11.0).contains(&uniform), "{uniform}");
    assert!(flocked > 1.3 * uniform, "{flocked} after settling, {uniform} before");
    // A hundred times as dense, except for the agents at the rim.
    assert!((300.0..1000.0).contains(&clumped), "{clumped}");
}

#[test]
fn the_scenes_for_timing_start_as_they_say() {
    let scene = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/scenes").join(name);
        let text = fs::read_to_string(path).unwrap();
        let request = Request { count: Some(5000), ..Request::default() };
        Scene::parse(name, &text).unwrap().populate(&request).unwrap()
    };
    let (_, state) = scene("one-point.toml");
    assert!(state.position.iter().all(|p| *p == state.position[0]));
    let (world, state) = scene("one-row.toml");
    assert!(state.position.iter().all(|p| p.y == state.position[0].y));
    let mean = state.position.iter().map(|p| f64::from(p.x)).sum::<f64>() / 5000.0;
    assert!((mean / f64::from(world.world.size.x) - 0.5).abs() < 0.05, "{mean}");
    let (world, state) = scene("seek-one-point.toml");
    let roost = world.targets[1].position;
    let far = |place| world.world.shortest_between(place, roost).length();
    assert!(state.position.iter().all(|place| far(*place) < 201.0));
    for name in ["path-500.toml", "avoid-1000.toml"] {
        assert!(!scene(name).1.is_empty());
    }
}

/// The number of opening tags of an SVG minus the closing ones.
fn unbalanced(svg: &str) -> i32 {
    let tags = svg.split('<').skip(1);
    tags.map(|tag| match tag {
        _ if tag.starts_with(['?', '!']) => 0,
        _ if tag.starts_with('/') => -1,
        _ if tag.split('>').next().is_some_and(|head| head.ends_with('/')) => 0,
        _ => 1,
    })
    .sum()
}

#[test]
fn a_plot_is_a_picture_of_the_figures() {
    let folder = Folder::empty();
    let line = format!("{QUICK} --counts 200,2000 --densities 5,20");
    done(&folder, &format!("{line} --plot a.svg"));
    let svg = folder.text("a.svg");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(unbalanced(&svg), 0);
    for name in
        ["cpu, k = 5", "cpu1, k = 20", "steer", "sort", "2 k", "scene flock", "AVX", "lanes"]
    {
        let scalar = name == "AVX" || name == "lanes";
        assert!(svg.contains(name) || scalar && svg.contains("scalar"), "no {name} in\n{svg}");
    }
    done(&folder, &format!("{line} --plot A.PNG"));
    let bytes = folder.bytes("A.PNG");
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let wide = svg.split("width=\"").nth(1).and_then(|s| s.split('"').next()).unwrap();
    assert_eq!(info.width, 2 * wide.parse::<u32>().unwrap(), "twice as sharp as the SVG's units");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    // Letters, lines and bars on white.
    let inked = pixels.chunks_exact(3).filter(|p| p.iter().any(|c| *c < 200)).count();
    assert!((20_000..1_000_000).contains(&inked), "{inked} pixels are not white");
}

#[test]
fn invalid_arguments_are_refused_before_anything_is_timed() {
    let folder = Folder::empty();
    for (line, remedy, code) in [
        ("--plot a.jpg", "NAME.svg", 2),
        ("--plot a", "NAME.png", 2),
        ("--plot missing/a.svg", "create it first", 1),
        ("--plot a.svg --json a.svg", "choose another", 2),
        ("--density 10,-1", "between 0.001 and 10000", 2),
        ("--scene seek --density 10", "world.size", 1),
        (
            "--counts 300,100000000 --densities 10,0.001",
            "--count 100000000 with --density 0.001",
            1,
        ),
        ("--plot a.svg --counts 1,2 --densities 1,2,3,4,5,6,7,8,9", "several plots", 2),
        ("--engines cpu,cpu1,cpu", "cpu is named twice", 2),
        ("--state molten", "clumped", 2),
        ("--counts 10,x", "whole number", 2),
        ("--seed x", "from 0 to 4294967295", 2),
        ("--threads 0", "from 1 to 4096", 2),
        ("--set starling.size", "--set KEY=VALUE", 2),
    ] {
        let engines = if line.contains("--engines") { "--ticks 6" } else { QUICK };
        let (found, text, told) = run(&folder, &format!("bench {engines} {line}"));
        assert_eq!((found, text.as_str()), (Some(code), ""), "{line}: {told}");
        assert!(told.contains(remedy), "{line}: {told}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "something was left behind");
}

#[cfg(target_os = "linux")]
#[test]
fn files_are_written_even_when_stdout_is_full() {
    let folder = Folder::empty();
    let line = format!("bench {QUICK} --counts 200,300 --json kept.json --plot kept.svg");
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = shell::flockwork(&folder, &line).stdout(full()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("stdout") && message.contains("kept.json, kept.svg"), "{message}");
    assert_eq!(json(&folder.join("kept.json")).len(), 2);
    assert!(folder.join("kept.svg").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_works_before_the_first_sample() {
    let folder = Folder::empty();
    // The ticks before the measurement would take minutes.
    let line =
        "bench --engines cpu --count 300000 --state flocked --settle 1000000 --json none.json";
    let mut bench = start(&folder, "", line);
    bench.until_it_hears(2);
    bench.send("INT");
    let output = bench.end();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{message}");
    assert!(message.contains("nothing has been measured"), "{message}");
    assert!(!folder.join("none.json").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_keeps_what_has_been_measured() {
    let folder = Folder::empty();
    // The second table would take minutes.
    let files = "--json kept.json --plot kept.png";
    let line = format!("bench --engines cpu --counts 300,300000 --ticks 40000 {files}");
    let mut bench = start(&folder, "", &line);
    let mut out = BufReader::new(bench.child.stdout.take().unwrap());
    let mut first = String::new();
    // The first table has begun to appear: the second is being measured.
    out.read_line(&mut first).unwrap();
    bench.send("INT");
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let output = bench.end();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("tables done: 1 of 2") && message.contains("kept.json"), "{message}");
    let reports = json(&folder.join("kept.json"));
    assert_eq!(reports[0]["ticks"], reports[0]["ticks_asked"]);
    assert!(reports.iter().skip(1).all(|r| r["ticks"].as_u64() < r["ticks_asked"].as_u64()));
    assert!(folder.join("kept.png").exists());
}
