//! A frame as the mean of many pictures, each seen through another place of the pixel and of the lens.

use glam::Vec2;

use super::Camera;

/// A place from 0 to 1 for each number, evenly spread however many there are (van der Corput). Different
/// prime bases give independent places (Halton, 1960).
fn spread(mut number: u64, base: u64) -> f32 {
    let (mut place, mut share) = (0.0, 1.0);
    while number > 0 {
        share /= base as f64;
        place += share * (number % base) as f64;
        number /= base;
    }
    place as f32
}

impl Camera {
    /// The camera of one of the `count` pictures whose mean is a frame: moved within the pixel and, in space,
    /// to a place on a lens of this diameter (world units). The plane through the focus stays where it is.
    ///
    /// Axes that lean against the view do both: they move what they show by as many pixels at every depth, or
    /// by as many as it is out of focus, and no renderer needs to know.
    #[must_use]
    pub fn sample(&self, number: u64, count: u64, lens: f32) -> Self {
        // The mean of the places is the middle.
        let spread = |base| spread(number, base) + 0.5 / count.max(1) as f32;
        let shift = Vec2::new(spread(2), spread(3)) - 0.5;
        let mut camera = Self { sharp: true, ..*self };
        camera.pan(shift);
        if let Some(eye) = &mut camera.eye {
            let place = Vec2::from_angle(std::f32::consts::TAU * spread(7));
            let from_axis = place * (0.5 * lens * spread(5).sqrt());
            let focal = camera.pixels_per_unit * eye.distance;
            let lean = shift * Vec2::new(1.0, -1.0) / focal + from_axis / eye.distance;
            eye.right -= eye.back * lean.x;
            eye.up -= eye.back * lean.y;
        }
        camera
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::vector::{Point, flat};
    use flockwork_model::world::{Boundary, World};

    const COUNT: u64 = 256;

    /// How far the samples move a place; pixels.
    fn moved(camera: &Camera, place: Point, lens: f32) -> Vec<Vec2> {
        let seen = |camera: &Camera| camera.seen(place).unwrap().pixel;
        (0..COUNT).map(|i| seen(&camera.sample(i, COUNT, lens)) - seen(camera)).collect()
    }

    fn mean(moved: &[Vec2]) -> Vec2 {
        moved.iter().sum::<Vec2>() / COUNT as f32
    }

    fn cameras() -> [Camera; 3] {
        let plane = World { size: flat(640.0, 360.0), boundary: Boundary::Wrap };
        let space = World { size: Point::new(200.0, 100.0, 60.0), boundary: Boundary::Open };
        let level = Camera::fit(&plane, 1280, 800);
        let turned = Camera { turn: Vec2::from_angle(0.7), ..level };
        [level, turned, Camera::fit(&space, 640, 360)]
    }

    #[test]
    fn samples_fill_the_pixel_at_every_depth() {
        for camera in cameras() {
            let away = camera.eye.map_or(Point::Z, |eye| eye.back * eye.distance);
            for (depth, aside) in [(0.0, 0.0), (0.5, 7.0), (-2.0, -20.0), (-9.0, 31.0)] {
                let place = camera.centre + away * depth + flat(aside, 0.3 * aside);
                let moved = moved(&camera, place, 0.0);
                let most =
                    moved.iter().fold(0.0_f32, |most, way| most.max(way.abs().max_element()));
                assert!((0.49..0.52).contains(&most), "{depth}: {most}");
                assert!(mean(&moved).length() < 0.02, "{depth}: {}", mean(&moved));
                // A quarter of them in each quarter of the pixel.
                let quarter = moved.iter().filter(|way| way.cmpgt(Vec2::ZERO).all()).count();
                assert!(quarter.abs_diff(64) < 4, "{depth}: {quarter}");
            }
        }
    }

    #[test]
    fn a_place_out_of_focus_spreads_to_its_disc() {
        let camera = cameras()[2];
        let eye = camera.eye.unwrap();
        let focal = camera.pixels_per_unit * eye.distance;
        for (share, aside) in [(0.4_f32, 9.0), (0.9, -30.0), (1.0, 20.0), (1.5, 0.0), (4.0, 80.0)] {
            for lens in [3.0, 20.0] {
                let depth = eye.distance * share;
                let place = camera.centre + eye.back * (eye.distance - depth) + eye.right * aside;
                // Similar triangles: the lens seen from the place, cut by the plane in focus.
                let radius = 0.5 * lens * focal * (1.0 / eye.distance - 1.0 / depth).abs();
                let moved = moved(&camera, place, lens);
                let most = moved.iter().fold(0.0_f32, |most, way| most.max(way.length()));
                assert!((most - radius).abs() < 0.72, "{share} {lens}: {most}, wanted {radius}");
                let inner = moved.iter().filter(|way| way.length() < radius * 0.5_f32.sqrt());
                // Half of the area has half of the samples, wherever the pixel's own width does not show.
                let half = inner.count();
                assert!(radius < 8.0 || half.abs_diff(128) < 12, "{share} {lens}: {half}");
                assert!(mean(&moved).length() < 0.02 * radius + 0.05, "{share} {lens}");
            }
        }
    }
}
