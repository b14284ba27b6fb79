//! Which rank sends which slices to which other rank before a tick.

use super::Local;
use crate::EngineError;
use flockwork_model::grid::Slabs;

/// The slices that this rank sends and receives as ghosts. Changes only with the slabs.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    /// Ranks that need own slices, ascending, with the slices.
    to: Vec<(usize, Vec<u32>)>,
    /// Ranks that own slices beside the slab, ascending.
    from: Vec<usize>,
    /// The slices beside the slab in the order of the window, with the place of their owner in `from`,
    /// and the place of the slice in its parcel.
    beside: Vec<(u32, usize, usize)>,
}

/// Bytes of the length before the rows of a slice.
const LENGTH: usize = size_of::<u64>();

impl Routes {
    /// The routes of one rank.
    pub fn new(local: &dyn Local, slabs: &Slabs, rank: usize) -> Self {
        let wanted = |rank: usize| -> Vec<(u32, usize)> {
            let beside = local.beside(slabs.of(rank)).into_iter();
            beside.map(|slice| (slice, slabs.owner(slice))).collect()
        };
        let others = (0..slabs.all().len()).filter(|other| *other != rank);
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

    /// The ranks that send ghosts to this one.
    pub fn senders(&self) -> Vec<usize> {
        self.from.clone()
    }

    /// The ghosts for the other ranks.
    pub fn parcels(&self, local: &mut dyn Local) -> Result<Vec<(usize, Vec<u8>)>, EngineError> {
        let parcel = |(rank, slices): &(usize, Vec<u32>)| {
            let mut parcel = Vec::new();
            for slice in slices {
                let length = parcel.len();
                parcel.extend_from_slice(&[0; LENGTH]);
                local.copy_slice(*slice, &mut parcel)?;
                let bytes = (parcel.len() - length - LENGTH) as u64;
                parcel[length..length + LENGTH].copy_from_slice(&bytes.to_ne_bytes());
            }
            Ok((*rank, parcel))
        };
        self.to.iter().map(parcel).collect()
    }

    /// The slices beside the slab, in the order of the window, out of the parcels of `senders`.
    pub fn unpack<'a>(&self, parcels: &'a [Vec<u8>]) -> Result<Vec<(u32, &'a [u8])>, EngineError> {
        let problem = || EngineError::Parcel { problem: "too few ghosts".into() };
        let mut pieces: Vec<Vec<&[u8]>> = Vec::with_capacity(parcels.len());
        for parcel in parcels {
            let (mut rest, mut own) = (&parcel[..], Vec::new());
            while let Some((length, rows)) = rest.split_at_checked(LENGTH) {
                let length: u64 = bytemuck::pod_read_unaligned(length);
                let (rows, after) = rows.split_at_checked(length as usize).ok_or_else(problem)?;
                own.push(rows);
                rest = after;
            }
            pieces.push(own);
        }
        let piece = |(slice, sender, nth): &(u32, usize, usize)| {
            let piece = pieces.get(*sender).and_then(|own| own.get(*nth));
            piece.map(|piece| (*slice, *piece)).ok_or_else(problem)
        };
        self.beside.iter().map(piece).collect()
    }
}
