//! Things in a space other than agents, as coloured triangles of the picture: what the renderers draw.
//!
//! They are projected, lit and faded here, once for both renderers. There are few of them: spheres, tubes,
//! the floor, lines.

use super::lines::DASH_STEPS;
pub use super::stage::{Corner, Solids};
use super::stage::{Sight, Stage};
use crate::shapes::scenery::obstacle_images;
use crate::shapes::{Shape, StyledShape};
use flockwork_model::scene::{Ground, Scene};
use flockwork_model::vector::Point;

/// Half the length of a cross's arms; points.
const CROSS: f32 = 7.0;

/// Lines of the floor's grid along each side.
const GRID: u32 = 10;

/// Opacity of the floor and of its grid.
const FLOOR: f32 = 0.13;
const FLOOR_LINES: f32 = 0.12;

/// How far the surface of water hides things; lengths of the world.
const SURFACE: f32 = 20.0;

impl Stage<'_> {
    fn draw(&mut self, shape: &StyledShape, by: Point) {
        let colour = shape.colour.map(|channel| f32::from(channel) / 255.0);
        let opacity = shape.opacity.clamp(0.0, 1.0);
        match &shape.shape {
            Shape::Disc { centre, radius } => self.sphere(*centre + by, *radius, colour, opacity),
            Shape::Ring { centre, radius } => {
                self.outline(*centre + by, *radius, 1, (colour, opacity));
            }
            Shape::Dashes(dashes) => {
                self.outline(dashes.centre + by, dashes.radius, DASH_STEPS, (colour, opacity));
            }
            Shape::Line { points, closed, width } => {
                let mut points: Vec<Point> = points.iter().map(|point| *point + by).collect();
                if *closed && points.len() > 2 {
                    points.push(points[0]);
                }
                let depths = points.iter().map(|point| self.viewed(*point).z);
                let wide = width * self.pixels_per_unit(depths.fold(f32::MAX, f32::min));
                if *width > 0.0 && wide > 3.0 * self.scale {
                    self.tube(&points, 0.5 * width, colour, opacity);
                } else {
                    self.line(&points, (colour, opacity));
                }
            }
            Shape::Cross { centre } => {
                let centre = *centre + by;
                let arm = CROSS * self.scale / self.pixels_per_unit(self.viewed(centre).z);
                for axis in Point::AXES {
                    self.line(&[centre - axis * arm, centre + axis * arm], (colour, opacity));
                }
            }
            Shape::Cone { centre, radius, heading, angle } => {
                self.cone(*centre + by, (*radius, *angle), *heading, (colour, opacity));
            }
            Shape::Pane { corner, sides } => self.pane(*corner + by, *sides, colour, opacity),
            // A sector belongs to a plane.
            Shape::Sector { .. } => {}
        }
    }
}

/// The triangles of shapes.
#[must_use]
pub fn of(shapes: &[StyledShape], sight: Sight<'_>) -> Solids {
    let mut stage = Stage::new(sight);
    for shape in shapes {
        shape.shape.offsets(sight.camera).into_iter().for_each(|by| stage.draw(shape, by));
    }
    stage.finish()
}

/// The floor of a scene's world with the shadows of its obstacles, where its style has one and the eye is
/// above it.
#[must_use]
pub fn floor(scene: &Scene, sight: Sight<'_>) -> Solids {
    if !shows_floor(scene, sight) {
        return Solids::default();
    }
    let mut stage = Stage::new(sight);
    let size = scene.world.size;
    let light =
        if sight.lighting.behind(0.5)[..3].iter().sum::<f32>() > 1.5 { [0.0; 3] } else { [1.0; 3] };
    let at = |column: u32, row: u32| {
        Point::new(size.x * column as f32 / GRID as f32, size.y * row as f32 / GRID as f32, 0.0)
    };
    for row in 0..GRID {
        for column in 0..GRID {
            let corners = [(0, 0), (1, 0), (1, 1), (0, 1)];
            let viewed = corners.map(|(x, y)| (stage.viewed(at(column + x, row + y)), light));
            stage.add_quad(viewed, FLOOR);
        }
    }
    for line in 0..=GRID {
        stage.line(&[at(line, 0), at(line, GRID)], (light, FLOOR_LINES));
        stage.line(&[at(0, line), at(GRID, line)], (light, FLOOR_LINES));
    }
    let mut floor = stage.finish();
    let mut stage = Stage::new(sight);
    for (centre, radius) in obstacle_images(scene, sight.camera) {
        stage.shadow(sight.camera.image(centre), radius, size);
    }
    floor.translucent.extend(stage.finish().translucent);
    floor
}

/// The surface of water as far as a thing below it might be seen, to hide that.
#[must_use]
pub fn surface(scene: &Scene, sight: Sight<'_>) -> Solids {
    let mut stage = Stage::new(sight);
    let (size, middle) = (scene.world.size.max_element(), scene.world.size * 0.5);
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| {
        let place = (middle + Point::new(x, y, 0.0) * (SURFACE * size)).with_z(0.0);
        (stage.viewed(place), [0.0; 3])
    });
    stage.add_quad(corners, 1.0);
    stage.finish()
}

/// True if a picture shows the floor.
#[must_use]
pub fn shows_floor(scene: &Scene, Sight { camera, eye, .. }: Sight<'_>) -> bool {
    scene.style.ground != Ground::None && camera.centre.z + eye.place().z > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::space::lighting::Lighting;
    use glam::Vec2;

    fn drawn(shape: Shape, opacity: f32, camera: &Camera) -> Solids {
        let scene = Scene::parse("test", "world = { size = [90, 60, 30] }\n[species.a]\n");
        let eye = camera.eye.unwrap();
        let lighting = Lighting::of(&scene.unwrap(), camera, &eye, false);
        let sight = Sight { camera, eye: &eye, lighting: &lighting, scale: 1.0 };
        of(&[StyledShape { shape, colour: [200; 3], opacity }], sight)
    }

    fn camera(keys: &str) -> Camera {
        let text = format!("world = {{ size = [90, 60, 30] }}\n[species.a]\n[camera]\n{keys}\n");
        Camera::of(&Scene::parse("test", &text).unwrap(), 0, None, (640, 360))
    }

    /// The area of the triangles in pixels.
    fn area(corners: &[Corner]) -> f32 {
        let place = |corner: &Corner| Vec2::new(corner.position[0], corner.position[1]);
        let triangles = corners.chunks_exact(3).map(|three| {
            let [a, b, c] = [0, 1, 2].map(|i| place(&three[i]));
            (b - a).perp_dot(c - a).abs() / 2.0
        });
        triangles.sum()
    }

    #[test]
    fn a_sphere_covers_its_circle_and_its_outline_surrounds_it() {
        let camera = camera("");
        let centre = camera.centre + Point::new(7.0, -3.0, 4.0);
        let sphere = drawn(Shape::Disc { centre, radius: 9.0 }, 1.0, &camera);
        assert!(sphere.translucent.is_empty());
        let eye = camera.eye.unwrap();
        let far = (camera.centre + eye.place()).distance(centre);
        let seen = camera.seen(centre).unwrap();
        // The circle where the view touches the sphere.
        let radius = 9.0 * seen.pixels_per_unit / (1.0 - (9.0 / far).powi(2)).sqrt();
        let wanted = std::f32::consts::PI * radius * radius;
        let found = area(&sphere.opaque);
        assert!((found / wanted - 1.0).abs() < 0.04, "{found} for {wanted}");
        let ring = drawn(Shape::Ring { centre, radius: 9.0 }, 0.5, &camera);
        assert!(ring.opaque.is_empty());
        let off = ring.translucent.iter().map(|corner| {
            let pixel = Vec2::new(corner.position[0], corner.position[1]);
            (pixel.distance(seen.pixel) / radius - 1.0).abs()
        });
        assert!(off.fold(0.0, f32::max) < 0.06);
    }

    #[test]
    fn every_shape_is_finite_from_everywhere() {
        let far = Point::splat(1e7);
        for keys in ["", "elevation = 90", "elevation = -90\nzoom = 1e4", "centre = [0, 0, 0]"] {
            let camera = camera(keys);
            let inside = camera.centre + camera.eye.unwrap().place();
            for centre in [camera.centre, inside, far, Point::splat(f32::NAN)] {
                for radius in [0.0, 1e-3, 10.0, 1e9] {
                    let points = vec![centre, camera.centre, inside, inside, far];
                    for shape in [
                        Shape::Disc { centre, radius },
                        Shape::Ring { centre, radius },
                        Shape::Cross { centre },
                        Shape::Dashes(crate::shapes::Dashes::round(centre, radius)),
                        Shape::Line { points: points.clone(), closed: true, width: radius },
                        Shape::Cone { centre, radius, heading: Point::Z, angle: 4.0 },
                        Shape::Pane { corner: centre, sides: [Point::X * radius, Point::Y] },
                    ] {
                        for opacity in [0.3, 1.0] {
                            let Solids { opaque, translucent } =
                                drawn(shape.clone(), opacity, &camera);
                            let all = opaque.iter().chain(&translucent);
                            for corner in all {
                                let numbers = corner.position.iter().chain(&corner.colour);
                                assert!(numbers.into_iter().all(|n| n.is_finite()), "{shape:?}");
                                assert!(corner.position[2] <= 1.0001, "{shape:?} {corner:?}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn glass_mirrors_more_the_flatter_it_is_seen() {
        let camera = camera("elevation = 0\nazimuth = 0");
        let eye = camera.eye.unwrap();
        let opacity = |sides: [Point; 2]| {
            let corner = camera.centre - (sides[0] + sides[1]) * 0.5;
            let glass = drawn(Shape::Pane { corner, sides }, 1.0, &camera);
            assert!(glass.opaque.is_empty() && !glass.translucent.is_empty());
            let all = glass.translucent.iter().map(|corner| corner.colour[3]);
            all.sum::<f32>() / glass.translucent.len() as f32
        };
        let (right, up) = (eye.right, eye.up);
        // Fog takes the same part of both.
        let straight = opacity([right, up]);
        assert!((0.02..0.04).contains(&straight), "{straight} of all light, straight ahead");
        // Schlick's approximation at 60 degrees: 0.04 + 0.96 / 32.
        let (sine, cosine) = 60.0_f32.to_radians().sin_cos();
        let aslant = opacity([right * cosine + eye.back * sine, up]);
        let more = aslant / straight;
        assert!((more - 0.07 / 0.04).abs() < 0.05, "{more} times as much at 60 degrees");
    }

    #[test]
    fn what_lets_light_through_comes_from_far_to_near() {
        let camera = camera("");
        let tube = Shape::Line {
            points: vec![Point::ZERO, camera.centre, Point::new(90.0, 60.0, 30.0)],
            closed: false,
            width: 6.0,
        };
        let solids = drawn(tube, 0.2, &camera);
        assert!(solids.translucent.len() > 60);
        let sums = solids
            .translucent
            .chunks_exact(3)
            .map(|three| three.iter().map(|corner| corner.position[2]).sum::<f32>());
        let sums: Vec<f32> = sums.collect();
        assert!(sums.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}
