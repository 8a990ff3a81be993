//! The files of chunks. Each has the blobs of one chunk, one after another; their positions follow
//! from their sizes, which are in the manifest.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use bytes::Bytes;

use super::disk::Output;
use super::files::{io, remove, sync_folder};
use super::layout::Folder;
use crate::id::{ChunkId, Place};
use crate::meta::ChunkMeta;
use crate::store::{Chunk, GRACE};
use crate::{Error, Result, failpoint};

/// The number of files that are open at the same time while chunks are written.
const FILES_AT_ONCE: usize = 64;

/// Writes chunks, which are durable when it returns. If it fails, nothing of them is left.
pub fn put(folder: &Folder, chunks: &[Chunk]) -> Result<()> {
    for chunk in chunks {
        check_sizes(chunk)?;
    }
    failpoint::hit("put.begin");
    let mut created = Vec::with_capacity(chunks.len());
    let written = write(folder, chunks, &mut created);
    if written.is_err() {
        // The disk may be full, so useless files are removed at once. A sweep removes what remains.
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
            let file = Output::create_new(&path).map_err(io("creating", &path))?;
            created.push(path.clone());
            failpoint::hit("put.created");
            let mut position = 0;
            for blob in &chunk.blobs {
                file.write_at(blob, position)
                    .map_err(io("writing", &path))?;
                position += blob.len() as u64;
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

/// Returns whether the file of a chunk exists and has the expected size.
pub fn is_there(folder: &Folder, chunk: &ChunkMeta) -> Result<bool> {
    let path = folder.chunk(chunk.id);
    match path.metadata() {
        Ok(file) => Ok(file.len() == chunk.bytes()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io("looking at", &path)(error)),
    }
}

/// Blobs that are to be read, and their positions in the file of their chunk.
#[derive(Debug)]
pub struct Wanted {
    pub place: Place,
    pub chunk: ChunkId,
    /// The bytes of the whole chunk.
    length: u64,
    /// The position of each blob, and its bytes.
    blobs: Vec<(u64, u32)>,
}

impl Wanted {
    /// Finds blobs of a chunk, given by their numbers, in this order.
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

    /// Reads the blobs. Returns `None` if the chunk has no file.
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

    /// Returns the error of a damaged file.
    pub fn corrupt(&self, reason: String) -> Error {
        Error::Corrupt {
            chunk: self.chunk,
            place: self.place,
            what: "its file".to_owned(),
            reason,
        }
    }

    /// Returns the error of a missing file, which is damage only if the chunk is still valid.
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
