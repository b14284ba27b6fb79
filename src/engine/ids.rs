//! The ids of a flock, and the row of each id.

use std::sync::Arc;

use rayon::prelude::*;

use super::EngineError;
use super::change::{check_everybody, check_species};
use flockwork_model::scene::{MAX_AGENTS, Scene};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Number of ids in one word of the bitmap.
const WORD: usize = 64;

/// Words of a bitmap that any flock may have: 32 MB.
const SMALL: usize = 1 << 21;

/// The ids of all present agents, ascending; states list the agents in this order. Cloning is
/// cheap.
#[derive(Clone, Debug)]
pub struct Ids {
    ids: Arc<Vec<u32>>,
    rows: Rows,
    /// The smallest id that was never used.
    next: u32,
    /// All ids are below this.
    end: u32,
}

/// How the row of an id is found.
#[derive(Clone, Debug)]
enum Rows {
    /// Every id equals its row.
    Same,
    /// In a bitmap.
    Ranks(Arc<Vec<Rank>>),
    /// By bisection: a bitmap would take more memory than the ids.
    Sparse,
}

impl Default for Ids {
    fn default() -> Self {
        Self::below(MAX_AGENTS)
    }
}

/// One word of a bitmap of ids.
#[derive(Clone, Copy, Debug, Default)]
struct Rank {
    /// One bit per id, set if the id is present.
    ids: u64,
    /// Number of ids in all words before this one.
    before: u32,
}

impl Ids {
    /// No ids yet; all will be below `end`.
    #[must_use]
    pub fn below(end: u64) -> Self {
        let end = end.min(MAX_AGENTS) as u32;
        Self { ids: Arc::default(), rows: Rows::Same, next: 0, end }
    }

    /// Adds ids. Fails unless each is larger than all ids before it.
    fn append(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        self.check(ids)?;
        let Some(last) = ids.last() else { return Ok(()) };
        Arc::make_mut(&mut self.ids).extend_from_slice(ids);
        self.next = last + 1;
        self.count();
        Ok(())
    }

    /// These ids with the ids of `agents` appended. Fails if an engine cannot take the agents.
    pub fn with(&self, scene: &Scene, agents: &FlockState) -> Result<Self, EngineError> {
        let FlockState { id, species, position, velocity, .. } = agents;
        let lengths = [id.len(), species.len(), position.len(), velocity.len()];
        if lengths != [agents.len(); 4] {
            return Err(EngineError::Uneven { lengths });
        }
        let [count, memory, kept] = [agents.len(), agents.memory.len(), agents.kept.len()];
        if [memory, kept].into_iter().any(|own| own != 0 && own != count) {
            return Err(EngineError::Partial { count, memory, kept });
        }
        check_species(scene, id, species)?;
        let size = scene.world.size;
        let bad = |place: Point| !scene.world.may_hold(place);
        if let Some(row) = position.par_iter().position_first(|place| bad(*place)) {
            let (id, value) = (id[row], position[row]);
            return Err(EngineError::BadAgent { id, quantity: "position", value, size });
        }
        if let Some(row) = velocity.par_iter().position_first(|way| !way.is_finite()) {
            let (id, value) = (id[row], velocity[row]);
            return Err(EngineError::BadAgent { id, quantity: "velocity", value, size });
        }
        let mut all = self.clone();
        all.append(id)?;
        check_everybody(scene, all.len())?;
        Ok(all)
    }

    /// Agents with the next free ids.
    pub fn newcomers(
        &self,
        positions: &[Point],
        velocities: &[Point],
        species: &[u8],
    ) -> FlockState {
        // Ids beyond 32 bits come to be refused as used ones.
        let ids = (0..positions.len()).map(|row| self.next.saturating_add(row as u32));
        FlockState {
            id: ids.collect(),
            species: species.to_vec(),
            position: positions.to_vec(),
            velocity: velocities.to_vec(),
            ..FlockState::default()
        }
    }

    /// The smallest id that was never used.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Fails if an id is too large, or not larger than all before it.
    fn check(&self, ids: &[u32]) -> Result<(), EngineError> {
        let mut next = self.next;
        for id in ids {
            if *id >= self.end {
                return Err(EngineError::LargeId { id: *id, largest: self.end - 1 });
            }
            if *id < next {
                return Err(EngineError::UsedId { id: *id, next });
            }
            next = id + 1;
        }
        Ok(())
    }

    /// Removes ids and returns them, ascending. Fails if one of them is not present; then none is
    /// removed.
    pub fn remove(&mut self, ids: &[u32]) -> Result<Vec<u32>, EngineError> {
        if let Some(id) = ids.iter().copied().find(|id| self.row(*id).is_none()) {
            return Err(EngineError::NoAgent { id });
        }
        let mut gone = ids.to_vec();
        gone.sort_unstable();
        gone.dedup();
        if !gone.is_empty() {
            let is_gone = |id: &u32| gone.binary_search(id).is_ok();
            Arc::make_mut(&mut self.ids).retain(|id| !is_gone(id));
            self.count();
        }
        Ok(gone)
    }

    /// The row of an agent, if it is present.
    #[inline]
    #[must_use]
    pub fn row(&self, id: u32) -> Option<usize> {
        let ranks = match &self.rows {
            Rows::Same => return Some(id as usize).filter(|row| *row < self.ids.len()),
            Rows::Sparse => return self.ids.binary_search(&id).ok(),
            Rows::Ranks(ranks) => ranks,
        };
        let rank = ranks.get(id as usize / WORD)?;
        let bit = 1_u64 << (id as usize % WORD);
        let before = (rank.ids & (bit - 1)).count_ones();
        (rank.ids & bit != 0).then_some((rank.before + before) as usize)
    }

    /// All ids, ascending.
    #[must_use]
    pub fn all(&self) -> &[u32] {
        &self.ids
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Rebuilds `rows`.
    fn count(&mut self) {
        let Some(last) = self.ids.last().copied().filter(|id| *id as usize >= self.ids.len())
        else {
            // The ids ascend and the last is too small to leave a gap, so every id equals its row.
            self.rows = Rows::Same;
            return;
        };
        let words = last as usize / WORD + 1;
        if words > SMALL && words > self.ids.len() {
            self.rows = Rows::Sparse;
            return;
        }
        let mut ranks = vec![Rank::default(); words];
        for id in self.ids.iter() {
            ranks[*id as usize / WORD].ids |= 1 << (*id as usize % WORD);
        }
        let mut before = 0;
        for rank in &mut ranks {
            rank.before = before;
            before += rank.ids.count_ones();
        }
        self.rows = Rows::Ranks(Arc::new(ranks));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::memory::Memory;

    fn ids(ids: &[u32]) -> Result<Ids, EngineError> {
        let mut all = Ids::default();
        all.append(ids).map(|()| all)
    }

    #[test]
    fn every_agent_has_its_row_and_no_id_comes_twice() {
        let mut all = ids(&[0, 1, 2, 3]).unwrap();
        assert!(matches!(all.rows, Rows::Same));
        assert_eq!((all.row(3), all.row(4)), (Some(3), None));
        assert_eq!(all.remove(&[3, 1, 9]), Err(EngineError::NoAgent { id: 9 }));
        assert_eq!(all.remove(&[3, 1, 3]).unwrap(), [1, 3]);
        assert_eq!(all.all(), [0, 2]);
        assert_eq!([0, 1, 2, 3].map(|id| all.row(id)), [Some(0), None, Some(1), None]);
        // Agent 3 was the last.
        assert_eq!(all.append(&[3]), Err(EngineError::UsedId { id: 3, next: 4 }));
        assert_eq!(all.append(&[5, 5]), Err(EngineError::UsedId { id: 5, next: 6 }));
        all.append(&[4, 200]).unwrap();
        assert_eq!(all.all(), [0, 2, 4, 200]);
        let rows: Vec<_> = all.all().iter().map(|id| all.row(*id)).collect();
        assert_eq!(rows, [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!((all.row(199), all.row(201), all.row(1 << 26)), (None, None, None));
        let large = MAX_AGENTS as u32;
        let error = EngineError::LargeId { id: large, largest: large - 1 };
        assert_eq!(ids(&[1, large]).unwrap_err(), error);
        let error = EngineError::LargeId { id: 9, largest: 8 };
        assert_eq!(Ids::below(9).append(&[8, 9]).unwrap_err(), error);
        assert_eq!(ids(&[1, 0]).unwrap_err(), EngineError::UsedId { id: 0, next: 2 });
        assert_eq!(ids(&[large - 1]).unwrap().row(large - 1), Some(0));
    }

    #[test]
    fn few_ids_far_apart_take_no_bitmap() {
        let mut all = ids(&[7, 1 << 20, 1 << 30, 1 << 31]).unwrap();
        assert!(matches!(all.rows, Rows::Sparse));
        let row = |all: &Ids, id: u32| all.row(id);
        assert_eq!([7, 1 << 30, 1 << 31].map(|id| row(&all, id)), [Some(0), Some(2), Some(3)]);
        assert_eq!([0, 8, u32::MAX].map(|id| row(&all, id)), [None; 3]);
        all.remove(&[1 << 31, 1 << 30]).unwrap();
        assert!(matches!(all.rows, Rows::Ranks(_)));
        assert_eq!([7, 1 << 20, 1 << 30].map(|id| row(&all, id)), [Some(0), Some(1), None]);
    }

    #[test]
    fn a_copy_stays_as_it_was() {
        let mut all = ids(&[0, 1, 2]).unwrap();
        let copy = all.clone();
        all.remove(&[0]).unwrap();
        assert_eq!((copy.len(), copy.row(2), all.row(2)), (3, Some(2), Some(1)));
    }

    #[test]
    fn agents_that_no_engine_can_take_are_refused() {
        let scene = Scene::parse("test", "[species.a]\ncount = 2\n").unwrap();
        let good = FlockState {
            id: vec![3, 4],
            species: vec![0; 2],
            position: vec![Point::ZERO; 2],
            velocity: vec![Point::ZERO; 2],
            ..FlockState::default()
        };
        let with = |agents: &FlockState| Ids::default().with(&scene, agents);
        assert_eq!(with(&good).unwrap().all(), [3, 4]);
        let uneven = FlockState { velocity: vec![Point::ZERO], ..good.clone() };
        let error = EngineError::Uneven { lengths: [2, 2, 2, 1] };
        assert_eq!(with(&uneven).unwrap_err(), error);
        let partial = FlockState { memory: vec![Memory::default()], ..good.clone() };
        let error = EngineError::Partial { count: 2, memory: 1, kept: 0 };
        assert_eq!(with(&partial).unwrap_err(), error);
        let size = scene.world.size;
        for (quantity, place) in
            [("position", size * 2.0), ("position", Point::NAN), ("velocity", Point::NAN)]
        {
            let (mut bad, here) = (good.clone(), usize::from(quantity == "velocity"));
            [&mut bad.position, &mut bad.velocity][here][1] = place;
            let error = with(&bad).unwrap_err().to_string();
            assert!(error.starts_with(&format!("agent 4: its {quantity} is ")), "{error}");
        }
        let strange = FlockState { species: vec![0, 1], ..good };
        let error = EngineError::UnknownSpecies { id: 4, species: 1, count: 1 };
        assert_eq!(with(&strange).unwrap_err(), error);
    }
}
