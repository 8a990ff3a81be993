//! A server that runs already: what is not ours in it is left alone, and faults are told.

mod access;
mod adopted;
mod driven;
mod sampled;

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::postgres::{Server, ServerOptions};
use bakeoff_engines::{Context, EngineOptions, PostgresOptions, PostgresServer, RateLimit};
use bakeoff_workload::DesignId;
use tokio_postgres::{Client, NoTls};

use super::{NOTICED_WITHIN, figures, hostile, many_places, storable};
use crate::support::{Started, THREADS, events, has_timescale, wrong_answers};

/// Connections of the server: few, so that they can run out.
const CONNECTIONS: u32 = 12;
/// The user that Bakeoff logs in as.
const USER: &str = "bench";

/// The options for a server that runs.
fn on_server(server: PostgresServer) -> EngineOptions {
    EngineOptions {
        postgres: PostgresOptions {
            server: Some(server),
            ..PostgresOptions::default()
        },
        ..EngineOptions::default()
    }
}

/// A server that Bakeoff is only told of.
struct Theirs {
    server: Server,
    folder: tempfile::TempDir,
}

impl Theirs {
    /// Starts it, where TimescaleDB is installed.
    async fn start() -> Option<Theirs> {
        if !has_timescale() {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let options = ServerOptions::new(Home::from_env().unwrap(), folder.path().join("theirs"));
        let server = Server::start(ServerOptions {
            timescale: true,
            max_connections: CONNECTIONS,
            ..options
        });
        let server = server.await.unwrap();
        let theirs = Theirs { server, folder };
        let client = theirs.client("postgres").await;
        let password = theirs.server.password();
        client
            .batch_execute(&format!("CREATE ROLE {USER} LOGIN PASSWORD '{password}'"))
            .await
            .unwrap();
        for database in ["metrics", "bare"] {
            // Of the other template TimescaleDB's workers may be reading.
            let create = format!("CREATE DATABASE {database} TEMPLATE template0");
            client.batch_execute(&create).await.unwrap();
            let grant = format!("GRANT CREATE ON DATABASE {database} TO {USER}");
            client.batch_execute(&grant).await.unwrap();
        }
        let metrics = theirs.client("metrics").await;
        metrics
            .batch_execute("CREATE EXTENSION timescaledb")
            .await
            .unwrap();
        Some(theirs)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn url(&self, database: &str) -> String {
        format!("postgresql://{USER}@{}/{database}", self.server.address())
    }

    fn address(&self, database: &str) -> PostgresServer {
        PostgresServer::new(&self.url(database), Some(self.server.password()), None).unwrap()
    }

    /// A connection of the superuser.
    async fn client(&self, database: &str) -> Client {
        let mut config: tokio_postgres::Config = self.url(database).parse().unwrap();
        let (client, connection) = config
            .user(self.server.user())
            .password(self.server.password())
            .connect(NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        client
    }

    /// Lets the server make a certificate and its key in the folder of its data; returns the
    /// certificate.
    async fn make_certificate(&self, name: &str, options: &str) -> String {
        let client = self.client("postgres").await;
        let make = format!(
            "COPY (SELECT '') TO PROGRAM 'openssl req -x509 -nodes -days 2 -subj /CN={name} \
             -keyout {name}.key -out {name}.crt {options}'"
        );
        client.batch_execute(&make).await.unwrap();
        let read = format!("SELECT pg_read_file('{name}.crt')");
        client.query_one(&read, &[]).await.unwrap().get(0)
    }

    fn context(&self, database: &str) -> Context {
        Context {
            run_dir: self.folder.path().join("run"),
            token: None,
            threads: THREADS,
            keys_repeat: true,
            options: on_server(self.address(database)),
        }
    }

    async fn started(&self, name: &str) -> Started {
        let context = self.context("metrics");
        let id: DesignId = name.parse().unwrap();
        let running = engine(&id).unwrap().start(&context).await.unwrap();
        Started { running, context }
    }
}

/// One start for all of it, which is most of the time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_server_that_runs_already() {
    let Some(theirs) = Theirs::start().await else {
        return;
    };
    access::mistakes_in_the_url_are_told(&theirs).await;
    access::a_server_without_timescaledb_is_told(&theirs).await;
    access::the_edition_is_checked_on_their_server(&theirs).await;
    access::a_superuser_is_not_taken(&theirs).await;
    let (metrics, bare) = (theirs.address("metrics"), theirs.address("bare"));
    figures::of_hypertables(&theirs.client("metrics").await, &metrics, &bare).await;
    no_question_does_harm(&theirs).await;
    rows_are_loaded_within_the_limit(&theirs).await;
    what_the_server_counts_is_told(&theirs).await;
    sampled::what_a_user_may_not_see_is_left_out_and_named(&theirs).await;
    adopted::a_design_is_made_and_filled_by_its_own_statements(&theirs).await;
    driven::loads_are_checked_and_leave_nothing(&theirs).await;
    what_is_not_ours_is_left_alone(&theirs).await;
    what_others_put_beside_ours_stays(&theirs).await;
    access::connections_that_run_out_are_told(&theirs).await;
    access::connections_are_encrypted_for_those_who_trust_the_server(&theirs).await;
    the_time_zone_of_the_server_changes_no_answer(&theirs).await;
    theirs.server.stop().await.unwrap();
}

async fn no_question_does_harm(theirs: &Theirs) {
    let started = theirs.started("postgres").await;
    // Somebody whose work could be ended.
    let _other = theirs.client("metrics").await;
    hostile::on_a_server_that_runs_already(&started).await;
    started.running.finish(false).await.unwrap();
}

async fn rows_are_loaded_within_the_limit(theirs: &Theirs) {
    let (table, many) = many_places();
    let id: DesignId = "postgres/plain".parse().unwrap();
    let mut context = theirs.context("metrics");
    context.options.rate_limit = Some(RateLimit::new(NonZeroU32::new(10_000).unwrap()));
    let running = engine(&id).unwrap().start(&context).await.unwrap();
    let reported = ("rate limit".to_owned(), "at most 10000 rows/s".to_owned());
    assert!(running.info().settings.contains(&reported));
    let started = Started { running, context };
    let design = started.design("postgres/plain", &table).await;
    design.create().await.unwrap();
    let began = Instant::now();
    design.load(0, &many.slice(0, 30_000)).await.unwrap();
    // The last of three parts is sent when those before it are paid for.
    assert!(
        began.elapsed() >= Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    drop(design);
    started.running.finish(false).await.unwrap();
}

/// The user that Bakeoff logs in as has no right to see the sessions of others, and needs none.
async fn what_the_server_counts_is_told(theirs: &Theirs) {
    let (table, many) = many_places();
    let started = theirs.started("postgres").await;
    let design = started.design("postgres/plain", &table).await;
    let before = design.server_account().await.unwrap().unwrap();
    design.create().await.unwrap();
    design.load(0, &many.slice(0, 20_000)).await.unwrap();
    design.settle().await.unwrap();
    let client = theirs.client("metrics").await;
    client.batch_execute("CHECKPOINT").await.unwrap();
    let began = Instant::now();
    // Sessions hand in their counts a little later.
    let (after, grown) = loop {
        let after = design.server_account().await.unwrap().unwrap();
        let grown = after.since(&before);
        if grown.log_bytes > Some(100_000) && grown.requested_checkpoints > Some(0) {
            break (after, grown);
        }
        assert!(began.elapsed() < NOTICED_WITHIN, "{grown:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert!(after.database_bytes > before.database_bytes, "{after:?}");
    assert!(grown.hit_ratio().is_some(), "{grown:?}");
    let is_of_version = |(_, reason): &(String, String)| reason.contains("newer have it");
    assert!(after.missing.iter().all(is_of_version), "{after:?}");
    drop(design);
    started.running.finish(false).await.unwrap();
}

async fn what_is_not_ours_is_left_alone(theirs: &Theirs) {
    let table = storable(events());
    let started = theirs.started("postgres").await;
    let id: DesignId = "postgres/plain".parse().unwrap();
    let statements = engine(&id)
        .unwrap()
        .describe(&id, &table.workload, &started.context);
    let create = statements.unwrap().statements[0].clone();
    let schema = create.strip_prefix("CREATE SCHEMA ").unwrap().to_owned();
    let client = theirs.client("metrics").await;
    let rows = format!("{schema}.events");
    client
        .batch_execute(&format!("{create}; CREATE TABLE {rows} AS SELECT 1 AS n"))
        .await
        .unwrap();
    for comment in ["NULL", "'Made by Bakeoff: of another run'"] {
        let mark = format!("COMMENT ON SCHEMA {schema} IS {comment}");
        client.batch_execute(&mark).await.unwrap();
        let refused = started
            .running
            .design(&id, &table.workload, &started.context)
            .await;
        let error = refused.err().unwrap().to_string();
        assert!(error.contains(schema.trim_matches('"')), "{error}");
        assert!(error.contains("another --out"), "{error}");
    }
    started.running.finish(false).await.unwrap();
    let sql = format!("SELECT n FROM {rows}");
    assert_eq!(client.query(&sql, &[]).await.unwrap().len(), 1);
}

async fn what_others_put_beside_ours_stays(theirs: &Theirs) {
    let table = storable(events());
    let started = theirs.started("timescale").await;
    let design = started.loaded("timescale/hypertable", &table).await;
    let client = theirs.client("metrics").await;
    let sql = "SELECT nspname FROM pg_namespace WHERE obj_description(oid) LIKE '%Bakeoff, may%'";
    let ours = async || -> Vec<String> {
        let rows = client.query(sql, &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    let [schema] = &ours().await[..] else {
        panic!("not one schema");
    };
    let beside = format!("\"{schema}\".beside");
    client
        .batch_execute(&format!("CREATE TABLE {beside} AS SELECT 1 AS n"))
        .await
        .unwrap();
    drop(design);
    let error = started.running.finish(false).await.unwrap_err().to_string();
    assert!(error.contains("beside"), "{error}");
    client
        .batch_execute(&format!("DROP TABLE {beside}"))
        .await
        .unwrap();

    let again = theirs.started("timescale").await;
    again.loaded("timescale/hypertable", &table).await;
    again.running.finish(false).await.unwrap();
    assert_eq!(ours().await, [""; 0]);
}

async fn the_time_zone_of_the_server_changes_no_answer(theirs: &Theirs) {
    let client = theirs.client("metrics").await;
    client
        .batch_execute(
            "ALTER DATABASE metrics SET TimeZone TO '<+0545>-05:45'; \
             ALTER DATABASE metrics SET DateStyle TO 'German'",
        )
        .await
        .unwrap();
    let table = storable(events());
    for (name, id) in [
        ("postgres", "postgres/partitioned?width=5h"),
        ("timescale", "timescale/hypertable?chunk=5h"),
    ] {
        let started = theirs.started(name).await;
        let design = started.loaded(id, &table).await;
        let oracle = table.oracle(table.rows.clone()).await;
        let queries = [
            "SELECT date_trunc('day', time) AS day, count(*) AS n, max(time) AS last FROM events
             GROUP BY date_trunc('day', time) ORDER BY day",
            "SELECT * FROM events WHERE time >= TIMESTAMP '1970-01-01T00:00:00'",
        ];
        let wrong = wrong_answers(design.as_ref(), &oracle, &queries).await;
        assert_eq!(wrong, [""; 0]);
        drop(design);
        started.running.finish(false).await.unwrap();
    }
}
