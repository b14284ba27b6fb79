//! A film whose end meets its beginning: its last frames fade into its first.

use super::{Frame, RecordError, Recorder};

/// Leaves the first frames out and fades the last into them, so that the frame after the last is the first
/// that was passed on.
pub struct Looped<'a> {
    frames: &'a mut dyn Recorder,
    /// Frames of the whole film, those left out included.
    total: u64,
    fade: u64,
    seen: u64,
    /// The frames left out.
    beginning: Vec<Frame>,
}

impl<'a> Looped<'a> {
    /// Of `total` frames the last `fade` fade into the first `fade`.
    pub fn new(frames: &'a mut dyn Recorder, total: u64, fade: u64) -> Self {
        Self { frames, total, fade, seen: 0, beginning: Vec::new() }
    }

    /// Ends the film. One that stopped before its first frame has the frames that were left out. Returns the
    /// number of frames passed on.
    pub fn end(&mut self) -> Result<u64, RecordError> {
        if self.seen > self.fade {
            return Ok(self.seen - self.fade);
        }
        for frame in self.beginning.drain(..) {
            self.frames.push(frame)?;
        }
        Ok(self.seen)
    }
}

impl Recorder for Looped<'_> {
    fn push(&mut self, mut frame: Frame) -> Result<(), RecordError> {
        let number = self.seen;
        self.seen += 1;
        if number < self.fade {
            self.beginning.push(frame);
            return Ok(());
        }
        let place = number.checked_sub(self.total - self.fade);
        if let Some((place, first)) =
            place.and_then(|at| Some((at, self.beginning.get(at as usize)?)))
        {
            // Neither picture alone has a share of 0: both ends of the fade have such neighbours.
            let (whole, share) = (self.fade as u32 + 1, place as u32 + 1);
            for (channel, other) in frame.pixels.iter_mut().zip(&first.pixels) {
                let sum = u32::from(*channel) * (whole - share) + u32::from(*other) * share;
                *channel = ((sum + whole / 2) / whole) as u8;
            }
        }
        self.frames.push(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::greys::Greys;

    /// The frames passed on of those with these values.
    fn passed(values: &[u8], total: u64, fade: u64) -> Vec<u8> {
        let mut kept = Greys::default();
        let mut looped = Looped::new(&mut kept, total, fade);
        for value in values {
            looped.push(Frame::filled(2, 2, [*value; 3])).unwrap();
        }
        let frames = looped.end().unwrap();
        assert_eq!(frames, kept.0.len() as u64);
        kept.0
    }

    #[test]
    fn the_last_frames_fade_into_the_first() {
        // 50 has two thirds of the first mixture, and 60 a third of the second.
        assert_eq!(passed(&[0, 10, 20, 30, 40, 50, 60], 7, 2), [20, 30, 40, 33, 27]);
        let ramp: Vec<u8> = (0..100).collect();
        let film = passed(&ramp, 100, 20);
        let steps = film.windows(2).map(|pair| pair[0].abs_diff(pair[1])).max();
        assert!(steps <= Some(4), "{steps:?}: no step of the film is a jump");
        assert!(film[79].abs_diff(film[0]) <= 4, "nor is the one from its end to its beginning");
        assert!(passed(&ramp, 100, 0)[99].abs_diff(0) > 90, "the control: without a fade");
    }

    #[test]
    fn a_film_that_ends_too_soon_has_its_frames() {
        assert_eq!(passed(&[0, 10], 7, 2), [0, 10]);
        assert_eq!(passed(&[0, 10, 20, 30], 7, 2), [20, 30]);
        assert_eq!(passed(&[], 7, 2), [0; 0]);
    }
}
