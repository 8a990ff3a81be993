//! What a reader has to know to judge the figures, in words.

use bakeoff_stats::Summary;

use crate::{nodes, units};

/// Fewer rounds than this cannot give an interval that covers 95%.
const ROUNDS_FOR_AIM: u32 = 6;

/// What was measured, in one line.
pub fn facts(summary: &Summary) -> String {
    let header = &summary.header;
    format!(
        "{} rows of {} columns ({}), {}, {}, {} with {}",
        units::count(summary.rows),
        header.columns,
        header.data,
        units::plural(u64::from(summary.rounds), "round", "rounds"),
        units::plural(u64::from(header.threads), "thread", "threads"),
        header.machine.cpu,
        units::plural(u64::from(header.machine.cores), "core", "cores"),
    )
}

pub fn of(summary: &Summary) -> Vec<String> {
    let mut notes: Vec<String> = [unfinished, duplicates, unsteady, few_rounds, yardstick]
        .iter()
        .filter_map(|n| n(summary))
        .collect();
    notes.extend(nodes::measured(summary));
    notes.extend(nodes::forecast(summary));
    notes.extend(summary.warnings.iter().cloned());
    notes
}

fn unfinished(summary: &Summary) -> Option<String> {
    let how = if summary.interrupted {
        "was interrupted"
    } else {
        "has not finished"
    };
    (!summary.finished).then(|| {
        format!(
            "this run {how}: figures are incomplete; `{}` goes on with it",
            summary.header.command
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
        "{rows} {share} key with a later row: layouts with the key keep the last, files and memory \
         keep both"
    ))
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
    let times = summary
        .designs
        .iter()
        .flat_map(|d| &d.queries)
        .filter_map(|q| q.time);
    let fewest = times.min_by_key(|t| t.observations)?;
    (fewest.observations < ROUNDS_FOR_AIM).then(|| match fewest.observations {
        1 => "one round was measured: nothing is known about its error".to_owned(),
        n => format!(
            "{n} rounds: an interval is the whole range and covers {:.0}%, not 95%; take small \
             differences for unproven",
            fewest.coverage * 100.0
        ),
    })
}

fn yardstick(summary: &Summary) -> Option<String> {
    let id = &summary
        .designs
        .iter()
        .find(|d| d.info.engine == "memory")?
        .info
        .id;
    Some(format!(
        "{id} is a yardstick, not a choice: it holds all rows in memory and loses them with its \
         process"
    ))
}
