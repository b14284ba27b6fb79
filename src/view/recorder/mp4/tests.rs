//! Films of ffmpeg, decoded by it.

use super::super::png::tests::{pattern, record};
use super::*;
use crate::recorder::Recorder;
use crate::style::Backdrop;
use flockwork_model::scene::{Background, BackgroundName};

/// The film's frames as ffmpeg decodes them; RGB.
fn decoded(path: &Path) -> Vec<u8> {
    let output = Command::new("ffmpeg")
        .args(["-loglevel", "error", "-i"])
        .arg(path)
        .args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        .output()
        .unwrap();
    output.stdout
}

#[test]
fn a_film_of_odd_size_is_padded_and_repeatable() {
    if let Err(reason) = check() {
        return eprintln!("skipped: {reason}");
    }
    let film = Film { width: 63, height: 47, rate: 30.0, alpha: false };
    let filmed = || {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let recorder = Box::new(Mp4Recorder::start(file.path(), film, "").unwrap());
        let grey = |n: u8| Frame::filled(63, 47, [n * 20, 100, 200 - n * 10]);
        record(recorder, (0..12).map(grey));
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        (file, bytes)
    };
    let ((file, first), (_, second)) = (filmed(), filmed());
    assert!(!first.is_empty() && first == second);
    let pixels = decoded(file.path());
    assert_eq!(pixels.len(), 64 * 48 * 3 * 12);
    for (n, place) in (0..12).flat_map(|n| [(n, 20 * 64 + 20), (n, 48 * 64 - 1)]) {
        let at = (n * 64 * 48 + place) * 3;
        let expected = [n * 20, 100, 200 - n * 10];
        for (found, expected) in pixels[at..at + 3].iter().zip(expected) {
            assert!(usize::from(*found).abs_diff(expected) < 8, "{found} and {expected}");
        }
    }
}

/// Linux ends a child with the thread that has started it.
#[test]
fn a_film_outlives_the_thread_that_begins_it() {
    if check().is_err() {
        return;
    }
    let film = Film { width: 64, height: 48, rate: 30.0, alpha: false };
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_path_buf();
    let begun = std::thread::spawn(move || Mp4Recorder::start(&path, film, ""));
    let recorder = begun.join().unwrap().unwrap();
    std::thread::sleep(POLL);
    record(Box::new(recorder), (0..3).map(|n| pattern(64, 48, n)));
    assert!(file.path().metadata().unwrap().len() > 0);
}

#[test]
fn a_film_that_no_player_shows_is_refused() {
    let film = Film { width: 64, height: 48, rate: 30.0, alpha: false };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp4");
    let start = |film| Mp4Recorder::start(&path, film, "");
    for (film, said) in [
        (Film { rate: 0.0, ..film }, "--fps 0: "),
        (Film { rate: 1e9, ..film }, "at most 1000 frames a second; lower --fps"),
        (Film { rate: f64::NAN, ..film }, "--fps NaN: "),
        (Film { width: 0, ..film }, "--size 0x48: an MP4 film is 1 to 16384 pixels"),
        (Film { height: 16_385, ..film }, "--size 64x16385: "),
    ] {
        let error = start(film).err().unwrap().to_string();
        assert!(error.contains(said), "{error}");
    }
    if check().is_err() {
        return;
    }
    let error = Box::new(start(film).unwrap()).finish().unwrap_err().to_string();
    assert!(error.contains("there is no frame"), "{error}");
    let error = start(film).unwrap().push(pattern(64, 47, 0)).unwrap_err().to_string();
    assert!(error.contains("a frame of 64x47 pixels does not fit a film of 64x48"), "{error}");
}

#[test]
fn a_dark_gradient_keeps_its_shades() {
    if check().is_err() {
        return;
    }
    let frame = Backdrop::of(&Background::Named(BackgroundName::Night)).frame(320, 320);
    let film = Film { width: 320, height: 320, rate: 30.0, alpha: false };
    let file = tempfile::NamedTempFile::new().unwrap();
    let recorder = Box::new(Mp4Recorder::start(file.path(), film, "").unwrap());
    record(recorder, (0..8).map(|_| frame.clone()));
    // The mean of blue minus red in bands of 8 rows: the encoder keeps colour apart from lightness.
    let blues = |pixels: &[u8], bytes: usize| {
        let band = |rows: &[u8]| {
            let sum = rows.chunks_exact(bytes).map(|p| i32::from(p[2]) - i32::from(p[0]));
            f64::from(sum.sum::<i32>()) / (8.0 * 320.0)
        };
        pixels.chunks_exact(8 * 320 * bytes).map(band).collect::<Vec<f64>>()
    };
    let film = decoded(file.path());
    let (found, wanted) = (blues(&film[7 * 320 * 320 * 3..], 3), blues(&frame.pixels, 4));
    let apart = found.iter().zip(&wanted).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let apart = (apart / wanted.len() as f64).sqrt();
    assert!(apart < 0.5, "{apart}: {found:?}");
}

#[test]
fn a_better_film_is_larger() {
    if check().is_err() {
        return;
    }
    let film = Film { width: 96, height: 64, rate: 30.0, alpha: false };
    let sizes = Quality::NAMES.map(|(_, quality)| {
        let file = tempfile::NamedTempFile::new().unwrap();
        let recorder = Mp4Recorder::start_in(quality, None, file.path(), film, "").unwrap();
        record(Box::new(recorder), (0..8).map(|n| pattern(96, 64, n)));
        file.path().metadata().unwrap().len()
    });
    assert!(sizes[0] < sizes[1] && sizes[1] < sizes[2], "{sizes:?}");
}

#[test]
fn an_error_repeats_what_ffmpeg_said() {
    if check().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let film = Film { width: 64, height: 64, rate: 30.0, alpha: false };
    let path = folder.path().join("missing/a.mp4");
    let mut recorder = Box::new(Mp4Recorder::start(&path, film, "").unwrap());
    let pushed = (0..200).try_for_each(|n| recorder.push(pattern(64, 64, n)));
    let error = pushed.and_then(|()| recorder.finish()).unwrap_err();
    assert!(error.to_string().contains("No such file"), "{error}");
}
