//! A film whose end meets its beginning: its last frames fade into its first.

use std::collections::VecDeque;

use super::{Frame, RecordError, Recorder};

/// Leaves the first frames out and fades the last into them, so that the frame after the last is the first
/// that was passed on.
pub struct Looped<'a> {
    frames: &'a mut dyn Recorder,
    fade: usize,
    /// The first frames, which are left out.
    beginning: Vec<Frame>,
    /// The last frames so far, which fade if no more come.
    end: VecDeque<Frame>,
    /// Frames passed on.
    passed: u64,
}

impl<'a> Looped<'a> {
    /// The last `fade` frames fade into the first `fade`.
    pub fn new(frames: &'a mut dyn Recorder, fade: u64) -> Self {
        let (beginning, end) = (Vec::new(), VecDeque::new());
        Self { frames, fade: fade as usize, beginning, end, passed: 0 }
    }

    /// Ends the film. One that stopped early fades too; if it is too short, fewer of its frames do. Returns the
    /// number of frames passed on.
    pub fn end(&mut self) -> Result<u64, RecordError> {
        let fading = self.end.len();
        for frame in self.beginning.split_off(fading.min(self.beginning.len())) {
            self.pass(frame)?;
        }
        let whole = fading as u32 + 1;
        for (share, first) in (1..).zip(std::mem::take(&mut self.beginning)) {
            let Some(mut frame) = self.end.pop_front() else { break };
            // Neither picture alone has a share of 0: both ends of the fade have such neighbours.
            for (channel, other) in frame.pixels.iter_mut().zip(&first.pixels) {
                let sum = u32::from(*channel) * (whole - share) + u32::from(*other) * share;
                *channel = ((sum + whole / 2) / whole) as u8;
            }
            self.pass(frame)?;
        }
        Ok(self.passed)
    }

    fn pass(&mut self, frame: Frame) -> Result<(), RecordError> {
        self.passed += 1;
        self.frames.push(frame)
    }
}

impl Recorder for Looped<'_> {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        if self.beginning.len() < self.fade {
            self.beginning.push(frame);
            return Ok(());
        }
        self.end.push_back(frame);
        if self.end.len() <= self.fade {
            return Ok(());
        }
        self.end.pop_front().map_or(Ok(()), |frame| self.pass(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::greys::Greys;

    /// The frames passed on of those with these values.
    fn passed(values: &[u8], fade: u64) -> Vec<u8> {
        let mut kept = Greys::default();
        let mut looped = Looped::new(&mut kept, fade);
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
        assert_eq!(passed(&[0, 10, 20, 30, 40, 50, 60], 2), [20, 30, 40, 33, 27]);
        let ramp: Vec<u8> = (0..100).collect();
        let film = passed(&ramp, 20);
        let steps = film.windows(2).map(|pair| pair[0].abs_diff(pair[1])).max();
        assert!(steps <= Some(4), "{steps:?}: no step of the film is a jump");
        assert!(film[79].abs_diff(film[0]) <= 4, "nor is the one from its end to its beginning");
        assert!(passed(&ramp, 0)[99].abs_diff(0) > 90, "the control: without a fade");
    }

    #[test]
    fn a_film_that_ends_too_soon_fades_fewer_frames() {
        assert_eq!(passed(&[0, 10], 2), [0, 10]);
        assert_eq!(passed(&[0, 10, 20], 2), [10, 10]);
        assert_eq!(passed(&[0, 10, 20, 30], 2), [13, 17]);
        assert_eq!(passed(&[], 2), [0; 0]);
    }
}
