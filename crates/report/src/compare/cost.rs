//! What is said of costs.

use bakeoff_stats::{Cost, CostRange, DesignCost, Summary};

use crate::compare::growth;
use crate::units;

pub const TITLE: &str = "Cost (forecast)";
/// Says what is compared in a column that looks like the others.
pub const ON_CONCURRENT: &str = "\"Concurrent\" are questions of several clients at a time, in the \
    shares in which they were answered, which are not the same for all designs.";

/// Returns whose prices they are, and what the figures mean.
pub fn hint(summary: &Summary, cost: &Cost) -> String {
    let prices = &cost.prices;
    format!(
        "Prices: {}; {} {} a month for a machine of {}, {} {} a month for a GiB. A range is from the \
         CPU time that the work took here, of client and server together, to all {} of this machine \
         for as long as it took. A month is storage and machines. {}",
        prices.title,
        units::amount(prices.machine_month),
        prices.currency,
        units::plural(u64::from(prices.machine_cores), "core", "cores"),
        units::amount(prices.storage_gib_month),
        prices.currency,
        units::plural(u64::from(summary.header.machine.cores), "core", "cores"),
        growth::assumed(&cost.demand),
    )
}

/// Returns the headings of the table of designs, with the currency.
pub fn columns(cost: &Cost) -> [String; 5] {
    let currency = &cost.prices.currency;
    let priced = |column: &str| format!("{column}, {currency}");
    [
        priced("1 M inserts"),
        priced("1 M concurrent"),
        "Machines".to_owned(),
        priced("Storage/month"),
        priced("All/month"),
    ]
}

/// Returns a design's figures, in the order of [`columns`].
pub fn cells(design: &DesignCost) -> [Option<String>; 5] {
    [
        design.million_inserts.map(range),
        design.million_concurrent.map(range),
        design.machines.known().map(growth::number),
        design.storage_month.map(units::amount),
        growth::month(design),
    ]
}

/// Shows the bounds of what some work costs.
pub fn range(range: CostRange) -> String {
    let (low, high) = (units::amount(range.low), units::amount(range.high));
    if low == high {
        low
    } else {
        format!("{low}–{high}")
    }
}

/// Returns the designs by what a million answers to this query cost, the cheapest first.
pub fn ranking<'a>(cost: &'a Cost, query: &str) -> Vec<(&'a str, CostRange)> {
    let of = |design: &'a DesignCost| {
        let found = design.queries.iter().find(|q| q.query == query)?;
        Some((design.design.as_str(), found.million?))
    };
    let mut ranking: Vec<_> = cost.designs.iter().filter_map(of).collect();
    ranking.sort_by(|a, b| a.1.middle().total_cmp(&b.1.middle()));
    ranking
}
