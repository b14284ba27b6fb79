//! A legend of the colours: wheels for headings, a wedge for quantities from less to more. It needs no words.

use glam::Vec2;

use crate::camera::Camera;
use crate::frame::Frame;
use crate::style::{Backdrop, Hue, Paint};
use flockwork_model::memory::STRUCTURE_STEPS;
use flockwork_model::scene::{ColourBy, Scene};
use flockwork_model::vector::Point;

/// Radius of a wheel, and the room between two; points.
const RADIUS: f32 = 20.0;
const GAP: f32 = 8.0;

/// The hole of a wheel that shows headings alone, as a share of its radius.
const HOLE: f32 = 0.45;

/// The height of the dots under the wheels of a structure, their distance and their radius; points.
const DOTS: f32 = 16.0;
const DOT_STEP: f32 = 4.5;
const DOT: f32 = 1.4;
const DOT_GREY: f32 = 0.55;

/// Width and height of a wedge, and its height at the end that is less; points.
const WEDGE: Vec2 = Vec2::new(120.0, 10.0);
const LESS: f32 = 3.0;

/// The room round a legend on its plate, and round the plate; points.
const MARGIN: f32 = 8.0;

/// The opacity of the plate.
const PLATE: f32 = 0.55;

/// The legend of the first species whose colour shows something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Legend {
    by: ColourBy,
    paint: Paint,
    /// World units per tick.
    max_speed: f32,
    /// The directions in the world that are to the right and up in its wheels.
    axes: [Point; 2],
    /// The grey of its plate.
    plate: f32,
}

impl Legend {
    /// The legend of a scene as a camera sees it; in space its wheels are seen from above. `None` if all agents
    /// of a species have one colour.
    #[must_use]
    pub fn of(scene: &Scene, camera: &Camera) -> Option<Self> {
        let paints = Paint::all(scene);
        let constant = |paint: &Paint| {
            let Hue { per_turn, per_speed, per_amount, per_depth, dimming, .. } = paint.hue;
            let per_depth = if scene.world.is_flat() { 0.0 } else { per_depth };
            [per_turn, per_speed, per_amount, per_depth, dimming] == [0.0; 5]
        };
        // Hues of connected groups say nothing alone.
        let mut shown = scene
            .species
            .iter()
            .zip(paints)
            .filter(|(_, paint)| !constant(paint) && !paint.hue.clustered);
        let (species, paint) = shown.next()?;
        let right = match &camera.eye {
            Some(eye) => eye.right.with_z(0.0).try_normalize().unwrap_or(Point::X),
            None => camera.turn.extend(0.0),
        };
        Some(Self {
            by: species.colour,
            paint,
            max_speed: species.body.max_speed,
            axes: [right, Point::new(-right.y, right.x, 0.0)],
            plate: if Backdrop::of(&scene.style.background).is_light() { 255.0 } else { 0.0 },
        })
    }

    /// The legend that the style asks for.
    #[must_use]
    pub fn asked_for(scene: &Scene, camera: &Camera) -> Option<Self> {
        Self::of(scene, camera).filter(|_| scene.style.legend)
    }

    /// Its quantity.
    #[must_use]
    pub fn by(&self) -> ColourBy {
        self.by
    }

    /// Width and height; points.
    #[must_use]
    pub fn size(&self) -> Vec2 {
        match self.by {
            ColourBy::Heading => Vec2::splat(2.0 * RADIUS),
            ColourBy::Structure => Vec2::new(6.0 * RADIUS + 2.0 * GAP, 2.0 * RADIUS + DOTS),
            _ => WEDGE,
        }
    }

    /// The colour of an agent with this velocity and remembered number, `far` of the way from the near to the
    /// far end of the world.
    fn colour(&self, velocity: Point, shown: f32, far: f32) -> [f32; 3] {
        self.paint.colour(self.paint.tone_in_space(velocity, self.max_speed, shown, far))
    }

    /// The colour at a place, and how much of the `width` of a pixel there it covers; points from the top left.
    fn at(&self, place: Vec2, width: f32) -> ([f32; 3], f32) {
        let inside = |depth: f32| (depth / width + 0.5).clamp(0.0, 1.0);
        match self.by {
            ColourBy::Heading | ColourBy::Structure => {
                let number = (place.x / (2.0 * RADIUS + GAP)).floor().clamp(0.0, 2.0);
                let middle = Vec2::new(RADIUS + number * (2.0 * RADIUS + GAP), RADIUS);
                let offset = (place - middle) * Vec2::new(1.0, -1.0);
                let from = offset.length();
                let velocity = self.axes[0] * offset.x + self.axes[1] * offset.y;
                if self.by == ColourBy::Heading {
                    let hole = inside(from - HOLE * RADIUS);
                    return (self.colour(velocity, 0.0, 0.0), inside(RADIUS - from).min(hole));
                }
                if place.y > 2.0 * RADIUS {
                    return (
                        [DOT_GREY; 3],
                        inside(dots(number as i32, place - middle - Vec2::Y * RADIUS)),
                    );
                }
                let steps = STRUCTURE_STEPS as f32;
                let order = (steps * from / RADIUS).min(steps).round() as u32;
                let density = (steps * number / 2.0).round() as u32;
                (self.colour(velocity, (order << 4 | density) as f32, 0.0), inside(RADIUS - from))
            }
            _ => {
                let share = (place.x / WEDGE.x).clamp(0.0, 1.0);
                let number = share * self.paint.hue.most;
                let shown = if self.paint.hue.kept.is_some() { number } else { number.round() };
                let colour = self.colour(Point::X * share * self.max_speed, shown, share);
                // Things farther away are smaller.
                let more = if self.by == ColourBy::Depth { 1.0 - share } else { share };
                let height = LESS + (WEDGE.y - LESS) * more;
                (colour, inside(place.y - (WEDGE.y - height)).min(inside(WEDGE.y - place.y)))
            }
        }
    }

    /// A picture of it without a background, with `scale` pixels per point.
    #[must_use]
    pub fn picture(&self, scale: f32) -> Frame {
        let [width, height] =
            (self.size() * scale).ceil().max(Vec2::ONE).to_array().map(|side| side as u32);
        let mut pixels = Vec::with_capacity(4 * (width * height) as usize);
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column)))
        {
            let place = Vec2::new(column as f32 + 0.5, row as f32 + 0.5) / scale;
            let (colour, cover) = self.at(place, 1.0 / scale);
            let [r, g, b] = colour.map(|channel| cover * channel.clamp(0.0, 1.0));
            pixels.extend([r, g, b, cover].map(|channel| (255.0 * channel + 0.5) as u8));
        }
        Frame { width, height, pixels }
    }

    /// Draws it on a plate in the lower left corner of a picture with `scale` pixels per point, if there is
    /// room.
    pub fn draw(&self, scale: f32, frame: &mut Frame) {
        let legend = self.picture(scale);
        let margin = (MARGIN * scale).ceil() as u32;
        let (width, height) = (legend.width + 2 * margin, legend.height + 2 * margin);
        if frame.width < width + 2 * margin || frame.height < height + 2 * margin {
            return;
        }
        let (left, top) = (margin, frame.height - margin - height);
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column)))
        {
            let at = 4 * ((top + row) * frame.width + left + column) as usize;
            let own = row.checked_sub(margin).zip(column.checked_sub(margin));
            let own = own.filter(|(row, column)| *row < legend.height && *column < legend.width);
            let above = own.map_or([0; 4], |(row, column)| {
                let at = 4 * (row * legend.width + column) as usize;
                std::array::from_fn(|i| legend.pixels[at + i])
            });
            let left = 1.0 - f32::from(above[3]) / 255.0;
            for (i, channel) in frame.pixels[at..at + 4].iter_mut().enumerate() {
                let full = if i == 3 { 255.0 } else { self.plate };
                let under = f32::from(*channel) * (1.0 - PLATE) + full * PLATE;
                *channel = (f32::from(above[i]) + left * under + 0.5) as u8;
            }
        }
    }
}

/// How far a place is inside the dots under a wheel, which say how many the neighbours are: one, five or nine.
fn dots(number: i32, place: Vec2) -> f32 {
    let near = |x: i32, y: i32| {
        let odd = (x + y) % 2 != 0;
        let there = number == 2 || number == 1 && !odd || (x, y) == (0, 0);
        let middle = Vec2::new(x as f32 * DOT_STEP, DOTS - DOT_STEP - DOT + y as f32 * DOT_STEP);
        if there { DOT - place.distance(middle) } else { f32::MIN }
    };
    let all = (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x, y)));
    all.map(|(x, y)| near(x, y)).fold(f32::MIN, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::raster::{self, tests::flock};
    use crate::style::OPACITY;
    use flockwork_model::state::FlockState;
    use flockwork_model::vector::flat;

    /// A scene with these keys, and its camera.
    fn scene(keys: &str) -> (Scene, Camera) {
        let world = "world = { size = [160, 90] }\nstyle.frame = false\n";
        let text = format!("{world}{keys}\n[species.a]\nsize = 30\nmax_speed = 4\n");
        let scene = Scene::parse("test", &text).unwrap();
        let camera = Camera::of(&scene, 0, None, (640, 360));
        (scene, camera)
    }

    /// The colour of an agent with this velocity in the middle of a picture, and the legend's at `place` in a
    /// picture of four pixels a point; how far apart they are.
    fn apart(scene: &Scene, velocity: Point, place: Vec2) -> f32 {
        let state = flock(&[(flat(80.0, 45.0), velocity)]);
        let camera = Camera::of(scene, 0, None, (640, 360));
        let frame = raster::draw(scene, &state, &[], &camera, 1.0);
        let ground = frame.rgb(2, 2).unwrap();
        let legend = Legend::of(scene, &camera).unwrap().picture(4.0);
        let shown = legend.rgb((place.x * 4.0) as u32, (place.y * 4.0) as u32).unwrap();
        let channels = frame.rgb(320, 180).unwrap().into_iter().zip(ground).zip(shown);
        let steps = channels.map(|((agent, ground), shown)| {
            let over = OPACITY * f32::from(shown) + (1.0 - OPACITY) * f32::from(ground);
            (f32::from(agent) - over).abs()
        });
        steps.fold(0.0, f32::max)
    }

    #[test]
    fn a_wheel_shows_the_colours_of_headings_as_the_picture_is_turned() {
        for keys in ["", "camera.rotation = 70", "style.background = \"paper\""] {
            let (scene, camera) = scene(keys);
            for angle in (0..12).map(|step| step as f32 * 0.5) {
                let velocity = Vec2::from_angle(angle).extend(0.0) * 3.0;
                let towards = camera.turned(velocity).normalize();
                let place = |sign: f32| Vec2::splat(RADIUS) + towards * (sign * 0.7 * RADIUS);
                assert!(apart(&scene, velocity, place(1.0)) < 5.0, "{keys} {angle}");
                // The control: the other side of the wheel.
                assert!(apart(&scene, velocity, place(-1.0)) > 40.0, "{keys} {angle}");
            }
        }
    }

    #[test]
    fn a_wedge_shows_the_colours_from_less_to_more() {
        let (scene, _) = scene("style.colour = \"speed\"");
        for share in [0.1, 0.5, 0.9] {
            let place = |share: f32| Vec2::new(share * WEDGE.x, WEDGE.y - 1.0);
            assert!(apart(&scene, Point::X * 4.0 * share, place(share)) < 5.0, "{share}");
            let other = apart(&scene, Point::X * 4.0 * (1.0 - share), place(share));
            assert!(other > 40.0 || share == 0.5, "{share}: {other}");
        }
    }

    #[test]
    fn a_structure_has_a_wheel_for_each_of_three_densities() {
        let (scene, camera) = scene("style.colour = \"structure\"");
        let legend = Legend::of(&scene, &camera).unwrap();
        let light = |number: f32, share: f32| {
            let x = RADIUS + number * (2.0 * RADIUS + GAP) + share * RADIUS;
            legend.at(Vec2::new(x, RADIUS), 0.1).0
        };
        let full = |[r, g, b]: [f32; 3]| r.max(g).max(b) - r.min(g).min(b);
        for number in [0.0, 1.0, 2.0] {
            assert!(full(light(number, 0.9)) > 3.0 * full(light(number, 0.05)), "full at the rim");
        }
        let sums = [0.0, 1.0, 2.0].map(|number| light(number, 0.5).iter().sum::<f32>());
        assert!(sums.is_sorted_by(|few, more| 1.2 * few < *more), "{sums:?}");
        let dots = [0, 1, 2].map(|number| {
            let left = number as f32 * (2.0 * RADIUS + GAP);
            let cells =
                (0..160).flat_map(|y| (0..400).map(move |x| Vec2::new(x as f32, y as f32) * 0.1));
            cells.map(|at| legend.at(at + Vec2::new(left, 2.0 * RADIUS + 0.05), 0.1).1).sum::<f32>()
        });
        assert!((dots[1] / dots[0] - 5.0).abs() < 0.3, "{dots:?}");
        assert!((dots[2] / dots[0] - 9.0).abs() < 0.5, "{dots:?}");
    }

    #[test]
    fn pictures_have_a_legend_in_their_corner_if_the_style_asks_for_it() {
        let nobody = FlockState::default();
        let drawn = |keys: &str| {
            let (scene, camera) = scene(keys);
            let mut frame = raster::draw(&scene, &nobody, &[], &camera, 1.0);
            let before = frame.clone();
            if let Some(legend) = Legend::asked_for(&scene, &camera) {
                legend.draw(1.0, &mut frame);
            }
            let differs = |at: &usize| frame.pixels[4 * at..][..4] != before.pixels[4 * at..][..4];
            let places = (0..640 * 360).filter(differs).map(|at| (at % 640, at / 640));
            places.collect::<Vec<(usize, usize)>>()
        };
        for colour in ["heading", "speed", "structure", "neighbours"] {
            let style = format!("style.colour = \"{colour}\"");
            assert!(drawn(&style).is_empty());
            let places = drawn(&format!("{style}\nstyle.legend = true"));
            assert!(places.len() > 400, "{colour}");
            assert!(places.iter().all(|(x, y)| *x < 170 && *y > 270), "{colour}");
        }
        for colour in ["species", "#E69F00", "depth"] {
            assert!(drawn(&format!("style.colour = \"{colour}\"\nstyle.legend = true")).is_empty());
        }
    }
}
