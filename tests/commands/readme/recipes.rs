//! The README shows the metrics of a run. The same command gives them again: a reader who tries it must see the
//! same digits.

use std::process::Command;

/// The options of the README's command, but for the engine, the states, and the rows that it does not show.
const OPTIONS: &str = "--engine cpu --count 2000 --ticks 1000 --metrics-every 250";

/// The columns that the README prints.
const COLUMNS: [&str; 3] = ["tick", "polarisation", "mean_neighbours"];

/// The rows of the README's table: a number of the row, then the columns, each as it is printed.
fn shown() -> Vec<Vec<String>> {
    let text = super::page("README.md");
    let (_, table) =
        text.split_once("```text\n      tick  polarisation  mean_neighbours\n").unwrap();
    let (rows, _) = table.split_once("```").unwrap();
    let fields = |row: &str| row.split_whitespace().skip(1).map(String::from).collect();
    rows.lines().map(fields).collect()
}

#[test]
fn the_readme_shows_the_metrics_of_its_command() {
    let text = super::page("README.md");
    assert!(
        text.contains("flockwork simulate --count 2000 --ticks 1000 --every 250 --out states.csv")
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("metrics.csv");
    let mut program = Command::new(env!("CARGO_BIN_EXE_flockwork"));
    let run = program.arg("simulate").args(OPTIONS.split(' ')).arg("--metrics").arg(&file).output();
    assert!(run.unwrap().status.success());
    let mut rows = csv::Reader::from_path(&file).unwrap();
    let header = rows.headers().unwrap().clone();
    let columns = COLUMNS.map(|name| header.iter().position(|column| column == name).unwrap());
    let printed: Vec<Vec<String>> = rows
        .records()
        .map(|row| {
            let row = row.unwrap();
            let [tick, polarisation, neighbours] =
                columns.map(|column| row[column].parse::<f64>().unwrap());
            vec![format!("{tick}"), format!("{polarisation:.6}"), format!("{neighbours:.3}")]
        })
        .collect();
    assert_eq!(shown(), printed);
}
