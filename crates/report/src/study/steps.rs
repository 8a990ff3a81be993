//! Shows a step: how far it came, where, its figures, its charts and the published figures beside them.

use bakeoff_stats::study::{Measured, StepResult};
use bakeoff_stats::{EngineInfo, Machine};

use super::{Part, charts, published, tables};
use crate::{compare, drive, page, sweep, units};

pub fn parts(step: &StepResult) -> Vec<Part> {
    let mut parts = vec![
        Part::Section(format!("Step {}: {}", step.name, step.what)),
        Part::Script(step.command.clone()),
        Part::Text(state(step)),
    ];
    if let Some(measured) = &step.measured {
        parts.push(Part::Text(where_and_when(measured)));
        let failures = failures(measured);
        if !failures.is_empty() {
            parts.push(Part::Heading("What failed".to_owned()));
            parts.push(Part::Items(failures));
        }
        parts.push(Part::Table(tables::of(measured)));
        parts.extend(
            charts::of(&step.name, measured)
                .into_iter()
                .map(Part::Chart),
        );
        parts.extend(published::parts(measured));
        let notes = notes(measured);
        if !notes.is_empty() {
            parts.push(Part::Heading("Notes".to_owned()));
            parts.push(Part::Items(notes));
        }
    }
    parts
}

/// Returns what a reader needs to judge the figures.
fn notes(measured: &Measured) -> Vec<String> {
    match measured {
        Measured::Run(summary) => compare::notes::all(summary),
        Measured::Load(summary) => drive::notes::of(summary),
        Measured::Sweep(summary) => sweep::notes::of(summary),
    }
}

/// Says how far the step came.
fn state(step: &StepResult) -> String {
    let failed = step.failed.as_deref();
    let Some(measured) = &step.measured else {
        return match failed {
            Some(reason) => format!("This step is not measured: {}", sentence(reason)),
            None => "This step is not measured yet.".to_owned(),
        };
    };
    let what = match measured {
        Measured::Run(summary) => compare::notes::facts(summary),
        Measured::Load(summary) => drive::notes::facts(summary),
        Measured::Sweep(summary) => sweep::notes::facts(summary),
    };
    let state = page::state(measured.is_finished(), measured.is_interrupted());
    let reason = failed.map(|reason| format!(" It ended early: {}", sentence(reason)));
    format!("{what}: {state}.{}", reason.unwrap_or_default())
}

fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

/// Names the machine, the engines and the time.
fn where_and_when(measured: &Measured) -> String {
    match measured {
        Measured::Run(summary) => {
            let header = &summary.header;
            versions(
                &header.machine,
                &summary.engines,
                &header.bakeoff_version,
                &header.started_at,
            )
        }
        Measured::Load(summary) => {
            let header = &summary.header;
            versions(
                &header.machine,
                &summary.engines,
                &header.bakeoff_version,
                &header.started_at,
            )
        }
        Measured::Sweep(summary) => {
            let header = &summary.header;
            versions(
                &header.machine,
                &summary.engines,
                &header.bakeoff_version,
                &header.started_at,
            )
        }
    }
}

fn versions(machine: &Machine, engines: &[EngineInfo], version: &str, started_at: &str) -> String {
    let engines = engines.iter();
    let engines: Vec<String> = engines
        .map(|engine| format!("{} {}", engine.engine, engine.version))
        .chain([format!("Bakeoff {version}")])
        .collect();
    format!(
        "{}; {}, {}, {} of memory, {}; begun {started_at}.",
        engines.join(", "),
        machine.cpu,
        units::plural(u64::from(machine.cores), "core", "cores"),
        units::bytes(machine.memory_bytes as f64),
        machine.os,
    )
}

/// Returns the reasons why designs are not measured, or only in part.
fn failures(measured: &Measured) -> Vec<String> {
    match measured {
        Measured::Run(summary) => {
            let failures = summary.failures();
            let in_words = failures.map(|(design, failure)| {
                let place = compare::figure::place(design, failure);
                format!("{place}: {}", failure.reason)
            });
            in_words.collect()
        }
        Measured::Load(summary) => {
            let of_design =
                |design: &bakeoff_stats::drive::DriveDesign| of(&design.info.id, &design.failures);
            summary.designs.iter().flat_map(of_design).collect()
        }
        Measured::Sweep(summary) => {
            let of_design =
                |design: &bakeoff_stats::sweep::SweepDesign| of(&design.info.id, &design.failures);
            summary.designs.iter().flat_map(of_design).collect()
        }
    }
}

fn of(design: &str, reasons: &[String]) -> Vec<String> {
    let reasons = reasons.iter();
    reasons
        .map(|reason| format!("{design}: {reason}"))
        .collect()
}
