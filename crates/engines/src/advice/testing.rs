//! Facts for tests of rules: readings of a hundred series that take turns, each every ten seconds.

use std::collections::BTreeMap;

use bakeoff_workload::{Column, ColumnType, Table};

use super::{Advice, Facts, Filter, FilterKind, Question, Rows};

/// Milliseconds between two readings of a series.
const STEP: f64 = 10_000.0;

/// Returns what is known of a table `readings(series, time, value, status, other)` of which 10,000 rows were read, with
/// one question of all rows.
pub fn facts() -> Facts {
    let column = |(name, kind): (&str, ColumnType)| Column {
        name: name.to_owned(),
        kind,
    };
    let columns = [
        ("series", ColumnType::Text),
        ("time", ColumnType::Timestamp),
        ("value", ColumnType::Double),
        ("status", ColumnType::Text),
        ("other", ColumnType::Text),
    ];
    Facts {
        table: Table {
            name: "readings".to_owned(),
            columns: columns.into_iter().map(column).collect(),
            partition_key: vec!["series".to_owned()],
            order_key: vec!["time".to_owned()],
        },
        is_wide: false,
        questions: vec![question("all", Vec::new())],
        load: None,
        cql: Vec::new(),
        is_written_in_cql: false,
        rows: Some(Rows {
            read: 10_000,
            row_bytes: 50.0,
            key_bytes: 16.0,
            partitions: 100,
            has_all_partitions: true,
            partitions_end: false,
            largest_partition: 100,
            step: Some(STEP),
            span: Some(99.0 * STEP),
            in_order: 1.0,
            begin_in_order: 1.0,
            distinct: BTreeMap::new(),
            tags: Vec::new(),
            lacking: Vec::new(),
        }),
        full_rows: 1_000_000,
        grows: None,
        sample: None,
        cores: 8,
        memory_bytes: 8 << 30,
        keys_repeat: false,
        ttl_seconds: None,
        ttl: None,
    }
}

/// Returns a question with these conditions that reads two columns and aggregates nothing.
pub fn question(name: &str, filters: Vec<Filter>) -> Question {
    Question {
        name: name.to_owned(),
        is_of_all_rows: filters.is_empty(),
        filters,
        aggregates: false,
        groups: false,
        group_width: None,
        may_end_early: false,
        is_of_statistics: false,
        wants_newest: false,
        columns: 2,
    }
}

/// Returns the condition that a column has a value.
pub fn equals(column: &str, share: Option<f64>) -> Filter {
    Filter {
        column: column.to_owned(),
        kind: FilterKind::Equals { values: 1 },
        share,
    }
}

/// Returns the condition that a column is in a range.
pub fn range(column: &str, width: Option<i64>) -> Filter {
    Filter {
        column: column.to_owned(),
        kind: FilterKind::Range { width },
        share: None,
    }
}

/// Lists the ids of the designs that are worth measuring.
pub fn designs(advice: &[Advice]) -> Vec<&str> {
    let designs = advice.iter().filter_map(|advice| match advice {
        Advice::Measure(candidate) => Some(candidate.design.as_str()),
        Advice::Avoid(_) => None,
    });
    designs.collect()
}

/// Lists what is bad practice.
pub fn avoided(advice: &[Advice]) -> Vec<&str> {
    let avoided = advice.iter().filter_map(|advice| match advice {
        Advice::Measure(_) => None,
        Advice::Avoid(bad) => Some(bad.what.as_str()),
    });
    avoided.collect()
}
