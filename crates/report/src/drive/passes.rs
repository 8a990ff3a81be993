//! Says in words what passes took: operations that went through the rows once, each to its end.

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveSummary, PassFigures, PassInfo, Passes};

use super::list;
use crate::units;

/// Writes the paragraph of the verdict.
pub fn verdict(summary: &DriveSummary) -> String {
    let mut sentences: Vec<String> = Vec::new();
    for design in &summary.designs {
        let id = &design.info.id;
        let own: Vec<&PassFigures> = { summary.passes.iter() }
            .filter(|pass| pass.design == *id)
            .collect();
        sentences.extend(times(id, &own));
        sentences.extend(failed(id, &own));
        sentences.extend(unchecked(id, &own));
    }
    if sentences.is_empty() {
        return "No pass has come to its end, so there is nothing to say.".to_owned();
    }
    sentences.join(" ")
}

/// Says how long all passes of a design took together, and the longest of them.
fn times(design: &str, passes: &[&PassFigures]) -> Option<String> {
    let known = || passes.iter().filter(|pass| pass.real.is_some());
    let sum = |time: fn(&PassFigures) -> Option<Estimate>| -> f64 {
        known()
            .filter_map(|pass| time(pass))
            .map(|t| t.median)
            .sum()
    };
    let median = |pass: &PassFigures| pass.real.map_or(0.0, |real| real.median);
    let longest = known().max_by(|a, b| median(a).total_cmp(&median(b)))?;
    let cpu = sum(|pass| pass.user) + sum(|pass| pass.system);
    let server = known().all(|pass| pass.server_cpu.is_some());
    let server = server.then(|| {
        format!(
            ", the server {}",
            units::duration(sum(|pass| pass.server_cpu))
        )
    });
    Some(format!(
        "{design} made {} in {}; the client used {} of CPU time{}. The longest is {} with {}.",
        units::plural(known().count() as u64, "pass", "passes"),
        units::duration(sum(|pass| pass.real)),
        units::duration(cpu),
        server.unwrap_or_default(),
        longest.operation,
        units::duration(median(longest)),
    ))
}

/// Names the passes in which operations failed, and says whether they have a time.
fn failed(design: &str, passes: &[&PassFigures]) -> Option<String> {
    let failed = passes.iter().filter(|pass| pass.ended > pass.whole);
    let failed: Vec<String> = failed
        .map(|pass| {
            let without = if pass.whole == 0 { ", no time" } else { "" };
            format!(
                "{} ({} failed in {} of {}{without})",
                pass.operation,
                units::plural(pass.failed, "operation", "operations"),
                pass.ended - pass.whole,
                units::plural(pass.ended as u64, "round", "rounds"),
            )
        })
        .collect();
    (!failed.is_empty()).then(|| {
        format!(
            "Rounds in which an operation failed are in no time of {design}: {}.",
            list(&failed)
        )
    })
}

/// Names the passes that read without a comparison.
fn unchecked(design: &str, passes: &[&PassFigures]) -> Option<String> {
    let unchecked = passes.iter();
    let names: Vec<String> = unchecked
        .filter(|pass| pass.ended > 0 && pass.checked == PassInfo::NOTHING)
        .map(|pass| pass.operation.clone())
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "Replies were counted and not compared with {design}: {}.",
            list(&names)
        )
    })
}

/// Says in a few words what the passes begin with.
pub fn tables(passes: &Passes) -> &'static str {
    if passes.from_empty {
        "tables recreated for each round"
    } else {
        "tables filled once"
    }
}
