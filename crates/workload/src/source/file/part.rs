//! Parts of a text: files, packed or not, and members of ZIP files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::archive::{self, Member};
use super::decode::MAX_HEADER_BYTES;
use super::stamp::Stamp;
use super::{lower_case_name, read_error};
use crate::Result;

const BUFFER_BYTES: usize = 256 << 10;

/// The mark with which text in UTF-8 may begin.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Text that is stored as one: a file, or a member of a ZIP file.
#[derive(Debug, Clone)]
pub struct Part {
    pub path: PathBuf,
    /// That of the file when it was found.
    stamp: Stamp,
    packing: Packing,
}

#[derive(Debug, Clone)]
enum Packing {
    None,
    Gzip,
    Zstandard,
    Zip(Member),
}

/// Returns the parts of a file, and what separates their fields if names say it.
pub fn parts_of(path: &Path) -> Result<(Vec<Part>, Option<u8>)> {
    let name = lower_case_name(path);
    // Whether it can be read at all is said before anything is done.
    let stamp = File::open(path).and_then(|file| Stamp::of(&file));
    let stamp = stamp.map_err(|error| read_error(path, error))?;
    let part = |packing| Part {
        path: path.to_owned(),
        stamp: stamp.clone(),
        packing,
    };
    if let Some(packed) = name.strip_suffix(".zip") {
        let members = archive::members(path)?;
        let first = members.first().map(|member| member.name.to_lowercase());
        let delimiter =
            delimiter_by_name(packed).or_else(|| delimiter_by_name(&first.unwrap_or_default()));
        let parts = members.into_iter().map(|member| part(Packing::Zip(member)));
        return Ok((parts.collect(), delimiter));
    }
    let (packing, text) = if let Some(packed) = name.strip_suffix(".gz") {
        (Packing::Gzip, packed)
    } else if let Some(packed) = name.strip_suffix(".zst") {
        (Packing::Zstandard, packed)
    } else {
        (Packing::None, name.as_str())
    };
    Ok((vec![part(packing)], delimiter_by_name(text)))
}

fn delimiter_by_name(name: &str) -> Option<u8> {
    match name.rsplit_once('.')?.1 {
        "csv" => Some(b','),
        "tsv" => Some(b'\t'),
        _ => None,
    }
}

impl Part {
    /// Opens its text.
    ///
    /// # Errors
    /// The file cannot be opened, or has changed since it was found.
    pub fn open(&self) -> io::Result<Box<dyn BufRead + Send>> {
        let file = BufReader::with_capacity(BUFFER_BYTES, self.stamp.open(&self.path)?);
        Ok(match &self.packing {
            Packing::None => Box::new(file),
            Packing::Gzip => Box::new(BufReader::with_capacity(
                BUFFER_BYTES,
                MultiGzDecoder::new(file),
            )),
            Packing::Zstandard => {
                let text = zstd::Decoder::with_buffer(file)?;
                Box::new(BufReader::with_capacity(BUFFER_BYTES, text))
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

    /// Returns its first line, without what marks its beginning and its end.
    pub fn first_line(&self) -> io::Result<Vec<u8>> {
        let line = read_line(&mut self.open()?)?;
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
