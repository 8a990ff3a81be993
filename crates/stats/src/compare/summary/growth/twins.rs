//! By how much tables of one and the same design differ.

use crate::compare::{QuerySummary, Summary};

/// Returns the standard deviation of the logarithm of times between tables of one design: half of the
/// mean square of what twins differ by, without what rounds account for. 0 without twins.
pub fn deviation(summary: &Summary) -> f64 {
    let pairs = summary.designs.iter().flat_map(|design| {
        let twin = summary.twin_of(&design.info.id);
        twin.into_iter()
            .flat_map(move |twin| design.queries.iter().zip(&twin.queries))
    });
    let variances: Vec<f64> = pairs
        .filter_map(|(own, twin)| variance(own, twin))
        .collect();
    let count = variances.len().max(1) as f64;
    (variances.iter().sum::<f64>() / count).max(0.0).sqrt()
}

/// Returns `D²/2 - s²/(2R)`, with `D` the mean and `s²` the variance of the differences in `R` rounds.
fn variance(own: &QuerySummary, twin: &QuerySummary) -> Option<f64> {
    let differences: Vec<f64> = { own.rounds.iter() }
        .filter_map(|(round, seconds)| Some((seconds / twin.seconds_in(*round)?).ln()))
        .filter(|difference| difference.is_finite())
        .collect();
    let rounds = differences.len() as f64;
    if rounds < 2.0 {
        return None;
    }
    let mean = differences.iter().sum::<f64>() / rounds;
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    Some(mean * mean / 2.0 - squares / (rounds - 1.0) / (2.0 * rounds))
}
