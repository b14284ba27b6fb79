//! The threads that the engine computes on.

use crate::EngineError;

/// Bytes of address space that a thread takes if nothing else is asked for: its stack, and room for
/// what the system and the standard library keep for it.
const THREAD: usize = (2 << 20) + (64 << 10);

/// Threads of the engine alone; `None` stands for those that the whole program shares. If the calling
/// thread is one of them, as the program's main thread is, no tick waits until another thread wakes up.
pub struct Threads(Option<rayon::ThreadPool>);

impl Threads {
    /// Starts `count` threads for the engine alone; `None` takes the program's. In a browser there is one.
    pub fn new(count: Option<usize>) -> Result<Self, EngineError> {
        let count = count.filter(|_| cfg!(not(target_family = "wasm")));
        let Some(threads) = count else { return Ok(Self(None)) };
        if !fit(threads) {
            let message = "there is no memory for their stacks".to_owned();
            return Err(EngineError::Threads { threads, message });
        }
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.thread_name(|index| format!("flock {index}")).build();
        pool.map(|pool| Self(Some(pool)))
            .map_err(|error| EngineError::Threads { threads, message: error.to_string() })
    }

    pub fn count(&self) -> usize {
        match &self.0 {
            None => rayon::current_num_threads(),
            Some(pool) => pool.current_num_threads(),
        }
    }

    /// Runs `work`; its parallel parts run on these threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            None => work(),
            Some(pool) => pool.install(work),
        }
    }
}

/// Whether there is address space for `count` more threads. The standard library aborts the program
/// if a thread has a stack but finds no room for the rest.
pub fn fit(count: usize) -> bool {
    let stack = std::env::var("RUST_MIN_STACK").ok().and_then(|bytes| bytes.parse().ok());
    let thread = stack.map_or(THREAD, |stack: usize| THREAD.max(stack.saturating_add(64 << 10)));
    Vec::<u8>::new().try_reserve_exact(count.saturating_mul(thread)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_without_room_for_their_stacks_are_not_started() {
        assert!(fit(1) && !fit(usize::MAX));
        let error = Threads::new(Some(usize::MAX)).err().unwrap().to_string();
        assert!(error.ends_with("threads: there is no memory for their stacks"), "{error}");
    }
}
