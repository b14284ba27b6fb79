//! Formulas as programs: a list of operations, each on the results of earlier ones.
//!
//! A [`Node`] is a [`Real`], so the vector functions of the engines write programs as well as they
//! compute numbers. A formula then takes the same operations in the same order as a built-in behaviour
//! that calls them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::operation::{Given, Id, Operation};
use super::schedule::Schedule;
use crate::real::{Mask, Real};

/// Operations in the order in which they run, and those whose results are wanted.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Program {
    /// Every operation takes results of earlier ones only.
    pub operations: Vec<Operation>,
    /// The results.
    pub results: Vec<Id>,
    /// How it runs on the CPU.
    pub(super) schedule: Schedule,
}

impl Program {
    fn new(operations: Vec<Operation>, results: Vec<Id>) -> Self {
        let schedule = Schedule::new(&operations, &results);
        Self { operations, results, schedule }
    }

    /// The inputs that it takes.
    pub fn givens(&self) -> impl Iterator<Item = Given> + '_ {
        self.operations.iter().filter_map(|operation| match operation {
            Operation::Given(given) => Some(*given),
            _ => None,
        })
    }
}

/// A program that is being written. The same operation on the same inputs is written once.
#[derive(Default)]
pub struct Draft(RefCell<(Vec<Operation>, HashMap<Operation, Id>)>);

impl Draft {
    /// The program that gives these results, without operations that none of them needs.
    pub fn finish(&self, results: &[Id]) -> Program {
        let (all, _) = &*self.0.borrow();
        let mut wanted = vec![false; all.len()];
        results.iter().for_each(|result| wanted[*result as usize] = true);
        for (number, operation) in all.iter().enumerate().rev() {
            if wanted[number] {
                operation.inputs().for_each(|input| wanted[input as usize] = true);
            }
        }
        let mut number: Vec<Id> = Vec::with_capacity(all.len());
        let mut next = 0;
        for wanted in &wanted {
            number.push(next);
            next += Id::from(*wanted);
        }
        let renumbered = |id: Id| number[id as usize];
        let operations = all.iter().zip(&wanted).filter(|(_, wanted)| **wanted);
        let operations = operations.map(|(operation, _)| operation.renumbered(renumbered));
        let results = results.iter().map(|id| renumbered(*id)).collect();
        Program::new(operations.collect(), results)
    }

    /// An input.
    pub fn given(&self, given: Given) -> Node<'_> {
        self.node(Operation::Given(given))
    }

    /// A number.
    pub fn constant(&self, value: f32) -> Node<'_> {
        self.node(Operation::Constant(value.to_bits()))
    }

    /// A truth.
    pub fn truth(&self, value: bool) -> Truth<'_> {
        Truth(self.node(Operation::Truth(value)))
    }

    fn operation(&self, id: Id) -> Operation {
        self.0.borrow().0[id as usize]
    }

    fn number(&self, id: Id) -> Option<f32> {
        match self.operation(id) {
            Operation::Constant(bits) => Some(f32::from_bits(bits)),
            _ => None,
        }
    }

    /// The operation, or what it is known to give.
    fn folded(&self, operation: Operation) -> Operation {
        let number = |id: Id| self.number(id);
        let constant = |value: f32| Operation::Constant(value.to_bits());
        let one = |a: Id, compute: fn(f32) -> f32| number(a).map(|a| constant(compute(a)));
        let two = |a: Id, b: Id| Some((number(a)?, number(b)?));
        let both = |a: Id, b: Id, compute: fn(f32, f32) -> f32| {
            two(a, b).map(|(a, b)| constant(compute(a, b)))
        };
        let folded = match operation {
            Operation::Add(a, b) => both(a, b, |a, b| a + b),
            Operation::Subtract(a, b) => both(a, b, |a, b| a - b),
            Operation::Multiply(a, b) => both(a, b, |a, b| a * b),
            Operation::Divide(a, b) => both(a, b, |a, b| a / b),
            Operation::Negate(a) => one(a, |a| -a),
            Operation::Root(a) => one(a, f32::sqrt),
            Operation::Floor(a) => one(a, f32::floor),
            Operation::Less(a, b) => two(a, b).map(|(a, b)| Operation::Truth(a < b)),
            Operation::Equal(a, b) => two(a, b).map(|(a, b)| Operation::Truth(a == b)),
            Operation::Choose(condition, a, b) => match self.operation(condition) {
                Operation::Truth(truth) => Some(self.operation(if truth { a } else { b })),
                _ => (a == b).then(|| self.operation(a)),
            },
            _ => None,
        };
        folded.unwrap_or(operation)
    }

    pub(super) fn node(&self, operation: Operation) -> Node<'_> {
        let operation = self.folded(operation);
        let (operations, known) = &mut *self.0.borrow_mut();
        let id = *known.entry(operation).or_insert_with(|| {
            operations.push(operation);
            operations.len() as Id - 1
        });
        Node { draft: self, id }
    }
}

/// The result of an operation in a draft.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    draft: &'a Draft,
    /// The operation.
    pub id: Id,
}

/// A result that is true or false.
#[derive(Clone, Copy)]
pub struct Truth<'a>(pub Node<'a>);

impl Node<'_> {
    /// Its value, if that is known.
    #[must_use]
    pub fn number(self) -> Option<f32> {
        self.draft.number(self.id)
    }
}

impl<'a> Truth<'a> {
    /// `one` where this is true, else `other`.
    #[must_use]
    pub fn choose(self, one: Self, other: Self) -> Self {
        let Node { draft, id } = self.0;
        Self(draft.node(Operation::Choose(id, one.0.id, other.0.id)))
    }
}

impl Not for Truth<'_> {
    type Output = Self;
    fn not(self) -> Self {
        self.choose(self.0.draft.truth(false), self.0.draft.truth(true))
    }
}

impl BitAnd for Truth<'_> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.choose(other, self.0.draft.truth(false))
    }
}

impl BitOr for Truth<'_> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.choose(self.0.draft.truth(true), other)
    }
}

impl Mask for Truth<'_> {
    /// A program takes both ways: whether a truth holds is not known while it is written.
    fn any(self) -> bool {
        true
    }
}

macro_rules! node_operator {
    ($trait:ident, $function:ident, $operation:ident) => {
        impl $trait for Node<'_> {
            type Output = Self;
            fn $function(self, other: Self) -> Self {
                self.draft.node(Operation::$operation(self.id, other.id))
            }
        }
    };
}

node_operator!(Add, add, Add);
node_operator!(Sub, sub, Subtract);
node_operator!(Mul, mul, Multiply);
node_operator!(Div, div, Divide);

impl Neg for Node<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.draft.node(Operation::Negate(self.id))
    }
}

impl<'a> Real for Node<'a> {
    type Mask = Truth<'a>;

    fn constant(self, value: f32) -> Self {
        self.draft.constant(value)
    }
    fn sqrt(self) -> Self {
        self.draft.node(Operation::Root(self.id))
    }
    fn floor(self) -> Self {
        self.draft.node(Operation::Floor(self.id))
    }
    fn less_than(self, other: Self) -> Truth<'a> {
        Truth(self.draft.node(Operation::Less(self.id, other.id)))
    }
    fn equals(self, other: Self) -> Truth<'a> {
        Truth(self.draft.node(Operation::Equal(self.id, other.id)))
    }
    fn where_or(self, mask: Truth<'a>, other: Self) -> Self {
        self.draft.node(Operation::Choose(mask.0.id, self.id, other.id))
    }
    /// None: there are no numbers while a program is written.
    fn numbers(&self) -> &[f32] {
        &[]
    }
    /// No program has operations on single lanes: the results are no numbers.
    fn each<const IN: usize, const OUT: usize>(
        input: [Self; IN],
        _: impl FnMut([f32; IN]) -> [f32; OUT],
    ) -> [Self; OUT] {
        [input[0].constant(f32::NAN); OUT]
    }
}
