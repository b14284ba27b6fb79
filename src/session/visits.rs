//! From scene to scene and back.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use super::history::{History, Kept};
use super::pairs::before_edits;
use super::series::Series;
use super::source::{Opening, Source};
use super::undo::UndoStack;
use super::{Clock, Refusal, Session, after_last_id};
use flockwork_engine::{EngineError, Profile, Snapshot};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Most scenes to come back to.
const MOST: usize = 50;

/// Most agents in the scenes to come back to, all together: about half a gigabyte.
const MOST_AGENTS: usize = 22_000_000;

/// A flock that is not in the engine, with all that is needed to go on with it.
#[derive(Debug)]
struct Visit {
    source: Source,
    scene: Scene,
    first: Scene,
    initial: Option<Arc<FlockState>>,
    state: Arc<FlockState>,
    undo: UndoStack,
    history: History,
    series: Series,
    pointer: Option<Point>,
    next_id: u64,
    paths: u32,
    /// True if the same scene was reset in between.
    reset: bool,
}

/// The flocks before and after the one that is shown.
#[derive(Debug, Default)]
pub struct Visits {
    behind: Vec<Visit>,
    ahead: Vec<Visit>,
}

impl Visits {
    /// Forgets the flocks to go forward to: the user went another way.
    pub fn branch(&mut self) {
        self.ahead.clear();
    }

    fn remember(&mut self, visit: Visit) {
        self.behind.push(visit);
        let agents = |all: &[Visit]| all.iter().map(|visit| visit.state.len()).sum::<usize>();
        while self.behind.len() > MOST || agents(&self.behind) > MOST_AGENTS {
            self.behind.remove(0);
        }
    }
}

impl<C: Clock> Session<C> {
    /// Starts another scene. Undoing that brings this one back as it was left, with its own edits to
    /// undo. If the engine cannot take the other flock, this one goes on.
    pub fn open(&mut self, opening: Opening) -> Result<Refusal, EngineError> {
        let Opening { source, scene, state } = opening;
        let (scene, state) = (before_edits(&scene), Arc::new(state));
        let visit = Visit {
            source,
            first: scene.clone(),
            scene,
            next_id: after_last_id(&state),
            initial: Some(Arc::clone(&state)),
            state,
            undo: UndoStack::default(),
            history: History::default(),
            series: Series::default(),
            pointer: None,
            paths: 0,
            reset: false,
        };
        Ok(match self.exchange(visit)? {
            Ok(left) => {
                self.visits.branch();
                self.visits.remember(left);
                None
            }
            Err((_, why)) => Some(why),
        })
    }

    /// Begins with another past, figures and edits to undo. Undoing that brings back the flock as it is
    /// now, unless it is too large to be kept.
    pub(super) fn leave(&mut self) -> Result<(), EngineError> {
        // A flock that is not shown is not called; the one that is goes on being called.
        let hand = self.hand;
        self.set_pointer(None)?;
        self.visits.branch();
        let kept = (self.agents <= MOST_AGENTS).then(|| self.engine.snapshot());
        let mut undo = mem::take(&mut self.undo);
        self.undo.set_saved(undo.is_saved());
        undo.seal();
        let mut history = History::default();
        self.swap_history(&mut history);
        self.series.rest();
        let series = mem::take(&mut self.series);
        // A device that fails here fails again when the first state is loaded.
        match kept.and_then(Result::ok) {
            Some(Snapshot { state, targets }) => self.visits.remember(Visit {
                source: self.source.clone(),
                scene: Scene { targets, ..self.scene.clone() },
                first: self.first.clone(),
                initial: self.initial.clone(),
                state: Arc::new(state),
                undo,
                history,
                series,
                pointer: None,
                next_id: self.next_id,
                paths: self.paths,
                reset: true,
            }),
            None => self.visits.behind.clear(),
        }
        (self.hand, self.pointer) = (hand, hand);
        Ok(())
    }

    /// Goes back to the scene before this one. Returns what happened, for the user.
    pub(super) fn go_back(&mut self) -> Result<String, EngineError> {
        let Some(visit) = self.visits.behind.pop() else { return Ok("nothing to undo".into()) };
        Ok(match self.exchange(visit)? {
            Ok(left) => {
                let reset = left.reset;
                self.visits.ahead.push(left);
                if reset {
                    "undone: reset".into()
                } else {
                    format!("undone: back to the scene {}", self.scene.name)
                }
            }
            Err((visit, why)) => {
                self.visits.behind.push(visit);
                why
            }
        })
    }

    /// Goes to the scene that [`Self::go_back`] left.
    pub(super) fn go_forward(&mut self) -> Result<String, EngineError> {
        let Some(visit) = self.visits.ahead.pop() else { return Ok("nothing to redo".into()) };
        Ok(match self.exchange(visit)? {
            Ok(left) => {
                let reset = left.reset;
                self.visits.remember(left);
                if reset {
                    "redone: reset".into()
                } else {
                    format!("redone: the scene {}", self.scene.name)
                }
            }
            Err((visit, why)) => {
                self.visits.ahead.push(visit);
                why
            }
        })
    }

    /// Puts the flock of `visit` into the engine and returns the one that was there; or says why the
    /// engine cannot take it, and then nothing has changed.
    fn exchange(&mut self, visit: Visit) -> Result<Result<Visit, (Visit, String)>, EngineError> {
        if let Err(error) = self.engine.check_count(&visit.scene.world, visit.state.len() as u64) {
            return Ok(Err((visit, error.to_string())));
        }
        // A flock that is not shown is not called.
        self.set_pointer(None)?;
        let snapshot = self.engine.snapshot()?;
        self.scene.targets = snapshot.targets;
        let wanted = Arc::clone(&visit.state);
        let left = self.swap(visit, Arc::new(snapshot.state));
        match self.load(Arc::clone(&wanted)) {
            Ok(()) => {
                self.settle()?;
                self.resume_history(wanted);
                Ok(Ok(left))
            }
            Err(error @ EngineError::Lost { .. }) => Err(error),
            Err(error) => {
                let state = Arc::clone(&left.state);
                let refused = self.swap(left, wanted);
                self.load(state)?;
                self.settle()?;
                Ok(Err((refused, error.to_string())))
            }
        }
    }

    /// Begins the past of a new flock, or goes on with the past of one left before, at this state.
    fn resume_history(&mut self, state: Arc<FlockState>) {
        if self.history.start().is_none() {
            return self.begin_history();
        }
        let (targets, mark) = (self.scene.targets.clone(), self.mark());
        self.history.take(Kept { state, targets, mark }, (self.time)(), Duration::ZERO);
    }

    /// Exchanges the session's own part with `visit`. Returns what was there, with the state `now`.
    fn swap(&mut self, mut visit: Visit, now: Arc<FlockState>) -> Visit {
        mem::swap(&mut self.source, &mut visit.source);
        mem::swap(&mut self.scene, &mut visit.scene);
        mem::swap(&mut self.first, &mut visit.first);
        mem::swap(&mut self.initial, &mut visit.initial);
        mem::swap(&mut self.undo, &mut visit.undo);
        self.swap_history(&mut visit.history);
        self.series.rest();
        mem::swap(&mut self.series, &mut visit.series);
        mem::swap(&mut self.pointer, &mut visit.pointer);
        mem::swap(&mut self.next_id, &mut visit.next_id);
        mem::swap(&mut self.paths, &mut visit.paths);
        visit.state = now;
        self.undo.seal();
        self.clock.restart();
        self.profile = Profile::default();
        self.cost = 0.0;
        // After a reset it is the same scene.
        self.opened += u64::from(!visit.reset);
        visit
    }
}
