//! Keys of a scene file that do nothing beside its other keys.

use super::{ColourBy, Scene, SpawnPlace, Species};

impl Scene {
    /// A sentence about each key that was written and does nothing. Keys that have their defaults are left out,
    /// because the record of a run writes all of them.
    #[must_use]
    pub fn idle_keys(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut check = |key: String, is_idle: bool, why: &str| {
            if is_idle && self.origin(&key).is_some() {
                all.push(format!("{key} does nothing: {why}"));
            }
        };
        let density = "there is no `density`, whose radius it would be";
        // The record of a run writes it, and an override of the size then takes the density away.
        let sized = self.is_overridden("world.size") && !self.is_overridden("world.within");
        // The option --density asks for one, too.
        let asked = !self.grows && self.world.size != self.written_size;
        check("world.within".into(), self.density.is_none() && !sized && !asked, density);
        let depthless = |colour| self.world.is_flat() && colour == ColourBy::Depth;
        let plane =
            "a plane has no depth; colour by another quantity, or give world.size three numbers";
        check("style.colour".into(), depthless(self.style.colour), plane);
        for species in &self.species {
            let key = format!("species.{}.colour", species.name);
            check(key, depthless(species.colour), plane);
            self.check_species(species, &mut check);
        }
        // The pointer comes first, and is in no file.
        for (number, target) in self.targets.iter().skip(1).enumerate() {
            let never = target.hit_radius == 0.0;
            let why = "nobody hits the target; give it a `hit_radius`";
            // A single target may be a table instead of a list.
            for place in [format!("targets.{number}"), "targets".into()] {
                check(format!("{place}.turns"), never && target.turns, why);
                check(format!("{place}.sends_to"), never && target.sends_to.is_some(), why);
            }
        }
        all
    }

    fn check_species(&self, species: &Species, check: &mut impl FnMut(String, bool, &str)) {
        let own = |key: &str| format!("species.{}.{key}", species.name);
        let (body, spawn) = (&species.body, &species.spawn);
        let (turns, default) = (body.motion > 0.0, Species::new(""));
        let kind = body.noise_kind != default.body.noise_kind;
        check(own("noise_kind"), kind && body.noise == 0.0, "there is no `noise`");
        let at_max_speed =
            "with motion = \"turn\" agents fly at their max_speed, whatever the force";
        check(own("max_force"), turns && body.max_force != default.body.max_force, at_max_speed);
        check(own("min_speed"), turns && body.min_speed != default.body.min_speed, at_max_speed);
        let everywhere = spawn.place == SpawnPlace::Uniform;
        let place = "agents begin all over the world; add place = \"disc\"";
        check(own("spawn.at"), everywhere && spawn.at.is_some(), place);
        check(own("spawn.radius"), everywhere && spawn.radius != default.spawn.radius, place);
        for rule in &species.rules {
            let (info, value) = (rule.kind.info(), |key| species.value_of(rule.kind, key));
            let key = own(info.key);
            let is_free = self.obstacle_plans.is_empty() && self.obstacles.is_empty();
            let looks = info.needs.obstacles_within.is_some();
            check(key.clone(), looks && is_free, "the scene has no [[obstacles]]");
            let none =
                value("inner") > 0.0 && value("inner") >= species.range(rule.kind, "radius").1;
            check(format!("{key}.inner"), none, "it is not below `radius`: nobody is between them");
            if let Some(formula) = rule.kind.formula().filter(|formula| formula.text.turns) {
                let why = "without motion = \"turn\" the heading that it gives is a force, and agents \
                           turn as far as their max_force takes them";
                check(own(&format!("{}.turn", formula.key)), !turns, why);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::built_in;

    /// The sentences of a scene with these lines.
    fn idle(lines: &str) -> Vec<String> {
        Scene::parse("test", lines).unwrap().idle_keys()
    }

    #[test]
    fn a_key_that_does_nothing_is_named_until_it_does_something() {
        for (lines, remedy, part) in [
            ("noise_kind = \"gauss\"", "noise = 0.1", "a.noise_kind does nothing: there is no"),
            ("spawn.at = [1, 2]", "spawn.place = \"disc\"", "a.spawn.at does nothing"),
            ("spawn.radius = 9", "spawn.place = \"shell\"", "a.spawn.radius does nothing"),
            ("avoid = {}", "[[obstacles]]\nposition = [9, 9]", "a.avoid does nothing"),
            ("separation.inner = 25", "separation.radius = 26", "a.separation.inner does nothing"),
            ("rules.r.turn = \"0.1\"", "motion = \"turn\"", "a.rules.r.turn does nothing: without"),
            ("max_force = 1\nmotion = \"turn\"", "[world]", "a.max_force does nothing"),
            ("min_speed = 1\nmotion = \"turn\"", "[world]", "a.min_speed does nothing"),
            ("[world]\nwithin = 9", "density = 5", "world.within does nothing"),
            ("[[targets]]\nturns = true", "hit_radius = 2", "targets.0.turns does nothing"),
            ("[[targets]]\nsends_to = [1, 1]", "hit_radius = 2", "targets.0.sends_to does nothing"),
            ("colour = \"depth\"", "[world]\nsize = [9, 9, 9]", "a.colour does nothing: a plane"),
            (
                "[style]\ncolour = \"depth\"",
                "[world]\nsize = [9, 9, 9]",
                "style.colour does nothing",
            ),
            ("[targets]\nturns = true", "hit_radius = 2", "targets.turns does nothing"),
        ] {
            let lines = format!("[species.a]\n{lines}\n");
            let all = idle(&lines);
            assert!(all.len() == 1 && all[0].contains(part), "{lines}: {all:?}");
            if remedy != "[world]" {
                let all = idle(&format!("{lines}{remedy}\n"));
                assert!(all.is_empty(), "{lines}: {all:?}");
            }
        }
    }

    #[test]
    fn built_in_scenes_have_no_key_that_does_nothing() {
        for scene in built_in() {
            let scene = Scene::parse(scene.name, scene.text).unwrap();
            // Also where every key is written.
            let whole = Scene::parse("whole", &scene.to_full_toml()).unwrap();
            for scene in [scene, whole] {
                let all = scene.idle_keys();
                assert!(all.is_empty(), "{}: {all:?}", scene.name);
            }
        }
    }
}
