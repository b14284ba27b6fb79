//! Frames into pictures and films: one file a format.
//!
//! A recorder takes frames in order and writes to what it is given (a writer, a folder's sink, a
//! path for another program); where that lies on a disk is the command's business. The same frames
//! give the same bytes.

pub mod apng;
pub mod gif;
pub mod mp4;
pub mod palette;
pub mod png;
pub mod sequence;

use std::io;

use crate::view::frame::Frame;

pub use apng::ApngRecorder;
pub use gif::GifRecorder;
pub use mp4::Mp4Recorder;
pub use png::PngRecorder;
pub use sequence::SequenceRecorder;

/// A picture or film that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The writer refused; it names the path.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// The encoder refused.
    #[error("cannot encode {format}: {message}")]
    Encode {
        /// Name of the format.
        format: &'static str,
        /// What it said.
        message: String,
    },
    /// ffmpeg is missing, unfit, or failed.
    #[error("{0}")]
    Ffmpeg(String),
    /// A picture or rate outside what the format holds.
    #[error("{0}")]
    Unsuitable(String),
}

/// Takes frames in order. What was written is whole after [`Recorder::finish`], however many
/// frames came.
pub trait Recorder {
    /// Takes the next frame; all have the same size.
    fn push(&mut self, frame: Frame) -> Result<(), RecordError>;

    /// Completes the picture or film.
    fn finish(self: Box<Self>) -> Result<(), RecordError>;
}

/// Size and rate of a film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Film {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Frames a second.
    pub rate: f64,
}
