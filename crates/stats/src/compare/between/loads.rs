//! Loading in a run: its rate, the error of that, and the differences of twins.

use crate::compare::summary::loading::Loading;
use crate::compare::summary::rounds::method::Part;
use crate::compare::summary::rounds::twins::Twins;
use crate::compare::{DesignSummary, Summary};

/// Returns the rows a second at which two designs were loaded.
pub fn rates(one: &DesignSummary, two: &DesignSummary) -> Option<(f64, f64)> {
    Some((one.loading.rate()?, two.loading.rate()?))
}

/// Returns the variance of the logarithm of a rate, from its resamples.
pub fn loading_part(loading: &Loading) -> Option<Part> {
    let resamples: Vec<f64> = loading.resamples().into_iter().map(f64::ln).collect();
    let count = resamples.len() as f64;
    let mean = resamples.iter().sum::<f64>() / count;
    let squares: f64 = resamples.iter().map(|ln| (ln - mean).powi(2)).sum();
    (resamples.len() > 1).then(|| Part {
        variance: squares / (count - 1.0),
        freedom: loading.slices.len() as f64 - 1.0,
    })
}

/// Returns the differences of a run's twins in loading.
pub fn twins_of_loading(run: &Summary) -> Twins {
    let of_design = |design: &DesignSummary| {
        let twin = run.twin_of(&design.info.id)?;
        let (own, its) = rates(design, twin)?;
        let parts = loading_part(&design.loading).zip(loading_part(&twin.loading))?;
        Some(((own / its).ln(), parts.0.variance + parts.1.variance))
    };
    Twins::from_differences(run.designs.iter().filter_map(of_design).collect())
}
