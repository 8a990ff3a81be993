//! What was written and read, and whether a table that keeps its promises can have answered like that.
//!
//! A version is known by its write time, which is the value of its row, too. The one with the highest write
//! time counts, whatever the clocks of the writers. A write that was not acknowledged may be there, come
//! later, or never be there, and be seen in one answer and not in the next one: rows that are written while a
//! seal begins are written again, and until then nobody relies on them. So what an answer has to have is
//! what was acknowledged before it was asked for, or something newer.

mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use serde::{Deserialize, Serialize};

/// Nanoseconds of a clock that all processes of the machine share, and that nobody sets.
pub type Moment = u64;

/// The number of a key.
pub type Key = u32;

const EXPLAINED_AT_MOST: usize = 5;
const VERSIONS_SHOWN_AT_MOST: usize = 25;

/// A version of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    pub key: Key,
    /// The write time.
    pub version: i64,
    pub deleted: bool,
    pub began: Moment,
    pub acknowledged: Option<Moment>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    pub began: Moment,
    pub ended: Moment,
    /// The keys that were asked for.
    pub asked: Vec<Key>,
    /// The key and the value of each row.
    pub rows: Vec<(Key, i64)>,
}

/// What an answer has that it must not have, or lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// A row is missing.
    Lost { key: Key, acknowledged: i64 },
    /// A row is there twice.
    Doubled { key: Key },
    /// A row is older than what was acknowledged.
    Stale {
        key: Key,
        found: i64,
        acknowledged: i64,
    },
    /// A row is there that was deleted.
    Resurrected { key: Key, found: i64, deleted: i64 },
    /// A row is there that nobody had begun to write.
    Invented { key: Key, found: i64 },
}

#[derive(Debug, Default)]
pub struct History {
    pub writes: Vec<Write>,
    pub reads: Vec<Read>,
}

/// The versions of a key.
#[derive(Default)]
struct Versions<'a> {
    all: BTreeMap<i64, &'a Write>,
    /// The moments of acknowledgements, in order, each with the newest version that was acknowledged
    /// until then.
    acknowledged: Vec<(Moment, i64)>,
}

impl History {
    /// Returns what is wrong, with the moment at which the answer was asked for.
    pub fn violations(&self) -> Vec<(Moment, Violation)> {
        let versions = self.versions();
        let wrong = |read: &Read| {
            let (asked, found) = (read.began, wrong_in(read, &versions));
            found.into_iter().map(move |violation| (asked, violation))
        };
        self.reads.iter().flat_map(wrong).collect()
    }

    /// Describes violations with the versions of their keys, for people.
    pub fn explained(&self, violations: &[(Moment, Violation)]) -> String {
        let explained = violations.iter().take(EXPLAINED_AT_MOST);
        let explained: Vec<String> = explained
            .map(|(asked, violation)| {
                let versions = self.versions_until(*asked, violation.key());
                format!("asked at {asked}: {violation}; written:\n{versions}")
            })
            .collect();
        format!("{} violations\n{}", violations.len(), explained.join("\n"))
    }

    /// Describes the last versions of a key that were begun before a moment.
    fn versions_until(&self, moment: Moment, key: Key) -> String {
        let of_key = |write: &&Write| write.key == key && write.began < moment;
        let newest_first = self.writes.iter().rev().filter(of_key);
        let shown = newest_first.take(VERSIONS_SHOWN_AT_MOST);
        let lines: Vec<String> = shown.map(|write| format!("    {write:?}")).collect();
        lines.join("\n")
    }

    fn versions(&self) -> HashMap<Key, Versions<'_>> {
        let mut versions: HashMap<Key, Versions<'_>> = HashMap::new();
        for write in &self.writes {
            let of_key = versions.entry(write.key).or_default();
            let before = of_key.all.insert(write.version, write);
            assert_eq!(before, None, "the test has written a version twice");
            let acknowledged = write.acknowledged.map(|at| (at, write.version));
            of_key.acknowledged.extend(acknowledged);
        }
        for of_key in versions.values_mut() {
            of_key.acknowledged.sort_unstable();
            let mut newest = i64::MIN;
            for (_, version) in &mut of_key.acknowledged {
                newest = newest.max(*version);
                *version = newest;
            }
        }
        versions
    }
}

fn wrong_in(read: &Read, versions: &HashMap<Key, Versions<'_>>) -> Vec<Violation> {
    let none = Versions::default();
    let of_key = |key: &Key| versions.get(key).unwrap_or(&none);
    let mut wrong = Vec::new();
    let mut found = HashSet::new();
    for (key, value) in &read.rows {
        if !found.insert(*key) {
            wrong.push(Violation::Doubled { key: *key });
        }
        wrong.extend(of_key(key).wrong_if_found(*key, *value, read));
    }
    for key in read.asked.iter().filter(|key| !found.contains(*key)) {
        wrong.extend(of_key(key).wrong_if_missing(*key, read));
    }
    wrong
}

impl Versions<'_> {
    /// Returns the newest version that was acknowledged before a read began.
    fn newest_before(&self, read: &Read) -> Option<&Write> {
        let before = |(at, _): &(Moment, i64)| *at < read.began;
        let count = self.acknowledged.partition_point(before);
        let (_, newest) = self.acknowledged[..count].last()?;
        self.all.get(newest).copied()
    }

    fn wrong_if_found(&self, key: Key, found: i64, read: &Read) -> Option<Violation> {
        let version = self.all.get(&found);
        let is_written = version.is_some_and(|write| !write.deleted && write.began < read.ended);
        if !is_written {
            return Some(Violation::Invented { key, found });
        }
        let newest = self.newest_before(read)?;
        let acknowledged = newest.version;
        if found >= acknowledged {
            None
        } else if newest.deleted {
            let deleted = acknowledged;
            Some(Violation::Resurrected {
                key,
                found,
                deleted,
            })
        } else {
            Some(Violation::Stale {
                key,
                found,
                acknowledged,
            })
        }
    }

    fn wrong_if_missing(&self, key: Key, read: &Read) -> Option<Violation> {
        let newest = self.newest_before(read).filter(|newest| !newest.deleted)?;
        let acknowledged = newest.version;
        let mut later = self.all.range(acknowledged + 1..);
        let is_deleted = later.any(|(_, write)| write.deleted && write.began < read.ended);
        (!is_deleted).then_some(Violation::Lost { key, acknowledged })
    }
}

impl Violation {
    fn key(&self) -> Key {
        match self {
            Violation::Lost { key, .. }
            | Violation::Doubled { key }
            | Violation::Stale { key, .. }
            | Violation::Resurrected { key, .. }
            | Violation::Invented { key, .. } => *key,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Lost { key, acknowledged } => {
                write!(f, "key {key} is lost: {acknowledged} was acknowledged")
            }
            Violation::Doubled { key } => write!(f, "key {key} is there twice"),
            Violation::Stale {
                key,
                found,
                acknowledged,
            } => write!(
                f,
                "key {key} is {found}, and {acknowledged} was acknowledged"
            ),
            Violation::Resurrected {
                key,
                found,
                deleted,
            } => write!(f, "key {key} is {found}, and was deleted at {deleted}"),
            Violation::Invented { key, found } => {
                write!(f, "key {key} is {found}, which nobody had written")
            }
        }
    }
}
