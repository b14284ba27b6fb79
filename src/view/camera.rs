//! The part of the world that a picture shows, and its scale.

use crate::model::vector::Point;
use crate::model::world::World;

/// A view of the plane from above. Pixels count from the top left corner, y downwards; the world's
/// y axis points up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The world position in the middle of the picture.
    pub centre: Point,
    /// Pixels per world unit.
    pub pixels_per_unit: f32,
    /// Width and height of the picture in pixels.
    pub size: Point,
}

impl Camera {
    /// Fits the whole world into `width` × `height` pixels.
    #[must_use]
    pub fn fit(world: &World, width: u32, height: u32) -> Self {
        let size = Point::new(width as f32, height as f32);
        let pixels_per_unit = (size / world.size).min_element();
        Self { centre: world.size * 0.5, pixels_per_unit, size }
    }

    /// The pixel that shows a world position.
    #[must_use]
    pub fn pixel_from_world(&self, position: Point) -> Point {
        let offset = (position - self.centre) * self.pixels_per_unit;
        self.size * 0.5 + Point::new(offset.x, -offset.y)
    }

    /// The world position that a pixel shows.
    #[must_use]
    pub fn world_from_pixel(&self, pixel: Point) -> Point {
        let offset = (pixel - self.size * 0.5) / self.pixels_per_unit;
        self.centre + Point::new(offset.x, -offset.y)
    }

    /// Moves the picture with a drag of `pixels`.
    pub fn pan(&mut self, pixels: Point) {
        self.centre -= Point::new(pixels.x, -pixels.y) / self.pixels_per_unit;
    }

    /// Magnifies by `factor`; the world position under `pixel` stays in place.
    pub fn zoom_at(&mut self, pixel: Point, factor: f32) {
        let fixed = self.world_from_pixel(pixel);
        self.pixels_per_unit = (self.pixels_per_unit * factor).clamp(1e-6, 1e4);
        self.centre += fixed - self.world_from_pixel(pixel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::world::Boundary;

    fn camera() -> Camera {
        let world = World { size: Point::new(640.0, 360.0), boundary: Boundary::Wrap };
        Camera::fit(&world, 1280, 800)
    }

    #[test]
    fn the_world_fits_the_picture_and_points_up() {
        let camera = camera();
        assert_eq!(camera.pixel_from_world(Point::ZERO), Point::new(0.0, 760.0));
        assert_eq!(camera.pixel_from_world(Point::new(640.0, 360.0)), Point::new(1280.0, 40.0));
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        let mut camera = camera();
        let pixel = Point::new(100.0, 700.0);
        let before = camera.world_from_pixel(pixel);
        camera.zoom_at(pixel, 7.0);
        assert!(camera.world_from_pixel(pixel).distance(before) < 1e-3);
    }
}
