//! What is said of rates per node and for money, in words that all reports share.

pub mod html;
pub mod terminal;

use bakeoff_stats::per_node::{NodeRate, NodesNeeded, PerNode, Scaling};
use bakeoff_stats::{DesignInfo, Prices};

use crate::listing::list;
use crate::units;

pub const TITLE: &str = "Nodes and money";
/// Title of the rates on clusters of several sizes.
pub const TITLE_OF_SIZES: &str = "By number of nodes";
/// Most designs that are named in one sentence.
const LISTED: usize = 4;

/// Rates per node of a measurement.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    pub per_node: &'a PerNode,
    /// What is counted: `rows`, `answers` or `operations`.
    pub what: &'static str,
    /// Designs of the measurement, in the order of its header.
    pub designs: &'a [DesignInfo],
}

impl<'a> Shown<'a> {
    /// Returns what there is to show; `None` where it would be no more than the rates themselves.
    pub fn new(
        per_node: Option<&'a PerNode>,
        what: &'static str,
        designs: &'a [DesignInfo],
    ) -> Option<Shown<'a>> {
        let per_node = per_node.filter(|per_node| per_node.is_more_than_rates())?;
        Some(Shown {
            per_node,
            what,
            designs,
        })
    }

    /// Says how many nodes are needed, then what the figures rest on.
    fn hint(&self) -> String {
        let sentences = [
            self.fewest(),
            self.estimate(),
            self.prices(),
            self.basis(),
            self.apart(),
            self.stored_elsewhere(),
        ];
        let sentences: Vec<String> = sentences.into_iter().flatten().collect();
        sentences.join(" ")
    }

    /// Names the fewest nodes, where a design has one rate, and nodes of all designs are alike.
    fn fewest(&self) -> Option<String> {
        let PerNode { rates, need, .. } = self.per_node;
        let need = (*need)?;
        if rates.iter().any(|rate| rate.query.is_some()) || !self.per_node.has_equal_nodes() {
            return None;
        }
        let needed = format!("{} {}/s", units::trimmed(&units::rate(need)), self.what);
        let Some((rate, nodes)) = self.per_node.fewest() else {
            return Some(format!("No number of nodes is known to do {needed}."));
        };
        let month = { nodes.month.zip(self.per_node.prices.as_ref()) }.map(|(month, prices)| {
            let machines = units::amount(month);
            format!(", for {machines} {} a month", prices.currency)
        });
        let count = units::plural(nodes.nodes, "node", "nodes");
        Some(format!(
            "{needed} take the fewest nodes with {}: {count}{}.",
            rate.design,
            month.unwrap_or_default()
        ))
    }

    /// Says how far the number of nodes can be trusted.
    fn estimate(&self) -> Option<String> {
        self.per_node.need?;
        let most = u64::from(self.per_node.most_nodes());
        let mut rates = self.per_node.rates.iter();
        let not_known = if rates.any(|rate| rate.cluster.copies.is_none()) {
            " Copies of a shared keyspace are not known, so that they ask for no node."
        } else {
            ""
        };
        Some(format!(
            "Nodes needed are an estimate: in proportion to nodes, at the copies of each row that were measured, \
             and at least one for each copy; not measured beyond {}.{not_known}",
            units::plural(most, "node", "nodes")
        ))
    }

    fn prices(&self) -> Option<String> {
        let prices = self.per_node.prices.as_ref()?;
        Some(format!(
            "Prices: {}; {} {} a month for a machine of {}, without storage; nodes needed are such machines.",
            prices.title,
            units::amount(prices.machine_month),
            prices.currency,
            units::plural(u64::from(prices.machine_cores), "core", "cores")
        ))
    }

    /// Says what a node was.
    fn basis(&self) -> Option<String> {
        let clusters = || self.per_node.rates.iter().map(|rate| &rate.cluster);
        let is_priced = self.per_node.prices.is_some();
        let proportion = if is_priced {
            ", and a machine of the list is counted in proportion to its cores"
        } else {
            ""
        };
        let mut here = clusters().filter(|cluster| cluster.is_shared());
        let server = if here.clone().any(|cluster| cluster.nodes > 1) {
            "all nodes"
        } else {
            "server"
        };
        let shared = here.next().map(|_| {
            format!(
                "Client and {server} shared one machine, so that servers had only a part of its cores: a rate per node \
                 is a lower bound, but for the network, which is not measured{proportion}."
            )
        });
        let away = clusters().any(|cluster| !cluster.is_shared()).then(|| {
            let as_listed = if is_priced {
                ", and is taken to be a machine of the list"
            } else {
                ""
            };
            format!("A node on a separate machine counts as one, whatever its cores{as_listed}.")
        });
        let sentences: Vec<String> = shared.into_iter().chain(away).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// Names designs that need several nodes but do not divide rows among them.
    fn apart(&self) -> Option<String> {
        let is_apart = |rate: &&NodeRate| {
            let servers = rate
                .needed
                .map(|needed| needed.nodes / u64::from(rate.cluster.copies.unwrap_or(1).max(1)));
            servers > Some(1) && !rate.cluster.divides
        };
        let mut designs: Vec<&str> = Vec::new();
        for rate in self.per_node.rates.iter().filter(is_apart) {
            if !designs.contains(&rate.design.as_str()) {
                designs.push(&rate.design);
            }
        }
        (!designs.is_empty()).then(|| {
            format!(
                "Several nodes of {} are as many servers apart: the application has to divide rows among them.",
                list(&designs, LISTED)
            )
        })
    }

    /// Names designs that have no rate per node, since another engine stores their rows.
    fn stored_elsewhere(&self) -> Option<String> {
        let of = self.designs.iter().filter(|info| info.stored_by.is_some());
        let designs: Vec<&str> = of.map(|info| info.id.as_str()).collect();
        (!designs.is_empty()).then(|| {
            format!(
                "Without a rate per node, since their rows are on nodes of another engine: {}.",
                list(&designs, LISTED)
            )
        })
    }

    /// Returns whether the cores of any node are known.
    fn has_cores(&self) -> bool {
        let mut rates = self.per_node.rates.iter();
        rates.any(|rate| rate.cluster.cores_of_node.is_some())
    }

    /// Returns the headings behind that of designs.
    fn columns(&self) -> Vec<String> {
        let rate = format!("{}/s", capital(self.what));
        let mut columns = vec!["Nodes".to_owned(), "Copies".to_owned()];
        columns.extend(self.has_cores().then(|| "Cores each".to_owned()));
        columns.extend([rate, "Per node".to_owned()]);
        if let Some(Prices { currency, .. }) = &self.per_node.prices {
            columns.push("Per machine".to_owned());
            columns.push(format!("Per {currency}/month"));
        }
        if let Some(need) = self.per_node.need {
            let need = units::trimmed(&units::rate(need));
            columns.push(format!("Nodes for {need}/s"));
            let prices = self.per_node.prices.iter();
            columns.extend(prices.map(|prices| format!("{}/month", prices.currency)));
        }
        columns
    }

    /// Returns the figures of a rate, in the order of the columns; `None` for what is not known.
    fn cells(&self, rate: &NodeRate) -> Vec<Option<String>> {
        let mut cells = vec![
            Some(units::count(u64::from(rate.cluster.nodes))),
            { rate.cluster.copies }.map(|copies| units::count(u64::from(copies))),
        ];
        if self.has_cores() {
            let cores = rate.cluster.cores_of_node.map(units::amount);
            cells.push(cores.map(|cores| units::trimmed(&cores)));
        }
        cells.extend([
            Some(units::rate(rate.rate)),
            Some(units::rate(rate.per_node)),
        ]);
        if self.per_node.prices.is_some() {
            cells.push(rate.per_machine.map(units::rate));
            cells.push(rate.per_money.map(units::rate));
        }
        if self.per_node.need.is_some() {
            cells.push(rate.needed.map(number));
            let month = rate.needed.and_then(|needed| needed.month);
            let prices = self.per_node.prices.iter();
            cells.extend(prices.map(|_| month.map(units::amount)));
        }
        cells
    }

    /// Says how the rates on clusters of several sizes are to be read; `None` without them.
    fn hint_of_sizes(&self) -> Option<String> {
        let scaling = &self.per_node.scaling;
        if scaling.is_empty() {
            return None;
        }
        let shared = of_shared_cores(scaling);
        Some(format!(
            "{}/s of all nodes together, and the share of what is in proportion to the smallest cluster, the \
             dashed line of charts: below 100% it grows less than the nodes.{shared}",
            capital(self.what)
        ))
    }

    /// Returns the rows of the table of sizes: design, nodes, rate, share of the proportional rate.
    fn rows_of_sizes(&self) -> Vec<[String; 4]> {
        let of_design = |of: &Scaling| -> Vec<[String; 4]> {
            let name = name(&of.design, of.query.as_deref());
            let rows = of.points.iter().map(|at| {
                [
                    name.clone(),
                    units::count(u64::from(at.nodes)),
                    units::rate(at.rate),
                    format!("{:.0}%", 100.0 * at.of_linear),
                ]
            });
            rows.collect()
        };
        self.per_node.scaling.iter().flat_map(of_design).collect()
    }

    fn columns_of_sizes(&self) -> [String; 4] {
        let rate = format!("{}/s", capital(self.what));
        [
            "Design".to_owned(),
            "Nodes".to_owned(),
            rate,
            "Of linear".to_owned(),
        ]
    }
}

/// Says, after a space, what rates of nodes with shared cores show; nothing where none shared them.
pub fn of_shared_cores(scaling: &[Scaling]) -> &'static str {
    if scaling.iter().any(|of| of.is_shared) {
        " Nodes shared the cores of one machine: this shows what coordination costs, not how fast more machines are."
    } else {
        ""
    }
}

/// Writes a design, with the query that it was asked alone.
pub fn name(design: &str, query: Option<&str>) -> String {
    match query {
        Some(query) => format!("{design}, {query}"),
        None => design.to_owned(),
    }
}

/// Writes the nodes that are needed: `12`, or `3 (copies)` where fewer would do but for the copies.
fn number(needed: NodesNeeded) -> String {
    let nodes = units::count(needed.nodes);
    if needed.for_copies {
        format!("{nodes} (copies)")
    } else {
        nodes
    }
}

/// Writes a word with a capital.
fn capital(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
