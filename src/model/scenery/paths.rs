//! Paths: polylines that agents follow.

use std::borrow::Cow;

use super::{CellLists, SpatialIndex};
use crate::parallel::each;
use crate::real::Real;
use crate::vector::{DIMENSIONS, Point, Vector, components};
use crate::world::{Boundary, World};

/// The most cells in an index of segments.
const MAX_CELLS: usize = 1 << 16;

/// Cells per segment, images included. Lists then have about eight segments, and a cell is as wide
/// as the group of agents that the CPU steers at a time. (With 32, lists are half as long, but
/// joining them costs more.)
const CELLS_PER_SEGMENT: usize = 4;

/// The fewest cells.
const MIN_CELLS: usize = 1024;

/// The most entries of all lists together, per segment, images included, as long as cells can be
/// widened. Evenly spread segments take about 64: half in the lists of all paths, half in the lists of
/// single paths.
const MAX_ENTRIES_PER_SEGMENT: usize = 128;

/// The least value of that limit, even for few segments.
const MIN_ENTRIES: usize = 1 << 16;

/// The largest value of that limit: 80 MiB.
const MAX_ENTRIES: usize = 1 << 22;

/// Segments are first selected for at most this many blocks of cells; each block examines all
/// segments.
const MIN_BLOCKS: u32 = 16;

/// A polyline.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Name in the scene file.
    pub name: String,
    /// World units; at least two.
    pub points: Vec<Point>,
    /// True if the last point connects to the first.
    pub closed: bool,
    /// True if pictures show it.
    pub shown: bool,
}

impl Path {
    /// Its segments, in order.
    pub fn segments(&self) -> impl Iterator<Item = Segment> + '_ {
        let back = self.points.last().zip(self.points.first()).filter(|_| self.closed);
        let lines = self.points.windows(2).map(|pair| (&pair[0], &pair[1])).chain(back);
        lines.map(|(from, to)| Segment { from: *from, to: *to })
    }
}

/// A piece of a path. A segment of length zero is a point, without direction.
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
    #[doc(hidden)]
    pub fn nearest<R: Real, const D: usize>(&self, p: Vector<R, D>) -> Vector<R, D> {
        let like = p.0[0];
        let (zero, one) = (like.constant(0.0), like.constant(1.0));
        let from = Vector::constant(zero, self.from);
        let way = self.way(zero);
        let squared = way.dot(way);
        let part = ((p - from).dot(way) / squared).max(zero).min(one);
        from + way * part.where_or(zero.less_than(squared), zero)
    }

    /// The vector from one end to the other, with as many lanes as `like`.
    #[inline(always)]
    pub fn way<R: Real, const D: usize>(&self, like: R) -> Vector<R, D> {
        Vector::constant(like, self.to) - Vector::constant(like, self.from)
    }

    fn distance(&self, p: Point) -> f32 {
        let p = Vector::<f32, DIMENSIONS>(components(p));
        (self.nearest(p) - p).length()
    }

    fn moved(&self, by: Point) -> Self {
        Self { from: self.from + by, to: self.to + by }
    }
}

/// For each cell the segments that may be nearest to a place in it, for each path and for all
/// paths.
///
/// In a wrapped world segments have images across the seams, and the cells extend beyond the world
/// by the distance that agents look ahead. So distances need no wrapping.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// The cells.
    pub index: SpatialIndex,
    /// For each cell the segments that may be nearest to a place in it, in the order of the scene.
    /// The lists of all paths together come first: one per cell, and one for everywhere else. Then
    /// each path has the same set of lists.
    pub cells: CellLists<Segment>,
}

impl Paths {
    /// Sorts the `paths` into cells that extend `ahead` world units beyond the `world`.
    #[must_use]
    pub fn within(world: &World, paths: &[Path], ahead: f32) -> Self {
        if paths.is_empty() {
            return Self::default();
        }
        let ahead = world.on_axes(ahead);
        let (mut low, mut high) = (-ahead, world.size + ahead);
        if world.boundary == Boundary::Open {
            for point in paths.iter().flat_map(|path| &path.points) {
                low = low.min(*point - ahead);
                high = high.max(*point + ahead);
            }
        }
        let each: Vec<Vec<Segment>> =
            paths.iter().map(|path| images(world, path, low, high)).collect();
        let all = each.concat();
        let most = (all.len() * MAX_ENTRIES_PER_SEGMENT).clamp(MIN_ENTRIES, MAX_ENTRIES);
        let wanted = (all.len() * CELLS_PER_SEGMENT).clamp(MIN_CELLS, MAX_CELLS);
        // Every path has a list per cell, even far away from it.
        let mut cells = wanted.min(most / (each.len() + 1)).max(1) as u32;
        loop {
            let index = SpatialIndex::over(low, high, 0.0, cells);
            // If many segments are almost equally near, wider cells limit the number of entries.
            if let Some(lists) = lists(&index, &each, &all, most) {
                return Self { index, cells: CellLists::of(&all, &lists) };
            }
            cells = (cells / 4).max(1);
        }
    }

    /// Index of the candidate list at a position, for path `path`, or for all paths if negative.
    #[inline]
    fn list(&self, path: f32, place: Point) -> usize {
        let cells = self.index.cells();
        let set = (path + 1.0) as usize;
        set * (cells + 1) + self.index.cell(place).unwrap_or(cells)
    }

    /// The segments that may be nearest to the place of any of several agents: of path number
    /// `path`, or of all paths if it is negative. Only agents with `followed == path` and a
    /// positive `weight` count.
    #[inline]
    #[must_use]
    pub fn candidates<R: Real, const D: usize>(
        &self,
        path: f32,
        place: &Vector<R, D>,
        followed: &R,
        weight: &R,
    ) -> Cow<'_, [Segment]> {
        let follows = followed.numbers().iter().zip(weight.numbers());
        let places = place.points().zip(follows);
        let asked = places.filter(|(_, (followed, weight))| **followed == path && **weight > 0.0);
        self.cells.joined(asked.map(|(place, _)| self.list(path, place)))
    }

    /// Number of values of `path`: −1 (all paths), 0, 1, …
    #[must_use]
    pub fn choices(&self) -> usize {
        self.cells.start.len() / (self.index.cells() + 1)
    }
}

/// The lists of all paths together, then the lists of each path; `None` if they have more than `most`
/// entries and there is more than one cell.
fn lists(
    index: &SpatialIndex,
    each: &[Vec<Segment>],
    all: &[Segment],
    most: usize,
) -> Option<Vec<Vec<u32>>> {
    let most = if index.cells() == 1 { usize::MAX } else { most };
    let numbers: Vec<u32> = (0..all.len() as u32).collect();
    let mut lists = sorted_into(index, all, &numbers, most)?;
    let mut entries = lists.iter().map(Vec::len).sum::<usize>();
    let mut first = 0;
    for segments in each {
        let own = &numbers[first..first + segments.len()];
        let sorted = sorted_into(index, all, own, most)?;
        entries += sorted.iter().map(Vec::len).sum::<usize>();
        if entries > most {
            return None;
        }
        lists.extend(sorted);
        first += segments.len();
    }
    Some(lists)
}

/// The segments of a path. In a wrapped world they include all images that may be nearest to a
/// place in the rectangle from `low` to `high`.
fn images(world: &World, path: &Path, low: Point, high: Point) -> Vec<Segment> {
    if world.boundary != Boundary::Wrap {
        return path.segments().collect();
    }
    let size = world.size;
    let mut images = Vec::new();
    for segment in path.segments() {
        let (first, last) = (segment.from.min(segment.to), segment.from.max(segment.to));
        // The image nearest to a place is at most half a world away from it.
        let least = ((low - size * 0.5 - last) / size).ceil();
        let most = ((high + size * 0.5 - first) / size).floor();
        let steps = |axis: usize| {
            // A plane has no images above it.
            let single = size[axis] == 0.0;
            let (least, most) = if single { (0.0, 0.0) } else { (least[axis], most[axis]) };
            std::iter::successors(Some(least), |step| Some(step + 1.0))
                .take_while(move |step| *step <= most)
        };
        for layer in steps(2) {
            for row in steps(1) {
                for column in steps(0) {
                    images.push(segment.moved(Point::new(column, row, layer) * size));
                }
            }
        }
    }
    images
}

/// For each cell the numbers of the segments that may be nearest to a place in it; at the end all
/// segments, for places outside. `None` if the cells have more than `most` entries.
///
/// Segments are selected for large blocks of cells first, then for smaller and smaller ones. Each
/// block selects from its parent's segments, so no cell examines all segments, and an excess of
/// entries shows early.
fn sorted_into(
    index: &SpatialIndex,
    segments: &[Segment],
    numbers: &[u32],
    most: usize,
) -> Option<Vec<Vec<u32>>> {
    let blocks = |side: u32| index.cells_along.map(|cells| cells.div_ceil(side));
    let count = |side: u32| blocks(side).iter().product::<u32>();
    let cell = index.cell_size();
    // The rounding of a coordinate depends on its size, not on the distance.
    let corner = index.origin.abs().max(index.corner().abs());
    let rounding = corner.max_element() * 4.0 * f32::EPSILON;
    let may_be_nearest = |middle: Point, diagonal: f32, numbers: &[u32]| -> Vec<u32> {
        let distance = |number: &u32| segments[*number as usize].distance(middle);
        let distances: Vec<f32> = numbers.iter().map(distance).collect();
        let nearest = distances.iter().copied().fold(f32::MAX, f32::min);
        // A place in the block is at most half the diagonal from its middle. There the segment
        // nearest to the middle may be farther by half the diagonal, and another may be nearer by
        // as much. The factor and the sum cover rounding.
        let limit = (nearest + diagonal) * 1.001 + rounding;
        let near = numbers.iter().zip(distances).filter(|(_, distance)| *distance <= limit);
        near.map(|(number, _)| *number).collect()
    };
    let mut side = 1;
    while count(side) > MIN_BLOCKS {
        side *= 2;
    }
    let mut around = 2 * side;
    let mut picked = vec![numbers.to_vec(); count(around) as usize];
    loop {
        let [columns, rows, _] = blocks(side);
        let [parents, lines, _] = blocks(around);
        let half = Point::splat((side - 1) as f32 * 0.5) * cell;
        let diagonal = side as f32 * cell.length();
        let lists = each(count(side) as usize, &|block| {
            let block = block as u32;
            let (column, line) = (block % columns, block / columns);
            let first = [column, line % rows, line / rows].map(|index| index * side);
            let [column, row, layer] = first.map(|index| index / around);
            let parent = (layer * lines + row) * parents + column;
            let middle = index.middle(first) + half;
            may_be_nearest(middle, diagonal, &picked[parent as usize])
        });
        if lists.iter().map(Vec::len).sum::<usize>() > most {
            return None;
        }
        picked = lists;
        if side == 1 {
            picked.push(numbers.to_vec());
            return Some(picked);
        }
        (around, side) = (side, side / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, unit};
    use crate::vector::flat;

    #[test]
    fn the_nearest_point_is_that_of_all_segments() {
        for boundary in [Boundary::Wrap, Boundary::Walls, Boundary::Open] {
            let world = World { size: flat(300.0, 200.0), boundary };
            let random = |i: u32, purpose| unit(4, i, 0, purpose);
            let corner = |i| flat(random(i, Purpose::SpawnX), random(i, Purpose::SpawnY));
            let points: Vec<Point> = (0..60).map(|i| corner(i) * world.size).collect();
            let second =
                Path { name: "q".into(), points: points[..5].to_vec(), closed: true, shown: true };
            let all = [Path { name: "p".into(), points, closed: false, shown: true }, second];
            let paths = Paths::within(&world, &all, 40.0);
            let mut candidates = 0;
            for i in 0..3000 {
                let spread = flat(random(i, Purpose::TargetX), random(i, Purpose::TargetY));
                let p = (spread - 0.5) * (world.size + 70.0) + world.size * 0.5;
                for choice in [-1.0, 0.0, 1.0] {
                    let place = Vector(p.to_array());
                    let near = paths.candidates(choice, &place, &choice, &1.0);
                    candidates += near.len();
                    let found = near.iter().map(|segment| f64::from(segment.distance(p)));
                    let found = found.fold(f64::MAX, f64::min);
                    let chosen = all.iter().enumerate();
                    let chosen = chosen.filter(|(i, _)| choice < 0.0 || *i == choice as usize);
                    let mut expected = f64::MAX;
                    for segment in chosen.flat_map(|(_, path)| path.segments()) {
                        for (column, row) in (-2..=2).flat_map(|c| (-2..=2).map(move |r| (c, r))) {
                            if boundary != Boundary::Wrap && (column, row) != (0, 0) {
                                continue;
                            }
                            let by = flat(column as f32, row as f32) * world.size;
                            expected = expected.min(f64::from(segment.moved(by).distance(p)));
                        }
                    }
                    let off = (found - expected).abs();
                    assert!(off < 1e-3, "{boundary:?}: {found} for {expected}");
                }
            }
            // There are 65 segments, and nine times as many in a wrapped world.
            assert!(candidates < 9000 * 20, "{candidates} looked at");
        }
    }

    #[test]
    fn a_segment_without_length_is_a_point() {
        let segment = Segment { from: flat(3.0, 4.0), to: flat(3.0, 4.0) };
        assert_eq!(segment.nearest(Vector([0.0, 0.0])), Vector([3.0, 4.0]));
    }
}
