//! Motion blur: each frame is the mean of several pictures.

use super::{Frame, RecordError, Recorder};

/// Passes the mean of every group of pictures on. The first group is a single picture.
pub struct Averaged<'a> {
    frames: &'a mut dyn Recorder,
    /// Pictures of each later group.
    parts: u32,
    /// Pictures of this group.
    group: u32,
    /// Pictures that it still lacks.
    lacks: u32,
    /// The sum of the group's channels so far.
    sums: Vec<u32>,
}

impl<'a> Averaged<'a> {
    /// Groups of `parts` pictures, at least one.
    pub fn new(frames: &'a mut dyn Recorder, parts: u32) -> Self {
        Self { frames, parts: parts.max(1), group: 1, lacks: 1, sums: Vec::new() }
    }
}

impl Recorder for Averaged<'_> {
    fn push(&mut self, mut frame: Frame) -> Result<(), RecordError> {
        self.sums.resize(frame.pixels.len(), 0);
        for (sum, channel) in self.sums.iter_mut().zip(&frame.pixels) {
            *sum += u32::from(*channel);
        }
        self.lacks -= 1;
        if self.lacks > 0 {
            return Ok(());
        }
        let parts = self.group;
        for (channel, sum) in frame.pixels.iter_mut().zip(&mut self.sums) {
            *channel = ((std::mem::take(sum) + parts / 2) / parts) as u8;
        }
        (self.group, self.lacks) = (self.parts, self.parts);
        self.frames.push(frame)
    }

    fn finish(self: Box<Self>) -> Result<(), RecordError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::greys::Greys;

    #[test]
    fn a_frame_is_the_mean_of_its_pictures() {
        let mut kept = Greys::default();
        let mut averaged = Averaged::new(&mut kept, 3);
        for grey in [90, 10, 20, 60, 255, 255, 255, 0, 0, 1, 7] {
            averaged.push(Frame::filled(3, 2, [grey; 3])).unwrap();
        }
        assert_eq!(kept.0, [90, 30, 255, 0]);
    }
}
