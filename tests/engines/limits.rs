//! All values that a scene file allows give finite results: parameters of all behaviours and bodies
//! are drawn from their whole ranges, on a logarithmic scale, and every state stays finite.

use std::ops::Range;

use crate::adapter;
use crate::common;
use crate::common::dice::Dice;
use crate::common::situations::text_of;
use crate::common::variants::of_common_variants;
use crate::common::{BOUNDARIES, bits, decided, reference, run, situations::Situation, stepped};
use flockwork::engine::Engine;
use flockwork::engine::cpu::CpuEngine;
use flockwork::model::behaviours::Kind;
use flockwork::model::parameter::{Meaning, Parameter, Parameters};
use flockwork::model::scene::{Body, Request, Scene};
use flockwork::model::scenery::{FlowKind, FlowPlan};
use flockwork::model::state::FlockState;
use glam::Vec3;

/// Number of scenes for the CPU engine and for the GPU engine, which has to compile shaders for
/// them.
const ON_THE_CPU: u64 = 1500;
const ON_THE_GPU: usize = 150;
/// Shaders for each kind of world; a driver compiles one of all behaviours and extras for a second or more.
const SHADERS: usize = 4;

/// Ticks per scene.
const TICKS: u32 = 24;

/// No agent is ever faster; world units per tick.
const MAX_SPEED: f64 = 1e4;

/// The smallest number with full precision in `f32`.
const MIN_NUMBER: f32 = f32::MIN_POSITIVE;

/// Draws the parts of a scene.
struct Draw {
    dice: Dice,
    boundary: &'static str,
    size: Vec3,
    /// True to use every behaviour and every extra of a shader, so that few shaders are compiled.
    whole: bool,
}

impl Draw {
    /// A number between `low` and `high`; all orders of magnitude are equally likely. Values of
    /// ordinary flocks, and the two ends, are more frequent.
    fn number(&mut self, low: f32, high: f32) -> f32 {
        match self.dice.below(16) {
            0 | 1 => low,
            2 => high,
            _ => {
                let smallest = self.dice.one_of(&[MIN_NUMBER, 1e-3]);
                let (first, last) = (low.max(smallest).log10(), high.log10());
                10.0_f32.powf(self.dice.between(first, last)).clamp(low, high)
            }
        }
    }

    /// The same with either sign.
    fn signed(&mut self, high: f32) -> f32 {
        self.number(0.0, high) * self.dice.one_of(&[-1.0, 1.0])
    }

    fn point(&mut self, high: f32) -> String {
        format!("[{:e}, {:e}]", self.signed(high), self.signed(high))
    }

    /// A number of a behaviour or body: constant or by a law.
    fn quantity(&mut self, parameter: &Parameter) -> String {
        let (low, high) = parameter.range;
        let base = self.number(low, high);
        let period = self.number(1.0, 1e9);
        match self.dice.below(8) {
            0 => {
                let amplitude = self.number(0.0, 1e6);
                format!("{{ base = {base:e}, amplitude = {amplitude:e}, period = {period:e} }}")
            }
            1 if parameter.key != "size" => {
                format!("{{ base = {base:e}, shrinks_with_size = {:e} }}", self.number(1e-3, 1e6))
            }
            2 if parameter.key != "size" => {
                format!("{{ base = {base:e}, grows_with_size = {:e} }}", self.number(1e-3, 1e6))
            }
            _ => format!("{base:e}"),
        }
    }

    /// A value of a parameter, as written in a scene file.
    fn value(&mut self, parameter: &Parameter) -> String {
        let (low, high) = parameter.range;
        match parameter.meaning {
            Meaning::Number | Meaning::Angle => self.quantity(parameter),
            Meaning::FieldOfView if self.dice.below(2) == 0 => "360".into(),
            Meaning::FieldOfView => format!("{:e}", self.number(low, high)),
            Meaning::Choice(names) => format!("\"{}\"", self.dice.one_of(names)),
            Meaning::Target if parameter.default < -1.0 && self.dice.below(2) == 0 => {
                "\"none\"".into()
            }
            Meaning::Target => {
                format!("\"{}\"", self.dice.one_of(&["nearest", "t0", "t1", "pointer"]))
            }
            Meaning::Path => format!("\"{}\"", self.dice.one_of(&["nearest", "p0", "p1"])),
            Meaning::SpeciesSet { .. } => self.dice.one_of(&["[\"s0\"]", "\"all\""]).into(),
            Meaning::Nearest => {
                self.dice.one_of(&["\"all\"", "\"all\"\npick = \"one\"", "1", "16"]).into()
            }
        }
    }

    /// A scene in which all behaviours, or some of them, have values from their whole ranges.
    fn scene(&mut self) -> String {
        let step = self.number(1e-3, 10.0);
        let size = text_of(self.size, self.size);
        let mut text = format!(
            "seed = {}\ntime_step = {step:e}\nworld = {{ size = {size}, boundary = \"{}\" }}\n",
            self.dice.below(1000),
            self.boundary
        );
        for index in 0..2 {
            text += &format!(
                "[[targets]]\nname = \"t{index}\"\nposition = {}\nvelocity = {}\nhit_radius = {:e}\n",
                self.point(1e7),
                self.point(1e4),
                if index == 0 { 0.5 } else { self.number(0.0, 1e6) },
            );
            let corners: Vec<String> = (0..4).map(|_| self.corner()).collect();
            text += &format!(
                "[[paths]]\nname = \"p{index}\"\nclosed = {}\npoints = [{}]\n",
                self.dice.below(2) == 0,
                corners.join(", ")
            );
        }
        for _ in 0..self.dice.below(5) {
            let radius = self.number(0.0, 1e6);
            let place = if self.dice.below(2) == 0 { self.point(1e7) } else { self.corner() };
            text += &format!("[[obstacles]]\nposition = {place}\nradius = {radius:e}\n");
        }
        text += &format!(
            "[flow]\nkind = \"{}\"\ncell = {:e}\nfrequency = {:e}\n",
            self.dice.one_of(&["perlin", "vortex", "curl"]),
            // Not too fine: millions of cells show nothing new.
            self.number(1e-2, 1e7).max(self.size.max_element() / 40.0),
            self.number(0.0, 1.0),
        );
        for index in 0..2 {
            text += &self.species(index);
        }
        text
    }

    /// A place in or near the world. In a wrapped world paths must be inside.
    fn corner(&mut self) -> String {
        if self.boundary != "wrap" && self.dice.below(3) == 0 {
            return self.point(1e7);
        }
        let place = (self.dice.vector(self.size, 1.5) + 0.5) * self.size;
        text_of(place.clamp(Vec3::splat(-1e7), Vec3::splat(1e7)), self.size)
    }

    fn species(&mut self, index: usize) -> String {
        let mut text = format!("[species.s{index}]\ncount = {}\n", self.dice.one_of(&[1, 3, 30]));
        let colour = if self.whole { "neighbours" } else { "heading" };
        let (speed, radius) = (self.number(0.0, 1e4), self.number(0.0, 1e7));
        text += &format!(
            "colour = \"{colour}\"\nspawn = {{ place = \"{}\", speed = {speed:e}, radius = \
             {radius:e} }}\n",
            self.dice.one_of(&["uniform", "point", "disc", "row"]),
        );
        for parameter in <Body as Parameters<f32>>::TABLE {
            text += &match parameter.key {
                "combine" if self.whole => {
                    format!("combine = \"{}\"\n", ["exclusive", "priority"][index])
                }
                "position_step" if self.whole => "position_step = \"old\"\n".into(),
                // Always a varying one.
                "size" if self.whole => {
                    "size = { base = 5, amplitude = 4, period = 7 }\n".to_string()
                }
                key @ ("mass" | "max_speed" | "max_force" | "size" | "limit" | "combine") => {
                    format!("{key} = {}\n", self.value(parameter))
                }
                key => {
                    // Dice of their own: a new parameter leaves the other draws as they are.
                    let own = Dice::new(u64::from(self.size.x.to_bits()) + index as u64);
                    let dice = std::mem::replace(&mut self.dice, own);
                    let value = self.value(parameter);
                    self.dice = dice;
                    format!("{key} = {value}\n")
                }
            };
        }
        // One of the two behaviours that turn the angle.
        let turns = [Kind::Wander, Kind::Swim][index];
        let others =
            Kind::ALL.into_iter().filter(|kind| ![Kind::Wander, Kind::Swim].contains(kind));
        for kind in others.chain([turns]) {
            if !self.whole && self.dice.below(3) > 0 {
                continue;
            }
            text += &format!("[species.s{index}.{}]\n", kind.info().key);
            for parameter in kind.info().parameters {
                text += &match parameter.key {
                    "fov" if self.whole && index == 0 => "fov = 90\n".to_string(),
                    "inner" if self.whole => "inner = 1e-6\n".to_string(),
                    key => format!("{key} = {}\n", self.value(parameter)),
                };
            }
        }
        text
    }
}

/// Scene number `number` and its first state. A scene that a wrapped world refuses is drawn again.
fn drawn(number: u64, whole: bool) -> Situation {
    let boundary = BOUNDARIES[number as usize % 3];
    for attempt in 0..1000 {
        let dice = Dice::new(number * 1000 + attempt);
        let mut draw = Draw { dice, boundary, size: Vec3::new(1.0, 1.0, 0.0), whole };
        (draw.size.x, draw.size.y) = (draw.number(1.0, 1e7), draw.number(1.0, 1e7));
        let text = draw.scene();
        let mut scene = Scene::parse("limits", &text)
            .unwrap_or_else(|error| panic!("scene {number}, attempt {attempt}: {error}\n{text}"));
        if draw.dice.below(3) == 0 {
            let way = |draw: &mut Draw| Vec3::new(draw.signed(1e9), draw.signed(1e9), 0.0);
            let vectors = (0..6).map(|_| way(&mut draw)).collect();
            let plan =
                FlowPlan { kind: FlowKind::File, grid: [3, 2, 0], vectors, ..FlowPlan::default() };
            scene.flow = Some(plan);
        }
        if let Ok((scene, mut state)) = scene.populate(&Request::default()) {
            if draw.dice.below(4) == 0 {
                // Values that a state file may hold.
                let mut far = || Vec3::new(draw.signed(1e12), draw.signed(1e12), 0.0);
                state.velocity.fill_with(&mut far);
                if boundary == "open" {
                    state.position.fill_with(&mut far);
                }
            }
            let name = format!("scene {number}, attempt {attempt}:\n{text}");
            return Situation { name, scene, state };
        }
    }
    panic!("scene {number}: none of 1000 is one that its world takes");
}

/// Describes the fault of a state, if any.
fn fault(scene: &Scene, state: &FlockState) -> Option<String> {
    for (agent, (p, v)) in state.position.iter().zip(&state.velocity).enumerate() {
        let angle = state.memory.get(agent).map_or(0.0, |memory| memory.angle());
        let sound = p.is_finite()
            && v.is_finite()
            && angle.is_finite()
            && common::is_inside(&scene.world, *p);
        if !sound || v.as_dvec3().length() > MAX_SPEED * (1.0 + 1e-6) {
            return Some(format!("agent {agent} is at {p} with {v} and the angle {angle}"));
        }
    }
    None
}

/// The first tick with an invalid state of the engine.
fn first_fault(engine: &mut dyn Engine, case: &Situation) -> Option<String> {
    engine.load(&case.scene, &case.state).unwrap();
    // One by one at first: a value that is infinite for one tick may vanish at the edge of the
    // world.
    for ticks in [1, 1, 1, 1, TICKS - 4] {
        let state = stepped(engine, ticks);
        let targets = engine.targets().unwrap();
        let lost = targets.iter().find(|t| !t.position.is_finite() || !t.velocity.is_finite());
        let lost = lost.map(|target| format!("{target:?}"));
        if let Some(fault) = fault(&case.scene, &state).or(lost) {
            return Some(format!("tick {}: {fault}\n{}", state.tick, case.name));
        }
    }
    None
}

#[test]
fn every_state_of_the_cpu_engine_is_finite() {
    let mut engine = CpuEngine::new(Some(2)).unwrap();
    let mut moved = 0;
    for number in 0..ON_THE_CPU {
        let case = drawn(number, number % 8 == 0);
        if let Some(fault) = first_fault(&mut engine, &case) {
            panic!("{fault}");
        }
        moved += usize::from(engine.read_back().unwrap().position != case.state.position);
    }
    // A flock that does not move proves nothing.
    assert!(moved as u64 > ON_THE_CPU / 2, "{moved} of {ON_THE_CPU} scenes move");
}

#[test]
fn every_state_of_the_gpu_engine_is_finite() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engine = common::gpu::engine(&gpu);
    let all = |numbers: Range<u64>| numbers.map(|number| drawn(number, true));
    let share = common::gpu::share();
    for case in of_common_variants(all, SHADERS / share.min(SHADERS), ON_THE_GPU / share) {
        if let Some(fault) = first_fault(&mut engine, &case) {
            panic!("{fault}");
        }
    }
}

/// A state with a value that is not finite, or faster than allowed, is reported.
#[test]
fn an_invalid_state_is_found() {
    // A first state may be faster than the agents will ever be.
    let mut sound = (0..100).map(|number| drawn(number, false));
    let sound = sound.find(|case| fault(&case.scene, &case.state).is_none());
    let Situation { scene, state, .. } = sound.expect("a sound state");
    for change in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut other = state.clone();
        other.position[0].x = change;
        assert!(fault(&scene, &other).is_some(), "{change}");
    }
    let mut other = state.clone();
    other.velocity[0].y = -10_001.0;
    assert!(fault(&scene, &other).is_some());
}

/// Scenes in which a limit saturates, with their first states.
fn saturating() -> Vec<(&'static str, Scene, FlockState)> {
    let cases = [
        ("a tiny proximity", 8.0, "[species.a.seek]\nproximity = 1e-30\n"),
        ("a proximity far away", 8.0, "[species.a.seek]\nproximity = 0.5\n"),
        ("a steep gain", 8.0, "limit = \"sum\"\n[species.a.seek]\ngain = 1e6\nweight = 1e6\n"),
        ("a tiny speed", 1e-17, "[species.a.avoid]\nmethod = \"ahead\"\n"),
        ("a tiny lead", 1e-9, "[species.a.pursue]\nlead = \"distance\"\n"),
        ("a tiny radius", 8.0, "[species.a.separation]\nradius = 1e-9\n"),
    ];
    let mut dice = Dice::new(7);
    let scenes = cases.map(|(name, max_speed, rules)| {
        let text = format!(
            "world = {{ size = [3000, 2000], boundary = \"open\" }}\n[[targets]]\nname = \"t\"\n\
             position = [2900, 1800]\n[[obstacles]]\nposition = [100, 100]\nradius = 90\n\
             [species.a]\ncount = 40\nmax_speed = {max_speed}\nmax_force = 5\n{rules}"
        );
        let scene = Scene::parse(name, &text).unwrap();
        let (scene, mut state) = scene.populate(&Request::default()).unwrap();
        for agent in 0..state.len() {
            // Pairs on one spot.
            let spot = Vec3::new(dice.between(50.0, 170.0), dice.between(50.0, 170.0), 0.0);
            state.position[agent / 2 * 2] = spot;
            state.position[agent] = spot;
        }
        (name, scene, state)
    });
    scenes.into()
}

/// Compares an engine with the reference, tick by tick. The tolerance is relative, because these
/// numbers are large.
fn compare_saturating(engine: &mut dyn Engine) {
    for (name, scene, state) in saturating() {
        engine.load(&scene, &state).unwrap();
        let mut before = state;
        for tick in 0..6 {
            let expected = reference::step(&scene, &before);
            let after = stepped(engine, 1);
            let mut compared = 0;
            for (agent, expected) in decided(&expected) {
                let (p, v) = (after.position[agent].as_dvec3(), after.velocity[agent].as_dvec3());
                let (q, u) = (expected.position, expected.velocity);
                // When velocities cancel, the result is only as exact as the velocity before.
                let speed = u.length() + before.velocity[agent].as_dvec3().length();
                let near = 1e-5 * (q.length() + speed) + 1e-5;
                assert!(
                    p.distance(q) < near && v.distance(u) < 1e-5 * speed + 1e-6,
                    "{name}, tick {tick}: agent {agent} is at {p} with {v}, not at {q} with {u}"
                );
                compared += 1;
            }
            assert!(compared > 20, "{name}: {compared} agents compared");
            before = after;
        }
    }
}

#[test]
fn saturating_limits_equal_the_reference() {
    compare_saturating(&mut CpuEngine::new(Some(2)).unwrap());
}

#[test]
fn saturating_limits_have_the_same_bits_on_both_engines() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut on_gpu = common::gpu::engine(&gpu);
    compare_saturating(&mut on_gpu);
    let mut on_cpu = CpuEngine::new(Some(2)).unwrap();
    for (name, scene, state) in saturating() {
        let [a, b] = [run(&mut on_cpu, &scene, &state, 20), run(&mut on_gpu, &scene, &state, 20)];
        // Only on this driver is division known to round as on the CPU.
        if gpu.has_subgroups_of_agents() {
            assert!(bits(&a) == bits(&b), "{name}");
        }
    }
}
