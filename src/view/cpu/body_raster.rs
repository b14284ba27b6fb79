//! The agents of a space as triangles, for [`super::samples`]: the CPU twin of
//! `shaders/draw_bodies.wgsl`.

use glam::Vec2;

use super::samples::{Fill, Triangle, around};
use crate::camera::Seen;
use crate::space::body::{self, BodyGlyph};
use crate::space::shadows::SHADOW;
use crate::space::{Depth, Sight, sums_small_agents};
use crate::style::{Extent, Extents, OPACITY, Paint};
use flockwork_model::memory::Shown;
use flockwork_model::scene::{BoidShape, Scene};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// The radius of a shadow, in sizes of its agent.
pub const SHADOW_RADIUS: f32 = 0.9;

/// The looks of a species in a picture of a space.
struct Look<'a> {
    extents: Extents<'a>,
    paint: Paint,
    /// True if its agents remember how far they lean.
    leans: bool,
}

/// The agents of a picture.
pub struct Bodies<'a> {
    sight: Sight<'a>,
    looks: Vec<Look<'a>>,
    /// True if small ones are drawn elsewhere.
    sums: bool,
    state: &'a FlockState,
}

/// The triangles of one agent. Unused places are empty. Of ten sides no more than these are seen.
pub type Drawn = [Option<Triangle>; 8];

impl<'a> Bodies<'a> {
    /// The agents of `state`.
    pub fn new(scene: &'a Scene, state: &'a FlockState, sight: Sight<'a>) -> Self {
        let shown = scene.shown();
        let all = (0..).zip(&scene.species).zip(Paint::all(scene));
        let looks = all.map(|((number, species), paint)| Look {
            extents: Extents::of(scene, species, sight.camera.pixels_per_unit, sight.scale),
            paint,
            leans: shown.species(number) == Shown::Bank,
        });
        let (looks, sums) = (looks.collect(), sums_small_agents(scene));
        Self { sight, looks, sums, state }
    }

    /// How the agent in a row treats depths: a glow hides nothing.
    pub fn depth(&self, row: usize) -> Depth {
        let look = self.looks.get(usize::from(self.state.species[row]));
        let glows = look.is_some_and(|look| look.extents.species.look == BoidShape::Glow);
        if glows { Depth::Test } else { Depth::Write }
    }

    /// The triangles of the agent in a row; `None` if it is not seen.
    pub fn of(&self, row: usize) -> Option<Drawn> {
        let Sight { camera, lighting, .. } = self.sight;
        let look = self.looks.get(usize::from(self.state.species[row]))?;
        let place = camera.image(self.state.position[row]);
        let seen = camera.seen(place)?;
        let size = look.extents.size_of(self.state, row);
        let measure = look.extents.measure.at(seen.pixels_per_unit);
        if self.sums && !measure.shows(size) {
            return None;
        }
        let extent = measure.extent(size);
        let reach = 2.5 * extent.reach;
        let outside = seen.pixel.cmplt(Vec2::splat(-reach)).any()
            || seen.pixel.cmpgt(camera.size + reach).any();
        if outside {
            return None;
        }
        let velocity = self.state.velocity[row];
        let shown = look.paint.shown(self.state, row);
        let far = lighting.far(seen.depth);
        let species = look.extents.species;
        let shade = look.paint.tone_in_space(velocity, species.body.max_speed, shown, far);
        let colour = look.paint.colour(shade);
        let visible = lighting.visibility(seen.depth);
        match species.look {
            BoidShape::Triangle | BoidShape::Bird | BoidShape::Fish => {
                let visible = visible * (extent.strength / OPACITY).min(1.0);
                let id = self.state.id.get(row).copied().unwrap_or_default();
                let memory = self.state.memory.get(row).filter(|_| look.leans);
                let axes =
                    body::leaning(body::axes(velocity), memory.map_or(0.0, |own| own.bank()));
                self.body((species.look, id), (place, axes), &seen, (extent, colour, visible))
            }
            BoidShape::Disc => {
                let visible = visible * (extent.strength / OPACITY).min(1.0);
                let fill = Fill::Ball(colour, visible, extent.radius / extent.reach);
                Some(self.round(&seen, extent.reach, fill))
            }
            BoidShape::Glow => {
                let strength = extent.strength * visible;
                let [r, g, b] = colour.map(|channel| channel * strength);
                let light = [r, g, b, look.paint.cover * strength];
                let heat = look.paint.heat.map(|channel| channel * strength * shade.light);
                let fill = Fill::Glow(light, heat, extent.radius / extent.reach);
                Some(self.round(&seen, extent.reach, fill))
            }
        }
    }

    /// Column, row and nearness.
    fn corner(&self, seen: &Seen) -> [f32; 3] {
        [seen.pixel.x, seen.pixel.y, self.sight.eye.near / seen.depth]
    }

    fn round(&self, seen: &Seen, reach: f32, fill: Fill) -> Drawn {
        let corners = around(self.corner(seen), [reach, 0.0, 0.0], [0.0, -reach, 0.0]);
        std::array::from_fn(|i| (i == 0).then_some(Triangle { corners, fill }))
    }

    fn body(
        &self,
        (shape, id): (BoidShape, u32),
        (place, [ahead, left, up]): (Point, [Point; 3]),
        seen: &Seen,
        (extent, colour, visible): (Extent, [f32; 3], f32),
    ) -> Option<Drawn> {
        let Sight { camera, eye, lighting, .. } = self.sight;
        let radius = extent.radius / seen.pixels_per_unit;
        let moment = (id, body::tick_of(self.state.tick));
        let glyph = BodyGlyph::of(shape, moment, ahead.z, extent.radius);
        // A body near the eye is drawn whole or not at all.
        if seen.depth - glyph.reach * radius < eye.near {
            return None;
        }
        let framed = |[x, y, z]: [f32; 3]| ahead * x + left * y + up * z;
        let places = glyph.corners.map(|corner| place + framed(corner) * radius);
        let mut corners = [[0.0; 3]; 8];
        for (corner, place) in corners.iter_mut().zip(places) {
            let seen = camera.seen(place)?;
            *corner = self.corner(&seen);
        }
        let eye = camera.centre + eye.place();
        let height = seen.pixel.y / camera.size.y;
        let mut sides = [None; 8];
        let mut free = sides.iter_mut();
        for side in glyph.sides {
            let normal = framed(glyph.normal(*side).to_array());
            if normal.dot(eye - places[side[0]]) > 0.0 {
                let light = lighting.shade(normal);
                let lit = colour.map(|channel| channel * light);
                let fill = Fill::Flat(lighting.faded(lit, visible, height));
                *free.next()? =
                    Some(Triangle { corners: side.map(|corner| corners[corner]), fill });
            }
        }
        Some(sides)
    }

    /// The shadow of the agent in a row on the floor of a world of this size; `None` if it falls
    /// elsewhere.
    pub fn shadow(&self, row: usize, world: Point) -> Option<Triangle> {
        let Sight { camera, lighting, .. } = self.sight;
        let look = self.looks.get(usize::from(self.state.species[row]))?;
        let place = camera.image(self.state.position[row]);
        let foot = place - lighting.sun * (place.z / lighting.sun.z.max(1e-3));
        let (place_on, size) = (foot.truncate(), world.truncate());
        if !(place.z >= 0.0 && place_on.cmpge(Vec2::ZERO).all() && place_on.cmple(size).all()) {
            return None;
        }
        let seen = camera.seen(foot)?;
        let size = look.extents.size_of(self.state, row) * SHADOW_RADIUS;
        let least = 1.5 / seen.pixels_per_unit;
        let radius = size.max(least);
        // A shadow near the eye is drawn whole or not at all. No corner is farther from its middle.
        if seen.depth - 2.0 * radius < self.sight.eye.near {
            return None;
        }
        // A shadow that is drawn too large is as much paler, and so is one that falls from far above.
        let pale = (size / radius) * (size / radius) / (1.0 + place.z / world.z.max(1e-6));
        let opacity = SHADOW * pale * lighting.visibility(seen.depth);
        let at = |x: f32, y: f32| {
            let seen = camera.seen(foot + Point::new(x, y, 0.0) * radius)?;
            Some(self.corner(&seen))
        };
        let root = 3.0_f32.sqrt();
        let corners = [at(0.0, 2.0)?, at(root, -1.0)?, at(-root, -1.0)?];
        Some(Triangle { corners, fill: Fill::Shadow(opacity) })
    }
}
