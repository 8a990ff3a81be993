//! Runs that are killed on somebody's PostgreSQL, judged by its log of all statements.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bakeoff_engines::servers::list;
use bakeoff_testing::{Random, times};
use tokio_postgres::{Client, SimpleQueryMessage};

use super::statements::{PREFIX, Statement, judge, statements};
use super::user::{Theirs, User};
use crate::support::postgres::PostgresOfOthers;
use crate::support::processes::wait_until;
use crate::support::{Bench, READINGS};

/// The role that runs log in as. Everything else on the server is done by its owner.
const ROLE: &str = "bench";
const PASSWORD: &str = "of bench";
/// What others have there: one of their schemas is named as if it were ours.
const FOREIGN: [&str; 2] = ["shop", "bakeoff_w_plain_0badcafe"];
const TABLE_OF_OTHERS: &str = "orders";

const WORKLOAD: &str = "\
title = \"t\"
designs = [\"postgres/plain\", \"postgres/brin\", \"parquet\"]
[data]
generator = \"sensor\"
[[queries]]
name = \"mean\"
sql = \"SELECT avg(value) FROM sensor WHERE sensor_id = 10\"
[[queries]]
name = \"few\"
sql = \"SELECT time, value FROM sensor WHERE sensor_id = 10 AND time < 50 ORDER BY time\"
";

#[test]
fn killed_runs_touch_only_schemas_of_theirs_and_leave_nothing_behind() {
    let bench = Bench::new(WORKLOAD, READINGS);
    if !bench.has("postgres") {
        return;
    }
    let database = Database::start();
    let before = database.rows_of_others();
    let mut user = User::new(&bench, &database, Random::printed("killed runs"));
    let kills = times(5, 50);
    while user.kills() < kills {
        user.kills_a_run();
    }
    user.tidies_up();
    assert_eq!(database.rows_of_others(), before);
    let ours = user.names();
    let log = database.stopped();
    let all = statements(&log);
    let sent: Vec<&Statement> = all.iter().filter(|s| s.user == ROLE).collect();
    let others = [&FOREIGN[..], &[TABLE_OF_OTHERS]].concat();
    let wrong = |s: &&Statement| {
        judge(&s.sql, &ours, &others)
            .err()
            .map(|why| format!("{why}: {s:?}"))
    };
    let wrong: Vec<String> = sent.iter().filter_map(wrong).collect();
    assert_eq!(wrong, [""; 0]);
    for kind in ["CREATE SCHEMA", "CREATE TABLE", "COPY", "DROP SCHEMA"] {
        let was_sent = sent.iter().any(|s| s.sql.contains(kind));
        assert!(was_sent, "no {kind} among {} statements", sent.len());
    }
}

struct Database {
    postgres: PostgresOfOthers,
    /// A connection of the superuser.
    client: Client,
    url: String,
    log: PathBuf,
}

impl Database {
    fn start() -> Database {
        let settings = [("log_statement", "all"), ("log_line_prefix", PREFIX)];
        let postgres = PostgresOfOthers::start(&settings);
        let database = Database {
            url: format!("postgresql://{ROLE}@{}/postgres", postgres.server.address()),
            log: list(&postgres.home).unwrap().pop().unwrap().log,
            client: postgres.client(),
            postgres,
        };
        database.fill();
        database
    }

    /// Makes what is the others', which the role could change.
    fn fill(&self) {
        self.sql(&format!(
            "CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD}'; GRANT CREATE ON DATABASE postgres TO {ROLE}"
        ));
        for schema in FOREIGN {
            let table = format!("{schema}.{TABLE_OF_OTHERS}");
            self.sql(&format!(
                "CREATE SCHEMA {schema}; CREATE TABLE {table} (id int, item text); \
                 INSERT INTO {table} SELECT id, 'item ' || id FROM generate_series(1, 50) AS id; \
                 GRANT ALL ON SCHEMA {schema} TO {ROLE}; GRANT ALL ON {table} TO {ROLE}"
            ));
        }
    }

    /// The rows of the others, with the transactions that wrote them.
    fn rows_of_others(&self) -> Vec<String> {
        let of_schema = |schema: &str| {
            self.sql(&format!(
                "SELECT xmin, ctid, id, item FROM {schema}.{TABLE_OF_OTHERS} ORDER BY id"
            ))
        };
        let rows: Vec<String> = FOREIGN.into_iter().flat_map(of_schema).collect();
        assert_eq!(rows.len(), FOREIGN.len() * 50);
        rows
    }

    /// Carries out statements; returns the rows of the answers, each as the values of its columns.
    fn sql(&self, sql: &str) -> Vec<String> {
        let answer = self
            .postgres
            .runtime
            .block_on(self.client.simple_query(sql));
        let messages = answer.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        let row = |message: SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => {
                let values = (0..row.len()).map(|i| row.get(i).unwrap_or_default());
                Some(values.collect::<Vec<_>>().join(" "))
            }
            _ => None,
        };
        messages.into_iter().filter_map(row).collect()
    }

    /// Stops the server, and returns its log.
    fn stopped(self) -> String {
        let _folder = self.postgres.stop();
        std::fs::read_to_string(self.log).unwrap()
    }
}

impl Theirs for Database {
    fn options(&self) -> Vec<String> {
        vec!["--postgres".to_owned(), self.url.clone()]
    }

    fn password(&self) -> (&str, &str) {
        ("BAKEOFF_POSTGRES_PASSWORD", PASSWORD)
    }

    fn makes(&self) -> &str {
        "CREATE SCHEMA \""
    }

    fn check(&self, run_of: &BTreeMap<String, String>) {
        // The server notices only when it writes to them that clients are no more.
        let sessions = format!("SELECT 1 FROM pg_stat_activity WHERE usename = '{ROLE}'");
        wait_until("the sessions of the run to end", || {
            self.sql(&sessions).is_empty()
        });
        for schema in self.left() {
            let run = &run_of[&schema];
            let comment = self.sql(&format!(
                "SELECT obj_description('{schema}'::regnamespace, 'pg_namespace')"
            ));
            assert!(
                comment[0].contains(&format!("/{run} ")),
                "{run}: {comment:?}"
            );
        }
    }

    fn drop_by_hand(&self, names: &BTreeSet<String>) {
        for name in names {
            self.sql(&format!("DROP SCHEMA IF EXISTS {name} CASCADE"));
        }
    }

    fn left(&self) -> BTreeSet<String> {
        let all = self.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'bakeoff%'");
        all.into_iter().filter(|name| name != FOREIGN[1]).collect()
    }
}
