//! Collects the triangles of a picture of a space: projects, fades and cuts them.

use bytemuck::{Pod, Zeroable};
use glam::Vec2;

use super::lighting::Lighting;
use crate::camera::{Camera, Eye};
use flockwork_model::vector::Point;

/// A shape at least as opaque as this hides what is behind it.
const OPAQUE: f32 = 0.99;

/// A corner of a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Corner {
    /// Column and row in pixels, and the nearness: the depth of the eye's near plane divided by its own.
    pub position: [f32; 3],
    /// Premultiplied.
    pub colour: [f32; 4],
}

/// Triangles of a picture; three corners each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solids {
    /// In any order, for a depth test.
    pub opaque: Vec<Corner>,
    /// From far to near.
    pub translucent: Vec<Corner>,
}

/// A place as the eye sees it: to the right, up, and the depth; world units.
pub type Viewed = Point;

/// How a picture of a space is seen.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'a> {
    /// The camera.
    pub camera: &'a Camera,
    /// Its eye.
    pub eye: &'a Eye,
    /// The light on things.
    pub lighting: &'a Lighting,
    /// Pixels per point.
    pub scale: f32,
}

/// Collects the triangles of a picture.
pub struct Stage<'a> {
    pub camera: &'a Camera,
    pub eye: &'a Eye,
    pub lighting: &'a Lighting,
    /// Pixels per point, at least 1.
    pub scale: f32,
    opaque: Vec<Corner>,
    translucent: Vec<[Corner; 3]>,
}

impl<'a> Stage<'a> {
    pub fn new(Sight { camera, eye, lighting, scale }: Sight<'a>) -> Self {
        let (opaque, translucent) = (Vec::new(), Vec::new());
        Self { camera, eye, lighting, scale: scale.max(1.0), opaque, translucent }
    }

    pub fn viewed(&self, place: Point) -> Viewed {
        let offset = place - self.camera.centre;
        Point::new(self.eye.right.dot(offset), self.eye.up.dot(offset), self.eye.depth(offset))
    }

    /// Pixels per world unit at a depth.
    pub fn pixels_per_unit(&self, depth: f32) -> f32 {
        self.camera.pixels_per_unit * (self.eye.distance / depth.max(self.eye.near))
    }

    /// The pixel that shows a place before the near plane.
    pub fn pixel(&self, viewed: Viewed) -> Vec2 {
        self.camera.size * 0.5 + Vec2::new(viewed.x, -viewed.y) * self.pixels_per_unit(viewed.z)
    }

    /// The corner of a thing of this colour and opacity.
    pub fn corner(&self, pixel: Vec2, depth: f32, colour: [f32; 3], opacity: f32) -> Corner {
        let (place, seen) = (pixel.y / self.camera.size.y, self.lighting.visibility(depth));
        // A translucent surface lets the background through, too.
        let colour = if opacity >= OPAQUE {
            self.lighting.faded(colour, seen, place)
        } else {
            let share = opacity * seen;
            let [r, g, b] = colour.map(|channel| channel.min(1.0) * share);
            [r, g, b, share]
        };
        Corner { position: [pixel.x, pixel.y, self.eye.near / depth], colour }
    }

    /// Adds a triangle, as far as it is before the eye.
    pub fn add(&mut self, corners: [(Viewed, [f32; 3]); 3], opacity: f32) {
        let near = self.eye.near;
        if corners.iter().all(|(viewed, _)| viewed.z >= near) {
            let made =
                corners.map(|(viewed, c)| self.corner(self.pixel(viewed), viewed.z, c, opacity));
            self.push(made, opacity);
            return;
        }
        // The part before the near plane: nothing, a triangle, or two.
        let mut kept: Vec<Corner> = Vec::with_capacity(4);
        for number in 0..3 {
            let ((from, colour), (to, other)) = (corners[number], corners[(number + 1) % 3]);
            if from.z >= near {
                kept.push(self.corner(self.pixel(from), from.z, colour, opacity));
            }
            if (from.z >= near) != (to.z >= near) {
                let share = (near - from.z) / (to.z - from.z);
                let mut cut = from + (to - from) * share;
                cut.z = near;
                let colour = std::array::from_fn(|i| colour[i] + (other[i] - colour[i]) * share);
                kept.push(self.corner(self.pixel(cut), near, colour, opacity));
            }
        }
        for last in 2..kept.len() {
            self.push([kept[0], kept[last - 1], kept[last]], opacity);
        }
    }

    /// Adds two triangles with these corners, which go round their outline.
    pub fn add_quad(&mut self, [a, b, c, d]: [(Viewed, [f32; 3]); 4], opacity: f32) {
        self.add([a, b, c], opacity);
        self.add([a, c, d], opacity);
    }

    pub fn push_quad(&mut self, [a, b, c, d]: [Corner; 4], opacity: f32) {
        self.push([a, b, c], opacity);
        self.push([a, c, d], opacity);
    }

    pub fn push(&mut self, corners: [Corner; 3], opacity: f32) {
        let finite = |corner: &Corner| corner.position.iter().all(|number| number.is_finite());
        if !corners.iter().all(finite) || !self.is_in_picture(&corners) {
            return;
        }
        if opacity >= OPAQUE {
            self.opaque.extend(corners);
        } else if opacity > 0.0 {
            self.translucent.push(corners);
        }
    }

    fn is_in_picture(&self, corners: &[Corner; 3]) -> bool {
        let reach = |axis: usize, end: f32| {
            corners.iter().any(|corner| corner.position[axis] > 0.0)
                && corners.iter().any(|corner| corner.position[axis] < end)
        };
        reach(0, self.camera.size.x) && reach(1, self.camera.size.y)
    }

    pub fn finish(mut self) -> Solids {
        let nearness = |corners: &[Corner; 3]| corners.iter().map(|c| c.position[2]).sum::<f32>();
        self.translucent.sort_by(|a, b| nearness(a).total_cmp(&nearness(b)));
        Solids { opaque: self.opaque, translucent: self.translucent.concat() }
    }
}
