//! What `bakeoff decide` decides for besides files of rows and workloads, and which designs it leaves out. Live tables
//! are in the tests of `bakeoff init`.

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
        .expect(2)
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
    for more in [&[][..], &["--rate-limit", "100", "--sample", "10"]] {
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
