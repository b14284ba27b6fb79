//! From scene to scene and back.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use super::history::{History, Keyframe};
use super::original_scene::before_edits;
use super::series::Series;
use super::source::{Opening, Source};
use super::undo::UndoStack;
use super::{Clock, EditError, Session, after_last_id};
use flockwork_engine::{EngineError, Profile, Snapshot};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Most scenes to come back to.
const MAX_SCENES: usize = 50;

/// Most agents in the scenes to come back to, all together: about half a gigabyte.
const MAX_AGENTS: usize = 22_000_000;

/// A flock that is not in the engine, with all that is needed to go on with it.
#[derive(Debug)]
struct SceneEntry {
    source: Source,
    scene: Scene,
    original: Scene,
    initial: Option<Arc<FlockState>>,
    state: Arc<FlockState>,
    undo: UndoStack,
    history: History,
    series: Series,
    pointer: Option<Point>,
    next_id: u64,
    new_paths: u32,
    /// True if the same scene was reset in between.
    reset: bool,
}

/// The flocks before and after the one that is shown.
#[derive(Debug, Default)]
pub struct SceneStack {
    behind: Vec<SceneEntry>,
    ahead: Vec<SceneEntry>,
}

impl SceneStack {
    /// Forgets the flocks to go forward to: the user went another way.
    pub fn clear_redo(&mut self) {
        self.ahead.clear();
    }

    fn remember(&mut self, entry: SceneEntry) {
        self.behind.push(entry);
        let agents = |all: &[SceneEntry]| all.iter().map(|entry| entry.state.len()).sum::<usize>();
        while self.behind.len() > MAX_SCENES || agents(&self.behind) > MAX_AGENTS {
            self.behind.remove(0);
        }
    }
}

impl<C: Clock> Session<C> {
    /// Starts another scene. Undoing that brings this one back as it was left, with its own edits to
    /// undo. If the engine cannot take the other flock, this one goes on.
    pub fn open(&mut self, opening: Opening) -> Result<(), EditError> {
        let Opening { source, scene, state } = opening;
        let (scene, state) = (before_edits(&scene), Arc::new(state));
        let entry = SceneEntry {
            source,
            original: scene.clone(),
            scene,
            next_id: after_last_id(&state),
            initial: Some(Arc::clone(&state)),
            state,
            undo: UndoStack::default(),
            history: History::default(),
            series: Series::default(),
            pointer: None,
            new_paths: 0,
            reset: false,
        };
        let left = self.exchange(entry)?.map_err(|(_, why)| why)?;
        self.scenes.clear_redo();
        self.scenes.remember(left);
        Ok(())
    }

    /// Begins with another past, figures and edits to undo. Undoing that brings back the flock as it is
    /// now, unless it is too large to be kept.
    pub(super) fn leave(&mut self) -> Result<(), EngineError> {
        // A flock that is not shown is not called; the one that is goes on being called.
        let pointer = self.user_pointer;
        self.lift_pointer()?;
        self.scenes.clear_redo();
        let kept = (self.agents <= MAX_AGENTS).then(|| self.engine.snapshot());
        let mut undo = mem::take(&mut self.undo);
        self.undo.set_saved(undo.is_saved());
        undo.seal();
        let mut history = History::default();
        self.swap_history(&mut history);
        self.series.rest();
        let series = mem::take(&mut self.series);
        // A device that fails here fails again when the first state is loaded.
        match kept.and_then(Result::ok) {
            Some(Snapshot { state, targets }) => self.scenes.remember(SceneEntry {
                source: self.source.clone(),
                scene: Scene { targets, ..self.scene.clone() },
                original: self.original.clone(),
                initial: self.initial.clone(),
                state: Arc::new(state),
                undo,
                history,
                series,
                pointer: None,
                next_id: self.next_id,
                new_paths: self.new_paths,
                reset: true,
            }),
            None => self.scenes.behind.clear(),
        }
        (self.user_pointer, self.pointer) = (pointer, pointer);
        Ok(())
    }

    fn lift_pointer(&mut self) -> Result<(), EngineError> {
        match self.set_pointer(None) {
            Err(EditError::Lost(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Goes back to the scene before this one. Returns what happened, for the user.
    pub(super) fn go_back(&mut self) -> Result<String, EngineError> {
        let Some(entry) = self.scenes.behind.pop() else { return Ok("nothing to undo".into()) };
        Ok(match self.exchange(entry)? {
            Ok(left) => {
                let reset = left.reset;
                self.scenes.ahead.push(left);
                if reset {
                    "undone: reset".into()
                } else {
                    format!("undone: back to the scene {}", self.scene.name)
                }
            }
            Err((entry, why)) => {
                self.scenes.behind.push(entry);
                why
            }
        })
    }

    /// Goes to the scene that [`Self::go_back`] left.
    pub(super) fn go_forward(&mut self) -> Result<String, EngineError> {
        let Some(entry) = self.scenes.ahead.pop() else { return Ok("nothing to redo".into()) };
        Ok(match self.exchange(entry)? {
            Ok(left) => {
                let reset = left.reset;
                self.scenes.remember(left);
                if reset {
                    "redone: reset".into()
                } else {
                    format!("redone: the scene {}", self.scene.name)
                }
            }
            Err((entry, why)) => {
                self.scenes.ahead.push(entry);
                why
            }
        })
    }

    /// Puts the flock of `entry` into the engine and returns the one that was there; or says why the
    /// engine cannot take it, and then nothing has changed.
    fn exchange(
        &mut self,
        entry: SceneEntry,
    ) -> Result<Result<SceneEntry, (SceneEntry, String)>, EngineError> {
        if let Err(error) = self.engine.check_count(&entry.scene.world, entry.state.len() as u64) {
            return Ok(Err((entry, error.to_string())));
        }
        // A flock that is not shown is not called.
        self.lift_pointer()?;
        let snapshot = self.engine.snapshot()?;
        self.scene.targets = snapshot.targets;
        let wanted = Arc::clone(&entry.state);
        let left = self.swap(entry, Arc::new(snapshot.state));
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
        let (targets, meta) = (self.scene.targets.clone(), self.keyframe_meta());
        self.history.take(Keyframe { state, targets, meta }, (self.time)(), Duration::ZERO);
    }

    /// Exchanges the session's own part with `entry`. Returns what was there, with the state `now`.
    fn swap(&mut self, mut entry: SceneEntry, now: Arc<FlockState>) -> SceneEntry {
        mem::swap(&mut self.source, &mut entry.source);
        mem::swap(&mut self.scene, &mut entry.scene);
        mem::swap(&mut self.original, &mut entry.original);
        mem::swap(&mut self.initial, &mut entry.initial);
        mem::swap(&mut self.undo, &mut entry.undo);
        self.swap_history(&mut entry.history);
        self.series.rest();
        mem::swap(&mut self.series, &mut entry.series);
        mem::swap(&mut self.pointer, &mut entry.pointer);
        mem::swap(&mut self.next_id, &mut entry.next_id);
        mem::swap(&mut self.new_paths, &mut entry.new_paths);
        entry.state = now;
        self.undo.seal();
        self.clock.restart();
        self.profile = Profile::default();
        self.cost = 0.0;
        // After a reset it is the same scene.
        self.opened += u64::from(!entry.reset);
        entry
    }
}
