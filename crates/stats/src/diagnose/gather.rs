//! Figures of all nodes that have them, or why none has.

use super::evidence::{Evidence, Node, Share, Table};
use super::finding::{NotChecked, Outcome};

/// Option that reaches nodetool.
pub const NODETOOL: &str = "--nodetool 'ssh {host} nodetool'";
/// Option that reads exporters.
pub const METRICS: &str =
    "--metrics 'http://{host}:7070/metrics' or --nodetool 'ssh {host} nodetool'";
/// Fewest reads from which a figure of a table is taken for its usual one.
pub const FEWEST_READS: u64 = 100;

/// Where a figure comes from.
#[derive(Clone, Copy)]
pub struct Source {
    /// Name of the view, or of the call of nodetool.
    pub view: &'static str,
    /// Option that would bring it, unless it was given.
    pub brings: Option<&'static str>,
}

/// A view, which needs no option.
pub const fn view(view: &'static str) -> Source {
    Source { view, brings: None }
}

/// A call of nodetool.
pub const fn nodetool(view: &'static str) -> Source {
    Source {
        view,
        brings: Some(NODETOOL),
    }
}

/// Returns a figure of each node that has it.
///
/// # Errors
/// Says why no node has it.
pub fn of_nodes<'a, T>(
    evidence: &'a Evidence,
    source: Source,
    get: impl Fn(&'a Node) -> Option<T>,
) -> Result<Vec<(&'a Node, T)>, NotChecked> {
    let nodes = evidence.nodes.iter();
    let known: Vec<_> = nodes.filter_map(|node| Some((node, get(node)?))).collect();
    if !known.is_empty() {
        return Ok(known);
    }
    let reason = evidence.nodes.iter().find_map(|node| node.why(source.view));
    let is_given = source.brings.is_some_and(|_| evidence.asked.nodetool);
    let reason = match reason {
        Some(reason) => format!("{}: {reason}", source.view),
        None => format!("no node shows it ({})", source.view),
    };
    Err(NotChecked {
        reason,
        brings: source.brings.filter(|_| !is_given),
    })
}

/// Returns that the nodes are healthy, if each of them shows what was looked at: one that does not may be the one with
/// the fault, such as a node that is too slow to answer.
///
/// # Errors
/// Says which node does not show it, and why.
pub fn healthy_if_all_show(
    evidence: &Evidence,
    source: Source,
    shows: impl Fn(&Node) -> bool,
) -> Result<Outcome, NotChecked> {
    let Some(node) = evidence.nodes.iter().find(|node| !shows(node)) else {
        return Ok(Outcome::Healthy);
    };
    let address = &node.address;
    Err(NotChecked::new(match node.why(source.view) {
        _ if node.version.is_none() => format!("{address} does not answer"),
        Some(reason) => format!("{address}: {}: {reason}", source.view),
        None => format!("{address} does not show it ({})", source.view),
    }))
}

/// Returns a figure of a table on each node that has it.
///
/// # Errors
/// Says why no node has it.
pub fn of_shares<'a, T>(
    evidence: &'a Evidence,
    table: usize,
    source: Source,
    get: impl Fn(&'a Share) -> Option<T>,
) -> Result<Vec<(&'a Node, T)>, NotChecked> {
    of_nodes(evidence, source, |node| get(node.tables.get(table)?))
}

/// Returns a figure of a table's reads on each node that has served enough of them.
///
/// # Errors
/// Says that there were too few reads, or why the figure is not known.
pub fn of_reads<'a, T>(
    evidence: &'a Evidence,
    table: usize,
    source: Source,
    get: impl Fn(&'a Share) -> Option<T>,
) -> Result<Vec<(&'a Node, T)>, NotChecked> {
    enough_reads(evidence, table)?;
    let is_read = |share: &Share| share.local_reads.count >= Some(FEWEST_READS);
    of_shares(evidence, table, source, |share| {
        get(share).filter(|_| is_read(share))
    })
}

/// Checks that a table was read often enough on at least one node.
///
/// # Errors
/// Says how often it was read, or why that is not known.
pub fn enough_reads(evidence: &Evidence, table: usize) -> Result<(), NotChecked> {
    let reads = of_shares(evidence, table, view("local_read_latency"), |share| {
        share.local_reads.count
    })?;
    match reads.iter().map(|(_, count)| *count).max() {
        None | Some(0) => Err(NotChecked::new("no reads since the nodes started")),
        Some(most) if most < FEWEST_READS => Err(NotChecked::new(format!(
            "only {most} reads of a node since it started, fewer than {FEWEST_READS}"
        ))),
        Some(_) => Ok(()),
    }
}

/// Returns the node with the greatest figure.
pub fn greatest<'a>(figures: &[(&'a Node, f64)]) -> Option<(&'a Node, f64)> {
    let mut most: Option<(&'a Node, f64)> = None;
    for (node, figure) in figures {
        if most.is_none_or(|(_, greatest)| *figure > greatest) {
            most = Some((*node, *figure));
        }
    }
    most
}

/// Returns the engine that has the version of the nodes.
pub fn engine(evidence: &Evidence) -> &'static str {
    let versions = || evidence.nodes.iter().filter_map(|n| n.version.as_deref());
    let is_4 = versions().next().is_some() && versions().all(|version| version.starts_with("4."));
    if is_4 { "cassandra-4" } else { "cassandra" }
}

/// Returns the id of a design like a table, with these settings.
pub fn design(evidence: &Evidence, table: usize, settings: &str) -> String {
    let engine = engine(evidence);
    let has_order = |table: &Table| table.has_order_key;
    let has_order = evidence.tables.get(table).is_some_and(has_order);
    let layout = if has_order { "wide" } else { "narrow" };
    match settings {
        "" => format!("{engine}/{layout}"),
        settings => format!("{engine}/{layout}?{settings}"),
    }
}

/// Returns whether all nodes are of Cassandra 5.
pub fn is_5(evidence: &Evidence) -> bool {
    let versions = evidence.nodes.iter().filter_map(|n| n.version.as_deref());
    let mut versions = versions.peekable();
    versions.peek().is_some() && versions.all(|version| version.starts_with("5."))
}

/// Returns the designs like a table with each of these settings; those of Cassandra 5 only where all nodes are of it.
pub fn designs(evidence: &Evidence, table: usize, settings: &[&str]) -> Vec<String> {
    let is_5 = is_5(evidence);
    let there = settings.iter().filter(|s| is_5 || !s.contains("UCS"));
    there.map(|s| design(evidence, table, s)).collect()
}

/// Returns a table as the schema has it.
///
/// # Errors
/// Says why its schema is not known.
pub fn schema(evidence: &Evidence, table: usize) -> Result<&Table, NotChecked> {
    let table = evidence.tables.get(table);
    let table = table.ok_or_else(|| NotChecked::new("the table is not known"))?;
    match &table.unknown {
        Some(reason) => Err(NotChecked::new(format!(
            "its schema is not known: {reason}"
        ))),
        None => Ok(table),
    }
}
