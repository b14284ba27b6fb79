//! The rows of the last tick that one process keeps, filled array by array.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Range;

use super::arrays::{Archive, Shape, each_float, each_whole};
use crate::io::table::{MAX_TICK, Part, StateRow, Ticks};
use crate::io::{Result, bail, ensure};
use crate::memory::Memory;
use crate::scene::MAX_AGENTS;

/// The ticks of a file, and the rows of the last one.
pub struct TickRows {
    /// The columns that the table wants.
    pub ticks: Ticks,
    /// All ticks.
    pub all: BTreeSet<u64>,
    /// The rows of the last.
    last: Vec<Range<u64>>,
    /// Bytes of the file. Neither ticks nor the agents of one are repeated, so each takes a byte at least,
    /// however well the file is compressed.
    bytes: u64,
}

impl TickRows {
    /// Reads the array `tick`; without it all rows are of tick 0.
    pub fn read(archive: &mut Archive<'_>, bytes: u64, row_each: Shape<'_>) -> Result<Self> {
        let (ticks, all) = (Ticks::default(), BTreeSet::new());
        let mut own = Self { ticks, all, last: Vec::new(), bytes };
        let there = each_whole(archive, "tick", MAX_TICK, Some(row_each), &mut |row, tick| {
            own.see(row, tick)
        })?;
        if !there {
            let count = row_each.sides.first().copied().unwrap_or_default();
            own.check(count, "agents")?;
            (0..count).try_for_each(|row| own.see(row, 0))?;
        }
        own.check(own.ticks.rows, "agents in its last tick")?;
        Ok(own)
    }

    /// Fails if the file cannot hold so many different things. Nothing is kept of more.
    fn check(&self, count: u64, what: &str) -> Result<()> {
        let bytes = self.bytes;
        ensure!(
            count <= bytes,
            "a file of {bytes} bytes does not hold {count} {what}; write the file again"
        );
        Ok(())
    }

    fn see(&mut self, row: u64, tick: u64) -> Result<()> {
        let begins = match self.ticks.see(tick)? {
            Ordering::Less => {
                self.all.insert(tick);
                return self.check(self.all.len() as u64, "ticks");
            }
            Ordering::Greater => {
                self.last.clear();
                true
            }
            Ordering::Equal => self.last.last().is_none_or(|range| range.end < row),
        };
        match self.last.last_mut().filter(|_| !begins) {
            Some(range) => range.end = row + 1,
            None => {
                self.all.insert(tick);
                self.last.push(row..row + 1);
            }
        }
        self.check((self.last.len() as u64).max(self.all.len() as u64), "ticks and agents")
    }

    /// Reads the ids. Keeps the agents of a part of the last tick.
    pub fn agents(&self, archive: &mut Archive<'_>, part: Part) -> Result<OwnRows> {
        let mut own = OwnRows { rows: Vec::new(), next: 0 };
        let mut ranges = self.last.iter().cloned().peekable();
        each_whole(archive, "id", MAX_AGENTS - 1, None, &mut |place, id| {
            while ranges.next_if(|range| range.end <= place).is_some() {}
            let id = id as u32;
            if ranges.peek().is_some_and(|range| range.contains(&place)) && part.has(id) {
                own.rows.push(StateRow { place, id, ..StateRow::default() });
            }
            Ok(())
        })?;
        Ok(own)
    }
}

/// The rows of a process.
pub struct OwnRows {
    /// In the order of the file.
    pub rows: Vec<StateRow>,
    /// The row that is expected next.
    next: usize,
}

impl OwnRows {
    /// The own row at a place of the file. Places ascend, again and again.
    fn at(&mut self, place: u64) -> Option<&mut StateRow> {
        let passed = self.next.checked_sub(1).and_then(|before| self.rows.get(before));
        if passed.is_some_and(|row| place <= row.place) {
            self.next = 0;
        }
        while self.rows.get(self.next).is_some_and(|row| row.place < place) {
            self.next += 1;
        }
        self.rows.get_mut(self.next).filter(|row| row.place == place)
    }

    /// Reads an array of whole numbers, if the archive has it.
    pub fn each(
        &mut self,
        archive: &mut Archive<'_>,
        name: &str,
        most: u64,
        row_each: Shape<'_>,
        put: &mut dyn FnMut(&mut StateRow, u64),
    ) -> Result<()> {
        each_whole(archive, name, most, Some(row_each), &mut |place, value| {
            if let Some(row) = self.at(place) {
                put(row, value);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Reads the angles that agents remember.
    pub fn angles(&mut self, archive: &mut Archive<'_>, row_each: Shape<'_>) -> Result<()> {
        each_float(archive, "angle", row_each, &mut |place, angle| {
            if !(-0.5..=0.5).contains(&angle) {
                bail!("row {place}: angle is {angle}, expected a number of turns from -0.5 to 0.5");
            }
            if let Some(row) = self.at(place) {
                row.memory = Memory::new(angle, row.memory.shown() as f32);
            }
            Ok(())
        })
    }

    /// Reads an array of floating-point numbers, one or several for each row. `put` gets the row, the place
    /// among its numbers, and the number.
    pub fn floats(
        &mut self,
        archive: &mut Archive<'_>,
        name: &str,
        shape: Shape<'_>,
        put: impl Fn(&mut StateRow, usize, f32),
    ) -> Result<()> {
        let each = shape.sides.get(1).copied().unwrap_or(1).max(1);
        each_float(archive, name, shape, &mut |place, number| {
            if let Some(row) = self.at(place / each) {
                put(row, (place % each) as usize, number);
            }
            Ok(())
        })
    }
}
