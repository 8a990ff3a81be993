//! Tests of lists of numbers on a real Cassandra: they are written and read as a list, a frozen list,
//! vectors and a blob, and item by item as columns; types that do not fit are refused, and a changed list
//! is noticed.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::time::Duration;

use bakeoff_stats::FailureKind;
use bakeoff_workload::{Value, Version};

use crate::support::load::{Loaded, Loads, workload};
use crate::support::shared;

const KEYSPACE: &str = "arrays_test";
const ID: &str = "cassandra/as-written";

/// One column of bins, stored in each way, and beside them two of the items.
const TABLE: &str = r#"
title = "Lists of numbers"
seed = 5
designs = ["cassandra/as-written"]
[table]
name = "bins"
columns = { id = "bigint", bins = "blob" }
partition_key = ["id"]
[data]
generator = "columns"
[data.columns]
id = { sequence = {} }
bins = { doubles = { items = 100, normal = { mean = 50, deviation = 10 } } }
[scale]
rows = 200
[mix]
schema = ["""CREATE TABLE ${keyspace}.bins (id bigint PRIMARY KEY, a list<double>, b frozen<list<double>>,
  c vector<float, 100>, d vector<double, 100>, e blob, f frozen<list<float>>, first double, last float)"""]
populate = ["""INSERT INTO ${keyspace}.bins (id, a, b, c, d, e, f, first, last)
  VALUES (:id, :bins, :bins, :bins, :bins, :bins, :bins, :bins[0], :bins[99])"""]
"#;

/// The columns that hold the whole list.
const READS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Operations that read each column under the name of the one that it is compared with.
fn reads() -> String {
    let weight = 100.0 / READS.len() as f64;
    let operation = |column: &str| {
        format!(
            "[[mix.operations]]\nname = \"{column}\"\naction = \"cql\"\nweight = {weight}\n\
             statements = [\"SELECT id, {column} AS bins FROM ${{keyspace}}.bins WHERE id = :id\"]\n\
             expect = [\"id\", \"bins\"]\nexpect_row = true\n"
        )
    };
    READS.map(operation).concat()
}

const UPDATES: &str = r#"
[[mix.operations]]
name = "update"
action = "cql"
weight = 50
statements = ["UPDATE ${keyspace}.bins SET a = :new, b = :new, c = :new, d = :new, e = :new, f = :new, first = :new[0] WHERE id = :id"]
bind = { new = { column = "bins", version = 2 } }
[[mix.operations]]
name = "item"
action = "cql"
weight = 50
statements = ["UPDATE ${keyspace}.bins SET a[7] = :bins[7], last = :bins[99] WHERE id = :id"]
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_of_numbers_are_right_in_every_type() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let address = server.address().to_string();
    let loads = Loads::new(&address, &folder.path().join("run"), Some(KEYSPACE)).await;
    let reads = loads.target(ID, &workload(TABLE, &reads())).await;
    reads.fill().await;
    reads.drive().await.assert_right("reads");
    items_are_those_of_the_list(&loads, &reads).await;
    a_changed_list_is_noticed(&loads, &reads).await;
    types_that_do_not_fit_are_refused(&loads).await;

    let updates = loads.target(ID, &workload(TABLE, UPDATES)).await;
    updates.drive().await.assert_right("updates");
    loads.running.finish(false).await.unwrap();
}

async fn items_are_those_of_the_list(loads: &Loads, loaded: &Loaded) {
    let cql = format!("SELECT first, last FROM {KEYSPACE}.bins WHERE id = 3");
    let found = loads.session.query_unpaged(cql, ()).await.unwrap();
    let found = found.into_rows_result().unwrap();
    let (first, last) = found.single_row::<(f64, f32)>().unwrap();
    let mut columns = loaded.workload.table.columns.iter();
    let column = columns.position(|c| c.name == "bins").unwrap();
    let Value::Blob(bytes) = loaded.values.value(column, 3, Version::First) else {
        panic!("a list is a blob");
    };
    let (doubles, _) = bytes.as_chunks::<8>();
    assert_eq!(doubles.len(), 100);
    assert_eq!(first, f64::from_be_bytes(doubles[0]));
    assert_eq!(last, f64::from_be_bytes(doubles[99]) as f32);
}

async fn a_changed_list_is_noticed(loads: &Loads, reads: &Loaded) {
    for id in 0..100 {
        let change = format!("UPDATE {KEYSPACE}.bins SET a[99] = 0.0 WHERE id = {id}");
        loads.cql(&change).await;
    }
    // Each read draws one of 200 rows, and there are more than a hundred reads.
    let came = reads.drive_for(Duration::from_secs(2)).await;
    came.assert_failed_only(FailureKind::Wrong);
    let told = "a: column `bins` of row ";
    assert!(came.messages().contains(told), "{}", came.messages());
    let others = READS.iter().filter(|column| **column != "a");
    assert!(
        others
            .map(|column| came.of(column).failed())
            .all(|failed| failed == 0)
    );
}

async fn types_that_do_not_fit_are_refused(loads: &Loads) {
    loads
        .cql(&format!("ALTER TABLE {KEYSPACE}.bins ADD note text"))
        .await;
    for (values, told) in [
        (
            ":bins, :bins",
            "marker 2 is a text, but column `bins` of [table] has lists of 100 doubles",
        ),
        (
            ":bins[1], :bins",
            "marker 2 is a text, but items of column `bins`",
        ),
        (
            "'', :bins[1]",
            "marker 2 is a list<double>, but items of column `bins`",
        ),
    ] {
        let mistaken = format!(
            "[[mix.operations]]\nname = \"write\"\naction = \"cql\"\nweight = 100\n\
             statements = [\"INSERT INTO ${{keyspace}}.bins (id, note, a) VALUES (:id, {values})\"]\n"
        );
        let loaded = loads.target(ID, &workload(TABLE, &mistaken)).await;
        let error = loaded.target.prepare().await.unwrap_err().to_string();
        assert!(error.contains("`write`") && error.contains(told), "{error}");
    }
}
