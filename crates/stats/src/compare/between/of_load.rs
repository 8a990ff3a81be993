//! A load as it is compared with another one: its figures in each round that counts.

mod beside;

use super::RunAbout;
use super::counted::Value;
use super::differs;
use super::measured::{Measured, MeasuredDesign, MeasuredFigure, Measurement};
use super::what::What;
use crate::compare::summary::rounds::SAME_WITHIN;
use crate::compare::summary::rounds::method::Part;
use crate::drive::{
    DriveDesign, DriveSummary, FoundRate, LoadFigures, OperationFigures, PassInfo, Support,
    TrialSummary,
};
use crate::quantile::normal;

/// Micros of a second.
const MICROS: f64 = 1e6;

impl Measured {
    /// Takes a load, with the name that its reader knows it by.
    pub fn of_load(name: &str, load: &DriveSummary) -> Measured {
        let header = &load.header;
        let rounds = load.trials.iter().map(|trial| trial.start.round);
        let of_figures = load
            .designs
            .iter()
            .flat_map(|design| load.rounds_of(design));
        let is_search = header.objective.is_some();
        let same_within = header.decide.as_ref().map(|rule| rule.same_within);
        Measured {
            about: RunAbout {
                name: name.to_owned(),
                workload: header.workload.clone(),
                started_at: header.started_at.clone(),
                bakeoff_version: header.bakeoff_version.clone(),
                rows: header.rows,
                rounds: rounds.max().unwrap_or(0),
            },
            of: Measurement::Load,
            kind: kind(load),
            workload_text: header.workload_text.clone(),
            data: String::new(),
            machine: header.machine.clone(),
            finished: load.finished,
            unsteady: of_figures
                .filter(|trial| !is_search && !trial.is_steady())
                .count(),
            is_one_shard: load.is_one_shard(),
            operations: { header.operations.iter() }
                .map(|operation| (operation.name.clone(), operation.action.clone()))
                .collect(),
            questions: beside::questions(load),
            conditions: conditions(load),
            engines: load.engines.clone(),
            designs: load.designs.iter().map(|d| of_design(load, d)).collect(),
            same_within: same_within.unwrap_or(SAME_WITHIN),
        }
    }
}

/// Describes what was asked of the designs.
fn kind(load: &DriveSummary) -> String {
    match &load.header.objective {
        _ if load.header.passes.is_some() => "passes over the rows".to_owned(),
        Some(objective) => format!("a search for the highest rate within {objective}"),
        None if load.goes_as_fast_as_it_can() => "a load as fast as it goes".to_owned(),
        None => "a load at a given rate".to_owned(),
    }
}

fn conditions(load: &DriveSummary) -> Vec<(&'static str, String)> {
    let header = &load.header;
    let operations = || header.operations.iter();
    let mix = operations().map(|o| format!("{} {}%", o.name, rounded(o.weight_percent)));
    let levels = operations().map(|o| format!("{} {}", o.name, level(&o.consistency)));
    let ttl = operations().filter_map(|o| Some(format!("{} {} s", o.name, o.ttl_seconds?)));
    let list = |texts: Vec<String>| {
        if texts.is_empty() {
            return "none".to_owned();
        }
        texts.join(", ")
    };
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    let (_, shards) = header.shard;
    let added = load.nodes_added.iter();
    let added = added.map(|added| format!("one after {:.0} s", added.began));
    let recorded = match load.profiles.as_slice() {
        [] => "none",
        _ => "those of the servers",
    };
    vec![
        ("rows", header.rows.to_string()),
        ("mix", list(mix.collect())),
        ("schedule", header.schedule.clone()),
        ("operations in flight", header.in_flight.to_string()),
        ("seconds", header.seconds.to_string()),
        ("consistency", list(levels.collect())),
        ("time to live", list(ttl.collect())),
        ("retries", header.retries.to_string()),
        ("time-out in seconds", header.time_out_seconds.to_string()),
        ("cluster", or_none(&header.cluster)),
        (
            "nodes that were started",
            differs::nodes(header.nodes.as_ref()),
        ),
        ("keyspace", or_none(&header.keyspace)),
        ("shards", shards.to_string()),
        ("threads", header.threads.to_string()),
        ("seed", header.seed.to_string()),
        ("nodes added meanwhile", list(added.collect())),
        ("methods recorded meanwhile", recorded.to_owned()),
        ("questions beside the load", list(beside::told(load))),
    ]
}

/// Rounds to three digits after the point.
fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

/// Names a consistency level; an engine's default has no name.
fn level(consistency: &str) -> &str {
    match consistency {
        "" => "by default",
        level => level,
    }
}

fn of_design(load: &DriveSummary, design: &DriveDesign) -> MeasuredDesign {
    let figures = design.figures.as_ref();
    let bytes = design.footprint.as_ref().and_then(|f| f.bytes());
    let rows = design.rows.filter(|rows| *rows > 0);
    let of_load = figures.map_or_else(Vec::new, |figures| counted(load, figures));
    MeasuredDesign {
        info: design.info.clone(),
        bytes_per_row: bytes
            .zip(rows)
            .map(|(bytes, rows)| bytes as f64 / rows as f64),
        failed: figures.map_or(0.0, LoadFigures::failed_share),
        figures: figures_of(load, design),
        counted: [of_load, beside::counted(load, design)].concat(),
        curves: Vec::new(),
    }
}

fn figures_of(load: &DriveSummary, design: &DriveDesign) -> Vec<MeasuredFigure> {
    if load.header.passes.is_some() {
        return passes(load, design);
    }
    if load.header.objective.is_some() {
        return highest_rate(design).into_iter().collect();
    }
    let at_a_rate = !load.goes_as_fast_as_it_can();
    if !load.has_result(design, at_a_rate) {
        return Vec::new();
    }
    let steady: Vec<&TrialSummary> = load.rounds_of(design).filter(|t| t.is_steady()).collect();
    let mut figures = Vec::new();
    if !at_a_rate {
        let seconds = |trial: &TrialSummary| Some(trial.figures.ops_per_second.recip());
        let rate = What::Rate("operations".to_owned());
        figures.extend(figure(rate, None, &steady, seconds));
    }
    for (place, operation) in load.header.operations.iter().enumerate() {
        for (suffix, time) in TIMES {
            let seconds = |trial: &TrialSummary| time(trial.figures.operations.get(place)?);
            let what = What::Time(format!("{} {suffix}", operation.name));
            let name = Some(operation.name.clone());
            figures.extend(figure(what, name, &steady, seconds));
        }
    }
    figures.extend(beside::figures(load, design, at_a_rate));
    figures
}

/// Takes a response time of an operation in seconds, if enough operations support it.
type TimeOf = fn(&OperationFigures) -> Option<f64>;

/// Response times that are compared.
const TIMES: [(&str, TimeOf); 4] = [
    ("mean", |figures| Some(figures.response?.mean)),
    ("p50", |figures| figures.well_supported(0.5)),
    ("p95", |figures| {
        let is_enough = figures.support(0.95) == Support::Enough;
        Some(figures.response?.p95).filter(|_| is_enough)
    }),
    ("p99", |figures| figures.well_supported(0.99)),
];

/// Makes a figure of the rounds that have it, in their order; `None` if there is none.
fn figure(
    what: What,
    operation: Option<String>,
    trials: &[&TrialSummary],
    seconds: impl Fn(&TrialSummary) -> Option<f64>,
) -> Option<MeasuredFigure> {
    let of_round = |trial: &TrialSummary| Some((trial.start.round, seconds(trial)?));
    let rounds = trials.iter().copied().filter_map(of_round);
    of_rounds(what, operation, rounds.collect())
}

fn of_rounds(
    what: What,
    operation: Option<String>,
    mut rounds: Vec<(u32, f64)>,
) -> Option<MeasuredFigure> {
    rounds.retain(|(_, seconds)| seconds.is_finite() && *seconds > 0.0);
    rounds.sort_by_key(|(round, _)| *round);
    (!rounds.is_empty()).then_some(MeasuredFigure {
        what,
        operation,
        is_beside: false,
        rounds,
        part: None,
        chosen_from: 1,
    })
}

/// Makes figures of the time that each pass took, in rounds in which none of its operations failed.
fn passes(load: &DriveSummary, design: &DriveDesign) -> Vec<MeasuredFigure> {
    let all = load.header.passes.iter().flat_map(|passes| &passes.passes);
    let of_pass = |(place, pass): (usize, &PassInfo)| {
        let records = load.trials.iter().filter_map(|trial| trial.pass.as_ref());
        let own = records.filter(|record| {
            record.design == design.info.id && record.place == place && record.is_whole()
        });
        let what = What::Time(format!("pass {} {}", place + 1, pass.operation));
        let rounds = own.map(|record| (record.round, record.real)).collect();
        of_rounds(what, Some(pass.operation.clone()), rounds)
    };
    all.enumerate().filter_map(of_pass).collect()
}

/// Makes the figure of the highest rate within the objective; `None` if a round has none.
fn highest_rate(design: &DriveDesign) -> Option<MeasuredFigure> {
    let of_round = |found: &FoundRate| Some((found.round, found.highest()?.recip()));
    let rounds: Option<Vec<(u32, f64)>> = design.found.iter().map(of_round).collect();
    let what = What::Rate("highest rate".to_owned());
    let figure = of_rounds(what, None, rounds?)?;
    Some(MeasuredFigure {
        part: part_of(&design.found),
        ..figure
    })
}

/// Returns the variance of the logarithm of the mean rate by the searches' own intervals.
fn part_of(found: &[FoundRate]) -> Option<Part> {
    let variance = |found: &FoundRate| {
        let estimate = found.estimate?;
        // The interval is one of 95%.
        let error = (estimate.high / estimate.low).ln() / (2.0 * normal(0.975));
        Some(error * error).filter(|variance| variance.is_finite())
    };
    let variances: Option<Vec<f64>> = found.iter().map(variance).collect();
    let variances = variances.filter(|variances| !variances.is_empty())?;
    let searches = variances.len() as f64;
    let loads: f64 = found.iter().map(|found| f64::from(found.probes)).sum();
    Some(Part {
        variance: variances.iter().sum::<f64>() / (searches * searches),
        freedom: (loads - 2.0 * searches).max(1.0),
    })
}

/// Returns figures of all rounds together.
fn counted(load: &DriveSummary, figures: &LoadFigures) -> Vec<(String, Value)> {
    let mut counted = Vec::new();
    let mut add = |name: String, value: Option<Value>| {
        counted.extend(value.map(|value| (name, value)));
    };
    let is_given = load.header.objective.is_none() && !load.goes_as_fast_as_it_can();
    let rate = is_given.then_some(Value::PerSecond(figures.ops_per_second));
    add("operations".to_owned(), rate);
    for operation in &figures.operations {
        let ended = operation.count.saturating_add(operation.failed());
        let failed = operation.failed() as f64 / ended.max(1) as f64;
        let bytes = operation.bytes_per_second / operation.ops_per_second;
        let bytes = Some(Value::Bytes(bytes)).filter(|_| bytes.is_finite());
        add(
            format!("{} failed", operation.name),
            Some(Value::Share(failed)),
        );
        add(format!("{} bytes of values each", operation.name), bytes);
    }
    let bytes = |value: Option<f64>| value.map(Value::Bytes);
    let micros = |value: Option<f64>| value.map(|micros| Value::Seconds(micros / MICROS));
    let of_all = [
        ("read from disk each", bytes(figures.disk_read_per_op)),
        ("server CPU each", micros(figures.server_cpu_micros_per_op)),
        ("client CPU each", micros(figures.client_cpu_micros_per_op)),
        ("time in GC", figures.gc_share.map(Value::Share)),
    ];
    for (name, value) in of_all {
        add(name.to_owned(), value);
    }
    counted
}
