//! Cutting nodes off from each other: packets between them are dropped, which takes root and `nft`.
//!
//! A node listens on its own address, but its connections to others come from 127.0.0.1, whichever node it is:
//! Cassandra binds them to no address, and the system takes that one for all of 127.0.0.0/8. So addresses do not
//! tell who sends, and a cut is made of connections: those that the process of a node has to another one are
//! looked up, and their packets are dropped in both directions. As long as anything is cut, no node makes new
//! connections. When a cut ends, the same connections go on, as in a network that was away for a while. All rules
//! are about the loopback interface alone, and a second process removes them when the test has ended, even if it
//! was killed.

use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use bakeoff_servers::cassandra::Server;
use bakeoff_testing::nft::{can_make, nft, remover};
use bakeoff_testing::skipped;
use tokio::time::sleep;

/// The beginning of the name of the table with our rules, which ends with the id of this process.
const TABLE: &str = "bakeoff_three_nodes_";

/// The state of an established connection in the lists of the system.
const ESTABLISHED: &str = "01";

/// The longest time that nodes may take to connect again after what happened before, next to other tests.
const CONNECTED_WITHIN: Duration = Duration::from_secs(600);

/// The means to cut nodes off.
pub struct Links {
    table: String,
    /// Deletes the table when its input is closed, which happens when this is dropped.
    _remover: Child,
}

/// Nodes that are cut off from each other until this is dropped.
pub struct Cut<'a>(&'a Links);

/// A connection of any process, seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Connection {
    local: SocketAddrV4,
    remote: SocketAddrV4,
    inode: u64,
}

impl Links {
    /// Removes what is left of a test that was killed together with its remover, and returns `None` with a
    /// note if nothing can be cut here.
    pub fn new() -> Option<Links> {
        remove_left_over();
        let table = format!("{TABLE}{}", std::process::id());
        if !can_cut(&table) {
            return None;
        }
        Some(Links {
            _remover: remover(&table),
            table,
        })
    }

    /// Cuts pairs of nodes off from each other.
    pub async fn cut(&self, pairs: &[(&Server, &Server)]) -> Cut<'_> {
        let began = Instant::now();
        while !pairs.iter().all(are_connected) {
            assert!(began.elapsed() < CONNECTED_WITHIN, "nodes do not connect");
            sleep(Duration::from_millis(100)).await;
        }
        let table = &self.table;
        let port = pairs[0].0.storage_port();
        let cut = Cut(self);
        nft(&no_new_connections(table, port)).unwrap();
        let mut rules = String::new();
        for (one, other) in pairs {
            let (there, back) = (connections(one, other), connections(other, one));
            for connection in there.iter().chain(&back) {
                rules += &rule(table, connection.local, connection.remote);
                rules += &rule(table, connection.remote, connection.local);
            }
        }
        nft(&rules).unwrap();
        cut
    }
}

impl Cut<'_> {
    /// Ends the cut.
    ///
    /// # Panics
    /// Panics if it has cut nothing.
    pub fn heal(self) {
        let listed = Command::new("nft")
            .args(["list", "table", "ip", &self.0.table])
            .output()
            .unwrap();
        let packets = dropped(&String::from_utf8_lossy(&listed.stdout));
        println!("{packets} packets were dropped");
        assert!(packets > 0, "{listed:?}");
    }
}

impl Drop for Cut<'_> {
    fn drop(&mut self) {
        if let Err(reason) = nft(&format!("delete table ip {}\n", self.0.table)) {
            eprintln!("the rules of {} stay: {reason}", self.0.table);
        }
    }
}

/// Returns whether tables of rules can be made here, and says so if not.
fn can_cut(table: &str) -> bool {
    let Err(reason) = can_make(table) else {
        return true;
    };
    skipped(format_args!("{reason}; a node stands still instead"));
    false
}

fn remove_left_over() {
    for table in left_over(&tables()) {
        // If another test does the same at the same time, one of the two fails.
        let _ = nft(&format!("delete table ip {table}\n"));
    }
}

/// Returns the list of all tables, which is empty if nft is not there.
fn tables() -> String {
    let listed = Command::new("nft").args(["list", "tables", "ip"]).output();
    let text = listed.map_or_else(|_| Vec::new(), |listed| listed.stdout);
    String::from_utf8_lossy(&text).into_owned()
}

/// Returns our tables, in a list of all, whose processes are no more.
fn left_over(tables: &str) -> Vec<&str> {
    let names = tables.lines().filter_map(|line| line.split(' ').nth(2));
    let is_left = |name: &&str| {
        let process = name.strip_prefix(TABLE);
        process.is_some_and(|pid| !Path::new("/proc").join(pid).exists())
    };
    names.filter(is_left).collect()
}

/// Returns commands that make a table, whose rule keeps nodes from making connections: others may have the same
/// port at another address.
fn no_new_connections(table: &str, port: u16) -> String {
    format!(
        "add table ip {table}\n\
         add chain ip {table} input {{ type filter hook input priority 0 ; policy accept ; }}\n\
         add rule ip {table} input iif lo ip daddr 127.0.0.0/8 tcp dport {port} \
         tcp flags & (fin | syn | rst | ack) == syn drop\n"
    )
}

fn rule(table: &str, from: SocketAddrV4, to: SocketAddrV4) -> String {
    format!(
        "add rule ip {table} input iif lo ip daddr {} tcp dport {} ip saddr {} tcp sport {} \
         counter drop\n",
        to.ip(),
        to.port(),
        from.ip(),
        from.port()
    )
}

/// Adds up the packets of all counters in a listed table.
fn dropped(table: &str) -> u64 {
    let counts = table.split("counter packets ").skip(1);
    counts
        .filter_map(|rest| rest.split(' ').next()?.parse::<u64>().ok())
        .sum()
}

/// Returns whether each of two nodes has connections to the other one.
fn are_connected((one, other): &(&Server, &Server)) -> bool {
    !connections(one, other).is_empty() && !connections(other, one).is_empty()
}

/// Returns the connections that one node has made to another one.
fn connections(from: &Server, to: &Server) -> Vec<Connection> {
    let IpAddr::V4(address) = to.address().ip() else {
        panic!("{}", to.address());
    };
    let there = SocketAddrV4::new(address, to.storage_port());
    let own = sockets(from.pid());
    let lists = ["/proc/net/tcp", "/proc/net/tcp6"].map(|list| fs::read_to_string(list).ok());
    let lines = lists.iter().flatten().flat_map(|list| list.lines());
    let established = lines.filter_map(connection);
    established
        .filter(|connection| connection.remote == there && own.contains(&connection.inode))
        .collect()
}

/// Returns the inodes of the sockets of a process.
fn sockets(pid: u32) -> HashSet<u64> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let targets = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
    let inode = |target: PathBuf| {
        let name = target.to_str()?.strip_prefix("socket:[")?;
        name.strip_suffix(']')?.parse().ok()
    };
    targets.filter_map(inode).collect()
}

/// Reads a line of a list of the system, if it is that of an established connection.
fn connection(line: &str) -> Option<Connection> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    if *fields.get(3)? != ESTABLISHED {
        return None;
    }
    Some(Connection {
        local: address(fields[1])?,
        remote: address(fields[2])?,
        inode: fields.get(9)?.parse().ok()?,
    })
}

fn address(text: &str) -> Option<SocketAddrV4> {
    let (ip, port) = text.split_once(':')?;
    // The four bytes of the address are printed as one number of this machine, in the list of IPv6 after others.
    let ip = ip.get(ip.len().checked_sub(8)?..)?;
    let ip = u32::from_str_radix(ip, 16).ok()?.to_ne_bytes();
    Some(SocketAddrV4::new(
        Ipv4Addr::from(ip),
        u16::from_str_radix(port, 16).ok()?,
    ))
}

#[cfg(target_endian = "little")]
#[test]
fn a_connection_is_read_from_the_list_of_the_system() {
    let line = "   3: 0100007F:C350 0200007F:1B58 01 00000000:00000000 02:000005A3 00000000     0        \
                0 48213 2 0000000000000000 20 4 30 10 -1";
    let found = connection(line).unwrap();
    assert_eq!(found.local, "127.0.0.1:50000".parse().unwrap());
    assert_eq!(found.remote, "127.0.0.2:7000".parse().unwrap());
    assert_eq!(found.inode, 48213);
    let mapped = line.replace("0200007F", "0000000000000000FFFF00000200007F");
    assert_eq!(connection(&mapped), Some(found));
    assert_eq!(connection(&line.replace(" 01 ", " 0A ")), None);
    assert_eq!(connection("  sl  local_address rem_address   st"), None);
}

#[test]
fn what_nft_lists_is_understood() {
    let table = "table ip bakeoff_three_nodes_1 {\n chain input {\n \
                 iif \"lo\" ip daddr 127.0.0.0/8 tcp dport 7000 tcp flags syn drop\n \
                 iif \"lo\" ip saddr 127.0.0.1 tcp sport 5 counter packets 12 bytes 720 drop\n \
                 iif \"lo\" ip saddr 127.0.0.2 tcp sport 7000 counter packets 3 bytes 180 drop\n }\n}\n";
    assert_eq!(dropped(table), 15);
    let own = format!("{TABLE}{}", std::process::id());
    let tables = format!("table ip filter\ntable ip {own}\ntable ip {TABLE}4294967295\n");
    assert_eq!(left_over(&tables), [format!("{TABLE}4294967295")]);
}

#[test]
fn rules_are_about_the_loopback_interface_alone() {
    let node = |text: &str| text.parse::<SocketAddrV4>().unwrap();
    let mut commands = no_new_connections("table", 7000);
    commands += &rule("table", node("127.0.0.1:50000"), node("127.0.0.2:7000"));
    let rules: Vec<&str> = commands
        .lines()
        .filter(|line| line.starts_with("add rule "))
        .collect();
    assert_eq!(rules.len(), 2);
    let begin = "add rule ip table input iif lo ip daddr 127.";
    assert!(
        rules.iter().all(|rule| rule.starts_with(begin)),
        "{rules:?}"
    );
}

#[test]
fn rules_are_removed_when_the_test_has_ended() {
    // Not the table of the other test of this process, nor one that tests take for left over.
    let table = format!("bakeoff_removed_{}", std::process::id());
    if !can_cut(&table) {
        return;
    }
    let mut remover = remover(&table);
    nft(&no_new_connections(&table, 7000)).unwrap();
    assert!(tables().contains(&table));
    // This closes the pipe first, as the system does at the end of a process.
    assert!(remover.wait().unwrap().success());
    assert!(!tables().contains(&table));
}
