//! Scenes and states to compare engines on: thousands of random ones. Some are degenerate: agents
//! at rest, on one spot, on the edge, on the target, inside an obstacle, exactly at the radius.

use flockwork::model::behaviours::{Kind, Uses};
use flockwork::model::memory::Memory;
use flockwork::model::parameter::PICK_ONE;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use flockwork::model::world::Boundary;
use glam::Vec3;

use super::dice::Dice;
use super::{BOUNDARIES, scenery};

/// A scene and a state in it.
#[derive(Clone)]
pub struct Situation {
    /// Its peculiarity, and the number that reproduces it.
    pub name: String,
    /// The scene.
    pub scene: Scene,
    /// The state.
    pub state: FlockState,
}

/// A place in a world of `size` as a scene file has it.
pub fn text_of(place: Vec3, size: Vec3) -> String {
    let Vec3 { x, y, z } = place;
    if size.z == 0.0 { format!("[{x}, {y}]") } else { format!("[{x}, {y}, {z}]") }
}

/// The place below on a lattice of multiples of 4, 3 and 12: distances of 5, 10, 13 and 20 and shared
/// spots are exact.
pub fn on_lattice(place: Vec3) -> Vec3 {
    let step = Vec3::new(4.0, 3.0, 12.0);
    (place / step).floor() * step
}

/// The behaviours of a flock. The CPU engine has a separate kernel for them.
pub const FLOCKING: [Kind; 3] = [Kind::Separation, Kind::Alignment, Kind::Cohesion];

/// The extras of bodies, which most situations do not have.
pub const OF_BODIES: [Uses; 7] = [
    Uses::MIN_SPEED,
    Uses::OLD_STEP,
    Uses::MAX_TURN,
    Uses::JITTER,
    Uses::LIMITLESS,
    Uses::TURNERS,
    Uses::NOISE,
];

/// The extras of colours and of birds that lean: every set of them needs a shader of its own. `shown.rs` tests them.
pub const OF_LOOKS: [Uses; 4] = [Uses::ACCELERATIONS, Uses::AGES, Uses::BANKS, Uses::STRUCTURE];

/// The extras of the nearest neighbours, which most situations do not choose.
pub const OF_NEAREST: [Uses; 3] = [Uses::NEAREST, Uses::MANY_NEAREST, Uses::PICK];

/// The extras of rules in text, which have tests of their own.
pub const OF_RULES: [Uses; 9] = [
    Uses::SUMS,
    Uses::OWN_MOTION,
    Uses::OTHER_PLACES,
    Uses::OTHER_SIZES,
    Uses::EVERYBODY,
    Uses::SHARED,
    Uses::KEPT,
    Uses::OTHER_KEPT,
    Uses::OWN_KEPT,
];

/// The sets of behaviours to compare: each alone, a flock's three, all together.
pub fn behaviour_sets() -> Vec<Vec<Kind>> {
    let mut sets: Vec<Vec<Kind>> = Kind::ALL.into_iter().map(|kind| vec![kind]).collect();
    sets.push(FLOCKING.to_vec());
    sets.push(Kind::ALL.to_vec());
    sets
}

/// Random situation number `number` for a set of behaviours, in a world with this number of axes.
pub fn situation_in(axes: usize, kinds: &[Kind], number: u64) -> Situation {
    // In one of four situations: each set of drawn numbers needs a shader of its own.
    rolled(axes, kinds, number, |dice| dice.traits = number % 4 == 3)
}

/// A situation whose quantities are plain numbers, so that the device's table holds for every tick.
pub fn steady_in(axes: usize, kinds: &[Kind], number: u64) -> Situation {
    rolled(axes, kinds, number, |dice| dice.laws = false)
}

fn rolled(axes: usize, kinds: &[Kind], number: u64, how: impl Fn(&mut Dice)) -> Situation {
    let mut dice = Dice::new(number * 1000 + kinds.len() as u64 * 31 + kinds[0].number() as u64);
    how(&mut dice);
    let boundary = dice.one_of(&BOUNDARIES);
    // Worlds of one to seven cells of the largest radius, 20.
    let sides = [20.0, 30.0, 45.0, 64.0, 85.0, 150.0];
    let mut size = Vec3::new(dice.one_of(&sides), dice.one_of(&sides), 0.0);
    if axes == 3 {
        size.z = dice.one_of(&sides);
    }
    let species = dice.one_of(&[1_usize, 1, 2, 3]);
    let mut text = format!(
        "seed = {}\ntime_step = {}\nworld = {{ size = {}, boundary = \"{boundary}\" }}\n",
        dice.below(1000),
        dice.one_of(&[1.0, 1.0, 0.5, 2.0]),
        text_of(size, size)
    );
    text += &targets_text(size, &mut dice);
    let mut paths = 0;
    if kinds.contains(&Kind::FollowPath) {
        paths = dice.one_of(&[1, 2, 3]);
        text += &scenery::paths_text(paths, size, &mut dice);
    }
    if kinds.contains(&Kind::FollowFlow) {
        text += &scenery::flow_text(&mut dice);
    }
    for index in 0..species {
        text += &species_text(index, species, paths, boundary, kinds, &mut dice);
    }
    let mut scene = Scene::parse("situation", &text).unwrap_or_else(|error| {
        panic!("situation {number}: {error}\n{text}");
    });
    if kinds.contains(&Kind::FollowFlow) {
        scenery::field_from_a_file(&mut scene, &mut dice);
    }
    if kinds.contains(&Kind::Avoid) {
        scene.obstacles = scenery::obstacles(size, &mut dice);
    }
    if dice.below(4) == 0 {
        scene.targets[0].active = true;
        scene.targets[0].position = dice.place(size, 0.0);
    }

    let count = dice.one_of(&[1_usize, 2, 3, 17, 33, 60, 120]);
    let place = dice.one_of(&["uniform", "uniform", "lattice", "edges", "crowd", "outside"]);
    let state = agents(&scene, count, place, &mut dice);
    let name = format!(
        "{kinds:?} #{number}: {count} agents, {place}, {boundary}, {}\n{text}",
        text_of(size, size)
    );
    Situation { name, scene, state }
}

/// The situation with a smallest speed for every species. Other dice roll it, so nothing else changes.
pub fn hurried(mut case: Situation, number: u64) -> Situation {
    let mut dice = Dice::new(number * 1000 + 777);
    for species in &mut case.scene.species {
        species.body.min_speed = dice.between(0.3, 3.0);
    }
    case.name = format!("with smallest speeds, {}", case.name);
    case
}

/// The situation with bodies that move in other ways. Other dice roll them, so nothing else changes.
pub fn embodied(mut case: Situation, number: u64) -> Situation {
    let mut dice = Dice::new(number * 1000 + 778);
    let mut own = Dice::new(number * 1000 + 780);
    for species in &mut case.scene.species {
        species.body.position_step = dice.one_of(&[0.0, 1.0]);
        species.body.limit = dice.one_of(&[0.0, 1.0, 2.0, 2.0]);
        species.body.jitter = dice.one_of(&[0.0, 0.3, 1.5]);
        species.body.max_turn = dice.one_of(&[0.0, 5.0, 30.0, 100.0, 180.0]);
        species.body.motion = own.one_of(&[0.0, 1.0]);
        species.body.noise = own.one_of(&[0.0, 0.03, 0.3, 1.3]);
        species.body.noise_kind = own.one_of(&[0.0, 1.0, 2.0]);
    }
    case.name = format!("with other bodies, {}", case.name);
    case
}

/// The situation with behaviours that choose the nearest neighbours, or draw one.
pub fn choosy(case: Situation, number: u64) -> Situation {
    let counts = [1.0, 3.0, PICK_ONE, PICK_ONE, PICK_ONE, 7.0, 8.0, 16.0, 16.0];
    choosing(case, number, &counts)
}

/// The same where none is drawn: all choices share the layout of one shader.
pub fn choosy_by_distance(case: Situation, number: u64) -> Situation {
    choosing(case, number, &[1.0, 3.0, 7.0, 7.0, 8.0, 16.0])
}

/// Other dice roll the choices, so nothing else changes.
fn choosing(mut case: Situation, number: u64, counts: &[f32]) -> Situation {
    let mut dice = Dice::new(number * 1000 + 779);
    let count = dice.one_of(counts);
    // Mostly alike in all species: each set of behaviours that choose alike needs a shader of its own.
    let differ = number % 4 == 3;
    let mut of_kinds = Vec::new();
    for rule in case.scene.species.iter_mut().flat_map(|species| &mut species.rules) {
        let Some(slot) = rule.kind.parameter("nearest") else { continue };
        let known = of_kinds.iter().find(|(kind, _)| *kind == rule.kind && !differ);
        let own = known.map_or_else(|| dice.one_of(&[count, count, 0.0]), |(_, count)| *count);
        of_kinds.push((rule.kind, own));
        rule.values[slot] = own;
        // The nearest are those that an inner radius would leave out.
        if let Some(slot) = rule.kind.parameter("inner").filter(|_| rule.kind != Kind::Cohesion) {
            rule.values[slot] = 0.0;
        }
    }
    case.name = format!("with the nearest neighbours, {}", case.name);
    case
}

/// Two targets; some move or can be hit.
fn targets_text(size: Vec3, dice: &mut Dice) -> String {
    let second = dice.place(size, 0.0);
    let first = Vec3::new(16.0, 12.0, if size.z > 0.0 { 12.0 } else { 0.0 });
    let mut text = String::new();
    for (index, place) in [first, second].into_iter().enumerate() {
        text += &format!("[[targets]]\nname = \"t{index}\"\nposition = {}\n", text_of(place, size));
        if dice.below(3) == 0 {
            let way = dice.vector(size, 3.0);
            text += &format!("velocity = {}\n", text_of(way, size));
            text += &format!("hit_radius = {}\n", dice.one_of(&[0.0, 0.0, 4.0]));
            text += &format!("turns = {}\n", way.x > 0.0);
            if way.y > 0.0 {
                let home = size * Vec3::new(0.37 + 0.2 * index as f32, 0.61, 0.45);
                text += &format!("sends_to = {}\n", text_of(home, size));
            }
        }
    }
    text
}

/// A number; in one case of eight a law with this base. In some situations it is a number that each
/// agent draws, up to this one.
fn quantity(value: f32, dice: &mut Dice) -> String {
    match dice.below(36) {
        _ if !dice.laws => value.to_string(),
        0 => format!("{{ base = {value}, amplitude = {}, period = 7 }}", value * 0.3),
        1 => format!("{{ base = {value}, grows_with_size = 5 }}"),
        2 => format!("{{ base = {value}, shrinks_with_size = 50 }}"),
        3 if dice.traits => format!("{{ from = {}, to = {value} }}", value * 0.4),
        _ => value.to_string(),
    }
}

fn species_text(
    index: usize,
    all: usize,
    paths: usize,
    boundary: &str,
    kinds: &[Kind],
    dice: &mut Dice,
) -> String {
    let (mass, max_speed) = (dice.one_of(&[1.0, 0.5, 3.0]), dice.between(1.0, 4.0));
    let max_force = dice.between(0.2, 1.5);
    let mut text = format!(
        "[species.s{index}]\nmass = {}\nmax_speed = {}\nmax_force = {}\nsize = {}\n\
         limit = \"{}\"\ncombine = \"{}\"\ncolour = \"{}\"\n",
        quantity(mass, dice),
        quantity(max_speed, dice),
        quantity(max_force, dice),
        dice.one_of(&["1", "6", "20", "{ base = 6, amplitude = 5, period = 7 }"]),
        dice.one_of(&["each", "each", "sum"]),
        dice.one_of(&["sum", "sum", "sum", "sum", "priority", "exclusive"]),
        dice.one_of(&["heading", "heading", "heading", "neighbours"]),
    );
    for kind in taken(index, kinds, dice) {
        text += &format!("[species.s{index}.{}]\n", kind.info().key);
        for parameter in kind.info().parameters {
            let key = parameter.key;
            // A behaviour that perceives agents aims at a target only in one case of three.
            let value = if key == "target" && kind.info().sees_neighbours && dice.below(3) > 0 {
                "\"none\"".into()
            } else if key == "inner" && kind != Kind::Cohesion {
                // Rarely, and drawn apart, so that all else stays as it was.
                dice.clone().one_of(&["0", "0", "0", "5"]).to_string()
            } else {
                value(key, all, paths, boundary, dice)
            };
            text += &format!("{key} = {value}\n");
        }
    }
    text
}

/// Chooses behaviours of a set for a species, in random order: at most one of the two that turn the
/// angle, and only some if there are many.
fn taken(species: usize, kinds: &[Kind], dice: &mut Dice) -> Vec<Kind> {
    let mut taken = kinds.to_vec();
    if kinds.contains(&Kind::Wander) && kinds.contains(&Kind::Swim) {
        let wanders = dice.below(2) == 0;
        taken.retain(|kind| *kind != if wanders { Kind::Swim } else { Kind::Wander });
    }
    if species > 0 {
        taken.retain(|_| dice.below(3) > 0);
    }
    for last in (1..taken.len()).rev() {
        taken.swap(last, dice.below(last + 1));
    }
    taken
}

/// A value for a parameter, as written in a scene file.
fn value(key: &str, species: usize, paths: usize, boundary: &str, dice: &mut Dice) -> String {
    let names = |all: &[&'static str], dice: &mut Dice| format!("\"{}\"", dice.one_of(all));
    match key {
        "weight" => {
            let weight = dice.between(0.5, 2.0);
            quantity(weight, dice)
        }
        // Lattice agents are exactly 20, 5 and 10 apart.
        "radius" => {
            let radius = dice.one_of(&[20.0, 10.0, 5.0, 13.7]);
            quantity(radius, dice)
        }
        "slowing_radius" => dice.between(5.0, 60.0).to_string(),
        "margin" => dice.one_of(&["4", "9.5", "40"]).to_string(),
        "gain" => dice.one_of(&["0", "0.03", "0.1"]).to_string(),
        // So large that no agent crosses a wrapped world in one tick.
        "proximity" if boundary == "wrap" => dice.one_of(&["0", "0", "60"]).to_string(),
        "proximity" => dice.one_of(&["0", "0", "30"]).to_string(),
        "target" => names(&["t0", "t1", "nearest", "pointer"], dice),
        "with" if species == 1 => "[\"s0\"]".into(),
        "with" => dice.one_of(&["[\"s0\"]", "[\"s0\", \"s1\"]", "\"all\""]).to_string(),
        "fov" => dice.one_of(&["0", "60", "180", "300", "360", "360", "360"]).to_string(),
        "nearest" => "\"all\"".into(),
        "inner" => dice.one_of(&["0", "0", "5"]).to_string(),
        "lead" => names(&["ticks", "distance"], dice),
        "factor" => dice.one_of(&["0", "0", "0.5"]).to_string(),
        "ticks" => dice.one_of(&["10", "1", "0"]).to_string(),
        "kind" => names(&["circle", "kick"], dice),
        "distance" => dice.one_of(&["80", "10", "0.8"]).to_string(),
        "turn" => {
            let turn = dice.one_of(&[15.0, 22.5, 180.0]);
            quantity(turn, dice)
        }
        "method" => names(&["feeler", "box", "ahead"], dice),
        "reach" => {
            let reach = dice.one_of(&[5.0, 20.0, 60.0, 200.0]);
            quantity(reach, dice)
        }
        "buffer" => {
            let buffer = dice.one_of(&[0.0, 3.0, 20.0]);
            quantity(buffer, dice)
        }
        "strength" => dice.one_of(&["0.3", "1", "5"]).to_string(),
        "path" => {
            let all = ["nearest", "p0", "p1", "p2"];
            names(&all[..1 + paths], dice)
        }
        "lookahead" => {
            let lookahead = dice.one_of(&[0.0, 8.0, 14.0]);
            quantity(lookahead, dice)
        }
        "advance" => dice.one_of(&["0", "5", "10"]).to_string(),
        other => panic!("the situations do not know the parameter {other}"),
    }
}

fn agents(scene: &Scene, count: usize, place: &str, dice: &mut Dice) -> FlockState {
    let size = scene.world.size;
    let mut state = FlockState { id: (0..count as u32).collect(), ..FlockState::default() };
    state.tick = dice.one_of(&[0, 0, 3, 1000, 123_456_789]);
    let centre = dice.place(size, 0.0);
    for _ in 0..count {
        let uniform = dice.place(size, 0.0);
        let spot = match place {
            "lattice" => on_lattice(uniform),
            "edges" => {
                let edge = [0.0, size.x, size.x.next_down(), uniform.x];
                let x = dice.one_of(&edge);
                let y = dice.one_of(&[0.0, size.y, uniform.y]);
                let edge = [0.0, size.z, uniform.z];
                Vec3::new(x, y, if size.z > 0.0 { dice.one_of(&edge) } else { 0.0 })
            }
            "outside" => uniform + scene.world.on_axes(dice.one_of(&[-60.0, 0.0, 60.0])),
            "crowd" => centre + (uniform - size / 2.0) * 0.05,
            _ => uniform,
        };
        let position = match scene.world.boundary {
            Boundary::Wrap => {
                let mut inside = spot;
                for axis in 0..scene.world.axes() {
                    inside[axis] = spot[axis].rem_euclid(size[axis]).min(size[axis].next_down());
                }
                inside
            }
            Boundary::Walls => spot.clamp(Vec3::ZERO, size),
            Boundary::Open => spot,
        };
        let species = dice.below(scene.species.len()) as u8;
        let most = scene.species[species as usize].body.max_speed;
        let speed = dice.one_of(&[0.0, most, most * 0.3]);
        let heading = dice.heading(size);
        state.species.push(species);
        state.position.push(position);
        state.velocity.push(heading * speed);
    }
    // Without memory the engine creates it, as for a new flock.
    if scene.uses().has(Uses::MEMORY) && dice.below(4) > 0 {
        let one = |species: &u8| {
            if scene.remembers_directions(*species as usize) {
                Memory::of_direction(dice.heading(size).to_array(), 7.0)
            } else {
                Memory::new(dice.between(-0.5, 0.5), 7.0)
            }
        };
        state.memory = state.species.iter().map(one).collect();
    }
    state
}

/// The situations in worlds with this number of axes that every engine is compared on: `alone` random ones for each behaviour and for
/// the flocking set, and `together` for all behaviours at once; some again with smallest speeds, other bodies
/// or the nearest neighbours.
pub fn parity_in(axes: usize, alone: u64, together: u64) -> impl Iterator<Item = Situation> {
    let usual = behaviour_sets().into_iter().flat_map(move |kinds| {
        let count = if kinds.len() == Kind::ALL.len() { together } else { alone };
        (0..count).map(move |number| situation_in(axes, &kinds, number))
    });
    let of_sets = move |sets: [(Vec<Kind>, u64); 2]| {
        sets.into_iter().flat_map(move |(kinds, count)| {
            (0..count).map(move |number| (situation_in(axes, &kinds, number), number))
        })
    };
    let moving = of_sets([(FLOCKING.to_vec(), alone / 2), (Kind::ALL.to_vec(), together / 15)]);
    let moving =
        moving.flat_map(|(case, number)| [hurried(case.clone(), number), embodied(case, number)]);
    // Not with all behaviours together, where too many of those that choose would be too close to call.
    let choosing = of_sets([(FLOCKING.to_vec(), alone), (vec![Kind::View], alone / 10)]);
    let choosing = choosing.map(|(case, number)| choosy(case, number));
    usual.chain(moving).chain(choosing)
}
