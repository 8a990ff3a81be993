//! Questions that are written once and asked of engines with other dialects of SQL: all answers are the right ones.
//! Where an engine is not installed its test prints why it is skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use bakeoff_testing::times;

use crate::support::going_on::all_is_right;
use crate::support::{Bench, READINGS};

/// Questions with functions that are others in at least one dialect.
const QUESTIONS: [&str; 37] = [
    "SELECT hostname, percentile_cont(0.95) WITHIN GROUP (ORDER BY usage_user) AS p FROM cpu GROUP BY hostname",
    "SELECT quantile_cont(usage_idle, 0.35) AS p, sum(usage_user / 7) AS total FROM cpu",
    "SELECT hostname, median(usage_user) AS m FROM cpu GROUP BY hostname ORDER BY hostname",
    "SELECT percentile(usage_nice, 0.9) FILTER (WHERE usage_user > 20) AS p FROM cpu",
    "SELECT count(*) / 7 AS sevenths, (count(usage_user) + 1) / 2 AS halves FROM cpu",
    "SELECT hostname, last_value(usage_user ORDER BY time) AS newest FROM cpu GROUP BY hostname",
    "SELECT hostname, first_value(usage_user ORDER BY time DESC) FILTER (WHERE usage_system > 5) AS newest FROM cpu
     GROUP BY hostname",
    "SELECT hostname, max_by(usage_user, time) AS newest, arg_min(usage_user, time) AS oldest FROM cpu
     GROUP BY hostname",
    "SELECT date_bin(INTERVAL '10 minutes', time) AS bin, max(usage_user) AS most FROM cpu GROUP BY bin ORDER BY bin",
    "SELECT date_bin(INTERVAL '7 minutes', time, TIMESTAMP '2016-01-01T00:00:30') AS bin, count(*) AS n FROM cpu
     GROUP BY bin ORDER BY bin",
    "SELECT time_bucket('15 minutes', time) AS bucket, count(*) AS n FROM cpu GROUP BY bucket ORDER BY bucket",
    "SELECT extract(hour FROM time) AS hour, extract(dow FROM time) AS day, count(*) AS n FROM cpu GROUP BY hour, day",
    "SELECT sum(date_part('second', time)) AS seconds, max(extract(epoch FROM time)) AS newest FROM cpu",
    "SELECT DISTINCT ON (hostname) hostname, usage_user, time AS seen FROM cpu ORDER BY hostname, time DESC",
    "SELECT DISTINCT ON (hostname) * FROM cpu ORDER BY hostname, time DESC",
    "SELECT hostname, stddev(usage_user) AS s, var(usage_user) AS v, var_population(usage_user) AS p, mean(usage_user)
     AS m FROM cpu GROUP BY hostname",
    "SELECT max(usage_user)::double AS most, CAST('1.5' AS DOUBLE) AS more, min(hostname)::text AS host FROM cpu",
    "SELECT round(max(usage_user) / 7, 3) AS rounded, round(min(usage_user) / 7) AS whole FROM cpu",
    "SELECT count(*) AS n FROM cpu WHERE hostname ILIKE 'HOST%' AND contains(hostname, 't_1')",
    "SELECT hostname, strpos(hostname, '_') AS place, bool_and(usage_user >= 0) AS positive FROM cpu
     WHERE starts_with(hostname, 'host') GROUP BY hostname",
    "SELECT count(*) AS n FROM cpu WHERE time < TIMESTAMP '2016-01-01' + INTERVAL 1 HOUR",
    "SELECT usage_user, usage_system, time FROM cpu WHERE hostname = ${host} -- ORDER BY nothing
     ORDER BY usage_user DESC, usage_system, time LIMIT 20",
    "SELECT extract(minute FROM time) / 7 AS part, sum(extract(minute FROM time)) / 7 AS total FROM cpu GROUP BY part",
    "SELECT time, row_number() OVER (PARTITION BY hostname ORDER BY usage_user DESC, time) AS place,
     concat(hostname, '-') AS name FROM cpu WHERE hostname = ${host}",
    "SELECT to_unixtime(max(time)) AS seconds, count(*) AS n FROM cpu
     WHERE time >= to_timestamp('2016-01-01T00:10:00') /* median(usage_user) */",
    "SELECT CAST(usage_user / 4 AS INT) AS quarter, count(*) AS n FROM cpu GROUP BY quarter",
    "SELECT min((10 - usage_system / 4)::bigint) AS lowest, max(CAST(usage_idle / 4 - 50 AS INT)) AS most FROM cpu",
    "SELECT count(*) FILTER (WHERE hostname LIKE 'HOST%') AS capitals,
     count(*) FILTER (WHERE hostname LIKE 'host\\\\__') AS escaped,
     count(*) FILTER (WHERE team NOT ILIKE 's\\\\F') AS teams, count(*) AS n FROM cpu",
    "SELECT DISTINCT region FROM cpu WHERE region LIKE '%-_es%' OR hostname LIKE ${host} AND region NOT LIKE 'EU%'",
    "SELECT hostname, last(usage_user, time) AS newest, first(usage_user, time) AS oldest FROM cpu GROUP BY hostname",
    "SELECT last_value(usage_user ORDER BY time, hostname) AS newest, first_value(usage_user ORDER BY time, hostname) AS
     oldest FROM cpu",
    "SELECT date_trunc('hour', time AT TIME ZONE 'Europe/Berlin') AS hour, count(*) AS n FROM cpu GROUP BY hour
     ORDER BY hour",
    "SELECT time AT TIME ZONE 'America/St_Johns' AS shown, usage_user FROM cpu WHERE hostname = ${host}
     AND time AT TIME ZONE 'America/St_Johns' < TIMESTAMP '2015-12-31 21:00:00' ORDER BY shown, usage_user LIMIT 20",
    "SELECT extract(hour FROM time AT TIME ZONE 'Asia/Tokyo') / 2 AS part, extract(minute FROM time AT TIME ZONE
     'Asia/Kathmandu') AS minutes, max(time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo') AS newest FROM cpu
     GROUP BY part, minutes",
    "SELECT date_bin(INTERVAL '1 day', time AT TIME ZONE 'Australia/Sydney') AS day, count(*) AS n,
     date_trunc('hour', min(time) AT TIME ZONE 'Australia/Sydney') AS earliest FROM cpu GROUP BY day",
    "SELECT count(*) AS n, max(time) AS newest FROM cpu
     WHERE time >= TIMESTAMP '2016-01-01 01:05:00' AT TIME ZONE 'Europe/Berlin'",
    "SELECT count(*) AS n, max(time) AS newest FROM cpu
     WHERE time >= '2016-01-01T02:05:00+02:00' AND time < TIMESTAMP '2015-12-31 19:30:00-05:00'
     AND time <> CAST('2016-01-01 01:20:00+01:00' AS TIMESTAMP)",
];

/// A workload that asks these questions of some designs.
fn workload(designs: &[&str], questions: &[&str]) -> String {
    let mut text = format!(
        "title = \"t\"\ndesigns = {designs:?}\n[data]\ngenerator = \"devops\"\nhosts = 5\n"
    );
    for (number, sql) in questions.iter().enumerate() {
        text += &format!("[[queries]]\nname = \"q{number}\"\nsql = \"\"\"\n{sql}\n\"\"\"\n");
        if sql.contains("${host}") {
            text += "parameters = { host = { column = \"hostname\" } }\n";
        }
    }
    text
}

const RUN: [&str; 7] = [
    "run",
    "w.toml",
    "--rows",
    "2k",
    "--no-concurrent",
    "--out",
    "out",
];

/// Asks all questions of designs of an engine, if it is installed, and compares the answers.
fn all_are_right(engine: &str, designs: &[&str]) {
    let Some(bench) = Bench::with_engine(&workload(designs, &QUESTIONS), engine) else {
        return;
    };
    // Each is also asked before it is timed, and while designs warm up.
    let (rounds, asked) = times(("1", 1), ("2", 2));
    let run = [&RUN[..], &["--rounds", rounds]].concat();
    bench.bakeoff(&run).expect(0);
    let answers = designs.len() * QUESTIONS.len() * asked;
    all_is_right(&bench.journal("out"), answers);
}

#[test]
fn postgresql_and_timescaledb_answer_what_datafusion_is_asked() {
    let designs = ["postgres/plain", "timescale/hypertable?chunk=1h", "parquet"];
    all_are_right("timescale", &designs);
}

#[test]
fn duckdb_answers_what_datafusion_is_asked() {
    all_are_right("duckdb", &["duckdb/table", "duckdb/parquet", "parquet"]);
}

#[test]
fn spark_answers_what_datafusion_is_asked() {
    all_are_right("spark", &["spark/parquet", "parquet"]);
}

#[test]
fn a_dry_run_shows_what_each_engine_is_asked() {
    let asked = workload(
        &["postgres/plain", "spark/parquet", "parquet"],
        &QUESTIONS[5..6],
    );
    let bench = Bench::new(&asked, READINGS);
    let ended = bench
        .bakeoff(&["run", "w.toml", "--dry-run", "--out", "out"])
        .expect(0);
    ended
        .says("q0: SELECT hostname, last_value(usage_user ORDER BY time) AS newest")
        .says("q0 of postgres: SELECT hostname, (array_agg(usage_user ORDER BY time DESC))[1] AS newest")
        .says("q0 of spark: SELECT hostname, max_by(usage_user, time) AS newest");
    assert!(!bench.path("out").exists());
}

#[test]
fn a_local_time_without_one_meaning_is_refused_before_anything_is_made() {
    let asked = "SELECT date_trunc('day', time AT TIME ZONE 'Asia/Tokyo') AT TIME ZONE 'Asia/Tokyo' AS day FROM cpu";
    let bench = Bench::new(
        &workload(&["postgres/plain", "parquet"], &[asked]),
        READINGS,
    );
    let refused = bench.bakeoff(&RUN).expect(2);
    refused
        .says("w.toml:9:31")
        .says("query q0: AT TIME ZONE behind a time of clocks in a zone")
        .says("leave the second one out");
    assert!(!bench.path("out").exists());
}

#[test]
fn what_cannot_be_translated_is_told_before_anything_is_made() {
    let asked = "SELECT hostname, levenshtein(hostname, 'host') AS far FROM cpu";
    let bench = Bench::new(
        &workload(&["postgres/plain", "parquet"], &[asked]),
        READINGS,
    );
    let refused = bench.bakeoff(&RUN).expect(2);
    refused.says("w.toml:9:18").says(
        "query q0: PostgreSQL has no `levenshtein`; give the query a separate text for postgres: engine_sql = { \
         postgres = \"SELECT ...\" }",
    );
    assert!(!bench.path("out").exists());
    bench
        .bakeoff(&[&RUN[..], &["--rounds", "1", "--designs", "parquet"]].concat())
        .expect(0);
}
