//! Frames that are each the mean of several pictures: motion blur, and samples.

use super::{Frame, RecordError, Recorder};
use crate::style::light_of;

/// Full light in a sum.
const LIGHT: f32 = 65_535.0;

/// Passes the mean of every group of pictures on.
pub struct Averaged<'a> {
    frames: &'a mut dyn Recorder,
    /// Pictures of each later group.
    parts: u32,
    /// Pictures of this group.
    group: u32,
    /// Pictures that it has.
    has: u32,
    /// If light is averaged: the light of each channel, and the light from which on the next channel is nearer.
    light: Option<[[u32; 256]; 2]>,
    /// The sum of the group's channels so far.
    sums: Vec<u32>,
    /// The picture before, of an unfinished group.
    last: Option<Frame>,
    /// Frames passed on.
    passed: u64,
}

impl<'a> Averaged<'a> {
    /// The means of channels, as sRGB has them: of the first picture, and then of groups of `parts`, at least
    /// one.
    pub fn of_channels(frames: &'a mut dyn Recorder, parts: u32) -> Self {
        let (parts, sums) = (parts.max(1), Vec::new());
        Self { frames, parts, group: 1, has: 0, light: None, sums, last: None, passed: 0 }
    }

    /// The means of groups of `parts` pictures, at least one: of their light, or of their channels if pictures
    /// are `transparent`, because programs blend those.
    pub fn of_light(frames: &'a mut dyn Recorder, parts: u32, transparent: bool) -> Self {
        let light = |channel: f32| (LIGHT * light_of(channel / 255.0)).round() as u32;
        let all = |beyond| std::array::from_fn(|channel| light(channel as f32 + beyond));
        let light = (!transparent).then(|| [all(0.0), all(0.5)]);
        Self { group: parts.max(1), light, ..Self::of_channels(frames, parts) }
    }

    /// Ends the film. If it stopped before its first frame, that is the mean of what there is.
    pub fn end(&mut self) -> Result<(), RecordError> {
        let Some(last) = self.last.take().filter(|_| self.passed == 0) else { return Ok(()) };
        let frame = self.mean(last);
        self.frames.push(frame)
    }

    /// The mean of the group; the next one begins.
    fn mean(&mut self, mut frame: Frame) -> Frame {
        let parts = std::mem::take(&mut self.has);
        let sums = self.sums.iter_mut().map(|sum| (std::mem::take(sum) + parts / 2) / parts);
        for (at, (channel, mean)) in frame.pixels.iter_mut().zip(sums).enumerate() {
            *channel = match &self.light {
                Some([_, next]) if at % 4 != 3 => next[..255].partition_point(|next| *next <= mean),
                _ => mean as usize,
            } as u8;
        }
        (self.group, self.passed) = (self.parts, self.passed + 1);
        frame
    }
}

impl Recorder for Averaged<'_> {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        if self.group == 1 {
            (self.group, self.passed) = (self.parts, self.passed + 1);
            return self.frames.push(frame);
        }
        self.sums.resize(frame.pixels.len(), 0);
        for (at, (sum, channel)) in self.sums.iter_mut().zip(&frame.pixels).enumerate() {
            *sum += match &self.light {
                Some([light, _]) if at % 4 != 3 => light[usize::from(*channel)],
                _ => u32::from(*channel),
            };
        }
        self.has += 1;
        if self.has < self.group {
            self.last = Some(frame);
            return Ok(());
        }
        self.last = None;
        let frame = self.mean(frame);
        self.frames.push(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::greys::Greys;

    #[test]
    fn a_frame_is_the_mean_of_its_pictures() {
        let mut kept = Greys::default();
        let mut averaged = Averaged::of_channels(&mut kept, 3);
        for grey in [90, 10, 20, 60, 255, 255, 255, 0, 0, 1, 7] {
            averaged.push(Frame::filled(3, 2, [grey; 3])).unwrap();
        }
        averaged.end().unwrap();
        assert_eq!(kept.0, [90, 30, 255, 0]);
    }

    fn mean_light(greys: &[u8], parts: u32, transparent: bool) -> Vec<u8> {
        let mut kept = Greys::default();
        let mut averaged = Averaged::of_light(&mut kept, parts, transparent);
        for grey in greys {
            averaged.push(Frame::filled(3, 2, [*grey; 3])).unwrap();
        }
        averaged.end().unwrap();
        kept.0
    }

    #[test]
    fn light_is_averaged_as_light() {
        // Half the light of white is grey 188, and a quarter 137.
        assert_eq!(mean_light(&[0, 255, 255, 0, 9, 9], 2, false), [188, 188, 9]);
        assert_eq!(mean_light(&[0, 0, 255, 0], 4, false), [137]);
        assert_eq!(mean_light(&[0, 0, 255, 0], 4, true), [64]);
        // Equal pictures are their own mean.
        let every: Vec<u8> = (0..=255).flat_map(|grey| [grey; 3]).collect();
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(mean_light(&every, 3, false), all);
    }

    #[test]
    fn a_film_that_ends_in_its_first_frame_has_it() {
        assert_eq!(mean_light(&[0, 255], 8, false), [188]);
        assert_eq!(mean_light(&[0, 255, 7, 7], 2, false), [188, 7]);
        assert_eq!(mean_light(&[0, 255, 7], 2, false), [188]);
        assert_eq!(mean_light(&[], 2, false), [0; 0]);
    }
}
