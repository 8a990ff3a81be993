//! Shows a diagnosis of a running Cassandra: as text whose first line answers, and as JSON.

mod cures;
mod text;

use bakeoff_stats::diagnose::{Check, Diagnosis, Finding, Outcome, Urgency};
use serde::Serialize;

use crate::units::plural;

pub use cures::{cures_json, render_cures};
pub use text::render;

/// Rules whose settings show under a load of single operations, and not in questions asked one at a time.
const DRIVEN: [&str; 6] = [
    "chunk-length",
    "compression-ratio",
    "hot-key",
    "row-cache",
    "sstables-per-read",
    "tombstones",
];

/// Returns the answer in one line: what there is to do, and how much could not be checked.
pub fn headline(diagnosis: &Diagnosis) -> String {
    let all = diagnosis.checks.len();
    let not = diagnosis.not_checked().count();
    let count = |urgency| diagnosis.findings(urgency).count() as u64;
    let (now, soon, sometime) = (
        count(Urgency::Now),
        count(Urgency::Soon),
        count(Urgency::Sometime),
    );
    let mut parts = Vec::new();
    for (count, when) in [(now, "now"), (soon, "soon"), (sometime, "sometime")] {
        match (count, parts.is_empty()) {
            (0, _) => {}
            (count, true) => {
                let things = plural(count, "thing", "things");
                parts.push(format!("{things} to do {when}"));
            }
            (count, false) => parts.push(format!("{count} {when}")),
        }
    }
    let not_made = match not {
        0 => String::new(),
        1 => format!("; 1 of {all} checks could not be made"),
        not => format!("; {not} of {all} checks could not be made"),
    };
    match &parts[..] {
        [] => {
            let made = plural((all - not) as u64, "check", "checks");
            format!("nothing found in {made}{not_made}")
        }
        parts => format!("{}{not_made}", parts.join(", ")),
    }
}

/// Returns the command that measures the designs of a finding; `None` if no setting of a table cures it.
pub fn command(check: &Check, finding: &Finding) -> Option<String> {
    if finding.designs.is_empty() {
        return None;
    }
    let designs = finding.designs.join(",");
    Some(if DRIVEN.contains(&check.rule) {
        format!("bakeoff drive mine.toml --designs '{designs}' --in-flight 32 --rounds 7")
    } else {
        format!("bakeoff run mine.toml --designs '{designs}'")
    })
}

#[derive(Serialize)]
struct Json<'a> {
    answer: String,
    checks: Vec<JsonCheck<'a>>,
    /// Tables that were not looked at.
    tables_left_out: usize,
}

#[derive(Serialize)]
struct JsonCheck<'a> {
    #[serde(flatten)]
    check: &'a Check,
    /// What measures the designs of a finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

impl<'a> JsonCheck<'a> {
    fn new(check: &'a Check) -> Self {
        let command = match &check.outcome {
            Outcome::Finding(finding) => command(check, finding),
            _ => None,
        };
        JsonCheck { check, command }
    }
}

/// Renders a diagnosis as JSON, for other programs.
///
/// # Errors
/// Fails only if the figures cannot be written as JSON, which plain figures always can.
pub fn json(diagnosis: &Diagnosis, tables_left_out: usize) -> serde_json::Result<String> {
    let json = Json {
        answer: headline(diagnosis),
        checks: diagnosis.checks.iter().map(JsonCheck::new).collect(),
        tables_left_out,
    };
    serde_json::to_string_pretty(&json)
}

#[cfg(test)]
mod tests;
