//! The flock as Python has it. The package's own class `Flock` wraps this one.

use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use flockwork::Selection;
use flockwork::model::statistics::{Pairs, RadialDistribution, local_densities};
use flockwork::model::vector::Point;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt};

use crate::arrays::{matrix, points};
use crate::errors::Fault;
use crate::inner::{Inner, Quantity, Source};
use crate::machine::{check_process, open};
use crate::recording::{Plan, Samples, kept, kept_numbers, ticks};
use crate::signals::check_signals;
use crate::table::Table;
use crate::{pictures, values, view};

/// One flock on one engine. Calls from several threads wait for each other.
#[pyclass(frozen, module = "pyflockwork._native")]
pub struct Flock {
    inner: Mutex<Inner>,
    /// The thread that works on it.
    owner: Mutex<Option<ThreadId>>,
}

/// How long a thread waits before it asks again for a flock on which another one works.
const WAIT: Duration = Duration::from_millis(1);

impl Flock {
    fn new(inner: Inner) -> Self {
        Self { inner: Mutex::new(inner), owner: Mutex::default() }
    }

    fn owner(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the flock once no other thread does. Meanwhile it lets Python look for Ctrl-C.
    fn work<T>(&self, work: impl FnOnce(&mut Inner) -> Result<T, Fault>) -> Result<T, Fault> {
        let own = thread::current().id();
        let mut inner = loop {
            match self.inner.try_lock() {
                Ok(inner) => break inner,
                // A panic leaves the flock as it was after its last whole tick.
                Err(TryLockError::Poisoned(inner)) => break inner.into_inner(),
                Err(TryLockError::WouldBlock) if *self.owner() == Some(own) => {
                    let text =
                        "this flock is at work: a handler of signals may not ask it for anything";
                    return Err(Fault::Device(text.into()));
                }
                Err(TryLockError::WouldBlock) => {
                    check_signals()?;
                    thread::sleep(WAIT);
                }
            }
        };
        *self.owner() = Some(own);
        let done = panic::catch_unwind(AssertUnwindSafe(|| work(&mut inner)));
        *self.owner() = None;
        done.unwrap_or_else(|panicked| panic::resume_unwind(panicked))
    }

    /// Works on the flock while other Python threads run.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inner) -> Result<T, Fault> + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| check_process().and_then(|()| self.work(work)));
        done.map_err(PyErr::from)
    }

    fn vectors<'py>(
        &self,
        py: Python<'py>,
        quantity: Quantity,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (numbers, axes) =
            self.with(py, |inner| Ok((inner.vectors(quantity)?, inner.scene.world.axes())))?;
        matrix(py, numbers, axes)
    }
}

#[pymethods]
impl Flock {
    #[new]
    #[pyo3(signature = (scene, text, overrides, count, density, seed, init, engine, adapter, threads))]
    #[expect(clippy::too_many_arguments, reason = "the package's class has names for them")]
    fn open(
        py: Python<'_>,
        scene: Option<String>,
        text: Option<String>,
        overrides: Vec<String>,
        count: Option<u64>,
        density: Option<f32>,
        seed: Option<u32>,
        init: Option<PathBuf>,
        engine: &str,
        adapter: Option<&str>,
        threads: Option<u32>,
    ) -> PyResult<Self> {
        let source = Source { scene, text, overrides, count, density, seed, init };
        let inner = py.detach(|| Inner::open(open(engine, adapter, threads)?, source));
        Ok(Self::new(inner?))
    }

    /// A flock from the bytes of `save`.
    #[staticmethod]
    fn restore(
        py: Python<'_>,
        bytes: &[u8],
        next_id: u32,
        engine: &str,
        adapter: Option<&str>,
        threads: Option<u32>,
    ) -> PyResult<Self> {
        let inner = py.detach(|| Inner::restore(open(engine, adapter, threads)?, bytes, next_id));
        Ok(Self::new(inner?))
    }

    /// The bytes of an NPZ file.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, Inner::save)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn next_id(&self, py: Python<'_>) -> PyResult<u32> {
        self.with(py, |inner| Ok(inner.next_id()))
    }

    fn tick(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |inner| Ok(inner.tick))
    }

    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |inner| Ok(inner.agents()))
    }

    fn axes(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |inner| Ok(inner.scene.world.axes()))
    }

    /// The sides of the world.
    fn world(&self, py: Python<'_>) -> PyResult<Vec<f32>> {
        self.with(py, |inner| Ok(inner.scene.world.sides().to_vec()))
    }

    /// The engine's kind and the hardware it runs on.
    fn describe(&self, py: Python<'_>) -> PyResult<(String, String)> {
        self.with(py, |inner| {
            let engine = inner.engine()?;
            Ok((engine.kind().to_string(), engine.describe()))
        })
    }

    fn species_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |inner| Ok(inner.scene.species.iter().map(|own| own.name.clone()).collect()))
    }

    /// The largest distance at which agents perceive others.
    fn radius(&self, py: Python<'_>) -> PyResult<f32> {
        self.with(py, |inner| Ok(inner.scene.perception_radius()))
    }

    fn step(&self, py: Python<'_>, count: &Bound<'_, PyInt>) -> PyResult<()> {
        let count = ticks(count, "ticks", 0)?;
        self.with(py, |inner| inner.step(count))
    }

    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.vectors(py, Quantity::Positions)
    }

    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.vectors(py, Quantity::Velocities)
    }

    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let ids = self.with(py, |inner| Ok(inner.state()?.id.clone()))?;
        Ok(ids.into_pyarray(py))
    }

    fn species<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let species = self.with(py, |inner| Ok(inner.state()?.species.clone()))?;
        Ok(species.into_pyarray(py))
    }

    fn state<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let numbers = self.with(py, |inner| {
            let place = kept(name, &inner.scene)?;
            Ok(kept_numbers(&*inner.state()?, place))
        })?;
        Ok(numbers.into_pyarray(py))
    }

    fn state_names(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        self.with(py, |inner| Ok(inner.scene.kept_names().iter().collect()))
    }

    /// The scene as a dict, as its full text has it.
    fn scene<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let table = self.with(py, |inner| {
            Ok(toml::Value::Table(toml::from_str(&inner.scene_now()?.to_full_toml())?))
        })?;
        values::from_toml(py, &table)
    }

    /// The scene as a file that makes a flock like this one.
    fn toml(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |inner| Ok(inner.fixed_scene()?.to_toml()))
    }

    fn set(&self, py: Python<'_>, assignment: &str) -> PyResult<()> {
        self.with(py, |inner| inner.set(assignment))
    }

    /// The metrics of these names.
    fn metrics(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Vec<f64>> {
        self.with(py, |inner| {
            let selection = Selection::parse(&names)?;
            selection.check(&inner.scene)?;
            if selection.needs_travels() {
                return Err(Fault::Value(
                    "mean_square_displacement is measured between the samples of a run; record it with run"
                        .into(),
                ));
            }
            let state = inner.state()?;
            Ok(selection.values(&inner.scene, &state, &[]))
        })
    }

    #[pyo3(signature = (count, every, metrics, agents, agents_every))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        count: &Bound<'py, PyInt>,
        every: &Bound<'py, PyInt>,
        metrics: Vec<String>,
        agents: Vec<String>,
        agents_every: &Bound<'py, PyInt>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let plan = Plan {
            ticks: ticks(count, "ticks", 0)?,
            every: ticks(every, "every", 1)?,
            metrics,
            agents,
            agents_every: ticks(agents_every, "agents_every", 1)?,
        };
        self.with(py, |inner| Samples::take(inner, &plan))?.into_dict(py)
    }

    fn neighbours<'py>(
        &self,
        py: Python<'py>,
        id: u32,
        radius: f32,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let ids = self.with(py, |inner| Ok(inner.engine()?.neighbours(id, radius)?))?;
        Ok(ids.into_pyarray(py))
    }

    /// All near pairs, as two arrays of row numbers.
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        radius: f32,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>)> {
        let Pairs { first, second } = self.with(py, |inner| {
            let state = inner.state()?;
            Ok(Pairs::of(&inner.scene.world, &state.position, radius))
        })?;
        Ok((first.into_pyarray(py), second.into_pyarray(py)))
    }

    /// The density of one species around another, or of all around all, in intervals up to a distance.
    fn radial_distribution<'py>(
        &self,
        py: Python<'py>,
        radius: f32,
        intervals: usize,
        species: Option<u8>,
        around: Option<u8>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.with(py, |inner| {
            let state = inner.state()?;
            let world = &inner.scene.world;
            let places = |takes: &dyn Fn(u8) -> bool| -> Vec<Point> {
                let rows = state.species.iter().zip(&state.position);
                rows.filter(|(own, _)| takes(**own)).map(|(_, place)| *place).collect()
            };
            let mut agents = places(&|own| around.is_none_or(|around| own == around));
            let first = agents.len();
            Ok(match species {
                Some(species) if around != Some(species) => {
                    let others = places(&|own| own == species);
                    RadialDistribution::around(world, &agents, &others, radius, intervals)
                }
                Some(_) => RadialDistribution::of(world, &agents, radius, intervals),
                None => {
                    agents.extend(places(&|own| around.is_some_and(|around| own != around)));
                    RadialDistribution::around_first(world, (&agents, first), radius, intervals)
                }
            })
        })?;
        Ok(found.values.into_pyarray(py))
    }

    /// The density of others around each agent.
    fn local_densities<'py>(
        &self,
        py: Python<'py>,
        radius: f32,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.with(py, |inner| {
            let state = inner.state()?;
            Ok(local_densities(&inner.scene.world, &state.position, radius))
        })?;
        Ok(found.into_pyarray(py))
    }

    /// Adds to the velocities.
    fn push(&self, py: Python<'_>, forces: PyReadonlyArray2<'_, f32>) -> PyResult<()> {
        let forces = points(&forces);
        self.with(py, |inner| inner.push(&forces))
    }

    fn add(
        &self,
        py: Python<'_>,
        positions: PyReadonlyArray2<'_, f32>,
        velocities: PyReadonlyArray2<'_, f32>,
        species: PyReadonlyArray1<'_, u8>,
    ) -> PyResult<u32> {
        let [positions, velocities] = [points(&positions), points(&velocities)];
        let species = species.as_array().to_vec();
        self.with(py, |inner| inner.add(positions, velocities, species))
    }

    fn remove(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, u32>) -> PyResult<()> {
        let ids = ids.as_array().to_vec();
        self.with(py, |inner| inner.remove(&ids))
    }

    /// Arrays over the memory of the engine.
    fn lend<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let (py, flock, own) = (slf.py(), slf.get(), slf.clone().unbind());
        check_process()?;
        // Other threads wait for the flock without the interpreter; so does this one.
        let lent = py.detach(|| {
            flock.work(|inner| Python::attach(|py| view::lend(py, &own, inner).map(Bound::unbind)))
        });
        Ok(lent?.into_bound(py))
    }

    /// Width, height and RGBA of a picture.
    fn picture<'py>(
        &self,
        py: Python<'py>,
        width: u32,
        height: u32,
        samples: u64,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let frame = self.with(py, |inner| pictures::picture(inner, (width, height), samples))?;
        Ok(frame.to_straight().into_pyarray(py))
    }

    /// Films a run, by options of `flockwork capture`. Returns what was written, in words.
    fn film(&self, py: Python<'_>, options: Vec<String>) -> PyResult<String> {
        self.with(py, |inner| pictures::film(inner, &options))
    }

    /// The agents as a table.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        self.with(py, |inner| {
            let state = inner.state()?;
            Table::of(&inner.scene, &state)
        })
    }
}
