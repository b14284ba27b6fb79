//! Draws a flock in space on the CPU: the same picture as `shaders/draw_bodies.wgsl` and
//! `shaders/draw_solids.wgsl` draw.

use rayon::prelude::*;

use super::body_raster::Bodies;
use super::samples::{Samples, Triangle, of_solids};
use super::splat_raster;
use crate::Layer;
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

/// Draws a scene's floor, its scenery and the agents of `state` over `frame`. Scenery that is not seen hides
/// agents behind it, and agents that are not seen have shadows.
pub fn draw(
    scene: &Scene,
    state: &FlockState,
    targets: &[Target],
    (camera, eye): (&Camera, &Eye),
    scale: f32,
    layer: Layer,
    frame: &mut Frame,
) {
    let (bare, behind) = (layer == Layer::Agents, layer == Layer::Behind);
    let lighting = Lighting::of(scene, camera, eye, bare);
    let sight = Sight { camera, eye, lighting: &lighting, scale };
    let bodies = Bodies::new(scene, state, sight);
    if shows_floor(scene, sight) && !bare {
        let mut samples = Samples::of(frame, sight);
        let floor = floor(scene, sight);
        samples.draw(&of_solids(&floor.translucent), Depth::Ignore);
        for start in (0..state.len()).step_by(PLACED) {
            let rows = start..state.len().min(start + PLACED);
            let size = scene.world.size;
            let shadows: Vec<Triangle> =
                rows.into_par_iter().filter_map(|row| bodies.shadow(row, size)).collect();
            samples.draw(&shadows, Depth::Ignore);
        }
        samples.resolve(frame);
    }
    let passes = agent_passes(scene, sight);
    if passes.splats && !behind {
        splat_raster::draw(scene, state, camera, scale, frame);
    }
    let mut shapes = scenery::shapes(scene, targets, camera);
    shapes.extend(walls::seam_shapes(scene, camera));
    let shapes = Backdrop::of(&scene.style.background).suited(&shapes);
    let Solids { opaque, translucent } = solids::of(&shapes, sight);
    let mut samples = Samples::of(frame, sight);
    samples.draw(&of_solids(&opaque), if bare { Depth::Only } else { Depth::Write });
    if passes.bodies && !behind {
        // Glows come last: a body that is drawn behind a glow replaces its light.
        for depth in [Depth::Write, Depth::Test] {
            for start in (0..state.len()).step_by(PLACED) {
                let rows = start..state.len().min(start + PLACED);
                let drawn = rows.into_par_iter().filter(|row| bodies.depth(*row) == depth);
                let triangles: Vec<Triangle> =
                    drawn.filter_map(|row| bodies.of(row)).flatten_iter().flatten().collect();
                samples.draw(&triangles, depth);
            }
        }
    }
    if !bare {
        samples.draw(&of_solids(&translucent), Depth::Test);
    }
    samples.resolve(frame);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::raster::{self, tests::flock};
    use flockwork_model::vector::Point;

    #[test]
    fn a_glow_is_seen_before_a_body_far_behind_it_in_the_list() {
        let text = "world = { size = [90, 60, 30] }\n[species.a]\nlook = \"glow\"\nsize = 3\n\
                    [species.b]\nlook = \"disc\"\nsize = 9\n";
        let scene = Scene::parse("test", text).unwrap();
        let camera = Camera::of(&scene, 0, None, (64, 36));
        let near = camera.centre + camera.eye.unwrap().back * 20.0;
        // The rest of the agents are nowhere.
        let mut agents = vec![(Point::splat(f32::NAN), Point::X); PLACED + 1];
        (agents[0].0, agents[PLACED].0) = (near, camera.centre);
        let drawn = |glow: usize| {
            let mut state = flock(&agents);
            (state.position[glow], state.position[PLACED - glow]) = (near, camera.centre);
            state.species[PLACED - glow] = 1;
            raster::draw(&scene, &state, &[], &camera, 1.0)
        };
        assert!(drawn(0) == drawn(PLACED));
    }
}
