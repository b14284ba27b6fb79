//! The file of a flow field: CSV with the header `x,y`, in space `x,y,z`, and one row per cell.

use std::path::Path;

use anyhow::{Context, anyhow, bail, ensure};

use super::input::read_file;
use flockwork_model::quote::{cut, quoted};
use flockwork_model::scene::Scene;
use flockwork_model::scenery::FlowKind;
use flockwork_model::vector::{Point, components_text};

/// The most bytes per row: three numbers with all their digits, and room to spare.
const LONGEST_ROW: u64 = 192;

/// The header for each number of axes.
const HEADERS: [(usize, &str); 2] = [(2, "x,y"), (3, "x,y,z")];

/// Reads the flow field's file if `scene` needs one. The path is relative to the folder of
/// `scene_file`.
pub fn attach(scene: &mut Scene, scene_file: &Path) -> anyhow::Result<()> {
    let (name, axes) = (scene.name.clone(), scene.world.axes());
    let Some(plan) = scene.flow.as_mut().filter(|plan| plan.kind == FlowKind::File) else {
        return Ok(());
    };
    let file = plan.file.clone().unwrap_or_default();
    let path = scene_file.parent().unwrap_or(Path::new("")).join(&file);
    let place = || format!("{}: flow.file: {}", cut(&name), cut(&path.to_string_lossy()));
    let (grid, wanted) = (plan.grid_text(), plan.file_cells());
    // The header is a row too.
    let most = (wanted as u64).saturating_add(1).saturating_mul(LONGEST_ROW);
    let text = read_file(&path, most)
        .with_context(|| format!("{}: cannot read it as the field of grid = {grid}", place()))?;
    plan.vectors = vectors(&text, axes).with_context(place)?;
    ensure!(
        plan.vectors.len() == wanted,
        "{}: {} rows, but grid = {grid} needs {wanted}",
        place(),
        plan.vectors.len()
    );
    Ok(())
}

/// The vectors of a world with `axes` axes.
fn vectors(text: &str, axes: usize) -> anyhow::Result<Vec<Point>> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers()?.iter().collect::<Vec<_>>().join(",");
    check_header(&header, axes)?;
    let mut vectors = Vec::new();
    for row in reader.records() {
        let count = if axes == 2 { "two" } else { "three" };
        let expected = || format!("expected {count} numbers in each row");
        let line = |error: &csv::Error| error.position().map_or(0, csv::Position::line);
        let row = row.map_err(|error| anyhow!("line {}: {}", line(&error), expected()))?;
        let line = row.position().map_or(0, csv::Position::line);
        let mut vector = Point::ZERO;
        for (axis, number) in row.iter().enumerate() {
            vector[axis] = number.parse().ok().with_context(|| {
                format!("line {line}: found {}, {}", quoted(number), expected())
            })?;
        }
        // Its square must be finite too. False for NaN.
        let fits = vector.to_array().iter().all(|value| value.abs() <= 1e9);
        let text = components_text(vector, axes);
        ensure!(fits, "line {line}: {text} is outside -1e9 to 1e9");
        vectors.push(vector);
    }
    Ok(vectors)
}

/// Fails unless the header belongs to a world with `axes` axes.
fn check_header(header: &str, axes: usize) -> anyhow::Result<()> {
    let expected = HEADERS.iter().find(|(own, _)| *own == axes).map_or("", |(_, header)| *header);
    if header == expected {
        return Ok(());
    }
    let quoted = quoted(header);
    match HEADERS.iter().find(|(_, other)| *other == header) {
        Some((3, _)) => bail!(
            "line 1: expected the header `{expected}`, not {quoted}: the world is a plane; give \
             world.size three numbers, or leave out the z of each vector"
        ),
        Some(_) => bail!(
            "line 1: expected the header `{expected}`, not {quoted}: the world is a space, because \
             world.size has three numbers; give each vector a z"
        ),
        None => bail!("line 1: expected the header `{expected}`, not {quoted}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::vector::flat;

    /// The vectors of a scene with this flow field, from a file with this content.
    fn attached(world: &str, grid: &str, content: &str) -> Result<Vec<Point>, String> {
        let folder = tempfile::tempdir().unwrap();
        let scene_file = folder.path().join("wind.toml");
        let text = format!(
            "{world}flow = {{ kind = \"file\", file = \"wind.csv\", grid = {grid} }}\n\
             [species.a.follow_flow]\n"
        );
        let mut scene = Scene::parse("wind", &text, &[]).unwrap();
        std::fs::write(folder.path().join("wind.csv"), content).unwrap();
        attach(&mut scene, &scene_file).map_err(|error| format!("{error:#}"))?;
        Ok(scene.flow.unwrap().vectors)
    }

    #[test]
    fn a_field_has_a_row_for_each_cell() {
        let attach = |content: &str| attached("", "[2, 2]", content);
        assert_eq!(attach("x,y\n1,0\n0,1\n-1,0\n0,-1\n").unwrap()[1], flat(0.0, 1.0));
        for (content, problem) in [
            ("x,y\n1,0\n", "1 rows, but grid = [2, 2] needs 4"),
            ("u,v\n1,0\n", "expected the header `x,y`"),
            ("x,y\n1,nan\n", "line 2"),
            ("x,y\n1,zwei\n", "line 2: found \"zwei\", expected two numbers in each row"),
            ("x,y\n1\n", "line 2: expected two numbers in each row"),
            ("x,y,z\n1,0,0\n", "the world is a plane"),
        ] {
            let error = attach(content).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn a_field_in_space_has_three_numbers_and_layers() {
        let attach = |content: &str| attached("world.size = [90, 60, 30]\n", "[1, 2, 2]", content);
        let read = attach("x,y,z\n1,0,7\n0,1,0\n-1,0,0.5\n0,-1,-1e9\n").unwrap();
        assert_eq!(read[2..], [Point::new(-1.0, 0.0, 0.5), Point::new(0.0, -1.0, -1e9)]);
        for (content, problem) in [
            ("x,y,z\n1,0,0\n", "1 rows, but grid = [1, 2, 2] needs 4"),
            ("x,y\n1,0\n0,1\n-1,0\n0,-1\n", "give each vector a z"),
            ("x,z,y\n1,0,0\n", "expected the header `x,y,z`, not \"x,z,y\""),
            ("x,y,z\n1,0\n", "three numbers in each row"),
            ("x,y,z\n1,0,\n", "line 2: found \"\", expected three numbers"),
            ("x,y,z\n1,0,-2e9\n", "line 2: 1, 0, -2000000000 is outside"),
            ("x,y,z\n1,0,nan\n", "line 2"),
        ] {
            let error = attach(content).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
