//! Figures of passes over their rounds.

use serde::Serialize;

use super::{DriveDesign, TrialSummary};
use crate::Estimate;
use crate::counts::total;
use crate::drive::{Latency, PassInfo, PassRecord, Passes};

/// Figures of a pass of a design over its rounds. They are of rounds in which no operation failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PassFigures {
    pub design: String,
    /// Place of the pass in the header's list, counted from 0.
    pub place: usize,
    pub operation: String,
    pub checked: String,
    /// Number of rounds in which the pass came to its end.
    pub ended: usize,
    /// Number of those in which no operation failed.
    pub whole: usize,
    /// Operations of all rounds that succeeded, and that failed.
    pub succeeded: u64,
    pub failed: u64,
    /// Operations, rows and bytes of values of a round.
    pub operations: Option<Estimate>,
    pub rows: Option<Estimate>,
    pub bytes: Option<Estimate>,
    /// Times in seconds.
    pub real: Option<Estimate>,
    pub user: Option<Estimate>,
    pub system: Option<Estimate>,
    pub server_cpu: Option<Estimate>,
    /// Bytes that the server read from the disk and wrote to it.
    pub disk_read: Option<Estimate>,
    pub disk_written: Option<Estimate>,
    pub gc: Option<Estimate>,
    pub gc_count: Option<Estimate>,
    /// Response times of single operations, in seconds.
    pub p50: Option<Estimate>,
    pub p99: Option<Estimate>,
    /// Longest time in which a worker connected and prepared statements before a pass, in seconds.
    pub connect: Option<Estimate>,
}

/// Sums up the passes of all designs: those of a design in the order in which they are carried out.
pub fn figures(
    passes: &Passes,
    designs: &[DriveDesign],
    trials: &[TrialSummary],
) -> Vec<PassFigures> {
    let mut figures = Vec::new();
    for design in designs {
        for (place, info) in passes.passes.iter().enumerate() {
            let id = design.info.id.as_str();
            let ended = trials.iter().filter_map(|trial| {
                let record = trial.pass.as_ref()?;
                (record.design == id && record.place == place).then_some((trial, record))
            });
            figures.push(of_pass(id, place, info, &ended.collect::<Vec<_>>()));
        }
    }
    figures
}

fn of_pass(
    design: &str,
    place: usize,
    info: &PassInfo,
    ended: &[(&TrialSummary, &PassRecord)],
) -> PassFigures {
    let whole: Vec<&(&TrialSummary, &PassRecord)> = ended
        .iter()
        .filter(|(_, record)| record.is_whole())
        .collect();
    // A figure that one round lacks is left out.
    let over_rounds = |figure: &dyn Fn(&TrialSummary, &PassRecord) -> Option<f64>| {
        let values: Option<Vec<f64>> = whole.iter().map(|(t, record)| figure(t, record)).collect();
        Estimate::from_samples(&values?)
    };
    let response = |trial: &TrialSummary, quantile: fn(&Latency) -> f64| {
        let mut operations = trial.figures.operations.iter();
        let operation = operations.find(|o| o.name == info.operation)?;
        operation.response.as_ref().map(quantile)
    };
    PassFigures {
        design: design.to_owned(),
        place,
        operation: info.operation.clone(),
        checked: info.checked.clone(),
        ended: ended.len(),
        whole: whole.len(),
        succeeded: total(ended.iter().map(|(_, record)| record.succeeded)),
        failed: total(ended.iter().map(|(_, record)| record.failed)),
        operations: over_rounds(&|_, record| Some(record.succeeded as f64)),
        rows: over_rounds(&|_, record| Some(record.rows as f64)),
        bytes: over_rounds(&|_, record| Some(record.bytes as f64)),
        real: over_rounds(&|_, record| Some(record.real)),
        user: over_rounds(&|_, record| Some(record.user)),
        system: over_rounds(&|_, record| Some(record.system)),
        server_cpu: over_rounds(&|_, record| record.server_cpu),
        disk_read: over_rounds(&|_, record| record.disk_read.map(|bytes| bytes as f64)),
        disk_written: over_rounds(&|_, record| record.disk_written.map(|bytes| bytes as f64)),
        gc: over_rounds(&|_, record| record.gc),
        gc_count: over_rounds(&|_, record| record.gc_count.map(|count| count as f64)),
        p50: over_rounds(&|trial, _| response(trial, |latency| latency.p50)),
        p99: over_rounds(&|trial, _| response(trial, |latency| latency.p99)),
        connect: over_rounds(&|trial, _| trial.end.as_ref()?.longest_to_connect()),
    }
}

#[cfg(test)]
mod tests;
