//! Geometry against numbers computed by hand, and against the forces.

use super::*;
use crate::shapes::{Dashes, Shape};
use flockwork_model::behaviours::{Agent, Avoid, SolitaryBehaviour};
use flockwork_model::memory::Memory;
use flockwork_model::random::{Purpose, unit};
use flockwork_model::scene::{Body, Request};
use flockwork_model::vector::{Point, Vector, flat};

/// The scene of this text, with its obstacles placed.
fn scene(text: &str) -> Scene {
    let scene = Scene::parse("test", text).unwrap();
    let (scene, _) = scene.populate(&Request::default()).unwrap();
    scene
}

/// Agents of the first species with these positions and velocities.
fn flock(agents: &[([f32; 2], [f32; 2])]) -> FlockState {
    let agents = agents.iter().map(|(p, v)| (flat(p[0], p[1]), flat(v[0], v[1])));
    crate::cpu::raster::tests::flock(&agents.collect::<Vec<_>>())
}

fn first_of(scene: &Scene, state: &FlockState) -> Vec<StyledShape> {
    shapes_of_all(scene, &scene.scenery(), &scene.targets, state, &[0])
}

fn near(a: Point, b: [f32; 2]) -> bool {
    a.distance(flat(b[0], b[1])) < 1e-3
}

fn has_ring(shapes: &[StyledShape], at: [f32; 2], size: f32) -> bool {
    has_sphere(shapes, flat(at[0], at[1]), size)
}

fn has_point(shapes: &[StyledShape], at: [f32; 2]) -> bool {
    shapes.iter().any(|shape| matches!(shape.shape, Shape::Disc { centre, .. } if near(centre, at)))
}

fn has_line(shapes: &[StyledShape], wanted: &[[f32; 2]]) -> bool {
    shapes.iter().any(|shape| match &shape.shape {
        Shape::Line { points, .. } => {
            points.len() == wanted.len() && points.iter().zip(wanted).all(|(a, b)| near(*a, *b))
        }
        _ => false,
    })
}

const ROAD: &str = "[[paths]]\npoints = [[0, 100], [640, 100]]\n[species.a]\ncount = 1\n\
                    [species.a.follow_path]\nlookahead = 50\nradius = 20\nadvance = 10\n";

#[test]
fn a_path_shows_its_normal_point_and_the_point_ahead() {
    let shapes = first_of(&scene(ROAD), &flock(&[([100.0, 60.0], [2.0, 0.0])]));
    let (predicted, normal, sought) = ([150.0, 60.0], [150.0, 100.0], [160.0, 100.0]);
    assert!(has_point(&shapes, predicted) && has_point(&shapes, normal), "{shapes:?}");
    assert!(has_line(&shapes, &[[100.0, 60.0], predicted]));
    assert!(has_line(&shapes, &[predicted, normal]));
    assert!(has_line(&shapes, &[[100.0, 60.0], sought]), "{shapes:?}");
}

#[test]
fn an_agent_on_the_path_seeks_nothing() {
    let shapes = first_of(&scene(ROAD), &flock(&[([100.0, 90.0], [2.0, 0.0])]));
    assert!(has_point(&shapes, [150.0, 90.0]) && has_point(&shapes, [150.0, 100.0]));
    assert!(!has_line(&shapes, &[[100.0, 90.0], [160.0, 100.0]]));
}

#[test]
fn each_agent_shows_the_radius_that_it_drew() {
    let text = "[species.a]\ncount = 2\nmax_speed = { base = 3, amplitude = 1 }\n\
                [species.a.separation]\nradius = { from = 10, to = 90 }\n";
    let scene = scene(text).at(40);
    let state = flock(&[([100.0, 60.0], [2.0, 0.0]), ([400.0, 60.0], [2.0, 0.0])]);
    let own = |row| {
        let species = scene.species[0].of_agent(scene.seed, row);
        species.value(Kind::Separation, Kind::Separation.parameter("radius").unwrap())
    };
    let shapes = shapes_of_all(&scene, &scene.scenery(), &scene.targets, &state, &[0, 1]);
    assert!((own(0) - own(1)).abs() > 1.0, "{} and {}", own(0), own(1));
    assert!(has_ring(&shapes, [100.0, 60.0], own(0)) && has_ring(&shapes, [400.0, 60.0], own(1)));
}

#[test]
fn a_wanderer_seeks_a_point_on_a_circle_ahead() {
    let scene = scene("[species.a]\ncount = 1\n[species.a.wander]\n");
    let mut state = flock(&[([200.0, 100.0], [0.0, 2.0])]);
    // A quarter turn to the left of an upward heading.
    state.memory = vec![Memory::new(0.25, 0.0)];
    let shapes = first_of(&scene, &state);
    assert!(has_ring(&shapes, [200.0, 180.0], 25.0), "{shapes:?}");
    assert!(has_point(&shapes, [175.0, 180.0]), "{shapes:?}");
    assert!(has_line(&shapes, &[[200.0, 100.0], [175.0, 180.0]]));
}

#[test]
fn walls_have_one_margin_for_all() {
    let text = "world = { size = [640, 360], boundary = \"walls\" }\n[species.a]\ncount = 1\n\
                [species.a.contain]\nmargin = 25\n";
    let scene = scene(text);
    let state = flock(&[([9.0, 9.0], [1.0, 0.0]), ([99.0, 9.0], [1.0, 0.0])]);
    let scenery = scene.scenery();
    let shapes = shapes_of_all(&scene, &scenery, &scene.targets, &state, &[0, 1]);
    let margin = [[25.0, 25.0], [615.0, 25.0], [615.0, 335.0], [25.0, 335.0]];
    assert!(has_line(&shapes, &margin), "{shapes:?}");
    let outlines = shapes.iter().filter(|m| matches!(m.shape, Shape::Line { closed: true, .. }));
    assert_eq!(outlines.count(), 1);
}

#[test]
fn a_quarry_is_met_where_it_will_be() {
    let text = "world = { size = [200, 200], boundary = \"wrap\" }\n[species.a]\nmax_speed = 4\n\
                [species.a.pursue]\nradius = 40\nfov = 180\nticks = 10\n";
    let agents = [
        ([190.0, 100.0], [1.0, 0.0]),
        // The nearest agent, but behind; the quarry, across the seam; and one out of reach.
        ([185.0, 100.0], [0.0, 3.0]),
        ([10.0, 100.0], [0.0, 2.0]),
        ([60.0, 100.0], [0.0, 1.0]),
    ];
    let shapes = first_of(&scene(text), &flock(&agents));
    assert!(has_point(&shapes, [210.0, 120.0]), "{shapes:?}");
    assert!(has_line(&shapes, &[[210.0, 100.0], [210.0, 120.0]]));
    assert!(has_line(&shapes, &[[190.0, 100.0], [210.0, 120.0]]));
    let sectors = shapes.iter().filter_map(|shape| match shape.shape {
        Shape::Sector { radius, heading, angle, .. } => Some((radius, heading, angle)),
        _ => None,
    });
    assert_eq!(sectors.collect::<Vec<_>>(), [(40.0, 0.0, std::f32::consts::PI)]);
    // By distance: 20 units at 4 per tick are five ticks.
    let by_distance = text.replace("ticks = 10", "lead = \"distance\"");
    assert!(has_point(&first_of(&scene(&by_distance), &flock(&agents)), [210.0, 110.0]));
}

#[test]
fn targets_have_lines_and_the_circles_that_matter() {
    let text = |rule: &str| {
        format!(
            "world = {{ size = [640, 360], boundary = \"wrap\" }}\n[[targets]]\nname = \"t\"\n\
             position = [20, 100]\n[species.a]\ncount = 1\n[species.a.{rule}\n"
        )
    };
    let here = flock(&[([600.0, 100.0], [1.0, 0.0])]);
    let shapes = |rule: &str| first_of(&scene(&text(rule)), &here);
    // Across the seam the target is at 660.
    let (way, target) = ([[600.0, 100.0], [660.0, 100.0]], [660.0, 100.0]);
    assert!(has_line(&shapes("seek]"), &way));
    let arrive = shapes("arrive]\nslowing_radius = 70");
    assert!(has_line(&arrive, &way) && has_ring(&arrive, target, 70.0));
    let flee = shapes("flee]\nradius = 59");
    assert!(!has_line(&flee, &way) && has_ring(&flee, target, 59.0), "out of its reach");
    assert!(has_line(&shapes("flee]"), &way));
    assert!(!has_line(&shapes("seek]\ntarget = \"pointer\""), &way), "the pointer is not there");
    // A swimmer without memory: the angle is 0, so the point is ahead of the food.
    let swim = shapes("swim]\nradius = 50");
    assert!(has_ring(&swim, target, 50.0) && has_point(&swim, [710.0, 100.0]), "{swim:?}");
}

#[test]
fn a_flow_is_an_arrow_of_ten_ticks() {
    let text = "world = { size = [400, 400], boundary = \"wrap\" }\n[flow]\nkind = \"vortex\"\n\
                [species.a]\ncount = 1\nmax_speed = 2\n[species.a.follow_flow]\n";
    // In the cell with its middle at (390, 210). The field there is (-10, 190).
    let shapes = first_of(&scene(text), &flock(&[([385.0, 205.0], [0.0, 0.0])]));
    let way = flat(-10.0, 190.0).normalize() * 20.0;
    assert!(has_line(&shapes, &[[385.0, 205.0], [385.0 + way.x, 205.0 + way.y]]), "{shapes:?}");
    let cell = [[380.0, 200.0], [400.0, 200.0], [400.0, 220.0], [380.0, 220.0]];
    assert!(has_line(&shapes, &cell), "{shapes:?}");
}

#[test]
fn an_obstacle_is_marked_only_where_the_agent_reacts() {
    for method in ["feeler", "box", "ahead"] {
        let text = format!(
            "world = {{ size = [400, 300], boundary = \"wrap\" }}\n[[obstacles]]\n\
             position = [100, 100]\nradius = 30\n[[obstacles]]\nposition = [300, 180]\n\
             [species.a]\ncount = 1\nmax_speed = 2\nmax_force = 100\n[species.a.avoid]\n\
             method = \"{method}\"\nreach = 60\nbuffer = 5\n"
        );
        let scene = scene(&text);
        let scenery = scene.scenery();
        let surroundings = Surroundings { world: &scene.world, targets: &[], scenery: &scenery };
        let avoid: Avoid = rule(&scene.species[0], Kind::Avoid);
        let mut felt = 0;
        for i in 0..2000 {
            let draw = |purpose| unit(5, i, 0, purpose);
            let place = flat(draw(Purpose::SpawnX), draw(Purpose::SpawnY)) * scene.world.size;
            let velocity =
                glam::Vec2::from_angle(draw(Purpose::SpawnHeading) * std::f32::consts::TAU) * 1.5;
            let body = Body { max_speed: 2.0, max_force: 100.0, ..scene.species[0].body };
            let (place_of_agent, velocity_of_agent) =
                (Vector([place.x, place.y]), Vector(velocity.to_array()));
            let mut agent = Agent {
                noise: Vector::splat(0.5),
                ..Agent::new(body, place_of_agent, velocity_of_agent)
            };
            let force = avoid.force(&mut agent, &surroundings);
            let feels = force.length() > 0.0;
            let state = flock(&[([place.x, place.y], velocity.to_array())]);
            let shapes = shapes_of_all(&scene, &scenery, &[], &state, &[0]);
            let points = shapes.iter().filter(|shape| matches!(shape.shape, Shape::Disc { .. }));
            assert_eq!(points.count() > 0, feels, "{method} at {place} with {velocity}");
            felt += u32::from(feels);
        }
        assert!((50..1950).contains(&felt), "{method}: felt {felt} times");
    }
}

#[test]
fn behaviours_with_the_same_radius_share_a_dashed_circle() {
    let text = "[species.a]\ncount = 1\n[species.a.separation]\nradius = 25\n\
                [species.a.alignment]\nradius = 50\n[species.a.cohesion]\nradius = 50\n\
                [species.a.seek]\nweight = 0\n";
    let scene = scene(text);
    let legend = legend(&scene.species[0]);
    let kinds: Vec<Kind> = legend.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [Kind::Separation, Kind::Alignment, Kind::Cohesion], "seek has no weight");
    let shapes = first_of(&scene, &flock(&[([100.0, 100.0], [1.0, 0.0])]));
    let dashed: Vec<([u8; 3], Dashes)> = shapes
        .iter()
        .filter_map(|shape| match shape.shape {
            Shape::Dashes(dashes) => Some((shape.colour, dashes)),
            _ => None,
        })
        .collect();
    let colours: Vec<[u8; 3]> = dashed.iter().map(|(colour, _)| *colour).collect();
    assert_eq!(colours, legend.iter().map(|(_, colour)| *colour).collect::<Vec<_>>());
    let places = dashed.iter().map(|(_, d)| (d.radius, d.turn, d.of)).collect::<Vec<_>>();
    assert_eq!(places, [(25.0, 0, 1), (50.0, 0, 2), (50.0, 1, 2)]);
    // The dashes go around the whole circle and do not overlap.
    let chunks = |index: usize| dashed[index].1.dashes(80.0).collect::<Vec<_>>();
    let mut all = [chunks(1), chunks(2)].concat();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(all.len(), 50);
    assert!(all.windows(2).all(|pair| pair[0].1 < pair[1].0 && pair[1].0 - pair[0].1 < 0.06));
    // The agent's own ring is whole.
    assert_eq!(shapes.iter().filter(|shape| matches!(shape.shape, Shape::Ring { .. })).count(), 1);
    assert_eq!(shapes_of_all(&scene, &scene.scenery(), &[], &flock(&[]), &[0]), []);
}

#[test]
fn only_behaviours_with_the_same_goal_share_a_colour() {
    for (index, one) in Kind::ALL.into_iter().enumerate() {
        for other in Kind::ALL.into_iter().skip(index + 1) {
            let pair = [one.info().key, other.info().key];
            let alike = ["seek", "arrive"] == pair || ["evade", "flee"] == pair;
            assert_eq!(colour(one) == colour(other), alike, "{pair:?}");
        }
    }
    assert_eq!(colour(Kind::Alignment), [0x56, 0xB4, 0xE9]);
    assert_eq!(colour(Kind::Cohesion), [0x00, 0x9E, 0x73]);
}

#[test]
fn in_space_a_field_of_view_is_a_cone_and_a_margin_a_box() {
    let text = "world = { size = [200, 100, 80], boundary = \"walls\" }\n\
                obstacles = [{ position = [60, 50, 48], radius = 6 }]\n[species.a]\ncount = 1\n\
                size = 2\nalignment = { radius = 20, fov = 120 }\ncohesion = { radius = 30 }\n\
                contain = { margin = 10 }\navoid = { method = \"box\", reach = 20 }\n";
    let scene = scene(text);
    let place = Point::new(50.0, 50.0, 40.0);
    let mut state = flock(&[([50.0, 50.0], [0.0, 0.0])]);
    let shapes_along = |state: &mut FlockState, way: Point| {
        (state.position[0], state.velocity[0]) = (place, way);
        first_of(&scene, state)
    };
    for way in [Point::Z, Point::new(1.0, 2.0, -2.0)] {
        let shapes = shapes_along(&mut state, way);
        let cones = shapes.iter().filter_map(|shape| match shape.shape {
            Shape::Cone { centre, radius, heading, angle } => {
                Some((centre, radius, heading.distance(way.normalize()) < 1e-6, angle))
            }
            _ => None,
        });
        let angle = 120.0_f32.to_radians();
        assert_eq!(cones.collect::<Vec<_>>(), [(place, 20.0, true, angle)]);
        assert!(has_sphere(&shapes, place, 20.0) && has_sphere(&shapes, place, 30.0));
        // A box of twelve edges, none of them outside.
        let edges = shapes.iter().filter(|shape| match &shape.shape {
            Shape::Line { points, .. } => {
                points.len() == 2
                    && points.iter().all(|p| {
                        p.cmpeq(Point::splat(10.0)).any() || {
                            (*p - scene.world.size + 10.0).cmpeq(Point::ZERO).any()
                        }
                    })
            }
            _ => false,
        });
        assert_eq!(edges.count(), 12);
        assert!(shapes.iter().all(|shape| !matches!(shape.shape, Shape::Sector { .. })));
    }
    // The sphere is above: an agent that climbs avoids it, one that flies level does not.
    let mut avoids = |way: Point, at: Point| {
        state.position[0] = at;
        (state.position[0], state.velocity[0]) = (at, way);
        has_sphere(&first_of(&scene, &state), Point::new(60.0, 50.0, 48.0), 8.0)
    };
    assert!(avoids(Point::Z, Point::new(59.0, 51.0, 30.0)));
    assert!(!avoids(Point::X, Point::new(50.0, 50.0, 30.0)));
}

fn has_sphere(shapes: &[StyledShape], at: Point, size: f32) -> bool {
    shapes.iter().any(|shape| match shape.shape {
        Shape::Ring { centre, radius } | Shape::Dashes(Dashes { centre, radius, .. }) => {
            centre.distance(at) < 1e-3 && (radius - size).abs() < 1e-3
        }
        _ => false,
    })
}
