//! The centre of mass of a flock.

use std::f64::consts::TAU;

use flockwork_model::parallel::each;

use flockwork_model::vector::Point;
use flockwork_model::world::{Boundary, World};

/// Agents that one thread adds up at a time.
const PART: usize = 1 << 12;

/// The centre of mass of `count` places; in a wrapped world a circular mean on each axis, because the
/// mean of two places on both sides of the seam is not in the middle of the world. `None` without
/// agents.
pub fn centre_of_mass(
    world: &World,
    count: usize,
    place: impl Fn(usize) -> Point + Sync,
) -> Option<Point> {
    let (wraps, axes) = (world.boundary == Boundary::Wrap, world.axes());
    // The number of places, and on each axis a sum, or the sums of sines and cosines.
    let sums_of = |part: usize| {
        let mut sums = [0.0_f64; 7];
        let rows = part * PART..((part + 1) * PART).min(count);
        for place in rows.map(&place).filter(|place| place.is_finite()) {
            sums[0] += 1.0;
            for axis in 0..axes {
                let (at, size) = (place[axis], world.size[axis]);
                let (sine, cosine) = match wraps {
                    true => (TAU * f64::from(at / size)).sin_cos(),
                    false => (f64::from(at), 0.0),
                };
                sums[1 + 2 * axis] += sine;
                sums[2 + 2 * axis] += cosine;
            }
        }
        sums
    };
    // Parts of one size, added up in order: the same on any number of threads.
    let parts: Vec<_> = each(count.div_ceil(PART), &sums_of);
    let [known, sums @ ..] = parts.iter().fold([0.0; 7], |mut all, part| {
        all.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        all
    });
    let along = |size: f32, sine: f64, cosine: f64| match wraps {
        true => (sine.atan2(cosine).rem_euclid(TAU) / TAU) as f32 * size,
        false => (sine / known) as f32,
    };
    let mut centre = Point::ZERO;
    for axis in 0..axes {
        centre[axis] = along(world.size[axis], sums[2 * axis], sums[2 * axis + 1]);
    }
    (known > 0.0).then_some(centre)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use flockwork_model::vector::flat;

    #[test]
    fn the_centre_of_mass_crosses_the_seam() {
        let wrapped = World { size: flat(100.0, 50.0), boundary: Boundary::Wrap };
        let places = [flat(98.0, 10.0), flat(4.0, 20.0)];
        let centre = centre_of_mass(&wrapped, 2, |row| places[row]).unwrap();
        assert!(centre.distance(flat(1.0, 15.0)) < 1e-3, "{centre}");
        let walls = World { boundary: Boundary::Walls, ..wrapped };
        let centre = centre_of_mass(&walls, 2, |row| places[row]).unwrap();
        assert!(centre.distance(flat(51.0, 15.0)) < 1e-3, "{centre}");
        assert_eq!(centre_of_mass(&wrapped, 0, |row| places[row]), None);
        let camera = Camera { centre, period: wrapped.size, ..Camera::fit(&wrapped, 10, 10) };
        let camera = Camera { centre: flat(1.0, 15.0), ..camera };
        assert_eq!(camera.image(places[0]), flat(-2.0, 10.0));
        // In space on each axis.
        let wrapped = World { size: Point::new(100.0, 50.0, 20.0), boundary: Boundary::Wrap };
        let places = [Point::new(98.0, 10.0, 19.0), Point::new(4.0, 20.0, 3.0)];
        let centre = centre_of_mass(&wrapped, 2, |row| places[row]).unwrap();
        assert!(centre.distance(Point::new(1.0, 15.0, 1.0)) < 1e-3, "{centre}");
        let camera = Camera { centre, period: wrapped.size, ..Camera::fit(&wrapped, 10, 10) };
        assert!(camera.image(places[0]).distance(Point::new(-2.0, 10.0, -1.0)) < 1e-3);
    }
}
