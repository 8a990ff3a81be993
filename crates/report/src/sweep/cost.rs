//! What is said of the costs of a sweep.

use bakeoff_stats::sweep::{InsertCost, SweepCost, SweepSummary};

use crate::units;

pub const TITLE: &str = "Cost (forecast)";

/// Returns whose prices they are, and what the figures mean.
pub fn hint(summary: &SweepSummary, cost: &SweepCost) -> String {
    let prices = &cost.prices;
    let machine = units::plural(u64::from(prices.machine_cores), "core", "cores");
    let mut hint = format!(
        "Prices: {}; {} {} a month for a machine of {machine}. Each design with its best setting, as if all {} of this \
         machine, which client and servers share, were paid for.",
        prices.title,
        units::amount(prices.machine_month),
        prices.currency,
        units::plural(u64::from(summary.header.machine.cores), "core", "cores"),
    );
    if let Some(wanted) = cost.wanted {
        hint += &format!(
            " Machines for {} rows/s are an estimate: rows a second grow with the cores.",
            units::rate(wanted)
        );
    }
    if cost.designs.is_empty() {
        hint += " Not known of any design here: none has a rate, or the cores of its server are not known.";
    }
    hint
}

/// Returns the headings of the table, without that of the design.
pub fn columns(cost: &SweepCost) -> Vec<String> {
    let currency = &cost.prices.currency;
    let mut columns = vec!["Rows/s a core".to_owned(), format!("Rows for 1 {currency}")];
    if cost.wanted.is_some() {
        columns.push("Machines".to_owned());
        columns.push(format!("Machines/month, {currency}"));
    }
    columns
}

/// Returns a design's figures, in the order of [`columns`].
pub fn cells(design: &InsertCost) -> Vec<String> {
    let machines = design.machines.map(|number| units::count(number as u64));
    let month = design.machines_month.map(units::amount);
    let rates = [design.rows_per_core, design.rows_per_unit].map(units::rate);
    rates.into_iter().chain(machines).chain(month).collect()
}
