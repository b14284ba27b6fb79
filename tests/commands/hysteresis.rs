//! `flockwork sweep --design hysteresis`: one flock goes through all values, there and back. Needs no GPU.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::archives::{Entries, entries};
use crate::shell::{Folder, done, names, number, rows, run};

const KEY: &str = "fish.rules.school.parameters.orientation.value";

/// Two schools, five runs each.
fn line(out: &str) -> String {
    line_of("--scene couzin --count 30", &format!("{KEY}=0,1,5"), out)
}

/// Two flocks that begin so and go through these values.
fn line_of(begin: &str, vary: &str, out: &str) -> String {
    format!(
        "sweep --engine cpu {begin} --design hysteresis --vary {vary} --seeds 2 --ticks 40 --settle 20 \
         --metrics-every 4 --metric polarisation,rotation --out {out}"
    )
}

/// `simulate` takes the same way, from file to file, and has the same averages after the 20th tick of each run.
fn takes_the_same_way(folder: &Path, begin: &str, key: &str, table: &[BTreeMap<String, String>]) {
    let mut from = format!("{begin} --seed 2");
    for row in table.iter().filter(|row| row["seed"] == "2") {
        let (value, way) = (&row[key], &row["way"]);
        let end = format!("{}-{way}.npz", value.replace(['[', ']', ','], ""));
        let simulate = format!(
            "simulate --engine cpu {from} --set {key}={value} --ticks 40 --out {end} --metrics m.csv --metrics-every 4"
        );
        done(folder, &simulate);
        let samples = rows(&folder.join("m.csv"));
        let first = number(&samples[0], "tick");
        for name in ["polarisation", "rotation"] {
            let late = samples.iter().filter(|own| number(own, "tick") >= first + 20.0);
            let values: Vec<f64> = late.map(|own| number(own, name)).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            // Both are sums of six numbers.
            assert_eq!(values.len(), 6);
            assert!((number(row, name) - mean).abs() <= 1e-12, "{name}: {row:?}, not {mean}");
        }
        from = format!("--init {end}");
    }
}

/// A sweep of these values, and `simulate`, take the same way.
fn sweeps_the_same_way(folder: &Path, begin: &str, key: &str, values: &str) {
    done(folder, &line_of(begin, &format!("{key}={values}"), "all"));
    let table = rows(&folder.join("all/results.csv"));
    takes_the_same_way(folder, begin, key, &table);
}

#[test]
fn each_run_goes_on_with_the_flock_of_the_one_before() {
    let folder = Folder::empty();
    let said = done(&folder, &line("all"));
    assert_eq!(said, "10 runs: 10 computed; all/results.csv (10 rows)\n");
    let table = rows(&folder.join("all/results.csv"));
    let points: Vec<_> = table.iter().map(|row| format!("{} {}", row[KEY], row["way"])).collect();
    let wanted = ["0 there", "1 there", "5 there", "1 back", "0 back"];
    assert_eq!(points, wanted.iter().flat_map(|point| [*point; 2]).collect::<Vec<_>>());
    takes_the_same_way(&folder, "--scene couzin --count 30", KEY, &table);
    for (at, row) in table.iter().enumerate() {
        let text = folder.text(format!("all/{}", row["file"]));
        // Each of the two schools has every other row.
        let from = at.checked_sub(2).map(|at| format!("from = \"{}\"", table[at]["file"]));
        assert_eq!(text.lines().find(|line| line.starts_with("from = ")), from.as_deref());
    }
    // The control: a flock that begins anew at a point is another one.
    let anew = line("anew").replace("hysteresis", "list");
    done(&folder, &anew);
    let anew = rows(&folder.join("anew/results.csv"));
    assert_eq!(anew[1]["polarisation"], table[1]["polarisation"]);
    assert_ne!(anew[3]["polarisation"], table[3]["polarisation"]);
}

/// A target that moves by itself goes on while another one is set anew.
#[test]
fn targets_go_on_moving() {
    let folder = Folder::empty();
    let scene = r#"
world = { size = [300, 200], boundary = "walls" }
targets = [
    { name = "moving", position = [30, 20], velocity = [2, 1.5], turns = true },
    { name = "resting", position = [150, 100] },
]
[species.a]
count = 40
seek = { target = "moving", weight = 2 }
flee = { target = "resting", radius = 80 }
"#;
    folder.write("moving.toml", scene);
    sweeps_the_same_way(
        &folder,
        "--scene moving.toml",
        "targets.1.position",
        "[250,60],[100,100],[10,10]",
    );
}

/// The first step of a run is as fast as the run before was.
#[test]
fn ways_are_followed_where_the_limit_of_speed_falls() {
    let folder = Folder::empty();
    let scene = r#"
world = { size = [100, 100], boundary = "wrap" }
[species.a]
count = 1
position_step = "old"
max_force = 100
spawn = { at = [10, 50], velocity = { from = [1, 0], to = [1, 0] } }
rules.on.force = "velocity * 100"
"#;
    folder.write("falling.toml", scene);
    let line = "sweep --engine cpu --scene falling.toml --design hysteresis --vary a.max_speed=40,1 --ticks 40 \
                --settle 0 --metrics-every 20 --metric mean_square_displacement --out all";
    done(&folder, line);
    let table = rows(&folder.join("all/results.csv"));
    // A step of 40, then steps of 1: samples at the ticks 0, 20 and 40.
    let expected = (59.0_f64.powi(2) + 79.0_f64.powi(2)) / 3.0;
    let found = number(&table[1], "mean_square_displacement");
    assert!((found - expected).abs() < 1e-3, "{found}, {expected}");
}

#[test]
fn the_sampling_of_a_crowd_varies() {
    let folder = Folder::empty();
    let crowd = "--scene flock --count 600 --set world.size=[100,80]";
    sweeps_the_same_way(&folder, crowd, "world.sampling", "auto,none");
}

#[test]
fn a_run_in_the_midst_of_the_way_can_be_computed_alone() {
    let folder = Folder::empty();
    done(&folder, &line("whole"));
    // The parts share out the two flocks: the third has none.
    for (shard, computed) in [("3/3", "0 computed"), ("2/3", "5 computed")] {
        let said = done(&folder, &format!("{} --shard {shard}", line("shards")));
        assert!(said.contains(computed), "{shard}: {said}");
    }
    for part in ["--run 7", "--shard 2/3 --jobs 1", "--run 1..4 --jobs 2", "--plot plot.svg"] {
        done(&folder, &format!("{} {part}", line("parts")));
    }
    let [whole, parts] = ["whole", "parts"].map(|out| folder.join(out));
    assert_eq!(names(&whole), names(&parts));
    for name in names(&whole) {
        let [one, other] = [&whole, &parts].map(|out| fs::read(out.join(&name)).unwrap());
        assert!(one == other, "{name}");
    }
    let plot = folder.text("plot.svg");
    assert!(plot.contains(">\nthere\n") && plot.contains(">\nback\n"));
    let listed = done(&folder, &format!("{} --list", line("parts")));
    let ways = ["there", "back"].map(|way| listed.matches(&format!("\"way\":\"{way}\"")).count());
    assert_eq!(ways, [6, 4]);
    // A longer way back has new runs; the way there is the same.
    let longer = line("parts").replace("=0,1,5", "=0,1,5,4");
    let said = done(&folder, &longer);
    assert!(said.starts_with("14 runs: 8 computed, 6 there before"), "{said}");
}

#[test]
fn a_folder_in_the_way_of_the_arrays_is_refused_before_all_runs() {
    let folder = Folder::empty();
    fs::create_dir_all(folder.join("all/results.npz")).unwrap();
    let (code, said, told) = run(&folder, &line("all"));
    assert!(code == Some(1) && said.is_empty() && told.contains("results.npz"), "{told}");
    assert_eq!(names(&folder.join("all")), ["results.npz"]);
}

/// Couzin and others (2002): where a swarm makes a ring, a school that came travelling goes on.
#[test]
fn a_school_goes_on_where_a_swarm_makes_a_ring() {
    let folder = Folder::empty();
    let line = format!(
        "sweep --engine cpu --scene couzin --design hysteresis --vary {KEY}=1,2,4 --ticks 2000 --settle 1200 \
         --metric polarisation,rotation --out ways"
    );
    done(&folder, &line);
    let table = rows(&folder.join("ways/results.csv"));
    let [_, there, _, back, _] = &table[..] else { panic!("{table:?}") };
    assert!(number(there, "rotation") > 0.8 && number(there, "polarisation") < 0.3, "{there:?}");
    assert!(number(back, "rotation") < 0.2 && number(back, "polarisation") > 0.85, "{back:?}");
}

/// The numbers of an array in an archive.
fn numbers(archive: &Entries, name: &str) -> Vec<f64> {
    let bytes = &archive[&format!("{name}.npy")];
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(&bytes[10..header]).into_owned();
    let values = bytes[header..].chunks_exact(8);
    let values: Vec<f64> = values.map(|own| f64::from_le_bytes(own.try_into().unwrap())).collect();
    let shape = format!("'descr': '<f8', 'fortran_order': False, 'shape': ({},)", values.len());
    assert!(bytes.starts_with(b"\x93NUMPY") && text.contains(&shape), "{text}");
    values
}

#[test]
fn the_arrays_are_the_numbers_of_the_table() {
    let folder = Folder::empty();
    done(
        &folder,
        "sweep --engine cpu --scene flock --count 40 --vary starling.separation.weight=1,2 --vary \
         world.boundary=wrap,walls --ticks 30 --metric polarisation,clusters --out all",
    );
    let [table, arrays] = ["results.csv", "results.npz"].map(|name| folder.join("all").join(name));
    let (table, arrays) = (rows(&table), entries(&arrays));
    for name in table[0].keys() {
        let texts = table.iter().map(|row| row[name].as_str());
        if ["file", "version", "engine", "failure", "short", "world.boundary"]
            .contains(&name.as_str())
        {
            continue;
        }
        let wanted: Vec<f64> = texts.map(|text| text.parse().unwrap()).collect();
        assert_eq!(numbers(&arrays, name), wanted, "{name}");
    }
    assert_eq!(arrays.len(), 13, "{:?}", arrays.keys());
}
