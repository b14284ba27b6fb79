//! The camera of a scene: which part of the world pictures show, and how that changes with time.

use crate::model::vector::Point;

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
    /// What stays in the middle.
    pub follow: Follow,
    /// Views at given ticks, in order.
    pub keys: Vec<CameraKey>,
}

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
}

impl Default for CameraPlan {
    fn default() -> Self {
        Self { centre: None, zoom: 1.0, rotation: 0.0, follow: Follow::None, keys: Vec::new() }
    }
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
        View {
            centre: centre.or(self.centre),
            zoom: zoom.unwrap_or(self.zoom),
            rotation: rotation.unwrap_or(self.rotation),
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
    use crate::model::vector::flat;

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
}
