//! The subject of a picture, which the renderer takes by one name.

use crate::camera::Camera;
use flockwork_engine::gpu::AgentBuffers;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;

/// The flock, the scenery and the camera of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The flock.
    pub agents: &'a AgentBuffers,
    /// The scene, whose scenery and style are drawn.
    pub scene: &'a Scene,
    /// Its targets at their current positions.
    pub targets: &'a [Target],
    /// The camera.
    pub camera: &'a Camera,
}
