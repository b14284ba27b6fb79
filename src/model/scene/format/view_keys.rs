//! The keys of what pictures show: style and camera. See [`super::keys`].

use super::fields::{Field, Fields, Written};
use super::keys::{FAR, Key, Section, Values, names, section};
use super::reader::Reader;
use crate::scene::{BoidShape, CameraKey, CameraPlan, Light, SceneError, Style};

/// The values of `background`, in words.
const BACKGROUNDS: &str = "`\"dark\"`, `\"night\"`, `\"paper\"`, `\"dusk\"`, `\"none\"`, `\"#RRGGBB\"`, a list of \
                           2 to 8 colours";

/// The values of `colour`, in words.
pub const COLOURS: &str = "`\"heading\"`, `\"speed\"`, `\"species\"`, `\"neighbours\"`, \
                       `\"acceleration\"`, `\"age\"`, `\"depth\"`, `\"#RRGGBB\"`";

/// The largest `age`: its product with the steps of an age fits 32 bits.
const MOST_AGE: u64 = 10_000_000;

/// The values of `palette`, in words.
pub const PALETTES: &str = "`\"auto\"`, `\"hues\"`, `\"viridis\"`, `\"magma\"`, `\"inferno\"`, `\"cividis\"`, \
                        `\"okabe-ito\"`, a list of 1 to 16 colours";

section! {
    /// What pictures look like; the motion does not depend on it. Of these keys `look`, `colour`,
    /// `palette` and `smallest` are defaults for the species, which have the same keys. [Looks](looks.md) has pictures.
    STYLE "[style]" Style {
        /// What is behind the flock: a name, a colour, or colours from top to bottom. With `none`,
        /// PNG and APNG files are transparent.
        background: Values::Words(BACKGROUNDS) => "`\"dark\"`", "";
        /// The shape of drawn agents.
        look: Values::Choice(|| names(&BoidShape::NAMES)) => "`\"triangle\"`", "";
        /// What the colour shows, or one colour for all agents.
        colour: Values::Words(COLOURS) => "`\"heading\"`", "";
        /// The colours of what is shown. `auto` takes hues for headings, `viridis` for speeds,
        /// `inferno` for neighbours and accelerations, `magma` for ages and `okabe-ito` for species. A list is interpolated; of several
        /// species each takes one of its colours.
        palette: Values::Words(PALETTES) => "`\"auto\"`", "";
        /// The age at the end of the palette, if a colour shows ages. Older agents have its last colour.
        age: Values::Whole(1, MOST_AGE) => "600", "ticks";
        /// The least length of a triangle and the least diameter of a disc or of a glow's core. A
        /// point is a pixel of a picture of 1280 × 720; larger pictures have more pixels per point.
        smallest: Values::Number(1.0, 64.0) => "3.5; 2 for glows", "points";
        /// Agents of all species leave trails, which lose half their light in this many ticks.
        trail: Values::Number(1.0, 1000.0) => "none", "ticks";
        /// In space: what lights the agents. `auto` is nothing before `dusk`, where agents are
        /// silhouettes, and the sun elsewhere.
        light: Values::Choice(|| names(&Light::NAMES)) => "`\"auto\"`", "";
        /// In space: how much fades into the background with the distance. At 1 half is left at a
        /// distance of the world's largest side; at 0 all.
        fog: Values::Number(0.0, 10.0) => "1", "";
        /// In space: whether pictures show the floor of the world, and the agents' shadows on it.
        ground: Values::Boolean => "`false`", "";
    }
}

section! {
    /// Which part of the world pictures show, and the window at its start. [Looks](looks.md#camera) has
    /// examples.
    CAMERA "[camera]" CameraPlan {
        /// The middle of the picture; in space the focus, which the camera looks at. Without it a camera
        /// that looks down on a space looks a little below the middle, so that the box fills the picture.
        centre: Values::Point(-FAR, FAR) => "the world's middle", "world units";
        /// Magnification; 1 shows the whole world. In space the camera is nearer to its focus.
        zoom: Values::Number(0.01, 1e4) => "1", "";
        /// How far the camera is turned anticlockwise.
        rotation: Values::Number(-36_000.0, 36_000.0) => "0", "degrees";
        /// What stays in the middle of captured pictures: the flock's centre of mass (in a wrapped
        /// world a circular mean), or the agent with this id. `centre` and the keys' centres then have no
        /// effect, and a wrapped world continues beyond its edges.
        follow: Values::Words("`\"none\"`, `\"centre\"`, an id") => "`\"none\"`", "";
        /// In space: where the camera stands, seen from above. At 0 it looks along the y axis, at 90
        /// against the x axis.
        azimuth: Values::Number(-36_000.0, 36_000.0) => "30", "degrees";
        /// In space: how high it stands; at 90 it looks straight down.
        elevation: Values::Number(-90.0, 90.0) => "15", "degrees";
        /// In space: the angle that the shorter side of the picture covers.
        fov: Values::Number(1.0, 150.0) => "40", "degrees";
        /// In space: the camera goes once round its focus in this many ticks, anticlockwise; keys with
        /// an azimuth take its place.
        orbit: Values::NumberOr(60.0, 1e9, "none") => "3600", "ticks";
        /// In space: the camera flies behind the agent that it follows. `zoom` brings it nearer.
        ride: Values::Boolean => "`false`", "";
        /// Views at given ticks.
        keys: Values::Tables("`[[camera.keys]]`") => "none", "";
    }
}

section! {
    /// A view at a tick. Between two keys the camera starts and stops softly; a value that a key lacks
    /// goes on from the key before to the key after. Keys are in the order of their ticks.
    CAMERA_KEYS "[[camera.keys]]" CameraKey {
        /// When, counted from the start of the flock.
        tick: Values::Whole(0, 1 << 53) => "0", "ticks";
        /// The middle of the picture.
        centre: Values::Point(-FAR, FAR) => "none", "world units";
        /// Magnification.
        zoom: Values::Number(0.01, 1e4) => "none", "";
        /// How far the camera is turned anticlockwise.
        rotation: Values::Number(-36_000.0, 36_000.0) => "none", "degrees";
        /// In space: where the camera stands, seen from above.
        azimuth: Values::Number(-36_000.0, 36_000.0) => "none", "degrees";
        /// In space: how high it stands.
        elevation: Values::Number(-90.0, 90.0) => "none", "degrees";
        /// In space: the angle that the shorter side of the picture covers.
        fov: Values::Number(1.0, 150.0) => "none", "degrees";
    }
}
