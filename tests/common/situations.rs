//! Scenes and states to compare engines on: random ones by the thousand, with the degenerate ones
//! (agents at rest, on one spot, on the edge, on the target, exactly at the radius) mixed in.

use flockwork::model::behaviours::Kind;
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;
use glam::Vec2;

/// A scene and a state in it.
pub struct Situation {
    /// What is special about it, and the number that reproduces it.
    pub name: String,
    /// The scene.
    pub scene: Scene,
    /// The state.
    pub state: FlockState,
}

/// A generator of its own (SplitMix64), so that the situations stay what they are when the model's
/// changes.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[low, high)`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.bits() >> 40) as f32 / 16_777_216.0
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Every set of behaviours that is compared: each alone, then all together.
pub fn behaviour_sets() -> Vec<Vec<Kind>> {
    let mut sets: Vec<Vec<Kind>> = Kind::ALL.into_iter().map(|kind| vec![kind]).collect();
    sets.push(vec![Kind::Separation, Kind::Alignment, Kind::Cohesion]);
    sets.push(Kind::ALL.to_vec());
    sets
}

/// Random situation number `number` for a set of behaviours.
pub fn situation(kinds: &[Kind], number: u64) -> Situation {
    let mut dice = Dice::new(number * 1000 + kinds.len() as u64 * 31 + kinds[0] as u64);
    let boundary = dice.one_of(&["wrap", "walls", "open"]);
    // Worlds of one to seven cells of the largest radius, 20.
    let sides = [20.0, 30.0, 45.0, 64.0, 85.0, 150.0];
    let (width, height) = (dice.one_of(&sides), dice.one_of(&sides));
    let species = dice.one_of(&[1_usize, 1, 2, 3]);
    let mut text = format!(
        "time_step = {}\nworld = {{ size = [{width}, {height}], boundary = \"{boundary}\" }}\n",
        dice.one_of(&[1.0, 1.0, 0.5, 2.0])
    );
    let targets = [(16.0, 12.0), (dice.between(0.0, width), dice.between(0.0, height))];
    for (index, (x, y)) in targets.iter().enumerate() {
        text += &format!("[[targets]]\nname = \"t{index}\"\nposition = [{x}, {y}]\n");
    }
    for index in 0..species {
        text += &species_text(index, species, kinds, &mut dice);
    }
    let scene = Scene::parse("situation", &text, &[]).unwrap_or_else(|error| {
        panic!("situation {number}: {error}\n{text}");
    });

    let count = dice.one_of(&[1_usize, 2, 3, 17, 33, 60]);
    let place = dice.one_of(&["uniform", "lattice", "edges", "crowd"]);
    let state = agents(&scene, count, place, &mut dice);
    let name =
        format!("{kinds:?} #{number}: {count} agents, {place}, {boundary}, {width}x{height}");
    Situation { name, scene, state }
}

fn species_text(index: usize, all: usize, kinds: &[Kind], dice: &mut Dice) -> String {
    let mut text = format!(
        "[species.s{index}]\nmass = {}\nmax_speed = {}\nmax_force = {}\n",
        dice.one_of(&[1.0, 0.5, 3.0]),
        dice.between(1.0, 4.0),
        dice.between(0.2, 1.5)
    );
    for kind in kinds {
        text += &format!("[species.s{index}.{}]\n", kind.info().key);
        text += &format!("weight = {}\n", dice.between(0.5, 2.0));
        let known = kind.info().parameters;
        for parameter in known.iter().filter(|parameter| parameter.key != "weight") {
            let value = match parameter.key {
                // 20, 5 and 10 are met exactly on the lattice.
                "radius" => dice.one_of(&["20", "10", "5", "13.7"]).to_string(),
                "slowing_radius" => dice.between(5.0, 60.0).to_string(),
                "margin" => dice.one_of(&["4", "9.5", "40"]).to_string(),
                "gain" => dice.one_of(&["0", "0.03", "0.1"]).to_string(),
                "target" => dice.one_of(&["\"t0\"", "\"t1\"", "\"nearest\""]).to_string(),
                "with" if all == 1 => "[\"s0\"]".into(),
                "with" => dice.one_of(&["[\"s0\"]", "[\"s0\", \"s1\"]", "\"all\""]).to_string(),
                other => panic!("the situations do not know the parameter {other}"),
            };
            text += &format!("{} = {value}\n", parameter.key);
        }
    }
    text
}

fn agents(scene: &Scene, count: usize, place: &str, dice: &mut Dice) -> FlockState {
    let size = scene.world.size;
    let mut state = FlockState { id: (0..count as u32).collect(), ..FlockState::default() };
    let centre = Vec2::new(dice.between(0.0, size.x), dice.between(0.0, size.y));
    for _ in 0..count {
        let uniform = Vec2::new(dice.between(0.0, size.x), dice.between(0.0, size.y));
        let spot = match place {
            // Multiples of 4 and 3: distances of 5, 10, 20 and shared spots, all exact.
            "lattice" => (uniform / Vec2::new(4.0, 3.0)).floor() * Vec2::new(4.0, 3.0),
            "edges" => {
                let edge = [0.0, size.x, size.x.next_down(), uniform.x];
                Vec2::new(dice.one_of(&edge), dice.one_of(&[0.0, size.y, uniform.y]))
            }
            "crowd" => centre + (uniform - size / 2.0) * 0.05,
            _ => uniform,
        };
        let spot = spot.clamp(Vec2::ZERO, size);
        let inside = scene.world.boundary != flockwork::model::world::Boundary::Wrap;
        let position = if inside { spot } else { spot % size };
        let species = dice.below(scene.species.len()) as u8;
        let most = scene.species[species as usize].body.max_speed;
        let speed = dice.one_of(&[0.0, most, most * 0.3]);
        let heading = dice.between(0.0, std::f32::consts::TAU);
        state.species.push(species);
        state.position.push(position);
        state.velocity.push(Vec2::from_angle(heading) * speed);
    }
    state
}

/// The situations that every engine is compared on: `each` random ones for every set of
/// behaviours.
pub fn parity(each: u64) -> impl Iterator<Item = Situation> {
    behaviour_sets()
        .into_iter()
        .flat_map(move |kinds| (0..each).map(move |number| situation(&kinds, number)))
}
