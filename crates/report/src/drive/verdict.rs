//! The paragraph that says what a load supports: the highest rate, or how long operations take,
//! and between which designs a difference was shown.

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveDesign, DriveSummary, LoadFigures};

use super::{Kind, list, ranking, slowest_p99};
use crate::units;
use crate::verdict::Answer;

/// The question that the load was for, and its answer.
pub fn answers(summary: &DriveSummary) -> Vec<Answer> {
    let kind = Kind::of(summary);
    let ranking = ranking(summary, kind);
    let Some((best, figure)) = ranking.first() else {
        return Vec::new();
    };
    let rate = |rate: f64| format!("{} ops/s", units::rate(rate));
    let mut answers = match kind {
        Kind::Search => vec![Answer {
            question: format!("Highest rate within {}", objective(summary)),
            figure: rate(figure.median),
            basis: format!("{}; {}", best.info.id, interval_of_search(best, figure)),
        }],
        Kind::ClosedLoop => vec![Answer {
            question: format!("Throughput with {} in flight", summary.header.in_flight),
            figure: rate(figure.median),
            basis: best.info.id.clone(),
        }],
        Kind::Rate | Kind::Varying => Vec::new(),
    };
    answers.extend(response_times(summary, best, kind));
    answers
}

/// p99 of the operation that has the highest.
fn response_times(summary: &DriveSummary, design: &DriveDesign, kind: Kind) -> Option<Answer> {
    let (operation, p99) = slowest_p99(design)?;
    let name = &summary.header.operations[operation].name;
    let at = match kind {
        Kind::Search => "at that rate".to_owned(),
        Kind::ClosedLoop => "as fast as it goes".to_owned(),
        Kind::Rate | Kind::Varying => format!("at {}", summary.header.schedule),
    };
    Some(Answer {
        question: format!("Response time of 99% of the operations, {at}"),
        figure: units::duration(p99.median),
        basis: format!("{name} with {}", design.info.id),
    })
}

pub fn paragraph(summary: &DriveSummary) -> String {
    let kind = Kind::of(summary);
    let ranking = ranking(summary, kind);
    if ranking.is_empty() {
        return nothing(summary, kind);
    }
    let sentences = [
        Some(headline(summary, kind, &ranking)),
        others(kind, &ranking),
        ties(kind, &ranking),
        times(summary, kind, ranking[0].0),
        cost(&ranking),
        failed(summary),
        left_out(summary, &ranking),
    ];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    sentences.join(" ")
}

fn nothing(summary: &DriveSummary, kind: Kind) -> String {
    let tried = summary.designs.iter().any(|d| !d.found.is_empty());
    match kind {
        Kind::Search if tried => format!(
            "No rate that was tried held {}; a less strict objective or a lower rate may.",
            objective(summary)
        ),
        _ => "No operation has succeeded, so there is nothing to say.".to_owned(),
    }
}

fn objective(summary: &DriveSummary) -> &str {
    summary.header.objective.as_deref().unwrap_or_default()
}

fn headline(summary: &DriveSummary, kind: Kind, ranking: &[(&DriveDesign, Estimate)]) -> String {
    let (best, figure) = &ranking[0];
    let id = &best.info.id;
    match kind {
        Kind::Search => format!(
            "{id} holds {} up to {} ops/s; {}.",
            objective(summary),
            units::rate(figure.median),
            interval_of_search(best, figure)
        ),
        Kind::ClosedLoop => format!(
            "{id} does {} ops/s with {} operations in flight{}.",
            units::rate(figure.median),
            summary.header.in_flight,
            spread(figure, units::rate_interval(figure))
        ),
        Kind::Rate | Kind::Varying => {
            let (median, interval) = units::duration_interval(figure);
            let lowest = match ranking.len() {
                1 => "",
                _ => "the lowest p99: ",
            };
            let operation = slowest_p99(best).map_or(0, |(operation, _)| operation);
            format!(
                "At {}, {id} answers 99% of its slowest operation, {}, within {lowest}{median}{}.",
                summary.header.schedule,
                summary.header.operations[operation].name,
                spread(figure, interval)
            )
        }
    }
}

/// ` (11.9–12.8 k over 5 rounds)`
fn spread(figure: &Estimate, interval: String) -> String {
    match figure.observations {
        1 => String::new(),
        rounds => format!(" ({interval} over {rounds} rounds)"),
    }
}

/// Between which rates the limit lies.
fn interval_of_search(design: &DriveDesign, figure: &Estimate) -> String {
    if figure.observations > 1 {
        let interval = units::rate_interval(figure);
        return format!("{interval} over {} searches", figure.observations);
    }
    match design.found.first().and_then(|f| f.failed_at) {
        Some(failed) => format!("{} did not hold", units::rate(failed)),
        None => "no higher rate was tried".to_owned(),
    }
}

/// The interval that a difference has to leave.
fn interval(kind: Kind, design: &DriveDesign, figure: &Estimate) -> (f64, f64) {
    let failed = design.found.iter().filter_map(|f| f.failed_at);
    let high = match kind {
        Kind::Search => failed.fold(figure.high, f64::max),
        _ => figure.high,
    };
    (figure.low, high)
}

/// How the others compare.
fn others(kind: Kind, ranking: &[(&DriveDesign, Estimate)]) -> Option<String> {
    let (_, best) = &ranking[0];
    let (worst, last) = ranking.last().filter(|_| ranking.len() > 1)?;
    let id = &worst.info.id;
    Some(match kind {
        Kind::Search | Kind::ClosedLoop => format!(
            "The lowest of {} designs is {id} with {} ops/s: {} less.",
            ranking.len(),
            units::rate(last.median),
            units::factor(best.median / last.median)
        ),
        Kind::Rate | Kind::Varying => format!(
            "The highest of {} designs is {id} with {}: {}.",
            ranking.len(),
            units::duration(last.median),
            units::factor(last.median / best.median)
        ),
    })
}

/// Designs whose interval overlaps the best one's.
fn ties(kind: Kind, ranking: &[(&DriveDesign, Estimate)]) -> Option<String> {
    let (best, figure) = &ranking[0];
    let (low, high) = interval(kind, best, figure);
    let overlaps = |(design, figure): &&(&DriveDesign, Estimate)| {
        let (other_low, other_high) = interval(kind, design, figure);
        low <= other_high && other_low <= high
    };
    let rounds = figure.observations > 1 || kind == Kind::Search;
    if !rounds && ranking.len() > 1 {
        return Some(
            "Each was driven once, which cannot show a difference: repeat it with --rounds 6."
                .to_owned(),
        );
    }
    let ties: Vec<String> = ranking[1..]
        .iter()
        .filter(overlaps)
        .map(|(d, _)| d.info.id.clone())
        .collect();
    (!ties.is_empty()).then(|| {
        let best = &best.info.id;
        format!(
            "No difference was shown between {best} and {}.",
            list(&ties)
        )
    })
}

/// p99 of each operation with the best design.
fn times(summary: &DriveSummary, kind: Kind, design: &DriveDesign) -> Option<String> {
    let figures = design.figures.as_ref()?;
    let parts: Vec<String> = figures
        .operations
        .iter()
        .filter_map(|o| {
            let response = o.response?;
            let (p50, p99) = (units::duration(response.p50), units::duration(response.p99));
            Some(format!("{} {p50} and {p99}", o.name))
        })
        .collect();
    let at = match kind {
        Kind::Search => "At that rate, response",
        _ if summary.designs.len() > 1 => "Its response",
        _ => "Response",
    };
    (!parts.is_empty()).then(|| format!("{at} times, p50 and p99: {}.", parts.join("; ")))
}

/// CPU time of the server, and bytes from the disk.
fn cost(ranking: &[(&DriveDesign, Estimate)]) -> Option<String> {
    let sentences = [
        range(
            "Server CPU for an operation",
            ranking,
            |f| f.server_cpu_micros_per_op,
            |micros| units::duration(micros / 1e6),
        ),
        range(
            "Bytes read from disk for each byte returned",
            ranking,
            |f| f.disk_read_per_byte,
            |bytes| format!("{bytes:.2}"),
        ),
    ];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The least and the most, with their designs.
fn range(
    what: &str,
    ranking: &[(&DriveDesign, Estimate)],
    value: impl Fn(&LoadFigures) -> Option<f64>,
    show: impl Fn(f64) -> String,
) -> Option<String> {
    let mut known: Vec<(&str, f64)> = ranking
        .iter()
        .filter_map(|(d, _)| Some((d.info.id.as_str(), value(d.figures.as_ref()?)?)))
        .collect();
    known.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (least_id, least) = known.first()?;
    let (most_id, most) = known.last()?;
    let (least, most) = (show(*least), show(*most));
    Some(match least == most {
        true => format!("{what}: {least}."),
        false => format!("{what}: {least} with {least_id} to {most} with {most_id}."),
    })
}

/// Operations that failed, of all trials that figures are of.
fn failed(summary: &DriveSummary) -> Option<String> {
    let figures = || summary.designs.iter().filter_map(|d| d.figures.as_ref());
    let failed: u64 = figures().map(LoadFigures::failed).sum();
    let all: u64 = failed + figures().map(LoadFigures::successes).sum::<u64>();
    let mut kinds: Vec<(String, u64)> = Vec::new();
    for (kind, count) in figures()
        .flat_map(|f| &f.operations)
        .flat_map(|o| &o.failures)
    {
        let name = kind.to_string();
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += count,
            None => kinds.push((name, *count)),
        }
    }
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{} {kind}", units::count(*count)))
        .collect();
    (failed > 0).then(|| {
        format!(
            "{} of {} operations failed ({}); they are in no time and no rate.",
            units::count(failed),
            units::count(all),
            list(&kinds)
        )
    })
}

fn left_out(summary: &DriveSummary, ranking: &[(&DriveDesign, Estimate)]) -> Option<String> {
    let left_out = summary.designs.len() - ranking.len();
    (left_out > 0).then(|| {
        format!(
            "Left out: {left_out} of {} designs, which have no result.",
            summary.designs.len()
        )
    })
}
