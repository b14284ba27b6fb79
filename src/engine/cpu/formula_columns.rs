//! The columns of a rule in text in the table of species.

use flockwork_model::behaviours::Kind;
use flockwork_model::formula::{Formula, Given};
use flockwork_model::kept::MAX_KEPT;
use flockwork_model::scene::{Scene, Species};

/// The columns of a rule: its parameters, its turn, for each species 1 where it perceives it and else 0, and the
/// same for each of its sets of species.
#[derive(Clone, Debug)]
pub struct FormulaColumns {
    pub formula: &'static Formula,
    /// The numbers of its parameters.
    pub radius: Option<usize>,
    pub inner: Option<usize>,
    pub fov: Option<usize>,
    /// The place of each of its states among the numbers that agents keep.
    pub places: [usize; MAX_KEPT],
    /// True if all agents share its sums.
    pub is_shared: bool,
    /// Its first column.
    pub first: usize,
    /// Species in the scene.
    species: usize,
}

impl FormulaColumns {
    /// The columns of a rule of `scene` from `first` on.
    pub fn new(scene: &Scene, formula: &'static Formula, first: usize) -> Self {
        let names = scene.kept_names();
        let [radius, inner, fov] =
            ["radius", "inner", "fov"].map(|key| Kind::Formula(formula).parameter(key));
        let place = |state| names.place(state).unwrap_or_default();
        let mut places = [0; MAX_KEPT];
        places.iter_mut().zip(formula.states).for_each(|(own, state)| *own = place(state));
        let is_shared = scene.shared().contains(&formula);
        let species = scene.species.len();
        Self { formula, radius, inner, fov, places, is_shared, first, species }
    }

    /// An input of the rule as all rules know it: a parameter by its column, a kept number by its place in the scene.
    pub fn renamed(&self, given: Given) -> Given {
        match given {
            Given::Parameter(index) => Given::Parameter(self.first + index),
            Given::Kept(index) => Given::Kept(self.places[index]),
            Given::OtherKept(index) => Given::OtherKept(self.places[index]),
            own => own,
        }
    }

    /// The column of its turn.
    #[inline(always)]
    pub fn turn(&self) -> usize {
        self.first + self.formula.parameters.len()
    }

    /// The column of the first species, as it is perceived.
    #[inline(always)]
    pub fn perceived(&self) -> usize {
        self.turn() + 1
    }

    /// The column of the first species in set number `place`.
    #[inline(always)]
    pub fn set(&self, place: usize) -> usize {
        self.perceived() + self.species * (1 + place)
    }

    /// The column behind the last one.
    pub fn end(&self) -> usize {
        self.set(self.formula.sets.len())
    }

    /// The values of a species in these columns.
    pub fn values<'a>(&'a self, own: &'a Species) -> impl Iterator<Item = f32> + 'a {
        let kind = Kind::Formula(self.formula);
        let parameters = (0..self.formula.parameters.len()).map(move |i| own.encoded(kind, i));
        let with = kind.parameter("with").map_or(0.0, |index| own.value(kind, index));
        let sets = self.formula.sets.iter().map(move |index| own.value(kind, *index));
        let bits = move |set: f32| (0..self.species).map(move |i| (set as u32 >> i & 1) as f32);
        parameters.chain([own.turn(kind)]).chain([with].into_iter().chain(sets).flat_map(bits))
    }
}
