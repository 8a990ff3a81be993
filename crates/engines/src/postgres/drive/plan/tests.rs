use bakeoff_workload::{Column, Table};

use super::*;

/// A table whose names and keys take several columns each.
fn places(columns: usize) -> Table {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    let mut all = vec![
        column("region", ColumnType::Text),
        column("day", ColumnType::Timestamp),
        column("order", ColumnType::Int),
    ];
    all.extend((0..columns).map(|n| column(&format!("v{n}"), ColumnType::Double)));
    Table {
        name: "places".to_owned(),
        columns: all,
        partition_key: vec!["region".to_owned()],
        order_key: vec!["day".to_owned(), "order".to_owned()],
    }
}

fn operation(action: Action, keys: Keys, batch: u32) -> Operation {
    Operation {
        name: "it".to_owned(),
        weight: 1.0,
        action,
        keys,
        consistency: None,
        ttl_seconds: None,
        batch,
    }
}

fn planned(id: &str, table: &Table, operation: Operation) -> Result<OperationPlan, String> {
    let id: DesignId = id.parse().unwrap();
    let layout = TableLayout::new(&id, table, None).unwrap();
    let mix = Mix {
        operations: vec![operation],
        schema: Vec::new(),
        populate: Vec::new(),
        background: Vec::new(),
    };
    let planned = plan_operations(&id, &layout, "s", (&mix, &[]));
    planned
        .map(|mut plans| plans.remove(0))
        .map_err(|error| error.0)
}

/// Plans an action of a table with two columns outside its key.
fn plan(id: &str, action: Action) -> OperationPlan {
    planned(id, &places(2), operation(action, Keys::New, 1)).unwrap()
}

/// The columns and versions of all binds.
fn bound(plan: &OperationPlan) -> Vec<(usize, Version)> {
    let binds = plan.binds.iter();
    binds.map(|bind| (bind.column, bind.version)).collect()
}

const FIRST: Version = Version::First;

#[test]
fn a_row_is_inserted_whole() {
    let insert = plan("postgres/plain", Action::Insert);
    assert_eq!(
        insert.sql,
        "INSERT INTO \"s\".\"places\" (\"region\", \"day\", \"order\", \"v0\", \"v1\") \
         VALUES ($1, $2, $3, $4, $5)"
    );
    assert_eq!(
        bound(&insert),
        [0, 1, 2, 3, 4].map(|column| (column, FIRST))
    );
    assert_eq!(insert.work, Work::Insert { rows: 1 });
    let types = [
        Type::TEXT,
        Type::TIMESTAMP,
        Type::INT4,
        Type::FLOAT8,
        Type::FLOAT8,
    ];
    assert_eq!(insert.types(), types);
}

#[test]
fn a_batch_is_one_statement() {
    let batch = operation(Action::Insert, Keys::New, 2);
    let insert = planned("postgres/plain", &places(0), batch).unwrap();
    assert_eq!(
        insert.sql,
        "INSERT INTO \"s\".\"places\" (\"region\", \"day\", \"order\") \
         VALUES ($1, $2, $3), ($4, $5, $6)"
    );
    assert_eq!(insert.binds.len(), 3);
    assert_eq!((insert.rows(), insert.types().len()), (2, 6));
    let wide = operation(Action::Insert, Keys::New, 1_000);
    let error = planned("postgres/plain", &places(70), wide).unwrap_err();
    assert!(error.contains("takes 65535 values"), "{error}");
}

#[test]
fn an_insert_overwrites_where_keys_are_unique() {
    let end = |columns| {
        let over = operation(Action::Insert, Keys::Uniform, 1);
        let plan = planned("postgres/plain?unique=on", &places(columns), over).unwrap();
        let (_, end) = plan.sql.split_once(" ON CONFLICT ").unwrap();
        end.to_owned()
    };
    let key = "(\"region\", \"day\", \"order\") DO UPDATE SET";
    assert_eq!(
        end(2),
        format!("{key} \"v0\" = EXCLUDED.\"v0\", \"v1\" = EXCLUDED.\"v1\"")
    );
    assert_eq!(end(0), format!("{key} \"region\" = EXCLUDED.\"region\""));
}

#[test]
fn a_row_is_updated_and_deleted_by_its_whole_key() {
    let columns = vec!["v1".to_owned()];
    let update = plan("postgres/plain", Action::Update { columns });
    assert_eq!(
        update.sql,
        "UPDATE \"s\".\"places\" SET \"v1\" = $1 \
         WHERE \"region\" = $2 AND \"day\" = $3 AND \"order\" = $4"
    );
    assert_eq!(
        bound(&update),
        [(4, Version::Second), (0, FIRST), (1, FIRST), (2, FIRST)]
    );
    let delete = plan("postgres/brin", Action::DeleteRow);
    assert_eq!(
        delete.sql,
        "DELETE FROM \"s\".\"places\" WHERE \"region\" = $1 AND \"day\" = $2 AND \"order\" = $3"
    );
    assert_eq!(
        (update.work, delete.work),
        (Work::ChangeRow, Work::ChangeRow)
    );
    let all = plan("postgres/plain", Action::DeletePartition);
    assert_eq!(
        all.sql,
        "DELETE FROM \"s\".\"places\" WHERE \"region\" = $1"
    );
    assert_eq!(all.work, Work::DeletePartition);
}

#[test]
fn rows_are_read_in_the_order_of_their_key() {
    let columns = "SELECT \"region\", \"day\", \"order\", \"v0\", \"v1\" FROM \"s\".\"places\"";
    let row = plan("postgres/plain", Action::ReadRow);
    assert_eq!(
        row.sql,
        format!("{columns} WHERE \"region\" = $1 AND \"day\" = $2 AND \"order\" = $3")
    );
    assert_eq!(row.work, Work::Read(ReadRows::One));
    let newest = plan(
        "postgres/plain",
        Action::ReadPartition {
            limit: Some(10),
            newest_first: true,
        },
    );
    assert_eq!(
        newest.sql,
        format!("{columns} WHERE \"region\" = $1 ORDER BY \"day\" DESC, \"order\" DESC LIMIT 10")
    );
    let from = plan("timescale/hypertable", Action::ReadRange { rows: 7 });
    assert_eq!(
        from.sql,
        format!(
            "{columns} WHERE \"region\" = $1 AND (\"day\", \"order\") >= ($2, $3) \
             ORDER BY \"day\", \"order\" LIMIT 7"
        )
    );
    assert_eq!(from.work, Work::Read(ReadRows::From { limit: 7 }));
}

#[test]
fn a_partition_without_an_order_is_one_row() {
    let mut table = places(1);
    table.order_key.clear();
    let action = Action::ReadPartition {
        limit: None,
        newest_first: false,
    };
    let read = planned(
        "postgres/plain",
        &table,
        operation(action, Keys::Uniform, 1),
    )
    .unwrap();
    assert!(read.sql.ends_with(" WHERE \"region\" = $1"), "{}", read.sql);
    assert_eq!(read.work, Work::Read(ReadRows::One));
    let delete = operation(Action::DeletePartition, Keys::Uniform, 1);
    let delete = planned("postgres/plain", &table, delete).unwrap();
    assert_eq!(delete.work, Work::ChangeRow);
}
