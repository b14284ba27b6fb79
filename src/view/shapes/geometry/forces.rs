//! The steering of one agent: the force of each of its behaviours, and the neighbours that it perceives.

use super::builder::ShapeBuilder;
use super::{colour, legend};
use crate::shapes::StyledShape;
use flockwork_model::behaviours::{
    Agent, Kind, Neighbour, Rules, Sums, Surroundings, Target, Uses,
};
use flockwork_model::formula::Formula;
use flockwork_model::kept::KeptRow;
use flockwork_model::parameter::{ALL_NEIGHBOURS, PICK_ONE};
use flockwork_model::random::{self, Purpose, place_in_order};
use flockwork_model::scene::{Other, Scene, SingleRules, Species};
use flockwork_model::scenery::Scenery;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{
    Axes, Deviates, Point, Remembered, Space, Vector, components, point,
};
use flockwork_model::world::with_axes;

/// Colour of the neighbours' marks.
const NEIGHBOURS: [u8; 3] = [225, 228, 235];

/// Radius of a neighbour's mark, in agent sizes.
const MARK: f32 = 1.0;

/// The most neighbours that are marked.
const MAX_MARKED: usize = 400;

/// The forces on an agent in the next tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Steering {
    /// The weighted force of each behaviour, in the order of the scene's file; mass · world units
    /// per tick². Behaviours without weight are left out.
    pub forces: Vec<(Kind, Point)>,
    /// All of them together, limited as the species says.
    pub total: Point,
    /// The longest force; mass · world units per tick².
    pub max_force: f32,
    /// Rows of the other agents within the agent's largest perception radius.
    pub neighbours: Vec<usize>,
    /// Its velocity after the tick, before walls reflect it; world units per tick.
    pub next_velocity: Point,
    /// World units.
    position: Point,
    /// Half its length; world units.
    size: f32,
}

fn vector<const D: usize>(place: Point) -> Vector<f32, D> {
    Vector(components(place))
}

impl Steering {
    /// The forces on the agent in row `row`, by the formulas of the engines; `None` if there is no
    /// such row. `scene` is the scene at the state's tick, the rest as in
    /// [`shapes_of_all`](super::shapes_of_all). In a crowd the engines look at a sample of the neighbours;
    /// here all of them count.
    #[must_use]
    pub fn of(
        scene: &Scene,
        scenery: &Scenery,
        targets: &[Target],
        state: &FlockState,
        row: usize,
    ) -> Option<Self> {
        let surroundings = Surroundings { world: &scene.world, targets, scenery };
        with_axes!(scene.world, AXES => Self::on_axes::<AXES>(scene, surroundings, state, row))
    }

    fn on_axes<const D: usize>(
        scene: &Scene,
        surroundings: Surroundings<'_>,
        state: &FlockState,
        row: usize,
    ) -> Option<Self>
    where
        Axes<D>: Space<D>,
    {
        let (position, id) = (vector(*state.position.get(row)?), *state.id.get(row)?);
        let species = scene.species.get(usize::from(*state.species.get(row)?))?;
        let species = &*species.of_agent(scene.seed, id);
        let velocity = vector(state.velocity[row]);
        let uses = scene.uses();
        let rules = Rules::<f32>::read(|kind, slot| species.encoded(kind, slot));
        let spread = Vector(Axes::<D>::spread_direction(id));
        let memory = state.memory.get(row).copied().unwrap_or_default();
        let draw = |purpose| random::unit(scene.seed, id, state.tick as u32, purpose);
        let noise = [Purpose::Wander, Purpose::WanderAround, Purpose::WanderHeight].map(draw);
        let direction = Point::from_array(memory.direction());
        let start = Agent {
            remembered: Remembered { angle: memory.angle(), direction: vector(direction) },
            noise: vector(Point::from_array(noise)),
            ..Agent::new(species.body, position, velocity)
        };
        let rows = scene.kept_of(state);
        let kept = |row: usize| rows.get(row).copied().unwrap_or_default();
        let mut texts =
            SingleRules::new(scene, species, &start, (id, state.tick as u32), kept(row));
        let (sums, neighbours) =
            look_around(&rules, (&mut texts, &kept), species, scene, state, row);
        let (mut agent, mut all) = (start, Vec::new());
        let turns = (species.body.combine, |kind| species.turn(kind));
        let near = (spread, &sums);
        let take = |kind, force| all.push((kind, force));
        let total = rules.force((uses, &surroundings), &mut agent, near, &mut texts, turns, take);
        let mut next = agent.next_velocity(uses, total, scene.time_step);
        if uses.has(Uses::NOISE) {
            let numbers = Deviates::draw(scene.seed, id, state.tick as u32);
            next = agent.disturbed(next, numbers, scene.time_step);
        }
        if uses.has(Uses::MAX_TURN) {
            next = agent.turned(next, scene.time_step);
        }
        let of_kind = |(kind, _): (Kind, [u8; 3])| {
            all.iter().find(|(own, _)| *own == kind).map(|(_, force)| (kind, point(force.0)))
        };
        Some(Self {
            forces: legend(species).into_iter().filter_map(of_kind).collect(),
            total: point(total.0),
            max_force: agent.body.max_force,
            neighbours,
            next_velocity: point(next.0),
            position: state.position[row],
            size: species.body.size,
        })
    }

    /// An arrow for each force in the colour of its behaviour, and marks on the neighbours. `unit` is
    /// the length of an arrow for the longest force; world units. `image` is where a place is shown.
    #[must_use]
    pub fn shapes(
        &self,
        state: &FlockState,
        unit: f32,
        image: impl Fn(Point) -> Point,
    ) -> Vec<StyledShape> {
        let mut shapes = ShapeBuilder::new(self.size);
        shapes.colour = NEIGHBOURS;
        for row in self.neighbours.iter().take(MAX_MARKED) {
            shapes.circle(image(state.position[*row]), self.size * MARK);
        }
        let from = image(self.position);
        for (kind, force) in &self.forces {
            let share = *force / self.max_force.max(f32::MIN_POSITIVE);
            // A force may be many times as long as what is left of the sum.
            let way = share.clamp_length_max(MAX_ARROW) * unit;
            if way.length() > MIN_ARROW * unit {
                shapes.colour = colour(*kind);
                shapes.bold_arrow(from, from + way, unit * HEAD);
            }
        }
        shapes.into_shapes()
    }
}

/// Length of the longest arrow, and of the shortest that is drawn; units.
const MAX_ARROW: f32 = 2.0;
const MIN_ARROW: f32 = 0.01;

/// Length of an arrow's head; units.
const HEAD: f32 = 0.14;

/// The rows of the neighbours that each behaviour with `nearest` or `pick` chooses, among `others` as they are
/// `seen`. `is_of` is true for agents of its species.
fn choices<const D: usize>(
    (species, scene): (&Species, &Scene),
    state: &FlockState,
    row: usize,
    (others, seen): (&[usize], &[Neighbour<f32, D>]),
    is_of: impl Fn(Kind, usize) -> bool,
) -> Vec<(Kind, Vec<usize>)> {
    let has_sight = scene.uses().has(Uses::SIGHT);
    let order = random::bits(scene.seed, state.id[row], state.tick as u32, Purpose::Pick);
    let mut all = Vec::new();
    for kind in species.rules.iter().map(|rule| rule.kind) {
        let encoded = |key| kind.parameter(key).map_or(0.0, |index| species.encoded(kind, index));
        let (radius, fov, number) = (encoded("radius"), encoded("fov"), encoded("nearest"));
        if number == ALL_NEIGHBOURS {
            continue;
        }
        let mut near = Vec::new();
        for (other, its) in others.iter().zip(seen).filter(|(other, _)| is_of(kind, **other)) {
            let squared = its.distance_squared;
            let unseen = has_sight && its.ahead < fov * squared.sqrt();
            if squared < radius * radius && !unseen {
                let id = state.id[*other];
                // The bits of a distance ascend with it.
                let place =
                    if number == PICK_ONE { place_in_order(order, id) } else { squared.to_bits() };
                near.push((place, id, *other));
            }
        }
        near.sort_unstable();
        let most = if number == PICK_ONE { 1 } else { number as usize };
        all.push((kind, near.into_iter().take(most).map(|(.., other)| other).collect()));
    }
    all
}

/// The sums over all neighbours, and which agents they are.
fn look_around<const D: usize>(
    rules: &Rules<f32>,
    (texts, kept): (&mut SingleRules<'_>, &dyn Fn(usize) -> KeptRow),
    species: &Species,
    scene: &Scene,
    state: &FlockState,
    row: usize,
) -> (Sums<f32, D>, Vec<usize>)
where
    Axes<D>: Space<D>,
{
    let uses = scene.uses();
    let mut sums = Sums::nothing(0.0);
    let radius = species.perception_radius();
    let formulas = || species.rules.iter().filter_map(|rule| rule.kind.formula());
    let hears_everybody = formulas().any(Formula::hears_everybody);
    if radius <= 0.0 && !hears_everybody {
        return (sums, Vec::new());
    }
    let heading = vector::<D>(state.velocity[row]).heading();
    let squared_radii = rules.squared_radii();
    let (mut others, mut seen) = (Vec::new(), Vec::new());
    for (other, place) in state.position.iter().enumerate().filter(|(other, _)| *other != row) {
        let offset = vector(scene.world.shortest_between(state.position[row], *place));
        let distance_squared = offset.dot(offset);
        if distance_squared >= radius * radius && !hears_everybody {
            continue;
        }
        others.push(other);
        seen.push(Neighbour {
            offset,
            distance_squared,
            velocity: vector(state.velocity[other]),
            ahead: heading.dot(offset),
            near: false,
            share: 1.0,
        });
    }
    let is_of = |kind: Kind, other: usize| {
        let set = species.value_of(kind, "with") as u32;
        scene.species.len() < 2 || (set >> state.species[other]) & 1 == 1
    };
    let choices = choices((species, scene), state, row, (&others, &seen), is_of);
    let mut neighbours = Vec::new();
    for (other, neighbour) in others.into_iter().zip(&seen) {
        if neighbour.distance_squared < radius * radius {
            sums.neighbours += 1.0;
            neighbours.push(other);
        }
        let (its, id) = (state.species[other], state.id[other]);
        let size =
            scene.species.get(usize::from(its)).map_or(0.0, |own| own.size_of(scene.seed, id));
        let chosen = |kind: Kind| {
            let own = choices.iter().find(|(of, _)| *of == kind);
            own.is_none_or(|(_, chosen)| chosen.contains(&other))
        };
        let place = state.position[other];
        let facts = Other { place, species: its, size, kept: kept(other) };
        texts.observe(uses, neighbour, facts, chosen);
        let perceives = |kind: Kind, share: f32| {
            if is_of(kind, other) && chosen(kind) { share } else { 0.0 }
        };
        rules.observe(uses, neighbour, &squared_radii, perceives, &mut sums);
    }
    (sums, neighbours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::raster::tests::flock;
    use flockwork_engine::Engine;
    use flockwork_engine::cpu::CpuEngine;
    use flockwork_model::scene::{Request, built_in};
    use flockwork_model::vector::flat;

    #[test]
    fn forces_are_those_of_the_engine_in_every_scene() {
        let (mut agents, mut forceful) = (0, 0);
        for text in built_in() {
            let scene = Scene::parse(text.name, text.text).unwrap();
            let count = Some(scene.own_count().min(150));
            let (scene, state) = scene.populate(&Request { count, ..Request::default() }).unwrap();
            let mut engine = CpuEngine::new(Some(1)).unwrap();
            engine.load(&scene, &state).unwrap();
            engine.step(60).unwrap();
            let (state, targets) = (engine.read_back().unwrap(), engine.targets().unwrap());
            engine.step(1).unwrap();
            let next = engine.read_back().unwrap();
            let (now, scenery) = (scene.at(state.tick), scene.scenery());
            let mut good = 0;
            agents += state.len();
            for row in 0..state.len() {
                let steering = Steering::of(&now, &scenery, &targets, &state, row).unwrap();
                let species = now.species[usize::from(state.species[row])]
                    .of_agent(scene.seed, state.id[row]);
                let found = steering.next_velocity;
                // Walls reflect afterwards, and sums are added in another order.
                let off = (found - next.velocity[row]).length();
                good += usize::from(off < 1e-3 * (1.0 + found.length()));
                forceful += usize::from(steering.total.length() > 1e-6);
                if species.body.limit == 0.0 && species.body.combine == 0.0 {
                    let sum: Point = steering.forces.iter().map(|(_, force)| *force).sum();
                    assert!((sum - steering.total).length() < 1e-4 * (1.0 + sum.length()));
                }
            }
            assert!(good * 50 >= state.len() * 49, "{}: {good} of {}", text.name, state.len());
        }
        assert!(forceful * 2 > agents, "{forceful} of {agents} are steered");
    }

    #[test]
    fn neighbours_are_found_and_marked_across_the_seam() {
        let text = "world = { size = [200, 100], boundary = \"wrap\" }\n[species.a]\ncount = 3\n\
                    [species.a.separation]\nradius = 20\n[species.a.cohesion]\nweight = 0\n";
        let scene = Scene::parse("test", text).unwrap();
        let places = [flat(2.0, 50.0), flat(195.0, 50.0), flat(90.0, 50.0)];
        let mut state = flock(&places.map(|place| (place, Point::X)));
        state.id = vec![3, 7, 9];
        let scenery = scene.scenery();
        let steering = Steering::of(&scene, &scenery, &[], &state, 0).unwrap();
        assert_eq!(steering.neighbours, [1]);
        assert_eq!(steering.forces.len(), 1, "cohesion has no weight");
        assert!(steering.forces[0].1.x > 0.0, "away across the seam: {steering:?}");
        let shapes = steering.shapes(&state, 10.0, |place| place);
        // A mark, a shaft and a head.
        assert_eq!(shapes.len(), 3, "{shapes:?}");
        assert_eq!(shapes[1].colour, colour(Kind::Separation));
        assert!(Steering::of(&scene, &scenery, &[], &state, 3).is_none());
    }
}
