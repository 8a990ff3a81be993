//! The names of a table's files.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::files::names;
use crate::Result;
use crate::id::{ChunkId, Place};

/// The file with the definition.
pub const TABLE: &str = "table.json";
/// The file that the writer locks.
pub const LOCK: &str = "lock";
/// The file that lists the valid chunks.
pub const MANIFEST: &str = "manifest";
/// The folder of the chunks.
pub const CHUNKS: &str = "chunks";
/// The folder of the fresh rows.
pub const FRESH: &str = "fresh";
/// Files that are rewritten and not renamed yet.
pub const UNFINISHED: [&str; 3] = ["table.new", "manifest.new", UNFINISHED_SEGMENT];
/// The new file of a segment that is being repaired. It is in the folder of the table, since readers and sweeps take
/// every file in the folder of a place for a segment.
pub const UNFINISHED_SEGMENT: &str = "segment.new";

/// The folder of a table.
#[derive(Debug, Clone)]
pub struct Folder {
    pub root: PathBuf,
}

impl Folder {
    pub fn new(root: &Path) -> Self {
        Folder {
            root: root.to_owned(),
        }
    }

    pub fn table(&self) -> PathBuf {
        self.root.join(TABLE)
    }

    pub fn lock(&self) -> PathBuf {
        self.root.join(LOCK)
    }

    pub fn manifest(&self) -> PathBuf {
        self.root.join(MANIFEST)
    }

    pub fn chunks(&self) -> PathBuf {
        self.root.join(CHUNKS)
    }

    pub fn chunk(&self, id: ChunkId) -> PathBuf {
        self.chunks().join(format!("{id}.chunk"))
    }

    pub fn fresh(&self) -> PathBuf {
        self.root.join(FRESH)
    }

    pub fn place(&self, place: Place) -> PathBuf {
        self.fresh()
            .join(format!("{}_{}", place.bucket, place.shard))
    }

    pub fn segment(&self, place: Place, number: u64) -> PathBuf {
        self.place(place).join(format!("{number}.log"))
    }

    /// Returns the places that have a folder for fresh rows, in order.
    pub fn places(&self) -> Result<Vec<Place>> {
        let names = names(&self.fresh())?;
        let mut places: Vec<Place> = names.iter().filter_map(|name| place_of(name)).collect();
        places.sort_unstable();
        Ok(places)
    }

    /// Returns the numbers of a place's segments, in order.
    pub fn segments(&self, place: Place) -> Result<Vec<u64>> {
        let names = names(&self.place(place))?;
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| segment_of(name)).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns the chunks that have a file.
    pub fn chunk_files(&self) -> Result<Vec<ChunkId>> {
        let names = names(&self.chunks())?;
        Ok(names.iter().filter_map(|name| chunk_of(name)).collect())
    }
}

/// Returns the chunk whose file has this name.
pub fn chunk_of(name: &str) -> Option<ChunkId> {
    Uuid::try_parse(name.strip_suffix(".chunk")?)
        .ok()
        .map(ChunkId)
}

/// Returns the number of the segment whose file has this name.
pub fn segment_of(name: &str) -> Option<u64> {
    name.strip_suffix(".log")?.parse().ok()
}

/// Returns the place whose folder of fresh rows has this name.
pub fn place_of(name: &str) -> Option<Place> {
    let (bucket, shard) = name.split_once('_')?;
    Some(Place {
        bucket: bucket.parse().ok()?,
        shard: shard.parse().ok()?,
    })
}
