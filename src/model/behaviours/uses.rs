//! The behaviours and the extras of a scene.

use super::Kind;

/// The features of a scene that an engine must have: behaviours, and extras that cost time only in scenes that use
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Uses(u64);

impl Uses {
    /// All behaviours and extras.
    pub const ALL: Self = Self(u64::MAX);

    /// The behaviours that look at neighbours.
    pub const NEIGHBOURS: Self = Self((1 << Kind::WITH_NEIGHBOURS) - 1);

    /// A field of view below 360 degrees.
    pub const SIGHT: Self = Self(1 << 63);
    /// Separation, alignment or cohesion with an inner radius.
    pub const INNER: Self = Self(1 << 62);
    /// Each agent's neighbours are counted, for its colour.
    pub const COUNTS: Self = Self(1 << 61);
    /// A species with priorities: behaviours act in order until max_force is spent.
    pub const PRIORITY: Self = Self(1 << 60);
    /// Targets that move, or reappear when they are hit.
    pub const MOVING_TARGETS: Self = Self(1 << 59);
    /// Parameters that vary with time.
    pub const VARYING: Self = Self(1 << 58);
    /// Agents that remember an angle, or a number for their colour.
    pub const MEMORY: Self = Self(1 << 57);

    /// Parameters that each agent draws for itself.
    pub const TRAITS: Self = Self(1 << 56);

    /// Colours that show accelerations.
    pub const ACCELERATIONS: Self = Self(1 << 55);

    /// Colours that show ages.
    pub const AGES: Self = Self(1 << 54);

    /// A species with a smallest speed.
    pub const MIN_SPEED: Self = Self(1 << 53);

    /// Colours that show the structure of the flock.
    pub const STRUCTURE: Self = Self(1 << 52);

    /// Rules in text that look at neighbours within a radius.
    pub const SUMS: Self = Self(1 << 51);

    /// Their sums take the motion of the agent itself.
    pub const OWN_MOTION: Self = Self(1 << 50);

    /// They take the sizes of the neighbours.
    pub const OTHER_SIZES: Self = Self(1 << 49);

    /// Behaviours that choose the nearest neighbours, or draw one.
    pub const NEAREST: Self = Self(1 << 48);

    /// More of them than [`Self::FEW`].
    pub const MANY_NEAREST: Self = Self(1 << 43);

    /// The most nearest neighbours that engines choose without [`Self::MANY_NEAREST`].
    pub const FEW: f32 = 7.0;

    /// A species whose agents move by the velocity before the forces.
    pub const OLD_STEP: Self = Self(1 << 47);

    /// A species that may not turn as it likes.
    pub const MAX_TURN: Self = Self(1 << 46);

    /// A species with Brownian motion.
    pub const JITTER: Self = Self(1 << 45);

    /// A species whose forces have no limit.
    pub const LIMITLESS: Self = Self(1 << 44);

    /// Agents that keep numbers for their rules in text.
    pub const KEPT: Self = Self(1 << 42);

    /// Sums that take the neighbours' numbers.
    pub const OTHER_KEPT: Self = Self(1 << 41);

    /// Sums that take the agent's own numbers.
    pub const OWN_KEPT: Self = Self(1 << 40);

    /// Behaviours that draw one of their neighbours. With [`Self::NEAREST`].
    pub const PICK: Self = Self(1 << 39);

    /// Rules in text whose agents look at everybody, however far away.
    pub const EVERYBODY: Self = Self(1 << 38);

    /// Rules in text that hear everybody, and whose sums all agents share.
    pub const SHARED: Self = Self(1 << 37);

    /// Sums that take the neighbours' places.
    pub const OTHER_PLACES: Self = Self(1 << 36);

    /// A species whose forces only turn it. With [`Self::MIN_SPEED`].
    pub const TURNERS: Self = Self(1 << 35);

    /// A species that chance turns.
    pub const NOISE: Self = Self(1 << 34);

    /// Birds that lean into their turns.
    pub const BANKS: Self = Self(1 << 33);

    /// The extras, with their names in shaders.
    pub const EXTRAS: [(&str, Self); 31] = [
        ("turners", Self::TURNERS),
        ("noise", Self::NOISE),
        ("banks", Self::BANKS),
        ("shared", Self::SHARED),
        ("other_places", Self::OTHER_PLACES),
        ("everybody", Self::EVERYBODY),
        ("kept", Self::KEPT),
        ("other_kept", Self::OTHER_KEPT),
        ("own_kept", Self::OWN_KEPT),
        ("nearest", Self::NEAREST),
        ("many_nearest", Self::MANY_NEAREST),
        ("pick", Self::PICK),
        ("limitless", Self::LIMITLESS),
        ("jitter", Self::JITTER),
        ("max_turn", Self::MAX_TURN),
        ("old_step", Self::OLD_STEP),
        ("other_sizes", Self::OTHER_SIZES),
        ("sums", Self::SUMS),
        ("own_motion", Self::OWN_MOTION),
        ("sight", Self::SIGHT),
        ("inner", Self::INNER),
        ("counts", Self::COUNTS),
        ("priority", Self::PRIORITY),
        ("moving_targets", Self::MOVING_TARGETS),
        ("varies", Self::VARYING),
        ("memory", Self::MEMORY),
        ("traits", Self::TRAITS),
        ("accelerations", Self::ACCELERATIONS),
        ("ages", Self::AGES),
        ("min_speed", Self::MIN_SPEED),
        ("structure", Self::STRUCTURE),
    ];

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

    /// Everything in this set that is not in `other`.
    #[must_use]
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The bits of the set, for a const generic argument.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set with these bits.
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}
