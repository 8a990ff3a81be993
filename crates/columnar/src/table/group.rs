//! Groups: the chunks and fresh rows that a seal may write together.

use super::chunker::COLUMN_BYTES;
use super::overlap::KeySpan;
use super::selection::Part;
use crate::Result;
use crate::definition::Definition;

/// The highest number of chunks whose rows small parts are joined up to.
const CHUNKS_JOINED: u64 = 8;

/// The highest number of rows and bytes of one chunk, whichever is reached first.
pub struct ChunkLimits {
    pub rows: u64,
    /// The bytes of a chunk's widest column before it is encoded.
    pub bytes: u64,
}

impl ChunkLimits {
    pub fn new(definition: &Definition) -> ChunkLimits {
        ChunkLimits {
            rows: u64::from(definition.chunk_rows),
            bytes: COLUMN_BYTES as u64,
        }
    }

    /// Returns whether two parts like this one fit one chunk.
    fn is_small(&self, part: &Part) -> bool {
        part.rows_at_most() <= self.rows / 2 && part.widest() <= self.bytes / 2
    }

    /// Returns whether two groups are small, and not too large together.
    pub fn may_join(&self, one: &Group, other: &Group) -> bool {
        one.is_small
            && other.is_small
            && one.rows + other.rows <= self.rows * CHUNKS_JOINED
            && one.bytes + other.bytes <= self.bytes * CHUNKS_JOINED
    }
}

/// A part that a seal may write as one, together with others, or leave as it is.
pub struct Group {
    pub span: KeySpan,
    pub part: Part,
    pub rows: u64,
    /// The highest number of bytes that its widest column may have.
    pub bytes: u64,
    /// Whether the group consists of small parts only, which are better joined with others.
    is_small: bool,
}

impl Group {
    /// Makes a group of a part. Returns `None` if the part is empty.
    pub fn new(definition: &Definition, limits: &ChunkLimits, part: Part) -> Result<Option<Group>> {
        let span = KeySpan::from_part(definition, &part)?;
        Ok(span.map(|span| Group {
            span,
            rows: part.rows_at_most(),
            bytes: part.widest(),
            is_small: limits.is_small(&part),
            part,
        }))
    }

    /// Joins groups. Returns `None` if there are none.
    pub fn joined(groups: impl IntoIterator<Item = Group>) -> Option<Group> {
        let mut groups = groups.into_iter();
        let mut all = groups.next()?;
        groups.for_each(|group| all.take(group));
        // Readers and merges expect a part's fresh rows in order of their keys.
        all.part.fresh.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Some(all)
    }

    /// Adds another group and leaves the fresh rows unsorted.
    fn take(&mut self, other: Group) {
        self.span = self.span.and(&other.span);
        self.rows += other.rows;
        self.bytes += other.bytes;
        self.part.chunks.extend(other.part.chunks);
        self.part.fresh.extend(other.part.fresh);
    }
}
