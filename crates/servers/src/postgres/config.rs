//! The file `postgresql.conf` of a server.

use std::fmt::Write;

use super::details::Details;
use super::folder::{DATA, Folder};
use super::options::ServerOptions;
use crate::account::Account;
use crate::error::{Error, Result};
use crate::machine::{available_mib, memory_mib};

/// Share of the memory for the shared buffers, as a divisor, as recommended by PostgreSQL's manual.
const MEMORY_SHARE: u64 = 4;
/// The highest memory for the shared buffers in MiB, since the page cache and the clients need theirs.
const MOST_SHARED_MIB: u64 = 1024;

/// Memory that a server without clients takes in addition to its shared buffers, in MiB.
const OWN_MIB: u64 = 64;
/// Connections that standbys may need in addition to one each: two while one of them is copied.
const FURTHER_SENDERS: u8 = 4;

/// Settings of every server.
const SETTINGS: [(&str, &str); 6] = [
    ("work_mem", "64MB"),
    ("max_wal_size", "4GB"),
    ("timezone", "UTC"),
    ("log_timezone", "UTC"),
    ("log_line_prefix", "%m [%p] "),
    ("lc_messages", "C"),
];

const TIMESCALE_SETTINGS: [(&str, &str); 3] = [
    ("shared_preload_libraries", "timescaledb"),
    ("timescaledb.telemetry_level", "off"),
    // The scheduler of TimescaleDB needs some of them.
    ("max_worker_processes", "16"),
];

/// Returns the settings that a report shows.
pub(crate) fn settings(options: &ServerOptions) -> Result<Vec<(String, String)>> {
    let shared_mib = shared_mib(memory_mib()?, options.standbys);
    let mut own = vec![
        ("shared_buffers", format!("{shared_mib}MB")),
        ("max_connections", options.max_connections.to_string()),
    ];
    if options.standbys > 0 {
        // A standby refuses to start with lower ones than its primary has.
        let most = options.standbys.saturating_add(FURTHER_SENDERS).to_string();
        own.push(("max_wal_senders", most.clone()));
        own.push(("max_replication_slots", most));
    }
    let timescale = if options.timescale {
        &TIMESCALE_SETTINGS[..]
    } else {
        &[]
    };
    let fixed = SETTINGS
        .iter()
        .chain(timescale)
        .map(|(name, value)| (*name, (*value).to_owned()));
    Ok(own
        .into_iter()
        .chain(fixed)
        .map(|(name, value)| (name.to_owned(), value))
        .chain(options.settings.clone())
        .collect())
}

/// Returns the shared buffers in MiB of each of a primary and its standbys, which together take no more than a
/// server alone may.
fn shared_mib(memory_mib: u64, standbys: u8) -> u64 {
    (memory_mib / MEMORY_SHARE / (u64::from(standbys) + 1)).min(MOST_SHARED_MIB)
}

/// Checks that the memory suffices for a primary with these standbys.
///
/// # Errors
/// Fails with `Refused` if it does not.
pub(crate) fn check_memory(standbys: u8) -> Result<()> {
    check_memory_of(standbys, memory_mib()?, available_mib()?)
}

fn check_memory_of(standbys: u8, memory_mib: u64, available_mib: u64) -> Result<()> {
    let servers = u64::from(standbys) + 1;
    let needed_mib = servers * (shared_mib(memory_mib, standbys) + OWN_MIB);
    if needed_mib <= available_mib {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "a PostgreSQL with {standbys} standbys needs {needed_mib} MiB of memory, and {available_mib} MiB are \
         available: stop other programs, or ask for fewer with --postgres-standbys"
    )))
}

/// Writes the file of a server.
pub(super) fn write(
    folder: &Folder,
    settings: &[(String, String)],
    details: &Details,
    account: Option<&Account>,
) -> Result<()> {
    let text = text(settings, details.port, &details.cluster);
    let data = folder.opened().folder(DATA)?;
    data.write_private("postgresql.conf", &text, account)
}

/// Returns the text of the file, with a listener on loopback only, and a cluster name that
/// distinguishes this server's processes from others.
fn text(settings: &[(String, String)], port: u16, cluster: &str) -> String {
    let mut text = format!(
        "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = ''\n\
         cluster_name = '{cluster}'\n"
    );
    for (name, value) in settings {
        let value = value.replace('\\', "\\\\").replace('\'', "''");
        // Writing to a string does not fail.
        writeln!(text, "{name} = '{value}'").ok();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::Home;

    #[test]
    fn what_is_asked_for_comes_last_and_nothing_but_loopback_is_listened_on() {
        let mut options = ServerOptions::new(Home::new("/h").unwrap(), "/d");
        options.max_connections = 7;
        options.settings = vec![("work_mem".into(), "1'\\".into())];
        let plain = settings(&options).unwrap();
        assert!(plain.contains(&("max_connections".into(), "7".into())));
        let text = text(&plain, 5555, "name");
        assert!(text.starts_with("listen_addresses = '127.0.0.1'\nport = 5555\n"));
        assert!(text.contains("unix_socket_directories = ''\n"));
        assert!(text.ends_with("work_mem = '1''\\\\'\n"), "{text}");
        assert!(!text.contains("timescaledb"));
        options.timescale = true;
        assert!(settings(&options).unwrap().len() > plain.len());
    }

    #[test]
    fn a_primary_and_its_standbys_share_the_memory_of_one_server() {
        let together = |standbys: u8| (u64::from(standbys) + 1) * shared_mib(4096, standbys);
        assert_eq!([0, 1, 3].map(together), [1024; 3]);
        assert_eq!([0, 1].map(|s| shared_mib(1 << 20, s)), [MOST_SHARED_MIB; 2]);
        check_memory_of(3, 4096, 1024 + 4 * OWN_MIB).unwrap();
        let error = check_memory_of(3, 4096, 1024).unwrap_err().to_string();
        let words = "a PostgreSQL with 3 standbys needs 1280 MiB of memory, and 1024 MiB";
        assert!(error.starts_with(words), "{error}");
    }

    #[test]
    fn servers_with_standbys_have_room_for_each_of_them() {
        let mut options = ServerOptions::new(Home::new("/h").unwrap(), "/d");
        let senders = |options: &ServerOptions| {
            let settings = settings(options).unwrap().into_iter();
            let mut settings = settings.filter(|(name, _)| name == "max_wal_senders");
            settings.next().map(|(_, value)| value)
        };
        assert_eq!(senders(&options), None);
        options.standbys = 8;
        assert_eq!(senders(&options).as_deref(), Some("12"));
    }
}
