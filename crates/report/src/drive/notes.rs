//! Writes the notes that a reader needs to judge the figures of a load.

mod compaction;
mod repairs;
mod rounds;

use bakeoff_stats::drive::{DriveDesign, DriveHeader, DriveSummary, TrialSummary};
use bakeoff_stats::total;

use super::{Kind, added, beside, few_operations, passes};
use crate::{compression, nodes, partitions, sample_notes, units};

/// Lateness of 1% of the operations above which the driver is part of what was measured.
const LATE_SECONDS: f64 = 1e-3;
/// Ratio of a rate that failed to one that held, where a search ended as it should: 1.04.
const WIDE_SEARCH: f64 = 1.05;
/// Width of the interval at which a search by all loads ends: 1.1.
const WIDE_INTERVAL: f64 = 1.11;
/// Most messages of failures that are shown.
const MOST_MESSAGES: usize = 5;

/// Says in one line what was driven.
pub fn facts(summary: &DriveSummary) -> String {
    let header = &summary.header;
    let processes = match header.parts.len() {
        0 => String::new(),
        n => format!("{n} processes, "),
    };
    let seconds = units::trimmed(&units::duration(header.seconds));
    let in_flight = units::count(u64::from(header.in_flight));
    let (lasts, in_flight) = match (&header.passes, &header.objective) {
        (Some(passes), _) => (format!("{}, ", passes::tables(passes)), in_flight),
        (None, Some(_)) => (
            format!("{seconds} a probe, "),
            format!("at most {in_flight}"),
        ),
        (None, None) if header.planned_seconds().is_some() => (format!("{seconds}, "), in_flight),
        // Its schedule says how many operations it has.
        (None, None) => (String::new(), in_flight),
    };
    format!(
        "{}, {}, {lasts}{in_flight} in flight, {processes}{}, {} with {}",
        units::plural(header.rows, "row", "rows"),
        schedule(header),
        units::plural(u64::from(header.threads), "thread", "threads"),
        header.machine.cpu,
        units::plural(u64::from(header.machine.cores), "core", "cores"),
    )
}

/// Says what becomes due when. A search has a schedule for each load.
pub fn schedule(header: &DriveHeader) -> String {
    match &header.objective {
        Some(objective) => format!("search of the highest rate within {objective}"),
        None => match header.shard.1 {
            0 | 1 => header.schedule.clone(),
            of => format!("{} over all {of} shards", header.schedule),
        },
    }
}

/// Says how far a drive came that goes on: `3 loads of 90 s in all`.
pub fn so_far(summary: &DriveSummary) -> String {
    let seconds: usize = summary.trials.iter().map(|trial| trial.seconds.len()).sum();
    let loads = summary.trials.len() as u64;
    let loads = match &summary.header.passes {
        Some(_) => units::plural(loads, "pass", "passes"),
        None => units::plural(loads, "load", "loads"),
    };
    if summary.trials.is_empty() {
        "no load yet".to_owned()
    } else {
        format!("{loads} of {} s in all", units::count(seconds as u64))
    }
}

pub fn of(summary: &DriveSummary) -> Vec<String> {
    let footprints = summary.designs.iter();
    let footprints = footprints.map(|d| (d.info.id.as_str(), d.footprint.as_ref()));
    let mut notes: Vec<String> = [
        unfinished(summary),
        nodes::driven(summary),
        warmed_up(summary),
        warm_up(summary),
        unsteady(summary),
        capped(summary),
        unsent(summary),
        waited(summary),
        late(summary),
        rounds::few(summary),
        few_operations(summary),
        yardstick(summary),
        compression::gains_nothing(footprints),
        compaction::share(summary),
        repairs::of(summary),
        part_of_a_load(summary),
    ]
    .into_iter()
    .flatten()
    .collect();
    notes.extend(incomplete(summary));
    notes.extend(wide_searches(summary));
    notes.extend(background(summary));
    notes.extend(beside::notes(summary));
    notes.extend(added::notes(summary));
    notes.extend(messages(summary));
    notes.extend(partitions::note(&summary.partitions));
    let seconds = summary.trials.iter().flat_map(|trial| &trial.seconds);
    notes.extend(sample_notes::unread(seconds.map(|second| &second.server)));
    notes.extend(summary.warnings.iter().cloned());
    notes
}

/// Returns the notes that limit how far the answer can be trusted, and the number of all others.
pub fn of_trust(summary: &DriveSummary) -> (Vec<String>, usize) {
    let notes = [
        unfinished,
        unsteady,
        capped,
        unsent,
        waited,
        late,
        rounds::few,
    ];
    let mut notes: Vec<String> = notes.iter().filter_map(|n| n(summary)).collect();
    notes.extend(summary.warnings.iter().cloned());
    let others = of(summary).len().saturating_sub(notes.len());
    (notes, others)
}

/// Returns the trials that figures are of.
fn trials(summary: &DriveSummary) -> impl Iterator<Item = &TrialSummary> {
    summary.trials.iter().filter(|t| {
        let number = t.start.trial;
        t.pass.is_some() || summary.designs.iter().any(|d| d.trials.contains(&number))
    })
}

/// Names a trial: `cassandra/wide, round 2`; of a search `cassandra/wide, 5000 ops/s`, of passes
/// `cassandra/wide, read, each of 1000 rows once, round 2`; with questions beside it
/// `cassandra/wide, round 2, with questions to parquet`.
pub fn place(trial: &TrialSummary) -> String {
    match &trial.probe {
        _ if trial.start.warm_up => format!("{}, warm-up", trial.start.design),
        Some(_) => format!("{}, {}", trial.start.design, trial.start.schedule),
        None if trial.pass.is_some() => format!(
            "{}, {}, round {}",
            trial.start.design, trial.start.schedule, trial.start.round
        ),
        None if trial.start.beside => {
            let by = trial.start.answered_by.as_ref();
            let by = by.map_or_else(String::new, |by| format!(" to {by}"));
            format!(
                "{}, round {}, with questions{by}",
                trial.start.design, trial.start.round
            )
        }
        None => format!("{}, round {}", trial.start.design, trial.start.round),
    }
}

/// Returns the designs that failed, those that answer questions included, each with the reason.
pub fn failures(summary: &DriveSummary) -> Vec<(String, String)> {
    let of_driven = summary.designs.iter().flat_map(|design| {
        let reasons = design.failures.iter();
        reasons.map(|reason| (design.info.id.clone(), reason.clone()))
    });
    let ended = summary.answering_ended.iter();
    let of_answering = ended.map(|ended| (ended.design.clone(), ended.reason.clone()));
    of_driven.chain(of_answering).collect()
}

/// Says of a drive without an end that its figures are incomplete.
pub fn unfinished(summary: &DriveSummary) -> Option<String> {
    let how = if summary.interrupted {
        "was interrupted"
    } else {
        "has not finished"
    };
    (!summary.finished).then(|| format!("this load {how}: figures are incomplete"))
}

/// Counts the loads before the first one that counts.
fn warmed_up(summary: &DriveSummary) -> Option<String> {
    let loops = summary.trials.iter().filter(|t| t.start.warm_up).count();
    if loops > 0 && summary.header.passes.is_some() {
        let text = "servers were warmed up before: all passes were made once, in no figure";
        return Some(text.to_owned());
    }
    (loops > 0).then(|| {
        format!(
            "servers were warmed up before: {} as fast as they go, in no figure",
            units::plural(loops as u64, "load", "loads")
        )
    })
}

fn warm_up(summary: &DriveSummary) -> Option<String> {
    if summary.header.passes.is_some() {
        // A pass counts as a whole.
        return None;
    }
    let seconds = || trials(summary).map(|t| t.warm_up_seconds);
    let (least, most) = (seconds().min()?, seconds().max()?);
    if Kind::of(summary) == Kind::Varying {
        let text = "the rate changes by its schedule, so that no warm-up is told from it: \
                    every second counts";
        return Some(text.to_owned());
    }
    (most > 0).then(|| {
        let range = if least == most {
            most.to_string()
        } else {
            format!("{least} to {most}")
        };
        format!(
            "left out as warm-up: the first {range} s of each load (by MSER), but not from the \
             client's CPU time"
        )
    })
}

fn unsteady(summary: &DriveSummary) -> Option<String> {
    let unsteady: Vec<String> = trials(summary)
        .filter(|t| t.steady == Some(false))
        .map(place)
        .collect();
    let is_compared = !summary.comparison.figures.is_empty();
    let left_out = if is_compared {
        " and in no comparison"
    } else {
        ""
    };
    (!unsteady.is_empty()).then(|| {
        format!(
            "not steady after half of the time{left_out}: {}; a longer --for helps",
            shortened(&unsteady)
        )
    })
}

fn capped(summary: &DriveSummary) -> Option<String> {
    let capped: Vec<String> = trials(summary)
        .filter(|t| t.is_limited())
        .filter_map(|t| {
            let (scheduled, reached) = t.capped()?;
            let (scheduled, reached) = (units::rate(scheduled), units::rate(reached));
            Some(format!("{} ({reached} of {scheduled} ops/s)", place(t)))
        })
        .collect();
    (!capped.is_empty()).then(|| {
        format!(
            "the limit of {} operations in flight capped the rate: {}",
            units::count(u64::from(summary.header.in_flight)),
            shortened(&capped)
        )
    })
}

fn unsent(summary: &DriveSummary) -> Option<String> {
    let unsent = total(ended(summary).map(|e| e.unsent));
    (unsent > 0).then(|| {
        let operations = units::plural(unsent, "operation was", "operations were");
        format!(
            "{operations} due and never sent before the limit for draining was over: response \
             times would be longer with them"
        )
    })
}

/// Counts operations that waited although the rate was reached.
fn waited(summary: &DriveSummary) -> Option<String> {
    let (queued, seconds) = trials(summary)
        .filter(|t| t.capped().is_none() && t.start.scheduled_rate.is_some())
        .filter_map(|t| t.end.as_ref())
        .fold((0, 0), |(queued, seconds), end| {
            (
                queued + end.queued,
                seconds + u64::from(end.limited_seconds),
            )
        });
    (queued > 0).then(|| {
        format!(
            "{} waited in {}, since so many were in flight; their response times count from when \
             they were due",
            units::plural(queued, "operation", "operations"),
            units::plural(seconds, "second", "seconds"),
        )
    })
}

fn late(summary: &DriveSummary) -> Option<String> {
    let p99 = ended(summary).filter_map(|e| e.lateness_p99_ns).max()?;
    let seconds = p99 as f64 / 1e9;
    (seconds > LATE_SECONDS).then(|| {
        format!(
            "the driver itself sent 1% of the operations of a load, its warm-up included, more than \
             {} late: it needs more --threads or a separate machine",
            units::duration(seconds)
        )
    })
}

/// Says what `dry` means next to others; alone it is what was asked for.
fn yardstick(summary: &DriveSummary) -> Option<String> {
    let (yardsticks, others): (Vec<&DriveDesign>, Vec<&DriveDesign>) =
        summary.designs.iter().partition(|d| d.info.is_yardstick());
    let first = yardsticks.first().filter(|_| !others.is_empty())?;
    Some(format!(
        "{} is a yardstick, not a choice: it stores nothing and shows what Bakeoff itself takes",
        first.info.id
    ))
}

fn part_of_a_load(summary: &DriveSummary) -> Option<String> {
    let (index, of) = summary.header.shard;
    (of > 1).then(|| {
        format!(
            "this is shard {} of {of}: rates are its own; `bakeoff merge` joins the shards",
            index + 1
        )
    })
}

/// Names loads that are in no figure since a worker was missing, with the reason.
fn incomplete(summary: &DriveSummary) -> impl Iterator<Item = String> {
    summary.trials.iter().filter_map(|t| {
        let why = t.end.as_ref()?.worker_failures.first()?;
        Some(format!("left out of all figures: {}: {why}", place(t)))
    })
}

/// Names searches that ended before they were as exact as they should be.
fn wide_searches(summary: &DriveSummary) -> impl Iterator<Item = String> {
    let found = summary.designs.iter().flat_map(|d| &d.found);
    found.filter_map(|f| {
        let (held, failed, wide) = match f.estimate {
            Some(estimate) => (estimate.low, estimate.high, WIDE_INTERVAL),
            None => (f.rate?, f.failed_at?, WIDE_SEARCH),
        };
        (failed / held > wide).then(|| {
            format!(
                "the search on {}, round {}, says no more than that the answer is between {} and {} \
                 ops/s: {} ({}); loads that last longer agree better",
                f.design,
                f.round,
                units::rate(held),
                units::rate(failed),
                f.why,
                f.probes
            )
        })
    })
}

fn background(summary: &DriveSummary) -> Option<String> {
    let all = total(ended(summary).map(|e| e.background_statements));
    let failed = total(ended(summary).map(|e| e.background_failed));
    (failed > 0).then(|| {
        format!(
            "{} of {} failed",
            units::count(failed),
            units::plural(all, "background statement", "background statements")
        )
    })
}

fn messages(summary: &DriveSummary) -> Vec<String> {
    let mut messages: Vec<&String> = Vec::new();
    for message in ended(summary).flat_map(|e| e.messages.iter().chain(&e.background)) {
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    let more = messages.len().saturating_sub(MOST_MESSAGES);
    let mut notes: Vec<String> = messages
        .into_iter()
        .take(MOST_MESSAGES)
        .map(|m| format!("failed: {m}"))
        .collect();
    if more > 0 {
        notes.push(format!("{more} further messages are in drive.jsonl"));
    }
    notes
}

fn ended(summary: &DriveSummary) -> impl Iterator<Item = &bakeoff_stats::drive::TrialEnd> {
    trials(summary).filter_map(|t| t.end.as_ref())
}

/// Joins the first few of many.
fn shortened(places: &[String]) -> String {
    match places.len() {
        n if n > 4 => format!("{} and {} others", places[..3].join("; "), n - 3),
        _ => places.join("; "),
    }
}
