//! The extension module of the Python package `pyflockwork`: flocks of the library, behind functions that take and
//! return plain values and arrays. Names, documents and checks of arguments are the package's, in Python.

mod arrays;
mod errors;
mod flock;
mod inner;
mod machine;
mod pictures;
mod recording;
mod signals;
mod table;
mod values;
mod view;

use pyo3::prelude::*;

/// The extension module.
#[pymodule(gil_used = false)]
mod _native {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use flockwork::commands::sweep::SingleRuns;
    use flockwork::model::scene;
    use flockwork::model::statistics::{Metrics, TimeAverage, settled};
    use flockwork::{BuiltIn, built_in};
    use numpy::PyArray1;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::flock::Flock;
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::view::Lent;

    use super::errors::Fault;
    use super::signals::Signals;
    use super::{machine, values};

    /// The version of the library.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Loads NumPy: here Ctrl-C is an exception, and in the first array it would be a panic.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.py().import("numpy")?;
        PyArray1::<f64>::zeros(module.py(), 0, false);
        Ok(())
    }

    /// Runs the program with its name and its arguments; returns the exit code.
    #[pyfunction]
    fn program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| flockwork::commands::program::main(arguments))
    }

    /// Names and sentences of the built-in scenes.
    #[pyfunction]
    fn scenes() -> Vec<(String, String)> {
        let about = |scene: &BuiltIn| {
            let parsed = flockwork::Scene::parse(scene.name, scene.text);
            parsed.map_or_else(|_| String::new(), |scene| scene.about)
        };
        built_in().map(|scene| (scene.name.to_string(), about(&scene))).collect()
    }

    /// Names of the metrics, and whether a run has them when none are chosen.
    #[pyfunction]
    fn metrics() -> Vec<(&'static str, bool)> {
        let usual = Metrics::columns().filter(|name| *name != "tick").map(|name| (name, true));
        usual.chain(Metrics::MORE.iter().map(|metric| (metric.name, false))).collect()
    }

    /// A dict as the text of a TOML file.
    #[pyfunction]
    fn toml_of_dict(value: &Bound<'_, PyAny>) -> PyResult<String> {
        let table = values::to_toml(value)?;
        Ok(toml::to_string(&table).map_err(Fault::from)?)
    }

    /// A value as `--set` takes it.
    #[pyfunction]
    fn toml_of_value(value: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(values::to_toml(value)?.to_string())
    }

    /// The parts of a key, names without their quotes; none if it is no key of a scene.
    #[pyfunction]
    fn key_parts(key: &str) -> Vec<&str> {
        let parts: Vec<&str> = scene::key_parts(key).collect();
        let assignment = format!("{key}=");
        let is_whole = scene::key_and_value(&assignment).is_some_and(|(own, _)| own == key);
        let is_key = is_whole && !parts.contains(&"") && !key.contains(['\n', '\r']);
        if is_key { parts } else { Vec::new() }
    }

    /// The average of samples: how many were left out at the beginning, how many there are, mean, standard error,
    /// correlation time in samples, Binder cumulant, and whether they are enough for the error.
    #[pyfunction]
    fn average(
        samples: Vec<f64>,
        settle: Option<usize>,
    ) -> Option<(usize, usize, f64, f64, f64, f64, bool)> {
        let begin =
            settle.unwrap_or_else(|| settled(&samples)).min(samples.len().saturating_sub(1));
        let own = TimeAverage::of(samples.get(begin..)?)?;
        let TimeAverage { samples, mean, standard_error, correlation_time, binder, .. } = own;
        let long = own.is_long_enough;
        Some((begin, samples, mean, standard_error, correlation_time, binder, long))
    }

    /// Number of runs of a plan.
    #[pyfunction]
    fn sweep_count(py: Python<'_>, file: Option<PathBuf>, text: Option<String>) -> PyResult<usize> {
        Ok(py.detach(|| runs(file, text).map(|runs| runs.count()))?)
    }

    /// Computes a run of a plan; returns JSON.
    #[pyfunction]
    fn sweep_run(
        py: Python<'_>,
        file: Option<PathBuf>,
        text: Option<String>,
        number: usize,
        engine: &str,
        threads: u32,
    ) -> PyResult<String> {
        let compute = || {
            let (_, gpu) = machine::open(engine, None, Some(threads))?;
            let signals = Signals::default();
            let interrupt = signals.interrupt();
            let result = runs(file, text)?.compute(number, gpu, threads as usize, &interrupt);
            signals.raised()?;
            Ok::<_, Fault>(result?)
        };
        Ok(py.detach(compute)?)
    }

    fn runs(file: Option<PathBuf>, text: Option<String>) -> Result<SingleRuns, Fault> {
        Ok(match file {
            Some(file) => SingleRuns::read(&file)?,
            None => SingleRuns::parse(&text.unwrap_or_default())?,
        })
    }
}
