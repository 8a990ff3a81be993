//! Orders, limits and newest rows: that the right rows come, and that little is read for them.

use super::plans::{number_after, own_table, table};
use super::rows::{Random, Row, definition};
use super::support::{Both, analyze, ask, explain, values};

#[tokio::test]
async fn the_first_and_the_last_rows_of_a_series_are_in_one_chunk_each() {
    let both = table().await;
    let session = both.columnar(2);
    for way in ["ASC", "DESC"] {
        let sql =
            format!("SELECT time, value FROM t WHERE series = 's1' ORDER BY time {way} LIMIT 3");
        let plan = analyze(&session, &sql).await;
        assert!(!plan.contains("SortExec"), "{plan}");
        assert_eq!(number_after(&plan, "chunks_read="), 1, "{plan}");
        let (found, expected) = (ask(&session, &sql).await, ask(&both.plain(), &sql).await);
        assert_eq!(values(&found, true), values(&expected, true));
    }
    let sql = "SELECT time FROM t WHERE series = 's1' AND time <= to_timestamp_millis(777) \
               ORDER BY time DESC LIMIT 1";
    let plan = analyze(&session, sql).await;
    assert!(number_after(&plan, "chunks_read=") <= 2, "{plan}");
}

#[tokio::test]
async fn fresh_rows_do_not_make_a_sort_necessary() {
    let mut both = own_table().await;
    let newest = |series: u32, time| Row {
        series: format!("s{series}"),
        time,
        ..both.rows.values().next().unwrap().clone()
    };
    let rows = (0..4)
        .flat_map(|s| [newest(s, 2600), newest(s, 2700)])
        .collect();
    both.insert(rows).await;
    let session = both.columnar(2);
    let sql = "SELECT time FROM t WHERE series = 's1' ORDER BY time DESC LIMIT 4";
    let plan = analyze(&session, sql).await;
    assert!(!plan.contains("SortExec"), "{plan}");
    assert!(number_after(&plan, "chunks_read=") <= 1, "{plan}");
    let (found, expected) = (ask(&session, sql).await, ask(&both.plain(), sql).await);
    assert_eq!(values(&found, true), values(&expected, true));
}

#[tokio::test]
async fn best_rows_are_looked_for_where_they_may_be() {
    let both = table().await;
    let session = both.columnar(1);
    for order in ["time DESC", "small", "value DESC", "time"] {
        let sql = format!("SELECT time, small FROM t ORDER BY {order}, series LIMIT 5");
        let plan = analyze(&session, &sql).await;
        assert!(number_after(&plan, "chunks_read=") < 10, "{plan}");
    }
}

#[tokio::test]
async fn a_limit_reads_what_it_needs() {
    let session = table().await.columnar(2);
    let plan = analyze(&session, "SELECT * FROM t LIMIT 3").await;
    assert_eq!(number_after(&plan, "chunks_read="), 1, "{plan}");
    let plan = analyze(&session, "SELECT * FROM t WHERE single >= 0 LIMIT 3").await;
    assert!(number_after(&plan, "chunks_read=") <= 2, "{plan}");
}

#[tokio::test]
async fn the_newest_rows_are_in_the_newest_chunks() {
    let both = table().await;
    let session = both.columnar(2);
    for sql in [
        "SELECT DISTINCT ON (series) series, time, value FROM t ORDER BY series, time DESC",
        "SELECT series, last_value(value ORDER BY time), max(time) FROM t GROUP BY series ORDER BY series",
        "SELECT series, max(time) FROM t WHERE series <> 's2' GROUP BY series ORDER BY series",
        "SELECT DISTINCT series FROM t ORDER BY series",
        "SELECT count(DISTINCT series) FROM t",
    ] {
        let plan = analyze(&session, sql).await;
        assert!(number_after(&plan, "chunks_read=") <= 4, "{plan}");
        assert!(plan.contains("only newest rows"), "{plan}");
        let (found, expected) = (ask(&session, sql).await, ask(&both.plain(), sql).await);
        assert_eq!(values(&found, true), values(&expected, true), "{sql}");
    }
    for sql in [
        "SELECT series, max(time), min(time) FROM t GROUP BY series",
        "SELECT series, max(time) FROM t WHERE small < 700 GROUP BY series",
        "SELECT series, max(time) FROM t WHERE time < to_timestamp_millis(700) GROUP BY series",
        "SELECT series, last_value(value ORDER BY small) FROM t GROUP BY series",
        "SELECT series, last_value(value ORDER BY time DESC) FROM t GROUP BY series",
        "SELECT series, first_value(value ORDER BY time) FROM t GROUP BY series",
        "SELECT series, last_value(value ORDER BY time, small) FROM t GROUP BY series",
        "SELECT series, last_value(value ORDER BY time) IGNORE NULLS FROM t GROUP BY series",
        "SELECT series, max(time) FILTER (WHERE flag) FROM t GROUP BY series",
        "SELECT series, number, max(time) FROM t GROUP BY series, number",
    ] {
        let plan = explain(&session, sql).await;
        assert!(!plan.contains("only newest rows"), "{sql}\n{plan}");
    }
}

#[tokio::test]
async fn chunks_of_which_all_series_have_newer_rows_are_passed_over() {
    let mut random = Random(7);
    let mut both = Both::new(definition(Some(100), 1, 1_000));
    for bucket in 0..30 {
        // One series ends early.
        let series = if bucket < 10 { 4 } else { 3 };
        let rows = (0..200).map(|n| Row {
            series: format!("s{}", n % series),
            time: 100 * bucket + n / 2,
            ..Row::random(&mut random, 4, 100)
        });
        both.load(rows.collect()).await;
    }
    let session = both.columnar(2);
    for filter in [
        "",
        "WHERE series <> 's1'",
        "WHERE time >= to_timestamp_millis(950)",
    ] {
        let sql = format!(
            "SELECT DISTINCT ON (series) series, time, value FROM t {filter} ORDER BY series, time DESC"
        );
        let (found, expected) = (ask(&session, &sql).await, ask(&both.plain(), &sql).await);
        assert_eq!(values(&found, true), values(&expected, true), "{sql}");
    }
    let sql = "SELECT DISTINCT ON (series) * FROM t ORDER BY series, time DESC";
    let plan = analyze(&session, sql).await;
    assert!(number_after(&plan, "chunks_passed_over=") >= 18, "{plan}");
    assert!(number_after(&plan, "chunks_read=") <= 12, "{plan}");
}

#[tokio::test]
async fn limits_below_another_order_keep_their_rows() {
    let both = table().await;
    for threads in [1, 3] {
        let session = both.columnar(threads);
        for order in [
            "time DESC",
            "value DESC",
            "small DESC LIMIT 2",
            "value LIMIT 3",
        ] {
            let first = "SELECT * FROM t WHERE series = 's1' ORDER BY time LIMIT 150";
            let sql = format!("SELECT time, value FROM ({first}) ORDER BY {order}");
            let (found, expected) = (ask(&session, &sql).await, ask(&both.plain(), &sql).await);
            assert_eq!(values(&found, true), values(&expected, true), "{sql}");
        }
        let sql = "SELECT count(*), max(time), min(time), sum(small) FROM \
                   (SELECT * FROM t WHERE series = 's1' ORDER BY time DESC LIMIT 150)";
        let (found, expected) = (ask(&session, sql).await, ask(&both.plain(), sql).await);
        assert_eq!(values(&found, true), values(&expected, true), "{sql}");
    }
}

#[tokio::test]
async fn rows_beyond_a_limit_do_not_take_the_place_of_worse_ones() {
    let mut random = Random(1);
    let mut both = Both::new(definition(None, 1, 10));
    let row = |(time, small): (i64, i32)| Row {
        series: "s0".to_owned(),
        time,
        small: Some(small),
        flag: (time % 10 > 0).then_some(true),
        ..Row::random(&mut random, 1, 100)
    };
    // The best of the first 13 is in the first chunk, better ones are in the third.
    let small = |time| match time / 10 {
        0 => 50,
        1 => 10,
        _ => 90,
    };
    both.load((0..30).map(|time| (time, small(time))).map(row).collect())
        .await;
    let session = both.columnar(1);
    let first = "SELECT * FROM t WHERE series = 's0' AND flag IS NOT NULL ORDER BY time LIMIT 13";
    let sql = format!("SELECT small FROM ({first}) ORDER BY small DESC LIMIT 1");
    let (found, expected) = (ask(&session, &sql).await, ask(&both.plain(), &sql).await);
    assert_eq!(values(&found, true), values(&expected, true), "{sql}");
}
