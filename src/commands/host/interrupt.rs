//! Handles Ctrl-C during long commands, and during work that cannot be stopped half-way.
//!
//! After the first Ctrl-C the command ends early and keeps its results. A second one ends the
//! program at once, even while it waits.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::messages::note;
use super::progress::waiting;

/// The signals that ask a program to end.
#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Pause between looks for work that this thread can help with.
const PAUSE: Duration = Duration::from_millis(1);
/// Interval between checks of the flag.
const POLL: Duration = Duration::from_millis(50);
/// Work that is almost done at Ctrl-C gets this long to finish.
const GRACE: Duration = Duration::from_secs(1);
/// A second signal within this time counts as the first one: `timeout`, for example, sends it to
/// both the program and its process group.
const REARM: Duration = Duration::from_millis(500);

/// Makes a write beyond a limit on file sizes (`ulimit -f`) fail as on a full disk. By default the
/// system kills the program, and its temporary files stay.
pub fn survive_file_limits() {
    #[cfg(unix)]
    {
        // With a handler for the signal, the write fails; nothing reads the flag. A handler is not
        // inherited by child programs; an ignored signal would be.
        if !is_ignored(libc::SIGXFSZ) {
            // Without a handler the system kills the program, as by default.
            let flag = Arc::new(AtomicBool::new(false));
            let _ = flag::register(libc::SIGXFSZ, flag);
        }
    }
}

/// The flag of the signals, once they are watched.
static WATCHED: OnceLock<Interrupt> = OnceLock::new();

/// True once the user has asked the command to stop (Ctrl-C, or a termination signal).
#[derive(Clone, Default)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    /// A host's own way to learn of it.
    ask: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Interrupt {
    /// Starts to watch for Ctrl-C. Every call returns the same flag. A signal that was ignored when
    /// the program started stays ignored (`nohup`, or `&` in a script). A signal that cannot be
    /// watched ends the program at once, as by default.
    pub fn watch() -> Self {
        let flag = WATCHED.get_or_init(|| {
            let flag = Self::default();
            let armed = Arc::new(AtomicBool::new(false));
            for signal in SIGNALS.into_iter().filter(|signal| !is_ignored(*signal)) {
                if let Err(error) = flag.register(signal, &armed) {
                    note(&format!("cannot watch for signal {signal}: {error}"));
                }
            }
            flag.arm_after_first(armed);
            flag
        });
        flag.clone()
    }

    /// The flag of [`Interrupt::watch`]; a new one in a process that does not watch.
    pub fn watched() -> Self {
        if WATCHED.get().is_some() { Self::watch() } else { Self::default() }
    }

    /// A flag that is raised once `ask` says so, for a host that has its own signals.
    pub fn asking(ask: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { ask: Some(Arc::new(ask)), ..Self::default() }
    }

    /// Makes a signal raise the flag, and end the program once `armed` is true.
    fn register(&self, signal: i32, armed: &Arc<AtomicBool>) -> io::Result<()> {
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(armed))?;
        flag::register(signal, Arc::clone(&self.raised))?;
        Ok(())
    }

    /// Sets `armed` shortly after the first signal.
    fn arm_after_first(&self, armed: Arc<AtomicBool>) {
        let flag = self.clone();
        let arm = move || {
            while !flag.is_raised() {
                std::thread::sleep(POLL);
            }
            std::thread::sleep(REARM);
            armed.store(true, Ordering::SeqCst);
        };
        // If the thread cannot start, a second Ctrl-C does the same as the first.
        let _ = std::thread::Builder::new().name("signals".into()).spawn(arm);
    }

    /// Asks the command to stop.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// True once the command should stop.
    pub fn is_raised(&self) -> bool {
        let asked = || self.ask.as_ref().is_some_and(|ask| ask());
        if !self.raised.load(Ordering::Relaxed) && asked() {
            self.raise();
        }
        self.raised.load(Ordering::Relaxed)
    }

    /// Runs `work` with a spinner that shows `what`. Returns `None` if Ctrl-C comes long before the
    /// end; the work then continues in the background until the program ends.
    pub fn unless_raised<T: Send + 'static>(
        &self,
        what: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (done, result) = channel();
        // Shared, so that this thread can do the work if the other one cannot start.
        let work = Arc::new(Mutex::new(Some(work)));
        let take = |work: &Mutex<Option<_>>| work.lock().ok().and_then(|mut work| work.take());
        let other = Arc::clone(&work);
        let thread = std::thread::Builder::new().name("work".into()).spawn(move || {
            if let Some(work) = take(&other) {
                // After Ctrl-C the receiver is gone.
                let _ = done.send(work());
            }
        });
        if thread.is_err() {
            return take(&work).map(|work| work());
        }
        let spinner = waiting(what);
        let mut raised = None;
        let result = loop {
            // The calling thread is one of those that the work's parallel parts run on.
            let helped = rayon::yield_now() == Some(rayon::Yield::Executed);
            match result.recv_timeout(if helped { Duration::ZERO } else { PAUSE }) {
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

/// True if the program was started with this signal ignored.
#[cfg(unix)]
#[expect(unsafe_code, reason = "no library asks what happens at a signal without changing it")]
pub(super) fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action, `sigaction` only writes the current one to the given place,
    // which is zeroed before.
    let action = unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

#[cfg(not(unix))]
fn is_ignored(_: i32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_finishes_or_is_abandoned() {
        let interrupt = Interrupt::default();
        assert_eq!(interrupt.unless_raised("counting", || 7), Some(7));
        interrupt.raise();
        assert_eq!(interrupt.unless_raised("counting", || 7), Some(7), "short work is done");
        let (_held, endless) = channel::<()>();
        assert!(interrupt.unless_raised("waiting", move || endless.recv()).is_none());
    }
}
