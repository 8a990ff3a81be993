mod key;

use bakeoff_workload::ColumnType;

use super::*;
use crate::cassandra::rows::fixture;

fn table() -> Table {
    let columns = [
        ("series", ColumnType::Text),
        ("time", ColumnType::Timestamp),
        ("value", ColumnType::Double),
    ];
    fixture::table(&columns, &["series"], &["time"])
}

fn create(id: &str) -> Result<String, String> {
    let layout = fixture::layout(id, &table(), false)?;
    let name = layout
        .name
        .rsplit_once('_')
        .map(|(_, hash)| hash.to_owned());
    let create = layout.create_statement("ks");
    Ok(name.map_or(create.clone(), |hash| create.replace(&hash, "NAME")))
}

#[test]
fn each_shape_has_its_own_key() {
    assert_eq!(
        create("cassandra/narrow?compressor=none").unwrap(),
        r#"CREATE TABLE ks.narrow_NAME ("series" text, "time" timestamp, "value" double, PRIMARY KEY (("series", "time"))) WITH compression = {'enabled': 'false'}"#
    );
    assert_eq!(
        create("cassandra/wide?bucket=1d&chunk=4KiB&compressor=Zstd").unwrap(),
        r#"CREATE TABLE ks.wide_NAME ("series" text, "time" timestamp, "value" double, "bakeoff_bucket" bigint, PRIMARY KEY (("series", "bakeoff_bucket"), "time")) WITH compression = {'class': 'ZstdCompressor', 'chunk_length_in_kb': 4}"#
    );
    assert_eq!(
        create("cassandra/compact").unwrap(),
        r#"CREATE TABLE ks.compact ("series" text, "time" timestamp, "bakeoff_row" blob, PRIMARY KEY (("series"), "time")) WITH COMPACT STORAGE AND compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 16}"#
    );
}

#[test]
fn short_names_stand_for_all_columns_in_the_order_of_the_table() {
    let id = "cassandra/wide?bucket=1d&compressor=none&names=short&order=desc";
    assert_eq!(
        create(id).unwrap(),
        r#"CREATE TABLE ks.wide_NAME ("a" text, "b" timestamp, "c" double, "d" bigint, PRIMARY KEY (("a", "d"), "b")) WITH CLUSTERING ORDER BY ("b" DESC) AND compression = {'enabled': 'false'}"#
    );
    let id: DesignId = id.parse().unwrap();
    let layout = TableLayout::new(&id, Shape::Wide, &table(), false).unwrap();
    let insert = layout.insert_statement("ks");
    assert!(
        insert.ends_with(r#"("a", "b", "c", "d") VALUES (?, ?, ?, ?)"#),
        "{insert}"
    );
    let full = create("cassandra/wide?names=full").unwrap();
    assert!(full.contains(r#"("series" text, "time" timestamp, "value" double, "#));
}

#[test]
fn table_options_follow_the_order_of_rows() {
    assert_eq!(
        create("cassandra/compact?order=desc&compaction=TWCS:1d&caching=rows:100&ttl=30d&compressor=Zstd&level=9").unwrap(),
        r#"CREATE TABLE ks.compact_NAME ("series" text, "time" timestamp, "bakeoff_row" blob, PRIMARY KEY (("series"), "time")) WITH COMPACT STORAGE AND CLUSTERING ORDER BY ("time" DESC) AND compression = {'class': 'ZstdCompressor', 'chunk_length_in_kb': 16, 'compression_level': 9} AND compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'DAYS', 'compaction_window_size': '1'} AND caching = {'keys': 'ALL', 'rows_per_partition': '100'} AND default_time_to_live = 2592000"#
    );
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    for (id, word) in [
        ("cassandra/wide?chunk=5KiB", "power of two"),
        ("cassandra/wide?compressor=gzip", "LZ4, Zstd"),
        ("cassandra/wide?colour=red", "unknown setting `colour`"),
        ("cassandra/narrow?bucket=1d", "one row per partition"),
        ("cassandra/wide?page=0", "from 1 to 100000"),
        ("cassandra/wide?page=100001", "from 1 to 100000"),
        ("cassandra/wide?page=many", "not a number of rows"),
        (
            "cassandra/wide?aggregate=me",
            "client, server, ranges, java",
        ),
        (
            "cassandra/blob?aggregate=server",
            "unknown setting `aggregate`",
        ),
        (
            "cassandra/blob?consistency=two",
            "one, quorum, all, local_one",
        ),
        ("cassandra/wide?bucket=0s", "more than 0"),
        ("cassandra/wide?names=tiny", "not one of full, short"),
        (
            "cassandra/blob?names=short",
            "all columns outside the key are in one",
        ),
        (
            "cassandra/compact?names=full",
            "all columns outside the key are in one",
        ),
        (
            "cassandra/wide?names=short&summary=1h",
            "leave out one of the two, names= or summary=",
        ),
        (
            "cassandra/narrow?aggregate=server&names=short",
            "leave out one of the two, names= or aggregate=",
        ),
        ("cassandra/wide?bucket=much", "not a duration"),
        ("cassandra/wide?compressor=none&chunk=4KiB", "means nothing"),
    ] {
        let error = create(id).unwrap_err();
        assert!(error.contains(word), "{id}: {error}");
    }
}

#[test]
fn functions_in_java_are_made_before_the_table() {
    let id: DesignId = "cassandra/wide?aggregate=java".parse().unwrap();
    let layout = TableLayout::new(&id, Shape::Wide, &table(), false).unwrap();
    let statements = layout.recreation_statements("ks");
    let [functions @ .., drop, create] = &statements[..] else {
        panic!("{statements:?}");
    };
    assert!(drop.starts_with("DROP TABLE IF EXISTS ks.wide_"), "{drop}");
    assert!(create.starts_with("CREATE TABLE ks.wide_"), "{create}");
    // Five aggregates of doubles, which are the only numbers, and a function for the state of each.
    assert_eq!(functions.len(), 10);
    assert!(functions.iter().all(|s| s.contains(" ks.bakeoff_")));
    let id: DesignId = "cassandra/wide?aggregate=server".parse().unwrap();
    let layout = TableLayout::new(&id, Shape::Wide, &table(), false).unwrap();
    assert_eq!(layout.recreation_statements("ks").len(), 2);
}

#[test]
fn where_keys_repeat_compaction_removes_overwritten_values_at_once() {
    let id: DesignId = "cassandra/wide?ttl=1d".parse().unwrap();
    let layout = TableLayout::new(&id, Shape::Wide, &table(), true).unwrap();
    assert!(
        layout
            .create_statement("ks")
            .ends_with(" AND default_time_to_live = 86400 AND gc_grace_seconds = 0")
    );
    // What the design says goes before it.
    let id: DesignId = "cassandra/wide?gc_grace=1h".parse().unwrap();
    let layout = TableLayout::new(&id, Shape::Wide, &table(), true).unwrap();
    let create = layout.create_statement("ks");
    assert!(
        create.ends_with("} AND gc_grace_seconds = 3600"),
        "{create}"
    );
}

#[test]
fn a_design_that_is_flushed_only_says_so() {
    let id: DesignId = "cassandra/narrow?settle=flush".parse().unwrap();
    let layout = TableLayout::new(&id, Shape::Narrow, &table(), false).unwrap();
    assert_eq!(layout.settling, Settling::Flush);
}
