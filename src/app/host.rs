//! The window's interface to its host, which has the files.

use super::command::Command;
use flockwork_engine::gpu::Gpu;
use flockwork_engine::{Engine, EngineKind};
use flockwork_model::scene::Scene;
use flockwork_session::{Opening, Source};
use flockwork_view::frame::Frame;
use flockwork_view::recorder::Film;

/// Reads and makes scenes for the window, and writes its files. Errors are sentences for the user.
pub trait WindowHost {
    /// The built-in scene of this name, or the scene file at this path.
    fn read(&self, argument: &str) -> Result<Source, String>;

    /// Makes the first state of a flock that `engine` shall take.
    fn make(&self, source: Source, engine: &dyn Engine) -> Result<Opening, String>;

    /// The record of a flock, which says how it was made: from `scene`, at the size of its
    /// flock, by `engine`, on `gpu` if that engine runs there.
    fn record(&self, scene: &Scene, engine: EngineKind, gpu: &Gpu) -> String;

    /// Begins a film in a new file in the current folder, with a name as in [`Self::save`] and the
    /// ending of its format. The file appears when the film is complete. It has the record as its comment.
    /// Of an `exact` film no frame is dropped.
    fn film(
        &self,
        stem: &str,
        film: Film,
        exact: bool,
        record: String,
    ) -> Result<Box<dyn Filming>, String>;

    /// Writes the record of a flock beside the file of this name, for a format that has no place for it.
    fn save_record(&self, name: &str, record: &str) -> Result<(), String>;

    /// Writes a new file into the current folder. Its name begins with `stem` and ends with `ending`;
    /// what is between makes it new. Returns the name.
    fn save(&self, stem: &str, ending: &str, bytes: &[u8]) -> Result<String, String>;

    /// Keeps a session that the user has not saved, for a later window. Returns its path; none: there is
    /// no folder for it.
    fn keep(&self, stem: &str, text: &str) -> Result<Option<String>, String>;

    /// A link that opens a flock anywhere, on an engine of this kind, where the host has links. A source without an
    /// argument is a text.
    fn link(&self, _source: &Source, _engine: EngineKind) -> Option<String> {
        None
    }

    /// The path of the session that was kept last, unless a window has asked for it before.
    fn kept(&self) -> Option<String>;

    /// The wishes of the host since the last call.
    fn wishes(&self) -> Vec<Command> {
        Vec::new()
    }

    /// A frame has shown the flock at a tick.
    fn shown(&self, _tick: u64) {}

    /// Another device in place of one that a page has lost. The first call begins to open it; `None`: call
    /// again later.
    #[cfg(target_family = "wasm")]
    fn another_device(&self) -> Option<Result<std::sync::Arc<Gpu>, String>>;
}

/// A film that is encoded while the window goes on.
pub trait Filming {
    /// True if a frame can be taken at once.
    fn is_ready(&self) -> bool;

    /// Takes a frame; waits until there is room for it. A film has its frames at equal distances: if
    /// numbers are left out, the frame before is repeated.
    fn push(&mut self, number: u64, frame: Frame);

    /// There are no more frames.
    fn end(&mut self);

    /// The name of the file once it is complete, or why there is none. Never waits.
    fn poll(&mut self) -> Option<Result<String, String>>;

    /// Waits for what [`Self::poll`] returns. There are no more frames.
    fn finish(self: Box<Self>) -> Result<String, String>;
}
