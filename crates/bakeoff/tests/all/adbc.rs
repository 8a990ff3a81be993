//! Runs with designs on ADBC drivers: killed and gone on with, with another file of drivers, and what is refused
//! before anything is loaded. The driver is that of SQLite; where it is not installed, what needs it prints why it
//! is skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::Path;

use bakeoff_testing::adbc_driver;

use crate::support::going_on::{all_is_right, kill_while_loading};
use crate::support::{Bench, Ended, READINGS, WORKLOAD, of_kind};

const HOSTS: &str = r#"
title = "t"
designs = ["adbc/sqlite", "adbc/sqlite?index=on", "parquet"]
[data]
generator = "devops"
hosts = 5
[concurrent]
permutations = 5
[[queries]]
name = "highest"
sql = """
SELECT date_trunc('minute', time) AS minute, max(usage_user) AS highest FROM cpu
WHERE hostname = ${host} GROUP BY date_trunc('minute', time) ORDER BY minute
"""
parameters = { host = { column = "hostname" } }
[queries.engine_sql]
sqlite = """
SELECT substr(time, 1, 16) || ':00' AS minute, max(usage_user) AS highest FROM cpu
WHERE hostname = ${host} GROUP BY substr(time, 1, 16) ORDER BY minute
"""
[[queries]]
name = "hour"
sql = """
SELECT hostname, time, usage_user FROM cpu
WHERE time >= ${hour.begin} AND time < ${hour.end} ORDER BY hostname, time
"""
parameters = { hour = { window = "1h" } }
[[queries]]
name = "rows"
sql = "SELECT hostname, count(*) AS n, avg(usage_user) AS mean FROM cpu GROUP BY hostname ORDER BY hostname"
"#;

/// Questions with functions that SQLite does not have.
const TRANSLATED: &str = r#"
title = "t"
designs = ["adbc/sqlite", "parquet"]
[data]
generator = "devops"
hosts = 5
[[queries]]
name = "bins"
sql = "SELECT date_bin(INTERVAL '10 minutes', time) AS bin, count(*) AS n FROM cpu GROUP BY bin ORDER BY bin"
[[queries]]
name = "minutes"
sql = """
SELECT date_trunc('hour', time) AS begin_of, extract(minute FROM time) AS part, max(usage_user) AS most FROM cpu
GROUP BY begin_of, part
"""
[[queries]]
name = "newest"
sql = "SELECT DISTINCT ON (hostname) * FROM cpu ORDER BY hostname, time DESC"
[[queries]]
name = "highest"
sql = """
SELECT max(usage_user)::double AS most, strpos(min(hostname), '_') AS place FROM cpu WHERE hostname = ${host}
"""
parameters = { host = { column = "hostname" } }
[[queries]]
name = "patterns"
sql = """
SELECT count(*) FILTER (WHERE hostname LIKE 'HOST%') AS capitals, count(*) FILTER (WHERE team LIKE 'S_') AS teams,
count(*) FILTER (WHERE hostname ILIKE 'HOST\\_%') AS escaped, count(*) FILTER (WHERE hostname LIKE ${host}) AS own
FROM cpu
"""
parameters = { host = { column = "hostname" } }
[[queries]]
name = "cut"
sql = "SELECT CAST(usage_user / 4 AS INT) AS quarter, count(*) AS n FROM cpu GROUP BY quarter"
"#;

const RUN: [&str; 10] = [
    "run",
    "w.toml",
    "--adbc",
    "drivers.toml",
    "--rows",
    "60k",
    "--rounds",
    "3",
    "--out",
    "out",
];

/// A file that names a driver as that of SQLite.
fn drivers(library: &Path) -> String {
    format!(
        "[sqlite]\nlibrary = \"{}\"\ndialect = \"sqlite\"\n[sqlite.options]\n\
         uri = \"file:${{folder}}/table.db\"\n[sqlite.statements]\n\
         \"adbc.sqlite.query.batch_rows\" = 65536\n",
        library.display()
    )
}

fn bench(workload: &str) -> Option<Bench> {
    let library = adbc_driver("sqlite")?;
    let bench = Bench::new(workload, READINGS);
    std::fs::write(bench.path("drivers.toml"), drivers(&library)).unwrap();
    Some(bench)
}

#[test]
fn a_run_that_is_killed_goes_on_to_its_end_with_the_same_file_only() {
    let Some(bench) = bench(HOSTS) else {
        return;
    };
    kill_while_loading(&bench, &RUN, "adbc/sqlite");
    let file = std::fs::read_to_string(bench.path("drivers.toml")).unwrap();
    let other = file.replace("65536", "32768");
    std::fs::write(bench.path("drivers.toml"), other).unwrap();
    let refused = bench.bakeoff(&RUN).expect(1);
    refused.says("holds an unfinished run of another command");
    std::fs::write(bench.path("drivers.toml"), &file).unwrap();
    bench.bakeoff(&RUN).expect(0).says("going on with the run");
    let records = bench.journal("out");
    all_is_right(&records, 3 * 3 * 3);
    let footprint = of_kind(&records, "footprint").find(|r| r["design"] == "adbc/sqlite");
    assert!(footprint.unwrap()["file_bytes"].as_u64().unwrap() > 100_000);
    assert!(!bench.path("out/adbc").exists());
    let report = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    for words in ["ADBC SQLite Driver", "libadbc_driver_sqlite.so"] {
        assert!(report.contains(words), "{words}");
    }
}

#[test]
fn questions_are_translated_into_the_dialect_of_a_driver() {
    let Some(bench) = bench(TRANSLATED) else {
        return;
    };
    let run = [
        &RUN[..5],
        &["2k", "--rounds", "1", "--no-concurrent", "--out", "out"],
    ]
    .concat();
    bench.bakeoff(&run).expect(0);
    all_is_right(&bench.journal("out"), 2 * 6);
}

#[test]
fn a_secret_is_in_no_file_of_a_run() {
    let Some(bench) = bench(HOSTS) else {
        return;
    };
    let file = std::fs::read_to_string(bench.path("drivers.toml")).unwrap();
    let secret = "file:${folder}/of-nobody-but-me.db";
    let variable = file.replace(
        "uri = \"file:${folder}/table.db\"",
        "uri_env = \"URI_OF_MINE\"",
    );
    assert_ne!(variable, file);
    std::fs::write(bench.path("drivers.toml"), variable).unwrap();
    let arguments = [
        "run",
        "w.toml",
        "--adbc",
        "drivers.toml",
        "--designs",
        "adbc/sqlite",
        "--rows",
        "2k",
        "--rounds",
        "1",
        "--out",
        "out",
    ];
    bench
        .bakeoff(&arguments)
        .expect(1)
        .says("the environment variable URI_OF_MINE, which an option is to have its value from, is not set");
    let mut command = bench.command(&arguments);
    command.env("URI_OF_MINE", secret);
    Ended::of(command.output().unwrap()).expect(0);
    for file in ["journal.jsonl", "report.html", "run.json"] {
        let text = std::fs::read_to_string(bench.path("out").join(file)).unwrap();
        assert!(!text.contains("of-nobody-but-me"), "{file}");
        assert!(text.contains("URI_OF_MINE"), "{file}");
    }
}

#[test]
fn a_password_that_a_driver_repeats_is_in_no_output() {
    let Some(library) = adbc_driver("postgresql") else {
        return;
    };
    let bench = Bench::new(HOSTS, READINGS);
    let file = format!(
        "[sqlite]\nlibrary = \"{}\"\ndialect = \"postgres\"\n[sqlite.options]\n\
         uri_env = \"SERVER_URI\"\n",
        library.display()
    );
    std::fs::write(bench.path("drivers.toml"), file).unwrap();
    let mut command = bench.command(&[
        "run",
        "w.toml",
        "--adbc",
        "drivers.toml",
        "--rows",
        "2k",
        "--rounds",
        "1",
        "--out",
        "out",
    ]);
    // The password is not encoded as it should be, which the driver tells with all of it.
    let uri = "postgresql://me:hunter%2@127.0.0.1:1/db?application_name=${schema}";
    command.env("SERVER_URI", uri);
    let ended = Ended::of(command.output().unwrap()).expect(3);
    ended.says("[sqlite] cannot be used: ");
    ended.says("the value of SERVER_URI");
    let mut texts = vec![ended.stdout.clone(), ended.stderr.clone()];
    for file in ["journal.jsonl", "report.html", "run.json"] {
        texts.push(std::fs::read_to_string(bench.path("out").join(file)).unwrap());
    }
    for text in texts {
        assert!(!text.contains("hunter"), "{text}");
    }
}

#[test]
fn a_dry_run_tells_the_library_and_every_statement() {
    let bench = Bench::new(HOSTS, READINGS);
    let file = drivers(Path::new("/opt/libadbc_driver_sqlite.so"));
    std::fs::write(bench.path("drivers.toml"), file).unwrap();
    let shown = bench.bakeoff(&["run", "w.toml", "--adbc", "drivers.toml", "--dry-run"]);
    let shown = shown.expect(0);
    for words in [
        "and load /opt/libadbc_driver_sqlite.so into separate processes",
        "ADBC bulk ingest that creates \"cpu\"",
        "CREATE INDEX IF NOT EXISTS bakeoff_key ON \"cpu\" (\"hostname\", \"time\")",
        "highest of adbc/sqlite: SELECT substr(time, 1, 16)",
    ] {
        shown.says(words);
    }
    assert!(!bench.path("out").exists() && !bench.path("runs").exists());
}

/// Runs the workload with this file of drivers, or without any.
fn run_with(bench: &Bench, file: Option<&str>) -> Ended {
    let mut run = vec![
        "run", "w.toml", "--rows", "2k", "--rounds", "1", "--out", "out",
    ];
    if let Some(text) = file {
        std::fs::write(bench.path("drivers.toml"), text).unwrap();
        run.extend(["--adbc", "drivers.toml"]);
    }
    bench.bakeoff(&run)
}

#[test]
fn a_design_of_a_driver_that_nothing_names_is_refused_before_anything_is_made() {
    let bench = Bench::new(HOSTS, READINGS);
    let other = drivers(Path::new("text.so")).replace("sqlite", "other");
    let other = other.replace("dialect = \"other\"", "");
    for (file, words) in [
        (None, "with `--adbc FILE` of `bakeoff run`"),
        (
            Some(other.as_str()),
            "names no driver `sqlite`; it has other",
        ),
    ] {
        run_with(&bench, file).expect(2).says(words);
        assert!(!bench.path("out").exists(), "{words}");
    }
    let known = drivers(Path::new("text.so"));
    std::fs::write(bench.path("drivers.toml"), known).unwrap();
    let chosen = ["--adbc", "drivers.toml", "--designs", "adbc/sqlit"];
    for more in [&[][..], &["--dry-run"]] {
        let run = [&["run", "w.toml"], &chosen[..], more].concat();
        let ended = bench.bakeoff(&run).expect(2);
        ended.says("names no driver `sqlit` (did you mean `sqlite`?); it has sqlite");
    }
    assert!(!bench.path("runs").exists());
}

#[test]
fn a_library_that_cannot_be_read_fails_its_designs_alone() {
    let bench = Bench::new(HOSTS, READINGS);
    std::fs::write(bench.path("text.so"), "text").unwrap();
    let text = drivers(Path::new("text.so"));
    let missing = drivers(Path::new("missing.so"));
    for (file, words) in [
        (&text, "text.so of [sqlite] is no library of Linux"),
        (
            &missing,
            "missing.so of [sqlite] cannot be read: No such file",
        ),
    ] {
        run_with(&bench, Some(file)).expect(3).says(words);
        let records = bench.journal("out");
        assert_eq!(of_kind(&records, "failed").count(), 2);
        let mut timed = of_kind(&records, "timed");
        assert!(timed.all(|r| r["design"] == "parquet"));
        std::fs::remove_dir_all(bench.path("out")).unwrap();
    }
}

#[test]
fn a_file_that_cannot_be_meant_is_refused_before_anything_is_made() {
    let bench = Bench::new(HOSTS, READINGS);
    let file = drivers(Path::new("text.so"));
    let password = file.replace("uri =", "password = \"x\"\nuri =");
    let name = file.replace("[sqlite", "[\"a b\"");
    let placeholder = file.replace("${folder}", "${dir}");
    for (text, words) in [
        ("[sqlite", "drivers.toml: "),
        (password.as_str(), "`password` has a secret"),
        (name.as_str(), "`a b` cannot be the name of a driver"),
        (placeholder.as_str(), "there are ${folder} and ${schema}"),
    ] {
        run_with(&bench, Some(text)).expect(2).says(words);
        assert!(!bench.path("out").exists(), "{words}");
    }
    let writing = HOSTS.replace("SELECT substr", "DELETE FROM cpu; SELECT substr");
    let bench = Bench::new(&writing, READINGS);
    let ended = run_with(&bench, None).expect(2);
    ended.says("its SQL for sqlite: these are several statements");
}

#[test]
fn other_commands_refuse_such_designs() {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench
        .bakeoff(&["sweep", "w.toml", "--designs", "adbc/sqlite", "--dry-run"])
        .expect(2)
        .says("design adbc/sqlite: it takes no inserts from several workers");
    bench
        .bakeoff(&["drive", "readings", "--designs", "adbc/sqlite", "--dry-run"])
        .expect(2)
        .says("adbc has no point operations");
}
