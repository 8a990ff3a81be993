//! The tables in which a server describes itself: one node, and a keyspace with three copies.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use super::cells::{Cell, Partition, Row};
use super::parser::parse;
use super::statement::Statement;
use super::table::Table;

/// The keyspace of all other tables.
pub const KEYSPACE: &str = "simulated";

const TABLES: [&str; 4] = [
    "CREATE TABLE IF NOT EXISTS system.local (key text PRIMARY KEY, host_id uuid, \
     rpc_address inet, data_center text, rack text, tokens set, cluster_name text) \
     WITH comment = ''",
    "CREATE TABLE IF NOT EXISTS system.peers (peer text PRIMARY KEY, host_id uuid, \
     rpc_address inet, data_center text, rack text, tokens set) WITH comment = ''",
    "CREATE TABLE IF NOT EXISTS system_schema.tables (keyspace_name text, table_name text, \
     comment text, PRIMARY KEY (keyspace_name, table_name)) WITH comment = ''",
    "CREATE TABLE IF NOT EXISTS system_schema.keyspaces (keyspace_name text PRIMARY KEY, \
     replication map) WITH comment = ''",
];

/// The tables of a server, by their names with their keyspaces.
pub type Tables = BTreeMap<String, Arc<Table>>;

/// Returns the tables that a new server has.
pub fn tables() -> Tables {
    let table = |cql: &str| match parse(cql).0 {
        Statement::Create(table) => (table.name.clone(), Arc::new(table)),
        other => panic!("no table: {other:?}"),
    };
    TABLES.into_iter().map(table).collect()
}

/// Returns what is in one of these tables, or `None` if it is another one.
pub fn partition(name: &str, tables: &Tables) -> Option<Partition> {
    let rows = match name {
        "system.local" => vec![(Vec::new(), local())],
        "system.peers" => Vec::new(),
        "system_schema.tables" => tables.values().filter_map(|table| listed(table)).collect(),
        "system_schema.keyspaces" => {
            let replication = texts(&[
                "class",
                "org.apache.cassandra.locator.SimpleStrategy",
                "replication_factor",
                "3",
            ]);
            vec![(Vec::new(), row([("replication", replication)]))]
        }
        _ => return None,
    };
    Some(Partition {
        rows: rows.into_iter().collect(),
        ..Partition::default()
    })
}

fn local() -> Row {
    let text = |text: &'static str| Bytes::from_static(text.as_bytes());
    row([
        ("host_id", Bytes::from_static(&[1; 16])),
        ("rpc_address", Bytes::from_static(&[127, 0, 0, 1])),
        ("data_center", text("simulated")),
        ("rack", text("simulated")),
        ("tokens", set_of("0")),
        ("cluster_name", text("simulated")),
    ])
}

/// Returns the row that lists a table, unless it is one of the server's own.
fn listed(table: &Table) -> Option<(Vec<Bytes>, Row)> {
    let (keyspace, bare) = table.name.split_once('.')?;
    let comment = Bytes::copy_from_slice(table.comment.as_bytes());
    let name = Bytes::copy_from_slice(bare.as_bytes());
    (keyspace == KEYSPACE).then(|| (vec![name], row([("comment", comment)])))
}

fn row<const N: usize>(values: [(&str, Bytes); N]) -> Row {
    let cell = |(name, value): (&str, Bytes)| {
        let cell = Cell {
            written: 0,
            value: Some(value),
        };
        (name.to_owned(), cell)
    };
    Row {
        inserted: 0,
        cells: values.into_iter().map(cell).collect(),
        ..Row::default()
    }
}

/// Returns a map: each key with its value after it.
fn texts(all: &[&str]) -> Bytes {
    collection(all.len() / 2, all)
}

fn set_of(text: &str) -> Bytes {
    collection(1, &[text])
}

fn collection(number: usize, texts: &[&str]) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.put_i32(number as i32);
    for text in texts {
        bytes.put_i32(text.len() as i32);
        bytes.put_slice(text.as_bytes());
    }
    bytes.freeze()
}
