//! Draws the scenery and the flock on the CPU with tiny-skia.

use std::borrow::Cow;

use glam::Vec2;
use rayon::prelude::*;
use tiny_skia::{Color, FillRule, Paint, PathBuilder, PixmapMut, Transform};

use super::{clip, shape_raster, space_raster, splat_raster};
use crate::Layer;
use crate::camera::Camera;
use crate::clusters::with_clusters;
use crate::frame::Frame;
use crate::shapes::{scenery, walls};
use crate::splats;
use crate::style::{Backdrop, Extent, Extents, Paint as AgentPaint, SLENDERNESS};
use flockwork_model::behaviours::Target;
use flockwork_model::scene::{BoidShape, Scene};
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Number of agents that are placed before they are drawn: 56 MB at most.
const PLACED: usize = 1 << 20;

/// Draws the scenery with `targets` at their current positions, and the flock over it, seen from
/// above. Agents are blended in row order. In a wrapped world an agent on the seam is drawn once.
/// `splat_raster.rs` draws agents that are too small to show their shape; there the order does not
/// matter.
///
/// The picture is as large as the camera's, at least 1 × 1, with `scale` pixels per point.
#[must_use]
pub fn draw(
    scene: &Scene,
    state: &FlockState,
    targets: &[Target],
    camera: &Camera,
    scale: f32,
) -> Frame {
    draw_layer(scene, state, targets, camera, scale, Layer::Whole)
}

/// Draws a layer of the same picture.
#[must_use]
pub fn draw_layer(
    scene: &Scene,
    state: &FlockState,
    targets: &[Target],
    camera: &Camera,
    scale: f32,
    layer: Layer,
) -> Frame {
    let state = match layer {
        // Shadows have no colours.
        Layer::Behind => Cow::Borrowed(state),
        Layer::Whole | Layer::Agents => with_clusters(scene, state),
    };
    let bare = layer == Layer::Agents;
    let [width, height] = camera.size.max(Vec2::ONE).to_array().map(|side| side as u32);
    let ground = Backdrop::of(&scene.style.background);
    let mut frame =
        if bare { Frame::transparent(width, height) } else { ground.frame(width, height) };
    if let Some(eye) = &camera.eye {
        let from = (camera, eye);
        space_raster::draw(scene, &state, targets, from, scale, layer, &mut frame);
        return frame;
    }
    if !bare {
        for shapes in [scenery::shapes(scene, targets, camera), walls::seam_shapes(scene, camera)] {
            shape_raster::draw(&ground.suited(&shapes), camera, scale, &mut frame);
        }
    }
    if layer != Layer::Behind {
        add_agents(scene, &state, camera, scale, &mut frame);
    }
    frame
}

fn add_agents(scene: &Scene, state: &FlockState, camera: &Camera, scale: f32, frame: &mut Frame) {
    if splats::fits(scene, camera, scale) {
        splat_raster::draw(scene, state, camera, scale, frame);
        return;
    }
    let styles = scene.species.iter().zip(AgentPaint::all(scene)).map(|(species, paint)| Style {
        look: species.look.in_plane(),
        extents: Extents::of(scene, species, camera.pixels_per_unit, scale),
        paint,
    });
    let styles: Vec<Style> = styles.collect();
    for start in (0..state.len()).step_by(PLACED) {
        let rows = start..state.len().min(start + PLACED);
        let place = |row| place(styles.get(usize::from(state.species[row]))?, state, row, camera);
        let placed: Vec<DrawnAgent> = rows.into_par_iter().filter_map(place).collect();
        let draw =
            |band: &mut PixmapMut, top| draw_band(&placed, &styles, !camera.sharp, band, top);
        shape_raster::in_bands(frame, draw);
    }
}

/// The look of a species in this picture.
struct Style<'a> {
    /// Triangle, disc or glow.
    look: BoidShape,
    extents: Extents<'a>,
    paint: AgentPaint,
}

/// An agent in the picture.
struct DrawnAgent {
    species: u8,
    extent: Extent,
    /// Pixels.
    centre: Vec2,
    /// Unit vector; y counts downwards.
    ahead: Vec2,
    /// Red, green and blue from 0 to 1.
    colour: [f32; 3],
    /// Brightness of the core; a factor from 0 to 1.
    light: f32,
}

/// Places one agent; `None` if it is outside the picture or its position is not finite.
fn place(style: &Style<'_>, state: &FlockState, row: usize, camera: &Camera) -> Option<DrawnAgent> {
    let velocity = state.velocity[row];
    let centre = camera.pixel_from_world(camera.image(state.position[row]));
    let extent = style.extents.of_agent(state, row);
    let reach = Vec2::splat(extent.reach);
    // Also false for NaN.
    let seen =
        (centre + reach).cmpgt(Vec2::ZERO).all() && (centre - reach).cmplt(camera.size).all();
    if !seen {
        return None;
    }
    let heading = velocity.try_normalize().unwrap_or(Point::X);
    let species = state.species[row];
    let shown = style.paint.shown(state, row);
    let max_speed = style.extents.species.body.max_speed;
    let shade = style.paint.tone(velocity, max_speed, shown);
    Some(DrawnAgent {
        species,
        extent,
        centre,
        ahead: camera.turned(heading),
        colour: style.paint.colour(shade),
        light: shade.light,
    })
}

/// Draws the agents in the band of pixel rows that starts at `top`.
fn draw_band(
    placed: &[DrawnAgent],
    styles: &[Style<'_>],
    smooth: bool,
    band: &mut PixmapMut,
    top: usize,
) {
    let (low, high) = (top as f32, top as f32 + band.height() as f32);
    let size = Vec2::new(band.width() as f32, band.height() as f32);
    let mut paint = Paint { anti_alias: smooth, ..Paint::default() };
    let mut builder = PathBuilder::new();
    for agent in placed {
        let style = &styles[usize::from(agent.species)];
        let glyph = &agent.extent;
        if agent.centre.y + glyph.reach < low || agent.centre.y - glyph.reach > high {
            continue;
        }
        let centre = agent.centre - Vec2::new(0.0, low);
        if style.look == BoidShape::Glow {
            add_glow(band, &style.paint, centre, agent);
            continue;
        }
        match style.look {
            BoidShape::Disc => builder.push_circle(centre.x, centre.y, glyph.radius),
            _ => push_dart(&mut builder, centre, agent.ahead * glyph.radius),
        }
        let [r, g, b] = agent.colour;
        // `None` if the glyph has no area: nothing to draw.
        let path = builder.finish().and_then(|path| clip::to_window(path, size));
        let (Some(path), Some(colour)) = (path, Color::from_rgba(r, g, b, glyph.strength)) else {
            builder = PathBuilder::new();
            continue;
        };
        paint.set_color(colour);
        band.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
        // Reuse the path's memory for the next one.
        builder = path.clear();
    }
}

/// A triangle. `along` leads from its centre to its nose.
fn push_dart(builder: &mut PathBuilder, centre: Vec2, along: Vec2) {
    let across = along.perp() * SLENDERNESS;
    let (nose, left, right) = (centre + along, centre - along + across, centre - along - across);
    builder.move_to(nose.x, nose.y);
    builder.line_to(left.x, left.y);
    builder.line_to(right.x, right.y);
    builder.close();
}

/// Adds the light of a glow.
///
/// Written by hand, because no blend mode of tiny-skia both adds light and hides part of the
/// background, and one gradient per agent costs several times as much.
fn add_glow(band: &mut PixmapMut, paint: &AgentPaint, centre: Vec2, agent: &DrawnAgent) {
    let glyph = &agent.extent;
    let (width, height) = (band.width() as usize, band.height() as usize);
    let full = 255.0 * glyph.strength;
    let cover = glyph.strength * paint.cover;
    let [r, g, b] = agent.colour.map(|channel| full * channel);
    let light = [r, g, b, 255.0 * cover];
    let [r, g, b] = paint.heat.map(|channel| full * agent.light * channel);
    let heat = [r, g, b, 0.0];
    // `as` turns negative numbers into 0.
    let from = (centre - glyph.reach).floor();
    let to = (centre + glyph.reach).ceil();
    let columns = (from.x as usize).min(width)..(to.x as usize).min(width);
    for row in (from.y as usize).min(height)..(to.y as usize).min(height) {
        let y = row as f32 + 0.5 - centre.y;
        let line = &mut band.data_mut()[row * width * 4..][..width * 4];
        for (column, pixel) in columns.clone().zip(line[columns.start * 4..].chunks_exact_mut(4)) {
            let x = column as f32 + 0.5 - centre.x;
            let share = glyph.glow(x * x + y * y);
            let core = share * share * share;
            for (channel, (light, heat)) in pixel.iter_mut().zip(light.into_iter().zip(heat)) {
                let behind = f32::from(*channel) * (1.0 - cover * share);
                *channel = (behind + light * share + heat * core + 0.5) as u8;
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::style::BACKGROUND;
    use flockwork_model::scene::{BuiltIn, Request};
    use flockwork_model::vector::flat;
    use flockwork_model::world::{Boundary, World};

    fn scene(colour: &str) -> Scene {
        let text = BuiltIn::named("flock").unwrap().text;
        let overrides = [
            format!("starling.colour={colour}"),
            "world.size=[400,200]".into(),
            "world.density=10".into(),
        ];
        Scene::parse_with("flock", text, &overrides).unwrap()
    }

    fn camera(width: u32, height: u32) -> Camera {
        let world = World { size: flat(400.0, 200.0), boundary: Boundary::Wrap };
        Camera { pixels_per_unit: 2.0, ..Camera::fit(&world, width, height) }
    }

    /// Agents of the first species with these places and velocities.
    pub fn flock(agents: &[(Point, Point)]) -> FlockState {
        FlockState {
            id: (0..agents.len() as u32).collect(),
            species: vec![0; agents.len()],
            position: agents.iter().map(|a| a.0).collect(),
            velocity: agents.iter().map(|a| a.1).collect(),
            ..FlockState::default()
        }
    }

    #[test]
    fn agents_outside_or_nowhere_are_not_drawn() {
        let far = [
            (flat(-1e9, 0.0), Point::X),
            (flat(f32::NAN, 0.0), Point::X),
            (flat(1000.0, 1000.0), Point::Y),
        ];
        let frame = draw(&scene("speed"), &flock(&far), &[], &camera(80, 40), 1.0);
        assert_eq!(frame, Frame::filled(80, 40, BACKGROUND));
    }

    #[test]
    fn the_picture_does_not_depend_on_the_number_of_threads() {
        let scene = scene("species");
        let request = Request { count: Some(3000), ..Request::default() };
        let (scene, state) = scene.populate(&request).unwrap();
        let camera = Camera::fit(&scene.world, 321, 203);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draw(&scene, &state, &[], &camera, 1.0))
        };
        assert_eq!(with(1), with(7));
    }

    #[test]
    fn an_agent_can_fill_the_picture() {
        for look in [BoidShape::Disc, BoidShape::Glow, BoidShape::Triangle] {
            for pixels_per_unit in [1e2, 1e4] {
                let mut scene = scene("species");
                scene.species[0].look = look;
                let place = (flat(198.0, 100.0), Point::X);
                let camera = Camera { pixels_per_unit, ..camera(80, 40) };
                let frame = draw(&scene, &flock(&[place]), &[], &camera, 1.0);
                let corner = frame.rgb(0, 0);
                assert_ne!(corner, Some(BACKGROUND));
                assert!(
                    look == BoidShape::Glow
                        || frame.pixels.chunks(4).all(|p| Some([p[0], p[1], p[2]]) == corner)
                );
            }
        }
    }

    #[test]
    fn bands_leave_no_seams() {
        // One dart across many bands has the shape of its mirror image.
        let up = draw(
            &scene("species"),
            &flock(&[(flat(200.0, 100.0), Point::X)]),
            &[],
            &Camera { pixels_per_unit: 20.0, ..camera(400, 256) },
            1.0,
        );
        for row in 0..128 {
            for column in 0..400 {
                let (a, b) = (up.rgb(column, row).unwrap(), up.rgb(column, 255 - row).unwrap());
                let apart = a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap();
                assert!(apart <= 40, "{column},{row}: {a:?} and {b:?}");
            }
        }
    }
}
