//! Several programs as one.

use super::operation::{Given, Id, Operation};
use super::program::{Draft, Program};

impl Program {
    /// One program in place of several, whose operations run side by side: an operation that several have runs once,
    /// and equal results are one. Each part has the results that are wanted of it, and `given` names its inputs anew.
    /// Also returns the place of each result of each part among the results of the whole.
    pub fn joined<'a>(
        parts: impl IntoIterator<Item = (&'a Self, &'a [Id])>,
        given: impl Fn(usize, Given) -> Given,
    ) -> (Self, Vec<Vec<usize>>) {
        let draft = Draft::default();
        let (mut results, mut places): (Vec<Id>, _) = (Vec::new(), Vec::new());
        for (part, (program, wanted)) in parts.into_iter().enumerate() {
            let mut ids: Vec<Id> = Vec::with_capacity(program.operations.len());
            for operation in &program.operations {
                let own = match operation.renumbered(|id| ids[id as usize]) {
                    Operation::Given(own) => Operation::Given(given(part, own)),
                    own => own,
                };
                ids.push(draft.node(own).id);
            }
            let place = |result: &Id| {
                let id = ids[*result as usize];
                results.iter().position(|own| *own == id).unwrap_or_else(|| {
                    results.push(id);
                    results.len() - 1
                })
            };
            places.push(wanted.iter().map(place).collect());
        }
        (draft.finish(&results), places)
    }
}
