//! State files as NumPy arrays: an uncompressed ZIP archive of `.npy` files.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, bail};
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::ARRAYS;
use super::npy::{Header, Number, write_header};
use super::table::{StateRow, StateTable};
use crate::commands::output::{OutputError, OutputFile, Scratch};
use crate::model::quote::{cut, quoted};
use crate::model::scene::hint;
use crate::model::state::FlockState;
use crate::model::vector::{DIMENSIONS, Point};

/// An `.npz` file under way: each array grows in a nameless file of its own, for a ZIP archive
/// holds one array after the other.
#[derive(Debug)]
pub struct NpzStates {
    file: OutputFile,
    arrays: [Scratch; ARRAYS.len()],
    rows: u64,
}

impl NpzStates {
    /// Opens the files.
    pub fn begin(file: OutputFile) -> Result<Self, OutputError> {
        let scratch = || file.scratch();
        let arrays = [scratch()?, scratch()?, scratch()?, scratch()?, scratch()?];
        Ok(Self { file, arrays, rows: 0 })
    }

    /// Adds the rows of one tick.
    pub fn write(&mut self, state: &FlockState) -> io::Result<()> {
        let [tick, id, species, position, velocity] = &mut self.arrays;
        let ticks = [state.tick; 4096];
        let mut left = state.len();
        while left > 0 {
            let count = left.min(ticks.len());
            tick.write_all(bytemuck::cast_slice(&ticks[..count]))?;
            left -= count;
        }
        id.write_all(bytemuck::cast_slice(&state.id))?;
        species.write_all(&state.species)?;
        position.write_all(bytemuck::cast_slice(&state.position))?;
        velocity.write_all(bytemuck::cast_slice(&state.velocity))?;
        self.rows += state.len() as u64;
        Ok(())
    }

    /// Assembles the archive.
    pub fn finish(self) -> io::Result<OutputFile> {
        let mut target = FirstError { file: self.file, error: None };
        let mut archive = ZipWriter::new(&mut target);
        let written = fill(&mut archive, self.rows, self.arrays)
            .and_then(|()| archive.finish().map(|_| ()).map_err(io::Error::other));
        match target.error {
            Some(error) => Err(error),
            None => written.map(|()| target.file),
        }
    }
}

/// A file that keeps its first error and claims from then on that all is well. Dropped after an
/// error, a `ZipWriter` would try to write the end of the archive again, and print that it cannot.
struct FirstError {
    file: OutputFile,
    error: Option<io::Error>,
}

impl FirstError {
    /// What `act` returns, or `otherwise` once the file has failed.
    fn keep<T>(
        &mut self,
        act: impl FnOnce(&mut OutputFile) -> io::Result<T>,
        otherwise: T,
    ) -> io::Result<T> {
        if self.error.is_some() {
            return Ok(otherwise);
        }
        act(&mut self.file).or_else(|error| {
            self.error = Some(error);
            Ok(otherwise)
        })
    }
}

impl Write for FirstError {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.keep(|file| file.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.keep(OutputFile::flush, ())
    }
}

impl Seek for FirstError {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.keep(|file| file.seek(to), 0)
    }
}

/// Copies all arrays into the archive.
fn fill(
    archive: &mut ZipWriter<&mut FirstError>,
    rows: u64,
    arrays: [Scratch; ARRAYS.len()],
) -> io::Result<()> {
    let [tick, id, species, position, velocity] = arrays;
    append::<u64>(archive, "tick", &[rows], tick)?;
    append::<u32>(archive, "id", &[rows], id)?;
    append::<u8>(archive, "species", &[rows], species)?;
    let shape = [rows, DIMENSIONS as u64];
    append::<f32>(archive, "position", &shape, position)?;
    append::<f32>(archive, "velocity", &shape, velocity)
}

/// Copies one array into the archive. The bytes are those of the machine, and so is the byte
/// order that the header declares.
fn append<T: Number>(
    archive: &mut ZipWriter<&mut FirstError>,
    name: &str,
    shape: &[u64],
    values: Scratch,
) -> io::Result<()> {
    let (mut values, length) = values.read_back()?;
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        // The same states give the same bytes at any hour.
        .last_modified_time(DateTime::default())
        // Beyond 4 GiB, header included, a ZIP entry needs wider fields.
        .large_file(length > u64::from(u32::MAX) - 4096);
    archive.start_file(format!("{name}{EXTENSION}"), options)?;
    write_header::<T>(archive, shape)?;
    io::copy(&mut values, archive)?;
    Ok(())
}

/// How the file of an array ends in an archive.
const EXTENSION: &str = ".npy";

type Archive = ZipArchive<BufReader<File>>;

/// One array of an archive, its header read.
struct Entry<'a> {
    header: Header,
    /// The numbers.
    rest: BufReader<ZipFile<'a, BufReader<File>>>,
}

/// Reads the last tick.
pub fn read(path: &Path) -> anyhow::Result<StateTable> {
    let file = File::open(path).context("cannot read it")?;
    let broken = "no NumPy archive, or one that is cut short; write it again";
    let mut archive = ZipArchive::new(BufReader::new(file)).context(broken)?;
    for file in archive.file_names() {
        let file = file.context(broken)?;
        let Some(name) = file.strip_suffix(EXTENSION) else { continue };
        if !ARRAYS.contains(&name) {
            bail!(
                "unknown array {}; the arrays are {}, tick and species are optional{}",
                quoted(name),
                ARRAYS.join(", "),
                hint(name, ARRAYS)
            );
        }
    }
    let id = integers(&mut archive, "id", u32::MAX.into())?;
    let id = id.context("the array `id` is missing")?;
    let rows = id.len();
    let column = |archive: &mut Archive, name: &str, most: u64| -> anyhow::Result<Vec<u64>> {
        let values = integers(archive, name, most)?.unwrap_or_else(|| vec![0; rows]);
        if values.len() != rows {
            bail!("`{name}` has {} values and `id` has {rows}; they go together", values.len());
        }
        Ok(values)
    };
    let tick = column(&mut archive, "tick", u64::MAX)?;
    let species = column(&mut archive, "species", u8::MAX.into())?;
    let position = points(&mut archive, "position", rows)?;
    let velocity = points(&mut archive, "velocity", rows)?;

    let mut table = StateTable::new("row");
    for row in 0..rows {
        let agent = StateRow {
            place: row as u64,
            id: id[row] as u32,
            species: species[row] as u8,
            position: position[row],
            velocity: velocity[row],
        };
        table.push(tick[row], agent)?;
    }
    table.complete()
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

/// All values of an array, in the order of the file, each through `convert`, which finds nothing
/// for a value that is not `wanted`.
fn values<T: Number, U>(
    entry: Entry<'_>,
    name: &str,
    wanted: &str,
    convert: impl Fn(T) -> Option<U>,
) -> anyhow::Result<Vec<U>> {
    let cut = || format!("`{name}` is cut short or damaged; write the file again");
    let Entry { header, mut rest } = entry;
    let (count, big_endian) = (header.count().with_context(cut)?, header.big_endian());
    // No more than what could be there, even of an archive that lies about its size.
    let mut all = Vec::with_capacity(count.min(1 << 24) as usize);
    let mut bytes = vec![0; T::SIZE];
    for row in 0..count {
        rest.read_exact(&mut bytes).with_context(cut)?;
        let value = T::from_bytes(&bytes, big_endian);
        all.push(
            convert(value).with_context(|| {
                format!("row {row}: {name} is {value}, where {wanted} is wanted")
            })?,
        );
    }
    // Reading to the end makes the archive compare its check sum.
    let mut beyond = Vec::new();
    rest.take(1).read_to_end(&mut beyond).with_context(cut)?;
    if !beyond.is_empty() {
        bail!("`{name}` goes on beyond its {count} values; write the file again");
    }
    Ok(all)
}

/// An array of one axis that holds whole numbers of any width from 0 to `most`.
fn integers(archive: &mut Archive, name: &str, most: u64) -> anyhow::Result<Option<Vec<u64>>> {
    let Some(entry) = open(archive, name)? else { return Ok(None) };
    let Header { kind, shape, .. } = entry.header.clone();
    if shape.len() != 1 {
        let shape = format!("{shape:?}");
        bail!("`{name}` has the shape {}; an array of one axis is wanted", cut(&shape));
    }
    let wanted = format!("a whole number from 0 to {most}");
    let within = |value: i128| u64::try_from(value).ok().filter(|value| *value <= most);
    let numbers = match kind.get(1..) {
        Some("u1") => values(entry, name, &wanted, |v: u8| within(v.into())),
        Some("u2") => values(entry, name, &wanted, |v: u16| within(v.into())),
        Some("u4") => values(entry, name, &wanted, |v: u32| within(v.into())),
        Some("u8") => values(entry, name, &wanted, |v: u64| within(v.into())),
        Some("i1") => values(entry, name, &wanted, |v: i8| within(v.into())),
        Some("i2") => values(entry, name, &wanted, |v: i16| within(v.into())),
        Some("i4") => values(entry, name, &wanted, |v: i32| within(v.into())),
        Some("i8") => values(entry, name, &wanted, |v: i64| within(v.into())),
        _ => bail!("`{name}` holds values of type {}; whole numbers are wanted", quoted(&kind)),
    };
    numbers.map(Some)
}

/// An array of `rows` × 2 floating-point numbers.
fn points(archive: &mut Archive, name: &str, rows: usize) -> anyhow::Result<Vec<Point>> {
    let entry = open(archive, name)?.with_context(|| format!("the array `{name}` is missing"))?;
    let Header { kind, shape, fortran, .. } = entry.header.clone();
    if shape != [rows as u64, DIMENSIONS as u64] {
        bail!(
            "`{name}` has the shape {}; [{rows}, {DIMENSIONS}] is wanted, as for `id`",
            cut(&format!("{shape:?}"))
        );
    }
    let numbers = match kind.get(1..) {
        Some("f4") => values(entry, name, "a number", Some::<f32>),
        Some("f8") => values(entry, name, "a number", |v: f64| Some(v as f32)),
        _ => bail!("`{name}` holds values of type {}; float32 or float64 is wanted", quoted(&kind)),
    }?;
    if fortran {
        let (x, y) = numbers.split_at(rows);
        return Ok(x.iter().zip(y).map(|(x, y)| Point::new(*x, *y)).collect());
    }
    Ok(numbers.chunks_exact(DIMENSIONS).map(Point::from_slice).collect())
}
