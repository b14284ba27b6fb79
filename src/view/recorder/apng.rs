//! Animated PNG: films without loss.

use std::io::{Seek, SeekFrom, Write};

use super::png::{bytes, encoder, failed, write_comment};
use super::{Film, Frame, RecordError, Recorder, without_frames};

/// The most frames that an APNG can announce.
pub const MAX_FRAMES: u32 = i32::MAX as u32;

/// Bytes of the chunk that ends a PNG.
const END: usize = 12;

/// An APNG that repeats for ever.
pub struct ApngRecorder<W: Write> {
    film: Film,
    /// Frames that the file announces, and frames so far.
    frames: [u32; 2],
    may_end_early: bool,
    comment: String,
    writer: ::png::Writer<W>,
}

/// An encoder for a film of `frames` frames.
fn film_encoder<W: Write>(
    out: W,
    film: Film,
    frames: u32,
) -> Result<::png::Encoder<'static, W>, RecordError> {
    film.check("an APNG", i32::MAX as u32)?;
    let fail = failed("APNG");
    let mut encoder = encoder(out, film.width, film.height, film.alpha);
    encoder.set_animated(frames, 0).map_err(&fail)?;
    let (numerator, denominator) = delay(film.rate);
    encoder.set_frame_delay(numerator, denominator).map_err(&fail)?;
    Ok(encoder)
}

/// How long a frame is shown: a fraction of a second in 16-bit numbers, exact if one of them is a power of ten.
fn delay(rate: f64) -> (u16, u16) {
    let powers = [1.0, 10.0, 100.0, 1000.0, 10_000.0];
    let mut fitting = powers.into_iter().filter(|n| (rate * n).round() <= 65_535.0);
    let exact = fitting.clone().find(|n| (rate * n).fract() == 0.0);
    if exact.is_none() && rate < 1.0 {
        let (denominator, numerator) = delay(rate.recip());
        return (numerator, denominator);
    }
    let numerator = exact.or(fitting.next_back()).unwrap_or(1.0);
    // `as` saturates: a frame is shown for 65,535 seconds at most.
    (numerator as u16, (rate * numerator).round() as u16)
}

impl<W: Write> ApngRecorder<W> {
    /// Writes to `out`, frame by frame. The file begins with the number of frames to come; another number is
    /// an error. The comment comes last: programs such as ffmpeg look for a film at the beginning of a file, and
    /// behind a long comment they find one picture.
    pub fn new(out: W, film: Film, frames: u32, comment: &str) -> Result<Self, RecordError> {
        let encoder = film_encoder(out, film, frames)?;
        let writer = encoder.write_header().map_err(failed("APNG"))?;
        Ok(Self {
            film,
            frames: [frames, 0],
            may_end_early: false,
            comment: comment.into(),
            writer,
        })
    }

    /// Allows fewer frames; [`correct_count`] repairs the file.
    #[must_use]
    pub fn ending_early(self) -> Self {
        Self { may_end_early: true, ..self }
    }

    /// The error for another number of frames than announced.
    fn miscounted(&self, pushed: u32) -> RecordError {
        let announced = self.frames[0];
        RecordError::Unsuitable(format!(
            "an APNG that announces {announced} frames got {pushed}; announce as many as are pushed"
        ))
    }
}

impl<W: Write> Recorder for ApngRecorder<W> {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        self.film.check_frame(&frame)?;
        let [announced, pushed] = self.frames;
        if pushed == announced {
            return Err(self.miscounted(pushed + 1));
        }
        self.frames[1] += 1;
        self.writer.write_image_data(&bytes(&frame, self.film.alpha)).map_err(failed("APNG"))
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        let [announced, pushed] = self.frames;
        if pushed < announced && !self.may_end_early {
            return Err(self.miscounted(pushed));
        }
        if pushed == 0 {
            return Err(without_frames());
        }
        let written = write_comment(&mut self.writer, &self.comment);
        written.and_then(|()| self.writer.finish()).map_err(failed("APNG"))
    }
}

/// Repairs a finished film with fewer frames than announced: rewrites its beginning.
pub fn correct_count<W: Write + Seek>(
    mut out: W,
    film: Film,
    frames: u32,
) -> Result<(), RecordError> {
    let mut beginning = Vec::new();
    let encoder = film_encoder(&mut beginning, film, frames)?;
    drop(encoder.write_header().map_err(failed("APNG"))?);
    // Dropping the writer has appended the end of a PNG.
    beginning.truncate(beginning.len().saturating_sub(END));
    out.seek(SeekFrom::Start(0))?;
    out.write_all(&beginning)?;
    out.seek(SeekFrom::End(0))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::png::tests::{decoded, pattern, record};
    use super::*;

    const FILM: Film = Film { width: 19, height: 31, rate: 25.0, alpha: false };

    fn encoded(announced: u32, pushed: u32) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        let recorder = ApngRecorder::new(&mut out, FILM, announced, "a = 1").unwrap();
        let frames = (0..pushed).map(|n| pattern(19, 31, n));
        record(Box::new(recorder.ending_early()), frames);
        if announced != pushed {
            correct_count(&mut out, FILM, pushed).unwrap();
        }
        out.into_inner()
    }

    #[test]
    fn frames_read_back_exactly() {
        let frames = decoded(&encoded(5, 5));
        assert_eq!(frames.len(), 5);
        for (n, frame) in (0..).zip(frames) {
            let shown = delay(FILM.rate);
            assert_eq!(frame, (pattern(19, 31, n).pixels, Some(shown)));
        }
    }

    #[test]
    fn the_comment_stands_behind_the_frames() {
        let bytes = encoded(2, 2);
        let place = |name: &[u8]| bytes.windows(4).rposition(|chunk| chunk == name).unwrap();
        assert!(place(b"fdAT") < place(b"tEXt") && place(b"tEXt") < place(b"IEND"));
    }

    #[test]
    fn transparent_frames_read_back() {
        let mut out = Cursor::new(Vec::new());
        let film = Film { alpha: true, ..FILM };
        let recorder = Box::new(ApngRecorder::new(&mut out, film, 2, "").unwrap());
        let mut clear = pattern(19, 31, 1);
        clear.pixels[8..80].fill(0);
        record(recorder, [pattern(19, 31, 0), clear.clone()]);
        let frames: Vec<_> = decoded(&out.into_inner()).into_iter().map(|frame| frame.0).collect();
        assert_eq!(frames, [pattern(19, 31, 0).pixels, clear.to_straight()]);
    }

    #[test]
    fn a_film_cut_short_is_a_film_of_fewer_frames() {
        assert_eq!(encoded(9, 4), encoded(4, 4));
    }

    #[test]
    fn another_film_than_announced_is_refused() {
        let begun = |film| ApngRecorder::new(Vec::new(), film, 2, "").map(Box::new);
        for (pushed, width, said) in [
            (0, 19, "announces 2 frames got 0"),
            (1, 19, "announces 2 frames got 1"),
            (3, 19, "announces 2 frames got 3"),
            (1, 8, "a frame of 8x31 pixels does not fit a film of 19x31"),
        ] {
            let mut recorder = begun(FILM).unwrap();
            let mut frames = (0..pushed).map(|n| pattern(width, 31, n));
            let error = frames.try_for_each(|frame| recorder.push(frame));
            let error = error.and_then(|()| recorder.finish()).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let empty = Box::new(begun(FILM).unwrap().ending_early());
        let error = empty.finish().unwrap_err().to_string();
        assert!(error.contains("there is no frame"), "{error}");
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = begun(Film { rate, ..FILM }).err().unwrap().to_string();
            assert!(error.starts_with(&format!("--fps {rate}: ")), "{error}");
        }
    }

    #[test]
    fn delays_are_exact_where_they_can_be() {
        assert_eq!(delay(30.0), (1, 30));
        assert_eq!(delay(12.5), (10, 125));
        assert_eq!(delay(0.3), (10, 3));
        assert_eq!(delay(29.97), (100, 2997));
        assert_eq!(delay(1.0 / 3.0), (3, 1));
        assert_eq!(delay(1e-9), (65_535, 1));
        for rate in [999.5, 58.2345, 655.36, 59.94006, 0.0123, 1000.0 / 17.0, 3.01, 0.91] {
            let (numerator, denominator) = delay(rate);
            let off = f64::from(denominator) / f64::from(numerator) / rate - 1.0;
            assert!(off.abs() < 1e-4, "{rate}: {numerator}/{denominator}");
        }
    }
}
