//! A spatial index: cells over a rectangle, each with a list of items.

use std::borrow::Cow;

use crate::model::vector::Point;

/// Cells are wider than their share of the rectangle by this factor: eight roundings.
const EDGE: f32 = 1e-6;

/// Cells of equal size over a rectangle that may begin anywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialIndex {
    /// Lower left corner; world units.
    pub origin: Point,
    /// Cells per world unit, on each axis.
    pub cells_per_unit: Point,
    /// Cells in a row.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
}

impl SpatialIndex {
    /// An index without cells.
    pub const EMPTY: Self =
        Self { origin: Point::ZERO, cells_per_unit: Point::ZERO, columns: 0, rows: 0 };

    /// Cells with sides of about `side` over the rectangle from `low` to `high`; at most `most`
    /// cells.
    #[must_use]
    pub fn over(low: Point, high: Point, side: f32, most: u32) -> Self {
        let extent = (high - low).max(Point::splat(1e-3));
        let smallest = (extent.x / most as f32 * extent.y).sqrt();
        let side = side.max(smallest);
        let across = |length: f32| (length / side).ceil().clamp(1.0, most as f32) as u32;
        let (columns, rows) = (across(extent.x), across(extent.y));
        // Slightly wider than their share, so that rounding does not put positions on the upper
        // edges past the last cells.
        let cells_per_unit = Point::new(columns as f32, rows as f32) / extent * (1.0 - EDGE);
        Self { origin: low, cells_per_unit, columns, rows }
    }

    /// Number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// Width and height of a cell.
    #[must_use]
    pub fn cell_size(&self) -> Point {
        Point::ONE / self.cells_per_unit
    }

    /// Columns and rows, as a point.
    #[must_use]
    pub fn corner(&self) -> Point {
        Point::new(self.columns as f32, self.rows as f32)
    }

    /// Middle of the cell in `column` and `row`.
    #[must_use]
    pub fn middle(&self, column: u32, row: u32) -> Point {
        let steps = Point::new(column as f32 + 0.5, row as f32 + 0.5);
        self.origin + steps / self.cells_per_unit
    }

    /// The number of the cell at a position, row by row from the bottom; `None` outside.
    #[inline]
    #[must_use]
    pub fn cell(&self, place: Point) -> Option<usize> {
        let Point { x: column, y: row } = (place - self.origin) * self.cells_per_unit;
        let (columns, rows) = (self.columns as f32, self.rows as f32);
        // Also false for NaN.
        let inside = column >= 0.0 && row >= 0.0 && column <= columns && row <= rows;
        if !inside || self.columns == 0 {
            return None;
        }
        let column = (column as u32).min(self.columns - 1);
        let row = (row as u32).min(self.rows - 1);
        Some((row * self.columns + column) as usize)
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
const MOST_JOINED: usize = 16;

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
        let mut distinct = [usize::MAX; MOST_JOINED];
        let mut count = 0;
        for list in lists {
            // Adjacent lanes mostly have the same list.
            let known = distinct[..count].iter().rev().any(|other| *other == list);
            if !known && count < MOST_JOINED {
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
