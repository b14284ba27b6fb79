//! Errors as Python raises them, with the sentences of the command line.

use flockwork::commands::host::errors::UsageError;
use flockwork::scene::Origin;
use flockwork::{EngineError, Error, SceneError, TooFast, UnknownMetric};
use pyo3::exceptions::{
    PyBufferError, PyFileNotFoundError, PyKeyError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

/// An error of a call.
pub enum Fault {
    /// `ValueError`.
    Value(String),
    /// `KeyError`: a key, a metric or an id that is not there.
    Key(String),
    /// `FileNotFoundError`.
    Missing(String),
    /// `OSError`.
    System(String),
    /// `RuntimeError`: no device, or a lost one.
    Device(String),
    /// `BufferError`: arrays of a view are in use.
    Lent,
    /// An exception of Python itself, such as `KeyboardInterrupt`.
    Python(PyErr),
}

/// A sentence with the names of arguments in place of the command line's options: a caller has no options.
fn in_python(text: &str) -> String {
    let mut parts = text.split("--");
    let mut own = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        let end = part.find(|letter| !is_name(letter)).unwrap_or(part.len());
        let (option, rest) = part.split_at(end);
        if option.is_empty() || own.ends_with(|letter: char| letter.is_alphanumeric()) {
            own += "--";
            own += part;
            continue;
        }
        own += &match option {
            "out" | "init" => "path".into(),
            // Keys of a scene are arguments themselves.
            "set" => String::new(),
            option => option.replace('-', "_"),
        };
        // Behind it clap names the kind of its value.
        let kind = rest.strip_prefix(" <").and_then(|rest| rest.split_once('>'));
        let rest = kind.map_or(rest, |(_, rest)| rest);
        own += if option == "set" { rest.trim_start() } else { rest };
    }
    own
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Value(text) => PyValueError::new_err(in_python(&text)),
            Fault::Key(text) => key_error(in_python(&text)),
            Fault::Missing(text) => PyFileNotFoundError::new_err(in_python(&text)),
            Fault::System(text) => PyOSError::new_err(in_python(&text)),
            Fault::Device(text) => PyRuntimeError::new_err(in_python(&text)),
            Fault::Lent => PyBufferError::new_err(
                "arrays of a view are still in use, and this call would change them; copy what you keep, and \
                 let the others go",
            ),
            Fault::Python(error) => error,
        }
    }
}

/// A `KeyError` that prints its sentence as it is, where Python's own prints it in quotes.
fn key_error(text: String) -> PyErr {
    Python::attach(|py| {
        let of_package =
            || py.import("pyflockwork._errors")?.getattr("MissingKey")?.call1((&text,));
        match of_package() {
            Ok(error) => PyErr::from_value(error),
            Err(_) => PyKeyError::new_err(text),
        }
    })
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        let text = error.to_string();
        match error {
            EngineError::NoAgent { .. } => Self::Key(text),
            EngineError::NoAdapter(_)
            | EngineError::Lost { .. }
            | EngineError::Device { .. }
            | EngineError::Threads { .. } => Self::Device(text),
            _ => Self::Value(text),
        }
    }
}

/// True for the sentence about a key or a species that a scene does not have.
fn is_unknown(text: &str) -> bool {
    text.contains(": unknown key") || text.contains(": the scene has no such")
}

impl From<SceneError> for Fault {
    fn from(error: SceneError) -> Self {
        // Python has no option `--set`.
        let text = match &error.origin {
            Origin::Set(_) if error.key.is_empty() => error.problem.clone(),
            Origin::Set(_) => format!("{}: {}", error.key, error.problem),
            Origin::Line { .. } => error.to_string(),
        };
        if is_unknown(&text) { Self::Key(text) } else { Self::Value(text) }
    }
}

impl From<TooFast> for Fault {
    fn from(error: TooFast) -> Self {
        Self::Value(error.to_string())
    }
}

impl From<UnknownMetric> for Fault {
    fn from(error: UnknownMetric) -> Self {
        let text = error.to_string();
        match error {
            UnknownMetric::Name(..) | UnknownMetric::Species(..) => Self::Key(text),
            _ => Self::Value(text),
        }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::Missing(error.to_string()),
            _ => Self::System(error.to_string()),
        }
    }
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Self {
        let text = format!("{error:#}");
        if let Some(cause) = error.downcast_ref::<EngineError>() {
            return cause.clone().into();
        }
        if let Some(cause) = error.downcast_ref::<SceneError>() {
            return cause.clone().into();
        }
        if error.downcast_ref::<UsageError>().is_some() {
            return if is_unknown(&text) { Self::Key(text) } else { Self::Value(text) };
        }
        let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
        match causes.next().map(std::io::Error::kind) {
            Some(std::io::ErrorKind::NotFound) => Self::Missing(text),
            Some(_) => Self::System(text),
            None => Self::Value(text),
        }
    }
}

/// Errors of the library that are sentences about values.
macro_rules! values {
    ($($error:ty)*) => {
        $(impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                Self::Value(error.to_string())
            }
        })*
    };
}

values! { flockwork::PopulateError flockwork::FileError Error toml::ser::Error toml::de::Error }

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}
