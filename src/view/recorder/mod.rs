//! Encodes frames as pictures and films, one file per format.
//!
//! A recorder takes frames in order and writes them to a writer, a folder's sink, or a path for
//! another program. Where these lie on disk is up to the command. The same frames give the same
//! bytes.
//!
//! Each format has a place for a comment. It takes a text in ASCII, or an empty one for no comment.

pub mod apng;
pub mod averaged;
pub mod gif;
pub mod looped;
pub mod mp4;
mod palette;
pub mod png;
pub mod sequence;

use std::io;

use crate::frame::Frame;

pub use apng::ApngRecorder;
pub use gif::GifRecorder;
pub use mp4::Mp4Recorder;
pub use png::PngRecorder;
pub use sequence::SequenceRecorder;

/// Why a picture or film cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The writer failed; its error names the path.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// The encoder failed.
    #[error("cannot encode {format}: {message}")]
    Encode {
        /// Name of the format.
        format: &'static str,
        /// The encoder's message.
        message: String,
    },
    /// ffmpeg is missing, lacks the encoder, or failed.
    #[error("{0}")]
    Ffmpeg(String),
    /// A picture size or frame rate that the format cannot hold.
    #[error("{0}")]
    Unsuitable(String),
}

/// Takes frames in order. After [`Recorder::finish`] the output is complete, however many frames it
/// got; none is an error.
pub trait Recorder {
    /// Takes the next frame. All frames have the same size.
    fn push(&mut self, frame: Frame) -> Result<(), RecordError>;

    /// Completes the picture or film; by itself does nothing.
    fn finish(self: Box<Self>) -> Result<(), RecordError> {
        Ok(())
    }
}

/// Size and rate of a film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Film {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Frames per second: above 0, and at most 1000.
    pub rate: f64,
    /// True if frames may be transparent, which only APNG can hold.
    pub alpha: bool,
}

/// The error of an output that ends before its first frame: no program opens such a file.
fn without_frames() -> RecordError {
    RecordError::Unsuitable("there is no frame to write: record one at least".into())
}

/// Most frames per second.
const MAX_RATE: f64 = 1000.0;

impl Film {
    /// Refuses a rate that no film has, and sides above `most` pixels or without any.
    fn check(&self, format: &str, most: u32) -> Result<(), RecordError> {
        let Self { width, height, rate, .. } = *self;
        if !(rate > 0.0 && rate <= MAX_RATE) {
            let problem =
                format!("a film shows more than 0 and at most {MAX_RATE} frames a second");
            let way = if rate > MAX_RATE { "lower" } else { "raise" };
            return Err(RecordError::Unsuitable(format!("--fps {rate}: {problem}; {way} --fps")));
        }
        if [width, height].iter().any(|side| !(1..=most).contains(side)) {
            return Err(RecordError::Unsuitable(format!(
                "--size {width}x{height}: {format} is 1 to {most} pixels wide and high; choose another --size"
            )));
        }
        Ok(())
    }

    /// Refuses a frame of another size.
    fn check_frame(&self, frame: &Frame) -> Result<(), RecordError> {
        let [own, other] = [[self.width, self.height], [frame.width, frame.height]];
        if own == other {
            return Ok(());
        }
        let [own, other] = [own, other].map(|[width, height]| format!("{width}x{height}"));
        Err(RecordError::Unsuitable(format!(
            "a frame of {other} pixels does not fit a film of {own}; give all frames one size"
        )))
    }
}

#[cfg(test)]
mod greys {
    use super::{Frame, RecordError, Recorder};

    /// Keeps the first channel of every frame.
    #[derive(Default)]
    pub struct Greys(pub Vec<u8>);

    impl Recorder for Greys {
        fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
            self.0.push(frame.pixels[0]);
            Ok(())
        }
    }
}
