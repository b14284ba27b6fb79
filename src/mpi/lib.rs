//! Ranks as MPI has them. Only the main thread of a process talks to the others.
//!
//! A crate of its own: a build with MPI compiles no engine again. Without the feature `mpi` it is empty.
#![cfg(feature = "mpi")]

use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::request::{RequestCollection, Scope, multiple_scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};

use flockwork_engine::distributed::Ranks;

/// The largest number of bytes that MPI sends at once; MPI counts them in 31 bits.
const MAX_PART: usize = 1 << 30;

/// The processes that `mpirun` has started. Only the thread that has started MPI may talk to the others:
/// a call on another thread panics.
pub struct MpiRanks {
    world: SimpleCommunicator,
    rank: usize,
    size: usize,
    thread: ThreadId,
    /// Ends MPI when it is dropped.
    universe: Option<Universe>,
}

#[expect(unsafe_code, reason = "handles of MPI are pointers, but its calls stay on one thread")]
// SAFETY: `world` lets only the thread that has started MPI call it, and `drop` leaves it running on any
// other.
unsafe impl Send for MpiRanks {}

#[expect(unsafe_code, reason = "the same")]
// SAFETY: the same.
unsafe impl Sync for MpiRanks {}

impl Drop for MpiRanks {
    fn drop(&mut self) {
        if thread::current().id() != self.thread {
            std::mem::forget(self.universe.take());
        }
    }
}

/// The parts of a message that MPI sends, one after the other.
fn parts_of(message: &[u8]) -> impl Iterator<Item = &[u8]> {
    message.chunks(MAX_PART)
}

impl MpiRanks {
    /// Starts MPI. `None` if it was started before, or cannot be.
    #[must_use]
    pub fn start() -> Option<Self> {
        static STARTED: OnceLock<()> = OnceLock::new();
        STARTED.set(()).ok()?;
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)?;
        let world = universe.world();
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        let thread = thread::current().id();
        Some(Self { world, rank, size, thread, universe: Some(universe) })
    }

    fn world(&self) -> &SimpleCommunicator {
        assert_eq!(thread::current().id(), self.thread, "MPI runs on the thread that started it");
        &self.world
    }

    /// The rank among those on the same machine, and their number.
    #[must_use]
    pub fn on_this_machine(&self) -> (usize, usize) {
        let local = self.world().split_shared(self.world().rank());
        (local.rank() as usize, local.size() as usize)
    }

    /// Ends all ranks at once.
    pub fn abort(&self, code: i32) -> ! {
        self.world().abort(code)
    }

    /// Sends and receives messages of known lengths.
    fn travel(
        &self,
        to: &[(usize, &[u8])],
        from: &mut [(usize, Vec<u8>)],
        meanwhile: &mut dyn FnMut(),
    ) {
        let messages = to.iter().map(|(_, message)| parts_of(message).count()).sum::<usize>()
            + from.iter().map(|(_, message)| parts_of(message).count()).sum::<usize>();
        multiple_scope(messages, |scope, requests| {
            for (rank, message) in from {
                self.receive(scope, requests, *rank, message);
            }
            for (rank, message) in to {
                for piece in parts_of(message) {
                    let rank = self.world().process_at_rank(*rank as i32);
                    requests.add(rank.immediate_send(scope, piece));
                }
            }
            meanwhile();
            requests.wait_all(&mut Vec::new());
        });
    }

    /// Begins to receive a message.
    fn receive<'a, S: Scope<'a> + Copy>(
        &self,
        scope: S,
        requests: &mut RequestCollection<'a, [u8]>,
        rank: usize,
        message: &'a mut [u8],
    ) {
        for piece in message.chunks_mut(MAX_PART) {
            let rank = self.world().process_at_rank(rank as i32);
            requests.add(rank.immediate_receive_into(scope, piece));
        }
    }
}

impl Ranks for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn exchange(
        &self,
        to: &[(usize, Vec<u8>)],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
    ) -> Vec<Vec<u8>> {
        // First the lengths of the messages.
        let lengths: Vec<[u8; 8]> =
            to.iter().map(|(_, message)| (message.len() as u64).to_ne_bytes()).collect();
        let of_lengths: Vec<(usize, &[u8])> =
            to.iter().zip(&lengths).map(|((rank, _), length)| (*rank, &length[..])).collect();
        let mut announced: Vec<_> = from.iter().map(|rank| (*rank, vec![0; 8])).collect();
        self.travel(&of_lengths, &mut announced, &mut || {});
        let mut messages: Vec<(usize, Vec<u8>)> = announced
            .into_iter()
            .map(|(rank, length)| {
                let length: u64 = bytemuck::pod_read_unaligned(&length);
                (rank, vec![0; length as usize])
            })
            .collect();
        let to: Vec<(usize, &[u8])> =
            to.iter().map(|(rank, message)| (*rank, &message[..])).collect();
        self.travel(&to, &mut messages, meanwhile);
        messages.into_iter().map(|(_, message)| message).collect()
    }

    fn all_to_all(&self, mut messages: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let own = std::mem::take(&mut messages[self.rank]);
        let lengths: Vec<u64> = messages.iter().map(|message| message.len() as u64).collect();
        let mut announced = vec![0_u64; self.size];
        self.world().all_to_all_into(&lengths[..], &mut announced[..]);
        // Most pairs of ranks have nothing for each other.
        let to = messages.iter().enumerate().filter(|(_, message)| !message.is_empty());
        let to: Vec<(usize, &[u8])> = to.map(|(rank, message)| (rank, &message[..])).collect();
        let from = announced.iter().enumerate().filter(|(_, length)| **length > 0);
        let mut from: Vec<(usize, Vec<u8>)> =
            from.map(|(rank, length)| (rank, vec![0; *length as usize])).collect();
        self.travel(&to, &mut from, &mut || {});
        let mut all = vec![Vec::new(); self.size];
        from.into_iter().for_each(|(rank, message)| all[rank] = message);
        all[self.rank] = own;
        all
    }

    fn sum(&self, numbers: &mut [u64]) {
        let own = numbers.to_vec();
        for (own, sums) in own.chunks(MAX_PART).zip(numbers.chunks_mut(MAX_PART)) {
            self.world().all_reduce_into(own, sums, SystemOperation::sum());
        }
    }
}
