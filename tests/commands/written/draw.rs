//! Random scenes, with everything that a scene file can contain.

use flockwork::model::behaviours::{Kind, Target};
use flockwork::model::parameter::{
    ALL_SPECIES, Meaning, NEAREST_PATH, NEAREST_TARGET, NO_TARGET, PICK_ONE, Parameter, Parameters,
};
use flockwork::model::scene::{
    Background, BackgroundName, Body, BoidShape, CameraKey, CameraPlan, Click, ColourBy, Follow,
    Law, ObstaclePlan, Palette, PaletteName, Rgb, Rule, Scene, Slot, Spawn, SpawnPlace, Species,
    Start, Style, Variation,
};
use flockwork::model::scenery::{FlowKind, FlowPlan, Path};
use flockwork::model::vector::{Point, flat};
use flockwork::model::world::Boundary;

use super::legal::{in_order, legal};

/// Names that are hard to write.
const NAMES: [&str; 8] =
    ["tree", "two words", "a.b", "ünï", "quo\"te", "back\\slash", "tab\t", "12"];

/// Random numbers: PCG.
pub struct Draw {
    state: u64,
    /// Number of axes of the scenes.
    axes: usize,
}

impl Draw {
    /// Planes for even seeds, spaces for odd ones.
    pub fn of(seed: u64) -> Self {
        Self { state: seed, axes: 2 + (seed % 2) as usize }
    }

    fn bits(&mut self) -> u32 {
        let state = self.state;
        self.state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((((state >> 18) ^ state) >> 27) as u32).rotate_right((state >> 59) as u32)
    }

    /// Below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        self.bits() as usize % count
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.one_in(2) { Some(make(self)) } else { None }
    }

    /// From `low` to `high`: an end, a round number, or any of the numbers of all sizes.
    pub fn number(&mut self, low: f32, high: f32) -> f32 {
        let part = self.bits() as f32 / u32::MAX as f32;
        let number = match self.below(8) {
            0 => low,
            1 => high,
            2 => (low + (high - low) * part).round(),
            3 => part,
            4 => -part,
            5 => (part * 100.0).round() / 100.0,
            6 => part * 10_f32.powi(self.below(24) as i32 - 12),
            _ => low + (high - low) * part,
        };
        number.clamp(low, high)
    }

    fn point(&mut self, low: f32, high: f32) -> Point {
        let [x, y] = [0; 2].map(|_: u8| self.number(low, high));
        Point::new(x, y, if self.axes == 2 { 0.0 } else { self.number(low, high) })
    }

    /// A name that is not taken: one that is hard to write, or `usual` if it is free.
    fn name(&mut self, taken: &[String], usual: String) -> String {
        let free = |name: &String| !taken.contains(name);
        let hard = Some(self.pick(&NAMES).to_string()).filter(|_| self.one_in(2));
        let numbered = (0..).map(|number| format!("kind_{number}"));
        let mut all = hard.into_iter().chain([usual]).chain(numbered);
        all.find(free).unwrap()
    }

    fn spawn(&mut self) -> Spawn {
        let start = if self.one_in(2) {
            let speed = self.maybe(|draw| draw.number(0.0, 1e4));
            Start::Heading { speed, heading: self.maybe(|draw| draw.number(-360.0, 360.0)) }
        } else {
            let (one, other) = (self.point(-1e4, 1e4), self.point(-1e4, 1e4));
            Start::Components { from: one.min(other), to: one.max(other) }
        };
        Spawn {
            place: self.pick(&SpawnPlace::NAMES).1,
            at: self.maybe(|draw| draw.point(-1e7, 1e7)),
            radius: self.pick(&[100.0, 3.0]),
            start,
        }
    }

    /// A value of a parameter: the index of something that exists, or a number.
    pub fn value(&mut self, scene: &Scene, parameter: &Parameter) -> f32 {
        let (low, high) = parameter.range;
        if self.one_in(4) {
            return parameter.default;
        }
        match parameter.meaning {
            Meaning::Choice(names) => self.below(names.len()) as f32,
            Meaning::Nearest => self.below(PICK_ONE as usize + 1) as f32,
            Meaning::Target if parameter.default == NO_TARGET && self.one_in(3) => NO_TARGET,
            Meaning::Target if self.one_in(3) => NEAREST_TARGET,
            Meaning::Target => self.below(scene.targets.len()) as f32,
            Meaning::Path if scene.paths.is_empty() || self.one_in(3) => NEAREST_PATH,
            Meaning::Path => self.below(scene.paths.len()) as f32,
            Meaning::SpeciesSet { .. } if self.one_in(3) => ALL_SPECIES,
            Meaning::SpeciesSet { .. } => self.below(1 << scene.species.len()) as f32,
            _ => self.number(low, high),
        }
    }

    /// A law for the value of a slot, and its base.
    pub fn law(&mut self, parameter: &Parameter) -> Option<(f32, Law)> {
        let quantity = matches!(parameter.meaning, Meaning::Number | Meaning::Angle);
        if !quantity || parameter.key == "size" {
            return None;
        }
        let (low, high) = parameter.range;
        let base = if self.one_in(3) { parameter.default } else { self.number(low, high) };
        let scale = self.number(1e-3, 1e6);
        let law = match self.below(4) {
            0 => {
                let period = if self.one_in(2) { 100.0 } else { self.number(1.0, 1e9) };
                Law::Noise { amplitude: self.number(0.0, 1e6), period }
            }
            1 => Law::GrowsWithSize { scale },
            2 => Law::ShrinksWithSize { scale },
            _ => Law::PerAgent { from: self.number(low, base) },
        };
        Some((base, law))
    }

    /// Another value for a slot of a species, and perhaps another law.
    pub fn set(&mut self, scene: &mut Scene, species: usize, slot: Slot) {
        let parameter = slot.parameter();
        let law = if self.one_in(3) { self.law(parameter) } else { None };
        let value = law.map_or_else(|| self.value(scene, parameter), |(base, _)| base);
        let own = &mut scene.species[species];
        match slot {
            Slot::Body(index) => {
                let mut values = own.body.values();
                values[index] = value;
                own.body = Body::read(|i| values[i]);
            }
            Slot::Rule(kind, index) => {
                for rule in own.rules.iter_mut().filter(|rule| rule.kind == kind) {
                    rule.values[index] = value;
                }
            }
        }
        own.variations.retain(|variation| variation.slot != slot);
        own.variations.extend(law.map(|(_, law)| Variation { slot, law }));
        in_order(own);
    }

    /// Adds a behaviour; some of its values differ from the defaults.
    pub fn add_rule(&mut self, scene: &mut Scene, species: usize) {
        let kind = self.pick(&Kind::ALL);
        if scene.species[species].rule(kind).is_some() {
            return;
        }
        scene.species[species].rules.push(Rule::by_default(kind, species));
        for index in 0..kind.info().parameters.len() {
            if self.one_in(2) {
                self.set(scene, species, Slot::Rule(kind, index));
            }
        }
    }

    pub fn target(&mut self, scene: &Scene) -> Target {
        let taken: Vec<String> = scene.targets.iter().map(|target| target.name.clone()).collect();
        let name = self.name(&taken, format!("target{}", taken.len()));
        let mut target = Target::fixed(&name, Point::ZERO);
        target.velocity = if self.one_in(2) { self.point(-1e4, 1e4) } else { Point::ZERO };
        target.hit_radius = if self.one_in(2) { self.number(0.0, 1e6) } else { 0.0 };
        target.turns = self.one_in(2);
        target.sends_to = self.maybe(|draw| draw.point(-1e7, 1e7));
        target.position = self.point(-1e7, 1e7);
        target
    }

    pub fn obstacle(&mut self) -> ObstaclePlan {
        let position = self.maybe(|draw| draw.point(-1e7, 1e7));
        let count = if position.is_none() { 1 + self.below(3) as u32 } else { 1 };
        ObstaclePlan { position, radius: self.pick(&[20.0, 0.0, 0.1, 1e6]), count }
    }

    pub fn path(&mut self, scene: &Scene) -> Path {
        let taken: Vec<String> = scene.paths.iter().map(|path| path.name.clone()).collect();
        let name = self.name(&taken, format!("path{}", taken.len()));
        let others = (0..1 + self.below(20)).map(|_| self.point(-1e7, 1e7)).collect::<Vec<_>>();
        let points = [vec![flat(1.5, 2.5)], others].concat();
        Path { name, points, closed: self.one_in(2), shown: !self.one_in(5) }
    }

    pub fn flow(&mut self) -> FlowPlan {
        let kind = self.pick(&FlowKind::NAMES).1;
        let file = kind == FlowKind::File;
        let layers = if self.axes == 2 { 0 } else { 585 };
        FlowPlan {
            kind,
            cell: self.pick(&[20.0, 0.01, 1e7]),
            frequency: self.pick(&[0.1, 0.0, 1.0]),
            grid: if file { [1 + self.below(4096) as u32, 7, layers] } else { [0; 3] },
            file: file.then(|| "winds of the \"north\".csv".to_string()),
            vectors: Vec::new(),
        }
    }

    /// The top of the file and the world.
    pub fn top(&mut self, scene: &mut Scene) {
        scene.about =
            self.pick(&["", "plain", "with \"quotes\" and a # hash", "two\nlines"]).into();
        scene.seed = self.pick(&[1, 0, u32::MAX]);
        scene.time_step = if self.one_in(2) { 1.0 } else { self.number(1e-3, 10.0) };
        scene.world.size = self.point(1.0, 1e7);
        scene.written_size = scene.world.size;
        scene.world.boundary = self.pick(&Boundary::NAMES).1;
        scene.density = self.maybe(|draw| draw.number(1e-3, 1e4));
        scene.density_radius = scene.density.map_or(0.0, |_| self.number(1e-3, 1e6));
        scene.grows = self.one_in(2);
        scene.click = self.pick(&Click::NAMES).1;
        scene.follows = scene.click == Click::Follow;
        if scene.click != Click::Follow && scene.click != Click::Call {
            scene.follows = self.one_in(2);
        }
    }

    pub fn species(&mut self, scene: &mut Scene) {
        let taken: Vec<String> = scene.species.iter().map(|own| own.name.clone()).collect();
        let name = self.name(&taken, "kind".into());
        let mut own = Species::new(&name);
        own.count = if self.one_in(2) { 100 } else { 1 + self.below(1 << 20) as u64 };
        self.looks(&mut own);
        scene.species.push(own);
        let index = scene.species.len() - 1;
        for slot in 0..<Body as Parameters<f32>>::TABLE.len() {
            if self.one_in(2) {
                self.set(scene, index, Slot::Body(slot));
            }
        }
        for _ in 0..self.below(6) {
            self.add_rule(scene, index);
        }
    }

    pub fn looks(&mut self, own: &mut Species) {
        own.look = self.pick(&BoidShape::NAMES).1;
        own.colour = self.colour_by();
        own.palette = self.palette();
        own.smallest = self.maybe(|draw| draw.number(1.0, 64.0));
        own.spawn = self.spawn();
        own.spawn_at_scale = if self.one_in(2) { own.spawn } else { self.spawn() };
    }

    fn colour(&mut self) -> Rgb {
        Rgb([0; 3].map(|_: u8| self.below(256) as u8))
    }

    fn colour_by(&mut self) -> ColourBy {
        if self.one_in(3) { ColourBy::Fixed(self.colour()) } else { self.pick(&ColourBy::NAMES).1 }
    }

    fn palette(&mut self) -> Palette {
        match self.below(3) {
            0 => Palette::Auto,
            1 => Palette::Named(self.pick(&PaletteName::NAMES).1),
            _ => Palette::Colours((0..=self.below(16)).map(|_| self.colour()).collect()),
        }
    }

    pub fn style(&mut self) -> Style {
        Style {
            background: if self.one_in(2) {
                Background::Named(self.pick(&BackgroundName::NAMES).1)
            } else {
                Background::Colours((0..=self.below(8)).map(|_| self.colour()).collect())
            },
            look: self.pick(&BoidShape::NAMES).1,
            colour: self.colour_by(),
            palette: self.palette(),
            smallest: self.maybe(|draw| draw.number(1.0, 64.0)),
            trail: self.maybe(|draw| draw.number(1.0, 1000.0)),
            ..Style::default()
        }
    }

    pub fn camera(&mut self) -> CameraPlan {
        let key = |draw: &mut Self, number: usize| CameraKey {
            tick: 100 * number as u64 + draw.below(100) as u64,
            centre: draw.maybe(|draw| draw.point(-1e7, 1e7)),
            zoom: draw.maybe(|draw| draw.number(0.01, 1e4)),
            rotation: draw.maybe(|draw| draw.number(-36_000.0, 36_000.0)),
            // A plane has no others.
            ..CameraKey::default()
        };
        CameraPlan {
            centre: self.maybe(|draw| draw.point(-1e7, 1e7)),
            zoom: self.number(0.01, 1e4),
            rotation: self.number(-36_000.0, 36_000.0),
            follow: match self.below(3) {
                0 => Follow::None,
                1 => Follow::Centre,
                _ => Follow::Agent(self.below(1 << 27) as u32),
            },
            keys: (0..self.below(4)).map(|number| key(self, number)).collect(),
            ..CameraPlan::default()
        }
    }

    /// A scene with some of everything.
    pub fn scene(&mut self) -> Scene {
        let mut scene = Scene::parse("drawn.toml", "[species.a]").unwrap();
        scene.species.clear();
        self.top(&mut scene);
        scene.style = self.style();
        scene.camera = self.camera();
        for _ in 0..self.below(4) {
            let target = self.target(&scene);
            scene.targets.push(target);
        }
        scene.obstacle_plans = (0..self.below(4)).map(|_| self.obstacle()).collect();
        for _ in 0..self.below(3) {
            let path = self.path(&scene);
            scene.paths.push(path);
        }
        scene.flow = self.maybe(Self::flow);
        for _ in 0..1 + self.below(4) {
            self.species(&mut scene);
        }
        legal(&mut scene);
        scene
    }

    /// Changes one part of a scene.
    pub fn change(&mut self, scene: &mut Scene) {
        let index = self.below(scene.species.len());
        let (targets, obstacles, paths) =
            (scene.targets.len(), scene.obstacle_plans.len(), scene.paths.len());
        match self.below(16) {
            0 => self.top(scene),
            1 => {
                let place = 1 + self.below(targets);
                let target = self.target(scene);
                scene.targets.insert(place, target);
            }
            2 if targets > 1 => drop(scene.targets.remove(1 + self.below(targets - 1))),
            3 if targets > 1 => {
                let other = self.target(scene);
                let place = 1 + self.below(targets - 1);
                scene.targets[place] = other;
            }
            4 => {
                let (place, plan) = (self.below(obstacles + 1), self.obstacle());
                scene.obstacle_plans.insert(place, plan);
            }
            5 if obstacles > 0 => drop(scene.obstacle_plans.remove(self.below(obstacles))),
            6 => {
                let path = self.path(scene);
                scene.paths.push(path);
            }
            7 if paths > 0 => drop(scene.paths.remove(self.below(paths))),
            8 => scene.flow = self.maybe(Self::flow),
            9 if scene.species.len() < 8 => self.species(scene),
            10 if scene.species.len() > 1 => drop(scene.species.remove(index)),
            11 => {
                let other = self.below(scene.species.len());
                scene.species.swap(index, other);
            }
            12 => self.looks(&mut scene.species[index]),
            13 => self.add_rule(scene, index),
            14 => {
                let rules = &mut scene.species[index].rules;
                let count = rules.len().max(1);
                let (one, other) = (self.below(count), self.below(count));
                if one < rules.len() && one == other {
                    rules.remove(one);
                } else if one != other {
                    rules.swap(one, other);
                }
            }
            _ => {
                let own = &scene.species[index];
                let body = (0..own.body.values().len()).map(Slot::Body);
                let rules = own.rules.iter().flat_map(|rule| {
                    (0..rule.values.len()).map(|index| Slot::Rule(rule.kind, index))
                });
                let slots: Vec<Slot> = body.chain(rules).collect();
                let slot = self.pick(&slots);
                self.set(scene, index, slot);
            }
        }
        legal(scene);
    }
}
