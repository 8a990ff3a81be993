//! Questions that `bakeoff init` is given and that not every engine can be asked as they are.

use crate::support::going_on::run_without_servers;
use crate::support::{Bench, READINGS, WORKLOAD};

fn bench(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    for (name, text) in files {
        std::fs::write(bench.path(name), text).unwrap();
    }
    bench
}

fn text(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(bench.path(name)).unwrap()
}

#[test]
fn questions_with_markers_draw_values_or_are_refused() {
    let questions = "-- name: of_one\nSELECT max(value) AS m FROM readings WHERE series = $1;\n\
         SELECT count(*) AS n FROM readings WHERE series = :name AND time >= ? AND time < ?;\n";
    let of_limit = "SELECT series, time FROM readings ORDER BY series, time LIMIT ?;\n";
    let bench = bench(&[("q.sql", questions), ("limit.sql", of_limit)]);
    bench
        .bakeoff(&["init", "readings.csv", "--questions", "limit.sql"])
        .expect(2)
        .says("--questions limit.sql: statement 1: the value of its marker behind `LIMIT` is not known");
    let init = [
        "init",
        "readings.csv",
        "--questions",
        "q.sql",
        "--out",
        "new.toml",
    ];
    bench.bakeoff(&init).expect(0);
    let written = text(&bench, "new.toml");
    for words in [
        "name = \"of_one\"",
        "WHERE series = ${series}\"",
        "WHERE series = ${series} AND time >= ${span.begin} AND time < ${span.end}\"",
    ] {
        assert!(written.contains(words), "`{words}` is not in: {written}");
    }
    run_without_servers(&bench, "new.toml");
    // A workload that was written with a marker is refused before anything starts.
    let marked = text(&bench, "w.toml");
    let marked = format!(
        "{marked}\n[[queries]]\nname = \"marked\"\nsql = \"SELECT max(value) AS m FROM readings WHERE series = $1\"\n"
    );
    std::fs::write(bench.path("marked.toml"), marked).unwrap();
    for command in ["run", "verify"] {
        bench
            .bakeoff(&[command, "marked.toml"])
            .expect(2)
            .says("query marked: no value is bound to its marker `$1`");
    }
}

#[test]
fn a_sample_or_a_log_that_does_not_fit_is_told_in_its_own_terms() {
    let schema =
        "CREATE TABLE shop.readings (sensor text, time timestamp, PRIMARY KEY (sensor, time));";
    let files = [
        ("s.sql", schema),
        ("one.csv", "id\n1\n"),
        ("log.json", "{\"query\": \"SELECT 1 FROM t\"}\n"),
        (
            "general.log",
            "2026-05-01T00:00:00Z\t8 Query\tSELECT value FROM readings\n",
        ),
    ];
    let bench = bench(&files);
    bench
        .bakeoff(&["init", "s.sql", "--data", "readings.csv"])
        .expect(2)
        .says("--data readings.csv: `sensor` is in the key of shop.readings in s.sql: write this name");
    for log in ["log.json", "general.log"] {
        bench
            .bakeoff(&["init", "readings.csv", "--questions", log])
            .expect(2)
            .says("what `fqltool dump` of Cassandra prints, or one statement in each line");
    }
    bench
        .bakeoff(&["init", "one.csv"])
        .expect(0)
        .says("one.csv: 1 row, 1 column, key (id)");
}

#[test]
fn the_most_frequent_statements_of_a_log_in_json_become_questions() {
    let line = |message: &str| {
        format!(
            "{{\"dbname\":\"shop\",\"ps\":\"idle\",\"error_severity\":\"LOG\",\"message\":\"{message}\"}}\n"
        )
    };
    let log =
        line("statement: SELECT series, last(value, time) AS newest FROM readings GROUP BY series")
            + &line("statement: INSERT INTO readings VALUES ('a', now(), 1)")
            + &line("connection received: host=[local]");
    let bench = bench(&[("queries.json", &log)]);
    let init = [
        "init",
        "readings.csv",
        "--questions",
        "queries.json",
        "--out",
        "new.toml",
    ];
    bench
        .bakeoff(&init)
        .expect(0)
        .says("the log has 2 statements: 1 INSERT, 1 SELECT");
    let written = text(&bench, "new.toml");
    let asked = "SELECT series, last(value, time) AS newest FROM readings GROUP BY series";
    assert!(written.contains(asked), "{written}");
    run_without_servers(&bench, "new.toml");
}

#[cfg(feature = "postgres")]
#[test]
fn what_an_engine_cannot_be_asked_is_no_question_of_its_designs() {
    let schema = "CREATE TABLE `readings` (`series` varchar(8) NOT NULL, `time` datetime NOT NULL, value double, \
                  PRIMARY KEY (series, `time`)) ENGINE=InnoDB;\n\
                  SELECT DATE_FORMAT(time, '%Y') AS y, count(*) AS n FROM readings GROUP BY 1;\n\
                  SELECT value, FROM readings;\nSELEC value FROM readings;\n\
                  SELECT max(value) AS m FROM readings;\n";
    let question = "SELECT date_format(time, '%Y') AS y, count(*) AS n FROM readings GROUP BY 1";
    let bench = bench(&[("s.sql", schema), ("q.sql", question)]);
    bench
        .bakeoff(&["init", "s.sql", "--out", "new.toml"])
        .expect(0)
        .says("no question: `SELECT DATE_FORMAT(time, '...')")
        .says("PostgreSQL has other formats than")
        .says("no question: `SELECT value, FROM readings`: there is a comma before FROM")
        .says("no question: line 4: no statement begins with `SELEC`; did you mean `SELECT`?");
    let written = text(&bench, "new.toml");
    assert_eq!(written.matches("[[queries]]").count(), 1, "{written}");
    bench
        .bakeoff(&["run", "new.toml", "--rows", "100", "--dry-run"])
        .expect(0);
    // What is asked for is kept, without the designs that cannot be asked it.
    let init = [
        "init",
        "readings.csv",
        "--questions",
        "q.sql",
        "--out",
        "asked.toml",
    ];
    bench.bakeoff(&init).expect(0).says(
        "postgres/plain is not among the designs: query question_1: PostgreSQL has other formats",
    );
    let written = text(&bench, "asked.toml");
    assert!(
        written.contains("date_format(time") && !written.contains("\"postgres/plain\""),
        "{written}"
    );
    run_without_servers(&bench, "asked.toml");
}
