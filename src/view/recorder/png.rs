//! One PNG picture.

use std::io::Write;

use ::png::text_metadata::TEXtChunk;

use super::{Frame, RecordError, Recorder, without_frames};

/// Converts an error of the encoder.
pub(super) fn failed(format: &'static str) -> impl Fn(::png::EncodingError) -> RecordError {
    move |error| match error {
        ::png::EncodingError::IoError(error) => error.into(),
        other => RecordError::Encode { format, message: other.to_string() },
    }
}

/// An encoder for pictures: 8 bits per channel, sRGB, with or without alpha.
pub(super) fn encoder<W: Write>(
    out: W,
    width: u32,
    height: u32,
    alpha: bool,
) -> ::png::Encoder<'static, W> {
    let mut encoder = ::png::Encoder::new(out, width, height);
    encoder.set_color(if alpha { ::png::ColorType::Rgba } else { ::png::ColorType::Rgb });
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.set_source_srgb(::png::SrgbRenderingIntent::Perceptual);
    encoder
}

/// Writes a comment, if it has any text, under the format's own keyword.
pub(super) fn write_comment<W: Write>(
    writer: &mut ::png::Writer<W>,
    comment: &str,
) -> Result<(), ::png::EncodingError> {
    let chunk = || TEXtChunk::new("Comment", comment);
    if comment.is_empty() { Ok(()) } else { writer.write_text_chunk(&chunk()) }
}

/// Writes `frame` as a PNG with a comment; with alpha if it is transparent.
pub fn write<W: Write>(out: W, frame: &Frame, comment: &str) -> Result<(), RecordError> {
    write_at(::png::Compression::Balanced, out, frame, comment)
}

/// Encodes in a tenth of the time with a sixth more bytes, for sequences. Measured on a frame of
/// 200,000 agents, 1280 × 720: 10 ms and 2.6 MB instead of 150 ms and 2.2 MB.
pub fn write_fast<W: Write>(out: W, frame: &Frame, comment: &str) -> Result<(), RecordError> {
    write_at(::png::Compression::Fast, out, frame, comment)
}

fn write_at<W: Write>(
    compression: ::png::Compression,
    out: W,
    frame: &Frame,
    comment: &str,
) -> Result<(), RecordError> {
    let (alpha, fail) = (frame.is_transparent(), failed("PNG"));
    let mut encoder = encoder(out, frame.width, frame.height, alpha);
    encoder.set_compression(compression);
    let mut writer = encoder.write_header().map_err(&fail)?;
    write_comment(&mut writer, comment).map_err(&fail)?;
    writer.write_image_data(&bytes(frame, alpha)).map_err(&fail)?;
    writer.finish().map_err(&fail)
}

/// The bytes of a picture as files have them.
pub(super) fn bytes(frame: &Frame, alpha: bool) -> Vec<u8> {
    if alpha { frame.to_straight() } else { frame.to_rgb() }
}

/// A single picture: the last frame that was pushed.
#[derive(Debug)]
pub struct PngRecorder<W: Write> {
    out: W,
    comment: String,
    last: Option<Frame>,
}

impl<W: Write> PngRecorder<W> {
    /// Writes to `out` on `finish`.
    pub fn new(out: W, comment: &str) -> Self {
        Self { out, comment: comment.into(), last: None }
    }
}

impl<W: Write> Recorder for PngRecorder<W> {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        self.last = Some(frame);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), RecordError> {
        let Self { out, comment, last } = *self;
        write(out, &last.ok_or_else(without_frames)?, &comment)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A frame that cannot be right by chance; `n` shifts it.
    pub fn pattern(width: u32, height: u32, n: u32) -> Frame {
        let mut frame = Frame::filled(width, height, [0, 0, 0]);
        for (i, pixel) in frame.pixels.chunks_exact_mut(4).enumerate() {
            let (x, y) = (i as u32 % width, i as u32 / width);
            let at = [x * 7 + n * 13, y * 5 + n, x * y + n * 3].map(|v| v as u8);
            pixel[..3].copy_from_slice(&at);
        }
        frame
    }

    /// Records these frames, to the end.
    pub fn record(mut recorder: Box<impl Recorder>, frames: impl IntoIterator<Item = Frame>) {
        frames.into_iter().for_each(|frame| recorder.push(frame).unwrap());
        recorder.finish().unwrap();
    }

    /// The pixels of a frame with alpha, and its duration if it belongs to a film: numerator,
    /// denominator.
    type Decoded = (Vec<u8>, Option<(u16, u16)>);

    /// The frames of a PNG.
    pub fn decoded(bytes: &[u8]) -> Vec<Decoded> {
        let mut reader = ::png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let count = reader.info().animation_control().map_or(1, |film| film.num_frames);
        let frame = |_| {
            let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut rgb).unwrap();
            let shown =
                reader.info().frame_control().map(|frame| (frame.delay_num, frame.delay_den));
            if reader.output_color_type().0 == ::png::ColorType::Rgba {
                return (rgb, shown);
            }
            (rgb.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect(), shown)
        };
        (0..count).map(frame).collect()
    }

    #[test]
    fn a_picture_reads_back() {
        let frame = pattern(37, 23, 1);
        let (mut bytes, mut fast) = (Vec::new(), Vec::new());
        write(&mut bytes, &frame, "").unwrap();
        write_fast(&mut fast, &frame, "").unwrap();
        assert!(bytes != fast);
        for bytes in [bytes, fast] {
            assert_eq!(decoded(&bytes), [(frame.pixels.clone(), None)]);
        }
    }

    #[test]
    fn a_transparent_picture_reads_back() {
        let mut frame = pattern(9, 7, 3);
        frame.pixels[20..24].fill(0);
        // Half transparent and multiplied by that, as pictures are here. A file has the colour itself.
        frame.pixels[24..28].copy_from_slice(&[100, 40, 0, 128]);
        let mut bytes = Vec::new();
        write(&mut bytes, &frame, "").unwrap();
        let mut straight = frame.pixels.clone();
        straight[24..28].copy_from_slice(&[199, 80, 0, 128]);
        assert_eq!(decoded(&bytes), [(straight, None)]);
    }

    #[test]
    fn the_last_frame_makes_the_picture() {
        let mut bytes = Vec::new();
        let frames = (0..2).map(|n| pattern(8, 8, n));
        record(Box::new(PngRecorder::new(&mut bytes, "")), frames);
        assert_eq!(decoded(&bytes), [(pattern(8, 8, 1).pixels, None)]);
        let error = Box::new(PngRecorder::new(Vec::new(), "")).finish().unwrap_err().to_string();
        assert!(error.contains("there is no frame"), "{error}");
    }
}
