//! A process that is to be killed: this test's own program.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use bakeoff_columnar::Store;
use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bytes::Bytes;

use super::kills::{DROPS_TABLE, MADE_TABLE, TABLE, seal};
use super::support::{
    Cassandra, ELSEWHERE, KEYSPACE, PLACE, chunk, connect, definition, row, write_time,
};
use super::whole_table;

/// The variable with the task of the child and the address of the server.
const TASK: &str = "COLUMNAR_TEST_CHILD";
const KEYS: i64 = 30;
/// The number of rows after which a child ends that was not killed.
const ROWS_AT_MOST: i64 = 4_000;

/// The newest write time of each key.
pub type Versions = BTreeMap<String, i64>;

/// A process that writes until it is killed.
pub struct Writer {
    pub process: Child,
    pub output: BufReader<ChildStdout>,
}

impl Writer {
    pub fn start(cassandra: &Cassandra, role: &str, failpoint: Option<String>) -> Writer {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["cassandra::child", "--exact", "--nocapture"]);
        command.env(TASK, format!("{role} {}", cassandra.server.address()));
        command.envs(failpoint.map(|failpoint| ("BAKEOFF_FAILPOINT", failpoint)));
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Writer { process, output }
    }

    pub fn wait_for_row(&mut self, acknowledged: &mut Versions) {
        let mut line = String::new();
        while !note(&line, acknowledged) {
            line.clear();
            assert!(
                self.output.read_line(&mut line).unwrap() > 0,
                "the child ended"
            );
        }
    }

    /// Collects the rows that were acknowledged until the child ends.
    pub fn acknowledged(&mut self, acknowledged: &mut Versions) -> usize {
        let lines = self.output.by_ref().lines();
        lines
            .filter(|line| note(line.as_ref().unwrap(), acknowledged))
            .count()
    }

    pub fn was_killed(mut self, step: &str) {
        let status = self.process.wait().unwrap();
        assert_eq!(status.signal(), Some(9), "{step}: {status}");
    }
}

fn note(line: &str, acknowledged: &mut Versions) -> bool {
    let parts: Vec<&str> = line.split_whitespace().collect();
    let ["acknowledged", key, time] = parts[..] else {
        return false;
    };
    let (Some(key), Ok(time)) = (key.strip_prefix('='), time.parse()) else {
        return false;
    };
    acknowledged.insert(key.to_owned(), time);
    true
}

/// Runs as the child if another process of this test says so in the environment.
pub async fn child() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let (role, address) = task.split_once(' ').unwrap();
    let session = connect(address).await;
    let open = async |table| {
        let session = session.clone();
        CassandraStore::open(session, KEYSPACE, table, Options::default())
            .await
            .unwrap()
    };
    let place = [PLACE, ELSEWHERE];
    match role {
        "drop" => open(DROPS_TABLE).await.drop_places(&place).await.unwrap(),
        "make" => {
            let options = Options::default();
            let made = CassandraStore::create(session, KEYSPACE, MADE_TABLE, definition(), options);
            made.await.unwrap();
        }
        "unmake" => {
            CassandraStore::drop_table(session, KEYSPACE, MADE_TABLE)
                .await
                .unwrap();
        }
        "write" => write(&open(TABLE).await).await,
        role => {
            let done = role.strip_prefix("steps:").unwrap();
            whole_table::go_on(open(whole_table::TABLE).await, done).await;
        }
    }
}

async fn write(store: &CassandraStore) {
    for i in 0..ROWS_AT_MOST {
        let (key, time) = (format!("{:03}", (i * 7) % KEYS), write_time());
        let value = (i % 5 != 0).then(|| time.to_string());
        // A chunk that nobody commits, for the sweep.
        if i % 40 == 0 {
            let lost = chunk(&definition(), "", "z", vec![Bytes::new(); 3]);
            store.put(PLACE, &[lost]).await.unwrap();
        }
        store
            .insert(PLACE, &[row(&key, time, value.as_deref())])
            .await
            .unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "acknowledged ={key} {time}").unwrap();
        out.flush().unwrap();
        drop(out);
        if i % 40 == 39 {
            seal(store, PLACE).await;
        }
        if i % 80 == 79 {
            store.sweep(Duration::ZERO).await.unwrap();
        }
    }
}
