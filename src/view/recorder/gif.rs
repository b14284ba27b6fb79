//! GIF films.

use std::io::Write;

use gif::{AnyExtension, Encoder, EncodingError, Repeat};

use super::palette::Quantiser;
use super::{Film, Frame, RecordError, Recorder, without_frames};

/// Most frames per second: viewers slow a GIF with delays under 0.02 s to 10 frames per second.
pub const MAX_RATE: f64 = 50.0;

/// The label of a comment in the format.
const COMMENT: AnyExtension = AnyExtension(0xFE);

/// A GIF that repeats for ever.
pub struct GifRecorder<W: Write> {
    /// Writes the trailer when it ends, also if the film is abandoned.
    encoder: Encoder<W>,
    film: Film,
    quantiser: Quantiser,
    /// Frames so far.
    count: u64,
}

fn failed(error: EncodingError) -> RecordError {
    match error {
        EncodingError::Io(error) => error.into(),
        other => RecordError::Encode { format: "GIF", message: other.to_string() },
    }
}

impl<W: Write> GifRecorder<W> {
    /// Writes to `out`, frame by frame.
    pub fn new(out: W, film: Film, comment: &str) -> Result<Self, RecordError> {
        if film.rate > MAX_RATE {
            return Err(RecordError::Unsuitable(format!(
                "--fps {}: a GIF shows at most {MAX_RATE} frames a second; lower --fps, or \
                 write .apng or .mp4",
                film.rate
            )));
        }
        film.check("a GIF", u16::MAX.into())?;
        // Each frame has its own colours.
        let mut encoder =
            Encoder::new(out, film.width as u16, film.height as u16, &[]).map_err(failed)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        if !comment.is_empty() {
            encoder.write_raw_extension(COMMENT, &[comment.as_bytes()]).map_err(failed)?;
        }
        Ok(Self { encoder, film, quantiser: Quantiser::default(), count: 0 })
    }

    /// How long the next frame is shown, in hundredths of a second, the format's unit. Delays
    /// differ by one at most, so that the whole film keeps its rate.
    fn delay(&self) -> u16 {
        let shown = |frames: u64| (frames as f64 * 100.0 / self.film.rate).round() as u64;
        u16::try_from(shown(self.count + 1) - shown(self.count)).unwrap_or(u16::MAX)
    }
}

impl<W: Write> Recorder for GifRecorder<W> {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        self.film.check_frame(&frame)?;
        let (width, height) = (frame.width as u16, frame.height as u16);
        let (indices, palette) = self.quantiser.indices(&frame);
        let mut picture = gif::Frame::from_indexed_pixels(width, height, indices, None);
        picture.palette = Some(palette.colours().concat());
        picture.delay = self.delay();
        self.count += 1;
        self.encoder.write_frame(&picture).map_err(failed)
    }

    fn finish(self: Box<Self>) -> Result<(), RecordError> {
        if self.count == 0 {
            return Err(without_frames());
        }
        // An encoder that is dropped loses the errors of the end of the film.
        self.encoder.into_inner().map_err(failed)?.flush().map_err(RecordError::from)
    }
}

#[cfg(test)]
mod tests {
    use super::super::png::tests::{pattern, record};
    use super::*;

    fn encoded(rate: f64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let film = Film { width: 33, height: 21, rate, alpha: false };
        let recorder = GifRecorder::new(&mut bytes, film, &"x = 1\n".repeat(99)).unwrap();
        record(Box::new(recorder), (0..30).map(|n| pattern(33, 21, n)));
        bytes
    }

    #[test]
    fn frames_read_back_in_the_colours_of_the_palette() {
        let bytes = encoded(30.0);
        assert_eq!(bytes, encoded(30.0), "the same frames give the same bytes");
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&bytes[..]).unwrap();
        assert_eq!(decoder.repeat(), Repeat::Infinite);
        let (mut count, mut time) = (0, 0);
        let mut quantiser = Quantiser::default();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            let shown = pattern(33, 21, count);
            let (indices, palette) = quantiser.indices(&shown);
            let colours = indices.into_iter().flat_map(|index| {
                let [r, g, b] = palette.colours()[usize::from(index)];
                [r, g, b, 255]
            });
            assert!(frame.buffer.iter().copied().eq(colours));
            (count, time) = (count + 1, time + frame.delay);
        }
        assert_eq!((count, time), (30, 100), "30 frames at 30 a second take a second");
    }

    /// Takes this many bytes, and no more.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken > 0 { Ok(taken) } else { Err(std::io::ErrorKind::StorageFull.into()) }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_film_that_cannot_be_written_to_its_end_is_an_error() {
        let film = Film { width: 8, height: 8, rate: 25.0, alpha: false };
        let write = |room: usize| {
            let mut recorder = GifRecorder::new(Full(room), film, "")?;
            recorder.push(pattern(8, 8, 0))?;
            Box::new(recorder).finish()
        };
        let mut whole = Vec::new();
        let mut recorder = GifRecorder::new(&mut whole, film, "").unwrap();
        recorder.push(pattern(8, 8, 0)).unwrap();
        Box::new(recorder).finish().unwrap();
        let failed = |room: usize| matches!(write(room), Err(RecordError::Write(_)));
        assert!((0..whole.len()).all(failed));
        write(whole.len()).unwrap();
    }

    #[test]
    fn a_width_or_a_rate_that_no_viewer_shows_is_refused() {
        for (width, rate, said) in [
            (70_000, 25.0, "--size 70000x8: a GIF is 1 to 65535 pixels"),
            (0, 25.0, "--size 0x8: "),
            (8, 60.0, "--fps 60"),
            (8, 0.0, "--fps 0: "),
            (8, -1.0, "--fps -1: "),
            (8, f64::NAN, "--fps NaN: "),
        ] {
            let film = Film { width, height: 8, rate, alpha: false };
            let error = GifRecorder::new(Vec::new(), film, "").err().unwrap();
            assert!(error.to_string().contains(said), "{error}");
        }
        let film = Film { width: 8, height: 8, rate: 25.0, alpha: false };
        let empty = Box::new(GifRecorder::new(Vec::new(), film, "").unwrap());
        let error = empty.finish().unwrap_err().to_string();
        assert!(error.contains("there is no frame"), "{error}");
        let mut recorder = GifRecorder::new(Vec::new(), film, "").unwrap();
        recorder.push(pattern(8, 8, 0)).unwrap();
        let error = recorder.push(pattern(8, 9, 0)).unwrap_err().to_string();
        assert!(error.contains("a frame of 8x9 pixels does not fit a film of 8x8"), "{error}");
    }
}
