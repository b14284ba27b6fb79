//! The file of a flow field: CSV with the header `x,y`, in space `x,y,z`, and one row per cell.

use std::io::Read;

use super::csv::{Lines, line_of_row};
use super::{Context, FileError, Result, bail, ensure};
use crate::quote::quoted;
use crate::scenery::FlowPlan;
use crate::vector::{Point, components_text};

/// The most bytes per row: three numbers with all their digits, and room to spare.
pub const MAX_ROW: u64 = 192;

/// Reads the vectors of a flow field from a file, for a world with `axes` axes. Keep `file` within
/// [`MAX_ROW`] bytes for each cell.
pub fn read_flow(plan: &mut FlowPlan, axes: usize, file: impl Read) -> Result<()> {
    let vectors = vectors(file, axes)?;
    let (rows, wanted, grid) = (vectors.len() as u64, plan.file_cells(), plan.grid_text());
    ensure!(rows == wanted, "{rows} rows, but grid = {grid} needs {wanted}");
    plan.vectors = vectors;
    Ok(())
}

/// The vectors of a world with `axes` axes.
fn vectors(file: impl Read, axes: usize) -> Result<Vec<Point>> {
    let lines = Lines::of(file);
    let mut reader = ::csv::ReaderBuilder::new().trim(::csv::Trim::All).from_reader(lines);
    let header = reader
        .headers()
        .map_err(|error| FileError(error.to_string()))?
        .iter()
        .collect::<Vec<_>>()
        .join(",");
    check_header(&header, axes)?;
    let count = if axes == 2 { "two" } else { "three" };
    let expected = || format!("expected {count} numbers in each row");
    let (mut vectors, mut row) = (Vec::new(), ::csv::StringRecord::new());
    loop {
        let is_there = reader.read_record(&mut row);
        let line = line_of_row(&reader);
        if !is_there.map_err(|_| FileError(format!("line {line}: {}", expected())))? {
            return Ok(vectors);
        }
        let mut vector = Point::ZERO;
        for (axis, number) in row.iter().enumerate() {
            vector[axis] = number.parse::<f32>().ok().with_context(|| {
                format!("line {line}: found {}, {}", quoted(number), expected())
            })?;
        }
        // Its square must be finite too. False for NaN.
        let fits = vector.to_array().iter().all(|value| value.abs() <= 1e9);
        let text = components_text(vector, axes);
        ensure!(fits, "line {line}: {text} is outside -1e9 to 1e9");
        vectors.push(vector);
    }
}

/// Fails unless the header belongs to a world with `axes` axes.
fn check_header(header: &str, axes: usize) -> Result<()> {
    let [plane, space] = ["x,y", "x,y,z"];
    let expected = if axes == 2 { plane } else { space };
    if header == expected {
        return Ok(());
    }
    let why = if header == space {
        ": the world is a plane; give world.size three numbers, or leave out the z of each vector"
    } else if header == plane {
        ": the world is a space, because world.size has three numbers; give each vector a z"
    } else {
        ""
    };
    bail!("line 1: expected the header `{expected}`, not {}{why}", quoted(header))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::vector::flat;

    /// The vectors of a scene with this flow field, from a file with this content.
    fn attached(world: &str, grid: &str, content: &str) -> std::result::Result<Vec<Point>, String> {
        let text = format!(
            "{world}flow = {{ kind = \"file\", file = \"wind.csv\", grid = {grid} }}\n\
             [species.a.follow_flow]\n"
        );
        let mut scene = Scene::parse("wind", &text).unwrap();
        let axes = scene.world.axes();
        let plan = scene.flow.as_mut().unwrap();
        read_flow(plan, axes, content.as_bytes()).map_err(|error| error.to_string())?;
        Ok(plan.vectors.clone())
    }

    #[test]
    fn a_field_has_a_row_for_each_cell_and_a_number_for_each_axis() {
        let (plane, space) = (("", "[2, 2]"), ("world.size = [90, 60, 30]\n", "[1, 2, 2]"));
        let attach = |(world, grid): (&str, &str), content: &str| attached(world, grid, content);
        assert_eq!(attach(plane, "x,y\n1,0\n0,1\n-1,0\n0,-1\n").unwrap()[1], flat(0.0, 1.0));
        let read = attach(space, "x,y,z\n1,0,7\n0,1,0\n-1,0,0.5\n0,-1,-1e9\n").unwrap();
        assert_eq!(read[2..], [Point::new(-1.0, 0.0, 0.5), Point::new(0.0, -1.0, -1e9)]);
        for (own, content, problem) in [
            (plane, "x,y\n1,0\n", "1 rows, but grid = [2, 2] needs 4"),
            (plane, "u,v\n1,0\n", "expected the header `x,y`"),
            (plane, "x,y\n1,nan\n", "line 2"),
            (plane, "x,y\n1,zwei\n", "line 2: found \"zwei\", expected two numbers in each row"),
            (plane, "\r\nx,y\r\n1,0\r\n\r\n1,zwei\r\n", "line 5: found \"zwei\""),
            (plane, "x,y\r\n1,0\r\n1", "line 3: expected two"),
            (plane, "x,y\n1\n", "line 2: expected two numbers in each row"),
            (plane, "x,y,z\n1,0,0\n", "the world is a plane"),
            (space, "x,y,z\n1,0,0\n", "1 rows, but grid = [1, 2, 2] needs 4"),
            (space, "x,y\n1,0\n0,1\n-1,0\n0,-1\n", "give each vector a z"),
            (space, "x,z,y\n1,0,0\n", "expected the header `x,y,z`, not \"x,z,y\""),
            (space, "x,y,z\n1,0\n", "three numbers in each row"),
            (space, "x,y,z\n1,0,\n", "line 2: found \"\", expected three numbers"),
            (space, "x,y,z\n1,0,-2e9\n", "line 2: 1, 0, -2000000000 is outside"),
            (space, "x,y,z\n1,0,nan\n", "line 2"),
        ] {
            let error = attach(own, content).unwrap_err();
            assert!(error.contains(problem), "{content}: {error}");
        }
    }
}
