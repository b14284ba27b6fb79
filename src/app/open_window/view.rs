//! The part of the world that the window shows: what the scene's camera says, and what the user makes
//! of it.

use super::OpenWindow;
use crate::WindowError;
use flockwork_engine::AgentsAt;
use flockwork_model::scene::{Follow, Orbit, Scene};
use flockwork_model::vector::Point;
use flockwork_session::{Appearance, Edit};
use flockwork_view::camera::{self, Camera};

/// The last position of the agents that the scene's camera follows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Followed {
    follow: Follow,
    /// The revision of the flock that was searched, or the tick of the state.
    searched: Option<u64>,
    place: Option<camera::Followed>,
}

impl OpenWindow {
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
        let scene = self.session.scene();
        let (search, state) = match self.session.engine().agents() {
            AgentsAt::Host(_) => (self.session.revision(), None),
            AgentsAt::Device(_) => {
                let state = self.session.last_seen();
                (state.tick, Some(state))
            }
        };
        if self.hand.followed.searched != Some(search) {
            let place = match (state, self.session.engine().agents()) {
                (Some(state), _) => Camera::followed(scene, state),
                (None, AgentsAt::Host(agents)) => Camera::followed_among(scene, &agents),
                (None, AgentsAt::Device(_)) => None,
            };
            (self.hand.followed.searched, self.hand.followed.place) = (Some(search), place);
        }
        self.hand.followed.place
    }

    /// Writes the present view into the scene. Views at given ticks would hide it: they go, and undo
    /// brings them back.
    pub(super) fn write_view(&mut self) -> Result<(), WindowError> {
        let camera = self.hand.pointer.camera;
        let mut looks = Appearance::of(self.session.scene());
        let keys = std::mem::take(&mut looks.camera.keys);
        let (width, height) = (camera.size.x as u32, camera.size.y as u32);
        let whole = Camera::fit(&self.session.scene().world, width, height);
        let zoom = camera.pixels_per_unit / whole.pixels_per_unit;
        // Within the range of a scene's keys. A view of almost the whole world counts as the whole
        // world.
        looks.camera.zoom = if (zoom - 1.0).abs() < 1e-4 { 1.0 } else { zoom.clamp(0.01, 1e4) };
        let size = self.session.scene().world.size;
        // An endless world has the same place inside.
        let endless = camera.period != Point::ZERO;
        let centre = if endless { camera.centre.rem_euclid(size) } else { camera.centre };
        looks.camera.centre = Some(centre).filter(|centre| *centre != whole.centre);
        if !self.hand.pointer.follows() {
            looks.camera.follow = Follow::None;
        }
        looks.camera.rotation = camera.turn.y.atan2(camera.turn.x).to_degrees();
        if let Some(angles) = camera.angles() {
            let plan = &mut looks.camera;
            plan.rotation = angles.rotation;
            (plan.azimuth, plan.fov) = (angles.azimuth, angles.fov.clamp(1.0, 150.0));
            plan.elevation = angles.elevation.clamp(-90.0, 90.0);
            // It stays where the user has left it.
            (plan.orbit, plan.ride) = (Orbit(None), plan.ride && self.hand.pointer.follows());
            let own = Camera::of(&self.seen_by(&looks), 0, None, (width, height));
            let zoom = looks.camera.zoom * camera.pixels_per_unit / own.pixels_per_unit;
            looks.camera.zoom = zoom.clamp(0.01, 1e4);
        }
        if self.try_edit(Edit::Appearance(Box::new(looks)))? {
            self.notify(Some(match keys.len() {
                0 => "this view is the scene's now; Ctrl+S saves it".into(),
                _ => {
                    "this view is the scene's now, at all ticks; Ctrl+Z brings its keys back".into()
                }
            }));
        }
        Ok(())
    }

    /// The scene with another appearance.
    fn seen_by(&self, looks: &Appearance) -> Scene {
        let mut scene = self.session.scene().clone();
        looks.put(&mut scene);
        scene
    }
}
