//! Obstacles, paths and the flow field of a scene file.

use super::error::SceneError;
use super::parse::FAR;
use super::reader::Reader;
use super::{ObstaclePlan, SIDES};
use crate::model::scenery::{FlowKind, FlowPlan, Path};

/// Most segments of all paths.
const MOST_SEGMENTS: usize = 100_000;

/// Most obstacles that one table asks for.
const MOST_OBSTACLES: u64 = 1 << 20;

/// Most cells of a flow field's file.
const MOST_FLOW_CELLS: u64 = 4096;

/// The tables `[[obstacles]]`: one circle at a `position`, or `count` of them at random.
pub fn obstacles(value: &Reader) -> Result<Vec<ObstaclePlan>, SceneError> {
    let one = |table: &Reader| {
        let mut plan = ObstaclePlan { position: None, radius: 20.0, count: 1 };
        for (key, value) in table.known(&["position", "radius", "count"])? {
            match key {
                "position" => plan.position = Some(value.point(-FAR, FAR)?),
                "radius" => plan.radius = value.number(0.0, 1e6, "world units")?,
                _ => plan.count = value.whole(1, MOST_OBSTACLES)? as u32,
            }
        }
        if plan.position.is_some() && plan.count > 1 {
            return Err(table.fail("a position is that of one obstacle; leave `count` out"));
        }
        Ok(plan)
    };
    value.items().iter().map(one).collect()
}

/// The tables `[[paths]]`.
pub fn paths(value: &Reader) -> Result<Vec<Path>, SceneError> {
    let mut paths: Vec<Path> = Vec::new();
    let mut segments = 0;
    for table in value.items() {
        let path = path(&table, paths.len())?;
        if path.name == "nearest" || paths.iter().any(|known| known.name == path.name) {
            return Err(table.fail(format!("the name {:?} is taken; choose another", path.name)));
        }
        segments += path.points.len();
        if segments > MOST_SEGMENTS {
            return Err(table.fail(format!("a scene's paths have {MOST_SEGMENTS} points at most")));
        }
        paths.push(path);
    }
    Ok(paths)
}

fn path(table: &Reader, number: usize) -> Result<Path, SceneError> {
    let mut path = Path { name: format!("path{number}"), points: Vec::new(), closed: false };
    for (key, value) in table.known(&["name", "points", "closed"])? {
        match key {
            "name" => path.name = value.text()?.into(),
            "closed" => path.closed = value.boolean()?,
            _ => {
                let points = value.items();
                let points = points.iter().map(|point| point.point(-FAR, FAR));
                path.points = points.collect::<Result<_, _>>()?;
            }
        }
    }
    let first = path.points.first().copied();
    if path.points.iter().all(|point| Some(*point) == first) {
        return Err(table.fail("a path needs `points`: two different ones at least"));
    }
    Ok(path)
}

/// The table `[flow]`.
pub fn flow(table: &Reader) -> Result<FlowPlan, SceneError> {
    let mut plan = FlowPlan::default();
    for (key, value) in table.known(&["kind", "cell", "frequency", "file", "grid"])? {
        match key {
            "kind" => plan.kind = value.choice(&FlowKind::NAMES)?,
            "cell" => plan.cell = value.number(1e-2, SIDES.1, "world units")?,
            "frequency" => plan.frequency = value.number(0.0, 1.0, "per cell")?,
            "file" => plan.file = Some(value.text()?.into()),
            _ => {
                let sides = value.items();
                let [columns, rows] = &sides[..] else {
                    return Err(value.fail("columns and rows are wanted, such as [32, 18]"));
                };
                plan.grid = (
                    columns.whole(1, MOST_FLOW_CELLS)? as u32,
                    rows.whole(1, MOST_FLOW_CELLS)? as u32,
                );
            }
        }
    }
    let from_file = plan.kind == FlowKind::File;
    if from_file && (plan.file.is_none() || plan.grid.0 == 0) {
        return Err(table.fail("kind = \"file\" needs `file` and `grid` (columns and rows)"));
    }
    if !from_file && (plan.file.is_some() || plan.grid.0 > 0) {
        return Err(table.fail("`file` and `grid` belong to kind = \"file\""));
    }
    Ok(plan)
}
