//! The README shows the metrics of a run. The same command gives them again: a reader who tries it must see the
//! same digits.

use crate::shell::{Folder, done, number, rows};

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
    let line = "flockwork simulate --count 2000 --ticks 1000 --every 250 --out states.csv";
    assert!(text.contains(line));
    let folder = Folder::empty();
    let file = folder.join("metrics.csv");
    done(&folder, &format!("simulate {OPTIONS} --metrics metrics.csv"));
    let rows = rows(&file);
    let printed = rows.iter().map(|row| {
        let [tick, polarisation, neighbours] = COLUMNS.map(|name| number(row, name));
        vec![format!("{tick}"), format!("{polarisation:.6}"), format!("{neighbours:.3}")]
    });
    assert_eq!(shown(), printed.collect::<Vec<_>>());
}
