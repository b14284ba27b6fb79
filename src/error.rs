//! One error for all calls of an embedding program.

use flockwork_engine::EngineError;
use flockwork_model::scene::{PopulateError, SceneError};
use flockwork_model::statistics::{TooFast, UnknownMetric};
use flockwork_session::{EditError, RecordingError};

/// An error of the library. Each layer has its own error; `?` converts any of them into this one,
/// which has the same message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A scene's text has a mistake.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A scene cannot have this many agents, or this large a world.
    #[error(transparent)]
    Populate(#[from] PopulateError),
    /// An engine or a device cannot continue.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A session cannot make an edit.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A text is no session, or a session no text.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// No metric has this name.
    #[error(transparent)]
    Metric(#[from] UnknownMetric),
    /// Agents are too fast for their ways to be known from one state to the next.
    #[error(transparent)]
    Travel(#[from] TooFast),
    /// A file cannot be read: its path, the problem and the remedy.
    #[cfg(feature = "io")]
    #[error("{0}")]
    Read(String),
    /// A state file cannot be read.
    #[cfg(feature = "io")]
    #[error(transparent)]
    File(#[from] flockwork_model::io::FileError),
    /// A picture or a film cannot be written.
    #[cfg(feature = "view")]
    #[error(transparent)]
    Record(#[from] flockwork_view::recorder::RecordError),
    /// There is no window.
    #[cfg(feature = "app")]
    #[error(transparent)]
    Window(#[from] flockwork_app::WindowError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::scene::Scene;

    /// A program that embeds the library.
    fn mistaken(text: &str, count: u64) -> Result<usize, Error> {
        let scene = Scene::parse("mine", text)?;
        let request = flockwork_model::scene::Request { count: Some(count), ..Default::default() };
        Ok(scene.populate(&request)?.1.len())
    }

    #[test]
    fn every_layer_says_what_is_wrong_in_its_own_words() {
        let text = flockwork_model::scene::BuiltIn::named("flock").unwrap().text;
        assert_eq!(mistaken(text, 7).unwrap(), 7);
        let error = mistaken(&text.replace("weight", "wieght"), 7).unwrap_err();
        assert!(
            matches!(error, Error::Scene(_)) && error.to_string().contains("wieght"),
            "{error}"
        );
        let error = mistaken(text, 0).unwrap_err();
        assert!(matches!(error, Error::Populate(_)) && error.to_string().contains("--count 0"));
        let lost = EngineError::NoAdapter("no GPU adapter found".into());
        assert_eq!(Error::from(lost).to_string(), "no GPU adapter found");
        let refused = EditError::Refused("no species wolf".into());
        assert_eq!(Error::from(refused).to_string(), "no species wolf");
    }
}
