//! The operations of programs, and their inputs.

/// The number of an operation in its program.
pub type Id = u32;

/// An input of a program. Vectors have one for each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Given {
    /// From the agent to its neighbour.
    Offset(usize),
    /// The square of the offset's length.
    DistanceSquared,
    /// The neighbour's place.
    OtherPosition(usize),
    /// The neighbour's velocity.
    OtherVelocity(usize),
    /// The number of the neighbour's species.
    OtherSpecies,
    /// 1 if the neighbour's species is in the set of this place among the rule's sets, else 0.
    InSet(usize),
    /// Half the neighbour's length.
    OtherSize,
    /// The number that the neighbour keeps under the rule's name of this place.
    OtherKept(usize),
    /// The agent's place.
    Position(usize),
    /// The agent's velocity.
    Velocity(usize),
    /// The agent's largest speed.
    MaxSpeed,
    /// The agent's largest force.
    MaxForce,
    /// Half the agent's length.
    Size,
    /// The number that the agent keeps under the rule's name of this place.
    Kept(usize),
    /// The tick.
    Tick,
    /// The direction in which the agent leaves a neighbour at the same spot.
    Spread(usize),
    /// The rule's parameter of this number.
    Parameter(usize),
    /// A sum over the neighbours, or one of its components.
    Sum(usize),
    /// The random number of this use.
    Random(u32),
}

/// An operation. Truths are results of comparisons, and of choices among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The number with these bits.
    Constant(u32),
    /// True, or false.
    Truth(bool),
    /// An input.
    Given(Given),
    /// The sum.
    Add(Id, Id),
    /// The difference.
    Subtract(Id, Id),
    /// The product.
    Multiply(Id, Id),
    /// The quotient.
    Divide(Id, Id),
    /// The number with the other sign.
    Negate(Id),
    /// The square root.
    Root(Id),
    /// The largest whole number that is not above it.
    Floor(Id),
    /// The first one is less.
    Less(Id, Id),
    /// Both are the same number.
    Equal(Id, Id),
    /// The second one if the first one is true, else the third.
    Choose(Id, Id, Id),
}

impl Operation {
    /// The operations whose results it takes.
    pub fn inputs(mut self) -> impl Iterator<Item = Id> {
        self.inputs_mut().map(|input| input.map(|id| *id)).into_iter().flatten()
    }

    fn inputs_mut(&mut self) -> [Option<&mut Id>; 3] {
        match self {
            Self::Constant(_) | Self::Truth(_) | Self::Given(_) => [None, None, None],
            Self::Negate(a) | Self::Root(a) | Self::Floor(a) => [Some(a), None, None],
            Self::Add(a, b)
            | Self::Subtract(a, b)
            | Self::Multiply(a, b)
            | Self::Divide(a, b)
            | Self::Less(a, b)
            | Self::Equal(a, b) => [Some(a), Some(b), None],
            Self::Choose(a, b, c) => [Some(a), Some(b), Some(c)],
        }
    }

    /// The same with other numbers for the operations that it takes.
    pub(super) fn renumbered(mut self, number: impl Fn(Id) -> Id) -> Self {
        self.inputs_mut().into_iter().flatten().for_each(|input| *input = number(*input));
        self
    }
}
