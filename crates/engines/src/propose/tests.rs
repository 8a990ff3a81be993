mod left_out;
#[cfg(feature = "postgres")]
mod samples;

use std::path::{Path, PathBuf};

use bakeoff_stats::propose::MOST_PROPOSALS;
use bakeoff_workload::source;

use super::*;
use crate::advice::FilterKind;

/// Rows that are read, in which a few hundred thousand would show little more.
const ROWS: u64 = 2_000;

/// The folder of the shipped workloads.
fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads")
}

/// All workload files in a folder and those below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "toml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

async fn proposed(workload: &Workload, rows: u64) -> Proposals {
    // One of them needs a file that the command line names.
    let source = source::open(workload, None).ok();
    let context = Context {
        keys_repeat: source.as_ref().is_none_or(|s| s.may_repeat_keys()),
        ..Context::of_test("/run")
    };
    let request = Request {
        workload,
        source: source.as_deref(),
        rows,
        memory_bytes: 8 << 30,
        calibration: None,
        context: &context,
    };
    let mut proposals = propose(&request).await.unwrap();
    proposals.leave_most();
    proposals
}

fn ids(proposals: &Proposals) -> Vec<&str> {
    proposals
        .designs
        .iter()
        .map(|d| d.design.as_str())
        .collect()
}

#[test]
fn wide_rows_are_read_up_to_a_number_of_bytes() {
    let workload = Workload::read(&shipped().join("timeseries.toml")).unwrap();
    let source = source::open(&workload, None).unwrap();
    // Batches of eight rows.
    let columns = 1 << 18;
    let read = |bytes: f64| -> usize {
        let rows = first_rows::read_within(source.as_ref(), columns, 1_000, bytes).unwrap();
        rows.iter().map(RecordBatch::num_rows).sum()
    };
    assert!((1..=8).contains(&read(1.0)));
    assert_eq!(read(f64::INFINITY), 1_000);
}

#[tokio::test]
async fn every_design_for_a_shipped_workload_can_be_described() {
    let files = files(&shipped());
    assert!(files.len() > 20, "{files:?}");
    for path in files {
        let workload = Workload::read(&path).unwrap();
        let proposals = proposed(&workload, ROWS).await;
        let name = &proposals.workload;
        assert_eq!(proposals.misfits, [], "{name}");
        let ids = ids(&proposals);
        assert!((1..=MOST_PROPOSALS).contains(&ids.len()), "{name}: {ids:?}");
        for (place, id) in ids.iter().enumerate() {
            assert!(!ids[..place].contains(id), "{name} has {id} twice");
        }
        for design in &proposals.designs {
            assert!(
                !design.reasons.is_empty() && !design.ddl.is_empty(),
                "{name}: {design:?}"
            );
        }
    }
}

#[tokio::test]
async fn rows_by_a_column_outside_the_key_are_found_by_an_index_or_a_second_table() {
    let workload = Workload::read(&shipped().join("formats.toml")).unwrap();
    // 9.4% of these rows have the one country, and 0.1% the other one.
    let proposals = proposed(&workload, 10_000).await;
    let ids = ids(&proposals);
    let has = |setting: &str| ids.iter().any(|id| id.contains(setting));
    assert!(has("index=actor1countrycode"), "{ids:?}");
    assert!(has("table_by=actor1countrycode"), "{ids:?}");
    assert!(has("parquet?codec=zstd&sort=actor1countrycode"), "{ids:?}");
    let bad: Vec<&str> = proposals.bad_practices.iter().map(|b| b.rule).collect();
    assert!(
        bad.contains(&"materialized-view") && bad.contains(&"allow-filtering"),
        "{bad:?}"
    );
    let usa = proposals
        .facts
        .iter()
        .find(|fact| fact.starts_with("usa: "));
    assert!(
        usa.unwrap()
            .contains("actor1countrycode (9.4% of the rows)"),
        "{usa:?}"
    );
}

#[tokio::test]
async fn the_newest_rows_windows_and_intervals_of_questions_are_seen() {
    let workload = Workload::read(&shipped().join("timeseries.toml")).unwrap();
    let proposals = proposed(&workload, 10_000).await;
    let ids = ids(&proposals);
    for id in [
        "cassandra/wide?order=desc",
        "cassandra/wide",
        "cassandra/columnar?bucket=1d",
        "cassandra/series",
    ] {
        assert!(ids.contains(&id), "{id} is not in {ids:?}");
    }
    assert!(ids.iter().any(|id| id.contains("summary=1h")), "{ids:?}");
    let newest = proposals
        .facts
        .iter()
        .find(|fact| fact.starts_with("lastpoint: "));
    assert!(newest.unwrap().contains("wants the newest"), "{newest:?}");
}

#[tokio::test]
async fn a_join_with_the_highest_time_of_each_group_wants_the_newest_rows() {
    let shipped = Workload::read(&shipped().join("timeseries.toml")).unwrap();
    let (table, key) = (&shipped.table.name, &shipped.table.partition_key[0]);
    let time = &shipped.table.order_key[0];
    for (value, condition, wants) in [("max", "=", true), ("min", "=", false), ("max", "<", false)]
    {
        for name in ["latest", time.as_str()] {
            let sql = format!(
                "SELECT t.* FROM {table} t JOIN (SELECT {key}, {value}({time}) AS {name} FROM {table} GROUP BY {key}) l \
                 ON t.{key} = l.{key} AND t.{time} {condition} l.{name}"
            );
            let mut workload = shipped.clone();
            workload.queries.truncate(1);
            workload.queries[0].sql = sql.clone();
            workload.queries[0].parameters = Vec::new();
            let session = session_over(&workload, &[]).unwrap();
            let questions = questions::read(&workload, &session, None).await.unwrap();
            assert_eq!(questions[0].wants_newest, wants, "{sql}");
        }
    }
}

#[test]
fn rows_live_as_long_as_all_inserts_say_or_else_a_design() {
    let shipped = std::fs::read_to_string(shipped().join("retention.toml")).unwrap();
    let ttl = |text: &str| {
        let workload = Workload::parse(text, Path::new("retention.toml")).unwrap();
        load::ttl_seconds(&workload)
    };
    assert_eq!(ttl(&shipped), Some(86_400));
    let without = shipped.replace("&ttl=1d", "&chunk=4KiB");
    assert_eq!(ttl(&without), None);
    let ending = without.replace("weight = 90", "weight = 90\nttl = \"2h\"");
    assert_eq!(ttl(&ending), Some(7_200));
    let other = "[[mix.operations]]\nname = \"other\"\naction = \"insert\"\nkeys = \"new\"";
    let both = format!("weight = 40\nttl = \"2h\"\n\n{other}\nweight = 50");
    let of_one = without.replace("weight = 90", &both);
    assert_eq!(ttl(&of_one), None);
}

#[test]
fn a_design_that_several_rules_name_is_proposed_once_with_all_of_their_reasons() {
    let stated = |rule| Stated { rule, source: "" };
    let named = |rule, rank, design: &str| match stated(rule).measure(rank, design, "") {
        Advice::Measure(candidate) => candidate,
        Advice::Avoid(bad) => panic!("{bad:?}"),
    };
    let merged = merged(vec![
        named("one", Rank::Further, "a"),
        named("two", Rank::Likely, "b"),
        named("three", Rank::First, "a"),
    ]);
    let rules: Vec<(&str, Vec<&str>)> = { merged.iter() }
        .map(|(id, reasons)| (id.as_str(), reasons.iter().map(|r| r.rule).collect()))
        .collect();
    assert_eq!(rules, [("a", vec!["one", "three"]), ("b", vec!["two"])]);
}

#[tokio::test]
async fn the_baseline_of_a_workload_is_among_its_designs() {
    let text = std::fs::read_to_string(shipped().join("formats.toml")).unwrap();
    let text = format!("{text}\n[decide]\nbaseline = \"cassandra/compact\"\n");
    let workload = Workload::parse(&text, Path::new("formats.toml")).unwrap();
    let proposals = proposed(&workload, ROWS).await;
    assert_eq!(ids(&proposals)[0], "cassandra/compact");
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn designs_that_cannot_be_asked_a_question_do_not_suit() {
    let text = std::fs::read_to_string(shipped().join("formats.toml")).unwrap();
    let near = "SELECT count(*) AS n FROM gdelt WHERE levenshtein(actor1countrycode, 'USA') < 2";
    let asked = format!("{text}\n[[queries]]\nname = \"near\"\nsql = \"{near}\"\n");
    let workload = Workload::parse(&asked, Path::new("formats.toml")).unwrap();
    let all = proposed(&workload, ROWS).await;
    let is_of_postgres = |id: &str| id.starts_with("postgres/") || id.starts_with("timescale/");
    let ids = ids(&all);
    assert!(!ids.iter().any(|id| is_of_postgres(id)), "{ids:?}");
    assert!(ids.contains(&"parquet?codec=zstd"), "{ids:?}");
    assert!(!all.misfits.is_empty());
    for misfit in &all.misfits {
        let why = &misfit.why;
        assert!(is_of_postgres(&misfit.design), "{misfit:?}");
        assert!(
            why.starts_with(
                "query near: PostgreSQL has no `levenshtein`; give the query a separate text"
            ),
            "{why}"
        );
    }
    // With a text of its own there is nothing to translate.
    let own = ["postgres", "timescale"].map(|engine| format!("{engine} = \"SELECT 1 AS n\""));
    let given = format!("{asked}engine_sql = {{ {} }}\n", own.join(", "));
    let workload = Workload::parse(&given, Path::new("formats.toml")).unwrap();
    assert_eq!(proposed(&workload, ROWS).await.misfits, []);
}

#[tokio::test]
async fn conditions_on_floats_are_seen_as_those_on_doubles() {
    const WORKLOAD: &str = r#"title = "Heat"
designs = ["memory"]

[table]
name = "readings"
partition_key = ["sensor"]
order_key = ["time"]

[table.columns]
sensor = "text"
time = "timestamp"
number = "bigint"
temp = "double"

[data]
file = "readings.csv"

[[queries]]
name = "hot"
sql = "SELECT sensor, time FROM readings WHERE temp > 20.99 AND 30 >= temp ORDER BY sensor, time"

[[queries]]
name = "between"
sql = "SELECT sensor, time FROM readings WHERE temp BETWEEN 1 AND 2 ORDER BY sensor, time"

[[queries]]
name = "equal"
sql = "SELECT sensor, time FROM readings WHERE sensor = 'a' AND temp IN (1.5, 2.5) ORDER BY sensor, time"

[[queries]]
name = "cast"
sql = "SELECT sensor, time FROM readings WHERE CAST(number AS DOUBLE) = 1.5 ORDER BY sensor, time"

[scale]
rows = 10
full_rows = 10
replication = 1
"#;
    let range = |column: &str| (column.to_owned(), FilterKind::Range { width: None });
    let equals = |column: &str, values| (column.to_owned(), FilterKind::Equals { values });
    let expected = [
        vec![range("temp")],
        vec![range("temp")],
        vec![equals("sensor", 1), equals("temp", 2)],
        vec![],
    ];
    for kind in ["double", "float"] {
        let text = WORKLOAD.replace("temp = \"double\"", &format!("temp = \"{kind}\""));
        let mut workload = Workload::parse(&text, Path::new("heat.toml")).unwrap();
        crate::translate::plain_queries(&mut workload);
        let is_widened = workload.queries[0].sql.contains("CAST(temp AS DOUBLE)");
        assert_eq!(is_widened, kind == "float", "{}", workload.queries[0].sql);
        let session = session_over(&workload, &[]).unwrap();
        let questions = questions::read(&workload, &session, None).await.unwrap();
        let found: Vec<Vec<(String, FilterKind)>> = { questions.into_iter() }
            .map(|question| {
                let filters = question.filters.into_iter();
                filters.map(|filter| (filter.column, filter.kind)).collect()
            })
            .collect();
        assert_eq!(found, expected, "{kind}");
    }
}

#[tokio::test]
async fn a_sample_that_gets_more_series_keeps_the_rows_of_each() {
    const WORKLOAD: &str = r#"title = "Turbines"
designs = ["memory"]

[table]
name = "turbines"
partition_key = ["turbine"]
order_key = ["time"]

[table.columns]
turbine = "text"
time = "timestamp"
power = "double"

[data]
file = "turbines.csv"
grow = "GROWTH"

[[queries]]
name = "one"
sql = "SELECT turbine, time, power FROM turbines WHERE turbine = 'r1' ORDER BY time"

[scale]
rows = 2000
full_rows = 375000
replication = 1
"#;
    let folder = tempfile::tempdir().unwrap();
    let row = |row: u32| {
        let (hour, turbine) = (row / 4, row % 4);
        let (day, hour) = (1 + hour / 24, hour % 24);
        format!("r{turbine},2024-01-{day:02}T{hour:02}:00:00Z,{row}.5\n")
    };
    let rows: String = (0..2_000).map(row).collect();
    let text = format!("turbine,time,power\n{rows}");
    std::fs::write(folder.path().join("turbines.csv"), text).unwrap();
    for (growth, most, expected) in [
        // A part of the file, and more than all of it.
        (
            "750 machines",
            400,
            "with 750 partition keys the largest partition would have about 500 ",
        ),
        (
            "750 machines",
            65_536,
            "with 750 partition keys the largest partition would have about 500 ",
        ),
        (
            "187.5 times the time",
            400,
            "rows the largest partition would have about 93,750 ",
        ),
        (
            "37.5 times the machines, 5 times the time",
            400,
            "with 150 partition keys the largest partition would have about 2,500 ",
        ),
    ] {
        let text = WORKLOAD.replace("GROWTH", growth);
        let workload = Workload::parse(&text, &folder.path().join("turbines.toml")).unwrap();
        let proposals = proposed(&workload, most).await;
        let told = &proposals.facts[1];
        assert!(told.contains(expected), "{growth}: {told}");
    }
}
