//! Writes the notes that a reader needs to judge the figures.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_stats::{NotAsked, QuerySummary, Role, Summary, WhyStopped};

use super::{advice, race};
use crate::decide::words::percent;
use crate::listing::list;
use crate::rows_from::rows_from;
use crate::{compression, nodes, partitions, sample_notes, units};

/// Rounds below which no interval covers 95%.
const ROUNDS_FOR_AIM: u32 = 6;
/// Rounds below which no difference between designs can be shown.
const ROUNDS_FOR_DIFFERENCES: u32 = 5;
/// Part of a budget beyond which a run took longer than it allows, and not only until its reports were written.
const OVER_BUDGET: f64 = 1.1;
/// Most designs that a note names.
const MOST_DESIGNS: usize = 4;

/// Says in one line what was measured.
pub fn facts(summary: &Summary) -> String {
    let header = &summary.header;
    format!(
        "{} rows of {} columns ({}), {}, {}, {} with {}",
        rows(summary),
        header.columns,
        rows_from(&header.data),
        units::plural(u64::from(summary.rounds), "round", "rounds"),
        units::plural(u64::from(header.threads), "thread", "threads"),
        header.machine.cpu,
        units::plural(u64::from(header.machine.cores), "core", "cores"),
    )
}

/// Writes the rows measured: `5,000 of 10,000`, or `5,000` if there are no others.
pub fn rows(summary: &Summary) -> String {
    let rows = units::count(summary.rows);
    match summary
        .rows_left
        .and_then(|left| Some((left.of?, left.counted)))
    {
        None => rows,
        Some((of, true)) => format!("{rows} of {}", units::count(of)),
        Some((of, false)) => format!("{rows} of at least {}", units::count(of)),
    }
}

/// Says how far a run came that goes on: `120,000 rows, 3 of 7 rounds`.
pub fn so_far(summary: &Summary) -> String {
    let queries = summary.designs.iter().flat_map(|d| &d.queries);
    let asked = queries
        .flat_map(|query| &query.rounds)
        .map(|(round, _)| *round);
    let rounds: BTreeSet<u32> = asked.filter(|round| *round < summary.rounds).collect();
    let rows = match summary.rows {
        0 => "no rows yet".to_owned(),
        rows => units::plural(rows, "row", "rows"),
    };
    match summary.rounds {
        0 => rows,
        all => format!(
            "{rows}, {} of {}",
            rounds.len(),
            units::plural(u64::from(all), "round", "rounds")
        ),
    }
}

pub fn all(summary: &Summary) -> Vec<String> {
    let notes = [
        without_optimisation,
        unfinished,
        short_budget,
        over_budget,
        Summary::full_rows_in_words,
        duplicates,
        tolerances,
        unsteady,
        few_rounds,
        fewer_series,
        yardstick,
        some_columns,
        paired_ratios,
    ];
    let mut notes: Vec<String> = notes.iter().filter_map(|n| n(summary)).collect();
    notes.extend(shared_tables(summary));
    notes.extend(not_asked(summary));
    let footprints = summary.designs.iter();
    let footprints = footprints.map(|d| (d.info.id.as_str(), d.footprint.as_ref()));
    notes.extend(compression::gains_nothing(footprints));
    notes.extend(nodes::measured(summary));
    notes.extend(nodes::replicated(summary));
    notes.extend(nodes::forecast(summary));
    notes.extend(partitions::note(&summary.partitions));
    notes.extend(sample_notes::unread_in(&summary.server));
    notes.extend(summary.warnings.iter().cloned());
    notes
}

/// Returns the notes that limit how far the answer can be trusted, and the number of all others but those that stand
/// beside the answer anyway.
pub fn of_trust(summary: &Summary) -> (Vec<String>, usize) {
    let notes = [
        without_optimisation,
        unfinished,
        short_budget,
        duplicates,
        unsteady,
        few_rounds,
        fewer_series,
    ];
    let mut notes: Vec<String> = notes.iter().filter_map(|n| n(summary)).collect();
    notes.extend(summary.warnings.iter().cloned());
    let beside = [over_budget, Summary::full_rows_in_words];
    let beside = beside.iter().filter_map(|n| n(summary)).count();
    let others = all(summary).len().saturating_sub(notes.len() + beside);
    (notes, others)
}

/// Says of forecasts for a sample that grows by series, and then in time, that the smaller tables have fewer series: what is
/// read of a fixed time grows with these, and no more behind them.
fn fewer_series(summary: &Summary) -> Option<String> {
    let from = summary.header.scale.grows_from();
    let decision = summary.decision.as_ref()?;
    let forecasts = summary.forecast.iter().flat_map(|all| &all.designs);
    let times = forecasts.flat_map(|design| &design.times);
    let least = times.map(|time| time.from_rows).min()?;
    (decision.forecasts_times() && least < from).then(|| {
        format!(
            "tables of fewer than {} rows have not all series that the sample grows to, and those that times are forecast \
             from begin with {}: of questions that ask for a fixed time the forecast may be far too long",
            units::count(from),
            units::count(least)
        )
    })
}

/// Says of a program that was built without optimisation that its times are of no use.
fn without_optimisation(summary: &Summary) -> Option<String> {
    let version = &summary.header.bakeoff_version;
    version
        .contains("without optimisation")
        .then(|| "this program was built without optimisation: its times mean nothing".to_owned())
}

/// Says of a run without an end that its figures are incomplete.
pub fn unfinished(summary: &Summary) -> Option<String> {
    let how = if summary.interrupted {
        "was interrupted"
    } else {
        "has not finished"
    };
    let command = &summary.header.command;
    // A note is wrapped, which would change what is in several lines.
    let resumes = if command.contains('\n') {
        "the same command".to_owned()
    } else {
        format!("`{command}`")
    };
    let unfinished = || format!("this run {how}: figures are incomplete; {resumes} resumes it");
    (!summary.finished).then(unfinished)
}

fn short_budget(summary: &Summary) -> Option<String> {
    let left = summary.rows_left.filter(|left| left.by_budget)?;
    let of = match left.of {
        Some(_) => String::new(),
        None => format!(
            " of {} at full scale",
            units::count(summary.header.scale.full_rows)
        ),
    };
    let longer = if advice::is_of_decide(summary) {
        "a longer --budget loads more"
    } else {
        "a longer one, or --rows N, loads more"
    };
    let rows = rows(summary);
    Some(match ended_early(summary) {
        Some(why) => format!(
            "{rows} rows{of} were loaded: the part of the budget for loading allowed no more; {why}; {longer}"
        ),
        None => format!("{rows} rows{of} were loaded: the budget allowed no more; {longer}"),
    })
}

/// Says why a race left a part of its budget, if so.
fn ended_early(summary: &Summary) -> Option<String> {
    let stopped = summary.race.as_ref()?.stopped?;
    let is_within = summary.seconds? < summary.header.budget_seconds?;
    (is_within && stopped.why != WhyStopped::Rounds).then(|| {
        format!(
            "the rounds then ended early, after {}, since {}",
            stopped.rounds,
            race::why_ended(stopped)
        )
    })
}

/// Says of a run that took longer than its budget how long it took, and why.
pub fn over_budget(summary: &Summary) -> Option<String> {
    let (budget, took) = (summary.header.budget_seconds?, summary.seconds?);
    (took > OVER_BUDGET * budget).then(|| {
        format!(
            "the run took {}, longer than its budget of {}: servers start, and the first rows and a few rounds of {} are \
             measured, however short it is; fewer designs take less",
            units::duration(took),
            units::duration(budget),
            units::plural(summary.designs.len() as u64, "design", "designs"),
        )
    })
}

fn duplicates(summary: &Summary) -> Option<String> {
    let (rows, share) = match summary.duplicate_rows {
        0 => return None,
        1 => ("1 row".to_owned(), "shares its"),
        n => (format!("{} rows", units::count(n)), "share their"),
    };
    Some(format!(
        "{rows} {share} key with a later row: layouts with that key keep the last row, files and memory \
         keep both"
    ))
}

fn tolerances(summary: &Summary) -> Option<String> {
    let queries = summary.header.queries.iter();
    let tolerated: Vec<String> = queries
        .filter_map(|query| Some(format!("{} by {}", query.name, percent(query.tolerance?))))
        .collect();
    (!tolerated.is_empty()).then(|| {
        format!(
            "floats in right answers may differ from the exact values by what the workload allows: {}",
            tolerated.join(", ")
        )
    })
}

fn unsteady(summary: &Summary) -> Option<String> {
    let mut queries = summary.designs.iter().flat_map(|d| &d.queries);
    let is_measured = queries.any(|query| query.time.is_some());
    (is_measured && summary.steady == Some(false)).then(|| {
        format!(
            "times were not yet steady after warming up ({}); a longer budget helps",
            summary.warm_up_passes
        )
    })
}

fn few_rounds(summary: &Summary) -> Option<String> {
    let times = summary.designs.iter().flat_map(|design| {
        let of_query = move |q: &QuerySummary| Some((&design.info.id, q.query.clone(), q.time?));
        design.queries.iter().filter_map(of_query)
    });
    let (design, query, fewest) = times.min_by_key(|(_, _, time)| time.observations)?;
    // If other queries were measured in more rounds, the note is about this one alone.
    let which = if fewest.observations < summary.rounds {
        format!("{design}, {query}: ")
    } else {
        String::new()
    };
    let covers = (fewest.coverage * 100.0).floor();
    match fewest.observations {
        1 => Some(format!(
            "{which}only one round was measured, so its error is not known"
        )),
        n if n < ROUNDS_FOR_DIFFERENCES => Some(format!(
            "{which}{n} rounds cannot show a difference, at least {ROUNDS_FOR_DIFFERENCES} are needed; an \
             interval is the whole range and covers {covers}%"
        )),
        n if n < ROUNDS_FOR_AIM => Some(format!(
            "{which}{n} rounds: an interval is the whole range and covers {covers}%"
        )),
        _ => None,
    }
}

fn yardstick(summary: &Summary) -> Option<String> {
    let id = &summary
        .designs
        .iter()
        .find(|d| d.info.role == Role::Volatile)?
        .info
        .id;
    Some(format!(
        "{id} is a yardstick, not a choice: it holds all rows in memory and loses them with its \
         process; “best” is the best choice, so that {id} may be below 1×"
    ))
}

/// Says which designs store some of the columns only.
fn some_columns(summary: &Summary) -> Option<String> {
    let designs = summary.designs.iter().map(|design| &design.info);
    let some = designs.filter(|info| info.role == Role::SomeColumns);
    let ids: Vec<&str> = some.map(|info| info.id.as_str()).collect();
    let what = match ids.len() {
        0 => return None,
        1 => "is a yardstick, not a choice: it stores",
        _ => "are yardsticks, not choices: they store",
    };
    let designs = list(&ids, MOST_DESIGNS);
    Some(format!("{designs} {what} some columns of the table only"))
}

/// Says of each table that several designs read which ones these are.
fn shared_tables(summary: &Summary) -> Vec<String> {
    let mut readers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for design in &summary.designs {
        if let Some(of) = &design.info.table_of {
            readers.entry(of).or_default().push(&design.info.id);
        }
    }
    { readers.into_iter() }
        .map(|(of, ids)| {
            let (read, their) = match ids.len() {
                1 => ("reads", "its"),
                _ => ("read", "their"),
            };
            let designs = list(&ids, MOST_DESIGNS);
            format!(
                "{designs} {read} the table of {of}, which was loaded once: {their} storage and loading are those \
                 of that table"
            )
        })
        .collect()
}

/// Says of each query which designs are not asked it, and why.
fn not_asked(summary: &Summary) -> Vec<String> {
    let mut of_reason: Vec<(&NotAsked, Vec<&str>)> = Vec::new();
    for design in &summary.designs {
        for reason in &design.info.not_asked {
            let id = design.info.id.as_str();
            match of_reason.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, designs)) => designs.push(id),
                None => of_reason.push((reason, vec![id])),
            }
        }
    }
    { of_reason.into_iter() }
        .map(|(NotAsked { query, why }, designs)| {
            let designs = list(&designs, MOST_DESIGNS);
            format!("{query} is not asked of {designs}, since it {why}")
        })
        .collect()
}

/// Says why a ratio may not be the quotient of the times beside it.
fn paired_ratios(summary: &Summary) -> Option<String> {
    let mut queries = summary.comparison.queries.iter();
    queries.any(|query| query.designs.len() > 1).then(|| {
        "ratios of times compare answers of the same round, so they may differ from the ratio of the \
         medians shown"
            .to_owned()
    })
}
