//! Shows how the rates of one measurement grow with the nodes, as `bakeoff compare` prints it of three folders or more.

use bakeoff_stats::per_node::{NodeRate, PerNode, Scaling};
use serde::Serialize;

use crate::per_node::{name, of_shared_cores};
use crate::text::COLUMNS;
use crate::text::layout::{fits, left, or_none, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Most designs that the first lines are about.
const LISTED: usize = 4;
/// Says why there is nothing but times, which only a page has.
const NO_RATES: &str = "These runs have no rate to divide by nodes, which --concurrent-clients brings; the page has \
    their times side by side, and by the number of nodes.";

/// A design on the cluster of one folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Row<'a> {
    pub(super) design: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) query: Option<&'a str>,
    pub(super) folder: &'a str,
    pub(super) nodes: u32,
    /// Rate of all nodes together.
    pub(super) rate: f64,
    /// The rate as a share of what is in proportion to the smallest cluster.
    pub(super) of_linear: f64,
    /// Rate of each node.
    per_node: f64,
    /// Seconds of a node that each row, answer or operation takes.
    pub(super) node_seconds: f64,
    /// Rate for one unit of the currency a month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) per_money: Option<f64>,
    /// Nodes that the needed rate takes, in proportion to this cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes_needed: Option<u64>,
    /// Price of these nodes for a month.
    #[serde(skip_serializing_if = "Option::is_none")]
    month: Option<f64>,
}

#[derive(Serialize)]
struct Json<'a> {
    /// What rates count: rows, answers or operations.
    counts: &'a str,
    answer: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'a str>,
    sizes: Vec<Row<'a>>,
}

/// Renders the sizes; its first lines are the answer. `counts` names what rates count.
pub fn render(folders: &[(String, PerNode)], counts: &str) -> String {
    if scaling(folders).is_empty() {
        return paragraphs(&answers(folders, counts)) + "\n";
    }
    let parts = [
        paragraphs(&answers(folders, counts)),
        sizes(folders, counts),
        wrap(&legend(folders, counts), COLUMNS, "", ""),
    ];
    parts.join("\n\n") + "\n"
}

/// Renders the sizes as JSON.
///
/// # Errors
/// Fails only if they cannot be written as JSON, which numbers and names always can.
pub fn json(folders: &[(String, PerNode)], counts: &str) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Json {
        counts,
        answer: answers(folders, counts),
        currency: currency(folders),
        sizes: rows(folders),
    })
}

fn paragraphs(sentences: &[String]) -> String {
    let lines = sentences.iter().map(|text| wrap(text, COLUMNS, "", "  "));
    lines.collect::<Vec<String>>().join("\n")
}

/// Says of each design how much more the largest cluster does than the smallest one.
pub(super) fn answers(folders: &[(String, PerNode)], counts: &str) -> Vec<String> {
    let all = scaling(folders);
    if all.is_empty() {
        return vec![NO_RATES.to_owned()];
    }
    let sentence = |of: &Scaling| {
        let (first, last) = (of.points.first()?, of.points.last()?);
        let share = format!("{:.0}%", 100.0 * last.of_linear);
        Some(format!(
            "{}: {} the {counts} a second on {} as on {}, {share} of what is in proportion.",
            name(&of.design, of.query.as_deref()),
            super::words::ratio(last.rate / first.rate),
            units::plural(u64::from(last.nodes), "node", "nodes"),
            first.nodes
        ))
    };
    let mut sentences: Vec<String> = all.iter().take(LISTED).filter_map(sentence).collect();
    let others = all.len().saturating_sub(LISTED);
    if others > 0 {
        let others = units::plural(others as u64, "further one", "further ones");
        sentences.push(format!("The table has {others}."));
    }
    sentences
}

/// Says how to read the table, and where the charts are.
fn legend(folders: &[(String, PerNode)], counts: &str) -> String {
    let chart = match folders {
        [(first, _), others @ ..] => {
            let others: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
            format!(
                " Charts with the line of what is in proportion: --page FILE, or bakeoff report {first} \
                 --other-sizes {}.",
                others.join(",")
            )
        }
        [] => String::new(),
    };
    how_to_read(folders, counts) + &chart
}

/// Says how to read the figures.
pub(super) fn how_to_read(folders: &[(String, PerNode)], counts: &str) -> String {
    let shared = of_shared_cores(scaling(folders));
    format!(
        "Of linear is the rate as a share of what is in proportion to the smallest cluster; node time is what each of \
         the {counts} takes of a node.{shared}"
    )
}

fn sizes(folders: &[(String, PerNode)], counts: &str) -> String {
    let rows = rows(folders);
    let has_need = rows.iter().any(|row| row.nodes_needed.is_some());
    let currency = currency(folders);
    let mut titles = vec!["Nodes".to_owned(), format!("{counts}/s")];
    titles.extend(["Of linear", "Per node", "Node time"].map(str::to_owned));
    titles.extend(currency.map(|currency| format!("Per {currency}/month")));
    if has_need {
        titles.push("Nodes needed".to_owned());
        titles.extend(currency.map(|currency| format!("{currency}/month")));
    }
    let mut table = table(Style { color: false });
    let first = ["Design", "Folder"].map(left);
    table.set_header(first.into_iter().chain(titles.iter().map(right)));
    for row in &rows {
        let mut cells = vec![
            units::count(u64::from(row.nodes)),
            units::rate(row.rate),
            format!("{:.0}%", 100.0 * row.of_linear),
            units::rate(row.per_node),
            units::duration(row.node_seconds),
        ];
        if currency.is_some() {
            cells.push(or_none(row.per_money, units::rate));
        }
        if has_need {
            cells.push(or_none(row.nodes_needed, units::count));
            let month = currency.map(|_| or_none(row.month, units::amount));
            cells.extend(month);
        }
        let first = [left(&name(row.design, row.query)), left(row.folder)];
        table.add_row(first.into_iter().chain(cells.iter().map(right)));
    }
    if !fits(&table, COLUMNS) {
        set_width(&mut table, COLUMNS);
    }
    table.trim_fmt()
}

/// Returns a row for each design and folder that has a rate of it, by design and then by the number of nodes.
pub(super) fn rows(folders: &[(String, PerNode)]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for of in scaling(folders) {
        let of_design = folders.iter().filter_map(|folder| row(of, folder));
        let mut of_design: Vec<Row<'_>> = of_design.collect();
        of_design.sort_by_key(|row| row.nodes);
        rows.append(&mut of_design);
    }
    rows
}

/// Returns the row of a design and a folder, if there is a rate of it.
fn row<'a>(of: &'a Scaling, (folder, per_node): &'a (String, PerNode)) -> Option<Row<'a>> {
    let is_it = |rate: &&NodeRate| rate.design == of.design && rate.query == of.query;
    let rate = per_node.rates.iter().find(is_it)?;
    let nodes = rate.cluster.nodes;
    let at = of.points.iter().find(|at| at.nodes == nodes)?;
    Some(Row {
        design: &of.design,
        query: of.query.as_deref(),
        folder,
        nodes,
        rate: rate.rate,
        of_linear: at.of_linear,
        per_node: rate.per_node,
        node_seconds: rate.per_node.recip(),
        per_money: rate.per_money,
        nodes_needed: rate.needed.map(|needed| needed.nodes),
        month: rate.needed.and_then(|needed| needed.month),
    })
}

/// Returns the rates of designs that were measured on several sizes.
pub(super) fn scaling(folders: &[(String, PerNode)]) -> &[Scaling] {
    let first = folders.first();
    let scaling = first.map(|(_, per_node)| per_node.scaling.as_slice());
    scaling.unwrap_or_default()
}

pub(super) fn currency(folders: &[(String, PerNode)]) -> Option<&str> {
    let (_, first) = folders.first()?;
    Some(first.prices.as_ref()?.currency.as_str())
}
