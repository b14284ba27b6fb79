//! The results of runs: a file for each, and one table of all.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::runs::{Sweep, SweepRun};
use crate::commands::files::output::OutputFile;
use crate::input::read_file;
use flockwork_model::io::write_columns;
use flockwork_model::statistics::TimeAverage;

/// Most bytes of a result: its record may have many obstacles.
const MAX_RESULT: u64 = 1 << 27;

/// The table of all runs, and its numbers as NumPy arrays.
pub const TABLE: &str = "results.csv";
pub const ARRAYS: &str = "results.npz";

/// The columns of a metric, behind its name.
const SUFFIXES: [&str; 4] = ["", "_se", "_tau", "_binder"];

/// The file of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// The reason, if the run failed. Then it is done again next time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Ticks done.
    pub ticks: u64,
    /// Ticks at the beginning that do not count.
    pub settled: u64,
    /// Version of the program.
    pub version: String,
    /// `cpu` or `gpu`.
    pub engine: String,
    /// The record of the run, as in state files.
    pub record: String,
    /// The averages by the names of the metrics, with correlation times in ticks.
    #[serde(default)]
    pub metrics: BTreeMap<String, TimeAverage>,
}

impl RunResult {
    /// The result of a run that failed.
    pub fn failed(failure: String) -> Self {
        let version = env!("CARGO_PKG_VERSION").into();
        Self { failure: Some(failure), version, ..Self::default() }
    }

    /// The metrics whose error is a lower bound, because the run is too short.
    pub fn short<'a>(&self, metrics: &[&'a str]) -> Vec<&'a str> {
        let is_short =
            |name: &&&str| self.metrics.get(**name).is_some_and(|own| !own.is_long_enough);
        metrics.iter().filter(is_short).copied().collect()
    }
}

/// The values of the columns of a metric.
fn columns(average: &TimeAverage) -> [f64; SUFFIXES.len()] {
    [average.mean, average.standard_error, average.correlation_time, average.binder]
}

/// Reads the result of a run, without its record; `None` if there is none that has all metrics of the plan.
pub fn read(folder: &Path, sweep: &Sweep, run: SweepRun) -> Option<RunResult> {
    let path = folder.join(sweep.file_name(run));
    let mut result: RunResult = toml::from_str(&read_file(&path, MAX_RESULT).ok()?).ok()?;
    // Many of them are in memory at once.
    result.record.clear();
    let has = |name: &&str| result.metrics.contains_key(*name);
    (result.failure.is_some() || sweep.plan.metrics().iter().all(has)).then_some(result)
}

/// Writes the result of a run.
pub fn write(
    folder: &Path,
    sweep: &Sweep,
    run: SweepRun,
    result: &RunResult,
) -> anyhow::Result<()> {
    let path = folder.join(sweep.file_name(run));
    let text = format!("# A run of `flockwork sweep`.\n{}", toml::to_string(result)?);
    OutputFile::create_in_cleared(&path)?.publish_whole(text.as_bytes())?;
    Ok(())
}

/// The number of results in the folder, of this sweep or another.
pub fn count(folder: &Path) -> usize {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let is_result = |name: &String| {
        let stem = name.strip_suffix(".toml").unwrap_or_default();
        stem.len() == 16 && stem.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    names.filter(is_result).count()
}

/// Writes the table of the runs that have results.
pub fn collect(
    folder: &Path,
    sweep: &Sweep,
    results: &[(SweepRun, RunResult)],
) -> anyhow::Result<()> {
    let mut rows = csv::Writer::from_writer(OutputFile::create(&folder.join(TABLE))?);
    let metrics = sweep.plan.metrics();
    let mut head = vec!["run".to_owned()];
    head.extend(sweep.keys.iter().cloned());
    head.extend(sweep.way(0).map(|_| "way".to_owned()));
    let fixed = ["seed", "ticks", "settled", "version", "engine", "file", "failure", "short"];
    head.extend(fixed.map(str::to_owned));
    head.extend(metrics.iter().flat_map(|name| SUFFIXES.map(|suffix| format!("{name}{suffix}"))));
    rows.write_record(&head)?;
    for (run, result) in results {
        let mut row = vec![run.number.to_string()];
        row.extend(sweep.values(*run).iter().cloned());
        row.extend(sweep.way(run.point).map(str::to_owned));
        row.extend(
            [u64::from(sweep.seed(*run)), result.ticks, result.settled].map(|n| n.to_string()),
        );
        row.extend([result.version.clone(), result.engine.clone(), sweep.file_name(*run)]);
        row.extend([result.failure.clone().unwrap_or_default(), result.short(&metrics).join(" ")]);
        for name in &metrics {
            let average = result.metrics.get(*name);
            let values = average.map_or(SUFFIXES.map(|_| f64::NAN), columns);
            // Readers take an empty field as missing: of a run that failed, or the error of one sample.
            row.extend(
                values.map(|value| if value.is_nan() { String::new() } else { value.to_string() }),
            );
        }
        rows.write_record(&row)?;
    }
    let file = rows.into_inner().map_err(csv::IntoInnerError::into_error)?;
    file.publish()?;
    write_columns(OutputFile::create(&folder.join(ARRAYS))?, arrays(sweep, results))?.publish()?;
    Ok(())
}

/// The number that a value of a scene file is; NaN if it is none.
fn number(text: &str) -> f64 {
    match text.parse() {
        Ok(toml::Value::Integer(whole)) => whole as f64,
        Ok(toml::Value::Float(number)) => number,
        _ => f64::NAN,
    }
}

/// The columns with numbers; NaN stands for a value that is missing.
fn arrays(sweep: &Sweep, results: &[(SweepRun, RunResult)]) -> Vec<(String, Vec<f64>)> {
    let column = |name: &str, value: &dyn Fn(SweepRun, &RunResult) -> f64| {
        let values = results.iter().map(|(run, result)| value(*run, result));
        (name.to_owned(), values.collect::<Vec<_>>())
    };
    let mut all = vec![column("run", &|run, _| run.number as f64)];
    for (at, key) in sweep.keys.iter().enumerate() {
        let value = |run: SweepRun, _: &_| number(&sweep.values(run)[at]);
        all.push(column(key, &value));
    }
    // Words are in the other table.
    all.retain(|(_, values)| values.iter().any(|value| !value.is_nan()));
    if sweep.way(0).is_some() {
        all.push(column("back", &|run, _| f64::from(sweep.way(run.point) == Some("back"))));
    }
    all.push(column("seed", &|run, _| f64::from(sweep.seed(run))));
    all.push(column("ticks", &|_, result| result.ticks as f64));
    all.push(column("settled", &|_, result| result.settled as f64));
    for name in sweep.plan.metrics() {
        for (at, suffix) in SUFFIXES.iter().enumerate() {
            let value = |_: SweepRun, result: &RunResult| {
                result.metrics.get(name).map_or(f64::NAN, |average| columns(average)[at])
            };
            all.push(column(&format!("{name}{suffix}"), &value));
        }
    }
    all
}

/// A run as a line of JSON.
pub fn line(sweep: &Sweep, run: SweepRun, is_done: bool) -> String {
    let mut line = serde_json::json!({
        "run": run.number,
        "values": sweep.json(run),
        "seed": sweep.seed(run),
        "file": sweep.file_name(run),
        "done": is_done,
    });
    if let Some(way) = sweep.way(run.point) {
        line["way"] = way.into();
    }
    line.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_scene_files_have_them() {
        for (text, wanted) in [("1_00", 100.0), ("-2.5e3", -2500.0), ("0x10", 16.0), ("+3", 3.0)] {
            assert_eq!(number(text), wanted, "{text}");
        }
        for text in ["true", "\"wrap\"", "[1, 2]", "wrap", ""] {
            assert!(number(text).is_nan(), "{text}");
        }
    }
}
