//! Values of scene files as Python's, and back.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml::{Table, Value};

/// The most lists and dicts inside each other, as in TOML's reader.
const MAX_DEPTH: usize = 80;

/// A Python value as one of TOML. Numbers of NumPy and arrays become plain ones.
pub fn to_toml(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    below(value, MAX_DEPTH)
}

/// The same, where at most `depth` lists and dicts may be inside each other.
fn below(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.into()));
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        let number = value.extract().map_err(|_| {
            PyValueError::new_err(format!("{value}: a whole number of a scene has 64 bits at most"))
        });
        return Ok(Value::Integer(number?));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(value.extract()?));
    }
    let depth = depth.checked_sub(1).ok_or_else(|| {
        PyValueError::new_err(format!(
            "a value of a scene has at most {MAX_DEPTH} lists and dicts inside each other, and this one has more or \
             contains itself; give plain values"
        ))
    })?;
    if let Ok(table) = value.cast::<PyDict>() {
        let named = |key: &Bound<'_, PyAny>| {
            key.extract()
                .map_err(|_| PyTypeError::new_err(format!("{key}: a key of a scene is a text")))
        };
        let entries = table.iter().map(|(key, value)| Ok((named(&key)?, below(&value, depth)?)));
        return entries.collect::<PyResult<Table>>().map(Value::Table);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| below(&item?, depth));
        return items.collect::<PyResult<Vec<Value>>>().map(Value::Array);
    }
    if value.hasattr("tolist")? {
        return below(&value.call_method0("tolist")?, depth);
    }
    Err(PyTypeError::new_err(format!(
        "a value of a scene is a number, a text, True or False, a list or a dict, and not {}",
        value.get_type().name()?
    )))
}

/// A value of TOML as Python's.
pub fn from_toml<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Boolean(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Value::Integer(value) => value.into_pyobject(py)?.into_any(),
        Value::Float(value) => value.into_pyobject(py)?.into_any(),
        Value::Datetime(value) => value.to_string().into_pyobject(py)?.into_any(),
        Value::Array(items) => {
            let items = items.iter().map(|item| from_toml(py, item));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::Table(table) => {
            let dict = PyDict::new(py);
            for (key, value) in table {
                dict.set_item(key, from_toml(py, value)?)?;
            }
            dict.into_any()
        }
    })
}
