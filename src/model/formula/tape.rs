//! Programs on the CPU: each operation at once for a tile of neighbours.

use super::operation::{Given, Operation};
use super::program::Program;
use super::schedule::{OfNeighbours, Place, Step, Term};
use super::tile::{Heard, Row, Tile};
use crate::real::{Real, apart};

/// The inputs of an agent's program. (A trait, because a closure is not always compiled for wide lanes.)
pub trait Inputs<R> {
    /// An input that is the same for all neighbours.
    fn given(&self, given: Given) -> R;
}

/// A program, and the results of its operations for `T` neighbours; truths are 0 and 1.
pub struct Tape<'p, R, const T: usize> {
    program: &'p Program,
    registers: Vec<Row<R, T>>,
}

/// Sums that grow together: each waits for its own last addition alone.
const TOGETHER: usize = 6;

impl<'p, R: Real, const T: usize> Tape<'p, R, T> {
    /// The tape of a program.
    #[inline(always)]
    pub fn new(program: &'p Program, like: R) -> Self {
        let number = |operation: &Operation| match operation {
            Operation::Constant(bits) => like.constant(f32::from_bits(*bits)),
            Operation::Truth(true) => like.constant(1.0),
            _ => like.constant(0.0),
        };
        let registers = program.operations.iter().map(|operation| Row([number(operation); T]));
        Self { program, registers: registers.collect() }
    }

    /// True if [`Self::prepare`] has anything to do.
    #[inline(always)]
    #[must_use]
    pub fn takes_agents(&self) -> bool {
        !self.program.schedule.inputs.is_empty()
    }

    /// Runs the operations whose results are the same for all neighbours of an agent.
    pub fn prepare<I: Inputs<R>>(&mut self, inputs: &I) {
        let (Some(first), tape) = (self.registers.first().map(|row| row.0[0]), self) else {
            return;
        };
        apart!(
            <'w, 'p; R: Real, I: Inputs<R>; T: usize>
            first, |tape: &'w mut Tape<'p, R, T>, inputs: &'w I| -> () { tape.prepare_here(inputs); }
        );
    }

    #[inline(always)]
    fn prepare_here(&mut self, inputs: &impl Inputs<R>) {
        // In a variable, which stays in registers of the processor.
        let rows = &mut self.registers[..];
        for (id, given) in &self.program.schedule.inputs {
            rows[*id as usize].0 = [inputs.given(*given); T];
        }
        for (id, step) in &self.program.schedule.of_agent {
            rows[*id as usize].0 = [once(*step, rows); T];
        }
    }

    /// Runs the others for the neighbours of a tile of `count` that are heard, and adds the results to `sums`.
    pub fn add(&mut self, tile: &Tile<R, T>, count: usize, sums: &mut [R], heard: &Heard<R, T>) {
        if heard.count == 0 {
            return;
        }
        let tape = self;
        apart!(
            <'w, 'p; R: Real; T: usize>
            heard.shares.0[0],
            |tape: &'w mut Tape<'p, R, T>, tile: &'w Tile<R, T>, count: usize, sums: &'w mut [R],
             heard: &'w Heard<R, T>| -> () {
                // Where some are not heard, the others are copied side by side.
                let schedule = &tape.program.schedule;
                let mut own = &schedule.in_place;
                if heard.count < count {
                    own = &schedule.on_copies;
                    tape.copy(tile, heard);
                }
                tape.run(own, &tile.rows, heard.count);
                for terms in own.terms.chunks(TOGETHER) {
                    // Products come last.
                    let has_products = terms.last().is_some_and(|term| term.factor.is_some());
                    match usize::from(has_products) + usize::from(heard.weighted) {
                        0 => tape.add_terms::<0>(&tile.rows, terms, sums, heard),
                        1 => tape.add_terms::<1>(&tile.rows, terms, sums, heard),
                        _ => tape.add_terms::<2>(&tile.rows, terms, sums, heard),
                    }
                }
            }
        );
    }

    /// Copies what the program takes of the neighbours that are heard to the registers of these inputs.
    #[inline(always)]
    fn copy(&mut self, tile: &Tile<R, T>, heard: &Heard<R, T>) {
        for (id, all) in &self.program.schedule.of_tile {
            let (own, all) = (&mut self.registers[*id as usize].0, &tile.rows[*all].0);
            for (own, row) in own.iter_mut().zip(&heard.rows[..heard.count.min(T)]) {
                *own = all[usize::from(*row)];
            }
        }
    }

    /// Runs the steps for the first `count` neighbours.
    #[inline(always)]
    fn run(&mut self, all: &OfNeighbours, tile: &[Row<R, T>], count: usize) {
        let first_of_tile = self.registers.len();
        for (id, step) in &all.steps {
            let (before, own) = self.registers.split_at_mut(*id as usize);
            let inputs = Operands { before, tile, first_of_tile, count };
            run(*step, inputs, &mut own[0].0[..count]);
        }
    }

    /// Adds up to [`TOGETHER`] terms to their sums. Each is multiplied by `FACTORS` rows: the second factor of a
    /// product, then the shares of the neighbours; ones in their place change nothing.
    #[inline(always)]
    fn add_terms<const FACTORS: usize>(
        &self,
        tile: &[Row<R, T>],
        terms: &[Term],
        sums: &mut [R],
        heard: &Heard<R, T>,
    ) {
        match terms.len() {
            1 => self.add_some::<1, FACTORS>(tile, terms, sums, heard),
            2 => self.add_some::<2, FACTORS>(tile, terms, sums, heard),
            3 => self.add_some::<3, FACTORS>(tile, terms, sums, heard),
            4 => self.add_some::<4, FACTORS>(tile, terms, sums, heard),
            5 => self.add_some::<5, FACTORS>(tile, terms, sums, heard),
            _ => self.add_some::<TOGETHER, FACTORS>(tile, terms, sums, heard),
        }
    }

    #[inline(always)]
    fn add_some<const N: usize, const FACTORS: usize>(
        &self,
        tile: &[Row<R, T>],
        terms: &[Term],
        sums: &mut [R],
        heard: &Heard<R, T>,
    ) {
        // Written out, because a closure is not always compiled for wide lanes.
        let nothing = heard.shares.0[0].constant(-0.0);
        let (mut rows, mut factors) = ([&heard.ones; N], [[&heard.ones; FACTORS]; N]);
        let mut all = [nothing; N];
        for (nth, term) in terms.iter().enumerate().take(N) {
            all[nth] = sums[term.place];
            rows[nth] = self.row(tile, term.row);
            let mut own = factors[nth].iter_mut();
            if heard.weighted
                && let Some(factor) = own.next_back()
            {
                *factor = &heard.shares;
            }
            if let (Some(other), Some(factor)) = (term.factor, own.next()) {
                *factor = self.row(tile, other);
            }
        }
        for at in 0..heard.count.min(T) {
            for nth in 0..N {
                let mut number = rows[nth].0[at];
                for factor in &factors[nth] {
                    number = number * factor.0[at];
                }
                // Adding −0 changes nothing.
                all[nth] = all[nth] + number.where_or(heard.masks[at], nothing);
            }
        }
        for (term, sum) in terms.iter().zip(all) {
            sums[term.place] = sum;
        }
    }

    #[inline(always)]
    fn row<'a>(&'a self, tile: &'a [Row<R, T>], place: Place) -> &'a Row<R, T> {
        match self.registers.get(place as usize) {
            Some(row) => row,
            None => &tile[place as usize - self.registers.len()],
        }
    }

    /// The result of this place, of the first neighbour.
    #[inline(always)]
    pub fn number(&self, place: usize) -> R {
        self.registers[self.program.results[place] as usize].0[0]
    }
}

/// The rows that the next step may take.
#[derive(Clone, Copy)]
struct Operands<'a, R, const T: usize> {
    before: &'a [Row<R, T>],
    tile: &'a [Row<R, T>],
    first_of_tile: usize,
    count: usize,
}

impl<'a, R: Real, const T: usize> Operands<'a, R, T> {
    #[inline(always)]
    fn get(self, place: Place) -> &'a [R] {
        let row = match self.before.get(place as usize) {
            Some(row) => row,
            None => &self.tile[place as usize - self.first_of_tile],
        };
        &row.0[..self.count]
    }
}

/// The result of a step on numbers that are the same for all neighbours. (Apart from the loops over
/// neighbours: a program of forces has fewer instructions by a third.)
#[inline(always)]
fn once<R: Real, const T: usize>(step: Step, rows: &[Row<R, T>]) -> R {
    macro_rules! of {
        ($place:expr) => {
            rows[$place as usize].0[0]
        };
    }
    match step {
        Step::Add(a, b) => of!(a) + of!(b),
        Step::Subtract(a, b) => of!(a) - of!(b),
        Step::Multiply(a, b) => of!(a) * of!(b),
        Step::Divide(a, b) => of!(a) / of!(b),
        Step::Negate(a) => -of!(a),
        Step::Root(a) => of!(a).sqrt(),
        Step::Floor(a) => of!(a).floor(),
        Step::Less(a, b) => truth(of!(a).less_than(of!(b)), of!(a)),
        Step::Equal(a, b) => truth(of!(a).equals(of!(b)), of!(a)),
        Step::Choose(condition, a, b) => {
            of!(a).where_or(of!(condition).constant(0.0).less_than(of!(condition)), of!(b))
        }
        Step::ChooseByLess([low, high], a, b) => {
            of!(a).where_or(of!(low).less_than(of!(high)), of!(b))
        }
    }
}

/// 1 where the mask is true, else 0.
#[inline(always)]
fn truth<R: Real>(mask: R::Mask, like: R) -> R {
    like.constant(1.0).where_or(mask, like.constant(0.0))
}

/// Runs one step.
#[inline(always)]
fn run<R: Real, const T: usize>(step: Step, inputs: Operands<R, T>, out: &mut [R]) {
    let Some(first) = out.first() else { return };
    let zero = first.constant(0.0);
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
    match step {
        Step::Add(a, b) => each!(a, b, |x, y| x + y),
        Step::Subtract(a, b) => each!(a, b, |x, y| x - y),
        Step::Multiply(a, b) => each!(a, b, |x, y| x * y),
        Step::Divide(a, b) => each!(a, b, |x, y| x / y),
        Step::Negate(a) => each!(a, |x| -x),
        Step::Root(a) => each!(a, |x| x.sqrt()),
        Step::Floor(a) => each!(a, |x| x.floor()),
        Step::Less(a, b) => each!(a, b, |x, y| truth(x.less_than(y), x)),
        Step::Equal(a, b) => each!(a, b, |x, y| truth(x.equals(y), x)),
        Step::Choose(condition, a, b) => {
            let chosen = inputs.get(a).iter().zip(inputs.get(b));
            let all = inputs.get(condition).iter().zip(chosen);
            for (out, (condition, (x, y))) in out.iter_mut().zip(all) {
                *out = x.where_or(zero.less_than(*condition), *y);
            }
        }
        Step::ChooseByLess([low, high], a, b) => {
            let compared = inputs.get(low).iter().zip(inputs.get(high));
            let all = compared.zip(inputs.get(a).iter().zip(inputs.get(b)));
            for (out, ((low, high), (x, y))) in out.iter_mut().zip(all) {
                *out = x.where_or(low.less_than(*high), *y);
            }
        }
    }
}
