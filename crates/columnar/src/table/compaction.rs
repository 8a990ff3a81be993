//! Which parts of a place a seal rewrites, and which of them together.

use super::chunker::COLUMN_BYTES;
use super::clustering::clustered;
use super::division::divided;
use super::overlap::Reach;
use super::selection::Part;
use crate::Result;
use crate::definition::Definition;

/// Chunks' worth of rows that small parts are joined up to.
const CHUNKS_JOINED: u64 = 8;

/// What a seal may write as one, or leave as it is.
pub struct Group {
    pub reach: Reach,
    part: Part,
    pub rows: u64,
    /// Of the widest column, at most.
    pub bytes: u64,
    /// Whether it, and each of what was joined to it, would rather be joined with others.
    is_small: bool,
}

/// How much a chunk may have, whichever is reached first.
pub struct Full {
    pub rows: u64,
    pub bytes: u64,
}

impl Full {
    /// Two small parts are no more than one chunk.
    fn is_small(&self, part: &Part) -> bool {
        part.rows_at_most() <= self.rows / 2 && part.widest() <= self.bytes / 2
    }

    fn may_join(&self, one: &Group, other: &Group) -> bool {
        one.is_small
            && other.is_small
            && one.rows + other.rows <= self.rows * CHUNKS_JOINED
            && one.bytes + other.bytes <= self.bytes * CHUNKS_JOINED
    }
}

/// Parts that are merged whenever they are read, small ones together with others whose keys or order
/// keys are next to theirs, and those that are better sorted together. Chunks that are well as they
/// are are not among them.
pub fn groups(definition: &Definition, parts: Vec<Part>) -> Result<Vec<Part>> {
    let full = Full {
        rows: u64::from(definition.chunk_rows),
        bytes: COLUMN_BYTES as u64,
    };
    let (alone, with_chunks): (Vec<Part>, Vec<Part>) =
        parts.into_iter().partition(|part| part.chunks.is_empty());
    let mut groups = grouped(definition, &full, with_chunks)?;
    let taken: Vec<Reach> = groups.iter().map(|group| group.reach.clone()).collect();
    for fresh in alone {
        let runs = divided(definition, fresh, &taken)?;
        groups.extend(grouped(definition, &full, runs)?);
    }
    groups.sort_by(|a, b| a.reach.first.cmp(&b.reach.first));
    let mut groups = joined(groups, &full);
    groups.sort_by_key(|group| group.reach.low);
    let groups = joined(groups, &full);
    let parts = clustered(groups, &full).into_iter().map(|group| group.part);
    Ok(parts.filter(|part| part.exact().is_none()).collect())
}

fn grouped(definition: &Definition, full: &Full, parts: Vec<Part>) -> Result<Vec<Group>> {
    let mut groups = Vec::with_capacity(parts.len());
    for part in parts {
        if let Some(reach) = Reach::of(definition, &part)? {
            groups.push(Group {
                reach,
                rows: part.rows_at_most(),
                bytes: part.widest(),
                is_small: full.is_small(&part),
                part,
            });
        }
    }
    Ok(groups)
}

/// Joins small neighbours where the joined one meets none of the others.
fn joined(groups: Vec<Group>, full: &Full) -> Vec<Group> {
    let reaches: Vec<Reach> = groups.iter().map(|group| group.reach.clone()).collect();
    let mut joined: Vec<Group> = Vec::with_capacity(groups.len());
    // The first of those that are in the last group.
    let mut begin = 0;
    for (i, group) in groups.into_iter().enumerate() {
        let fits = |last: &Group| {
            let both = last.reach.and(&group.reach);
            let others = reaches[..begin].iter().chain(&reaches[i + 1..]);
            full.may_join(last, &group) && !others.into_iter().any(|other| other.meets(&both))
        };
        match joined.pop() {
            Some(last) if fits(&last) => joined.extend(Group::of([last, group])),
            last => {
                begin = i;
                joined.extend(last);
                joined.push(group);
            }
        }
    }
    joined
}

impl Group {
    /// All of them as one.
    pub fn of(groups: impl IntoIterator<Item = Group>) -> Option<Group> {
        let mut groups = groups.into_iter();
        let mut all = groups.next()?;
        groups.for_each(|group| all.take(group));
        all.part.fresh.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Some(all)
    }

    /// Its fresh rows are not in order then.
    fn take(&mut self, other: Group) {
        self.reach = self.reach.and(&other.reach);
        self.rows += other.rows;
        self.bytes += other.bytes;
        self.part.chunks.extend(other.part.chunks);
        self.part.fresh.extend(other.part.fresh);
    }
}
