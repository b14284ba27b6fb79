//! Text for people: messages on stderr, results on stdout.
//!
//! Nothing else in the program prints. `println!` and its relatives panic if the text cannot be
//! written, and the files under way would be lost with the run.

use std::io::{self, Write};
use std::path::Path;

use super::ranks;
use flockwork_model::quote::{self, readable, visible};

/// Prints a message on stderr. One that cannot be written is dropped: the run matters more.
pub fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "{}", readable(&message));
}

/// The same, once; of several ranks only the first prints it.
pub fn tell(message: &str) {
    if ranks::is_root() {
        warn(message);
    }
}

/// The same for a whole sentence, behind the name of the program.
pub fn note(sentence: &str) {
    tell(&format!("flockwork: {sentence}"));
}

/// Prints a result on stdout; of several ranks only the first does.
pub fn say(text: &str) -> anyhow::Result<()> {
    if !ranks::is_root() {
        return Ok(());
    }
    let mut stdout = io::stdout().lock();
    said(stdout.write_all(visible(text).as_bytes()).and_then(|()| stdout.flush()))
}

/// The name of a file on one line.
pub fn shown(path: &Path) -> String {
    quote::shown(&path.display().to_string()).into_owned()
}

/// An error with its causes, in one line.
pub fn sentence(error: anyhow::Error) -> String {
    readable(&format!("{error:#}"))
}

/// The outcome of writing to stdout. A closed pipe is no error: its reader has read enough.
pub fn said(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(anyhow::anyhow!(
            "cannot write the results to stdout: {error}; send them to another place"
        )),
        _ => Ok(()),
    }
}
