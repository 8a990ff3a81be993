//! What a replica has of one place. All writes of the protocol carry their own timestamps, so that a
//! replica is the sum of the writes that it got, in whichever order: each write is a [`Cells`] with a few
//! numbers, and [`Cells::join`] adds it.

/// Ticks of a clock. The model says how long a tick is.
pub type Time = i8;

/// Rows, a bit for each.
pub type Rows = u8;

/// Chunks, a bit for each.
pub type Chunks = u8;

/// The number of generations of fresh rows, with the one numbered 0, which does not exist.
pub const GENERATIONS: usize = 6;

/// The number of chunks that can be made.
pub const CHUNKS: usize = 3;

/// The tables `t_places`, `t_index` (with the blobs of `t_chunks`) and `t_fresh` of one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cells {
    pub opened: u8,
    pub closed: u8,
    pub sealed: u8,
    /// The timestamp of the last write of `dropped`, and what it wrote: when, or 0.
    pub dropped: (u8, Time),
    pub fresh: [Generation; GENERATIONS],
    pub entries: [Entry; CHUNKS],
    /// The timestamp of the version of the index, and its name. There is none if the name is 0.
    pub version: (Time, u8),
    /// All of the index with timestamps up to this one is deleted.
    pub index_deleted: Time,
}

/// A partition of fresh rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation {
    pub rows: Rows,
    pub deleted: bool,
}

/// A row of the index, with the moments of its states, or 0. The blobs of its chunk come and go with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    pub put: Time,
    pub renewed: Time,
    pub abandoned: Time,
    pub committed: Time,
    pub retired: Time,
    pub deleted: bool,
}

impl Cells {
    /// Adds a write, or what another replica has.
    pub fn join(&mut self, other: &Cells) {
        self.opened = self.opened.max(other.opened);
        self.closed = self.closed.max(other.closed);
        self.sealed = self.sealed.max(other.sealed);
        self.dropped = self.dropped.max(other.dropped);
        for (mine, theirs) in self.fresh.iter_mut().zip(&other.fresh) {
            mine.rows |= theirs.rows;
            mine.deleted |= theirs.deleted;
        }
        for (mine, theirs) in self.entries.iter_mut().zip(&other.entries) {
            mine.put = mine.put.max(theirs.put);
            mine.renewed = mine.renewed.max(theirs.renewed);
            mine.abandoned = mine.abandoned.max(theirs.abandoned);
            mine.committed = mine.committed.max(theirs.committed);
            mine.retired = mine.retired.max(theirs.retired);
            mine.deleted |= theirs.deleted;
        }
        self.version = self.version.max(other.version);
        self.index_deleted = self.index_deleted.max(other.index_deleted);
    }

    /// Returns the fresh rows of some generations.
    pub fn fresh(&self, first: u8, last: u8) -> Rows {
        let all = (first..=last).map(|generation| self.fresh[usize::from(generation)]);
        let kept = all.filter(|generation| !generation.deleted);
        kept.fold(0, |rows, generation| rows | generation.rows)
    }

    /// Returns the entry of a chunk that was named at this moment, which is empty if it is deleted.
    pub fn entry(&self, chunk: usize, named: Time) -> Entry {
        let entry = self.entries[chunk];
        if entry.deleted || named <= self.index_deleted {
            Entry::default()
        } else {
            entry
        }
    }

    /// Returns the version of the index, if there is one.
    pub fn version(&self) -> Option<(Time, u8)> {
        let (written, name) = self.version;
        (name != 0 && written > self.index_deleted).then_some((written, name))
    }

    /// Returns a write that changes one entry.
    pub fn with_entry(mut self, chunk: usize, entry: Entry) -> Cells {
        self.entries[chunk] = entry;
        self
    }

    /// Returns a write that changes one generation.
    pub fn with_generation(mut self, number: u8, generation: Generation) -> Cells {
        self.fresh[usize::from(number)] = generation;
        self
    }
}

impl Entry {
    pub fn is_valid(&self) -> bool {
        self.committed != 0 && self.retired == 0
    }

    pub fn is_pending(&self) -> bool {
        self.committed == 0 && self.retired == 0
    }

    pub fn can_be_committed(&self) -> bool {
        self.put != 0 && (self.abandoned == 0 || self.committed != 0)
    }
}
