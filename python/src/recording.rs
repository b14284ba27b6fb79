//! Samples of a flock while it runs.

use flockwork::commands::host::memory_check;
use flockwork::{FlockState, Scene, Selection, Travel, Unwrapping, World};
use numpy::ndarray::Array3;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};

use crate::arrays::rows;
use crate::errors::Fault;
use crate::inner::Inner;

/// An array of each agent that a run samples.
#[derive(Clone, Debug)]
enum Recorded {
    Positions,
    /// Positions, and on beyond the edges of a wrapped world.
    Unwrapped,
    Velocities,
    /// The number at this place of what agents keep.
    Kept(usize),
}

impl Recorded {
    fn named(name: &str, scene: &Scene) -> Result<Self, Fault> {
        match (name, name.strip_prefix("state.")) {
            ("positions", _) => Ok(Self::Positions),
            ("unwrapped", _) => Ok(Self::Unwrapped),
            ("velocities", _) => Ok(Self::Velocities),
            (_, Some(own)) => kept(own, scene).map(Self::Kept),
            _ => Err(Fault::Key(format!(
                "agents {name:?}: expected \"positions\", \"unwrapped\", \"velocities\" or \"state.NAME\""
            ))),
        }
    }

    /// Numbers of an agent.
    fn width(&self, scene: &Scene) -> usize {
        if matches!(self, Self::Kept(_)) { 1 } else { scene.world.axes() }
    }

    fn of(&self, state: &FlockState, travels: &[Travel], world: &World) -> Vec<f32> {
        let axes = world.axes();
        match self {
            Self::Positions => rows(&state.position, axes),
            Self::Unwrapped => {
                let places = state.position.iter().zip(travels);
                rows(
                    &places.map(|(place, own)| own.unwrap(*place, world)).collect::<Vec<_>>(),
                    axes,
                )
            }
            Self::Velocities => rows(&state.velocity, axes),
            Self::Kept(place) => kept_numbers(state, *place),
        }
    }
}

/// The place of a number that agents keep.
pub fn kept(name: &str, scene: &Scene) -> Result<usize, Fault> {
    scene.kept_names().place(name).ok_or_else(|| {
        Fault::Key(format!("state.{name}: no rule of this scene keeps a number of this name"))
    })
}

/// The number at a place of what each agent keeps.
pub fn kept_numbers(state: &FlockState, place: usize) -> Vec<f32> {
    let number = |row: usize| state.kept.get(row).map_or(0.0, |numbers| numbers[place]);
    (0..state.len()).map(number).collect()
}

/// The samples that a run takes, and how often.
pub struct Plan {
    pub ticks: u64,
    pub every: u64,
    pub metrics: Vec<String>,
    pub agents: Vec<String>,
    pub agents_every: u64,
}

/// The samples of a run.
pub struct Samples {
    ticks: Vec<u64>,
    metrics: Vec<(String, Vec<f64>)>,
    agents_ticks: Vec<u64>,
    /// Name, numbers of an agent, and all numbers.
    agents: Vec<(String, usize, Vec<f32>)>,
    count: usize,
    /// Raised by Ctrl-C.
    interrupted: Option<PyErr>,
}

/// The next multiple of `every` after `done`, at most `end`.
fn next(done: u64, every: u64, end: u64) -> u64 {
    (done / every + 1).saturating_mul(every).min(end)
}

impl Samples {
    /// Advances a flock. Takes a sample at the start, every so many ticks and at the end; Ctrl-C ends the run
    /// and keeps the samples.
    pub fn take(inner: &mut Inner, plan: &Plan) -> Result<Self, Fault> {
        let Plan { ticks, every, agents_every, .. } = *plan;
        let selection = match plan.metrics.as_slice() {
            [] => None,
            names => Some(Selection::parse(names)?),
        };
        selection.as_ref().map_or(Ok(()), |own| own.check(&inner.scene))?;
        let scene = inner.scene.clone();
        let named = plan.agents.iter().map(|name| Recorded::named(name, &scene));
        let quantities: Vec<Recorded> = named.collect::<Result<_, _>>()?;
        let follows = selection.as_ref().is_some_and(Selection::needs_travels)
            || quantities.iter().any(|own| matches!(own, Recorded::Unwrapped));
        let mut unwrapping =
            if follows { Some(Unwrapping::new(&scene, &*inner.state()?)?) } else { None };
        let numbers: usize = quantities.iter().map(|own| own.width(&scene)).sum();
        let samples = (ticks / agents_every).saturating_add(2);
        memory_check::check_samples(
            samples
                .saturating_mul((4 * numbers * inner.agents()) as u64)
                .saturating_add((ticks / every).saturating_mul(8 * plan.metrics.len() as u64 + 8)),
        )?;
        let arrays = plan.agents.iter().zip(&quantities);
        let mut samples = Self {
            ticks: Vec::new(),
            metrics: plan.metrics.iter().map(|name| (name.clone(), Vec::new())).collect(),
            agents_ticks: Vec::new(),
            agents: arrays
                .map(|(name, own)| (name.clone(), own.width(&scene), Vec::new()))
                .collect(),
            count: inner.agents(),
            interrupted: None,
        };
        let mut done = 0;
        loop {
            let last = done == ticks;
            let measures = done.is_multiple_of(every) || last;
            let copies = !quantities.is_empty() && (done.is_multiple_of(agents_every) || last);
            let looks = unwrapping.as_ref().is_some_and(|own| own.is_due(done));
            if copies || looks || (measures && selection.is_some()) {
                let state = inner.state()?;
                let travels =
                    unwrapping.as_mut().map(|own| own.look(0, &state)).unwrap_or_default();
                if let Some(selection) = selection.as_ref().filter(|_| measures) {
                    let values = selection.values(&scene, &state, travels);
                    samples
                        .metrics
                        .iter_mut()
                        .zip(values)
                        .for_each(|(own, value)| own.1.push(value));
                }
                if copies {
                    samples.agents_ticks.push(inner.tick);
                    for ((.., numbers), own) in samples.agents.iter_mut().zip(&quantities) {
                        numbers.extend(own.of(&state, travels, &scene.world));
                    }
                }
            }
            if measures {
                samples.ticks.push(inner.tick);
            }
            if last {
                return Ok(samples);
            }
            let mut stop = next(done, every, ticks);
            if !quantities.is_empty() {
                stop = stop.min(next(done, agents_every, ticks));
            }
            if let Some(unwrapping) = &unwrapping {
                stop = stop.min(unwrapping.next_look(done));
            }
            match inner.step(stop - done) {
                Ok(()) => done = stop,
                Err(Fault::Python(error)) => {
                    samples.interrupted = Some(error);
                    return Ok(samples);
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// As a dict of arrays.
    pub fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("ticks", self.ticks.into_pyarray(py))?;
        let metrics = PyDict::new(py);
        for (name, values) in self.metrics {
            metrics.set_item(name, values.into_pyarray(py))?;
        }
        dict.set_item("metrics", metrics)?;
        let agents = PyDict::new(py);
        for (name, width, numbers) in self.agents {
            let shape = (self.agents_ticks.len(), self.count, width);
            let array = Array3::from_shape_vec(shape, numbers);
            let array = array.map_err(|error| Fault::Value(error.to_string()))?.into_pyarray(py);
            match name.starts_with("state.") {
                true => agents.set_item(name, array.reshape((shape.0, shape.1))?)?,
                false => agents.set_item(name, array)?,
            }
        }
        dict.set_item("agents", agents)?;
        dict.set_item("agents_ticks", self.agents_ticks.into_pyarray(py))?;
        let interrupted = match self.interrupted {
            // Anything else that a handler of signals raises is the caller's.
            Some(error) if !error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) => {
                return Err(error);
            }
            other => other.is_some(),
        };
        dict.set_item("interrupted", interrupted)?;
        Ok(dict)
    }
}

/// A number of ticks from Python, which may be negative or too large there.
pub fn ticks(value: &Bound<'_, PyInt>, name: &str, least: u64) -> Result<u64, Fault> {
    let ticks = value.extract::<u64>().ok().filter(|ticks| *ticks >= least);
    ticks.ok_or_else(|| {
        Fault::Value(format!(
            "{name} {value}: expected a whole number from {least} to {}",
            u64::MAX
        ))
    })
}
