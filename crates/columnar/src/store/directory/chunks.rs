//! One file for each chunk: its blobs one after another. Where each begins follows from their
//! sizes, which the manifest has.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use bytes::Bytes;

use super::files::{io, remove, sync_folder};
use super::layout::Folder;
use crate::definition::Place;
use crate::failpoint;
use crate::meta::{ChunkId, ChunkMeta};
use crate::store::{Chunk, GRACE};
use crate::{Error, Result};

/// Files that are open at once while chunks are written.
const FILES_AT_ONCE: usize = 64;

/// Durable when it returns. If it fails, nothing of these chunks is left.
pub fn put(folder: &Folder, chunks: &[Chunk]) -> Result<()> {
    for chunk in chunks {
        check_sizes(chunk)?;
    }
    failpoint::hit("put.begin");
    let mut created = Vec::with_capacity(chunks.len());
    let written = write(folder, chunks, &mut created);
    if written.is_err() {
        // The disk may be full. What cannot be removed is swept later.
        for path in created {
            let _ = remove(&path);
        }
    }
    written
}

fn write(folder: &Folder, chunks: &[Chunk], created: &mut Vec<PathBuf>) -> Result<()> {
    for chunks in chunks.chunks(FILES_AT_ONCE) {
        let mut files = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let path = folder.chunk(chunk.meta.id);
            let mut file = File::create_new(&path).map_err(io("creating", &path))?;
            created.push(path.clone());
            failpoint::hit("put.created");
            for blob in &chunk.blobs {
                file.write_all(blob).map_err(io("writing", &path))?;
                failpoint::hit("put.blob");
            }
            files.push((path, file));
        }
        failpoint::hit("put.written");
        for (path, file) in &files {
            file.sync_all().map_err(io("syncing", path))?;
            failpoint::hit("put.synced");
        }
    }
    sync_folder(&folder.chunks())?;
    failpoint::hit("put.durable");
    Ok(())
}

fn check_sizes(chunk: &Chunk) -> Result<()> {
    let sizes = chunk.blobs.iter().map(|blob| blob.len() as u64);
    let known = chunk.meta.blobs.iter().map(|blob| u64::from(blob.bytes));
    if sizes.eq(known) {
        Ok(())
    } else {
        Err(Error::Invalid(format!(
            "the blobs of chunk {} are not of the sizes that are known of it",
            chunk.meta.id
        )))
    }
}

/// Whether a chunk was put, and has as many bytes as is known of it.
pub fn is_there(folder: &Folder, chunk: &ChunkMeta) -> Result<bool> {
    let path = folder.chunk(chunk.id);
    match path.metadata() {
        Ok(file) => Ok(file.len() == chunk.bytes()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io("looking at", &path)(error)),
    }
}

/// Which bytes of which file blobs are.
#[derive(Debug)]
pub struct Wanted {
    pub place: Place,
    pub chunk: ChunkId,
    /// Bytes of the whole chunk.
    length: u64,
    /// Where each blob begins, and its bytes.
    blobs: Vec<(u64, u32)>,
}

impl Wanted {
    /// Blobs by number, in the order asked for.
    pub fn new(place: Place, chunk: &ChunkMeta, numbers: &[u16]) -> Result<Wanted> {
        let mut begin = 0;
        let blobs = chunk.blobs.iter().map(|blob| {
            let this = (begin, blob.bytes);
            begin += u64::from(blob.bytes);
            this
        });
        let blobs: Vec<(u64, u32)> = blobs.collect();
        let blob = |number: &u16| {
            let unknown = || Error::Invalid(format!("chunk {} has no blob {number}", chunk.id));
            blobs.get(usize::from(*number)).copied().ok_or_else(unknown)
        };
        Ok(Wanted {
            place,
            chunk: chunk.id,
            length: begin,
            blobs: numbers.iter().map(blob).collect::<Result<_>>()?,
        })
    }

    /// None if the chunk has no file.
    pub fn read(&self, folder: &Folder) -> Result<Option<Vec<Bytes>>> {
        let path = folder.chunk(self.chunk);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(io("opening", &path))?,
        };
        let length = file.metadata().map_err(io("looking at", &path))?.len();
        if length != self.length {
            let expected = self.length;
            return Err(self.corrupt(format!("{length} bytes are there, {expected} were written")));
        }
        let read = |(begin, length): &(u64, u32)| {
            let mut bytes = vec![0; *length as usize];
            file.read_exact_at(&mut bytes, *begin)
                .map_err(io("reading", &path))?;
            Ok(Bytes::from(bytes))
        };
        self.blobs.iter().map(read).collect::<Result<_>>().map(Some)
    }

    pub fn corrupt(&self, reason: String) -> Error {
        Error::Corrupt {
            chunk: self.chunk,
            place: self.place,
            what: "its file".to_owned(),
            reason,
        }
    }

    /// What it means that the chunk has no file.
    pub fn missing(&self, is_valid: bool) -> Error {
        if is_valid {
            self.corrupt("it is missing".to_owned())
        } else {
            Error::Gone {
                chunk: self.chunk,
                place: self.place,
                grace_seconds: GRACE.as_secs(),
            }
        }
    }
}
