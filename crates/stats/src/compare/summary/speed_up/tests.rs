use super::*;
use crate::compare::{Outcome, Record, Selected, Timing};
use crate::{CpuSeconds, QueryInfo};

const ROWS: u64 = 1_000;

/// A run of two designs of one layout and one of another, with a scan and two selective queries.
fn records(seconds: &[(&str, [f64; 3])], scanned: Option<u64>) -> Vec<Record> {
    let mut header = crate::compare::testing::header();
    let query = |name: &str, sql: &str| QueryInfo {
        name: name.to_owned(),
        sql: sql.to_owned(),
        engine_sql: std::collections::BTreeMap::new(),
        tolerance: None,
    };
    header.queries = vec![
        query("scan", "SELECT count(v) FROM t"),
        query("tenth", "SELECT count(v) FROM t WHERE k = 1"),
        query("few", "SELECT count(v) FROM t WHERE k = 2"),
    ];
    let mut like = header.designs[0].clone();
    header.designs.clear();
    for (id, _) in seconds {
        like.id = (*id).to_owned();
        header.designs.push(like.clone());
    }
    let queries = header.queries.clone();
    let mut records = vec![
        Record::Started(Box::new(header)),
        Record::LoadingDone {
            rows: ROWS,
            left: None,
            is_all: true,
        },
        Record::Selected {
            queries: vec![
                Selected {
                    query: "few".to_owned(),
                    rows: vec![1, 2, 400],
                },
                Selected {
                    query: "tenth".to_owned(),
                    rows: vec![100],
                },
            ],
        },
    ];
    for (id, seconds) in seconds {
        for (query, seconds) in queries.iter().zip(seconds) {
            for round in 0..3 {
                records.push(Record::Timed(Timing {
                    design: (*id).to_owned(),
                    query: query.name.clone(),
                    round,
                    seconds: *seconds,
                    rows_scanned: scanned,
                    cpu: CpuSeconds {
                        client: 0.1,
                        server: None,
                        in_ticks: false,
                    },
                    outcome: Outcome::Right { rows: 1 },
                }));
            }
        }
    }
    records
}

#[test]
fn designs_are_compared_with_the_fastest_full_scan_of_their_layout() {
    let seconds = [
        ("a/x", [4.0, 2.0, 1.0]),
        ("a/x?sort=k", [8.0, 0.5, 0.01]),
        ("b", [1.0, 0.5, 2.0]),
    ];
    let summary = Summary::from_records(&records(&seconds, Some(ROWS))).unwrap();
    assert_eq!(summary.selected_share("few"), Some(0.002));
    assert_eq!(summary.selected_share("scan"), None);
    let all = summary.speed_ups();
    let factors = |n: usize| -> Vec<(&str, f64)> {
        let queries = all[n].queries.iter();
        queries.map(|q| (q.query, q.times)).collect()
    };
    assert_eq!(factors(0), [("few", 4.0), ("tenth", 2.0)]);
    assert_eq!(factors(1), [("few", 400.0), ("tenth", 8.0)]);
    assert_eq!(factors(2), [("few", 0.5), ("tenth", 2.0)]);
    assert_eq!(all[1].full_scan.design, "a/x");
    assert!((all[1].queries[0].expected() - 500.0).abs() < 1e-9);
}

#[test]
fn indexes_tables_and_views_are_compared_with_the_scan_of_the_layout_without_them() {
    let settings = [
        "index=k",
        "index=k:2i",
        "table_by=k",
        "view=k",
        "index_table=k",
    ];
    let ids = settings.map(|setting| format!("cassandra/wide?{setting}"));
    let mut seconds = vec![("cassandra/wide", [4.0, 4.0, 4.0])];
    // Their own scans are slower, and a tenth of the rows takes half of the time that it should.
    seconds.extend(ids.iter().map(|id| (id.as_str(), [5.0, 0.8, 0.008])));
    let mut records = records(&seconds, Some(ROWS));
    for record in &mut records {
        if let Record::Timed(timing) = record
            && timing.design != "cassandra/wide"
        {
            timing.rows_scanned = match timing.query.as_str() {
                "tenth" => Some(100),
                "few" => Some(2),
                _ => Some(ROWS),
            };
        }
    }
    let summary = Summary::from_records(&records).unwrap();
    let all = summary.speed_ups();
    assert_eq!(all.len(), 6);
    assert!(all[0].only_scans);
    assert_eq!(all[0].queries[1].times, 1.0);
    for of in &all[1..] {
        let id = &of.design.info.id;
        assert_eq!(of.full_scan.design, "cassandra/wide", "{id}");
        assert!(!of.only_scans, "{id}");
        let [few, tenth] = of.queries.as_slice() else {
            panic!("{id}: {:?}", of.queries);
        };
        assert!((few.times / few.expected() - 1.0).abs() < 1e-9, "{id}");
        assert!((tenth.times / tenth.expected() - 0.5).abs() < 1e-9, "{id}");
    }
}

#[test]
fn an_index_that_finds_more_rows_than_is_advised_is_known() {
    let seconds = [
        ("cassandra/wide", [4.0, 4.0, 4.0]),
        ("cassandra/wide?index=k", [5.0, 0.8, 0.008]),
    ];
    let mut records = records(&seconds, Some(ROWS));
    for record in &mut records {
        if let Record::Timed(timing) = record
            && timing.design.ends_with("index=k")
        {
            timing.rows_scanned = match timing.query.as_str() {
                "tenth" => Some(100),
                "few" => Some(2),
                _ => Some(ROWS),
            };
        }
    }
    let summary = Summary::from_records(&records).unwrap();
    let beyond = |n: usize| -> Vec<&str> {
        let all = summary.speed_ups();
        let queries = all[n].queries.iter().filter(|q| q.is_beyond_an_index());
        queries.map(|q| q.query).collect()
    };
    assert!(beyond(0).is_empty(), "it reads all rows");
    assert_eq!(beyond(1), ["tenth"]);
    assert_eq!(summary.beyond_an_index().count(), 0);
    let values = |column: &str, about| DistinctValues {
        column: column.to_owned(),
        about,
    };
    let columns = vec![values("k", 50_000), values("v", 50_001)];
    records.push(Record::Distinct { columns });
    let summary = Summary::from_records(&records).unwrap();
    let beyond: Vec<&str> = summary
        .beyond_an_index()
        .map(|v| v.column.as_str())
        .collect();
    assert_eq!(beyond, ["v"]);
}

#[test]
fn a_query_by_the_partition_key_is_not_answered_by_an_index() {
    let seconds = [
        ("cassandra/wide", [4.0, 4.0, 4.0]),
        ("cassandra/wide?index=v", [5.0, 0.8, 0.008]),
    ];
    let mut records = records(&seconds, Some(ROWS));
    for record in &mut records {
        if let Record::Timed(timing) = record
            && timing.design.ends_with("index=v")
            && timing.query != "scan"
        {
            timing.rows_scanned = Some(100);
        }
    }
    let summary = Summary::from_records(&records).unwrap();
    let all = summary.speed_ups();
    assert_eq!(all[1].queries.len(), 2);
    // They select v by k.
    assert!(all[1].queries.iter().all(|q| !q.by_index));
}

#[test]
fn a_condition_names_columns_as_whole_words() {
    for (sql, names) in [
        ("SELECT count(k) FROM t WHERE K = 1", true),
        ("select v from t where v = 1 and (t.k > 2)", true),
        ("SELECT k FROM t WHERE v = 1", false),
        ("SELECT k FROM t WHERE key = 1 AND k_2 = 3", false),
        (
            "SELECT k, max(v) FROM t WHERE v = 1 GROUP BY k ORDER BY k",
            false,
        ),
        ("SELECT k FROM t", false),
    ] {
        assert_eq!(names_in_condition(sql, &["k"]), names, "{sql}");
    }
    assert!(!names_in_condition("SELECT v FROM t WHERE k = 1", &[]));
}

#[test]
fn an_id_names_the_columns_of_its_index() {
    let mut info = crate::compare::testing::header().designs[0].clone();
    for (id, columns) in [
        ("cassandra/wide", vec![]),
        ("cassandra/wide?table_by=k", vec![]),
        ("cassandra/wide?bucket=1d&index=k#twin", vec!["k"]),
        ("cassandra/narrow?index=k+v:2i&page=7", vec!["k", "v"]),
    ] {
        info.id = id.to_owned();
        assert_eq!(info.indexed_columns(), columns, "{id}");
    }
}

#[test]
fn an_answer_from_metadata_is_no_full_scan() {
    let seconds = [("a/x", [4.0, 2.0, 1.0])];
    let mut records = records(&seconds, Some(10));
    let summary = Summary::from_records(&records).unwrap();
    assert!(summary.speed_ups().is_empty());
    // An engine that counts no rows is taken to read them.
    for record in &mut records {
        if let Record::Timed(timing) = record {
            timing.rows_scanned = None;
        }
    }
    let summary = Summary::from_records(&records).unwrap();
    assert_eq!(summary.speed_ups().len(), 1);
}

#[test]
fn journals_without_counts_have_no_speed_ups() {
    let seconds = [("a/x", [4.0, 2.0, 1.0])];
    let mut records = records(&seconds, Some(ROWS));
    records.retain(|record| !matches!(record, Record::Selected { .. }));
    let summary = Summary::from_records(&records).unwrap();
    assert!(summary.selected.is_empty() && summary.speed_ups().is_empty());
}

#[test]
fn a_query_that_may_end_early_is_no_full_scan() {
    for (sql, is) in [
        ("SELECT count(v) FROM t", true),
        ("SELECT k, max(v) FROM t GROUP BY k ORDER BY k", true),
        ("select v from t Where k = 1", false),
        ("SELECT v FROM t ORDER BY v\nLIMIT 3", false),
        ("SELECT DISTINCT ON (k) v FROM t", false),
        ("SELECT limit_of, whereabouts FROM t", true),
    ] {
        assert_eq!(is_scan(sql), is, "{sql}");
    }
}
