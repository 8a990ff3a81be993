//! Designs on the ADBC driver of PostgreSQL, with a server of the test: each has a schema of its own, which is gone
//! at the end, and what others have there is left alone.

use std::os::unix::fs::PermissionsExt;

use bakeoff_engines::servers::postgres::{Server, ServerOptions};
use bakeoff_engines::servers::{Home, survey};
use bakeoff_testing::{adbc_driver, skipped};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

use crate::adbc_drivers::options;
use crate::adbc_host;
use crate::support::{Started, places, wrong_answers};

const QUERIES: &[&str] = &[
    "SELECT * FROM places",
    "SELECT \"order\" FROM places WHERE day BETWEEN -11 AND -1",
    "SELECT region, count(*) AS n, sum(amount) AS total, avg(amount) AS mean FROM places
     GROUP BY region ORDER BY region",
    "SELECT * FROM places WHERE region = 'north' AND id = 0
     ORDER BY day DESC, \"order\" DESC LIMIT 4",
];

/// A server with a table of others, whose name is that of ours.
struct Theirs {
    server: Server,
    folder: TempDir,
}

impl Theirs {
    async fn start() -> Theirs {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::from_env().unwrap();
        let server = Server::start(ServerOptions::new(home, folder.path().join("server")));
        let theirs = Theirs {
            server: server.await.unwrap(),
            folder,
        };
        let made = "CREATE TABLE public.places (theirs int); INSERT INTO public.places VALUES (7)";
        theirs.client().await.batch_execute(made).await.unwrap();
        let passwords = format!("*:*:*:*:{}", theirs.server.password());
        let file = theirs.folder.path().join("passwords");
        std::fs::write(&file, passwords).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        theirs
    }

    async fn client(&self) -> Client {
        let mut config = tokio_postgres::Config::new();
        let address = self.server.address();
        let connected = config
            .host(address.ip().to_string())
            .port(address.port())
            .dbname("postgres")
            .user(self.server.user())
            .password(self.server.password())
            .connect(NoTls);
        let (client, connection) = connected.await.unwrap();
        tokio::spawn(connection);
        client
    }

    /// The file that names the driver; `more` is the end of its URI.
    fn file(&self, more: &str) -> Option<String> {
        let library = adbc_driver("postgresql")?;
        Some(format!(
            "[server]\nlibrary = \"{}\"\ndialect = \"postgres\"\n[server.options]\n\
             uri = \"postgresql://{}@{}/postgres?passfile={}{more}\"\n",
            library.display(),
            self.server.user(),
            self.server.address(),
            self.folder.path().join("passwords").display()
        ))
    }

    /// The number of schemas that Bakeoff has made, and what others have in their table.
    async fn what_is_there(&self) -> (i64, i32) {
        let client = self.client().await;
        let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'bakeoff%'";
        let schemas = client.query_one(schemas, &[]).await.unwrap().get(0);
        let theirs = client.query_one("SELECT theirs FROM public.places", &[]);
        (schemas, theirs.await.unwrap().get(0))
    }
}

fn has_postgres() -> bool {
    survey::postgres().verdict().map_err(skipped).is_ok() && adbc_driver("postgresql").is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_design_has_a_schema_which_is_gone_at_the_end() {
    if !has_postgres() {
        return;
    }
    let theirs = Theirs::start().await;
    let text = theirs.file("&options=-csearch_path%3D${schema}").unwrap();
    let folder = theirs.folder.path();
    let options = options(folder, "server", &text, adbc_host::options());
    let server = Started::with("adbc", folder.join("run"), options).await;
    let version = server.running.info().version;
    assert!(version.contains("ADBC PostgreSQL Driver"), "{version}");
    assert_eq!(server.running.info().start_seconds, None);
    let table = places();
    let oracle = table.oracle(table.rows.clone()).await;
    for id in ["adbc/server", "adbc/server?index=on"] {
        // As a run that was stopped and goes on.
        drop(server.loaded(id, &table).await);
        let design = server.design(id, &table).await;
        assert!(design.survives().await, "{id}");
        let half = table.rows.slice(0, table.rows.num_rows() / 2);
        design.load(0, &half).await.unwrap();
        let settled = design.settle().await.unwrap();
        assert!(settled.contains("VACUUM (ANALYZE)"), "{settled}");
        let wrong = wrong_answers(design.as_ref(), &oracle, QUERIES).await;
        assert_eq!(wrong, [""; 0]);
        let footprint = design.footprint().await.unwrap();
        assert_eq!(footprint.bytes(), None);
        assert!(footprint.note.unwrap().starts_with("not known: "));
        assert_eq!(design.server_cpu_seconds(), None);
    }
    assert_eq!(theirs.what_is_there().await, (2, 7));
    server.running.finish(false).await.unwrap();
    assert_eq!(theirs.what_is_there().await, (0, 7));
    theirs.server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn options_that_lead_elsewhere_touch_nothing_of_others() {
    if !has_postgres() {
        return;
    }
    let theirs = Theirs::start().await;
    // Named, but not the schema that tables are made in.
    let text = theirs.file("&application_name=${schema}").unwrap();
    let folder = theirs.folder.path();
    let options = options(folder, "server", &text, adbc_host::options());
    let server = Started::with("adbc", folder.join("run"), options).await;
    let design = server.design("adbc/server", &places()).await;
    let error = design.create().await.unwrap_err().to_string();
    for words in ["do not make ${schema}", "that one is public"] {
        assert!(error.contains(words), "{error}");
    }
    drop(design);
    server.running.finish(false).await.unwrap();
    assert_eq!(theirs.what_is_there().await, (0, 7));
    let notes = "SELECT count(*) FROM pg_tables WHERE tablename = 'bakeoff_slices'";
    let notes = theirs.client().await.query_one(notes, &[]).await.unwrap();
    assert_eq!(notes.get::<_, i64>(0), 0);
    theirs.server.stop().await.unwrap();
}
