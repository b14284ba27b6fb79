//! A flock as a table of Apache Arrow, which pandas, polars, duckdb and others take without a library for it.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::UInt8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, RecordBatch, RecordBatchIterator, StringArray,
    UInt8Array, UInt32Array,
};
use flockwork::{FlockState, Scene};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrays::rows;
use crate::errors::Fault;
use crate::recording::kept_numbers;

/// The columns of positions and velocities.
const COLUMNS: [[&str; 3]; 2] = [["x", "y", "z"], ["vx", "vy", "vz"]];

/// The agents of a flock at one tick, a row each, by ascending ids.
#[pyclass(frozen, module = "pyflockwork._native")]
pub struct Table(RecordBatch);

impl Table {
    /// The columns `id`, `species`, `x`, `y`, … and `state.NAME`.
    pub fn of(scene: &Scene, state: &FlockState) -> Result<Self, Fault> {
        let axes = scene.world.axes();
        let names: Vec<&str> = scene.species.iter().map(|own| own.name.as_str()).collect();
        let keys = UInt8Array::from(state.species.clone());
        let species = DictionaryArray::<UInt8Type>::new(keys, Arc::new(StringArray::from(names)));
        let mut columns: Vec<(String, ArrayRef)> = vec![
            ("id".into(), Arc::new(UInt32Array::from(state.id.clone()))),
            ("species".into(), Arc::new(species)),
        ];
        for (names, points) in COLUMNS.iter().zip([&state.position, &state.velocity]) {
            let numbers = rows(points, axes);
            for (axis, name) in names[..axes].iter().enumerate() {
                let column = numbers.iter().skip(axis).step_by(axes).copied();
                columns.push(((*name).into(), Arc::new(Float32Array::from_iter_values(column))));
            }
        }
        for (place, name) in scene.kept_names().iter().enumerate() {
            let column = Float32Array::from(kept_numbers(state, place));
            columns.push((format!("state.{name}"), Arc::new(column)));
        }
        let batch = RecordBatch::try_from_iter(columns);
        batch.map(Self).map_err(|error| Fault::Value(error.to_string()))
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<{} agents: {}>", self.0.num_rows(), self.columns().join(", "))
    }

    /// The table as Arrow's C stream, for `pandas.DataFrame.from_arrow`, `polars.DataFrame`, `duckdb.sql`, …
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer ignore it.
        let _ = requested_schema;
        let schema = self.0.schema();
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
