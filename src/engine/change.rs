//! The parts of a scene that an update changes.

use std::ops::{BitOr, BitOrAssign};

use super::EngineError;
use flockwork_model::behaviours::bounds::MAX_SPEED;
use flockwork_model::formula::Formula;
use flockwork_model::parameter::{MAX_SPECIES, Meaning, PICK_ONE, Parameters};
use flockwork_model::quote::cut;
use flockwork_model::scene::keys::MAX_EXTENT;
use flockwork_model::scene::{Body, MAX_TARGETS, Scene, TIME_STEPS, check_paths};
use flockwork_model::vector::Point;
use flockwork_model::world::MAX_COORDINATE;

/// A set of parts of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    parts: u8,
    /// One bit per target.
    targets: u64,
}

const _: () = assert!(MAX_TARGETS <= 64);

impl Change {
    /// The species (bodies, behaviours, and what varies), the time step, the seed, the sampling of crowds,
    /// and the age at the end of a palette.
    pub const PARAMETERS: Self = Self { parts: 1, targets: 0 };
    /// Obstacles, paths and the flow field.
    pub const SCENERY: Self = Self { parts: 2, targets: 0 };
    /// Size and boundary of the world. If it becomes another one, the list of targets changes too, as with
    /// [`Self::TARGETS`].
    pub const WORLD: Self = Self { parts: 4, targets: 0 };
    /// The list of targets with all their values. Targets that move by themselves return to the
    /// scene's positions.
    pub const TARGETS: Self = Self { parts: 8, targets: u64::MAX };
    /// The target `pointer`: see [`Self::target`].
    pub const POINTER: Self = Self::target(0);

    /// Position and presence of one target, also of one that moves by itself. The engine keeps its
    /// velocity and hits, and the other targets.
    #[must_use]
    pub const fn target(index: usize) -> Self {
        Self { parts: 0, targets: if index < MAX_TARGETS { 1 << index } else { 0 } }
    }

    /// True if all of `other` is in this change.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.parts & other.parts == other.parts && self.targets & other.targets == other.targets
    }

    /// True if no part changes.
    #[must_use]
    pub const fn is_nothing(self) -> bool {
        self.parts == 0 && self.targets == 0
    }

    /// Indices of the targets that change one by one; empty if the whole list changes.
    pub fn single_targets(self) -> impl Iterator<Item = usize> {
        let single = !self.has(Self::TARGETS);
        (0..MAX_TARGETS).filter(move |index| single && self.has(Self::target(*index)))
    }

    /// A copy of `scene` with the parts that change. The large parts that do not change are empty.
    #[must_use]
    pub fn parts_of(self, scene: &Scene) -> Scene {
        fn some<T: Clone + Default>(wanted: bool, part: &T) -> T {
            if wanted { part.clone() } else { T::default() }
        }
        let scenery = self.has(Self::SCENERY);
        let mut parts = Scene::new("", scene.world);
        (parts.time_step, parts.seed, parts.sampling) =
            (scene.time_step, scene.seed, scene.sampling);
        parts.style = scene.style.clone();
        parts.species = some(self.has(Self::PARAMETERS), &scene.species);
        parts.targets = if self.targets == 0 { Vec::new() } else { scene.folded_targets() };
        parts.obstacles = some(scenery, &scene.obstacles);
        parts.paths = some(scenery, &scene.paths);
        parts.flow = some(scenery, &scene.flow);
        parts
    }

    /// Exchanges the parts that change between two scenes.
    pub fn swap(self, one: &mut Scene, other: &mut Scene) {
        use std::mem::swap;
        if self.has(Self::PARAMETERS) {
            swap(&mut one.species, &mut other.species);
            swap(&mut one.style.age, &mut other.style.age);
            swap(&mut one.time_step, &mut other.time_step);
            swap(&mut one.seed, &mut other.seed);
            swap(&mut one.sampling, &mut other.sampling);
        }
        if self.has(Self::SCENERY) {
            swap(&mut one.obstacles, &mut other.obstacles);
            swap(&mut one.paths, &mut other.paths);
            swap(&mut one.flow, &mut other.flow);
        }
        if self.has(Self::WORLD) {
            swap(&mut one.world, &mut other.world);
        }
        if self.has(Self::TARGETS) {
            swap(&mut one.targets, &mut other.targets);
        }
        for index in self.single_targets() {
            let pair = one.targets.get_mut(index).zip(other.targets.get_mut(index));
            if let Some((one, other)) = pair {
                swap(&mut one.position, &mut other.position);
                swap(&mut one.active, &mut other.active);
            }
        }
    }

    /// The same with the parts that follow: another world folds all targets anew.
    #[must_use]
    pub fn complete(self, before: &Scene, after: &Scene) -> Self {
        let moves = self.has(Self::WORLD) && before.world != after.world;
        if moves { self | Self::TARGETS } else { self }
    }

    /// Fails if `after` has another number of axes than `before`, and the world changes.
    pub fn keeps_axes(self, before: &Scene, after: &Scene) -> Result<(), EngineError> {
        let (before, after) = (before.world.axes(), after.world.axes());
        if self.has(Self::WORLD) && before != after {
            return Err(EngineError::OtherAxes { before, after });
        }
        Ok(())
    }

    /// Fails if a changed number in `scene` is out of the range that scene files allow.
    pub fn check(self, scene: &Scene) -> Result<(), EngineError> {
        let within = |name: &dyn Fn() -> String, value: f32, (low, high): (f32, f32)| match (low
            ..=high)
            .contains(&value)
        {
            true => Ok(()),
            false => Err(EngineError::BadValue { name: name(), value, low, high }),
        };
        let each = |name: &dyn Fn() -> String, point: Point, most: f32| {
            let mut all = point.to_array().into_iter();
            all.try_for_each(|value| within(name, value, (-most, most)))
        };
        let place = |name: &dyn Fn() -> String, place: Point| each(name, place, MAX_COORDINATE);
        if self.has(Self::PARAMETERS) {
            check_species(scene, &[], &[])?;
            within(&|| "time_step".into(), scene.time_step, TIME_STEPS)?;
            for species in &scene.species {
                let named = |key: &str| format!("species.{}.{key}", cut(&species.name));
                for (one, value) in Body::<f32>::TABLE.iter().zip(species.body.values()) {
                    within(&|| named(one.key), value, one.range)?;
                }
                for rule in &species.rules {
                    let info = rule.kind.info();
                    for (one, value) in info.parameters.iter().zip(&rule.values) {
                        // Files say `pick` for the value beyond the range.
                        let range = match one.meaning {
                            Meaning::Nearest => (one.range.0, PICK_ONE),
                            _ => one.range,
                        };
                        within(&|| named(&format!("{}.{}", info.key, one.key)), *value, range)?;
                    }
                }
            }
        }
        let targets = scene.targets.iter().enumerate();
        for (index, target) in targets.filter(|(index, _)| self.has(Self::target(*index))) {
            place(&|| format!("targets[{index}].position"), target.position)?;
            if self.has(Self::TARGETS) {
                let named = |key: &str| format!("targets[{index}].{key}");
                within(&|| named("hit_radius"), target.hit_radius, (0.0, MAX_EXTENT))?;
                each(&|| named("velocity"), target.velocity, MAX_SPEED)?;
                place(&|| named("sends_to"), target.sends_to.unwrap_or_default())?;
            }
        }
        if self.has(Self::SCENERY) {
            for (index, obstacle) in scene.obstacles.iter().enumerate() {
                place(&|| format!("obstacles[{index}].position"), obstacle.position)?;
                within(
                    &|| format!("obstacles[{index}].radius"),
                    obstacle.radius,
                    (0.0, MAX_EXTENT),
                )?;
            }
            check_paths(&scene.paths).map_err(EngineError::BadPaths)?;
            for (index, path) in scene.paths.iter().enumerate() {
                let mut points = path.points.iter();
                points.try_for_each(|point| place(&|| format!("paths[{index}].points"), *point))?;
            }
        }
        if self.has(Self::WORLD) {
            scene.check_world()?;
        }
        Ok(())
    }

    /// True if the lists of obstacles, paths and flow must be built again for `after`. The parts
    /// that do not change must be the same in `before` and `after`.
    #[must_use]
    pub fn remakes_scenery(self, before: &Scene, after: &Scene) -> bool {
        self.has(Self::SCENERY)
            || self.has(Self::WORLD)
            || (self.has(Self::PARAMETERS) && !after.looks_for_scenery_as(before))
    }
}

/// The most agents that can look at everybody: each looks at as many.
const MAX_EVERYBODY: usize = 65_536;

/// Fails if `count` agents of a scene are too many for a rule that hears everybody.
pub fn check_everybody(scene: &Scene, count: usize) -> Result<(), EngineError> {
    for species in scene.species.iter().filter(|_| count > MAX_EVERYBODY) {
        let mut formulas = species.rules.iter().filter_map(|rule| rule.kind.formula());
        let looks =
            |formula: &&Formula| formula.hears_everybody() && !scene.shared().contains(formula);
        if let Some(formula) = formulas.find(looks) {
            return Err(EngineError::Crowd {
                count,
                species: cut(&species.name).into(),
                rule: formula.key,
                most: MAX_EVERYBODY,
            });
        }
    }
    Ok(())
}

/// Fails if a scene has no species or too many, or lacks the species of one of these agents.
pub fn check_species(scene: &Scene, id: &[u32], species: &[u8]) -> Result<(), EngineError> {
    let count = scene.species.len();
    if !(1..=MAX_SPECIES).contains(&count) {
        let (name, value) = ("number of species".into(), count as f32);
        return Err(EngineError::BadValue { name, value, low: 1.0, high: MAX_SPECIES as f32 });
    }
    let stranger = species.iter().position(|species| usize::from(*species) >= count);
    stranger.map_or(Ok(()), |row| {
        Err(EngineError::UnknownSpecies { id: id[row], species: species[row], count })
    })
}

impl BitOr for Change {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self { parts: self.parts | other.parts, targets: self.targets | other.targets }
    }
}

impl BitOrAssign for Change {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::behaviours::Kind;
    use flockwork_model::grid::CrowdSampling;
    use flockwork_model::scene::{Request, built_in};
    use flockwork_model::vector::flat;

    const TEXT: &str = "[[targets]]\nvelocity = [3, 0]\n[[targets]]\nposition = [1, 2]\n\
                        [[obstacles]]\nposition = [50, 50]\n[species.a]\ncount = 5\n\
                        [species.a.avoid]\n";

    fn scene(overrides: &[&str]) -> Scene {
        Scene::parse_with("test", TEXT, overrides).unwrap()
    }

    #[test]
    fn only_the_parts_that_are_named_change_places() {
        let mut one = scene(&[]);
        let overrides =
            ["world.size=[70,80]", "world.sampling=none", "seed=9", "species.a.max_speed=7"];
        let mut other = scene(&overrides);
        other.targets[1].position = flat(4.0, 5.0);
        other.targets[2].position = flat(6.0, 7.0);
        let untouched = one.targets.clone();
        let mut change = Change::WORLD | Change::target(2);
        assert!(change.has(Change::WORLD) && !change.has(Change::PARAMETERS));
        change.swap(&mut one, &mut other);
        assert_eq!(one.world.size, flat(70.0, 80.0));
        assert_eq!((one.seed, other.seed), (scene(&[]).seed, 9));
        assert_eq!(one.sampling, CrowdSampling::Auto);
        assert_eq!(one.targets[1], untouched[1]);
        assert_eq!(one.targets[2].position, flat(6.0, 7.0));
        change |= Change::TARGETS | Change::PARAMETERS;
        assert_eq!(change.single_targets().count(), 0);
        change.swap(&mut one, &mut other);
        assert_eq!(one.targets[1].position, flat(4.0, 5.0));
        assert_eq!((one.seed, one.species[0].body.max_speed), (9, 7.0));
        assert_eq!(one.sampling, CrowdSampling::Off);
        assert!(Change::default().is_nothing() && !Change::POINTER.is_nothing());
        assert!(Change::target(MAX_TARGETS).is_nothing());
    }

    #[test]
    fn every_built_in_scene_can_be_edited() {
        let all = Change::PARAMETERS | Change::SCENERY | Change::WORLD | Change::TARGETS;
        for built_in in built_in() {
            let scene = Scene::parse(built_in.name, built_in.text).unwrap();
            let (mut scene, _) = scene.populate(&Request::default()).unwrap();
            assert_eq!(all.check(&scene), Ok(()), "{}", built_in.name);
            for rule in scene.species.iter_mut().flat_map(|species| &mut species.rules) {
                let parameters = rule.kind.info().parameters.iter().zip(&mut rule.values);
                for (_, value) in parameters.filter(|(one, _)| one.meaning == Meaning::Nearest) {
                    *value = PICK_ONE + 1.0;
                }
            }
            let chooses = |kind: &Kind| kind.info().parameters.iter().any(|p| p.key == "nearest");
            let rules = || scene.species.iter().flat_map(|species| &species.rules);
            let chosen = rules().any(|rule| chooses(&rule.kind));
            assert_eq!(all.check(&scene).is_err(), chosen, "{}", built_in.name);
        }
    }

    #[test]
    fn scenery_is_made_again_only_if_agents_perceive_it_differently() {
        let before = scene(&[]);
        let remade = |text: &str| Change::PARAMETERS.remakes_scenery(&before, &scene(&[text]));
        assert!(!remade("species.a.max_speed=7"));
        assert!(remade("species.a.avoid.reach=77") && remade("species.a.size=7"));
        assert!(!Change::TARGETS.remakes_scenery(&before, &before));
        assert!(Change::WORLD.remakes_scenery(&before, &before));
    }
}
