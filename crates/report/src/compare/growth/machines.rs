//! Machines and a month's cost of each design: what `bakeoff forecast --machine-cores` and `--prices` print.

use bakeoff_stats::{
    BUSY, Because, Cost, Demand, DesignCost, Machines, Needed, PriceFlip, PriceOf, Summary,
};
use comfy_table::Cell;

use super::COLUMNS;
use crate::text::layout::{left, or_none, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Explains the sign of a number of machines that is known to be the least only.
const LEAST: &str = "≥: some question has no forecast at these rows, so its CPU time is that at the measured ones; \
    there may have to be more machines.";

/// Renders the machines that each design needs, those of which only the least number is known last.
pub fn render_machines(summary: &Summary, demand: &Demand) -> String {
    let needed = summary.machines(demand);
    let mut known: Vec<(&str, &Machines)> = { needed.iter() }
        .filter_map(|(design, needed)| Some((design.as_str(), needed.known()?)))
        .collect();
    known.sort_by_key(|(_, machines)| (machines.is_least, machines.count));
    let mut parts = vec![
        wrap(&fewest(&known), COLUMNS, "", ""),
        wrap(&assumed_of(summary, demand), COLUMNS, "", ""),
    ];
    if !known.is_empty() {
        parts.push(of_designs(demand, &known));
    }
    let is_least = known.iter().any(|(_, machines)| machines.is_least);
    parts.extend(is_least.then(|| wrap(LEAST, COLUMNS, "", "")));
    parts.extend(without(
        needed.iter().map(|(id, needed)| (id.as_str(), needed)),
    ));
    parts.join("\n\n") + "\n"
}

/// Says which design needs the fewest machines, as far as that is known.
fn fewest(known: &[(&str, &Machines)]) -> String {
    match known.first() {
        None => "The machines of no design are known.".to_owned(),
        Some((_, machines)) if machines.is_least => {
            "How many machines are needed is not known, only how many at least.".to_owned()
        }
        Some((design, machines)) => {
            let may_be_fewer = |(_, other): &&(&str, &Machines)| other.count < machines.count;
            let rivals: Vec<&str> = { known.iter().filter(may_be_fewer) }
                .map(|(design, _)| *design)
                .collect();
            let best = format!("{design} needs the fewest machines");
            of_all(&best, &number(machines), &rivals, "need fewer")
        }
    }
}

/// Says what a design is the best at, and which others may be better, of which only a lower bound is known.
fn of_all(best: &str, figure: &str, rivals: &[&str], how: &str) -> String {
    if rivals.is_empty() {
        return format!("{best}: {figure}.");
    }
    let rivals = rivals.join(", ");
    format!(
        "{best} of those with a forecast: {figure}. It is not known whether {rivals} would {how}."
    )
}

/// Renders what a month of each design costs, the cheapest first and those of which only the least is known last, and
/// the prices at which another one is.
pub fn render_cost(summary: &Summary, cost: &Cost) -> String {
    let currency = &cost.prices.currency;
    let mut known: Vec<&DesignCost> = cost.designs.iter().filter(|d| d.month.is_some()).collect();
    let amount = |design: &DesignCost| design.month.unwrap_or(f64::INFINITY);
    let order = |a: &&DesignCost, b: &&DesignCost| {
        let least = a.is_least().cmp(&b.is_least());
        least.then(amount(a).total_cmp(&amount(b)))
    };
    known.sort_by(order);
    let prices = format!(
        "Prices: {}; {} {currency} a month for a machine of {}, {} {currency} a month for a GiB.",
        cost.prices.title,
        units::amount(cost.prices.machine_month),
        units::plural(u64::from(cost.prices.machine_cores), "core", "cores"),
        units::amount(cost.prices.storage_gib_month),
    );
    let assumed = assumed_of(summary, &cost.demand);
    let mut parts = vec![
        wrap(&cheapest(cost, &known), COLUMNS, "", ""),
        wrap(&format!("{prices} {assumed}"), COLUMNS, "", ""),
    ];
    if !known.is_empty() {
        parts.push(months(cost, &known));
    }
    let is_least = known.iter().any(|design| design.is_least());
    parts.extend(is_least.then(|| wrap(LEAST, COLUMNS, "", "")));
    if cost.cheapest().is_some() {
        parts.push(flips(&cost.flips(), currency));
    }
    parts.extend(without(
        { cost.designs.iter() }.map(|d| (d.design.as_str(), &d.machines)),
    ));
    parts.join("\n\n") + "\n"
}

/// Says which design costs least, as far as that is known.
fn cheapest(cost: &Cost, known: &[&DesignCost]) -> String {
    let currency = &cost.prices.currency;
    let Some((design, month)) = cost.cheapest().and_then(|d| Some((d, d.month?))) else {
        return match known {
            [] => "The cost of no design is known.".to_owned(),
            _ => "What a month costs is not known, only how much at least.".to_owned(),
        };
    };
    let may_be_cheaper = |other: &&&DesignCost| other.month.is_some_and(|its| its < month);
    let rivals: Vec<&str> = { known.iter().filter(may_be_cheaper) }
        .map(|other| other.design.as_str())
        .collect();
    let best = format!("{} costs least", design.design);
    let figure = format!("{} {currency} a month", units::amount(month));
    of_all(&best, &figure, &rivals, "cost less")
}

/// Renders the machines of each design as JSON.
///
/// # Errors
/// None that a summary made from records can cause.
pub fn machines_json(summary: &Summary, demand: &Demand) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&summary.machines(demand))
}

/// Renders costs as JSON, with the prices at which another design costs least.
///
/// # Errors
/// None that costs of a run can cause.
pub fn cost_json(cost: &Cost) -> serde_json::Result<String> {
    #[derive(serde::Serialize)]
    struct CostJson<'a> {
        cost: &'a Cost,
        flips: Vec<PriceFlip>,
    }
    serde_json::to_string_pretty(&CostJson {
        cost,
        flips: cost.flips(),
    })
}

/// Returns what the machines are for.
pub fn assumed(demand: &Demand) -> String {
    let copies = units::plural(u64::from(demand.copies), "copy", "copies");
    let rows = units::count(demand.rows);
    let rates = match (demand.questions, demand.inserts) {
        (None, None) => {
            "without rates of questions and inserts, the cores are those that the workload says"
                .to_owned()
        }
        (questions, inserts) => {
            let questions = questions.map(|rate| format!("{} questions", units::rate(rate)));
            let inserts = inserts.map(|rate| format!("{} inserted rows", units::rate(rate)));
            let all: Vec<String> = questions.into_iter().chain(inserts).collect();
            let busy = 100.0 * BUSY;
            format!(
                "{} a second, with {busy:.0}% of the cores busy",
                all.join(" and ")
            )
        }
    };
    let disks = demand.disk.map_or_else(String::new, |disk| {
        format!(" and disks of {}", units::bytes(disk))
    });
    format!(
        "Estimated for {copies} of {rows} rows and {rates}, on machines of {}{disks}. CPU time is that of \
         client and server, and grows as the times do, where these have a forecast.",
        units::plural(u64::from(demand.machine_cores), "core", "cores")
    )
}

/// Returns what is said of a number of machines: `5`, `at least 5`.
pub fn number(machines: &Machines) -> String {
    let count = units::count(u64::from(machines.count));
    match (machines.is_least, machines.is_bound) {
        (true, _) => format!("≥ {count}"),
        (false, true) => format!("≤ {count}"),
        (false, false) => count,
    }
}

/// Returns what the machines of a run's designs are for, and which questions are left out.
fn assumed_of(summary: &Summary, demand: &Demand) -> String {
    assumed(demand) + &super::without_unanswered(&summary.unanswered())
}

/// Returns what a month of a design costs, if that is known: `120`, `≥ 120`.
pub fn month(design: &DesignCost) -> Option<String> {
    let month = units::amount(design.month?);
    Some(if design.is_least() {
        format!("≥ {month}")
    } else {
        month
    })
}

/// Returns what a number of machines is due to.
pub fn because(machines: &Machines) -> &'static str {
    match machines.because {
        Because::Copies => "copies",
        Because::Cpu => "CPU",
        Because::Disk => "disk",
        Because::Cores => "cores of [scale]",
    }
}

fn of_designs(demand: &Demand, known: &[(&str, &Machines)]) -> String {
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    let mut head = vec![
        left("Design"),
        right("Machines"),
        left("Due to"),
        right("Busy cores"),
    ];
    head.extend(demand.nodes.map(on));
    table.set_header(head);
    for (design, machines) in known {
        let busy = machines.busy_cores.map(|cores| format!("{cores:.2}"));
        let mut row = vec![
            left(design),
            right(number(machines)),
            left(because(machines)),
            right(or_none(busy, |text| text)),
        ];
        row.extend(demand.nodes.map(|nodes| left(&fits(machines, nodes))));
        table.add_row(row);
    }
    table.trim_fmt()
}

/// Heads the column that says whether so many machines are enough.
fn on(nodes: u32) -> Cell {
    left(&format!("On {nodes}"))
}

fn fits(machines: &Machines, nodes: u32) -> String {
    match machines.count.checked_sub(nodes) {
        None | Some(0) if machines.is_least => "not known".to_owned(),
        None | Some(0) => "enough".to_owned(),
        Some(missing) => format!("too few: {missing} more"),
    }
}

fn months(cost: &Cost, known: &[&DesignCost]) -> String {
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    let currency = &cost.prices.currency;
    let mut head = vec![
        left("Design"),
        right("Machines"),
        left("Due to"),
        right(format!("Machines, {currency}")),
        right(format!("Storage, {currency}")),
        right(format!("Month, {currency}")),
    ];
    head.extend(cost.demand.nodes.map(on));
    table.set_header(head);
    for design in known {
        let machines = design.machines.known();
        let mut row = vec![
            left(&design.design),
            right(or_none(machines, number)),
            left(machines.map_or("", because)),
            right(or_none(design.machines_month, units::amount)),
            right(or_none(design.storage_month, units::amount)),
            right(or_none(month(design), |month| month)),
        ];
        let fitting = machines.zip(cost.demand.nodes);
        row.extend(fitting.map(|(machines, nodes)| left(&fits(machines, nodes))));
        table.add_row(row);
    }
    table.trim_fmt()
}

fn flips(flips: &[PriceFlip], currency: &str) -> String {
    if flips.is_empty() {
        return wrap(
            "No other price of storage or machines alone makes another design the cheapest.",
            COLUMNS,
            "",
            "",
        );
    }
    let sentence = |flip: &PriceFlip| {
        let of = match flip.of {
            PriceOf::Storage => "a GiB",
            PriceOf::Machine => "a machine",
        };
        let side = if flip.at < flip.now { "below" } else { "above" };
        let text = format!(
            "{} is the cheapest where {of} costs {side} {} {currency} a month (now {}).",
            flip.design,
            units::amount(flip.at),
            units::amount(flip.now)
        );
        wrap(&text, COLUMNS, "", "  ")
    };
    flips.iter().map(sentence).collect::<Vec<_>>().join("\n")
}

/// Sentences about designs whose machines are not known.
fn without<'a>(designs: impl Iterator<Item = (&'a str, &'a Needed)>) -> Option<String> {
    let lines: Vec<String> = designs
        .filter_map(|(design, needed)| match needed {
            Needed::Machines(_) => None,
            Needed::Unknown(why) => Some(format!("{design}: not known, since {why}.")),
            Needed::Never(why) => Some(format!("{design}: no number of machines, since {why}.")),
        })
        .map(|text| wrap(&text, COLUMNS, "", "  "))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
