//! Records of a race: which designs were dropped, and why measuring ended.

use serde::{Deserialize, Serialize};

/// Number of the first round in which open questions are asked before all others. The times of these rounds
/// decide who is dropped, and are no part of any other figure.
pub const OPEN_ROUND: u32 = (1 << 23) + (1 << 22);

/// A claim that the rungs of a race leave open: that a design is beaten in these questions, too, by another
/// one that beats it in everything else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    pub design: String,
    /// The design that beats it in everything else.
    pub by: String,
    /// Rows of the larger rung.
    pub rows: u64,
    /// Costs of the design at the larger rung as multiples of the other's, as far as they are shown.
    pub beaten: Vec<Beaten>,
    /// Names of the questions that are open.
    pub questions: Vec<String>,
}

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
    /// Rows of the tables that showed it, where these are not the largest that were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

impl Dropped {
    /// Returns whether the comparison was made at a rung, but for questions that were asked at the designs' own
    /// tables before all others.
    pub fn is_by_open_questions(&self) -> bool {
        self.beaten.iter().any(|beaten| beaten.rows.is_some())
    }

    /// Returns the costs with the rows of the tables that showed them, the largest tables first.
    pub fn beaten_at(&self) -> Vec<(u64, Vec<&Beaten>)> {
        let mut by_rows: Vec<(u64, Vec<&Beaten>)> = vec![(self.rows, Vec::new())];
        for beaten in &self.beaten {
            let rows = beaten.rows.unwrap_or(self.rows);
            match by_rows.iter_mut().find(|(known, _)| *known == rows) {
                Some((_, costs)) => costs.push(beaten),
                None => by_rows.push((rows, vec![beaten])),
            }
        }
        by_rows
    }
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
