//! Checks that there is memory for a flock before any of it is allocated. The system kills a
//! program that runs out of memory, and its unfinished files stay.

use super::arg_parsers::Size;
use super::ranks;
use crate::commands::files::metrics_file::MAX_WAITING;
use flockwork_engine::Engine;
use flockwork_engine::cpu::threads_fit;
use flockwork_model::kept::KeptRow;
use flockwork_model::scene::{Request, Scene};
use flockwork_model::statistics::{self, Unwrapping};
use flockwork_view::words::{counted, size_text};

/// Bytes per agent of a state on the host: position, velocity, id, memory, species, and numbers that it keeps.
fn state_bytes(scene: &Scene) -> u64 {
    let keeps = !scene.kept_names().is_empty();
    2 * 12 + 4 + 4 + 1 + if keeps { size_of::<KeptRow>() as u64 } else { 0 }
}

/// Bytes per agent on the host while the engine is unknown.
const ENGINE: u64 = 70;

/// Bytes of the program itself: shaders, files, caches.
const PROGRAM: u64 = 64 << 20;

/// Smaller flocks are not checked: they take less than the program itself.
const SMALL: u64 = 100_000;

/// Fails if there is not enough memory for a flock in all of `engines` at once. `engines` is empty
/// if they are not known yet.
pub fn check<'a>(
    scene: &Scene,
    request: &Request,
    engines: impl IntoIterator<Item = &'a dyn Engine>,
) -> anyhow::Result<()> {
    if request.count.unwrap_or(scene.own_count()) < SMALL {
        return Ok(());
    }
    let mut scene = scene.clone();
    let count = scene.resize(request)?;
    let cells = scene.cells(count as usize) as u64;
    let each = engines.into_iter().map(|engine| engine.host_bytes(&scene, count, cells));
    let all = each.reduce(|all, one| all + one);
    // Several ranks do not know what their engines need together.
    let all = all.filter(|all| *all > 0).unwrap_or(ENGINE * count);
    // Two states: the one that is loaded or written, and the next.
    let whole = 2 * state_bytes(&scene) * count + all;
    check_agents(count, on_this_machine(whole, ranks::on_this_machine()))
}

/// Fails if there is not enough memory for `more` agents beside the `agents` that `engine` has: the agents of
/// an edit or of a replayed session.
pub fn check_more(
    scene: &Scene,
    agents: u64,
    more: u64,
    engine: &dyn Engine,
) -> Result<(), String> {
    let count = agents.saturating_add(more);
    if count < SMALL {
        return Ok(());
    }
    let cells = scene.cells(count as usize) as u64;
    let states = (2 * state_bytes(scene)).saturating_mul(more);
    let whole = states.saturating_add(engine.host_bytes(scene, more, cells));
    let agents = counted(more, "more agent");
    check_bytes(&agents, "add fewer", PROGRAM.saturating_add(whole))
        .map_err(|error| error.to_string())
}

/// This machine's part of the `whole` bytes that all ranks need: `beside` of `all` ranks are on it.
fn on_this_machine(whole: u64, [beside, all]: [usize; 2]) -> u64 {
    PROGRAM * beside as u64 + (u128::from(whole) * beside as u128 / all as u128) as u64
}

/// Fails if there is not enough memory for pictures of a flock between two ticks: the states of both and
/// the one between, sorted once more.
pub fn check_blur(scene: &Scene, agents: usize) -> anyhow::Result<()> {
    let count = agents as u64;
    if count < SMALL {
        return Ok(());
    }
    let agents = format!("{} in a blurred film", counted(count, "agent"));
    check_bytes(
        &agents,
        "leave --blur out, or lower --count",
        PROGRAM + (3 * state_bytes(scene) + ENGINE) * count,
    )
}

/// Fails if there is not enough memory to compute metrics, some of them about how far agents come if `follows`.
/// The flock exists already, but it is not yet in `engine`.
pub fn check_metrics(
    scene: &Scene,
    agents: usize,
    follows: bool,
    engine: &dyn Engine,
) -> anyhow::Result<()> {
    let count = agents as u64;
    if count < SMALL {
        return Ok(());
    }
    let cells = scene.cells(agents) as u64;
    let metrics = statistics::BYTES[0] * count + statistics::BYTES[1] * cells;
    // The next state, the state whose metrics are computed, and the waiting states in between.
    let travel = if follows { Unwrapping::BYTES } else { 0 };
    let states = (state_bytes(scene) + travel) * (2 * count + (MAX_WAITING as u64).max(2 * count));
    check_agents(count, PROGRAM + states + metrics + engine.host_bytes(scene, count, cells))
}

/// Fails if the samples of a run, `wanted` bytes, do not fit the memory.
pub fn check_samples(wanted: u64) -> anyhow::Result<()> {
    check_bytes("the samples of this run", "take fewer of them", PROGRAM.saturating_add(wanted))
}

fn check_agents(count: u64, wanted: u64) -> anyhow::Result<()> {
    check_bytes(&counted(count, "agent"), "lower --count", wanted)
}

/// Fails if pictures with this number of bytes per pixel do not fit the memory.
pub fn check_pictures(size: Size, bytes_per_pixel: u64) -> anyhow::Result<()> {
    let Size { width, height } = size;
    let bytes = (u64::from(width) * u64::from(height)).saturating_mul(bytes_per_pixel);
    if bytes < PROGRAM {
        return Ok(());
    }
    let pictures = format!("pictures of {width}x{height} pixels");
    check_bytes(&pictures, "lower --size", PROGRAM.saturating_add(bytes))
}

/// `remedy` makes `what` smaller.
fn check_bytes(what: &str, remedy: &str, wanted: u64) -> anyhow::Result<()> {
    let size = size_text(wanted);
    if let Some(limit) = limit().filter(|limit| *limit < wanted) {
        let limit = size_text(limit);
        anyhow::bail!("{what} need about {size} of memory, but {limit} are free; {remedy}");
    }
    if !can_have(wanted) {
        anyhow::bail!(
            "{what} need about {size} of memory, more than the system allows this program; \
             {remedy}, or raise the limit (ulimit -v)"
        );
    }
    Ok(())
}

/// Starts the threads that all commands share; the calling thread is one of them, so that parallel
/// work begins without waking another first. Later an engine's threads may leave no memory for them,
/// and rayon panics if it cannot start them on first use. `cores` is the number of them that this process
/// may use; `None` for all.
pub fn start_threads(cores: Option<usize>) -> anyhow::Result<()> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    share_heap_if_limited();
    let wanted = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok());
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let cores = cores.unwrap_or_else(all);
    let count = wanted.filter(|count| *count > 0).unwrap_or(cores);
    let failed = |cause: &str| {
        anyhow::anyhow!(
            "cannot start the program's threads: {cause}; lower RAYON_NUM_THREADS, or raise the \
             limits (ulimit -v, ulimit -u)"
        )
    };
    if !threads_fit(count) {
        return Err(failed(&format!("there is no memory for {count} stacks")));
    }
    let builder = rayon::ThreadPoolBuilder::new().num_threads(count);
    // A single shared thread must be free for others that wait for it: the caller is not.
    let builder = if count > 1 { builder.use_current_thread() } else { builder };
    builder.build_global().map_err(|error| failed(&error.to_string()))
}

/// Lets all threads allocate from one heap if the address space is limited (`ulimit -v`). By default
/// glibc reserves 64 MB or more of it for each thread, and the program aborts when a small
/// allocation then fails.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "no library asks for this limit, and none sets glibc's heaps")]
fn share_heap_if_limited() {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the call writes to `limit` alone.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    if known && limit.rlim_cur != libc::RLIM_INFINITY {
        // SAFETY: the call may come at any time; it affects threads that start later.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// Allocates this many bytes and frees them unused; false if the system refuses.
fn can_have(bytes: u64) -> bool {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// The limit beyond which the system kills a program instead of refusing an allocation: free
/// memory, or the container's limit if it is lower; `None` if the system does not tell. Bytes.
fn limit() -> Option<u64> {
    let free = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| free(&text));
    // Only this container: inside it, its own limits are at the root.
    let most = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let most = most.and_then(|text| text.trim().parse().ok());
    [free, most].into_iter().flatten().min()
}

/// Free bytes according to the text of `/proc/meminfo`, swap included.
fn free(text: &str) -> Option<u64> {
    let line = |name: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    let swap = line("SwapFree:").unwrap_or(0);
    Some(line("MemAvailable:")?.saturating_add(swap).saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_read_from_meminfo() {
        let text = "MemTotal:       24 kB\nMemAvailable:   20 kB\nSwapFree:        3 kB\n";
        assert_eq!(free(text), Some(23 << 10));
        assert_eq!(free("MemTotal: 24 kB\n"), None);
    }

    #[test]
    fn a_machine_needs_memory_for_its_own_ranks() {
        assert_eq!(on_this_machine(80 << 30, [1, 1]), PROGRAM + (80 << 30));
        assert_eq!(on_this_machine(80 << 30, [4, 4]), 4 * PROGRAM + (80 << 30));
        assert_eq!(on_this_machine(80 << 30, [2, 16]), 2 * PROGRAM + (10 << 30));
    }

    #[test]
    fn an_impossible_amount_is_refused_with_its_size() {
        assert!(can_have(1 << 20) && !can_have(u64::MAX / 4));
        check_agents(1000, 1 << 20).unwrap();
        let message = check_agents(1 << 50, 100 << 50).unwrap_err().to_string();
        for part in ["1125899906842624 agents", " GB of memory", "lower --count"] {
            assert!(message.contains(part), "{message}");
        }
        assert!(check_samples(u64::MAX).is_err());
        // A small picture, kept many times.
        let size = Size { width: 1280, height: 720 };
        check_pictures(size, 40).unwrap();
        assert!(check_pictures(size, 1 << 30).is_err() && check_pictures(size, u64::MAX).is_err());
    }
}
