//! The arrays of an `.npz` archive: found by name, checked for their shape, read as numbers.

use std::io::{BufReader, Read, Seek};

use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use super::npy::{Header, Number};
use crate::io::{Context, Result, bail};
use crate::quote::{cut, quoted};

/// How the file of an array ends in an archive.
pub const EXTENSION: &str = ".npy";

/// A file that is read here and there.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// An archive of arrays.
pub type Archive<'f> = ZipArchive<BufReader<Box<dyn ReadSeek + 'f>>>;

/// One array of an archive, its header read.
struct Entry<'a, 'f> {
    header: Header,
    /// The numbers.
    rest: BufReader<ZipFile<'a, BufReader<Box<dyn ReadSeek + 'f>>>>,
}

/// Most bytes that one byte of a compressed entry stands for.
const MAX_INFLATED: u64 = 1032;

/// Opens one array, if the archive has it.
fn open<'a, 'f>(archive: &'a mut Archive<'f>, name: &str) -> Result<Option<Entry<'a, 'f>>> {
    let place = || format!("cannot read `{name}`");
    let mut file = match archive.by_name(&format!("{name}{EXTENSION}")) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(error) => return Err(error).with_context(place),
    };
    let header = Header::read(&mut file).with_context(place)?;
    // Neither the header nor the archive is believed if the bytes cannot hold what it says.
    let there = file.size().min(file.compressed_size().saturating_mul(MAX_INFLATED));
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

/// Called with each value of an array: its place in the order of the rows, and the value.
pub type Take<'a, T> = &'a mut dyn FnMut(u64, T) -> Result<()>;

/// Reads all values of an array, one after the other, converted by `convert`. It returns `None` for a value
/// that is not what is `expected`.
fn each<T: Number, U>(
    entry: Entry<'_, '_>,
    name: &str,
    expected: &str,
    convert: impl Fn(T) -> Option<U>,
    take: Take<'_, U>,
) -> Result<()> {
    let cut = || format!("`{name}` is cut short or damaged; write the file again");
    let Entry { header, mut rest } = entry;
    let (count, big_endian) = (header.count().with_context(cut)?, header.big_endian());
    let mut bytes = vec![0; T::SIZE];
    for row in 0..count {
        rest.read_exact(&mut bytes).with_context(cut)?;
        let value = T::from_bytes(&bytes, big_endian);
        let value = convert(value)
            .with_context(|| format!("row {row}: {name} is {value}, expected {expected}"))?;
        take(by_row(row, count, &header), value)?;
    }
    // The archive compares its check sum when it is read to its end.
    let mut beyond = Vec::new();
    rest.take(1).read_to_end(&mut beyond).with_context(cut)?;
    if !beyond.is_empty() {
        bail!("`{name}` goes on beyond its {count} values; write the file again");
    }
    Ok(())
}

/// The place of a value of the file if the last axis varied fastest.
fn by_row(mut at: u64, count: u64, header: &Header) -> u64 {
    if !header.fortran || header.shape.len() < 2 {
        return at;
    }
    let mut apart = count;
    header.shape.iter().fold(0, |place, side| {
        apart /= side;
        let index = at % side;
        at /= side;
        place + index * apart
    })
}

/// The shape that an array must have, and why.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    /// Number of values along each axis.
    pub sides: &'a [u64],
    /// Ends the message about another shape.
    pub why: &'a str,
}

/// The number of values along an axis of an array that the archive has; 0 if it has fewer axes.
pub fn side(archive: &mut Archive<'_>, name: &str, axis: usize) -> Result<u64> {
    Ok(there(archive, name)?.header.shape.get(axis).copied().unwrap_or_default())
}

/// Fails if an array that the archive has is of another shape. Reads nothing but its header.
pub fn check_shape(archive: &mut Archive<'_>, name: &str, shape: Shape<'_>) -> Result<()> {
    check(&there(archive, name)?.header, name, shape)
}

fn there<'a, 'f>(archive: &'a mut Archive<'f>, name: &str) -> Result<Entry<'a, 'f>> {
    open(archive, name)?.with_context(|| format!("the array `{name}` is missing"))
}

fn check(header: &Header, name: &str, shape: Shape<'_>) -> Result<()> {
    if header.shape != shape.sides {
        let found = format!("{:?}", header.shape);
        bail!("`{name}` has the shape {}, expected {:?}, {}", cut(&found), shape.sides, shape.why);
    }
    Ok(())
}

/// Reads whole numbers of any width from 0 to `most`. False if the archive lacks the array. Without a
/// `shape` the array must have one axis.
pub fn each_whole(
    archive: &mut Archive<'_>,
    name: &str,
    most: u64,
    shape: Option<Shape<'_>>,
    take: Take<'_, u64>,
) -> Result<bool> {
    let Some(entry) = open(archive, name)? else {
        return Ok(false);
    };
    let header = &entry.header;
    match shape {
        Some(shape) => check(header, name, shape)?,
        None if header.shape.len() != 1 => {
            let shape = format!("{:?}", header.shape);
            bail!("`{name}` has the shape {}, expected an array of one axis", cut(&shape));
        }
        None => {}
    }
    let kind = header.kind.clone();
    let expected = format!("a whole number from 0 to {most}");
    let within = |value: i128| u64::try_from(value).ok().filter(|value| *value <= most);
    match kind.get(1..) {
        Some("u1") => each(entry, name, &expected, |v: u8| within(v.into()), take)?,
        Some("u2") => each(entry, name, &expected, |v: u16| within(v.into()), take)?,
        Some("u4") => each(entry, name, &expected, |v: u32| within(v.into()), take)?,
        Some("u8") => each(entry, name, &expected, |v: u64| within(v.into()), take)?,
        Some("i1") => each(entry, name, &expected, |v: i8| within(v.into()), take)?,
        Some("i2") => each(entry, name, &expected, |v: i16| within(v.into()), take)?,
        Some("i4") => each(entry, name, &expected, |v: i32| within(v.into()), take)?,
        Some("i8") => each(entry, name, &expected, |v: i64| within(v.into()), take)?,
        _ => bail!("`{name}` holds values of type {}, expected whole numbers", quoted(&kind)),
    }
    Ok(true)
}

/// Reads floating-point numbers.
pub fn each_float(
    archive: &mut Archive<'_>,
    name: &str,
    shape: Shape<'_>,
    take: Take<'_, f32>,
) -> Result<()> {
    let entry = there(archive, name)?;
    check(&entry.header, name, shape)?;
    let kind = entry.header.kind.clone();
    match kind.get(1..) {
        Some("f4") => each(entry, name, "a number", Some::<f32>, take),
        Some("f8") => each(entry, name, "a number", |v: f64| Some(v as f32), take),
        _ => bail!("`{name}` holds values of type {}, expected float32 or float64", quoted(&kind)),
    }
}

/// A function that puts the last values of an array with this shape at their places in `last`, in the order of the
/// rows.
pub fn into<T: Copy>(last: &mut [T], shape: Shape<'_>) -> impl FnMut(u64, T) -> Result<()> {
    let before = shape.sides.iter().product::<u64>().saturating_sub(last.len() as u64);
    move |place, value| {
        if let Some(place) = place.checked_sub(before) {
            last[place as usize] = value;
        }
        Ok(())
    }
}
