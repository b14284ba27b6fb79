//! The header of an NPY array and the numbers behind it, as NumPy's format 1.0 to 3.0 has them.
//!
//! The library for this, npyz 0.9, would add eleven packages, among them a generator of parsers, and
//! allocates what a header claims to have, up to 4 GiB.

use std::fmt::Display;
use std::io::{self, Read, Write};

use crate::io::{Context, Result, bail};
use crate::quote::cut;

/// How an array file begins.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Most bytes of a header, those before its text included: as many as NumPy reads.
const MAX_HEADER: usize = 10_000;

/// NumPy pads a header to a multiple of this.
const ALIGNMENT: usize = 64;

/// The header of an array file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Type of the numbers as NumPy writes it, such as `<f4`.
    pub kind: String,
    /// True when the first axis varies fastest.
    pub fortran: bool,
    /// Number of values along each axis.
    pub shape: Vec<u64>,
    /// Bytes of the header itself.
    pub bytes: usize,
}

/// A number that an array can hold.
pub trait Number: Copy + Display {
    /// NumPy's letter for its kind.
    const LETTER: char;
    /// Bytes of one.
    const SIZE: usize = size_of::<Self>();

    /// Reads one from [`Self::SIZE`] bytes.
    fn from_bytes(bytes: &[u8], big_endian: bool) -> Self;
}

macro_rules! numbers {
    ($($letter:literal: $($kind:ty)+),+) => {$($(
        impl Number for $kind {
            const LETTER: char = $letter;

            fn from_bytes(bytes: &[u8], big_endian: bool) -> Self {
                let mut own = [0; size_of::<Self>()];
                own.copy_from_slice(bytes);
                if big_endian { Self::from_be_bytes(own) } else { Self::from_le_bytes(own) }
            }
        }
    )+)+};
}

numbers!('u': u8 u16 u32 u64, 'i': i8 i16 i32 i64, 'f': f32 f64);

/// Writes the header of an array of `T` in the byte order of this machine.
pub fn write_header<T: Number>(out: &mut impl Write, shape: &[u64]) -> io::Result<()> {
    let order = match T::SIZE {
        1 => '|',
        _ if cfg!(target_endian = "big") => '>',
        _ => '<',
    };
    let kind = format!("{order}{}{}", T::LETTER, T::SIZE);
    // A tuple of one has a comma.
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    let sides = if shape.len() == 1 { sides.trim_end() } else { sides.trim_end_matches(", ") };
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sides}), }}");
    // The line's end included.
    let before = MAGIC.len() + 4;
    let whole = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.extend(std::iter::repeat_n(' ', whole - before - text.len() - 1));
    text.push('\n');
    let length = u16::try_from(text.len()).map_err(io::Error::other)?;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(text.as_bytes())
}

impl Header {
    /// Reads a header, and no byte after it.
    pub fn read(file: &mut impl Read) -> Result<Self> {
        let mut start = [0; 12];
        file.read_exact(&mut start[..10]).with_context(|| "it is cut short")?;
        if !start.starts_with(MAGIC) {
            bail!("it is no NumPy array");
        }
        // Version 1 has a length of two bytes, the later ones of four.
        let (begin, length) = if start[6] == 1 {
            (10, usize::from(u16::from_le_bytes([start[8], start[9]])))
        } else {
            file.read_exact(&mut start[10..]).with_context(|| "it is cut short")?;
            (12, u32::from_le_bytes([start[8], start[9], start[10], start[11]]) as usize)
        };
        let bytes = length.saturating_add(begin);
        if bytes > MAX_HEADER {
            bail!("its header has {length} bytes; {MAX_HEADER} are the most there can be");
        }
        let mut text = vec![0; length];
        file.read_exact(&mut text).with_context(|| "it is cut short")?;
        let text = String::from_utf8_lossy(&text);
        let (kind, fortran, shape) = Reader { rest: &text }.header().with_context(|| {
            format!("its header is not that of a plain array of numbers: {}", cut(text.trim()))
        })?;
        Ok(Self { kind, fortran, shape, bytes })
    }

    /// Number of values; nothing when a computer cannot count that far.
    pub fn count(&self) -> Option<u64> {
        self.shape.iter().try_fold(1_u64, |product, side| product.checked_mul(*side))
    }

    /// Bytes of one number; 0 when `kind` names none.
    pub fn size(&self) -> u64 {
        self.kind.get(2..).and_then(|digits| digits.parse().ok()).unwrap_or(0)
    }

    /// True when the most significant byte of a number comes first.
    pub fn big_endian(&self) -> bool {
        match self.kind.chars().next() {
            Some('>') => true,
            Some('=') => cfg!(target_endian = "big"),
            _ => false,
        }
    }
}

/// The rest of the text of a header: a dictionary as Python writes it.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Skips `sign` if it comes next.
    fn skips(&mut self, sign: char) -> bool {
        let next = self.rest.trim_start().strip_prefix(sign);
        self.rest = next.unwrap_or(self.rest);
        next.is_some()
    }

    /// Skips `sign`, which must come next.
    fn expects(&mut self, sign: char) -> Option<()> {
        self.skips(sign).then_some(())
    }

    fn string(&mut self) -> Option<&'a str> {
        let quote = if self.skips('\'') { '\'' } else { self.expects('"').map(|()| '"')? };
        let (text, rest) = self.rest.split_once(quote)?;
        self.rest = rest;
        Some(text)
    }

    /// Letters and digits that belong together.
    fn word(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
        self.rest = &text[end..];
        Some(&text[..end]).filter(|word| !word.is_empty())
    }

    fn truth(&mut self) -> Option<bool> {
        match self.word()? {
            "True" => Some(true),
            "False" => Some(false),
            _ => None,
        }
    }

    fn tuple(&mut self) -> Option<Vec<u64>> {
        let mut sides = Vec::new();
        self.expects('(')?;
        while !self.skips(')') {
            // Python 2 wrote long integers with an L.
            sides.push(self.word()?.trim_end_matches('L').parse().ok()?);
            if !self.skips(',') {
                self.expects(')')?;
                break;
            }
        }
        Some(sides)
    }

    /// The three entries, in any order.
    fn header(&mut self) -> Option<(String, bool, Vec<u64>)> {
        let (mut kind, mut fortran, mut shape) = (None, None, None);
        self.expects('{')?;
        while !self.skips('}') {
            let key = self.string()?;
            self.expects(':')?;
            match key {
                "descr" => kind = Some(self.string()?.to_owned()),
                "fortran_order" => fortran = Some(self.truth()?),
                "shape" => shape = Some(self.tuple()?),
                _ => return None,
            }
            if !self.skips(',') {
                self.expects('}')?;
                break;
            }
        }
        Some((kind?, fortran?, shape?)).filter(|_| self.rest.trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(text: &str) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }

    fn read(text: &str) -> Result<Header> {
        Header::read(&mut &framed(text)[..])
    }

    #[test]
    fn a_header_is_written_as_numpy_writes_it_and_reads_back() {
        let mut bytes = Vec::new();
        write_header::<f32>(&mut bytes, &[3, 2]).unwrap();
        assert_eq!(bytes.len(), 128);
        let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
        assert_eq!(bytes, framed(&format!("{text:<117}\n")));
        for (shape, written) in [(&[][..], "()"), (&[7], "(7,)"), (&[1, 2, 3], "(1, 2, 3)")] {
            let mut bytes = Vec::new();
            write_header::<u8>(&mut bytes, shape).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            let told = format!("'|u1', 'fortran_order': False, 'shape': {written}, }}");
            assert!(text.contains(&told), "{text}");
            let mut rest = &bytes[..];
            let header = Header::read(&mut rest).unwrap();
            assert!(rest.is_empty() && bytes.len() == header.bytes && bytes.ends_with(b"\n"));
            assert_eq!((header.shape, header.fortran), (shape.to_vec(), false));
            assert_eq!(header.kind, "|u1");
        }
    }

    #[test]
    fn headers_of_other_writers_are_read() {
        let header = read("{\"shape\":(5L,),'fortran_order':True,\"descr\":'>i8'}").unwrap();
        assert_eq!((header.shape.as_slice(), header.fortran), (&[5][..], true));
        assert!(header.big_endian() && header.size() == 8 && header.count() == Some(5));
        // Version 2 has a longer length.
        let text = "{'descr': '=f8', 'fortran_order': False, 'shape': (2, 0)}";
        let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        let header = Header::read(&mut &bytes[..]).unwrap();
        assert_eq!((header.count(), header.bytes), (Some(0), bytes.len()));
        let wide = read(&format!(
            "{{'descr': '|u1', 'fortran_order': False, 'shape': ({0}, {0})}}",
            u64::MAX
        ));
        assert_eq!(wide.unwrap().count(), None);
    }

    #[test]
    fn other_headers_are_refused_with_their_text() {
        let plain = "'descr': '<f4', 'fortran_order': False";
        for text in [
            "",
            "{",
            "None",
            "{}",
            &format!("{{{plain}}}"),
            &format!("{{{plain}, 'shape': (1"),
            &format!("{{{plain}, 'shape': (1,)"),
            &format!("{{{plain}, 'shape': (-1,)}}"),
            &format!("{{{plain}, 'shape': ((1,),)}}"),
            &format!("{{{plain}, 'shape': (1,)}} again"),
            &format!("{{{plain}, 'shape': (1,), 'more': 1}}"),
            "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        ] {
            let message = format!("{:#}", read(text).unwrap_err());
            let told = "its header is not that of a plain array";
            assert!(message.starts_with(told), "{text}: {message}");
        }
        let deep = "(".repeat(9000);
        assert!(format!("{:#}", read(&deep).unwrap_err()).len() < 500);
        let long = " ".repeat(20_000);
        assert!(read(&long).unwrap_err().to_string().contains("20000 bytes; 10000 are the most"));
        for whole in
            [framed("{}"), b"\x93NUMPY\x02\x00\x01".to_vec(), b"PK\x03\x04........".to_vec()]
        {
            let message = Header::read(&mut &whole[..whole.len() - 1]).unwrap_err().to_string();
            let known = ["it is cut short: ", "it is no NumPy array"];
            assert!(known.iter().any(|known| message.starts_with(known)), "{message}");
        }
    }

    #[test]
    fn numbers_are_read_in_either_byte_order() {
        assert_eq!(u16::from_bytes(&[1, 2], true), 258);
        assert_eq!(u16::from_bytes(&[1, 2], false), 513);
        assert_eq!(f32::from_bytes(&1.5_f32.to_be_bytes(), true), 1.5);
        assert_eq!(i8::from_bytes(&[255], false), -1);
    }
}
