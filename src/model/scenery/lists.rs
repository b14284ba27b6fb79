//! A spatial index: cells over a rectangle or a box, each with a list of items.

use std::borrow::Cow;

use crate::vector::Point;

/// Cells are wider than their share of the box by this factor: eight roundings.
const EDGE: f32 = 1e-6;

/// Cells of equal size over a rectangle or a box that may begin anywhere; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpatialIndex {
    /// Lowest corner; world units.
    pub origin: Point,
    /// Cells per world unit, on each axis; 0 on the third axis of a plane.
    pub cells_per_unit: Point,
    /// Cells along each axis: columns, rows and layers. A plane has one layer.
    pub cells_along: [u32; 3],
}

impl SpatialIndex {
    /// Cells with sides of about `side` between the corners `low` and `high`; at most `most` cells.
    /// Corners of one height make a plane.
    #[must_use]
    pub fn over(low: Point, high: Point, side: f32, most: u32) -> Self {
        let flat = low.z == high.z;
        let extent = (high - low).max(Point::splat(1e-3));
        let smallest = if flat {
            (extent.x / most as f32 * extent.y).sqrt()
        } else {
            (extent.x / most as f32 * extent.y * extent.z).cbrt()
        };
        let mut side = side.max(smallest);
        loop {
            let across = |length: f32| (length / side).ceil().clamp(1.0, most as f32) as u32;
            let layers = if flat { 1 } else { across(extent.z) };
            // Slightly wider than their share, so that rounding does not put positions on the upper edges past
            // the last cells.
            let cells_along = [across(extent.x), across(extent.y), layers];
            let mut index = Self { origin: low, ..Self::whole(cells_along, extent) };
            index.cells_per_unit *= 1.0 - EDGE;
            if flat {
                index.cells_per_unit.z = 0.0;
            }
            // An axis that is thinner than a cell has one cell all the same, and all axes round up:
            // then there are more cells than the sides promise, and wider ones must do.
            let excess = index.cells() as f64 / f64::from(most);
            if excess <= 1.0 {
                return index;
            }
            side *= excess.cbrt().max(1.001) as f32;
        }
    }

    /// This many cells over a world of `size` that begins at the origin.
    #[must_use]
    pub fn whole(cells_along: [u32; 3], size: Point) -> Self {
        let cells = Point::from_array(cells_along.map(|cells| cells as f32));
        let mut cells_per_unit = cells / size;
        if size.z == 0.0 {
            cells_per_unit.z = 0.0;
        }
        Self { origin: Point::ZERO, cells_per_unit, cells_along }
    }

    /// Number of cells.
    #[must_use]
    #[inline]
    pub fn cells(&self) -> usize {
        self.cells_along.iter().map(|cells| *cells as usize).product()
    }

    /// The indices of all cells, in the order of their numbers: row by row, layer by layer.
    pub fn each_cell(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let [columns, rows, layers] = self.cells_along;
        let lines = (0..layers).flat_map(move |layer| (0..rows).map(move |row| (row, layer)));
        lines.flat_map(move |(row, layer)| (0..columns).map(move |column| [column, row, layer]))
    }

    /// The number of a cell.
    #[must_use]
    #[inline]
    pub fn number(&self, [column, row, layer]: [u32; 3]) -> usize {
        let [columns, rows, _] = self.cells_along.map(|cells| cells as usize);
        (layer as usize * rows + row as usize) * columns + column as usize
    }

    /// `steps` cells in world units; 0 on the third axis of a plane.
    #[inline]
    fn length_of(&self, steps: Point) -> Point {
        let mut length = steps / self.cells_per_unit;
        if self.cells_per_unit.z == 0.0 {
            length.z = 0.0;
        }
        length
    }

    /// Sides of a cell; world units.
    #[must_use]
    #[inline]
    pub fn cell_size(&self) -> Point {
        self.length_of(Point::ONE)
    }

    /// The highest corner; world units.
    #[must_use]
    #[inline]
    pub fn corner(&self) -> Point {
        let cells = Point::from_array(self.cells_along.map(|cells| cells as f32));
        self.origin + self.cell_size() * cells
    }

    /// Middle of a cell; world units.
    #[must_use]
    #[inline]
    pub fn middle(&self, cell: [u32; 3]) -> Point {
        let steps = Point::from_array(cell.map(|index| index as f32 + 0.5));
        self.origin + self.length_of(steps)
    }

    /// The number of the cell at a position; `None` outside. (Asked for each lane.)
    #[inline(always)]
    #[must_use]
    pub fn cell(&self, place: Point) -> Option<usize> {
        let cell = (place - self.origin) * self.cells_per_unit;
        let cells = Point::from_array(self.cells_along.map(|cells| cells as f32));
        // Also false for NaN.
        let inside = cell.cmpge(Point::ZERO).all() && cell.cmple(cells).all();
        if !inside || self.cells_along[0] == 0 {
            return None;
        }
        let [x, y, z] = cell.to_array();
        let [columns, rows, layers] = self.cells_along;
        let within = |index: f32, cells: u32| (index as u32).min(cells - 1);
        Some(self.number([within(x, columns), within(y, rows), within(z, layers)]))
    }
}

/// Several lists of items, stored one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct CellLists<T> {
    /// Start of each list in `items`, and the end of the last one.
    pub start: Vec<u32>,
    /// The items, list by list.
    pub items: Vec<T>,
    /// The index of each entry's item among all items; ascending within a list.
    rank: Vec<u32>,
}

/// The most lists that are joined at a time: one per lane.
const MAX_JOINED: usize = 16;

impl<T> Default for CellLists<T> {
    fn default() -> Self {
        Self { start: vec![0], items: Vec::new(), rank: Vec::new() }
    }
}

impl<T: Copy> CellLists<T> {
    /// Each of `lists` holds indices into `things`, ascending.
    #[must_use]
    pub fn of(things: &[T], lists: &[Vec<u32>]) -> Self {
        let mut start = Vec::with_capacity(lists.len() + 1);
        let mut rank = Vec::new();
        start.push(0);
        for list in lists {
            rank.extend_from_slice(list);
            start.push(rank.len() as u32);
        }
        let items = rank.iter().map(|number| things[*number as usize]).collect();
        Self { start, items, rank }
    }

    /// The union of the first sixteen distinct `lists`: each item once, in the order of the items.
    #[inline]
    #[must_use]
    pub fn joined(&self, lists: impl Iterator<Item = usize>) -> Cow<'_, [T]> {
        let mut distinct = [usize::MAX; MAX_JOINED];
        let mut count = 0;
        for list in lists {
            // Adjacent lanes mostly have the same list.
            let known = distinct[..count].iter().rev().any(|other| *other == list);
            if !known && count < MAX_JOINED {
                distinct[count] = list;
                count += 1;
            }
        }
        match count {
            0 => Cow::Borrowed(&[]),
            1 => Cow::Borrowed(self.list(distinct[0])),
            _ => Cow::Owned(self.merged(&distinct[..count])),
        }
    }

    fn merged(&self, lists: &[usize]) -> Vec<T> {
        let ends = |list: &usize| match self.start.get(*list..list + 2) {
            Some(ends) => ends[0]..ends[1],
            None => 0..0,
        };
        let mut places: Vec<u32> = lists.iter().flat_map(ends).collect();
        places.sort_unstable_by_key(|place| self.rank[*place as usize]);
        places.dedup_by_key(|place| self.rank[*place as usize]);
        places.into_iter().map(|place| self.items[place as usize]).collect()
    }

    /// Number of items in the longest list.
    #[must_use]
    #[inline]
    pub fn longest(&self) -> usize {
        let lengths = self.start.windows(2).map(|ends| ends[1] - ends[0]);
        lengths.max().unwrap_or(0) as usize
    }

    /// The items in list `index`; empty if there is no such list.
    #[inline]
    #[must_use]
    pub fn list(&self, index: usize) -> &[T] {
        match self.start.get(index..index + 2) {
            Some(ends) => &self.items[ends[0] as usize..ends[1] as usize],
            None => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, unit};

    #[test]
    fn an_index_has_no_more_cells_than_it_may_in_a_world_of_any_shape() {
        for world in 0..20_000 {
            let draw = |number| unit(world, number, 0, Purpose::SpawnX);
            // Each side is short, long or between, so that one, two or three axes may be thin.
            let side = |axis: u32| 10.0_f32.powf(draw(axis) * 10.0 - 3.0);
            let thick = if draw(5) < 0.5 { side(2) } else { 0.0 };
            let extent = Point::new(side(0), side(1), thick);
            let most = 2.0_f32.powf(draw(3) * 20.0) as u32;
            let wanted = if draw(6) < 0.2 { 0.0 } else { side(4) };
            let low = (Point::splat(draw(7)) - 0.5) * extent;
            let index = SpatialIndex::over(low, low + extent, wanted, most);
            let (cells, shape) = (index.cells(), index.cells_along);
            assert!((1..=most as usize).contains(&cells), "{shape:?} over {extent}, {most} wanted");
            // Each promise is used: half of it, unless the cells are as small as wanted.
            let widest = index.cell_size().max_element();
            let lengths = extent.to_array().into_iter().filter(|length| *length > wanted);
            let roomy = 2_usize.pow(lengths.count() as u32 + 1);
            assert!(
                cells * roomy >= most as usize || widest <= wanted.max(1e-3) * 1.01,
                "{shape:?}"
            );
        }
    }

    #[test]
    fn joined_lists_hold_everything_once_in_order() {
        let things = ['a', 'b', 'c', 'd', 'e'];
        let lists = CellLists::of(&things, &[vec![1, 3], vec![], vec![0, 3, 4], vec![1]]);
        assert_eq!(lists.list(2), ['a', 'd', 'e']);
        assert!(lists.list(4).is_empty());
        let joined = |all: &[usize]| lists.joined(all.iter().copied()).into_owned();
        assert_eq!(joined(&[0, 2, 0, 3]), ['a', 'b', 'd', 'e']);
        assert_eq!(joined(&[1, 9, 1]), []);
        assert_eq!(joined(&[3]), ['b']);
        assert_eq!(joined(&[]), []);
    }
}
