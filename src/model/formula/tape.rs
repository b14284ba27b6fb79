//! Programs on the CPU: each operation at once for a tile of neighbours.

use super::program::{Given, Id, Operation, Program};
use crate::kept::MAX_KEPT;
use crate::real::{Real, apart};
use crate::vector::Vector;

/// A number for each of `T` neighbours, from where the widest lanes begin in no cache line but their own.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Row<R, const T: usize>(pub [R; T]);

/// The perception of `T` neighbours. In a plane the third axis is not used.
pub struct Tile<R, const T: usize> {
    /// From the agents to the neighbours.
    pub offset: [Row<R, T>; 3],
    /// The squares of their lengths.
    pub distance_squared: Row<R, T>,
    /// The places of the neighbours.
    pub place: [Row<R, T>; 3],
    /// The velocities of the neighbours.
    pub velocity: [Row<R, T>; 3],
    /// The numbers of their species.
    pub species: Row<R, T>,
    /// Whether they are in each of the rule's sets of species.
    pub sets: Vec<Row<R, T>>,
    /// Half their lengths.
    pub size: Row<R, T>,
    /// The numbers that they keep.
    pub kept: [Row<R, T>; MAX_KEPT],
    /// The place among these of each number that the program names.
    pub places: [usize; MAX_KEPT],
}

impl<R: Real, const T: usize> Tile<R, T> {
    /// A tile with nothing in it.
    #[inline(always)]
    pub fn new(like: R) -> Self {
        let zeros = Row([like.constant(0.0); T]);
        Self {
            offset: [zeros; 3],
            distance_squared: zeros,
            place: [zeros; 3],
            velocity: [zeros; 3],
            species: zeros,
            sets: Vec::new(),
            size: zeros,
            kept: [zeros; MAX_KEPT],
            places: [0; MAX_KEPT],
        }
    }

    #[inline(always)]
    fn given(&self, given: Given) -> Option<&Row<R, T>> {
        Some(match given {
            Given::Offset(axis) => &self.offset[axis],
            Given::OtherPosition(axis) => &self.place[axis],
            Given::OtherVelocity(axis) => &self.velocity[axis],
            Given::DistanceSquared => &self.distance_squared,
            Given::OtherSpecies => &self.species,
            Given::InSet(place) => self.sets.get(place)?,
            Given::OtherSize => &self.size,
            Given::OtherKept(place) => &self.kept[self.places[place]],
            _ => return None,
        })
    }
}

/// The inputs of an agent's program. (A trait, because a closure is not always compiled for wide lanes.)
pub trait Inputs<R> {
    /// An input that is the same for all neighbours.
    fn given(&self, given: Given) -> R;
}

/// A program, and the results of its operations for `T` neighbours; truths are 0 and 1.
pub struct Tape<R, const T: usize> {
    program: &'static Program,
    registers: Vec<Row<R, T>>,
}

/// Sums that grow together: each waits for its own last addition alone.
const TOGETHER: usize = 4;

impl<R: Real, const T: usize> Tape<R, T> {
    /// The tape of a program.
    #[inline(always)]
    pub fn new(program: &'static Program, like: R) -> Self {
        let number = |operation: &Operation| match operation {
            Operation::Constant(bits) => like.constant(f32::from_bits(*bits)),
            Operation::Truth(true) => like.constant(1.0),
            _ => like.constant(0.0),
        };
        let registers = program.operations.iter().map(|operation| Row([number(operation); T]));
        Self { program, registers: registers.collect() }
    }

    /// Runs the operations whose results are the same for all neighbours of an agent.
    pub fn prepare<I: Inputs<R>>(&mut self, inputs: &I) {
        let (Some(first), tape) = (self.registers.first().map(|row| row.0[0]), self) else {
            return;
        };
        apart!(
            <'w; R: Real, I: Inputs<R>; T: usize>
            first, |tape: &'w mut Tape<R, T>, inputs: &'w I| -> () { tape.prepare_here(inputs); }
        );
    }

    #[inline(always)]
    fn prepare_here(&mut self, inputs: &impl Inputs<R>) {
        let operations = &self.program.operations[..];
        for id in &self.program.of_agent {
            let (number, operation) = (*id as usize, operations[*id as usize]);
            match operation {
                Operation::Given(input) => self.registers[number].0 = [inputs.given(input); T],
                _ => {
                    let (before, own) = self.registers.split_at_mut(number);
                    let inputs = Operands { operations, before, tile: None, count: 1 };
                    run(operation, inputs, &mut own[0].0[..1]);
                    own[0].0 = [own[0].0[0]; T];
                }
            }
        }
    }

    /// Runs the others for the first `count` neighbours of a tile, and adds the results to `sums`, weighted by the
    /// neighbours' shares. A neighbour without a share is not added. `whole` says that the shares are 0 and 1.
    pub fn add(
        &mut self,
        tile: &Tile<R, T>,
        sums: &mut [R],
        (shares, whole): (&Row<R, T>, bool),
        count: usize,
    ) {
        let tape = self;
        apart!(
            <'w; R: Real; T: usize>
            shares.0[0],
            |tape: &'w mut Tape<R, T>, tile: &'w Tile<R, T>, sums: &'w mut [R], shares: &'w Row<R, T>,
             whole: bool, count: usize| -> () {
                tape.run(tile, count);
                let results = tape.program.results.chunks(TOGETHER);
                for (sums, results) in sums.chunks_mut(TOGETHER).zip(results) {
                    match sums.len() {
                        1 => tape.add_some::<1>(tile, (sums, results), (shares, whole), count),
                        2 => tape.add_some::<2>(tile, (sums, results), (shares, whole), count),
                        3 => tape.add_some::<3>(tile, (sums, results), (shares, whole), count),
                        _ => tape.add_some::<TOGETHER>(tile, (sums, results), (shares, whole), count),
                    }
                }
            }
        );
    }

    /// Runs the operations on neighbours for the first `count` of a tile.
    #[inline(always)]
    fn run(&mut self, tile: &Tile<R, T>, count: usize) {
        let operations = &self.program.operations[..];
        for id in &self.program.of_neighbour {
            let (before, own) = self.registers.split_at_mut(*id as usize);
            let inputs = Operands { operations, before, tile: Some(tile), count };
            run(operations[*id as usize], inputs, &mut own[0].0[..count]);
        }
    }

    /// Adds `N` of the results to as many sums.
    #[inline(always)]
    fn add_some<const N: usize>(
        &self,
        tile: &Tile<R, T>,
        (sums, results): (&mut [R], &[Id]),
        (shares, whole): (&Row<R, T>, bool),
        count: usize,
    ) {
        // Written out, because a closure is not always compiled for wide lanes.
        let nothing = shares.0[0].constant(-0.0);
        let mut terms = [shares; N];
        let mut all = [nothing; N];
        for ((terms, all), (sum, id)) in
            terms.iter_mut().zip(&mut all).zip(sums.iter().zip(results))
        {
            *all = *sum;
            *terms = &self.registers[*id as usize];
            if let Operation::Given(given) = self.program.operations[*id as usize]
                && let Some(given) = tile.given(given)
            {
                *terms = given;
            }
        }
        // Adding −0 changes nothing, and neither does multiplying by 1.
        if whole {
            for at in 0..count.min(T) {
                let seen = nothing.less_than(shares.0[at]);
                for nth in 0..N {
                    all[nth] = all[nth] + terms[nth].0[at].where_or(seen, nothing);
                }
            }
        } else {
            for at in 0..count.min(T) {
                let share = shares.0[at];
                let seen = nothing.less_than(share);
                for nth in 0..N {
                    all[nth] = all[nth] + (terms[nth].0[at] * share).where_or(seen, nothing);
                }
            }
        }
        sums.copy_from_slice(&all[..sums.len()]);
    }

    /// The result of this place, of the first neighbour.
    #[inline(always)]
    pub fn number(&self, place: usize) -> R {
        self.registers[self.program.results[place] as usize].0[0]
    }

    /// The results as a vector, of the first neighbour.
    #[inline(always)]
    pub fn vector<const D: usize>(&self, like: R) -> Vector<R, D> {
        let mut all = Vector::zero(like);
        for (component, result) in all.0.iter_mut().zip(&self.program.results) {
            *component = self.registers[*result as usize].0[0];
        }
        all
    }
}

/// The inputs of the next operation: earlier results, and neighbours.
#[derive(Clone, Copy)]
struct Operands<'a, R, const T: usize> {
    operations: &'a [Operation],
    before: &'a [Row<R, T>],
    tile: Option<&'a Tile<R, T>>,
    count: usize,
}

impl<'a, R: Real, const T: usize> Operands<'a, R, T> {
    #[inline(always)]
    fn get(self, id: Id) -> &'a [R] {
        if let (Operation::Given(given), Some(tile)) = (self.operations[id as usize], self.tile)
            && let Some(given) = tile.given(given)
        {
            return &given.0[..self.count];
        }
        &self.before[id as usize].0[..self.count]
    }
}

/// Runs one operation.
#[inline(always)]
fn run<R: Real, const T: usize>(operation: Operation, inputs: Operands<R, T>, out: &mut [R]) {
    let Some(first) = out.first() else { return };
    let [zero, one] = [0.0, 1.0].map(|number| first.constant(number));
    macro_rules! each {
        ($a:expr, |$x:ident| $value:expr) => {
            for (out, $x) in out.iter_mut().zip(inputs.get($a)) {
                let $x = *$x;
                *out = $value;
            }
        };
        ($a:expr, $b:expr, |$x:ident, $y:ident| $value:expr) => {
            for ((out, $x), $y) in out.iter_mut().zip(inputs.get($a)).zip(inputs.get($b)) {
                let ($x, $y) = (*$x, *$y);
                *out = $value;
            }
        };
    }
    match operation {
        // These were there before.
        Operation::Constant(_) | Operation::Truth(_) | Operation::Given(_) => {}
        Operation::Add(a, b) => each!(a, b, |x, y| x + y),
        Operation::Subtract(a, b) => each!(a, b, |x, y| x - y),
        Operation::Multiply(a, b) => each!(a, b, |x, y| x * y),
        Operation::Divide(a, b) => each!(a, b, |x, y| x / y),
        Operation::Negate(a) => each!(a, |x| -x),
        Operation::Root(a) => each!(a, |x| x.sqrt()),
        Operation::Floor(a) => each!(a, |x| x.floor()),
        Operation::Less(a, b) => each!(a, b, |x, y| one.where_or(x.less_than(y), zero)),
        Operation::Equal(a, b) => each!(a, b, |x, y| one.where_or(x.equals(y), zero)),
        Operation::Choose(condition, a, b) => {
            if let Operation::Less(low, high) = inputs.operations[condition as usize] {
                let compared = inputs.get(low).iter().zip(inputs.get(high));
                let all = compared.zip(inputs.get(a).iter().zip(inputs.get(b)));
                for (out, ((low, high), (x, y))) in out.iter_mut().zip(all) {
                    *out = x.where_or(low.less_than(*high), *y);
                }
                return;
            }
            let chosen = inputs.get(a).iter().zip(inputs.get(b));
            let all = inputs.get(condition).iter().zip(chosen);
            for (out, (condition, (x, y))) in out.iter_mut().zip(all) {
                *out = x.where_or(zero.less_than(*condition), *y);
            }
        }
    }
}
