//! The camera of a scene: which part of the world pictures show, and how that changes with time.

use super::format::{CameraKey, CameraPlan, OrWord};
use crate::vector::Point;

/// The view at one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The middle of the picture; `None` for the world's. World units.
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

/// How far a camera has gone round its focus at a tick; degrees from 0 to 360. A whole round takes `turn`
/// ticks.
fn turned(tick: f64, OrWord(turn): OrWord) -> f32 {
    turn.map_or(0.0, |turn| (360.0 * (tick / f64::from(turn)).fract()) as f32)
}

impl CameraPlan {
    /// The view at a tick or between two. Between keys it starts and stops softly.
    #[must_use]
    pub fn at(&self, tick: f64) -> View {
        let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
        let centre = self.between(tick, |key| key.centre, |a: Point, b, share| a + (b - a) * share);
        // Equal times magnify by equal factors.
        let zoom = self.between(tick, |key| key.zoom.map(f32::ln), mix).map(f32::exp);
        let angle = |of_key: fn(&CameraKey) -> Option<f32>, otherwise: f32| {
            self.between(tick, of_key, mix).unwrap_or(otherwise)
        };
        View {
            centre: centre.or(self.centre),
            zoom: zoom.unwrap_or(self.zoom),
            rotation: angle(|key| key.rotation, self.rotation),
            azimuth: angle(|key| key.azimuth, self.azimuth + turned(tick, self.orbit)),
            elevation: angle(|key| key.elevation, self.elevation),
            fov: angle(|key| key.fov, self.fov),
        }
    }

    /// Adds a key, or replaces the one of the same tick. Its angles become those nearest to the present
    /// ones, so that the camera turns the shorter way.
    pub fn set_key(&mut self, mut key: CameraKey) {
        let now = self.at(key.tick as f64);
        let near = |angle: f32, known: f32| angle + 360.0 * ((known - angle) / 360.0).round();
        key.rotation = key.rotation.map(|angle| near(angle, now.rotation));
        key.azimuth = key.azimuth.map(|angle| near(angle, now.azimuth));
        let at = self.keys.partition_point(|own| own.tick < key.tick);
        let old = self.keys.get(at).is_some_and(|own| own.tick == key.tick);
        self.keys.splice(at..at + usize::from(old), [key]);
    }

    /// A value at a tick from the keys that have it; `None` if none has.
    fn between<T: Copy>(
        &self,
        tick: f64,
        value: impl Fn(&CameraKey) -> Option<T>,
        mix: impl Fn(T, T, f32) -> T,
    ) -> Option<T> {
        let known = || self.keys.iter().filter_map(|key| Some((key.tick as f64, value(key)?)));
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
        let zooms = [0.0, 10.0, 20.0, 30.0, 99.0].map(|tick| plan.at(tick).zoom);
        for (zoom, wanted) in zooms.into_iter().zip([1.0, 1.0, 2.0, 4.0, 4.0]) {
            assert!((zoom - wanted).abs() < 1e-5, "{zooms:?}");
        }
        let step = |tick| plan.at(tick + 1.0).zoom.ln() - plan.at(tick).zoom.ln();
        let most = 0.3 * step(19.0);
        assert!(step(10.0) < most && step(29.0) < most, "it eases in and out");
        let turns = [0.0, 20.0, 50.0].map(|tick| plan.at(tick).rotation);
        assert_eq!(turns, [90.0; 3], "one key is for ever");
        assert_eq!(plan.at(25.0).centre, Some(flat(3.0, 4.0)));
    }

    #[test]
    fn a_key_stands_at_its_tick_and_turns_the_shorter_way() {
        let key = |tick, azimuth| CameraKey { tick, azimuth: Some(azimuth), ..Default::default() };
        let mut plan = CameraPlan { keys: vec![key(10, 350.0)], ..CameraPlan::default() };
        for (tick, azimuth) in [(30, -170.0), (20, -5.0), (30, 10.0), (0, -20.0)] {
            plan.set_key(key(tick, azimuth));
        }
        let keys = plan.keys.iter().map(|key| (key.tick, key.azimuth.unwrap()));
        let wanted = [(0, 340.0), (10, 350.0), (20, 355.0), (30, 370.0)];
        assert_eq!(keys.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn a_camera_in_space_goes_round_until_a_key_says_where_it_stands() {
        let mut plan = CameraPlan { orbit: OrWord(Some(400.0)), ..CameraPlan::default() };
        let azimuths = [0.0, 100.0, 500.0].map(|tick| plan.at(tick).azimuth);
        assert_eq!(azimuths, [30.0, 120.0, 120.0]);
        assert!(plan.at(u64::MAX as f64).azimuth.is_finite());
        plan.orbit = OrWord(None);
        assert_eq!(plan.at(100.0).azimuth, 30.0);
        plan.orbit = OrWord(Some(400.0));
        let key = |tick, azimuth| CameraKey { tick, azimuth: Some(azimuth), ..Default::default() };
        plan.keys = vec![key(0, 350.0), key(100, 370.0)];
        assert_eq!(
            [0.0, 50.0, 100.0, 900.0].map(|tick| plan.at(tick).azimuth),
            [350.0, 360.0, 370.0, 370.0]
        );
    }
}
