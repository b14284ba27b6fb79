//! The needs of a scene's behaviours: scenery, memory, and extra work for the engine.

use super::{Body, BoidShape, ColourBy, Law, Rule, Scene, Slot, Species};
use crate::behaviours::bounds::HALF_CIRCLE;
use crate::behaviours::{Kind, Needs, ObstacleReach, Target, Uses};
use crate::formula::{Formula, Given, different};
use crate::memory::{Memory, Shown, ShownBy};
use crate::parameter::{ALL_NEIGHBOURS, FULL_CIRCLE, Meaning, PICK_ONE};
use crate::scenery::{FlowField, FlowPlan, Obstacle, Obstacles, Paths, Scenery};
use crate::state::FlockState;

/// The parameters that say whom an agent perceives by a behaviour or a rule.
const PERCEPTION: [&str; 5] = ["radius", "fov", "nearest", "with", "inner"];

/// Puts things into groups: each into the first whose first thing is alike.
fn grouped<T: Copy>(all: impl Iterator<Item = T>, alike: impl Fn(T, T) -> bool) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for one in all {
        match groups.iter_mut().find(|group| alike(one, group[0])) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

impl Scene {
    /// The obstacles, paths and flow field that its behaviours need.
    #[must_use]
    #[doc(hidden)]
    pub fn scenery(&self) -> Scenery {
        Scenery {
            obstacles: self.obstacles_in_reach(),
            paths: self.paths_in_reach(),
            flow: self.flow_field(),
        }
    }

    /// Its targets, none farther outside a wrapped world than the shortest way to it allows.
    #[must_use]
    #[doc(hidden)]
    pub fn folded_targets(&self) -> Vec<Target> {
        let mut targets = self.targets.clone();
        targets.iter_mut().for_each(|own| own.position = self.world.folded(own.position));
        targets
    }

    /// True if the species of `other` need obstacles, paths and flow as far away as the species of this
    /// scene. Then scenes with equal worlds and scenery have the same [`Scenery`].
    #[must_use]
    pub fn looks_for_scenery_as(&self, other: &Self) -> bool {
        let looks = |rule: &&Rule| {
            let Needs { flow, paths_within, obstacles_within, .. } = rule.kind.info().needs;
            flow || paths_within.is_some() || obstacles_within.is_some()
        };
        let same = |one: &Species, other: &Species| {
            let rules: Vec<&Rule> = one.rules.iter().filter(looks).collect();
            let as_far = one.body.size == other.body.size && one.variations == other.variations;
            (rules.is_empty() || as_far) && rules.into_iter().eq(other.rules.iter().filter(looks))
        };
        self.seed == other.seed
            && self.species.len() == other.species.len()
            && self.species.iter().zip(&other.species).all(|(one, other)| same(one, other))
    }

    /// The rules with a certain need, and their species.
    fn rules_that<'a, T: 'a>(
        &'a self,
        needs: impl Fn(Needs) -> Option<T> + 'a,
    ) -> impl Iterator<Item = (&'a Species, Kind, T)> + 'a {
        let rules = self.species.iter().flat_map(|s| s.rules.iter().map(move |rule| (s, rule)));
        rules.filter_map(move |(species, rule)| {
            Some((species, rule.kind, needs(rule.kind.info().needs)?))
        })
    }

    /// The obstacles, each listed as far away as any species needs it.
    #[must_use]
    #[doc(hidden)]
    pub fn obstacles_in_reach(&self) -> Obstacles {
        let rules: Vec<_> = self.rules_that(|needs| needs.obstacles_within).collect();
        if rules.is_empty() {
            return Obstacles::default();
        }
        Obstacles::within(&self.world, &self.obstacles, |obstacle: &Obstacle| {
            let reach = |(species, kind, within): &(&Species, Kind, ObstacleReach)| {
                within(&|key| species.range(*kind, key), obstacle.radius, species.largest("size"))
            };
            // The factor covers rounding: an obstacle just within reach must be listed.
            rules.iter().map(reach).fold(0.0, f32::max) * 1.001
        })
    }

    fn paths_in_reach(&self) -> Paths {
        let ahead = self.rules_that(|needs| needs.paths_within);
        let ahead = ahead.map(|(species, kind, key)| species.range(kind, key).1).reduce(f32::max);
        let paths = ahead.map_or(&[][..], |_| &self.paths);
        Paths::within(&self.world, paths, ahead.unwrap_or(0.0))
    }

    /// The flow field, if any species follows it.
    #[must_use]
    pub fn followed_flow(&self) -> Option<&FlowPlan> {
        let follows = self.rules_that(|needs| needs.flow.then_some(())).next().is_some();
        self.flow.as_ref().filter(|_| follows)
    }

    /// The cells of the flow field; empty if no species follows it.
    #[must_use]
    #[doc(hidden)]
    pub fn flow_field(&self) -> FlowField {
        let plan = self.followed_flow();
        plan.map_or_else(FlowField::default, |plan| FlowField::new(plan, &self.world, self.seed))
    }

    /// The rules in text of all species, each once.
    #[must_use]
    pub fn formulas(&self) -> Vec<&'static Formula> {
        different(self.rules_in_text().map(|(_, formula)| formula))
    }

    /// The rules in text that hear everybody, and whose sums all agents of a species share.
    #[must_use]
    pub fn shared(&self) -> Vec<&'static Formula> {
        // Agents that see only what is ahead, or draw a number of the sums, have sums of their own.
        let is_shared = |formula: &&'static Formula| {
            let kind = Kind::Formula(formula);
            let sees_all = |species: &Species| species.value_of(kind, "fov") >= FULL_CIRCLE;
            let drawn = |slot: Slot| match slot {
                Slot::Rule(of, index) => {
                    of == kind && formula.sums.givens().any(|own| own == Given::Parameter(index))
                }
                Slot::Body(_) => false,
            };
            formula.is_separable()
                && self.species.iter().all(sees_all)
                && !self.traits().into_iter().any(drawn)
        };
        self.formulas().into_iter().filter(is_shared).collect()
    }

    /// The behaviours of all species, and the extra work that they cause.
    #[must_use]
    #[doc(hidden)]
    pub fn uses(&self) -> Uses {
        let rules = || self.species.iter().flat_map(|species| &species.rules);
        let kinds: Vec<Kind> = rules().map(|rule| rule.kind).collect();
        let shown = self.species.iter().filter_map(|species| self.shown_of(species));
        let shown = shown.map(Uses::showing).fold(Uses::default(), Uses::with);
        let remembers = self.rules_that(|needs| needs.angle.then_some(())).next().is_some();
        let narrow = rules().any(|rule| {
            let mut parameters = rule.kind.info().parameters.iter().zip(&rule.values);
            parameters.any(|(p, own)| p.meaning == Meaning::FieldOfView && *own < FULL_CIRCLE)
        });
        let bodies = |which: fn(&Body) -> bool| self.species.iter().any(|own| which(&own.body));
        let variations = || self.species.iter().flat_map(|species| &species.variations);
        let varies = |key: &str| variations().any(|own| own.slot.key() == key);
        let turners = bodies(|body| body.motion > 0.0);
        let chosen = |rule: &Rule| {
            let slot = rule.kind.parameter("nearest");
            slot.map_or(ALL_NEIGHBOURS, |slot| rule.values[slot])
        };
        let choose = |which: fn(f32) -> bool| rules().map(chosen).any(which);
        let (formulas, shared) = (self.formulas(), self.shared());
        let everybody = || formulas.iter().filter(|rule| rule.hears_everybody());
        let sums =
            |take: fn(Given) -> bool| formulas.iter().any(|rule| rule.sums.givens().any(take));
        // At any time: a radius may vary from 0.
        let ignores =
            |(species, kind, key): (&Species, Kind, &str)| species.range(kind, key).1 > 0.0;
        let extras = [
            (Uses::SIGHT, narrow),
            (Uses::INNER, self.rules_that(|needs| needs.ignores_within).any(ignores)),
            (Uses::PRIORITY, bodies(|body| body.combine > 0.0)),
            (Uses::MOVING_TARGETS, self.targets.iter().any(Target::moves)),
            (Uses::VARYING, variations().any(|own| matches!(own.law, Law::Noise { .. }))),
            (Uses::TRAITS, !self.traits().is_empty()),
            (Uses::SUMS, formulas.iter().any(|rule| rule.has_radius())),
            (Uses::EVERYBODY, everybody().any(|rule| !shared.contains(rule))),
            (Uses::SHARED, everybody().any(|rule| shared.contains(rule))),
            (Uses::OTHER_PLACES, sums(|own| matches!(own, Given::OtherPosition(_)))),
            (Uses::OTHER_SIZES, sums(|own| own == Given::OtherSize)),
            (Uses::OWN_MOTION, sums(|own| matches!(own, Given::Position(_) | Given::Velocity(_)))),
            (Uses::KEPT, !self.kept_names().is_empty()),
            (Uses::OTHER_KEPT, sums(|own| matches!(own, Given::OtherKept(_)))),
            (Uses::OWN_KEPT, sums(|own| matches!(own, Given::Kept(_)))),
            (Uses::NEAREST, choose(|count| count > ALL_NEIGHBOURS)),
            (Uses::MANY_NEAREST, choose(|count| count > Uses::MAX_FEW && count != PICK_ONE)),
            (Uses::PICK, choose(|count| count == PICK_ONE)),
            (Uses::LIMITLESS, bodies(|body| body.limit > 1.0)),
            (Uses::TURNERS, turners),
            (Uses::NOISE, bodies(|body| body.noise > 0.0) || varies("noise")),
            (
                Uses::MIN_SPEED,
                turners || bodies(|body| body.min_speed > 0.0) || varies("min_speed"),
            ),
            (Uses::JITTER, bodies(|body| body.jitter > 0.0) || varies("jitter")),
            (Uses::MAX_TURN, bodies(|body| body.max_turn < HALF_CIRCLE) || varies("max_turn")),
            (Uses::OLD_STEP, bodies(|body| body.position_step > 0.0)),
            (Uses::MEMORY, shown != Uses::default() || remembers),
        ];
        let asked = extras.into_iter().filter(|(_, asked)| *asked);
        asked.fold(Uses::of(&kinds).with(shown), |uses, (extra, _)| uses.with(extra))
    }

    /// The longest run of neighbours that agents read whole.
    #[must_use]
    pub fn run_cap(&self) -> u32 {
        self.sampling.run_cap(self.uses().has(Uses::NEAREST))
    }

    /// The behaviours and rules that look at neighbours within a radius, each with its leader: the first of those that
    /// perceive alike. Agents of every species perceive the same neighbours by them.
    #[must_use]
    #[doc(hidden)]
    pub fn leaders(&self) -> Vec<(Kind, Kind)> {
        let uses = self.uses();
        let built_in = Kind::NEAR.into_iter().filter(|kind| uses.contains(*kind));
        let rules = self.formulas().into_iter().filter(|own| own.has_radius()).map(Kind::Formula);
        // A rule in text hears an agent at exactly its inner radius. A behaviour does not.
        let ignores = |kind| self.species.iter().any(|own| own.value_of(kind, "inner") > 0.0);
        let alike = |kind: Kind, other: Kind| {
            let comparable = kind.formula().is_some() == other.formula().is_some();
            (comparable || !ignores(kind)) && self.equal_in(&PERCEPTION, kind, other)
        };
        let groups = grouped(built_in.chain(rules), alike);
        groups.iter().flat_map(|group| group.iter().map(|kind| (*kind, group[0]))).collect()
    }

    /// The behaviours and rules that choose the nearest neighbours, or draw one, in the order of [`Kind::ALL`]. Those
    /// that choose alike (as many, of the same species, in the same field of view) are one group, whose first one
    /// chooses for all. Their radii may differ, but not if they draw: one that is drawn within a radius need not be
    /// within a smaller one.
    #[must_use]
    #[doc(hidden)]
    pub fn choices(&self) -> Vec<Vec<Kind>> {
        let alike = |kind: Kind, other: Kind| {
            let choice = |own: &Species, kind| {
                ["nearest", "fov", "with"].map(|key| self.value_among(own, kind, key))
            };
            let draws = self.species.iter().any(|own| own.value_of(kind, "nearest") == PICK_ONE);
            self.species.iter().all(|own| choice(own, kind) == choice(own, other))
                && (!draws || self.equal_in(&["radius"], kind, other))
        };
        let chooses = |kind: &Kind| {
            self.species.iter().any(|own| own.value_of(*kind, "nearest") > ALL_NEIGHBOURS)
        };
        let kinds = Kind::NEAR.into_iter().chain(self.formulas().into_iter().map(Kind::Formula));
        grouped(kinds.filter(chooses), alike)
    }

    /// The rules in text that look at neighbours, in groups: the rules of a group hear the same neighbours.
    #[must_use]
    #[doc(hidden)]
    pub fn hearings(&self) -> Vec<Vec<&'static Formula>> {
        let shared = self.shared();
        let alike = |one: &'static Formula, other: &'static Formula| {
            one.hears_everybody() == other.hears_everybody()
                && shared.contains(&one) == shared.contains(&other)
                && self.equal_in(&PERCEPTION, Kind::Formula(one), Kind::Formula(other))
        };
        let formulas = self.formulas().into_iter().filter(|own| own.sees_neighbours());
        grouped(formulas, alike)
    }

    /// True if two behaviours have the same values of these parameters in every species, which do not vary. A behaviour
    /// without `inner` or `nearest` has 0 of it, which is none.
    fn equal_in(&self, keys: &[&str], kind: Kind, other: Kind) -> bool {
        let varies = |species: &Species, kind: Kind| {
            let mut slots = keys.iter().filter_map(|key| kind.parameter(key));
            slots.any(|slot| species.law(Slot::Rule(kind, slot)).is_some())
        };
        self.species.iter().all(|species| {
            let value = |kind, key: &str| self.value_among(species, kind, key).unwrap_or_default();
            let equal = |key: &&str| value(kind, key) == value(other, key);
            !varies(species, kind) && !varies(species, other) && keys.iter().all(equal)
        })
    }

    /// True if pictures show what agents remember for them.
    #[must_use]
    pub fn shows_memory(&self) -> bool {
        self.species.iter().any(|species| self.shown_of(species).is_some())
    }

    /// True if colours show clusters.
    #[must_use]
    pub fn shows_clusters(&self) -> bool {
        self.species.iter().any(|species| species.colour == ColourBy::Cluster)
    }

    /// The quantity that the looks of the agents show.
    #[must_use]
    pub fn shown(&self) -> ShownBy {
        ShownBy::of(self.species.iter().map(|species| self.shown_of(species).unwrap_or_default()))
    }

    /// The same for one species: what its colour shows, or else how far birds in a space lean, or nothing.
    fn shown_of(&self, species: &Species) -> Option<Shown> {
        let leans = species.look == BoidShape::Bird && !self.world.is_flat();
        match species.colour {
            ColourBy::Neighbours => Some(Shown::Neighbours),
            ColourBy::Acceleration => Some(Shown::Acceleration),
            ColourBy::Age => Some(Shown::Age),
            ColourBy::Structure => Some(Shown::Structure),
            ColourBy::Cluster => Some(Shown::Cluster),
            ColourBy::Heading
            | ColourBy::Speed
            | ColourBy::Species
            | ColourBy::Depth
            | ColourBy::State(_)
            | ColourBy::Fixed(_) => leans.then_some(Shown::Bank),
        }
    }

    /// The memory of the agents in `state`; a fresh one for agents without, and nothing to show where
    /// `state` has another number for the colour. Empty if the scene needs no memory.
    #[must_use]
    pub fn memory_of(&self, state: &FlockState) -> Vec<Memory> {
        if !self.uses().has(Uses::MEMORY) {
            return Vec::new();
        }
        let shown = self.shown();
        let one = |row: usize| {
            let species = state.species[row];
            let same = shown.species(species) == state.shown.species(species);
            let own = state.memory.get(row).map(|own| if same { *own } else { own.showing(0) });
            own.unwrap_or_else(|| self.first_memory(species, state.id[row]))
        };
        (0..state.len()).map(one).collect()
    }

    /// The memory of agent `id` at the start.
    #[must_use]
    pub fn first_memory(&self, species: u8, id: u32) -> Memory {
        if self.remembers_directions(species as usize) {
            Memory::at_start_in_space(self.seed, id)
        } else {
            Memory::at_start(self.seed, id)
        }
    }

    /// True if the agents of a species remember a direction instead of an angle.
    #[must_use]
    pub fn remembers_directions(&self, species: usize) -> bool {
        let directed = |rule: &Rule| rule.kind.info().needs.direction_in_space;
        let species = self.species.get(species);
        !self.world.is_flat() && species.is_some_and(|species| species.rules.iter().any(directed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The behaviours of a built-in scene that follow another one, each with its leader, after some
    /// overrides.
    fn led(name: &str, overrides: &[&str]) -> Vec<(&'static str, &'static str)> {
        let text = super::super::BuiltIn::named(name).unwrap().text;
        let overrides: Vec<String> = overrides.iter().copied().map(String::from).collect();
        let scene = Scene::parse_with(name, text, &overrides).unwrap();
        let led = scene.leaders().into_iter().filter(|(kind, leader)| kind != leader);
        led.map(|(kind, leader)| (kind.info().key, leader.info().key)).collect()
    }

    #[test]
    fn an_inner_radius_that_varies_from_0_is_used() {
        for (inner, is_used) in
            [("0", false), ("{ amplitude = 9 }", true), ("{ from = 0, to = 9 }", true)]
        {
            let text = super::super::BuiltIn::named("flock").unwrap().text;
            let set = format!("starling.separation.inner={inner}");
            let uses = Scene::parse_with("flock", text, &[set]).unwrap().uses();
            assert_eq!(uses.has(Uses::INNER), is_used, "{inner}");
        }
    }

    #[test]
    fn behaviours_with_the_same_radii_field_of_view_and_species_have_one_leader() {
        let cohesion = ("cohesion", "alignment");
        assert_eq!(led("flock", &[]), [cohesion]);
        // Separation perceives all species, alignment its own: where there is only one, these are the same.
        let all = [("alignment", "separation"), ("cohesion", "separation")];
        assert_eq!(led("flock", &["starling.separation.radius=50"]), all);
        for (others, groups) in [("", 1), ("[species.b]\n", 2)] {
            let text = "[species.a]\nseparation.nearest = 7\nalignment.nearest = 7\n".to_owned();
            let scene = Scene::parse("test", &(text + others)).unwrap();
            assert_eq!(scene.choices().len(), groups, "{others}");
        }
        let inner = ["starling.alignment.inner=5", "starling.cohesion.inner=5"];
        assert_eq!(led("flock", &inner), [cohesion]);
        assert_eq!(led("flock", &["starling.evade.radius=50"]), [cohesion, ("evade", "alignment")]);
        assert_eq!(led("predators", &[]), [cohesion]);
        for other in [
            "starling.cohesion.radius=50.5",
            "starling.cohesion.fov=300",
            "starling.cohesion.inner=5",
            "starling.alignment.radius={ base = 50, amplitude = 5, period = 100 }",
            "starling.cohesion.radius={ from = 40, to = 50 }",
        ] {
            assert_eq!(led("flock", &[other]), [], "{other}");
        }
        assert_eq!(led("predators", &["prey.cohesion.with=[\"prey\", \"hunter\"]"]), []);
        // A difference in one species is enough.
        assert_eq!(led("predators", &["hunter.cohesion.radius=50"]), []);
    }

    #[test]
    fn rules_hear_the_same_neighbours_if_nothing_that_chooses_them_differs() {
        let groups = |overrides: &[&str]| {
            let rule =
                |name| format!("rules.{name} = {{ sum.v = 'other_velocity', force = 'v' }}\n");
            let [one, two] = ["one", "two"].map(rule);
            let text =
                format!("[species.a]\n{one}rules.own.force = 'velocity'\n{two}[species.b]\n{two}");
            let overrides: Vec<String> = overrides.iter().copied().map(String::from).collect();
            let scene = Scene::parse_with("s", &text, &overrides).unwrap();
            let hearings = scene.hearings().into_iter();
            let keys = |group: Vec<&Formula>| group.iter().map(|own| own.key).collect::<Vec<_>>();
            hearings.map(keys).collect::<Vec<_>>()
        };
        let apart = [["rules.one"], ["rules.two"]];
        // Species b has but one of them.
        assert_eq!(groups(&[]), apart);
        let given = ["b.rules.two=none"];
        assert_eq!(groups(&given), [["rules.one", "rules.two"]]);
        assert_eq!(groups(&[given[0], "a.rules.two.weight=-3"]), [["rules.one", "rules.two"]]);
        for other in [
            "radius=49",
            "radius={ from = 40, to = 50 }",
            "radius={ base = 50, amplitude = 5, period = 100 }",
            "radius=\"all\"",
            "fov=300",
            "nearest=7",
            "inner=1",
            "with=[\"a\"]",
        ] {
            let both = |rule: &str| format!("a.rules.{rule}.{other}");
            assert_eq!(groups(&[given[0], &both("two")]), apart, "{other}");
            let drawn = other.contains('{');
            assert_eq!(
                groups(&[given[0], &both("one"), &both("two")]).len(),
                1 + usize::from(drawn),
                "{other}"
            );
        }
    }
}
