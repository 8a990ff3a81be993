//! Everything that a decision is made from.

use serde::{Deserialize, Serialize};

use super::{Figure, Limit};

/// The rule, the scale of interest, the questions and what is known about each design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionInput {
    pub rule: Rule,
    /// Rows at the scale of interest, which all times are for.
    pub rows: u64,
    /// The most rows that were measured.
    pub measured_rows: u64,
    /// Rows that the storage to buy is for.
    pub full_rows: u64,
    /// Copies of each row that the storage to buy has.
    pub copies: u32,
    pub questions: Vec<Question>,
    pub designs: Vec<Contender>,
    /// Absent where no prices were given.
    pub price: Option<StoragePrice>,
    /// Rounds in which all designs were asked the same.
    pub rounds: u32,
    /// How long one more round takes.
    pub seconds_a_round: Option<f64>,
    pub noise: Noise,
    /// Rows for which the fitted curves may be read.
    pub known_rows: Option<KnownRows>,
    /// Why there are no times at full scale, where there should be; it says what to load or measure.
    pub no_forecast: Option<String>,
    /// What the run did not measure, each as the end of a sentence: `a cold cache`.
    pub not_measured: Vec<String>,
}

/// The rule by which one design is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Whether the workload states it. Without that it is the default rule.
    pub is_stated: bool,
    pub minimise: Minimise,
    /// Whether the workload has weights. Without them all questions count alike.
    pub has_weights: bool,
    pub limits: Vec<Limit>,
    /// The relative difference up to which two designs are the same: 0.05 is 5%.
    pub same_within: f64,
    /// The design that is in use today.
    pub baseline: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Minimise {
    /// The cost of a month.
    Month,
    /// Bytes to buy.
    Storage,
    /// The geometric mean of the times of all questions by their weights.
    Time,
    /// The time that loading takes.
    Load,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub name: String,
    /// How often it is asked, in any unit. A question that does not count has 0.
    pub weight: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoragePrice {
    /// The currency of every cost.
    pub currency: String,
    /// A GiB for a month.
    pub gib_month: f64,
}

/// The smallest differences that the run could have shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// In the order of the questions: 0.08 is 8%. `None` where it is not known.
    pub smallest_difference: Vec<Option<f64>>,
    /// By how much twins, which are the same design twice, differed at most. `None` without twins.
    pub twins: Option<f64>,
    /// The deviation of the logarithm of a table's times, in the order of the questions: no number of
    /// rounds makes it smaller. The resamples have it already. Empty without twins.
    #[serde(default)]
    pub tables: Vec<Option<f64>>,
}

/// The range of rows for which fitted curves hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownRows {
    pub from: u64,
    pub to: u64,
    /// Why nothing is known beyond: `a node's 64 GiB no longer hold the table`.
    pub beyond: Option<String>,
}

/// What is known about a design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    pub id: String,
    pub status: Status,
    /// Rows that it lost since their key repeats.
    pub rows_lost: u64,
    /// What would keep them: `add a column to order_key that tells them apart`.
    pub keeps_rows_if: Option<String>,
    /// Bytes to buy for all copies.
    pub storage: Option<Figure>,
    /// Rows a second, settling included.
    pub load: Option<Figure>,
    /// The cost of a month with machines.
    pub month: Option<Figure>,
    /// In the order of the questions.
    pub answers: Vec<Answer>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    Right,
    /// It did not get to the end: the reason.
    Failed(String),
    /// A race dropped it: the design that beats it, and by how much.
    Dropped(String),
    /// It is measured for comparison and never recommended.
    Yardstick,
}

/// How a design answers a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub class: AnswerClass,
    pub time: Timed,
    /// Seconds at the measured scale.
    pub measured: Option<f64>,
    /// Quantiles at the scale of interest: 0.99 and its seconds.
    pub quantiles: Vec<(f64, Figure)>,
    /// What the figure rests on: `4 scales, held-out error 8%`.
    pub basis: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerClass {
    ByKey,
    Scan,
    /// It reads no row: a count that is kept beside the rows.
    FromMetadata,
    /// It had no row in any round.
    AlwaysEmpty,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timed {
    /// Seconds at the scale of interest.
    Seconds(Figure),
    /// It was answered wrongly or not at all: the reason.
    Failed(String),
    /// There is no figure for the scale of interest: the reason, and what to measure.
    Unknown(String),
}

impl Minimise {
    pub fn name(self) -> &'static str {
        match self {
            Minimise::Month => "month",
            Minimise::Storage => "storage",
            Minimise::Time => "time",
            Minimise::Load => "load",
        }
    }
}

impl Contender {
    /// The seconds of a question, if they are known.
    pub(super) fn seconds(&self, question: usize) -> Option<&Figure> {
        match &self.answers.get(question)?.time {
            Timed::Seconds(figure) => Some(figure).filter(|f| f.is_usable()),
            Timed::Failed(_) | Timed::Unknown(_) => None,
        }
    }

    pub(super) fn failure(&self, question: usize) -> Option<&str> {
        match &self.answers.get(question)?.time {
            Timed::Failed(reason) => Some(reason),
            Timed::Seconds(_) | Timed::Unknown(_) => None,
        }
    }

    pub(super) fn class(&self, question: usize) -> Option<AnswerClass> {
        self.answers.get(question).map(|answer| answer.class)
    }
}

impl AnswerClass {
    /// Whether answers of this class show how fast a design works.
    pub fn shows_work(self) -> bool {
        matches!(self, AnswerClass::ByKey | AnswerClass::Scan)
    }
}
