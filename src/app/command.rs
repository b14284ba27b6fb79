//! The commands of the user in the panels, and of a host.

use super::keys::Action;
use flockwork_model::scene::Request;
use flockwork_session::{Edit, Speed};

/// An action that runs after the frame that asked for it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Command {
    /// The action of a key.
    Act(Action),
    /// Open a built-in scene by name, or a file by its path.
    Open(String),
    /// Show the flock of a text: a scene, or a saved session.
    OpenText {
        /// Stands for the text in messages.
        name: String,
        /// TOML.
        text: String,
    },
    /// Start the scene again, with another count, density or seed.
    Restart(Request),
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
