//! The camera of a scene: which part of the world pictures show, and how that changes with time.

use crate::vector::Point;

/// What the camera keeps in the middle of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// A place.
    #[default]
    None,
    /// The centre of mass of the flock.
    Centre,
    /// The agent with this id.
    Agent(u32),
}

/// The table `[camera]`.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraPlan {
    /// The middle of the picture; `None` for that of the world. World units.
    pub centre: Option<Point>,
    /// Magnification; 1 shows the whole world.
    pub zoom: f32,
    /// How far the camera is turned anticlockwise; degrees.
    pub rotation: f32,
    /// In space: how far the camera stands to the left of the far side, seen from above; degrees. At 0 it
    /// looks along the y axis.
    pub azimuth: f32,
    /// In space: how high it stands above the horizon of its focus; degrees.
    pub elevation: f32,
    /// In space: the angle that the shorter side of the picture covers; degrees.
    pub fov: f32,
    /// In space: how many ticks it takes to go round its focus.
    pub orbit: Orbit,
    /// What stays in the middle.
    pub follow: Follow,
    /// In space: true if the camera flies behind the agent that it follows.
    pub ride: bool,
    /// Views at given ticks, in order.
    pub keys: Vec<CameraKey>,
}

/// How many ticks a camera takes to go round its focus, anticlockwise seen from above; `None` if it
/// stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit(pub Option<f32>);

/// One of the tables `[[camera.keys]]`. A value that it lacks is interpolated between its neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CameraKey {
    /// When; ticks from the start of the flock.
    pub tick: u64,
    /// See [`CameraPlan::centre`].
    pub centre: Option<Point>,
    /// See [`CameraPlan::zoom`].
    pub zoom: Option<f32>,
    /// See [`CameraPlan::rotation`].
    pub rotation: Option<f32>,
    /// See [`CameraPlan::azimuth`].
    pub azimuth: Option<f32>,
    /// See [`CameraPlan::elevation`].
    pub elevation: Option<f32>,
    /// See [`CameraPlan::fov`].
    pub fov: Option<f32>,
}

/// The view at one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The middle of the picture; `None` for that of the world. World units.
    pub centre: Option<Point>,
    /// Magnification.
    pub zoom: f32,
    /// Degrees, anticlockwise.
    pub rotation: f32,
    /// See [`CameraPlan::azimuth`]; degrees.
    pub azimuth: f32,
    /// See [`CameraPlan::elevation`]; degrees.
    pub elevation: f32,
    /// See [`CameraPlan::fov`]; degrees.
    pub fov: f32,
}

/// Ticks of a turn of the camera in a space whose scene gives none: a minute.
const TURN: f32 = 3600.0;

impl Default for CameraPlan {
    fn default() -> Self {
        Self {
            centre: None,
            zoom: 1.0,
            rotation: 0.0,
            azimuth: 30.0,
            elevation: 15.0,
            fov: 40.0,
            orbit: Orbit(Some(TURN)),
            follow: Follow::None,
            ride: false,
            keys: Vec::new(),
        }
    }
}

/// How far a camera has gone round its focus at a tick; degrees from 0 to 360. A whole round takes `turn`
/// ticks.
fn turned(tick: u64, Orbit(turn): Orbit) -> f32 {
    turn.map_or(0.0, |turn| (360.0 * (tick as f64 / f64::from(turn)).fract()) as f32)
}

impl CameraPlan {
    /// The view at a tick. Between keys it starts and stops softly.
    #[must_use]
    pub fn at(&self, tick: u64) -> View {
        let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
        let centre = self.between(tick, |key| key.centre, |a: Point, b, share| a + (b - a) * share);
        // Equal times magnify by equal factors.
        let zoom = self.between(tick, |key| key.zoom.map(f32::ln), mix).map(f32::exp);
        let rotation = self.between(tick, |key| key.rotation, mix);
        let azimuth = self.between(tick, |key| key.azimuth, mix);
        let elevation = self.between(tick, |key| key.elevation, mix);
        let fov = self.between(tick, |key| key.fov, mix);
        View {
            centre: centre.or(self.centre),
            zoom: zoom.unwrap_or(self.zoom),
            rotation: rotation.unwrap_or(self.rotation),
            azimuth: azimuth.unwrap_or_else(|| self.azimuth + turned(tick, self.orbit)),
            elevation: elevation.unwrap_or(self.elevation),
            fov: fov.unwrap_or(self.fov),
        }
    }

    /// A value at a tick from the keys that have it; `None` if none has.
    fn between<T: Copy>(
        &self,
        tick: u64,
        value: impl Fn(&CameraKey) -> Option<T>,
        mix: impl Fn(T, T, f32) -> T,
    ) -> Option<T> {
        let known = || self.keys.iter().filter_map(|key| Some((key.tick, value(key)?)));
        let before = known().take_while(|(at, _)| *at <= tick).last();
        let after = known().find(|(at, _)| *at > tick);
        match (before, after) {
            (Some((start, from)), Some((end, to))) => {
                let share = (tick - start) as f32 / (end - start) as f32;
                Some(mix(from, to, share * share * (3.0 - 2.0 * share)))
            }
            (one, other) => one.or(other).map(|(_, value)| value),
        }
    }

    /// Scales all places.
    pub fn scale(&mut self, place: impl Fn(Point) -> Point) {
        self.centre = self.centre.map(&place);
        for key in &mut self.keys {
            key.centre = key.centre.map(&place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::flat;

    #[test]
    fn a_view_moves_softly_from_key_to_key() {
        let key = |tick, zoom| CameraKey { tick, zoom: Some(zoom), ..CameraKey::default() };
        let turn = CameraKey { tick: 20, rotation: Some(90.0), ..CameraKey::default() };
        let plan = CameraPlan {
            keys: vec![key(10, 1.0), turn, key(30, 4.0)],
            centre: Some(flat(3.0, 4.0)),
            ..CameraPlan::default()
        };
        let zooms = [0, 10, 20, 30, 99].map(|tick| plan.at(tick).zoom);
        for (zoom, wanted) in zooms.into_iter().zip([1.0, 1.0, 2.0, 4.0, 4.0]) {
            assert!((zoom - wanted).abs() < 1e-5, "{zooms:?}");
        }
        let step = |tick| plan.at(tick + 1).zoom.ln() - plan.at(tick).zoom.ln();
        assert!(step(10) < 0.3 * step(19) && step(29) < 0.3 * step(19), "it eases in and out");
        assert!(
            [0, 20, 50].iter().all(|tick| plan.at(*tick).rotation == 90.0),
            "one key is for ever"
        );
        assert_eq!(plan.at(25).centre, Some(flat(3.0, 4.0)));
    }

    #[test]
    fn a_camera_in_space_goes_round_until_a_key_says_where_it_stands() {
        let mut plan = CameraPlan { orbit: Orbit(Some(400.0)), ..CameraPlan::default() };
        let azimuths = [0, 100, 500].map(|tick| plan.at(tick).azimuth);
        assert_eq!(azimuths, [30.0, 120.0, 120.0]);
        assert!(plan.at(u64::MAX).azimuth.is_finite());
        plan.orbit = Orbit(None);
        assert_eq!(plan.at(100).azimuth, 30.0);
        plan.orbit = Orbit(Some(400.0));
        let key = |tick, azimuth| CameraKey { tick, azimuth: Some(azimuth), ..Default::default() };
        plan.keys = vec![key(0, 350.0), key(100, 370.0)];
        assert_eq!(
            [0, 50, 100, 900].map(|tick| plan.at(tick).azimuth),
            [350.0, 360.0, 370.0, 370.0]
        );
    }
}
