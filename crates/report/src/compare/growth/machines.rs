//! Machines and a month's cost of each design: what `bakeoff forecast --machine-cores` and `--prices` print.

use bakeoff_stats::{
    BUSY, Because, Cost, Demand, DesignCost, Machines, Needed, PriceFlip, PriceOf, Summary,
};

use super::COLUMNS;
use crate::text::layout::{left, or_none, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Renders the machines that each design needs.
pub fn render_machines(summary: &Summary, demand: &Demand) -> String {
    let needed = summary.machines(demand);
    let fewest = { needed.iter() }
        .filter_map(|(design, needed)| Some((design.as_str(), needed.known()?.count)))
        .min_by_key(|(_, count)| *count);
    let headline = match fewest {
        Some((design, count)) => format!(
            "{design} needs the fewest machines: {}.",
            units::count(u64::from(count))
        ),
        None => "The machines of no design are known.".to_owned(),
    };
    let mut parts = vec![
        wrap(&headline, COLUMNS, "", ""),
        wrap(&assumed(demand), COLUMNS, "", ""),
    ];
    let known: Vec<(&str, &Machines)> = { needed.iter() }
        .filter_map(|(design, needed)| Some((design.as_str(), needed.known()?)))
        .collect();
    if !known.is_empty() {
        parts.push(of_designs(demand, &known));
    }
    parts.extend(without(
        needed.iter().map(|(id, needed)| (id.as_str(), needed)),
    ));
    parts.join("\n\n") + "\n"
}

/// Renders what a month of each design costs, the cheapest first, and the prices at which another one is.
pub fn render_cost(cost: &Cost) -> String {
    let currency = &cost.prices.currency;
    let headline = match cost.cheapest().and_then(|d| Some((d, d.month?))) {
        Some((design, month)) => format!(
            "{} costs least: {} {currency} a month.",
            design.design,
            units::amount(month)
        ),
        None => "The cost of no design is known.".to_owned(),
    };
    let prices = format!(
        "Prices: {}; {} {currency} a month for a machine of {}, {} {currency} a month for a GiB.",
        cost.prices.title,
        units::amount(cost.prices.machine_month),
        units::plural(u64::from(cost.prices.machine_cores), "core", "cores"),
        units::amount(cost.prices.storage_gib_month),
    );
    let mut parts = vec![
        wrap(&headline, COLUMNS, "", ""),
        wrap(
            &format!("{prices} {}", assumed(&cost.demand)),
            COLUMNS,
            "",
            "",
        ),
    ];
    if cost.cheapest().is_some() {
        parts.push(months(cost));
        parts.push(flips(&cost.flips(), currency));
    }
    parts.extend(without(
        { cost.designs.iter() }.map(|d| (d.design.as_str(), &d.machines)),
    ));
    parts.join("\n\n") + "\n"
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
         client and server, and grows as the times do.",
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
    head.extend(demand.nodes.map(|nodes| left(&format!("On {nodes}"))));
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

fn fits(machines: &Machines, nodes: u32) -> String {
    match machines.count.checked_sub(nodes) {
        None | Some(0) => "enough".to_owned(),
        Some(missing) => format!("too few: {missing} more"),
    }
}

fn months(cost: &Cost) -> String {
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    let currency = &cost.prices.currency;
    table.set_header([
        left("Design"),
        right("Machines"),
        left("Due to"),
        right(format!("Machines, {currency}")),
        right(format!("Storage, {currency}")),
        right(format!("Month, {currency}")),
    ]);
    let mut known: Vec<&DesignCost> = cost.designs.iter().filter(|d| d.month.is_some()).collect();
    let month = |design: &DesignCost| design.month.unwrap_or(f64::INFINITY);
    known.sort_by(|a, b| month(a).total_cmp(&month(b)));
    for design in known {
        let machines = design.machines.known();
        table.add_row([
            left(&design.design),
            right(or_none(machines, number)),
            left(machines.map_or("", because)),
            right(or_none(design.machines_month, units::amount)),
            right(or_none(design.storage_month, units::amount)),
            right(or_none(design.month, units::amount)),
        ]);
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
