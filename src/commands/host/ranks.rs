//! The program as one of several processes that `mpirun` has started.
//!
//! All ranks run the same command in step. Rank 0 speaks and writes the files. An error that all
//! ranks know ends them in order; any other ends them at once.

use std::cell::{Cell, RefCell};
use std::cmp;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::errors::{Interrupted, UsageError};
use flockwork_engine::Engine;
use flockwork_engine::distributed::{DistributedEngine, LoadBalance, Ranks, SlabHost};
use flockwork_model::io::Part;
use flockwork_model::quote::cut;
#[cfg(feature = "mpi")]
use flockwork_mpi::MpiRanks;
use flockwork_view::words::{counted, size_text};

/// Ticks between two questions whether a rank was interrupted.
pub const ASKED_EVERY: u64 = 16;

/// How long a rank waits before it prints an error itself.
const PATIENCE: Duration = Duration::from_millis(500);

/// Slices are too heavy if even the best division gives one rank this many times the mean.
const HEAVY: f64 = 1.25;

/// The variables in which launchers tell a process its rank and the number of ranks: Open MPI, MPICH with its
/// relatives, and Slurm. Slurm comes last: its variables are also there beneath another launcher. A batch script
/// without `srun` has a rank, but is no step of several tasks.
const LAUNCHERS: [(&str, &str); 4] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
];

/// Number of ranks on this machine, and of all. Both are 1 for a process alone.
static BESIDE: [AtomicUsize; 2] = [AtomicUsize::new(1), AtomicUsize::new(1)];

/// This process's rank, also for threads other than the main one.
static RANK: AtomicUsize = AtomicUsize::new(0);

/// Its rank among those on the same machine.
static LOCAL_RANK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static RANKS: RefCell<Option<Arc<dyn Ranks>>> = const { RefCell::new(None) };
    /// The same, if they are processes.
    #[cfg(feature = "mpi")]
    static PROCESSES: RefCell<Option<Arc<MpiRanks>>> = const { RefCell::new(None) };
    /// True if the borders of the ranks' slabs stay where they are.
    static KEEPS_BORDERS: Cell<bool> = const { Cell::new(false) };
}

/// An error that all ranks know.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{text}")]
pub struct Agreed {
    text: String,
    code: u8,
}

/// The rank and the number of ranks, as the launcher says.
fn launched() -> Option<(usize, usize)> {
    among(|name| std::env::var(name).ok())
}

/// The same in an environment with these variables.
fn among(variable: impl Fn(&str) -> Option<String>) -> Option<(usize, usize)> {
    let number = |name| variable(name)?.parse().ok();
    LAUNCHERS.iter().find_map(|(rank, size)| number(rank).zip(number(size)))
}

/// Reads this process's rank from its environment, so that only one of several processes speaks about
/// the command line.
pub fn look_around() {
    RANK.store(launched().map_or(0, |(rank, _)| rank), Ordering::Relaxed);
}

/// Joins the other ranks if there are some. Returns the number of threads for this process if the
/// processor's cores are shared with other ranks. Call it first, in the main thread.
pub fn start() -> anyhow::Result<Option<usize>> {
    let Some((_, size)) = launched() else { return Ok(None) };
    if size == 1 {
        return Ok(None);
    }
    #[cfg(not(feature = "mpi"))]
    anyhow::bail!(
        "{size} processes were started together, but this program was built without MPI; build it \
         with `cargo build --release --features mpi`. For a run in each task of srun begin the line with \
         `env -u SLURM_STEP_NUM_TASKS`"
    );
    #[cfg(feature = "mpi")]
    {
        let Some(ranks) = MpiRanks::start() else {
            anyhow::bail!("cannot start MPI");
        };
        let found = ranks.size();
        anyhow::ensure!(
            found == size,
            "{size} processes were started together, and MPI has joined {found} of them; start them with \
             the launcher of this program's MPI (under Slurm srun --mpi=pmix)"
        );
        RANK.store(ranks.rank(), Ordering::Relaxed);
        let (local, beside) = ranks.on_this_machine();
        BESIDE[0].store(beside, Ordering::Relaxed);
        BESIDE[1].store(ranks.size(), Ordering::Relaxed);
        LOCAL_RANK.store(local, Ordering::Relaxed);
        let ranks = Arc::new(ranks);
        PROCESSES.set(Some(Arc::clone(&ranks)));
        join(ranks);
        Ok(Some(share_of_cores(beside)))
    }
}

/// Makes this thread the main thread of a rank.
pub fn join(ranks: Arc<dyn Ranks>) {
    RANKS.set(Some(ranks));
}

/// The number of cores for each process of this machine. A launcher may have bound this one to fewer.
#[cfg(feature = "mpi")]
fn share_of_cores(processes: usize) -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, usize::from);
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "the standard library counts only the cores of this process")]
    // SAFETY: the call reads a number.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }.max(1) as usize;
    #[cfg(not(target_os = "linux"))]
    let online = allowed;
    allowed.min(online / processes).max(1)
}

/// The ranks, if there are several.
pub fn ranks() -> Option<Arc<dyn Ranks>> {
    RANKS.with_borrow(Clone::clone)
}

/// Number of ranks on this machine, and of all.
pub fn on_this_machine() -> [usize; 2] {
    [&BESIDE[0], &BESIDE[1]].map(|number| number.load(Ordering::Relaxed))
}

/// This process's rank among those on the same machine.
pub fn local_rank() -> usize {
    LOCAL_RANK.load(Ordering::Relaxed)
}

/// True for rank 0 and for a process alone: it speaks and writes files.
pub fn is_root() -> bool {
    match ranks() {
        Some(ranks) => ranks.rank() == 0,
        None => RANK.load(Ordering::Relaxed) == 0,
    }
}

/// Says whether engines that are opened later keep the borders of their slabs.
pub fn keep_borders(keeps: bool) {
    KEEPS_BORDERS.set(keeps);
}

/// An engine that moves the part of this rank, if there are several ranks.
pub fn engine(engine: impl SlabHost + 'static) -> Box<dyn Engine> {
    let Some(ranks) = ranks() else { return Box::new(engine) };
    let mut engine = DistributedEngine::new(ranks, Box::new(engine));
    if KEEPS_BORDERS.get() {
        engine.keep_borders();
    }
    #[cfg(target_os = "linux")]
    engine.set_cpu_clock(cpu_time);
    Box::new(engine)
}

/// The processor time of all threads of this process.
#[cfg(target_os = "linux")]
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    #[expect(unsafe_code, reason = "the standard library has no clock for processor time")]
    // SAFETY: the call writes to `time` alone.
    unsafe {
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time)
    };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The exit code for an error.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Agreed>() {
        Some(agreed) => agreed.code,
        None if error.is::<Interrupted>() => 130,
        None if error.is::<UsageError>() => 2,
        None => 1,
    }
}

/// The result on this rank; an error on every rank if there is one on any.
pub fn agree<T>(result: anyhow::Result<T>) -> anyhow::Result<T> {
    let Some(ranks) = ranks() else { return result };
    let parcel = match &result {
        Ok(_) => Vec::new(),
        Err(error) => [&[exit_code(error)], format!("{error:#}").as_bytes()].concat(),
    };
    let all = ranks.all_to_all(vec![parcel; ranks.size()]);
    let failed = |rank: &usize| !all[*rank].is_empty();
    let Some(rank) = (0..all.len()).find(failed) else { return result };
    let (code, text) = (all[rank][0], String::from_utf8_lossy(&all[rank][1..]));
    let text = match rank {
        0 => text.into_owned(),
        rank => format!("rank {rank}: {text}"),
    };
    Err(Agreed { text, code }.into())
}

/// Fails on every rank unless all have the same `text`. `what` names it.
pub fn same(what: &str, text: &str) -> anyhow::Result<()> {
    let Some(ranks) = ranks() else { return Ok(()) };
    let first = ranks.broadcast(text.as_bytes().to_vec());
    agree(match differing(text, &String::from_utf8_lossy(&first)) {
        None => Ok(()),
        Some([own, first]) => Err(anyhow::anyhow!(
            "{what} differs from that of rank 0 ({own} instead of {first}); start all ranks with \
             the same program, files and options"
        )),
    })
}

/// The first line that differs between two texts, or the first item of texts of one line, for a message. Where one
/// text has a key more than the other, it says so. `None` if they are the same.
pub fn differing(one: &str, other: &str) -> Option<[String; 2]> {
    if one == other {
        return None;
    }
    let has_lines = one.contains('\n') || other.contains('\n');
    let ends: &[char] = if has_lines { &['\n'] } else { &[',', '{', '}'] };
    let items = |text| -> Vec<&str> { str::split(text, ends).map(str::trim).collect() };
    let (one, other) = (items(one), items(other));
    let same = one.iter().zip(&other).take_while(|(own, other)| own == other).count();
    let rests = [&one[same..], &other[same..]];
    let key = |item: &str| item.split(['=', ':']).next().unwrap_or_default().trim().to_owned();
    let [own, first] = rests.map(|rest| rest.first().copied().unwrap_or_default());
    // How many items further on the key of the other text stands.
    let further = |rest: &[&str], item| {
        rest.iter().position(|own| key(own) == key(item)).unwrap_or(usize::MAX)
    };
    let [own_later, other_later] = [further(rests[0], first), further(rests[1], own)];
    let shown = |item: &str| match item {
        "" => "nothing".into(),
        item => format!("`{}`", cut(item)),
    };
    let lacks = |item| format!("no `{}`", cut(&key(item)));
    Some(match own_later.cmp(&other_later) {
        cmp::Ordering::Less => [shown(own), lacks(own)],
        cmp::Ordering::Greater => [lacks(first), shown(first)],
        cmp::Ordering::Equal => [own, first].map(shown),
    })
}

/// True on every rank if it is true on any.
pub fn any(flag: bool) -> bool {
    sum([u64::from(flag)])[0] > 0
}

/// The sums of numbers over all ranks.
pub fn sum<const N: usize>(mut numbers: [u64; N]) -> [u64; N] {
    sum_all(&mut numbers);
    numbers
}

/// Replaces each number by its sum over all ranks.
pub fn sum_all(numbers: &mut [u64]) {
    if let Some(ranks) = ranks() {
        ranks.sum(numbers);
    }
}

/// The numbers of each rank, in the order of the ranks; only these if there are no others.
pub fn of_all<const N: usize>(own: [u64; N]) -> Vec<[u64; N]> {
    let Some(ranks) = ranks() else { return vec![own] };
    let mut all = vec![0; N * ranks.size()];
    all[N * ranks.rank()..][..N].copy_from_slice(&own);
    ranks.sum(&mut all);
    all.as_chunks().0.to_vec()
}

/// The longest of the times that the ranks took. It is the same on all of them, so they decide
/// alike by it.
pub fn longest(took: Duration) -> Duration {
    let nanoseconds = of_all([took.as_nanos() as u64]).into_iter().flatten().max();
    nanoseconds.map_or(took, Duration::from_nanos)
}

/// The rows that this rank makes of a flock with `count` agents.
pub fn own_rows(count: u64) -> Range<u64> {
    let Part { rank, size } = own_part();
    let first = |rank: usize| (u128::from(count) * rank as u128 / size as u128) as u64;
    first(rank)..first(rank + 1)
}

/// The agents of a file that this rank keeps.
pub fn own_part() -> Part {
    ranks().map_or(Part::WHOLE, |ranks| Part { rank: ranks.rank(), size: ranks.size() })
}

/// How the ranks shared the work, in words.
pub fn summary(load: &LoadBalance) -> String {
    let LoadBalance { imbalance, best, moves, sent, ghosts, ticks, agents, work, exchange } = load;
    if *ticks == 0 {
        return String::new();
    }
    let share = 100.0 * *ghosts as f64 / (*agents).max(1) as f64;
    let moved = counted((*moves).into(), "time");
    let mut text = format!(
        "ranks: {share:.1} ghosts for 100 agents, {} a tick between ranks, {:.0} % of the time in \
         exchange; borders moved {moved}",
        size_text(sent / ticks),
        100.0 * *exchange as f64 / (work + exchange).max(1) as f64
    );
    if *imbalance > 0.0 {
        text += &format!("; the slowest rank steers {imbalance:.2} times as long as the mean");
    }
    if *best > HEAVY {
        text += &format!(
            "; a single slice of the grid takes {best:.1} times a rank's share, so fewer ranks would be \
             as fast"
        );
    }
    text + "\n"
}

/// Ends this rank. An error that not all ranks know ends all of them, with its exit code.
pub fn end(error: Option<&anyhow::Error>) {
    #[cfg(feature = "mpi")]
    if let Some(error) = error.filter(|error| !is_known(error))
        && let Some(processes) = PROCESSES.take()
    {
        processes.abort(exit_code(error).into());
    }
    #[cfg(feature = "mpi")]
    PROCESSES.set(None);
    #[cfg(not(feature = "mpi"))]
    let _ = error;
    RANKS.set(None);
}

/// True if all ranks know the error.
fn is_known(error: &anyhow::Error) -> bool {
    error.is::<Agreed>() || error.is::<Interrupted>()
}

/// The message of an error that this rank prints; `None` if another rank prints it.
pub fn message_of(error: &anyhow::Error) -> Option<String> {
    match ranks() {
        Some(ranks) if ranks.rank() > 0 && !is_known(error) => {
            // Rank 0 may have found the same and be about to end all.
            std::thread::sleep(PATIENCE);
            Some(format!("rank {}: {error:#}", ranks.rank()))
        }
        _ => is_root().then(|| format!("{error:#}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{among, differing};

    #[test]
    fn every_launcher_is_known_and_a_batch_script_is_none() {
        let of = |set: &[(&str, &str)]| {
            among(|name| Some(set.iter().find(|own| own.0 == name)?.1.to_owned()))
        };
        let step = [("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "4")];
        assert_eq!(of(&step), Some((1, 4)));
        assert_eq!(of(&[("PMIX_RANK", "1"), step[0], step[1]]), Some((1, 4)));
        assert_eq!(of(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]), None);
        let beneath = [("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2")];
        assert_eq!(of(&[&step[..], &beneath].concat()), Some((0, 2)));
    }

    #[test]
    fn the_first_item_that_differs_is_shown_whole() {
        let shown = |one: &str, other: &str| differing(one, other).map(|pair| pair.join("|"));
        assert_eq!(shown("a = 1\nb = 2", "a = 1\nb = 2"), None);
        assert_eq!(shown("a = 1\nb = 21\nc", "a = 1\nb = 22\nd").unwrap(), "`b = 21`|`b = 22`");
        assert_eq!(
            shown("Args { seed: None, t: 5 }", "Args { seed: Some(7), t: 6 }").unwrap(),
            "`seed: None`|`seed: Some(7)`"
        );
        assert_eq!(shown("a, grün", "a, gelb, c").unwrap(), "`grün`|`gelb`");
        assert_eq!(shown("ä", "ö").unwrap(), "`ä`|`ö`");
        assert_eq!(shown("", "x").unwrap(), "nothing|`x`");
        // A key that one side lacks.
        let both = ["a = 1\nw = [5.3, 4]\nb = 2", "a = 1\nd = 5\nw = [5.3, 4]\nb = 2"];
        assert_eq!(shown(both[0], both[1]).unwrap(), "no `d`|`d = 5`");
        assert_eq!(shown(both[1], both[0]).unwrap(), "`d = 5`|no `d`");
        assert_eq!(shown("w = [5, 4]\nb", "w = [5, 3]\nb").unwrap(), "`w = [5, 4]`|`w = [5, 3]`");
    }
}
