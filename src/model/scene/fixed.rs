//! A scene as it is at the size of its flock.

use super::{Law, ObstaclePlan, Rule, Scene, Slot, Species, Variation};
use crate::behaviours::Kind;
use crate::scenery::Obstacle;
use crate::vector::Point;

impl Scene {
    /// Changes all places but obstacles': of the camera, targets, paths and spawns. If the world grows with the count
    /// and not by a density, it changes radii alike: of spawns, and of the paths that agents follow.
    pub(super) fn map_places(&mut self, map: impl Fn(Point) -> Point) {
        let camera = &mut self.camera;
        let views = camera.keys.iter_mut().map(|key| &mut key.centre).chain([&mut camera.centre]);
        let targets = self.targets.iter_mut();
        let goals =
            targets.flat_map(|target| [Some(&mut target.position), target.sends_to.as_mut()]);
        let corners = self.paths.iter_mut().flat_map(|path| &mut path.points);
        let species = self.species.iter_mut();
        let spawns = species.flat_map(|own| [&mut own.spawn.at, &mut own.spawn_at_scale.at]);
        let optional = views.chain(spawns).map(Option::as_mut).chain(goals).flatten();
        optional.chain(corners).for_each(|place| *place = map(*place));
        let scales = self.grows && self.density.is_none();
        let grown = self.species.iter_mut().filter(|_| scales);
        for Species { spawn, spawn_at_scale, rules, variations, .. } in grown {
            let of_paths =
                |kind: Kind| kind.info().needs.paths_within.and(kind.parameter("radius"));
            let values = rules
                .iter_mut()
                .filter_map(|Rule { kind, values }| values.get_mut(of_paths(*kind)?));
            let laws =
                variations.iter_mut().filter_map(|Variation { slot, law }| match (slot, law) {
                    (
                        Slot::Rule(kind, index),
                        Law::PerAgent { from: end } | Law::Noise { amplitude: end, .. },
                    ) => (of_paths(*kind) == Some(*index)).then_some(end),
                    _ => None,
                });
            let radii = values.chain(laws).chain([&mut spawn.radius, &mut spawn_at_scale.radius]);
            radii.for_each(|radius| *radius = map(Point::splat(*radius)).x);
        }
    }

    /// The scene that by itself makes a flock of `agents` agents as this one does, which
    /// [`Scene::populate`] has sized for them: their counts, the size of the world, the places where
    /// they start, and the obstacles where they are now.
    #[must_use]
    pub fn fixed(&self, agents: u64) -> Self {
        let mut scene = self.clone();
        if agents != self.own_count() {
            let grown = agents > self.own_count();
            for (species, share) in scene.species.iter_mut().zip(self.shares(agents)) {
                species.count = share;
                if grown {
                    species.spawn = species.spawn_at_scale;
                }
            }
        }
        scene.written_size = self.world.size;
        for plan in scene.obstacle_plans.iter_mut().filter(|plan| plan.position.is_none()) {
            plan.count = self.wanted(plan) as u32;
        }
        let mut planned = scene.clone();
        if planned.place_obstacles().is_err() || planned.obstacles != self.obstacles {
            let plan = |obstacle: &Obstacle| ObstaclePlan {
                position: Some(obstacle.position),
                radius: obstacle.radius,
                count: 1,
            };
            scene.obstacle_plans = self.obstacles.iter().map(plan).collect();
        }
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Request, built_in};
    use crate::vector::flat;

    #[test]
    fn a_fixed_scene_makes_the_same_flock_by_itself() {
        let requests = [
            Request::default(),
            Request { count: Some(777), ..Request::default() },
            Request { count: Some(7), seed: Some(9), ..Request::default() },
        ];
        for built_in in built_in() {
            for request in requests {
                let scene = Scene::parse("test", built_in.text).unwrap();
                let (scene, state) = scene.populate(&request).unwrap();
                let text = scene.fixed(state.len() as u64).to_toml();
                let again = Scene::parse("test", &text).unwrap();
                let (again, same) = again.populate(&Request::default()).unwrap();
                let same = same == state;
                assert!(same, "{} {request:?}:\n{text}", built_in.name);
                assert_eq!(again.obstacles, scene.obstacles, "{}", built_in.name);
                if scene.obstacle_plans.iter().all(|plan| plan.position.is_none()) {
                    let plans = [&again, &scene].map(|scene| scene.obstacle_plans.len());
                    assert_eq!(plans[0], plans[1], "{}", built_in.name);
                }
                assert_eq!(again.world, scene.world, "{}", built_in.name);
                assert_eq!(again.paths, scene.paths, "{}", built_in.name);
                let places = |scene: &Scene| scene.targets.iter().map(|t| t.position).collect();
                let (one, other): (Vec<Point>, Vec<Point>) = (places(&again), places(&scene));
                assert_eq!(one[1..], other[1..], "{}", built_in.name);
            }
        }
    }

    #[test]
    fn a_radius_that_varies_grows_whole_and_is_written_as_before() {
        for law in ["{ from = 10, to = 20 }", "{ base = 20, amplitude = 10 }"] {
            let text = format!(
                "world.grows = true\npaths = [{{ points = [[1, 1], [9, 9]] }}]\n\
                 [species.a]\nfollow_path.radius = {law}"
            );
            let scene = Scene::parse("test", &text).unwrap();
            let request = Request { count: Some(10_000), ..Request::default() };
            let (grown, _) = scene.populate(&request).unwrap();
            let kind = grown.species[0].rules[0].kind;
            let [before, after] = [&scene, &grown].map(|own| own.species[0].range(kind, "radius"));
            assert_eq!(after, (before.0 * 10.0, before.1 * 10.0), "{law}");
            assert_eq!(grown.to_toml(), scene.to_toml());
        }
    }

    #[test]
    fn an_obstacle_that_was_moved_stays_there() {
        let text = "[[obstacles]]\ncount = 5\n[species.a]\n[species.a.avoid]\n";
        let scene = Scene::parse("test", text).unwrap();
        let (mut scene, _) = scene.populate(&Request::default()).unwrap();
        assert!(scene.fixed(100).to_toml().contains("count = 5"), "none has moved");
        scene.obstacles[3].position = flat(12.5, 34.25);
        let again = Scene::parse("test", &scene.fixed(100).to_toml()).unwrap();
        let (again, _) = again.populate(&Request::default()).unwrap();
        assert_eq!(again.obstacles, scene.obstacles);
    }
}
