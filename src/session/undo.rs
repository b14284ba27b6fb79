//! Edits that can be undone and redone.

use std::collections::HashMap;
use std::sync::Arc;

use super::looks::Looks;
use super::thing::Thing;
use flockwork_engine::Change;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::{POINTER, Scene, Species};
use flockwork_model::scenery::{Obstacle, Path};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// The number of edits that can be undone.
const MOST: usize = 200;

/// The subject of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Parameters of species.
    Parameters,
    /// The position of a target or an obstacle.
    Place(Thing),
    /// The list of targets, or of obstacles.
    Things,
    /// The first path.
    Path,
    /// The list of paths, or what one of them has besides its points.
    Paths,
    /// Obstacles that were painted.
    Walls,
    /// The list of species.
    Species,
    /// The name of a species.
    Name,
    /// Seek and flee exchanged.
    Turn,
    /// New agents.
    Agents,
    /// The number of agents of a species.
    Count,
    /// The looks of the flock.
    Looks,
}

impl Subject {
    /// True if the edits of one gesture, such as a drag, merge into one.
    fn merges(self) -> bool {
        matches!(self, Self::Parameters | Self::Place(_) | Self::Agents | Self::Looks | Self::Walls)
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Parameters => "parameters",
            Self::Place(Thing::Target(_)) => "place of a target",
            Self::Place(Thing::Obstacle(_)) => "place of an obstacle",
            Self::Place(Thing::PathPoint(..)) => "point of a path",
            Self::Things => "targets and obstacles",
            Self::Path => "path",
            Self::Paths => "paths",
            Self::Walls => "painted walls",
            Self::Species => "species",
            Self::Name => "name of a species",
            Self::Turn => "seek and flee",
            Self::Agents => "new agents",
            Self::Count => "number of agents",
            Self::Looks => "looks",
        })
    }
}

/// The parts of a scene that edits change.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    species: Vec<Species>,
    targets: Vec<Target>,
    obstacles: Vec<Obstacle>,
    paths: Vec<Path>,
}

impl Content {
    /// The content of `scene`.
    pub fn of(scene: &Scene) -> Self {
        Self {
            species: scene.species.clone(),
            targets: scene.targets.clone(),
            obstacles: scene.obstacles.clone(),
            paths: scene.paths.clone(),
        }
    }

    /// The parts that change from `other` to this content, for an engine.
    pub fn difference(&self, other: &Self) -> Change {
        let mut change = Change::default();
        if self.species != other.species {
            change |= Change::PARAMETERS;
        }
        if self.obstacles != other.obstacles || self.paths != other.paths {
            change |= Change::SCENERY;
        }
        // One that was removed and one that was added in its place are two targets.
        let rest = |target: &Target| {
            let (position, active) = (Point::ZERO, false);
            Target { position, active, ..target.clone() }
        };
        if !self.targets.iter().map(rest).eq(other.targets.iter().map(rest)) {
            return change | Change::TARGETS;
        }
        let targets = self.targets.iter().zip(&other.targets).enumerate();
        for (index, _) in targets.filter(|(_, (own, other))| own != other) {
            change |= Change::target(index);
        }
        change
    }

    /// Gives `scene` this content.
    pub fn put(&self, scene: &mut Scene) {
        scene.species.clone_from(&self.species);
        scene.targets.clone_from(&self.targets);
        scene.obstacles.clone_from(&self.obstacles);
        scene.paths.clone_from(&self.paths);
    }

    /// Copies the parts that differ from `other` into `scene`. Targets that the edit did not change
    /// keep their current positions, because they may move by themselves. The pointer stays where the user
    /// has it.
    fn put_where_different_from(&self, other: &Self, scene: &mut Scene) {
        if self.species != other.species {
            scene.species.clone_from(&self.species);
        }
        if self.obstacles != other.obstacles {
            scene.obstacles.clone_from(&self.obstacles);
        }
        if self.paths != other.paths {
            scene.paths.clone_from(&self.paths);
        }
        if self.targets.len() != other.targets.len() {
            let now = std::mem::replace(&mut scene.targets, self.targets.clone());
            let own_way = |target: &&mut Target| target.moves() || target.name == POINTER;
            for target in scene.targets.iter_mut().filter(own_way) {
                if let Some(now) = now.iter().find(|now| now.name == target.name) {
                    target.clone_from(now);
                }
            }
            return;
        }
        let targets = self.targets.iter().zip(&other.targets).zip(&mut scene.targets);
        for ((own, other), target) in targets {
            if own != other && own.name != POINTER {
                target.position = own.position;
            }
        }
    }
}

/// Agents that were added together.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// Their species.
    pub species: usize,
    /// Their positions.
    pub places: Vec<Point>,
    /// Number of agents more that come to places as at the start.
    pub newcomers: u32,
}

impl Dropped {
    /// Number of agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len() + self.newcomers as usize
    }

    /// True if it adds no agent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A change of the list of species.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// One was added at its end, with agents.
    Added,
    /// The one of this number was removed, with these agents.
    Removed(usize, Arc<FlockState>),
}

/// One edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// The subject.
    pub subject: Subject,
    /// The scene before it.
    pub before: Content,
    /// The scene after it.
    pub after: Content,
    /// The agents that the edit added, or those that it took away, where they were then.
    pub dropped: Vec<Dropped>,
    /// Their ids, or their last ones.
    pub ids: Vec<u32>,
    /// True if the edit took them away.
    pub takes: bool,
    /// The looks before and after it, if it has changed them; then it has changed nothing else.
    pub looks: Option<Box<[Looks; 2]>>,
    /// The species that came or went, if it has changed their list.
    pub member: Option<Member>,
}

impl Edit {
    /// An edit that has changed the scene alone.
    pub fn new(subject: Subject, before: Content, after: Content) -> Self {
        let (dropped, ids) = (Vec::new(), Vec::new());
        let (takes, looks, member) = (false, None, None);
        Self { subject, before, after, dropped, ids, takes, looks, member }
    }

    /// Restores the scene to its content before the edit.
    pub fn revert(&self, scene: &mut Scene) {
        self.before.put_where_different_from(&self.after, scene);
    }

    /// Makes the change of the edit again.
    pub fn repeat(&self, scene: &mut Scene) {
        self.after.put_where_different_from(&self.before, scene);
    }
}

/// Edits done, and edits undone.
#[derive(Debug)]
pub struct UndoStack {
    done: Vec<Edit>,
    undone: Vec<Edit>,
    /// True if the next edit is an entry of its own, whatever its subject.
    sealed: bool,
    /// Number of edits done when all were saved; none: that cannot be come back to.
    saved: Option<usize>,
}

impl Default for UndoStack {
    fn default() -> Self {
        Self { done: Vec::new(), undone: Vec::new(), sealed: false, saved: Some(0) }
    }
}

impl UndoStack {
    /// Adds an edit. It merges with the last one if both have the same subject and the gesture
    /// continues.
    pub fn push(&mut self, edit: Edit) {
        self.undone.clear();
        let sealed = std::mem::take(&mut self.sealed);
        // A save after this edit was undone is gone with the undone ones.
        let done = self.done.len();
        self.saved.take_if(|saved| *saved > done);
        match self.done.last_mut() {
            Some(last) if !sealed && last.subject == edit.subject && edit.subject.merges() => {
                self.saved.take_if(|saved| *saved == done);
                last.after = edit.after;
                last.dropped.extend(edit.dropped);
                last.ids.extend(edit.ids);
                if let (Some(own), Some(next)) = (&mut last.looks, edit.looks) {
                    let [_, after] = *next;
                    own[1] = after;
                }
            }
            _ => self.done.push(edit),
        }
        if self.done.len() > MOST {
            self.done.remove(0);
            self.saved = self.saved.and_then(|saved| saved.checked_sub(1));
        }
    }

    /// Ends a gesture: the next edit is an entry of its own.
    pub fn seal(&mut self) {
        self.sealed = true;
    }

    /// Removes and returns the last edit, to undo it.
    pub fn take_done(&mut self) -> Option<Edit> {
        self.done.pop()
    }

    /// Removes and returns the last undone edit, to redo it.
    pub fn take_undone(&mut self) -> Option<Edit> {
        self.undone.pop()
    }

    /// True if the last edit, or the last one undone, has changed looks alone.
    pub fn is_about_looks(&self, undone: bool) -> bool {
        let last = if undone { self.undone.last() } else { self.done.last() };
        last.is_some_and(|edit| edit.looks.is_some())
    }

    /// Records that `edit` was undone.
    pub fn was_undone(&mut self, edit: Edit) {
        self.sealed = true;
        self.undone.push(edit);
    }

    /// Records that `edit` was redone, or could not be undone.
    pub fn was_done(&mut self, edit: Edit) {
        self.sealed = true;
        self.done.push(edit);
    }

    /// The agents of `edit` have come again, with other ids. Other edits may be about them too.
    pub fn renumber(&mut self, edit: &mut Edit, ids: Vec<u32>) {
        let new: HashMap<u32, u32> = edit.ids.iter().copied().zip(ids.iter().copied()).collect();
        let edits = self.done.iter_mut().chain(&mut self.undone);
        for id in edits.flat_map(|edit| &mut edit.ids) {
            *id = new.get(id).copied().unwrap_or(*id);
        }
        edit.ids = ids;
    }

    /// Removes all edits. Unsaved edits are still unsaved.
    pub fn clear(&mut self) {
        *self = Self { saved: self.is_saved().then_some(0), ..Self::default() };
    }

    /// True if there are no edits since they were saved.
    pub fn is_saved(&self) -> bool {
        self.saved == Some(self.done.len())
    }

    /// All edits are saved, or some are not whatever is undone.
    pub fn set_saved(&mut self, saved: bool) {
        self.saved = saved.then_some(self.done.len());
    }
}
