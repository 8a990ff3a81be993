//! ZIP files: what is in them, and the text of one member as a stream. Nothing is unpacked to the disk, and
//! the names of members are only shown, never used as paths.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::{data_error, guarded, read_error};
use crate::Result;

/// Largest number of members of a ZIP file. Its directory is kept in memory.
const MAX_MEMBERS: usize = 10_000;

/// Largest number of characters of a member's name that are shown.
const SHOWN_CHARACTERS: usize = 60;

/// A file in a ZIP file.
#[derive(Debug, Clone)]
pub struct Member {
    /// Name to show: what may disturb a terminal is escaped, and a long one is cut.
    pub name: String,
    /// Where its packed bytes begin, and how many they are.
    start: u64,
    packed_bytes: u64,
    is_deflated: bool,
    /// What its text is according to the directory.
    bytes: u64,
    crc32: u32,
}

/// Returns the members of a ZIP file that have any text, in the order of its directory.
///
/// # Errors
/// The file cannot be read or is damaged, or there are no members, too many, or some that cannot be unpacked.
pub fn members(path: &Path) -> Result<Vec<Member>> {
    let file = File::open(path).map_err(|error| read_error(path, error))?;
    guarded(path, || read_directory(path, file))
}

fn read_directory(path: &Path, file: File) -> Result<Vec<Member>> {
    let unusable = |error: ZipError| match error {
        ZipError::Io(error) if error.kind() != ErrorKind::UnexpectedEof => read_error(path, error),
        error => data_error(path, format!("not a ZIP file that can be read: {error}")),
    };
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(unusable)?;
    if archive.len() > MAX_MEMBERS {
        let count = archive.len();
        let message = format!("it has {count} files in it, and {MAX_MEMBERS} are possible");
        return Err(data_error(path, message));
    }
    if archive.has_duplicate_names() {
        return Err(data_error(path, "two files in it have the same name"));
    }
    // Otherwise a small file could unpack to any size: packed bytes would be unpacked once for each member.
    if archive.has_overlapping_files().map_err(unusable)? {
        return Err(data_error(path, "files in it share their packed bytes"));
    }
    let mut members = Vec::with_capacity(archive.len());
    for number in 0..archive.len() {
        let found = archive.by_index_raw(number).map_err(unusable)?;
        let member = member(&found).map_err(|message| data_error(path, message))?;
        members.extend(member);
    }
    if members.is_empty() {
        return Err(data_error(path, "there is no file with any text in it"));
    }
    Ok(members)
}

/// Returns a member that can be read, or nothing for a folder and an empty file.
fn member<R: Read>(found: &ZipFile<'_, R>) -> Result<Option<Member>, String> {
    let name = shown(found.name_raw());
    if found.is_dir() && found.size() == 0 {
        return Ok(None);
    }
    let refusal = match found.compression() {
        _ if found.encrypted() => {
            Some("is encrypted; unpack it, and pack it again without a password")
        }
        _ if found.is_dir() => {
            Some("is a folder with content; unpack it, and pack the files again")
        }
        _ if found.is_symlink() => Some("is a symbolic link; pack the file that it leads to"),
        CompressionMethod::Stored | CompressionMethod::Deflated => None,
        _ => Some(
            "is packed by another method than deflate; unpack it, and pack it again with `zip`",
        ),
    };
    match (refusal, found.data_start()) {
        (Some(refusal), _) => Err(format!("`{name}` in it {refusal}")),
        (None, None) => Err(format!("`{name}` in it has no beginning")),
        (None, Some(_)) if found.size() == 0 => Ok(None),
        (None, Some(start)) => Ok(Some(Member {
            name,
            start,
            packed_bytes: found.compressed_size(),
            is_deflated: found.compression() == CompressionMethod::Deflated,
            bytes: found.size(),
            crc32: found.crc32(),
        })),
    }
}

/// Returns the end of a name, which says what a file is.
fn shown(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let left_out = name.chars().count().saturating_sub(SHOWN_CHARACTERS);
    let dots = if left_out > 0 { "..." } else { "" };
    let shown: String = name.chars().skip(left_out).collect();
    format!("{dots}{}", shown.escape_debug())
}

impl Member {
    /// Returns its text, from the ZIP file that it is in.
    pub fn open(&self, mut file: BufReader<File>) -> io::Result<Box<dyn Read + Send>> {
        file.seek(SeekFrom::Start(self.start))?;
        let packed = file.take(self.packed_bytes);
        let text: Box<dyn Read + Send> = if self.is_deflated {
            Box::new(DeflateDecoder::new(packed))
        } else {
            Box::new(packed)
        };
        Ok(Box::new(Unpacked {
            member: self.clone(),
            text,
            bytes: 0,
            crc: Crc::new(),
        }))
    }
}

/// The text of a member, which is compared with what the directory says of it.
struct Unpacked {
    member: Member,
    text: Box<dyn Read + Send>,
    bytes: u64,
    crc: Crc,
}

impl Read for Unpacked {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(into).map_err(|error| self.damaged(error))?;
        self.bytes += read as u64;
        self.crc.update(&into[..read]);
        let is_at_end = read == 0 && !into.is_empty();
        let is_whole = self.bytes == self.member.bytes && self.crc.sum() == self.member.crc32;
        if self.bytes > self.member.bytes || is_at_end && !is_whole {
            return Err(self.damaged("it is not the text that was packed"));
        }
        Ok(read)
    }
}

impl Unpacked {
    fn damaged(&self, why: impl std::fmt::Display) -> io::Error {
        let name = &self.member.name;
        let message = format!("`{name}` in it is damaged: {why}");
        io::Error::new(ErrorKind::InvalidData, message)
    }
}
