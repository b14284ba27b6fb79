//! The parameters of a group of agents, one agent a lane.

use pulp::Simd;

use super::formula_columns::FormulaColumns;
use super::joined_rules::{HearingRules, JoinedRules};
use flockwork_model::behaviours::{Kind, Rules, Uses};
use flockwork_model::memory::{Shown, ShownBy};
use flockwork_model::parameter::{MAX_SPECIES, Parameters};
use flockwork_model::real::MAX_LANES;
use flockwork_model::real::{Lanes, Real, apart};
use flockwork_model::scene::{Body, NO_TURN, Scene, Slot, Species, drawn};

/// Number of behaviours that look at neighbours; they come first in [`Kind::ALL`].
const PERCEIVING: usize = Kind::WITH_NEIGHBOURS;

/// Columns for the parameters of one behaviour.
const SLOTS: usize = 8;

/// The column where the values of a body begin, in the order of its table.
const BODY: usize = Kind::ALL.len() * SLOTS;

/// The column of the square of the perception radius.
const PERCEPTION: usize = BODY + Body::<f32>::COUNT;

/// The column where the turns begin: the place of each behaviour in the order of priorities.
const TURNS: usize = PERCEPTION + 1;

/// The column where the perceived species begin.
const PERCEIVED: usize = TURNS + Kind::ALL.len();

/// Every value of every species: for each species a row of behaviours' parameters, body, square of the
/// perception radius, turns, and, for each other species and behaviour with neighbours, 1 where it perceives
/// them and else 0.
#[derive(Clone, Debug, Default)]
pub struct SpeciesTable {
    rows: Vec<Vec<f32>>,
    /// The columns in which some species has a value.
    used: Vec<usize>,
    /// For each species a list over all species: the behaviours that perceive them, and the extras of the
    /// scene.
    perceives: Vec<[Uses; MAX_SPECIES]>,
    /// Values that agents draw for themselves.
    traits: Vec<Trait>,
    /// For each species whether its agents remember a direction instead of an angle.
    directed: Vec<bool>,
    /// The quantity that colours the agents.
    shown: ShownBy,
    /// The age at the end of the palette; ticks.
    pub longest_age: u32,
    /// The rules in text.
    rules: JoinedRules,
    /// The columns of the behaviours that choose the nearest neighbours, in groups that choose alike.
    pub choices: Vec<Choice>,
}

/// The columns of behaviours that choose the same nearest neighbours.
#[derive(Clone, Debug)]
pub struct Choice {
    pub kinds: Vec<Kind>,
    radii: Vec<usize>,
    nearest: usize,
    fov: usize,
    /// The first column of the perceived species, and the way to the next.
    perceived: (usize, usize),
}

/// How the agents of a group choose.
pub struct OfChoice<S: Simd> {
    /// How many neighbours; 0: all.
    pub count: Lanes<S>,
    /// The cosine of half the field of view.
    pub edge: Lanes<S>,
    /// The square of the largest radius; world units².
    pub squared_radius: Lanes<S>,
}

impl Choice {
    fn of(kinds: Vec<Kind>, formulas: &[FormulaColumns]) -> Self {
        let column = |kind: Kind, key: &str| {
            let slot = kind.parameter(key).unwrap_or_default();
            let own = formulas.iter().find(|own| Kind::Formula(own.formula) == kind);
            own.map_or(kind.number() * SLOTS, |own| own.first) + slot
        };
        let one = kinds[0];
        let of_rule = formulas.iter().find(|own| Kind::Formula(own.formula) == one);
        Self {
            radii: kinds.iter().map(|kind| column(*kind, "radius")).collect(),
            nearest: column(one, "nearest"),
            fov: column(one, "fov"),
            perceived: of_rule
                .map_or((PERCEIVED + one.number(), PERCEIVING), |own| (own.perceived(), 1)),
            kinds,
        }
    }
}

/// A number that agents draw for themselves.
#[derive(Clone, Debug)]
struct Trait {
    /// The column of the largest value.
    column: usize,
    /// The key of its random numbers.
    key: u32,
    /// The smallest value of each species.
    least: Vec<f32>,
}

impl SpeciesTable {
    /// The values of a scene's species at a tick.
    pub fn of(scene: &Scene, tick: u64) -> Self {
        let count = scene.species.len();
        let rules = JoinedRules::new(scene, PERCEIVED + count * PERCEIVING);
        let formulas = &rules.columns;
        let row = |species: &Species| {
            let mut row = Vec::with_capacity(PERCEIVED + scene.species.len() * PERCEIVING);
            for kind in Kind::ALL {
                row.extend((0..SLOTS).map(|slot| species.encoded(kind, slot)));
            }
            row.extend(species.body.values());
            row.push(species.perception_radius() * species.perception_radius());
            row.extend(Kind::ALL.map(|kind| species.turn(kind)));
            let perceives = |kind: Kind, other: usize| {
                let set = kind.parameter("with").map_or(0.0, |i| species.value(kind, i));
                ((set as u32 >> other) & 1) as f32
            };
            for other in 0..count {
                row.extend(Kind::NEAR.map(|kind| perceives(kind, other)));
            }
            for columns in formulas {
                row.extend(columns.values(species));
            }
            row
        };
        let now = scene.species_at(tick);
        let rows: Vec<Vec<f32>> = now.iter().map(row).collect();
        let uses = scene.uses();
        let perceives = |row: &Vec<f32>| {
            std::array::from_fn(|other| {
                let columns =
                    row[PERCEIVED..][..count * PERCEIVING].chunks_exact(PERCEIVING).nth(other);
                let kinds = columns.into_iter().flatten().zip(Kind::ALL);
                let ignored = kinds.filter(|(perceived, _)| **perceived == 0.0);
                ignored.fold(uses, |uses, (_, kind)| uses.without(Uses::of(&[kind])))
            })
        };
        let perceives = rows.iter().map(perceives).collect();
        let silent = |column: usize| column < BODY && !uses.contains(Kind::ALL[column / SLOTS]);
        let used = (0..rows[0].len()).filter(|column| !silent(*column)).collect();
        let one = |slot: Slot| Trait {
            column: match slot {
                Slot::Body(index) => BODY + index,
                Slot::Rule(Kind::Formula(formula), index) => {
                    let own = formulas.iter().find(|columns| columns.formula == formula);
                    own.map_or(0, |columns| columns.first + index)
                }
                Slot::Rule(kind, index) => kind.number() * SLOTS + index,
            },
            key: slot.noise_key(),
            least: now.iter().map(|species| species.least(slot)).collect(),
        };
        let traits = scene.traits().into_iter().map(one).collect();
        let directed = (0..now.len()).map(|species| scene.remembers_directions(species)).collect();
        let (shown, longest_age) = (scene.shown(), scene.style.age);
        let choices = scene.choices().into_iter();
        let choices = choices.map(|kinds| Choice::of(kinds, formulas)).collect();
        Self { rows, used, perceives, traits, directed, shown, longest_age, rules, choices }
    }

    /// The size of agent `id`; world units.
    pub fn size_of(&self, species: u8, seed: u32, id: u32) -> f32 {
        let column = match Slot::size() {
            Slot::Body(index) => BODY + index,
            Slot::Rule(..) => BODY,
        };
        let most = self.rows[usize::from(species)][column];
        let own = self.traits.iter().find(|one| one.column == column);
        own.map_or(most, |own| drawn(own.least[usize::from(species)], most, seed, id, own.key))
    }

    /// True if agents of a species have one of these rules in text.
    pub fn has_one(&self, species: u8, rules: &HearingRules) -> bool {
        let row = &self.rows[usize::from(species)];
        rules.rules.iter().any(|rule| row[self.rules.columns[*rule].turn()] < NO_TURN)
    }

    /// The rules in text.
    #[inline(always)]
    pub fn rules(&self) -> &JoinedRules {
        &self.rules
    }

    /// True if the agents of a species remember a direction instead of an angle.
    #[inline(always)]
    pub fn remembers_directions(&self, species: u8) -> bool {
        self.directed[species as usize]
    }

    /// Puts the `numbers` into `into` whose lanes have an agent of a species that shows `quantity`.
    #[inline(never)]
    pub fn show(
        &self,
        species: &[u8],
        quantity: Shown,
        numbers: [f32; MAX_LANES],
        into: &mut [f32; MAX_LANES],
    ) {
        for ((into, number), species) in into.iter_mut().zip(numbers).zip(species) {
            if self.shown.species(*species) == quantity {
                *into = number;
            }
        }
    }

    /// True when agents draw some of their values.
    #[inline(always)]
    pub fn has_traits(&self) -> bool {
        !self.traits.is_empty()
    }

    /// Number of species.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}

impl Trait {
    /// The values that each agent of a group has drawn. Lanes without an agent get the number of the first.
    fn drawn(
        &self,
        table: &SpeciesTable,
        seed: u32,
        species: &[u8],
        ids: &[u32],
    ) -> [f32; MAX_LANES] {
        let draw = |(species, id): (&u8, &u32)| {
            let (least, most) = (self.least[usize::from(*species)], &table.rows[*species as usize]);
            drawn(least, most[self.column], seed, *id, self.key)
        };
        let mut agents = species.iter().zip(ids).map(draw);
        let first = agents.next().unwrap_or_default();
        let mut numbers = [first; MAX_LANES];
        numbers[1..].iter_mut().zip(agents).for_each(|(slot, number)| *slot = number);
        numbers
    }
}

/// Bodies and rules of a group of agents.
pub struct LaneParameters<S: Simd> {
    /// Their vehicles.
    pub body: Body<Lanes<S>>,
    /// The square of their largest perception radius; world units².
    pub squared_perception_radius: Lanes<S>,
    /// The square of each radius of the rules; world units².
    pub squared_radii: [Lanes<S>; PERCEIVING],
    /// For each species: the behaviours with which some lane perceives it, and the extras of the scene.
    pub some_perceive: [Uses; MAX_SPECIES],
    /// For each species: the behaviours with which all lanes perceive it, and the extras of the scene.
    pub all_perceive: [Uses; MAX_SPECIES],
    pub rules: Rules<Lanes<S>>,
    /// The columns of the species table; each lane has the values of its own species.
    row: Vec<Lanes<S>>,
}

impl<S: Simd> LaneParameters<S> {
    /// All lanes of one species.
    pub fn uniform(simd: S, table: &SpeciesTable, species: usize) -> Self {
        let row: Vec<_> =
            table.rows[species].iter().map(|value| Lanes::splat(simd, *value)).collect();
        let body = Body::read(|index| row[BODY + index]);
        let rules = Rules::read(|kind, slot| row[kind.number() * SLOTS + slot]);
        Self {
            body,
            squared_perception_radius: row[PERCEPTION],
            squared_radii: rules.squared_radii(),
            some_perceive: table.perceives[species],
            all_perceive: table.perceives[species],
            rules,
            row,
        }
    }

    /// Gives each lane the values of its own species.
    pub fn mix(&mut self, simd: S, table: &SpeciesTable, species: &[u8]) {
        let parameters = self;
        apart!(
            <'w; S: Simd; >
            parameters.body.mass,
            |parameters: &'w mut LaneParameters<S>, simd: S, table: &'w SpeciesTable, species: &'w [u8]| -> () {
                parameters.mix_here(simd, table, species);
            }
        );
    }

    #[inline(always)]
    fn mix_here(&mut self, simd: S, table: &SpeciesTable, species: &[u8]) {
        let mut numbers = [0.0; MAX_LANES];
        let mut present = 0_u32;
        for (number, &species) in numbers.iter_mut().zip(species) {
            *number = f32::from(species);
            present |= 1 << species;
        }
        let numbers = Lanes::load(simd, &numbers);
        self.some_perceive = [Uses::default(); MAX_SPECIES];
        self.all_perceive = [Uses::ALL; MAX_SPECIES];
        for (index, values) in table.rows.iter().enumerate() {
            if present & (1 << index) == 0 {
                continue;
            }
            let perceived = self.some_perceive.iter_mut().zip(&mut self.all_perceive);
            for ((some, all), uses) in perceived.zip(&table.perceives[index]) {
                *some = some.with(*uses);
                *all = all.and(*uses);
            }
            let own = numbers.equals(Lanes::splat(simd, index as f32));
            for &column in &table.used {
                self.row[column] =
                    Lanes::splat(simd, values[column]).where_or(own, self.row[column]);
            }
        }
        self.read();
    }

    /// Gives each lane what its agent has drawn, from the `species` and `ids` of the agents.
    pub fn draw(&mut self, simd: S, table: &SpeciesTable, seed: u32, species: &[u8], ids: &[u32]) {
        let parameters = self;
        apart!(
            <'w; S: Simd; >
            parameters.body.mass,
            |parameters: &'w mut LaneParameters<S>, simd: S, table: &'w SpeciesTable, seed: u32, species: &'w [u8],
             ids: &'w [u32]| -> () {
                parameters.draw_here(simd, table, seed, species, ids);
            }
        );
    }

    #[inline(always)]
    fn draw_here(&mut self, simd: S, table: &SpeciesTable, seed: u32, species: &[u8], ids: &[u32]) {
        for one in &table.traits {
            self.row[one.column] = Lanes::load(simd, &one.drawn(table, seed, species, ids));
        }
        if table.traits.iter().any(|one| one.column < BODY) {
            self.read();
        } else {
            let row = &self.row[..TURNS];
            self.body = Body::read(|index| row[BODY + index]);
        }
    }

    /// Reads bodies and rules from the row.
    #[inline(always)]
    fn read(&mut self) {
        let row = &self.row[..TURNS];
        self.body = Body::read(|index| row[BODY + index]);
        self.squared_perception_radius = row[PERCEPTION];
        self.rules = Rules::read(|kind, slot| row[kind.number() * SLOTS + slot]);
        self.squared_radii = self.rules.squared_radii();
    }

    /// The place of a behaviour in the order of priorities, in each lane.
    #[inline(always)]
    pub fn turn(&self, kind: Kind, table: &SpeciesTable) -> Lanes<S> {
        match kind {
            Kind::Formula(formula) => {
                let columns = table.rules.columns.iter().find(|columns| columns.formula == formula);
                self.row[columns.map_or(TURNS, FormulaColumns::turn)]
            }
            _ => self.row[TURNS + kind.number()],
        }
    }

    /// The value in a column of the table.
    #[inline(always)]
    pub fn column(&self, column: usize) -> Lanes<S> {
        self.row[column]
    }

    /// The value of a parameter of a rule in text.
    #[inline(always)]
    pub fn of_formula(&self, columns: &FormulaColumns, index: usize) -> Lanes<S> {
        self.row[columns.first + index]
    }

    /// True in the lanes whose agents have a rule in text.
    #[inline(always)]
    pub fn has_formula(&self, columns: &FormulaColumns) -> <Lanes<S> as Real>::Mask {
        let turn = self.row[columns.turn()];
        turn.less_than(turn.constant(NO_TURN))
    }

    /// 1 in the lanes whose agents perceive `species` by a rule in text, else 0.
    #[inline(always)]
    pub fn perceives_by(&self, columns: &FormulaColumns, species: u8) -> Lanes<S> {
        self.row[columns.perceived() + species as usize]
    }

    /// How a choice is made.
    #[inline(always)]
    pub fn of_choice(&self, choice: &Choice) -> OfChoice<S> {
        let mut radius = self.row[choice.radii[0]];
        for column in &choice.radii[1..] {
            radius = radius.max(self.row[*column]);
        }
        let (count, edge) = (self.row[choice.nearest], self.row[choice.fov]);
        OfChoice { count, edge, squared_radius: radius * radius }
    }

    /// 1 in the lanes whose agents choose among `species`, else 0.
    #[inline(always)]
    pub fn chooses(&self, choice: &Choice, species: u8) -> Lanes<S> {
        let (first, step) = choice.perceived;
        self.row[first + species as usize * step]
    }

    /// 1 in the lanes whose agents perceive `species` in behaviour `kind`, else 0.
    #[inline(always)]
    pub fn perceives(&self, kind: Kind, species: u8) -> Lanes<S> {
        self.row[PERCEIVED + species as usize * PERCEIVING + kind.number()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaviours_with_neighbours_come_first_and_every_parameter_has_a_slot() {
        for kind in Kind::ALL {
            assert_eq!(kind.number() < PERCEIVING, kind.info().sees_neighbours, "{kind:?}");
            assert!(kind.info().parameters.len() <= SLOTS, "{kind:?}");
        }
    }
}
