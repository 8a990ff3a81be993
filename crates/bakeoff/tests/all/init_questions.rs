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
            "cut.log",
            "SELECT value FROM readings\nWHERE value > 1\nINSERT INTO readings VALUES (1)\nAND 2\n",
        ),
        (
            "general.log",
            "2026-05-01T00:00:00Z\t8 Query\tSELECT value FROM readings\n",
        ),
        (
            "asked.log",
            "SELECT value FROM readings\nSELECT time FROM readings\n",
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
        .bakeoff(&["init", "readings.csv", "--questions", "cut.log"])
        .expect(2)
        .says("or one statement in each line: line 2 is no statement");
    for command in ["init", "decide"] {
        bench
            .bakeoff(&[command, "asked.log"])
            .expect(2)
            .says("asked.log is a log of queries, which has no rows: name the rows of the table")
            .says("ROWS.csv --questions asked.log");
    }
    let as_rows = bench.bakeoff(&["init", "asked.log", "--no-header", "--delimiter", ";"]);
    assert!(!as_rows.stderr.contains("is a log"), "{}", as_rows.stderr);
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

#[test]
fn two_hundred_conditions_are_asked_and_thousands_are_refused_before_they_are_parsed() {
    let conditions = |number: usize| {
        let more = " OR value = 2".repeat(number);
        format!("SELECT count(*) AS n FROM readings WHERE value = 1{more}")
    };
    let list = format!(
        "SELECT count(*) AS listed FROM readings WHERE value IN (1{})",
        ", 2".repeat(10_000)
    );
    let asked = format!("{};\n{list};\n", conditions(200));
    let open = format!("{} OR series = 'a;\n", conditions(50_000));
    let nested = format!(
        "SELECT {}1{} AS n FROM readings;\n",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let long = conditions(50_000);
    let bench = bench(&[
        ("asked.sql", asked.as_str()),
        ("long.sql", long.as_str()),
        ("nested.sql", nested.as_str()),
        ("open.sql", open.as_str()),
    ]);
    let init = |questions: &str, out: &str| {
        let arguments = ["init", "readings.csv", "--questions", questions];
        bench.bakeoff(&[&arguments[..], &["--out", out]].concat())
    };
    init("asked.sql", "new.toml").expect(0);
    bench.bakeoff(&["verify", "new.toml"]).expect(0);
    for (questions, words) in [
        (
            "long.sql",
            "statement 1: it has about 50001 operators, conditions, joins and queries",
        ),
        ("nested.sql", "within each other or in one chain"),
        ("open.sql", "does not end: close it"),
    ] {
        init(questions, "not.toml").expect(2).says(words);
        assert!(!bench.path("not.toml").exists(), "{questions}");
    }
    // An argument of a command is shorter than a file may be.
    let short = conditions(5_000);
    let found = "it has about 5001 operators";
    bench
        .bakeoff(&["init", "readings.csv", "--question", &short])
        .expect(2)
        .says(found)
        .says("a IN (1, 2, 3) in place of a = 1 OR");
    bench.bakeoff(&["sql", &short]).expect(2).says(found);
    let written = text(&bench, "w.toml");
    let written = format!("{written}\n[[queries]]\nname = \"long\"\nsql = \"{long}\"\n");
    std::fs::write(bench.path("long.toml"), written).unwrap();
    for command in ["run", "verify", "propose", "decide", "sweep"] {
        bench
            .bakeoff(&[command, "long.toml"])
            .expect(2)
            .says("query long: it has about 50001 operators");
    }
}

#[test]
fn a_question_whose_answers_may_differ_where_rows_tie_is_noted_before_it_is_measured() {
    let questions = "-- name: newest\nSELECT last(value, time) AS v FROM readings;\n\
         -- name: of_each\nSELECT series, last(value, time) AS v FROM readings GROUP BY series;\n";
    let bench = bench(&[("ties.sql", questions)]);
    let init = [
        "init",
        "readings.csv",
        "--questions",
        "ties.sql",
        "--out",
        "ties.toml",
    ];
    let commands = [
        &init[..],
        &["verify", "ties.toml"],
        &["run", "ties.toml", "--dry-run"],
    ];
    for command in commands {
        let ended = bench.bakeoff(command).expect(0);
        ended.says("note: query newest: last_value takes the value of one of the rows of a group");
        assert!(!ended.stderr.contains("query of_each"), "{}", ended.stderr);
    }
}

#[test]
fn rows_are_ordered_by_the_only_one_of_several_times_that_questions_name() {
    let rows = (0..20).map(|trip| {
        let (vendor, begun) = (trip % 2, trip / 2);
        format!("{vendor},2026-05-01T10:{begun:02}:00,2026-05-01T11:{trip:02}:00\n")
    });
    let trips = format!("vendor,begun,ended\n{}", rows.collect::<String>());
    // Neither an alias nor a comment names a column.
    let newest = "SELECT vendor, max(begun) AS ended FROM trips GROUP BY vendor -- ended";
    let bench = bench(&[("trips.csv", trips.as_str()), ("q.sql", newest)]);
    let both = "SELECT max(ended) AS m FROM trips WHERE begun < '2026-05-02T00:00:00'";
    for (asked, key) in [
        (vec![], "key (vendor, ended)"),
        (vec!["--questions", "q.sql"], "key (vendor, begun)"),
        (vec!["--question", newest], "key (vendor, begun)"),
        (vec!["--question", both], "key (vendor, ended)"),
        (
            vec!["--questions", "q.sql", "--time", "ended"],
            "key (vendor, ended)",
        ),
    ] {
        let init = ["init", "trips.csv", "--key", "vendor"];
        let ended = bench.bakeoff(&[&init[..], &asked[..]].concat()).expect(0);
        ended.says(key);
    }
}
