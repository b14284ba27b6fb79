//! The table `[camera]` and its keys over ticks.

use super::fields::{Field, Fields, OrWord, section, unit};
use super::key::{Key, MAX_POSITION, Section, Values};
use super::reader::Reader;
use super::tree::Value;
use crate::scene::{MAX_AGENTS, SceneError};
use crate::vector::Point;

/// The agents that the camera keeps in the middle of the picture.
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

section! {
    /// Which part of the world pictures show, and the window at its start. [Looks](looks.md#camera) has
    /// examples.
    CAMERA "[camera]" struct CameraPlan (check) {
        /// The middle of the picture; in space the focus, which the camera looks at. Without it a camera
        /// that looks down on a space looks a little below the middle, so that the box fills the picture.
        centre: Option<Point> = None, Values::Point(-MAX_POSITION, MAX_POSITION) => "the world's middle", "world units";
        /// Magnification; 1 shows the whole world. In space the camera is nearer to its focus.
        zoom: f32 = 1.0, Values::Number(0.01, 1e4) => "1", "";
        /// How far the camera is turned anticlockwise.
        rotation: f32 = 0.0, Values::Number(-36_000.0, 36_000.0) => "0", "degrees";
        /// The middle of captured pictures: the flock's centre of mass (in a wrapped
        /// world a circular mean), or the agent with this id. `centre` and the keys' centres then have no
        /// effect, and a wrapped world continues beyond its edges.
        follow: Follow = Follow::None, Values::Words("`\"none\"`, `\"centre\"`, an id") => "`\"none\"`", "";
        /// In space: where the camera stands, seen from above. At 0 it looks along the y axis, at 90
        /// against the x axis.
        azimuth: f32 = 30.0, Values::Number(-36_000.0, 36_000.0) => "30", "degrees";
        /// In space: how high it stands; at 90 it looks straight down.
        elevation: f32 = 15.0, Values::Number(-90.0, 90.0) => "15", "degrees";
        /// In space: the angle that the shorter side of the picture covers.
        fov: f32 = 40.0, Values::Number(1.0, 150.0) => "40", "degrees";
        /// In space: the camera goes once round its focus in this many ticks, anticlockwise; keys with
        /// an azimuth take its place.
        orbit: OrWord = OrWord(Some(3600.0)), Values::NumberOr(60.0, 1e9, "none") => "3600", "ticks";
        /// In space: the diameter of the camera's lens: captures with `--samples` blur things that are nearer or
        /// farther than the focus.
        lens: f32 = 0.0, Values::Number(0.0, 1e6) => "0", "world units";
        /// In space: the camera flies behind the agent that it follows. `zoom` brings it nearer.
        ride: bool = false, Values::Boolean => "`false`", "";
        /// Views at given ticks.
        keys: Vec<CameraKey> = Vec::new(), Values::Words("`[[camera.keys]]`") => "none", "";
    }
}

section! {
    /// A view at a tick. Between two keys the camera starts and stops softly; a value that a key lacks
    /// goes on from the key before to the key after. One that only later keys have holds from the start, in place of the
    /// one in `[camera]`. Keys are in the order of their ticks.
    CAMERA_KEYS "[[camera.keys]]" struct CameraKey (check_key) {
        /// When, counted from the start of the flock.
        tick: u64 = 0, Values::Whole(0, 1 << 53) => "0", "ticks";
        /// The middle of the picture.
        centre: Option<Point> = None, Values::Point(-MAX_POSITION, MAX_POSITION) => "none", "world units";
        /// Magnification.
        zoom: Option<f32> = None, Values::Number(0.01, 1e4) => "none", "";
        /// How far the camera is turned anticlockwise.
        rotation: Option<f32> = None, Values::Number(-36_000.0, 36_000.0) => "none", "degrees";
        /// In space: where the camera stands, seen from above.
        azimuth: Option<f32> = None, Values::Number(-36_000.0, 36_000.0) => "none", "degrees";
        /// In space: how high it stands.
        elevation: Option<f32> = None, Values::Number(-90.0, 90.0) => "none", "degrees";
        /// In space: the angle that the shorter side of the picture covers.
        fov: Option<f32> = None, Values::Number(1.0, 150.0) => "none", "degrees";
    }
}

fn check(plan: &CameraPlan, _: &[CameraPlan], table: &Reader) -> Result<(), SceneError> {
    if table.axes() == 2 && has_angles(plan) {
        return Err(table.fail(
            "azimuth, elevation, fov, orbit, lens and ride are for a space, and this world is a plane; \
             leave them out, or give world.size three numbers",
        ));
    }
    if plan.ride && !matches!(plan.follow, Follow::Agent(_)) {
        return Err(table.fail("ride needs the agent to ride with: give its id, as in follow = 7"));
    }
    Ok(())
}

/// True if a plan says something that only cameras in space have.
fn has_angles(plan: &CameraPlan) -> bool {
    let CameraPlan { azimuth, elevation, fov, orbit, lens, ride, .. } = CameraPlan::default();
    (plan.azimuth, plan.elevation, plan.fov) != (azimuth, elevation, fov)
        || (plan.orbit, plan.lens, plan.ride) != (orbit, lens, ride)
        || plan
            .keys
            .iter()
            .any(|key| key.azimuth.is_some() || key.elevation.is_some() || key.fov.is_some())
}

fn check_key(key: &CameraKey, others: &[CameraKey], table: &Reader) -> Result<(), SceneError> {
    let Some(before) = others.last().filter(|before| before.tick >= key.tick) else {
        return Ok(());
    };
    Err(table.fail(format!(
        "tick {} is not after the tick of the key before, {}; keys stand in the order of their ticks",
        key.tick, before.tick
    )))
}

impl Field for Follow {
    fn read(value: &Reader, _: &Key) -> Result<Self, SceneError> {
        match value.value() {
            Value::Number(_) => Ok(Self::Agent(value.whole((0, MAX_AGENTS - 1))? as u32)),
            _ => value.choice(&[("none", Self::None), ("centre", Self::Centre)]),
        }
    }

    fn write(&self, _: &Key, _: usize) -> Option<Value<bool>> {
        Some(match self {
            Self::None => "none".into(),
            Self::Centre => "centre".into(),
            Self::Agent(id) => Value::Number((*id).into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::{Follow, Ground, Light, OrWord, Scene};

    fn read(size: &str, rest: &str) -> Result<Scene, String> {
        let text = format!("world = {{ size = {size} }}\n[species.a]\n{rest}\n");
        Scene::parse("mine.toml", &text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_camera_in_space_is_read_and_written() {
        let keys = "[camera]\nazimuth = 10\nelevation = -5\nfov = 50\norbit = \"none\"\nfollow = 7\n\
                    ride = true\n[[camera.keys]]\ntick = 3\nazimuth = 1\nelevation = 2\nfov = 3\n\
                    [style]\nlight = \"none\"\nfog = 0.5\nground = true\ncolour = \"depth\"";
        let scene = read("[40, 30, 20]", keys).unwrap();
        let plan = &scene.camera;
        assert_eq!((plan.azimuth, plan.elevation, plan.fov), (10.0, -5.0, 50.0));
        assert_eq!((plan.orbit, plan.ride, plan.follow), (OrWord(None), true, Follow::Agent(7)));
        assert_eq!(plan.keys[0].fov, Some(3.0));
        assert_eq!((scene.style.light, scene.style.ground), (Light::None, Ground::Floor));
        let again = Scene::parse("mine.toml", &scene.to_toml()).unwrap();
        assert_eq!((&again.camera, &again.style), (plan, &scene.style));
        for (text, ground) in [("false", Ground::None), ("\"water\"", Ground::Water)] {
            let scene = read("[40, 30, 20]", &format!("[style]\nground = {text}")).unwrap();
            assert_eq!(scene.style.ground, ground);
            assert_eq!(Scene::parse("mine.toml", &scene.to_toml()).unwrap().style, scene.style);
        }
        for (text, named) in [("\"wate\"", "water"), ("1", "true, false or \"water\"")] {
            let message = read("[40, 30, 20]", &format!("[style]\nground = {text}")).unwrap_err();
            assert!(message.contains(named), "{message}");
        }
    }

    #[test]
    fn what_only_a_space_has_is_refused_in_a_plane() {
        let own = ["azimuth = 1", "elevation = 2", "fov = 3", "orbit = \"none\"", "lens = 1"];
        for keys in own.into_iter().chain(["ride = true"]) {
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
        let wrong = ["elevation = 91", "fov = 0", "orbit = 3", "orbit = \"slow\"", "azimuth = nan"];
        for keys in wrong.into_iter().chain(["lens = -1", "lens = inf"]) {
            assert!(read("[40, 30, 20]", &format!("[camera]\n{keys}")).is_err(), "{keys}");
        }
    }
}
