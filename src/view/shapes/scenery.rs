//! The scenery of a world as shapes: walls, flow field, paths, obstacles and targets.
//!
//! The colours are quiet, so that the flock stays the brightest thing in the picture.

use crate::camera::Camera;
use crate::shapes::walls::wall_shapes;
use crate::shapes::{Shape, StyledShape, offsets_into, perpendicular};
use flockwork_model::behaviours::Target;
use flockwork_model::parameter::NEAREST_PATH;
use flockwork_model::scene::{POINTER, Rule, Scene};
use flockwork_model::scenery::{FlowField, FlowPlan, Obstacle, Path};
use flockwork_model::vector::Point;
use flockwork_model::world::{Boundary, World};

/// The most strokes that show a flow field. In a larger field only every n-th cell has one.
const MAX_STROKES: usize = 2000;

/// Length of a stroke, as a share of the distance between strokes.
const STROKE: f32 = 0.55;

/// Length of the barbs at its head, both along and across the stroke, as a share of half the
/// stroke.
const BARB: f32 = 0.45;

const FLOW: ([u8; 3], f32) = ([84, 112, 146], 0.5);
const BAND: ([u8; 3], f32) = ([72, 104, 150], 0.2);
const MIDDLE: ([u8; 3], f32) = ([104, 142, 190], 0.5);
const OBSTACLE: ([u8; 3], f32) = ([40, 47, 60], 1.0);
/// Lit, it is as dark on one side.
const OBSTACLE_IN_SPACE: ([u8; 3], f32) = ([104, 118, 142], 1.0);
const RIM: ([u8; 3], f32) = ([96, 110, 132], 0.9);
const TARGET: ([u8; 3], f32) = ([236, 196, 108], 0.85);

/// All scenery of a scene, with its targets at their current positions, in drawing order. In a
/// wrapped world a shape on the seam appears once on each side, unless `camera` shows the world beyond its
/// edges.
pub fn shapes(scene: &Scene, targets: &[Target], camera: &Camera) -> Vec<StyledShape> {
    let mut scenery = SceneryShapes::default();
    scenery.update(scene, camera);
    scenery.shapes.extend(target_shapes(scene, targets, camera));
    scenery.shapes
}

/// The shapes that do not move, cached: a large flow field takes a while to compute.
#[derive(Clone, Debug, Default)]
pub struct SceneryShapes {
    of: Option<SceneryInputs>,
    shapes: Vec<StyledShape>,
}

/// The inputs of the shapes.
#[derive(Clone, Debug, PartialEq)]
struct SceneryInputs {
    world: World,
    seed: u32,
    obstacles: Vec<Obstacle>,
    paths: Vec<Path>,
    /// The distance that followers keep from each path; world units.
    radii: Vec<f32>,
    /// `None` also if its arrows are not drawn.
    flow: Option<FlowPlan>,
    frame: bool,
    period: Point,
}

/// The flow whose arrows are drawn.
fn drawn_flow(scene: &Scene) -> Option<&FlowPlan> {
    scene.followed_flow().filter(|_| scene.style.arrows)
}

impl SceneryInputs {
    fn are_of(&self, scene: &Scene, camera: &Camera) -> bool {
        let Self { world, seed, obstacles, paths, radii, flow, frame, period } = self;
        (*world, *seed, *frame)
            == (scene.world, scene.seed, scene.style.shows_frame(scene.world.is_flat()))
            && *obstacles == scene.obstacles
            && *paths == scene.paths
            && *radii == self::radii(scene)
            && flow.as_ref() == drawn_flow(scene)
            && *period == camera.period
    }
}

impl SceneryShapes {
    /// The shapes in drawing order.
    pub fn shapes(&self) -> &[StyledShape] {
        &self.shapes
    }

    /// Rebuilds the shapes for `scene` if necessary. True if they have changed.
    pub fn update(&mut self, scene: &Scene, camera: &Camera) -> bool {
        if self.of.as_ref().is_some_and(|sources| sources.are_of(scene, camera)) {
            return false;
        }
        let sources = SceneryInputs {
            world: scene.world,
            seed: scene.seed,
            obstacles: scene.obstacles.clone(),
            paths: scene.paths.clone(),
            radii: radii(scene),
            flow: drawn_flow(scene).cloned(),
            frame: scene.style.shows_frame(scene.world.is_flat()),
            period: camera.period,
        };
        self.shapes.clear();
        if scene.style.arrows {
            self.shapes.extend(flow_shapes(scene));
        }
        if scene.style.shows_frame(scene.world.is_flat()) {
            self.shapes.extend(wall_shapes(&scene.world));
        }
        self.shapes.extend(path_shapes(scene, camera, &sources.radii));
        self.shapes.extend(obstacle_shapes(scene, camera));
        self.of = Some(sources);
        true
    }
}

/// The active targets except the pointer, which the mouse cursor shows.
pub fn target_shapes(scene: &Scene, targets: &[Target], camera: &Camera) -> Vec<StyledShape> {
    let mut shapes = Vec::new();
    for target in targets.iter().filter(|target| target.active && target.name != POINTER) {
        let (centre, radius) = (target.position, target.hit_radius);
        let images = images(&scene.world, camera, centre, centre, radius);
        for centre in images.into_iter().map(|by| centre + by) {
            shapes.push(StyledShape::new(Shape::Cross { centre }, TARGET));
            if radius > 0.0 {
                shapes.push(StyledShape::new(Shape::Ring { centre, radius }, TARGET));
            }
        }
    }
    shapes
}

/// Centre and radius of each obstacle. In a wrapped world, one on the seam is on both sides.
pub fn obstacle_images(scene: &Scene, camera: &Camera) -> impl Iterator<Item = (Point, f32)> {
    scene.obstacles.iter().flat_map(|Obstacle { position, radius, .. }| {
        let images = images(&scene.world, camera, *position, *position, *radius);
        images.into_iter().map(|by| (*position + by, *radius))
    })
}

fn obstacle_shapes(scene: &Scene, camera: &Camera) -> Vec<StyledShape> {
    let paint = if scene.world.is_flat() { OBSTACLE } else { OBSTACLE_IN_SPACE };
    let of = |(centre, radius)| {
        [
            StyledShape::new(Shape::Disc { centre, radius }, paint),
            StyledShape::new(Shape::Ring { centre, radius }, RIM),
        ]
    };
    obstacle_images(scene, camera).flat_map(of).collect()
}

/// The band and the middle line of each path. `radii` comes from [`radii`].
fn path_shapes(scene: &Scene, camera: &Camera, radii: &[f32]) -> Vec<StyledShape> {
    let mut shapes = Vec::new();
    for (path, radius) in scene.paths.iter().zip(radii).filter(|(path, _)| path.shown) {
        let low = path.points.iter().copied().reduce(Point::min).unwrap_or_default();
        let high = path.points.iter().copied().reduce(Point::max).unwrap_or_default();
        let images = images(&scene.world, camera, low, high, *radius);
        let mut draw = |width, style| {
            shapes.extend(images.iter().map(|by| {
                let points = path.points.iter().map(|point| *point + *by).collect();
                StyledShape::new(Shape::Line { points, closed: path.closed, width }, style)
            }));
        };
        // The bands follow one another, so that they are one area.
        if *radius > 0.0 {
            draw(2.0 * radius, BAND);
        }
        draw(0.0, MIDDLE);
    }
    shapes
}

/// For each path the largest distance that a species keeps from it; 0 if no species follows it.
fn radii(scene: &Scene) -> Vec<f32> {
    let value = |rule: &Rule, key| rule.kind.parameter(key).map_or(0.0, |slot| rule.values[slot]);
    let rules = scene.species.iter().flat_map(|species| &species.rules);
    let rules: Vec<(f32, f32)> = rules
        .filter(|rule| rule.kind.info().needs.paths_within.is_some())
        .map(|rule| (value(rule, "path"), value(rule, "radius")))
        .collect();
    let radius = |index: usize| {
        let follows = |choice: f32| choice == NEAREST_PATH || choice == index as f32;
        rules.iter().filter(|(choice, _)| follows(*choice)).map(|(_, r)| *r).fold(0.0, f32::max)
    };
    (0..scene.paths.len()).map(radius).collect()
}

/// One stroke along the field in every n-th cell; none if the field is zero there.
fn flow_shapes(scene: &Scene) -> Vec<StyledShape> {
    let FlowField { index, vectors } = scene.flow_field();
    let step = (1..).find(|step| {
        let strokes = index.cells_along.map(|cells| cells.div_ceil(*step) as usize);
        strokes.iter().product::<usize>() <= MAX_STROKES
    });
    let step = step.unwrap_or(1);
    // In or near the middle of the cells that the stroke represents.
    let picked = |cell: &[u32; 3]| {
        let axes = cell.iter().zip(index.cells_along);
        axes.into_iter().all(|(index, cells)| cells == 1 || index % step == step / 2)
    };
    let cell = index.cell_size();
    let side =
        if scene.world.is_flat() { cell.truncate().min_element() } else { cell.min_element() };
    let half = side * step as f32 * STROKE / 2.0;
    let mut shapes = Vec::new();
    for cell in index.each_cell().filter(picked) {
        let way = vectors.get(index.number(cell)).and_then(|way| way.try_normalize());
        let Some(way) = way else { continue };
        let (middle, along) = (index.middle(cell), way * half);
        let head = middle + along;
        let barb = |side: f32| head + (perpendicular(along) * side - along) * BARB;
        let points = vec![middle - along, head, barb(1.0), head, barb(-1.0)];
        shapes.push(StyledShape::new(Shape::Line { points, closed: false, width: 0.0 }, FLOW));
    }
    shapes
}

/// The offsets that bring every part within `margin` of the places between `low` and `high` into the
/// world: first no offset, then one for each seam that is crossed. A camera that shows the world beyond its
/// edges has its own.
fn images(world: &World, camera: &Camera, low: Point, high: Point, margin: f32) -> Vec<Point> {
    let wraps = world.boundary == Boundary::Wrap && camera.period == Point::ZERO;
    let all = offsets_into(world.size, low - margin, high + margin);
    let others = all.filter(|by| wraps && *by != Point::ZERO);
    std::iter::once(Point::ZERO).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::shape_raster;
    use crate::frame::Frame;
    use crate::shapes::walls::seam_shapes;
    use crate::style::BACKGROUND;
    use flockwork_model::vector::flat;

    fn scene(boundary: &str, rest: &str) -> Scene {
        let text = format!(
            "world = {{ size = [400, 200], boundary = \"{boundary}\" }}\n[species.a]\n{rest}"
        );
        Scene::parse("test", &text).unwrap()
    }

    fn shapes(scene: &Scene, targets: &[Target]) -> Vec<StyledShape> {
        super::shapes(scene, targets, &Camera::fit(&scene.world, 640, 640))
    }

    fn centres(shapes: &[StyledShape]) -> Vec<Point> {
        let centre = |shape: &StyledShape| match shape.shape {
            Shape::Disc { centre, .. } => Some(centre),
            _ => None,
        };
        shapes.iter().filter_map(centre).collect()
    }

    #[test]
    fn an_empty_world_has_no_shapes() {
        let scene = scene("wrap", "");
        assert_eq!(shapes(&scene, &scene.targets), []);
        let fixed = [Target::fixed(POINTER, Point::ONE)];
        assert_eq!(shapes(&scene, &fixed), [], "the hand shows the pointer");
        let mut hidden = Target::fixed("t", Point::ONE);
        hidden.active = false;
        assert_eq!(shapes(&scene, &[hidden]), []);
        assert_eq!(shapes(&scene, &[Target::fixed("t", Point::ONE)]).len(), 1);
    }

    #[test]
    fn an_obstacle_on_the_seam_has_an_image_on_each_side() {
        for (boundary, images) in [("wrap", 4), ("walls", 1), ("open", 1)] {
            let mut scene = scene(boundary, "");
            scene.obstacles = vec![
                Obstacle::new(flat(390.0, 5.0), 20.0),
                Obstacle::new(flat(200.0, 100.0), 20.0),
            ];
            let centres = centres(&shapes(&scene, &[]));
            assert_eq!(centres.len(), images + 1, "{boundary}");
            assert_eq!(centres[0], flat(390.0, 5.0));
            let wrapped = |p: &Point| p.truncate().rem_euclid(scene.world.size.truncate());
            let first = centres[0].truncate();
            assert!(centres[..images].iter().all(|p| wrapped(p) == first), "{centres:?}");
        }
    }

    #[test]
    fn a_path_is_as_wide_as_the_largest_radius_of_its_followers() {
        let paths = "[[paths]]\nname = \"p\"\npoints = [[50, 50], [350, 150]]\n\
                     [[paths]]\nname = \"q\"\npoints = [[50, 150], [350, 50]]";
        let rules = "[species.a.follow_path]\nradius = 10\n\
                     [species.b.follow_path]\npath = \"q\"\nradius = 30";
        let scene = scene("walls", &format!("{rules}\n{paths}"));
        let widths: Vec<f32> = shapes(&scene, &[])
            .iter()
            .filter_map(|shape| match &shape.shape {
                Shape::Line { points, width, .. } if points.len() == 2 => Some(*width),
                _ => None,
            })
            .collect();
        assert_eq!(widths, [20.0, 0.0, 60.0, 0.0]);
    }

    #[test]
    fn a_path_goes_on_beyond_the_edges_of_a_world_that_is_followed() {
        let rules = "[species.a.follow_path]\nradius = 10\n[[paths]]\n";
        let scene = scene("wrap", &format!("{rules}points = [[0, 100], [400, 100]]"));
        let fit = Camera::fit(&scene.world, 400, 200);
        let camera = Camera { centre: flat(250.0, 100.0), period: scene.world.size, ..fit };
        let mut frame = Frame::filled(400, 200, BACKGROUND);
        let shapes = super::shapes(&scene, &[], &camera);
        shape_raster::draw(&shapes, &camera, 1.0, &mut frame);
        let row: Vec<_> = (0..400).map(|x| frame.rgb(x, 100).unwrap()).collect();
        assert!(row[0] != BACKGROUND && row.iter().all(|colour| *colour == row[0]), "{row:?}");
    }

    #[test]
    fn a_hidden_path_has_no_shapes() {
        let path = |shown| format!("[[paths]]\npoints = [[50, 50], [350, 150]]\nshown = {shown}");
        let count = |shown| shapes(&scene("open", &path(shown)), &[]).len();
        assert_eq!((count("true"), count("false")), (1, 0));
    }

    #[test]
    fn a_flow_field_is_shown_by_few_strokes_along_it() {
        let rules = "[species.a.follow_flow]\n[flow]\nkind = \"vortex\"\ncell = 1";
        let scene = scene("open", rules);
        let shapes = shapes(&scene, &[]);
        assert!((500..=MAX_STROKES).contains(&shapes.len()), "{}", shapes.len());
        let middle = scene.world.size * 0.5;
        for shape in &shapes {
            let Shape::Line { points, .. } = &shape.shape else { panic!("{shape:?}") };
            let way = points[1] - points[0];
            // Two barbs, mirror images of each other.
            let [left, right] = [points[2], points[4]].map(|end| end - points[1]);
            assert!(points.len() == 5 && points[3] == points[1]);
            assert!(left.dot(way) < 0.0 && (left.dot(way) - right.dot(way)).abs() < 1e-3);
            let across = perpendicular(way);
            assert!((left.dot(across) + right.dot(across)).abs() < 1e-3);
            let from_middle = (points[0] + points[1]) * 0.5 - middle;
            let along = perpendicular(from_middle).normalize();
            assert!(way.normalize().dot(along) > 0.99, "{points:?}");
        }
    }

    #[test]
    fn a_wrapped_world_shows_its_edge_inside_the_picture() {
        let sides = |boundary: &str, width: u32, height: u32, zoom: f32| {
            let scene = scene(boundary, "");
            let camera = Camera::fit(&scene.world, width, height);
            let camera = Camera { pixels_per_unit: camera.pixels_per_unit * zoom, ..camera };
            let lines = seam_shapes(&scene, &camera).into_iter().map(|shape| match shape.shape {
                Shape::Line { points, .. } => (points[1] - points[0]).truncate().abs().to_array(),
                shape => panic!("{shape:?}"),
            });
            lines.collect::<Vec<_>>()
        };
        let (along, up) = ([400.0, 0.0], [0.0, 200.0]);
        assert_eq!(sides("wrap", 800, 400, 1.0), [[0.0; 2]; 0], "it fills the picture");
        assert_eq!(sides("wrap", 800, 500, 1.0), [along, along]);
        assert_eq!(sides("wrap", 900, 400, 1.0), [up, up]);
        assert_eq!(sides("wrap", 800, 400, 0.5), [along, up, along, up]);
        assert_eq!(sides("wrap", 800, 400, 2.0), [[0.0; 2]; 0]);
        assert_eq!(sides("open", 800, 400, 0.5), [[0.0; 2]; 0], "it has no end");
        assert_eq!(sides("walls", 800, 400, 0.5), [[0.0; 2]; 0], "its walls are there anyway");
    }

    #[test]
    fn cached_shapes_are_rebuilt_when_the_scene_changes() {
        let mut scene = scene("walls", "");
        let (mut scenery, camera) = (SceneryShapes::default(), Camera::fit(&scene.world, 640, 640));
        assert!(scenery.update(&scene, &camera));
        assert!(!scenery.update(&scene, &camera));
        scene.obstacles.push(Obstacle::new(Point::ONE, 5.0));
        assert!(scenery.update(&scene, &camera));
        assert_eq!(centres(scenery.shapes()), [Point::ONE]);
        scene.species[0].body.max_speed = 5.0;
        assert!(!scenery.update(&scene, &camera), "nothing to see has changed");
    }

    #[test]
    fn frame_and_arrows_can_be_left_out() {
        let flow = "[species.a.follow_flow]\n[flow]\nkind = \"vortex\"";
        let without = |boundary: &str, style: &str| {
            let scene = scene(boundary, &format!("{flow}\n[style]\n{style}"));
            let camera = Camera::fit(&scene.world, 640, 640);
            (shapes(&scene, &[]).len(), seam_shapes(&scene, &camera).len())
        };
        let (all, _) = without("walls", "");
        assert_eq!(without("walls", "frame = false"), (all - 1, 0));
        assert_eq!(without("walls", "arrows = false"), (1, 0));
        assert_eq!(without("wrap", "").1, 2);
        assert_eq!(without("wrap", "frame = false\narrows = false"), (0, 0));
        let mut drawn = SceneryShapes::default();
        let mut changed = scene("walls", flow);
        let camera = Camera::fit(&changed.world, 640, 640);
        assert!(drawn.update(&changed, &camera));
        changed.style.frame = Some(false);
        assert!(drawn.update(&changed, &camera) && !drawn.update(&changed, &camera));
        changed.style.arrows = false;
        assert!(drawn.update(&changed, &camera) && !drawn.update(&changed, &camera));
        assert!(drawn.shapes().is_empty());
    }

    #[test]
    fn a_place_has_no_frame_unless_its_scene_asks_for_one() {
        let edges = |style: &str| {
            let world = "world = { size = [9, 9, 9], boundary = \"walls\" }";
            let text = format!("{world}\nstyle = {{ {style} }}\n[species.a]\n");
            let scene = Scene::parse("test", &text).unwrap();
            let mut on_the_cpu = scene.clone();
            on_the_cpu.style = scene.style.without_adapter();
            let [drawn, there] = [&scene, &on_the_cpu].map(|scene| shapes(scene, &[]).len());
            assert_eq!(drawn, there, "{style}");
            drawn
        };
        let sky = "exposure = 1, sun = 10";
        // Five panes and twelve edges.
        assert_eq!([edges(""), edges("exposure = 1")], [17, 17]);
        assert_eq!([edges("ground = true"), edges(sky), edges("background = 'dusk'")], [0; 3]);
        assert_eq!([edges("ground = true, frame = true"), edges("frame = false")], [17, 0]);
        // A transparent picture has no sky.
        assert_eq!(edges(&format!("{sky}, background = \"none\"")), 17);
    }
}
