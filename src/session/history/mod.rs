//! The past of a flock: snapshots within a memory budget, and the events between them.
//!
//! A tick that has no snapshot is computed again from the last one before it. The same state, the
//! same events at their ticks and the same engine give the same bytes, so going back is exact.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::Edit;
use flockwork_model::behaviours::Target;
use flockwork_model::kept::KeptRow;
use flockwork_model::memory::Memory;
use flockwork_model::scene::{Scene, Species};
use flockwork_model::scenery::{Obstacle, Path};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// An edit and its tick: it happens after that tick and before the next one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recorded {
    /// Ticks since the start of the run.
    pub tick: u64,
    /// The edit.
    #[serde(flatten)]
    pub edit: Edit,
}

/// The parts of a scene that edits change.
#[derive(Clone, Debug, PartialEq)]
pub struct EditableScene {
    species: Vec<Species>,
    obstacles: Vec<Obstacle>,
    paths: Vec<Path>,
}

impl EditableScene {
    pub fn of(scene: &Scene) -> Self {
        let Scene { species, obstacles, paths, .. } = scene.clone();
        Self { species, obstacles, paths }
    }

    pub fn put(&self, scene: &mut Scene) {
        scene.species.clone_from(&self.species);
        scene.obstacles.clone_from(&self.obstacles);
        scene.paths.clone_from(&self.paths);
    }
}

/// Memory for snapshots unless the host sets another budget; bytes.
pub const DEFAULT_BUDGET: u64 = 256_000_000;

/// Ticks between two snapshots until the budget is used up.
const INTERVAL: u64 = 30;

/// A copy of a kind waits at least this many times as long as the last one took, so that copying does not
/// slow the flock down.
pub const TIMES_THE_COST: u32 = 20;

/// A budget that does not hold this many states keeps only the first one.
const MIN_KEYFRAMES: u64 = 3;

/// All that a session needs besides the agents to go on from a snapshot.
#[derive(Clone, Debug)]
pub struct KeyframeMeta {
    /// The scene.
    pub scene: Arc<EditableScene>,
    /// Events done before the snapshot.
    pub cursor: usize,
    /// The id of the next new agent.
    pub next_id: u64,
    /// Where the flock is called to.
    pub pointer: Option<Point>,
}

/// A state to go on from.
#[derive(Clone, Debug)]
pub struct Keyframe {
    /// The agents.
    pub state: Arc<FlockState>,
    /// The targets at the same tick.
    pub targets: Vec<Target>,
    /// The rest.
    pub meta: KeyframeMeta,
}

impl Keyframe {
    fn bytes(&self) -> u64 {
        bytes_of(self.state.len()) + (size_of::<KeptRow>() * self.state.kept.len()) as u64
    }
}

/// Bytes of a state of so many agents.
fn bytes_of(agents: usize) -> u64 {
    let agent = size_of::<u32>() + size_of::<u8>() + 2 * size_of::<Point>() + size_of::<Memory>();
    (agents * agent) as u64
}

/// The past, and what is known of the time after the present tick when the user has gone back.
#[derive(Debug)]
pub struct History {
    /// Ascending ticks. The first is the start and always stays.
    pub kept: Vec<Keyframe>,
    /// All events, by tick.
    pub events: Vec<Recorded>,
    /// Number of events done up to the present tick.
    pub cursor: usize,
    /// The last tick reached.
    pub end: u64,
    /// The memory for snapshots; bytes.
    pub budget: u64,
    interval: u64,
    /// No snapshot is taken before this time.
    next: Duration,
}

impl Default for History {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            events: Vec::new(),
            cursor: 0,
            end: 0,
            budget: DEFAULT_BUDGET,
            interval: INTERVAL,
            next: Duration::ZERO,
        }
    }
}

impl History {
    /// Forgets everything and begins with a state.
    pub fn begin(&mut self, start: Keyframe) {
        *self = Self { budget: self.budget, end: start.state.tick, ..Self::default() };
        self.kept.push(start);
    }

    /// Sets the memory for snapshots; bytes.
    pub fn set_budget(&mut self, budget: u64) {
        self.budget = budget;
        self.thin();
    }

    /// The first state; none in a run that keeps no past.
    pub fn start(&self) -> Option<&Keyframe> {
        self.kept.first()
    }

    pub fn has_future_events(&self) -> bool {
        self.cursor < self.events.len()
    }

    /// The tick of the next event that was recorded before.
    pub fn next_event(&self) -> Option<u64> {
        self.events.get(self.cursor).map(|event| event.tick)
    }

    /// The next event if it is due at `tick`. It counts as done.
    pub fn take_due(&mut self, tick: u64) -> Option<Edit> {
        let event = self.events.get(self.cursor).filter(|event| event.tick <= tick)?;
        self.cursor += 1;
        Some(event.edit.clone())
    }

    /// The event that [`Self::take_due`] returned could not be done yet.
    pub fn put_back(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
    }

    /// The flock has reached a tick.
    pub fn reach(&mut self, tick: u64) {
        self.end = self.end.max(tick);
    }

    /// Adds an event at the present tick. The log of the time after it is cut; true if that
    /// includes events.
    pub fn record(&mut self, tick: u64, edit: Edit) -> bool {
        let cuts = self.cut(tick);
        self.events.push(Recorded { tick, edit });
        self.cursor = self.events.len();
        cuts
    }

    /// Forgets what comes after the present tick; true if that includes events.
    pub fn cut(&mut self, tick: u64) -> bool {
        let cuts = self.has_future_events();
        self.events.truncate(self.cursor);
        self.end = tick;
        let (cursor, first) = (self.cursor, self.kept.first().map(|kept| kept.state.tick));
        self.kept.retain(|kept| {
            let at = kept.state.tick;
            Some(at) == first || at <= tick && kept.meta.cursor <= cursor
        });
        cuts
    }

    /// The last event taken cannot be done: the record ends before it.
    pub fn refuse(&mut self, tick: u64) {
        self.put_back();
        self.cut(tick);
    }

    /// Takes over events that were recorded elsewhere and the last tick of that record.
    pub fn adopt(&mut self, events: Vec<Recorded>, end: u64) {
        (self.events, self.cursor) = (events, 0);
        self.reach(end);
    }

    /// The last state at or before a tick. The session goes on from there, and its events too.
    pub fn go_back_to(&mut self, tick: u64) -> Option<Keyframe> {
        let kept = self.nearest(tick)?.clone();
        self.cursor = kept.meta.cursor;
        Some(kept)
    }

    /// The last state at or before a tick.
    pub fn nearest(&self, tick: u64) -> Option<&Keyframe> {
        let after = self.kept.partition_point(|kept| kept.state.tick <= tick);
        after.checked_sub(1).and_then(|index| self.kept.get(index))
    }

    /// True if a snapshot of so many agents is due.
    pub fn is_due(&self, tick: u64, agents: usize, now: Duration) -> bool {
        let far = |kept: &Keyframe| tick - kept.state.tick >= self.interval;
        now >= self.next
            && bytes_of(agents) * MIN_KEYFRAMES <= self.budget
            && self.nearest(tick).is_some_and(far)
    }

    /// Keeps a snapshot, which took this long to arrive. When the budget is used up, every second
    /// snapshot goes, and new ones come half as often.
    pub fn take(&mut self, kept: Keyframe, now: Duration, took: Duration) {
        self.next = now + took * TIMES_THE_COST;
        let tick = kept.state.tick;
        let at = self.kept.partition_point(|other| other.state.tick < tick);
        match self.kept.get_mut(at).filter(|other| other.state.tick == tick) {
            // The start stays what it was.
            Some(_) if at == 0 => {}
            Some(other) => *other = kept,
            None => self.kept.insert(at, kept),
        }
        self.thin();
    }

    /// Keeps the first state alone: the past of a flock that is not shown.
    pub fn rest(&mut self) {
        self.kept.truncate(1);
        (self.interval, self.next) = (INTERVAL, Duration::ZERO);
    }

    fn thin(&mut self) {
        // The first state is kept anyway, for a reset.
        let bytes = |kept: &[Keyframe]| kept.iter().skip(1).map(Keyframe::bytes).sum::<u64>();
        while self.kept.len() > 1 && bytes(&self.kept) > self.budget {
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.interval *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(tick: u64, agents: usize) -> Keyframe {
        let scene = Scene::parse("test", "[species.a]\n").unwrap();
        let content = Arc::new(EditableScene::of(&scene));
        let state = FlockState { tick, position: vec![Point::ZERO; agents], ..Default::default() };
        let meta = KeyframeMeta { scene: content, cursor: 0, next_id: 0, pointer: None };
        Keyframe { state: Arc::new(state), targets: Vec::new(), meta }
    }

    fn ticks(history: &History) -> Vec<u64> {
        history.kept.iter().map(|kept| kept.state.tick).collect()
    }

    #[test]
    fn a_full_history_is_thinned_evenly() {
        let mut history = History::default();
        history.begin(kept(0, 100));
        history.set_budget(10 * bytes_of(100));
        for tick in 1..=2000 {
            if history.is_due(tick, 100, Duration::ZERO) {
                history.take(kept(tick, 100), Duration::ZERO, Duration::ZERO);
            }
        }
        let apart: Vec<u64> = ticks(&history).windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!((5..=10).contains(&apart.len()), "{apart:?}");
        assert!(apart.iter().all(|distance| *distance == apart[0]), "{apart:?}");
        assert_eq!(history.nearest(1).unwrap().state.tick, 0);
        // A flock too large for the budget keeps its first state alone.
        assert!(!history.is_due(4000, 1000, Duration::ZERO));
        history.set_budget(0);
        assert_eq!(ticks(&history), [0]);
    }

    #[test]
    fn a_slow_copy_is_made_less_often() {
        let mut history = History::default();
        history.begin(kept(0, 100));
        let (now, took) = (Duration::from_secs(5), Duration::from_millis(200));
        history.take(kept(30, 100), now, took);
        assert!(!history.is_due(90, 100, now + took * 19));
        assert!(history.is_due(90, 100, now + took * 20));
        assert!(!history.is_due(59, 100, now + took * 20), "too near to the last one");
    }

    #[test]
    fn an_event_in_the_past_cuts_what_came_after_it() {
        let mut history = History::default();
        history.begin(kept(0, 1));
        for (tick, place) in [(10, Point::ZERO), (20, Point::ONE)] {
            assert!(!history.record(tick, Edit::Pointer(Some(place))));
        }
        for tick in [15, 30] {
            let mut kept = kept(tick, 1);
            kept.meta.cursor = if tick > 20 { 2 } else { 1 };
            history.take(kept, Duration::ZERO, Duration::ZERO);
        }
        history.reach(40);
        assert_eq!(history.go_back_to(17).unwrap().state.tick, 15);
        assert_eq!((history.next_event(), history.end), (Some(20), 40));
        assert_eq!(history.take_due(19), None);
        assert!(history.record(17, Edit::Pointer(None)), "an event is cut");
        assert_eq!((ticks(&history), history.end), (vec![0, 15], 17));
        let events: Vec<u64> = history.events.iter().map(|event| event.tick).collect();
        assert_eq!((events, history.next_event()), (vec![10, 17], None));
    }
}
