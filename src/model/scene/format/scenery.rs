//! Targets, paths and the flow field of a scene file: their values without keys, and what they must fulfil.

use super::reader::Reader;
use crate::behaviours::Target;
use crate::quote::quoted;
use crate::scene::{MAX_TARGETS, POINTER, SceneError};
use crate::scenery::{FlowKind, FlowPlan, Path};
use crate::vector::Point;

/// The most points of all paths together.
const MAX_PATH_POINTS: usize = 4096;

/// The most cells of a flow field that is read from a file: as many as in the largest field of a plane.
const MAX_FILE_CELLS: u64 = 1 << 24;

/// Names that no target of a file has.
pub const NO_TARGETS: [&str; 3] = ["nearest", "none", POINTER];

pub fn target(number: usize) -> Target {
    // The pointer is the first target.
    Target::fixed(&format!("target{}", number + 1), Point::ZERO)
}

pub fn check_target(own: &Target, others: &[Target], table: &Reader) -> Result<(), SceneError> {
    let most = MAX_TARGETS - 1;
    if others.len() == most {
        return Err(table.fail(format!("a scene has at most {most} targets")));
    }
    let name = own.name.as_str();
    if NO_TARGETS.contains(&name) || others.iter().any(|known| known.name == name) {
        return Err(table.fail(format!("the name {} is taken; choose another", quoted(name))));
    }
    Ok(())
}

pub fn path(number: usize) -> Path {
    Path { name: format!("path{number}"), points: Vec::new(), closed: false, shown: true }
}

pub fn check_path(own: &Path, others: &[Path], table: &Reader) -> Result<(), SceneError> {
    follows(own, others).map_err(|problem| table.fail(problem))
}

/// Fails if no file could have these paths.
pub fn check_paths(paths: &[Path]) -> Result<(), String> {
    paths.iter().enumerate().try_for_each(|(number, path)| follows(path, &paths[..number]))
}

/// Fails if `path` cannot follow `others`.
fn follows(path: &Path, others: &[Path]) -> Result<(), String> {
    let first = path.points.first().copied();
    if path.points.iter().all(|point| Some(*point) == first) {
        return Err("a path needs `points`, at least two different ones".into());
    }
    if path.name == "nearest" || others.iter().any(|known| known.name == path.name) {
        return Err(format!("the name {} is taken; choose another", quoted(&path.name)));
    }
    if others.iter().chain([path]).map(|path| path.points.len()).sum::<usize>() > MAX_PATH_POINTS {
        return Err(format!("all paths have at most {MAX_PATH_POINTS} points in total"));
    }
    Ok(())
}

pub fn check_flow(plan: &FlowPlan, _: &[FlowPlan], table: &Reader) -> Result<(), SceneError> {
    let from_file = plan.kind == FlowKind::File;
    let wanted = || {
        let (header, grid) = table.by_axes(
            ("x,y", "columns and rows, as in grid = [32, 18]"),
            ("x,y,z", "columns, rows and layers, as in grid = [32, 18, 12]"),
        );
        format!(
            "`file` names a CSV file with the header `{header}` and a row for each cell, and `grid` \
             has its {grid}"
        )
    };
    if from_file && (plan.file.is_none() || plan.grid[0] == 0) {
        return Err(table.fail(format!("kind = \"file\" needs `file` and `grid`: {}", wanted())));
    }
    if !from_file && (plan.file.is_some() || plan.grid[0] > 0) {
        return Err(table.fail(format!(
            "`file` and `grid` belong to kind = \"file\": {}; set all three, or remove them",
            wanted()
        )));
    }
    let cells = plan.file_cells();
    if cells > MAX_FILE_CELLS {
        return Err(table.fail(format!(
            "grid = {} has {cells} cells, and {MAX_FILE_CELLS} are the most there can be",
            plan.grid_text()
        )));
    }
    Ok(())
}
