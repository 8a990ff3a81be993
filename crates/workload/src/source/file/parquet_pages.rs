//! What the pages of a Parquet file say of their own lengths, checked before any is unpacked: the library takes as much
//! memory as a page says that it unpacks to, up to 2 GiB for each column that is read at the same time, and for as many
//! values as a dictionary says that it has. Pages of texts that say within their bytes how many texts they have are
//! unpacked to be checked.

mod deltas;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use parquet::basic::{Compression, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

/// The most bytes that a byte of Snappy unpacks to: a copy of up to 64 bytes takes 3 at least.
const SNAPPY_RATIO: u64 = 22;
/// The most bytes that a byte of Zstandard unpacks to: a block of 128 KiB takes 4 at least.
const ZSTD_RATIO: u64 = 32 << 10;
/// The most bytes that pages of all columns that are read at the same time may take, of a file that has fewer itself.
const MOST_BYTES: u64 = 2 << 30;
/// The most bytes that they may take for each byte of a larger file, whose pages may well be large or many.
const MOST_FOR_EACH: u64 = 8;
/// Bytes that a text of a dictionary takes in memory besides its own ones, at most: those of a view of it.
const VIEW_BYTES: u64 = 16;
/// Rows of a batch, for as many of whose values of a fixed length the library takes memory before it reads any.
const BATCH_ROWS: u64 = 8_192;
/// Bytes of a head of a page that are read at a time. Most have fewer.
const HEAD_BYTES: usize = 512;
/// How deep structures within a head may be nested, as in the library.
const DEPTH: u8 = 64;
/// The type of a page that has the values of a dictionary.
const DICTIONARY: i32 = 2;
/// The encodings of texts by the differences of their lengths: `DELTA_LENGTH_BYTE_ARRAY` and `DELTA_BYTE_ARRAY`.
const DELTAS: [i32; 2] = [6, 7];

/// Checks what pages of these columns say of their lengths. Columns are counted at the root of the schema. A page that
/// reaches beyond its column ends the check of that one, since the library goes no further either.
///
/// Heads of pages are all that is read, except of columns whose texts are stored by the differences of their lengths, as
/// writers of version 2 do: these are unpacked once more than they are read.
///
/// # Errors
/// Fails with the reason why the columns cannot be read.
///
/// # Panics
/// Panics if a column begins before the file, as the library does.
pub fn check(file: &File, metadata: &ParquetMetaData, columns: &[usize]) -> Result<(), String> {
    let file_bytes = file.metadata().map_err(|error| error.to_string())?.len();
    let schema = metadata.file_metadata().schema_descr();
    let read: BTreeSet<usize> = columns.iter().copied().collect();
    let most_bytes = most_bytes(file_bytes);
    let rows = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
    let rows = rows.min(BATCH_ROWS);
    let mut all_bytes = 0_u64;
    for group in metadata.row_groups() {
        let leaves = group.columns().iter().enumerate();
        let mut together = 0_u64;
        let mut with_deltas = Vec::new();
        for (_, column) in
            leaves.filter(|(leaf, _)| read.contains(&schema.get_column_root_idx(*leaf)))
        {
            let (_, bytes) = column.byte_range();
            all_bytes = all_bytes.saturating_add(bytes);
            if all_bytes > file_bytes {
                return Err("its columns say that they have more bytes than the file; it is damaged: try another \
                            copy of it"
                    .to_owned());
            }
            let largest = largest(file, column, rows)?;
            together = together.saturating_add(largest.bytes);
            if largest.has_deltas {
                with_deltas.push(column);
            }
        }
        // No page is unpacked before it is known that it unpacks to no more.
        check_together(together, most_bytes)?;
        for column in with_deltas {
            let further = deltas::further_bytes(file, column, most_bytes)?;
            together = together.saturating_add(further);
        }
        check_together(together, most_bytes)?;
    }
    Ok(())
}

/// Checks that columns that are read at the same time take no more bytes than they may.
fn check_together(bytes: u64, most_bytes: u64) -> Result<(), String> {
    if bytes <= most_bytes {
        return Ok(());
    }
    Err(format!(
        "what is read of it at the same time takes {} MiB of memory, and {} MiB are allowed: write it with smaller \
         pages, or with shorter values",
        bytes >> 20,
        most_bytes >> 20
    ))
}

/// Returns how many bytes the pages that are read at the same time may take, of a file that has so many.
fn most_bytes(file_bytes: u64) -> u64 {
    file_bytes.saturating_mul(MOST_FOR_EACH).max(MOST_BYTES)
}

/// What the heads of a column's pages say together.
#[derive(Default)]
struct Largest {
    /// The bytes that are in memory at a time.
    bytes: u64,
    /// Whether a page has texts by the differences of their lengths.
    has_deltas: bool,
}

/// Returns how many bytes of a column are in memory at a time: those of its dictionary and of its largest page, as pages
/// and as values, and of so many values if they have a fixed length.
fn largest(file: &File, column: &ColumnChunkMetaData, rows: u64) -> Result<Largest, String> {
    let ratio = match column.compression() {
        Compression::UNCOMPRESSED => None,
        Compression::SNAPPY => Some(SNAPPY_RATIO),
        Compression::ZSTD(_) => Some(ZSTD_RATIO),
        // The library refuses other ones before it reads their pages.
        _ => return Ok(Largest::default()),
    };
    let damaged = |why: String| damaged(column, &why);
    let (mut at, bytes) = column.byte_range();
    let end = at.saturating_add(bytes);
    let mut input = BufReader::with_capacity(HEAD_BYTES, file);
    let are_texts = column.column_type() == Type::BYTE_ARRAY;
    let is_fixed = column.column_type() == Type::FIXED_LEN_BYTE_ARRAY;
    let (mut dictionary, mut largest, mut has_deltas) = (0, 0, false);
    while at < end {
        let head = Head::read(&mut input, at);
        let head = head.map_err(|error| damaged(format!("cannot be read: {error}")))?;
        let Some((packed, said)) = head.lengths(end) else {
            break;
        };
        // A page that is not packed is taken as it is, whatever it says.
        let unpacked = ratio.map_or(packed, |_| said);
        if unpacked > packed.saturating_mul(ratio.unwrap_or(1)) {
            return Err(damaged(format!(
                "says that its {packed} bytes unpack to {unpacked}, which they cannot"
            )));
        }
        if head.kind == Some(DICTIONARY) {
            let values = head.values.and_then(|values| u64::try_from(values).ok());
            let values = values.unwrap_or(0);
            if values.saturating_mul(fewest_bytes(column)) > unpacked {
                return Err(damaged(format!(
                    "says that its {unpacked} bytes are {values} values, for which they are too few"
                )));
            }
            // It is there as a page and as values.
            let views = if are_texts { values * VIEW_BYTES } else { 0 };
            dictionary = (2 * unpacked + views).max(dictionary);
        } else {
            // A batch may take room for all texts of a page.
            let times = if are_texts { 2 } else { 1 };
            largest = (times * unpacked).max(largest);
            has_deltas |= head.has_deltas && (are_texts || is_fixed);
        }
        at = head.end + packed;
    }
    let values = if is_fixed {
        rows.saturating_mul(fewest_bytes(column))
    } else {
        0
    };
    Ok(Largest {
        bytes: values.saturating_add(dictionary + largest),
        has_deltas,
    })
}

fn damaged(column: &ColumnChunkMetaData, why: &str) -> String {
    let name = column.column_path().string();
    format!("a page of column `{name}` {why}; it is damaged: try another copy of it")
}

/// Returns how many bytes a value of a column's dictionary takes at least.
fn fewest_bytes(column: &ColumnChunkMetaData) -> u64 {
    match column.column_type() {
        Type::BOOLEAN => 1,
        // Texts have their length in front of them.
        Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::FIXED_LEN_BYTE_ARRAY => {
            let bytes = column.column_descr().type_length();
            u64::try_from(bytes).unwrap_or(1).max(1)
        }
    }
}

/// What the head of a page says, a structure `PageHeader` of Thrift's compact protocol
/// (`parquet.thrift` of the format, and `thrift-compact-protocol.md` of Thrift).
#[derive(Debug, Default, PartialEq, Eq)]
struct Head {
    kind: Option<i32>,
    unpacked: Option<i32>,
    packed: Option<i32>,
    /// Those of a dictionary.
    values: Option<i32>,
    /// Whether data have such an encoding.
    has_deltas: bool,
    /// The position in the file behind the head.
    end: u64,
}

impl Head {
    /// Reads the head that begins at this position.
    fn read(input: &mut (impl Read + Seek), at: u64) -> io::Result<Head> {
        input.seek(SeekFrom::Start(at))?;
        let mut head = Head::default();
        let mut last = 0;
        loop {
            let (kind, field) = field(input, last)?;
            if kind == STOP {
                break;
            }
            // The library takes these fields for what they should be, whatever type they say they have.
            match field {
                1 => head.kind = Some(number(input)?),
                2 => head.unpacked = Some(number(input)?),
                3 => head.packed = Some(number(input)?),
                4 => {
                    number(input)?;
                }
                // Data of version 1 have the encoding as their second number, and those of version 2 as the fourth.
                5 => head.has_deltas |= is_of_deltas(numbers(input, 4)?[1]),
                6 => {
                    numbers(input, 0)?;
                }
                7 => head.values = numbers(input, 2)?[0],
                8 => head.has_deltas |= is_of_deltas(numbers(input, 6)?[3]),
                _ => skip(input, kind, DEPTH)?,
            }
            last = field;
        }
        head.end = input.stream_position()?;
        Ok(head)
    }

    /// Returns the bytes of the page in the file and unpacked, if it lies in front of this position.
    fn lengths(&self, end: u64) -> Option<(u64, u64)> {
        let packed = u64::try_from(self.packed?).ok()?;
        let unpacked = u64::try_from(self.unpacked?).ok()?;
        let behind = self.end.checked_add(packed)?;
        (behind <= end).then_some((packed, unpacked))
    }
}

/// The most numbers of a head within that of its page.
const MOST_NUMBERS: usize = 6;

/// Reads the head that data, an index or a dictionary has within that of its page, and returns its numbers. The library
/// takes so many of its fields for numbers, whatever type they say they have.
fn numbers(input: &mut impl Read, fields: i16) -> io::Result<[Option<i32>; MOST_NUMBERS]> {
    let (mut numbers, mut last) = ([None; MOST_NUMBERS], 0);
    loop {
        let (kind, field) = field(input, last)?;
        match field {
            _ if kind == STOP => return Ok(numbers),
            1.. if field <= fields => numbers[field as usize - 1] = Some(number(input)?),
            _ => skip(input, kind, DEPTH)?,
        }
        last = field;
    }
}

fn is_of_deltas(encoding: Option<i32>) -> bool {
    encoding.is_some_and(|encoding| DELTAS.contains(&encoding))
}

/// What a field says instead of its type where no more fields follow.
const STOP: u8 = 0;
const STRUCTURE: u8 = 12;

/// Reads the type of a field and its number, which may be said as the distance from the last one.
fn field(input: &mut impl Read, last: i16) -> io::Result<(u8, i16)> {
    let head = byte(input)?;
    let kind = head & 0xf;
    if kind == STOP {
        return Ok((STOP, 0));
    }
    let field = match i16::from(head >> 4) {
        0 => number(input)? as i16,
        further => last
            .checked_add(further)
            .ok_or(io::ErrorKind::InvalidData)?,
    };
    Ok((kind, field))
}

/// Reads over a value of this type.
fn skip(input: &mut impl Read, kind: u8, depth: u8) -> io::Result<()> {
    let deeper = depth.checked_sub(1).ok_or(io::ErrorKind::InvalidData)?;
    match kind {
        // The type of a flag is its value.
        1 | 2 => {}
        3 => skip_bytes(input, 1)?,
        4..=6 => {
            unsigned(input)?;
        }
        7 => skip_bytes(input, 8)?,
        8 => {
            let bytes = unsigned(input)?;
            skip_bytes(input, bytes)?;
        }
        9 | 10 => {
            let head = byte(input)?;
            let values = match head >> 4 {
                15 => unsigned(input)?,
                few => u64::from(few),
            };
            let kind = head & 0xf;
            // The library takes no bytes for a flag here, so that any number of them takes none.
            let values = if is_flag(kind) { 0 } else { values };
            for _ in 0..values {
                skip(input, kind, deeper)?;
            }
        }
        11 => {
            let pairs = unsigned(input)?;
            let kinds = if pairs > 0 { byte(input)? } else { 0 };
            let (key, value) = (kinds >> 4, kinds & 0xf);
            let are_flags = is_flag(key) && is_flag(value);
            let pairs = if are_flags { 0 } else { pairs };
            for _ in 0..pairs {
                skip(input, key, deeper)?;
                skip(input, value, deeper)?;
            }
        }
        STRUCTURE => loop {
            let (kind, _) = field(input, 0)?;
            if kind == STOP {
                break;
            }
            skip(input, kind, deeper)?;
        },
        13 => skip_bytes(input, 16)?,
        _ => return Err(io::ErrorKind::InvalidData.into()),
    }
    Ok(())
}

fn is_flag(kind: u8) -> bool {
    matches!(kind, 1 | 2)
}

fn skip_bytes(input: &mut impl Read, bytes: u64) -> io::Result<()> {
    // Where the file ends, any number of values would take no bytes.
    match io::copy(&mut input.take(bytes), &mut io::sink())? {
        skipped if skipped == bytes => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn byte(input: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    input.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Reads a number whose bytes have 7 bits each, the last ones first.
fn unsigned(input: &mut impl Read) -> io::Result<u64> {
    let (mut number, mut shift) = (0, 0_u32);
    loop {
        let byte = byte(input)?;
        number |= u64::from(byte & 0x7f).wrapping_shl(shift);
        if byte & 0x80 == 0 {
            return Ok(number);
        }
        shift = shift.wrapping_add(7);
    }
}

/// Reads a number whose lowest bit is its sign, cut off at 32 bits as in the library.
fn number(input: &mut impl Read) -> io::Result<i32> {
    let number = unsigned(input)?;
    Ok(((number >> 1) as i64 ^ -((number & 1) as i64)) as i32)
}

#[cfg(test)]
mod tests;
