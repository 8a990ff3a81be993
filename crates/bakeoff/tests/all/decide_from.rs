//! What `bakeoff decide` decides for besides files of rows and workloads, and which designs it leaves out. Live tables
//! are in the tests of `bakeoff init`.

use bakeoff_testing::times;

use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

const SCHEMA: &str = "CREATE TABLE shop.rooms (id uuid PRIMARY KEY, name text);\n\
    CREATE TABLE shop.readings (series text, time timestamp, value double, note text, PRIMARY KEY (series, time))\n\
    WITH CLUSTERING ORDER BY (time DESC);\n\
    SELECT max(value) AS highest FROM readings WHERE series = 'a';\n";

fn bench(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    for (name, text) in files {
        std::fs::write(bench.path(name), text).unwrap();
    }
    bench
}

fn workload(bench: &Bench) -> String {
    std::fs::read_to_string(bench.path("out/workload.toml")).unwrap()
}

#[test]
fn statements_are_decided_for_with_made_rows_or_with_a_sample() {
    let bench = bench(&[("schema.cql", SCHEMA)]);
    let asked = ["decide", "schema.cql", "--budget", "5s", "--out", "out"];
    bench
        .without_servers(&asked)
        .expect(2)
        .says("rooms")
        .says("readings");
    assert!(!bench.path("out").exists());
    let asked = [&asked[..], &["--table", "readings"]].concat();
    let with_files = [&asked[..], &["--adopt", "mine"]].concat();
    let ended = bench.without_servers(&with_files);
    // The design that is like the table is measured wherever its engine is.
    assert!(
        [Some(0), Some(3)].contains(&ended.code),
        "{}\n{}",
        ended.stdout,
        ended.stderr
    );
    ended
        .says("its rows are made by guesses")
        .says("To fill them:\n")
        .says("note: the script fills it with rows that are made by guesses");
    let written = workload(&bench);
    assert!(written.contains("generator = \"columns\""), "{written}");
    assert!(written.contains("max(value) AS highest"), "{written}");
    let loaded = bench.journal("out/run");
    assert!(of_kind(&loaded, "loaded").next().is_some());
    // Another sample is another decision.
    let sample = [&asked[..], &["--data", "readings.csv"]].concat();
    bench
        .without_servers(&sample)
        .expect(1)
        .says("the decision of another command");
    std::fs::remove_dir_all(bench.path("out")).unwrap();
    let ended = bench.without_servers(&sample);
    ended.says("shop.readings in schema.cql: 4 sampled rows");
    let written = workload(&bench);
    assert!(written.contains("readings.csv\""), "{written}");
    let loaded = bench.journal("out/run");
    assert!(of_kind(&loaded, "loaded").next().is_some());
}

#[test]
fn a_live_table_that_cannot_be_read_leaves_nothing() {
    let bench = bench(&[]);
    let asked = ["decide", "cassandra://127.0.0.1:1/ks.t"];
    for more in [&[][..], &["--rate-limit", "100", "--sample", "10"][..]] {
        bench
            .without_servers(&[&asked[..], more].concat())
            .expect(1)
            .says("cannot connect to Cassandra at 127.0.0.1:1");
        assert!(!bench.path("runs").exists());
    }
}

#[cfg(feature = "postgres")]
#[test]
fn designs_that_cannot_be_asked_a_question_are_left_out_and_told() {
    let near = "SELECT series, levenshtein(series, 'ab') AS far FROM readings ORDER BY series";
    let bench = bench(&[("near.sql", near)]);
    let asked = [
        "decide",
        "readings.csv",
        "--questions",
        "near.sql",
        "--budget",
        "5s",
        "--out",
        "out",
    ];
    let told = "query question_1: PostgreSQL has no `levenshtein`; give the query a separate text";
    let ended = bench.without_servers(&asked).expect(0);
    ended.says("note: left out: postgres/").says(told);
    let written = workload(&bench);
    for engine in ["\"postgres/", "\"timescale/"] {
        assert!(!written.contains(engine), "{written}");
    }
    // So it is with a workload, whatever is on this machine.
    let text = WORKLOAD.replace("SELECT series, time, value FROM readings", near);
    std::fs::write(bench.path("w.toml"), text).unwrap();
    let proposed = bench
        .bakeoff(&["propose", "w.toml", "--out", "new.toml"])
        .expect(0);
    let words: Vec<&str> = proposed.stdout.split_whitespace().collect();
    let words = words.join(" ");
    assert!(
        words.contains("Not possible here: postgres/"),
        "{}",
        proposed.stdout
    );
    let lacking = "query all: PostgreSQL has no `levenshtein`";
    assert!(words.contains(lacking), "{}", proposed.stdout);
    bench
        .bakeoff(&["run", "new.toml", "--dry-run"])
        .expect(0)
        .says("\nparquet?codec=zstd\n");
}

/// Names of so many columns, or a row of them.
fn columns(number: usize, cell: impl Fn(usize) -> String) -> String {
    let cells: Vec<String> = (0..number).map(cell).collect();
    cells.join(",")
}

#[test]
fn files_that_lack_something_are_proposed_and_decided_for() {
    let names = columns(10_000, |number| format!("c{number}"));
    let wide = format!("{names}\n{}\n", columns(10_000, |_| "1".to_owned()));
    let files = [
        // Of one row.
        ("one.csv", "name,time,value\na,2024-01-01,1\n"),
        // Of one series.
        ("series.csv", "time,value\n2024-01-01,1.5\n2024-01-02,2.5\n"),
        // Without a time.
        ("untimed.csv", "id,size\n1,5\n2,5\n3,6\n"),
        // With times of several zones.
        (
            "zones.csv",
            "name,time\na,2024-01-01T00:00:00Z\na,2024-01-01T01:00:00+02:00\n",
        ),
        // With a column of nulls.
        ("gap.csv", "name,time,gap\na,2024-01-01,\na,2024-01-02,\n"),
        // Of more columns than anything takes.
        ("wide.csv", wide.as_str()),
    ];
    let bench = bench(&files);
    for (file, _) in files {
        let (written, proposed) = (format!("{file}.toml"), format!("{file}.proposed.toml"));
        let init = ["init", file, "--out", &written];
        bench.bakeoff(&init).expect(0);
        let propose = ["propose", &written, "--out", &proposed];
        bench
            .without_servers(&propose)
            .expect(0)
            .says("\n  parquet?codec=zstd\n");
        let run = ["run", &proposed, "--dry-run"];
        bench.bakeoff(&run).expect(0).says("Nothing is touched");
    }
    for &(file, _) in files.iter().step_by(times(3, 1)) {
        let out = format!("{file}.decided");
        let decide = ["decide", file, "--budget", "1s", "--out", &out];
        let ended = bench.without_servers(&decide).expect(0);
        ended.says("To fill them:\n");
        assert_eq!(
            of_kind(&bench.journal(&format!("{out}/run")), "failed").next(),
            None
        );
    }
}

#[test]
fn what_nothing_can_be_decided_for_says_what_to_mend() {
    let rows = "name,time,value\na,2024-01-01,1\na,2024-01-02,2\n";
    let unknown = "SELECT no_such_thing(value) AS v FROM asked";
    let files = [
        ("twice.csv", "value,Value\n1,2\n"),
        ("empty.csv", ""),
        ("names.csv", "name,time,value\n"),
        ("keyless.csv", "a,b\nx,y\nx,y\n"),
        ("asked.csv", rows),
    ];
    let bench = bench(&files);
    for (arguments, code, words) in [
        (
            &["twice.csv"][..],
            1,
            "columns 1 and 2 are both called `value`: give them different names",
        ),
        (&["empty.csv"][..], 1, "the file is empty"),
        (&["names.csv"][..], 1, "has no rows"),
        (&["keyless.csv"][..], 1, "--key COLUMN"),
        // A question that no design can serve.
        (
            &["asked.csv", "--question", unknown][..],
            2,
            "query question_1: Invalid function 'no_such_thing'",
        ),
    ] {
        let decide = [&["decide"][..], arguments].concat();
        bench.without_servers(&decide).expect(code).says(words);
        assert!(!bench.path("runs").exists(), "{arguments:?}");
    }
    let text = WORKLOAD.replace("count(*) AS n", "no_such_thing(value) AS n");
    std::fs::write(bench.path("w.toml"), text).unwrap();
    for command in ["propose", "decide"] {
        bench
            .without_servers(&[command, "w.toml"])
            .expect(2)
            .says("query by_series: Invalid function 'no_such_thing'");
    }
    assert!(!bench.path("runs").exists());
}
