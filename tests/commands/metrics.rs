//! The metrics of `simulate --metrics` against the states that the same run wrote. They are
//! computed again by the formulas of docs/formats.md: agent by agent, pair by pair. Needs no GPU.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use crate::common::built_in;
use crate::shell::{self, Folder, done, exits};
use glam::DVec3;

/// World units and shares: the error of sums of thousands of `f64`.
const TOLERANCE: f64 = 1e-9;

/// Relative error of a distance between two agents: the program computes it in `f32`, by a
/// subtraction, a square and a sum with an error of at most 2⁻²⁴ each, and a root that halves it.
const DISTANCE: f64 = 2.5 / 16_777_216.0;

/// Position and velocity; in a plane z is 0.
type Agent = [DVec3; 2];

/// The rows of a CSV file by column name. States hold `f32`, and their shortest decimals differ
/// slightly from those numbers.
fn rows(path: &std::path::Path, number: fn(&str) -> f64) -> Vec<BTreeMap<String, f64>> {
    let numbers = |row: BTreeMap<String, String>| {
        // The record of the run is no number.
        let all = row.into_iter().filter(|(name, _)| *name != "run");
        all.map(|(name, text)| (name, number(&text))).collect()
    };
    shell::rows(path).into_iter().map(numbers).collect()
}

/// The shortest difference from `a` to `b` on an axis of this length; `None` for an endless axis.
fn way(a: f64, b: f64, length: Option<f64>) -> f64 {
    let straight = b - a;
    let Some(length) = length else { return straight };
    let ways = [straight - length, straight, straight + length];
    ways.into_iter().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap()
}

fn mean(of: impl Iterator<Item = f64>) -> f64 {
    let all: Vec<f64> = of.collect();
    all.iter().sum::<f64>() / all.len() as f64
}

/// The length of the mean of vectors.
fn length_of_mean(of: impl Iterator<Item = DVec3>) -> f64 {
    let all: Vec<DVec3> = of.collect();
    (all.iter().sum::<DVec3>() / all.len() as f64).length()
}

/// The middle of the flock on one axis.
fn middle(places: &[f64], length: Option<f64>) -> f64 {
    let Some(length) = length else { return mean(places.iter().copied()) };
    let angles = || places.iter().map(|place| place / length * TAU);
    let (sine, cosine) = (mean(angles().map(f64::sin)), mean(angles().map(f64::cos)));
    sine.atan2(cosine) / TAU * length
}

/// The number of connected groups and the share of the agents in the largest.
fn groups(count: usize, near: impl Fn(usize, usize) -> bool) -> [f64; 2] {
    let mut rest: Vec<usize> = (0..count).collect();
    let mut sizes = Vec::new();
    while let Some(first) = rest.pop() {
        let mut group = vec![first];
        let mut done = 0;
        while let Some(agent) = group.get(done).copied() {
            let (joined, others): (Vec<_>, _) = rest.iter().partition(|other| near(agent, **other));
            rest = others;
            group.extend::<Vec<usize>>(joined);
            done += 1;
        }
        sizes.push(done);
    }
    [sizes.len() as f64, sizes.into_iter().max().unwrap_or(0) as f64 / count as f64]
}

/// Each column by its definition in docs/formats.md: its smallest and largest allowed value.
fn expected(
    agents: &[Agent],
    size: [Option<f64>; 3],
    radius: f64,
) -> Vec<(&'static str, [f64; 2])> {
    let speed = |[_, v]: &Agent| v.length();
    let axis = |i: usize| agents.iter().map(|[p, _]| p[i]).collect::<Vec<_>>();
    let centre = DVec3::from_array([0, 1, 2].map(|i| middle(&axis(i), size[i])));
    let between =
        |from: DVec3, to: DVec3| DVec3::from_array([0, 1, 2].map(|i| way(from[i], to[i], size[i])));
    let arm = |[p, _]: &Agent| between(centre, *p);
    let moment = |a: &Agent| arm(a).cross(a[1]);
    let apart = |a: &Agent, b: &Agent| between(a[0], b[0]).length();
    let others = |index: usize| {
        let others = agents.iter().enumerate().filter(move |(other, _)| *other != index);
        others.map(move |(_, other)| apart(&agents[index], other))
    };
    let all = 0..agents.len();
    let near =
        |within: f64| mean(all.clone().map(|i| others(i).filter(|d| *d < within).count() as f64));
    let nearest = mean(all.clone().map(|i| others(i).fold(f64::INFINITY, f64::min)));
    let summed = |figure: f64| {
        let off = TOLERANCE * figure.abs().max(1.0);
        [figure - off, figure + off]
    };
    let seen = |figure: f64| [figure * (1.0 - DISTANCE), figure * (1.0 + DISTANCE)];
    let within = |radius: f64| groups(agents.len(), |a, b| apart(&agents[a], &agents[b]) < radius);
    let [fewest, most] = [within(seen(radius)[1]), within(seen(radius)[0])];
    vec![
        ("clusters", [fewest[0], most[0]]),
        ("largest_cluster", [summed(most[1])[0], summed(fewest[1])[1]]),
        ("agents", summed(agents.len() as f64)),
        ("polarisation", summed(length_of_mean(agents.iter().map(|a| a[1] / speed(a))))),
        (
            "rotation",
            summed(length_of_mean(agents.iter().map(|a| moment(a) / arm(a).length() / speed(a)))),
        ),
        (
            "angular_momentum",
            summed(
                agents.iter().map(moment).sum::<DVec3>().length()
                    / agents.iter().map(|a| arm(a).length() * speed(a)).sum::<f64>(),
            ),
        ),
        ("mean_speed", summed(mean(agents.iter().map(speed)))),
        ("mean_neighbours", [summed(near(seen(radius)[0]))[0], summed(near(seen(radius)[1]))[1]]),
        ("nearest_neighbour_distance", seen(nearest)),
    ]
}

#[test]
fn every_figure_is_what_the_readme_says() {
    let folder = Folder::empty();
    let velocity = "velocity={from=[-1,-1,-1],to=[1,1,1]}";
    let space = [
        "world.size=[400,300,250]".to_string(),
        format!("starling.spawn.{velocity}"),
        format!("starling.spawn_at_scale.{velocity}"),
    ];
    for (name, count, boundary, sets) in [
        ("flock", 700, "wrap", &[][..]),
        ("flock", 400, "open", &[]),
        ("flock", 150, "walls", &[]),
        ("wander", 300, "wrap", &[]),
        ("flock", 700, "wrap", &space),
        ("flock", 400, "open", &space),
        ("flock", 150, "walls", &space),
        ("wander", 300, "wrap", &space[..1]),
    ] {
        let overrides = [sets, &[format!("world.boundary={boundary}")]].concat();
        let line = format!(
            "simulate --engine cpu --scene {name} --count {count} --set {} --ticks 40 --every 13 \
             --metrics-every 13 --out states.csv --metrics metrics.csv",
            overrides.join(" --set ")
        );
        done(&folder, &line);

        let texts: Vec<&str> = overrides.iter().map(String::as_str).collect();
        let (scene, _) = built_in(name, count, &texts);
        let side = |length: f32| (boundary == "wrap" && length > 0.0).then_some(length.into());
        let size = scene.world.size.to_array().map(side);
        let radius = f64::from(scene.perception_radius());

        let states = rows(&folder.join("states.csv"), |text| text.parse::<f32>().unwrap().into());
        let written = rows(&folder.join("metrics.csv"), |text| text.parse().unwrap());
        let ticks: Vec<f64> = written.iter().map(|row| row["tick"]).collect();
        assert_eq!(ticks, [0.0, 13.0, 26.0, 39.0, 40.0]);
        for row in &written {
            let now = states.iter().filter(|state| state["tick"] == row["tick"]);
            let vector = |agent: &BTreeMap<String, f64>, keys: [&str; 3]| {
                DVec3::from_array(keys.map(|key| agent.get(key).copied().unwrap_or(0.0)))
            };
            let agents: Vec<Agent> = now
                .map(|agent| [["x", "y", "z"], ["vx", "vy", "vz"]].map(|keys| vector(agent, keys)))
                .collect();
            let deep = agents.iter().any(|[p, v]| p.z != 0.0 && v.z != 0.0);
            assert_eq!(deep, !sets.is_empty());
            for (metric, [least, most]) in expected(&agents, size, radius) {
                let found = row[metric];
                assert!(
                    (least..=most).contains(&found),
                    "{name}, {overrides:?}, tick {}: {metric} is {found}, not {least} to {most}",
                    row["tick"]
                );
                assert!(most - least < 3e-3, "{metric}: {least} to {most} holds anything");
            }
        }
        // The metrics change, and they differ from each other.
        let (first, last) = (&written[0], &written[4]);
        assert!(first["rotation"] != last["rotation"]);
        assert!((last["rotation"] - last["angular_momentum"]).abs() > 1e-4);
    }
}

/// The line that writes metrics of `predators` to a file of this name.
fn measured(file: &str, more: &str) -> String {
    format!("simulate --engine cpu --scene predators --count 200 --ticks 3 --metrics {file} {more}")
}

#[test]
fn metrics_by_name_are_columns_in_the_order_of_their_names() {
    let folder = Folder::empty();
    let lines = |file: &str, more: &str| -> Vec<Vec<String>> {
        done(&folder, &measured(file, more));
        let text = folder.text(file);
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let usual = lines("usual.csv", "");
    let names = "tick,clusters,polarisation,prey.agents,hunter.agents,nematic_order";
    let chosen = lines("chosen.csv", &names.replace("tick,", "--metric "));
    assert_eq!(chosen[0].join(","), names);
    assert_eq!([usual.len(), chosen.len()], [5, 5]);
    for (usual_row, row) in usual.iter().zip(&chosen).skip(1) {
        let of_usual = |name| &usual_row[usual[0].iter().position(|own| own == name).unwrap()];
        assert_eq!(row[..3], ["tick", "clusters", "polarisation"].map(of_usual).map(Clone::clone));
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        assert!(number(3) > number(4) && number(3) + number(4) == 200.0, "{row:?}");
        assert!(number(5) > 0.0 && number(5) != number(2), "{row:?}");
    }
}

#[test]
fn names_in_quotes_may_have_commas_and_points() {
    let folder = Folder::empty();
    let scene = "species.\"a.b\".count = 2\nspecies.\"c,d\".count = 3\n";
    folder.write("named.toml", scene);
    let metrics = "--metric \"c,d\".agents,\"a.b\".agents,a.b.agents";
    let run = format!("--engine cpu --scene named.toml {metrics} --metrics-every 4");
    done(&folder, &format!("simulate {run} --ticks 0 --metrics m.csv"));
    let line = format!("{run} --vary count=5,10 --ticks 60 --settle 20 --out all");
    done(&folder, &format!("sweep {line}"));
    for file in ["m.csv", "all/results.csv"] {
        let row = &shell::rows(&folder.join(file))[0];
        let found = ["\"c,d\".agents", "\"a.b\".agents", "a.b.agents"].map(|name| &row[name]);
        assert_eq!(found, ["3", "2", "2"], "{file}: {row:?}");
    }
}

#[test]
fn metrics_that_cannot_be_are_refused_before_a_file_is_written() {
    let folder = Folder::empty();
    let open = "--set world.boundary=open";
    for (names, more, expected) in [
        ("polarization", "", "no metric is called `polarization`; did you mean `polarisation`?"),
        ("agents,", "", "a metric has no name; write names with one comma between"),
        ("agents,agents", "", "the metric `agents` is named twice; leave one of them out"),
        ("tick", "", "every row begins with the tick; leave `tick` out"),
        ("huntr.agents", "", "the scene has no species `huntr`; did you mean `hunter`?"),
        ("number_variance", open, "the world is open; set world.boundary to"),
    ] {
        let line = measured("m.csv", &format!("--metric {names} {more}"));
        let message = exits(&folder, 2, &format!("flockwork {line}"));
        assert!(message.contains("--metric") && message.contains(expected), "{message}");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}
