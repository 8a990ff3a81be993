//! A load or a sweep as it is compared with another one.
//!
//! Neither has twins: its intervals are those that it has by itself, of its rounds, and say nothing of how much another
//! table of the same design differs.

use serde::Serialize;

use super::RunAbout;
use super::counted::Value;
use super::equal_rates::Curve;
use super::sections;
use super::what::What;
use crate::compare::summary::rounds::method::Part;
use crate::{DesignInfo, EngineInfo, Machine};

/// What was measured: designs by questions, by a mixed load, or by inserts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measurement {
    #[default]
    Run,
    Load,
    Sweep,
}

impl Measurement {
    /// Returns whether it is of `bakeoff run`.
    pub fn is_run(&self) -> bool {
        *self == Measurement::Run
    }
}

/// A load or a sweep, with what it was made with and what was measured.
#[derive(Debug, Clone)]
pub struct Measured {
    pub about: RunAbout,
    pub of: Measurement,
    /// What was measured, in words: `a load as fast as it goes`. Two of different kinds have no figures in common.
    pub kind: String,
    pub workload_text: String,
    /// Source of the rows in words; empty where only the workload's text says it.
    pub data: String,
    pub machine: Machine,
    pub finished: bool,
    /// Number of rounds that were not steady and so left out.
    pub unsteady: usize,
    /// Whether it is of some of the processes only that measured together.
    pub is_one_shard: bool,
    /// Operations with what they do, in words.
    pub operations: Vec<(String, String)>,
    /// Questions that are asked beside loads, each with its text.
    pub questions: Vec<(String, String)>,
    /// Names and values of what it was made with, in the order in which differences are told.
    pub conditions: Vec<(&'static str, String)>,
    pub engines: Vec<EngineInfo>,
    pub designs: Vec<MeasuredDesign>,
    /// Relative difference that is none.
    pub same_within: f64,
}

/// A design of a load or a sweep.
#[derive(Debug, Clone)]
pub struct MeasuredDesign {
    pub info: DesignInfo,
    pub bytes_per_row: Option<f64>,
    /// Share of the operations that failed, from 0 to 1.
    pub failed: f64,
    pub figures: Vec<MeasuredFigure>,
    /// Figures without an interval, by their names.
    pub counted: Vec<(String, Value)>,
    /// Times of inserts by the rate, for each size of batches of a sweep.
    pub curves: Vec<Curve>,
}

/// A figure in several rounds, of which less is better.
#[derive(Debug, Clone)]
pub struct MeasuredFigure {
    pub what: What,
    /// The operation that it is of; `None` if it is of all of them.
    pub operation: Option<String>,
    /// Whether it is of a question beside the load, or of the load while questions are asked.
    pub is_beside: bool,
    /// Number of each round with its seconds: of a rate those for one row or operation.
    pub rounds: Vec<(u32, f64)>,
    /// Variance of the logarithm of the figure by the searches' own intervals, for an interval where the rounds are too
    /// few to tell anything; `None` if it is not known.
    pub part: Option<Part>,
    /// Number of settings of which it is the best one, which intervals allow for; 1 where there was no choice.
    pub chosen_from: usize,
}

impl Measured {
    /// Returns a design by its id.
    pub fn design(&self, id: &str) -> Option<&MeasuredDesign> {
        self.designs.iter().find(|design| design.info.id == id)
    }

    /// Returns whether the same questions, or none, are asked beside the loads of both.
    pub fn asks_the_same_as(&self, other: &Measured) -> bool {
        let sections = sections::differing(&self.workload_text, &other.workload_text);
        let is_changed =
            |(name, _): &(String, String)| sections.contains(&format!("queries {name}"));
        self.questions == other.questions && !self.questions.iter().any(is_changed)
    }
}

impl MeasuredDesign {
    /// Returns a figure by its subject.
    pub fn figure(&self, what: &What) -> Option<&MeasuredFigure> {
        self.figures.iter().find(|figure| figure.what == *what)
    }
}
