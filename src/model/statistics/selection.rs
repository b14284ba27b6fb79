//! Metrics chosen by name. Only the sums that they need are computed.

use std::borrow::Cow;

use super::Metrics;
use super::metric::{Metric, MetricNeeds};
use super::sums::Sums;
use super::unwrapping::Travel;
use crate::quote::{cut, suggest};
use crate::scene::Scene;
use crate::state::FlockState;
use crate::world::Boundary;

/// The column at the beginning of every row.
const TICK: &str = "tick";

/// Metrics in the order of their columns, each of the whole flock or of one species.
#[derive(Clone, Debug)]
pub struct Selection {
    chosen: Vec<Chosen>,
}

#[derive(Clone, Debug)]
struct Chosen {
    /// `polarisation`, or `starling.polarisation`.
    name: String,
    metric: &'static Metric,
}

impl Chosen {
    /// The name of the species.
    fn species(&self) -> Option<&str> {
        self.name.rsplit_once('.').map(|(species, _)| species)
    }
}

/// Names that choose no metrics.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownMetric {
    /// No metric has this name; and a remedy.
    #[error("no metric is called `{0}`; {1}")]
    Name(String, String),
    /// A name is empty.
    #[error("a metric has no name; write names with one comma between two of them")]
    Empty,
    /// A metric is named twice.
    #[error("the metric `{0}` is named twice; leave one of them out")]
    Twice(String),
    /// The tick is no choice.
    #[error("every row begins with the tick; leave `tick` out of the metrics")]
    Tick,
    /// A metric that needs a world with edges, in an open one.
    #[error(
        "the metric `{0}` counts agents in equal boxes of the world, but the world is open; set \
         world.boundary to \"wrap\" or \"walls\""
    )]
    Open(String),
    /// The scene has no such species: the metric, the species and a remedy.
    #[error("the metric `{0}`: the scene has no species `{1}`; {2}")]
    Species(String, String, String),
}

/// The columns of [`Metrics`] behind the tick.
fn columns() -> impl Iterator<Item = &'static Metric> {
    Metrics::TABLE.iter().map(|column| &column.metric).filter(|metric| metric.name != TICK)
}

impl Default for Selection {
    /// The columns of [`Metrics`].
    fn default() -> Self {
        let chosen = |metric: &'static Metric| Chosen { name: metric.name.into(), metric };
        Self { chosen: columns().map(chosen).collect() }
    }
}

impl Selection {
    /// The metrics with these names. `starling.polarisation` is a metric of one species alone.
    ///
    /// # Errors
    /// If a name is unknown, empty or there twice.
    pub fn parse(names: &[impl AsRef<str>]) -> Result<Self, UnknownMetric> {
        let mut chosen: Vec<Chosen> = Vec::new();
        for name in names.iter().map(|name| name.as_ref().trim()) {
            let plain = name.rsplit_once('.').map_or(name, |(_, plain)| plain);
            if plain.is_empty() {
                return Err(UnknownMetric::Empty);
            }
            if plain == TICK {
                return Err(UnknownMetric::Tick);
            }
            if chosen.iter().any(|other| other.name == name) {
                return Err(UnknownMetric::Twice(cut(name).into()));
            }
            let known = || columns().chain(Metrics::MORE);
            let metric = known().find(|metric| metric.name == plain).ok_or_else(|| {
                let known: Vec<_> = known().map(|metric| metric.name).collect();
                UnknownMetric::Name(cut(plain).into(), suggest(plain, &known))
            })?;
            chosen.push(Chosen { name: name.into(), metric });
        }
        if chosen.is_empty() { Err(UnknownMetric::Empty) } else { Ok(Self { chosen }) }
    }

    /// Checks that the metrics have a meaning in a scene.
    ///
    /// # Errors
    /// If the scene has no species of a name, or an open world where a metric needs edges.
    pub fn check(&self, scene: &Scene) -> Result<(), UnknownMetric> {
        for chosen in &self.chosen {
            if chosen.metric.needs == MetricNeeds::Edges && scene.world.boundary == Boundary::Open {
                return Err(UnknownMetric::Open(cut(&chosen.name).into()));
            }
            let Some(species) = chosen.species() else { continue };
            if species_index(scene, species).is_none() {
                let known: Vec<_> = scene.species.iter().map(|own| own.name.as_str()).collect();
                let [name, own] = [&chosen.name, species].map(|name| cut(name).into_owned());
                return Err(UnknownMetric::Species(name, own, suggest(species, &known)));
            }
        }
        Ok(())
    }

    /// True if a metric is about how far agents have come: an [`Unwrapping`](super::Unwrapping) must follow
    /// them.
    #[must_use]
    pub fn needs_travels(&self) -> bool {
        self.chosen.iter().any(|chosen| chosen.metric.needs == MetricNeeds::Travels)
    }

    /// The names of the metrics, as they were given. The tick is not among them.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.chosen.iter().map(|chosen| chosen.name.as_str())
    }

    /// The metrics of a state of `scene`, one for each column: its text parses to the same bits. No
    /// value is ever NaN: an undefined one is 0, and so is each of a species without agents. `travels` has one
    /// for each agent, or nothing if [`Selection::needs_travels`] is false.
    #[must_use]
    pub fn values(&self, scene: &Scene, state: &FlockState, travels: &[Travel]) -> Vec<f64> {
        let mut values = vec![0.0; self.chosen.len()];
        let mut missing: Vec<usize> = (0..self.chosen.len()).collect();
        // The whole flock and each species have their own sums.
        while let Some(first) = missing.first() {
            let species = self.chosen[*first].species();
            let rows = species.map(|own| rows_of(scene, state, own));
            let (state, travels) = match &rows {
                None => (Cow::Borrowed(state), Cow::Borrowed(travels)),
                Some(rows) => {
                    let own = rows.iter().filter_map(|row| travels.get(*row).copied());
                    (Cow::Owned(state.in_order(rows)), Cow::Owned(own.collect()))
                }
            };
            let sums = Sums::new(scene, &state, &travels);
            missing.retain(|index| {
                let Chosen { metric, .. } = &self.chosen[*index];
                let is_of = self.chosen[*index].species() == species;
                if is_of && !state.is_empty() {
                    values[*index] = (metric.of)(&sums);
                }
                !is_of
            });
        }
        values
    }
}

/// The number of a species. Its name may be in quotes, as in `--set`.
fn species_index(scene: &Scene, name: &str) -> Option<usize> {
    let place = |name: &str| scene.species.iter().position(|species| species.name == name);
    place(name).or_else(|| place(name.strip_prefix('"')?.strip_suffix('"')?))
}

/// The rows of the agents of one species.
fn rows_of(scene: &Scene, state: &FlockState, name: &str) -> Vec<usize> {
    let number = species_index(scene, name);
    let is_own = |row: &usize| Some(usize::from(state.species[*row])) == number;
    (0..state.len()).filter(is_own).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{correlation_length, nematic_order, number_exponent, number_variance};
    use super::*;
    use crate::statistics::tests::populated;
    use crate::vector::Point;

    fn parse(names: &str) -> Result<Selection, String> {
        let names: Vec<_> = names.split(',').collect();
        Selection::parse(&names).map_err(|error| error.to_string())
    }

    #[test]
    fn without_names_the_values_are_the_fields() {
        let (scene, state) = populated("flock", &[], 400);
        for state in [state, FlockState { tick: 7, ..FlockState::default() }] {
            let usual = Selection::default();
            let values =
                usual.values(&scene, &state, &[]).into_iter().map(|value| value.to_string());
            let fields: Vec<_> = Metrics::of(&scene, &state).row().collect();
            assert_eq!(
                [state.tick.to_string()].into_iter().chain(values).collect::<Vec<_>>(),
                fields
            );
            let names = [TICK].into_iter().chain(usual.columns());
            assert!(names.eq(Metrics::columns()));
        }
    }

    #[test]
    fn metrics_behind_the_columns_have_values_too() {
        let (scene, state) = populated("flock", &[], 400);
        let names: Vec<_> = Metrics::MORE.iter().map(|metric| metric.name).collect();
        let more = Selection::parse(&names).unwrap();
        let values = more.values(&scene, &state, &[]);
        let expected = [
            nematic_order(&scene.world, &state),
            correlation_length(&scene, &state),
            number_variance(&scene.world, &state.position),
            number_exponent(&scene.world, &state.position),
            0.0,
        ];
        assert_eq!(values, expected);
        assert!(values[0] > 0.0 && values[2] > 0.0, "{names:?}: {values:?}");
        assert_eq!(more.values(&scene, &FlockState::default(), &[]), vec![0.0; names.len()]);
    }

    #[test]
    fn a_species_alone_is_measured_as_if_the_others_were_not_there() {
        let (scene, state) = populated("predators", &[], 400);
        let [first, second] = [&scene.species[0].name, &scene.species[1].name];
        let names = format!("{second}.agents, agents, {first}.mean_neighbours, {first}.agents");
        let chosen = parse(&names).unwrap();
        assert!(chosen.columns().eq(names.split(", ")));
        chosen.check(&scene).unwrap();
        let values = chosen.values(&scene, &state, &[]);
        let is_of = |row: &usize, species: u8| state.species[*row] == species;
        let rows = |species| (0..state.len()).filter(|row| is_of(row, species)).collect::<Vec<_>>();
        let [of_first, of_second] = [0, 1].map(|species| rows(species).len() as f64);
        assert_eq!([values[0], values[1], values[3]], [of_second, 400.0, of_first]);
        let alone = state.in_order(&rows(0));
        assert_eq!(values[2], Metrics::of(&scene, &alone).mean_neighbours);
        assert_ne!(values[2], Metrics::of(&scene, &state).mean_neighbours);
    }

    #[test]
    fn a_species_has_come_as_far_as_its_own_agents() {
        let (scene, state) = populated("predators", &[], 400);
        let metric = "mean_square_displacement";
        let own = |index: usize| format!("{}.{metric}", scene.species[index].name);
        let chosen = parse(&format!("{metric},{},{}", own(0), own(1))).unwrap();
        assert!(chosen.needs_travels() && !Selection::default().needs_travels());
        // Each agent comes as far as its row, sideways.
        let come = |row: usize| Travel { image: [0; 3], displacement: Point::Y * row as f32 };
        let travels: Vec<_> = (0..state.len()).map(come).collect();
        let mean = |of: &dyn Fn(u8) -> bool| {
            let rows: Vec<_> = (0..state.len()).filter(|row| of(state.species[*row])).collect();
            rows.iter().map(|row| (row * row) as f64).sum::<f64>() / rows.len() as f64
        };
        let expected = [mean(&|_| true), mean(&|own| own == 0), mean(&|own| own == 1)];
        let values = chosen.values(&scene, &state, &travels);
        for (value, expected) in values.iter().zip(expected) {
            assert!((value / expected - 1.0).abs() < 1e-12, "{values:?}, {expected}");
        }
        assert!(expected[1] < expected[0] && expected[0] < expected[2]);
    }

    #[test]
    fn a_wrong_name_is_refused_in_one_sentence() {
        let error = |names: &str| parse(names).unwrap_err();
        assert!(error("polarization").ends_with("; did you mean `polarisation`?"));
        assert!(error("agents,x").contains("`x`; known names are agents, "));
        assert!(error("agents,agents").contains("`agents` is named twice"));
        for names in ["", "agents,", " ", "starling."] {
            assert!(error(names).starts_with("a metric has no name"), "{names}");
        }
        assert!(error("tick").contains("leave `tick` out"));
        parse("agents,starling.agents").unwrap();
        let (scene, _) = populated("flock", &[], 400);
        parse("starling.agents").unwrap().check(&scene).unwrap();
        let error = parse("startling.agents").unwrap().check(&scene).unwrap_err().to_string();
        let (open, _) = populated("flock", &["world.boundary=\"open\""], 400);
        let problem = parse("agents,number_variance").unwrap().check(&open).unwrap_err();
        assert!(problem.to_string().contains("`number_variance` counts"), "{problem}");
        parse("agents,nematic_order").unwrap().check(&open).unwrap();
        let expected = "no species `startling`; did you mean `starling`?";
        assert!(error.contains("`startling.agents`") && error.ends_with(expected), "{error}");
    }
}
