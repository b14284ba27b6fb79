//! GIF films.

use std::io::Write;

use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, ImageError, RgbaImage};

use super::palette::palette;
use super::{Film, Frame, RecordError, Recorder};

/// Most frames per second: viewers slow a GIF with delays under 0.02 s to 10 frames per second.
pub const HIGHEST_RATE: f64 = 50.0;

/// A GIF that repeats for ever.
pub struct GifRecorder<W: Write> {
    encoder: GifEncoder<W>,
    rate: f64,
    /// Frames so far.
    count: u64,
}

fn failed(error: ImageError) -> RecordError {
    match error {
        ImageError::IoError(error) => error.into(),
        other => RecordError::Encode { format: "GIF", message: other.to_string() },
    }
}

impl<W: Write> GifRecorder<W> {
    /// Writes to `out`, frame by frame.
    pub fn new(out: W, film: Film) -> Result<Self, RecordError> {
        if film.rate > HIGHEST_RATE {
            return Err(RecordError::Unsuitable(format!(
                "--fps {}: a GIF shows at most {HIGHEST_RATE} frames a second; lower --fps, or \
                 write .apng or .mp4",
                film.rate
            )));
        }
        // The speed matters only for pictures of more than 256 colours, and these have fewer.
        let mut encoder = GifEncoder::new_with_speed(out, 30);
        encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        Ok(Self { encoder, rate: film.rate, count: 0 })
    }

    /// How long the next frame is shown, in hundredths of a second, the format's unit. Delays
    /// differ by one at most, so that the whole film keeps its rate.
    fn delay(&self) -> u64 {
        let shown = |frames: u64| (frames as f64 * 100.0 / self.rate).round() as u64;
        shown(self.count + 1) - shown(self.count)
    }
}

impl<W: Write> Recorder for GifRecorder<W> {
    fn push(&mut self, mut frame: Frame) -> Result<(), RecordError> {
        palette().reduce(&mut frame);
        let milliseconds = u32::try_from(self.delay() * 10).unwrap_or(u32::MAX);
        let delay = Delay::from_numer_denom_ms(milliseconds, 1);
        self.count += 1;
        let Some(image) = RgbaImage::from_raw(frame.width, frame.height, frame.pixels) else {
            let message = "a frame has too few pixels".into();
            return Err(RecordError::Encode { format: "GIF", message });
        };
        let frame = image::Frame::from_parts(image, 0, 0, delay);
        self.encoder.encode_frame(frame).map_err(failed)
    }

    fn finish(self: Box<Self>) -> Result<(), RecordError> {
        // Dropping the encoder writes the trailer.
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use image::AnimationDecoder;
    use image::codecs::gif::GifDecoder;

    use super::super::png::tests::pattern;
    use super::*;

    fn encoded(rate: f64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let film = Film { width: 33, height: 21, rate };
        let mut recorder = Box::new(GifRecorder::new(&mut bytes, film).unwrap());
        for n in 0..30 {
            recorder.push(pattern(33, 21, n)).unwrap();
        }
        recorder.finish().unwrap();
        bytes
    }

    #[test]
    fn frames_read_back_in_the_colours_of_the_palette() {
        let bytes = encoded(30.0);
        assert_eq!(bytes, encoded(30.0), "the same frames give the same bytes");
        let decoder = GifDecoder::new(std::io::Cursor::new(bytes)).unwrap();
        let frames = decoder.into_frames().collect_frames().unwrap();
        assert_eq!(frames.len(), 30);
        let mut time = 0;
        for (n, frame) in frames.into_iter().enumerate() {
            time += frame.delay().numer_denom_ms().0;
            let mut expected = pattern(33, 21, n as u32);
            palette().reduce(&mut expected);
            assert_eq!(frame.into_buffer().into_raw(), expected.pixels);
        }
        assert_eq!(time, 1000, "30 frames at 30 a second take a second");
    }

    #[test]
    fn a_rate_that_no_viewer_shows_is_refused() {
        let film = Film { width: 8, height: 8, rate: 60.0 };
        let error = GifRecorder::new(Vec::new(), film).err().unwrap();
        assert!(error.to_string().contains("--fps 60"), "{error}");
    }
}
