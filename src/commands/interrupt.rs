//! Ctrl-C: what it does to a long command, and how it is heard during work that cannot be cut short.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::progress::waiting;

/// From one look at the flag to the next.
const LOOK: Duration = Duration::from_millis(50);
/// Work that is as good as done when Ctrl-C comes may still end.
const GRACE: Duration = Duration::from_secs(1);

/// A command that the user stopped. The program then exits with 130, as shells expect.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("interrupted: {kept}")]
pub struct Interrupted {
    /// What was kept, for the message.
    pub kept: String,
}

/// Whether the user asked the command to stop (Ctrl-C, or a termination signal).
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens for Ctrl-C from now on; the same flag on every call. Where no listener can be had,
    /// Ctrl-C ends the program at once, as it would without.
    #[must_use]
    pub fn listen() -> Self {
        static FLAG: OnceLock<Interrupt> = OnceLock::new();
        let flag = FLAG.get_or_init(|| {
            let flag = Self::default();
            let set = flag.clone();
            // The only error is a second handler, which leaves the first one in force.
            let _ = ctrlc::try_set_handler(move || set.raise());
            flag
        });
        flag.clone()
    }

    /// Asks the command to stop.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once the command should stop.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Does `work`, with a spinner that says `what` it is. None when Ctrl-C comes long before its
    /// end: the work then goes on behind the program's back until the program ends.
    pub fn unless_raised<T: Send + 'static>(
        &self,
        what: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (done, result) = channel();
        rayon::spawn(move || {
            // Nobody listens any more after Ctrl-C.
            let _ = done.send(work());
        });
        let spinner = waiting(what);
        let mut raised = None;
        let result = loop {
            match result.recv_timeout(LOOK) {
                Ok(result) => break Some(result),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) if self.is_raised() => {
                    let since = *raised.get_or_insert_with(Instant::now);
                    if since.elapsed() > GRACE {
                        break None;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        spinner.finish_and_clear();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_or_left_alone() {
        let interrupt = Interrupt::default();
        assert_eq!(interrupt.unless_raised("counting", || 7), Some(7));
        interrupt.raise();
        assert_eq!(interrupt.unless_raised("counting", || 7), Some(7), "short work is done");
        let (_held, endless) = channel::<()>();
        assert!(interrupt.unless_raised("waiting", move || endless.recv()).is_none());
    }
}
