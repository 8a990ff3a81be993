//! What can be known before a server is started is found before: nothing is started, no folder is
//! made, and the message says what to do.

mod editions;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::processes::{Going, catches_interruptions};
use crate::support::{Bench, Ended, READINGS, WORKLOAD, of_kind};

/// With the programs of a PostgreSQL that say their version, and leave a file where they are asked
/// for more, as for a start they are.
struct Watched {
    bench: Bench,
}

impl Watched {
    fn new(workload: &str, readings: &str) -> Watched {
        let watched = Watched {
            bench: Bench::new(workload, readings),
        };
        // The account that a server runs as has to reach them.
        open_to_all(watched.bench.dir.path());
        std::fs::create_dir(watched.path("started")).unwrap();
        std::fs::set_permissions(watched.path("started"), mode(0o777)).unwrap();
        std::fs::create_dir(watched.path("bin")).unwrap();
        for program in ["postgres", "initdb", "pg_config"] {
            let script = format!(
                "#!/bin/sh\ncase \"$1\" in\n--version) echo 'postgres (PostgreSQL) 17.5' ;;\n\
                 --sharedir) echo /nowhere ;;\n*) touch '{}/{program}'; exit 1 ;;\nesac\n",
                watched.path("started").display()
            );
            let path = watched.path("bin").join(program);
            std::fs::write(&path, script).unwrap();
            std::fs::set_permissions(&path, mode(0o755)).unwrap();
        }
        open_to_all(&watched.path("bin"));
        watched
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.bench.path(name)
    }

    fn bakeoff(&self, arguments: &[&str]) -> Ended {
        let mut command = self.bench.command(arguments);
        command.env("BAKEOFF_POSTGRES_BIN", self.path("bin"));
        Ended::of(command.output().unwrap())
    }

    fn has_started_something(&self) -> bool {
        std::fs::read_dir(self.path("started"))
            .unwrap()
            .next()
            .is_some()
    }

    /// Refused before anything was started or made.
    #[track_caller]
    fn refuses(&self, arguments: &[&str], words: &[&str]) {
        self.ends_before_anything(1, arguments, words);
    }

    #[track_caller]
    fn is_misused(&self, arguments: &[&str], words: &[&str]) {
        self.ends_before_anything(2, arguments, words);
    }

    #[track_caller]
    fn ends_before_anything(&self, code: i32, arguments: &[&str], words: &[&str]) {
        let ended = self.bakeoff(arguments).expect(code);
        for words in words {
            ended.says(words);
        }
        assert!(!self.has_started_something(), "{}", ended.stderr);
        assert!(!self.path("runs").exists() && !self.path("out").exists());
    }
}

fn mode(mode: u32) -> std::fs::Permissions {
    std::fs::Permissions::from_mode(mode)
}

fn open_to_all(folder: &Path) {
    std::fs::set_permissions(folder, mode(0o755)).unwrap();
}

/// The workload for designs that need a server of their own.
fn on_servers() -> String {
    let designs = "[\"parquet?codec=zstd\", \"parquet?codec=snappy\", \"memory\"]";
    assert!(WORKLOAD.contains(designs));
    WORKLOAD.replace(designs, "[\"postgres/plain\", \"memory\"]")
}

const RUN: [&str; 4] = ["run", "w.toml", "--rounds", "1"];

#[test]
fn without_a_mistake_the_server_would_be_started() {
    let watched = Watched::new(&on_servers(), READINGS);
    watched.bakeoff(&RUN).expect(3);
    assert!(
        watched.has_started_something(),
        "the other tests notice nothing"
    );
}

#[test]
fn a_cell_that_does_not_fit_its_column() {
    let bad = format!("{READINGS}b,2024-01-03T00:00:00,NA\n");
    let words = [
        "readings.csv, line 6: column `value`: `NA` is not a double",
        "say `null = [\"NA\"]` in [data]",
    ];
    Watched::new(&on_servers(), &bad).refuses(&RUN, &words);
    let without_key = format!("{READINGS},2024-01-03T00:00:00,1\n");
    let words = ["line 6: column `series`: no value, but it is in the key"];
    Watched::new(&on_servers(), &without_key).refuses(&RUN, &words);
    let no_time = format!("{READINGS}b,03.01.2024,1\n");
    let words = ["line 6: column `time`: `03.01.2024` is not a timestamp"];
    Watched::new(&on_servers(), &no_time).refuses(&RUN, &words);
    let missing = READINGS.replace("value", "reading");
    let words = ["the file has no column `value`"];
    Watched::new(&on_servers(), &missing).refuses(&RUN, &words);
}

#[test]
fn an_answer_that_is_not_the_expected_one() {
    let sql = "sql = \"SELECT series, time, value FROM readings\"";
    let expecting = on_servers().replace(
        sql,
        "sql = \"SELECT count(*) AS n FROM readings\"\nexpect = { rows = 4, answer = [[5]] }",
    );
    assert!(expecting.contains("expect"));
    Watched::new(&expecting, READINGS).refuses(
        &RUN,
        &["query all: over the first 4 rows the workload file expects another answer"],
    );
}

/// A row for each of 2,000 days.
fn days() -> String {
    let mut text = "series,time,value\n".to_owned();
    for day in 0..2_000_i64 {
        text.push_str(&format!("a,{},1\n", 1_000_000_000_000 + day * 86_400_000));
    }
    text
}

#[test]
fn ranges_that_need_too_many_tables() {
    let hypertable = "timescale/hypertable?chunk=12h";
    let workload = on_servers()
        .replace("postgres/plain", hypertable)
        .replace("rows = 1000", "rows = 5000");
    let words = [hypertable, "more than 1000 tables", "take chunk=7d"];
    let watched = Watched::new(&workload, &days());
    watched.is_misused(&RUN, &words);
    watched.is_misused(&["run", "w.toml", "--dry-run"], &words);
    let partitioned = workload.replace(hypertable, "postgres/partitioned?width=1h");
    Watched::new(&partitioned, &days())
        .is_misused(&RUN, &["postgres/partitioned", "take width=7d"]);
    let grid = ["--batches", "10,1000", "--workers", "1"];
    watched.is_misused(&[&["sweep", "w.toml"], &grid[..]].concat(), &words);
    let both = workload.replace(
        hypertable,
        "timescale/hypertable?chunk=12h\", \"postgres/partitioned?width=1h",
    );
    let each = [
        hypertable,
        "take chunk=7d",
        "postgres/partitioned",
        "take width=7d",
    ];
    Watched::new(&both, &days()).is_misused(&RUN, &each);
    // No more rows than have tables.
    let dry = ["run", "w.toml", "--dry-run", "--rows", "900"];
    watched.bakeoff(&dry).expect(0);
}

#[test]
fn ranges_of_generated_rows() {
    let workload = "designs = [\"timescale/hypertable?chunk=1\"]\n[data]\ngenerator = \"sensor\"\n\
                    [[queries]]\nname = \"mean\"\nsql = \"SELECT avg(value) FROM sensor\"\n";
    let watched = Watched::new(workload, READINGS);
    watched.is_misused(&RUN, &["more than 1000 tables", "take chunk="]);
}

#[test]
fn a_run_folder_that_cannot_be_used() {
    let watched = Watched::new(&on_servers(), READINGS);
    std::fs::write(watched.path("file"), "").unwrap();
    let with_out = |out: &'static str| ["run", "w.toml", "--out", out];
    watched.refuses(
        &with_out("file"),
        &["name a folder, not a file, with --out"],
    );
    watched.refuses(
        &with_out("file/below"),
        &["name a folder, not a file, with --out"],
    );
    std::fs::create_dir(watched.path("mine")).unwrap();
    std::fs::write(watched.path("mine/thesis.txt"), "").unwrap();
    watched.refuses(&with_out("mine"), &["is not empty and holds no run"]);
    let before: Vec<_> = std::fs::read_dir(watched.path("mine")).unwrap().collect();
    assert_eq!(before.len(), 1, "nothing is put beside it");
    watched.refuses(&with_out("/proc/bakeoff"), &["/proc/bakeoff"]);
}

#[test]
fn engines_of_which_none_is_there() {
    let workload = on_servers().replace(", \"memory\"", "");
    let watched = Watched::new(&workload, READINGS);
    std::fs::remove_file(watched.path("bin/postgres")).unwrap();
    watched.refuses(
        &RUN,
        &[
            "none of the designs can run here",
            "apt-get install postgresql",
            "BAKEOFF_POSTGRES_BIN",
        ],
    );
    let elsewhere = [
        "run",
        "w.toml",
        "--postgres",
        "postgresql://me@127.0.0.1:1/d",
    ];
    watched.refuses(
        &elsewhere,
        &["cannot connect to PostgreSQL at me@127.0.0.1:1/d"],
    );
}

#[test]
fn an_engine_that_is_missing_is_told_before_others_are_started_and_fails_its_designs_only() {
    let workload = on_servers().replace("\"memory\"", "\"memory\", \"timescale/hypertable\"");
    let watched = Watched::new(&workload, READINGS);
    let ended = watched
        .bakeoff(&["run", "w.toml", "--rounds", "1", "--out", "out"])
        .expect(3);
    let told = ended
        .stderr
        .find("timescale: TimescaleDB is not installed")
        .unwrap();
    let started = ended.stderr.find("postgres: ").unwrap();
    assert!(told < started, "{}", ended.stderr);
    let records = watched.bench.journal("out");
    let failed: Vec<_> = of_kind(&records, "failed")
        .map(|r| r["design"].as_str().unwrap())
        .collect();
    assert_eq!(failed, ["postgres/plain", "timescale/hypertable"]);
}

#[test]
fn a_server_without_the_memory_that_it_needs() {
    let workload = format!("{}\n[server]\nheap = \"100MiB\"\n", on_servers())
        .replace("\"postgres/plain\", \"memory\"", "\"cassandra/wide\"");
    let words = [
        "none of the designs can run here",
        "a heap of at least 512 MiB",
    ];
    Watched::new(&workload, READINGS).refuses(&RUN, &words);
}

#[test]
fn dates_that_are_numbers_are_doubted_and_the_doubt_is_in_the_report() {
    let dates = "series,time,value\na,19580329,1\na,19580405,2\n";
    let bench = Bench::new(
        &WORKLOAD.replace("designs = [", "designs = [\"memory\"]#"),
        dates,
    );
    let ended = bench
        .bakeoff(&["run", "w.toml", "--rounds", "1", "--out", "out"])
        .expect(0);
    let doubt = "all times of the first 2 rows lie within a day of 1970-01-01";
    assert!(
        ended.stderr.contains("warning: column `time`: all times"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains(doubt) && ended.stdout.contains("1970-01-01"));
    let records = bench.journal("out");
    let mut warnings = of_kind(&records, "warning");
    assert!(warnings.any(|w| w["message"].as_str().unwrap().contains(doubt)));
}

#[test]
fn a_budget_says_of_how_many_rows_it_allowed_how_many() {
    let mut readings = "series,time,value\n".to_owned();
    for row in 0..12_000 {
        readings.push_str(&format!("a,{},1.5\n", 1_700_000_000_000_i64 + row * 1_000));
    }
    let workload = WORKLOAD.replace("designs = [", "designs = [\"memory\"]#");
    let bench = Bench::new(&workload, &readings);
    // It is over when loading begins: one slice is loaded in any case.
    let run = [
        "run", "w.toml", "--budget", "1ms", "--rounds", "1", "--out", "out",
    ];
    let ended = bench.bakeoff(&run).expect(0);
    ended.says("loaded 5000 of 12000 rows, its part of the budget allowed no more");
    ended.says("5,000 of 12,000 rows of 3 columns");
    ended.says("! 5,000 of 12,000 rows were loaded: the budget allowed no more");
    let all = [
        "run", "w.toml", "--rows", "all", "--rounds", "1", "--out", "all",
    ];
    let ended = bench.bakeoff(&all).expect(0);
    ended
        .says("loaded 12000 rows (")
        .says("12,000 rows of 3 columns");
}

#[test]
fn rows_that_the_server_does_not_cache_are_told_before_it_is_started() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let design = "cassandra/wide?caching=rows:100";
    let told = format!("warning: design {design}: caching= keeps no rows");
    for command in ["run", "sweep"] {
        let asked = [command, "w.toml", "--designs", design, "--dry-run"];
        let ended = bench.bakeoff(&asked).expect(0);
        assert!(ended.stderr.contains(&told), "{}", ended.stderr);
        // A cluster of others may have a row cache.
        let ended = bench
            .bakeoff(&[&asked[..], &["--cassandra", "db1"]].concat())
            .expect(0);
        assert!(!ended.stderr.contains("caching="), "{}", ended.stderr);
    }
}

#[test]
fn where_the_only_design_failed_nothing_else_is_told() {
    let watched = Watched::new(&on_servers(), READINGS);
    let run = ["run", "w.toml", "--designs", "postgres/plain"];
    let ended = watched.bakeoff(&run).expect(1);
    for silly in ["warmed up", "measured", "settled", "verified", "loaded"] {
        assert!(!ended.stderr.contains(silly), "{silly}: {}", ended.stderr);
    }
}

#[test]
fn an_interruption_while_engines_are_checked_starts_nothing() {
    let workload = WORKLOAD.replacen("designs = [", "designs = [\"cassandra/wide\", ", 1);
    let bench = Bench::new(&workload, READINGS);
    // A Java that never says its version.
    let java = bench.path("java/bin/java");
    std::fs::create_dir_all(java.parent().unwrap()).unwrap();
    let asked = bench.path("asked");
    let script = format!("#!/bin/sh\ntouch '{}'\nexec sleep 600\n", asked.display());
    std::fs::write(&java, script).unwrap();
    std::fs::set_permissions(&java, mode(0o755)).unwrap();
    for command in ["run", "sweep"] {
        let mut command = bench.command(&[command, "w.toml", "--out", "out"]);
        command.env("JAVA_HOME", bench.path("java"));
        let mut going = Going::start(&mut command);
        let id = going.id();
        going.wait_until("Java was asked", || {
            asked.exists() && catches_interruptions(id)
        });
        going.interrupt();
        let ended = going.end().expect(130);
        ended.says("interrupted: nothing was started");
        assert!(!bench.path("out").exists());
        std::fs::remove_file(&asked).unwrap();
    }
}
