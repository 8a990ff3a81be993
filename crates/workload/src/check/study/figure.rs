//! Reads the figures that statements of a study are about.

use toml::Spanned;

use crate::check::text::{Text, suggestion};
use crate::{Result, StudyCommand, StudyFigure, StudyPassTime, StudyQuantile, StudyStep, Workload};

/// Figures of a load that are of all operations together or of a table.
const OF_LOADS: [(&str, StudyFigure); 6] = [
    ("throughput", StudyFigure::Throughput),
    ("storage", StudyFigure::Storage),
    ("compression-ratio", StudyFigure::CompressionRatio),
    ("compression-metadata", StudyFigure::CompressionMetadata),
    ("disk-read-per-byte", StudyFigure::DiskReadPerByte),
    (
        "disk-read-per-byte-without-compaction",
        StudyFigure::DiskReadPerByteOfReads,
    ),
];
/// What follows the name of a query whose answers are counted.
const ANSWERED: &str = ".answered";
const QUANTILES: [(&str, StudyQuantile); 3] = [
    (".p50", StudyQuantile::P50),
    (".p99", StudyQuantile::P99),
    (".p999", StudyQuantile::P999),
];
const PASS_TIMES: [(&str, StudyPassTime); 5] = [
    (".real", StudyPassTime::Real),
    (".user", StudyPassTime::User),
    (".system", StudyPassTime::System),
    (".cpu", StudyPassTime::ClientCpu),
    (".server-cpu", StudyPassTime::ServerCpu),
];

/// Reads the name of a figure that a command measures.
pub fn parse(
    document: Text<'_>,
    written: &Spanned<String>,
    command: StudyCommand,
) -> Result<StudyFigure> {
    let name = written.get_ref().as_str();
    let found = match (command, name) {
        (StudyCommand::Run, "load") => Some(StudyFigure::Load),
        (StudyCommand::Run, "storage") => Some(StudyFigure::Storage),
        (StudyCommand::Run, query) => Some(match operation_before(query, ANSWERED) {
            Some(query) => StudyFigure::Answered(query),
            None => StudyFigure::Query(query.to_owned()),
        }),
        (StudyCommand::Drive, name) => of_load(name),
        (StudyCommand::Sweep, "inserts") => Some(StudyFigure::Inserts),
        (StudyCommand::Sweep, _) => None,
    };
    found.ok_or_else(|| {
        let known = match command {
            StudyCommand::Sweep => "inserts",
            _ => {
                "throughput, storage, compression-ratio, compression-metadata, disk-read-per-byte, \
                 disk-read-per-byte-without-compaction, a response time such as read.p99 (p50, p99, \
                 p999), or a time of a pass such as read.real (real, user, system, cpu, server-cpu)"
            }
        };
        let message = format!(
            "`{}` measures no figure `{name}`; there are {known}",
            command.name()
        );
        document.error(written.span(), message)
    })
}

fn of_load(name: &str) -> Option<StudyFigure> {
    let mut whole = OF_LOADS.into_iter();
    if let Some((_, figure)) = whole.find(|(known, _)| *known == name) {
        return Some(figure);
    }
    let mut quantiles = QUANTILES.into_iter();
    let response = quantiles.find_map(|(end, quantile)| {
        let operation = operation_before(name, end)?;
        Some(StudyFigure::Response {
            operation,
            quantile,
        })
    });
    let mut times = PASS_TIMES.into_iter();
    response.or_else(|| {
        times.find_map(|(end, time)| {
            let operation = operation_before(name, end)?;
            Some(StudyFigure::Pass { operation, time })
        })
    })
}

/// Returns the name of an operation or query that stands before the name of a figure.
fn operation_before(name: &str, end: &str) -> Option<String> {
    let operation = name.strip_suffix(end)?;
    (!operation.is_empty()).then(|| operation.to_owned())
}

/// Returns whether one figure can be divided by the other.
pub fn have_one_unit(one: &StudyFigure, other: &StudyFigure) -> bool {
    use StudyFigure::{Pass, Query, Response};
    match (one, other) {
        (Query(_), Query(_)) | (Response { .. }, Response { .. }) | (Pass { .. }, Pass { .. }) => {
            true
        }
        (one, other) => one == other,
    }
}

/// Checks that the workload of a step has the query or operation of a figure.
pub fn check(figure: &StudyFigure, step: &StudyStep, workload: &Workload) -> Result<(), String> {
    let (what, name, known): (&str, &str, Vec<&str>) = match figure {
        StudyFigure::Query(name) | StudyFigure::Answered(name) => {
            let queries = workload.queries.iter();
            (
                "query",
                name.as_str(),
                queries.map(|query| query.name.as_str()).collect(),
            )
        }
        StudyFigure::Response { operation, .. } | StudyFigure::Pass { operation, .. } => {
            let operations = workload.mix.iter().flat_map(|mix| &mix.operations);
            let names = operations.map(|operation| operation.name.as_str());
            ("operation", operation.as_str(), names.collect())
        }
        _ => return Ok(()),
    };
    if known.contains(&name) {
        return Ok(());
    }
    Err(format!(
        "step {}: the workload {} has no {what} `{name}`{}",
        step.name,
        step.workload,
        suggestion(name, known)
    ))
}
