//! Paths: polylines that agents follow.

use rayon::prelude::*;

use std::borrow::Cow;

use super::{CellLists, Raster};
use crate::model::behaviours::Kind;
use crate::model::real::Real;
use crate::model::scene::Scene;
use crate::model::vector::{Point, Vector};
use crate::model::world::Boundary;

/// Most cells that a path's segments are sorted into.
const MOST_CELLS: u32 = 1 << 16;

/// Cells for each segment, images included: lists of about eight, and cells as wide as a group of
/// agents that the CPU steers at a time (with 32 lists are half as long, and joining them costs more).
const CELLS_PER_SEGMENT: usize = 4;

/// Most entries of all lists together, where cells can still be made wider: 64 MiB.
const MOST_LISTED: usize = 1 << 22;

/// Fewest cells.
const FEWEST_CELLS: usize = 1024;

/// Cells across a block, whose segments are picked first, so that a cell need not ask all.
const BLOCK: u32 = 8;

/// A line of segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Name in the scene file.
    pub name: String,
    /// World units; two at least.
    pub points: Vec<Point>,
    /// True when the last point leads back to the first.
    pub closed: bool,
}

impl Path {
    /// Its segments, in order.
    pub fn segments(&self) -> impl Iterator<Item = Segment> + '_ {
        let back = self.closed.then(|| [self.points[self.points.len() - 1], self.points[0]]);
        let lines = self.points.windows(2).map(|pair| [pair[0], pair[1]]).chain(back);
        lines.map(|[from, to]| Segment { from, to })
    }
}

/// A piece of a path. Of length zero it is a point without direction.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Segment {
    /// World units.
    pub from: Point,
    /// World units.
    pub to: Point,
}

impl Segment {
    /// The point of the segment that is nearest to `p`.
    #[inline(always)]
    #[must_use]
    pub fn nearest<R: Real>(&self, p: Vector<R>) -> Vector<R> {
        let (zero, one) = (p.x.constant(0.0), p.x.constant(1.0));
        let from = Vector::constant(zero, self.from);
        let way = self.way(zero);
        let squared = way.dot(way);
        let part = ((p - from).dot(way) / squared).max(zero).min(one);
        from + way * part.where_or(zero.less_than(squared), zero)
    }

    /// From one end to the other, in the shape of `like`.
    #[inline(always)]
    pub fn way<R: Real>(&self, like: R) -> Vector<R> {
        Vector::constant(like, self.to) - Vector::constant(like, self.from)
    }

    fn distance(&self, p: Point) -> f32 {
        let p = Vector { x: p.x, y: p.y };
        (self.nearest(p) - p).length()
    }

    fn moved(&self, by: Point) -> Self {
        Self { from: self.from + by, to: self.to + by }
    }
}

/// The segments that may be nearest to a place, cell by cell, for each path and for all of them.
///
/// In a wrapped world the segments are there once for each side of the seam that matters, and the
/// cells reach as far beyond the world as agents look: a distance is a plain one.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The cells.
    pub raster: Raster,
    /// The segments that may be nearest to some place in a cell, in the order of the scene. First
    /// those of all paths, for each cell and then for everywhere else, then the same for each path.
    pub cells: CellLists<Segment>,
}

impl Paths {
    /// The paths of a scene, if a species follows any.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let kind = Kind::FollowPath;
        let rules = scene.species.iter().filter(|species| species.rule(kind).is_some());
        let ahead = rules.map(|species| species.range(kind, "lookahead").1).reduce(f32::max);
        let Some(ahead) = ahead.filter(|_| !scene.paths.is_empty()) else {
            return Self { raster: Raster::EMPTY, cells: CellLists::default() };
        };
        let mut low = Point::splat(-ahead);
        let mut high = scene.world.size + ahead;
        if scene.world.boundary == Boundary::Open {
            for point in scene.paths.iter().flat_map(|path| &path.points) {
                low = low.min(*point - ahead);
                high = high.max(*point + ahead);
            }
        }
        let each: Vec<Vec<Segment>> =
            scene.paths.iter().map(|path| images(scene, path, low, high)).collect();
        let segments: usize = each.iter().map(Vec::len).sum();
        let all = each.concat();
        let mut cells =
            (segments * CELLS_PER_SEGMENT).clamp(FEWEST_CELLS, MOST_CELLS as usize) as u32;
        loop {
            let raster = Raster::over(low, high, 0.0, cells);
            let lists = lists(&raster, &each, &all);
            // Where thousands of segments are about as near, fewer cells keep the lists together
            // within bounds.
            if cells == 1 || lists.iter().map(Vec::len).sum::<usize>() <= MOST_LISTED {
                return Self { raster, cells: CellLists::of(&all, &lists) };
            }
            cells = (cells / 4).max(1);
        }
    }

    /// Which list holds the segments that may be nearest to a place, of path number `path` or of all
    /// (negative).
    #[inline]
    fn list(&self, path: f32, x: f32, y: f32) -> usize {
        let cells = self.raster.cells();
        let set = (path + 1.0) as usize;
        set * (cells + 1) + self.raster.cell(x, y).unwrap_or(cells)
    }

    /// The segments that may be nearest to one of several places, of path number `path` or of all
    /// (negative): those of the agents with a `weight` that follow this path.
    #[inline]
    #[must_use]
    pub fn candidates<R: Real>(
        &self,
        path: f32,
        place: &Vector<R>,
        followed: &R,
        weight: &R,
    ) -> Cow<'_, [Segment]> {
        let follows = followed.numbers().iter().zip(weight.numbers());
        let places = place.x.numbers().iter().zip(place.y.numbers()).zip(follows);
        let asked = places.filter(|(_, (followed, weight))| **followed == path && **weight > 0.0);
        self.cells.joined(asked.map(|((x, y), _)| self.list(path, *x, *y)))
    }

    /// How many paths there are to choose from, all of them at once included: `-1` to this less 2.
    #[must_use]
    pub fn choices(&self) -> usize {
        self.cells.start.len() / (self.raster.cells() + 1)
    }
}

/// The lists of all paths together, and then of each.
fn lists(raster: &Raster, each: &[Vec<Segment>], all: &[Segment]) -> Vec<Vec<u32>> {
    let numbers: Vec<u32> = (0..all.len() as u32).collect();
    let mut lists = sorted_into(raster, all, &numbers);
    let mut first = 0;
    for segments in each {
        let own = &numbers[first..first + segments.len()];
        lists.extend(sorted_into(raster, all, own));
        first += segments.len();
    }
    lists
}

/// The segments of a path, in a wrapped world with their images round the rectangle from `low` to
/// `high`.
fn images(scene: &Scene, path: &Path, low: Point, high: Point) -> Vec<Segment> {
    if scene.world.boundary != Boundary::Wrap {
        return path.segments().collect();
    }
    let size = scene.world.size;
    let mut images = Vec::new();
    for segment in path.segments() {
        let (first, last) = (segment.from.min(segment.to), segment.from.max(segment.to));
        // The image nearest to a place is at most half a world away from it.
        let least = ((low - size * 0.5 - last) / size).ceil();
        let most = ((high + size * 0.5 - first) / size).floor();
        let mut row = least.y;
        while row <= most.y {
            let mut column = least.x;
            while column <= most.x {
                images.push(segment.moved(Point::new(column, row) * size));
                column += 1.0;
            }
            row += 1.0;
        }
    }
    images
}

/// For each cell the numbers of the segments that may be nearest to some place in it, and at the end
/// all of them, for places outside.
fn sorted_into(raster: &Raster, segments: &[Segment], numbers: &[u32]) -> Vec<Vec<u32>> {
    let blocks = (raster.columns.div_ceil(BLOCK), raster.rows.div_ceil(BLOCK));
    let diagonal = raster.cell_size().length();
    let half_block = Point::splat((BLOCK - 1) as f32 * 0.5) * raster.cell_size();
    let may_be_nearest = |middle: Point, diagonal: f32, numbers: &[u32]| -> Vec<u32> {
        let distance = |number: &u32| segments[*number as usize].distance(middle);
        let distances: Vec<f32> = numbers.iter().map(distance).collect();
        let nearest = distances.iter().copied().fold(f32::MAX, f32::min);
        // Places of the cell are half of its diagonal away: from the nearest segment, and from one
        // that may be nearer there. A hair more, for rounding.
        let limit = (nearest + diagonal) * 1.001;
        let near = numbers.iter().zip(distances).filter(|(_, distance)| *distance <= limit);
        near.map(|(number, _)| *number).collect()
    };
    let picked: Vec<Vec<u32>> = (0..blocks.0 * blocks.1)
        .into_par_iter()
        .map(|block| {
            let corner = raster.middle(block % blocks.0 * BLOCK, block / blocks.0 * BLOCK);
            may_be_nearest(corner + half_block, BLOCK as f32 * diagonal, numbers)
        })
        .collect();
    let mut lists: Vec<Vec<u32>> = (0..raster.cells() as u32)
        .into_par_iter()
        .map(|cell| {
            let (column, row) = (cell % raster.columns, cell / raster.columns);
            let block = row / BLOCK * blocks.0 + column / BLOCK;
            may_be_nearest(raster.middle(column, row), diagonal, &picked[block as usize])
        })
        .collect();
    lists.push(numbers.to_vec());
    lists
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::random::{Use, unit};

    #[test]
    fn the_nearest_point_is_that_of_all_segments() {
        for boundary in ["wrap", "walls", "open"] {
            let text = format!(
                "world = {{ size = [300, 200], boundary = \"{boundary}\" }}\n\
                 [species.a.follow_path]\nlookahead = 40\n[[paths]]\nname = \"p\"\n\
                 points = [[0, 0], [1, 1]]"
            );
            let mut scene = Scene::parse("test", &text, &[]).unwrap();
            let random = |i: u32, purpose| unit(4, i, 0, purpose);
            scene.paths[0].points = (0..60)
                .map(|i| Point::new(random(i, Use::SpawnX), random(i, Use::SpawnY)))
                .map(|p| p * scene.world.size)
                .collect();
            let second = Path { name: "q".into(), closed: true, ..scene.paths[0].clone() };
            scene.paths.push(Path { points: second.points[..5].to_vec(), ..second });
            let paths = Paths::of(&scene);
            let mut candidates = 0;
            for i in 0..3000 {
                let spread = Point::new(random(i, Use::TargetX), random(i, Use::TargetY));
                let p = (spread - 0.5) * (scene.world.size + 70.0) + scene.world.size * 0.5;
                for choice in [-1.0, 0.0, 1.0] {
                    let place = Vector { x: p.x, y: p.y };
                    let near = paths.candidates(choice, &place, &choice, &1.0);
                    candidates += near.len();
                    let found = near.iter().map(|segment| f64::from(segment.distance(p)));
                    let found = found.fold(f64::MAX, f64::min);
                    let chosen = scene.paths.iter().enumerate();
                    let chosen = chosen.filter(|(i, _)| choice < 0.0 || *i == choice as usize);
                    let mut expected = f64::MAX;
                    for segment in chosen.flat_map(|(_, path)| path.segments()) {
                        for (column, row) in (-2..=2).flat_map(|c| (-2..=2).map(move |r| (c, r))) {
                            if boundary != "wrap" && (column, row) != (0, 0) {
                                continue;
                            }
                            let by = Point::new(column as f32, row as f32) * scene.world.size;
                            expected = expected.min(f64::from(segment.moved(by).distance(p)));
                        }
                    }
                    assert!((found - expected).abs() < 1e-3, "{boundary}: {found} for {expected}");
                }
            }
            // 65 segments, and nine times as many in a wrapped world.
            assert!(candidates < 9000 * 20, "{candidates} looked at");
        }
    }

    #[test]
    fn a_segment_without_length_is_a_point() {
        let segment = Segment { from: Point::new(3.0, 4.0), to: Point::new(3.0, 4.0) };
        assert_eq!(segment.nearest(Vector { x: 0.0, y: 0.0 }), Vector { x: 3.0, y: 4.0 });
    }
}
