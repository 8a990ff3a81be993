//! Folders `damaged-N`: what was cut off or taken out of a table because it could not be read.
//!
//! As long as a table has such a folder with a part of the manifest, a sweep moves chunks that were never
//! committed there instead of removing them: the commit that named them may be what was lost.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::disk::{self, Output};
use super::files::{create_folder, io, names, sync_folder};
use super::layout::{Folder, MANIFEST, chunk_of, place_of};
use crate::id::{ChunkId, Place};
use crate::{Error, Result};

/// The beginning of the name of such a folder.
const PREFIX: &str = "damaged-";

/// What fails, for people who only wanted to open a table.
const KEEPING_TORN: &str =
    "keeping the torn end of a file of this table, which can be read meanwhile, in";

/// A folder with what was taken out of a table.
#[derive(Debug)]
pub struct Aside {
    pub path: PathBuf,
}

impl Aside {
    /// Makes a further folder.
    pub fn begin(folder: &Folder) -> Result<Aside> {
        let last = numbers(folder)?.into_iter().max().unwrap_or(0);
        let path = folder.root.join(format!("{PREFIX}{}", last + 1));
        create_folder(&path)?;
        let aside = Aside { path };
        sync_folder(&folder.root).inspect_err(|_| aside.remove_if_empty())?;
        Ok(aside)
    }

    /// Keeps the end of a file that was not written whole, in the newest folder if that can take it, and
    /// returns the folder. It is durable when it returns, so that the file may be cut off then. If it fails,
    /// as on a full disk, nothing is left of it here, and the file still has it.
    pub fn keep_torn(folder: &Folder, name: &str, torn: &[u8]) -> Result<Aside> {
        Aside::to_take(folder, name, torn)
            .and_then(|aside| aside.keep(name, torn).map(|()| aside))
            .map_err(|error| match error {
                Error::Io { path, source, .. } => Error::Io {
                    doing: KEEPING_TORN,
                    path,
                    source,
                },
                other => other,
            })
    }

    /// Returns the newest folder, or a further one if that has other bytes under this name.
    fn to_take(folder: &Folder, name: &str, bytes: &[u8]) -> Result<Aside> {
        match Aside::newest(folder)? {
            Some(newest) if newest.can_take(name, bytes)? => {
                // The process that made it may have died before it was durable.
                sync_folder(&folder.root)?;
                Ok(newest)
            }
            _ => Aside::begin(folder),
        }
    }

    /// Returns whether bytes can be kept under a name without losing others. What is there may be a part
    /// of them, which a process has left that was interrupted while it kept them.
    fn can_take(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        let path = self.path.join(name);
        match disk::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
            there => Ok(bytes.starts_with(&there.map_err(io("reading", &path))?)),
        }
    }

    /// Returns the newest folder, if there is any.
    fn newest(folder: &Folder) -> Result<Option<Aside>> {
        let last = numbers(folder)?.into_iter().max();
        Ok(last.map(|number| Aside {
            path: folder.root.join(format!("{PREFIX}{number}")),
        }))
    }

    /// Returns the newest folder that has a part of the manifest, if there is any.
    pub fn newest_with_manifest(folder: &Folder) -> Result<Option<Aside>> {
        let mut numbers = numbers(folder)?;
        numbers.sort_unstable();
        for number in numbers.into_iter().rev() {
            let path = folder.root.join(format!("{PREFIX}{number}"));
            if names(&path)?.iter().any(|name| name.starts_with(MANIFEST)) {
                return Ok(Some(Aside { path }));
            }
        }
        Ok(None)
    }

    /// Keeps bytes under a name. They are durable when it returns. If it fails, nothing of them is left.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.path.join(name);
        self.write(&path, bytes).inspect_err(|_| {
            // The disk may be full, and every further attempt would leave more there.
            let _ = disk::remove_file(&path);
            self.remove_if_empty();
        })
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let file = Output::create(path).map_err(io("creating", path))?;
        file.write_at(bytes, 0).map_err(io("writing", path))?;
        file.sync_all().map_err(io("syncing", path))?;
        sync_folder(&self.path)
    }

    /// Returns a note about the end of a file that is kept here, for people. It may be that of writes that
    /// were acknowledged, if the file was damaged. `interrupted` is what writes the file, such as "an insert".
    pub fn note_torn(&self, path: &Path, bytes: usize, interrupted: &str) -> String {
        format!(
            "the last {bytes} bytes of {} were not written whole: {interrupted} was interrupted, or the file \
             was damaged; they are in {} now",
            path.display(),
            self.path.display()
        )
    }

    fn remove_if_empty(&self) {
        // The system removes no folder that has anything.
        let _ = disk::remove_folder(&self.path);
    }

    /// Moves the file of a chunk here.
    pub fn take_chunk(&self, folder: &Folder, chunk: ChunkId) -> Result<()> {
        let path = folder.chunk(chunk);
        disk::rename(&path, &self.path.join(format!("{chunk}.chunk")))
            .map_err(io("moving aside", &path))?;
        sync_folder(&self.path)?;
        sync_folder(&folder.chunks())
    }
}

/// Returns the name for the bytes of a manifest from a position on.
pub fn manifest_name(from: u64) -> String {
    format!("{MANIFEST}-from-{from}")
}

/// Returns the name for the bytes of a segment from a position on.
pub fn segment_name(place: Place, number: u64, from: u64) -> String {
    format!("{}_{}-{number}.log-from-{from}", place.bucket, place.shard)
}

/// Returns whether a folder is one of these.
pub fn is_aside(name: &str) -> bool {
    number_of(name).is_some()
}

/// Returns whether a file has one of the names that files in such a folder get.
pub fn is_kept(name: &str) -> bool {
    let is_part = |name: &str, from: &str| {
        let is_segment = name.strip_suffix(".log").is_some_and(|name| {
            let parts = name.rsplit_once('-');
            parts.is_some_and(|(place, number)| {
                place_of(place).is_some() && number.parse::<u64>().is_ok()
            })
        });
        (name == MANIFEST || is_segment) && from.parse::<u64>().is_ok()
    };
    let parts = name.split_once("-from-");
    name == MANIFEST || chunk_of(name).is_some() || parts.is_some_and(|(n, from)| is_part(n, from))
}

fn number_of(name: &str) -> Option<u64> {
    name.strip_prefix(PREFIX)?.parse().ok()
}

fn numbers(folder: &Folder) -> Result<Vec<u64>> {
    let names = names(&folder.root)?;
    Ok(names.iter().filter_map(|name| number_of(name)).collect())
}

/// Returns the names of these folders.
pub fn all(folder: &Folder) -> Result<Vec<String>> {
    let mut names = names(&folder.root)?;
    names.retain(|name| is_aside(name));
    Ok(names)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn only_names_that_we_give_are_ours() {
        let place = Place {
            bucket: -3,
            shard: 2,
        };
        let ours = [
            MANIFEST.to_owned(),
            manifest_name(36),
            segment_name(place, 17, 8),
            format!("{}.chunk", Uuid::nil()),
        ];
        for name in ours {
            assert!(is_kept(&name), "{name}");
        }
        for name in ["notes.txt", "manifest-from-x", "-3_2.log-from-8", "1.log"] {
            assert!(!is_kept(name), "{name}");
        }
        assert!(is_aside("damaged-12") && !is_aside("damaged-x") && !is_aside("damaged"));
    }
}
