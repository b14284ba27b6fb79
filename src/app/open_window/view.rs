//! The part of the world that the window shows: what the scene's camera says, and what the user makes
//! of it.

use super::OpenWindow;
use crate::WindowError;
use flockwork_engine::AgentsAt;
use flockwork_model::scene::{CameraKey, CameraPlan, Follow, OrWord};
use flockwork_model::vector::Point;
use flockwork_session::{Appearance, Edit};
use flockwork_view::camera::{self, Camera};
use flockwork_view::words::counted;

/// The last position of the agents that the scene's camera follows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FollowSearch {
    follow: Follow,
    /// The revision of the flock that was searched, or the tick of the state.
    searched: Option<u64>,
    place: Option<camera::Followed>,
}

impl OpenWindow<'_> {
    /// Moves the camera as the scene says, until the user moves it.
    pub(super) fn guide_camera(&mut self) {
        let follow = self.session.scene().camera.follow;
        if std::mem::replace(&mut self.hand.followed.follow, follow) != follow {
            self.hand.followed.searched = None;
            self.hand.pointer.follow();
        }
        let wanted = follow != Follow::None && self.hand.pointer.follows();
        let place = if wanted { self.seek() } else { None };
        // Only a device has to be asked for its agents.
        let on_device = matches!(self.session.engine().agents(), AgentsAt::Device(_));
        self.session.set_continuous_snapshots(wanted && on_device);
        self.hand.pointer.guide(self.session.scene(), self.session.tick(), place);
    }

    /// The place of what is followed. Agents on the host give the present one. The window does not wait for
    /// a device: it takes the place from the last copy that has arrived.
    fn seek(&mut self) -> Option<camera::Followed> {
        let (scene, agents, last) =
            (self.session.scene(), self.session.engine().agents(), self.session.last_seen());
        let search = match agents {
            AgentsAt::Host(_) => self.session.revision(),
            AgentsAt::Device(_) => last.tick,
        };
        if self.hand.followed.searched.replace(search) != Some(search) {
            self.hand.followed.place = match agents {
                AgentsAt::Host(agents) => Camera::followed_among(scene, &agents),
                AgentsAt::Device(_) => Camera::followed(scene, last),
            };
        }
        self.hand.followed.place
    }

    /// The present view as a camera without keys, and the place in its middle.
    fn view(&self) -> (CameraPlan, Point) {
        let camera = self.hand.pointer.camera;
        let scene = self.session.scene();
        let mut plan = CameraPlan { keys: Vec::new(), ..scene.camera.clone() };
        let (width, height) = (camera.size.x as u32, camera.size.y as u32);
        let whole = Camera::fit(&scene.world, width, height);
        let zoom = camera.pixels_per_unit / whole.pixels_per_unit;
        // Within the range of a scene's keys. A view of almost the whole world counts as the whole
        // world.
        plan.zoom = if (zoom - 1.0).abs() < 1e-4 { 1.0 } else { zoom.clamp(0.01, 1e4) };
        // An endless world has the same place inside.
        let mut centre = camera.centre;
        for (axis, period) in camera.period.to_array().into_iter().enumerate() {
            if period > 0.0 {
                centre[axis] = centre[axis].rem_euclid(period);
            }
        }
        plan.centre = Some(centre).filter(|centre| *centre != whole.centre);
        if !self.hand.pointer.follows() {
            plan.follow = Follow::None;
        }
        plan.rotation = camera.turn.y.atan2(camera.turn.x).to_degrees();
        if let Some(angles) = camera.angles() {
            plan.rotation = angles.rotation;
            (plan.azimuth, plan.fov) = (angles.azimuth, angles.fov.clamp(1.0, 150.0));
            plan.elevation = angles.elevation.clamp(-90.0, 90.0);
            // It stays where the user has left it.
            (plan.orbit, plan.ride) = (OrWord(None), plan.ride && self.hand.pointer.follows());
            let mut seen = scene.clone();
            seen.camera = plan.clone();
            let own = Camera::of(&seen, 0, None, (width, height));
            let zoom = plan.zoom * camera.pixels_per_unit / own.pixels_per_unit;
            plan.zoom = zoom.clamp(0.01, 1e4);
        }
        (plan, centre)
    }

    /// Writes the present view into the scene. Views at given ticks would hide it: they go, and undo
    /// brings them back.
    pub(super) fn write_view(&mut self) -> Result<(), WindowError> {
        let mut looks = Appearance::of(self.session.scene());
        let before = std::mem::replace(&mut looks.camera, self.view().0);
        if self.try_edit(Edit::Appearance(Box::new(looks)))? {
            self.notify(match before.keys.len() {
                0 => "this view is the scene's now; Ctrl+S saves it",
                _ => "this view is the scene's now, at all ticks; Ctrl+Z brings its keys back",
            });
        }
        Ok(())
    }

    /// Makes the present view a camera key of the scene at the present tick. From then on the camera goes from
    /// key to key, until the user moves it.
    pub(super) fn write_key(&mut self) -> Result<(), WindowError> {
        let (view, centre) = self.view();
        let (scene, tick) = (self.session.scene(), self.session.tick());
        let in_space = !scene.world.is_flat();
        let mut looks = Appearance::of(scene);
        (looks.camera.follow, looks.camera.ride) = (view.follow, view.ride);
        let key = CameraKey {
            tick,
            centre: Some(centre).filter(|_| view.follow == Follow::None),
            zoom: Some(view.zoom),
            rotation: Some(view.rotation),
            azimuth: in_space.then_some(view.azimuth),
            elevation: in_space.then_some(view.elevation),
            fov: in_space.then_some(view.fov),
        };
        looks.camera.set_key(key);
        let keys = counted(looks.camera.keys.len() as u64, "key");
        self.hand.pointer.guided = true;
        if self.try_edit(Edit::Appearance(Box::new(looks)))? {
            self.notify(format!(
                "a camera key at tick {tick}: the camera has {keys}; Ctrl+S saves them"
            ));
        }
        Ok(())
    }
}
