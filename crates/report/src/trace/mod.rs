//! Shows a traced request as `bakeoff trace` prints it: what is wrong with the cluster, a few words on the request,
//! and its events as a waterfall.

mod beside;
mod cluster;
mod waterfall;
mod words;

use bakeoff_stats::trace::{Beside, ClusterFinding, Hint, Trace, Traced};
use serde::Serialize;

use crate::text::style::Style;

/// How a trace is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
}

/// Renders a trace, and how it differs from another one; its first line says whether the cluster is well.
pub fn render(traced: &Traced, beside: Option<&Beside>, shown: Shown) -> String {
    let style = Style { color: shown.color };
    let trace = traced.summary();
    let mut parts = vec![
        cluster::render(&traced.cluster, shown.width, style),
        words::render(traced, &trace, shown.width),
    ];
    parts.extend(beside.map(|beside| beside::render(beside, shown.width)));
    parts.push(waterfall::render(&trace, style));
    parts.join("\n\n")
}

/// A trace as other programs read it.
#[derive(Serialize)]
struct Json<'a> {
    #[serde(flatten)]
    traced: &'a Traced,
    findings: Vec<ClusterFinding>,
    /// Microseconds of the shown request that neither its queue nor the coordinator took.
    wire_micros: Option<u64>,
    summary: &'a Trace,
    hints: Vec<Hint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<&'a Beside>,
}

/// Renders a trace as JSON, for other programs.
///
/// # Errors
/// Fails only if the figures cannot be written as JSON, which plain figures always can.
pub fn json(traced: &Traced, beside: Option<&Beside>) -> serde_json::Result<String> {
    let summary = traced.summary();
    serde_json::to_string_pretty(&Json {
        traced,
        findings: traced.cluster.findings(),
        wire_micros: traced.wire_micros(&summary),
        hints: summary.hints(words::rows(traced)),
        summary: &summary,
        beside,
    })
}

/// Writes microseconds as a time: `12.3 ms`.
fn time(micros: u64) -> String {
    crate::units::duration(micros as f64 / 1e6)
}

#[cfg(test)]
mod tests;
