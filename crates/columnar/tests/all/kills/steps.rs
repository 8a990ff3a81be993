//! The steps of a child, each of which changes a table and a plain map in the same way.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroI64;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::Int64Type;
use bakeoff_columnar::{Column, Definition, KeyRange, Kind, Profile, Selection, Table};

/// The valid value of each host and time.
pub type State = BTreeMap<(String, i64), i64>;

/// The points at which a process may end while it ingests or seals, whatever the store.
pub const FAILPOINTS: &[&str] = &[
    "ingest.encoded",
    "ingest.put",
    "ingest.commit",
    "seal.frozen",
    "seal.encoded",
    "seal.put",
    "seal.committed",
];

const HOSTS: i64 = 3;
const TIMES: i64 = 200;

/// The number of hosts in loads that come in order of time.
const LATER_HOSTS: i64 = 12;
const LATER_TIMES: i64 = 4;

pub fn definition() -> Definition {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Definition {
        columns: vec![
            column("host", Kind::Text),
            column("time", Kind::Bigint),
            column("value", Kind::Bigint),
        ],
        partition_key: vec!["host".to_owned()],
        order_key: vec!["time".to_owned()],
        bucket: NonZeroI64::new(TIMES / 2),
        shards: 2,
        profile: Profile::Fast,
        chunk_rows: 32,
    }
}

enum Change {
    Ingest(State),
    Insert(State),
    Delete(Vec<(String, i64)>),
    Seal,
}

/// The kinds of steps.
const KINDS: [&str; 4] = ["ingest", "insert", "delete", "seal"];

fn kind_of(step: u64) -> &'static str {
    match change(step) {
        Change::Ingest(_) => "ingest",
        Change::Insert(_) => "insert",
        Change::Delete(_) => "delete",
        Change::Seal => "seal",
    }
}

/// Returns the first step of a kind from one on.
pub fn first_of(kind: &str, from: u64) -> u64 {
    let found = (from..).find(|step| kind_of(*step) == kind);
    found.expect("steps of all kinds come again and again")
}

/// Whether steps of a kind write and sync only once.
pub fn is_short(kind: &str) -> bool {
    ["insert", "delete"].contains(&kind)
}

/// How many kills came in each kind of step.
#[derive(Debug, Default)]
pub struct Hits(BTreeMap<&'static str, usize>);

impl Hits {
    /// Notes a kill that came in this step.
    pub fn add(&mut self, step: u64) {
        *self.0.entry(kind_of(step)).or_default() += 1;
    }

    pub fn kills(&self) -> usize {
        self.0.values().sum()
    }

    fn of_kind(&self, kind: &str) -> usize {
        self.0.get(kind).copied().unwrap_or_default()
    }

    /// Returns the kind with the fewest kills.
    pub fn rarest(&self) -> &'static str {
        let rarest = KINDS.into_iter().min_by_key(|kind| self.of_kind(kind));
        rarest.expect("there are kinds")
    }

    /// Returns how many kills each kind has at least.
    pub fn least(&self) -> usize {
        self.of_kind(self.rarest())
    }
}

impl fmt::Display for Hits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_kind = |kind: &str| format!("{} in {kind}", self.of_kind(kind));
        let kinds: Vec<String> = KINDS.into_iter().map(of_kind).collect();
        write!(f, "{} kills: {}", self.kills(), kinds.join(", "))
    }
}

/// Returns a number that looks random for a step and a row.
fn hash(step: u64, row: u64) -> u64 {
    let mut x = step.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ row.wrapping_mul(0xd1b5_4a32_d192_ed03);
    x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

fn change(step: u64) -> Change {
    let key = |row: u64| {
        let random = hash(step, row) as i64;
        let host = format!("host-{}", random.rem_euclid(HOSTS));
        (host, (random >> 8).rem_euclid(TIMES))
    };
    let rows = |count: u64| (0..count).map(|row| (key(row), step as i64)).collect();
    match hash(step, 0) % 11 {
        0 | 1 => Change::Ingest(rows(80)),
        2 | 3 => Change::Insert(rows(6)),
        4 | 5 => Change::Delete((0..5).map(key).collect()),
        6 | 7 => Change::Seal,
        // A seal sorts chunks of several of them together.
        _ => Change::Ingest(later(step)),
    }
}

pub fn later(step: u64) -> State {
    let begin = TIMES + LATER_TIMES * step as i64;
    let of_host =
        |host| (begin..begin + LATER_TIMES).map(move |time| (format!("host-{host}"), time));
    let keys = (0..LATER_HOSTS).flat_map(of_host);
    keys.map(|key| (key, step as i64)).collect()
}

/// Returns the rows that are valid after all steps up to one.
pub fn state_after(last: u64) -> State {
    let mut state = State::new();
    for step in 1..=last {
        match change(step) {
            Change::Ingest(rows) | Change::Insert(rows) => state.extend(rows),
            Change::Delete(keys) => state.retain(|key, _| !keys.contains(key)),
            Change::Seal => {}
        }
    }
    state
}

pub async fn apply(table: &Arc<Table>, step: u64) {
    match change(step) {
        Change::Ingest(rows) => load(table, &rows).await,
        Change::Insert(rows) => table.insert(&batch(&rows)).await.unwrap(),
        Change::Delete(keys) => {
            let rows: State = keys.into_iter().map(|key| (key, 0)).collect();
            let keys = batch(&rows).project(&[0, 1]).unwrap();
            table.delete(&keys).await.unwrap();
        }
        Change::Seal => {
            table.seal(None).await.unwrap();
            table.sweep(std::time::Duration::ZERO).await.unwrap();
        }
    }
}

pub async fn load(table: &Arc<Table>, rows: &State) {
    let mut ingest = table.ingest();
    ingest.write(&batch(rows)).await.unwrap();
    ingest.finish().await.unwrap();
}

fn batch(rows: &State) -> RecordBatch {
    let hosts = StringArray::from_iter_values(rows.keys().map(|(host, _)| host));
    let times = Int64Array::from_iter_values(rows.keys().map(|(_, time)| *time));
    let values = Int64Array::from_iter_values(rows.values().copied());
    let columns: [(&str, ArrayRef); 3] = [
        ("host", Arc::new(hosts)),
        ("time", Arc::new(times)),
        ("value", Arc::new(values)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Returns all rows of a table, after checking that none is there twice.
pub async fn shown(table: &Table) -> State {
    let mut state = State::new();
    for part in table.view(&Selection::default()).await.unwrap() {
        let rows = table
            .read(&part, &[0, 1, 2], KeyRange::default())
            .await
            .unwrap();
        let hosts = rows.column(0).as_string::<i32>();
        let times = rows.column(1).as_primitive::<Int64Type>();
        let values = rows.column(2).as_primitive::<Int64Type>();
        for i in 0..rows.num_rows() {
            let key = (hosts.value(i).to_owned(), times.value(i));
            let before = state.insert(key.clone(), values.value(i));
            assert_eq!(before, None, "{key:?} is there twice");
        }
    }
    state
}

/// Checks that a table has all changes up to a step, and perhaps some of the next one.
pub fn check(found: &State, done: u64, why: &str) {
    let (now, next) = (state_after(done), state_after(done + 1));
    for key in now.keys().chain(next.keys()).chain(found.keys()) {
        let value = found.get(key);
        assert!(
            value == now.get(key) || value == next.get(key),
            "{why}: {key:?} is {value:?} after step {done}; {:?} or {:?} was right",
            now.get(key),
            next.get(key)
        );
    }
}
