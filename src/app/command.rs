//! The user's commands in the panels.

use super::host::Wish;
use super::keys::Action;
use flockwork_model::scene::Request;
use flockwork_session::{Edit, Speed};

/// An action that runs after the frame that asked for it.
#[derive(Clone, Debug)]
pub enum Command {
    /// The action of a key.
    Act(Action),
    /// Open a built-in scene by name, or a file by its path.
    Open(String),
    /// Start the scene again, with another count, density or seed.
    Restart(Request),
    /// Do what the host asks for.
    Wish(Wish),
    /// Go to a tick.
    GoTo(u64),
    /// Let time go this fast.
    Speed(Speed),
    /// Tell the user something.
    Tell(String),
    /// Change the flock.
    Edit(Edit),
    /// Make pictures and films of this size, or of the window's.
    PictureSize(Option<(u32, u32)>),
}
