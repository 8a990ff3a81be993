//! The figures of servers as a table for a terminal: a line for each figure, a column for each server.

use std::fmt::Write;

use bakeoff_engines::nodes::{Exposed, Missing};
use bakeoff_engines::postgres_figures::{
    DatabaseFigures, Following, Hypertable, IndexFigures, Io, LongTransaction, Replica,
    ServerFigures, Sessions, Slot, TableFigures,
};
use bakeoff_report::units;

use crate::cmd::nodes::exposed::{exposed_hints, exposed_rows};
use crate::cmd::nodes::laid_out::Row;
use crate::cmd::nodes::shown::{self, METRICS, Server, counted, exposed, row};

#[cfg(test)]
mod tests;

impl Server for ServerFigures {
    fn address(&self) -> &str {
        &self.address
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    fn metrics(&self) -> Option<&Exposed> {
        self.metrics.as_ref()
    }

    fn missing(&self) -> &[Missing] {
        &self.missing
    }
}

/// Renders figures of servers, what is missing, and which option would bring more.
pub fn render(servers: &[ServerFigures], has_metrics: bool) -> String {
    let exposed = exposed(servers);
    let lines = [
        of_servers(servers),
        of_work(servers),
        exposed_rows(&exposed),
        of_parts(servers),
    ];
    let mut hints = exposed_hints(&exposed, false);
    hints.extend((!has_metrics).then_some(METRICS));
    let lines = lines.into_iter().flatten().collect();
    shown::render(servers, &headline(servers), lines, &hints)
}

fn headline(servers: &[ServerFigures]) -> String {
    let mut line = counted(servers, ("server", "servers"), "PostgreSQL");
    let bytes: Option<u64> = servers.iter().map(bytes_of).sum();
    if let Some(bytes) = bytes {
        let bytes = units::bytes(bytes as f64);
        // Writing to a String cannot fail.
        let _ = write!(line, ": databases have {bytes} together, with every copy");
    }
    line
}

/// Returns the bytes of all databases of a server, if all of them are known.
fn bytes_of(server: &ServerFigures) -> Option<u64> {
    let databases = server.databases.as_ref()?;
    databases.iter().map(|database| database.bytes).sum()
}

fn of_servers(servers: &[ServerFigures]) -> Vec<Row> {
    vec![
        row(servers, "version", |s| s.version.clone()),
        row(servers, "role", |s| {
            let role = if s.is_standby? { "standby" } else { "primary" };
            Some(role.to_owned())
        }),
        row(servers, "follows", |s| follows(s.following.as_ref()?)),
        row(servers, "behind", |s| behind(s.following.as_ref()?)),
        row(servers, "up", |s| s.up_seconds.map(units::duration)),
        row(servers, "TimescaleDB", |s| s.timescale.clone()),
        row(servers, "bytes of databases", |s| bytes_of(s).map(size)),
        row(servers, "sessions", |s| sessions(s.sessions?)),
        row(servers, "in a transaction and idle", |s| {
            s.sessions?.idle_in_transaction.map(units::count)
        }),
        row(servers, "waiting for a lock", |s| {
            s.sessions?.waiting.map(units::count)
        }),
        row(servers, "longest transaction", |s| {
            let long = s.long_transactions.as_ref()?;
            long.first()
                .map_or(Some("none above 60 s".to_owned()), long_transaction)
        }),
    ]
}

fn follows(following: &Following) -> Option<String> {
    let status = following.status.as_ref()?;
    Some(match &following.primary {
        Some(primary) => format!("{primary}, {status}"),
        None => status.clone(),
    })
}

fn behind(following: &Following) -> Option<String> {
    let bytes = size(following.behind_bytes?);
    Some(match following.behind_seconds {
        Some(seconds) => format!("{bytes}, {}", time(seconds)),
        None => bytes,
    })
}

fn sessions(sessions: Sessions) -> Option<String> {
    let (open, limit) = (sessions.open?, sessions.limit?);
    let all = format!("{} of {}", units::count(open), units::count(limit));
    Some(match sessions.active {
        Some(active) => format!("{all}, {} active", units::count(active)),
        None => all,
    })
}

fn long_transaction(long: &LongTransaction) -> Option<String> {
    let state = long.state.as_deref().unwrap_or("state unknown");
    let process = long.process.unwrap_or_default();
    Some(format!(
        "{}, {state}, process {process}",
        time(long.seconds?)
    ))
}

fn of_work(servers: &[ServerFigures]) -> Vec<Row> {
    let of_all =
        |label: &str, get: fn(&DatabaseFigures) -> Option<u64>, show: fn(u64) -> String| {
            row(servers, label, |server| {
                let databases = server.databases.as_ref()?;
                let sum: Option<u64> = databases.iter().map(get).sum();
                sum.map(show)
            })
        };
    vec![
        row(servers, "found in buffers", |s| {
            let sum = |get: fn(&DatabaseFigures) -> Option<u64>| -> Option<u64> {
                s.databases.as_ref()?.iter().map(get).sum()
            };
            let all = DatabaseFigures {
                blocks_hit: sum(|d| d.blocks_hit),
                blocks_read: sum(|d| d.blocks_read),
                ..DatabaseFigures::default()
            };
            all.hit_ratio().map(percent)
        }),
        of_all("rows gone over", |d| d.tuples_returned, units::count),
        of_all("rows fetched by index", |d| d.tuples_fetched, units::count),
        of_all("rows written", |d| d.tuples_written, units::count),
        of_all("temporary files", |d| d.temp_files, units::count),
        of_all("bytes of these", |d| d.temp_bytes, size),
        of_all("deadlocks", |d| d.deadlocks, units::count),
        row(servers, "checkpoints", |s| {
            let checkpoints = s.checkpoints?;
            let timed = units::count(checkpoints.timed?);
            let requested = units::count(checkpoints.requested?);
            Some(format!("{timed} timed, {requested} requested"))
        }),
        row(servers, "written to the log", |s| s.wal?.bytes.map(size)),
        row(servers, "files of the log", |s| {
            s.wal?.folder_bytes.map(size)
        }),
        row(servers, "reads", |s| reads(s.io?)),
        row(servers, "writes", |s| writes(s.io?)),
    ]
}

fn reads(io: Io) -> Option<String> {
    requests(io.reads?, io.read_bytes, io.read_seconds)
}

fn writes(io: Io) -> Option<String> {
    requests(io.writes?, io.written_bytes, io.write_seconds)
}

fn requests(count: u64, bytes: Option<u64>, seconds: Option<f64>) -> Option<String> {
    let bytes = bytes.map(|bytes| format!(", {}", size(bytes)));
    let seconds = seconds.map(|seconds| format!(", {}", time(seconds)));
    let (bytes, seconds) = (bytes.unwrap_or_default(), seconds.unwrap_or_default());
    Some(format!("{}{bytes}{seconds}", units::count(count)))
}

/// Lists databases, tables, indexes, hypertables, replicas and slots, each below a title.
fn of_parts(servers: &[ServerFigures]) -> Vec<Row> {
    let databases = parts(
        servers,
        "Databases",
        |s| s.databases.as_deref(),
        |d: &DatabaseFigures| (d.name.clone(), d.bytes.map(size)),
    );
    let tables = parts(
        servers,
        "Tables",
        |s| s.tables.as_deref(),
        |t: &TableFigures| (format!("{}.{}", t.schema, t.name), table(t)),
    );
    let indexes = parts(
        servers,
        "Indexes",
        |s| s.indexes.as_deref(),
        |i: &IndexFigures| {
            let scans = i.scans.map(|scans| units::plural(scans, "scan", "scans"));
            let words = i
                .bytes
                .zip(scans)
                .map(|(bytes, scans)| format!("{}, {scans}", size(bytes)));
            (format!("{}.{} of {}", i.schema, i.name, i.table), words)
        },
    );
    let hypertables = parts(
        servers,
        "Hypertables",
        |s| s.hypertables.as_deref(),
        |h: &Hypertable| (format!("{}.{}", h.schema, h.name), hypertable(h)),
    );
    let replicas = parts(
        servers,
        "Replicas",
        |s| s.replicas.as_deref(),
        |r: &Replica| {
            let at = r.address.as_ref().map(|address| format!(" at {address}"));
            (format!("{}{}", r.name, at.unwrap_or_default()), replica(r))
        },
    );
    let slots = parts(
        servers,
        "Replication slots",
        |s| s.slots.as_deref(),
        |slot: &Slot| (slot.name.clone(), slot_in_words(slot)),
    );
    let all = [replicas, slots, databases, tables, indexes, hypertables];
    all.into_iter().flatten().collect()
}

/// Lists the parts of servers that have a name, in the order in which they come, with what is said of each.
fn parts<T>(
    servers: &[ServerFigures],
    title: &str,
    of: impl Fn(&ServerFigures) -> Option<&[T]>,
    say: impl Fn(&T) -> (String, Option<String>),
) -> Vec<Row> {
    let said: Vec<Vec<(String, Option<String>)>> = { servers.iter() }
        .map(|server| of(server).unwrap_or_default().iter().map(&say).collect())
        .collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in said.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![Row {
        label: title.to_owned(),
        cells: Vec::new(),
    }];
    for name in names {
        let cell = |parts: &Vec<(String, Option<String>)>| {
            let part = parts.iter().find(|(known, _)| known == name);
            // A part of which nothing more is known has its line all the same.
            part.map(|(_, words)| words.clone().unwrap_or_else(|| "–".to_owned()))
        };
        rows.push(Row {
            label: format!("  {name}"),
            cells: said.iter().map(cell).collect(),
        });
    }
    rows
}

fn table(table: &TableFigures) -> Option<String> {
    let mut words = size(table.bytes?);
    if let Some(bytes) = table.index_bytes.filter(|bytes| *bytes > 0) {
        let _ = write!(words, ", {} of it indexes", size(bytes));
    }
    if let Some(dead) = table.dead_ratio() {
        let _ = write!(words, ", {} dead", percent(dead));
    }
    match table.vacuumed_seconds_ago {
        Some(seconds) => {
            let _ = write!(words, ", vacuumed {} ago", time(seconds));
        }
        None => words.push_str(", never vacuumed"),
    }
    Some(words)
}

fn hypertable(table: &Hypertable) -> Option<String> {
    let chunks = units::plural(table.chunks?, "chunk", "chunks");
    let mut words = format!("{} in {chunks}", size(table.bytes?));
    if let Some(compressed) = table.compressed_chunks {
        let _ = write!(words, ", {} compressed", units::count(compressed));
    }
    if let Some((before, now)) = table.uncompressed_bytes.zip(table.compressed_bytes)
        && before > 0
    {
        let _ = write!(words, " to {}", percent(now as f64 / before as f64));
    }
    Some(words)
}

fn replica(replica: &Replica) -> Option<String> {
    let state = replica.state.as_ref()?;
    let sync = replica.sync_state.as_deref().unwrap_or_default();
    let lag = replica
        .lag_bytes
        .map(|bytes| format!(", {} behind", size(bytes)));
    let seconds = replica
        .lag_seconds
        .map(|seconds| format!(", {}", time(seconds)));
    let (lag, seconds) = (lag.unwrap_or_default(), seconds.unwrap_or_default());
    Some(format!("{state}, {sync}{lag}{seconds}"))
}

fn slot_in_words(slot: &Slot) -> Option<String> {
    let active = if slot.active? { "active" } else { "not active" };
    Some(match slot.kept_bytes {
        Some(bytes) => format!("{active}, keeps {} of the log", size(bytes)),
        None => active.to_owned(),
    })
}

fn size(bytes: u64) -> String {
    units::bytes(bytes as f64)
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// Writes a time, of which nothing below a millisecond matters.
fn time(seconds: f64) -> String {
    if seconds < 0.0005 {
        "0 s".to_owned()
    } else {
        units::duration(seconds)
    }
}
