//! The arrays of an `.npz` archive: found by name, checked for their shape, read as numbers.

use std::fs::File;
use std::io::{BufReader, Read};

use anyhow::{Context, bail};
use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use super::npy::{Header, Number};
use crate::model::quote::{cut, quoted};

/// How the file of an array ends in an archive.
pub const EXTENSION: &str = ".npy";

/// An archive of arrays.
pub type Archive = ZipArchive<BufReader<File>>;

/// One array of an archive, its header read.
struct Entry<'a> {
    header: Header,
    /// The numbers.
    rest: BufReader<ZipFile<'a, BufReader<File>>>,
}

/// Most bytes that one byte of a compressed entry stands for.
const MOST_INFLATED: u64 = 1032;

/// Opens one array, if the archive has it.
fn open<'a>(archive: &'a mut Archive, name: &str) -> anyhow::Result<Option<Entry<'a>>> {
    let place = || format!("cannot read `{name}`");
    let mut file = match archive.by_name(&format!("{name}{EXTENSION}")) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(error) => return Err(error).with_context(place),
    };
    let header = Header::read(&mut file).with_context(place)?;
    // Not what the header says there is, nor what the archive says, if its bytes cannot hold it.
    let there = file.size().min(file.compressed_size().saturating_mul(MOST_INFLATED));
    let declared = header.count().and_then(|count| count.checked_mul(header.size()));
    if declared
        .and_then(|declared| declared.checked_add(header.bytes as u64))
        .is_none_or(|declared| declared > there)
    {
        bail!(
            "`{name}` has the shape {} and {there} bytes at most, which do not hold it; write the \
             file again",
            cut(&format!("{:?}", header.shape))
        );
    }
    Ok(Some(Entry { header, rest: BufReader::with_capacity(1 << 16, file) }))
}

/// All values of an array, in the order of the file, converted by `convert`. It returns `None` for a
/// value that is not what is `expected`.
fn values<T: Number, U>(
    entry: Entry<'_>,
    name: &str,
    expected: &str,
    convert: impl Fn(T) -> Option<U>,
) -> anyhow::Result<Vec<U>> {
    let cut = || format!("`{name}` is cut short or damaged; write the file again");
    let Entry { header, mut rest } = entry;
    let (count, big_endian) = (header.count().with_context(cut)?, header.big_endian());
    // The archive may lie about its size: reserve a limited amount.
    let mut all = Vec::with_capacity(count.min(1 << 24) as usize);
    let mut bytes = vec![0; T::SIZE];
    for row in 0..count {
        rest.read_exact(&mut bytes).with_context(cut)?;
        let value = T::from_bytes(&bytes, big_endian);
        all.push(
            convert(value)
                .with_context(|| format!("row {row}: {name} is {value}, expected {expected}"))?,
        );
    }
    // The archive compares its check sum when it is read to its end.
    let mut beyond = Vec::new();
    rest.take(1).read_to_end(&mut beyond).with_context(cut)?;
    if !beyond.is_empty() {
        bail!("`{name}` goes on beyond its {count} values; write the file again");
    }
    Ok(all)
}

/// The shape that an array must have, and why.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    /// Number of values along each axis.
    pub sides: &'a [u64],
    /// Ends the message about another shape.
    pub why: &'a str,
}

/// The shape of an array that the archive has.
pub fn shape_of(archive: &mut Archive, name: &str) -> anyhow::Result<Vec<u64>> {
    Ok(there(archive, name)?.header.shape)
}

fn there<'a>(archive: &'a mut Archive, name: &str) -> anyhow::Result<Entry<'a>> {
    open(archive, name)?.with_context(|| format!("the array `{name}` is missing"))
}

fn check(header: &Header, name: &str, shape: Shape<'_>) -> anyhow::Result<()> {
    if header.shape != shape.sides {
        let found = format!("{:?}", header.shape);
        bail!("`{name}` has the shape {}, expected {:?}, {}", cut(&found), shape.sides, shape.why);
    }
    Ok(())
}

/// Whole numbers of any width from 0 to `most`, in the order of the rows; `None` if the archive lacks
/// the array. Without a `shape` the array must have one axis.
pub fn whole(
    archive: &mut Archive,
    name: &str,
    most: u64,
    shape: Option<Shape<'_>>,
) -> anyhow::Result<Option<Vec<u64>>> {
    let Some(entry) = open(archive, name)? else { return Ok(None) };
    let header = entry.header.clone();
    match shape {
        Some(shape) => check(&header, name, shape)?,
        None if header.shape.len() != 1 => {
            let shape = format!("{:?}", header.shape);
            bail!("`{name}` has the shape {}, expected an array of one axis", cut(&shape));
        }
        None => {}
    }
    let kind = &header.kind;
    let expected = format!("a whole number from 0 to {most}");
    let within = |value: i128| u64::try_from(value).ok().filter(|value| *value <= most);
    let numbers = match kind.get(1..) {
        Some("u1") => values(entry, name, &expected, |v: u8| within(v.into())),
        Some("u2") => values(entry, name, &expected, |v: u16| within(v.into())),
        Some("u4") => values(entry, name, &expected, |v: u32| within(v.into())),
        Some("u8") => values(entry, name, &expected, |v: u64| within(v.into())),
        Some("i1") => values(entry, name, &expected, |v: i8| within(v.into())),
        Some("i2") => values(entry, name, &expected, |v: i16| within(v.into())),
        Some("i4") => values(entry, name, &expected, |v: i32| within(v.into())),
        Some("i8") => values(entry, name, &expected, |v: i64| within(v.into())),
        _ => bail!("`{name}` holds values of type {}, expected whole numbers", quoted(kind)),
    };
    Ok(Some(by_rows(numbers?, &header)))
}

/// Floating-point numbers, in the order of the rows.
pub fn floats(archive: &mut Archive, name: &str, shape: Shape<'_>) -> anyhow::Result<Vec<f32>> {
    let entry = there(archive, name)?;
    let header = entry.header.clone();
    check(&header, name, shape)?;
    let kind = &header.kind;
    let numbers = match kind.get(1..) {
        Some("f4") => values(entry, name, "a number", Some::<f32>),
        Some("f8") => values(entry, name, "a number", |v: f64| Some(v as f32)),
        _ => bail!("`{name}` holds values of type {}, expected float32 or float64", quoted(kind)),
    };
    Ok(by_rows(numbers?, &header))
}

/// The values with the last axis varying fastest.
fn by_rows<T: Copy>(values: Vec<T>, header: &Header) -> Vec<T> {
    if !header.fortran || header.shape.len() < 2 {
        return values;
    }
    let place = |mut row: usize| {
        // Of each axis, its index and how far apart its values are in the file.
        let mut apart = values.len();
        header.shape.iter().rev().fold(0, |place, side| {
            let side = *side as usize;
            apart /= side;
            let index = row % side;
            row /= side;
            place + index * apart
        })
    };
    (0..values.len()).map(|row| values[place(row)]).collect()
}
