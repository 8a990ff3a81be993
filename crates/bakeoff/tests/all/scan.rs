//! `bakeoff scan`: parts that separate processes read, in a folder and in a real Cassandra, and what is
//! said of mistakes.

mod as_in_sql;

use std::io::{Cursor, Read};
use std::process::{Command, Stdio};

use arrow::array::RecordBatch;
use arrow::csv::Writer;
use arrow::ipc::reader::StreamReader;

use crate::support::server::Server;
use crate::support::{Bench, Ended, READINGS, WORKLOAD};

const KEYS: [&str; 4] = ["--partition-key", "series", "--order-key", "time"];

/// Readings of 40 series at 50 times.
fn many() -> String {
    let mut rows = "series,time,value\n".to_owned();
    for time in 0..50 {
        for series in 0..40 {
            rows.push_str(&format!(
                "s{series:02},2024-01-{:02}T00:00:0{},{time}.5\n",
                1 + time / 2,
                time % 2
            ));
        }
    }
    rows
}

/// A folder with a columnar table `t` of 2,000 rows in chunks of at most 100.
fn with_table() -> Bench {
    let bench = Bench::new(WORKLOAD, &many());
    let ingest = [
        "ingest",
        "readings.csv",
        "--into",
        "dir:t",
        "--chunk-rows",
        "100",
    ];
    bench.bakeoff(&[&ingest[..], &KEYS[..]].concat()).expect(0);
    bench
}

/// A line of a plan.
#[derive(Debug)]
struct Planned {
    number: String,
    snapshot: String,
    bytes: u64,
    token: String,
}

#[track_caller]
fn planned(ended: Ended) -> Vec<Planned> {
    let line = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [number, snapshot, bytes, token] = fields[..] else {
            panic!("{line}")
        };
        Planned {
            number: number.to_owned(),
            snapshot: snapshot.to_owned(),
            bytes: bytes.parse().unwrap(),
            token: token.to_owned(),
        }
    };
    ended.expect(0).stdout.lines().map(line).collect()
}

/// The bytes of an Arrow stream as CSV lines with a header.
fn decoded(stream: &[u8]) -> Vec<String> {
    let reader = StreamReader::try_new(Cursor::new(stream), None).unwrap();
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    let mut text = Vec::new();
    let mut csv = Writer::new(&mut text);
    csv.write(&RecordBatch::new_empty(schema)).unwrap();
    batches.iter().for_each(|batch| csv.write(batch).unwrap());
    drop(csv);
    let text = String::from_utf8(text).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The rows that a command writes as an Arrow stream, without the header.
#[track_caller]
fn rows(mut command: Command) -> Vec<String> {
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    decoded(&output.stdout).split_off(1)
}

fn part(bench: &Bench, token: &str) -> Vec<String> {
    rows(bench.command(&["scan", "dir:t", "--part", token]))
}

fn all(bench: &Bench, condition: &str) -> Vec<String> {
    let sql = format!("SELECT series, time, value FROM t WHERE {condition}");
    let ended = bench.bakeoff(&["sql", &sql, "--dir", "t"]).expect(0);
    let mut rows: Vec<String> = ended.stdout.lines().skip(1).map(str::to_owned).collect();
    rows.sort();
    rows
}

fn in_order(parts: &[Vec<String>]) -> Vec<String> {
    let mut rows = parts.concat();
    rows.sort();
    rows
}

#[test]
fn parts_of_a_plan_are_the_table_as_it_was() {
    let bench = with_table();
    let before = all(&bench, "true");
    assert_eq!(before.len(), 2000);
    let plan = planned(bench.bakeoff(&["scan", "dir:t", "--plan", "4"]));
    let numbers: Vec<&str> = plan.iter().map(|part| part.number.as_str()).collect();
    assert_eq!(numbers, ["1/4", "2/4", "3/4", "4/4"]);
    assert!(plan.iter().all(|part| part.snapshot == plan[0].snapshot));
    let bytes = plan.iter().map(|part| part.bytes);
    let (least, most) = (bytes.clone().min().unwrap(), bytes.max().unwrap());
    assert!(most < 2 * least, "{least} {most}");
    // The same table has the same snapshot, however it is divided.
    let again = planned(bench.bakeoff(&["scan", "dir:t", "--plan", "2"]));
    assert_eq!(again[0].snapshot, plan[0].snapshot);
    // Rows are replaced, and chunks merged.
    std::fs::write(bench.path("more.csv"), many().replace(".5\n", ".25\n")).unwrap();
    bench
        .bakeoff(&["ingest", "more.csv", "--into", "dir:t"])
        .expect(0);
    bench.bakeoff(&["table", "seal", "dir:t"]).expect(0);
    let parts: Vec<Vec<String>> = plan.iter().map(|p| part(&bench, &p.token)).collect();
    assert!(parts.iter().all(|rows| !rows.is_empty()));
    assert_eq!(in_order(&parts), before);
    let later = planned(bench.bakeoff(&["scan", "dir:t", "--plan", "4"]));
    assert_ne!(later[0].snapshot, plan[0].snapshot);
    // What is removed is missed, and not left out.
    bench
        .bakeoff(&["table", "sweep", "dir:t", "--grace", "0s"])
        .expect(0);
    let gone = bench.bakeoff(&["scan", "dir:t", "--part", &plan[0].token]);
    let gone = gone.expect(1);
    gone.says(" is gone: ")
        .says("make a new plan (`bakeoff scan --plan`)");
    assert_eq!(gone.stdout, "");
    let parts: Vec<Vec<String>> = later.iter().map(|p| part(&bench, &p.token)).collect();
    assert_eq!(in_order(&parts), all(&bench, "true"));
}

#[test]
fn only_what_is_asked_for_is_read() {
    let bench = with_table();
    let condition = "series IN ('s03', 's07') AND value >= 10";
    let scan = ["scan", "dir:t", "--where", condition];
    let named = ["--columns", "value, \"series\""];
    let plan = planned(bench.bakeoff(&[&scan[..], &named, &["--plan", "3"]].concat()));
    let whole = planned(bench.bakeoff(&["scan", "dir:t", "--plan", "3"]));
    let bytes = |plan: &[Planned]| plan.iter().map(|part| part.bytes).sum::<u64>();
    assert!(bytes(&plan) < bytes(&whole) / 2);
    let parts: Vec<Vec<String>> = plan.iter().map(|p| part(&bench, &p.token)).collect();
    let swapped = |row: &String| {
        let cells: Vec<&str> = row.split(',').collect();
        format!("{},{}", cells[2], cells[0])
    };
    let mut expected: Vec<String> = all(&bench, condition).iter().map(swapped).collect();
    assert_eq!(expected.len(), 80);
    expected.sort();
    assert_eq!(in_order(&parts), expected);
}

#[test]
fn a_part_by_number_names_its_snapshot() {
    let bench = with_table();
    let output = |part: &str| {
        let command = ["scan", "dir:t", "--where", "value < 3", "--part", part];
        let output = bench.command(&command).output().unwrap();
        (decoded(&output.stdout), Ended::of(output).expect(0).stderr)
    };
    let (first, second) = (output("1/2"), output("2/2"));
    let header = "series,time,value".to_owned();
    assert_eq!((&first.0[0], &second.0[0]), (&header, &header));
    let parts = [first.0[1..].to_vec(), second.0[1..].to_vec()];
    assert_eq!(in_order(&parts), all(&bench, "value < 3"));
    let snapshot = |said: &str| {
        let (_, after) = said.split_once("of snapshot ").unwrap();
        after.split(':').next().unwrap().to_owned()
    };
    assert_eq!(snapshot(&first.1), snapshot(&second.1));
    assert!(
        first.1.contains("only if they name the same snapshot"),
        "{}",
        first.1
    );
    // More parts than chunks: an empty one has the schema.
    let empty = bench.command(&["scan", "dir:t", "--part", "1/1", "--where", "false"]);
    assert_eq!(rows(empty), [""; 0]);
    let (of_none, _) = output("75/100");
    assert_eq!(of_none, [header]);
}

#[test]
fn a_token_may_come_from_the_standard_input_and_rows_go_to_a_file() {
    let bench = with_table();
    bench
        .bakeoff(&["scan", "dir:t", "--plan", "1", "--out", "plan"])
        .expect(0);
    let plan = std::fs::read_to_string(bench.path("plan")).unwrap();
    let token = plan.trim_end().rsplit('\t').next().unwrap();
    std::fs::write(bench.path("token"), token).unwrap();
    let mut command = bench.command(&["scan", "dir:t", "--part", "-", "--out", "rows.arrows"]);
    command.stdin(std::fs::File::open(bench.path("token")).unwrap());
    Ended::of(command.output().unwrap())
        .expect(0)
        .says("part 1/1 of snapshot ")
        .says("2,000 rows in");
    let stream = std::fs::read(bench.path("rows.arrows")).unwrap();
    assert_eq!(
        in_order(&[decoded(&stream).split_off(1)]),
        all(&bench, "true")
    );
    let mut command = bench.command(&["scan", "dir:t", "--part", "-"]);
    command.stdin(Stdio::null());
    let ended = Ended::of(command.output().unwrap()).expect(2);
    ended.says("there is no token on the standard input");
}

#[test]
fn a_reader_that_has_enough_ends_the_scan_quietly() {
    let mut rows = "series,time,value\n".to_owned();
    for n in 0..20_000 {
        rows.push_str(&format!("{n:0100},2024-01-01T00:00:00,{n}.1\n"));
    }
    let bench = Bench::new(WORKLOAD, &rows);
    let ingest = [
        "ingest",
        "readings.csv",
        "--into",
        "dir:t",
        "--chunk-rows",
        "1000",
    ];
    bench.bakeoff(&[&ingest[..], &KEYS[..]].concat()).expect(0);
    let mut command = bench.command(&["scan", "dir:t", "--part", "1/1"]);
    let mut scan = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut some = [0; 100];
    scan.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let ended = Ended::of(scan.wait_with_output().unwrap()).expect(0);
    assert!(!ended.stderr.contains("error"), "{}", ended.stderr);
}

#[test]
fn mistakes_are_said_before_anything_is_written() {
    let bench = with_table();
    let plan = planned(bench.bakeoff(&["scan", "dir:t", "--plan", "2"]));
    let token = plan[0].token.as_str();
    let torn = &token[..token.len() - 8];
    let long = format!("value = 1{}", " OR value = 2".repeat(5_000));
    for (arguments, said) in [
        (&["dir:t"][..], "--plan <N> prints N parts"),
        (&["dir:t", "--where", "true"], "--part 1/1 reads all rows"),
        (
            &["dir:t", "--plan", "2", "--part", "1/2"],
            "cannot be used with",
        ),
        (&["dir:t", "--plan", "0"], "0 is not in 1..=100000"),
        (&["dir:t", "--part", "3/2"], "parts of 2 are 1/2 to 2/2"),
        (
            &["dir:t", "--part", torn],
            "this is not a part of a plan: it is torn",
        ),
        (&["dir:t", "--part", "x"], "it does not begin with share1-"),
        (
            &["dir:t", "--part", token, "--where", "true"],
            "--columns and --where are part of a plan",
        ),
        (
            &["dir:t", "--part", "1/2", "--columns", "vlaue"],
            "dir:t has no column `vlaue`; did you mean `value`?",
        ),
        (
            &["dir:t", "--part", "1/2", "--where", "vlaue > 1"],
            "there is no column `vlaue`; did you mean `value`?",
        ),
        (
            &["dir:t", "--part", "1/2", "--where", "true; SELECT 1"],
            "this is not SQL",
        ),
        (
            &["dir:t", "--part", "1/2", "--where", "value > (SELECT 1)"],
            "a condition may look at the columns of one row only",
        ),
        (
            &["dir:t", "--part", "1/2", "--where", long.as_str()],
            "it has about 5001 operators",
        ),
        (
            &["dir:t", "--plan", "2", "--where", "time < now()"],
            "no function whose value changes, such as now()",
        ),
        (
            &["dir:t", "--plan", "2", "--where", "value"],
            "this is no condition",
        ),
        (
            &["dir:t", "--plan", "2", "--where", "time > 'noon'"],
            "'noon' is not a time",
        ),
        (
            &["dir:none", "--plan", "2"],
            "dir:none is not a columnar table",
        ),
        (
            &["ks.t", "--plan", "2"],
            "name the cluster with --cassandra",
        ),
    ] {
        let ended = bench
            .bakeoff(&[&["scan"][..], arguments].concat())
            .expect(2);
        ended.says(said);
        assert_eq!(ended.stdout, "", "{arguments:?}");
    }
    // Of a table with other columns.
    std::fs::write(bench.path("other.csv"), "k,t\na,1\n").unwrap();
    let ingest = [
        "ingest",
        "other.csv",
        "--into",
        "dir:o",
        "--partition-key",
        "k",
        "--order-key",
        "t",
    ];
    bench.bakeoff(&ingest).expect(0);
    bench
        .bakeoff(&["scan", "dir:o", "--part", token])
        .expect(2)
        .says("it is of a table with other columns or keys");
}

#[test]
fn in_a_real_cassandra() {
    let Some(server) = Server::shared() else {
        return;
    };
    let ingest = ["ingest", "readings.csv", "--into", "scans.t"];
    let making = ["--create-keyspace", "1", "--bucket", "1d", "--shards", "2"];
    server
        .bakeoff(&[&ingest[..], &KEYS[..], &making[..]].concat())
        .expect(0);
    let plan = planned(server.bakeoff(&["scan", "scans.t", "--plan", "3", "--where", "value > 1"]));
    assert_eq!(plan.len(), 3);
    let replaced = READINGS.replace(",1.5", ",8.5").replace(",2.5", ",9.5");
    std::fs::write(server.bench.path("more.csv"), replaced).unwrap();
    server
        .bakeoff(&["ingest", "more.csv", "--into", "scans.t"])
        .expect(0);
    server.bakeoff(&["table", "seal", "scans.t"]).expect(0);
    let command = |token: &str| {
        let scan = ["scan", "scans.t", "--part", token];
        server
            .bench
            .command(&[&scan[..], &["--cassandra", &server.address]].concat())
    };
    let parts: Vec<Vec<String>> = plan.iter().map(|p| rows(command(&p.token))).collect();
    let expected = [
        "a,2024-01-01T00:00:00,1.5",
        "a,2024-01-01T00:01:00,2.5",
        "b,2024-01-02T00:00:00,NaN",
    ];
    assert_eq!(in_order(&parts), expected);
    server
        .bakeoff(&["table", "sweep", "scans.t", "--grace", "0s"])
        .expect(0);
    let mut gone = 0;
    for part in plan {
        let ended = Ended::of(command(&part.token).output().unwrap());
        if ended.code == Some(1) {
            ended.says("make a new plan (`bakeoff scan --plan`)");
            gone += 1;
        }
    }
    assert!(gone > 0, "the chunks of the plan were swept");
    // An ordinary table is none that has chunks.
    server.cql("CREATE TABLE scans.rows (k int PRIMARY KEY, v int);\n");
    server
        .bakeoff(&["scan", "scans.rows", "--plan", "2"])
        .expect(2)
        .says("scans.rows is not a columnar table, but an ordinary one");
}
