//! Several servers that form one cluster, all on this machine.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures::future::{join_all, try_join_all};

use super::credentials::Login;
use super::folder::Folder;
use super::heap::{heap_mib, smaller_heap};
use super::jars::{Jars, fetched_jars, find_jars};
use super::java::find_java;
use super::maven::check_room_for_jars;
use super::memory::{Servers, check_limit, check_room, check_room_together};
use super::naming;
use super::node::Node;
use super::options::ServerOptions;
use super::roles::set_up_roles;
use super::server::Server;
use super::usage::Usage;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::machine::{DeviceRequests, check_free_disk, device_requests, existing, load_average};
use crate::survey::check_home;

/// Longest time that the nodes may take to see each other after the last one has started.
const JOIN_LIMIT: Duration = Duration::from_secs(300);
const JOIN_POLL: Duration = Duration::from_millis(500);

/// The nodes of a cluster that answers CQL; often only one.
#[derive(Debug)]
pub struct Nodes {
    nodes: Vec<Server>,
    /// The options that they were started with.
    pub(super) options: ServerOptions,
    start_seconds: f64,
}

impl Nodes {
    /// Starts this many servers and waits until all of them see all others. Several servers have a
    /// folder each within that of the options. The options apply to each of them, but their heaps
    /// take at most a quarter of the memory together.
    ///
    /// The others start once the first one answers, all at the same time: they find it, and it
    /// knows already which part of the ring each of them has.
    ///
    /// # Errors
    /// The errors of [`Server::start`], for the first node that is not available; `Refused` when the
    /// machine lacks the memory for all; `NotAnswering` when they do not find each other within 300
    /// s.
    pub async fn start(options: ServerOptions, count: u8) -> Result<Nodes> {
        let began = Instant::now();
        let nodes = match count {
            0 | 1 => vec![Server::start(options.clone()).await?],
            several => start_several(options.clone(), several).await?,
        };
        Ok(Nodes {
            nodes,
            options,
            start_seconds: began.elapsed().as_secs_f64(),
        })
    }

    /// Finds what [`Nodes::start`] would refuse, as far as it can be known without creating,
    /// fetching or starting anything.
    ///
    /// # Errors
    /// Fails with `NoJava`, `NoMaven`; `Refused` for too little memory or disk, settings that cannot be
    /// chosen, a folder with files of others, a home that cannot be written, or a folder from which this
    /// Java cannot load classes.
    pub async fn check(options: &ServerOptions, count: u8) -> Result<()> {
        let count = count.max(1).saturating_add(options.later_nodes);
        for node in Node::all(count) {
            Folder::existing(folder_of(&options.dir, node)).check_contents()?;
        }
        let heap_mib = heap_mib(
            options.heap_mib,
            Node {
                number: 1,
                of: count,
            },
        )?;
        if let Some(bytes) = options.memory_limit_bytes {
            check_limit(bytes, heap_mib)?;
        }
        options.tuning.check(heap_mib)?;
        options.release().check_keys(&options.tuning)?;
        if count > 1 {
            check_room(count, heap_mib, options.memory_limit_bytes)?;
        }
        let java = find_java().await?;
        naming::check(&options.dir, &java.program)?;
        check_home(&options.home)?;
        if let Jars::Maven(_) = find_jars(&options.home, &options.version)? {
            check_room_for_jars(options.home.folder())?;
        }
        check_free_disk(existing(&options.dir), Engine::Cassandra)
    }

    /// Returns a warning that names the heap that each of `count` nodes gets, if it is smaller than the options ask for.
    pub fn smaller_heap(options: &ServerOptions, count: u8) -> Option<String> {
        let of = count.max(1).saturating_add(options.later_nodes);
        smaller_heap(options.heap_mib, Node { number: 1, of })
    }

    /// Checks that the machine has memory for the servers of several engines at the same time: the options and the
    /// number of nodes of each.
    ///
    /// # Errors
    /// Fails with `Refused` when it has not.
    pub fn check_room_together(all: &[(ServerOptions, u8)]) -> Result<()> {
        let mut servers = Vec::new();
        for (options, count) in all {
            let count = (*count).max(1).saturating_add(options.later_nodes);
            let first = Node {
                number: 1,
                of: count,
            };
            servers.push(Servers {
                name: &options.name,
                nodes: count,
                heap_mib: heap_mib(options.heap_mib, first)?,
                limit_bytes: options.memory_limit_bytes,
            });
        }
        check_room_together(&servers)
    }

    /// Describes what [`Nodes::start`] has to fetch first, which takes a while; `None` if
    /// everything is installed.
    pub fn fetches_first(options: &ServerOptions) -> Option<&'static str> {
        let jars = find_jars(&options.home, &options.version);
        matches!(jars, Ok(Jars::Maven(_))).then(|| fetched_jars(options.release()))
    }

    /// Stops all nodes in an orderly way, and removes their records. Their folders stay.
    ///
    /// # Errors
    /// The errors of [`Server::stop`], after trying all nodes.
    pub async fn stop(self) -> Result<()> {
        let stopped = join_all(self.nodes.into_iter().map(Server::stop)).await;
        stopped.into_iter().collect()
    }

    /// Returns the servers, in the order of their addresses, for disturbing them one by one.
    pub fn into_servers(self) -> Vec<Server> {
        self.nodes
    }

    /// Returns the output of `nodetool` for these arguments on each node; see
    /// [`Server::nodetool_within`].
    ///
    /// # Errors
    /// Fails with the error of the first node on which it failed.
    pub async fn nodetool_within(
        &self,
        arguments: &[&str],
        limit_seconds: u64,
    ) -> Result<Vec<String>> {
        let calls = self.nodes.iter();
        try_join_all(calls.map(|node| node.nodetool_within(arguments, limit_seconds))).await
    }

    /// Returns the name and the password that clients need, the same on every node.
    pub fn login(&self) -> &Login {
        self.first().login()
    }

    /// Returns the number of nodes.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the address at which each node answers CQL.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(Server::address).collect()
    }

    /// Returns the address at which the first node answers CQL. The others have the same port, and
    /// the addresses after it.
    pub fn address(&self) -> SocketAddr {
        self.first().address()
    }

    /// Returns the folder that holds those of all nodes.
    pub fn dir(&self) -> &Path {
        &self.options.dir
    }

    /// Returns the folders of their tables.
    pub fn data_dirs(&self) -> Vec<PathBuf> {
        self.nodes.iter().map(Server::data_dir).collect()
    }

    /// Returns their process ids.
    pub fn pids(&self) -> Vec<u32> {
        self.nodes.iter().map(Server::pid).collect()
    }

    /// Returns their version of Cassandra.
    pub fn version(&self) -> &str {
        self.first().version()
    }

    /// Returns the seconds until all answered and saw each other.
    pub fn start_seconds(&self) -> f64 {
        self.start_seconds
    }

    /// Returns the settings of [`Server::settings`], which are the same for each node.
    pub fn settings(&self) -> Vec<(String, String)> {
        self.first().settings()
    }

    /// Returns why a node runs as root, as [`Server::why_root`] does.
    pub fn why_root(&self) -> Option<&str> {
        self.nodes.iter().find_map(Server::why_root)
    }

    /// Returns the memory limit of all nodes together, in bytes.
    pub fn memory_limit_bytes(&self) -> Option<u64> {
        self.nodes.iter().map(Server::memory_limit_bytes).sum()
    }

    /// Returns whether all nodes run: figures of a cluster that lacks a node are not comparable.
    pub fn is_running(&self) -> bool {
        self.nodes.iter().all(Server::is_running)
    }

    /// Describes how nodes ended, with the last errors of their logs.
    pub fn why_stopped(&self) -> String {
        let ended = self.nodes.iter().filter(|node| !node.is_running());
        let reasons: Vec<String> = ended
            .map(|server| {
                let (node, why) = (server.details.node, server.why_stopped());
                if node.is_alone() {
                    why
                } else {
                    format!("{} is gone: {why}", node.name())
                }
            })
            .collect();
        reasons.join("; ")
    }

    /// Returns the CPU time of all nodes together, in seconds.
    ///
    /// # Errors
    /// Fails with `Gone` when one has ended.
    pub fn cpu_seconds(&self) -> Result<f64> {
        self.nodes.iter().map(Server::cpu_seconds).sum()
    }

    /// Returns the usage of all nodes together; a figure that is unknown for one of them is
    /// unknown.
    pub fn usage(&self) -> Usage {
        let mut usages = self.nodes.iter().map(Server::usage);
        let first = usages.next().unwrap_or_default();
        usages.fold(first, |sum, usage| sum.and(&usage))
    }

    /// Returns the requests that the device with the nodes' data has completed, those of other programs included;
    /// `None` if the system does not count them.
    pub fn device_requests(&self) -> Option<DeviceRequests> {
        device_requests(&self.options.dir)
    }

    /// Returns the load average of the whole machine over about a minute; `None` if the system does not say it.
    pub fn load_average(&self) -> Option<f64> {
        load_average()
    }

    /// Returns the servers, in the order of their addresses.
    pub(super) fn servers(&self) -> &[Server] {
        &self.nodes
    }

    fn first(&self) -> &Server {
        // A cluster has at least one node.
        &self.nodes[0]
    }
}

async fn start_several(mut options: ServerOptions, count: u8) -> Result<Vec<Server>> {
    let mut others = Node::all(count);
    let Some(first) = others.next() else {
        return Ok(Vec::new());
    };
    let together = count.saturating_add(options.later_nodes);
    let in_the_end = Node {
        of: together,
        ..first
    };
    options.heap_mib = heap_mib(options.heap_mib, in_the_end)?;
    check_room(together, options.heap_mib, options.memory_limit_bytes)?;
    let mut node = node_options(&options, first);
    // Nodes that knew each other before look for each other at their former ports.
    node.ports = Folder::existing(node.dir.clone()).earlier_ports();
    let first = Server::start(node).await?;
    options.ports = Some(first.details.ports);
    options.login = Some(first.login.clone());
    let starts = others.map(|node| Server::start(node_options(&options, node)));
    let mut nodes = vec![first];
    nodes.extend(try_join_all(starts).await?);
    wait_until_joined(&nodes).await?;
    set_up_roles(&nodes).await?;
    nodes.iter_mut().for_each(Server::keep_if_wanted);
    Ok(nodes)
}

/// Returns the options of a node of the cluster that has these.
pub(super) fn node_options(options: &ServerOptions, node: Node) -> ServerOptions {
    ServerOptions {
        dir: folder_of(&options.dir, node),
        name: format!("{}, {}", options.name, node.name()),
        node,
        ..options.clone()
    }
}

/// Returns the folder of a node within that of its cluster.
fn folder_of(dir: &Path, node: Node) -> PathBuf {
    if node.is_alone() {
        return dir.to_owned();
    }
    dir.join(format!("node{}", node.number))
}

/// Waits until every node sees every other one up and in the ring: before that, a write may find
/// too few replicas.
async fn wait_until_joined(nodes: &[Server]) -> Result<()> {
    let deadline = Instant::now() + JOIN_LIMIT;
    while Instant::now() < deadline {
        let seen = try_join_all(nodes.iter().map(|node| node.nodetool(&["status"]))).await?;
        if seen.iter().all(|text| up_and_normal(text) == nodes.len()) {
            return Ok(());
        }
        tokio::time::sleep(JOIN_POLL).await;
    }
    let first = nodes
        .first()
        .ok_or_else(|| Error::Refused("a cluster without nodes".into()))?;
    Err(Error::NotAnswering {
        engine: Engine::Cassandra,
        limit_seconds: JOIN_LIMIT.as_secs(),
        log: first.folder.log(),
    })
}

/// Counts the nodes that are up and have joined, in the output of `nodetool status`.
pub(super) fn up_and_normal(status: &str) -> usize {
    status
        .lines()
        .filter(|line| line.starts_with("UN "))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_count_that_are_up_and_have_joined() {
        let status = "Datacenter: datacenter1\n--  Address\nUN  127.0.0.1  1 KiB\n\
                      DN  127.0.0.2  1 KiB\nUJ  127.0.0.3  1 KiB\n";
        assert_eq!(up_and_normal(status), 1);
    }
}
