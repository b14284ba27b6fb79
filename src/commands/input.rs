//! Reads the user's files, and never more than such a file can hold.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Longest line of a state file; bytes. Its seven numbers take about 150.
const LONGEST_LINE: usize = 1 << 16;

/// Reads a text file of at most `most` bytes. A longer or endless file is refused after that many.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    let mut file = File::open(path)?.take(most + 1);
    let read = file.read_to_string(&mut text);
    // When the limit cuts a character in two, that is not the file's fault.
    if file.limit() == 0 {
        let problem = format!("it is longer than {most} bytes, the limit");
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    read.map(|_| text)
}

/// A reader that fails when a line is too long.
#[derive(Debug)]
pub struct Lines<R> {
    inner: R,
    /// Bytes since the last line end.
    length: usize,
}

impl<R: Read> Lines<R> {
    /// Wraps `inner`, which is at the beginning of a line.
    pub fn of(inner: R) -> Self {
        Self { inner, length: 0 }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        for line in buffer[..count].split_inclusive(|byte| *byte == b'\n') {
            self.length += line.len();
            if self.length > LONGEST_LINE {
                let problem = format!("a line is longer than {LONGEST_LINE} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            if line.ends_with(b"\n") {
                self.length = 0;
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_to_its_limit_and_not_beyond() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, "grün").unwrap();
        assert_eq!(read_text(&path, 5).unwrap(), "grün");
        for most in 0..5 {
            let error = read_text(&path, most).unwrap_err();
            assert!(error.to_string().contains(&format!("longer than {most} bytes")), "{error}");
        }
        std::fs::write(&path, [b'a', 0xff]).unwrap();
        assert!(read_text(&path, 5).unwrap_err().to_string().contains("UTF-8"));
    }

    #[test]
    fn an_endless_line_is_refused() {
        let mut all = Vec::new();
        let whole = [vec![b'a'; LONGEST_LINE - 1], vec![b'\n']].concat().repeat(3);
        Lines::of(&whole[..]).read_to_end(&mut all).unwrap();
        assert!(all == whole);
        assert!(Lines::of(io::repeat(0)).read_to_end(&mut all).is_err());
    }
}
