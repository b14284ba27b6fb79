//! The user's commands in the panels.

use super::keys::Action;
use flockwork_model::scene::{Request, Species};
use flockwork_model::scenery::Path;
use flockwork_session::{Looks, Speed, Thing};

/// An action that runs after the frame that asked for it.
#[derive(Clone, Debug)]
pub enum Command {
    /// The action of a key.
    Act(Action),
    /// Open a built-in scene by name, or a file by its path.
    Open(String),
    /// Start the scene again, with another count, density or seed.
    Restart(Request),
    /// Go to a tick.
    GoTo(u64),
    /// Let time go this fast.
    Speed(Speed),
    /// Tell the user something.
    Tell(String),
    /// Change parameters.
    Change(Vec<Species>),
    /// Change what the flock looks like.
    Looks(Box<Looks>),
    /// Make pictures and films of this size, or of the window's.
    PictureSize(Option<(u32, u32)>),
    /// Add a target in the middle of the view.
    AddTarget,
    /// Add an obstacle in the middle of the view.
    AddObstacle,
    /// Take away a target or an obstacle.
    Remove(Thing),
    /// Take away a path.
    RemovePath(usize),
    /// Change what a path has besides its points.
    SetPath(usize, Box<Path>),
    /// Add a species like the one of this number.
    AddSpecies(usize),
    /// Remove a species and its agents.
    RemoveSpecies(usize),
    /// Set the number of agents of a species.
    SetCount(usize, u64),
    /// Give a species another name.
    RenameSpecies(usize, String),
}
