//! What the tables of Cassandra's nodes and of PostgreSQL's servers have in common: the first line, a cell of each
//! server, and what is listed below the figures.

use std::collections::BTreeSet;
use std::fmt::Write;

use bakeoff_engines::nodes::{Exposed, Missing};
use bakeoff_report::units;

use super::exposed::not_available;
use super::laid_out::{Row, laid_out, list, missing};
use crate::terminal::on_one_line;

/// The option that brings figures of machines.
pub const METRICS: &str =
    "--metrics 'http://{host}:9100/metrics': CPU, page cache, disks with their queue, network";

/// A server whose figures have a column.
pub trait Server {
    /// Returns the address at which it is asked.
    fn address(&self) -> &str;

    /// Returns the version; `None` if the server does not answer.
    fn version(&self) -> Option<&str>;

    /// Returns what exporters expose of it.
    fn metrics(&self) -> Option<&Exposed>;

    /// Returns what is not available, with the reason.
    fn missing(&self) -> &[Missing];
}

/// Makes a line of one figure, with a cell for each server.
pub fn row<S>(servers: &[S], label: &str, show: impl Fn(&S) -> Option<String>) -> Row {
    Row {
        label: label.to_owned(),
        cells: servers.iter().map(show).collect(),
    }
}

/// Returns what exporters expose of each server.
pub fn exposed<S: Server>(servers: &[S]) -> Vec<Option<&Exposed>> {
    servers.iter().map(Server::metrics).collect()
}

/// Counts the servers of a system, which have a name for one and for several, with their versions.
pub fn counted<S: Server>(servers: &[S], (one, several): (&str, &str), system: &str) -> String {
    let versions: BTreeSet<&str> = servers.iter().filter_map(Server::version).collect();
    let versions: Vec<&str> = versions.into_iter().collect();
    let mut line = units::plural(servers.len() as u64, one, several);
    // Writing to a String cannot fail.
    if !versions.is_empty() {
        let versions = on_one_line(&versions.join(" and "));
        let _ = write!(line, " of {system} {versions}");
    }
    let silent = servers.iter().filter(|server| server.version().is_none());
    let silent = silent.count();
    if silent > 0 {
        let _ = write!(line, ", of which {silent} did not answer");
    }
    line
}

/// Renders the lines below the first one and the addresses, then what is missing, what options would bring, and what
/// none does.
pub fn render<S: Server>(servers: &[S], headline: &str, lines: Vec<Row>, hints: &[&str]) -> String {
    let mut rows = vec![row(servers, "", |server| Some(server.address().to_owned()))];
    rows.extend(lines);
    let lacking = { servers.iter() }.map(|server| (server.address(), server.missing()));
    let missing = missing(&lacking.collect::<Vec<_>>());
    [
        format!("{headline}\n\n"),
        laid_out(&rows),
        list("Not available", &missing),
        list("More of it", hints),
        list("Not available", &not_available(&exposed(servers))),
    ]
    .concat()
}
