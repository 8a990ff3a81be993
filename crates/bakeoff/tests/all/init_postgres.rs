//! `bakeoff init` of live tables of a real PostgreSQL: what is read, held and left out, and what cannot be.
//! Where it is not installed this prints why it is skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio_postgres::Client;

use crate::support::going_on::run_without_servers;
use crate::support::postgres::PostgresOfOthers;
use crate::support::{Bench, Ended, READINGS, WORKLOAD};

/// The role that reads.
const ROLE: &str = "reader";
const PASSWORD: &str = "of the reader";

/// A PostgreSQL of somebody else, with a connection of its superuser.
struct Database {
    bench: Bench,
    postgres: PostgresOfOthers,
    client: Client,
    url: String,
}

impl Database {
    /// `None` where PostgreSQL is not available.
    fn start() -> Option<Database> {
        let bench = Bench::new(WORKLOAD, READINGS);
        if !bench.has("postgres") {
            return None;
        }
        let postgres = PostgresOfOthers::start(&[]);
        let database = Database {
            bench,
            url: format!("postgres://{ROLE}@{}/postgres", postgres.server.address()),
            client: postgres.client(),
            postgres,
        };
        database.sql(&format!("CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD}'"));
        Some(database)
    }

    fn sql(&self, sql: &str) {
        let done = self
            .postgres
            .runtime
            .block_on(self.client.batch_execute(sql));
        done.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }

    /// Writes a workload for a table into a file.
    fn init(&self, table: &str, out: &str, more: &[&str]) -> Ended {
        let arguments = ["init", &self.url, "--table", table, "--out", out];
        let mut command = self.bench.command(&[&arguments[..], more].concat());
        command.env("BAKEOFF_POSTGRES_PASSWORD", PASSWORD);
        Ended::of(command.output().unwrap())
    }

    fn written(&self, out: &str) -> String {
        std::fs::read_to_string(self.bench.path(out)).unwrap()
    }

    fn stop(self) {
        drop(self.postgres.stop());
    }
}

#[test]
fn a_live_table_becomes_a_workload_that_runs() {
    let Some(database) = Database::start() else {
        return;
    };
    database.sql(
        "CREATE SCHEMA shop; GRANT USAGE ON SCHEMA shop TO reader; \
         CREATE TYPE mood AS ENUM ('low', 'high'); \
         CREATE TABLE shop.\"Readings\" (\"deviceId\" uuid, at timestamptz, part int2, value real, \
         price numeric(10, 2), large numeric(30, 0), day date, clock time, ip inet, mood mood, flag boolean, \
         note varchar(20), tags text[], doc jsonb, raw bytea, span interval, hidden int, \
         PRIMARY KEY (\"deviceId\", at, part)); \
         INSERT INTO shop.\"Readings\" SELECT ('00000000-0000-0000-0000-00000000000' || n % 3)::uuid, \
         timestamptz '2024-01-01' + n * interval '1 minute', 0, n + 0.5, n + 0.25, n * 10000000000000000000, \
         '2024-01-01', '08:00', '10.0.0.1', 'low', true, 'a, \"b\"', '{x}', '{}', '\\x01', '1 day', 1 \
         FROM generate_series(0, 59) AS n; \
         INSERT INTO shop.\"Readings\" (\"deviceId\", at, part) \
         VALUES ('00000000-0000-0000-0000-000000000001', 'infinity', 0); \
         CREATE INDEX ON shop.\"Readings\" (at)",
    );
    let columns = "\"deviceId\", at, part, value, price, large, day, clock, ip, mood, flag, note, tags, doc, raw, span";
    database.sql(&format!(
        "GRANT SELECT ({columns}) ON shop.\"Readings\" TO reader"
    ));
    let ended = database.init("shop.Readings", "mine.toml", &[]).expect(0);
    ended
        .says("60 sampled rows")
        .says("key (deviceid, at, part)")
        .says("1 sampled rows were left out: their time in the key is infinite");
    let text = database.written("mine.toml");
    for words in [
        "# Rows of shop.Readings at reader@127.0.0.1:",
        "# Sample: all 61 rows that were there.",
        "name = \"readings\"",
        "partition_key = [\"deviceid\"]",
        "order_key = [\"at\", \"part\"]",
        "deviceid = \"uuid\" # uuid in the table",
        "at = \"timestamp\" # timestamp with time zone in the table, held in UTC",
        "value = \"float\" # real in the table",
        "price = \"double\" # numeric(10,2) in the table, held as double",
        "large = \"text\" # numeric(30,0) in the table, held as text",
        "day = \"timestamp\" # date in the table",
        "clock = \"text\" # time without time zone in the table",
        "mood = \"text\" # mood in the table",
        "# left out: `tags` (text[]): an array",
        "# left out: `doc` (jsonb): a document",
        "# left out: `raw` (bytea)",
        "# left out: `span` (interval)",
        "# left out: `hidden` (integer): the user of the address has no right to read it",
        "file = \"mine.parquet\"",
        "baseline = \"postgres/plain?time-index=on\"",
    ] {
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
    assert!(!text.contains(PASSWORD), "{text}");
    run_without_servers(&database.bench, "mine.toml");
    // In one command, without a server to measure on.
    let decide = [
        "decide",
        &database.url,
        "--table",
        "shop.Readings",
        "--budget",
        "5s",
    ];
    let mut command = database.bench.command_without_servers(&decide);
    command.env("BAKEOFF_POSTGRES_PASSWORD", PASSWORD);
    let ended = Ended::of(command.output().unwrap());
    assert!(
        [Some(0), Some(3)].contains(&ended.code),
        "{}\n{}",
        ended.stdout,
        ended.stderr
    );
    ended.says("60 sampled rows").says("To fill them:\n");
    let text = database.written("runs/Readings-decide/workload.toml");
    assert!(text.contains("file = \"workload.parquet\""), "{text}");
    let note = database.written("runs/Readings-decide/decide.txt");
    assert!(!format!("{text}{note}").contains(PASSWORD));
    database.stop();
}

#[test]
fn a_part_of_a_table_is_from_all_of_its_pages() {
    let Some(database) = Database::start() else {
        return;
    };
    database.sql(
        "CREATE TABLE items (id int PRIMARY KEY, size bigint, note text); \
         INSERT INTO items SELECT n, n, repeat('x', 100) FROM generate_series(1, 60000) AS n; \
         GRANT SELECT ON items TO reader",
    );
    // Without statistics, and then with them.
    for (out, words) in [
        ("probed.toml", "since the table was never analyzed"),
        ("analyzed.toml", "from PostgreSQL's statistics (reltuples)"),
    ] {
        database.init("items", out, &["--sample", "2000"]).expect(0);
        let text = database.written(out);
        let of = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            let number = line.split(' ').nth(2).unwrap();
            number.parse::<u64>().unwrap()
        };
        let (rows, all) = (of("rows"), of("full_rows"));
        assert!((500..=2_500).contains(&rows), "{text}");
        // A few pages too many or too few are probed by chance.
        assert!((35_000..=90_000).contains(&all), "{text}");
        for words in ["TABLESAMPLE SYSTEM", words, "partition_key = [\"id\"]"] {
            assert!(text.contains(words), "`{words}` is not in: {text}");
        }
        database.sql("ANALYZE items");
    }
    database.stop();
}

#[test]
fn tables_of_which_nothing_can_be_made_say_why() {
    let Some(database) = Database::start() else {
        return;
    };
    database.sql(
        "CREATE TABLE nothing (id int PRIMARY KEY); CREATE TABLE secret (id int PRIMARY KEY); \
         INSERT INTO secret VALUES (1); CREATE TABLE arrays (id int[] PRIMARY KEY); \
         CREATE TABLE alone (id int PRIMARY KEY, value float8); INSERT INTO alone VALUES (1, 1.5); \
         CREATE TABLE keyless (name text, size int); INSERT INTO keyless VALUES ('a', 1), ('a', 1); \
         CREATE TABLE times (name text, at timestamp); INSERT INTO times VALUES ('a', '2024-01-01'), \
         ('a', '2024-01-02'); CREATE VIEW seen AS SELECT * FROM times; \
         GRANT SELECT ON nothing, arrays, alone, keyless, times, seen TO reader",
    );
    for (table, code, words) in [
        ("nothin", 2, "did you mean `nothing`?"),
        ("public.nothin", 2, "did you mean `public.nothing`?"),
        ("a.b.c", 2, "a table is SCHEMA.TABLE"),
        ("nothing", 2, "public.nothing is empty"),
        ("secret", 1, "GRANT SELECT ON public.secret"),
        ("arrays", 2, "`id` is in the key, and its type is integer[]"),
        ("keyless", 1, "--key COLUMN"),
    ] {
        database.init(table, "x.toml", &[]).expect(code).says(words);
        assert!(!database.bench.path("x.toml").exists(), "{table}");
        assert!(!database.bench.path("x.parquet").exists(), "{table}");
    }
    database
        .init("alone", "alone.toml", &[])
        .expect(0)
        .says("1 sampled row,");
    let keys = ["--key", "name", "--time", "at"];
    let named = database.init("times", "times.toml", &keys).expect(0);
    named.says("key (name, at)");
    let view = database.init("seen", "seen.toml", &[]).expect(0);
    view.says("2 sampled rows");
    assert!(
        database
            .written("seen.toml")
            .contains("No design is like it")
    );
    database.stop();
}

#[test]
fn a_table_that_changes_while_it_is_read_is_read_all_the_same() {
    let Some(database) = Database::start() else {
        return;
    };
    database.sql(
        "CREATE TABLE items (id int PRIMARY KEY, size int); \
         INSERT INTO items SELECT n, n FROM generate_series(1, 3000) AS n; GRANT SELECT ON items TO reader",
    );
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (runtime, client) = (&database.postgres.runtime, &database.client);
        let is_done = &is_done;
        scope.spawn(move || {
            for id in 1.. {
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
                // A row goes and another one comes.
                let sql = format!("UPDATE items SET id = id + 10000, size = 1 WHERE id = {id}");
                runtime.block_on(client.batch_execute(&sql)).unwrap();
            }
        });
        // So that it takes some seconds.
        let ended = database.init("items", "moving.toml", &["--rate-limit", "1000"]);
        is_done.store(true, Ordering::Relaxed);
        ended.expect(0).says("3,000 sampled rows, 2 columns");
    });
    database.stop();
}

#[test]
fn mistakes_are_told_before_anything_is_read() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let nowhere = "postgres://me@127.0.0.1:1/db";
    let table = ["--table", "a.b", "--out", "x.toml"];
    for (arguments, code, words) in [
        (
            vec![nowhere],
            1,
            "cannot connect to PostgreSQL at me@127.0.0.1:1/db",
        ),
        (
            vec!["postgres://127.0.0.1:1/db"],
            2,
            "the address names no user",
        ),
        (
            vec![nowhere, "--delimiter", ";"],
            2,
            "--delimiter says what a file is",
        ),
    ] {
        let ended = bench.bakeoff(&[&["init"][..], &arguments, &table].concat());
        ended.expect(code).says(words);
        assert!(!bench.path("x.toml").exists() && !bench.path("x.parquet").exists());
    }
    let unnamed = bench
        .bakeoff(&["init", nowhere, "--out", "x.toml"])
        .expect(2);
    unnamed.says("--table SCHEMA.TABLE");
    let secret = "postgres://me:hunter2@127.0.0.1:1/db";
    let refused = bench.bakeoff(&[&["init", secret][..], &table].concat());
    let refused = refused.expect(2);
    refused.says("BAKEOFF_POSTGRES_PASSWORD");
    assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
}
