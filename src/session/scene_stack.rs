//! From scene to scene and back.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use super::copies::MAX_COPIED;
use super::editor::Editor;
use super::history::Keyframe;
use super::source::Opening;
use super::timeline::Timeline;
use super::undo::UndoStack;
use super::{Clock, EditError, Session};
use flockwork_engine::{EngineError, Snapshot};
use flockwork_model::state::FlockState;

/// Most scenes to come back to. All together have [`MAX_COPIED`] agents at most.
const MAX_SCENES: usize = 50;

/// A flock that is not in the engine, with all that is needed to go on with it.
#[derive(Debug)]
struct SceneEntry {
    editor: Editor,
    timeline: Timeline,
    state: Arc<FlockState>,
    /// True if the same scene was reset in between.
    reset: bool,
}

/// The flocks before and after the one that is shown.
#[derive(Debug, Default)]
pub struct SceneStack {
    behind: Vec<SceneEntry>,
    ahead: Vec<SceneEntry>,
    /// Scenes opened so far.
    pub opened: u64,
}

impl SceneStack {
    /// Forgets the flocks to go forward to: the user went another way.
    pub fn clear_redo(&mut self) {
        self.ahead.clear();
    }

    /// The flocks to go back to, or forward to.
    fn side(&mut self, back: bool) -> &mut Vec<SceneEntry> {
        if back { &mut self.behind } else { &mut self.ahead }
    }

    /// The flocks of other scenes, and of earlier starts of this one: each with its tick and its number of
    /// agents. A flock before a reset is none of them.
    pub fn others(&self) -> impl Iterator<Item = (&Editor, &Timeline, (u64, usize))> {
        let others = self.behind.iter().chain(&self.ahead).filter(|entry| !entry.reset);
        others.map(|SceneEntry { editor, timeline, state, .. }| {
            (editor, timeline, (state.tick, state.len()))
        })
    }

    /// Nothing is lost with the flock that was left last.
    pub fn set_last_saved(&mut self) {
        if let Some(left) = self.behind.last_mut() {
            left.editor.undo.set_saved(true);
        }
    }

    fn remember(&mut self, entry: SceneEntry) {
        self.behind.push(entry);
        let agents = |all: &[SceneEntry]| all.iter().map(|entry| entry.state.len()).sum::<usize>();
        while self.behind.len() > MAX_SCENES || agents(&self.behind) > MAX_COPIED {
            self.behind.remove(0);
        }
    }
}

impl<C: Clock> Session<C> {
    /// Starts another scene. Undoing that brings this one back as it was left, with its own edits to
    /// undo. If the engine cannot take the other flock, this one goes on.
    pub fn open(&mut self, opening: Opening) -> Result<(), EditError> {
        let Opening { source, scene, state } = opening;
        let state = Arc::new(state);
        let editor = Editor { source, ..Editor::new(&scene).starting_with(&state) };
        let entry = SceneEntry { editor, timeline: Timeline::default(), state, reset: false };
        let now = self.snapshot_without_pointer()?;
        let mut left = self.exchange(entry, now)?.map_err(|(_, why)| why)?;
        left.editor.undo.clear_redo();
        self.scenes.clear_redo();
        self.scenes.remember(left);
        Ok(())
    }

    /// Begins with another past, metrics and edits to undo. Undoing that brings back the flock as it is
    /// now, unless it is too large to be kept.
    pub(super) fn remember_before_reset(&mut self) -> Result<(), EngineError> {
        let kept = (self.runner.agents <= MAX_COPIED).then(|| self.runner.engine.snapshot());
        if kept == Some(Err(EngineError::NotYet)) {
            return Err(EngineError::NotYet);
        }
        // A flock that is not shown is not called; the one that is goes on being called.
        let pointer = self.editor.user_pointer;
        self.lift_pointer()?;
        self.scenes.clear_redo();
        let undo = UndoStack::default();
        let mut undo = mem::replace(&mut self.editor.undo, undo);
        self.editor.undo.set_saved(undo.is_saved());
        undo.sealed = true;
        undo.clear_redo();
        let mut timeline = Timeline::default();
        self.timeline.exchange(&mut timeline);
        // A device that fails here fails again when the first state is loaded.
        match kept.and_then(Result::ok) {
            Some(Snapshot { state, targets }) => {
                let scene = self.editor.scene.with_targets(targets);
                let editor = Editor { scene, undo, ..self.editor.clone() };
                let state = Arc::new(state);
                self.scenes.remember(SceneEntry { editor, timeline, state, reset: true });
            }
            None => self.scenes.behind.clear(),
        }
        (self.editor.user_pointer, self.editor.pointer) = (pointer, pointer);
        Ok(())
    }

    fn lift_pointer(&mut self) -> Result<(), EngineError> {
        match self.set_pointer(None) {
            Err(EditError::Engine(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Goes to the scene before this one, or forward to the one that this has left. Returns what happened,
    /// for the user.
    pub(super) fn change_flock(&mut self, back: bool) -> Result<String, EditError> {
        let words =
            if back { ["undo", "undone", "back to the"] } else { ["redo", "redone", "the"] };
        let [name, done, to] = words;
        let is_empty = self.scenes.side(back).is_empty();
        let now = if is_empty { Snapshot::default() } else { self.snapshot_without_pointer()? };
        let from = self.scenes.side(back);
        let Some(entry) = from.pop() else { return Err(format!("nothing to {name}").into()) };
        match self.exchange(entry, now)? {
            Ok(left) => {
                let what = match left.reset {
                    true => "reset".into(),
                    false => format!("{to} scene {}", self.editor.scene.name),
                };
                match back {
                    true => self.scenes.ahead.push(left),
                    false => self.scenes.remember(left),
                }
                Ok(format!("{done}: {what}"))
            }
            Err((entry, why)) => {
                self.scenes.side(back).push(entry);
                Err(why.into())
            }
        }
    }

    /// The flock that is about to be left. One that is not shown is not called.
    fn snapshot_without_pointer(&mut self) -> Result<Snapshot, EngineError> {
        let now = self.runner.engine.snapshot()?;
        self.lift_pointer()?;
        Ok(now)
    }

    /// Puts the flock of `entry` into the engine and returns the one that was there, `now`; or says why the
    /// engine cannot take it, and then nothing has changed.
    fn exchange(
        &mut self,
        entry: SceneEntry,
        now: Snapshot,
    ) -> Result<Result<SceneEntry, (SceneEntry, String)>, EngineError> {
        if let Err(error) =
            self.runner.engine.check_count(&entry.editor.scene, entry.state.len() as u64)
        {
            return Ok(Err((entry, error.to_string())));
        }
        self.editor.scene.targets = now.targets;
        let wanted = Arc::clone(&entry.state);
        let left = self.swap(entry, Arc::new(now.state));
        match self.load(Arc::clone(&wanted)) {
            Ok(()) => {
                self.finish_load()?;
                self.resume_history(wanted);
                Ok(Ok(left))
            }
            Err(error @ EngineError::Lost { .. }) => Err(error),
            Err(error) => {
                let state = Arc::clone(&left.state);
                let refused = self.swap(left, wanted);
                self.load(state)?;
                self.finish_load()?;
                Ok(Err((refused, error.to_string())))
            }
        }
    }

    /// Begins the past of a new flock, or goes on with the past of one left before, at this state.
    fn resume_history(&mut self, state: Arc<FlockState>) {
        if self.timeline.history.start().is_none() {
            return self.begin_history();
        }
        let (targets, meta) = (self.editor.scene.targets.clone(), self.keyframe_meta());
        let keyframe = Keyframe { state, targets, meta };
        self.timeline.history.take(keyframe, self.runner.now(), Duration::ZERO);
    }

    /// Exchanges the session's own part with `entry`. Returns what was there, with the state `now`.
    fn swap(&mut self, mut entry: SceneEntry, now: Arc<FlockState>) -> SceneEntry {
        mem::swap(&mut self.editor, &mut entry.editor);
        self.timeline.exchange(&mut entry.timeline);
        entry.state = now;
        self.editor.undo.sealed = true;
        self.clock.restart();
        self.runner.forget_times();
        // After a reset it is the same scene.
        self.scenes.opened += u64::from(!entry.reset);
        entry
    }
}
