//! Everything that a decision is made from.

use serde::{Deserialize, Serialize};

use super::{Figure, Limit, Span};

/// Input of a decision: the rule, the scale of interest, the questions, and the figures of each design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionInput {
    pub rule: Rule,
    /// Number of rows at the scale of interest, which all times are for.
    pub rows: u64,
    /// Largest number of rows that was measured.
    pub measured_rows: u64,
    /// Number of rows that the storage to buy is for.
    pub full_rows: u64,
    /// Number of copies of each row in the storage to buy.
    pub copies: u32,
    pub questions: Vec<Question>,
    pub designs: Vec<Contender>,
    /// Price of storage; `None` if no prices were given.
    pub price: Option<StoragePrice>,
    /// Number of rounds in which all designs were asked the same questions.
    pub rounds: u32,
    /// Seconds that one more round takes.
    pub seconds_a_round: Option<f64>,
    pub noise: Noise,
    /// Range of rows in which the fitted curves hold.
    pub known_rows: Option<KnownRows>,
    /// Reason why there are no times at full scale, if there should be, with what to load or measure.
    pub no_forecast: Option<String>,
    /// Reason why no design has a cost of a month although there are prices.
    #[serde(default)]
    pub no_month: Option<String>,
    /// Designs that a race dropped for one that failed later, so that nothing is known to beat them.
    #[serde(default)]
    pub dropped_in_vain: Vec<String>,
    /// How many of the run's own forecasts held; `None` if times are not forecast, or if none could be checked.
    #[serde(default)]
    pub forecasts: Option<ForecastsHeld>,
    /// Circumstances that the run did not measure, each as the end of a sentence: `a cold cache`.
    pub not_measured: Vec<String>,
}

/// Number of forecasts that could be checked, and of those that held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForecastsHeld {
    /// Number of those whose 90% interval has what was measured.
    pub held: usize,
    pub checked: usize,
}

/// Fewest forecasts of which a share says something.
const FEWEST_CHECKED: usize = 5;
/// Share of forecasts within their 90% intervals below which these are taken for too narrow.
const FEWEST_HELD: f64 = 0.8;

impl ForecastsHeld {
    /// Returns whether so few held that the intervals are too narrow.
    pub fn are_few(self) -> bool {
        self.checked >= FEWEST_CHECKED && (self.held as f64) < FEWEST_HELD * self.checked as f64
    }
}

/// Rule by which one design is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Whether the workload states the rule; otherwise it is the default rule.
    pub is_stated: bool,
    pub minimise: Minimise,
    /// Whether the workload has weights; otherwise all questions count equally.
    pub has_weights: bool,
    pub limits: Vec<Limit>,
    /// Relative difference up to which two designs are the same: 0.05 is 5%.
    pub same_within: f64,
    /// Design that is in use today.
    pub baseline: Option<String>,
}

/// Figure that the chosen design minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Minimise {
    /// Cost of a month.
    Month,
    /// Bytes to buy.
    Storage,
    /// Geometric mean of the times of all questions, by their weights.
    Time,
    /// Time that loading takes.
    Load,
}

/// Question that designs answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub name: String,
    /// Frequency of the question, in any unit; 0 if it does not count.
    pub weight: f64,
    /// Number of designs that are asked it, where some that could be recommended are not; `None` where all are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<AskedOf>,
}

/// Number of designs that are asked a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedOf {
    pub asked: usize,
    /// Number of all designs that could be recommended.
    pub all: usize,
}

/// Price of storage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoragePrice {
    /// Currency of every cost.
    pub currency: String,
    /// Price of a GiB for a month.
    pub gib_month: f64,
}

/// Smallest differences that the run could have shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Smallest relative difference for each question, in their order: 0.08 is 8%. `None` if it is not
    /// known.
    pub smallest_difference: Vec<Option<f64>>,
    /// Largest relative difference of twins, which are the same design twice; `None` without twins.
    pub twins: Option<f64>,
    /// Standard deviation of the logarithm of a table's times for each question, in their order. No number
    /// of rounds makes it smaller. The resamples include it already. Empty without twins.
    #[serde(default)]
    pub tables: Vec<Option<f64>>,
}

/// Range of rows in which fitted curves hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownRows {
    pub from: u64,
    pub to: u64,
    /// Reason why nothing is known beyond the range: `a node's 64 GiB no longer hold the table`.
    pub beyond: Option<String>,
}

/// Figures of a design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    pub id: String,
    pub status: Status,
    /// Number of rows that the design dropped since their key repeats.
    pub rows_lost: u64,
    /// Change that would keep them: `add a column to order_key that tells them apart`.
    pub keeps_rows_if: Option<String>,
    /// Bytes to buy for all copies.
    pub storage: Option<Figure>,
    /// Share of these bytes at rest; absent where only the bytes to buy are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Rows loaded per second, settling included.
    pub load: Option<Figure>,
    /// Cost of a month, machines included.
    pub month: Option<Figure>,
    /// Whether a month may cost more than that, since the CPU time of some question has no forecast.
    #[serde(default)]
    pub is_month_least: bool,
    /// Failures that do not exclude it, but speak against it, each as a clause.
    #[serde(default)]
    pub troubles: Vec<String>,
    /// Answers in the order of the questions.
    pub answers: Vec<Answer>,
}

/// Bytes at rest, and the factors that turn them into bytes to buy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// Bytes at rest of all copies.
    pub bytes: Span,
    /// Multiple of them that there has to be room for.
    pub room: f64,
    /// Source of the multiple, such as `measured`.
    pub room_from: String,
    /// Bytes of the log of one copy, estimated.
    pub log_bytes: f64,
    /// Largest share of the disks that is in use.
    pub fill: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    Right,
    /// The design failed before the end; holds the reason.
    Failed(String),
    /// A race dropped the design; holds the design that beats it, and by how much.
    Dropped(String),
    /// The design is measured for comparison, and never recommended.
    Yardstick,
}

/// Answer of a design to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub class: AnswerClass,
    pub time: Timed,
    /// Whether any answer was right, be it one without a time that counts.
    #[serde(default)]
    pub was_right: bool,
    /// Seconds at the measured scale.
    pub measured: Option<f64>,
    /// Quantiles at the scale of interest that a limit is on, each with its seconds: 0.99 and the seconds of
    /// p99.
    pub quantiles: Vec<(f64, Figure)>,
    /// Measurements behind the figure: `4 scales, held-out error 8%`.
    pub basis: String,
}

/// Way in which a design answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerClass {
    ByKey,
    Scan,
    /// The answer reads no row, such as a count that is stored separately from the rows.
    FromMetadata,
    /// The answer had no row in any round.
    AlwaysEmpty,
}

/// Time of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timed {
    /// Seconds at the scale of interest.
    Seconds(Figure),
    /// The question was answered wrongly or not at all; holds the reason.
    Failed(String),
    /// There is no figure for the scale of interest; holds the reason, and what to measure.
    Unknown(String),
}

impl Minimise {
    /// Returns the name of the figure in a workload file.
    pub fn name(self) -> &'static str {
        match self {
            Minimise::Month => "month",
            Minimise::Storage => "storage",
            Minimise::Time => "time",
            Minimise::Load => "load",
        }
    }
}

impl Question {
    /// Returns whether the rule counts the question.
    pub(super) fn has_weight(&self) -> bool {
        self.weight > 0.0 && self.weight.is_finite()
    }
}

impl Contender {
    /// Returns the seconds of a question, if they are known.
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

    /// Returns whether the question was asked: it failed, was right, or has a figure at some scale.
    pub(super) fn was_asked(&self, question: usize) -> bool {
        self.answers.get(question).is_some_and(|answer| {
            let is_known = !matches!(answer.time, Timed::Unknown(_));
            answer.was_right || answer.measured.is_some() || is_known
        })
    }

    pub(super) fn class(&self, question: usize) -> Option<AnswerClass> {
        self.answers.get(question).map(|answer| answer.class)
    }
}

impl AnswerClass {
    /// Returns whether answers of this class show how fast a design works.
    pub fn shows_work(self) -> bool {
        matches!(self, AnswerClass::ByKey | AnswerClass::Scan)
    }
}
