//! What is said of questions that several clients asked at the same time.

use bakeoff_stats::{AgainstBest, ConcurrentFigures, ConcurrentSummary, FEWEST_ANSWERS, Summary};

use crate::compare::to_best;
use crate::units;

pub const TITLE: &str = "Several clients at a time";
/// Turns below which no difference between designs can be shown.
const TURNS_FOR_DIFFERENCES: u32 = 5;
/// Share of the clients below which so few had a question under way that throughput is a bound.
const MOST_ARE_BUSY: f64 = 0.9;

/// Columns of the table over all queries, next to that of designs.
pub const COLUMNS: [&str; 7] = [
    "Answered",
    "A second, equal mix",
    "× best",
    "Server CPU/answer",
    "Client CPU/answer",
    "Wrong",
    "Failed",
];
/// Columns of the tables of a query.
pub const QUERY_COLUMNS: [&str; 7] = [
    "Answered", "Mean", "× best", "p50", "p99", "Wrong", "Failed",
];

/// A row of either table.
pub struct Row {
    pub cells: [Option<String>; 7],
    /// Whether the last two cells are nothing to worry about.
    pub is_right: bool,
}

/// Says what was done, and how to read it; `None` where no design was asked that way.
pub fn hint(summary: &Summary) -> Option<String> {
    let clients = of_designs(summary).next()?.clients;
    let mut hint = format!(
        "{} ask one design at a time, each all queries in a random order, then again in another \
         one. The designs take turns in random order until all permutations are asked or the time \
         is over, and are compared by their mean service times within turns; {}. \"A second, equal \
         mix\" is what all queries, asked equally often, would give by Little's law: clients divided \
         by the mean over the queries of their mean times; it is “?” where a query has fewer than \
         {FEWEST_ANSWERS} right answers. CPU is for each right answer of those that the design gave, \
         whose shares differ between designs.",
        units::plural(u64::from(clients), "client", "clients"),
        to_best::LEGEND,
    );
    let few = of_designs(summary)
        .flat_map(|c| c.queries.iter().map(|(_, figures)| figures))
        .any(|figures| figures.answered > 0 && figures.p99.is_none());
    if few {
        hint += " Of fewer than 100 answers there is no p99.";
    }
    hint += &few_turns(summary).unwrap_or_default();
    hint += &idle(summary).unwrap_or_default();
    Some(hint)
}

fn of_designs(summary: &Summary) -> impl Iterator<Item = &ConcurrentSummary> {
    summary.designs.iter().filter_map(|d| d.concurrent.as_ref())
}

/// Says why designs are not compared, and what helps.
fn few_turns(summary: &Summary) -> Option<String> {
    let fewest = of_designs(summary).map(|asked| asked.turns).min()?;
    (fewest < TURNS_FOR_DIFFERENCES && of_designs(summary).count() > 1).then(|| {
        format!(
            " A design answered in {} only, and below {TURNS_FOR_DIFFERENCES} nothing is called a \
             difference: give the clients longer (--concurrent-for).",
            units::plural(u64::from(fewest), "turn", "turns")
        )
    })
}

/// Names designs of which clients often had no question under way, since turns end with long ones.
fn idle(summary: &Summary) -> Option<String> {
    let designs = summary.designs.iter().filter_map(|design| {
        let asked = design.concurrent.as_ref()?;
        let busy = asked.in_flight.filter(|_| asked.equal_mix.is_some())?;
        let is_idle = busy < MOST_ARE_BUSY * f64::from(asked.clients);
        is_idle.then(|| format!("{} ({busy:.1})", design.info.id))
    });
    let designs: Vec<String> = designs.collect();
    (!designs.is_empty()).then(|| {
        format!(
            " Fewer clients had a question under way in the mean, since turns end with long questions \
             and connections are reset between questions, so that answers a second are at most these: {}.",
            designs.join(", ")
        )
    })
}

/// Returns the row of a design in the table over all queries.
pub fn row(summary: &Summary, design: &str, asked: &ConcurrentSummary) -> Row {
    let compared = summary.concurrent.as_ref().and_then(|c| c.of_mix(design));
    let cpu = asked.cpu_per_answer;
    Row {
        cells: [
            Some(units::count(asked.all.answered)),
            Some(asked.equal_mix.map_or_else(|| "?".to_owned(), units::rate)),
            compared.map(to_best::in_full),
            { cpu.and_then(|cpu| cpu.server) }.map(units::duration),
            cpu.map(|cpu| units::duration(cpu.client)),
            Some(units::count(asked.all.wrong)),
            Some(units::count(asked.all.failed)),
        ],
        is_right: is_right(&asked.all),
    }
}

/// Returns the row of a design, or of a query, in a table of times.
pub fn query_row(figures: &ConcurrentFigures, compared: Option<&AgainstBest>) -> Row {
    let time = |seconds: Option<f64>| seconds.map(units::duration);
    Row {
        cells: [
            Some(units::count(figures.answered)),
            time(figures.mean),
            compared.map(to_best::in_full),
            time(figures.p50),
            time(figures.p99),
            Some(units::count(figures.wrong)),
            Some(units::count(figures.failed)),
        ],
        is_right: is_right(figures),
    }
}

/// Returns what is known of a design by a query.
pub fn compared<'a>(summary: &'a Summary, query: &str, design: &str) -> Option<&'a AgainstBest> {
    summary.concurrent.as_ref()?.design(query, design)
}

fn is_right(figures: &ConcurrentFigures) -> bool {
    figures.wrong + figures.failed == 0
}
