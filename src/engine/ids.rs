//! The ids of a flock, and the row of each.

use std::sync::Arc;

use super::EngineError;
use crate::model::scene::MAX_AGENTS;

/// Ids of one word of [`Ranks`].
const WORD: usize = 64;

/// The ids of the agents that a flock has now, ascending: the rows of its states. Copies are cheap.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    ids: Arc<Vec<u32>>,
    /// None while row and id are the same.
    ranks: Option<Arc<Vec<Rank>>>,
    /// The smallest id that no agent ever had.
    next: u32,
}

/// A word of a bitmap of ids.
#[derive(Clone, Copy, Debug, Default)]
struct Rank {
    /// A bit for each id that is there.
    ids: u64,
    /// Ids before the word.
    before: u32,
}

impl Ids {
    /// Those of a flock that is loaded. They ascend and fit a tag.
    pub fn of(ids: &[u32]) -> Result<Self, EngineError> {
        let mut all = Self::default();
        all.append(ids)?;
        Ok(all)
    }

    /// Adds ids, each larger than all that ever were.
    pub fn append(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        self.check(ids)?;
        let Some(last) = ids.last() else { return Ok(()) };
        Arc::make_mut(&mut self.ids).extend_from_slice(ids);
        self.next = last + 1;
        self.count();
        Ok(())
    }

    /// Refuses ids that are too large, or not larger than all before them.
    pub fn check(&self, ids: &[u32]) -> Result<(), EngineError> {
        let mut next = self.next;
        for id in ids {
            if u64::from(*id) >= MAX_AGENTS {
                return Err(EngineError::LargeId { id: *id });
            }
            if *id < next {
                return Err(EngineError::UsedId { id: *id, next });
            }
            next = id + 1;
        }
        Ok(())
    }

    /// Takes ids away; returns them, ascending, without those that are not there.
    pub fn remove(&mut self, ids: &[u32]) -> Vec<u32> {
        let there = ids.iter().copied().filter(|id| self.row(*id).is_some());
        let mut gone: Vec<u32> = there.collect();
        gone.sort_unstable();
        gone.dedup();
        if !gone.is_empty() {
            let is_gone = |id: &u32| gone.binary_search(id).is_ok();
            Arc::make_mut(&mut self.ids).retain(|id| !is_gone(id));
            self.count();
        }
        gone
    }

    /// The row of an agent; none where it is not there.
    #[inline]
    #[must_use]
    pub fn row(&self, id: u32) -> Option<usize> {
        let Some(ranks) = &self.ranks else {
            return Some(id as usize).filter(|row| *row < self.ids.len());
        };
        let rank = ranks.get(id as usize / WORD)?;
        let bit = 1_u64 << (id as usize % WORD);
        let before = (rank.ids & (bit - 1)).count_ones();
        (rank.ids & bit != 0).then_some((rank.before + before) as usize)
    }

    /// All of them, ascending.
    #[must_use]
    pub fn all(&self) -> &[u32] {
        &self.ids
    }

    /// Number of agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Finds the rows anew.
    fn count(&mut self) {
        let Some(last) = self.ids.last().copied().filter(|id| *id as usize >= self.ids.len())
        else {
            // Ascending and none too large: every row has its own number.
            self.ranks = None;
            return;
        };
        let mut ranks = vec![Rank::default(); last as usize / WORD + 1];
        for id in self.ids.iter() {
            ranks[*id as usize / WORD].ids |= 1 << (*id as usize % WORD);
        }
        let mut before = 0;
        for rank in &mut ranks {
            rank.before = before;
            before += rank.ids.count_ones();
        }
        self.ranks = Some(Arc::new(ranks));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_its_row_and_no_id_comes_twice() {
        let mut ids = Ids::of(&[0, 1, 2, 3]).unwrap();
        assert!(ids.ranks.is_none());
        assert_eq!((ids.row(3), ids.row(4)), (Some(3), None));
        assert_eq!(ids.remove(&[3, 1, 9, 3]), [1, 3]);
        assert_eq!(ids.all(), [0, 2]);
        assert_eq!([0, 1, 2, 3].map(|id| ids.row(id)), [Some(0), None, Some(1), None]);
        // Agent 3 was the last.
        assert_eq!(ids.append(&[3]), Err(EngineError::UsedId { id: 3, next: 4 }));
        assert_eq!(ids.append(&[5, 5]), Err(EngineError::UsedId { id: 5, next: 6 }));
        ids.append(&[4, 200]).unwrap();
        assert_eq!(ids.all(), [0, 2, 4, 200]);
        let rows: Vec<_> = ids.all().iter().map(|id| ids.row(*id)).collect();
        assert_eq!(rows, [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!((ids.row(199), ids.row(201), ids.row(1 << 26)), (None, None, None));
        let large = MAX_AGENTS as u32;
        assert_eq!(Ids::of(&[1, large]).unwrap_err(), EngineError::LargeId { id: large });
        assert_eq!(Ids::of(&[1, 0]).unwrap_err(), EngineError::UsedId { id: 0, next: 2 });
        assert_eq!(Ids::of(&[large - 1]).unwrap().row(large - 1), Some(0));
    }

    #[test]
    fn a_copy_stays_as_it_was() {
        let mut ids = Ids::of(&[0, 1, 2]).unwrap();
        let copy = ids.clone();
        ids.remove(&[0]);
        assert_eq!((copy.len(), copy.row(2), ids.row(2)), (3, Some(2), Some(1)));
    }
}
