//! Reads the user's files, and never more than such a file can hold.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::path::Path;

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

/// A hash of the bytes of a file, the same in every process of this program.
pub fn hash_of(path: &Path) -> io::Result<u64> {
    let (mut file, mut hasher) = (File::open(path)?, DefaultHasher::new());
    let mut bytes = vec![0; 1 << 16];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(hasher.finish()),
            read => hasher.write(&bytes[..read]),
        }
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
}
