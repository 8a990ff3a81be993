use bakeoff_workload::Column;

use super::*;

fn table(order_key: Option<(&str, ColumnType)>) -> Table {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    let mut columns = vec![
        column("host", ColumnType::Text),
        column("value", ColumnType::Double),
    ];
    columns.extend(order_key.map(|(name, kind)| column(name, kind)));
    Table {
        name: "cpu".to_owned(),
        columns,
        partition_key: vec!["host".to_owned()],
        order_key: order_key
            .map(|(name, _)| name.to_owned())
            .into_iter()
            .collect(),
    }
}

/// Three days from 2016-01-01 on.
const THREE_DAYS: Range<i64> = 1_451_606_400_000..1_451_865_600_000;

fn timed() -> Table {
    table(Some(("time", ColumnType::Timestamp)))
}

fn statements(id: &str, table: &Table) -> Vec<String> {
    let layout = TableLayout::new(&id.parse().unwrap(), table, Some(THREE_DAYS)).unwrap();
    layout.create_statements("s")
}

fn error(id: &str, table: &Table) -> String {
    let layout = TableLayout::new(&id.parse().unwrap(), table, Some(THREE_DAYS));
    layout.unwrap_err().to_string()
}

const TABLE: &str = "CREATE TABLE \"s\".\"cpu\" (\"host\" text COLLATE \"C\" NOT NULL, \
    \"value\" double precision, \"time\" timestamp NOT NULL)";
const KEY_INDEX: &str = "CREATE INDEX ON \"s\".\"cpu\" (\"host\", \"time\" DESC)";
const TIME_INDEX: &str = "CREATE INDEX ON \"s\".\"cpu\" (\"time\" DESC)";

#[test]
fn a_float_takes_four_bytes() {
    let mut table = timed();
    table.columns[1].kind = ColumnType::Float;
    let made = TABLE.replace("double precision", "real");
    assert_eq!(statements("postgres/plain", &table)[0], made);
}

#[test]
fn a_plain_table_has_a_btree_on_its_key() {
    assert_eq!(statements("postgres/plain", &timed()), [TABLE, KEY_INDEX]);
    assert_eq!(
        statements("postgres/plain?time-index=on", &timed()),
        [TABLE, KEY_INDEX, TIME_INDEX]
    );
}

#[test]
fn brin_has_no_btree() {
    let index = "CREATE INDEX ON \"s\".\"cpu\" USING brin (\"time\") WITH (pages_per_range = 32)";
    assert_eq!(
        statements("postgres/brin?pages=32", &timed()),
        [TABLE, index]
    );
}

#[test]
fn partitions_are_by_ranges_of_the_order_key() {
    let table = format!("{TABLE} PARTITION BY RANGE (\"time\")");
    assert_eq!(
        statements("postgres/partitioned", &timed()),
        [table.as_str(), KEY_INDEX]
    );
}

#[test]
fn a_hypertable_has_both_indexes_as_timescaledb_has() {
    let hypertable = "SELECT create_hypertable('\"s\".\"cpu\"', by_range('time', \
        INTERVAL '21600000 milliseconds'), create_default_indexes => false)";
    assert_eq!(
        statements("timescale/hypertable?chunk=6h", &timed()),
        [TABLE, hypertable, KEY_INDEX, TIME_INDEX]
    );
    let numbered = table(Some(("n", ColumnType::Bigint)));
    let [_, hypertable, ..] = &statements("timescale/hypertable?chunk=1000", &numbered)[..] else {
        panic!("no hypertable");
    };
    assert!(hypertable.contains("by_range('n', 1000)"), "{hypertable}");
}

#[test]
fn a_number_of_chunks_is_a_width_for_the_time_span() {
    assert_eq!(
        statements("timescale/hypertable?chunks=6", &timed()),
        statements("timescale/hypertable?chunk=12h", &timed())
    );
    let id: DesignId = "timescale/hypertable?chunks=6".parse().unwrap();
    let unknown = TableLayout::new(&id, &timed(), None)
        .unwrap_err()
        .to_string();
    assert!(
        unknown.contains("set the width of a chunk with chunk="),
        "{unknown}"
    );
    let both = error("timescale/hypertable?chunk=12h&chunks=6", &timed());
    assert!(both.contains("leave one of them out"), "{both}");
    for number in ["0", "1001", "-1"] {
        let id = format!("timescale/hypertable?chunks={number}");
        assert!(error(&id, &timed()).contains("from 1 to 1000"));
    }
    let numbered = table(Some(("n", ColumnType::Bigint)));
    let error = error("timescale/hypertable?chunks=6", &numbered);
    assert!(error.contains("begins with a timestamp"), "{error}");
}

#[test]
fn widths_that_cannot_be_are_refused() {
    assert!(
        error("timescale/hypertable?chunk=0s", &timed()).contains("chunk= has to be more than 0")
    );
    assert!(error("timescale/hypertable?chunk=soon", &timed()).contains("is not a duration"));
    assert!(
        error("postgres/partitioned?width=0ms", &timed()).contains("width= has to be more than 0")
    );
    let numbered = table(Some(("n", ColumnType::Int)));
    assert!(error("postgres/partitioned", &numbered).contains("set with width="));
    assert!(error("timescale/hypertable", &table(None)).contains("chunk= needs an order key"));
    assert!(error("postgres/brin?pages=0", &timed()).contains("pages=0"));
    assert!(error("postgres/brin", &table(None)).contains("needs an order key"));
}

#[test]
fn layouts_and_settings_that_there_are_not_are_named() {
    assert!(error("postgres/hypertable", &timed()).contains("timescale/hypertable"));
    assert!(error("timescale/plain", &timed()).contains("there is hypertable"));
    assert!(error("postgres/plain?chunk=1d", &timed()).contains("unknown setting `chunk`"));
    assert!(error("postgres/brin?time-index=on", &timed()).contains("unknown setting"));
}

#[test]
fn a_unique_key_is_an_index_that_an_insert_can_overwrite_by() {
    let unique = KEY_INDEX.replace("CREATE INDEX", "CREATE UNIQUE INDEX");
    let plain = statements("postgres/plain?unique=on&time-index=on", &timed());
    assert_eq!(plain, [TABLE, unique.as_str(), TIME_INDEX]);
    let chunked = statements("timescale/hypertable?unique=on&time-index=off", &timed());
    assert_eq!(chunked.last(), Some(&unique));
    let layout = TableLayout::new(&"postgres/plain?unique=on".parse().unwrap(), &timed(), None);
    let (name, told) = layout.unwrap().settings().swap_remove(0);
    assert_eq!(name, "indexes");
    assert_eq!(told, "UNIQUE (\"host\", \"time\" DESC)");
    let off = statements("postgres/plain?unique=off", &timed());
    assert_eq!(off, [TABLE, KEY_INDEX]);
    let error = error("postgres/brin?unique=on", &timed());
    assert!(error.contains("unknown setting `unique`"), "{error}");
}
