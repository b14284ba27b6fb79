//! The table `[camera]` and its keys over ticks.

use super::fields::{Entry, Field, Fields, Form, Written, number_or_word, text};
use super::keys::Key;
use super::reader::Reader;
use crate::scene::{CameraKey, CameraPlan, Follow, MAX_AGENTS, Orbit, SceneError};

/// The words for [`Follow::None`] and [`Follow::Centre`].
const WORDS: [(&str, Follow); 2] = [("none", Follow::None), ("centre", Follow::Centre)];

impl Field for CameraPlan {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let mut plan = Self::default();
        plan.read_table(value)?;
        if value.axes() == 2 && has_angles(&plan) {
            return Err(value.fail(
                "azimuth, elevation, fov, orbit and ride are for a space, and this world is a plane; \
                 leave them out, or give world.size three numbers",
            ));
        }
        if plan.ride && !matches!(plan.follow, Follow::Agent(_)) {
            return Err(
                value.fail("ride needs the agent to ride with: give its id, as in follow = 7")
            );
        }
        Ok(plan)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        Some(Written::Table(Form::Headed, self.entries(&Self::default(), key.axes)))
    }
}

/// True if a plan says something that only cameras in space have.
fn has_angles(plan: &CameraPlan) -> bool {
    let CameraPlan { azimuth, elevation, fov, orbit, ride, .. } = CameraPlan::default();
    (plan.azimuth, plan.elevation, plan.fov) != (azimuth, elevation, fov)
        || (plan.orbit, plan.ride) != (orbit, ride)
        || plan
            .keys
            .iter()
            .any(|key| key.azimuth.is_some() || key.elevation.is_some() || key.fov.is_some())
}

impl Field for Orbit {
    fn read(value: &Reader, key: &Key) -> Result<Self, SceneError> {
        value.number_or_word(key).map(Self)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        Some(number_or_word(self.0, key))
    }
}

impl Field for Follow {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        if value.is_number() {
            return Ok(Self::Agent(value.whole(0, MAX_AGENTS - 1)? as u32));
        }
        value.choice(&WORDS)
    }

    fn write(&self, _: &Key) -> Option<Written> {
        Some(Written::Value(match self {
            Self::None => text("none"),
            Self::Centre => text("centre"),
            Self::Agent(id) => id.to_string(),
        }))
    }
}

impl Field for Vec<CameraKey> {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        let mut keys = Self::new();
        for table in value.items() {
            let mut key = CameraKey::default();
            key.read_table(&table)?;
            if let Some(before) = keys.last().filter(|before| before.tick >= key.tick) {
                let problem = format!(
                    "tick {} is not after the tick of the key before, {}; keys stand in the order of \
                     their ticks",
                    key.tick, before.tick
                );
                return Err(table.fail(problem));
            }
            keys.push(key);
        }
        Ok(keys)
    }

    fn write(&self, key: &Key) -> Option<Written> {
        let default = CameraKey::default();
        let tables: Vec<Vec<Entry>> =
            self.iter().map(|one| one.entries(&default, key.axes)).collect();
        (!tables.is_empty()).then_some(Written::List(tables))
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::{Follow, Light, Orbit, Scene};

    fn read(size: &str, rest: &str) -> Result<Scene, String> {
        let text = format!("world = {{ size = {size} }}\n[species.a]\n{rest}\n");
        Scene::parse("mine.toml", &text, &[]).map_err(|error| error.to_string())
    }

    #[test]
    fn a_camera_in_space_is_read_and_written() {
        let keys = "[camera]\nazimuth = 10\nelevation = -5\nfov = 50\norbit = \"none\"\nfollow = 7\n\
                    ride = true\n[[camera.keys]]\ntick = 3\nazimuth = 1\nelevation = 2\nfov = 3\n\
                    [style]\nlight = \"none\"\nfog = 0.5\nground = true\ncolour = \"depth\"";
        let scene = read("[40, 30, 20]", keys).unwrap();
        let plan = &scene.camera;
        assert_eq!((plan.azimuth, plan.elevation, plan.fov), (10.0, -5.0, 50.0));
        assert_eq!((plan.orbit, plan.ride, plan.follow), (Orbit(None), true, Follow::Agent(7)));
        assert_eq!(plan.keys[0].fov, Some(3.0));
        assert_eq!((scene.style.light, scene.style.ground), (Light::None, true));
        let again = Scene::parse("mine.toml", &scene.to_toml(), &[]).unwrap();
        assert_eq!((&again.camera, &again.style), (plan, &scene.style));
    }

    #[test]
    fn what_only_a_space_has_is_refused_in_a_plane() {
        for keys in ["azimuth = 1", "elevation = 2", "fov = 3", "orbit = \"none\"", "ride = true"] {
            let keys = format!("[camera]\n{keys}\nfollow = 7");
            let message = read("[40, 30]", &keys).unwrap_err();
            assert!(message.contains("camera") && message.contains("three numbers"), "{message}");
            assert!(read("[40, 30, 20]", &keys).is_ok(), "{keys}");
        }
        let message = read("[40, 30]", "[[camera.keys]]\nfov = 30").unwrap_err();
        assert!(message.contains("three numbers"), "{message}");
        for keys in ["light = \"sun\"", "fog = 0", "ground = true"] {
            let message = read("[40, 30]", &format!("[style]\n{keys}")).unwrap_err();
            assert!(message.contains("style") && message.contains("three numbers"), "{message}");
        }
        let message = read("[40, 30, 20]", "[camera]\nride = true").unwrap_err();
        assert!(message.contains("follow = 7"), "{message}");
        for keys in ["elevation = 91", "fov = 0", "orbit = 3", "orbit = \"slow\"", "azimuth = nan"]
        {
            assert!(read("[40, 30, 20]", &format!("[camera]\n{keys}")).is_err(), "{keys}");
        }
    }
}
