//! A process that is to be killed: this test's own program.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use super::support::Cassandra;

/// The variable with the task of the child and the address of the server.
pub const TASK: &str = "COLUMNAR_TEST_CHILD";

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
