//! The scene of a flock, what was edited in it, and what it was made from.

use std::sync::Arc;

use super::source::Source;
use super::undo::UndoStack;
use super::{after_last_id, before_edits, scene_ops};
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// A scene and its edits.
#[derive(Clone, Debug)]
pub struct Editor {
    /// The source of the flock.
    pub source: Source,
    /// The scene with all edits. Targets that move by themselves are where they were last read.
    pub scene: Scene,
    /// The scene before all edits.
    pub original: Scene,
    /// The state that a reset restores; `None` in a run that cannot be reset.
    pub initial: Option<Arc<FlockState>>,
    pub undo: UndoStack,
    /// The id of the next new agent.
    pub next_id: u64,
    /// Where the flock is called to.
    pub pointer: Option<Point>,
    /// The user's pointer. A replay may call the flock elsewhere.
    pub user_pointer: Option<Point>,
    /// Random paths since the start.
    pub new_paths: u32,
}

impl Editor {
    /// A scene without edits.
    pub fn new(scene: &Scene) -> Self {
        let scene = before_edits(scene);
        Self {
            source: Source::default(),
            original: scene.clone(),
            scene,
            initial: None,
            undo: UndoStack::default(),
            next_id: 0,
            pointer: None,
            user_pointer: None,
            new_paths: 0,
        }
    }

    /// The same with the state that a reset restores.
    pub fn starting_with(self, state: &Arc<FlockState>) -> Self {
        Self { initial: Some(Arc::clone(state)), next_id: after_last_id(state), ..self }
    }

    /// Number of agents with which the edited scene starts. The flock has `agents` now.
    pub fn start_count(&self, agents: usize) -> u64 {
        let all = self.scene.own_count();
        let counted = self.scene.species.iter().any(|species| species.counted);
        if counted { all } else { self.scaled(all, agents) }
    }

    /// A count of the scene's file, scaled as the flock was.
    pub fn scaled(&self, count: u64, agents: usize) -> u64 {
        let agents = self.initial.as_ref().map_or(agents, |state| state.len()) as u64;
        let own = u128::from(self.original.own_count().max(1));
        let scaled = (u128::from(count) * u128::from(agents) + own / 2) / own;
        scaled.max(u128::from(count > 0)) as u64
    }

    /// The scene as it is edited, with targets that move by themselves where they start.
    pub fn edited(&self) -> Scene {
        let mut scene = self.scene.clone();
        for (target, first) in scene.targets.iter_mut().zip(&self.original.targets) {
            if target.moves() {
                target.clone_from(first);
            }
        }
        scene
    }

    /// [`Session::file`](super::Session::file) of a flock that has `agents` now.
    pub fn file(&self, agents: usize) -> String {
        self.source.edited(&self.edited(), self.start_count(agents))
    }

    /// Puts targets, obstacles and paths where they were at the start, and seek and flee as they were. Things
    /// that the user has added stay, and those removed stay away.
    pub fn reset(&mut self) {
        let Self { scene, original, .. } = self;
        if scene_ops::is_swapped(scene, original) {
            scene_ops::swap_seek_flee(scene, original);
        }
        self.new_paths = 0;
        for target in &mut scene.targets {
            if let Some(first) = original.targets.iter().find(|t| t.name == target.name) {
                target.clone_from(first);
            }
        }
        if scene.obstacles.len() == original.obstacles.len() {
            scene.obstacles.clone_from(&original.obstacles);
        }
        for path in &mut scene.paths {
            if let Some(first) = original.paths.iter().find(|p| p.name == path.name) {
                path.points.clone_from(&first.points);
            }
        }
    }
}
