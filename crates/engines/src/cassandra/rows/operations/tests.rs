use bakeoff_workload::{
    Action, ColumnType, CqlOperation, CqlStatement, CqlValue, DesignId, Keys, Mix, Operation, Table,
};

use super::*;
use crate::cassandra::as_written::plan::plan_written;
use crate::cassandra::rows::fixture;

fn table() -> Table {
    let columns = [
        ("p", ColumnType::Int),
        ("o", ColumnType::Bigint),
        ("q", ColumnType::Text),
        ("a", ColumnType::Text),
        ("b", ColumnType::Double),
    ];
    fixture::table(&columns, &["p"], &["o", "q"])
}

fn mix(action: Action, ttl_seconds: Option<u32>) -> Mix {
    Mix {
        operations: vec![Operation {
            name: "it".to_owned(),
            weight: 1.0,
            action,
            keys: Keys::Uniform,
            consistency: None,
            ttl_seconds,
            batch: 1,
        }],
        schema: Vec::new(),
        populate: Vec::new(),
        background: Vec::new(),
    }
}

fn planned(id: &str, action: Action, ttl: Option<u32>) -> Result<Work, EngineError> {
    let layout = fixture::layout(id, &table(), false).unwrap();
    let id: DesignId = id.parse().unwrap();
    let mut plans = plan_operations(&id, &layout, "ks", &mix(action, ttl))?;
    Ok(plans.remove(0).work)
}

fn planned_statement(id: &str, action: Action, ttl: Option<u32>) -> Statement {
    match planned(id, action, ttl).unwrap() {
        Work::Write { statement, .. } | Work::Read(Read { statement, .. }) => statement,
        other => panic!("{other:?}"),
    }
}

fn cql(id: &str, action: Action) -> String {
    let statement = planned_statement(id, action, None);
    assert_eq!(statement.cql.matches('?').count(), statement.binds.len());
    statement.cql
}

fn newest(limit: Option<u32>) -> Action {
    Action::ReadPartition {
        limit,
        newest_first: true,
    }
}

#[test]
fn a_row_is_found_by_the_key_that_the_layout_has() {
    let wide = "SELECT \"p\", \"o\", \"q\", \"a\", \"b\" FROM ks.wide WHERE \"p\" = ? AND \"o\" = ? AND \"q\" = ?";
    assert_eq!(cql("cassandra/wide", Action::ReadRow), wide);
    assert!(
        cql("cassandra/wide?bucket=10", Action::ReadRow)
            .ends_with("\"p\" = ? AND \"bakeoff_bucket\" = ? AND \"o\" = ? AND \"q\" = ?")
    );
    assert!(
        cql("cassandra/blob", Action::ReadRow)
            .starts_with("SELECT \"p\", \"o\", \"q\", \"bakeoff_row\" FROM ks.blob ")
    );
}

#[test]
fn partitions_and_ranges_are_read_in_order_up_to_a_limit() {
    let range = Action::ReadRange { rows: 7 };
    assert!(
        cql("cassandra/wide", range.clone())
            .ends_with("WHERE \"p\" = ? AND (\"o\", \"q\") >= (?, ?) LIMIT 7")
    );
    assert!(
        cql("cassandra/compact", newest(Some(5)))
            .ends_with("WHERE \"p\" = ? ORDER BY \"o\" DESC, \"q\" DESC LIMIT 5")
    );
    assert!(cql("cassandra/wide", newest(None)).ends_with("DESC"));
    // One row is all that a partition has.
    let narrow = cql("cassandra/narrow", Action::ReadRow);
    assert_eq!(cql("cassandra/narrow", range), narrow);
    assert_eq!(cql("cassandra/narrow", newest(Some(5))), narrow);
}

fn parts(id: &str, requests: u32) -> Result<ReadParts, EngineError> {
    let action = Action::ReadParts {
        requests,
        at_once: true,
    };
    match planned(id, action, None)? {
        Work::ReadParts(parts) => Ok(parts),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_partition_is_read_by_ranges_that_meet() {
    let wide = parts("cassandra/wide", 4).unwrap();
    let begin = "SELECT \"p\", \"o\", \"q\", \"a\", \"b\" FROM ks.wide WHERE \"p\" = ?";
    let before = "AND (\"o\", \"q\") < (?, ?)";
    let from = "AND (\"o\", \"q\") >= (?, ?)";
    assert_eq!(wide.whole.cql, begin);
    assert_eq!(wide.first.cql, format!("{begin} {before}"));
    assert_eq!(wide.middle.cql, format!("{begin} {from} {before}"));
    assert_eq!(wide.last.cql, format!("{begin} {from}"));
    assert_eq!((wide.requests, wide.at_once), (4, true));
    for (requests, statements) in [(1, 1), (2, 2), (3, 3), (64, 3)] {
        let parts = parts("cassandra/wide?bucket=10", requests).unwrap();
        assert_eq!(parts.statements().len(), statements);
        let key = [&parts.partition[..], &parts.order].concat();
        assert_eq!(parts.first.binds, key);
        assert_eq!(parts.middle.binds, [&key[..], &parts.order].concat());
        assert_eq!(parts.partition.last(), Some(&Bind::Bucket));
        for statement in parts.statements() {
            assert_eq!(statement.cql.matches('?').count(), statement.binds.len());
        }
    }
    let error = parts("cassandra/narrow", 4).unwrap_err().0;
    assert!(
        error.contains("operation `it` reads a partition in several requests"),
        "{error}"
    );
}

#[test]
fn updates_write_columns_or_the_whole_blob() {
    let update = |columns: &[&str]| Action::Update {
        columns: columns.iter().map(|c| (*c).to_owned()).collect(),
    };
    let wide = planned_statement("cassandra/wide", update(&["b"]), Some(60));
    assert_eq!(
        wide.cql,
        "UPDATE ks.wide USING TTL ? SET \"b\" = ? WHERE \"p\" = ? AND \"o\" = ? AND \"q\" = ?"
    );
    assert_eq!(
        wide.binds[..2],
        [Bind::Ttl(60), Bind::Column(4, Version::Second)]
    );
    let blob = planned_statement("cassandra/blob", update(&["b"]), None);
    assert!(
        blob.cql
            .starts_with("UPDATE ks.blob SET \"bakeoff_row\" = ? WHERE ")
    );
    assert_eq!(blob.binds[0], Bind::Blob { second: vec![4] });
    assert!(planned("cassandra/wide", update(&[]), None).is_err());
}

#[test]
fn inserts_leave_nulls_out_and_may_live_for_a_time() {
    let insert = planned_statement("cassandra/wide?bucket=10", Action::Insert, Some(5));
    assert!(
        insert
            .cql
            .ends_with(" VALUES (?, ?, ?, ?, ?, ?) USING TTL ?"),
        "{}",
        insert.cql
    );
    assert_eq!(insert.binds[4], Bind::ColumnUnlessNull(4, Version::First));
    assert_eq!(insert.binds[5..], [Bind::Bucket, Bind::Ttl(5)]);
}

#[test]
fn a_partition_is_deleted_with_all_of_its_key() {
    assert_eq!(
        cql("cassandra/wide?bucket=10", Action::DeletePartition)
            .split_once(" WHERE ")
            .map(|(_, condition)| condition.to_owned()),
        Some("\"p\" = ? AND \"bakeoff_bucket\" = ?".to_owned())
    );
    assert_eq!(
        cql("cassandra/narrow", Action::DeletePartition),
        cql("cassandra/narrow", Action::DeleteRow)
    );
}

#[test]
fn operations_in_cql_and_layouts_of_rows_exclude_each_other() {
    let operation = CqlOperation {
        statements: vec![CqlStatement {
            cql: "UPDATE ${keyspace}.t SET a = ? WHERE p = ?".to_owned(),
            values: vec![
                CqlValue::Result {
                    column: "a".to_owned(),
                    plus: 1,
                },
                CqlValue::Column {
                    column: 0,
                    second_version: false,
                },
            ],
        }],
        otherwise: None,
        expect: vec!["b".to_owned()],
        expect_row: false,
    };
    let error = planned("cassandra/wide", Action::Cql(operation.clone()), None);
    assert!(error.unwrap_err().0.contains("cassandra/as-written"));

    let id: DesignId = "cassandra/as-written".parse().unwrap();
    let written = |mix| plan_written(&id, "ks", &table(), &mix);
    let error = written(mix(Action::Insert, None)).unwrap_err().0;
    assert!(error.contains("cassandra/wide"), "{error}");
    let error = written(mix(Action::Cql(operation.clone()), Some(1)))
        .unwrap_err()
        .0;
    assert!(error.contains("USING TTL"), "{error}");

    let plans = written(mix(Action::Cql(operation), None)).unwrap();
    let Work::Written(written) = &plans[0].work else {
        panic!("{plans:?}")
    };
    let statement = &written.statements[0];
    assert_eq!(statement.cql, "UPDATE ks.t SET a = ? WHERE p = ?");
    assert!(!statement.binds[0].is_of_row());
    assert_eq!(statement.binds[1], Bind::Column(0, Version::First));
    assert_eq!(written.expect, [4]);
}
