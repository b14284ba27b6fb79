//! Which behaviours of a scene choose the nearest neighbours or draw one, and which of them choose alike.

use super::{Scene, Species};
use crate::behaviours::Kind;
use crate::parameter::{ALL_NEIGHBOURS, PICK_ONE};

/// The behaviours that choose the nearest neighbours, or draw one. Those that choose alike (as many, of the same
/// species, in the same field of view) have the first of them as their chooser. Their radii may differ, but not if
/// they draw: one that is drawn within a radius need not be within a smaller one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices(Vec<(Kind, Kind)>);

impl Choices {
    /// Each behaviour with its chooser, in the order of [`Kind::ALL`].
    pub fn pairs(&self) -> impl Iterator<Item = (Kind, Kind)> {
        self.0.iter().copied()
    }

    /// The chooser of a behaviour, if it chooses.
    #[must_use]
    pub fn chooser(&self, kind: Kind) -> Option<Kind> {
        self.pairs().find(|(own, _)| *own == kind).map(|(_, chooser)| chooser)
    }

    /// Those that choose alike, chooser first.
    pub fn groups(&self) -> impl Iterator<Item = Vec<Kind>> + '_ {
        let choosers = self.pairs().filter(|(kind, chooser)| kind == chooser);
        choosers.map(|(first, _)| {
            self.pairs().filter(|(_, chooser)| *chooser == first).map(|(kind, _)| kind).collect()
        })
    }
}

impl Scene {
    /// The behaviours and rules that choose the nearest neighbours, or draw one.
    #[must_use]
    #[doc(hidden)]
    pub fn choices(&self) -> Choices {
        let alike = |kind: Kind, other: Kind| {
            let choice =
                |own: &Species, kind| ["nearest", "fov", "with"].map(|key| own.value_of(kind, key));
            let draws = self.species.iter().any(|own| own.value_of(kind, "nearest") == PICK_ONE);
            self.species.iter().all(|own| choice(own, kind) == choice(own, other))
                && (!draws || self.perceive_alike(kind, other))
        };
        let chooses = |kind: &Kind| {
            self.species.iter().any(|own| own.value_of(*kind, "nearest") > ALL_NEIGHBOURS)
        };
        let kinds = Kind::NEAR.into_iter().chain(self.formulas().iter().map(Kind::Formula));
        let mut choices = Choices::default();
        for kind in kinds.filter(chooses) {
            let chooser = choices.pairs().find(|(_, chooser)| alike(kind, *chooser));
            choices.0.push((kind, chooser.map_or(kind, |(_, chooser)| chooser)));
        }
        choices
    }
}
