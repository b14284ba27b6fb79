//! Pictures read back from PNG files.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

use std::io::Cursor;
use std::path::Path;

use flockwork::view::frame::Frame;

/// The first picture of a PNG of any colour type; `None` if the file is incomplete.
pub fn decode(bytes: &[u8]) -> Option<Frame> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let mut samples = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut samples).ok()?;
    reader.finish().ok()?;
    let opaque = |p: &[u8]| match *p {
        [grey] | [grey, _] => [grey, grey, grey, 255],
        [r, g, b, ..] => [r, g, b, 255],
        [] => [0; 4],
    };
    let pixels = samples.chunks_exact(info.color_type.samples()).flat_map(opaque).collect();
    Some(Frame { width: info.width, height: info.height, pixels })
}

/// The picture in a file.
pub fn open(path: &Path) -> Frame {
    let bytes = std::fs::read(path).unwrap();
    decode(&bytes).unwrap_or_else(|| panic!("{} is not whole", path.display()))
}
