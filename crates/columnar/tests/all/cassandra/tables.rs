//! Creating, opening and dropping tables.

use std::collections::HashMap;
use std::num::NonZeroI64;
use std::sync::Arc;

use bakeoff_columnar::cassandra::{
    CassandraStore, Compression, Options, recreation_statements, table_names,
};
use bakeoff_columnar::{Error, Profile, Store};

use super::support::{
    Cassandra, KEYSPACE, PLACE, definition, fresh_rows, row, wide_definition, write_time,
};

async fn open(cassandra: &Cassandra, name: &str) -> Result<CassandraStore, Error> {
    let session = Arc::clone(&cassandra.session);
    CassandraStore::open(session, KEYSPACE, name, Options::default()).await
}

async fn drop_table(cassandra: &Cassandra, name: &str) -> Result<bool, Error> {
    CassandraStore::drop_table(Arc::clone(&cassandra.session), KEYSPACE, name).await
}

pub async fn is_made_once_and_found_again(cassandra: &Cassandra) {
    let error = open(cassandra, "made").await.unwrap_err().to_string();
    assert!(
        error.contains("there is no columnar table columnar_tests.made"),
        "{error}"
    );
    let made = cassandra.table("made").await;
    assert_eq!(format!("{made:?}"), "CassandraStore(columnar_tests.made)");
    assert_eq!(**made.definition(), definition());
    assert_eq!(made.places().await.unwrap(), []);
    made.insert(PLACE, &[row("a", write_time(), Some("1"))])
        .await
        .unwrap();

    let again = cassandra.table("made").await;
    assert_eq!(fresh_rows(&again, PLACE).await.len(), 1);
    let found = open(cassandra, "made").await.unwrap();
    assert_eq!(found.definition(), made.definition());
    assert_eq!(found.places().await.unwrap(), [PLACE]);

    assert!(drop_table(cassandra, "made").await.unwrap());
    assert!(!drop_table(cassandra, "made").await.unwrap());
    assert!(open(cassandra, "made").await.is_err());
    let recreated = cassandra.table_of("made", wide_definition()).await;
    assert_eq!(fresh_rows(&recreated, PLACE).await, []);

    let made: Vec<String> = table_names("made")
        .iter()
        .map(|t| format!("{KEYSPACE}.{t}"))
        .collect();
    let shown = recreation_statements(KEYSPACE, "made", Compression::Zstd).unwrap();
    for statement in shown.iter().filter(|statement| !statement.contains('?')) {
        cassandra.cql(statement).await;
    }
    assert_eq!(
        shown
            .iter()
            .filter(|s| s.starts_with("CREATE TABLE"))
            .count(),
        made.len()
    );
    assert!(
        open(cassandra, "made").await.is_err(),
        "it was not created again"
    );

    let session = Arc::clone(&cassandra.session);
    let nowhere = CassandraStore::create(session, "nowhere", "t", definition(), Options::default());
    let error = nowhere.await.unwrap_err().to_string();
    assert!(
        error.starts_with("making a table in nowhere.t_columnar: "),
        "{error}"
    );
}

pub async fn another_definition_is_refused(cassandra: &Cassandra) {
    cassandra.table("other").await;
    let there = definition();
    let mut others = vec![wide_definition(); 7];
    others[1] = there.clone();
    others[1].partition_key = vec!["time".to_owned()];
    others[1].order_key = vec!["host".to_owned()];
    others[1].bucket = None;
    others[2] = there.clone();
    others[2].order_key.push("value".to_owned());
    others[3] = there.clone();
    others[3].bucket = NonZeroI64::new(5);
    others[4] = there.clone();
    others[4].shards = 5;
    others[5] = there.clone();
    others[5].profile = Profile::Compact;
    others[6] = there.clone();
    others[6].chunk_rows = 9;
    let differences = [
        "list of columns",
        "partition key",
        "order key",
        "width of a bucket",
        "number of shards is 4, not 5",
        "profile",
        "rows of a chunk",
    ];
    for (other, difference) in others.into_iter().zip(differences) {
        let error = cassandra
            .create("other", other)
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("columnar_tests.other is there already"),
            "{error}"
        );
        assert!(error.contains(difference), "{error}");
    }
    let mut impossible = there.clone();
    impossible.shards = 0;
    assert!(cassandra.create("impossible", impossible).await.is_err());
    assert!(open(cassandra, "impossible").await.is_err());
    assert_eq!(**cassandra.table("other").await.definition(), there);
}

pub async fn what_is_not_ours_is_left_alone(cassandra: &Cassandra) {
    for suffix in ["columnar", "places", "index", "chunks", "fresh"] {
        let table = format!("{KEYSPACE}.theirs_{suffix}");
        cassandra
            .cql(&format!("CREATE TABLE {table} (id int PRIMARY KEY)"))
            .await;
        cassandra
            .cql(&format!("INSERT INTO {table} (id) VALUES (1)"))
            .await;
        for error in [
            cassandra.create("theirs", definition()).await.unwrap_err(),
            open(cassandra, "theirs").await.unwrap_err(),
            drop_table(cassandra, "theirs").await.unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(
                error.contains(&format!("table {table} is there already")),
                "{error}"
            );
        }
        assert_eq!(cassandra.count(&format!("theirs_{suffix}")).await, 1);
        let tables = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?";
        let tables = cassandra
            .session
            .query_unpaged(tables, (KEYSPACE,))
            .await
            .unwrap();
        let tables = tables.into_rows_result().unwrap();
        let theirs = tables
            .rows::<(String,)>()
            .unwrap()
            .filter(|row| row.as_ref().unwrap().0.starts_with("theirs_"));
        assert_eq!(theirs.count(), 1);
        cassandra.cql(&format!("DROP TABLE {table}")).await;
    }
}

pub async fn a_table_that_is_half_made_or_half_dropped(cassandra: &Cassandra) {
    cassandra.table("half").await;
    cassandra.cql("TRUNCATE columnar_tests.half_columnar").await;
    cassandra.cql("DROP TABLE columnar_tests.half_fresh").await;
    let error = open(cassandra, "half").await.unwrap_err().to_string();
    assert!(error.contains("or not all of it"), "{error}");
    cassandra
        .table("half")
        .await
        .insert(PLACE, &[row("a", 1, None)])
        .await
        .unwrap();

    cassandra
        .cql("UPDATE columnar_tests.half_columnar SET dropping = true WHERE id = 'table'")
        .await;
    for error in [
        open(cassandra, "half").await.unwrap_err(),
        cassandra.create("half", definition()).await.unwrap_err(),
    ] {
        assert!(error.to_string().contains("drop it again"), "{error}");
    }
    cassandra
        .cql("DROP TABLE columnar_tests.half_columnar")
        .await;
    let error = cassandra
        .create("half", definition())
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("remains of a columnar table"), "{error}");
    assert!(drop_table(cassandra, "half").await.unwrap());
    assert_eq!(fresh_rows(&cassandra.table("half").await, PLACE).await, []);
}

pub async fn tables_have_the_compression_that_they_were_created_with(cassandra: &Cassandra) {
    for compression in Compression::ALL {
        if compression == Compression::default() {
            // All other tables have it.
            continue;
        }
        let name = format!("with_{}", compression.name().to_lowercase());
        let create = async |compression| {
            let options = Options {
                compression,
                ..Options::default()
            };
            let session = Arc::clone(&cassandra.session);
            CassandraStore::create(session, KEYSPACE, &name, definition(), options)
                .await
                .unwrap()
        };
        let made = create(compression).await;
        made.insert(PLACE, &[row("a", write_time(), Some("1"))])
            .await
            .unwrap();
        let class = compressor_of(cassandra, &format!("{name}_chunks")).await;
        match compression {
            Compression::None => assert_eq!(class, None),
            other => assert_eq!(
                class,
                Some(format!(
                    "org.apache.cassandra.io.compress.{}Compressor",
                    other.name()
                ))
            ),
        }
        // A process that asks for another one opens the table as it is.
        let again = create(Compression::default()).await;
        assert_eq!(fresh_rows(&again, PLACE).await.len(), 1);
        assert_eq!(
            compressor_of(cassandra, &format!("{name}_chunks")).await,
            class
        );
    }
}

/// Returns the class of the compressor of a CQL table.
async fn compressor_of(cassandra: &Cassandra, table: &str) -> Option<String> {
    let cql =
        "SELECT compression FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";
    let found = cassandra
        .session
        .query_unpaged(cql, (KEYSPACE, table))
        .await
        .unwrap();
    let found = found.into_rows_result().unwrap();
    let (mut options,) = found.first_row::<(HashMap<String, String>,)>().unwrap();
    options.remove("class")
}

pub async fn a_newer_format_is_refused(cassandra: &Cassandra) {
    cassandra.table("newer").await;
    cassandra
        .cql("UPDATE columnar_tests.newer_columnar SET format = 2 WHERE id = 'table'")
        .await;
    let error = open(cassandra, "newer").await.unwrap_err();
    assert!(
        matches!(
            error,
            Error::Version {
                found: 2,
                known: 1,
                ..
            }
        ),
        "{error}"
    );
    let damaged =
        "UPDATE columnar_tests.newer_columnar SET format = 1, definition = '{' WHERE id = 'table'";
    cassandra.cql(damaged).await;
    let error = open(cassandra, "newer").await.unwrap_err().to_string();
    assert!(error.contains("newer_columnar: it is damaged"), "{error}");
}
