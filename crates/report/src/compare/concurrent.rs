//! What is said of questions that several clients asked at the same time.

use bakeoff_stats::{ConcurrentFigures, ConcurrentSummary, DesignSummary, FEWEST_ANSWERS, Summary};

use crate::compare::to_best;
use crate::per_node::Shown;
use crate::units;

pub const TITLE: &str = "Several clients at a time";
/// Turns below which no difference between designs can be shown.
const TURNS_FOR_DIFFERENCES: u32 = 5;
/// Share of the clients below which so few had a question under way that throughput is a bound.
const MOST_ARE_BUSY: f64 = 0.9;

/// Columns of the table over all queries, next to that of designs.
const COLUMNS: [&str; 7] = [
    "Answered",
    "A second, equal mix",
    "× best",
    "Server CPU/answer",
    "Client CPU/answer",
    "Wrong",
    "Failed",
];
/// Columns of the same table where one query is asked at a time.
const COLUMNS_OF_ONE: [&str; 7] = [
    "Clients",
    "Answered",
    "Asked for",
    "Server CPU/answer",
    "Client CPU/answer",
    "Wrong",
    "Failed",
];
/// Columns of the tables of a query.
const QUERY_COLUMNS: [&str; 7] = [
    "Answered", "Mean", "× best", "p50", "p99", "Wrong", "Failed",
];
/// Columns of the same tables where one query is asked at a time.
const QUERY_COLUMNS_OF_ONE: [&str; 7] = [
    "Mean", "× best", "A second", "× best", "p99", "Wrong", "Failed",
];

/// A row of either table.
pub struct Row {
    pub cells: [Option<String>; 7],
    /// Whether the last two cells are nothing to worry about.
    pub is_right: bool,
}

/// Returns the answers per second and node, where they are more than the answers per second themselves.
pub fn per_node(summary: &Summary) -> Option<Shown<'_>> {
    let per_node = summary.per_node.as_ref();
    Shown::new(per_node, "answers", &summary.header.designs)
}

/// Returns whether all clients asked the same query at a time.
pub fn is_one_query_at_a_time(summary: &Summary) -> bool {
    of_designs(summary).any(|asked| asked.one_query_at_a_time)
}

/// Returns the columns of the table over all queries, next to that of designs.
pub fn columns(summary: &Summary) -> [&'static str; 7] {
    if is_one_query_at_a_time(summary) {
        COLUMNS_OF_ONE
    } else {
        COLUMNS
    }
}

/// Returns the columns of the tables of a query.
pub fn query_columns(summary: &Summary) -> [&'static str; 7] {
    if is_one_query_at_a_time(summary) {
        QUERY_COLUMNS_OF_ONE
    } else {
        QUERY_COLUMNS
    }
}

/// Says what was done, and how to read it; `None` where no design was asked that way.
pub fn hint(summary: &Summary) -> Option<String> {
    let clients = clients(summary)?;
    let mut hint = if is_one_query_at_a_time(summary) {
        of_one_query(&clients)
    } else {
        of_permutations(&clients)
    };
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

/// Writes the number of clients, which differs between designs that have them for each node.
fn clients(summary: &Summary) -> Option<String> {
    let numbers = || of_designs(summary).map(|asked| u64::from(asked.clients));
    let (fewest, most) = (numbers().min()?, numbers().max()?);
    Some(if fewest < most {
        format!("{fewest} to {most} clients, as many for each node of an engine,")
    } else {
        units::plural(most, "client", "clients")
    })
}

fn of_one_query(clients: &str) -> String {
    format!(
        "{clients} ask one design at a time, all of them the same query with one set of its parameters after \
         the other, and one query after the other. The designs take turns in random order until all \
         questions are asked or the time is over, and are compared within turns by their mean service \
         times and by their answers a second; {}. Answers a second are counted while that query is asked, \
         up to the end of the last question of each turn. In the charts, bars are medians of the turns with \
         their intervals; in the tables, means are of all right answers.",
        to_best::LEGEND,
    )
}

fn of_permutations(clients: &str) -> String {
    format!(
        "{clients} ask one design at a time, each all queries in a random order, then again in another \
         one. The designs take turns in random order until all permutations are asked or the time \
         is over, and are compared by their mean service times within turns; {}. \"A second, equal \
         mix\" is what all queries, asked equally often, would give by Little's law: clients divided \
         by the mean over the queries of their mean times; it is “?” where a query has fewer than \
         {FEWEST_ANSWERS} right answers. CPU is for each right answer of those that the design gave, \
         whose shares differ between designs.",
        to_best::LEGEND,
    )
}

fn of_designs(summary: &Summary) -> impl Iterator<Item = &ConcurrentSummary> {
    summary.designs.iter().filter_map(|d| d.concurrent.as_ref())
}

/// Says why designs are not compared, and what helps.
fn few_turns(summary: &Summary) -> Option<String> {
    let fewest = of_designs(summary).map(turns_of_comparisons).min()?;
    let what = if is_one_query_at_a_time(summary) {
        "answered a query"
    } else {
        "answered"
    };
    (fewest < TURNS_FOR_DIFFERENCES && of_designs(summary).count() > 1).then(|| {
        format!(
            " A design {what} in {} only, and below {TURNS_FOR_DIFFERENCES} nothing is called a \
             difference: give the clients longer (--concurrent-for).",
            units::plural(u64::from(fewest), "turn", "turns")
        )
    })
}

/// Returns the fewest turns by which a design is compared with others.
fn turns_of_comparisons(asked: &ConcurrentSummary) -> u32 {
    if !asked.one_query_at_a_time {
        return asked.turns;
    }
    let turns = asked.queries.iter().map(|(_, figures)| figures.rates.len());
    u32::try_from(turns.min().unwrap_or(0)).unwrap_or(u32::MAX)
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
    let answered = Some(units::count(asked.all.answered));
    let first = if asked.one_query_at_a_time {
        let clients = Some(units::count(u64::from(asked.clients)));
        [clients, answered, Some(units::duration(asked.seconds))]
    } else {
        let rate = asked.equal_mix.map_or_else(|| "?".to_owned(), units::rate);
        [answered, Some(rate), compared.map(to_best::in_full)]
    };
    let cpu = asked.cpu_per_answer;
    let [one, two, three] = first;
    Row {
        cells: [
            one,
            two,
            three,
            { cpu.and_then(|cpu| cpu.server) }.map(units::duration),
            cpu.map(|cpu| units::duration(cpu.client)),
            Some(units::count(asked.all.wrong)),
            Some(units::count(asked.all.failed)),
        ],
        is_right: is_right(&asked.all),
    }
}

/// Returns the row of a design by a query, in a table of times; `None` if it was not asked.
pub fn query_row(summary: &Summary, query: &str, design: &DesignSummary) -> Option<Row> {
    let asked = design.concurrent.as_ref()?;
    let (figures, id) = (asked.query(query)?, &design.info.id);
    let time = |seconds: Option<f64>| seconds.map(units::duration);
    let compared = summary.concurrent.as_ref();
    let by_time = compared
        .and_then(|c| c.design(query, id))
        .map(to_best::in_full);
    let mean = time(figures.mean);
    let [one, two, three, four] = if asked.one_query_at_a_time {
        let rate = (figures.answered > 0).then(|| units::rate(figures.per_second));
        let by_rate = compared
            .and_then(|c| c.rate_of(query, id))
            .map(to_best::in_full);
        [mean, by_time, rate, by_rate]
    } else {
        let answered = Some(units::count(figures.answered));
        [answered, mean, by_time, time(figures.p50)]
    };
    Some(Row {
        cells: [
            one,
            two,
            three,
            four,
            time(figures.p99),
            Some(units::count(figures.wrong)),
            Some(units::count(figures.failed)),
        ],
        is_right: is_right(figures),
    })
}

fn is_right(figures: &ConcurrentFigures) -> bool {
    figures.wrong + figures.failed == 0
}
