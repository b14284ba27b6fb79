//! Draws a flock in space on the CPU: the same picture as `shaders/draw_bodies.wgsl` and
//! `shaders/draw_solids.wgsl` draw.

use rayon::prelude::*;

use super::body_raster::{Bodies, Drawn};
use super::samples::{Samples, Triangle, of_solids};
use super::splat_raster;
use crate::camera::{Camera, Eye};
use crate::frame::Frame;
use crate::shapes::{StyledShape, scenery, walls};
use crate::space::lighting::Lighting;
use crate::space::solids::{self, Solids, floor, shows_floor};
use crate::space::{Depth, Sight, agent_passes};
use crate::style::Backdrop;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;

/// Agents whose triangles are made at a time.
const PLACED: usize = 1 << 17;

/// Draws shapes over a picture, in order of their depth but before everything in it.
pub fn draw_above(
    shapes: &[StyledShape],
    camera: &Camera,
    eye: &Eye,
    scale: f32,
    frame: &mut Frame,
) {
    if shapes.is_empty() {
        return;
    }
    let lighting = Lighting::clear(eye);
    let sight = Sight { camera, eye, lighting: &lighting, scale };
    let solids = solids::of(shapes, sight);
    let mut samples = Samples::of(frame, sight);
    samples.draw(&of_solids(&solids.opaque), Depth::Write);
    samples.draw(&of_solids(&solids.translucent), Depth::Test);
    samples.resolve(frame);
}

/// Draws a scene's floor and scenery over `frame`, and its agents in `state` if there is one. If `bare`,
/// the scenery is not seen, but hides agents behind it.
pub fn draw(
    scene: &Scene,
    state: Option<&FlockState>,
    targets: &[Target],
    (camera, eye): (&Camera, &Eye),
    scale: f32,
    bare: bool,
    frame: &mut Frame,
) {
    let lighting = Lighting::of(scene, camera, eye, bare);
    let sight = Sight { camera, eye, lighting: &lighting, scale };
    let bodies = state.map(|state| Bodies::new(scene, state, sight));
    if shows_floor(scene, sight) && !bare {
        let mut samples = Samples::of(frame, sight);
        let floor = floor(scene, sight);
        samples.draw(&of_solids(&floor.translucent), Depth::Ignore);
        if let Some((state, bodies)) = state.zip(bodies.as_ref()) {
            for start in (0..state.len()).step_by(PLACED) {
                let rows = start..state.len().min(start + PLACED);
                let size = scene.world.size;
                let shadows: Vec<Triangle> =
                    rows.into_par_iter().filter_map(|row| bodies.shadow(row, size)).collect();
                samples.draw(&shadows, Depth::Ignore);
            }
        }
        samples.resolve(frame);
    }
    let passes = agent_passes(scene, sight);
    if let Some(state) = state.filter(|_| passes.splats) {
        splat_raster::draw(scene, state, camera, scale, frame);
    }
    let mut shapes = scenery::shapes(scene, targets);
    shapes.extend(walls::seam_shapes(scene, camera));
    let shapes = Backdrop::of(&scene.style.background).suited(&shapes);
    let Solids { opaque, translucent } = solids::of(&shapes, sight);
    let mut samples = Samples::of(frame, sight);
    samples.draw(&of_solids(&opaque), if bare { Depth::Only } else { Depth::Write });
    if let Some((state, bodies)) = state.zip(bodies.as_ref()).filter(|_| passes.bodies) {
        for start in (0..state.len()).step_by(PLACED) {
            add(start..state.len().min(start + PLACED), bodies, &mut samples);
        }
    }
    if !bare {
        samples.draw(&of_solids(&translucent), Depth::Test);
    }
    samples.resolve(frame);
}

/// Draws the agents of some rows: first what hides others, then the glows.
fn add(rows: std::ops::Range<usize>, bodies: &Bodies<'_>, samples: &mut Samples<'_>) {
    let drawn: Vec<Drawn> = rows.into_par_iter().filter_map(|row| bodies.of(row)).collect();
    let (mut solid, mut glows) = (Vec::new(), Vec::new());
    for Drawn { hides, triangles } in drawn {
        let to = if hides { &mut solid } else { &mut glows };
        to.extend(triangles.into_iter().flatten());
    }
    samples.draw(&solid, Depth::Write);
    samples.draw(&glows, Depth::Test);
}
