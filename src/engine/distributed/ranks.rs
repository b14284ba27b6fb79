//! The processes that move one flock together.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// One of several processes that run the same code in step. As in MPI, each has a rank, from 0 on.
///
/// All ranks call the same methods in the same order. A rank that is lost ends all others.
pub trait Ranks: Send + Sync {
    /// The number of this process.
    fn rank(&self) -> usize;

    /// Number of processes.
    fn size(&self) -> usize;

    /// Sends messages to other ranks, and calls `meanwhile` while they travel. Returns what came
    /// from each rank of `from`, in the same order. `to` and `from` ascend, and every rank knows
    /// which ranks send it something; a message may be empty.
    fn exchange(
        &self,
        to: &[(usize, Vec<u8>)],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
    ) -> Vec<Vec<u8>>;

    /// Sends one message to each rank, this one included. Returns the message from each rank.
    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Vec<Vec<u8>>;

    /// Replaces each number by its sum over all ranks.
    fn sum(&self, numbers: &mut [u64]);

    /// Collects a message of each rank at rank 0. The others get nothing.
    fn gather(&self, message: Vec<u8>) -> Vec<Vec<u8>> {
        let mut messages = vec![Vec::new(); self.size()];
        messages[0] = message;
        let all = self.all_to_all(messages);
        if self.rank() == 0 { all } else { Vec::new() }
    }

    /// The message of rank 0.
    fn broadcast(&self, message: Vec<u8>) -> Vec<u8> {
        let own = if self.rank() == 0 { message } else { Vec::new() };
        self.all_to_all(vec![own; self.size()]).swap_remove(0)
    }
}

/// Ranks that are threads of one process: the same code without MPI, for tests.
pub struct ThreadRanks {
    rank: usize,
    /// To each rank.
    to: Vec<Sender<Vec<u8>>>,
    /// From each rank. Messages arrive in the order in which they were sent.
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl ThreadRanks {
    /// Makes `size` ranks, one for each thread.
    #[must_use]
    pub fn new(size: usize) -> Vec<Self> {
        let mut ranks: Vec<Self> =
            (0..size).map(|rank| Self { rank, to: Vec::new(), from: Vec::new() }).collect();
        for receiver in 0..size {
            let (senders, receivers): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
            ranks.iter_mut().zip(senders).for_each(|(rank, to)| rank.to.push(to));
            ranks[receiver].from = receivers.into_iter().map(Mutex::new).collect();
        }
        ranks
    }

    /// Sends; a rank that is gone gets nothing.
    fn send(&self, rank: usize, message: Vec<u8>) {
        let _ = self.to[rank].send(message);
    }

    /// Waits for a message.
    fn receive(&self, rank: usize) -> Vec<u8> {
        // A thread that has panicked sends no more; then the others end, too.
        let from = self.from[rank].lock().unwrap_or_else(PoisonError::into_inner);
        from.recv().unwrap_or_else(|_| std::panic::resume_unwind(Box::new(rank)))
    }
}

impl Ranks for ThreadRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn exchange(
        &self,
        to: &[(usize, Vec<u8>)],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
    ) -> Vec<Vec<u8>> {
        to.iter().for_each(|(rank, message)| self.send(*rank, message.clone()));
        meanwhile();
        from.iter().map(|rank| self.receive(*rank)).collect()
    }

    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        messages.into_iter().enumerate().for_each(|(rank, message)| self.send(rank, message));
        (0..self.size()).map(|rank| self.receive(rank)).collect()
    }

    fn sum(&self, numbers: &mut [u64]) {
        let own = bytemuck::cast_slice(numbers).to_vec();
        let all = self.all_to_all(vec![own; self.size()]);
        numbers.fill(0);
        for bytes in all {
            for (sum, one) in numbers.iter_mut().zip(bytes.chunks_exact(size_of::<u64>())) {
                *sum = sum.wrapping_add(bytemuck::pod_read_unaligned(one));
            }
        }
    }
}
