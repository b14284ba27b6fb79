//! Which rank sends which slices to which other rank before a tick.

use super::message::RowFormat;
use super::slab_engine::SlabEngine;
use super::slices::Slices;
use crate::EngineError;
use flockwork_model::grid::Slabs;
use flockwork_model::state::FlockState;

/// The slices that this rank sends and receives as ghosts. Changes only with the slabs.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    /// Ranks that need own slices, ascending, with the slices.
    to: Vec<(usize, Vec<u32>)>,
    /// Ranks that own slices beside the slab, ascending: they send ghosts to this one.
    pub from: Vec<usize>,
    /// The slices beside the slab in the order of the window, with the place of their owner in `from`,
    /// and the place of the slice in its message.
    beside: Vec<(u32, usize, usize)>,
}

/// Bytes of the length before the rows of a slice.
const LENGTH: usize = size_of::<u64>();

impl Routes {
    pub fn new(slices: &Slices, slabs: &Slabs, rank: usize) -> Self {
        let wanted = |rank: usize| -> Vec<(u32, usize)> {
            let beside = slices.beside(slabs.0[rank]).into_iter();
            beside.map(|slice| (slice, slabs.owner(slice))).collect()
        };
        let others = (0..slabs.0.len()).filter(|other| *other != rank);
        let to = others.filter_map(|other| {
            let own = wanted(other).into_iter().filter(|(_, owner)| *owner == rank);
            let slices: Vec<u32> = own.map(|(slice, _)| slice).collect();
            (!slices.is_empty()).then_some((other, slices))
        });
        let to = to.collect();
        let wanted = wanted(rank);
        let mut from: Vec<usize> = wanted.iter().map(|(_, owner)| *owner).collect();
        from.sort_unstable();
        from.dedup();
        let mut sent = vec![0; from.len()];
        let beside = wanted.into_iter().map(|(slice, owner)| {
            let sender = from.partition_point(|other| *other < owner);
            sent[sender] += 1;
            (slice, sender, sent[sender] - 1)
        });
        let beside = beside.collect();
        Self { to, from, beside }
    }

    /// The ghosts for the other ranks.
    pub fn messages(
        &self,
        slab: &mut dyn SlabEngine,
        format: RowFormat,
    ) -> Result<Vec<(usize, Vec<u8>)>, EngineError> {
        let message = |(rank, slices): &(usize, Vec<u32>)| {
            let mut message = Vec::new();
            for slice in slices {
                let length = message.len();
                message.extend_from_slice(&[0; LENGTH]);
                let agents = slab.slice(*slice)?;
                format.put(&agents, 0..agents.len(), &mut message);
                let bytes = (message.len() - length - LENGTH) as u64;
                message[length..length + LENGTH].copy_from_slice(&bytes.to_ne_bytes());
            }
            Ok((*rank, message))
        };
        self.to.iter().map(message).collect()
    }

    /// The slices beside the slab, in the order of the window, out of the messages of the ranks `from`.
    pub fn unpack(
        &self,
        messages: &[Vec<u8>],
        format: RowFormat,
    ) -> Result<Vec<(u32, FlockState)>, EngineError> {
        let problem = || EngineError::Message { problem: "too few ghosts".into() };
        let mut slices: Vec<Vec<&[u8]>> = Vec::with_capacity(messages.len());
        for message in messages {
            let (mut rest, mut own) = (&message[..], Vec::new());
            while let Some((length, rows)) = rest.split_at_checked(LENGTH) {
                let length: u64 = bytemuck::pod_read_unaligned(length);
                let (rows, after) = rows.split_at_checked(length as usize).ok_or_else(problem)?;
                own.push(rows);
                rest = after;
            }
            slices.push(own);
        }
        let slice = |(slice, sender, nth): &(u32, usize, usize)| {
            let rows = slices.get(*sender).and_then(|own| own.get(*nth)).ok_or_else(problem)?;
            let mut ghosts = FlockState::default();
            format.read(rows, &mut ghosts)?;
            Ok((*slice, ghosts))
        };
        self.beside.iter().map(slice).collect()
    }
}
