//! Renders everything that is known about a measurement, for other programs.

use serde::Serialize;

#[derive(Serialize)]
struct Everything<'a, S, R> {
    verdict: &'a str,
    notes: &'a [String],
    summary: &'a S,
    records: &'a [R],
}

/// Writes the verdict, the notes, the summary and every record as JSON.
///
/// # Errors
/// Fails only if the summary cannot be written as JSON, which one made from records always can.
pub fn render<S: Serialize, R: Serialize>(
    verdict: &str,
    notes: &[String],
    summary: &S,
    records: &[R],
) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Everything {
        verdict,
        notes,
        summary,
        records,
    })
}
