//! The order in which the CPU runs a program: some operations run once for an agent, the others for each neighbour.
//! Every step names the rows that it takes.

use super::operation::{Given, Id, Operation};

/// The number of a row. The results of an operation have the operation's number; the rows of a tile are counted on
/// from there.
pub type Place = u32;

/// An operation, and the places of what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    Add(Place, Place),
    Subtract(Place, Place),
    Multiply(Place, Place),
    Divide(Place, Place),
    Negate(Place),
    Root(Place),
    Floor(Place),
    Less(Place, Place),
    Equal(Place, Place),
    Choose(Place, Place, Place),
    /// The choice where the first of two numbers is less than the second.
    ChooseByLess([Place; 2], Place, Place),
}

/// A result that is added up over the neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Its place among the results.
    pub place: usize,
    /// Its row; the row of the first factor of a product.
    pub row: Place,
    /// The row of the second factor, if nothing else takes the product: then it is formed as it is added.
    pub factor: Option<Place>,
}

/// The work for each neighbour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfNeighbours {
    /// Without inputs and without the products among the terms.
    pub steps: Vec<(Id, Step)>,
    /// The results as they are added up, products last.
    pub terms: Vec<Term>,
}

/// The steps of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// The inputs that are the same for all neighbours of an agent.
    pub inputs: Vec<(Id, Given)>,
    /// The operations whose results are the same for all of them, without constants: first those that wait for none,
    /// so that several run at once.
    pub of_agent: Vec<(Id, Step)>,
    /// The inputs that are others for each neighbour, and their rows in a tile.
    pub of_tile: Vec<(Id, usize)>,
    /// The other operations, on the rows of a tile.
    pub in_place: OfNeighbours,
    /// The same on copies of these rows in place of the inputs' results.
    pub on_copies: OfNeighbours,
}

impl Schedule {
    /// Schedules the operations of a program with these results.
    pub fn new(operations: &[Operation], results: &[Id]) -> Self {
        let mut own = Self::default();
        // Choices compare by themselves: a comparison runs for other uses alone.
        let mut wanted = vec![false; operations.len()];
        results.iter().for_each(|id| wanted[*id as usize] = true);
        for operation in operations {
            let skipped = usize::from(matches!(operation, Operation::Choose(..)));
            operation.inputs().skip(skipped).for_each(|id| wanted[id as usize] = true);
        }
        let mut of_neighbour: Vec<Id> = Vec::new();
        let mut differs: Vec<bool> = Vec::with_capacity(operations.len());
        // How many operations wait for one another up to each.
        let mut depths: Vec<usize> = Vec::with_capacity(operations.len());
        for (id, operation) in (0..).zip(operations) {
            let differing = operation.inputs().any(|input| differs[input as usize]);
            let depth = operation.inputs().map(|input| 1 + depths[input as usize]).max();
            depths.push(depth.unwrap_or(0));
            let mut of_tile = None;
            match operation {
                Operation::Constant(_) | Operation::Truth(_) => {}
                Operation::Less(..) if !wanted[id as usize] => {}
                Operation::Given(given) => {
                    of_tile = given.row();
                    match of_tile {
                        Some(row) => own.of_tile.push((id, row)),
                        None => own.inputs.push((id, *given)),
                    }
                }
                _ if differing => of_neighbour.push(id),
                _ => own.of_agent.extend(step(operations, id, |own| own).map(|step| (id, step))),
            }
            differs.push(differing || of_tile.is_some());
        }
        own.of_agent.sort_by_key(|(id, _)| depths[*id as usize]);
        let takes = |id: Id| operations.iter().flat_map(|own| own.inputs()).any(|own| own == id);
        let product = |id: Id| match operations[id as usize] {
            Operation::Multiply(a, b) if of_neighbour.contains(&id) && !takes(id) => Some([a, b]),
            _ => None,
        };
        let is_term = |id: &Id| results.contains(id) && product(*id).is_some();
        let steps: Vec<Id> = of_neighbour.iter().filter(|id| !is_term(id)).copied().collect();
        let of_neighbours = |place: &dyn Fn(Id) -> Place| {
            let term = |(number, id): (usize, &Id)| {
                let (row, factor) = product(*id).map_or((*id, None), |[a, b]| (a, Some(b)));
                Term { place: number, row: place(row), factor: factor.map(place) }
            };
            let mut terms: Vec<Term> = results.iter().enumerate().map(term).collect();
            terms.sort_by_key(|term| term.factor.is_some());
            let steps = steps.iter().filter_map(|id| Some((*id, step(operations, *id, place)?)));
            OfNeighbours { steps: steps.collect(), terms }
        };
        own.in_place = of_neighbours(&|id| match operations[id as usize] {
            Operation::Given(given) => {
                given.row().map_or(id, |row| (operations.len() + row) as Place)
            }
            _ => id,
        });
        own.on_copies = of_neighbours(&|id| id);
        own
    }
}

/// The operation of this number as a step; none if it is a constant or an input.
fn step(operations: &[Operation], id: Id, place: impl Fn(Id) -> Place) -> Option<Step> {
    let operation = operations[id as usize];
    if let Operation::Choose(condition, a, b) = operation
        && let Operation::Less(low, high) = operations[condition as usize]
    {
        return Some(Step::ChooseByLess([place(low), place(high)], place(a), place(b)));
    }
    Some(match operation.renumbered(place) {
        Operation::Constant(_) | Operation::Truth(_) | Operation::Given(_) => return None,
        Operation::Add(a, b) => Step::Add(a, b),
        Operation::Subtract(a, b) => Step::Subtract(a, b),
        Operation::Multiply(a, b) => Step::Multiply(a, b),
        Operation::Divide(a, b) => Step::Divide(a, b),
        Operation::Negate(a) => Step::Negate(a),
        Operation::Root(a) => Step::Root(a),
        Operation::Floor(a) => Step::Floor(a),
        Operation::Less(a, b) => Step::Less(a, b),
        Operation::Equal(a, b) => Step::Equal(a, b),
        Operation::Choose(condition, a, b) => Step::Choose(condition, a, b),
    })
}
