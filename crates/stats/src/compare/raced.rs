//! Records of a race: which designs were dropped, and why measuring ended.

use serde::{Deserialize, Serialize};

/// A design that another one beats in every objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    pub design: String,
    /// The design that beats it.
    pub by: String,
    /// Rows of the largest tables that were compared.
    pub rows: u64,
    /// Whether the comparison was between smaller tables, so that the design's own was never loaded.
    pub at_rung: bool,
    /// Rounds after which the comparison was made; `None` at a rung, and in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Costs of the design as multiples of the other's, one for each objective.
    pub beaten: Vec<Beaten>,
    /// Whether it is measured on all the same, as a control of the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_control: bool,
}

/// How many times as much a dropped design costs by one objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beaten {
    /// `storage`, `loading`, `time` or `month` of all questions together, or a question's name.
    pub objective: String,
    /// The estimate at these rows.
    pub times: f64,
    /// Remainder when the error, its closing up to the full scale and the margin are taken off.
    pub at_least: f64,
}

/// The end of measuring in a race.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    pub rounds: u32,
    pub why: WhyStopped,
}

/// Why a race measures no further round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum WhyStopped {
    /// Choosing another design than the recommended one would gain this share on average.
    LittleToGain { expected_loss: f64 },
    /// Every other design is shown to be worse than the recommended one, or the same.
    Settled,
    /// The figures at full scale are forecasts, whose error further rounds leave as it is.
    ForecastDecides,
    /// No further round was asked for, or the budget allowed none.
    Rounds,
}
