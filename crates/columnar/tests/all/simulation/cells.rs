//! What a replica has, as Cassandra keeps it: cells with timestamps, and deletions of rows and partitions.
//!
//! The later timestamp counts. If two are equal, so does a deletion, or else the greater value. So a
//! replica is the sum of the writes that it got, in whichever order.

use std::collections::BTreeMap;

use bytes::Bytes;

/// A timestamp before all others.
pub const NEVER: i64 = i64::MIN;

/// The name of a partition: its table, and the values of its key.
pub type Name = (String, Vec<Bytes>);

/// The partitions of all tables.
pub type Replica = BTreeMap<Name, Partition>;

/// A partition, or what a write changes in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Everything that was written up to this timestamp is deleted.
    pub deleted: i64,
    /// The rows by the values of their clustering columns.
    pub rows: BTreeMap<Vec<Bytes>, Row>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub deleted: i64,
    /// The timestamp of the last insert, which makes a row exist even if it has no cells.
    pub inserted: i64,
    pub cells: BTreeMap<String, Cell>,
}

/// A cell with its timestamp, and its value, unless that is null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub written: i64,
    pub value: Option<Bytes>,
}

impl Default for Partition {
    fn default() -> Self {
        Partition {
            deleted: NEVER,
            rows: BTreeMap::new(),
        }
    }
}

impl Default for Row {
    fn default() -> Self {
        Row {
            deleted: NEVER,
            inserted: NEVER,
            cells: BTreeMap::new(),
        }
    }
}

impl Partition {
    /// Adds what was written elsewhere.
    pub fn join(&mut self, other: &Partition) {
        self.deleted = self.deleted.max(other.deleted);
        for (key, theirs) in &other.rows {
            self.rows.entry(key.clone()).or_default().join(theirs);
        }
    }

    /// Returns a row as readers see it, without what is deleted, if it exists.
    pub fn live(&self, key: &[Bytes]) -> Option<Row> {
        let row = self.rows.get(key)?;
        let deleted = self.deleted.max(row.deleted);
        let is_live = |cell: &Cell| cell.written > deleted && cell.value.is_some();
        let mut live = row.clone();
        live.cells.retain(|_, cell| is_live(cell));
        (live.inserted > deleted || !live.cells.is_empty()).then_some(live)
    }
}

impl Row {
    fn join(&mut self, other: &Row) {
        self.deleted = self.deleted.max(other.deleted);
        self.inserted = self.inserted.max(other.inserted);
        for (name, theirs) in &other.cells {
            let mine = self.cells.entry(name.clone());
            let mine = mine.or_insert_with(|| theirs.clone());
            if theirs.rank() > mine.rank() {
                *mine = theirs.clone();
            }
        }
    }
}

impl Cell {
    fn rank(&self) -> (i64, bool, &Option<Bytes>) {
        (self.written, self.value.is_none(), &self.value)
    }
}

/// Adds a write, or what another replica has.
pub fn add(replica: &mut Replica, name: &Name, partition: &Partition) {
    match replica.get_mut(name) {
        Some(there) => there.join(partition),
        None => {
            replica.insert(name.clone(), partition.clone());
        }
    }
}

#[test]
fn the_later_write_counts_in_whichever_order_they_come() {
    let value = |written, value| change(NEVER, written, Some(value));
    let cases = [
        (value(1, "z"), value(2, "a"), Some("a")),
        (value(1, "a"), value(1, "b"), Some("b")),
        (value(1, "b"), change(NEVER, 1, None), None),
        (value(1, "a"), change(1, 0, None), None),
        (value(2, "a"), change(1, 0, None), Some("a")),
    ];
    for (one, other, expected) in cases {
        let expected = expected.map(Bytes::from);
        assert_eq!(seen(&[&one, &other]), expected);
        assert_eq!(seen(&[&other, &one]), expected);
    }
}

/// Returns a change of one cell.
fn change(deleted: i64, written: i64, value: Option<&'static str>) -> Partition {
    let value = value.map(Bytes::from);
    let row = Row {
        cells: BTreeMap::from([("a".to_owned(), Cell { written, value })]),
        ..Row::default()
    };
    Partition {
        deleted,
        rows: BTreeMap::from([(Vec::new(), row)]),
    }
}

fn seen(changes: &[&Partition]) -> Option<Bytes> {
    let mut all = Partition::default();
    changes.iter().for_each(|change| all.join(change));
    all.live(&[])?.cells["a"].value.clone()
}
