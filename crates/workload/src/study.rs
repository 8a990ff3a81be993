//! Defines studies: which commands repeat a published one, and which of its statements are checked
//! by what they measure.

use std::path::Path;
use std::time::Duration;

use crate::{DesignId, Error, Result};

/// A published study and how it is repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Name of the file without its extension.
    pub name: String,
    pub title: String,
    pub publication: Publication,
    pub question: String,
    /// How the study measured and how it is measured here, one sentence or two in each entry.
    pub method: Vec<String>,
    /// What is measured, in this order.
    pub steps: Vec<StudyStep>,
    pub claims: Vec<StudyClaim>,
}

/// Where the study was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    pub author: String,
    pub year: u32,
    pub title: String,
    pub url: String,
}

/// One command of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyStep {
    /// Name of the step, which is part of its folder's name.
    pub name: String,
    /// What it measures, in a few words.
    pub what: String,
    pub command: StudyCommand,
    /// A shipped workload, or a file.
    pub workload: String,
    /// Share of the study's budget in percent.
    pub share: u32,
    /// Options at any size.
    pub options: Vec<String>,
    /// Further options within a budget, in which `${budget}` and `${budget/N}` stand for the step's time
    /// or a part of it.
    pub at_budget: Vec<String>,
    /// Further options at the authors' size.
    pub at_full: Vec<String>,
}

/// A command that measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyCommand {
    Run,
    Drive,
    Sweep,
}

/// How much a study measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudySize {
    /// What all steps together may take.
    Budget(Duration),
    /// What the authors measured.
    Full,
}

/// A statement of the publication.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyClaim {
    /// The statement, in our words.
    pub text: String,
    /// The published figure as it is shown.
    pub published: Option<String>,
    /// Known reason why it holds no longer, or why it is not measured.
    pub why: Option<String>,
    /// How measured figures decide; `None` for a statement that nothing here measures.
    pub comparison: Option<StudyComparison>,
}

/// A figure, or the ratio of two figures, with the bounds between which a statement holds.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyComparison {
    /// Name of the step that measures them.
    pub step: String,
    pub of: StudyFigure,
    pub of_design: DesignId,
    /// The figure that the first one is divided by; `None` if it is judged by itself.
    pub to: Option<(StudyFigure, DesignId)>,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
}

/// What a step measures of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StudyFigure {
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
        quantile: StudyQuantile,
    },
    /// Time of a whole pass of an operation, in seconds.
    Pass {
        operation: String,
        time: StudyPassTime,
    },
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
pub enum StudyPassTime {
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
pub enum StudyQuantile {
    P50,
    P99,
    P999,
}

impl Study {
    /// Reads and checks a study.
    ///
    /// # Errors
    /// [`Error::Read`] if the file cannot be read, [`Error::Workload`] with line and column if it contains
    /// something impossible.
    pub fn read(path: &Path) -> Result<Study> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
            what: "study",
            path: path.to_owned(),
            source,
        })?;
        Study::parse(&text, path)
    }

    /// Returns the step of this name.
    pub fn step(&self, name: &str) -> Option<&StudyStep> {
        self.steps.iter().find(|step| step.name == name)
    }
}

impl StudyStep {
    /// Returns the words of the step's command, without the program's name and the folder.
    pub fn arguments(&self, size: StudySize) -> Vec<String> {
        let mut words = vec![self.command.name().to_owned(), self.workload.clone()];
        words.extend(self.options.iter().cloned());
        match size {
            StudySize::Budget(all) => {
                let own = self.budget(all);
                words.extend(self.at_budget.iter().map(|word| filled(word, own)));
            }
            StudySize::Full => words.extend(self.at_full.iter().cloned()),
        }
        words
    }

    /// Returns the step's part of a budget.
    pub fn budget(&self, all: Duration) -> Duration {
        all.mul_f64(f64::from(self.share) / 100.0)
    }
}

impl StudyCommand {
    pub const ALL: [StudyCommand; 3] =
        [StudyCommand::Run, StudyCommand::Drive, StudyCommand::Sweep];

    /// Returns the name of the command.
    pub fn name(self) -> &'static str {
        match self {
            StudyCommand::Run => "run",
            StudyCommand::Drive => "drive",
            StudyCommand::Sweep => "sweep",
        }
    }
}

/// The beginning of a word that stands for a part of the budget, and its end.
const PLACEHOLDER: (&str, &str) = ("${budget", "}");

/// Returns what the budget is divided by in a word that stands for a part of it; `None` for any other word.
///
/// # Errors
/// The word looks like such a part, and is none.
pub fn budget_divisor(word: &str) -> std::result::Result<Option<u32>, String> {
    if !word.contains(PLACEHOLDER.0) {
        return Ok(None);
    }
    let inner = word
        .strip_prefix(PLACEHOLDER.0)
        .and_then(|rest| rest.strip_suffix(PLACEHOLDER.1));
    let divisor = match inner {
        Some("") => Some(1),
        Some(rest) => { rest.strip_prefix('/') }.and_then(|number| number.parse().ok()),
        None => None,
    };
    match divisor {
        Some(number) if number >= 1 => Ok(Some(number)),
        _ => Err(format!(
            "`{word}` is no part of the budget: write ${{budget}}, or ${{budget/20}} for a twentieth"
        )),
    }
}

/// Puts the time that a word stands for in its place: whole seconds, at least one.
fn filled(word: &str, budget: Duration) -> String {
    match budget_divisor(word) {
        Ok(Some(divisor)) => format!("{}s", (budget / divisor).as_secs().max(1)),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_budget_are_whole_seconds() {
        let budget = Duration::from_secs(100);
        assert_eq!(filled("${budget}", budget), "100s");
        assert_eq!(filled("${budget/8}", budget), "12s");
        assert_eq!(filled("${budget/800}", budget), "1s");
        assert_eq!(filled("--rounds", budget), "--rounds");
        for wrong in [
            "${budget/0}",
            "${budget/x}",
            "${budget",
            "a${budget}",
            "${budget2}",
        ] {
            assert!(budget_divisor(wrong).is_err(), "{wrong}");
        }
        assert_eq!(budget_divisor("${window}"), Ok(None));
    }

    #[test]
    fn a_step_has_the_options_of_its_size() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let step = StudyStep {
            name: "load".to_owned(),
            what: "a load".to_owned(),
            command: StudyCommand::Drive,
            workload: "compression".to_owned(),
            share: 50,
            options: words("--rounds 5"),
            at_budget: words("--for ${budget/10}"),
            at_full: words("--rows all"),
        };
        let budget = StudySize::Budget(Duration::from_secs(600));
        assert_eq!(
            step.arguments(budget).join(" "),
            "drive compression --rounds 5 --for 30s"
        );
        assert_eq!(
            step.arguments(StudySize::Full).join(" "),
            "drive compression --rounds 5 --rows all"
        );
    }
}
