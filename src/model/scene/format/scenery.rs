//! Obstacles, paths and the flow field of a scene file.

use super::keys;
use super::reader::Reader;
use crate::model::quote::quoted;
use crate::model::scene::{ObstaclePlan, SceneError};
use crate::model::scenery::{FlowKind, FlowPlan, Path};

/// Most points of all paths together.
const MOST_POINTS: usize = 4096;

/// The tables `[[obstacles]]`: one circle at a `position`, or `count` circles at random places.
pub fn obstacles(value: &Reader) -> Result<Vec<ObstaclePlan>, SceneError> {
    let one = |table: &Reader| {
        let mut plan = ObstaclePlan { position: None, radius: 20.0, count: 1 };
        for (key, value) in table.section(&keys::OBSTACLES)? {
            match key.name {
                "position" => plan.position = Some(value.point_of(key)?),
                "radius" => plan.radius = value.number_of(key)?,
                _ => plan.count = value.whole_of(key)? as u32,
            }
        }
        if plan.position.is_some() && plan.count > 1 {
            return Err(table.fail("a `position` is for one obstacle; remove `count`"));
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
            return Err(
                table.fail(format!("the name {} is taken; choose another", quoted(&path.name)))
            );
        }
        segments += path.points.len();
        if segments > MOST_POINTS {
            return Err(table.fail(format!("all paths have at most {MOST_POINTS} points in total")));
        }
        paths.push(path);
    }
    Ok(paths)
}

fn path(table: &Reader, number: usize) -> Result<Path, SceneError> {
    let mut path = Path { name: format!("path{number}"), points: Vec::new(), closed: false };
    for (key, value) in table.section(&keys::PATHS)? {
        match key.name {
            "name" => path.name = value.text()?.into(),
            "closed" => path.closed = value.boolean()?,
            _ => {
                let points = value.items();
                let points = points.iter().map(|point| point.point_of(key));
                path.points = points.collect::<Result<_, _>>()?;
            }
        }
    }
    let first = path.points.first().copied();
    if path.points.iter().all(|point| Some(*point) == first) {
        return Err(table.fail("a path needs `points`, at least two different ones"));
    }
    Ok(path)
}

/// The table `[flow]`.
pub fn flow(table: &Reader) -> Result<FlowPlan, SceneError> {
    let mut plan = FlowPlan::default();
    for (key, value) in table.section(&keys::FLOW)? {
        match key.name {
            "kind" => plan.kind = value.choice(&FlowKind::NAMES)?,
            "cell" => plan.cell = value.number_of(key)?,
            "frequency" => plan.frequency = value.number_of(key)?,
            "file" => plan.file = Some(value.text()?.into()),
            _ => {
                let sides = value.items();
                let [columns, rows] = &sides[..] else {
                    return Err(value.fail("give columns and rows, such as [32, 18]"));
                };
                plan.grid = (columns.whole_of(key)? as u32, rows.whole_of(key)? as u32);
            }
        }
    }
    let from_file = plan.kind == FlowKind::File;
    if from_file && (plan.file.is_none() || plan.grid.0 == 0) {
        return Err(table.fail("kind = \"file\" needs `file` and `grid` (columns and rows)"));
    }
    if !from_file && (plan.file.is_some() || plan.grid.0 > 0) {
        return Err(
            table.fail("`file` and `grid` belong to kind = \"file\"; set it, or remove them")
        );
    }
    Ok(plan)
}
