//! Runs that are killed on somebody's Cassandra, and commands that only read it, judged by its audit log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::cassandra::{Server, ServerOptions};
use bakeoff_testing::{Random, times};
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::value::{CqlValue, Row};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::audit::entries;
use super::reading;
use super::user::{Theirs, User};
use super::watch::Watch;
use crate::support::{Bench, READINGS, share_jars};

const HEAP_MIB: u64 = 512;
/// The role that runs log in as. Everything else on the cluster is done by its owner.
const ROLE: &str = "bench";
const PASSWORD: &str = "of bench";
/// What others have there: one of their keyspaces is named as if it were ours.
const FOREIGN: [&str; 2] = ["shop", "bakeoff_w_0badcafe"];
/// The rows of each of their tables.
const ROWS: usize = 50;

fn workload(further: &str) -> String {
    format!(
        "title = \"t\"\ndesigns = [\"cassandra/wide\", \"cassandra/blob\", \"cassandra/columnar\", \
         \"parquet\"{further}]\n[data]\ngenerator = \"sensor\"\n\
         [[queries]]\nname = \"mean\"\n\
         sql = \"SELECT avg(value) FROM sensor WHERE sensor_id = 10\"\n\
         [[queries]]\nname = \"few\"\n\
         sql = \"SELECT time, value FROM sensor WHERE sensor_id = 10 AND time < 50\"\n"
    )
}

#[test]
fn killed_runs_touch_only_what_is_theirs_and_marked_and_leave_nothing_behind() {
    let Some(bench) = Bench::with_cassandra(&workload(""), READINGS) else {
        return;
    };
    // So that there are also servers that a killed run leaves behind. Their account has to reach the folder.
    if bench.has("postgres") {
        let with_server = workload(", \"postgres/plain\"");
        std::fs::write(bench.path("w.toml"), with_server).unwrap();
        std::fs::set_permissions(bench.dir.path(), Permissions::from_mode(0o755)).unwrap();
    }
    let cluster = Cluster::start();
    let before = cluster.rows_of_others();
    let mut user = User::new(&bench, &cluster, Random::printed("killed runs"));
    let kills = times(5, 50);
    while user.kills() < kills {
        user.kills_a_run();
    }
    user.tidies_up();
    let ours = user.names();
    reading::reads(&bench, &cluster.address, PASSWORD);
    assert_eq!(cluster.rows_of_others(), before);
    let log = cluster.stopped();
    judge(&log, &ours);
    reading::judge(&log);
}

/// Judges every statement that the runs sent, by the log of the server.
fn judge(log: &str, ours: &BTreeSet<String>) {
    let mut watch = Watch {
        user: ROLE,
        ours,
        marked: BTreeMap::new(),
    };
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for entry in entries(log) {
        wrong.extend(watch.sees(&entry).err());
        if entry.user == ROLE {
            *kinds.entry(entry.kind).or_default() += 1;
        }
    }
    println!("{kinds:?}");
    assert_eq!(wrong, [""; 0]);
    // The log has what the runs are known to have done.
    for kind in [
        "CREATE_KEYSPACE",
        "CREATE_TABLE",
        "UPDATE",
        "SELECT",
        "DROP_KEYSPACE",
    ] {
        assert!(kinds.contains_key(kind), "no {kind} was logged: {kinds:?}");
    }
    assert_eq!(watch.marked, BTreeMap::new(), "not dropped");
}

/// A Cassandra that this user's Bakeoff knows nothing of, with its audit log on.
struct Cluster {
    server: Server,
    session: Session,
    runtime: Runtime,
    address: String,
    _folder: TempDir,
}

impl Cluster {
    fn start() -> Cluster {
        let folder = TempDir::new().unwrap();
        let home = folder.path().join("home");
        share_jars(&home);
        let home = Home::new(&home).unwrap();
        let mut options = ServerOptions::new(home, folder.path().join("theirs")).unwrap();
        options.heap_mib = HEAP_MIB;
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(Server::start(options)).unwrap();
        // By default reads of the system's keyspaces are not logged.
        let log = [
            "enableauditlog",
            "--logger",
            "FileAuditLogger",
            "--excluded-keyspaces",
            "none",
        ];
        runtime.block_on(server.nodetool(&log)).unwrap();
        let login = server.login();
        let session = SessionBuilder::new()
            .known_node(server.address().to_string())
            .user(login.user(), login.password());
        let session = runtime.block_on(session.build()).unwrap();
        let cluster = Cluster {
            address: server.address().to_string(),
            server,
            session,
            runtime,
            _folder: folder,
        };
        cluster.fill();
        cluster
    }

    fn fill(&self) {
        for role in reading::ROLES.into_iter().chain([ROLE]) {
            self.cql(&format!(
                "CREATE ROLE {role} WITH LOGIN = true AND PASSWORD = '{PASSWORD}'"
            ));
        }
        for keyspace in FOREIGN {
            self.cql(&create(keyspace));
            self.cql(&format!(
                "CREATE TABLE {keyspace}.orders (id int PRIMARY KEY, item text)"
            ));
            for id in 0..ROWS {
                self.cql(&format!(
                    "INSERT INTO {keyspace}.orders (id, item) VALUES ({id}, 'item {id}')"
                ));
            }
        }
    }

    /// Stops the server, and returns its log.
    fn stopped(self) -> String {
        let log = self.server.dir().join("logs/system.log");
        self.runtime.block_on(self.server.stop()).unwrap();
        std::fs::read_to_string(log).unwrap()
    }

    fn cql(&self, statement: &str) -> Vec<String> {
        self.try_cql(statement)
            .unwrap_or_else(|error| panic!("{statement}: {error}"))
    }

    /// The rows of the answer, if it has any, each as the values of its columns.
    fn try_cql(&self, statement: &str) -> Result<Vec<String>, String> {
        let asked = self.session.query_unpaged(statement, ());
        let answer = self.runtime.block_on(asked).map_err(|e| e.to_string())?;
        let Ok(rows) = answer.into_rows_result() else {
            return Ok(Vec::new());
        };
        let text = |value: Option<CqlValue>| match value {
            Some(CqlValue::Text(text)) => text,
            value => format!("{value:?}"),
        };
        let row = |row: Row| row.columns.into_iter().map(text).collect::<Vec<_>>();
        let rows = rows.rows::<Row>().unwrap();
        Ok(rows.map(|found| row(found.unwrap()).join(" ")).collect())
    }

    /// Rows and tables of the others, with when they were written and made.
    fn rows_of_others(&self) -> Vec<String> {
        let of_keyspace = |keyspace: &str| {
            [
                self.cql(&format!(
                    "SELECT id, item, writetime(item) FROM {keyspace}.orders"
                )),
                self.cql(&format!(
                    "SELECT table_name, id FROM system_schema.tables WHERE keyspace_name = '{keyspace}'"
                )),
            ]
        };
        let rows: Vec<String> = FOREIGN
            .into_iter()
            .flat_map(of_keyspace)
            .flatten()
            .collect();
        assert_eq!(rows.len(), FOREIGN.len() * (ROWS + 1));
        rows
    }
}

impl Theirs for Cluster {
    fn options(&self) -> Vec<String> {
        ["--cassandra", &self.address, "--username", ROLE]
            .map(str::to_owned)
            .to_vec()
    }

    fn password(&self) -> (&str, &str) {
        ("BAKEOFF_CASSANDRA_PASSWORD", PASSWORD)
    }

    fn makes(&self) -> &str {
        "CREATE KEYSPACE IF NOT EXISTS "
    }

    fn check(&self, run_of: &BTreeMap<String, String>) {
        // Changes of the schema are made one after another, so that none of a killed run comes later.
        self.cql(&create(FOREIGN[0]));
        for keyspace in self.left() {
            let run = &run_of[&keyspace];
            let marker = self.try_cql(&format!("SELECT run FROM {keyspace}.bakeoff_marker"));
            // There is none if the kill came before it.
            for marker in marker.unwrap_or_default() {
                assert!(marker.contains(&format!("/{run} ")), "{run}: {marker}");
            }
        }
    }

    fn drop_by_hand(&self, names: &BTreeSet<String>) {
        for name in names {
            self.cql(&format!("DROP KEYSPACE IF EXISTS {name}"));
        }
    }

    fn left(&self) -> BTreeSet<String> {
        let all = self.cql("SELECT keyspace_name FROM system_schema.keyspaces");
        let is_ours = |name: &String| name.starts_with("bakeoff_") && name != FOREIGN[1];
        all.into_iter().filter(is_ours).collect()
    }
}

fn create(keyspace: &str) -> String {
    format!(
        "CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = \
         {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
    )
}
