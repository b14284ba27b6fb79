//! The rules in text of a scene as few programs: rules that hear the same neighbours add them up together, and the
//! forces of all rules are one program.

use super::formula_columns::FormulaColumns;
use flockwork_model::formula::{Formula, Given, Program};
use flockwork_model::scene::Scene;

/// The rules in text of a scene.
#[derive(Clone, Debug, Default)]
pub struct JoinedRules {
    /// The columns of each.
    pub columns: Vec<FormulaColumns>,
    /// Those that look at neighbours, in groups.
    pub hearings: Vec<HearingRules>,
    /// How many sums they have.
    pub sums: usize,
    /// The forces of the rules that do not look at neighbours, and of those that do.
    pub forces: [Forces; 2],
    /// [`Scene::tells_species`].
    pub tells_species: bool,
}

/// Rules that hear the same neighbours.
#[derive(Clone, Debug)]
pub struct HearingRules {
    /// Their numbers among the columns.
    pub rules: Vec<usize>,
    /// The results are the components of their sums.
    pub program: Program,
    /// The place of the first of these among the sums of all rules.
    pub first_sum: usize,
    /// The columns of the first species in each set that the program takes.
    pub sets: Vec<usize>,
}

/// The forces of rules.
#[derive(Clone, Debug, Default)]
pub struct Forces {
    pub program: Program,
    /// For each rule its number among the columns, and the places of its results: the components of its force as the
    /// text gives them, and the next values of its states.
    pub rules: Vec<(usize, Vec<usize>)>,
}

impl JoinedRules {
    /// The rules of a scene, whose columns begin at `first`.
    pub fn new(scene: &Scene, mut first: usize) -> Self {
        let columns = scene.formulas().into_iter().map(|formula| {
            let columns = FormulaColumns::new(scene, formula, first);
            first = columns.end();
            columns
        });
        let columns: Vec<FormulaColumns> = columns.collect();
        let number = |formula: &&'static Formula| {
            columns.iter().position(|own| own.formula == *formula).unwrap_or_default()
        };
        let mut sums = 0;
        let mut places_of_sums = vec![Vec::new(); columns.len()];
        let hearings = scene.hearings().into_iter().map(|group| {
            let rules: Vec<usize> = group.iter().map(number).collect();
            let mut sets = Vec::new();
            let mut first_sets = Vec::new();
            for own in rules.iter().map(|rule| &columns[*rule]) {
                first_sets.push(sets.len());
                sets.extend((0..own.formula.sets.len()).map(|set| own.set(set)));
            }
            let given = |part: usize, given| match given {
                Given::InSet(set) => Given::InSet(first_sets[part] + set),
                own => columns[rules[part]].renamed(own),
            };
            let (program, places) =
                Program::joined(group.iter().map(|own| (&own.sums, &own.sums.results[..])), given);
            for (rule, places) in rules.iter().zip(places) {
                places_of_sums[*rule] = places.into_iter().map(|place| sums + place).collect();
            }
            let first_sum = sums;
            sums += program.results.len();
            HearingRules { rules, program, first_sum, sets }
        });
        let hearings = hearings.collect();
        let forces = [false, true].map(|sees_neighbours| {
            let rules = (0..columns.len())
                .filter(|rule| columns[*rule].formula.sees_neighbours() == sees_neighbours);
            let rules: Vec<usize> = rules.collect();
            let programs = rules.iter().flat_map(|rule| {
                let formula = columns[*rule].formula;
                let force = &formula.force.results[formula.axes + 1..];
                [(&formula.force, force), (&formula.next, &formula.next.results[..])]
            });
            let (program, places) = Program::joined(programs, |part, given| match given {
                Given::Sum(sum) => Given::Sum(places_of_sums[rules[part / 2]][sum]),
                own => columns[rules[part / 2]].renamed(own),
            });
            let places = places.chunks(2).map(<[_]>::concat);
            Forces { program, rules: rules.iter().copied().zip(places).collect() }
        });
        Self { columns, hearings, sums, forces, tells_species: scene.tells_species() }
    }

    /// The inputs of all sums.
    pub fn givens(&self) -> impl Iterator<Item = Given> + '_ {
        self.hearings.iter().flat_map(|own| own.program.givens())
    }
}

impl HearingRules {
    /// The columns of one of the rules: all of them hear whom it hears.
    #[inline(always)]
    pub fn one<'a>(&self, rules: &'a JoinedRules) -> &'a FormulaColumns {
        &rules.columns[self.rules[0]]
    }
}
