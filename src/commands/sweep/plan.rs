//! The plan of a sweep: a flock, the keys that vary, and how long each run is. The command line and a
//! file say it with the same words.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

use super::vary::{Axis, resolved, values_of};
use crate::commands::host::arg_parsers::{count, density, repeated, scene_name, whole};
use crate::commands::host::errors::wrong;
use crate::input::read_file;
use flockwork_model::quote::{cut, hint, quoted, shown};
use flockwork_model::scene::{BuiltIn, pieces};
use flockwork_model::statistics::{Metrics, Selection};
use flockwork_model::toml_words::problem;
use flockwork_view::words::counted;

/// Most bytes of a plan, and of a file of values.
pub const MAX_PLAN: u64 = 1 << 26;

/// Ticks between samples of the metrics. Neighbouring ticks have nearly the same.
const METRICS_EVERY: u64 = 10;

/// A flock, the values that vary, and how it is measured. A plan file has these keys, with `_` for `-`.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SweepPlan {
    /// A built-in scene, or the path of a scene file; in a plan, relative to the plan's folder
    #[arg(long, value_name = "NAME|FILE", value_parser = scene_name())]
    pub scene: Option<String>,
    /// Number of agents [default: the scene's]
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub count: Option<u64>,
    /// Mean number of neighbours within the largest radius; sizes the world [default: the scene's]
    #[arg(long, value_name = "K", value_parser = density, allow_negative_numbers = true)]
    pub density: Option<f32>,
    /// Override a scene key in every run, for example --set starling.separation.weight=2; may be
    /// repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    #[serde(deserialize_with = "assignments")]
    pub set: Vec<String>,
    /// A key of --set, or count or density, and its values: N even steps from A to B, or a list; may be
    /// repeated. --design says how they meet
    #[arg(long, value_name = "KEY=A..B:N|V,V,…", value_parser = Axis::from_str)]
    #[serde(deserialize_with = "axes")]
    pub vary: Vec<Axis>,
    /// Table of values: a column for each key, a row for each point
    #[arg(long, value_name = "FILE.csv", conflicts_with = "vary")]
    pub values: Option<PathBuf>,
    /// How the values of several keys meet
    #[arg(long, value_enum)]
    pub design: Option<Design>,
    /// Runs of each point, with seeds from --seed on
    #[arg(long, value_name = "K", value_parser = whole::<u32>(1..=1_000_000), allow_negative_numbers = true)]
    pub seeds: Option<u32>,
    /// The first seed [default: the scene's]
    #[arg(long, value_name = "S", value_parser = whole::<u32>(0..=u32::MAX.into()), allow_negative_numbers = true)]
    pub seed: Option<u32>,
    /// Ticks of each run; with --until, the most
    #[arg(long, value_name = "T", value_parser = whole::<u64>(1..=u64::MAX), allow_negative_numbers = true)]
    pub ticks: Option<u64>,
    /// Ticks at the beginning that do not count [default: found for each run, by MSER-5]
    #[arg(long, value_name = "T", value_parser = whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    pub settle: Option<u64>,
    /// Ticks between samples of the metrics [default: 10]
    #[arg(long, value_name = "E", value_parser = whole::<u64>(1..=u64::MAX), allow_negative_numbers = true)]
    pub metrics_every: Option<u64>,
    /// Metrics to average [default: the usual ones]
    #[arg(long, value_name = "NAME[,NAME…]")]
    #[serde(deserialize_with = "names")]
    pub metric: Vec<String>,
    /// End a run once it is long enough for an error, and the standard error of a metric is this small, for example
    /// polarisation=0.01
    #[arg(long, value_name = "METRIC=ERROR")]
    #[serde(deserialize_with = "until")]
    pub until: Option<Until>,
}

/// The names in a text with commas between them, which may be in quotes.
fn listed(text: &str) -> impl Iterator<Item = String> {
    pieces(text, ',').map(|name| name.trim().to_owned())
}

/// How the values of several keys meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Design {
    /// Each value of a key meets each of the others (the default)
    #[default]
    Grid,
    /// The first values of all keys are the first point, and so on
    List,
    /// A list, there and back: each run goes on with the flock of the one before
    Hysteresis,
}

/// The error at which a run ends.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// Name of the metric.
    pub metric: String,
    /// Above 0.
    pub standard_error: f64,
    /// Most ticks, in place of the plan's `ticks`.
    pub most: Option<u64>,
}

impl FromStr for Until {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').map(|(metric, error)| (metric, error.parse()));
        let Some((metric, Ok(standard_error))) = parts else {
            return Err("expected METRIC=ERROR, for example polarisation=0.01".into());
        };
        Ok(Self { metric: metric.into(), standard_error, most: None })
    }
}

/// The keys and values of a table. A key without quotes and with a point is a table in it; an empty table is a value.
fn flat(table: toml::Table) -> Vec<(String, toml::Value)> {
    let mut all = Vec::new();
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) if !inner.is_empty() && !key.contains('.') => {
                all.extend(
                    flat(inner).into_iter().map(|(rest, value)| (format!("{key}.{rest}"), value)),
                );
            }
            value => all.push((key, value)),
        }
    }
    all
}

/// The keys and values of a table, whose keys may stand as one word in quotes and as tables in tables.
fn entries<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, toml::Value)>, D::Error> {
    let mut table = flat(toml::Table::deserialize(from)?);
    // An empty behaviour is a value, and an empty species the header of no keys.
    let is_empty = |value: &toml::Value| value.as_table().is_some_and(toml::Table::is_empty);
    table.retain(|(key, value)| resolved(key).contains('.') || !is_empty(value));
    let keys: Vec<String> = table.iter().map(|(key, _)| resolved(key)).collect();
    match repeated(&keys) {
        Some(twice) => {
            Err(D::Error::custom(format!("{} is there twice; name all values at once", cut(twice))))
        }
        None => Ok(table),
    }
}

/// A table of keys and values as `KEY=VALUE`.
fn assignments<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let assignment = |(key, value)| format!("{key}={}", text_of(&value));
    Ok(entries(from)?.into_iter().map(assignment).collect())
}

/// A table of keys and their values: a list, or the text of a range.
fn axes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Axis>, D::Error> {
    let axis = |(key, value): (String, toml::Value)| {
        let values = match &value {
            toml::Value::Array(all) => all.iter().map(text_of).collect(),
            toml::Value::String(text) => values_of(text)?,
            other => vec![text_of(other)],
        };
        Axis::new(&key, values)
    };
    entries(from)?.into_iter().map(axis).collect::<Result<_, _>>().map_err(D::Error::custom)
}

/// Names: a list, or one text.
fn names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let plain = |value: &toml::Value| {
        value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned())
    };
    match toml::Value::deserialize(from)? {
        toml::Value::Array(all) => Ok(all.iter().map(plain).collect()),
        one => Ok(listed(&plain(&one)).collect()),
    }
}

/// A metric and its error: a table, or the text of the command line.
fn until<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Until>, D::Error> {
    match toml::Value::deserialize(from)? {
        toml::Value::String(text) => text.parse().map(Some).map_err(D::Error::custom),
        table => Until::deserialize(table)
            .map(Some)
            .map_err(|error| D::Error::custom(problem(error.message()))),
    }
}

/// A value as `--set` takes it: a text has quotes, unless it is a word that stands for itself.
fn text_of(value: &toml::Value) -> String {
    let is_word = |text: &&str| {
        let plain = text.starts_with(char::is_alphabetic)
            && text.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
        plain && !["true", "false", "inf", "nan"].contains(text)
    };
    value.as_str().filter(is_word).map_or_else(|| value.to_string(), str::to_owned)
}

impl SweepPlan {
    /// Reads a plan file. Its paths are relative to its folder.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let place = path.display().to_string();
        let text = read_file(path, MAX_PLAN).with_context(|| place.clone())?;
        Self::parse(&text, &place, path.parent().unwrap_or(Path::new("")))
    }

    /// The plan in a text; `place` names it in messages, and its files are relative to `folder`.
    pub fn parse(text: &str, place: &str, folder: &Path) -> anyhow::Result<Self> {
        let mut plan: Self = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.as_bytes().get(..start).unwrap_or_default();
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            anyhow::anyhow!("{place}:{line}: {}", shown(&problem(error.message())))
        })?;
        if let Some(scene) = &mut plan.scene {
            let beside = folder.join(&*scene);
            if BuiltIn::named(scene).is_none() && (beside.exists() || scene.ends_with(".toml")) {
                *scene = beside.display().to_string();
            }
        }
        plan.values = plan.values.map(|values| folder.join(values));
        if let Some(most) = plan.until.as_mut().and_then(|until| until.most.take()) {
            ensure!(
                plan.ticks.replace(most).is_none(),
                "{place}: `until.most` and `ticks` are the same; leave one of them out"
            );
            ensure!(most > 0, "{place}: `until.most` is 0; expected at least one tick");
        }
        Ok(plan)
    }

    /// This plan with the keys that `other`, the command line, has.
    pub fn overridden_by(mut self, other: Self) -> anyhow::Result<Self> {
        if let Some(twice) = repeated(other.vary.iter().map(|axis| &axis.key)) {
            let key = cut(twice);
            return Err(wrong(format!("--vary {key}: it is there twice; name all values at once")));
        }
        // A table replaces the keys of the plan, and keys replace its table.
        match (&other.values, other.vary.is_empty()) {
            (Some(_), _) => self.vary.clear(),
            (None, false) => self.values = None,
            (None, true) => {}
        }
        let planned = self.vary.len();
        for axis in other.vary {
            let mut own = self.vary[..planned].iter_mut();
            match own.find(|own| resolved(&own.key) == resolved(&axis.key)) {
                Some(own) => *own = axis,
                None => self.vary.push(axis),
            }
        }
        self.set.extend(other.set);
        Ok(Self {
            scene: other.scene.or(self.scene),
            count: other.count.or(self.count),
            density: other.density.or(self.density),
            set: self.set,
            vary: self.vary,
            values: other.values.or(self.values),
            design: other.design.or(self.design),
            seeds: other.seeds.or(self.seeds),
            seed: other.seed.or(self.seed),
            ticks: other.ticks.or(self.ticks),
            settle: other.settle.or(self.settle),
            metrics_every: other.metrics_every.or(self.metrics_every),
            metric: match other.metric.as_slice() {
                [] => self.metric,
                texts => texts.iter().flat_map(|text| listed(text)).collect(),
            },
            until: other.until.or(self.until),
        })
    }

    /// Fails if a value is impossible, alone or with another.
    pub fn check(&self) -> anyhow::Result<()> {
        if let Some(agents) = self.count {
            count(&agents.to_string()).map_err(|e| wrong(format!("--count {agents}: {e}")))?;
        }
        if let Some(k) = self.density {
            density(&k.to_string()).map_err(|e| wrong(format!("--density {k}: {e}")))?;
        }
        let Some(ticks) = self.ticks.filter(|ticks| *ticks > 0) else {
            return Err(wrong("--ticks is missing; say how long each run is"));
        };
        ensure!(self.seeds != Some(0), wrong("--seeds 0: a point has at least one run"));
        ensure!(self.every() > 0, wrong("--metrics-every 0: expected at least one tick"));
        let (every, last) = (self.every(), ticks - ticks % self.every());
        if let Some(settle) = self.settle.filter(|settle| *settle >= ticks || *settle > last) {
            return Err(wrong(format!(
                "--settle {settle}: no sample is left of {ticks} ticks, one every {every}; settle less, or \
                 raise --ticks"
            )));
        }
        if !self.vary.is_empty() && self.values.is_some() {
            return Err(wrong("the plan has both `vary` and `values`; leave one of them out"));
        }
        self.selection()?;
        if let Some(Until { metric, standard_error, .. }) = &self.until {
            ensure!(
                *standard_error > 0.0 && standard_error.is_finite(),
                wrong(format!("--until {metric}={standard_error}: expected an error above 0"))
            );
            if !self.metrics().contains(&metric.as_str()) {
                let hint = hint(metric, self.metrics());
                let problem = format!("--until: {} is none of the metrics{hint}", quoted(metric));
                return Err(wrong(problem));
            }
        }
        Ok(())
    }

    /// Ticks between samples.
    pub fn every(&self) -> u64 {
        self.metrics_every.unwrap_or(METRICS_EVERY)
    }

    /// Ticks of a run, or the most.
    pub fn ticks(&self) -> u64 {
        self.ticks.unwrap_or_default()
    }

    /// The names of the metrics, in order.
    pub fn metrics(&self) -> Vec<&str> {
        if self.metric.is_empty() {
            let all = Metrics::columns().filter(|name| !["tick", "agents"].contains(name));
            return all.collect();
        }
        self.metric.iter().map(String::as_str).collect()
    }

    /// The metrics.
    pub fn selection(&self) -> anyhow::Result<Selection> {
        Selection::parse(&self.metrics()).map_err(|problem| wrong(format!("--metric: {problem}")))
    }

    /// The keys that vary, and the values of each point.
    pub fn points(&self) -> anyhow::Result<(Vec<String>, Vec<Vec<String>>)> {
        let (keys, mut points) = self.points_once()?;
        if self.goes_back() {
            let problem = "--design hysteresis: there is one point; vary a key";
            ensure!(points.len() > 1, wrong(problem));
            let back: Vec<_> = points.iter().rev().skip(1).cloned().collect();
            points.extend(back);
        }
        Ok((keys, points))
    }

    /// True if each run but the first goes on with the flock of the one before.
    pub fn goes_back(&self) -> bool {
        self.design == Some(Design::Hysteresis)
    }

    /// The same, with each point once.
    fn points_once(&self) -> anyhow::Result<(Vec<String>, Vec<Vec<String>>)> {
        if let Some(path) = &self.values {
            return table(path).with_context(|| path.display().to_string());
        }
        let keys = self.vary.iter().map(|axis| axis.key.clone()).collect();
        let lengths: Vec<usize> = self.vary.iter().map(|axis| axis.values.len()).collect();
        if let Some(design @ (Design::List | Design::Hysteresis)) = self.design {
            let all = lengths.first().copied().unwrap_or(1);
            if let Some(other) = self.vary.iter().find(|axis| axis.values.len() != all) {
                let design = design.to_possible_value();
                return Err(wrong(format!(
                    "--design {}: {} has {} values and {} has {all}; give all keys as many",
                    design.as_ref().map_or("list", |own| own.get_name()),
                    other.key,
                    other.values.len(),
                    self.vary[0].key
                )));
            }
            let point = |at: usize| self.vary.iter().map(|axis| axis.values[at].clone()).collect();
            return Ok((keys, (0..all).map(point).collect()));
        }
        let all = lengths.iter().try_fold(1, |all: usize, length| all.checked_mul(*length));
        if all.is_none_or(|all| all > MAX_RUNS) {
            let product = lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
            return Err(wrong(format!("{product} runs are more than {MAX_RUNS}; vary less")));
        }
        // The last key changes first.
        let mut points: Vec<Vec<String>> = vec![Vec::new()];
        for axis in &self.vary {
            let longer = |point: &Vec<String>| {
                let end = |value: &String| [point.as_slice(), std::slice::from_ref(value)].concat();
                axis.values.iter().map(end).collect::<Vec<_>>()
            };
            points = points.iter().flat_map(longer).collect();
        }
        Ok((keys, points))
    }
}

/// Most runs of a sweep.
pub const MAX_RUNS: usize = 1_000_000;

/// Reads a table of values: the keys and the points.
fn table(path: &Path) -> anyhow::Result<(Vec<String>, Vec<Vec<String>>)> {
    let text = read_file(path, MAX_PLAN)?;
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.trim(csv::Trim::All).flexible(true).from_reader(text.as_bytes());
    let keys: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let mut points = Vec::new();
    for row in reader.records() {
        let row = row?;
        let line = row.position().map_or(0, csv::Position::line);
        ensure!(
            row.len() == keys.len(),
            "line {line}: {} for {}; give each column one",
            counted(row.len() as u64, "value"),
            counted(keys.len() as u64, "column")
        );
        for (key, value) in keys.iter().zip(&row) {
            let number = value.parse::<f64>();
            if value.is_empty() || number.is_ok_and(|number| !number.is_finite()) {
                let value = quoted(value);
                anyhow::bail!("line {line}: {} is {value}; give it a finite value", cut(key));
            }
        }
        points.push(row.iter().map(str::to_owned).collect());
    }
    if let Some(twice) = repeated(&keys) {
        anyhow::bail!("line 1: two columns are called {}; leave one out", quoted(twice));
    }
    for key in &keys {
        Axis::new(key, vec![String::new()])
            .map_err(|problem| anyhow::anyhow!("line 1: {problem}"))?;
    }
    ensure!(!points.is_empty(), "it has no row; give it one for each point");
    ensure!(points.len() <= MAX_RUNS, "it has more than {MAX_RUNS} rows; split it");
    Ok((keys, points))
}
