//! Ranks as MPI has them. Only the main thread of a process talks to the others.

use std::sync::OnceLock;

use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::request::{RequestCollection, Scope, multiple_scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source};

use super::Ranks;

/// Most bytes of a message; MPI counts them in 31 bits.
const LARGEST_MESSAGE: usize = 1 << 30;

/// The processes that `mpirun` has started.
pub struct MpiRanks {
    world: SimpleCommunicator,
    rank: usize,
    size: usize,
    /// Dropped last: it ends MPI.
    _universe: Universe,
}

/// The messages that carry a parcel, one after the other.
fn pieces(parcel: &[u8]) -> impl Iterator<Item = &[u8]> {
    parcel.chunks(LARGEST_MESSAGE)
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
        Some(Self { world, rank, size, _universe: universe })
    }

    /// The rank among those on the same machine, and their number.
    #[must_use]
    pub fn on_this_machine(&self) -> (usize, usize) {
        let local = self.world.split_shared(self.world.rank());
        (local.rank() as usize, local.size() as usize)
    }

    /// Ends all ranks at once.
    pub fn abort(&self, code: i32) -> ! {
        self.world.abort(code)
    }

    /// Sends and receives parcels of known lengths.
    fn travel(
        &self,
        to: &[(usize, &[u8])],
        from: &mut [(usize, Vec<u8>)],
        meanwhile: &mut dyn FnMut(),
    ) {
        let messages = to.iter().map(|(_, parcel)| pieces(parcel).count()).sum::<usize>()
            + from.iter().map(|(_, parcel)| pieces(parcel).count()).sum::<usize>();
        multiple_scope(messages, |scope, requests| {
            for (rank, parcel) in from {
                self.receive(scope, requests, *rank, parcel);
            }
            for (rank, parcel) in to {
                for piece in pieces(parcel) {
                    let rank = self.world.process_at_rank(*rank as i32);
                    requests.add(rank.immediate_send(scope, piece));
                }
            }
            meanwhile();
            requests.wait_all(&mut Vec::new());
        });
    }

    /// Begins to receive a parcel.
    fn receive<'a, S: Scope<'a> + Copy>(
        &self,
        scope: S,
        requests: &mut RequestCollection<'a, [u8]>,
        rank: usize,
        parcel: &'a mut [u8],
    ) {
        for piece in parcel.chunks_mut(LARGEST_MESSAGE) {
            let rank = self.world.process_at_rank(rank as i32);
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
        // First the lengths of the parcels.
        let lengths: Vec<[u8; 8]> =
            to.iter().map(|(_, parcel)| (parcel.len() as u64).to_ne_bytes()).collect();
        let of_lengths: Vec<(usize, &[u8])> =
            to.iter().zip(&lengths).map(|((rank, _), length)| (*rank, &length[..])).collect();
        let mut announced: Vec<_> = from.iter().map(|rank| (*rank, vec![0; 8])).collect();
        self.travel(&of_lengths, &mut announced, &mut || {});
        let mut parcels: Vec<(usize, Vec<u8>)> = announced
            .into_iter()
            .map(|(rank, length)| {
                let length: u64 = bytemuck::pod_read_unaligned(&length);
                (rank, vec![0; length as usize])
            })
            .collect();
        let to: Vec<(usize, &[u8])> =
            to.iter().map(|(rank, parcel)| (*rank, &parcel[..])).collect();
        self.travel(&to, &mut parcels, meanwhile);
        parcels.into_iter().map(|(_, parcel)| parcel).collect()
    }

    fn all_to_all(&self, mut parcels: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let own = std::mem::take(&mut parcels[self.rank]);
        let lengths: Vec<u64> = parcels.iter().map(|parcel| parcel.len() as u64).collect();
        let mut announced = vec![0_u64; self.size];
        self.world.all_to_all_into(&lengths[..], &mut announced[..]);
        // Most pairs of ranks have nothing for each other.
        let to = parcels.iter().enumerate().filter(|(_, parcel)| !parcel.is_empty());
        let to: Vec<(usize, &[u8])> = to.map(|(rank, parcel)| (rank, &parcel[..])).collect();
        let from = announced.iter().enumerate().filter(|(_, length)| **length > 0);
        let mut from: Vec<(usize, Vec<u8>)> =
            from.map(|(rank, length)| (rank, vec![0; *length as usize])).collect();
        self.travel(&to, &mut from, &mut || {});
        let mut all = vec![Vec::new(); self.size];
        from.into_iter().for_each(|(rank, parcel)| all[rank] = parcel);
        all[self.rank] = own;
        all
    }

    fn sum(&self, numbers: &mut [u64]) {
        let own = numbers.to_vec();
        for (own, sums) in own.chunks(LARGEST_MESSAGE).zip(numbers.chunks_mut(LARGEST_MESSAGE)) {
            self.world.all_reduce_into(own, sums, SystemOperation::sum());
        }
    }

    fn gather(&self, parcel: Vec<u8>) -> Vec<Vec<u8>> {
        let mut parcels = vec![Vec::new(); self.size];
        parcels[0] = parcel;
        let all = self.all_to_all(parcels);
        if self.rank == 0 { all } else { Vec::new() }
    }

    fn broadcast(&self, parcel: Vec<u8>) -> Vec<u8> {
        let root = self.world.process_at_rank(0);
        let mut length = parcel.len() as u64;
        root.broadcast_into(&mut length);
        let mut parcel = if self.rank == 0 { parcel } else { vec![0; length as usize] };
        for piece in parcel.chunks_mut(LARGEST_MESSAGE) {
            root.broadcast_into(piece);
        }
        parcel
    }
}
