//! Finds a figure of a design in what a step measured.

use super::{Figure, FigureOf, Measured, PassTime, Quantile};
use crate::drive::{DriveDesign, DriveSummary, LoadFigures, PassRecord, TrialSummary};
use crate::rounds::method::TableNoise;
use crate::sweep::SweepSummary;
use crate::{DesignSummary, Estimate, Failure, Footprint, Step, Summary};

/// Measured values of a figure.
pub enum Samples {
    /// A value in each round, in the order of the rounds: those of two designs are paired.
    Rounds(Rounds),
    /// A median with its interval; two of them are not paired.
    Estimate(Estimate),
    /// A count, which has no error.
    Count(f64),
}

/// Values by round.
pub struct Rounds {
    pub values: Vec<(u32, f64)>,
    /// Variance between tables of one design, if the step has twins.
    pub noise: Option<TableNoise>,
    /// Number of comparisons that may have been made to choose these values.
    pub chosen_from: usize,
}

/// Returns the samples of a figure.
///
/// # Errors
/// Says in words why there are none.
pub fn of(measured: &Measured, figure: &FigureOf) -> Result<Samples, String> {
    match measured {
        Measured::Run(summary) => of_run(summary, figure),
        Measured::Load(summary) => of_load(summary, figure),
        Measured::Sweep(summary) => of_sweep(summary, figure),
    }
}

fn of_run(summary: &Summary, figure: &FigureOf) -> Result<Samples, String> {
    let design = summary.design(&figure.design);
    let design = design.ok_or_else(|| is_absent(&figure.design))?;
    // Figures of a table that may hold other rows than it should decide nothing.
    let of_table = |found: Option<Samples>, what: &str| {
        if let Some(failure) = summary.failure_of_table(design) {
            return Err(in_words(design, failure));
        }
        found.ok_or_else(|| is_missing(what, &figure.design))
    };
    match &figure.figure {
        Figure::Query(query) => of_query(summary, design, query),
        Figure::Answered(query) => answered(design, query).map(Samples::Count),
        Figure::Load => of_table(design.load_rate.map(Samples::Estimate), "loading"),
        Figure::Storage => of_table(design.bytes_per_row.map(Samples::Count), "storage"),
        _ => Err("a comparison has no such figure".to_owned()),
    }
}

fn of_query(summary: &Summary, design: &DesignSummary, query: &str) -> Result<Samples, String> {
    // The rounds with right answers decide nothing either if others had none.
    if let Some(failure) = design.failure_behind(query) {
        return Err(in_words(design, failure));
    }
    let found = design.query(query).filter(|found| found.time.is_some());
    let found = found.ok_or_else(|| format!("{} has no time for {query}", design.info.id))?;
    Ok(Samples::Rounds(Rounds {
        values: found.rounds.clone(),
        noise: summary.table_noise(query),
        chosen_from: 1,
    }))
}

/// Returns the share of the answers to a query that came; the others are those that the server gave up by its own
/// time-out. The complete answer comes first: where it did not come, the query was not asked again, and the share is 0.
///
/// # Errors
/// The design itself failed, an answer was wrong or missing for another reason, or answers came at first only, before
/// any was timed.
fn answered(design: &DesignSummary, query: &str) -> Result<f64, String> {
    let not_asked = || format!("{} was not asked {query}", design.info.id);
    let found = design.query(query).ok_or_else(not_asked)?;
    if let Some(failure) = design.failure_but_given_up(query) {
        return Err(in_words(design, failure));
    }
    let Some(failure) = design.failure_behind(query) else {
        let came = found.was_right_at_first || found.time.is_some();
        return came.then_some(1.0).ok_or_else(not_asked);
    };
    let (came, missing) = (found.rounds.len() as f64, f64::from(found.bad_rounds));
    let are_given_up = missing > 0.0 && found.given_up_rounds == found.bad_rounds;
    match failure.step {
        Step::Verify if !found.was_right_at_first => Ok(0.0),
        Step::Measure if are_given_up => Ok(came / (came + missing)),
        _ => Err(in_words(design, failure)),
    }
}

/// Returns a failure of a design in words.
fn in_words(design: &DesignSummary, failure: &Failure) -> String {
    let id = &design.info.id;
    match &failure.query {
        Some(query) => format!("{id}, {query}: {}", failure.reason),
        None => format!("{id}: {}", failure.reason),
    }
}

fn of_load(summary: &DriveSummary, figure: &FigureOf) -> Result<Samples, String> {
    let design = summary.design(&figure.design);
    let design = design.ok_or_else(|| is_absent(&figure.design))?;
    if let Some(reason) = design.failures.first() {
        return Err(format!("{}: {reason}", figure.design));
    }
    let counted = |value: Option<f64>, what: &str| match value {
        Some(value) => Ok(Samples::Count(value)),
        None => Err(is_missing(what, &figure.design)),
    };
    let footprint = design.footprint.as_ref();
    match &figure.figure {
        Figure::Storage => counted(bytes_per_row(design), "storage"),
        Figure::CompressionRatio => {
            let ratio = footprint.and_then(|footprint| footprint.compression_ratio);
            counted(ratio, "a compression ratio")
        }
        Figure::CompressionMetadata => {
            let bytes = footprint.and_then(|footprint| footprint.compression_metadata_bytes);
            counted(bytes.map(|bytes| bytes as f64), "compression metadata")
        }
        Figure::Throughput => by_round(summary, design, |trial| Some(trial.figures.ops_per_second)),
        Figure::DiskReadPerByte => {
            by_round(summary, design, |trial| trial.figures.disk_read_per_byte)
        }
        Figure::DiskReadPerByteOfReads => {
            by_round(summary, design, |trial| without_compaction(&trial.figures))
        }
        Figure::Response {
            operation,
            quantile,
        } => by_round(summary, design, |trial| {
            response(trial, operation, *quantile)
        }),
        Figure::Pass { operation, time } => of_passes(summary, design, operation, *time),
        _ => Err("a load has no such figure".to_owned()),
    }
}

/// Returns the bytes that were read from the disk for each byte of values without those that compactions read; `None`
/// where these were not recorded.
fn without_compaction(figures: &LoadFigures) -> Option<f64> {
    let read = figures.disk_read_per_second?;
    let compacted = figures.compaction_read_per_second?;
    let share = if read > 0.0 {
        (1.0 - compacted / read).max(0.0)
    } else {
        1.0
    };
    Some(figures.disk_read_per_byte? * share)
}

/// Collects a time of the first pass of an operation, of the rounds in which none of its operations failed.
fn of_passes(
    summary: &DriveSummary,
    design: &DriveDesign,
    operation: &str,
    time: PassTime,
) -> Result<Samples, String> {
    let id = &design.info.id;
    let passes = summary.header.passes.iter().flat_map(|all| &all.passes);
    let place = { passes.enumerate() }.find(|(_, pass)| pass.operation == operation);
    let Some((place, _)) = place else {
        return Err(format!("no pass of {operation} was made"));
    };
    let records = summary
        .trials
        .iter()
        .filter_map(|trial| trial.pass.as_ref());
    let whole = records.filter(|pass| pass.design == *id && pass.place == place && pass.is_whole());
    let mut values: Vec<(u32, f64)> = whole
        .filter_map(|pass| Some((pass.round, pass_time(pass, time)?)))
        .filter(|(_, seconds)| *seconds > 0.0)
        .collect();
    values.sort_by_key(|(round, _)| *round);
    if values.is_empty() {
        return Err(format!(
            "no pass of {operation} on {id} came to its end without a failure and has this time"
        ));
    }
    Ok(Samples::Rounds(Rounds {
        values,
        noise: None,
        chosen_from: 1,
    }))
}

fn pass_time(pass: &PassRecord, time: PassTime) -> Option<f64> {
    match time {
        PassTime::Real => Some(pass.real),
        PassTime::User => Some(pass.user),
        PassTime::System => Some(pass.system),
        PassTime::ClientCpu => Some(pass.client_cpu()),
        PassTime::ServerCpu => pass.server_cpu,
    }
}

fn bytes_per_row(design: &DriveDesign) -> Option<f64> {
    let rows = design.rows.filter(|rows| *rows > 0)?;
    let bytes = { design.footprint.as_ref() }.and_then(Footprint::bytes)?;
    Some(bytes as f64 / rows as f64)
}

/// Collects a figure of a design's rounds. Rounds that were not steady, or in which so much failed that the
/// rest does not describe the load, are left out.
fn by_round(
    summary: &DriveSummary,
    design: &DriveDesign,
    figure: impl Fn(&TrialSummary) -> Option<f64>,
) -> Result<Samples, String> {
    if summary.header.objective.is_some() {
        return Err("a search for the highest rate has no rounds to compare".to_owned());
    }
    let rounds = summary.rounds_of(design);
    let whole = rounds.filter(|trial| trial.is_steady() && !trial.figures.too_many_failed());
    let mut values: Vec<(u32, f64)> = whole
        .filter_map(|trial| Some((trial.start.round, figure(trial)?)))
        .filter(|(_, value)| value.is_finite())
        .collect();
    // Intervals are of logarithms, which 0 has none of. Without these rounds the others would seem to speak for all.
    let zeros = values.iter().filter(|(_, value)| *value <= 0.0).count();
    if zeros > 0 {
        return Err(format!(
            "{}: the figure is 0 in {zeros} of {} rounds, so that it has no ratio",
            design.info.id,
            values.len()
        ));
    }
    values.sort_by_key(|(round, _)| *round);
    if values.is_empty() {
        return Err(format!(
            "no load of {} was steady and has this figure",
            design.info.id
        ));
    }
    Ok(Samples::Rounds(Rounds {
        values,
        noise: None,
        chosen_from: 1,
    }))
}

/// Returns a quantile of an operation's response times in seconds, if enough operations took longer.
fn response(trial: &TrialSummary, operation: &str, quantile: Quantile) -> Option<f64> {
    let mut operations = trial.figures.operations.iter();
    let figures = operations.find(|figures| figures.name == operation)?;
    figures.well_supported(match quantile {
        Quantile::P50 => 0.5,
        Quantile::P99 => 0.99,
        Quantile::P999 => 0.999,
    })
}

fn of_sweep(summary: &SweepSummary, figure: &FigureOf) -> Result<Samples, String> {
    let mut designs = summary.designs.iter();
    let design = designs.find(|design| design.info.id == figure.design);
    let design = design.ok_or_else(|| is_absent(&figure.design))?;
    if figure.figure != Figure::Inserts {
        return Err("a sweep has no such figure".to_owned());
    }
    if let Some(reason) = design.failures.first() {
        return Err(format!("{}: {reason}", figure.design));
    }
    let best = design.best_setting().filter(|best| best.is_whole());
    let table = best.and_then(|best| best.table(true));
    let table = table
        .ok_or_else(|| format!("no setting of {} inserted without failures", figure.design))?;
    let rates = table.rounds.iter();
    Ok(Samples::Rounds(Rounds {
        values: rates
            .map(|(round, seconds)| (*round, seconds.recip()))
            .collect(),
        noise: None,
        chosen_from: summary.comparison.pairs.max(1),
    }))
}

fn is_absent(design: &str) -> String {
    format!("{design} was not measured")
}

fn is_missing(what: &str, design: &str) -> String {
    format!("{what} of {design} is not known")
}
