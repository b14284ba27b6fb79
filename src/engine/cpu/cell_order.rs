//! Puts agents into their cells, in the order of their ids: the first half of the pass `sort`.

/// Members up to which a cell is sorted by insertion, while agents come. Larger cells are sorted
/// afterwards.
const INSERTED: usize = 32;

/// The cells of a band while agents are put into them.
pub struct CellOrder<'a> {
    /// Index of the first place of each cell.
    pub begins: &'a [u32],
    /// The next free place of each cell.
    pub cursor: &'a mut [u32],
    /// The ids, in order.
    pub id: &'a mut [u32],
    /// The index of each agent before the sort.
    pub source: &'a mut [u32],
    /// Large cells that are not in order, some more than once.
    pub large: Vec<usize>,
}

impl CellOrder<'_> {
    /// Puts consecutive agents, from `agent` on, among the agents of their cells, by id. Agents of other
    /// bands are skipped.
    ///
    /// A separate function, so that the compiler keeps the slices in registers.
    #[inline(never)]
    pub fn put_all(&mut self, keys: &[u32], ids: &[u32], first_cell: u32, mut agent: u32) {
        for (keys, ids) in keys.chunks(64).zip(ids.chunks(64)) {
            // The agents after which their cells are not in order, one in each bit. They are few, and
            // the processor would often mispredict a branch for each.
            let mut late = 0_u64;
            for ((key, id), bit) in keys.iter().zip(ids).zip(0..) {
                late |= u64::from(self.put(key.wrapping_sub(first_cell), *id, agent)) << bit;
                agent += 1;
            }
            while late != 0 {
                self.settle((keys[late.trailing_zeros() as usize] - first_cell) as usize);
                late &= late - 1;
            }
        }
    }

    /// Puts an agent behind the others of its cell. True if it belongs before the last of them.
    #[inline(always)]
    fn put(&mut self, cell: u32, id: u32, agent: u32) -> bool {
        let Some(next) = self.cursor.get_mut(cell as usize) else { return false };
        let at = *next as usize;
        *next += 1;
        self.id[at] = id;
        self.source[at] = agent;
        let last = self.id.get(at.wrapping_sub(1)).copied().unwrap_or(0);
        (at > self.begins[cell as usize] as usize) & (last > id)
    }

    /// Brings the members of a cell into order, as many as there are so far; a large cell is noted.
    fn settle(&mut self, cell: usize) {
        let begin = self.begins[cell] as usize;
        let whole = self.begins.get(cell + 1).map_or(self.id.len(), |end| *end as usize);
        if whole - begin > INSERTED {
            self.large.push(cell);
            return;
        }
        for last in begin + 1..self.cursor[cell] as usize {
            let mut at = last;
            while at > begin && self.id[at - 1] > self.id[at] {
                self.id.swap(at - 1, at);
                self.source.swap(at - 1, at);
                at -= 1;
            }
        }
    }
}
