//! Errors that decide the exit code.

/// An invalid command line. The program then exits with 2.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// A [`UsageError`] as an `anyhow` error.
pub fn wrong(problem: impl Into<String>) -> anyhow::Error {
    UsageError(problem.into()).into()
}

/// The user stopped the command. The program then exits with 130, as shells expect.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("interrupted: {kept}")]
pub struct Interrupted {
    /// The results that were kept, for the message.
    pub kept: String,
}
