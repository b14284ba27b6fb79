//! Keys of a scene file that do nothing beside its other keys.

use super::{ColourBy, Rule, Scene, SpawnPlace, Species};
use crate::memory::Shown;
use crate::parameter::NO_TARGET;
use crate::scenery::{FlowKind, FlowPlan};

impl Scene {
    /// A sentence about each key that was written and does nothing, or less than it says. Keys that have their defaults are left out,
    /// because the record of a run writes all of them.
    #[must_use]
    pub fn idle_keys(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut say = |key: String, holds: bool, what: &str| {
            if holds && self.origin(&key).is_some() {
                all.push(format!("{key} {what}"));
            }
        };
        for (species, formula) in self.rules_in_text().filter(|own| own.1.text.turns) {
            let turns = self.species.iter().any(|own| own.name == species && own.body.motion > 0.0);
            let what = "turns agents as far as their max_force takes them; for the whole turn add \
                        motion = \"turn\"";
            say(format!("species.{species}.{}.turn", formula.key), !turns, what);
        }
        for species in &self.species {
            for Rule { kind, values } in &species.rules {
                let is_empty = kind.parameter("with").is_some_and(|slot| values[slot] == 0.0);
                let key = format!("species.{}.{}.with", species.name, kind.info().key);
                say(
                    key,
                    is_empty,
                    "names no species: nobody is heard; name one, or remove the key",
                );
            }
        }
        let mut check = |key: String, is_idle: bool, why: &str| {
            say(key, is_idle, &format!("does nothing: {why}"));
        };
        for (species, formula) in self.rules_in_text() {
            for (table, name) in formula.text.unused() {
                let key = format!("species.{species}.{}.{table}.{name}", formula.key);
                check(key, true, "no formula of the rule takes it");
            }
        }
        let both = self.grows && self.density.is_some();
        check("world.grows".into(), both, "the `density` already says how the world grows");
        let density = "there is no `density`, whose radius it would be";
        // The record of a run writes it, and an override of the size then takes the density away.
        let sized = self.is_overridden("world.size") && !self.is_overridden("world.within");
        // The option --density asks for one, too. A world that grows with the count may have another size without.
        let asked = self.world.size != self.written_size;
        check("world.within".into(), self.density.is_none() && !sized && !asked, density);
        let depthless = |colour| self.world.is_flat() && colour == ColourBy::Depth;
        let plane =
            "a plane has no depth; colour by another quantity, or give world.size three numbers";
        check("style.colour".into(), depthless(self.style.colour), plane);
        let sunless = self.style.sun.is_none() && self.style.sun_azimuth != 0.0;
        check("style.sun_azimuth".into(), sunless, "there is no `sun`, whose azimuth it would be");
        let unseen = self.flow.is_some() && self.followed_flow().is_none();
        check("flow".into(), unseen, "nobody follows it; give a species a `follow_flow`");
        let other = |plan: &FlowPlan| {
            let is_noise = matches!(plan.kind, FlowKind::Perlin | FlowKind::Curl);
            !is_noise && plan.frequency != FlowPlan::default().frequency
        };
        let noise = "only noise has a frequency; add kind = \"perlin\" or \"curl\"";
        check("flow.frequency".into(), self.flow.as_ref().is_some_and(other), noise);
        // The radius in the file is what another count scales.
        let mut written = self.clone();
        written.unscale();
        for (number, species) in written.species.iter().enumerate() {
            let key = format!("species.{}.colour", species.name);
            check(key, depthless(species.colour), plane);
            self.check_species(number, species, &mut check);
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

    fn check_species(
        &self,
        number: usize,
        species: &Species,
        check: &mut impl FnMut(String, bool, &str),
    ) {
        let own = |key: &str| format!("species.{}.{key}", species.name);
        let (body, spawn) = (&species.body, &species.spawn);
        let (turns, default) = (body.motion > 0.0, Species::new(""));
        let kind = body.noise_kind != default.body.noise_kind;
        let quiet = species.largest("noise") == 0.0;
        check(own("noise_kind"), kind && quiet, "there is no `noise`");
        let at_max_speed =
            "with motion = \"turn\" agents fly at their max_speed, whatever the force";
        // Colours and the lean of birds compare the change of the velocity with what max_force does to the mass.
        let compares =
            [Shown::Acceleration, Shown::Bank].contains(&self.shown().species(number as u8));
        let free = turns && !compares;
        let kicks =
            species.parameters_that(|needs| needs.kicks).iter().any(|(_, kind)| kind.1 > 0.0);
        check(own("mass"), free && !kicks && body.mass != default.body.mass, at_max_speed);
        check(own("max_force"), free && body.max_force != default.body.max_force, at_max_speed);
        check(own("min_speed"), turns && body.min_speed != default.body.min_speed, at_max_speed);
        let everywhere = spawn.place == SpawnPlace::Uniform;
        let place = "agents begin all over the world; add place = \"disc\"";
        check(own("spawn.at"), everywhere && spawn.at.is_some(), place);
        let has_none = match spawn.place {
            SpawnPlace::Uniform => Some(place),
            SpawnPlace::Point => Some("all agents begin at one point; add place = \"disc\""),
            SpawnPlace::Row => Some("a row has no radius; add place = \"disc\""),
            _ => None,
        };
        let is_other = spawn.radius != default.spawn.radius;
        check(own("spawn.radius"), has_none.is_some() && is_other, has_none.unwrap_or_default());
        for rule in &species.rules {
            let (info, value) = (rule.kind.info(), |key| species.value_of(rule.kind, key));
            let key = own(info.key);
            let is_free = self.obstacle_plans.is_empty() && self.obstacles.is_empty();
            let looks = info.needs.obstacles_within.is_some();
            check(key.clone(), looks && is_free, "the scene has no [[obstacles]]");
            let reach = rule.kind.parameter("radius").map(|_| species.range(rule.kind, "radius").1);
            let inner = species.range(rule.kind, "inner").0;
            let none = inner > 0.0 && reach.is_some_and(|reach| inner >= reach);
            check(format!("{key}.inner"), none, "it is not below `radius`: nobody is between them");
            let hunts = rule.kind.parameter("target").is_some() && info.sees_neighbours;
            let unwritten = Rule::by_default(rule.kind, number);
            for slot in
                ["radius", "with", "fov"].into_iter().filter_map(|key| rule.kind.parameter(key))
            {
                let is_idle = hunts
                    && value("target") != NO_TARGET
                    && rule.values[slot] != unwritten.values[slot];
                let target = "the rule looks at its `target` instead of agents";
                check(format!("{key}.{}", info.parameters[slot].key), is_idle, target);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Request, built_in};

    /// The sentences of a scene with these lines.
    fn idle(lines: &str) -> Vec<String> {
        Scene::parse("test", lines).unwrap().idle_keys()
    }

    /// Lines of a scene, more lines with which they do something, and the words without. There is no
    /// remedy where the other lines are `[world]`.
    const IDLE: [(&str, &str, &str); 27] = [
        (
            "noise_kind = \"gauss\"",
            "noise = { base = 0, amplitude = 0.5 }",
            "a.noise_kind does nothing: there is no",
        ),
        ("spawn.at = [1, 2]", "spawn.place = \"disc\"", "a.spawn.at does nothing"),
        ("spawn.radius = 9", "spawn.place = \"shell\"", "a.spawn.radius does nothing"),
        ("avoid = {}", "[[obstacles]]\nposition = [9, 9]", "a.avoid does nothing"),
        (
            "separation.inner = { from = 25, to = 26 }",
            "separation.radius = 26",
            "a.separation.inner does nothing",
        ),
        ("rules.r.turn = \"0.1\"", "motion = \"turn\"", "a.rules.r.turn turns agents as far as"),
        ("mass = 2\nmotion = \"turn\"", "wander.kind = \"kick\"", "a.mass does nothing"),
        (
            "spawn = { place = \"point\", radius = 9 }",
            "[world]",
            "a.spawn.radius does nothing: all",
        ),
        (
            "spawn = { place = \"row\", radius = 9 }",
            "[world]",
            "a.spawn.radius does nothing: a row",
        ),
        ("cohesion.with = []", "[world]", "a.cohesion.with names no species: nobody is heard"),
        (
            "[species.a.rules.r]\nforce = \"s\"\nsum.s = \"offset\"\nsum.n = \"1\"",
            "state.q = \"n\"",
            "a.rules.r.sum.n does nothing: no formula",
        ),
        (
            "[species.a.rules.r]\nforce = \"zero\"\nsum.n = \"1\"",
            "state.q = \"neighbours\"",
            "a.rules.r.sum.n does nothing: no formula",
        ),
        (
            "[species.a.rules.r]\nforce = \"zero\"\nparameters.k = 1",
            "state.q = \"k\"",
            "a.rules.r.parameters.k does nothing: no formula",
        ),
        (
            "cohesion = {}\n[world]\ndensity = 9\ngrows = true",
            "[world]",
            "world.grows does nothing",
        ),
        ("[flow]\nkind = \"vortex\"", "[species.b]\nfollow_flow = {}", "flow does nothing: nobody"),
        (
            "follow_flow = {}\n[flow]\nkind = \"vortex\"\nfrequency = 0.2",
            "[world]",
            "flow.frequency does nothing: only noise",
        ),
        (
            "pursue = { target = \"t\", fov = 90 }\n[[targets]]\nname = \"t\"",
            "[world]",
            "a.pursue.fov does nothing: the rule",
        ),
        (
            "max_force = 1\nmotion = \"turn\"",
            "colour = \"acceleration\"",
            "a.max_force does nothing",
        ),
        (
            "max_force = 1\nmotion = \"turn\"\nrules.r.force = \"max_force * heading\"",
            "[world]",
            "a.max_force does nothing",
        ),
        ("min_speed = 1\nmotion = \"turn\"", "[world]", "a.min_speed does nothing"),
        ("[world]\nwithin = 9", "density = 5", "world.within does nothing"),
        ("[[targets]]\nturns = true", "hit_radius = 2", "targets.0.turns does nothing"),
        ("[[targets]]\nsends_to = [1, 1]", "hit_radius = 2", "targets.0.sends_to does nothing"),
        ("colour = \"depth\"", "[world]\nsize = [9, 9, 9]", "a.colour does nothing: a plane"),
        ("[style]\ncolour = \"depth\"", "[world]\nsize = [9, 9, 9]", "style.colour does nothing"),
        ("[targets]\nturns = true", "hit_radius = 2", "targets.turns does nothing"),
        (
            "[world]\nsize = [9, 9, 9]\n[style]\nexposure = 1\nsun_azimuth = 90",
            "sun = 5",
            "style.sun_azimuth does nothing: there is no",
        ),
    ];

    #[test]
    fn a_key_that_does_nothing_is_named_until_it_does_something() {
        for (lines, remedy, part) in IDLE {
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
    fn a_world_of_another_size_makes_no_key_idle() {
        let populated = |lines: &str, count, density| {
            let text =
                format!("{lines}\n[species.a]\ncount = 100\nspawn.radius = 100\ncohesion = {{}}\n");
            let request = Request { count: Some(count), density, ..Request::default() };
            Scene::parse("test", &text).unwrap().populate(&request).unwrap().0
        };
        let grown = populated("world.grows = true", 10_000, None);
        assert!(grown.species[0].spawn.radius > 900.0);
        let asked = populated("world = { grows = true, within = 10 }", 100, Some(5.0));
        for scene in [grown, asked] {
            assert_eq!(scene.idle_keys(), [""; 0]);
        }
        // The density alone sizes the world.
        let dense = populated("world = { grows = true, density = 5 }", 10_000, None);
        assert_eq!(dense.species[0].spawn.radius, 100.0);
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
