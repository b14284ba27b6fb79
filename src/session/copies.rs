//! Copies of a flock on the host: to go on from if the engine loses it, for the past, and to be measured.
//!
//! One copy is under way at a time. It is asked for when one of these is due, and serves them all.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::history::{EditableScene, Keyframe, KeyframeMeta, TIMES_THE_COST};
use super::runner::Runner;
use super::series::{Awaited, Sample, Series, Watch};
use super::{Clock, Session};
use flockwork_engine::{EngineKind, Snapshot};
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::statistics::Metrics;

/// Shortest time between two copies to go on from.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// The most agents of a flock that is copied: about half a gigabyte, which a copy doubles.
pub const MAX_COPIED: usize = 22_000_000;

/// A requested copy.
#[derive(Clone, Debug)]
pub struct Request {
    at: Duration,
    /// How long the flock has waited for the copy.
    copying: Duration,
    /// The flock's revision at the request.
    revision: u64,
    meta: KeyframeMeta,
    /// True if the history keeps it.
    keeps: bool,
}

/// The last state of a flock on the host, and which copies are wanted.
#[derive(Debug, Default)]
pub struct Copies {
    /// The agents.
    pub state: Arc<FlockState>,
    /// The targets at the same tick.
    pub targets: Vec<Target>,
    /// No copy to go on from is taken before this time.
    next: Duration,
    /// The copy that is under way.
    pub request: Option<Request>,
    /// True if the host wants copies as often as the device can make them.
    continuous: bool,
    /// How often states are measured.
    watch: Watch,
    /// The samples that the host has not taken yet.
    waiting: VecDeque<Sample>,
    /// The number of the next sample.
    next_sample: u64,
    /// The scene of an edition, shared by samples.
    scene: Option<(u64, Arc<Scene>)>,
    /// The content of the scene at an edition, shared by keyframes.
    pub content: Option<(u64, Arc<EditableScene>)>,
}

impl Copies {
    /// Keeps a copy, which took this long to arrive.
    pub fn take(
        &mut self,
        state: Arc<FlockState>,
        targets: Vec<Target>,
        now: Duration,
        took: Duration,
    ) {
        (self.state, self.targets) = (state, targets);
        self.next = now + MIN_INTERVAL.max(took * TIMES_THE_COST);
    }

    /// Makes the next copy due, because the flock has other agents.
    pub fn hurry(&mut self) {
        self.next = Duration::ZERO;
    }

    /// True if a copy to go on from is due. An engine on the host cannot lose its flock, and a flock that
    /// stands still has nothing new.
    fn is_due(&self, engine: EngineKind, agents: usize, tick: u64, now: Duration) -> bool {
        let changed = self.state.tick != tick || self.state.len() != agents;
        engine == EngineKind::Gpu && agents <= MAX_COPIED && changed && now >= self.next
    }
}

impl<C: Clock> Session<C> {
    /// Sets how often states are measured.
    pub fn watch(&mut self, watch: Watch) {
        if std::mem::replace(&mut self.copies.watch, watch) != watch {
            // More may be wanted of the present state.
            self.timeline.series.sampled = None;
        }
    }

    /// The metrics recorded so far.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.timeline.series
    }

    /// True while the metrics of a state are under way: the host should look soon, even if the flock
    /// is paused.
    #[must_use]
    pub fn awaits_metrics(&self) -> bool {
        !self.timeline.series.awaited.is_empty()
    }

    /// A state to measure; the result goes to [`Session::measured`].
    pub fn take_sample(&mut self) -> Option<Sample> {
        self.copies.waiting.pop_front()
    }

    /// Adds the metrics of sample `number`. Returns false if that state no longer belongs to the
    /// flock's past. `took` is how long measuring it took.
    pub fn measured(&mut self, number: u64, metrics: Metrics, took: Duration) -> bool {
        self.timeline.series.note(number, metrics, took)
    }

    /// True if the flock of this revision is to be measured now.
    fn wants_sample(&self, revision: u64, now: Duration) -> bool {
        let (series, watch) = (&self.timeline.series, self.copies.watch);
        series.is_due(watch, revision, now, self.clock.is_paused())
    }

    /// Hands a state of a revision to the host, if it is one to measure. `copying` is how long the
    /// copy has taken.
    fn offer(&mut self, state: &Arc<FlockState>, revision: u64, now: Duration, copying: Duration) {
        if !self.wants_sample(revision, now) {
            return;
        }
        let edition = self.runner.edition;
        self.copies.scene.take_if(|(of, _)| *of != edition);
        let now_edited = || (edition, Arc::new(self.editor.scene.clone()));
        let (_, scene) = self.copies.scene.get_or_insert_with(now_edited);
        let scene = Arc::clone(scene);
        let number = self.copies.next_sample;
        self.copies.next_sample += 1;
        let awaited = Awaited { number, tick: state.tick, revision };
        self.timeline.series.await_sample(awaited, now, copying);
        self.copies.waiting.push_back(Sample { number, scene, state: Arc::clone(state) });
    }

    /// Collects the requested snapshot if it has arrived, and requests the next one if it is due.
    /// Never waits. Ignores an engine that fails here, because the next tick reports the failure.
    pub(super) fn collect(&mut self, now: Duration) {
        if self.copies.request.is_some()
            && let Ok(Some(Snapshot { state, targets })) = self.runner.engine.poll()
            && let Some(request) = self.copies.request.take()
        {
            let state = Arc::new(state);
            let copying = request.copying + self.runner.now().saturating_sub(now);
            self.offer(&state, request.revision, now, copying);
            if self.editor.initial.is_some() {
                let took = now.saturating_sub(request.at);
                self.copies.take(Arc::clone(&state), targets.clone(), now, took);
                if request.keeps {
                    let keyframe = Keyframe { state, targets, meta: request.meta };
                    self.timeline.history.take(keyframe, now, took);
                }
            }
        }
        let Runner { ref engine, tick, agents, revision, .. } = self.runner;
        let kept =
            self.editor.initial.is_some() && self.copies.is_due(engine.kind(), agents, tick, now);
        let measured = agents <= MAX_COPIED && self.wants_sample(revision, now);
        let past = self.timeline.history.is_due(tick, agents, now);
        let pursued = self.copies.continuous && self.copies.state.tick != tick;
        if (kept || measured || past || pursued)
            && self.copies.request.is_none()
            && self.runner.engine.request().is_ok()
        {
            let meta = self.keyframe_meta();
            let copying = self.runner.now().saturating_sub(now);
            self.copies.request = Some(Request { at: now, copying, revision, meta, keeps: past });
        }
    }

    /// Turns frequent snapshots on or off. With them [`Session::last_seen`] is as new as the device
    /// allows, for a host that must not wait for the agents.
    pub fn set_continuous_snapshots(&mut self, on: bool) {
        self.copies.continuous = on;
    }

    /// True while a snapshot is under way: the host should call [`Session::advance`] soon, even if
    /// the flock is paused.
    #[must_use]
    pub fn awaits_snapshot(&self) -> bool {
        self.copies.request.is_some()
    }
}
