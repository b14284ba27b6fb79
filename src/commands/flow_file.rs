//! The file of a flow field: CSV with the header `x,y` and one row per cell.

use std::path::Path;

use anyhow::{Context, ensure};

use super::input::read_text;
use crate::model::quote::quoted;
use crate::model::scene::Scene;
use crate::model::scenery::FlowKind;
use crate::model::vector::{Point, flat};

/// The most bytes per row: two numbers with all their digits, and room to spare.
const LONGEST_ROW: u64 = 128;

/// Reads the flow field's file if `scene` needs one. The path is relative to the folder of
/// `scene_file`.
pub fn attach(scene: &mut Scene, scene_file: &Path) -> anyhow::Result<()> {
    let name = scene.name.clone();
    let Some(plan) = scene.flow.as_mut().filter(|plan| plan.kind == FlowKind::File) else {
        return Ok(());
    };
    let file = plan.file.clone().unwrap_or_default();
    let path = scene_file.parent().unwrap_or(Path::new("")).join(&file);
    let place = || format!("{name}: flow.file: {}", path.display());
    let [columns, rows, _] = plan.grid;
    let wanted = columns as usize * rows as usize;
    // The header is a row too.
    let most = (wanted as u64 + 1) * LONGEST_ROW;
    let text = read_text(&path, most).with_context(|| {
        format!("{}: cannot read it as the field of grid = [{columns}, {rows}]", place())
    })?;
    plan.vectors = vectors(&text).with_context(place)?;
    ensure!(
        plan.vectors.len() == wanted,
        "{}: {} rows, but grid = [{columns}, {rows}] needs {wanted}",
        place(),
        plan.vectors.len()
    );
    Ok(())
}

fn vectors(text: &str) -> anyhow::Result<Vec<Point>> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers()?.iter().collect::<Vec<_>>().join(",");
    ensure!(header == "x,y", "line 1: expected the header `x,y`, not {}", quoted(&header));
    let mut vectors = Vec::new();
    for row in reader.deserialize() {
        let (x, y): (f32, f32) = row.context("expected two numbers in each row")?;
        // Its square must be finite too.
        let fits = |value: f32| value.is_finite() && value.abs() <= 1e9;
        let line = vectors.len() + 2;
        ensure!(fits(x) && fits(y), "line {line}: {x},{y} is outside -1e9 to 1e9");
        vectors.push(flat(x, y));
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_a_row_for_each_cell() {
        let folder = tempfile::tempdir().unwrap();
        let scene_file = folder.path().join("wind.toml");
        let text = "flow = { kind = \"file\", file = \"wind.csv\", grid = [2, 2] }\n\
                    [species.a.follow_flow]\n";
        let mut scene = Scene::parse("wind", text, &[]).unwrap();
        let mut attach = |content: &str| {
            std::fs::write(folder.path().join("wind.csv"), content).unwrap();
            attach(&mut scene, &scene_file).map_err(|error| format!("{error:#}"))?;
            Ok::<_, String>(scene.flow.clone().unwrap().vectors)
        };
        assert_eq!(attach("x,y\n1,0\n0,1\n-1,0\n0,-1\n").unwrap()[1], flat(0.0, 1.0));
        for (content, problem) in [
            ("x,y\n1,0\n", "1 rows, but grid = [2, 2] needs 4"),
            ("u,v\n1,0\n", "expected the header `x,y`"),
            ("x,y\n1,nan\n", "line 2"),
            ("x,y\n1,zwei\n", "two numbers in each row"),
        ] {
            let error = attach(content).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
