//! Reads the user's files, and never more than such a file can hold.

use std::fs::File;
#[cfg(feature = "cli")]
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file. All others are refused before they are opened: a pipe that nobody writes to never
/// opens, and a device never ends.
pub fn open_file(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(invalid("it is no regular file; copy its content into one".into()));
    }
    File::open(path)
}

/// Reads a text of at most `most` bytes from a regular file.
#[cfg(feature = "cli")]
pub fn read_file(path: &Path, most: u64) -> io::Result<String> {
    read(open_file(path)?, most)
}

/// Reads a text of at most `most` bytes. A longer or endless one is refused after that many. It may come
/// from a pipe, as in `--scene <(program)`.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    read(File::open(path)?, most)
}

/// Fails if a file has more than `most` bytes.
pub fn check_length(file: &File, most: u64) -> io::Result<()> {
    if file.metadata()?.len() > most { Err(too_long(most)) } else { Ok(()) }
}

fn too_long(most: u64) -> io::Error {
    invalid(format!("it is longer than {most} bytes, the limit"))
}

fn read(file: File, most: u64) -> io::Result<String> {
    let mut text = String::new();
    check_length(&file, most)?;
    let mut file = file.take(most + 1);
    let read = file.read_to_string(&mut text);
    // When the limit cuts a character in two, that is not the file's fault.
    if file.limit() == 0 {
        return Err(too_long(most));
    }
    match read {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(invalid("it is not text".into()))
        }
        read => read.map(|_| text),
    }
}

fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// A hash of the bytes of a file, the same in every process of this program.
#[cfg(feature = "cli")]
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
        assert!(read_text(&path, 5).unwrap_err().to_string().contains("not text"));
        // The folder is opened on Unix, and it cannot be read.
        for other in [folder.path(), Path::new("/dev/zero")].iter().filter(|path| path.exists()) {
            let error = open_file(other).unwrap_err();
            assert!(error.to_string().contains("no regular file"), "{error}");
        }
    }
}
