//! The paragraph that says what a load supports: the highest rate, or how long operations take,
//! and between which designs a difference was shown.

mod compared;
mod missing;

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveDesign, DriveSummary, LoadFigures, Support};

use super::{Kind, list, notes, p99_support, quantile, slowest_p99, too_many_failed};
use crate::answer::Answer;
use crate::units;
use compared::{FAILED_SHARE, Ranked, compared, shortfalls, ties};

/// The question that the load was for, and its answer.
pub fn answers(summary: &DriveSummary) -> Vec<Answer> {
    let kind = Kind::of(summary);
    let ranking = compared(summary, kind);
    let Some((best, figure)) = ranking.first() else {
        return Vec::new();
    };
    let but = but(summary, kind, best);
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
            basis: format!("{}{but}", best.info.id),
        }],
        Kind::Rate | Kind::Varying => Vec::new(),
    };
    match kind {
        Kind::Search => answers.extend(within_objective(best)),
        _ => answers.extend(response_times(summary, best, kind)),
    }
    answers
}

/// What each limit of the objective measured at the rate that was found, the highest of its
/// searches.
fn within_objective(design: &DriveDesign) -> Vec<Answer> {
    let found = |trial: u32| design.trials.contains(&trial);
    let probes = design.probes.iter().filter(|p| found(p.trial));
    let measured = probes.flat_map(|p| &p.measured);
    let mut highest: Vec<(&str, f64)> = Vec::new();
    for (limit, value) in measured {
        let Some(nanoseconds) = *value else { continue };
        match highest
            .iter_mut()
            .find(|(known, _)| *known == limit.as_str())
        {
            Some((_, most)) => *most = most.max(nanoseconds),
            None => highest.push((limit.as_str(), nanoseconds)),
        }
    }
    let answer = |(limit, nanoseconds): &(&str, f64)| Answer {
        question: format!("Measured for {limit}, at that rate"),
        figure: units::duration(nanoseconds / 1e9),
        basis: design.info.id.clone(),
    };
    highest.iter().map(answer).collect()
}

/// p99 of the operation that has the highest; none where many operations failed.
fn response_times(summary: &DriveSummary, design: &DriveDesign, kind: Kind) -> Option<Answer> {
    if too_many_failed(design) {
        return None;
    }
    let (operation, p99) = slowest_p99(design)?;
    let name = &summary.header.operations[operation].name;
    let at = match kind {
        Kind::Search => "at that rate".to_owned(),
        Kind::ClosedLoop => "as fast as it goes".to_owned(),
        Kind::Rate | Kind::Varying => format!("at {}", notes::schedule(&summary.header)),
    };
    let rounds = if p99.observations > 1 {
        ", median of the rounds"
    } else {
        ""
    };
    Some(Answer {
        question: format!("Response time of 99% of the operations, {at}{rounds}"),
        figure: units::duration(p99.median),
        basis: format!(
            "{name} with {}{}{}",
            design.info.id,
            of_few(design, operation),
            but(summary, kind, design)
        ),
    })
}

/// `, from only 480 operations`, where a p99 hangs on a few of them.
fn of_few(design: &DriveDesign, operation: usize) -> String {
    let figures = design.figures.as_ref();
    let count = figures
        .and_then(|f| f.operations.get(operation))
        .map(|o| o.count);
    match (p99_support(design, operation), count) {
        (Support::Enough, _) | (_, None) => String::new(),
        (_, Some(count)) => format!(
            ", from only {}",
            units::plural(count, "operation", "operations")
        ),
    }
}

pub fn paragraph(summary: &DriveSummary) -> String {
    let kind = Kind::of(summary);
    let ranking = compared(summary, kind);
    if ranking.is_empty() {
        return missing::nothing(summary, kind);
    }
    let sentences = [
        Some(headline(summary, kind, &ranking)),
        others(kind, &ranking),
        fell_short(summary, kind, &ranking),
        ties(kind, &ranking),
        times(summary, kind, ranking[0].0),
        cost(&ranking),
        missing::failed(summary),
        missing::left_out(summary, kind, &ranking),
    ];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    sentences.join(" ")
}

fn objective(summary: &DriveSummary) -> &str {
    summary.header.objective.as_deref().unwrap_or_default()
}

fn headline(summary: &DriveSummary, kind: Kind, ranking: &[Ranked<'_>]) -> String {
    let (best, figure) = &ranking[0];
    let id = &best.info.id;
    let but = but(summary, kind, best);
    match kind {
        Kind::Search => format!(
            "{id} holds {} up to {} ops/s; {}.",
            objective(summary),
            units::rate(figure.median),
            interval_of_search(best, figure)
        ),
        Kind::ClosedLoop => format!(
            "{id} does {} ops/s with {} operations in flight{}{but}.",
            units::rate(figure.median),
            summary.header.in_flight,
            spread(figure, units::rate_interval(figure))
        ),
        Kind::Rate | Kind::Varying => {
            let (median, interval) = units::duration_interval(figure);
            let lowest = lowest(ranking);
            let operation = slowest_p99(best).map_or(0, |(operation, _)| operation);
            format!(
                "At {}, {id} answers 99% of its slowest operation, {}, within {lowest}{median}{}{}{but}.",
                notes::schedule(&summary.header),
                summary.header.operations[operation].name,
                spread(figure, interval),
                of_few(best, operation)
            )
        }
    }
}

/// What the best p99 is the lowest of. Designs that did not do all of the work may have a lower one.
fn lowest(ranking: &[Ranked<'_>]) -> &'static str {
    let (_, best) = &ranking[0];
    match () {
        () if ranking.len() == 1 => "",
        () if ranking
            .iter()
            .any(|(_, figure)| figure.median < best.median) =>
        {
            "the lowest p99 of those that did all of it: "
        }
        () => "the lowest p99: ",
    }
}

/// `, but it reached only 400 of 500 ops/s`
fn but(summary: &DriveSummary, kind: Kind, design: &DriveDesign) -> String {
    let shortfalls = shortfalls(summary, kind, design, FAILED_SHARE);
    if shortfalls.is_empty() {
        String::new()
    } else {
        format!(", but it {}", list(&shortfalls))
    }
}

/// Others than the best one whose figures are of less than what was asked. Where such a figure is
/// better than the best one's, no failure is too few to be named.
fn fell_short(summary: &DriveSummary, kind: Kind, ranking: &[Ranked<'_>]) -> Option<String> {
    let ((_, best), others) = ranking.split_first()?;
    let sentence = |(design, figure): &Ranked<'_>| {
        let (is_better, shown) = match kind {
            Kind::Search | Kind::ClosedLoop => (
                figure.median > best.median,
                format!("does {} ops/s", units::rate(figure.median)),
            ),
            Kind::Rate | Kind::Varying => (
                figure.median < best.median,
                format!("has a p99 of {}", units::duration(figure.median)),
            ),
        };
        let failed_share = if is_better { 0.0 } else { FAILED_SHARE };
        let shortfalls = shortfalls(summary, kind, design, failed_share);
        let (id, short) = (&design.info.id, list(&shortfalls));
        if shortfalls.is_empty() {
            None
        } else if is_better {
            Some(format!("{id} {shown}, but it {short}."))
        } else {
            Some(format!("{id} {short}."))
        }
    };
    let sentences: Vec<String> = others.iter().filter_map(sentence).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
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
    if let Some(estimate) = design.found.first().and_then(|f| f.estimate) {
        let (low, high) = (units::rate(estimate.low), units::rate(estimate.high));
        return format!("between {low} and {high} with 95% certainty, by all its loads");
    }
    match design.found.first().and_then(|f| f.failed_at) {
        Some(failed) => format!("{} did not hold", units::rate(failed)),
        None => "no higher rate was tried".to_owned(),
    }
}

/// How the others compare.
fn others(kind: Kind, ranking: &[Ranked<'_>]) -> Option<String> {
    let ((_, best), others) = ranking.split_first()?;
    let figure = |ranked: &&Ranked<'_>| ranked.1.median;
    Some(match kind {
        Kind::Search | Kind::ClosedLoop => {
            let (worst, least) = others
                .iter()
                .min_by(|a, b| figure(a).total_cmp(&figure(b)))
                .filter(|(_, least)| least.median <= best.median)?;
            format!(
                "The lowest of {} designs is {} with {} ops/s: {} less.",
                ranking.len(),
                worst.info.id,
                units::rate(least.median),
                units::factor(best.median / least.median)
            )
        }
        Kind::Rate | Kind::Varying => {
            let (worst, most) = others
                .iter()
                .max_by(|a, b| figure(a).total_cmp(&figure(b)))
                .filter(|(_, most)| most.median >= best.median)?;
            format!(
                "The highest of {} designs is {} with {}: {}.",
                ranking.len(),
                worst.info.id,
                units::duration(most.median),
                units::factor(most.median / best.median)
            )
        }
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
            let p50 = units::duration(response.p50);
            Some(match quantile(o, 0.99, Some(response.p99)) {
                Some(p99) => format!("{} {p50} and {p99}", o.name),
                None => format!("{} {p50} (too few for a p99)", o.name),
            })
        })
        .collect();
    let of = match kind {
        Kind::Search => format!(" with {} at that rate", design.info.id),
        _ if summary.designs.len() > 1 => format!(" with {}", design.info.id),
        _ => String::new(),
    };
    (!parts.is_empty()).then(|| format!("Response times{of}, p50 and p99: {}.", parts.join("; ")))
}

/// CPU time of the server, and bytes from the disk.
fn cost(ranking: &[Ranked<'_>]) -> Option<String> {
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
    ranking: &[Ranked<'_>],
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
    Some(if least == most {
        format!("{what}: {least}.")
    } else {
        format!("{what}: {least} with {least_id} to {most} with {most_id}.")
    })
}
