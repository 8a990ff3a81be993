//! Study in numbers: the figures of its steps, and what they decide of each published statement.

mod judge;
mod samples;

use crate::Summary;
use crate::drive::DriveSummary;
use crate::sweep::SweepSummary;

/// A published study, as its page shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    pub name: String,
    pub title: String,
    pub author: String,
    pub year: u32,
    /// Title and address of the publication.
    pub publication: String,
    pub url: String,
    pub question: String,
    pub method: Vec<String>,
    pub claims: Vec<Claim>,
}

/// A statement of the publication.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub text: String,
    pub published: Option<String>,
    /// Known reason why it holds no longer, or why it is not measured.
    pub why: Option<String>,
    /// `None` if nothing that is measured decides it.
    pub comparison: Option<Comparison>,
}

/// A figure, or the ratio of two figures, with the bounds between which a statement holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Name of the step.
    pub step: String,
    pub of: FigureOf,
    /// `None` if the figure is judged by itself.
    pub to: Option<FigureOf>,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
}

/// A figure of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureOf {
    pub figure: Figure,
    pub design: String,
}

/// What a step measures of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Figure {
    /// Time of a query, in seconds.
    Query(String),
    /// Share of the answers to a query that came at all, from 0 to 1.
    Answered(String),
    /// Rows loaded per second.
    Load,
    /// Bytes of storage for each row.
    Storage,
    /// Operations per second.
    Throughput,
    /// Response time of an operation, in seconds.
    Response {
        operation: String,
        quantile: Quantile,
    },
    /// Time of a whole pass of an operation, in seconds.
    Pass { operation: String, time: PassTime },
    /// Compressed size divided by the uncompressed one.
    CompressionRatio,
    /// Memory off heap for the places of compressed chunks, in bytes.
    CompressionMetadata,
    /// Bytes read from the disk for each byte of values that was read.
    DiskReadPerByte,
    /// The same without the bytes that compactions read.
    DiskReadPerByteOfReads,
    /// Rows inserted per second with the design's best setting.
    Inserts,
}

/// Time of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassTime {
    /// From the first operation to the last reply.
    Real,
    /// CPU time of the client in user mode.
    User,
    /// CPU time of the client in the kernel.
    System,
    /// CPU time of the client.
    ClientCpu,
    /// CPU time of the server.
    ServerCpu,
}

/// Quantile of response times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantile {
    P50,
    P99,
    P999,
}

/// What is known of a step.
#[derive(Debug, Clone)]
pub struct StepResult {
    pub name: String,
    /// What the step measures, in a few words.
    pub what: String,
    /// The command that carries it out.
    pub command: String,
    /// Figures of its folder; `None` before it began.
    pub measured: Option<Measured>,
    /// Why it ended early, or why its folder cannot be read.
    pub failed: Option<String>,
}

/// Figures of a step.
#[derive(Debug, Clone)]
pub enum Measured {
    Run(Box<Summary>),
    Load(Box<DriveSummary>),
    Sweep(Box<SweepSummary>),
}

/// What measured figures decide of a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub finding: Finding,
    pub value: Option<Value>,
}

/// Whether a statement still holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    Holds,
    DoesNotHold,
    /// Holds what is missing.
    NotSettled(String),
    /// Holds the reason.
    NotMeasured(String),
}

/// A measured figure or ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    pub value: f64,
    /// Bounds, which those of all statements of a study hold at once with a probability of 95%; equal to the
    /// value for what is counted, `None` for too few rounds.
    pub interval: Option<(f64, f64)>,
    /// Number of rounds or slices that it rests on; 0 for what is counted.
    pub observations: u32,
}

/// How many statements hold, do not hold, are not settled and are not measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub holds: usize,
    pub does_not_hold: usize,
    pub not_settled: usize,
    pub not_measured: usize,
}

impl Study {
    /// Decides every statement, in their order.
    pub fn judge(&self, steps: &[StepResult]) -> Vec<Judged> {
        judge::all(&self.claims, steps)
    }
}

impl Tally {
    pub fn of(judged: &[Judged]) -> Tally {
        let mut tally = Tally::default();
        for one in judged {
            match one.finding {
                Finding::Holds => tally.holds += 1,
                Finding::DoesNotHold => tally.does_not_hold += 1,
                Finding::NotSettled(_) => tally.not_settled += 1,
                Finding::NotMeasured(_) => tally.not_measured += 1,
            }
        }
        tally
    }
}

impl Measured {
    /// Returns whether the step was measured to its end.
    pub fn is_finished(&self) -> bool {
        match self {
            Measured::Run(summary) => summary.finished,
            Measured::Load(summary) => summary.finished,
            Measured::Sweep(summary) => summary.finished,
        }
    }

    /// Returns whether the step was measured to its end, and has figures.
    pub fn is_whole(&self) -> bool {
        self.is_finished() && self.has_figures()
    }

    /// Returns whether at least one design has figures.
    pub fn has_figures(&self) -> bool {
        match self {
            Measured::Run(summary) => {
                let mut queries = summary.designs.iter().flat_map(|design| &design.queries);
                queries.any(|query| query.time.is_some())
            }
            Measured::Load(summary) => {
                let mut designs = summary.designs.iter();
                designs.any(|design| design.figures.is_some() || !design.found.is_empty())
                    || summary.passes.iter().any(|pass| pass.real.is_some())
            }
            Measured::Sweep(summary) => summary.designs.iter().any(|design| design.best.is_some()),
        }
    }

    /// Returns whether a design failed, or answered wrongly.
    pub fn has_failures(&self) -> bool {
        match self {
            Measured::Run(summary) => summary.failures().next().is_some(),
            Measured::Load(summary) => {
                let mut designs = summary.designs.iter();
                designs.any(|design| !design.failures.is_empty())
            }
            Measured::Sweep(summary) => {
                let mut designs = summary.designs.iter();
                designs.any(|design| !design.failures.is_empty())
            }
        }
    }

    /// Returns whether the user stopped it.
    pub fn is_interrupted(&self) -> bool {
        match self {
            Measured::Run(summary) => summary.interrupted,
            Measured::Load(summary) => summary.interrupted,
            Measured::Sweep(summary) => summary.interrupted,
        }
    }
}

#[cfg(test)]
mod tests;
