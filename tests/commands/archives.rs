//! NumPy archives and their arrays, written and read by hand.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The entries of an archive.
pub type Entries = BTreeMap<String, Vec<u8>>;

pub fn entries(path: &Path) -> Entries {
    let mut archive = ZipArchive::new(File::open(path).unwrap()).unwrap();
    let mut entries = Entries::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let (name, mut bytes) = (file.name().unwrap().into_owned(), Vec::new());
        file.read_to_end(&mut bytes).unwrap();
        entries.insert(name, bytes);
    }
    entries
}

/// Writes an archive of these entries.
pub fn write<N: AsRef<str>, B: AsRef<[u8]>>(
    path: &Path,
    entries: impl IntoIterator<Item = (N, B)>,
    method: CompressionMethod,
) {
    let mut archive = ZipWriter::new(File::create(path).unwrap());
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in entries {
        archive.start_file(name.as_ref(), options).unwrap();
        archive.write_all(bytes.as_ref()).unwrap();
    }
    archive.finish().unwrap();
}

/// An array: version, the length that the header claims, the header, and the data.
pub fn array_with(version: u8, claimed: u32, header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((claimed as u16).to_le_bytes()),
        _ => bytes.extend(claimed.to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// The header of an array whose rows come first.
pub fn header(kind: &str, shape: &str) -> String {
    format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}\n")
}

/// An array with its header.
pub fn array(header: &str, data: &[u8]) -> Vec<u8> {
    array_with(1, header.len() as u32, header, data)
}
