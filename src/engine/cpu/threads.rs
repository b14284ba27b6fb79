//! The threads that the engine computes on.

use crate::engine::EngineError;

/// A pool of threads.
pub enum Threads {
    /// The threads that the whole program shares. If the calling thread is one of them, as the
    /// program's main thread is, no tick waits until another thread wakes up.
    Shared,
    /// Threads of the engine alone.
    Own(rayon::ThreadPool),
}

impl Threads {
    /// Starts `count` threads for the engine alone; `None` takes those of the program.
    pub fn new(count: Option<usize>) -> Result<Self, EngineError> {
        let Some(threads) = count else { return Ok(Self::Shared) };
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.thread_name(|index| format!("flock {index}")).build();
        pool.map(Self::Own)
            .map_err(|error| EngineError::Threads { threads, message: error.to_string() })
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        match self {
            Self::Shared => rayon::current_num_threads(),
            Self::Own(pool) => pool.current_num_threads(),
        }
    }

    /// Runs `work`; its parallel parts run on these threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self {
            Self::Shared => work(),
            Self::Own(pool) => pool.install(work),
        }
    }
}
