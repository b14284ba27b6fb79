//! Arrays that show the memory of an engine without a copy.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use flockwork::{AgentsAt, Component, FlockState, HostAgents};
use numpy::ndarray::{ArrayView1, ShapeBuilder};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::Fault;
use crate::flock::Flock;
use crate::inner::Inner;

/// The owner of an array's memory: while one is alive, the flock does not change.
#[pyclass(frozen, module = "pyflockwork._native")]
pub struct Lent {
    flock: Py<Flock>,
    count: Arc<AtomicUsize>,
    /// The memory, unless it is the engine's.
    _state: Option<Arc<FlockState>>,
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Release);
    }
}

/// The arrays of a flock. Their rows are in the engine's own order.
pub fn lend<'py>(
    py: Python<'py>,
    flock: &Py<Flock>,
    inner: &mut Inner,
) -> Result<Bound<'py, PyDict>, Fault> {
    let axes = inner.scene.world.axes();
    let on_host = matches!(inner.engine()?.agents(), AgentsAt::Host(_));
    // A device's memory is not Python's: then the arrays show the last copy.
    let state = if on_host { None } else { Some(inner.state()?) };
    let count = Arc::clone(&inner.lent);
    let agents: HostAgents<'_> = match (&state, inner.engine()?.agents()) {
        (Some(state), _) => HostAgents::from(&**state),
        (None, AgentsAt::Host(agents)) => agents,
        (None, AgentsAt::Device(_)) => return Err(Fault::Device("the engine has moved".into())),
    };
    let rows = agents.len();
    let owner = || {
        count.fetch_add(1, Ordering::AcqRel);
        let (flock, count) = (flock.clone_ref(py), Arc::clone(&count));
        Bound::new(py, Lent { flock, count, _state: state.clone() })
    };
    let component = |own: Component<'_>| {
        let (numbers, stride) = own.strided();
        array(numbers, (rows, stride), owner()?)
    };
    let vector = |own: &[Component<'_>]| -> PyResult<Bound<'py, PyTuple>> {
        let arrays = own[..axes].iter().map(|own| component(*own));
        PyTuple::new(py, arrays.collect::<PyResult<Vec<_>>>()?)
    };
    let dict = PyDict::new(py);
    dict.set_item("positions", vector(&agents.position)?)?;
    dict.set_item("velocities", vector(&agents.velocity)?)?;
    dict.set_item("ids", array(agents.id, (rows, 1), owner()?)?)?;
    dict.set_item("species", array(agents.species, (rows, 1), owner()?)?)?;
    Ok(dict)
}

/// A read-only array over every `stride`-th one of some numbers.
fn array<'py, T: Element>(
    numbers: &[T],
    (rows, stride): (usize, usize),
    owner: Bound<'py, Lent>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    let view = ArrayView1::from_shape((rows,).strides((stride,)), numbers);
    let view = view.map_err(|error| Fault::Value(error.to_string()))?;
    #[expect(unsafe_code, reason = "an array without a copy has no other way")]
    // SAFETY: the numbers are the engine's or a state's. The owner keeps both alive: it has the flock and the state.
    // While it is alive, every call that would change the engine fails with `Fault::Lent`.
    let array = unsafe { PyArray1::borrow_from_array(&view, owner.into_any()) };
    array.try_readwrite().map_err(|error| Fault::Value(error.to_string()))?.make_nonwriteable();
    Ok(array)
}

#[pymethods]
impl Lent {
    /// The flock whose memory this is.
    #[getter]
    fn flock(&self, py: Python<'_>) -> Py<Flock> {
        self.flock.clone_ref(py)
    }
}
