//! Arrays of Python and vectors of the library.

use flockwork::Point;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::errors::Fault;

/// Number of vectors that one thread copies.
const PART: usize = 1 << 16;

/// Vectors as rows of one number for each axis.
pub fn rows(points: &[Point], axes: usize) -> Vec<f32> {
    let mut numbers = vec![0.0; points.len() * axes];
    let copy = |(numbers, points): (&mut [f32], &[Point])| {
        for (row, point) in numbers.chunks_exact_mut(axes).zip(points) {
            row.copy_from_slice(&point.to_array()[..axes]);
        }
    };
    if points.len() <= PART {
        copy((&mut numbers, points));
    } else {
        numbers.par_chunks_mut(PART * axes).zip(points.par_chunks(PART)).for_each(copy);
    }
    numbers
}

/// Rows as an array of shape (N, axes).
pub fn matrix(py: Python<'_>, rows: Vec<f32>, axes: usize) -> PyResult<Bound<'_, PyArray2<f32>>> {
    let shape = (rows.len() / axes, axes);
    let array = Array2::from_shape_vec(shape, rows);
    let array = array.map_err(|error| Fault::Value(error.to_string()))?;
    Ok(array.into_pyarray(py))
}

/// Rows of an array as vectors. The package has checked the shape.
pub fn points(array: &PyReadonlyArray2<'_, f32>) -> Vec<Point> {
    let rows = array.as_array();
    let component = |row: usize, axis: usize| rows.get((row, axis)).copied().unwrap_or(0.0);
    let point = |row| Point::from_array([0, 1, 2].map(|axis| component(row, axis)));
    (0..rows.nrows()).map(point).collect()
}
