//! Parts of a text: files, packed or not, and members of ZIP files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::BYTE_ORDER_MARK;
use super::archive::{self, Member};
use super::decode::MAX_HEADER_BYTES;
use super::json::RECORD_END;
use super::lines::Lines;
use super::named::{DataFileName, DataFormat, PackedAs};
use super::read_error;
use super::stamp::Stamp;
use super::zstandard::Unpacked;
use crate::Result;

const BUFFER_BYTES: usize = 256 << 10;

/// Text that is stored as one: a file, or a member of a ZIP file.
#[derive(Debug, Clone)]
pub struct Part {
    pub path: PathBuf,
    /// That of the file when it was found.
    stamp: Stamp,
    packing: Packing,
    /// How records are made of its lines.
    pub lines: Lines,
}

#[derive(Debug, Clone)]
enum Packing {
    None,
    Gzip,
    Zstandard,
    Zip(Member),
}

/// What the name of a file says of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// This byte separates the fields.
    Delimiter(u8),
    /// Each line is an object of JSON.
    Json,
}

impl Named {
    fn of(format: Option<DataFormat>) -> Option<Named> {
        match format? {
            DataFormat::Csv => Some(Named::Delimiter(b',')),
            DataFormat::Tsv => Some(Named::Delimiter(b'\t')),
            DataFormat::Json => Some(Named::Json),
            DataFormat::Parquet | DataFormat::Arrow => None,
        }
    }
}

/// Returns the parts of a file, and what names say of their text.
pub fn parts_of(path: &Path) -> Result<(Vec<Part>, Option<Named>)> {
    let named = DataFileName::of(path);
    // Whether it can be read at all is said before anything is done.
    let stamp = File::open(path).and_then(|file| Stamp::of(&file));
    let stamp = stamp.map_err(|error| read_error(path, error))?;
    let part = |packing| Part {
        path: path.to_owned(),
        stamp: stamp.clone(),
        packing,
        lines: Lines::default(),
    };
    let text = Named::of(named.format);
    let packing = match named.packed {
        Some(PackedAs::Zip) => {
            let members = archive::members(path)?;
            let text = text.or_else(|| by_member(members.first()?));
            let parts = members.into_iter().map(|member| part(Packing::Zip(member)));
            return Ok((parts.collect(), text));
        }
        Some(PackedAs::Gzip) => Packing::Gzip,
        Some(PackedAs::Zstandard) => Packing::Zstandard,
        None => Packing::None,
    };
    Ok((vec![part(packing)], text))
}

/// Returns what the name of a ZIP file's member says of its text, which is not packed once more.
fn by_member(member: &Member) -> Option<Named> {
    let named = DataFileName::read(&member.name.to_lowercase());
    Named::of(named.format.filter(|_| named.packed.is_none()))
}

impl Part {
    /// Opens the text of which its records are read.
    ///
    /// # Errors
    /// The file cannot be opened, or has changed since it was found; or it has fewer lines than are skipped.
    pub fn open(&self) -> io::Result<Box<dyn BufRead + Send>> {
        self.lines.read(self.open_unpacked()?)
    }

    /// Returns the byte at the end of each of its records.
    pub fn record_end(&self) -> u8 {
        match self.lines.json {
            Some(_) => RECORD_END,
            None => b'\n',
        }
    }

    /// Opens its text as it is.
    ///
    /// # Errors
    /// The file cannot be opened, or has changed since it was found.
    pub fn open_unpacked(&self) -> io::Result<Box<dyn BufRead + Send>> {
        let file = BufReader::with_capacity(BUFFER_BYTES, self.stamp.open(&self.path)?);
        Ok(match &self.packing {
            Packing::None => Box::new(file),
            Packing::Gzip => Box::new(BufReader::with_capacity(
                BUFFER_BYTES,
                MultiGzDecoder::new(file),
            )),
            Packing::Zstandard => {
                Box::new(BufReader::with_capacity(BUFFER_BYTES, Unpacked::new(file)?))
            }
            Packing::Zip(member) => {
                Box::new(BufReader::with_capacity(BUFFER_BYTES, member.open(file)?))
            }
        })
    }

    /// Returns its name in the ZIP file that it is in.
    pub fn name_in_zip(&self) -> Option<&str> {
        match &self.packing {
            Packing::Zip(member) => Some(&member.name),
            Packing::None | Packing::Gzip | Packing::Zstandard => None,
        }
    }

    /// Returns its name: that in the ZIP file that it is in, or its path.
    pub fn name(&self) -> String {
        let in_zip = self.name_in_zip().map(str::to_owned);
        in_zip.unwrap_or_else(|| self.path.display().to_string())
    }

    /// Returns its first line that is not skipped, without what marks its beginning and its end.
    pub fn first_line(&self) -> io::Result<Vec<u8>> {
        let mut text = self.open()?;
        for _ in 0..self.lines.skipped {
            read_line(&mut text)?;
        }
        let line = read_line(&mut text)?;
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Ok(line.strip_suffix(b"\r").unwrap_or(line).to_vec())
    }
}

/// Reads a line with its end, or the beginning of one that is too long for a header.
pub fn read_line(text: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    text.take(MAX_HEADER_BYTES as u64)
        .read_until(b'\n', &mut line)?;
    Ok(line)
}
