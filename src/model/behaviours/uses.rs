//! The behaviours and the extras of a scene.

use super::Kind;
use crate::memory::Shown;

/// The features of a scene that an engine must have: behaviours, and extras that cost time only in scenes that use
/// them. Each is a bit: the kernels of the CPU take the number as a const generic argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Uses(pub u64);

/// Declares the extras. Each is a doc comment and a line `NAME = "name in shaders",`.
macro_rules! extras {
    ($( $(#[$doc:meta])+ $name:ident = $word:literal, )+) => {
        /// The place of each, counted from the highest bit down.
        #[expect(
            non_camel_case_types,
            clippy::upper_case_acronyms,
            reason = "they are called as the constants that are made from them"
        )]
        enum Place { $( $name, )+ }

        impl Uses {
            $( $(#[$doc])+ pub const $name: Self = Self(1 << (63 - Place::$name as u64)); )+

            /// The extras, with their names in shaders.
            pub const EXTRAS: [(&str, Self); [$($word),+].len()] = [$(($word, Self::$name)),+];
        }
    };
}

extras! {
    /// A species whose forces only turn it. With [`Self::MIN_SPEED`].
    TURNERS = "turners",
    /// A species that chance turns.
    NOISE = "noise",
    /// Birds that lean into their turns.
    BANKS = "banks",
    /// Rules in text that hear everybody, and whose sums all agents share.
    SHARED = "shared",
    /// Sums that take the neighbours' places.
    OTHER_PLACES = "other_places",
    /// Rules in text whose agents look at everybody, however far away.
    EVERYBODY = "everybody",
    /// Agents that keep numbers for their rules in text.
    KEPT = "kept",
    /// Sums that take the neighbours' numbers.
    OTHER_KEPT = "other_kept",
    /// Sums that take the agent's own numbers.
    OWN_KEPT = "own_kept",
    /// Behaviours that choose the nearest neighbours, or draw one.
    NEAREST = "nearest",
    /// Behaviours that choose more of the nearest neighbours than [`Self::MAX_FEW`].
    MANY_NEAREST = "many_nearest",
    /// Behaviours that draw one of their neighbours. With [`Self::NEAREST`].
    PICK = "pick",
    /// A species whose forces have no limit.
    LIMITLESS = "limitless",
    /// A species with Brownian motion.
    JITTER = "jitter",
    /// A species that may not turn as it likes.
    MAX_TURN = "max_turn",
    /// A species whose agents move by the velocity before the forces.
    OLD_STEP = "old_step",
    /// Sums that take the sizes of the neighbours.
    OTHER_SIZES = "other_sizes",
    /// Rules in text that look at neighbours within a radius.
    SUMS = "sums",
    /// Sums that take the motion of the agent itself.
    OWN_MOTION = "own_motion",
    /// A field of view below 360 degrees.
    SIGHT = "sight",
    /// Separation, alignment or cohesion with an inner radius.
    INNER = "inner",
    /// Each agent's neighbours are counted, for its colour.
    COUNTS = "counts",
    /// A species with priorities: behaviours act in order until max_force is spent.
    PRIORITY = "priority",
    /// Targets that move, or reappear when they are hit.
    MOVING_TARGETS = "moving_targets",
    /// Parameters that vary with time.
    VARYING = "varies",
    /// Agents that remember an angle, or a number for their colour.
    MEMORY = "memory",
    /// Parameters that each agent draws for itself.
    TRAITS = "traits",
    /// Colours that show accelerations.
    ACCELERATIONS = "accelerations",
    /// Colours that show ages.
    AGES = "ages",
    /// A species with a smallest speed.
    MIN_SPEED = "min_speed",
    /// Colours that show the structure of the flock.
    STRUCTURE = "structure",
}

impl Uses {
    /// All behaviours and extras.
    pub const ALL: Self = Self(u64::MAX);

    /// The behaviours that look at neighbours.
    pub const NEIGHBOURS: Self = Self((1 << Kind::WITH_NEIGHBOURS) - 1);

    /// The most nearest neighbours that engines choose without [`Self::MANY_NEAREST`].
    pub const MAX_FEW: f32 = 7.0;

    /// Behaviours and extras that look at the neighbours within a radius.
    pub const AROUND: Self = Self(Self::NEIGHBOURS.0 | Self::COUNTS.0 | Self::SUMS.0);

    /// Those, and extras that change the work per neighbour.
    pub const PER_NEIGHBOUR: Self = Self(Self::AROUND.0 | Self::SIGHT.0 | Self::INNER.0);

    /// The set of `kinds`.
    #[must_use]
    pub const fn of(kinds: &[Kind]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < kinds.len() {
            bits |= 1 << kinds[i].number();
            i += 1;
        }
        Self(bits)
    }

    /// True if `kind` is in the set; for a rule in text, if any of them is.
    #[inline(always)]
    #[must_use]
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & (1 << kind.number()) != 0
    }

    /// True if all of `other` is in the set.
    #[inline(always)]
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The intersection.
    #[inline(always)]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The union.
    #[must_use]
    #[inline]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The work of a tick for a quantity that looks show.
    #[must_use]
    pub fn showing(shown: Shown) -> Self {
        match shown {
            Shown::Neighbours => Self::COUNTS,
            Shown::Acceleration => Self::ACCELERATIONS,
            Shown::Age => Self::AGES,
            Shown::Structure => Self::COUNTS.with(Self::STRUCTURE),
            Shown::Bank => Self::BANKS,
            // Pictures compute it.
            Shown::Cluster => Self::default(),
        }
    }

    /// Everything in this set that is not in `other`.
    #[must_use]
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}
