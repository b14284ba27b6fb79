//! The soft shadows of obstacles on the floor.

use super::stage::Stage;
use flockwork_model::vector::Point;

/// Opacity of the middle of a shadow, of agents as well.
pub const SHADOW: f32 = 0.5;

/// A sun lower than this sine casts shadows as if it stood there, so they stay near what casts them.
const MIN_SUN: f32 = 0.2;

/// Half the width of a shadow's edge: of the radius, and of the way from the obstacle to the floor. The edge
/// is sharp where an obstacle stands on the floor.
const EDGE: f32 = 0.15;
const EDGE_ON_THE_WAY: f32 = 0.08;

/// The most cells of a shadow along each side.
const MAX_CELLS: u32 = 40;

/// A sphere before the sun.
struct Caster {
    centre: Point,
    radius: f32,
    /// To the sun; a unit vector.
    sun: Point,
}

impl Caster {
    fn new(centre: Point, radius: f32, sun: Point) -> Self {
        Self { centre, radius, sun: sun.with_z(sun.z.max(MIN_SUN)).normalize() }
    }

    /// Half the width of the edge after this way.
    fn edge(&self, way: f32) -> f32 {
        EDGE * self.radius + EDGE_ON_THE_WAY * way
    }

    /// The opacity of the shadow at a place on the floor: how near the sphere is to the way to the sun.
    fn opacity(&self, place: Point) -> f32 {
        let off = self.centre - place;
        let way = off.dot(self.sun).max(0.0);
        let (off, edge) = (off.distance(self.sun * way), self.edge(way).max(1e-20));
        let share = ((off - self.radius) / (2.0 * edge) + 0.5).clamp(0.0, 1.0);
        SHADOW * (1.0 - share * share * (3.0 - 2.0 * share))
    }

    /// The corners of a rectangle on the floor beyond which there is no shadow.
    fn reach(&self) -> [Point; 2] {
        let Self { centre, radius, sun } = *self;
        // The farthest way is `(centre.z + reach) / sun.z`.
        let reach =
            (radius + self.edge(centre.z.max(0.0) / sun.z)) / (1.0 - EDGE_ON_THE_WAY / sun.z);
        let foot = centre - sun * (centre.z.max(0.0) / sun.z);
        let wide = (sun / sun.z).powf(2.0).map(|square| reach * (1.0 + square).sqrt());
        [(foot - wide).min(centre - reach), (foot + wide).max(centre + reach)]
    }
}

impl Stage<'_> {
    /// Adds the shadow of a sphere on the floor of a world of this size.
    pub(super) fn shadow(&mut self, centre: Point, radius: f32, world: Point) {
        let caster = Caster::new(centre, radius, self.lighting.sun);
        let [low, high] = caster.reach().map(|corner| corner.clamp(Point::ZERO, world));
        if !(centre.z + radius > 0.0 && low.x < high.x && low.y < high.y) {
            return;
        }
        let depth = self.viewed((low + high).with_z(0.0) * 0.5).z;
        let pixels = radius * self.pixels_per_unit(depth);
        let cells = ((3.0 * pixels.sqrt()) as u32).clamp(8, MAX_CELLS);
        let corner = |number: u32| {
            let (column, row) = (number % (cells + 1), number / (cells + 1));
            let share = Point::new(column as f32, row as f32, 0.0) / cells as f32;
            let place = (low + (high - low) * share).with_z(0.0);
            (self.viewed(place), caster.opacity(place))
        };
        let corners: Vec<_> = (0..(cells + 1) * (cells + 1)).map(corner).collect();
        for row in 0..cells {
            for column in 0..cells {
                let first = row * (cells + 1) + column;
                let four = [first, first + 1, first + cells + 2, first + cells + 1];
                let four = four.map(|number| corners[number as usize]);
                let before = four.iter().all(|(viewed, _)| viewed.z >= self.eye.near);
                if before && four.iter().any(|(_, opacity)| *opacity > 0.0) {
                    let four = four.map(|(viewed, opacity)| {
                        self.corner(self.pixel(viewed), viewed.z, [0.0; 3], opacity)
                    });
                    self.push_quad(four, SHADOW);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shadow_lies_away_from_the_sun_and_near_its_caster() {
        let centre = Point::new(50.0, 50.0, 8.0);
        for sun in [Point::Z, Point::new(0.6, 0.0, 0.8), Point::new(-1.0, 0.0, 0.02), -Point::Y] {
            let caster = Caster::new(centre, 5.0, sun);
            let foot = centre - caster.sun * (centre.z / caster.sun.z);
            assert!((caster.opacity(foot) - SHADOW).abs() < 1e-3, "{sun}");
            assert!(foot.distance(centre) < 8.0 * 5.2, "{sun}: {foot}");
            // On the other side there is none, unless the sun stands above.
            let other = (centre * 2.0 - foot).with_z(0.0);
            assert_eq!(caster.opacity(other) > 0.0, sun == Point::Z, "{sun}");
            let [low, high] = caster.reach();
            assert!(foot.x > low.x && foot.x < high.x && foot.y > low.y && foot.y < high.y);
            let rim = |t: f32| low + (high - low) * t;
            for t in (0..=100).map(|i| i as f32 / 100.0) {
                for place in [rim(t).with_y(low.y), rim(t).with_y(high.y), rim(t).with_x(low.x)] {
                    assert_eq!(caster.opacity(place.with_z(0.0)), 0.0, "{sun} at {place}");
                }
            }
        }
        // Nothing shines from below the floor on what stands on it.
        let low = Caster::new(Point::new(50.0, 50.0, -1.0), 5.0, Point::Z);
        assert!(low.opacity(Point::new(50.0, 50.0, 0.0)) > 0.4);
        assert_eq!(low.opacity(Point::new(56.0, 50.0, 0.0)), 0.0);
    }
}
