//! Which behaviours of a scene choose the nearest neighbours or draw one, and which of them choose alike.

use super::{Scene, Species};
use crate::behaviours::Kind;
use crate::parameter::{ALL_NEIGHBOURS, PICK_ONE};

impl Scene {
    /// The behaviours and rules that choose the nearest neighbours, or draw one, in the order of [`Kind::ALL`]. Those
    /// that choose alike (as many, of the same species, in the same field of view) are one group, whose first one
    /// chooses for all. Their radii may differ, but not if they draw: one that is drawn within a radius need not be
    /// within a smaller one.
    #[must_use]
    #[doc(hidden)]
    pub fn choices(&self) -> Vec<Vec<Kind>> {
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
        let kinds = Kind::NEAR.into_iter().chain(self.formulas().into_iter().map(Kind::Formula));
        let mut groups: Vec<Vec<Kind>> = Vec::new();
        for kind in kinds.filter(chooses) {
            match groups.iter_mut().find(|group| alike(kind, group[0])) {
                Some(group) => group.push(kind),
                None => groups.push(vec![kind]),
            }
        }
        groups
    }
}
