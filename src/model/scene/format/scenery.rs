//! Targets, obstacles, paths and the flow field of a scene file.

use super::fields::{Entry, Field, Fields, Form, Written};
use super::keys::Key;
use super::reader::Reader;
use crate::behaviours::Target;
use crate::quote::quoted;
use crate::scene::{MAX_TARGETS, ObstaclePlan, POINTER, SceneError};
use crate::scenery::{FlowKind, FlowPlan, Path};
use crate::vector::Point;

/// The most points of all paths together.
const MOST_POINTS: usize = 4096;

/// The most cells of a flow field that is read from a file: those of the largest field of a plane.
const MOST_FILE_CELLS: usize = 1 << 24;

/// The tables of `all`; `unwritten` gives the defaults of the table of a given number.
fn list<T: Fields>(all: &[T], axes: usize, unwritten: impl Fn(usize) -> T) -> Option<Written> {
    let one = |(number, fields): (usize, &T)| fields.entries(&unwritten(number), axes);
    let tables: Vec<Vec<Entry>> = all.iter().enumerate().map(one).collect();
    (!tables.is_empty()).then_some(Written::List(tables))
}

/// The defaults of a table that follows `number` others.
fn target(number: usize) -> Target {
    // The pointer is the first target.
    Target::fixed(&format!("target{}", number + 1), Point::ZERO)
}

impl Field for Vec<Target> {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let mut targets = Self::new();
        for table in value.items() {
            if targets.len() + 1 == MAX_TARGETS {
                let most = MAX_TARGETS - 1;
                return Err(table.fail(format!("a scene has at most {most} targets")));
            }
            let mut target = target(targets.len());
            target.read_table(&table)?;
            let name = target.name.as_str();
            if ["nearest", "none", POINTER].contains(&name)
                || targets.iter().any(|known| known.name == name)
            {
                return Err(
                    table.fail(format!("the name {} is taken; choose another", quoted(name)))
                );
            }
            targets.push(target);
        }
        Ok(targets)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        list(self, key.axes, target)
    }
}

/// The defaults of a table.
const OBSTACLE: ObstaclePlan = ObstaclePlan { position: None, radius: 20.0, count: 1 };

/// The tables `[[obstacles]]`: one circle at a `position`, or `count` circles at random places.
impl Field for Vec<ObstaclePlan> {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let one = |table: &Reader| {
            let mut plan = OBSTACLE;
            plan.read_table(table)?;
            if plan.position.is_some() && plan.count > 1 {
                return Err(table.fail("a `position` is for one obstacle; remove `count`"));
            }
            Ok(plan)
        };
        value.items().iter().map(one).collect()
    }

    fn write(&self, key: &Key) -> Option<Written> {
        list(self, key.axes, |_| OBSTACLE)
    }
}

/// The defaults of a table that follows `number` others.
fn path(number: usize) -> Path {
    Path { name: format!("path{number}"), points: Vec::new(), closed: false, shown: true }
}

/// Fails if no file could have these paths.
pub fn check_paths(paths: &[Path]) -> Result<(), String> {
    (1..=paths.len()).try_for_each(|count| check_last(&paths[..count]))
}

/// Fails if the last path cannot follow the others.
fn check_last(paths: &[Path]) -> Result<(), String> {
    let Some((path, others)) = paths.split_last() else { return Ok(()) };
    let first = path.points.first().copied();
    if path.points.iter().all(|point| Some(*point) == first) {
        return Err("a path needs `points`, at least two different ones".into());
    }
    if path.name == "nearest" || others.iter().any(|known| known.name == path.name) {
        return Err(format!("the name {} is taken; choose another", quoted(&path.name)));
    }
    if paths.iter().map(|path| path.points.len()).sum::<usize>() > MOST_POINTS {
        return Err(format!("all paths have at most {MOST_POINTS} points in total"));
    }
    Ok(())
}

impl Field for Vec<Path> {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let mut paths = Self::new();
        for table in value.items() {
            let mut path = path(paths.len());
            path.read_table(&table)?;
            paths.push(path);
            check_last(&paths).map_err(|problem| table.fail(problem))?;
        }
        Ok(paths)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        list(self, key.axes, path)
    }
}

impl Field for FlowPlan {
    fn read(table: &Reader, _: &Key) -> Result<Self, SceneError> {
        let mut plan = Self::default();
        plan.read_table(table)?;
        let from_file = plan.kind == FlowKind::File;
        let wanted = || {
            let (header, grid) = if table.axes() == 2 {
                ("x,y", "columns and rows, as in grid = [32, 18]")
            } else {
                ("x,y,z", "columns, rows and layers, as in grid = [32, 18, 12]")
            };
            format!(
                "`file` names a CSV file with the header `{header}` and a row for each cell, and `grid` \
                 has its {grid}"
            )
        };
        if from_file && (plan.file.is_none() || plan.grid[0] == 0) {
            return Err(
                table.fail(format!("kind = \"file\" needs `file` and `grid`: {}", wanted()))
            );
        }
        if !from_file && (plan.file.is_some() || plan.grid[0] > 0) {
            return Err(table.fail(format!(
                "`file` and `grid` belong to kind = \"file\": {}; set all three, or remove them",
                wanted()
            )));
        }
        let cells = plan.file_cells();
        if cells > MOST_FILE_CELLS {
            return Err(table.fail(format!(
                "grid = {} has {cells} cells, and {MOST_FILE_CELLS} are the most there can be",
                plan.grid_text()
            )));
        }
        Ok(plan)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        Some(Written::Table(Form::Headed, self.entries(&Self::default(), key.axes)))
    }
}
