//! Nodetool on the hosts of a cluster, by a command that reaches each of them.

#[cfg(test)]
mod hostile;
mod parse;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use bakeoff_servers::{HOST_PLACEHOLDER, HostCommand};
use serde_json::Value;

use super::figures::{Missing, NodeFigures, TableName, shared_hosts};
use super::printed::{Printed, PrintedTable};
use crate::EngineError;
use crate::cassandra::cluster::at_once::{HOSTS_AT_ONCE, at_once};

pub(in crate::cassandra) use parse::read_repairs;

/// A command such as `ssh {host} nodetool`, which is run with the arguments of nodetool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nodetool(HostCommand);

impl FromStr for Nodetool {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let command = text.parse::<HostCommand>().map_err(EngineError)?;
        Ok(Nodetool(command))
    }
}

impl fmt::Display for Nodetool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Nodetool {
    /// Time limit of a call that only reads.
    pub(in crate::cassandra) const READ_LIMIT: Duration = Duration::from_secs(60);
    /// What nodetool says of a node that has not finished starting, and also if a table, in whichever keyspace, is
    /// dropped while nodetool lists all tables of a node.
    const NOT_YET: &str = "Server is not initialized yet";
    /// Calls before that answer is believed, and the time between them.
    const CALLS: usize = 4;
    const RETRY: Duration = Duration::from_millis(500);

    /// Checks that nodetool can be called on all hosts, and that it prints what is understood.
    ///
    /// # Errors
    /// Says which call failed.
    pub async fn check(&self, hosts: &[String]) -> Result<(), EngineError> {
        let mut seen = BTreeSet::new();
        if let Some(host) = hosts.iter().find(|host| !seen.insert(host.as_str())) {
            return Err(EngineError(format!(
                "--nodetool '{self}': several nodes of the cluster have the address {host}, which {HOST_PLACEHOLDER} \
                 stands for, so that their bytes would be those of one of them; leave it out"
            )));
        }
        let printed = self.on_all(hosts, &["info"], Self::READ_LIMIT).await;
        let understood = printed.and_then(|texts| {
            let parsed = texts.iter().map(|text| parse::node_info(text).map(drop));
            parsed.collect::<Result<(), String>>()
        });
        understood.map_err(|reason| {
            EngineError(format!(
                "--nodetool '{self}' does not work for every node of the cluster: {reason}; correct it, or leave \
                 it out"
            ))
        })
    }

    /// Adds what nodetool prints to the figures of nodes and of their tables. What it does not print, or prints in
    /// a form of another version, is missing there with the reason. Garbage collections are asked for only
    /// `with_gc`, since the call begins their count anew for everybody.
    pub async fn add_to(&self, nodes: &mut [NodeFigures], with_gc: bool) {
        let shared = shared_hosts(nodes);
        let own = { nodes.iter_mut() }.filter(|node| !shared.contains(&node.host));
        let calls = own.map(|node| self.add_to_node(node, with_gc, Self::READ_LIMIT));
        at_once(HOSTS_AT_ONCE, calls.collect()).await;
        for node in nodes.iter_mut().filter(|node| shared.contains(&node.host)) {
            let missing = Missing::of_shared_host("nodetool", &node.host);
            node.missing.push(missing);
        }
    }

    async fn add_to_node(&self, node: &mut NodeFigures, with_gc: bool, limit: Duration) {
        let names: Vec<TableName> = node.tables.iter().map(|table| table.name.clone()).collect();
        let mut call = Call {
            nodetool: self,
            host: node.host.clone(),
            limit,
            lost: None,
            missing: Vec::new(),
        };
        let gc = if with_gc {
            call.figure(&["gcstats"], parse::gc_statistics).await
        } else {
            None
        };
        let info = call.figure(&["info"], parse::node_info).await;
        let read_repairs = call.figure(&["netstats"], parse::read_repairs).await;
        let tables = call.tables(&names).await;
        node.missing.append(&mut call.missing);
        node.nodetool = Some(Printed {
            tables,
            gc,
            info,
            read_repairs,
        });
    }

    /// Runs nodetool on one host, and returns what it prints. It is run again where a table that somebody dropped
    /// meanwhile ended it: each of its commands may be run twice.
    ///
    /// # Errors
    /// Says why the call failed.
    pub(in crate::cassandra) async fn on(
        &self,
        host: &str,
        arguments: &[&str],
        limit: Duration,
    ) -> Result<String, String> {
        check_words(arguments)?;
        for _ in 1..Self::CALLS {
            let printed = self.0.run(host, arguments, limit).await;
            let is_early = { printed.as_ref() }.is_err_and(|why| why.contains(Self::NOT_YET));
            if !is_early {
                return printed;
            }
            tokio::time::sleep(Self::RETRY).await;
        }
        self.0.run(host, arguments, limit).await
    }

    /// Runs nodetool on all hosts, and returns what it prints on each of them.
    ///
    /// # Errors
    /// Says which call failed first; calls on other hosts are carried out all the same.
    pub(in crate::cassandra) async fn on_all(
        &self,
        hosts: &[String],
        arguments: &[&str],
        limit: Duration,
    ) -> Result<Vec<String>, String> {
        let calls = hosts.iter().map(|host| self.on(host, arguments, limit));
        let printed = at_once(HOSTS_AT_ONCE, calls.collect()).await;
        printed.into_iter().collect()
    }
}

/// The calls for one node.
struct Call<'a> {
    nodetool: &'a Nodetool,
    host: String,
    /// Time limit of each call.
    limit: Duration,
    /// Why the host is called no more: a host that hangs once takes the whole limit each time.
    lost: Option<String>,
    missing: Vec<Missing>,
}

impl Call<'_> {
    async fn tables(&mut self, names: &[TableName]) -> Vec<PrintedTable> {
        let keyspaces: BTreeSet<&str> = names.iter().map(|name| name.keyspace.as_str()).collect();
        let mut of_keyspaces: BTreeMap<&str, Option<Value>> = BTreeMap::new();
        for keyspace in keyspaces {
            let arguments = ["tablestats", "-F", "json", keyspace];
            let printed = self.figure(&arguments, parse::json).await;
            of_keyspaces.insert(keyspace, printed);
        }
        let mut tables = Vec::with_capacity(names.len());
        for name in names {
            let keyspace = name.keyspace.as_str();
            let statistics = of_keyspaces.get(keyspace).and_then(Option::as_ref);
            let statistics = statistics.map(|printed| parse::printed_statistics(printed, name));
            let statistics = statistics.and_then(|parsed| self.known("tablestats", parsed));
            let arguments = ["tablehistograms", keyspace, name.table.as_str()];
            let histograms = |text: &str| parse::histograms(text, name);
            let histograms = self.figure(&arguments, histograms).await;
            tables.push(PrintedTable {
                statistics,
                histograms,
            });
        }
        tables
    }

    /// Returns what a call prints, or notes why it is not known.
    async fn figure<T>(
        &mut self,
        arguments: &[&str],
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let printed = self.printed(arguments).await;
        self.known(arguments[0], printed.and_then(|text| parse(&text)))
    }

    async fn printed(&mut self, arguments: &[&str]) -> Result<String, String> {
        if let Some(reason) = &self.lost {
            return Err(reason.clone());
        }
        let began = Instant::now();
        let printed = self.nodetool.on(&self.host, arguments, self.limit).await;
        if began.elapsed() >= self.limit {
            self.lost = printed.as_ref().err().cloned();
        }
        printed
    }

    fn known<T>(&mut self, command: &str, figure: Result<T, String>) -> Option<T> {
        figure
            .map_err(|reason| {
                let figure = format!("nodetool {command}");
                self.missing.push(Missing::new(&figure, reason));
            })
            .ok()
    }
}

/// Checks that no word means anything to a shell, since `ssh` hands them to one on the host.
fn check_words(words: &[&str]) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match words.iter().find(|word| !word.chars().all(is_plain)) {
        Some(word) => Err(format!(
            "`{word}` has characters that mean something to a shell of the host, and is not given to nodetool"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cassandra::nodes::figures::TableFigures;

    const LIMIT: Duration = Nodetool::READ_LIMIT;

    /// A nodetool that is a script of a shell, with the host as its first argument.
    fn script(folder: &tempfile::TempDir, text: &str) -> Nodetool {
        let file = folder.path().join("nodetool.sh");
        std::fs::write(&file, text).unwrap();
        format!("sh '{}' {{host}}", file.display()).parse().unwrap()
    }

    fn node(host: &str) -> NodeFigures {
        NodeFigures {
            host: host.to_owned(),
            tables: vec![TableFigures::new("ks.t".parse().unwrap())],
            ..NodeFigures::default()
        }
    }

    #[tokio::test]
    async fn figures_of_each_host_are_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"case "$2" in
            tablestats) echo "{\"ks\": {\"tables\": {\"t\": {\"space_used_live\": ${1##*.}, \"sstable_count\": 2}}}}" ;;
            info) echo "Uptime (seconds)       : 1${1##*.}" ;;
            netstats) printf 'Read Repair Statistics:\nAttempted: 0\nMismatch (Blocking): %s\nMismatch (Background): 0\n' ${1##*.} ;;
            *) echo "something else" ;;
            esac"#;
        let nodetool = script(&folder, text);
        let mut nodes = [node("10.0.0.1"), node("10.0.0.7")];
        nodetool.add_to(&mut nodes, true).await;
        for (node, last) in nodes.iter().zip([1, 7]) {
            let printed = node.nodetool.as_ref().unwrap();
            let statistics = printed.tables[0].statistics.unwrap();
            assert_eq!(statistics.live_bytes, Some(last));
            assert_eq!(printed.info.unwrap().uptime_seconds, Some(10 + last));
            assert_eq!(printed.read_repairs.unwrap().blocking, last);
            assert_eq!(printed.gc, None);
            let why = node.why("nodetool gcstats");
            assert!(why.starts_with("not understood: "), "{why}");
            let why = node.why("nodetool tablehistograms");
            assert!(why.starts_with("not understood: "), "{why}");
        }
    }

    #[tokio::test]
    async fn counts_of_garbage_collections_begin_anew_only_if_they_are_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let called = folder.path().join("called");
        let nodetool = script(&folder, &format!("echo \"$2\" >> {}", called.display()));
        for with_gc in [false, true] {
            let mut nodes = [node("10.0.0.1")];
            nodetool.add_to(&mut nodes, with_gc).await;
            let calls = std::fs::read_to_string(&called).unwrap();
            assert!(calls.contains("tablehistograms"), "{calls}");
            assert_eq!(calls.contains("gcstats"), with_gc, "{calls}");
            let is_missing = |missing: &Missing| missing.figure == "nodetool gcstats";
            assert_eq!(nodes[0].missing.iter().any(is_missing), with_gc);
        }
    }

    #[tokio::test]
    async fn a_table_that_is_dropped_meanwhile_ends_a_call_and_not_the_diagnosis() {
        let folder = tempfile::tempdir().unwrap();
        let called = folder.path().join("called");
        // Fails as often as it is said, and then prints.
        let failing = |times: usize| {
            let _ = std::fs::remove_file(&called);
            let text = format!(
                "echo >> {called}; test $(wc -l < {called}) -gt {times} && echo printed && exit; \
                 echo 'java.lang.IllegalArgumentException: {}, cannot run nodetool.' >&2; exit 1",
                Nodetool::NOT_YET,
                called = called.display(),
            );
            script(&folder, &text)
        };
        let calls = || std::fs::read_to_string(&called).unwrap().lines().count();
        let printed = failing(1).on("h", &["tablehistograms"], LIMIT).await;
        assert_eq!(printed.unwrap().trim(), "printed");
        assert_eq!(calls(), 2);
        let nodetool = failing(Nodetool::CALLS);
        let error = nodetool.on("h", &["info"], LIMIT).await.unwrap_err();
        assert!(error.contains(Nodetool::NOT_YET), "{error}");
        assert_eq!(calls(), Nodetool::CALLS);
        // What fails for another reason is not repeated.
        let nodetool = script(&folder, &format!("echo >> {}; exit 1", called.display()));
        let before = calls();
        nodetool.on("h", &["info"], LIMIT).await.unwrap_err();
        assert_eq!(calls(), before + 1);
    }

    #[tokio::test]
    async fn a_host_that_hangs_is_called_once() {
        let folder = tempfile::tempdir().unwrap();
        let nodetool = script(&folder, "sleep 600");
        let mut node = node("10.0.0.1");
        let limit = Duration::from_millis(50);
        nodetool.add_to_node(&mut node, true, limit).await;
        let figures: Vec<&str> = node.missing.iter().map(|m| m.figure.as_str()).collect();
        let calls = [
            "gcstats",
            "info",
            "netstats",
            "tablestats",
            "tablehistograms",
        ];
        assert_eq!(figures, calls.map(|call| format!("nodetool {call}")));
        for missing in &node.missing {
            let is_first = missing
                .reason
                .contains("10.0.0.1 gcstats` failed: it did not end");
            assert!(is_first, "{missing:?}");
        }
    }

    #[tokio::test]
    async fn nodes_that_one_host_stands_for_are_not_told_apart() {
        let nodetool: Nodetool = "echo {host}".parse().unwrap();
        let mut nodes = [node("10.0.0.1"), node("10.0.0.1"), node("10.0.0.2")];
        nodetool.add_to(&mut nodes, false).await;
        let known = nodes.each_ref().map(|node| node.nodetool.is_some());
        assert_eq!(known, [false, false, true]);
        assert!(nodes[0].why("nodetool").contains("several nodes"));
        let hosts = ["10.0.0.1".to_owned(), "10.0.0.1".to_owned()];
        let error = nodetool.check(&hosts).await.unwrap_err().to_string();
        assert!(error.contains("several nodes"), "{error}");
    }

    #[tokio::test]
    async fn a_failure_on_one_host_is_said_and_others_are_called_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let called = folder.path().join("called");
        let text = format!(
            "echo \"$1 $2 $3 $4\" >> {}; test $1 != 10.0.0.1",
            called.display()
        );
        let nodetool = script(&folder, &text);
        let hosts = ["10.0.0.1".to_owned(), "10.0.0.2".to_owned()];
        let words = ["compact", "ks", "t"];
        let error = nodetool.on_all(&hosts, &words, LIMIT).await.unwrap_err();
        assert!(error.contains("10.0.0.1 compact ks t` failed"), "{error}");
        let called = std::fs::read_to_string(called).unwrap();
        let mut lines: Vec<&str> = called.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["10.0.0.1 compact ks t", "10.0.0.2 compact ks t"]);
        let printed = nodetool.on_all(&hosts[1..], &words, LIMIT).await;
        assert_eq!(printed, Ok(vec![String::new()]));
    }

    #[tokio::test]
    async fn a_name_that_a_shell_would_act_on_is_not_handed_on() {
        let nodetool: Nodetool = "echo {host}".parse().unwrap();
        let hosts = ["h".to_owned()];
        let words = ["flush", "ks; reboot"];
        let error = nodetool.on_all(&hosts, &words, LIMIT).await.unwrap_err();
        assert!(error.contains("`ks; reboot`"), "{error}");
    }
}
