use bakeoff_stats::propose::Proposal;

use super::*;
use crate::advice::testing::facts;

const HOUR: f64 = 3_600_000.0;

/// What is left of these designs, and which others would be which of them, where rows reach so far.
fn left(designs: &[&str], span: f64) -> (Vec<String>, Vec<(String, String)>) {
    left_in(&facts().table, designs, span)
}

fn left_in(table: &Table, designs: &[&str], span: f64) -> (Vec<String>, Vec<(String, String)>) {
    let proposal = |design: &&str| Proposal {
        design: (*design).to_owned(),
        reasons: Vec::new(),
        ddl: Vec::new(),
        answers_questions: true,
        takes_operations: false,
        not_here: None,
        estimated: Vec::new(),
    };
    let mut proposals = Proposals {
        designs: designs.iter().map(proposal).collect(),
        ..Proposals::default()
    };
    leave_same(&mut proposals, table, span);
    let designs = proposals.designs.into_iter().map(|p| p.design);
    let same = proposals.same.into_iter();
    (
        designs.collect(),
        same.map(|same| (same.design, same.measured)).collect(),
    )
}

#[test]
fn of_lengths_that_hold_all_rows_the_first_one_is_measured() {
    for (long, longer) in [
        (
            "cassandra/wide?bucket=1d&order=desc",
            "cassandra/wide?bucket=7d&order=desc",
        ),
        (
            "cassandra/columnar?bucket=7d",
            "cassandra/columnar?bucket=1d",
        ),
        (
            "timescale/hypertable?chunk=7d",
            "timescale/hypertable?chunk=1d",
        ),
        (
            "postgres/partitioned?width=1d",
            "postgres/partitioned?width=30d",
        ),
    ] {
        let designs = [long, "parquet?codec=zstd", longer];
        let (kept, same) = left(&designs, 3.0 * HOUR);
        assert_eq!(kept, [long, "parquet?codec=zstd"]);
        assert_eq!(same, [(longer.to_owned(), long.to_owned())]);
        // Of a month each has another number of ranges.
        let (kept, same) = left(&designs, 30.0 * 24.0 * HOUR);
        assert_eq!(kept, designs);
        assert!(same.is_empty(), "{same:?}");
    }
}

#[test]
fn designs_that_differ_in_more_or_in_a_shorter_length_stay_apart() {
    let designs = [
        "cassandra/wide?bucket=1h",
        "cassandra/wide?bucket=1d",
        "cassandra/wide",
        "cassandra/wide?bucket=7d&order=desc",
        "cassandra/blob?bucket=7d",
        "cassandra/wide?bucket=1d&chunk=4KiB",
        "cassandra/wide?bucket=1d&chunk=64KiB",
        "timescale/hypertable?chunk=1d",
        "timescale/hypertable?chunk=7d&columnstore=on",
    ];
    let (kept, same) = left(&designs, 3.0 * HOUR);
    assert_eq!(kept, designs);
    assert!(same.is_empty(), "{same:?}");
}

#[test]
fn numbers_are_divided_by_numbers_and_nothing_else_is() {
    let designs = [
        "cassandra/wide?bucket=1000",
        "cassandra/wide?bucket=10000",
        "cassandra/wide?bucket=100",
    ];
    let mut table = facts().table;
    let time = table.column_index("time").unwrap();
    table.columns[time].kind = ColumnType::Bigint;
    let (kept, same) = left_in(&table, &designs, 500.0);
    assert_eq!(kept, [designs[0], designs[2]]);
    assert_eq!(same, [(designs[1].to_owned(), designs[0].to_owned())]);
    table.order_key.clear();
    assert_eq!(left_in(&table, &designs, 500.0).0, designs);
}
