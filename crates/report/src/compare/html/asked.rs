//! Partitions and nodes of a cluster that each query asks, by its plan.

use bakeoff_stats::{Asked, AskedScan, Summary};

use crate::compare::plans::by_query;
use crate::markup::design_id;
use crate::page::section;
use crate::page::table::{Heading, NONE, Table, or_none};
use crate::units;

const CAPTION: &str = "By the plan of each query with its first parameters. Nodes are those that own the partitions: \
                       that have the first copy of one. An index of Cassandra is asked of every node.";

/// Renders the section; it is empty for a run whose plans tell of no cluster of several nodes.
pub fn of_run(summary: &Summary) -> String {
    let asked = |design: &str, query: &str| -> Option<Asked> {
        let mut plans = summary.plans.iter();
        let planned = plans.find(|plan| plan.design == design && plan.query == query)?;
        planned.plan.cleaned().asked()
    };
    let queries: Vec<&str> = by_query(summary)
        .into_iter()
        .map(|(query, _)| query)
        .collect();
    let row = |design: &str| -> Vec<String> {
        let cells = queries
            .iter()
            .map(|query| or_none(asked(design, query), |asked| in_words(&asked)));
        std::iter::once(design_id(design)).chain(cells).collect()
    };
    let rows = summary.header.designs.iter().map(|design| row(&design.id));
    let rows: Vec<Vec<String>> = rows
        .filter(|row| row.iter().skip(1).any(|cell| cell != NONE))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let columns = queries.iter().map(|query| Heading::words(query));
    let table = Table {
        caption: CAPTION,
        head: std::iter::once(Heading::text("Design"))
            .chain(columns)
            .collect(),
        rows,
    };
    section("Nodes and partitions asked", &table.html())
}

/// Writes what a plan asks: `4 partitions, 2 of 3 nodes`. Scans that ask the same are told once.
fn in_words(asked: &Asked) -> String {
    let mut parts: Vec<String> = Vec::new();
    for scan in asked.scans.iter().map(of_scan) {
        if !parts.contains(&scan) {
            parts.push(scan);
        }
    }
    if asked.then_by_key {
        parts.push("then the partition of each row that is found".to_owned());
    }
    parts.join("; ")
}

fn of_scan(scan: &AskedScan) -> String {
    let partitions = match scan.partitions {
        Some(partitions) => units::plural(partitions, "partition", "partitions"),
        None if scan.by_index => "index of all partitions".to_owned(),
        None => "all partitions".to_owned(),
    };
    let (nodes, all) = (units::count(scan.nodes), units::count(scan.of_nodes));
    format!("{partitions}, {nodes} of {all} nodes")
}
