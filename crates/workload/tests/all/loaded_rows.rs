//! Tests how many rows a load may have, and whether their values are known.

use std::path::Path;
use std::sync::Arc;

use bakeoff_workload::{RowSource, Workload, source};

const CYCLE: &str = r#"
title = "Keys that begin again"
[table]
name = "t"
columns = { k = "int", v = "int" }
partition_key = ["k"]
[data]
generator = "columns"
[data.columns]
k = { sequence = { cycle = 1000 } }
v = { uniform = [0, 9] }
[scale]
rows = 1000
[mix]
[[mix.operations]]
action = "read-row"
weight = 100
"#;

#[test]
fn keys_repeat_only_where_more_rows_than_keys_are_loaded() {
    let workload = parse(CYCLE).unwrap();
    let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
    let values = source::row_values(&workload, source.clone(), 1000).unwrap();
    assert!(!source::keys_repeat(&workload, &*values, 1000, 1));
    assert!(source::keys_repeat(&workload, &*values, 1001, 1));
    let refused = source::row_values(&workload, source.clone(), 1001)
        .err()
        .unwrap();
    assert!(
        refused.to_string().contains("the keys of t begin again")
            && refused.to_string().contains("--rows 1000 or fewer"),
        "{refused}"
    );
    // Queries do not ask for single rows.
    let query = "[[queries]]\nname = \"q\"\nsql = \"SELECT 1\"\n[mix]";
    let queries = CYCLE
        .replace("[mix]", query)
        .replace("\"read-row\"", "\"query\"\nquery = \"q\"");
    let workload = parse(&queries).unwrap();
    let values = source::row_values(&workload, source, 1001).unwrap();
    assert!(source::keys_repeat(&workload, &*values, 1001, 1));
}

#[test]
fn rows_end_where_a_number_of_the_key_leaves_its_type() {
    let rows = |sequence: &str| {
        let text = CYCLE.replace("sequence = { cycle = 1000 }", sequence);
        let workload = parse(&text).unwrap();
        let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
        let rows = source::row_values(&workload, source.clone(), 1000)
            .unwrap()
            .rows();
        let one_more = source::row_values(&workload, source, rows.unwrap_or(0) + 1);
        assert_eq!(one_more.is_err(), rows.is_some());
        rows
    };
    assert_eq!(rows("sequence = { step = 1_000_000 }"), Some(2148));
    assert_eq!(
        rows("sequence = { start = -1, step = -2_000_000 }"),
        Some(1074)
    );
    assert_eq!(rows("sequence = {}"), Some(1 << 31));
    let bigint = CYCLE
        .replace("k = \"int\"", "k = \"bigint\"")
        .replace("cycle = 1000", "");
    let workload = parse(&bigint).unwrap();
    let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
    let values = source::row_values(&workload, source, 1000).unwrap();
    assert_eq!(values.rows(), None);

    let far = CYCLE
        .replace("cycle = 1000", "step = 1_000_000")
        .replace("rows = 1000", "rows = 1000\nfull_rows = 3000");
    let message = parse(&far).unwrap_err();
    assert!(
        message.contains("the sequence reaches 2999000000, which does not fit column `k`"),
        "{message}"
    );
}

fn parse(text: &str) -> Result<Workload, String> {
    Workload::parse(text, Path::new("w/my-test.toml")).map_err(|error| error.to_string())
}
