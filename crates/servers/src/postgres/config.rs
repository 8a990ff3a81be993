//! The file `postgresql.conf` of a server.

use std::fmt::Write;

use super::options::ServerOptions;
use crate::error::Result;
use crate::machine::memory_mib;

/// Share of the memory for the shared buffers, as a divisor, as recommended by PostgreSQL's manual.
const MEMORY_SHARE: u64 = 4;
/// The highest memory for the shared buffers in MiB, since the page cache and the clients need theirs.
const MOST_SHARED_MIB: u64 = 1024;

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
    let shared_mib = (memory_mib()? / MEMORY_SHARE).min(MOST_SHARED_MIB);
    let own = [
        ("shared_buffers", format!("{shared_mib}MB")),
        ("max_connections", options.max_connections.to_string()),
    ];
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

/// Returns the text of the file, with a listener on loopback only, and a cluster name that
/// distinguishes this server's processes from others.
pub(crate) fn text(settings: &[(String, String)], port: u16, cluster: &str) -> String {
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
}
