//! Files with random damage, of planes and of spaces: they are read or refused, and nothing else happens.

use std::path::Path;

use flockwork::model::scene::{Request, Scene};
use flockwork::model::state::FlockState;
use flockwork::session::Recording;

use super::{files_of_a_run, resume, space};
use crate::common::dice::Dice;

/// Signs that mean something in these files.
const SIGNS: &[u8] = b"0123456789.,-en[]{}=\n%# \"";

/// Changes, doubles, swaps or takes out some bytes.
fn damage(bytes: &mut Vec<u8>, seed: u64) {
    let mut dice = Dice::new(seed);
    for _ in 0..=dice.below(3) {
        let at = dice.below(bytes.len());
        match dice.below(5) {
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => bytes[at] = dice.one_of(SIGNS),
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, bytes[dice.below(bytes.len())]),
            _ => {
                let other = dice.below(bytes.len());
                bytes.swap(at, other);
            }
        }
    }
}

fn assert_sound(state: &FlockState, scene: &Scene, what: &str) {
    let finite =
        |points: &[_]| points.iter().all(|p: &flockwork::model::vector::Point| p.is_finite());
    assert!(finite(&state.position) && finite(&state.velocity), "{what}");
    let flat = |p: &flockwork::model::vector::Point| p.z == 0.0;
    let in_plane = state.position.iter().chain(&state.velocity).all(flat);
    assert!(in_plane || !scene.world.is_flat(), "{what}: out of the plane");
}

/// Reads the file with damage, again and again. Returns how often it was taken all the same.
fn taken(whole: &Path, seeds: u64) -> u64 {
    let bytes = std::fs::read(whole).unwrap();
    let path = whole.with_file_name(format!("damaged-{}", whole.file_name().unwrap().display()));
    let mut taken = 0;
    for seed in 0..seeds {
        let mut damaged = bytes.clone();
        damage(&mut damaged, seed);
        std::fs::write(&path, &damaged).unwrap();
        match resume(&path) {
            Ok(prepared) => {
                assert_sound(&prepared.state, &prepared.scene, &format!("{path:?}, {seed}"));
                taken += 1;
            }
            Err(error) => {
                let message = format!("{error:#}");
                assert!(message.len() < 1500, "{path:?}, {seed}: {message}");
            }
        }
    }
    taken
}

#[test]
fn a_damaged_file_is_read_or_refused() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [plane, space] = folders.each_ref().map(tempfile::TempDir::path);
    for [csv, npz] in [files_of_a_run(plane), space::files_of_a_run(space)] {
        // Many changes of a digit give another number; nearly none of an archive passes its sums.
        let (of_csv, of_npz) = (taken(&csv, 600), taken(&npz, 600));
        assert!((30..500).contains(&of_csv), "{of_csv} of 600 were taken");
        assert!(of_npz < 300, "{of_npz} of 600 were taken");
    }
}

/// A session in a world of this size, with an event of every kind.
fn session(size: &str, place: &str) -> String {
    format!(
        "session = 2\nticks = 60\nscene = \"\"\"\nworld.size = {size}\n[[targets]]\nname = \"food\"\n\
         position = {place}\n[[obstacles]]\nposition = {place}\n[[paths]]\npoints = [{place}, \
         {size}]\n[species.a]\ncount = 9\n[species.a.wander]\n\"\"\"\n[[event]]\ntick = 3\npointer = \
         {place}\n[[event]]\ntick = 4\nlead = {place}\n[[event]]\ntick = 4\nmove = {{ target = \"food\", \
         to = {place} }}\n[[event]]\ntick = 7\nobstacles = {{ insert = [{}, 9]] }}\n[[event]]\ntick = 7\n\
         paths = {{ insert = [{{ name = \"p\", points = [{place}, {size}], shown = true }}] }}\n\
         [[event]]\ntick = 7\nset = [\"a.max_speed=2\"]\n[[event]]\ntick = 7\nremove = [1]\n\
         [[event]]\ntick = 7\n[[event.add]]\nspecies = \"a\"\nplaces = [{place}]\n\
         [[event]]\ntick = 9\ntargets = {{ insert = [{{ name = \"x\", position = {place}, \
         velocity = {place}, sends_to = {place}, active = true }}] }}\n",
        place.trim_end_matches(']')
    )
}

#[test]
fn a_damaged_session_is_read_or_refused() {
    for (size, place) in [("[90, 60]", "[10, 20.5]"), ("[90, 60, 40]", "[10, 20.5, 30]")] {
        let whole = session(size, place);
        // The scene of a session, and its events: as the commands read them, but for the flock.
        let read = |text: &str| -> Result<usize, String> {
            let recording = Recording::read(text)?;
            let scene = Scene::parse("damaged", &recording.source.text);
            let scene = scene.map_err(|error| error.to_string())?;
            let request = Request { count: Some(9), ..Request::default() };
            let (scene, state) = scene.populate(&request).map_err(|error| error.to_string())?;
            assert_sound(&state, &scene, text);
            Ok(recording.events(&scene)?.len())
        };
        assert_eq!(read(&whole), Ok(9));
        let mut taken = 0;
        for seed in 0..3000 {
            let mut bytes = whole.clone().into_bytes();
            damage(&mut bytes, seed);
            let text = String::from_utf8_lossy(&bytes);
            match read(&text) {
                Ok(_) => taken += 1,
                Err(message) => {
                    assert!(message.len() < 700 && !message.contains('\n'), "{seed}: {message}");
                }
            }
        }
        assert!((50..2000).contains(&taken), "{taken} of 3000 were taken");
    }
}
