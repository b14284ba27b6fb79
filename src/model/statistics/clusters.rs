//! Connected groups of agents: two agents nearer than the scene's largest radius are in one group,
//! and so are all agents between which a chain of such pairs leads.
//!
//! Union-find over the cells of the grid. A few pairs make one large group of most agents; then only
//! cells with agents outside it are compared with the cells around them. Two crowded sets of agents are
//! halved until their boxes are surely near or surely apart, or few pairs are left. So a cell of N
//! agents costs N · log N; only pairs of agents whose distance is about the radius are compared
//! one by one.

use std::ops::Range;

use super::cells::Cells;
use crate::scene::Scene;
use crate::vector::Point;
use crate::world::with_axes;

/// The agents of a cell are compared one by one with the agents around it if there are at most so
/// many pairs.
const MANY_PAIRS: usize = 4096;

/// Two sets of a crowd are compared pair by pair up to this number of pairs.
const FEW_PAIRS: usize = 64;

/// Number of agents that show the largest group.
const SAMPLE: usize = 1024;

/// A relative margin of squared distances between boxes: far above their rounding errors in `f64`.
const MARGIN: f64 = 1e-12;

/// The groups of a flock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clusters {
    /// Number of groups; an agent without neighbours is one.
    pub count: u64,
    /// Number of agents in the largest group.
    pub largest: u64,
}

impl Clusters {
    /// The groups of agents connected by distances below `radius`; world units.
    pub fn of<const D: usize>(cells: &Cells<D>, radius: f32) -> Self {
        let (mut search, largest) = Search::connected(cells, radius);
        search.groups(largest)
    }

    /// For each agent of `scene` the smallest id in its group; `None` for an agent without neighbours.
    #[must_use]
    pub fn smallest_ids(scene: &Scene, positions: &[Point], ids: &[u32]) -> Vec<Option<u32>> {
        with_axes!(scene.world, AXES => {
            let grid = scene.grid::<AXES>(positions.len());
            let cells = Cells::in_grid(grid, &scene.world, positions);
            Self::smallest_ids_in(&cells, scene.perception_radius(), ids)
        })
    }

    /// The same for agents in cells; `ids` by the rows of their state.
    pub fn smallest_ids_in<const D: usize>(
        cells: &Cells<D>,
        radius: f32,
        ids: &[u32],
    ) -> Vec<Option<u32>> {
        Search::connected(cells, radius).0.smallest_ids(ids)
    }
}

struct Search<'a, const D: usize> {
    cells: &'a Cells<D>,
    /// Square of the radius.
    limit: f64,
    /// The agents of each cell, in the places of the cell; a halved set is partly sorted.
    order: Vec<u32>,
    /// Another agent of the same group for each agent, itself for one in each group.
    parent: Vec<u32>,
}

/// The smallest and the largest coordinate of some agents on each axis.
type Bounds<const D: usize> = [[f64; 2]; D];

impl<'a, const D: usize> Search<'a, D> {
    /// All agents connected by distances below `radius`, and one of a group that is probably large.
    fn connected(cells: &'a Cells<D>, radius: f32) -> (Self, u32) {
        let agents = 0..cells.cell.len() as u32;
        let limit = f64::from(radius) * f64::from(radius);
        let (order, parent) = (agents.clone().collect(), agents.collect());
        let mut search = Self { cells, limit, order, parent };
        let largest = if radius > 0.0 { search.connect_all() } else { 0 };
        (search, largest)
    }

    /// For each row of the state the smallest id in the agent's group, if it has others.
    fn smallest_ids(&mut self, ids: &[u32]) -> Vec<Option<u32>> {
        self.flatten();
        let mut smallest = vec![(u32::MAX, 0_u32); ids.len()];
        for (agent, root) in self.parent.iter().enumerate() {
            let (id, members) = &mut smallest[*root as usize];
            (*id, *members) = (ids[self.cells.row(agent)].min(*id), *members + 1);
        }
        let mut found = vec![None; ids.len()];
        for (agent, root) in self.parent.iter().enumerate() {
            let (id, members) = smallest[*root as usize];
            found[self.cells.row(agent)] = (members > 1).then_some(id);
        }
        found
    }

    /// Connects all near agents. Returns an agent of a group that is probably large.
    fn connect_all(&mut self) -> u32 {
        self.connect_some();
        self.flatten();
        let largest = self.largest();
        let mut agent = 0;
        while let Some(&cell) = self.cells.cell.get(agent) {
            let own = self.cells.starts.agents(cell, cell);
            agent = own.end;
            if own.clone().any(|agent| self.is_outside(agent, largest)) {
                self.connect_cell(cell, own, largest);
            }
        }
        largest
    }

    /// Connects each agent with the next one, and on each further axis with one in the next cell, if
    /// they are near: few pairs, but in a dense flock they make one large group.
    fn connect_some(&mut self) {
        let Cells { starts, cell, .. } = self.cells;
        let count = cell.len();
        for agent in 1..count {
            let before = self.parent[agent - 1];
            self.parent[agent] =
                if self.are_near(agent - 1, agent) { before } else { agent as u32 };
        }
        let mut stride = 1;
        for cells_along in &starts.grid.cells_along[..D - 1] {
            stride *= cells_along;
            let (mut first, mut last) = (0, [0; 2]);
            while let Some(beside) = cell.get(first).map(|cell| cell + stride) {
                if beside as usize >= starts.grid.cells() {
                    break;
                }
                let own = starts.agents(cell[first], cell[first]);
                first = own.end;
                for (agent, other) in own.zip(starts.agents(beside, beside).start..count) {
                    // Most pairs are in the same two groups as the pair before.
                    let pair = [self.parent[agent], self.parent[other]];
                    if pair != last && self.are_near(agent, other) {
                        last = pair;
                        let [a, b] = pair.map(|parent| self.root(parent));
                        self.join(a, b);
                    }
                }
            }
        }
    }

    fn are_near(&self, agent: usize, other: usize) -> bool {
        self.cells.distance_squared(agent, other) < self.limit
    }

    /// True if an agent is not in the group of `largest`.
    fn is_outside(&mut self, agent: usize, largest: u32) -> bool {
        self.parent[agent] != largest && self.root(agent as u32) != self.root(largest)
    }

    /// Makes the root of each agent's group its parent.
    fn flatten(&mut self) {
        for agent in 0..self.parent.len() {
            // The parent has a smaller number, and its own parent is a root.
            self.parent[agent] = self.parent[self.parent[agent] as usize];
        }
    }

    /// The root of the largest group, as far as a sample of the agents shows.
    fn largest(&mut self) -> u32 {
        let step = self.parent.len().div_ceil(SAMPLE).max(1);
        let mut roots: Vec<u32> = self.parent.iter().step_by(step).copied().collect();
        roots.sort_unstable();
        let groups = roots.chunk_by(|a, b| a == b);
        groups.max_by_key(|group| group.len()).map_or(0, |group| group[0])
    }

    /// The groups. `largest` is an agent in one that is probably large.
    fn groups(&mut self, largest: u32) -> Clusters {
        self.flatten();
        let large = self.parent.get(largest as usize).copied().unwrap_or(0);
        let mut sizes = vec![0_u64; self.parent.len()];
        // One number that grows with most agents would make each wait for the one before.
        let others = self.parent.iter().filter(|root| **root != large);
        others.for_each(|root| sizes[*root as usize] += 1);
        let (mut count, mut most, mut rest) = (0, 0, self.parent.len() as u64);
        for size in sizes {
            count += u64::from(size > 0);
            rest -= size;
            most = size.max(most);
        }
        Clusters { count: count + u64::from(rest > 0), largest: rest.max(most) }
    }

    /// Connects the agents of a cell with all near ones, except two agents in the group of `largest`.
    fn connect_cell(&mut self, cell: u32, own: Range<usize>, largest: u32) {
        let starts = &self.cells.starts;
        let runs: Vec<_> = starts.grid.runs_around(cell).collect();
        let around: Vec<Range<usize>> =
            runs.iter().map(|run| starts.agents(run.first, run.last)).collect();
        if own.len() * around.iter().map(Range::len).sum::<usize>() <= MANY_PAIRS {
            for agent in own {
                self.connect_agent(agent, &around, largest);
            }
            return;
        }
        self.connect_within(own.clone());
        let own_is_one = self.are_one(&own);
        let others = runs.iter().flat_map(|run| run.first..=run.last);
        for other in others.filter(|other| *other != cell) {
            let others = starts.agents(other, other);
            if !others.is_empty() {
                let both = own_is_one && self.are_one(&others);
                self.connect(own.clone(), others, both);
            }
        }
    }

    /// Connects an agent outside the group of `largest` with the near ones `around` it.
    fn connect_agent(&mut self, agent: usize, around: &[Range<usize>], largest: u32) {
        let [large, mut group] = [largest, agent as u32].map(|agent| self.root(agent));
        if group == large {
            return;
        }
        for other in around.iter().cloned().flatten() {
            let its = self.root(other as u32);
            // Earlier agents outside that group have looked at this agent themselves.
            let is_known = its == group || (its != large && other < agent);
            if is_known || !self.are_near(agent, other) {
                continue;
            }
            group = self.join(its, group);
            if its == large {
                return;
            }
        }
    }

    /// True if a set is in one group.
    fn are_one(&mut self, set: &Range<usize>) -> bool {
        set.clone().all(|agent| self.are_connected(set.start, agent))
    }

    /// Connects agents of one set.
    fn connect_within(&mut self, set: Range<usize>) {
        if set.len() * set.len() <= FEW_PAIRS {
            for a in set.clone() {
                for b in a + 1..set.end {
                    self.connect_if_near(a, b);
                }
            }
        } else if diagonal(&self.bounds(&set)) < self.limit * (1.0 - MARGIN) {
            set.clone().for_each(|agent| self.unite(set.start, agent));
        } else {
            let (a, b) = self.halves(set);
            self.connect_within(a.clone());
            self.connect_within(b.clone());
            self.connect(a, b, false);
        }
    }

    /// Connects near agents of two sets. The caller connects the agents inside each set. If `both` are
    /// groups, one connection is enough. Returns true if there is one.
    fn connect(&mut self, a: Range<usize>, b: Range<usize>, both: bool) -> bool {
        let mut found = false;
        if a.len() * b.len() <= FEW_PAIRS {
            for one in a {
                for other in b.clone() {
                    found |= self.connect_if_near(one, other);
                    if found && both {
                        return true;
                    }
                }
            }
            return found;
        }
        let bounds = [self.bounds(&a), self.bounds(&b)];
        let [least, most] = self.squared_distances(&bounds);
        if least > self.limit * (1.0 + MARGIN) {
            return false;
        }
        let near = self.limit * (1.0 - MARGIN);
        let both = both || bounds.iter().all(|bounds| diagonal(bounds) < near);
        if both && self.are_connected(a.start, b.start) {
            return true;
        }
        if most < near {
            let first = a.start;
            if both {
                self.unite(first, b.start);
            } else {
                a.chain(b).for_each(|agent| self.unite(first, agent));
            }
            return true;
        }
        let (halved, other) = if a.len() > b.len() { (a, b) } else { (b, a) };
        let (low, high) = self.halves(halved);
        found |= self.connect(low, other.clone(), both);
        if found && both {
            return true;
        }
        self.connect(high, other, both) | found
    }

    /// Halves a set at the middle of its longest axis.
    fn halves(&mut self, set: Range<usize>) -> (Range<usize>, Range<usize>) {
        let length = self.bounds(&set).map(|[low, high]| high - low);
        let axis = (0..D).max_by(|a, b| length[*a].total_cmp(&length[*b])).unwrap_or(0);
        let middle = set.len() / 2;
        let position = &self.cells.position[axis];
        let along = |agent: &u32| position[*agent as usize];
        self.order[set.clone()]
            .select_nth_unstable_by(middle, |a, b| along(a).total_cmp(&along(b)));
        let middle = set.start + middle;
        (set.start..middle, middle..set.end)
    }

    fn bounds(&self, set: &Range<usize>) -> Bounds<D> {
        let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; D];
        for agent in &self.order[set.clone()] {
            for (bounds, position) in bounds.iter_mut().zip(&self.cells.position) {
                let p = f64::from(position[*agent as usize]);
                *bounds = [bounds[0].min(p), bounds[1].max(p)];
            }
        }
        bounds
    }

    /// A lower and an upper limit of the squared distances between agents in two boxes, by the
    /// shortest way.
    fn squared_distances(&self, [a, b]: &[Bounds<D>; 2]) -> [f64; 2] {
        let mut squared = [0.0; 2];
        for axis in 0..D {
            let size = f64::from(self.cells.size[axis]);
            let rounds: &[f64] =
                if self.cells.starts.grid.wraps { &[-size, 0.0, size] } else { &[0.0] };
            let ([low, high], [from, to]) = (a[axis], b[axis]);
            let (mut gap, mut span) = (f64::INFINITY, f64::INFINITY);
            for round in rounds {
                let [from, to] = [from + round, to + round];
                gap = gap.min((from - high).max(low - to).max(0.0));
                span = span.min((to - low).max(high - from));
            }
            squared[0] += gap * gap;
            squared[1] += span * span;
        }
        squared
    }

    /// Connects the agents at two places if they are near; true if they are in one group afterwards.
    fn connect_if_near(&mut self, a: usize, b: usize) -> bool {
        if self.are_connected(a, b) {
            return true;
        }
        let [one, other] = [a, b].map(|place| self.order[place] as usize);
        let near = self.cells.distance_squared(one, other) < self.limit;
        if near {
            self.unite(a, b);
        }
        near
    }

    fn are_connected(&mut self, a: usize, b: usize) -> bool {
        let [a, b] = [self.order[a], self.order[b]];
        self.root(a) == self.root(b)
    }

    fn unite(&mut self, a: usize, b: usize) {
        let [a, b] = [self.order[a], self.order[b]];
        let [a, b] = [self.root(a), self.root(b)];
        self.join(a, b);
    }

    /// Makes one group of the groups of two roots. Returns its root.
    fn join(&mut self, a: u32, b: u32) -> u32 {
        // Always towards the lower number: a long chain is halved whenever it is followed.
        self.parent[a.max(b) as usize] = a.min(b);
        a.min(b)
    }

    /// The agent that stands for the group of `agent`.
    fn root(&mut self, mut agent: u32) -> u32 {
        loop {
            let parent = self.parent[agent as usize];
            if parent == agent {
                return agent;
            }
            let above = self.parent[parent as usize];
            self.parent[agent as usize] = above;
            agent = above;
        }
    }
}

/// Square of the diagonal of a box.
fn diagonal<const D: usize>(bounds: &Bounds<D>) -> f64 {
    bounds.iter().map(|[low, high]| (high - low).powi(2)).sum()
}
