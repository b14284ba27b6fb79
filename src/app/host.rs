//! What the window asks of its host: files are the host's.

use crate::engine::Engine;
use crate::session::{Opening, Source};

/// Reads and makes scenes for the window, and writes its files. Errors are sentences for the user.
pub trait WindowHost {
    /// The built-in scene of this name, or the scene file at this path.
    fn read(&self, argument: &str) -> Result<Source, String>;

    /// Makes the first state of a flock that `engine` shall take.
    fn make(&self, source: Source, engine: &dyn Engine) -> Result<Opening, String>;

    /// Writes a new file into the current folder. Its name begins with `stem` and ends with `ending`;
    /// what is between makes it new. Returns the name.
    fn save(&self, stem: &str, ending: &str, bytes: &[u8]) -> Result<String, String>;
}
