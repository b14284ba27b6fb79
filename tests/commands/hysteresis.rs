//! `flockwork sweep --design hysteresis`: one flock goes through all values, there and back. Needs no GPU.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::shell::names;
use crate::sweep::{done, number, rows, run};

const KEY: &str = "fish.rules.school.parameters.orientation.value";

/// Two schools, five runs each.
fn line(out: &str) -> String {
    format!(
        "sweep --engine cpu --scene couzin --count 30 --design hysteresis --vary {KEY}=0,1,5 --seeds 2 --ticks 40 \
         --settle 20 --metrics-every 4 --metric polarisation,rotation --out {out}"
    )
}

#[test]
fn each_run_goes_on_with_the_flock_of_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let said = done(folder.path(), &line("all"));
    assert_eq!(said, "10 runs: 10 computed; all/results.csv (10 rows)\n");
    let table = rows(&folder.path().join("all/results.csv"));
    let points: Vec<_> = table.iter().map(|row| format!("{} {}", row[KEY], row["way"])).collect();
    let wanted = ["0 there", "1 there", "5 there", "1 back", "0 back"];
    assert_eq!(points, wanted.iter().flat_map(|point| [*point; 2]).collect::<Vec<_>>());
    // `simulate` takes the same way, from file to file.
    let mut from = "--scene couzin --count 30 --seed 2".to_owned();
    for row in table.iter().filter(|row| row["seed"] == "2") {
        let (value, way) = (&row[KEY], &row["way"]);
        let end = format!("{value}-{way}.npz");
        let simulate = format!(
            "simulate --engine cpu {from} --set {KEY}={value} --ticks 40 --out {end} --metrics m.csv --metrics-every 4"
        );
        done(folder.path(), &simulate);
        let samples = rows(&folder.path().join("m.csv"));
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
    // The control: a flock that begins anew at a point is another one.
    let anew = line("anew").replace("hysteresis", "list");
    done(folder.path(), &anew);
    let anew = rows(&folder.path().join("anew/results.csv"));
    assert_eq!(anew[1]["polarisation"], table[1]["polarisation"]);
    assert_ne!(anew[3]["polarisation"], table[3]["polarisation"]);
}

#[test]
fn a_run_in_the_midst_of_the_way_can_be_computed_alone() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &line("whole"));
    for part in ["--run 7", "--shard 2/3 --jobs 1", "--run 1..4 --jobs 2", "--plot plot.svg"] {
        done(folder.path(), &format!("{} {part}", line("parts")));
    }
    let [whole, parts] = ["whole", "parts"].map(|out| folder.path().join(out));
    assert_eq!(names(&whole), names(&parts));
    for name in names(&whole) {
        let [one, other] = [&whole, &parts].map(|out| fs::read(out.join(&name)).unwrap());
        assert!(one == other, "{name}");
    }
    let plot = fs::read_to_string(folder.path().join("plot.svg")).unwrap();
    assert!(plot.contains(">\nthere\n") && plot.contains(">\nback\n"));
    let listed = done(folder.path(), &format!("{} --list", line("parts")));
    let ways = ["there", "back"].map(|way| listed.matches(&format!("\"way\":\"{way}\"")).count());
    assert_eq!(ways, [6, 4]);
    // A longer way back has new runs; the way there is the same.
    let longer = line("parts").replace("=0,1,5", "=0,1,5,4");
    let said = done(folder.path(), &longer);
    assert!(said.starts_with("14 runs: 8 computed, 6 there before"), "{said}");
}

/// Couzin and others (2002): where a swarm makes a ring, a school that came travelling goes on.
#[test]
fn a_school_goes_on_where_a_swarm_makes_a_ring() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!(
        "sweep --engine cpu --scene couzin --design hysteresis --vary {KEY}=1,2,4 --ticks 2000 --settle 1200 \
         --metric polarisation,rotation --out ways"
    );
    done(folder.path(), &line);
    let table = rows(&folder.path().join("ways/results.csv"));
    let [_, there, _, back, _] = &table[..] else { panic!("{table:?}") };
    assert!(number(there, "rotation") > 0.8 && number(there, "polarisation") < 0.3, "{there:?}");
    assert!(number(back, "rotation") < 0.2 && number(back, "polarisation") > 0.85, "{back:?}");
}

/// The numbers of an array in an archive.
fn numbers(archive: &Path, name: &str) -> Vec<f64> {
    let mut archive = zip::ZipArchive::new(fs::File::open(archive).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    let (code, _, _) = run(
        folder.path(),
        "sweep --engine cpu --scene flock --count 40 --vary starling.separation.weight=1,2 --vary \
         world.boundary=wrap,walls --ticks 30 --metric polarisation,clusters --out all",
    );
    assert_eq!(code, Some(0));
    let [table, arrays] =
        ["results.csv", "results.npz"].map(|name| folder.path().join("all").join(name));
    let table = rows(&table);
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
    let archive = zip::ZipArchive::new(fs::File::open(&arrays).unwrap()).unwrap();
    assert_eq!(archive.len(), 13, "{:?}", archive.file_names().collect::<Vec<_>>());
}
